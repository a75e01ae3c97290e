/* SPDX-License-Identifier: BSD-3-Clause */
/* S2M, the receiving half. */
#ifndef TRENCH_S2M_H
#define TRENCH_S2M_H

#include "dev/channel.h"

void s2m_bind(struct channel *ch);
void s2m_reset(struct channel *ch);
void s2m_queue_reset(struct channel *ch, unsigned q);
bool s2m_fetching(const struct channel *ch, unsigned q);
void s2m_prefetch(struct channel *ch, unsigned q);

/* The packet that waited is gone: the next one waits afresh. */
void s2m_wait_over(struct channel *ch, unsigned q);

/* What the stream of S2M does with a packet that wants in. */
enum s2m_gate {
    S2M_OPEN,
    S2M_CLOSED, /* wait */
    S2M_FLUSH,  /* swallow it */
};
enum s2m_gate s2m_gate(const struct channel *ch, unsigned q);

/* The descriptor to fill, or NULL when queue q has none. */
const struct desc *s2m_front(struct channel *ch, unsigned q);

/*
 * The front descriptor is finished: completion, interrupt, pointers.
 * False when its completion stopped the engine.
 */
bool s2m_close(struct channel *ch, unsigned q, struct packet *pkt, bool last);

/* A packet of queue q found no descriptor. */
void s2m_starve(struct channel *ch, unsigned q);

/* Clocks until the wait of queue q is too long; CLOCK_NEVER without one. */
uint64_t s2m_wait_left(const struct channel *ch, unsigned q);

/* The clock has moved on by that many. */
void s2m_wait_pass(struct channel *ch, unsigned q, uint64_t clocks);

extern const struct hook_list s2m_hooks; /* s2m_regs.c */

#endif /* TRENCH_S2M_H */
