/* SPDX-License-Identifier: BSD-3-Clause */
/* What the files of the step runner share. */
#ifndef TRENCH_NCFW_STEP_PRIV_H
#define TRENCH_NCFW_STEP_PRIV_H

#include <trench/step.h>

/* A basic block, planned. */
struct step_block {
    struct trench_ncfw_plan plans[TRENCH_NR_BUNDLES];
    size_t nr_plans;
    uint32_t nr_pairs;
};

/* Where the firmware polls and signals. */
struct step_addrs {
    uint64_t trigger;
    uint64_t bbswitch; /* 0 = not waited for */
    uint64_t done_read;
    uint64_t done_set;
    uint64_t done_dec;
    uint64_t switched; /* 0 = nobody is told */
    uint64_t complete;
};

struct trench_step {
    struct trench_step_conf conf;
    const struct trench_gen *gen;
    struct step_addrs at;
    struct step_block *blocks; /* conf.nr_blocks of them */
    struct trench_toplevel *top;
    struct trench_step_op *ops;
    size_t nr_ops;
    size_t room;      /* of ops */
    uint64_t started; /* by a run: of each S2M ring since its reset */
    size_t next;      /* of a run: operation */
    uint32_t repeats; /* of the REPEAT that is being gone through */
    trench_step_fn trace;
    void *trace_opaque;
};

/* An error that is about nothing in particular. */
void step_error_init(struct trench_step_error *err);

/* Fill in the text. @return code. */
__attribute__((format(printf, 3, 4))) int step_fail(
    struct trench_step_error *err, int code, const char *fmt, ...);

/* step_check.c: every check; fills gen, at and blocks. err is filled. */
int step_check(struct trench_step *step, struct trench_step_error *err);

/* step_ops.c: from the plans and the TopLevel rings to operations. */
int step_compile(struct trench_step *step);

/* step_diag.c: an operation could not be done; say why. @return the code. */
int step_diagnose(struct trench_step *step, const struct trench_step_op *op,
                  int code, struct trench_step_error *err);

/* Address of a register of S2M; 0 when there is none. */
uint64_t step_s2m_reg(const struct trench_gen *gen, unsigned engine,
                      uint32_t offset);

#endif /* TRENCH_NCFW_STEP_PRIV_H */
