/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Rings (ncfw-steps 6.3, 6.4). Who receives moves: "send" is the neighbour's
 * read, one step later. A reduction reads what arrives and the own input, and
 * writes one (2R1W).
 */
#include "coll/coll.h"

/*
 * Where a rank keeps the sum that it makes at a hop. Only the next hop of the
 * neighbour reads it, so two places are enough: the result's own, if that is
 * not also the input, and one of scratch.
 */
static struct coll_where sum_at(const struct coll_builder *b,
                                const struct coll_phase *ph, unsigned hop)
{
    unsigned left = ph->n - 2 - hop;
    bool is_input = b->conf->in_place && ph->dst.buf == TRENCH_COLL_OUT;

    if (left == 0) {
        return ph->dst;
    }
    if (ph->sums) {
        return *ph->sums;
    }
    if (left % 2 == 1) {
        return coll_staging(b, ph, 0);
    }
    return is_input ? coll_staging(b, ph, 1) : ph->dst;
}

/* At hop s, position p makes a sum of chunk p - 2 - s. */
static void reduce(struct coll_builder *b, const struct coll_phase *ph,
                   unsigned rank, unsigned s)
{
    unsigned p = coll_member(ph, rank);
    unsigned prev = coll_peer(ph, rank, p + ph->n - 1);
    unsigned j = (p + 2 * ph->n - 2 - s) % ph->n;
    struct coll_where from = s == 0 ? ph->src : sum_at(b, ph, s - 1);
    struct coll_where to = sum_at(b, ph, s);

    for (unsigned k = 0; k < coll_pieces(b, ph); k++) {
        unsigned q = coll_piece(ph, rank, j, k);

        coll_src(b, coll_place(b, &from, prev, q));
        coll_src(b, coll_place(b, &ph->src, rank, q));
        coll_move(b, rank, coll_place(b, &to, rank, q), coll_count(b, q));
    }
}

void coll_ring_reduce_scatter(struct coll_builder *b,
                              const struct coll_phase *ph)
{
    coll_build_rings(b, true);
    for (unsigned s = 0; s + 1 < ph->n; s++) {
        for (unsigned rank = 0; rank < b->conf->ranks; rank++) {
            reduce(b, ph, rank, s);
        }
        coll_step(b);
    }
}

/* At hop t, position p gets chunk p - 1 - t. */
static void gather(struct coll_builder *b, const struct coll_phase *ph,
                   unsigned rank, unsigned t)
{
    unsigned p = coll_member(ph, rank);
    unsigned prev = coll_peer(ph, rank, p + ph->n - 1);
    unsigned j = (p + ph->n - 1 - t) % ph->n;
    const struct coll_where *from = t == 0 ? &ph->src : &ph->dst;

    for (unsigned k = 0; k < coll_pieces(b, ph); k++) {
        unsigned q = coll_piece(ph, rank, j, k);

        coll_copy(b, rank, coll_place(b, from, prev, q),
                  coll_place(b, &ph->dst, rank, q), coll_count(b, q));
    }
}

void coll_ring_all_gather(struct coll_builder *b, const struct coll_phase *ph)
{
    coll_build_rings(b, true);
    for (unsigned t = 0; t + 1 < ph->n; t++) {
        for (unsigned rank = 0; rank < b->conf->ranks; rank++) {
            if (t == 0) {
                coll_copy_own(b, ph, rank);
            }
            gather(b, ph, rank, t);
        }
        coll_step(b);
    }
}
