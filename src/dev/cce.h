/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Arithmetic of the compute engine: combine sources element by element. Pure
 * functions of their arguments; packets and registers are somebody else's.
 */
#ifndef TRENCH_CCE_H
#define TRENCH_CCE_H

#include <trench/compute.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What an operand of FMA is (common-blocks 3.4.3). */
enum cce_operand {
    CCE_STORED, /* the accumulator */
    CCE_INPUT,
    CCE_SCALE,
};

/* What can go wrong with the data: a set of bits (common-blocks 3.4.1). */
enum cce_trouble {
    CCE_INPUT_ERROR = 1 << 0,  /* the input converter */
    CCE_OUTPUT_ERROR = 1 << 1, /* the output converter */
    CCE_OUTPUT_INF = 1 << 2,
    CCE_OUTPUT_NAN = 1 << 3,
    CCE_OVERFLOW = 1 << 4,
    CCE_UNDERFLOW = 1 << 5,
    CCE_STOCHASTIC_INT = 1 << 6, /* stochastic rounding of a non-FP type */
    CCE_FMA_ERROR = 1 << 7,
};

/* One source. */
struct cce_source {
    const void *data; /* job.n elements, at any alignment */
    enum trench_dtype type;
    float scale;        /* FMA */
    uint8_t operand[3]; /* FMA: a * b + c, enum cce_operand each */
};

struct cce_job {
    enum trench_cce_op op; /* ADD, FMA, MAX, MIN */
    const struct cce_source *sources;
    unsigned nr_sources; /* 1 .. TRENCH_CCE_MAX_SOURCES */
    size_t n;            /* elements */
    bool use_const;      /* MAX, MIN: one more operand */
    float constant;
    bool absolute;  /* inputs count without their sign */
    float zero;     /* where ADD and FMA start: cce_fma_const.fp32_zero */
    uint32_t *seed; /* stochastic rounding, its state; NULL = to nearest */
    enum trench_dtype out_type;
    /* n elements; may be one of the sources itself, but not overlap otherwise.
     */
    void *out;
};

/* Do it. @return bits of enum cce_trouble; the output is complete anyway. */
uint32_t cce_run(const struct cce_job *job);

/* One element to fp32 and back, for constants; as cce_run() converts. */
float cce_to_fp32(enum trench_dtype type, const void *element);

#endif /* TRENCH_CCE_H */
