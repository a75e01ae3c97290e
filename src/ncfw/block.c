/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a basic block writes, in order: seed 000 sections 1.3 and 4, ncfw-steps
 * 1.5, 1.6 and 2.2.
 */
#include "ncfw/block.h"

#include <string.h>

#include "base/bits.h"
#include "ncfw/regs.h"

#define WORD_BYTES    4u
#define POINTER_BYTES 8u

#define ENGINES_MAX 256u

/* What the parts of a build share. */
struct build {
    const struct trench_toplevel_conf *conf;
    const struct trench_gen *gen;
    const struct trench_basic_block *in;
    struct block *block;
    struct ncfw_rearm rearm;
    struct ncfw_memo memo;
};

static int push_val(struct trench_section *section, struct trench_item *item,
                    uint64_t dst, uint32_t len_bytes)
{
    item->has_val = true;
    item->copy.dst = dst;
    item->copy.len_bytes = len_bytes;
    return trench_section_push_back(section, item);
}

/*
 * The re-arm word for a group: one write a queue and direction, RX before TX.
 * It is a reset that stands before all else; or, as section 4 of the seed has
 * it, a trigger behind all else.
 */
static int add_reset(const struct build *b, const struct trench_ncfw_plan *plan,
                     unsigned queue)
{
    static const struct {
        const char *name;
        enum trench_ncfw_dir dir;
    } rows[] = {
        { "s2m_apb_bcast", TRENCH_NCFW_S2M },
        { "m2s_apb_bcast", TRENCH_NCFW_M2S },
    };
    bool at_tail = b->conf->rearm_at_tail;
    uint64_t base;
    int err = trench_ncfw_region(b->gen, plan->region, &base);

    for (size_t i = 0; i < ARRAY_LEN(rows) && !err; i++) {
        const struct trench_ncfw_where where = { rows[i].dir, queue,
                                                 at_tail
                                                     ? TRENCH_NCFW_TAIL_INC
                                                     : TRENCH_NCFW_SW_CTRL };
        struct trench_item item = {
            .part = at_tail ? "bcast" : "reset",
            .name = rows[i].name,
            .engine = (uint16_t)(plan->region * TRENCH_NCFW_LANES),
            .queue = (uint8_t)queue,
            .val = plan->rearm,
        };
        uint32_t offset;

        err = ncfw_bcast_offset(b->gen, &where, &offset);
        if (!err) {
            err = push_val(
                &b->block->section[at_tail ? BLOCK_REPROGRAM : BLOCK_RESET],
                &item, base + offset, WORD_BYTES);
        }
    }
    return err;
}

static int add_resets(const struct build *b)
{
    int err = 0;

    for (size_t p = 0; p < b->in->nr_plans && !b->conf->no_reset; p++) {
        const struct trench_ncfw_plan *plan = &b->in->plans[p];

        for (unsigned q = 0; q < TRENCH_NR_QUEUES && !plan->skip; q++) {
            if (plan->queues >> q & 1) {
                err = add_reset(b, plan, q);
            }
            if (err) {
                return err;
            }
        }
    }
    return 0;
}

/* The pointers of the context: CTRL, then one a slot. */
static int add_spad_pointers(const struct build *b)
{
    struct trench_section *section = &b->block->section[BLOCK_REPROGRAM];
    const struct trench_spad *spad = &b->in->spad;
    struct trench_item item = { .part = "CTRL SPAD",
                                .name = "ctrl_spad_addr",
                                .val = spad->ctrl };
    int err;

    err = push_val(section, &item,
                   spad->context + trench_ctrl_spad_offset(b->gen),
                   POINTER_BYTES);
    for (unsigned i = 0; i < spad->nr_slots && !err; i++) {
        item = (struct trench_item){ .part = "SLOT SPAD",
                                     .name = "slot_spad_addr",
                                     .slot = (uint8_t)i,
                                     .val = spad->slot[i] };
        err = push_val(section, &item,
                       spad->context + trench_slot_spad_offset(b->gen, i),
                       POINTER_BYTES);
    }
    return err;
}

/* The rings' templates have a variable: a caller's would be taken for it. */
static bool has_template(const struct trench_spad *spad)
{
    bool found = spad->pointers && trench_is_template(spad->context);

    for (size_t i = 0; i < spad->nr_content && !found; i++) {
        found = trench_is_template(spad->content[i].src) ||
                trench_is_template(spad->content[i].dst);
    }
    return found;
}

static int add_spad(const struct build *b)
{
    const struct trench_spad *spad = &b->in->spad;
    int err = 0;

    if (spad->nr_slots > TRENCH_SPAD_SLOTS ||
        (!spad->content && spad->nr_content > 0)) {
        return TRENCH_ERR_INVAL;
    }
    if (has_template(spad)) {
        return TRENCH_ERR_NOENT;
    }
    if (spad->pointers) {
        err = add_spad_pointers(b);
    }
    for (size_t i = 0; i < spad->nr_content && !err; i++) {
        const struct trench_item item = {
            .part = i == 0 ? "CTRL SPAD" : "SLOT SPAD",
            .name = "content",
            .slot = (uint8_t)(i > 0 ? i - 1 : 0),
            .copy = spad->content[i],
        };

        err = trench_section_push_back(&b->block->section[BLOCK_REPROGRAM],
                                       &item);
    }
    return err;
}

static int push_writes(const struct build *b, const char *part,
                       const struct trench_ncfw_write *writes, int nr)
{
    int err = 0;

    for (int i = 0; i < nr && !err; i++) {
        struct trench_item item = {
            .part = part,
            .name = writes[i].name,
            .engine = writes[i].engine,
            .queue = (uint8_t)writes[i].where.queue,
            .val = writes[i].val,
        };

        err = push_val(&b->block->section[BLOCK_REPROGRAM], &item,
                       writes[i].addr, WORD_BYTES);
    }
    return err;
}

/* Six writes and the re-arm. */
static int add_pair(struct build *b, const struct trench_ncfw_channel *channel)
{
    struct trench_ncfw_write writes[TRENCH_NCFW_RING_WRITES];
    int nr;
    int err;

    err = ncfw_ring_writes(b->gen, &b->memo, channel, writes);
    if (!err) {
        err = push_writes(b, "SDMA", writes, TRENCH_NCFW_RING_WRITES);
    }
    if (err) {
        return err;
    }
    nr = ncfw_rearm_writes(b->gen, &b->memo, channel, &b->rearm, writes);
    return nr < 0 ? nr : push_writes(b, "re-arm", writes, nr);
}

/* Two bundles of a block must not set the same rings. */
static int claim(uint16_t *seen, const struct trench_ncfw_channel *channel)
{
    uint16_t bit = (uint16_t)(1u << channel->queue % TRENCH_NR_QUEUES);

    if (channel->engine >= ENGINES_MAX) {
        return TRENCH_ERR_NODEV;
    }
    if (seen[channel->engine] & bit) {
        return TRENCH_ERR_EXIST;
    }
    seen[channel->engine] |= bit;
    return 0;
}

static int add_pairs(struct build *b)
{
    uint16_t seen[ENGINES_MAX] = { 0 };
    int err;

    for (size_t p = 0; p < b->in->nr_plans; p++) {
        const struct trench_ncfw_plan *plan = &b->in->plans[p];

        for (size_t i = 0; i < plan->nr_channels && !plan->skip; i++) {
            const struct trench_ncfw_channel *channel = &plan->channels[i];

            if (!channel->in_use) {
                continue;
            }
            err = claim(seen, channel);
            if (!err) {
                err = add_pair(b, channel);
            }
            if (err) {
                return err;
            }
        }
    }
    return 0;
}

/* The sections with their limits; 0 = as large as may be. */
static int init_sections(struct block *block,
                         const struct trench_basic_block *in)
{
    uint32_t resets = in->reset_limit;
    uint32_t reprogram = in->reprogram_limit;
    int err;

    if (resets == 0 || resets > BLOCK_RESETS_MAX) {
        resets = BLOCK_RESETS_MAX;
    }
    if (reprogram == 0) {
        reprogram = TRENCH_NCFW_MAX_COUNT - 1 - resets;
    }
    err = trench_section_init(&block->section[BLOCK_RESET], "reset", resets);
    if (!err) {
        err = trench_section_init(&block->section[BLOCK_REPROGRAM], "reprogram",
                                  reprogram);
    }
    return err;
}

/* Everything in order; *fence_at is where the second of two parts begins. */
static int add_all(struct build *b, uint32_t *fence_at)
{
    bool at_tail = b->conf->rearm_at_tail;
    int err = at_tail ? 0 : add_resets(b);

    *fence_at = 0;
    if (!err) {
        err = add_spad(b);
    }
    if (!err) {
        err = add_pairs(b);
    }
    if (!err && at_tail) {
        *fence_at = b->block->section[BLOCK_REPROGRAM].used;
        err = add_resets(b);
    }
    return err;
}

/* What follows a reset must not overtake it, nor a trigger what it follows. */
static void fence(struct block *block, uint32_t at)
{
    struct trench_section *section = &block->section[BLOCK_REPROGRAM];

    if (block->section[BLOCK_RESET].used + at > 0 && at < section->used) {
        section->items[at].copy.barrier = TRENCH_BARRIER_DMB;
    }
}

int block_init(struct block *block, const struct trench_toplevel_conf *conf,
               const struct trench_gen *gen,
               const struct trench_basic_block *in)
{
    struct build build = { .conf = conf, .gen = gen, .in = in, .block = block };
    uint32_t fence_at = 0;
    int err;

    memset(block, 0, sizeof(*block));
    if (in->nr_plans > TRENCH_NR_BUNDLES || (!in->plans && in->nr_plans > 0)) {
        return TRENCH_ERR_INVAL;
    }
    err = ncfw_rearm_init(&build.rearm, gen, conf->rearm);
    if (!err) {
        err = init_sections(block, in);
    }
    if (!err) {
        err = add_all(&build, &fence_at);
    }
    if (err) {
        return err;
    }
    if (block_descs(block) >= TRENCH_NCFW_MAX_COUNT) {
        return TRENCH_ERR_NOSPC;
    }
    fence(block, fence_at);
    return block_descs(block) > 0 ? 0 : TRENCH_ERR_INVAL;
}

void block_fini(struct block *block)
{
    for (unsigned s = 0; s < BLOCK_NR_SECTIONS; s++) {
        trench_section_fini(&block->section[s]);
    }
}

uint32_t block_descs(const struct block *block)
{
    return block->section[BLOCK_RESET].used +
           block->section[BLOCK_REPROGRAM].used;
}
