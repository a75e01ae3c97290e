/* SPDX-License-Identifier: BSD-3-Clause */
/* A queue bundle of a step: seed 000 section 4, up to the first register. */
#include <trench/ncfw.h>

#include "ncfw/bundle.h"

static int check_conf(const struct trench_ncfw_plan_conf *conf)
{
    if (!conf->channels && conf->nr_channels > 0) {
        return TRENCH_ERR_INVAL;
    }
    for (size_t i = 0; i < conf->nr_channels; i++) {
        if (conf->channels[i].in_use &&
            conf->channels[i].queue >= TRENCH_NR_QUEUES) {
            return TRENCH_ERR_INVAL;
        }
    }
    if (conf->first_engine % TRENCH_NCFW_LANES != 0 ||
        (conf->own_pcore && conf->pcore > 1) ||
        (unsigned)conf->reading > TRENCH_NCFW_SHEETS) {
        return TRENCH_ERR_INVAL;
    }
    return 0;
}

/* Queues in use, and no pair twice. */
static int count_pairs(const struct trench_ncfw_plan_conf *conf,
                       struct trench_ncfw_plan *plan)
{
    uint16_t seen[TRENCH_NCFW_ENGINES] = { 0 };

    for (size_t i = 0; i < conf->nr_channels; i++) {
        const struct trench_ncfw_channel *ch = &conf->channels[i];
        uint16_t bit = (uint16_t)(1u << ch->queue % TRENCH_NR_QUEUES);
        uint16_t *queues;

        if (!ch->in_use) {
            continue;
        }
        queues = &seen[ch->engine - conf->first_engine];
        if (*queues & bit) {
            return TRENCH_ERR_EXIST;
        }
        *queues |= bit;
        plan->queues |= bit;
        plan->nr_pairs++;
    }
    return 0;
}

/* alloc: the word, the bitmap, and whether the engines in it are there. */
static int plan_alloc(const struct trench_ncfw_plan_conf *conf,
                      struct trench_ncfw_plan *plan)
{
    const struct trench_gen *gen = plan->gen;
    unsigned nr_cores = conf->nr_cores ? conf->nr_cores : 2;
    uint64_t word;
    int err;

    err = trench_ncfw_alloc_word(gen, conf->nr_bundles, conf->bundle, &word);
    if (err) {
        return err;
    }
    trench_ncfw_alloc_decode(word, conf->reading, &plan->alloc);
    err = trench_ncfw_valid_engines(gen, nr_cores, &plan->valid);
    if (err) {
        return err;
    }
    err = trench_ncfw_used_engines(conf->channels, conf->nr_channels,
                                   conf->first_engine, &plan->used);
    if (err) {
        return err;
    }
    if (plan->used & ~(plan->valid & plan->alloc.pool)) {
        return TRENCH_ERR_NODEV;
    }
    if (plan->used != 0 &&
        conf->first_engine + 31u - (unsigned)__builtin_clz(plan->used) >=
            (unsigned)gen->nr_cores * gen->engines_per_core) {
        return TRENCH_ERR_NODEV;
    }
    return count_pairs(conf, plan);
}

int trench_ncfw_plan(const struct trench_ncfw_plan_conf *conf,
                     struct trench_ncfw_plan *out)
{
    struct trench_ncfw_plan plan = {
        .gen = conf->gen ? conf->gen : trench_gen_find(NULL),
        .bundle = conf->bundle,
        .channels = conf->channels,
        .nr_channels = conf->nr_channels,
    };
    int err;

    err = check_conf(conf);
    if (err) {
        return err;
    }
    err = plan_alloc(conf, &plan);
    if (err) {
        return err;
    }
    plan.skip = plan.used == 0;
    /* address-map 5.3 */
    plan.pcore = conf->own_pcore ? conf->pcore : bundle_is_upper(conf->bundle);
    plan.region = conf->own_region
                      ? conf->region
                      : conf->first_engine / TRENCH_NCFW_LANES + plan.pcore;
    trench_ncfw_lane(plan.used, plan.pcore, &plan.lane);
    trench_ncfw_rearm_word(plan.used, plan.pcore, &plan.rearm);
    plan.missed =
        plan.used & ~((uint32_t)plan.lane << (plan.pcore * TRENCH_NCFW_LANES));
    *out = plan;
    return 0;
}
