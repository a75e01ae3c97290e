/* SPDX-License-Identifier: BSD-3-Clause */
/* The rate limiters of M2S: a token bucket a queue, and one for the stream. */
#ifndef TRENCH_LIMITER_H
#define TRENCH_LIMITER_H

#include "dev/channel.h"

/* Buckets empty, cycles at their start. */
void limiter_reset(struct channel *ch);

/*
 * The queues among ch->active & ch->limited that have to wait for tokens. A
 * packet that has been let through needs none.
 */
uint32_t limiter_held(const struct channel *ch);

/* A packet of queue q goes on the stream; q is one of ch->limited. */
void limiter_charge(struct channel *ch, unsigned q, uint64_t bytes);

/* Clocks until a queue that sleeps may send; CLOCK_NEVER when none will. */
uint64_t limiter_due(const struct channel *ch);

/* Time passes: tokens come in. */
void limiter_pass(struct channel *ch, uint64_t clocks);

/* Wake the queues that may send now; true when there was one. */
bool limiter_expire(struct channel *ch);

/* Register hooks; the owner is the M2S side. */
uint32_t limiter_read_status(void *side, uint32_t idx, uint32_t val);
void limiter_write_rules(void *side, uint32_t q, uint32_t written,
                         uint32_t old);
void limiter_write_sw_ctrl(void *side, uint32_t q, uint32_t written,
                           uint32_t old);
void limiter_write_stream_sw_ctrl(void *side, uint32_t idx, uint32_t written,
                                  uint32_t old);
void limiter_write_cycles(void *side, uint32_t idx, uint32_t written,
                          uint32_t old);
void limiter_write_tokens(void *side, uint32_t idx, uint32_t written,
                          uint32_t old);

#endif /* TRENCH_LIMITER_H */
