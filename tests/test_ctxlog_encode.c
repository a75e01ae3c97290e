/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Files that hold a context, contexts from JSON, and differences: ncfw-steps
 * 5.1, 5.2, 5.10 and 5.12.
 */
#include "ctxlog_rig.h"

/* ---- files --------------------------------------------------------------- */

static void test_check_sizes(void **state)
{
    static const struct {
        const char *gen;
        size_t size;
        size_t at;
        const char *why; /* NULL = fine */
    } cases[] = {
        { "cayman", 0x44E8, 0, NULL },
        { "sunda", 0x32C8, 0, NULL },
        { "cayman", 0x44E7, 0, "17639 bytes; a context of cayman has 17640" },
        { "cayman", 0x44E9, 0, "17641 bytes; a context of cayman has 17640" },
        { "cayman", 0, 0, "0 bytes; a context of cayman has 17640" },
        { "cayman", 0x32C8, 0,
          "13000 bytes are a context of sunda, not of cayman" },
        { "sunda", 0x44E8, 0,
          "17640 bytes are a context of cayman, not of sunda" },
        { "cayman", 0x4E00, 0,
          "19968 bytes are a data memory of cayman; say where the context is "
          "in it" },
        { "cayman", 0x4E00, 0x408, NULL },
        { "cayman", 0x4E00, 0x918, NULL },
        { "cayman", 0x4E00, 0x919,
          "19968 bytes; a context of cayman at 0x919 ends at 0x4E01" },
        { "cayman", 16, 0x408,
          "16 bytes; a context of cayman at 0x408 ends at 0x48F0" },
        { "sunda", 0x36C0, 0x250, NULL },
    };
    uint8_t *image = calloc(1, 0x5000);

    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        char why[160] = "";
        int err =
            trench_ctxlog_check(gen_of(cases[i].gen), image, cases[i].size,
                                cases[i].at, why, sizeof(why));

        CHECK_EQ(err, cases[i].why ? TRENCH_ERR_BADMSG : 0, "case %zu", i);
        assert_string_equal(why, cases[i].why ? cases[i].why : "");
        CHECK_EQ(trench_ctxlog_check(gen_of(cases[i].gen), image, cases[i].size,
                                     cases[i].at, NULL, 0),
                 err, "case %zu", i);
    }
    CHECK_EQ(
        trench_ctxlog_check(gen_of(NULL), image, 0x5000, SIZE_MAX, NULL, 0),
        TRENCH_ERR_BADMSG, "far behind");
    free(image);
}

/* 5.1: the first word, and the dispatch table, tell the generations apart. */
static void test_data_memory_of_another_generation(void **state)
{
    static const struct {
        uint32_t size;
        uint32_t first;
        uint32_t dispatch;
        const char *owner; /* NULL = nobody's */
    } images[] = {
        { 0x4E00, 0x1399, 0x3C20, "cayman" },
        { 0x4E00, 0x1399, 0x3C38, "mariana" },
        { 0x4E00, 0x1399, 0x3C39, NULL },
        { 0x4E04, 0x1399, 0x3C38, NULL },
        { 0x36C0, 0x1BB3, 0, "sunda" },
    };
    uint8_t *image = calloc(1, 0x5000);

    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(images); i++) {
        memcpy(image, &images[i].first, 4);
        memcpy(image + 0xB0, &images[i].dispatch, 4);
        for (size_t g = 0; g < ARRAY_LEN(gens); g++) {
            const char *owner = images[i].owner;
            bool fits = images[i].size >= 0x4E00 || g == 3;
            /* mariana_plus has the image of mariana */
            bool own = !owner || strncmp(gens[g], owner, strlen(owner)) == 0;

            CHECK_EQ(trench_ctxlog_check(gen_of(gens[g]), image, images[i].size,
                                         0x408 - 0x1B8 * (g == 3), NULL, 0),
                     fits && own ? 0 : TRENCH_ERR_BADMSG, "image %zu as %s", i,
                     gens[g]);
        }
    }
    free(image);
}

/* ---- back again ---------------------------------------------------------- */

/* 5.12: over the image that it came from, nothing changes. */
static void test_round_trip_is_lossless(void **state)
{
    uint8_t *ctx = malloc(V3_BYTES);
    uint8_t *back = malloc(V3_BYTES);
    uint64_t rnd = SEED;

    (void)state;
    for (int round = 0; round < 40; round++) {
        const struct trench_ctxlog_conf conf = {
            .gen = gen_of(gens[round % 4]),
            .reading = (enum trench_ncfw_reading)(round / 4 % 2),
        };
        const struct trench_ctxlog_encode_conf enc = { .gen = conf.gen,
                                                       .over_base = true };
        struct trench_ctxlog_counts counts;

        fill_random(ctx, V3_BYTES, &rnd);
        if (round % 3 == 0) {
            memset(ctx + 0x2BE8, 0, 0x1500); /* an early end of the table */
        }
        trench_ctxlog_decode(&conf, ctx, text, sizeof(text));
        memcpy(back, ctx, V3_BYTES);
        CHECK_EQ(trench_ctxlog_encode(&enc, text, strlen(text), back, &counts),
                 0, "round %d", round);
        CHECK_MEM(back, ctx, V3_BYTES, "round %d", round);
        CHECK_EQ(counts.errors + counts.missing + counts.unknown, 0, "round %d",
                 round);
    }
    free(back);
    free(ctx);
}

/* The first finding of a kind. */
struct seen {
    enum trench_ctxlog_kind kind;
    unsigned nr;
    char path[200];
    char reason[200];
};

static void see(void *opaque, const struct trench_ctxlog_finding *finding)
{
    struct seen *seen = opaque;

    if (finding->kind == seen->kind && seen->nr++ == 0) {
        snprintf(seen->path, sizeof(seen->path), "%s", finding->path);
        snprintf(seen->reason, sizeof(seen->reason), "%s", finding->reason);
    }
}

#define TOP(inner_)  "{\"model_name\":\"x\",\"ncfw_ctx_top_sp\":{" inner_ "}}"
#define NEFF(inner_) TOP("\"configs\":{\"neff\":{" inner_ "}}")

/* Mistyped, too large, too many, contradicting: each is refused. */
static void test_encode_refuses(void **state)
{
    static const struct {
        const char *json;
        const char *path;
        const char *reason; /* how it begins */
    } bad[] = {
        { "", "", "line 1: " },
        { "{", "", "line 1: " },
        { "[1]", "", "not an object" },
        { "{}x", "", "line 1: " },
        { "{\"a\":1,\"a\":2}", "", "line 1: duplicate object key" },
        { "{\"model_name\":1}", "model_name", "not a string" },
        { "{\"model_name\":\"sunda\"}", "model_name",
          "this is sunda, not cayman" },
        { "{\"ncfw_ctx_top_sp\":[]}", "ncfw_ctx_top_sp", "not an object" },
        { NEFF("\"op_num\":-1"), "ncfw_ctx_top_sp.configs.neff.op_num",
          "not a number from 0 to 4294967295" },
        { NEFF("\"op_num\":4294967296"), "ncfw_ctx_top_sp.configs.neff.op_num",
          "not a number" },
        { NEFF("\"op_num\":1.0"), "ncfw_ctx_top_sp.configs.neff.op_num",
          "not a number" },
        { NEFF("\"op_num\":\"1\""), "ncfw_ctx_top_sp.configs.neff.op_num",
          "not a number" },
        { NEFF("\"op_num\":true"), "ncfw_ctx_top_sp.configs.neff.op_num",
          "not a number" },
        { NEFF("\"op_num\":null"), "ncfw_ctx_top_sp.configs.neff.op_num",
          "not a number" },
        { NEFF("\"leader\":2"), "ncfw_ctx_top_sp.configs.neff.leader",
          "not a number from 0 to 1" },
        { NEFF("\"op_num\":99999999999999999999"), "", "line 1: " },
        { NEFF("\"trigger\":5"), "ncfw_ctx_top_sp.configs.neff.trigger",
          "not an address" },
        { NEFF("\"trigger\":\"12\""), "ncfw_ctx_top_sp.configs.neff.trigger",
          "not an address" },
        { NEFF("\"trigger\":\"0x\""), "ncfw_ctx_top_sp.configs.neff.trigger",
          "not an address" },
        { NEFF("\"trigger\":\"0x1g\""), "ncfw_ctx_top_sp.configs.neff.trigger",
          "not an address" },
        { NEFF("\"trigger\":\"0x00000000000000001\""),
          "ncfw_ctx_top_sp.configs.neff.trigger", "not an address" },
        { NEFF("\"trigger\":{\"soc_addr\":\"0x1\",\"x\":1}"),
          "ncfw_ctx_top_sp.configs.neff.trigger", "not an address" },
        { NEFF("\"dma_alloc_bitmap\":[\"0x0\",\"0x0\",\"0x0\",\"0x0\",\"0x0\","
               "\"0x0\",\"0x0\",\"0x0\",\"0x0\"]"),
          "ncfw_ctx_top_sp.configs.neff.dma_alloc_bitmap",
          "9 elements, there is room for 8" },
        { NEFF("\"dma_alloc_bitmap\":[\"0x0\",{}]"),
          "ncfw_ctx_top_sp.configs.neff.dma_alloc_bitmap[1]",
          "not an address" },
        { NEFF("\"dma_alloc_bitmap\":7"),
          "ncfw_ctx_top_sp.configs.neff.dma_alloc_bitmap", "not an array" },
        { NEFF("\"basic_block_configs\":{\"table\":[{\"desc_count\":1},"
               "{\"desc_count\":0}]}"),
          "ncfw_ctx_top_sp.configs.neff.basic_block_configs.table",
          "element 1 is 0 and would end the table" },
        { NEFF("\"barrier_configs\":{\"host_barrier\":{\"barrier_start\":"
               "\"0x1\"},\"device_barrier\":{\"barrier_step_config\":[{"
               "\"m2s_val\":2}]}}"),
          "ncfw_ctx_top_sp.configs.neff.barrier_configs.device_barrier."
          "barrier_step_config[0].m2s_val",
          "contradicts another key" },
        { TOP("\"configs\":{\"algo\":{\"ring\":{\"channels\":[{"
              "\"channel_id\":1}]}}}"),
          "ncfw_ctx_top_sp.configs.algo.ring.channels[0].channel_id",
          "not 0, the number of the element" },
        { TOP("\"configs\":{\"algo\":{\"ring\":{\"channels\":[{\"next_neigh\":"
              "{\"fold_n\":1,\"net_idx_addrs\":[\"0x1\",\"0x2\"]}}]}}}"),
          "ncfw_ctx_top_sp.configs.algo.ring.channels[0].next_neigh."
          "net_idx_addrs",
          "2 elements, there is room for 1" },
    };
    uint8_t *ctx = malloc(V3_BYTES);

    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
        for (unsigned base = 0; base < 2; base++) {
            struct seen seen = { .kind = TRENCH_CTXLOG_ERROR };
            const struct trench_ctxlog_encode_conf conf = { NULL, base, see,
                                                            &seen };
            size_t len = strlen(bad[i].json);
            struct trench_ctxlog_counts counts;
            char *exact = malloc(len); /* without a 0 */

            memcpy(exact, bad[i].json, len);
            memset(ctx, 0, V3_BYTES);
            memset(ctx + 0x4248, 0xA5, 16);
            CHECK_EQ(trench_ctxlog_encode(&conf, exact, len, ctx, &counts),
                     TRENCH_ERR_BADMSG, "%s", bad[i].json);
            CHECK_EQ(counts.errors, seen.nr, "%s", bad[i].json);
            assert_true(seen.nr > 0);
            assert_string_equal(seen.path, bad[i].path);
            if (strncmp(seen.reason, bad[i].reason, strlen(bad[i].reason))) {
                fail_msg("%s: %s", bad[i].json, seen.reason);
            }
            CHECK_EQ(ctx[0x4248], 0xA5, "untouched");
            CHECK_EQ(ctx[148 + 140], 0, "untouched");
            free(exact);
        }
    }
    free(ctx);
}

/* 5.12: unknown keys are ignored, missing ones keep what was there. */
static void test_encode_tells_unknown_and_missing(void **state)
{
    static const char json[] =
        NEFF("\"op_num\":7,\"opnum\":8,\"dma_alloc_bitmap\":[\"0x9\"]");
    struct seen seen = { .kind = TRENCH_CTXLOG_UNKNOWN };
    struct trench_ctxlog_encode_conf conf = { NULL, true, see, &seen };
    struct trench_ctxlog_counts counts;
    uint8_t *ctx = malloc(V3_BYTES);
    uint8_t *want = malloc(V3_BYTES);

    (void)state;
    memset(ctx, 0xC3, V3_BYTES);
    memcpy(want, ctx, V3_BYTES);
    memcpy(want + 0x4248, "\7\0\0\0", 4);
    memcpy(want + 0x3448, "\11\0\0\0\0\0\0\0", 8);
    CHECK_EQ(trench_ctxlog_encode(&conf, json, strlen(json), ctx, &counts), 0,
             "over a base");
    CHECK_MEM(ctx, want, V3_BYTES, "only what the JSON has");
    CHECK_EQ(counts.unknown, 1, "opnum");
    assert_string_equal(seen.path, "ncfw_ctx_top_sp.configs.neff.opnum");
    assert_string_equal(seen.reason, "no such key");
    seen = (struct seen){ .kind = TRENCH_CTXLOG_MISSING };
    conf.over_base = false;
    CHECK_EQ(trench_ctxlog_encode(&conf, json, strlen(json), ctx, &counts), 0,
             "over nothing");
    memset(want, 0, V3_BYTES);
    want[0x4248] = 7;
    want[0x3448] = 9;
    CHECK_MEM(ctx, want, V3_BYTES, "missing is 0");
    assert_string_equal(seen.path, "ncfw_ctx_top_sp.configs.algo");
    assert_string_equal(seen.reason, "missing");
    CHECK_EQ(counts.missing, seen.nr, "all told");
    CHECK_EQ(counts.errors, 0, "none");
    free(want);
    free(ctx);
}

/* 5.12: one element less is missing; one block less ends the table. */
static void test_encode_one_element_less(void **state)
{
    static const char json[] = NEFF(
        "\"dma_alloc_bitmap\":[\"0x1\",\"0x1\",\"0x1\",\"0x1\",\"0x1\",\"0x1\","
        "\"0x1\"]");
    struct trench_ctxlog_encode_conf conf = { .over_base = true };
    const struct trench_ctxlog_conf dec = { 0 };
    struct trench_ctxlog_counts seven;
    struct trench_ctxlog_counts none;
    uint8_t *ctx = malloc(V3_BYTES);
    char *end;

    (void)state;
    memset(ctx, 1, V3_BYTES);
    CHECK_EQ(trench_ctxlog_encode(&conf, json, strlen(json), ctx, &seven), 0,
             "seven");
    CHECK_EQ(
        trench_ctxlog_encode(&conf, NEFF(""), strlen(NEFF("")), ctx, &none), 0,
        "none");
    CHECK_EQ(seven.missing, none.missing, "seven are as incomplete as none");
    trench_ctxlog_decode(&dec, ctx, text, sizeof(text));
    /* take the last of 256 blocks out of the text */
    end = strstr(text, "\"switch_completed\"");
    while (*end != '{') {
        end--;
    }
    while (*end != ',') {
        end--;
    }
    memset(end, ' ', (size_t)(strchr(end, '}') + 1 - end));
    CHECK_EQ(ctx[0x3E08 + 4 * 255], 1, "256 blocks");
    CHECK_EQ(trench_ctxlog_encode(&conf, text, strlen(text), ctx, &none), 0,
             "255 blocks");
    CHECK_EQ(none.missing + none.unknown, 0, "a table may end");
    CHECK_EQ(ctx[0x3E08 + 4 * 254], 1, "255 blocks");
    CHECK_EQ(ctx[0x3E08 + 4 * 255] | ctx[0x3E08 + 4 * 255 + 1], 0, "the end");
    CHECK_EQ(ctx[0x3E08 + 4 * 255 + 2], 1, "and nothing else");
    free(ctx);
}

/* 5.10: for reading back, every shape of an address is fine. */
static void test_encode_takes_every_shape(void **state)
{
    static const char *const shapes[] = {
        "\"0x12\"",
        "\"0X0000000000000012\"",
        "{\"soc_addr\":\"0x12\"}",
        "{\"addr\":{\"soc_addr\":\"0x12\"}}",
        "{\"addr\":\"0x12\"}",
    };
    static const char *const keys[] = { "trigger", "ctrl_spad_base" };
    static const uint32_t offsets[] = { 0x4220, 0x3CD8 };
    const struct trench_ctxlog_encode_conf conf = { 0 };
    uint8_t *ctx = calloc(1, V3_BYTES);

    (void)state;
    for (size_t k = 0; k < 2; k++) {
        for (size_t i = 0; i < ARRAY_LEN(shapes); i++) {
            char json[200];

            snprintf(json, sizeof(json), NEFF("\"%s\":%s"), keys[k], shapes[i]);
            CHECK_EQ(trench_ctxlog_encode(&conf, json, strlen(json), ctx, NULL),
                     0, "%s", json);
            CHECK_EQ(ctx[offsets[k]], 0x12, "%s", json);
        }
    }
    free(ctx);
}

/* The two views of the barriers may be given alone, or agree. */
static void test_encode_union(void **state)
{
    static const char json[] =
        NEFF("\"barrier_configs\":{\"host_barrier\":{\"barrier_start\":"
             "\"0x20001\"},\"device_barrier\":{\"barrier_step_config\":[{"
             "\"m2s_val\":1,\"s2m_val\":2}]}}");
    const struct trench_ctxlog_encode_conf conf = { 0 };
    uint8_t *ctx = calloc(1, V3_BYTES);

    (void)state;
    CHECK_EQ(trench_ctxlog_encode(&conf, json, strlen(json), ctx, NULL), 0,
             "they agree");
    CHECK_EQ(ctx[0x3CE0] | ctx[0x3CE2] << 8, 0x0201, "they agree");
    free(ctx);
}

/* ---- differences --------------------------------------------------------- */

struct changes {
    unsigned nr;
    struct trench_ctxlog_change last;
    char path[160];
    int answer;
};

static int note(void *opaque, const struct trench_ctxlog_change *change)
{
    struct changes *changes = opaque;

    changes->nr++;
    changes->last = *change;
    snprintf(changes->path, sizeof(changes->path), "%s", change->path);
    return changes->answer;
}

static void test_diff_names_the_field(void **state)
{
    static const struct {
        uint32_t offset;
        uint8_t flip;
        const char *path;
        uint32_t at;
        uint32_t bytes;
        uint64_t after;
        bool address;
        bool opaque;
    } cases[] = {
        { 0x4248, 1, "ncfw_ctx_top_sp.configs.neff.op_num", 0x4248, 4, 1, false,
          false },
        { 0x427C, 0x30, "ncfw_ctx_top_sp.configs.dev.seng_id", 0x427C, 1, 3,
          false, false },
        { 0x1264, 4,
          "ncfw_ctx_top_sp.configs.algo.ring.channels[31]."
          "dma_apb_bcast.m2s_tail_ptr",
          0x1264, 8, 4, true, false },
        { 0x3449, 1,
          "ncfw_ctx_top_sp.configs.neff.dma_alloc_bitmap[0]."
          "queue_id",
          0x3448, 4, 256, false, false },
        { 8, 1,
          "ncfw_ctx_top_sp.configs.algo.ring.channels[0].next_neigh."
          "net_idx_addrs[1]",
          8, 8, 1, true, false },
        { 0x3E08 + 4 * 255, 5,
          "ncfw_ctx_top_sp.configs.neff."
          "basic_block_configs.table[255].desc_count",
          0x3E08 + 4 * 255, 2, 5, false, false },
        { 140, 9, "ncfw_ctx_top_sp.configs.algo.ring.channels[0].channel_id",
          140, 1, 9, false, false },
        /* not printed: opaque region, padding, safe_mode */
        { 0x3488, 1, "[0x3488..0x3488]", 0x3488, 1, 0, false, true },
        { 0x427E, 1, "[0x427E..0x427E]", 0x427E, 1, 0, false, true },
        { 0x4282, 8, "[0x4282..0x4282]", 0x4282, 1, 0, false, true },
        { 0x44E7, 8, "[0x44E7..0x44E7]", 0x44E7, 1, 0, false, true },
    };
    uint8_t *a = calloc(1, V3_BYTES);
    uint8_t *b = calloc(1, V3_BYTES);

    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct changes changes = { 0 };

        b[cases[i].offset] ^= cases[i].flip;
        CHECK_EQ(trench_ctxlog_diff(gen_of(NULL), a, b, note, &changes), 1,
                 "case %zu", i);
        assert_string_equal(changes.path, cases[i].path);
        CHECK_EQ(changes.last.offset, cases[i].at, "case %zu", i);
        CHECK_EQ(changes.last.size_bytes, cases[i].bytes, "case %zu", i);
        CHECK_EQ(changes.last.before, 0, "case %zu", i);
        CHECK_EQ(changes.last.after, cases[i].after, "case %zu", i);
        CHECK_EQ(changes.last.address, cases[i].address, "case %zu", i);
        CHECK_EQ(changes.last.opaque, cases[i].opaque, "case %zu", i);
        b[cases[i].offset] = 0;
    }
    free(b);
    free(a);
}

/* Every byte belongs to something: no difference is overlooked. */
static void test_diff_sees_every_bit(void **state)
{
    uint8_t *a = calloc(1, V3_BYTES);
    uint8_t *b = calloc(1, V3_BYTES);
    uint64_t rnd = SEED;

    (void)state;
    for (size_t g = 0; g < ARRAY_LEN(gens); g++) {
        const struct trench_gen *gen = gen_of(gens[g]);
        size_t size = trench_ctxlog_size(gen);

        fill_random(a, size, &rnd);
        memcpy(b, a, size);
        CHECK_EQ(trench_ctxlog_diff(gen, a, b, note, &(struct changes){ 0 }), 0,
                 "equal");
        for (size_t i = 0; i < size; i += 1 + next_random(&rnd) % 113) {
            struct changes changes = { 0 };
            int nr;

            b[i] ^= (uint8_t)(1u << next_random(&rnd) % 8);
            nr = trench_ctxlog_diff(gen, a, b, note, &changes);
            /* a union has two views */
            CHECK_EQ(nr == 1 || nr == 2, 1, "%s byte 0x%zx: %d", gens[g], i,
                     nr);
            assert_true(changes.last.offset <= i &&
                        i < changes.last.offset + changes.last.size_bytes);
            b[i] = a[i];
        }
    }
    memset(b, 0x55, V3_BYTES);
    CHECK_EQ(trench_ctxlog_diff(gen_of(NULL), a, b, note,
                                &(struct changes){ .answer = -5 }),
             -5, "stops");
    free(b);
    free(a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_check_sizes),
        cmocka_unit_test(test_data_memory_of_another_generation),
        cmocka_unit_test(test_round_trip_is_lossless),
        cmocka_unit_test(test_encode_refuses),
        cmocka_unit_test(test_encode_tells_unknown_and_missing),
        cmocka_unit_test(test_encode_one_element_less),
        cmocka_unit_test(test_encode_takes_every_shape),
        cmocka_unit_test(test_encode_union),
        cmocka_unit_test(test_diff_names_the_field),
        cmocka_unit_test(test_diff_sees_every_bit),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
