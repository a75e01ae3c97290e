/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Why a run stopped. A signal that does not come says nothing about who was
 * to send it; so the queues are asked how far they are, and their engines
 * whether they are in abort.
 */
#include "ncfw/step_priv.h"

#include "udma_m2s_gen.h"
#include "udma_s2m_gen.h"

#define STATE_ABORT 2u /* of a sub-engine (udma-engine B1) */

/* Whether a sub-engine of a state register is in abort: 2 bits each 4. */
static bool has_abort(uint32_t state)
{
    for (unsigned shift = 0; shift < 32; shift += 4) {
        if ((state >> shift & 3u) == STATE_ABORT) {
            return true;
        }
    }
    return false;
}

static uint32_t look(const struct trench_step *step, uint64_t addr)
{
    uint32_t val = 0;

    /* Nothing but a sentence depends on it. */
    (void)step->conf.ops->read32(step->conf.opaque, addr, &val);
    return val;
}

static bool in_abort(const struct trench_step *step, unsigned engine)
{
    uint64_t m2s = 0;

    if (trench_gen_block_base(step->gen, engine, TRENCH_BLOCK_UDMA_M2S, false,
                              &m2s)) {
        return false;
    }
    return has_abort(look(step, m2s + UDMA_M2S_M2S_STATE)) ||
           has_abort(
               look(step, step_s2m_reg(step->gen, engine, UDMA_S2M_S2M_STATE)));
}

/*
 * Whether a queue has not done all that was started; fills err when so.
 * @param want  Where in its ring the last one ends.
 */
static bool lags(const struct trench_step *step, unsigned engine,
                 unsigned queue, uint32_t want, struct trench_step_error *err)
{
    uint64_t addr =
        step_s2m_reg(step->gen, engine, UDMA_S2M_S2M_Q_RCRHP(queue));
    uint32_t head = 0;

    /* A queue that does not answer is not said to stand anywhere. */
    if (step->conf.ops->read32(step->conf.opaque, addr, &head)) {
        return false;
    }
    head &= UDMA_S2M_S2M_Q_RCRHP_OFFSET_MASK;
    if (head == want) {
        return false;
    }
    err->engine = (int)engine;
    err->queue = (int)queue;
    err->addr = addr;
    err->want = want;
    err->got = head;
    return true;
}

/* The first pair of a block that lags. */
static bool find_pair(const struct trench_step *step, size_t b,
                      struct trench_step_error *err)
{
    const struct step_block *block = &step->blocks[b];

    for (size_t p = 0; p < block->nr_plans; p++) {
        const struct trench_ncfw_plan *plan = &block->plans[p];

        for (size_t i = 0; i < plan->nr_channels; i++) {
            const struct trench_ncfw_channel *ch = &plan->channels[i];

            if (ch->in_use &&
                lags(step, ch->engine, ch->queue,
                     (uint32_t)(step->started %
                                ch->ring[TRENCH_NCFW_S2M].nr_descs),
                     err)) {
                err->bundle = (int)plan->bundle;
                return true;
            }
        }
    }
    return false;
}

static int explain_lag(const struct trench_step *step, int code,
                       struct trench_step_error *err)
{
    bool abort = in_abort(step, (unsigned)err->engine);

    return step_fail(
        err, abort ? TRENCH_ERR_IO : code,
        "%s of block %d: engine %d queue %d %s at descriptor %u of its S2M "
        "ring and was started up to %u (RCRHP at 0x%llx)",
        trench_step_phase_name(err->phase), err->block, err->engine, err->queue,
        abort ? "is in abort" : "stands", err->got, err->want,
        (unsigned long long)err->addr);
}

int step_diagnose(struct trench_step *step, const struct trench_step_op *op,
                  int code, struct trench_step_error *err)
{
    err->phase = op->phase;
    err->block = op->block;
    err->bundle = op->bundle;
    err->engine = op->engine;
    err->queue = op->queue;
    err->addr = op->addr;
    err->want = op->val;
    if (code == TRENCH_ERR_TIMEDOUT) {
        if (op->phase == TRENCH_STEP_REPROGRAM
                ? lags(step, (unsigned)op->engine, (unsigned)op->queue,
                       op->count, err)
                : op->phase == TRENCH_STEP_WAIT &&
                      find_pair(step, op->block, err)) {
            return explain_lag(step, code, err);
        }
        return step_fail(err, code,
                         "%s of block %d: %s at 0x%llx reads %u, and %u was "
                         "waited for",
                         trench_step_phase_name(op->phase), op->block, op->name,
                         (unsigned long long)op->addr, err->got, op->val);
    }
    return step_fail(err, code, "%s of block %d: %s of %s at 0x%llx: %s",
                     trench_step_phase_name(op->phase), op->block,
                     op->kind == TRENCH_STEP_WRITE ? "write" : "read", op->name,
                     (unsigned long long)op->addr, trench_strerror(code));
}
