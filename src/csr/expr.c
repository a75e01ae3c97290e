/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The evaluator: two stacks, one pass. The text may come from anybody, so
 * both stacks and the number of tokens are bounded, and nothing recurses.
 */
#include "csr/expr.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

/* Operators; OP_MINUS is the sign, OP_LOG2 an opening bracket. */
enum op {
    OP_OPEN = '(',
    OP_LOG2 = 'l',
    OP_MINUS = '~',
    OP_ADD = '+',
    OP_SUB = '-',
    OP_MUL = '*',
    OP_DIV = '/',
};

struct machine {
    const struct expr_text *text;
    expr_name_fn fn;
    void *opaque;
    size_t pos;
    size_t name_len;
    unsigned nr_tokens;
    unsigned nr_open; /* brackets */
    bool want_operand;
    size_t nr_vals;
    size_t nr_ops;
    int64_t vals[EXPR_MAX_TOKENS];
    char ops[EXPR_MAX_TOKENS];
};

static int precedence(char op)
{
    switch ((enum op)op) {
    case OP_ADD:
    case OP_SUB:
        return 1;
    case OP_MUL:
    case OP_DIV:
        return 2;
    case OP_MINUS:
        return 3;
    case OP_OPEN:
    case OP_LOG2:
        break;
    }
    return 0;
}

static enum expr_status log2_of(int64_t val, int64_t *out)
{
    if (val <= 0 || (val & (val - 1)) != 0) {
        return EXPR_LOG2;
    }
    *out = __builtin_ctzll((unsigned long long)val);
    return EXPR_OK;
}

static enum expr_status calculate(char op, int64_t a, int64_t b, int64_t *out)
{
    bool overflow = false;

    switch ((enum op)op) {
    case OP_ADD:
        overflow = __builtin_add_overflow(a, b, out);
        break;
    case OP_SUB:
        overflow = __builtin_sub_overflow(a, b, out);
        break;
    case OP_MUL:
        overflow = __builtin_mul_overflow(a, b, out);
        break;
    case OP_MINUS:
        overflow = __builtin_sub_overflow(0, b, out);
        break;
    case OP_LOG2:
        return log2_of(b, out);
    case OP_DIV:
        if (b == 0) {
            return EXPR_DIV_ZERO;
        }
        overflow = a == INT64_MIN && b == -1;
        *out = overflow ? 0 : a / b;
        break;
    case OP_OPEN:
        *out = b;
        break;
    }
    return overflow ? EXPR_OVERFLOW : EXPR_OK;
}

/* Take the top operator off and apply it. */
static enum expr_status apply(struct machine *m)
{
    char op = m->ops[--m->nr_ops];
    int64_t b = m->vals[--m->nr_vals];
    int64_t a = 0;

    if (precedence(op) == 1 || precedence(op) == 2) {
        a = m->vals[--m->nr_vals];
    }
    return calculate(op, a, b, &m->vals[m->nr_vals++]);
}

/* Apply what binds at least as strongly; brackets have 0. */
static enum expr_status apply_down_to(struct machine *m, int least)
{
    enum expr_status status = EXPR_OK;

    while (status == EXPR_OK && m->nr_ops > 0 &&
           precedence(m->ops[m->nr_ops - 1]) >= least) {
        status = apply(m);
    }
    return status;
}

static void push_op(struct machine *m, enum op op)
{
    m->ops[m->nr_ops++] = (char)op; /* fits: at most one a token */
}

static char peek(const struct machine *m)
{
    return m->pos < m->text->len ? m->text->s[m->pos] : '\0';
}

static void skip_blanks(struct machine *m)
{
    while (peek(m) == ' ' || peek(m) == '\t') {
        m->pos++;
    }
}

/* 255 for what is no digit in any radix. */
static unsigned digit_value(char c)
{
    if (c >= '0' && c <= '9') {
        return (unsigned)(c - '0');
    }
    if (c >= 'a' && c <= 'f') {
        return (unsigned)(c - 'a') + 10;
    }
    if (c >= 'A' && c <= 'F') {
        return (unsigned)(c - 'A') + 10;
    }
    return 255;
}

static bool is_word(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

/*
 * 0x means hex, no prefix means decimal, also with leading zeros: the octal
 * of strtoul would misread "064" (common-blocks 5.2).
 */
static enum expr_status read_number(struct machine *m)
{
    int64_t val = 0;
    int radix = 10;
    size_t start;

    if (peek(m) == '0' && m->pos + 1 < m->text->len &&
        (m->text->s[m->pos + 1] | 0x20) == 'x') {
        radix = 16;
        m->pos += 2;
    }
    start = m->pos;
    for (; is_word(peek(m)); m->pos++) {
        unsigned digit = digit_value(peek(m));

        if (digit >= (unsigned)radix) {
            return EXPR_SYNTAX;
        }
        if (__builtin_mul_overflow(val, radix, &val) ||
            __builtin_add_overflow(val, digit, &val)) {
            return EXPR_OVERFLOW;
        }
    }
    if (m->pos == start) {
        return EXPR_SYNTAX;
    }
    m->vals[m->nr_vals++] = val;
    m->want_operand = false;
    return EXPR_OK;
}

static enum expr_status open_bracket(struct machine *m, enum op op)
{
    if (m->nr_open == EXPR_MAX_DEPTH) {
        return EXPR_TOO_DEEP;
    }
    m->nr_open++;
    m->pos++;
    push_op(m, op);
    return EXPR_OK;
}

static enum expr_status read_word(struct machine *m)
{
    const char *name = m->text->s + m->pos;
    size_t start = m->pos;
    enum expr_status status;
    int64_t val = 0;
    size_t len;

    while (is_word(peek(m))) {
        m->pos++;
    }
    len = m->pos - start;
    if (len == 4 && memcmp(name, "log2", 4) == 0) {
        skip_blanks(m);
        return peek(m) == '(' ? open_bracket(m, OP_LOG2) : EXPR_SYNTAX;
    }
    status = m->fn ? m->fn(m->opaque, name, len, &val) : EXPR_UNKNOWN;
    if (status != EXPR_OK) {
        m->pos = start;
        m->name_len = len;
        return status;
    }
    m->vals[m->nr_vals++] = val;
    m->want_operand = false;
    return EXPR_OK;
}

static enum expr_status read_operand(struct machine *m)
{
    char c = peek(m);

    if (c >= '0' && c <= '9') {
        return read_number(m);
    }
    if (is_word(c)) {
        return read_word(m);
    }
    if (c == '(') {
        return open_bracket(m, OP_OPEN);
    }
    if (c == '-') {
        m->pos++;
        push_op(m, OP_MINUS);
        return EXPR_OK;
    }
    return EXPR_SYNTAX;
}

static enum expr_status close_bracket(struct machine *m)
{
    enum expr_status status = apply_down_to(m, 1);

    if (status != EXPR_OK) {
        return status;
    }
    if (m->nr_open == 0) {
        return EXPR_SYNTAX;
    }
    m->nr_open--;
    m->pos++;
    return apply(m); /* the bracket itself */
}

static enum expr_status read_operator(struct machine *m)
{
    char c = peek(m);
    enum expr_status status;

    if (c == ')') {
        return close_bracket(m);
    }
    if (c != '+' && c != '-' && c != '*' && c != '/') {
        return EXPR_SYNTAX;
    }
    status = apply_down_to(m, precedence(c));
    if (status == EXPR_OK) {
        m->pos++;
        push_op(m, (enum op)c);
        m->want_operand = true;
    }
    return status;
}

static enum expr_status run(struct machine *m)
{
    enum expr_status status = EXPR_OK;

    for (skip_blanks(m); m->pos < m->text->len && status == EXPR_OK;
         skip_blanks(m)) {
        if (m->nr_tokens++ == EXPR_MAX_TOKENS) {
            return EXPR_TOO_LONG;
        }
        status = m->want_operand ? read_operand(m) : read_operator(m);
        if (status != EXPR_OK) {
            return status;
        }
    }
    if (m->want_operand) {
        return EXPR_SYNTAX;
    }
    status = apply_down_to(m, 1);
    return status == EXPR_OK && m->nr_open > 0 ? EXPR_SYNTAX : status;
}

enum expr_status expr_eval(const struct expr_text *text, expr_name_fn fn,
                           void *opaque, int64_t *out, struct expr_at *at)
{
    struct machine m;
    enum expr_status status;

    m.text = text;
    m.fn = fn;
    m.opaque = opaque;
    m.pos = 0;
    m.name_len = 0;
    m.nr_tokens = 0;
    m.nr_open = 0;
    m.want_operand = true;
    m.nr_vals = 0;
    m.nr_ops = 0;
    status = run(&m);
    at->pos = m.pos;
    at->len = m.name_len;
    if (status == EXPR_OK) {
        *out = m.vals[0];
    }
    return status;
}

const char *expr_phrase(enum expr_status status)
{
    switch (status) {
    case EXPR_OK:
        return "is right";
    case EXPR_SYNTAX:
        return "is no number or expression";
    case EXPR_UNKNOWN:
        return "names a parameter that does not exist";
    case EXPR_PENDING:
        return "depends on itself";
    case EXPR_DIV_ZERO:
        return "divides by zero";
    case EXPR_OVERFLOW:
        return "is too large";
    case EXPR_LOG2:
        return "takes log2 of what is no power of two";
    case EXPR_TOO_LONG:
        return "has too many parts";
    case EXPR_TOO_DEEP:
        return "has too many brackets inside each other";
    }
    return "is wrong";
}
