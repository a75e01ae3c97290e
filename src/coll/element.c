/* SPDX-License-Identifier: BSD-3-Clause */
#include "element.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/le.h"

#define DOUBLE_BIAS 1023
#define DOUBLE_MANT 52

static const struct coll_format formats[TRENCH_NR_DTYPES] = {
    [TRENCH_DTYPE_UINT64] = { .bytes = 8, .precision = 64 },
    [TRENCH_DTYPE_INT8] = { .bytes = 1, .is_signed = true, .precision = 7 },
    [TRENCH_DTYPE_UINT8] = { .bytes = 1, .precision = 8 },
    [TRENCH_DTYPE_INT16] = { .bytes = 2, .is_signed = true, .precision = 15 },
    [TRENCH_DTYPE_UINT16] = { .bytes = 2, .precision = 16 },
    [TRENCH_DTYPE_BF16] = { 2, true, true, 8, 7, 127, true, 8, 0x1.FEp127 },
    [TRENCH_DTYPE_FP16] = { 2, true, true, 5, 10, 15, true, 11, 65504 },
    [TRENCH_DTYPE_INT32] = { .bytes = 4, .is_signed = true, .precision = 31 },
    [TRENCH_DTYPE_UINT32] = { .bytes = 4, .precision = 32 },
    [TRENCH_DTYPE_FP32] = { 4, true, true, 8, 23, 127, true, 24,
                            0x1.FFFFFEp127 },
    [TRENCH_DTYPE_FP32R] = { 4, true, true, 8, 23, 127, true, 24,
                             0x1.FFFFFEp127 },
    [TRENCH_DTYPE_INT64] = { .bytes = 8, .is_signed = true, .precision = 63 },
    [TRENCH_DTYPE_FP8_E3] = { 1, true, true, 3, 4, 3, true, 5, 15.5 },
    [TRENCH_DTYPE_FP8_E4] = { 1, true, true, 4, 3, 7, false, 4, 448 },
    [TRENCH_DTYPE_FP8_E5] = { 1, true, true, 5, 2, 15, true, 3, 57344 },
};

const struct coll_format *coll_format(enum trench_dtype type)
{
    return &formats[(unsigned)type < TRENCH_NR_DTYPES ? type : 0];
}

uint64_t coll_element_bits(enum trench_dtype type, const void *element)
{
    return le_get(element, coll_format(type)->bytes);
}

/* ---- floats -------------------------------------------------------------- */

/* 2 to a power that a double has in full. */
static inline double power_of_2(int exp)
{
    uint64_t bits = (uint64_t)(DOUBLE_BIAS + exp) << DOUBLE_MANT;
    double value;

    memcpy(&value, &bits, sizeof(value));
    return value;
}

static inline double float_value(const struct coll_format *f, uint64_t bits)
{
    uint64_t mant = bits & ((UINT64_C(1) << f->mant_bits) - 1);
    uint64_t exp_max = (UINT64_C(1) << f->exp_bits) - 1;
    uint64_t exp = bits >> f->mant_bits & exp_max;
    bool negative = bits >> (f->exp_bits + f->mant_bits) & 1;
    double value;

    if (exp == exp_max && f->has_inf) {
        value = mant ? (double)NAN : (double)INFINITY;
    } else if (exp == exp_max && mant == (UINT64_C(1) << f->mant_bits) - 1) {
        value = (double)NAN;
    } else if (exp == 0) {
        value = (double)mant * power_of_2(1 - f->bias - f->mant_bits);
    } else {
        value = (double)(mant | UINT64_C(1) << f->mant_bits) *
                power_of_2((int)exp - f->bias - f->mant_bits);
    }
    return negative ? -value : value;
}

/* Infinity; NaN in a type that has none. Without the sign. */
static uint64_t overflow_bits(const struct coll_format *f)
{
    uint64_t ones = (UINT64_C(1) << (f->exp_bits + f->mant_bits)) - 1;

    return f->has_inf ? ones >> f->mant_bits << f->mant_bits : ones;
}

/* The quiet NaN: all ones where that is the only one. */
static uint64_t nan_bits(const struct coll_format *f)
{
    uint64_t over = overflow_bits(f);

    return f->has_inf ? over | UINT64_C(1) << (f->mant_bits - 1) : over;
}

/* Without the sign; value >= 0 and no NaN. */
static uint64_t magnitude_bits(const struct coll_format *f, double value)
{
    int exp_min = 1 - f->bias; /* of denormals as well */
    double steps;
    int exp;

    if (value > 2 * f->max) {
        return overflow_bits(f);
    }
    exp = value > 0 ? ilogb(value) : exp_min;
    exp = exp < exp_min ? exp_min : exp;
    /* In units of the last place: to nearest, of two the even one. */
    steps = rint(ldexp(value, f->mant_bits - exp));
    if (ldexp(steps, exp - f->mant_bits) > f->max) {
        return overflow_bits(f);
    }
    /* Bits count on from one exponent to the next. */
    return (uint64_t)steps + ((uint64_t)(exp - exp_min) << f->mant_bits);
}

static uint64_t float_bits(const struct coll_format *f, double value)
{
    uint64_t bits = isnan(value) ? nan_bits(f) : magnitude_bits(f, fabs(value));

    return bits | (uint64_t)signbit(value) << (f->exp_bits + f->mant_bits);
}

/* ---- integers ------------------------------------------------------------ */

static int64_t sign_extend(uint64_t bits, unsigned bytes)
{
    unsigned shift = 64 - 8 * bytes;

    return (int64_t)(bits << shift) >> shift;
}

static uint64_t int_bits(double value)
{
    if (!isfinite(value)) {
        return 0;
    }
    value = fmod(rint(value), 0x1p64);
    return value < 0 ? -(uint64_t)-value : (uint64_t)value;
}

/* ---- both ---------------------------------------------------------------- */

static inline double value_of(const struct coll_format *f, uint64_t bits)
{
    if (f->is_float) {
        return float_value(f, bits);
    }
    return f->is_signed ? (double)sign_extend(bits, f->bytes) : (double)bits;
}

double coll_element_value(enum trench_dtype type, const void *element)
{
    return value_of(coll_format(type), coll_element_bits(type, element));
}

void coll_element_put(enum trench_dtype type, double value, void *element)
{
    const struct coll_format *f = coll_format(type);

    le_put(element, f->bytes,
           f->is_float ? float_bits(f, value) : int_bits(value));
}

/* ---- many ---------------------------------------------------------------- */

/* One loop a size, so that the compiler knows it. */
#define FOR_SIZES(bytes, loop)                                                 \
    do {                                                                       \
        if ((bytes) == 1) {                                                    \
            loop(1);                                                           \
        } else if ((bytes) == 2) {                                             \
            loop(2);                                                           \
        } else if ((bytes) == 4) {                                             \
            loop(4);                                                           \
        } else {                                                               \
            loop(8);                                                           \
        }                                                                      \
    } while (0)

void coll_elements_bits(enum trench_dtype type, const void *elements, size_t n,
                        uint64_t *out)
{
    const uint8_t *from = elements;

#define LOAD(size)                                                             \
    for (size_t i = 0; i < n; i++) {                                           \
        out[i] = le_get(from + i * (size), size);                              \
    }
    FOR_SIZES(coll_format(type)->bytes, LOAD);
#undef LOAD
}

void coll_elements_make(enum trench_dtype type, const uint64_t *bits, size_t n,
                        void *elements)
{
    uint8_t *to = elements;

#define STORE(size)                                                            \
    for (size_t i = 0; i < n; i++) {                                           \
        le_put(to + i * (size), size, bits[i]);                                \
    }
    FOR_SIZES(coll_format(type)->bytes, STORE);
#undef STORE
}

/* fp32 is float of this machine: the compiler knows what to do. */
static void fp32_values(const uint8_t *from, size_t n, double *out)
{
    for (size_t i = 0; i < n; i++) {
        uint32_t bits = (uint32_t)le_get(from + 4 * i, 4);
        float value;

        memcpy(&value, &bits, sizeof(value));
        out[i] = (double)value;
    }
}

/*
 * As float_value() without branches: with the fraction shifted to where a
 * double has it, only the bias is another one, and the first number that is
 * none is that of infinity, or the NaN of all ones.
 */
static inline double small_value(const struct coll_format *f, uint64_t bits)
{
    uint64_t sign = bits >> (f->exp_bits + f->mant_bits);
    uint64_t mag = bits ^ sign << (f->exp_bits + f->mant_bits);
    uint64_t shifted = mag << (DOUBLE_MANT - f->mant_bits);
    uint64_t over = overflow_bits(f);
    double value;

    memcpy(&value, &shifted, sizeof(value));
    value *= power_of_2(DOUBLE_BIAS - f->bias);
    value = mag < over
                ? value
                : (mag == over && f->has_inf ? (double)INFINITY : (double)NAN);
    return sign ? -value : value;
}

static void small_values(const struct coll_format *f, const uint8_t *from,
                         size_t n, double *out)
{
    const struct coll_format local = *f;

    if (f->bytes == 1) {
        for (size_t i = 0; i < n; i++) {
            out[i] = small_value(&local, from[i]);
        }
    } else {
        for (size_t i = 0; i < n; i++) {
            out[i] = small_value(&local, le_get(from + 2 * i, 2));
        }
    }
}

void coll_elements_value(enum trench_dtype type, const void *elements, size_t n,
                         double *out)
{
    const struct coll_format *f = coll_format(type);
    const uint8_t *from = elements;

    if (f->is_float && f->bytes == 4) {
        fp32_values(from, n, out);
    } else if (f->is_float) {
        small_values(f, from, n, out);
    } else {
        for (size_t i = 0; i < n; i++) {
            out[i] = value_of(f, le_get(from + i * f->bytes, f->bytes));
        }
    }
}

void coll_element_print(enum trench_dtype type, const void *element,
                        char out[COLL_ELEMENT_TEXT])
{
    const struct coll_format *f = coll_format(type);
    uint64_t bits = coll_element_bits(type, element);

    if (f->is_float && isnan(float_value(f, bits))) {
        snprintf(out, COLL_ELEMENT_TEXT, "nan");
    } else if (f->is_float) {
        snprintf(out, COLL_ELEMENT_TEXT, "%.9g", float_value(f, bits));
    } else if (f->is_signed) {
        snprintf(out, COLL_ELEMENT_TEXT, "%" PRId64,
                 sign_extend(bits, f->bytes));
    } else {
        snprintf(out, COLL_ELEMENT_TEXT, "%" PRIu64, bits);
    }
}
