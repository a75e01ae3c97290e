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

/*
 * What can go wrong with the data: a set of bits (common-blocks 3.4.1; what
 * makes each is our choice, H226).
 */
enum cce_trouble {
    CCE_INPUT_ERROR = 1 << 0,    /* a source of no type: it counts as 0 */
    CCE_OUTPUT_ERROR = 1 << 1,   /* the output type has no such thing */
    CCE_OUTPUT_INF = 1 << 2,     /* an infinity is written */
    CCE_OUTPUT_NAN = 1 << 3,     /* a NaN is written */
    CCE_OVERFLOW = 1 << 4,       /* a finite result was too large to convert */
    CCE_UNDERFLOW = 1 << 5,      /* a result that is not 0 became a float 0 */
    CCE_STOCHASTIC_INT = 1 << 6, /* stochastic rounding of a non-FP type */
    CCE_FMA_ERROR = 1 << 7,      /* a NaN made of numbers, or no operand */
};

/* One source. */
struct cce_source {
    const void *data; /* job.n elements, at any alignment */
    enum trench_dtype type;
    float scale;        /* FMA */
    uint8_t operand[3]; /* FMA: a * b + c, enum cce_operand; 3 reads zero */
};

struct cce_job {
    enum trench_cce_op op; /* ADD, FMA, MAX, MIN */
    const struct cce_source *sources;
    unsigned nr_sources; /* 1 .. TRENCH_CCE_MAX_SOURCES */
    size_t n;            /* elements */
    bool use_const;      /* MAX, MIN: one more operand */
    float constant;
    bool absolute; /* inputs count without their sign */
    float zero;    /* where ADD and FMA start: cce_fma_const.fp32_zero */
    /*
     * Stochastic rounding: its state, which goes one step for each element of
     * a floating-point type below 32 bits. NULL = to nearest even.
     */
    uint32_t *seed;
    enum trench_dtype out_type;
    /*
     * n elements, at any alignment. May be where one of the sources is, if its
     * elements are not smaller; must not overlap one otherwise.
     */
    void *out;
};

/*
 * Do it. Of one source of 32 or 64 bits ADD to the same type is a copy, in
 * which nothing is looked at. @return bits of enum cce_trouble; the output is
 * complete anyway, but of no type nothing is written.
 */
uint32_t cce_run(const struct cce_job *job);

/* One element to fp32, for constants; as cce_run() converts. */
float cce_to_fp32(enum trench_dtype type, const void *element);

#endif /* TRENCH_CCE_H */
