/* SPDX-License-Identifier: BSD-3-Clause */
/* A collective step: its making and its end, and what can be asked of it. */
#include "ncfw/step_priv.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

const char *trench_step_phase_name(enum trench_step_phase phase)
{
    static const char *const names[TRENCH_STEP_NR_PHASES] = {
        [TRENCH_STEP_CHECK] = "check",
        [TRENCH_STEP_TRIGGER] = "trigger",
        [TRENCH_STEP_RESET] = "reset",
        [TRENCH_STEP_REPROGRAM] = "reprogram",
        [TRENCH_STEP_BROADCAST] = "broadcast",
        [TRENCH_STEP_WAIT] = "wait",
        [TRENCH_STEP_COMPLETE] = "complete",
    };

    return (unsigned)phase < TRENCH_STEP_NR_PHASES ? names[phase] : "?";
}

void step_error_init(struct trench_step_error *err)
{
    *err = (struct trench_step_error){
        .block = -1,
        .bundle = -1,
        .engine = -1,
        .queue = -1,
    };
}

int step_fail(struct trench_step_error *err, int code, const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    vsnprintf(err->text, sizeof(err->text), fmt, ap);
    va_end(ap);
    return code;
}

/* The blocks as the builder of TopLevel rings wants them. */
static int lay_toplevel(struct trench_step *step)
{
    const struct trench_step_conf *conf = &step->conf;
    struct trench_basic_block *blocks =
        calloc(conf->nr_blocks, sizeof(*blocks));
    const struct trench_toplevel_conf top = {
        .ops = conf->ops,
        .opaque = conf->opaque,
        .gen = step->gen,
        .blocks = blocks,
        .nr_blocks = conf->nr_blocks,
        .rearm = conf->rearm,
        .no_reset = conf->no_broadcast,
        .padded = conf->padded,
    };
    int err;

    if (!blocks) {
        return TRENCH_ERR_NOMEM;
    }
    for (size_t b = 0; b < conf->nr_blocks; b++) {
        blocks[b] = (struct trench_basic_block){
            .plans = step->blocks[b].plans,
            .nr_plans = step->blocks[b].nr_plans,
            .spad = conf->blocks[b].spad,
            .reset_limit = conf->blocks[b].reset_limit,
            .reprogram_limit = conf->blocks[b].reprogram_limit,
        };
    }
    err = trench_toplevel_create(&top, &step->top);
    free(blocks);
    return err;
}

static int build(struct trench_step *step, struct trench_step_error *err)
{
    int code = step_check(step, err);

    if (code) {
        return code;
    }
    err->block = -1;
    err->bundle = -1;
    code = lay_toplevel(step);
    if (code == TRENCH_ERR_NOSPC) {
        return step_fail(err, code,
                         "the reset or reprogram section, or the TopLevel "
                         "ring, is too small");
    }
    if (code) {
        return step_fail(err, code, "the TopLevel rings: %s",
                         trench_strerror(code));
    }
    code = step_compile(step);
    return code ? step_fail(err, code, "%s", trench_strerror(code)) : 0;
}

int trench_step_create(const struct trench_step_conf *conf,
                       struct trench_step **out, struct trench_step_error *err)
{
    struct trench_step *step = calloc(1, sizeof(*step));
    struct trench_step_error mine;
    int code;

    step_error_init(&mine);
    if (step) {
        step->conf = *conf;
        step->gen = conf->gen ? conf->gen : trench_gen_find(NULL);
        code = build(step, &mine);
    } else {
        code = step_fail(&mine, TRENCH_ERR_NOMEM, "out of memory");
    }
    if (code) {
        trench_step_destroy(step);
        if (err) {
            *err = mine;
        }
        return code;
    }
    *out = step;
    return 0;
}

void trench_step_destroy(struct trench_step *step)
{
    if (!step) {
        return;
    }
    trench_toplevel_destroy(step->top);
    free(step->ops);
    free(step->blocks);
    free(step);
}

const struct trench_step_op *trench_step_ops(const struct trench_step *step,
                                             size_t *nr)
{
    *nr = step->nr_ops;
    return step->ops;
}

const struct trench_ncfw_plan *trench_step_plan(const struct trench_step *step,
                                                size_t block, size_t bundle)
{
    if (block >= step->conf.nr_blocks ||
        bundle >= step->blocks[block].nr_plans) {
        return NULL;
    }
    return &step->blocks[block].plans[bundle];
}

const struct trench_toplevel *trench_step_toplevel(
    const struct trench_step *step)
{
    return step->top;
}

void trench_step_set_trace(struct trench_step *step, trench_step_fn fn,
                           void *opaque)
{
    step->trace = fn;
    step->trace_opaque = opaque;
}
