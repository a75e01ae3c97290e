/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Completions on their way to the completion ring: at once, or gathered
 * (udma-engine B45-B49).
 */
#ifndef TRENCH_COAL_H
#define TRENCH_COAL_H

#include "dev/axi.h"
#include "dev/channel.h"
#include "dev/udma_gen.h"

/* Completions held are gone, as the queue's ring is. */
void coal_reset(struct channel *ch, enum sec_group group, unsigned q);

/* The part of coal_complete() for queues that gather or fill lines. */
bool coal_add(struct channel *ch, enum sec_group group, unsigned q,
              const struct held *h);

/* The queue's completions are written one by one, and none is held. */
static inline bool coal_is_off(const struct channel *ch, enum sec_group group,
                               unsigned q, const struct ring *r)
{
    /* Both bits are where they are on both sides (asserted in coal.c). */
    return (*r->reg.comp_cfg & UDMA_M2S_M2S_Q_COMP_CFG_DIS_COMP_COAL_MASK) &&
           !(*r->reg.cfg & UDMA_M2S_M2S_Q_CFG_FORCE_FULL_LINE_MASK) &&
           !(ch->holding[group] >> q & 1);
}

/*
 * One descriptor of queue q, which has no completion ring, is done: the head
 * moves (udma-engine B12).
 */
static inline void coal_silent(struct channel *ch, enum sec_group group,
                               unsigned q, bool interrupt)
{
    struct ring *r =
        group == SEC_GROUP_M2S ? &ch->m2s[q].ring : &ch->s2m[q].ring;

    if (channel_head_report(ch)) {
        ring_comp_step(r);
    }
    if (interrupt) {
        udma_gen_completion(ch, group, q);
    }
}

/*
 * The same where there is a ring: comp is the completion, without the lap
 * tag. False when writing it stopped the engine.
 */
static inline bool coal_complete(struct channel *ch, enum sec_group group,
                                 unsigned q, struct desc *comp, bool interrupt)
{
    bool tx = group == SEC_GROUP_M2S;
    struct ring *r = tx ? &ch->m2s[q].ring : &ch->s2m[q].ring;
    struct side *side = tx ? &ch->m2s_side : &ch->s2m_side;
    bool on;

    if (!coal_is_off(ch, group, q, r)) {
        const struct held h = { *comp, interrupt };

        return coal_add(ch, group, q, &h);
    }
    side->stats.comp_desc++;
    on = channel_complete(ch, r, q, tx ? AXI_TX_CMPL : AXI_RX_CMPL, comp);
    if (interrupt) {
        udma_gen_completion(ch, group, q);
    }
    return on;
}

/*
 * Write out what is held for queue q, all of it, or only if the queue does
 * not gather any more. Nothing moves while the side is aborted.
 */
void coal_settle(struct channel *ch, enum sec_group group, unsigned q,
                 bool all);

/* Clocks until completions have waited long enough, or CLOCK_NEVER. */
uint64_t coal_due(const struct channel *ch);
void coal_pass(struct channel *ch, uint64_t clocks);

/* Write what has waited long enough; true when there was something. */
bool coal_expire(struct channel *ch);

/* Register hooks; the owner is the side. */
uint32_t coal_read_status(void *side, uint32_t idx, uint32_t val);
uint32_t coal_read_internal(void *side, uint32_t q, uint32_t val);
void coal_write_comp_cfg(void *side, uint32_t q, uint32_t written,
                         uint32_t old);

#endif /* TRENCH_COAL_H */
