/* SPDX-License-Identifier: BSD-3-Clause */
/* Interrupt groups and error causes. */
#ifndef TRENCH_UDMA_GEN_H
#define TRENCH_UDMA_GEN_H

#include "dev/channel.h"

/* Reset words of the interrupt groups, over the schema's. */
void udma_gen_class_resets(struct regfile_class *cls,
                           const struct trench_csr_block *iofic);

/*
 * Set a secondary cause bit. Returns true when it asks for abort.
 */
bool udma_gen_cause(struct channel *ch, enum sec_group group, unsigned bit);

/*
 * An AXI master's error asks for interrupts: cause q in the groups of its
 * window that bits 0 to 3 of groups name.
 */
void udma_gen_axi_cause(struct channel *ch, enum trench_axi_master master,
                        uint32_t groups, unsigned q);

/* Completion interrupt of queue q: primary group B (S2M) or C (M2S). */
void udma_gen_completion(struct channel *ch, enum sec_group side, unsigned q);

extern const struct hook_list udma_gen_hooks;

#endif /* TRENCH_UDMA_GEN_H */
