/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a bad answer on an AXI master leads to: cause bits, and by way of the
 * detection and control tables interrupts and stopped queues (common-blocks
 * 1.1.5; seed 002 3.3).
 */
#ifndef TRENCH_AXI_ERROR_H
#define TRENCH_AXI_ERROR_H

#include <trench/access.h>

#include "dev/channel.h"

/*
 * A master got a bad answer for queue q. header goes to the error log, NULL =
 * none. Returns false when the engine aborted.
 */
bool axi_fault(struct channel *ch, enum trench_axi_master master, unsigned q,
               unsigned answer, const struct desc *header);

/* Power-on: every queue ACTIVE, tables empty. */
void axi_error_reset(struct channel *ch);

extern const struct hook_list axi_error_hooks;
extern const struct use_list axi_error_uses;

#endif /* TRENCH_AXI_ERROR_H */
