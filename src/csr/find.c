/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Names: BLOCK.BUNDLE[i].REG.field to what it stands for.
 *
 * A name is cut into parts at the dots. The parts are matched against blocks,
 * then bundles, then registers; the first level at which all parts fit wins.
 * The search is linear and allocates nothing: a whole name costs as many
 * comparisons as there are siblings at each level, most of which end at the
 * first letter. Explanations are made only when nothing fits.
 */
#include "csr/find.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* What has been found; several exact ones cannot be told apart. */
struct hits {
    struct trench_csr_ref ref;
    struct trench_csr_ref second;
    size_t nr;
    size_t nr_exact;
};

/* Cutting. */

static bool is_word(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

/* "[12]"; *s is left behind it. */
static bool cut_index(const char **s, struct part *part)
{
    uint64_t val = 0;
    const char *p = *s + 1;

    if (!isdigit((unsigned char)*p)) {
        return false;
    }
    for (; isdigit((unsigned char)*p); p++) {
        val = val * 10 + (uint64_t)(*p - '0');
        if (val > UINT32_MAX) {
            return false;
        }
    }
    if (*p != ']') {
        return false;
    }
    part->index = (uint32_t)val;
    part->has_index = true;
    *s = p + 1;
    return true;
}

static bool cut(const char *name, struct parts *parts)
{
    parts->nr = 0;
    for (;;) {
        struct part *part = &parts->items[parts->nr];

        if (parts->nr == FIND_MAX_PARTS || !is_word(*name)) {
            return false;
        }
        part->s = name;
        part->has_index = false;
        part->index = 0;
        while (is_word(*name)) {
            name++;
        }
        part->len = (size_t)(name - part->s);
        parts->nr++;
        if (*name == '[' && !cut_index(&name, part)) {
            return false;
        }
        if (*name == '\0') {
            return true;
        }
        if (*name++ != '.') {
            return false;
        }
    }
}

/* Matching. */

static bool is_exact(const struct parts *parts,
                     const struct trench_csr_ref *ref)
{
    const struct part *last = &parts->items[parts->nr - 1];
    const char *name = ref->field    ? ref->field->name
                       : ref->reg    ? ref->reg->name
                       : ref->bundle ? ref->bundle->name
                                     : ref->block->name;

    return strncmp(last->s, name, last->len) == 0;
}

static void hit(struct hits *hits, const struct parts *parts,
                const struct trench_csr_ref *ref)
{
    bool exact = is_exact(parts, ref);

    hits->second = *ref;
    if (hits->nr == 0 || (exact && hits->nr_exact == 0)) {
        if (hits->nr > 0) {
            hits->second = hits->ref;
        }
        hits->ref = *ref;
    }
    hits->nr++;
    hits->nr_exact += exact;
}

bool find_names_alone(const struct parts *parts, size_t from)
{
    for (size_t i = from; i < parts->nr; i++) {
        if (parts->items[i].has_index) {
            return false;
        }
    }
    return true;
}

/* Parts from the register on; ref has block and bundle. */
static void match_reg(const struct parts *parts, size_t at,
                      struct trench_csr_ref *ref, struct hits *hits)
{
    const struct trench_csr_block *block = ref->block;
    char first = find_lower(parts->items[at].s[0]);
    size_t nr = parts->nr - at;

    if (nr > 2 || !find_names_alone(parts, at)) {
        return;
    }
    for (size_t i = 0; i < ref->bundle->nr_regs; i++) {
        const struct trench_csr_reg *reg =
            &block->regs[ref->bundle->first_reg + i];

        if (find_lower(reg->name[0]) != first ||
            !find_same(&parts->items[at], reg->name)) {
            continue; /* most of them for their first letter */
        }
        ref->reg = reg;
        ref->field = NULL;
        if (nr == 1) {
            hit(hits, parts, ref);
        }
        for (size_t f = 0; nr == 2 && f < reg->nr_fields; f++) {
            ref->field = &block->fields[reg->first_field + f];
            if (find_same(&parts->items[at + 1], ref->field->name)) {
                hit(hits, parts, ref);
            }
        }
    }
}

/*
 * One piece of a bundle's name, "VecTable" or "VecTable[3]", against a part.
 * piece_len counts both. An index that the piece does not have is the array's.
 */
static bool match_piece(const struct part *part, const char *piece,
                        size_t piece_len, struct trench_csr_ref *ref)
{
    const char *bracket = memchr(piece, '[', piece_len);
    size_t len = bracket ? (size_t)(bracket - piece) : piece_len;

    if (!find_same_n(part, piece, len)) {
        return false;
    }
    if (bracket) {
        return part->has_index && part->index == strtoul(bracket + 1, NULL, 10);
    }
    if (part->has_index) {
        if (ref->has_index) {
            return false; /* one array, one index */
        }
        ref->index = part->index;
        ref->has_index = 1;
    }
    return true;
}

/* Parts that the bundle's name takes up, 0 when it is another one. */
size_t find_match_bundle(const struct parts *parts, size_t at,
                         struct trench_csr_ref *ref)
{
    const char *name = ref->bundle->name;
    size_t used = 0;

    ref->index = 0;
    ref->has_index = 0;
    for (;;) {
        size_t len = strcspn(name, ".");

        if (at + used == parts->nr ||
            !match_piece(&parts->items[at + used], name, len, ref)) {
            return 0;
        }
        used++;
        if (name[len] == '\0') {
            return used;
        }
        name += len + 1;
    }
}

/* Parts from the bundle on; ref has the block. */
static void match_bundles(const struct parts *parts, size_t at,
                          struct trench_csr_ref *ref, struct hits *hits)
{
    const struct trench_csr_block *block = ref->block;
    char first = find_lower(parts->items[at].s[0]);

    for (size_t i = 0; i < block->nr_bundles; i++) {
        size_t used;

        if (find_lower(block->bundles[i].name[0]) != first) {
            continue; /* most of them */
        }
        ref->bundle = &block->bundles[i];
        ref->reg = NULL;
        ref->field = NULL;
        used = find_match_bundle(parts, at, ref);
        if (used == 0) {
            continue;
        }
        if (ref->index >= ref->bundle->count) {
            continue; /* explained later, when nothing else fits */
        }
        if (at + used == parts->nr) {
            hit(hits, parts, ref);
        } else {
            match_reg(parts, at + used, ref, hits);
        }
    }
    ref->bundle = NULL;
}

static void match_blocks(const struct trench_csr_set *set,
                         const struct parts *parts, struct hits *hits)
{
    for (size_t i = 0; i < set->nr_blocks; i++) {
        struct trench_csr_ref ref = { .block = set->blocks[i] };

        if (parts->items[0].has_index ||
            !find_same(&parts->items[0], ref.block->name)) {
            continue;
        }
        if (parts->nr == 1) {
            hit(hits, parts, &ref);
        } else {
            match_bundles(parts, 1, &ref, hits);
        }
    }
}

static void match_all_bundles(const struct trench_csr_set *set,
                              const struct parts *parts, struct hits *hits)
{
    for (size_t i = 0; i < set->nr_blocks; i++) {
        struct trench_csr_ref ref = { .block = set->blocks[i] };

        match_bundles(parts, 0, &ref, hits);
    }
}

static void match_all_regs(const struct trench_csr_set *set,
                           const struct parts *parts, struct hits *hits)
{
    for (size_t i = 0; i < set->nr_blocks; i++) {
        const struct trench_csr_block *block = set->blocks[i];

        for (size_t b = 0; b < block->nr_bundles; b++) {
            struct trench_csr_ref ref = { .block = block,
                                          .bundle = &block->bundles[b] };

            match_reg(parts, 0, &ref, hits);
        }
    }
}

static int explain_several(const struct hits *hits,
                           struct trench_csr_error *err)
{
    char first[64], second[64];

    trench_csr_ref_name(&hits->ref, first, sizeof(first));
    trench_csr_ref_name(&hits->second, second, sizeof(second));
    return find_refuse(err, TRENCH_ERR_INVAL,
                       "the name fits %zu things, such as %s and %s", hits->nr,
                       first, second);
}

/* "udma_gen+0x2104" */
static int find_offset(const struct trench_csr_set *set, const char *name,
                       const char *plus, struct trench_csr_ref *out,
                       struct trench_csr_error *err)
{
    const struct part part = { name, (size_t)(plus - name), 0, false };
    const struct trench_csr_block *block = NULL;
    unsigned long long offset;
    char *end;

    for (size_t i = 0; i < set->nr_blocks; i++) {
        if (find_same(&part, set->blocks[i]->name)) {
            block = set->blocks[i];
        }
    }
    if (!block) {
        return find_refuse(err, TRENCH_ERR_NOENT, "there is no block '%.*s'",
                           (int)(part.len < FIND_QUOTE ? part.len : FIND_QUOTE),
                           name);
    }
    offset = strtoull(plus + 1, &end, 0);
    if (!isdigit((unsigned char)plus[1]) || *end != '\0') {
        return find_refuse(err, TRENCH_ERR_INVAL, "'%.*s' is no offset",
                           FIND_QUOTE, plus + 1);
    }
    if (offset >= block->size_bytes) {
        return find_refuse(
            err, TRENCH_ERR_NOENT,
            "offset 0x%llx is outside %.60s, which has 0x%x bytes", offset,
            block->name, (unsigned)block->size_bytes);
    }
    if (trench_csr_at(block, (uint32_t)offset, out)) {
        return find_refuse(err, TRENCH_ERR_NOENT,
                           "%.60s has no register at offset 0x%llx",
                           block->name, offset);
    }
    return 0;
}

int trench_csr_find(const struct trench_csr_set *set, const char *name,
                    struct trench_csr_ref *out, struct trench_csr_error *err)
{
    const char *plus = strchr(name, '+');
    struct hits hits;
    struct parts parts;

    if (plus) {
        return find_offset(set, name, plus, out, err);
    }
    if (!cut(name, &parts)) {
        return find_refuse(
            err, TRENCH_ERR_INVAL,
            "'%.*s' is not a name like BLOCK.BUNDLE[3].REG.field", FIND_QUOTE,
            name);
    }
    hits.nr = 0;
    hits.nr_exact = 0;
    match_blocks(set, &parts, &hits);
    if (hits.nr == 0) {
        match_all_bundles(set, &parts, &hits);
    }
    if (hits.nr == 0) {
        match_all_regs(set, &parts, &hits);
    }
    if (hits.nr == 0) {
        return find_explain(set, &parts, err);
    }
    if (hits.nr > 1 && hits.nr_exact != 1) {
        return explain_several(&hits, err);
    }
    *out = hits.ref;
    return 0;
}

const struct trench_csr_field *trench_csr_reg_field(
    const struct trench_csr_block *block, const struct trench_csr_reg *reg,
    const char *name, struct trench_csr_error *err)
{
    const struct part part = { name, strlen(name), 0, false };
    const struct trench_csr_field *found = NULL;
    const struct trench_csr_ref ref = { .block = block,
                                        .bundle = &block->bundles[reg->bundle],
                                        .reg = reg };

    for (size_t i = 0; i < reg->nr_fields; i++) {
        const struct trench_csr_field *field =
            &block->fields[reg->first_field + i];

        if (strcmp(field->name, name) == 0) {
            return field;
        }
        if (find_same(&part, field->name)) {
            if (found) {
                find_refuse(err, TRENCH_ERR_INVAL,
                            "'%.*s' fits several fields; mind the case",
                            FIND_QUOTE, name);
                return NULL;
            }
            found = field;
        }
    }
    if (!found) {
        find_explain_field(&ref, &part, err);
    }
    return found;
}
