/* SPDX-License-Identifier: BSD-3-Clause */
#include "gen/map_suggest.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#define MAX_LEN 48 /* of both names */

void suggest_start(struct suggestion *s, const char *word, size_t len)
{
    const char *index = memchr(word, '[', len);

    s->word = word;
    s->len = len < MAX_LEN ? (int)len : MAX_LEN;
    s->plain_len = index && index - word < s->len ? (size_t)(index - word)
                                                  : (size_t)s->len;
    /* More slips than that are another word. */
    s->least = len < 6 ? 2 : 3 + (unsigned)len / 12;
    s->text[0] = '\0';
}

static unsigned min_uint(unsigned a, unsigned b)
{
    return a < b ? a : b;
}

/* Insertions, deletions and replacements, letters in any case. */
static unsigned distance(const char *a, size_t a_len, const char *b)
{
    unsigned row[MAX_LEN + 1];
    size_t b_len = strlen(b);

    if (b_len > MAX_LEN) {
        return MAX_LEN;
    }
    for (unsigned j = 0; j <= b_len; j++) {
        row[j] = j;
    }
    for (unsigned i = 0; i < a_len; i++) {
        unsigned diagonal = i;

        row[0] = i + 1;
        for (unsigned j = 1; j <= b_len; j++) {
            unsigned above = row[j];
            bool same = tolower((unsigned char)a[i]) ==
                        tolower((unsigned char)b[j - 1]);

            row[j] =
                min_uint(min_uint(above, row[j - 1]) + 1, diagonal + !same);
            diagonal = above;
        }
    }
    return row[b_len];
}

/* True when it is the nearest one so far. */
static bool is_nearer(struct suggestion *s, const char *name)
{
    unsigned dist = distance(s->word, s->plain_len, name);

    if (dist >= s->least) {
        return false;
    }
    s->least = dist;
    return true;
}

void suggest_name(struct suggestion *s, const char *name)
{
    if (is_nearer(s, name)) {
        snprintf(s->text, sizeof(s->text), "; did you mean '%s'?", name);
    }
}

void suggest_row(struct suggestion *s, const struct trench_gen_window *row)
{
    unsigned count = row->count > 1 ? row->count : 1;
    unsigned last = row->number + count - 1;
    char name[64];

    if (row->name[strlen(row->name) - 1] == '_') {
        for (unsigned i = row->number; i <= last; i++) {
            snprintf(name, sizeof(name), "%s%u", row->name, i);
            suggest_name(s, name);
        }
    } else if (is_nearer(s, row->name)) {
        name[0] = '\0';
        if (count > 1) {
            snprintf(name, sizeof(name), "[%u-%u]", row->number, last);
        }
        snprintf(s->text, sizeof(s->text), "; did you mean '%s%s'?", row->name,
                 name);
    }
}

const char *suggest_text(struct suggestion *s)
{
    return s->text;
}
