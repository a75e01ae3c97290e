/* SPDX-License-Identifier: BSD-3-Clause */
#include "pattern.h"

#define REGION_SHIFT 6
#define REGION_MASK  0xc0u

/* splitmix64 */
uint64_t cli_random(uint64_t *state)
{
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);

    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

uint8_t cli_pattern_byte(enum cli_pattern_region region, uint32_t key,
                         size_t index)
{
    /* The high bits of a product depend on all lower bits of its factors. */
    uint32_t mixed = ((uint32_t)index + key) * 0x9e3779b1u;

    return (uint8_t)((unsigned)region << REGION_SHIFT | mixed >> 26);
}

void cli_pattern_fill(const struct cli_pattern_run *run)
{
    uint8_t *buf = run->buf + run->first;

    for (size_t i = 0; i < run->len; i++) {
        buf[i] = cli_pattern_byte(run->region, run->key, run->index + i);
    }
}

bool cli_pattern_intact(const struct cli_pattern_run *run)
{
    const uint8_t *buf = run->buf + run->first;
    unsigned wrong = 0;

    for (size_t i = 0; i < run->len; i++) {
        wrong |=
            buf[i] ^ cli_pattern_byte(run->region, run->key, run->index + i);
    }
    return wrong == 0;
}

static bool from(uint8_t byte, enum cli_pattern_region region)
{
    return (byte & REGION_MASK) == (unsigned)region << REGION_SHIFT;
}

enum cli_pattern_fault cli_pattern_explain(const struct cli_pattern_run *run,
                                           size_t i)
{
    size_t pos = run->first + i;
    uint8_t got = run->buf[pos];

    if (run->region == CLI_PATTERN_DST_OUT) {
        return from(got, CLI_PATTERN_SRC_IN) || from(got, CLI_PATTERN_SRC_OUT)
                   ? CLI_PATTERN_WAS_COPIED
                   : CLI_PATTERN_MISMATCH;
    }
    return got == cli_pattern_byte(CLI_PATTERN_DST_IN, run->key, pos)
               ? CLI_PATTERN_NOT_COPIED
               : CLI_PATTERN_MISMATCH;
}
