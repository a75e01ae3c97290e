/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Sequencers on the bus: where they are, and the agent behind the fill mailbox
 * as hardware sees it (seed 003 3a; iram-cache-idma 1.1, 1.3, 3.2; hardware.md
 * H142 to H144).
 */
#include "icache_rig.h"

/* iram-cache-idma 1.1, TPB 0 of cayman. */
static void test_xt_local_addresses(void **state)
{
    static const struct {
        const char *name;
        uint64_t local_reg;
    } rows[] = {
        { "POOL", 0x2803060000 }, { "act", 0x2802460000 },
        { "sp", 0x2802860000 },   { "pe", 0x2802660000 },
        { "dve", 0x2802B60000 },
    };
    const struct trench_gen *gen = trench_gen_find("cayman");
    struct trench_gen_seq_addr addr;

    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        int seq = trench_gen_seq_find(gen, rows[i].name);

        CHECK_EQ(seq >= 0, true, "%s", rows[i].name);
        CHECK_EQ(trench_gen_seq_addr(gen, 0, (unsigned)seq, &addr), 0, "%s",
                 rows[i].name);
        CHECK_EQ(addr.local_reg, rows[i].local_reg, "%s", rows[i].name);
    }
    CHECK_EQ(trench_gen_seq_addr(gen, 0, 2, &addr), 0, "pool");
    CHECK_EQ(addr.iram, 0x2803000000, "the sequencer's IRAM");
    CHECK_EQ(addr.dram, 0x2803040000, "the core's DRAM");
    CHECK_EQ(trench_gen_seq_find(gen, "q7"), TRENCH_ERR_NODEV, "5.2");
    CHECK_EQ(trench_gen_seq_addr(gen, 8, 0, &addr), TRENCH_ERR_NODEV, "core");
    CHECK_EQ(trench_gen_seq_addr(gen, 0, 5, &addr), TRENCH_ERR_NODEV, "seq");
    gen = trench_gen_find("sunda");
    CHECK_EQ(trench_gen_seq_addr(gen, 1, 2, &addr), 0, "sunda");
    CHECK_EQ(addr.local_reg, UINT64_C(0xFFFC0000000) + 0x4000000 + 0x2960000,
             "host offset of POOL");
}

/* Seed 003 3a: base 0x1000, 60 registers, stride 0x20; glr[9] to glr[12]. */
static void test_xt_local_general(void **state)
{
    static const uint32_t glr[] = { 0x1120, 0x1140, 0x1160, 0x1180 };
    static const char *const gens[] = { "cayman", "mariana", "mariana_plus" };
    uint32_t offset;
    char name[64], want[64];

    (void)state;
    for (size_t g = 0; g < ARRAY_LEN(gens); g++) {
        const struct trench_csr_block *block =
            trench_csr_builtin(gens[g], TRENCH_BLOCK_TPB_XT_LOCAL_REG);

        assert_non_null(block);
        for (uint32_t i = 0; i < 60; i++) {
            offset = 0x1000 + i * 0x20;
            snprintf(want, sizeof(want), "general[%u].lr", i);
            assert_true(trench_csr_name_at(block, offset, name, sizeof(name)) >
                        0);
            assert_string_equal(name, want);
            CHECK_EQ(GLR(i), offset, "glr[%u]", i);
        }
        assert_false(trench_csr_name_at(block, 0x1000 + 60 * 0x20, name,
                                        sizeof(name)) > 0);
    }
    for (uint32_t i = 0; i < 4; i++) {
        CHECK_EQ(GLR(9 + i), glr[i], "glr[%u]", 9 + i);
    }
    CHECK_EQ(GLR(10) + 0x20, GLR(11), "one constant for two writes");
}

static void kick(struct icache_rig *r, const uint32_t words[3])
{
    for (uint32_t i = 0; i < 3; i++) {
        icache_rig_set_local(r, GLR(10 + i), words[i]);
    }
    icache_rig_set_local(r, GLR(9), 1);
}

static void chip_open(struct icache_rig *r, uint32_t polls)
{
    icache_rig_init(r);
    r->conf.words = TRENCH_MAILBOX_SOURCE_FIRST;
    r->soc_conf.mailbox_polls = polls;
    r->soc_conf.log = icache_rig_log;
    r->soc_conf.log_opaque = r;
    icache_rig_chip(r);
}

/* M8: one block of the size that the mask has; reset says 8 KiB. */
static void test_xt_local_moves_one_block(void **state)
{
    (void)state;
    for (uint32_t block = 64; block <= 0x8000; block *= 2) {
        const uint32_t words[] = { (uint32_t)STREAM + 256,
                                   (uint32_t)(STREAM >> 32), 0x8000 - block };
        struct icache_rig r;

        chip_open(&r, 0);
        CHECK_EQ(icache_rig_local(&r, CONTROL), 0x7FFC, "reset: 8 KiB");
        icache_rig_set_local(&r, CONTROL, (block - 1) << 2);
        memset(r.iram, 0x5A, 0x8000);
        kick(&r, words);
        CHECK_EQ(icache_rig_local(&r, GLR(9)), 0, "M11: done at once");
        CHECK_MEM(r.iram + 0x8000 - block, r.image + 256, block, "%u", block);
        for (uint32_t i = 0; i < 0x8000 - block; i++) {
            CHECK_EQ(r.iram[i], 0x5A, "%u: +%u", block, i);
        }
        icache_rig_close(&r);
    }
}

/* M3 to M6: busy while it lasts, words latched at the kick. */
static void test_xt_local_latency(void **state)
{
    const uint32_t words[] = { (uint32_t)STREAM, (uint32_t)(STREAM >> 32), 0 };
    struct icache_rig r;

    (void)state;
    chip_open(&r, 3);
    kick(&r, words);
    icache_rig_set_local(&r, GLR(10), 0xDEAD0000); /* too late */
    for (unsigned i = 0; i < 3; i++) {
        CHECK_EQ(icache_rig_local(&r, GLR(9)), 1, "poll %u", i);
        CHECK_EQ(r.iram[0], 0, "poll %u", i);
    }
    CHECK_EQ(icache_rig_local(&r, GLR(9)), 0, "done");
    CHECK_MEM(r.iram, r.image, 8192, "the words of the kick");
    CHECK_EQ(icache_rig_local(&r, GLR(10)), 0xDEAD0000, "not touched");
    /* A second kick under way is ignored and counted. */
    icache_rig_set_local(&r, GLR(10), words[0]);
    kick(&r, words);
    kick(&r, (const uint32_t[]){ 0x1000, 0, 0x2000 });
    while (icache_rig_local(&r, GLR(9)) != 0) {
    }
    CHECK_EQ(icache_rig_count(&r, "sequencer fill kicked while"), 1, "log");
    /* Taken back, and at reset. */
    kick(&r, words);
    icache_rig_set_local(&r, GLR(9), 0);
    CHECK_EQ(icache_rig_local(&r, GLR(9)), 0, "taken back");
    kick(&r, words);
    memset(r.iram, 0x11, 8192);
    trench_soc_reset(r.soc);
    for (unsigned i = 0; i < 9; i++) {
        CHECK_EQ(icache_rig_local(&r, GLR(9)), 0, "M7");
    }
    CHECK_EQ(r.iram[0], 0x11, "reset drops it");
    icache_rig_close(&r);
}

/* What the agent refuses: glr[9] clears, glr[12] says so, nothing moves. */
static void test_xt_local_refusals(void **state)
{
    static const struct {
        uint64_t src;
        uint32_t offset;
    } rows[] = {
        { 0x600000000, 0 },     { STREAM, 0x8000 },       { STREAM, 0x6001 },
        { STREAM, 0xFFFFFFFF }, { UINT64_MAX - 4095, 0 }, { 0x5FFFFFF00, 0 },
        { STREAM, 0xFFFFE000 },
    };

    (void)state;
    for (uint32_t polls = 0; polls < 2; polls++) {
        for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
            struct trench_soc_stats stats;
            struct icache_rig r;

            chip_open(&r, polls);
            memset(r.iram, 0x5A, 0x8000);
            kick(&r, (const uint32_t[]){ (uint32_t)rows[i].src,
                                         (uint32_t)(rows[i].src >> 32),
                                         rows[i].offset });
            CHECK_EQ(icache_rig_local(&r, GLR(9)), polls, "row %zu", i);
            CHECK_EQ(icache_rig_local(&r, GLR(9)), 0, "row %zu", i);
            CHECK_EQ(icache_rig_local(&r, GLR(12)), 0xFFFFFFFF, "row %zu", i);
            for (uint32_t k = 0; k < 0x8000; k++) {
                CHECK_EQ(r.iram[k], 0x5A, "row %zu +%u", i, k);
            }
            trench_soc_stats(r.soc, &stats);
            CHECK_EQ(stats.guest_errors, 1, "row %zu", i);
            CHECK_EQ(icache_rig_count(&r, "sequencer fill refused"), 1,
                     "row %zu", i);
            icache_rig_close(&r);
        }
    }
}

/* A block larger than the IRAM, as the mask of 17 bits can say. */
static void test_xt_local_refuses_long_blocks(void **state)
{
    struct icache_rig r;

    (void)state;
    chip_open(&r, 0);
    icache_rig_set_local(&r, CONTROL, 0x7FFFC);
    kick(&r,
         (const uint32_t[]){ (uint32_t)STREAM, (uint32_t)(STREAM >> 32), 0 });
    CHECK_EQ(icache_rig_local(&r, GLR(9)), 0, "ends");
    CHECK_EQ(icache_rig_local(&r, GLR(12)), 0xFFFFFFFF, "refused");
    CHECK_EQ(r.iram[0], 0, "nothing moved");
    icache_rig_close(&r);
}

/* Seed's reading: destination first; only its own IRAM can be one. */
static void test_xt_local_destination_first(void **state)
{
    struct icache_rig r;

    (void)state;
    icache_rig_init(&r);
    icache_rig_chip(&r);
    icache_rig_set_local(&r, 0x000C, (uint32_t)STREAM);
    icache_rig_set_local(&r, 0x0010, (uint32_t)(STREAM >> 32));
    kick(&r, (const uint32_t[]){ (uint32_t)(r.addr.iram + 0x4000),
                                 (uint32_t)(r.addr.iram >> 32), 0x6000 });
    CHECK_EQ(icache_rig_local(&r, GLR(9)), 0, "done");
    CHECK_MEM(r.iram + 0x4000, r.image + 0x6000, 8192, "bytes");
    kick(&r, (const uint32_t[]){ (uint32_t)STREAM, 0, 0 });
    CHECK_EQ(icache_rig_local(&r, GLR(12)), 0xFFFFFFFF, "not into memory");
    kick(&r, (const uint32_t[]){ (uint32_t)(r.addr.iram - 0x200000),
                                 (uint32_t)(r.addr.iram >> 32), 0 });
    CHECK_EQ(icache_rig_local(&r, GLR(12)), 0xFFFFFFFF, "nor a neighbour's");
    icache_rig_close(&r);
}

static void test_xt_local_conf(void **state)
{
    static const struct {
        uint32_t iram;
        uint32_t words;
        int err;
    } rows[] = {
        { 0x1000, 0, 0 },
        { 0x20000, 1, 0 },
        { 0x21000, 0, TRENCH_ERR_INVAL },
        { 0x1001, 0, TRENCH_ERR_INVAL },
        { 0, 2, TRENCH_ERR_INVAL },
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct trench_soc_conf conf = {
            .seq_iram_bytes = rows[i].iram,
            .mailbox_words = (enum trench_mailbox_words)rows[i].words,
        };
        struct trench_soc *soc = NULL;

        CHECK_EQ(trench_soc_create(&conf, &soc), rows[i].err, "row %zu", i);
        if (soc) {
            void *iram = trench_bus_host(trench_soc_bus(soc), 0x2803000000,
                                         rows[i].iram);

            assert_non_null(iram);
        }
        trench_soc_destroy(soc);
    }
}

/* A fill out of registers, one of which ends another sequencer's fill. */
static void test_xt_local_fill_ends_another(void **state)
{
    struct trench_gen_seq_addr act;
    struct trench_gen_seq_addr pe;
    struct icache_rig r;
    uint32_t val;

    (void)state;
    chip_open(&r, 1);
    CHECK_EQ(trench_gen_seq_addr(trench_soc_gen(r.soc), 0, 0, &pe), 0, "pe");
    CHECK_EQ(trench_gen_seq_addr(trench_soc_gen(r.soc), 0, 1, &act), 0, "act");
    {
        const uint64_t base = act.local_reg;
        const struct {
            uint64_t addr;
            uint32_t val;
        } writes[] = {
            { pe.local_reg + GLR(0), 0x55555555 },
            { base + CONTROL, 63 << 2 },
            { base + GLR(8), 0x11111111 },
            { base + GLR(10), (uint32_t)(pe.local_reg + GLR(0)) },
            { base + GLR(11), (uint32_t)(pe.local_reg >> 32) },
            { base + GLR(12), 0 },
            { base + GLR(9), 1 },
            { r.addr.local_reg + CONTROL, 63 << 2 },
        };

        for (size_t i = 0; i < ARRAY_LEN(writes); i++) {
            CHECK_EQ(trench_bus_write32(r.bus, writes[i].addr, writes[i].val),
                     0, "%zu", i);
        }
    }
    CHECK_EQ(trench_bus_read32(r.bus, act.local_reg + GLR(9), &val), 0, "poll");
    CHECK_EQ(val, 1, "the next read ends it");
    kick(&r, (const uint32_t[]){ (uint32_t)(act.local_reg + GLR(8)),
                                 (uint32_t)(act.local_reg >> 32), 0 });
    CHECK_EQ(icache_rig_local(&r, GLR(9)), 1, "poll");
    CHECK_EQ(icache_rig_local(&r, GLR(9)), 0, "done");
    CHECK_EQ(get32(r.iram, 0), 0x11111111, "its own bytes");
    CHECK_EQ(get32(trench_bus_host(r.bus, act.iram, 64), 0), 0x55555555,
             "the other's");
    icache_rig_close(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_xt_local_addresses),
        cmocka_unit_test(test_xt_local_general),
        cmocka_unit_test(test_xt_local_moves_one_block),
        cmocka_unit_test(test_xt_local_latency),
        cmocka_unit_test(test_xt_local_refusals),
        cmocka_unit_test(test_xt_local_refuses_long_blocks),
        cmocka_unit_test(test_xt_local_destination_first),
        cmocka_unit_test(test_xt_local_fill_ends_another),
        cmocka_unit_test(test_xt_local_conf),
    };

    return cmocka_run_group_tests_name("xt_local", tests, NULL, NULL);
}
