/* SPDX-License-Identifier: BSD-3-Clause */
/* The packet scheduler of M2S. */
#ifndef TRENCH_SCHED_H
#define TRENCH_SCHED_H

#include "dev/channel.h"

/* The queue to serve next among active, not 0; by udma-engine B28. */
unsigned sched_pick(struct channel *ch, uint32_t active);

/* A packet of queue q has left: what it costs in DWRR. */
void sched_charge(struct channel *ch, unsigned q, uint64_t bytes);

#endif /* TRENCH_SCHED_H */
