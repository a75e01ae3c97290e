/* SPDX-License-Identifier: BSD-3-Clause */
/* Program images: any file, by program headers and by section. */
#include "fuzz.h"

#include "../src/cli/icache_image.h"

static void check(const uint8_t *data, size_t size, const char *section)
{
    char why[ICACHE_IMAGE_WHY];
    struct icache_image image;
    uint8_t sum = 0;

    if (icache_image_parse(data, size, section, &image, why) != 0) {
        FUZZ_CHECK(image.bytes == NULL);
        return;
    }
    FUZZ_CHECK(image.size_bytes > 0 && image.size_bytes <= ICACHE_IMAGE_MAX);
    /* Both ends are ours to read. */
    sum ^= image.bytes[0];
    sum ^= image.bytes[image.size_bytes - 1];
    FUZZ_CHECK(sum ==
               (uint8_t)(image.bytes[0] ^ image.bytes[image.size_bytes - 1]));
    icache_image_free(&image);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    check(data, size, NULL);
    check(data, size, ".text");
    return 0;
}
