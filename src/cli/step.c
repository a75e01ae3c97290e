/* SPDX-License-Identifier: BSD-3-Clause */
/* trench step: one collective step on the modelled chip, explained. */
#include "step.h"

#include <string.h>
#include <unistd.h>

enum key {
    KEY_ENGINES = 'e',
    KEY_QUEUES = 'q',
    KEY_BUNDLE = 'b',
    KEY_IN = 'i',
    KEY_OUT = 'o',
    KEY_STEPS = 'n',
    KEY_VERBOSE = 'v',
    KEY_PCORE = 256,
    KEY_CORE,
    KEY_MANAGER,
    KEY_BYTES,
    KEY_SEED,
    KEY_READING,
    KEY_NO_BROADCAST,
    KEY_EXPLAIN,
    KEY_DRY_RUN,
    KEY_INJECT,
};

static const struct argp_option options[] = {
    { "in", KEY_IN, "FILE", 0,
      "Move this file instead of random data; - = standard input", 1 },
    { "out", KEY_OUT, "FILE", 0,
      "Write what has arrived to this file; - = standard output", 1 },
    { "bytes", KEY_BYTES, "SIZE", 0, "Bytes of random data (1M)", 1 },
    { "seed", KEY_SEED, "N", 0, "Of the random data (by the clock)", 1 },
    { "steps", KEY_STEPS, "N", 0,
      "Steps, each with the next part of the standing rings (1)", 1 },
    { "engines", KEY_ENGINES, "SET", 0,
      "Engines of the virtual core, 0-31 (0-15; 16-31 for an upper bundle)",
      2 },
    { "queues", KEY_QUEUES, "SET", 0,
      "Queues, 0-15 (the one of the allocation word)", 2 },
    { "bundle", KEY_BUNDLE, "N", 0,
      "Queue bundle, 0-7 (0); engines of the other half are in the bundle "
      "four away",
      2 },
    { "pcore", KEY_PCORE, "N", 0, "Half that the broadcast reaches, 0 or 1",
      2 },
    { "core", KEY_CORE, "N", 0, "First NeuronCore of the virtual core (0)", 2 },
    { "manager", KEY_MANAGER, "N", 0,
      "Engine that executes the TopLevel rings (the last one)", 2 },
    { "reading", KEY_READING, "seed|sheets", 0,
      "What the halves of an allocation word mean (seed)", 2 },
    { "no-broadcast", KEY_NO_BROADCAST, NULL, 0,
      "Reset and start the engines one by one, and nothing else", 2 },
    { "explain", KEY_EXPLAIN, NULL, 0,
      "Show allocation, descriptors, broadcasts, and whom they reached", 3 },
    { "dry-run", KEY_DRY_RUN, NULL, 0,
      "Lay the rings and show what the firmware would write; run nothing", 3 },
    { "inject", KEY_INJECT, CLI_FAULT_ARG, 0,
      "Let an engine fail; may be repeated", 3 },
    { "verbose", KEY_VERBOSE, NULL, 0, "Print what the model logs", 3 },
    { 0 },
};

static const struct argp_child children[] = {
    { .argp = &cli_common_argp },
    { 0 },
};

static enum trench_ncfw_reading parse_reading(const struct cli_opt_arg *arg)
{
    if (strcmp(arg->text, "seed") != 0 && strcmp(arg->text, "sheets") != 0) {
        argp_error(arg->state, "%s: '%s' is none of seed, sheets", arg->name,
                   arg->text);
    }
    return strcmp(arg->text, "sheets") == 0 ? TRENCH_NCFW_SHEETS
                                            : TRENCH_NCFW_SEED;
}

static error_t parse_number(int key, const struct cli_opt_arg *arg,
                            struct step_opts *o)
{
    switch (key) {
    case KEY_BUNDLE:
        o->bundle = (unsigned)cli_opt_number(arg, 0, TRENCH_NR_BUNDLES - 1);
        return 0;
    case KEY_PCORE:
        o->pcore = (unsigned)cli_opt_number(arg, 0, 1);
        o->own_pcore = true;
        return 0;
    case KEY_CORE:
        o->core = (unsigned)cli_opt_number(arg, 0, 7);
        return 0;
    case KEY_MANAGER:
        o->manager = (int)cli_opt_number(arg, 0, CLI_SET_MAX - 1);
        return 0;
    case KEY_BYTES:
        o->bytes = cli_opt_size(arg, 1, STEP_BYTES_MAX);
        return 0;
    case KEY_SEED:
        o->seed = cli_opt_number(arg, 0, UINT64_MAX);
        o->seed_given = true;
        return 0;
    case KEY_STEPS:
        o->steps = (unsigned)cli_opt_number(arg, 1, TRENCH_BASIC_BLOCKS_MAX);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static error_t parse_option(int key, const struct cli_opt_arg *arg,
                            struct step_opts *o)
{
    switch (key) {
    case KEY_IN:
        o->in = arg->text;
        return 0;
    case KEY_OUT:
        o->out = arg->text;
        return 0;
    case KEY_ENGINES:
        o->engines_text = arg->text;
        return 0;
    case KEY_QUEUES:
        o->queues_text = arg->text;
        return 0;
    case KEY_READING:
        o->reading = parse_reading(arg);
        return 0;
    case KEY_INJECT:
        cli_opt_add_fault(arg, &o->faults);
        return 0;
    case KEY_NO_BROADCAST:
        o->no_broadcast = true;
        return 0;
    case KEY_EXPLAIN:
        o->explain = true;
        return 0;
    case KEY_DRY_RUN:
        o->dry_run = true;
        return 0;
    case KEY_VERBOSE:
        o->verbose = true;
        return 0;
    default:
        return parse_number(key, arg, o);
    }
}

/* Queue that the allocation word gives the bundle. */
static unsigned alloc_queue(const struct step_opts *o)
{
    struct trench_ncfw_alloc alloc;
    uint64_t word = 0;

    (void)trench_ncfw_alloc_word(o->common.gen, 0, o->bundle, &word);
    trench_ncfw_alloc_decode(word, o->reading, &alloc);
    return alloc.queue;
}

/* What depends on other options. */
static void settle(const struct argp_state *state, struct step_opts *o)
{
    struct cli_opt_arg engines = { state, "--engines",
                                   o->bundle < 4 ? "0-15" : "16-31" };
    struct cli_opt_arg queues = { state, "--queues", o->queues_text };
    char queue[8];

    if (o->engines_text) {
        engines.text = o->engines_text;
    }
    if (!o->queues_text) {
        snprintf(queue, sizeof(queue), "%u", alloc_queue(o));
        queues.text = queue;
    }
    cli_opt_set(&engines, TRENCH_NCFW_ENGINES, &o->engines);
    cli_opt_set(&queues, TRENCH_NR_QUEUES, &o->queues);
    if (o->in && (o->bytes != 0 || o->seed_given)) {
        argp_error(state, "--in takes neither --bytes nor --seed");
    }
    if (o->dry_run && o->out) {
        argp_error(state, "--dry-run moves nothing that --out could write");
    }
    if (o->dry_run && o->faults.nr > 0) {
        argp_error(state, "--dry-run runs nothing that --inject could fail");
    }
    if (o->bytes == 0) {
        o->bytes = UINT64_C(1) << 20;
    }
    if (!o->seed_given) {
        o->seed = cli_now_ns();
    }
}

static error_t parse(int key, char *text, struct argp_state *state)
{
    struct step_opts *o = state->input;
    const struct cli_opt_name name = cli_opt_name(options, key);
    const struct cli_opt_arg arg = { state, name.s, text };

    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &o->common;
        o->steps = 1;
        o->manager = -1;
        return 0;
    case ARGP_KEY_ARG:
        argp_error(state, "too many arguments");
        return 0;
    case ARGP_KEY_SUCCESS:
        settle(state, o);
        return 0;
    default:
        return name.s[0] ? parse_option(key, &arg, o) : ARGP_ERR_UNKNOWN;
    }
}

const struct argp cli_step_argp = {
    .options = options,
    .parser = parse,
    .children = children,
    .doc =
        "Runs a collective step as the management firmware does: rings are "
        "laid in HBM, a TopLevel ring resets the queues of the group and "
        "reloads their ring registers by DMA, one broadcast write a direction "
        "starts all engines, and each signals by incrementing a semaphore. The "
        "data is compared. The same step is then run with a doorbell an engine "
        "instead, and both costs are shown."
        "\n\nOptions:"
        "\v"
        "A SIZE may have a suffix: K, M, G or KiB, MiB, GiB (1024), KB, MB, "
        "GB (1000). A SET is a list of numbers and ranges, or 'all'.\n\n"
        "Examples:\n\n"
        "  $ trench step\n"
        "  $ trench step --explain --engines 0-3 --in a --out b\n"
        "  $ trench step --engines all --steps 8 --reading sheets\n"
        "  $ trench step --gen sunda --no-broadcast\n",
};

/* Results go where the data does not. */
static FILE *stream(const struct step_run *run)
{
    return run->output.is_stdout ? stderr : stdout;
}

static int show(const struct step_run *run)
{
    const struct step_opts *o = run->opts;
    FILE *to = stream(run);

    if (o->common.json) {
        return cli_json_print(o->prog, to, step_json(run));
    }
    if (o->explain) {
        step_explain(run, to);
    }
    if (o->dry_run) {
        step_print_ops(run, to);
    } else {
        step_print(run, to);
    }
    return CLI_OK;
}

int cli_step_run(int argc, char **argv)
{
    struct step_opts opts = { .prog = argv[0] };
    struct step_run run;
    int err;

    argp_parse(&cli_step_argp, argc, argv, 0, NULL, &opts);
    err = step_open(&opts, &run);
    if (!err && !opts.dry_run) {
        err = step_go(&run);
        if (err && opts.explain && !opts.common.json) {
            /* Who got what may tell why. */
            step_explain(&run, stream(&run));
        }
    }
    if (!err) {
        err = step_finish(&run);
    }
    if (!err) {
        err = show(&run);
    }
    step_close(&run);
    return err ? CLI_FAILED : CLI_OK;
}
