/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Start-up words that differ by generation, access by access against
 * udma-engine 5.8.1: column S with its steps 0 and 3, and the notes on v4.
 */
#include "hal_rig.h"

/* Not where the UDMA ends, and not aligned: a window of its own. */
#define APP 0x40800u

static void check_open(const char *gen, const struct script *want,
                       const struct trench_hal_engine_conf *more)
{
    struct trench_hal_engine_conf conf = *more;
    struct trench_hal_engine *engine = NULL;
    struct fake *f = fake_create();

    conf.ops = &fake_ops;
    conf.opaque = f;
    conf.gen = trench_gen_find(gen);
    conf.base = CHANNEL;
    f->regs[0x3b460 / 4] = 0x12345679;
    assert_non_null(conf.gen);
    assert_int_equal(trench_hal_engine_open(&conf, &engine), 0);
    check_log(f, want, gen);
    trench_hal_engine_close(engine);
    free(f);
}

/* ---- sunda --------------------------------------------------------------- */

/* udma-engine 5.8.1 step 0, with the table of address-map 4.8. */
static void script_step_0(struct script *s, unsigned lane)
{
    static const uint32_t group[16] = {
        0xFFFF, 0x7FFF, 0x3FFF, 0x1FFF, 0x0FFF, 0x07FF, 0x03FF, 0x01FF,
        0x00FF, 0x007F, 0x003F, 0x001F, 0x000F, 0x0007, 0x0003, 0x0001,
    };
    static const uint32_t last[16] = {
        0xFFFF, 0, 0, 0xFFFF, 0, 0, 0xFFFF, 0, 0, 0xFFFF, 0, 0, 0, 0, 0, 0xFFFF,
    };

    wr(s, APP + 0x100, group[lane]);
    wr(s, APP + 0x104, last[lane]);
}

/* Step 1. */
static void script_queues(struct script *s)
{
    for (uint32_t q = 0; q < 16; q++) {
        wr(s, 0x01020 + q * 0x1000, 0x00030000);
        wr(s, 0x21020 + q * 0x1000, 0x00030000);
    }
}

/* Words of step 2 that differ. */
struct words {
    uint32_t data_cfg;
    uint32_t m2s_ostand;
    uint32_t s2m_ostand_rd;
    uint32_t s2m_ostand_next; /* 0 = not written */
    uint32_t app;
    uint32_t txdf; /* 0 = not written */
};

/* Steps 2.1 to 2.13. */
static void script_data_path(struct script *s, const struct words *w)
{
    wr(s, 0x00310, w->data_cfg);
    wr(s, 0x00124, w->m2s_ostand);
    wr(s, 0x3a300, 0x05f5e100);
    wr(s, 0x00408, 0);
    wr(s, 0x00254, 0x010fffff);
    wr(s, 0x00258, 0x00000102);
    for (uint32_t i = 0; i < 16; i++) {
        wr(s, 0x3c400 + i * 0x40, 0xffffffff);
    }
    wr(s, 0x00118, 0x00010008);
    wr(s, 0x2038c, 0);
    for (uint32_t i = 0; i < 16; i++) {
        wr(s, 0x3c404 + i * 0x40, 0xffffffff);
        wr(s, 0x3c408 + i * 0x40, 0xffffffff);
        wr(s, 0x3c40c + i * 0x40, 0xffffffff);
    }
    wr(s, 0x20124, w->s2m_ostand_rd);
    wr(s, 0x20128, 0x40804080);
    if (w->s2m_ostand_next) {
        wr(s, 0x2012c, w->s2m_ostand_next);
    }
    rd(s, 0x3b460, 0x12345679);
    wr(s, 0x3b460, 0x12345678);
}

/* Steps 2.14 to 2.35. */
static void script_interrupts(struct script *s, const struct words *w)
{
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
    wr(s, w->app + 0x1c, 1);
    wr(s, w->app + 0x20, 1);
    wr(s, w->app + 0x00, 1);
    if (w->txdf) {
        wr(s, w->app + 0x800, w->txdf);
    }
}

/* Step 3 of column S. */
static void script_axi_policy(struct script *s)
{
    static const uint32_t entries[] = { 0x04, 0x08, 0x0c, 0x24, 0x28, 0x2c };
    static const uint32_t groups[] = { 0x3ad00, 0x3ae00, 0x3af00,
                                       0x3b000, 0x3b100, 0x3b200 };

    for (uint32_t i = 0; i < 6; i++) {
        for (size_t e = 0; e < ARRAY_LEN(entries); e++) {
            wr(s, 0x3a900 + i * 0x40 + entries[e], 0xf);
        }
    }
    for (uint32_t i = 0; i < 6; i++) {
        for (uint32_t q = 0; q < 16; q++) {
            wr(s, 0x3ab00 + i * 8, q << 3 | 7);
            wr(s, 0x3ab04 + i * 8, 0x10);
        }
    }
    for (size_t g = 0; g < ARRAY_LEN(groups); g++) {
        wr(s, groups[g] + 0x28, 0x28);
        wr(s, groups[g] + 0x30, 0);
        wr(s, groups[g] + 0x18, 0);
    }
    wr(s, 0x3a300, 0xffffffff);
}

static const struct words sunda = {
    .data_cfg = 0x01000400,
    .m2s_ostand = 0x0000086f,
    .s2m_ostand_rd = 0x00400008,
    .app = APP,
};

/* Everything of column S; no step 0 without a lane. */
static void script_sunda(struct script *s, int lane)
{
    rd(s, 0x00604, 4);
    if (lane >= 0) {
        script_step_0(s, (unsigned)lane);
    }
    script_queues(s);
    script_data_path(s, &sunda);
    script_interrupts(s, &sunda);
    script_axi_policy(s);
    script_command(s, 1);
}

/* Engines 0-31: every lane; engines 32 and 33: no step 0. */
static void test_hal_sunda_open_writes_the_drivers_sequence(void **state)
{
    (void)state;
    for (int lane = -1; lane < 16; lane++) {
        struct trench_hal_engine_conf conf = { .app_base = CHANNEL + APP };
        struct script want = { .nr = 0 };

        if (lane >= 0) {
            conf.in_core = true;
            conf.lane = (uint8_t)lane;
        }
        script_sunda(&want, lane);
        check_open("sunda", &want, &conf);
    }
}

/* An error at any access stops the sequence and is returned. */
static void test_hal_sunda_open_stops_at_the_first_error(void **state)
{
    struct trench_hal_engine *engine = NULL;
    struct script all = { .nr = 0 };
    int nr_accesses;

    (void)state;
    script_sunda(&all, 0);
    nr_accesses = (int)all.nr;
    for (int n = 0; n <= nr_accesses; n++) {
        struct fake *f = fake_create();
        struct trench_hal_engine_conf conf = {
            .ops = &fake_ops,
            .opaque = f,
            .gen = trench_gen_find("sunda"),
            .base = CHANNEL,
            .app_base = CHANNEL + APP,
            .in_core = true,
        };
        int err;

        f->fail_in = n;
        err = trench_hal_engine_open(&conf, &engine);
        CHECK(f->log.nr == (size_t)n, "%zu accesses, want %d", f->log.nr, n);
        CHECK(err == (n < nr_accesses ? TRENCH_ERR_FAULT : 0), "n=%d: %d", n,
              err);
        if (err == 0) {
            f->fail_in = -1;
            trench_hal_engine_close(engine);
        }
        free(f);
    }
}

static void test_hal_sunda_open_needs_the_application_base(void **state)
{
    struct fake *f = fake_create();
    struct trench_hal_engine_conf conf = {
        .ops = &fake_ops,
        .opaque = f,
        .gen = trench_gen_find("sunda"),
        .base = CHANNEL,
    };
    struct trench_hal_engine *engine = NULL;

    (void)state;
    assert_int_equal(trench_hal_engine_open(&conf, &engine), TRENCH_ERR_INVAL);
    conf.app_base = CHANNEL + APP + 2; /* no register is there */
    assert_int_equal(trench_hal_engine_open(&conf, &engine), TRENCH_ERR_INVAL);
    conf.app_base = CHANNEL + APP;
    for (unsigned lane = 16; lane <= UINT8_MAX; lane++) {
        conf.lane = (uint8_t)lane;
        assert_int_equal(trench_hal_engine_open(&conf, &engine),
                         TRENCH_ERR_INVAL);
    }
    assert_int_equal(f->log.nr, 0);
    assert_null(engine);
    free(f);
}

/* ---- the other generations ----------------------------------------------- */

/* Where the application block is in the channel, app_base is not looked at. */
static void test_hal_mariana_open_writes_its_words(void **state)
{
    static const struct words v4 = {
        .data_cfg = 0x01000ff8, /* data_fifo_depth 4088 */
        .m2s_ostand = 0x20808080,
        .s2m_ostand_rd = 0x00400080,
        .s2m_ostand_next = 256,
        .app = 0x40000,
        .txdf = 0x26,
    };
    static const char *const names[] = { "mariana", "mariana_plus" };

    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(names); i++) {
        struct trench_hal_engine_conf conf = { .app_base = i, .in_core = true };
        struct script want = { .nr = 0 };

        rd(&want, 0x00604, 4);
        script_queues(&want);
        script_data_path(&want, &v4);
        script_interrupts(&want, &v4);
        script_command(&want, 1);
        check_open(names[i], &want, &conf);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_hal_sunda_open_writes_the_drivers_sequence),
        cmocka_unit_test(test_hal_sunda_open_stops_at_the_first_error),
        cmocka_unit_test(test_hal_sunda_open_needs_the_application_base),
        cmocka_unit_test(test_hal_mariana_open_writes_its_words),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
