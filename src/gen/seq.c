/* SPDX-License-Identifier: BSD-3-Clause */
/* Sequencers of the NeuronCores (iram-cache-idma 1.1, 5.3). */
#include "gen/gen_priv.h"

#include <strings.h>

/* seed 003 section 7: one mechanism, two sets of names. */
const struct trench_gen_seq_firmware gen_seq_legacy = {
    .dma_source = "legacy_dma.hpp",
    .prepare = "prepare_cache_line",
    .rotate = "update_victim",
    .wrap = "ring_rollover",
    .logs = false,
};

const struct trench_gen_seq_firmware gen_seq_modern = {
    .dma_source = "iram_dma.hpp",
    .prepare = "wait_for_cache_line",
    .rotate = "replace",
    .wrap = "DramRingDMA::allocate",
    .logs = true,
};

int trench_gen_seq_find(const struct trench_gen *gen, const char *name)
{
    for (size_t i = 0; i < gen->nr_seqs; i++) {
        if (strcasecmp(gen->seqs[i].name, name) == 0) {
            return (int)i;
        }
    }
    return TRENCH_ERR_NODEV;
}

/* A TPB window begins with its state buffer (address-map 3.3). */
static const struct trench_gen_mem *state_buffer(const struct trench_gen *gen,
                                                 unsigned core)
{
    for (size_t i = 0; i < gen->nr_mems; i++) {
        if (gen->mems[i].kind == TRENCH_MEM_SBUF && core-- == 0) {
            return &gen->mems[i];
        }
    }
    return NULL;
}

int trench_gen_seq_addr(const struct trench_gen *gen, unsigned core,
                        unsigned seq, struct trench_gen_seq_addr *out)
{
    const struct trench_gen_mem *tpb = state_buffer(gen, core);

    if (!tpb || core >= gen->nr_cores || seq >= gen->nr_seqs) {
        return TRENCH_ERR_NODEV;
    }
    out->iram = tpb->base + gen->seqs[seq].iram;
    out->dram = tpb->base + gen->seqs[seq].dram;
    out->local_reg = tpb->base + gen->seqs[seq].local_reg;
    return 0;
}
