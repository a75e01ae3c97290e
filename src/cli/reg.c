/* SPDX-License-Identifier: BSD-3-Clause */
/* trench reg: options, the table of subcommands, and what they share. */
#include "reg.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include <trench/map.h>

enum {
    OPT_GEN = 0x1000,
    OPT_JSON,
    OPT_SCHEMA,
    OPT_BASE,
    OPT_OUTPUT,
};

static const struct argp_option reg_options[] = {
    { .name = "gen",
      .key = OPT_GEN,
      .arg = "NAME",
      .doc = "Registers of this chip generation (default cayman)" },
    { .name = "schema",
      .key = OPT_SCHEMA,
      .arg = "DIR",
      .doc = "Take the schemas from this folder, not the built-in ones" },
    { .name = "base",
      .key = OPT_BASE,
      .arg = "VALUE",
      .doc = "encode: change this value, not the reset value" },
    { .name = "output",
      .key = OPT_OUTPUT,
      .arg = "FILE",
      .doc = "header: write to this file, not to standard output" },
    { .name = "json",
      .key = OPT_JSON,
      .doc = "Print the result as one JSON object" },
    { 0 },
};

/* Which options and data a subcommand takes. */
enum {
    USES_SET = 1,
    USES_BASE = 2,
    USES_OUTPUT = 4,
    USES_LIB = 8, /* several generations, none of them by --gen */
    USES_DUMP = 16,
};

struct subcommand {
    const char *name;
    int (*run)(struct reg_ctx *ctx);
    int min_args;
    int max_args; /* -1 = any number */
    unsigned uses;
    const char *args;
};

static const struct subcommand subcommands[] = {
    { "list", reg_list, 0, 1, USES_SET, "[BLOCK]" },
    { "show", reg_show, 1, 1, USES_SET, "NAME" },
    { "find", reg_find, 1, 1, USES_SET, "PATTERN" },
    { "decode", reg_decode, 2, 2, USES_SET, "NAME VALUE" },
    { "encode", reg_encode, 1, -1, USES_SET | USES_BASE,
      "NAME [FIELD=VALUE...]" },
    { "diff", reg_diff, 2, 3, USES_LIB, "GEN GEN [BLOCK]" },
    { "stats", reg_stats, 0, 0, USES_SET, "" },
    { "check", reg_check, 1, -1, 0, "FILE..." },
    { "header", reg_header, 0, 1, USES_SET | USES_OUTPUT, "[BLOCK]" },
    { "dump", reg_dump, 0, -1, USES_DUMP, "[FILE...]" },
    { "annotate", reg_annotate, 0, -1, USES_DUMP, "[FILE...]" },
};

/* What the parser collects. */
struct request {
    struct reg_ctx ctx;
    const struct subcommand *sub;
};

static void refuse_subcommand(const struct argp_state *state, const char *name)
{
    char known[128] = "";
    size_t len = 0;

    for (size_t i = 0; i < CLI_ARRAY_LEN(subcommands); i++) {
        len += (size_t)snprintf(known + len, sizeof(known) - len, "%s%s",
                                i > 0 ? ", " : "", subcommands[i].name);
    }
    argp_error(state, "unknown subcommand '%s'; known: %s", name, known);
}

/* The subcommand, then everything behind it. */
static error_t take_args(struct request *req, const char *name,
                         struct argp_state *state)
{
    if (req->sub) {
        req->ctx.nr_args++;
        return 0;
    }
    for (size_t i = 0; i < CLI_ARRAY_LEN(subcommands); i++) {
        if (strcmp(subcommands[i].name, name) == 0) {
            req->sub = &subcommands[i];
        }
    }
    if (!req->sub) {
        refuse_subcommand(state, name);
        return EINVAL;
    }
    return 0;
}

static void check_request(const struct request *req,
                          const struct argp_state *state)
{
    const struct subcommand *sub = req->sub;
    const struct reg_ctx *ctx = &req->ctx;

    if (ctx->nr_args < sub->min_args ||
        (sub->max_args >= 0 && ctx->nr_args > sub->max_args)) {
        argp_error(state, "usage: trench reg %s%s%s", sub->name,
                   sub->args[0] ? " " : "", sub->args);
    } else if (ctx->base && !(sub->uses & USES_BASE)) {
        argp_error(state, "--base is for encode");
    } else if (ctx->output && !(sub->uses & USES_OUTPUT)) {
        argp_error(state, "--output is for header");
    } else if (ctx->dump.given && !(sub->uses & USES_DUMP)) {
        argp_error(state, "%s is for dump and annotate", ctx->dump.given);
    } else if (ctx->gen && !(sub->uses & (USES_SET | USES_DUMP))) {
        argp_error(state, "--gen is not for %s", sub->name);
    } else if (ctx->schema &&
               !(sub->uses & (USES_SET | USES_LIB | USES_DUMP))) {
        argp_error(state, "--schema is not for %s", sub->name);
    }
}

static error_t reg_parse(int key, char *arg, struct argp_state *state)
{
    struct request *req = state->input;

    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &req->ctx.dump;
        return 0;
    case OPT_GEN:
        req->ctx.gen = arg;
        return 0;
    case OPT_JSON:
        req->ctx.json = true;
        return 0;
    case OPT_SCHEMA:
        req->ctx.schema = arg;
        return 0;
    case OPT_BASE:
        req->ctx.base = arg;
        return 0;
    case OPT_OUTPUT:
        req->ctx.output = arg;
        return 0;
    case ARGP_KEY_ARG:
        return take_args(req, arg, state);
    case ARGP_KEY_NO_ARGS:
        argp_error(state, "which subcommand? see --help");
        return 0;
    case ARGP_KEY_END:
        if (req->sub) {
            check_request(req, state);
        }
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp_child reg_children[] = {
    { .argp = &reg_dump_argp },
    { 0 },
};

const struct argp cli_reg_argp = {
    .options = reg_options,
    .parser = reg_parse,
    .children = reg_children,
    .args_doc = "list [BLOCK]\n"
                "show NAME\n"
                "find PATTERN\n"
                "decode NAME VALUE\n"
                "encode NAME [FIELD=VALUE...]\n"
                "diff GEN GEN [BLOCK]\n"
                "stats\n"
                "check FILE...\n"
                "header [BLOCK]\n"
                "dump [FILE...]\n"
                "annotate [FILE...]",
    .doc = "Looks registers up, and takes their values apart."
           "\n\n"
           "NAME is BLOCK.BUNDLE[i].REG.FIELD in any case. It may end early, "
           "and leave out the block, the bundle or the index where one meaning "
           "remains. BLOCK+OFFSET is the register at an offset."
           "\n\nOptions:"
           "\v"
           "list prints the blocks of a generation, or the registers of a "
           "block. show explains a block, bundle, register or field. find "
           "searches names and descriptions; the pattern may hold * and ?.\n\n"
           "decode prints the fields of a register value, and marks with * "
           "what is not as after reset. encode puts a value together, "
           "starting from the reset value.\n\n"
           "diff compares generations. stats compares our counts with "
           "published ones. check prints all errors and warnings of schema "
           "files. header prints macros for C and C++.\n\n"
           "dump decodes lines of addresses and values, from files or "
           "standard input; dump --diff BEFORE AFTER prints the fields that "
           "differ. annotate keeps a log of accesses as it is and adds what "
           "they mean. Both take dumps and logs, plain or gzip; with --json "
           "they print one object a line.\n\n"
           "Examples:\n\n"
           "  $ trench reg show m2s_q.tdrtp_inc\n"
           "  $ trench reg decode udma_gen+0x2104 0x1c360003\n"
           "  $ trench reg encode tdma_rob_cfg en=1 rid_base=0x40\n"
           "  $ trench reg diff sunda cayman udma_gen\n"
           "  $ trench reg check --json my.json | jq .errors\n"
           "  $ echo 1002506020: 03010000 | trench reg dump\n"
           "  $ trench reg dump --diff before.txt after.txt\n"
           "  $ trench reg annotate --bar sunda driver.mmio.gz\n",
};

struct reg_name reg_ref_name(const struct trench_csr_ref *ref)
{
    struct reg_name name = { "" };

    trench_csr_ref_name(ref, name.s, sizeof(name.s));
    return name;
}

struct cli_text reg_bits(const struct trench_csr_field *field)
{
    struct cli_text text;

    if (field->width == 1) {
        snprintf(text.s, sizeof(text.s), "%u", field->lsb);
    } else {
        snprintf(text.s, sizeof(text.s), "%u:%u",
                 field->lsb + field->width - 1u, field->lsb);
    }
    return text;
}

struct cli_text reg_hex(uint32_t val)
{
    struct cli_text text;

    snprintf(text.s, sizeof(text.s), "0x%" PRIx32, val);
    return text;
}

int reg_exit(const struct reg_ctx *ctx, int exit_code)
{
    return exit_code == CLI_OK && ctx->nr_refused > 0 ? CLI_FAILED : exit_code;
}

void reg_print_finding(FILE *to, const struct trench_csr_finding *finding,
                       const char *severity)
{
    const struct trench_csr_error *err = &finding->err;
    char file[512];

    snprintf(file, sizeof(file), "%s", finding->file);
    fprintf(to, "%s:", cli_printable(file));
    if (err->line > 0) {
        fprintf(to, "%d:", err->line);
    }
    fprintf(to, " %s%s%s%s", severity, err->path, err->path[0] ? ": " : "",
            err->reason);
}

int reg_number(const struct reg_ctx *ctx, const char *text, uint32_t *out)
{
    bool hex = text[0] == '0' && tolower((unsigned char)text[1]) == 'x';
    unsigned long long val;
    char *end;

    errno = 0;
    val = strtoull(text, &end, hex ? 16 : 10); /* as in schemas: no octal */
    if (!isdigit((unsigned char)text[0]) || *end != '\0' || errno != 0 ||
        val > UINT32_MAX) {
        cli_error(ctx->prog, "'%s' is not a number of 32 bits", text);
        return CLI_USAGE;
    }
    *out = (uint32_t)val;
    return CLI_OK;
}

const struct trench_csr_set *reg_set(const struct reg_ctx *ctx,
                                     const char *name)
{
    const struct trench_csr_set *set = trench_csr_lib_set(ctx->lib, name);
    char known[256] = "";
    size_t len = 0;

    if (set) {
        return set;
    }
    for (size_t i = 0; i < ctx->lib->nr_sets && len < sizeof(known); i++) {
        len += (size_t)snprintf(known + len, sizeof(known) - len, "%s%s",
                                i > 0 ? ", " : "", ctx->lib->sets[i].name);
    }
    cli_error(ctx->prog, "unknown generation '%s'; known: %s", name,
              known[0] ? known : "none, the folder has no manifest.json");
    return NULL;
}

/* A register by its place, as trench map names it: a path or 0xADDRESS. */
static bool resolve_place(const struct reg_ctx *ctx, const char *name,
                          struct trench_csr_ref *out)
{
    const struct trench_gen *gen = trench_gen_find(ctx->set->name);
    struct trench_map_place place[TRENCH_MAP_PLACES];
    const struct trench_csr_block *block;
    const struct trench_map_node *leaf;
    struct trench_map_info info;
    char *end;

    if (!gen) {
        return false;
    }
    if (strncasecmp(name, "0x", 2) == 0) {
        errno = 0;
        place[0].addr = strtoull(name, &end, 16);
        if (*end || errno) {
            return false;
        }
    } else if (trench_map_find(gen, name, false, place, NULL) <= 0) {
        return false;
    }
    trench_map_at(gen, place[0].addr, &info);
    leaf = trench_map_leaf(&info);
    if (leaf->kind != TRENCH_MAP_REGISTER) {
        return false;
    }
    block = trench_csr_set_block(ctx->set, leaf->ref.block->name);
    return block &&
           trench_csr_at(block, trench_csr_ref_offset(&leaf->ref), out) == 0;
}

int reg_resolve(const struct reg_ctx *ctx, const char *name,
                struct trench_csr_ref *out)
{
    struct trench_csr_error err;

    if (trench_csr_find(ctx->set, name, out, &err) &&
        !resolve_place(ctx, name, out)) {
        cli_error(ctx->prog, "%s", err.reason);
        return CLI_FAILED;
    }
    return CLI_OK;
}

int reg_resolve_reg(const struct reg_ctx *ctx, const char *name,
                    bool field_allowed, struct trench_csr_ref *out)
{
    int rc = reg_resolve(ctx, name, out);

    if (rc != CLI_OK) {
        return rc;
    }
    if (!out->reg || (out->field && !field_allowed)) {
        cli_error(ctx->prog, "%s is not a register", reg_ref_name(out).s);
        return CLI_FAILED;
    }
    return CLI_OK;
}

static void print_refused(void *opaque,
                          const struct trench_csr_finding *finding)
{
    fprintf(stderr, "%s: ", (const char *)opaque);
    reg_print_finding(stderr, finding, "");
    fputc('\n', stderr);
}

/* --gen, or cayman, or the only one there is. */
static int choose_set(struct reg_ctx *ctx)
{
    if (!ctx->gen && ctx->lib->nr_sets == 1) {
        ctx->set = &ctx->lib->sets[0];
    } else {
        ctx->set = reg_set(ctx, ctx->gen ? ctx->gen : "cayman");
    }
    return ctx->set ? CLI_OK : CLI_USAGE;
}

static int run_with(struct request *req, struct trench_csr_lib *own)
{
    struct reg_ctx *ctx = &req->ctx;
    int rc = CLI_OK;

    ctx->lib = own ? own : trench_csr_lib_builtin();
    if (req->sub->uses & USES_SET) {
        rc = choose_set(ctx);
    }
    return rc == CLI_OK ? req->sub->run(ctx) : rc;
}

void cli_reg_print_subcommands(void)
{
    for (size_t i = 0; i < sizeof(subcommands) / sizeof(subcommands[0]); i++) {
        printf(" %s", subcommands[i].name);
    }
}

int cli_reg_run(int argc, char **argv)
{
    struct request req = { 0 };
    struct trench_csr_lib *own = NULL;
    int rc;

    req.ctx.prog = argv[0];
    argp_parse(&cli_reg_argp, argc, argv, 0, NULL, &req);
    /* argp has moved them all to the end. */
    req.ctx.args = argv + argc - req.ctx.nr_args;
    if (req.ctx.schema) {
        rc = trench_csr_lib_load(req.ctx.schema, print_refused, argv[0], &own);
        if (rc < 0) {
            cli_error(argv[0], "%s: %s", req.ctx.schema,
                      rc == TRENCH_ERR_NOENT ? "no schemas there"
                                             : trench_strerror(rc));
            return CLI_FAILED;
        }
        req.ctx.nr_refused = rc;
    }
    rc = run_with(&req, own);
    trench_csr_lib_free(own);
    return rc;
}
