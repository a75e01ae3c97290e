/* SPDX-License-Identifier: BSD-3-Clause */
/* Little-endian numbers at any alignment. */
#ifndef TRENCH_LE_H
#define TRENCH_LE_H

#include <stdint.h>

/* n bytes, at most 8. */
static inline uint64_t le_get(const void *buf, unsigned n)
{
    const uint8_t *b = buf;
    uint64_t val = 0;

    for (unsigned i = 0; i < n; i++) {
        val |= (uint64_t)b[i] << (8 * i);
    }
    return val;
}

static inline void le_put(void *buf, unsigned n, uint64_t val)
{
    uint8_t *b = buf;

    for (unsigned i = 0; i < n; i++) {
        b[i] = (uint8_t)(val >> (8 * i));
    }
}

#endif /* TRENCH_LE_H */
