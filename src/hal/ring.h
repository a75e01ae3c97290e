/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * One ring of one direction, with its completions (udma-engine 5.2, 5.7).
 *
 * Lengths are not powers of two, so a position is an index with the lap tag
 * that belongs to it. Software keeps two of them and counts between them:
 *
 *     done ... in flight ... unpublished ... tail ... free, then the gap
 *
 * Completions are found by the lap tag in completion memory, or, without
 * such memory, by the completion head register.
 */
#ifndef TRENCH_HAL_RING_H
#define TRENCH_HAL_RING_H

#include <stdbool.h>
#include <stdint.h>

#include <trench/hal.h>

enum hal_side_id {
    HAL_TX, /* M2S: reads memory */
    HAL_RX, /* S2M: writes memory */
    HAL_NR_SIDES,
};

/* Registers of queue 0 of a direction; queue q is q * stride further. */
struct hal_side {
    enum hal_side_id id;
    enum trench_block_id block;
    uint32_t stride;
    uint32_t dmb_mask_reg; /* 0 = the direction has none */
    uint32_t cfg_reg;
    uint32_t cfg_enable; /* bits that let the queue run */
    uint32_t sw_ctrl_reg;
    uint32_t sw_ctrl_rst;
    uint32_t base_low_reg;
    uint32_t base_high_reg;
    uint32_t length_reg;
    uint32_t comp_low_reg;
    uint32_t comp_high_reg;
    uint32_t comp_cfg_reg;
    uint32_t comp_cfg_ring; /* write completions, one by one */
    uint32_t tail_inc_reg;
    uint32_t comp_head_reg;
    uint32_t comp_bytes; /* size of a completion */
};

extern const struct hal_side hal_sides[HAL_NR_SIDES];

struct hal_cursor {
    uint32_t idx;
    uint32_t tag;
};

struct hal_ring {
    struct trench_hal_engine *engine;
    const struct hal_side *side;
    unsigned queue;
    uint32_t nr;                /* descriptors */
    struct trench_hal_mem mem;  /* owned */
    struct trench_hal_mem comp; /* owned; cpu NULL = no completion ring */
    struct hal_cursor tail;     /* next descriptor to write */
    struct hal_cursor done;     /* next completion to see */
    uint32_t in_use;            /* written and not retired */
    uint32_t unpublished;       /* written and not rung for */
    uint32_t seen;              /* completions of the oldest packet */
    uint32_t ready;             /* heads say: complete, not yet seen */
    bool error;                 /* one of those seen carries an error */
};

/*
 * Allocate; the first four members are set, the rest is zero. Returns 0, or
 * TRENCH_ERR_NOMEM with nothing left allocated.
 */
int hal_ring_alloc(struct hal_ring *ring, bool with_comp);
void hal_ring_free(struct hal_ring *ring);

/* Disable and reset the queue half. Returns what write32 returned. */
int hal_ring_stop(struct hal_ring *ring);

/*
 * Stop the queue half and start it with an empty ring (5.8.2). Afterwards
 * the software state is that of a new ring even when a write failed.
 */
int hal_ring_start(struct hal_ring *ring);

/* Descriptors that still fit. */
uint32_t hal_ring_space(const struct hal_ring *ring);

struct hal_piece {
    uint64_t addr;
    uint32_t len_bytes; /* 1 .. TRENCH_HAL_DESC_BYTES */
};

/* Write the next descriptor. The caller has checked hal_ring_space(). */
void hal_ring_put(struct hal_ring *ring, const struct hal_piece *piece,
                  uint32_t ctrl, uint32_t meta);

/* Ring the bell for what is unpublished, if anything. */
int hal_ring_publish(struct hal_ring *ring);

/*
 * Bring ring->ready up to date; does nothing with a completion ring. Returns
 * 0, TRENCH_ERR_IO when the head cannot be true, or what read32 returned.
 */
int hal_ring_look(struct hal_ring *ring);

/*
 * Go through completions until the oldest packet has seen nr_descs of them.
 * Returns whether it has.
 */
bool hal_ring_collect(struct hal_ring *ring, uint32_t nr_descs);

/* Free the descriptors of the oldest packet. */
void hal_ring_retire(struct hal_ring *ring, uint32_t nr_descs);

#endif /* TRENCH_HAL_RING_H */
