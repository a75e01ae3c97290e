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

/* Where word 1 has the two types (common-blocks 3.4.3, H235). */
static uint32_t reduce_types(const struct trench_reduce *r)
{
    unsigned shift = r->op == TRENCH_CCE_ADD ? 12 : 8;

    return (uint32_t)r->type << shift | (uint32_t)r->out_type << 16;
}

static bool reduce_is_valid(const struct trench_reduce *r)
{
    static const bool ops[] = {
        [TRENCH_CCE_ADD] = true,
        [TRENCH_CCE_MAX] = true,
        [TRENCH_CCE_MIN] = true,
    };
    unsigned bytes = trench_dtype_bytes(r->type);
    unsigned out_bytes = trench_dtype_bytes(r->out_type);

    return (unsigned)r->op < ARRAY_LEN(ops) && ops[r->op] && r->srcs &&
           r->nr_srcs > 0 && r->nr_srcs <= TRENCH_CCE_MAX_SOURCES &&
           bytes > 0 && out_bytes > 0 && r->elems > 0 &&
           r->elems <= TRENCH_HAL_DESC_BYTES / bytes &&
           r->elems <= TRENCH_HAL_DESC_BYTES / out_bytes;
}

int trench_desc_reduce(const struct trench_reduce *reduce,
                       struct trench_desc *tx, struct trench_desc *rx)
{
    unsigned last = reduce->nr_srcs - 1;
    uint32_t len;
    uint32_t out_len;

    if (!reduce_is_valid(reduce)) {
        return TRENCH_ERR_INVAL;
    }
    len = reduce->elems * trench_dtype_bytes(reduce->type);
    out_len = reduce->elems * trench_dtype_bytes(reduce->out_type);
    for (unsigned i = 0; i <= last; i++) {
        tx[i] = (struct trench_desc){
            .len_ctrl = (len & DESC_LEN_MASK) | (i == 0 ? DESC_FIRST : 0) |
                        (i == last ? DESC_LAST : 0),
            .meta_ctrl =
                META_SSMAE_OP_CCE | (uint32_t)reduce->op << META_OP_TYPE_SHIFT |
                reduce_types(reduce) | (i == 0 ? META_BLOCK_FIRST : 0) |
                (i == last ? META_BLOCK_LAST : 0),
            .buf = reduce->srcs[i],
        };
    }
    *rx = (struct trench_desc){
        .len_ctrl = out_len & DESC_LEN_MASK,
        .buf = reduce->dst,
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
