/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The CRC-32 of Ethernet and zip (reflected, polynomial 0x04C11DB7), sixteen
 * bytes a step: zlib's takes longer for 64 bytes than a whole packet does.
 */
#ifndef TRENCH_CRC32_H
#define TRENCH_CRC32_H

#include <stddef.h>
#include <stdint.h>

/* Row k: what a byte does that k more bytes follow. */
struct crc32_table {
    uint32_t row[16][256];
};

void crc32_table_init(struct crc32_table *t);

/*
 * Let bytes through the register. The usual checksum starts with all ones and
 * is the complement of what is left at the end.
 */
uint32_t crc32_update(const struct crc32_table *t, uint32_t reg, const void *p,
                      size_t bytes);

#endif /* TRENCH_CRC32_H */
