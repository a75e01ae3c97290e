/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the device does with the registers of each block of a channel. A block
 * joins with one row in blocks.c; the table of registers in docs/hardware.md
 * is made from it.
 */
#ifndef TRENCH_BLOCKS_H
#define TRENCH_BLOCKS_H

#include "dev/channel.h"

/* A register class with all hooks of a block. 0 or TRENCH_ERR_NOMEM. */
int block_class_init(struct regfile_class *cls, enum trench_block_id id,
                     const struct trench_csr_block *block);

enum reg_status {
    REG_MODELLED, /* does what is known of it, in whole or in part */
    REG_STORED,   /* keeps what is written, answers its reset value */
    REG_UNKNOWN,  /* as stored, and its place or layout is not published */
};

/* How much of a register the model knows. reg is an index into block->regs. */
enum reg_status block_reg_status(enum trench_block_id id,
                                 const struct trench_csr_block *block,
                                 size_t reg);

#endif /* TRENCH_BLOCKS_H */
