/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Names: what they stand for, what is said about wrong ones, nested and
 * opaque bundles, and fields of words.
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

#include "data/csr/demo.h"
#include "data/csr/full.h"

#define FIELD_V                                                                \
    "'BitFields': [{'Name': 'v', 'Position': '31:0', 'AccessType': 'RW', "     \
    "'ResetValue': '0', 'SpecialAccess': 'None'}]"
#define REG(name, offset)                                                      \
    "{'Name': '" name "', 'AddressOffset': '" offset "', "                     \
    "'AccessType': 'RW', " FIELD_V "}"
#define BUNDLE(name, offset, count, size)                                      \
    "{'Name': '" name "', 'AddressOffset': '" offset "', 'ArraySize': '" count \
    "', 'BundleSizeInBytes': '" size "'"

/* Every kind of bundle inside of a bundle, and an opaque one. */
static const char nested[] =
    "{'RegFile': {'UnitName': 'nest', 'AddrWidth': '12', 'DataWidth': '32',\n"
    " 'SizeInBytes': '0x1000', 'RegistersBundleArrays': [\n"
    /* An array of one thing. */
    BUNDLE("VecTable", "0x800", "4", "0x20") ", 'Registers': [\n" REG("ctrl", "0x10") "], 'RegistersBundleArrays': [\n" BUNDLE(
        "Val", "0x4", "1",
        "0x8") ", 'Registers': [" REG("lo", "0") ", " REG("hi", "4") "]}]},\n"
    /* One thing with an array. */
    BUNDLE("One", "0x100", "1",
           "0x100") ", 'Registers': [],\n"
                    " 'RegistersBundleArrays': [\n" BUNDLE(
                        "Many", "0x10", "3",
                        "8") ", 'Registers': [" REG("r", "4") "]}]},\n"
    /* An array of arrays. */
    BUNDLE(
        "Grid", "0x400", "2",
        "0x100") ", 'Registers': [],\n"
                 " 'RegistersBundleArrays': [\n" BUNDLE("Cell", "0x20", "3", "4") ", 'Registers': [" REG(
                     "c",
                     "0") "]}]},\n"
                          "{'Name': 'dark', 'Tag': ['X', 'OPAQUE'], 'Registers': []},\n" BUNDLE(
                              "low", "0", "1",
                              "4") ", 'Registers': [" REG("z", "0") "]}\n"
                                                                    "]}}\n";

static struct trench_csr_block *load_text(const char *sample)
{
    struct trench_csr_block *block = NULL;
    struct trench_csr_error err;
    char *text = mutate(sample, "", "");
    int rc = load_bytes(text, strlen(text), &block, &err);

    free(text);
    CHECK(rc == 0, "%d: %s: %s", err.line, err.path, err.reason);
    return block;
}

static void test_nested_bundles_are_flat(void **state)
{
    static const struct {
        const char *name;
        uint32_t offset, count, stride;
        uint16_t nr_regs, index_pos;
        uint8_t opaque;
    } rows[] = {
        { "VecTable", 0x800, 4, 0x20, 1, 8, 0 },
        { "VecTable.Val", 0x804, 4, 0x20, 2, 8, 0 },
        { "One.Many", 0x110, 3, 8, 1, 8, 0 },
        { "Grid[0].Cell", 0x420, 3, 4, 1, 12, 0 },
        { "Grid[1].Cell", 0x520, 3, 4, 1, 12, 0 },
        { "dark", 0, 1, 0, 0, 4, 1 },
        { "low", 0, 1, 4, 1, 3, 0 },
    };
    struct trench_csr_block *block = load_text(nested);

    (void)state;
    assert_int_equal(block->nr_bundles, ARRAY_LEN(rows));
    assert_int_equal(block->nr_insts, 4 + 8 + 3 + 3 + 3 + 1);
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        const struct trench_csr_bundle *b = &block->bundles[i];

        assert_string_equal(b->name, rows[i].name);
        CHECK(b->offset == rows[i].offset && b->count == rows[i].count &&
                  b->stride == rows[i].stride && b->nr_regs == rows[i].nr_regs,
              "%s: %#x %u %#x %u", b->name, b->offset, b->count, b->stride,
              b->nr_regs);
        CHECK(b->index_pos == rows[i].index_pos, "%s: %u", b->name,
              b->index_pos);
        CHECK(b->opaque == rows[i].opaque, "%s", b->name);
    }
    check_block(block, "nested");
    trench_csr_free(block);
}

static void test_nested_names_go_both_ways(void **state)
{
    static const struct {
        const char *name;
        uint32_t offset;
    } rows[] = {
        { "nest.VecTable[0].ctrl", 0x810 },
        { "nest.VecTable[3].Val.lo", 0x864 },
        { "nest.VecTable[3].Val.hi", 0x868 },
        { "nest.One.Many[2].r", 0x124 },
        { "nest.Grid[0].Cell[2].c", 0x428 },
        { "nest.Grid[1].Cell[0].c", 0x520 },
        { "nest.low.z", 0 },
    };
    struct trench_csr_block *block = load_text(nested);
    const struct trench_csr_block *const blocks[] = { block };
    const struct trench_csr_set set = { "x", blocks, 1 };

    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct trench_csr_ref ref;
        struct trench_csr_error err = { 0 };
        char name[64];

        CHECK(trench_csr_find(&set, rows[i].name, &ref, &err) == 0, "%s: %s",
              rows[i].name, err.reason);
        CHECK(trench_csr_ref_offset(&ref) == rows[i].offset, "%s: %#x",
              rows[i].name, trench_csr_ref_offset(&ref));
        assert_int_equal(trench_csr_at(block, rows[i].offset, &ref), 0);
        assert_int_equal(trench_csr_ref_name(&ref, name, sizeof(name)),
                         strlen(rows[i].name));
        assert_string_equal(name, rows[i].name);
        assert_true(
            trench_csr_name_at(block, rows[i].offset, name, sizeof(name)) > 0);
        assert_string_equal(name, rows[i].name + strlen("nest."));
    }
    trench_csr_free(block);
}

static void test_nested_refuses(void **state)
{
    static const char *const rows[][3] = {
        { "'VecTable'", "'low'", "two bundles have this name" },
        { "'lo'", "'hi'", "two registers have this name" },
        { "'0x800'", "'0xff0'", "outside the block" },
        { "'0x4', 'ArraySize'", "'0x10', 'ArraySize'", "overlaps" },
        { "'0x4', 'ArraySize'", "'0xfffffff0', 'ArraySize'",
          "outside the block" },
        { "'Registers': [" REG("c", "0") "]",
          "'Registers': [], 'RegistersBundleArrays': [" BUNDLE(
              "In", "0", "1", "4") ", 'Registers': [" REG("c", "0") "]}]",
          "inside of two arrays" },
        { "'Registers': [" REG("r", "4") "]", "'Registers': []",
          "Registers is empty" },
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        char *find = mutate(rows[i][0], "", "");
        char *all = mutate(nested, "", "");
        char *text = mutate(all, find, rows[i][1]);
        struct trench_csr_block *block = NULL;
        struct trench_csr_error err = { 0 };

        CHECK(load_bytes(text, strlen(text), &block, &err) == TRENCH_ERR_BADMSG,
              "row %zu", i);
        CHECK(strstr(err.reason, rows[i][2]), "row %zu: %s: %s", i, err.path,
              err.reason);
        CHECK(err.line > 0, "row %zu", i);
        free(text);
        free(all);
        free(find);
    }
}

/* Bundles in bundles in bundles ... end with a message, not with the stack. */
static void test_nested_depth_is_bounded(void **state)
{
    (void)state;
    for (unsigned depth = 1; depth <= 6; depth++) {
        struct trench_csr_block *block = NULL;
        struct trench_csr_error err;
        char *text;
        size_t len;
        FILE *out = open_memstream(&text, &len);
        int rc;

        assert_non_null(out);
        fputs("{'RegFile': {'UnitName': 'deep', 'AddrWidth': '12', "
              "'DataWidth': '32', 'SizeInBytes': '0x1000'",
              out);
        for (unsigned i = 0; i < depth; i++) {
            fputs(", 'RegistersBundleArrays': [" BUNDLE("b", "4", "1",
                                                        "4") ", 'Registers': [",
                  out);
            fputs(i + 1 == depth ? REG("r", "0") "]" : "]", out);
        }
        for (unsigned i = 0; i < depth; i++) {
            fputs("}]", out);
        }
        fputs("}}", out);
        assert_int_equal(fclose(out), 0);
        for (char *p = text; *p; p++) {
            *p = *p == '\'' ? '"' : *p;
        }
        rc = load_bytes(text, len, &block, &err);
        if (depth <= 4) {
            CHECK(rc == 0, "%u: %s", depth, err.reason);
            CHECK(block->word_inst[depth] == 1, "%u", depth);
        } else {
            CHECK(rc == TRENCH_ERR_BADMSG, "%u", depth);
            CHECK(strstr(err.reason, "more than 4 bundles in each other"),
                  "%u: %s", depth, err.reason);
        }
        trench_csr_free(block);
        free(text);
    }
}

/* Names. */

static const char demo_2[] =
    "{'RegFile': {'UnitName': 'other', 'AddrWidth': '12', 'DataWidth': '32',\n"
    " 'SizeInBytes': '0x1000', 'RegistersBundleArrays': [\n" BUNDLE("Q", "0x0", "2", "4") ", 'Registers': [" REG(
        "head",
        "0") "]},\n" BUNDLE("misc", "0x100", "1",
                            "8") ", 'Registers': [" REG("Tail",
                                                        "0") ", " REG("tail",
                                                                      "4") "]}]}}\n";

struct pair {
    struct trench_csr_block *blocks[2];
    const struct trench_csr_block *list[2];
    struct trench_csr_set set;
};

static void pair_open(struct pair *pair)
{
    pair->blocks[0] = load_demo();
    pair->blocks[1] = load_text(demo_2);
    pair->list[0] = pair->blocks[0];
    pair->list[1] = pair->blocks[1];
    pair->set = (struct trench_csr_set){ "pair", pair->list, 2 };
}

static void pair_close(struct pair *pair)
{
    trench_csr_free(pair->blocks[0]);
    trench_csr_free(pair->blocks[1]);
}

static void test_find_understands(void **state)
{
    static const struct {
        const char *name, *full;
        uint32_t offset;
    } rows[] = {
        { "demo", "demo", 0 },
        { "DEMO", "demo", 0 },
        { "demo.Q", "demo.Q", 0x100 },
        { "demo.Q[2]", "demo.Q[2]", 0x140 },
        { "demo.Q[2].tail", "demo.Q[2].tail", 0x148 },
        { "Demo.q[2].TAIL.Ptr", "demo.Q[2].tail.ptr", 0x148 },
        { "demo.Q.tail", "demo.Q.tail", 0x108 }, /* no index */
        { "demo.Q[0].tail", "demo.Q[0].tail", 0x108 },
        { "demo.Q[00003].tail", "demo.Q[3].tail", 0x168 },
        { "demo.misc.mix", "demo.misc.mix", 0x1c },
        { "demo.misc[0].mix", "demo.misc[0].mix", 0x1c },
        { "misc.mix.w0c", "demo.misc.mix.w0c", 0x1c }, /* no block */
        { "Q[3].tail", "demo.Q[3].tail", 0x168 },
        { "mix", "demo.misc.mix", 0x1c }, /* neither block nor bundle */
        { "mix.w1s", "demo.misc.mix.w1s", 0x1c },
        { "other.misc.Tail", "other.misc.Tail", 0x100 }, /* case decides */
        { "other.misc.tail", "other.misc.tail", 0x104 },
        { "demo+0x108", "demo.Q[0].tail", 0x108 },
        { "DEMO+0x16b", "demo.Q[3].tail", 0x168 },
        { "demo+28", "demo.misc.mix", 0x1c },
    };
    struct pair pair;

    (void)state;
    pair_open(&pair);
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct trench_csr_ref ref;
        struct trench_csr_error err = { 0 };
        char name[64];

        CHECK(trench_csr_find(&pair.set, rows[i].name, &ref, &err) == 0,
              "%s: %s", rows[i].name, err.reason);
        assert_int_equal(trench_csr_ref_name(&ref, name, sizeof(name)),
                         strlen(rows[i].full));
        assert_string_equal(name, rows[i].full);
        CHECK(trench_csr_ref_offset(&ref) == rows[i].offset, "%s: %#x",
              rows[i].name, trench_csr_ref_offset(&ref));
    }
    pair_close(&pair);
}

static void test_find_explains(void **state)
{
    static const struct {
        const char *name;
        int rc;
        const char *reason;
    } rows[] = {
        { "", TRENCH_ERR_INVAL,
          "'' is not a name like BLOCK.BUNDLE[3].REG.field" },
        { ".", TRENCH_ERR_INVAL, "is not a name" },
        { "demo.", TRENCH_ERR_INVAL, "is not a name" },
        { ".demo", TRENCH_ERR_INVAL, "is not a name" },
        { "demo..Q", TRENCH_ERR_INVAL, "is not a name" },
        { "demo Q", TRENCH_ERR_INVAL, "is not a name" },
        { "demo.Q[", TRENCH_ERR_INVAL, "is not a name" },
        { "demo.Q[]", TRENCH_ERR_INVAL, "is not a name" },
        { "demo.Q[-1]", TRENCH_ERR_INVAL, "is not a name" },
        { "demo.Q[1", TRENCH_ERR_INVAL, "is not a name" },
        { "demo.Q[1]x", TRENCH_ERR_INVAL, "is not a name" },
        { "demo.Q[0x1]", TRENCH_ERR_INVAL, "is not a name" },
        { "demo.Q[99999999999999999999]", TRENCH_ERR_INVAL, "is not a name" },
        { "a.b.c.d.e.f.g.h.i", TRENCH_ERR_INVAL, "is not a name" },
        { "d\xc3\xa9mo", TRENCH_ERR_INVAL, "'d??mo' is not a name" },
        { "dmeo.Q", TRENCH_ERR_NOENT,
          "pair has no block, bundle or register 'dmeo'; did you mean "
          "'demo'?" },
        { "xyzzy", TRENCH_ERR_NOENT,
          "pair has no block, bundle or register 'xyzzy'" },
        { "x", TRENCH_ERR_NOENT, "register 'x'" },
        { "demo.mics.mix", TRENCH_ERR_NOENT,
          "demo has no bundle 'mics'; did you mean 'misc'?" },
        { "demo.Q.hed", TRENCH_ERR_NOENT,
          "demo.Q has no register 'hed'; did you mean 'head'?" },
        { "demo.Q[1].hed", TRENCH_ERR_NOENT, "demo.Q[1] has no register" },
        { "demo.misc.mix.wc", TRENCH_ERR_NOENT,
          "demo.misc.mix has no field 'wc'; did you mean 'wo'?" },
        { "demo.misc.mix.wo.x", TRENCH_ERR_NOENT, "demo.misc" },
        { "demo.Q[4].head", TRENCH_ERR_INVAL,
          "index 4 of demo.Q is not within 0-3" },
        { "demo.misc[1].mix", TRENCH_ERR_INVAL,
          "index 1 of demo.misc is not within 0-0" },
        { "demo.Q.head[1]", TRENCH_ERR_INVAL, "only bundles do" },
        { "demo[1].Q", TRENCH_ERR_NOENT, "" },
        { "head", TRENCH_ERR_INVAL,
          "the name fits 2 things, such as demo.Q.head and other.Q.head" },
        { "Q", TRENCH_ERR_INVAL, "the name fits 2 things" },
        { "Q[1].head", TRENCH_ERR_INVAL,
          "such as demo.Q[1].head and other.Q[1].head" },
        { "other.misc.TAIL", TRENCH_ERR_INVAL,
          "such as other.misc.Tail and other.misc.tail" },
        { "demo+0x104", TRENCH_ERR_NOENT,
          "demo has no register at offset 0x104" },
        { "demo+0x400", TRENCH_ERR_NOENT, "outside demo, which has 0x400" },
        { "demo+99999999999999999999999", TRENCH_ERR_NOENT, "outside demo" },
        { "demo+", TRENCH_ERR_INVAL, "'' is no offset" },
        { "demo+ 4", TRENCH_ERR_INVAL, "is no offset" },
        { "demo+-4", TRENCH_ERR_INVAL, "is no offset" },
        { "demo+4k", TRENCH_ERR_INVAL, "'4k' is no offset" },
        { "nope+4", TRENCH_ERR_NOENT, "there is no block 'nope'" },
    };
    struct pair pair;

    (void)state;
    pair_open(&pair);
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct trench_csr_ref ref = { .index = 77 };
        struct trench_csr_error err = { 0 };

        CHECK(trench_csr_find(&pair.set, rows[i].name, &ref, &err) ==
                  rows[i].rc,
              "%s: %s", rows[i].name, err.reason);
        CHECK(strstr(err.reason, rows[i].reason), "%s: %s", rows[i].name,
              err.reason);
        CHECK(err.reason[0] != '\0' && ref.index == 77, "%s", rows[i].name);
        CHECK(trench_csr_find(&pair.set, rows[i].name, &ref, NULL) ==
                  rows[i].rc,
              "%s", rows[i].name);
    }
    pair_close(&pair);
}

static void test_find_names_opaque_bundles(void **state)
{
    struct trench_csr_block *block = load_text(nested);
    const struct trench_csr_block *const blocks[] = { block };
    const struct trench_csr_set set = { "x", blocks, 1 };
    struct trench_csr_ref ref;
    struct trench_csr_error err;

    (void)state;
    assert_int_equal(trench_csr_find(&set, "nest.dark", &ref, &err), 0);
    assert_true(ref.bundle->opaque);
    assert_int_equal(trench_csr_find(&set, "nest.dark.x", &ref, &err),
                     TRENCH_ERR_NOENT);
    assert_string_equal(err.reason,
                        "nest.dark is opaque: only the name is known");
    trench_csr_free(block);
}

/* Names of absurd length cost nothing and break nothing. */
static void test_find_survives_long_names(void **state)
{
    struct pair pair;
    char *name = malloc(1 << 20);

    (void)state;
    assert_non_null(name);
    pair_open(&pair);
    for (size_t len = 1; len < 1 << 20; len = len * 3 + 1) {
        struct trench_csr_ref ref;
        struct trench_csr_error err;

        memset(name, 'Q', len);
        name[len] = '\0';
        CHECK(trench_csr_find(&pair.set, name, &ref, &err) < 0, "%zu", len);
        memcpy(name, "Q.", len < 2 ? len : 2);
        CHECK(trench_csr_find(&pair.set, name, &ref, &err) < 0, "%zu", len);
    }
    pair_close(&pair);
    free(name);
}

/* Every register and field of every built-in block, by name and by offset. */
static void test_find_all_names(void **state)
{
    const struct trench_csr_lib *lib = full_lib();

    (void)state;
    if (!lib) {
        skip();
    }
    for (size_t s = 0; s < lib->nr_sets; s++) {
        const struct trench_csr_set *set = &lib->sets[s];

        for (size_t b = 0; b < set->nr_blocks; b++) {
            const struct trench_csr_block *block = set->blocks[b];

            for (uint32_t off = 0; off < block->size_bytes; off += 4) {
                struct trench_csr_ref ref, found;
                struct trench_csr_error err = { 0 };
                char name[128];

                if (trench_csr_at(block, off, &ref)) {
                    continue;
                }
                assert_int_equal(trench_csr_ref_offset(&ref), off);
                trench_csr_ref_name(&ref, name, sizeof(name));
                CHECK(trench_csr_find(set, name, &found, &err) == 0, "%s: %s",
                      name, err.reason);
                CHECK(trench_csr_ref_offset(&found) == off &&
                          found.block == block && found.reg == ref.reg,
                      "%s", name);
            }
        }
    }
    full_lib_free(lib);
}

/* Fields. */

static void check_round_trip(const struct trench_csr_field *field,
                             uint32_t *rnd)
{
    uint32_t mask = trench_csr_field_mask(field);
    uint32_t max = mask >> field->lsb;

    for (int i = 0; i < 4; i++) {
        uint32_t word, before, val;

        *rnd = *rnd * 1664525u + 1013904223u;
        word = before = *rnd;
        val = i == 0 ? 0 : i == 1 ? max : (*rnd >> 7) & max;
        assert_int_equal(trench_csr_field_put(field, val, &word), 0);
        assert_int_equal(trench_csr_field_get(field, word), val);
        assert_int_equal(word & ~mask, before & ~mask);
        if (max < UINT32_MAX) {
            assert_int_equal(trench_csr_field_put(field, max + 1, &word),
                             TRENCH_ERR_INVAL);
            assert_int_equal(trench_csr_field_get(field, word), val);
        }
    }
}

/* Encode and decode, and the reset value out of its parts. */
static void test_fields_round_trip(void **state)
{
    const struct trench_csr_lib *lib = full_lib();
    uint32_t rnd = 12345;

    (void)state;
    if (!lib) {
        skip();
    }
    for (size_t s = 0; s < lib->nr_sets; s++) {
        for (size_t b = 0; b < lib->sets[s].nr_blocks; b++) {
            const struct trench_csr_block *block = lib->sets[s].blocks[b];

            for (size_t r = 0; r < block->nr_regs; r++) {
                const struct trench_csr_reg *reg = &block->regs[r];
                uint32_t word = 0;

                for (size_t f = 0; f < reg->nr_fields; f++) {
                    const struct trench_csr_field *field =
                        &block->fields[reg->first_field + f];

                    check_round_trip(field, &rnd);
                    assert_ptr_equal(
                        trench_csr_reg_field(block, reg, field->name, NULL),
                        field);
                    assert_int_equal(
                        trench_csr_field_put(field, field->reset, &word), 0);
                }
                CHECK(word == reg->reset, "%s %s", block->file, reg->name);
            }
        }
    }
    full_lib_free(lib);
}

static void test_reg_field_explains(void **state)
{
    struct trench_csr_block *block = load_demo();
    const struct trench_csr_reg *mix = &block->regs[2];
    struct trench_csr_error err;

    (void)state;
    assert_string_equal(trench_csr_reg_field(block, mix, "W0C", &err)->name,
                        "w0c");
    assert_null(trench_csr_reg_field(block, mix, "w2c", &err));
    assert_string_equal(
        err.reason, "demo.misc.mix has no field 'w2c'; did you mean 'w0c'?");
    assert_null(trench_csr_reg_field(block, mix, "", &err));
    assert_null(trench_csr_reg_field(block, mix, "", NULL));
    trench_csr_free(block);
}

static void test_ref_name_cuts_like_snprintf(void **state)
{
    struct trench_csr_block *block = load_demo();
    struct trench_csr_ref ref;
    static const char full[] = "demo.Q[3].tail";

    (void)state;
    assert_int_equal(trench_csr_at(block, 0x168, &ref), 0);
    for (size_t size = 0; size <= sizeof(full); size++) {
        char *buf = malloc(size > 0 ? size : 1);

        assert_non_null(buf);
        assert_int_equal(trench_csr_ref_name(&ref, buf, size), strlen(full));
        if (size > 0) {
            assert_int_equal(strlen(buf),
                             size > strlen(full) ? strlen(full) : size - 1);
            assert_memory_equal(buf, full, strlen(buf));
        }
        free(buf);
    }
    assert_int_equal(trench_csr_ref_name(&ref, NULL, 0), strlen(full));
    trench_csr_free(block);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_nested_bundles_are_flat),
        cmocka_unit_test(test_nested_names_go_both_ways),
        cmocka_unit_test(test_nested_refuses),
        cmocka_unit_test(test_nested_depth_is_bounded),
        cmocka_unit_test(test_find_understands),
        cmocka_unit_test(test_find_explains),
        cmocka_unit_test(test_find_names_opaque_bundles),
        cmocka_unit_test(test_find_survives_long_names),
        cmocka_unit_test(test_find_all_names),
        cmocka_unit_test(test_fields_round_trip),
        cmocka_unit_test(test_reg_field_explains),
        cmocka_unit_test(test_ref_name_cuts_like_snprintf),
    };

    return cmocka_run_group_tests_name("csr_find", tests, NULL, NULL);
}
