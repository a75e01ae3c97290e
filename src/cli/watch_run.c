/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Copies, round by round, with a look at the channels after each round.
 *
 * A queue that fails stays as it is, so that the view shows how it stands: no
 * more copies, and its error causes are not taken.
 */
#include "watch.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <trench/bus.h>
#include <trench/csr.h>

#include "pattern.h"
#include "rig.h"
#include "watch_snap.h"

#define BUF_ALIGN     UINT64_C(64)
#define NOTE_BYTES    UINT64_C(4096) /* of a notification queue */
#define NOTE_QUEUE    0u
#define TIMEOUT_NS    UINT64_C(200000000)
#define NS_PER_MS     UINT64_C(1000000)
#define NS_PER_SECOND UINT64_C(1000000000)

struct run {
    struct watch w;
    struct cli_rig rig;
    struct watch_copies copies;
    uint64_t stride; /* one buffer to the next */
    uint64_t random;
};

/* ---- notifications ------------------------------------------------------- */

struct setting {
    enum trench_block_id block;
    const char *reg;
    unsigned index;
    uint32_t value;
};

static int set_register(const struct run *run, unsigned engine,
                        const struct setting *s)
{
    const char *block = trench_csr_block_name(s->block);
    uint64_t addr;
    int err;

    if (!watch_find(run->rig.soc, engine, s->block, s->reg, s->index, &addr)) {
        cli_error(run->w.prog, "the model of %s has no %s.%s",
                  run->w.options->common.gen->name, block, s->reg);
        return -1;
    }
    err = trench_bus_write32(trench_soc_bus(run->rig.soc), addr, s->value);
    if (err < 0) {
        cli_error(run->w.prog, "engine %u: %s.%s: %s", engine, block, s->reg,
                  trench_strerror(err));
    }
    return err;
}

static int set_registers(const struct run *run, unsigned engine,
                         const struct setting *settings, size_t nr)
{
    for (size_t i = 0; i < nr; i++) {
        if (set_register(run, engine, &settings[i]) < 0) {
            return -1;
        }
    }
    return 0;
}

/* Every packet of a queue is told of. */
static int arm_queue(const struct run *run, unsigned engine, unsigned q)
{
    const struct setting settings[] = {
        { TRENCH_BLOCK_TDMA_MODEL, "notific_cfg_per_queue.m2s_sw_queue", q,
          NOTE_QUEUE },
        { TRENCH_BLOCK_TDMA_MODEL, "notific_cfg_per_queue.s2m_sw_queue", q,
          NOTE_QUEUE },
        { TRENCH_BLOCK_TDMA_MODEL, "notific_cfg_per_queue.m2s_trigger", q,
          1u << 16 },
        { TRENCH_BLOCK_TDMA_MODEL, "notific_cfg_per_queue.s2m_trigger", q,
          1u << 16 },
    };

    return set_registers(run, engine, settings, CLI_ARRAY_LEN(settings));
}

/* The ring of an engine stands behind all buffers of the destination. */
static int arm_engine(const struct run *run, unsigned slot)
{
    uint64_t ring =
        run->rig.dst.addr + run->rig.nr_pairs * run->stride + slot * NOTE_BYTES;
    const struct setting settings[] = {
        { TRENCH_BLOCK_NOTIFIC_10_QUEUE, "notific_nq.base_addr_hi", NOTE_QUEUE,
          (uint32_t)(ring >> 32) },
        { TRENCH_BLOCK_NOTIFIC_10_QUEUE, "notific_nq.base_addr_lo", NOTE_QUEUE,
          (uint32_t)ring },
        { TRENCH_BLOCK_NOTIFIC_10_QUEUE, "notific_nq.size", NOTE_QUEUE,
          (uint32_t)NOTE_BYTES },
        { TRENCH_BLOCK_NOTIFIC_10_QUEUE, "notific.nq_enable", 0,
          1u << NOTE_QUEUE },
        { TRENCH_BLOCK_NOTIFIC_10_QUEUE, "notific.wr_buf_enable_lo", 0,
          UINT32_MAX },
    };

    return set_registers(run, run->rig.engines[slot].id, settings,
                         CLI_ARRAY_LEN(settings));
}

static int arm(const struct run *run)
{
    for (unsigned slot = 0; slot < run->rig.nr_engines; slot++) {
        if (arm_engine(run, slot) < 0) {
            return -1;
        }
    }
    for (unsigned i = 0; i < run->rig.nr_pairs; i++) {
        const struct cli_rig_pair *pair = &run->rig.pairs[i];

        if (arm_queue(run, run->rig.engines[pair->slot].id, pair->index) < 0) {
            return -1;
        }
    }
    return 0;
}

/* What has been shown is read: the next round begins with an empty queue. */
static int take_notes(const struct run *run)
{
    for (unsigned slot = 0; slot < run->rig.nr_engines; slot++) {
        struct watch_eye eye = { .soc = run->rig.soc,
                                 .engine = run->rig.engines[slot].id };
        const struct setting head = {
            TRENCH_BLOCK_NOTIFIC_10_QUEUE, "notific_nq.head_ptr", NOTE_QUEUE,
            watch_word(&eye, TRENCH_BLOCK_NOTIFIC_10_QUEUE,
                       "notific_nq.tail_ptr", NOTE_QUEUE)
        };

        if (set_register(run, eye.engine, &head) < 0) {
            return -1;
        }
    }
    return 0;
}

/* ---- copies -------------------------------------------------------------- */

static struct cli_pattern_run pattern_of(const struct run *run, uint8_t *buf,
                                         uint32_t key)
{
    return (struct cli_pattern_run){ .buf = buf,
                                     .len = run->w.options->bytes,
                                     .region = CLI_PATTERN_SRC_IN,
                                     .key = key };
}

static int copy(const struct run *run, unsigned n)
{
    struct trench_hal_queue *queue = run->rig.pairs[n].queue;
    uint64_t offset = n * run->stride;
    int err =
        trench_hal_copy(queue, run->rig.dst.addr + offset,
                        run->rig.src.addr + offset, run->w.options->bytes, 0);

    if (err >= 0) {
        err = trench_hal_submit(queue);
    }
    return err < 0 ? err : trench_hal_wait(queue, TIMEOUT_NS);
}

/* One copy of one queue, unless it has failed before. */
static void copy_once(struct run *run, unsigned n)
{
    struct watch_copier *copier = &run->copies.copier[n];
    uint64_t offset = n * run->stride;
    uint32_t key = (uint32_t)cli_random(&run->random);
    struct cli_pattern_run src =
        pattern_of(run, run->rig.src.host + offset, key);
    struct cli_pattern_run dst =
        pattern_of(run, run->rig.dst.host + offset, key);

    if (copier->err < 0) {
        return;
    }
    cli_pattern_fill(&src);
    copier->err = copy(run, n);
    if (copier->err < 0) {
        return;
    }
    if (cli_pattern_intact(&dst)) {
        copier->copies++;
    } else {
        copier->corrupt++;
    }
}

static bool all_right(const struct run *run)
{
    for (unsigned i = 0; i < run->copies.nr_copiers; i++) {
        if (run->copies.copier[i].err < 0 ||
            run->copies.copier[i].corrupt > 0) {
            return false;
        }
    }
    return true;
}

/* ---- rounds -------------------------------------------------------------- */

static void sleep_until(uint64_t ns)
{
    struct timespec at = { .tv_sec = (time_t)(ns / NS_PER_SECOND),
                           .tv_nsec = (long)(ns % NS_PER_SECOND) };

    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, NULL) ==
           EINTR) {
    }
}

/* @return an exit code. */
static int run_rounds(struct run *run)
{
    const struct watch_options *o = run->w.options;
    uint64_t next = cli_now_ns();

    for (;;) {
        for (uint32_t i = 0; i < o->iterations; i++) {
            for (unsigned n = 0; n < run->rig.nr_pairs; n++) {
                copy_once(run, n);
            }
        }
        run->w.round++;
        if (watch_show(&run->w) != CLI_OK) {
            return CLI_FAILED;
        }
        if (run->w.round == o->rounds) {
            return all_right(run) ? CLI_OK : CLI_FAILED;
        }
        if (o->notify && take_notes(run) < 0) {
            return CLI_FAILED;
        }
        next += o->interval_ms * NS_PER_MS;
        sleep_until(next);
    }
}

static int open_rig(struct run *run)
{
    const struct watch_options *o = run->w.options;
    struct cli_rig_conf conf = { 0 };

    run->stride = (o->bytes + BUF_ALIGN - 1) / BUF_ALIGN * BUF_ALIGN;
    conf.prog = run->w.prog;
    conf.gen = o->common.gen;
    conf.engines = &o->engine_set;
    conf.queues = &o->queue_set;
    conf.direction = o->direction;
    conf.ring_entries = cli_rig_ring_entries(o->bytes);
    conf.area_bytes =
        (uint64_t)o->engine_set.count * o->queue_set.count * run->stride +
        (o->notify ? o->engine_set.count * NOTE_BYTES : 0);
    return cli_rig_open(&conf, &run->rig);
}

static int prepare(struct run *run)
{
    const struct watch_options *o = run->w.options;

    if (open_rig(run) < 0) {
        return -1;
    }
    run->copies.nr_copiers = run->rig.nr_pairs;
    run->copies.copier = calloc(run->rig.nr_pairs, sizeof(*run->copies.copier));
    if (!run->copies.copier) {
        cli_error(run->w.prog, "out of memory");
        return -1;
    }
    for (unsigned i = 0; i < run->rig.nr_pairs; i++) {
        const struct cli_rig_pair *pair = &run->rig.pairs[i];

        run->copies.copier[i].engine = run->rig.engines[pair->slot].id;
        run->copies.copier[i].queue = pair->index;
    }
    if (o->notify && arm(run) < 0) {
        return -1;
    }
    return cli_faults_inject(run->rig.prog, run->rig.soc, &o->faults);
}

int watch_run_copies(const struct watch *w)
{
    struct run run = { .w = *w, .random = w->options->seed };
    int exit_code = CLI_FAILED;

    if (prepare(&run) == 0) {
        run.w.soc = run.rig.soc;
        run.w.engines = &w->options->engine_set;
        run.w.rig = &run.rig;
        run.w.copies = &run.copies;
        exit_code = run_rounds(&run);
    }
    free(run.copies.copier);
    cli_rig_close(&run.rig);
    return exit_code;
}
