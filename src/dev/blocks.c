/* SPDX-License-Identifier: BSD-3-Clause */
#include "dev/blocks.h"

#include <string.h>

#include "dev/bcast.h"
#include "dev/m2s.h"
#include "dev/s2m.h"
#include "dev/udma_gen.h"

struct behaviour {
    const struct hook_list *hooks;
    const struct use_list *uses; /* registers without a hook that count */
};

static const struct behaviour blocks[TRENCH_NR_CHANNEL_BLOCKS] = {
    [TRENCH_BLOCK_UDMA_M2S] = { &m2s_hooks, NULL },
    [TRENCH_BLOCK_UDMA_S2M] = { &s2m_hooks, NULL },
    [TRENCH_BLOCK_UDMA_GEN] = { &udma_gen_hooks, &udma_gen_uses },
    [TRENCH_BLOCK_TDMA_MODEL] = { NULL, &bcast_uses },
};

const struct hook_list *block_hooks(enum trench_block_id id)
{
    static const struct hook_list none;

    return blocks[id].hooks ? blocks[id].hooks : &none;
}

static bool is_at(const struct trench_csr_block *block, size_t reg,
                  uint32_t offset)
{
    const struct trench_csr_reg *r = &block->regs[reg];

    return block->bundles[r->bundle].offset + r->offset == offset;
}

static bool has_behaviour(const struct behaviour *b,
                          const struct trench_csr_block *block, size_t reg)
{
    for (size_t i = 0; b->hooks && i < b->hooks->nr; i++) {
        if (is_at(block, reg, b->hooks->hooks[i].offset)) {
            return true;
        }
    }
    for (size_t i = 0; b->uses && i < b->uses->nr; i++) {
        if (is_at(block, reg, b->uses->offsets[i])) {
            return true;
        }
    }
    return false;
}

static bool is_published(const struct trench_csr_block *block, size_t reg)
{
    const struct trench_csr_reg *r = &block->regs[reg];

    if (strstr(r->tags, "OFFSET_NOT_PUBLISHED")) {
        return false;
    }
    for (unsigned i = 0; i < r->nr_fields; i++) {
        if (strstr(block->fields[r->first_field + i].tags,
                   "POSITION_NOT_PUBLISHED")) {
            return false;
        }
    }
    return true;
}

enum reg_status block_reg_status(enum trench_block_id id,
                                 const struct trench_csr_block *block,
                                 size_t reg)
{
    if (has_behaviour(&blocks[id], block, reg)) {
        return REG_MODELLED;
    }
    return is_published(block, reg) ? REG_STORED : REG_UNKNOWN;
}
