/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Running a chip: register windows start its engines, and engines that give
 * each other work go on until there is none.
 */
#include "dev/chip.h"

#include "base/bits.h"
#include "dev/clock.h"
#include "dev/engine.h"
#include "dev/vector.h"

/* ---- running ------------------------------------------------------------ */

static bool has_work(const struct chip *chip)
{
    uint64_t any = 0;

    for (size_t i = 0; i < ARRAY_LEN(chip->runnable); i++) {
        any |= chip->runnable[i];
    }
    return any != 0;
}

/* The first runnable engine from a number on, and then from 0 on. */
static unsigned next_runnable(const struct chip *chip, unsigned from)
{
    size_t words = ARRAY_LEN(chip->runnable);
    uint64_t first = ~UINT64_C(0) << from % 64;

    for (size_t i = 0; i <= words; i++) {
        size_t w = (from / 64 + i) % words;
        uint64_t set = chip->runnable[w] & (i == 0 ? first : ~UINT64_C(0));

        if (set) {
            return (unsigned)(w * 64) + (unsigned)__builtin_ctzll(set);
        }
    }
    return CHIP_MAX_ENGINES;
}

/*
 * Engines in ascending order, again while they keep each other busy. Where
 * the budget ends is where the next run begins, so that an engine which feeds
 * itself leaves room for the others.
 */
uint64_t chip_run(struct chip *chip, uint64_t budget)
{
    uint64_t spent = 0;

    if (chip->running) {
        return 0;
    }
    chip->running = true;
    while (spent < budget) {
        unsigned e = next_runnable(chip, chip->next);
        struct channel *ch;

        if (e == CHIP_MAX_ENGINES) {
            chip->next = 0;
            break;
        }
        ch = &chip->channels[e];
        chip->runnable[e / 64] &= ~(UINT64_C(1) << e % 64);
        spent += engine_run(ch, budget - spent);
        if (ch->active != 0 || ch->intr.sending) {
            channel_runnable(ch);
        }
        chip->next = (e + 1) % CHIP_MAX_ENGINES;
    }
    chip->running = false;
    return spent;
}

void chip_poke(struct chip *chip)
{
    if (chip->running) {
        return;
    }
    if (!chip->stepped && has_work(chip)) {
        chip_run(chip, chip->budget);
        if (has_work(chip)) {
            chip->budget_stops++;
        }
    }
    if (chip->rises) {
        vector_deliver(chip);
    }
}

void chip_advance(struct chip *chip, uint64_t clocks)
{
    uint64_t budget = chip->stepped ? 0 : chip->budget;
    bool fired;

    if (chip->running) {
        return; /* an access hook: the clock stands still meanwhile */
    }
    do {
        uint64_t units = chip_run(chip, budget);
        uint64_t step = min_u64(clock_due(chip), clocks);

        clock_pass(chip, step);
        clocks -= step;
        fired = clock_expire(chip, &units);
        budget -= min_u64(units, budget);
    } while (clocks > 0 || fired);
    if (!chip->stepped && has_work(chip)) {
        chip->budget_stops++;
    }
    if (chip->rises) {
        vector_deliver(chip);
    }
}

/* ---- register windows --------------------------------------------------- */

static int unit_read32(void *opaque, uint64_t offset, uint32_t *val)
{
    struct unit *unit = opaque;

    chip_poke(unit->chip);
    *val = regfile_read(&unit->rf, (uint32_t)offset);
    return 0;
}

static int unit_write32(void *opaque, uint64_t offset, uint32_t val)
{
    struct unit *unit = opaque;

    if (unit->chip->apb_watch && unit->ch) {
        tdma_apb_write(unit, (uint32_t)offset);
    }
    regfile_write(&unit->rf, (uint32_t)offset, val);
    chip_poke(unit->chip);
    return 0;
}

const struct trench_bus_dev_ops chip_unit_ops = {
    .read32 = unit_read32,
    .write32 = unit_write32,
};
