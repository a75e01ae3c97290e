/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Registers of udma_gen that do more than store (common-blocks 1.1;
 * udma-engine 3.5, 3.8). Interrupts and mailboxes are in files of their own.
 */
#include "dev/udma_gen.h"

#include "base/bits.h"
#include "dev/mailbox.h"
#include "udma_gen_gen.h"

void udma_gen_completion(struct channel *ch, enum sec_group side, unsigned q)
{
    intr_raise(ch, INTR_PRIMARY, side == SEC_GROUP_M2S ? INTR_C : INTR_B,
               1u << q);
}

/* A cause that was held back acts when the mask goes. */
static void write_abort_ctl(void *owner, uint32_t idx, uint32_t written,
                            uint32_t old)
{
    (void)idx;
    (void)written;
    (void)old;
    intr_abort_unmasked(owner);
}

/* ---- the general timer -------------------------------------------------- */

/* A write starts a period; 0 ends it. */
static void write_timer(void *owner, uint32_t idx, uint32_t written,
                        uint32_t old)
{
    struct channel *ch = owner;

    (void)idx;
    (void)written;
    (void)old;
    ch->timer_since = ch->chip->clock;
    channel_timed(ch);
}

static bool timer_told(const struct channel *ch)
{
    return intr_causes(ch, INTR_PRIMARY, INTR_D) >> INTR_MISC_TIMER & 1;
}

uint64_t udma_gen_due(const struct channel *ch)
{
    uint32_t period = *ch->reg.timer;
    uint64_t passed = ch->chip->clock - ch->timer_since;

    if (period == 0 || timer_told(ch)) {
        return CLOCK_NEVER;
    }
    return period - min_u64(passed, period);
}

bool udma_gen_expire(struct channel *ch)
{
    uint32_t period = *ch->reg.timer;
    uint64_t passed = ch->chip->clock - ch->timer_since;
    bool told = timer_told(ch);

    if (period == 0 || passed < period) {
        return false;
    }
    ch->timer_since += passed - passed % period;
    intr_raise(ch, INTR_PRIMARY, INTR_D, 1u << INTR_MISC_TIMER);
    return !told;
}

/* ---- clearing of the completion memories -------------------------------- */

/*
 * The model has no such memory; the handshake is what software sees. Progress
 * shows in the next read of the register after the trigger, memory 0 in bit 1
 * and memory 1 in bit 0 (common-blocks 1.1.2; hardware.md H85).
 */
static void init_start(struct channel *ch, uint32_t progress, uint32_t trigger)
{
    uint32_t mem0 =
        trigger & UDMA_GEN_INIT_MEMORY_RX_INIT_TRIGGER_CMPL_MEM0_MASK;
    uint32_t mem1 =
        trigger & UDMA_GEN_INIT_MEMORY_RX_INIT_TRIGGER_CMPL_MEM1_MASK;

    *regfile_at(&ch->units[TRENCH_BLOCK_UDMA_GEN].rf, progress) |=
        (mem0 ? UDMA_GEN_INIT_MEMORY_RX_INIT_IN_PROGRESS_CMPL_MEM0_MASK : 0) |
        (mem1 ? UDMA_GEN_INIT_MEMORY_RX_INIT_IN_PROGRESS_CMPL_MEM1_MASK : 0);
}

/* Returns what was under way, and is done by now. */
static uint32_t init_done(struct channel *ch, uint32_t progress, uint32_t val)
{
    *regfile_at(&ch->units[TRENCH_BLOCK_UDMA_GEN].rf, progress) = 0;
    return val;
}

/* The two sides have the same fields. */
#define INIT_HOOKS(name, progress)                                             \
    static void write_##name##_init(void *owner, uint32_t idx,                 \
                                    uint32_t written, uint32_t old)            \
    {                                                                          \
        (void)idx;                                                             \
        (void)old;                                                             \
        init_start(owner, progress, written);                                  \
    }                                                                          \
    static uint32_t read_##name##_init(void *owner, uint32_t idx,              \
                                       uint32_t val)                           \
    {                                                                          \
        (void)idx;                                                             \
        return init_done(owner, progress, val);                                \
    }

INIT_HOOKS(rx, UDMA_GEN_INIT_MEMORY_RX_INIT_IN_PROGRESS)
INIT_HOOKS(tx, UDMA_GEN_INIT_MEMORY_TX_INIT_IN_PROGRESS)

/* ---- the block ---------------------------------------------------------- */

#define WINDOW_ROW(name, offset)                                               \
    { offset, intr_read_##name, intr_write_##name },

static const struct regfile_hook hooks[] = {
    INTR_WINDOWS(WINDOW_ROW){ UDMA_GEN_DMA_MISC_GENERAL_CFG_5, NULL,
                              write_timer },
    { UDMA_GEN_DMA_MISC_ABORT_CTL, NULL, write_abort_ctl },
    { UDMA_GEN_MAILBOX_INTERRUPT(0), NULL, mailbox_write_interrupt },
    { UDMA_GEN_MAILBOX_MSG_OUT(0), NULL, mailbox_write_msg_out },
    { UDMA_GEN_INIT_MEMORY_RX_INIT_TRIGGER, NULL, write_rx_init },
    { UDMA_GEN_INIT_MEMORY_RX_INIT_IN_PROGRESS, read_rx_init, NULL },
    { UDMA_GEN_INIT_MEMORY_TX_INIT_TRIGGER, NULL, write_tx_init },
    { UDMA_GEN_INIT_MEMORY_TX_INIT_IN_PROGRESS, read_tx_init, NULL },
};

static const uint32_t used[] = {
    UDMA_GEN_DMA_MISC_INT_CFG,  /* msix_64 */
    UDMA_GEN_DMA_MISC_REVISION, /* a constant */
    UDMA_GEN_MAILBOX_MSG_IN(0), /* the peer writes it */
    UDMA_GEN_SPARE_REG_ZEROES0, /* bit 0: completion heads */
    UDMA_GEN_VMID_CFG_VMID_0,   /* ids of messages */
};

const struct use_list udma_gen_uses = { TRENCH_BLOCK_UDMA_GEN, used,
                                        ARRAY_LEN(used) };
const struct hook_list udma_gen_hooks = { TRENCH_BLOCK_UDMA_GEN, hooks,
                                          ARRAY_LEN(hooks) };
