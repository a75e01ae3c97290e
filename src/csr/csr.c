/* SPDX-License-Identifier: BSD-3-Clause */
/* Register maps that are compiled in, and names of registers by address. */
#include <trench/csr.h>

#include <stdbool.h>
#include <stdio.h>
#include <strings.h>

#include "csr/builtin.h"

static const char *const block_names[TRENCH_NR_BLOCKS] = CSR_BLOCK_NAMES;

/* A caller's enum may hold anything, and its sign is the compiler's choice. */
static bool id_is_valid(enum trench_block_id id)
{
    return (unsigned)id < TRENCH_NR_BLOCKS;
}

const char *trench_csr_block_name(enum trench_block_id id)
{
    return id_is_valid(id) ? block_names[id] : NULL;
}

const struct trench_csr_block *trench_csr_builtin(const char *gen_name,
                                                  enum trench_block_id id)
{
    if (!gen_name || !id_is_valid(id)) {
        return NULL;
    }
    for (size_t i = 0; i < csr_nr_builtin_gens; i++) {
        if (strcasecmp(csr_builtin_gens[i].name, gen_name) == 0) {
            return csr_builtin_gens[i].blocks[id];
        }
    }
    return NULL;
}

int trench_csr_name_at(const struct trench_csr_block *block, uint32_t offset,
                       char *buf, size_t size)
{
    const struct trench_csr_bundle *bundle;
    const struct trench_csr_reg *reg;
    uint16_t inst = 0;

    if (offset / 4 < block->size_bytes / 4) {
        inst = block->word_inst[offset / 4];
    }
    if (inst == 0) {
        if (size > 0) {
            buf[0] = '\0';
        }
        return TRENCH_ERR_NOENT;
    }
    inst--;
    reg = &block->regs[block->inst_reg[inst]];
    bundle = &block->bundles[reg->bundle];
    if (bundle->count == 1) {
        return snprintf(buf, size, "%s.%s", bundle->name, reg->name);
    }
    return snprintf(buf, size, "%s[%u].%s", bundle->name,
                    (unsigned)block->inst_index[inst], reg->name);
}
