/* SPDX-License-Identifier: BSD-3-Clause */
/* What the parts of the loader share. */
#include "csr/loader.h"

#include <stdlib.h>
#include <string.h>

#define MAX_DEFS UINT16_MAX

void *loader_slot(struct loader *ld, struct loader_vec *vec, size_t each_bytes)
{
    uint32_t max = vec->max ? vec->max * 2 : 64;
    char *slot;

    if (vec->nr == MAX_DEFS) {
        ld->slot_rc = reader_refuse(
            &ld->rd, "more than %d definitions of a kind", MAX_DEFS);
        return NULL;
    }
    if (vec->nr == vec->max) {
        void *bigger = realloc(vec->items, max * each_bytes);

        if (!bigger) {
            ld->slot_rc = reader_no_memory(&ld->rd);
            return NULL;
        }
        vec->items = bigger;
        vec->max = max;
    }
    slot = (char *)vec->items + vec->nr * each_bytes;
    memset(slot, 0, each_bytes);
    return slot;
}
