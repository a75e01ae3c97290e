/* SPDX-License-Identifier: BSD-3-Clause */
/* A chip with open engines, and jobs of several steps for it. */
#ifndef TRENCH_TESTS_STEP_RIG_H
#define TRENCH_TESTS_STEP_RIG_H

#include <trench/access.h>
#include <trench/soc.h>
#include <trench/step.h>

#include "ncfw_rig.h"

#define M2S      TRENCH_NCFW_M2S
#define S2M      TRENCH_NCFW_S2M
#define ARENA    UINT64_C(0x4000000000) /* HBM_1 */
#define SIZE     UINT64_C(0x4000000)
#define SRC      UINT64_C(0x1000000)
#define DST      UINT64_C(0x3000000)
#define MANAGER  131
#define MAX_PAIR 128
#define POLLS    3

/* A chip, and what a test has opened on it. */
struct chip {
    const struct trench_gen *gen;
    struct trench_soc *soc;
    struct trench_bus *bus;
    struct trench_hal_bus *hb;
    struct trench_hal_engine *engines[40];
    unsigned nr_engines;
    struct trench_hal_queue *queues[MAX_PAIR + 1];
    unsigned nr_queues;
};

static const struct trench_step_sema done = { TRENCH_SYNC_TOP_SP, 0, 20 };

static inline void chip_init(struct chip *c, const struct trench_soc_conf *conf)
{
    memset(c, 0, sizeof(*c));
    CHECK_EQ(trench_soc_create(conf, &c->soc), 0, "soc");
    c->gen = trench_soc_gen(c->soc);
    c->bus = trench_soc_bus(c->soc);
    CHECK_EQ(trench_hal_bus_create(c->bus, c->gen->mems[1].base, SIZE, &c->hb),
             0, "hb");
}

static inline void chip_fini(struct chip *c)
{
    for (unsigned i = 0; i < c->nr_queues; i++) {
        trench_hal_queue_close(c->queues[i]);
    }
    for (unsigned i = 0; i < c->nr_engines; i++) {
        trench_hal_engine_close(c->engines[i]);
    }
    trench_hal_bus_destroy(c->hb);
    trench_soc_destroy(c->soc);
}

/* An engine with queues first .. first + nr - 1 enabled. */
static inline void open_engine(struct chip *c, unsigned engine, unsigned first,
                               unsigned nr, bool ignore_ring_id)
{
    struct trench_hal_engine_conf conf = { .ops = trench_hal_bus_ops(),
                                           .opaque = c->hb,
                                           .gen = c->gen,
                                           .ignore_ring_id = ignore_ring_id };

    CHECK_EQ(trench_gen_engine_base(c->gen, engine, false, &conf.base), 0,
             "base");
    if (c->gen->bcast_lanes == 0) {
        CHECK_EQ(trench_gen_block_base(c->gen, engine, TRENCH_BLOCK_TDMA_MODEL,
                                       false, &conf.app_base),
                 0, "app");
    }
    CHECK_EQ(trench_hal_engine_open(&conf, &c->engines[c->nr_engines]), 0,
             "engine %u", engine);
    for (unsigned q = first; q < first + nr; q++) {
        const struct trench_hal_queue_conf queue = { .index = q,
                                                     .tx_entries = 32,
                                                     .no_comp_rings = true };

        CHECK_EQ(trench_hal_queue_open(c->engines[c->nr_engines], &queue,
                                       &c->queues[c->nr_queues++]),
                 0, "engine %u", engine);
    }
    c->nr_engines++;
}

static inline uint32_t get(const struct chip *c, uint64_t addr)
{
    uint32_t val = 0;

    CHECK_EQ(trench_bus_read32(c->bus, addr, &val), 0, "read");
    return val;
}

static inline uint64_t bell_addr(const struct chip *c, enum trench_bell bell)
{
    uint64_t addr = 0;

    CHECK_EQ(trench_gen_bell_addr(c->gen, 0, bell, &addr), 0, "bell");
    return addr;
}

static inline void trigger(const struct chip *c)
{
    CHECK_EQ(
        trench_bus_write32(c->bus, bell_addr(c, TRENCH_BELL_HOST_TRIGGER), 1),
        0, "trigger");
}

static inline uint32_t sema(const struct chip *c, unsigned id)
{
    uint64_t addr = 0;

    CHECK_EQ(trench_gen_sync_addr(c->gen, TRENCH_SYNC_TOP_SP, 0,
                                  TRENCH_SYNC_READ, id, &addr),
             0, "sema");
    return get(c, addr);
}

/*
 * A job of several steps: pair p of step s copies len bytes from SRC to DST +
 * their place. Blocks, bundles and entries for all of them.
 */
#define MAX_STEPS 12

struct job {
    unsigned nr_steps;
    unsigned first; /* engine */
    unsigned nr_engines;
    unsigned queue; /* the first */
    unsigned nr_queues;
    uint32_t len;

    struct trench_copy copies[MAX_STEPS][MAX_PAIR][4];
    struct trench_step_work work[MAX_STEPS][MAX_PAIR];
    struct trench_step_rings *rings[MAX_STEPS];
    struct trench_ncfw_plan_conf bundles[MAX_STEPS][2];
    struct trench_step_entry entries[MAX_STEPS];
    struct trench_step_block blocks[MAX_STEPS];
    struct trench_step_conf conf;
};

static inline unsigned nr_pairs(const struct job *j)
{
    return j->nr_engines * j->nr_queues;
}

static inline uint64_t place(const struct job *j, unsigned step, unsigned pair)
{
    return (uint64_t)(step * nr_pairs(j) + pair) * j->len;
}

/* Copies of unequal number: the rest is padded. */
static inline void lay_work(struct job *j, unsigned s, unsigned p)
{
    unsigned parts = 1 + (s + p) % 3;
    uint32_t part = j->len / parts;

    for (unsigned i = 0; i < parts; i++) {
        uint64_t at = place(j, s, p) + i * part;

        j->copies[s][p][i] =
            (struct trench_copy){ SRC + at, DST + at,
                                  i + 1 < parts ? part : j->len - i * part,
                                  TRENCH_BARRIER_NONE };
    }
    j->work[s][p] = (struct trench_step_work){
        .engine = (uint16_t)(j->first + p / j->nr_queues),
        .queue = (uint8_t)(j->queue + p % j->nr_queues),
        .copies = j->copies[s][p],
        .nr_copies = parts,
    };
}

/* Engines of the first half in bundle 0, those of the second in bundle 4. */
static inline size_t lay_bundles(struct job *j, unsigned s)
{
    const struct trench_ncfw_channel *ch =
        trench_step_rings_channels(j->rings[s]);
    unsigned base = j->first / 32 * 32;
    size_t low = 0;
    size_t nr = 0;

    while (low < nr_pairs(j) && ch[low].engine - base < 16) {
        low++;
    }
    for (unsigned half = 0; half < 2; half++) {
        size_t count = half ? nr_pairs(j) - low : low;

        if (count > 0) {
            j->bundles[s][nr++] = (struct trench_ncfw_plan_conf){
                .bundle = 4 * half,
                .first_engine = base,
                .channels = half ? ch + low : ch,
                .nr_channels = count,
            };
        }
    }
    return nr;
}

static inline void job_init(struct job *j, struct chip *c)
{
    for (unsigned s = 0; s < j->nr_steps; s++) {
        const struct trench_step_rings_conf conf = {
            .ops = trench_hal_bus_ops(),
            .opaque = c->hb,
            .gen = c->gen,
            .work = j->work[s],
            .nr_work = nr_pairs(j),
            .done = done,
        };
        size_t nr;

        for (unsigned p = 0; p < nr_pairs(j); p++) {
            lay_work(j, s, p);
        }
        CHECK_EQ(trench_step_rings_create(&conf, &j->rings[s]), 0, "rings");
        j->entries[s] = *trench_step_rings_entries(j->rings[s], &nr);
        CHECK_EQ(nr, 1, "parts");
        j->blocks[s] =
            (struct trench_step_block){ .bundles = j->bundles[s],
                                        .nr_bundles = lay_bundles(j, s),
                                        .entries = &j->entries[s],
                                        .nr_entries = 1 };
    }
    j->conf = (struct trench_step_conf){
        .ops = trench_hal_bus_ops(),
        .opaque = c->hb,
        .gen = c->gen,
        .blocks = j->blocks,
        .nr_blocks = j->nr_steps,
        .manager_engine = c->gen->nr_engines - 1u,
        .done = done,
        .polls = POLLS,
    };
}

static inline void job_open(const struct job *j, struct chip *c)
{
    for (unsigned e = 0; e < j->nr_engines; e++) {
        open_engine(c, j->first + e, j->queue, j->nr_queues, false);
    }
    open_engine(c, c->gen->nr_engines - 1u, 0, 1, false);
}

static inline void job_fini(struct job *j)
{
    for (unsigned s = 0; s < j->nr_steps; s++) {
        trench_step_rings_destroy(j->rings[s]);
    }
}

/* A chip for a job, opened and laid out; and the end of both. */
static inline void job_start(struct job *j, struct chip *c,
                             const struct trench_soc_conf *conf)
{
    chip_init(c, conf);
    job_open(j, c);
    job_init(j, c);
}

static inline void job_end(struct job *j, struct chip *c)
{
    job_fini(j);
    chip_fini(c);
}

static inline void fill_random(const struct chip *c, uint64_t len,
                               uint64_t seed)
{
    uint8_t *src = trench_bus_host(c->bus, SRC, len);

    for (uint64_t i = 0; i < len; i++) {
        src[i] = (uint8_t)(next_random(&seed) >> 32);
    }
    memset(trench_bus_host(c->bus, DST, len), 0, len);
}

static inline void check_data(const struct chip *c, uint64_t len)
{
    CHECK_MEM(trench_bus_host(c->bus, DST, len),
              trench_bus_host(c->bus, SRC, len), len, "data");
}

/* Descriptors that all engines have completed, of either side. */
static inline void count_descs(const struct chip *c, uint64_t *tx, uint64_t *rx)
{
    *tx = 0;
    *rx = 0;
    for (unsigned e = 0; e < c->gen->nr_engines; e++) {
        struct trench_soc_engine_stats stats;

        CHECK_EQ(trench_soc_engine_stats(c->soc, e, &stats), 0, "%u", e);
        *tx += stats.tx_descs;
        *rx += stats.rx_descs;
    }
}

/*
 * Create, trigger, run, compare, release. What the runner says to have started
 * is what the engines have done.
 */
static inline void run_job(struct job *j, struct chip *c,
                           struct trench_step_stats *stats)
{
    uint64_t len = place(j, j->nr_steps, 0);
    struct trench_step_error err = { 0 };
    struct trench_step *step = NULL;
    uint64_t started = stats->toplevel_descs + stats->m2s_descs;
    uint64_t before[2];
    uint64_t after[2];

    fill_random(c, len, SEED);
    CHECK_EQ(trench_step_create(&j->conf, &step, &err), 0, "%s", err.text);
    trigger(c);
    count_descs(c, &before[0], &before[1]);
    CHECK_EQ(trench_step_run(step, stats, &err), 0, "%s", err.text);
    count_descs(c, &after[0], &after[1]);
    started = stats->toplevel_descs + stats->m2s_descs - started;
    CHECK_EQ(after[0] - before[0], started, "M2S");
    CHECK_EQ(after[1] - before[1], started, "S2M");
    check_data(c, len);
    trench_step_destroy(step);
}

static struct job job; /* too large for a stack */

static inline struct job *new_job(unsigned steps, unsigned first,
                                  unsigned engines, unsigned queue,
                                  unsigned queues)
{
    memset(&job, 0, sizeof(job));
    job.nr_steps = steps;
    job.first = first;
    job.nr_engines = engines;
    job.queue = queue;
    job.nr_queues = queues;
    job.len = 0x1000;
    return &job;
}

#endif /* TRENCH_TESTS_STEP_RIG_H */
