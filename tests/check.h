/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Checks that say what they saw: both values, and which permutation it was.
 *
 *     CHECK_EQ(rig_read(r, 5, 0x200), 0, "engine=%u", 5);
 */
#ifndef TRENCH_TESTS_CHECK_H
#define TRENCH_TESTS_CHECK_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/bits.h"

/* For %llx and %llu in the name of a permutation. */
#define ULL(n) ((unsigned long long)(n))

/* Sweeps may be smaller: the tests run with sanitizers, after having run. */
static inline bool check_quick(void)
{
    return getenv("TRENCH_QUICK") != NULL;
}

/* Where a check stands in the source. */
struct check_at {
    const char *file;
    int line;
    const char *expr;
};

#define CHECK_AT(text)                                                         \
    &(const struct check_at)                                                   \
    {                                                                          \
        __FILE__, __LINE__, text                                               \
    }

__attribute__((format(printf, 2, 0))) static inline void check_fail(
    const struct check_at *at, const char *fmt, va_list ap)
{
    char text[256];

    vsnprintf(text, sizeof(text), fmt, ap);
    print_error("%s [%s]\n", at->expr, text);
    _fail(at->file, at->line);
}

/* Signed values come sign-extended, so that error codes compare. */
__attribute__((format(printf, 4, 5))) static inline void check_eq(
    const struct check_at *at, uint64_t actual, uint64_t expected,
    const char *fmt, ...)
{
    va_list ap;

    if (actual == expected) {
        return;
    }
    print_error("got 0x%llx (%lld), want 0x%llx (%lld): ", ULL(actual),
                (long long)actual, ULL(expected), (long long)expected);
    va_start(ap, fmt);
    check_fail(at, fmt, ap);
    va_end(ap);
}

/* Both buffers in one array, to stay within five parameters. */
__attribute__((format(printf, 4, 5))) static inline void check_mem(
    const struct check_at *at, const void *const pair[2], uint64_t len,
    const char *fmt, ...)
{
    const uint8_t *actual = pair[0];
    const uint8_t *expected = pair[1];
    va_list ap;

    if (len == 0 || memcmp(actual, expected, len) == 0) {
        return;
    }
    for (uint64_t i = 0; i < len; i++) {
        if (actual[i] == expected[i]) {
            continue;
        }
        print_error("byte %llu of %llu: got 0x%02x, want 0x%02x: ", ULL(i),
                    ULL(len), actual[i], expected[i]);
        va_start(ap, fmt);
        check_fail(at, fmt, ap);
        va_end(ap);
    }
}

/* CHECK_EQ(actual, expected, fmt, ...): the format names the permutation. */
#define CHECK_EQ(actual, expected, ...)                                        \
    check_eq(CHECK_AT(#actual " == " #expected), (uint64_t)(actual),           \
             (uint64_t)(expected), __VA_ARGS__)

#define CHECK_MEM(actual, expected, len, ...)                                  \
    check_mem(CHECK_AT(#actual), (const void *const[2]){ actual, expected },   \
              len, __VA_ARGS__)

#endif /* TRENCH_TESTS_CHECK_H */
