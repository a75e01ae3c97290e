/* SPDX-License-Identifier: BSD-3-Clause */
/* What the tests of the firmware's context share. */
#ifndef TRENCH_TESTS_CTXLOG_RIG_H
#define TRENCH_TESTS_CTXLOG_RIG_H

#include <jansson.h>

#include <trench/ctxlog.h>

#include "ncfw_rig.h"

#define V3_BYTES    0x44E8
#define SUNDA_BYTES 0x32C8

static const char *const gens[] = { "cayman", "mariana", "mariana_plus",
                                    "sunda" };

static char text[TRENCH_CTXLOG_TEXT_BYTES];

static inline void fill_random(uint8_t *ctx, size_t size, uint64_t *rnd)
{
    for (size_t i = 0; i < size; i++) {
        ctx[i] = (uint8_t)next_random(rnd);
    }
}

#endif /* TRENCH_TESTS_CTXLOG_RIG_H */
