/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The trench program: what its commands share.
 *
 * One file a command, one row a command in cli_commands. A command parses its
 * options with glibc argp, prints results on standard output and everything
 * else on standard error, and returns an exit code.
 */
#ifndef TRENCH_CLI_H
#define TRENCH_CLI_H

#include <argp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <jansson.h>

#include <trench/gen.h>

/** Exit codes. */
enum cli_exit {
    CLI_OK = 0,
    CLI_FAILED = 1,
    CLI_USAGE = 2,
};

#define CLI_ARRAY_LEN(a) (sizeof(a) / sizeof((a)[0]))

/** One command. */
struct cli_command {
    const char *name;
    int (*run)(int argc, char **argv); /**< argv[0] is "trench NAME". */
    const struct argp *argp;           /**< For the completion script. */
    const char *help;                  /**< One line. */
    /** Prints " NAME" for each subcommand; NULL = has none. */
    void (*print_subcommands)(void);
};

/** Every command; the last row has no name. */
extern const struct cli_command cli_commands[];

extern const struct argp cli_all_gather_argp;
extern const struct argp cli_all_reduce_argp;
extern const struct argp cli_alltoall_argp;
extern const struct argp cli_broadcast_argp;
extern const struct argp cli_copy_argp;
extern const struct argp cli_ctxlog_argp;
extern const struct argp cli_dmatest_argp;
extern const struct argp cli_icache_argp;
extern const struct argp cli_info_argp;
extern const struct argp cli_map_argp;
extern const struct argp cli_reduce_argp;
extern const struct argp cli_reduce_scatter_argp;
extern const struct argp cli_reg_argp;
extern const struct argp cli_sendrecv_argp;
extern const struct argp cli_serve_argp;
extern const struct argp cli_step_argp;
extern const struct argp cli_vm_argp;
extern const struct argp cli_watch_argp;
extern const struct argp cli_completion_argp;

int cli_all_gather_run(int argc, char **argv);
int cli_all_reduce_run(int argc, char **argv);
int cli_alltoall_run(int argc, char **argv);
int cli_broadcast_run(int argc, char **argv);
int cli_copy_run(int argc, char **argv);
void cli_ctxlog_print_subcommands(void);
int cli_ctxlog_run(int argc, char **argv);
int cli_dmatest_run(int argc, char **argv);
int cli_icache_run(int argc, char **argv);
int cli_info_run(int argc, char **argv);
int cli_map_run(int argc, char **argv);
int cli_reduce_run(int argc, char **argv);
int cli_reduce_scatter_run(int argc, char **argv);
void cli_reg_print_subcommands(void);
int cli_reg_run(int argc, char **argv);
int cli_sendrecv_run(int argc, char **argv);
int cli_serve_run(int argc, char **argv);
int cli_step_run(int argc, char **argv);
int cli_vm_run(int argc, char **argv);
int cli_watch_run(int argc, char **argv);
int cli_completion_run(int argc, char **argv);

/* opt.c: options and their values. Each parser ends the program with a usage
 * error when the text is not acceptable. */

/** Options that every command has; the input of cli_common_argp. */
struct cli_common {
    const struct trench_gen *gen; /**< Never NULL after parsing. */
    bool json;
};

/** Parses --gen and --json; use it as a child. */
extern const struct argp cli_common_argp;

/** An option and its argument, for messages. */
struct cli_opt_arg {
    const struct argp_state *state;
    const char *name; /**< "--bs" */
    const char *text;
};

/** Text of cli_opt_name(). */
struct cli_opt_name {
    char s[24];
};

/** "--bs" for the option of a key, for messages; "" for none. */
struct cli_opt_name cli_opt_name(const struct argp_option *options, int key);

/** Ends the program: the text names no generation. Lists those that are. */
void cli_refuse_gen(const struct cli_opt_arg *arg);

/** A number, decimal or with 0x, within [min, max]. */
uint64_t cli_opt_number(const struct cli_opt_arg *arg, uint64_t min,
                        uint64_t max);

/**
 * A number of bytes within [min, max]. K, M, G, T and KiB, MiB, ... are powers
 * of 1024; KB, MB, ... are powers of 1000, as in dd.
 */
uint64_t cli_opt_size(const struct cli_opt_arg *arg, uint64_t min,
                      uint64_t max);

/** Largest number of members of a set. */
#define CLI_SET_MAX 1024u

/** A set of small numbers. */
struct cli_set {
    unsigned count; /**< Members. */
    bool has[CLI_SET_MAX];
};

/** A set within [0, limit): "all", "3", "0-15", "0,3,5-7". */
void cli_opt_set(const struct cli_opt_arg *arg, unsigned limit,
                 struct cli_set *out);

/** Drop the largest members until at most @p keep are left. */
void cli_set_truncate(struct cli_set *set, unsigned keep);

/** Which way data goes. */
enum cli_direction {
    CLI_H2D, /**< Host memory to HBM. */
    CLI_D2H, /**< HBM to host memory. */
    CLI_D2D, /**< HBM to HBM, two modules where the chip has them. */
};

/** The argument of --direction, and what it chooses. */
#define CLI_DIRECTION_ARG "h2d|d2h|d2d"

enum cli_direction cli_opt_direction(const struct cli_opt_arg *arg);

const char *cli_direction_name(enum cli_direction direction);

/* report.c: what people and programs read. */

/** Print "PROG: text" as one line on standard error, control bytes as '?'. */
void cli_error(const char *prog, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/** Put '?' over the control bytes of a text, for a terminal. */
char *cli_printable(char *text);

/** End as a signal would have ended the program, its output written. */
void cli_die_of(int sig);

/** A clock that never goes back. */
uint64_t cli_now_ns(void);

/** A count per second; 0 when no time has passed. */
double cli_rate(uint64_t count, uint64_t ns);

/** Text of cli_human(). */
struct cli_text {
    char s[24];
};

/** "512 B", "3.0 MiB". */
struct cli_text cli_human(double bytes);

/** A string that may not be UTF-8 (a file name); bad bytes become '?'. */
json_t *cli_json_text(const char *text);

/** An address: a hexadecimal string, as 2^53 is not enough for them. */
json_t *cli_json_hex(uint64_t value);

/** Print and release an object. Returns an exit code. */
int cli_json_print(const char *prog, FILE *to, json_t *object);

/** One line on standard error that is written again and again. */
struct cli_progress {
    bool on;
    bool terminal;    /**< Overwrite the line instead of adding one. */
    bool shown;       /**< There is a line to wipe. */
    uint64_t total;   /**< Expected bytes; 0 = not known. */
    uint64_t next_ns; /**< Not before. */
    uint64_t start_ns;
};

/** @param wanted  1 = on, 0 = off, -1 = when standard error is a terminal. */
void cli_progress_start(struct cli_progress *progress, int wanted,
                        uint64_t total);
void cli_progress_update(struct cli_progress *progress, uint64_t done);
/** Wipe the line, so that others can write. */
void cli_progress_clear(struct cli_progress *progress);

#endif /* TRENCH_CLI_H */
