/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Any collective step: it is refused with a sentence, or runs on a chip, and
 * then every byte has arrived and every number adds up.
 *
 * Input: the step's shape, then whatever of it is to be spoilt. A step that
 * has been spoilt may fail, but not without saying where.
 */
#include <stdbool.h>

#include <trench/access.h>
#include <trench/soc.h>
#include <trench/step.h>

#include "fuzz.h"

#define SIZE      UINT64_C(0x1000000)
#define SRC       UINT64_C(0x1000000)
#define DST       UINT64_C(0x3000000)
#define NR_GENS   4u
#define MAX_PAIRS 40u
#define MAX_STEPS 3u
#define MAX_BYTES 0x400u
#define POLLS     8u
#define BUDGET    4096u

struct job {
    const struct trench_gen *gen;
    struct trench_soc *soc;
    struct trench_bus *bus;
    struct trench_hal_bus *hb;
    struct trench_hal_engine *engines[MAX_PAIRS + 1];
    unsigned nr_engines;
    struct trench_hal_queue *queues[MAX_PAIRS + 1];
    unsigned nr_queues;
    uint8_t flags;
    bool spoilt;
    unsigned nr_steps;
    unsigned nr_pairs;
    uint32_t len; /* bytes of a pair in a step */
    struct trench_copy copies[MAX_STEPS][MAX_PAIRS];
    struct trench_step_work work[MAX_PAIRS];
    struct trench_step_rings *rings[MAX_STEPS];
    struct trench_ncfw_channel channels[MAX_STEPS][MAX_PAIRS];
    struct trench_ncfw_plan_conf bundles[MAX_STEPS][2];
    struct trench_step_entry entries[MAX_STEPS];
    struct trench_step_block blocks[MAX_STEPS];
    struct trench_step_conf conf;
    struct trench_step_stats traced;
};

enum flag {
    NO_BROADCAST = 1,
    HAS_SWITCH = 2,
    NO_TRIGGER = 4,
    OWN_PCORE = 8,
    TWICE = 16,
};

static struct trench_soc *socs[NR_GENS]; /* one for all inputs */
static struct job job;

static void open_chip(struct job *j, unsigned nr)
{
    const struct trench_soc_conf conf = { .gen = trench_gen_at(nr),
                                          .budget = BUDGET };

    if (!socs[nr]) {
        FUZZ_CHECK(trench_soc_create(&conf, &socs[nr]) == 0);
    }
    trench_soc_reset(socs[nr]);
    j->soc = socs[nr];
    j->gen = conf.gen;
    j->bus = trench_soc_bus(j->soc);
    FUZZ_CHECK(
        trench_hal_bus_create(j->bus, j->gen->mems[1].base, SIZE, &j->hb) == 0);
}

static void open_engine(struct job *j, unsigned engine, uint16_t queues)
{
    struct trench_hal_engine_conf conf = { .ops = trench_hal_bus_ops(),
                                           .opaque = j->hb,
                                           .gen = j->gen };
    struct trench_hal_engine *eng;

    if (trench_gen_engine_base(j->gen, engine, false, &conf.base)) {
        return; /* the step will be refused */
    }
    (void)trench_gen_block_base(j->gen, engine, TRENCH_BLOCK_TDMA_MODEL, false,
                                &conf.app_base);
    FUZZ_CHECK(trench_hal_engine_open(&conf, &eng) == 0);
    j->engines[j->nr_engines++] = eng;
    for (unsigned q = 0; q < TRENCH_NR_QUEUES; q++) {
        const struct trench_hal_queue_conf queue = { .index = q,
                                                     .tx_entries = 32,
                                                     .no_comp_rings = true };

        if (queues >> q & 1) {
            FUZZ_CHECK(trench_hal_queue_open(eng, &queue,
                                             &j->queues[j->nr_queues++]) == 0);
        }
    }
}

/* Engine by engine; no more pairs than there is room for. */
static void choose_pairs(struct job *j, uint32_t engines, uint16_t queues,
                         unsigned first)
{
    unsigned nr_queues = (unsigned)__builtin_popcount(queues);

    for (unsigned e = 0; e < TRENCH_NCFW_ENGINES; e++) {
        if (!(engines >> e & 1) || j->nr_pairs + nr_queues > MAX_PAIRS) {
            continue;
        }
        for (unsigned q = 0; q < TRENCH_NR_QUEUES; q++) {
            if (queues >> q & 1) {
                j->work[j->nr_pairs++] = (struct trench_step_work){
                    .engine = (uint16_t)(first + e),
                    .queue = (uint8_t)q,
                    .nr_copies = 1,
                };
            }
        }
        open_engine(j, first + e, queues);
    }
}

static void lay_rings(struct job *j, unsigned s)
{
    const struct trench_step_rings_conf conf = {
        .ops = trench_hal_bus_ops(),
        .opaque = j->hb,
        .gen = j->gen,
        .work = j->work,
        .nr_work = j->nr_pairs,
        .done = j->conf.done,
    };
    size_t nr;

    for (unsigned p = 0; p < j->nr_pairs; p++) {
        uint64_t at = (uint64_t)(s * j->nr_pairs + p) * j->len;

        j->copies[s][p] = (struct trench_copy){ SRC + at, DST + at, j->len,
                                                TRENCH_BARRIER_NONE };
        j->work[p].copies = &j->copies[s][p];
    }
    FUZZ_CHECK(trench_step_rings_create(&conf, &j->rings[s]) == 0);
    memcpy(j->channels[s], trench_step_rings_channels(j->rings[s]),
           j->nr_pairs * sizeof(j->channels[s][0]));
    j->entries[s] = *trench_step_rings_entries(j->rings[s], &nr);
}

/* The bundle for its half of the virtual core, its twin for the other. */
static void lay_block(struct job *j, unsigned s,
                      const struct trench_ncfw_plan_conf *like)
{
    unsigned low = 0;
    unsigned nr = 0;

    while (low < j->nr_pairs &&
           j->channels[s][low].engine - like->first_engine <
               TRENCH_NCFW_LANES) {
        low++;
    }
    for (unsigned half = 0; half < 2; half++) {
        struct trench_ncfw_plan_conf *b = &j->bundles[s][nr];

        *b = *like;
        b->bundle = like->bundle % 4 + 4 * half;
        b->channels = j->channels[s] + (half ? low : 0);
        b->nr_channels = half ? j->nr_pairs - low : low;
        nr += b->nr_channels > 0;
    }
    j->blocks[s] = (struct trench_step_block){ .bundles = j->bundles[s],
                                               .nr_bundles = nr,
                                               .entries = &j->entries[s],
                                               .nr_entries = 1 };
}

/* ---- spoiling ------------------------------------------------------------ */

static void spoil_channel(struct job *j, struct fuzz_input *in)
{
    struct trench_ncfw_channel *ch =
        &j->channels[fuzz_u8(in) % j->nr_steps][fuzz_u8(in) % j->nr_pairs];
    struct trench_ncfw_ring *ring = &ch->ring[fuzz_u8(in) % 2];

    switch (fuzz_u8(in) % 5) {
    case 0:
        ch->engine = fuzz_u16(in);
        break;
    case 1:
        ch->queue = fuzz_u8(in);
        break;
    case 2:
        ch->in_use = false;
        break;
    case 3:
        ring->base = fuzz_u64(in);
        break;
    default:
        ring->nr_descs = fuzz_u32(in);
        break;
    }
}

static void spoil_block(struct job *j, struct fuzz_input *in)
{
    unsigned s = fuzz_u8(in) % j->nr_steps;
    struct trench_step_block *block = &j->blocks[s];

    switch (fuzz_u8(in) % 6) {
    case 0:
        j->entries[s].m2s_val = fuzz_u32(in);
        break;
    case 1:
        j->entries[s].m2s_val = j->entries[s].s2m_val = fuzz_u16(in);
        break;
    case 2:
        j->entries[s].repeat = fuzz_u8(in);
        break;
    case 3:
        block->reset_limit = fuzz_u8(in);
        break;
    case 4:
        block->reprogram_limit = fuzz_u16(in);
        break;
    default:
        block->spad.pointers = true;
        block->spad.context = fuzz_u64(in);
        block->spad.nr_slots = fuzz_u8(in);
        break;
    }
}

static void spoil_bundle(struct job *j, struct fuzz_input *in)
{
    struct trench_ncfw_plan_conf *b =
        &j->bundles[fuzz_u8(in) % j->nr_steps][fuzz_u8(in) % 2];

    switch (fuzz_u8(in) % 5) {
    case 0:
        b->bundle = fuzz_u32(in);
        break;
    case 1:
        b->nr_bundles = fuzz_u8(in);
        break;
    case 2:
        b->first_engine = fuzz_u32(in);
        break;
    case 3:
        b->own_region = true;
        b->region = fuzz_u32(in);
        break;
    default:
        b->own_pcore = true;
        b->pcore = fuzz_u8(in);
        break;
    }
}

static void spoil_conf(struct job *j, struct fuzz_input *in)
{
    struct trench_step_conf *conf = &j->conf;

    switch (fuzz_u8(in) % 7) {
    case 0:
        conf->manager_engine = fuzz_u32(in);
        break;
    case 1:
        conf->manager_queue = fuzz_u8(in);
        break;
    case 2:
        conf->top_sp = fuzz_u8(in);
        break;
    case 3:
        conf->done = (struct trench_step_sema){
            (enum trench_sync_owner)(fuzz_u8(in) % 3), fuzz_u8(in), fuzz_u16(in)
        };
        break;
    case 4:
        conf->padded = fuzz_u32(in);
        break;
    case 5:
        conf->rearm = (enum trench_ncfw_rearm)(fuzz_u8(in) % 4);
        break;
    default:
        conf->polls = fuzz_u8(in) % 4;
        break;
    }
}

static void spoil(struct job *j, struct fuzz_input *in)
{
    static void (*const fns[])(struct job *, struct fuzz_input *) = {
        spoil_channel, spoil_block, spoil_bundle, spoil_conf
    };

    while (in->left > 0) {
        fns[fuzz_u8(in) % 4](j, in);
        j->spoilt = true;
    }
}

/* ---- running ------------------------------------------------------------- */

/* Counts once more what is done. */
static void see_op(void *opaque, const struct trench_step_op *op)
{
    struct job *j = opaque;

    FUZZ_CHECK(op->name && op->addr != 0);
    FUZZ_CHECK((unsigned)op->phase < TRENCH_STEP_NR_PHASES);
    FUZZ_CHECK(op->block < j->nr_steps);
    j->traced.writes += op->kind == TRENCH_STEP_WRITE;
    j->traced.bells += op->bell;
    j->traced.starts +=
        op->kind == TRENCH_STEP_AWAIT && op->phase == TRENCH_STEP_WAIT;
}

static void prepare(const struct job *j)
{
    size_t len = (size_t)j->nr_steps * j->nr_pairs * j->len;
    uint8_t *src = trench_bus_host(j->bus, SRC, len);
    uint8_t *dst = trench_bus_host(j->bus, DST, len);
    uint64_t trigger;

    for (size_t i = 0; i < len; i++) {
        src[i] = (uint8_t)(i * 7 + i / 251);
        dst[i] = (uint8_t)~src[i];
    }
    FUZZ_CHECK(trench_gen_bell_addr(j->gen, 0, TRENCH_BELL_HOST_TRIGGER,
                                    &trigger) == 0);
    FUZZ_CHECK(trench_bus_write32(j->bus, trigger,
                                  j->flags & NO_TRIGGER ? 0 : 1) == 0);
}

static void run(struct job *j, struct trench_step *step)
{
    size_t len = (size_t)j->nr_steps * j->nr_pairs * j->len;
    struct trench_step_stats stats = { 0 };
    struct trench_step_error err = { 0 };
    struct trench_bus_stats before;
    struct trench_bus_stats after;
    int code;

    prepare(j);
    j->traced = (struct trench_step_stats){ 0 };
    trench_step_set_trace(step, see_op, j);
    trench_bus_stats(j->bus, &before);
    code = trench_step_run(step, &stats, &err);
    trench_bus_stats(j->bus, &after);
    FUZZ_CHECK(stats.writes == j->traced.writes);
    FUZZ_CHECK(stats.bells == j->traced.bells);
    FUZZ_CHECK(stats.starts == j->traced.starts);
    FUZZ_CHECK(after.writes - before.writes == stats.writes);
    if (code) {
        FUZZ_CHECK(err.text[0] != '\0');
        FUZZ_CHECK((unsigned)err.phase < TRENCH_STEP_NR_PHASES);
        FUZZ_CHECK(j->spoilt ||
                   (err.phase == TRENCH_STEP_TRIGGER && j->flags & NO_TRIGGER));
        return;
    }
    FUZZ_CHECK(after.reads - before.reads == stats.reads);
    FUZZ_CHECK(j->spoilt || !(j->flags & NO_TRIGGER));
    FUZZ_CHECK(j->spoilt ||
               memcmp(trench_bus_host(j->bus, SRC, len),
                      trench_bus_host(j->bus, DST, len), len) == 0);
}

static void try(struct job *j)
{
    struct trench_step_error err = { 0 };
    struct trench_step *step = NULL;
    const struct trench_step_op *ops;
    size_t nr;
    int code = trench_step_create(&j->conf, &step, &err);

    if (code) {
        FUZZ_CHECK(!step && err.text[0] != '\0');
        FUZZ_CHECK(err.phase == TRENCH_STEP_CHECK);
        return;
    }
    ops = trench_step_ops(step, &nr);
    for (size_t i = 0; i < nr; i++) {
        FUZZ_CHECK(ops[i].kind != TRENCH_STEP_REPEAT || ops[i].back <= i);
    }
    for (unsigned i = 0; i <= !!(j->flags & TWICE); i++) {
        run(j, step);
    }
    trench_step_destroy(step);
}

static void close_job(struct job *j)
{
    for (unsigned s = 0; s < j->nr_steps; s++) {
        trench_step_rings_destroy(j->rings[s]);
    }
    for (unsigned i = 0; i < j->nr_queues; i++) {
        trench_hal_queue_close(j->queues[i]);
    }
    for (unsigned i = 0; i < j->nr_engines; i++) {
        trench_hal_engine_close(j->engines[i]);
    }
    trench_hal_bus_destroy(j->hb);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fuzz_input in = { data, size };
    struct trench_ncfw_plan_conf like = { 0 };
    struct job *j = &job;
    uint32_t engines;
    uint16_t queues;

    memset(j, 0, sizeof(*j));
    open_chip(j, fuzz_u8(&in) % NR_GENS);
    j->flags = fuzz_u8(&in);
    j->nr_steps = 1 + fuzz_u8(&in) % MAX_STEPS;
    j->len = 1 + fuzz_u16(&in) % MAX_BYTES;
    engines = fuzz_u32(&in);
    queues = fuzz_u16(&in);
    like.gen = j->gen;
    like.bundle = fuzz_u8(&in);
    like.reading = (enum trench_ncfw_reading)(fuzz_u8(&in) % 2);
    like.first_engine = fuzz_u8(&in) % 8 * TRENCH_NCFW_LANES;
    like.own_pcore = j->flags & OWN_PCORE;
    like.pcore = j->flags >> 7;
    j->conf = (struct trench_step_conf){
        .ops = trench_hal_bus_ops(),
        .opaque = j->hb,
        .gen = j->gen,
        .blocks = j->blocks,
        .nr_blocks = j->nr_steps,
        .manager_engine = j->gen->nr_engines - 1u,
        .done = { TRENCH_SYNC_TOP_SP, 0, 20 },
        .no_broadcast = j->flags & NO_BROADCAST,
        .has_switch = j->flags & HAS_SWITCH,
        .switch_completed = { TRENCH_SYNC_TOP_SP, 0, fuzz_u8(&in) },
        .rearm = (enum trench_ncfw_rearm)(fuzz_u8(&in) % 3),
        .polls = POLLS,
    };
    choose_pairs(j, engines, queues, like.first_engine);
    if (j->nr_pairs > 0) {
        open_engine(j, j->conf.manager_engine, 1);
        for (unsigned s = 0; s < j->nr_steps; s++) {
            lay_rings(j, s);
            lay_block(j, s, &like);
        }
        spoil(j, &in);
        try(j);
    }
    close_job(j);
    return 0;
}
