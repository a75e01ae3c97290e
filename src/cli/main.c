/* SPDX-License-Identifier: BSD-3-Clause */
/* The table of commands, and the way to them. */
#include "cli.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MAX_NAME 31 /* of a command, typed or known */

static int run_help(int argc, char **argv);

static error_t help_parse(int key, char *arg, struct argp_state *state)
{
    const char **name = state->input;

    if (key != ARGP_KEY_ARG) {
        return ARGP_ERR_UNKNOWN;
    }
    if (state->arg_num > 0) {
        argp_error(state, "too many arguments");
    }
    *name = arg;
    return 0;
}

static const struct argp help_argp = {
    .parser = help_parse,
    .args_doc = "[COMMAND]",
    .doc = "Explains a command, or lists all of them.",
};

const struct cli_command cli_commands[] = {
    { "all_gather", cli_all_gather_run, &cli_all_gather_argp,
      "Give every rank the vectors of all ranks", NULL },
    { "all_reduce", cli_all_reduce_run, &cli_all_reduce_argp,
      "Combine the vectors of all ranks, and check the result", NULL },
    { "alltoall", cli_alltoall_run, &cli_alltoall_argp,
      "Give every rank a part of each rank's vector", NULL },
    { "broadcast", cli_broadcast_run, &cli_broadcast_argp,
      "Give every rank the vector of one", NULL },
    { "completion", cli_completion_run, &cli_completion_argp,
      "Print a completion script for a shell", NULL },
    { "copy", cli_copy_run, &cli_copy_argp,
      "Copy a file through the DMA rings of a modelled chip", NULL },
    { "ctxlog", cli_ctxlog_run, &cli_ctxlog_argp,
      "Print, make and compare contexts of the management firmware",
      cli_ctxlog_print_subcommands },
    { "dmatest", cli_dmatest_run, &cli_dmatest_argp,
      "Test DMA channels as the Linux kernel's dmatest does", NULL },
    { "help", run_help, &help_argp, "Explain a command", NULL },
    { "icache", cli_icache_run, &cli_icache_argp,
      "Run a program's trace through a sequencer's instruction cache", NULL },
    { "info", cli_info_run, &cli_info_argp,
      "Show engines, addresses, memories and registers of a chip", NULL },
    { "map", cli_map_run, &cli_map_argp,
      "Say what is at an address, and where a name is", NULL },
    { "reduce", cli_reduce_run, &cli_reduce_argp,
      "Combine the vectors of all ranks for one of them", NULL },
    { "reduce_scatter", cli_reduce_scatter_run, &cli_reduce_scatter_argp,
      "Combine the vectors of all ranks, a part for each", NULL },
    { "reg", cli_reg_run, &cli_reg_argp,
      "Look registers up, and take their values apart",
      cli_reg_print_subcommands },
    { "sendrecv", cli_sendrecv_run, &cli_sendrecv_argp,
      "Give every rank the vector of the one before", NULL },
    { "serve", cli_serve_run, &cli_serve_argp,
      "Serve a chip as a PCI function to a virtual machine", NULL },
    { "step", cli_step_run, &cli_step_argp,
      "Run a collective step, and show what it writes and costs", NULL },
    { "vm", cli_vm_run, &cli_vm_argp,
      "Start a virtual machine that has modelled chips", NULL },
    { "watch", cli_watch_run, &cli_watch_argp,
      "Show where channels stand, after copies or a log of accesses", NULL },
    { 0 },
};

/* Names that argp fixes. */
const char *argp_program_version = "trench " TRENCH_VERSION;

/* The parser of the program itself; its help lists the table. */
struct top {
    struct argp_option rows[CLI_ARRAY_LEN(cli_commands) + 1];
    struct argp argp;
};

static error_t top_parse(int key, char *arg, struct argp_state *state)
{
    int *index = state->input;

    (void)arg;
    switch (key) {
    case ARGP_KEY_ARG:
        *index = state->next - 1;
        state->next = state->argc; /* the rest belongs to the command */
        return 0;
    case ARGP_KEY_NO_ARGS:
        argp_state_help(state, stderr,
                        ARGP_HELP_SHORT_USAGE | ARGP_HELP_DOC | ARGP_HELP_LONG |
                            ARGP_HELP_EXIT_ERR);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static void top_init(struct top *top)
{
    struct argp_option *row;

    memset(top, 0, sizeof(*top));
    row = top->rows;
    *row++ = (struct argp_option){ .doc = "Commands:", .group = 1 };
    for (const struct cli_command *c = cli_commands; c->name; c++) {
        if (c->run == run_help) {
            continue; /* argp would sort it to its own option of that name */
        }
        *row++ = (struct argp_option){ .name = c->name,
                                       .flags = OPTION_DOC | OPTION_NO_USAGE,
                                       .doc = c->help,
                                       .group = 1 };
    }
    top->argp.options = top->rows;
    top->argp.parser = top_parse;
    top->argp.args_doc = "COMMAND [ARG...]";
    top->argp.doc =
        "Trench models the SDMA engines of Trainium-class chips down to the "
        "register, and drives the model as a driver would drive silicon."
        "\v"
        "'trench help COMMAND' explains a command. The exit status is 0 "
        "when all went well, 1 when the command failed, and 2 when it was "
        "not understood.\n\n"
        "Examples:\n\n"
        "  $ trench info\n"
        "  $ trench map 0x1002506038\n"
        "  $ trench copy --channels 0-15 input.bin output.bin\n"
        "  $ trench all_reduce -b 1K -e 16M -f 4\n"
        "  $ trench dmatest --channel all --iterations 1000\n"
        "  $ trench icache --image program --trace program.trace\n"
        "  $ trench step --explain\n"
        "  $ . <(trench completion bash)\n";
}

static const struct cli_command *find(const char *name)
{
    for (const struct cli_command *c = cli_commands; c->name; c++) {
        if (strcmp(c->name, name) == 0) {
            return c;
        }
    }
    return NULL;
}

static unsigned min3(unsigned a, unsigned b, unsigned c)
{
    unsigned ab = a < b ? a : b;

    return ab < c ? ab : c;
}

/* Insertions, deletions and replacements that turn a into b. */
static unsigned distance(const char *a, const char *b)
{
    unsigned row[MAX_NAME + 1];
    size_t len = strlen(b);
    unsigned diagonal;
    unsigned above;

    if (strlen(a) > MAX_NAME || len > MAX_NAME) {
        return UINT_MAX;
    }
    for (unsigned j = 0; j <= len; j++) {
        row[j] = j;
    }
    for (unsigned i = 0; a[i] != '\0'; i++) {
        diagonal = i;
        row[0] = i + 1;
        for (unsigned j = 1; j <= len; j++) {
            above = row[j];
            row[j] =
                min3(above + 1, row[j - 1] + 1, diagonal + (a[i] != b[j - 1]));
            diagonal = above;
        }
    }
    return row[len];
}

static int refuse(const char *name)
{
    const char *best = NULL;
    unsigned least = 3; /* more than two slips are another word */
    unsigned dist;

    for (const struct cli_command *c = cli_commands; c->name; c++) {
        dist = distance(name, c->name);
        /* Of two as near, the one that begins as what was typed. */
        if (dist < least || (dist == least && best && best[0] != name[0] &&
                             c->name[0] == name[0])) {
            least = dist;
            best = c->name;
        }
    }
    if (best) {
        cli_error("trench", "unknown command '%s'; did you mean '%s'?", name,
                  best);
    } else {
        cli_error("trench", "unknown command '%s'; see 'trench --help'", name);
    }
    return CLI_USAGE;
}

/* argv[0] is the name that was typed; argp wants to see the full one there. */
static int run_command(int argc, char **argv)
{
    const struct cli_command *command = find(argv[0]);
    char full[sizeof("trench ") + MAX_NAME];

    if (!command) {
        return refuse(argv[0]);
    }
    snprintf(full, sizeof(full), "trench %s", command->name);
    argv[0] = full;
    return command->run(argc, argv);
}

static int run_help(int argc, char **argv)
{
    char option[] = "--help";
    char trench[] = "trench";
    const char *name = NULL;
    char *copy;
    struct top top;
    int exit_code;

    argp_parse(&help_argp, argc, argv, 0, NULL, &name);
    if (!name) {
        top_init(&top);
        argp_help(&top.argp, stdout,
                  ARGP_HELP_SHORT_USAGE | ARGP_HELP_DOC | ARGP_HELP_LONG,
                  trench);
        return CLI_OK;
    }
    copy = strdup(name);
    if (!copy) {
        cli_error("trench", "out of memory");
        return CLI_FAILED;
    }
    exit_code = run_command(2, (char *[]){ copy, option, NULL });
    free(copy);
    return exit_code;
}

/*
 * A descriptor 0..2 that is closed would be given to the next file opened,
 * and messages would end up there. Put something in its place that fails.
 */
static void fill_standard_files(void)
{
    for (int fd = 0; fd <= STDERR_FILENO; fd++) {
        if (fcntl(fd, F_GETFD) < 0 && errno == EBADF) {
            (void)!open("/dev/null", fd == 0 ? O_WRONLY : O_RDONLY);
        }
    }
}

/* Also runs when argp exits after --help: a lost result is a failure. */
static void flush_stdout(void)
{
    errno = 0;
    if (fflush(stdout) != 0 || ferror(stdout)) {
        cli_error("trench", "standard output: %s",
                  errno != 0 ? strerror(errno) : "write error");
        _exit(CLI_FAILED);
    }
}

int main(int argc, char **argv)
{
    struct top top;
    int index = 0;

    fill_standard_files();
    if (atexit(flush_stdout) != 0) {
        return CLI_FAILED;
    }
    argp_err_exit_status = CLI_USAGE;
    top_init(&top);
    if (argp_parse(&top.argp, argc, argv, ARGP_IN_ORDER, NULL, &index) != 0) {
        return CLI_USAGE;
    }
    return run_command(argc - index, argv + index);
}
