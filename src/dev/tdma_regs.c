/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Registers of tdma_model that do more than store (common-blocks 1.3.2). The
 * counters of the reorder buffers read 0, their reset: nothing is ever
 * outstanding when software looks.
 */
#include "dev/app.h"
#include "dev/channel.h"

#include "base/bits.h"
#include "tdma_model_gen.h"

#define REG(name)       TDMA_MODEL_##name
#define PER_QUEUE(name) TDMA_MODEL_NOTIFIC_CFG_PER_QUEUE_##name
#define FABRIC(name)    TDMA_MODEL_NOTIFIC_CFG_FABRIC_TRIGGER_##name

/* A strobe acts when it is written and does not stay. */
#define STROBE(name, reg, mask)                                                \
    static void write_##name(void *owner, uint32_t idx, uint32_t written,      \
                             uint32_t old)                                     \
    {                                                                          \
        struct channel *ch = owner;                                            \
                                                                               \
        (void)idx;                                                             \
        (void)written;                                                         \
        (void)old;                                                             \
        *regfile_at(&ch->units[TRENCH_BLOCK_TDMA_MODEL].rf, reg) &= ~(mask);   \
    }

STROBE(rob, REG(TDMA_TDMA_ROB_CFG), REG(TDMA_TDMA_ROB_CFG_CLEAR_MASK))
STROBE(wob, REG(TDMA_TDMA_WOB_CFG), REG(TDMA_TDMA_WOB_CFG_CLEAR_MASK))
STROBE(ordered, REG(STRONGLY_ORDERED_WRITE_CFG),
       REG(STRONGLY_ORDERED_WRITE_CFG_CLEAR_MASK))

/* A trigger starts over whenever it is written. */
static void write_trigger(struct channel *ch, unsigned q, enum tdma_dir dir)
{
    ch->tdma.skip[q][dir] = 0;
    tdma_watch_queue(ch, q);
    notific_kick(ch);
}

static void write_m2s_trigger(void *owner, uint32_t q, uint32_t written,
                              uint32_t old)
{
    (void)written;
    (void)old;
    write_trigger(owner, q, TDMA_M2S);
}

static void write_s2m_trigger(void *owner, uint32_t q, uint32_t written,
                              uint32_t old)
{
    (void)written;
    (void)old;
    write_trigger(owner, q, TDMA_S2M);
}

static void write_fabric(void *owner, uint32_t idx, uint32_t written,
                         uint32_t old)
{
    (void)idx;
    (void)written;
    (void)old;
    tdma_watch_fabric(owner);
}

/* Packets that wait may not have to any more. */
static void write_stall(void *owner, uint32_t idx, uint32_t written,
                        uint32_t old)
{
    (void)idx;
    (void)written;
    (void)old;
    notific_kick(owner);
}

/* ---- packets in flight --------------------------------------------------- */

static uint32_t read_engine(const struct channel *ch,
                            enum trench_app_engine engine)
{
    uint32_t val = 0;

    for (unsigned q = 0; q < TRENCH_NR_QUEUES; q++) {
        val |= (uint32_t)(app_in_flight(ch, q) == engine) << q;
    }
    return val;
}

static uint32_t read_cme(void *owner, uint32_t idx, uint32_t val)
{
    (void)idx;
    (void)val;
    return read_engine(owner, TRENCH_APP_CME);
}

static uint32_t read_dre(void *owner, uint32_t idx, uint32_t val)
{
    (void)idx;
    (void)val;
    return read_engine(owner, TRENCH_APP_DRE);
}

static uint32_t read_cce(void *owner, uint32_t idx, uint32_t val)
{
    (void)idx;
    (void)val;
    return read_engine(owner, TRENCH_APP_CCE);
}

/* Of all packets in flight, those with a barrier in what is left of them. */
static uint32_t read_dmb(void *owner, uint32_t idx, uint32_t val)
{
    struct channel *ch = owner;

    (void)idx;
    val = 0;
    for (unsigned q = 0; q < TRENCH_NR_QUEUES; q++) {
        const struct packet *pkt = &ch->m2s[q].packet;

        for (uint32_t i = pkt->finished; i < pkt->descs; i++) {
            const struct desc *d =
                &ring_fifo_at(&ch->m2s[q].ring, i - pkt->finished)->desc;

            val |= (uint32_t)((d->w[0] & DESC_DMB) != 0 ||
                              (d->w[1] & META_WRITE_BARRIER) != 0)
                   << q;
        }
    }
    return val;
}

static const struct regfile_hook hooks[] = {
    { REG(TDMA_TDMA_ROB_CFG), NULL, write_rob },
    { REG(TDMA_TDMA_WOB_CFG), NULL, write_wob },
    { PER_QUEUE(M2S_TRIGGER(0)), NULL, write_m2s_trigger },
    { PER_QUEUE(S2M_TRIGGER(0)), NULL, write_s2m_trigger },
    { FABRIC(AXI_REQ_TRIGGER(0)), NULL, write_fabric },
    { FABRIC(AXI_RSP_TRIGGER(0)), NULL, write_fabric },
    { FABRIC(APB_REQ_TRIGGER(0)), NULL, write_fabric },
    { REG(APP_ENGINE_STATUS_CME_PACKETS_INFLIGHT), read_cme, NULL },
    { REG(APP_ENGINE_STATUS_DRE_PACKETS_INFLIGHT), read_dre, NULL },
    { REG(APP_ENGINE_STATUS_CCE_PACKETS_INFLIGHT), read_cce, NULL },
    { REG(APP_ENGINE_STATUS_DMB_PACKETS_INFLIGHT), read_dmb, NULL },
    { REG(NOTIFIC_CFG_STALL), NULL, write_stall },
    { REG(STRONGLY_ORDERED_WRITE_CFG), NULL, write_ordered },
};

const struct hook_list tdma_hooks = { TRENCH_BLOCK_TDMA_MODEL, hooks,
                                      ARRAY_LEN(hooks) };

static const uint32_t used[] = {
    PER_QUEUE(M2S_CRC_INIT(0)),   PER_QUEUE(M2S_SW_QUEUE(0)),
    PER_QUEUE(S2M_CRC_INIT(0)),   PER_QUEUE(S2M_SW_QUEUE(0)),
    FABRIC(AXI_REQ_ID_MASK(0)),   FABRIC(AXI_REQ_ID_CMP(0)),
    FABRIC(AXI_REQ_SW_QUEUE(0)),  FABRIC(AXI_RSP_ID_MASK(0)),
    FABRIC(AXI_RSP_ID_CMP(0)),    FABRIC(AXI_RSP_SW_QUEUE(0)),
    FABRIC(APB_REQ_ADDR_MASK(0)), FABRIC(APB_REQ_ADDR_CMP(0)),
    FABRIC(APB_REQ_SW_QUEUE(0)),  REG(NOTIFIC_CFG_S2M_EOP_COMBINED),
};

const struct use_list tdma_uses = { TRENCH_BLOCK_TDMA_MODEL, used,
                                    ARRAY_LEN(used) };
