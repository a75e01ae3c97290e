/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Prefetch and bounds: the statements P of iram-cache-idma 6, and C23.
 */
#include "icache_rig.h"

#include "seq/icache_priv.h"

#define BLOCK UINT64_C(8192)

static void hints_open(struct icache_rig *r, unsigned prefetch)
{
    icache_rig_init(r);
    r->conf.prefetch = prefetch;
    icache_rig_open(r);
    icache_rig_forget(r);
}

/* P1, P2. */
static void test_hint_p1_p2_arm_and_disarm(void **state)
{
    struct icache_rig r;

    (void)state;
    hints_open(&r, 0);
    CHECK_EQ(trench_icache_hint_arm(r.ic, STREAM, STREAM + 0x40, 0), 0, "arm");
    assert_non_null(icache_rig_line(&r, "S: BranchPrefetchHint"));
    CHECK_EQ(r.dram[0x55e0], 1, "armed");
    CHECK_EQ(r.dram[0x55e1], 0, "decision");
    assert_non_null(
        icache_rig_line(&r, "S: Arming branch_hint with {br_addr=0x40000000, "
                            "br_target=0x40000040, decision=0x0}"));
    CHECK_EQ(trench_icache_hint_arm(r.ic, STREAM, STREAM, 1), 0, "not taken");
    CHECK_EQ(r.dram[0x55e0], 0, "P1");
    assert_non_null(
        icache_rig_line(&r, "S: Branch is marked NT, invalidating branch_hint "
                            "to preserve legacy behavior"));
    CHECK_EQ(trench_icache_hint_arm(r.ic, STREAM, STREAM, 0), 0, "arm");
    trench_icache_hint_disarm(r.ic);
    CHECK_EQ(r.dram[0x55e0], 0, "P2");
    assert_non_null(icache_rig_line(&r, "S: disarming branch_hint"));
    CHECK_EQ(trench_icache_hint_arm(r.ic, STREAM, STREAM, 2), TRENCH_ERR_INVAL,
             "2.8: class");
    trench_icache_assertion(r.ic, &r.failed);
    CHECK_EQ(r.failed.line, 45, "branch_prefetch_hint.cpp");
    icache_rig_close(&r);
}

/* P3, P4. */
static void test_hint_p3_p4_invalidate_all(void **state)
{
    const uint32_t table = 0x5f88 + 32;
    struct icache_rig r;

    (void)state;
    hints_open(&r, 0);
    memset(r.dram + table - 32, 0xAB, 32 + 16 * 56 + 64);
    r.dram[0x55e0] = 1;
    trench_icache_hint_invalidate_all(r.ic);
    CHECK_EQ(r.dram[0x55e0], 0, "armed byte");
    for (uint32_t i = 0; i < 32 + 16 * 56 + 64; i++) {
        uint32_t at = table - 32 + i;
        bool flag = i >= 32 && i < 32 + 16 * 56 && (i - 32) % 56 == 48;

        CHECK_EQ(r.dram[at], flag ? 0 : 0xAB, "P3: +%u", i);
    }
    assert_non_null(
        icache_rig_line(&r, "S: PrefetchHelper : Invalidating all hints"));
    icache_rig_close(&r);
}

/* C23, P5, P6. */
static void test_hint_p5_p6_push(void **state)
{
    struct icache_rig r;

    (void)state;
    hints_open(&r, 0);
    CHECK_EQ(trench_icache_push(r.ic, STREAM), 0, "P6: not resident");
    CHECK_EQ(icache_rig_stats(&r).fills, 0, "P5");
    for (uint64_t at = 0; at < 4 * BLOCK; at += BLOCK) {
        CHECK_EQ(icache_rig_fetch(&r, at), 1, "fill");
    }
    icache_rig_forget(&r);
    CHECK_EQ(trench_icache_push(r.ic, STREAM + 2 * BLOCK + 5), 1, "P6");
    CHECK_EQ(trench_icache_pushed(r.ic), 4, "C23");
    assert_non_null(icache_rig_line(
        &r, "S: Push? next_vld=0x1, next_cache_idx=0x2, cache_idx_pushed=0x0, "
            "idx_state=0x2"));
    assert_non_null(
        icache_rig_line(&r, "S: Pushing cache idx=0x2, pushed=0x4"));
    CHECK_EQ(trench_icache_push(r.ic, STREAM + 2 * BLOCK), 0, "P6: is set");
    CHECK_EQ(trench_icache_push(r.ic, STREAM), 1, "another");
    CHECK_EQ(trench_icache_pushed(r.ic), 5, "C23");
    CHECK_EQ(trench_icache_pushed_clear(r.ic, 2), 0, "clear");
    CHECK_EQ(trench_icache_pushed(r.ic), 1, "C23");
    CHECK_EQ(trench_icache_pushed_clear(r.ic, 32), TRENCH_ERR_INVAL, "range");
    CHECK_EQ(icache_rig_stats(&r).fills, 4, "P5");
    for (uint32_t i = 0; i < 4; i++) {
        CHECK_EQ(icache_rig_at(&r, i).state, TRENCH_ICACHE_VALID, "P5");
    }
    CHECK_EQ(icache_rig_fetch(&r, 0), 0, "executed");
    CHECK_EQ(trench_icache_pushed(r.ic), 0, "used up");
    icache_rig_close(&r);
}

/* A line that is still being filled is not handed over. */
static void test_hint_push_in_flight(void **state)
{
    struct icache_rig r;

    (void)state;
    icache_rig_init(&r);
    r.conf.prefetch = TRENCH_ICACHE_PREFETCH_NEXT;
    r.soc_conf.mailbox_polls = 5;
    icache_rig_open(&r);
    CHECK_EQ(icache_rig_fetch(&r, 0), 1, "line 1 is staged");
    CHECK_EQ(icache_rig_at(&r, 1).state, TRENCH_ICACHE_IN_FLIGHT, "in flight");
    CHECK_EQ(trench_icache_push(r.ic, STREAM + BLOCK), 0, "not yet");
    CHECK_EQ(trench_icache_pushed(r.ic), 0, "not yet");
    CHECK_EQ(icache_rig_at(&r, 1).state, TRENCH_ICACHE_IN_FLIGHT, "P5");
    icache_rig_close(&r);
}

/* 2.8: a hinted branch in the next block; its last record counts, X14. */
static void test_hint_redirects_staging(void **state)
{
    static const struct {
        uint64_t br_addr; /* offset in the stream */
        bool found;
    } rows[] = {
        { BLOCK - 64, false },    { BLOCK, true },
        { 2 * BLOCK - 64, true }, { 2 * BLOCK - 63, false },
        { 2 * BLOCK, false },
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        for (unsigned prefetch = 1; prefetch < 4; prefetch++) {
            bool found = rows[i].found && prefetch >= 2;
            uint64_t want = found ? 20 * BLOCK : BLOCK;
            struct icache_rig r;

            hints_open(&r, prefetch);
            CHECK_EQ(r.dram[0x564c], 0, "the mode, not a switch");
            CHECK_EQ(trench_icache_hint_arm(r.ic, STREAM + rows[i].br_addr,
                                            STREAM + 20 * BLOCK + 640, 0),
                     0, "arm");
            CHECK_EQ(icache_rig_fetch(&r, 0), 1, "row %zu", i);
            if (found || prefetch % 2) {
                CHECK_EQ(icache_rig_at(&r, 1).tag, STREAM + want,
                         "row %zu prefetch %u", i, prefetch);
            } else {
                CHECK_EQ(icache_rig_at(&r, 1).state, 0, "row %zu", i);
            }
            CHECK_EQ(icache_rig_count(&r, "S: PrefetchHelper : Taken"), found,
                     "row %zu prefetch %u", i, prefetch);
            icache_rig_close(&r);
        }
    }
}

/* P7: whatever is hinted, what executes is the image. */
static void test_hint_p7_bytes_never_change(void **state)
{
    uint64_t seed = 5;
    struct icache_rig r;

    (void)state;
    hints_open(&r, 3);
    for (unsigned i = 0; i < 20000; i++) {
        uint64_t at = icache_rig_random(&seed) % IMAGE_MAX;

        (void)trench_icache_hint_arm(
            r.ic, STREAM + icache_rig_random(&seed) % IMAGE_MAX,
            STREAM + icache_rig_random(&seed) % (2 * IMAGE_MAX), i % 2);
        CHECK_EQ(icache_rig_fetch(&r, at) >= 0, true, "%u", i);
        (void)trench_icache_push(r.ic,
                                 STREAM + icache_rig_random(&seed) % IMAGE_MAX);
        icache_rig_forget(&r);
    }
    icache_rig_close(&r);
}

/* P8, P14 and the log of 2.9. */
static void test_bounds_p8_p14(void **state)
{
    struct icache_rig r;

    (void)state;
    hints_open(&r, 0);
    CHECK_EQ(trench_icache_bounds_enable(r.ic, 100, 200), 0, "enable");
    CHECK_EQ(trench_icache_in_bounds(r.ic, 99), false, "below");
    CHECK_EQ(trench_icache_in_bounds(r.ic, 100), true, "P8");
    CHECK_EQ(trench_icache_in_bounds(r.ic, 200), true, "P8");
    CHECK_EQ(trench_icache_in_bounds(r.ic, 201), false, "above");
    CHECK_EQ(icache_rig_count(&r, "S: is_pc_in_bounds: pc=0x"), 4, "always");
    assert_non_null(icache_rig_line(
        &r, "S: is_pc_in_bounds: 0x63 smaller than lower bound 0x64"));
    assert_non_null(icache_rig_line(
        &r, "S: is_pc_in_bounds: 0xc9 larger than higher bound 0xc8"));
    CHECK_EQ(get64(r.dram, 0x2dc0), 100, "0x82dc0");
    CHECK_EQ(get64(r.dram, 0x2dc8), 200, "0x82dc8");
    CHECK_EQ(trench_icache_bounds_disable(r.ic), 0, "disable");
    CHECK_EQ(trench_icache_in_bounds(r.ic, 0), true, "P14");
    CHECK_EQ(trench_icache_in_bounds(r.ic, UINT64_MAX), true, "P14");
    icache_rig_close(&r);
}

/* P9: one warning, no fill, +40 as it was. P11: a demand fetch goes on. */
static void test_bounds_p9_p11(void **state)
{
    const uint8_t *bytes;
    struct icache_rig r;

    (void)state;
    hints_open(&r, TRENCH_ICACHE_PREFETCH_NEXT);
    CHECK_EQ(icache_rig_fetch(&r, IMAGE_MAX - 1), 1, "the last block");
    CHECK_EQ(icache_rig_stats(&r).fills, 1, "P9");
    CHECK_EQ(icache_rig_control(&r).staged, false, "P9");
    CHECK_EQ(icache_rig_count(&r, "S: WARNING: wait_for_cache_line's"), 1,
             "P9");
    assert_non_null(icache_rig_line(
        &r, "S: WARNING: wait_for_cache_line's next_addr 0x40081fff is "
            "out-of-bounds [0x40000000, 0x4007ffff], skipping it."));
    CHECK_EQ(trench_icache_fetch(r.ic, STREAM + IMAGE_MAX, &bytes), 1, "P11");
    icache_rig_close(&r);
}

/* P10: a level-4 warning, no push. */
static void test_bounds_p10(void **state)
{
    struct icache_rig r;

    (void)state;
    hints_open(&r, 0);
    CHECK_EQ(trench_icache_push(r.ic, STREAM - 1), 0, "P10");
    assert_non_null(icache_rig_line(
        &r, "WARNING: ok_to_evict's prefetch_pc 0x3fffffff is out-of-bounds "
            "[0x40000000, 0x4007ffff], skipping it."));
    CHECK_EQ(trench_icache_pushed(r.ic), 0, "P10");
    icache_rig_close(&r);
}

/* P12, P13, P15. */
static void test_bounds_p12_p13(void **state)
{
    uint64_t lower;
    uint64_t upper;
    struct icache_rig r;

    (void)state;
    hints_open(&r, 0);
    CHECK_EQ(trench_icache_bounds_get(r.ic, &lower, &upper), 0, "P15");
    CHECK_EQ(lower, STREAM, "of the stream");
    CHECK_EQ(upper, STREAM + IMAGE_MAX - 1, "of the stream");
    CHECK_EQ(trench_icache_bounds_enable(r.ic, 5, 5), TRENCH_ERR_INVAL, "P12");
    CHECK_EQ(trench_icache_bounds_enable(r.ic, 6, 5), TRENCH_ERR_INVAL, "P12");
    CHECK_EQ(get64(r.dram, 0x38), STREAM, "P12");
    /* The second write fails: memory that ends between the two. */
    trench_bus_remove(r.bus, r.addr.dram);
    CHECK_EQ(trench_bus_add_memory(r.bus,
                                   &(const struct trench_bus_mem){
                                       .name = "cut",
                                       .base = r.addr.dram,
                                       .size_bytes = 0x40,
                                   }),
             0, "cut");
    CHECK_EQ(trench_icache_bounds_enable(r.ic, 5, 6), TRENCH_ERR_FAULT, "P13");
    CHECK_EQ(get64(trench_bus_host(r.bus, r.addr.dram, 0x40), 0x38), 5, "P13");
    CHECK_EQ(trench_icache_bounds_get(r.ic, &lower, &upper), TRENCH_ERR_FAULT,
             "cut");
    icache_rig_close(&r);
}

/* Hints need a bit a line. */
static void test_hint_more_than_32_lines(void **state)
{
    struct icache_rig r;

    (void)state;
    icache_rig_init(&r);
    r.conf.free_geometry = true;
    r.conf.block_bytes = 512;
    r.conf.prefetch = TRENCH_ICACHE_PREFETCH_HINT;
    CHECK_EQ(icache_rig_try(&r), TRENCH_ERR_NOTSUP, "64 lines");
    r.conf.prefetch = TRENCH_ICACHE_PREFETCH_NEXT;
    icache_rig_open(&r);
    for (uint64_t at = 0; at < 0x8000; at += 512) {
        (void)icache_rig_fetch(&r, at);
    }
    CHECK_EQ(trench_icache_push(r.ic, STREAM + 40 * 512), 0, "line 40");
    icache_rig_close(&r);
}

/* ---- hints out of a trace ------------------------------------------------ */

static int hint_replay(struct icache_rig *r, const uint64_t *offsets, size_t nr)
{
    const struct trench_icache_image image = { 0, r->image, IMAGE_MAX };
    int err = 0;

    for (size_t i = 0; i < nr && !err; i++) {
        const struct trench_icache_record record = { offsets[i], 4 };

        err = trench_icache_replay(r->ic, &image, &record, 1);
    }
    return err;
}

/* H148: the exit that a block had last time, and none where it ran through. */
static void test_hint_out_of_a_trace(void **state)
{
    static const uint64_t lap[] = { 0, BLOCK + 132, 20 * BLOCK + 64 };
    static const uint64_t through[] = { 0, 2 * BLOCK - 4, 2 * BLOCK, 0 };
    struct icache_rig r;

    (void)state;
    hints_open(&r, TRENCH_ICACHE_PREFETCH_HINT);
    CHECK_EQ(hint_replay(&r, lap, 3), 0, "first lap");
    CHECK_EQ(icache_rig_count(&r, "S: Arming"), 0, "nothing is known");
    CHECK_EQ(icache_rig_stats(&r).prefetches, 0, "nothing is known");
    icache_rig_forget(&r);
    CHECK_EQ(hint_replay(&r, lap, 1), 0, "enter block 0 again");
    assert_non_null(
        icache_rig_line(&r, "S: Arming branch_hint with {br_addr=0x40002080, "
                            "br_target=0x40028040, decision=0x0}"));
    assert_non_null(icache_rig_line(
        &r, "S: PrefetchHelper : Taken branch addr(0x40002080) is in next "
            "cache block range [0x40002000, 0x40003fc0], prefetching branch "
            "target 0x40028040"));
    CHECK_EQ(icache_rig_stats(&r).prefetches, 0, "block 20 is resident");
    icache_rig_forget(&r);
    CHECK_EQ(hint_replay(&r, through, 4), 0, "block 1 is run through");
    CHECK_EQ(icache_rig_count(&r, "S: disarming branch_hint"), 1, "block 2");
    CHECK_EQ(icache_rig_count(&r, "S: Arming"), 0, "block 1 has no branch");
    CHECK_EQ(icache_rig_stats(&r).mismatches, 0, "P7");
    icache_rig_close(&r);
}

/* A target that is not resident is filled ahead, and only that. */
static void test_hint_out_of_a_trace_fills_ahead(void **state)
{
    static const uint64_t trace[] = {
        0, BLOCK + 132, 20 * BLOCK, 30 * BLOCK, 40 * BLOCK, 50 * BLOCK, 0,
    };
    struct icache_rig r;

    (void)state;
    hints_open(&r, TRENCH_ICACHE_PREFETCH_HINT);
    CHECK_EQ(hint_replay(&r, trace, ARRAY_LEN(trace)), 0, "trace");
    CHECK_EQ(icache_rig_stats(&r).prefetches, 1, "block 20");
    icache_rig_forget(&r);
    CHECK_EQ(icache_rig_fetch(&r, 20 * BLOCK), 0, "is there");
    CHECK_EQ(icache_rig_fetch(&r, BLOCK), 1, "the next block is not");
    icache_rig_close(&r);
}

/* One call or many: the same counts, and always the bytes of the image. */
static void test_hint_out_of_a_trace_by_batch(void **state)
{
    struct trench_icache_record records[3000];
    uint64_t seed = 77;

    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(records); i++) {
        uint64_t at = icache_rig_random(&seed) % 8 == 0 || i == 0
                          ? icache_rig_random(&seed) % (IMAGE_MAX - 16)
                          : (records[i - 1].addr + 2048) % (IMAGE_MAX - 16);

        records[i] = (struct trench_icache_record){ at, 1 + at % 16 };
    }
    for (unsigned i = 0; i < 8; i++) {
        struct trench_icache_stats stats[2];

        for (unsigned split = 0; split < 2; split++) {
            struct trench_icache_image image = { .size_bytes = IMAGE_MAX };
            size_t first = split ? 1234 : 0;
            struct icache_rig r;

            icache_rig_init(&r);
            r.conf.log = NULL;
            r.conf.block_bytes = i & 4 ? 1024 : 8192;
            r.conf.backend = i & 2 ? TRENCH_ICACHE_RING : TRENCH_ICACHE_MAILBOX;
            r.conf.prefetch = i & 1 ? 3 : TRENCH_ICACHE_PREFETCH_HINT;
            icache_rig_open(&r);
            image.bytes = r.image;
            CHECK_EQ(trench_icache_replay(r.ic, &image, records, first), 0,
                     "row %u", i);
            CHECK_EQ(trench_icache_replay(r.ic, &image, records + first,
                                          ARRAY_LEN(records) - first),
                     0, "row %u", i);
            trench_icache_stats(r.ic, &stats[split]);
            CHECK_EQ(stats[split].mismatches, 0, "P7: row %u", i);
            CHECK_EQ(stats[split].prefetches > 0, true, "row %u", i);
            CHECK_EQ(stats[split].fills,
                     stats[split].misses + stats[split].prefetches, "row %u",
                     i);
            icache_rig_close(&r);
        }
        CHECK_MEM(&stats[0], &stats[1], sizeof(stats[0]), "row %u", i);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_hint_p1_p2_arm_and_disarm),
        cmocka_unit_test(test_hint_p3_p4_invalidate_all),
        cmocka_unit_test(test_hint_p5_p6_push),
        cmocka_unit_test(test_hint_push_in_flight),
        cmocka_unit_test(test_hint_redirects_staging),
        cmocka_unit_test(test_hint_p7_bytes_never_change),
        cmocka_unit_test(test_bounds_p8_p14),
        cmocka_unit_test(test_bounds_p9_p11),
        cmocka_unit_test(test_bounds_p10),
        cmocka_unit_test(test_bounds_p12_p13),
        cmocka_unit_test(test_hint_more_than_32_lines),
        cmocka_unit_test(test_hint_out_of_a_trace),
        cmocka_unit_test(test_hint_out_of_a_trace_fills_ahead),
        cmocka_unit_test(test_hint_out_of_a_trace_by_batch),
    };

    return cmocka_run_group_tests_name("hint", tests, NULL, NULL);
}
