/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What both sides of a channel share: errors and abort, doorbells, fetching
 * (udma-engine 5).
 */
#include "dev/channel.h"

#include <endian.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/bits.h"
#include "dev/axi.h"
#include "dev/axi_error.h"
#include "udma_m2s_gen.h"
#include "udma_s2m_gen.h"

/* ---- errors ------------------------------------------------------------- */

struct side_regs {
    enum trench_block_id block;
    uint32_t err_log_mask;
    uint32_t log[4];
};

static const struct side_regs side_regs[] = {
    [SEC_GROUP_M2S] = { TRENCH_BLOCK_UDMA_M2S,
                        UDMA_M2S_M2S_ERR_LOG_MASK,
                        { UDMA_M2S_M2S_LOG_0, UDMA_M2S_M2S_LOG_1,
                          UDMA_M2S_M2S_LOG_2, UDMA_M2S_M2S_LOG_3 } },
    [SEC_GROUP_S2M] = { TRENCH_BLOCK_UDMA_S2M,
                        UDMA_S2M_S2M_ERR_LOG_MASK,
                        { UDMA_S2M_S2M_LOG_0, UDMA_S2M_S2M_LOG_1,
                          UDMA_S2M_S2M_LOG_2, UDMA_S2M_S2M_LOG_3 } },
};

static struct side *channel_side(struct channel *ch, enum sec_group group)
{
    return group == SEC_GROUP_M2S ? &ch->m2s_side : &ch->s2m_side;
}

/* Keep the first error's header, unless its cause is masked from the log. */
static void log_header(struct channel *ch, enum sec_group group, unsigned bit,
                       const struct desc *header)
{
    const struct side_regs *regs;
    struct side *side;
    struct regfile *rf;

    if (!header || group == SEC_GROUP_FIFO) {
        return; /* group C has no log */
    }
    regs = &side_regs[group];
    side = channel_side(ch, group);
    rf = &ch->units[regs->block].rf;
    if (side->log_held || (regfile_get(rf, regs->err_log_mask) >> bit & 1)) {
        return;
    }
    side->log_held = true;
    for (size_t i = 0; i < ARRAY_LEN(regs->log); i++) {
        uint32_t *val = regfile_at(rf, regs->log[i]);

        if (val) {
            *val = header->w[i];
        }
    }
}

bool channel_goes_on(const struct channel *ch, enum sec_group group)
{
    bool m2s = ch->m2s_side.state != SIDE_ABORTED;
    bool s2m = ch->s2m_side.state != SIDE_ABORTED;

    if (group == SEC_GROUP_FIFO) {
        return m2s && s2m;
    }
    return group == SEC_GROUP_M2S ? m2s : s2m;
}

bool channel_hint(struct channel *ch, enum sec_group group, unsigned bit)
{
    intr_raise(ch, INTR_SECONDARY, INTR_A + (enum intr_letter)group, 1u << bit);
    return channel_goes_on(ch, group);
}

bool channel_error(struct channel *ch, enum sec_group group, unsigned bit,
                   const struct desc *header)
{
    ch->stats.errors++;
    log_header(ch, group, bit, header);
    return channel_hint(ch, group, bit);
}

__attribute__((format(printf, 3, 0))) static void log_of(
    const struct channel *ch, enum trench_log_level level, const char *fmt,
    va_list ap)
{
    char text[160];
    char name[64];

    if (!ch->chip->log.fn) {
        return; /* formatting costs more than the rest of a packet */
    }
    vsnprintf(text, sizeof(text), fmt, ap);
    trench_gen_engine_name(ch->chip->gen, ch->engine, name, sizeof(name));
    log_line(&ch->chip->log, level, "engine %u (%s): %s", ch->engine, name,
             text);
}

void channel_log(struct channel *ch, const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    log_of(ch, TRENCH_LOG_INFO, fmt, ap);
    va_end(ap);
}

void channel_guest_error(struct channel *ch, const char *fmt, ...)
{
    va_list ap;

    ch->chip->guest_errors++;
    va_start(ap, fmt);
    log_of(ch, TRENCH_LOG_GUEST, fmt, ap);
    va_end(ap);
}

void channel_wake(struct channel *ch, uint32_t queues)
{
    ch->active |= queues;
    ch->woken |= queues;
    ch->starved &= ~queues;
    ch->asleep &= ~queues;
    channel_runnable(ch);
}

/* ---- fetch -------------------------------------------------------------- */

/* Returns false when the engine aborted. */
static bool fetch_one(struct channel *ch, struct ring *r, unsigned q,
                      const struct desc *mem, const struct fetch_ops *ops,
                      uint64_t *fetched)
{
    /* One copy, then only the copy: the memory is software's. */
    const struct desc d = { { le32toh(mem->w[0]), le32toh(mem->w[1]),
                              le32toh(mem->w[2]), le32toh(mem->w[3]) } };
    uint32_t lap = (d.w[0] & DESC_RING_ID_MASK) >> DESC_RING_ID_SHIFT;

    if (lap != r->head.lap &&
        !channel_error(ch, ops->group, ops->ring_id_cause, &d)) {
        return false;
    }
    if (!ops->accept(ch, q, &d)) {
        return false;
    }
    ++*fetched;
    return true;
}

/*
 * The descriptors at head as channel_fetch() takes them: straight from memory,
 * or one by one where the queue is not plain. NULL when the bus refused, or an
 * access hook has reset the queue: the answer then is about a ring that is
 * gone.
 */
static const struct desc *fetch_peek(struct channel *ch, struct ring *r,
                                     unsigned q, const struct fetch_ops *ops,
                                     uint32_t *n, struct desc *scratch)
{
    const uint32_t epoch = ch->m2s[q].epoch;
    const struct desc *d = NULL;
    unsigned answer;

    if (axi_plain(ch, q)) {
        d = ring_peek(r, ch->bus, n);
    }
    if (d) {
        return d;
    }
    *n = 1;
    answer =
        axi_read(ch, ops->stream, q, ring_head_addr(r), scratch, DESC_BYTES);
    if (ch->m2s[q].epoch != epoch) {
        return NULL;
    }
    if (answer == 0) {
        return scratch;
    }
    r->fetch_failed = true;
    axi_fault(ch, axi_master(ops->stream), q, answer, NULL);
    return NULL;
}

void channel_fetch(struct channel *ch, struct ring *r, unsigned q,
                   const struct fetch_ops *ops)
{
    uint64_t *fetched = &channel_side(ch, ops->group)->stats.prefed_desc;

    for (;;) {
        uint32_t n = min_u32(ring_posted(r), ring_fifo_room(r));
        struct desc scratch;
        const struct desc *d;

        if (n == 0) {
            return;
        }
        d = fetch_peek(ch, r, q, ops, &n, &scratch);
        if (!d || ring_posted(r) == 0) {
            return; /* an access hook may have moved the pointers */
        }
        for (uint32_t i = 0; i < n; i++) {
            if (!fetch_one(ch, r, q, &d[i], ops, fetched)) {
                return;
            }
        }
    }
}
