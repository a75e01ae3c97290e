/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What csrgen puts into the library: csr_tables_gen.c defines the two symbols
 * below from regs/manifest.json, csr.c reads them.
 */
#ifndef TRENCH_CSR_BUILTIN_H
#define TRENCH_CSR_BUILTIN_H

#include <stddef.h>

#include <trench/csr.h>

/* Manifest names by enum trench_block_id; csrgen and csr.c share this list. */
#define CSR_BLOCK_NAMES                                                        \
    {                                                                          \
        [TRENCH_BLOCK_UDMA_M2S] = "udma_m2s",                                  \
        [TRENCH_BLOCK_UDMA_S2M] = "udma_s2m",                                  \
        [TRENCH_BLOCK_UDMA_GEN] = "udma_gen",                                  \
        [TRENCH_BLOCK_UDMA_GEN_EX] = "udma_gen_ex",                            \
        [TRENCH_BLOCK_TDMA_MODEL] = "tdma_model",                              \
        [TRENCH_BLOCK_IOFIC] = "iofic",                                        \
    }

/* The maps of one generation; blocks shared with others are shared here. */
struct csr_builtin_gen {
    const char *name;
    const struct trench_csr_block *blocks[TRENCH_NR_BLOCKS]; /* or NULL */
};

extern const struct csr_builtin_gen csr_builtin_gens[];
extern const size_t csr_nr_builtin_gens;

#endif /* TRENCH_CSR_BUILTIN_H */
