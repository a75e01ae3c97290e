/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Operations of the compute engine (common-blocks 3.4.4). A job is done in
 * blocks: sources become fp32 one after the other, meet in an accumulator on
 * the stack, and leave it through the output converter.
 */
#include "dev/cce.h"

#include <assert.h>

#include "base/bits.h"
#include "dev/cce_conv.h"
#include "dev/cce_vec.h"

#define BLOCK 256u /* elements; all of a block's buffers fit the L1 cache */

#define MINUS_ZERO 0x80000000u

struct block {
    const struct cce_job *job;
    size_t at; /* its first element */
    size_t n;
    size_t room; /* n in whole groups; the last element is repeated */
    uint32_t trouble;
    _Alignas(16) float acc[BLOCK];
    _Alignas(16) float in[BLOCK];
    _Alignas(16) uint8_t raw[BLOCK * 8]; /* elements of an unfull group */
};

/* An operand: an array, or one group again and again when step is 0. */
struct operand {
    const void *data;
    size_t step; /* bytes a group */
};

/* @return seen times the sum */
static inline vec_f32 add_vec(char *dst, const char *a, const char *b,
                              vec_f32 seen)
{
    const vec_f32 sum = vec_load(a) + vec_load(b);

    vec_store(dst, sum);
    return seen * sum;
}

/* dst = a + b. @return whether an infinity or a NaN came out. */
static bool add(void *dst, const void *a, const void *b, size_t n)
{
    /* A product for each of a group's vectors: none waits for another. */
    vec_f32 seen[4] = { { 0 } };

    for (size_t i = 0; i < n * 4; i += VEC_GROUP * 4) {
        char *d = (char *)dst + i;
        const char *p = (const char *)a + i;
        const char *q = (const char *)b + i;

        seen[0] = add_vec(d, p, q, seen[0]);
        seen[1] = add_vec(d + 16, p + 16, q + 16, seen[1]);
        seen[2] = add_vec(d + 32, p + 32, q + 32, seen[2]);
        seen[3] = add_vec(d + 48, p + 48, q + 48, seen[3]);
    }
    return vec_was_special(seen[0] * seen[1] * seen[2] * seen[3]);
}

/*
 * As fmaxf() and fminf(): a NaN is no number to compare with. Of two zeros the
 * positive one is greater.
 */
static inline vec_f32 extreme(vec_f32 a, vec_f32 b, bool max)
{
    const vec_i32 first = (max ? a > b : a < b) | (b != b);
    const vec_i32 same =
        max ? (vec_i32)a & (vec_i32)b : (vec_i32)a | (vec_i32)b;
    const vec_i32 other = vec_pick(first, (vec_i32)a, (vec_i32)b);

    return (vec_f32)vec_pick(a == b, same, other);
}

static inline void extreme_all(float *acc, struct operand x, size_t n, bool max)
{
    for (size_t i = 0; i < n; i += VEC_GROUP) {
        for (unsigned k = 0; k < VEC_GROUP; k += VEC_LANES) {
            const vec_f32 b = vec_load((const char *)x.data + 4 * k);
            float *a = acc + i + k;

            vec_store(a, extreme(vec_load(a), b, max));
        }
        x.data = (const char *)x.data + x.step;
    }
}

static void combine_extreme(const struct cce_job *job, float *acc,
                            struct operand x, size_t n)
{
    if (job->op == TRENCH_CCE_MAX) {
        extreme_all(acc, x, n, true);
    } else {
        extreme_all(acc, x, n, false);
    }
}

/*
 * a * b + c rounded to odd, so that rounding it to fp32 is as if it were the
 * only one: the product of two fp32 is exact, and the error of the sum (Knuth)
 * says which side the exact sum is on.
 */
static inline vec_f64 fma_odd(vec_f64 a, vec_f64 b, vec_f64 c)
{
    const vec_f64 p = a * b;
    const vec_f64 s = p + c;
    const vec_f64 t = s - p;
    const vec_f64 err = (p - (s - t)) + (c - t);
    /* No comparison holds for the NaN that infinities leave there. */
    const vec_u64 inexact = (vec_u64)((err > 0) | (err < 0));
    const vec_u64 even = ((vec_u64)s & 1) - 1;
    const vec_u64 apart = ((vec_u64)s ^ (vec_u64)err) >> 63;

    return (vec_f64)((vec_u64)s + ((1 - 2 * apart) & inexact & even));
}

/* A group of an operand as doubles: a loop that compilers turn to vectors. */
static inline void widen(double *dst, const char *src)
{
    float x[VEC_GROUP];

    memcpy(x, src, sizeof(x));
    for (unsigned i = 0; i < VEC_GROUP; i++) {
        dst[i] = (double)x[i];
    }
}

/* acc = a * b + c for a group. */
static inline void fma_group(float *acc, const char *a, const char *b,
                             const char *c)
{
    _Alignas(16) double x[VEC_GROUP];
    _Alignas(16) double y[VEC_GROUP];
    _Alignas(16) double z[VEC_GROUP];
    const size_t lanes = sizeof(vec_f64) / sizeof(double);

    widen(x, a);
    widen(y, b);
    widen(z, c);
    for (unsigned i = 0; i < VEC_GROUP; i += lanes) {
        vec_f64 p, q, r;

        memcpy(&p, x + i, sizeof(p));
        memcpy(&q, y + i, sizeof(q));
        memcpy(&r, z + i, sizeof(r));
        r = fma_odd(p, q, r);
        memcpy(x + i, &r, sizeof(r));
    }
    for (unsigned i = 0; i < VEC_GROUP; i++) {
        acc[i] = (float)x[i];
    }
}

/* Was a NaN made of numbers? */
static inline vec_i32 made_nan(const float *acc, const char *a, const char *b,
                               const char *c)
{
    vec_i32 made = { 0 };

    for (unsigned i = 0; i < VEC_GROUP * 4; i += sizeof(vec_f32)) {
        const vec_f32 r = vec_load((const char *)acc + i);
        const vec_f32 x = vec_load(a + i), y = vec_load(b + i);
        const vec_f32 z = vec_load(c + i);

        made |= (r != r) & (x == x) & (y == y) & (z == z);
    }
    return made;
}

/*
 * acc = a * b + c; one of them may be acc. @return whether a NaN was made of
 * numbers.
 */
static bool fma_all(float *acc, const struct operand op[3], size_t n)
{
    const char *a = op[0].data;
    const char *b = op[1].data;
    const char *c = op[2].data;
    vec_i32 invalid = { 0 };

    for (size_t i = 0; i < n; i += VEC_GROUP) {
        _Alignas(16) float out[VEC_GROUP];

        fma_group(out, a, b, c);
        invalid |= made_nan(out, a, b, c);
        memcpy(acc + i, out, sizeof(out));
        a += op[0].step;
        b += op[1].step;
        c += op[2].step;
    }
    return vec_any(invalid);
}

static void fill(float *dst, float x, size_t n)
{
    for (size_t i = 0; i < n; i += VEC_LANES) {
        vec_store(dst + i, vec_splat(x));
    }
}

/* Sources count without their sign. */
static void drop_signs(float *data, size_t n)
{
    for (size_t i = 0; i < n; i += VEC_LANES) {
        vec_store(data + i, (vec_f32)vec_abs_bits(vec_load(data + i)));
    }
}

/* The source's elements of a block, with as many more as room asks for. */
static const void *source_bytes(struct block *b, const struct cce_source *s)
{
    const size_t bytes = trench_dtype_bytes(s->type);
    const uint8_t *p = (const uint8_t *)s->data + b->at * bytes;

    if (b->n == b->room || bytes == 0) {
        return p;
    }
    memcpy(b->raw, p, b->n * bytes);
    for (size_t i = b->n; i < b->room; i++) {
        memcpy(b->raw + i * bytes, b->raw + (b->n - 1) * bytes, bytes);
    }
    return b->raw;
}

static void load(struct block *b, const struct cce_source *s, float *into)
{
    cce_load(s->type, into, source_bytes(b, s), b->room);
    if (b->job->absolute) {
        drop_signs(into, b->room);
    }
}

/* As fp32: where the source has it, or else in the given buffer. */
static const void *view(struct block *b, const struct cce_source *s,
                        float *into)
{
    if (cce_is_fp32(s->type) && b->n == b->room && !b->job->absolute) {
        return (const uint8_t *)s->data + b->at * sizeof(float);
    }
    load(b, s, into);
    return into;
}

static void block_add(struct block *b)
{
    const struct cce_job *job = b->job;
    const void *sum;

    if (f32_bits(job->zero) != MINUS_ZERO) {
        fill(b->acc, job->zero, b->room);
        sum = b->acc;
        for (unsigned i = 0; i < job->nr_sources; i++) {
            add(b->acc, sum, view(b, &job->sources[i], b->in), b->room);
        }
        return;
    }
    /* -0.0 + x is x. */
    if (job->nr_sources == 1) {
        load(b, &job->sources[0], b->acc);
        return;
    }
    sum = view(b, &job->sources[0], b->acc);
    for (unsigned i = 1; i < job->nr_sources; i++) {
        add(b->acc, sum, view(b, &job->sources[i], b->in), b->room);
        sum = b->acc;
    }
}

static void block_fma(struct block *b)
{
    const struct cce_job *job = b->job;
    float zero[VEC_GROUP];
    float scale[VEC_GROUP];

    fill(zero, job->zero, VEC_GROUP);
    fill(b->acc, job->zero, b->room);
    for (unsigned i = 0; i < job->nr_sources; i++) {
        const struct cce_source *s = &job->sources[i];
        const struct operand operands[] = {
            [CCE_STORED] = { b->acc, sizeof(zero) },
            [CCE_INPUT] = { view(b, s, b->in), sizeof(zero) },
            [CCE_SCALE] = { scale, 0 },
        };
        struct operand abc[3];

        fill(scale, s->scale, VEC_GROUP);
        for (unsigned k = 0; k < 3; k++) {
            if (s->operand[k] < ARRAY_LEN(operands)) {
                abc[k] = operands[s->operand[k]];
            } else {
                abc[k] = (struct operand){ zero, 0 };
                b->trouble |= CCE_FMA_ERROR;
            }
        }
        if (fma_all(b->acc, abc, b->room)) {
            b->trouble |= CCE_FMA_ERROR;
        }
    }
}

static void block_extreme(struct block *b)
{
    const struct cce_job *job = b->job;

    load(b, &job->sources[0], b->acc);
    for (unsigned i = 1; i < job->nr_sources; i++) {
        const struct operand x = { view(b, &job->sources[i], b->in),
                                   VEC_GROUP * sizeof(float) };

        combine_extreme(job, b->acc, x, b->room);
    }
    if (job->use_const) {
        float constant[VEC_GROUP];

        fill(constant, job->constant, VEC_GROUP);
        combine_extreme(job, b->acc, (struct operand){ constant, 0 }, b->room);
    }
}

static void block_store(struct block *b)
{
    const struct cce_job *job = b->job;
    const size_t bytes = trench_dtype_bytes(job->out_type);
    uint8_t *out = (uint8_t *)job->out + b->at * bytes;
    const bool whole = b->n == b->room;

    b->trouble |=
        cce_store(job->out_type, whole ? out : b->raw, b->acc, b->n, job->seed);
    if (!whole) {
        memcpy(out, b->raw, b->n * bytes);
    }
}

static uint32_t run_block(const struct cce_job *job, size_t at)
{
    static void (*const ops[])(struct block *) = {
        [TRENCH_CCE_ADD] = block_add,
        [TRENCH_CCE_FMA] = block_fma,
        [TRENCH_CCE_MAX] = block_extreme,
        [TRENCH_CCE_MIN] = block_extreme,
    };
    struct block b;

    b.job = job;
    b.at = at;
    b.n = min_u64(job->n - at, BLOCK);
    b.room = (b.n + VEC_GROUP - 1) / VEC_GROUP * VEC_GROUP;
    b.trouble = 0;
    ops[job->op](&b);
    block_store(&b);
    return b.trouble;
}

/* A sum that starts with nothing. */
static bool plain_add(const struct cce_job *job)
{
    return job->op == TRENCH_CCE_ADD && !job->absolute &&
           f32_bits(job->zero) == MINUS_ZERO;
}

/* One source of 32 or 64 bits to its own type: no bit is looked at. */
static bool is_copy(const struct cce_job *job)
{
    const enum trench_dtype in = job->sources[0].type;

    return plain_add(job) && job->nr_sources == 1 &&
           trench_dtype_bytes(in) >= 4 &&
           (in == job->out_type ||
            (cce_is_fp32(in) && cce_is_fp32(job->out_type)));
}

/* Two sources, and all of it fp32: no buffers, as far as there are groups. */
static bool is_pair(const struct cce_job *job)
{
    return plain_add(job) && job->nr_sources == 2 &&
           cce_is_fp32(job->sources[0].type) &&
           cce_is_fp32(job->sources[1].type) && cce_is_fp32(job->out_type);
}

uint32_t cce_run(const struct cce_job *job)
{
    uint32_t trouble = 0;
    size_t at = 0;

    assert(job->op <= TRENCH_CCE_MIN);
    assert(job->nr_sources >= 1 && job->nr_sources <= TRENCH_CCE_MAX_SOURCES);
    for (unsigned i = 0; i < job->nr_sources; i++) {
        if (trench_dtype_bytes(job->sources[i].type) == 0) {
            trouble |= CCE_INPUT_ERROR;
        }
    }
    if (job->n == 0) {
        return trouble;
    }
    if (is_copy(job)) {
        memmove(job->out, job->sources[0].data,
                job->n * trench_dtype_bytes(job->out_type));
        return 0;
    }
    if (is_pair(job)) {
        at = job->n / VEC_GROUP * VEC_GROUP;
        if (add(job->out, job->sources[0].data, job->sources[1].data, at)) {
            trouble |= cce_settle_fp32(job->out, at);
        }
    }
    for (; at < job->n; at += BLOCK) {
        trouble |= run_block(job, at);
    }
    return trouble;
}

float cce_to_fp32(enum trench_dtype type, const void *element)
{
    uint8_t raw[VEC_GROUP * 8] = { 0 };
    float out[VEC_GROUP];

    memcpy(raw, element, trench_dtype_bytes(type));
    cce_load(type, out, raw, VEC_GROUP);
    return out[0];
}
