/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Program images: a raw file, or an ELF file's code by its program headers or
 * by the name of a section.
 */
#ifndef TRENCH_CLI_ICACHE_IMAGE_H
#define TRENCH_CLI_ICACHE_IMAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Larger ones do not fit the 32-bit source offset of a fill. */
#define ICACHE_IMAGE_MAX (UINT64_C(1) << 32)

/*
 * An ELF file whose segments lie further apart than this must be that large
 * itself: headers alone cannot ask for memory.
 */
#define ICACHE_IMAGE_MAX_SPAN (UINT64_C(1) << 28)

struct icache_image {
    uint8_t *bytes; /* owned */
    uint64_t size_bytes;
    uint64_t addr; /* of the first byte, as linked; a raw file: 0 */
    bool elf;
    bool relocatable; /* linked at 0, loaded elsewhere */
};

/* Room for a reason. */
#define ICACHE_IMAGE_WHY 160

/*
 * Read from a file.
 * section: name, or NULL for all executable segments.
 * Returns 0, or -1 with a reason.
 */
int icache_image_read(int fd, const char *section, struct icache_image *out,
                      char why[ICACHE_IMAGE_WHY]);

/* The same from memory, which stays the caller's. */
int icache_image_parse(const uint8_t *file, uint64_t size, const char *section,
                       struct icache_image *out, char why[ICACHE_IMAGE_WHY]);

void icache_image_free(struct icache_image *image);

#endif /* TRENCH_CLI_ICACHE_IMAGE_H */
