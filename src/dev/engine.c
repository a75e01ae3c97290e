/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A channel as a whole: what power-on makes of it, and the loop that serves
 * its queues.
 */
#include "dev/engine.h"

#include "dev/app.h"
#include "dev/axi.h"
#include "dev/axi_error.h"
#include "dev/limiter.h"
#include "dev/m2s.h"
#include "dev/msix.h"
#include "dev/s2m.h"
#include "dev/sched.h"
#include "udma_gen_gen.h"
#include "udma_m2s_gen.h"
#include "udma_s2m_gen.h"

void engine_bind(struct channel *ch)
{
    const struct regfile *m2s = &ch->units[TRENCH_BLOCK_UDMA_M2S].rf;
    const struct regfile *s2m = &ch->units[TRENCH_BLOCK_UDMA_S2M].rf;

    ch->reg = (struct channel_words){
        .cfg_len = regfile_word(m2s, UDMA_M2S_M2S_CFG_LEN),
        .m2s_stream_cfg = regfile_word(m2s, UDMA_M2S_M2S_STREAM_CFG),
        .cfg_prefetch = regfile_word(m2s, UDMA_M2S_AXI_M2S_MLA_CFG_PREFETCH),
        .desc_pref_cfg_2 = regfile_word(m2s, UDMA_M2S_M2S_RD_DESC_PREF_CFG_2),
        .cfg_sched = regfile_word(m2s, UDMA_M2S_M2S_DWRR_CFG_SCHED),
        .cfg_st = regfile_word(m2s, UDMA_M2S_M2S_STAT_CFG_ST),
        .s2m_stream_cfg = regfile_word(s2m, UDMA_S2M_S2M_STREAM_CFG),
        .s2m_comp_cfg_1c = regfile_word(s2m, UDMA_S2M_S2M_COMP_CFG_1C),
        .zeroes0 = regfile_word(&ch->units[TRENCH_BLOCK_UDMA_GEN].rf,
                                UDMA_GEN_SPARE_REG_ZEROES0),
        .timer = regfile_word(&ch->units[TRENCH_BLOCK_UDMA_GEN].rf,
                              UDMA_GEN_DMA_MISC_GENERAL_CFG_5),
    };
    intr_bind(ch);
    ch->m2s_side.ch = ch;
    ch->m2s_side.group = SEC_GROUP_M2S;
    ch->m2s_side.indirect_ctrl = regfile_word(m2s, UDMA_M2S_M2S_INDIRECT_CTRL);
    ch->s2m_side.ch = ch;
    ch->s2m_side.group = SEC_GROUP_S2M;
    ch->s2m_side.indirect_ctrl = regfile_word(s2m, UDMA_S2M_S2M_INDIRECT_CTRL);
    m2s_bind(ch);
    s2m_bind(ch);
    tdma_bind(ch);
    notific_bind(ch);
}

static void side_reset(struct side *side)
{
    side->state = SIDE_RUN;
    side->stats = (struct side_stats){ 0 };
    side->log_held = false;
}

void engine_reset(struct channel *ch)
{
    for (unsigned b = 0; b < TRENCH_NR_CHANNEL_BLOCKS; b++) {
        if (ch->units[b].rf.cls) {
            regfile_reset(&ch->units[b].rf);
            ch->units[b].rf.unknown = 0;
        }
    }
    side_reset(&ch->m2s_side);
    side_reset(&ch->s2m_side);
    intr_reset(ch);
    m2s_reset(ch);
    s2m_reset(ch);
    axi_error_reset(ch);
    ch->accel_in_memory = false;
    ch->table_init = false;
    axi_replan(ch);
    limiter_reset(ch);
    ch->active = 0;
    ch->woken = 0;
    ch->starved = 0;
    ch->asleep = 0;
    tdma_reset(ch);
    notific_reset(ch);
    app_reset(ch);
    ch->last_q = TRENCH_NR_QUEUES - 1;
    ch->stats = (struct trench_soc_engine_stats){ 0 };
}

/*
 * Queues that have nothing to do: fetch ahead, so that the pointers show it.
 * An access hook may wake any of them meanwhile.
 */
static void idle(struct channel *ch, uint32_t queues)
{
    ch->active &= ~queues;
    for (uint32_t set = queues; set; set &= set - 1) {
        unsigned q = (unsigned)__builtin_ctz(set);

        m2s_prefetch(ch, q);
        if (ch->s2m_side.state == SIDE_RUN) {
            s2m_prefetch(ch, q);
        }
    }
}

/* Queues without tokens go to sleep; true when there was one. */
static bool hold_limited(struct channel *ch)
{
    uint32_t held = limiter_held(ch);

    ch->asleep |= held;
    idle(ch, held);
    return held != 0;
}

/* Serve a queue; returns units of work. */
static uint64_t serve(struct channel *ch, unsigned q)
{
    uint64_t units;

    ch->woken &= ~(1u << q);
    units = m2s_step(ch, q);
    if (units > 0) {
        ch->last_q = q; /* only a packet takes the turn */
        return units;
    }
    if (ch->woken >> q & 1) {
        return 1; /* what it was to wait for has come while it was served */
    }
    idle(ch, 1u << q);
    return 0;
}

uint64_t engine_run(struct channel *ch, uint64_t budget)
{
    uint64_t spent = 0;

    while (spent < budget) {
        uint64_t asked = ch->chip->asked;
        uint64_t units = 0;

        if (ch->intr.sending) {
            spent += msix_send(ch, budget - spent);
            continue;
        }
        if (ch->active == 0) {
            break;
        }
        /* The scheduler only sees those with tokens. */
        if (!(ch->active & ch->limited) || !hold_limited(ch)) {
            units = serve(ch, sched_pick(ch, ch->active));
        }
        /* A hook may answer each access with more work: accesses are some. */
        spent += units || ch->chip->asked == asked ? units : 1;
    }
    channel_timed(ch);
    return spent;
}

bool engine_expire(struct channel *ch, uint64_t *units)
{
    uint32_t policy = regfile_get(&ch->units[TRENCH_BLOCK_UDMA_S2M].rf,
                                  UDMA_S2M_S2M_WR_DATA_CFG_2);
    bool any = false;

    for (uint32_t set = ch->starved; set; set &= set - 1) {
        unsigned q = (unsigned)__builtin_ctz(set);

        if (s2m_wait_left(ch, q) > 0) {
            continue;
        }
        any = true;
        ch->s2m[q].timed_out = true; /* once a wait */
        if (!channel_error(ch, SEC_GROUP_S2M, S2M_CAUSE_NO_DESC_TIMEOUT,
                           NULL)) {
            s2m_wait_over(ch, q); /* what comes after the abort waits afresh */
            break;
        }
        if (policy & UDMA_S2M_S2M_WR_DATA_CFG_2_DROP_IF_NO_DESC_MASK) {
            ch->stats.dropped++;
            ch->s2m_side.stats.drop_pkt++;
            *units += ch->m2s[q].packet.descs;
            m2s_drop(ch, q);
            channel_wake(ch, 1u << q);
        }
    }
    return any;
}
