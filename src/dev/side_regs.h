/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Register behaviour that M2S and S2M have alike: hooks whose owner is a
 * struct side. The bits that they look at are in the same places on both
 * sides (asserted in side_regs.c).
 */
#ifndef TRENCH_SIDE_REGS_H
#define TRENCH_SIDE_REGS_H

#include "dev/channel.h"

#define ALL_QUEUES 0xFFFFu

/* The ring of a side's queue. */
static inline struct ring *side_ring(struct side *side, unsigned q)
{
    return side->group == SEC_GROUP_M2S ? &side->ch->m2s[q].ring
                                        : &side->ch->s2m[q].ring;
}

/* The channel of a hook's owner. */
static inline struct channel *side_channel(void *owner)
{
    return ((struct side *)owner)->ch;
}

/* The queue that indirect_ctrl picks for the sel_ windows. */
static inline unsigned side_picked(const struct side *side)
{
    return *side->indirect_ctrl % TRENCH_NR_QUEUES;
}

/* Code of a state register's sub-field (udma-engine B1). */
uint32_t side_state_code(struct side *side);

/* q_used and q_full of a status register. */
uint32_t side_queue_status(const struct ring *r);

/* The pointer resets of q_sw_ctrl (udma-engine B18). */
void side_reset_pointers(struct ring *r, uint32_t bits);

void side_write_change_state(void *side, uint32_t idx, uint32_t written,
                             uint32_t old);
void side_write_clear_err_log(void *side, uint32_t idx, uint32_t written,
                              uint32_t old);

/* A setting that the queue, or every queue, may have waited for. */
void side_write_wake_queue(void *side, uint32_t q, uint32_t written,
                           uint32_t old);
void side_write_wake_all(void *side, uint32_t idx, uint32_t written,
                         uint32_t old);

/* The doorbell (udma-engine B19-B23). */
void side_write_tail_inc(void *side, uint32_t q, uint32_t written,
                         uint32_t old);

uint32_t side_read_zero(void *side, uint32_t idx, uint32_t val);
uint32_t side_read_sel_pref(void *side, uint32_t idx, uint32_t val);

/* Ring pointers. */
uint32_t side_read_head(void *side, uint32_t q, uint32_t val);
uint32_t side_read_tail(void *side, uint32_t q, uint32_t val);
uint32_t side_read_cur(void *side, uint32_t q, uint32_t val);
uint32_t side_read_comp(void *side, uint32_t q, uint32_t val);

/*
 * Counters. The low word of the byte counter is read first and freezes the
 * high one (udma-engine B51).
 */
uint32_t side_read_pkt(void *side, uint32_t idx, uint32_t val);
uint32_t side_read_drop_pkt(void *side, uint32_t idx, uint32_t val);
uint32_t side_read_bytes_low(void *side, uint32_t idx, uint32_t val);
uint32_t side_read_bytes_high(void *side, uint32_t idx, uint32_t val);
uint32_t side_read_prefed_desc(void *side, uint32_t idx, uint32_t val);
uint32_t side_read_comp_pkt(void *side, uint32_t idx, uint32_t val);
uint32_t side_read_comp_desc(void *side, uint32_t idx, uint32_t val);
uint32_t side_read_ack_pkts(void *side, uint32_t idx, uint32_t val);

#endif /* TRENCH_SIDE_REGS_H */
