/* SPDX-License-Identifier: BSD-3-Clause */
/* trench ctxlog: options, the table of subcommands, and decode. */
#include "ctxlog.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum {
    OPT_AT = 0x2000,
    OPT_COMPAT,
    OPT_COMPAT_BASE,
    OPT_ALLOC,
    OPT_BASE,
    OPT_OUTPUT,
    OPT_STRICT,
};

/* Who takes an option. */
enum {
    FOR_DECODE = 1,
    FOR_ENCODE = 2,
    FOR_DIFF = 4,
};

static const struct argp_option ctxlog_options[] = {
    { .name = "at",
      .key = OPT_AT,
      .arg = "OFFSET",
      .doc = "The files are data memories; the context is at this offset" },
    { .name = "alloc",
      .key = OPT_ALLOC,
      .arg = "words|fields",
      .doc = "decode: print the allocation bitmap as words (default), or as "
             "queue and engines" },
    { .name = "compat",
      .key = OPT_COMPAT,
      .doc = "decode: also print the lines that the original gets wrong as "
             "it does; the result is then not JSON" },
    { .name = "compat-base",
      .key = OPT_COMPAT_BASE,
      .arg = "ADDRESS",
      .doc = "decode --compat: where the context would be in memory" },
    { .name = "base",
      .key = OPT_BASE,
      .arg = "FILE",
      .doc = "encode: change this image, not an empty one" },
    { .name = "strict",
      .key = OPT_STRICT,
      .doc = "encode: fail on keys that are missing or not known" },
    { .name = "output",
      .key = OPT_OUTPUT,
      .arg = "FILE",
      .doc = "decode, encode: write to this file, not to standard output" },
    { 0 },
};

struct subcommand {
    const char *name;
    int (*run)(const struct ctxlog_ctx *ctx);
    int nr_args;
    unsigned bit;
    const char *args;
};

static const struct subcommand subcommands[] = {
    { "decode", ctxlog_decode, 1, FOR_DECODE, "IMAGE" },
    { "encode", ctxlog_encode, 1, FOR_ENCODE, "JSON" },
    { "diff", ctxlog_diff, 2, FOR_DIFF, "BEFORE AFTER" },
};

struct request {
    struct ctxlog_ctx ctx;
    const struct subcommand *sub;
    /* By subcommand: an option that was given and is not for it. */
    const char *refused[CLI_ARRAY_LEN(subcommands)];
};

/* Note an option that only some subcommands take. */
static void only_for(struct request *req, const char *name, unsigned who)
{
    for (size_t i = 0; i < CLI_ARRAY_LEN(subcommands); i++) {
        if (!(who & subcommands[i].bit)) {
            req->refused[i] = name;
        }
    }
}

static enum trench_ncfw_reading parse_alloc(const struct argp_state *state,
                                            const char *text)
{
    if (strcmp(text, "fields") == 0) {
        return TRENCH_NCFW_SHEETS;
    }
    if (strcmp(text, "words") != 0) {
        argp_error(state, "--alloc: '%s' is neither words nor fields", text);
    }
    return TRENCH_NCFW_SEED;
}

static void take_arg(struct request *req, const char *arg,
                     struct argp_state *state)
{
    if (req->sub) {
        req->ctx.nr_args++;
        return;
    }
    for (size_t i = 0; i < CLI_ARRAY_LEN(subcommands); i++) {
        if (strcmp(subcommands[i].name, arg) == 0) {
            req->sub = &subcommands[i];
        }
    }
    if (!req->sub) {
        argp_error(state,
                   "unknown subcommand '%s'; known: decode, encode, diff", arg);
    }
}

static void check_request(const struct request *req,
                          const struct argp_state *state)
{
    const struct ctxlog_ctx *ctx = &req->ctx;
    const struct subcommand *sub = req->sub;
    const char *refused = req->refused[sub - subcommands];

    if (ctx->nr_args != sub->nr_args) {
        argp_error(state, "usage: trench ctxlog %s %s", sub->name, sub->args);
    } else if (refused) {
        argp_error(state, "%s is not for %s", refused, sub->name);
    } else if (ctx->compat && ctx->common.json) {
        argp_error(state, "what --compat prints is not JSON");
    } else if (ctx->compat_base != 0 && !ctx->compat) {
        argp_error(state, "--compat-base needs --compat");
    } else if (sub->bit == FOR_ENCODE && ctx->at != 0 && !ctx->base) {
        argp_error(state, "--at needs --base here");
    }
}

static error_t take_option(struct request *req, int key, char *arg,
                           struct argp_state *state)
{
    struct ctxlog_ctx *ctx = &req->ctx;
    const struct cli_opt_arg at = { state, "--at", arg };
    const struct cli_opt_arg base = { state, "--compat-base", arg };

    switch (key) {
    case OPT_AT:
        ctx->at = cli_opt_number(&at, 1, UINT32_MAX);
        return 0;
    case OPT_ALLOC:
        ctx->reading = parse_alloc(state, arg);
        only_for(req, "--alloc", FOR_DECODE);
        return 0;
    case OPT_COMPAT:
        ctx->compat = true;
        only_for(req, "--compat", FOR_DECODE);
        return 0;
    case OPT_COMPAT_BASE:
        ctx->compat_base = cli_opt_number(&base, 1, UINT64_MAX);
        only_for(req, "--compat-base", FOR_DECODE);
        return 0;
    case OPT_BASE:
        ctx->base = arg;
        only_for(req, "--base", FOR_ENCODE);
        return 0;
    case OPT_STRICT:
        ctx->strict = true;
        only_for(req, "--strict", FOR_ENCODE);
        return 0;
    case OPT_OUTPUT:
        ctx->output = arg;
        only_for(req, "--output", FOR_DECODE | FOR_ENCODE);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static error_t ctxlog_parse(int key, char *arg, struct argp_state *state)
{
    struct request *req = state->input;

    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &req->ctx.common;
        return 0;
    case ARGP_KEY_ARG:
        take_arg(req, arg, state);
        return 0;
    case ARGP_KEY_NO_ARGS:
        argp_error(state, "which subcommand? see --help");
        return 0;
    case ARGP_KEY_END:
        if (req->sub) {
            check_request(req, state);
        }
        return 0;
    default:
        return take_option(req, key, arg, state);
    }
}

static const struct argp_child ctxlog_children[] = {
    { .argp = &cli_common_argp },
    { 0 },
};

const struct argp cli_ctxlog_argp = {
    .options = ctxlog_options,
    .parser = ctxlog_parse,
    .children = ctxlog_children,
    .args_doc = "decode IMAGE\n"
                "encode JSON\n"
                "diff BEFORE AFTER",
    .doc = "Prints, makes and compares contexts of the management firmware "
           "(NCFW), as they are in its data memory."
           "\n\n"
           "An IMAGE is a context alone, or with --at a dump of the memory "
           "that it is in. '-' is standard input."
           "\n\nOptions:"
           "\v"
           "decode prints the JSON of the ctx_log decoder: the same keys, "
           "order and number formats. encode makes an image of such JSON; "
           "over the image that it came from nothing else changes. diff "
           "prints the fields that differ, and the bytes that belong to no "
           "field.\n\n"
           "Examples:\n\n"
           "  $ trench ctxlog decode ctx.bin > ctx.json\n"
           "  $ trench ctxlog encode --base ctx.bin --output new.bin "
           "ctx.json\n"
           "  $ trench ctxlog diff ctx.bin new.bin\n"
           "  $ trench ctxlog decode --gen sunda --at 0x250 dram.bin\n",
};

int ctxlog_decode(const struct ctxlog_ctx *ctx)
{
    const struct trench_ctxlog_conf conf = {
        .gen = ctx->common.gen,
        .reading = ctx->reading,
        .compat = ctx->compat,
        .compat_base = ctx->compat_base,
    };
    struct ctxlog_file image;
    char *text;
    int len;
    int rc = ctxlog_read_image(ctx, ctx->args[0], &image);

    if (rc != CLI_OK) {
        return rc;
    }
    text = malloc(TRENCH_CTXLOG_TEXT_BYTES);
    len = text ? trench_ctxlog_decode(&conf, image.data + ctx->at, text,
                                      TRENCH_CTXLOG_TEXT_BYTES)
               : TRENCH_ERR_NOMEM;
    if (len < 0) {
        cli_error(ctx->prog, "%s", trench_strerror(len));
        rc = CLI_FAILED;
    } else {
        rc = ctxlog_write(ctx, text, (size_t)len);
    }
    free(text);
    free(image.data);
    return rc;
}

void cli_ctxlog_print_subcommands(void)
{
    for (size_t i = 0; i < CLI_ARRAY_LEN(subcommands); i++) {
        printf(" %s", subcommands[i].name);
    }
}

int cli_ctxlog_run(int argc, char **argv)
{
    struct request req = { .ctx = { .prog = argv[0], .output = "-" } };

    argp_parse(&cli_ctxlog_argp, argc, argv, 0, NULL, &req);
    /* argp has moved them all to the end. */
    req.ctx.args = argv + argc - req.ctx.nr_args;
    return req.sub->run(&req.ctx);
}
