/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The virtual clock: what is due acts at its clock, however time is cut up.
 * include/trench/soc.h, trench_soc_advance(); hardware.md H8, H105.
 */
#include <trench/soc.h>

#include "check.h"
#include "rig.h"

#define EN      (1u << 24)
#define MAX     0xFFFFFFu
#define HINT    (1u << 28)
#define DROP    (1u << 27)
#define RING    64u
#define QUEUES  4u
#define ENGINES 2u

static uint64_t random_next(uint64_t *x)
{
    *x = *x * 6364136223846793005u + 1442695040888963407u;
    return *x >> 33;
}

/* A byte a clock, starting without any. */
static void limit_queue(struct rig_queue *rq)
{
    rig_write(rq->rig, rq->engine, M2S_RATE_GEN, 0);
    rig_q_set(rq, TX, TXQ_RATE_SIZE_2, 8);
    rig_q_set(rq, TX, TXQ_RATE_1, EN | MAX);
    rig_q_set(rq, TX, TXQ_RATE_MASK, 0);
}

/* ---- order -------------------------------------------------------------- */

/* H105: 10,000 clocks of a timer are 10,000 ns. */
static void test_clock_is_a_nanosecond(void **state)
{
    struct bench b;

    bench_open(&b, *state, 8);
    rig_tx(&b.rq, D_ONE, b.src, 64);
    rig_bell(&b.rq, TX, 1);
    trench_soc_advance(b.rig->soc, 9999);
    CHECK_EQ(rig_stats(b.rig, ENGINE).errors, 0, "9,999 ns");
    trench_soc_advance(b.rig->soc, 1);
    CHECK_EQ(rig_stats(b.rig, ENGINE).errors, 1, "10,000 ns");
}

/* Packets that wait one after the other time out one after the other. */
static void test_clock_runs_through_a_long_span(void **state)
{
    struct bench b;

    bench_open(&b, *state, 16);
    rig_write(b.rig, ENGINE, S2M_DATA_CFG_2, HINT | DROP | 100);
    for (unsigned i = 0; i < 5; i++) {
        rig_tx(&b.rq, D_ONE, b.src, 64);
    }
    rig_bell(&b.rq, TX, 5);
    trench_soc_advance(b.rig->soc, 350);
    CHECK_EQ(rig_read(b.rig, ENGINE, S2M_DROP_PKT), 3, "350");
    trench_soc_advance(b.rig->soc, 49);
    CHECK_EQ(rig_read(b.rig, ENGINE, S2M_DROP_PKT), 3, "399");
    trench_soc_advance(b.rig->soc, UINT64_MAX);
    CHECK_EQ(rig_read(b.rig, ENGINE, S2M_DROP_PKT), 5, "all");
}

/*
 * What one engine is let do wakes another at that very clock: a limited copy
 * rings the doorbell of engine 6, whose packet then waits 100 clocks.
 */
static void test_clock_across_engines(void **state)
{
    struct rig_queue other;
    struct bench b;
    uint64_t bell;

    bench_open(&b, *state, 16);
    rig_queue_open(&other, b.rig, ENGINE + 1, 0, 16);
    rig_write(b.rig, ENGINE + 1, S2M_DATA_CFG_2, DROP | 100);
    rig_tx(&other, D_ONE, b.src, 64);
    *(uint32_t *)rig_mem(b.rig, b.src, 4) = 1;
    bell = rig_engine_base(ENGINE + 1) + q_off(TX, 0, Q_BELL);
    limit_queue(&b.rq);
    rig_copy(&b.rq, b.dst, b.src, 50); /* out at 1, paid at 51 */
    rig_copy(&b.rq, bell, b.src, 4);
    trench_soc_advance(b.rig->soc, 150);
    CHECK_EQ(rig_read(b.rig, ENGINE + 1, S2M_DROP_PKT), 0, "150");
    trench_soc_advance(b.rig->soc, 1);
    CHECK_EQ(rig_read(b.rig, ENGINE + 1, S2M_DROP_PKT), 1, "151");
}

/* Stepped mode: time wakes, trench_soc_run() works. */
static void test_clock_stepped(void **state)
{
    struct bench b;

    (void)state;
    b.rig = calloc(1, sizeof(*b.rig));
    rig_open(b.rig, &(struct trench_soc_conf){ .stepped = true });
    bench_open(&b, b.rig, 16);
    limit_queue(&b.rq);
    rig_copy(&b.rq, b.dst, b.src, 50);
    rig_copy(&b.rq, b.dst, b.src, 50);
    trench_soc_run(b.rig->soc, 0);
    trench_soc_advance(b.rig->soc, 10);
    CHECK_EQ(rig_q(&b.rq, TX, TXQ_TX_PKT), 0, "only posted");
    trench_soc_run(b.rig->soc, 0);
    CHECK_EQ(rig_q(&b.rq, TX, TXQ_TX_PKT), 1, "run");
    trench_soc_advance(b.rig->soc, UINT64_MAX);
    CHECK_EQ(rig_q(&b.rq, TX, TXQ_TX_PKT), 1, "only posted");
    trench_soc_run(b.rig->soc, 0);
    CHECK_EQ(rig_q(&b.rq, TX, TXQ_TX_PKT), 2, "run");
    rig_close(b.rig);
    free(b.rig);
}

/*
 * A limited ring that rings its own doorbells never ends. One call runs the
 * budget of an access and no more.
 */
static void test_clock_budget(void **state)
{
    struct trench_soc_stats stats;
    struct bench b;
    uint64_t tail[2];

    (void)state;
    b.rig = calloc(1, sizeof(*b.rig));
    rig_open(b.rig, &(struct trench_soc_conf){ .budget = 1000 });
    bench_open(&b, b.rig, 16);
    *(uint32_t *)rig_mem(b.rig, b.src, 4) = 1;
    for (enum side side = TX; side <= RX; side++) {
        tail[side] = rig_engine_base(ENGINE) + q_off(side, QUEUE, Q_BELL);
    }
    limit_queue(&b.rq);
    for (unsigned i = 0; i < 8; i++) { /* RX bell, then TX bell */
        rig_rx(&b.rq, tail[RX], 4);
        rig_tx(&b.rq, D_ONE, b.src, 4);
        rig_rx(&b.rq, tail[TX], 4);
        rig_tx(&b.rq, D_ONE, b.src, 4);
    }
    rig_bell(&b.rq, RX, 4);
    rig_bell(&b.rq, TX, 4);
    trench_soc_advance(b.rig->soc, UINT64_MAX);
    trench_soc_stats(b.rig->soc, &stats);
    CHECK_EQ(rig_q(&b.rq, TX, TXQ_TX_PKT) > 4, true, "%u packets",
             rig_q(&b.rq, TX, TXQ_TX_PKT));
    CHECK_EQ(rig_q(&b.rq, TX, TXQ_TX_PKT) <= 1000, true, "%u packets",
             rig_q(&b.rq, TX, TXQ_TX_PKT));
    rig_close(b.rig);
    free(b.rig);
}

/*
 * Packets dropped for want of a buffer move nothing, and yet are work: a long
 * ring of them is not dropped in one call.
 */
static void test_clock_budget_of_drops(void **state)
{
    struct trench_soc_stats stats;
    struct bench b;

    (void)state;
    b.rig = calloc(1, sizeof(*b.rig));
    rig_open(b.rig, &(struct trench_soc_conf){ .budget = 100 });
    bench_open(&b, b.rig, 1024);
    rig_write(b.rig, ENGINE, S2M_DATA_CFG_2, DROP | 1);
    for (unsigned i = 0; i < 1000; i++) {
        rig_tx(&b.rq, D_ONE, b.src, 64);
    }
    rig_bell(&b.rq, TX, 1000);
    trench_soc_advance(b.rig->soc, UINT64_MAX);
    CHECK_EQ(rig_stats(b.rig, ENGINE).dropped, 100, "one budget");
    trench_soc_stats(b.rig->soc, &stats);
    CHECK_EQ(stats.budget_stops, 1, "left over");
    for (unsigned i = 0; i < 9; i++) {
        trench_soc_advance(b.rig->soc, UINT64_MAX);
    }
    CHECK_EQ(rig_stats(b.rig, ENGINE).dropped, 1000, "ten of them");
    rig_close(b.rig);
    free(b.rig);
}

/*
 * A timer of one clock whose messages clear it, among engines that only wait:
 * what is looked at again and again counts, too.
 */
static void test_clock_budget_of_looks(void **state)
{
    const uint32_t timer = GEN + 0x2118;
    const uint32_t entry = GEN + 0x1400 + 16 * (96 + 12); /* group D, bit 12 */
    uint64_t got[2];

    (void)state;
    for (unsigned many = 0; many < 2; many++) {
        struct bench b;

        b.rig = calloc(1, sizeof(*b.rig));
        rig_open(b.rig, &(struct trench_soc_conf){ .budget = 1000 });
        bench_open(&b, b.rig, 16);
        for (unsigned e = 0; e < 80 * many; e++) {
            rig_write(b.rig, e, timer, 0xFFFFFFFF);
        }
        rig_write(b.rig, ENGINE, entry, (uint32_t)b.dst);
        rig_write(b.rig, ENGINE, entry + 4, (uint32_t)(b.dst >> 32));
        rig_write(b.rig, ENGINE, PRIMARY(GROUP_D) + INT_MASK_CLEAR, 0);
        rig_write(b.rig, ENGINE, PRIMARY(GROUP_D) + INT_CONTROL, 4);
        rig_write(b.rig, ENGINE, timer, 1);
        trench_soc_advance(b.rig->soc, UINT64_MAX);
        got[many] = rig_stats(b.rig, ENGINE).messages;
        rig_close(b.rig);
        free(b.rig);
    }
    CHECK_EQ(got[0], 1000, "one engine: a unit a message");
    CHECK_EQ(got[1] > 50 && got[1] < 100, true, "80 engines: ten more, %llu",
             ULL(got[1]));
}

/* A wait that no timer ends is as long as it was, past the end of the clock. */
static void test_clock_wraps(void **state)
{
    struct bench b;

    bench_open(&b, *state, 16);
    rig_write(b.rig, ENGINE, S2M_DATA_CFG_2, DROP); /* for ever */
    rig_tx(&b.rq, D_ONE, b.src, 64);
    rig_bell(&b.rq, TX, 1);
    for (unsigned i = 0; i < 3; i++) {
        trench_soc_advance(b.rig->soc, UINT64_MAX);
        trench_soc_advance(b.rig->soc, 5);
    }
    CHECK_EQ(rig_read(b.rig, ENGINE, S2M_DROP_PKT), 0, "for ever");
    rig_write(b.rig, ENGINE, S2M_DATA_CFG_2, DROP | MAX);
    trench_soc_advance(b.rig->soc, 0);
    CHECK_EQ(rig_read(b.rig, ENGINE, S2M_DROP_PKT), 1, "long over");
}

/* ---- advance(a + b) is advance(a), advance(b) ---------------------------- */

struct twin {
    struct rig rig;
    struct rig_queue rq[ENGINES][QUEUES];
    uint64_t buf;
};

/* Registers with something to do with time, and what of them is written. */
static const struct {
    bool queue;
    uint32_t reg;
    uint32_t mask;
} knobs[] = {
    { false, M2S_RATE_GEN, 0x0100003F },
    { false, M2S_RATE_CYCLES, 1 },
    { false, M2S_RATE_TOKENS, 0xFF },
    { false, M2S_STREAM_RATE, 0x0300FFFF },
    { false, M2S_STREAM_RATE + 0x4, 7 },
    { false, M2S_STREAM_RATE + 0x8, 0x7FF },
    { false, M2S_STREAM_RATE + 0xC, 0x3FF },
    { false, M2S_STREAM_RATE + 0x10, 1 },
    { false, M2S_STREAM_RATE_MASK, 2 },
    { false, M2S_COAL, 0x1FF },
    { false, DESC_WR_CFG_1, 0xF0000 },
    { false, S2M + DESC_WR_CFG_1, 0xF0000 },
    { false, S2M_DATA_CFG_2, HINT | DROP | 0x1FF },
    { false, M2S_CFG_SCHED, 0x000F0011 },
    { false, M2S_PREF_CFG_2, 0x10040 },
    { true, TXQ_RATE_1, 0x0300FFFF },
    { true, TXQ_RATE_1, 0x0100FFFF },
    { true, TXQ_RATE_CYCLE, 7 },
    { true, TXQ_RATE_SIZE_1, 0x7FF },
    { true, TXQ_RATE_SIZE_2, 0x3FF },
    { true, TXQ_RATE_SW, 1 },
    { true, TXQ_RATE_MASK, 2 },
    { true, TXQ_RATE_MASK, 0 },
    { true, TXQ_DWRR_1, 0x3FFFFFF },
    { true, TXQ_DWRR_2, 3 },
    { true, TXQ_DWRR_3, 0xFF },
    { true, TXQ_COMP_CFG, 3 },
    { true, S2M + RXQ_COMP_CFG, 3 },
    { true, S2M + RXQ_COAL, 0x1FF },
    { true, TXQ_SW_CTRL, RST_Q },
    { true, Q_CFG, 0x03FF },
};

static void twin_open(struct twin *t, bool stepped)
{
    rig_open(&t->rig, &(struct trench_soc_conf){ .stepped = stepped });
    t->buf = rig_alloc(&t->rig, 0x10000);
    rig_fill(&t->rig, t->buf, 0x8000, 1);
    for (unsigned e = 0; e < ENGINES; e++) {
        for (unsigned q = 0; q < QUEUES; q++) {
            struct rig_queue *rq = &t->rq[e][q];

            rig_queue_open(rq, &t->rig, ENGINE + e, q, RING);
            for (enum side side = TX; side <= RX; side++) {
                uint64_t ring = rig_alloc(&t->rig, RING * 16);

                rig_q_set(rq, side, Q_COMP_LO, (uint32_t)ring);
                rig_q_set(rq, side, Q_COMP_HI, (uint32_t)(ring >> 32));
            }
        }
    }
}

static void twin_knob(struct twin *t, uint64_t x)
{
    unsigned k = (unsigned)(random_next(&x) % ARRAY_LEN(knobs));
    struct rig_queue *rq =
        &t->rq[random_next(&x) % ENGINES][random_next(&x) % QUEUES];
    uint32_t val = (uint32_t)random_next(&x) & knobs[k].mask;

    if (knobs[k].reg == Q_CFG) {
        val |= Q_CFG_ENABLED;
    }
    if (knobs[k].queue) {
        rig_write(&t->rig, rq->engine, q_off(TX, rq->q, knobs[k].reg), val);
        if (knobs[k].reg == TXQ_SW_CTRL && val) {
            rq->ring[TX].idx = 0;
            rq->ring[TX].lap = 1;
        }
    } else {
        rig_write(&t->rig, rq->engine, knobs[k].reg, val);
    }
}

/* Packets with a buffer, or with one that is too short, or without. */
static void twin_post(struct twin *t, uint64_t x)
{
    struct rig_queue *rq =
        &t->rq[random_next(&x) % ENGINES][random_next(&x) % QUEUES];
    uint32_t nr = (uint32_t)random_next(&x) % 4 + 1;
    uint32_t len = (uint32_t)random_next(&x) % 700 + 1;
    uint32_t rx = (uint32_t)random_next(&x) % 4;

    if ((rig_q(rq, TX, Q_STATUS) & 0x1FFFFFF) > RING - 16 ||
        (rig_q(rq, RX, Q_STATUS) & 0x1FFFFFF) > RING - 16) {
        return;
    }
    for (uint32_t i = 0; i < nr; i++) {
        rig_tx(rq, D_ONE | (len & 1 ? D_INT_EN : 0), t->buf, len);
    }
    for (uint32_t i = 0; i < nr && rx; i++) {
        rig_rx(rq, t->buf + 0x8000 + 0x400 * rq->q,
               rx == 1 ? len / 2 + 1 : len);
    }
    rig_bell(rq, RX, rx ? nr : 0);
    rig_bell(rq, TX, nr);
}

static void twin_same(struct twin *a, struct twin *b, uint64_t seed,
                      unsigned op)
{
    for (unsigned e = 0; e < ENGINES; e++) {
        for (unsigned q = 0; q < QUEUES; q++) {
            rig_write(&a->rig, ENGINE + e, M2S_INDIRECT, q);
            rig_write(&b->rig, ENGINE + e, M2S_INDIRECT, q);
            for (uint32_t off = M2S_SEL_PREF; off <= M2S_SEL_DWRR; off += 4) {
                CHECK_EQ(rig_read(&a->rig, ENGINE + e, off),
                         rig_read(&b->rig, ENGINE + e, off),
                         "seed %llu op %u engine %u q%u 0x%x", ULL(seed), op, e,
                         q, off);
            }
        }
        for (uint32_t off = 0; off < 0x3A400; off += 4) {
            if ((off & 0x1FFFF) >= 0x6000 && off < GEN) {
                continue; /* other queues */
            }
            CHECK_EQ(rig_read(&a->rig, ENGINE + e, off),
                     rig_read(&b->rig, ENGINE + e, off),
                     "seed %llu op %u engine %u 0x%x", ULL(seed), op, e, off);
        }
    }
    CHECK_MEM(rig_mem(&a->rig, a->buf, a->rig.next - a->buf),
              rig_mem(&b->rig, b->buf, b->rig.next - b->buf),
              a->rig.next - a->buf, "seed %llu op %u memory", ULL(seed), op);
}

/* One span in one piece and in many. */
static void twin_pass(struct twin *a, struct twin *b, uint64_t x)
{
    static const uint64_t spans[] = {
        0, 1, 17, 300, 1000, 5000, 100000, UINT64_C(1) << 40, UINT64_MAX
    };
    uint64_t span = spans[random_next(&x) % ARRAY_LEN(spans)];

    trench_soc_advance(a->rig.soc, span);
    for (unsigned pieces = 0; span > 0; pieces++) {
        uint64_t max = pieces < 200 ? 40 : UINT64_MAX;
        uint64_t piece = (random_next(&x) << 31 | random_next(&x)) % max;

        piece = piece < span && pieces < 210 ? piece : span;
        trench_soc_advance(b->rig.soc, piece);
        span -= piece;
    }
}

static void twin_run(bool stepped, uint64_t seed)
{
    static struct twin a, b;
    uint64_t x = seed * 7919 + 1;

    a = (struct twin){ .buf = 0 };
    b = (struct twin){ .buf = 0 };
    twin_open(&a, stepped);
    twin_open(&b, stepped);
    for (unsigned op = 0; op < 150; op++) {
        uint64_t kind = random_next(&x) % 4;
        uint64_t arg = x;

        if (kind == 0) {
            twin_pass(&a, &b, arg);
        } else if (kind == 1) {
            twin_post(&a, arg);
            twin_post(&b, arg);
        } else {
            twin_knob(&a, arg);
            twin_knob(&b, arg);
        }
        if (stepped && op % 3 == 0) {
            trench_soc_run(a.rig.soc, 0);
            trench_soc_run(b.rig.soc, 0);
        }
        if (kind == 0) {
            twin_same(&a, &b, seed, op);
        }
    }
    rig_close(&a.rig);
    rig_close(&b.rig);
}

static void test_clock_split(void **state)
{
    const char *one = getenv("TRENCH_SEED");

    (void)state;
    for (uint64_t seed = 0; seed < 24; seed++) {
        twin_run(seed % 4 == 3, one ? strtoull(one, NULL, 0) : seed);
    }
}

/* ---- anything ------------------------------------------------------------ */

/*
 * Completions land in the registers of any queue of either engine, any
 * register of a bank takes any word, and time passes in the middle of it. It
 * ends, and after a reset the chip is as new.
 */
static void hostile_run(struct twin *t, uint64_t seed)
{
    uint64_t x = seed * 7919 + 1;

    for (unsigned op = 0; op < 200; op++) {
        unsigned e = ENGINE + (unsigned)(random_next(&x) % ENGINES);
        uint32_t bank = q_off(random_next(&x) % 2 ? RX : TX,
                              (unsigned)(random_next(&x) % QUEUES), 0);
        uint64_t over = rig_engine_base(e) + bank;

        switch (random_next(&x) % 8) {
        case 0:
            trench_soc_advance(t->rig.soc, random_next(&x) % 3000);
            break;
        case 1:
            trench_soc_advance(t->rig.soc, UINT64_MAX - random_next(&x));
            break;
        case 2:
            twin_post(t, x);
            break;
        case 3: /* a completion ring over registers */
            bank = q_off(random_next(&x) % 2 ? RX : TX,
                         (unsigned)(random_next(&x) % QUEUES), 0);
            over += random_next(&x) % 3 ? random_next(&x) % 4 * 0x40
                                        : M2S_STREAM_RATE - UINT64_C(0x1000);
            rig_write(&t->rig, e, bank + Q_COMP_LO, (uint32_t)over);
            rig_write(&t->rig, e, bank + Q_COMP_HI, (uint32_t)(over >> 32));
            break;
        case 4:
            rig_write(&t->rig, e, bank + (uint32_t)random_next(&x) % 0x40 * 4,
                      (uint32_t)random_next(&x) << (random_next(&x) % 16));
            break;
        case 5:
            rig_write(&t->rig, e, bank + Q_CFG,
                      Q_CFG_ENABLED | (uint32_t)random_next(&x) % 2 << 31);
            break;
        default:
            twin_knob(t, x);
            break;
        }
    }
}

static void test_clock_hostile(void **state)
{
    const char *more = getenv("TRENCH_ROUNDS");
    uint64_t rounds = more ? strtoull(more, NULL, 0) : 20;
    static struct twin t;

    (void)state;
    for (uint64_t seed = 0; seed < rounds; seed++) {
        struct bench b;

        t = (struct twin){ .buf = 0 };
        twin_open(&t, seed % 4 == 3);
        hostile_run(&t, seed);
        rig_reset(&t.rig);
        bench_open(&b, &t.rig, 16);
        rig_copy(&b.rq, b.dst, b.src, 64);
        trench_soc_run(t.rig.soc, 0);
        CHECK_COPY(b.rig, b.dst, b.src, 64, "seed %llu", ULL(seed));
        rig_close(&t.rig);
    }
}

int main(void)
{
#define TEST(fn) cmocka_unit_test(fn)
    static const struct CMUnitTest tests[] = {
        TEST(test_clock_is_a_nanosecond),
        TEST(test_clock_runs_through_a_long_span),
        TEST(test_clock_across_engines),
        TEST(test_clock_stepped),
        TEST(test_clock_budget),
        TEST(test_clock_budget_of_drops),
        TEST(test_clock_budget_of_looks),
        TEST(test_clock_wraps),
        TEST(test_clock_split),
        TEST(test_clock_hostile),
    };

    return cmocka_run_group_tests_name("clock", tests, rig_setup, rig_teardown);
}
