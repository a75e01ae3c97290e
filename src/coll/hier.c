/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Algorithms that are a reduce-scatter and an all-gather, and the hierarchy of
 * two of them (ncfw-steps 6.7): X chips of Y ranks, rank = n * Y + l. A shard l
 * is the chunks that are l modulo Y.
 */
#include "coll/coll.h"

struct hier {
    const struct coll_algo *intra;
    const struct coll_algo *inter; /* NULL: there is one level */
    struct coll_phase in;
    struct coll_phase between;
    struct coll_where shard; /* in scratch */
};

static struct hier two_levels(const struct coll_builder *b, unsigned y)
{
    return (struct hier){
        .in = { .n = y, .stride = 1 },
        .between = { .n = b->conf->ranks / y, .stride = y },
        .shard = { .buf = TRENCH_COLL_SCRATCH, .div = y },
    };
}

/* Behind the shard, if it is in scratch. */
static unsigned free_slot(const struct hier *h, const struct coll_where *where)
{
    return where->buf == TRENCH_COLL_SCRATCH ? h->between.n : 0;
}

static void reduce_scatter(struct coll_builder *b, const struct hier *h,
                           struct coll_where dst)
{
    /* The output of an all-reduce is free, and has room for it all. */
    bool all = b->conf->op == TRENCH_COLL_ALL_REDUCE;
    struct coll_where middle = all ? dst : h->shard;
    struct coll_phase in = h->in;
    struct coll_phase between = h->between;

    in.src = coll_whole(TRENCH_COLL_IN);
    in.dst = h->inter ? middle : dst;
    in.sums = all ? &middle : NULL;
    in.slot = free_slot(h, &in.dst);
    h->intra->reduce_scatter(b, &in);
    if (h->inter) {
        between.src = middle;
        between.sums = &middle;
        between.dst = dst;
        between.slot = free_slot(h, &middle);
        h->inter->reduce_scatter(b, &between);
    }
}

static void all_gather(struct coll_builder *b, const struct hier *h,
                       struct coll_where src)
{
    struct coll_phase in = h->in;
    struct coll_phase between = h->between;

    in.src = src;
    in.dst = between.dst = coll_whole(TRENCH_COLL_OUT);
    if (h->inter) {
        between.src = src;
        h->inter->all_gather(b, &between);
        in.src = between.dst;
    }
    h->intra->all_gather(b, &in);
}

/* Each rank its chunk of the result, to the root. */
static void gather(struct coll_builder *b, const struct hier *h)
{
    struct coll_where out = coll_whole(TRENCH_COLL_OUT);

    coll_build_rings(b, false);
    for (unsigned rank = 0; rank < b->conf->ranks; rank++) {
        coll_copy(b, rank, coll_place(b, &h->shard, rank, rank),
                  coll_place(b, &out, b->conf->root, rank),
                  coll_count(b, rank));
    }
    coll_step(b);
}

static void compose(struct coll_builder *b, const struct hier *h)
{
    struct coll_where out = coll_whole(TRENCH_COLL_OUT);
    struct coll_where own = coll_own(b, TRENCH_COLL_IN);

    switch (b->conf->op) {
    case TRENCH_COLL_ALL_REDUCE:
        reduce_scatter(b, h, out);
        all_gather(b, h, out);
        break;
    case TRENCH_COLL_REDUCE_SCATTER:
        reduce_scatter(b, h, coll_own(b, TRENCH_COLL_OUT));
        break;
    case TRENCH_COLL_ALL_GATHER:
        all_gather(b, h, b->conf->in_place ? out : own);
        break;
    default: /* reduce: the tables of algorithms name no other */
        reduce_scatter(b, h, h->shard);
        gather(b, h);
    }
}

void coll_flat(struct coll_builder *b)
{
    struct hier h = two_levels(b, b->conf->ranks);

    h.intra = coll_algo(b->conf->algo);
    compose(b, &h);
}

void coll_hier(struct coll_builder *b)
{
    struct hier h = two_levels(b, b->conf->chip_ranks);

    h.intra = coll_algo(b->conf->intra);
    h.inter = coll_algo(b->conf->inter);
    compose(b, &h);
}
