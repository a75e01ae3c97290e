/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Cayman (Trainium2, NeuronCore-v3).
 */
#include "base/bits.h"
#include "gen/gen_priv.h"

#define DIE_1  (UINT64_C(1) << 47) /* address-map 0, "die bit" */
#define KIB(n) ((uint64_t)(n) << 10)
#define MIB(n) ((uint64_t)(n) << 20)
#define GIB(n) ((uint64_t)(n) << 30)

/* seed 002 section 2; address-map 1.1. */
static const struct trench_gen_unit units[] = {
    { "UDMA_M2S", TRENCH_BLOCK_UDMA_M2S, 0x00000, 0x20000, true },
    { "UDMA_S2M", TRENCH_BLOCK_UDMA_S2M, 0x20000, 0x18000, true },
    { "UDMA_GEN", TRENCH_BLOCK_UDMA_GEN, 0x38000, 0x04000, true },
    { "UDMA_GEN_EX", TRENCH_BLOCK_UDMA_GEN_EX, 0x3C000, 0x04000, true },
    { "MISC_SDMA_APP", TRENCH_BLOCK_TDMA_MODEL, 0x40000, 0x01000, false },
};

static const char *const io_names[] = { "D2H", "H2D" };

#define SE_CLUSTER(name_, base_, first_, die_, peb_)                           \
    {                                                                          \
        .name = name_, .base = base_, .stride_bytes = 0x100000,                \
        .nr_channels = 32, .first_engine = first_, .die = die_,                \
        .privileged = peb_, .bcast_every = 16,                                 \
    }
#define IO_CLUSTER(name_, base_, first_, die_, peb_)                           \
    {                                                                          \
        .name = name_, .base = base_, .stride_bytes = 0x100000,                \
        .nr_channels = 2, .first_engine = first_, .names = io_names,           \
        .die = die_, .privileged = peb_,                                       \
    }

/* address-map 2.1. Plain and privileged routes lead to the same engines. */
static const struct trench_gen_cluster clusters[] = {
    SE_CLUSTER("APB_SE_0", 0x1002000000, 0, 0, false),
    SE_CLUSTER("APB_SE_1", 0x5004000000, 32, 0, false),
    SE_CLUSTER("APB_SE_2", 0x801002000000, 64, 1, false),
    SE_CLUSTER("APB_SE_3", 0x805004000000, 96, 1, false),
    SE_CLUSTER("PEB_APB_IO_0_USER_SE_0", 0x20008002000000, 0, 0, true),
    SE_CLUSTER("PEB_APB_IO_0_USER_SE_1", 0x20008004000000, 32, 0, true),
    SE_CLUSTER("PEB_APB_IO_1_USER_SE_0", 0x20808002000000, 64, 1, true),
    SE_CLUSTER("PEB_APB_IO_1_USER_SE_1", 0x20808004000000, 96, 1, true),
    IO_CLUSTER("PEB_APB_IO_0_USER_IO", 0x20008006800000, 128, 0, true),
    IO_CLUSTER("PEB_APB_IO_1_USER_IO", 0x20808006800000, 130, 1, true),
    IO_CLUSTER("APB_IO_0_USER_IO", 0x8006800000, 128, 0, false),
    IO_CLUSTER("APB_IO_1_USER_IO", 0x808006800000, 130, 1, false),
};

#define HBM(n, base_)                                                          \
    {                                                                          \
        .name = "HBM_" #n, .kind = TRENCH_MEM_HBM, .base = base_,              \
        .size_bytes = GIB(24),                                                 \
    }
/* SBUF: 128 partitions of 0x40000, the first 0x38000 bytes of each valid. */
#define TPB(n, base_)                                                          \
    {                                                                          \
        .name = "TPB_" #n "_STATE_BUF",                                        \
        .kind = TRENCH_MEM_SBUF,                                               \
        .base = base_,                                                         \
        .size_bytes = MIB(32),                                                 \
        .stride_bytes = 0x40000,                                               \
        .valid_bytes = 0x38000,                                                \
    },                                                                         \
    {                                                                          \
        .name = "TPB_" #n "_PSUM_BUF", .kind = TRENCH_MEM_PSUM,                \
        .base = base_ + UINT64_C(0x802000000), .size_bytes = MIB(4),           \
    }

/* address-map 3.2 and 3.3. */
static const struct trench_gen_mem mems[] = {
    HBM(0, 0x0),
    HBM(1, 0x4000000000),
    HBM(2, DIE_1),
    HBM(3, DIE_1 + 0x4000000000),
    TPB(0, 0x2000000000),
    TPB(1, 0x3000000000),
    TPB(2, 0x6000000000),
    TPB(3, 0x7000000000),
    TPB(4, DIE_1 + 0x2000000000),
    TPB(5, DIE_1 + 0x3000000000),
    TPB(6, DIE_1 + 0x6000000000),
    TPB(7, DIE_1 + 0x7000000000),
    {
        .name = "PCIE_A0",
        .kind = TRENCH_MEM_HOST,
        .base = 0x400000000000,
        .size_bytes = UINT64_C(0x400000000000),
        .alias = 0xC00000000000,
    },
};

const struct trench_gen gen_cayman = {
    .name = "cayman",
    .title = "Trainium2, NeuronCore-v3",
    .nr_engines = 132,
    .nr_cores = 8,
    .bcast_offset = 0x80000,
    .bcast_lanes = 16,
    .units = units,
    .nr_units = ARRAY_LEN(units),
    .clusters = clusters,
    .nr_clusters = ARRAY_LEN(clusters),
    .mems = mems,
    .nr_mems = ARRAY_LEN(mems),
    /* udma-engine 5.8.1, column C. */
    .init = {
        .m2s_data_cfg = 0x010008F8,
        .m2s_ostand_cfg = 0x20808080,
        .s2m_ostand_cfg_rd = 0x00400080,
        .s2m_ostand_cfg_wr = 0x40804080,
        .rob_txdf = 0x26,
    },
};
