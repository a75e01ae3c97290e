/* SPDX-License-Identifier: BSD-3-Clause */
/* Windows that are laid out alike in every generation. */
#include "gen/gen_priv.h"

/* host-driver 2.9. */
#define SYNC(name_, offset_, index_)                                           \
    {                                                                          \
        .name = name_, .base = offset_, .size_bytes = 4, .stride_bytes = 4,    \
        .count = TRENCH_NR_SYNC, .kind = TRENCH_WINDOW_DEVICE,                 \
        .index = index_, .modelled = true,                                     \
    }

const struct trench_gen_window gen_evt_sem[GEN_NR_EVT_SEM] = {
    SYNC("EVENT", 0x0000, TRENCH_INDEX_EVENT),
    SYNC("READ", 0x1000, TRENCH_INDEX_SEMAPHORE),
    SYNC("SET", 0x1400, TRENCH_INDEX_SEMAPHORE),
    SYNC("INC", 0x1800, TRENCH_INDEX_SEMAPHORE),
    SYNC("DEC", 0x1C00, TRENCH_INDEX_SEMAPHORE),
};

const struct trench_gen_window gen_partitions[1] = {
    {
        .name = "PARTITION",
        .base = 0,
        .size_bytes = 0x40000,
        .stride_bytes = 0x40000,
        .count = 128,
        .kind = TRENCH_WINDOW_MEMORY,
        .index = TRENCH_INDEX_PARTITION,
    },
};
