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

#include "csr/params.h"
#include "csr/where.h"

#define CHUNK_BYTES ((size_t)64 << 10)
#define QUOTE_BYTES 60 /* how much of a bad string a message repeats */

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
        const char *dot = len > 0 ? "." : "";
        int n;

        if (step->name && step->name[0] == '\0') {
            continue; /* part of the next one's name */
        }
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

/* 0 when the search would cost too much. */
static int find_line(struct reader *rd)
{
    struct where_step steps[READER_MAX_PATH + 1];
    size_t nr = 0;

    if (!rd->text || rd->text_len > rd->line_budget) {
        return 0;
    }
    rd->line_budget -= rd->text_len;
    for (int i = 0; i < rd->depth; i++) {
        steps[nr++] = (struct where_step){ rd->path[i].list, rd->path[i].idx };
    }
    if (rd->member) {
        steps[nr++] = (struct where_step){ rd->member, 0 };
    }
    return where_line(rd->text, rd->text_len, steps, nr);
}

__attribute__((format(printf, 3, 0))) static void write_error(
    struct reader *rd, struct trench_csr_error *err, const char *format,
    va_list args)
{
    memset(err, 0, sizeof(*err));
    err->line = find_line(rd);
    write_path(rd, err->path, sizeof(err->path));
    vsnprintf(err->reason, sizeof(err->reason), format, args);
    make_printable(err->reason);
}

int reader_refuse(struct reader *rd, const char *format, ...)
{
    struct trench_csr_finding finding = { .file = rd->file,
                                          .severity = TRENCH_CSR_ERROR };
    va_list args;

    if (rd->fn || rd->nr_errors == 0) {
        va_start(args, format);
        write_error(rd, &finding.err, format, args);
        va_end(args);
    }
    if (rd->nr_errors++ == 0) {
        *rd->err = finding.err;
    }
    if (rd->fn) {
        rd->fn(rd->opaque, &finding);
    }
    return TRENCH_ERR_BADMSG;
}

void reader_warn(struct reader *rd, const char *format, ...)
{
    struct trench_csr_finding finding = { .file = rd->file,
                                          .severity = TRENCH_CSR_WARNING };
    va_list args;

    if (!rd->fn) {
        return;
    }
    va_start(args, format);
    write_error(rd, &finding.err, format, args);
    va_end(args);
    rd->fn(rd->opaque, &finding);
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
    rd->member = NULL;
}

void reader_set_name(struct reader *rd, const char *name)
{
    rd->path[rd->depth - 1].name = name;
}

void reader_leave(struct reader *rd)
{
    reader_leave_to(rd, rd->depth - 1);
}

void reader_leave_to(struct reader *rd, int depth)
{
    rd->depth = depth;
    rd->member = NULL;
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
    rd->member = NULL;
    val = json_object_get(obj, key);
    if (!val) {
        reader_refuse(rd, "%s is missing", key);
        return NULL;
    }
    rd->member = key;
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

json_t *reader_list(struct reader *rd, const json_t *obj, const char *key)
{
    return get_member(rd, obj, key, JSON_ARRAY);
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

/* A number, the name of a parameter, or an expression of both. */
static int parse_value(struct reader *rd, const char *key, const char *s,
                       size_t len, uint32_t *out)
{
    const struct expr_text text = { s, len };
    int quoted = (int)(len < QUOTE_BYTES ? len : QUOTE_BYTES);
    enum expr_status status;
    struct expr_at at;
    int64_t val;

    status = params_eval(rd, &text, &val, &at);
    if (status == EXPR_PENDING) {
        return TRENCH_ERR_BADMSG; /* the parameter has been refused */
    }
    if (status == EXPR_UNKNOWN && at.len < len) {
        return reader_refuse(rd, "%s \"%.*s\" names %.*s, %s", key, quoted, s,
                             (int)(at.len < QUOTE_BYTES ? at.len : QUOTE_BYTES),
                             s + at.pos, "which is no parameter");
    }
    if (status != EXPR_OK) {
        return reader_refuse(rd, "%s \"%.*s\" %s", key, quoted, s,
                             expr_phrase(status));
    }
    if (val < 0) {
        return reader_refuse(rd, "%s \"%.*s\" is negative", key, quoted, s);
    }
    if (val > UINT32_MAX) {
        return reader_refuse(rd, "%s \"%.*s\" is above 32 bits", key, quoted,
                             s);
    }
    *out = (uint32_t)val;
    return 0;
}

int reader_number(struct reader *rd, const json_t *obj, const char *key,
                  uint32_t *out)
{
    const char *s = get_string(rd, obj, key);

    return s ? parse_value(rd, key, s, strlen(s), out) : TRENCH_ERR_BADMSG;
}

bool reader_peek_number(struct reader *rd, const char *text, uint32_t *out)
{
    const struct expr_text expr = { text, strlen(text) };
    struct expr_at at;
    int64_t val;

    if (params_eval(rd, &expr, &val, &at) != EXPR_OK || val < 0 ||
        val > UINT32_MAX) {
        return false;
    }
    *out = (uint32_t)val;
    return true;
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
    uint32_t hi = 0, lo = 0; /* the compiler does not follow the errors */
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
