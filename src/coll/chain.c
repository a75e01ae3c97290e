/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Chains (ncfw-steps 6.9): from the root through all others, or through all
 * others to the root, piece by piece: a link moves one piece while the one
 * before it has the next.
 */
#include "coll/coll.h"

#include "base/bits.h"

/* The piece that goes over link i at a step, or -1. */
static int piece_at(const struct coll_builder *b, unsigned step, unsigned i)
{
    if (step < i || step - i >= b->nr_chunks) {
        return -1;
    }
    return (int)(step - i);
}

/* At most as many pieces as elements, so that each step has something to do. */
static unsigned split(struct coll_builder *b)
{
    unsigned pieces = (unsigned)min_u64(b->conf->pieces, b->conf->count);

    if (pieces == 0) {
        return 0;
    }
    coll_build_split(b, pieces);
    return b->conf->ranks - 1 + pieces - 1;
}

static void pass_on(struct coll_builder *b, unsigned rank, unsigned step)
{
    const struct trench_coll_conf *conf = b->conf;
    struct coll_where in = coll_whole(TRENCH_COLL_IN);
    struct coll_where out = coll_whole(TRENCH_COLL_OUT);
    unsigned place = (rank + conf->ranks - conf->root) % conf->ranks;
    unsigned prev = (rank + conf->ranks - 1) % conf->ranks;
    int q;

    if (place == 0) {
        if (step == 0 && !conf->in_place) {
            coll_copy(b, rank, coll_place(b, &in, rank, 0),
                      coll_place(b, &out, rank, 0), conf->count);
        }
        return;
    }
    q = piece_at(b, step, place - 1);
    if (q >= 0) {
        coll_copy(
            b, rank, coll_place(b, place == 1 ? &in : &out, prev, (unsigned)q),
            coll_place(b, &out, rank, (unsigned)q), coll_count(b, (unsigned)q));
    }
}

void coll_chain_broadcast(struct coll_builder *b)
{
    unsigned nr_steps = split(b);

    for (unsigned step = 0; step < nr_steps; step++) {
        for (unsigned rank = 0; rank < b->conf->ranks; rank++) {
            pass_on(b, rank, step);
        }
        coll_step(b);
    }
}

/* The one behind the root begins; sums wait in two slots in turn. */
static void add_to(struct coll_builder *b, unsigned rank, unsigned step)
{
    const struct trench_coll_conf *conf = b->conf;
    struct coll_where in = coll_whole(TRENCH_COLL_IN);
    struct coll_where out = coll_whole(TRENCH_COLL_OUT);
    struct coll_where sum = { TRENCH_COLL_SCRATCH, b->nr_chunks, 0 };
    unsigned place = (rank + conf->ranks - 1 - conf->root) % conf->ranks;
    unsigned prev = (rank + conf->ranks - 1) % conf->ranks;
    int at = place > 0 ? piece_at(b, step, place - 1) : -1;
    unsigned q = (unsigned)at;

    if (at < 0) {
        return;
    }
    sum.slot = q % 2;
    coll_src(b, coll_place(b, place == 1 ? &in : &sum, prev, q));
    coll_src(b, coll_place(b, &in, rank, q));
    coll_move(b, rank, coll_place(b, rank == conf->root ? &out : &sum, rank, q),
              coll_count(b, q));
}

void coll_chain_reduce(struct coll_builder *b)
{
    unsigned nr_steps = split(b);

    for (unsigned step = 0; step < nr_steps; step++) {
        for (unsigned rank = 0; rank < b->conf->ranks; rank++) {
            add_to(b, rank, step);
        }
        coll_step(b);
    }
}
