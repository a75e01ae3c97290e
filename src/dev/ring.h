/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * One descriptor ring as the engine sees it: the pointers of udma-engine B15,
 * the prefetch FIFO, and the completion head. M2S and S2M rings differ only
 * in where their registers are and in what they check on a fetched
 * descriptor, which is not done here.
 *
 *     completion head <= current <= head <= tail      (modulo the ring)
 *                      |  FIFO     |  posted  |
 *
 * The order is software's to break: each pointer can be reset alone and the
 * length can change under way. Every step here stays inside the ring and ends
 * for any combination of values.
 */
#ifndef TRENCH_RING_H
#define TRENCH_RING_H

#include <stdbool.h>
#include <stdint.h>

#include "base/desc.h"
#include "bus/bus_priv.h"
#include "csr/regfile.h"

/* A descriptor or completion: four little-endian words (udma-engine 4). */
struct desc {
    uint32_t w[4];
};

/* comp_cfg bit 0, both sides: completions are written to memory. */
#define COMP_CFG_EN 0x1u

/* The prefetch memory of one side, descriptors (feature reg_1). */
#define RING_FIFO_SIZE 1024u

/* What the M2S side found out about a prefetched descriptor. */
enum fifo_mark {
    FIFO_END = 1u << 0, /* ends a packet, or a run that is thrown away */
    FIFO_BAD = 1u << 1, /* with FIFO_END: the run is completed in error */
};

struct fifo_entry {
    struct desc desc;
    uint32_t marks; /* enum fifo_mark */
};

/*
 * base + off; a sum that wraps, or carries out of the 56 address bits into
 * the attributes, is an address where nothing can be.
 */
static inline uint64_t addr_add(uint64_t base, uint64_t off)
{
    uint64_t sum = base + off;

    return sum < base || (sum ^ base) >> 56 ? UINT64_MAX : sum;
}

struct ring_ptr {
    uint32_t off; /* descriptors, 24 bits */
    uint32_t lap; /* 0..3 */
};

/* Block offsets of queue 0's registers; queue q is at + q * stride. */
struct ring_regs {
    uint32_t stride;
    uint32_t pref_cfg;
    uint32_t cfg;
    uint32_t base_low;
    uint32_t base_high;
    uint32_t len;
    uint32_t comp_low;
    uint32_t comp_high;
    uint32_t comp_cfg;
};

/* The words of one queue's registers, found once. */
struct ring_words {
    const uint32_t *pref_cfg;
    const uint32_t *cfg;
    const uint32_t *base_low;
    const uint32_t *base_high;
    const uint32_t *len;
    const uint32_t *comp_low;
    const uint32_t *comp_high;
    const uint32_t *comp_cfg;
};

struct ring {
    struct ring_words reg;
    struct ring_ptr head;    /* next to prefetch */
    struct ring_ptr tail;    /* first not yet given to the engine */
    struct ring_ptr cur;     /* oldest in the FIFO */
    struct ring_ptr comp;    /* next completion */
    uint32_t comp_bytes;     /* of one completion descriptor */
    struct fifo_entry *fifo; /* RING_FIFO_SIZE entries, zero pages at first */
    uint32_t fifo_rd;
    uint32_t fifo_nr;
    uint32_t hint;      /* bus region of the ring memory */
    uint32_t comp_hint; /* bus region of the completion ring */
    bool fetch_failed;  /* the bus refused a fetch; RST_Q clears */
};

/* Descriptors; 24 bits, the register holds no more. */
static inline uint32_t ring_len(const struct ring *r)
{
    return *r->reg.len;
}

static inline uint64_t ring_base(const uint32_t *high, const uint32_t *low)
{
    return (uint64_t)*high << 32 | *low;
}

/* Find the registers of queue q. */
void ring_bind(struct ring *r, const struct regfile *rf,
               const struct ring_regs *regs, unsigned q);

/* The pointer's register word: offset in 23:0, lap in 31:30. */
static inline uint32_t ring_ptr_word(struct ring_ptr p)
{
    return p.off | p.lap << 30;
}

static inline struct ring_ptr ring_ptr_reset(void)
{
    return (struct ring_ptr){ .off = 0, .lap = LAP_START };
}

/*
 * Move one on; the lap steps at the ring's end. An offset that the length was
 * moved below wraps at once.
 */
static inline void ring_ptr_step(struct ring_ptr *p, uint32_t len)
{
    if (++p->off >= len) {
        p->off = 0;
        p->lap = (p->lap + 1) & LAP_MASK;
    }
}

/* A pointer that the length was lowered below: it wraps now. */
static inline void ring_ptr_clamp(struct ring_ptr *p, uint32_t len)
{
    if (p->off >= len && p->off > 0) {
        p->off = 0;
        p->lap = (p->lap + 1) & LAP_MASK;
    }
}

/* Both; most steps stay in the ring, which one comparison finds out. */
static inline void ring_ptr_next(struct ring_ptr *p, uint32_t len)
{
    if (p->off + 1 < len) {
        p->off++;
        return;
    }
    ring_ptr_clamp(p, len);
    ring_ptr_step(p, len);
}

/*
 * Doorbell arithmetic (udma-engine B19). Where n does not fit the ring, the
 * pointer wraps as often as it takes.
 */
void ring_ptr_add(struct ring_ptr *p, uint32_t n, uint32_t len);

/* Descriptors from a to b; equal offsets in different laps are a full ring. */
uint32_t ring_dist(struct ring_ptr a, struct ring_ptr b, uint32_t len);

/* Given to the engine and not yet fetched. */
static inline uint32_t ring_posted(const struct ring *r)
{
    return ring_dist(r->head, r->tail, ring_len(r));
}

/* Completions are written to memory. */
static inline bool ring_comp_on(const struct ring *r)
{
    return *r->reg.comp_cfg & COMP_CFG_EN;
}

/* RST_Q: pointers to the start of lap 1, FIFO empty. */
void ring_reset(struct ring *r);

static inline void ring_fifo_flush(struct ring *r)
{
    r->fifo_rd = 0;
    r->fifo_nr = 0;
}

/* What has been fetched is gone; the pointers agree on what comes next. */
static inline void ring_fifo_drop(struct ring *r)
{
    ring_fifo_flush(r);
    r->cur = r->head;
    r->comp = r->head;
}

static inline struct fifo_entry *ring_fifo_at(struct ring *r, uint32_t i)
{
    return &r->fifo[(r->fifo_rd + i) % RING_FIFO_SIZE];
}

/* Room for entries, by the queue's share of the prefetch memory. */
uint32_t ring_fifo_room(const struct ring *r);

/* Append the descriptor at head, and move head on. */
static inline void ring_fifo_push(struct ring *r, const struct desc *d,
                                  uint32_t marks)
{
    struct fifo_entry *e = ring_fifo_at(r, r->fifo_nr);

    e->desc = *d;
    e->marks = marks;
    r->fifo_nr++;
    ring_ptr_step(&r->head, ring_len(r));
}

/* Drop the oldest entry, and move current on. */
static inline void ring_fifo_pop(struct ring *r)
{
    r->fifo_rd = (r->fifo_rd + 1) % RING_FIFO_SIZE;
    r->fifo_nr--;
    if (r->fifo_nr == 0) {
        r->fifo_rd = 0; /* stay in the part that is in the cache */
    }
    ring_ptr_next(&r->cur, ring_len(r));
}

/* Address of the descriptor at head. */
uint64_t ring_head_addr(struct ring *r);

/*
 * The descriptors at head: a pointer to *n of them in ring order, fewer than
 * asked where the ring wraps. NULL when they are not in one piece of memory.
 */
const struct desc *ring_peek(struct ring *r, struct trench_bus *bus,
                             uint32_t *n);

/* The completion head moves on by one. */
static inline void ring_comp_step(struct ring *r)
{
    ring_ptr_next(&r->comp, ring_len(r));
}

/*
 * The next completion of a ring that writes them: comp gets the lap tag, and
 * the completion head moves on. Returns the address of the entry.
 */
static inline uint64_t ring_comp_next(struct ring *r, struct desc *comp)
{
    uint64_t base = ring_base(r->reg.comp_high, r->reg.comp_low);
    uint64_t addr;

    ring_ptr_clamp(&r->comp, ring_len(r));
    addr = addr_add(base, (uint64_t)r->comp.off * r->comp_bytes);
    comp->w[0] |= r->comp.lap << DESC_RING_ID_SHIFT;
    ring_ptr_step(&r->comp, ring_len(r));
    return addr;
}

#endif /* TRENCH_RING_H */
