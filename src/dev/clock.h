/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The virtual clock of a chip: what waits for it, and what it sets free.
 *
 * Nothing looks at the time of the host. Between two calls of
 * trench_soc_advance() no time passes, however much work runs.
 */
#ifndef TRENCH_CLOCK_H
#define TRENCH_CLOCK_H

#include "dev/channel.h"

/* Of the engine clock: a model choice, the sources name no frequency. */
#define CLOCKS_PER_NS 1u

/* Clocks until the next thing that time sets free, or CLOCK_NEVER. */
uint64_t clock_due(const struct chip *chip);

/* Let clocks pass, at most clock_due() of them. */
void clock_pass(struct chip *chip, uint64_t clocks);

/*
 * Do what is due now; true when there was something. Packets that are given up
 * add to *units, as packets that are moved do, and engines that are looked at
 * to *looks. Belongs into a run: what it sets off is only posted.
 */
bool clock_expire(struct chip *chip, uint64_t *units, unsigned *looks);

#endif /* TRENCH_CLOCK_H */
