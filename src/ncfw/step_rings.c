/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The data rings of a step (ncfw-steps 1.4, "exec prings"; 6.11): one piece of
 * memory,
 *
 *     pair 0 M2S, pair 0 S2M, pair 1 M2S, ... all of one length; two words
 *
 * and in each ring the pair's copies, no-ops up to the common count, the
 * signal, and no-ops that are never started.
 */
#include <trench/step.h>

#include <stdlib.h>

#include "base/le.h"
#include "ncfw/hbm.h"

#define WORD_BYTES 4u

struct pair {
    struct trench_pring ring[TRENCH_NCFW_NR_DIRS];
};

struct trench_step_rings {
    const struct trench_hal_ops *ops; /* borrowed */
    void *opaque;
    const struct trench_gen *gen;
    struct trench_hal_mem mem; /* cpu NULL = not allocated */
    uint64_t noop;             /* the word that no-ops copy */
    uint64_t one;              /* the word that signals copy */
    uint64_t signal;           /* where they copy it to */
    uint32_t count;
    uint32_t nr_descs; /* of each ring */
    struct trench_ncfw_channel *channels;
    size_t nr_pairs;
    struct pair pairs[]; /* nr_pairs of them */
};

static int check_conf(const struct trench_step_rings_conf *conf,
                      uint32_t *count)
{
    size_t most = 0;

    if (!conf->ops || !conf->ops->mem_alloc || !conf->ops->mem_free ||
        !conf->work || conf->nr_work == 0) {
        return TRENCH_ERR_INVAL;
    }
    if (conf->nr_work > (size_t)TRENCH_NCFW_ENGINES * TRENCH_NR_QUEUES) {
        return TRENCH_ERR_NOSPC;
    }
    for (size_t i = 0; i < conf->nr_work; i++) {
        size_t nr = conf->work[i].nr_copies;

        if (!conf->work[i].copies && nr > 0) {
            return TRENCH_ERR_INVAL;
        }

        most = nr > most ? nr : most;
    }
    if (most >= TRENCH_NCFW_MAX_COUNT - 1) {
        return TRENCH_ERR_NOSPC;
    }
    *count = (uint32_t)most + 1;
    return 0;
}

/* Whole prefetch bursts, and the gap that a ring keeps free. */
static uint32_t ring_length(uint32_t count)
{
    uint32_t need = count + TRENCH_HAL_RING_GAP + TRENCH_HAL_RING_STEP - 1;

    need -= need % TRENCH_HAL_RING_STEP;
    return need > TRENCH_HAL_RING_MIN ? need : TRENCH_HAL_RING_MIN;
}

static int alloc(struct trench_step_rings *rings)
{
    size_t ring_bytes = (size_t)rings->nr_descs * TRENCH_DESC_BYTES;
    size_t words_at = rings->nr_pairs * TRENCH_NCFW_NR_DIRS * ring_bytes;
    size_t size_bytes = words_at + 2 * (size_t)WORD_BYTES;
    struct trench_hal_mem mem = { 0 };
    int err;

    err = rings->ops->mem_alloc(rings->opaque, size_bytes, TRENCH_PRING_ALIGN,
                                &mem);
    if (err) {
        return err;
    }
    rings->mem = mem;
    if (mem.dma % TRENCH_PRING_ALIGN != 0) {
        return TRENCH_ERR_NOMEM;
    }
    if (!ncfw_is_hbm(rings->gen, mem.dma, size_bytes)) {
        return TRENCH_ERR_ACCES;
    }
    rings->noop = mem.dma + words_at;
    rings->one = rings->noop + WORD_BYTES;
    le_put((uint8_t *)mem.cpu + words_at, WORD_BYTES, 0);
    le_put((uint8_t *)mem.cpu + words_at + WORD_BYTES, WORD_BYTES, 1);
    return 0;
}

/* The descriptors that a pair executes; tx and rx hold count of each. */
static int fill(const struct trench_step_rings *rings,
                const struct trench_step_work *work, struct trench_desc *tx,
                struct trench_desc *rx)
{
    const struct trench_copy noop = { rings->noop, rings->noop, WORD_BYTES,
                                      TRENCH_BARRIER_NONE };
    /* Behind the data, or the firmware would go on before it is there. */
    const struct trench_copy signal = { rings->one, rings->signal, WORD_BYTES,
                                        TRENCH_BARRIER_WRITE };
    uint32_t last = rings->count - 1;

    for (uint32_t i = 0; i < rings->count; i++) {
        struct trench_desc descs[TRENCH_NCFW_NR_DIRS];
        const struct trench_copy *copy = i == last ? &signal
                                         : i < work->nr_copies
                                             ? &work->copies[i]
                                             : &noop;
        int err = trench_desc_copy(copy, descs);

        if (err) {
            return err;
        }
        tx[i] = descs[TRENCH_NCFW_M2S];
        rx[i] = descs[TRENCH_NCFW_S2M];
    }
    return 0;
}

static int lay_pair(struct trench_step_rings *rings, size_t nr,
                    const struct trench_step_work *work,
                    struct trench_desc *descs)
{
    static const enum trench_pring_type types[TRENCH_NCFW_NR_DIRS] = {
        [TRENCH_NCFW_M2S] = TRENCH_PRING_TX,
        [TRENCH_NCFW_S2M] = TRENCH_PRING_RX,
    };
    const struct trench_dump_conf dump = { .padded = rings->nr_descs,
                                           .noop = rings->noop };
    struct trench_ncfw_channel *channel = &rings->channels[nr];
    uint64_t bytes = (uint64_t)rings->nr_descs * TRENCH_DESC_BYTES;
    int err;

    channel->in_use = true;
    channel->engine = work->engine;
    channel->queue = work->queue;
    err = fill(rings, work, descs, descs + rings->count);
    for (unsigned d = 0; d < TRENCH_NCFW_NR_DIRS && !err; d++) {
        struct trench_pring *ring = &rings->pairs[nr].ring[d];

        ring->type = types[d];
        err = trench_pring_init(rings->gen, &rings->mem,
                                (nr * TRENCH_NCFW_NR_DIRS + d) * bytes,
                                rings->nr_descs, ring);
        if (!err) {
            err = trench_pring_dump_descs(ring, descs + d * rings->count,
                                          rings->count, &dump);
            err = err < 0 ? err : 0;
        }
        channel->ring[d].base = trench_pring_base(ring);
        channel->ring[d].nr_descs = rings->nr_descs;
    }
    return err;
}

static int lay(struct trench_step_rings *rings,
               const struct trench_step_rings_conf *conf)
{
    struct trench_desc *descs;
    int err;

    rings->channels = calloc(rings->nr_pairs, sizeof(*rings->channels));
    descs = calloc((size_t)rings->count * TRENCH_NCFW_NR_DIRS, sizeof(*descs));
    err = rings->channels && descs ? alloc(rings) : TRENCH_ERR_NOMEM;
    for (size_t i = 0; i < rings->nr_pairs && !err; i++) {
        err = lay_pair(rings, i, &conf->work[i], descs);
    }
    free(descs);
    return err;
}

int trench_step_rings_create(const struct trench_step_rings_conf *conf,
                             struct trench_step_rings **out)
{
    struct trench_step_rings *rings;
    uint32_t count;
    int err;

    err = check_conf(conf, &count);
    if (err) {
        return err;
    }
    rings = calloc(1, sizeof(*rings) + conf->nr_work * sizeof(rings->pairs[0]));
    if (!rings) {
        return TRENCH_ERR_NOMEM;
    }
    rings->ops = conf->ops;
    rings->opaque = conf->opaque;
    rings->gen = conf->gen ? conf->gen : trench_gen_find(NULL);
    rings->count = count;
    rings->nr_descs = ring_length(count);
    rings->nr_pairs = conf->nr_work;
    err = trench_gen_sync_addr(rings->gen, conf->done.owner, conf->done.n,
                               TRENCH_SYNC_INC, conf->done.id, &rings->signal);
    if (!err) {
        err = lay(rings, conf);
    }
    if (err) {
        trench_step_rings_destroy(rings);
        return err;
    }
    *out = rings;
    return 0;
}

void trench_step_rings_destroy(struct trench_step_rings *rings)
{
    if (!rings) {
        return;
    }
    if (rings->mem.cpu) {
        rings->ops->mem_free(rings->opaque, &rings->mem);
    }
    free(rings->channels);
    free(rings);
}

const struct trench_ncfw_channel *trench_step_rings_channels(
    const struct trench_step_rings *rings)
{
    return rings->channels;
}

uint32_t trench_step_rings_count(const struct trench_step_rings *rings)
{
    return rings->count;
}

const struct trench_pring *trench_step_rings_ring(
    const struct trench_step_rings *rings, size_t pair,
    enum trench_ncfw_dir dir)
{
    if (pair >= rings->nr_pairs || (unsigned)dir >= TRENCH_NCFW_NR_DIRS) {
        return NULL;
    }
    return &rings->pairs[pair].ring[dir];
}
