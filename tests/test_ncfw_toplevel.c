/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The TopLevel rings of a program, as they are laid out and as a real ring of
 * another engine executes them: seed 000 sections 1 and 4; hardware.md H169,
 * H172 to H174, H176.
 */
#include <trench/pring.h>
#include <trench/soc.h>

#include "ncfw_rig.h"

#define M2S   TRENCH_NCFW_M2S
#define S2M   TRENCH_NCFW_S2M
#define ARENA UINT64_C(0x4000000000) /* HBM_1 */
#define SIZE  UINT64_C(0x4000000)
#define HOST  UINT64_C(0x400000000000)

/* The engine that runs the TopLevel rings; none of the step's. */
#define RUNNER 40

struct chip {
    struct trench_soc *soc;
    struct trench_bus *bus;
    struct trench_hal_bus *hb;
};

static void chip_init(struct chip *c)
{
    CHECK_EQ(trench_soc_create(NULL, &c->soc), 0, "soc");
    c->bus = trench_soc_bus(c->soc);
    CHECK_EQ(trench_hal_bus_create(c->bus, ARENA, SIZE, &c->hb), 0, "hb");
}

static void chip_fini(struct chip *c)
{
    trench_hal_bus_destroy(c->hb);
    trench_soc_destroy(c->soc);
}

static uint32_t read_reg(const struct chip *c, unsigned engine,
                         enum trench_ncfw_dir dir, unsigned queue,
                         enum trench_ncfw_reg reg)
{
    const struct trench_ncfw_where where = { dir, queue, reg };
    uint64_t addr = 0;
    uint32_t val = 0;

    CHECK_EQ(trench_ncfw_unicast(gen_of(NULL), engine, &where, &addr), 0, "at");
    CHECK_EQ(trench_bus_read32(c->bus, addr, &val), 0, "read");
    return val;
}

/* A bundle of engines first .. first + nr - 1 on one queue. */
struct bundle {
    struct trench_ncfw_channel ch[32];
    struct trench_ncfw_plan plan;
};

static void bundle_init(struct bundle *b, unsigned bundle, unsigned first,
                        unsigned nr, unsigned queue)
{
    const struct trench_ncfw_plan_conf conf = {
        .bundle = bundle,
        .channels = b->ch,
        .nr_channels = nr,
    };

    for (unsigned i = 0; i < nr; i++) {
        b->ch[i] = make_channel(first + i, queue);
    }
    CHECK_EQ(trench_ncfw_plan(&conf, &b->plan), 0, "plan");
}

static struct trench_toplevel_conf conf_of(
    const struct chip *c, const struct trench_basic_block *blocks, size_t nr)
{
    return (struct trench_toplevel_conf){
        .ops = trench_hal_bus_ops(),
        .opaque = c->hb,
        .blocks = blocks,
        .nr_blocks = nr,
    };
}

/* ---- layout -------------------------------------------------------------- */

/* 1.3, 2.2: CTRL SPAD, SLOT SPAD, six a pair, re-arm; resets before. */
static void test_layout_of_one_block(void **state)
{
    static const char *const names[] = {
        "s2m_apb_bcast",  "m2s_apb_bcast", "ctrl_spad_addr", "slot_spad_addr",
        "slot_spad_addr", "m2s_low",       "m2s_high",       "m2s_size",
        "s2m_low",        "s2m_high",      "s2m_size",       "m2s_rearm",
        "s2m_rearm",
    };
    static const uint64_t dst[] = {
        0x0010020AC064, 0x00100208C0B0, 0x8042D0,       0x8042A0,
        0x8042A8,       0x00100250C028, 0x00100250C02C, 0x00100250C030,
        0x00100252C028, 0x00100252C02C, 0x00100252C030, 0x00100250C0B0,
        0x00100252C064,
    };
    struct trench_basic_block block = { .nr_plans = 1 };
    struct trench_toplevel_conf conf;
    struct trench_toplevel *top;
    struct bundle b;
    struct chip c;

    (void)state;
    chip_init(&c);
    bundle_init(&b, 0, 5, 1, 11);
    block.plans = &b.plan;
    block.spad = (struct trench_spad){ .pointers = true,
                                       .context = 0x800000,
                                       .ctrl = 0x8280000000,
                                       .slot = { 0x1111, 0x2222 },
                                       .nr_slots = 2 };
    conf = conf_of(&c, &block, 1);
    CHECK_EQ(trench_toplevel_create(&conf, &top), 0, "create");
    CHECK_EQ(trench_toplevel_section(top, 0, 0)->used, 2, "resets");
    CHECK_EQ(trench_toplevel_section(top, 0, 1)->used, 11, "reprogram");
    for (uint32_t i = 0; i < 13; i++) {
        const struct trench_section *s =
            trench_toplevel_section(top, 0, i < 2 ? 0 : 1);
        const struct trench_item *item = &s->items[i < 2 ? i : i - 2];
        struct trench_desc tx;
        struct trench_desc rx;
        uint64_t val = 0;

        assert_string_equal(item->name, names[i]);
        trench_pring_get(trench_toplevel_ring(top, 0, M2S), i, &tx);
        trench_pring_get(trench_toplevel_ring(top, 0, S2M), i, &rx);
        CHECK_EQ(tx.buf, item->copy.src, "%s", names[i]);
        CHECK_EQ(rx.buf, dst[i], "%s", names[i]);
        CHECK_EQ(item->copy.dst, dst[i], "%s", names[i]);
        CHECK_EQ(tx.len_ctrl >> 30 & 1, i == 2, "%s: barrier", names[i]);
        CHECK_EQ(trench_bus_read(c.bus, 0, tx.buf, &val, item->copy.len_bytes),
                 0, "%s", names[i]);
        CHECK_EQ(val, item->val, "%s", names[i]);
    }
    for (uint32_t i = 13; i < 32; i++) {
        struct trench_desc tx;
        struct trench_desc rx;

        trench_pring_get(trench_toplevel_ring(top, 0, M2S), i, &tx);
        trench_pring_get(trench_toplevel_ring(top, 0, S2M), i, &rx);
        CHECK_EQ(tx.buf, rx.buf, "%u: a no-op copies onto itself", i);
        CHECK_EQ(tx.len_ctrl & 0xFFFF, 4, "%u: 4 bytes", i);
        CHECK_EQ(tx.buf + 8,
                 trench_toplevel_section(top, 0, 0)->items[0].copy.src,
                 "%u: of a word of its own", i);
    }
    CHECK_EQ(trench_toplevel_section(top, 0, 0)->items[0].val, 0xFFDF0100,
             "engine 5 alone");
    CHECK_EQ(trench_toplevel_section(top, 0, 1)->items[2].val, 0x2222, "slot");
    assert_null(trench_toplevel_section(top, 0, 2));
    assert_null(trench_toplevel_section(top, 1, 0));
    assert_null(trench_toplevel_ring(top, 1, M2S));
    assert_null(trench_toplevel_ring(top, 0, (enum trench_ncfw_dir)2));
    trench_toplevel_destroy(top);
    trench_toplevel_destroy(NULL);
    chip_fini(&c);
}

/* 4, to the letter: six writes, the re-arm, then one trigger a direction. */
static void test_seed_000_4_layout_of_the_trigger(void **state)
{
    static const struct {
        const char *part;
        uint64_t dst;
        uint32_t val;
    } want[] = {
        { "SDMA", 0x00100250C028, 0 },
        { "SDMA", 0x00100250C02C, 0 },
        { "SDMA", 0x00100250C030, 0 },
        { "SDMA", 0x00100252C028, 0 },
        { "SDMA", 0x00100252C02C, 0 },
        { "SDMA", 0x00100252C030, 0 },
        { "re-arm", 0x00100250C0B0, 0x12 },
        { "re-arm", 0x00100252C064, 0x02 },
        { "bcast", 0x0010020AC038, 0xFFDF0100 },
        { "bcast", 0x00100208C038, 0xFFDF0100 },
    };
    struct trench_basic_block block = { .nr_plans = 1 };
    struct trench_basic_block_configs configs;
    const struct trench_section *section;
    struct trench_toplevel_conf conf;
    struct trench_toplevel *top;
    struct bundle b;
    struct chip c;

    (void)state;
    chip_init(&c);
    bundle_init(&b, 0, 5, 1, 11);
    block.plans = &b.plan;
    conf = conf_of(&c, &block, 1);
    conf.rearm_at_tail = true;
    CHECK_EQ(trench_toplevel_create(&conf, &top), 0, "create");
    CHECK_EQ(trench_toplevel_section(top, 0, 0)->used, 0, "no resets");
    section = trench_toplevel_section(top, 0, 1);
    CHECK_EQ(section->used, ARRAY_LEN(want), "descriptors");
    for (size_t i = 0; i < ARRAY_LEN(want); i++) {
        const struct trench_item *item = &section->items[i];

        assert_string_equal(item->part, want[i].part);
        CHECK_EQ(item->copy.dst, want[i].dst, "%zu", i);
        CHECK_EQ(item->copy.barrier,
                 i == 8 ? TRENCH_BARRIER_DMB : TRENCH_BARRIER_NONE, "%zu", i);
        if (want[i].val) {
            CHECK_EQ(item->val, want[i].val, "%zu", i);
        }
    }
    trench_toplevel_configs(top, 0, &configs);
    CHECK_EQ(configs.table[0].desc_count, ARRAY_LEN(want), "all");
    CHECK_EQ(configs.table[0].reset_count, 0, "no resets");
    trench_toplevel_destroy(top);
    conf.no_reset = true;
    CHECK_EQ(trench_toplevel_create(&conf, &top), 0, "create");
    CHECK_EQ(trench_toplevel_section(top, 0, 1)->used, 8, "left out");
    trench_toplevel_destroy(top);
    chip_fini(&c);
}

/* Rings of one length, one behind the other; the table of blocks. */
static void test_layout_of_several_blocks(void **state)
{
    struct trench_basic_block blocks[3] = { { 0 } };
    struct trench_basic_block_configs configs;
    struct trench_toplevel_conf conf;
    struct trench_toplevel *top;
    struct bundle b[3];
    struct chip c;

    (void)state;
    chip_init(&c);
    for (unsigned i = 0; i < 3; i++) {
        bundle_init(&b[i], 0, i, i + 1, 3 + i);
        blocks[i].plans = &b[i].plan;
        blocks[i].nr_plans = 1;
    }
    conf = conf_of(&c, blocks, 3);
    CHECK_EQ(trench_toplevel_create(&conf, &top), 0, "create");
    trench_toplevel_configs(top, 0x828000101C, &configs);
    /* the longest has 2 + 3 * 8 descriptors; 16 more, and a multiple of 16 */
    CHECK_EQ(configs.pring_total_desc_num, 48, "total");
    CHECK_EQ(configs.nr_blocks, 3, "blocks");
    CHECK_EQ(configs.switch_completed, 0x828000101C, "semaphore");
    for (unsigned i = 0; i < 3; i++) {
        CHECK_EQ(configs.table[i].desc_count, 2 + 8 * (i + 1), "%u", i);
        CHECK_EQ(configs.table[i].reset_count, 2, "%u", i);
        for (unsigned d = 0; d < 2; d++) {
            const struct trench_pring *ring =
                trench_toplevel_ring(top, i, (enum trench_ncfw_dir)d);

            CHECK_EQ(trench_pring_base(ring),
                     configs.pring_base_addr + (2 * i + d) * 48 * 16, "%u %u",
                     i, d);
            CHECK_EQ(ring->used, 48, "%u %u", i, d);
            CHECK_EQ(ring->allocated, 48, "%u %u", i, d);
        }
    }
    trench_toplevel_destroy(top);
    chip_fini(&c);
}

/* 1.4: a bundle without engines adds nothing; 6 x E (ncfw-steps 1.6). */
static void test_skipped_bundles_add_nothing(void **state)
{
    struct trench_ncfw_plan plans[3];
    struct trench_basic_block block = { .plans = plans, .nr_plans = 3 };
    struct trench_toplevel_conf conf;
    struct trench_toplevel *top = NULL;
    struct bundle b[3];
    struct chip c;

    (void)state;
    chip_init(&c);
    bundle_init(&b[0], 0, 0, 16, 11);
    bundle_init(&b[1], 1, 0, 0, 12);
    bundle_init(&b[2], 4, 16, 16, 11);
    for (int i = 0; i < 3; i++) {
        plans[i] = b[i].plan;
    }
    conf = conf_of(&c, &block, 1);
    conf.rearm = TRENCH_NCFW_REARM_NONE;
    CHECK_EQ(trench_toplevel_create(&conf, &top), 0, "create");
    CHECK_EQ(trench_toplevel_section(top, 0, 0)->used, 2 * 2, "resets");
    CHECK_EQ(trench_toplevel_section(top, 0, 1)->used, 6 * 32, "6 x E");
    trench_toplevel_destroy(top);
    block.plans = &plans[1];
    block.nr_plans = 1;
    CHECK_EQ(trench_toplevel_create(&conf, &top), TRENCH_ERR_INVAL,
             "nothing at all");
    chip_fini(&c);
}

/* ---- refusals ------------------------------------------------------------ */

static void test_sections_too_small(void **state)
{
    struct trench_basic_block block = { .nr_plans = 1 };
    struct trench_toplevel_conf conf;
    struct trench_toplevel *top = NULL;
    struct bundle b;
    struct chip c;

    (void)state;
    chip_init(&c);
    bundle_init(&b, 0, 0, 16, 11);
    block.plans = &b.plan;
    conf = conf_of(&c, &block, 1);
    block.reset_limit = 1;
    CHECK_EQ(trench_toplevel_create(&conf, &top), TRENCH_ERR_NOSPC, "reset");
    block.reset_limit = 2;
    block.reprogram_limit = 16 * 8 - 1;
    CHECK_EQ(trench_toplevel_create(&conf, &top), TRENCH_ERR_NOSPC, "program");
    block.reprogram_limit = 16 * 8;
    conf.padded = 16 * 8 + 2 - 2; /* a multiple of 16, and too short */
    CHECK_EQ(trench_toplevel_create(&conf, &top), TRENCH_ERR_NOSPC, "padded");
    conf.padded = 145;
    CHECK_EQ(trench_toplevel_create(&conf, &top), TRENCH_ERR_INVAL, "odd");
    conf.padded = 160;
    CHECK_EQ(trench_toplevel_create(&conf, &top), 0, "just right");
    trench_toplevel_destroy(top);
    block.reprogram_limit = 65535;
    CHECK_EQ(trench_toplevel_create(&conf, &top), TRENCH_ERR_INVAL, "limit");
    chip_fini(&c);
}

/* Counts of a step stay below 65535 (ncfw-steps 0): sections together, too. */
static void test_most_descriptors(void **state)
{
    static struct trench_copy content[65534 - 8];
    struct trench_basic_block block = { .nr_plans = 1,
                                        .reprogram_limit = 65534 };
    struct trench_basic_block_configs configs;
    struct trench_toplevel_conf conf;
    struct trench_toplevel *top = NULL;
    struct bundle b;
    struct chip c;

    (void)state;
    chip_init(&c);
    bundle_init(&b, 0, 0, 1, 11);
    for (size_t i = 0; i < ARRAY_LEN(content); i++) {
        content[i] =
            (struct trench_copy){ 0x1000, 0x2000, 4, TRENCH_BARRIER_NONE };
    }
    block.plans = &b.plan;
    block.spad.content = content;
    block.spad.nr_content = ARRAY_LEN(content);
    conf = conf_of(&c, &block, 1);
    CHECK_EQ(trench_toplevel_create(&conf, &top), TRENCH_ERR_NOSPC, "65536");
    block.spad.nr_content -= 1;
    CHECK_EQ(trench_toplevel_create(&conf, &top), TRENCH_ERR_NOSPC, "65535");
    block.spad.nr_content -= 1;
    CHECK_EQ(trench_toplevel_create(&conf, &top), 0, "65534");
    trench_toplevel_configs(top, 0, &configs);
    CHECK_EQ(configs.table[0].desc_count, 65534, "65534");
    trench_toplevel_destroy(top);
    chip_fini(&c);
}

/* Template addresses are the builder's own: no caller's reaches its words. */
static void test_templates_are_refused(void **state)
{
    struct trench_copy content = { 0x1000, 0x2000, 4, TRENCH_BARRIER_NONE };
    struct trench_basic_block block = { .nr_plans = 1 };
    struct trench_toplevel_conf conf;
    struct trench_toplevel *top = NULL;
    struct bundle b;
    struct chip c;

    (void)state;
    chip_init(&c);
    bundle_init(&b, 0, 0, 1, 11);
    block.plans = &b.plan;
    block.spad.content = &content;
    block.spad.nr_content = 1;
    conf = conf_of(&c, &block, 1);
    content.src = trench_template_addr(0, 0x1000);
    CHECK_EQ(trench_toplevel_create(&conf, &top), TRENCH_ERR_NOENT, "src");
    content.src = 0x1000;
    content.dst = trench_template_addr(0, 0);
    CHECK_EQ(trench_toplevel_create(&conf, &top), TRENCH_ERR_NOENT, "dst");
    content.dst = 0x2000;
    block.spad.context = trench_template_addr(0, 0);
    CHECK_EQ(trench_toplevel_create(&conf, &top), 0, "not used");
    trench_toplevel_destroy(top);
    top = NULL;
    block.spad.pointers = true;
    CHECK_EQ(trench_toplevel_create(&conf, &top), TRENCH_ERR_NOENT, "context");
    block.spad.nr_content = 0;
    block.spad.context = 0x1000;
    CHECK_EQ(trench_toplevel_create(&conf, &top), 0, "good");
    trench_toplevel_destroy(top);
    chip_fini(&c);
}

static void test_toplevel_refuses(void **state)
{
    struct trench_ncfw_plan twice[2];
    struct trench_basic_block block = { .nr_plans = 1 };
    struct trench_toplevel_conf good;
    struct trench_toplevel_conf conf;
    struct trench_toplevel *top = NULL;
    struct trench_hal_ops ops;
    struct bundle b;
    struct chip c;

    (void)state;
    chip_init(&c);
    bundle_init(&b, 0, 0, 2, 11);
    block.plans = &b.plan;
    good = conf_of(&c, &block, 1);
#define REFUSES(err_, what_)                                                   \
    CHECK_EQ(trench_toplevel_create(&conf, &top), err_, what_);                \
    conf = good
    conf = good;
    conf.ops = NULL;
    REFUSES(TRENCH_ERR_INVAL, "no operations");
    conf.blocks = NULL;
    REFUSES(TRENCH_ERR_INVAL, "blocks are NULL");
    block.plans = NULL;
    REFUSES(TRENCH_ERR_INVAL, "plans are NULL");
    block.plans = &b.plan;
    block.spad.nr_content = 1;
    REFUSES(TRENCH_ERR_INVAL, "content is NULL");
    block.spad.nr_content = 0;
    ops = *good.ops;
    ops.mem_free = NULL;
    conf.ops = &ops;
    REFUSES(TRENCH_ERR_INVAL, "no mem_free");
    conf.nr_blocks = 0;
    REFUSES(TRENCH_ERR_INVAL, "no block");
    conf.nr_blocks = 256;
    REFUSES(TRENCH_ERR_INVAL, "256 blocks");
    conf.padded = 1u << 24;
    REFUSES(TRENCH_ERR_INVAL, "too long");
    conf.rearm = (enum trench_ncfw_rearm)7;
    REFUSES(TRENCH_ERR_INVAL, "re-arm 7");
    conf.gen = gen_of("sunda");
    REFUSES(TRENCH_ERR_NOTSUP, "no broadcast window");
    block.nr_plans = 9;
    REFUSES(TRENCH_ERR_INVAL, "9 bundles");
    block.nr_plans = 1;
    block.spad.nr_slots = 7;
    REFUSES(TRENCH_ERR_INVAL, "7 slots");
    block.spad.nr_slots = 0;
    b.ch[1].ring[S2M].base = 4;
    REFUSES(TRENCH_ERR_INVAL, "misaligned ring");
    b.ch[1] = make_channel(300, 11);
    REFUSES(TRENCH_ERR_NODEV, "engine 300");
    b.ch[1] = make_channel(1, 11);
    twice[0] = twice[1] = b.plan;
    block.plans = twice;
    block.nr_plans = 2;
    REFUSES(TRENCH_ERR_EXIST, "a pair in two bundles");
    assert_null(top);
#undef REFUSES
    chip_fini(&c);
}

/* Memory that runs out, or is not HBM: nothing leaks, nothing is left. */
static void test_memory_failures(void **state)
{
    struct trench_basic_block block = { .nr_plans = 1 };
    struct trench_toplevel_conf conf;
    struct trench_toplevel *top = NULL;
    struct trench_hal_bus *host;
    struct bundle b;
    struct chip c;

    (void)state;
    chip_init(&c);
    bundle_init(&b, 0, 0, 16, 11);
    block.plans = &b.plan;
    conf = conf_of(&c, &block, 1);
    CHECK_EQ(trench_hal_bus_create(c.bus, HOST, SIZE, &host), 0, "host");
    conf.opaque = host;
    CHECK_EQ(trench_toplevel_create(&conf, &top), TRENCH_ERR_ACCES,
             "host memory");
    trench_hal_bus_destroy(host);
    for (uint64_t size = 256; size < 8192; size += 256) {
        struct trench_hal_bus *small;
        struct trench_hal_mem mem;
        int err;

        CHECK_EQ(trench_hal_bus_create(c.bus, 0, size, &small), 0, "small");
        conf.opaque = small;
        err = trench_toplevel_create(&conf, &top);
        if (err == 0) {
            assert_true(size >= 2 * 160 * 16 + 131 * 8);
            trench_toplevel_destroy(top);
        } else {
            CHECK_EQ(err, TRENCH_ERR_NOMEM, "%u bytes", (unsigned)size);
        }
        CHECK_EQ(trench_hal_bus_ops()->mem_alloc(small, size, 1, &mem), 0,
                 "all of it is free again");
        trench_hal_bus_destroy(small);
    }
    chip_fini(&c);
}

/* Mostly small, sometimes anything. */
static unsigned odd(uint64_t *rnd, unsigned limit)
{
    uint64_t r = next_random(rnd);

    return r % 29 == 0 ? (unsigned)(r >> 32) : (unsigned)(r >> 8) % limit;
}

/* Anything at all as a program: an error, or a program that adds up. */
static void test_any_arguments(void **state)
{
    uint64_t rnd = SEED;
    unsigned good = 0;
    struct chip c;

    (void)state;
    chip_init(&c);
    for (int round = 0; round < 4000; round++) {
        struct trench_ncfw_channel ch[8];
        struct trench_ncfw_plan plans[2];
        struct trench_basic_block block = { .plans = plans };
        struct trench_toplevel_conf conf = conf_of(&c, &block, 1);
        struct trench_toplevel *top;
        uint32_t want = 0;
        int err = 0;

        for (unsigned i = 0; i < 8; i++) {
            ch[i] = make_channel(odd(&rnd, 34), odd(&rnd, 17));
            ch[i].in_use = next_random(&rnd) % 4 > 0;
            ch[i].ring[i % 2].nr_descs = odd(&rnd, 0x1000);
        }
        for (unsigned p = 0; p < 2 && !err; p++) {
            const struct trench_ncfw_plan_conf plan = {
                .gen = trench_gen_at(next_random(&rnd) % 64 ? 0 : 1),
                .bundle = odd(&rnd, 8),
                .reading = (enum trench_ncfw_reading)odd(&rnd, 2),
                .nr_cores = odd(&rnd, 3),
                .first_engine = odd(&rnd, 2) * 16,
                .own_region = next_random(&rnd) % 2,
                .region = odd(&rnd, 8),
                .channels = &ch[4 * p],
                .nr_channels = next_random(&rnd) % 5,
            };

            err = trench_ncfw_plan(&plan, &plans[p]);
        }
        if (err) {
            continue;
        }
        block.nr_plans = 1 + next_random(&rnd) % 2;
        block.spad.pointers = next_random(&rnd) % 2;
        block.spad.context = next_random(&rnd);
        block.spad.nr_slots = odd(&rnd, 7);
        block.reset_limit = odd(&rnd, 9);
        block.reprogram_limit = next_random(&rnd) % 3 * 20;
        conf.rearm = (enum trench_ncfw_rearm)odd(&rnd, 3);
        conf.padded = odd(&rnd, 20) * 16;
        if (trench_toplevel_create(&conf, &top) == 0) {
            for (unsigned s = 0; s < 2; s++) {
                want += trench_toplevel_section(top, 0, s)->used;
            }
            assert_true(want + 16 <= trench_toplevel_ring(top, 0, M2S)->used);
            good++;
            trench_toplevel_destroy(top);
        }
    }
    assert_in_range(good, 100, 3900);
    chip_fini(&c);
}

/* ---- execution ----------------------------------------------------------- */

/* An engine whose queues are enabled, and whose rings are not ours. */
static void open_engine(const struct chip *c, unsigned engine, unsigned queue,
                        struct trench_hal_engine **out,
                        struct trench_hal_queue **queue_out)
{
    struct trench_hal_engine_conf conf = { .ops = trench_hal_bus_ops(),
                                           .opaque = c->hb };
    const struct trench_hal_queue_conf queue_conf = { .index = queue,
                                                      .tx_entries = 64,
                                                      .no_comp_rings = true };

    CHECK_EQ(trench_gen_engine_base(gen_of(NULL), engine, false, &conf.base), 0,
             "base");
    CHECK_EQ(trench_hal_engine_open(&conf, out), 0, "engine %u", engine);
    CHECK_EQ(trench_hal_queue_open(*out, &queue_conf, queue_out), 0,
             "engine %u", engine);
}

static void write_all(const struct chip *c,
                      const struct trench_ncfw_write *writes, int nr)
{
    for (int i = 0; i < nr; i++) {
        CHECK_EQ(trench_bus_write32(c->bus, writes[i].addr, writes[i].val), 0,
                 "%s", writes[i].name);
    }
}

/* Give the rings of a block to a queue of RUNNER, and ring for them. */
static void run_block(const struct chip *c, const struct trench_toplevel *top,
                      size_t block)
{
    static struct trench_basic_block_configs configs;
    struct trench_ncfw_channel ch = { .engine = RUNNER, .queue = 0 };
    struct trench_ncfw_write writes[TRENCH_NCFW_RING_WRITES];
    int nr;

    trench_toplevel_configs(top, 0, &configs);
    for (unsigned d = 0; d < 2; d++) {
        const struct trench_pring *ring =
            trench_toplevel_ring(top, block, (enum trench_ncfw_dir)d);

        ch.ring[d].base = trench_pring_base(ring);
        ch.ring[d].nr_descs = ring->allocated;
    }
    nr = trench_ncfw_rearm_writes(gen_of(NULL), &ch, TRENCH_NCFW_REARM_QUEUE,
                                  writes);
    write_all(c, writes, nr);
    CHECK_EQ(trench_ncfw_ring_writes(gen_of(NULL), &ch, writes), 0, "rings");
    write_all(c, writes, TRENCH_NCFW_RING_WRITES);
    for (int d = S2M; d >= M2S; d--) {
        const struct trench_ncfw_where where = { (enum trench_ncfw_dir)d, 0,
                                                 TRENCH_NCFW_TAIL_INC };
        uint64_t addr = 0;

        trench_ncfw_unicast(gen_of(NULL), RUNNER, &where, &addr);
        CHECK_EQ(
            trench_bus_write32(c->bus, addr, configs.table[block].desc_count),
            0, "bell");
    }
}

/* The six CSRs of every engine hold what the channels say. */
static void check_csrs(const struct chip *c, const struct bundle *b,
                       unsigned nr)
{
    for (unsigned i = 0; i < nr; i++) {
        for (unsigned d = 0; d < 2; d++) {
            const struct trench_ncfw_channel *ch = &b->ch[i];
            enum trench_ncfw_dir dir = (enum trench_ncfw_dir)d;

            CHECK_EQ(
                read_reg(c, ch->engine, dir, ch->queue, TRENCH_NCFW_BASE_LOW),
                (uint32_t)ch->ring[d].base, "engine %u", ch->engine);
            CHECK_EQ(
                read_reg(c, ch->engine, dir, ch->queue, TRENCH_NCFW_BASE_HIGH),
                ch->ring[d].base >> 32, "engine %u", ch->engine);
            CHECK_EQ(read_reg(c, ch->engine, dir, ch->queue, TRENCH_NCFW_LEN),
                     ch->ring[d].nr_descs, "engine %u", ch->engine);
        }
    }
}

/* Lay one copy of len bytes into a pair's rings. */
static void lay_data(const struct chip *c, struct trench_ncfw_channel *ch,
                     const struct trench_copy *copy, uint64_t at)
{
    const struct trench_hal_mem mem = { trench_bus_host(c->bus, at, 0x1000), at,
                                        0x1000 };
    const struct trench_dump_conf conf = { .padded = 32, .noop = at + 0x800 };
    struct trench_vring *v;

    CHECK_EQ(trench_vring_create("data", &v), 0, "vring");
    CHECK_EQ(trench_vring_copy(v, copy), 0, "copy");
    for (unsigned d = 0; d < 2; d++) {
        struct trench_pring ring = { .type = d == M2S ? TRENCH_PRING_TX
                                                      : TRENCH_PRING_RX };

        CHECK_EQ(trench_pring_init(gen_of(NULL), &mem, d * 0x400, 32, &ring), 0,
                 "ring");
        CHECK_EQ(trench_pring_dump(&ring, v, &conf), 32, "dump");
        ch->ring[d].base = trench_pring_base(&ring);
        ch->ring[d].nr_descs = 32;
    }
    trench_vring_destroy(v);
}

/*
 * Sixteen engines with a history are reset, reprogrammed and started, first by
 * one pair of TopLevel rings and two broadcast writes, then again with other
 * data; the seventeenth stays as it was.
 */
static void test_a_step_moves_data(void **state)
{
    struct trench_hal_engine *engines[18];
    struct trench_hal_queue *queues[18];
    struct trench_basic_block block = { .nr_plans = 1 };
    struct trench_toplevel_conf conf;
    struct trench_soc_engine_stats stats;
    struct bundle b;
    struct chip c;

    (void)state;
    chip_init(&c);
    for (unsigned e = 0; e < 17; e++) {
        open_engine(&c, e, 11, &engines[e], &queues[e]);
        for (unsigned i = 0; i <= e; i++) {
            CHECK_EQ(trench_hal_copy(queues[e], 0x100, 0x200, 64, 0), 1, "old");
        }
        CHECK_EQ(trench_hal_submit(queues[e]), e + 1, "old");
    }
    open_engine(&c, RUNNER, 0, &engines[17], &queues[17]);
    bundle_init(&b, 0, 0, 16, 11);
    block.plans = &b.plan;
    for (unsigned step = 0; step < 3; step++) {
        const struct trench_ncfw_group group = { b.plan.region, 11, b.plan.lane,
                                                 false };
        struct trench_ncfw_bcast rec;
        struct trench_ncfw_bell bells[2];
        struct trench_toplevel *top;
        uint8_t *data = trench_bus_host(c.bus, 0x1000000, 0x200000);

        memset(data, 0, 0x200000);
        for (unsigned e = 0; e < 16; e++) {
            const struct trench_copy copy = { 0x1000000 + e * 0x1000,
                                              0x1100000 + e * 0x1000, 0x1000,
                                              TRENCH_BARRIER_NONE };

            memset(data + e * 0x1000, (int)(0x11 * step + e + 1), 0x1000);
            lay_data(&c, &b.ch[e], &copy,
                     0x2000000 + step * 0x100000 + e * 0x1000);
        }
        conf = conf_of(&c, &block, 1);
        CHECK_EQ(trench_toplevel_create(&conf, &top), 0, "step %u", step);
        run_block(&c, top, 0);
        check_csrs(&c, &b, 16);
        CHECK_EQ(data[0x100000], 0, "nothing has moved yet");
        CHECK_EQ(trench_ncfw_bcast_record(gen_of(NULL), &group, &rec), 0,
                 "record");
        CHECK_EQ(trench_ncfw_bells(&rec, 1, 1, bells), 0, "bells");
        for (int i = 0; i < 2; i++) {
            CHECK_EQ(trench_bus_write32(c.bus, bells[i].addr, bells[i].word), 0,
                     "bell");
        }
        CHECK_MEM(data + 0x100000, data, 16 * 0x1000, "step %u", step);
        trench_toplevel_destroy(top);
    }
    trench_soc_engine_stats(c.soc, 16, &stats);
    CHECK_EQ(stats.packets, 17, "the seventeenth engine");
    trench_soc_engine_stats(c.soc, 5, &stats);
    CHECK_EQ(stats.packets, 6 + 3, "the sixth engine");
    CHECK_EQ(stats.errors, 0, "the sixth engine");
    for (unsigned e = 0; e < 18; e++) {
        trench_hal_queue_close(queues[e]);
        trench_hal_engine_close(engines[e]);
    }
    chip_fini(&c);
}

/* 2.3 and 4: as a tail increment the word starts 0x100 descriptors of each. */
static void test_seed_000_4_trigger_moves_tails(void **state)
{
    const uint32_t tail_of_len = 0x3C - 0x30; /* TDRTP behind TDRL */
    struct trench_basic_block block = { .nr_plans = 1 };
    struct trench_hal_engine *engine;
    struct trench_hal_queue *queue;
    struct trench_toplevel_conf conf;
    struct trench_toplevel *top;
    struct bundle b;
    struct chip c;

    (void)state;
    chip_init(&c);
    open_engine(&c, RUNNER, 0, &engine, &queue);
    bundle_init(&b, 0, 3, 7, 11);
    for (unsigned i = 0; i < 7; i++) {
        b.ch[i].ring[M2S].nr_descs = 1000;
        b.ch[i].ring[S2M].nr_descs = 200; /* wraps once */
    }
    block.plans = &b.plan;
    conf = conf_of(&c, &block, 1);
    conf.rearm_at_tail = true;
    CHECK_EQ(trench_toplevel_create(&conf, &top), 0, "create");
    run_block(&c, top, 0);
    check_csrs(&c, &b, 7);
    for (unsigned e = 0; e < 16; e++) {
        for (unsigned d = 0; d < 2; d++) {
            const struct trench_ncfw_where len = { (enum trench_ncfw_dir)d, 11,
                                                   TRENCH_NCFW_LEN };
            bool in = e >= 3 && e < 10;
            uint32_t want = d == M2S ? 0x40000100 : 0x80000038;
            uint64_t addr = 0;
            uint32_t tail = 0;

            trench_ncfw_unicast(gen_of(NULL), e, &len, &addr);
            trench_bus_read32(c.bus, addr + tail_of_len, &tail);
            CHECK_EQ(tail, in ? want : 0x40000000, "engine %u dir %u", e, d);
        }
    }
    trench_toplevel_destroy(top);
    trench_hal_queue_close(queue);
    trench_hal_engine_close(engine);
    chip_fini(&c);
}

/* Random bundles on random queues: CSRs of all of them, and of nobody else. */
static void test_random_blocks_reach_their_csrs(void **state)
{
    struct trench_hal_engine *engine;
    struct trench_hal_queue *queue;
    uint64_t rnd = SEED;
    struct chip c;

    (void)state;
    chip_init(&c);
    open_engine(&c, RUNNER, 0, &engine, &queue);
    for (int round = 0; round < 60; round++) {
        unsigned first = (unsigned)(next_random(&rnd) % 32);
        unsigned nr = 1 + (unsigned)(next_random(&rnd) % (32 - first));
        unsigned q = (unsigned)(next_random(&rnd) % 16);
        struct trench_basic_block block = { .nr_plans = 1 };
        struct trench_toplevel_conf conf = conf_of(&c, &block, 1);
        struct trench_toplevel *top;
        struct bundle b;

        bundle_init(&b, (unsigned)(next_random(&rnd) % 8), first, nr, q);
        for (unsigned i = 0; i < nr; i++) {
            b.ch[i].ring[M2S].base = next_random(&rnd) & ~UINT64_C(63);
            b.ch[i].ring[S2M].nr_descs = 1 + (uint32_t)next_random(&rnd) % 999;
        }
        block.plans = &b.plan;
        conf.no_reset = next_random(&rnd) & 1;
        conf.rearm_at_tail = next_random(&rnd) & 1;
        CHECK_EQ(trench_toplevel_create(&conf, &top), 0, "round %d", round);
        trench_soc_reset(c.soc);
        trench_hal_queue_close(queue);
        trench_hal_engine_close(engine);
        open_engine(&c, RUNNER, 0, &engine, &queue);
        run_block(&c, top, 0);
        check_csrs(&c, &b, nr);
        for (unsigned e = 0; e < 32; e++) {
            bool in = e >= first && e - first < nr;

            CHECK_EQ(read_reg(&c, e, M2S, q, TRENCH_NCFW_LEN),
                     in ? b.ch[e - first].ring[M2S].nr_descs : 0,
                     "round %d engine %u", round, e);
        }
        trench_toplevel_destroy(top);
    }
    trench_hal_queue_close(queue);
    trench_hal_engine_close(engine);
    chip_fini(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_layout_of_one_block),
        cmocka_unit_test(test_seed_000_4_layout_of_the_trigger),
        cmocka_unit_test(test_layout_of_several_blocks),
        cmocka_unit_test(test_skipped_bundles_add_nothing),
        cmocka_unit_test(test_sections_too_small),
        cmocka_unit_test(test_most_descriptors),
        cmocka_unit_test(test_templates_are_refused),
        cmocka_unit_test(test_toplevel_refuses),
        cmocka_unit_test(test_memory_failures),
        cmocka_unit_test(test_any_arguments),
        cmocka_unit_test(test_a_step_moves_data),
        cmocka_unit_test(test_seed_000_4_trigger_moves_tails),
        cmocka_unit_test(test_random_blocks_reach_their_csrs),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
