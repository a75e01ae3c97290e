/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Addresses of a step, and what is written to them: seed 000 sections 1.1,
 * 1.2, 1.5, 2.1, 2.2 and 2.5, with the worked values of ncfw-steps 2.4, 3.1
 * and address-map 4.1, 4.2; hardware.md H167, H168. Numbers are literal on
 * purpose.
 */
#include <strings.h>

#include <trench/map.h>

#include "ncfw_rig.h"

#define M2S TRENCH_NCFW_M2S
#define S2M TRENCH_NCFW_S2M

static uint32_t offset(const char *gen, enum trench_ncfw_dir dir,
                       unsigned queue, enum trench_ncfw_reg reg)
{
    const struct trench_ncfw_where where = { dir, queue, reg };
    uint32_t out = UINT32_MAX;

    CHECK_EQ(trench_ncfw_offset(gen_of(gen), &where, &out), 0, "%s %u %u %u",
             gen, dir, queue, reg);
    return out;
}

/* Seed 000 1.1, 1.2 and the correction of 2.1: the getters of cayman. */
static void test_offsets_of_queue_0(void **state)
{
    static const struct {
        enum trench_ncfw_reg reg;
        uint32_t m2s;
        uint32_t s2m;
    } rows[] = {
        { TRENCH_NCFW_BASE_LOW, 0x1028, 0x21028 },
        { TRENCH_NCFW_BASE_HIGH, 0x102c, 0x2102c },
        { TRENCH_NCFW_LEN, 0x1030, 0x21030 },
        { TRENCH_NCFW_TAIL_INC, 0x1038, 0x21038 },
        { TRENCH_NCFW_SW_CTRL, 0x10b0, 0x21064 },
    };
    static const char *const gens[] = { "cayman", "mariana", "mariana_plus",
                                        "sunda" };

    (void)state;
    for (size_t g = 0; g < ARRAY_LEN(gens); g++) {
        for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
            CHECK_EQ(offset(gens[g], M2S, 0, rows[i].reg), rows[i].m2s, "%s",
                     gens[g]);
            CHECK_EQ(offset(gens[g], S2M, 0, rows[i].reg), rows[i].s2m, "%s",
                     gens[g]);
        }
    }
    CHECK_EQ(offset("cayman", M2S, 0, TRENCH_NCFW_DATA_TAIL_INC), 0x10e0,
             "data tail");
}

/* 1.1: (q + 1) << 12, 16 queues, both directions. */
static void test_offsets_of_every_queue(void **state)
{
    (void)state;
    for (unsigned q = 0; q < 16; q++) {
        CHECK_EQ(offset("cayman", M2S, q, TRENCH_NCFW_BASE_LOW),
                 ((q + 1) << 12) + 0x28, "q %u", q);
        CHECK_EQ(offset("cayman", S2M, q, TRENCH_NCFW_SW_CTRL),
                 0x20000 + ((q + 1) << 12) + 0x64, "q %u", q);
    }
}

static void test_offsets_that_are_not_there(void **state)
{
    static const struct {
        const char *gen;
        struct trench_ncfw_where where;
        int err;
    } rows[] = {
        { "cayman", { S2M, 0, TRENCH_NCFW_DATA_TAIL_INC }, TRENCH_ERR_NOTSUP },
        { "sunda", { M2S, 0, TRENCH_NCFW_DATA_TAIL_INC }, TRENCH_ERR_NOTSUP },
        { "cayman", { M2S, 16, TRENCH_NCFW_LEN }, TRENCH_ERR_INVAL },
        { "cayman", { M2S, UINT32_MAX, TRENCH_NCFW_LEN }, TRENCH_ERR_INVAL },
        { "cayman",
          { (enum trench_ncfw_dir)2, 0, TRENCH_NCFW_LEN },
          TRENCH_ERR_INVAL },
        { "cayman",
          { M2S, 0, (enum trench_ncfw_reg)TRENCH_NCFW_NR_REGS },
          TRENCH_ERR_INVAL },
        { "cayman", { M2S, 0, (enum trench_ncfw_reg) - 1 }, TRENCH_ERR_INVAL },
    };
    uint32_t out = 1;
    uint64_t addr = 1;

    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        CHECK_EQ(trench_ncfw_offset(gen_of(rows[i].gen), &rows[i].where, &out),
                 rows[i].err, "row %zu", i);
        CHECK_EQ(
            trench_ncfw_unicast(gen_of(rows[i].gen), 0, &rows[i].where, &addr),
            rows[i].err, "row %zu", i);
        CHECK_EQ(trench_ncfw_bcast_addr(gen_of(rows[i].gen), 0, &rows[i].where,
                                        &addr),
                 rows[i].err, "row %zu", i);
    }
    CHECK_EQ(out, 1, "untouched");
    CHECK_EQ(addr, 1, "untouched");
}

/* ncfw-steps 2.4, the worked unicast examples. */
static void test_unicast_worked_values(void **state)
{
    static const struct {
        unsigned engine;
        struct trench_ncfw_where where;
        uint64_t addr;
    } rows[] = {
        { 0, { M2S, 0, TRENCH_NCFW_BASE_LOW }, 0x1002001028 },
        { 0, { M2S, 0, TRENCH_NCFW_LEN }, 0x1002001030 },
        { 5, { M2S, 11, TRENCH_NCFW_BASE_LOW }, 0x00100250C028 },
        { 5, { M2S, 11, TRENCH_NCFW_BASE_HIGH }, 0x00100250C02C },
        { 5, { M2S, 11, TRENCH_NCFW_LEN }, 0x00100250C030 },
        { 5, { S2M, 11, TRENCH_NCFW_BASE_LOW }, 0x00100252C028 },
        { 5, { S2M, 11, TRENCH_NCFW_BASE_HIGH }, 0x00100252C02C },
        { 5, { S2M, 11, TRENCH_NCFW_LEN }, 0x00100252C030 },
        { 5, { M2S, 11, TRENCH_NCFW_SW_CTRL }, 0x00100250C0B0 },
        { 5, { S2M, 11, TRENCH_NCFW_SW_CTRL }, 0x00100252C064 },
        { 31, { S2M, 15, TRENCH_NCFW_LEN }, 0x001003F30030 },
        /* die 1 has bit 47 */
        { 64, { M2S, 0, TRENCH_NCFW_BASE_LOW }, 0x801002001028 },
    };
    const struct trench_ncfw_where any = { M2S, 0, TRENCH_NCFW_LEN };
    uint64_t addr = 0;

    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        CHECK_EQ(trench_ncfw_unicast(gen_of(NULL), rows[i].engine,
                                     &rows[i].where, &addr),
                 0, "row %zu", i);
        CHECK_EQ(addr, rows[i].addr, "row %zu", i);
    }
    CHECK_EQ(trench_ncfw_unicast(gen_of(NULL), 132, &any, &addr),
             TRENCH_ERR_NODEV, "engine 132");
    CHECK_EQ(trench_ncfw_unicast(gen_of("sunda"), 34, &any, &addr),
             TRENCH_ERR_NODEV, "sunda's engine 34");
}

/* Seed 000 2.2 and address-map 4.1: the table, and its identity. */
static void test_regions(void **state)
{
    static const uint64_t table[] = {
        0x0000001002080000, 0x0000001003080000, 0x0000005004080000,
        0x0000005005080000, 0x0000801002080000, 0x0000801003080000,
        0x0000805004080000, 0x0000805005080000,
    };
    const struct trench_gen *gen = gen_of(NULL);
    uint64_t region = 0;
    uint64_t channel = 0;

    (void)state;
    for (unsigned k = 0; k < 8; k++) {
        CHECK_EQ(trench_ncfw_region(gen, k, &region), 0, "%u", k);
        CHECK_EQ(region, table[k], "%u", k);
        /* { SE_0, SE_1 } x { SDMA_0, SDMA_16 } x die: engine 16 k + 0x80000 */
        trench_gen_engine_base(gen, 16 * k, false, &channel);
        CHECK_EQ(region, channel + 0x80000, "%u", k);
        CHECK_EQ(trench_ncfw_region(gen_of("mariana"), k, &region), 0, "H167");
        CHECK_EQ(region, table[k], "mariana %u", k);
    }
    CHECK_EQ(trench_ncfw_region(gen, 8, &region), TRENCH_ERR_NODEV, "8");
    CHECK_EQ(trench_ncfw_region(gen, UINT32_MAX, &region), TRENCH_ERR_NODEV,
             "huge");
    CHECK_EQ(trench_ncfw_region(gen_of("sunda"), 0, &region), TRENCH_ERR_NOTSUP,
             "sunda has no known window");
}

/* ncfw-steps 3.1, the worked broadcast addresses. */
static void test_bcast_worked_values(void **state)
{
    static const struct {
        unsigned region;
        struct trench_ncfw_where where;
        uint64_t addr;
    } rows[] = {
        { 0, { M2S, 0, TRENCH_NCFW_TAIL_INC }, 0x001002081038 },
        { 0, { S2M, 0, TRENCH_NCFW_TAIL_INC }, 0x0010020A1038 },
        { 0, { M2S, 11, TRENCH_NCFW_TAIL_INC }, 0x00100208C038 },
        { 0, { S2M, 11, TRENCH_NCFW_TAIL_INC }, 0x0010020AC038 },
        { 1, { M2S, 12, TRENCH_NCFW_TAIL_INC }, 0x00100308D038 },
        { 2, { M2S, 13, TRENCH_NCFW_SW_CTRL }, 0x00500408E0B0 },
        { 2, { S2M, 13, TRENCH_NCFW_SW_CTRL }, 0x0050040AE064 },
        { 4, { M2S, 15, TRENCH_NCFW_DATA_TAIL_INC }, 0x8010020900E0 },
        { 7, { S2M, 15, TRENCH_NCFW_TAIL_INC }, 0x8050050B0038 },
    };
    uint64_t addr = 0;

    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        CHECK_EQ(trench_ncfw_bcast_addr(gen_of(NULL), rows[i].region,
                                        &rows[i].where, &addr),
                 0, "row %zu", i);
        CHECK_EQ(addr, rows[i].addr, "row %zu", i);
    }
}

/* 2.5: no getter exists for base and length. */
static void test_base_and_length_are_never_broadcast(void **state)
{
    static const enum trench_ncfw_reg regs[] = { TRENCH_NCFW_BASE_LOW,
                                                 TRENCH_NCFW_BASE_HIGH,
                                                 TRENCH_NCFW_LEN };
    uint64_t addr = 3;

    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(regs); i++) {
        for (unsigned dir = 0; dir < 2; dir++) {
            const struct trench_ncfw_where where = { (enum trench_ncfw_dir)dir,
                                                     11, regs[i] };

            CHECK_EQ(trench_ncfw_bcast_addr(gen_of(NULL), 0, &where, &addr),
                     TRENCH_ERR_ACCES, "reg %zu dir %u", i, dir);
        }
    }
    CHECK_EQ(addr, 3, "untouched");
}

/* Every address of every engine has the name that the map gives it. */
static void test_addresses_are_those_of_the_map(void **state)
{
    static const char *const regs[2][TRENCH_NCFW_NR_REGS] = {
        { "TDRBP_low", "TDRBP_high", "TDRL", "TDRTP_inc", "TDRDTP_inc",
          "q_sw_ctrl" },
        { "RDRBP_low", "RDRBP_high", "RDRL", "RDRTP_inc", NULL, "q_sw_ctrl" },
    };
    struct trench_map_info info;
    uint64_t addr = 0;

    (void)state;
    for (unsigned e = 0; e < 128; e += 7) {
        for (unsigned i = 0; i < 2 * 16 * TRENCH_NCFW_NR_REGS; i++) {
            const struct trench_ncfw_where where = {
                (enum trench_ncfw_dir)(i % 2), i / 2 % 16,
                (enum trench_ncfw_reg)(i / 32)
            };
            const char *name = regs[where.dir][where.reg];

            if (!name) {
                continue;
            }
            CHECK_EQ(trench_ncfw_unicast(gen_of(NULL), e, &where, &addr), 0,
                     "engine %u", e);
            trench_map_at(gen_of(NULL), addr, &info);
            CHECK_EQ(info.index[TRENCH_INDEX_ENGINE], e, "engine %u", e);
            CHECK_EQ(info.index[TRENCH_INDEX_QUEUE], where.queue, "q %u",
                     where.queue);
            if (strcasecmp(trench_map_leaf(&info)->ref.reg->name, name) != 0) {
                fail_msg("%s is %s", name,
                         trench_map_leaf(&info)->ref.reg->name);
            }
        }
    }
}

/* 1.1: six descriptors a pair; ncfw-steps 1.6: their order. */
static void test_ring_writes_of_a_pair(void **state)
{
    static const struct {
        const char *name;
        uint64_t addr;
        uint32_t val;
    } want[] = {
        { "m2s_low", 0x00100250C028, 0x89ABCD00 },
        { "m2s_high", 0x00100250C02C, 0x41 },
        { "m2s_size", 0x00100250C030, 1024 },
        { "s2m_low", 0x00100252C028, 0x12345640 },
        { "s2m_high", 0x00100252C02C, 0x8000 },
        { "s2m_size", 0x00100252C030, 0xFFFFFF },
    };
    const struct trench_ncfw_channel ch = {
        .engine = 5,
        .queue = 11,
        .ring = { { 0x4189ABCD00, 1024 }, { 0x800012345640, 0xFFFFFF } },
    };
    struct trench_ncfw_write out[TRENCH_NCFW_RING_WRITES];

    (void)state;
    assert_int_equal(TRENCH_NCFW_RING_WRITES, 6);
    CHECK_EQ(trench_ncfw_ring_writes(gen_of(NULL), &ch, out), 0, "six");
    for (size_t i = 0; i < ARRAY_LEN(want); i++) {
        assert_string_equal(out[i].name, want[i].name);
        CHECK_EQ(out[i].addr, want[i].addr, "%s", want[i].name);
        CHECK_EQ(out[i].val, want[i].val, "%s", want[i].name);
        CHECK_EQ(out[i].engine, 5, "%s", want[i].name);
    }
}

static void test_ring_writes_refuse(void **state)
{
    struct trench_ncfw_write out[TRENCH_NCFW_RING_WRITES] = { { .name =
                                                                    "old" } };
    struct trench_ncfw_channel bad[6];

    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
        bad[i] = make_channel(3, 3);
    }
    bad[0].queue = 16;
    bad[1].ring[0].base += 32;
    bad[2].ring[1].base += 1;
    bad[3].ring[0].nr_descs = 0;
    bad[4].ring[1].nr_descs = 0x1000000;
    for (size_t i = 0; i < 5; i++) {
        CHECK_EQ(trench_ncfw_ring_writes(gen_of(NULL), &bad[i], out),
                 TRENCH_ERR_INVAL, "case %zu", i);
    }
    bad[5].engine = 132;
    CHECK_EQ(trench_ncfw_ring_writes(gen_of(NULL), &bad[5], out),
             TRENCH_ERR_NODEV, "engine 132");
    assert_string_equal(out[0].name, "old");
}

/* 1.2: rst_tail_ptr [1], rst_data_tail_ptr [4]; S2M has no data tail. */
static void test_rearm_writes(void **state)
{
    static const struct {
        const char *gen;
        enum trench_ncfw_rearm rearm;
        int nr;
        uint32_t m2s;
        uint32_t s2m;
    } rows[] = {
        { "cayman", TRENCH_NCFW_REARM_TAIL, 2, 0x12, 0x02 },
        { "mariana", TRENCH_NCFW_REARM_TAIL, 2, 0x12, 0x02 },
        { "cayman", TRENCH_NCFW_REARM_QUEUE, 2, 0x100, 0x100 },
        { "sunda", TRENCH_NCFW_REARM_QUEUE, 2, 0x100, 0x100 },
        { "cayman", TRENCH_NCFW_REARM_NONE, 0, 0, 0 },
        { "cayman", (enum trench_ncfw_rearm)3, TRENCH_ERR_INVAL, 0, 0 },
    };
    struct trench_ncfw_write out[TRENCH_NCFW_REARM_WRITES];
    struct trench_ncfw_channel ch = make_channel(5, 11);

    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        int nr = trench_ncfw_rearm_writes(gen_of(rows[i].gen), &ch,
                                          rows[i].rearm, out);

        CHECK_EQ(nr, rows[i].nr, "row %zu", i);
        if (nr == 2) {
            CHECK_EQ(out[0].val, rows[i].m2s, "row %zu", i);
            CHECK_EQ(out[1].val, rows[i].s2m, "row %zu", i);
        }
        if (nr == 2 && strcmp(rows[i].gen, "cayman") == 0) {
            CHECK_EQ(out[0].addr, 0x00100250C0B0, "row %zu", i);
            CHECK_EQ(out[1].addr, 0x00100252C064, "row %zu", i);
        }
    }
    ch.engine = 500;
    CHECK_EQ(trench_ncfw_rearm_writes(gen_of(NULL), &ch, TRENCH_NCFW_REARM_TAIL,
                                      out),
             TRENCH_ERR_NODEV, "engine 500");
}

/* 1.5: four 4-byte addresses. */
static void test_reprogram_info(void **state)
{
    static const uint8_t bytes[] = { 0x04, 3,    2,    1,    0x14, 0x13,
                                     0x12, 0x11, 0x24, 0x23, 0x22, 0x21,
                                     0x34, 0x33, 0x32, 0x31 };
    struct trench_ncfw_reprogram_info info;
    uint8_t back[TRENCH_NCFW_REPROGRAM_INFO_BYTES];

    (void)state;
    trench_ncfw_reprogram_info_decode(bytes, &info);
    CHECK_EQ(info.m2s_low, 0x01020304, "m2s_low");
    CHECK_EQ(info.m2s_high, 0x11121314, "m2s_high");
    CHECK_EQ(info.s2m_low, 0x21222324, "s2m_low");
    CHECK_EQ(info.s2m_high, 0x31323334, "s2m_high");
    trench_ncfw_reprogram_info_encode(&info, back);
    CHECK_MEM(back, bytes, sizeof(bytes), "back");
    assert_string_equal(trench_ncfw_dir_name(M2S), "M2S");
    assert_string_equal(trench_ncfw_dir_name(S2M), "S2M");
    assert_string_equal(trench_ncfw_dir_name((enum trench_ncfw_dir)9), "?");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_offsets_of_queue_0),
        cmocka_unit_test(test_offsets_of_every_queue),
        cmocka_unit_test(test_offsets_that_are_not_there),
        cmocka_unit_test(test_unicast_worked_values),
        cmocka_unit_test(test_regions),
        cmocka_unit_test(test_bcast_worked_values),
        cmocka_unit_test(test_base_and_length_are_never_broadcast),
        cmocka_unit_test(test_addresses_are_those_of_the_map),
        cmocka_unit_test(test_ring_writes_of_a_pair),
        cmocka_unit_test(test_ring_writes_refuse),
        cmocka_unit_test(test_rearm_writes),
        cmocka_unit_test(test_reprogram_info),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
