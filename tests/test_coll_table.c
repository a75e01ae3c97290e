/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The tables of ncfw-steps 6 row by row, which algorithm is chosen, and what is
 * refused.
 */
#include <trench/coll.h>

#include "check.h"

static struct trench_coll_schedule *make(const struct trench_coll_conf *conf)
{
    struct trench_coll_schedule *s = NULL;
    int err = trench_coll_create(conf, &s);

    CHECK_EQ(err, 0, "%s %s %u", trench_coll_op_name(conf->op),
             trench_coll_algo_name(conf->algo), conf->ranks);
    return s;
}

static const struct trench_coll_place *source(
    const struct trench_coll_schedule *s, const struct trench_coll_move *m,
    unsigned k)
{
    assert_true(k < m->nr_src);
    return trench_coll_places(s) + m->src + k;
}

/* ---- ring (6.3) ---------------------------------------------------------- */

/* What each of 4 ranks sends, and receives: 3 steps of reduce-scatter, 3 of
 * all-gather. */
static const struct {
    uint64_t send;
    uint64_t recv;
} ring_4[6][4] = {
    { { 3, 2 }, { 0, 3 }, { 1, 0 }, { 2, 1 } },
    { { 2, 1 }, { 3, 2 }, { 0, 3 }, { 1, 0 } },
    { { 1, 0 }, { 2, 1 }, { 3, 2 }, { 0, 3 } },
    { { 0, 3 }, { 1, 0 }, { 2, 1 }, { 3, 2 } },
    { { 3, 2 }, { 0, 3 }, { 1, 0 }, { 2, 1 } },
    { { 2, 1 }, { 3, 2 }, { 0, 3 }, { 1, 0 } },
};

/* One of the two moves of a rank: 64 elements a chunk, 32 a half. */
static void check_ring_move(const struct trench_coll_schedule *s, size_t step,
                            const struct trench_coll_move *m, unsigned i)
{
    unsigned rank = i / 2;
    unsigned half = i % 2;
    unsigned prev = (rank + 3) % 4;
    uint64_t at = 64 * ring_4[step][rank].recv + 32 * half;
    const struct trench_coll_place *from = source(s, m, 0);

    CHECK_EQ(m->rank, rank, "step %zu", step);
    CHECK_EQ(m->half, half, "step %zu rank %u", step, rank);
    CHECK_EQ(m->channel, 0, "step %zu rank %u", step, rank);
    CHECK_EQ(m->count, 32, "step %zu rank %u", step, rank);
    CHECK_EQ(m->dst.rank, rank, "step %zu rank %u", step, rank);
    CHECK_EQ(m->dst.buf, TRENCH_COLL_OUT, "step %zu rank %u", step, rank);
    CHECK_EQ(m->dst.first, at, "step %zu rank %u", step, rank);
    CHECK_EQ(from->rank, prev, "step %zu rank %u", step, rank);
    CHECK_EQ(from->buf, step == 0 ? TRENCH_COLL_IN : TRENCH_COLL_OUT,
             "step %zu rank %u", step, rank);
    /* What it receives is what the one before it sends. */
    CHECK_EQ(from->first, 64 * ring_4[step][prev].send + 32 * half,
             "step %zu rank %u", step, rank);
    CHECK_EQ(m->nr_src, step < 3 ? 2 : 1, "step %zu rank %u", step, rank);
    if (step < 3) {
        const struct trench_coll_place *own = source(s, m, 1);

        CHECK_EQ(own->rank, rank, "step %zu", step);
        CHECK_EQ(own->buf, TRENCH_COLL_IN, "step %zu", step);
        CHECK_EQ(own->first, at, "step %zu", step);
    }
}

static void test_ring_of_4(void **state)
{
    const struct trench_coll_conf conf = { .op = TRENCH_COLL_ALL_REDUCE,
                                           .algo = TRENCH_COLL_RING,
                                           .ranks = 4,
                                           .count = 256 };
    struct trench_coll_schedule *s = make(&conf);
    size_t nr;

    (void)state;
    CHECK_EQ(trench_coll_steps(s), 6, "2 (N - 1)");
    for (size_t step = 0; step < 6; step++) {
        const struct trench_coll_move *m = trench_coll_moves(s, step, &nr);

        CHECK_EQ(nr, 8, "step %zu", step);
        for (unsigned i = 0; i < 8; i++) {
            check_ring_move(s, step, &m[i], i);
        }
    }
    CHECK_EQ(trench_coll_size(s, TRENCH_COLL_SCRATCH), 0, "sums are in OUT");
    trench_coll_destroy(s);
}

/* 3 channels of a chunk of 300: whole units of 32, then halves of them. */
static void test_channels(void **state)
{
    static const struct {
        uint8_t channel, half;
        uint64_t first, count;
    } parts[] = {
        { 0, 0, 0, 64 },   { 0, 1, 64, 64 },  { 1, 0, 128, 64 },
        { 1, 1, 192, 32 }, { 2, 0, 224, 64 }, { 2, 1, 288, 12 },
    };
    const struct trench_coll_conf conf = { .op = TRENCH_COLL_REDUCE_SCATTER,
                                           .algo = TRENCH_COLL_RING,
                                           .ranks = 2,
                                           .count = 300,
                                           .channels = 3 };
    struct trench_coll_schedule *s = make(&conf);
    size_t nr;
    const struct trench_coll_move *m = trench_coll_moves(s, 0, &nr);

    (void)state;
    CHECK_EQ(nr, 2 * ARRAY_LEN(parts), "moves");
    for (size_t i = 0; i < nr; i++) {
        const size_t k = i % ARRAY_LEN(parts);
        const unsigned rank = i >= ARRAY_LEN(parts);

        CHECK_EQ(m[i].rank, rank, "%zu", i);
        CHECK_EQ(m[i].channel, parts[k].channel, "%zu", i);
        CHECK_EQ(m[i].half, parts[k].half, "%zu", i);
        CHECK_EQ(m[i].dst.first, parts[k].first, "%zu", i);
        CHECK_EQ(m[i].count, parts[k].count, "%zu", i);
        CHECK_EQ(source(s, &m[i], 0)->first, 300 * rank + parts[k].first, "%zu",
                 i);
    }
    trench_coll_destroy(s);
}

/* What is sent on goes through all channels, too. */
static void test_channels_of_a_neighbour(void **state)
{
    const struct trench_coll_conf conf = { .op = TRENCH_COLL_SEND_RECV,
                                           .algo = TRENCH_COLL_RING,
                                           .ranks = 3,
                                           .count = 128,
                                           .channels = 2 };
    struct trench_coll_schedule *s = make(&conf);
    size_t nr;

    (void)state;
    trench_coll_moves(s, 0, &nr);
    CHECK_EQ(nr, 3 * 2 * 2, "ranks, channels, halves");
    trench_coll_destroy(s);
}

/* Few elements: as even as can be, and nothing is split below 32. */
static void test_few_elements(void **state)
{
    static const uint64_t first[] = { 0, 3, 6, 8 };
    struct trench_coll_conf conf = { .op = TRENCH_COLL_ALL_REDUCE,
                                     .algo = TRENCH_COLL_RING,
                                     .ranks = 4,
                                     .count = 10,
                                     .channels = 8 };
    struct trench_coll_schedule *s = make(&conf);
    size_t nr;
    const struct trench_coll_move *m = trench_coll_moves(s, 0, &nr);

    (void)state;
    CHECK_EQ(nr, 4, "one a rank");
    for (unsigned i = 0; i < 4; i++) {
        unsigned q = (i + 2) % 4;

        CHECK_EQ(m[i].dst.first, first[q], "rank %u", i);
        CHECK_EQ(m[i].count, (q == 3 ? 10 : first[q + 1]) - first[q], "rank %u",
                 i);
    }
    trench_coll_destroy(s);
    conf.count = 3; /* a rank's chunk is empty */
    s = make(&conf);
    CHECK_EQ(trench_coll_steps(s), 6, "all of them");
    trench_coll_moves(s, 0, &nr);
    CHECK_EQ(nr, 3, "3 elements");
    trench_coll_destroy(s);
}

/* ---- recursive halving and doubling (6.8) -------------------------------- */

/* Partner, what is sent and what is kept, as sets of chunks. */
static const struct {
    uint8_t partner, send, keep;
} rdh_8[8][3] = {
    { { 1, 0xAA, 0x55 }, { 2, 0x44, 0x11 }, { 4, 0x10, 0x01 } },
    { { 0, 0x55, 0xAA }, { 3, 0x88, 0x22 }, { 5, 0x20, 0x02 } },
    { { 3, 0xAA, 0x55 }, { 0, 0x11, 0x44 }, { 6, 0x40, 0x04 } },
    { { 2, 0x55, 0xAA }, { 1, 0x22, 0x88 }, { 7, 0x80, 0x08 } },
    { { 5, 0xAA, 0x55 }, { 6, 0x44, 0x11 }, { 0, 0x01, 0x10 } },
    { { 4, 0x55, 0xAA }, { 7, 0x88, 0x22 }, { 1, 0x02, 0x20 } },
    { { 7, 0xAA, 0x55 }, { 4, 0x11, 0x44 }, { 2, 0x04, 0x40 } },
    { { 6, 0x55, 0xAA }, { 5, 0x22, 0x88 }, { 3, 0x08, 0x80 } },
};

/* What goes from one rank to another in a step; 32 elements a chunk. */
static unsigned chunks_sent(const struct trench_coll_schedule *s, size_t step,
                            unsigned from, unsigned to)
{
    unsigned set = 0;
    size_t nr;
    const struct trench_coll_move *m = trench_coll_moves(s, step, &nr);

    for (size_t i = 0; i < nr; i++) {
        for (unsigned k = 0; k < m[i].nr_src; k++) {
            if (m[i].dst.rank == to && source(s, &m[i], k)->rank == from) {
                CHECK_EQ(m[i].dst.first % 32, 0, "step %zu", step);
                CHECK_EQ(source(s, &m[i], k)->first, m[i].dst.first, "step %zu",
                         step);
                set |= 1u << m[i].dst.first / 32;
            }
        }
    }
    return set;
}

static void test_rdh_of_8(void **state)
{
    const struct trench_coll_conf conf = { .op = TRENCH_COLL_ALL_REDUCE,
                                           .algo = TRENCH_COLL_RDH,
                                           .ranks = 8,
                                           .count = 256 };
    struct trench_coll_schedule *s = make(&conf);

    (void)state;
    CHECK_EQ(trench_coll_steps(s), 6, "2 log2 N");
    for (size_t round = 0; round < 3; round++) {
        for (unsigned r = 0; r < 8; r++) {
            unsigned partner = rdh_8[r][round].partner;

            CHECK_EQ(chunks_sent(s, round, r, partner), rdh_8[r][round].send,
                     "round %zu rank %u", round, r);
            CHECK_EQ(chunks_sent(s, round, partner, r), rdh_8[r][round].keep,
                     "round %zu rank %u", round, r);
            CHECK_EQ(chunks_sent(s, round, r, r), rdh_8[r][round].keep,
                     "round %zu rank %u", round, r);
        }
    }
    /* All-gather: axes 4, 2, 1; all chunks held go to the partner. */
    for (unsigned r = 0; r < 8; r++) {
        unsigned held = 1u << r;

        for (unsigned axis = 0; axis < 3; axis++) {
            unsigned partner = r ^ (4u >> axis);

            CHECK_EQ(chunks_sent(s, 3 + axis, r, partner), held,
                     "axis %u rank %u", axis, r);
            held |= chunks_sent(s, 3 + axis, partner, r);
        }
        CHECK_EQ(held, 0xFF, "rank %u", r);
    }
    trench_coll_destroy(s);
}

/* Held sets of rank 0: {0,4}, {0,2,4,6}, all. */
static void test_rdh_held_sets(void **state)
{
    static const unsigned sets[] = { 0x01, 0x11, 0x55, 0xFF };
    const struct trench_coll_conf conf = { .op = TRENCH_COLL_ALL_GATHER,
                                           .algo = TRENCH_COLL_RDH,
                                           .ranks = 8,
                                           .in_place = true,
                                           .count = 32 };
    struct trench_coll_schedule *s = make(&conf);
    unsigned held = 0x01;

    (void)state;
    CHECK_EQ(trench_coll_steps(s), 3, "axes");
    for (unsigned axis = 0; axis < 3; axis++) {
        CHECK_EQ(held, sets[axis], "axis %u", axis);
        held |= chunks_sent(s, axis, 4u >> axis, 0);
    }
    CHECK_EQ(held, sets[3], "all");
    trench_coll_destroy(s);
}

/* ---- hierarchy (6.7) ----------------------------------------------------- */

/* X = 2, Y = 4: rank (n, l) ends with chunk n * 4 + l, after the shard {l,
 * 4 + l}. */
static void test_hierarchy_of_2_by_4(void **state)
{
    const struct trench_coll_conf conf = { .op = TRENCH_COLL_REDUCE_SCATTER,
                                           .algo = TRENCH_COLL_HIER,
                                           .ranks = 8,
                                           .chip_ranks = 4,
                                           .intra = TRENCH_COLL_MESH,
                                           .inter = TRENCH_COLL_RING,
                                           .count = 32 };
    struct trench_coll_schedule *s = make(&conf);
    size_t nr;
    const struct trench_coll_move *m;

    (void)state;
    CHECK_EQ(trench_coll_steps(s), 3, "mesh: send, reduce; ring: one hop");
    m = trench_coll_moves(s, 1, &nr);
    CHECK_EQ(nr, 16, "two chunks each");
    for (unsigned i = 0; i < nr; i++) {
        unsigned l = i / 2 % 4;
        const struct trench_coll_place *own = source(s, &m[i], l);

        CHECK_EQ(m[i].rank, i / 2, "move %u", i);
        CHECK_EQ(m[i].nr_src, 4, "move %u", i);
        CHECK_EQ(own->buf, TRENCH_COLL_IN, "move %u", i);
        CHECK_EQ(own->first, 32 * (i % 2 ? 4 + l : l), "move %u", i);
    }
    m = trench_coll_moves(s, 2, &nr);
    CHECK_EQ(nr, 8, "one chunk each");
    for (unsigned r = 0; r < 8; r++) {
        CHECK_EQ(m[r].dst.buf, TRENCH_COLL_OUT, "rank %u", r);
        CHECK_EQ(source(s, &m[r], 0)->rank, r ^ 4, "rank %u", r);
        CHECK_EQ(source(s, &m[r], 1)->rank, r, "rank %u", r);
        /* of the shard, which begins with chunk l, chunk n * 4 + l */
        CHECK_EQ(source(s, &m[r], 1)->first, 32 * (r / 4), "rank %u", r);
    }
    trench_coll_destroy(s);
}

/* ---- kangaring (6.5) ----------------------------------------------------- */

static void check_kangaring(unsigned p, unsigned secondaries)
{
    unsigned g = 1 + secondaries;
    const struct trench_coll_conf conf = { .op = TRENCH_COLL_ALL_REDUCE,
                                           .algo = TRENCH_COLL_KANGARING,
                                           .ranks = p * g,
                                           .secondaries = secondaries,
                                           .count = UINT64_C(32) * p * g };
    struct trench_coll_schedule *s = make(&conf);
    size_t nr;

    CHECK_EQ(trench_coll_steps(s), 2 * p, "(%u,%u)", p, secondaries);
    for (unsigned step = 0; step < 2 * p; step++) {
        const struct trench_coll_move *m = trench_coll_moves(s, step, &nr);

        for (size_t i = 0; i < nr; i++) {
            unsigned primary = m[i].rank / g;
            unsigned group = (unsigned)(m[i].dst.first / 32 / g);
            unsigned back = step < p ? 1 + step : step - p;

            CHECK_EQ(m[i].rank % g, 0, "(%u,%u) %u", p, secondaries, step);
            CHECK_EQ(group, (primary + 2 * p - back) % p, "(%u,%u) %u", p,
                     secondaries, step);
            CHECK_EQ(m[i].nr_src,
                     step == 0  ? g
                     : step < p ? g + 1
                                : 1,
                     "(%u,%u) %u", p, secondaries, step);
            if (step == p - 1) { /* chunk m at member m */
                CHECK_EQ(m[i].dst.first, 32 * m[i].dst.rank, "(%u,%u)", p,
                         secondaries);
            }
        }
    }
    trench_coll_destroy(s);
}

static void test_kangaring(void **state)
{
    (void)state;
    check_kangaring(2, 1);
    check_kangaring(4, 1);
    check_kangaring(8, 1);
    check_kangaring(2, 3);
    check_kangaring(4, 3);
}

/* ---- rotation and chain (6.6, 6.9) --------------------------------------- */

/* In each step each rank sends to one, and receives from one. */
static void test_rotation(void **state)
{
    (void)state;
    for (unsigned n = 2; n <= 8; n *= 2) {
        const struct trench_coll_conf conf = { .op = TRENCH_COLL_ALL_TO_ALL,
                                               .algo = TRENCH_COLL_MESH,
                                               .ranks = n,
                                               .count = 1 };
        struct trench_coll_schedule *s = make(&conf);

        CHECK_EQ(trench_coll_steps(s), n - 1, "N - 1");
        for (unsigned step = 0; step < n - 1; step++) {
            size_t nr;
            const struct trench_coll_move *m = trench_coll_moves(s, step, &nr);

            CHECK_EQ(nr, step == 0 ? 2 * n : n, "n=%u", n);
            for (size_t i = 0; i < nr; i++) {
                unsigned d = (m[i].dst.rank + n - m[i].rank) % n;

                CHECK_EQ(d == 0 ? step == 0 : d == step + 1, 1, "n=%u step %u",
                         n, step);
            }
        }
        trench_coll_destroy(s);
    }
}

static void test_chain(void **state)
{
    (void)state;
    for (unsigned n = 2; n <= 8; n *= 2) {
        struct trench_coll_conf conf = { .op = TRENCH_COLL_BROADCAST,
                                         .algo = TRENCH_COLL_CHAIN,
                                         .ranks = n,
                                         .pieces = 4,
                                         .root = n - 1,
                                         .count = 4096 };
        struct trench_coll_schedule *s = make(&conf);

        CHECK_EQ(trench_coll_steps(s), n - 1 + 4 - 1, "n=%u", n);
        trench_coll_destroy(s);
        conf.op = TRENCH_COLL_REDUCE;
        s = make(&conf);
        CHECK_EQ(trench_coll_steps(s), n - 1 + 4 - 1, "n=%u", n);
        trench_coll_destroy(s);
    }
}

/* More inputs than a packet has sources: 33 take two, 64 three. */
static void test_sources_of_a_packet(void **state)
{
    static const struct {
        unsigned ranks;
        size_t steps;
    } rows[] = { { 31, 2 }, { 32, 2 }, { 33, 3 }, { 63, 3 },
                 { 64, 4 }, { 94, 4 }, { 95, 5 }, { 512, 18 } };

    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        const struct trench_coll_conf conf = {
            .op = TRENCH_COLL_REDUCE,
            .algo = TRENCH_COLL_SINGLE_STEP_MESH,
            .ranks = rows[i].ranks,
            .count = 7,
        };
        struct trench_coll_schedule *s = make(&conf);
        size_t nr;
        size_t read = 0;

        CHECK_EQ(trench_coll_steps(s), rows[i].steps, "%u", rows[i].ranks);
        for (size_t k = 1; k < rows[i].steps; k++) {
            const struct trench_coll_move *m = trench_coll_moves(s, k, &nr);

            CHECK_EQ(nr, 1, "%u", rows[i].ranks);
            assert_true(m->nr_src <= 32);
            read += m->nr_src;
        }
        CHECK_EQ(read, rows[i].ranks + rows[i].steps - 2, "%u", rows[i].ranks);
        trench_coll_destroy(s);
    }
}

/* ---- scratch ------------------------------------------------------------- */

/*
 * As little as there can be: no slot for what is its own, or for what the
 * output has room for. In chunks of 32 elements.
 */
static void test_scratch(void **state)
{
    enum {
        AR = TRENCH_COLL_ALL_REDUCE,
        RS = TRENCH_COLL_REDUCE_SCATTER,
        AG = TRENCH_COLL_ALL_GATHER,
        RED = TRENCH_COLL_REDUCE,
        A2A = TRENCH_COLL_ALL_TO_ALL,
        SR = TRENCH_COLL_SEND_RECV,
    };
    static const struct {
        int op;
        enum trench_coll_algo algo;
        unsigned ranks, chip_ranks;
        unsigned scratch[2]; /* out of place, in place */
    } rows[] = {
        { AR, TRENCH_COLL_RING, 4, 0, { 0, 0 } },
        { AG, TRENCH_COLL_RING, 4, 0, { 0, 0 } },
        /* sums in turn; in place, the output is an input until the end */
        { RS, TRENCH_COLL_RING, 2, 0, { 0, 0 } },
        { RS, TRENCH_COLL_RING, 3, 0, { 1, 1 } },
        { RS, TRENCH_COLL_RING, 4, 0, { 1, 2 } },
        { RS, TRENCH_COLL_RING, 9, 0, { 1, 2 } },
        { AR, TRENCH_COLL_KANGARING, 8, 0, { 0, 0 } },
        { RS, TRENCH_COLL_KANGARING, 4, 0, { 2, 2 } },  /* 2 groups of 2 */
        { RS, TRENCH_COLL_KANGARING, 12, 0, { 8, 8 } }, /* 3 of 4 */
        /* what the others send */
        { AR, TRENCH_COLL_MESH, 8, 0, { 7, 7 } },
        { RS, TRENCH_COLL_MESH, 8, 0, { 7, 7 } },
        { RS, TRENCH_COLL_MESH, 40, 0, { 39, 39 } },
        { RED, TRENCH_COLL_MESH, 8, 0, { 1 + 7, 1 + 7 } },
        { AR, TRENCH_COLL_SINGLE_STEP_MESH, 8, 0, { 7 * 8, 7 * 8 } },
        { RED, TRENCH_COLL_SINGLE_STEP_MESH, 8, 0, { 7 * 8, 7 * 8 } },
        { AR, TRENCH_COLL_RDH, 8, 0, { 0, 0 } },
        { RS, TRENCH_COLL_RDH, 2, 0, { 0, 0 } },
        { RS, TRENCH_COLL_RDH, 8, 0, { 3, 3 } },
        { RED, TRENCH_COLL_RDH, 8, 0, { 1 + 3, 1 + 3 } },
        /* rdh of 4, mesh of 2; the shard of 2, and 1 set of 2 or 1 input */
        { AR, TRENCH_COLL_HIER, 8, 4, { 1, 1 } },
        { RS, TRENCH_COLL_HIER, 8, 4, { 4, 4 } },
        /* the ring between chips adds up in the shard */
        { RS, TRENCH_COLL_HIER, 66, 2, { 33, 33 } },
        { RED, TRENCH_COLL_CHAIN, 2, 0, { 0, 0 } },
        { RED, TRENCH_COLL_CHAIN, 8, 0, { 4, 4 } }, /* 2 pieces of 2 */
        { A2A, TRENCH_COLL_MESH, 8, 0, { 0, 1 } },
        { A2A, TRENCH_COLL_SINGLE_STEP_MESH, 8, 0, { 0, 7 } },
        { SR, TRENCH_COLL_RING, 8, 0, { 0, 8 } },
    };

    (void)state;
    for (size_t i = 0; i < 2 * ARRAY_LEN(rows); i++) {
        const unsigned in_place = i % 2;
        const int op = rows[i / 2].op;
        struct trench_coll_conf conf = {
            .op = (enum trench_coll_op)op,
            .algo = rows[i / 2].algo,
            .ranks = rows[i / 2].ranks,
            .chip_ranks = rows[i / 2].chip_ranks,
            .in_place = in_place,
            .count = 32,
        };
        struct trench_coll_schedule *s;

        if (op == AR || op == RED || op == SR) {
            conf.count *= conf.ranks;
        }
        s = make(&conf);
        CHECK_EQ(trench_coll_size(s, TRENCH_COLL_SCRATCH),
                 32 * rows[i / 2].scratch[in_place], "row %zu, in place %u",
                 i / 2, in_place);
        trench_coll_destroy(s);
    }
}

/* ---- selection (6.10) ---------------------------------------------------- */

static void test_selection(void **state)
{
    enum {
        AR = TRENCH_COLL_ALL_REDUCE,
        RS = TRENCH_COLL_REDUCE_SCATTER,
        AG = TRENCH_COLL_ALL_GATHER,
        BC = TRENCH_COLL_BROADCAST,
        RED = TRENCH_COLL_REDUCE,
        A2A = TRENCH_COLL_ALL_TO_ALL,
        SR = TRENCH_COLL_SEND_RECV,
    };
    static const struct {
        int op;
        unsigned ranks, chip_ranks;
        enum trench_coll_algo algo;
        const char *reason;
    } rows[] = {
        { AR, 1, 0, TRENCH_COLL_MESH, "one rank" },
        { AR, 8, 4, TRENCH_COLL_HIER, "rdh in chips, mesh between" },
        { RED, 6, 3, TRENCH_COLL_HIER, "mesh in chips, mesh between" },
        { AR, 66, 2, TRENCH_COLL_HIER, "single_cycle_ring between" },
        { RS, 66, 2, TRENCH_COLL_HIER, "rdh in chips, ring between" },
        { AG, 512, 8, TRENCH_COLL_HIER, "rdh in chips, rdh between" },
        { AR, 8, 0, TRENCH_COLL_RDH, "one chip" },
        { AR, 8, 8, TRENCH_COLL_RDH, "one chip" },
        { RED, 4, 0, TRENCH_COLL_RDH, "one chip" },
        { AR, 7, 0, TRENCH_COLL_MESH, "32" },
        { AR, 32, 1, TRENCH_COLL_MESH, "32" },
        { AR, 36, 0, TRENCH_COLL_KANGARING, "groups" },
        { AR, 33, 1, TRENCH_COLL_SINGLE_CYCLE_RING, "between chips" },
        { AG, 64, 1, TRENCH_COLL_RDH, "power of two" },
        { AG, 33, 1, TRENCH_COLL_RING, "nothing better" },
        { AR, 33, 0, TRENCH_COLL_RING, "nothing better" },
        { RED, 33, 0, TRENCH_COLL_CHAIN, "root" },
        { BC, 32, 0, TRENCH_COLL_MESH, "32" },
        { BC, 33, 0, TRENCH_COLL_CHAIN, "root" },
        { A2A, 64, 8, TRENCH_COLL_MESH, "one rank" },
        { SR, 64, 8, TRENCH_COLL_MESH, "one rank" },
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct trench_coll_conf conf = {
            .op = (enum trench_coll_op)rows[i].op,
            .ranks = rows[i].ranks,
            .chip_ranks = rows[i].chip_ranks,
            .count = 1,
        };
        struct trench_coll_schedule *s = make(&conf);

        CHECK_EQ(trench_coll_algo_of(s), rows[i].algo, "row %zu", i);
        CHECK_EQ(strstr(trench_coll_reason(s), rows[i].reason) != NULL, 1,
                 "row %zu: %s", i, trench_coll_reason(s));
        trench_coll_destroy(s);
        conf.algo = rows[i].algo;
        s = make(&conf);
        CHECK_EQ(strncmp(trench_coll_reason(s), "as asked for", 12), 0,
                 "row %zu", i);
        trench_coll_destroy(s);
    }
}

/* ---- refusals ------------------------------------------------------------ */

static const uint16_t swapped[] = { 1, 0 };
static const uint16_t doubled[] = { 1, 1 };
static const uint16_t outside[] = { 0, 2 };

#define AR TRENCH_COLL_ALL_REDUCE
#define RS TRENCH_COLL_REDUCE_SCATTER

static const struct {
    struct trench_coll_conf conf;
    int err;
    const char *phrase; /* NULL: there is none */
} refusals[] = {
    { { .op = 6, .ranks = 2 }, -EINVAL, "operation" },
    { { .op = 9, .ranks = 2 }, -EINVAL, "operation" },
    { { .op = (enum trench_coll_op) - 1, .ranks = 2 }, -EINVAL, "operation" },
    { { .op = AR, .algo = 9, .ranks = 2 }, -EINVAL, "algorithm" },
    { { .op = AR, .algo = (enum trench_coll_algo) - 1, .ranks = 2 },
      -EINVAL,
      "algorithm" },
    { { .op = AR, .ranks = 4, .intra = 9 }, -EINVAL, "algorithm" },
    { { .op = AR, .ranks = 4, .inter = 9 }, -EINVAL, "algorithm" },
    { { .op = AR, .ranks = 0 }, -EINVAL, "1 to 512" },
    { { .op = AR, .ranks = 512 }, 0, NULL },
    { { .op = AR, .ranks = 513 }, -EINVAL, "1 to 512" },
    { { .op = AR, .ranks = 6, .chip_ranks = 4 }, -EINVAL, "divide" },
    { { .op = AR, .ranks = 6, .chip_ranks = 12 }, -EINVAL, "divide" },
    { { .op = AR, .ranks = 2, .count = UINT64_C(1) << 55 }, 0, NULL },
    { { .op = AR, .ranks = 2, .count = (UINT64_C(1) << 55) + 1 },
      -EINVAL,
      "elements" },
    { { .op = TRENCH_COLL_BROADCAST, .ranks = 2, .root = 2 }, -EINVAL, "root" },
    { { .op = TRENCH_COLL_REDUCE, .ranks = 2, .root = 2 }, -EINVAL, "root" },
    { { .op = AR, .ranks = 2, .root = 2 }, 0, NULL },
    { { .op = TRENCH_COLL_PERMUTE, .ranks = 2, .dest = swapped }, 0, NULL },
    { { .op = TRENCH_COLL_PERMUTE, .ranks = 2 }, -EINVAL, "destinations" },
    { { .op = TRENCH_COLL_PERMUTE, .ranks = 2, .dest = doubled },
      -EINVAL,
      "same destination" },
    { { .op = TRENCH_COLL_PERMUTE, .ranks = 2, .dest = outside },
      -EINVAL,
      "no rank" },
    { { .op = AR, .ranks = 2, .channels = 32 }, 0, NULL },
    { { .op = AR, .ranks = 2, .channels = 33 }, -EINVAL, "32 channels" },
    { { .op = AR, .ranks = 2, .pieces = 255 }, 0, NULL },
    { { .op = AR, .ranks = 2, .pieces = 256 }, -EINVAL, "255 pieces" },
    { { .op = AR, .ranks = 8, .secondaries = 2 }, -EINVAL, "secondaries" },
    { { .op = AR, .ranks = 8, .secondaries = 4 }, -EINVAL, "secondaries" },
    /* the ring composer rejects these (6.3) */
    { { .op = TRENCH_COLL_BROADCAST, .algo = TRENCH_COLL_RING, .ranks = 2 },
      -ENOTSUP,
      "a ring only" },
    { { .op = TRENCH_COLL_REDUCE, .algo = TRENCH_COLL_RING, .ranks = 2 },
      -ENOTSUP,
      "a ring only" },
    { { .op = TRENCH_COLL_ALL_TO_ALL, .algo = TRENCH_COLL_RING, .ranks = 2 },
      -ENOTSUP,
      "a ring only" },
    { { .op = TRENCH_COLL_SEND_RECV,
        .algo = TRENCH_COLL_SINGLE_CYCLE_RING,
        .ranks = 2 },
      -ENOTSUP,
      "a ring only" },
    { { .op = TRENCH_COLL_REDUCE, .algo = TRENCH_COLL_KANGARING, .ranks = 8 },
      -ENOTSUP,
      "a ring only" },
    { { .op = RS, .algo = TRENCH_COLL_SINGLE_STEP_MESH, .ranks = 2 },
      -ENOTSUP,
      "no other form" },
    { { .op = TRENCH_COLL_ALL_TO_ALL,
        .algo = TRENCH_COLL_HIER,
        .ranks = 4,
        .chip_ranks = 2 },
      -ENOTSUP,
      "a hierarchy only" },
    { { .op = TRENCH_COLL_BROADCAST, .algo = TRENCH_COLL_RDH, .ranks = 2 },
      -ENOTSUP,
      "halving" },
    { { .op = AR, .algo = TRENCH_COLL_CHAIN, .ranks = 2 },
      -ENOTSUP,
      "a chain only" },
    /* two groups or more, in chips */
    { { .op = AR, .algo = TRENCH_COLL_KANGARING, .ranks = 2 },
      -ENOTSUP,
      "groups" },
    { { .op = AR, .algo = TRENCH_COLL_KANGARING, .ranks = 5 },
      -ENOTSUP,
      "groups" },
    { { .op = AR, .algo = TRENCH_COLL_KANGARING, .ranks = 6, .secondaries = 3 },
      -ENOTSUP,
      "groups" },
    { { .op = AR, .algo = TRENCH_COLL_KANGARING, .ranks = 6, .chip_ranks = 3 },
      -ENOTSUP,
      "groups" },
    { { .op = AR, .algo = TRENCH_COLL_KANGARING, .ranks = 4, .chip_ranks = 2 },
      0,
      NULL },
    /* powers of two; between chips 8 or more of one rank (6.8) */
    { { .op = AR, .algo = TRENCH_COLL_RDH, .ranks = 6 },
      -ENOTSUP,
      "power of two" },
    { { .op = AR, .algo = TRENCH_COLL_RDH, .ranks = 16, .chip_ranks = 2 },
      -ENOTSUP,
      "one rank only" },
    { { .op = AR, .algo = TRENCH_COLL_RDH, .ranks = 4, .chip_ranks = 1 },
      -ENOTSUP,
      "at least 8" },
    { { .op = AR, .algo = TRENCH_COLL_RDH, .ranks = 8, .chip_ranks = 1 },
      0,
      NULL },
    /* two levels, and what may be in them (6.7) */
    { { .op = AR, .algo = TRENCH_COLL_HIER, .ranks = 8 },
      -ENOTSUP,
      "one chip only" },
    { { .op = AR, .algo = TRENCH_COLL_HIER, .ranks = 8, .chip_ranks = 1 },
      -ENOTSUP,
      "one rank only" },
    { { .op = AR,
        .algo = TRENCH_COLL_HIER,
        .ranks = 6,
        .chip_ranks = 3,
        .intra = TRENCH_COLL_RDH },
      -ENOTSUP,
      "power of two" },
    { { .op = AR,
        .algo = TRENCH_COLL_HIER,
        .ranks = 6,
        .chip_ranks = 3,
        .intra = TRENCH_COLL_RING },
      -ENOTSUP,
      "in a chip" },
    { { .op = AR,
        .algo = TRENCH_COLL_HIER,
        .ranks = 6,
        .chip_ranks = 3,
        .inter = TRENCH_COLL_CHAIN },
      -ENOTSUP,
      "between chips" },
    { { .op = AR,
        .algo = TRENCH_COLL_HIER,
        .ranks = 8,
        .chip_ranks = 2,
        .inter = TRENCH_COLL_RDH },
      -ENOTSUP,
      "8 or more" },
    { { .op = RS,
        .algo = TRENCH_COLL_HIER,
        .ranks = 8,
        .chip_ranks = 2,
        .inter = TRENCH_COLL_SINGLE_CYCLE_RING },
      -ENOTSUP,
      "all-reduce only" },
    /* 512 ranks, 5 channels: 5.2 million moves */
    { { .op = AR,
        .algo = TRENCH_COLL_RING,
        .ranks = 512,
        .channels = 5,
        .count = UINT64_C(1) << 32 },
      -ENOSPC,
      NULL },
};

static void test_refusals(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(refusals); i++) {
        const struct trench_coll_conf *conf = &refusals[i].conf;
        const char *said = trench_coll_refusal(conf);
        struct trench_coll_schedule *s = NULL;

        CHECK_EQ(trench_coll_create(conf, &s), refusals[i].err, "row %zu", i);
        CHECK_EQ(s != NULL, refusals[i].err == 0, "row %zu", i);
        CHECK_EQ(said != NULL, refusals[i].phrase != NULL, "row %zu", i);
        if (said) {
            CHECK_EQ(strstr(said, refusals[i].phrase) != NULL, 1, "row %zu: %s",
                     i, said);
        }
        trench_coll_destroy(s);
    }
    trench_coll_destroy(NULL);
}

static void test_names(void **state)
{
    (void)state;
    for (int i = 0; i < TRENCH_NR_COLL_ALGOS; i++) {
        CHECK_EQ(trench_coll_algo_find(
                     trench_coll_algo_name((enum trench_coll_algo)i)),
                 i, "algorithm %d", i);
    }
    CHECK_EQ(trench_coll_algo_find("?"), -1, "none");
    CHECK_EQ(trench_coll_algo_find(""), -1, "none");
    assert_string_equal(trench_coll_algo_name(TRENCH_NR_COLL_ALGOS), "?");
    assert_string_equal(trench_coll_algo_name(TRENCH_COLL_AUTO), "auto");
    assert_string_equal(trench_coll_op_name(AR), "all_reduce");
    assert_string_equal(trench_coll_op_name(TRENCH_COLL_PERMUTE), "permute");
    assert_string_equal(trench_coll_op_name((enum trench_coll_op)6), "?");
    assert_string_equal(trench_coll_op_name(TRENCH_NR_COLL_OPS), "?");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ring_of_4),
        cmocka_unit_test(test_channels),
        cmocka_unit_test(test_channels_of_a_neighbour),
        cmocka_unit_test(test_few_elements),
        cmocka_unit_test(test_rdh_of_8),
        cmocka_unit_test(test_rdh_held_sets),
        cmocka_unit_test(test_hierarchy_of_2_by_4),
        cmocka_unit_test(test_kangaring),
        cmocka_unit_test(test_rotation),
        cmocka_unit_test(test_chain),
        cmocka_unit_test(test_sources_of_a_packet),
        cmocka_unit_test(test_scratch),
        cmocka_unit_test(test_selection),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_names),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
