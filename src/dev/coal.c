/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Completion coalescing, both sides. A queue that gathers holds completions
 * until they fill the smallest write burst or the FIFO, or until the oldest
 * has waited for its timer. The completion head and the interrupt of a
 * descriptor follow what software can see.
 */
#include "dev/coal.h"

#include <assert.h>
#include <endian.h>
#include <string.h>

#include "base/bits.h"
#include "dev/axi_error.h"
#include "dev/side_regs.h"
#include "udma_m2s_gen.h"
#include "udma_s2m_gen.h"

/* The unit of desc_wr_cfg_1: its reset of 4 is one 64-byte line. */
#define BEAT_BYTES 16u
#define LINE_BYTES 64u

#define SAME(m2s, s2m)                                                         \
    static_assert(UDMA_M2S_##m2s##_MASK == UDMA_S2M_##s2m##_MASK,              \
                  "both sides keep it in the same bits")

SAME(AXI_M2S_DESC_WR_CFG_1_MIN_AXI_BEATS, AXI_S2M_DESC_WR_CFG_1_MIN_AXI_BEATS);
SAME(M2S_SEL_COMP_FIFO_STATUS_USED, S2M_SEL_COMP_FIFO_STATUS_USED);
SAME(M2S_SEL_COMP_FIFO_STATUS_EMPTY, S2M_SEL_COMP_FIFO_STATUS_EMPTY);
SAME(M2S_SEL_COMP_FIFO_STATUS_FULL, S2M_SEL_COMP_FIFO_STATUS_FULL);
SAME(M2S_Q_CFG_FORCE_FULL_LINE, S2M_Q_CFG_CMPL_FORCE_FULL_LINE);
SAME(M2S_Q_COMP_CFG_DIS_COMP_COAL, S2M_Q_COMP_CFG_DIS_COMP_COAL);

static uint32_t side_get(const struct channel *ch, enum sec_group group,
                         uint32_t m2s, uint32_t s2m)
{
    return group == SEC_GROUP_M2S
               ? regfile_get(&ch->units[TRENCH_BLOCK_UDMA_M2S].rf, m2s)
               : regfile_get(&ch->units[TRENCH_BLOCK_UDMA_S2M].rf, s2m);
}

static struct side *group_side(struct channel *ch, enum sec_group group)
{
    return group == SEC_GROUP_M2S ? &ch->m2s_side : &ch->s2m_side;
}

static const struct ring *group_ring(const struct channel *ch,
                                     enum sec_group group, unsigned q)
{
    return group == SEC_GROUP_M2S ? &ch->m2s[q].ring : &ch->s2m[q].ring;
}

/* ---- rules -------------------------------------------------------------- */

static bool gathers(const struct ring *r)
{
    return ring_comp_on(r) &&
           !(*r->reg.comp_cfg & UDMA_M2S_M2S_Q_COMP_CFG_DIS_COMP_COAL_MASK);
}

static uint32_t timer(const struct channel *ch, enum sec_group group,
                      unsigned q)
{
    return side_get(ch, group, UDMA_M2S_M2S_COMP_CFG_COAL,
                    UDMA_S2M_S2M_Q_COMP_CFG_2(q));
}

static uint32_t entry_words(const struct channel *ch, enum sec_group group)
{
    return group == SEC_GROUP_M2S
               ? COMP_M2S_BYTES / 4
               : FIELD_GET(UDMA_S2M_S2M_COMP_CFG_1C_DESC_SIZE,
                           *ch->reg.s2m_comp_cfg_1c);
}

/* Entries that a queue's completion FIFO takes, at least one. */
static uint32_t capacity(const struct channel *ch, enum sec_group group)
{
    uint32_t words = entry_words(ch, group);
    uint32_t nr;

    if (group == SEC_GROUP_M2S) {
        nr = FIELD_GET(UDMA_M2S_M2S_COMP_CFG_1C_COMP_FIFO_DEPTH,
                       side_get(ch, group, UDMA_M2S_M2S_COMP_CFG_1C, 0));
    } else {
        nr = FIELD_GET(UDMA_S2M_S2M_COMP_CFG_2C_COMP_FIFO_DEPTH,
                       side_get(ch, group, 0, UDMA_S2M_S2M_COMP_CFG_2C)) /
             (words ? words : 1);
    }
    return min_u32(nr ? nr : 1, COAL_MAX);
}

/* Entries that are written together, at least one. */
static uint32_t group_size(const struct channel *ch, enum sec_group group)
{
    uint32_t beats =
        FIELD_GET(UDMA_M2S_AXI_M2S_DESC_WR_CFG_1_MIN_AXI_BEATS,
                  side_get(ch, group, UDMA_M2S_AXI_M2S_DESC_WR_CFG_1,
                           UDMA_S2M_AXI_S2M_DESC_WR_CFG_1));
    uint32_t bytes = 4 * entry_words(ch, group);
    uint32_t nr;

    if (beats == 0 || bytes == 0) {
        return 1;
    }
    nr = (beats * BEAT_BYTES + bytes - 1) / bytes;
    return min_u32(nr, capacity(ch, group));
}

/* ---- writing ------------------------------------------------------------ */

bool coal_write_slowly(struct channel *ch, struct ring *r, unsigned q,
                       enum axi_stream stream, uint64_t addr,
                       const struct desc *comp)
{
    uint32_t words[16] = { 0 }; /* desc_size is 4 bits of words */
    uint32_t bytes = r->comp_bytes;
    void *host = NULL;
    unsigned answer;

    for (size_t i = 0; i < ARRAY_LEN(comp->w); i++) {
        words[i] = htole32(comp->w[i]);
    }
    if (axi_plain(ch, q)) {
        host = bus_host_hint(ch->bus, &r->comp_hint, addr, bytes);
    }
    if (host) {
        memcpy(host, words, bytes);
        return true;
    }
    answer = axi_write(ch, stream, q, addr, words, bytes);
    return answer == 0 || axi_fault(ch, axi_master(stream), q, answer, comp);
}

/*
 * force_full_line (udma-engine B48): the rest of the line that the last write
 * ended in takes entries with the tag of the lap before, which a reader does
 * not take for new.
 */
static bool pad_line(struct channel *ch, struct ring *r, unsigned q,
                     enum axi_stream stream)
{
    uint32_t words[16] = { htole32(((r->comp.lap + LAP_MASK) & LAP_MASK)
                                   << DESC_RING_ID_SHIFT) };
    uint64_t base = ring_base(r->reg.comp_high, r->reg.comp_low);
    uint64_t off = (uint64_t)r->comp.off * r->comp_bytes;
    uint64_t ring_end = (uint64_t)ring_len(r) * r->comp_bytes;
    unsigned answer = 0;
    uint64_t end;

    if (off == 0 || r->comp_bytes == 0) {
        return true; /* the line ended with the ring */
    }
    end = ((base + off - 1) | (LINE_BYTES - 1)) + 1 - base;
    end = min_u64(end, ring_end);
    for (; !answer && off + r->comp_bytes <= end; off += r->comp_bytes) {
        answer =
            axi_write(ch, stream, q, addr_add(base, off), words, r->comp_bytes);
    }
    return answer == 0 || axi_fault(ch, axi_master(stream), q, answer, NULL);
}

/* A completion comes out; last when no other follows it in this write. */
static bool write_one(struct channel *ch, enum sec_group group, unsigned q,
                      struct held *h, bool last)
{
    enum axi_stream stream = group == SEC_GROUP_M2S ? AXI_TX_CMPL : AXI_RX_CMPL;
    struct side *side = group_side(ch, group);
    struct ring *r = side_ring(side, q);
    bool full_line = *r->reg.cfg & UDMA_M2S_M2S_Q_CFG_FORCE_FULL_LINE_MASK;
    bool written = ring_comp_on(r);
    bool on = true;

    if (group == SEC_GROUP_S2M) {
        r->comp_bytes = 4 * entry_words(ch, group);
    }
    if (written) {
        side->stats.comp_desc++;
        on = coal_write(ch, r, q, stream, &h->comp);
    } else if (channel_head_report(ch)) {
        ring_comp_step(r);
    }
    if (on && written && last && full_line) {
        on = pad_line(ch, r, q, stream);
    }
    if (h->interrupt) {
        udma_gen_completion(ch, group, q);
    }
    return on;
}

static struct held pop(struct coal *c)
{
    struct held h = c->held[c->rd];

    c->rd = (c->rd + 1) % COAL_MAX;
    c->nr--;
    return h;
}

/*
 * Write out all that is held. False when the engine stopped; the rest then
 * stays. A write that lands in our own registers may come back here, and
 * leaves the work to the call that is under way.
 */
static bool flush(struct channel *ch, enum sec_group group, unsigned q)
{
    struct coal *c = &ch->coal[group][q];
    bool on = true;

    if (c->flushing || group_side(ch, group)->state == SIDE_ABORTED) {
        return true;
    }
    c->flushing = true;
    while (c->nr > 0 && on) {
        struct held h = pop(c);

        on = write_one(ch, group, q, &h, c->nr == 0);
    }
    c->flushing = false;
    c->waited = 0;
    if (c->nr == 0) {
        c->rd = 0;
        ch->holding[group] &= ~(1u << q);
    }
    return on;
}

bool coal_add(struct channel *ch, enum sec_group group, unsigned q,
              const struct held *h)
{
    struct coal *c = &ch->coal[group][q];
    bool wait = gathers(group_ring(ch, group, q)) && timer(ch, group, q) > 0;
    bool on = true;

    if (!wait && c->nr == 0) {
        struct held now = *h;

        return write_one(ch, group, q, &now, true);
    }
    if (c->nr == COAL_MAX) { /* an abort has kept them: make room */
        struct held oldest = pop(c);

        on = write_one(ch, group, q, &oldest, true);
    }
    c->held[(c->rd + c->nr++) % COAL_MAX] = *h;
    ch->holding[group] |= 1u << q;
    if (wait && c->nr < group_size(ch, group)) {
        return on;
    }
    return flush(ch, group, q) && on;
}

void coal_reset(struct channel *ch, enum sec_group group, unsigned q)
{
    struct coal *c = &ch->coal[group][q];

    c->rd = 0;
    c->nr = 0;
    c->waited = 0;
    ch->holding[group] &= ~(1u << q);
}

/*
 * A hook: what is written may land in registers, even of another chip, and
 * settle a queue there. Where that goes too deep the completions come out
 * when time passes (hardware.md H263).
 */
void coal_settle(struct channel *ch, enum sec_group group, unsigned q, bool all)
{
    struct pod *pod = ch->chip->pod;
    bool running = pod->running;

    if (ch->coal[group][q].nr > 0 && pod->nested < POD_MAX_NESTING &&
        (all || !gathers(group_ring(ch, group, q)))) {
        pod->running = true; /* what it sets off comes after the hook */
        pod->nested++;
        flush(ch, group, q);
        pod->nested--;
        pod->running = running;
    }
}

/* ---- time --------------------------------------------------------------- */

static uint64_t queue_due(const struct channel *ch, enum sec_group group,
                          unsigned q)
{
    const struct coal *c = &ch->coal[group][q];
    uint32_t wait = timer(ch, group, q);

    if (!gathers(group_ring(ch, group, q)) || c->waited >= wait) {
        return 0;
    }
    return wait - c->waited;
}

/* Queues of one side whose completions time may let out. */
static uint32_t waiting(const struct channel *ch, unsigned group)
{
    const struct side *side =
        group == SEC_GROUP_M2S ? &ch->m2s_side : &ch->s2m_side;

    return side->state == SIDE_ABORTED ? 0 : ch->holding[group];
}

uint64_t coal_due(const struct channel *ch)
{
    uint64_t due = CLOCK_NEVER;

    for (unsigned g = 0; g < ARRAY_LEN(ch->holding); g++) {
        for (uint32_t set = waiting(ch, g); set; set &= set - 1) {
            due = min_u64(due, queue_due(ch, g, (unsigned)__builtin_ctz(set)));
        }
    }
    return due;
}

void coal_pass(struct channel *ch, uint64_t clocks)
{
    for (unsigned g = 0; g < ARRAY_LEN(ch->holding); g++) {
        for (uint32_t set = waiting(ch, g); set; set &= set - 1) {
            struct coal *c = &ch->coal[g][__builtin_ctz(set)];

            c->waited += min_u64(clocks, UINT64_MAX - c->waited);
        }
    }
}

bool coal_expire(struct channel *ch)
{
    bool any = false;

    for (unsigned g = 0; g < ARRAY_LEN(ch->holding); g++) {
        for (uint32_t set = waiting(ch, g); set; set &= set - 1) {
            unsigned q = (unsigned)__builtin_ctz(set);

            /* One of these writes may have reset or stopped the next queue. */
            if ((waiting(ch, g) >> q & 1) && queue_due(ch, g, q) == 0) {
                any = true;
                flush(ch, g, q);
            }
        }
    }
    return any;
}

/* ---- registers ---------------------------------------------------------- */

uint32_t coal_read_status(void *owner, uint32_t idx, uint32_t val)
{
    struct side *side = owner;
    struct channel *ch = side->ch;
    uint32_t nr = ch->coal[side->group][side_picked(side)].nr;
    uint32_t used = nr;

    (void)idx;
    (void)val;
    if (side->group == SEC_GROUP_S2M &&
        (*ch->reg.s2m_comp_cfg_1c & UDMA_S2M_S2M_COMP_CFG_1C_CNT_WORDS_MASK)) {
        used *= entry_words(ch, side->group);
    }
    val = used << UDMA_M2S_M2S_SEL_COMP_FIFO_STATUS_USED_SHIFT;
    if (nr == 0) {
        val |= UDMA_M2S_M2S_SEL_COMP_FIFO_STATUS_EMPTY_MASK;
    } else if (side->group == SEC_GROUP_S2M) {
        val |= 1u << UDMA_S2M_S2M_SEL_COMP_FIFO_STATUS_COAL_ACTIVE_STATE_SHIFT;
    }
    if (nr >= capacity(ch, side->group)) {
        val |= UDMA_M2S_M2S_SEL_COMP_FIFO_STATUS_FULL_MASK;
    }
    return val;
}

/* The head as it is with those that are held (udma-engine B47). */
uint32_t coal_read_internal(void *owner, uint32_t q, uint32_t val)
{
    struct side *side = owner;
    const struct ring *r = side_ring(side, q);
    struct ring_ptr p = r->comp;

    (void)val;
    if (side->ch->coal[side->group][q].nr > 0) {
        ring_ptr_add(&p, side->ch->coal[side->group][q].nr, ring_len(r));
    }
    return ring_ptr_word(p);
}

void coal_write_comp_cfg(void *owner, uint32_t q, uint32_t written,
                         uint32_t old)
{
    struct side *side = owner;

    (void)written;
    (void)old;
    coal_settle(side->ch, side->group, q, false);
}
