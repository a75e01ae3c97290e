/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the third core generation (cayman) shares with the fourth (mariana,
 * mariana_plus): channels, addresses and BARs are the same (address-map 1.6).
 */
#ifndef TRENCH_GEN_V3_H
#define TRENCH_GEN_V3_H

#include "gen/gen_priv.h"

#define DIE_1 (UINT64_C(1) << 47) /* address-map 0, "die bit" */
#define PEB   (UINT64_C(1) << 53) /* address-map 0, "PEB bit" */

#define KIB(n) ((uint64_t)(n) << 10)
#define MIB(n) ((uint64_t)(n) << 20)
#define GIB(n) ((uint64_t)(n) << 30)
#define TIB(n) ((uint64_t)(n) << 40)

/* Block lists, in a privileged IO window (address-map 4.9). */
#define GEN_V3_APBBLK_IO    0x12100000
#define GEN_V3_APBBLK_SE_0  0x12180000
#define GEN_V3_APBBLK_SE_1  0x12200000
#define GEN_V3_APBBLK_BYTES 0x1000

extern const struct trench_gen_firewall gen_v3_firewalls[12];
extern const struct trench_gen_unit gen_v3_units[6];
extern const struct trench_gen_cluster gen_v3_clusters[12];
extern const struct trench_gen_window gen_v3_windows[42];
extern const struct trench_gen_bar gen_v3_bars[58];
extern const struct trench_gen_view gen_v3_views[2];
extern const struct trench_gen_seq gen_v3_seqs[GEN_NR_SEQS];
extern const uint16_t gen_v3_refill_engines[8];

#define V3_HBM(n, base_, gib_)                                                 \
    {                                                                          \
        .name = "HBM_" #n, .kind = TRENCH_MEM_HBM, .base = base_,              \
        .size_bytes = GIB(gib_),                                               \
    }
/* SBUF: 128 partitions of 0x40000, the first valid_ bytes of each populated. */
#define V3_TPB(n, base_, valid_)                                               \
    {                                                                          \
        .name = "TPB_" #n "_STATE_BUF",                                        \
        .kind = TRENCH_MEM_SBUF,                                               \
        .base = base_,                                                         \
        .size_bytes = MIB(32),                                                 \
        .stride_bytes = 0x40000,                                               \
        .valid_bytes = valid_,                                                 \
    },                                                                         \
    {                                                                          \
        .name = "TPB_" #n "_PSUM_BUF", .kind = TRENCH_MEM_PSUM,                \
        .base = base_ + UINT64_C(0x802000000), .size_bytes = MIB(4),           \
    }

/* address-map 3.2 and 3.3. */
#define V3_MEMS(hbm_gib_, valid_)                                              \
    {                                                                          \
        V3_HBM(0, 0x0, hbm_gib_), V3_HBM(1, 0x4000000000, hbm_gib_),           \
            V3_HBM(2, DIE_1, hbm_gib_),                                        \
            V3_HBM(3, DIE_1 + 0x4000000000, hbm_gib_),                         \
            V3_TPB(0, 0x2000000000, valid_), V3_TPB(1, 0x3000000000, valid_),  \
            V3_TPB(2, 0x6000000000, valid_), V3_TPB(3, 0x7000000000, valid_),  \
            V3_TPB(4, DIE_1 + 0x2000000000, valid_),                           \
            V3_TPB(5, DIE_1 + 0x3000000000, valid_),                           \
            V3_TPB(6, DIE_1 + 0x6000000000, valid_),                           \
            V3_TPB(7, DIE_1 + 0x7000000000, valid_),                           \
        {                                                                      \
            .name = "PCIE_A0", .kind = TRENCH_MEM_HOST,                        \
            .base = 0x400000000000, .size_bytes = TIB(64),                     \
            .alias = 0xC00000000000,                                           \
        }                                                                      \
    }

/* What all of them are alike in. */
#define V3_COMMON                                                              \
    .nr_engines = 132, .nr_cores = 8, .engines_per_core = 16,                  \
    .bcast_offset = 0x80000, .bcast_lanes = 16, .units = gen_v3_units,         \
    .nr_units = ARRAY_LEN(gen_v3_units), .clusters = gen_v3_clusters,          \
    .nr_clusters = ARRAY_LEN(gen_v3_clusters), .windows = gen_v3_windows,      \
    .nr_windows = ARRAY_LEN(gen_v3_windows), .bars = gen_v3_bars,              \
    .nr_bars = ARRAY_LEN(gen_v3_bars), .views = gen_v3_views,                  \
    .nr_views = ARRAY_LEN(gen_v3_views), .die_bit = 47, .privileged_bit = 53,  \
    .chip_lsb = 48, .chip_width = 6, .chip_valid_bit = 54,                     \
    .firewalls = gen_v3_firewalls,                                             \
    .nr_firewalls = ARRAY_LEN(gen_v3_firewalls), .nr_top_sps = 16,             \
    .top_sps_per_die = 8,                                                      \
    .bells = {                                                                 \
        /* ncfw-steps 4.2 */                                                   \
        [TRENCH_BELL_INIT] = GEN_TOP_SP_LOCAL_REG + 0x1540,                    \
        [TRENCH_BELL_TSYNC] = GEN_TOP_SP_LOCAL_REG + 0x1560,                   \
        [TRENCH_BELL_HOST_TRIGGER] = GEN_TOP_SP_LOCAL_REG + 0x15A0,            \
        [TRENCH_BELL_STOP] = GEN_TOP_SP_LOCAL_REG + 0x15C0,                    \
        [TRENCH_BELL_BBSWITCH] = GEN_TOP_SP_LOCAL_REG + 0x15E0,                \
    },                                                                         \
    .seqs = gen_v3_seqs, .nr_seqs = ARRAY_LEN(gen_v3_seqs),                    \
    .seq_firmware = &gen_seq_modern, .refill_engines = gen_v3_refill_engines,   \
    .cce_elements = 2048, .cce_replicates = true

#endif /* TRENCH_GEN_V3_H */
