/* SPDX-License-Identifier: BSD-3-Clause */
/* trench ctxlog diff: what differs between two contexts. */
#include "ctxlog.h"

#include <inttypes.h>
#include <stdlib.h>

static void print_value(bool address, uint64_t val)
{
    if (address) {
        printf("0x%016" PRIX64, val);
    } else {
        printf("%" PRIu64, val);
    }
}

static int print_change(void *opaque, const struct trench_ctxlog_change *change)
{
    (void)opaque;
    printf("%s: ", change->path);
    if (change->opaque) {
        printf("%u bytes outside of all fields\n", change->size_bytes);
        return 0;
    }
    print_value(change->address, change->before);
    printf(" -> ");
    print_value(change->address, change->after);
    putchar('\n');
    return 0;
}

static json_t *value_json(bool address, uint64_t val)
{
    return address || val > INT64_MAX ? cli_json_hex(val)
                                      : json_integer((json_int_t)val);
}

static int collect_change(void *opaque,
                          const struct trench_ctxlog_change *change)
{
    json_t *row = json_pack("{s:s, s:o, s:i}", "path", change->path, "offset",
                            cli_json_hex(change->offset), "bytes",
                            (int)change->size_bytes);

    if (!change->opaque) {
        json_object_set_new(row, "before",
                            value_json(change->address, change->before));
        json_object_set_new(row, "after",
                            value_json(change->address, change->after));
    }
    return json_array_append_new(opaque, row) ? TRENCH_ERR_NOMEM : 0;
}

static int compare(const struct ctxlog_ctx *ctx, const char *before,
                   const char *after)
{
    json_t *list = ctx->common.json ? json_array() : NULL;
    int nr = trench_ctxlog_diff(ctx->common.gen, before, after,
                                list ? collect_change : print_change, list);

    if (nr < 0) {
        json_decref(list);
        cli_error(ctx->prog, "%s", trench_strerror(nr));
        return CLI_FAILED;
    }
    return list ? cli_json_print(ctx->prog, stdout,
                                 json_pack("{s:o}", "changes", list))
                : CLI_OK;
}

int ctxlog_diff(const struct ctxlog_ctx *ctx)
{
    struct ctxlog_file before;
    struct ctxlog_file after;
    int rc = ctxlog_read_image(ctx, ctx->args[0], &before);

    if (rc != CLI_OK) {
        return rc;
    }
    rc = ctxlog_read_image(ctx, ctx->args[1], &after);
    if (rc == CLI_OK) {
        rc = compare(ctx, before.data + ctx->at, after.data + ctx->at);
        free(after.data);
    }
    free(before.data);
    return rc;
}
