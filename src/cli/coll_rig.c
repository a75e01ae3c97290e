/* SPDX-License-Identifier: BSD-3-Clause */
/* Chips for collectives: engines opened by the driver, and buffers in HBM. */
#include "coll.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The last part of the first HBM is for rings; costs what is touched. */
#define RINGS_BYTES (UINT64_C(8) << 30)
/* The host's rings, which nobody uses, are as short as may be. */
#define RING_ENTRIES 32u
#define HOST_BYTES   (UINT64_C(1) << 20)
#define ALIGN        (UINT64_C(2) << 20)
/* Buffers begin at different lines of a cache. */
#define STAGGER 4416u

static int fail(const struct coll_run *run, const char *what, int err)
{
    cli_error(run->opts->prog, "%s: %s", what, trench_strerror(err));
    return -1;
}

static void log_line(void *opaque, enum trench_log_level level,
                     const char *line)
{
    const struct coll_run *run = opaque;

    if (level == TRENCH_LOG_ERROR || run->opts->verbose) {
        fprintf(stderr, "%s: %s\n", run->opts->prog, line);
    }
}

/* ---- engines ------------------------------------------------------------- */

static int open_engine(struct coll_run *run, struct coll_chip *chip,
                       unsigned engine, unsigned nr_queues)
{
    const struct trench_gen *gen = run->opts->common.gen;
    struct trench_hal_engine_conf conf = { .ops = trench_hal_bus_ops(),
                                           .opaque = chip->hbm,
                                           .gen = gen };
    struct trench_hal_engine *hal;
    int err = trench_gen_engine_base(gen, engine, false, &conf.base);

    if (!err && gen->bcast_lanes == 0) {
        err = trench_gen_block_base(gen, engine, TRENCH_BLOCK_TDMA_MODEL, false,
                                    &conf.app_base);
    }
    if (!err) {
        err = trench_hal_engine_open(&conf, &hal);
    }
    if (err) {
        return err;
    }
    chip->engines[chip->nr_engines++] = hal;
    for (unsigned q = 0; q < nr_queues && !err; q++) {
        const struct trench_hal_queue_conf queue = { .index = q,
                                                     .tx_entries = RING_ENTRIES,
                                                     .no_comp_rings = true };

        err =
            trench_hal_queue_open(hal, &queue, &chip->queues[chip->nr_queues]);
        chip->nr_queues += !err;
    }
    return err;
}

/* The engines of the ranks, and the manager. */
static int open_engines(struct coll_run *run, struct coll_chip *chip)
{
    const struct coll_opts *o = run->opts;
    const struct trench_gen *gen = o->common.gen;
    unsigned nr = run->chip_ranks * o->engines;
    int err = 0;

    chip->engines = calloc(nr + 1, sizeof(struct trench_hal_engine *));
    chip->queues =
        calloc((size_t)nr * o->queues + 1, sizeof(struct trench_hal_queue *));
    if (!chip->engines || !chip->queues) {
        return TRENCH_ERR_NOMEM;
    }
    for (unsigned i = 0; i < nr && !err; i++) {
        unsigned core = i / o->engines;

        err = open_engine(run, chip,
                          core * gen->engines_per_core + i % o->engines,
                          o->queues);
    }
    return err ? err : open_engine(run, chip, gen->nr_engines - 1u, 1);
}

/* ---- chips --------------------------------------------------------------- */

static const struct trench_gen_mem *hbm_at(const struct trench_gen *gen,
                                           unsigned n)
{
    for (size_t i = 0; i < gen->nr_mems; i++) {
        if (gen->mems[i].kind == TRENCH_MEM_HBM && n-- == 0) {
            return &gen->mems[i];
        }
    }
    return NULL;
}

static unsigned count_hbm(const struct trench_gen *gen)
{
    unsigned n = 0;

    while (hbm_at(gen, n)) {
        n++;
    }
    return n;
}

static int open_chip(struct coll_run *run, unsigned c)
{
    const struct trench_gen_mem *mem = hbm_at(run->opts->common.gen, 0);
    struct coll_chip *chip = &run->chips[c];
    int err;

    chip->soc = trench_pod_soc(run->pod, c);
    err = trench_hal_bus_create(trench_soc_bus(chip->soc),
                                mem->base + mem->size_bytes - RINGS_BYTES,
                                RINGS_BYTES, &chip->hbm);
    if (!err) {
        err = open_engines(run, chip);
    }
    run->at[c] = (struct trench_coll_chip){ trench_hal_bus_ops(), chip->hbm };
    return err;
}

int coll_open(const struct coll_opts *opts, struct coll_run *run)
{
    struct trench_pod_conf conf = { .nr_chips = opts->chips };
    size_t nr_bufs = (size_t)opts->ranks * TRENCH_NR_COLL_BUFS;
    int err;

    memset(run, 0, sizeof(*run));
    run->opts = opts;
    run->chip_ranks = opts->ranks / opts->chips;
    run->chips = calloc(opts->chips, sizeof(*run->chips));
    run->at = calloc(opts->chips, sizeof(*run->at));
    run->bufs = calloc(nr_bufs, sizeof(*run->bufs));
    run->host = calloc(nr_bufs, sizeof(*run->host));
    run->inputs = calloc(opts->ranks, sizeof(*run->inputs));
    if (!run->chips || !run->at || !run->bufs || !run->host || !run->inputs) {
        return fail(run, "chips", TRENCH_ERR_NOMEM);
    }
    conf.soc.gen = opts->common.gen;
    conf.soc.host_bytes = HOST_BYTES;
    conf.soc.log = log_line;
    conf.soc.log_opaque = run;
    err = trench_pod_create(&conf, &run->pod);
    if (err) {
        return fail(run, opts->chips > 1 ? "chips" : "chip", err);
    }
    for (unsigned c = 0; c < opts->chips; c++) {
        err = open_chip(run, c);
        if (err) {
            return fail(run, "engines", err);
        }
    }
    return cli_faults_inject(opts->prog, run->chips[0].soc, &opts->faults);
}

static void close_chip(struct coll_chip *chip)
{
    for (unsigned i = 0; i < chip->nr_queues; i++) {
        trench_hal_queue_close(chip->queues[i]);
    }
    for (unsigned i = 0; i < chip->nr_engines; i++) {
        trench_hal_engine_close(chip->engines[i]);
    }
    free(chip->queues);
    free(chip->engines);
    trench_hal_bus_destroy(chip->hbm);
}

void coll_close(struct coll_run *run)
{
    for (unsigned c = 0; run->chips && c < run->opts->chips; c++) {
        close_chip(&run->chips[c]);
    }
    for (unsigned r = 0; run->inputs && r < run->opts->ranks; r++) {
        free(run->inputs[r]);
    }
    trench_pod_destroy(run->pod);
    free(run->inputs);
    free(run->host);
    free(run->bufs);
    free(run->at);
    free(run->chips);
}

/* ---- buffers ------------------------------------------------------------- */

/* Places in the HBMs of one chip that are taken. */
struct cursor {
    uint64_t used[16];
};

/* A rank's HBM is one of the chip's, which neighbours share. */
static int place_buffer(struct coll_run *run, unsigned rank, unsigned buf,
                        uint64_t size, struct cursor *cursor)
{
    const struct trench_gen *gen = run->opts->common.gen;
    unsigned core = rank % run->chip_ranks;
    unsigned n = core * count_hbm(gen) / gen->nr_cores;
    const struct trench_gen_mem *mem = hbm_at(gen, n);
    uint64_t room = mem->size_bytes - (n == 0 ? RINGS_BYTES : 0);
    size_t i = (size_t)rank * TRENCH_NR_COLL_BUFS + buf;
    uint64_t at = cursor->used[n] +
                  (rank * TRENCH_NR_COLL_BUFS + buf) % 64 * (uint64_t)STAGGER;

    if (size > room || at > room - size) {
        cli_error(run->opts->prog,
                  "buffers of %s do not fit in %s of %s beside the others",
                  cli_human((double)size).s, mem->name, gen->name);
        return -1;
    }
    run->bufs[i] = mem->base + at;
    run->host[i] =
        trench_bus_host(trench_soc_bus(run->chips[rank / run->chip_ranks].soc),
                        run->bufs[i], size ? size : 1);
    cursor->used[n] +=
        (size + 64 * (uint64_t)STAGGER + ALIGN - 1) / ALIGN * ALIGN;
    return run->host[i] ? 0 : fail(run, mem->name, TRENCH_ERR_FAULT);
}

/* Of input and output that share memory one is a part of the other. */
static void share(struct coll_run *run,
                  const struct trench_coll_schedule *sched, unsigned rank,
                  unsigned esize)
{
    size_t first = (size_t)rank * TRENCH_NR_COLL_BUFS;
    bool in_is_larger = trench_coll_size(sched, TRENCH_COLL_IN) >
                        trench_coll_size(sched, TRENCH_COLL_OUT);
    size_t large = first + (in_is_larger ? TRENCH_COLL_IN : TRENCH_COLL_OUT);
    size_t small = first + (in_is_larger ? TRENCH_COLL_OUT : TRENCH_COLL_IN);
    uint64_t at = trench_coll_shared_at(sched, rank) * esize;

    run->bufs[small] = run->bufs[large] + at;
    run->host[small] = run->host[large] + at;
}

uint64_t coll_machine_bytes(void)
{
    return (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE);
}

/*
 * All buffers, and the inputs that results are judged by. Memory that is
 * touched and is not there ends the program without a word.
 */
static int check_memory(const struct coll_run *run,
                        const struct trench_coll_schedule *sched,
                        unsigned esize)
{
    double have = (double)coll_machine_bytes();
    double need = (double)trench_coll_size(sched, TRENCH_COLL_IN) * esize;

    for (unsigned b = 0; b < TRENCH_NR_COLL_BUFS; b++) {
        need +=
            (double)trench_coll_size(sched, (enum trench_coll_buf)b) * esize;
    }
    need *= run->opts->ranks;
    if (need > have) {
        cli_error(run->opts->prog,
                  "this takes %s of memory, and the machine has %s",
                  cli_human(need).s, cli_human(have).s);
        return -1;
    }
    return 0;
}

int coll_lay_out(struct coll_run *run, const struct trench_coll_schedule *sched,
                 enum trench_dtype type, bool in_place)
{
    unsigned esize = trench_dtype_bytes(type);
    struct cursor cursor;

    for (unsigned r = 0; r < run->opts->ranks; r++) {
        if (r % run->chip_ranks == 0) {
            memset(&cursor, 0, sizeof(cursor));
        }
        for (unsigned b = 0; b < TRENCH_NR_COLL_BUFS; b++) {
            uint64_t size =
                trench_coll_size(sched, (enum trench_coll_buf)b) * esize;

            if (place_buffer(run, r, b, size, &cursor) < 0) {
                return -1;
            }
        }
        if (in_place) {
            share(run, sched, r, esize);
        }
    }
    return check_memory(run, sched, esize);
}
