/* SPDX-License-Identifier: BSD-3-Clause */
#include "reference.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include <trench/error.h>

#include "base/le.h"

/* Elements at a time: what is between two loops stays in the cache. */
#define CHUNK 512

#define FP32_BITS   24
#define DOUBLE_BITS 53

/* A job and what follows from it. */
struct work {
    const struct coll_reference *ref;
    const struct coll_format *format;
    double slack;      /* bound = slack * sum|x| */
    double value[256]; /* of elements of one byte */
    struct coll_verdict *verdict;
};

/* A run of elements. */
struct span {
    uint64_t first;
    size_t n;
};

static const void *input_at(const struct work *w, unsigned k, uint64_t i)
{
    return (const uint8_t *)w->ref->inputs[k] + i * w->format->bytes;
}

static const void *result_at(const struct work *w, uint64_t i)
{
    return (const uint8_t *)w->ref->result + i * w->format->bytes;
}

static void get_values(const struct work *w, const void *from, size_t n,
                       double *out)
{
    const uint8_t *bytes = from;

    if (w->format->bytes > 1) {
        coll_elements_value(w->ref->type, from, n, out);
        return;
    }
    for (size_t i = 0; i < n; i++) {
        out[i] = w->value[bytes[i]];
    }
}

/* Element i is wrong; keep what is to be said about the first one. */
static void condemn(const struct work *w, uint64_t i, double bound,
                    const void *expected)
{
    struct coll_verdict *v = w->verdict;

    if (v->wrong++ > 0) {
        return;
    }
    v->index = i;
    v->bound = bound;
    coll_element_print(w->ref->type, expected, v->expected);
    coll_element_print(w->ref->type, result_at(w, i), v->got);
}

static void condemn_float(const struct work *w, uint64_t i, double bound,
                          double expected)
{
    uint8_t element[8];

    coll_element_put(w->ref->type, expected, element);
    condemn(w, i, bound, element);
}

static void condemn_int(const struct work *w, uint64_t i, double bound,
                        uint64_t expected)
{
    uint8_t element[8];

    le_put(element, w->format->bytes, expected);
    condemn(w, i, bound, element);
}

/* ---- sums of floats ------------------------------------------------------ */

static uint64_t double_bits(double value)
{
    uint64_t bits;

    memcpy(&bits, &value, sizeof(bits));
    return bits;
}

/* What the lowest bit of a finite number is worth; infinity for 0. */
static double lowest_bit(double value)
{
    int exp;
    int64_t mant;

    if (value == 0) {
        return (double)INFINITY;
    }
    mant = (int64_t)ldexp(frexp(fabs(value), &exp), DOUBLE_BITS);
    return ldexp((double)(mant & -mant), exp - DOUBLE_BITS);
}

/* All about one element's inputs. */
struct addends {
    double sum;  /* of the finite ones; the same is true of the others */
    double pos;  /* of the positive ones */
    double neg;  /* of the negative ones, without the sign */
    double unit; /* all are multiples of it */
    bool nan;
    bool plus_inf;
    bool minus_inf;
};

static void add_one(struct addends *a, double x)
{
    double unit;

    if (isnan(x)) {
        a->nan = true;
        return;
    }
    if (isinf(x)) {
        a->plus_inf |= x > 0;
        a->minus_inf |= x < 0;
        return;
    }
    unit = lowest_bit(x);
    a->unit = unit < a->unit ? unit : a->unit;
    a->sum += x;
    a->pos += x > 0 ? x : 0;
    a->neg += x < 0 ? -x : 0;
}

static struct addends add_up(const struct work *w, uint64_t i)
{
    /* -0 is what changes nothing, not even -0. */
    struct addends a = { .sum = -0.0, .unit = (double)INFINITY };

    for (unsigned k = 0; k < w->ref->nr_inputs; k++) {
        add_one(&a, coll_element_value(w->ref->type, input_at(w, k, i)));
    }
    return a;
}

/* Whether a sum of some inputs may have become infinity in the type. */
static bool overflows(const struct work *w, double sum, double all)
{
    return sum + w->slack * all >= w->format->max;
}

/* Infinity of one sign, or what the type has for it. */
static bool is_overflow(const struct work *w, double got, bool negative)
{
    if (!w->format->has_inf) {
        return isnan(got);
    }
    return isinf(got) && (got < 0) == negative;
}

/* Infinities among the inputs, of one sign. */
static bool infinite_right(const struct work *w, const struct addends *a,
                           double got)
{
    double all = a->pos + a->neg;
    double other = a->plus_inf ? a->neg : a->pos;

    return is_overflow(w, got, a->minus_inf) ||
           (isnan(got) && overflows(w, other, all));
}

static bool overflow_right(const struct work *w, const struct addends *a,
                           double got)
{
    double all = a->pos + a->neg;
    bool plus = overflows(w, a->pos, all);
    bool minus = overflows(w, a->neg, all);

    return (plus && is_overflow(w, got, false)) ||
           (minus && is_overflow(w, got, true)) ||
           (plus && minus && isnan(got));
}

/* Every sum of some of the inputs is a number of the type. */
static bool is_exact(const struct work *w, const struct addends *a)
{
    double all = a->pos + a->neg;

    return all == 0 || (all <= ldexp(a->unit, w->format->precision) &&
                        all <= w->format->max);
}

/* The rules, one by one, for an element that is not plainly right. */
static void judge_sum(const struct work *w, uint64_t i)
{
    double got = coll_element_value(w->ref->type, result_at(w, i));
    struct addends a = add_up(w, i);
    double bound = 0;
    bool right;

    if (a.nan || (a.plus_inf && a.minus_inf)) {
        a.sum = (double)NAN;
        right = isnan(got);
    } else if (a.plus_inf || a.minus_inf) {
        right = infinite_right(w, &a, got);
        a.sum = a.plus_inf ? (double)INFINITY : -(double)INFINITY;
    } else if (is_exact(w, &a)) {
        right = double_bits(got) == double_bits(a.sum);
    } else {
        bound = w->slack * (a.pos + a.neg);
        right = fabs(got - a.sum) <= bound || overflow_right(w, &a, got);
    }
    if (!right) {
        condemn_float(w, i, bound, a.sum);
    }
}

/* What a run of elements sums up to. */
struct sums {
    double sum[CHUNK];
    double all[CHUNK]; /* of magnitudes */
    double got[CHUNK];
};

static void sum_up(const struct work *w, struct span s, struct sums *out)
{
    double x[CHUNK];

    for (size_t i = 0; i < s.n; i++) {
        out->sum[i] = -0.0;
        out->all[i] = 0;
    }
    for (unsigned k = 0; k < w->ref->nr_inputs; k++) {
        get_values(w, input_at(w, k, s.first), s.n, x);
        for (size_t i = 0; i < s.n; i++) {
            out->sum[i] += x[i];
            out->all[i] += fabs(x[i]);
        }
    }
    get_values(w, result_at(w, s.first), s.n, out->got);
}

/*
 * A result that is the sum in double is right by any rule. So is one within
 * the bound, when the sum has more bits than the type, as it is not exact
 * then. Whatever is left is for judge_sum().
 */
static void check_sums(const struct work *w, struct span s)
{
    uint64_t extra = (UINT64_C(1) << (DOUBLE_BITS - w->format->precision)) - 1;
    uint64_t differ = 0;
    struct sums sums;

    sum_up(w, s, &sums);
    for (size_t i = 0; i < s.n; i++) {
        differ |= double_bits(sums.sum[i]) ^ double_bits(sums.got[i]);
    }
    for (size_t i = 0; differ && i < s.n; i++) {
        uint64_t bits = double_bits(sums.sum[i]);
        bool equal = bits == double_bits(sums.got[i]);
        bool near = fabs(sums.got[i] - sums.sum[i]) <= w->slack * sums.all[i];

        if (!equal && !(near && bits & extra)) {
            judge_sum(w, s.first + i);
        }
    }
}

/* ---- extremes of floats -------------------------------------------------- */

static double extreme(enum trench_cce_op op, double a, double b)
{
    return op == TRENCH_CCE_MAX ? (b > a ? b : a) : (b < a ? b : a);
}

static void judge_extreme(const struct work *w, uint64_t i)
{
    double got = coll_element_value(w->ref->type, result_at(w, i));
    double acc = (double)NAN;
    bool nan = false;

    for (unsigned k = 0; k < w->ref->nr_inputs; k++) {
        double x = coll_element_value(w->ref->type, input_at(w, k, i));

        nan |= isnan(x);
        acc = isnan(acc) ? x : extreme(w->ref->op, acc, x);
    }
    if (got != acc && !(nan && isnan(got))) {
        condemn_float(w, i, 0, acc);
    }
}

/* A NaN is never equal: whatever holds one is judged on its own. */
static void check_extremes(const struct work *w, struct span s)
{
    bool is_max = w->ref->op == TRENCH_CCE_MAX;
    double acc[CHUNK];
    double x[CHUNK];

    get_values(w, input_at(w, 0, s.first), s.n, acc);
    for (unsigned k = 1; k < w->ref->nr_inputs; k++) {
        get_values(w, input_at(w, k, s.first), s.n, x);
        for (size_t i = 0; i < s.n; i++) {
            acc[i] = (is_max ? x[i] > acc[i] : x[i] < acc[i]) ? x[i] : acc[i];
        }
    }
    get_values(w, result_at(w, s.first), s.n, x);
    for (size_t i = 0; i < s.n; i++) {
        if (x[i] != acc[i]) {
            judge_extreme(w, s.first + i);
        }
    }
}

/* ---- integers ------------------------------------------------------------ */

/* As two's complement of 64 bits. */
static uint64_t widen(const struct coll_format *f, uint64_t bits)
{
    unsigned shift = 64 - 8u * f->bytes;

    return f->is_signed ? (uint64_t)((int64_t)(bits << shift) >> shift) : bits;
}

static uint64_t int_input(const struct work *w, unsigned k, uint64_t i)
{
    return widen(w->format, coll_element_bits(w->ref->type, input_at(w, k, i)));
}

static double magnitude(const struct coll_format *f, uint64_t wide)
{
    return (double)(f->is_signed && wide >> 63 ? -wide : wide);
}

static void judge_int_sum(const struct work *w, uint64_t i)
{
    uint64_t got = coll_element_bits(w->ref->type, result_at(w, i));
    unsigned shift = 64 - 8u * w->format->bytes;
    uint64_t sum = 0; /* wraps: only its lowest bits count */
    double all = 0;
    double bound = 0;
    int64_t off;

    for (unsigned k = 0; k < w->ref->nr_inputs; k++) {
        uint64_t x = int_input(w, k, i);

        sum += x;
        all += magnitude(w->format, x);
    }
    if (all >= 1 << FP32_BITS && w->ref->nr_inputs > 1) {
        bound = w->slack * all;
    }
    /* The shorter way round. */
    off = (int64_t)((got - sum) << shift) >> shift;
    if (fabs((double)off) > bound) {
        condemn_int(w, i, bound, sum);
    }
}

/* The number as fp32 has it, and back; wraps. */
static uint64_t through_fp32(const struct coll_format *f, uint64_t wide)
{
    bool negative = f->is_signed && wide >> 63;
    double value = (double)(float)(negative ? -wide : wide);
    /* 2^64 does not fit; modulo 2^64 it is 0. */
    uint64_t back = value < 0x1p64 ? (uint64_t)value : 0;

    return negative ? -back : back;
}

static bool int_extreme_right(const struct work *w, uint64_t acc, uint64_t got)
{
    uint64_t mask = UINT64_MAX >> (64 - 8u * w->format->bytes);

    return got == (acc & mask) ||
           (w->ref->nr_inputs > 1 &&
            got == (through_fp32(w->format, acc) & mask));
}

static void judge_int_extreme(const struct work *w, uint64_t i)
{
    /* With the highest bit turned, order is that of unsigned numbers. */
    uint64_t turn = w->format->is_signed ? UINT64_C(1) << 63 : 0;
    uint64_t got = coll_element_bits(w->ref->type, result_at(w, i));
    uint64_t acc = int_input(w, 0, i) ^ turn;

    for (unsigned k = 1; k < w->ref->nr_inputs; k++) {
        uint64_t x = int_input(w, k, i) ^ turn;

        if (w->ref->op == TRENCH_CCE_MAX ? x > acc : x < acc) {
            acc = x;
        }
    }
    if (!int_extreme_right(w, acc ^ turn, got)) {
        condemn_int(w, i, 0, acc ^ turn);
    }
}

/* One more input, for a run of elements. */
static void take_ints(const struct work *w, const uint64_t *x, size_t n,
                      uint64_t *acc)
{
    uint64_t turn = w->format->is_signed ? UINT64_C(1) << 63 : 0;
    bool is_max = w->ref->op == TRENCH_CCE_MAX;

    if (w->ref->op == TRENCH_CCE_ADD) {
        for (size_t i = 0; i < n; i++) {
            acc[i] += x[i];
        }
        return;
    }
    for (size_t i = 0; i < n; i++) {
        bool greater = (x[i] ^ turn) > (acc[i] ^ turn);

        acc[i] = greater == is_max ? x[i] : acc[i];
    }
}

static void get_ints(const struct work *w, const void *from, size_t n,
                     uint64_t *out)
{
    unsigned shift = 64 - 8u * w->format->bytes;

    coll_elements_bits(w->ref->type, from, n, out);
    for (size_t i = 0; w->format->is_signed && i < n; i++) {
        out[i] = (uint64_t)((int64_t)(out[i] << shift) >> shift);
    }
}

/* What is equal is right; the rest is judged on its own. */
static void check_ints(const struct work *w, struct span s)
{
    unsigned shift = 64 - 8u * w->format->bytes;
    uint64_t acc[CHUNK];
    uint64_t x[CHUNK];

    get_ints(w, input_at(w, 0, s.first), s.n, acc);
    for (unsigned k = 1; k < w->ref->nr_inputs; k++) {
        get_ints(w, input_at(w, k, s.first), s.n, x);
        take_ints(w, x, s.n, acc);
    }
    get_ints(w, result_at(w, s.first), s.n, x);
    for (size_t i = 0; i < s.n; i++) {
        if ((x[i] ^ acc[i]) << shift == 0) {
            continue;
        }
        if (w->ref->op == TRENCH_CCE_ADD) {
            judge_int_sum(w, s.first + i);
        } else {
            judge_int_extreme(w, s.first + i);
        }
    }
}

/* ---- all of it ----------------------------------------------------------- */

/* (1 + u)^n - 1, and what the sums in double here may be off. */
static double slack_of(const struct coll_reference *ref,
                       const struct coll_format *f)
{
    int bits = f->is_float ? f->precision : FP32_BITS;
    double u = ldexp(1, ref->stochastic ? 1 - bits : -bits);
    double n = ref->nr_inputs;

    return expm1(n * log1p(u)) + n * 0x1p-52;
}

static bool is_known(enum trench_cce_op op)
{
    return op == TRENCH_CCE_ADD || op == TRENCH_CCE_MAX || op == TRENCH_CCE_MIN;
}

int coll_reference_check(const struct coll_reference *ref,
                         struct coll_verdict *verdict)
{
    const struct coll_format *f = coll_format(ref->type);
    struct work w = { .ref = ref, .format = f, .verdict = verdict };

    if (f->bytes == 0 || ref->nr_inputs == 0 || !is_known(ref->op)) {
        return TRENCH_ERR_INVAL;
    }
    w.slack = slack_of(ref, f);
    for (unsigned i = 0; f->bytes == 1 && i < 256; i++) {
        w.value[i] =
            coll_element_value(ref->type, &(const uint8_t){ (uint8_t)i });
    }
    memset(verdict, 0, sizeof(*verdict));
    for (uint64_t i = 0; i < ref->count; i += CHUNK) {
        uint64_t left = ref->count - i;
        struct span s = { i, left < CHUNK ? (size_t)left : CHUNK };

        if (!f->is_float) {
            check_ints(&w, s);
        } else if (ref->op == TRENCH_CCE_ADD) {
            check_sums(&w, s);
        } else {
            check_extremes(&w, s);
        }
    }
    return 0;
}

int coll_reference_copy(enum trench_dtype type, const void *expected,
                        const void *got, uint64_t count,
                        struct coll_verdict *verdict)
{
    const struct coll_reference ref = { .type = type, .result = got };
    struct work w = { .ref = &ref,
                      .format = coll_format(type),
                      .verdict = verdict };
    unsigned bytes = w.format->bytes;
    const uint8_t *want = expected;

    if (bytes == 0) {
        return TRENCH_ERR_INVAL;
    }
    memset(verdict, 0, sizeof(*verdict));
    if (count == 0 || memcmp(expected, got, count * bytes) == 0) {
        return 0;
    }
    for (uint64_t i = 0; i < count; i++) {
        if (memcmp(want + i * bytes, result_at(&w, i), bytes) != 0) {
            condemn(&w, i, 0, want + i * bytes);
        }
    }
    return 0;
}
