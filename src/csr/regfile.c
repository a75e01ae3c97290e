/* SPDX-License-Identifier: BSD-3-Clause */
/* Register file: one read path and one write path for all registers. */
#include "csr/regfile.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* Index + 1 of the register whose array index 0 is at off; 0 = none. */
static uint32_t first_reg_at(const struct trench_csr_block *block, uint32_t off)
{
    uint16_t inst = 0;

    if (off % 4 == 0 && off < block->size_bytes) {
        inst = block->word_inst[off / 4];
    }
    if (inst == 0 || block->inst_index[inst - 1] != 0) {
        return 0;
    }
    return block->inst_reg[inst - 1] + 1u;
}

int regfile_class_init(struct regfile_class *cls,
                       const struct trench_csr_block *block)
{
    const struct regfile_hook **hook_of_reg;
    uint32_t *reset;

    hook_of_reg = calloc(block->nr_regs, sizeof(*hook_of_reg));
    if (!hook_of_reg) {
        return TRENCH_ERR_NOMEM;
    }
    reset = calloc(block->nr_insts, sizeof(*reset));
    if (!reset) {
        free(hook_of_reg);
        return TRENCH_ERR_NOMEM;
    }

    for (size_t i = 0; i < block->nr_insts; i++) {
        reset[i] = block->regs[block->inst_reg[i]].reset;
    }

    cls->block = block;
    cls->hook_of_reg = hook_of_reg;
    cls->reset = reset;
    return 0;
}

void regfile_class_hook(struct regfile_class *cls,
                        const struct regfile_hook *hooks, size_t nr)
{
    for (size_t i = 0; i < nr; i++) {
        uint32_t reg = first_reg_at(cls->block, hooks[i].offset);

        if (reg > 0) {
            assert(!cls->hook_of_reg[reg - 1]); /* hook tables are ours */
            cls->hook_of_reg[reg - 1] = &hooks[i];
        }
    }
}

void regfile_class_fini(struct regfile_class *cls)
{
    free(cls->hook_of_reg);
    free(cls->reset);
    memset(cls, 0, sizeof(*cls));
}

void regfile_init(struct regfile *rf, const struct regfile_class *cls,
                  uint32_t *val, void *owner)
{
    rf->cls = cls;
    rf->val = val;
    rf->owner = owner;
    rf->unknown = 0;
    regfile_reset(rf);
}

void regfile_reset(struct regfile *rf)
{
    memcpy(rf->val, rf->cls->reset,
           rf->cls->block->nr_insts * sizeof(*rf->val));
}

uint32_t regfile_read(struct regfile *rf, uint32_t off)
{
    const struct trench_csr_block *block = rf->cls->block;
    const struct regfile_hook *hook;
    uint32_t inst, reg, val;

    assert(off % 4 == 0 && off < block->size_bytes); /* the bus checked */
    inst = block->word_inst[off / 4];
    if (inst == 0) {
        rf->unknown++;
        return 0;
    }
    inst--;
    reg = block->inst_reg[inst];
    val = rf->val[inst];
    hook = rf->cls->hook_of_reg[reg];
    if (hook && hook->read) {
        val = hook->read(rf->owner, block->inst_index[inst], val);
    }
    /* Masks stored values too: a WO field may have a reset value. */
    return val & block->regs[reg].read_mask;
}

void regfile_write(struct regfile *rf, uint32_t off, uint32_t val)
{
    const struct trench_csr_block *block = rf->cls->block;
    const struct regfile_hook *hook;
    const struct trench_csr_reg *reg;
    uint32_t inst, old, next;

    assert(off % 4 == 0 && off < block->size_bytes); /* the bus checked */
    inst = block->word_inst[off / 4];
    if (inst == 0) {
        rf->unknown++;
        return;
    }
    inst--;
    reg = &block->regs[block->inst_reg[inst]];
    old = rf->val[inst];

    next = old & ~(reg->write_mask | reg->w0c_mask);
    next |= val & reg->write_mask;
    next |= old & val & reg->w0c_mask;
    rf->val[inst] = next;

    hook = rf->cls->hook_of_reg[block->inst_reg[inst]];
    if (hook && hook->write) {
        hook->write(rf->owner, block->inst_index[inst], val, old);
    }
}

uint32_t *regfile_at(struct regfile *rf, uint32_t off)
{
    uint16_t inst = rf->cls->block->word_inst[off / 4];

    return inst ? &rf->val[inst - 1] : NULL;
}

const uint32_t *regfile_word(const struct regfile *rf, uint32_t off)
{
    static const uint32_t zero;
    uint16_t inst = rf->cls->block->word_inst[off / 4];

    return inst ? &rf->val[inst - 1] : &zero;
}
