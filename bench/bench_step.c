/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A collective step beside memcpy of its data, and what it takes to start the
 * engines of all NeuronCores by broadcast and one by one.
 */
#include <stdio.h>
#include <string.h>

#include <trench/soc.h>
#include <trench/step.h>

#include "bench.h"
#include "chip.h"

#define BYTES  ((size_t)1 << 20)
#define SPREAD ((size_t)256 << 20) /* for a step that is not in a cache */
#define SRC    UINT64_C(0x200000000)
#define DST    UINT64_C(0x4200000000)
#define STEPS  16 /* of a sample */

struct rig {
    struct bench_chip chip;
    struct trench_copy copies[CHIP_ALL];
    struct trench_step_work work[CHIP_ALL];
    struct trench_ncfw_plan_conf bundles[CHIP_ALL / CHIP_CORE];
};

static const struct trench_step_sema done = { TRENCH_SYNC_TOP_SP, 0, 16 };

static void die(const char *what)
{
    fprintf(stderr, "bench: %s\n", what);
    exit(1);
}

/* Build a step of so many engines, run it, and take it apart again. */
static void run_step(struct rig *rig, unsigned nr, uint64_t at,
                     bool no_broadcast)
{
    const struct trench_step_rings_conf rc = { .ops = trench_hal_bus_ops(),
                                               .opaque = rig->chip.rings,
                                               .work = rig->work,
                                               .nr_work = nr,
                                               .done = done };
    struct trench_step_rings *rings;
    struct trench_step_entry entry;
    size_t nr_parts;
    const struct trench_step_block block = { .bundles = rig->bundles,
                                             .nr_bundles = nr / CHIP_CORE,
                                             .entries = &entry,
                                             .nr_entries = 1 };
    const struct trench_step_conf conf = { .ops = trench_hal_bus_ops(),
                                           .opaque = rig->chip.rings,
                                           .blocks = &block,
                                           .nr_blocks = 1,
                                           .manager_engine = CHIP_MANAGER,
                                           .done = done,
                                           .no_broadcast = no_broadcast,
                                           .polls = 1 };
    const uint32_t len = (uint32_t)(BYTES / nr);
    struct trench_step *step;

    for (unsigned e = 0; e < nr; e++) {
        rig->copies[e] =
            (struct trench_copy){ SRC + at + e * len, DST + at + e * len, len,
                                  TRENCH_BARRIER_NONE };
        rig->work[e] = (struct trench_step_work){ .engine = (uint16_t)e,
                                                  .copies = &rig->copies[e],
                                                  .nr_copies = 1 };
    }
    if (trench_step_rings_create(&rc, &rings)) {
        die("rings refused");
    }
    entry = *trench_step_rings_entries(rings, &nr_parts);
    for (unsigned b = 0; b < nr / CHIP_CORE; b++) {
        rig->bundles[b] = (struct trench_ncfw_plan_conf){
            .bundle = 4 * (b % 2),
            .first_engine = b / 2 * 2 * CHIP_CORE,
            .channels = trench_step_rings_channels(rings) + b * CHIP_CORE,
            .nr_channels = CHIP_CORE,
        };
    }
    if (trench_step_create(&conf, &step, NULL) ||
        trench_bus_write32(rig->chip.bus, rig->chip.trigger, 1) ||
        trench_step_run(step, NULL, NULL)) {
        die("step failed");
    }
    trench_step_destroy(step);
    trench_step_rings_destroy(rings);
}

/* Steps beside memcpy, over the same bytes; spread 0 = always the same. */
static void bench_data(struct rig *rig, const char *name, size_t spread)
{
    const size_t size = spread ? spread : BYTES;
    const size_t window_bytes = spread ? STEPS * BYTES : BYTES;
    uint8_t *src = trench_bus_host(rig->chip.bus, SRC, size);
    uint8_t *dst = trench_bus_host(rig->chip.bus, DST, size);
    double plain[BENCH_REPEATS];
    double model[BENCH_REPEATS];
    double p, m;

    for (size_t i = 0; i < size; i++) {
        src[i] = (uint8_t)(i * 2654435761u >> 13);
    }
    for (int r = -1; r < BENCH_REPEATS; r++) {
        size_t first = spread ? (size_t)(r + 1) * STEPS * BYTES % size : 0;
        uint8_t *window = dst + first;
        double t;

        memset(window, 0, window_bytes);
        t = bench_now();
        for (size_t i = 0; i < STEPS; i++) {
            size_t at = spread ? first + i * BYTES : 0;

            memcpy(dst + at, src + at, BYTES);
        }
        plain[r < 0 ? 0 : r] = (bench_now() - t) / STEPS * 1e6;
        memset(window, 0, window_bytes);
        t = bench_now();
        for (size_t i = 0; i < STEPS; i++) {
            run_step(rig, CHIP_CORE, spread ? first + i * BYTES : 0, false);
        }
        model[r < 0 ? 0 : r] = (bench_now() - t) / STEPS * 1e6;
        if (memcmp(src + first, window, window_bytes) != 0) {
            die("data differs (step)");
        }
    }
    p = bench_quantile(plain, BENCH_REPEATS, 0.5);
    m = bench_quantile(model, BENCH_REPEATS, 0.5);
    printf("memcpy of 1 MiB %s,us,%.4g,%.4g,\n", name, p,
           bench_quantile(plain, BENCH_REPEATS, 0.99));
    printf("step of 16 engines and 1 MiB %s,us,%.4g,%.4g,%.3f\n", name, m,
           bench_quantile(model, BENCH_REPEATS, 0.99), m / p);
}

/* Register writes of software, from the trigger to completion. */
static uint64_t count_writes(struct rig *rig, bool no_broadcast)
{
    struct trench_bus_stats before, after;

    memset(trench_bus_host(rig->chip.bus, DST, BYTES), 0, BYTES);
    trench_bus_stats(rig->chip.bus, &before);
    run_step(rig, CHIP_ALL, 0, no_broadcast);
    trench_bus_stats(rig->chip.bus, &after);
    if (memcmp(trench_bus_host(rig->chip.bus, SRC, BYTES),
               trench_bus_host(rig->chip.bus, DST, BYTES), BYTES) != 0) {
        die("data differs (128 engines)");
    }
    return after.writes - before.writes;
}

void bench_step(void)
{
    static struct rig rig;
    uint64_t group, single;

    bench_chip_open(&rig.chip);
    bench_data(&rig, "in cache", 0);
    bench_data(&rig, "in memory", SPREAD);
    single = count_writes(&rig, true);
    group = count_writes(&rig, false);
    printf("bus writes of a step of 128 engines one by one,1,%u,%u,\n",
           (unsigned)single, (unsigned)single);
    printf("bus writes of a step of 128 engines by broadcast,1,%u,%u,%.3f\n",
           (unsigned)group, (unsigned)group, (double)single / (double)group);
    fflush(stdout);
    bench_chip_close(&rig.chip);
}
