/* SPDX-License-Identifier: BSD-3-Clause */
/* What a step writes into the registers of one pair: seed 000 section 1. */
#include <trench/ncfw.h>

#include <assert.h>
#include <string.h>

#include "base/bits.h"
#include "base/le.h"
#include "ncfw/regs.h"

#include "udma_m2s_gen.h"
#include "udma_s2m_gen.h"

#define BASE_ALIGN 64u /* TDRBP_low holds bits 31:6 */

static_assert(UDMA_M2S_M2S_Q_TDRBP_LOW_ADDR_MASK == ~(BASE_ALIGN - 1) &&
                  UDMA_S2M_S2M_Q_RDRBP_LOW_ADDR_MASK == ~(BASE_ALIGN - 1),
              "ring bases");
static_assert(UDMA_M2S_M2S_Q_TDRL_DESCRIPTOR_OFFSET_MASK ==
                  UDMA_S2M_S2M_Q_RDRL_DESCRIPTOR_OFFSET_MASK,
              "ring lengths");

/* In the order in which they are laid out (ncfw-steps 1.6). */
static const struct {
    const char *name;
    enum trench_ncfw_dir dir;
    enum trench_ncfw_reg reg;
} ring_rows[TRENCH_NCFW_RING_WRITES] = {
    { "m2s_low", TRENCH_NCFW_M2S, TRENCH_NCFW_BASE_LOW },
    { "m2s_high", TRENCH_NCFW_M2S, TRENCH_NCFW_BASE_HIGH },
    { "m2s_size", TRENCH_NCFW_M2S, TRENCH_NCFW_LEN },
    { "s2m_low", TRENCH_NCFW_S2M, TRENCH_NCFW_BASE_LOW },
    { "s2m_high", TRENCH_NCFW_S2M, TRENCH_NCFW_BASE_HIGH },
    { "s2m_size", TRENCH_NCFW_S2M, TRENCH_NCFW_LEN },
};

/* The bits of q_sw_ctrl; the one of field only where the register has it. */
static const struct {
    const char *name;
    enum trench_ncfw_dir dir;
    uint32_t queue;
    uint32_t tail;
    const char *field;
    uint32_t field_mask;
} rearm_rows[TRENCH_NCFW_REARM_WRITES] = {
    { "m2s_rearm", TRENCH_NCFW_M2S, UDMA_M2S_M2S_Q_Q_SW_CTRL_RST_Q_MASK,
      UDMA_M2S_M2S_Q_Q_SW_CTRL_RST_TAIL_PTR_MASK, "rst_data_tail_ptr",
      UDMA_M2S_M2S_Q_Q_SW_CTRL_RST_DATA_TAIL_PTR_MASK },
    { "s2m_rearm", TRENCH_NCFW_S2M, UDMA_S2M_S2M_Q_Q_SW_CTRL_RST_Q_MASK,
      UDMA_S2M_S2M_Q_Q_SW_CTRL_RST_TAIL_PTR_MASK, NULL, 0 },
};

static bool ring_is_sound(const struct trench_ncfw_ring *ring)
{
    return ring->base % BASE_ALIGN == 0 && ring->nr_descs > 0 &&
           ring->nr_descs <= UDMA_M2S_M2S_Q_TDRL_DESCRIPTOR_OFFSET_MASK;
}

static uint32_t ring_word(const struct trench_ncfw_ring *ring,
                          enum trench_ncfw_reg reg)
{
    switch (reg) {
    case TRENCH_NCFW_BASE_LOW:
        return (uint32_t)ring->base;
    case TRENCH_NCFW_BASE_HIGH:
        return (uint32_t)(ring->base >> 32);
    default:
        return ring->nr_descs;
    }
}

/* Every queue has the three registers, so only the first is looked up. */
int ncfw_ring_writes(const struct trench_gen *gen, struct ncfw_memo *memo,
                     const struct trench_ncfw_channel *channel,
                     struct trench_ncfw_write *out)
{
    uint64_t base[TRENCH_NCFW_NR_DIRS];

    for (unsigned d = 0; d < TRENCH_NCFW_NR_DIRS; d++) {
        const struct trench_ncfw_where where = { (enum trench_ncfw_dir)d,
                                                 channel->queue,
                                                 TRENCH_NCFW_BASE_LOW };
        int err;

        if (!ring_is_sound(&channel->ring[d])) {
            return TRENCH_ERR_INVAL;
        }
        err = ncfw_unicast(gen, memo, channel->engine, &where, &base[d]);
        if (err) {
            return err;
        }
    }
    for (size_t i = 0; i < ARRAY_LEN(ring_rows); i++) {
        enum trench_ncfw_dir dir = ring_rows[i].dir;

        out[i] = (struct trench_ncfw_write){
            .name = ring_rows[i].name,
            .engine = channel->engine,
            .where = { dir, channel->queue, ring_rows[i].reg },
            .addr = ncfw_beside(base[dir], dir, TRENCH_NCFW_BASE_LOW,
                                ring_rows[i].reg),
            .val = ring_word(&channel->ring[dir], ring_rows[i].reg),
        };
    }
    return 0;
}

int trench_ncfw_ring_writes(const struct trench_gen *gen,
                            const struct trench_ncfw_channel *channel,
                            struct trench_ncfw_write *out)
{
    struct ncfw_memo memo = { 0 };

    return ncfw_ring_writes(gen, &memo, channel, out);
}

static uint32_t rearm_val(const struct trench_gen *gen, size_t row,
                          enum trench_ncfw_rearm rearm)
{
    uint32_t val = rearm_rows[row].tail;

    if (rearm == TRENCH_NCFW_REARM_QUEUE) {
        return rearm_rows[row].queue;
    }
    if (rearm_rows[row].field &&
        ncfw_has_field(gen, rearm_rows[row].dir, rearm_rows[row].field)) {
        val |= rearm_rows[row].field_mask;
    }
    return val;
}

int ncfw_rearm_init(struct ncfw_rearm *out, const struct trench_gen *gen,
                    enum trench_ncfw_rearm rearm)
{
    if ((unsigned)rearm > TRENCH_NCFW_REARM_NONE) {
        return TRENCH_ERR_INVAL;
    }
    out->none = rearm == TRENCH_NCFW_REARM_NONE;
    for (size_t i = 0; i < ARRAY_LEN(rearm_rows); i++) {
        out->val[rearm_rows[i].dir] = rearm_val(gen, i, rearm);
    }
    return 0;
}

int ncfw_rearm_writes(const struct trench_gen *gen, struct ncfw_memo *memo,
                      const struct trench_ncfw_channel *channel,
                      const struct ncfw_rearm *rearm,
                      struct trench_ncfw_write *out)
{
    struct trench_ncfw_write rows[TRENCH_NCFW_REARM_WRITES];
    int err;

    if (rearm->none) {
        return 0;
    }
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        rows[i] = (struct trench_ncfw_write){
            .name = rearm_rows[i].name,
            .engine = channel->engine,
            .where = { rearm_rows[i].dir, channel->queue, TRENCH_NCFW_SW_CTRL },
            .val = rearm->val[rearm_rows[i].dir],
        };
        err = ncfw_unicast(gen, memo, channel->engine, &rows[i].where,
                           &rows[i].addr);
        if (err) {
            return err;
        }
    }
    memcpy(out, rows, sizeof(rows));
    return (int)ARRAY_LEN(rows);
}

int trench_ncfw_rearm_writes(const struct trench_gen *gen,
                             const struct trench_ncfw_channel *channel,
                             enum trench_ncfw_rearm rearm,
                             struct trench_ncfw_write *out)
{
    struct ncfw_memo memo = { 0 };
    struct ncfw_rearm words;
    int err = ncfw_rearm_init(&words, gen, rearm);

    return err ? err : ncfw_rearm_writes(gen, &memo, channel, &words, out);
}

void trench_ncfw_reprogram_info_encode(
    const struct trench_ncfw_reprogram_info *info, void *buf)
{
    uint8_t *b = buf;

    le_put(b, 4, info->m2s_low);
    le_put(b + 4, 4, info->m2s_high);
    le_put(b + 8, 4, info->s2m_low);
    le_put(b + 12, 4, info->s2m_high);
}

void trench_ncfw_reprogram_info_decode(const void *buf,
                                       struct trench_ncfw_reprogram_info *out)
{
    const uint8_t *b = buf;

    out->m2s_low = (uint32_t)le_get(b, 4);
    out->m2s_high = (uint32_t)le_get(b + 4, 4);
    out->s2m_low = (uint32_t)le_get(b + 8, 4);
    out->s2m_high = (uint32_t)le_get(b + 12, 4);
}
