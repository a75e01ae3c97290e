/* SPDX-License-Identifier: BSD-3-Clause */
/* What decides whether a collective's result is right, and its data. */
#include "check.h"

#include <float.h>
#include <math.h>

#include <trench/error.h>

#include "coll/reference.h"
#include "coll/sample.h"

#define SEED UINT64_C(0x7265666572656e63)

static uint64_t next_random(uint64_t *state)
{
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);

    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

static double value_of(enum trench_dtype type, uint64_t bits)
{
    return coll_element_value(type, &bits); /* little-endian hosts */
}

static uint64_t bits_of(enum trench_dtype type, double value)
{
    uint64_t bits = 0;

    coll_element_put(type, value, &bits);
    return bits;
}

static bool same(double a, double b)
{
    return (isnan(a) && isnan(b)) || (a == b && !signbit(a) == !signbit(b));
}

/* ---- elements ------------------------------------------------------------ */

/* Landmarks of each format, from its definition. */
static void test_values(void **state)
{
    static const struct {
        enum trench_dtype type;
        uint64_t bits;
        double value;
    } rows[] = {
        { TRENCH_DTYPE_FP16, 0x3c00, 1 },
        { TRENCH_DTYPE_FP16, 0xc000, -2 },
        { TRENCH_DTYPE_FP16, 0x7bff, 65504 },
        { TRENCH_DTYPE_FP16, 0x0400, 0x1p-14 },
        { TRENCH_DTYPE_FP16, 0x0001, 0x1p-24 },
        { TRENCH_DTYPE_FP16, 0x03ff, 0x1.ff8p-15 },
        { TRENCH_DTYPE_FP16, 0x7c00, INFINITY },
        { TRENCH_DTYPE_FP16, 0xfc00, -INFINITY },
        { TRENCH_DTYPE_FP16, 0x7c01, NAN },
        { TRENCH_DTYPE_FP16, 0x8000, -0.0 },
        { TRENCH_DTYPE_BF16, 0x3f80, 1 },
        { TRENCH_DTYPE_BF16, 0x4049, 3.140625 },
        { TRENCH_DTYPE_BF16, 0x7f7f, 0x1.fep127 },
        { TRENCH_DTYPE_BF16, 0x0001, 0x1p-133 },
        { TRENCH_DTYPE_BF16, 0xff80, -INFINITY },
        { TRENCH_DTYPE_BF16, 0x7fc0, NAN },
        { TRENCH_DTYPE_FP32, 0x3f800000, 1 },
        { TRENCH_DTYPE_FP32, 0x00000001, 0x1p-149 },
        { TRENCH_DTYPE_FP32, 0x7f7fffff, 0x1.fffffep127 },
        { TRENCH_DTYPE_FP32R, 0xc0490fdb, -0x1.921fb6p1 },
        { TRENCH_DTYPE_FP8_E3, 0x30, 1 },
        { TRENCH_DTYPE_FP8_E3, 0x6f, 15.5 },
        { TRENCH_DTYPE_FP8_E3, 0x01, 0x1p-6 },
        { TRENCH_DTYPE_FP8_E3, 0x10, 0.25 },
        { TRENCH_DTYPE_FP8_E3, 0x70, INFINITY },
        { TRENCH_DTYPE_FP8_E3, 0x71, NAN },
        { TRENCH_DTYPE_FP8_E4, 0x38, 1 },
        { TRENCH_DTYPE_FP8_E4, 0x7e, 448 },
        { TRENCH_DTYPE_FP8_E4, 0x78, 256 },
        { TRENCH_DTYPE_FP8_E4, 0x01, 0x1p-9 },
        { TRENCH_DTYPE_FP8_E4, 0x08, 0x1p-6 },
        { TRENCH_DTYPE_FP8_E4, 0x7f, NAN },
        { TRENCH_DTYPE_FP8_E4, 0xff, NAN },
        { TRENCH_DTYPE_FP8_E4, 0xfe, -448 },
        { TRENCH_DTYPE_FP8_E5, 0x3c, 1 },
        { TRENCH_DTYPE_FP8_E5, 0x7b, 57344 },
        { TRENCH_DTYPE_FP8_E5, 0x01, 0x1p-16 },
        { TRENCH_DTYPE_FP8_E5, 0x7c, INFINITY },
        { TRENCH_DTYPE_FP8_E5, 0x7d, NAN },
        { TRENCH_DTYPE_INT8, 0x80, -128 },
        { TRENCH_DTYPE_UINT8, 0x80, 128 },
        { TRENCH_DTYPE_INT16, 0xffff, -1 },
        { TRENCH_DTYPE_UINT16, 0xffff, 65535 },
        { TRENCH_DTYPE_INT32, 0x80000000, -0x1p31 },
        { TRENCH_DTYPE_UINT32, 0xffffffff, 4294967295.0 },
        { TRENCH_DTYPE_INT64, UINT64_MAX, -1 },
        { TRENCH_DTYPE_UINT64, UINT64_C(1) << 63, 0x1p63 },
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        double got = value_of(rows[i].type, rows[i].bits);

        CHECK_EQ(same(got, rows[i].value), true, "row %zu: %g", i, got);
    }
}

/*
 * Every element of 8 and 16 bits: there and back, in order, and the faster way
 * is the same.
 */
static void test_all_small_elements(void **state)
{
    static uint16_t all[65536];
    static double fast[65536];

    (void)state;
    for (int t = 1; t < TRENCH_NR_DTYPES; t++) {
        enum trench_dtype type = (enum trench_dtype)t;
        unsigned bytes = coll_format(type)->bytes;
        uint32_t nr = 1u << 8 * (bytes & 3);

        CHECK_EQ(bytes, trench_dtype_bytes(type), "type %d", t);
        if (bytes > 2) {
            continue;
        }
        for (uint32_t i = 0; i < nr; i++) {
            memcpy((uint8_t *)all + (size_t)bytes * i, &i, bytes);
        }
        coll_elements_value(type, all, nr, fast);
        for (uint32_t i = 0; i < nr; i++) {
            double value = value_of(type, i);

            CHECK_EQ(same(value, fast[i]), true, "type %d bits 0x%x", t, i);
            if (!isnan(value)) {
                CHECK_EQ(bits_of(type, value), i, "type %d: %g", t, value);
            }
            /* Of the positive ones each is larger than the one before. */
            if (i > 0 && i < nr / 2 && !isnan(value)) {
                CHECK_EQ(value > value_of(type, i - 1), true,
                         "type %d bits 0x%x", t, i);
            }
        }
    }
}

/* fp32 against the machine's own float. */
static void test_fp32_is_float(void **state)
{
    uint64_t rnd = SEED;

    (void)state;
    for (int round = 0; round < 100000; round++) {
        uint32_t bits = (uint32_t)next_random(&rnd);
        double value;
        double fast;
        float f;

        if (round % 4 == 0) {
            bits &= 0x807fffff; /* denormals, too */
        }
        memcpy(&f, &bits, sizeof(f));
        value = value_of(TRENCH_DTYPE_FP32, bits);
        coll_elements_value(TRENCH_DTYPE_FP32, &bits, 1, &fast);
        CHECK_EQ(same(value, (double)f), true, "0x%08x", bits);
        CHECK_EQ(same(fast, (double)f), true, "0x%08x", bits);
        /* Rounding: a number between floats. */
        value *= 1 + (double)(next_random(&rnd) >> 40) * 0x1p-48;
        f = (float)value;
        memcpy(&bits, &f, sizeof(bits));
        if (!isnan(value)) {
            CHECK_EQ(bits_of(TRENCH_DTYPE_FP32, value), bits, "%a", value);
        }
    }
}

static void test_rounding(void **state)
{
    static const struct {
        enum trench_dtype type;
        double value;
        uint64_t bits;
    } rows[] = {
        { TRENCH_DTYPE_BF16, 1 + 0x1p-8, 0x3f80 },     /* tie, to even */
        { TRENCH_DTYPE_BF16, 1 + 3 * 0x1p-8, 0x3f82 }, /* tie, to even */
        { TRENCH_DTYPE_BF16, 1 + 0x1.01p-8, 0x3f81 },
        { TRENCH_DTYPE_FP16, 65519, 0x7bff },
        { TRENCH_DTYPE_FP16, 65520, 0x7c00 },
        { TRENCH_DTYPE_FP16, -65520, 0xfc00 },
        { TRENCH_DTYPE_FP16, 1e300, 0x7c00 },
        { TRENCH_DTYPE_FP16, 0x1p-25, 0 },
        { TRENCH_DTYPE_FP16, 0x1.8p-25, 1 },
        { TRENCH_DTYPE_FP16, -0x1p-30, 0x8000 },
        { TRENCH_DTYPE_FP16, NAN, 0x7e00 },
        { TRENCH_DTYPE_FP16, 0x1.ffep-15, 0x0400 }, /* up to the normals */
        { TRENCH_DTYPE_FP8_E4, 463, 0x7e },
        { TRENCH_DTYPE_FP8_E4, 464, 0x7e }, /* tie, to even */
        { TRENCH_DTYPE_FP8_E4, 465, 0x7f },
        { TRENCH_DTYPE_FP8_E4, -INFINITY, 0xff },
        { TRENCH_DTYPE_FP8_E4, NAN, 0x7f },
        { TRENCH_DTYPE_FP8_E3, 15.7, 0x6f },
        { TRENCH_DTYPE_FP8_E3, 15.75, 0x70 },
        { TRENCH_DTYPE_FP8_E5, 61439, 0x7b },
        { TRENCH_DTYPE_FP8_E5, 61440, 0x7c },
        { TRENCH_DTYPE_INT8, 127.4, 0x7f },
        { TRENCH_DTYPE_INT8, 0.5, 0 },
        { TRENCH_DTYPE_INT8, 1.5, 2 },
        { TRENCH_DTYPE_INT8, 128, 0x80 },
        { TRENCH_DTYPE_INT8, -129, 0x7f },
        { TRENCH_DTYPE_UINT8, -1, 0xff },
        { TRENCH_DTYPE_UINT8, 256, 0 },
        { TRENCH_DTYPE_UINT32, 0x1p32, 0 },
        { TRENCH_DTYPE_UINT64, 0x1p64, 0 },
        { TRENCH_DTYPE_UINT64, 0x1.8p63, UINT64_C(3) << 62 },
        { TRENCH_DTYPE_INT64, -0x1p63, UINT64_C(1) << 63 },
        { TRENCH_DTYPE_INT64, 1e300, 0 },
        { TRENCH_DTYPE_INT32, NAN, 0 },
        { TRENCH_DTYPE_INT32, INFINITY, 0 },
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        CHECK_EQ(bits_of(rows[i].type, rows[i].value), rows[i].bits, "row %zu",
                 i);
    }
}

static void test_print(void **state)
{
    static const struct {
        enum trench_dtype type;
        uint64_t bits;
        const char *text;
    } rows[] = {
        { TRENCH_DTYPE_INT64, UINT64_C(1) << 63, "-9223372036854775808" },
        { TRENCH_DTYPE_UINT64, UINT64_MAX, "18446744073709551615" },
        { TRENCH_DTYPE_INT8, 0xff, "-1" },
        { TRENCH_DTYPE_UINT8, 0xff, "255" },
        { TRENCH_DTYPE_FP32, 0x3dcccccd, "0.100000001" },
        { TRENCH_DTYPE_FP32, 0x80000000, "-0" },
        { TRENCH_DTYPE_BF16, 0xff80, "-inf" },
        { TRENCH_DTYPE_FP8_E4, 0xff, "nan" },
        { TRENCH_DTYPE_FP32, 0xff7fffff, "-3.40282347e+38" },
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        char text[COLL_ELEMENT_TEXT];

        coll_element_print(rows[i].type, &rows[i].bits, text);
        assert_string_equal(text, rows[i].text);
    }
}

/* ---- one element --------------------------------------------------------- */

/* A row: inputs and a result, as numbers, and what is said about it. */
struct row {
    enum trench_cce_op op;
    enum trench_dtype type;
    double in[4];
    unsigned nr;
    double result;
    bool right;
};

#define SUM TRENCH_CCE_ADD
#define MAX TRENCH_CCE_MAX
#define MIN TRENCH_CCE_MIN

static uint64_t wrong_of(const struct row *row, bool stochastic,
                         struct coll_verdict *verdict)
{
    uint64_t elements[4];
    const void *inputs[4];
    uint64_t result = bits_of(row->type, row->result);
    struct coll_reference ref = {
        .op = row->op,
        .type = row->type,
        .nr_inputs = row->nr,
        .inputs = inputs,
        .result = &result,
        .count = 1,
        .stochastic = stochastic,
    };

    for (unsigned k = 0; k < row->nr; k++) {
        elements[k] = bits_of(row->type, row->in[k]);
        inputs[k] = &elements[k];
    }
    CHECK_EQ(coll_reference_check(&ref, verdict), 0, "check");
    return verdict->wrong;
}

static void check_rows(const struct row *rows, size_t n)
{
    struct coll_verdict v;

    for (size_t i = 0; i < n; i++) {
        CHECK_EQ(wrong_of(&rows[i], false, &v), !rows[i].right,
                 "row %zu: expected %s, got %s", i, v.expected, v.got);
    }
}

#define F32 TRENCH_DTYPE_FP32

static void test_exact_sums(void **state)
{
    static const struct row rows[] = {
        { SUM, F32, { 1, 2, 3, 4 }, 4, 10, true },
        { SUM, F32, { 1, 2, 3, 4 }, 4, 0x1.400002p3, false },
        { SUM, F32, { 1, 2, 3, 4 }, 4, NAN, false },
        { SUM, F32, { 1, 2, 3, 4 }, 4, INFINITY, false },
        /* The last exact one, and the first one that is not. */
        { SUM, F32, { 16777215, 1 }, 2, 16777216, true },
        { SUM, F32, { 16777215, 1 }, 2, 16777214, false },
        { SUM, F32, { 16777215, 2 }, 2, 16777216, true },
        { SUM, F32, { 16777215, 2 }, 2, 16777218, true },
        { SUM, F32, { 16777215, 2 }, 2, 16777215, true },
        { SUM, F32, { 16777215, 2 }, 2, 16777214, false },
        /* Representable, but not in any order. */
        { SUM, F32, { 0x1p25, 1, -0x1p25 }, 3, 1, true },
        { SUM, F32, { 0x1p25, 1, -0x1p25 }, 3, 0, true },
        { SUM, F32, { 0x1p25, 1, -0x1p25 }, 3, -0.0, true },
        { SUM, F32, { 0x1p25, 1, -0x1p25 }, 3, 20, false },
        { SUM, TRENCH_DTYPE_BF16, { 255, 1 }, 2, 256, true },
        { SUM, TRENCH_DTYPE_BF16, { 255, 1 }, 2, 255, false },
        { SUM, TRENCH_DTYPE_FP16, { 2047, 1 }, 2, 2048, true },
        { SUM, TRENCH_DTYPE_FP16, { 2047, 1 }, 2, 2046, false },
        { SUM, TRENCH_DTYPE_FP8_E3, { 7.5, 7.5 }, 2, 15, true },
        { SUM, TRENCH_DTYPE_FP8_E3, { 7.5, 7.5 }, 2, 15.5, false },
        { SUM, TRENCH_DTYPE_FP8_E4, { 15, 1 }, 2, 16, true },
        { SUM, TRENCH_DTYPE_FP8_E4, { 15, 1 }, 2, 15, false },
        { SUM, TRENCH_DTYPE_FP8_E5, { 7, 1 }, 2, 8, true },
        { SUM, TRENCH_DTYPE_FP8_E5, { 7, 1 }, 2, 7, false },
        { SUM, F32, { 3.25 }, 1, 3.25, true },
        { SUM, F32, { 3.25 }, 1, 0x1.a00002p1, false },
    };

    (void)state;
    check_rows(rows, ARRAY_LEN(rows));
}

/* Denormals are numbers as others are; zeros have a sign. */
static void test_small_sums(void **state)
{
    static const struct row rows[] = {
        { SUM, F32, { 0x1p-149, 0x1p-149 }, 2, 0x1p-148, true },
        { SUM, F32, { 0x1p-149, 0x1p-149 }, 2, 0, false },
        { SUM, F32, { 0x1p-126, -0x1p-149 }, 2, 0x1.fffffcp-127, true },
        { SUM, F32, { 0x1p-126, -0x1p-149 }, 2, 0x1p-126, false },
        { SUM, TRENCH_DTYPE_FP16, { 0x1p-24, 0x1p-23 }, 2, 3 * 0x1p-24, true },
        { SUM, TRENCH_DTYPE_FP16, { 0x1p-24, 0x1p-23 }, 2, 0, false },
        { SUM, TRENCH_DTYPE_FP8_E4, { 0x1p-9, 0x1p-9 }, 2, 0x1p-8, true },
        { SUM, TRENCH_DTYPE_FP8_E4, { 0x1p-9, 0x1p-9 }, 2, 0, false },
        { SUM, F32, { -0.0, -0.0 }, 2, -0.0, true },
        { SUM, F32, { -0.0, -0.0 }, 2, 0.0, false },
        { SUM, F32, { -0.0, 0.0 }, 2, 0.0, true },
        { SUM, F32, { -0.0, 0.0 }, 2, -0.0, false },
        { SUM, F32, { 1, -1 }, 2, 0.0, true },
        { SUM, F32, { 1, -1 }, 2, -0.0, false },
        { SUM, F32, { -0.0 }, 1, -0.0, true },
        { SUM, F32, { -0.0 }, 1, 0.0, false },
    };

    (void)state;
    check_rows(rows, ARRAY_LEN(rows));
}

/* NaN, infinity, and what overflows. */
static void test_special_sums(void **state)
{
    static const struct row rows[] = {
        { SUM, F32, { NAN, 1 }, 2, NAN, true },
        { SUM, F32, { NAN, 1 }, 2, 1, false },
        { SUM, F32, { 1, NAN }, 2, INFINITY, false },
        { SUM, F32, { INFINITY, 1 }, 2, INFINITY, true },
        { SUM, F32, { INFINITY, 1 }, 2, -INFINITY, false },
        { SUM, F32, { INFINITY, 1 }, 2, FLT_MAX, false },
        { SUM, F32, { INFINITY, 1 }, 2, NAN, false },
        { SUM, F32, { INFINITY, -FLT_MAX, -FLT_MAX }, 3, NAN, true },
        { SUM, F32, { INFINITY, FLT_MAX, FLT_MAX }, 3, NAN, false },
        { SUM, F32, { -INFINITY, FLT_MAX, FLT_MAX }, 3, NAN, true },
        { SUM, F32, { INFINITY, -INFINITY }, 2, NAN, true },
        { SUM, F32, { INFINITY, -INFINITY }, 2, 0, false },
        { SUM, F32, { INFINITY, -INFINITY }, 2, INFINITY, false },
        /* overflow */
        { SUM, F32, { FLT_MAX, FLT_MAX }, 2, INFINITY, true },
        { SUM, F32, { FLT_MAX, FLT_MAX }, 2, -INFINITY, false },
        { SUM, F32, { FLT_MAX, FLT_MAX }, 2, NAN, false },
        { SUM, F32, { -FLT_MAX, -FLT_MAX }, 2, -INFINITY, true },
        { SUM, F32, { FLT_MAX, FLT_MAX, -FLT_MAX }, 3, INFINITY, true },
        { SUM, F32, { FLT_MAX, FLT_MAX, -FLT_MAX }, 3, FLT_MAX, true },
        { SUM, F32, { FLT_MAX, FLT_MAX, -FLT_MAX, -FLT_MAX }, 4, NAN, true },
        { SUM, F32, { FLT_MAX, FLT_MAX, -1 }, 3, NAN, false },
        { SUM, F32, { 1e37, 1e37 }, 2, INFINITY, false },
        { SUM, TRENCH_DTYPE_FP16, { 65504, 16 }, 2, INFINITY, true },
        { SUM, TRENCH_DTYPE_FP16, { 65504, 16 }, 2, 65504, true },
        { SUM, TRENCH_DTYPE_FP16, { 60000, 16 }, 2, INFINITY, false },
        { SUM, TRENCH_DTYPE_FP8_E4, { 448, 448 }, 2, NAN, true },
        { SUM, TRENCH_DTYPE_FP8_E4, { 200, 96 }, 2, NAN, false },
        { SUM, TRENCH_DTYPE_FP8_E5, { 57344, 57344 }, 2, INFINITY, true },
        { SUM, TRENCH_DTYPE_FP8_E3, { 15.5, 15.5 }, 2, INFINITY, true },
        { SUM, TRENCH_DTYPE_FP8_E3, { 4, 4 }, 2, INFINITY, false },
    };

    (void)state;
    check_rows(rows, ARRAY_LEN(rows));
}

static void test_extremes(void **state)
{
    static const struct row rows[] = {
        { MAX, F32, { 1, 3, 2 }, 3, 3, true },
        { MAX, F32, { 1, 3, 2 }, 3, 2, false },
        { MAX, F32, { 1, 3, 2 }, 3, 0x1.800002p1, false },
        { MIN, F32, { 1, -3, 2 }, 3, -3, true },
        { MIN, F32, { 1, -3, 2 }, 3, 1, false },
        { MIN, F32, { 1, -3, 2 }, 3, NAN, false },
        { MAX, F32, { 0.0, -0.0 }, 2, -0.0, true },
        { MAX, F32, { 0.0, -0.0 }, 2, 0.0, true },
        { MIN, F32, { 0.0, -0.0 }, 2, 0.0, true },
        { MAX, F32, { 0.0, -0.0 }, 2, 0x1p-149, false },
        { MAX, F32, { NAN, 1, 2 }, 3, NAN, true },
        { MAX, F32, { NAN, 1, 2 }, 3, 2, true },
        { MAX, F32, { 1, NAN, 2 }, 3, 2, true },
        { MAX, F32, { 1, NAN, 2 }, 3, 1, false },
        { MAX, F32, { 2, 1, NAN }, 3, NAN, true },
        { MAX, F32, { NAN, NAN }, 2, NAN, true },
        { MAX, F32, { NAN, NAN }, 2, 0, false },
        { MAX, F32, { -INFINITY, -5 }, 2, -5, true },
        { MIN, F32, { -INFINITY, -5 }, 2, -INFINITY, true },
        { MIN, F32, { -INFINITY, -5 }, 2, -FLT_MAX, false },
        { MAX, F32, { 0x1p-149, 0 }, 2, 0x1p-149, true },
        { MAX, F32, { 0x1p-149, 0 }, 2, 0, false },
        { MAX, TRENCH_DTYPE_FP8_E4, { 448, 1 }, 2, 448, true },
        { MAX, TRENCH_DTYPE_INT8, { -128, 127 }, 2, 127, true },
        { MIN, TRENCH_DTYPE_INT8, { -128, 127 }, 2, -128, true },
        { MIN, TRENCH_DTYPE_INT8, { -128, 127 }, 2, 127, false },
        { MAX, TRENCH_DTYPE_UINT8, { 128, 127 }, 2, 128, true },
        { MAX, TRENCH_DTYPE_UINT8, { 128, 127 }, 2, 127, false },
        { MAX, TRENCH_DTYPE_UINT64, { 0x1p63, 1 }, 2, 0x1p63, true },
        { MAX, TRENCH_DTYPE_UINT64, { 0x1p63, 1 }, 2, 1, false },
        { MAX, TRENCH_DTYPE_INT64, { -0x1p63, 1 }, 2, 1, true },
        /* as fp32 has it */
        { MAX, TRENCH_DTYPE_INT32, { 16777217, 1 }, 2, 16777217, true },
        { MAX, TRENCH_DTYPE_INT32, { 16777217, 1 }, 2, 16777216, true },
        { MAX, TRENCH_DTYPE_INT32, { 16777217, 1 }, 2, 16777218, false },
        { MIN, TRENCH_DTYPE_INT32, { -16777219, 1 }, 2, -16777220, true },
        { MAX, TRENCH_DTYPE_INT32, { 16777217 }, 1, 16777216, false },
        { MAX, TRENCH_DTYPE_UINT32, { 4294967295.0, 1 }, 2, 0, true },
    };

    (void)state;
    check_rows(rows, ARRAY_LEN(rows));
}

static void test_integer_sums(void **state)
{
    static const struct row rows[] = {
        { SUM, TRENCH_DTYPE_INT8, { 100, 27 }, 2, 127, true },
        { SUM, TRENCH_DTYPE_INT8, { 100, 28 }, 2, -128, true }, /* wraps */
        { SUM, TRENCH_DTYPE_INT8, { 100, 28 }, 2, 127, false }, /* saturates */
        { SUM, TRENCH_DTYPE_UINT8, { 200, 100 }, 2, 44, true },
        { SUM, TRENCH_DTYPE_UINT8, { 200, 100 }, 2, 255, false },
        { SUM, TRENCH_DTYPE_INT16, { 32767, 1 }, 2, -32768, true },
        { SUM, TRENCH_DTYPE_UINT16, { 65535, 65535, 65535 }, 3, 65533, true },
        { SUM, TRENCH_DTYPE_INT32, { 16777213, 2 }, 2, 16777215, true },
        { SUM, TRENCH_DTYPE_INT32, { 16777213, 2 }, 2, 16777214, false },
        /* not below 2^24 any more */
        { SUM, TRENCH_DTYPE_INT32, { 16777215, 1 }, 2, 16777214, true },
        { SUM, TRENCH_DTYPE_INT32, { 16777215, 1 }, 2, 16777213, false },
        /* n * u * sum|x| = 2 * 2^-24 * 2^25 = 4 */
        { SUM, TRENCH_DTYPE_INT32, { 0x1p24, 0x1p24 }, 2, 0x1p25 + 4, true },
        { SUM, TRENCH_DTYPE_INT32, { 0x1p24, 0x1p24 }, 2, 0x1p25 + 5, false },
        { SUM, TRENCH_DTYPE_INT32, { 0x1p24, 0x1p24 }, 2, 0x1p25 - 4, true },
        { SUM, TRENCH_DTYPE_INT32, { 0x1p24, 0x1p24 }, 2, 0x1p25 - 5, false },
        { SUM, TRENCH_DTYPE_INT32, { 16777217 }, 1, 16777217, true },
        { SUM, TRENCH_DTYPE_INT32, { 16777217 }, 1, 16777216, false },
        /* around the end of the range: 2^31 is -2^31 */
        { SUM, TRENCH_DTYPE_INT32, { 0x1p30, 0x1p30 }, 2, -0x1p31, true },
        { SUM, TRENCH_DTYPE_INT32, { 0x1p30, 0x1p30 }, 2, 0x1p31 - 128, true },
        { SUM, TRENCH_DTYPE_INT32, { 0x1p30, 0x1p30 }, 2, 0, false },
        { SUM, TRENCH_DTYPE_UINT32, { 0x1p31, 0x1p31 }, 2, 0, true },
        { SUM, TRENCH_DTYPE_UINT32, { 0x1p31, 0x1p31 }, 2, 0x1p31, false },
        { SUM, TRENCH_DTYPE_UINT64, { 0x1p63, 0x1p63 }, 2, 0, true },
        { SUM, TRENCH_DTYPE_INT64, { -0x1p62, -0x1p62 }, 2, -0x1p63, true },
        { SUM, TRENCH_DTYPE_INT64, { -0x1p62, -0x1p62 }, 2, 0, false },
    };

    (void)state;
    check_rows(rows, ARRAY_LEN(rows));
}

/* The bound is what the header says, and twice that for stochastic rounding. */
static void test_bound(void **state)
{
    /* bf16: u = 2^-8, n = 4, sum|x| = 1027: some 16. */
    struct row row = { SUM, TRENCH_DTYPE_BF16, { 1024, 1, 1, 1 }, 4, 0, 0 };
    struct coll_verdict v;
    double u = 0x1p-8;

    (void)state;
    for (int stochastic = 0; stochastic < 2; stochastic++, u *= 2) {
        double bound = (pow(1 + u, 4) - 1) * 1027;
        unsigned nr = 0;

        CHECK_EQ(wrong_of(&row, stochastic, &v), 1, "0");
        CHECK_EQ(fabs(v.bound - bound) < 1e-6, true, "bound %g", v.bound);
        for (row.result = 900; row.result < 1200; row.result += 4) {
            double got = value_of(row.type, bits_of(row.type, row.result));
            bool right = fabs(got - 1027) <= bound;

            CHECK_EQ(wrong_of(&row, stochastic, &v), !right, "%g", got);
            nr += right;
        }
        CHECK_EQ(nr > 0 && nr < 75, true, "%u are right", nr);
        row.result = 0;
    }
}

/* ---- many elements ------------------------------------------------------- */

#define NR_MANY  1500 /* more than two runs, and no multiple */
#define MANY_MAX 8

/* Inputs and a result at odd addresses. */
struct many {
    uint8_t in[MANY_MAX][NR_MANY * 8 + 1];
    uint8_t result[NR_MANY * 8 + 1];
    const void *inputs[MANY_MAX];
    struct coll_reference ref;
};

static void many_fill(struct many *m, enum trench_dtype type, unsigned nr,
                      bool random)
{
    for (unsigned k = 0; k < nr; k++) {
        struct coll_sample s = { type, SEED, k, nr, random };

        m->inputs[k] = m->in[k] + 1;
        coll_sample_fill(&s, 0, NR_MANY, m->in[k] + 1);
    }
    m->ref = (struct coll_reference){
        .type = type,
        .nr_inputs = nr,
        .inputs = m->inputs,
        .result = m->result + 1,
        .count = NR_MANY,
    };
}

static uint8_t *many_at(struct many *m, uint8_t *buf, uint64_t i)
{
    return buf + 1 + i * coll_format(m->ref.type)->bytes;
}

/* Sum up as a ring does: each rank's input on top, rounded to the type. */
static void many_sum(struct many *m)
{
    for (uint64_t i = 0; i < NR_MANY; i++) {
        memcpy(many_at(m, m->result, i), many_at(m, m->in[0], i),
               coll_format(m->ref.type)->bytes);
        for (unsigned k = 1; k < m->ref.nr_inputs; k++) {
            float a = (float)coll_element_value(m->ref.type,
                                                many_at(m, m->result, i));
            float b =
                (float)coll_element_value(m->ref.type, many_at(m, m->in[k], i));

            coll_element_put(m->ref.type, (double)(a + b),
                             many_at(m, m->result, i));
        }
    }
    m->ref.op = SUM;
}

static void many_extreme(struct many *m, enum trench_cce_op op)
{
    for (uint64_t i = 0; i < NR_MANY; i++) {
        double acc = 0;

        for (unsigned k = 0; k < m->ref.nr_inputs; k++) {
            double x = coll_element_value(m->ref.type, many_at(m, m->in[k], i));

            if (k == 0 || (op == MAX ? x > acc : x < acc)) {
                acc = x;
                memcpy(many_at(m, m->result, i), many_at(m, m->in[k], i),
                       coll_format(m->ref.type)->bytes);
            }
        }
    }
    m->ref.op = op;
}

/* Right as it is; each wrong element is found, and the first one reported. */
static void check_many(struct many *m, uint64_t flip)
{
    static const uint64_t places[] = { 0, 511, 512, 1023, NR_MANY - 1 };
    struct coll_verdict v;

    CHECK_EQ(coll_reference_check(&m->ref, &v), 0, "check");
    CHECK_EQ(v.wrong, 0, "type %d op %d n %u: element %llu expected %s got %s",
             m->ref.type, m->ref.op, m->ref.nr_inputs, ULL(v.index), v.expected,
             v.got);
    for (size_t p = ARRAY_LEN(places); p-- > 0;) {
        uint8_t *at = many_at(m, m->result, places[p]);
        char text[COLL_ELEMENT_TEXT];

        at[coll_format(m->ref.type)->bytes - 1] ^= (uint8_t)flip;
        coll_element_print(m->ref.type, at, text);
        CHECK_EQ(coll_reference_check(&m->ref, &v), 0, "check");
        CHECK_EQ(v.wrong, ARRAY_LEN(places) - p, "type %d op %d n %u: '%s'",
                 m->ref.type, m->ref.op, m->ref.nr_inputs, text);
        CHECK_EQ(v.index, places[p], "type %d", m->ref.type);
        assert_string_equal(v.got, text);
        CHECK_EQ(strcmp(v.expected, text) != 0, true, "%s", text);
    }
}

static const unsigned rank_counts[] = { 1, 2, 3, 8 };

static void test_many_exact(void **state)
{
    static struct many m;

    (void)state;
    for (int t = 1; t < TRENCH_NR_DTYPES; t++) {
        for (size_t r = 0; r < ARRAY_LEN(rank_counts); r++) {
            many_fill(&m, (enum trench_dtype)t, rank_counts[r], false);
            many_sum(&m);
            check_many(&m, 0x40);
            many_extreme(&m, MAX);
            check_many(&m, 0x40);
            many_extreme(&m, MIN);
            check_many(&m, 0x40);
        }
    }
}

/* With few bits, a bound of 8 roundings lets too much through to test. */
static void test_many_random(void **state)
{
    static struct many m;

    (void)state;
    for (int t = 1; t < TRENCH_NR_DTYPES; t++) {
        enum trench_dtype type = (enum trench_dtype)t;

        for (size_t r = 0; r < ARRAY_LEN(rank_counts); r++) {
            many_fill(&m, type, rank_counts[r], true);
            many_sum(&m);
            if (coll_format(type)->precision >= 7 || rank_counts[r] == 1) {
                check_many(&m, 0x40);
            } else {
                struct coll_verdict v;

                CHECK_EQ(coll_reference_check(&m.ref, &v), 0, "check");
                CHECK_EQ(v.wrong, 0, "type %d n %u: expected %s got %s", t,
                         rank_counts[r], v.expected, v.got);
            }
            many_extreme(&m, MAX);
            check_many(&m, 0x40);
            many_extreme(&m, MIN);
            check_many(&m, 0x40);
        }
    }
}

/* Any order of summing up random data, bits of all kinds among them. */
static void test_any_bits_any_order(void **state)
{
    static const enum trench_dtype types[] = {
        TRENCH_DTYPE_BF16,   TRENCH_DTYPE_FP16,   TRENCH_DTYPE_FP32,
        TRENCH_DTYPE_FP8_E3, TRENCH_DTYPE_FP8_E4, TRENCH_DTYPE_FP8_E5,
    };
    uint64_t rnd = SEED;

    (void)state;
    for (int round = 0; round < 100000; round++) {
        enum trench_dtype type = types[round % ARRAY_LEN(types)];
        unsigned nr = 2 + (unsigned)(next_random(&rnd) % 3);
        uint64_t in[4];
        const void *inputs[4] = { &in[0], &in[1], &in[2], &in[3] };
        uint64_t result;
        struct coll_verdict v;
        struct coll_reference ref = {
            .op = SUM,
            .type = type,
            .nr_inputs = nr,
            .inputs = inputs,
            .result = &result,
            .count = 1,
        };

        for (unsigned k = 0; k < nr; k++) {
            in[k] = next_random(&rnd) >> (next_random(&rnd) & 1);
        }
        /* From the last to the first, or pairs first. */
        result = in[nr - 1];
        for (unsigned k = nr - 1; k-- > 0;) {
            float a = (float)value_of(type, result);
            float b = (float)value_of(type, in[k]);

            result = bits_of(type, (double)(a + b));
        }
        CHECK_EQ(coll_reference_check(&ref, &v), 0, "check");
        CHECK_EQ(v.wrong, 0, "round %d type %d n %u: expected %s got %s", round,
                 type, nr, v.expected, v.got);
    }
}

static void test_refusals(void **state)
{
    uint8_t byte = 0;
    const void *input = &byte;
    struct coll_verdict v;
    struct coll_reference good = { SUM,  TRENCH_DTYPE_INT8, 1, &input, &byte, 1,
                                   false };
    struct coll_reference ref = good;

    (void)state;
    CHECK_EQ(coll_reference_check(&ref, &v), 0, "good");
    ref.count = 0;
    ref.result = NULL;
    CHECK_EQ(coll_reference_check(&ref, &v), 0, "nothing to do");
    CHECK_EQ(v.wrong, 0, "nothing to do");
    ref = good;
    ref.op = TRENCH_CCE_FMA;
    CHECK_EQ(coll_reference_check(&ref, &v), TRENCH_ERR_INVAL, "FMA");
    ref = good;
    ref.type = TRENCH_DTYPE_NONE;
    CHECK_EQ(coll_reference_check(&ref, &v), TRENCH_ERR_INVAL, "no type");
    ref.type = (enum trench_dtype)TRENCH_NR_DTYPES;
    CHECK_EQ(coll_reference_check(&ref, &v), TRENCH_ERR_INVAL, "no type");
    ref = good;
    ref.nr_inputs = 0;
    CHECK_EQ(coll_reference_check(&ref, &v), TRENCH_ERR_INVAL, "no input");
    CHECK_EQ(coll_reference_copy(TRENCH_DTYPE_NONE, &byte, &byte, 1, &v),
             TRENCH_ERR_INVAL, "no type");
}

/* Copies are compared by bits: zeros with their sign, NaN with its payload. */
static void test_copy(void **state)
{
    uint16_t want[5] = { 0x8000, 0x7e01, 1, 2, 3 };
    uint16_t got[5];
    struct coll_verdict v;

    (void)state;
    memcpy(got, want, sizeof(got));
    CHECK_EQ(coll_reference_copy(TRENCH_DTYPE_FP16, want, got, 5, &v), 0,
             "copy");
    CHECK_EQ(v.wrong, 0, "the same");
    CHECK_EQ(coll_reference_copy(TRENCH_DTYPE_FP16, NULL, NULL, 0, &v), 0,
             "copy");
    CHECK_EQ(v.wrong, 0, "nothing");
    got[1] = 0x7e02;
    got[4] = 0;
    CHECK_EQ(coll_reference_copy(TRENCH_DTYPE_FP16, want, got, 5, &v), 0,
             "copy");
    CHECK_EQ(v.wrong, 2, "two");
    CHECK_EQ(v.index, 1, "first");
    got[0] = 0;
    CHECK_EQ(coll_reference_copy(TRENCH_DTYPE_FP16, want, got, 5, &v), 0,
             "copy");
    CHECK_EQ(v.wrong, 3, "three");
    CHECK_EQ(v.index, 0, "first");
    assert_string_equal(v.expected, "-0");
    assert_string_equal(v.got, "0");
}

/* ---- data ---------------------------------------------------------------- */

/* Any part is the same as in the whole; ranks, seeds and modes differ. */
static void test_sample_is_a_function(void **state)
{
    static uint64_t whole[2048], part[2048];

    (void)state;
    for (int t = 1; t < TRENCH_NR_DTYPES; t++) {
        unsigned bytes = coll_format((enum trench_dtype)t)->bytes;

        for (int random = 0; random < 2; random++) {
            struct coll_sample s = { (enum trench_dtype)t, SEED, 3, 8, random };
            struct coll_sample other = s;

            coll_sample_fill(&s, 0, 2048, whole);
            coll_sample_fill(&s, 777, 1000, part);
            CHECK_MEM(part, (uint8_t *)whole + 777 * bytes, 1000 * bytes,
                      "type %d", t);
            other.rank = 4;
            coll_sample_fill(&other, 0, 2048, part);
            CHECK_EQ(memcmp(part, whole, 2048 * bytes) != 0, true, "rank");
            other = s;
            other.seed++;
            coll_sample_fill(&other, 0, 2048, part);
            CHECK_EQ(memcmp(part, whole, 2048 * bytes) != 0, true, "seed");
            other = s;
            other.random = !other.random;
            coll_sample_fill(&other, 0, 2048, part);
            CHECK_EQ(memcmp(part, whole, 2048 * bytes) != 0, true, "mode");
        }
    }
}

#define N 32768

/*
 * Exact data: sums of magnitudes are numbers of the type in units of the
 * lowest bit, do not wrap, and are not 0 where there are many ranks.
 */
static void test_sample_is_exact(void **state)
{
    static const unsigned nrs[] = { 1, 2, 7, 8, 64, 512 };
    static uint64_t in[N];
    static double x[N];

    (void)state;
    for (int t = 1; t < TRENCH_NR_DTYPES; t++) {
        const struct coll_format *f = coll_format((enum trench_dtype)t);

        for (size_t r = 0; r < ARRAY_LEN(nrs); r++) {
            static double all[N];
            unsigned n = nrs[r] <= 8 ? N : 64;

            memset(all, 0, sizeof(all));
            for (unsigned rank = 0; rank < nrs[r]; rank++) {
                struct coll_sample s = { (enum trench_dtype)t, SEED, rank,
                                         nrs[r], false };

                coll_sample_fill(&s, 0, n, in);
                coll_elements_value(s.type, in, n, x);
                for (unsigned i = 0; i < n; i++) {
                    all[i] += fabs(x[i]);
                }
            }
            for (unsigned i = 0; i < n; i++) {
                double max = f->is_float ? ldexp(1, f->precision - 2)
                                         : ldexp(1, f->precision) - 1;

                CHECK_EQ(all[i] <= max, true, "type %d ranks %u: %g", t, nrs[r],
                         all[i]);
                CHECK_EQ(all[i] > 0 || nrs[r] <= 8, true, "type %d ranks %u", t,
                         nrs[r]);
            }
        }
    }
}

/* Random data are numbers, of both signs, and of many values. */
static void test_sample_is_random(void **state)
{
    static uint64_t in[N];
    static double x[N];

    (void)state;
    for (int t = 1; t < TRENCH_NR_DTYPES; t++) {
        struct coll_sample s = { (enum trench_dtype)t, SEED, 0, 8, true };
        const struct coll_format *f = coll_format(s.type);
        double limit = f->is_float ? 1 : ldexp(1, f->precision - 1);
        double max = 0;
        unsigned nr_neg = 0;

        coll_sample_fill(&s, 0, N, in);
        coll_elements_value(s.type, in, N, x);
        for (unsigned i = 0; i < N; i++) {
            CHECK_EQ(fabs(x[i]) <= limit, true, "type %d: %g", t, x[i]);
            CHECK_EQ(fabs(x[i]) >= 0.0625 || !f->is_float ||
                         t == TRENCH_DTYPE_FP8_E3,
                     true, "type %d: %g", t, x[i]);
            max = fabs(x[i]) > max ? fabs(x[i]) : max;
            nr_neg += x[i] < 0;
        }
        CHECK_EQ(max > 0.8 * limit, true, "type %d: %g", t, max);
        CHECK_EQ(f->is_signed ? nr_neg > N / 3 && nr_neg < 2 * N / 3
                              : nr_neg == 0,
                 true, "type %d: %u", t, nr_neg);
    }
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_values),
        cmocka_unit_test(test_all_small_elements),
        cmocka_unit_test(test_fp32_is_float),
        cmocka_unit_test(test_rounding),
        cmocka_unit_test(test_print),
        cmocka_unit_test(test_exact_sums),
        cmocka_unit_test(test_small_sums),
        cmocka_unit_test(test_special_sums),
        cmocka_unit_test(test_extremes),
        cmocka_unit_test(test_integer_sums),
        cmocka_unit_test(test_bound),
        cmocka_unit_test(test_many_exact),
        cmocka_unit_test(test_many_random),
        cmocka_unit_test(test_any_bits_any_order),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_copy),
        cmocka_unit_test(test_sample_is_a_function),
        cmocka_unit_test(test_sample_is_exact),
        cmocka_unit_test(test_sample_is_random),
    };

    print_message("# seed 0x%llx\n", ULL(SEED));
    return cmocka_run_group_tests(tests, NULL, NULL);
}
