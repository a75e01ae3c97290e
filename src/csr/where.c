/* SPDX-License-Identifier: BSD-3-Clause */
/* A scanner that only knows strings and brackets; it never leaves the text. */
#include "csr/where.h"

#include <stdbool.h>
#include <string.h>

struct scan {
    const char *text;
    size_t len;
    size_t pos;
};

static char peek(const struct scan *sc)
{
    return sc->pos < sc->len ? sc->text[sc->pos] : '\0';
}

/* Also skips the commas and colons between things. */
static void skip_blanks(struct scan *sc)
{
    while (sc->pos < sc->len && memchr(" \t\r\n,:", sc->text[sc->pos], 6)) {
        sc->pos++;
    }
}

/* From the opening quote to behind the closing one. */
static void skip_string(struct scan *sc)
{
    for (sc->pos++; sc->pos < sc->len; sc->pos++) {
        if (sc->text[sc->pos] == '\\') {
            sc->pos++;
        } else if (sc->text[sc->pos] == '"') {
            sc->pos++;
            return;
        }
    }
}

static void skip_value(struct scan *sc)
{
    size_t depth = 0;

    do {
        char c = peek(sc);

        if (c == '"') {
            skip_string(sc);
            continue;
        }
        depth += c == '{' || c == '[';
        depth -= depth > 0 && (c == '}' || c == ']');
        sc->pos++;
        /* Numbers, true, false and null end before these. */
    } while (sc->pos < sc->len &&
             (depth > 0 || !memchr(" \t\r\n,:]}", sc->text[sc->pos], 8)));
}

/* At '{': to the value of the key. */
static bool enter_member(struct scan *sc, const char *key)
{
    size_t len = strlen(key);

    sc->pos++;
    for (skip_blanks(sc); peek(sc) == '"'; skip_blanks(sc)) {
        const char *name = sc->text + sc->pos + 1;
        size_t start = sc->pos;

        skip_string(sc);
        skip_blanks(sc);
        if (sc->pos - start > len + 1 && memcmp(name, key, len) == 0 &&
            name[len] == '"') {
            return sc->pos < sc->len;
        }
        skip_value(sc);
    }
    return false;
}

/* At '[': to the element. */
static bool enter_element(struct scan *sc, size_t idx)
{
    sc->pos++;
    for (skip_blanks(sc); sc->pos < sc->len && peek(sc) != ']';
         skip_blanks(sc)) {
        if (idx-- == 0) {
            return true;
        }
        skip_value(sc);
    }
    return false;
}

int where_line(const char *text, size_t len, const struct where_step *steps,
               size_t nr_steps)
{
    struct scan sc = { text, len, 0 };
    size_t good;
    int line = 1;

    skip_blanks(&sc);
    good = sc.pos;
    for (size_t i = 0; i < nr_steps; i++) {
        if (peek(&sc) != '{' || !enter_member(&sc, steps[i].key)) {
            break;
        }
        good = sc.pos;
        if (peek(&sc) == '[') {
            if (!enter_element(&sc, steps[i].idx)) {
                break;
            }
            good = sc.pos;
        }
    }
    for (size_t i = 0; i < good && i < len; i++) {
        line += text[i] == '\n';
    }
    return line;
}
