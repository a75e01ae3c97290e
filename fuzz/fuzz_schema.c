/* SPDX-License-Identifier: BSD-3-Clause */
/* Any bytes as a register schema file. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include <trench/csr.h>

#include "fuzz.h"

/* Every look-up that the map allows must stay inside it. */
static void walk(const struct trench_csr_block *block)
{
    char name[64];

    for (uint32_t off = 0; off < block->size_bytes; off += 4) {
        if (block->word_inst[off / 4]) {
            trench_csr_name_at(block, off, name, sizeof(name));
        }
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct trench_csr_block *block = NULL;
    struct trench_csr_error err;
    char path[64];
    int fd = memfd_create("schema", 0);

    if (fd < 0 || write(fd, data, size) != (ssize_t)size) {
        abort();
    }
    snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
    if (trench_csr_load(path, &block, &err) == 0) {
        walk(block);
        trench_csr_free(block);
    }
    close(fd);
    return 0;
}
