/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Recursive halving and doubling (ncfw-steps 6.8): partners differ in one bit
 * of their number, and each takes from the other what it goes on with.
 */
#include "coll/coll.h"

/*
 * Where member p keeps its sum of chunk j. Of the chunks with its lowest bit,
 * which are all that it ever makes a sum of, each but its own has a slot.
 */
static struct coll_where sum_at(const struct coll_builder *b,
                                const struct coll_phase *ph, unsigned p,
                                unsigned j, bool last)
{
    if (last || (!ph->sums && j == p)) {
        return ph->dst;
    }
    if (ph->sums) {
        return *ph->sums;
    }
    return coll_staging(b, ph, j / 2 - (j / 2 > p / 2));
}

/* The round of a bit: chunks that have that bit, and the lower ones, of p. */
static void reduce(struct coll_builder *b, const struct coll_phase *ph,
                   unsigned rank, unsigned bit)
{
    unsigned p = coll_member(ph, rank);
    unsigned low = p & ~bit; /* is read first, so that sums are in order */
    unsigned high = p | bit;
    bool last = 2 * bit == ph->n;

    for (unsigned j = p % (2 * bit); j < ph->n; j += 2 * bit) {
        struct coll_where first = sum_at(b, ph, low, j, false);
        struct coll_where second = sum_at(b, ph, high, j, false);
        struct coll_where to = sum_at(b, ph, p, j, last);

        if (bit == 1) {
            first = second = ph->src;
        }
        for (unsigned k = 0; k < coll_pieces(b, ph); k++) {
            unsigned q = coll_piece(ph, rank, j, k);

            coll_src(b, coll_place(b, &first, coll_peer(ph, rank, low), q));
            coll_src(b, coll_place(b, &second, coll_peer(ph, rank, high), q));
            coll_move(b, rank, coll_place(b, &to, rank, q), coll_count(b, q));
        }
    }
}

void coll_rdh_reduce_scatter(struct coll_builder *b,
                             const struct coll_phase *ph)
{
    coll_build_rings(b, false);
    for (unsigned bit = 1; bit < ph->n; bit *= 2) {
        for (unsigned rank = 0; rank < b->conf->ranks; rank++) {
            reduce(b, ph, rank, bit);
        }
        coll_step(b);
    }
}

/* All that the partner has: chunks with its lower bits. */
static void gather(struct coll_builder *b, const struct coll_phase *ph,
                   unsigned rank, unsigned bit)
{
    unsigned partner = coll_member(ph, rank) ^ bit;
    unsigned peer = coll_peer(ph, rank, partner);
    bool first = 2 * bit == ph->n;
    const struct coll_where *from = first ? &ph->src : &ph->dst;

    if (first) {
        coll_copy_own(b, ph, rank);
    }
    for (unsigned j = partner % (2 * bit); j < ph->n; j += 2 * bit) {
        for (unsigned k = 0; k < coll_pieces(b, ph); k++) {
            unsigned q = coll_piece(ph, rank, j, k);

            coll_copy(b, rank, coll_place(b, from, peer, q),
                      coll_place(b, &ph->dst, rank, q), coll_count(b, q));
        }
    }
}

void coll_rdh_all_gather(struct coll_builder *b, const struct coll_phase *ph)
{
    coll_build_rings(b, false);
    for (unsigned bit = ph->n / 2; bit > 0; bit /= 2) {
        for (unsigned rank = 0; rank < b->conf->ranks; rank++) {
            gather(b, ph, rank, bit);
        }
        coll_step(b);
    }
}
