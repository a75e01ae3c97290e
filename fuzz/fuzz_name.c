/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Any bytes as the name of a register of a built-in generation. What is
 * understood has a full name, which is understood in the same way.
 */
#include <stdlib.h>
#include <string.h>

#include <trench/csr.h>

#include "fuzz.h"

static void check_found(const struct trench_csr_set *set,
                        const struct trench_csr_ref *ref)
{
    struct trench_csr_ref again;
    char full[512];

    if (ref->bundle && ref->index >= ref->bundle->count) {
        abort();
    }
    if (trench_csr_ref_name(ref, full, sizeof(full)) >= (int)sizeof(full)) {
        abort();
    }
    if (trench_csr_find(set, full, &again, NULL) || again.block != ref->block ||
        again.bundle != ref->bundle || again.reg != ref->reg ||
        again.field != ref->field || again.index != ref->index) {
        abort();
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct trench_csr_lib *lib = trench_csr_lib_builtin();
    const struct trench_csr_set *set;
    struct trench_csr_ref ref;
    struct trench_csr_error err;
    char *name;

    if (size == 0) {
        return 0;
    }
    set = &lib->sets[data[0] % lib->nr_sets];
    name = malloc(size);
    if (!name) {
        return 0;
    }
    memcpy(name, data + 1, size - 1);
    name[size - 1] = '\0';
    if (trench_csr_find(set, name, &ref, &err) == 0) {
        check_found(set, &ref);
    } else if (err.reason[0] == '\0') {
        abort();
    }
    free(name);
    return 0;
}
