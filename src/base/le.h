/* SPDX-License-Identifier: BSD-3-Clause */
/* Little-endian numbers at any alignment. */
#ifndef TRENCH_LE_H
#define TRENCH_LE_H

#include <endian.h>
#include <stdint.h>
#include <string.h>

/* The first n bytes of a little-endian number are its lowest; n <= 8. */
static inline uint64_t le_get(const void *buf, unsigned n)
{
    uint64_t val = 0;

    memcpy(&val, buf, n);
    return le64toh(val);
}

static inline void le_put(void *buf, unsigned n, uint64_t val)
{
    val = htole64(val);
    memcpy(buf, &val, n);
}

#endif /* TRENCH_LE_H */
