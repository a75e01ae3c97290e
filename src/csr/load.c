/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Schema loader: turns one JSON file of the published arch-regs shape (facts,
 * common-blocks 5) into an immutable struct trench_csr_block.
 *
 * csrgen links this file too, so the build and the user get the same reader.
 */
#include <trench/csr.h>

#include <stdlib.h>
#include <string.h>

#include "csr/reader.h"

#define MAX_BLOCK_BYTES (16u << 20)
#define MAX_INSTS       65534u /* word_inst holds the number + 1 in 16 bits */

/* What trench_csr_load() really hands out; block is first for the cast back. */
struct owned {
    struct trench_csr_block block;
    struct reader_chunk *chunks;
};

/* The block under construction, with its arrays still writable. */
struct loader {
    struct reader rd;
    struct trench_csr_bundle *bundles;
    struct trench_csr_reg *regs;
    struct trench_csr_field *fields;
    uint16_t *word_inst;
    uint16_t *inst_reg;
    uint16_t *inst_index;
    const char *name;
    const char *file;
    const char *desc;
    uint32_t size_bytes;
    uint32_t limit_bytes; /* size_bytes, or less when AddrWidth is narrow */
    uint32_t nr_bundles;  /* the four counts: complete so far */
    uint32_t nr_regs;
    uint32_t nr_fields;
    uint32_t nr_insts;
};

static int get_access(struct reader *rd, const json_t *obj, uint8_t *out)
{
    static const char *const words[] = {
        [TRENCH_CSR_RO] = "RO",
        [TRENCH_CSR_RW] = "RW",
        [TRENCH_CSR_WO] = "WO",
        NULL,
    };

    return reader_choice(rd, obj, "AccessType", words, out);
}

static int get_special(struct reader *rd, const json_t *obj, uint8_t *out)
{
    static const char *const words[] = {
        [TRENCH_CSR_SPECIAL_NONE] = "None",
        [TRENCH_CSR_SPECIAL_PULSE_ON_W] = "PulseOnW",
        [TRENCH_CSR_SPECIAL_W0C] = "WriteZeroToClear",
        [TRENCH_CSR_SPECIAL_W1S] = "WriteOneToSet",
        NULL,
    };

    return reader_choice(rd, obj, "SpecialAccess", words, out);
}

static uint32_t field_mask(const struct trench_csr_field *field)
{
    return UINT32_MAX >> (32 - field->width) << field->lsb;
}

static int read_field(struct reader *rd, const json_t *obj,
                      struct trench_csr_field *field)
{
    int rc = reader_name(rd, obj, "Name", &field->name);

    if (rc) {
        return rc;
    }
    reader_set_name(rd, field->name);
    if ((rc = reader_notes(rd, obj, &field->desc, &field->tags)) ||
        (rc = get_access(rd, obj, &field->access)) ||
        (rc = get_special(rd, obj, &field->special)) ||
        (rc = reader_position(rd, obj, &field->lsb, &field->width)) ||
        (rc = reader_number(rd, obj, "ResetValue", &field->reset))) {
        return rc;
    }
    if (field->reset > field_mask(field) >> field->lsb) {
        return reader_refuse(rd, "ResetValue 0x%x is wider than the field",
                             field->reset);
    }
    return 0;
}

/* Ends after 32 rounds: each earlier field owns a bit, or was refused. */
static int check_field(struct loader *ld, const struct trench_csr_reg *reg,
                       const struct trench_csr_field *field)
{
    const struct trench_csr_field *other = &ld->fields[reg->first_field];

    for (; other < field; other++) {
        if (strcmp(other->name, field->name) == 0) {
            return reader_refuse(&ld->rd, "two fields have this name");
        }
        if (field_mask(other) & field_mask(field)) {
            return reader_refuse(&ld->rd, "overlaps field %.60s", other->name);
        }
    }
    return 0;
}

static void merge_field(struct trench_csr_reg *reg,
                        const struct trench_csr_field *field)
{
    uint32_t mask = field_mask(field);

    reg->reset |= field->reset << field->lsb;
    if (field->access != TRENCH_CSR_WO) {
        reg->read_mask |= mask;
    }
    if (field->special == TRENCH_CSR_SPECIAL_W0C) {
        reg->w0c_mask |= mask;
    } else if (field->access == TRENCH_CSR_RW) {
        reg->write_mask |= mask;
    }
}

static int load_fields(struct loader *ld, const json_t *list,
                       struct trench_csr_reg *reg)
{
    reg->first_field = (uint16_t)ld->nr_fields;
    reg->nr_fields = (uint16_t)json_array_size(list);
    for (size_t i = 0; i < json_array_size(list); i++) {
        struct trench_csr_field *field = &ld->fields[ld->nr_fields];
        int rc;

        reader_enter(&ld->rd, "BitFields", i);
        rc = read_field(&ld->rd, json_array_get(list, i), field);
        if (!rc) {
            rc = check_field(ld, reg, field);
        }
        if (rc) {
            return rc;
        }
        merge_field(reg, field);
        ld->nr_fields++;
        reader_leave(&ld->rd);
    }
    return 0;
}

static int load_reg(struct loader *ld, const json_t *obj,
                    const struct trench_csr_bundle *bundle)
{
    struct trench_csr_reg *reg = &ld->regs[ld->nr_regs];
    struct reader *rd = &ld->rd;
    const json_t *list;
    int rc = reader_name(rd, obj, "Name", &reg->name);

    if (rc) {
        return rc;
    }
    reader_set_name(rd, reg->name);
    if ((rc = reader_notes(rd, obj, &reg->desc, &reg->tags)) ||
        (rc = get_access(rd, obj, &reg->access)) ||
        (rc = reader_number(rd, obj, "AddressOffset", &reg->offset))) {
        return rc;
    }
    list = reader_list(rd, obj, "BitFields");
    if (!list) {
        return TRENCH_ERR_BADMSG;
    }
    if (reg->offset % 4 != 0) {
        return reader_refuse(rd, "AddressOffset 0x%x is not a multiple of 4",
                             reg->offset);
    }
    if (bundle->count > 1 && (uint64_t)reg->offset + 4 > bundle->stride) {
        return reader_refuse(rd, "AddressOffset 0x%x is outside its bundle",
                             reg->offset);
    }
    reg->bundle = (uint16_t)ld->nr_bundles;
    rc = load_fields(ld, list, reg);
    if (!rc) {
        ld->nr_regs++;
    }
    return rc;
}

static int read_bundle(struct reader *rd, const json_t *obj,
                       struct trench_csr_bundle *bundle)
{
    int rc = reader_name(rd, obj, "Name", &bundle->name);

    if (rc) {
        return rc;
    }
    reader_set_name(rd, bundle->name);
    if (json_object_get(obj, "RegistersBundleArrays")) {
        return reader_refuse(rd, "nested bundles are not supported");
    }
    if ((rc = reader_number(rd, obj, "AddressOffset", &bundle->offset)) ||
        (rc = reader_number(rd, obj, "ArraySize", &bundle->count)) ||
        (rc = reader_number(rd, obj, "BundleSizeInBytes", &bundle->stride))) {
        return rc;
    }
    if (bundle->count == 0) {
        return reader_refuse(rd, "ArraySize is 0");
    }
    if (bundle->offset % 4 != 0) {
        return reader_refuse(rd, "AddressOffset 0x%x is not a multiple of 4",
                             bundle->offset);
    }
    if (bundle->count > 1 && bundle->stride % 4 != 0) {
        return reader_refuse(rd, "BundleSizeInBytes %u is not a multiple of 4",
                             bundle->stride);
    }
    return 0;
}

static int load_bundle(struct loader *ld, const json_t *obj)
{
    struct trench_csr_bundle *bundle = &ld->bundles[ld->nr_bundles];
    int rc = read_bundle(&ld->rd, obj, bundle);
    const json_t *list;
    uint64_t nr_insts;

    if (rc) {
        return rc;
    }
    list = reader_list(&ld->rd, obj, "Registers");
    if (!list) {
        return TRENCH_ERR_BADMSG;
    }
    nr_insts = ld->nr_insts + (uint64_t)bundle->count * json_array_size(list);
    if (nr_insts > MAX_INSTS) {
        return reader_refuse(&ld->rd, "more than %u register instances",
                             MAX_INSTS);
    }
    bundle->first_inst = ld->nr_insts;
    bundle->first_reg = (uint16_t)ld->nr_regs;
    bundle->nr_regs = (uint16_t)json_array_size(list);
    for (size_t i = 0; i < json_array_size(list); i++) {
        reader_enter(&ld->rd, "Registers", i);
        rc = load_reg(ld, json_array_get(list, i), bundle);
        if (rc) {
            return rc;
        }
        reader_leave(&ld->rd);
    }
    ld->nr_insts = (uint32_t)nr_insts;
    ld->nr_bundles++;
    return 0;
}

/* Put the path on a register that has been loaded. */
static void enter_reg(struct loader *ld, const struct trench_csr_reg *reg)
{
    reader_enter(&ld->rd, "RegistersBundleArrays", reg->bundle);
    reader_set_name(&ld->rd, ld->bundles[reg->bundle].name);
    reader_enter(&ld->rd, "Registers", 0);
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

/* Sorts, because a file may hold tens of thousands of names. */
static const struct name_ref *find_duplicate(struct name_ref *refs, size_t nr)
{
    qsort(refs, nr, sizeof(*refs), compare_names);
    for (size_t i = 1; i < nr; i++) {
        if (strcmp(refs[i - 1].name, refs[i].name) == 0) {
            return &refs[i];
        }
    }
    return NULL;
}

static int check_bundle_names(struct loader *ld, struct name_ref *refs)
{
    const struct name_ref *dup;

    for (uint32_t i = 0; i < ld->nr_bundles; i++) {
        refs[i] = (struct name_ref){ ld->bundles[i].name, i };
    }
    dup = find_duplicate(refs, ld->nr_bundles);
    if (!dup) {
        return 0;
    }
    reader_enter(&ld->rd, "RegistersBundleArrays", dup->idx);
    reader_set_name(&ld->rd, dup->name);
    return reader_refuse(&ld->rd, "two bundles have this name");
}

static int check_reg_names(struct loader *ld, struct name_ref *refs,
                           const struct trench_csr_bundle *bundle)
{
    const struct name_ref *dup;

    for (uint32_t i = 0; i < bundle->nr_regs; i++) {
        uint32_t reg = bundle->first_reg + i;

        refs[i] = (struct name_ref){ ld->regs[reg].name, reg };
    }
    dup = find_duplicate(refs, bundle->nr_regs);
    if (!dup) {
        return 0;
    }
    enter_reg(ld, &ld->regs[dup->idx]);
    return reader_refuse(&ld->rd, "two registers have this name");
}

static int check_names(struct loader *ld)
{
    struct name_ref *refs;
    int rc;

    /* Every bundle has a register, so the bundles' names fit as well. */
    refs = calloc(ld->nr_regs, sizeof(*refs));
    if (!refs) {
        return reader_no_memory(&ld->rd);
    }
    rc = check_bundle_names(ld, refs);
    for (uint32_t i = 0; i < ld->nr_bundles && !rc; i++) {
        rc = check_reg_names(ld, refs, &ld->bundles[i]);
    }
    free(refs);
    return rc;
}

static int place_inst(struct loader *ld, uint32_t reg_idx, uint32_t idx)
{
    const struct trench_csr_reg *reg = &ld->regs[reg_idx];
    const struct trench_csr_bundle *bundle = &ld->bundles[reg->bundle];
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
        reg = &ld->regs[ld->inst_reg[*slot - 1]];
        return reader_refuse(&ld->rd, "index %u at 0x%llx overlaps %.40s.%.40s",
                             idx, (unsigned long long)addr,
                             ld->bundles[reg->bundle].name, reg->name);
    }
    *slot = (uint16_t)(inst + 1);
    ld->inst_reg[inst] = (uint16_t)reg_idx;
    ld->inst_index[inst] = (uint16_t)idx;
    return 0;
}

static int place_insts(struct loader *ld)
{
    ld->word_inst =
        reader_alloc(&ld->rd, ld->size_bytes / 4, sizeof(*ld->word_inst));
    ld->inst_reg = reader_alloc(&ld->rd, ld->nr_insts, sizeof(*ld->inst_reg));
    ld->inst_index =
        reader_alloc(&ld->rd, ld->nr_insts, sizeof(*ld->inst_index));
    if (!ld->word_inst || !ld->inst_reg || !ld->inst_index) {
        return reader_no_memory(&ld->rd);
    }
    for (uint32_t reg = 0; reg < ld->nr_regs; reg++) {
        uint32_t count = ld->bundles[ld->regs[reg].bundle].count;

        enter_reg(ld, &ld->regs[reg]);
        for (uint32_t i = 0; i < count; i++) {
            int rc = place_inst(ld, reg, i);

            if (rc) {
                return rc;
            }
        }
        reader_leave(&ld->rd);
        reader_leave(&ld->rd);
    }
    return 0;
}

/*
 * Types are not checked here: what is not a list counts as empty, and is
 * refused when it is read.
 */
static int alloc_defs(struct loader *ld, const json_t *bundles)
{
    size_t nr_bundles = json_array_size(bundles), nr_regs = 0, nr_fields = 0;

    for (size_t i = 0; i < nr_bundles; i++) {
        const json_t *regs =
            json_object_get(json_array_get(bundles, i), "Registers");

        nr_regs += json_array_size(regs);
        for (size_t j = 0; j < json_array_size(regs); j++) {
            nr_fields += json_array_size(
                json_object_get(json_array_get(regs, j), "BitFields"));
        }
    }
    if (nr_bundles > UINT16_MAX || nr_regs > UINT16_MAX ||
        nr_fields > UINT16_MAX) {
        return reader_refuse(&ld->rd, "more than %d definitions of a kind",
                             UINT16_MAX);
    }
    ld->bundles = reader_alloc(&ld->rd, nr_bundles, sizeof(*ld->bundles));
    ld->regs = reader_alloc(&ld->rd, nr_regs, sizeof(*ld->regs));
    ld->fields = reader_alloc(&ld->rd, nr_fields, sizeof(*ld->fields));
    if (!ld->bundles || !ld->regs || !ld->fields) {
        return reader_no_memory(&ld->rd);
    }
    return 0;
}

static int read_head(struct loader *ld, const json_t *obj)
{
    struct reader *rd = &ld->rd;
    uint32_t addr_width, data_width;
    const char *tags;
    int rc;

    if ((rc = reader_name(rd, obj, "UnitName", &ld->name)) ||
        (rc = reader_notes(rd, obj, &ld->desc, &tags)) ||
        (rc = reader_use_params(rd, obj)) ||
        (rc = reader_number(rd, obj, "SizeInBytes", &ld->size_bytes)) ||
        (rc = reader_number(rd, obj, "AddrWidth", &addr_width)) ||
        (rc = reader_number(rd, obj, "DataWidth", &data_width))) {
        return rc;
    }
    if (ld->size_bytes == 0 || ld->size_bytes % 4 != 0) {
        return reader_refuse(rd, "SizeInBytes 0x%x is 0 or not a multiple of 4",
                             ld->size_bytes);
    }
    if (ld->size_bytes > MAX_BLOCK_BYTES) {
        return reader_refuse(rd, "SizeInBytes 0x%x is above 16 MiB",
                             ld->size_bytes);
    }
    if (data_width != 32) {
        return reader_refuse(rd, "DataWidth %u is not 32", data_width);
    }
    if (json_array_size(json_object_get(obj, "Includes")) > 0) {
        return reader_refuse(rd, "Includes are not supported");
    }
    ld->limit_bytes = ld->size_bytes;
    if (addr_width < 32 && ld->limit_bytes > 1u << addr_width) {
        ld->limit_bytes = 1u << addr_width;
    }
    return 0;
}

static int load_tree(struct loader *ld, const json_t *root)
{
    const json_t *obj, *list;
    int rc;

    obj = reader_object(&ld->rd, root, "RegFile");
    if (!obj) {
        return TRENCH_ERR_BADMSG;
    }
    reader_enter(&ld->rd, "RegFile", 0);
    reader_set_name(&ld->rd, "RegFile");
    rc = read_head(ld, obj);
    if (rc) {
        return rc;
    }
    list = reader_list(&ld->rd, obj, "RegistersBundleArrays");
    if (!list) {
        return TRENCH_ERR_BADMSG;
    }
    rc = alloc_defs(ld, list);
    if (rc) {
        return rc;
    }
    for (size_t i = 0; i < json_array_size(list); i++) {
        reader_enter(&ld->rd, "RegistersBundleArrays", i);
        rc = load_bundle(ld, json_array_get(list, i));
        if (rc) {
            return rc;
        }
        reader_leave(&ld->rd);
    }
    rc = check_names(ld);
    return rc ? rc : place_insts(ld);
}

static int finish(struct loader *ld, const char *path,
                  struct trench_csr_block **out)
{
    const char *slash = strrchr(path, '/');
    struct trench_csr_block *block;
    struct owned *owned;
    int rc;

    rc = reader_copy(&ld->rd, slash ? slash + 1 : path, &ld->file);
    if (rc) {
        return rc;
    }
    owned = reader_alloc(&ld->rd, 1, sizeof(*owned));
    if (!owned) {
        return reader_no_memory(&ld->rd);
    }
    owned->chunks = ld->rd.chunks; /* one of them holds owned itself */
    block = &owned->block;
    block->name = ld->name;
    block->file = ld->file;
    block->desc = ld->desc;
    block->bundles = ld->bundles;
    block->regs = ld->regs;
    block->fields = ld->fields;
    block->word_inst = ld->word_inst;
    block->inst_reg = ld->inst_reg;
    block->inst_index = ld->inst_index;
    block->size_bytes = ld->size_bytes;
    block->nr_bundles = (uint16_t)ld->nr_bundles;
    block->nr_regs = (uint16_t)ld->nr_regs;
    block->nr_fields = (uint16_t)ld->nr_fields;
    block->nr_insts = (uint16_t)ld->nr_insts;
    *out = block;
    return 0;
}

int trench_csr_load(const char *path, struct trench_csr_block **out,
                    struct trench_csr_error *err)
{
    struct trench_csr_error ignored = { 0 };
    struct loader ld;
    json_t *root;
    int rc;

    memset(&ld, 0, sizeof(ld));
    ld.rd.err = err ? err : &ignored;
    rc = reader_parse(&ld.rd, path, &root);
    if (rc) {
        return rc;
    }
    rc = load_tree(&ld, root);
    json_decref(root);
    if (!rc) {
        rc = finish(&ld, path, out);
    }
    if (rc) {
        reader_free_chunks(ld.rd.chunks);
    }
    return rc;
}

void trench_csr_free(struct trench_csr_block *block)
{
    if (block) {
        reader_free_chunks(((struct owned *)(void *)block)->chunks);
    }
}
