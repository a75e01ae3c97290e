/* SPDX-License-Identifier: BSD-3-Clause */
/* Descriptors and template addresses: ncfw-steps 1.1 and 1.2. */
#include <trench/pring.h>

#include "base/bits.h"
#include "base/desc.h"
#include "ncfw/vring.h"

#define VAR_SHIFT 36

/* What a barrier adds to the two descriptors. */
static const struct {
    uint32_t tx_ctrl;
    uint32_t tx_meta;
    uint32_t rx_ctrl;
} barriers[] = {
    [TRENCH_BARRIER_NONE] = { 0, META_COPY, 0 },
    [TRENCH_BARRIER_DMB] = { DESC_DMB, META_COPY, 0 },
    [TRENCH_BARRIER_WRITE] = { 0, META_COPY_BARRIER, 0 },
    [TRENCH_BARRIER_STRONG_ORDER_WR] = { 0, META_COPY, DESC_STRONG_ORDER_WR },
};

bool desc_is_possible(const struct trench_copy *copy)
{
    return copy->len_bytes > 0 && copy->len_bytes <= TRENCH_HAL_DESC_BYTES &&
           (unsigned)copy->barrier < ARRAY_LEN(barriers);
}

int trench_desc_copy(const struct trench_copy *copy, struct trench_desc *out)
{
    uint32_t len = copy->len_bytes & DESC_LEN_MASK; /* 65,536 is 0 */

    if (!desc_is_possible(copy)) {
        return TRENCH_ERR_INVAL;
    }
    out[TRENCH_NCFW_M2S] = (struct trench_desc){
        .len_ctrl =
            len | DESC_FIRST | DESC_LAST | barriers[copy->barrier].tx_ctrl,
        .meta_ctrl = barriers[copy->barrier].tx_meta,
        .buf = copy->src,
    };
    out[TRENCH_NCFW_S2M] = (struct trench_desc){
        .len_ctrl = len | barriers[copy->barrier].rx_ctrl,
        .buf = copy->dst,
    };
    return 0;
}

uint64_t trench_template_addr(uint32_t var, uint64_t offset)
{
    if (var >= TRENCH_TEMPLATE_VARS || offset >= TRENCH_TEMPLATE_BYTES) {
        return 0;
    }
    return TEMPLATE_BIT | (uint64_t)var << VAR_SHIFT | offset;
}

bool trench_is_template(uint64_t addr)
{
    return is_template(addr);
}

int trench_template_resolve(uint64_t addr, const uint64_t *vars, size_t nr_vars,
                            uint64_t *out)
{
    uint32_t var = (addr >> VAR_SHIFT) & (TRENCH_TEMPLATE_VARS - 1);
    uint64_t offset = addr & (TRENCH_TEMPLATE_BYTES - 1);

    if (!is_template(addr)) {
        *out = addr;
        return 0;
    }
    if (addr != trench_template_addr(var, offset)) {
        return TRENCH_ERR_INVAL;
    }
    if (var >= nr_vars) {
        return TRENCH_ERR_NOENT;
    }
    if (vars[var] > UINT64_MAX - offset) {
        return TRENCH_ERR_INVAL;
    }
    *out = vars[var] + offset;
    return 0;
}
