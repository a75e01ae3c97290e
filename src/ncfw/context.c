/* SPDX-License-Identifier: BSD-3-Clause */
#include "ncfw/context.h"

#include <trench/pring.h>

#define MESH_EVENT_BYTES 80u

/* In neff_ctx (ncfw-steps 5.7). */
#define SLOT_SPAD 0x20u
#define CTRL_SPAD 0x50u

/* Sizes; mesh events are counted by the generation. */
static const uint32_t part_bytes[CTX_END] = {
    [CTX_RING] = 32 * 148, [CTX_HIERARCHICAL] = 8, [CTX_NEFF] = 3592,
    [CTX_DEV] = 48,        [CTX_NEFF_CTX] = 96,    [CTX_ALGO_CTX] = 0x208,
};

uint32_t ctx_part_offset(const struct trench_gen *gen, enum ctx_part part)
{
    uint32_t offset = 0;

    for (unsigned p = 0; p < part; p++) {
        offset += p == CTX_MESH ? gen->ncfw->nr_mesh_events * MESH_EVENT_BYTES
                                : part_bytes[p];
    }
    return offset;
}

uint32_t trench_ctrl_spad_offset(const struct trench_gen *gen)
{
    return ctx_part_offset(gen, CTX_NEFF_CTX) + CTRL_SPAD;
}

uint32_t trench_slot_spad_offset(const struct trench_gen *gen, unsigned slot)
{
    if (slot >= TRENCH_SPAD_SLOTS) {
        return 0;
    }
    return ctx_part_offset(gen, CTX_NEFF_CTX) + SLOT_SPAD + 8 * slot;
}
