/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A small schema for test_csr.c, the ways to load, change and print it, and
 * the table of all the ways to spoil it.
 */
#ifndef TRENCH_TEST_DEMO_H
#define TRENCH_TEST_DEMO_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include <trench/csr.h>

#include "base/bits.h"

/*
 * A valid schema that uses every feature. Quotes are single here and become
 * double on the way to the file.
 */
static const char demo[] =
    "{'RegFile': {'UnitName': 'demo', 'AddrWidth': '12', 'DataWidth': '32',\n"
    " 'SizeInBytes': '0x400', 'Description': 'A\\ndemo', 'Includes': [],\n"
    " 'Parameters': [{'Name': 'NUM_Q', 'Value': '4'},\n"
    "  {'Name': 'TOP', 'Value': '15'}],\n"
    " 'RegistersBundleArrays': [\n"
    "  {'Name': 'Q', 'AddressOffset': '256', 'ArraySize': 'NUM_Q',\n"
    "   'BundleSizeInBytes': '0x20', 'Registers': [\n"
    "    {'Name': 'head', 'AddressOffset': '0x0', 'AccessType': 'RO',\n"
    "     'BitFields': [\n"
    "      {'Name': 'idx', 'Position': 'TOP:0', 'AccessType': 'RO',\n"
    "       'ResetValue': '0x1234', 'SpecialAccess': 'None'}]},\n"
    "    {'Name': 'tail', 'AddressOffset': '08', 'AccessType': 'RW',\n"
    "     'BitFields': [\n"
    "      {'Name': 'ptr', 'Position': '31:0', 'AccessType': 'RW',\n"
    "       'ResetValue': '010', 'SpecialAccess': 'None'}]}]},\n"
    "  {'Name': 'misc', 'AddressOffset': '0x0', 'ArraySize': '1',\n"
    "   'BundleSizeInBytes': '4', 'Registers': [\n"
    "    {'Name': 'mix', 'AddressOffset': '0X1C', 'AccessType': 'RW',\n"
    "     'Tag': ['ONE', 'TWO'], 'Description': 'All rules', 'BitFields': [\n"
    "      {'Name': 'ro', 'Position': '3:0', 'AccessType': 'RO',\n"
    "       'ResetValue': '0x5', 'SpecialAccess': 'None'},\n"
    "      {'Name': 'rw', 'Position': '7:4', 'AccessType': 'RW',\n"
    "       'ResetValue': '10', 'SpecialAccess': 'None', 'Tag': ['T'],\n"
    "       'Description': 'Plain'},\n"
    "      {'Name': 'wo', 'Position': '11:8', 'AccessType': 'WO',\n"
    "       'ResetValue': '0xF', 'SpecialAccess': 'PulseOnW'},\n"
    "      {'Name': 'w0c', 'Position': '15:12', 'AccessType': 'RW',\n"
    "       'ResetValue': '0xf', 'SpecialAccess': 'WriteZeroToClear'},\n"
    "      {'Name': 'w1s', 'Position': '16', 'AccessType': 'WO',\n"
    "       'ResetValue': '0', 'SpecialAccess': 'WriteOneToSet'}]}]}]}}\n";

#define DEMO_HEAD 0x100u
#define DEMO_TAIL 0x108u
#define DEMO_MIX  0x1cu

/* Fail with the row that failed. */
#define CHECK(cond, ...)                                                       \
    do {                                                                       \
        if (!(cond)) {                                                         \
            print_error("%s: ", #cond);                                        \
            print_error(__VA_ARGS__);                                          \
            print_error("\n");                                                 \
            fail();                                                            \
        }                                                                      \
    } while (0)

static inline int load_bytes(const char *bytes, size_t len,
                             struct trench_csr_block **out,
                             struct trench_csr_error *err)
{
    char path[] = "/tmp/test_csr_XXXXXX";
    int fd = mkstemp(path);
    int rc;

    assert_true(fd >= 0);
    assert_int_equal(write(fd, bytes, len), (ssize_t)len);
    close(fd);
    rc = trench_csr_load(path, out, err);
    unlink(path);
    return rc;
}

/* Copy with the first `find` replaced and quotes made double. */
static inline char *mutate(const char *text, const char *find, const char *with)
{
    const char *at = strstr(text, find);
    size_t size = strlen(text) + strlen(with) + 1;
    char *out = malloc(size);

    CHECK(at, "the sample has no \"%s\"", find);
    assert_non_null(out);
    snprintf(out, size, "%.*s%s%s", (int)(at - text), text, with,
             at + strlen(find));
    for (char *p = out; *p; p++) {
        *p = *p == '\'' ? '"' : *p;
    }
    return out;
}

static inline struct trench_csr_block *load_demo(void)
{
    struct trench_csr_block *block = NULL;
    struct trench_csr_error err;
    char *text = mutate(demo, "", "");
    int rc = load_bytes(text, strlen(text), &block, &err);

    free(text);
    CHECK(rc == 0, "%d: %s: %s", err.line, err.path, err.reason);
    return block;
}

/* Text built piece by piece, for the large schemas. */
struct builder {
    char *text;
    size_t len;
    FILE *stream;
};

static inline void builder_open(struct builder *b)
{
    b->stream = open_memstream(&b->text, &b->len);
    assert_non_null(b->stream);
    fprintf(b->stream,
            "{\"RegFile\":{\"UnitName\":\"big\",\"AddrWidth\":\"24\","
            "\"DataWidth\":\"32\",\"SizeInBytes\":\"0x1000000\","
            "\"RegistersBundleArrays\":[");
}

static inline void builder_bundle(struct builder *b, unsigned nr,
                                  unsigned offset, unsigned count)
{
    fprintf(b->stream,
            "%s{\"Name\":\"b%u\",\"AddressOffset\":\"%u\",\"ArraySize\":\"%u\","
            "\"BundleSizeInBytes\":\"4\",\"Registers\":[",
            nr ? "," : "", nr, offset, count);
}

static inline void builder_reg(struct builder *b, unsigned nr,
                               unsigned nr_fields)
{
    fprintf(b->stream,
            "%s{\"Name\":\"r%u\",\"AddressOffset\":\"%u\","
            "\"AccessType\":\"RW\",\"BitFields\":[",
            nr ? "," : "", nr, nr * 4);
    for (unsigned i = 0; i < nr_fields; i++) {
        fprintf(b->stream,
                "%s{\"Name\":\"f%u\",\"Position\":\"%u\",\"AccessType\":\"RW\","
                "\"ResetValue\":\"0\",\"SpecialAccess\":\"None\"}",
                i ? "," : "", i, i);
    }
    fprintf(b->stream, "]}");
}

static inline int builder_load(struct builder *b, struct trench_csr_block **out,
                               struct trench_csr_error *err)
{
    int rc;

    fprintf(b->stream, "]}}");
    assert_int_equal(fclose(b->stream), 0);
    rc = load_bytes(b->text, b->len, out, err);
    free(b->text);
    return rc;
}

/*
 * All of a map but its words as text: the block, then a line for each
 * bundle, register, field and instance, members in the order of csr.h.
 */
static inline char *dump_block(const struct trench_csr_block *block)
{
    char *text = NULL;
    size_t len;
    FILE *out = open_memstream(&text, &len);

    assert_non_null(out);
    fprintf(out, "%s %s|%s %#x\n", block->name, block->desc, block->tags,
            block->size_bytes);
    for (size_t i = 0; i < block->nr_bundles; i++) {
        const struct trench_csr_bundle *b = &block->bundles[i];

        fprintf(out, "%s|%s|%s|%u%u %#x %u %#x %u %u %u\n", b->name, b->desc,
                b->tags, b->index_pos, b->opaque, b->offset, b->count,
                b->stride, b->first_inst, b->first_reg, b->nr_regs);
    }
    for (size_t i = 0; i < block->nr_regs; i++) {
        const struct trench_csr_reg *r = &block->regs[i];

        fprintf(out, "%s|%s|%s: %#x %#x %#x %#x %#x %u %u %u %u\n", r->name,
                r->desc, r->tags, r->offset, r->reset, r->read_mask,
                r->write_mask, r->w0c_mask, r->bundle, r->first_field,
                r->nr_fields, r->access);
    }
    for (size_t i = 0; i < block->nr_fields; i++) {
        const struct trench_csr_field *f = &block->fields[i];

        fprintf(out, "%s|%s|%s: %#x %u %u %u %u\n", f->name, f->desc, f->tags,
                f->reset, f->lsb, f->width, f->access, f->special);
    }
    for (size_t i = 0; i < block->nr_insts; i++) {
        fprintf(out, "%u %u\n", block->inst_reg[i], block->inst_index[i]);
    }
    assert_int_equal(fclose(out), 0);
    return text;
}

/* What a map promises to everybody who walks it. */
static inline void check_block(const struct trench_csr_block *block,
                               const char *what)
{
    for (uint32_t w = 0; w < block->size_bytes / 4; w++) {
        CHECK(block->word_inst[w] <= block->nr_insts, "%s: word %u", what, w);
    }
    for (uint32_t i = 0; i < block->nr_insts; i++) {
        const struct trench_csr_reg *reg = &block->regs[block->inst_reg[i]];
        const struct trench_csr_bundle *bundle = &block->bundles[reg->bundle];
        uint32_t addr = bundle->offset + reg->offset;

        addr += block->inst_index[i] * bundle->stride;
        CHECK(addr < block->size_bytes && block->word_inst[addr / 4] == i + 1,
              "%s: instance %u", what, i);
    }
}

struct refusal_row {
    const char *find; /* first occurrence in demo */
    const char *with;
    const char *path;   /* exactly */
    const char *reason; /* a piece of it */
};

static const struct refusal_row refusals[] = {
    { "{'RegFile'", "{'Regfile'", "", "RegFile is missing" },
    { "'RegFile': {", "'RegFile': [], 'x': {", "", "RegFile is not an object" },
    { "'demo'", "''", "RegFile", "UnitName is empty" },
    { "'demo'", "7", "RegFile", "UnitName is not a string" },
    { "'demo'", "'de mo'", "RegFile", "UnitName \"de mo\" has more than" },
    { "'UnitName': 'demo',", "", "RegFile", "UnitName is missing" },
    { "'A\\ndemo'", "null", "RegFile", "Description is not a string" },
    { "'0x400'", "1024", "RegFile", "SizeInBytes is not a string" },
    { "'0x400'", "'0'", "RegFile", "0 or not a multiple of 4" },
    { "'0x400'", "'0x402'", "RegFile", "0 or not a multiple of 4" },
    { "'0x400'", "'0x1000004'", "RegFile", "above 16 MiB" },
    { "'0x400'", "'4294967296'", "RegFile",
      "SizeInBytes \"4294967296\" is above 32 bits" },
    { "'0x400'", "'0x'", "RegFile", "is no number or expression" },
    { "'0x400'", "''", "RegFile", "is no number or expression" },
    { "'0x400'", "'-4'", "RegFile", "is negative" },
    { "'0x400'", "'4k'", "RegFile", "is no number or expression" },
    { "'0x400'", "'a0'", "RegFile", "names a parameter that does not exist" },
    { "'0x400'", "'0x400/(TOP-15)'", "RegFile", "divides by zero" },
    { "'0x400'", "'9223372036854775807+1'", "RegFile", "is too large" },
    { "'0x400'", "'log2(3)'", "RegFile", "takes log2 of what is no power" },
    { "'0x400'", "'log2(0)'", "RegFile", "takes log2 of what is no power" },
    { "'SizeInBytes': '0x400',", "", "RegFile", "SizeInBytes is missing" },
    { "'DataWidth': '32',", "", "RegFile", "DataWidth is missing" },
    { "'DataWidth': '32'", "'DataWidth': '64'", "RegFile", "not 32" },
    { "'AddrWidth': '12',", "", "RegFile", "AddrWidth is missing" },
    { "'AddrWidth': '12'", "'AddrWidth': '8'", "Q.head", "outside the block" },
    { "'Includes': []", "'Includes': ['x']", "RegFile", "not supported" },
    { "'Parameters': [", "'Parameters': 7, 'x': [", "RegFile",
      "Parameters is not a list" },
    { "'Value': '4'", "'Value': 4", "Parameters[0]",
      "Value of NUM_Q is not a string" },
    { "'Value': '4'", "'Value': 'X'", "Parameters[0]",
      "Value \"X\" of NUM_Q names a parameter that does not exist" },
    { "'Value': '4'", "'Value': 'NUM_Q'", "Parameters[0]",
      "Value \"NUM_Q\" of NUM_Q depends on itself" },
    { "'TOP', 'Value': '15'", "'TOP', 'Value': 'NUM_Q/0'", "Parameters[1]",
      "divides by zero" },
    { "'TOP', 'Value'", "'NUM_Q', 'Value'", "Parameters[1]",
      "two parameters are called NUM_Q" },
    { "'TOP', 'Value'", "'T.P', 'Value'", "Parameters[1]", "has more than" },
    { "'RegistersBundleArrays': [", "'x': [", "RegFile",
      "RegistersBundleArrays is missing" },
    { "'RegistersBundleArrays': [", "'RegistersBundleArrays': [], 'x': [",
      "RegFile", "RegistersBundleArrays is empty" },
    { "'RegistersBundleArrays': [", "'RegistersBundleArrays': [7,",
      "RegistersBundleArrays[0]", "not an object" },

    /* Bundles. */
    { "'Name': 'misc',", "", "RegistersBundleArrays[1]", "Name is missing" },
    { "'misc'", "''", "RegistersBundleArrays[1]", "Name is empty" },
    { "'misc'", "'mi.sc'", "RegistersBundleArrays[1]", "has more than" },
    { "'misc'", "'Q'", "Q", "two bundles have this name" },
    { "'256'", "256", "Q", "AddressOffset is not a string" },
    { "'256'", "'258'", "Q", "not a multiple of 4" },
    { "'ArraySize': 'NUM_Q',", "", "Q", "ArraySize is missing" },
    { "'ArraySize': 'NUM_Q'", "'ArraySize': 'NUM_X'", "Q", "\"NUM_X\"" },
    { "'ArraySize': 'NUM_Q'", "'ArraySize': '2*'", "Q",
      "ArraySize \"2*\" is no number or expression" },
    { "'ArraySize': 'NUM_Q'", "'ArraySize': '2*NUM_X'", "Q",
      "\"2*NUM_X\" names NUM_X, which is no parameter" },
    { "'ArraySize': 'NUM_Q'", "'ArraySize': 'NUM_Q-5'", "Q", "is negative" },
    { "'ArraySize': 'NUM_Q'", "'ArraySize': '0'", "Q", "ArraySize is 0" },
    { "'ArraySize': 'NUM_Q'", "'ArraySize': '32768'", "Q", "more than 65534" },
    { "'ArraySize': 'NUM_Q'", "'ArraySize': '4294967295'", "Q",
      "more than 65534" },
    { "'ArraySize': 'NUM_Q'", "'ArraySize': '25'", "Q.head",
      "index 24 at 0x400 is outside the block" },
    { "'BundleSizeInBytes': '0x20',", "", "Q", "BundleSizeInBytes is missing" },
    { "'0x20'", "'0x1e'", "Q", "not a multiple of 4" },
    { "'0x20'", "'0'", "Q.head", "outside its bundle" },
    { "'0x20'", "'0x8'", "Q.tail", "outside its bundle" },
    { "'0x20'", "'0xfffffffc'", "Q.head", "outside the block" },
    { "'Registers': [", "'x': [", "Q", "Registers is missing" },
    { "'Registers': [", "'Registers': [], 'x': [", "Q", "Registers is empty" },
    { "'Registers': [", "'Registers': '', 'x': [", "Q",
      "Registers is not a list" },
    { "'Registers': [", "'RegistersBundleArrays': 7, 'Registers': [", "Q",
      "RegistersBundleArrays is not a list" },
    { "'Registers': [", "'RegistersBundleArrays': [{}], 'Registers': [",
      "Q.RegistersBundleArrays[0]", "Name is missing" },
    { "'Registers': [", "'Tag': ['OPAQUE'], 'Registers': [", "Q",
      "an opaque bundle has no registers" },
    { "'Registers': [", "'Tag': 'OPAQUE', 'Registers': [", "Q",
      "Tag is not a list" },
    { "'Registers': [", "'Registers': [[],", "Q.Registers[0]",
      "not an object" },

    /* Registers. */
    { "'Name': 'tail',", "", "Q.Registers[1]", "Name is missing" },
    { "'tail'", "''", "Q.Registers[1]", "Name is empty" },
    { "'tail'", "'head'", "Q.head", "two registers have this name" },
    { "'08'", "'09'", "Q.tail", "not a multiple of 4" },
    { "'08'", "'0x20'", "Q.tail", "outside its bundle" },
    { "'08'", "'0xfffffffc'", "Q.tail", "outside its bundle" },
    { "'08'", "'0'", "Q.tail", "index 0 at 0x100 overlaps Q.head" },
    { "'0X1C'", "'0x100'", "misc.mix", "at 0x100 overlaps Q.head" },
    { "'0X1C'", "'0x168'", "misc.mix", "at 0x168 overlaps Q.tail" },
    { "'0X1C'", "'0x400'", "misc.mix", "outside the block" },
    { "'0X1C'", "'0xfffffffc'", "misc.mix", "outside the block" },
    { "'AccessType': 'RO',", "", "Q.head", "AccessType is missing" },
    { "'AccessType': 'RO'", "'AccessType': 'ro'", "Q.head",
      "AccessType \"ro\" is unknown" },
    { "'AccessType': 'RO'", "'AccessType': ''", "Q.head", "is unknown" },
    { "'BitFields': [", "'x': [", "Q.head", "BitFields is missing" },
    { "'BitFields': [", "'BitFields': [], 'x': [", "Q.head",
      "BitFields is empty" },
    { "'BitFields': [", "'BitFields': {}, 'x': [", "Q.head",
      "BitFields is not a list" },
    { "'BitFields': [", "'BitFields': [null,", "Q.head.BitFields[0]",
      "not an object" },
    { "['ONE', 'TWO']", "'ONE'", "misc.mix", "Tag is not a list" },
    { "['ONE', 'TWO']", "['ONE', 2]", "misc.mix", "Tag[1] is not a string" },
    { "'All rules'", "[]", "misc.mix", "Description is not a string" },

    /* Fields. */
    { "'Name': 'rw',", "", "misc.mix.BitFields[1]", "Name is missing" },
    { "'rw'", "''", "misc.mix.BitFields[1]", "Name is empty" },
    { "'rw'", "'ro'", "misc.mix.ro", "two fields have this name" },
    { "'7:4'", "'7:3'", "misc.mix.rw", "overlaps field ro" },
    { "'3:0'", "'31:0'", "misc.mix.rw", "overlaps field ro" },
    { "'31:0'", "'32:0'", "Q.tail.ptr", "outside 32 bits" },
    { "'31:0'", "'32'", "Q.tail.ptr", "outside 32 bits" },
    { "'31:0'", "'4294967295:0'", "Q.tail.ptr", "outside 32 bits" },
    { "'31:0'", "'0:31'", "Q.tail.ptr", "not high:low" },
    { "'31:0'", "':'", "Q.tail.ptr", "is no number or expression" },
    { "'31:0'", "'31:'", "Q.tail.ptr", "is no number or expression" },
    { "'31:0'", "''", "Q.tail.ptr", "is no number or expression" },
    { "'31:0'", "'31:0:0'", "Q.tail.ptr", "\"0:0\"" },
    { "'31:0'", "'NUM_X-1:0'", "Q.tail.ptr", "NUM_X, which is no parameter" },
    { "'31:0'", "31", "Q.tail.ptr", "Position is not a string" },
    { "'Position': '31:0',", "", "Q.tail.ptr", "Position is missing" },
    { "'0x5'", "'0x10'", "misc.mix.ro", "wider than the field" },
    { "'0x5'", "'0x100000000'", "misc.mix.ro", "is above 32 bits" },
    { "'0x5'", "'0xg'", "misc.mix.ro", "is no number or expression" },
    { "'0x5'", "5", "misc.mix.ro", "ResetValue is not a string" },
    { "'ResetValue': '0x5',", "", "misc.mix.ro", "ResetValue is missing" },
    { "'AccessType': 'RO',\n       'R", "'R", "Q.head.idx",
      "AccessType is missing" },
    { "'WO',", "'W1',", "misc.mix.wo", "AccessType \"W1\" is unknown" },
    { ", 'SpecialAccess': 'None'", "", "Q.head.idx",
      "SpecialAccess is missing" },
    { "'PulseOnW'", "'pulse'", "misc.mix.wo", "\"pulse\" is unknown" },
    { "'PulseOnW'", "true", "misc.mix.wo", "SpecialAccess is not a string" },
    { "'T'", "7", "misc.mix.rw", "Tag[0] is not a string" },
    { "'Plain'", "7", "misc.mix.rw", "Description is not a string" },
};

#endif /* TRENCH_TEST_DEMO_H */
