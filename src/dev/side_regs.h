/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Read hooks that M2S and S2M have alike. Each macro defines static functions
 * for the file that uses it.
 */
#ifndef TRENCH_SIDE_REGS_H
#define TRENCH_SIDE_REGS_H

#include "dev/channel.h"
#include "udma_m2s_gen.h"

/* A prefetch FIFO status word: used, empty, full. */
static inline uint32_t side_fifo_status(const struct ring *r)
{
    return r->fifo_nr << UDMA_M2S_M2S_SEL_PREF_FIFO_STATUS_USED_SHIFT |
           (r->fifo_nr == 0 ? UDMA_M2S_M2S_SEL_PREF_FIFO_STATUS_EMPTY_MASK
                            : 0) |
           (ring_fifo_room(r) == 0 ? UDMA_M2S_M2S_SEL_PREF_FIFO_STATUS_FULL_MASK
                                   : 0);
}

#define SIDE_READ(name, expr)                                                  \
    static uint32_t name(void *owner, uint32_t q, uint32_t val)                \
    {                                                                          \
        struct channel *ch = owner;                                            \
                                                                               \
        (void)q;                                                               \
        (void)val;                                                             \
        return expr;                                                           \
    }

/* The ring pointers of a queue; queues is m2s or s2m. */
#define SIDE_RING_READS(queues)                                                \
    SIDE_READ(read_head, ring_ptr_word(ch->queues[q].ring.head))               \
    SIDE_READ(read_tail, ring_ptr_word(ch->queues[q].ring.tail))               \
    SIDE_READ(read_cur, ring_ptr_word(ch->queues[q].ring.cur))                 \
    SIDE_READ(read_comp, ring_ptr_word(ch->queues[q].ring.comp))

/*
 * The counters; side is m2s_side or s2m_side. The low word of the byte
 * counter is read first and freezes the high one (udma-engine B51).
 */
#define SIDE_STAT_READS(side)                                                  \
    SIDE_READ(read_prefed_desc, (uint32_t)ch->side.stats.prefed_desc)          \
    SIDE_READ(read_comp_pkt, (uint32_t)ch->side.stats.comp_pkt)                \
    SIDE_READ(read_comp_desc, (uint32_t)ch->side.stats.comp_desc)              \
    SIDE_READ(read_ack_pkts, (uint32_t)ch->side.stats.ack_pkts)                \
    SIDE_READ(read_bytes_high, (uint32_t)ch->side.stats.bytes_high_shown)      \
    SIDE_READ(read_bytes_low,                                                  \
              (ch->side.stats.bytes_high_shown = ch->side.stats.bytes >> 32,   \
               (uint32_t)ch->side.stats.bytes))

#endif /* TRENCH_SIDE_REGS_H */
