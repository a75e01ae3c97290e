/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Start-up of engines and queues by the driver library, access by access
 * against udma-engine 5.8.1 and 5.8.2, cayman. B4, B5, B14, B42, B43; K13 for
 * the rings that it sets up, the rest of K13 is in test_hal_queue.c.
 */
#include "hal_rig.h"

/* udma-engine 5.8.1 steps 1 and 2, column C. */
static void script_steps_1_2(struct script *s)
{
    rd(s, 0x00604, 4); /* 5.8.5 U1 */
    for (uint32_t q = 0; q < 16; q++) {
        wr(s, 0x01020 + q * 0x1000, 0x00030000);
        wr(s, 0x21020 + q * 0x1000, 0x00030000);
    }
    wr(s, 0x00310, 0x010008f8);
    wr(s, 0x00124, 0x20808080);
    wr(s, 0x3a300, 0x05f5e100); /* B43 */
    wr(s, 0x00408, 0);          /* B42 */
    wr(s, 0x00254, 0x010fffff);
    wr(s, 0x00258, 0x00000102);
    for (uint32_t i = 0; i < 16; i++) {
        wr(s, 0x3c400 + i * 0x40, 0xffffffff);
    }
    wr(s, 0x00118, 0x00010008);
    wr(s, 0x2038c, 0); /* B42 */
    for (uint32_t i = 0; i < 16; i++) {
        wr(s, 0x3c404 + i * 0x40, 0xffffffff);
        wr(s, 0x3c408 + i * 0x40, 0xffffffff);
        wr(s, 0x3c40c + i * 0x40, 0xffffffff);
    }
    wr(s, 0x20124, 0x00400080);
    wr(s, 0x20128, 0x40804080);
    rd(s, 0x3b460, 0x12345679);
    wr(s, 0x3b460, 0x12345678);
    wr(s, 0x3a028, 0x28);
    wr(s, 0x380e8, 0x28);
    wr(s, 0x3a030, 0xf0000000);
    wr(s, 0x3a0b0, 0xffffffc0);
    wr(s, 0x3a018, 0xf0000000);
    wr(s, 0x3a098, 0xffffffc0);
    wr(s, 0x380d8, 0xfffffaff);
    wr(s, 0x3a068, 0x28);
    wr(s, 0x380e8, 0x28);
    wr(s, 0x3a070, 0x000010f8);
    wr(s, 0x3a0b0, 0xfffff03f);
    wr(s, 0x3a058, 0x000010f8);
    wr(s, 0x3a098, 0xfffff03f);
    wr(s, 0x380d8, 0xfffff9ff);
    wr(s, 0x20380, 0x00001004);
    wr(s, 0x00304, 0x00010041);
    wr(s, 0x00308, 0x00004181);
    wr(s, 0x20308, 0x00004181);
    wr(s, 0x0011c, 0x00010008);
    wr(s, 0x2011c, 0x00010008);
    wr(s, 0x4001c, 1);
    wr(s, 0x40020, 1);
    wr(s, 0x40000, 1);
    wr(s, 0x40800, 0x26);
}

/* Step 3 of column C without the lines outside the channel. */
static void script_step_3(struct script *s)
{
    rd(s, 0x3a010, 0xf0000000);
    wr(s, 0x3a010, 0xf0020000);
    wr(s, 0x3a030, 0xf0020000);
    rd(s, 0x3a050, 0x000010f8);
    wr(s, 0x3a050, 0x000018f8);
    wr(s, 0x3a070, 0x000018f8);
    rd(s, 0x0020c, 0);
    wr(s, 0x0020c, 0x00020000);
    rd(s, 0x2020c, 0);
    wr(s, 0x2020c, 0x00000800);
}

static void set_read_backs(struct fake *f)
{
    f->regs[0x3b460 / 4] = 0x12345679;
    f->regs[0x3a010 / 4] = 0xf0000000;
    f->regs[0x3a050 / 4] = 0x000010f8;
}

static void test_hal_engine_open_writes_the_drivers_sequence(void **state)
{
    (void)state;
    for (int ignore = 0; ignore < 2; ignore++) {
        struct trench_hal_engine *engine = NULL;
        struct fake *f = fake_create();
        struct script want = { .nr = 0 };

        set_read_backs(f);
        script_steps_1_2(&want);
        if (ignore) {
            script_step_3(&want);
        }
        script_command(&want, 1);

        assert_int_equal(open_engine(f, ignore, &engine), 0);
        check_log(f, &want, ignore ? "ignoring ring ids" : "plain");

        f->log.nr = 0;
        want.nr = 0;
        trench_hal_engine_close(engine);
        script_command(&want, 2);
        check_log(f, &want, "close");
        assert_int_equal(f->allocs, 0);
        free(f);
    }
}

/* A generation says by a zero word that it has no such register. */
static void test_hal_engine_open_skips_absent_registers(void **state)
{
    struct trench_gen gen = *trench_gen_find("cayman");
    struct fake *f = fake_create();
    struct trench_hal_engine_conf conf = {
        .ops = &fake_ops, .opaque = f, .gen = &gen, .base = CHANNEL
    };
    struct trench_hal_engine *engine;
    struct script want = { .nr = 0 };

    (void)state;
    gen.init.rob_txdf = 0;
    set_read_backs(f);
    script_steps_1_2(&want);
    want.nr--;
    script_command(&want, 1);
    assert_int_equal(trench_hal_engine_open(&conf, &engine), 0);
    check_log(f, &want, "no robert");
    trench_hal_engine_close(engine);
    free(f);
}

static void test_hal_engine_open_takes_the_default_generation(void **state)
{
    struct fake *f = fake_create();
    struct trench_hal_engine_conf conf = { .ops = &fake_ops,
                                           .opaque = f,
                                           .base = CHANNEL };
    struct trench_hal_engine *engine;

    (void)state;
    assert_int_equal(trench_hal_engine_open(&conf, &engine), 0);
    trench_hal_engine_close(engine);
    trench_hal_engine_close(NULL);
    free(f);
}

static void test_hal_engine_open_refuses_missing_ops(void **state)
{
    struct fake *f = fake_create();

    (void)state;
    for (int missing = 0; missing < 7; missing++) {
        struct trench_hal_ops ops = fake_ops;
        struct trench_hal_engine_conf conf = {
            .ops = missing == 0 ? NULL : &ops, .opaque = f, .base = CHANNEL
        };
        struct trench_hal_engine *engine = NULL;
        int want = missing == 6 ? 0 : TRENCH_ERR_INVAL;

        ops.read32 = missing == 1 ? NULL : ops.read32;
        ops.write32 = missing == 2 ? NULL : ops.write32;
        ops.mem_alloc = missing == 3 ? NULL : ops.mem_alloc;
        ops.mem_free = missing == 4 ? NULL : ops.mem_free;
        ops.now_ns = missing == 5 ? NULL : ops.now_ns;
        ops.relax = missing == 6 ? NULL : ops.relax;
        CHECK(trench_hal_engine_open(&conf, &engine) == want, "op %d", missing);
        CHECK(want == 0 || (!engine && f->log.nr == 0), "op %d", missing);
        trench_hal_engine_close(engine);
    }
    free(f);
}

static void test_hal_engine_open_refuses_other_hardware(void **state)
{
    static const uint32_t versions[] = { 0, 3, 5, 0x10001880, 0xffffffff };
    struct trench_gen gen = *trench_gen_find("cayman");
    struct fake *f = fake_create();
    struct trench_hal_engine_conf conf = {
        .ops = &fake_ops, .opaque = f, .gen = &gen, .base = CHANNEL
    };
    struct trench_hal_engine *engine = NULL;

    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(versions); i++) {
        f->regs[0x604 / 4] = versions[i];
        f->log.nr = 0;
        CHECK(open_engine(f, false, &engine) == TRENCH_ERR_NODEV, "0x%x",
              versions[i]);
        CHECK(f->log.nr == 1 && !engine, "0x%x", versions[i]);
    }
    f->regs[0x604 / 4] = 4;
    f->log.nr = 0;
    gen.nr_units -= 2; /* without MISC_SDMA_APP, and what is behind it */
    assert_int_equal(trench_hal_engine_open(&conf, &engine), TRENCH_ERR_NODEV);
    assert_true(f->log.nr == 0 && !engine);
    free(f);
}

static void test_hal_engine_open_passes_on_every_failed_access(void **state)
{
    struct trench_hal_engine *engine = NULL;
    int nr = 0;

    (void)state;
    for (; !engine; nr++) {
        struct fake *f = fake_create();
        int err;

        f->fail_in = nr;
        err = open_engine(f, true, &engine);
        CHECK(err == (engine ? 0 : TRENCH_ERR_FAULT), "access %d: %d", nr, err);
        trench_hal_engine_close(engine);
        free(f);
    }
    assert_int_equal(nr, 33 + 100 + 10 + 2 + 1);
}

/* The last word written there, or ~0 when none was. */
static uint32_t last_written(const struct fake *f, uint32_t off)
{
    uint32_t val = ~0u;

    for (size_t i = 0; i < f->log.nr; i++) {
        if (f->log.rows[i].write && f->log.rows[i].off == off) {
            val = f->log.rows[i].val;
        }
    }
    return val;
}

/*
 * B42: both stream-ack timeouts off. B43: 100,000,000 clocks for the AXI, in
 * the end none on sunda.
 */
static void test_hal_engine_open_sets_timeouts(void **state)
{
    static const struct {
        const char *gen;
        uint32_t axi;
    } rows[] = {
        { "sunda", 0xffffffff },
        { "cayman", 100000000 },
        { "mariana", 100000000 },
        { "mariana_plus", 100000000 },
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct fake *f = fake_create();
        struct trench_hal_engine_conf conf = {
            .ops = &fake_ops,
            .opaque = f,
            .gen = trench_gen_find(rows[i].gen),
            .base = CHANNEL,
            .app_base = CHANNEL + 0x40000,
        };
        struct trench_hal_engine *engine;

        CHECK(conf.gen, "%s", rows[i].gen);
        CHECK(trench_hal_engine_open(&conf, &engine) == 0, "%s", rows[i].gen);
        CHECK(last_written(f, 0x00408) == 0, "%s", rows[i].gen);
        CHECK(last_written(f, 0x2038c) == 0, "%s", rows[i].gen);
        CHECK(last_written(f, 0x3a300) == rows[i].axi, "%s: 0x%08x",
              rows[i].gen, last_written(f, 0x3a300));
        trench_hal_engine_close(engine);
        free(f);
    }
}

/* B2; B4: only disable, normal and abort can be asked for. */
static void test_hal_engine_command_writes_both_sides(void **state)
{
    static const struct {
        enum trench_hal_command command;
        uint32_t word;
    } rows[] = {
        { TRENCH_HAL_CMD_NORMAL, 1 },
        { TRENCH_HAL_CMD_DISABLE, 2 },
        { TRENCH_HAL_CMD_ABORT, 4 },
    };
    struct trench_hal_engine *engine;
    struct fake *f = fake_create();
    struct script want = { .nr = 0 };

    (void)state;
    assert_int_equal(open_engine(f, false, &engine), 0);
    f->log.nr = 0;
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        assert_int_equal(trench_hal_engine_command(engine, rows[i].command), 0);
        script_command(&want, rows[i].word);
    }
    assert_int_equal(
        trench_hal_engine_command(engine, (enum trench_hal_command)3),
        TRENCH_ERR_INVAL);
    assert_int_equal(
        trench_hal_engine_command(engine, (enum trench_hal_command) - 1),
        TRENCH_ERR_INVAL);
    check_log(f, &want, "commands");
    for (int nr = 0; nr < 2; nr++) {
        f->fail_in = nr;
        CHECK(trench_hal_engine_command(engine, TRENCH_HAL_CMD_NORMAL) ==
                  TRENCH_ERR_FAULT,
              "write %d", nr);
    }
    f->fail_in = -1;
    trench_hal_engine_close(engine);
    free(f);
}

/* B3; B5: stream_if of S2M counts unless the stream is off. */
static void test_hal_engine_state_folds_both_sides(void **state)
{
    static const struct {
        uint32_t m2s, s2m, stream_cfg, cfg_of_7;
        enum trench_hal_state want;
    } rows[] = {
        { 0, 0, 0, 0, TRENCH_HAL_IDLE },
        { 0x1000, 0, 0, 0, TRENCH_HAL_NORMAL },
        { 0, 0x0100, 0, 0, TRENCH_HAL_NORMAL },
        { 0x1111, 0x2000, 0, 0, TRENCH_HAL_ABORT },
        { 0x0002, 0x1111, 0, 0, TRENCH_HAL_ABORT },
        { 0x2222, 0x22222, 0, 0, TRENCH_HAL_ABORT },
        { 0x3333, 0x3333, 0, 0, TRENCH_HAL_IDLE },  /* reserved code */
        { 0, 0x10000, 0, 0, TRENCH_HAL_IDLE },      /* axi_wr_data */
        { 0, 0x0010, 0, 0, TRENCH_HAL_NORMAL },     /* stream_if counts */
        { 0, 0x0010, 0x111, 0, TRENCH_HAL_IDLE },   /* unless it is off, */
        { 0, 0x0010, 0x110, 0, TRENCH_HAL_NORMAL }, /* all of it, */
        { 0, 0x0010, 0x111, 0x20000, TRENCH_HAL_NORMAL }, /* everywhere */
        { 0x0010, 0, 0x111, 0, TRENCH_HAL_NORMAL },
    };
    struct trench_hal_engine *engine;
    struct fake *f = fake_create();

    (void)state;
    assert_int_equal(open_engine(f, false, &engine), 0);
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        enum trench_hal_state got = (enum trench_hal_state)99;

        f->regs[0x00200 / 4] = rows[i].m2s;
        f->regs[0x20200 / 4] = rows[i].s2m;
        f->regs[0x20250 / 4] = rows[i].stream_cfg;
        f->regs[0x28020 / 4] = rows[i].cfg_of_7;
        assert_int_equal(trench_hal_engine_state(engine, &got), 0);
        CHECK(got == rows[i].want, "row %zu: %d", i, (int)got);
    }
    for (int nr = 0; nr < 4; nr++) {
        enum trench_hal_state got = (enum trench_hal_state)99;

        f->fail_in = nr;
        CHECK(trench_hal_engine_state(engine, &got) == TRENCH_ERR_FAULT,
              "read %d", nr);
        assert_int_equal(got, 99);
    }
    f->fail_in = -1;
    trench_hal_engine_close(engine);
    free(f);
}

static void test_hal_engine_take_errors_reads_then_clears(void **state)
{
    static const uint32_t offs[] = { 0x3a000, 0x3a040, 0x00214, 0x00218,
                                     0x0021c, 0x00220, 0x20214, 0x20218,
                                     0x2021c, 0x20220 };
    struct trench_hal_engine *engine;
    struct trench_hal_errors got;
    struct fake *f = fake_create();
    struct script want = { .nr = 0 };

    (void)state;
    assert_int_equal(open_engine(f, false, &engine), 0);
    for (uint32_t i = 0; i < ARRAY_LEN(offs); i++) {
        f->regs[offs[i] / 4] = 0x20000 + i;
        rd(&want, offs[i], 0x20000 + i);
    }
    wr(&want, 0x3a000, ~0x20000u);
    wr(&want, 0x3a040, ~0x20001u);
    wr(&want, 0x00224, 1);
    wr(&want, 0x20224, 1);

    f->log.nr = 0;
    assert_int_equal(trench_hal_engine_take_errors(engine, &got), 0);
    check_log(f, &want, "take errors");
    assert_int_equal(got.m2s, 0x20000);
    assert_int_equal(got.s2m, 0x20001);
    for (uint32_t i = 0; i < 8; i++) {
        assert_int_equal(got.log[i], 0x20002 + i);
    }
    for (int nr = 0; nr < (int)want.nr; nr++) {
        memset(&got, 0xee, sizeof(got));
        f->fail_in = nr;
        CHECK(trench_hal_engine_take_errors(engine, &got) == TRENCH_ERR_FAULT,
              "access %d", nr);
        CHECK(got.m2s == 0xeeeeeeee && got.log[7] == 0xeeeeeeee, "access %d",
              nr);
    }
    f->fail_in = -1;
    trench_hal_engine_close(engine);
    free(f);
}

/*
 * B14: 32 to 2^24 - 16 descriptors, a power of two or not. K13: both rings on
 * 256 bytes, rate_limit_mask[2] cleared before the queue is enabled.
 */
static void test_hal_queue_open_writes_the_drivers_sequence(void **state)
{
    static const struct {
        struct trench_hal_queue_conf conf;
        uint32_t tx, rx;
    } rows[] = {
        { { .index = 0 }, 1024, 1024 },
        { { .index = 5, .tx_entries = 48 }, 48, 48 },
        { { .index = 15, .rx_entries = 32 }, 1024, 32 },
        { { .index = 1, .tx_entries = 32, .rx_entries = 4096 }, 32, 4096 },
        { { .index = 2, .no_comp_rings = true }, 1024, 1024 },
        { { .index = 3, .tx_entries = 16777200, .no_comp_rings = true },
          16777200,
          16777200 },
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct script want = { .nr = 0 };
        uint32_t q = rows[i].conf.index * 0x1000;
        struct rig rig;

        rig_init(&rig, &rows[i].conf);
        script_queue(&want, &rig, rows[i].tx, rows[i].rx);
        check_log(rig.f, &want, "open");
        CHECK(rig.f->live == (rows[i].conf.no_comp_rings ? 2 : 4), "row %zu",
              i);
        CHECK((uintptr_t)rig.ring[0] % 256 == 0 &&
                  (uintptr_t)rig.ring[1] % 256 == 0,
              "row %zu", i);

        rig.f->log.nr = 0;
        want.nr = 0;
        trench_hal_queue_close(rig.queue);
        wr(&want, 0x01020 + q, 0x03000000);
        wr(&want, 0x010b0 + q, 0x100);
        wr(&want, 0x21020 + q, 0x03000000);
        wr(&want, 0x21064 + q, 0x100);
        check_log(rig.f, &want, "close");
        rig.queue = NULL;
        rig_fini(&rig);
    }
}

/* B14, K13: no other length, none that is not a multiple of 16. */
static void test_hal_queue_open_refuses_bad_conf(void **state)
{
    static const struct trench_hal_queue_conf confs[] = {
        { .index = 16 },
        { .index = ~0u },
        { .tx_entries = 16 },
        { .tx_entries = 31 },
        { .tx_entries = 33 },
        { .tx_entries = 40 },
        { .tx_entries = 1 },
        { .tx_entries = 16777216 },
        { .rx_entries = 16 },
        { .rx_entries = 1016 },
        { .rx_entries = 16777216 },
    };
    struct trench_hal_queue *queue = NULL;
    struct trench_hal_queue *other = NULL;
    struct trench_hal_engine *engine;
    struct fake *f = fake_create();

    (void)state;
    assert_int_equal(open_engine(f, false, &engine), 0);
    f->log.nr = 0;
    for (size_t i = 0; i < ARRAY_LEN(confs); i++) {
        CHECK(trench_hal_queue_open(engine, &confs[i], &queue) ==
                  TRENCH_ERR_INVAL,
              "row %zu", i);
        CHECK(!queue && f->log.nr == 0 && f->allocs == 0, "row %zu", i);
    }
    assert_int_equal(trench_hal_queue_open(
                         engine, &(struct trench_hal_queue_conf){ 0 }, &queue),
                     0);
    f->log.nr = 0;
    f->allocs = 0;
    assert_int_equal(trench_hal_queue_open(
                         engine, &(struct trench_hal_queue_conf){ 0 }, &other),
                     TRENCH_ERR_BUSY);
    assert_true(!other && f->log.nr == 0 && f->allocs == 0);

    /* Another index is free, and so is this one once closed. */
    assert_int_equal(
        trench_hal_queue_open(
            engine, &(struct trench_hal_queue_conf){ .index = 1 }, &other),
        0);
    trench_hal_queue_close(queue);
    assert_int_equal(trench_hal_queue_open(
                         engine, &(struct trench_hal_queue_conf){ 0 }, &queue),
                     0);
    trench_hal_queue_close(queue);
    trench_hal_queue_close(other);
    trench_hal_queue_close(NULL);
    assert_int_equal(f->live, 0);
    trench_hal_engine_close(engine);
    free(f);
}

static void test_hal_queue_open_survives_failed_allocations(void **state)
{
    (void)state;
    for (int none = 0; none < 2; none++) {
        struct trench_hal_queue_conf conf = { .no_comp_rings = none };
        struct trench_hal_queue *queue = NULL;
        struct trench_hal_engine *engine;
        struct fake *f = fake_create();
        int nr = 0;

        assert_int_equal(open_engine(f, false, &engine), 0);
        f->log.nr = 0;
        for (; !queue; nr++) {
            int err;

            f->alloc_fail_in = nr;
            err = trench_hal_queue_open(engine, &conf, &queue);
            CHECK(err == (queue ? 0 : TRENCH_ERR_NOMEM), "alloc %d", nr);
            CHECK(queue || (f->live == 0 && f->log.nr == 0), "alloc %d", nr);
        }
        assert_int_equal(nr, none ? 3 : 5);
        trench_hal_queue_close(queue);
        trench_hal_engine_close(engine);
        free(f);
    }
}

/* K13: 256-byte alignment. */
static void test_hal_queue_open_refuses_misaligned_memory(void **state)
{
    struct trench_hal_queue_conf conf = { 0 };
    struct trench_hal_queue *queue = NULL;
    struct trench_hal_engine *engine;
    struct fake *f = fake_create();

    (void)state;
    assert_int_equal(open_engine(f, false, &engine), 0);
    f->log.nr = 0;
    f->skew = 64; /* enough for the hardware, not for the rule */
    assert_int_equal(trench_hal_queue_open(engine, &conf, &queue),
                     TRENCH_ERR_NOMEM);
    assert_true(!queue && f->live == 0 && f->log.nr == 0);
    trench_hal_engine_close(engine);
    free(f);
}

/* Whatever had been set up is stopped before its memory goes. */
static void test_hal_queue_open_passes_on_every_failed_write(void **state)
{
    static const struct access stop[] = {
        { true, 0x01020, 0x03000000 },
        { true, 0x010b0, 0x100 },
        { true, 0x21020, 0x03000000 },
        { true, 0x21064, 0x100 },
    };
    struct trench_hal_queue_conf conf = { 0 };
    struct trench_hal_queue *queue = NULL;
    struct trench_hal_engine *engine;
    struct fake *f = fake_create();
    size_t nr = 0;

    (void)state;
    assert_int_equal(open_engine(f, false, &engine), 0);
    for (; !queue; nr++) {
        int err;

        f->log.nr = 0;
        f->fail_in = (int)nr;
        err = trench_hal_queue_open(engine, &conf, &queue);
        CHECK(err == (queue ? 0 : TRENCH_ERR_FAULT), "write %zu", nr);
        CHECK(queue || f->live == 0, "write %zu", nr);
        CHECK(queue || (f->log.nr == nr + 4 &&
                        memcmp(&f->log.rows[nr], stop, sizeof(stop)) == 0),
              "write %zu", nr);
    }
    assert_int_equal(nr, 19 + 1);
    f->fail_in = -1;
    trench_hal_queue_close(queue);
    trench_hal_engine_close(engine);
    free(f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_hal_engine_open_writes_the_drivers_sequence),
        cmocka_unit_test(test_hal_engine_open_skips_absent_registers),
        cmocka_unit_test(test_hal_engine_open_takes_the_default_generation),
        cmocka_unit_test(test_hal_engine_open_refuses_missing_ops),
        cmocka_unit_test(test_hal_engine_open_refuses_other_hardware),
        cmocka_unit_test(test_hal_engine_open_passes_on_every_failed_access),
        cmocka_unit_test(test_hal_engine_open_sets_timeouts),
        cmocka_unit_test(test_hal_engine_command_writes_both_sides),
        cmocka_unit_test(test_hal_engine_state_folds_both_sides),
        cmocka_unit_test(test_hal_engine_take_errors_reads_then_clears),
        cmocka_unit_test(test_hal_queue_open_writes_the_drivers_sequence),
        cmocka_unit_test(test_hal_queue_open_refuses_bad_conf),
        cmocka_unit_test(test_hal_queue_open_survives_failed_allocations),
        cmocka_unit_test(test_hal_queue_open_refuses_misaligned_memory),
        cmocka_unit_test(test_hal_queue_open_passes_on_every_failed_write),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
