/* SPDX-License-Identifier: BSD-3-Clause */
/* The common block of a channel: what of udma_gen does more than store. */
#ifndef TRENCH_UDMA_GEN_H
#define TRENCH_UDMA_GEN_H

#include "dev/channel.h"

/* Completion interrupt of queue q: primary group B (S2M) or C (M2S). */
void udma_gen_completion(struct channel *ch, enum sec_group side, unsigned q);

/* Time has passed: the general timer. */
void udma_gen_tick(struct channel *ch);

extern const struct hook_list udma_gen_hooks;
extern const struct use_list udma_gen_uses;

#endif /* TRENCH_UDMA_GEN_H */
