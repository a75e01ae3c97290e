/* SPDX-License-Identifier: BSD-3-Clause */
#include "map_parse.h"

#include <ctype.h>
#include <string.h>

const char *map_parse_hex(const char *text, size_t len, uint64_t *out)
{
    const char *digits = text;
    uint64_t val = 0;

    if (len > 1 && text[0] == '-') {
        return "is negative";
    }
    if (len > 2 && text[0] == '0' && tolower((unsigned char)text[1]) == 'x') {
        digits += 2;
        len -= 2;
    }
    if (len == 0) {
        return "is not a hexadecimal number";
    }
    for (size_t i = 0; i < len; i++) {
        if (!isxdigit((unsigned char)digits[i])) {
            return "is not a hexadecimal number";
        }
    }
    for (size_t i = 0; i < len; i++) {
        int c = tolower((unsigned char)digits[i]);

        if (val >> 60 != 0) {
            return "has more than 64 bits";
        }
        val = val << 4 | (unsigned)(isdigit(c) ? c - '0' : c - 'a' + 10);
    }
    *out = val;
    return NULL;
}

bool map_is_number(const char *text)
{
    return text[0] == '\0' || text[0] == '-' ||
           isdigit((unsigned char)text[0]) ||
           strspn(text, "0123456789abcdefABCDEF") == strlen(text);
}

const char *map_parse_range(const char *text, struct trench_map_range *out)
{
    const char *dots = strstr(text, "..");
    const char *plus = strchr(text, '+');
    const char *sep = dots ? dots : plus;
    const char *rest = dots ? dots + 2 : plus ? plus + 1 : NULL;
    const char *why;
    uint64_t second;

    if (!sep) {
        return "is not A..B or A+SIZE";
    }
    why = map_parse_hex(text, (size_t)(sep - text), &out->first);
    if (!why) {
        why = map_parse_hex(rest, strlen(rest), &second);
    }
    if (why) {
        return why;
    }
    if (dots ? second <= out->first : second == 0) {
        return "is empty";
    }
    if (!dots && second - 1 > UINT64_MAX - out->first) {
        return "goes past 2^64";
    }
    out->last = dots ? second - 1 : out->first + (second - 1);
    return NULL;
}
