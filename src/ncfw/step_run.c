/* SPDX-License-Identifier: BSD-3-Clause */
/* The firmware's loop: go through the operations of a step. */
#include "ncfw/step_priv.h"

/* A run. */
struct run {
    struct trench_step *step;
    struct trench_step_stats *stats;
};

static bool expired(const struct trench_step_conf *conf, uint64_t polls,
                    uint64_t start_ns)
{
    if (conf->polls > 0 && polls >= conf->polls) {
        return true;
    }
    return conf->timeout_ns > 0 &&
           conf->ops->now_ns(conf->opaque) - start_ns >= conf->timeout_ns;
}

static int await(const struct run *run, const struct trench_step_op *op,
                 struct trench_step_error *err)
{
    const struct trench_step_conf *conf = &run->step->conf;
    uint64_t start_ns =
        conf->timeout_ns > 0 ? conf->ops->now_ns(conf->opaque) : 0;

    for (uint64_t polls = 1;; polls++) {
        uint32_t val = 0;
        int code = conf->ops->read32(conf->opaque, op->addr, &val);

        run->stats->reads++;
        err->got = val & op->mask;
        if (code || err->got >= op->val) {
            return code;
        }
        if (expired(conf, polls, start_ns)) {
            return TRENCH_ERR_TIMEDOUT;
        }
        if (conf->ops->relax) {
            conf->ops->relax(conf->opaque);
        }
    }
}

static int write(struct run *run, const struct trench_step_op *op)
{
    const struct trench_step_conf *conf = &run->step->conf;

    run->stats->writes++;
    run->stats->bells += op->bell;
    return conf->ops->write32(conf->opaque, op->addr, op->val);
}

/* What the bells before a wait have started. */
static void count_started(struct run *run, const struct trench_step_op *op)
{
    if (op->phase == TRENCH_STEP_REPROGRAM) {
        run->stats->toplevel_descs += op->count;
        run->step->started = 0;
    } else if (op->phase == TRENCH_STEP_WAIT) {
        run->stats->m2s_descs += (uint64_t)op->m2s_count * op->val;
        run->stats->s2m_descs += (uint64_t)op->count * op->val;
        run->step->started += op->count;
    }
}

static int do_op(struct run *run, const struct trench_step_op *op,
                 struct trench_step_error *err)
{
    const struct trench_step *step = run->step;
    int code;

    if (op->kind == TRENCH_STEP_WRITE) {
        if (step->trace) {
            step->trace(step->trace_opaque, op);
        }
        return write(run, op);
    }
    count_started(run, op);
    code = await(run, op, err);
    if (!code && step->trace) {
        step->trace(step->trace_opaque, op);
    }
    run->stats->starts += !code && op->phase == TRENCH_STEP_WAIT;
    return code;
}

/* Where a REPEAT goes on. */
static size_t after_repeat(struct trench_step *step,
                           const struct trench_step_op *op)
{
    step->repeats++;
    if (step->repeats < op->val) {
        return step->next - op->back;
    }
    step->repeats = 0;
    return step->next + 1;
}

void trench_step_begin(struct trench_step *step)
{
    step->next = 0;
    step->repeats = 0;
}

/* @return 1 when the operation ends an entry, else 0 or an error. */
static int go_on(struct run *run, struct trench_step_error *err)
{
    struct trench_step *step = run->step;
    const struct trench_step_op *op = &step->ops[step->next];
    int code;

    if (op->kind == TRENCH_STEP_REPEAT) {
        step->next = after_repeat(step, op);
        return 0;
    }
    code = do_op(run, op, err);
    if (code) {
        step->next = step->nr_ops;
        return step_diagnose(step, op, code, err);
    }
    step->next++;
    /* Behind the wait its signals are taken. */
    return op->kind == TRENCH_STEP_WRITE && op->phase == TRENCH_STEP_WAIT;
}

int trench_step_next(struct trench_step *step, struct trench_step_stats *stats,
                     struct trench_step_error *err)
{
    struct trench_step_stats no_stats = { 0 };
    struct trench_step_error mine;
    struct run run = { .step = step, .stats = stats ? stats : &no_stats };
    int code = 0;

    step_error_init(&mine);
    while (code == 0 && step->next < step->nr_ops) {
        code = go_on(&run, &mine);
    }
    if (code < 0 && err) {
        *err = mine;
    }
    return code;
}

int trench_step_run(struct trench_step *step, struct trench_step_stats *stats,
                    struct trench_step_error *err)
{
    int code;

    trench_step_begin(step);
    do {
        code = trench_step_next(step, stats, err);
    } while (code > 0);
    return code;
}
