/* SPDX-License-Identifier: BSD-3-Clause */
/* Running a chip, and chips that reach each other. */
#ifndef TRENCH_CHIP_H
#define TRENCH_CHIP_H

#include "dev/channel.h"

/*
 * Run posted work of a set of chips for at most budget units; returns units
 * spent, 0 inside a run.
 */
uint64_t pod_run(struct pod *pod, uint64_t chips, uint64_t budget);

/*
 * Let clocks pass, and run what that sets free at the clock at which it
 * does, with the work of one access in all.
 */
void pod_advance(struct pod *pod, uint64_t clocks);

/*
 * Software touched a register: go on with what an earlier access left over,
 * or start what this one posted.
 */
void chip_poke(struct chip *chip);

/* A window on one block of one channel; the opaque is its struct unit. */
extern const struct trench_bus_dev_ops chip_unit_ops;

#endif /* TRENCH_CHIP_H */
