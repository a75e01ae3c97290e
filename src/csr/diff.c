/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Differences of two maps. Each level is sorted by name once, so that two
 * large files do not take their product; results come in the order of the
 * files.
 */
#include <trench/csr.h>

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

struct name_ref {
    const char *name;
    uint32_t idx;
};

struct diff {
    trench_csr_change_fn fn;
    void *opaque;
    struct trench_csr_ref refs[2]; /* down to where the walk is */
    struct name_ref *names;        /* room for any level of the other side */
    int nr;
};

static int emit(struct diff *d, const struct trench_csr_change *change)
{
    d->nr++;
    return d->fn(d->opaque, change);
}

static int changed(struct diff *d, enum trench_csr_property property,
                   uint32_t before, uint32_t after)
{
    const struct trench_csr_change change = {
        .kind = TRENCH_CSR_CHANGED,
        .property = property,
        .refs = { d->refs[0], d->refs[1] },
        .val = { before, after },
    };

    return before == after ? 0 : emit(d, &change);
}

/* side 0 has it, so it was removed; side 1: added. */
static int only_on(struct diff *d, int side)
{
    struct trench_csr_change change = {
        .kind = side == 0 ? TRENCH_CSR_REMOVED : TRENCH_CSR_ADDED,
    };

    change.refs[side] = d->refs[side];
    return emit(d, &change);
}

static int compare_names(const void *a, const void *b)
{
    const struct name_ref *x = a, *y = b;

    return strcmp(x->name, y->name);
}

/* Index of the name, or -1. */
static long look_up(const struct name_ref *names, size_t nr, const char *name)
{
    const struct name_ref key = { name, 0 };
    const struct name_ref *found;

    if (nr == 0) {
        return -1;
    }
    found = bsearch(&key, names, nr, sizeof(*names), compare_names);
    return found ? (long)found->idx : -1;
}

/* Fields: at most 32 a side. */

static const struct trench_csr_field *field_named(
    const struct trench_csr_ref *ref, const char *name)
{
    for (size_t i = 0; i < ref->reg->nr_fields; i++) {
        const struct trench_csr_field *field =
            &ref->block->fields[ref->reg->first_field + i];

        if (strcmp(field->name, name) == 0) {
            return field;
        }
    }
    return NULL;
}

static uint32_t field_bits(const struct trench_csr_field *field)
{
    return (uint32_t)(field->lsb + field->width - 1) << 8 | field->lsb;
}

static int diff_field(struct diff *d)
{
    const struct trench_csr_field *a = d->refs[0].field, *b = d->refs[1].field;
    int rc;

    if ((rc = changed(d, TRENCH_CSR_PROP_BITS, field_bits(a), field_bits(b))) ||
        (rc = changed(d, TRENCH_CSR_PROP_ACCESS, a->access, b->access)) ||
        (rc = changed(d, TRENCH_CSR_PROP_RESET, a->reset, b->reset))) {
        return rc;
    }
    return changed(d, TRENCH_CSR_PROP_SPECIAL, a->special, b->special);
}

/* Fields of one side, with those of the other when both is set. */
static int diff_fields(struct diff *d, int side, bool both)
{
    struct trench_csr_ref *here = &d->refs[side], *there = &d->refs[!side];
    int rc = 0;

    for (size_t i = 0; i < here->reg->nr_fields && !rc; i++) {
        here->field = &here->block->fields[here->reg->first_field + i];
        there->field = field_named(there, here->field->name);
        if (!there->field) {
            rc = only_on(d, side);
        } else if (both) {
            rc = diff_field(d);
        }
    }
    here->field = NULL;
    there->field = NULL;
    return rc;
}

/* Registers. */

static int diff_reg(struct diff *d)
{
    const struct trench_csr_reg *a = d->refs[0].reg, *b = d->refs[1].reg;
    int rc;

    if ((rc = changed(d, TRENCH_CSR_PROP_OFFSET, a->offset, b->offset)) ||
        (rc = changed(d, TRENCH_CSR_PROP_ACCESS, a->access, b->access)) ||
        (rc = diff_fields(d, 0, true))) {
        return rc;
    }
    return diff_fields(d, 1, false);
}

static size_t sort_regs(struct name_ref *names,
                        const struct trench_csr_ref *ref)
{
    for (uint32_t i = 0; i < ref->bundle->nr_regs; i++) {
        uint32_t idx = ref->bundle->first_reg + i;

        names[i] = (struct name_ref){ ref->block->regs[idx].name, idx };
    }
    qsort(names, ref->bundle->nr_regs, sizeof(*names), compare_names);
    return ref->bundle->nr_regs;
}

static int diff_regs(struct diff *d, int side, bool both)
{
    struct trench_csr_ref *here = &d->refs[side], *there = &d->refs[!side];
    size_t nr = sort_regs(d->names, there);
    int rc = 0;

    for (size_t i = 0; i < here->bundle->nr_regs && !rc; i++) {
        long idx;

        here->reg = &here->block->regs[here->bundle->first_reg + i];
        idx = look_up(d->names, nr, here->reg->name);
        there->reg = idx < 0 ? NULL : &there->block->regs[idx];
        if (!there->reg) {
            rc = only_on(d, side);
        } else if (both) {
            rc = diff_reg(d);
        }
    }
    here->reg = NULL;
    there->reg = NULL;
    return rc;
}

/* Bundles. */

/* Strides of single bundles are the sizes of windows, not distances. */
static uint32_t stride(const struct trench_csr_bundle *bundle)
{
    return bundle->count > 1 ? bundle->stride : 0;
}

static int diff_bundle(struct diff *d)
{
    const struct trench_csr_bundle *a = d->refs[0].bundle,
                                   *b = d->refs[1].bundle;
    int rc;

    if ((rc = changed(d, TRENCH_CSR_PROP_OPAQUE, a->opaque, b->opaque))) {
        return rc;
    }
    if (a->opaque || b->opaque) {
        return 0; /* of the other side nothing is known */
    }
    if ((rc = changed(d, TRENCH_CSR_PROP_OFFSET, a->offset, b->offset)) ||
        (rc = changed(d, TRENCH_CSR_PROP_COUNT, a->count, b->count)) ||
        (rc = changed(d, TRENCH_CSR_PROP_STRIDE, stride(a), stride(b))) ||
        (rc = diff_regs(d, 0, true))) {
        return rc;
    }
    return diff_regs(d, 1, false);
}

static size_t sort_bundles(struct name_ref *names,
                           const struct trench_csr_block *block)
{
    for (uint32_t i = 0; i < block->nr_bundles; i++) {
        names[i] = (struct name_ref){ block->bundles[i].name, i };
    }
    qsort(names, block->nr_bundles, sizeof(*names), compare_names);
    return block->nr_bundles;
}

static int diff_bundles(struct diff *d, int side, bool both)
{
    struct trench_csr_ref *here = &d->refs[side], *there = &d->refs[!side];
    size_t nr = there->block->nr_bundles;
    struct name_ref *names = calloc(nr + 1, sizeof(*names));
    int rc = 0;

    if (!names) {
        return TRENCH_ERR_NOMEM;
    }
    sort_bundles(names, there->block);
    for (size_t i = 0; i < here->block->nr_bundles && !rc; i++) {
        long idx;

        here->bundle = &here->block->bundles[i];
        idx = look_up(names, nr, here->bundle->name);
        there->bundle = idx < 0 ? NULL : &there->block->bundles[idx];
        if (!there->bundle) {
            rc = only_on(d, side);
        } else if (both) {
            rc = diff_bundle(d);
        }
    }
    here->bundle = NULL;
    there->bundle = NULL;
    free(names);
    return rc;
}

int trench_csr_diff(const struct trench_csr_block *before,
                    const struct trench_csr_block *after,
                    trench_csr_change_fn fn, void *opaque)
{
    size_t max =
        before->nr_regs > after->nr_regs ? before->nr_regs : after->nr_regs;
    struct diff d = { .fn = fn, .opaque = opaque };
    int rc;

    d.refs[0].block = before;
    d.refs[1].block = after;
    d.names = calloc(max + 1, sizeof(*d.names));
    if (!d.names) {
        return TRENCH_ERR_NOMEM;
    }
    rc = changed(&d, TRENCH_CSR_PROP_SIZE, before->size_bytes,
                 after->size_bytes);
    if (!rc) {
        rc = diff_bundles(&d, 0, true);
    }
    if (!rc) {
        rc = diff_bundles(&d, 1, false);
    }
    free(d.names);
    return rc ? rc : d.nr;
}
