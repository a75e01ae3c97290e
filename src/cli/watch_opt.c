/* SPDX-License-Identifier: BSD-3-Clause */
#include "watch.h"

#include <string.h>
#include <strings.h>

#define MAX_BYTES    (UINT64_C(64) << 20)
#define MAX_ALL      (UINT64_C(4) << 30) /* all buffers together */
#define MAX_INTERVAL 3600000u
#define MAX_RECORDS  65536u

enum {
    OPT_CHANNEL = 0x100,
    OPT_QUEUE,
    OPT_BYTES,
    OPT_ITERATIONS,
    OPT_DIRECTION,
    OPT_SEED,
    OPT_INJECT,
    OPT_NOTIFY,
    OPT_INTERVAL,
    OPT_ROUNDS,
    OPT_BAR,
    OPT_STRICT,
    OPT_RECORDS,
    OPT_CLEAR,
};

static const struct argp_option options_table[] = {
    { .doc = "Without FILE:", .group = 1 },
    { .name = "iterations",
      .key = OPT_ITERATIONS,
      .arg = "N",
      .doc = "Copies per queue and round (default 100)" },
    { .name = "bytes",
      .key = OPT_BYTES,
      .arg = "SIZE",
      .doc = "Bytes of a copy (default 8K)" },
    { .name = "direction",
      .key = OPT_DIRECTION,
      .arg = CLI_DIRECTION_ARG,
      .doc = "Where the buffers are: host memory to HBM (default), HBM to "
             "host memory, or one HBM to another" },
    { .name = "seed",
      .key = OPT_SEED,
      .arg = "N",
      .doc = "Start of the random bytes that are copied (default 1)" },
    { .name = "inject",
      .key = OPT_INJECT,
      .arg = "FAULT",
      .doc = "Let the engines meet a fault (up to 16 of them); see trench "
             "dmatest" },
    { .name = "notify",
      .key = OPT_NOTIFY,
      .doc = "Let the engines tell of each packet, in a notification queue "
             "in memory" },
    { .name = "interval",
      .key = OPT_INTERVAL,
      .arg = "MS",
      .doc = "Go on with another round after so many milliseconds, and show "
             "the channels after each; on a terminal in place" },
    { .name = "rounds",
      .key = OPT_ROUNDS,
      .arg = "N",
      .doc = "Rounds to run (default 1, with --interval no end)" },
    { .doc = "With FILE:", .group = 2 },
    { .name = "bar",
      .key = OPT_BAR,
      .arg = "GEN",
      .doc = "Addresses are offsets in the register BAR of this generation" },
    { .name = "strict",
      .key = OPT_STRICT,
      .doc = "Fail when an access is refused or a read is answered in "
             "another way" },
    { .doc = "Both:", .group = 3 },
    { .name = "channel",
      .key = OPT_CHANNEL,
      .arg = "SET",
      .doc = "Engines, such as 0-15,128 or all (default 0, or those that "
             "the log touches)" },
    { .name = "queue",
      .key = OPT_QUEUE,
      .arg = "SET",
      .doc = "Queues to copy with (default 0) and to show (default those "
             "that are in use)" },
    { .name = "records",
      .key = OPT_RECORDS,
      .arg = "N",
      .doc = "Show at most the last N pending records of a notification "
             "queue; 0 means all (default 8)" },
    { .name = "clear",
      .key = OPT_CLEAR,
      .doc = "Also read registers that a read empties" },
    { 0 },
};

static const struct argp_child children[] = {
    { .argp = &cli_common_argp },
    { 0 },
};

static void init(struct argp_state *state, struct watch_options *o)
{
    memset(o, 0, sizeof(*o));
    o->bytes = 8192;
    o->iterations = 100;
    o->records = 8;
    o->seed = 1;
    o->rounds = 1;
    state->child_inputs[0] = &o->common;
}

static uint32_t number(struct cli_opt_arg *arg, const char *name, uint32_t min,
                       uint32_t max)
{
    arg->name = name;
    return (uint32_t)cli_opt_number(arg, min, max);
}

/* Options of a run; with a log they mean nothing. */
static error_t parse_run(int key, struct cli_opt_arg *arg,
                         struct watch_options *o)
{
    switch (key) {
    case OPT_ITERATIONS:
        o->iterations = number(arg, "--iterations", 1, UINT32_MAX);
        break;
    case OPT_BYTES:
        arg->name = "--bytes";
        o->bytes = (uint32_t)cli_opt_size(arg, 1, MAX_BYTES);
        break;
    case OPT_DIRECTION:
        arg->name = "--direction";
        o->direction = cli_opt_direction(arg);
        break;
    case OPT_SEED:
        arg->name = "--seed";
        o->seed = cli_opt_number(arg, 0, UINT64_MAX);
        break;
    case OPT_INJECT:
        arg->name = "--inject";
        cli_opt_add_fault(arg, &o->faults);
        break;
    case OPT_NOTIFY:
        arg->name = "--notify";
        o->notify = true;
        break;
    case OPT_INTERVAL:
        o->interval_ms = number(arg, "--interval", 1, MAX_INTERVAL);
        break;
    case OPT_ROUNDS:
        o->rounds = number(arg, "--rounds", 1, UINT32_MAX);
        o->rounds_given = true;
        break;
    default:
        return ARGP_ERR_UNKNOWN;
    }
    o->run_only = arg->name;
    return 0;
}

static error_t parse_view(int key, struct cli_opt_arg *arg,
                          struct watch_options *o)
{
    switch (key) {
    case OPT_CHANNEL:
        o->channel = arg->text;
        return 0;
    case OPT_QUEUE:
        o->queue = arg->text;
        return 0;
    case OPT_RECORDS:
        o->records = number(arg, "--records", 0, MAX_RECORDS);
        return 0;
    case OPT_CLEAR:
        o->clear = true;
        return 0;
    case OPT_BAR:
        o->bar = arg->text;
        return 0;
    case OPT_STRICT:
        o->strict = true;
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

/* --bar names the generation, as for trench reg annotate. */
static void end_file(struct argp_state *state, struct watch_options *o)
{
    const struct trench_gen *gen = o->bar ? trench_gen_find(o->bar) : NULL;

    if (!o->path) {
        if (o->bar || o->strict) {
            argp_error(state, "%s is for a FILE",
                       o->bar ? "--bar" : "--strict");
        }
        return;
    }
    if (o->run_only) {
        argp_error(state, "%s is not for a FILE", o->run_only);
    }
    if (!o->bar) {
        return;
    }
    if (!gen) {
        cli_refuse_gen(&(struct cli_opt_arg){ state, "--bar", o->bar });
    }
    if (o->common.gen != trench_gen_find(NULL) && o->common.gen != gen) {
        argp_error(state, "--bar %s contradicts --gen %s", o->bar,
                   o->common.gen->name);
    }
    o->common.gen = gen;
}

static void end(struct argp_state *state, struct watch_options *o)
{
    struct cli_opt_arg channel = { state, "--channel", o->channel };
    struct cli_opt_arg queue = { state, "--queue", o->queue };
    uint64_t copiers;

    end_file(state, o);
    if (o->channel || !o->path) {
        channel.text = o->channel ? o->channel : "0";
        cli_opt_set(&channel, o->common.gen->nr_engines, &o->engine_set);
    }
    queue.text = o->queue ? o->queue : "0";
    cli_opt_set(&queue, TRENCH_NR_QUEUES, &o->queue_set);
    copiers = (uint64_t)o->engine_set.count * o->queue_set.count;
    if (2 * copiers * o->bytes > MAX_ALL) {
        argp_error(state,
                   "--bytes: %u channels with %u queues and buffers of %s need "
                   "more than %s",
                   o->engine_set.count, o->queue_set.count,
                   cli_human((double)o->bytes).s, cli_human((double)MAX_ALL).s);
    }
    if (o->interval_ms > 0 && !o->rounds_given) {
        o->rounds = 0;
    }
}

static error_t parse(int key, char *text, struct argp_state *state)
{
    struct watch_options *o = state->input;
    struct cli_opt_arg arg = { state, "", text };

    switch (key) {
    case ARGP_KEY_INIT:
        init(state, o);
        return 0;
    case ARGP_KEY_ARG:
        if (state->arg_num > 0) {
            argp_error(state, "too many arguments");
        }
        o->path = text;
        return 0;
    case ARGP_KEY_END:
        end(state, o);
        return 0;
    default:
        return parse_run(key, &arg, o) == 0 ? 0 : parse_view(key, &arg, o);
    }
}

const struct argp cli_watch_argp = {
    .options = options_table,
    .parser = parse,
    .children = children,
    .args_doc = "[FILE]",
    .doc =
        "Shows where the channels of a modelled chip stand: states, counters, "
        "ring pointers, error and interrupt causes, accesses in flight, "
        "notification queues with their pending records."
        "\n\n"
        "Without FILE the channels make copies first. FILE, or - for standard "
        "input, is a log of register accesses, \"R|W ADDRESS SIZE VALUE\" a "
        "line, plain or gzip; it is done again on the model, and reads that "
        "the model answers in another way are listed."
        "\n\nOptions:"
        "\v"
        "A SIZE may have a suffix: K, M, G or KiB, MiB, GiB (1024), KB, MB, "
        "GB (1000). A SET is a list of numbers and ranges, or 'all'.\n\n"
        "A queue is in use when it has a ring. Pointers are printed as "
        "INDEX@LAP. Looking does not change what is looked at: registers "
        "that a read empties are left alone without --clear.\n\n"
        "Examples:\n\n"
        "  $ trench watch\n"
        "  $ trench watch --channel 0-3 --queue 0-1 --interval 500\n"
        "  $ trench watch --inject m2s-data-read:slverr,after=10,times=1\n"
        "  $ trench watch --notify --iterations 2\n"
        "  $ trench watch --bar sunda --channel 0 driver.mmio.gz\n",
};
