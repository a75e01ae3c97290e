/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Trigger vectors of a channel (address-map 6.3) and their way to the host:
 * a rise is noted where it happens and told when all is at rest, so a
 * callback may use the bus like any software.
 */
#ifndef TRENCH_VECTOR_H
#define TRENCH_VECTOR_H

#include "dev/channel.h"

/* Events of interrupt group n (intr.h) have become raised. */
void vector_rise(struct channel *ch, unsigned n, uint32_t bits);

/*
 * An output of the notification block: a pulse that reaches its vector
 * without a group, so that nothing holds it.
 */
void vector_pulse(struct channel *ch, unsigned vector);

/* Tell the host what has risen; only while nothing runs. */
void vector_deliver(struct pod *pod);

/* Nothing has risen: after a reset. */
void vector_reset(struct chip *chip);

/* What is raised in a channel now; returns how many vectors. */
unsigned vector_pending(const struct channel *ch, struct trench_soc_intr *out);

#endif /* TRENCH_VECTOR_H */
