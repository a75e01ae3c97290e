/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Broadcast words and records, and whole bundles: seed 000 2.3, 2.4, 4;
 * hardware.md H165, H166, H170, H171.
 */
#include "ncfw_rig.h"

/* ncfw-steps 3.2 and address-map 4.5: every listed bitmap. */
static void test_rearm_word_worked_values(void **state)
{
    static const struct {
        uint32_t bitmap;
        unsigned pcore;
        uint16_t lane;
        uint32_t word;
    } rows[] = {
        { 0x00000000, 0, 0x0000, 0xFFFF0100 },
        { 0x00000000, 1, 0x0000, 0xFFFF0100 },
        { 0x00000001, 0, 0x0001, 0xFFFE0100 },
        { 0x00000001, 1, 0x0000, 0xFFFF0100 },
        { 0x0000000F, 0, 0x000F, 0xFFF00100 },
        { 0x000000F0, 0, 0x00F0, 0xFF0F0100 },
        { 0x000000FF, 0, 0x00FF, 0xFF000100 },
        { 0x0000FF00, 0, 0xFF00, 0x00FF0100 },
        { 0x0000F0F0, 0, 0xF0F0, 0x0F0F0100 },
        { 0x0000FFFF, 0, 0xFFFF, 0x00000100 },
        { 0x0000FFFF, 1, 0x0000, 0xFFFF0100 },
        { 0x00010000, 1, 0x0001, 0xFFFE0100 },
        { 0x80000000, 1, 0x8000, 0x7FFF0100 },
        { 0xFFFF0000, 0, 0x0000, 0xFFFF0100 },
        { 0xFFFF0000, 1, 0xFFFF, 0x00000100 },
        { 0xFFFFFFFF, 0, 0xFFFF, 0x00000100 },
        { 0xFFFFFFFF, 1, 0xFFFF, 0x00000100 },
        { 0xA5A55A5A, 0, 0x5A5A, 0xA5A50100 },
        { 0xA5A55A5A, 1, 0xA5A5, 0x5A5A0100 },
        { 0x00F000F0, 0, 0x00F0, 0xFF0F0100 },
        { 0x00F000F0, 1, 0x00F0, 0xFF0F0100 },
        /* address-map 4.5 */
        { 0x80000001, 0, 0x0001, 0xFFFE0100 },
        { 0x80000001, 1, 0x8000, 0x7FFF0100 },
    };
    uint32_t word = 0;
    uint16_t lane = 0;

    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        CHECK_EQ(trench_ncfw_rearm_word(rows[i].bitmap, rows[i].pcore, &word),
                 0, "row %zu", i);
        CHECK_EQ(word, rows[i].word, "0x%08x pcore %u", rows[i].bitmap,
                 rows[i].pcore);
        CHECK_EQ(trench_ncfw_lane(rows[i].bitmap, rows[i].pcore, &lane), 0,
                 "row %zu", i);
        CHECK_EQ(lane, rows[i].lane, "0x%08x pcore %u", rows[i].bitmap,
                 rows[i].pcore);
    }
}

/* 2.3: shr, not, shl, or, on any bitmap; and there is no pcore 2. */
static void test_rearm_word_is_the_seeds_chain(void **state)
{
    uint64_t rnd = SEED;
    uint32_t word = 0;
    uint16_t lane = 3;

    (void)state;
    for (int round = 0; round < 10000; round++) {
        uint32_t bitmap = (uint32_t)next_random(&rnd);
        unsigned pcore = bitmap & 1;
        uint32_t want = ((uint32_t)(~(bitmap >> (pcore << 4))) << 16) | 0x100;

        CHECK_EQ(trench_ncfw_rearm_word(bitmap, pcore, &word), 0, "0x%x",
                 bitmap);
        CHECK_EQ(word, want, "0x%08x pcore %u", bitmap, pcore);
    }
    word = 5;
    CHECK_EQ(trench_ncfw_rearm_word(1, 2, &word), TRENCH_ERR_INVAL, "pcore 2");
    CHECK_EQ(trench_ncfw_rearm_word(1, UINT32_MAX, &word), TRENCH_ERR_INVAL,
             "pcore -1");
    CHECK_EQ(trench_ncfw_lane(1, 2, &lane), TRENCH_ERR_INVAL, "pcore 2");
    CHECK_EQ(word, 5, "untouched");
    CHECK_EQ(lane, 3, "untouched");
}

/* address-map 4.5: (skip << 16) | N, N below 65535. */
static void test_tail_word(void **state)
{
    uint32_t word = 0;

    (void)state;
    CHECK_EQ(trench_ncfw_tail_word(0xFFFF, 7, &word), 0, "all");
    CHECK_EQ(word, 7, "a bare count means all sixteen");
    CHECK_EQ(trench_ncfw_tail_word(0x0001, 0xFFFE, &word), 0, "one");
    CHECK_EQ(word, 0xFFFEFFFE, "one");
    CHECK_EQ(trench_ncfw_tail_word(0, 0, &word), 0, "nobody, nothing");
    CHECK_EQ(word, 0xFFFF0000, "nobody, nothing");
    CHECK_EQ(trench_ncfw_tail_word(1, 65535, &word), TRENCH_ERR_INVAL, "65535");
    CHECK_EQ(trench_ncfw_tail_word(1, UINT32_MAX, &word), TRENCH_ERR_INVAL,
             "huge");
}

/* 2.4: 20 bytes, packed; 2.5: either tail of M2S. */
static void test_bcast_record(void **state)
{
    static const uint8_t bytes[] = { 0x38, 0xC0, 0x08, 0x02, 0x10, 0,    0,
                                     0,    0x38, 0xC0, 0x0A, 0x02, 0x10, 0,
                                     0,    0,    0xF0, 0xFF, 0,    0 };
    struct trench_ncfw_group group = { .region = 0, .queue = 11, .lane = 0xF };
    struct trench_ncfw_bcast rec;
    struct trench_ncfw_bcast back;
    uint8_t buf[TRENCH_NCFW_BCAST_BYTES];

    (void)state;
    assert_int_equal(TRENCH_NCFW_BCAST_BYTES, 20);
    CHECK_EQ(trench_ncfw_bcast_record(gen_of(NULL), &group, &rec), 0, "rec");
    CHECK_EQ(rec.m2s_tail_ptr, 0x00100208C038, "m2s");
    CHECK_EQ(rec.s2m_tail_ptr, 0x0010020AC038, "s2m");
    CHECK_EQ(rec.mask, 0xFFF0, "mask");
    trench_ncfw_bcast_encode(&rec, buf);
    CHECK_MEM(buf, bytes, sizeof(bytes), "bytes");
    trench_ncfw_bcast_decode(buf, &back);
    assert_memory_equal(&back, &rec, offsetof(struct trench_ncfw_bcast, mask));
    CHECK_EQ(back.mask, rec.mask, "mask");
    group.data_tail = true;
    CHECK_EQ(trench_ncfw_bcast_record(gen_of(NULL), &group, &rec), 0, "data");
    CHECK_EQ(rec.m2s_tail_ptr, 0x00100208C0E0, "data tail");
    CHECK_EQ(rec.s2m_tail_ptr, 0x0010020AC038, "S2M has no data tail");
}

static void test_bcast_record_refuses(void **state)
{
    struct trench_ncfw_group group = { .region = 8 };
    struct trench_ncfw_bcast rec = { .mask = 1 };

    (void)state;
    CHECK_EQ(trench_ncfw_bcast_record(gen_of(NULL), &group, &rec),
             TRENCH_ERR_NODEV, "region 8");
    group = (struct trench_ncfw_group){ .queue = 16 };
    CHECK_EQ(trench_ncfw_bcast_record(gen_of(NULL), &group, &rec),
             TRENCH_ERR_INVAL, "queue 16");
    group = (struct trench_ncfw_group){ .queue = 1 };
    CHECK_EQ(trench_ncfw_bcast_record(gen_of("sunda"), &group, &rec),
             TRENCH_ERR_NOTSUP, "sunda");
    CHECK_EQ(rec.mask, 1, "untouched");
}

/* RX before TX (ncfw-steps 1.1), the mask in 31:16. */
static void test_bells(void **state)
{
    const struct trench_ncfw_bcast rec = { 0x100, 0x200, 0xFFF0 };
    struct trench_ncfw_bell out[2];

    (void)state;
    CHECK_EQ(trench_ncfw_bells(&rec, 5, 6, out), 0, "bells");
    CHECK_EQ(out[0].dir, TRENCH_NCFW_S2M, "first");
    CHECK_EQ(out[0].addr, 0x200, "first");
    CHECK_EQ(out[0].word, 0xFFF00006, "first");
    CHECK_EQ(out[1].dir, TRENCH_NCFW_M2S, "second");
    CHECK_EQ(out[1].addr, 0x100, "second");
    CHECK_EQ(out[1].word, 0xFFF00005, "second");
    CHECK_EQ(trench_ncfw_bells(&rec, 65535, 1, out), TRENCH_ERR_INVAL, "tx");
    CHECK_EQ(trench_ncfw_bells(&rec, 1, 65535, out), TRENCH_ERR_INVAL, "rx");
    CHECK_EQ(out[0].word, 0xFFF00006, "untouched");
}

/* ---- bundles ------------------------------------------------------------- */

static void fill(struct trench_ncfw_channel *ch, unsigned nr, unsigned first,
                 unsigned queue)
{
    for (unsigned i = 0; i < nr; i++) {
        ch[i] = make_channel(first + i, queue);
    }
}

/* Seed 000 4: a 16-engine step, in both halves of a virtual core. */
static void test_plan_of_sixteen_engines(void **state)
{
    struct trench_ncfw_channel ch[16];
    struct trench_ncfw_plan plan;

    (void)state;
    for (unsigned bundle = 0; bundle < 8; bundle++) {
        for (unsigned vcore = 0; vcore < 4; vcore++) {
            const struct trench_ncfw_plan_conf conf = {
                .bundle = bundle,
                .first_engine = 32 * vcore,
                .channels = ch,
                .nr_channels = 16,
                .reading = TRENCH_NCFW_SHEETS,
            };

            fill(ch, 16, 32 * vcore + 16 * (bundle / 4), 11);
            CHECK_EQ(trench_ncfw_plan(&conf, &plan), 0, "%u %u", bundle, vcore);
            CHECK_EQ(plan.used, bundle < 4 ? 0xFFFF : 0xFFFF0000, "%u", bundle);
            CHECK_EQ(plan.valid, UINT32_MAX, "%u", bundle);
            CHECK_EQ(plan.lane, 0xFFFF, "%u", bundle);
            CHECK_EQ(plan.rearm, 0x100, "%u", bundle);
            CHECK_EQ(plan.pcore, bundle / 4, "%u", bundle);
            CHECK_EQ(plan.region, 2 * vcore + bundle / 4, "%u", bundle);
            CHECK_EQ(plan.queues, 1 << 11, "%u", bundle);
            CHECK_EQ(plan.nr_pairs, 16, "%u", bundle);
            CHECK_EQ(plan.missed, 0, "%u", bundle);
            CHECK_EQ(plan.skip, false, "%u", bundle);
        }
    }
}

/* 1.4: the gate. */
static void test_plan_without_engines_is_skipped(void **state)
{
    struct trench_ncfw_channel ch = make_channel(0, 1);
    struct trench_ncfw_plan_conf conf = { .channels = &ch };
    struct trench_ncfw_plan plan = { 0 };

    (void)state;
    CHECK_EQ(trench_ncfw_plan(&conf, &plan), 0, "no channel");
    CHECK_EQ(plan.skip, true, "no channel");
    CHECK_EQ(plan.rearm, 0xFFFF0100, "nobody");
    ch.in_use = false;
    ch.engine = 500; /* nobody looks at what is not used */
    ch.queue = 200;
    conf.nr_channels = 1;
    CHECK_EQ(trench_ncfw_plan(&conf, &plan), 0, "none in use");
    CHECK_EQ(plan.skip, true, "none in use");
    CHECK_EQ(plan.nr_pairs, 0, "none in use");
}

static void test_plan_choices(void **state)
{
    struct trench_ncfw_channel ch[2] = { make_channel(16, 2),
                                         make_channel(3, 5) };
    struct trench_ncfw_plan_conf conf = { .channels = ch, .nr_channels = 2 };
    struct trench_ncfw_plan plan;

    (void)state;
    CHECK_EQ(trench_ncfw_plan(&conf, &plan), 0, "by bundle");
    CHECK_EQ(plan.lane, 0x0008, "by bundle");
    CHECK_EQ(plan.missed, 0x10000, "engine 16 is not in reach of pcore 0");
    CHECK_EQ(plan.queues, 0x24, "by bundle");
    conf.own_pcore = true;
    conf.pcore = 1;
    CHECK_EQ(trench_ncfw_plan(&conf, &plan), 0, "pcore 1");
    CHECK_EQ(plan.lane, 0x0001, "pcore 1");
    CHECK_EQ(plan.missed, 0x8, "pcore 1");
    CHECK_EQ(plan.region, 1, "pcore 1");
    conf.own_region = true;
    conf.region = 6;
    CHECK_EQ(trench_ncfw_plan(&conf, &plan), 0, "region 6");
    CHECK_EQ(plan.region, 6, "region 6");
}

static void test_plan_refuses(void **state)
{
    struct trench_ncfw_channel ch[2] = { make_channel(0, 11),
                                         make_channel(1, 11) };
    const struct trench_ncfw_plan_conf good = { .channels = ch,
                                                .nr_channels = 2 };
    struct trench_ncfw_plan plan = { .bundle = 99 };
    struct trench_ncfw_plan_conf c;

    (void)state;
#define REFUSES(err_, what_)                                                   \
    CHECK_EQ(trench_ncfw_plan(&c, &plan), err_, what_);                        \
    c = good
    c = good;
    c.bundle = 8;
    REFUSES(TRENCH_ERR_INVAL, "bundle 8");
    c.bundle = 4;
    c.nr_bundles = 4;
    REFUSES(TRENCH_ERR_INVAL, "bundle 4 of 4");
    c.nr_bundles = 3;
    REFUSES(TRENCH_ERR_INVAL, "3 bundles");
    c.own_pcore = true;
    c.pcore = 2;
    REFUSES(TRENCH_ERR_INVAL, "pcore 2");
    c.nr_cores = 3;
    REFUSES(TRENCH_ERR_INVAL, "3 cores");
    c.first_engine = 8;
    REFUSES(TRENCH_ERR_INVAL, "first engine 8");
    c.reading = (enum trench_ncfw_reading)2;
    REFUSES(TRENCH_ERR_INVAL, "reading 2");
    c.first_engine = 16;
    REFUSES(TRENCH_ERR_INVAL, "engines before the virtual core");
    ch[1].queue = 16;
    REFUSES(TRENCH_ERR_INVAL, "queue 16");
    ch[1] = ch[0];
    REFUSES(TRENCH_ERR_EXIST, "a pair twice");
    ch[1] = make_channel(16, 11);
    c.nr_cores = 1;
    REFUSES(TRENCH_ERR_NODEV, "engine 16 of one core");
    c.reading = TRENCH_NCFW_SHEETS;
    REFUSES(TRENCH_ERR_NODEV, "engine 16 is not in bundle 0's pool");
    ch[0] = make_channel(127, 0);
    ch[1] = make_channel(128, 0); /* serves the host, not a core */
    c.first_engine = 112;
    REFUSES(TRENCH_ERR_NODEV, "engine 128");
    CHECK_EQ(plan.bundle, 99, "untouched");
#undef REFUSES
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rearm_word_worked_values),
        cmocka_unit_test(test_rearm_word_is_the_seeds_chain),
        cmocka_unit_test(test_tail_word),
        cmocka_unit_test(test_bcast_record),
        cmocka_unit_test(test_bcast_record_refuses),
        cmocka_unit_test(test_bells),
        cmocka_unit_test(test_plan_of_sixteen_engines),
        cmocka_unit_test(test_plan_without_engines_is_skipped),
        cmocka_unit_test(test_plan_choices),
        cmocka_unit_test(test_plan_refuses),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
