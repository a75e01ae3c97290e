/* SPDX-License-Identifier: BSD-3-Clause */
/* Sections of a ring while it is built: seed 000 section 1.3. */
#include <trench/pring.h>

#include <stdlib.h>

#include "ncfw/vring.h"

#define FIRST_ROOM 64u

int trench_section_init(struct trench_section *section, const char *name,
                        uint32_t allocated)
{
    if (allocated >= TRENCH_NCFW_MAX_COUNT) {
        return TRENCH_ERR_INVAL;
    }
    *section = (struct trench_section){ .name = name, .allocated = allocated };
    return 0;
}

void trench_section_fini(struct trench_section *section)
{
    free(section->items);
    section->items = NULL;
    section->used = 0;
    section->room = 0;
}

static int make_room(struct trench_section *section)
{
    uint32_t room = section->room ? section->room * 2 : FIRST_ROOM;
    struct trench_item *items;

    if (section->used < section->room) {
        return 0;
    }
    items = realloc(section->items, room * sizeof(*items));
    if (!items) {
        return TRENCH_ERR_NOMEM;
    }
    section->items = items;
    section->room = room;
    return 0;
}

int trench_section_push_back(struct trench_section *section,
                             const struct trench_item *item)
{
    int err;

    if (!desc_is_possible(&item->copy)) {
        return TRENCH_ERR_INVAL;
    }
    if (section->used >= section->allocated) {
        return TRENCH_ERR_NOSPC;
    }
    err = make_room(section);
    if (!err) {
        section->items[section->used++] = *item;
    }
    return err;
}

int trench_section_commit(const struct trench_section *section,
                          struct trench_vring *vring)
{
    int err = 0;

    for (uint32_t i = 0; i < section->used && !err; i++) {
        err = trench_vring_copy(vring, &section->items[i].copy);
    }
    return err;
}
