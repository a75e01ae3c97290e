/* SPDX-License-Identifier: BSD-3-Clause */
/* What the tests of the rate limiters have in common. */
#ifndef TRENCH_TESTS_LIMIT_RIG_H
#define TRENCH_TESTS_LIMIT_RIG_H

#include <trench/soc.h>

#include "check.h"
#include "rig.h"

#define EN      (1u << 24)
#define PAUSE   (1u << 25)
#define MAX     0xFFFFFFu
#define BY_PKT  (1u << 24)
#define EXT     1u /* external_rate_limiter */
#define INT     2u /* internal_rate_limiter */
#define DMB     4u
#define PAUSED  8u /* external_pause */
#define SHORT_0 0xFAu

/* The settings of one limiter, a queue's or the stream's. */
struct limit {
    uint32_t cfg_1;
    uint32_t long_cycle_size;
    uint32_t long_bits;
    uint32_t short_bits;
};

static inline void set_limit(struct rig_queue *rq, bool stream,
                             const struct limit *l)
{
    uint32_t at =
        stream ? (uint32_t)M2S_STREAM_RATE : q_off(TX, rq->q, TXQ_RATE_1);
    const uint32_t mask_off = TXQ_RATE_MASK - TXQ_RATE_1;

    rig_write(rq->rig, rq->engine, at + 4, l->long_cycle_size);
    rig_write(rq->rig, rq->engine, at + 8, l->long_bits);
    rig_write(rq->rig, rq->engine, at + 0xC, l->short_bits);
    rig_write(rq->rig, rq->engine, at + mask_off, DMB | EXT);
    rig_write(rq->rig, rq->engine, at, l->cfg_1);
}

static inline uint32_t tokens(struct rig_queue *rq)
{
    rig_write(rq->rig, rq->engine, M2S_INDIRECT, rq->q);
    return rig_read(rq->rig, rq->engine, M2S_SEL_RATE);
}

static inline uint32_t sent(struct rig_queue *rq)
{
    return rig_q(rq, TX, TXQ_TX_PKT);
}

static inline void pass(struct bench *b, uint64_t clocks)
{
    trench_soc_advance(b->rig->soc, clocks);
}

#endif /* TRENCH_TESTS_LIMIT_RIG_H */
