/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * trench reg: what its subcommands share. One row a subcommand in reg.c; each
 * gets the parsed command line and, when its row says so, the registers of
 * the chosen generation.
 */
#ifndef TRENCH_CLI_REG_H
#define TRENCH_CLI_REG_H

#include "cli.h"

/** Options of dump and annotate. */
struct dump_opts {
    const char *given; /**< The last of them, for messages; or NULL. */
    const char *bar;   /**< --bar, or NULL. */
    bool diff;
    bool summary;
    bool reset_diff;
};

/** Parses them; use it as a child. */
extern const struct argp reg_dump_argp;

struct reg_ctx {
    const char *prog;
    const char *gen;    /**< --gen, or NULL. */
    const char *schema; /**< --schema, or NULL. */
    const char *base;   /**< --base, or NULL. */
    const char *output; /**< --output, or NULL. */
    bool json;
    struct dump_opts dump;
    char **args; /**< Behind the subcommand. */
    int nr_args;
    const struct trench_csr_lib *lib;
    const struct trench_csr_set *set; /**< Of --gen. */
    int nr_refused;                   /**< Files of --schema. */
};

/** Space for any name of ours; longer ones are cut. */
#define REG_NAME_BYTES 256

struct reg_name {
    char s[REG_NAME_BYTES];
};

/* Subcommands; each returns an exit code. */
int reg_list(struct reg_ctx *ctx);
int reg_show(struct reg_ctx *ctx);
int reg_find(struct reg_ctx *ctx);
int reg_decode(struct reg_ctx *ctx);
int reg_encode(struct reg_ctx *ctx);
int reg_diff(struct reg_ctx *ctx);
int reg_stats(struct reg_ctx *ctx);
int reg_check(struct reg_ctx *ctx);
int reg_header(struct reg_ctx *ctx);
int reg_dump(struct reg_ctx *ctx);
int reg_annotate(struct reg_ctx *ctx);

/** A generation of ctx->lib, or NULL after a message. */
const struct trench_csr_set *reg_set(const struct reg_ctx *ctx,
                                     const char *name);

/** What a name stands for. @return an exit code, after a message. */
int reg_resolve(const struct reg_ctx *ctx, const char *name,
                struct trench_csr_ref *out);

/** The same, and it must be a register, or a field where that is allowed. */
int reg_resolve_reg(const struct reg_ctx *ctx, const char *name,
                    bool field_allowed, struct trench_csr_ref *out);

/** A 32-bit number. @return an exit code, after a message. */
int reg_number(const struct reg_ctx *ctx, const char *text, uint32_t *out);

struct reg_name reg_ref_name(const struct trench_csr_ref *ref);

/** "31:16" or "3". */
struct cli_text reg_bits(const struct trench_csr_field *field);

/** "0x1c", also for 0. */
struct cli_text reg_hex(uint32_t val);

/** Exit code of a subcommand that covers all files: refused ones fail it. */
int reg_exit(const struct reg_ctx *ctx, int exit_code);

/** One finding as "FILE:LINE: PATH: REASON", without a newline. */
void reg_print_finding(FILE *to, const struct trench_csr_finding *finding,
                       const char *severity);

#endif /* TRENCH_CLI_REG_H */
