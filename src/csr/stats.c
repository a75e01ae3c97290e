/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Counts of maps, and the counts that others have published: the proof that
 * nothing has been left out, or the measure of what has.
 */
#include <trench/csr.h>

#include <string.h>
#include <strings.h>

#include "base/bits.h"

void trench_csr_count(const struct trench_csr_block *block,
                      struct trench_csr_counts *out)
{
    int *nr = out->nr;

    memset(out, 0, sizeof(*out));
    nr[TRENCH_CSR_NR_BUNDLES] = block->nr_bundles;
    nr[TRENCH_CSR_NR_REGS] = block->nr_regs;
    nr[TRENCH_CSR_NR_FIELDS] = block->nr_fields;
    nr[TRENCH_CSR_NR_INSTS] = block->nr_insts;
    for (size_t i = 0; i < block->nr_regs; i++) {
        uint8_t access = block->regs[i].access;

        nr[TRENCH_CSR_NR_REG_RO] += access == TRENCH_CSR_RO;
        nr[TRENCH_CSR_NR_REG_RW] += access == TRENCH_CSR_RW;
        nr[TRENCH_CSR_NR_REG_WO] += access == TRENCH_CSR_WO;
    }
    for (size_t i = 0; i < block->nr_fields; i++) {
        uint8_t access = block->fields[i].access;

        nr[TRENCH_CSR_NR_FIELD_RO] += access == TRENCH_CSR_RO;
        nr[TRENCH_CSR_NR_FIELD_RW] += access == TRENCH_CSR_RW;
        nr[TRENCH_CSR_NR_FIELD_WO] += access == TRENCH_CSR_WO;
    }
}

#define SEED_1  "seed 002 section 1"
#define SEED_6  "seed 002 section 6"
#define FACT_53 "common-blocks 5.3"
#define FACT_04 "udma-engine 0.4"
#define FACT_21 "common-blocks 2.1"

/*
 * Bundles, registers, fields, instances; registers RO, RW, WO; fields RO, RW,
 * WO. -1 = not published.
 */
/* clang-format off */
static const struct trench_csr_published published[] = {
    { "sunda", "udma_m2s",
      { { 10, 94, 316, -1, -1, -1, -1, -1, -1, -1 } }, FACT_53 },
    { "sunda", "udma_gen_ex",
      { { 5, 29, -1, -1, -1, -1, -1, -1, -1, -1 } }, SEED_6 },
    { "sunda", "tdma_model",
      { { 6, -1, -1, -1, -1, -1, -1, -1, -1, -1 } }, SEED_6 },

    { "cayman", "udma_m2s",
      { { 11, 100, 325, 550, 27, 64, 9, 152, 148, 25 } }, FACT_04 },
    { "cayman", "udma_s2m",
      { { 8, 73, 264, 373, 25, 44, 4, 146, 102, 16 } }, FACT_04 },
    { "cayman", "udma_gen",
      { { 22, 69, 203, 2956, 11, 55, 3, 79, 109, 15 } }, SEED_1 },
    { "cayman", "udma_gen_ex",
      { { 5, 29, 68, 284, 1, 28, 0, 15, 53, 0 } }, SEED_1 },
    { "cayman", "tdma_model",
      { { 8, 44, 59, 148, 4, 40, 0, 11, 48, 0 } }, SEED_1 },
    { "cayman", "notific_10_queue",
      { { 2, 47, -1, 101, -1, -1, -1, -1, -1, -1 } }, FACT_21 },
    { "cayman", "notific_1_queue",
      { { 2, 47, -1, 47, -1, -1, -1, -1, -1, -1 } }, FACT_21 },
    { "cayman", "cce",
      { { 5, 14, 16, -1, -1, -1, -1, -1, -1, -1 } }, FACT_53 },
    { "cayman", "cme",
      { { 1, 1, 3, -1, -1, -1, -1, -1, -1, -1 } }, FACT_53 },
    { "cayman", "dre",
      { { 3, 6, 23, -1, -1, -1, -1, -1, -1, -1 } }, FACT_53 },

    /* udma_gen of cayman, mariana and mariana_plus is the same file. */
    { "mariana", "udma_gen",
      { { 22, 69, 203, 2956, 11, 55, 3, 79, 109, 15 } }, SEED_6 },
    { "mariana", "udma_gen_ex",
      { { 5, 29, 68, 284, 1, 28, 0, 15, 53, 0 } }, SEED_6 },
    { "mariana", "tdma_model",
      { { 19, -1, -1, -1, -1, -1, -1, -1, -1, -1 } }, SEED_6 },
    { "mariana_plus", "udma_gen",
      { { 22, 69, 203, 2956, 11, 55, 3, 79, 109, 15 } }, SEED_6 },
    { "mariana_plus", "udma_gen_ex",
      { { 5, 29, 68, 284, 1, 28, 0, 15, 53, 0 } }, SEED_6 },
    { "mariana_plus", "tdma_model",
      { { 19, -1, -1, -1, -1, -1, -1, -1, -1, -1 } }, SEED_6 },
};
/* clang-format on */

const struct trench_csr_published *trench_csr_published(const char *gen,
                                                        const char *block)
{
    for (size_t i = 0; i < ARRAY_LEN(published); i++) {
        if (strcasecmp(published[i].gen, gen) == 0 &&
            strcasecmp(published[i].block, block) == 0) {
            return &published[i];
        }
    }
    return NULL;
}
