/* SPDX-License-Identifier: BSD-3-Clause */
/* The library with all generations: built in, or beside the built-in one. */
#ifndef TRENCH_TEST_FULL_H
#define TRENCH_TEST_FULL_H

#include <stdio.h>
#include <stdlib.h>

#include <trench/csr.h>

/*
 * NULL when neither the build nor TRENCH_REGS has all generations. Release
 * with full_lib_free().
 */
static inline const struct trench_csr_lib *full_lib(void)
{
    const struct trench_csr_lib *lib = trench_csr_lib_builtin();
    const char *regs = getenv("TRENCH_REGS");
    struct trench_csr_lib *own = NULL;
    char path[4096];

    if (trench_csr_lib_set(lib, "sunda")) {
        return lib;
    }
    if (!regs) {
        return NULL;
    }
    snprintf(path, sizeof(path), "%s/manifest.next.json", regs);
    return trench_csr_lib_load(path, NULL, NULL, &own) == 0 ? own : NULL;
}

static inline void full_lib_free(const struct trench_csr_lib *lib)
{
    if (lib && lib != trench_csr_lib_builtin()) {
        trench_csr_lib_free((struct trench_csr_lib *)(uintptr_t)lib);
    }
}

#endif /* TRENCH_TEST_FULL_H */
