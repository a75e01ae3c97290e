/* SPDX-License-Identifier: BSD-3-Clause */
/* The known name that is nearest to a misspelt one. */
#ifndef TRENCH_MAP_SUGGEST_H
#define TRENCH_MAP_SUGGEST_H

#include <stddef.h>

#include <trench/gen.h>

struct suggestion {
    const char *word; /* not terminated */
    int len;
    size_t plain_len; /* without an index */
    unsigned least;   /* distance that a name must stay below */
    char text[96];    /* of the best one so far */
};

void suggest_start(struct suggestion *s, const char *word, size_t len);

/* One more name to compare with. */
void suggest_name(struct suggestion *s, const char *name);

/* The names of a row: "TPB_0", "TPB_1", ...; or "INC". */
void suggest_row(struct suggestion *s, const struct trench_gen_window *row);

/* "; did you mean 'TPB_1'?", or "" when nothing is near. */
const char *suggest_text(struct suggestion *s);

#endif /* TRENCH_MAP_SUGGEST_H */
