/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The arithmetic of the compute engine against an oracle that works with real
 * numbers: values of encodings by ldexp(), encodings of values by search in
 * the list of all values of a type (common-blocks 3.4.2, 3.4.4).
 */
#include <math.h>

#include "check.h"
#include "dev/cce.h"
#include "rig.h"

#define MAX_N  700u
#define GUARD  0xA5
#define MARGIN 32u

/* A floating-point type as its definition has it. */
struct format {
    int exp_bits;
    int man_bits;
    int bias;
    bool no_inf; /* the last exponent is one of numbers, its last a NaN */
};

static const struct format *format_of(enum trench_dtype type)
{
    static const struct format formats[TRENCH_NR_DTYPES] = {
        [TRENCH_DTYPE_BF16] = { 8, 7, 127, false },
        [TRENCH_DTYPE_FP16] = { 5, 10, 15, false },
        [TRENCH_DTYPE_FP32] = { 8, 23, 127, false },
        [TRENCH_DTYPE_FP32R] = { 8, 23, 127, false },
        [TRENCH_DTYPE_FP8_E3] = { 3, 4, 3, false },
        [TRENCH_DTYPE_FP8_E4] = { 4, 3, 7, true },
        [TRENCH_DTYPE_FP8_E5] = { 5, 2, 15, false },
    };

    return formats[type].exp_bits ? &formats[type] : NULL;
}

static bool type_signed(enum trench_dtype type)
{
    return type == TRENCH_DTYPE_INT8 || type == TRENCH_DTYPE_INT16 ||
           type == TRENCH_DTYPE_INT32 || type == TRENCH_DTYPE_INT64;
}

static uint64_t get(const void *p, unsigned bytes)
{
    const uint8_t *b = p;
    uint64_t val = 0;

    for (unsigned i = bytes; i-- > 0;) {
        val = val << 8 | b[i];
    }
    return val;
}

static void put(void *p, unsigned bytes, uint64_t val)
{
    uint8_t *b = p;

    for (unsigned i = 0; i < bytes; i++) {
        b[i] = (uint8_t)(val >> 8 * i);
    }
}

static uint32_t bits_of(float x)
{
    uint32_t bits;

    memcpy(&bits, &x, sizeof(bits));
    return bits;
}

/* What a magnitude means; the largest one plus 1 goes on past it. */
static double magnitude(const struct format *f, uint32_t q)
{
    const int man = (int)(q & ((1u << f->man_bits) - 1));
    const int exp = (int)(q >> f->man_bits);

    if (exp == 0) {
        return ldexp(man, 1 - f->bias - f->man_bits);
    }
    return ldexp(man + (1 << f->man_bits), exp - f->bias - f->man_bits);
}

static uint32_t largest(const struct format *f)
{
    const uint32_t all = (1u << (f->exp_bits + f->man_bits)) - 1;

    return f->no_inf ? all - 1 : all - (1u << f->man_bits);
}

static double decode_fp(const struct format *f, uint64_t code)
{
    const uint32_t sign = (uint32_t)(code >> (f->exp_bits + f->man_bits));
    const uint32_t q =
        (uint32_t)code & ((1u << (f->exp_bits + f->man_bits)) - 1);
    double x;

    if (q <= largest(f)) {
        x = magnitude(f, q);
    } else {
        x = q == largest(f) + 1 && !f->no_inf ? INFINITY : NAN;
    }
    return sign ? -x : x;
}

/* The nearest fp32 of a whole number, without a conversion to float. */
static double int_to_fp32(uint64_t mag, bool negative)
{
    unsigned drop = 0;
    uint64_t q, rest;

    while (mag >> drop >> 24) {
        drop++;
    }
    q = mag >> drop;
    rest = mag - (q << drop);
    if (drop > 0) {
        const uint64_t half = UINT64_C(1) << (drop - 1);

        q += rest > half || (rest == half && q % 2 == 1);
    }
    return negative ? -ldexp((double)q, (int)drop)
                    : ldexp((double)q, (int)drop);
}

static double oracle_in(enum trench_dtype type, const void *p)
{
    const unsigned bytes = trench_dtype_bytes(type);
    const uint64_t code = get(p, bytes);

    if (format_of(type)) {
        return decode_fp(format_of(type), code);
    }
    if (type_signed(type) && code >> (8 * bytes - 1)) {
        uint64_t mag = 0 - code;

        if (bytes < 8) {
            mag &= (UINT64_C(1) << 8 * bytes) - 1;
        }
        return int_to_fp32(mag, true);
    }
    return int_to_fp32(code, false);
}

/* The largest magnitude that is not above x, by bisection. */
static uint32_t floor_code(const struct format *f, double x)
{
    uint32_t low = 0, high = largest(f) + 1;

    while (high - low > 1) {
        const uint32_t mid = low + (high - low) / 2;

        if (magnitude(f, mid) <= x) {
            low = mid;
        } else {
            high = mid;
        }
    }
    return low;
}

static uint64_t oracle_nan(const struct format *f)
{
    const uint64_t all = (UINT64_C(1) << (f->exp_bits + f->man_bits)) - 1;

    /* All ones, and of the mantissa the first, if it can say infinity. */
    return f->no_inf ? all : all - ((UINT64_C(1) << (f->man_bits - 1)) - 1);
}

static uint64_t fp_infinite(const struct format *f, double x, uint32_t *trouble)
{
    const uint64_t sign = signbit(x) ? UINT64_C(1) : 0;

    if (!isnan(x) && !f->no_inf) {
        *trouble |= CCE_OUTPUT_INF;
        return (largest(f) + 1) | sign << (f->exp_bits + f->man_bits);
    }
    *trouble |= CCE_OUTPUT_NAN | (isnan(x) ? 0 : CCE_OUTPUT_ERROR);
    return oracle_nan(f);
}

/* up: -1 to nearest, or which neighbour. */
static uint64_t fp_out(const struct format *f, double x, int up,
                       uint32_t *trouble)
{
    const uint64_t sign = signbit(x) ? UINT64_C(1) : 0;
    const double mag = fabs(x);
    uint32_t q;
    double below, above;

    if (isnan(x) || isinf(x)) {
        return fp_infinite(f, x, trouble);
    }
    q = floor_code(f, mag);
    below = mag - magnitude(f, q);
    above = magnitude(f, q + 1) - mag;
    if (up < 0) {
        q += below > above || (below == above && q % 2 == 1);
    } else {
        q += (unsigned)up;
    }
    if (q > largest(f)) {
        *trouble |= CCE_OVERFLOW;
        if (f->no_inf) {
            *trouble |= CCE_OUTPUT_NAN;
            return oracle_nan(f);
        }
        *trouble |= CCE_OUTPUT_INF;
    }
    *trouble |= q == 0 && mag > 0 ? CCE_UNDERFLOW : 0;
    return q | sign << (f->exp_bits + f->man_bits);
}

static uint64_t int_out(enum trench_dtype type, double x, uint32_t *trouble)
{
    const unsigned bits = 8 * trench_dtype_bytes(type);
    const double least = type_signed(type) ? -ldexp(1, (int)bits - 1) : 0;
    const double end = ldexp(1, (int)(type_signed(type) ? bits - 1 : bits));
    double whole, mod;

    if (isnan(x) || isinf(x)) {
        *trouble |= CCE_OUTPUT_ERROR;
        return 0;
    }
    whole = floor(x);
    if (x - whole > 0.5 || (x - whole == 0.5 && fmod(whole, 2) != 0)) {
        whole += 1;
    }
    *trouble |= whole < least || whole >= end ? CCE_OVERFLOW : 0;
    mod = fmod(fabs(whole), ldexp(1, (int)bits)); /* exact */
    if (whole < 0 && mod > 0) {
        /* Not by subtraction from 2^64, which a double would round. */
        return (0 - (uint64_t)mod) & (UINT64_MAX >> (64 - bits));
    }
    return (uint64_t)mod;
}

static uint64_t oracle_out(enum trench_dtype type, double x, uint32_t *trouble)
{
    if (format_of(type)) {
        return fp_out(format_of(type), x, -1, trouble);
    }
    return int_out(type, x, trouble);
}

/* As C says: a NaN is no number. Of two zeros the positive one is greater. */
static double oracle_extreme(double a, double b, bool max)
{
    if (isnan(a) || isnan(b)) {
        return isnan(a) ? b : a;
    }
    if (a == b) {
        return signbit(a) == max ? b : a;
    }
    return (a > b) == max ? a : b;
}

static double oracle_operand(const struct cce_job *job, unsigned sel,
                             const double val[3])
{
    return sel < 3 ? val[sel] : (double)job->zero;
}

static double oracle_fma(const struct cce_job *job, const struct cce_source *s,
                         double acc, double x, uint32_t *trouble)
{
    const double val[] = { acc, x, (double)s->scale };
    const double a = oracle_operand(job, s->operand[0], val);
    const double b = oracle_operand(job, s->operand[1], val);
    const double c = oracle_operand(job, s->operand[2], val);
    const double r = (double)fmaf((float)a, (float)b, (float)c);

    for (int i = 0; i < 3; i++) {
        *trouble |= s->operand[i] > 2 ? CCE_FMA_ERROR : 0;
    }
    if (isnan(r) && !isnan(a) && !isnan(b) && !isnan(c)) {
        *trouble |= CCE_FMA_ERROR;
    }
    return r;
}

/* Element i of a job, one source after the other. */
static double oracle_value(const struct cce_job *job, size_t i,
                           uint32_t *trouble)
{
    double acc = (double)job->zero;

    for (unsigned k = 0; k < job->nr_sources; k++) {
        const struct cce_source *s = &job->sources[k];
        double x = oracle_in(s->type, (const uint8_t *)s->data +
                                          i * trench_dtype_bytes(s->type));

        x = job->absolute ? fabs(x) : x;
        if (job->op == TRENCH_CCE_ADD) {
            acc = (double)((float)acc + (float)x);
        } else if (job->op == TRENCH_CCE_FMA) {
            acc = oracle_fma(job, s, acc, x, trouble);
        } else {
            acc =
                k == 0 ? x : oracle_extreme(acc, x, job->op == TRENCH_CCE_MAX);
        }
    }
    if (job->op >= TRENCH_CCE_MAX && job->use_const) {
        acc = oracle_extreme(acc, (double)job->constant,
                             job->op == TRENCH_CCE_MAX);
    }
    return acc;
}

/* A single source of 32 or 64 bits, kept as it is. */
static bool oracle_copies(const struct cce_job *job)
{
    const enum trench_dtype in = job->sources[0].type;
    const bool fp32 = in == TRENCH_DTYPE_FP32 || in == TRENCH_DTYPE_FP32R;
    const bool out32 = job->out_type == TRENCH_DTYPE_FP32 ||
                       job->out_type == TRENCH_DTYPE_FP32R;

    return job->op == TRENCH_CCE_ADD && job->nr_sources == 1 &&
           !job->absolute && job->zero == 0 && signbit(job->zero) &&
           trench_dtype_bytes(in) >= 4 &&
           (in == job->out_type || (fp32 && out32));
}

static uint32_t oracle_run(const struct cce_job *job, uint8_t *out)
{
    const unsigned bytes = trench_dtype_bytes(job->out_type);
    uint32_t trouble = 0;

    if (oracle_copies(job)) {
        memcpy(out, job->sources[0].data, job->n * bytes);
        return 0;
    }
    for (size_t i = 0; i < job->n; i++) {
        put(out + i * bytes, bytes,
            oracle_out(job->out_type, oracle_value(job, i, &trouble),
                       &trouble));
    }
    return trouble;
}

/* One source, one element, ADD. */
static uint64_t convert(enum trench_dtype from, uint64_t code,
                        enum trench_dtype to, uint32_t *trouble)
{
    uint8_t in[8], out[8] = { 0 };
    const struct cce_source source = { in, from, 0, { 0 } };
    const struct cce_job job = { .op = TRENCH_CCE_ADD,
                                 .sources = &source,
                                 .nr_sources = 1,
                                 .n = 1,
                                 .zero = -0.0f,
                                 .out_type = to,
                                 .out = out };
    uint32_t got;

    put(in, 8, code);
    got = cce_run(&job);
    if (trouble) {
        *trouble = got;
    }
    return get(out, trench_dtype_bytes(to));
}

/* Every encoding of 8 and 16 bits, to fp32. */
static void test_cce_decodes_every_short_encoding(void **state)
{
    (void)state;
    for (unsigned t = 1; t < TRENCH_NR_DTYPES; t++) {
        const enum trench_dtype type = (enum trench_dtype)t;
        const unsigned bytes = trench_dtype_bytes(type);

        for (uint32_t code = 0; bytes <= 2 && code >> 8 * bytes == 0; code++) {
            uint8_t raw[2];
            float x;
            double want;

            put(raw, 2, code);
            want = oracle_in(type, raw);
            x = cce_to_fp32(type, raw);
            if (isnan(want)) {
                CHECK_EQ(isnan(x), true, "%s 0x%x", trench_dtype_name(type),
                         code);
            } else {
                CHECK_EQ(bits_of(x), bits_of((float)want), "%s 0x%x",
                         trench_dtype_name(type), code);
            }
        }
    }
}

/* ... and back to itself; a NaN to the one NaN of the type. */
static void test_cce_short_encodings_survive(void **state)
{
    (void)state;
    for (unsigned t = 1; t < TRENCH_NR_DTYPES; t++) {
        const enum trench_dtype type = (enum trench_dtype)t;
        const unsigned bytes = trench_dtype_bytes(type);
        uint32_t trouble;

        for (uint32_t code = 0; bytes <= 2 && code >> 8 * bytes == 0; code++) {
            uint8_t raw[2];
            uint64_t want = code;
            uint64_t got = convert(type, code, type, &trouble);

            put(raw, 2, code);
            if (isnan(oracle_in(type, raw))) {
                want = oracle_nan(format_of(type));
                CHECK_EQ(trouble, CCE_OUTPUT_NAN, "0x%x", code);
            } else {
                CHECK_EQ(trouble,
                         isinf(oracle_in(type, raw)) ? CCE_OUTPUT_INF : 0,
                         "0x%x", code);
            }
            CHECK_EQ(got, want, "%s 0x%x", trench_dtype_name(type), code);
        }
    }
}

/*
 * To every short floating-point type: each of its numbers, the middle between
 * it and the next one, and the fp32 beside each of these.
 */
static void test_cce_rounds_to_nearest_even(void **state)
{
    (void)state;
    for (unsigned t = 1; t < TRENCH_NR_DTYPES; t++) {
        const enum trench_dtype type = (enum trench_dtype)t;
        const struct format *f = format_of(type);

        if (!f || trench_dtype_bytes(type) > 2) {
            continue;
        }
        for (uint32_t q = 0; q <= largest(f); q++) {
            const double mid = (magnitude(f, q) + magnitude(f, q + 1)) / 2;
            const float base[] = { (float)magnitude(f, q), (float)mid };

            for (int k = 0; k < 12; k++) {
                uint32_t bits = bits_of(base[k / 6]);
                uint32_t trouble, expected = 0;
                float x;
                uint64_t want;

                bits += (uint32_t)(k % 3) - (q > 0 || k / 6); /* -1, 0, +1 */
                bits ^= k % 6 < 3 ? 0 : 0x80000000;
                memcpy(&x, &bits, 4);
                want = oracle_out(type, (double)x, &expected);
                CHECK_EQ(convert(TRENCH_DTYPE_FP32, bits, type, &trouble), want,
                         "%s of %a", trench_dtype_name(type), (double)x);
                CHECK_EQ(trouble, expected, "%s of %a", trench_dtype_name(type),
                         (double)x);
            }
        }
    }
}

/* What is hard: as fp32 to every type. */
static void test_cce_edges_to_every_type(void **state)
{
    static const uint32_t edges[] = {
        0,          1,          0x00000002, 0x007FFFFF, 0x00800000, 0x3EFFFFFF,
        0x3F000000, 0x3F000001, 0x3F7FFFFF, 0x3F800000, 0x3FBFFFFF, 0x3FC00000,
        0x40200000, 0x42FE0000, 0x42FEFFFF, 0x42FF0000, 0x43000000, 0x437F0000,
        0x437F7FFF, 0x437F8000, 0x43800000, 0x43800001, 0x43E00000, 0x43E80000,
        0x43E80001, 0x477FEFFF, 0x477FF000, 0x477FFF00, 0x477FFF80, 0x47800000,
        0x4AFFFFFF, 0x4B000000, 0x4B000001, 0x4EFFFFFF, 0x4F000000, 0x4F000001,
        0x4F7FFFFF, 0x4F800000, 0x4F800001, 0x5EFFFFFF, 0x5F000000, 0x5F000001,
        0x5F7FFFFF, 0x5F800000, 0x5F800001, 0x6B000001, 0x7F7F7FFF, 0x7F7F8000,
        0x7F7FFFFF, 0x7F800000, 0x7F800001, 0x7FC00000, 0x7FFFFFFF,
    };

    (void)state;
    for (unsigned t = 1; t < TRENCH_NR_DTYPES; t++) {
        const enum trench_dtype type = (enum trench_dtype)t;

        if (type == TRENCH_DTYPE_FP32 || type == TRENCH_DTYPE_FP32R) {
            continue;
        }
        for (size_t i = 0; i < 2 * ARRAY_LEN(edges); i++) {
            const uint32_t bits = edges[i / 2] ^ (uint32_t)(i % 2) << 31;
            uint32_t trouble, expected = 0;
            float x;
            uint64_t want;

            memcpy(&x, &bits, 4);
            want = oracle_out(type, (double)x, &expected);
            CHECK_EQ(convert(TRENCH_DTYPE_FP32, bits, type, &trouble), want,
                     "%s of 0x%08x", trench_dtype_name(type), bits);
            CHECK_EQ(trouble, expected, "%s of 0x%08x", trench_dtype_name(type),
                     bits);
        }
    }
}

static void test_cce_wide_integers_round_once(void **state)
{
    uint32_t rnd = rig_seed("test_cce_wide_integers_round_once", 0x1A7E6E55);
    static const enum trench_dtype types[] = { TRENCH_DTYPE_INT32,
                                               TRENCH_DTYPE_UINT32,
                                               TRENCH_DTYPE_INT64,
                                               TRENCH_DTYPE_UINT64 };

    (void)state;
    for (unsigned i = 0; i < 100000; i++) {
        const enum trench_dtype type = types[i % 4];
        uint64_t val = (uint64_t)rig_random(&rnd) << 32 | rig_random(&rnd);
        uint8_t raw[8];

        /* Short ones, and those half way between two of 24 bits. */
        val >>= rig_random(&rnd) % 64;
        if (rig_random(&rnd) % 2) {
            unsigned drop = rig_random(&rnd) % 40;

            val = (val >> drop << drop) | (UINT64_C(1) << drop >> 1);
            val += rig_random(&rnd) % 3;
            val -= 1;
        }
        put(raw, 8, val);
        CHECK_EQ(bits_of(cce_to_fp32(type, raw)),
                 bits_of((float)oracle_in(type, raw)), "%s 0x%llx",
                 trench_dtype_name(type), ULL(val));
    }
}

/* common-blocks 3.4.4, the reference vectors. */
static void test_cce_reference_vectors(void **state)
{
    static const uint16_t bf16[3] = { 0x3F80, 0x4000, 0x4040 };
    static const float fp32[] = { 3, 5, -2, -1, -0.0f };
    struct cce_source s[3];
    struct cce_job job = { .sources = s, .n = 1, .zero = -0.0f };
    uint16_t half = 0;
    float out = 99;

    (void)state;
    for (int i = 0; i < 3; i++) {
        s[i] = (struct cce_source){ &bf16[i], TRENCH_DTYPE_BF16, 0, { 0 } };
    }
    job.op = TRENCH_CCE_ADD;
    job.nr_sources = 3;
    job.out_type = TRENCH_DTYPE_BF16;
    job.out = &half;
    CHECK_EQ(cce_run(&job), 0, "1 + 2 + 3");
    CHECK_EQ(half, 0x40C0, "1 + 2 + 3");

    job.out_type = TRENCH_DTYPE_FP32;
    job.out = &out;
    job.nr_sources = 2;
    job.op = TRENCH_CCE_FMA;
    for (int i = 0; i < 2; i++) {
        s[i] = (struct cce_source){ &fp32[i],
                                    TRENCH_DTYPE_FP32,
                                    0.5f,
                                    { CCE_INPUT, CCE_SCALE, CCE_STORED } };
    }
    CHECK_EQ(bits_of(s[0].scale), 0x3F000000, "the scale word");
    CHECK_EQ(cce_run(&job), 0, "3 / 2 + 5 / 2");
    CHECK_EQ(bits_of(out), bits_of(4.0f), "3 / 2 + 5 / 2");

    job.op = TRENCH_CCE_MAX;
    job.use_const = true;
    s[0].data = &fp32[2];
    s[1].data = &fp32[3];
    CHECK_EQ(cce_run(&job), 0, "max(-2, -1, 0)");
    CHECK_EQ(bits_of(out), 0, "max(-2, -1, 0)");

    job.op = TRENCH_CCE_ADD;
    s[0].data = s[1].data = &fp32[4];
    CHECK_EQ(cce_run(&job), 0, "-0 + -0");
    CHECK_EQ(bits_of(out), 0x80000000, "-0 + -0");
    job.nr_sources = 1;
    CHECK_EQ(cce_run(&job), 0, "a lone -0");
    CHECK_EQ(bits_of(out), 0x80000000, "a lone -0");
}

/* Bits of an element: mostly small numbers, some of everything. */
static uint64_t random_code(enum trench_dtype type, uint32_t *rnd)
{
    const struct format *f = format_of(type);
    const uint64_t any = (uint64_t)rig_random(rnd) << 32 | rig_random(rnd);
    uint32_t trouble;

    switch (rig_random(rnd) % 64) {
    case 0:
        return any;
    case 1:
        return f ? largest(f) + any % 3 : any; /* largest, infinite, NaN */
    case 2:
        return f ? any % 8 : any; /* the least */
    case 3:
        return UINT64_MAX << rig_random(rnd) % 64;
    default:
        return oracle_out(type, (double)((int)(any % 512) - 256) / 8, &trouble);
    }
}

/* How a job comes about. */
struct draft {
    struct cce_job job;
    struct cce_source sources[TRENCH_CCE_MAX_SOURCES];
    uint8_t data[TRENCH_CCE_MAX_SOURCES][MAX_N * 8 + 16];
    uint8_t out[MAX_N * 8 + 2 * MARGIN + 16];
    uint8_t want[MAX_N * 8];
    bool wild; /* everything occurs; else plain numbers */
};

static enum trench_dtype random_type(uint32_t *rnd)
{
    return (enum trench_dtype)(1 + rig_random(rnd) % 15);
}

static float random_float(uint32_t *rnd)
{
    static const float floats[] = { 0,  -0.0f,     1,        -1,        0.5f,
                                    -3, 0x1p-140f, INFINITY, (float)NAN };

    return floats[rig_random(rnd) % ARRAY_LEN(floats)];
}

static void draft_sources(struct draft *d, enum trench_dtype type,
                          uint32_t *rnd)
{
    const bool mixed = rig_random(rnd) % 4 == 0;

    for (unsigned k = 0; k < d->job.nr_sources; k++) {
        struct cce_source *s = &d->sources[k];
        uint8_t *p = d->data[k] + rig_random(rnd) % 9;
        unsigned bytes;

        s->type = mixed ? random_type(rnd) : type;
        s->data = p;
        s->scale = d->wild ? random_float(rnd) : 0.3f;
        for (int i = 0; i < 3; i++) {
            s->operand[i] = (uint8_t)(rig_random(rnd) % 3);
        }
        if (rig_random(rnd) % 16 == 0) {
            s->operand[rig_random(rnd) % 3] = 3;
        }
        if (rig_random(rnd) % 2) {
            memcpy(s->operand, (uint8_t[]){ 1, 2, 0 }, 3);
        }
        bytes = trench_dtype_bytes(s->type);
        for (size_t i = 0; i < d->job.n; i++) {
            uint32_t trouble;
            uint64_t code =
                d->wild ? random_code(s->type, rnd)
                        : oracle_out(s->type, rig_random(rnd) % 32, &trouble);

            put(p + i * bytes, bytes, code);
        }
    }
}

static void draft_make(struct draft *d, enum trench_dtype in,
                       enum trench_dtype out, uint32_t *rnd)
{
    static const unsigned lengths[] = { 0, 1, 15, 16, 17, 255, 256, 257, 512 };
    const uint32_t r = rig_random(rnd);

    d->wild = r % 4 != 0;
    d->job = (struct cce_job){
        .op = (enum trench_cce_op)(rig_random(rnd) % 4),
        .sources = d->sources,
        .nr_sources = r % 8 == 0 ? 1 + rig_random(rnd) % TRENCH_CCE_MAX_SOURCES
                                 : 1 + rig_random(rnd) % 4,
        .n = r % 3 ? rig_random(rnd) % 48 : lengths[rig_random(rnd) % 9],
        .use_const = rig_random(rnd) % 2,
        .constant = random_float(rnd),
        .absolute = rig_random(rnd) % 4 == 0,
        .zero = rig_random(rnd) % 4 ? -0.0f : random_float(rnd),
        .out_type = out,
        .out = d->out + MARGIN + rig_random(rnd) % 9,
    };
    if (r % 32 == 0) {
        d->job.n = rig_random(rnd) % MAX_N;
    }
    draft_sources(d, in, rnd);
}

/* The output over a source, if its elements are as large. */
static void draft_in_place(struct draft *d, uint32_t *rnd)
{
    struct cce_source *s = &d->sources[rig_random(rnd) % d->job.nr_sources];
    const unsigned bytes = trench_dtype_bytes(s->type);

    if (bytes >= trench_dtype_bytes(d->job.out_type)) {
        memcpy(d->job.out, s->data, d->job.n * bytes);
        s->data = d->job.out;
    }
}

static void draft_check(struct draft *d, const char *how)
{
    const size_t bytes = d->job.n * trench_dtype_bytes(d->job.out_type);
    uint8_t *out = d->job.out;
    uint32_t want;

    want = oracle_run(&d->job, d->want);
    CHECK_EQ(cce_run(&d->job), want, "%s: op %d, %u of %s to %s, n=%zu", how,
             d->job.op, d->job.nr_sources,
             trench_dtype_name(d->sources[0].type),
             trench_dtype_name(d->job.out_type), d->job.n);
    CHECK_MEM(out, d->want, bytes, "%s: op %d, %u of %s to %s, n=%zu", how,
              d->job.op, d->job.nr_sources,
              trench_dtype_name(d->sources[0].type),
              trench_dtype_name(d->job.out_type), d->job.n);
}

static void check_margins(const struct draft *d)
{
    const uint8_t *out = d->job.out;
    const size_t bytes = d->job.n * trench_dtype_bytes(d->job.out_type);

    for (const uint8_t *p = d->out; p < d->out + sizeof(d->out); p++) {
        if (p < out || p >= out + bytes) {
            CHECK_EQ(*p, GUARD, "%td beside the output", p - out);
        }
    }
}

static void test_cce_random_jobs(void **state)
{
    static struct draft d;
    uint32_t rnd = rig_seed("test_cce_random_jobs", 0xCCE50001);

    (void)state;
    for (unsigned i = 0; i < 15 * 15 * 40; i++) {
        const enum trench_dtype in = (enum trench_dtype)(1 + i % 15);
        const enum trench_dtype out = (enum trench_dtype)(1 + i / 15 % 15);

        memset(d.out, GUARD, sizeof(d.out));
        draft_make(&d, in, out, &rnd);
        draft_check(&d, "apart");
        check_margins(&d);
    }
}

static void test_cce_output_over_a_source(void **state)
{
    static struct draft d;
    uint32_t rnd = rig_seed("test_cce_output_over_a_source", 0xCCE50002);

    (void)state;
    for (unsigned i = 0; i < 15 * 15 * 20; i++) {
        const enum trench_dtype in = (enum trench_dtype)(1 + i % 15);
        const enum trench_dtype out = (enum trench_dtype)(1 + i / 15 % 15);

        draft_make(&d, in, out, &rnd);
        draft_in_place(&d, &rnd);
        draft_check(&d, "in place");
    }
}

/* fmaf() of numbers whose sums cancel, round twice, or are denormal. */
static void test_cce_fma_rounds_once(void **state)
{
    enum {
        N = 256
    };
    static uint32_t in[2][N], want[N], got[N];
    uint32_t rnd = rig_seed("test_cce_fma_rounds_once", 0xF0A0F0A0);
    const uint8_t operands[3] = { CCE_INPUT, CCE_SCALE, CCE_STORED };
    struct cce_source s[2] = { { in[0], TRENCH_DTYPE_FP32, 1, { 0 } },
                               { in[1], TRENCH_DTYPE_FP32, 1, { 0 } } };
    const struct cce_job job = { .op = TRENCH_CCE_FMA,
                                 .sources = s,
                                 .nr_sources = 2,
                                 .n = N,
                                 .zero = -0.0f,
                                 .out_type = TRENCH_DTYPE_FP32,
                                 .out = got };

    (void)state;
    memcpy(s[0].operand, operands, 3);
    memcpy(s[1].operand, operands, 3);
    for (unsigned r = 0; r < 2000; r++) {
        /* Exponents near enough to meet, mantissas with few bits or many. */
        const uint32_t thin = r % 3 ? UINT32_MAX : 0xFFF00003;
        const uint32_t base = r % 5 ? 0x3F800000 : 0x00800000;
        uint32_t bits = (rig_random(&rnd) & thin & 0x807FFFFF) + 0x3F800000;

        memcpy(&s[1].scale, &bits, 4);
        for (unsigned i = 0; i < N; i++) {
            float acc, x;

            for (int k = 0; k < 2; k++) {
                in[k][i] = (rig_random(&rnd) & thin & 0x807FFFFF) + base +
                           ((rig_random(&rnd) % 32) << 23);
            }
            memcpy(&acc, &in[0][i], 4);
            memcpy(&x, &in[1][i], 4);
            want[i] = bits_of(fmaf(x, s[1].scale, acc));
        }
        CHECK_EQ(cce_run(&job), 0, "round %u", r);
        CHECK_MEM(got, want, sizeof(want), "round %u", r);
    }
}

/* Products half way between two fp32, and what decides to which it goes. */
static void test_cce_fma_ties_are_broken_by_little(void **state)
{
    static const float little[] = { 0,          0x1p-54f,   0x1.8p-54f,
                                    0x1p-53f,   0x1.8p-53f, 0x1p-52f,
                                    0x1.4p-52f, 0x1.8p-52f, 0x1p-149f };
    static const float factors[] = { 1 + 0x1p-12f, 1 + 0x1.8p-11f };

    (void)state;
    for (size_t i = 0; i < 4 * ARRAY_LEN(little) * ARRAY_LEN(factors); i++) {
        const float acc = (i & 1 ? -1 : 1) * little[i / 4 % ARRAY_LEN(little)];
        const float x = (i & 2 ? -1 : 1) * factors[i / 4 / ARRAY_LEN(little)];
        const float scale = 1 + 0x1p-12f;
        float out;
        const struct cce_source s[2] = {
            { &acc,
              TRENCH_DTYPE_FP32,
              1,
              { CCE_INPUT, CCE_SCALE, CCE_STORED } },
            { &x, TRENCH_DTYPE_FP32, scale, { 1, 2, 0 } },
        };
        const struct cce_job job = { .op = TRENCH_CCE_FMA,
                                     .sources = s,
                                     .nr_sources = 2,
                                     .n = 1,
                                     .zero = -0.0f,
                                     .out_type = TRENCH_DTYPE_FP32,
                                     .out = &out };

        CHECK_EQ(cce_run(&job), 0, "%a + %a * %a", (double)acc, (double)x,
                 (double)scale);
        CHECK_EQ(bits_of(out), bits_of(fmaf(x, scale, acc)), "%a + %a * %a",
                 (double)acc, (double)x, (double)scale);
    }
}

/* Either neighbour, as often as the distance says; exact ones stay. */
static void check_stochastic(enum trench_dtype type, float x, uint32_t *seed)
{
    enum {
        N = 8192
    };
    static float in[N];
    static uint8_t out[2 * N];
    const struct cce_source s = { in, TRENCH_DTYPE_FP32, 0, { 0 } };
    const struct cce_job job = { .op = TRENCH_CCE_ADD,
                                 .sources = &s,
                                 .nr_sources = 1,
                                 .n = N,
                                 .zero = -0.0f,
                                 .seed = seed,
                                 .out_type = type,
                                 .out = out };
    const struct format *f = format_of(type);
    const unsigned bytes = trench_dtype_bytes(type);
    const uint32_t q = floor_code(f, fabs((double)x));
    const double chance = (fabs((double)x) - magnitude(f, q)) /
                          (magnitude(f, q + 1) - magnitude(f, q));
    uint32_t expected[2] = { 0, 0 };
    const uint64_t low = fp_out(f, (double)x, 0, &expected[0]);
    const uint64_t high = fp_out(f, (double)x, 1, &expected[1]);
    uint32_t trouble;
    unsigned ups = 0;

    for (unsigned i = 0; i < N; i++) {
        in[i] = x;
    }
    trouble = cce_run(&job);
    for (unsigned i = 0; i < N; i++) {
        const uint64_t code = get(out + i * bytes, bytes);

        ups += code == high;
        CHECK_EQ(code == low || code == high, true, "%s of %a: 0x%llx",
                 trench_dtype_name(type), (double)x, ULL(code));
    }
    CHECK_EQ(trouble, (ups < N ? expected[0] : 0) | (ups ? expected[1] : 0),
             "%s of %a", trench_dtype_name(type), (double)x);
    /* Six standard deviations, and one for the rounding to 2^-32. */
    CHECK_EQ(fabs(ups - N * chance) <=
                 6 * sqrt(N * chance * (1 - chance)) + 1e-3,
             true, "%s of %a: %u of %u up, chance %g", trench_dtype_name(type),
             (double)x, ups, N, chance);
}

static void test_cce_stochastic_is_a_fair_neighbour(void **state)
{
    static const enum trench_dtype types[] = {
        TRENCH_DTYPE_BF16, TRENCH_DTYPE_FP16, TRENCH_DTYPE_FP8_E3,
        TRENCH_DTYPE_FP8_E4, TRENCH_DTYPE_FP8_E5
    };
    uint32_t rnd = rig_seed("test_cce_stochastic_is_a_fair_neighbour", 0x5EED);
    uint32_t seed = 0;

    (void)state;
    for (size_t t = 0; t < ARRAY_LEN(types); t++) {
        const struct format *f = format_of(types[t]);
        const float top = (float)magnitude(f, largest(f));
        const float least = (float)magnitude(f, 1);

        for (unsigned i = 0; i < 40; i++) {
            /* All over the range, with denormals and what is below. */
            const uint32_t q = rig_random(&rnd) % largest(f);
            const double part = (double)(rig_random(&rnd) % 256) / 256;
            const double x = magnitude(f, q) +
                             part * (magnitude(f, q + 1) - magnitude(f, q));

            check_stochastic(types[t], (float)(i % 2 ? x : -x), &seed);
        }
        check_stochastic(types[t], least / 4, &seed);
        check_stochastic(types[t], -0.0f, &seed);
        check_stochastic(types[t], top, &seed);
        if (types[t] != TRENCH_DTYPE_BF16) {
            check_stochastic(types[t], top * (1 + 0x1p-13f), &seed);
            check_stochastic(types[t], least * 0x1p-40f, &seed);
        }
    }
}

/* The state goes one step an element, so pieces are as the whole. */
static void test_cce_stochastic_pieces_are_as_the_whole(void **state)
{
    enum {
        N = 600
    };
    uint32_t rnd = rig_seed("test_cce_stochastic_pieces", 0x91ECE5);
    static uint32_t in[N];
    static uint16_t whole[N], pieces[N];
    uint32_t seed = 7, again = 7, other = 8, zeros = 7;
    struct cce_source s = { in, TRENCH_DTYPE_FP32, 0, { 0 } };
    struct cce_job job = { .op = TRENCH_CCE_ADD,
                           .sources = &s,
                           .nr_sources = 1,
                           .n = N,
                           .zero = -0.0f,
                           .seed = &seed,
                           .out_type = TRENCH_DTYPE_BF16,
                           .out = whole };

    (void)state;
    for (unsigned i = 0; i < N; i++) {
        in[i] = rig_random(&rnd); /* with infinities and NaNs */
    }
    cce_run(&job);
    job.seed = &again;
    for (unsigned i = 0; i < N; i += (unsigned)job.n) {
        s.data = in + i;
        job.out = pieces + i;
        job.n = min_u32(1 + rig_random(&rnd) % 40, N - i);
        cce_run(&job);
    }
    CHECK_EQ(again, seed, "the state");
    CHECK_MEM(pieces, whole, sizeof(whole), "in pieces");
    s.data = in;
    job.n = N;
    job.out = pieces;
    job.seed = &other;
    cce_run(&job);
    CHECK_EQ(memcmp(pieces, whole, sizeof(whole)) != 0, true, "another seed");
    memset(in, 0, sizeof(in));
    job.seed = &zeros;
    cce_run(&job);
    CHECK_EQ(zeros, seed, "what the elements are makes no difference");
}

static void test_cce_stochastic_spares_integers_and_fp32(void **state)
{
    const float x = 2.5f;
    const struct cce_source s = { &x, TRENCH_DTYPE_FP32, 0, { 0 } };
    uint32_t seed = 1;
    uint8_t out[8] = { 0 };
    struct cce_job job = { .op = TRENCH_CCE_MAX,
                           .sources = &s,
                           .nr_sources = 1,
                           .n = 1,
                           .zero = -0.0f,
                           .seed = &seed,
                           .out = out };

    (void)state;
    for (unsigned t = 1; t < TRENCH_NR_DTYPES; t++) {
        job.out_type = (enum trench_dtype)t;
        if (!format_of(job.out_type)) {
            CHECK_EQ(cce_run(&job), CCE_STOCHASTIC_INT, "type %u", t);
            CHECK_EQ(get(out, trench_dtype_bytes(job.out_type)), 2, "type %u",
                     t);
        }
    }
    job.out_type = TRENCH_DTYPE_FP32;
    CHECK_EQ(cce_run(&job), 0, "fp32");
    CHECK_EQ(get(out, 4), bits_of(x), "fp32");
    CHECK_EQ(seed, 1, "no step");
}

/* 32 and 64 bits to their own type: NaN payloads and low bits stay. */
static void test_cce_copies_keep_bits(void **state)
{
    static const enum trench_dtype types[] = {
        TRENCH_DTYPE_FP32,   TRENCH_DTYPE_FP32R, TRENCH_DTYPE_INT32,
        TRENCH_DTYPE_UINT32, TRENCH_DTYPE_INT64, TRENCH_DTYPE_UINT64
    };
    const uint64_t code = UINT64_C(0x123456787FA54321);
    uint32_t trouble;

    (void)state;
    for (size_t t = 0; t < ARRAY_LEN(types); t++) {
        const unsigned bits = 8 * trench_dtype_bytes(types[t]);

        CHECK_EQ(convert(types[t], code, types[t], &trouble),
                 code & (UINT64_MAX >> (64 - bits)), "%s",
                 trench_dtype_name(types[t]));
        CHECK_EQ(trouble, 0, "%s", trench_dtype_name(types[t]));
    }
    CHECK_EQ(convert(TRENCH_DTYPE_FP32R, 0x7FA54321, TRENCH_DTYPE_FP32, NULL),
             0x7FA54321, "fp32r to fp32");
    CHECK_EQ(convert(TRENCH_DTYPE_FP32, 0x7FA54321, TRENCH_DTYPE_BF16, NULL),
             0x7FC0, "what is not a copy has the one NaN");
}

static void test_cce_no_type_is_trouble(void **state)
{
    const float x = 3;
    float out = 9;
    struct cce_source s[2] = { { &x, TRENCH_DTYPE_FP32, 0, { 0 } },
                               { &x, TRENCH_DTYPE_NONE, 0, { 0 } } };
    struct cce_job job = { .op = TRENCH_CCE_ADD,
                           .sources = s,
                           .nr_sources = 2,
                           .n = 1,
                           .zero = -0.0f,
                           .out_type = TRENCH_DTYPE_FP32,
                           .out = &out };

    (void)state;
    CHECK_EQ(cce_run(&job), CCE_INPUT_ERROR, "a source");
    CHECK_EQ(bits_of(out), bits_of(3.0f), "it counts as 0");
    job.nr_sources = 1;
    job.out_type = TRENCH_DTYPE_NONE;
    out = 9;
    CHECK_EQ(cce_run(&job), CCE_OUTPUT_ERROR, "the output");
    CHECK_EQ(bits_of(out), bits_of(9.0f), "nothing is written");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cce_decodes_every_short_encoding),
        cmocka_unit_test(test_cce_short_encodings_survive),
        cmocka_unit_test(test_cce_rounds_to_nearest_even),
        cmocka_unit_test(test_cce_edges_to_every_type),
        cmocka_unit_test(test_cce_wide_integers_round_once),
        cmocka_unit_test(test_cce_reference_vectors),
        cmocka_unit_test(test_cce_random_jobs),
        cmocka_unit_test(test_cce_output_over_a_source),
        cmocka_unit_test(test_cce_fma_rounds_once),
        cmocka_unit_test(test_cce_fma_ties_are_broken_by_little),
        cmocka_unit_test(test_cce_stochastic_is_a_fair_neighbour),
        cmocka_unit_test(test_cce_stochastic_pieces_are_as_the_whole),
        cmocka_unit_test(test_cce_stochastic_spares_integers_and_fp32),
        cmocka_unit_test(test_cce_copies_keep_bits),
        cmocka_unit_test(test_cce_no_type_is_trouble),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
