/* SPDX-License-Identifier: BSD-3-Clause */
#include "dev/ring.h"

#include <assert.h>
#include <endian.h>
#include <string.h>

#include "base/bits.h"
#include "udma_m2s_gen.h"
#include "udma_s2m_gen.h"

static_assert(COMP_CFG_EN == UDMA_M2S_M2S_Q_COMP_CFG_EN_COMP_RING_UPDATE_MASK &&
                  COMP_CFG_EN ==
                      UDMA_S2M_S2M_Q_COMP_CFG_EN_COMP_RING_UPDATE_MASK,
              "both sides switch the completion ring with one bit");

void ring_ptr_add(struct ring_ptr *p, uint32_t n, uint32_t len)
{
    uint64_t next;

    if (len > 0) {
        ring_ptr_clamp(p, len);
    }
    next = (uint64_t)p->off + n;
    if (len == 0) { /* no ring yet: the pointer just counts, in 24 bits */
        p->off = (uint32_t)next & 0xFFFFFFu;
        return;
    }
    p->lap = (p->lap + (uint32_t)(next / len)) & LAP_MASK;
    p->off = (uint32_t)(next % len);
}

uint32_t ring_dist(struct ring_ptr a, struct ring_ptr b, uint32_t len)
{
    uint32_t from, to;

    if (len == 0) {
        return 0;
    }
    from = a.off % len;
    to = b.off % len;
    if (from == to) {
        return a.lap == b.lap ? 0 : len;
    }
    return to > from ? to - from : to + len - from;
}

void ring_reset(struct ring *r)
{
    r->head = ring_ptr_reset();
    r->tail = ring_ptr_reset();
    r->cur = ring_ptr_reset();
    r->comp = ring_ptr_reset();
    r->fetch_failed = false;
    ring_fifo_flush(r);
}

uint32_t ring_fifo_room(const struct ring *r)
{
    /* The field is the same on both sides. */
    uint32_t depth =
        FIELD_GET(UDMA_M2S_M2S_Q_DESC_PREF_CFG_FIFO_DEPTH, *r->reg.pref_cfg);

    if (depth > RING_FIFO_SIZE) {
        depth = RING_FIFO_SIZE;
    }
    return depth > r->fifo_nr ? depth - r->fifo_nr : 0;
}

uint64_t ring_head_addr(struct ring *r)
{
    ring_ptr_clamp(&r->head, ring_len(r));
    return addr_add(ring_base(r->reg.base_high, r->reg.base_low),
                    (uint64_t)r->head.off * DESC_BYTES);
}

const struct desc *ring_peek(struct ring *r, struct trench_bus *bus,
                             uint32_t *n)
{
    uint64_t addr = ring_head_addr(r);
    uint32_t left = ring_len(r) - r->head.off;

    if (*n > left) {
        *n = left;
    }
    return bus_host_hint(bus, &r->hint, addr, (uint64_t)*n * DESC_BYTES);
}

void ring_bind(struct ring *r, const struct regfile *rf,
               const struct ring_regs *regs, unsigned q)
{
    uint32_t bank = q * regs->stride;

    r->reg = (struct ring_words){
        .pref_cfg = regfile_word(rf, bank + regs->pref_cfg),
        .cfg = regfile_word(rf, bank + regs->cfg),
        .base_low = regfile_word(rf, bank + regs->base_low),
        .base_high = regfile_word(rf, bank + regs->base_high),
        .len = regfile_word(rf, bank + regs->len),
        .comp_low = regfile_word(rf, bank + regs->comp_low),
        .comp_high = regfile_word(rf, bank + regs->comp_high),
        .comp_cfg = regfile_word(rf, bank + regs->comp_cfg),
    };
}
