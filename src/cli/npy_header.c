/* SPDX-License-Identifier: BSD-3-Clause */
#include "npy_header.h"

#include <endian.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define MAGIC       "\x93NUMPY"
#define MAGIC_BYTES 6
#define ALIGN_BYTES 64u
#define V1_PREFIX   10u

#define ARRAY_LEN(a) (sizeof(a) / sizeof((a)[0]))

int npy_fail(char why[NPY_WHY], const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    vsnprintf(why, NPY_WHY, fmt, ap);
    va_end(ap);
    return -1;
}

/* ---- magic, version, length ---------------------------------------------- */

static uint32_t get_le(const uint8_t *p, unsigned n)
{
    uint32_t val = 0;

    for (unsigned i = 0; i < n; i++) {
        val |= (uint32_t)p[i] << 8 * i;
    }
    return val;
}

int npy_prefix_parse(const uint8_t *bytes, size_t len, struct npy_prefix *out,
                     char why[NPY_WHY])
{
    size_t magic = len < MAGIC_BYTES ? len : MAGIC_BYTES;
    unsigned len_bytes;
    uint32_t text_bytes;

    if (len == 0) {
        return npy_fail(why, "expected a .npy file, found an empty one");
    }
    if (memcmp(bytes, MAGIC, magic) != 0) {
        return npy_fail(why, "expected a .npy file, but it does not start with "
                             "\\x93NUMPY");
    }
    if (len < MAGIC_BYTES + 2) {
        return npy_fail(why, "the file ends inside its header");
    }
    if (bytes[6] < 1 || bytes[6] > 3 || bytes[7] != 0) {
        return npy_fail(why,
                        "expected format version 1.0, 2.0 or 3.0, found %u.%u",
                        bytes[6], bytes[7]);
    }
    len_bytes = bytes[6] == 1 ? 2 : 4;
    if (len < MAGIC_BYTES + 2 + len_bytes) {
        return npy_fail(why, "the file ends inside its header");
    }
    text_bytes = get_le(bytes + 8, len_bytes);
    if (text_bytes == 0 || text_bytes > NPY_MAX_HEADER) {
        return npy_fail(why, "expected a header of 1 to %u bytes, found %u",
                        NPY_MAX_HEADER, text_bytes);
    }
    out->prefix_bytes = MAGIC_BYTES + 2 + len_bytes;
    out->text_bytes = text_bytes;
    return 0;
}

/* ---- the dict ------------------------------------------------------------ */

/* A text being read; it need not end with a NUL. */
struct cursor {
    const char *start;
    const char *p;
    const char *end;
    char *why;
};

static char peek(const struct cursor *c)
{
    return c->p < c->end ? *c->p : '\0';
}

static void skip_space(struct cursor *c)
{
    while (c->p < c->end && *c->p != '\0' && strchr(" \t\r\n", *c->p)) {
        c->p++;
    }
}

static int expected(const struct cursor *c, const char *what)
{
    unsigned at = (unsigned)(c->p - c->start);
    unsigned char found;

    if (c->p == c->end) {
        return npy_fail(c->why, "header: expected %s, found its end", what);
    }
    found = (unsigned char)*c->p;
    if (found < 0x20 || found >= 0x7f) {
        return npy_fail(c->why, "header, byte %u: expected %s, found 0x%02x",
                        at, what, found);
    }
    return npy_fail(c->why, "header, byte %u: expected %s, found '%c'", at,
                    what, found);
}

/* One character after any space. */
static int want_char(struct cursor *c, char ch, const char *what)
{
    skip_space(c);
    if (peek(c) != ch || c->p == c->end) {
        return expected(c, what);
    }
    c->p++;
    return 0;
}

/* A string without escapes, which none of ours needs. */
static int parse_string(struct cursor *c, char *out, size_t size,
                        const char *what)
{
    const char *start;
    size_t len;
    char quote;

    skip_space(c);
    quote = peek(c);
    if (quote != '\'' && quote != '"') {
        return expected(c, what);
    }
    start = ++c->p;
    while (c->p < c->end && *c->p != quote) {
        if (*c->p < 0x20 || *c->p >= 0x7f || *c->p == '\\') {
            return expected(c, "a plain character in a string");
        }
        c->p++;
    }
    if (c->p == c->end) {
        return expected(c, "the end of a string");
    }
    len = (size_t)(c->p - start);
    if (len >= size) {
        /* Every size is beyond 20. */
        return npy_fail(c->why, "header: expected %s, found '%.20s...'", what,
                        start);
    }
    memcpy(out, start, len);
    out[len] = '\0';
    c->p++;
    return 0;
}

static int parse_descr(struct cursor *c, struct npy_header *out)
{
    skip_space(c);
    if (peek(c) == '[') {
        return npy_fail(c->why,
                        "expected elements of one type, found a structured "
                        "type");
    }
    return parse_string(c, out->descr, sizeof(out->descr),
                        "the name of a type as '<f4'");
}

static bool take_word(struct cursor *c, const char *word)
{
    size_t len = strlen(word);

    if ((size_t)(c->end - c->p) < len || memcmp(c->p, word, len) != 0) {
        return false;
    }
    c->p += len;
    return true;
}

static int parse_order(struct cursor *c, struct npy_header *out)
{
    skip_space(c);
    out->fortran_order = take_word(c, "True");
    if (!out->fortran_order && !take_word(c, "False")) {
        return expected(c, "True or False");
    }
    return 0;
}

/* Python has no leading zeros in a number. */
static int parse_dim(struct cursor *c, uint64_t *out)
{
    const char *start = c->p;
    uint64_t val = 0;

    while (peek(c) >= '0' && peek(c) <= '9') {
        unsigned digit = (unsigned)(*c->p - '0');

        if (val > (UINT64_MAX - digit) / 10) {
            return npy_fail(c->why, "shape: expected dimensions below 2^64");
        }
        val = val * 10 + digit;
        c->p++;
    }
    if (c->p == start || (*start == '0' && c->p - start > 1)) {
        c->p = start;
        return expected(c, "a dimension, or ')'");
    }
    *out = val;
    return 0;
}

/* A tuple: of one dimension it needs the comma. */
static int parse_shape(struct cursor *c, struct npy_header *out)
{
    bool comma = true;

    if (want_char(c, '(', "a tuple of dimensions")) {
        return -1;
    }
    skip_space(c);
    while (peek(c) != ')' || (!comma && out->nr_dims == 1)) {
        if (!comma) {
            return expected(c, "','");
        }
        if (out->nr_dims == NPY_MAX_DIMS) {
            return npy_fail(c->why, "shape: expected at most %u dimensions",
                            NPY_MAX_DIMS);
        }
        if (parse_dim(c, &out->dims[out->nr_dims])) {
            return -1;
        }
        out->nr_dims++;
        skip_space(c);
        comma = peek(c) == ',';
        c->p += comma;
        skip_space(c);
    }
    c->p++;
    return 0;
}

static const struct key {
    const char *name;
    int (*parse)(struct cursor *c, struct npy_header *out);
} keys[] = {
    { "descr", parse_descr },
    { "fortran_order", parse_order },
    { "shape", parse_shape },
};

/* Key, colon and value. seen: a bit for each key. */
static int parse_entry(struct cursor *c, unsigned *seen, struct npy_header *out)
{
    char name[NPY_DESCR];
    unsigned i;

    if (parse_string(c, name, sizeof(name), "a key")) {
        return -1;
    }
    for (i = 0; i < ARRAY_LEN(keys) && strcmp(name, keys[i].name) != 0; i++) {
    }
    if (i == ARRAY_LEN(keys)) {
        return npy_fail(c->why,
                        "header: expected the keys descr, fortran_order and "
                        "shape, found '%s'",
                        name);
    }
    if (*seen & 1u << i) {
        return npy_fail(c->why, "header: the key '%s' stands there twice",
                        name);
    }
    *seen |= 1u << i;
    return want_char(c, ':', "':'") ? -1 : keys[i].parse(c, out);
}

static int check_complete(const struct cursor *c, unsigned seen)
{
    for (unsigned i = 0; i < ARRAY_LEN(keys); i++) {
        if (!(seen & 1u << i)) {
            return npy_fail(c->why, "header: the key '%s' is missing",
                            keys[i].name);
        }
    }
    return c->p < c->end ? expected(c, "nothing after the dict") : 0;
}

int npy_header_parse(const char *text, size_t len, struct npy_header *out,
                     char why[NPY_WHY])
{
    struct cursor c = { text, text, text + len, why };
    unsigned seen = 0;

    memset(out, 0, sizeof(*out));
    if (want_char(&c, '{', "'{'")) {
        return -1;
    }
    for (;;) {
        skip_space(&c);
        if (peek(&c) == '}' && seen) {
            break;
        }
        if (parse_entry(&c, &seen, out)) {
            return -1;
        }
        skip_space(&c);
        if (peek(&c) == '}') {
            break;
        }
        if (want_char(&c, ',', "',' or '}'")) {
            return -1;
        }
    }
    c.p++;
    skip_space(&c);
    return check_complete(&c, seen);
}

/* ---- types --------------------------------------------------------------- */

/* Kinds and sizes, without the order; the first is what we write. */
static const char *const names[TRENCH_NR_DTYPES][3] = {
    [TRENCH_DTYPE_UINT64] = { "u8" },
    [TRENCH_DTYPE_INT8] = { "i1" },
    [TRENCH_DTYPE_UINT8] = { "u1" },
    [TRENCH_DTYPE_INT16] = { "i2" },
    [TRENCH_DTYPE_UINT16] = { "u2" },
    [TRENCH_DTYPE_BF16] = { "V2", "u2" },
    [TRENCH_DTYPE_FP16] = { "f2" },
    [TRENCH_DTYPE_INT32] = { "i4" },
    [TRENCH_DTYPE_UINT32] = { "u4" },
    [TRENCH_DTYPE_FP32] = { "f4" },
    [TRENCH_DTYPE_FP32R] = { "f4" },
    [TRENCH_DTYPE_INT64] = { "i8" },
    [TRENCH_DTYPE_FP8_E3] = { "V1", "u1" },
    [TRENCH_DTYPE_FP8_E4] = { "V1", "u1" },
    [TRENCH_DTYPE_FP8_E5] = { "V1", "u1", "f1" },
};

/* As numpy writes it: no order where there is but one byte. */
static char written_order(const char *name)
{
    return name[1] == '1' ? '|' : '<';
}

static bool is_name(const char *text, enum trench_dtype type)
{
    for (unsigned i = 0; i < ARRAY_LEN(names[type]); i++) {
        if (names[type][i] && strcmp(text, names[type][i]) == 0) {
            return true;
        }
    }
    return false;
}

static int wrong_type(const char *descr, enum trench_dtype type, char *why)
{
    char text[64] = "";
    int at = 0;

    for (unsigned i = 0; i < ARRAY_LEN(names[type]) && names[type][i]; i++) {
        at += snprintf(text + at, sizeof(text) - (size_t)at, "%s'%c%s'",
                       i ? " or " : "", written_order(names[type][i]),
                       names[type][i]);
    }
    return npy_fail(
        why, "expected elements of type %s (%s; see --datatype), found '%s'",
        trench_dtype_name(type), text, descr);
}

int npy_descr_check(const char *descr, enum trench_dtype type,
                    char why[NPY_WHY])
{
    bool has_order = descr[0] != '\0' && strchr("<>|=", descr[0]);
    const char *name = descr + has_order;
    char order = has_order ? descr[0] : '=';

    if ((unsigned)type >= TRENCH_NR_DTYPES || !names[type][0] ||
        !is_name(name, type)) {
        return wrong_type(descr, (unsigned)type < TRENCH_NR_DTYPES ? type : 0,
                          why);
    }
    if (name[1] == '1') {
        return 0;
    }
    /* '=' and nothing: that of the machine. */
    if (order == '>' || (order == '=' && htole16(1) != 1)) {
        return npy_fail(why, "expected little-endian elements, found '%s'",
                        descr);
    }
    /* '|' says that there is no order, which is true of raw bytes alone. */
    if (order == '|' && name[0] != 'V') {
        return wrong_type(descr, type, why);
    }
    return 0;
}

size_t npy_header_make(enum trench_dtype type, uint64_t count,
                       uint8_t out[NPY_HEADER_MAKE])
{
    const char *name = names[type][0];
    char text[NPY_HEADER_MAKE];
    size_t len, total;

    len = (size_t)snprintf(
        text, sizeof(text),
        "{'descr': '%c%s', 'fortran_order': False, 'shape': (%llu,), }",
        written_order(name), name, (unsigned long long)count);
    total = (V1_PREFIX + len + 1 + ALIGN_BYTES - 1) / ALIGN_BYTES * ALIGN_BYTES;
    memset(out, ' ', total);
    memcpy(out, MAGIC "\x01", MAGIC_BYTES + 1);
    out[7] = 0;
    out[8] = (uint8_t)(total - V1_PREFIX);
    out[9] = (uint8_t)((total - V1_PREFIX) >> 8);
    memcpy(out + V1_PREFIX, text, len);
    out[total - 1] = '\n';
    return total;
}
