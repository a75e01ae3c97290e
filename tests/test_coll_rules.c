/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The rules of ncfw-steps 6 as formulas, over the numbers of ranks for which
 * they were checked there: codes, and who gets which chunk from whom.
 */
#include <trench/coll.h>

#include "check.h"

#define CHUNK 32u /* elements; no ring splits them */

static struct trench_coll_schedule *make(const struct trench_coll_conf *conf)
{
    struct trench_coll_schedule *s = NULL;

    CHECK_EQ(trench_coll_create(conf, &s), 0, "%s %s %u",
             trench_coll_op_name(conf->op), trench_coll_algo_name(conf->algo),
             conf->ranks);
    return s;
}

/* Of n ranks, with a chunk for each, whatever the operation counts. */
static struct trench_coll_schedule *make_chunks(enum trench_coll_op op,
                                                enum trench_coll_algo algo,
                                                unsigned n)
{
    const bool parts =
        op == TRENCH_COLL_ALL_GATHER || op == TRENCH_COLL_REDUCE_SCATTER;
    const struct trench_coll_conf conf = {
        .op = op,
        .algo = algo,
        .ranks = n,
        .count = parts ? CHUNK : CHUNK * n,
    };

    return make(&conf);
}

static const struct trench_coll_place *source(
    const struct trench_coll_schedule *s, const struct trench_coll_move *m,
    unsigned k)
{
    assert_true(k < m->nr_src);
    return trench_coll_places(s) + m->src + k;
}

/* ---- codes (6.1) --------------------------------------------------------- */

static void test_codes(void **state)
{
    (void)state;
    CHECK_EQ(TRENCH_COLL_ALL_GATHER, 0, "ALLGATHER");
    CHECK_EQ(TRENCH_COLL_ALL_REDUCE, 1, "ALLREDUCE");
    CHECK_EQ(TRENCH_COLL_BROADCAST, 2, "BROADCAST");
    CHECK_EQ(TRENCH_COLL_REDUCE, 3, "REDUCE");
    CHECK_EQ(TRENCH_COLL_REDUCE_SCATTER, 4, "REDUCE_SCATTER");
    CHECK_EQ(TRENCH_COLL_SEND_RECV, 5, "SEND");
    CHECK_EQ(TRENCH_COLL_ALL_TO_ALL, 7, "ALLTOALL");
    CHECK_EQ(TRENCH_COLL_PERMUTE, 8, "PERMUTE");
}

/* ---- rings (6.3, 6.4) ---------------------------------------------------- */

static const unsigned ring_sizes[] = { 2, 3, 4, 5, 8, 16 };

/* At hop s rank p receives chunk p - 2 - s, and adds its own copy. */
static void check_ring_reduces(const struct trench_coll_schedule *s, unsigned n)
{
    for (unsigned hop = 0; hop < n - 1; hop++) {
        size_t nr;
        const struct trench_coll_move *m = trench_coll_moves(s, hop, &nr);

        CHECK_EQ(nr, n, "n=%u hop %u", n, hop);
        for (unsigned p = 0; p < n; p++) {
            const struct trench_coll_place *own = source(s, &m[p], 1);

            CHECK_EQ(m[p].rank, p, "n=%u hop %u", n, hop);
            CHECK_EQ(m[p].nr_src, 2, "n=%u hop %u: 2R1W", n, hop);
            CHECK_EQ(source(s, &m[p], 0)->rank, (p + n - 1) % n,
                     "n=%u hop %u: prev", n, hop);
            CHECK_EQ(own->rank, p, "n=%u hop %u", n, hop);
            CHECK_EQ(own->buf, TRENCH_COLL_IN, "n=%u hop %u", n, hop);
            CHECK_EQ(own->first / CHUNK, (p + 2 * n - 2 - hop) % n,
                     "n=%u hop %u rank %u", n, hop, p);
        }
    }
}

/* At hop t rank p receives chunk p - 1 - t; its own comes along at first. */
static void check_ring_gathers(const struct trench_coll_schedule *s, unsigned n)
{
    for (unsigned hop = 0; hop < n - 1; hop++) {
        size_t nr;
        const struct trench_coll_move *m = trench_coll_moves(s, hop, &nr);

        CHECK_EQ(nr, hop == 0 ? 2 * n : n, "n=%u hop %u", n, hop);
        for (size_t i = 0; i < nr; i++) {
            const unsigned p = m[i].rank;
            const bool own = source(s, &m[i], 0)->rank == p;

            CHECK_EQ(m[i].nr_src, 1, "n=%u hop %u", n, hop);
            CHECK_EQ(source(s, &m[i], 0)->rank, own ? p : (p + n - 1) % n,
                     "n=%u hop %u", n, hop);
            CHECK_EQ(m[i].dst.first / CHUNK,
                     own ? p : (p + 2 * n - 1 - hop) % n, "n=%u hop %u rank %u",
                     n, hop, p);
        }
    }
}

static void check_ring(enum trench_coll_algo algo, unsigned n)
{
    struct trench_coll_schedule *s;

    s = make_chunks(TRENCH_COLL_REDUCE_SCATTER, algo, n);
    CHECK_EQ(trench_coll_steps(s), n - 1, "RS: N - 1");
    check_ring_reduces(s, n);
    trench_coll_destroy(s);
    s = make_chunks(TRENCH_COLL_ALL_GATHER, algo, n);
    CHECK_EQ(trench_coll_steps(s), n - 1, "AG: N - 1");
    check_ring_gathers(s, n);
    trench_coll_destroy(s);
    s = make_chunks(TRENCH_COLL_ALL_REDUCE, algo, n);
    CHECK_EQ(trench_coll_steps(s), 2 * (n - 1), "AR: 2 (N - 1)");
    check_ring_reduces(s, n);
    trench_coll_destroy(s);
}

/* H252: the single-cycle ring moves as the ring does. */
static void test_rings(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(ring_sizes); i++) {
        check_ring(TRENCH_COLL_RING, ring_sizes[i]);
        check_ring(TRENCH_COLL_SINGLE_CYCLE_RING, ring_sizes[i]);
    }
}

/*
 * 6.2: 1 MiB on 4 ranks and 2 channels is 2 passes of chunks of 65,536 bytes;
 * here it is one, whose half chunks are as large (H271).
 */
static void test_passes(void **state)
{
    const struct trench_coll_conf conf = { .op = TRENCH_COLL_ALL_REDUCE,
                                           .algo = TRENCH_COLL_RING,
                                           .ranks = 4,
                                           .count = (1 << 20) / 4,
                                           .channels = 2 };
    struct trench_coll_schedule *s = make(&conf);

    (void)state;
    CHECK_EQ(trench_coll_steps(s), 6, "one pass");
    for (size_t step = 0; step < 6; step++) {
        size_t nr;
        const struct trench_coll_move *m = trench_coll_moves(s, step, &nr);

        CHECK_EQ(nr, 4 * 2 * 2, "ranks, channels, H0 and H1");
        for (size_t i = 0; i < nr; i++) {
            CHECK_EQ(m[i].count * 4, 65536, "step %zu", step);
            CHECK_EQ(m[i].channel, i / 2 % 2, "step %zu", step);
            CHECK_EQ(m[i].half, i % 2, "step %zu", step);
        }
    }
    trench_coll_destroy(s);
}

/* ---- recursive halving and doubling (6.8) -------------------------------- */

/* Chunks that go from one rank to another in a step, as a set. */
static uint32_t chunks_sent(const struct trench_coll_schedule *s, size_t step,
                            unsigned from, unsigned to)
{
    uint32_t set = 0;
    size_t nr;
    const struct trench_coll_move *m = trench_coll_moves(s, step, &nr);

    for (size_t i = 0; i < nr; i++) {
        for (unsigned k = 0; k < m[i].nr_src; k++) {
            if (m[i].dst.rank == to && source(s, &m[i], k)->rank == from) {
                set |= UINT32_C(1) << m[i].dst.first / CHUNK;
            }
        }
    }
    return set;
}

/* Chunks of n that are r modulo m. */
static uint32_t modulo(unsigned n, unsigned r, unsigned m)
{
    uint32_t set = 0;

    for (unsigned q = r % m; q < n; q += m) {
        set |= UINT32_C(1) << q;
    }
    return set;
}

static void check_rdh(unsigned k)
{
    const unsigned n = 1u << k;
    struct trench_coll_schedule *s =
        make_chunks(TRENCH_COLL_ALL_REDUCE, TRENCH_COLL_RDH, n);

    CHECK_EQ(trench_coll_steps(s), 2 * k, "2 log2 N");
    for (unsigned r = 0; r < n; r++) {
        for (unsigned b = 0; b < k; b++) {
            const unsigned partner = r ^ 1u << b;

            for (unsigned other = 0; other < n; other++) {
                CHECK_EQ(chunks_sent(s, b, r, other),
                         other == partner || other == r
                             ? modulo(n, other, 2u << b)
                             : 0,
                         "N=%u round %u from %u to %u", n, b, r, other);
            }
        }
        for (unsigned a = 0; a < k; a++) {
            const unsigned partner = r ^ 1u << (k - 1 - a);

            CHECK_EQ(chunks_sent(s, k + a, r, partner),
                     modulo(n, r, 1u << (k - a)), "N=%u axis %u from %u", n, a,
                     r);
        }
    }
    trench_coll_destroy(s);
}

static void test_rdh(void **state)
{
    (void)state;
    for (unsigned k = 1; k <= 4; k++) {
        check_rdh(k);
    }
}

/* ---- meshes (6.6, 6.9) --------------------------------------------------- */

/* Rank r writes its chunk d (or all, for whole) to staging of each d but r. */
static void check_mesh_sends(const struct trench_coll_schedule *s, unsigned n,
                             bool whole)
{
    size_t nr;
    const struct trench_coll_move *m = trench_coll_moves(s, 0, &nr);

    CHECK_EQ(nr, n * (n - 1), "n=%u", n);
    for (size_t i = 0; i < nr; i++) {
        const struct trench_coll_place *from = source(s, &m[i], 0);

        CHECK_EQ(m[i].nr_src, 1, "n=%u", n);
        CHECK_EQ(m[i].rank, i / (n - 1), "n=%u: the writer moves", n);
        CHECK_EQ(from->rank, m[i].rank, "n=%u", n);
        CHECK_EQ(from->buf, TRENCH_COLL_IN, "n=%u", n);
        CHECK_EQ(m[i].dst.buf, TRENCH_COLL_SCRATCH, "n=%u", n);
        CHECK_EQ(m[i].dst.rank, (m[i].rank + 1 + i % (n - 1)) % n,
                 "n=%u: in rotation", n);
        CHECK_EQ(from->first, whole ? 0 : CHUNK * m[i].dst.rank, "n=%u", n);
        CHECK_EQ(m[i].count, whole ? CHUNK * n : CHUNK, "n=%u", n);
    }
}

/* Each rank reduces N inputs, in the order of ranks. */
static void check_mesh_reduces(const struct trench_coll_schedule *s, unsigned n,
                               bool own_chunk)
{
    size_t nr;
    const struct trench_coll_move *m = trench_coll_moves(s, 1, &nr);

    CHECK_EQ(nr, n, "n=%u", n);
    for (unsigned r = 0; r < n; r++) {
        CHECK_EQ(m[r].rank, r, "n=%u", n);
        CHECK_EQ(m[r].nr_src, n, "n=%u", n);
        CHECK_EQ(source(s, &m[r], r)->buf, TRENCH_COLL_IN, "n=%u", n);
        CHECK_EQ(m[r].dst.buf, TRENCH_COLL_OUT, "n=%u", n);
        CHECK_EQ(m[r].dst.rank, r, "n=%u", n);
        CHECK_EQ(m[r].dst.first, own_chunk ? CHUNK * r : 0, "n=%u", n);
    }
}

/* A rank's own chunk to slot r of all, in this step. */
static void check_mesh_spreads(const struct trench_coll_schedule *s, size_t at,
                               unsigned n, size_t moves)
{
    size_t nr;
    const struct trench_coll_move *m = trench_coll_moves(s, at, &nr);

    CHECK_EQ(nr, moves, "n=%u", n);
    for (size_t i = 0; i < nr; i++) {
        CHECK_EQ(source(s, &m[i], 0)->rank, m[i].rank, "n=%u", n);
        CHECK_EQ(m[i].dst.first, CHUNK * m[i].rank, "n=%u", n);
        CHECK_EQ(m[i].dst.buf, TRENCH_COLL_OUT, "n=%u", n);
    }
}

static void check_mesh(unsigned n)
{
    struct trench_coll_schedule *s;

    s = make_chunks(TRENCH_COLL_REDUCE_SCATTER, TRENCH_COLL_MESH, n);
    CHECK_EQ(trench_coll_steps(s), 2, "n=%u", n);
    check_mesh_sends(s, n, false);
    check_mesh_reduces(s, n, false);
    trench_coll_destroy(s);
    s = make_chunks(TRENCH_COLL_ALL_GATHER, TRENCH_COLL_MESH, n);
    CHECK_EQ(trench_coll_steps(s), 1, "n=%u", n);
    check_mesh_spreads(s, 0, n, (size_t)n * n);
    trench_coll_destroy(s);
    s = make_chunks(TRENCH_COLL_ALL_REDUCE, TRENCH_COLL_MESH, n);
    CHECK_EQ(trench_coll_steps(s), 3, "n=%u: RS then AG", n);
    check_mesh_sends(s, n, false);
    check_mesh_reduces(s, n, true);
    check_mesh_spreads(s, 2, n, (size_t)n * (n - 1));
    trench_coll_destroy(s);
    s = make_chunks(TRENCH_COLL_ALL_REDUCE, TRENCH_COLL_SINGLE_STEP_MESH, n);
    CHECK_EQ(trench_coll_steps(s), 2, "n=%u: at once", n);
    check_mesh_sends(s, n, true);
    check_mesh_reduces(s, n, false);
    trench_coll_destroy(s);
}

static void test_mesh(void **state)
{
    (void)state;
    for (unsigned n = 2; n <= 9; n++) {
        check_mesh(n);
    }
}

/* One step: the root writes to all. */
static void test_mesh_broadcast(void **state)
{
    const struct trench_coll_conf conf = { .op = TRENCH_COLL_BROADCAST,
                                           .algo = TRENCH_COLL_MESH,
                                           .ranks = 5,
                                           .root = 3,
                                           .count = 77 };
    struct trench_coll_schedule *s = make(&conf);
    unsigned got = 0;
    size_t nr;
    const struct trench_coll_move *m = trench_coll_moves(s, 0, &nr);

    (void)state;
    CHECK_EQ(trench_coll_steps(s), 1, "one step");
    for (size_t i = 0; i < nr; i++) {
        CHECK_EQ(m[i].rank, 3, "the root");
        CHECK_EQ(m[i].count, 77, "the whole");
        got |= 1u << m[i].dst.rank;
    }
    CHECK_EQ(got, 0x1F, "all");
    trench_coll_destroy(s);
}

/* ---- hierarchy (6.7) ----------------------------------------------------- */

/* Whether a step moves anything inside a chip, and between chips. */
static void step_reach(const struct trench_coll_schedule *s, size_t step,
                       unsigned y, bool *inside, bool *between)
{
    size_t nr;
    const struct trench_coll_move *m = trench_coll_moves(s, step, &nr);

    *inside = false;
    *between = false;
    for (size_t i = 0; i < nr; i++) {
        for (unsigned k = 0; k < m[i].nr_src; k++) {
            const unsigned from = source(s, &m[i], k)->rank;
            const unsigned to = m[i].dst.rank;

            *inside |= from != to && from / y == to / y;
            *between |= from / y != to / y;
            if (from / y != to / y) {
                CHECK_EQ(from % y, to % y, "among equal l");
            }
        }
    }
}

/* The phases of an operation: 'i' in chips, 'x' between them. */
static void check_phases(enum trench_coll_op op, unsigned x, unsigned y,
                         const char *want)
{
    const struct trench_coll_conf conf = { .op = op,
                                           .algo = TRENCH_COLL_HIER,
                                           .ranks = x * y,
                                           .chip_ranks = y,
                                           .intra = TRENCH_COLL_MESH,
                                           .inter = TRENCH_COLL_MESH,
                                           .count = UINT64_C(32) * x * y };
    struct trench_coll_schedule *s = make(&conf);
    char got[8] = "";
    size_t len = 0;

    for (size_t i = 0; i < trench_coll_steps(s); i++) {
        bool inside, between;
        char c;

        step_reach(s, i, y, &inside, &between);
        assert_false(inside && between);
        c = between ? 'x' : 'i';
        if ((inside || between) && (len == 0 || got[len - 1] != c)) {
            assert_true(len + 1 < sizeof(got));
            got[len++] = c;
        }
    }
    assert_string_equal(got, want);
    trench_coll_destroy(s);
}

/* Rank (n, l) ends with chunk n * Y + l of a reduce-scatter. */
static void check_shards(unsigned x, unsigned y)
{
    const struct trench_coll_conf conf = { .op = TRENCH_COLL_REDUCE_SCATTER,
                                           .algo = TRENCH_COLL_HIER,
                                           .ranks = x * y,
                                           .chip_ranks = y,
                                           .intra = TRENCH_COLL_MESH,
                                           .inter = TRENCH_COLL_MESH,
                                           .count = CHUNK };
    struct trench_coll_schedule *s = make(&conf);
    size_t nr;
    const struct trench_coll_move *m = trench_coll_moves(s, 0, &nr);

    for (size_t i = 0; i < nr; i++) { /* chunks to whose shard they are of */
        CHECK_EQ(source(s, &m[i], 0)->first / CHUNK % y, m[i].dst.rank % y,
                 "(%u,%u)", x, y);
    }
    m = trench_coll_moves(s, trench_coll_steps(s) - 1, &nr);
    CHECK_EQ(nr, x * y, "(%u,%u)", x, y);
    for (unsigned r = 0; r < nr; r++) {
        const unsigned n = r / y;
        const struct trench_coll_place *own = source(s, &m[r], n);

        CHECK_EQ(m[r].rank, r, "(%u,%u)", x, y);
        CHECK_EQ(m[r].nr_src, x, "(%u,%u)", x, y);
        CHECK_EQ(own->rank, r, "(%u,%u)", x, y);
        /* of the shard {l, Y + l, ...}, the n-th */
        CHECK_EQ(own->first / CHUNK, n, "(%u,%u)", x, y);
    }
    trench_coll_destroy(s);
}

static void test_hierarchy(void **state)
{
    static const unsigned sizes[][2] = {
        { 2, 2 }, { 2, 4 }, { 4, 2 }, { 3, 5 }
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(sizes); i++) {
        const unsigned x = sizes[i][0], y = sizes[i][1];

        check_phases(TRENCH_COLL_ALL_REDUCE, x, y, "ixi");
        check_phases(TRENCH_COLL_REDUCE_SCATTER, x, y, "ix");
        check_phases(TRENCH_COLL_ALL_GATHER, x, y, "xi");
        check_shards(x, y);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_codes),     cmocka_unit_test(test_rings),
        cmocka_unit_test(test_passes),    cmocka_unit_test(test_rdh),
        cmocka_unit_test(test_mesh),      cmocka_unit_test(test_mesh_broadcast),
        cmocka_unit_test(test_hierarchy),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
