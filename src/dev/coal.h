/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Completions on their way to the completion ring: at once, or gathered
 * (udma-engine B45-B49).
 */
#ifndef TRENCH_COAL_H
#define TRENCH_COAL_H

#include <endian.h>
#include <string.h>

#include "dev/axi.h"
#include "dev/channel.h"
#include "dev/udma_gen.h"

/* Completions held are gone, as the queue's ring is. */
void coal_reset(struct channel *ch, enum sec_group group, unsigned q);

/*
 * A completion that is not where the last one was, not plain memory, or of an
 * odd size: to addr. False when that aborted the engine.
 */
bool coal_write_slowly(struct channel *ch, struct ring *r, unsigned q,
                       enum axi_stream stream, uint64_t addr,
                       const struct desc *comp);

/*
 * Write the next completion of a ring that takes them: comp, with the lap tag
 * added. The completion head moves on. False when that aborted the engine.
 */
static inline bool coal_write(struct channel *ch, struct ring *r, unsigned q,
                              enum axi_stream stream, struct desc *comp)
{
    uint64_t addr = ring_comp_next(r, comp);
    uint64_t words[2];
    void *host = bus_host_hinted(ch->bus, r->comp_hint, addr, r->comp_bytes);

    words[0] = htole64((uint64_t)comp->w[1] << 32 | comp->w[0]);
    words[1] = htole64((uint64_t)comp->w[3] << 32 | comp->w[2]);
    if (host && axi_plain(ch, q)) {
        if (r->comp_bytes == 4) { /* sizes that are known: no calls */
            memcpy(host, words, 4);
            return true;
        }
        if (r->comp_bytes == sizeof(words)) {
            memcpy(host, words, sizeof(words));
            return true;
        }
    }
    return coal_write_slowly(ch, r, q, stream, addr, comp);
}

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
 * Write the next completion where it is one word, goes to memory, and the queue
 * does not gather. False when it is not, and nothing was done.
 */
static inline bool coal_write_plain(struct channel *ch, enum sec_group group,
                                    unsigned q, struct ring *r, uint32_t word)
{
    uint64_t base = ring_base(r->reg.comp_high, r->reg.comp_low);
    uint64_t off = (uint64_t)r->comp.off * r->comp_bytes;
    void *host;

    if (!coal_is_off(ch, group, q, r) || !axi_plain(ch, q) ||
        r->comp_bytes != sizeof(word) || r->comp.off >= ring_len(r)) {
        return false;
    }
    host = bus_host_hinted(ch->bus, r->comp_hint, addr_add(base, off),
                           sizeof(word));
    if (!host) {
        return false;
    }
    word = htole32(word | r->comp.lap << DESC_RING_ID_SHIFT);
    memcpy(host, &word, sizeof(word));
    ring_ptr_step(&r->comp, ring_len(r));
    return true;
}

/*
 * One descriptor of queue q, which has no completion ring, is done: the head
 * moves (udma-engine B12).
 */
static inline void coal_silent(struct channel *ch, enum sec_group group,
                               unsigned q, bool interrupt)
{
    struct ring *r = group == SEC_GROUP_M2S ? &M2S_QUEUE(ch, q)->ring
                                            : &S2M_QUEUE(ch, q)->ring;

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
    struct ring *r = tx ? &M2S_QUEUE(ch, q)->ring : &S2M_QUEUE(ch, q)->ring;
    struct side *side = tx ? &ch->m2s_side : &ch->s2m_side;
    bool on;

    if (!coal_is_off(ch, group, q, r)) {
        const struct held h = { *comp, interrupt };

        return coal_add(ch, group, q, &h);
    }
    side->stats.comp_desc++;
    on = coal_write(ch, r, q, tx ? AXI_TX_CMPL : AXI_RX_CMPL, comp);
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
