/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Memory that runs out, at every single allocation: an error, nothing lost,
 * nothing changed. The linker leads allocations of the library here; jansson
 * is told by its own switch.
 */
#include <jansson.h>

#include <trench/coll_job.h>
#include <trench/ctxlog.h>
#include <trench/pring.h>
#include <trench/step.h>

#include "ncfw_rig.h"

static long fail_in = -1; /* allocations until the one that fails */
static long live;

void *__real_malloc(size_t size);
void *__real_calloc(size_t nr, size_t size);
void *__real_realloc(void *old, size_t size);
void __real_free(void *old);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t nr, size_t size);
void *__wrap_realloc(void *old, size_t size);
void __wrap_free(void *old);

static bool fails(void)
{
    if (fail_in < 0) {
        return false;
    }
    return fail_in-- == 0;
}

void *__wrap_malloc(size_t size)
{
    void *p = fails() ? NULL : __real_malloc(size);

    live += p != NULL;
    return p;
}

void *__wrap_calloc(size_t nr, size_t size)
{
    void *p = fails() ? NULL : __real_calloc(nr, size);

    live += p != NULL;
    return p;
}

void *__wrap_realloc(void *old, size_t size)
{
    void *p = fails() ? NULL : __real_realloc(old, size);

    live += p != NULL && old == NULL;
    return p;
}

void __wrap_free(void *old)
{
    live -= old != NULL;
    __real_free(old);
}

/* ---- rings --------------------------------------------------------------- */

/* Device memory that is not counted, but may fail as well. */
static uint8_t hbm[1 << 16];
static size_t hbm_used;

static int mem_alloc(void *opaque, size_t size, size_t align,
                     struct trench_hal_mem *out)
{
    (void)opaque;
    hbm_used += -hbm_used & (align - 1);
    if (fails()) {
        return TRENCH_ERR_NOMEM;
    }
    assert_true(hbm_used + size <= sizeof(hbm));
    *out = (struct trench_hal_mem){ hbm + hbm_used, hbm_used, size };
    hbm_used += size;
    live++;
    return 0;
}

static void mem_free(void *opaque, const struct trench_hal_mem *mem)
{
    (void)opaque;
    (void)mem;
    live--;
}

static void test_toplevel_without_memory(void **state)
{
    static const struct trench_hal_ops ops = { .mem_alloc = mem_alloc,
                                               .mem_free = mem_free };
    struct trench_ncfw_channel ch[16];
    const struct trench_ncfw_plan_conf plan_conf = { .channels = ch,
                                                     .nr_channels = 16 };
    struct trench_ncfw_plan plan;
    struct trench_basic_block blocks[2] = { { .plans = &plan, .nr_plans = 1 },
                                            { .plans = &plan, .nr_plans = 1 } };
    const struct trench_toplevel_conf conf = { .ops = &ops,
                                               .blocks = blocks,
                                               .nr_blocks = 2 };
    struct trench_toplevel *top = NULL;
    long before = live;
    int err;
    long n = 0;

    (void)state;
    for (unsigned i = 0; i < 16; i++) {
        ch[i] = make_channel(i, 11);
    }
    CHECK_EQ(trench_ncfw_plan(&plan_conf, &plan), 0, "plan");
    for (;; n++) {
        fail_in = n;
        hbm_used = 0;
        err = trench_toplevel_create(&conf, &top);
        fail_in = -1;
        if (err == 0) {
            break;
        }
        CHECK_EQ(err, TRENCH_ERR_NOMEM, "allocation %ld", n);
        CHECK_EQ(live, before, "allocation %ld", n);
        assert_null(top);
    }
    assert_true(n > 10);
    trench_toplevel_destroy(top);
    CHECK_EQ(live, before, "all of it");
}

/* ---- steps --------------------------------------------------------------- */

static int no_read(void *opaque, uint64_t addr, uint32_t *val)
{
    (void)opaque;
    (void)addr;
    (void)val;
    return TRENCH_ERR_IO;
}

static int no_write(void *opaque, uint64_t addr, uint32_t val)
{
    (void)opaque;
    (void)addr;
    (void)val;
    return TRENCH_ERR_IO;
}

static uint64_t no_time(void *opaque)
{
    (void)opaque;
    return 0;
}

static const struct trench_hal_ops step_ops = { .read32 = no_read,
                                                .write32 = no_write,
                                                .mem_alloc = mem_alloc,
                                                .mem_free = mem_free,
                                                .now_ns = no_time };

/* Data rings of two pairs, whatever it takes; *n counts the failures. */
static struct trench_step_rings *make_rings(long *n)
{
    static const struct trench_step_work work[2] = { { .engine = 0 },
                                                     { .engine = 1 } };
    const struct trench_step_rings_conf conf = { .ops = &step_ops,
                                                 .work = work,
                                                 .nr_work = 2 };
    struct trench_step_rings *rings = NULL;
    long before = live;
    int err = -1;

    for (*n = 0; err; (*n)++) {
        hbm_used = 0;
        fail_in = *n;
        err = trench_step_rings_create(&conf, &rings);
        fail_in = -1;
        if (err) {
            CHECK_EQ(err, TRENCH_ERR_NOMEM, "allocation %ld", *n);
            CHECK_EQ(live, before, "allocation %ld", *n);
            assert_null(rings);
        }
    }
    return rings;
}

static void test_steps_without_memory(void **state)
{
    const struct trench_step_entry entry = { 1, 1, 2 };
    struct trench_ncfw_plan_conf bundle = { .nr_channels = 2 };
    const struct trench_step_block block = {
        .bundles = &bundle, .nr_bundles = 1, .entries = &entry, .nr_entries = 1
    };
    const struct trench_step_block blocks[3] = { block, block, block };
    const struct trench_step_conf conf = { .ops = &step_ops,
                                           .blocks = blocks,
                                           .nr_blocks = 3,
                                           .manager_engine = 131,
                                           .polls = 1 };
    struct trench_step *step = NULL;
    struct trench_step_rings *rings;
    struct trench_step_error why;
    long before = live;
    size_t used;
    long n;
    int err = -1;

    (void)state;
    rings = make_rings(&n);
    assert_true(n > 3);
    bundle.channels = trench_step_rings_channels(rings);
    used = hbm_used;
    for (n = 0; err; n++) {
        long with_rings = live;

        hbm_used = used;
        fail_in = n;
        err = trench_step_create(&conf, &step, &why);
        fail_in = -1;
        if (err) {
            CHECK_EQ(err, TRENCH_ERR_NOMEM, "allocation %ld", n);
            CHECK_EQ(live, with_rings, "allocation %ld", n);
            assert_null(step);
            assert_true(why.text[0] != '\0');
        }
    }
    assert_true(n > 10);
    CHECK_EQ(trench_step_run(step, NULL, &why), TRENCH_ERR_IO, "no registers");
    trench_step_destroy(step);
    trench_step_rings_destroy(rings);
    CHECK_EQ(live, before, "all of it");
}

/* ---- contexts ------------------------------------------------------------ */

static char text[TRENCH_CTXLOG_TEXT_BYTES];

static int no_change(void *opaque, const struct trench_ctxlog_change *change)
{
    (void)opaque;
    (void)change;
    return 0;
}

static void test_contexts_without_memory(void **state)
{
    static const char json[] =
        "{\"model_name\":\"x\",\"ncfw_ctx_top_sp\":{\"configs\":{\"neff\":{"
        "\"op_num\":3,\"trigger\":{\"addr\":{\"soc_addr\":\"0x5\"}}}}}}";
    const struct trench_ctxlog_conf dec = { 0 };
    const struct trench_ctxlog_encode_conf enc = { .over_base = true };
    static uint8_t ctx[0x44E8];
    static uint8_t was[0x44E8];
    long before = live;
    struct trench_ctxlog_counts counts;
    bool spared = false;
    int err = -1;
    long n;

    (void)state;
    memset(was, 0x33, sizeof(was));
    for (n = 0; !spared; n++) {
        memcpy(ctx, was, sizeof(ctx));
        fail_in = n;
        err = trench_ctxlog_encode(&enc, json, sizeof(json) - 1, ctx, &counts);
        spared = fail_in >= 0;
        fail_in = -1;
        CHECK_EQ(live, before, "allocation %ld", n);
        if (err) {
            /* jansson does not say that a parse failed for want of memory */
            assert_true(err == TRENCH_ERR_NOMEM || err == TRENCH_ERR_BADMSG);
            CHECK_MEM(ctx, was, sizeof(ctx), "allocation %ld", n);
        } else if (counts.unknown == 0) {
            /* nor that it has cut a key short: then it is told as unknown */
            CHECK_EQ(ctx[0x4248], 3, "allocation %ld", n);
            CHECK_EQ(ctx[0x4220], 5, "allocation %ld", n);
        }
    }
    CHECK_EQ(err, 0, "memory enough");
    CHECK_EQ(counts.unknown, 0, "memory enough");
    assert_true(n > 10);
    for (n = 0, err = -1; err < 0; n++) {
        fail_in = n;
        err = trench_ctxlog_decode(&dec, ctx, text, sizeof(text));
        fail_in = -1;
        CHECK_EQ(live, before, "allocation %ld", n);
    }
    assert_true(n > 1);
    fail_in = 0;
    CHECK_EQ(trench_ctxlog_diff(gen_of(NULL), ctx, was, no_change, NULL),
             TRENCH_ERR_NOMEM, "diff");
    fail_in = -1;
    CHECK_EQ(live, before, "diff");
}

/* ---- schedules ----------------------------------------------------------- */

static void test_schedules_without_memory(void **state)
{
    const struct trench_coll_conf conf = { .op = TRENCH_COLL_ALL_REDUCE,
                                           .algo = TRENCH_COLL_RING,
                                           .ranks = 40,
                                           .count = 10000 };
    struct trench_coll_schedule *s = NULL;
    bool spared = false;
    long before = live;
    long n;
    int err;

    (void)state;
    for (n = 0; !spared; n++) {
        fail_in = n;
        err = trench_coll_create(&conf, &s);
        spared = fail_in >= 0;
        fail_in = -1;
        /* what cannot be made smaller in the end is as good */
        CHECK_EQ(err, s ? 0 : TRENCH_ERR_NOMEM, "allocation %ld", n);
        trench_coll_destroy(s);
        s = NULL;
        CHECK_EQ(live, before, "allocation %ld", n);
    }
    CHECK_EQ(err, 0, "memory enough");
    assert_true(n > 15);
}

static struct trench_coll_schedule *small_schedule(void)
{
    const struct trench_coll_conf conf = { .op = TRENCH_COLL_ALL_REDUCE,
                                           .algo = TRENCH_COLL_RING,
                                           .ranks = 4,
                                           .chip_ranks = 2,
                                           .count = 100 };
    struct trench_coll_schedule *s = NULL;

    CHECK_EQ(trench_coll_create(&conf, &s), 0, "schedule");
    return s;
}

/* On two chips: what the first has taken is given back, too. */
static void test_jobs_without_memory(void **state)
{
    const struct trench_coll_chip chips[2] = { { &step_ops, NULL },
                                               { &step_ops, NULL } };
    uint64_t bufs[4 * TRENCH_NR_COLL_BUFS] = { 0 };
    struct trench_coll_job_conf conf = { .ranks = 4,
                                         .chip_ranks = 2,
                                         .chips = chips,
                                         .bufs = bufs,
                                         .type = TRENCH_DTYPE_FP32,
                                         .engines = 1,
                                         .manager_engine = 131,
                                         .polls = 1 };
    struct trench_coll_schedule *s = small_schedule();
    struct trench_coll_job_error why;
    struct trench_coll_job *job = NULL;
    long before = live;
    int err = -1;
    long n;

    (void)state;
    conf.schedule = s;
    for (n = 0; err; n++) {
        hbm_used = 0;
        why.step.text[0] = '\0';
        fail_in = n;
        err = trench_coll_job_create(&conf, &job, &why);
        fail_in = -1;
        if (err) {
            CHECK_EQ(err, TRENCH_ERR_NOMEM, "allocation %ld", n);
            CHECK_EQ(live, before, "allocation %ld", n);
            assert_null(job);
            assert_true(why.step.text[0] != '\0');
            assert_in_range(why.chip, 0, 1);
        }
    }
    assert_true(n > 40);
    trench_coll_destroy(s);
    CHECK_EQ(trench_coll_job_run(job, NULL, &why), TRENCH_ERR_IO, "no chips");
    CHECK_EQ(why.chip, 0, "%s", why.step.text);
    assert_non_null(strstr(why.step.text, "host_trigger"));
    trench_coll_job_destroy(job);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_toplevel_without_memory),
        cmocka_unit_test(test_steps_without_memory),
        cmocka_unit_test(test_contexts_without_memory),
        cmocka_unit_test(test_schedules_without_memory),
        cmocka_unit_test(test_jobs_without_memory),
    };

    json_set_alloc_funcs(__wrap_malloc, __wrap_free);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
