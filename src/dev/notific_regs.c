/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Registers of the notification block that do more than store (common-blocks
 * 2.2, 2.3).
 */
#include "dev/notific.h"

#include "base/bits.h"
#include "dev/notific_post.h"

#define REG(name) NOTIFIC_10_QUEUE_NOTIFIC_##name

static uint32_t *stored(struct channel *ch, uint32_t offset)
{
    return regfile_at(&ch->units[TRENCH_BLOCK_NOTIFIC_10_QUEUE].rf, offset);
}

/* ---- reads -------------------------------------------------------------- */

/* A read that is one expression over the block and the index. */
#define READ(name, expr)                                                       \
    static uint32_t read_##name(void *owner, uint32_t idx, uint32_t val)       \
    {                                                                          \
        struct channel *ch = owner;                                            \
        struct notific *n = &ch->notific;                                      \
                                                                               \
        (void)n;                                                               \
        (void)idx;                                                             \
        (void)val;                                                             \
        return expr;                                                           \
    }

READ(time_lo, (uint32_t)notific_time(ch))
READ(time_hi, (uint32_t)(notific_time(ch) >> 32))
READ(error_lo, (uint32_t)n->error_addr)
READ(error_hi, (uint32_t)(n->error_addr >> 32))
READ(stall, notific_take_stall(ch))
READ(niq_count, NOTIFIC_INPUTS)
READ(tail, n->nq[idx].tail)

static uint32_t read_stats(void *owner, uint32_t idx, uint32_t val)
{
    struct channel *ch = owner;

    (void)idx;
    val = ch->notific.stats;
    ch->notific.stats = 0;
    return val;
}

static uint32_t read_full(void *owner, uint32_t idx, uint32_t val)
{
    (void)idx;
    val = 0;
    for (unsigned i = 0; i < NOTIFIC_QUEUES; i++) {
        val |= (uint32_t)notific_full(owner, i) << i;
    }
    return val;
}

static uint32_t read_passed(void *owner, uint32_t idx, uint32_t val)
{
    const struct channel *ch = owner;

    (void)idx;
    val = 0;
    for (unsigned i = 0; i < NOTIFIC_QUEUES; i++) {
        val |= (uint32_t)ch->notific.nq[i].passed << i;
    }
    return val;
}

/* The input buffer that niq_buffer_index picks, NULL when it is empty. */
static const struct notific_held *picked(struct channel *ch)
{
    uint32_t i = *stored(ch, REG(NIQ_BUFFER_INDEX));

    return i < NOTIFIC_INPUTS && ch->notific.held[i].valid
               ? &ch->notific.held[i]
               : NULL;
}

#define READ_NIQ(word, part)                                                   \
    static uint32_t read_niq_##word(void *owner, uint32_t idx, uint32_t val)   \
    {                                                                          \
        const struct notific_held *h = picked(owner);                          \
                                                                               \
        (void)idx;                                                             \
        (void)val;                                                             \
        return h ? (uint32_t)(h->rec.part >> 32 * (word & 1)) : 0;             \
    }

READ_NIQ(0, body)
READ_NIQ(1, body)
READ_NIQ(2, time)
READ_NIQ(3, time)

/* Where the record goes: 16 bits, of which the queue number needs four. */
static uint32_t read_niq_route(void *owner, uint32_t idx, uint32_t val)
{
    const struct notific_held *h = picked(owner);

    (void)idx;
    (void)val;
    return h ? h->sw_queue : 0;
}

/* ---- writes ------------------------------------------------------------- */

/* A bit that acts when it is written and does not stay. */
static void strobe(struct channel *ch, uint32_t offset, uint32_t mask)
{
    *stored(ch, offset) &= ~mask;
}

/* A switch that records or their sources may have waited for. */
static void write_policy(void *owner, uint32_t idx, uint32_t written,
                         uint32_t old)
{
    (void)idx;
    (void)written;
    (void)old;
    notific_kick(owner);
}

static void write_enable(void *owner, uint32_t idx, uint32_t written,
                         uint32_t old)
{
    struct channel *ch = owner;

    notific_reopen(&ch->notific);
    write_policy(owner, idx, written, old);
}

/* The same, and the rings that count are others. */
static void write_rings(void *owner, uint32_t idx, uint32_t written,
                        uint32_t old)
{
    notific_reload_all(owner);
    write_policy(owner, idx, written, old);
}

/* Software starts the queue afresh; only the driver's size write follows. */
static void write_base(void *owner, uint32_t i, uint32_t written, uint32_t old)
{
    struct channel *ch = owner;

    *stored(ch, REG(NQ_HEAD_PTR(i))) = 0;
    notific_queue_restart(ch, i);
    write_rings(ch, i, written, old);
}

static void write_head(void *owner, uint32_t i, uint32_t written, uint32_t old)
{
    struct channel *ch = owner;

    ch->notific.nq[i].passed = false;
    notific_reload(ch, i);
    write_policy(ch, i, written, old);
}

static void write_threshold(void *owner, uint32_t i, uint32_t written,
                            uint32_t old)
{
    (void)written;
    (void)old;
    notific_reload(owner, i);
}

static void write_inc(void *owner, uint32_t idx, uint32_t written, uint32_t old)
{
    (void)idx;
    (void)written;
    notific_rebase(owner, old);
}

static void write_stall_clr(void *owner, uint32_t idx, uint32_t written,
                            uint32_t old)
{
    (void)idx;
    (void)old;
    if (written & REG(NQ_PIPELINE_STALL_CLR_MASK)) {
        notific_take_stall(owner);
    }
    strobe(owner, REG(NQ_PIPELINE_STALL), REG(NQ_PIPELINE_STALL_CLR_MASK));
}

/* Nothing is ever held in the coalescer or the write buffer. */
static void write_coal(void *owner, uint32_t idx, uint32_t written,
                       uint32_t old)
{
    (void)idx;
    (void)written;
    (void)old;
    strobe(owner, REG(COAL_CTRL), REG(COAL_CTRL_CLR_MASK));
}

static void write_wob(void *owner, uint32_t idx, uint32_t written, uint32_t old)
{
    (void)idx;
    (void)written;
    (void)old;
    strobe(owner, REG(WOB_CTRL), REG(WOB_CTRL_WR_CLEAR_MASK));
}

static const struct regfile_hook hooks[] = {
    { REG(TIMESTAMP_LO), read_time_lo, NULL },
    { REG(TIMESTAMP_HI), read_time_hi, NULL },
    { REG(SW_BACKPRESSURE), NULL, write_policy },
    { REG(HW_BACKPRESSURE_LO), NULL, write_policy },
    { REG(NQ_ENABLE), NULL, write_rings },
    { REG(NQ_SW_OVERFLOW), NULL, write_policy },
    { REG(NQ_UART_MODE), NULL, write_rings },
    { REG(NQ_THRESHOLD_EN), NULL, write_rings },
    { REG(WR_BUF_ENABLE_LO), NULL, write_enable },
    { REG(NQ_ERROR_ADDR_LO), read_error_lo, NULL },
    { REG(NQ_ERROR_ADDR_HI), read_error_hi, NULL },
    { REG(NQ_PIPELINE_STALL_COUNT), read_stall, NULL },
    { REG(NQ_PIPELINE_STALL), NULL, write_stall_clr },
    { REG(NIQ_BUFFER_COUNT), read_niq_count, NULL },
    { REG(NIQ_BUFFER_0), read_niq_0, NULL },
    { REG(NIQ_BUFFER_1), read_niq_1, NULL },
    { REG(NIQ_BUFFER_2), read_niq_2, NULL },
    { REG(NIQ_BUFFER_3), read_niq_3, NULL },
    { REG(NIQ_BUFFER_4), read_niq_route, NULL },
    { REG(NQ_STATS), read_stats, NULL },
    { REG(COAL_CTRL), NULL, write_coal },
    { REG(WOB_CTRL), NULL, write_wob },
    { REG(NQ_FULL), read_full, NULL },
    { REG(NQ_THRESHOLD_PASSED), read_passed, NULL },
    { REG(TIMESTAMP_INC), NULL, write_inc },
    { REG(NQ_BASE_ADDR_LO(0)), NULL, write_base },
    { REG(NQ_BASE_ADDR_HI(0)), NULL, write_base },
    { REG(NQ_SIZE(0)), NULL, write_rings },
    { REG(NQ_HEAD_PTR(0)), NULL, write_head },
    { REG(NQ_TAIL_PTR(0)), read_tail, NULL },
    { REG(NQ_THRESHOLD(0)), NULL, write_threshold },
};

const struct hook_list notific_hooks = { TRENCH_BLOCK_NOTIFIC_10_QUEUE, hooks,
                                         ARRAY_LEN(hooks) };
