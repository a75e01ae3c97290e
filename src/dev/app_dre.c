/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * DRE, the data reordering engine: strided split, transpose, replication
 * (common-blocks 3.3).
 */
#include "dev/app.h"

#include <string.h>

#include <trench/compute.h>

#include "base/bits.h"

enum {
    DRE_SPLIT,
    DRE_TRANSPOSE,
    DRE_REPLICATE,
};

/* Word 1 of a buffer. */
#define SPLIT_COUNT_MASK     0x7u
#define ELEM_BYTES_MASK      0x1Fu
#define REPLICATE_COUNT_MASK 0xFFFFu
#define SHAPE(word)          ((word) >> 8 & 0xFF)
#define DTYPE(word)          ((enum trench_dtype)((word) >> 16 & 0xF))

/* Bits in which the buffers of one packet may differ. */
#define FREE_BITS 0xF4000000u

/* A transpose takes 16 KiB of elements, by their size. */
#define TRANSPOSE_ELEMENTS 0x4000u

/* Dimensions from the slowest to the fastest. */
enum {
    W,
    Z,
    Y,
    X,
    DIMS,
};

/*
 * Output orders, by shape index. The set of twelve that the engine has is not
 * published; 0 turns the two fastest dimensions round, as a matrix.
 */
static const uint8_t shapes[12][DIMS] = {
    { W, Z, X, Y }, { W, Y, Z, X }, { W, Y, X, Z }, { W, X, Z, Y },
    { W, X, Y, Z }, { Z, W, Y, X }, { Z, Y, X, W }, { Y, X, W, Z },
    { X, Y, Z, W }, { X, W, Z, Y }, { Y, Z, W, X }, { X, Z, Y, W },
};

/* What a packet says. */
struct dre_packet {
    unsigned op;
    uint32_t count; /* parts, or copies */
    unsigned elem;  /* bytes */
    uint32_t dims[DIMS];
    const uint8_t *shape;
    uint64_t in_bytes;
    uint64_t out_bytes;
};

static bool refuse(struct app_refusal *no, const struct desc *d)
{
    return app_refuse(no, d, TRENCH_TRIGGER_DRE_COMMAND_PARSE);
}

/* ---- reading the descriptors --------------------------------------------- */

/* Words 2 and 3 of the META descriptor: w, x, y, z in 16 bits each. */
static void take_dims(struct dre_packet *t, const struct desc *meta)
{
    t->dims[W] = meta->w[2] & 0xFFFF;
    t->dims[X] = meta->w[2] >> 16;
    t->dims[Y] = meta->w[3] & 0xFFFF;
    t->dims[Z] = meta->w[3] >> 16;
}

static bool elem_allowed(unsigned bytes)
{
    return bytes == 1 || bytes == 2 || bytes == 4 || bytes == 8;
}

/* Whole elements, and as many as the dimensions say. */
static bool check_transpose(struct dre_packet *t, uint32_t word)
{
    uint64_t elements = 1;

    t->elem = word & ELEM_BYTES_MASK;
    if (!elem_allowed(t->elem) || SHAPE(word) >= ARRAY_LEN(shapes)) {
        return false;
    }
    for (unsigned i = 0; i < DIMS; i++) {
        elements *= t->dims[i]; /* four times 16 bits */
    }
    t->shape = shapes[SHAPE(word)];
    t->out_bytes = t->in_bytes;
    return elements > 0 && elements <= TRANSPOSE_ELEMENTS / t->elem &&
           elements * t->elem == t->in_bytes;
}

static bool check_split(struct dre_packet *t, uint32_t word)
{
    t->elem = trench_dtype_bytes(DTYPE(word));
    t->count = word & SPLIT_COUNT_MASK;
    t->out_bytes = t->in_bytes;
    return t->elem > 0 && t->count > 0 && t->in_bytes > 0 &&
           t->in_bytes % (t->elem * t->count) == 0;
}

static bool check_replicate(struct dre_packet *t, uint32_t word)
{
    t->count = word & REPLICATE_COUNT_MASK;
    t->out_bytes = t->in_bytes * t->count;
    return t->count > 0 && t->in_bytes > 0;
}

static uint32_t zero_len(const struct app_packet *p)
{
    return p->rx ? M2S_QUEUE(p->ch, p->q)->packet.zero_len
                 : channel_zero_len(p->ch);
}

static bool parse(struct dre_packet *t, const struct app_packet *p,
                  struct app_refusal *no)
{
    static bool (*const checks[])(struct dre_packet * t, uint32_t word) = {
        [DRE_SPLIT] = check_split,
        [DRE_TRANSPOSE] = check_transpose,
        [DRE_REPLICATE] = check_replicate,
    };
    const struct desc *first = NULL;

    *t = (struct dre_packet){ 0 };
    for (uint32_t i = 0; i < p->descs; i++) {
        const struct desc *d = app_desc(p, i);

        if (d->w[0] & DESC_META) {
            if (first || i > 0) {
                return refuse(no, d); /* one, before the first buffer */
            }
            take_dims(t, d);
            continue;
        }
        first = first ? first : d;
        if ((d->w[1] ^ first->w[1]) & ~FREE_BITS) {
            return refuse(no, d);
        }
        t->in_bytes += desc_len_bytes(d, zero_len(p));
    }
    if (!first) {
        return refuse(no, app_desc(p, 0));
    }
    t->op = (first->w[1] & META_OP_TYPE_MASK) >> 20;
    return (t->op < ARRAY_LEN(checks) && checks[t->op](t, first->w[1]) &&
            t->out_bytes <= APP_STAGE_BYTES) ||
           refuse(no, first);
}

static bool dre_accept(const struct app_packet *p, uint64_t *bytes,
                       struct app_refusal *no)
{
    struct dre_packet t;

    if (!parse(&t, p, no)) {
        return false;
    }
    *bytes = t.out_bytes;
    return true;
}

/* ---- running ------------------------------------------------------------- */

/* All buffers, one behind the other. */
static enum app_got read_all(const struct app_packet *p, uint8_t *to,
                             uint64_t room)
{
    enum app_got all = APP_GOT;

    for (uint32_t i = 0; i < p->descs; i++) {
        const struct desc tx = *app_desc(p, i);
        uint32_t len = desc_len_bytes(&tx, zero_len(p));
        enum app_got got;

        if (tx.w[0] & DESC_META) {
            continue;
        }
        if (len > room) {
            return APP_LOST; /* an access hook has emptied the FIFO */
        }
        got = app_read_to(p, &tx, len, to);
        if (got == APP_STOPPED) {
            return got;
        }
        all = got == APP_LOST ? got : all;
        to += len;
        room -= len;
    }
    return all;
}

static void copy_elem(uint8_t *to, const uint8_t *from, unsigned elem)
{
    switch (elem) {
    case 1:
        *to = *from;
        break;
    case 2:
        memcpy(to, from, 2);
        break;
    case 4:
        memcpy(to, from, 4);
        break;
    default:
        memcpy(to, from, 8);
        break;
    }
}

static void transpose(const struct dre_packet *t, uint8_t *out,
                      const uint8_t *in)
{
    size_t stride[DIMS]; /* of the input, in bytes */
    const uint8_t *o = t->shape;
    const uint32_t *dims = t->dims;

    stride[X] = t->elem;
    stride[Y] = stride[X] * dims[X];
    stride[Z] = stride[Y] * dims[Y];
    stride[W] = stride[Z] * dims[Z];
    for (uint32_t a = 0; a < dims[o[0]]; a++) {
        for (uint32_t b = 0; b < dims[o[1]]; b++) {
            for (uint32_t c = 0; c < dims[o[2]]; c++) {
                const uint8_t *from =
                    in + a * stride[o[0]] + b * stride[o[1]] + c * stride[o[2]];

                for (uint32_t d = 0; d < dims[o[3]]; d++) {
                    copy_elem(out, from + d * stride[o[3]], t->elem);
                    out += t->elem;
                }
            }
        }
    }
}

/* Elements are dealt out to the parts in turn; then part after part. */
static void split(const struct dre_packet *t, uint8_t *out, const uint8_t *in)
{
    uint64_t step = (uint64_t)t->count * t->elem;

    for (uint32_t part = 0; part < t->count; part++) {
        for (uint64_t at = part * t->elem; at < t->in_bytes; at += step) {
            copy_elem(out, in + at, t->elem);
            out += t->elem;
        }
    }
}

static enum app_got dre_make(struct app_packet *p)
{
    struct app_refusal no = { NULL, 0 };
    uint8_t *out = app_stage(p->ch, p->q);
    uint8_t *in = p->ch->chip->app_scratch;
    struct dre_packet t;
    enum app_got got;

    if (!parse(&t, p, &no) ||
        t.out_bytes != M2S_QUEUE(p->ch, p->q)->packet.bytes) {
        return APP_LOST; /* somebody has emptied the FIFO */
    }
    got = read_all(p, t.op == DRE_REPLICATE ? out : in, t.in_bytes);
    if (got != APP_GOT) {
        return got;
    }
    if (t.op == DRE_TRANSPOSE) {
        transpose(&t, out, in);
    } else if (t.op == DRE_SPLIT) {
        split(&t, out, in);
    } else {
        for (uint32_t i = 1; i < t.count; i++) {
            memcpy(out + i * t.in_bytes, out, t.in_bytes);
        }
    }
    return APP_GOT;
}

const struct app_ops app_dre_ops = { dre_accept, dre_make };
