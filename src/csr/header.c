/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Headers: collect the macros, look for clashes, print. The schema tells
 * names apart by case and by dots; macros cannot. Our own headers refuse a
 * clash; for a user's schema the later macro gets a number, and a comment
 * that says what it stands for.
 */
#include "csr/header.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define MAX_ROUNDS 16 /* of renaming; a schema needs two */

struct macro {
    char *name;
    const char *params; /* "" or "(i)" */
    char *value;
    char *origin; /* what it stands for, for messages */
    size_t order;
    bool renamed;
};

struct header {
    const struct trench_csr_block *block; /* being collected */
    const char *prefix;                   /* "TRENCH_CAYMAN_" or "" */
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

/* "VecTable[3].Val" becomes VECTABLE_3_VAL. */
static void make_identifier(char *name)
{
    char *to = name;

    for (const char *p = name; *p; p++) {
        if (*p != ']') {
            *to++ =
                *p == '.' || *p == '[' ? '_' : (char)toupper((unsigned char)*p);
        }
    }
    *to = '\0';
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
    make_identifier(name);
    macro = &hdr->macros[hdr->nr_macros];
    macro->name = name;
    macro->params = params;
    macro->value = value;
    macro->origin = origin;
    macro->renamed = false;
    macro->order = hdr->nr_macros++;
}

/* The name of a macro: prefix, block, and up to three parts. */
static char *macro_name(const struct header *hdr, const char *const parts[3])
{
    return text("%s%s%s%s%s%s%s%s", hdr->prefix, hdr->block->name,
                parts[0] ? "_" : "", parts[0] ? parts[0] : "",
                parts[1] ? "_" : "", parts[1] ? parts[1] : "",
                parts[2] ? "_" : "", parts[2] ? parts[2] : "");
}

/* The same as a user writes it. */
static char *origin_name(const struct header *hdr, const char *const parts[3])
{
    return text("%s%s%s%s%s%s%s", hdr->block->name, parts[0] ? "." : "",
                parts[0] ? parts[0] : "", parts[1] ? "." : "",
                parts[1] ? parts[1] : "", parts[2] ? "." : "",
                parts[2] ? parts[2] : "");
}

/* A macro whose name ends with a suffix; value is taken over. */
static void add_named(struct header *hdr, const char *const parts[3],
                      const char *suffix, const char *params, char *value)
{
    char *stem = macro_name(hdr, parts);
    char *name = stem ? text("%s%s", stem, suffix) : NULL;

    free(stem);
    add_macro(hdr, name, params, value, origin_name(hdr, parts));
}

static void add_field(struct header *hdr, const char *bundle, const char *reg,
                      const struct trench_csr_field *field)
{
    const char *const parts[3] = { bundle, reg, field->name };

    if (strncasecmp(field->name, "reserved", strlen("reserved")) == 0) {
        return;
    }
    add_named(hdr, parts, "_SHIFT", "", text("%u", field->lsb));
    add_named(hdr, parts, "_MASK", "",
              text("0x%08" PRIx32 "u", trench_csr_field_mask(field)));
}

static void add_reg(struct header *hdr, const struct trench_csr_reg *reg)
{
    const struct trench_csr_block *block = hdr->block;
    const struct trench_csr_bundle *bundle = &block->bundles[reg->bundle];
    const char *const parts[3] = { bundle->name, reg->name, NULL };
    uint32_t offset = bundle->offset + reg->offset;

    if (bundle->count > 1) {
        add_named(hdr, parts, "", "(i)",
                  text("(0x%" PRIx32 "u + (i) * 0x%" PRIx32 "u)", offset,
                       bundle->stride));
    } else {
        add_named(hdr, parts, "", "", text("0x%" PRIx32 "u", offset));
    }
    add_named(hdr, parts, "_RESET", "", text("0x%08" PRIx32 "u", reg->reset));
    for (size_t i = 0; i < reg->nr_fields; i++) {
        add_field(hdr, bundle->name, reg->name,
                  &block->fields[reg->first_field + i]);
    }
}

static void add_bundle(struct header *hdr,
                       const struct trench_csr_bundle *bundle)
{
    const char *const parts[3] = { bundle->name, NULL, NULL };

    if (bundle->count > 1) {
        add_named(hdr, parts, "_COUNT", "",
                  text("%" PRIu32 "u", bundle->count));
        add_named(hdr, parts, "_STRIDE", "",
                  text("0x%" PRIx32 "u", bundle->stride));
    }
    for (size_t i = 0; i < bundle->nr_regs; i++) {
        add_reg(hdr, &hdr->block->regs[bundle->first_reg + i]);
    }
}

static void add_block(struct header *hdr, const struct trench_csr_block *block)
{
    const char *const parts[3] = { NULL, NULL, NULL };

    hdr->block = block;
    add_named(hdr, parts, "_SIZE_BYTES", "",
              text("0x%" PRIx32 "u", block->size_bytes));
    for (size_t i = 0; i < block->nr_bundles; i++) {
        add_bundle(hdr, &block->bundles[i]);
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

static int refuse(struct trench_csr_error *err, const char *path,
                  const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static int refuse(struct trench_csr_error *err, const char *path,
                  const char *format, ...)
{
    va_list args;

    if (err) {
        memset(err, 0, sizeof(*err));
        snprintf(err->path, sizeof(err->path), "%s", path);
        va_start(args, format);
        vsnprintf(err->reason, sizeof(err->reason), format, args);
        va_end(args);
    }
    return TRENCH_ERR_BADMSG;
}

/* Nothing missing, and no name that C does not take. */
static int check_collected(const struct header *hdr,
                           struct trench_csr_error *err)
{
    if (hdr->no_memory) {
        refuse(err, "", "out of memory");
        return TRENCH_ERR_NOMEM;
    }
    for (size_t i = 0; i < hdr->nr_macros; i++) {
        if (isdigit((unsigned char)hdr->macros[i].name[0])) {
            return refuse(err, "RegFile", "UnitName %.60s starts with a digit",
                          hdr->block->name);
        }
    }
    return 0;
}

static void sort_macros(struct header *hdr,
                        int (*compare)(const void *a, const void *b))
{
    qsort(hdr->macros, hdr->nr_macros, sizeof(*hdr->macros), compare);
}

static int refuse_clashes(struct header *hdr, struct trench_csr_error *err)
{
    const struct macro *macros = hdr->macros;
    int rc = check_collected(hdr, err);

    if (rc) {
        return rc;
    }
    sort_macros(hdr, compare_macros);
    for (size_t i = 1; i < hdr->nr_macros && !rc; i++) {
        if (strcmp(macros[i - 1].name, macros[i].name) == 0) {
            rc = refuse(err, macros[i].origin,
                        "macro %.60s would also stand for %.60s",
                        macros[i].name, macros[i - 1].origin);
        }
    }
    sort_macros(hdr, compare_order);
    return rc;
}

/* One round of renaming; the new names may clash again. */
static int number_some(struct header *hdr, bool *clash)
{
    struct macro *macros = hdr->macros;
    size_t first = 0;

    *clash = false;
    sort_macros(hdr, compare_macros);
    for (size_t i = 1; i < hdr->nr_macros; i++) {
        char *name;

        if (strcmp(macros[first].name, macros[i].name) != 0) {
            first = i;
            continue;
        }
        name = text("%s_%zu", macros[i].name, i - first + 1);
        if (!name) {
            return TRENCH_ERR_NOMEM;
        }
        free(macros[i].name);
        macros[i].name = name;
        macros[i].renamed = true;
        *clash = true;
    }
    return 0;
}

static int number_clashes(struct header *hdr, struct trench_csr_error *err)
{
    bool clash = true;
    int rc = check_collected(hdr, err);

    for (int round = 0; clash && !rc; round++) {
        if (round == MAX_ROUNDS) {
            rc = refuse(err, "RegFile", "the names of macros keep clashing");
        } else {
            rc = number_some(hdr, &clash);
        }
    }
    sort_macros(hdr, compare_order);
    return rc;
}

/* The guard is the first macro: it must not clash either. */
static int put_macros(const struct header *hdr, trench_csr_put_fn put,
                      void *opaque)
{
    int rc = 0;

    for (size_t i = 1; i < hdr->nr_macros && !rc; i++) {
        const struct macro *macro = &hdr->macros[i];
        char *line = text("#define %s%s %s%s%s%s\n", macro->name, macro->params,
                          macro->value, macro->renamed ? " /* " : "",
                          macro->renamed ? macro->origin : "",
                          macro->renamed ? " */" : "");

        rc = line ? put(opaque, line) : TRENCH_ERR_NOMEM;
        free(line);
    }
    return rc;
}

/* from: "udma_gen.json" */
static int put_header(const struct header *hdr, const char *from,
                      trench_csr_put_fn put, void *opaque)
{
    const char *guard = hdr->macros[0].name;
    char *head = text("/* Generated from %s; do not edit. */\n"
                      "#ifndef %s\n#define %s\n\n",
                      from, guard, guard);
    char *tail = text("\n#endif /* %s */\n", guard);
    int rc = head && tail ? put(opaque, head) : TRENCH_ERR_NOMEM;

    if (!rc) {
        rc = put_macros(hdr, put, opaque);
    }
    if (!rc) {
        rc = put(opaque, tail);
    }
    free(head);
    free(tail);
    return rc;
}

static void free_macros(struct header *hdr)
{
    for (size_t i = 0; i < hdr->nr_macros; i++) {
        free(hdr->macros[i].name);
        free(hdr->macros[i].value);
        free(hdr->macros[i].origin);
    }
    free(hdr->macros);
}

/* A file name may hold what ends a comment. */
static bool is_harmless(const char *name)
{
    return !strstr(name, "*/") && !strpbrk(name, "\n\r\\");
}

int csr_header_plain(const struct trench_csr_block *block,
                     trench_csr_put_fn put, void *opaque,
                     struct trench_csr_error *err)
{
    struct header hdr = { .prefix = "" };
    int rc;

    add_macro(&hdr, text("TRENCH_%s_GEN_H", block->name), "", text("%s", ""),
              text("RegFile (guard)"));
    add_block(&hdr, block);
    rc = refuse_clashes(&hdr, err);
    if (!rc) {
        rc = put_header(&hdr, is_harmless(block->file) ? block->file : "a file",
                        put, opaque);
    }
    free_macros(&hdr);
    return rc;
}

/* Generation names come from manifests, which may say anything. */
static char *make_prefix(const char *gen)
{
    char *prefix = text("TRENCH_%s%s", gen, gen[0] ? "_" : "");

    for (char *p = prefix; p && *p; p++) {
        *p =
            isalnum((unsigned char)*p) ? (char)toupper((unsigned char)*p) : '_';
    }
    return prefix;
}

static char *make_source(const char *prefix,
                         const struct trench_csr_block *block)
{
    if (block && is_harmless(block->file)) {
        return text("%s", block->file);
    }
    return text("the register schemas, %s*", prefix);
}

int trench_csr_header(const struct trench_csr_set *set,
                      const struct trench_csr_block *block,
                      trench_csr_put_fn put, void *opaque,
                      struct trench_csr_error *err)
{
    char *prefix = make_prefix(set->name);
    char *source = prefix ? make_source(prefix, block) : NULL;
    struct header hdr = { .prefix = prefix };
    int rc = TRENCH_ERR_NOMEM;

    if (source) {
        add_macro(&hdr,
                  text("%s%s%sREGS_H", prefix, block ? block->name : "",
                       block ? "_" : ""),
                  "", text("%s", ""), text("the guard"));
        for (size_t i = 0; i < set->nr_blocks; i++) {
            if (!block || block == set->blocks[i]) {
                add_block(&hdr, set->blocks[i]);
            }
        }
        rc = number_clashes(&hdr, err);
    }
    if (!rc) {
        rc = put_header(&hdr, source, put, opaque);
    }
    free_macros(&hdr);
    free(source);
    free(prefix);
    return rc;
}
