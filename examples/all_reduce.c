/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A ring all-reduce of four NeuronCores: each begins with 1000 numbers, and
 * ends with the sums of all four.
 *
 *     cc all_reduce.c $(pkg-config --cflags --libs trench) && ./a.out
 */
#include <stdio.h>
#include <stdlib.h>

#include <trench/coll_job.h>
#include <trench/soc.h>

#define RANKS       4u
#define ENGINES     2u /* of each rank */
#define COUNT       1000u
#define BUFFER_STEP UINT64_C(0x10000) /* from buffer to buffer, in HBM 0 */
#define RINGS       UINT64_C(0x10000000)
#define RINGS_SIZE  UINT64_C(0x1000000)

struct chip {
    struct trench_soc *soc;
    struct trench_bus *bus;
    struct trench_hal_bus *hb; /* memory for rings, and access */
    struct trench_hal_engine *engines[RANKS * ENGINES + 1];
    struct trench_hal_queue *queues[RANKS * ENGINES + 1];
    unsigned manager; /* the engine that reprograms the others */
};

/* Leave with a message if a step failed; negative values are errors. */
static void check(int ret, const char *step)
{
    if (ret < 0) {
        fprintf(stderr, "%s: %s\n", step, trench_strerror(ret));
        exit(EXIT_FAILURE);
    }
}

/* The host opens an engine; its rings are not used, the steps have theirs. */
static void open_engine(struct chip *chip, unsigned i, unsigned engine)
{
    const struct trench_gen *gen = trench_soc_gen(chip->soc);
    struct trench_hal_engine_conf conf = { .gen = gen,
                                           .ops = trench_hal_bus_ops(),
                                           .opaque = chip->hb };
    const struct trench_hal_queue_conf queue = { .tx_entries = 32,
                                                 .no_comp_rings = true };

    check(trench_gen_engine_base(gen, engine, false, &conf.base), "engine");
    check(trench_hal_engine_open(&conf, &chip->engines[i]), "open an engine");
    check(trench_hal_queue_open(chip->engines[i], &queue, &chip->queues[i]),
          "open a queue");
}

static void open_chip(struct chip *chip)
{
    const struct trench_gen *gen;

    check(trench_soc_create(NULL, &chip->soc), "create the chip");
    chip->bus = trench_soc_bus(chip->soc);
    check(trench_hal_bus_create(chip->bus, RINGS, RINGS_SIZE, &chip->hb),
          "bind the bus");
    gen = trench_soc_gen(chip->soc);
    chip->manager = gen->nr_engines - 1u;
    for (unsigned i = 0; i < RANKS * ENGINES; i++) {
        open_engine(chip, i, i / ENGINES * gen->engines_per_core + i % ENGINES);
    }
    open_engine(chip, RANKS * ENGINES, chip->manager);
}

static void close_chip(struct chip *chip)
{
    for (unsigned i = 0; i <= RANKS * ENGINES; i++) {
        trench_hal_queue_close(chip->queues[i]);
        trench_hal_engine_close(chip->engines[i]);
    }
    trench_hal_bus_destroy(chip->hb);
    trench_soc_destroy(chip->soc);
}

/* Schedule, job, run. */
static void all_reduce(struct chip *chip, const uint64_t *bufs)
{
    const struct trench_coll_conf what = { .op = TRENCH_COLL_ALL_REDUCE,
                                           .algo = TRENCH_COLL_RING,
                                           .ranks = RANKS,
                                           .count = COUNT };
    const struct trench_coll_chip at = { trench_hal_bus_ops(), chip->hb };
    struct trench_coll_job_conf conf = { .ranks = RANKS,
                                         .chips = &at,
                                         .bufs = bufs,
                                         .type = TRENCH_DTYPE_FP32,
                                         .op = TRENCH_CCE_ADD,
                                         .engines = ENGINES,
                                         .manager_engine = chip->manager,
                                         .polls = 16 };
    struct trench_coll_schedule *schedule;
    struct trench_coll_job *job;
    struct trench_coll_job_error err;
    struct trench_coll_job_info info;

    check(trench_coll_create(&what, &schedule), "make the schedule");
    conf.schedule = schedule;
    check(trench_coll_job_create(&conf, &job, NULL), "lay the rings");
    trench_coll_job_info(job, &info);
    printf("%zu steps, %u copies and %u reductions\n", info.parts,
           (unsigned)info.copies, (unsigned)info.reduces);
    if (trench_coll_job_run(job, NULL, &err) < 0) {
        fprintf(stderr, "chip %d: %s\n", err.chip, err.step.text);
        exit(EXIT_FAILURE);
    }
    trench_coll_job_destroy(job);
    trench_coll_destroy(schedule);
}

int main(void)
{
    uint64_t bufs[RANKS * TRENCH_NR_COLL_BUFS];
    float data[COUNT];
    struct chip chip;

    open_chip(&chip);
    for (unsigned i = 0; i < RANKS * TRENCH_NR_COLL_BUFS; i++) {
        bufs[i] = i * BUFFER_STEP;
    }
    for (unsigned r = 0; r < RANKS; r++) { /* rank r has r, r + 1, r + 2, ... */
        for (unsigned i = 0; i < COUNT; i++) {
            data[i] = (float)(r + i);
        }
        check(trench_bus_write(chip.bus, TRENCH_BUS_SOFTWARE,
                               bufs[r * TRENCH_NR_COLL_BUFS + TRENCH_COLL_IN],
                               data, sizeof(data)),
              "write an input");
    }
    all_reduce(&chip, bufs);
    for (unsigned r = 0; r < RANKS; r++) {
        check(trench_bus_read(chip.bus, TRENCH_BUS_SOFTWARE,
                              bufs[r * TRENCH_NR_COLL_BUFS + TRENCH_COLL_OUT],
                              data, sizeof(data)),
              "read a result");
        for (unsigned i = 0; i < COUNT; i++) {
            if (data[i] != (float)(6 + 4 * i)) {
                fprintf(stderr, "rank %u: element %u is %g\n", r, i,
                        (double)data[i]);
                return EXIT_FAILURE;
            }
        }
    }
    printf("element 999 of each rank is now %g\n", (double)data[COUNT - 1]);
    close_chip(&chip);
    return EXIT_SUCCESS;
}
