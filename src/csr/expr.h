/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Expressions of schemas: "NUM_SW_Q-1", "0x40*INTC_NUM_GROUPS", "log2(N)".
 *
 *     sum     = term { ("+" | "-") term }
 *     term    = factor { ("*" | "/") factor }
 *     factor  = number | name | "(" sum ")" | "log2(" sum ")" | "-" factor
 *
 * Numbers are 64-bit signed and may not overflow. Division truncates as in C.
 * log2 takes powers of two only. Blanks between the parts are allowed.
 */
#ifndef TRENCH_CSR_EXPR_H
#define TRENCH_CSR_EXPR_H

#include <stddef.h>
#include <stdint.h>

/* Numbers, names and operators of one expression; brackets inside brackets. */
#define EXPR_MAX_TOKENS 256
#define EXPR_MAX_DEPTH  32

enum expr_status {
    EXPR_OK,
    EXPR_SYNTAX,
    EXPR_UNKNOWN, /* at: the name */
    EXPR_PENDING, /* at: the name, whose value is not known yet */
    EXPR_DIV_ZERO,
    EXPR_OVERFLOW,
    EXPR_LOG2,
    EXPR_TOO_LONG,
    EXPR_TOO_DEEP,
};

/* Value of a name: EXPR_OK, EXPR_UNKNOWN or EXPR_PENDING. */
typedef enum expr_status (*expr_name_fn)(void *opaque, const char *name,
                                         size_t len, int64_t *out);

struct expr_text {
    const char *s;
    size_t len;
};

/* Where evaluation stopped. */
struct expr_at {
    size_t pos;
    size_t len; /* of the name, when it is about one */
};

/*
 * Evaluate. fn may be NULL: no names. *out is untouched on failure; *at is
 * always filled.
 */
enum expr_status expr_eval(const struct expr_text *text, expr_name_fn fn,
                           void *opaque, int64_t *out, struct expr_at *at);

/* What a status says, to follow the quoted text: "divides by zero". */
const char *expr_phrase(enum expr_status status);

#endif /* TRENCH_CSR_EXPR_H */
