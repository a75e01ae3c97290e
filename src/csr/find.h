/* SPDX-License-Identifier: BSD-3-Clause */
/* Names cut into parts: find.c matches them, explain.c says why not. */
#ifndef TRENCH_CSR_FIND_H
#define TRENCH_CSR_FIND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <trench/csr.h>

#define FIND_MAX_PARTS 8  /* block, bundles in bundles, register, field */
#define FIND_QUOTE     40 /* how much of a bad name a message repeats */

struct part {
    const char *s;
    size_t len;
    uint32_t index;
    bool has_index;
};

struct parts {
    struct part items[FIND_MAX_PARTS];
    size_t nr;
};

/* ASCII only, and without the locale. */
static inline char find_lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c | 0x20) : c;
}

/* Part against the first len characters of a name. */
static inline bool find_same_n(const struct part *part, const char *name,
                               size_t len)
{
    if (len != part->len) {
        return false;
    }
    for (size_t i = 0; i < len; i++) {
        if (find_lower(part->s[i]) != find_lower(name[i])) {
            return false;
        }
    }
    return true;
}

static inline bool find_same(const struct part *part, const char *name)
{
    const char *s = part->s;
    size_t i = 0;

    while (i < part->len && find_lower(s[i]) == find_lower(name[i])) {
        i++; /* stops at the end of name: no part holds '\0' */
    }
    return i == part->len && name[i] == '\0';
}

/* No part from there on has an index. */
bool find_names_alone(const struct parts *parts, size_t from);

/*
 * Parts that the name of ref->bundle takes up, 0 when it is another one. Sets
 * index and has_index of ref, whether the index exists or not.
 */
size_t find_match_bundle(const struct parts *parts, size_t at,
                         struct trench_csr_ref *ref);

/* Fill err, if there is one, with printable text. Returns rc. */
int find_refuse(struct trench_csr_error *err, int rc, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Why the set has nothing of that name; returns the code. */
int find_explain(const struct trench_csr_set *set, const struct parts *parts,
                 struct trench_csr_error *err);
/* ref has a register, which has no such field. */
int find_explain_field(const struct trench_csr_ref *ref,
                       const struct part *part, struct trench_csr_error *err);

#endif /* TRENCH_CSR_FIND_H */
