/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TRENCH_GEN_PRIV_H
#define TRENCH_GEN_PRIV_H

#include <trench/gen.h>

extern const struct trench_gen gen_sunda;
extern const struct trench_gen gen_cayman;
extern const struct trench_gen gen_mariana;
extern const struct trench_gen gen_mariana_plus;

/* The firmware of each (ncfw.c). */
extern const struct trench_gen_ncfw gen_sunda_ncfw;
extern const struct trench_gen_ncfw gen_cayman_ncfw;
extern const struct trench_gen_ncfw gen_mariana_ncfw;
extern const struct trench_gen_ncfw gen_mariana_plus_ncfw;

/* Event and semaphore arrays of a NeuronCore or TOP_SP (parts.c). */
#define GEN_NR_EVT_SEM 5
extern const struct trench_gen_window gen_evt_sem[GEN_NR_EVT_SEM];

/* Of a TOP_SP: its MMIO, at 0x200000, has them at 0x60000 (ncfw-steps 4.2). */
#define GEN_TOP_SP_LOCAL_REG 0x260000

/* What is known of a TOP_SP: the layout of an event block (address-map 3.3). */
#define GEN_TOP_SP_NODES                                                       \
    {                                                                          \
        .name = "EVT_SEM",                                                     \
        .base = 0,                                                             \
        .size_bytes = 0x2000,                                                  \
        .kind = TRENCH_WINDOW_DEVICE,                                          \
        .node = TRENCH_NODE_SYNC,                                              \
        .inside = gen_evt_sem,                                                 \
        .nr_inside = GEN_NR_EVT_SEM,                                           \
    },                                                                         \
    {                                                                          \
        .name = "LOCAL_REG", .base = GEN_TOP_SP_LOCAL_REG,                     \
        .size_bytes = 0x10000, .kind = TRENCH_WINDOW_DEVICE, .modelled = true, \
        .node = TRENCH_NODE_LOCAL_REG, .block = "tpb_xt_local_reg",            \
    }

/* Partitions of a state buffer (parts.c). */
extern const struct trench_gen_window gen_partitions[1];

/* Sequencers, TPB offsets relative to their cluster (seq.c). */
#define GEN_NR_SEQS 5
extern const struct trench_gen_seq_firmware gen_seq_legacy;
extern const struct trench_gen_seq_firmware gen_seq_modern;

/*
 * The parts of a sequencer at one distance from each other: iram-cache-idma
 * 1.1 has all of them for POOL, and the local registers for every one.
 */
#define GEN_SEQ(name_, local_reg_)                                             \
    {                                                                          \
        .name = name_, .iram = (local_reg_)-0x60000,                           \
        .dram = (local_reg_)-0x20000, .local_reg = local_reg_,                 \
    }

/* The same for the address map; the firmware's own code RAM has no use here. */
#define GEN_SEQ_WINDOWS(name_, local_reg_)                                     \
    {                                                                          \
        .name = name_ "_SEQ_IRAM",                                             \
        .base = (local_reg_)-0x60000,                                          \
        .size_bytes = TRENCH_SEQ_IRAM_BYTES,                                   \
        .kind = TRENCH_WINDOW_MEMORY,                                          \
        .modelled = true,                                                      \
    },                                                                         \
        {                                                                      \
            .name = name_ "_NX_IRAM",                                          \
            .base = (local_reg_)-0x40000,                                      \
            .size_bytes = 0x20000,                                             \
            .kind = TRENCH_WINDOW_MEMORY,                                      \
        },                                                                     \
        {                                                                      \
            .name = name_ "_NX_DRAM",                                          \
            .base = (local_reg_)-0x20000,                                      \
            .size_bytes = TRENCH_SEQ_DRAM_BYTES,                               \
            .kind = TRENCH_WINDOW_MEMORY,                                      \
            .modelled = true,                                                  \
        },                                                                     \
    {                                                                          \
        .name = name_ "_LOCAL_REG", .base = local_reg_, .size_bytes = 0x10000, \
        .kind = TRENCH_WINDOW_DEVICE, .modelled = true,                        \
        .block = "tpb_xt_local_reg",                                           \
    }

/* "APB_SE_0_SDMA_5"; length as snprintf. channel < cluster's nr_channels. */
int gen_channel_name(const struct trench_gen_cluster *cluster, unsigned channel,
                     char *buf, size_t size);

#endif /* TRENCH_GEN_PRIV_H */
