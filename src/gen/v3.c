/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Channels and clusters of cayman, mariana and mariana_plus.
 */
#include "gen/v3.h"

#include "base/bits.h"

/* seed 002 section 2; address-map 1.1. */
const struct trench_gen_unit gen_v3_units[] = {
    { "UDMA_M2S", TRENCH_BLOCK_UDMA_M2S, 0x00000, 0x20000, true, 0 },
    { "UDMA_S2M", TRENCH_BLOCK_UDMA_S2M, 0x20000, 0x18000, true, 0 },
    { "UDMA_GEN", TRENCH_BLOCK_UDMA_GEN, 0x38000, 0x04000, true, 0 },
    { "UDMA_GEN_EX", TRENCH_BLOCK_UDMA_GEN_EX, 0x3C000, 0x04000, true, 0 },
    { "MISC_SDMA_APP", TRENCH_BLOCK_TDMA_MODEL, 0x40000, 0x01000, false, 0 },
    { "MISC_NOTIFIC", TRENCH_BLOCK_NOTIFIC_10_QUEUE, 0x41000, 0x01000, false,
      0 },
};

/* The rest of address-map 1.1. */
static const struct trench_gen_window channel_rest[] = {
    {
        .name = "MISC_SDMA_UG_RESERVED1",
        .base = 0x42000,
        .size_bytes = 0x2000,
        .kind = TRENCH_WINDOW_RESERVED,
    },
};

static const char *const io_names[] = { "D2H", "H2D" };

#define CLUSTER(name_, base_, nr_, first_)                                     \
    .name = name_, .base = base_, .stride_bytes = 0x100000,                    \
    .nr_channels = nr_, .first_engine = first_, .inside = channel_rest,        \
    .nr_inside = ARRAY_LEN(channel_rest)
#define SE_CLUSTER(name_, base_, first_, die_, peb_)                           \
    {                                                                          \
        CLUSTER(name_, base_, 32, first_), .die = die_, .privileged = peb_,    \
                                           .bcast_every = 16                   \
    }
#define IO_CLUSTER(name_, base_, first_, die_, peb_)                           \
    {                                                                          \
        CLUSTER(name_, base_, 2, first_), .names = io_names, .die = die_,      \
                                          .privileged = peb_                   \
    }

/* address-map 2.1. Plain and privileged routes lead to the same engines. */
const struct trench_gen_cluster gen_v3_clusters[] = {
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

/* iram-cache-idma 1.1: LOCAL_REG of TPB 0 is at 0x2800000000 plus these. */
#define V3_SEQ(name_, offset_) GEN_SEQ(name_, UINT64_C(0x800000000) + offset_)

const struct trench_gen_seq gen_v3_seqs[GEN_NR_SEQS] = {
    V3_SEQ("pe", 0x2660000),   V3_SEQ("act", 0x2460000),
    V3_SEQ("pool", 0x3060000), V3_SEQ("dve", 0x2b60000),
    V3_SEQ("sp", 0x2860000),
};

/* H2D of the core's die: the default after sunda (iram-cache-idma 1.6). */
const uint16_t gen_v3_refill_engines[] = {
    129, 129, 129, 129, 131, 131, 131, 131,
};
