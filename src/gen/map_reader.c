/* SPDX-License-Identifier: BSD-3-Clause */
#include "gen/map_reader.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

int map_name_refuse(struct map_name_reader *f, int code, const char *fmt, ...)
{
    va_list ap;

    if (f->err) {
        f->err->at = f->pos;
        va_start(ap, fmt);
        vsnprintf(f->err->reason, sizeof(f->err->reason), fmt, ap);
        va_end(ap);
    }
    return code;
}

/* In ASCII: the one of the C library asks the locale each time. */
static char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static bool alike(char a, char b)
{
    return a == b || lower(a) == lower(b) || (a == '.' && b == '_');
}

/* Where the name goes on after a word; 0 when it does not start with it. */
size_t map_name_after_word(const struct map_name_reader *f, size_t pos,
                           const char *word)
{
    for (; *word != '\0'; word++, pos++) {
        if (pos >= f->end || !alike(f->name[pos], *word)) {
            return 0;
        }
    }
    return pos;
}

/* The same for a decimal number of at most five digits. */
size_t map_name_after_number(const struct map_name_reader *f, size_t pos,
                             unsigned *out)
{
    size_t start = pos;

    *out = 0;
    while (pos < f->end && pos - start < 5 &&
           isdigit((unsigned char)f->name[pos])) {
        *out = *out * 10 + (unsigned)(f->name[pos++] - '0');
    }
    return pos > start ? pos : 0;
}

bool map_name_ends_at(const struct map_name_reader *f, size_t pos)
{
    return pos == f->end || f->name[pos] == '.' || f->name[pos] == '_';
}

bool map_name_skip_separator(struct map_name_reader *f)
{
    if (f->pos < f->end && map_name_ends_at(f, f->pos)) {
        f->pos++;
        return true;
    }
    return false;
}

/* Length of what stands before the next '.', for look-up or message. */
size_t map_name_token_len(const struct map_name_reader *f)
{
    const char *dot = memchr(f->name + f->pos, '.', f->end - f->pos);

    return dot ? (size_t)(dot - (f->name + f->pos)) : f->end - f->pos;
}

bool map_name_token_is(const struct map_name_reader *f, const char *word)
{
    return strlen(word) == map_name_token_len(f) &&
           strncasecmp(word, f->name + f->pos, map_name_token_len(f)) == 0;
}

int map_name_start(struct map_name_reader *f)
{
    const char *plus = strrchr(f->name, '+');
    const char *digits;

    f->end = strlen(f->name);
    if (!plus) {
        return 0;
    }
    digits = plus + 1;
    if (digits[0] == '0' && (digits[1] == 'x' || digits[1] == 'X')) {
        digits += 2;
    }
    f->pos = (size_t)(digits - f->name);
    if (strlen(digits) == 0 || strlen(digits) > 16 ||
        strspn(digits, "0123456789abcdefABCDEF") != strlen(digits)) {
        return map_name_refuse(f, TRENCH_ERR_INVAL,
                               "'%.40s' is not an offset in hex", plus);
    }
    for (; *digits != '\0'; digits++) {
        unsigned d = isdigit((unsigned char)*digits)
                         ? (unsigned)(*digits - '0')
                         : 10u + (unsigned)(tolower(*digits) - 'a');

        f->plus = f->plus << 4 | d;
    }
    f->end = (size_t)(plus - f->name);
    f->pos = 0;
    return 0;
}
