/* SPDX-License-Identifier: BSD-3-Clause */
/* Names must be unique, and every instance needs a word of its own. */
#include "csr/loader.h"

#include <stdlib.h>
#include <string.h>

void place_enter_bundle(struct loader *ld, uint32_t idx)
{
    const struct loader_source *source =
        (const struct loader_source *)ld->sources.items + idx;

    for (int i = 0; i < source->nr; i++) {
        reader_enter(&ld->rd, "RegistersBundleArrays", source->idx[i]);
        reader_set_name(&ld->rd, "");
    }
    reader_set_name(&ld->rd, loader_bundles(ld)[idx].name);
}

void place_enter_reg(struct loader *ld, uint32_t idx)
{
    const struct trench_csr_reg *reg = &loader_regs(ld)[idx];

    place_enter_bundle(ld, reg->bundle);
    reader_enter(&ld->rd, "Registers",
                 ((const size_t *)ld->reg_idx.items)[idx]);
    reader_set_name(&ld->rd, reg->name);
}

struct name_ref {
    const char *name;
    uint32_t idx;
};

static int compare_names(const void *a, const void *b)
{
    const struct name_ref *x = a, *y = b;
    int order = strcmp(x->name, y->name);

    return order ? order : (x->idx > y->idx) - (x->idx < y->idx);
}

/* Refuses every name but the first of its kind. */
typedef void (*enter_fn)(struct loader *ld, uint32_t idx);

static int refuse_duplicates(struct loader *ld, struct name_ref *refs,
                             size_t nr, enter_fn enter, const char *kind)
{
    int depth = ld->rd.depth;
    int rc = 0;

    /* Sorts, because a file may hold tens of thousands of names. */
    qsort(refs, nr, sizeof(*refs), compare_names);
    for (size_t i = 1; i < nr; i++) {
        if (strcmp(refs[i - 1].name, refs[i].name) != 0) {
            continue;
        }
        enter(ld, refs[i].idx);
        rc = reader_refuse(&ld->rd, "two %s have this name", kind);
        if (!reader_goes_on(&ld->rd, rc)) {
            return rc;
        }
        reader_leave_to(&ld->rd, depth);
    }
    return rc;
}

static int check_bundle_names(struct loader *ld, struct name_ref *refs)
{
    for (uint32_t i = 0; i < ld->bundles.nr; i++) {
        refs[i] = (struct name_ref){ loader_bundles(ld)[i].name, i };
    }
    return refuse_duplicates(ld, refs, ld->bundles.nr, place_enter_bundle,
                             "bundles");
}

static int check_reg_names(struct loader *ld, struct name_ref *refs,
                           const struct trench_csr_bundle *bundle)
{
    for (uint32_t i = 0; i < bundle->nr_regs; i++) {
        uint32_t reg = bundle->first_reg + i;

        refs[i] = (struct name_ref){ loader_regs(ld)[reg].name, reg };
    }
    return refuse_duplicates(ld, refs, bundle->nr_regs, place_enter_reg,
                             "registers");
}

static int check_names(struct loader *ld)
{
    size_t max = ld->regs.nr > ld->bundles.nr ? ld->regs.nr : ld->bundles.nr;
    struct name_ref *refs;
    int rc;

    refs = calloc(max > 0 ? max : 1, sizeof(*refs));
    if (!refs) {
        return reader_no_memory(&ld->rd);
    }
    rc = check_bundle_names(ld, refs);
    for (uint32_t i = 0; i < ld->bundles.nr; i++) {
        if (rc && !reader_goes_on(&ld->rd, rc)) {
            break;
        }
        rc = check_reg_names(ld, refs, &loader_bundles(ld)[i]);
    }
    free(refs);
    return rc;
}

static int place_inst(struct loader *ld, uint32_t reg_idx, uint32_t idx)
{
    const struct trench_csr_reg *reg = &loader_regs(ld)[reg_idx];
    const struct trench_csr_bundle *bundle = &loader_bundles(ld)[reg->bundle];
    uint32_t inst = bundle->first_inst + idx * bundle->nr_regs +
                    (reg_idx - bundle->first_reg);
    uint64_t addr = bundle->offset;
    uint16_t *slot;

    addr += (uint64_t)idx * bundle->stride + reg->offset;
    if (addr + 4 > ld->limit_bytes) {
        return reader_refuse(&ld->rd, "index %u at 0x%llx is outside the block",
                             idx, (unsigned long long)addr);
    }
    slot = &ld->word_inst[addr / 4];
    if (*slot > 0) {
        reg = &loader_regs(ld)[ld->inst_reg[*slot - 1]];
        return reader_refuse(&ld->rd, "index %u at 0x%llx overlaps %.40s.%.40s",
                             idx, (unsigned long long)addr,
                             loader_bundles(ld)[reg->bundle].name, reg->name);
    }
    *slot = (uint16_t)(inst + 1);
    ld->inst_reg[inst] = (uint16_t)reg_idx;
    ld->inst_index[inst] = (uint16_t)idx;
    return 0;
}

/* All instances of a register, or those before the first fault. */
static int place_reg(struct loader *ld, uint32_t reg_idx)
{
    uint32_t count = loader_bundles(ld)[loader_regs(ld)[reg_idx].bundle].count;
    int depth = ld->rd.depth;
    int rc = 0;

    place_enter_reg(ld, reg_idx);
    for (uint32_t i = 0; i < count && !rc; i++) {
        rc = place_inst(ld, reg_idx, i);
    }
    if (!rc || reader_goes_on(&ld->rd, rc)) {
        reader_leave_to(&ld->rd, depth);
    }
    return rc;
}

static int place_insts(struct loader *ld)
{
    int rc = 0;

    ld->word_inst =
        reader_alloc(&ld->rd, ld->size_bytes / 4, sizeof(*ld->word_inst));
    ld->inst_reg = reader_alloc(&ld->rd, ld->nr_insts, sizeof(*ld->inst_reg));
    ld->inst_index =
        reader_alloc(&ld->rd, ld->nr_insts, sizeof(*ld->inst_index));
    if (!ld->word_inst || !ld->inst_reg || !ld->inst_index) {
        return reader_no_memory(&ld->rd);
    }
    for (uint32_t reg = 0; reg < ld->regs.nr; reg++) {
        rc = place_reg(ld, reg);
        if (rc && !reader_goes_on(&ld->rd, rc)) {
            return rc;
        }
    }
    return rc;
}

int place_all(struct loader *ld)
{
    int rc = check_names(ld);

    return rc && !reader_goes_on(&ld->rd, rc) ? rc : place_insts(ld);
}
