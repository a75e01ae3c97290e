/* SPDX-License-Identifier: BSD-3-Clause */
/* Rings: udma-engine 4.4 (tags), 5.2, 5.3, 5.7 and 5.8.2. */
#include "hal/ring.h"

#include <assert.h>
#include <endian.h>
#include <stdatomic.h>
#include <string.h>

#include "base/bits.h"
#include "base/desc.h"
#include "hal/hal_priv.h"

#include "udma_m2s_gen.h"
#include "udma_s2m_gen.h"

#define COMP_RX_BYTES 16u /* cfg_1c.desc_size = 4 words */

/* Start and end of a ring, for the sake of 256-byte prefetch bursts (B13). */
#define RING_ALIGN 256u

const struct hal_side hal_sides[HAL_NR_SIDES] = {
    [HAL_TX] = {
        .id = HAL_TX,
        .block = TRENCH_BLOCK_UDMA_M2S,
        .stride = UDMA_M2S_M2S_Q_CFG(1) - UDMA_M2S_M2S_Q_CFG(0),
        .dmb_mask_reg = UDMA_M2S_M2S_Q_RATE_LIMIT_MASK(0),
        .cfg_reg = UDMA_M2S_M2S_Q_CFG(0),
        .cfg_enable = UDMA_M2S_M2S_Q_CFG_EN_PREF_MASK |
                      UDMA_M2S_M2S_Q_CFG_EN_SCHEDULING_MASK,
        .sw_ctrl_reg = UDMA_M2S_M2S_Q_Q_SW_CTRL(0),
        .sw_ctrl_rst = UDMA_M2S_M2S_Q_Q_SW_CTRL_RST_Q_MASK,
        .base_low_reg = UDMA_M2S_M2S_Q_TDRBP_LOW(0),
        .base_high_reg = UDMA_M2S_M2S_Q_TDRBP_HIGH(0),
        .length_reg = UDMA_M2S_M2S_Q_TDRL(0),
        .comp_low_reg = UDMA_M2S_M2S_Q_TCRBP_LOW(0),
        .comp_high_reg = UDMA_M2S_M2S_Q_TCRBP_HIGH(0),
        .comp_cfg_reg = UDMA_M2S_M2S_Q_COMP_CFG(0),
        .comp_cfg_ring = UDMA_M2S_M2S_Q_COMP_CFG_EN_COMP_RING_UPDATE_MASK |
                         UDMA_M2S_M2S_Q_COMP_CFG_DIS_COMP_COAL_MASK,
        .tail_inc_reg = UDMA_M2S_M2S_Q_TDRTP_INC(0),
        .comp_head_reg = UDMA_M2S_M2S_Q_TCRHP(0),
        .comp_bytes = COMP_M2S_BYTES,
    },
    [HAL_RX] = {
        .id = HAL_RX,
        .block = TRENCH_BLOCK_UDMA_S2M,
        .stride = UDMA_S2M_S2M_Q_CFG(1) - UDMA_S2M_S2M_Q_CFG(0),
        .cfg_reg = UDMA_S2M_S2M_Q_CFG(0),
        .cfg_enable = UDMA_S2M_S2M_Q_CFG_EN_PREF_MASK |
                      UDMA_S2M_S2M_Q_CFG_EN_STREAM_MASK,
        .sw_ctrl_reg = UDMA_S2M_S2M_Q_Q_SW_CTRL(0),
        .sw_ctrl_rst = UDMA_S2M_S2M_Q_Q_SW_CTRL_RST_Q_MASK,
        .base_low_reg = UDMA_S2M_S2M_Q_RDRBP_LOW(0),
        .base_high_reg = UDMA_S2M_S2M_Q_RDRBP_HIGH(0),
        .length_reg = UDMA_S2M_S2M_Q_RDRL(0),
        .comp_low_reg = UDMA_S2M_S2M_Q_RCRBP_LOW(0),
        .comp_high_reg = UDMA_S2M_S2M_Q_RCRBP_HIGH(0),
        .comp_cfg_reg = UDMA_S2M_S2M_Q_COMP_CFG(0),
        .comp_cfg_ring = UDMA_S2M_S2M_Q_COMP_CFG_EN_COMP_RING_UPDATE_MASK |
                         UDMA_S2M_S2M_Q_COMP_CFG_DIS_COMP_COAL_MASK,
        .tail_inc_reg = UDMA_S2M_S2M_Q_RDRTP_INC(0),
        .comp_head_reg = UDMA_S2M_S2M_Q_RCRHP(0),
        .comp_bytes = COMP_RX_BYTES,
    },
};

/* Both directions lay out their completion heads alike. */
static_assert(UDMA_M2S_M2S_Q_TCRHP_OFFSET_MASK ==
                  UDMA_S2M_S2M_Q_RCRHP_OFFSET_MASK,
              "head offset");
static_assert(UDMA_M2S_M2S_Q_TCRHP_RING_ID_SHIFT ==
                  UDMA_S2M_S2M_Q_RCRHP_RING_ID_SHIFT,
              "head ring id");

struct reg_val {
    uint32_t reg; /* of queue 0 */
    uint32_t val;
};

static int write_regs(struct hal_ring *ring, const struct reg_val *regs,
                      size_t nr_regs)
{
    uint32_t bank = ring->queue * ring->side->stride;
    int err;

    for (size_t i = 0; i < nr_regs; i++) {
        err = hal_write(ring->engine, ring->side->block, bank + regs[i].reg,
                        regs[i].val);
        if (err) {
            return err;
        }
    }
    return 0;
}

static void cursor_step(struct hal_cursor *cur, uint32_t nr)
{
    cur->idx++;
    if (cur->idx == nr) {
        cur->idx = 0;
        cur->tag = (cur->tag + 1) & LAP_MASK;
    }
}

static int alloc_aligned(struct hal_ring *ring, size_t size_bytes,
                         struct trench_hal_mem *out)
{
    const struct trench_hal_ops *ops = ring->engine->ops;
    struct trench_hal_mem mem = { 0 };
    int err;

    err = ops->mem_alloc(ring->engine->opaque, size_bytes, RING_ALIGN, &mem);
    if (err) {
        return err;
    }
    if (mem.dma % RING_ALIGN != 0) {
        ops->mem_free(ring->engine->opaque, &mem);
        return TRENCH_ERR_NOMEM;
    }
    *out = mem;
    return 0;
}

static void free_mem(struct hal_ring *ring, struct trench_hal_mem *mem)
{
    if (mem->cpu) {
        ring->engine->ops->mem_free(ring->engine->opaque, mem);
        mem->cpu = NULL;
    }
}

int hal_ring_alloc(struct hal_ring *ring, bool with_comp)
{
    size_t nr = ring->nr;
    int err;

    err = alloc_aligned(ring, nr * DESC_BYTES, &ring->mem);
    if (err || !with_comp) {
        return err;
    }
    err = alloc_aligned(ring, nr * ring->side->comp_bytes, &ring->comp);
    if (err) {
        free_mem(ring, &ring->mem);
    }
    return err;
}

void hal_ring_free(struct hal_ring *ring)
{
    free_mem(ring, &ring->comp);
    free_mem(ring, &ring->mem);
}

int hal_ring_stop(struct hal_ring *ring)
{
    const struct hal_side *side = ring->side;
    uint32_t *cfg = &ring->engine->cfg_shadow[side->id][ring->queue];

    *cfg &= ~side->cfg_enable;
    return write_regs(ring,
                      (const struct reg_val[]){
                          { side->cfg_reg, *cfg },
                          { side->sw_ctrl_reg, side->sw_ctrl_rst },
                      },
                      2);
}

/* The hardware no longer writes completions: start their laps anew. */
static void forget(struct hal_ring *ring)
{
    if (ring->comp.cpu) {
        memset(ring->comp.cpu, 0, (size_t)ring->nr * ring->side->comp_bytes);
    }
    ring->tail = (struct hal_cursor){ 0, LAP_START };
    ring->done = ring->tail;
    ring->in_use = 0;
    ring->unpublished = 0;
    ring->seen = 0;
    ring->ready = 0;
    ring->error = false;
}

static int place(struct hal_ring *ring)
{
    const struct hal_side *side = ring->side;
    const struct reg_val regs[] = {
        { side->base_low_reg, (uint32_t)ring->mem.dma },
        { side->base_high_reg, (uint32_t)(ring->mem.dma >> 32) },
        { side->length_reg, ring->nr },
        { side->comp_low_reg, (uint32_t)ring->comp.dma },
        { side->comp_high_reg, (uint32_t)(ring->comp.dma >> 32) },
    };

    return write_regs(ring, regs, ring->comp.cpu ? ARRAY_LEN(regs) : 3);
}

static int run(struct hal_ring *ring)
{
    const struct hal_side *side = ring->side;
    uint32_t *cfg = &ring->engine->cfg_shadow[side->id][ring->queue];

    *cfg |= side->cfg_enable;
    return write_regs(
        ring,
        (const struct reg_val[]){
            { side->comp_cfg_reg, ring->comp.cpu ? side->comp_cfg_ring : 0 },
            { side->cfg_reg, *cfg },
        },
        2);
}

int hal_ring_start(struct hal_ring *ring)
{
    /* Unmasks the pause of DMB, which is inert after reset (B35). */
    const struct reg_val unmask_dmb = {
        ring->side->dmb_mask_reg,
        UDMA_M2S_M2S_Q_RATE_LIMIT_MASK_EXTERNAL_RATE_LIMITER_MASK |
            UDMA_M2S_M2S_Q_RATE_LIMIT_MASK_INTERNAL_RATE_LIMITER_MASK,
    };
    int err = 0;

    if (ring->side->dmb_mask_reg) {
        err = write_regs(ring, &unmask_dmb, 1);
    }
    if (!err) {
        err = hal_ring_stop(ring);
    }
    forget(ring);
    if (!err) {
        err = place(ring);
    }
    if (!err) {
        err = run(ring);
    }
    return err;
}

uint32_t hal_ring_space(const struct hal_ring *ring)
{
    return ring->nr - TRENCH_HAL_RING_GAP - ring->in_use;
}

void hal_ring_put(struct hal_ring *ring, const struct hal_piece *piece,
                  uint32_t ctrl, uint32_t meta)
{
    uint32_t words[DESC_BYTES / sizeof(uint32_t)];
    char *slot = (char *)ring->mem.cpu + (size_t)ring->tail.idx * DESC_BYTES;

    assert(hal_ring_space(ring) > 0);
    assert(piece->len_bytes >= 1 && piece->len_bytes <= TRENCH_HAL_DESC_BYTES);
    words[0] = htole32(ctrl | ring->tail.tag << DESC_RING_ID_SHIFT |
                       (piece->len_bytes & DESC_LEN_MASK));
    words[1] = htole32(meta);
    words[2] = htole32((uint32_t)piece->addr);
    words[3] = htole32((uint32_t)(piece->addr >> 32));
    memcpy(slot, words, sizeof(words));

    cursor_step(&ring->tail, ring->nr);
    ring->in_use++;
    ring->unpublished++;
}

int hal_ring_publish(struct hal_ring *ring)
{
    const struct reg_val bell = { ring->side->tail_inc_reg, ring->unpublished };
    int err;

    if (ring->unpublished == 0) {
        return 0; /* 0 is never written (B21) */
    }
    /* Descriptors must be in memory before the bell makes them read (B22). */
    atomic_thread_fence(memory_order_seq_cst);
    err = write_regs(ring, &bell, 1);
    if (!err) {
        ring->unpublished = 0;
    }
    return err;
}

int hal_ring_look(struct hal_ring *ring)
{
    uint32_t bank = ring->queue * ring->side->stride;
    uint32_t head, idx, tag, lap, ahead;
    int err;

    if (ring->comp.cpu) {
        return 0;
    }
    err = hal_read(ring->engine, ring->side->block,
                   bank + ring->side->comp_head_reg, &head);
    if (err) {
        return err;
    }
    /* Data of what the head covers must not be read ahead of the head. */
    atomic_thread_fence(memory_order_acquire);

    idx = head & UDMA_M2S_M2S_Q_TCRHP_OFFSET_MASK;
    tag = head >> UDMA_M2S_M2S_Q_TCRHP_RING_ID_SHIFT & LAP_MASK;
    lap = idx < ring->done.idx;
    ahead = idx + lap * ring->nr - ring->done.idx;
    if (idx >= ring->nr || tag != ((ring->done.tag + lap) & LAP_MASK) ||
        ahead > ring->in_use - ring->unpublished - ring->seen) {
        return TRENCH_ERR_IO;
    }
    ring->ready = ahead;
    return 0;
}

/* Whether the next completion has arrived, by its tag (B50). */
static bool comp_arrived(struct hal_ring *ring)
{
    char *comp = (char *)ring->comp.cpu +
                 (size_t)ring->done.idx * ring->side->comp_bytes;
    uint32_t word;

    /* The data of the packet must not be read ahead of its tag. */
    word = le32toh(atomic_load_explicit((_Atomic uint32_t *)(void *)comp,
                                        memory_order_acquire));
    if ((word >> DESC_RING_ID_SHIFT & LAP_MASK) != ring->done.tag) {
        return false;
    }
    ring->error = ring->error || (word & COMP_ERROR);
    return true;
}

bool hal_ring_collect(struct hal_ring *ring, uint32_t nr_descs)
{
    while (ring->seen < nr_descs) {
        if (ring->comp.cpu) {
            if (!comp_arrived(ring)) {
                return false;
            }
        } else {
            if (ring->ready == 0) {
                return false;
            }
            ring->ready--;
        }
        cursor_step(&ring->done, ring->nr);
        ring->seen++;
    }
    return true;
}

void hal_ring_retire(struct hal_ring *ring, uint32_t nr_descs)
{
    assert(ring->seen == nr_descs && ring->in_use >= nr_descs);
    ring->in_use -= nr_descs;
    ring->seen = 0;
}
