/* SPDX-License-Identifier: BSD-3-Clause */
/* trench reg list, show and find: what there is. */
#include "reg.h"

#include <fnmatch.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define OPAQUE_TEXT "opaque: only the name is known"

/* Files list bundles in any order; people read them by address. */
struct item {
    uint64_t key;
    size_t idx;
};

static int compare_items(const void *a, const void *b)
{
    const struct item *x = a, *y = b;

    if (x->key != y->key) {
        return x->key < y->key ? -1 : 1;
    }
    return (x->idx > y->idx) - (x->idx < y->idx);
}

/* Opaque bundles come last. NULL: out of memory, or none. */
static struct item *order_bundles(const struct trench_csr_block *block)
{
    struct item *items = calloc(block->nr_bundles, sizeof(*items));

    for (size_t i = 0; items && i < block->nr_bundles; i++) {
        const struct trench_csr_bundle *bundle = &block->bundles[i];

        items[i].key = bundle->opaque ? UINT64_MAX : bundle->offset;
        items[i].idx = i;
    }
    if (items) {
        qsort(items, block->nr_bundles, sizeof(*items), compare_items);
    }
    return items;
}

static struct item *order_regs(const struct trench_csr_block *block,
                               const struct trench_csr_bundle *bundle)
{
    struct item *items = calloc(bundle->nr_regs, sizeof(*items));

    for (size_t i = 0; items && i < bundle->nr_regs; i++) {
        items[i].idx = bundle->first_reg + i;
        items[i].key = block->regs[items[i].idx].offset;
    }
    if (items) {
        qsort(items, bundle->nr_regs, sizeof(*items), compare_items);
    }
    return items;
}

/* JSON of each level. */

static void set_text(json_t *obj, const char *key, const char *text)
{
    if (text[0] != '\0') {
        json_object_set_new(obj, key, json_string(text));
    }
}

static json_t *field_json(const struct trench_csr_field *field)
{
    json_t *obj =
        json_pack("{s:s, s:i, s:i, s:s, s:o, s:s}", "name", field->name, "lsb",
                  field->lsb, "width", field->width, "access",
                  trench_csr_access_name(field->access), "reset",
                  cli_json_hex(field->reset), "special",
                  trench_csr_special_name(field->special));

    set_text(obj, "description", field->desc);
    set_text(obj, "tags", field->tags);
    return obj;
}

static json_t *reg_json(const struct trench_csr_ref *ref)
{
    const struct trench_csr_reg *reg = ref->reg;
    json_t *fields = json_array();
    json_t *obj;

    for (size_t i = 0; i < reg->nr_fields; i++) {
        json_array_append_new(
            fields, field_json(&ref->block->fields[reg->first_field + i]));
    }
    obj = json_pack(
        "{s:s, s:o, s:s, s:o, s:i, s:o}", "name", reg_ref_name(ref).s, "offset",
        cli_json_hex(trench_csr_ref_offset(ref)), "access",
        trench_csr_access_name(reg->access), "reset", cli_json_hex(reg->reset),
        "count", ref->has_index ? 1 : (int)ref->bundle->count, "fields",
        fields);
    if (ref->bundle->count > 1 && !ref->has_index) {
        json_object_set_new(obj, "stride", cli_json_hex(ref->bundle->stride));
    }
    set_text(obj, "description", reg->desc);
    set_text(obj, "tags", reg->tags);
    return obj;
}

static json_t *bundle_json(const struct trench_csr_ref *ref, bool with_regs)
{
    const struct trench_csr_bundle *bundle = ref->bundle;
    struct trench_csr_ref sub = *ref;
    json_t *obj, *regs;

    if (bundle->opaque) {
        obj = json_pack("{s:s, s:b}", "name", reg_ref_name(ref).s, "opaque", 1);
        set_text(obj, "description", bundle->desc);
        return obj;
    }
    obj = json_pack("{s:s, s:b, s:o, s:i, s:o, s:i}", "name",
                    reg_ref_name(ref).s, "opaque", 0, "offset",
                    cli_json_hex(trench_csr_ref_offset(ref)), "count",
                    (int)bundle->count, "stride", cli_json_hex(bundle->stride),
                    "registers", bundle->nr_regs);
    set_text(obj, "description", bundle->desc);
    set_text(obj, "tags", bundle->tags);
    if (with_regs) {
        regs = json_array();
        for (size_t i = 0; i < bundle->nr_regs; i++) {
            sub.reg = &ref->block->regs[bundle->first_reg + i];
            json_array_append_new(regs, reg_json(&sub));
        }
        json_object_set_new(obj, "registers", regs);
    }
    return obj;
}

static json_t *block_json(const struct trench_csr_block *block, bool deep)
{
    struct trench_csr_ref ref = { .block = block };
    json_t *obj = json_pack(
        "{s:s, s:s, s:o, s:i, s:i, s:i, s:i}", "name", block->name, "schema",
        block->file, "bytes", cli_json_hex(block->size_bytes), "bundles",
        block->nr_bundles, "registers", block->nr_regs, "fields",
        block->nr_fields, "instances", block->nr_insts);
    json_t *list;

    set_text(obj, "description", block->desc);
    set_text(obj, "tags", block->tags);
    if (deep) {
        list = json_array();
        for (size_t i = 0; i < block->nr_bundles; i++) {
            ref.bundle = &block->bundles[i];
            json_array_append_new(list, bundle_json(&ref, false));
        }
        json_object_set_new(obj, "bundles", list);
    }
    return obj;
}

/* list */

static void print_blocks(const struct trench_csr_set *set)
{
    printf("%-20s %8s %8s %9s %7s %9s  %s\n", "block", "window", "bundles",
           "registers", "fields", "instances", "schema");
    for (size_t i = 0; i < set->nr_blocks; i++) {
        const struct trench_csr_block *b = set->blocks[i];

        printf("%-20s %8s %8u %9u %7u %9u  %s\n", b->name,
               reg_hex(b->size_bytes).s, b->nr_bundles, b->nr_regs,
               b->nr_fields, b->nr_insts, b->file);
    }
}

static void print_reg_line(const struct trench_csr_ref *ref)
{
    char count[16] = "";

    if (ref->bundle->count > 1 && !ref->has_index) {
        snprintf(count, sizeof(count), "x%" PRIu32, ref->bundle->count);
    }
    printf("%8s %-6s %-2s 0x%08" PRIx32 "  %-40s %s\n",
           reg_hex(trench_csr_ref_offset(ref)).s, count,
           trench_csr_access_name(ref->reg->access), ref->reg->reset,
           reg_ref_name(ref).s + strlen(ref->block->name) + 1, ref->reg->desc);
}

static void print_reg_head(void)
{
    printf("%8s %-6s %-2s %-10s  %-40s %s\n", "offset", "count", "ac", "reset",
           "register", "meaning");
}

/* ref has block and bundle, and an index or none. */
static void print_bundle_regs(const struct trench_csr_ref *ref)
{
    struct item *items = order_regs(ref->block, ref->bundle);
    struct trench_csr_ref sub = *ref;

    for (size_t i = 0; items && i < ref->bundle->nr_regs; i++) {
        sub.reg = &ref->block->regs[items[i].idx];
        print_reg_line(&sub);
    }
    free(items);
}

static void print_regs(const struct trench_csr_block *block)
{
    struct item *items = order_bundles(block);

    print_reg_head();
    for (size_t i = 0; items && i < block->nr_bundles; i++) {
        struct trench_csr_ref ref = { .block = block,
                                      .bundle = &block->bundles[items[i].idx] };

        if (ref.bundle->opaque) {
            printf("%8s %-6s %-2s %-10s  %-40s %s\n", "?", "", "", "",
                   ref.bundle->name, OPAQUE_TEXT);
        }
        print_bundle_regs(&ref);
    }
    free(items);
}

static json_t *list_block_json(const struct trench_csr_block *block)
{
    json_t *obj = block_json(block, false);
    json_t *list = json_array();

    for (size_t i = 0; i < block->nr_bundles; i++) {
        struct trench_csr_ref ref = { .block = block,
                                      .bundle = &block->bundles[i] };

        json_array_append_new(list, bundle_json(&ref, true));
    }
    json_object_set_new(obj, "bundles", list);
    return obj;
}

static json_t *list_set_json(const struct trench_csr_set *set)
{
    json_t *list = json_array();

    for (size_t i = 0; i < set->nr_blocks; i++) {
        json_array_append_new(list, block_json(set->blocks[i], false));
    }
    return json_pack("{s:s, s:o}", "generation", set->name, "blocks", list);
}

int reg_list(struct reg_ctx *ctx)
{
    struct trench_csr_ref ref;
    int rc;

    if (ctx->nr_args == 0) {
        if (ctx->json) {
            rc = cli_json_print(ctx->prog, stdout, list_set_json(ctx->set));
            return reg_exit(ctx, rc);
        }
        print_blocks(ctx->set);
        return reg_exit(ctx, CLI_OK);
    }
    rc = reg_resolve(ctx, ctx->args[0], &ref);
    if (rc != CLI_OK) {
        return rc;
    }
    if (ref.bundle) {
        cli_error(ctx->prog, "%s is not a block", reg_ref_name(&ref).s);
        return CLI_FAILED;
    }
    if (ctx->json) {
        return cli_json_print(ctx->prog, stdout, list_block_json(ref.block));
    }
    print_regs(ref.block);
    return CLI_OK;
}

/* show */

static void print_notes(const char *desc, const char *tags)
{
    if (desc[0] != '\0') {
        printf("  %s\n", desc);
    }
    if (tags[0] != '\0') {
        printf("  tags: %s\n", tags);
    }
}

static void show_block(const struct trench_csr_block *block)
{
    struct item *items = order_bundles(block);

    printf("%s\n", block->name);
    print_notes(block->desc, block->tags);
    printf("  window 0x%" PRIx32 " bytes; %u bundles, %u registers, %u fields, "
           "%u instances; from %s\n\n",
           block->size_bytes, block->nr_bundles, block->nr_regs,
           block->nr_fields, block->nr_insts, block->file);
    printf("%8s %6s %8s %9s  %s\n", "offset", "count", "stride", "registers",
           "bundle");
    for (size_t i = 0; items && i < block->nr_bundles; i++) {
        const struct trench_csr_bundle *b = &block->bundles[items[i].idx];

        if (b->opaque) {
            printf("%8s %6s %8s %9s  %s (%s)\n", "?", "?", "?", "?", b->name,
                   OPAQUE_TEXT);
        } else {
            printf("%8s %6" PRIu32 " %8s %9u  %s\n", reg_hex(b->offset).s,
                   b->count, reg_hex(b->stride).s, b->nr_regs, b->name);
        }
    }
    free(items);
}

static void show_bundle(const struct trench_csr_ref *ref)
{
    const struct trench_csr_bundle *bundle = ref->bundle;

    printf("%s\n", reg_ref_name(ref).s);
    print_notes(bundle->desc, bundle->tags);
    if (bundle->opaque) {
        printf("  %s\n", OPAQUE_TEXT);
        return;
    }
    printf("  offset 0x%" PRIx32, trench_csr_ref_offset(ref));
    if (bundle->count > 1 && !ref->has_index) {
        printf(", %" PRIu32 " times, stride 0x%" PRIx32, bundle->count,
               bundle->stride);
    }
    printf("; %u registers\n\n", bundle->nr_regs);
    print_reg_head();
    print_bundle_regs(ref);
}

static void print_field(const struct trench_csr_field *field)
{
    printf("%6s  %-2s %10s  %-28s %s", reg_bits(field).s,
           trench_csr_access_name(field->access), reg_hex(field->reset).s,
           field->name, field->desc);
    if (field->special != TRENCH_CSR_SPECIAL_NONE) {
        printf(" [%s]", trench_csr_special_name(field->special));
    }
    if (field->tags[0] != '\0') {
        printf(" {%s}", field->tags);
    }
    printf("\n");
}

static void show_reg(const struct trench_csr_ref *ref)
{
    const struct trench_csr_reg *reg = ref->reg;

    printf("%s\n", reg_ref_name(ref).s);
    print_notes(reg->desc, reg->tags);
    printf("  offset 0x%" PRIx32, trench_csr_ref_offset(ref));
    if (ref->bundle->count > 1 && !ref->has_index) {
        printf(" + i * 0x%" PRIx32 ", i = 0-%" PRIu32, ref->bundle->stride,
               ref->bundle->count - 1);
    }
    printf("; %s; reset 0x%08" PRIx32 "\n\n",
           trench_csr_access_name(reg->access), reg->reset);
    printf("%6s  %-2s %10s  %-28s %s\n", "bits", "ac", "reset", "field",
           "meaning");
    for (size_t i = 0; i < reg->nr_fields; i++) {
        const struct trench_csr_field *field =
            &ref->block->fields[reg->first_field + i];

        if (!ref->field || ref->field == field) {
            print_field(field);
        }
    }
}

static json_t *show_json(const struct trench_csr_ref *ref)
{
    json_t *obj;

    if (!ref->bundle) {
        return block_json(ref->block, true);
    }
    if (!ref->reg) {
        return bundle_json(ref, true);
    }
    if (!ref->field) {
        return reg_json(ref);
    }
    obj = field_json(ref->field);
    json_object_set_new(obj, "name", json_string(reg_ref_name(ref).s));
    json_object_set_new(obj, "offset",
                        cli_json_hex(trench_csr_ref_offset(ref)));
    return obj;
}

int reg_show(struct reg_ctx *ctx)
{
    struct trench_csr_ref ref;
    int rc = reg_resolve(ctx, ctx->args[0], &ref);

    if (rc != CLI_OK) {
        return rc;
    }
    if (ctx->json) {
        return cli_json_print(ctx->prog, stdout, show_json(&ref));
    }
    if (!ref.bundle) {
        show_block(ref.block);
    } else if (!ref.reg) {
        show_bundle(&ref);
    } else {
        show_reg(&ref);
    }
    return CLI_OK;
}

/* find */

struct search {
    const char *pattern;
    bool glob;
    json_t *list; /* NULL = print */
    size_t nr;
};

static bool fits(const struct search *search, const char *text)
{
    if (search->glob) {
        return fnmatch(search->pattern, text, FNM_CASEFOLD) == 0;
    }
    return strcasestr(text, search->pattern) != NULL;
}

static void try_ref(struct search *search, const struct trench_csr_ref *ref,
                    const char *name, const char *desc)
{
    char offset[16];

    if (!fits(search, name) && !fits(search, desc)) {
        return;
    }
    search->nr++;
    if (ref->bundle && ref->bundle->opaque) {
        snprintf(offset, sizeof(offset), "?");
        desc = desc[0] ? desc : OPAQUE_TEXT;
    } else {
        snprintf(offset, sizeof(offset), "0x%" PRIx32,
                 trench_csr_ref_offset(ref));
    }
    if (search->list) {
        json_array_append_new(search->list,
                              json_pack("{s:s, s:s, s:s}", "name",
                                        reg_ref_name(ref).s, "offset", offset,
                                        "description", desc));
    } else {
        printf("%8s  %-52s %s\n", offset, reg_ref_name(ref).s, desc);
    }
}

static void search_reg(struct search *search, struct trench_csr_ref *ref)
{
    try_ref(search, ref, ref->reg->name, ref->reg->desc);
    for (size_t i = 0; i < ref->reg->nr_fields; i++) {
        ref->field = &ref->block->fields[ref->reg->first_field + i];
        try_ref(search, ref, ref->field->name, ref->field->desc);
    }
    ref->field = NULL;
}

static void search_block(struct search *search,
                         const struct trench_csr_block *block)
{
    struct trench_csr_ref ref = { .block = block };

    try_ref(search, &ref, block->name, block->desc);
    for (size_t b = 0; b < block->nr_bundles; b++) {
        ref.bundle = &block->bundles[b];
        try_ref(search, &ref, ref.bundle->name, ref.bundle->desc);
        for (size_t r = 0; r < ref.bundle->nr_regs; r++) {
            ref.reg = &block->regs[ref.bundle->first_reg + r];
            search_reg(search, &ref);
        }
        ref.reg = NULL;
    }
}

int reg_find(struct reg_ctx *ctx)
{
    struct search search = { .pattern = ctx->args[0] };
    int rc = CLI_OK;

    search.glob = strpbrk(search.pattern, "*?[") != NULL;
    search.list = ctx->json ? json_array() : NULL;
    for (size_t i = 0; i < ctx->set->nr_blocks; i++) {
        search_block(&search, ctx->set->blocks[i]);
    }
    if (ctx->json) {
        rc = cli_json_print(ctx->prog, stdout,
                            json_pack("{s:s, s:o}", "generation",
                                      ctx->set->name, "matches", search.list));
    }
    if (search.nr == 0) {
        cli_error(ctx->prog, "nothing fits '%s'", ctx->args[0]);
        return CLI_FAILED;
    }
    return reg_exit(ctx, rc);
}
