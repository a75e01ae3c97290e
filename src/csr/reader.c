/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reading of schema JSON. The file may come from anybody: nothing in it is
 * trusted to have a type, a length, a range or an end.
 */
#include "csr/reader.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_FILE_BYTES ((size_t)16 << 20)
#define MAX_NODES      1000000 /* lists and objects, 200 bytes each in memory */
#define MAX_PARAMS     64      /* looked up one by one */
#define CHUNK_BYTES    ((size_t)64 << 10)
#define QUOTE_BYTES    60 /* how much of a bad string a message repeats */

/* Objects in it are aligned to 8 bytes. */
struct reader_chunk {
    struct reader_chunk *next;
    size_t used_bytes;
    size_t size_bytes;
    uint64_t data[];
};

void *reader_alloc(struct reader *rd, size_t nr, size_t each_bytes)
{
    /* Cannot overflow: counts are bounded by the size of the file. */
    size_t bytes = (nr * each_bytes + 7) & ~(size_t)7;
    size_t size = bytes > CHUNK_BYTES ? bytes : CHUNK_BYTES;
    struct reader_chunk *chunk = rd->chunks;
    unsigned char *p;

    if (!chunk || chunk->size_bytes - chunk->used_bytes < bytes) {
        chunk = calloc(1, sizeof(*chunk) + size);
        if (!chunk) {
            return NULL;
        }
        chunk->next = rd->chunks;
        chunk->size_bytes = size;
        rd->chunks = chunk;
    }
    p = (unsigned char *)chunk->data + chunk->used_bytes;
    chunk->used_bytes += bytes;
    return p;
}

void reader_free_chunks(struct reader_chunk *chunks)
{
    while (chunks) {
        struct reader_chunk *next = chunks->next;

        free(chunks);
        chunks = next;
    }
}

/* Files are hostile and messages reach terminals: printable ASCII only. */
static void make_printable(char *s)
{
    for (; *s; s++) {
        if (*s < 0x20 || *s > 0x7e) {
            *s = '?';
        }
    }
}

static void write_path(const struct reader *rd, char *buf, size_t size)
{
    /* "RegFile" itself only shows when there is nothing more precise. */
    int first = rd->depth > 1 ? 1 : 0;
    size_t len = 0;

    buf[0] = '\0';
    for (int i = first; i < rd->depth && len < size; i++) {
        const struct reader_step *step = &rd->path[i];
        const char *dot = i > first ? "." : "";
        int n;

        if (step->name) {
            n = snprintf(buf + len, size - len, "%s%s", dot, step->name);
        } else {
            n = snprintf(buf + len, size - len, "%s%s[%zu]", dot, step->list,
                         step->idx);
        }
        len += n > 0 ? (size_t)n : 0;
    }
    make_printable(buf);
}

int reader_refuse(struct reader *rd, const char *format, ...)
{
    struct trench_csr_error *err = rd->err;
    va_list args;

    memset(err, 0, sizeof(*err));
    write_path(rd, err->path, sizeof(err->path));
    va_start(args, format);
    vsnprintf(err->reason, sizeof(err->reason), format, args);
    va_end(args);
    make_printable(err->reason);
    return TRENCH_ERR_BADMSG;
}

int reader_no_memory(struct reader *rd)
{
    reader_refuse(rd, "out of memory");
    return TRENCH_ERR_NOMEM;
}

void reader_enter(struct reader *rd, const char *list, size_t idx)
{
    rd->path[rd->depth].list = list;
    rd->path[rd->depth].idx = idx;
    rd->path[rd->depth].name = NULL;
    rd->depth++;
}

void reader_set_name(struct reader *rd, const char *name)
{
    rd->path[rd->depth - 1].name = name;
}

void reader_leave(struct reader *rd)
{
    rd->depth--;
}

/* Reads to the end, not to st_size, so that pipes work as files do. */
static int read_stream(struct reader *rd, FILE *file, char **out, size_t *len)
{
    size_t size = 0, used = 0, n;
    char *buf = NULL;

    do {
        if (used == size) {
            char *bigger;

            size = size ? size * 2 : CHUNK_BYTES;
            bigger = realloc(buf, size);
            if (!bigger) {
                free(buf);
                return reader_no_memory(rd);
            }
            buf = bigger;
        }
        n = fread(buf + used, 1, size - used, file);
        used += n;
    } while (n > 0 && used <= MAX_FILE_BYTES);

    if (ferror(file)) {
        reader_refuse(rd, "cannot be read: %s", trench_strerror(-errno));
        free(buf);
        return TRENCH_ERR_NOENT;
    }
    if (used > MAX_FILE_BYTES) {
        free(buf);
        return reader_refuse(rd, "the file is larger than 16 MiB");
    }
    *out = buf;
    *len = used;
    return 0;
}

/*
 * A file of 16 MiB can ask jansson for more than 1 GiB by listing nothing but
 * "{},". The count takes brackets inside of strings for real ones, which the
 * largest schema we can hold affords.
 */
static int check_nodes(struct reader *rd, const char *text, size_t len)
{
    size_t nr = 0;

    for (size_t i = 0; i < len; i++) {
        nr += text[i] == '[' || text[i] == '{';
    }
    if (nr > MAX_NODES) {
        return reader_refuse(rd, "more than %d lists and objects", MAX_NODES);
    }
    return 0;
}

static int parse_text(struct reader *rd, const char *text, size_t len,
                      json_t **root)
{
    json_error_t json_err;
    json_t *tree;
    int rc;

    rc = check_nodes(rd, text, len);
    if (rc) {
        return rc;
    }
    tree = json_loadb(text, len, JSON_REJECT_DUPLICATES, &json_err);
    if (tree) {
        *root = tree;
        return 0;
    }
    /*
     * jansson seldom tells a failed allocation from bad syntax; what it never
     * lacks for bad syntax is a text.
     */
    if (json_error_code(&json_err) == json_error_out_of_memory ||
        json_err.text[0] == '\0') {
        return reader_no_memory(rd);
    }
    rc = reader_refuse(rd, "not JSON: %s", json_err.text);
    rd->err->line = json_err.line > 0 ? json_err.line : 0;
    return rc;
}

int reader_parse(struct reader *rd, const char *path, json_t **root)
{
    size_t len = 0;
    char *text = NULL;
    FILE *file;
    int rc;

    file = fopen(path, "rb");
    if (!file) {
        reader_refuse(rd, "cannot be opened: %s", trench_strerror(-errno));
        return TRENCH_ERR_NOENT;
    }
    rc = read_stream(rd, file, &text, &len);
    fclose(file);
    if (!rc) {
        rc = parse_text(rd, text, len, root);
        free(text);
    }
    return rc;
}

static const char *type_phrase(json_type type)
{
    if (type == JSON_STRING) {
        return "a string";
    }
    return type == JSON_ARRAY ? "a list" : "an object";
}

/* The member, or NULL after refusing the file. */
static json_t *get_member(struct reader *rd, const json_t *obj, const char *key,
                          json_type type)
{
    json_t *val;

    if (!json_is_object(obj)) {
        reader_refuse(rd, "not an object");
        return NULL;
    }
    val = json_object_get(obj, key);
    if (!val) {
        reader_refuse(rd, "%s is missing", key);
        return NULL;
    }
    if (json_typeof(val) != type) {
        reader_refuse(rd, "%s is not %s", key, type_phrase(type));
        return NULL;
    }
    return val;
}

json_t *reader_object(struct reader *rd, const json_t *obj, const char *key)
{
    return get_member(rd, obj, key, JSON_OBJECT);
}

/* An empty list would describe nothing. */
json_t *reader_list(struct reader *rd, const json_t *obj, const char *key)
{
    json_t *list = get_member(rd, obj, key, JSON_ARRAY);

    if (list && json_array_size(list) == 0) {
        reader_refuse(rd, "%s is empty", key);
        return NULL;
    }
    return list;
}

static const char *get_string(struct reader *rd, const json_t *obj,
                              const char *key)
{
    const json_t *val = get_member(rd, obj, key, JSON_STRING);

    if (val && json_string_length(val) > READER_MAX_TEXT_BYTES) {
        reader_refuse(rd, "%s is longer than %d bytes", key,
                      READER_MAX_TEXT_BYTES);
        return NULL;
    }
    return json_string_value(val);
}

int reader_copy(struct reader *rd, const char *text, const char **out)
{
    size_t len = strlen(text);
    char *copy = reader_alloc(rd, len + 1, 1);

    if (!copy) {
        return reader_no_memory(rd);
    }
    for (size_t i = 0; i < len; i++) {
        unsigned char c = (unsigned char)text[i];

        copy[i] = c < 0x20 || c == 0x7f ? ' ' : text[i];
    }
    *out = copy;
    return 0;
}

/* Names become parts of C macros and of the paths that users type. */
int reader_name(struct reader *rd, const json_t *obj, const char *key,
                const char **out)
{
    static const char allowed[] = "abcdefghijklmnopqrstuvwxyz"
                                  "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                  "0123456789_";
    const char *name = get_string(rd, obj, key);

    if (!name) {
        return TRENCH_ERR_BADMSG;
    }
    if (name[0] == '\0') {
        return reader_refuse(rd, "%s is empty", key);
    }
    if (name[strspn(name, allowed)] != '\0') {
        return reader_refuse(rd, "%s \"%.*s\" has more than A-Z a-z 0-9 _", key,
                             QUOTE_BYTES, name);
    }
    return reader_copy(rd, name, out);
}

static int get_desc(struct reader *rd, const json_t *obj, const char **out)
{
    const char *text;

    *out = "";
    if (!json_object_get(obj, "Description")) {
        return 0;
    }
    text = get_string(rd, obj, "Description");
    return text ? reader_copy(rd, text, out) : TRENCH_ERR_BADMSG;
}

static int get_tags(struct reader *rd, const json_t *obj, const char **out)
{
    char text[READER_MAX_TEXT_BYTES + 1] = "";
    const json_t *list;
    size_t len = 0;

    *out = "";
    if (!json_object_get(obj, "Tag")) {
        return 0;
    }
    list = get_member(rd, obj, "Tag", JSON_ARRAY);
    if (!list) {
        return TRENCH_ERR_BADMSG;
    }
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *tag = json_array_get(list, i);

        if (!json_is_string(tag)) {
            return reader_refuse(rd, "Tag[%zu] is not a string", i);
        }
        if (json_string_length(tag) + 1 >= sizeof(text) - len) {
            return reader_refuse(rd, "Tag is longer than %d bytes",
                                 READER_MAX_TEXT_BYTES);
        }
        len += (size_t)snprintf(text + len, sizeof(text) - len, "%s%s",
                                i > 0 ? " " : "", json_string_value(tag));
    }
    return reader_copy(rd, text, out);
}

int reader_notes(struct reader *rd, const json_t *obj, const char **desc,
                 const char **tags)
{
    int rc = get_desc(rd, obj, desc);

    return rc ? rc : get_tags(rd, obj, tags);
}

/* 255 for what is no digit in any radix. */
static unsigned digit_value(char c)
{
    if (c >= '0' && c <= '9') {
        return (unsigned)(c - '0');
    }
    if (c >= 'a' && c <= 'f') {
        return (unsigned)(c - 'a') + 10;
    }
    if (c >= 'A' && c <= 'F') {
        return (unsigned)(c - 'A') + 10;
    }
    return 255;
}

/*
 * 0x means hex, no prefix means decimal, also with leading zeros: the octal
 * of strtoul would misread "064" (common-blocks 5.2).
 */
static bool parse_number(const char *s, size_t len, uint32_t *out)
{
    unsigned radix = 10;
    uint64_t val = 0;

    if (len > 2 && s[0] == '0' && (s[1] == 'x' || s[1] == 'X')) {
        radix = 16;
        s += 2;
        len -= 2;
    }
    if (len == 0) {
        return false;
    }
    for (size_t i = 0; i < len; i++) {
        unsigned digit = digit_value(s[i]);

        if (digit >= radix) {
            return false;
        }
        val = val * radix + digit;
        if (val > UINT32_MAX) {
            return false;
        }
    }
    *out = (uint32_t)val;
    return true;
}

static bool find_param(const struct reader *rd, const char *name, size_t len,
                       uint32_t *out)
{
    for (size_t i = 0; i < json_array_size(rd->params); i++) {
        const json_t *param = json_array_get(rd->params, i);
        const json_t *key = json_object_get(param, "Name");
        const json_t *val = json_object_get(param, "Value");

        if (len > 0 && json_string_length(key) == len &&
            memcmp(json_string_value(key), name, len) == 0) {
            return json_is_string(val) &&
                   parse_number(json_string_value(val), json_string_length(val),
                                out);
        }
    }
    return false;
}

int reader_use_params(struct reader *rd, const json_t *obj)
{
    const json_t *list;

    if (!json_object_get(obj, "Parameters")) {
        return 0;
    }
    list = get_member(rd, obj, "Parameters", JSON_ARRAY);
    if (!list) {
        return TRENCH_ERR_BADMSG;
    }
    if (json_array_size(list) > MAX_PARAMS) {
        return reader_refuse(rd, "more than %d Parameters", MAX_PARAMS);
    }
    rd->params = list;
    return 0;
}

/* A number or the name of a parameter; expressions are refused. */
static int parse_value(struct reader *rd, const char *key, const char *s,
                       size_t len, uint32_t *out)
{
    if (parse_number(s, len, out) || find_param(rd, s, len, out)) {
        return 0;
    }
    return reader_refuse(rd, "%s \"%.*s\" is no 32-bit number or parameter",
                         key, (int)(len < QUOTE_BYTES ? len : QUOTE_BYTES), s);
}

int reader_number(struct reader *rd, const json_t *obj, const char *key,
                  uint32_t *out)
{
    const char *s = get_string(rd, obj, key);

    return s ? parse_value(rd, key, s, strlen(s), out) : TRENCH_ERR_BADMSG;
}

int reader_choice(struct reader *rd, const json_t *obj, const char *key,
                  const char *const words[], uint8_t *out)
{
    const char *s = get_string(rd, obj, key);

    if (!s) {
        return TRENCH_ERR_BADMSG;
    }
    for (uint8_t i = 0; words[i]; i++) {
        if (strcmp(words[i], s) == 0) {
            *out = i;
            return 0;
        }
    }
    return reader_refuse(rd, "%s \"%.*s\" is unknown", key, QUOTE_BYTES, s);
}

int reader_position(struct reader *rd, const json_t *obj, uint8_t *lsb,
                    uint8_t *width)
{
    const char *s = get_string(rd, obj, "Position");
    const char *low = s;
    uint32_t hi, lo;
    size_t len;
    int rc;

    if (!s) {
        return TRENCH_ERR_BADMSG;
    }
    len = strcspn(s, ":");
    if (s[len] == ':') {
        low = s + len + 1;
    }
    rc = parse_value(rd, "Position", s, len, &hi);
    if (rc) {
        return rc;
    }
    rc = parse_value(rd, "Position", low, strlen(low), &lo);
    if (rc) {
        return rc;
    }
    if (hi > 31 || lo > 31) {
        return reader_refuse(rd, "Position \"%.*s\" is outside 32 bits",
                             QUOTE_BYTES, s);
    }
    if (hi < lo) {
        return reader_refuse(rd, "Position \"%.*s\" is not high:low",
                             QUOTE_BYTES, s);
    }
    *lsb = (uint8_t)lo;
    *width = (uint8_t)(hi - lo + 1);
    return 0;
}
