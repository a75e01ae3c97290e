/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * S2M, the receiving half: buffers, what happens without one, completions
 * (udma-engine 2, 4.3, B30-B34, B40-B51).
 */
#include "dev/s2m.h"

#include "dev/axi.h"
#include "dev/fault.h"
#include "dev/section.h"
#include "dev/udma_gen.h"
#include "dev/coal.h"
#include "udma_s2m_gen.h"

static const struct ring_regs s2m_ring_regs = {
    .stride = UDMA_S2M_S2M_Q_STRIDE,
    .pref_cfg = UDMA_S2M_S2M_Q_DESC_PREF_CFG(0),
    .cfg = UDMA_S2M_S2M_Q_CFG(0),
    .base_low = UDMA_S2M_S2M_Q_RDRBP_LOW(0),
    .base_high = UDMA_S2M_S2M_Q_RDRBP_HIGH(0),
    .len = UDMA_S2M_S2M_Q_RDRL(0),
    .comp_low = UDMA_S2M_S2M_Q_RCRBP_LOW(0),
    .comp_high = UDMA_S2M_S2M_Q_RCRBP_HIGH(0),
    .comp_cfg = UDMA_S2M_S2M_Q_COMP_CFG(0),
};

static uint32_t s2m_get(const struct channel *ch, uint32_t offset)
{
    return regfile_get(&ch->units[TRENCH_BLOCK_UDMA_S2M].rf, offset);
}

void s2m_queue_reset(struct channel *ch, unsigned q)
{
    ring_reset(&S2M_QUEUE(ch, q)->ring);
    coal_reset(ch, SEC_GROUP_S2M, q);
    s2m_wait_over(ch, q);
}

void s2m_bind(struct channel *ch)
{
    for (unsigned q = 0; q < TRENCH_NR_QUEUES; q++) {
        ring_bind(&S2M_QUEUE(ch, q)->ring, &ch->units[TRENCH_BLOCK_UDMA_S2M].rf,
                  &s2m_ring_regs, q);
    }
}

void s2m_reset(struct channel *ch)
{
    for (unsigned q = 0; q < TRENCH_NR_QUEUES; q++) {
        ch->s2m[q].packets = 0;
        s2m_queue_reset(ch, q);
    }
}

bool s2m_fetching(const struct channel *ch, unsigned q)
{
    const uint32_t off = UDMA_S2M_S2M_STREAM_CFG_DISABLE_MASK |
                         UDMA_S2M_S2M_STREAM_CFG_STOP_PREFETCH_MASK;
    const struct ring *r = &S2M_QUEUE(ch, q)->ring;

    return side_works(&ch->s2m_side,
                      packet_started(&M2S_QUEUE(ch, q)->packet)) &&
           !r->fetch_failed && !(ch->effects.rx_stop_pref >> q & 1) &&
           (*r->reg.cfg & UDMA_S2M_S2M_Q_CFG_EN_PREF_MASK) &&
           (s2m_get(ch, UDMA_S2M_S2M_PREF_QUEUE_EN) >> q & 1) &&
           (*ch->reg.s2m_stream_cfg & off) != off;
}

static bool s2m_accept(struct channel *ch, unsigned q, const struct desc *d)
{
    ring_fifo_push(&S2M_QUEUE(ch, q)->ring, d, 0);
    return true;
}

static const struct fetch_ops s2m_fetch_ops = {
    .group = SEC_GROUP_S2M,
    .stream = AXI_RX_PREF,
    .ring_id_cause = S2M_CAUSE_RING_ID,
    .accept = s2m_accept,
};

void s2m_prefetch(struct channel *ch, unsigned q)
{
    if (s2m_fetching(ch, q)) {
        channel_fetch(ch, &S2M_QUEUE(ch, q)->ring, q, &s2m_fetch_ops);
    }
}

/* The packet is known to be bad, or a NON_ACTIVE queue says so of it. */
static bool close_in_error(const struct channel *ch, unsigned q,
                           const struct packet *pkt)
{
    uint32_t marked = ch->effects.tx_stream_error | ch->effects.rx_cmpl_error;

    return pkt->error || (marked >> q & 1);
}

/* The completion of the front descriptor, if it goes to a ring. */
static struct desc close_words(const struct channel *ch, unsigned q,
                               const struct packet *pkt, bool last)
{
    struct desc comp = { { 0 } };

    comp.w[0] = (pkt->rx_first ? COMP_FIRST : 0) | (last ? COMP_LAST : 0) |
                (pkt->fill ? COMP_BUF1_USED : 0) |
                (close_in_error(ch, q, pkt) ? COMP_ERROR : 0);
    comp.w[1] = pkt->fill & DESC_LEN_MASK; /* 65,536 as 0 */
    if (!axi_plain(ch, q)) {
        section_complete(ch, q, &comp);
    }
    return comp;
}

bool s2m_close(struct channel *ch, unsigned q, struct packet *pkt, bool last)
{
    struct s2m_queue *sq = S2M_QUEUE(ch, q);
    struct ring *r = &sq->ring;
    const struct desc *rx = &ring_fifo_at(r, 0)->desc;
    bool interrupt = rx->w[0] & DESC_INT_EN;
    bool on = axi_plain(ch, q) || fault_buffer(ch, q, rx, &pkt->error);
    struct desc comp;

    if (ring_comp_on(r)) {
        comp = close_words(ch, q, pkt, last);
        r->comp_bytes = 4 * FIELD_GET(UDMA_S2M_S2M_COMP_CFG_1C_DESC_SIZE,
                                      *ch->reg.s2m_comp_cfg_1c);
    }
    ring_fifo_pop(r);
    ch->stats.rx_descs++;
    if (last) {
        ch->s2m_side.stats.comp_pkt++;
        ch->s2m_side.stats.ack_pkts++;
        sq->packets++;
    }
    if (!ring_comp_on(r)) {
        coal_silent(ch, SEC_GROUP_S2M, q, interrupt);
        return on;
    }
    return coal_complete(ch, SEC_GROUP_S2M, q, &comp, interrupt) && on;
}

void s2m_starve(struct channel *ch, unsigned q)
{
    struct s2m_queue *sq = S2M_QUEUE(ch, q);
    uint32_t policy = s2m_get(ch, UDMA_S2M_S2M_WR_DATA_CFG_2);
    bool by_fifo = policy & UDMA_S2M_S2M_WR_DATA_CFG_2_WAIT_FOR_PREF_MASK;

    ch->starved |= 1u << q;
    if (sq->waiting || (!by_fifo && ring_posted(&sq->ring) > 0)) {
        return;
    }
    sq->waiting = true;
    sq->since = ch->chip->clock;
    if (policy & UDMA_S2M_S2M_WR_DATA_CFG_2_HINT_IF_NO_DESC_MASK) {
        channel_hint(ch, SEC_GROUP_S2M, S2M_CAUSE_NO_DESC_HINT);
    }
}

uint64_t s2m_wait_left(const struct channel *ch, unsigned q)
{
    const struct s2m_queue *sq = S2M_QUEUE(ch, q);
    uint64_t waited = ch->chip->clock - sq->since;
    uint32_t timer = FIELD_GET(UDMA_S2M_S2M_WR_DATA_CFG_2_DESC_WAIT_TIMER,
                               s2m_get(ch, UDMA_S2M_S2M_WR_DATA_CFG_2));

    if (!(ch->starved >> q & 1) || !sq->waiting ||
        ch->s2m_side.state == SIDE_ABORTED || sq->timed_out || timer == 0) {
        return CLOCK_NEVER; /* a timer of 0 waits for ever (udma-engine B31) */
    }
    return waited < timer ? timer - waited : 0;
}

void s2m_wait_pass(struct channel *ch, unsigned q, uint64_t clocks)
{
    struct s2m_queue *sq = S2M_QUEUE(ch, q);

    /* Called after the clock has moved; the wait saturates, never wraps. */
    if (ch->chip->clock - sq->since < clocks) {
        sq->since = ch->chip->clock - UINT64_MAX;
    }
}
