/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Register maps: the loader and what it refuses, the built-in tables, names
 * by address, the register file's access rules, and the published facts.
 *
 * TRENCH_REGS names the folder of the schema files.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include <trench/csr.h>

#include "csr/regfile.h"
#include "data/csr/demo.h"
#include "data/csr/published.h"
#include "data/csr/published_m2s.h"
#include "data/csr/published_s2m.h"
#include "udma_gen_gen.h"
#include "udma_m2s_gen.h"

/* Loader. */

static void test_load_fills_every_member(void **state)
{
    /* The lines of dump_block(). */
    static const char expected[] =
        "demo A demo| 0x400\n"
        "Q|||10 0x100 4 0x20 0 0 2\n"
        "misc|||40 0 1 0x4 8 2 1\n"
        "head||: 0 0x1234 0xffff 0 0 0 0 1 0\n"
        /* Decimal in spite of the zeros: offset 8, reset 10. */
        "tail||: 0x8 0xa 0xffffffff 0xffffffff 0 0 1 1 1\n"
        "mix|All rules|ONE TWO: 0x1c 0xffa5 0xf0ff 0xf0 0xf000 1 2 5 1\n"
        "idx||: 0x1234 0 16 0 0\n"
        "ptr||: 0xa 0 32 1 0\n"
        "ro||: 0x5 0 4 0 0\n"
        "rw|Plain|T: 0xa 4 4 1 0\n"
        "wo||: 0xf 8 4 2 1\n"
        "w0c||: 0xf 12 4 1 2\n"
        "w1s||: 0 16 1 2 3\n"
        "0 0\n1 0\n0 1\n1 1\n0 2\n1 2\n0 3\n1 3\n2 0\n";
    struct trench_csr_block *block = load_demo();
    char *text = dump_block(block);
    uint32_t nr_words = 0;

    (void)state;
    assert_string_equal(text, expected);
    assert_memory_equal(block->file, "test_csr_", 9);
    check_block(block, "demo");
    for (uint32_t i = 0; i < block->size_bytes / 4; i++) {
        nr_words += block->word_inst[i] > 0;
    }
    assert_int_equal(nr_words, block->nr_insts);
    free(text);
    trench_csr_free(block);
}

static void test_load_refuses_bad_schemas(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(refusals); i++) {
        const struct refusal_row *row = &refusals[i];
        char *text = mutate(demo, row->find, row->with);
        struct trench_csr_block *block = NULL;
        struct trench_csr_error err = { 0 };
        int rc = load_bytes(text, strlen(text), &block, &err);

        CHECK(rc == TRENCH_ERR_BADMSG, "row %zu: %s -> %s gives %d", i,
              row->find, row->with, rc);
        CHECK(!block, "row %zu: %s -> %s", i, row->find, row->with);
        CHECK(strcmp(err.path, row->path) == 0, "row %zu: %s -> %s: path %s", i,
              row->find, row->with, err.path);
        CHECK(strstr(err.reason, row->reason), "row %zu: %s -> %s: reason %s",
              i, row->find, row->with, err.reason);
        CHECK(err.line > 0 && err.line < 40, "row %zu: line %d", i, err.line);
        /* The caller need not want to know. */
        CHECK(load_bytes(text, strlen(text), &block, NULL) == rc, "row %zu", i);
        free(text);
    }
}

static void test_load_accepts_edges(void **state)
{
    /* Each stands right beside a refused one. */
    static const char *const edges[][2] = {
        { "'0x400'", "'0x1000000'" },
        { "'0x400'", "'1024'" },
        { "'AddrWidth': '12'", "'AddrWidth': '40'" },
        { "'0x20'", "'0xc'" },
        { "'ArraySize': 'NUM_Q'", "'ArraySize': '24'" },
        { "'08'", "'0x1c'" },
        { "'0X1C'", "'0x3fc'" },
        { "'0x5'", "'0xF'" },
        { "'31:0'", "'3:0'" },
        { "'16'", "'31'" },
        { "'rw'", "'idx'" },   /* another register's field */
        { "'mix'", "'head'" }, /* another bundle's register */
        { "'0x400'", "' 1024 '" },
        { "'0x400'", "'0x100*NUM_Q'" },
        { "'0x400'", "'(NUM_Q + 0x3c) * (TOP + 1)'" },
        { "'0x400'", "'1024/1--0'" },
        { "'ArraySize': 'NUM_Q'", "'ArraySize': 'log2(TOP+1)*6'" },
        { "'31:0'", "'8*NUM_Q-1:TOP-15'" },
        { "'Value': '4'", "'Value': 'log2(TOP+1)'" },
        { "'Value': '15'", "'Value': 'NUM_Q*NUM_Q-1'" },
        { "'Registers': [", "'RegistersBundleArrays': [], 'Registers': [" },
        { "'Description': 'A\\ndemo'", "'InterfaceType': null" },
        { "'Description': 'A\\ndemo'", "'Tag': ['PARTIAL']" },
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(edges); i++) {
        char *text = mutate(demo, edges[i][0], edges[i][1]);
        struct trench_csr_block *block = NULL;
        struct trench_csr_error err = { 0 };
        int rc = load_bytes(text, strlen(text), &block, &err);

        CHECK(rc == 0, "%s -> %s: %s: %s", edges[i][0], edges[i][1], err.path,
              err.reason);
        trench_csr_free(block);
        free(text);
    }
}

static void test_load_counts_instances(void **state)
{
    struct trench_csr_block *block = NULL;
    struct trench_csr_error err;
    struct builder b;

    (void)state;
    builder_open(&b);
    builder_bundle(&b, 0, 0, 65534);
    builder_reg(&b, 0, 1);
    fprintf(b.stream, "]}");
    assert_int_equal(builder_load(&b, &block, &err), 0);
    assert_int_equal(block->nr_insts, 65534);
    assert_int_equal(block->word_inst[65533], 65534);
    assert_int_equal(block->inst_index[65533], 65533);
    trench_csr_free(block);

    block = NULL;
    builder_open(&b);
    builder_bundle(&b, 0, 0, 65534);
    builder_reg(&b, 0, 1);
    fprintf(b.stream, "]}");
    builder_bundle(&b, 1, 65534 * 4, 1);
    builder_reg(&b, 0, 1);
    fprintf(b.stream, "]}");
    assert_int_equal(builder_load(&b, &block, &err), TRENCH_ERR_BADMSG);
    assert_string_equal(err.path, "b1");
    assert_non_null(strstr(err.reason, "more than 65534"));
    assert_null(block);
}

/* 16-bit indices must not wrap, and many names must not take for ever. */
static void test_load_counts_definitions(void **state)
{
    static const struct {
        unsigned nr_bundles, nr_regs, nr_fields; /* regs, fields: of each */
        const char *reason;                      /* NULL = loads */
    } rows[] = {
        { 1, 2047, 32, NULL },
        { 1, 2048, 32, "more than 65535 definitions" },
        { 1, 65534, 1, NULL },
        { 1, 65535, 1, "more than 65534 register instances" },
        { 1, 65536, 1, "more than 65534 register instances" },
        { 65534, 1, 1, NULL },
        { 65535, 1, 1, "more than 65534 register instances" },
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct trench_csr_block *block = NULL;
        struct trench_csr_error err;
        struct builder b;
        int rc;

        builder_open(&b);
        for (unsigned n = 0; n < rows[i].nr_bundles; n++) {
            builder_bundle(&b, n, n * 4, 1);
            for (unsigned r = 0; r < rows[i].nr_regs; r++) {
                builder_reg(&b, r, rows[i].nr_fields);
            }
            fprintf(b.stream, "]}");
        }
        rc = builder_load(&b, &block, &err);
        if (rows[i].reason) {
            CHECK(rc == TRENCH_ERR_BADMSG, "row %zu: %d", i, rc);
            CHECK(strstr(err.reason, rows[i].reason), "row %zu: %s", i,
                  err.reason);
            CHECK(!block, "row %zu", i);
        } else {
            CHECK(rc == 0, "row %zu: %s: %s", i, err.path, err.reason);
            assert_int_equal(block->nr_fields, rows[i].nr_bundles *
                                                   rows[i].nr_regs *
                                                   rows[i].nr_fields);
            trench_csr_free(block);
        }
    }
}

static void test_load_limits_parameters(void **state)
{
    (void)state;
    for (unsigned nr = 64; nr <= 65; nr++) {
        struct trench_csr_block *block = NULL;
        struct trench_csr_error err;
        char *params, *text;
        size_t len;
        FILE *stream = open_memstream(&params, &len);
        int rc;

        assert_non_null(stream);
        fprintf(stream, "'Parameters': [");
        for (unsigned i = 2; i < nr; i++) { /* two are there already */
            fprintf(stream, "{'Name': 'P%u', 'Value': '1'},", i);
        }
        assert_int_equal(fclose(stream), 0);
        text = mutate(demo, "'Parameters': [", params);
        rc = load_bytes(text, strlen(text), &block, &err);
        CHECK(rc == (nr > 64 ? TRENCH_ERR_BADMSG : 0), "%u parameters", nr);
        trench_csr_free(block);
        free(text);
        free(params);
    }
}

static void test_load_survives_truncation(void **state)
{
    char *text = mutate(demo, "", "");
    size_t len = strlen(text);

    (void)state;
    for (size_t n = 0; n <= len; n++) {
        struct trench_csr_block *block = NULL;
        struct trench_csr_error err;
        int rc = load_bytes(text, n, &block, &err);

        /* Only the final newline may go. */
        CHECK(rc == (n + 1 < len ? TRENCH_ERR_BADMSG : 0), "%zu bytes: %d", n,
              rc);
        CHECK(rc || block, "%zu bytes", n);
        trench_csr_free(block);
    }
    free(text);
}

static void test_load_survives_mutation(void **state)
{
    const uint32_t seed = 0x7e9c4;
    uint32_t rnd = seed;
    char *text = mutate(demo, "", "");
    size_t len = strlen(text);
    char *copy = malloc(len);

    (void)state;
    assert_non_null(copy);
    for (int round = 0; round < 5000; round++) {
        struct trench_csr_block *block = NULL;
        struct trench_csr_error err;

        memcpy(copy, text, len);
        for (int i = 0; i < 3; i++) {
            rnd = rnd * 1664525u + 1013904223u;
            copy[(rnd >> 8) % len] =
                "0123456789:\"xfRQ{}[], \\\xff"[(rnd >> 4) % 25];
        }
        if (load_bytes(copy, len, &block, &err) == 0) {
            char what[40];

            snprintf(what, sizeof(what), "seed %#x round %d", seed, round);
            check_block(block, what);
        }
        trench_csr_free(block);
    }
    free(copy);
    free(text);
}

/* Built-in maps. */

/* csrgen must lose nothing between the loader and the compiler. */
static void test_builtin_equals_loaded(void **state)
{
    const struct trench_csr_lib *lib = trench_csr_lib_builtin();
    const char *folder = getenv("TRENCH_REGS");

    (void)state;
    if (!folder) {
        skip();
    }
    for (size_t i = 0; i < lib->nr_sets * TRENCH_NR_BLOCKS; i++) {
        const struct trench_csr_set *set = &lib->sets[i / TRENCH_NR_BLOCKS];
        const struct trench_csr_block *built = trench_csr_builtin(
            set->name, (enum trench_block_id)(i % TRENCH_NR_BLOCKS));
        struct trench_csr_block *loaded = NULL;
        struct trench_csr_error err;
        char *path, *expected, *actual;

        if (!built) {
            continue;
        }
        assert_true(asprintf(&path, "%s/%s", folder, built->file) >= 0);
        CHECK(trench_csr_load(path, &loaded, &err) == 0, "%s: %s: %s", path,
              err.path, err.reason);
        expected = dump_block(loaded);
        actual = dump_block(built);
        assert_string_equal(actual, expected);
        assert_memory_equal(built->word_inst, loaded->word_inst,
                            built->size_bytes / 4 * sizeof(uint16_t));
        check_block(built, built->file);
        free(actual);
        free(expected);
        free(path);
        trench_csr_free(loaded);
    }
}

static void test_builtin_lookup(void **state)
{
    (void)state;
    for (int i = 0; i <= TRENCH_BLOCK_IOFIC; i++) {
        enum trench_block_id id = (enum trench_block_id)i;
        static const char *const names[] = {
            "udma_m2s",    "udma_s2m",   "udma_gen",
            "udma_gen_ex", "tdma_model", "iofic",
        };

        assert_string_equal(trench_csr_block_name(id), names[i]);
        assert_string_equal(trench_csr_builtin("cayman", id)->name, names[i]);
        assert_ptr_equal(trench_csr_builtin("Cayman", id),
                         trench_csr_builtin("cayman", id));
        assert_ptr_equal(trench_csr_builtin("CAYMAN", id),
                         trench_csr_builtin("cayman", id));
    }
    for (int i = 0; i < TRENCH_NR_BLOCKS; i++) {
        CHECK(trench_csr_block_name((enum trench_block_id)i), "id %d", i);
    }
    assert_null(trench_csr_block_name(TRENCH_NR_BLOCKS));
    assert_null(trench_csr_block_name((enum trench_block_id) - 1));
    assert_null(trench_csr_builtin("cayman", TRENCH_NR_BLOCKS));
    assert_null(trench_csr_builtin("cayman", (enum trench_block_id) - 1));
    assert_null(trench_csr_builtin("cayma", TRENCH_BLOCK_UDMA_GEN));
    assert_null(trench_csr_builtin("cayman2", TRENCH_BLOCK_UDMA_GEN));
    assert_null(trench_csr_builtin("", TRENCH_BLOCK_UDMA_GEN));
    assert_null(trench_csr_builtin(NULL, TRENCH_BLOCK_UDMA_GEN));
}

static void test_header_macros(void **state)
{
    (void)state;
    assert_int_equal(UDMA_M2S_SIZE_BYTES, 0x20000);
    assert_int_equal(UDMA_M2S_M2S_Q_COUNT, 16);
    assert_int_equal(UDMA_M2S_M2S_Q_STRIDE, 0x1000);
    assert_int_equal(UDMA_M2S_M2S_Q_TDRTP_INC(0), 0x1038);
    assert_int_equal(UDMA_M2S_M2S_Q_TDRTP_INC(14 + 1), 0x10038);
    assert_int_equal(UDMA_GEN_DMA_MISC_REVISION, 0x2104);
    assert_int_equal(UDMA_GEN_DMA_MISC_REVISION_RESET, 0x1c360003);
    assert_int_equal(UDMA_GEN_DMA_MISC_REVISION_MINOR_ID_SHIFT, 12);
    assert_int_equal(UDMA_GEN_DMA_MISC_REVISION_MINOR_ID_MASK, 0x00fff000);
    assert_int_equal(FIELD_GET(UDMA_GEN_DMA_MISC_REVISION_MINOR_ID,
                               UDMA_GEN_DMA_MISC_REVISION_RESET),
                     0x360);
    assert_int_equal(UDMA_GEN_AXI_CFG_1_TOUT_MASK, UINT32_MAX);
}

/* Names by address. */

static void test_name_at(void **state)
{
    static const struct {
        uint32_t offset;
        const char *name; /* NULL = no register */
    } rows[] = {
        { DEMO_HEAD, "Q[0].head" },
        { DEMO_TAIL, "Q[0].tail" },
        { DEMO_TAIL + 3, "Q[0].tail" },
        { DEMO_TAIL + 0x60, "Q[3].tail" },
        { DEMO_MIX, "misc.mix" },
        { 0, NULL },
        { DEMO_HEAD + 4, NULL },
        { DEMO_HEAD + 0x80, NULL },
        { 0x3ff, NULL },
        { 0x400, NULL },
        { UINT32_MAX, NULL },
    };
    struct trench_csr_block *block = load_demo();

    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        char buf[32] = "untouched";
        int len = trench_csr_name_at(block, rows[i].offset, buf, sizeof(buf));

        if (rows[i].name) {
            CHECK(len == (int)strlen(rows[i].name), "row %zu: %d", i, len);
            CHECK(strcmp(buf, rows[i].name) == 0, "row %zu: %s", i, buf);
        } else {
            CHECK(len == TRENCH_ERR_NOENT, "row %zu: %d", i, len);
            CHECK(buf[0] == '\0', "row %zu: %s", i, buf);
        }
    }
    trench_csr_free(block);
}

/* word_inst ends with the window; a sanitizer sees a look behind it. */
static void test_name_at_stops_at_the_end(void **state)
{
    (void)state;
    for (int id = 0; id < TRENCH_NR_BLOCKS; id++) {
        const struct trench_csr_block *block =
            trench_csr_builtin("cayman", (enum trench_block_id)id);
        char buf[80];

        if (!block) {
            continue;
        }
        assert_int_equal(
            trench_csr_name_at(block, block->size_bytes, buf, sizeof(buf)),
            TRENCH_ERR_NOENT);
    }
}

static void test_name_at_cuts_like_snprintf(void **state)
{
    struct trench_csr_block *block = load_demo();

    (void)state;
    for (size_t size = 0; size <= 12; size++) {
        char buf[12];

        memset(buf, '#', sizeof(buf));
        CHECK(trench_csr_name_at(block, DEMO_TAIL, buf, size) == 9, "%zu",
              size);
        CHECK(size == 0 || strlen(buf) == (size < 9 ? size - 1 : 9) ||
                  size == 9,
              "%zu", size);
        CHECK(size == sizeof(buf) || buf[11] == '#', "%zu", size);
    }
    assert_int_equal(trench_csr_name_at(block, DEMO_TAIL, NULL, 0), 9);
    assert_int_equal(trench_csr_name_at(block, 0, NULL, 0), TRENCH_ERR_NOENT);
    trench_csr_free(block);
}

/* Register file. */

struct device {
    struct trench_csr_block *block;
    struct regfile_class cls;
    struct regfile rf;
    uint32_t val[9];
    unsigned nr_calls;
    uint32_t idx, written, old, stored; /* of the last call */
};

static void device_init(struct device *dev, const struct regfile_hook *hooks,
                        size_t nr_hooks)
{
    memset(dev, 0, sizeof(*dev));
    dev->block = load_demo();
    assert_int_equal(regfile_class_init(&dev->cls, dev->block), 0);
    regfile_class_hook(&dev->cls, hooks, nr_hooks);
    regfile_init(&dev->rf, &dev->cls, dev->val, dev);
}

static void device_fini(struct device *dev)
{
    regfile_class_fini(&dev->cls);
    trench_csr_free(dev->block);
}

static void test_regfile_access_rules(void **state)
{
    static const struct {
        uint32_t written;
        uint32_t stored;
        uint32_t read;
        const char *rule;
    } rows[] = {
        { 0xffffffff, 0xfff5, 0xf0f5, "RO keeps, RW takes, WO reads 0" },
        { 0xfffffff0, 0xfff5, 0xf0f5, "RO ignores 0" },
        { 0x0000f030, 0xff35, 0xf035, "RW takes each bit" },
        { 0x00005000, 0x5f05, 0x5005, "0 clears W0C bits" },
        { 0x0000f000, 0x5f05, 0x5005, "1 does not set W0C bits" },
        { 0x00000000, 0x0f05, 0x0005, "0 clears the rest" },
        { 0x00010f00, 0x0f05, 0x0005, "WO does not store" },
    };
    struct device dev;

    (void)state;
    device_init(&dev, NULL, 0);
    assert_int_equal(regfile_read(&dev.rf, DEMO_MIX), 0xf0a5);
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        regfile_write(&dev.rf, DEMO_MIX, rows[i].written);
        CHECK(regfile_get(&dev.rf, DEMO_MIX) == rows[i].stored, "%s: %#x",
              rows[i].rule, regfile_get(&dev.rf, DEMO_MIX));
        CHECK(regfile_read(&dev.rf, DEMO_MIX) == rows[i].read, "%s: %#x",
              rows[i].rule, regfile_read(&dev.rf, DEMO_MIX));
    }
    regfile_write(&dev.rf, DEMO_HEAD, 0);
    assert_int_equal(regfile_read(&dev.rf, DEMO_HEAD), 0x1234);
    assert_int_equal(dev.rf.unknown, 0);
    device_fini(&dev);
}

static void test_regfile_keeps_instances_apart(void **state)
{
    struct device dev;

    (void)state;
    device_init(&dev, NULL, 0);
    for (uint32_t q = 0; q < 4; q++) {
        regfile_write(&dev.rf, DEMO_TAIL + q * 0x20, 0x100 + q);
    }
    for (uint32_t q = 0; q < 4; q++) {
        assert_int_equal(regfile_read(&dev.rf, DEMO_TAIL + q * 0x20),
                         0x100 + q);
        assert_int_equal(*regfile_at(&dev.rf, DEMO_TAIL + q * 0x20), 0x100 + q);
    }
    *regfile_at(&dev.rf, DEMO_TAIL) = 0xffffffff;
    regfile_reset(&dev.rf);
    assert_int_equal(regfile_read(&dev.rf, DEMO_TAIL), 10);
    assert_int_equal(regfile_read(&dev.rf, DEMO_TAIL + 0x60), 10);
    assert_int_equal(regfile_get(&dev.rf, DEMO_MIX), 0xffa5);
    device_fini(&dev);
}

static void test_regfile_counts_unknown_offsets(void **state)
{
    struct device dev;

    (void)state;
    device_init(&dev, NULL, 0);
    assert_int_equal(regfile_read(&dev.rf, 0), 0);
    assert_int_equal(dev.rf.unknown, 1);
    regfile_write(&dev.rf, 0x3fc, 1);
    assert_int_equal(dev.rf.unknown, 2);
    /* Device code is not counted. */
    assert_null(regfile_at(&dev.rf, 0));
    assert_int_equal(*regfile_word(&dev.rf, 0), 0);
    assert_ptr_equal(regfile_word(&dev.rf, DEMO_TAIL),
                     regfile_at(&dev.rf, DEMO_TAIL));
    assert_int_equal(regfile_get(&dev.rf, 0), 0);
    assert_int_equal(dev.rf.unknown, 2);
    device_fini(&dev);
}

static uint32_t read_hook(void *owner, uint32_t idx, uint32_t val)
{
    struct device *dev = owner;

    dev->nr_calls++;
    dev->idx = idx;
    dev->stored = val;
    return 0xabcdef00 + idx;
}

static void write_hook(void *owner, uint32_t idx, uint32_t written,
                       uint32_t old)
{
    struct device *dev = owner;

    dev->nr_calls++;
    dev->idx = idx;
    dev->written = written;
    dev->old = old;
    dev->stored = regfile_get(&dev->rf, DEMO_MIX);
}

static void test_regfile_runs_hooks(void **state)
{
    static const struct regfile_hook hooks[] = {
        { DEMO_HEAD, read_hook, NULL },
        { DEMO_MIX, NULL, write_hook },
    };
    struct device dev;

    (void)state;
    device_init(&dev, hooks, ARRAY_LEN(hooks));
    assert_int_equal(dev.nr_calls, 0); /* reset runs none */

    /* The hook's answer is masked with the field, 15:0. */
    assert_int_equal(regfile_read(&dev.rf, DEMO_HEAD + 0x40), 0xef02);
    assert_int_equal(dev.nr_calls, 1);
    assert_int_equal(dev.idx, 2);
    assert_int_equal(dev.stored, 0x1234);
    assert_int_equal(regfile_get(&dev.rf, DEMO_HEAD + 0x40), 0x1234);
    regfile_write(&dev.rf, DEMO_HEAD, 1); /* no write hook there */
    assert_int_equal(dev.nr_calls, 1);

    regfile_write(&dev.rf, DEMO_MIX, 0x18f70);
    assert_int_equal(dev.nr_calls, 2);
    assert_int_equal(dev.idx, 0);
    assert_int_equal(dev.written, 0x18f70); /* with the command bits */
    assert_int_equal(dev.old, 0xffa5);
    assert_int_equal(dev.stored, 0x8f75); /* stored before the call */
    assert_int_equal(regfile_read(&dev.rf, DEMO_MIX), 0x8075);
    assert_int_equal(dev.nr_calls, 2); /* no read hook there */
    regfile_read(&dev.rf, DEMO_TAIL);
    assert_int_equal(dev.nr_calls, 2);
    device_fini(&dev);
}

static void test_regfile_skips_absent_hooks(void **state)
{
    static const struct regfile_hook hooks[] = {
        { 0x0, read_hook, write_hook },              /* a hole */
        { DEMO_HEAD + 4, read_hook, write_hook },    /* a hole in a bundle */
        { DEMO_HEAD + 0x20, read_hook, write_hook }, /* not index 0 */
        { DEMO_MIX + 1, read_hook, write_hook },     /* not a word */
        { 0x400, read_hook, write_hook },            /* past the end */
        { UINT32_MAX, read_hook, write_hook },
    };
    struct device dev;

    (void)state;
    device_init(&dev, hooks, ARRAY_LEN(hooks));
    for (uint32_t off = 0; off < dev.block->size_bytes; off += 4) {
        regfile_write(&dev.rf, off, regfile_read(&dev.rf, off));
    }
    assert_int_equal(dev.nr_calls, 0);
    assert_int_equal(dev.rf.unknown, (0x400 / 4 - 9) * 2);
    device_fini(&dev);
}

/* Published facts about the built-in maps. */

static const struct trench_csr_block *cayman(enum trench_block_id id)
{
    const struct trench_csr_block *block = trench_csr_builtin("cayman", id);

    assert_non_null(block);
    return block;
}

static void count_block(const struct trench_csr_block *block,
                        int counts[NR_CENSUS_KINDS])
{
    memset(counts, 0, NR_CENSUS_KINDS * sizeof(*counts));
    counts[NR_BUNDLES] = block->nr_bundles;
    counts[NR_REGS] = block->nr_regs;
    counts[NR_FIELDS] = block->nr_fields;
    counts[NR_INSTS] = block->nr_insts;
    for (size_t i = 0; i < block->nr_regs; i++) {
        counts[REG_RO] += block->regs[i].access == TRENCH_CSR_RO;
        counts[REG_RW] += block->regs[i].access == TRENCH_CSR_RW;
        counts[REG_WO] += block->regs[i].access == TRENCH_CSR_WO;
    }
    for (size_t i = 0; i < block->nr_fields; i++) {
        counts[FIELD_RO] += block->fields[i].access == TRENCH_CSR_RO;
        counts[FIELD_RW] += block->fields[i].access == TRENCH_CSR_RW;
        counts[FIELD_WO] += block->fields[i].access == TRENCH_CSR_WO;
    }
}

static void test_published_counts(void **state)
{
    bool ok = true;

    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(census); i++) {
        const struct census_row *row = &census[i];
        int counts[NR_CENSUS_KINDS];

        count_block(cayman(row->block), counts);
        if (counts[row->kind] != row->known) {
            print_error("%s: %d %s, known %d, published %d\n",
                        trench_csr_block_name(row->block), counts[row->kind],
                        census_names[row->kind], row->known, row->published);
            ok = false;
        }
        /* A gap needs a reason, and a closed gap must lose it. */
        CHECK((row->known != row->published) == (row->gap != NULL), "%s: %s",
              trench_csr_block_name(row->block), census_names[row->kind]);
        if (row->gap) {
            print_message("# %s: %s: known %d, published %d: %s\n",
                          trench_csr_block_name(row->block),
                          census_names[row->kind], row->known, row->published,
                          row->gap);
        }
    }
    assert_true(ok);
}

static void test_published_bundles(void **state)
{
    size_t nr_rows[TRENCH_NR_BLOCKS] = { 0 };

    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(bundles); i++) {
        const struct bundle_row *row = &bundles[i];
        const struct trench_csr_block *block = cayman(row->block);
        const struct trench_csr_bundle *bundle = NULL;

        for (size_t b = 0; b < block->nr_bundles; b++) {
            if (strcmp(block->bundles[b].name, row->name) == 0) {
                bundle = &block->bundles[b];
            }
        }
        CHECK(bundle, "%s", row->name);
        CHECK(bundle->offset == row->base, "%s: %#x", row->name,
              bundle->offset);
        CHECK(bundle->count == row->count, "%s: %u", row->name, bundle->count);
        CHECK(bundle->stride == row->stride, "%s: %#x", row->name,
              bundle->stride);
        CHECK(bundle->nr_regs == row->nr_regs, "%s: %u", row->name,
              bundle->nr_regs);
        CHECK(bundle->offset + bundle->count * bundle->stride == row->end,
              "%s: end", row->name);
        nr_rows[row->block]++;
    }
    for (int id = 0; id < TRENCH_NR_BLOCKS; id++) {
        CHECK(nr_rows[id] == 0 ||
                  nr_rows[id] == cayman((enum trench_block_id)id)->nr_bundles,
              "%s: bundles not in the table",
              trench_csr_block_name((enum trench_block_id)id));
    }
}

/* The register "bundle.register"; fails the test when there is none. */
static const struct trench_csr_reg *find_reg(
    const struct trench_csr_block *block, const char *path)
{
    for (size_t i = 0; i < block->nr_regs; i++) {
        const struct trench_csr_reg *reg = &block->regs[i];
        const char *bundle = block->bundles[reg->bundle].name;
        size_t len = strlen(bundle);

        if (strncmp(path, bundle, len) == 0 && path[len] == '.' &&
            strcmp(path + len + 1, reg->name) == 0) {
            return reg;
        }
    }
    CHECK(false, "%s: no register %s", block->name, path);
    return NULL;
}

static uint32_t reg_offset(const struct trench_csr_block *block,
                           const struct trench_csr_reg *reg)
{
    return block->bundles[reg->bundle].offset + reg->offset;
}

static void check_reg_rows(const struct reg_row *rows, size_t nr_rows)
{
    for (size_t i = 0; i < nr_rows; i++) {
        const struct reg_row *row = &rows[i];
        const struct trench_csr_block *block = cayman(row->block);
        const struct trench_csr_reg *reg = find_reg(block, row->reg);

        CHECK(reg_offset(block, reg) == row->offset, "%s: %#x", row->reg,
              reg_offset(block, reg));
        CHECK(row->access == ANY || row->access == reg->access, "%s: access %u",
              row->reg, reg->access);
        CHECK(row->reset == ANY || row->reset == reg->reset, "%s: reset %#x",
              row->reg, reg->reset);
    }
}

static void test_published_registers(void **state)
{
    (void)state;
    check_reg_rows(regs, ARRAY_LEN(regs));
}

static const struct trench_csr_field *find_field(
    const struct trench_csr_block *block, const struct trench_csr_reg *reg,
    const char *name)
{
    for (size_t f = 0; f < reg->nr_fields; f++) {
        const struct trench_csr_field *field =
            &block->fields[reg->first_field + f];

        if (strcmp(field->name, name) == 0) {
            return field;
        }
    }
    CHECK(false, "%s has no %s", reg->name, name);
    return NULL;
}

static void check_field_rows(const struct field_row *rows, size_t nr_rows)
{
    for (size_t i = 0; i < nr_rows; i++) {
        const struct field_row *row = &rows[i];
        const struct trench_csr_block *block = cayman(row->block);
        const struct trench_csr_reg *reg = find_reg(block, row->reg);
        const struct trench_csr_field *field =
            find_field(block, reg, row->field);

        CHECK(row->offset == ANY_OFFSET ||
                  reg_offset(block, reg) == row->offset,
              "%s: %#x", row->reg, reg_offset(block, reg));
        CHECK(row->msb == ANY || (row->lsb == field->lsb &&
                                  row->msb == field->lsb + field->width - 1),
              "%s.%s: lsb %u width %u", row->reg, row->field, field->lsb,
              field->width);
        CHECK(row->access == ANY || row->access == field->access,
              "%s.%s: access %u", row->reg, row->field, field->access);
        CHECK(row->reset == ANY || row->reset == field->reset,
              "%s.%s: reset %#x", row->reg, row->field, field->reset);
    }
}

static void test_published_fields(void **state)
{
    (void)state;
    check_field_rows(fields, ARRAY_LEN(fields));
}

/* Fields that do not only fill a gap. */
static size_t nr_named_fields(const struct trench_csr_block *block)
{
    size_t nr = 0;

    for (size_t i = 0; i < block->nr_fields; i++) {
        nr += strncmp(block->fields[i].name, "reserved_", 9) != 0;
    }
    return nr;
}

/* udma-engine 0.4, 1 and 2: all that is published, and nothing else. */
static void test_published_m2s_and_s2m(void **state)
{
    (void)state;
    check_reg_rows(m2s_regs, ARRAY_LEN(m2s_regs));
    check_field_rows(m2s_fields, ARRAY_LEN(m2s_fields));
    check_reg_rows(s2m_regs, ARRAY_LEN(s2m_regs));
    check_field_rows(s2m_fields, ARRAY_LEN(s2m_fields));

    assert_int_equal(ARRAY_LEN(m2s_regs), 100);
    assert_int_equal(cayman(TRENCH_BLOCK_UDMA_M2S)->nr_regs, 100);
    assert_int_equal(ARRAY_LEN(m2s_fields), 213);
    assert_int_equal(nr_named_fields(cayman(TRENCH_BLOCK_UDMA_M2S)), 213);
    assert_int_equal(ARRAY_LEN(s2m_regs), 73);
    assert_int_equal(cayman(TRENCH_BLOCK_UDMA_S2M)->nr_regs, 73);
    assert_int_equal(ARRAY_LEN(s2m_fields), 165);
    assert_int_equal(nr_named_fields(cayman(TRENCH_BLOCK_UDMA_S2M)), 165);
}

/* Errors. */

static void test_strerror_describes_every_code(void **state)
{
    static const int own[] = {
        TRENCH_OK,           TRENCH_ERR_IO,     TRENCH_ERR_NOMEM,
        TRENCH_ERR_ACCES,    TRENCH_ERR_FAULT,  TRENCH_ERR_BUSY,
        TRENCH_ERR_EXIST,    TRENCH_ERR_NODEV,  TRENCH_ERR_INVAL,
        TRENCH_ERR_NOSPC,    TRENCH_ERR_NOENT,  TRENCH_ERR_NOTSUP,
        TRENCH_ERR_TIMEDOUT, TRENCH_ERR_BADMSG,
    };
    static const int unknown[] = { 1, INT32_MAX, INT32_MIN, -4095, -100000 };

    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(own); i++) {
        const char *phrase = trench_strerror(own[i]);

        CHECK(strcmp(phrase, "unknown error") != 0, "%d", own[i]);
        CHECK(phrase[strlen(phrase) - 1] != '.', "%d: %s", own[i], phrase);
        for (size_t j = 0; j < i; j++) {
            CHECK(strcmp(phrase, trench_strerror(own[j])) != 0, "%d and %d",
                  own[i], own[j]);
        }
    }
    assert_string_not_equal(trench_strerror(-EDOM), "unknown error");
    for (size_t i = 0; i < ARRAY_LEN(unknown); i++) {
        assert_string_equal(trench_strerror(unknown[i]), "unknown error");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_load_fills_every_member),
        cmocka_unit_test(test_load_refuses_bad_schemas),
        cmocka_unit_test(test_load_accepts_edges),
        cmocka_unit_test(test_load_counts_instances),
        cmocka_unit_test(test_load_counts_definitions),
        cmocka_unit_test(test_load_limits_parameters),
        cmocka_unit_test(test_load_survives_truncation),
        cmocka_unit_test(test_load_survives_mutation),
        cmocka_unit_test(test_builtin_equals_loaded),
        cmocka_unit_test(test_builtin_lookup),
        cmocka_unit_test(test_header_macros),
        cmocka_unit_test(test_name_at),
        cmocka_unit_test(test_name_at_stops_at_the_end),
        cmocka_unit_test(test_name_at_cuts_like_snprintf),
        cmocka_unit_test(test_regfile_access_rules),
        cmocka_unit_test(test_regfile_keeps_instances_apart),
        cmocka_unit_test(test_regfile_counts_unknown_offsets),
        cmocka_unit_test(test_regfile_runs_hooks),
        cmocka_unit_test(test_regfile_skips_absent_hooks),
        cmocka_unit_test(test_published_counts),
        cmocka_unit_test(test_published_bundles),
        cmocka_unit_test(test_published_registers),
        cmocka_unit_test(test_published_fields),
        cmocka_unit_test(test_published_m2s_and_s2m),
        cmocka_unit_test(test_strerror_describes_every_code),
    };

    return cmocka_run_group_tests_name("csr", tests, NULL, NULL);
}
