/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TRENCH_NCFW_BUNDLE_H
#define TRENCH_NCFW_BUNDLE_H

#include <stdbool.h>

/* Bundles above 3 use the upper 16 engines of a virtual core (seed 000 3.5). */
static inline bool bundle_is_upper(unsigned bundle)
{
    return bundle > 3;
}

#endif /* TRENCH_NCFW_BUNDLE_H */
