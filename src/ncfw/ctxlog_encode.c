/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A context from JSON (ncfw-steps 5.12). Two keys may stand for the same bytes
 * (the barriers are a union, and so are the two forms of a control entry);
 * what the second one says must then agree with the first.
 */
#include "ncfw/ctxlog.h"

#include <jansson.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/le.h"

struct encoder {
    const struct trench_ctxlog_encode_conf *conf;
    const struct trench_gen *gen;
    uint8_t *ctx;
    uint8_t *written;      /* bits of it that have been set */
    json_t *at[CTX_DEPTH]; /* borrowed; what is open, by depth */
    struct trench_ctxlog_counts counts;
};

__attribute__((format(printf, 4, 5))) static void report(
    struct encoder *e, enum trench_ctxlog_kind kind, const char *path,
    const char *fmt, ...)
{
    struct trench_ctxlog_finding finding = { .kind = kind, .path = path };
    char reason[256];
    va_list ap;

    va_start(ap, fmt);
    vsnprintf(reason, sizeof(reason), fmt, ap);
    va_end(ap);
    finding.reason = reason;
    switch (kind) {
    case TRENCH_CTXLOG_ERROR:
        e->counts.errors++;
        break;
    case TRENCH_CTXLOG_UNKNOWN:
        e->counts.unknown++;
        break;
    case TRENCH_CTXLOG_MISSING:
        e->counts.missing++;
        break;
    }
    if (e->conf->fn) {
        e->conf->fn(e->conf->opaque, &finding);
    }
}

/* What the JSON has for a node, NULL when nothing. */
static json_t *member(const struct encoder *e, const struct ctx_place *place)
{
    json_t *outer = place->depth > 0 ? e->at[place->depth - 1] : NULL;

    if (place->depth == 0) {
        return e->at[0];
    }
    return place->node->key ? json_object_get(outer, place->node->key)
                            : json_array_get(outer, place->index);
}

static bool has_key(const struct ctx_node *node, const char *key)
{
    for (unsigned i = 0; i < node->nr_inside; i++) {
        if (strcmp(node->inside[i].key, key) == 0) {
            return true;
        }
    }
    return false;
}

static void report_key(struct encoder *e, const char *path, const char *key)
{
    char full[CTX_PATH_BYTES + 80];

    snprintf(full, sizeof(full), "%s%s%.64s", path, path[0] ? "." : "", key);
    report(e, TRENCH_CTXLOG_UNKNOWN, full, "no such key");
}

static void look_for_strangers(struct encoder *e, const struct ctx_place *place,
                               json_t *object)
{
    const char *key;
    json_t *value;

    json_object_foreach(object, key, value)
    {
        if (!has_key(place->node, key)) {
            report_key(e, place->path, key);
        }
    }
}

/* The elements say which reading they were printed by. */
static bool other_reading(const struct ctx_node *node, const json_t *value)
{
    bool words = json_is_string(json_array_get(value, 0));

    return (node->rule == CTX_IF_SEED && !words) ||
           (node->rule == CTX_IF_SHEETS && (words || !value));
}

static bool encoder_enter(void *opaque, const struct ctx_place *place)
{
    const struct ctx_node *node = place->node;
    struct encoder *e = opaque;
    json_t *value = member(e, place);
    bool array = node->kind == CTX_ARRAY;

    if (value && other_reading(node, value)) {
        return false;
    }
    if (!value) {
        if (node->rule != CTX_IF_SHEETS) {
            report(e, TRENCH_CTXLOG_MISSING, place->path, "missing");
        }
        return false;
    }
    if (array ? !json_is_array(value) : !json_is_object(value)) {
        report(e, TRENCH_CTXLOG_ERROR, place->path, "not an %s",
               array ? "array" : "object");
        return false;
    }
    e->at[place->depth] = value;
    if (!array) {
        look_for_strangers(e, place, value);
    }
    return true;
}

/* A table that ends at a 0 must not hold one. */
static void encoder_leave(void *opaque, const struct ctx_place *place)
{
    const struct ctx_node *node = place->node;
    struct encoder *e = opaque;
    size_t nr = json_array_size(e->at[place->depth]);

    if (node->rule != CTX_UNTIL_0 || nr > node->count) {
        return;
    }
    for (size_t i = 0; i < nr; i++) {
        if (le_get(e->ctx + place->offset + i * node->stride,
                   node->inside->inside[0].bytes) == 0) {
            report(e, TRENCH_CTXLOG_ERROR, place->path,
                   "element %zu is 0 and would end the table", i);
            return;
        }
    }
}

/* Set some bits; what was set before must not change. */
static void put_bits(struct encoder *e, const struct ctx_place *place,
                     uint64_t val)
{
    const struct ctx_node *node = place->node;
    unsigned bytes = ctx_bytes(node);
    uint8_t *at = e->ctx + place->offset;
    uint8_t *written = e->written + place->offset;
    uint64_t mask = ctx_mask(node);
    uint64_t old = le_get(at, bytes);
    uint64_t word = (old & ~mask) | (val << node->lsb & mask);
    uint64_t before = le_get(written, bytes);

    if ((old ^ word) & before) {
        report(e, TRENCH_CTXLOG_ERROR, place->path,
               "contradicts another key that stands for the same bytes");
        return;
    }
    le_put(at, bytes, word);
    le_put(written, bytes, before | mask);
}

/* A table that ends at a 0 gets one. */
static unsigned end_table(struct encoder *e, const struct ctx_place *place,
                          unsigned nr, unsigned max)
{
    unsigned bytes = place->node->inside->inside[0].bytes;

    if (nr < max) {
        le_put(e->ctx + place->offset + nr * place->node->stride, bytes, 0);
    }
    return nr;
}

static unsigned encoder_count(void *opaque, const struct ctx_place *place,
                              unsigned max)
{
    const struct ctx_node *node = place->node;
    struct encoder *e = opaque;
    size_t nr = json_array_size(e->at[place->depth]);

    if (node->rule == CTX_FOLD) {
        /* fold_n comes first, so it has been written. */
        unsigned fold = e->ctx[place->parent + node->len_at];

        max = fold < max ? fold : max;
    }
    if (nr > max) {
        report(e, TRENCH_CTXLOG_ERROR, place->path,
               "%zu elements, there is room for %u", nr, max);
        return 0;
    }
    if (node->rule == CTX_UNTIL_0) {
        return end_table(e, place, (unsigned)nr, max);
    }
    if (nr < max) {
        report(e, TRENCH_CTXLOG_MISSING, place->path, "%zu of %u elements", nr,
               max);
    }
    return (unsigned)nr;
}

/* "0x" and 1 to 16 digits. */
static bool parse_word(const char *text, uint64_t *out)
{
    uint64_t val = 0;
    size_t i;

    if (text[0] != '0' || (text[1] != 'x' && text[1] != 'X')) {
        return false;
    }
    for (i = 2; text[i]; i++) {
        static const char digits[] = "0123456789abcdef0123456789ABCDEF";
        const char *digit = strchr(digits, text[i]);

        if (!digit || i >= 2 + 16) {
            return false;
        }
        val = val << 4 | (uint64_t)((digit - digits) % 16);
    }
    *out = val;
    return i > 2;
}

static bool take_word(const json_t *value, uint64_t *out)
{
    return json_is_string(value) && parse_word(json_string_value(value), out);
}

static bool take_uint(const struct ctx_node *node, const json_t *value,
                      uint64_t *out)
{
    if (json_is_integer(value) && json_integer_value(value) >= 0) {
        *out = (uint64_t)json_integer_value(value);
        return *out <= ctx_max(node);
    }
    return node->bytes == 8 && take_word(value, out);
}

/* An address in none, one or two wrappers. */
static bool take_addr(const json_t *value, uint64_t *out)
{
    static const char *const wrappers[] = { "addr", "soc_addr" };

    for (unsigned i = 0; i < 2; i++) {
        const json_t *inner = json_object_get(value, wrappers[i]);

        if (inner && json_object_size(value) == 1) {
            value = inner;
        }
    }
    return take_word(value, out);
}

static void encode_name(struct encoder *e, const struct ctx_place *place,
                        const json_t *value)
{
    const struct trench_gen *named;

    if (!json_is_string(value)) {
        report(e, TRENCH_CTXLOG_ERROR, place->path, "not a string");
        return;
    }
    named = trench_gen_find(json_string_value(value));
    if (named && named != e->gen) {
        report(e, TRENCH_CTXLOG_ERROR, place->path, "this is %s, not %s",
               named->name, e->gen->name);
    }
}

static void encode_index(struct encoder *e, const struct ctx_place *place,
                         const json_t *value)
{
    if (!json_is_integer(value) ||
        json_integer_value(value) != (json_int_t)place->index) {
        report(e, TRENCH_CTXLOG_ERROR, place->path,
               "not %u, the number of the element", place->index);
    } else if (place->node->bytes > 0 && !e->conf->over_base) {
        put_bits(e, place, place->index);
    }
}

static void encode_value(struct encoder *e, const struct ctx_place *place,
                         const json_t *value)
{
    const struct ctx_node *node = place->node;
    uint64_t val;

    if (node->kind == CTX_UINT) {
        if (!take_uint(node, value, &val)) {
            report(e, TRENCH_CTXLOG_ERROR, place->path,
                   "not a number from 0 to %llu",
                   (unsigned long long)ctx_max(node));
            return;
        }
    } else if (!take_addr(value, &val)) {
        report(e, TRENCH_CTXLOG_ERROR, place->path,
               "not an address such as \"0x0000001002081038\"");
        return;
    }
    put_bits(e, place, val);
}

static void encoder_leaf(void *opaque, const struct ctx_place *place)
{
    struct encoder *e = opaque;
    const json_t *value = member(e, place);

    if (!value) {
        report(e, TRENCH_CTXLOG_MISSING, place->path, "missing");
    } else if (place->node->kind == CTX_NAME) {
        encode_name(e, place, value);
    } else if (place->node->kind == CTX_INDEX) {
        encode_index(e, place, value);
    } else {
        encode_value(e, place, value);
    }
}

static int run(struct encoder *e, json_t *root)
{
    static const struct ctx_visitor visitor = {
        .enter = encoder_enter,
        .leave = encoder_leave,
        .leaf = encoder_leaf,
        .count = encoder_count,
    };

    e->at[0] = root;
    ctx_walk(e->gen, &visitor, e);
    return e->counts.errors > 0 ? TRENCH_ERR_BADMSG : 0;
}

static json_t *parse(struct encoder *e, const char *text, size_t len)
{
    json_error_t err;
    json_t *root = json_loadb(text, len, JSON_REJECT_DUPLICATES, &err);

    if (!root) {
        report(e, TRENCH_CTXLOG_ERROR, "", "line %d: %s", err.line, err.text);
    }
    return root;
}

int trench_ctxlog_encode(const struct trench_ctxlog_encode_conf *conf,
                         const char *text, size_t len, void *ctx,
                         struct trench_ctxlog_counts *counts)
{
    struct encoder e = {
        .conf = conf,
        .gen = conf->gen ? conf->gen : trench_gen_find(NULL),
    };
    size_t size = trench_ctxlog_size(e.gen);
    int err = TRENCH_ERR_NOMEM;
    json_t *root;

    e.ctx = calloc(2, size);
    if (e.ctx) {
        e.written = e.ctx + size;
        if (conf->over_base) {
            memcpy(e.ctx, ctx, size);
        }
        root = parse(&e, text, len);
        err = root ? run(&e, root) : TRENCH_ERR_BADMSG;
        json_decref(root);
    }
    if (!err) {
        memcpy(ctx, e.ctx, size);
    }
    if (counts) {
        *counts = e.counts;
    }
    free(e.ctx);
    return err;
}
