/* SPDX-License-Identifier: BSD-3-Clause */
/* trench ctxlog encode: an image from JSON, and what was wrong with it. */
#include "ctxlog.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MAX_LINES 20 /* of messages; --json has all of them */

static const char *const kind_names[] = {
    [TRENCH_CTXLOG_ERROR] = "error",
    [TRENCH_CTXLOG_UNKNOWN] = "unknown",
    [TRENCH_CTXLOG_MISSING] = "missing",
};

struct tally {
    const struct ctxlog_ctx *ctx;
    const char *name; /* of the source, for messages */
    json_t *list;     /* NULL = print */
    unsigned lines;
};

/* What keeps the image from being written, or is worth a line. */
static bool is_told(const struct ctxlog_ctx *ctx, enum trench_ctxlog_kind kind)
{
    return kind != TRENCH_CTXLOG_MISSING || ctx->strict;
}

static void take_finding(void *opaque,
                         const struct trench_ctxlog_finding *finding)
{
    struct tally *tally = opaque;

    if (tally->list) {
        json_array_append_new(tally->list,
                              json_pack("{s:s, s:o, s:o}", "kind",
                                        kind_names[finding->kind], "path",
                                        cli_json_text(finding->path), "reason",
                                        cli_json_text(finding->reason)));
    } else if (is_told(tally->ctx, finding->kind) &&
               tally->lines++ < MAX_LINES) {
        cli_error(tally->ctx->prog, "%s: %s%s%s%s", tally->name,
                  finding->kind == TRENCH_CTXLOG_UNKNOWN && !tally->ctx->strict
                      ? "warning: "
                      : "",
                  finding->path, finding->path[0] ? ": " : "", finding->reason);
    }
}

static void print_summary(const struct tally *tally,
                          const struct trench_ctxlog_counts *counts)
{
    const struct ctxlog_ctx *ctx = tally->ctx;

    if (tally->lines > MAX_LINES) {
        cli_error(ctx->prog, "%s: %u more; --json has them all", tally->name,
                  tally->lines - MAX_LINES);
    }
    if (counts->missing > 0 && !ctx->strict) {
        cli_error(ctx->prog, "%s: warning: %u parts are missing and were %s",
                  tally->name, counts->missing,
                  ctx->base ? "taken from the base" : "set to 0");
    }
}

static int print_json(const struct tally *tally, int rc, size_t size,
                      const struct trench_ctxlog_counts *counts)
{
    json_t *json =
        json_pack("{s:o, s:b, s:I, s:i, s:i, s:i, s:O}", "output",
                  cli_json_text(tally->ctx->output), "written", rc == CLI_OK,
                  "bytes", (json_int_t)size, "errors", (int)counts->errors,
                  "unknown", (int)counts->unknown, "missing",
                  (int)counts->missing, "findings", tally->list);
    int printed = cli_json_print(tally->ctx->prog, stdout, json);

    return rc == CLI_OK ? printed : rc;
}

/* The file that is changed: the base, or an empty context. */
static int open_base(const struct ctxlog_ctx *ctx, struct ctxlog_file *image)
{
    if (ctx->base) {
        return ctxlog_read_image(ctx, ctx->base, image);
    }
    image->size = trench_ctxlog_size(ctx->common.gen);
    image->data = calloc(1, image->size);
    if (!image->data) {
        cli_error(ctx->prog, "out of memory");
        return CLI_FAILED;
    }
    return CLI_OK;
}

/* Put the JSON into the image; the exit code says whether it may be kept. */
static int fill(const struct ctxlog_ctx *ctx, struct tally *tally,
                const struct ctxlog_file *text, const struct ctxlog_file *image,
                struct trench_ctxlog_counts *counts)
{
    const struct trench_ctxlog_encode_conf conf = {
        .gen = ctx->common.gen,
        .over_base = ctx->base != NULL,
        .fn = take_finding,
        .opaque = tally,
    };
    int err = trench_ctxlog_encode(&conf, text->data, text->size,
                                   image->data + ctx->at, counts);

    if (err && err != TRENCH_ERR_BADMSG) {
        cli_error(ctx->prog, "%s", trench_strerror(err));
    }
    if (err || (ctx->strict && counts->unknown + counts->missing > 0)) {
        return CLI_FAILED;
    }
    return CLI_OK;
}

static int run(const struct ctxlog_ctx *ctx, const struct ctxlog_file *text,
               const struct ctxlog_file *image)
{
    struct trench_ctxlog_counts counts = { 0 };
    struct tally tally = { .ctx = ctx, .name = ctx->args[0] };
    int rc;

    if (ctx->common.json) {
        tally.list = json_array();
    }
    rc = fill(ctx, &tally, text, image, &counts);
    if (rc == CLI_OK) {
        rc = ctxlog_write(ctx, image->data, image->size);
    }
    if (ctx->common.json) {
        rc = print_json(&tally, rc, image->size, &counts);
    } else {
        print_summary(&tally, &counts);
    }
    json_decref(tally.list);
    return rc;
}

int ctxlog_encode(const struct ctxlog_ctx *ctx)
{
    bool to_stdout = strcmp(ctx->output, "-") == 0;
    struct ctxlog_file text;
    struct ctxlog_file image;
    int rc;

    if (to_stdout && (ctx->common.json || isatty(STDOUT_FILENO) == 1)) {
        cli_error(ctx->prog, "where to? give --output FILE");
        return CLI_USAGE;
    }
    rc = open_base(ctx, &image);
    if (rc != CLI_OK) {
        return rc;
    }
    rc = ctxlog_read(ctx->prog, ctx->args[0], CTXLOG_JSON_MAX, &text);
    if (rc == CLI_OK) {
        rc = run(ctx, &text, &image);
        free(text.data);
    }
    free(image.data);
    return rc;
}
