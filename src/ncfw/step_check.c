/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Everything that can be wrong with a step, before anything is written
 * (ncfw-steps 8.3, "checks").
 */
#include "ncfw/step_priv.h"

#include <stdlib.h>

#include "base/bits.h"
#include "ncfw/hbm.h"

#define BASE_ALIGN 64u

static int check_ops(const struct trench_step_conf *conf,
                     struct trench_step_error *err)
{
    const struct trench_hal_ops *ops = conf->ops;

    if (!ops || !ops->read32 || !ops->write32 || !ops->mem_alloc ||
        !ops->mem_free || !ops->now_ns) {
        return step_fail(err, TRENCH_ERR_INVAL, "an operation is missing");
    }
    if (conf->polls == 0 && conf->timeout_ns == 0) {
        return step_fail(err, TRENCH_ERR_INVAL,
                         "the waits have no deadline: neither polls nor "
                         "nanoseconds");
    }
    return 0;
}

/* ---- entries ------------------------------------------------------------- */

static int check_entry(const struct trench_step_entry *entry,
                       struct trench_step_error *err)
{
    uint32_t count = entry->s2m_val == 0 ? 0 : entry->m2s_val;

    if (entry->s2m_val > entry->m2s_val) {
        return step_fail(err, TRENCH_ERR_INVAL,
                         "block %d: %u descriptors of M2S for %u of S2M",
                         err->block, entry->m2s_val, entry->s2m_val);
    }
    if (count == 0 || count >= TRENCH_NCFW_MAX_COUNT) {
        return step_fail(err, TRENCH_ERR_INVAL,
                         "block %d: a count of %u descriptors; 1 to %u can be "
                         "started at once",
                         err->block, count, TRENCH_NCFW_MAX_COUNT - 1);
    }
    return 0;
}

/* The largest counts of a block's entries. */
struct most {
    uint32_t count[TRENCH_NCFW_NR_DIRS];
};

static int check_entries(const struct trench_step_block *block,
                         struct most *most, struct trench_step_error *err)
{
    *most = (struct most){ { 0 } };
    if (block->nr_entries == 0 || !block->entries) {
        return step_fail(err, TRENCH_ERR_INVAL, "block %d starts nothing",
                         err->block);
    }
    for (size_t i = 0; i < block->nr_entries; i++) {
        int code = check_entry(&block->entries[i], err);

        if (code) {
            return code;
        }
        most->count[TRENCH_NCFW_M2S] =
            max_u32(most->count[TRENCH_NCFW_M2S], block->entries[i].m2s_val);
        most->count[TRENCH_NCFW_S2M] =
            max_u32(most->count[TRENCH_NCFW_S2M], block->entries[i].s2m_val);
    }
    return 0;
}

/* ---- bundles ------------------------------------------------------------- */

/* Why a bundle could not be planned, as far as one channel is to blame. */
static int blame_channel(const struct trench_ncfw_plan_conf *conf, int code,
                         struct trench_step_error *err)
{
    unsigned nr = conf->gen->nr_cores * conf->gen->engines_per_core;

    for (size_t i = 0; i < conf->nr_channels; i++) {
        const struct trench_ncfw_channel *ch = &conf->channels[i];

        if (!ch->in_use) {
            continue;
        }
        err->engine = ch->engine;
        err->queue = ch->queue;
        if (ch->queue >= TRENCH_NR_QUEUES) {
            return step_fail(err, code, "engine %u has no queue %u", ch->engine,
                             ch->queue);
        }
        if (ch->engine >= nr) {
            return step_fail(err, code,
                             "engine %u: %s has engines 0-%u at its "
                             "NeuronCores",
                             ch->engine, conf->gen->name, nr - 1);
        }
        if (ch->engine < conf->first_engine ||
            ch->engine - conf->first_engine >= TRENCH_NCFW_ENGINES) {
            return step_fail(err, code,
                             "engine %u is not in the virtual core that "
                             "begins with engine %u",
                             ch->engine, conf->first_engine);
        }
    }
    err->engine = -1;
    err->queue = -1;
    return step_fail(err, code, "bundle %u: %s", conf->bundle,
                     code == TRENCH_ERR_NODEV
                         ? "an engine that the virtual core or the allocation "
                           "word does not have"
                         : trench_strerror(code));
}

static int blame_plan(const struct trench_ncfw_plan_conf *conf, int code,
                      struct trench_step_error *err)
{
    unsigned nr = conf->nr_bundles ? conf->nr_bundles : TRENCH_NR_BUNDLES;

    if (!conf->channels && conf->nr_channels > 0) {
        return step_fail(err, code, "bundle %u has no channels: NULL",
                         conf->bundle);
    }
    if (code == TRENCH_ERR_INVAL && conf->bundle >= nr) {
        return step_fail(err, code, "bundle %u is out of range: 0 to %u",
                         conf->bundle, nr - 1);
    }
    if (code == TRENCH_ERR_INVAL && conf->own_pcore && conf->pcore > 1) {
        return step_fail(err, code, "pcore %u is out of range: 0 or 1",
                         conf->pcore);
    }
    if (code == TRENCH_ERR_EXIST) {
        return step_fail(err, code, "bundle %u has a pair twice", conf->bundle);
    }
    return blame_channel(conf, code, err);
}

/* The broadcast must reach all pairs of a bundle, and nobody else. */
static int check_reach(const struct trench_step *step,
                       const struct trench_ncfw_plan_conf *conf,
                       const struct trench_ncfw_plan *plan,
                       struct trench_step_error *err)
{
    unsigned natural = conf->first_engine / TRENCH_NCFW_LANES + plan->pcore;
    uint64_t region;

    if (plan->missed) {
        return step_fail(err, TRENCH_ERR_INVAL,
                         "bundle %u: the broadcast of pcore %u does not reach "
                         "the engines 0x%08x of 0x%08x",
                         plan->bundle, plan->pcore, plan->missed, plan->used);
    }
    if (plan->nr_pairs != (size_t)__builtin_popcount(plan->used) *
                              (size_t)__builtin_popcount(plan->queues)) {
        return step_fail(err, TRENCH_ERR_INVAL,
                         "bundle %u: a broadcast starts a queue of all its "
                         "engines, but not all of them use each of the queues "
                         "0x%04x",
                         plan->bundle, plan->queues);
    }
    if (plan->region != natural) {
        return step_fail(err, TRENCH_ERR_INVAL,
                         "bundle %u: broadcast region %u is not that of its "
                         "engines, which is %u",
                         plan->bundle, plan->region, natural);
    }
    if (trench_ncfw_region(step->gen, plan->region, &region)) {
        return step_fail(err, TRENCH_ERR_NOTSUP,
                         "%s has no known broadcast window for engines %u-%u: "
                         "start the engines one by one",
                         step->gen->name, natural * TRENCH_NCFW_LANES,
                         (natural + 1) * TRENCH_NCFW_LANES - 1);
    }
    return 0;
}

/* ---- rings --------------------------------------------------------------- */

static int check_ring(const struct trench_step *step,
                      const struct trench_ncfw_ring *ring, const char *dir,
                      uint32_t most, struct trench_step_error *err)
{
    err->addr = ring->base;
    if (ring->base % BASE_ALIGN != 0) {
        return step_fail(err, TRENCH_ERR_INVAL,
                         "engine %d queue %d: the %s ring at 0x%llx is not "
                         "aligned to %u bytes",
                         err->engine, err->queue, dir,
                         (unsigned long long)ring->base, BASE_ALIGN);
    }
    if (ring->nr_descs == 0 || ring->nr_descs > TRENCH_HAL_RING_MAX) {
        return step_fail(err, TRENCH_ERR_INVAL,
                         "engine %d queue %d: a %s ring of %u descriptors",
                         err->engine, err->queue, dir, ring->nr_descs);
    }
    if (!ncfw_is_hbm(step->gen, ring->base,
                     (uint64_t)ring->nr_descs * TRENCH_DESC_BYTES)) {
        return step_fail(err, TRENCH_ERR_ACCES,
                         "engine %d queue %d: the %s ring at 0x%llx is not in "
                         "HBM",
                         err->engine, err->queue, dir,
                         (unsigned long long)ring->base);
    }
    if (most + TRENCH_HAL_RING_GAP > ring->nr_descs) {
        return step_fail(err, TRENCH_ERR_NOSPC,
                         "engine %d queue %d: %u descriptors at once and a gap "
                         "of %u do not fit the %s ring of %u",
                         err->engine, err->queue, most, TRENCH_HAL_RING_GAP,
                         dir, ring->nr_descs);
    }
    return 0;
}

static int check_rings(const struct trench_step *step,
                       const struct trench_ncfw_plan *plan,
                       const struct most *most, struct trench_step_error *err)
{
    for (size_t i = 0; i < plan->nr_channels; i++) {
        const struct trench_ncfw_channel *ch = &plan->channels[i];

        if (!ch->in_use) {
            continue;
        }
        err->engine = ch->engine;
        err->queue = ch->queue;
        if (ch->engine == step->conf.manager_engine &&
            ch->queue == step->conf.manager_queue) {
            return step_fail(err, TRENCH_ERR_INVAL,
                             "engine %u queue %u is the manager's, and cannot "
                             "be one of the step's",
                             ch->engine, ch->queue);
        }
        for (unsigned d = 0; d < TRENCH_NCFW_NR_DIRS; d++) {
            int code = check_ring(step, &ch->ring[d],
                                  trench_ncfw_dir_name((enum trench_ncfw_dir)d),
                                  most->count[d], err);

            if (code) {
                return code;
            }
        }
    }
    err->engine = -1;
    err->queue = -1;
    err->addr = 0;
    return 0;
}

/* ---- blocks -------------------------------------------------------------- */

static int check_bundle(struct trench_step *step, size_t b, size_t i,
                        const struct most *most, struct trench_step_error *err)
{
    struct step_block *block = &step->blocks[b];
    struct trench_ncfw_plan_conf conf = step->conf.blocks[b].bundles[i];
    struct trench_ncfw_plan *plan = &block->plans[i];
    int code;

    conf.gen = step->gen;
    err->bundle = (int)conf.bundle;
    code = trench_ncfw_plan(&conf, plan);
    if (code) {
        return blame_plan(&conf, code, err);
    }
    block->nr_plans = i + 1;
    block->nr_pairs += (uint32_t)plan->nr_pairs;
    if (!plan->skip && !step->conf.no_broadcast) {
        code = check_reach(step, &conf, plan, err);
    }
    return code ? code : check_rings(step, plan, most, err);
}

static int check_block(struct trench_step *step, size_t b,
                       struct trench_step_error *err)
{
    const struct trench_step_block *in = &step->conf.blocks[b];
    struct most most;
    int code;

    err->block = (int)b;
    code = check_entries(in, &most, err);
    if (!code && !in->bundles && in->nr_bundles > 0) {
        code = step_fail(err, TRENCH_ERR_INVAL,
                         "block %zu has no bundles: NULL", b);
    }
    if (!code && (in->nr_bundles == 0 || in->nr_bundles > TRENCH_NR_BUNDLES)) {
        code = step_fail(err, TRENCH_ERR_INVAL,
                         "block %zu has %zu bundles; 1 to %u can be", b,
                         in->nr_bundles, (unsigned)TRENCH_NR_BUNDLES);
    }
    for (size_t i = 0; i < in->nr_bundles && !code; i++) {
        code = check_bundle(step, b, i, &most, err);
    }
    if (!code && step->blocks[b].nr_pairs == 0) {
        err->bundle = -1;
        code = step_fail(err, TRENCH_ERR_INVAL,
                         "block %zu uses no engine: its bitmap is 0", b);
    }
    return code;
}

/* ---- places -------------------------------------------------------------- */

static int find_sema(const struct trench_step *step,
                     const struct trench_step_sema *sema,
                     enum trench_sync_part part, uint64_t *out,
                     struct trench_step_error *err)
{
    int code = trench_gen_sync_addr(step->gen, sema->owner, sema->n, part,
                                    sema->id, out);

    if (code) {
        return step_fail(
            err, TRENCH_ERR_NODEV, "%s has no semaphore %u of %s %u",
            step->gen->name, sema->id,
            sema->owner == TRENCH_SYNC_CORE ? "NeuronCore" : "TOP_SP", sema->n);
    }
    return 0;
}

static int find_semas(struct trench_step *step, struct trench_step_error *err)
{
    const struct trench_step_conf *conf = &step->conf;
    const struct trench_step_sema complete = { TRENCH_SYNC_TOP_SP, conf->top_sp,
                                               TRENCH_STEP_COMPLETION_ID };
    struct step_addrs *at = &step->at;
    const struct {
        const struct trench_step_sema *sema;
        enum trench_sync_part part;
        uint64_t *out;
    } rows[] = {
        { &conf->done, TRENCH_SYNC_READ, &at->done_read },
        { &conf->done, TRENCH_SYNC_SET, &at->done_set },
        { &conf->done, TRENCH_SYNC_DEC, &at->done_dec },
        { &complete, TRENCH_SYNC_INC, &at->complete },
        { conf->has_switch ? &conf->switch_completed : NULL, TRENCH_SYNC_INC,
          &at->switched },
    };
    int code = 0;

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]) && !code; i++) {
        if (rows[i].sema) {
            code =
                find_sema(step, rows[i].sema, rows[i].part, rows[i].out, err);
        }
    }
    return code;
}

static bool is_same(const struct trench_step_sema *a,
                    const struct trench_step_sema *b)
{
    return a->owner == b->owner && a->n == b->n && a->id == b->id;
}

/* What one signal says must not be taken for another. */
static int check_semas(const struct trench_step_conf *conf,
                       struct trench_step_error *err)
{
    const struct trench_step_sema complete = { TRENCH_SYNC_TOP_SP, conf->top_sp,
                                               TRENCH_STEP_COMPLETION_ID };
    const struct trench_step_sema *switched = &conf->switch_completed;

    if (is_same(&conf->done, &complete)) {
        return step_fail(err, TRENCH_ERR_INVAL,
                         "done is the completion semaphore, which is %u of "
                         "TOP_SP %u",
                         complete.id, complete.n);
    }
    if (conf->has_switch &&
        (is_same(switched, &conf->done) || is_same(switched, &complete))) {
        return step_fail(err, TRENCH_ERR_INVAL,
                         "switch_completed is the semaphore %s as well",
                         is_same(switched, &conf->done) ? "done"
                                                        : "of completion");
    }
    return 0;
}

static int find_bell(const struct trench_step *step, enum trench_bell bell,
                     uint64_t *out, struct trench_step_error *err)
{
    int code = trench_gen_bell_addr(step->gen, step->conf.top_sp, bell, out);

    if (code) {
        return step_fail(err, code, "%s: doorbell %s of TOP_SP %u: %s",
                         step->gen->name, trench_bell_name(bell),
                         step->conf.top_sp, trench_strerror(code));
    }
    return 0;
}

static int find_places(struct trench_step *step, struct trench_step_error *err)
{
    uint64_t base;
    int code;

    code = find_bell(step, TRENCH_BELL_HOST_TRIGGER, &step->at.trigger, err);
    if (!code && step->conf.wait_bbswitch) {
        code = find_bell(step, TRENCH_BELL_BBSWITCH, &step->at.bbswitch, err);
    }
    if (!code) {
        code = find_semas(step, err);
    }
    if (!code) {
        code = check_semas(&step->conf, err);
    }
    if (!code && (step->conf.manager_queue >= TRENCH_NR_QUEUES ||
                  trench_gen_engine_base(step->gen, step->conf.manager_engine,
                                         false, &base))) {
        code = step_fail(err, TRENCH_ERR_NODEV,
                         "%s has no engine %u queue %u for the TopLevel rings",
                         step->gen->name, step->conf.manager_engine,
                         step->conf.manager_queue);
    }
    return code;
}

int step_check(struct trench_step *step, struct trench_step_error *err)
{
    const struct trench_step_conf *conf = &step->conf;
    int code = check_ops(conf, err);

    if (code) {
        return code;
    }
    if (!conf->blocks && conf->nr_blocks > 0) {
        return step_fail(err, TRENCH_ERR_INVAL, "no basic blocks: NULL");
    }
    if (conf->nr_blocks == 0 || conf->nr_blocks > TRENCH_BASIC_BLOCKS_MAX) {
        return step_fail(err, TRENCH_ERR_INVAL,
                         "%zu basic blocks; 1 to %u can be", conf->nr_blocks,
                         TRENCH_BASIC_BLOCKS_MAX);
    }
    step->blocks = calloc(conf->nr_blocks, sizeof(*step->blocks));
    if (!step->blocks) {
        return step_fail(err, TRENCH_ERR_NOMEM, "out of memory");
    }
    code = find_places(step, err);
    for (size_t b = 0; b < conf->nr_blocks && !code; b++) {
        code = check_block(step, b, err);
    }
    return code;
}
