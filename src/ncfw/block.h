/* SPDX-License-Identifier: BSD-3-Clause */
/* The sections of one basic block, before they have memory. */
#ifndef TRENCH_NCFW_BLOCK_H
#define TRENCH_NCFW_BLOCK_H

#include <trench/pring.h>

enum block_section {
    BLOCK_RESET,
    BLOCK_REPROGRAM,
    BLOCK_NR_SECTIONS,
};

/* Most resets: their count is kept in 8 bits. */
#define BLOCK_RESETS_MAX 255u

struct block {
    struct trench_section section[BLOCK_NR_SECTIONS];
};

/*
 * Fill the sections of a block. Errors are those of trench_toplevel_create();
 * block_fini() is due in any case.
 */
int block_init(struct block *block, const struct trench_toplevel_conf *conf,
               const struct trench_gen *gen,
               const struct trench_basic_block *in);

void block_fini(struct block *block);

/* Descriptors of both sections. */
uint32_t block_descs(const struct block *block);

#endif /* TRENCH_NCFW_BLOCK_H */
