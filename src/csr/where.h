/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Lines of JSON text. jansson keeps positions only for bad syntax, so the
 * line of a fault elsewhere is searched when it is needed.
 */
#ifndef TRENCH_CSR_WHERE_H
#define TRENCH_CSR_WHERE_H

#include <stddef.h>

/* Into member key of an object and, where that is a list, its element idx. */
struct where_step {
    const char *key;
    size_t idx;
};

/*
 * 1-based line of what the steps lead to, or of the last thing on the way
 * that exists. The text has passed jansson.
 */
int where_line(const char *text, size_t len, const struct where_step *steps,
               size_t nr_steps);

#endif /* TRENCH_CSR_WHERE_H */
