/* SPDX-License-Identifier: BSD-3-Clause */
#include "dev/blocks.h"

#include <string.h>

#include "base/bits.h"
#include "dev/accel.h"
#include "dev/axi.h"
#include "dev/axi_error.h"
#include "dev/bcast.h"
#include "dev/m2s.h"
#include "dev/s2m.h"
#include "dev/section.h"
#include "dev/tdma.h"
#include "dev/udma_gen.h"

/* Who gives registers behaviour; several may do so for one block. */
static const struct hook_list *const hook_lists[] = {
    &m2s_hooks,        &s2m_hooks,       &udma_gen_hooks, &axi_gen_hooks,
    &axi_gen_ex_hooks, &axi_error_hooks, &section_hooks,  &accel_hooks,
    &tdma_hooks,       &notific_hooks,
};

/* Who uses registers that have no hook. */
static const struct use_list *const use_lists[] = {
    &udma_gen_uses, &bcast_uses,     &axi_gen_uses, &axi_gen_ex_uses,
    &section_uses,  &axi_error_uses, &accel_uses,   &tdma_uses,
};

int block_class_init(struct regfile_class *cls, enum trench_block_id id,
                     const struct trench_csr_block *block)
{
    int err = regfile_class_init(cls, block);

    for (size_t i = 0; i < ARRAY_LEN(hook_lists) && !err; i++) {
        if (hook_lists[i]->block == id) {
            regfile_class_hook(cls, hook_lists[i]->hooks, hook_lists[i]->nr);
        }
    }
    return err;
}

static bool is_at(const struct trench_csr_block *block, size_t reg,
                  uint32_t offset)
{
    const struct trench_csr_reg *r = &block->regs[reg];

    return block->bundles[r->bundle].offset + r->offset == offset;
}

static bool has_behaviour(enum trench_block_id id,
                          const struct trench_csr_block *block, size_t reg)
{
    for (size_t i = 0; i < ARRAY_LEN(hook_lists); i++) {
        const struct hook_list *list = hook_lists[i];

        for (size_t n = 0; list->block == id && n < list->nr; n++) {
            if (is_at(block, reg, list->hooks[n].offset)) {
                return true;
            }
        }
    }
    for (size_t i = 0; i < ARRAY_LEN(use_lists); i++) {
        const struct use_list *list = use_lists[i];

        for (size_t n = 0; list->block == id && n < list->nr; n++) {
            if (is_at(block, reg, list->offsets[n])) {
                return true;
            }
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
    if (has_behaviour(id, block, reg)) {
        return REG_MODELLED;
    }
    return is_published(block, reg) ? REG_STORED : REG_UNKNOWN;
}
