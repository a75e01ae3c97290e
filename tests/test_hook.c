/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Access hooks that reach back into the chip: every call ends, and no queue
 * that could run is forgotten. include/trench/access.h, trench/soc.h;
 * hardware.md H105.
 */
#include <trench/soc.h>

#include "check.h"
#include "rig.h"

/* More than a bounded call can have, and few enough to wait for. */
#define TOO_MANY 100000u
#define BUDGET   1000u

/* What a hook does to a queue at each access of a master. */
struct reviver {
    struct rig_queue *rq; /* of the queue that accesses; NULL = any */
    struct rig_queue *to; /* what is done it to */
    unsigned master;
    uint64_t calls;
    uint64_t left; /* times it is done */
    unsigned answer;
};

/* As a driver whose timeout strikes at the worst time: reset, post again. */
static void revive(struct rig_queue *rq)
{
    rig_q_set(rq, TX, TXQ_SW_CTRL, RST_Q);
    rig_bell(rq, TX, 1);
}

static unsigned revive_at(void *opaque, const struct trench_access *a)
{
    struct reviver *rv = opaque;

    if (a->master != rv->master || rv->left == 0 || rv->calls >= TOO_MANY ||
        (rv->rq && a->engine != rv->rq->engine)) {
        return 0;
    }
    rv->calls++;
    rv->left--;
    revive(rv->to);
    return rv->answer;
}

static struct rig *open_small(struct bench *b)
{
    struct rig *r = calloc(1, sizeof(*r));

    rig_open(r, &(struct trench_soc_conf){ .budget = BUDGET });
    bench_open(b, r, 32);
    return r;
}

static void close_small(struct rig *r)
{
    rig_close(r);
    free(r);
}

/* The ring that the hook posts anew is served, and not only fetched. */
static void test_hook_posts_after_its_reset(void **state)
{
    for (unsigned answer = 0; answer < TRENCH_AXI_ANSWERS; answer++) {
        struct reviver rv = { .master = TRENCH_AXI_M2S_DESC_READ,
                              .left = 1,
                              .answer = answer };
        struct bench b;

        bench_open(&b, *state, 32);
        rv.to = &b.rq;
        trench_soc_set_access(b.rig->soc, revive_at, &rv);
        rig_copy(&b.rq, b.dst, b.src, 64);
        trench_soc_set_access(b.rig->soc, NULL, NULL);
        CHECK_EQ(rv.left, 0, "answer=%u", answer);
        CHECK_EQ(rig_stats(b.rig, ENGINE).packets, 1, "answer=%u", answer);
        CHECK_COPY(b.rig, b.dst, b.src, 64, "answer=%u", answer);
        CHECK_EQ(rig_stats(b.rig, ENGINE).errors, 0,
                 "answer=%u is about a ring that is gone", answer);
    }
}

/* One that does so at every fetch takes a budget, not for ever. */
static void test_hook_that_always_posts_is_bounded(void **state)
{
    struct reviver rv = { .master = TRENCH_AXI_M2S_DESC_READ,
                          .left = UINT64_MAX };
    struct bench b;
    struct rig *r = open_small(&b);

    (void)state;
    rv.to = &b.rq;
    trench_soc_set_access(r->soc, revive_at, &rv);
    rig_copy(&b.rq, b.dst, b.src, 64);
    CHECK_EQ(rv.calls < TOO_MANY, true, "%llu fetches", ULL(rv.calls));
    rv.left = 0;
    trench_soc_run(r->soc, 0);
    CHECK_COPY(r, b.dst, b.src, 64, "served at last");
    close_small(r);
}

/* The same while a rate limiter holds the queue back. */
static void test_hook_that_posts_to_a_limited_queue(void **state)
{
    struct reviver rv = { .master = TRENCH_AXI_M2S_DESC_READ,
                          .left = UINT64_MAX };
    struct bench b;
    struct rig *r = open_small(&b);

    (void)state;
    rv.to = &b.rq;
    rig_q_set(&b.rq, TX, TXQ_RATE_SIZE_2, 8);
    rig_q_set(&b.rq, TX, TXQ_RATE_1, 1u << 24 | 0xFFFFFF);
    rig_q_set(&b.rq, TX, TXQ_RATE_MASK, 0);
    trench_soc_set_access(r->soc, revive_at, &rv);
    rig_copy(&b.rq, b.dst, b.src, 64);
    CHECK_EQ(rv.calls < TOO_MANY, true, "%llu fetches", ULL(rv.calls));
    rv.left = 0;
    trench_soc_advance(r->soc, 1000);
    CHECK_COPY(r, b.dst, b.src, 64, "served at last");
    close_small(r);
}

/* Two engines whose fetches post to each other. */
static unsigned revive_other(void *opaque, const struct trench_access *a)
{
    struct reviver *both = opaque;
    struct reviver *rv = &both[a->engine == both[1].rq->engine];

    return revive_at(rv, a);
}

static void test_hook_that_posts_to_the_other_engine(void **state)
{
    struct reviver both[2];
    struct rig_queue other;
    struct bench b;
    struct rig *r = open_small(&b);

    (void)state;
    rig_queue_open(&other, r, ENGINE + 1, 0, 32);
    for (unsigned i = 0; i < 2; i++) {
        both[i] = (struct reviver){ .rq = i ? &other : &b.rq,
                                    .to = i ? &b.rq : &other,
                                    .master = TRENCH_AXI_M2S_DESC_READ,
                                    .left = UINT64_MAX };
    }
    rig_tx(&other, D_ONE, b.src, 64);
    trench_soc_set_access(r->soc, revive_other, both);
    rig_copy(&b.rq, b.dst, b.src, 64);
    CHECK_EQ(both[0].calls + both[1].calls < TOO_MANY, true, "%llu fetches",
             ULL(both[0].calls + both[1].calls));
    close_small(r);
}

/* ---- a limited queue that is woken while another is looked after --------- */

static unsigned unlimit_at(void *opaque, const struct trench_access *a)
{
    struct reviver *rv = opaque;

    if (a->master == rv->master && rv->left > 0) {
        rv->left--;
        rig_q_set(rv->to, TX, TXQ_RATE_MASK, 2); /* no longer obeyed */
    }
    return 0;
}

/*
 * Two queues without tokens. The first is fetched for as it goes to sleep;
 * the hook then lets the second go, which is not put to sleep after all.
 */
static void test_hook_frees_a_limited_queue(void **state)
{
    struct reviver rv = { .master = TRENCH_AXI_M2S_DESC_READ, .left = 1 };
    struct rig_queue second;
    struct bench b;

    bench_open(&b, *state, 32);
    rig_queue_open(&second, b.rig, ENGINE, QUEUE + 1, 32);
    rv.to = &second;
    rig_q_set(&b.rq, TX, TXQ_RATE_1, 1u << 24 | 0xFFFFFF);
    rig_q_set(&b.rq, TX, TXQ_RATE_MASK, 0);
    rig_q_set(&second, TX, TXQ_RATE_1, 1u << 24 | 0xFFFFFF);
    rig_q_set(&second, TX, TXQ_RATE_MASK, 0);
    rig_rx(&second, b.dst, 64);
    rig_tx(&second, D_ONE, b.src, 64);
    rig_write(b.rig, ENGINE, M2S_PREF_EN, 0);
    rig_bell(&second, RX, 1);
    rig_bell(&second, TX, 1);
    rig_tx(&b.rq, D_ONE, b.src, 64);
    rig_bell(&b.rq, TX, 1);
    trench_soc_set_access(b.rig->soc, unlimit_at, &rv);
    rig_write(b.rig, ENGINE, M2S_PREF_EN, 0xFFFF); /* wakes both at once */
    trench_soc_set_access(b.rig->soc, NULL, NULL);
    CHECK_EQ(rv.left, 0, "fetched");
    CHECK_COPY(b.rig, b.dst, b.src, 64, "the second queue");
}

/* ---- time ---------------------------------------------------------------- */

struct traveller {
    struct rig *rig;
    uint64_t calls;
};

static unsigned travel(void *opaque, const struct trench_access *a)
{
    struct traveller *t = opaque;

    (void)a;
    if (t->calls++ < TOO_MANY) {
        trench_soc_advance(t->rig->soc, UINT64_MAX / 2);
        trench_soc_run(t->rig->soc, 0);
    }
    return 0;
}

/*
 * The clock stands still while an engine is at work: a hook that moves it
 * moves nothing, and runs nothing inside what is running.
 */
static void test_hook_cannot_move_the_clock(void **state)
{
    struct traveller t = { .rig = *state };
    uint64_t comp;
    struct bench b;

    bench_open(&b, *state, 32);
    comp = bench_completions(&b, TX);
    bench_completions(&b, RX);
    rig_write(b.rig, ENGINE, S2M + DESC_WR_CFG_1, 8u << 16); /* by eight */
    rig_q_set(&b.rq, RX, RXQ_COMP_CFG, 1);
    rig_q_set(&b.rq, RX, RXQ_COAL, 100);
    trench_soc_set_access(b.rig->soc, travel, &t);
    for (unsigned i = 0; i < 3; i++) {
        rig_copy(&b.rq, b.dst, b.src, 64);
    }
    CHECK_COPY(b.rig, b.dst, b.src, 64, "copied");
    CHECK_EQ(rig_read(b.rig, ENGINE, S2M_COMP_DESC), 0, "still gathered");
    trench_soc_advance(b.rig->soc, 99);
    CHECK_EQ(rig_read(b.rig, ENGINE, S2M_COMP_DESC), 0, "99 ns");
    trench_soc_advance(b.rig->soc, 1);
    CHECK_EQ(rig_read(b.rig, ENGINE, S2M_COMP_DESC), 3, "100 ns");
    CHECK_EQ(t.calls < TOO_MANY, true, "%llu accesses", ULL(t.calls));
    CHECK_EQ(rig_word(b.rig, comp) != 0, true, "completed");
    trench_soc_set_access(b.rig->soc, NULL, NULL);
}

static unsigned start_over(void *opaque, const struct trench_access *a)
{
    struct reviver *rv = opaque;

    if (a->master != rv->master || rv->left == 0) {
        return 0;
    }
    rv->left--;
    trench_soc_reset(rv->to->rig->soc);
    return rv->answer;
}

/* A reset of the whole chip, in each kind of access, good or bad. */
static void test_hook_resets_the_chip(void **state)
{
    for (unsigned m = 0; m < 2 * TRENCH_AXI_MSIX_WRITE; m++) {
        struct reviver rv = { .master = m / 2, .left = 1 };
        struct bench b;

        rv.answer = m % 2 ? TRENCH_AXI_SLVERR : 0;
        bench_open(&b, *state, 32);
        bench_completions(&b, TX);
        bench_completions(&b, RX);
        rv.to = &b.rq;
        trench_soc_set_access(b.rig->soc, start_over, &rv);
        bench_packet(&b, 4, 4, 256);
        trench_soc_set_access(b.rig->soc, NULL, NULL);
        CHECK_EQ(rv.left, 0, "master=%u answer=%u", m / 2, rv.answer);
        CHECK_EQ(rig_q(&b.rq, TX, Q_LEN), 0, "master=%u answer=%u", m / 2,
                 rv.answer);
        bench_open(&b, *state, 32);
        bench_packet(&b, 4, 4, 256);
        CHECK_COPY(b.rig, b.dst, b.src, 256, "master=%u answer=%u", m / 2,
                   rv.answer);
    }
}

int main(void)
{
#define TEST(fn) cmocka_unit_test_setup_teardown(fn, rig_setup, rig_teardown)
    static const struct CMUnitTest tests[] = {
        TEST(test_hook_posts_after_its_reset),
        TEST(test_hook_that_always_posts_is_bounded),
        TEST(test_hook_that_posts_to_a_limited_queue),
        TEST(test_hook_that_posts_to_the_other_engine),
        TEST(test_hook_frees_a_limited_queue),
        TEST(test_hook_cannot_move_the_clock),
        TEST(test_hook_resets_the_chip),
    };

    return cmocka_run_group_tests_name("hook", tests, NULL, NULL);
}
