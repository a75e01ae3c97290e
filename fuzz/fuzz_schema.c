/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Any bytes as a register schema file: loaded, checked, and all that can be
 * done with a map that loads.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <trench/csr.h>

#include "fuzz.h"

/* Every look-up that the map allows stays inside it, and goes both ways. */
static void walk(const struct trench_csr_block *block)
{
    const struct trench_csr_block *const blocks[] = { block };
    const struct trench_csr_set set = { "fuzz", blocks, 1 };
    unsigned nr = 0;

    for (uint32_t off = 0; off < block->size_bytes; off += 4) {
        struct trench_csr_ref ref, found;
        char name[256];

        if (trench_csr_at(block, off, &ref)) {
            continue;
        }
        if (trench_csr_ref_offset(&ref) != off ||
            trench_csr_name_at(block, off, name, sizeof(name)) <= 0) {
            abort();
        }
        /* A few names: the search is linear. Two may differ in case only. */
        if (nr++ < 64 &&
            trench_csr_ref_name(&ref, name, sizeof(name)) < (int)sizeof(name)) {
            int rc = trench_csr_find(&set, name, &found, NULL);

            if (rc == 0 && trench_csr_ref_offset(&found) != off) {
                abort();
            }
        }
    }
}

static int ignore_text(void *opaque, const char *text)
{
    *(size_t *)opaque += strlen(text);
    return 0;
}

static int refuse_change(void *opaque, const struct trench_csr_change *change)
{
    (void)opaque;
    (void)change;
    abort(); /* a map does not differ from itself */
}

static void use(const struct trench_csr_block *block)
{
    const struct trench_csr_block *const blocks[] = { block };
    const struct trench_csr_set set = { "fuzz", blocks, 1 };
    struct trench_csr_counts counts;
    size_t len = 0;

    walk(block);
    trench_csr_count(block, &counts);
    trench_csr_header(&set, NULL, ignore_text, &len, NULL);
    if (trench_csr_diff(block, block, refuse_change, NULL) != 0) {
        abort();
    }
}

static void count_errors(void *opaque, const struct trench_csr_finding *finding)
{
    *(unsigned *)opaque += finding->severity == TRENCH_CSR_ERROR;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct trench_csr_block *block = NULL;
    struct trench_csr_error err;
    unsigned nr_errors = 0;
    char path[64];
    int fd = memfd_create("schema", 0);
    int rc, checked;

    if (fd < 0 || write(fd, data, size) != (ssize_t)size) {
        abort();
    }
    snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
    rc = trench_csr_load(path, &block, &err);
    if (rc == 0) {
        use(block);
        trench_csr_free(block);
    }
    checked = trench_csr_check(path, count_errors, &nr_errors);
    if (checked != rc || (nr_errors > 0) != (rc != 0)) {
        abort(); /* the two must agree */
    }
    close(fd);
    return 0;
}
