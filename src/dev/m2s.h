/* SPDX-License-Identifier: BSD-3-Clause */
/* M2S, the sending half. */
#ifndef TRENCH_M2S_H
#define TRENCH_M2S_H

#include "dev/channel.h"

void m2s_bind(struct channel *ch);
void m2s_reset(struct channel *ch);

/* RST_Q of the M2S side: everything in flight on the queue is gone. */
void m2s_queue_reset(struct channel *ch, unsigned q);

/* Descriptors are being fetched, as far as settings and state go. */
bool m2s_fetching(const struct channel *ch, unsigned q);

/* Fetch what the FIFO has room for. */
void m2s_prefetch(struct channel *ch, unsigned q);

/*
 * Serve one packet. Returns units spent, 0 when the queue can do nothing now.
 */
uint64_t m2s_step(struct channel *ch, unsigned q);

/* The S2M side gave up on the packet of queue q. */
void m2s_drop(struct channel *ch, unsigned q);

extern const struct hook_list m2s_hooks; /* m2s_regs.c */

#endif /* TRENCH_M2S_H */
