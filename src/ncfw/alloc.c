/* SPDX-License-Identifier: BSD-3-Clause */
/* The allocation bitmap and what is done with it: seed 000 section 3. */
#include <trench/ncfw.h>

#include "ncfw/bundle.h"

#define HALF_BITS 16

/* The getter knows three sizes of a configuration (3.2). */
static bool known_size(unsigned nr_bundles)
{
    return nr_bundles == 2 || nr_bundles == 4 ||
           nr_bundles == TRENCH_NR_BUNDLES;
}

int trench_ncfw_alloc_word(const struct trench_gen *gen, unsigned nr_bundles,
                           unsigned bundle, uint64_t *out)
{
    if (nr_bundles == 0) {
        nr_bundles = TRENCH_NR_BUNDLES;
    }
    if (!known_size(nr_bundles) || bundle >= nr_bundles) {
        return TRENCH_ERR_INVAL;
    }
    *out = gen->ncfw->alloc[bundle];
    return 0;
}

/* tzcnt: the number of bits when there is none. */
static uint8_t lowest_set(uint32_t mask)
{
    return mask ? (uint8_t)__builtin_ctz(mask) : 32;
}

void trench_ncfw_alloc_decode(uint64_t word, enum trench_ncfw_reading reading,
                              struct trench_ncfw_alloc *out)
{
    uint32_t low = (uint32_t)word;
    uint32_t high = (uint32_t)(word >> 32);
    uint8_t first = lowest_set(high);

    *out = (struct trench_ncfw_alloc){
        .word = word,
        .low = low,
        .high = high,
        .first = first,
        .half = first / HALF_BITS % 2,
    };
    if (reading == TRENCH_NCFW_SHEETS) {
        out->queue = low % TRENCH_NR_QUEUES;
        out->pool = high;
    } else {
        out->queue = first % HALF_BITS;
        out->pool = UINT32_MAX;
        out->apertures = low;
    }
}

int trench_ncfw_used_engines(const struct trench_ncfw_channel *channels,
                             size_t nr_channels, unsigned base, uint32_t *out)
{
    uint32_t used = 0;

    if (!channels && nr_channels > 0) {
        return TRENCH_ERR_INVAL;
    }
    for (size_t i = 0; i < nr_channels; i++) {
        unsigned engine = channels[i].engine;

        if (!channels[i].in_use) {
            continue;
        }
        /* A processor would take the shift modulo 32; we refuse. */
        if (engine < base || engine - base >= TRENCH_NCFW_ENGINES) {
            return TRENCH_ERR_INVAL;
        }
        used |= UINT32_C(1) << (engine - base);
    }
    *out = used;
    return 0;
}

int trench_ncfw_valid_engines(const struct trench_gen *gen, unsigned nr_cores,
                              uint32_t *out)
{
    unsigned nr = gen->engines_per_core * nr_cores;

    if (nr_cores < 1 || nr_cores > 2) {
        return TRENCH_ERR_INVAL;
    }
    *out = nr < 32 ? (UINT32_C(1) << nr) - 1 : UINT32_MAX;
    return 0;
}

int trench_ncfw_mesh_engine(const struct trench_gen *gen, uint32_t valid,
                            unsigned row, unsigned slot)
{
    int32_t engine;

    if (!gen->ncfw->mesh) {
        return TRENCH_ERR_NOTSUP;
    }
    if (row >= gen->ncfw->nr_mesh || slot >= TRENCH_MESH_ROW) {
        return TRENCH_ERR_INVAL;
    }
    engine = gen->ncfw->mesh[row][slot];
    if (engine < 0) {
        return TRENCH_ERR_NOENT;
    }
    return trench_ncfw_engine_valid(valid, (unsigned)engine) ? engine
                                                             : TRENCH_ERR_NODEV;
}

int trench_ncfw_bcast_mask(const uint32_t *table, int bundle,
                           enum trench_ncfw_low_half policy,
                           struct trench_ncfw_bcast_mask *out)
{
    uint32_t word;

    if (bundle < 0 || bundle >= TRENCH_NR_BUNDLES) {
        return TRENCH_ERR_INVAL;
    }
    word = table[bundle];
    if (bundle_is_upper((unsigned)bundle)) {
        bool mixed = (word & 0xFFFF) != 0;

        if (mixed && policy == TRENCH_NCFW_LOW_REFUSE) {
            return TRENCH_ERR_BADMSG;
        }
        if (!mixed || policy != TRENCH_NCFW_LOW_KEEP) {
            word >>= HALF_BITS;
        }
    }
    out->word = word;
    out->mask = (uint16_t)word;
    return 0;
}
