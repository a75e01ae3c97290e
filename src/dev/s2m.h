/* SPDX-License-Identifier: BSD-3-Clause */
/* S2M, the receiving half. */
#ifndef TRENCH_S2M_H
#define TRENCH_S2M_H

#include "dev/channel.h"
#include "udma_s2m_gen.h"

void s2m_bind(struct channel *ch);
void s2m_reset(struct channel *ch);
void s2m_queue_reset(struct channel *ch, unsigned q);
bool s2m_fetching(const struct channel *ch, unsigned q);
void s2m_prefetch(struct channel *ch, unsigned q);

/* The packet that waited is gone: the next one waits afresh. */
static inline void s2m_wait_over(struct channel *ch, unsigned q)
{
    S2M_QUEUE(ch, q)->waiting = false;
    S2M_QUEUE(ch, q)->timed_out = false;
    ch->starved &= ~(1u << q);
}

/* What the stream of S2M does with a packet that wants in. */
enum s2m_gate {
    S2M_OPEN,
    S2M_CLOSED, /* wait */
    S2M_FLUSH,  /* swallow it */
};

static inline enum s2m_gate s2m_gate(const struct channel *ch, unsigned q)
{
    const struct ring *r = &S2M_QUEUE(ch, q)->ring;
    uint32_t stream = *ch->reg.s2m_stream_cfg;

    if ((stream & UDMA_S2M_S2M_STREAM_CFG_FLUSH_MASK) ||
        (ch->effects.rx_drop >> q & 1)) {
        return S2M_FLUSH;
    }
    if ((stream & UDMA_S2M_S2M_STREAM_CFG_DISABLE_MASK) ||
        !(*r->reg.cfg & UDMA_S2M_S2M_Q_CFG_EN_STREAM_MASK)) {
        return S2M_CLOSED;
    }
    return S2M_OPEN;
}

/* The descriptor to fill, or NULL when queue q has none. */
static inline const struct desc *s2m_front(struct channel *ch, unsigned q)
{
    struct s2m_queue *sq = S2M_QUEUE(ch, q);

    if (sq->ring.fifo_nr == 0) {
        s2m_prefetch(ch, q);
        if (sq->ring.fifo_nr == 0) {
            return NULL;
        }
    }
    s2m_wait_over(ch, q);
    return &ring_fifo_at(&sq->ring, 0)->desc;
}

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
