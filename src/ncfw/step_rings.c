/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The data rings of a step (ncfw-steps 1.4, "exec prings"; 6.11): one piece of
 * memory,
 *
 *     pair 0 M2S, pair 0 S2M, pair 1 M2S, ... ; the words that no-ops copy
 *
 * and in each ring, part by part, what the pair does, no-ops up to the common
 * counts, and the signal; behind the last part no-ops that are never started.
 */
#include <trench/step.h>

#include <stdlib.h>
#include <string.h>

#include "base/desc.h"
#include "base/le.h"
#include "ncfw/hbm.h"

#define WORD_BYTES 4u
/*
 * A no-op of several words stands for M2S descriptors that have no S2M
 * descriptor of their own. Half of what drivers allow a packet.
 */
#define NOOP_WORDS 32u

struct pair {
    struct trench_pring ring[TRENCH_NCFW_NR_DIRS];
};

struct trench_step_rings {
    const struct trench_hal_ops *ops; /* borrowed */
    void *opaque;
    const struct trench_gen *gen;
    struct trench_hal_mem mem;              /* cpu NULL = not allocated */
    uint64_t noop;                          /* NOOP_WORDS that no-ops copy */
    uint64_t one;                           /* the word that signals copy */
    uint64_t signal;                        /* where they copy it to */
    uint32_t nr_descs[TRENCH_NCFW_NR_DIRS]; /* of each ring */
    struct trench_step_entry *entries;
    size_t nr_parts;
    struct trench_ncfw_channel *channels;
    size_t nr_pairs;
    struct pair pairs[]; /* nr_pairs of them */
};

/* Descriptors of both directions. */
struct counts {
    uint64_t m2s;
    uint64_t s2m;
};

/* ---- counting ------------------------------------------------------------ */

static struct counts count_work(const struct trench_step_work *work)
{
    struct counts c = { work->nr_copies,
                        (uint64_t)work->nr_copies + work->nr_reduces };

    for (size_t i = 0; i < work->nr_reduces; i++) {
        c.m2s += work->reduces[i].nr_srcs;
    }
    return c;
}

/*
 * Whether a pair's no-ops, which have an S2M descriptor and 1 to NOOP_WORDS of
 * M2S, can fill it up to these counts.
 */
static bool can_pad(const struct counts *c, const struct counts *all)
{
    uint64_t noops = (all->m2s - c->m2s + NOOP_WORDS - 1) / NOOP_WORDS;

    return c->s2m + noops <= all->s2m;
}

/* The counts of a part that all its pairs can be padded to. */
static struct counts count_part(const struct trench_step_work *work,
                                size_t nr_work)
{
    struct counts all = { 0, 0 };
    uint64_t least = 0; /* the least that stays M2S alone */

    for (size_t i = 0; i < nr_work; i++) {
        struct counts c = count_work(&work[i]);

        all.s2m = c.s2m > all.s2m ? c.s2m : all.s2m;
        least = c.m2s - c.s2m > least ? c.m2s - c.s2m : least;
    }
    all.m2s = all.s2m + least;
    for (size_t i = 0; i < nr_work; i++) {
        struct counts c = count_work(&work[i]);

        /* One more of both takes nothing from those that could be padded. */
        while (!can_pad(&c, &all)) {
            all.m2s++;
            all.s2m++;
        }
    }
    return all;
}

/* Descriptors are counted only where they are not far too many. */
static int check_work(const struct trench_step_work *work)
{
    if ((!work->copies && work->nr_copies > 0) ||
        (!work->reduces && work->nr_reduces > 0)) {
        return TRENCH_ERR_INVAL;
    }
    if (work->nr_copies >= TRENCH_NCFW_MAX_COUNT ||
        work->nr_reduces >= TRENCH_NCFW_MAX_COUNT) {
        return TRENCH_ERR_NOSPC;
    }
    for (size_t i = 0; i < work->nr_reduces; i++) {
        if (work->reduces[i].nr_srcs == 0 ||
            work->reduces[i].nr_srcs > TRENCH_CCE_MAX_SOURCES) {
            return TRENCH_ERR_INVAL;
        }
    }
    return 0;
}

static int check_pairs(const struct trench_step_rings_conf *conf,
                       size_t nr_parts)
{
    int err = 0;

    for (size_t i = 0; i < conf->nr_work * nr_parts && !err; i++) {
        const struct trench_step_work *work = &conf->work[i];
        const struct trench_step_work *first = &conf->work[i % conf->nr_work];

        err = work->engine != first->engine || work->queue != first->queue
                  ? TRENCH_ERR_INVAL
                  : check_work(work);
    }
    return err;
}

static int check_conf(const struct trench_step_rings_conf *conf,
                      size_t nr_parts)
{
    if (!conf->ops || !conf->ops->mem_alloc || !conf->ops->mem_free ||
        !conf->work || conf->nr_work == 0) {
        return TRENCH_ERR_INVAL;
    }
    if (conf->nr_work > (size_t)TRENCH_NCFW_ENGINES * TRENCH_NR_QUEUES ||
        nr_parts > TRENCH_HAL_RING_MAX) {
        return TRENCH_ERR_NOSPC;
    }
    return check_pairs(conf, nr_parts);
}

/* Whole prefetch bursts, and the gap that a ring keeps free. */
static uint32_t ring_length(uint32_t count)
{
    uint32_t need = count + TRENCH_HAL_RING_GAP + TRENCH_HAL_RING_STEP - 1;

    need -= need % TRENCH_HAL_RING_STEP;
    return need > TRENCH_HAL_RING_MIN ? need : TRENCH_HAL_RING_MIN;
}

/* Fills entries and ring lengths. */
static int count_all(struct trench_step_rings *rings,
                     const struct trench_step_rings_conf *conf)
{
    struct counts sum = { 0, 0 };

    for (size_t part = 0; part < rings->nr_parts; part++) {
        struct counts c =
            count_part(conf->work + part * conf->nr_work, conf->nr_work);

        c.m2s++; /* the signal */
        c.s2m++;
        sum.m2s += c.m2s;
        sum.s2m += c.s2m;
        if (c.m2s >= TRENCH_NCFW_MAX_COUNT ||
            sum.m2s > TRENCH_HAL_RING_MAX - TRENCH_HAL_RING_GAP -
                          TRENCH_HAL_RING_STEP) {
            return TRENCH_ERR_NOSPC;
        }
        rings->entries[part] =
            (struct trench_step_entry){ (uint32_t)c.m2s, (uint32_t)c.s2m, 1 };
    }
    rings->nr_descs[TRENCH_NCFW_M2S] = ring_length((uint32_t)sum.m2s);
    rings->nr_descs[TRENCH_NCFW_S2M] = ring_length((uint32_t)sum.s2m);
    return 0;
}

/* ---- laying -------------------------------------------------------------- */

static uint64_t ring_bytes(const struct trench_step_rings *rings, unsigned dir)
{
    uint64_t bytes = (uint64_t)rings->nr_descs[dir] * TRENCH_DESC_BYTES;

    return (bytes + TRENCH_PRING_ALIGN - 1) / TRENCH_PRING_ALIGN *
           TRENCH_PRING_ALIGN;
}

static uint64_t pair_bytes(const struct trench_step_rings *rings)
{
    return ring_bytes(rings, TRENCH_NCFW_M2S) +
           ring_bytes(rings, TRENCH_NCFW_S2M);
}

static int alloc(struct trench_step_rings *rings)
{
    uint64_t words_at = rings->nr_pairs * pair_bytes(rings);
    uint64_t size_bytes = words_at + (NOOP_WORDS + 1) * (uint64_t)WORD_BYTES;
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
    rings->one = rings->noop + NOOP_WORDS * WORD_BYTES;
    memset((uint8_t *)mem.cpu + words_at, 0, NOOP_WORDS * WORD_BYTES);
    le_put((uint8_t *)mem.cpu + words_at + NOOP_WORDS * WORD_BYTES, WORD_BYTES,
           1);
    return 0;
}

/* The descriptors of a pair, as they grow. */
struct lists {
    struct trench_desc *tx;
    struct trench_desc *rx;
    size_t nr_tx;
    size_t nr_rx;
};

static int add_copy(struct lists *l, const struct trench_copy *copy)
{
    struct trench_desc descs[TRENCH_NCFW_NR_DIRS];
    int err = trench_desc_copy(copy, descs);

    if (!err) {
        l->tx[l->nr_tx++] = descs[TRENCH_NCFW_M2S];
        l->rx[l->nr_rx++] = descs[TRENCH_NCFW_S2M];
    }
    return err;
}

/* A packet of so many words, each the first of the no-op's. */
static void add_noop(const struct trench_step_rings *rings, struct lists *l,
                     uint32_t words)
{
    const struct trench_copy word = { rings->noop, rings->noop, WORD_BYTES,
                                      TRENCH_BARRIER_NONE };
    struct trench_desc descs[TRENCH_NCFW_NR_DIRS];

    (void)trench_desc_copy(&word, descs);
    for (uint32_t i = 0; i < words; i++) {
        struct trench_desc *tx = &l->tx[l->nr_tx++];

        *tx = descs[TRENCH_NCFW_M2S];
        tx->len_ctrl &=
            ~((i > 0 ? DESC_FIRST : 0) | (i + 1 < words ? DESC_LAST : 0));
    }
    l->rx[l->nr_rx] = descs[TRENCH_NCFW_S2M];
    l->rx[l->nr_rx++].len_ctrl = words * WORD_BYTES;
}

/* So many descriptors of either direction; not fewer of M2S than of S2M. */
static void add_noops(const struct trench_step_rings *rings, struct lists *l,
                      uint64_t m2s, uint64_t s2m)
{
    for (; s2m > 0; s2m--) {
        uint64_t words = m2s - (s2m - 1);

        words = words < NOOP_WORDS ? words : NOOP_WORDS;
        add_noop(rings, l, (uint32_t)words);
        m2s -= words;
    }
}

/* One part of a pair. */
static int add_work(const struct trench_step_rings *rings, struct lists *l,
                    const struct trench_step_work *work,
                    const struct trench_step_entry *entry)
{
    /* Behind the data, or the firmware would go on before it is there. */
    const struct trench_copy signal = { rings->one, rings->signal, WORD_BYTES,
                                        TRENCH_BARRIER_WRITE };
    struct counts c = count_work(work);
    int err = 0;

    for (size_t i = 0; i < work->nr_copies && !err; i++) {
        err = add_copy(l, &work->copies[i]);
    }
    for (size_t i = 0; i < work->nr_reduces && !err; i++) {
        err = trench_desc_reduce(&work->reduces[i], l->tx + l->nr_tx,
                                 l->rx + l->nr_rx);
        l->nr_tx += work->reduces[i].nr_srcs;
        l->nr_rx++;
    }
    if (err) {
        return err;
    }
    add_noops(rings, l, entry->m2s_val - 1 - c.m2s, entry->s2m_val - 1 - c.s2m);
    return add_copy(l, &signal);
}

static int dump(struct trench_step_rings *rings, size_t nr,
                const struct lists *l)
{
    const struct {
        enum trench_pring_type type;
        const struct trench_desc *descs;
        size_t nr;
        uint64_t at;
    } rows[TRENCH_NCFW_NR_DIRS] = {
        [TRENCH_NCFW_M2S] = { TRENCH_PRING_TX, l->tx, l->nr_tx, 0 },
        [TRENCH_NCFW_S2M] = { TRENCH_PRING_RX, l->rx, l->nr_rx,
                              ring_bytes(rings, TRENCH_NCFW_M2S) },
    };
    struct trench_ncfw_channel *channel = &rings->channels[nr];
    int err = 0;

    for (unsigned d = 0; d < TRENCH_NCFW_NR_DIRS && !err; d++) {
        struct trench_pring *ring = &rings->pairs[nr].ring[d];
        const struct trench_dump_conf conf = { .padded = rings->nr_descs[d],
                                               .noop = rings->noop };

        ring->type = rows[d].type;
        err = trench_pring_init(rings->gen, &rings->mem,
                                nr * pair_bytes(rings) + rows[d].at,
                                rings->nr_descs[d], ring);
        if (!err) {
            err = trench_pring_dump_descs(ring, rows[d].descs,
                                          (uint32_t)rows[d].nr, &conf);
            err = err < 0 ? err : 0;
        }
        channel->ring[d].base = trench_pring_base(ring);
        channel->ring[d].nr_descs = rings->nr_descs[d];
    }
    return err;
}

static int lay_pair(struct trench_step_rings *rings, size_t nr,
                    const struct trench_step_rings_conf *conf, struct lists *l)
{
    struct trench_ncfw_channel *channel = &rings->channels[nr];
    int err = 0;

    channel->in_use = true;
    channel->engine = conf->work[nr].engine;
    channel->queue = conf->work[nr].queue;
    l->nr_tx = 0;
    l->nr_rx = 0;
    for (size_t part = 0; part < rings->nr_parts && !err; part++) {
        err = add_work(rings, l, &conf->work[part * conf->nr_work + nr],
                       &rings->entries[part]);
    }
    return err ? err : dump(rings, nr, l);
}

static int lay(struct trench_step_rings *rings,
               const struct trench_step_rings_conf *conf)
{
    struct lists l = {
        .tx = calloc(rings->nr_descs[TRENCH_NCFW_M2S], sizeof(*l.tx)),
        .rx = calloc(rings->nr_descs[TRENCH_NCFW_S2M], sizeof(*l.rx)),
    };
    int err;

    rings->channels = calloc(rings->nr_pairs, sizeof(*rings->channels));
    err = rings->channels && l.tx && l.rx ? alloc(rings) : TRENCH_ERR_NOMEM;
    for (size_t i = 0; i < rings->nr_pairs && !err; i++) {
        err = lay_pair(rings, i, conf, &l);
    }
    free(l.tx);
    free(l.rx);
    return err;
}

static int build(struct trench_step_rings *rings,
                 const struct trench_step_rings_conf *conf)
{
    int err =
        trench_gen_sync_addr(rings->gen, conf->done.owner, conf->done.n,
                             TRENCH_SYNC_INC, conf->done.id, &rings->signal);

    if (!err) {
        rings->entries = calloc(rings->nr_parts, sizeof(*rings->entries));
        err = rings->entries ? count_all(rings, conf) : TRENCH_ERR_NOMEM;
    }
    return err ? err : lay(rings, conf);
}

int trench_step_rings_create(const struct trench_step_rings_conf *conf,
                             struct trench_step_rings **out)
{
    size_t nr_parts = conf->nr_parts ? conf->nr_parts : 1;
    struct trench_step_rings *rings;
    int err;

    err = check_conf(conf, nr_parts);
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
    rings->nr_parts = nr_parts;
    rings->nr_pairs = conf->nr_work;
    err = build(rings, conf);
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
    free(rings->entries);
    free(rings->channels);
    free(rings);
}

const struct trench_ncfw_channel *trench_step_rings_channels(
    const struct trench_step_rings *rings)
{
    return rings->channels;
}

const struct trench_step_entry *trench_step_rings_entries(
    const struct trench_step_rings *rings, size_t *nr)
{
    *nr = rings->nr_parts;
    return rings->entries;
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
