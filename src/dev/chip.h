/* SPDX-License-Identifier: BSD-3-Clause */
/* Running a chip. */
#ifndef TRENCH_CHIP_H
#define TRENCH_CHIP_H

#include "dev/channel.h"

/* Run posted work for at most budget units; returns units spent. */
uint64_t chip_run(struct chip *chip, uint64_t budget);

/* Let clocks pass for the timers, and run what that sets free. */
void chip_advance(struct chip *chip, uint64_t clocks);

/*
 * Software touched a register: go on with what an earlier access left over,
 * or start what this one posted.
 */
void chip_poke(struct chip *chip);

/* A window on one block of one channel; the opaque is its struct unit. */
extern const struct trench_bus_dev_ops chip_unit_ops;

#endif /* TRENCH_CHIP_H */
