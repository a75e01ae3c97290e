/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Register file: the values of one block of one channel, over a map that all
 * channels share.
 *
 * Access rules are data in the map. Behaviour is a small table of hooks by
 * register, resolved once into a class; a register without a hook is storage.
 * Every access goes through regfile_read() / regfile_write().
 */
#ifndef TRENCH_REGFILE_H
#define TRENCH_REGFILE_H

#include <stdint.h>

#include <trench/csr.h>

/*
 * Called for a read, in place of the stored value. owner is the register
 * file's owner, idx the array index, val the stored value. What it returns is
 * masked with the register's read_mask.
 */
typedef uint32_t (*regfile_read_fn)(void *owner, uint32_t idx, uint32_t val);

/*
 * Called after a write has been stored by the access rules. written is the
 * word as written (so command bits are visible), old the value before.
 */
typedef void (*regfile_write_fn)(void *owner, uint32_t idx, uint32_t written,
                                 uint32_t old);

struct regfile_hook {
    uint32_t offset; /* of array index 0, from a generated header */
    regfile_read_fn read;
    regfile_write_fn write;
};

/* One block with its hooks; immutable once made, shared by all channels. */
struct regfile_class {
    const struct trench_csr_block *block;
    const struct regfile_hook **hook_of_reg; /* nr_regs entries, may be NULL */
    uint32_t *reset;                         /* nr_insts entries */
};

/* A class of storage only. Returns 0 or TRENCH_ERR_NOMEM. */
int regfile_class_init(struct regfile_class *cls,
                       const struct trench_csr_block *block);

/*
 * Add hooks, one a register at most. A hook whose offset holds no register in
 * this generation is skipped: that register does not exist there. hooks is
 * borrowed for the class's life.
 */
void regfile_class_hook(struct regfile_class *cls,
                        const struct regfile_hook *hooks, size_t nr);
void regfile_class_fini(struct regfile_class *cls);

struct regfile {
    const struct regfile_class *cls;
    uint32_t *val; /* nr_insts entries, owned by the caller of regfile_init */
    void *owner;
    uint64_t unknown; /* accesses to offsets that hold no register */
};

/* Bind and reset. val has cls->block->nr_insts entries and stays borrowed. */
void regfile_init(struct regfile *rf, const struct regfile_class *cls,
                  uint32_t *val, void *owner);

/* Load every reset value; hooks do not run. */
void regfile_reset(struct regfile *rf);

/*
 * off is a multiple of 4 inside the block (the bus checks both). An offset
 * without a register reads 0, ignores writes and counts in rf->unknown.
 */
uint32_t regfile_read(struct regfile *rf, uint32_t off);
void regfile_write(struct regfile *rf, uint32_t off, uint32_t val);

/*
 * The stored value behind an offset, for device code: no rules, no hooks.
 * NULL when this generation has no such register.
 */
uint32_t *regfile_at(struct regfile *rf, uint32_t off);

/*
 * The same for reading, to be kept by code that looks often: points to a
 * zero where the generation has no such register.
 */
const uint32_t *regfile_word(const struct regfile *rf, uint32_t off);

/* The stored value, 0 where the generation has no such register. */
static inline uint32_t regfile_get(const struct regfile *rf, uint32_t off)
{
    uint16_t inst = rf->cls->block->word_inst[off / 4];

    return inst ? rf->val[inst - 1] : 0;
}

/* Field of a register word, by its generated name without _MASK / _SHIFT. */
#define FIELD_GET(field, word) (((word)&field##_MASK) >> field##_SHIFT)

#endif /* TRENCH_REGFILE_H */
