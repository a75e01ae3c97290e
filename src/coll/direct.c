/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What is written straight to where it belongs: all-to-all, send-receive,
 * permute (ncfw-steps 6.6, 6.9).
 */
#include "coll/coll.h"

/* A slot of scratch, with room for a block. */
static struct coll_where slot(const struct coll_builder *b, unsigned i)
{
    struct coll_where where = coll_own(b, TRENCH_COLL_SCRATCH);

    where.slot = i;
    return where;
}

/* Rank's block for another one, to where that one keeps rank's. */
static void send(struct coll_builder *b, struct coll_where from, unsigned rank,
                 unsigned to)
{
    struct coll_where out = coll_whole(TRENCH_COLL_OUT);

    coll_copy(b, rank, coll_place(b, &from, rank, to),
              coll_place(b, &out, to, rank), b->conf->count);
}

static void set_aside(struct coll_builder *b, unsigned rank, unsigned q,
                      unsigned i)
{
    struct coll_where in = coll_whole(TRENCH_COLL_IN);
    struct coll_where aside = slot(b, i);

    coll_copy(b, rank, coll_place(b, &in, rank, q),
              coll_place(b, &aside, rank, q), b->conf->count);
}

/* Every rank to the one that is s further. */
static void rotate(struct coll_builder *b, struct coll_where from, unsigned s)
{
    for (unsigned rank = 0; rank < b->conf->ranks; rank++) {
        unsigned to = (rank + s) % b->conf->ranks;

        if (s == 1 && !b->conf->in_place) {
            send(b, from, rank, rank);
        }
        send(b, from, rank, to);
    }
    coll_step(b);
}

/*
 * In place a block arrives where the one lies that goes the other way. Each
 * rotation therefore sets those aside, and is followed by the opposite one.
 */
static void exchange(struct coll_builder *b, unsigned s)
{
    unsigned n = b->conf->ranks;

    for (unsigned rank = 0; rank < n; rank++) {
        set_aside(b, rank, (rank + n - s) % n, 0);
    }
    coll_step(b);
    if (2 * s != n) {
        rotate(b, coll_whole(TRENCH_COLL_IN), s);
    }
    rotate(b, slot(b, 0), n - s);
}

void coll_all_to_all(struct coll_builder *b)
{
    unsigned n = b->conf->ranks;

    if (b->conf->in_place) {
        for (unsigned s = 1; 2 * s <= n; s++) {
            exchange(b, s);
        }
        return;
    }
    for (unsigned s = 1; s < n; s++) {
        rotate(b, coll_whole(TRENCH_COLL_IN), s);
    }
}

void coll_all_to_all_at_once(struct coll_builder *b)
{
    unsigned n = b->conf->ranks;
    bool aside = b->conf->in_place;

    for (unsigned rank = 0; aside && rank < n; rank++) {
        for (unsigned s = 1; s < n; s++) {
            set_aside(b, rank, (rank + s) % n, s - 1);
        }
    }
    coll_step(b);
    for (unsigned rank = 0; rank < n; rank++) {
        for (unsigned s = aside; s < n; s++) {
            send(b, aside ? slot(b, s - 1) : coll_whole(TRENCH_COLL_IN), rank,
                 (rank + s) % n);
        }
    }
    coll_step(b);
}

static unsigned receiver(const struct trench_coll_conf *conf, unsigned rank)
{
    return conf->op == TRENCH_COLL_PERMUTE ? conf->dest[rank]
                                           : (rank + 1) % conf->ranks;
}

/* In place all of it is set aside, but for what stays where it is. */
void coll_permute(struct coll_builder *b)
{
    const struct trench_coll_conf *conf = b->conf;
    struct coll_where in = coll_whole(TRENCH_COLL_IN);
    struct coll_where aside = slot(b, 0);
    struct coll_where out = coll_whole(TRENCH_COLL_OUT);
    const struct coll_where *from = conf->in_place ? &aside : &in;

    coll_build_rings(b, conf->algo == TRENCH_COLL_RING);
    for (unsigned rank = 0; conf->in_place && rank < conf->ranks; rank++) {
        if (receiver(conf, rank) != rank) {
            coll_copy(b, rank, coll_place(b, &in, rank, 0),
                      coll_place(b, &aside, rank, 0), conf->count);
        }
    }
    coll_step(b);
    for (unsigned rank = 0; rank < conf->ranks; rank++) {
        unsigned to = receiver(conf, rank);

        if (to != rank || !conf->in_place) {
            coll_copy(b, rank, coll_place(b, from, rank, 0),
                      coll_place(b, &out, to, 0), conf->count);
        }
    }
    coll_step(b);
}
