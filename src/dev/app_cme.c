/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * CME, the copy engine, where it also sums: the buffers of a block have one
 * checksum, which can be compared, sent behind them and kept (common-blocks
 * 3.1, 3.2). Plain copies do not come here.
 */
#include "dev/app.h"

#include <string.h>

#include "dev/app_sum.h"

/* Word 1 of a buffer. */
#define BLOCK_LAST     (1u << 0)
#define BLOCK_FIRST    (1u << 1)
#define SLOT(word)     ((word) >> 3 & 7)
#define VALIDATE       (1u << 14)
#define USE_STORED     (1u << 15)
#define SEND           (1u << 16)
#define STORE_RESULT   (1u << 17)
#define STORE_SOURCE   (1u << 18)
#define COPY           META_COPY_SOURCE_DATA
#define NEEDS_EXPECTED (VALIDATE | STORE_SOURCE)

/* Walks the packet's descriptors, block by block. */
struct cme_block {
    bool open;
    bool has_meta;
    uint32_t start;    /* META word 2 */
    uint32_t expected; /* META word 3 */
    struct sum sum;
};

static unsigned kind_of(const struct desc *d)
{
    return (d->w[1] & META_OP_TYPE_MASK) >> 20;
}

static bool refuse(struct app_refusal *no, const struct desc *d)
{
    return app_refuse(no, d, TRENCH_NR_APP_TRIGGERS);
}

static uint32_t zero_len(const struct app_packet *p)
{
    return p->rx ? M2S_QUEUE(p->ch, p->q)->packet.zero_len
                 : channel_zero_len(p->ch);
}

/* ---- reading the descriptors --------------------------------------------- */

/* Parameters come before the first buffer of their block. */
static bool accept_meta(struct cme_block *b, const struct desc *d,
                        struct app_refusal *no)
{
    uint32_t engine = d->w[1] & META_SSMAE_OP_MASK;

    if (b->open || b->has_meta || (engine && engine != META_SSMAE_OP_CME)) {
        return refuse(no, d);
    }
    b->has_meta = true;
    return true;
}

static bool accept_buffer(struct cme_block *b, const struct desc *d,
                          struct app_refusal *no)
{
    bool first = d->w[1] & BLOCK_FIRST;

    if (kind_of(d) == 0) {
        return refuse(no, NULL); /* a copy with something that is none */
    }
    if ((d->w[1] & META_ENDIAN_MASK) || first == b->open ||
        ((d->w[1] & NEEDS_EXPECTED) && !b->has_meta)) {
        return refuse(no, d);
    }
    b->open = !(d->w[1] & BLOCK_LAST);
    b->has_meta = b->has_meta && b->open;
    return true;
}

static bool cme_accept(const struct app_packet *p, uint64_t *bytes,
                       struct app_refusal *no)
{
    struct cme_block b = { 0 };
    uint64_t read = 0;

    *bytes = 0;
    for (uint32_t i = 0; i < p->descs; i++) {
        const struct desc *d = app_desc(p, i);
        uint32_t len = desc_len_bytes(d, zero_len(p));

        if (d->w[0] & DESC_META) {
            if (!accept_meta(&b, d, no)) {
                return false;
            }
            continue;
        }
        if (!accept_buffer(&b, d, no)) {
            return false;
        }
        read += len;
        *bytes += d->w[1] & COPY ? len : 0;
        if ((d->w[1] & BLOCK_LAST) && (d->w[1] & SEND)) {
            *bytes += sum_bytes(kind_of(d));
        }
    }
    return (!b.open && !b.has_meta && read <= APP_STAGE_BYTES &&
            *bytes <= APP_STAGE_BYTES) ||
           refuse(no, app_desc(p, p->descs - 1));
}

/* ---- running ------------------------------------------------------------- */

/* Where a run is; slots count once the packet is through. */
struct cme_run {
    struct app_packet *p;
    struct cme_block block;
    uint32_t slots[8];
    uint8_t *out;
    uint64_t room; /* of the stream that was promised */
};

static void put_result(struct cme_run *r, const struct sum *sum)
{
    for (unsigned i = 0; i < sum_bytes(sum->kind) && r->room > 0; i++) {
        *r->out++ = (uint8_t)(sum->value >> 8 * i);
        r->room--;
    }
}

static void end_block(struct cme_run *r, const struct desc *d)
{
    const struct sum *sum = &r->block.sum;
    uint32_t expected = sum_resume(sum->kind, r->block.expected).value;

    if ((d->w[1] & VALIDATE) && sum->value != expected) {
        r->p->mismatch = true;
        r->p->culprit = *d;
    }
    if (d->w[1] & STORE_RESULT) {
        r->slots[SLOT(d->w[1])] = sum->value;
    } else if (d->w[1] & STORE_SOURCE) {
        r->slots[SLOT(d->w[1])] = expected;
    }
    if (d->w[1] & SEND) {
        put_result(r, sum);
    }
    r->block.has_meta = false;
}

/* What the sum of a block starts from. */
static struct sum start_block(const struct cme_run *r, const struct desc *d)
{
    if (d->w[1] & USE_STORED) {
        return sum_resume(kind_of(d), r->slots[SLOT(d->w[1])]);
    }
    return r->block.has_meta ? sum_resume(kind_of(d), r->block.start)
                             : sum_start(kind_of(d));
}

static enum app_got run_buffer(struct cme_run *r, const struct desc *d)
{
    uint32_t len = desc_len_bytes(d, zero_len(r->p));
    bool copy = d->w[1] & COPY;
    uint8_t *to = copy ? r->out : r->p->ch->chip->app_scratch;
    enum app_got got;
    const void *data;

    if (kind_of(d) > 0 && (d->w[1] & BLOCK_FIRST)) {
        r->block.sum = start_block(r, d);
    }
    if (r->block.sum.kind == 0 || (copy && len > r->room)) {
        return APP_LOST; /* not what has been accepted */
    }
    got = copy ? app_read_to(r->p, d, len, to)
               : app_read(r->p, d, len, to, &data);
    if (got != APP_GOT) {
        return got;
    }
    sum_add(&r->block.sum, copy ? to : data, len);
    if (copy) {
        r->out += len;
        r->room -= len;
    }
    if (d->w[1] & BLOCK_LAST) {
        end_block(r, d);
    }
    return APP_GOT;
}

static enum app_got cme_make(struct app_packet *p)
{
    struct channel *ch = p->ch;
    struct cme_run r = { .p = p, .out = app_stage(ch, p->q) };
    enum app_got all = APP_GOT;
    uint64_t bytes = 0;
    struct app_refusal no;

    r.room = M2S_QUEUE(ch, p->q)->packet.bytes;
    memcpy(r.slots, ch->app.crc[p->q], sizeof(r.slots));
    if (!cme_accept(p, &bytes, &no) || bytes != r.room) {
        return APP_LOST; /* somebody has emptied the FIFO */
    }
    for (uint32_t i = 0; i < p->descs; i++) {
        const struct desc d = *app_desc(p, i);
        enum app_got got = APP_GOT;

        if (d.w[0] & DESC_META) {
            r.block.has_meta = true;
            r.block.start = d.w[2];
            r.block.expected = d.w[3];
        } else {
            got = run_buffer(&r, &d);
        }
        if (got == APP_STOPPED) {
            return got;
        }
        all = got == APP_LOST ? got : all;
    }
    if (all == APP_GOT) {
        memcpy(ch->app.crc[p->q], r.slots, sizeof(r.slots));
    }
    return all;
}

const struct app_ops app_cme_ops = { cme_accept, cme_make };
