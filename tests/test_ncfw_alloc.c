/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The allocation bitmap: seed 000 section 3, and its other reading; hardware.md
 * H160 to H164.
 */
#include "ncfw_rig.h"

/* The masks of a word as seed 000 describes them: {0,1,3}, {2,3}, ... */
static const uint32_t low_of[] = { 0xB, 0xC, 0xD, 0xF };

/* Seed 000 3.1 and 5: cayman and mariana byte-identical, 4 patterns x 2. */
static void test_alloc_table_of_v3(void **state)
{
    static const char *const names[] = { "cayman", "mariana", "mariana_plus" };

    (void)state;
    for (size_t n = 0; n < ARRAY_LEN(names); n++) {
        for (unsigned qb = 0; qb < 8; qb++) {
            uint64_t high = qb < 4 ? 0x0000FFFF : 0xFFFF0000;
            uint64_t word = 0;

            CHECK_EQ(trench_ncfw_alloc_word(gen_of(names[n]), 0, qb, &word), 0,
                     "%s %u", names[n], qb);
            CHECK_EQ(word, high << 32 | low_of[qb % 4], "%s %u", names[n], qb);
        }
    }
}

/* ncfw-steps 2.7 and address-map 5.1, word by word. */
static void test_alloc_words_of_the_sheets(void **state)
{
    static const uint64_t cayman[] = {
        0x0000FFFF0000000B, 0x0000FFFF0000000C, 0x0000FFFF0000000D,
        0x0000FFFF0000000F, 0xFFFF00000000000B, 0xFFFF00000000000C,
        0xFFFF00000000000D, 0xFFFF00000000000F,
    };
    /* Seed 000 5: 0xff00 at even indices, 0x003f at odd ones. */
    static const uint64_t sunda[] = {
        0x0000FF000000000B, 0x0000003F0000000B, 0x0000FF000000000C,
        0x0000003F0000000C, 0x0000FF000000000D, 0x0000003F0000000D,
        0x0000FF000000000F, 0x0000003F0000000F,
    };
    uint64_t word = 0;

    (void)state;
    for (unsigned qb = 0; qb < 8; qb++) {
        trench_ncfw_alloc_word(gen_of("cayman"), 8, qb, &word);
        CHECK_EQ(word, cayman[qb], "cayman %u", qb);
        trench_ncfw_alloc_word(gen_of("sunda"), 8, qb, &word);
        CHECK_EQ(word, sunda[qb], "sunda %u", qb);
    }
}

/* 3.2: idx <= 1, idx <= 3, idx <= 7. */
static void test_alloc_index_is_validated(void **state)
{
    static const unsigned sizes[] = { 2, 4, 8 };
    uint64_t word = 77;

    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(sizes); i++) {
        CHECK_EQ(
            trench_ncfw_alloc_word(gen_of(NULL), sizes[i], sizes[i] - 1, &word),
            0, "%u", sizes[i]);
        word = 77;
        CHECK_EQ(
            trench_ncfw_alloc_word(gen_of(NULL), sizes[i], sizes[i], &word),
            TRENCH_ERR_INVAL, "%u", sizes[i]);
        CHECK_EQ(word, 77, "untouched");
    }
    for (unsigned nr = 1; nr < 20; nr++) {
        bool known = nr == 2 || nr == 4 || nr == 8;

        CHECK_EQ(trench_ncfw_alloc_word(gen_of(NULL), nr, 0, &word),
                 known ? 0 : TRENCH_ERR_INVAL, "%u bundles", nr);
    }
    CHECK_EQ(trench_ncfw_alloc_word(gen_of(NULL), 0, UINT32_MAX, &word),
             TRENCH_ERR_INVAL, "huge");
}

/* 3.1, 3.2: low = engine apertures, high = queues, tzcnt(high) = queue. */
static void test_alloc_halves_as_the_seed_reads_them(void **state)
{
    struct trench_ncfw_alloc a;
    uint64_t word = 0;

    (void)state;
    for (unsigned qb = 0; qb < 8; qb++) {
        trench_ncfw_alloc_word(gen_of("cayman"), 8, qb, &word);
        trench_ncfw_alloc_decode(word, TRENCH_NCFW_SEED, &a);
        CHECK_EQ(a.word, word, "%u", qb);
        CHECK_EQ(a.apertures, low_of[qb % 4], "%u", qb);
        CHECK_EQ(a.high, qb < 4 ? 0xFFFF : 0xFFFF0000, "%u", qb);
        CHECK_EQ(a.first, qb < 4 ? 0 : 16, "%u: tzcnt", qb);
        CHECK_EQ(a.queue, 0, "%u: lowest queue of its half", qb);
        CHECK_EQ(a.half, qb / 4, "%u", qb);
        CHECK_EQ(a.pool, UINT32_MAX, "%u: apertures limit no engine", qb);
    }
    trench_ncfw_alloc_word(gen_of("sunda"), 8, 0, &word);
    trench_ncfw_alloc_decode(word, TRENCH_NCFW_SEED, &a);
    CHECK_EQ(a.queue, 8, "sunda, 0xff00");
    trench_ncfw_alloc_word(gen_of("sunda"), 8, 1, &word);
    trench_ncfw_alloc_decode(word, TRENCH_NCFW_SEED, &a);
    CHECK_EQ(a.queue, 0, "sunda, 0x003f");
}

/* ncfw-steps 2.7, address-map 5.2: low = queue id, high = engines. */
static void test_alloc_halves_as_the_sheets_read_them(void **state)
{
    static const uint8_t queues[] = { 11, 12, 13, 15 };
    struct trench_ncfw_alloc a;
    uint64_t word = 0;

    (void)state;
    for (unsigned qb = 0; qb < 8; qb++) {
        trench_ncfw_alloc_word(gen_of("mariana"), 8, qb, &word);
        trench_ncfw_alloc_decode(word, TRENCH_NCFW_SHEETS, &a);
        CHECK_EQ(a.queue, queues[qb % 4], "%u", qb);
        CHECK_EQ(a.pool, qb < 4 ? 0x0000FFFF : 0xFFFF0000, "%u", qb);
        CHECK_EQ(a.first, qb < 4 ? 0 : 16, "%u: lowest engine", qb);
        CHECK_EQ(a.apertures, 0, "%u", qb);
    }
}

/* The lowest set bit of any half, against a loop. */
static void test_alloc_first_is_the_lowest_bit(void **state)
{
    uint64_t rnd = SEED;

    (void)state;
    for (int round = 0; round < 2000; round++) {
        uint64_t word = next_random(&rnd) & next_random(&rnd) << (round % 33);
        struct trench_ncfw_alloc a;
        unsigned want = 0;

        while (want < 32 && !(word >> (32 + want) & 1)) {
            want++;
        }
        trench_ncfw_alloc_decode(word, TRENCH_NCFW_SEED, &a);
        CHECK_EQ(a.first, want, "word 0x%llx", ULL(word));
        assert_true(a.queue < 16 && a.half < 2);
        trench_ncfw_alloc_decode(word, TRENCH_NCFW_SHEETS, &a);
        assert_true(a.queue < 16 && a.half < 2);
    }
}

/* 3.3, SET: bitmap |= 1 << (engine - base), for channels in use only. */
static void test_used_engines_or_in(void **state)
{
    struct trench_ncfw_channel ch[3] = { make_channel(37, 0),
                                         make_channel(63, 3),
                                         make_channel(37, 1) };
    uint32_t used = 5;

    (void)state;
    CHECK_EQ(trench_ncfw_used_engines(NULL, 1, 32, &used), TRENCH_ERR_INVAL,
             "channels are NULL");
    CHECK_EQ(trench_ncfw_used_engines(ch, 0, 32, &used), 0, "none");
    CHECK_EQ(used, 0, "none");
    CHECK_EQ(trench_ncfw_used_engines(ch, 3, 32, &used), 0, "three");
    CHECK_EQ(used, 0x80000020, "three");
    ch[1].in_use = false;
    CHECK_EQ(trench_ncfw_used_engines(ch, 3, 32, &used), 0, "two");
    CHECK_EQ(used, 0x20, "two");
    ch[1].in_use = true;
    CHECK_EQ(trench_ncfw_used_engines(ch, 3, 31, &used), TRENCH_ERR_INVAL,
             "engine 32 of a bitmap");
    CHECK_EQ(trench_ncfw_used_engines(ch, 3, 38, &used), TRENCH_ERR_INVAL,
             "engine below the base");
    ch[0].engine = ch[2].engine = UINT16_MAX;
    CHECK_EQ(trench_ncfw_used_engines(ch, 3, 0, &used), TRENCH_ERR_INVAL,
             "engine 65535");
    CHECK_EQ(used, 0x20, "untouched");
}

/* 3.3, VALIDITY: 0xffff or 0xffffffff, and the bt test. */
static void test_valid_engines(void **state)
{
    uint32_t valid = 9;

    (void)state;
    CHECK_EQ(trench_ncfw_valid_engines(gen_of(NULL), 0, &valid),
             TRENCH_ERR_INVAL, "no core");
    CHECK_EQ(trench_ncfw_valid_engines(gen_of(NULL), 3, &valid),
             TRENCH_ERR_INVAL, "three cores");
    CHECK_EQ(valid, 9, "untouched");
    CHECK_EQ(trench_ncfw_valid_engines(gen_of(NULL), 2, &valid), 0, "two");
    CHECK_EQ(valid, 0xFFFFFFFF, "two");
    assert_true(trench_ncfw_engine_valid(valid, 31));
    /* A processor would look at bit 0. */
    assert_false(trench_ncfw_engine_valid(valid, 32));
    CHECK_EQ(trench_ncfw_valid_engines(gen_of(NULL), 1, &valid), 0, "one");
    CHECK_EQ(valid, 0xFFFF, "one");
    assert_true(trench_ncfw_engine_valid(valid, 15));
    assert_false(trench_ncfw_engine_valid(valid, 16));
    assert_false(trench_ncfw_engine_valid(valid, UINT32_MAX));
}

/* 3.3: runs of four, and sentinels. */
static void test_mesh_engines(void **state)
{
    const struct trench_gen *gen = gen_of("cayman");

    (void)state;
    for (unsigned slot = 0; slot < 4; slot++) {
        CHECK_EQ(trench_ncfw_mesh_engine(gen, 0xFFFF, 0, slot), 4 + slot,
                 "slot %u", slot);
        CHECK_EQ(trench_ncfw_mesh_engine(gen, UINT32_MAX, 1, slot), 0x14 + slot,
                 "slot %u", slot);
        CHECK_EQ(trench_ncfw_mesh_engine(gen, 0xFFFF, 1, slot),
                 TRENCH_ERR_NODEV, "slot %u of one core", slot);
        CHECK_EQ(trench_ncfw_mesh_engine(gen, UINT32_MAX, 2, slot),
                 TRENCH_ERR_NOENT, "slot %u has none", slot);
    }
    CHECK_EQ(trench_ncfw_mesh_engine(gen, UINT32_MAX, 3, 0), TRENCH_ERR_INVAL,
             "row 3");
    CHECK_EQ(trench_ncfw_mesh_engine(gen, UINT32_MAX, 0, 4), TRENCH_ERR_INVAL,
             "slot 4");
    CHECK_EQ(trench_ncfw_mesh_engine(gen_of("sunda"), UINT32_MAX, 0, 0),
             TRENCH_ERR_NOTSUP, "sunda");
}

/* 3.5 and the cases of address-map 5.4. */
static void test_bcast_mask_takes_its_half(void **state)
{
    static const struct {
        uint32_t word;
        uint32_t want[2][3]; /* lower and upper bundles, by policy */
    } rows[] = {
        { 0x0000ABCD, { { 0xABCD, 0xABCD, 0xABCD }, { 0, 0, 0xABCD } } },
        { 0x1234ABCD,
          { { 0x1234ABCD, 0x1234ABCD, 0x1234ABCD },
            { 0x1234, 0, 0x1234ABCD } } },
        { 0xABCD0000,
          { { 0xABCD0000, 0xABCD0000, 0xABCD0000 },
            { 0xABCD, 0xABCD, 0xABCD } } },
        { 0xABCD1234,
          { { 0xABCD1234, 0xABCD1234, 0xABCD1234 },
            { 0xABCD, 0, 0xABCD1234 } } },
    };
    struct trench_ncfw_bcast_mask mask;
    uint32_t table[8] = { 0 };

    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        for (int qb = 0; qb < 8; qb++) {
            for (unsigned policy = 0; policy < 3; policy++) {
                bool refused = qb > 3 && policy == TRENCH_NCFW_LOW_REFUSE &&
                               (rows[i].word & 0xFFFF);
                int err;

                memset(table, 0x55, sizeof(table));
                table[qb] = rows[i].word;
                err = trench_ncfw_bcast_mask(
                    table, qb, (enum trench_ncfw_low_half)policy, &mask);
                CHECK_EQ(err, refused ? TRENCH_ERR_BADMSG : 0, "0x%x %d %u",
                         rows[i].word, qb, policy);
                if (!err) {
                    uint32_t want = rows[i].want[qb > 3][policy];

                    CHECK_EQ(mask.word, want, "0x%x %d %u", rows[i].word, qb,
                             policy);
                    CHECK_EQ(mask.mask, want & 0xFFFF, "0x%x %d %u",
                             rows[i].word, qb, policy);
                }
            }
        }
    }
    CHECK_EQ(trench_ncfw_bcast_mask(table, -1, TRENCH_NCFW_LOW_SHIFT, &mask),
             TRENCH_ERR_INVAL, "before the table");
    CHECK_EQ(trench_ncfw_bcast_mask(table, 8, TRENCH_NCFW_LOW_SHIFT, &mask),
             TRENCH_ERR_INVAL, "behind the table");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_alloc_table_of_v3),
        cmocka_unit_test(test_alloc_words_of_the_sheets),
        cmocka_unit_test(test_alloc_index_is_validated),
        cmocka_unit_test(test_alloc_halves_as_the_seed_reads_them),
        cmocka_unit_test(test_alloc_halves_as_the_sheets_read_them),
        cmocka_unit_test(test_alloc_first_is_the_lowest_bit),
        cmocka_unit_test(test_used_engines_or_in),
        cmocka_unit_test(test_valid_engines),
        cmocka_unit_test(test_mesh_engines),
        cmocka_unit_test(test_bcast_mask_takes_its_half),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
