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

#include <ctype.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/bits.h"
#include "csr/builtin.h"

static const char *const block_names[TRENCH_NR_BLOCKS] = CSR_BLOCK_NAMES;

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

static void put_fields(const struct trench_csr_block *block, size_t nr)
{
    printf("static const struct trench_csr_field b%zu_fields[] = {\n", nr);
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
        printf(" .offset = 0x%" PRIx32 "u, .count = %" PRIu32 "u,"
               " .stride = %" PRIu32 "u, .first_inst = %" PRIu32 "u,"
               " .first_reg = %u, .nr_regs = %u },\n",
               bundle->offset, bundle->count, bundle->stride,
               bundle->first_inst, bundle->first_reg, bundle->nr_regs);
    }
    printf("};\n\n");
}

/* Most words of a window hold nothing; only runs of registers are written. */
static void put_word_inst(const struct trench_csr_block *block, size_t nr)
{
    uint32_t nr_words = block->size_bytes / 4;
    unsigned column = 0;

    printf("static const uint16_t b%zu_word_inst[%" PRIu32 "] = {", nr,
           nr_words);
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
    printf("static const uint16_t b%zu_%s[] = {", nr, array);
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
    printf("\n    .bundles = b%zu_bundles, .regs = b%zu_regs,"
           " .fields = b%zu_fields,\n    .word_inst = b%zu_word_inst,"
           " .inst_reg = b%zu_inst_reg, .inst_index = b%zu_inst_index,\n",
           nr, nr, nr, nr, nr, nr);
    printf("    .size_bytes = %" PRIu32 "u, .nr_bundles = %u, .nr_regs = %u,"
           " .nr_fields = %u, .nr_insts = %u,\n};\n\n",
           block->size_bytes, block->nr_bundles, block->nr_regs,
           block->nr_fields, block->nr_insts);
}

/* The blocks of all generations, each file once. */
struct library {
    const char *manifest;
    struct trench_csr_block **blocks;
    size_t nr_blocks;
};

static int block_id(const char *name)
{
    for (int id = 0; id < TRENCH_NR_BLOCKS; id++) {
        if (strcmp(block_names[id], name) == 0) {
            return id;
        }
    }
    return -1;
}

/* Index of the block of a file in lib->blocks, or nr_blocks. */
static size_t find_block(const struct library *lib, const char *file)
{
    size_t i = 0;

    while (i < lib->nr_blocks && strcmp(lib->blocks[i]->file, file) != 0) {
        i++;
    }
    return i;
}

/* Files are named relative to the manifest's folder. */
static struct trench_csr_block *load_listed(const struct library *lib,
                                            const char *file)
{
    const char *slash = strrchr(lib->manifest, '/');
    int dir_len = slash ? (int)(slash + 1 - lib->manifest) : 0;
    struct trench_csr_block *block;
    char *path;

    if (asprintf(&path, "%.*s%s", dir_len, lib->manifest, file) < 0) {
        complain(lib->manifest, "out of memory");
        return NULL;
    }
    block = load_block(path);
    free(path);
    return block;
}

static int add_block(struct library *lib, const char *gen, const char *name,
                     const char *file)
{
    struct trench_csr_block *block, **bigger;
    size_t i;

    if (!file || strchr(file, '/') || block_id(name) < 0) {
        return complain(lib->manifest, "%s.%s: not a block and its file", gen,
                        name);
    }
    i = find_block(lib, file);
    if (i == lib->nr_blocks) {
        bigger = realloc(lib->blocks, (i + 1) * sizeof(*bigger));
        if (!bigger) {
            return complain(lib->manifest, "out of memory");
        }
        lib->blocks = bigger;
        block = load_listed(lib, file);
        if (!block) {
            return -1;
        }
        lib->blocks[lib->nr_blocks++] = block;
    }
    if (strcmp(lib->blocks[i]->name, name) != 0) {
        return complain(lib->manifest, "%s.%s: UnitName of %s is %s", gen, name,
                        file, lib->blocks[i]->name);
    }
    return 0;
}

static int add_gens(struct library *lib, json_t *gens)
{
    if (json_object_size(gens) == 0) {
        return complain(lib->manifest, "generations: not a list of names");
    }
    for (void *g = json_object_iter(gens); g;
         g = json_object_iter_next(gens, g)) {
        const char *gen = json_object_iter_key(g);
        json_t *list = json_object_iter_value(g);

        if (json_object_size(list) == 0) {
            return complain(lib->manifest, "%s: not a list of blocks", gen);
        }
        for (void *b = json_object_iter(list); b;
             b = json_object_iter_next(list, b)) {
            if (add_block(lib, gen, json_object_iter_key(b),
                          json_string_value(json_object_iter_value(b)))) {
                return -1;
            }
        }
    }
    return 0;
}

static void put_gens(const struct library *lib, json_t *gens)
{
    printf("const struct csr_builtin_gen csr_builtin_gens[] = {\n");
    for (void *g = json_object_iter(gens); g;
         g = json_object_iter_next(gens, g)) {
        json_t *list = json_object_iter_value(g);

        printf("    {");
        put_member("name", json_object_iter_key(g));
        printf(" .blocks = {\n");
        for (void *b = json_object_iter(list); b;
             b = json_object_iter_next(list, b)) {
            const char *file = json_string_value(json_object_iter_value(b));
            const char *name = json_object_iter_key(b);

            printf("        [%d] = &b%zu, /* %s */\n", block_id(name),
                   find_block(lib, file), name);
        }
        printf("    } },\n");
    }
    printf("};\n\nconst size_t csr_nr_builtin_gens = %zu;\n",
           json_object_size(gens));
}

static int gen_tables(const char *manifest)
{
    struct library lib = { .manifest = manifest };
    json_error_t err;
    json_t *root, *gens;
    int rc;

    root = json_load_file(manifest, JSON_REJECT_DUPLICATES, &err);
    if (!root) {
        fprintf(stderr, "%s:%d: %s\n", manifest, err.line > 0 ? err.line : 0,
                err.text);
        return -1;
    }
    gens = json_object_get(root, "generations");
    rc = add_gens(&lib, gens);
    if (!rc) {
        printf("/* Generated from the register schemas; do not edit. */\n");
        printf("#include \"csr/builtin.h\"\n\n");
        for (size_t i = 0; i < lib.nr_blocks; i++) {
            put_block(lib.blocks[i], i);
        }
        put_gens(&lib, gens);
    }
    for (size_t i = 0; i < lib.nr_blocks; i++) {
        trench_csr_free(lib.blocks[i]);
    }
    free(lib.blocks);
    json_decref(root);
    return rc;
}

/* header: collect, look for clashes, print. */

struct macro {
    char *name;
    const char *params;
    char *value;
    char *origin; /* what it stands for, for messages */
    size_t order;
};

struct header {
    const struct trench_csr_block *block;
    struct macro *macros;
    size_t nr_macros;
    size_t max_macros;
    bool no_memory; /* sticky; asked once, when all is collected */
};

/* Text on the heap, or NULL. */
__attribute__((format(printf, 1, 2))) static char *text(const char *format, ...)
{
    va_list args;
    char *out;
    int len;

    va_start(args, format);
    len = vasprintf(&out, format, args);
    va_end(args);
    return len < 0 ? NULL : out;
}

static bool make_room(struct header *hdr)
{
    size_t max = hdr->max_macros ? hdr->max_macros * 2 : 64;
    struct macro *bigger;

    if (hdr->nr_macros < hdr->max_macros) {
        return true;
    }
    bigger = realloc(hdr->macros, max * sizeof(*bigger));
    if (!bigger) {
        return false;
    }
    hdr->macros = bigger;
    hdr->max_macros = max;
    return true;
}

/* Takes over the three texts; any of them may be NULL for lack of memory. */
static void add_macro(struct header *hdr, char *name, const char *params,
                      char *value, char *origin)
{
    struct macro *macro;

    if (!name || !value || !origin || !make_room(hdr)) {
        hdr->no_memory = true;
        free(name);
        free(value);
        free(origin);
        return;
    }
    for (char *p = name; *p; p++) {
        *p = (char)toupper((unsigned char)*p);
    }
    macro = &hdr->macros[hdr->nr_macros];
    macro->name = name;
    macro->params = params;
    macro->value = value;
    macro->origin = origin;
    macro->order = hdr->nr_macros++;
}

static void add_field(struct header *hdr,
                      const struct trench_csr_bundle *bundle,
                      const struct trench_csr_reg *reg,
                      const struct trench_csr_field *field)
{
    const char *unit = hdr->block->name;
    uint32_t mask = UINT32_MAX >> (32 - field->width) << field->lsb;

    if (strncasecmp(field->name, "reserved", strlen("reserved")) == 0) {
        return;
    }
    add_macro(
        hdr,
        text("%s_%s_%s_%s_SHIFT", unit, bundle->name, reg->name, field->name),
        "", text("%u", field->lsb),
        text("%s.%s.%s", bundle->name, reg->name, field->name));
    add_macro(
        hdr,
        text("%s_%s_%s_%s_MASK", unit, bundle->name, reg->name, field->name),
        "", text("0x%08" PRIx32 "u", mask),
        text("%s.%s.%s", bundle->name, reg->name, field->name));
}

static void add_reg(struct header *hdr, const struct trench_csr_reg *reg)
{
    const struct trench_csr_block *block = hdr->block;
    const struct trench_csr_bundle *bundle = &block->bundles[reg->bundle];
    uint32_t offset = bundle->offset + reg->offset;
    char *name = text("%s_%s_%s", block->name, bundle->name, reg->name);
    char *origin = text("%s.%s", bundle->name, reg->name);

    if (bundle->count > 1) {
        add_macro(hdr, name, "(i)",
                  text("(0x%" PRIx32 "u + (i) * 0x%" PRIx32 "u)", offset,
                       bundle->stride),
                  origin);
    } else {
        add_macro(hdr, name, "", text("0x%" PRIx32 "u", offset), origin);
    }
    add_macro(hdr, text("%s_%s_%s_RESET", block->name, bundle->name, reg->name),
              "", text("0x%08" PRIx32 "u", reg->reset),
              text("%s.%s (reset)", bundle->name, reg->name));
    for (size_t i = 0; i < reg->nr_fields; i++) {
        add_field(hdr, bundle, reg, &block->fields[reg->first_field + i]);
    }
}

static void add_bundle(struct header *hdr,
                       const struct trench_csr_bundle *bundle)
{
    const char *unit = hdr->block->name;

    if (bundle->count > 1) {
        add_macro(hdr, text("%s_%s_COUNT", unit, bundle->name), "",
                  text("%" PRIu32 "u", bundle->count),
                  text("%s (count)", bundle->name));
        add_macro(hdr, text("%s_%s_STRIDE", unit, bundle->name), "",
                  text("0x%" PRIx32 "u", bundle->stride),
                  text("%s (stride)", bundle->name));
    }
    for (size_t i = 0; i < bundle->nr_regs; i++) {
        add_reg(hdr, &hdr->block->regs[bundle->first_reg + i]);
    }
}

static int compare_macros(const void *a, const void *b)
{
    const struct macro *x = a, *y = b;
    int order = strcmp(x->name, y->name);

    return order ? order : (x->order > y->order) - (x->order < y->order);
}

static int compare_order(const void *a, const void *b)
{
    const struct macro *x = a, *y = b;

    return (x->order > y->order) - (x->order < y->order);
}

/* The schema tells names apart by case and by dots; macros cannot. */
static int check_macros(struct header *hdr, const char *path)
{
    struct macro *macros = hdr->macros;
    int rc = 0;

    qsort(macros, hdr->nr_macros, sizeof(*macros), compare_macros);
    for (size_t i = 1; i < hdr->nr_macros; i++) {
        if (strcmp(macros[i - 1].name, macros[i].name) == 0) {
            rc = complain(path, "%s: macro %s would also stand for %s",
                          macros[i].origin, macros[i].name,
                          macros[i - 1].origin);
        }
    }
    qsort(macros, hdr->nr_macros, sizeof(*macros), compare_order);
    return rc;
}

static void put_header(const struct header *hdr, const char *guard)
{
    printf("/* Generated from %s; do not edit. */\n", hdr->block->file);
    printf("#ifndef %s\n#define %s\n\n", guard, guard);
    /* The guard is the first macro: it must not clash either. */
    for (size_t i = 1; i < hdr->nr_macros; i++) {
        printf("#define %s%s %s\n", hdr->macros[i].name, hdr->macros[i].params,
               hdr->macros[i].value);
    }
    printf("\n#endif /* %s */\n", guard);
}

static void collect_macros(struct header *hdr)
{
    const struct trench_csr_block *block = hdr->block;

    add_macro(hdr, text("TRENCH_%s_GEN_H", block->name), "", text("%s", ""),
              text("RegFile (guard)"));
    add_macro(hdr, text("%s_SIZE_BYTES", block->name), "",
              text("0x%" PRIx32 "u", block->size_bytes),
              text("RegFile (size)"));
    for (size_t i = 0; i < block->nr_bundles; i++) {
        add_bundle(hdr, &block->bundles[i]);
    }
}

static int gen_header(const char *path)
{
    struct trench_csr_block *block = load_block(path);
    struct header hdr = { .block = block };
    int rc;

    if (!block) {
        return -1;
    }
    collect_macros(&hdr);
    if (isdigit((unsigned char)block->name[0])) {
        rc = complain(path, "RegFile: UnitName %s starts with a digit",
                      block->name);
    } else if (hdr.no_memory) {
        rc = complain(path, "out of memory");
    } else {
        rc = check_macros(&hdr, path);
    }
    if (!rc) {
        put_header(&hdr, hdr.macros[0].name);
    }
    for (size_t i = 0; i < hdr.nr_macros; i++) {
        free(hdr.macros[i].name);
        free(hdr.macros[i].value);
        free(hdr.macros[i].origin);
    }
    free(hdr.macros);
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
