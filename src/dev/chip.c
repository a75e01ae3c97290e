/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Running a chip: register windows start its engines, and engines that give
 * each other work go on until there is none.
 */
#include "dev/chip.h"

#include "base/bits.h"
#include "dev/engine.h"

/* ---- running ------------------------------------------------------------ */

static bool has_work(const struct chip *chip)
{
    uint64_t any = 0;

    for (size_t i = 0; i < ARRAY_LEN(chip->runnable); i++) {
        any |= chip->runnable[i];
    }
    return any != 0;
}

/* The engines in ascending order, again while they keep each other busy. */
uint64_t chip_run(struct chip *chip, uint64_t budget)
{
    uint64_t spent = 0;

    if (chip->running) {
        return 0;
    }
    chip->running = true;
    while (spent < budget && has_work(chip)) {
        for (size_t i = 0; i < ARRAY_LEN(chip->runnable); i++) {
            while (chip->runnable[i] && spent < budget) {
                unsigned bit = (unsigned)__builtin_ctzll(chip->runnable[i]);
                struct channel *ch = &chip->channels[i * 64 + bit];

                chip->runnable[i] &= ~(UINT64_C(1) << bit);
                spent += engine_run(ch, budget - spent);
                if (ch->active != 0) {
                    channel_runnable(ch);
                }
            }
        }
    }
    chip->running = false;
    return spent;
}

void chip_poke(struct chip *chip)
{
    if (chip->stepped || chip->running || !has_work(chip)) {
        return;
    }
    chip_run(chip, chip->budget);
    if (has_work(chip)) {
        chip->budget_stops++;
    }
}

void chip_advance(struct chip *chip, uint64_t clocks)
{
    chip->clock += clocks;
    chip->running = true; /* completions may land in registers */
    for (unsigned e = 0; e < chip->gen->nr_engines; e++) {
        if (chip->channels[e].starved) {
            engine_expire(&chip->channels[e], chip->clock);
        }
    }
    chip->running = false;
    chip_poke(chip);
}

/* ---- register windows --------------------------------------------------- */

static int unit_read32(void *opaque, uint64_t offset, uint32_t *val)
{
    struct regfile *rf = opaque;
    struct channel *ch = rf->owner;

    chip_poke(ch->chip);
    *val = regfile_read(rf, (uint32_t)offset);
    return 0;
}

static int unit_write32(void *opaque, uint64_t offset, uint32_t val)
{
    struct regfile *rf = opaque;
    struct channel *ch = rf->owner;

    regfile_write(rf, (uint32_t)offset, val);
    chip_poke(ch->chip);
    return 0;
}

const struct trench_bus_dev_ops chip_unit_ops = {
    .read32 = unit_read32,
    .write32 = unit_write32,
};
