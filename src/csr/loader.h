/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The block under construction. load.c walks the tree, defs.c reads registers
 * and fields, place.c gives every instance its word, check.c has the opinions.
 */
#ifndef TRENCH_CSR_LOADER_H
#define TRENCH_CSR_LOADER_H

#include "csr/reader.h"

#define LOADER_MAX_INSTS 65534u /* word_inst: number + 1 in 16 bits */

/* Elements that grow one by one, at most UINT16_MAX. */
struct loader_vec {
    void *items;
    uint32_t nr;
    uint32_t max;
};

/* Where a bundle stands in the file: an index for each level. */
struct loader_source {
    size_t idx[READER_MAX_BUNDLES];
    int nr;
};

struct loader {
    struct reader rd;
    struct loader_vec bundles; /* struct trench_csr_bundle */
    struct loader_vec regs;    /* struct trench_csr_reg */
    struct loader_vec fields;  /* struct trench_csr_field */
    struct loader_vec sources; /* struct loader_source of each bundle */
    struct loader_vec reg_idx; /* size_t of each register, in its list */
    uint16_t *word_inst;
    uint16_t *inst_reg;
    uint16_t *inst_index;
    const char *name;
    const char *file;
    const char *desc;
    const char *tags;
    uint32_t size_bytes;
    uint32_t limit_bytes; /* size_bytes, or less when AddrWidth is narrow */
    uint32_t nr_insts;
    int slot_rc; /* of the last loader_slot() that failed */
};

static inline struct trench_csr_bundle *loader_bundles(struct loader *ld)
{
    return (struct trench_csr_bundle *)ld->bundles.items;
}

static inline struct trench_csr_reg *loader_regs(struct loader *ld)
{
    return (struct trench_csr_reg *)ld->regs.items;
}

static inline struct trench_csr_field *loader_fields(struct loader *ld)
{
    return (struct trench_csr_field *)ld->fields.items;
}

/*
 * load.c: room for one more element, zeroed; it counts when vec->nr grows.
 * NULL after a refusal, with the code in ld->slot_rc.
 */
void *loader_slot(struct loader *ld, struct loader_vec *vec, size_t each_bytes);

/*
 * defs.c: the registers of the bundle that is next in line. room_bytes is
 * what one instance may take; UINT32_MAX = no limit but the window.
 */
int defs_load_regs(struct loader *ld, const json_t *list, uint32_t room_bytes);

/* place.c: put the path on what has been loaded; leave with reader_leave_to. */
void place_enter_bundle(struct loader *ld, uint32_t idx);
void place_enter_reg(struct loader *ld, uint32_t idx);

/* Unique names, and every instance in the window, alone. */
int place_all(struct loader *ld);

/*
 * check.c: warnings, for those who asked for them. The path is on the thing
 * that is checked, except for check_twins(), which looks at everything.
 */
void check_head(struct loader *ld, uint32_t addr_width);
void check_bundle(struct loader *ld, const struct trench_csr_bundle *bundle,
                  const json_t *regs);
void check_reg(struct loader *ld, const struct trench_csr_reg *reg);
void check_field(struct loader *ld, const struct trench_csr_field *field);
void check_twins(struct loader *ld);

#endif /* TRENCH_CSR_LOADER_H */
