/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TRENCH_BITS_H
#define TRENCH_BITS_H

#include <stdbool.h>
#include <stdint.h>

#define ARRAY_LEN(a) (sizeof(a) / sizeof((a)[0]))

static inline uint32_t min_u32(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

static inline uint32_t max_u32(uint32_t a, uint32_t b)
{
    return a > b ? a : b;
}

/* Bits of a where sel is 1, of b where it is 0. */
static inline uint32_t pick_bits(uint32_t a, uint32_t b, uint32_t sel)
{
    return (a & sel) | (b & ~sel);
}

static inline uint64_t min_u64(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static inline bool is_power_of_two(uint64_t n)
{
    return n != 0 && (n & (n - 1)) == 0;
}

#endif /* TRENCH_BITS_H */
