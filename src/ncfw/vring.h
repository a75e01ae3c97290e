/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TRENCH_VRING_H
#define TRENCH_VRING_H

#include <trench/pring.h>

#define TEMPLATE_BIT (UINT64_C(1) << 61)

/* trench_is_template() where it is asked of every descriptor. */
static inline bool is_template(uint64_t addr)
{
    return (addr & TEMPLATE_BIT) != 0;
}

/* Whether trench_desc_copy() takes a copy. */
bool desc_is_possible(const struct trench_copy *copy);

/* Descriptors by number, in one piece or in pages. Borrowed. */
struct desc_list {
    const struct trench_desc *flat;   /* NULL = in pages */
    struct trench_desc *const *pages; /* VRING_PAGE descriptors each */
    uint32_t nr;
};

#define VRING_PAGE_SHIFT 16
#define VRING_PAGE       (UINT32_C(1) << VRING_PAGE_SHIFT)

static inline const struct trench_desc *desc_list_at(
    const struct desc_list *list, uint32_t i)
{
    return list->flat
               ? &list->flat[i]
               : &list->pages[i >> VRING_PAGE_SHIFT][i & (VRING_PAGE - 1)];
}

/* One direction of a template. */
struct desc_list vring_list(const struct trench_vring *vring,
                            enum trench_ncfw_dir dir);

#endif /* TRENCH_VRING_H */
