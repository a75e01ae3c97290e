/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Vectors of 16 bytes as gcc and clang have them on every target: what the
 * compute engine's loops are made of. No instruction set is named.
 */
#ifndef TRENCH_CCE_VEC_H
#define TRENCH_CCE_VEC_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* Elements in memory are little-endian, and loaded as they are. */
_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__,
               "the compute engine needs a little-endian host");

typedef float vec_f32 __attribute__((vector_size(16)));
typedef double vec_f64 __attribute__((vector_size(16)));
typedef int32_t vec_i32 __attribute__((vector_size(16)));
typedef uint32_t vec_u32 __attribute__((vector_size(16)));
typedef uint64_t vec_u64 __attribute__((vector_size(16)));
typedef uint16_t vec_u16 __attribute__((vector_size(16)));
typedef uint8_t vec_u8 __attribute__((vector_size(16)));

/* A loop takes so many elements a turn; every length is a multiple. */
#define VEC_GROUP 16u
/* fp32 elements of a vector. */
#define VEC_LANES 4u

/* At any alignment. */
static inline vec_f32 vec_load(const void *p)
{
    vec_f32 v;

    memcpy(&v, p, sizeof(v));
    return v;
}

static inline void vec_store(void *p, vec_f32 v)
{
    memcpy(p, &v, sizeof(v));
}

static inline vec_f32 vec_splat(float x)
{
    return (vec_f32){ x, x, x, x };
}

/* Masks are all ones or all zeros in a lane, as comparisons make them. */
static inline vec_i32 vec_pick(vec_i32 mask, vec_i32 yes, vec_i32 no)
{
    return (mask & yes) | (~mask & no);
}

static inline bool vec_any(vec_i32 mask)
{
    uint64_t half[2];

    memcpy(half, &mask, sizeof(half));
    return (half[0] | half[1]) != 0;
}

/*
 * To look for infinities and NaNs, start with 0 and multiply by all that is to
 * be looked at: either makes a NaN of 0, which stays; all else leaves a zero.
 */
static inline bool vec_was_special(vec_f32 product)
{
    return vec_any(product != product);
}

static inline vec_i32 vec_abs_bits(vec_f32 x)
{
    return (vec_i32)x & 0x7FFFFFFF;
}

static inline uint32_t f32_bits(float x)
{
    uint32_t bits;

    memcpy(&bits, &x, sizeof(bits));
    return bits;
}

static inline float f32_from_bits(uint32_t bits)
{
    float x;

    memcpy(&x, &bits, sizeof(x));
    return x;
}

#endif /* TRENCH_CCE_VEC_H */
