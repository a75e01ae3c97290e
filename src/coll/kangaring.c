/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Kangaring (ncfw-steps 6.5): a ring of groups. The first rank of each moves
 * for all of them: it reads what its group has (NR1W), and writes what its
 * group gets. Chunks go round by groups, too.
 */
#include "coll/coll.h"

struct kangaring {
    unsigned group; /* ranks of one */
    unsigned nr;    /* groups */
    struct coll_where src;
    struct coll_where dst;
    struct coll_where own; /* what a rank has at the end, or at first */
};

static struct kangaring kangaring(const struct coll_builder *b)
{
    bool gathers = b->conf->op == TRENCH_COLL_ALL_GATHER;
    bool scatters = b->conf->op == TRENCH_COLL_REDUCE_SCATTER;
    struct kangaring k = {
        .group = 1 + b->conf->secondaries,
        .nr = b->conf->ranks / (1 + b->conf->secondaries),
        .src = coll_whole(TRENCH_COLL_IN),
        .dst = coll_whole(TRENCH_COLL_OUT),
        .own = coll_whole(TRENCH_COLL_OUT),
    };

    if (scatters) {
        k.own = coll_own(b, TRENCH_COLL_OUT);
    } else if (gathers && !b->conf->in_place) {
        k.own = coll_own(b, TRENCH_COLL_IN);
    }
    return k;
}

/* Where a primary keeps its sum of chunk q at step s: the next one reads it in
 * the step after. */
static struct trench_coll_place sum_at(const struct coll_builder *b,
                                       const struct kangaring *k, unsigned rank,
                                       unsigned q, unsigned s)
{
    struct coll_where where = coll_own(b, TRENCH_COLL_SCRATCH);

    where.slot = s % 2 * k->group + q % k->group;
    if (b->conf->op == TRENCH_COLL_ALL_REDUCE) {
        where = k->dst;
    }
    return coll_place(b, &where, rank, q);
}

/* At step s, primary g makes sums of group g - 1 - s: at last, its own. */
static void reduce(struct coll_builder *b, const struct kangaring *k,
                   unsigned g, unsigned s)
{
    unsigned primary = g * k->group;
    unsigned prev = (g + k->nr - 1) % k->nr * k->group;
    unsigned q = (g + 2 * k->nr - 1 - s) % k->nr * k->group;
    bool last = s + 1 == k->nr;

    for (unsigned m = 0; m < k->group; m++, q++) {
        if (s > 0) {
            coll_src(b, sum_at(b, k, prev, q, s - 1));
        }
        for (unsigned i = 0; i < k->group; i++) {
            coll_src(b, coll_place(b, &k->src, primary + i, q));
        }
        coll_move(b, primary,
                  last ? coll_place(b, &k->own, q, q)
                       : sum_at(b, k, primary, q, s),
                  coll_count(b, q));
    }
}

/* What each member has, to the group. */
static void share(struct coll_builder *b, const struct kangaring *k, unsigned g)
{
    unsigned primary = g * k->group;
    bool there = k->own.buf == k->dst.buf; /* where it has to be */

    for (unsigned q = primary; q < primary + k->group; q++) {
        for (unsigned m = primary; m < primary + k->group; m++) {
            if (m == q && there) {
                continue;
            }
            coll_copy(b, primary, coll_place(b, &k->own, q, q),
                      coll_place(b, &k->dst, m, q), coll_count(b, q));
        }
    }
}

/* At step t, primary g gets group g - t for all of its own. */
static void gather(struct coll_builder *b, const struct kangaring *k,
                   unsigned g, unsigned t)
{
    unsigned primary = g * k->group;
    unsigned prev = (g + k->nr - 1) % k->nr * k->group;
    unsigned first = (g + k->nr - t) % k->nr * k->group;

    for (unsigned q = first; q < first + k->group; q++) {
        for (unsigned m = primary; m < primary + k->group; m++) {
            coll_copy(b, primary, coll_place(b, &k->dst, prev, q),
                      coll_place(b, &k->dst, m, q), coll_count(b, q));
        }
    }
}

static void reduce_scatter(struct coll_builder *b, const struct kangaring *k)
{
    for (unsigned s = 0; s < k->nr; s++) {
        for (unsigned g = 0; g < k->nr; g++) {
            reduce(b, k, g, s);
        }
        coll_step(b);
    }
}

static void all_gather(struct coll_builder *b, const struct kangaring *k)
{
    for (unsigned g = 0; g < k->nr; g++) {
        share(b, k, g);
    }
    coll_step(b);
    for (unsigned t = 1; t < k->nr; t++) {
        for (unsigned g = 0; g < k->nr; g++) {
            gather(b, k, g, t);
        }
        coll_step(b);
    }
}

void coll_kangaring(struct coll_builder *b)
{
    struct kangaring k = kangaring(b);

    coll_build_rings(b, true);
    if (b->conf->op != TRENCH_COLL_ALL_GATHER) {
        reduce_scatter(b, &k);
    }
    if (b->conf->op != TRENCH_COLL_REDUCE_SCATTER) {
        all_gather(b, &k);
    }
}
