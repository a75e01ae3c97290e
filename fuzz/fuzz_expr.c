/* SPDX-License-Identifier: BSD-3-Clause */
/* Any bytes as an expression; wrapped in brackets it has the same value. */
#include <stdlib.h>
#include <string.h>

#include "csr/expr.h"

#include "fuzz.h"

static enum expr_status name_value(void *opaque, const char *name, size_t len,
                                   int64_t *out)
{
    (void)opaque;
    if (len == 1 && name[0] == 'N') {
        *out = 16;
        return EXPR_OK;
    }
    return len == 1 && name[0] == 'P' ? EXPR_PENDING : EXPR_UNKNOWN;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct expr_text text;
    char *copy = malloc(size + 2);
    enum expr_status status, again;
    struct expr_at at;
    int64_t val = 0, val_again = 0;

    if (!copy) {
        return 0;
    }
    copy[0] = '(';
    if (size > 0) {
        memcpy(copy + 1, data, size);
    }
    copy[size + 1] = ')';
    text = (struct expr_text){ copy + 1, size };
    status = expr_eval(&text, name_value, NULL, &val, &at);
    if (at.pos > size || at.pos + at.len > size) {
        abort();
    }
    text = (struct expr_text){ copy, size + 2 };
    again = expr_eval(&text, name_value, NULL, &val_again, &at);
    if (status == EXPR_OK && again != EXPR_TOO_DEEP && again != EXPR_TOO_LONG &&
        (again != EXPR_OK || val != val_again)) {
        abort();
    }
    free(copy);
    return 0;
}
