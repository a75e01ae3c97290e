/* SPDX-License-Identifier: BSD-3-Clause */
/* What a step refuses, before anything is written; its data rings. */
#include "step_rig.h"

/* ---- refusals ------------------------------------------------------------ */

/* The part of a job that a refusal spoils, so that each starts afresh. */
struct refusal {
    const char *what;
    int code;
    const char *text;
    void (*spoil)(struct job *j, struct chip *c);
};

static struct trench_ncfw_channel spoilt[MAX_PAIR];

/* Channels that can be changed. */
static struct trench_ncfw_channel *own(struct job *j)
{
    memcpy(spoilt, j->bundles[0][0].channels,
           j->bundles[0][0].nr_channels * sizeof(spoilt[0]));
    j->bundles[0][0].channels = spoilt;
    return spoilt;
}

static void spoil_bundle(struct job *j, struct chip *c)
{
    (void)c;
    j->bundles[0][0].bundle = 8;
}

static void spoil_bundle_of_two(struct job *j, struct chip *c)
{
    (void)c;
    j->bundles[0][0].nr_bundles = 2;
    j->bundles[0][0].bundle = 2;
}

static void spoil_pcore(struct job *j, struct chip *c)
{
    (void)c;
    j->bundles[0][0].own_pcore = true;
    j->bundles[0][0].pcore = 2;
}

static void spoil_half(struct job *j, struct chip *c)
{
    (void)c;
    j->bundles[0][0].own_pcore = true;
    j->bundles[0][0].pcore = 1;
}

static void spoil_region(struct job *j, struct chip *c)
{
    (void)c;
    j->bundles[0][0].own_region = true;
    j->bundles[0][0].region = 3;
}

static void spoil_no_engine(struct job *j, struct chip *c)
{
    (void)c;
    j->bundles[0][0].nr_channels = 0;
}

static void spoil_engine(struct job *j, struct chip *c)
{
    (void)c;
    j->bundles[0][0].first_engine = 112;
    own(j)[0].engine = 127;
    spoilt[1].engine = 128;
}

static void spoil_engine_outside(struct job *j, struct chip *c)
{
    (void)c;
    own(j)[1].engine = 40;
}

static void spoil_engine_of_vcore(struct job *j, struct chip *c)
{
    (void)c;
    j->bundles[0][0].nr_cores = 1;
    own(j)[1].engine = 20;
}

static void spoil_queue(struct job *j, struct chip *c)
{
    (void)c;
    own(j)[1].queue = 16;
}

static void spoil_twice(struct job *j, struct chip *c)
{
    (void)c;
    own(j)[1] = j->bundles[0][0].channels[0];
}

static void spoil_uneven_queues(struct job *j, struct chip *c)
{
    (void)c;
    own(j)[1].queue++;
}

static void spoil_unequal(struct job *j, struct chip *c)
{
    (void)c;
    j->entries[0].s2m_val++;
}

static void spoil_count(struct job *j, struct chip *c)
{
    (void)c;
    j->entries[0].m2s_val = j->entries[0].s2m_val = 65535;
}

static void spoil_count_0(struct job *j, struct chip *c)
{
    (void)c;
    j->entries[0].m2s_val = j->entries[0].s2m_val = 0;
}

static void spoil_no_entry(struct job *j, struct chip *c)
{
    (void)c;
    j->blocks[0].nr_entries = 0;
}

static void spoil_full(struct job *j, struct chip *c)
{
    (void)c;
    j->entries[0].m2s_val = j->entries[0].s2m_val = 17;
}

/* Of M2S more than of S2M is allowed, but bounds are those of each. */
static void spoil_m2s_count(struct job *j, struct chip *c)
{
    (void)c;
    j->entries[0].m2s_val = 65535;
}

static void spoil_no_s2m(struct job *j, struct chip *c)
{
    (void)c;
    j->entries[0].s2m_val = 0;
}

static void spoil_m2s_full(struct job *j, struct chip *c)
{
    (void)c;
    j->entries[0].m2s_val = 17;
}

static void spoil_s2m_full(struct job *j, struct chip *c)
{
    (void)c;
    j->entries[0].m2s_val = 48;
    j->entries[0].s2m_val = 17;
    own(j)[0].ring[M2S].nr_descs = 64;
    spoilt[1].ring[M2S].nr_descs = 64;
}

static void spoil_aligned(struct job *j, struct chip *c)
{
    (void)c;
    own(j)[1].ring[S2M].base += 32;
}

static void spoil_host_ring(struct job *j, struct chip *c)
{
    (void)c;
    own(j)[1].ring[M2S].base = UINT64_C(0x400000000000);
}

static void spoil_ring_past_hbm(struct job *j, struct chip *c)
{
    own(j)[1].ring[M2S].base =
        c->gen->mems[0].base + c->gen->mems[0].size_bytes - 64;
}

static void spoil_length(struct job *j, struct chip *c)
{
    (void)c;
    own(j)[1].ring[M2S].nr_descs = 0;
}

static void spoil_reset_section(struct job *j, struct chip *c)
{
    (void)c;
    j->blocks[0].reset_limit = 1;
}

static void spoil_reprogram_section(struct job *j, struct chip *c)
{
    (void)c;
    j->blocks[0].reprogram_limit = 15;
}

static void spoil_padded(struct job *j, struct chip *c)
{
    (void)c;
    j->conf.padded = 16;
}

static void spoil_manager(struct job *j, struct chip *c)
{
    (void)c;
    j->conf.manager_engine = 1;
    j->conf.manager_queue = 2;
}

static void spoil_manager_engine(struct job *j, struct chip *c)
{
    (void)c;
    j->conf.manager_engine = 132;
}

static void spoil_manager_queue(struct job *j, struct chip *c)
{
    (void)c;
    j->conf.manager_queue = 16;
}

static void spoil_done(struct job *j, struct chip *c)
{
    (void)c;
    j->conf.top_sp = 3;
    j->conf.done = (struct trench_step_sema){ TRENCH_SYNC_TOP_SP, 3,
                                              TRENCH_STEP_COMPLETION_ID };
}

static void spoil_switch_done(struct job *j, struct chip *c)
{
    (void)c;
    j->conf.has_switch = true;
    j->conf.switch_completed = j->conf.done;
}

static void spoil_switch_complete(struct job *j, struct chip *c)
{
    (void)c;
    j->conf.has_switch = true;
    j->conf.switch_completed =
        (struct trench_step_sema){ TRENCH_SYNC_TOP_SP, 0,
                                   TRENCH_STEP_COMPLETION_ID };
}

static void spoil_no_region(struct job *j, struct chip *c)
{
    (void)c;
    j->bundles[0][0].own_region = true;
    j->bundles[0][0].region = UINT32_MAX;
}

static void spoil_null_blocks(struct job *j, struct chip *c)
{
    (void)c;
    j->conf.blocks = NULL;
}

static void spoil_null_bundles(struct job *j, struct chip *c)
{
    (void)c;
    j->blocks[0].bundles = NULL;
}

static void spoil_null_channels(struct job *j, struct chip *c)
{
    (void)c;
    j->bundles[0][0].channels = NULL;
}

static void spoil_null_content(struct job *j, struct chip *c)
{
    (void)c;
    j->blocks[0].spad.nr_content = 1;
}

static void spoil_top_sp(struct job *j, struct chip *c)
{
    (void)c;
    j->conf.top_sp = 16;
}

static void spoil_sema(struct job *j, struct chip *c)
{
    (void)c;
    j->conf.done.id = 256;
}

static void spoil_switch(struct job *j, struct chip *c)
{
    (void)c;
    j->conf.has_switch = true;
    j->conf.switch_completed =
        (struct trench_step_sema){ TRENCH_SYNC_CORE, 8, 0 };
}

static void spoil_deadline(struct job *j, struct chip *c)
{
    (void)c;
    j->conf.polls = 0;
}

static void spoil_ops(struct job *j, struct chip *c)
{
    static struct trench_hal_ops ops;

    (void)c;
    ops = *trench_hal_bus_ops();
    ops.write32 = NULL;
    j->conf.ops = &ops;
}

static void spoil_blocks(struct job *j, struct chip *c)
{
    (void)c;
    j->conf.nr_blocks = 0;
}

static void spoil_many_blocks(struct job *j, struct chip *c)
{
    (void)c;
    j->conf.nr_blocks = 256;
}

static void spoil_bundles(struct job *j, struct chip *c)
{
    (void)c;
    j->blocks[0].nr_bundles = 9;
}

static void spoil_generation(struct job *j, struct chip *c)
{
    (void)c;
    j->conf.gen = gen_of("sunda");
    j->conf.manager_engine = 33;
}

static void spoil_bbswitch(struct job *j, struct chip *c)
{
    spoil_generation(j, c);
    j->conf.no_broadcast = true;
    j->conf.wait_bbswitch = true;
}

static void spoil_memory(struct job *j, struct chip *c)
{
    /* The rest of the memory is gone. */
    struct trench_hal_mem mem;

    (void)j;
    for (size_t size = SIZE; size > 64; size /= 2) {
        while (trench_hal_bus_ops()->mem_alloc(c->hb, size, 64, &mem) == 0) {
        }
    }
}

static const struct refusal refusals[] = {
    { "bundle", TRENCH_ERR_INVAL, "bundle 8 is out of range: 0 to 7",
      spoil_bundle },
    { "bundle of two", TRENCH_ERR_INVAL, "bundle 2 is out of range: 0 to 1",
      spoil_bundle_of_two },
    { "pcore", TRENCH_ERR_INVAL, "pcore 2 is out of range: 0 or 1",
      spoil_pcore },
    { "half", TRENCH_ERR_INVAL,
      "bundle 0: the broadcast of pcore 1 does not reach the engines "
      "0x00000003 of 0x00000003",
      spoil_half },
    { "region", TRENCH_ERR_INVAL,
      "bundle 0: broadcast region 3 is not that of its engines, which is 0",
      spoil_region },
    { "zero engines", TRENCH_ERR_INVAL,
      "block 0 uses no engine: its bitmap is 0", spoil_no_engine },
    { "engine 128", TRENCH_ERR_NODEV,
      "engine 128: cayman has engines 0-127 at its NeuronCores", spoil_engine },
    { "engine 40", TRENCH_ERR_INVAL,
      "engine 40 is not in the virtual core that begins with engine 0",
      spoil_engine_outside },
    { "engine 20 of 16", TRENCH_ERR_NODEV,
      "bundle 0: an engine that the virtual core or the allocation word does "
      "not have",
      spoil_engine_of_vcore },
    { "queue 16", TRENCH_ERR_INVAL, "engine 1 has no queue 16", spoil_queue },
    { "a pair twice", TRENCH_ERR_EXIST, "bundle 0 has a pair twice",
      spoil_twice },
    { "uneven queues", TRENCH_ERR_INVAL,
      "bundle 0: a broadcast starts a queue of all its engines, but not all "
      "of them use each of the queues 0x000c",
      spoil_uneven_queues },
    { "more of S2M", TRENCH_ERR_INVAL,
      "block 0: 3 descriptors of M2S for 4 of S2M", spoil_unequal },
    { "65535", TRENCH_ERR_INVAL,
      "block 0: a count of 65535 descriptors; 1 to 65534 can be started at "
      "once",
      spoil_count },
    { "count 0", TRENCH_ERR_INVAL,
      "block 0: a count of 0 descriptors; 1 to 65534 can be started at once",
      spoil_count_0 },
    { "no entry", TRENCH_ERR_INVAL, "block 0 starts nothing", spoil_no_entry },
    { "ring is full", TRENCH_ERR_NOSPC,
      "engine 0 queue 2: 17 descriptors at once and a gap of 16 do not fit "
      "the M2S ring of 32",
      spoil_full },
    { "65535 of M2S", TRENCH_ERR_INVAL,
      "block 0: a count of 65535 descriptors; 1 to 65534 can be started at "
      "once",
      spoil_m2s_count },
    { "none of S2M", TRENCH_ERR_INVAL,
      "block 0: a count of 0 descriptors; 1 to 65534 can be started at once",
      spoil_no_s2m },
    { "M2S ring is full", TRENCH_ERR_NOSPC,
      "engine 0 queue 2: 17 descriptors at once and a gap of 16 do not fit "
      "the M2S ring of 32",
      spoil_m2s_full },
    { "S2M ring is full", TRENCH_ERR_NOSPC,
      "engine 0 queue 2: 17 descriptors at once and a gap of 16 do not fit "
      "the S2M ring of 32",
      spoil_s2m_full },
    { "misaligned", TRENCH_ERR_INVAL, "is not aligned to 64 bytes",
      spoil_aligned },
    { "host memory", TRENCH_ERR_ACCES,
      "engine 1 queue 2: the M2S ring at 0x400000000000 is not in HBM",
      spoil_host_ring },
    { "end of HBM", TRENCH_ERR_ACCES, "is not in HBM", spoil_ring_past_hbm },
    { "length 0", TRENCH_ERR_INVAL,
      "engine 1 queue 2: a M2S ring of 0 descriptors", spoil_length },
    { "reset section", TRENCH_ERR_NOSPC, "is too small", spoil_reset_section },
    { "reprogram section", TRENCH_ERR_NOSPC, "is too small",
      spoil_reprogram_section },
    { "padded", TRENCH_ERR_NOSPC, "is too small", spoil_padded },
    { "manager", TRENCH_ERR_INVAL,
      "engine 1 queue 2 is the manager's, and cannot be one of the step's",
      spoil_manager },
    { "no manager", TRENCH_ERR_NODEV,
      "cayman has no engine 132 queue 0 for the TopLevel rings",
      spoil_manager_engine },
    { "no manager queue", TRENCH_ERR_NODEV,
      "cayman has no engine 131 queue 16 for the TopLevel rings",
      spoil_manager_queue },
    { "no TOP_SP", TRENCH_ERR_NODEV,
      "cayman: doorbell host_trigger of TOP_SP 16:", spoil_top_sp },
    { "no semaphore", TRENCH_ERR_NODEV,
      "cayman has no semaphore 256 of TOP_SP 0", spoil_sema },
    { "no core", TRENCH_ERR_NODEV, "cayman has no semaphore 0 of NeuronCore 8",
      spoil_switch },
    { "deadline", TRENCH_ERR_INVAL, "the waits have no deadline",
      spoil_deadline },
    { "operations", TRENCH_ERR_INVAL, "an operation is missing", spoil_ops },
    { "blocks", TRENCH_ERR_INVAL, "0 basic blocks; 1 to 255 can be",
      spoil_blocks },
    { "256 blocks", TRENCH_ERR_INVAL, "256 basic blocks; 1 to 255 can be",
      spoil_many_blocks },
    { "bundles", TRENCH_ERR_INVAL, "block 0 has 9 bundles; 1 to 8 can be",
      spoil_bundles },
    { "generation", TRENCH_ERR_NOTSUP,
      "sunda has no known broadcast window for engines 0-15: start the "
      "engines one by one",
      spoil_generation },
    { "bbswitch", TRENCH_ERR_NOTSUP,
      "sunda: doorbell bbswitch of TOP_SP 0:", spoil_bbswitch },
    { "memory", TRENCH_ERR_NOMEM, "the TopLevel rings: ", spoil_memory },
    { "done is completion", TRENCH_ERR_INVAL,
      "done is the completion semaphore, which is 1 of TOP_SP 3", spoil_done },
    { "switch is done", TRENCH_ERR_INVAL,
      "switch_completed is the semaphore done as well", spoil_switch_done },
    { "switch is completion", TRENCH_ERR_INVAL,
      "switch_completed is the semaphore of completion as well",
      spoil_switch_complete },
    { "no region", TRENCH_ERR_INVAL, "broadcast region 4294967295 is not that",
      spoil_no_region },
    { "blocks are NULL", TRENCH_ERR_INVAL, "no basic blocks",
      spoil_null_blocks },
    { "bundles are NULL", TRENCH_ERR_INVAL, "block 0 has no bundles",
      spoil_null_bundles },
    { "channels are NULL", TRENCH_ERR_INVAL, "bundle 0 has no channels",
      spoil_null_channels },
    { "content is NULL", TRENCH_ERR_INVAL,
      "the TopLevel rings: ", spoil_null_content },
};

/* Each refusal, with its sentence; no register is touched, no step is made. */
static void test_refusals(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(refusals); i++) {
        const struct refusal *r = &refusals[i];
        struct job *j = new_job(1, 0, 2, 2, 1);
        struct trench_step_error err = { 0 };
        struct trench_bus_stats before;
        struct trench_bus_stats after;
        struct trench_step *step = NULL;
        struct chip c;

        chip_init(&c, NULL);
        job_init(j, &c);
        CHECK_EQ(j->entries[0].m2s_val, 3, "two copies and a signal");
        r->spoil(j, &c);
        trench_bus_stats(c.bus, &before);
        CHECK_EQ(trench_step_create(&j->conf, &step, &err), r->code, "%s: %s",
                 r->what, err.text);
        CHECK_EQ(trench_step_create(&j->conf, &step, NULL), r->code, "%s",
                 r->what);
        trench_bus_stats(c.bus, &after);
        assert_null(step);
        CHECK_EQ(after.writes, before.writes, "%s", r->what);
        if (!strstr(err.text, r->text)) {
            fail_msg("%s: \"%s\" is not in \"%s\"", r->what, r->text, err.text);
        }
        CHECK_EQ(err.phase, TRENCH_STEP_CHECK, "%s", r->what);
        job_end(j, &c);
    }
}

/* A bundle without engines beside one that has some adds nothing (1.4). */
static void test_skipped_bundle(void **state)
{
    struct trench_step_stats stats = { 0 };
    struct job *j = new_job(1, 0, 2, 2, 1);
    struct chip c;

    (void)state;
    job_start(j, &c, NULL);
    j->bundles[0][1] = (struct trench_ncfw_plan_conf){ .bundle = 5 };
    j->blocks[0].nr_bundles = 2;
    run_job(j, &c, &stats);
    CHECK_EQ(stats.bells, 4, "one group");
    job_end(j, &c);
}

/* ---- anything at all ----------------------------------------------------- */

/* Mostly small, sometimes anything. */
static unsigned odd(uint64_t *rnd, unsigned limit)
{
    uint64_t r = next_random(rnd);

    return r % 37 == 0 ? (unsigned)(r >> 32) : (unsigned)(r >> 8) % limit;
}

/* Somewhere in HBM, misaligned, or nowhere. */
static uint64_t odd_base(uint64_t *rnd)
{
    uint64_t r = next_random(rnd);

    return r % 41 == 0 ? r : ARENA + SIZE + (r >> 16) % 4096 * 0x1000;
}

static void odd_channels(uint64_t *rnd, struct trench_ncfw_channel *ch,
                         unsigned nr)
{
    unsigned first = odd(rnd, 3) * 5;
    unsigned queue = odd(rnd, 17);

    for (unsigned i = 0; i < nr; i++) {
        ch[i] = (struct trench_ncfw_channel){
            .in_use = next_random(rnd) % 8 > 0,
            .engine =
                (uint16_t)(next_random(rnd) % 50 ? first + i : odd(rnd, 200)),
            .queue = (uint8_t)queue,
            .ring = { { odd_base(rnd), 32 + odd(rnd, 64) },
                      { odd_base(rnd), 32 + odd(rnd, 64) } },
        };
    }
}

static struct trench_ncfw_plan_conf odd_bundle(
    uint64_t *rnd, const struct trench_ncfw_channel *ch)
{
    return (struct trench_ncfw_plan_conf){
        .bundle = odd(rnd, 4),
        .reading = (enum trench_ncfw_reading)odd(rnd, 2),
        .nr_cores = odd(rnd, 3),
        .first_engine = odd(rnd, 60) ? 0 : 16,
        .own_pcore = next_random(rnd) % 4 == 0,
        .pcore = odd(rnd, 2),
        .channels = ch,
        .nr_channels = next_random(rnd) % 9,
    };
}

/* Refused, or run to an end or a deadline, on engines that may not be open. */
static void test_any_step(void **state)
{
    uint64_t rnd = SEED;
    unsigned made = 0;
    unsigned ended = 0;
    struct chip c;

    (void)state;
    chip_init(&c, NULL);
    for (unsigned e = 0; e < 7; e++) {
        open_engine(&c, e, 0, 16, true);
    }
    open_engine(&c, MANAGER, 0, 1, false);
    for (int round = 0; round < 3000; round++) {
        struct trench_ncfw_channel ch[2][8];
        struct trench_ncfw_plan_conf bundles[2];
        struct trench_step_entry entries[2];
        struct trench_step_block block = { .bundles = bundles,
                                           .entries = entries };
        struct trench_step_conf conf = { .ops = trench_hal_bus_ops(),
                                         .opaque = c.hb,
                                         .gen = c.gen,
                                         .blocks = &block,
                                         .nr_blocks = 1,
                                         .polls = POLLS,
                                         .done = done };
        struct trench_step_error err = { 0 };
        struct trench_step *step = NULL;

        for (unsigned i = 0; i < 2; i++) {
            uint32_t count = odd(&rnd, 12);

            odd_channels(&rnd, ch[i], 8);
            bundles[i] = odd_bundle(&rnd, ch[i]);
            entries[i] = (struct trench_step_entry){
                count, next_random(&rnd) % 16 ? count : odd(&rnd, 12),
                odd(&rnd, 3)
            };
        }
        block.nr_bundles = next_random(&rnd) % 8 ? 1 : next_random(&rnd) % 3;
        block.nr_entries = 1 + next_random(&rnd) % 2;
        block.spad.nr_slots = odd(&rnd, 7);
        block.reset_limit = odd(&rnd, 20);
        block.reprogram_limit = next_random(&rnd) % 4 ? 0 : odd(&rnd, 80);
        conf.manager_engine = next_random(&rnd) % 9 ? MANAGER : odd(&rnd, 140);
        conf.manager_queue = next_random(&rnd) % 9 ? 0 : odd(&rnd, 17);
        conf.rearm = (enum trench_ncfw_rearm)odd(&rnd, 3);
        conf.padded = next_random(&rnd) % 4 ? 0 : odd(&rnd, 20) * 16;
        conf.no_broadcast = next_random(&rnd) % 3 == 0;
        conf.top_sp = odd(&rnd, 2) ? 0 : odd(&rnd, 17);
        if (trench_step_create(&conf, &step, &err)) {
            assert_true(err.text[0] != '\0');
            assert_null(step);
            continue;
        }
        made++;
        trigger(&c);
        ended += trench_step_run(step, NULL, &err) == 0;
        trench_step_destroy(step);
    }
    assert_in_range(made, 100, 2900);
    CHECK_EQ(ended, 0, "rings of zeroes signal nothing");
    chip_fini(&c);
}

/* ---- data rings ---------------------------------------------------------- */

static void test_rings(void **state)
{
    struct trench_copy copies[2] = {
        { 0x1000, 0x2000, 65536, TRENCH_BARRIER_NONE },
        { 0x3000, 0x4000, 12, TRENCH_BARRIER_NONE }
    };
    struct trench_step_work work[2] = {
        { .engine = 3, .queue = 7, .copies = copies, .nr_copies = 2 },
        { .engine = 4, .queue = 8 }
    };
    struct trench_step_rings_conf conf = {
        .ops = trench_hal_bus_ops(), .work = work, .nr_work = 2, .done = done
    };
    struct trench_step_rings *rings = NULL;
    const struct trench_step_entry *entry;
    struct trench_desc tx;
    struct trench_desc rx;
    struct chip c;
    size_t nr;

    (void)state;
    chip_init(&c, NULL);
    conf.opaque = c.hb;
    CHECK_EQ(trench_step_rings_create(&conf, &rings), 0, "create");
    entry = trench_step_rings_entries(rings, &nr);
    CHECK_EQ(nr, 1, "parts");
    CHECK_EQ(entry->m2s_val, 3, "two copies and a signal");
    CHECK_EQ(entry->s2m_val, 3, "two copies and a signal");
    for (unsigned p = 0; p < 2; p++) {
        const struct trench_ncfw_channel *ch =
            &trench_step_rings_channels(rings)[p];
        uint32_t one = 0;

        assert_true(ch->in_use);
        CHECK_EQ(ch->engine, work[p].engine, "%u", p);
        CHECK_EQ(ch->queue, work[p].queue, "%u", p);
        CHECK_EQ(ch->ring[M2S].nr_descs, 32, "%u", p);
        for (uint32_t i = 0; i < 32; i++) {
            const struct trench_pring *m2s =
                trench_step_rings_ring(rings, p, M2S);
            const struct trench_pring *s2m =
                trench_step_rings_ring(rings, p, S2M);

            CHECK_EQ(trench_pring_base(s2m), ch->ring[S2M].base, "%u", p);
            CHECK_EQ(trench_pring_get(m2s, i, &tx), 0, "%u", i);
            CHECK_EQ(trench_pring_get(s2m, i, &rx), 0, "%u", i);
            if (i == 2) {
                /* INC of semaphore 20 of TOP_SP 0 (ncfw-steps 4.3) */
                CHECK_EQ(rx.buf, 0x8280001850, "signal");
                CHECK_EQ(trench_bus_read32(c.bus, tx.buf, &one), 0, "one");
                CHECK_EQ(one, 1, "one");
                CHECK_EQ(tx.len_ctrl & 0xFFFF, 4, "4 bytes");
            } else if (p == 0 && i < 2) {
                CHECK_EQ(tx.buf, copies[i].src, "%u", i);
                CHECK_EQ(rx.buf, copies[i].dst, "%u", i);
            } else {
                CHECK_EQ(tx.buf, rx.buf, "%u: a no-op", i);
            }
        }
    }
    assert_null(trench_step_rings_ring(rings, 2, M2S));
    assert_null(trench_step_rings_ring(rings, 0, (enum trench_ncfw_dir)2));
    trench_step_rings_destroy(rings);
    trench_step_rings_destroy(NULL);
    chip_fini(&c);
}

static void test_rings_refuse(void **state)
{
    struct trench_copy copies[1] = { { 0x1000, 0x2000, 64,
                                       TRENCH_BARRIER_NONE } };
    struct trench_step_work work[1] = {
        { .engine = 3, .queue = 7, .copies = copies, .nr_copies = 1 }
    };
    const struct trench_step_rings_conf good = {
        .ops = trench_hal_bus_ops(), .work = work, .nr_work = 1, .done = done
    };
    struct trench_step_rings_conf conf;
    struct trench_step_rings *rings = NULL;
    struct trench_hal_bus *host;
    struct trench_hal_bus *small;
    struct chip c;

    (void)state;
    chip_init(&c, NULL);
    CHECK_EQ(trench_hal_bus_create(c.bus, 0x400000000000, SIZE, &host), 0,
             "host");
    CHECK_EQ(trench_hal_bus_create(c.bus, 0x1000, 0x400, &small), 0, "small");
#define REFUSES(err_, what_)                                                   \
    CHECK_EQ(trench_step_rings_create(&conf, &rings), err_, what_);            \
    conf = good;                                                               \
    conf.opaque = c.hb
    conf = good;
    conf.opaque = c.hb;
    conf.ops = NULL;
    REFUSES(TRENCH_ERR_INVAL, "no operations");
    conf.nr_work = 0;
    REFUSES(TRENCH_ERR_INVAL, "no work");
    conf.work = NULL;
    REFUSES(TRENCH_ERR_INVAL, "work is NULL");
    work[0].copies = NULL;
    REFUSES(TRENCH_ERR_INVAL, "copies are NULL");
    work[0].copies = copies;
    conf.nr_work = 513;
    REFUSES(TRENCH_ERR_NOSPC, "513 pairs");
    conf.done.n = 16;
    REFUSES(TRENCH_ERR_NODEV, "no semaphore");
    conf.opaque = host;
    REFUSES(TRENCH_ERR_ACCES, "host memory");
    conf.opaque = small;
    REFUSES(TRENCH_ERR_NOMEM, "no memory");
    work[0].nr_copies = 65534;
    REFUSES(TRENCH_ERR_NOSPC, "65535 descriptors");
    work[0].nr_copies = 1;
    copies[0].len_bytes = 65537;
    REFUSES(TRENCH_ERR_INVAL, "too long");
    copies[0].len_bytes = 0;
    REFUSES(TRENCH_ERR_INVAL, "nothing");
#undef REFUSES
    assert_null(rings);
    trench_hal_bus_destroy(small);
    trench_hal_bus_destroy(host);
    chip_fini(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_skipped_bundle),
        cmocka_unit_test(test_any_step),
        cmocka_unit_test(test_rings),
        cmocka_unit_test(test_rings_refuse),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
