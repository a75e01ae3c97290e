/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Parameters may be expressions of each other, in any order. They are settled
 * in rounds: each round evaluates what only names settled ones, and what is
 * left when a round settles nothing goes in circles.
 */
#include "csr/params.h"

#include <string.h>

#define MAX_PARAMS  64 /* looked up one by one, at most 64 rounds */
#define QUOTE_BYTES 60

static struct reader_param *find_param(struct reader *rd, const char *name,
                                       size_t len)
{
    for (size_t i = 0; i < rd->nr_params; i++) {
        struct reader_param *param = &rd->params[i];

        if (strlen(param->name) == len && memcmp(param->name, name, len) == 0) {
            return param;
        }
    }
    return NULL;
}

static enum expr_status lookup(void *opaque, const char *name, size_t len,
                               int64_t *out)
{
    struct reader_param *param = find_param(opaque, name, len);

    if (!param) {
        return EXPR_UNKNOWN;
    }
    param->used = true;
    if (!param->known) {
        return EXPR_PENDING;
    }
    *out = param->val;
    return EXPR_OK;
}

enum expr_status params_eval(struct reader *rd, const struct expr_text *text,
                             int64_t *out, struct expr_at *at)
{
    return expr_eval(text, lookup, rd, out, at);
}

static int read_param(struct reader *rd, const json_t *obj, size_t idx)
{
    struct reader_param *param = &rd->params[rd->nr_params];
    const json_t *val = json_object_get(obj, "Value");
    int rc;

    rc = reader_name(rd, obj, "Name", &param->name);
    if (rc) {
        return rc;
    }
    if (find_param(rd, param->name, strlen(param->name))) {
        return reader_refuse(rd, "two parameters are called %.*s", QUOTE_BYTES,
                             param->name);
    }
    rd->member = "Value";
    if (!json_is_string(val)) {
        rc = reader_refuse(rd, "Value of %.*s is not a string", QUOTE_BYTES,
                           param->name);
    } else if (json_string_length(val) > READER_MAX_TEXT_BYTES) {
        rc = reader_refuse(rd, "Value of %.*s is longer than %d bytes",
                           QUOTE_BYTES, param->name, READER_MAX_TEXT_BYTES);
    } else {
        param->text = json_string_value(val);
    }
    param->idx = idx;
    rd->nr_params++; /* also after an error: the name exists */
    return rc;
}

static int refuse_param(struct reader *rd, struct reader_param *param,
                        enum expr_status status)
{
    int rc;

    reader_enter(rd, "Parameters", param->idx);
    rd->member = "Value";
    rc =
        reader_refuse(rd, "Value \"%.*s\" of %.*s %s", QUOTE_BYTES, param->text,
                      QUOTE_BYTES, param->name, expr_phrase(status));
    param->text = NULL;
    reader_leave(rd);
    return rc;
}

/* One round; *progress tells whether it has settled anything. */
static int settle_some(struct reader *rd, bool *progress)
{
    int rc = 0;

    *progress = false;
    for (size_t i = 0; i < rd->nr_params && (!rc || rd->fn); i++) {
        struct reader_param *param = &rd->params[i];
        struct expr_text text = { param->text, 0 };
        enum expr_status status;
        struct expr_at at;

        if (!param->text) {
            continue;
        }
        text.len = strlen(param->text);
        status = params_eval(rd, &text, &param->val, &at);
        if (status == EXPR_OK) {
            param->known = true;
            param->text = NULL;
            *progress = true;
        } else if (status != EXPR_PENDING) {
            rc = refuse_param(rd, param, status);
        }
    }
    return rc;
}

static int settle(struct reader *rd)
{
    bool progress = true;
    int rc = 0;

    while (progress && (!rc || rd->fn)) {
        int round = settle_some(rd, &progress);

        rc = rc ? rc : round;
    }
    for (size_t i = 0; i < rd->nr_params && (!rc || rd->fn); i++) {
        if (rd->params[i].text) {
            rc = refuse_param(rd, &rd->params[i], EXPR_PENDING);
        }
    }
    return rc;
}

int reader_use_params(struct reader *rd, const json_t *obj)
{
    const json_t *list;
    int depth = rd->depth;
    int rc = 0;

    if (!json_object_get(obj, "Parameters")) {
        return 0;
    }
    list = reader_list(rd, obj, "Parameters");
    if (!list) {
        return TRENCH_ERR_BADMSG;
    }
    if (json_array_size(list) > MAX_PARAMS) {
        return reader_refuse(rd, "more than %d Parameters", MAX_PARAMS);
    }
    rd->params = reader_alloc(rd, MAX_PARAMS, sizeof(*rd->params));
    if (!rd->params) {
        return reader_no_memory(rd);
    }
    for (size_t i = 0; i < json_array_size(list); i++) {
        reader_enter(rd, "Parameters", i);
        rc = read_param(rd, json_array_get(list, i), i);
        if (rc && !reader_goes_on(rd, rc)) {
            return rc;
        }
        reader_leave_to(rd, depth);
    }
    return rc ? rc : settle(rd);
}

void params_warn_unused(struct reader *rd)
{
    for (size_t i = 0; i < rd->nr_params; i++) {
        if (!rd->params[i].used) {
            reader_enter(rd, "Parameters", rd->params[i].idx);
            reader_warn(rd, "parameter %.*s is not used", QUOTE_BYTES,
                        rd->params[i].name);
            reader_leave(rd);
        }
    }
}
