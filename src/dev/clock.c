/* SPDX-License-Identifier: BSD-3-Clause */
#include "dev/clock.h"

#include "base/bits.h"
#include "dev/coal.h"
#include "dev/engine.h"
#include "dev/limiter.h"
#include "dev/s2m.h"
#include "dev/udma_gen.h"

/* The next engine of a set from number e on; CHIP_MAX_ENGINES at its end. */
static unsigned next_engine(const uint64_t *set, unsigned e)
{
    for (; e < CHIP_MAX_ENGINES; e = (e / 64 + 1) * 64) {
        uint64_t word = set[e / 64] >> e % 64;

        if (word) {
            return e + (unsigned)__builtin_ctzll(word);
        }
    }
    return CHIP_MAX_ENGINES;
}

#define FOR_EACH_TIMED(chip, e)                                                \
    for (unsigned e = next_engine((chip)->timed, 0); e < CHIP_MAX_ENGINES;     \
         e = next_engine((chip)->timed, e + 1))

static uint64_t buffers_due(const struct channel *ch)
{
    uint64_t due = CLOCK_NEVER;

    for (uint32_t set = ch->starved; set; set &= set - 1) {
        due = min_u64(due, s2m_wait_left(ch, (unsigned)__builtin_ctz(set)));
    }
    return due;
}

uint64_t clock_due(const struct chip *chip)
{
    uint64_t due = CLOCK_NEVER;

    FOR_EACH_TIMED(chip, e)
    {
        const struct channel *ch = &chip->channels[e];

        due = min_u64(due, buffers_due(ch));
        due = min_u64(due, limiter_due(ch));
        due = min_u64(due, coal_due(ch));
        due = min_u64(due, udma_gen_due(ch));
    }
    return due;
}

void clock_pass(struct chip *chip, uint64_t clocks)
{
    if (clocks == 0) {
        return;
    }
    chip->clock += clocks; /* wraps by design: waits are differences */
    FOR_EACH_TIMED(chip, e)
    {
        struct channel *ch = &chip->channels[e];

        for (uint32_t set = ch->starved; set; set &= set - 1) {
            s2m_wait_pass(ch, (unsigned)__builtin_ctz(set), clocks);
        }
        limiter_pass(ch, clocks);
        coal_pass(ch, clocks);
    }
}

bool clock_expire(struct chip *chip, uint64_t *units, unsigned *looks)
{
    bool fired = false;

    FOR_EACH_TIMED(chip, e)
    {
        struct channel *ch = &chip->channels[e];

        fired |= engine_expire(ch, units);
        fired |= limiter_expire(ch);
        fired |= coal_expire(ch);
        fired |= udma_gen_expire(ch);
        chip->timed[e / 64] &= ~(UINT64_C(1) << e % 64);
        channel_timed(ch);
        ++*looks;
    }
    return fired;
}
