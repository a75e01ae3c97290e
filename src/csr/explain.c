/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Why a name means nothing, and what may have been meant: the sibling with
 * the smallest edit distance at the first level that does not fit.
 */
#include "csr/find.h"

#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define MAX_GUESS 63 /* longest name that is compared by distance */

int find_refuse(struct trench_csr_error *err, int rc, const char *format, ...)
{
    va_list args;

    if (err) {
        memset(err, 0, sizeof(*err));
        va_start(args, format);
        vsnprintf(err->reason, sizeof(err->reason), format, args);
        va_end(args);
        for (char *p = err->reason; *p; p++) {
            if (*p < 0x20 || *p > 0x7e) {
                *p = '?';
            }
        }
    }
    return rc;
}

static unsigned min3(unsigned a, unsigned b, unsigned c)
{
    unsigned ab = a < b ? a : b;

    return ab < c ? ab : c;
}

/* Insertions, deletions and replacements that turn the part into the name. */
static unsigned distance(const struct part *part, const char *name, size_t len)
{
    unsigned row[MAX_GUESS + 1];

    if (part->len > MAX_GUESS || len > MAX_GUESS) {
        return UINT_MAX;
    }
    for (unsigned j = 0; j <= len; j++) {
        row[j] = j;
    }
    for (unsigned i = 0; i < part->len; i++) {
        unsigned diagonal = i;

        row[0] = i + 1;
        for (unsigned j = 1; j <= len; j++) {
            unsigned above = row[j];

            row[j] = min3(
                above + 1, row[j - 1] + 1,
                diagonal + (find_lower(part->s[i]) != find_lower(name[j - 1])));
            diagonal = above;
        }
    }
    return row[len];
}

/* The nearest name so far. */
struct guess {
    const struct part *part;
    const char *name;
    size_t len;
    unsigned least; /* names at this distance or more are other words */
};

static void guess_start(struct guess *guess, const struct part *part)
{
    guess->part = part;
    guess->name = NULL;
    guess->len = 0;
    /* More slips than that, or every letter wrong, are another word. */
    guess->least = 3 + (unsigned)(part->len > 12);
    if (guess->least > part->len) {
        guess->least = (unsigned)part->len;
    }
}

static void guess_try(struct guess *guess, const char *name)
{
    size_t len = strcspn(name, ".["); /* of a nested bundle: the outer name */
    unsigned dist = distance(guess->part, name, len);

    if (dist < guess->least) {
        guess->least = dist;
        guess->name = name;
        guess->len = len;
    }
}

/* "udma_gen.AXI has no register 'cfg1'; did you mean 'cfg_1'?" */
static int refuse_part(struct trench_csr_error *err, const char *owner,
                       const char *kind, const struct guess *guess)
{
    int typed =
        (int)(guess->part->len < FIND_QUOTE ? guess->part->len : FIND_QUOTE);
    int len = (int)(guess->len < FIND_QUOTE ? guess->len : FIND_QUOTE);

    if (guess->name) {
        return find_refuse(err, TRENCH_ERR_NOENT,
                           "%.60s has no %s '%.*s'; did you mean '%.*s'?",
                           owner, kind, typed, guess->part->s, len,
                           guess->name);
    }
    return find_refuse(err, TRENCH_ERR_NOENT, "%.60s has no %s '%.*s'", owner,
                       kind, typed, guess->part->s);
}

static void guess_bundles(struct guess *guess,
                          const struct trench_csr_block *block)
{
    for (size_t i = 0; i < block->nr_bundles; i++) {
        guess_try(guess, block->bundles[i].name);
    }
}

static void guess_regs(struct guess *guess,
                       const struct trench_csr_block *block,
                       const struct trench_csr_bundle *bundle)
{
    for (size_t i = 0; i < bundle->nr_regs; i++) {
        guess_try(guess, block->regs[bundle->first_reg + i].name);
    }
}

int find_explain_field(const struct trench_csr_ref *ref,
                       const struct part *part, struct trench_csr_error *err)
{
    char owner[64];
    struct guess guess;

    trench_csr_ref_name(ref, owner, sizeof(owner));
    guess_start(&guess, part);
    for (size_t i = 0; i < ref->reg->nr_fields; i++) {
        guess_try(&guess, ref->block->fields[ref->reg->first_field + i].name);
    }
    return refuse_part(err, owner, "field", &guess);
}

/* ref has block and bundle, and parts[at] is meant to be a register. */
static int explain_reg(struct trench_csr_ref *ref, const struct parts *parts,
                       size_t at, struct trench_csr_error *err)
{
    const struct trench_csr_bundle *bundle = ref->bundle;
    char owner[64];
    struct guess guess;

    trench_csr_ref_name(ref, owner, sizeof(owner));
    if (bundle->opaque) {
        return find_refuse(err, TRENCH_ERR_NOENT,
                           "%.60s is opaque: only the name is known", owner);
    }
    if (!find_names_alone(parts, at)) {
        return find_refuse(
            err, TRENCH_ERR_INVAL,
            "registers and fields take no index, only bundles do");
    }
    for (size_t i = 0; i < bundle->nr_regs; i++) {
        const struct trench_csr_reg *reg =
            &ref->block->regs[bundle->first_reg + i];

        if (find_same(&parts->items[at], reg->name) && at + 1 < parts->nr) {
            ref->reg = reg;
            return find_explain_field(ref, &parts->items[at + 1], err);
        }
    }
    guess_start(&guess, &parts->items[at]);
    guess_regs(&guess, ref->block, bundle);
    return refuse_part(err, owner, "register", &guess);
}

/* The bundle that parts[at] names, whatever comes behind it, or false. */
static bool explain_bundle(struct trench_csr_ref *ref,
                           const struct parts *parts, size_t at,
                           struct trench_csr_error *err, int *rc)
{
    for (size_t i = 0; i < ref->block->nr_bundles; i++) {
        size_t used;

        ref->bundle = &ref->block->bundles[i];
        used = find_match_bundle(parts, at, ref);
        if (used == 0) {
            continue;
        }
        if (ref->index >= ref->bundle->count) {
            *rc = find_refuse(err, TRENCH_ERR_INVAL,
                              "index %u of %.40s.%.40s is not within 0-%u",
                              (unsigned)ref->index, ref->block->name,
                              ref->bundle->name,
                              (unsigned)ref->bundle->count - 1);
        } else {
            *rc = explain_reg(ref, parts, at + used, err);
        }
        return true;
    }
    ref->bundle = NULL;
    return false;
}

/* A bundle that has no registers itself, only other bundles. */
static bool explain_outer(const struct trench_csr_block *block,
                          const struct part *part, struct trench_csr_error *err)
{
    for (size_t i = 0; i < block->nr_bundles; i++) {
        const char *name = block->bundles[i].name;
        size_t len = strcspn(name, ".[");

        if (name[len] != '\0' && find_same_n(part, name, len)) {
            find_refuse(err, TRENCH_ERR_NOENT,
                        "%.40s.%.*s holds only bundles, such as %.60s",
                        block->name, (int)(len < FIND_QUOTE ? len : FIND_QUOTE),
                        name, name);
            return true;
        }
    }
    return false;
}

static int explain_block(const struct trench_csr_block *block,
                         const struct parts *parts,
                         struct trench_csr_error *err)
{
    struct trench_csr_ref ref = { .block = block };
    struct guess guess;
    int rc;

    if (explain_bundle(&ref, parts, 1, err, &rc)) {
        return rc;
    }
    if (explain_outer(block, &parts->items[1], err)) {
        return TRENCH_ERR_NOENT;
    }
    guess_start(&guess, &parts->items[1]);
    guess_bundles(&guess, block);
    return refuse_part(err, block->name, "bundle", &guess);
}

int find_explain(const struct trench_csr_set *set, const struct parts *parts,
                 struct trench_csr_error *err)
{
    struct guess guess;
    int rc;

    for (size_t i = 0; i < set->nr_blocks && parts->nr > 1; i++) {
        if (find_same(&parts->items[0], set->blocks[i]->name)) {
            return explain_block(set->blocks[i], parts, err);
        }
    }
    for (size_t i = 0; i < set->nr_blocks; i++) {
        struct trench_csr_ref ref = { .block = set->blocks[i] };

        if (explain_bundle(&ref, parts, 0, err, &rc)) {
            return rc;
        }
        if (explain_outer(ref.block, &parts->items[0], err)) {
            return TRENCH_ERR_NOENT;
        }
    }
    guess_start(&guess, &parts->items[0]);
    for (size_t i = 0; i < set->nr_blocks; i++) {
        guess_try(&guess, set->blocks[i]->name);
        guess_bundles(&guess, set->blocks[i]);
    }
    for (size_t i = 0; i < set->nr_blocks && parts->nr <= 2; i++) {
        for (size_t b = 0; b < set->blocks[i]->nr_bundles; b++) {
            guess_regs(&guess, set->blocks[i], &set->blocks[i]->bundles[b]);
        }
    }
    return refuse_part(err, set->name[0] ? set->name : "the folder",
                       "block, bundle or register", &guess);
}
