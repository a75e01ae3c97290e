/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Meshes (ncfw-steps 6.6): who has writes to all others; what is to be reduced
 * waits in their scratch, a slot for each.
 */
#include "coll/coll.h"

#include "base/bits.h"

/* Where member p keeps what is to be reduced from member i. */
static struct coll_where input_from(const struct coll_builder *b,
                                    const struct coll_phase *ph, unsigned p,
                                    unsigned i)
{
    return i == p ? ph->src : coll_staging(b, ph, i - (i > p));
}

/* Write a chunk of a rank to where member j waits for it. */
static void send(struct coll_builder *b, const struct coll_phase *ph,
                 unsigned rank, unsigned j, unsigned q)
{
    struct coll_where to = input_from(b, ph, j, coll_member(ph, rank));

    coll_copy(b, rank, coll_place(b, &ph->src, rank, q),
              coll_place(b, &to, coll_peer(ph, rank, j), q), coll_count(b, q));
}

/* A packet has 32 sources; after the first, one of them is the sum so far. */
static unsigned nr_rounds(unsigned n)
{
    const unsigned more = TRENCH_CCE_MAX_SOURCES - 1;

    return n <= TRENCH_CCE_MAX_SOURCES ? 1 : (n - 2) / more + 1;
}

/*
 * Reduce the inputs in the order of members. A sum that is not complete is
 * kept in the slot of the first other one, which has been used up by then: the
 * result's place may be the own input.
 */
static void reduce(struct coll_builder *b, const struct coll_phase *ph,
                   unsigned rank, unsigned q, unsigned round)
{
    const unsigned more = TRENCH_CCE_MAX_SOURCES - 1;
    unsigned p = coll_member(ph, rank);
    unsigned first = round ? round * more + 1 : 0;
    unsigned end = min_u32((round + 1) * more + 1, ph->n);
    struct coll_where sum = coll_staging(b, ph, 0);
    struct coll_where to = end == ph->n ? ph->dst : sum;

    if (round > 0) {
        coll_src(b, coll_place(b, &sum, rank, q));
    }
    for (unsigned i = first; i < end; i++) {
        struct coll_where from = input_from(b, ph, p, i);

        coll_src(b, coll_place(b, &from, rank, q));
    }
    coll_move(b, rank, coll_place(b, &to, rank, q), coll_count(b, q));
}

/* A rank's chunks of all others, to them; in rotation, so that none waits. */
static void scatter(struct coll_builder *b, const struct coll_phase *ph,
                    unsigned rank)
{
    unsigned p = coll_member(ph, rank);

    for (unsigned s = 1; s < ph->n; s++) {
        unsigned j = (p + s) % ph->n;

        for (unsigned k = 0; k < coll_pieces(b, ph); k++) {
            send(b, ph, rank, j, coll_piece(ph, rank, j, k));
        }
    }
}

static void reduce_own(struct coll_builder *b, const struct coll_phase *ph,
                       unsigned rank, unsigned round)
{
    unsigned p = coll_member(ph, rank);

    for (unsigned k = 0; k < coll_pieces(b, ph); k++) {
        reduce(b, ph, rank, coll_piece(ph, rank, p, k), round);
    }
}

void coll_mesh_reduce_scatter(struct coll_builder *b,
                              const struct coll_phase *ph)
{
    coll_build_rings(b, false);
    for (unsigned rank = 0; rank < b->conf->ranks; rank++) {
        scatter(b, ph, rank);
    }
    coll_step(b);
    for (unsigned round = 0; round < nr_rounds(ph->n); round++) {
        for (unsigned rank = 0; rank < b->conf->ranks; rank++) {
            reduce_own(b, ph, rank, round);
        }
        coll_step(b);
    }
}

/* A rank's own chunks to all others. */
static void spread(struct coll_builder *b, const struct coll_phase *ph,
                   unsigned rank)
{
    unsigned p = coll_member(ph, rank);

    for (unsigned s = 1; s < ph->n; s++) {
        unsigned peer = coll_peer(ph, rank, p + s);

        for (unsigned k = 0; k < coll_pieces(b, ph); k++) {
            unsigned q = coll_piece(ph, rank, p, k);

            coll_copy(b, rank, coll_place(b, &ph->src, rank, q),
                      coll_place(b, &ph->dst, peer, q), coll_count(b, q));
        }
    }
}

void coll_mesh_all_gather(struct coll_builder *b, const struct coll_phase *ph)
{
    coll_build_rings(b, false);
    for (unsigned rank = 0; rank < b->conf->ranks; rank++) {
        coll_copy_own(b, ph, rank);
        spread(b, ph, rank);
    }
    coll_step(b);
}

void coll_mesh_broadcast(struct coll_builder *b)
{
    const struct trench_coll_conf *conf = b->conf;
    struct coll_where in = coll_whole(TRENCH_COLL_IN);
    struct coll_where out = coll_whole(TRENCH_COLL_OUT);
    unsigned root = conf->root;

    for (unsigned s = conf->in_place ? 1 : 0; s < conf->ranks; s++) {
        unsigned to = (root + s) % conf->ranks;

        coll_copy(b, root, coll_place(b, &in, root, 0),
                  coll_place(b, &out, to, 0), conf->count);
    }
    coll_step(b);
}

/* One chunk, which is the whole vector, of all ranks. */
static struct coll_phase single_step(struct coll_builder *b)
{
    coll_build_split(b, 1);
    return (struct coll_phase){
        .n = b->conf->ranks,
        .stride = 1,
        .src = coll_whole(TRENCH_COLL_IN),
        .dst = coll_whole(TRENCH_COLL_OUT),
    };
}

void coll_mesh_all_reduce_at_once(struct coll_builder *b)
{
    struct coll_phase ph = single_step(b);

    for (unsigned rank = 0; rank < ph.n; rank++) {
        for (unsigned s = 1; s < ph.n; s++) {
            send(b, &ph, rank, (rank + s) % ph.n, 0);
        }
    }
    coll_step(b);
    for (unsigned round = 0; round < nr_rounds(ph.n); round++) {
        for (unsigned rank = 0; rank < ph.n; rank++) {
            reduce(b, &ph, rank, 0, round);
        }
        coll_step(b);
    }
}

void coll_mesh_reduce_at_once(struct coll_builder *b)
{
    struct coll_phase ph = single_step(b);

    for (unsigned rank = 0; rank < ph.n; rank++) {
        if (rank != b->conf->root) {
            send(b, &ph, rank, b->conf->root, 0);
        }
    }
    coll_step(b);
    for (unsigned round = 0; round < nr_rounds(ph.n); round++) {
        reduce(b, &ph, b->conf->root, 0, round);
        coll_step(b);
    }
}
