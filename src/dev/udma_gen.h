/* SPDX-License-Identifier: BSD-3-Clause */
/* The common block of a channel: what of udma_gen does more than store. */
#ifndef TRENCH_UDMA_GEN_H
#define TRENCH_UDMA_GEN_H

#include "dev/channel.h"

/* Completion interrupt of queue q: primary group B (S2M) or C (M2S). */
void udma_gen_completion(struct channel *ch, enum sec_group side, unsigned q);

/*
 * Clocks until the general timer has something to tell, or CLOCK_NEVER: one
 * whose last event is still set counts on unseen.
 */
uint64_t udma_gen_due(const struct channel *ch);

/* Tell of a period that has ended; true when that is news. */
bool udma_gen_expire(struct channel *ch);

extern const struct hook_list udma_gen_hooks;
extern const struct use_list udma_gen_uses;

#endif /* TRENCH_UDMA_GEN_H */
