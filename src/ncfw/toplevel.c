/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The TopLevel rings of a program: seed 000 section 1.3, ncfw-steps 1.4 and
 * 1.7. Two pieces of memory:
 *
 *     rings   block 0 M2S, block 0 S2M, block 1 M2S, ... all of one length
 *     words   the no-op's word, then a source word for each item that has one
 */
#include <trench/pring.h>

#include <stdlib.h>
#include <string.h>

#include "base/le.h"
#include "ncfw/block.h"
#include "ncfw/hbm.h"

#define WORD_STEP 8u /* a pointer's size; words take the same room */

struct top_block {
    struct block plan;
    struct trench_pring ring[TRENCH_NCFW_NR_DIRS];
};

struct trench_toplevel {
    const struct trench_hal_ops *ops; /* borrowed */
    void *opaque;
    const struct trench_gen *gen;
    struct trench_hal_mem rings; /* cpu NULL = not allocated */
    struct trench_hal_mem words; /* the same */
    uint32_t padded;
    size_t nr_blocks;
    struct top_block blocks[]; /* nr_blocks of them */
};

static int check_conf(const struct trench_toplevel_conf *conf)
{
    if (!conf->ops || !conf->ops->mem_alloc || !conf->ops->mem_free ||
        !conf->blocks || conf->nr_blocks == 0 ||
        conf->nr_blocks > TRENCH_BASIC_BLOCKS_MAX ||
        conf->padded % TRENCH_HAL_RING_STEP != 0 ||
        conf->padded > TRENCH_HAL_RING_MAX) {
        return TRENCH_ERR_INVAL;
    }
    return 0;
}

/* Every ring is as long as the longest needs. */
static int choose_length(struct trench_toplevel *top, uint32_t padded)
{
    uint32_t least = TRENCH_HAL_RING_MIN;

    for (size_t i = 0; i < top->nr_blocks; i++) {
        uint32_t need = block_descs(&top->blocks[i].plan) + TRENCH_HAL_RING_GAP;

        least = need > least ? need : least;
    }
    least += TRENCH_HAL_RING_STEP - 1;
    least -= least % TRENCH_HAL_RING_STEP;
    if (padded != 0 && padded < least) {
        return TRENCH_ERR_NOSPC;
    }
    top->padded = padded ? padded : least;
    return 0;
}

static size_t count_words(const struct trench_toplevel *top)
{
    size_t nr = 1; /* the no-op's */

    for (size_t i = 0; i < top->nr_blocks; i++) {
        nr += block_descs(&top->blocks[i].plan);
    }
    return nr;
}

static int alloc(struct trench_toplevel *top, size_t size_bytes,
                 struct trench_hal_mem *out)
{
    struct trench_hal_mem mem = { 0 };
    int err;

    err =
        top->ops->mem_alloc(top->opaque, size_bytes, TRENCH_PRING_ALIGN, &mem);
    if (err) {
        return err;
    }
    *out = mem;
    if (mem.dma % TRENCH_PRING_ALIGN != 0) {
        return TRENCH_ERR_NOMEM;
    }
    return ncfw_is_hbm(top->gen, mem.dma, size_bytes) ? 0 : TRENCH_ERR_ACCES;
}

/* Give the items of a section their source words, and write those. */
static void stage(struct trench_toplevel *top, struct trench_section *section,
                  size_t *word)
{
    for (uint32_t i = 0; i < section->used; i++) {
        struct trench_item *item = &section->items[i];
        size_t at = *word * WORD_STEP;

        if (item->has_val) {
            le_put((uint8_t *)top->words.cpu + at, item->copy.len_bytes,
                   item->val);
            item->copy.src = top->words.dma + at;
            (*word)++;
        }
    }
}

/* The descriptors of a block's items, all of one direction, then the other. */
static int make_descs(const struct block *plan, struct trench_desc *descs)
{
    struct trench_desc *tx = descs;
    struct trench_desc *rx = descs + block_descs(plan);
    int err = 0;

    for (unsigned s = 0; s < BLOCK_NR_SECTIONS; s++) {
        const struct trench_section *section = &plan->section[s];

        for (uint32_t i = 0; i < section->used && !err; i++) {
            struct trench_desc pair[TRENCH_NCFW_NR_DIRS];

            err = trench_desc_copy(&section->items[i].copy, pair);
            if (!err) {
                *tx++ = pair[TRENCH_NCFW_M2S];
                *rx++ = pair[TRENCH_NCFW_S2M];
            }
        }
    }
    return err;
}

static int dump_rings(struct trench_toplevel *top, size_t nr,
                      const struct trench_desc *descs)
{
    static const enum trench_pring_type types[TRENCH_NCFW_NR_DIRS] = {
        [TRENCH_NCFW_M2S] = TRENCH_PRING_TX,
        [TRENCH_NCFW_S2M] = TRENCH_PRING_RX,
    };
    const struct trench_dump_conf dump = {
        .padded = top->padded,
        .noop = top->words.dma,
    };
    uint64_t bytes = (uint64_t)top->padded * TRENCH_DESC_BYTES;
    uint32_t nr_descs = block_descs(&top->blocks[nr].plan);

    for (unsigned d = 0; d < TRENCH_NCFW_NR_DIRS; d++) {
        struct trench_pring *ring = &top->blocks[nr].ring[d];
        int err;

        ring->type = types[d];
        err = trench_pring_init(top->gen, &top->rings,
                                (nr * TRENCH_NCFW_NR_DIRS + d) * bytes,
                                top->padded, ring);
        if (!err) {
            err = trench_pring_dump_descs(ring, descs + (size_t)d * nr_descs,
                                          nr_descs, &dump);
        }
        if (err < 0) {
            return err;
        }
    }
    return 0;
}

static int lay_block(struct trench_toplevel *top, size_t nr, size_t *word)
{
    struct block *plan = &top->blocks[nr].plan;
    struct trench_desc *descs =
        calloc((size_t)block_descs(plan) * TRENCH_NCFW_NR_DIRS, sizeof(*descs));
    int err;

    if (!descs) {
        return TRENCH_ERR_NOMEM;
    }
    for (unsigned s = 0; s < BLOCK_NR_SECTIONS; s++) {
        stage(top, &plan->section[s], word);
    }
    err = make_descs(plan, descs);
    if (!err) {
        err = dump_rings(top, nr, descs);
    }
    free(descs);
    return err;
}

static int lay_all(struct trench_toplevel *top)
{
    size_t ring_bytes = (size_t)top->padded * TRENCH_DESC_BYTES *
                        TRENCH_NCFW_NR_DIRS * top->nr_blocks;
    size_t word = 1;
    int err;

    err = alloc(top, ring_bytes, &top->rings);
    if (!err) {
        err = alloc(top, count_words(top) * WORD_STEP, &top->words);
    }
    for (size_t i = 0; i < top->nr_blocks && !err; i++) {
        err = lay_block(top, i, &word);
    }
    return err;
}

int trench_toplevel_create(const struct trench_toplevel_conf *conf,
                           struct trench_toplevel **out)
{
    struct trench_toplevel *top;
    int err;

    err = check_conf(conf);
    if (err) {
        return err;
    }
    top = calloc(1, sizeof(*top) + conf->nr_blocks * sizeof(top->blocks[0]));
    if (!top) {
        return TRENCH_ERR_NOMEM;
    }
    top->ops = conf->ops;
    top->opaque = conf->opaque;
    top->gen = conf->gen ? conf->gen : trench_gen_find(NULL);
    top->nr_blocks = conf->nr_blocks;
    for (size_t i = 0; i < conf->nr_blocks && !err; i++) {
        err =
            block_init(&top->blocks[i].plan, conf, top->gen, &conf->blocks[i]);
    }
    if (!err) {
        err = choose_length(top, conf->padded);
    }
    if (!err) {
        err = lay_all(top);
    }
    if (err) {
        trench_toplevel_destroy(top);
        return err;
    }
    *out = top;
    return 0;
}

void trench_toplevel_destroy(struct trench_toplevel *top)
{
    if (!top) {
        return;
    }
    for (size_t i = 0; i < top->nr_blocks; i++) {
        block_fini(&top->blocks[i].plan);
    }
    if (top->rings.cpu) {
        top->ops->mem_free(top->opaque, &top->rings);
    }
    if (top->words.cpu) {
        top->ops->mem_free(top->opaque, &top->words);
    }
    free(top);
}

const struct trench_pring *trench_toplevel_ring(
    const struct trench_toplevel *top, size_t block, enum trench_ncfw_dir dir)
{
    if (block >= top->nr_blocks || (unsigned)dir >= TRENCH_NCFW_NR_DIRS) {
        return NULL;
    }
    return &top->blocks[block].ring[dir];
}

const struct trench_section *trench_toplevel_section(
    const struct trench_toplevel *top, size_t block, unsigned section)
{
    if (block >= top->nr_blocks || section >= BLOCK_NR_SECTIONS) {
        return NULL;
    }
    return &top->blocks[block].plan.section[section];
}

void trench_toplevel_configs(const struct trench_toplevel *top,
                             uint64_t switch_completed,
                             struct trench_basic_block_configs *out)
{
    memset(out, 0, sizeof(*out));
    for (size_t i = 0; i < top->nr_blocks; i++) {
        const struct block *plan = &top->blocks[i].plan;

        out->table[i] = (struct trench_basic_block_entry){
            .desc_count = (uint16_t)block_descs(plan),
            .reset_count = (uint8_t)plan->section[BLOCK_RESET].used,
        };
    }
    out->nr_blocks = (uint32_t)top->nr_blocks;
    out->switch_completed = switch_completed;
    out->pring_base_addr = top->rings.dma;
    out->pring_total_desc_num = top->padded;
}
