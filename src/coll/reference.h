/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Is the result of a collective right? Plain loops over what went in, in
 * double precision, that know nothing of how the result was made: in which
 * order, in how many steps, and what was rounded between them.
 *
 * The rules, for n inputs and a type of p significant bits:
 *
 * MAX, MIN: the extreme of the inputs, bit by bit; +0 and -0 are equal. Where
 *   an input is NaN, any NaN is right, and so is the extreme of the others.
 *   Integers beyond 2^24 may also be the extreme as fp32 has it, since the
 *   engine computes in fp32: rounding keeps the order.
 * ADD, exact: when every sum of some of the inputs is a number of the type
 *   (sum|x| is at most 2^p times the lowest bit of any input; integers: sum|x|
 *   below 2^24), the order does not matter, and the result is that number, bit
 *   by bit, the sign of zero included. Integers wrap.
 * ADD, otherwise: within ((1 + u)^n - 1) * sum|x| of the sum; that is about
 *   n * u * sum|x|. u is the unit roundoff 2^-p, of fp32 for integers, and
 *   doubled for stochastic rounding. Integers: modulo 2^bits.
 * ADD, large: where the positive inputs reach the largest number within the
 *   bound, +infinity is right as well; negative ones likewise; where both do,
 *   also NaN. A type without infinity has NaN instead.
 * ADD, NaN and infinity among the inputs: NaN for a NaN or both infinities,
 *   else the infinity. Any NaN is as good as another.
 *
 * One input is a copy: of any type, any order of bits is exact but for NaN.
 */
#ifndef TRENCH_COLL_REFERENCE_H
#define TRENCH_COLL_REFERENCE_H

#include "element.h"

/* What was computed. Zero the struct first. */
struct coll_reference {
    enum trench_cce_op op; /* ADD, MAX, MIN */
    enum trench_dtype type;
    unsigned nr_inputs;        /* not 0 */
    const void *const *inputs; /* count elements each, at any address */
    const void *result;
    uint64_t count;
    bool stochastic; /* the engine rounded at random */
};

struct coll_verdict {
    uint64_t wrong; /* elements */
    /* The first of them; with wrong only. */
    uint64_t index;
    double bound; /* how far off it may be; 0: it must be exact */
    char expected[COLL_ELEMENT_TEXT];
    char got[COLL_ELEMENT_TEXT];
};

/*
 * Judge every element.
 * Returns 0, or TRENCH_ERR_INVAL for no type, no input or another operation.
 */
int coll_reference_check(const struct coll_reference *ref,
                         struct coll_verdict *verdict);

/*
 * Judge what was moved but not computed with: bit by bit, NaN as well.
 * Returns 0, or TRENCH_ERR_INVAL for no type.
 */
int coll_reference_copy(enum trench_dtype type, const void *expected,
                        const void *got, uint64_t count,
                        struct coll_verdict *verdict);

#endif /* TRENCH_COLL_REFERENCE_H */
