/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The converters of the compute engine: elements of every type to fp32 and
 * back, a block at a time.
 */
#ifndef TRENCH_CCE_CONV_H
#define TRENCH_CCE_CONV_H

#include <trench/compute.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* fp32r is fp32 with a tag. */
static inline bool cce_is_fp32(enum trench_dtype type)
{
    return type == TRENCH_DTYPE_FP32 || type == TRENCH_DTYPE_FP32R;
}

/* The NaN that every computed NaN becomes. */
#define CCE_FP32_NAN 0x7FC00000u

/*
 * Elements to fp32; n is a multiple of VEC_GROUP. What is no type reads 0.
 * src may be at any alignment.
 */
void cce_load(enum trench_dtype type, float *dst, const void *src, size_t n);

/*
 * n fp32 elements at src to a type. Whole groups of VEC_GROUP are read and
 * written: both ends must have that room. seed: of stochastic rounding, one
 * step an element, or NULL. @return bits of enum cce_trouble.
 */
uint32_t cce_store(enum trench_dtype type, void *dst, const void *src, size_t n,
                   uint32_t *seed);

/* Infinities and NaNs of n fp32 results, in place: NaNs become one. */
uint32_t cce_settle_fp32(void *data, size_t n);

#endif /* TRENCH_CCE_CONV_H */
