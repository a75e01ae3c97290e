/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Descriptors that break a rule of the fetch: packet marks, limits, lap tags.
 * udma-engine B26, B27, K7; hardware.md H5, H21, H22, H27.
 */
#include <trench/soc.h>

#include "check.h"
#include "rig.h"

enum {
    CAUSE_TOO_LONG = 13,
    CAUSE_TOO_MANY = 14,
    CAUSE_FIRST = 15,
    CAUSE_LAST = 16,
    CAUSE_RING_ID = 17,
    CAUSE_RX_RING_ID = 11,
    CAUSE_NONE = 32,
};

#define BYTES 64u

static uint32_t causes(struct rig *r, unsigned group)
{
    return rig_read(r, ENGINE, SECONDARY(group) + INT_CAUSE);
}

static bool aborted(struct rig *r)
{
    return rig_read(r, ENGINE, STATE) == 0x2222 &&
           rig_read(r, ENGINE, S2M + STATE) == 0x22222;
}

/* ---- packet marks and limits --------------------------------------------- */

#define F D_FIRST
#define L D_LAST
#define E C_ERROR /* of a completion */

#define MAX_DESCS 6

struct kind {
    const char *name;
    unsigned cause; /* of group A */
    unsigned nr;
    unsigned offender;         /* the descriptor that the log shows */
    uint32_t flags[MAX_DESCS]; /* and a length, where it matters */
    uint32_t comps[MAX_DESCS]; /* with E: it moves nothing */
    uint32_t max_descs;        /* 0 = as after reset */
    uint32_t max_bytes;
};

static const struct kind kinds[] = {
    { .name = "FIRST inside, one descriptor",
      .cause = CAUSE_FIRST,
      .nr = 2,
      .offender = 1,
      .flags = { F, F | L },
      .comps = { F | L | E, F | L } },
    { .name = "FIRST inside, long packets",
      .cause = CAUSE_FIRST,
      .nr = 6,
      .offender = 3,
      .flags = { F, 0, 0, F, 0, L },
      .comps = { F | E, E, L | E, F, 0, L } },
    { .name = "FIRST inside, twice",
      .cause = CAUSE_FIRST,
      .nr = 3,
      .offender = 1,
      .flags = { F, F, F | L },
      .comps = { F | L | E, F | L | E, F | L } },
    { .name = "LAST outside",
      .cause = CAUSE_LAST,
      .nr = 1,
      .flags = { L },
      .comps = { F | L | E } },
    { .name = "LAST outside, twice",
      .cause = CAUSE_LAST,
      .nr = 2,
      .flags = { L, L },
      .comps = { F | L | E, F | L | E } },
    { .name = "neither mark outside",
      .cause = CAUSE_NONE,
      .nr = 1,
      .flags = { 0 },
      .comps = { F | L | E } },
    { .name = "neither mark outside, then LAST",
      .cause = CAUSE_LAST,
      .nr = 2,
      .offender = 1,
      .flags = { 0, L },
      .comps = { F | L | E, F | L | E } },
    { .name = "more descriptors than max_desc_per_pkt",
      .cause = CAUSE_TOO_MANY,
      .nr = 3,
      .offender = 2,
      .flags = { F, 0, L },
      .comps = { F | E, E, L | E },
      .max_descs = 2 },
    { .name = "far more descriptors than max_desc_per_pkt",
      .cause = CAUSE_TOO_MANY,
      .nr = 6,
      .offender = 2,
      .flags = { F, 0, 0, 0, 0, L },
      .comps = { F | E, E, L | E, F | L | E, F | L | E, F | L | E },
      .max_descs = 2 },
    { .name = "more bytes than max_pkt_size, one descriptor",
      .cause = CAUSE_TOO_LONG,
      .nr = 1,
      .flags = { F | L | 65 },
      .comps = { F | L | E },
      .max_bytes = 64 },
    { .name = "more bytes than max_pkt_size",
      .cause = CAUSE_TOO_LONG,
      .nr = 4,
      .offender = 2,
      .flags = { F, 0, 0, L },
      .comps = { F | E, E, L | E, F | L | E },
      .max_bytes = 2 * BYTES },
    { .name = "both limits: the descriptors are reported",
      .cause = CAUSE_TOO_MANY,
      .nr = 3,
      .offender = 2,
      .flags = { F, 0, L },
      .comps = { F | E, E, L | E },
      .max_descs = 2,
      .max_bytes = 2 * BYTES },
};

static void open_kind(struct bench *b, struct rig *r, const struct kind *k)
{
    bench_open(b, r, 32);
    if (k->max_descs) {
        rig_write(r, ENGINE, M2S_PREF_CFG_2, 0x00010000 | k->max_descs);
    }
    if (k->max_bytes) {
        rig_write(r, ENGINE, M2S_CFG_LEN, 0x01000000 | k->max_bytes);
    }
}

/* A good packet, the kind, a good packet; buffers for all that is good. */
static void post_kind(struct bench *b, const struct kind *k)
{
    for (unsigned i = 0; i < MAX_DESCS + 2; i++) {
        rig_rx(&b->rq, b->dst + 0x1000 * i, 0x1000);
    }
    rig_tx(&b->rq, D_ONE, b->src, BYTES);
    for (unsigned i = 0; i < k->nr; i++) {
        uint32_t len = k->flags[i] & 0xFFFF; /* 0 = as the others */

        rig_tx(&b->rq, k->flags[i] & ~0xFFFFu, b->src + 0x100 * (i + 1),
               len ? len : BYTES);
    }
    rig_tx(&b->rq, D_ONE, b->src + 0x2000, BYTES);
    rig_bell(&b->rq, RX, MAX_DESCS + 2);
    rig_bell(&b->rq, TX, k->nr + 2);
}

/* The good descriptors' bytes, packet by packet, buffer by buffer. */
static unsigned check_good(struct bench *b, const struct kind *k)
{
    unsigned buffer = 1;
    uint32_t at = 0;

    CHECK_COPY(b->rig, b->dst, b->src, BYTES, "%s: before it", k->name);
    for (unsigned i = 0; i < k->nr; i++) {
        if (k->comps[i] & E) {
            continue;
        }
        CHECK_COPY(b->rig, b->dst + 0x1000 * buffer + at,
                   b->src + 0x100 * (i + 1), BYTES, "%s: descriptor %u",
                   k->name, i);
        at = k->flags[i] & L ? 0 : at + BYTES;
        buffer += k->flags[i] & L ? 1 : 0;
    }
    CHECK_COPY(b->rig, b->dst + 0x1000 * buffer, b->src + 0x2000, BYTES,
               "%s: behind it", k->name);
    CHECK_UNTOUCHED(b->rig, b->dst + 0x1000 * (buffer + 1), 0x1000, "%s",
                    k->name);
    return buffer + 1;
}

/* H21: masked, it is completed with ERROR, moves nothing; life goes on. */
static void test_malformed_packet_masked(void **state)
{
    for (size_t n = 0; n < ARRAY_LEN(kinds); n++) {
        const struct kind *k = &kinds[n];
        unsigned buffers;
        uint64_t comp;
        struct bench b;

        open_kind(&b, *state, k);
        comp = bench_completions(&b, TX);
        post_kind(&b, k);
        buffers = check_good(&b, k);
        for (unsigned i = 0; i < k->nr; i++) {
            CHECK_EQ(rig_word(b.rig, comp + 4 * (i + 1)),
                     D_LAP(1) | k->comps[i], "%s: descriptor %u", k->name, i);
        }
        CHECK_EQ(rig_word(b.rig, comp), D_LAP(1) | D_ONE, "%s", k->name);
        CHECK_EQ(rig_word(b.rig, comp + 4 * (k->nr + 1)), D_LAP(1) | D_ONE,
                 "%s", k->name);
        CHECK_PTR(&b.rq, TX, Q_COMP_HEAD, k->nr + 2, 1, "%s", k->name);
        CHECK_PTR(&b.rq, RX, Q_COMP_HEAD, buffers, 1, "%s", k->name);
        CHECK_EQ(causes(b.rig, GROUP_A),
                 k->cause == CAUSE_NONE ? 0 : 1u << k->cause, "%s", k->name);
        CHECK_EQ(aborted(b.rig), false, "%s", k->name);
    }
}

/* B26: unmasked it aborts; H27: the log shows the offending descriptor. */
static void test_malformed_packet_aborts(void **state)
{
    for (size_t n = 0; n < ARRAY_LEN(kinds); n++) {
        const struct kind *k = &kinds[n];
        uint32_t offender = 0x100 * (k->offender + 1);
        struct bench b;

        if (k->cause == CAUSE_NONE) {
            continue;
        }
        open_kind(&b, *state, k);
        rig_write(b.rig, ENGINE, SECONDARY(GROUP_A) + INT_ABORT_MASK,
                  ~(1u << k->cause));
        post_kind(&b, k);
        CHECK_EQ(aborted(b.rig), true, "%s", k->name);
        CHECK_EQ(causes(b.rig, GROUP_A), 1u << k->cause, "%s", k->name);
        CHECK_EQ(rig_read(b.rig, ENGINE, LOG_0 + 4), META_COPY, "%s", k->name);
        CHECK_EQ(rig_read(b.rig, ENGINE, LOG_0 + 8), (uint32_t)b.src + offender,
                 "%s", k->name);
        /* Nothing of it and nothing behind it has moved. */
        CHECK_UNTOUCHED(b.rig, b.dst + 0x1000, 0x2000, "%s", k->name);
        CHECK_EQ(rig_stats(b.rig, ENGINE).errors, 1, "%s", k->name);
    }
}

/* H21, H26: what moves nothing needs no open stream. */
static void test_malformed_packets_need_no_stream(void **state)
{
    struct bench b;

    bench_open(&b, *state, 8);
    rig_q_set(&b.rq, RX, Q_CFG, 0x03010000); /* en_stream off */
    rig_tx(&b.rq, L, b.src, 64);
    rig_desc(&b.rq, TX, (uint32_t[]){ D_ONE | 64, 0x01980003 }, b.src);
    rig_tx(&b.rq, D_ONE, b.src, 64);
    rig_bell(&b.rq, TX, 3);
    CHECK_PTR(&b.rq, TX, Q_COMP_HEAD, 2, 1, "both, and the good one waits");
}

/* The limits themselves are allowed: the longest legal packets. */
static void test_malformed_limits_are_inclusive(void **state)
{
    static const uint32_t max_descs[] = { 1, 2, 5, 0x40, 65, 128 };
    struct bench b;

    for (size_t i = 0; i < ARRAY_LEN(max_descs); i++) {
        for (uint32_t n = max_descs[i]; n <= max_descs[i] + 1; n++) {
            bool good = n == max_descs[i];

            bench_open(&b, *state, 256);
            rig_q_set(&b.rq, TX, Q_PREF_CFG, 1024);
            rig_write(b.rig, ENGINE, M2S_PREF_CFG_2, 0x10000 | max_descs[i]);
            rig_write(b.rig, ENGINE, M2S_CFG_LEN, 0x01000000 | 64 * n);
            bench_packet(&b, n, 1, 64 * n);
            CHECK_EQ(causes(b.rig, GROUP_A), good ? 0 : 1u << CAUSE_TOO_MANY,
                     "max %u n %u", max_descs[i], n);
            CHECK_PTR(&b.rq, TX, Q_COMP_HEAD, n, 1, "max %u n %u", max_descs[i],
                      n);
            CHECK_COPY(b.rig, b.dst, b.src, good ? 64 * n : 0, "max %u n %u",
                       max_descs[i], n);
        }
    }
    /* The driver's packet limit, 0xFFFFF bytes, and one byte more. */
    for (uint32_t over = 0; over < 2; over++) {
        bench_open(&b, *state, 64);
        rig_write(b.rig, ENGINE, M2S_CFG_LEN, 0x010FFFFF);
        for (unsigned i = 0; i < 16; i++) {
            rig_rx(&b.rq, b.dst, 65536);
            rig_tx(&b.rq, d_marks(i, 16), b.src,
                   i == 15 ? 65535 + over : 65536);
        }
        rig_bell(&b.rq, RX, 16);
        rig_bell(&b.rq, TX, 16);
        CHECK_EQ(causes(b.rig, GROUP_A), over << CAUSE_TOO_LONG, "over %u",
                 over);
        CHECK_EQ(rig_stats(b.rig, ENGINE).bytes, over ? 0 : 0xFFFFF, "over %u",
                 over);
    }
}

/* 4.2: metadata counts as a descriptor, but it has no bytes. */
static void test_malformed_limits_and_metadata(void **state)
{
    for (uint32_t max_descs = 1; max_descs <= 2; max_descs++) {
        struct bench b;

        bench_open(&b, *state, 8);
        rig_write(b.rig, ENGINE, M2S_PREF_CFG_2, 0x10000 | max_descs);
        rig_write(b.rig, ENGINE, M2S_CFG_LEN, 0x01000040);
        rig_tx(&b.rq, F | D_META, b.src, 64);
        rig_tx(&b.rq, L, b.src, 64);
        rig_bell(&b.rq, TX, 2);
        CHECK_EQ(causes(b.rig, GROUP_A),
                 max_descs == 1 ? 1u << CAUSE_TOO_MANY : 1u << 2, "max %u",
                 max_descs);
    }
}

/* H5: cause 14 for a packet that fills its queue's share of the FIFO. */
static void test_malformed_packet_exceeds_fifo_share(void **state)
{
    static const uint32_t depths[] = { 1, 2, 5, 16 };
    struct bench b;

    for (size_t i = 0; i < ARRAY_LEN(depths); i++) {
        for (uint32_t n = depths[i]; n <= depths[i] + 3; n++) {
            bool good = n == depths[i];

            bench_open(&b, *state, 64);
            rig_q_set(&b.rq, TX, Q_PREF_CFG, depths[i]);
            bench_packet(&b, n, 1, 64 * n);
            CHECK_EQ(causes(b.rig, GROUP_A), good ? 0 : 1u << CAUSE_TOO_MANY,
                     "depth %u n %u", depths[i], n);
            CHECK_PTR(&b.rq, TX, Q_COMP_HEAD, n, 1, "depth %u n %u", depths[i],
                      n);
            rig_copy(&b.rq, b.dst + 0x8000, b.src, 64);
            CHECK_PTR(&b.rq, TX, Q_COMP_HEAD, n + 1, 1, "depth %u n %u",
                      depths[i], n);
        }
    }
}

/* An open packet at the end of a burst is no error: its LAST may come. */
static void test_malformed_open_packet_is_no_error(void **state)
{
    struct bench b;

    bench_open(&b, *state, 8);
    rig_rx(&b.rq, b.dst, 192);
    rig_bell(&b.rq, RX, 1);
    rig_tx(&b.rq, F, b.src, 64);
    rig_tx(&b.rq, 0, b.src + 64, 64);
    rig_bell(&b.rq, TX, 2);
    CHECK_EQ(causes(b.rig, GROUP_A), 0, "open");
    rig_q_set(&b.rq, TX, TXQ_SW_CTRL, RST_Q); /* and a reset closes it */
    b.rq.ring[TX].idx = 0;
    rig_tx(&b.rq, F | L, b.src, 64);
    rig_bell(&b.rq, TX, 1);
    CHECK_EQ(causes(b.rig, GROUP_A), 0, "after RST_Q");
    CHECK_COPY(b.rig, b.dst, b.src, 64, "after RST_Q");
}

/* ---- lap tags
 * ----------------------------------------------------------------- */

/* Give the descriptor before the ring's index another tag. */
static void retag(struct bench *b, enum side side, uint32_t lap)
{
    const struct rig_ring *ring = &b->rq.ring[side];
    uint32_t *word =
        rig_mem(b->rig, ring->base + 16 * (uint64_t)(ring->idx - 1), 4);

    *word = (*word & ~D_LAP(3)) | D_LAP(lap);
}

/* One good copy, then one whose descriptor on one side is tagged. */
static void post_tagged(struct bench *b, enum side side, uint32_t lap)
{
    rig_copy(&b->rq, b->dst, b->src, 64);
    rig_rx(&b->rq, b->dst + 64, 64);
    rig_tx(&b->rq, D_ONE, b->src + 64, 64);
    retag(b, side, lap);
    rig_bell(&b->rq, RX, 1);
    rig_bell(&b->rq, TX, 1);
}

/* B27, H22, K7: a tag that differs from the head's lap sets the cause; with
 * the abort masked the descriptor is processed. */
static void test_malformed_lap_tag_masked(void **state)
{
    for (enum side side = TX; side <= RX; side++) {
        unsigned bit = side == TX ? CAUSE_RING_ID : CAUSE_RX_RING_ID;
        unsigned group = side == TX ? GROUP_A : GROUP_B;

        for (uint32_t lap = 0; lap < 4; lap++) {
            struct bench b;

            bench_open(&b, *state, 8);
            post_tagged(&b, side, lap);
            CHECK_EQ(causes(b.rig, group), lap == 1 ? 0 : 1u << bit,
                     "side %d lap %u", side, lap);
            CHECK_COPY(b.rig, b.dst, b.src, 128, "side %d lap %u", side, lap);
            CHECK_PTR(&b.rq, side, Q_COMP_HEAD, 2, 1, "side %d lap %u", side,
                      lap);
        }
    }
}

static void test_malformed_lap_tag_aborts(void **state)
{
    for (enum side side = TX; side <= RX; side++) {
        unsigned bit = side == TX ? CAUSE_RING_ID : CAUSE_RX_RING_ID;
        unsigned group = side == TX ? GROUP_A : GROUP_B;

        for (uint32_t lap = 0; lap < 4; lap++) {
            struct bench b;

            bench_open(&b, *state, 8);
            rig_write(b.rig, ENGINE, SECONDARY(group) + INT_ABORT_MASK,
                      ~(1u << bit));
            post_tagged(&b, side, lap);
            CHECK_EQ(aborted(b.rig), lap != 1, "side %d lap %u", side, lap);
            CHECK_COPY(b.rig, b.dst, b.src, lap == 1 ? 128 : 64,
                       "side %d lap %u", side, lap);
            if (lap != 1) {
                uint32_t log = (side == RX ? S2M : 0) + LOG_0;

                CHECK_UNTOUCHED(b.rig, b.dst + 64, 64, "side %d lap %u", side,
                                lap);
                CHECK_EQ(rig_read(b.rig, ENGINE, log) >> 24 & 3, lap,
                         "side %d: the log shows the tag", side);
            }
        }
    }
}

/* B27: "phase bit disabled" masks interrupt, abort and log; 5.8.1 step 3. */
static void test_malformed_lap_tag_silenced(void **state)
{
    struct bench b;

    for (enum side side = TX; side <= RX; side++) {
        unsigned bit = side == TX ? CAUSE_RING_ID : CAUSE_RX_RING_ID;
        uint32_t base = side == RX ? S2M : 0;

        bench_open(&b, *state, 8);
        rig_write(b.rig, ENGINE, base + ERR_LOG_MASK, 1u << bit);
        post_tagged(&b, side, 0);
        CHECK_COPY(b.rig, b.dst, b.src, 128, "side %d", side);
        CHECK_EQ(rig_read(b.rig, ENGINE, base + LOG_0), 0, "side %d", side);
    }
}

/* Old tags all along: every lap of a ring that is never rewritten. */
static void test_malformed_stale_ring_keeps_running(void **state)
{
    struct bench b;

    bench_open(&b, *state, 4);
    for (unsigned i = 0; i < 4; i++) {
        rig_rx(&b.rq, b.dst + 64 * i, 64);
        rig_tx(&b.rq, D_ONE, b.src + 64 * i, 64);
    }
    for (uint32_t lap = 1; lap <= 5; lap++) {
        rig_write(b.rig, ENGINE, SECONDARY(GROUP_A) + INT_CAUSE, 0);
        rig_write(b.rig, ENGINE, SECONDARY(GROUP_B) + INT_CAUSE, 0);
        rig_bell(&b.rq, RX, 4);
        rig_bell(&b.rq, TX, 4);
        CHECK_EQ(rig_stats(b.rig, ENGINE).packets, 4 * lap, "lap %u", lap);
        CHECK_EQ(causes(b.rig, GROUP_A), lap % 4 == 1 ? 0 : 1u << CAUSE_RING_ID,
                 "lap %u", lap);
        CHECK_EQ(causes(b.rig, GROUP_B),
                 lap % 4 == 1 ? 0 : 1u << CAUSE_RX_RING_ID, "lap %u", lap);
    }
}

/* H5: also when the depth is lowered under a packet that is fetched in part. */
static void test_malformed_share_lowered_under_a_packet(void **state)
{
    uint64_t comp;
    struct bench b;

    for (uint32_t depth = 0; depth <= 10; depth++) {
        bench_open(&b, *state, 64);
        comp = bench_completions(&b, TX);
        for (unsigned i = 0; i < 12; i++) {
            rig_tx(&b.rq, d_marks(i, 12), b.src, 64);
        }
        rig_tx(&b.rq, D_ONE, b.src, 64);
        rig_tx(&b.rq, D_ONE, b.src + 64, 64);
        rig_rx(&b.rq, b.dst, 64);
        rig_rx(&b.rq, b.dst + 64, 64);
        rig_bell(&b.rq, RX, 2);
        rig_bell(&b.rq, TX, 10);
        CHECK_EQ(causes(b.rig, GROUP_A), 0, "depth %u: open", depth);
        rig_q_set(&b.rq, TX, Q_PREF_CFG, depth);
        rig_bell(&b.rq, TX, 4);
        CHECK_EQ(causes(b.rig, GROUP_A), 1u << CAUSE_TOO_MANY, "depth %u",
                 depth);
        CHECK_EQ(rig_stats(b.rig, ENGINE).errors, 1, "depth %u", depth);
        rig_q_set(&b.rq, TX, Q_PREF_CFG, 16); /* 0 would fetch no more */
        for (unsigned i = 0; i < 10; i++) {
            CHECK_EQ(rig_word(b.rig, comp + 4 * i),
                     D_LAP(1) | E | d_marks(i, 10), "depth %u: %u", depth, i);
        }
        CHECK_EQ(rig_word(b.rig, comp + 40), D_LAP(1) | E | F | L, "depth %u",
                 depth);
        CHECK_EQ(rig_word(b.rig, comp + 44), D_LAP(1) | E | F | L, "depth %u",
                 depth);
        CHECK_COPY(b.rig, b.dst, b.src, 128, "depth %u: behind it", depth);
        CHECK_PTR(&b.rq, TX, Q_COMP_HEAD, 14, 1, "depth %u", depth);
    }
}

/*
 * An abort at a descriptor leaves it unread: with the limit raised and
 * NORMAL it is fetched as if for the first time, and the packet arrives.
 */
static void test_malformed_abort_then_limit_raised(void **state)
{
    static const struct {
        unsigned cause;
        unsigned nr;
        uint32_t max_descs;
        uint32_t max_bytes;
    } rows[] = {
        { CAUSE_TOO_LONG, 1, 0x40, 8 },    /* at FIRST, and LAST */
        { CAUSE_TOO_LONG, 3, 0x40, 8 },    /* at FIRST */
        { CAUSE_TOO_LONG, 3, 0x40, 100 },  /* inside */
        { CAUSE_TOO_LONG, 3, 0x40, 191 },  /* at LAST */
        { CAUSE_TOO_MANY, 3, 0, 0xFFFFF }, /* at FIRST */
        { CAUSE_TOO_MANY, 3, 2, 0xFFFFF }, /* at LAST */
    };
    struct bench b;

    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        unsigned nr = rows[i].nr;

        bench_open(&b, *state, 16);
        rig_write(b.rig, ENGINE, M2S_PREF_CFG_2,
                  0x00010000 | rows[i].max_descs);
        rig_write(b.rig, ENGINE, M2S_CFG_LEN, 0x01000000 | rows[i].max_bytes);
        rig_write(b.rig, ENGINE, SECONDARY(GROUP_A) + INT_ABORT_MASK,
                  ~(1u << rows[i].cause));
        bench_packet(&b, nr, 1, 64 * nr);
        CHECK_EQ(aborted(b.rig), true, "row %zu", i);
        rig_write(b.rig, ENGINE, M2S_PREF_CFG_2, 0x00010040);
        rig_write(b.rig, ENGINE, M2S_CFG_LEN, 0x010FFFFF);
        rig_write(b.rig, ENGINE, SECONDARY(GROUP_A) + INT_CAUSE, 0);
        rig_write(b.rig, ENGINE, CHANGE_STATE, CMD_NORMAL);
        rig_write(b.rig, ENGINE, S2M + CHANGE_STATE, CMD_NORMAL);
        CHECK_EQ(causes(b.rig, GROUP_A), 0, "row %zu", i);
        CHECK_COPY(b.rig, b.dst, b.src, 64 * nr, "row %zu", i);
        CHECK_EQ(rig_read(b.rig, ENGINE, M2S_TX_PKT), 1, "row %zu", i);
        CHECK_PTR(&b.rq, TX, Q_COMP_HEAD, nr, 1, "row %zu", i);
        rig_copy(&b.rq, b.dst + 0x1000, b.src + 0x1000, 64);
        CHECK_COPY(b.rig, b.dst + 0x1000, b.src + 0x1000, 64, "row %zu", i);
    }
}

#define TEST(name)                                                             \
    cmocka_unit_test_setup_teardown(name, rig_setup, rig_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_malformed_packet_masked),
        TEST(test_malformed_packet_aborts),
        TEST(test_malformed_packets_need_no_stream),
        TEST(test_malformed_limits_are_inclusive),
        TEST(test_malformed_limits_and_metadata),
        TEST(test_malformed_packet_exceeds_fifo_share),
        TEST(test_malformed_open_packet_is_no_error),
        TEST(test_malformed_lap_tag_masked),
        TEST(test_malformed_lap_tag_aborts),
        TEST(test_malformed_lap_tag_silenced),
        TEST(test_malformed_stale_ring_keeps_running),
        TEST(test_malformed_share_lowered_under_a_packet),
        TEST(test_malformed_abort_then_limit_raised),
    };

    return cmocka_run_group_tests_name("malformed", tests, NULL, NULL);
}
