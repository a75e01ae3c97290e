/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * CCE, the compute engine: packets of several sources that are combined
 * element by element (common-blocks 3.4). The arithmetic is in cce.c.
 */
#include "dev/app.h"

#include <assert.h>
#include <string.h>

#include "base/bits.h"
#include "dev/cce.h"

/* Word 1 of a buffer. */
#define BLOCK_LAST  0x1u
#define BLOCK_FIRST 0x2u
#define BLOCK_MASK  0x3u
#define USE_CONST   0x20u /* MIN and MAX */

#define NIBBLE(word, lsb) ((enum trench_dtype)((word) >> (lsb)&0xF))

#define FP32_ONE 0x3F800000u

/* Word 2 of a META descriptor. */
#define META_LEN_MASK 0x00FFFFFFu

/* Where the passes of an EXT packet meet, behind the sources. */
#define MIDDLE_AT (TRENCH_CCE_MAX_SOURCES * APP_SOURCE_BYTES)

/* What the packet accepted last says, behind that. */
#define ACCEPTED_AT (MIDDLE_AT + APP_SOURCE_BYTES)

/* What a packet says. */
struct cce_packet {
    const struct app_packet *p;
    struct app_refusal *no;
    enum trench_cce_op op;
    enum trench_dtype out_type;
    uint32_t n; /* elements */
    unsigned nr;
    unsigned elem_max;
    const struct desc *meta;  /* waits for its source: scale, selectors */
    const struct desc *limit; /* MIN and MAX: its word 3 is a constant */
    const struct desc *seed;
    uint32_t copies;
    bool use_const;
    bool scaled; /* some source has a scale */
    struct cce_source src[TRENCH_CCE_MAX_SOURCES];
    struct desc tx[TRENCH_CCE_MAX_SOURCES]; /* its buffer: the FIFO may go */
    /* Where it was accepted, and what it was read by. */
    const struct channel *ch; /* NULL = it is no longer known */
    unsigned q;
    uint32_t epoch;
    uint32_t one;
};

static_assert(ACCEPTED_AT + sizeof(struct cce_packet) <= APP_SCRATCH_BYTES,
              "sources, what is between two passes and a packet fit");

static bool refuse(struct cce_packet *c, const struct desc *d)
{
    return app_refuse(c->no, d, TRENCH_TRIGGER_CCE_COMMAND_PARSE);
}

static unsigned op_of(const struct desc *d)
{
    return (d->w[1] & META_OP_TYPE_MASK) / (META_OP_TYPE_MASK & 0x100000u);
}

/* Which nibbles name the types of an operation. */
static const struct nibbles {
    uint8_t in;
    uint8_t out;
    uint8_t extra; /* of the scale or constant; 0 = none */
} nibbles[2][TRENCH_CCE_EXT + 1] = {
    [TRENCH_CCE_NIBBLES_SRC_DST] = {
        [TRENCH_CCE_ADD] = { 12, 16, 0 },
        [TRENCH_CCE_FMA] = { 8, 16, 12 },
        [TRENCH_CCE_MAX] = { 8, 16, 12 },
        [TRENCH_CCE_MIN] = { 8, 16, 12 },
        [TRENCH_CCE_EXT] = { 12, 16, 0 },
    },
    [TRENCH_CCE_NIBBLES_OUT_ACCUM] = {
        [TRENCH_CCE_ADD] = { 16, 12, 0 },
        [TRENCH_CCE_FMA] = { 8, 16, 12 },
        [TRENCH_CCE_MAX] = { 8, 16, 12 },
        [TRENCH_CCE_MIN] = { 8, 16, 12 },
        [TRENCH_CCE_EXT] = { 16, 12, 0 },
    },
};

static const struct nibbles *nibbles_of(const struct cce_packet *c)
{
    return &nibbles[c->p->ch->chip->cce_nibbles][c->op];
}

/* ---- META descriptors ---------------------------------------------------- */

/* One of a kind, before the first source. */
static bool meta_once(struct cce_packet *c, const struct desc *d,
                      const struct desc **slot)
{
    if (*slot) {
        return app_refuse(c->no, d, TRENCH_TRIGGER_CCE_META_OVERFLOW);
    }
    *slot = d;
    return c->nr == 0 || refuse(c, d);
}

static bool meta_fma(struct cce_packet *c, const struct desc *d)
{
    if (c->op != TRENCH_CCE_FMA && c->op != TRENCH_CCE_EXT) {
        return refuse(c, d);
    }
    if (c->meta) {
        return app_refuse(c->no, d, TRENCH_TRIGGER_CCE_META_OVERFLOW);
    }
    c->meta = d;
    return true;
}

static bool meta_limit(struct cce_packet *c, const struct desc *d)
{
    if (c->op != (enum trench_cce_op)op_of(d) && c->op != TRENCH_CCE_EXT) {
        return refuse(c, d);
    }
    return meta_once(c, d, &c->limit);
}

/* The engine's bits in word 1; MIN and MAX without a constant have none. */
static bool take_meta(struct cce_packet *c, const struct desc *d)
{
    uint32_t engine = d->w[1] & META_SSMAE_OP_MASK;

    if (d->w[1] == 0) {
        return c->op == TRENCH_CCE_MAX || c->op == TRENCH_CCE_MIN ||
               refuse(c, d);
    }
    if (engine == META_SSMAE_OP_CME / 2 && op_of(d) == 2 &&
        c->op == TRENCH_CCE_EXT && c->copies == 1 && c->nr == 0) {
        c->copies = d->w[1] & 0xFFFF;
        return (c->copies > 0 && c->p->ch->chip->gen->cce_replicates) ||
               refuse(c, d);
    }
    if (engine != META_SSMAE_OP_CME * 2) {
        return refuse(c, d);
    }
    switch (op_of(d)) {
    case 0:
        return meta_once(c, d, &c->seed);
    case TRENCH_CCE_FMA:
        return meta_fma(c, d);
    case TRENCH_CCE_MAX:
    case TRENCH_CCE_MIN:
        return meta_limit(c, d);
    default:
        return refuse(c, d);
    }
}

/* Registers and META words, as they are. */
static float as_float(uint32_t word)
{
    float x;

    memcpy(&x, &word, sizeof(x));
    return x;
}

/* The scale of sources without one. */
static uint32_t one_of(const struct channel *ch)
{
    return ch->app.cce.one ? *ch->app.cce.one : FP32_ONE;
}

/* The length of a META descriptor, if given: bytes or elements. */
static bool meta_len_fits(const struct desc *meta, uint32_t len, uint32_t n)
{
    uint32_t said = meta->w[2] & META_LEN_MASK;

    return said == 0 || said == len || said == n;
}

/* Scale and selectors of the source that a META descriptor precedes. */
static bool take_scale(struct cce_packet *c, struct cce_source *src,
                       uint32_t len, uint32_t n)
{
    static const uint8_t lsb[] = { 24, 26, 28 };
    const struct desc *meta = c->meta;

    c->meta = NULL;
    c->scaled = true;
    for (size_t i = 0; i < ARRAY_LEN(lsb); i++) {
        src->operand[i] = meta->w[2] >> lsb[i] & 3;
        if (src->operand[i] > CCE_SCALE) {
            return refuse(c, meta);
        }
    }
    if (src->operand[0] == CCE_STORED && src->operand[1] == CCE_STORED) {
        return app_refuse(c->no, meta, TRENCH_TRIGGER_CCE_A_AND_B_SELF_BUFFER);
    }
    src->scale = as_float(meta->w[3]);
    return meta_len_fits(meta, len, n) || refuse(c, meta);
}

/* ---- buffers ------------------------------------------------------------- */

/* What all sources of the packet have in common, from the first one. */
static bool take_common(struct cce_packet *c, const struct desc *d,
                        const struct nibbles *at)
{
    enum trench_dtype extra =
        at->extra ? NIBBLE(d->w[1], at->extra) : TRENCH_DTYPE_NONE;

    c->out_type = NIBBLE(d->w[1], at->out);
    if (!trench_dtype_bytes(c->out_type)) {
        return refuse(c, d);
    }
    if (c->op == TRENCH_CCE_FMA) {
        return extra == TRENCH_DTYPE_FP32 || refuse(c, d);
    }
    if (c->op == TRENCH_CCE_EXT || !at->extra || !(d->w[1] & USE_CONST)) {
        return true;
    }
    c->use_const = true;
    if (!c->limit) {
        return app_refuse(c->no, d, TRENCH_TRIGGER_CCE_META_UNDERFLOW);
    }
    return (trench_dtype_bytes(extra) > 0 && trench_dtype_bytes(extra) <= 4) ||
           refuse(c, d);
}

/* Elements of a source, which are as many in each. */
static bool take_elements(struct cce_packet *c, const struct desc *d,
                          unsigned bytes, uint32_t len)
{
    uint32_t n = bytes ? len / bytes : 0;

    if (n == 0 || n * bytes != len || n > c->elem_max ||
        (c->nr > 0 && n != c->n)) {
        return refuse(c, d);
    }
    c->n = n;
    return true;
}

static bool take_buffer(struct cce_packet *c, const struct desc *d, bool last)
{
    const struct packet *pkt = &M2S_QUEUE(c->p->ch, c->p->q)->packet;
    const struct nibbles *at = nibbles_of(c);
    uint32_t zero_len = c->p->rx ? pkt->zero_len : channel_zero_len(c->p->ch);
    uint32_t len = desc_len_bytes(d, zero_len);
    uint32_t block = (c->nr == 0 ? BLOCK_FIRST : 0) | (last ? BLOCK_LAST : 0);
    struct cce_source *src = &c->src[c->nr];

    if (c->nr == TRENCH_CCE_MAX_SOURCES || (d->w[1] & BLOCK_MASK) != block ||
        (c->nr > 0 && NIBBLE(d->w[1], at->out) != c->out_type) ||
        (c->nr == 0 && !take_common(c, d, at))) {
        return c->no->desc ? false : refuse(c, d);
    }
    src->type = NIBBLE(d->w[1], at->in);
    src->scale = as_float(one_of(c->p->ch));
    src->operand[0] = CCE_INPUT;
    src->operand[1] = CCE_SCALE;
    src->operand[2] = CCE_STORED;
    if (!take_elements(c, d, trench_dtype_bytes(src->type), len)) {
        return false;
    }
    if (!c->meta && c->op == TRENCH_CCE_FMA) {
        return app_refuse(c->no, d, TRENCH_TRIGGER_CCE_META_UNDERFLOW);
    }
    if (c->meta && !take_scale(c, src, len, c->n)) {
        return false;
    }
    c->tx[c->nr++] = *d;
    return true;
}

/* ---- the packet ---------------------------------------------------------- */

/* The operation is that of the first buffer; the last one ends the block. */
static const struct desc *find_buffers(const struct app_packet *p,
                                       uint32_t *last)
{
    const struct desc *first = NULL;

    for (uint32_t i = 0; i < p->descs; i++) {
        const struct desc *d = app_desc(p, i);

        if (!(d->w[0] & DESC_META)) {
            first = first ? first : d;
            *last = i;
        }
    }
    return first;
}

static bool parse(struct cce_packet *c, const struct app_packet *p,
                  struct app_refusal *no)
{
    uint32_t last = 0;
    const struct desc *first = find_buffers(p, &last);

    c->p = p;
    c->no = no;
    c->nr = 0;
    c->meta = NULL;
    c->limit = NULL;
    c->seed = NULL;
    c->copies = 1;
    c->use_const = false;
    c->scaled = false;
    c->elem_max = p->ch->chip->gen->cce_elements;
    if (!first || op_of(first) > TRENCH_CCE_EXT) {
        return refuse(c, first); /* GCE: its format is not public */
    }
    c->op = (enum trench_cce_op)op_of(first);
    for (uint32_t i = 0; i < p->descs; i++) {
        const struct desc *d = app_desc(p, i);
        bool ok = d->w[0] & DESC_META ? take_meta(c, d)
                                      : take_buffer(c, d, i == last);

        if (!ok) {
            return false;
        }
    }
    if (c->meta) {
        return app_refuse(no, c->meta, TRENCH_TRIGGER_CCE_META_OVERFLOW);
    }
    return !c->limit ||
           meta_len_fits(c->limit, c->n * trench_dtype_bytes(c->src[0].type),
                         c->n) ||
           refuse(c, c->limit);
}

static uint64_t out_bytes(const struct cce_packet *c)
{
    return (uint64_t)c->n * trench_dtype_bytes(c->out_type);
}

static struct cce_packet *accepted(const struct channel *ch)
{
    return (struct cce_packet *)(void *)(ch->chip->app_scratch + ACCEPTED_AT);
}

static bool cce_accept(const struct app_packet *p, uint64_t *bytes,
                       struct app_refusal *no)
{
    struct cce_packet *c = accepted(p->ch);

    c->ch = NULL;
    if (!parse(c, p, no)) {
        return false;
    }
    c->q = p->q;
    c->epoch = M2S_QUEUE(p->ch, p->q)->epoch;
    c->one = one_of(p->ch);
    *bytes = out_bytes(c) * c->copies;
    if (*bytes > APP_STAGE_BYTES) {
        return refuse(c, app_desc(p, 0));
    }
    c->ch = p->ch;
    return true;
}

/*
 * The packet again: mostly the one accepted last, of which all is known. That
 * counts once; after an abort descriptors are looked at.
 */
static bool parse_again(struct cce_packet *c, const struct app_packet *p,
                        struct app_refusal *no)
{
    const bool known = c->ch == p->ch && c->q == p->q &&
                       c->epoch == M2S_QUEUE(p->ch, p->q)->epoch &&
                       c->one == one_of(p->ch);

    c->ch = NULL;
    if (!known) {
        return parse(c, p, no);
    }
    c->p = p;
    c->no = no;
    return true;
}

/* ---- running ------------------------------------------------------------- */

/* Bits of enum cce_trouble, from the lowest on. */
static const uint8_t troubles[] = {
    TRENCH_TRIGGER_CCE_INPUT_CONVERTER,   TRENCH_TRIGGER_CCE_OUTPUT_CONVERTER,
    TRENCH_TRIGGER_CCE_OUTPUT_INF,        TRENCH_TRIGGER_CCE_OUTPUT_NAN,
    TRENCH_TRIGGER_CCE_OUTPUT_OVERFLOW,   TRENCH_TRIGGER_CCE_OUTPUT_UNDERFLOW,
    TRENCH_TRIGGER_CCE_STOCHASTIC_NON_FP, TRENCH_TRIGGER_CCE_FMA,
};

static void report(struct channel *ch, uint32_t trouble)
{
    for (size_t i = 0; trouble && i < ARRAY_LEN(troubles); i++) {
        if (trouble >> i & 1) {
            app_trigger(ch, troubles[i]);
        }
    }
}

static float limit_value(const struct cce_packet *c)
{
    enum trench_dtype type = c->op == TRENCH_CCE_EXT
                                 ? TRENCH_DTYPE_FP32
                                 : NIBBLE(c->tx[0].w[1], nibbles_of(c)->extra);

    return cce_to_fp32(type, &c->limit->w[3]);
}

static uint32_t source_bytes(const struct cce_packet *c, unsigned i)
{
    return c->n * trench_dtype_bytes(c->src[i].type);
}

/* Where all sources are memory and nobody looks on: leave them there. */
static bool find_sources(struct cce_packet *c)
{
    struct channel *ch = c->p->ch;
    uint64_t bytes = 0;

    if (ch->notes & TDMA_NOTE_AXI) {
        return false;
    }
    for (unsigned i = 0; i < c->nr; i++) {
        c->src[i].data = app_in_place(c->p, &c->tx[i], source_bytes(c, i));
        if (!c->src[i].data) {
            return false;
        }
        bytes += source_bytes(c, i);
    }
    ch->m2s_side.stats.bytes += bytes;
    return true;
}

/*
 * Copy all sources, in order: reading one may change, or take away, the memory
 * of another. A bad one does not spare the others a look.
 */
static enum app_got read_sources(struct cce_packet *c)
{
    uint8_t *room = c->p->ch->chip->app_scratch;
    enum app_got all = APP_GOT;

    if (find_sources(c)) {
        return APP_GOT;
    }
    for (unsigned i = 0; i < c->nr; i++) {
        uint8_t *to = room + (size_t)i * APP_SOURCE_BYTES;
        enum app_got got = app_read_to(c->p, &c->tx[i], source_bytes(c, i), to);

        if (got == APP_STOPPED) {
            return got;
        }
        c->src[i].data = to;
        all = got == APP_LOST ? got : all;
    }
    return all;
}

/*
 * The memory of the destination, unless it is in part that of a source: in
 * whole is fine, where an element is not larger than what it comes from.
 */
static void *find_target(const struct cce_packet *c, uint64_t bytes)
{
    void *target = c->copies == 1 ? app_direct(c->p, bytes) : NULL;
    uintptr_t out = (uintptr_t)target;

    for (unsigned i = 0; target && i < c->nr; i++) {
        uintptr_t in = (uintptr_t)c->src[i].data;
        unsigned size = trench_dtype_bytes(c->src[i].type);
        bool same = in == out && size == trench_dtype_bytes(c->out_type);

        if (!same && out < in + (size_t)c->n * size && in < out + bytes) {
            return NULL;
        }
    }
    return target;
}

/* EXT: what the sources come to, then the limit. */
static uint32_t run_ext(const struct cce_packet *c, struct cce_job job)
{
    void *middle = c->p->ch->chip->app_scratch + MIDDLE_AT;
    struct cce_source sum = { .data = middle, .type = TRENCH_DTYPE_FP32 };
    struct cce_job pass = job;
    uint32_t trouble;

    job.op = c->scaled ? TRENCH_CCE_FMA : TRENCH_CCE_ADD;
    if (!c->limit) {
        return cce_run(&job);
    }
    pass.op = job.op;
    pass.seed = NULL;
    pass.out_type = TRENCH_DTYPE_FP32;
    pass.out = middle;
    trouble = cce_run(&pass) & (CCE_INPUT_ERROR | CCE_FMA_ERROR);
    job.op = (enum trench_cce_op)op_of(c->limit);
    job.sources = &sum;
    job.nr_sources = 1;
    job.absolute = false;
    job.use_const = true;
    job.constant = limit_value(c);
    return trouble | cce_run(&job);
}

static void run_job(const struct cce_packet *c, void *out)
{
    struct channel *ch = c->p->ch;
    uint32_t seed = c->seed ? c->seed->w[3] : 0;
    struct cce_job job = {
        .op = c->op,
        .sources = c->src,
        .nr_sources = c->nr,
        .n = c->n,
        .use_const = c->use_const,
        .constant = c->use_const ? limit_value(c) : 0,
        .absolute = ch->app.cce.absolute && *ch->app.cce.absolute & 1,
        .zero = ch->app.cce.zero ? as_float(*ch->app.cce.zero) : -0.0f,
        .seed = c->seed ? &seed : NULL,
        .out_type = c->out_type,
        .out = out,
    };

    report(ch, c->op == TRENCH_CCE_EXT ? run_ext(c, job) : cce_run(&job));
}

static enum app_got cce_make(struct app_packet *p)
{
    struct app_refusal no = { NULL, 0 };
    struct cce_packet *c = accepted(p->ch);
    struct desc limit, seed;
    enum app_got got;
    uint64_t bytes;
    uint8_t *out;

    if (!parse_again(c, p, &no) ||
        out_bytes(c) * c->copies != M2S_QUEUE(p->ch, p->q)->packet.bytes) {
        return APP_LOST; /* somebody has emptied the FIFO */
    }
    if (c->limit) {
        limit = *c->limit;
        c->limit = &limit;
    }
    if (c->seed) {
        seed = *c->seed;
        c->seed = &seed;
    }
    got = read_sources(c);
    if (got != APP_GOT) {
        return got;
    }
    bytes = out_bytes(c);
    out = find_target(c, bytes);
    if (out) {
        run_job(c, out);
        app_delivered(p);
        return APP_GOT;
    }
    out = app_stage(p->ch, p->q);
    run_job(c, out);
    for (uint32_t i = 1; i < c->copies; i++) {
        memcpy(out + i * bytes, out, bytes);
    }
    return APP_GOT;
}

const struct app_ops app_cce_ops = { cce_accept, cce_make };
