/* SPDX-License-Identifier: BSD-3-Clause */
/* Descriptors of the Cadence engine (iram-cache-idma 4.4). */
#include "dev/cadence_idma.h"

#include <string.h>

/* Words, by number. */
enum word {
    W_CONTROL,
    W_SRC,
    W_DST,
    W_SIZE,
    W_SRC_PITCH,
    W_DST_PITCH,
    W_NROWS,
    W_RESERVED,
    W_SRC_TILE_PITCH,
    W_DST_TILE_PITCH,
    W_NTILES,
    W_PRED_MASK,
    W_EXT_SRC = 14,
    W_EXT_DST,
};

struct shape {
    uint32_t size_bytes; /* of the descriptor; 0 = not known */
    bool rows;
    bool tiles;
};

/* By type; a JUMP takes a slot of the smallest size (H156). */
static const struct shape types[CADENCE_IDMA_TYPE_MASK + 1] = {
    [CADENCE_IDMA_JUMP] = { 16, false, false },
    [CADENCE_IDMA_64] = { 64, false, false }, /* see subtypes */
    [CADENCE_IDMA_1D] = { 16, false, false },
    [CADENCE_IDMA_2D] = { 32, true, false },
};

/* Compressing ones are not modelled, and as unknown as the rest. */
static const struct shape subtypes[] = {
    [CADENCE_IDMA_SUB_1D] = { 64, false, false },
    [CADENCE_IDMA_SUB_2D] = { 64, true, false },
    [CADENCE_IDMA_SUB_3D] = { 64, true, true },
    [CADENCE_IDMA_SUB_ZVC_2D] = { 0, false, false },
};

static const struct shape *shape_of(uint32_t control)
{
    unsigned subtype =
        (control & CADENCE_IDMA_SUBTYPE_MASK) >> CADENCE_IDMA_SUBTYPE_SHIFT;

    if ((control & CADENCE_IDMA_TYPE_MASK) == CADENCE_IDMA_64) {
        return &subtypes[subtype];
    }
    return &types[control & CADENCE_IDMA_TYPE_MASK];
}

uint32_t cadence_desc_size(uint32_t control)
{
    return shape_of(control)->size_bytes;
}

uint32_t cadence_desc_decode(const uint32_t words[16],
                             struct cadence_idma_move *out)
{
    const struct shape *shape = shape_of(words[W_CONTROL]);

    if (shape->size_bytes == 0) {
        return CADENCE_IDMA_ERR_DESC_UNKNW;
    }
    memset(out, 0, sizeof(*out));
    out->size_bytes = shape->size_bytes;
    out->src = words[W_SRC];
    out->dst = words[W_DST];
    out->row_bytes = words[W_SIZE];
    out->rows = shape->rows ? words[W_NROWS] : 1;
    out->tiles = shape->tiles ? words[W_NTILES] : 1;
    out->src_pitch = shape->rows ? words[W_SRC_PITCH] : 0;
    out->dst_pitch = shape->rows ? words[W_DST_PITCH] : 0;
    if (shape->tiles) {
        out->src_tile_pitch = (int32_t)words[W_SRC_TILE_PITCH];
        out->dst_tile_pitch = (int32_t)words[W_DST_TILE_PITCH];
    }
    if (shape->size_bytes == 64 &&
        (words[W_CONTROL] & CADENCE_IDMA_LONG_ADDR)) {
        out->src |= (uint64_t)words[W_EXT_SRC] << 32;
        out->dst |= (uint64_t)words[W_EXT_DST] << 32;
    }
    if (out->src == 0 || out->dst == 0) {
        return CADENCE_IDMA_ERR_DESC_NULL_ADDR;
    }
    return out->row_bytes == 0 || out->rows == 0 || out->tiles == 0
               ? CADENCE_IDMA_ERR_DESC_BAD_PARAMS
               : 0;
}
