/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * M2S registers that do more than store (udma-engine 1).
 */
#include "dev/m2s.h"

#include "base/bits.h"
#include "dev/coal.h"
#include "dev/limiter.h"
#include "dev/side_regs.h"
#include "udma_m2s_gen.h"

static uint32_t read_state(void *owner, uint32_t idx, uint32_t val)
{
    uint32_t code = side_state_code(owner);

    (void)idx;
    (void)val;
    return code << UDMA_M2S_M2S_STATE_COMP_CTRL_SHIFT |
           code << UDMA_M2S_M2S_STATE_STREAM_IF_SHIFT |
           code << UDMA_M2S_M2S_STATE_DATA_RD_CTRL_SHIFT |
           code << UDMA_M2S_M2S_STATE_DESC_PREF_SHIFT;
}

static uint32_t read_sel_dwrr(void *owner, uint32_t idx, uint32_t val)
{
    int64_t deficit = side_channel(owner)->m2s[side_picked(owner)].deficit;

    (void)idx;
    (void)val;
    return deficit > 0 ? (uint32_t)deficit : 0;
}

static void write_deficit_all(void *owner, uint32_t idx, uint32_t written,
                              uint32_t old)
{
    struct channel *ch = side_channel(owner);

    (void)idx;
    (void)old;
    for (unsigned q = 0; q < TRENCH_NR_QUEUES; q++) {
        ch->m2s[q].deficit =
            FIELD_GET(UDMA_M2S_M2S_DWRR_CTRL_DEFICIT_CNT_INIT, written);
    }
}

static uint32_t read_data_tail(void *owner, uint32_t q, uint32_t val)
{
    (void)val;
    return ring_ptr_word(side_channel(owner)->m2s[q].data_tail);
}

static uint32_t read_status(void *owner, uint32_t q, uint32_t val)
{
    const struct channel *ch = side_channel(owner);
    const struct ring *r = &ch->m2s[q].ring;

    (void)val;
    val = side_queue_status(r);
    if (m2s_fetching(ch, q)) {
        val |= UDMA_M2S_M2S_Q_STATUS_PREFETCH_MASK;
    }
    if (ch->m2s_side.state == SIDE_RUN &&
        (*r->reg.cfg & UDMA_M2S_M2S_Q_CFG_EN_SCHEDULING_MASK)) {
        val |= UDMA_M2S_M2S_Q_STATUS_SCHEDULER_MASK;
    }
    return val;
}

static void write_data_tail_inc(void *owner, uint32_t q, uint32_t written,
                                uint32_t old)
{
    struct channel *ch = side_channel(owner);
    struct m2s_queue *mq = &ch->m2s[q];

    (void)old;
    ring_ptr_add(&mq->data_tail, written & UDMA_M2S_M2S_Q_TDRDTP_INC_VAL_MASK,
                 ring_len(&mq->ring));
    channel_wake(ch, 1u << q);
}

static void write_dwrr_sw_ctrl(void *owner, uint32_t q, uint32_t written,
                               uint32_t old)
{
    struct channel *ch = side_channel(owner);

    (void)old;
    if (written & UDMA_M2S_M2S_Q_DWRR_SW_CTRL_RST_CNT_MASK) {
        ch->m2s[q].deficit = 0;
    }
}

/* rst_dmb has nothing to release: packets of a queue complete in order. */
static void write_sw_ctrl(void *owner, uint32_t q, uint32_t written,
                          uint32_t old)
{
    struct channel *ch = side_channel(owner);

    (void)old;
    side_reset_pointers(&ch->m2s[q].ring, written);
    if (written & UDMA_M2S_M2S_Q_Q_SW_CTRL_RST_DATA_TAIL_PTR_MASK) {
        ch->m2s[q].data_tail = ring_ptr_reset();
    }
    if (written & UDMA_M2S_M2S_Q_Q_SW_CTRL_RST_Q_MASK) {
        m2s_queue_reset(ch, q);
    }
    channel_wake(ch, 1u << q);
}

static uint32_t read_q_tx_pkt(void *owner, uint32_t q, uint32_t val)
{
    (void)val;
    return side_channel(owner)->m2s[q].packets;
}

static const struct regfile_hook hooks[] = {
    { UDMA_M2S_AXI_M2S_MLA_CFG_PREFETCH, NULL, side_write_wake_all },
    { UDMA_M2S_M2S_STATE, read_state, NULL },
    { UDMA_M2S_M2S_CHANGE_STATE, NULL, side_write_change_state },
    { UDMA_M2S_M2S_CLEAR_ERR_LOG, NULL, side_write_clear_err_log },
    { UDMA_M2S_M2S_SEL_PREF_FIFO_STATUS, side_read_sel_pref, NULL },
    { UDMA_M2S_M2S_SEL_COMP_FIFO_STATUS, coal_read_status, NULL },
    { UDMA_M2S_M2S_SEL_RATE_LIMIT_STATUS, limiter_read_status, NULL },
    { UDMA_M2S_M2S_SEL_DWRR_STATUS, read_sel_dwrr, NULL },
    { UDMA_M2S_M2S_STREAM_CFG, NULL, side_write_wake_all },
    { UDMA_M2S_M2S_PREF_QUEUE_EN, NULL, side_write_wake_all },
    { UDMA_M2S_M2S_DWRR_CTRL_DEFICIT_CNT, NULL, write_deficit_all },
    { UDMA_M2S_M2S_RATE_LIMITER_CTRL_CYCLE_CNT, NULL, limiter_write_cycles },
    { UDMA_M2S_M2S_RATE_LIMITER_CTRL_TOKEN, NULL, limiter_write_tokens },
    { UDMA_M2S_M2S_STREAM_RATE_LIMITER_CFG_1S, NULL, limiter_write_rules },
    { UDMA_M2S_M2S_STREAM_RATE_LIMITER_SW_CTRL, NULL,
      limiter_write_stream_sw_ctrl },
    { UDMA_M2S_M2S_STREAM_RATE_LIMITER_MASK, NULL, limiter_write_rules },
    { UDMA_M2S_M2S_STAT_TX_PKT, side_read_pkt, NULL },
    { UDMA_M2S_M2S_STAT_TX_BYTES_LOW, side_read_bytes_low, NULL },
    { UDMA_M2S_M2S_STAT_TX_BYTES_HIGH, side_read_bytes_high, NULL },
    { UDMA_M2S_M2S_STAT_PREFED_DESC, side_read_prefed_desc, NULL },
    { UDMA_M2S_M2S_STAT_COMP_PKT, side_read_comp_pkt, NULL },
    { UDMA_M2S_M2S_STAT_COMP_DESC, side_read_comp_desc, NULL },
    { UDMA_M2S_M2S_STAT_ACK_PKTS, side_read_ack_pkts, NULL },
    { UDMA_M2S_M2S_Q_DESC_PREF_CFG(0), NULL, side_write_wake_queue },
    { UDMA_M2S_M2S_Q_CFG(0), NULL, side_write_wake_queue },
    { UDMA_M2S_M2S_Q_STATUS(0), read_status, NULL },
    { UDMA_M2S_M2S_Q_TDRL(0), NULL, side_write_wake_queue },
    { UDMA_M2S_M2S_Q_TDRHP(0), side_read_head, NULL },
    { UDMA_M2S_M2S_Q_TDRTP_INC(0), side_read_zero, side_write_tail_inc },
    { UDMA_M2S_M2S_Q_TDRTP(0), side_read_tail, NULL },
    { UDMA_M2S_M2S_Q_TDCP(0), side_read_cur, NULL },
    { UDMA_M2S_M2S_Q_TCRHP(0), side_read_comp, NULL },
    { UDMA_M2S_M2S_Q_TCRHP_INTERNAL(0), coal_read_internal, NULL },
    { UDMA_M2S_M2S_Q_RATE_LIMIT_CFG_1(0), NULL, limiter_write_rules },
    { UDMA_M2S_M2S_Q_RATE_LIMIT_SW_CTRL(0), NULL, limiter_write_sw_ctrl },
    { UDMA_M2S_M2S_Q_RATE_LIMIT_MASK(0), NULL, limiter_write_rules },
    { UDMA_M2S_M2S_Q_COMP_CFG(0), NULL, coal_write_comp_cfg },
    { UDMA_M2S_M2S_Q_DWRR_SW_CTRL(0), NULL, write_dwrr_sw_ctrl },
    { UDMA_M2S_M2S_Q_Q_SW_CTRL(0), NULL, write_sw_ctrl },
    { UDMA_M2S_M2S_Q_Q_TX_PKT(0), read_q_tx_pkt, NULL },
    { UDMA_M2S_M2S_Q_TDRDTP_INC(0), NULL, write_data_tail_inc },
    { UDMA_M2S_M2S_Q_TDRDTP(0), read_data_tail, NULL },
};

const struct hook_list m2s_hooks = { TRENCH_BLOCK_UDMA_M2S, hooks,
                                     ARRAY_LEN(hooks) };
