/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * From a step to the operations of the firmware: seed 000 section 4,
 * ncfw-steps 4.5. Addresses are looked up here, so that a run only reads and
 * writes.
 */
#include "ncfw/step_priv.h"

#include <stdlib.h>

#include "udma_s2m_gen.h"

#define FIRST_ROOM 64u

/* Where an operation belongs; the template of what is pushed. */
static struct trench_step_op op_of(size_t block, enum trench_step_phase phase)
{
    return (struct trench_step_op){
        .phase = phase,
        .mask = UINT32_MAX,
        .block = (uint16_t)block,
        .bundle = -1,
        .engine = -1,
        .queue = -1,
    };
}

static int push(struct trench_step *step, const struct trench_step_op *op)
{
    if (step->nr_ops == step->room) {
        size_t room = step->room ? step->room * 2 : FIRST_ROOM;
        struct trench_step_op *ops =
            realloc(step->ops, room * sizeof(*step->ops));

        if (!ops) {
            return TRENCH_ERR_NOMEM;
        }
        step->ops = ops;
        step->room = room;
    }
    step->ops[step->nr_ops++] = *op;
    return 0;
}

/* A write that is about no engine. */
static int push_write(struct trench_step *step, struct trench_step_op op,
                      const char *name, uint64_t addr, uint32_t val)
{
    op.kind = TRENCH_STEP_WRITE;
    op.name = name;
    op.addr = addr;
    op.val = val;
    return push(step, &op);
}

static int push_await(struct trench_step *step, struct trench_step_op op,
                      const char *name, uint64_t addr, uint32_t val)
{
    op.kind = TRENCH_STEP_AWAIT;
    op.name = name;
    op.addr = addr;
    op.val = val;
    return push(step, &op);
}

/* Wait for a doorbell, and take it. */
static int push_trigger(struct trench_step *step, size_t block,
                        enum trench_bell bell, uint64_t addr)
{
    const struct trench_step_op op = op_of(block, TRENCH_STEP_TRIGGER);
    int err = push_await(step, op, trench_bell_name(bell), addr, 1);

    return err ? err : push_write(step, op, trench_bell_name(bell), addr, 0);
}

/* ---- one pair ------------------------------------------------------------ */

static struct trench_step_op op_of_pair(size_t block,
                                        enum trench_step_phase phase,
                                        unsigned engine, unsigned queue)
{
    struct trench_step_op op = op_of(block, phase);

    op.engine = (int16_t)engine;
    op.queue = (int8_t)queue;
    return op;
}

/* rst_q of both directions, S2M first: buffers must not outlive packets. */
static int push_reset(struct trench_step *step,
                      const struct trench_step_op *like,
                      const struct trench_ncfw_channel *channel)
{
    struct trench_ncfw_write writes[TRENCH_NCFW_REARM_WRITES];
    int nr = trench_ncfw_rearm_writes(step->gen, channel,
                                      TRENCH_NCFW_REARM_QUEUE, writes);
    int err = 0;

    for (int i = nr - 1; i >= 0 && !err; i--) {
        err = push_write(step, *like, writes[i].name, writes[i].addr,
                         writes[i].val);
    }
    return nr < 0 ? nr : err;
}

/* The tails of one pair, RX before TX. */
static int push_bells(struct trench_step *step,
                      const struct trench_step_op *like, uint32_t m2s_val,
                      uint32_t s2m_val)
{
    const struct {
        enum trench_ncfw_dir dir;
        const char *name;
        uint32_t count;
    } rows[] = {
        { TRENCH_NCFW_S2M, "RDRTP_inc", s2m_val },
        { TRENCH_NCFW_M2S, "TDRTP_inc", m2s_val },
    };
    struct trench_step_op op = *like;
    int err = 0;

    op.bell = true;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]) && !err; i++) {
        const struct trench_ncfw_where where = { rows[i].dir,
                                                 (unsigned)like->queue,
                                                 TRENCH_NCFW_TAIL_INC };
        uint64_t addr;

        err = trench_ncfw_unicast(step->gen, (unsigned)like->engine, &where,
                                  &addr);
        if (!err) {
            err = push_write(step, op, rows[i].name, addr, rows[i].count);
        }
    }
    return err;
}

/* ---- reset and reprogram ------------------------------------------------- */

/* Without a broadcast, queues are reset one by one. */
static int push_resets(struct trench_step *step, size_t b)
{
    const struct step_block *block = &step->blocks[b];
    int err = 0;

    for (size_t p = 0; p < block->nr_plans && !err; p++) {
        const struct trench_ncfw_plan *plan = &block->plans[p];

        for (size_t i = 0; i < plan->nr_channels && !err; i++) {
            const struct trench_ncfw_channel *ch = &plan->channels[i];
            struct trench_step_op op =
                op_of_pair(b, TRENCH_STEP_RESET, ch->engine, ch->queue);

            op.bundle = (int16_t)plan->bundle;
            err = ch->in_use ? push_reset(step, &op, ch) : 0;
        }
    }
    return err;
}

/* The manager's queue with the TopLevel rings of a block. */
static struct trench_ncfw_channel manager_of(const struct trench_step *step,
                                             size_t b)
{
    struct trench_ncfw_channel ch = {
        .engine = (uint16_t)step->conf.manager_engine,
        .queue = (uint8_t)step->conf.manager_queue,
    };

    for (unsigned d = 0; d < TRENCH_NCFW_NR_DIRS; d++) {
        const struct trench_pring *ring =
            trench_toplevel_ring(step->top, b, (enum trench_ncfw_dir)d);

        ch.ring[d].base = trench_pring_base(ring);
        ch.ring[d].nr_descs = ring->allocated;
    }
    return ch;
}

uint64_t step_s2m_reg(const struct trench_gen *gen, unsigned engine,
                      uint32_t offset)
{
    uint64_t base = 0;

    return trench_gen_block_base(gen, engine, TRENCH_BLOCK_UDMA_S2M, false,
                                 &base)
               ? 0
               : base + offset;
}

/* Give the manager a block's rings, start it, and wait for the last copy. */
static int push_toplevel(struct trench_step *step, size_t b)
{
    const struct trench_ncfw_channel manager = manager_of(step, b);
    struct trench_ncfw_write writes[TRENCH_NCFW_RING_WRITES];
    uint32_t count = trench_toplevel_section(step->top, b, 0)->used +
                     trench_toplevel_section(step->top, b, 1)->used;
    struct trench_step_op op =
        op_of_pair(b, TRENCH_STEP_RESET, manager.engine, manager.queue);
    int err;

    err = push_reset(step, &op, &manager);
    op.phase = TRENCH_STEP_REPROGRAM;
    if (!err) {
        err = trench_ncfw_ring_writes(step->gen, &manager, writes);
    }
    for (int i = 0; i < TRENCH_NCFW_RING_WRITES && !err; i++) {
        err =
            push_write(step, op, writes[i].name, writes[i].addr, writes[i].val);
    }
    if (!err) {
        err = push_bells(step, &op, count, count);
    }
    op.mask = UDMA_S2M_S2M_Q_RCRHP_OFFSET_MASK;
    op.count = count;
    op.m2s_count = count;
    return err ? err
               : push_await(step, op, "RCRHP",
                            step_s2m_reg(step->gen, manager.engine,
                                         UDMA_S2M_S2M_Q_RCRHP(manager.queue)),
                            count);
}

/* ---- start --------------------------------------------------------------- */

/* One queue of a bundle by broadcast. */
static int push_broadcast(struct trench_step *step,
                          const struct trench_ncfw_plan *plan,
                          struct trench_step_op op,
                          const struct trench_step_entry *entry)
{
    const struct trench_ncfw_group group = { plan->region, (unsigned)op.queue,
                                             plan->lane, false };
    struct trench_ncfw_bcast rec;
    struct trench_ncfw_bell bells[2];
    int err;

    err = trench_ncfw_bcast_record(step->gen, &group, &rec);
    if (!err) {
        err = trench_ncfw_bells(&rec, entry->m2s_val, entry->s2m_val, bells);
    }
    op.broadcast = true;
    op.bell = true;
    for (int i = 0; i < 2 && !err; i++) {
        err = push_write(step, op,
                         bells[i].dir == TRENCH_NCFW_S2M ? "s2m_tail_ptr"
                                                         : "m2s_tail_ptr",
                         bells[i].addr, bells[i].word);
    }
    return err;
}

static int push_group(struct trench_step *step, size_t b,
                      const struct trench_ncfw_plan *plan,
                      const struct trench_step_entry *entry)
{
    int err = 0;

    for (unsigned q = 0; q < TRENCH_NR_QUEUES && !plan->skip && !err; q++) {
        struct trench_step_op op = op_of_pair(
            b, TRENCH_STEP_BROADCAST, plan->region * TRENCH_NCFW_LANES, q);

        op.bundle = (int16_t)plan->bundle;
        if (plan->queues >> q & 1) {
            err = push_broadcast(step, plan, op, entry);
        }
    }
    return err;
}

static int push_one_by_one(struct trench_step *step, size_t b,
                           const struct trench_ncfw_plan *plan,
                           const struct trench_step_entry *entry)
{
    int err = 0;

    for (size_t i = 0; i < plan->nr_channels && !err; i++) {
        const struct trench_ncfw_channel *ch = &plan->channels[i];
        struct trench_step_op op =
            op_of_pair(b, TRENCH_STEP_BROADCAST, ch->engine, ch->queue);

        op.bundle = (int16_t)plan->bundle;
        err = ch->in_use ? push_bells(step, &op, entry->m2s_val, entry->s2m_val)
                         : 0;
    }
    return err;
}

/* Start all pairs, wait for their signals, and take these. */
static int push_entry(struct trench_step *step, size_t b,
                      const struct trench_step_entry *entry)
{
    const struct step_block *block = &step->blocks[b];
    struct trench_step_op op = op_of(b, TRENCH_STEP_WAIT);
    size_t first = step->nr_ops;
    int err = 0;

    for (size_t p = 0; p < block->nr_plans && !err; p++) {
        err = step->conf.no_broadcast
                  ? push_one_by_one(step, b, &block->plans[p], entry)
                  : push_group(step, b, &block->plans[p], entry);
    }
    if (!err) {
        op.count = entry->s2m_val;
        op.m2s_count = entry->m2s_val;
        err = push_await(step, op, "done", step->at.done_read, block->nr_pairs);
    }
    if (!err) {
        op.count = 0;
        op.m2s_count = 0;
        err = push_write(step, op, "done", step->at.done_dec, block->nr_pairs);
    }
    if (!err && entry->repeat > 1) {
        op.kind = TRENCH_STEP_REPEAT;
        op.name = "repeat";
        op.val = entry->repeat;
        op.back = (uint32_t)(step->nr_ops - first);
        err = push(step, &op);
    }
    return err;
}

static int push_block(struct trench_step *step, size_t b)
{
    const struct trench_step_block *in = &step->conf.blocks[b];
    int err = 0;

    if (b > 0 && step->conf.wait_bbswitch) {
        err = push_trigger(step, b, TRENCH_BELL_BBSWITCH, step->at.bbswitch);
    }
    if (!err && step->conf.no_broadcast) {
        err = push_resets(step, b);
    }
    if (!err) {
        err = push_toplevel(step, b);
    }
    if (!err && b == 0) {
        /*
         * Signals of a run that was given up: its queues have been reset, so
         * that no more of them come.
         */
        err = push_write(step, op_of(b, TRENCH_STEP_RESET), "done",
                         step->at.done_set, 0);
    }
    if (!err && step->conf.has_switch) {
        err = push_write(step, op_of(b, TRENCH_STEP_COMPLETE),
                         "switch_completed", step->at.switched, 1);
    }
    for (size_t i = 0; i < in->nr_entries && !err; i++) {
        err = push_entry(step, b, &in->entries[i]);
    }
    return err;
}

int step_compile(struct trench_step *step)
{
    size_t last = step->conf.nr_blocks - 1;
    int err;

    err = push_trigger(step, 0, TRENCH_BELL_HOST_TRIGGER, step->at.trigger);
    for (size_t b = 0; b <= last && !err; b++) {
        err = push_block(step, b);
    }
    if (!err) {
        err = push_write(step, op_of(last, TRENCH_STEP_COMPLETE), "completion",
                         step->at.complete, 1);
    }
    return err;
}
