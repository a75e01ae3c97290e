/* SPDX-License-Identifier: BSD-3-Clause */
/* Event acceleration: reads of 0 and 1 without memory (common-blocks 1.3.3). */
#ifndef TRENCH_ACCEL_H
#define TRENCH_ACCEL_H

#include "dev/channel.h"

/*
 * A data read of 4 bytes at a bus address: true when it is one of the two
 * accelerated addresses. *word is what it returns, and it is counted.
 */
bool accel_read(struct channel *ch, uint64_t addr, uint32_t *word);

extern const struct hook_list accel_hooks;
extern const struct use_list accel_uses;

#endif /* TRENCH_ACCEL_H */
