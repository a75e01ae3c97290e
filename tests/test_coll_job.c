/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Collectives on chips: what arrives is judged by the definition of the
 * collective, whatever the algorithm, the engines and the counts.
 */
#include "coll_rig.h"

#define PART_DESCS                                                             \
    16384u /* of the lowering: where a step's next part begins                 \
            */

/* ---- running ------------------------------------------------------------- */

static void check_info(const struct coll_case *k,
                       const struct trench_coll_job *job,
                       const struct trench_step_stats *stats, unsigned chips)
{
    struct trench_coll_job_info info;
    size_t last = SIZE_MAX;

    trench_coll_job_info(job, &info);
    CHECK_EQ(stats->m2s_descs, info.m2s_descs, "M2S");
    CHECK_EQ(stats->s2m_descs, info.s2m_descs, "S2M");
    CHECK_EQ(stats->starts, info.parts * chips, "parts");
    assert_true(info.m2s_descs >= info.copies + info.reduces);
    if (k->coll.count == 0) {
        CHECK_EQ(info.parts + info.bytes, 0, "nothing to do");
    }
    for (size_t part = 0; part < info.parts; part++) {
        size_t step = trench_coll_job_step_of(job, part);

        assert_true(step == last || step == last + 1);
        last = step;
    }
    for (unsigned c = 0; c <= chips; c++) {
        assert_int_equal(trench_coll_job_step(job, c) != NULL,
                         c < chips && info.parts > 0);
    }
}

/* Small ones in place twice: rings and queues are as good as new. */
static void run_job(const struct coll_rig *r, const struct coll_case *k,
                    const struct coll_bufs *b, struct trench_coll_job *job)
{
    const bool twice =
        !check_quick() && k->coll.in_place && k->coll.count < 1 << 20;
    const unsigned runs = twice ? 2 : 1;

    for (unsigned run = 0; run < runs; run++) {
        struct trench_coll_job_error err = { 0 };
        struct trench_step_stats stats = { 0 };

        bufs_fill(k, b);
        CHECK_EQ(trench_coll_job_run(job, &stats, &err), 0, "%s",
                 err.step.text);
        judge(k, b);
        check_info(k, job, &stats, r->nr_chips);
    }
}

static void try_case(const struct coll_rig *r, const struct coll_case *k)
{
    struct trench_coll_job_error err = { 0 };
    struct trench_coll_schedule *s = NULL;
    struct trench_coll_job *job = NULL;
    struct trench_coll_job_conf conf;
    struct coll_bufs b;

    CHECK_EQ(trench_coll_create(&k->coll, &s), 0, "schedule");
    bufs_init(r, k, s, &b);
    conf = job_conf(r, k, &b, s);
    CHECK_EQ(trench_coll_job_create(&conf, &job, &err), 0, "%s", err.step.text);
    trench_coll_destroy(s); /* used during the call only */
    run_job(r, k, &b, job);
    trench_coll_job_destroy(job);
    bufs_fini(&b);
}

/* What is being tried, for whoever sees it fail. */
static const struct coll_case *current;

static void tell_case(void)
{
    const struct coll_case *k = current;

    print_error(
        "%s by %s, %u ranks of %u a chip, %llu of %s, op %d, in place %d, "
        "%u engines, %u queues\n",
        trench_coll_op_name(k->coll.op), trench_coll_algo_name(k->coll.algo),
        k->coll.ranks, k->coll.chip_ranks, ULL(k->coll.count),
        trench_dtype_name(k->type), (int)k->op, k->coll.in_place, k->engines,
        k->queues);
}

static int tell_on_failure(void **state)
{
    (void)state;
    if (current) {
        tell_case();
    }
    return 0;
}

/* ---- the matrix ---------------------------------------------------------- */

static const uint16_t dest[16] = { 3, 0, 1,  2,  5,  4,  7,  6,
                                   9, 8, 11, 10, 13, 12, 15, 14 };

static const struct {
    enum trench_dtype type;
    enum trench_cce_op op;
    unsigned engines;
    unsigned queues;
    uint64_t count;
    bool random;
} ways[] = {
    { TRENCH_DTYPE_FP32, TRENCH_CCE_ADD, 0, 0, 1000, false },
    { TRENCH_DTYPE_FP32, TRENCH_CCE_ADD, 16, 1, 0, false },
    { TRENCH_DTYPE_BF16, TRENCH_CCE_ADD, 1, 1, 1, false },
    { TRENCH_DTYPE_UINT8, TRENCH_CCE_MAX, 3, 2, 33, true },
    { TRENCH_DTYPE_INT32, TRENCH_CCE_MIN, 16, 4, 4097, false },
    { TRENCH_DTYPE_FP16, TRENCH_CCE_ADD, 1, 4, 9999, true },
    { TRENCH_DTYPE_UINT64, TRENCH_CCE_ADD, 7, 1, 777, false },
};

static bool reduces(enum trench_coll_op op)
{
    return op == TRENCH_COLL_ALL_REDUCE || op == TRENCH_COLL_REDUCE ||
           op == TRENCH_COLL_REDUCE_SCATTER;
}

/* All ways of one operation and algorithm; false when there is no such. */
static bool try_ways(const struct coll_rig *r, const struct coll_case *like)
{
    for (size_t w = 0; w < ARRAY_LEN(ways); w++) {
        for (unsigned in_place = 0; in_place < 2; in_place++) {
            struct coll_case k = *like;

            k.coll.count = ways[w].count;
            k.coll.in_place = in_place;
            k.coll.channels = 1 + w % 3;
            k.type = ways[w].type;
            k.op = ways[w].op;
            k.engines = ways[w].engines;
            k.queues = ways[w].queues;
            k.random = ways[w].random;
            k.no_broadcast = like->no_broadcast || w % 3 == 2;
            if (trench_coll_refusal(&k.coll)) {
                return false;
            }
            if (check_quick() && (w + in_place + k.coll.algo) % 2 != 0) {
                continue; /* each of the ways with other algorithms */
            }
            if (!reduces(k.coll.op) && k.type == TRENCH_DTYPE_UINT8) {
                k.type = TRENCH_DTYPE_FP8_E4; /* any bits are moved */
            }
            current = &k;
            try_case(r, &k);
            current = NULL;
        }
    }
    return true;
}

/* Every operation by every algorithm; returns how many there were. */
static unsigned try_all(const struct coll_rig *r, unsigned ranks)
{
    unsigned tried = 0;

    for (unsigned op = 0; op < TRENCH_NR_COLL_OPS; op++) {
        for (unsigned a = 0; a < TRENCH_NR_COLL_ALGOS; a++) {
            const struct coll_case k = {
                .coll = { .op = (enum trench_coll_op)op,
                          .algo = (enum trench_coll_algo)a,
                          .ranks = ranks,
                          .chip_ranks = ranks / r->nr_chips,
                          .root = ranks - 1,
                          .dest = dest },
                .no_broadcast = r->gen->bcast_lanes == 0,
            };

            tried += try_ways(r, &k);
        }
    }
    return tried;
}

static void try_ranks(const char *gen, unsigned chips, unsigned cores,
                      const unsigned *ranks)
{
    struct coll_rig r;

    rig_open(&r, gen, chips, cores);
    for (; *ranks; ranks++) {
        assert_true(try_all(&r, *ranks) > (*ranks > 1 ? 15 : 8));
    }
    rig_close(&r);
}

static void test_one_chip(void **state)
{
    (void)state;
    try_ranks("cayman", 1, 8, (const unsigned[]){ 4, 8, 0 });
}

static void test_two_chips(void **state)
{
    (void)state;
    try_ranks("cayman", 2, 4, (const unsigned[]){ 4, 8, 0 });
}

static void test_four_chips(void **state)
{
    (void)state;
    try_ranks("cayman", 4, 2, (const unsigned[]){ 4, 8, 0 });
}

/* No windows of broadcast are known: one by one. Two NeuronCores. */
static void test_sunda(void **state)
{
    static const uint16_t swap[2] = { 1, 0 };
    struct coll_rig r;

    (void)state;
    rig_open(&r, "sunda", 1, 2);
    for (unsigned op = 0; op < TRENCH_NR_COLL_OPS; op++) {
        const struct coll_case k = {
            .coll = { .op = (enum trench_coll_op)op,
                      .ranks = 2,
                      .root = 1,
                      .dest = swap },
            .no_broadcast = true,
        };

        assert_int_equal(try_ways(&r, &k), op != 6);
    }
    rig_close(&r);
}

/* Numbers of ranks that are no power of two; one rank alone. */
static void test_odd_ranks(void **state)
{
    static const uint16_t turn[7] = { 1, 2, 3, 4, 5, 6, 0 };
    static const uint16_t none[1] = { 0 };
    struct coll_rig r;

    (void)state;
    rig_open(&r, "mariana", 1, 7);
    for (unsigned op = 0; op < TRENCH_NR_COLL_OPS; op++) {
        struct coll_case k = { .coll = { .op = (enum trench_coll_op)op,
                                         .ranks = 7,
                                         .root = 3,
                                         .dest = turn } };

        assert_int_equal(try_ways(&r, &k), op != 6);
        k.coll.ranks = 1;
        k.coll.root = 0;
        k.coll.dest = none;
        assert_int_equal(try_ways(&r, &k), op != 6);
    }
    rig_close(&r);
}

/* ---- parts --------------------------------------------------------------- */

/*
 * More descriptors than can be started at once: a step has several parts.
 * Only the root reduces; the others' queues are filled up with no-ops.
 */
static void test_steps_of_several_parts(void **state)
{
    struct coll_case k = { .coll = { .op = TRENCH_COLL_REDUCE,
                                     .algo = TRENCH_COLL_SINGLE_STEP_MESH,
                                     .ranks = 8,
                                     .root = 5,
                                     .count = (5 << 20) + 33 },
                           .type = TRENCH_DTYPE_INT8,
                           .op = TRENCH_CCE_MAX,
                           .engines = 1,
                           .queues = 1,
                           .random = true };
    struct trench_coll_job_error err = { 0 };
    struct trench_coll_schedule *s = NULL;
    struct trench_coll_job *job = NULL;
    struct trench_coll_job_info info;
    struct trench_coll_job_conf conf;
    struct coll_bufs b;
    struct coll_rig r;
    size_t steps;

    (void)state;
    rig_open(&r, "cayman", 1, 8);
    CHECK_EQ(trench_coll_create(&k.coll, &s), 0, "schedule");
    bufs_init(&r, &k, s, &b);
    conf = job_conf(&r, &k, &b, s);
    CHECK_EQ(trench_coll_job_create(&conf, &job, &err), 0, "%s", err.step.text);
    steps = trench_coll_steps(s);
    trench_coll_destroy(s);
    trench_coll_job_info(job, &info);
    /* 8 sources a packet of 2048 elements (common-blocks 3.4.4) */
    CHECK_EQ(info.reduces, (k.coll.count + 2047) / 2048, "packets");
    CHECK_EQ(info.parts - steps, info.reduces * 8 / PART_DESCS, "more parts");
    CHECK_EQ(trench_coll_job_step_of(job, info.parts - 1), steps - 1, "last");
    CHECK_EQ(trench_coll_job_step_of(job, info.parts), steps - 1, "past it");
    run_job(&r, &k, &b, job);
    trench_coll_job_destroy(job);
    bufs_fini(&b);
    rig_close(&r);
}

/* Chips whose parts differ: each has as many as the one with most. */
static void test_parts_of_two_chips(void **state)
{
    struct coll_case k = { .coll = { .op = TRENCH_COLL_REDUCE,
                                     .algo = TRENCH_COLL_SINGLE_STEP_MESH,
                                     .ranks = 4,
                                     .chip_ranks = 2,
                                     .root = 3,
                                     .count = 9 << 20 },
                           .type = TRENCH_DTYPE_UINT8,
                           .op = TRENCH_CCE_MIN,
                           .engines = 1,
                           .queues = 1,
                           .random = true };
    struct coll_rig r;

    (void)state;
    rig_open(&r, "cayman", 2, 2);
    current = &k;
    try_case(&r, &k);
    current = NULL;
    rig_close(&r);
}

/*
 * Chips that do a little at each access: the firmware waits for all of them,
 * and no rank goes on before the others are where it needs them.
 */
static void test_slow_chips(void **state)
{
    static const enum trench_coll_algo algos[] = { TRENCH_COLL_RING,
                                                   TRENCH_COLL_SINGLE_STEP_MESH,
                                                   TRENCH_COLL_HIER,
                                                   TRENCH_COLL_MESH };
    struct coll_rig r;

    (void)state;
    for (uint32_t budget = 1; budget < 40; budget = budget * 3 + 1) {
        rig_open_slow(&r, "cayman", 2, 2, budget);
        for (size_t a = 0; a < ARRAY_LEN(algos); a++) {
            const struct coll_case k = { .coll = { .op = TRENCH_COLL_ALL_REDUCE,
                                                   .algo = algos[a],
                                                   .ranks = 4,
                                                   .chip_ranks = 2,
                                                   .count = 5000 },
                                         .type = TRENCH_DTYPE_FP32,
                                         .engines = 3,
                                         .queues = 2,
                                         .random = true,
                                         .polls = 100000 };

            current = &k;
            try_case(&r, &k);
            current = NULL;
        }
        rig_close(&r);
    }
}

/* ---- refusals ------------------------------------------------------------ */

static struct trench_coll_chip bad_chip[2];
static struct trench_hal_ops bad_ops;

static void spoil_schedule(struct trench_coll_job_conf *c)
{
    c->schedule = NULL;
}

static void spoil_chips(struct trench_coll_job_conf *c)
{
    c->chips = NULL;
}

static void spoil_bufs(struct trench_coll_job_conf *c)
{
    c->bufs = NULL;
}

static void spoil_no_ranks(struct trench_coll_job_conf *c)
{
    c->ranks = 0;
}

static void spoil_ranks(struct trench_coll_job_conf *c)
{
    c->ranks = 513;
    c->chip_ranks = 1;
}

static void spoil_other_ranks(struct trench_coll_job_conf *c)
{
    c->ranks = 2;
}

static void spoil_division(struct trench_coll_job_conf *c)
{
    c->chip_ranks = 3;
}

static void spoil_chip_ranks(struct trench_coll_job_conf *c)
{
    c->chip_ranks = 5;
}

static void spoil_op(struct trench_coll_job_conf *c)
{
    c->op = TRENCH_CCE_FMA;
}

static void spoil_no_type(struct trench_coll_job_conf *c)
{
    c->type = TRENCH_DTYPE_NONE;
}

static void spoil_type(struct trench_coll_job_conf *c)
{
    c->type = (enum trench_dtype)16;
}

static void spoil_engines(struct trench_coll_job_conf *c)
{
    c->engines = 17;
}

static void spoil_queues(struct trench_coll_job_conf *c)
{
    c->queues = 17;
}

static void spoil_manager(struct trench_coll_job_conf *c)
{
    c->manager_engine = 1;
}

static void spoil_no_manager(struct trench_coll_job_conf *c)
{
    c->manager_engine = 1000;
}

static void spoil_deadline(struct trench_coll_job_conf *c)
{
    c->polls = 0;
}

static void spoil_template(struct trench_coll_job_conf *c)
{
    static uint64_t bufs[4 * TRENCH_NR_COLL_BUFS];

    memcpy(bufs, c->bufs, sizeof(bufs));
    for (size_t i = 0; i < ARRAY_LEN(bufs); i++) {
        bufs[i] = trench_template_addr(3, 0);
    }
    c->bufs = bufs;
}

static void spoil_operation(struct trench_coll_job_conf *c)
{
    bad_chip[0] = c->chips[0];
    bad_ops = *bad_chip[0].ops;
    bad_ops.mem_alloc = NULL;
    bad_chip[0].ops = &bad_ops;
    c->chips = bad_chip;
}

static void spoil_write(struct trench_coll_job_conf *c)
{
    spoil_operation(c);
    bad_ops.mem_alloc = trench_hal_bus_ops()->mem_alloc;
    bad_ops.write32 = NULL;
}

static const struct {
    const char *what;
    int code;
    const char *text;
    void (*spoil)(struct trench_coll_job_conf *c);
} refusals[] = {
    { "schedule", TRENCH_ERR_INVAL, "something is missing", spoil_schedule },
    { "chips", TRENCH_ERR_INVAL, "something is missing", spoil_chips },
    { "buffers", TRENCH_ERR_INVAL, "something is missing", spoil_bufs },
    { "no ranks", TRENCH_ERR_INVAL, "ranks", spoil_no_ranks },
    { "513 ranks", TRENCH_ERR_INVAL, "ranks", spoil_ranks },
    { "other ranks", TRENCH_ERR_INVAL, "schedule is of other ranks",
      spoil_other_ranks },
    { "3 a chip", TRENCH_ERR_INVAL, "do not divide", spoil_division },
    { "5 a chip", TRENCH_ERR_INVAL, "do not divide", spoil_chip_ranks },
    { "FMA", TRENCH_ERR_INVAL, "the CCE does not have", spoil_op },
    { "no type", TRENCH_ERR_INVAL, "the CCE does not have", spoil_no_type },
    { "type 16", TRENCH_ERR_INVAL, "the CCE does not have", spoil_type },
    { "17 engines", TRENCH_ERR_INVAL, "more engines or queues", spoil_engines },
    { "17 queues", TRENCH_ERR_INVAL, "more engines or queues", spoil_queues },
    { "manager", TRENCH_ERR_INVAL, "engine 1 queue 0 is the manager's",
      spoil_manager },
    { "no manager", TRENCH_ERR_NODEV, "has no engine 1000", spoil_no_manager },
    { "deadline", TRENCH_ERR_INVAL, "no deadline", spoil_deadline },
    { "template", TRENCH_ERR_NOENT, "rings cannot be laid", spoil_template },
    { "mem_alloc", TRENCH_ERR_INVAL, "rings cannot be laid", spoil_operation },
    { "write32", TRENCH_ERR_INVAL, "an operation is missing", spoil_write },
};

/* Each refusal with its sentence, before any register is touched. */
static void test_refusals(void **state)
{
    const struct coll_case k = {
        .coll = { .op = TRENCH_COLL_ALL_REDUCE, .ranks = 4, .count = 100 },
        .type = TRENCH_DTYPE_FP32
    };
    struct trench_coll_schedule *s = NULL;
    struct trench_bus_stats before;
    struct trench_bus_stats after;
    struct coll_bufs b;
    struct coll_rig r;

    (void)state;
    rig_open(&r, "cayman", 1, 4);
    CHECK_EQ(trench_coll_create(&k.coll, &s), 0, "schedule");
    bufs_init(&r, &k, s, &b);
    trench_bus_stats(trench_soc_bus(trench_pod_soc(r.pod, 0)), &before);
    for (size_t i = 0; i < ARRAY_LEN(refusals); i++) {
        struct trench_coll_job_conf conf = job_conf(&r, &k, &b, s);
        struct trench_coll_job_error err = { 0 };
        struct trench_coll_job *job = NULL;

        refusals[i].spoil(&conf);
        CHECK_EQ(trench_coll_job_create(&conf, &job, &err), refusals[i].code,
                 "%s: %s", refusals[i].what, err.step.text);
        CHECK_EQ(trench_coll_job_create(&conf, &job, NULL), refusals[i].code,
                 "%s", refusals[i].what);
        assert_null(job);
        if (!strstr(err.step.text, refusals[i].text)) {
            fail_msg("%s: \"%s\" is not in \"%s\"", refusals[i].what,
                     refusals[i].text, err.step.text);
        }
        CHECK_EQ(err.chip, 0, "%s", refusals[i].what);
        CHECK_EQ(err.step.phase, TRENCH_STEP_CHECK, "%s", refusals[i].what);
    }
    trench_bus_stats(trench_soc_bus(trench_pod_soc(r.pod, 0)), &after);
    CHECK_EQ(after.writes, before.writes, "registers");
    trench_coll_job_destroy(NULL);
    trench_coll_destroy(s);
    bufs_fini(&b);
    rig_close(&r);
}

/* With all buffers at one address. */
static void refuse_at(const struct coll_case *k, const struct coll_rig *r,
                      uint64_t addr, int code, const char *text)
{
    struct trench_coll_job_error err = { 0 };
    struct trench_coll_schedule *s = NULL;
    struct trench_coll_job *job = NULL;
    struct trench_coll_job_conf conf;
    struct coll_bufs b = { 0 };

    CHECK_EQ(trench_coll_create(&k->coll, &s), 0, "%s", text);
    for (size_t i = 0; i < ARRAY_LEN(b.bufs); i++) {
        b.bufs[i] = addr;
    }
    conf = job_conf(r, k, &b, s);
    CHECK_EQ(trench_coll_job_create(&conf, &job, &err), code, "%s: %s", text,
             err.step.text);
    assert_non_null(strstr(err.step.text, text));
    assert_null(job);
    trench_coll_destroy(s);
}

static void refuse(const struct coll_case *k, const struct coll_rig *r,
                   int code, const char *text)
{
    refuse_at(k, r, 0, code, text);
}

/* What depends on the generation and on the number of chips. */
static void test_refusals_by_chip(void **state)
{
    struct coll_case k = {
        .coll = { .op = TRENCH_COLL_ALL_REDUCE, .ranks = 16, .count = 100 },
        .type = TRENCH_DTYPE_FP32
    };
    struct trench_coll_chip none[2] = { { NULL, NULL }, { NULL, NULL } };
    struct coll_rig r = { .gen = gen_of("cayman") };
    struct coll_rig open;

    (void)state;
    refuse(&k, &r, TRENCH_ERR_NODEV, "more ranks on a chip");
    k.coll.ranks = 4;
    k.coll.chip_ranks = 2;
    /* address-map 3.1: the chip begins with bit 48; 100 elements are beyond */
    refuse_at(&k, &r, (UINT64_C(1) << 48) - 399, TRENCH_ERR_INVAL,
              "other chips have no address for");
    refuse_at(&k, &r, UINT64_C(1) << 48, TRENCH_ERR_INVAL,
              "other chips have no address for");
    refuse_at(&k, &r, UINT64_MAX - 4, TRENCH_ERR_INVAL,
              "other chips have no address for");
    /* More than any ring takes: refused at once, not counted one by one. */
    k.coll.count = TRENCH_COLL_MAX_ELEMENTS / 4;
    r.gen = gen_of("cayman");
    k.coll.chip_ranks = 4;
    for (unsigned op = 0; op < TRENCH_NR_COLL_OPS; op++) {
        k.coll.op = (enum trench_coll_op)op;
        if (!trench_coll_refusal(&k.coll)) {
            refuse(&k, &r, TRENCH_ERR_NOSPC, "more descriptors than a ring");
        }
    }
    k.coll.op = TRENCH_COLL_ALL_REDUCE;
    k.coll.count = 100;
    k.coll.chip_ranks = 2;
    r.gen = gen_of("sunda");
    memcpy(r.at, none, sizeof(none));
    refuse(&k, &r, TRENCH_ERR_NOTSUP, "other chips have no address for");
    rig_open(&open, "sunda", 1, 2);
    k.coll.ranks = k.coll.chip_ranks = 2;
    refuse(&k, &open, TRENCH_ERR_NOTSUP, "no known broadcast window");
    rig_close(&open);
}

/* ---- faults -------------------------------------------------------------- */

/* A job on two chips, and what is under it. */
struct faulty {
    struct coll_rig r;
    struct coll_case k;
    struct coll_bufs b;
    struct trench_coll_job *job;
};

static void faulty_open(struct faulty *f)
{
    struct trench_coll_job_error err = { 0 };
    struct trench_coll_schedule *s = NULL;
    struct trench_coll_job_conf conf;

    memset(f, 0, sizeof(*f));
    f->k = (struct coll_case){ .coll = { .op = TRENCH_COLL_ALL_REDUCE,
                                         .algo = TRENCH_COLL_RING,
                                         .ranks = 4,
                                         .chip_ranks = 2,
                                         .count = 1000 },
                               .type = TRENCH_DTYPE_FP32,
                               .engines = 2,
                               .queues = 2 };
    rig_open(&f->r, "cayman", 2, 2);
    CHECK_EQ(trench_coll_create(&f->k.coll, &s), 0, "schedule");
    bufs_init(&f->r, &f->k, s, &f->b);
    conf = job_conf(&f->r, &f->k, &f->b, s);
    CHECK_EQ(trench_coll_job_create(&conf, &f->job, &err), 0, "%s",
             err.step.text);
    trench_coll_destroy(s);
}

static void faulty_close(struct faulty *f)
{
    trench_coll_job_destroy(f->job);
    bufs_fini(&f->b);
    rig_close(&f->r);
}

/* The host's answer to an abort, as trench/hal.h has it. */
static void reset_engine(struct faulty *f, unsigned chip, unsigned engine)
{
    unsigned slot =
        engine == f->r.gen->nr_engines - 1u ? f->r.cores * 16 : engine;

    for (unsigned q = 0; q < RIG_QUEUES; q++) {
        CHECK_EQ(trench_hal_queue_reset(f->r.queues[chip][slot][q]), 0,
                 "queue %u", q);
    }
}

static void run_again(struct faulty *f, const char *when)
{
    struct trench_coll_job_error err = { 0 };

    bufs_fill(&f->k, &f->b);
    CHECK_EQ(trench_coll_job_run(f->job, NULL, &err), 0, "%s: %s", when,
             err.step.text);
    judge(&f->k, &f->b);
}

/*
 * Fails with the engine's name, and so while the engine is in abort; when its
 * host has reset it, the same job works.
 */
static bool check_fault(struct faulty *f, unsigned chip,
                        const struct trench_fault *fault)
{
    struct trench_soc *soc = trench_pod_soc(f->r.pod, chip);
    struct trench_coll_job_error err = { 0 };
    char name[32];
    int code;

    CHECK_EQ(trench_soc_inject(soc, fault), 0, "inject");
    bufs_fill(&f->k, &f->b);
    code = trench_coll_job_run(f->job, NULL, &err);
    trench_soc_clear_faults(soc);
    if (code == 0) { /* so late that nothing met it */
        judge(&f->k, &f->b);
        return false;
    }
    snprintf(name, sizeof(name), "engine %d queue ", fault->engine);
    for (unsigned twice = 0; twice < 2; twice++) {
        CHECK_EQ(code, TRENCH_ERR_IO, "%s", err.step.text);
        CHECK_EQ(err.chip, chip, "%s", err.step.text);
        CHECK_EQ(err.step.engine, fault->engine, "%s", err.step.text);
        assert_non_null(strstr(err.step.text, name));
        assert_non_null(strstr(err.step.text, "is in abort"));
        code = trench_coll_job_run(f->job, NULL, &err);
    }
    reset_engine(f, chip, (unsigned)fault->engine);
    run_again(f, name);
    return true;
}

static void test_faults(void **state)
{
    static const unsigned places[] = { TRENCH_AXI_M2S_DESC_READ,
                                       TRENCH_AXI_M2S_DATA_READ,
                                       TRENCH_AXI_S2M_DESC_READ,
                                       TRENCH_AXI_S2M_DATA_WRITE };
    static struct faulty f;
    unsigned met = 0;
    unsigned late = 0;

    (void)state;
    faulty_open(&f);
    for (unsigned chip = 0; chip < 2; chip++) {
        for (size_t at = 0; at < ARRAY_LEN(places); at++) {
            for (uint64_t after = 0; after < 40; after += 13) {
                const struct trench_fault fault = {
                    .engine = (int)(after % 2 + at / 2 * 16),
                    .queue = TRENCH_FAULT_ANY,
                    .at = places[at],
                    .code = TRENCH_AXI_SLVERR,
                    .after = after
                };

                if (check_fault(&f, chip, &fault)) {
                    met++;
                } else {
                    late++;
                }
            }
        }
    }
    assert_true(met >= 16);
    assert_true(late > 0);
    faulty_close(&f);
}

/* The manager fails: in either chip, at several places of its program. */
static void test_manager_fails(void **state)
{
    static struct faulty f;

    (void)state;
    faulty_open(&f);
    for (unsigned chip = 0; chip < 2; chip++) {
        for (uint64_t after = 0; after < 60; after += 29) {
            const struct trench_fault fault = { .engine =
                                                    f.r.gen->nr_engines - 1,
                                                .queue = 0,
                                                .at = TRENCH_AXI_S2M_DATA_WRITE,
                                                .code = TRENCH_AXI_DECERR,
                                                .after = after };

            assert_true(check_fault(&f, chip, &fault));
        }
    }
    faulty_close(&f);
}

/* ---- accesses that fail -------------------------------------------------- */

/* The operations of one chip, one access of which is refused. */
struct weak {
    void *hb;
    uint64_t accesses;
    uint64_t fail_at;
};

static int weak_read(void *opaque, uint64_t addr, uint32_t *val)
{
    struct weak *w = opaque;

    return ++w->accesses == w->fail_at
               ? TRENCH_ERR_FAULT
               : trench_hal_bus_ops()->read32(w->hb, addr, val);
}

static int weak_write(void *opaque, uint64_t addr, uint32_t val)
{
    struct weak *w = opaque;

    return ++w->accesses == w->fail_at
               ? TRENCH_ERR_ACCES
               : trench_hal_bus_ops()->write32(w->hb, addr, val);
}

static int weak_alloc(void *opaque, size_t size, size_t align,
                      struct trench_hal_mem *out)
{
    struct weak *w = opaque;

    return trench_hal_bus_ops()->mem_alloc(w->hb, size, align, out);
}

static void weak_free(void *opaque, const struct trench_hal_mem *mem)
{
    struct weak *w = opaque;

    trench_hal_bus_ops()->mem_free(w->hb, mem);
}

static uint64_t weak_now(void *opaque)
{
    (void)opaque;
    return 0;
}

static const struct trench_hal_ops weak_ops = { .read32 = weak_read,
                                                .write32 = weak_write,
                                                .mem_alloc = weak_alloc,
                                                .mem_free = weak_free,
                                                .now_ns = weak_now };

/* Every access of the second chip is refused once; then the job works. */
static void test_every_access_can_fail(void **state)
{
    static struct faulty f;
    struct trench_coll_job_error err = { 0 };
    struct trench_coll_schedule *s = NULL;
    struct trench_coll_job_conf conf;
    struct weak weak = { 0 };
    long step_nr = -1;
    int code = -1;

    (void)state;
    faulty_open(&f);
    trench_coll_job_destroy(f.job);
    weak.hb = f.r.hb[1];
    f.r.at[1] = (struct trench_coll_chip){ &weak_ops, &weak };
    CHECK_EQ(trench_coll_create(&f.k.coll, &s), 0, "schedule");
    conf = job_conf(&f.r, &f.k, &f.b, s);
    CHECK_EQ(trench_coll_job_create(&conf, &f.job, &err), 0, "%s",
             err.step.text);
    trench_coll_destroy(s);
    CHECK_EQ(weak.accesses, 0, "none before the run");
    for (weak.fail_at = 1; code; weak.fail_at++) {
        weak.accesses = 0;
        code = trench_coll_job_run(f.job, NULL, &err);
        if (code) {
            assert_true(code == TRENCH_ERR_FAULT || code == TRENCH_ERR_ACCES);
            CHECK_EQ(err.chip, 1, "%s", err.step.text);
            assert_true(err.step_nr >= step_nr || err.step_nr == -1);
            step_nr = err.step_nr;
            CHECK_EQ(trench_coll_job_run(f.job, NULL, NULL), 0, "the next one");
        }
    }
    CHECK_EQ(step_nr, -1, "the last one completes");
    assert_true(weak.fail_at > 40);
    weak.fail_at = 0;
    run_again(&f, "at last");
    faulty_close(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(test_one_chip, tell_on_failure),
        cmocka_unit_test_teardown(test_two_chips, tell_on_failure),
        cmocka_unit_test_teardown(test_four_chips, tell_on_failure),
        cmocka_unit_test_teardown(test_sunda, tell_on_failure),
        cmocka_unit_test_teardown(test_odd_ranks, tell_on_failure),
        cmocka_unit_test(test_steps_of_several_parts),
        cmocka_unit_test_teardown(test_parts_of_two_chips, tell_on_failure),
        cmocka_unit_test_teardown(test_slow_chips, tell_on_failure),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_refusals_by_chip),
        cmocka_unit_test(test_faults),
        cmocka_unit_test(test_manager_fails),
        cmocka_unit_test(test_every_access_can_fail),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
