/* SPDX-License-Identifier: BSD-3-Clause */
/* The words and the record of a broadcast: seed 000 sections 2.3 and 2.4. */
#include <trench/ncfw.h>

#include <assert.h>

#include "base/le.h"
#include "ncfw/regs.h"

#include "udma_m2s_gen.h"
#include "udma_s2m_gen.h"

#define SKIP_SHIFT 16 /* a bit here leaves an engine out */

/* The 0x100 of section 2.3 is the queue reset of both directions. */
#define REARM 0x100u

static_assert(REARM == UDMA_M2S_M2S_Q_Q_SW_CTRL_RST_Q_MASK &&
                  REARM == UDMA_S2M_S2M_Q_Q_SW_CTRL_RST_Q_MASK,
              "re-arm");

int trench_ncfw_lane(uint32_t bitmap, unsigned pcore, uint16_t *out)
{
    if (pcore > 1) {
        return TRENCH_ERR_INVAL;
    }
    *out = (uint16_t)(bitmap >> (pcore * TRENCH_NCFW_LANES));
    return 0;
}

/* Only the 16 engines of the lane count; the rest is shifted out. */
static uint32_t skip_others(uint16_t lane)
{
    return ~(uint32_t)lane << SKIP_SHIFT;
}

int trench_ncfw_rearm_word(uint32_t bitmap, unsigned pcore, uint32_t *out)
{
    uint16_t lane;
    int err = trench_ncfw_lane(bitmap, pcore, &lane);

    if (!err) {
        *out = skip_others(lane) | REARM;
    }
    return err;
}

int trench_ncfw_tail_word(uint16_t lane, uint32_t count, uint32_t *out)
{
    if (count >= TRENCH_NCFW_MAX_COUNT) {
        return TRENCH_ERR_INVAL;
    }
    *out = skip_others(lane) | count;
    return 0;
}

int trench_ncfw_bcast_record(const struct trench_gen *gen,
                             const struct trench_ncfw_group *group,
                             struct trench_ncfw_bcast *out)
{
    const struct trench_ncfw_where m2s = { TRENCH_NCFW_M2S, group->queue,
                                           group->data_tail
                                               ? TRENCH_NCFW_DATA_TAIL_INC
                                               : TRENCH_NCFW_TAIL_INC };
    const struct trench_ncfw_where s2m = { TRENCH_NCFW_S2M, group->queue,
                                           TRENCH_NCFW_TAIL_INC };
    uint32_t m2s_offset;
    uint32_t s2m_offset;
    uint64_t base;
    int err;

    err = ncfw_bcast_offset(gen, &m2s, &m2s_offset);
    if (!err) {
        err = ncfw_bcast_offset(gen, &s2m, &s2m_offset);
    }
    if (!err) {
        err = trench_ncfw_region(gen, group->region, &base);
    }
    if (err) {
        return err;
    }
    *out = (struct trench_ncfw_bcast){
        .m2s_tail_ptr = base + m2s_offset,
        .s2m_tail_ptr = base + s2m_offset,
        .mask = skip_others(group->lane) >> SKIP_SHIFT,
    };
    return 0;
}

void trench_ncfw_bcast_encode(const struct trench_ncfw_bcast *rec, void *buf)
{
    uint8_t *b = buf;

    le_put(b, 8, rec->m2s_tail_ptr);
    le_put(b + 8, 8, rec->s2m_tail_ptr);
    le_put(b + 16, 4, rec->mask);
}

void trench_ncfw_bcast_decode(const void *buf, struct trench_ncfw_bcast *out)
{
    const uint8_t *b = buf;

    out->m2s_tail_ptr = le_get(b, 8);
    out->s2m_tail_ptr = le_get(b + 8, 8);
    out->mask = (uint32_t)le_get(b + 16, 4);
}

int trench_ncfw_bells(const struct trench_ncfw_bcast *rec, uint32_t m2s_val,
                      uint32_t s2m_val, struct trench_ncfw_bell *out)
{
    uint16_t lane = (uint16_t)~rec->mask;
    uint32_t m2s;
    uint32_t s2m;

    if (trench_ncfw_tail_word(lane, m2s_val, &m2s) ||
        trench_ncfw_tail_word(lane, s2m_val, &s2m)) {
        return TRENCH_ERR_INVAL;
    }
    /* Buffers before packets (ncfw-steps 1.1). */
    out[0] =
        (struct trench_ncfw_bell){ TRENCH_NCFW_S2M, rec->s2m_tail_ptr, s2m };
    out[1] =
        (struct trench_ncfw_bell){ TRENCH_NCFW_M2S, rec->m2s_tail_ptr, m2s };
    return 0;
}
