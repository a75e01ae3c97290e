/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/crc32.h"

#include <endian.h>
#include <string.h>

#define POLYNOMIAL 0xEDB88320u /* bit-reversed */

void crc32_table_init(struct crc32_table *t)
{
    for (uint32_t i = 0; i < 256; i++) {
        uint32_t reg = i;

        for (unsigned bit = 0; bit < 8; bit++) {
            reg = reg >> 1 ^ (reg & 1 ? POLYNOMIAL : 0);
        }
        t->row[0][i] = reg;
    }
    for (unsigned k = 1; k < 16; k++) {
        for (uint32_t i = 0; i < 256; i++) {
            uint32_t reg = t->row[k - 1][i];

            t->row[k][i] = reg >> 8 ^ t->row[0][reg & 0xFF];
        }
    }
}

/* Four bytes, of which the last has `after` more behind it. */
static inline uint32_t four(const struct crc32_table *t, uint32_t w,
                            unsigned after)
{
    return t->row[after + 3][w & 0xFF] ^ t->row[after + 2][w >> 8 & 0xFF] ^
           t->row[after + 1][w >> 16 & 0xFF] ^ t->row[after][w >> 24];
}

uint32_t crc32_update(const struct crc32_table *t, uint32_t reg, const void *p,
                      size_t bytes)
{
    const uint8_t *at = p;

    for (; bytes >= 16; bytes -= 16, at += 16) {
        uint32_t w[4];

        memcpy(w, at, sizeof(w));
        reg = four(t, le32toh(w[0]) ^ reg, 12) ^ four(t, le32toh(w[1]), 8) ^
              four(t, le32toh(w[2]), 4) ^ four(t, le32toh(w[3]), 0);
    }
    for (; bytes > 0; bytes--) {
        reg = reg >> 8 ^ t->row[0][(reg ^ *at++) & 0xFF];
    }
    return reg;
}
