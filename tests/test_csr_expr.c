/* SPDX-License-Identifier: BSD-3-Clause */
/* Expressions: values, every refusal, and hostile ones. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "csr/expr.h"

#include "check.h"

/* N = 10, BIG = 2^40; LATER has no value yet. */
static enum expr_status name_value(void *opaque, const char *name, size_t len,
                                   int64_t *out)
{
    static const struct {
        const char *name;
        int64_t val;
    } known[] = { { "N", 10 }, { "BIG", 1ll << 40 }, { "log3", 7 } };

    (void)opaque;
    for (size_t i = 0; i < ARRAY_LEN(known); i++) {
        if (strlen(known[i].name) == len &&
            memcmp(known[i].name, name, len) == 0) {
            *out = known[i].val;
            return EXPR_OK;
        }
    }
    return len == 5 && memcmp(name, "LATER", 5) == 0 ? EXPR_PENDING
                                                     : EXPR_UNKNOWN;
}

static enum expr_status eval(const char *s, int64_t *out)
{
    const struct expr_text text = { s, strlen(s) };
    struct expr_at at;

    return expr_eval(&text, name_value, NULL, out, &at);
}

static void test_expr_values(void **state)
{
    static const struct {
        const char *s;
        int64_t val;
    } rows[] = {
        { "0", 0 },
        { "064", 64 }, /* no octal */
        { "0x40", 64 },
        { "0X4f", 0x4f },
        { "4294967296", 1ll << 32 },
        { "9223372036854775807", INT64_MAX },
        { "0x7fffffffffffffff", INT64_MAX },
        { "N", 10 },
        { "N-1", 9 },      /* NUM_SW_Q-1 */
        { "0x40*N", 640 }, /* 0x40*INTC_NUM_GROUPS */
        { " 0x40 * N ", 640 },
        { "1+2*3", 7 },
        { "(1+2)*3", 9 },
        { "2*3+1", 7 },
        { "10-4-3", 3 },
        { "100/10/5", 2 },
        { "7/2", 3 },
        { "-7/2", -3 },
        { "2*(3+(4-1))*2", 24 },
        { "-3+4", 1 },
        { "--3", 3 },
        { "2*-3", -6 },
        { "2--3", 5 },
        { "-(2+3)", -5 },
        { "log2(1)", 0 },
        { "log2(1024)", 10 },
        { "log2 ( 4 * 8 ) + 1", 6 },
        { "log2(log2(0x10))", 2 },
        { "log2(BIG)", 40 },
        { "log3", 7 }, /* a name like any other */
        { "((((((((((1))))))))))", 1 },
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        int64_t val = -12345;

        CHECK_EQ(eval(rows[i].s, &val), EXPR_OK, "%s", rows[i].s);
        CHECK_EQ(val, rows[i].val, "%s", rows[i].s);
    }
}

static void test_expr_refuses(void **state)
{
    static const struct {
        const char *s;
        enum expr_status status;
    } rows[] = {
        { "", EXPR_SYNTAX },
        { "   ", EXPR_SYNTAX },
        { "1 2", EXPR_SYNTAX },
        { "1+", EXPR_SYNTAX },
        { "*1", EXPR_SYNTAX },
        { "+1", EXPR_SYNTAX },
        { "1**2", EXPR_SYNTAX },
        { "(1", EXPR_SYNTAX },
        { "1)", EXPR_SYNTAX },
        { "()", EXPR_SYNTAX },
        { "(1+)", EXPR_SYNTAX },
        { "1(2)", EXPR_SYNTAX },
        { "2N", EXPR_SYNTAX },
        { "0x", EXPR_SYNTAX },
        { "0xg", EXPR_SYNTAX },
        { "12ab", EXPR_SYNTAX },
        { "1.5", EXPR_SYNTAX },
        { "1e3", EXPR_SYNTAX },
        { "1<<2", EXPR_SYNTAX },
        { "1%2", EXPR_SYNTAX },
        { "log2", EXPR_SYNTAX },
        { "log2 4", EXPR_SYNTAX },
        { "log2()", EXPR_SYNTAX },
        { "log2(4", EXPR_SYNTAX },
        { "N(1)", EXPR_SYNTAX },
        { "1\n", EXPR_SYNTAX },
        { "M", EXPR_UNKNOWN },
        { "n", EXPR_UNKNOWN }, /* names are exact */
        { "LOG2", EXPR_UNKNOWN },
        { "1+LATER", EXPR_PENDING },
        { "1/0", EXPR_DIV_ZERO },
        { "1/(N-10)", EXPR_DIV_ZERO },
        { "9223372036854775808", EXPR_OVERFLOW },
        { "0x10000000000000000", EXPR_OVERFLOW },
        { "9223372036854775807+1", EXPR_OVERFLOW },
        { "-9223372036854775807-2", EXPR_OVERFLOW },
        { "BIG*BIG", EXPR_OVERFLOW },
        { "(-9223372036854775807-1)/-1", EXPR_OVERFLOW },
        { "-(-9223372036854775807-1)", EXPR_OVERFLOW },
        { "log2(0)", EXPR_LOG2 },
        { "log2(-8)", EXPR_LOG2 },
        { "log2(N)", EXPR_LOG2 },
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        int64_t val = -12345;

        CHECK_EQ(eval(rows[i].s, &val), rows[i].status, "%s", rows[i].s);
        CHECK_EQ(val, -12345, "%s", rows[i].s);
        assert_true(strlen(expr_phrase(rows[i].status)) > 0);
    }
}

/* count times open, then "1", then count times close. */
static char *nested(const char *open, const char *close, size_t count)
{
    char *text = calloc(count, strlen(open) + strlen(close) + 1);
    char *p = text;

    assert_non_null(text);
    text = realloc(text, count * (strlen(open) + strlen(close)) + 2);
    assert_non_null(text);
    p = text;
    for (size_t i = 0; i < count; i++) {
        p = stpcpy(p, open);
    }
    p = stpcpy(p, "1");
    for (size_t i = 0; i < count; i++) {
        p = stpcpy(p, close);
    }
    return text;
}

static void test_expr_bounds_hostile_text(void **state)
{
    static const struct {
        const char *open, *close;
        size_t count;
        enum expr_status status;
    } rows[] = {
        { "(", ")", EXPR_MAX_DEPTH, EXPR_OK },
        { "(", ")", EXPR_MAX_DEPTH + 1, EXPR_TOO_DEEP },
        { "(", "", 1000000, EXPR_TOO_DEEP },
        { "log2(", ")", 1, EXPR_OK },
        { "log2(", ")", 2, EXPR_LOG2 },
        { "log2(", ")", 100000, EXPR_TOO_DEEP },
        { "-", "", EXPR_MAX_TOKENS - 1, EXPR_OK },
        { "-", "", EXPR_MAX_TOKENS, EXPR_TOO_LONG },
        { "-", "", 1000000, EXPR_TOO_LONG },
        { "1+", "", (EXPR_MAX_TOKENS - 1) / 2, EXPR_OK },
        { "1+", "", EXPR_MAX_TOKENS, EXPR_TOO_LONG },
        { "1*", "", 1000000, EXPR_TOO_LONG },
        { "0", "", 1000000, EXPR_OK }, /* one number, many digits */
        { "9", "", 1000000, EXPR_OVERFLOW },
        { " ", "", 1000000, EXPR_OK },
        { "1+(", ")", 1000, EXPR_TOO_DEEP },
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        char *text = nested(rows[i].open, rows[i].close, rows[i].count);
        int64_t val;

        CHECK_EQ(eval(text, &val), rows[i].status, "row %zu", i);
        free(text);
    }
}

/* The text need not end with a terminator. */
static void test_expr_stops_at_the_end(void **state)
{
    static const char *const rows[] = { "12",  "0x12",    "N",
                                        "1+2", "log2(4)", "(1)" };

    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        for (size_t len = 0; len <= strlen(rows[i]); len++) {
            char *copy = malloc(len + 1); /* a sanitizer sees the rest */
            struct expr_text text = { copy, len };
            struct expr_at at;
            int64_t val;

            assert_non_null(copy);
            memcpy(copy, rows[i], len);
            copy = realloc(copy, len > 0 ? len : 1);
            assert_non_null(copy);
            text.s = copy;
            expr_eval(&text, name_value, NULL, &val, &at);
            CHECK_EQ(at.pos <= len, true, "%s, %zu", rows[i], len);
            free(copy);
        }
    }
}

static void test_expr_points_at_names(void **state)
{
    const struct expr_text text = { "1 + foo_1*2", 11 };
    struct expr_at at;
    int64_t val;

    (void)state;
    assert_int_equal(expr_eval(&text, name_value, NULL, &val, &at),
                     EXPR_UNKNOWN);
    assert_int_equal(at.pos, 4);
    assert_int_equal(at.len, 5);
    assert_int_equal(expr_eval(&text, NULL, NULL, &val, &at), EXPR_UNKNOWN);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_expr_values),
        cmocka_unit_test(test_expr_refuses),
        cmocka_unit_test(test_expr_bounds_hostile_text),
        cmocka_unit_test(test_expr_stops_at_the_end),
        cmocka_unit_test(test_expr_points_at_names),
    };

    return cmocka_run_group_tests_name("csr_expr", tests, NULL, NULL);
}
