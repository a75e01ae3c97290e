/* SPDX-License-Identifier: BSD-3-Clause */
/* What tests of a collective step share. */
#ifndef TRENCH_TESTS_NCFW_RIG_H
#define TRENCH_TESTS_NCFW_RIG_H

#include <trench/ncfw.h>

#include "check.h"

#define SEED UINT64_C(0x9e3779b97f4a7c15)

static inline uint64_t next_random(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

static inline const struct trench_gen *gen_of(const char *name)
{
    const struct trench_gen *gen = trench_gen_find(name);

    assert_non_null(gen);
    return gen;
}

/* A channel with rings that say whose they are. */
static inline struct trench_ncfw_channel make_channel(unsigned engine,
                                                      unsigned queue)
{
    uint64_t base = UINT64_C(0x4000000000) + engine * UINT64_C(0x100000) +
                    queue * UINT64_C(0x10000);

    return (struct trench_ncfw_channel){
        .in_use = true,
        .engine = (uint16_t)engine,
        .queue = (uint8_t)queue,
        .ring = { { base, 64 }, { base + 0x8000, 96 } },
    };
}

#endif /* TRENCH_TESTS_NCFW_RIG_H */
