/* SPDX-License-Identifier: BSD-3-Clause */
/* trench reg diff and stats: generations against each other, and published
 * counts. */
#include "reg.h"

#include <inttypes.h>
#include <string.h>
#include <strings.h>

static const char *const property_names[] = {
    [TRENCH_CSR_PROP_NONE] = "",         [TRENCH_CSR_PROP_SIZE] = "size",
    [TRENCH_CSR_PROP_OFFSET] = "offset", [TRENCH_CSR_PROP_COUNT] = "count",
    [TRENCH_CSR_PROP_STRIDE] = "stride", [TRENCH_CSR_PROP_OPAQUE] = "opaque",
    [TRENCH_CSR_PROP_ACCESS] = "access", [TRENCH_CSR_PROP_RESET] = "reset",
    [TRENCH_CSR_PROP_BITS] = "bits",     [TRENCH_CSR_PROP_SPECIAL] = "special",
};

static const char *const kind_names[] = {
    [TRENCH_CSR_ADDED] = "added",
    [TRENCH_CSR_REMOVED] = "removed",
    [TRENCH_CSR_CHANGED] = "changed",
};

static const char kind_signs[] = {
    [TRENCH_CSR_ADDED] = '+',
    [TRENCH_CSR_REMOVED] = '-',
    [TRENCH_CSR_CHANGED] = '~',
};

static struct cli_text value_text(enum trench_csr_property property,
                                  uint32_t val)
{
    struct cli_text text = { "" };

    switch (property) {
    case TRENCH_CSR_PROP_NONE:
        break;
    case TRENCH_CSR_PROP_ACCESS:
        snprintf(text.s, sizeof(text.s), "%s", trench_csr_access_name(val));
        break;
    case TRENCH_CSR_PROP_SPECIAL:
        snprintf(text.s, sizeof(text.s), "%s", trench_csr_special_name(val));
        break;
    case TRENCH_CSR_PROP_COUNT:
        snprintf(text.s, sizeof(text.s), "%" PRIu32, val);
        break;
    case TRENCH_CSR_PROP_OPAQUE:
        snprintf(text.s, sizeof(text.s), "%s", val ? "yes" : "no");
        break;
    case TRENCH_CSR_PROP_BITS:
        snprintf(text.s, sizeof(text.s), "%" PRIu32 ":%" PRIu32, val >> 8,
                 val & 0xff);
        break;
    case TRENCH_CSR_PROP_SIZE:
    case TRENCH_CSR_PROP_OFFSET:
    case TRENCH_CSR_PROP_STRIDE:
    case TRENCH_CSR_PROP_RESET:
        snprintf(text.s, sizeof(text.s), "0x%" PRIx32, val);
        break;
    }
    return text;
}

struct printer {
    const char *prog;
    json_t *list; /* NULL = print */
    int nr;
};

static void print_change(struct printer *p, enum trench_csr_change_kind kind,
                         const char *name, const char *note)
{
    p->nr++;
    if (p->list) {
        json_array_append_new(
            p->list,
            json_pack("{s:s, s:s}", "kind", kind_names[kind], "name", name));
    } else {
        printf("%c %s%s\n", kind_signs[kind], name, note);
    }
}

static int take_change(void *opaque, const struct trench_csr_change *change)
{
    struct printer *p = opaque;
    const struct trench_csr_ref *ref =
        &change->refs[change->kind == TRENCH_CSR_REMOVED ? 0 : 1];
    struct reg_name name = reg_ref_name(ref);
    struct cli_text before = value_text(change->property, change->val[0]);
    struct cli_text after = value_text(change->property, change->val[1]);
    bool opaque_bundle = ref->bundle && !ref->reg && ref->bundle->opaque;

    if (change->kind != TRENCH_CSR_CHANGED) {
        print_change(p, change->kind, name.s,
                     opaque_bundle ? " (opaque: only the name is known)" : "");
        return 0;
    }
    p->nr++;
    if (p->list) {
        json_array_append_new(p->list,
                              json_pack("{s:s, s:s, s:s, s:s, s:s}", "kind",
                                        "changed", "name", name.s, "property",
                                        property_names[change->property],
                                        "before", before.s, "after", after.s));
    } else {
        printf("~ %s: %s %s -> %s\n", name.s, property_names[change->property],
               before.s, after.s);
    }
    return 0;
}

static int diff_sets(struct printer *p, const struct trench_csr_set *a,
                     const struct trench_csr_set *b, const char *only)
{
    for (size_t i = 0; i < a->nr_blocks; i++) {
        const struct trench_csr_block *before = a->blocks[i];
        const struct trench_csr_block *after =
            trench_csr_set_block(b, before->name);
        int rc = 0;

        if (only && strcasecmp(only, before->name) != 0) {
            continue;
        }
        if (!after) {
            print_change(p, TRENCH_CSR_REMOVED, before->name, "");
        } else if (after != before) {
            rc = trench_csr_diff(before, after, take_change, p);
        }
        if (rc < 0) {
            cli_error(p->prog, "%s", trench_strerror(rc));
            return CLI_FAILED;
        }
    }
    for (size_t i = 0; i < b->nr_blocks; i++) {
        const char *name = b->blocks[i]->name;

        if (!trench_csr_set_block(a, name) &&
            (!only || strcasecmp(only, name) == 0)) {
            print_change(p, TRENCH_CSR_ADDED, name, "");
        }
    }
    return CLI_OK;
}

int reg_diff(struct reg_ctx *ctx)
{
    const struct trench_csr_set *a = reg_set(ctx, ctx->args[0]);
    const struct trench_csr_set *b = a ? reg_set(ctx, ctx->args[1]) : NULL;
    const char *only = ctx->nr_args > 2 ? ctx->args[2] : NULL;
    struct printer p = { .prog = ctx->prog };
    int rc;

    if (!b) {
        return CLI_USAGE;
    }
    if (only && !trench_csr_set_block(a, only) &&
        !trench_csr_set_block(b, only)) {
        cli_error(ctx->prog, "neither generation has a block '%s'", only);
        return CLI_FAILED;
    }
    p.list = ctx->json ? json_array() : NULL;
    rc = diff_sets(&p, a, b, only);
    if (rc != CLI_OK) {
        json_decref(p.list);
        return rc;
    }
    if (ctx->json) {
        return cli_json_print(ctx->prog, stdout,
                              json_pack("{s:s, s:s, s:o}", "before", a->name,
                                        "after", b->name, "changes", p.list));
    }
    if (p.nr == 0) {
        printf("no difference\n");
    }
    return CLI_OK;
}

/* stats */

static const char *const count_names[TRENCH_CSR_NR_COUNTS] = {
    [TRENCH_CSR_NR_BUNDLES] = "bundles",
    [TRENCH_CSR_NR_REGS] = "registers",
    [TRENCH_CSR_NR_FIELDS] = "fields",
    [TRENCH_CSR_NR_INSTS] = "instances",
    [TRENCH_CSR_NR_REG_RO] = "registers_ro",
    [TRENCH_CSR_NR_REG_RW] = "registers_rw",
    [TRENCH_CSR_NR_REG_WO] = "registers_wo",
    [TRENCH_CSR_NR_FIELD_RO] = "fields_ro",
    [TRENCH_CSR_NR_FIELD_RW] = "fields_rw",
    [TRENCH_CSR_NR_FIELD_WO] = "fields_wo",
};

static int nr_opaque(const struct trench_csr_block *block)
{
    int nr = 0;

    for (size_t i = 0; i < block->nr_bundles; i++) {
        nr += block->bundles[i].opaque;
    }
    return nr;
}

/*
 * Share of the published things that we know, by the smallest things that
 * are published: fields, else registers, else bundles. -1 = not published.
 */
static double coverage(const struct trench_csr_block *block,
                       const struct trench_csr_counts *ours,
                       const struct trench_csr_published *pub)
{
    int kind = TRENCH_CSR_NR_FIELDS;
    int have, want;

    while (pub && kind >= 0 && pub->counts.nr[kind] < 0) {
        kind--;
    }
    if (!pub || kind < 0) {
        return -1;
    }
    want = pub->counts.nr[kind];
    have = ours->nr[kind];
    if (kind == TRENCH_CSR_NR_BUNDLES) {
        have -= nr_opaque(block);
    }
    return have >= want ? 100.0 : 100.0 * have / want;
}

static struct cli_text pair_text(int ours, int published)
{
    struct cli_text text;

    if (published < 0) {
        snprintf(text.s, sizeof(text.s), "%d/-", ours);
    } else {
        snprintf(text.s, sizeof(text.s), "%d/%d", ours, published);
    }
    return text;
}

static void print_stats(const struct trench_csr_set *set)
{
    printf("%-20s %9s %10s %9s %11s %9s  %s\n", "block (ours/published)",
           "bundles", "registers", "fields", "instances", "coverage", "source");
    for (size_t i = 0; i < set->nr_blocks; i++) {
        const struct trench_csr_block *block = set->blocks[i];
        const struct trench_csr_published *pub =
            trench_csr_published(set->name, block->name);
        struct trench_csr_counts ours = { { 0 } };
        double share;

        trench_csr_count(block, &ours);
        share = coverage(block, &ours, pub);
        printf("%-20s", block->name);
        for (int k = 0; k <= TRENCH_CSR_NR_INSTS; k++) {
            static const int widths[] = { 12, 10, 9, 11 };

            printf(" %*s", widths[k],
                   pair_text(ours.nr[k], pub ? pub->counts.nr[k] : -1).s);
        }
        if (share < 0) {
            printf(" %9s  not published\n", "-");
        } else {
            printf(" %8.1f%%  %s\n", share, pub->source);
        }
    }
}

static json_t *counts_json(const struct trench_csr_counts *counts)
{
    json_t *obj = json_object();

    for (int k = 0; k < TRENCH_CSR_NR_COUNTS; k++) {
        json_object_set_new(obj, count_names[k],
                            counts->nr[k] < 0 ? json_null()
                                              : json_integer(counts->nr[k]));
    }
    return obj;
}

static json_t *stats_json(const struct trench_csr_set *set)
{
    json_t *list = json_array();

    for (size_t i = 0; i < set->nr_blocks; i++) {
        const struct trench_csr_block *block = set->blocks[i];
        const struct trench_csr_published *pub =
            trench_csr_published(set->name, block->name);
        struct trench_csr_counts ours = { { 0 } };
        json_t *obj;
        double share;

        trench_csr_count(block, &ours);
        share = coverage(block, &ours, pub);
        obj =
            json_pack("{s:s, s:i, s:o}", "block", block->name, "opaque_bundles",
                      nr_opaque(block), "ours", counts_json(&ours));
        if (pub) {
            json_object_set_new(obj, "published", counts_json(&pub->counts));
            json_object_set_new(obj, "coverage", json_real(share));
            json_object_set_new(obj, "source", json_string(pub->source));
        }
        json_array_append_new(list, obj);
    }
    return json_pack("{s:s, s:o}", "generation", set->name, "blocks", list);
}

int reg_stats(struct reg_ctx *ctx)
{
    if (ctx->json) {
        return reg_exit(
            ctx, cli_json_print(ctx->prog, stdout, stats_json(ctx->set)));
    }
    print_stats(ctx->set);
    return reg_exit(ctx, CLI_OK);
}
