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

/* The first runnable engine from a number on, and then from 0 on; has_work().
 */
static unsigned next_runnable(const struct chip *chip, unsigned from)
{
    size_t words = ARRAY_LEN(chip->runnable);
    size_t w = from / 64;
    uint64_t set = chip->runnable[w] & ~UINT64_C(0) << from % 64;

    while (!set) {
        w = (w + 1) % words;
        set = chip->runnable[w];
    }
    return (unsigned)(w * 64) + (unsigned)__builtin_ctzll(set);
}

/*
 * Engines in ascending order, again while they keep each other busy. Where
 * the budget ends is where the next run begins, so that an engine which feeds
 * itself leaves room for the others.
 */
static uint64_t chip_run(struct chip *chip, uint64_t budget)
{
    uint64_t spent = 0;

    while (has_work(chip)) {
        struct channel *ch;
        unsigned e;

        if (spent >= budget) {
            return spent;
        }
        e = next_runnable(chip, chip->next);
        ch = &chip->channels[e];
        chip->runnable[e / 64] &= ~(UINT64_C(1) << e % 64);
        spent += engine_run(ch, budget - spent);
        if (ch->active != 0 || ch->intr.sending) {
            channel_runnable(ch);
        }
        chip->next = (e + 1) % CHIP_MAX_ENGINES;
    }
    chip->next = 0;
    chip->pod->posted &= ~chip->bit;
    return spent;
}

/* The first chip of a set from a number on, and then from 0 on. */
static unsigned next_posted(uint64_t set, unsigned from)
{
    uint64_t later = set & ~UINT64_C(0) << from;

    return (unsigned)__builtin_ctzll(later ? later : set);
}

/* The same with chips: no stack grows however they keep each other busy. */
static uint64_t pod_work(struct pod *pod, uint64_t chips, uint64_t budget)
{
    uint64_t spent = 0;

    pod->running = true;
    while (spent < budget && (pod->posted & chips)) {
        unsigned n = next_posted(pod->posted & chips, pod->next);

        spent += chip_run(pod->chips[n], budget - spent);
        pod->next = n + 1 < pod->nr ? n + 1 : 0;
    }
    if (!pod->posted) {
        pod->next = 0;
    }
    pod->running = false;
    return spent;
}

/* Work that no register access has told of. */
static void pod_look(struct pod *pod)
{
    for (unsigned n = 0; n < pod->nr; n++) {
        if (has_work(pod->chips[n])) {
            pod->posted |= pod->chips[n]->bit;
        }
    }
}

uint64_t pod_run(struct pod *pod, uint64_t chips, uint64_t budget)
{
    uint64_t spent;

    if (pod->running) {
        return 0;
    }
    pod_look(pod);
    spent = pod_work(pod, chips, budget);
    if (pod->rises) {
        vector_deliver(pod);
    }
    return spent;
}

static void count_stops(struct pod *pod)
{
    for (uint64_t set = pod->posted; set; set &= set - 1) {
        pod->chips[__builtin_ctzll(set)]->budget_stops++;
    }
}

/* The same when an access has told of work of a chip: mostly its alone. */
static void chip_work(struct chip *chip)
{
    struct pod *pod = chip->pod;
    uint64_t spent = 0;

    if (pod->posted == chip->bit) {
        pod->running = true;
        spent = chip_run(chip, pod->budget);
        pod->running = false;
        if (!pod->posted) {
            return;
        }
        pod->next = ((unsigned)__builtin_ctzll(chip->bit) + 1) % pod->nr;
    }
    pod_work(pod, ~UINT64_C(0), pod->budget - min_u64(spent, pod->budget));
    count_stops(pod);
}

void chip_poke(struct chip *chip)
{
    struct pod *pod = chip->pod;

    if (has_work(chip)) {
        pod->posted |= chip->bit;
    }
    if (pod->running) {
        return;
    }
    if (pod->posted && !pod->stepped) {
        chip_work(chip);
    }
    if (pod->rises) {
        vector_deliver(pod);
    }
}

/* ---- time --------------------------------------------------------------- */

static uint64_t pod_due(const struct pod *pod)
{
    uint64_t due = CLOCK_NEVER;

    for (unsigned n = 0; n < pod->nr; n++) {
        due = min_u64(due, clock_due(pod->chips[n]));
    }
    return due;
}

static void pod_pass(struct pod *pod, uint64_t clocks)
{
    for (unsigned n = 0; n < pod->nr; n++) {
        clock_pass(pod->chips[n], clocks);
    }
}

/* Engines that are looked at in the time of a unit of work, about. */
#define LOOKS_PER_UNIT 8u

static bool pod_expire(struct pod *pod, uint64_t *units)
{
    bool fired = false;
    unsigned looks = 0;

    pod->running = true; /* completions may land in registers */
    for (unsigned n = 0; n < pod->nr; n++) {
        fired |= clock_expire(pod->chips[n], units, &looks);
    }
    pod->running = false;
    *units += looks / LOOKS_PER_UNIT;
    return fired;
}

void pod_advance(struct pod *pod, uint64_t clocks)
{
    uint64_t budget = pod->stepped ? 0 : pod->budget;
    bool fired;

    if (pod->running) {
        return; /* an access hook: the clock stands still meanwhile */
    }
    do {
        uint64_t units, step;

        pod_look(pod);
        units = pod_work(pod, ~UINT64_C(0), budget);
        step = min_u64(pod_due(pod), clocks);
        pod_pass(pod, step);
        clocks -= step;
        fired = pod_expire(pod, &units);
        budget -= min_u64(units, budget);
    } while (clocks > 0 || fired);
    pod_look(pod);
    if (!pod->stepped) {
        count_stops(pod);
    }
    if (pod->rises) {
        vector_deliver(pod);
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
