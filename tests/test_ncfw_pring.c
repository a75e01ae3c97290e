/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Descriptors, templates, sections and rings in memory: seed 000 section 1.3,
 * ncfw-steps 1.1 to 1.7 and 2.3; hardware.md H175, H177.
 */
#include <trench/pring.h>

#include "ncfw_rig.h"

#define M2S TRENCH_NCFW_M2S
#define S2M TRENCH_NCFW_S2M
#define HBM UINT64_C(0x4000100000)

/* ---- descriptors --------------------------------------------------------- */

/* ncfw-steps 1.1: fields, barrier modes, the default meta word. */
static void test_copy_becomes_two_descriptors(void **state)
{
    static const struct {
        struct trench_copy copy;
        uint32_t tx_ctrl;
        uint32_t tx_meta;
        uint32_t rx_ctrl;
    } rows[] = {
        { { 1, 2, 4, TRENCH_BARRIER_NONE }, 0x0C000004, 0x01080003, 4 },
        { { 1, 2, 65536, TRENCH_BARRIER_NONE }, 0x0C000000, 0x01080003, 0 },
        { { 1, 2, 65535, TRENCH_BARRIER_DMB }, 0x4C00FFFF, 0x01080003, 0xFFFF },
        { { 1, 2, 8, TRENCH_BARRIER_WRITE }, 0x0C000008, 0x05080003, 8 },
        { { 1, 2, 8, TRENCH_BARRIER_STRONG_ORDER_WR },
          0x0C000008,
          0x01080003,
          0x20000008 },
    };
    static const struct trench_copy bad[] = {
        { 1, 2, 0, TRENCH_BARRIER_NONE },
        { 1, 2, 65537, TRENCH_BARRIER_NONE },
        { 1, 2, 4, (enum trench_barrier)4 },
        { 1, 2, 4, (enum trench_barrier) - 1 },
    };
    struct trench_desc d[2];

    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        CHECK_EQ(trench_desc_copy(&rows[i].copy, d), 0, "row %zu", i);
        CHECK_EQ(d[0].len_ctrl, rows[i].tx_ctrl, "row %zu", i);
        CHECK_EQ(d[0].meta_ctrl, rows[i].tx_meta, "row %zu", i);
        CHECK_EQ(d[0].buf, 1, "row %zu", i);
        CHECK_EQ(d[1].len_ctrl, rows[i].rx_ctrl, "row %zu", i);
        CHECK_EQ(d[1].meta_ctrl, 0, "row %zu", i);
        CHECK_EQ(d[1].buf, 2, "row %zu", i);
    }
    for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
        CHECK_EQ(trench_desc_copy(&bad[i], d), TRENCH_ERR_INVAL, "bad %zu", i);
    }
    CHECK_EQ(d[1].len_ctrl, 0x20000008, "untouched");
}

/* ncfw-steps 1.2: bit 61, variable in 54:36, offset in 35:0. */
static void test_template_addresses(void **state)
{
    static const uint64_t vars[] = { 0x1000, 0x4000000000, UINT64_MAX - 7 };
    static const struct {
        uint64_t addr;
        int err;
        uint64_t want;
    } rows[] = {
        { 0x1234, 0, 0x1234 },
        { UINT64_C(1) << 47, 0, UINT64_C(1) << 47 },
        { 0x2000000000000010, 0, 0x1010 },
        { 0x2000001000000020, 0, 0x4000000020 },
        { 0x2000000FFFFFFFFF, 0, 0x1000000FFF },
        { 0x2000002000000007, 0, UINT64_MAX },
        { 0x2000002000000008, TRENCH_ERR_INVAL, 0 },
        { 0x2000003000000000, TRENCH_ERR_NOENT, 0 },
        { 0x207FFFF000000000, TRENCH_ERR_NOENT, 0 },
        { 0x2080000000000000, TRENCH_ERR_INVAL, 0 },
        { 0x6000000000000000, TRENCH_ERR_INVAL, 0 },
        { UINT64_MAX, TRENCH_ERR_INVAL, 0 },
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        uint64_t got = 0;

        CHECK_EQ(trench_template_resolve(rows[i].addr, vars, 3, &got),
                 rows[i].err, "row %zu", i);
        CHECK_EQ(got, rows[i].want, "row %zu", i);
    }
    CHECK_EQ(trench_template_addr(1, 0x20), 0x2000001000000020, "var 1");
    CHECK_EQ(trench_template_addr(0x7FFFF, 0xFFFFFFFFF), 0x207FFFFFFFFFFFFF,
             "the last one");
    CHECK_EQ(trench_template_addr(0x80000, 0), 0, "variable 2^19");
    CHECK_EQ(trench_template_addr(0, UINT64_C(1) << 36), 0, "offset 2^36");
}

/* ---- templates ----------------------------------------------------------- */

/* Page i >> 16, slot i & 0xFFFF; the directions are apart. */
static void test_vring_keeps_what_is_pushed(void **state)
{
    struct trench_desc desc = { 0 };
    struct trench_vring *v;
    char name[300];

    (void)state;
    memset(name, 'x', sizeof(name));
    name[299] = '\0';
    CHECK_EQ(trench_vring_create(name, &v), 0, "create");
    CHECK_EQ(strlen(trench_vring_name(v)), 255, "name");
    for (uint32_t i = 0; i < 70000; i++) {
        desc.buf = i;
        CHECK_EQ(trench_vring_push(v, M2S, &desc), 0, "%u", i);
    }
    CHECK_EQ(trench_vring_used(v, M2S), 70000, "M2S");
    CHECK_EQ(trench_vring_used(v, S2M), 0, "S2M");
    for (uint32_t i = 0; i < 70000; i += 4999) {
        CHECK_EQ(trench_vring_get(v, M2S, i, &desc), 0, "%u", i);
        CHECK_EQ(desc.buf, i, "%u", i);
    }
    CHECK_EQ(trench_vring_get(v, M2S, 70000, &desc), TRENCH_ERR_INVAL, "end");
    CHECK_EQ(trench_vring_get(v, S2M, 0, &desc), TRENCH_ERR_INVAL, "empty");
    CHECK_EQ(trench_vring_push(v, (enum trench_ncfw_dir)2, &desc),
             TRENCH_ERR_INVAL, "no such direction");
    CHECK_EQ(trench_vring_used(v, (enum trench_ncfw_dir)2), 0, "none");
    CHECK_EQ(trench_vring_max_var(v, M2S), -1, "no variable");
    trench_vring_destroy(v);
    trench_vring_destroy(NULL);
}

/* 256 x 65536 - 16. */
static void test_vring_capacity(void **state)
{
    const struct trench_desc desc = { 0 };
    const struct trench_copy copy = { 1, 2, 4, TRENCH_BARRIER_NONE };
    struct trench_vring *v;

    (void)state;
    assert_int_equal(TRENCH_VRING_MAX, 16777200);
    CHECK_EQ(trench_vring_create("full", &v), 0, "create");
    for (uint32_t i = 0; i < TRENCH_VRING_MAX; i++) {
        if (trench_vring_push(v, S2M, &desc)) {
            fail_msg("refused at %u", i);
        }
    }
    CHECK_EQ(trench_vring_push(v, S2M, &desc), TRENCH_ERR_NOSPC, "full");
    CHECK_EQ(trench_vring_copy(v, &copy), TRENCH_ERR_NOSPC, "full");
    CHECK_EQ(trench_vring_used(v, M2S), 0, "or to neither");
    trench_vring_destroy(v);
}

static void test_vring_highest_variable(void **state)
{
    struct trench_copy copy = { trench_template_addr(9, 1),
                                trench_template_addr(2, 3), 4,
                                TRENCH_BARRIER_NONE };
    struct trench_vring *v;

    (void)state;
    CHECK_EQ(trench_vring_create("vars", &v), 0, "create");
    CHECK_EQ(trench_vring_copy(v, &copy), 0, "copy");
    copy.src = trench_template_addr(0, 0);
    copy.dst = 77;
    CHECK_EQ(trench_vring_copy(v, &copy), 0, "copy");
    CHECK_EQ(trench_vring_max_var(v, M2S), 9, "M2S");
    CHECK_EQ(trench_vring_max_var(v, S2M), 2, "S2M");
    trench_vring_destroy(v);
}

/* ---- rings --------------------------------------------------------------- */

struct memory {
    uint8_t bytes[4096];
    struct trench_hal_mem mem;
};

static void memory_init(struct memory *m)
{
    memset(m->bytes, 0xEE, sizeof(m->bytes));
    m->mem = (struct trench_hal_mem){ m->bytes, HBM, sizeof(m->bytes) };
}

static struct trench_pring ring_of(struct memory *m, enum trench_pring_type t,
                                   uint64_t offset, uint32_t allocated)
{
    struct trench_pring ring = { .type = t };

    CHECK_EQ(trench_pring_init(gen_of(NULL), &m->mem, offset, allocated, &ring),
             0, "ring");
    return ring;
}

/* ncfw-steps 1.3, the worked example: 3 + 3 used, padded to 8. */
static void test_padded_dump(void **state)
{
    const struct trench_dump_conf conf = { .padded = 8, .noop = HBM + 0x800 };
    struct trench_copy copy = { 0x1000, 0x2000, 4, TRENCH_BARRIER_NONE };
    struct trench_vring *v;
    struct trench_pring tx;
    struct trench_pring rx;
    struct trench_desc d;
    struct memory m;

    (void)state;
    memory_init(&m);
    CHECK_EQ(trench_vring_create("three", &v), 0, "create");
    for (int i = 0; i < 3; i++) {
        copy.src += 4;
        CHECK_EQ(trench_vring_copy(v, &copy), 0, "copy");
    }
    tx = ring_of(&m, TRENCH_PRING_TX, 0, 16);
    rx = ring_of(&m, TRENCH_PRING_RX, 256, 8);
    CHECK_EQ(trench_pring_base(&rx), HBM + 256, "base");
    CHECK_EQ(trench_pring_dump(&tx, v, &conf), 8, "tx");
    CHECK_EQ(trench_pring_dump(&rx, v, &conf), 8, "rx");
    CHECK_EQ(tx.used, 8, "used_desc_count is the padded size");
    CHECK_EQ(rx.used, 8, "used_desc_count is the padded size");
    for (uint32_t i = 0; i < 8; i++) {
        uint64_t src = i < 3 ? 0x1004 + 4 * i : HBM + 0x800;

        CHECK_EQ(trench_pring_get(&tx, i, &d), 0, "%u", i);
        CHECK_EQ(d.len_ctrl, 0x0D000004, "%u: lap 1", i);
        CHECK_EQ(d.meta_ctrl, 0x01080003, "%u", i);
        CHECK_EQ(d.buf, src, "%u", i);
        CHECK_EQ(trench_pring_get(&rx, i, &d), 0, "%u", i);
        CHECK_EQ(d.len_ctrl, 0x01000004, "%u", i);
        CHECK_EQ(d.buf, i < 3 ? 0x2000 : HBM + 0x800, "%u: onto itself", i);
    }
    CHECK_EQ(trench_pring_get(&tx, 8, &d), TRENCH_ERR_INVAL, "end");
    CHECK_EQ(m.bytes[128], 0xEE, "256 B in all: 8 + 8 elements");
    CHECK_EQ(m.bytes[256 + 128], 0xEE, "256 B in all");
    trench_vring_destroy(v);
}

static void test_dump_refuses(void **state)
{
    static const uint64_t var = 0x5000;
    struct trench_desc descs[9] = { { .len_ctrl = 4 } };
    struct trench_dump_conf conf = { .padded = 8, .noop = HBM };
    struct trench_pring tx;
    struct memory m;

    (void)state;
    memory_init(&m);
    tx = ring_of(&m, TRENCH_PRING_TX, 0, 8);
    CHECK_EQ(trench_pring_dump_descs(&tx, descs, 9, &conf), TRENCH_ERR_NOSPC,
             "n = 9, padded_size 8");
    conf.padded = 9;
    CHECK_EQ(trench_pring_dump_descs(&tx, descs, 3, &conf), TRENCH_ERR_NOSPC,
             "padded past the ring");
    conf.padded = 0;
    CHECK_EQ(trench_pring_dump_descs(&tx, descs, 9, &conf), TRENCH_ERR_NOSPC,
             "n past the ring");
    conf.padded = 8;
    conf.noop = HBM + 2;
    CHECK_EQ(trench_pring_dump_descs(&tx, descs, 3, &conf), TRENCH_ERR_INVAL,
             "no-op on odd bytes");
    descs[2].buf = trench_template_addr(1, 0);
    conf.noop = HBM;
    conf.vars = &var;
    conf.nr_vars = 1;
    CHECK_EQ(trench_pring_dump_descs(&tx, descs, 3, &conf), TRENCH_ERR_NOENT,
             "variable 1 of 1");
    CHECK_EQ(m.bytes[0], 0xEE, "nothing written");
    CHECK_EQ(tx.used, 0, "nothing written");
    descs[2].buf = trench_template_addr(0, 8);
    CHECK_EQ(trench_pring_dump_descs(&tx, descs, 8, &conf), 8, "no padding");
    CHECK_EQ(trench_pring_get(&tx, 2, &descs[0]), 0, "get");
    CHECK_EQ(descs[0].buf, 0x5008, "resolved");
    tx.type = TRENCH_PRING_INVALID;
    CHECK_EQ(trench_pring_dump_descs(&tx, descs, 1, &conf), TRENCH_ERR_INVAL,
             "no type");
}

static void test_pring_in_the_wrong_memory(void **state)
{
    static const struct {
        const char *gen;
        uint64_t dma;
        int err;
    } rows[] = {
        { "cayman", 0, 0 },
        { "cayman", 0x5FFFFF000, 0 },
        { "cayman", 0x5FFFFFF00, TRENCH_ERR_ACCES }, /* 24 GiB end inside */
        { "mariana", 0x5FFFFFF00, 0 },
        { "cayman", 0x4000000000, 0 },
        { "cayman", 0x804000000000, 0 },
        { "cayman", 0x400000000000, TRENCH_ERR_ACCES },     /* host */
        { "cayman", 0x2000000000, TRENCH_ERR_ACCES },       /* SBUF */
        { "cayman", 0x1002000000, TRENCH_ERR_ACCES },       /* registers */
        { "cayman", UINT64_MAX - 0xFFF, TRENCH_ERR_ACCES }, /* nowhere */
        { "sunda", 0x1000000000, 0 },
        { "sunda", 0x4000000000, TRENCH_ERR_ACCES },
    };
    struct memory m;

    (void)state;
    memory_init(&m);
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct trench_pring ring = { .type = TRENCH_PRING_RX };

        m.mem.dma = rows[i].dma;
        CHECK_EQ(trench_pring_init(gen_of(rows[i].gen), &m.mem, 0, 32, &ring),
                 rows[i].err, "%s 0x%llx", rows[i].gen, ULL(rows[i].dma));
    }
}

static void test_pring_geometry(void **state)
{
    struct trench_pring ring = { .type = TRENCH_PRING_TX };
    const struct trench_gen *gen = gen_of(NULL);
    struct memory m;

    (void)state;
    memory_init(&m);
    CHECK_EQ(trench_pring_init(gen, &m.mem, 0, 256, &ring), 0, "whole");
    CHECK_EQ(trench_pring_init(gen, &m.mem, 0, 257, &ring), TRENCH_ERR_NOSPC,
             "one more");
    CHECK_EQ(trench_pring_init(gen, &m.mem, 4096, 1, &ring), TRENCH_ERR_NOSPC,
             "behind");
    CHECK_EQ(trench_pring_init(gen, &m.mem, UINT64_MAX - 255, 1, &ring),
             TRENCH_ERR_NOSPC, "far behind");
    CHECK_EQ(trench_pring_init(gen, &m.mem, 64, 1, &ring), TRENCH_ERR_INVAL,
             "misaligned");
    CHECK_EQ(trench_pring_init(gen, &m.mem, 0, 0, &ring), TRENCH_ERR_INVAL,
             "empty");
    CHECK_EQ(trench_pring_init(gen, &m.mem, 0, TRENCH_VRING_MAX + 1, &ring),
             TRENCH_ERR_INVAL, "too long");
    CHECK_EQ(ring.allocated, 256, "untouched");
    ring.type = TRENCH_PRING_INVALID;
    CHECK_EQ(trench_pring_init(gen, &m.mem, 0, 1, &ring), TRENCH_ERR_INVAL,
             "no type");
    /* {1 = TX, 2 = RX} (ncfw-steps 1.4) */
    assert_int_equal(TRENCH_PRING_TX, 1);
    assert_int_equal(TRENCH_PRING_RX, 2);
}

/* Random templates against what was pushed. */
static void test_dump_random_templates(void **state)
{
    uint64_t rnd = SEED;
    struct memory m;

    (void)state;
    for (int round = 0; round < 300; round++) {
        uint64_t vars[4];
        struct trench_desc descs[200];
        uint32_t nr = (uint32_t)(next_random(&rnd) % 200);
        uint32_t padded = nr + (uint32_t)(next_random(&rnd) % 40);
        struct trench_dump_conf conf = { vars, 4, padded, HBM };
        struct trench_pring ring;

        memory_init(&m);
        for (int i = 0; i < 4; i++) {
            vars[i] = next_random(&rnd) >> 16;
        }
        for (uint32_t i = 0; i < nr; i++) {
            uint64_t r = next_random(&rnd);

            descs[i] = (struct trench_desc){ (uint32_t)r, (uint32_t)(r >> 32),
                                             r & 1 ? trench_template_addr(
                                                         r >> 1 & 3, r >> 32)
                                                   : r >> 8 & 0xFFFFFFFFFFFF };
        }
        ring = ring_of(&m, TRENCH_PRING_RX, 256, 240);
        if (padded > 240) {
            CHECK_EQ(trench_pring_dump_descs(&ring, descs, nr, &conf),
                     TRENCH_ERR_NOSPC, "round %d", round);
            continue;
        }
        CHECK_EQ(trench_pring_dump_descs(&ring, descs, nr, &conf), padded,
                 "round %d", round);
        for (uint32_t i = 0; i < nr; i++) {
            uint64_t buf = descs[i].buf;
            struct trench_desc got;

            if (buf >> 61 & 1) {
                buf = vars[buf >> 36 & 0x7FFFF] + (buf & 0xFFFFFFFFF);
            }
            trench_pring_get(&ring, i, &got);
            CHECK_EQ(got.buf, buf, "round %d desc %u", round, i);
            CHECK_EQ(got.len_ctrl, (descs[i].len_ctrl & ~0x03000000u) | 1 << 24,
                     "round %d desc %u", round, i);
            CHECK_EQ(got.meta_ctrl, descs[i].meta_ctrl, "round %d desc %u",
                     round, i);
        }
    }
}

/* ---- sections ------------------------------------------------------------ */

/* Seed 000 1.3: used and allocated counts; a full section refuses. */
static void test_section_counts(void **state)
{
    struct trench_item item = { .name = "x",
                                .copy = { 1, 2, 4, TRENCH_BARRIER_NONE } };
    struct trench_section s;
    struct trench_vring *v;
    struct trench_desc d;

    (void)state;
    CHECK_EQ(trench_section_init(&s, "reprogram", 65535), TRENCH_ERR_INVAL,
             "65535");
    CHECK_EQ(trench_section_init(&s, "reprogram", 100), 0, "100");
    for (uint32_t i = 0; i < 100; i++) {
        item.copy.src = i;
        CHECK_EQ(s.used, i, "used");
        CHECK_EQ(trench_section_push_back(&s, &item), 0, "%u", i);
    }
    CHECK_EQ(trench_section_push_back(&s, &item), TRENCH_ERR_NOSPC, "full");
    CHECK_EQ(s.used, 100, "used");
    CHECK_EQ(s.allocated, 100, "allocated");
    item.copy.len_bytes = 0;
    CHECK_EQ(trench_section_push_back(&s, &item), TRENCH_ERR_INVAL, "empty");
    CHECK_EQ(trench_vring_create("v", &v), 0, "create");
    CHECK_EQ(trench_section_commit(&s, v), 0, "commit");
    CHECK_EQ(trench_vring_used(v, M2S), 100, "commit");
    CHECK_EQ(trench_vring_used(v, S2M), 100, "commit");
    CHECK_EQ(trench_vring_get(v, M2S, 99, &d), 0, "get");
    CHECK_EQ(d.buf, 99, "order");
    trench_vring_destroy(v);
    trench_section_fini(&s);
    CHECK_EQ(trench_section_init(&s, "none", 0), 0, "no room");
    item.copy.len_bytes = 4;
    CHECK_EQ(trench_section_push_back(&s, &item), TRENCH_ERR_NOSPC, "no room");
    trench_section_fini(&s);
}

/* ---- the table of blocks ------------------------------------------------- */

/* ncfw-steps 1.7: 1048 bytes, u16 and u8 an entry, 0 terminates. */
static void test_block_configs(void **state)
{
    static struct trench_basic_block_configs configs = {
        .table = { { 0x1234, 0x56 }, { 1, 0 } },
        .nr_blocks = 2,
        .switch_completed = 0x1122334455667788,
        .pring_base_addr = 0x4000100000,
        .pring_total_desc_num = 0xA0B0C0D0,
    };
    static struct trench_basic_block_configs back;
    uint8_t buf[TRENCH_BASIC_BLOCK_CONFIGS_BYTES];
    static const uint8_t table[] = { 0x34, 0x12, 0x56, 0, 1, 0, 0, 0, 0, 0 };
    static const uint8_t tail[] = { 0x88, 0x77, 0x66, 0x55, 0x44, 0x33,
                                    0x22, 0x11, 0,    0,    0x10, 0,
                                    0x40, 0,    0,    0,    0xD0, 0xC0,
                                    0xB0, 0xA0, 0,    0,    0,    0 };

    (void)state;
    memset(buf, 0xFF, sizeof(buf));
    CHECK_EQ(trench_basic_block_configs_encode(&configs, buf), 0, "encode");
    CHECK_MEM(buf, table, sizeof(table), "table");
    CHECK_MEM(buf + 0x400, tail, sizeof(tail), "0x400, 0x408, 0x410, 0x414");
    trench_basic_block_configs_decode(buf, &back);
    assert_memory_equal(back.table, configs.table, sizeof(configs.table));
    CHECK_EQ(back.nr_blocks, 2, "blocks");
    CHECK_EQ(back.switch_completed, configs.switch_completed, "semaphore");
    CHECK_EQ(back.pring_base_addr, configs.pring_base_addr, "base");
    CHECK_EQ(back.pring_total_desc_num, configs.pring_total_desc_num, "total");
    memset(buf, 0xFF, sizeof(buf));
    trench_basic_block_configs_decode(buf, &back);
    CHECK_EQ(back.nr_blocks, 255, "no terminator");
    configs.table[1].desc_count = 0;
    CHECK_EQ(trench_basic_block_configs_encode(&configs, buf), TRENCH_ERR_INVAL,
             "an empty block would end the table");
    configs.nr_blocks = 256;
    CHECK_EQ(trench_basic_block_configs_encode(&configs, buf), TRENCH_ERR_INVAL,
             "256 blocks");
}

/* ncfw-steps 2.3: the getters, both geometries. */
static void test_spad_offsets(void **state)
{
    static const char *const v3[] = { "cayman", "mariana", "mariana_plus" };

    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(v3); i++) {
        CHECK_EQ(trench_slot_spad_offset(gen_of(v3[i]), 0), 17056, "%s", v3[i]);
        CHECK_EQ(trench_slot_spad_offset(gen_of(v3[i]), 0), 0x42A0, "%s",
                 v3[i]);
        CHECK_EQ(trench_ctrl_spad_offset(gen_of(v3[i])), 17104, "%s", v3[i]);
        CHECK_EQ(trench_ctrl_spad_offset(gen_of(v3[i])), 0x42D0, "%s", v3[i]);
    }
    CHECK_EQ(trench_slot_spad_offset(gen_of("sunda"), 0), 0x3080, "sunda");
    CHECK_EQ(trench_slot_spad_offset(gen_of("sunda"), 5), 0x30A8, "sunda");
    CHECK_EQ(trench_ctrl_spad_offset(gen_of("sunda")), 0x30B0, "sunda");
    CHECK_EQ(trench_slot_spad_offset(gen_of("sunda"), 6), 0, "slot 6");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_copy_becomes_two_descriptors),
        cmocka_unit_test(test_template_addresses),
        cmocka_unit_test(test_vring_keeps_what_is_pushed),
        cmocka_unit_test(test_vring_capacity),
        cmocka_unit_test(test_vring_highest_variable),
        cmocka_unit_test(test_padded_dump),
        cmocka_unit_test(test_dump_refuses),
        cmocka_unit_test(test_pring_in_the_wrong_memory),
        cmocka_unit_test(test_pring_geometry),
        cmocka_unit_test(test_dump_random_templates),
        cmocka_unit_test(test_section_counts),
        cmocka_unit_test(test_block_configs),
        cmocka_unit_test(test_spad_offsets),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
