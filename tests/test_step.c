/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A collective step from the trigger to completion, on the model: seed 000
 * section 4, ncfw-steps 4.5 and 8.3.
 */
#include "step_rig.h"

/* ---- what a step does ---------------------------------------------------- */

/* Seed 000 4: 16 engines, one queue. */
static void test_sixteen_engines(void **state)
{
    struct trench_step_stats stats = { 0 };
    struct trench_bcast_delivery d;
    struct trench_soc_stats soc;
    struct job *j = new_job(1, 0, 16, 11, 1);
    struct chip c;

    (void)state;
    job_start(j, &c, NULL);
    run_job(j, &c, &stats);
    CHECK_EQ(sema(&c, TRENCH_STEP_COMPLETION_ID), 1, "completion");
    CHECK_EQ(sema(&c, done.id), 0, "signals are taken");
    CHECK_EQ(get(&c, bell_addr(&c, TRENCH_BELL_HOST_TRIGGER)), 0, "trigger");
    CHECK_EQ(stats.toplevel_descs, 2 + 16 * 8, "TopLevel");
    CHECK_EQ(stats.m2s_descs, 16 * j->entries[0].m2s_val, "data");
    CHECK_EQ(stats.bells, 4, "two of the manager, two of the group");
    /* trigger, done = 0, 2 resets, 6 words, 4 bells, done, completion */
    CHECK_EQ(stats.writes, 2 + 2 + 6 + 4 + 2, "writes");
    CHECK_EQ(stats.reads, 3, "nothing is polled twice");
    CHECK_EQ(stats.starts, 1, "one entry");
    trench_soc_stats(c.soc, &soc);
    CHECK_EQ(soc.bcast_writes, 4, "2 resets, 2 tails");
    CHECK_EQ(soc.bcast_reached[16], 4, "all of them");
    CHECK_EQ(trench_soc_last_bcast(c.soc, &d), 0, "last");
    CHECK_EQ(d.addr, 0x00100208C038, "the M2S tail comes last");
    CHECK_EQ(d.word, j->entries[0].m2s_val, "no lane is skipped");
    job_end(j, &c);
}

/* Standing rings, another part of them each step: more laps than a tag has. */
static void test_many_steps(void **state)
{
    struct trench_step_stats stats = { 0 };
    struct job *j = new_job(MAX_STEPS, 16, 16, 3, 1);
    struct chip c;

    (void)state;
    job_start(j, &c, NULL);
    j->conf.has_switch = true;
    j->conf.switch_completed =
        (struct trench_step_sema){ TRENCH_SYNC_TOP_SP, 0, 5 };
    run_job(j, &c, &stats);
    CHECK_EQ(stats.starts, MAX_STEPS, "starts");
    CHECK_EQ(sema(&c, 5), MAX_STEPS, "switch_completed");
    CHECK_EQ(sema(&c, TRENCH_STEP_COMPLETION_ID), 1, "once for all");
    job_end(j, &c);
}

/* A virtual core of two NeuronCores: two bundles, two regions. */
static void test_thirty_two_engines(void **state)
{
    struct trench_step_stats stats = { 0 };
    struct trench_soc_stats soc;
    struct job *j = new_job(2, 0, 32, 0, 1);
    struct chip c;

    (void)state;
    job_start(j, &c, NULL);
    run_job(j, &c, &stats);
    trench_soc_stats(c.soc, &soc);
    CHECK_EQ(soc.bcast_reached[16], 2 * (4 + 4), "both halves");
    job_end(j, &c);
}

/* The manager is one of the group, with a queue that the step leaves alone. */
static void test_manager_in_the_group(void **state)
{
    struct trench_step_stats stats = { 0 };
    struct job *j = new_job(4, 16, 16, 3, 1);
    struct chip c;

    (void)state;
    chip_init(&c, NULL);
    for (unsigned e = 16; e < 32; e++) {
        open_engine(&c, e, 3, e == 20 ? 2 : 1, false);
    }
    job_init(j, &c);
    j->conf.manager_engine = 20;
    j->conf.manager_queue = 4;
    run_job(j, &c, &stats);
    CHECK_EQ(stats.starts, 4, "starts");
    j->conf.no_broadcast = true;
    run_job(j, &c, &stats);
    CHECK_EQ(stats.starts, 8, "starts");
    job_end(j, &c);
}

static void test_several_queues(void **state)
{
    struct trench_step_stats stats = { 0 };
    struct job *j = new_job(3, 16, 5, 12, 4);
    struct chip c;

    (void)state;
    job_start(j, &c, NULL);
    run_job(j, &c, &stats);
    CHECK_EQ(stats.bells, 3 * (2 + 2 * 4), "two a queue");
    job_end(j, &c);
}

/* The same step, a doorbell an engine: also where no window is known. */
static void test_without_broadcast(void **state)
{
    static const char *const names[] = { "cayman", "sunda", "mariana" };

    (void)state;
    for (size_t g = 0; g < ARRAY_LEN(names); g++) {
        const struct trench_soc_conf conf = { .gen = gen_of(names[g]) };
        struct trench_step_stats stats = { 0 };
        struct trench_soc_stats soc;
        struct job *j = new_job(2, 0, 16, 8, 1);
        struct chip c;

        job_start(j, &c, &conf);
        j->conf.no_broadcast = true;
        run_job(j, &c, &stats);
        trench_soc_stats(c.soc, &soc);
        CHECK_EQ(soc.bcast_writes, 0, "%s", names[g]);
        CHECK_EQ(stats.bells, 2 * (2 + 32), "%s", names[g]);
        CHECK_EQ(stats.writes, 2 * (32 + 2 + 6 + 2 + 32 + 1) + 3, "%s",
                 names[g]);
        CHECK_EQ(stats.toplevel_descs, 2 * 16 * 8, "%s", names[g]);
        job_end(j, &c);
    }
}

/* Without a broadcast engines need not use the same queues. */
static void test_uneven_queues_without_broadcast(void **state)
{
    struct trench_step_stats stats = { 0 };
    struct job *j = new_job(1, 0, 4, 2, 2);
    struct chip c;

    (void)state;
    job_start(j, &c, NULL);
    j->bundles[0][0].nr_channels--; /* engine 3 has queue 2 alone */
    j->conf.no_broadcast = true;
    fill_random(&c, place(j, 0, 8), SEED);
    {
        struct trench_step *step = NULL;

        CHECK_EQ(trench_step_create(&j->conf, &step, NULL), 0, "create");
        trigger(&c);
        CHECK_EQ(trench_step_run(step, &stats, NULL), 0, "run");
        check_data(&c, place(j, 0, 7));
        trench_step_destroy(step);
    }
    job_end(j, &c);
}

/* The order: reset, reprogram, RX before TX, wait, complete. */
static void test_order(void **state)
{
    static const struct {
        enum trench_step_kind kind;
        enum trench_step_phase phase;
        const char *name;
        uint64_t addr;
        uint32_t val;
    } want[] = {
        { TRENCH_STEP_AWAIT, TRENCH_STEP_TRIGGER, "host_trigger",
          0x0082802615A0, 1 }, /* ncfw-steps 4.2 */
        { TRENCH_STEP_WRITE, TRENCH_STEP_TRIGGER, "host_trigger",
          0x0082802615A0, 0 },
        { TRENCH_STEP_WRITE, TRENCH_STEP_RESET, "s2m_rearm", 0x8006B21064,
          0x100 },
        { TRENCH_STEP_WRITE, TRENCH_STEP_RESET, "m2s_rearm", 0x8006B010B0,
          0x100 },
        { TRENCH_STEP_WRITE, TRENCH_STEP_REPROGRAM, "m2s_low", 0x8006B01028,
          0 },
        { TRENCH_STEP_WRITE, TRENCH_STEP_REPROGRAM, "m2s_high", 0x8006B0102C,
          0x40 },
        { TRENCH_STEP_WRITE, TRENCH_STEP_REPROGRAM, "m2s_size", 0x8006B01030,
          32 },
        { TRENCH_STEP_WRITE, TRENCH_STEP_REPROGRAM, "s2m_low", 0x8006B21028,
          0 },
        { TRENCH_STEP_WRITE, TRENCH_STEP_REPROGRAM, "s2m_high", 0x8006B2102C,
          0x40 },
        { TRENCH_STEP_WRITE, TRENCH_STEP_REPROGRAM, "s2m_size", 0x8006B21030,
          32 },
        { TRENCH_STEP_WRITE, TRENCH_STEP_REPROGRAM, "RDRTP_inc", 0x8006B21038,
          10 },
        { TRENCH_STEP_WRITE, TRENCH_STEP_REPROGRAM, "TDRTP_inc", 0x8006B01038,
          10 },
        { TRENCH_STEP_AWAIT, TRENCH_STEP_REPROGRAM, "RCRHP", 0x8006B2104C, 10 },
        { TRENCH_STEP_WRITE, TRENCH_STEP_RESET, "done", 0x8280001450, 0 },
        { TRENCH_STEP_WRITE, TRENCH_STEP_BROADCAST, "s2m_tail_ptr",
          0x0010020AC038, 0xFFDF0004 }, /* ncfw-steps 3.1 */
        { TRENCH_STEP_WRITE, TRENCH_STEP_BROADCAST, "m2s_tail_ptr",
          0x00100208C038, 0xFFDF0004 },
        { TRENCH_STEP_AWAIT, TRENCH_STEP_WAIT, "done", 0x8280001050, 1 },
        { TRENCH_STEP_WRITE, TRENCH_STEP_WAIT, "done", 0x8280001C50, 1 },
        { TRENCH_STEP_WRITE, TRENCH_STEP_COMPLETE, "completion", 0x8280001804,
          1 },
    };
    const struct trench_step_op *ops;
    struct trench_step *step = NULL;
    struct job *j = new_job(1, 5, 1, 11, 1);
    struct chip c;
    uint64_t base;
    size_t nr;

    (void)state;
    chip_init(&c, NULL);
    job_init(j, &c);
    trench_gen_engine_base(c.gen, MANAGER, false, &base);
    j->entries[0].m2s_val = j->entries[0].s2m_val = 4;
    CHECK_EQ(trench_step_create(&j->conf, &step, NULL), 0, "create");
    ops = trench_step_ops(step, &nr);
    CHECK_EQ(nr, ARRAY_LEN(want), "operations");
    for (size_t i = 0; i < nr; i++) {
        uint64_t addr = want[i].addr;

        /* The manager, wherever it is. */
        if (addr >> 24 == 0x8006) {
            addr = addr - 0x8006B00000 + base;
        }
        CHECK_EQ(ops[i].kind, want[i].kind, "%zu", i);
        CHECK_EQ(ops[i].phase, want[i].phase, "%zu", i);
        assert_string_equal(ops[i].name, want[i].name);
        CHECK_EQ(ops[i].addr, addr, "%zu", i);
        if (strcmp(want[i].name, "m2s_low") != 0 &&
            strcmp(want[i].name, "s2m_low") != 0) {
            CHECK_EQ(ops[i].val, want[i].val, "%zu", i);
        }
        CHECK_EQ(ops[i].broadcast, ops[i].phase == TRENCH_STEP_BROADCAST, "%zu",
                 i);
    }
    assert_non_null(trench_step_plan(step, 0, 0));
    assert_null(trench_step_plan(step, 0, 1));
    assert_null(trench_step_plan(step, 1, 0));
    assert_non_null(trench_step_toplevel(step));
    trench_step_destroy(step);
    trench_step_destroy(NULL);
    job_end(j, &c);
}

/* ---- laps ---------------------------------------------------------------- */

/* Eight times the same four descriptors in each ring of 32. */
static void repeat_rings(const struct job *j, const struct chip *c)
{
    const struct trench_ncfw_channel *ch =
        trench_step_rings_channels(j->rings[0]);

    for (unsigned p = 0; p < nr_pairs(j); p++) {
        for (unsigned d = 0; d < 2; d++) {
            uint8_t *ring =
                trench_bus_host(c->bus, ch[p].ring[d].base, 32 * 16);

            for (unsigned i = 4; i < 32; i++) {
                memcpy(ring + i * 16, ring + i % 4 * 16, 16);
            }
        }
    }
}

/*
 * Entries go on where the last one ended, and past the end of the ring: on
 * engines that take a standing descriptor's old lap tag, as those of the
 * NeuronCores do for their driver.
 */
static void test_repeats_wrap(void **state)
{
    struct trench_step_stats stats = { 0 };
    struct trench_step_entry entries[3] = { { 4, 4, 5 },
                                            { 4, 4, 0 },
                                            { 4, 4, 31 } };
    struct trench_step_error err = { 0 };
    struct trench_step *step = NULL;
    struct job *j = new_job(1, 0, 4, 0, 1);
    struct chip c;

    (void)state;
    chip_init(&c, NULL);
    for (unsigned e = 0; e < 4; e++) {
        open_engine(&c, e, 0, 1, true);
    }
    open_engine(&c, MANAGER, 0, 1, false);
    job_init(j, &c);
    j->blocks[0].entries = entries;
    j->blocks[0].nr_entries = 3;
    repeat_rings(j, &c);
    CHECK_EQ(j->entries[0].m2s_val, 4, "three copies and a signal");
    fill_random(&c, place(j, 1, 0), SEED);
    CHECK_EQ(trench_step_create(&j->conf, &step, &err), 0, "%s", err.text);
    for (int run = 1; run <= 3; run++) {
        trigger(&c);
        CHECK_EQ(trench_step_run(step, &stats, &err), 0, "%s", err.text);
        CHECK_EQ(stats.starts, (5 + 1 + 31) * run, "starts");
        CHECK_EQ(stats.m2s_descs, 37 * 4 * 4 * run, "descriptors");
        check_data(&c, place(j, 1, 0));
        CHECK_EQ(sema(&c, TRENCH_STEP_COMPLETION_ID), run, "completion");
    }
    trench_step_destroy(step);
    job_end(j, &c);
}

/* The same on engines that do not: the lap tag stops them, and it is said. */
static void test_stale_lap_is_named(void **state)
{
    struct trench_step_entry entry = { 4, 4, 37 };
    struct trench_step_stats stats = { 0 };
    struct trench_step_error err;
    struct trench_step *step = NULL;
    struct job *j = new_job(1, 0, 4, 0, 1);
    struct chip c;

    (void)state;
    job_start(j, &c, NULL);
    repeat_rings(j, &c);
    j->blocks[0].entries = &entry;
    CHECK_EQ(trench_step_create(&j->conf, &step, &err), 0, "%s", err.text);
    trigger(&c);
    CHECK_EQ(trench_step_run(step, &stats, &err), TRENCH_ERR_IO, "%s",
             err.text);
    CHECK_EQ(stats.starts, 8, "a lap");
    CHECK_EQ(err.phase, TRENCH_STEP_WAIT, "phase");
    CHECK_EQ(err.engine, 0, "%s", err.text);
    CHECK_EQ(err.got, 0, "the end of the lap");
    CHECK_EQ(err.want, 4, "the first of the next");
    trench_step_destroy(step);
    job_end(j, &c);
}

/* Rings that end without a signal: all is done, and yet nobody says so. */
static void test_missing_signal_is_named(void **state)
{
    struct trench_step_entry entry = { 4, 4, 2 };
    struct trench_step_error err;
    struct trench_step *step = NULL;
    struct job *j = new_job(1, 0, 4, 0, 1);
    struct chip c;

    (void)state;
    job_start(j, &c, NULL);
    j->blocks[0].entries = &entry;
    CHECK_EQ(trench_step_create(&j->conf, &step, &err), 0, "%s", err.text);
    trigger(&c);
    CHECK_EQ(trench_step_run(step, NULL, &err), TRENCH_ERR_TIMEDOUT, "run");
    CHECK_EQ(err.phase, TRENCH_STEP_WAIT, "phase");
    CHECK_EQ(err.engine, -1, "%s", err.text);
    CHECK_EQ(err.got, 0, "no signal of the second entry");
    CHECK_EQ(err.want, 4, "pairs");
    assert_string_equal(err.text, "wait of block 0: done at 0x8280001050 reads "
                                  "0, and 4 was waited for");
    trench_step_destroy(step);
    job_end(j, &c);
}

/* ---- in pieces ----------------------------------------------------------- */

/* Every entry and repeat is a piece; what follows the last one is the end. */
static void test_entry_by_entry(void **state)
{
    struct trench_step_entry entries[3] = { { 4, 4, 3 },
                                            { 4, 4, 0 },
                                            { 4, 4, 2 } };
    struct trench_step_stats stats = { 0 };
    struct trench_step_error err = { 0 };
    struct trench_step *step = NULL;
    struct job *j = new_job(1, 0, 4, 0, 1);
    struct chip c;

    (void)state;
    job_start(j, &c, NULL);
    j->blocks[0].entries = entries;
    j->blocks[0].nr_entries = 3;
    repeat_rings(j, &c);
    CHECK_EQ(trench_step_create(&j->conf, &step, &err), 0, "%s", err.text);
    for (unsigned run = 0; run < 2; run++) {
        trench_step_begin(step);
        fill_random(&c, place(j, 1, 0), SEED + run);
        trigger(&c);
        for (unsigned i = 1; i <= 6; i++) {
            CHECK_EQ(trench_step_next(step, &stats, &err), 1, "%s", err.text);
            CHECK_EQ(stats.starts, run * 6 + i, "starts");
            CHECK_EQ(stats.m2s_descs, (run * 6 + i) * 4 * 4, "descriptors");
            CHECK_EQ(sema(&c, done.id), 0, "signals are taken");
            check_data(&c, place(j, 1, 0));
            CHECK_EQ(sema(&c, TRENCH_STEP_COMPLETION_ID), run, "not yet");
        }
        for (unsigned i = 0; i < 3; i++) {
            CHECK_EQ(trench_step_next(step, NULL, NULL), 0, "the end");
            CHECK_EQ(sema(&c, TRENCH_STEP_COMPLETION_ID), run + 1, "once");
        }
    }
    trench_step_destroy(step);
    job_end(j, &c);
}

/* Begun anew in the middle of a repeat: all of it, and nothing left over. */
static void test_begun_anew(void **state)
{
    struct trench_step_entry entry = { 4, 4, 5 };
    struct trench_step_stats stats = { 0 };
    struct trench_step_error err = { 0 };
    struct trench_step *step = NULL;
    struct job *j = new_job(1, 0, 4, 0, 1);
    struct chip c;

    (void)state;
    job_start(j, &c, NULL);
    j->blocks[0].entries = &entry;
    repeat_rings(j, &c);
    CHECK_EQ(trench_step_create(&j->conf, &step, &err), 0, "%s", err.text);
    for (unsigned done_before = 0; done_before < 6; done_before++) {
        trench_step_begin(step);
        trigger(&c);
        for (unsigned i = 0; i < done_before; i++) {
            CHECK_EQ(trench_step_next(step, NULL, &err), i < 5, "%s", err.text);
        }
        stats.starts = 0;
        trigger(&c);
        CHECK_EQ(trench_step_run(step, &stats, &err), 0, "%s", err.text);
        CHECK_EQ(stats.starts, 5, "after %u", done_before);
        CHECK_EQ(sema(&c, done.id), 0, "after %u", done_before);
    }
    trench_step_destroy(step);
    job_end(j, &c);
}

/* An engine fails in the third piece: the run is over, the next one is not. */
static void test_piece_that_fails(void **state)
{
    const struct trench_fault fault = { .engine = 2,
                                        .queue = 0,
                                        .at = TRENCH_AXI_S2M_DATA_WRITE,
                                        .code = TRENCH_AXI_SLVERR,
                                        .after = 9 };
    struct trench_step_entry entry = { 4, 4, 5 };
    struct trench_step_error err = { 0 };
    struct trench_step *step = NULL;
    struct job *j = new_job(1, 0, 4, 0, 1);
    struct chip c;

    (void)state;
    job_start(j, &c, NULL);
    j->blocks[0].entries = &entry;
    repeat_rings(j, &c);
    CHECK_EQ(trench_step_create(&j->conf, &step, &err), 0, "%s", err.text);
    CHECK_EQ(trench_soc_inject(c.soc, &fault), 0, "inject");
    trigger(&c);
    CHECK_EQ(trench_step_next(step, NULL, &err), 1, "first");
    CHECK_EQ(trench_step_next(step, NULL, &err), 1, "second");
    CHECK_EQ(trench_step_next(step, NULL, &err), TRENCH_ERR_IO, "third");
    CHECK_EQ(err.engine, 2, "%s", err.text);
    CHECK_EQ(err.phase, TRENCH_STEP_WAIT, "%s", err.text);
    err.text[0] = '\0';
    CHECK_EQ(trench_step_next(step, NULL, &err), 0, "the run is over");
    CHECK_EQ(err.text[0], '\0', "filled on failure only");
    CHECK_EQ(sema(&c, TRENCH_STEP_COMPLETION_ID), 0, "and not complete");
    trench_step_destroy(step);
    job_end(j, &c);
}

/* ---- failures ------------------------------------------------------------ */

static void check_failure(const struct trench_fault *fault, int code,
                          enum trench_step_phase phase, int engine, int queue)
{
    struct trench_step_error err = { 0 };
    struct trench_step *step = NULL;
    struct job *j = new_job(2, 0, 16, 11, 1);
    struct chip c;

    job_start(j, &c, NULL);
    CHECK_EQ(trench_step_create(&j->conf, &step, &err), 0, "%s", err.text);
    CHECK_EQ(trench_soc_inject(c.soc, fault), 0, "inject");
    trigger(&c);
    CHECK_EQ(trench_step_run(step, NULL, &err), code, "%s", err.text);
    CHECK_EQ(err.phase, phase, "%s", err.text);
    CHECK_EQ(err.engine, engine, "%s", err.text);
    CHECK_EQ(err.queue, queue, "%s", err.text);
    CHECK_EQ(err.block, 0, "%s", err.text);
    assert_true(err.addr != 0);
    CHECK_EQ(sema(&c, TRENCH_STEP_COMPLETION_ID), 0, "not complete");
    trench_step_destroy(step);
    job_end(j, &c);
}

/* A failing engine is named, whichever it is and whatever it meets. */
static void test_failing_engines(void **state)
{
    (void)state;
    for (int engine = 0; engine < 16; engine += 5) {
        for (unsigned at = 0; at <= TRENCH_AXI_S2M_DATA_WRITE; at++) {
            struct trench_fault fault = { .engine = engine,
                                          .queue = 11,
                                          .at = at,
                                          .code = TRENCH_AXI_SLVERR };

            if (at == TRENCH_AXI_M2S_CMPL_WRITE) {
                continue; /* there are no completion rings */
            }
            check_failure(&fault, TRENCH_ERR_IO, TRENCH_STEP_WAIT, engine, 11);
        }
    }
}

/* The manager fails: in the reset, and in the middle of the program. */
static void test_failing_manager(void **state)
{
    (void)state;
    for (unsigned after = 0; after < 130; after += 43) {
        struct trench_fault fault = { .engine = MANAGER,
                                      .queue = 0,
                                      .at = TRENCH_AXI_S2M_DATA_WRITE,
                                      .code = TRENCH_AXI_SLVERR,
                                      .after = after };

        check_failure(&fault, TRENCH_ERR_IO, TRENCH_STEP_REPROGRAM, MANAGER, 0);
    }
}

/* An engine that the broadcast does not reach, for its group says so. */
static void test_unreached_engine_is_named(void **state)
{
    struct trench_step_error err = { 0 };
    struct trench_step *step = NULL;
    struct job *j = new_job(1, 0, 16, 11, 1);
    struct chip c;
    uint64_t cfg;

    (void)state;
    job_start(j, &c, NULL);
    CHECK_EQ(
        trench_gen_block_base(c.gen, 7, TRENCH_BLOCK_UDMA_S2M, false, &cfg), 0,
        "base");
    /* Queue 11 of engine 7: no prefetch, no stream. */
    CHECK_EQ(trench_bus_write32(c.bus, cfg + 0x1020 + 11 * 0x1000, 0), 0,
             "cfg");
    CHECK_EQ(trench_step_create(&j->conf, &step, &err), 0, "%s", err.text);
    trigger(&c);
    CHECK_EQ(trench_step_run(step, NULL, &err), TRENCH_ERR_TIMEDOUT, "run");
    CHECK_EQ(err.engine, 7, "%s", err.text);
    CHECK_EQ(err.got, 0, "%s", err.text);
    CHECK_EQ(err.want, j->entries[0].m2s_val, "%s", err.text);
    assert_non_null(strstr(err.text, "engine 7 queue 11 stands"));
    trench_step_destroy(step);
    job_end(j, &c);
}

/* ---- deadlines ----------------------------------------------------------- */

/* Operations that count, with a clock of their own. */
struct slow {
    struct chip *c;
    uint64_t now;
    uint64_t reads;
    uint64_t relaxed;
    uint64_t ring_at;      /* relax call that rings ... */
    enum trench_bell bell; /* ... this */
    uint64_t fail_at;      /* access that is refused */
    uint64_t accesses;
    uint64_t silent; /* register whose reads are refused */
    uint64_t run_at; /* relax call from which the chip runs */
};

static int slow_read(void *opaque, uint64_t addr, uint32_t *val)
{
    struct slow *s = opaque;

    s->reads++;
    s->now += 10;
    if (++s->accesses == s->fail_at || addr == s->silent) {
        return TRENCH_ERR_IO;
    }
    return trench_bus_read32(s->c->bus, addr, val);
}

static int slow_write(void *opaque, uint64_t addr, uint32_t val)
{
    struct slow *s = opaque;

    if (++s->accesses == s->fail_at) {
        return TRENCH_ERR_ACCES;
    }
    return trench_bus_write32(s->c->bus, addr, val);
}

static int slow_alloc(void *opaque, size_t size, size_t align,
                      struct trench_hal_mem *out)
{
    struct slow *s = opaque;

    return trench_hal_bus_ops()->mem_alloc(s->c->hb, size, align, out);
}

static void slow_free(void *opaque, const struct trench_hal_mem *mem)
{
    struct slow *s = opaque;

    trench_hal_bus_ops()->mem_free(s->c->hb, mem);
}

static uint64_t slow_now(void *opaque)
{
    return ((struct slow *)opaque)->now;
}

static void slow_relax(void *opaque)
{
    struct slow *s = opaque;

    s->relaxed++;
    if (s->relaxed == s->ring_at) {
        CHECK_EQ(trench_bus_write32(s->c->bus, bell_addr(s->c, s->bell), 1), 0,
                 "bell");
    }
    if (s->run_at && s->relaxed >= s->run_at) {
        trench_soc_run(s->c->soc, 1);
    }
}

static const struct trench_hal_ops slow_ops = {
    .read32 = slow_read,
    .write32 = slow_write,
    .mem_alloc = slow_alloc,
    .mem_free = slow_free,
    .now_ns = slow_now,
    .relax = slow_relax,
};

static struct trench_step *slow_step(struct job *j, struct slow *s)
{
    struct trench_step_error err = { 0 };
    struct trench_step *step = NULL;

    j->conf.ops = &slow_ops;
    j->conf.opaque = s;
    CHECK_EQ(trench_step_create(&j->conf, &step, &err), 0, "%s", err.text);
    CHECK_EQ(s->accesses, 0, "no register before the run");
    return step;
}

/* Without a trigger the deadline ends it: by polls, or by the clock. */
static void test_trigger_has_a_deadline(void **state)
{
    struct trench_step_stats stats = { 0 };
    struct trench_step_error err;
    struct trench_step *step;
    struct job *j = new_job(1, 0, 2, 0, 1);
    struct slow s = { 0 };
    struct chip c;

    (void)state;
    job_start(j, &c, NULL);
    s.c = &c;
    j->conf.polls = 7;
    step = slow_step(j, &s);
    CHECK_EQ(trench_step_run(step, &stats, &err), TRENCH_ERR_TIMEDOUT, "polls");
    CHECK_EQ(stats.reads, 7, "polls");
    CHECK_EQ(stats.writes, 0, "nothing was written");
    CHECK_EQ(s.relaxed, 6, "between two polls");
    CHECK_EQ(err.phase, TRENCH_STEP_TRIGGER, "phase");
    CHECK_EQ(err.addr, 0x82802615A0, "register");
    assert_string_equal(err.text,
                        "trigger of block 0: host_trigger at 0x82802615a0 "
                        "reads 0, and 1 was waited for");
    trench_step_destroy(step);
    s = (struct slow){ .c = &c };
    j->conf.polls = 0;
    j->conf.timeout_ns = 95;
    step = slow_step(j, &s);
    CHECK_EQ(trench_step_run(step, NULL, &err), TRENCH_ERR_TIMEDOUT, "clock");
    CHECK_EQ(s.reads, 10, "10 ns each");
    /* It comes in time. */
    s.ring_at = s.relaxed + 4;
    s.bell = TRENCH_BELL_HOST_TRIGGER;
    fill_random(&c, place(j, 1, 0), SEED);
    CHECK_EQ(trench_step_run(step, NULL, &err), 0, "%s", err.text);
    check_data(&c, place(j, 1, 0));
    trench_step_destroy(step);
    job_end(j, &c);
}

/* bbswitch before each block but the first (ncfw-steps 4.1, STEP). */
static void test_block_switch_by_doorbell(void **state)
{
    struct trench_step_error err;
    struct trench_step *step;
    struct job *j = new_job(2, 0, 2, 0, 1);
    struct slow s = { .bell = TRENCH_BELL_BBSWITCH };
    struct chip c;

    (void)state;
    job_start(j, &c, NULL);
    s.c = &c;
    j->conf.polls = 5;
    j->conf.wait_bbswitch = true;
    step = slow_step(j, &s);
    trigger(&c);
    CHECK_EQ(trench_step_run(step, NULL, &err), TRENCH_ERR_TIMEDOUT, "never");
    CHECK_EQ(err.block, 1, "block");
    assert_non_null(strstr(err.text, "trigger of block 1: bbswitch at "));
    s.ring_at = s.relaxed + 3;
    fill_random(&c, place(j, 2, 0), SEED);
    trigger(&c);
    CHECK_EQ(trench_step_run(step, NULL, &err), 0, "%s", err.text);
    CHECK_EQ(get(&c, bell_addr(&c, TRENCH_BELL_BBSWITCH)), 0, "taken");
    check_data(&c, place(j, 2, 0));
    trench_step_destroy(step);
    job_end(j, &c);
}

/* A chip that runs by and by: the runner waits, and nothing is early. */
static void test_stepped_chip(void **state)
{
    const struct trench_soc_conf conf = { .stepped = true };
    struct trench_step_stats stats = { 0 };
    struct trench_step_error err = { 0 };
    struct trench_step *step;
    struct job *j = new_job(3, 0, 16, 0, 1);
    struct slow s = { .run_at = 1 };
    struct chip c;

    (void)state;
    job_start(j, &c, &conf);
    s.c = &c;
    j->conf.polls = 100000;
    step = slow_step(j, &s);
    fill_random(&c, place(j, 3, 0), SEED);
    trigger(&c);
    CHECK_EQ(trench_step_run(step, &stats, &err), 0, "%s", err.text);
    check_data(&c, place(j, 3, 0));
    assert_in_range(stats.reads, 100, 100000);
    trench_step_destroy(step);
    job_end(j, &c);
}

struct reset_at {
    struct chip *c;
    unsigned nr; /* operations until the chip is reset */
};

static void reset_chip(void *opaque, const struct trench_step_op *op)
{
    struct reset_at *at = opaque;

    (void)op;
    if (at->nr-- == 0) {
        trench_soc_reset(at->c->soc);
    }
}

/* The chip is reset before any operation: nothing is claimed to be complete. */
static void test_chip_reset_in_the_middle(void **state)
{
    struct job *j = new_job(2, 0, 3, 0, 1);
    unsigned nr = 0;
    int code;

    (void)state;
    do {
        struct trench_step_error err = { 0 };
        struct trench_step *step = NULL;
        struct reset_at at = { .nr = nr };
        struct chip c;

        chip_init(&c, NULL);
        at.c = &c;
        job_open(j, &c);
        job_init(j, &c);
        fill_random(&c, place(j, 2, 0), SEED);
        CHECK_EQ(trench_step_create(&j->conf, &step, &err), 0, "%s", err.text);
        trench_step_set_trace(step, reset_chip, &at);
        trigger(&c);
        code = trench_step_run(step, NULL, &err);
        if (code) {
            CHECK_EQ(code, TRENCH_ERR_TIMEDOUT, "%u: %s", nr, err.text);
            assert_true(err.phase == TRENCH_STEP_REPROGRAM ||
                        err.phase == TRENCH_STEP_WAIT);
        } else {
            check_data(&c, place(j, 2, 0));
        }
        trench_step_destroy(step);
        job_end(j, &c);
        nr++;
    } while (code && nr < 100);
    /* When the last signals have been seen, it does not matter. */
    assert_in_range(nr, 30, 36);
}

/* A queue whose head cannot be read is not said to stand at 0. */
static void test_silent_queue_is_not_blamed(void **state)
{
    struct trench_step_entry entry = { 4, 4, 2 };
    struct trench_step_error err = { 0 };
    struct trench_step *step;
    struct job *j = new_job(1, 0, 4, 0, 1);
    struct slow s = { 0 };
    struct chip c;

    (void)state;
    job_start(j, &c, NULL);
    s.c = &c;
    s.silent = 0x100202104C; /* RCRHP of engine 0 queue 0 */
    j->blocks[0].entries = &entry;
    step = slow_step(j, &s);
    trigger(&c);
    /* The second entry is nothing but no-ops. */
    CHECK_EQ(trench_step_run(step, NULL, &err), TRENCH_ERR_TIMEDOUT, "%s",
             err.text);
    CHECK_EQ(err.engine, -1, "%s", err.text);
    assert_non_null(strstr(err.text, "done at 0x8280001050 reads 0"));
    trench_step_destroy(step);
    job_end(j, &c);
}

/* The access after the last bell is refused: engines have been started. */
static void give_up(void *opaque, const struct trench_step_op *op)
{
    struct slow *s = opaque;

    if (op->phase == TRENCH_STEP_BROADCAST) {
        s->fail_at = s->accesses + 2;
    }
}

/*
 * A run is given up after its bells, its engines go on, and it is run once
 * more: signals of the first are not taken for those of the second.
 */
static void check_given_up(unsigned units)
{
    const struct trench_soc_conf conf = { .stepped = true };
    struct trench_step_error err = { 0 };
    struct trench_step *step;
    struct job *j = new_job(1, 0, 4, 0, 1);
    struct slow s = { .run_at = 1 };
    struct chip c;

    job_start(j, &c, &conf);
    s.c = &c;
    j->conf.polls = 100000;
    step = slow_step(j, &s);
    trench_step_set_trace(step, give_up, &s);
    trigger(&c);
    CHECK_EQ(trench_step_run(step, NULL, &err), TRENCH_ERR_IO, "%s", err.text);
    CHECK_EQ(err.phase, TRENCH_STEP_WAIT, "%s", err.text);
    for (unsigned i = 0; i < units; i++) {
        trench_soc_run(c.soc, 1); /* engine after engine */
    }
    trench_step_set_trace(step, NULL, NULL);
    s.fail_at = 0;
    fill_random(&c, place(j, 1, 0), SEED);
    trigger(&c);
    CHECK_EQ(trench_step_run(step, NULL, &err), 0, "%s", err.text);
    check_data(&c, place(j, 1, 0));
    trench_soc_run(c.soc, 0);
    CHECK_EQ(sema(&c, done.id), 0, "after %u units", units);
    trench_step_destroy(step);
    job_end(j, &c);
}

static void test_given_up_run(void **state)
{
    (void)state;
    for (unsigned units = 1; units < 40; units++) {
        check_given_up(units);
    }
}

/* Every access of a run is refused once: the code comes back, and where. */
static void test_every_access_can_fail(void **state)
{
    struct trench_step_error err;
    struct trench_step *step;
    struct job *j = new_job(2, 0, 3, 0, 1);
    struct slow s = { 0 };
    unsigned failed = 0;
    struct chip c;
    int code;

    (void)state;
    job_start(j, &c, NULL);
    s.c = &c;
    step = slow_step(j, &s);
    do {
        s.accesses = 0;
        s.fail_at = failed + 1;
        trigger(&c);
        code = trench_step_run(step, NULL, &err);
        if (code) {
            assert_true(code == TRENCH_ERR_IO || code == TRENCH_ERR_ACCES);
            assert_true(err.addr != 0);
            assert_non_null(strstr(err.text, " at 0x"));
            failed++;
        }
    } while (code && failed < 1000);
    /* writes and polls of a run, as counted above */
    CHECK_EQ(failed, 2 + 2 * (2 + 6 + 2 + 1 + 2 + 2) + 2, "accesses");
    s.fail_at = 0;
    fill_random(&c, place(j, 2, 0), SEED);
    trigger(&c);
    CHECK_EQ(trench_step_run(step, NULL, &err), 0, "%s", err.text);
    check_data(&c, place(j, 2, 0));
    trench_step_destroy(step);
    job_end(j, &c);
}

static void test_names(void **state)
{
    (void)state;
    assert_string_equal(trench_step_phase_name(TRENCH_STEP_CHECK), "check");
    assert_string_equal(trench_step_phase_name(TRENCH_STEP_COMPLETE),
                        "complete");
    assert_string_equal(trench_step_phase_name(TRENCH_STEP_NR_PHASES), "?");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sixteen_engines),
        cmocka_unit_test(test_many_steps),
        cmocka_unit_test(test_thirty_two_engines),
        cmocka_unit_test(test_manager_in_the_group),
        cmocka_unit_test(test_several_queues),
        cmocka_unit_test(test_without_broadcast),
        cmocka_unit_test(test_uneven_queues_without_broadcast),
        cmocka_unit_test(test_order),
        cmocka_unit_test(test_repeats_wrap),
        cmocka_unit_test(test_stale_lap_is_named),
        cmocka_unit_test(test_missing_signal_is_named),
        cmocka_unit_test(test_entry_by_entry),
        cmocka_unit_test(test_begun_anew),
        cmocka_unit_test(test_piece_that_fails),
        cmocka_unit_test(test_failing_engines),
        cmocka_unit_test(test_failing_manager),
        cmocka_unit_test(test_unreached_engine_is_named),
        cmocka_unit_test(test_trigger_has_a_deadline),
        cmocka_unit_test(test_block_switch_by_doorbell),
        cmocka_unit_test(test_stepped_chip),
        cmocka_unit_test(test_chip_reset_in_the_middle),
        cmocka_unit_test(test_silent_queue_is_not_blamed),
        cmocka_unit_test(test_given_up_run),
        cmocka_unit_test(test_every_access_can_fail),
        cmocka_unit_test(test_names),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
