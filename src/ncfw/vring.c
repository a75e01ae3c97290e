/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Template rings: ncfw-steps 1.2. Descriptor i of a direction is in page
 * i >> 16, slot i & 0xFFFF. The first page grows with its use: most templates
 * have a few hundred descriptors, and a page is 1 MiB.
 */
#include "ncfw/vring.h"

#include <stdio.h>
#include <stdlib.h>

#define NR_PAGES   256
#define FIRST_ROOM 256u

struct half {
    struct trench_desc *pages[NR_PAGES]; /* owned; the first ones are there */
    uint32_t used;
    uint32_t room;   /* descriptors that fit in the pages */
    int32_t max_var; /* -1 = no template address */
};

struct trench_vring {
    char name[256];
    struct half half[TRENCH_NCFW_NR_DIRS];
};

int trench_vring_create(const char *name, struct trench_vring **out)
{
    struct trench_vring *vring = calloc(1, sizeof(*vring));

    if (!vring) {
        return TRENCH_ERR_NOMEM;
    }
    snprintf(vring->name, sizeof(vring->name), "%s", name);
    for (unsigned d = 0; d < TRENCH_NCFW_NR_DIRS; d++) {
        vring->half[d].max_var = -1;
    }
    *out = vring;
    return 0;
}

void trench_vring_destroy(struct trench_vring *vring)
{
    if (!vring) {
        return;
    }
    for (unsigned d = 0; d < TRENCH_NCFW_NR_DIRS; d++) {
        for (unsigned p = 0; p < NR_PAGES; p++) {
            free(vring->half[d].pages[p]);
        }
    }
    free(vring);
}

const char *trench_vring_name(const struct trench_vring *vring)
{
    return vring->name;
}

/* Descriptors that the next step of growth adds up to. */
static uint32_t next_room(uint32_t room)
{
    if (room == 0) {
        return FIRST_ROOM;
    }
    return room < VRING_PAGE ? room * 2 : room + VRING_PAGE;
}

/* Room for one more descriptor. */
static int half_grow(struct half *half)
{
    uint32_t room = next_room(half->room);
    uint32_t page = (room - 1) >> VRING_PAGE_SHIFT;
    struct trench_desc *descs;

    if (half->used >= TRENCH_VRING_MAX) {
        return TRENCH_ERR_NOSPC;
    }
    if (half->used < half->room) {
        return 0;
    }
    descs = realloc(half->pages[page],
                    (room - (page << VRING_PAGE_SHIFT)) * sizeof(*descs));
    if (!descs) {
        return TRENCH_ERR_NOMEM;
    }
    half->pages[page] = descs;
    half->room = room;
    return 0;
}

static void half_add(struct half *half, const struct trench_desc *desc)
{
    int32_t var;

    half->pages[half->used >> VRING_PAGE_SHIFT][half->used & (VRING_PAGE - 1)] =
        *desc;
    half->used++;
    if (is_template(desc->buf)) {
        var =
            (int32_t)(desc->buf / TRENCH_TEMPLATE_BYTES % TRENCH_TEMPLATE_VARS);
        half->max_var = var > half->max_var ? var : half->max_var;
    }
}

int trench_vring_push(struct trench_vring *vring, enum trench_ncfw_dir dir,
                      const struct trench_desc *desc)
{
    int err;

    if ((unsigned)dir >= TRENCH_NCFW_NR_DIRS) {
        return TRENCH_ERR_INVAL;
    }
    err = half_grow(&vring->half[dir]);
    if (!err) {
        half_add(&vring->half[dir], desc);
    }
    return err;
}

int trench_vring_copy(struct trench_vring *vring,
                      const struct trench_copy *copy)
{
    struct trench_desc descs[TRENCH_NCFW_NR_DIRS];
    int err = trench_desc_copy(copy, descs);

    for (unsigned d = 0; d < TRENCH_NCFW_NR_DIRS && !err; d++) {
        err = half_grow(&vring->half[d]);
    }
    if (err) {
        return err;
    }
    for (unsigned d = 0; d < TRENCH_NCFW_NR_DIRS; d++) {
        half_add(&vring->half[d], &descs[d]);
    }
    return 0;
}

uint32_t trench_vring_used(const struct trench_vring *vring,
                           enum trench_ncfw_dir dir)
{
    return (unsigned)dir < TRENCH_NCFW_NR_DIRS ? vring->half[dir].used : 0;
}

int32_t trench_vring_max_var(const struct trench_vring *vring,
                             enum trench_ncfw_dir dir)
{
    return (unsigned)dir < TRENCH_NCFW_NR_DIRS ? vring->half[dir].max_var : -1;
}

struct desc_list vring_list(const struct trench_vring *vring,
                            enum trench_ncfw_dir dir)
{
    return (struct desc_list){
        .pages = vring->half[dir].pages,
        .nr = vring->half[dir].used,
    };
}

int trench_vring_get(const struct trench_vring *vring, enum trench_ncfw_dir dir,
                     uint32_t index, struct trench_desc *out)
{
    struct desc_list list;

    if (index >= trench_vring_used(vring, dir)) {
        return TRENCH_ERR_INVAL;
    }
    list = vring_list(vring, dir);
    *out = *desc_list_at(&list, index);
    return 0;
}
