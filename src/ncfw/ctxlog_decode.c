/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A context as text, in the form of the original (ncfw-steps 5.10, 5.11): two
 * blanks a level, one key a line. It is written here and not by jansson
 * because some lines of the original are not JSON; a test compares the others
 * with what jansson makes of them.
 */
#include "ncfw/ctxlog.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/le.h"

struct decoder {
    const struct trench_ctxlog_conf *conf;
    const uint8_t *ctx;
    const char *name; /* the model's, quoted */
    char *buf;
    size_t size;
    size_t len;
    bool full; /* a latch: what comes later is dropped */
    unsigned level;
    bool first; /* in the innermost braces */
};

static void put(struct decoder *d, const char *bytes, size_t len)
{
    /* One byte stays for the 0. */
    if (d->full || len >= d->size - d->len) {
        d->full = true;
        return;
    }
    memcpy(d->buf + d->len, bytes, len);
    d->len += len;
    d->buf[d->len] = '\0';
}

static void put_text(struct decoder *d, const char *text)
{
    put(d, text, strlen(text));
}

/* A new line, as far in as the braces are open. */
static void put_line(struct decoder *d)
{
    char blanks[2 * CTX_DEPTH];

    memset(blanks, ' ', sizeof(blanks));
    put_text(d, "\n");
    put(d, blanks, 2 * d->level);
}

/* Begin a line, and with it what it is called. */
static void begin(struct decoder *d, const char *key)
{
    if (d->level > 0) {
        put_text(d, d->first ? "" : ",");
        put_line(d);
    }
    d->first = false;
    if (key) {
        put_text(d, "\"");
        put_text(d, key);
        put_text(d, "\": ");
    }
}

static void open_brace(struct decoder *d, const char *brace)
{
    put_text(d, brace);
    d->level++;
    d->first = true;
}

static void close_brace(struct decoder *d, const char *brace)
{
    d->level--;
    put_line(d);
    put_text(d, brace);
    d->first = false;
}

static bool decoder_enter(void *opaque, const struct ctx_place *place)
{
    struct decoder *d = opaque;
    const struct ctx_node *node = place->node;

    if ((node->rule == CTX_IF_SEED && d->conf->reading != TRENCH_NCFW_SEED) ||
        (node->rule == CTX_IF_SHEETS &&
         d->conf->reading != TRENCH_NCFW_SHEETS)) {
        return false;
    }
    begin(d, node->key);
    open_brace(d, node->kind == CTX_ARRAY ? "[" : "{");
    return true;
}

static void decoder_leave(void *opaque, const struct ctx_place *place)
{
    close_brace(opaque, place->node->kind == CTX_ARRAY ? "]" : "}");
}

static unsigned decoder_count(void *opaque, const struct ctx_place *place,
                              unsigned max)
{
    const struct decoder *d = opaque;
    const struct ctx_node *node = place->node;
    unsigned nr = 0;

    if (node->rule == CTX_FOLD) {
        /* The original believes any length, and reads what is behind. */
        nr = d->ctx[place->parent + node->len_at];
        return nr < max ? nr : max;
    }
    if (node->rule != CTX_UNTIL_0) {
        return max;
    }
    while (nr < max && le_get(d->ctx + place->offset + nr * node->stride,
                              node->inside->inside[0].bytes) != 0) {
        nr++;
    }
    return nr;
}

static void put_pointer(struct decoder *d, uint64_t val)
{
    char text[24] = "(nil)";

    if (val != 0) {
        snprintf(text, sizeof(text), "0x%" PRIx64, val);
    }
    put_text(d, text);
}

static void put_word(struct decoder *d, uint64_t val)
{
    static const char digits[] = "0123456789ABCDEF";
    char text[] = "\"0x0000000000000000\"";

    for (unsigned i = 0; i < 16; i++) {
        text[18 - i] = digits[val >> 4 * i & 15];
    }
    put_text(d, text);
}

/* An address in one or two wrappers. */
static void put_addr(struct decoder *d, uint64_t val, bool two)
{
    open_brace(d, "{");
    if (two) {
        begin(d, "addr");
        open_brace(d, "{");
    }
    begin(d, "soc_addr");
    put_word(d, val);
    if (two) {
        close_brace(d, "}");
    }
    close_brace(d, "}");
}

/* Past 2^63 a number is more than JSON readers take. */
static void put_uint(struct decoder *d, uint64_t val)
{
    char text[24];

    if (val > INT64_MAX && !d->conf->compat) {
        put_word(d, val);
        return;
    }
    snprintf(text, sizeof(text), "%" PRIu64, val);
    put_text(d, text);
}

static void put_value(struct decoder *d, const struct ctx_place *place)
{
    const struct ctx_node *node = place->node;
    uint64_t val =
        ctx_bytes(node) > 0 ? ctx_get(node, d->ctx + place->offset) : 0;

    switch ((enum ctx_kind)node->kind) {
    case CTX_UINT:
        put_uint(d, val);
        break;
    case CTX_WORD:
        put_word(d, val);
        break;
    case CTX_ADDR:
    case CTX_SEMA:
        put_addr(d, val, node->kind == CTX_SEMA);
        break;
    case CTX_INDEX:
        put_uint(d, place->index);
        break;
    case CTX_NAME:
        put_text(d, d->name);
        break;
    case CTX_OBJECT:
    case CTX_ARRAY:
        break;
    }
}

static void decoder_leaf(void *opaque, const struct ctx_place *place)
{
    struct decoder *d = opaque;
    const struct ctx_node *node = place->node;

    begin(d, node->key);
    if (d->conf->compat && node->rule == CTX_POINTER) {
        put_pointer(d, ctx_get(node, d->ctx + place->offset));
    } else if (d->conf->compat && node->rule == CTX_PLACE) {
        put_pointer(d, d->conf->compat_base + place->offset);
    } else {
        put_value(d, place);
    }
}

/* A name as a JSON string; NULL when it is not text, or no memory. */
static char *quote(const char *name, int *err)
{
    json_t *json = json_string(name);
    char *text = json ? json_dumps(json, JSON_ENCODE_ANY) : NULL;

    *err = json ? TRENCH_ERR_NOMEM : TRENCH_ERR_INVAL;
    json_decref(json);
    return text;
}

int trench_ctxlog_decode(const struct trench_ctxlog_conf *conf, const void *ctx,
                         char *buf, size_t size)
{
    static const struct ctx_visitor visitor = {
        .enter = decoder_enter,
        .leave = decoder_leave,
        .leaf = decoder_leaf,
        .count = decoder_count,
    };
    const struct trench_gen *gen =
        conf->gen ? conf->gen : trench_gen_find(NULL);
    struct decoder d = { .conf = conf, .ctx = ctx, .buf = buf, .size = size };
    char *name;
    int err;

    if ((unsigned)conf->reading > TRENCH_NCFW_SHEETS) {
        return TRENCH_ERR_INVAL;
    }
    if (size == 0) {
        return TRENCH_ERR_NOSPC;
    }
    name = quote(conf->model_name ? conf->model_name : gen->name, &err);
    if (!name) {
        return err;
    }
    d.name = name;
    d.buf[0] = '\0';
    ctx_walk(gen, &visitor, &d);
    put_text(&d, "\n");
    free(name);
    return d.full ? TRENCH_ERR_NOSPC : (int)d.len;
}
