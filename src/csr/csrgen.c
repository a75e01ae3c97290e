/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Build-time generator: schemas in, C out.
 *
 *     csrgen tables MANIFEST    const tables of all maps, for csr.c
 *     csrgen header FILE        offset and field macros of one block
 *
 * Results go to stdout, errors to stderr as "file:line: path: reason". Exit
 * status 0: done, 1: the input was refused, 2: usage.
 */
#include <trench/csr.h>

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "csr/header.h"

/* How to spell the enums of csr.h. */
static const char *const access_names[] = {
    [TRENCH_CSR_RO] = "TRENCH_CSR_RO",
    [TRENCH_CSR_RW] = "TRENCH_CSR_RW",
    [TRENCH_CSR_WO] = "TRENCH_CSR_WO",
};
static const char *const special_names[] = {
    [TRENCH_CSR_SPECIAL_NONE] = "TRENCH_CSR_SPECIAL_NONE",
    [TRENCH_CSR_SPECIAL_PULSE_ON_W] = "TRENCH_CSR_SPECIAL_PULSE_ON_W",
    [TRENCH_CSR_SPECIAL_W0C] = "TRENCH_CSR_SPECIAL_W0C",
    [TRENCH_CSR_SPECIAL_W1S] = "TRENCH_CSR_SPECIAL_W1S",
};

/* Report an error; always -1, so that call sites stay one line. */
__attribute__((format(printf, 2, 3))) static int complain(const char *file,
                                                          const char *format,
                                                          ...)
{
    va_list args;

    fprintf(stderr, "%s:0: ", file);
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    fputc('\n', stderr);
    return -1;
}

static struct trench_csr_block *load_block(const char *path)
{
    struct trench_csr_block *block;
    struct trench_csr_error err;

    if (trench_csr_load(path, &block, &err) == 0) {
        return block;
    }
    fprintf(stderr, "%s:%d: %s%s%s\n", path, err.line, err.path,
            err.path[0] ? ": " : "", err.reason);
    return NULL;
}

/* tables: one array after the other, prefixed b<n>_ for the n-th block. */

/* As a C literal; octal needs no care about the character behind it. */
static void put_string(const char *s)
{
    putchar('"');
    for (; *s; s++) {
        unsigned char c = (unsigned char)*s;

        /* '?' could start a trigraph. */
        if (c < 0x20 || c > 0x7e || c == '"' || c == '\\' || c == '?') {
            printf("\\%03o", c);
        } else {
            putchar(c);
        }
    }
    putchar('"');
}

static void put_member(const char *member, const char *text)
{
    printf(" .%s = ", member);
    put_string(text);
    putchar(',');
}

/* C11 has no empty initialiser; a block may hold nothing but names. */
static void put_empty(size_t nr)
{
    if (nr == 0) {
        printf("    { 0 },\n");
    }
}

static void put_fields(const struct trench_csr_block *block, size_t nr)
{
    printf("static const struct trench_csr_field b%zu_fields[] = {\n", nr);
    put_empty(block->nr_fields);
    for (size_t i = 0; i < block->nr_fields; i++) {
        const struct trench_csr_field *field = &block->fields[i];

        printf("    {");
        put_member("name", field->name);
        put_member("desc", field->desc);
        put_member("tags", field->tags);
        printf(" .reset = 0x%" PRIx32 "u, .lsb = %u, .width = %u,"
               " .access = %s, .special = %s },\n",
               field->reset, field->lsb, field->width,
               access_names[field->access], special_names[field->special]);
    }
    printf("};\n\n");
}

static void put_regs(const struct trench_csr_block *block, size_t nr)
{
    printf("static const struct trench_csr_reg b%zu_regs[] = {\n", nr);
    put_empty(block->nr_regs);
    for (size_t i = 0; i < block->nr_regs; i++) {
        const struct trench_csr_reg *reg = &block->regs[i];

        printf("    {");
        put_member("name", reg->name);
        put_member("desc", reg->desc);
        put_member("tags", reg->tags);
        printf(" .offset = 0x%" PRIx32 "u, .reset = 0x%" PRIx32 "u,"
               " .read_mask = 0x%" PRIx32 "u, .write_mask = 0x%" PRIx32 "u,"
               " .w0c_mask = 0x%" PRIx32 "u,",
               reg->offset, reg->reset, reg->read_mask, reg->write_mask,
               reg->w0c_mask);
        printf(" .bundle = %u, .first_field = %u, .nr_fields = %u,"
               " .access = %s },\n",
               reg->bundle, reg->first_field, reg->nr_fields,
               access_names[reg->access]);
    }
    printf("};\n\n");
}

static void put_bundles(const struct trench_csr_block *block, size_t nr)
{
    printf("static const struct trench_csr_bundle b%zu_bundles[] = {\n", nr);
    for (size_t i = 0; i < block->nr_bundles; i++) {
        const struct trench_csr_bundle *bundle = &block->bundles[i];

        printf("    {");
        put_member("name", bundle->name);
        put_member("desc", bundle->desc);
        put_member("tags", bundle->tags);
        printf(" .offset = 0x%" PRIx32 "u, .count = %" PRIu32 "u,"
               " .stride = %" PRIu32 "u, .first_inst = %" PRIu32 "u,"
               " .first_reg = %u, .nr_regs = %u, .index_pos = %u,"
               " .opaque = %u },\n",
               bundle->offset, bundle->count, bundle->stride,
               bundle->first_inst, bundle->first_reg, bundle->nr_regs,
               bundle->index_pos, bundle->opaque);
    }
    printf("};\n\n");
}

/* Most words of a window hold nothing; only runs of registers are written. */
static void put_word_inst(const struct trench_csr_block *block, size_t nr)
{
    uint32_t nr_words = block->size_bytes / 4;
    unsigned column = 0;

    printf("static const uint16_t b%zu_word_inst[%" PRIu32 "] = {%s", nr,
           nr_words, block->nr_insts == 0 ? " 0 " : "");
    for (uint32_t word = 0; word < nr_words; word++) {
        if (block->word_inst[word] == 0) {
            continue;
        }
        if (column % 8 == 0 || block->word_inst[word - 1] == 0) {
            printf("\n    [0x%" PRIx32 "] =", word);
            column = 0;
        }
        printf(" %u,", block->word_inst[word]);
        column++;
    }
    printf("\n};\n\n");
}

static void put_numbers(const char *array, const uint16_t *numbers,
                        size_t nr_numbers, size_t nr)
{
    printf("static const uint16_t b%zu_%s[] = {%s", nr, array,
           nr_numbers == 0 ? " 0 " : "");
    for (size_t i = 0; i < nr_numbers; i++) {
        printf(i % 12 == 0 ? "\n    %u," : " %u,", numbers[i]);
    }
    printf("\n};\n\n");
}

static void put_block(const struct trench_csr_block *block, size_t nr)
{
    put_fields(block, nr);
    put_regs(block, nr);
    put_bundles(block, nr);
    put_word_inst(block, nr);
    put_numbers("inst_reg", block->inst_reg, block->nr_insts, nr);
    put_numbers("inst_index", block->inst_index, block->nr_insts, nr);

    printf("static const struct trench_csr_block b%zu = {\n   ", nr);
    put_member("name", block->name);
    put_member("file", block->file);
    put_member("desc", block->desc);
    put_member("tags", block->tags);
    printf("\n    .bundles = b%zu_bundles, .regs = b%zu_regs,"
           " .fields = b%zu_fields,\n    .word_inst = b%zu_word_inst,"
           " .inst_reg = b%zu_inst_reg, .inst_index = b%zu_inst_index,\n",
           nr, nr, nr, nr, nr, nr);
    printf("    .size_bytes = %" PRIu32 "u, .nr_bundles = %u, .nr_regs = %u,"
           " .nr_fields = %u, .nr_insts = %u,\n};\n\n",
           block->size_bytes, block->nr_bundles, block->nr_regs,
           block->nr_fields, block->nr_insts);
}

/* Blocks of a library, each once. */
struct blocks {
    const struct trench_csr_block **items;
    size_t nr;
};

/* Index of the block in the list, or its length. */
static size_t find_block(const struct blocks *blocks,
                         const struct trench_csr_block *block)
{
    size_t i = 0;

    while (i < blocks->nr && blocks->items[i] != block) {
        i++;
    }
    return i;
}

static int collect_blocks(const struct trench_csr_lib *lib,
                          struct blocks *blocks)
{
    size_t max = 1;

    for (size_t i = 0; i < lib->nr_sets; i++) {
        max += lib->sets[i].nr_blocks;
    }
    blocks->nr = 0;
    blocks->items = calloc(max, sizeof(*blocks->items));
    if (!blocks->items) {
        return complain("csrgen", "out of memory");
    }
    for (size_t i = 0; i < lib->nr_sets; i++) {
        for (size_t j = 0; j < lib->sets[i].nr_blocks; j++) {
            const struct trench_csr_block *block = lib->sets[i].blocks[j];

            if (find_block(blocks, block) == blocks->nr) {
                blocks->items[blocks->nr++] = block;
            }
        }
    }
    return 0;
}

static void put_sets(const struct trench_csr_lib *lib,
                     const struct blocks *blocks)
{
    for (size_t i = 0; i < lib->nr_sets; i++) {
        const struct trench_csr_set *set = &lib->sets[i];

        printf("static const struct trench_csr_block *const s%zu_blocks[] = "
               "{\n",
               i);
        for (size_t j = 0; j < set->nr_blocks; j++) {
            printf("    &b%zu, /* %s */\n", find_block(blocks, set->blocks[j]),
                   set->blocks[j]->name);
        }
        printf("};\n\n");
    }
    printf("static const struct trench_csr_set sets[] = {\n");
    for (size_t i = 0; i < lib->nr_sets; i++) {
        printf("    {");
        put_member("name", lib->sets[i].name);
        printf(" .blocks = s%zu_blocks, .nr_blocks = %zu },\n", i,
               lib->sets[i].nr_blocks);
    }
    printf("};\n\nconst struct trench_csr_lib csr_builtin_lib = {\n"
           "    .sets = sets, .nr_sets = %zu,\n};\n",
           lib->nr_sets);
}

static void print_finding(void *opaque,
                          const struct trench_csr_finding *finding)
{
    const struct trench_csr_error *err = &finding->err;

    (void)opaque;
    fprintf(stderr, "%s:%d: %s%s%s\n", finding->file, err->line, err->path,
            err->path[0] ? ": " : "", err->reason);
}

/* One bad file spoils the build. */
static int gen_tables(const char *manifest)
{
    struct trench_csr_lib *lib = NULL;
    struct blocks blocks;
    int rc;

    rc = trench_csr_lib_load(manifest, print_finding, NULL, &lib);
    if (rc < 0) {
        return complain(manifest, "%s", trench_strerror(rc));
    }
    if (rc > 0) {
        trench_csr_lib_free(lib);
        return -1;
    }
    rc = collect_blocks(lib, &blocks);
    if (!rc) {
        printf("/* Generated from the register schemas; do not edit. */\n");
        printf("#include \"csr/builtin.h\"\n\n");
        for (size_t i = 0; i < blocks.nr; i++) {
            put_block(blocks.items[i], i);
        }
        put_sets(lib, &blocks);
    }
    free(blocks.items);
    trench_csr_lib_free(lib);
    return rc;
}

/* header */

static int put_text(void *opaque, const char *text)
{
    (void)opaque;
    fputs(text, stdout);
    return 0;
}

static int gen_header(const char *path)
{
    struct trench_csr_block *block = load_block(path);
    struct trench_csr_error err;
    int rc;

    if (!block) {
        return -1;
    }
    rc = csr_header_plain(block, put_text, NULL, &err);
    if (rc) {
        complain(path, "%s: %s", err.path, err.reason);
    }
    trench_csr_free(block);
    return rc;
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        int (*run)(const char *path);
    } commands[] = {
        { "tables", gen_tables },
        { "header", gen_header },
    };

    for (size_t i = 0; i < ARRAY_LEN(commands); i++) {
        if (argc != 3 || strcmp(argv[1], commands[i].name) != 0) {
            continue;
        }
        if (commands[i].run(argv[2])) {
            return 1;
        }
        if (fflush(stdout) != 0 || ferror(stdout)) {
            complain(argv[2], "the output cannot be written");
            return 1;
        }
        return 0;
    }
    fprintf(stderr, "usage: csrgen tables MANIFEST | csrgen header FILE\n");
    return 2;
}
