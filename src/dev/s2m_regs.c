/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * S2M registers that do more than store (udma-engine 2).
 */
#include "dev/s2m.h"

#include "base/bits.h"
#include "dev/axi.h"
#include "dev/coal.h"
#include "dev/side_regs.h"
#include "udma_s2m_gen.h"

static uint32_t read_state(void *owner, uint32_t idx, uint32_t val)
{
    uint32_t code = side_state_code(owner);

    (void)idx;
    (void)val;
    return code << UDMA_S2M_S2M_STATE_COMP_CTRL_SHIFT |
           code << UDMA_S2M_S2M_STATE_STREAM_IF_SHIFT |
           code << UDMA_S2M_S2M_STATE_DATA_WR_CTRL_SHIFT |
           code << UDMA_S2M_S2M_STATE_DESC_PREF_SHIFT |
           code << UDMA_S2M_S2M_STATE_AXI_WR_DATA_SHIFT;
}

static uint32_t read_q_rx_pkt(void *owner, uint32_t q, uint32_t val)
{
    (void)val;
    return side_channel(owner)->s2m[q].packets;
}

static uint32_t read_status(void *owner, uint32_t q, uint32_t val)
{
    const struct channel *ch = side_channel(owner);
    const struct ring *r = &ch->s2m[q].ring;

    val = side_queue_status(r);
    if (s2m_fetching(ch, q)) {
        val |= UDMA_S2M_S2M_Q_STATUS_PREFETCH_MASK;
    }
    if (ch->s2m_side.state == SIDE_RUN &&
        (*r->reg.cfg & UDMA_S2M_S2M_Q_CFG_EN_STREAM_MASK)) {
        val |= UDMA_S2M_S2M_Q_STATUS_RX_MASK;
    }
    return val;
}

static void write_sw_ctrl(void *owner, uint32_t q, uint32_t written,
                          uint32_t old)
{
    struct channel *ch = side_channel(owner);
    struct m2s_queue *mq = &ch->m2s[q];

    (void)old;
    side_reset_pointers(&ch->s2m[q].ring, written);
    if (written & UDMA_S2M_S2M_Q_Q_SW_CTRL_RST_PREFETCH_MASK) {
        coal_settle(ch, SEC_GROUP_S2M, q, true); /* those are finished */
        ring_fifo_drop(&ch->s2m[q].ring);
    }
    if (written & UDMA_S2M_S2M_Q_Q_SW_CTRL_RST_Q_MASK) {
        s2m_queue_reset(ch, q);
    }
    if (written & (UDMA_S2M_S2M_Q_Q_SW_CTRL_RST_PREFETCH_MASK |
                   UDMA_S2M_S2M_Q_Q_SW_CTRL_RST_Q_MASK)) {
        /* The buffers of a packet under way are gone, and so is the packet:
         * its rest must not land in the next ring. */
        mq->packet.cancelled = packet_started(&mq->packet);
        mq->epoch++;
    }
    channel_wake(ch, 1u << q);
}

static void write_pkt_cfg(void *owner, uint32_t q, uint32_t written,
                          uint32_t old)
{
    (void)written;
    (void)old;
    axi_replan_queue(side_channel(owner), q);
}

static const struct regfile_hook hooks[] = {
    { UDMA_S2M_S2M_STATE, read_state, NULL },
    { UDMA_S2M_S2M_CHANGE_STATE, NULL, side_write_change_state },
    { UDMA_S2M_S2M_CLEAR_ERR_LOG, NULL, side_write_clear_err_log },
    { UDMA_S2M_S2M_SEL_PREF_FIFO_STATUS, side_read_sel_pref, NULL },
    { UDMA_S2M_S2M_SEL_COMP_FIFO_STATUS, coal_read_status, NULL },
    { UDMA_S2M_S2M_STREAM_CFG, NULL, side_write_wake_all },
    { UDMA_S2M_S2M_PREF_QUEUE_EN, NULL, side_write_wake_all },
    { UDMA_S2M_S2M_STAT_DROP_PKT, side_read_drop_pkt, NULL },
    { UDMA_S2M_S2M_STAT_RX_BYTES_LOW, side_read_bytes_low, NULL },
    { UDMA_S2M_S2M_STAT_RX_BYTES_HIGH, side_read_bytes_high, NULL },
    { UDMA_S2M_S2M_STAT_PREFED_DESC, side_read_prefed_desc, NULL },
    { UDMA_S2M_S2M_STAT_COMP_PKT, side_read_comp_pkt, NULL },
    { UDMA_S2M_S2M_STAT_COMP_DESC, side_read_comp_desc, NULL },
    { UDMA_S2M_S2M_STAT_ACK_PKTS, side_read_ack_pkts, NULL },
    { UDMA_S2M_S2M_Q_DESC_PREF_CFG(0), NULL, side_write_wake_queue },
    { UDMA_S2M_S2M_Q_CFG(0), NULL, side_write_wake_queue },
    { UDMA_S2M_S2M_Q_STATUS(0), read_status, NULL },
    { UDMA_S2M_S2M_Q_RDRL(0), NULL, side_write_wake_queue },
    { UDMA_S2M_S2M_Q_RDRHP(0), side_read_head, NULL },
    { UDMA_S2M_S2M_Q_RDRTP_INC(0), NULL, side_write_tail_inc },
    { UDMA_S2M_S2M_Q_RDRTP(0), side_read_tail, NULL },
    { UDMA_S2M_S2M_Q_RDCP(0), side_read_cur, NULL },
    { UDMA_S2M_S2M_Q_RCRHP(0), side_read_comp, NULL },
    { UDMA_S2M_S2M_Q_PKT_CFG(0), NULL, write_pkt_cfg },
    { UDMA_S2M_S2M_Q_RCRHP_INTERNAL(0), coal_read_internal, NULL },
    { UDMA_S2M_S2M_Q_COMP_CFG(0), NULL, coal_write_comp_cfg },
    { UDMA_S2M_S2M_Q_Q_SW_CTRL(0), NULL, write_sw_ctrl },
    { UDMA_S2M_S2M_Q_Q_RX_PKT(0), read_q_rx_pkt, NULL },
};

const struct hook_list s2m_hooks = { TRENCH_BLOCK_UDMA_S2M, hooks,
                                     ARRAY_LEN(hooks) };
