/* SPDX-License-Identifier: BSD-3-Clause */
/* Registers and their fields. */
#include "csr/loader.h"

#include <string.h>

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

/* The first failure; running out of memory is the last straw. */
static int first_of(int rc, int next)
{
    return rc && next != TRENCH_ERR_NOMEM ? rc : next;
}

static int read_field(struct reader *rd, const json_t *obj,
                      struct trench_csr_field *field)
{
    int rc = reader_name(rd, obj, "Name", &field->name);

    if (rc) {
        return rc;
    }
    reader_set_name(rd, field->name);
    rc = first_of(rc, reader_notes(rd, obj, &field->desc, &field->tags));
    rc = first_of(rc, get_access(rd, obj, &field->access));
    rc = first_of(rc, get_special(rd, obj, &field->special));
    rc = first_of(rc, reader_position(rd, obj, &field->lsb, &field->width));
    rc = first_of(rc, reader_number(rd, obj, "ResetValue", &field->reset));
    if (rc) {
        return rc;
    }
    if (field->reset > trench_csr_field_mask(field) >> field->lsb) {
        return reader_refuse(rd, "ResetValue 0x%x is wider than the field",
                             field->reset);
    }
    return 0;
}

/* Ends after 32 rounds: each earlier field owns a bit, or was refused. */
static int compare_field(struct loader *ld, const struct trench_csr_reg *reg,
                         const struct trench_csr_field *field)
{
    const struct trench_csr_field *other = loader_fields(ld) + reg->first_field;

    for (; other < field; other++) {
        if (strcmp(other->name, field->name) == 0) {
            ld->rd.member = "Name";
            return reader_refuse(&ld->rd, "two fields have this name");
        }
        if (trench_csr_field_mask(other) & trench_csr_field_mask(field)) {
            ld->rd.member = "Position";
            return reader_refuse(&ld->rd, "overlaps field %.60s", other->name);
        }
    }
    return 0;
}

static void merge_field(struct trench_csr_reg *reg,
                        const struct trench_csr_field *field)
{
    uint32_t mask = trench_csr_field_mask(field);

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

static int load_field(struct loader *ld, const json_t *obj,
                      struct trench_csr_reg *reg)
{
    struct trench_csr_field *field;
    int rc;

    field = loader_slot(ld, &ld->fields, sizeof(*field));
    if (!field) {
        return ld->slot_rc;
    }
    rc = read_field(&ld->rd, obj, field);
    if (!rc) {
        rc = compare_field(ld, reg, field);
    }
    if (rc) {
        return rc;
    }
    merge_field(reg, field);
    check_field(ld, field);
    ld->fields.nr++;
    reg->nr_fields++;
    return 0;
}

static int load_fields(struct loader *ld, const json_t *list,
                       struct trench_csr_reg *reg)
{
    int depth = ld->rd.depth;

    reg->first_field = (uint16_t)ld->fields.nr;
    if (json_array_size(list) == 0) {
        return reader_refuse(&ld->rd, "BitFields is empty");
    }
    for (size_t i = 0; i < json_array_size(list); i++) {
        int rc;

        reader_enter(&ld->rd, "BitFields", i);
        rc = load_field(ld, json_array_get(list, i), reg);
        if (rc && !reader_goes_on(&ld->rd, rc)) {
            return rc;
        }
        reader_leave_to(&ld->rd, depth);
    }
    return 0;
}

static int read_reg(struct reader *rd, const json_t *obj,
                    struct trench_csr_reg *reg, uint32_t room_bytes)
{
    int rc = reader_name(rd, obj, "Name", &reg->name);

    if (rc) {
        return rc;
    }
    reader_set_name(rd, reg->name);
    rc = first_of(rc, reader_notes(rd, obj, &reg->desc, &reg->tags));
    rc = first_of(rc, get_access(rd, obj, &reg->access));
    rc = first_of(rc, reader_number(rd, obj, "AddressOffset", &reg->offset));
    if (rc) {
        return rc;
    }
    if (reg->offset % 4 != 0) {
        return reader_refuse(rd, "AddressOffset 0x%x is not a multiple of 4",
                             reg->offset);
    }
    if (room_bytes != UINT32_MAX && (uint64_t)reg->offset + 4 > room_bytes) {
        return reader_refuse(rd, "AddressOffset 0x%x is outside its bundle",
                             reg->offset);
    }
    return 0;
}

static int load_reg(struct loader *ld, const json_t *regs, size_t idx,
                    uint32_t room_bytes)
{
    const json_t *obj = json_array_get(regs, idx);
    struct trench_csr_reg *reg;
    unsigned errors = ld->rd.nr_errors;
    const json_t *list;
    size_t *source;
    int rc;

    reg = loader_slot(ld, &ld->regs, sizeof(*reg));
    source = loader_slot(ld, &ld->reg_idx, sizeof(*source));
    if (!reg || !source) {
        return ld->slot_rc;
    }
    *source = idx;
    reg->bundle = (uint16_t)ld->bundles.nr;
    rc = read_reg(&ld->rd, obj, reg, room_bytes);
    if (rc && (!reg->name || !reader_goes_on(&ld->rd, rc))) {
        return rc;
    }
    list = reader_list(&ld->rd, obj, "BitFields");
    if (!list) {
        return TRENCH_ERR_BADMSG;
    }
    rc = first_of(rc, load_fields(ld, list, reg));
    if (rc) {
        return rc;
    }
    if (ld->rd.nr_errors == errors) {
        check_reg(ld, reg);
    }
    ld->regs.nr++;
    ld->reg_idx.nr++;
    return 0;
}

int defs_load_regs(struct loader *ld, const json_t *list, uint32_t room_bytes)
{
    int depth = ld->rd.depth;

    for (size_t i = 0; i < json_array_size(list); i++) {
        int rc;

        reader_enter(&ld->rd, "Registers", i);
        rc = load_reg(ld, list, i, room_bytes);
        if (rc && !reader_goes_on(&ld->rd, rc)) {
            return rc;
        }
        reader_leave_to(&ld->rd, depth);
    }
    return 0;
}
