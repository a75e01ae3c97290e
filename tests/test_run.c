/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * When work runs: inside the access, in steps, in bounded portions. The
 * contract is trench/soc.h; hardware.md H1; udma-engine K9.
 */
#include <trench/soc.h>

#include "check.h"
#include "rig.h"

#define NR_JOBS 95u

static uint64_t budget_stops(struct rig *r)
{
    struct trench_soc_stats stats;

    trench_soc_stats(r->soc, &stats);
    return stats.budget_stops;
}

/* Looks without an access, so that nothing goes on. */
static uint64_t packets_done(struct rig *r)
{
    return rig_stats(r, ENGINE).packets;
}

/* Lay nr packets of bytes each; the doorbells are the caller's. */
static void lay_jobs(struct rig *r, struct rig_queue *rq, uint32_t nr,
                     uint32_t bytes)
{
    uint64_t src = rig_alloc(r, bytes);
    uint64_t dst = rig_alloc(r, (uint64_t)nr * bytes);

    rig_fill(r, src, bytes, nr);
    rig_queue_open(rq, r, ENGINE, 0, 128);
    for (uint32_t i = 0; i < nr; i++) {
        rig_rx(rq, dst + (uint64_t)i * bytes, bytes);
        rig_tx(rq, D_ONE, src, bytes);
    }
}

static void ring_both(struct rig_queue *rq, uint32_t nr)
{
    rig_bell(rq, RX, nr);
    rig_bell(rq, TX, nr);
}

/* ---- stepped ----------------------------------------------------------------
 */

static void test_run_stepped_writes_only_post(void **state)
{
    struct rig *r = *state;
    struct rig_queue rq;

    lay_jobs(r, &rq, 3, 64);
    ring_both(&rq, 3);
    CHECK_PTR(&rq, TX, Q_TAIL, 3, 1, "the tail is the register's");
    CHECK_PTR(&rq, TX, Q_HEAD, 0, 1, "not fetched");
    CHECK_PTR(&rq, RX, Q_HEAD, 0, 1, "not fetched");
    CHECK_EQ(packets_done(r), 0, "not moved");
    CHECK_EQ(rig_read(r, ENGINE, STATE), 0x1111, "has work");
    CHECK_EQ(trench_soc_run(r->soc, 0) > 0, true, "runs");
    CHECK_EQ(packets_done(r), 3, "all");
    CHECK_EQ(rig_read(r, ENGINE, STATE), 0, "idle");
    CHECK_EQ(trench_soc_run(r->soc, 0), 0, "nothing was runnable");
    CHECK_EQ(budget_stops(r), 0, "no access left work over");
}

/* Every register that wakes a queue posts only. */
static void test_run_stepped_settings_only_post(void **state)
{
    struct rig *r = *state;
    struct rig_queue rq;

    lay_jobs(r, &rq, 1, 64);
    rig_q_set(&rq, TX, Q_CFG, Q_CFG_DISABLED);
    ring_both(&rq, 1);
    CHECK_EQ(trench_soc_run(r->soc, 0), 0, "disabled");
    rig_q_set(&rq, TX, Q_CFG, Q_CFG_ENABLED);
    rig_write(r, ENGINE, M2S_PREF_EN, 0xFFFF);
    rig_write(r, ENGINE, CHANGE_STATE, CMD_NORMAL);
    CHECK_EQ(packets_done(r), 0, "posted");
    CHECK_EQ(trench_soc_run(r->soc, 0) > 0, true, "runs");
    CHECK_EQ(packets_done(r), 1, "done");
}

/* Portions of a budget: never more than it, always some, in all the same. */
static void test_run_stepped_budgets_continue(void **state)
{
    static const uint64_t budgets[] = { 1, 2, 3, 10, 94, 95, 96, 1000, 0 };
    struct rig *r = *state;
    uint64_t whole = 0;

    for (size_t b = 0; b < ARRAY_LEN(budgets); b++) {
        uint64_t total = 0;
        uint64_t spent;
        struct rig_queue rq;

        rig_reset(r);
        lay_jobs(r, &rq, NR_JOBS, 64);
        ring_both(&rq, NR_JOBS);
        while ((spent = trench_soc_run(r->soc, budgets[b])) > 0) {
            CHECK_EQ(budgets[b] == 0 || spent <= budgets[b], true,
                     "budget %llu spent %llu", ULL(budgets[b]), ULL(spent));
            total += spent;
            CHECK_EQ(packets_done(r) >= total / 2, true, "budget %llu",
                     ULL(budgets[b]));
        }
        CHECK_EQ(packets_done(r), NR_JOBS, "budget %llu", ULL(budgets[b]));
        CHECK_EQ(whole == 0 || whole == total, true,
                 "budget %llu total %llu, before %llu", ULL(budgets[b]),
                 ULL(total), ULL(whole));
        whole = total;
    }
}

/* "1 a descriptor plus 1 for every 4096 bytes it moves." */
static void test_run_units(void **state)
{
    static const uint32_t sizes[] = { 1, 64, 4095, 4096, 8192, 65536 };
    struct rig *r = *state;

    for (size_t s = 0; s < ARRAY_LEN(sizes); s++) {
        struct rig_queue rq;

        rig_reset(r);
        lay_jobs(r, &rq, 10, sizes[s]);
        ring_both(&rq, 10);
        CHECK_EQ(trench_soc_run(r->soc, 0), 10 * (1 + sizes[s] / 4096),
                 "size %u", sizes[s]);
    }
}

/* Timers act in advance(), and what they free up is posted. */
static void test_run_stepped_advance_posts(void **state)
{
    struct rig *r = *state;
    struct rig_queue rq;

    rig_queue_open(&rq, r, ENGINE, 0, 8);
    rig_write(r, ENGINE, S2M_DATA_CFG_2, 0x38000064); /* drop after 100 */
    rig_tx(&rq, D_ONE, rig_alloc(r, 64), 64);
    rig_bell(&rq, TX, 1);
    trench_soc_run(r->soc, 0);
    trench_soc_advance(r->soc, 100);
    CHECK_EQ(rig_read(r, ENGINE, S2M_DROP_PKT), 1, "expired in the call");
    trench_soc_run(r->soc, 0);
    CHECK_PTR(&rq, TX, Q_COMP_HEAD, 1, 1, "completed");
}

/* ---- inside the access ------------------------------------------------------
 */

/* H1: all of it before the doorbell's write returns. */
static void test_run_ends_before_the_write_returns(void **state)
{
    struct rig *r = *state;
    struct rig_queue rq;

    lay_jobs(r, &rq, NR_JOBS, 64);
    ring_both(&rq, NR_JOBS);
    CHECK_EQ(packets_done(r), NR_JOBS, "all");
    CHECK_EQ(budget_stops(r), 0, "no stop");
    CHECK_EQ(trench_soc_run(r->soc, 0), 0, "nothing left");
}

static void open_with_budget(struct rig *r, uint32_t budget)
{
    const struct trench_soc_conf conf = { .budget = budget };

    rig_open(r, &conf);
}

/* What an access leaves over goes on with the next one, of any register. */
static void test_run_leftovers_continue(void **state)
{
    uint64_t scratch = rig_engine_base(77) + GEN + 0x2108;
    struct rig_queue rq;
    uint64_t done;
    uint32_t val;
    struct rig r;

    (void)state;
    open_with_budget(&r, 10);
    lay_jobs(&r, &rq, NR_JOBS, 64);
    ring_both(&rq, NR_JOBS);
    done = packets_done(&r);
    CHECK_EQ(done > 0 && done <= 10, true, "first portion: %llu", ULL(done));
    CHECK_EQ(budget_stops(&r), 1, "counted");
    CHECK_EQ(rig_word(&r, rq.ring[TX].base) != 0, true, "a memory access");
    CHECK_EQ(packets_done(&r), done, "runs nothing");
    for (unsigned i = 2; packets_done(&r) < NR_JOBS; i++) {
        done = packets_done(&r);
        CHECK_EQ(i % 2 ? trench_bus_read32(r.bus, scratch, &val)
                       : trench_bus_write32(r.bus, scratch, i),
                 0, "access %u", i);
        CHECK_EQ(packets_done(&r) > done, true, "access %u", i);
        CHECK_EQ(packets_done(&r) <= done + 10, true, "access %u", i);
        CHECK_EQ(budget_stops(&r), packets_done(&r) < NR_JOBS ? i : i - 1,
                 "access %u", i);
    }
    rig_close(&r);
}

static void test_run_leftovers_continue_by_broadcast_read(void **state)
{
    struct rig_queue rq;
    uint64_t done;
    struct rig r;

    (void)state;
    open_with_budget(&r, 10);
    lay_jobs(&r, &rq, NR_JOBS, 64);
    ring_both(&rq, NR_JOBS);
    done = packets_done(&r);
    CHECK_EQ(rig_word(&r, 0x1002080000 + GEN + 0x2104), 0x1C360003, "read");
    CHECK_EQ(packets_done(&r) > done, true, "goes on");
    done = packets_done(&r);
    CHECK_EQ(trench_soc_run(r.soc, 5) > 0, true, "run() works here too");
    CHECK_EQ(packets_done(&r) > done, true, "goes on");
    CHECK_EQ(packets_done(&r) <= done + 5, true, "by its own budget");
    rig_close(&r);
}

/* A read answers for the state after the portion that it ran. */
static void test_run_polling_sees_progress(void **state)
{
    struct rig_queue rq;
    uint32_t polls = 0;
    struct rig r;

    (void)state;
    open_with_budget(&r, 10);
    lay_jobs(&r, &rq, NR_JOBS, 64);
    ring_both(&rq, NR_JOBS);
    while (rig_q(&rq, TX, Q_COMP_HEAD) != (PTR_RESET | NR_JOBS)) {
        CHECK_EQ(++polls <= NR_JOBS, true, "polls");
    }
    CHECK_EQ(polls <= NR_JOBS / 10 + 1, true, "polls: %u", polls);
    rig_close(&r);
}

/*
 * A ring of 8 that feeds itself: each pair of packets rings both doorbells
 * for the next pair. Every access ends, and a reset ends the ring.
 */
static void open_perpetual(struct rig *r, struct rig_queue *rq)
{
    uint64_t two = rig_alloc(r, 4096);
    uint64_t base = rig_engine_base(ENGINE);

    *(uint8_t *)rig_mem(r, two, 1) = 2;
    rig_queue_open(rq, r, ENGINE, 0, 8);
    for (unsigned i = 0; i < 8; i++) {
        rig_rx(rq, base + q_off(i % 2 ? TX : RX, 0, Q_BELL), 4);
        rig_tx(rq, D_ONE, two, 4);
    }
    ring_both(rq, 2);
}

static void test_run_perpetual_ring_is_bounded(void **state)
{
    struct rig_queue rq;
    uint64_t done;
    struct rig r;

    (void)state;
    open_with_budget(&r, 1000);
    open_perpetual(&r, &rq);
    done = packets_done(&r);
    CHECK_EQ(done > 0 && done <= 1000, true, "first portion: %llu", ULL(done));
    for (unsigned i = 1; i < 5; i++) {
        CHECK_EQ(budget_stops(&r), i, "access %u", i);
        rig_read(&r, ENGINE, STATE);
        CHECK_EQ(packets_done(&r) > done, true, "access %u", i);
        done = packets_done(&r);
    }
    rig_q_set(&rq, TX, TXQ_SW_CTRL, RST_Q);
    CHECK_EQ(packets_done(&r) <= done + 1, true, "reset ends it");
    CHECK_EQ(rig_read(&r, ENGINE, STATE), 0, "idle");
    rig_close(&r);
}

/* Two engines that ring each other are bounded as well. */
static void test_run_engines_that_ring_each_other(void **state)
{
    struct rig_queue rq[2];
    uint64_t one;
    struct rig r;

    (void)state;
    open_with_budget(&r, 100);
    one = rig_alloc(&r, 4096);
    *(uint8_t *)rig_mem(&r, one, 1) = 1;
    for (unsigned e = 0; e < 2; e++) {
        rig_queue_open(&rq[e], &r, ENGINE + e, 0, 4);
        for (unsigned i = 0; i < 4; i++) {
            rig_rx(&rq[e], rig_engine_base(ENGINE + !e) + q_off(TX, 0, Q_BELL),
                   4);
            rig_tx(&rq[e], D_ONE, one, 4);
        }
        /* More buffers than the rounds below use: a ring's worth at once. */
        rig_bell(&rq[e], RX, 4);
    }
    rig_bell(&rq[0], TX, 1);
    CHECK_EQ(packets_done(&r), 4, "as far as there are buffers");
    CHECK_EQ(rig_stats(&r, ENGINE + 1).packets, 4, "as far as there are");
    CHECK_EQ(budget_stops(&r), 0, "no work left");
    rig_close(&r);
}

/* ---- regressions: bounded, and fair -----------------------------------------
 */

/* The data of each engine's packet are bells for the other's buffers. */
static void test_run_buffers_that_ring_each_other(void **state)
{
    struct rig_queue rq[2];
    uint64_t words, bytes;
    struct rig r;

    (void)state;
    open_with_budget(&r, 500);
    words = rig_alloc(&r, 65536);
    for (unsigned i = 0; i < 65536; i += 4) {
        *(uint8_t *)rig_mem(&r, words + i, 1) = 1;
    }
    for (unsigned e = 0; e < 2; e++) {
        rig_queue_open(&rq[e], &r, ENGINE + e, 0, 32);
        for (unsigned i = 0; i < 32; i++) {
            rig_rx(&rq[e], rig_engine_base(ENGINE + !e) + q_off(RX, 0, Q_BELL),
                   4);
        }
        rig_tx(&rq[e], D_ONE, words, 0xFFFC);
        rig_bell(&rq[e], TX, 1);
    }
    CHECK_EQ(budget_stops(&r), 0, "no buffer yet");
    rig_bell(&rq[0], RX, 1);
    for (unsigned i = 1; i < 5; i++) {
        CHECK_EQ(budget_stops(&r), i, "access %u", i);
        bytes = rig_stats(&r, ENGINE).bytes + rig_stats(&r, ENGINE + 1).bytes;
        CHECK_EQ(bytes > 4 * 400 * i && bytes <= 4 * 502 * i, true,
                 "access %u: %llu bytes", i, ULL(bytes));
        rig_read(&r, ENGINE, STATE);
    }
    rig_close(&r);
}

#define FILLS_PER_STEP 4096u /* buffers between two looks at the budget */

/* Buffers of no bytes: each is closed, and each counts. */
static void test_run_empty_buffers_are_bounded(void **state)
{
    const uint32_t nr = 20000;
    struct rig_queue rq;
    uint64_t done, was;
    uint64_t buf;
    struct rig r;

    (void)state;
    open_with_budget(&r, 2048);
    buf = rig_alloc(&r, 4096);
    rig_fill(&r, buf, 64, 1);
    rig_write(&r, ENGINE, M2S_CFG_LEN, 0x000FFFFF); /* encode_64k off */
    rig_queue_open(&rq, &r, ENGINE, 0, 32768);
    for (uint32_t i = 0; i < nr; i++) {
        rig_rx(&rq, buf + 64, 0);
    }
    rig_rx(&rq, buf + 64, 64);
    rig_tx(&rq, D_ONE, buf, 64);
    rig_bell(&rq, RX, nr + 1);
    rig_bell(&rq, TX, 1);
    for (was = 0; was <= nr; was = done) {
        done = rig_stats(&r, ENGINE).rx_descs;
        CHECK_EQ(done > was, true, "goes on after %llu", ULL(was));
        CHECK_EQ(done - was <= 2048 + FILLS_PER_STEP, true,
                 "%llu at once after %llu", ULL(done - was), ULL(was));
        rig_read(&r, ENGINE, STATE);
    }
    CHECK_EQ(budget_stops(&r) > 1, true, "counted");
    CHECK_COPY(&r, buf + 64, buf, 64, "arrives");
    rig_close(&r);
}

/* ... also when the packet itself posts them again, a ring at a time. */
static void test_run_empty_buffers_rung_by_the_data(void **state)
{
    const uint32_t len = 64;
    struct rig_queue rq;
    uint64_t done, was = 0;
    uint64_t words;
    struct rig r;

    (void)state;
    open_with_budget(&r, 2048);
    words = rig_alloc(&r, 4096);
    for (unsigned i = 0; i < 4096; i += 4) {
        *(uint8_t *)rig_mem(&r, words + i, 1) = (uint8_t)len;
    }
    rig_write(&r, ENGINE, M2S_CFG_LEN, 0x000FFFFF);
    rig_queue_open(&rq, &r, ENGINE, 0, len);
    for (uint32_t i = 0; i < len; i++) {
        rig_rx(&rq, rig_engine_base(ENGINE) + q_off(RX, 0, Q_BELL),
               i == 0 ? 4 : 0);
    }
    rig_tx(&rq, D_ONE, words, 4096);
    rig_bell(&rq, RX, len - 1);
    rig_bell(&rq, TX, 1);
    for (unsigned i = 0; i < 4; i++) {
        done = rig_stats(&r, ENGINE).rx_descs;
        CHECK_EQ(budget_stops(&r), i + 1, "access %u", i);
        CHECK_EQ(done > was, true, "access %u", i);
        CHECK_EQ(done - was <= 2048 + FILLS_PER_STEP, true,
                 "access %u: %llu at once", i, ULL(done - was));
        was = done;
        rig_read(&r, ENGINE, STATE);
    }
    rig_close(&r);
}

/* "0 means that nothing was runnable": data that moved is not nothing. */
static void test_run_stepped_counts_parts_of_packets(void **state)
{
    struct rig *r = *state;
    struct rig_queue rq;
    uint64_t buf;

    rig_queue_open(&rq, r, ENGINE, 0, 32);
    buf = rig_alloc(r, 0x20000);
    rig_fill(r, buf, 15 * 4096, 1);
    for (unsigned i = 0; i < 15; i++) {
        rig_tx(&rq, d_marks(i, 15), buf + 4096 * i, 4096);
    }
    rig_bell(&rq, TX, 15);
    CHECK_EQ(trench_soc_run(r->soc, 1), 0, "no buffer");
    for (unsigned i = 0; i < 15; i++) {
        rig_rx(&rq, buf + 0x10000 + 4096 * i, 4096);
        rig_bell(&rq, RX, 1);
        CHECK_EQ(trench_soc_run(r->soc, 1) > 0, true, "buffer %u", i);
        CHECK_EQ(rig_stats(r, ENGINE).bytes, 4096 * (i + 1), "buffer %u", i);
        CHECK_EQ(trench_soc_run(r->soc, 1), 0, "buffer %u: no more", i);
    }
    CHECK_COPY(r, buf + 0x10000, buf, 15 * 4096, "arrives");
}

/* An engine that feeds itself does not keep the others from their work. */
static void test_run_perpetual_ring_leaves_room(void **state)
{
    static const unsigned others[] = { 0, ENGINE - 1, ENGINE + 1, 127 };
    struct rig_queue rq, other;
    uint64_t buf;
    struct rig r;

    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(others); i++) {
        unsigned accesses = 0;

        open_with_budget(&r, 1000);
        open_perpetual(&r, &rq);
        buf = rig_alloc(&r, 8192);
        rig_fill(&r, buf, 64, 1);
        rig_queue_open(&other, &r, others[i], 2, 8);
        rig_copy(&other, buf + 4096, buf, 64);
        while (rig_stats(&r, others[i]).packets == 0) {
            CHECK_EQ(++accesses <= 4, true, "engine %u", others[i]);
            rig_read(&r, others[i], STATE);
        }
        CHECK_COPY(&r, buf + 4096, buf, 64, "engine %u", others[i]);
        CHECK_EQ(packets_done(&r) > 1000, true, "both go on");
        rig_close(&r);
    }
}

/* A broadcast read answers, too, for the state after what it ran. */
static void test_run_broadcast_read_sees_progress(void **state)
{
    struct rig_queue rq;
    uint64_t buf;
    struct rig r;

    (void)state;
    open_with_budget(&r, 10);
    buf = rig_alloc(&r, 4096);
    rig_queue_open(&rq, &r, 0, 0, 128); /* lane 0 */
    for (uint32_t i = 0; i < NR_JOBS; i++) {
        rig_rx(&rq, buf + 64, 64);
        rig_tx(&rq, D_ONE, buf, 64);
    }
    ring_both(&rq, NR_JOBS);
    for (uint32_t done = 0; done < NR_JOBS;) {
        uint32_t head = rig_word(&r, 0x1002080000 + q_off(TX, 0, Q_COMP_HEAD));

        CHECK_EQ(rig_stats(&r, 0).packets > done, true, "after %u", done);
        done = (uint32_t)rig_stats(&r, 0).packets;
        CHECK_EQ(head, PTR_RESET | done, "after %u", done);
    }
    rig_close(&r);
}

#define TEST(name)                                                             \
    cmocka_unit_test_setup_teardown(name, rig_setup, rig_teardown)
#define STEPPED(name)                                                          \
    cmocka_unit_test_setup_teardown(name, rig_setup_stepped, rig_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        STEPPED(test_run_stepped_writes_only_post),
        STEPPED(test_run_stepped_settings_only_post),
        STEPPED(test_run_stepped_budgets_continue),
        STEPPED(test_run_units),
        STEPPED(test_run_stepped_advance_posts),
        TEST(test_run_ends_before_the_write_returns),
        cmocka_unit_test(test_run_leftovers_continue),
        cmocka_unit_test(test_run_leftovers_continue_by_broadcast_read),
        cmocka_unit_test(test_run_polling_sees_progress),
        cmocka_unit_test(test_run_perpetual_ring_is_bounded),
        cmocka_unit_test(test_run_engines_that_ring_each_other),
        cmocka_unit_test(test_run_buffers_that_ring_each_other),
        cmocka_unit_test(test_run_empty_buffers_are_bounded),
        cmocka_unit_test(test_run_empty_buffers_rung_by_the_data),
        STEPPED(test_run_stepped_counts_parts_of_packets),
        cmocka_unit_test(test_run_perpetual_ring_leaves_room),
        cmocka_unit_test(test_run_broadcast_read_sees_progress),
    };

    return cmocka_run_group_tests_name("run", tests, NULL, NULL);
}
