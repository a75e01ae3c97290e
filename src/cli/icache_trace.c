/* SPDX-License-Identifier: BSD-3-Clause */
#include "icache_trace.h"

#include <string.h>

/* A line that is being read. */
struct text {
    const char *p;
    const char *end;
};

/* ---- one line ------------------------------------------------------------ */

/* Value + 1 of a digit; 0 = it is none. */
static const uint8_t hex_digits[256] = {
    ['0'] = 1,  ['1'] = 2,  ['2'] = 3,  ['3'] = 4,  ['4'] = 5,  ['5'] = 6,
    ['6'] = 7,  ['7'] = 8,  ['8'] = 9,  ['9'] = 10, ['a'] = 11, ['b'] = 12,
    ['c'] = 13, ['d'] = 14, ['e'] = 15, ['f'] = 16, ['A'] = 11, ['B'] = 12,
    ['C'] = 13, ['D'] = 14, ['E'] = 15, ['F'] = 16,
};

static unsigned hex_digit(char c)
{
    return hex_digits[(unsigned char)c];
}

static void skip_blanks(struct text *t)
{
    while (t->p < t->end && (*t->p == ' ' || *t->p == '\t')) {
        t->p++;
    }
}

/* 1 to 16 digits, "0x" or not. */
static bool take_hex(struct text *t, uint64_t *val)
{
    const char *p = t->p;
    const char *first;
    uint64_t sum = 0;
    unsigned digit;

    if (t->end - p > 2 && p[0] == '0' && (p[1] | 0x20) == 'x') {
        p += 2;
    }
    for (first = p; p < t->end && (digit = hex_digit(*p)) != 0; p++) {
        sum = sum << 4 | (digit - 1);
    }
    t->p = p;
    *val = sum;
    return p > first && p - first <= 16;
}

/* ",3", to the end of the line. */
static bool take_size(struct text *t, uint32_t *size)
{
    const char *first = ++t->p;

    *size = 0;
    while (t->p < t->end && *t->p >= '0' && *t->p <= '9' &&
           *size <= ICACHE_TRACE_MAX_SIZE) {
        *size = *size * 10 + (uint32_t)(*t->p++ - '0');
    }
    skip_blanks(t);
    return t->p > first && t->p == t->end && *size >= 1 &&
           *size <= ICACHE_TRACE_MAX_SIZE;
}

/* The bytes of an instruction: groups of digits, one blank between them. */
static uint32_t count_code(struct text *t)
{
    uint32_t bytes = 0;

    for (;;) {
        const char *first = t->p;

        while (t->p < t->end && hex_digit(*t->p) != 0) {
            t->p++;
        }
        if (t->p == first || (t->p - first) % 2 != 0 ||
            (t->p < t->end && *t->p != ' ')) {
            return bytes;
        }
        bytes += (uint32_t)(t->p - first) / 2;
        if (t->end - t->p < 2 || t->p[1] == ' ') {
            return bytes;
        }
        t->p++;
    }
}

/* Plain, or a disassembled instruction when a colon follows. */
static enum icache_trace_kind plain(struct text *t,
                                    struct trench_icache_record *out)
{
    if (!take_hex(t, &out->addr)) {
        return ICACHE_TRACE_BAD;
    }
    out->size_bytes = 1;
    if (t->p < t->end && *t->p == ',') {
        return take_size(t, &out->size_bytes) ? ICACHE_TRACE_RECORD
                                              : ICACHE_TRACE_BAD;
    }
    if (t->p < t->end && *t->p == ':') {
        t->p++;
        skip_blanks(t);
        out->size_bytes = count_code(t);
        out->size_bytes = out->size_bytes ? out->size_bytes : 1;
        return out->size_bytes <= ICACHE_TRACE_MAX_SIZE ? ICACHE_TRACE_RECORD
                                                        : ICACHE_TRACE_BAD;
    }
    skip_blanks(t);
    return t->p == t->end ? ICACHE_TRACE_RECORD : ICACHE_TRACE_BAD;
}

/* After "I": a size is part of every record, so one without it was cut. */
static enum icache_trace_kind lackey(struct text *t,
                                     struct trench_icache_record *out)
{
    skip_blanks(t);
    if (!take_hex(t, &out->addr) || t->p == t->end || *t->p != ',' ||
        !take_size(t, &out->size_bytes)) {
        return ICACHE_TRACE_BAD;
    }
    return ICACHE_TRACE_RECORD;
}

/* After "Trace": [PC], or [CS_BASE/PC/FLAGS...]. */
static enum icache_trace_kind exec(struct text *t,
                                   struct trench_icache_record *out)
{
    const char *open = memchr(t->p, '[', (size_t)(t->end - t->p));

    if (!open) {
        return ICACHE_TRACE_BAD;
    }
    t->p = open + 1;
    out->size_bytes = 1;
    if (!take_hex(t, &out->addr) || t->p == t->end) {
        return ICACHE_TRACE_BAD;
    }
    if (*t->p == '/') {
        t->p++;
        if (!take_hex(t, &out->addr) || t->p == t->end ||
            (*t->p != '/' && *t->p != ']')) {
            return ICACHE_TRACE_BAD;
        }
        return ICACHE_TRACE_RECORD;
    }
    return *t->p == ']' ? ICACHE_TRACE_RECORD : ICACHE_TRACE_BAD;
}

static enum icache_trace_kind skipped(struct text *t,
                                      struct trench_icache_record *out)
{
    (void)t;
    (void)out;
    return ICACHE_TRACE_SKIPPED;
}

/* How lines begin; the first that fits decides, so the usual come first. */
static const struct {
    const char *start;
    size_t len;
    enum icache_trace_kind (*parse)(struct text *t,
                                    struct trench_icache_record *out);
} starts[] = {
#define START(text, parse)                                                     \
    {                                                                          \
        text, sizeof(text) - 1, parse                                          \
    }
    START("I ", lackey),        START(" L ", skipped),
    START(" S ", skipped),      START(" M ", skipped),
    START("==", skipped),       START("--", skipped),
    START("**", skipped),       START("#", skipped),
    START("Trace ", exec),      START("IN:", skipped),
    START("Linking ", skipped), START("OBJD-", skipped),
    START("Stopped ", skipped),
#undef START
};

enum icache_trace_kind icache_trace_line(const char *line, size_t len,
                                         struct trench_icache_record *out)
{
    struct text t = { line, line + len };

    if (len > 0 && line[len - 1] == '\r') {
        t.end--;
        len--;
    }
    for (size_t i = 0; i < sizeof(starts) / sizeof(starts[0]); i++) {
        if (len >= starts[i].len && line[0] == starts[i].start[0] &&
            memcmp(line, starts[i].start, starts[i].len) == 0) {
            t.p += starts[i].len;
            return starts[i].parse(&t, out);
        }
    }
    skip_blanks(&t);
    return t.p == t.end ? ICACHE_TRACE_SKIPPED : plain(&t, out);
}

/* ---- the file ------------------------------------------------------------ */

bool icache_trace_open(struct icache_trace *t, int fd)
{
    memset(&t->counts, 0, sizeof(t->counts));
    t->bytes = 0;
    t->have = 0;
    t->at = 0;
    t->ended = false;
    t->in_long_line = false;
    return dump_input_open(&t->in, fd);
}

void icache_trace_close(struct icache_trace *t)
{
    dump_input_close(&t->in);
}

static void refill(struct icache_trace *t)
{
    size_t got;

    memmove(t->buf, t->buf + t->at, t->have - t->at);
    t->have -= t->at;
    t->at = 0;
    got = dump_input_read(&t->in, t->buf + t->have, sizeof(t->buf) - t->have);
    t->have += got;
    t->bytes += got;
    t->ended = got == 0;
}

static void count_bad(struct icache_trace *t)
{
    t->counts.not_understood++;
    if (t->counts.first_bad == 0) {
        t->counts.first_bad = t->counts.lines;
    }
}

/* Returns 1 when the line was a record. */
static size_t take_line(struct icache_trace *t, size_t len,
                        struct trench_icache_record *out)
{
    struct icache_trace_counts *c = &t->counts;

    c->lines++;
    switch (icache_trace_line(t->buf + t->at, len, out)) {
    case ICACHE_TRACE_SKIPPED:
        c->skipped++;
        return 0;
    case ICACHE_TRACE_BAD:
        count_bad(t);
        return 0;
    case ICACHE_TRACE_RECORD:
        break;
    }
    if (c->records == 0 || out->addr < c->lowest) {
        c->lowest = out->addr;
    }
    if (c->records == 0 || out->addr > c->highest) {
        c->highest = out->addr;
    }
    c->records++;
    return 1;
}

/* No newline in a whole buffer: one line that nobody prints. */
static void drop_long_line(struct icache_trace *t)
{
    if (!t->in_long_line) {
        t->counts.lines++;
        count_bad(t);
    }
    t->in_long_line = true;
    t->at = t->have;
}

size_t icache_trace_read(struct icache_trace *t,
                         struct trench_icache_record *records, size_t max)
{
    size_t nr = 0;

    while (nr < max) {
        size_t left = t->have - t->at;
        char *newline = memchr(t->buf + t->at, '\n', left);
        size_t len = newline ? (size_t)(newline - (t->buf + t->at)) : left;

        if (!newline && !t->ended) {
            if (left == sizeof(t->buf)) {
                drop_long_line(t);
            }
            refill(t);
            continue;
        }
        if (!newline && left == 0) {
            break;
        }
        if (!t->in_long_line) {
            nr += take_line(t, len, &records[nr]);
        }
        t->in_long_line = false;
        t->at += len + (newline != NULL);
    }
    return nr;
}
