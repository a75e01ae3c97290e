/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Data rings of copies and reductions: every word of them, and what they do on
 * a chip, part by part (common-blocks 3.4.3; ncfw-steps 1.4, 6.11).
 */
#include "step_rig.h"

#include "coll/element.h"

/* Word 0 (udma-engine 4.1). */
#define FIRST    UINT32_C(0x04000000)
#define LAST     UINT32_C(0x08000000)
#define LAP_1    UINT32_C(0x01000000)
#define LEN_MASK UINT32_C(0xFFFF)

/* ---- descriptors of a reduction ------------------------------------------ */

static const struct {
    enum trench_cce_op op;
    enum trench_dtype type;
    enum trench_dtype out_type;
    uint32_t word; /* common-blocks 3.4.3, block marks left out */
} words[] = {
    { TRENCH_CCE_ADD, TRENCH_DTYPE_FP32, TRENCH_DTYPE_FP32, 0x020AA000 },
    { TRENCH_CCE_ADD, TRENCH_DTYPE_BF16, TRENCH_DTYPE_FP32, 0x020A6000 },
    { TRENCH_CCE_ADD, TRENCH_DTYPE_FP8_E5, TRENCH_DTYPE_UINT64, 0x0201F000 },
    { TRENCH_CCE_ADD, TRENCH_DTYPE_INT8, TRENCH_DTYPE_INT64, 0x020C2000 },
    { TRENCH_CCE_MAX, TRENCH_DTYPE_FP32, TRENCH_DTYPE_FP32, 0x022A0A00 },
    { TRENCH_CCE_MAX, TRENCH_DTYPE_UINT8, TRENCH_DTYPE_FP16, 0x02270300 },
    { TRENCH_CCE_MIN, TRENCH_DTYPE_INT16, TRENCH_DTYPE_FP8_E3, 0x023D0400 },
};

static void test_reduce_words(void **state)
{
    (void)state;
    for (size_t w = 0; w < ARRAY_LEN(words); w++) {
        for (unsigned nr = 1; nr <= TRENCH_CCE_MAX_SOURCES; nr++) {
            uint64_t srcs[TRENCH_CCE_MAX_SOURCES];
            struct trench_desc tx[TRENCH_CCE_MAX_SOURCES + 1] = { 0 };
            struct trench_desc rx = { .meta_ctrl = 1 };
            const struct trench_reduce reduce = { .op = words[w].op,
                                                  .type = words[w].type,
                                                  .out_type = words[w].out_type,
                                                  .srcs = srcs,
                                                  .nr_srcs = nr,
                                                  .dst = 0x123456789ABCDEF0,
                                                  .elems = 1 + nr * 37 };

            for (unsigned i = 0; i < nr; i++) {
                srcs[i] = (UINT64_C(0x4000000000) + i * 0x1001) ^ nr;
            }
            CHECK_EQ(trench_desc_reduce(&reduce, tx, &rx), 0, "%zu", w);
            for (unsigned i = 0; i < nr; i++) {
                uint32_t marks = (i == 0 ? 2 : 0) | (i + 1 == nr ? 1 : 0);

                CHECK_EQ(tx[i].len_ctrl,
                         reduce.elems * trench_dtype_bytes(reduce.type) |
                             (i == 0 ? FIRST : 0) | (i + 1 == nr ? LAST : 0),
                         "%zu: %u of %u", w, i, nr);
                CHECK_EQ(tx[i].meta_ctrl, words[w].word | marks,
                         "%zu: %u of %u", w, i, nr);
                CHECK_EQ(tx[i].buf, srcs[i], "%zu: %u of %u", w, i, nr);
            }
            CHECK_EQ(tx[nr].len_ctrl | tx[nr].buf, 0, "%zu: none behind", w);
            CHECK_EQ(rx.len_ctrl,
                     reduce.elems * trench_dtype_bytes(reduce.out_type), "%zu",
                     w);
            CHECK_EQ(rx.meta_ctrl, 0, "S2M has no type");
            CHECK_EQ(rx.buf, reduce.dst, "%zu", w);
        }
    }
}

/* 65,536 bytes have length 0, of either side. */
static void test_reduce_lengths(void **state)
{
    static const struct {
        enum trench_dtype type;
        enum trench_dtype out_type;
        uint32_t elems;
        int code;
        uint32_t len;
        uint32_t out_len;
    } rows[] = {
        { TRENCH_DTYPE_FP32, TRENCH_DTYPE_FP32, 1, 0, 4, 4 },
        { TRENCH_DTYPE_FP32, TRENCH_DTYPE_FP32, 16383, 0, 65532, 65532 },
        { TRENCH_DTYPE_FP32, TRENCH_DTYPE_FP32, 16384, 0, 0, 0 },
        { TRENCH_DTYPE_FP32, TRENCH_DTYPE_BF16, 16384, 0, 0, 32768 },
        { TRENCH_DTYPE_UINT8, TRENCH_DTYPE_UINT64, 8192, 0, 8192, 0 },
        { TRENCH_DTYPE_FP32, TRENCH_DTYPE_BF16, 16385, TRENCH_ERR_INVAL, 0, 0 },
        { TRENCH_DTYPE_UINT8, TRENCH_DTYPE_UINT64, 8193, TRENCH_ERR_INVAL, 0,
          0 },
        { TRENCH_DTYPE_INT8, TRENCH_DTYPE_INT8, 65537, TRENCH_ERR_INVAL, 0, 0 },
        { TRENCH_DTYPE_INT8, TRENCH_DTYPE_INT8, UINT32_MAX, TRENCH_ERR_INVAL, 0,
          0 },
        { TRENCH_DTYPE_INT8, TRENCH_DTYPE_INT8, 0, TRENCH_ERR_INVAL, 0, 0 },
    };
    const uint64_t src = 0x1000;

    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        const struct trench_reduce reduce = { .type = rows[i].type,
                                              .out_type = rows[i].out_type,
                                              .srcs = &src,
                                              .nr_srcs = 1,
                                              .elems = rows[i].elems };
        struct trench_desc tx = { .len_ctrl = 7 };
        struct trench_desc rx = { .len_ctrl = 7 };

        CHECK_EQ(trench_desc_reduce(&reduce, &tx, &rx), rows[i].code, "%zu", i);
        if (rows[i].code) {
            CHECK_EQ(tx.len_ctrl & rx.len_ctrl, 7, "%zu: untouched", i);
        } else {
            CHECK_EQ(tx.len_ctrl & LEN_MASK, rows[i].len, "%zu", i);
            CHECK_EQ(rx.len_ctrl, rows[i].out_len, "%zu", i);
        }
    }
}

static const struct trench_reduce good_reduce = {
    .op = TRENCH_CCE_ADD,
    .type = TRENCH_DTYPE_FP32,
    .out_type = TRENCH_DTYPE_FP32,
    .srcs = (const uint64_t[32]){ 0x1000, 0x2000, 0x3000 },
    .nr_srcs = 3,
    .dst = 0x4000,
    .elems = 8,
};

static const uint64_t some[33] = { 0x1000, 0x2000 };

static const struct {
    const char *what;
    struct trench_reduce reduce;
} bad_reduces[] = {
#define OP(code_) (enum trench_cce_op)(code_), TRENCH_DTYPE_FP32
#define TYPES(i_, o_)                                                          \
    TRENCH_CCE_MAX, (enum trench_dtype)(i_), (enum trench_dtype)(o_)
    { "FMA", { OP(TRENCH_CCE_FMA), TRENCH_DTYPE_FP32, some, 3, 0, 8 } },
    { "EXT", { OP(TRENCH_CCE_EXT), TRENCH_DTYPE_FP32, some, 3, 0, 8 } },
    { "GCE", { OP(TRENCH_CCE_GCE), TRENCH_DTYPE_FP32, some, 3, 0, 8 } },
    { "operation 6", { OP(6), TRENCH_DTYPE_FP32, some, 3, 0, 8 } },
    { "operation -1", { OP(-1), TRENCH_DTYPE_FP32, some, 3, 0, 8 } },
    { "no type", { TYPES(0, 10), some, 3, 0, 8 } },
    { "type 16", { TYPES(16, 10), some, 3, 0, 8 } },
    { "no type of the result", { TYPES(10, 0), some, 3, 0, 8 } },
    { "type 16 of the result", { TYPES(10, 16), some, 3, 0, 8 } },
    { "no sources", { TYPES(10, 10), some, 0, 0, 8 } },
    { "33 sources", { TYPES(10, 10), some, 33, 0, 8 } },
    { "many sources", { TYPES(10, 10), some, UINT32_MAX, 0, 8 } },
    { "sources are NULL", { TYPES(10, 10), NULL, 3, 0, 8 } },
    { "no elements", { TYPES(10, 10), some, 3, 0, 0 } },
#undef OP
#undef TYPES
};

/* Refused, and nothing is written; the rings refuse the same. */
static void test_reduce_refuses(void **state)
{
    struct trench_step_work work = { .nr_reduces = 1 };
    struct trench_step_rings_conf conf = {
        .ops = trench_hal_bus_ops(), .work = &work, .nr_work = 1, .done = done
    };
    struct trench_step_rings *rings = NULL;
    struct chip c;

    (void)state;
    chip_init(&c, NULL);
    conf.opaque = c.hb;
    for (size_t i = 0; i < ARRAY_LEN(bad_reduces); i++) {
        struct trench_desc tx[40];
        struct trench_desc rx;
        struct trench_desc same[40];

        memset(tx, 0x55, sizeof(tx));
        memset(&rx, 0x55, sizeof(rx));
        memset(same, 0x55, sizeof(same));
        CHECK_EQ(trench_desc_reduce(&bad_reduces[i].reduce, tx, &rx),
                 TRENCH_ERR_INVAL, "%s", bad_reduces[i].what);
        CHECK_MEM(tx, same, sizeof(tx), "%s", bad_reduces[i].what);
        CHECK_MEM(&rx, same, sizeof(rx), "%s", bad_reduces[i].what);
        work.reduces = &bad_reduces[i].reduce;
        CHECK_EQ(trench_step_rings_create(&conf, &rings), TRENCH_ERR_INVAL,
                 "%s", bad_reduces[i].what);
    }
    work.reduces = &good_reduce;
    CHECK_EQ(trench_step_rings_create(&conf, &rings), 0, "the good one");
    trench_step_rings_destroy(rings);
    chip_fini(&c);
}

/* ---- refusals of rings --------------------------------------------------- */

static void test_rings_refuse_reductions(void **state)
{
    static struct trench_reduce many[2100];
    const uint64_t template[1] = { trench_template_addr(1, 0) };
    struct trench_reduce one = good_reduce;
    struct trench_step_work work[4] = {
        { .engine = 0, .reduces = &one, .nr_reduces = 1 },
        { .engine = 1 },
        { .engine = 0 },
        { .engine = 1 },
    };
    const struct trench_step_rings_conf good = { .ops = trench_hal_bus_ops(),
                                                 .work = work,
                                                 .nr_work = 2,
                                                 .nr_parts = 2,
                                                 .done = done };
    struct trench_step_rings_conf conf;
    struct trench_step_rings *rings = NULL;
    struct chip c;

    (void)state;
    chip_init(&c, NULL);
    for (size_t i = 0; i < ARRAY_LEN(many); i++) {
        many[i] = good_reduce;
        many[i].nr_srcs = 32;
    }
#define REFUSES(err_, what_)                                                   \
    CHECK_EQ(trench_step_rings_create(&conf, &rings), err_, what_);            \
    conf = good;                                                               \
    conf.opaque = c.hb
    conf = good;
    conf.opaque = c.hb;
    work[0].reduces = NULL;
    REFUSES(TRENCH_ERR_INVAL, "reductions are NULL");
    work[0].reduces = &one;
    work[3].engine = 2;
    REFUSES(TRENCH_ERR_INVAL, "another engine in part 1");
    work[3].engine = 1;
    work[2].queue = 1;
    REFUSES(TRENCH_ERR_INVAL, "another queue in part 1");
    work[2].queue = 0;
    one.srcs = template;
    one.nr_srcs = 1;
    REFUSES(TRENCH_ERR_NOENT, "a source is a template");
    one = good_reduce;
    one.dst = template[0];
    REFUSES(TRENCH_ERR_NOENT, "the destination is a template");
    one = good_reduce;
    work[3].reduces = many;
    work[3].nr_reduces = 2048;
    REFUSES(TRENCH_ERR_NOSPC, "65,536 sources and a signal");
    work[3].nr_reduces = SIZE_MAX;
    REFUSES(TRENCH_ERR_NOSPC, "more than can be counted");
    work[3].nr_reduces = 1;
    work[3].copies = (const struct trench_copy[1]){ { 0 } };
    work[3].nr_copies = SIZE_MAX;
    REFUSES(TRENCH_ERR_NOSPC, "copies that wrap");
    work[3].nr_copies = 0;
    conf.nr_parts = TRENCH_HAL_RING_MAX + 1;
    REFUSES(TRENCH_ERR_NOSPC, "more parts than descriptors");
    assert_null(rings);
    CHECK_EQ(trench_step_rings_create(&conf, &rings), 0, "the good one");
    trench_step_rings_destroy(rings);
#undef REFUSES
    chip_fini(&c);
}

/* ---- random work --------------------------------------------------------- */

#define RANDOM_MEM  UINT64_C(0x2000000)
#define RANDOM_SIZE 0x800000u
#define MAX_PARTS   5
#define MAX_PAIRS   12
#define MAX_COPIES  40
#define MAX_REDUCES 12

static const enum trench_dtype types[] = {
    TRENCH_DTYPE_FP32,  TRENCH_DTYPE_BF16,   TRENCH_DTYPE_FP16,
    TRENCH_DTYPE_INT32, TRENCH_DTYPE_UINT16, TRENCH_DTYPE_INT8,
};

struct plan {
    uint64_t rnd;
    unsigned engines;
    unsigned queues;
    unsigned parts;
    struct trench_copy copies[MAX_PARTS][MAX_PAIRS][MAX_COPIES];
    struct trench_reduce reduces[MAX_PARTS][MAX_PAIRS][MAX_REDUCES];
    uint64_t srcs[MAX_PARTS][MAX_PAIRS][MAX_REDUCES][TRENCH_CCE_MAX_SOURCES];
    struct trench_step_work work[MAX_PARTS * MAX_PAIRS];
    uint8_t shadow[RANDOM_SIZE]; /* what memory should hold */
    uint64_t used;
    /* What an earlier part has written: first and end. */
    uint64_t old[MAX_PARTS + 1];
};

static struct plan plan;

static unsigned plan_pairs(void)
{
    return plan.engines * plan.queues;
}

static unsigned below(unsigned limit)
{
    return (unsigned)(next_random(&plan.rnd) >> 16) % limit;
}

/* Room that nobody else has. */
static uint64_t take(uint64_t bytes)
{
    uint64_t at = plan.used;

    plan.used += (bytes + 63) / 64 * 64;
    assert_true(plan.used <= RANDOM_SIZE);
    return RANDOM_MEM + at;
}

static uint8_t *shadow(uint64_t addr)
{
    return plan.shadow + (addr - RANDOM_MEM);
}

/* New bytes, or some that an earlier part has made. */
static uint64_t copy_source(unsigned part, uint32_t len)
{
    uint64_t room = plan.old[part] - plan.old[0];
    uint64_t at;

    if (part > 0 && room > len && below(3) > 0) {
        return RANDOM_MEM + plan.old[0] + below((unsigned)(room - len));
    }
    at = take(len);
    for (uint32_t i = 0; i < len; i++) {
        shadow(at)[i] = (uint8_t)below(256);
    }
    return at;
}

static void make_copy(unsigned part, struct trench_copy *copy)
{
    uint32_t len = below(8) ? 1 + below(100) : 1 + below(9000);

    *copy = (struct trench_copy){ .src = copy_source(part, len),
                                  .dst = take(len),
                                  .len_bytes = len,
                                  .barrier = (enum trench_barrier)below(3) };
}

/* Small integers: all sums are exact in every type. */
static void make_reduce(struct trench_reduce *r, uint64_t *srcs)
{
    static const enum trench_cce_op ops[] = { TRENCH_CCE_ADD, TRENCH_CCE_MAX,
                                              TRENCH_CCE_MIN };
    unsigned bytes;

    *r = (struct trench_reduce){
        .op = ops[below(3)],
        .type = types[below(ARRAY_LEN(types))],
        .out_type = types[below(ARRAY_LEN(types))],
        .srcs = srcs,
        .nr_srcs = below(4) ? 1 + below(4) : 1 + below(32),
        .elems = 1 + below(70),
    };
    bytes = trench_dtype_bytes(r->type);
    for (unsigned i = 0; i < r->nr_srcs; i++) {
        srcs[i] = take((uint64_t)r->elems * bytes);
        for (unsigned k = 0; k < r->elems; k++) {
            coll_element_put(r->type, below(4), shadow(srcs[i]) + k * bytes);
        }
    }
    r->dst = r->type == r->out_type && below(2)
                 ? srcs[below(r->nr_srcs)]
                 : take((uint64_t)r->elems * trench_dtype_bytes(r->out_type));
}

static void make_work(unsigned part, unsigned pair)
{
    struct trench_step_work *work = &plan.work[part * plan_pairs() + pair];

    *work = (struct trench_step_work){
        .engine = (uint16_t)(pair / plan.queues),
        .queue = (uint8_t)(pair % plan.queues),
        .copies = plan.copies[part][pair],
        .nr_copies = below(3) ? below(5) : below(MAX_COPIES + 1),
        .reduces = plan.reduces[part][pair],
        .nr_reduces = below(3) ? below(3) : below(MAX_REDUCES + 1),
    };
    for (size_t i = 0; i < work->nr_copies; i++) {
        make_copy(part, &plan.copies[part][pair][i]);
    }
    for (size_t i = 0; i < work->nr_reduces; i++) {
        make_reduce(&plan.reduces[part][pair][i], plan.srcs[part][pair][i]);
    }
}

static void make_plan(uint64_t seed)
{
    memset(&plan, 0, sizeof(plan));
    plan.rnd = seed;
    plan.queues = 1 + below(3);
    plan.engines = 1 + below(MAX_PAIRS / plan.queues);
    plan.parts = 1 + below(MAX_PARTS);
    for (unsigned part = 0; part < plan.parts; part++) {
        plan.old[part] = plan.used;
        for (unsigned p = 0; p < plan_pairs(); p++) {
            make_work(part, p);
        }
    }
}

/* Slowly, element by element. */
static void do_reduce(const struct trench_reduce *r)
{
    unsigned bytes = trench_dtype_bytes(r->type);
    unsigned out_bytes = trench_dtype_bytes(r->out_type);

    for (unsigned k = 0; k < r->elems; k++) {
        double acc =
            coll_element_value(r->type, shadow(r->srcs[0]) + k * bytes);

        for (unsigned i = 1; i < r->nr_srcs; i++) {
            double x =
                coll_element_value(r->type, shadow(r->srcs[i]) + k * bytes);

            if (r->op == TRENCH_CCE_ADD) {
                acc += x;
            } else if ((x > acc) == (r->op == TRENCH_CCE_MAX)) {
                acc = x;
            }
        }
        coll_element_put(r->out_type, acc, shadow(r->dst) + k * out_bytes);
    }
}

/* What a part does to memory. */
static void do_part(unsigned part)
{
    for (unsigned p = 0; p < plan_pairs(); p++) {
        const struct trench_step_work *work =
            &plan.work[part * plan_pairs() + p];

        for (size_t i = 0; i < work->nr_copies; i++) {
            memmove(shadow(work->copies[i].dst), shadow(work->copies[i].src),
                    work->copies[i].len_bytes);
        }
        for (size_t i = 0; i < work->nr_reduces; i++) {
            do_reduce(&work->reduces[i]);
        }
    }
}

/* ---- walking a pair's rings ---------------------------------------------- */

struct walk {
    const struct trench_step_rings *rings;
    unsigned pair;
    uint32_t tx; /* descriptors gone by */
    uint32_t rx;
    unsigned part;
    uint64_t noop; /* the word; 0 = not seen yet */
};

static struct trench_desc next_desc(struct walk *w, enum trench_ncfw_dir dir)
{
    uint32_t *at = dir == M2S ? &w->tx : &w->rx;
    const struct trench_pring *ring =
        trench_step_rings_ring(w->rings, w->pair, dir);
    struct trench_desc desc;

    CHECK_EQ(trench_pring_get(ring, (*at)++, &desc), 0, "pair %u", w->pair);
    CHECK_EQ(desc.len_ctrl & 0x03000000, LAP_1, "pair %u: lap", w->pair);
    desc.len_ctrl &= ~UINT32_C(0x03000000);
    return desc;
}

static void expect_desc(struct walk *w, enum trench_ncfw_dir dir,
                        const struct trench_desc *want)
{
    struct trench_desc got = next_desc(w, dir);

    CHECK_EQ(got.len_ctrl, want->len_ctrl, "pair %u part %u tx %u rx %u",
             w->pair, w->part, w->tx, w->rx);
    CHECK_EQ(got.meta_ctrl, want->meta_ctrl, "pair %u part %u tx %u rx %u",
             w->pair, w->part, w->tx, w->rx);
    CHECK_EQ(got.buf, want->buf, "pair %u part %u tx %u rx %u", w->pair,
             w->part, w->tx, w->rx);
}

static void expect_copy(struct walk *w, const struct trench_copy *copy)
{
    /* ncfw-steps 1.1 */
    const struct trench_desc tx = {
        (copy->len_bytes & LEN_MASK) | FIRST | LAST |
            (copy->barrier == TRENCH_BARRIER_DMB ? 0x40000000 : 0),
        copy->barrier == TRENCH_BARRIER_WRITE ? 0x05080003 : 0x01080003,
        copy->src
    };
    const struct trench_desc rx = { copy->len_bytes & LEN_MASK, 0, copy->dst };

    expect_desc(w, M2S, &tx);
    expect_desc(w, S2M, &rx);
}

static void expect_reduce(struct walk *w, const struct trench_reduce *r)
{
    struct trench_desc tx[TRENCH_CCE_MAX_SOURCES];
    struct trench_desc rx;

    CHECK_EQ(trench_desc_reduce(r, tx, &rx), 0, "pair %u", w->pair);
    for (unsigned i = 0; i < r->nr_srcs; i++) {
        expect_desc(w, M2S, &tx[i]);
    }
    expect_desc(w, S2M, &rx);
}

/* A packet of one S2M descriptor that leaves the word as it is. */
static void expect_noop(struct walk *w)
{
    const struct trench_desc rx = next_desc(w, S2M);
    uint32_t nr = rx.len_ctrl / 4;

    w->noop = w->noop ? w->noop : rx.buf;
    CHECK_EQ(rx.buf, w->noop, "pair %u: onto itself", w->pair);
    CHECK_EQ(rx.len_ctrl % 4, 0, "pair %u: words", w->pair);
    assert_in_range(nr, 1, 32);
    for (uint32_t i = 0; i < nr; i++) {
        const struct trench_desc tx = { 4 | (i == 0 ? FIRST : 0) |
                                            (i + 1 == nr ? LAST : 0),
                                        0x01080003, w->noop };

        expect_desc(w, M2S, &tx);
    }
}

static void expect_part(struct walk *w, const struct trench_step_work *work,
                        const struct trench_step_entry *entry, uint64_t one)
{
    const struct trench_copy signal = { one, 0x8280001850, 4,
                                        TRENCH_BARRIER_WRITE };
    uint32_t first_tx = w->tx;
    uint32_t first_rx = w->rx;

    for (size_t i = 0; i < work->nr_copies; i++) {
        expect_copy(w, &work->copies[i]);
    }
    for (size_t i = 0; i < work->nr_reduces; i++) {
        expect_reduce(w, &work->reduces[i]);
    }
    while (w->rx + 1 < first_rx + entry->s2m_val) {
        expect_noop(w);
    }
    expect_copy(w, &signal);
    CHECK_EQ(w->tx - first_tx, entry->m2s_val, "pair %u part %u: M2S", w->pair,
             w->part);
    CHECK_EQ(w->rx - first_rx, entry->s2m_val, "pair %u part %u: S2M", w->pair,
             w->part);
}

/* Where the word is that signals copy: the last descriptor of part 0. */
static uint64_t signal_source(const struct trench_step_rings *rings)
{
    size_t nr;
    const struct trench_step_entry *entries =
        trench_step_rings_entries(rings, &nr);
    struct trench_desc desc;

    CHECK_EQ(trench_pring_get(trench_step_rings_ring(rings, 0, M2S),
                              entries[0].m2s_val - 1, &desc),
             0, "signal");
    return desc.buf;
}

/* Behind the last part: nothing but no-ops, to the end of the ring. */
static void expect_rest(struct walk *w, enum trench_ncfw_dir dir)
{
    const struct trench_pring *ring =
        trench_step_rings_ring(w->rings, w->pair, dir);
    uint32_t *at = dir == M2S ? &w->tx : &w->rx;

    assert_true(ring->used >= *at + TRENCH_HAL_RING_GAP);
    CHECK_EQ(ring->used % TRENCH_HAL_RING_STEP, 0, "pair %u", w->pair);
    while (*at < ring->used) {
        struct trench_desc desc = next_desc(w, dir);

        CHECK_EQ(desc.len_ctrl & LEN_MASK, 4, "pair %u", w->pair);
        w->noop = w->noop ? w->noop : desc.buf;
        CHECK_EQ(desc.buf, w->noop, "pair %u", w->pair);
    }
}

static void check_words(const struct chip *c,
                        const struct trench_step_rings *rings)
{
    size_t nr;
    const struct trench_step_entry *entries =
        trench_step_rings_entries(rings, &nr);
    uint64_t one = signal_source(rings);
    struct walk w = { .rings = rings };

    CHECK_EQ(nr, plan.parts, "parts");
    CHECK_EQ(get(c, one), 1, "what signals copy");
    for (w.pair = 0; w.pair < plan_pairs(); w.pair++) {
        const struct trench_ncfw_channel *ch =
            &trench_step_rings_channels(rings)[w.pair];

        CHECK_EQ(ch->engine, w.pair / plan.queues, "pair %u", w.pair);
        CHECK_EQ(ch->queue, w.pair % plan.queues, "pair %u", w.pair);
        w.tx = w.rx = 0;
        for (w.part = 0; w.part < plan.parts; w.part++) {
            assert_true(entries[w.part].m2s_val >= entries[w.part].s2m_val);
            CHECK_EQ(entries[w.part].repeat, 1, "part %u", w.part);
            expect_part(&w, &plan.work[w.part * plan_pairs() + w.pair],
                        &entries[w.part], one);
        }
        expect_rest(&w, M2S);
        expect_rest(&w, S2M);
    }
    CHECK_EQ(get(c, w.noop), 0, "what no-ops copy");
}

/* ---- on a chip ----------------------------------------------------------- */

static void check_shadow(const struct chip *c, unsigned part)
{
    CHECK_MEM(trench_bus_host(c->bus, RANDOM_MEM, RANDOM_SIZE), plan.shadow,
              plan.used, "part %u", part);
}

/* Part by part, twice: what a run leaves behind is no bar to the next. */
static void run_parts(struct chip *c, struct trench_step *step)
{
    for (unsigned run = 0; run < 2; run++) {
        struct trench_step_error err = { 0 };

        trench_step_begin(step);
        trigger(c);
        for (unsigned part = 0; part < plan.parts; part++) {
            CHECK_EQ(trench_step_next(step, NULL, &err), 1, "%s", err.text);
            do_part(part);
            check_shadow(c, part);
            CHECK_EQ(sema(c, TRENCH_STEP_COMPLETION_ID), run, "not yet");
        }
        CHECK_EQ(trench_step_next(step, NULL, &err), 0, "%s", err.text);
        CHECK_EQ(sema(c, TRENCH_STEP_COMPLETION_ID), run + 1, "completion");
        CHECK_EQ(trench_step_next(step, NULL, &err), 0, "it is over");
        CHECK_EQ(sema(c, TRENCH_STEP_COMPLETION_ID), run + 1, "once");
        check_shadow(c, plan.parts);
    }
}

static void run_plan(struct chip *c, const struct trench_step_rings *rings,
                     bool no_broadcast)
{
    const struct trench_ncfw_plan_conf bundle = {
        .channels = trench_step_rings_channels(rings),
        .nr_channels = plan_pairs(),
    };
    struct trench_step_block block = { .bundles = &bundle, .nr_bundles = 1 };
    const struct trench_step_conf conf = { .ops = trench_hal_bus_ops(),
                                           .opaque = c->hb,
                                           .gen = c->gen,
                                           .blocks = &block,
                                           .nr_blocks = 1,
                                           .manager_engine = MANAGER,
                                           .done = done,
                                           .no_broadcast = no_broadcast,
                                           .polls = POLLS };
    struct trench_step_error err = { 0 };
    struct trench_step *step = NULL;

    block.entries = trench_step_rings_entries(rings, &block.nr_entries);
    CHECK_EQ(trench_step_create(&conf, &step, &err), 0, "%s", err.text);
    memcpy(trench_bus_host(c->bus, RANDOM_MEM, RANDOM_SIZE), plan.shadow,
           plan.used);
    run_parts(c, step);
    trench_step_destroy(step);
}

static void check_plan(bool no_broadcast)
{
    struct trench_step_rings_conf conf = { .ops = trench_hal_bus_ops(),
                                           .work = plan.work,
                                           .nr_work = plan_pairs(),
                                           .nr_parts = plan.parts,
                                           .done = done };
    struct trench_step_rings *rings = NULL;
    struct chip c;

    chip_init(&c, NULL);
    conf.opaque = c.hb;
    for (unsigned e = 0; e < plan.engines; e++) {
        open_engine(&c, e, 0, plan.queues, false);
    }
    open_engine(&c, MANAGER, 0, 1, false);
    CHECK_EQ(trench_step_rings_create(&conf, &rings), 0, "rings");
    check_words(&c, rings);
    run_plan(&c, rings, no_broadcast);
    trench_step_rings_destroy(rings);
    chip_fini(&c);
}

static void test_random_work(void **state)
{
    uint64_t seed = SEED;

    (void)state;
    for (unsigned round = 0; round < 60; round++) {
        next_random(&seed);
        print_message("# random work: seed 0x%llx\n", ULL(seed));
        make_plan(seed);
        check_plan(round % 4 == 3);
    }
}

/*
 * One pair with copies, one with two reductions of many sources: the no-ops
 * of the first have to stand for all descriptors that are M2S's alone.
 */
static void test_uneven_pairs(void **state)
{
    (void)state;
    for (unsigned nr_srcs = 1; nr_srcs <= TRENCH_CCE_MAX_SOURCES; nr_srcs++) {
        for (unsigned more = 1; more <= 4; more++) {
            memset(&plan, 0, sizeof(plan));
            plan.rnd = SEED + nr_srcs * 16 + more;
            plan.engines = 2;
            plan.queues = 1;
            plan.parts = 1;
            for (unsigned p = 0; p < 2; p++) {
                make_work(0, p);
            }
            plan.work[0].nr_copies = 10;
            plan.work[0].nr_reduces = 0;
            plan.work[1].nr_copies = 0;
            plan.work[1].nr_reduces = 2;
            for (unsigned i = 0; i < 10; i++) {
                make_copy(0, &plan.copies[0][0][i]);
            }
            for (unsigned i = 0; i < 2; i++) {
                struct trench_reduce *r = &plan.reduces[0][1][i];

                make_reduce(r, plan.srcs[0][1][i]);
                for (unsigned s = 0; s < 32; s++) {
                    plan.srcs[0][1][i][s] = plan.srcs[0][1][i][0];
                }
                r->nr_srcs = i == 0 ? nr_srcs : more;
                r->op = TRENCH_CCE_MAX; /* of one and the same */
            }
            check_plan(false);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_reduce_words),
        cmocka_unit_test(test_reduce_lengths),
        cmocka_unit_test(test_reduce_refuses),
        cmocka_unit_test(test_rings_refuse_reductions),
        cmocka_unit_test(test_random_work),
        cmocka_unit_test(test_uneven_pairs),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
