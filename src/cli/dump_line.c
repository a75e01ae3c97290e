/* SPDX-License-Identifier: BSD-3-Clause */
#include "dump_line.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* A hexadecimal number as it was written. */
struct number {
    uint64_t val;
    size_t digits;
    bool prefix;   /* 0x */
    bool overflow; /* more than 64 bits */
};

/* The value of a digit, or -1. */
static int digit(char c)
{
    if (c >= '0' && c <= '9') {
        return c - '0';
    }
    c |= 0x20;
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

static const char *skip_blanks(const char *p)
{
    while (is_blank(*p)) {
        p++;
    }
    return p;
}

static bool is_prefix(const char *p)
{
    return p[0] == '0' && (p[1] == 'x' || p[1] == 'X') && digit(p[2]) >= 0;
}

/* A number with one of these behind it. Returns its end, or NULL. */
static const char *scan(const char *p, const char *ends, struct number *out)
{
    const char *start;
    int d;

    *out = (struct number){ .prefix = is_prefix(p) };
    p += out->prefix ? 2 : 0;
    for (start = p; (d = digit(*p)) >= 0; p++) {
        out->overflow |= out->val >> 60 != 0;
        out->val = out->val << 4 | (unsigned)d;
    }
    out->digits = (size_t)(p - start);
    if (out->digits == 0 || (*p != '\0' && !strchr(ends, *p))) {
        return NULL;
    }
    return p;
}

__attribute__((format(printf, 2, 3))) static void bad(struct dump_line *out,
                                                      const char *fmt, ...)
{
    va_list ap;

    out->kind = DUMP_BAD;
    va_start(ap, fmt);
    vsnprintf(out->why, sizeof(out->why), fmt, ap);
    va_end(ap);
}

/* Bytes of a word, for a message. */
static int word_len(const char *p)
{
    size_t len = strcspn(p, " \t");

    return len < 24 ? (int)len : 24;
}

/* Checks that go for every address with words behind it. */
static void check_range(struct dump_line *out)
{
    if (out->addr % 4 != 0) {
        bad(out, "the address is not a multiple of 4");
    } else if (out->addr + (4 * (uint64_t)out->nr_words - 1) < out->addr) {
        bad(out, "the values go past 2^64");
    }
}

/* ---- ADDRESS VALUE... ---------------------------------------------------- */

/* The values of a line, before it is known how wide they are. */
struct values {
    struct number first;
    size_t nr;
    bool alike;  /* as many digits as the first, and no 0x */
    bool broken; /* text behind them, not set off */
    uint64_t val[DUMP_WORDS];
};

static void add_value(struct dump_line *out, struct values *v,
                      const struct number *n)
{
    if (v->nr == DUMP_WORDS) {
        bad(out, "more than %d values", DUMP_WORDS);
        return;
    }
    if (n->overflow) {
        bad(out, "value %zu has more than 64 bits", v->nr + 1);
        return;
    }
    if (v->nr == 0) {
        v->first = *n;
        v->alike = !n->prefix;
    }
    v->alike = v->alike && !n->prefix && n->digits == v->first.digits;
    v->val[v->nr++] = n->val;
}

/* A column of characters, or a comment: set off by blanks or marked. */
static bool is_remark(const char *p, size_t gap, size_t nr)
{
    return *p == '#' || *p == ';' || *p == '|' || (*p == '/' && p[1] == '/') ||
           (nr > 0 && gap >= 3);
}

static void read_values(struct dump_line *out, const char *p, struct values *v)
{
    struct number n;
    const char *end;
    const char *from;
    size_t gap;

    while (out->kind != DUMP_BAD) {
        from = p;
        p = skip_blanks(p);
        gap = (size_t)(p - from);
        if (*p == '\0' || is_remark(p, gap, v->nr)) {
            return;
        }
        end = scan(p, " \t,", &n);
        if (end) {
            add_value(out, v, &n);
            p = *end == ',' ? end + 1 : end;
            continue;
        }
        if (digit(*p) >= 0 && *p <= '9' && (v->nr == 0 || gap < 2)) {
            bad(out, "'%.*s' is not a value", word_len(p), p);
        }
        v->broken = true;
        return;
    }
}

/* Bytes per value, from the way it is written. */
static unsigned unit_of(const struct values *v)
{
    if (v->alike && v->nr > 1 && v->first.digits <= 4 &&
        v->first.digits % 2 == 0) {
        return (unsigned)v->first.digits / 2;
    }
    return v->alike && v->first.digits == 16 ? 8 : 4;
}

/* Put values together, or take them apart, lowest byte first. */
static void pack(struct dump_line *out, const struct values *v)
{
    unsigned unit = unit_of(v);

    if (v->nr * unit % 4 != 0 || v->nr * unit / 4 > DUMP_WORDS) {
        bad(out, "%zu values of %u bytes are no number of words", v->nr, unit);
        return;
    }
    out->nr_words = (unsigned)(v->nr * unit / 4);
    memset(out->words, 0, out->nr_words * sizeof(*out->words));
    for (size_t i = 0; i < v->nr; i++) {
        size_t at = i * unit;

        if (unit == 8) {
            out->words[at / 4 + 1] = (uint32_t)(v->val[i] >> 32);
        } else if (v->val[i] > UINT32_MAX) {
            bad(out, "value %zu has more than 32 bits", i + 1);
            return;
        }
        out->words[at / 4] |= (uint32_t)v->val[i] << at % 4 * 8;
    }
}

/* "<symbol+4>" and one of ':' and '='. */
static const char *skip_separator(const char *p, bool *colon)
{
    const char *close;

    p = skip_blanks(p);
    if (*p == '<' && (close = strchr(p, '>')) != NULL) {
        p = skip_blanks(close + 1);
    }
    *colon = *p == ':' || *p == '=';
    return *colon ? p + 1 : p;
}

/* What has no 0x must look like an address, not like a word or a time. */
static bool is_address(const struct number *n, const char *text, bool colon,
                       const char *rest)
{
    if (n->prefix) {
        return true;
    }
    if (colon && !is_blank(*rest)) {
        return false;
    }
    return n->digits >= 4 || (colon && strcspn(text, "0123456789") < n->digits);
}

static void parse_dump(const char *text, struct dump_line *out)
{
    struct values v;
    struct number n;
    const char *p = scan(text, " \t:=,", &n);
    bool colon;

    if (!p) {
        if (is_prefix(text)) {
            bad(out, "'%.*s' is not an address", word_len(text), text);
        }
        return;
    }
    p = skip_separator(p, &colon);
    if (!is_address(&n, text, colon, p)) {
        return;
    }
    out->kind = DUMP_VALUE;
    v.first = n;
    v.nr = 0;
    v.alike = false;
    v.broken = false;
    read_values(out, *p == ',' ? p + 1 : p, &v);
    if (!n.prefix && (v.nr == 0 || (!colon && v.broken))) {
        out->kind = DUMP_TEXT; /* words that happen to be of a to f */
    } else if (out->kind != DUMP_BAD && v.nr == 0) {
        out->kind = DUMP_TEXT; /* a number, or a label */
    } else if (n.overflow) {
        bad(out, "the address has more than 64 bits");
    } else if (out->kind != DUMP_BAD) {
        out->addr = n.val;
        pack(out, &v);
    }
    if (out->kind == DUMP_VALUE) {
        check_range(out);
    }
    if (out->kind == DUMP_BAD && !n.prefix && !colon && n.digits < 8) {
        out->kind = DUMP_TEXT; /* "dead beef" */
    }
}

/* ---- R|W ADDRESS [SIZE] VALUE -------------------------------------------- */

/* One access; its value becomes words. */
static void set_access(struct dump_line *out, uint64_t addr, uint64_t size,
                       const struct number *val)
{
    if (size != 1 && size != 2 && size != 4 && size != 8) {
        bad(out, "a size of %llu bytes", (unsigned long long)size);
    } else if (addr % size != 0 && addr % 4 + size > 4) {
        bad(out, "%llu bytes at that address are not in one word",
            (unsigned long long)size);
    } else if (val->overflow || (size < 8 && val->val >> size * 8 != 0)) {
        bad(out, "the value does not fit into %llu byte%s",
            (unsigned long long)size, size == 1 ? "" : "s");
    } else {
        out->size = (unsigned)size;
        out->addr = addr & ~UINT64_C(3);
        out->nr_words = size == 8 ? 2 : 1;
        out->words[0] = (uint32_t)val->val << addr % 4 * 8;
        out->words[1] = (uint32_t)(val->val >> 32);
        if (size < 4) {
            out->mask = ((UINT32_C(1) << size * 8) - 1) << addr % 4 * 8;
        }
        check_range(out);
    }
}

/* "R", "W", "read", "write", in any case, and a blank. */
static enum dump_kind access_kind(const char *p, const char **rest)
{
    static const struct {
        const char *name;
        enum dump_kind kind;
    } names[] = {
        { "r", DUMP_READ },   { "w", DUMP_WRITE },   { "rd", DUMP_READ },
        { "wr", DUMP_WRITE }, { "read", DUMP_READ }, { "write", DUMP_WRITE },
    };
    size_t len = strcspn(p, " \t:");

    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        size_t k = 0;

        while (k < len && names[i].name[k] != '\0' &&
               (p[k] | 0x20) == names[i].name[k]) {
            k++;
        }
        if (k == len && names[i].name[k] == '\0' && p[len] != '\0') {
            *rest = skip_blanks(p + len + 1);
            return names[i].kind;
        }
    }
    return DUMP_TEXT;
}

/* "4", the size of an access. */
static uint64_t decimal(const char *p)
{
    uint64_t val = 0;

    for (; *p >= '0' && *p <= '9' && val < 1000000; p++) {
        val = val * 10 + (unsigned)(*p - '0');
    }
    return *p == '\0' || is_blank(*p) || *p == ',' ? val : 0;
}

static const char *next_word(const char *p)
{
    p = skip_blanks(p);
    return *p == ',' || *p == '=' ? skip_blanks(p + 1) : p;
}

/* A number where there should be one; false: TEXT or BAD. */
static bool want(struct dump_line *out, const char **p, struct number *n,
                 bool sure, const char *what)
{
    const char *end = scan(*p, " \t,=:;)", n);

    if (end) {
        *p = next_word(*end == ':' ? end + 1 : end);
        return true;
    }
    if (**p == '\0' && sure) {
        bad(out, "the line ends early");
    } else if (**p != '\0' && (sure || (**p >= '0' && **p <= '9'))) {
        bad(out, "'%.*s' is not %s", word_len(*p), *p, what);
    } else {
        out->kind = DUMP_TEXT;
    }
    return false;
}

static void parse_access(const char *p, struct dump_line *out)
{
    struct number addr;
    struct number size;
    struct number val;
    const char *size_text;

    if (!want(out, &p, &addr, false, "an address")) {
        return;
    }
    size_text = p;
    if (!want(out, &p, &size, addr.prefix, "a size or a value")) {
        return;
    }
    if (addr.overflow) {
        bad(out, "the address has more than 64 bits");
    } else if (!scan(p, " \t,=:;)", &val)) {
        if (*p >= '0' && *p <= '9') {
            bad(out, "'%.*s' is not a value", word_len(p), p);
        } else if (size.prefix) {
            set_access(out, addr.val, 4, &size); /* no size: ADDRESS VALUE */
        } else {
            bad(out, "there is no value behind the size");
        }
    } else if (size.prefix) {
        set_access(out, addr.val, size.val, &val);
    } else if (!addr.prefix && decimal(size_text) == 0) {
        out->kind = DUMP_TEXT; /* words of a to f */
    } else {
        set_access(out, addr.val, decimal(size_text), &val);
    }
}

/* ---- consoles ------------------------------------------------------------ */

/* "devmem ADDRESS [WIDTH [VALUE]]", also devmem2; what stands before it is a
 * prompt. */
static bool parse_devmem(struct dump_state *state, const char *text,
                         struct dump_line *out)
{
    const char *p = strstr(text, "devmem");
    struct number addr;
    struct number val;

    if (!p || (p > text && isalnum((unsigned char)p[-1]))) {
        return false;
    }
    p += strlen("devmem");
    p = skip_blanks(*p == '2' ? p + 1 : p);
    p = is_prefix(p) ? scan(p, " \t", &addr) : NULL;
    if (!p || addr.overflow || addr.val % 4 != 0) {
        return false;
    }
    p = skip_blanks(p);
    p = skip_blanks(p + strcspn(p, " \t"));
    if (scan(p, " \t", &val)) {
        out->kind = DUMP_WRITE;
        set_access(out, addr.val, 4, &val);
    } else {
        state->pending = true;
        state->addr = addr.val;
    }
    return true;
}

/* The line behind it. */
static bool parse_answer(struct dump_state *state, const char *text,
                         struct dump_line *out)
{
    struct number n;
    const char *end = scan(text, " \t", &n);

    if (!state->pending) {
        return false;
    }
    state->pending = false;
    if (!end || *skip_blanks(end) != '\0' || !n.prefix) {
        return false;
    }
    out->kind = DUMP_READ;
    set_access(out, state->addr, 4, &n);
    return true;
}

/* From one number to the next: no digits, not far, "(0x7f...)" left out. */
static const char *next_hex(const char *p)
{
    const char *far = p + strnlen(p, 24);
    const char *after = skip_blanks(p);
    const char *close = *after == '(' ? strchr(after, ')') : NULL;

    if (close) {
        p = close + 1;
        far = p + strnlen(p, 24);
    }
    for (; p < far && !is_prefix(p); p++) {
        if (*p >= '0' && *p <= '9') {
            return NULL;
        }
    }
    return p < far ? p : NULL;
}

/* "text 0xADDRESS = 0xVALUE": taken for an access when a register is there. */
static void parse_log(const char *text, struct dump_line *out)
{
    const char *ends = " \t:=,;)]>-.";
    const char *p = text;
    struct number addr;
    struct number val;

    while (!is_prefix(p)) {
        p = strchr(*p == '\0' ? p : p + 1, '0');
        if (!p) {
            return;
        }
    }
    p = scan(p, ends, &addr);
    p = p ? next_hex(p) : NULL;
    if (!p || !scan(p, ends, &val) || addr.overflow || addr.val % 4 != 0 ||
        val.val > UINT32_MAX) {
        return;
    }
    out->guess = true;
    out->kind = strcasestr(text, "writ")   ? DUMP_WRITE
                : strcasestr(text, "read") ? DUMP_READ
                                           : DUMP_VALUE;
    set_access(out, addr.val, 4, &val);
}

/* "[   12.345678] " of the kernel's log, or "12.345678 ". */
static const char *skip_time(const char *text)
{
    const char *p = skip_blanks(text);
    const char *q;

    while (*p == '[' && (q = strchr(p, ']')) != NULL) {
        p = skip_blanks(q + 1);
    }
    q = p + strspn(p, "0123456789");
    if (q > p && *q == '.') {
        q += 1 + strspn(q + 1, "0123456789");
        q += *q == ':';
        p = is_blank(*q) ? skip_blanks(q) : p;
    }
    return p;
}

static bool is_comment(const char *p)
{
    return *p == '\0' || *p == '#' || *p == ';' || (*p == '/' && p[1] == '/');
}

void dump_line_parse(struct dump_state *state, const char *text,
                     struct dump_line *out)
{
    const char *p = skip_time(text);
    const char *rest;

    out->kind = DUMP_TEXT;
    out->guess = false;
    out->addr = 0;
    out->size = 4;
    out->mask = UINT32_MAX;
    out->nr_words = 0;
    out->why[0] = '\0';
    if (parse_answer(state, p, out) || parse_devmem(state, p, out) ||
        is_comment(p)) {
        return;
    }
    out->kind = access_kind(p, &rest);
    if (out->kind != DUMP_TEXT) {
        parse_access(rest, out);
    } else if (digit(*p) >= 0) {
        parse_dump(p, out);
    }
    if (out->kind == DUMP_TEXT) {
        parse_log(p, out);
    }
}
