/* SPDX-License-Identifier: BSD-3-Clause */
/* trench reg check and header: files in, files out. */
#include "reg.h"

#include "output.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const char *const severity_names[] = {
    [TRENCH_CSR_ERROR] = "error",
    [TRENCH_CSR_WARNING] = "warning",
};

struct tally {
    json_t *list; /* NULL = print */
    int nr[2];    /* by severity */
};

static void take_finding(void *opaque, const struct trench_csr_finding *finding)
{
    const char *severity = severity_names[finding->severity];
    const struct trench_csr_error *err = &finding->err;
    struct tally *tally = opaque;
    char label[16];

    tally->nr[finding->severity]++;
    if (tally->list) {
        json_array_append_new(
            tally->list, json_pack("{s:o, s:s, s:i, s:s, s:s}", "file",
                                   cli_json_text(finding->file), "severity",
                                   severity, "line", err->line, "path",
                                   err->path, "reason", err->reason));
        return;
    }
    snprintf(label, sizeof(label), "%s: ", severity);
    reg_print_finding(stdout, finding, label);
    putchar('\n');
}

/* A folder of schemas, or the manifest of one. */
static bool is_library(const char *path)
{
    static const char manifest[] = "manifest.json";
    const char *slash = strrchr(path, '/');
    struct stat st;

    return strcmp(slash ? slash + 1 : path, manifest) == 0 ||
           (stat(path, &st) == 0 && S_ISDIR(st.st_mode));
}

/* 0 when nothing was refused. */
static int check_one(const struct reg_ctx *ctx, const char *path,
                     struct tally *tally)
{
    struct trench_csr_lib *lib;
    int rc;

    if (!is_library(path)) {
        return trench_csr_check(path, take_finding, tally);
    }
    rc = trench_csr_lib_load(path, take_finding, tally, &lib);
    if (rc >= 0) {
        trench_csr_lib_free(lib);
    } else {
        cli_error(ctx->prog, "%s: %s", path, trench_strerror(rc));
    }
    return rc;
}

int reg_check(struct reg_ctx *ctx)
{
    struct tally tally = { .list = ctx->json ? json_array() : NULL };
    int rc = CLI_OK;

    for (int i = 0; i < ctx->nr_args; i++) {
        if (check_one(ctx, ctx->args[i], &tally)) {
            rc = CLI_FAILED;
        }
    }
    if (ctx->json) {
        int printed = cli_json_print(
            ctx->prog, stdout,
            json_pack("{s:i, s:i, s:i, s:o}", "files", ctx->nr_args, "errors",
                      tally.nr[TRENCH_CSR_ERROR], "warnings",
                      tally.nr[TRENCH_CSR_WARNING], "findings", tally.list));

        return rc == CLI_OK ? printed : rc;
    }
    printf("%d file%s: %d error%s, %d warning%s\n", ctx->nr_args,
           ctx->nr_args == 1 ? "" : "s", tally.nr[TRENCH_CSR_ERROR],
           tally.nr[TRENCH_CSR_ERROR] == 1 ? "" : "s",
           tally.nr[TRENCH_CSR_WARNING],
           tally.nr[TRENCH_CSR_WARNING] == 1 ? "" : "s");
    return rc;
}

/* header */

static int put_stream(void *opaque, const char *text)
{
    return fputs(text, opaque) < 0 ? TRENCH_ERR_NOMEM : 0;
}

/* The text on the heap, or NULL after a message. */
static char *make_header(const struct reg_ctx *ctx,
                         const struct trench_csr_block *block)
{
    struct trench_csr_error err = { 0 };
    char *text = NULL;
    size_t len = 0;
    FILE *stream = open_memstream(&text, &len);
    int rc = TRENCH_ERR_NOMEM;

    if (stream) {
        rc = trench_csr_header(ctx->set, block, put_stream, stream, &err);
        if (fclose(stream) != 0 && !rc) {
            rc = TRENCH_ERR_NOMEM;
        }
    }
    if (rc) {
        cli_error(ctx->prog, "%s%s%s", err.path, err.path[0] ? ": " : "",
                  err.reason[0] ? err.reason : trench_strerror(rc));
        free(text);
        return NULL;
    }
    return text;
}

static int write_file(const struct reg_ctx *ctx, const char *text)
{
    struct cli_output out;
    int rc;

    rc = cli_output_open(ctx->prog, ctx->output ? ctx->output : "-", -1, &out);
    if (!rc) {
        rc = cli_output_write(&out, text, strlen(text));
    }
    if (!rc) {
        rc = cli_output_commit(&out);
    }
    cli_output_close(&out);
    return rc ? CLI_FAILED : CLI_OK;
}

int reg_header(struct reg_ctx *ctx)
{
    struct trench_csr_ref ref = { 0 };
    char *text;
    int rc = CLI_OK;

    if (ctx->nr_args > 0) {
        rc = reg_resolve(ctx, ctx->args[0], &ref);
        if (rc == CLI_OK && ref.bundle) {
            cli_error(ctx->prog, "%s is not a block", reg_ref_name(&ref).s);
            rc = CLI_FAILED;
        }
    }
    if (rc != CLI_OK) {
        return rc;
    }
    text = make_header(ctx, ref.block);
    if (!text) {
        return CLI_FAILED;
    }
    if (ctx->json && !ctx->output) {
        rc =
            cli_json_print(ctx->prog, stdout,
                           json_pack("{s:s, s:o}", "generation", ctx->set->name,
                                     "header", cli_json_text(text)));
    } else {
        rc = write_file(ctx, text);
    }
    free(text);
    return ref.block ? rc : reg_exit(ctx, rc);
}
