/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Register behaviour that M2S and S2M have alike (udma-engine 1, 2, 5.1-5.3).
 */
#include "dev/side_regs.h"

#include <assert.h>

#include "dev/coal.h"
#include "dev/s2m.h"
#include "udma_m2s_gen.h"
#include "udma_s2m_gen.h"

#define SAME(m2s, s2m)                                                         \
    static_assert(UDMA_M2S_##m2s##_MASK == UDMA_S2M_##s2m##_MASK,              \
                  "both sides keep it in the same bits")

SAME(M2S_CHANGE_STATE_NORMAL, S2M_CHANGE_STATE_NORMAL);
SAME(M2S_CHANGE_STATE_DIS, S2M_CHANGE_STATE_DIS);
SAME(M2S_CHANGE_STATE_ABORT, S2M_CHANGE_STATE_ABORT);
SAME(M2S_CLEAR_ERR_LOG_CLEAR, S2M_CLEAR_ERR_LOG_CLEAR);
SAME(M2S_SEL_PREF_FIFO_STATUS_USED, S2M_SEL_PREF_FIFO_STATUS_USED);
SAME(M2S_SEL_PREF_FIFO_STATUS_EMPTY, S2M_SEL_PREF_FIFO_STATUS_EMPTY);
SAME(M2S_SEL_PREF_FIFO_STATUS_FULL, S2M_SEL_PREF_FIFO_STATUS_FULL);
SAME(M2S_Q_STATUS_Q_USED, S2M_Q_STATUS_Q_USED);
SAME(M2S_Q_STATUS_Q_FULL, S2M_Q_STATUS_Q_FULL);
SAME(M2S_Q_TDRTP_INC_VAL, S2M_Q_RDRTP_INC_VAL);
SAME(M2S_Q_Q_SW_CTRL_RST_TAIL_PTR, S2M_Q_Q_SW_CTRL_RST_TAIL_PTR);
SAME(M2S_Q_Q_SW_CTRL_RST_HEAD_PTR, S2M_Q_Q_SW_CTRL_RST_HEAD_PTR);
SAME(M2S_Q_Q_SW_CTRL_RST_CURRENT_PTR, S2M_Q_Q_SW_CTRL_RST_CURRENT_PTR);

uint32_t side_state_code(struct side *side)
{
    /* 0 idle, 1 normal, 2 abort (udma-engine B1). */
    if (side->state == SIDE_ABORTED) {
        return 2;
    }
    for (unsigned q = 0; q < TRENCH_NR_QUEUES; q++) {
        const struct ring *r = side_ring(side, q);

        if (((side->ch->active | side->ch->asleep) >> q & 1) &&
            (ring_posted(r) > 0 || r->fifo_nr > 0)) {
            return 1;
        }
    }
    return side->ch->starved != 0 || side->ch->holding[side->group] != 0;
}

void side_write_change_state(void *owner, uint32_t idx, uint32_t written,
                             uint32_t old)
{
    struct side *side = owner;

    (void)idx;
    (void)old;
    /* Software sets one bit; the stronger one wins otherwise. */
    if (written & UDMA_M2S_M2S_CHANGE_STATE_ABORT_MASK) {
        side->state = SIDE_ABORTED;
    } else if (written & UDMA_M2S_M2S_CHANGE_STATE_DIS_MASK) {
        side->state = SIDE_DISABLED;
    } else if (written & UDMA_M2S_M2S_CHANGE_STATE_NORMAL_MASK) {
        side->state = SIDE_RUN;
    }
    /* Time in which the engine stands still is not waited for. */
    for (unsigned q = 0; q < TRENCH_NR_QUEUES; q++) {
        s2m_wait_over(side->ch, q);
    }
    for (unsigned q = 0; q < TRENCH_NR_QUEUES; q++) {
        coal_settle(side->ch, side->group, q, false);
    }
    channel_wake(side->ch, ALL_QUEUES);
}

void side_write_clear_err_log(void *owner, uint32_t idx, uint32_t written,
                              uint32_t old)
{
    struct side *side = owner;

    (void)idx;
    (void)old;
    if (written & UDMA_M2S_M2S_CLEAR_ERR_LOG_CLEAR_MASK) {
        side->log_held = false;
    }
}

void side_write_wake_queue(void *owner, uint32_t q, uint32_t written,
                           uint32_t old)
{
    struct side *side = owner;

    (void)written;
    (void)old;
    channel_wake(side->ch, 1u << q);
}

void side_write_wake_all(void *owner, uint32_t idx, uint32_t written,
                         uint32_t old)
{
    struct side *side = owner;

    (void)idx;
    (void)written;
    (void)old;
    channel_wake(side->ch, ALL_QUEUES);
}

void side_write_tail_inc(void *owner, uint32_t q, uint32_t written,
                         uint32_t old)
{
    uint32_t n = written & UDMA_M2S_M2S_Q_TDRTP_INC_VAL_MASK;
    struct side *side = owner;
    struct ring *r = side_ring(side, q);
    uint32_t len = ring_len(r);
    uint32_t free = len - ring_dist(r->cur, r->tail, len);

    (void)old;
    if (n == 0) {
        return; /* never rung by software (udma-engine B21) */
    }
    side->ch->stats.doorbells++;
    if (n > free) {
        channel_guest_error(side->ch, "queue %u: doorbell of %u, %u of %u free",
                            q, n, free, len);
    }
    ring_ptr_add(&r->tail, n, len);
    channel_wake(side->ch, 1u << q);
}

void side_reset_pointers(struct ring *r, uint32_t bits)
{
    if (bits & UDMA_M2S_M2S_Q_Q_SW_CTRL_RST_TAIL_PTR_MASK) {
        r->tail = ring_ptr_reset();
    }
    if (bits & UDMA_M2S_M2S_Q_Q_SW_CTRL_RST_HEAD_PTR_MASK) {
        r->head = ring_ptr_reset();
    }
    if (bits & UDMA_M2S_M2S_Q_Q_SW_CTRL_RST_CURRENT_PTR_MASK) {
        r->cur = ring_ptr_reset();
    }
}

uint32_t side_queue_status(const struct ring *r)
{
    uint32_t used = ring_dist(r->cur, r->tail, ring_len(r));
    bool full = r->head.off == r->tail.off && r->head.lap != r->tail.lap;

    return used << UDMA_M2S_M2S_Q_STATUS_Q_USED_SHIFT |
           (full ? UDMA_M2S_M2S_Q_STATUS_Q_FULL_MASK : 0);
}

uint32_t side_read_sel_pref(void *owner, uint32_t idx, uint32_t val)
{
    const struct ring *r = side_ring(owner, side_picked(owner));

    (void)idx;
    val = r->fifo_nr << UDMA_M2S_M2S_SEL_PREF_FIFO_STATUS_USED_SHIFT;
    if (r->fifo_nr == 0) {
        val |= UDMA_M2S_M2S_SEL_PREF_FIFO_STATUS_EMPTY_MASK;
    }
    if (ring_fifo_room(r) == 0) {
        val |= UDMA_M2S_M2S_SEL_PREF_FIFO_STATUS_FULL_MASK;
    }
    return val;
}

/* A read that is one expression over the side and the index. */
#define SIDE_READ(name, expr)                                                  \
    uint32_t side_read_##name(void *owner, uint32_t q, uint32_t val)           \
    {                                                                          \
        struct side *side = owner;                                             \
                                                                               \
        (void)side;                                                            \
        (void)q;                                                               \
        (void)val;                                                             \
        return expr;                                                           \
    }

SIDE_READ(zero, 0)
SIDE_READ(head, ring_ptr_word(side_ring(side, q)->head))
SIDE_READ(tail, ring_ptr_word(side_ring(side, q)->tail))
SIDE_READ(cur, ring_ptr_word(side_ring(side, q)->cur))
SIDE_READ(comp, ring_ptr_word(side_ring(side, q)->comp))
SIDE_READ(pkt, (uint32_t)side->stats.pkt)
SIDE_READ(drop_pkt, (uint32_t)side->stats.drop_pkt)
SIDE_READ(prefed_desc, (uint32_t)side->stats.prefed_desc)
SIDE_READ(comp_pkt, (uint32_t)side->stats.comp_pkt)
SIDE_READ(comp_desc, (uint32_t)side->stats.comp_desc)
SIDE_READ(ack_pkts, (uint32_t)side->stats.ack_pkts)
SIDE_READ(bytes_high, (uint32_t)side->stats.bytes_high_shown)
SIDE_READ(bytes_low, (side->stats.bytes_high_shown = side->stats.bytes >> 32,
                      (uint32_t)side->stats.bytes))
