/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Opinions about schemas that load: what is legal but looks wrong. Nothing
 * here changes the block.
 */
#include "csr/loader.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* A reset value that published files of other blocks leak (common-blocks 5). */
#define PLACEHOLDER_RESET 0xb1u

void check_head(struct loader *ld, uint32_t addr_width)
{
    uint64_t reach = addr_width < 32 ? 1ull << addr_width : 1ull << 32;

    if (reach < ld->size_bytes) {
        reader_warn(&ld->rd, "AddrWidth %u reaches 0x%llx of 0x%x bytes",
                    addr_width, (unsigned long long)reach, ld->size_bytes);
    } else if (reach / 2 >= ld->size_bytes) {
        reader_warn(&ld->rd, "AddrWidth %u is wider than 0x%x bytes need",
                    addr_width, ld->size_bytes);
    }
}

/* The end of the last register, as far as the file says it. */
static uint32_t needed_bytes(struct loader *ld, const json_t *regs)
{
    uint32_t needed = 0;

    for (size_t i = 0; i < json_array_size(regs); i++) {
        const char *text = json_string_value(
            json_object_get(json_array_get(regs, i), "AddressOffset"));
        uint32_t offset;

        if (text && reader_peek_number(&ld->rd, text, &offset) &&
            offset < UINT32_MAX - 4 && offset + 4 > needed) {
            needed = offset + 4;
        }
    }
    return needed;
}

void check_bundle(struct loader *ld, const struct trench_csr_bundle *bundle,
                  const json_t *regs)
{
    uint32_t needed;

    if (!ld->rd.fn || bundle->count > 1) {
        return; /* in an array it is an error */
    }
    needed = needed_bytes(ld, regs);
    if (needed > bundle->stride) {
        ld->rd.member = "BundleSizeInBytes";
        reader_warn(&ld->rd,
                    "BundleSizeInBytes 0x%x is less than the 0x%x bytes that "
                    "the registers take",
                    bundle->stride, needed);
    }
}

static bool is_reserved(const struct trench_csr_field *field)
{
    return strncasecmp(field->name, "reserved", strlen("reserved")) == 0;
}

void check_field(struct loader *ld, const struct trench_csr_field *field)
{
    struct reader *rd = &ld->rd;

    if (!rd->fn) {
        return;
    }
    if (field->access == TRENCH_CSR_WO && field->reset != 0) {
        rd->member = "ResetValue";
        reader_warn(rd, "reset 0x%x of a WO field is never seen", field->reset);
    } else if (field->reset == PLACEHOLDER_RESET) {
        rd->member = "ResetValue";
        reader_warn(rd, "reset 0x%x is a known placeholder", PLACEHOLDER_RESET);
    }
    if (field->access == TRENCH_CSR_RO &&
        field->special != TRENCH_CSR_SPECIAL_NONE) {
        rd->member = "SpecialAccess";
        reader_warn(rd, "a RO field has a rule for writes");
    }
    if (is_reserved(field) && field->access == TRENCH_CSR_RW) {
        rd->member = "AccessType";
        reader_warn(rd, "a reserved field keeps what is written");
    }
}

/* The access of the register says what no field of it does. */
static void check_access(struct loader *ld, const struct trench_csr_reg *reg)
{
    const struct trench_csr_field *fields =
        loader_fields(ld) + reg->first_field;
    unsigned readable = 0, writable = 0;

    for (size_t i = 0; i < reg->nr_fields; i++) {
        if (!is_reserved(&fields[i])) {
            readable += fields[i].access != TRENCH_CSR_WO;
            writable += fields[i].access != TRENCH_CSR_RO;
        }
    }
    ld->rd.member = "AccessType";
    if (reg->access == TRENCH_CSR_RO && writable > 0) {
        reader_warn(&ld->rd, "the register is RO, but %u of its fields are not",
                    writable);
    } else if (reg->access == TRENCH_CSR_WO && readable > 0) {
        reader_warn(&ld->rd, "the register is WO, but %u of its fields are not",
                    readable);
    } else if (reg->access == TRENCH_CSR_RW && writable == 0) {
        reader_warn(&ld->rd, "the register is RW, but all its fields are RO");
    } else if (reg->access == TRENCH_CSR_RW && readable == 0) {
        reader_warn(&ld->rd, "the register is RW, but all its fields are WO");
    }
}

/* Equal words beside each other are mostly copied and forgotten. */
static void check_field_texts(struct loader *ld,
                              const struct trench_csr_reg *reg)
{
    const struct trench_csr_field *fields =
        loader_fields(ld) + reg->first_field;

    for (size_t i = 1; i < reg->nr_fields; i++) {
        for (size_t j = 0; j < i; j++) {
            if (fields[i].desc[0] != '\0' && !is_reserved(&fields[i]) &&
                !is_reserved(&fields[j]) &&
                strcmp(fields[i].desc, fields[j].desc) == 0) {
                ld->rd.member = "BitFields";
                reader_warn(&ld->rd,
                            "fields %.40s and %.40s have one description",
                            fields[j].name, fields[i].name);
                break;
            }
        }
    }
}

void check_reg(struct loader *ld, const struct trench_csr_reg *reg)
{
    if (ld->rd.fn) {
        check_access(ld, reg);
        check_field_texts(ld, reg);
    }
}

/* Twins: names that differ in case only. */

struct twin_ref {
    const char *name;
    uint32_t scope;
    uint32_t idx;
};

static int compare_twins(const void *a, const void *b)
{
    const struct twin_ref *x = a, *y = b;
    int order = (x->scope > y->scope) - (x->scope < y->scope);

    order = order ? order : strcasecmp(x->name, y->name);
    return order ? order : (x->idx > y->idx) - (x->idx < y->idx);
}

static void warn_twins(struct loader *ld, struct twin_ref *refs, size_t nr,
                       void (*enter)(struct loader *ld, uint32_t idx))
{
    int depth = ld->rd.depth;

    qsort(refs, nr, sizeof(*refs), compare_twins);
    for (size_t i = 1; i < nr; i++) {
        if (refs[i - 1].scope == refs[i].scope &&
            strcasecmp(refs[i - 1].name, refs[i].name) == 0 &&
            strcmp(refs[i - 1].name, refs[i].name) != 0) {
            enter(ld, refs[i].idx);
            reader_warn(&ld->rd, "differs from %.60s in case only",
                        refs[i - 1].name);
            reader_leave_to(&ld->rd, depth);
        }
    }
}

void check_twins(struct loader *ld)
{
    size_t max = (size_t)ld->regs.nr + ld->bundles.nr + 1;
    struct twin_ref *refs = calloc(max, sizeof(*refs));

    if (!refs) {
        return; /* an opinion less */
    }
    for (uint32_t i = 0; i < ld->bundles.nr; i++) {
        refs[i] = (struct twin_ref){ loader_bundles(ld)[i].name, 0, i };
    }
    warn_twins(ld, refs, ld->bundles.nr, place_enter_bundle);
    for (uint32_t i = 0; i < ld->regs.nr; i++) {
        const struct trench_csr_reg *reg = &loader_regs(ld)[i];

        refs[i] = (struct twin_ref){ reg->name, reg->bundle, i };
    }
    warn_twins(ld, refs, ld->regs.nr, place_enter_reg);
    free(refs);
}
