/* SPDX-License-Identifier: BSD-3-Clause */
#include "dmatest.h"

#include <inttypes.h>
#include <string.h>

#include <trench/hal.h>

#define MAX_BUF_BYTES (UINT64_C(1) << 30)
/* All buffers together; they are really touched. */
#define MAX_ALL_BYTES (UINT64_C(8) << 30)

static const char *const inject_names[] = {
    [CLI_INJECT_NONE] = "none",     [CLI_INJECT_MISSING] = "missing",
    [CLI_INJECT_SPILL] = "spill",   [CLI_INJECT_WRONG] = "wrong",
    [CLI_INJECT_SOURCE] = "source",
};

#define DAMAGE_ARG "missing|spill|wrong|source"
#define INJECT_ARG DAMAGE_ARG "|FAULT"

enum {
    OPT_CHANNEL = 0x100,
    OPT_QUEUE,
    OPT_BUF_SIZE,
    OPT_ITERATIONS,
    OPT_THREADS,
    OPT_MAX_CHANNELS,
    OPT_TIMEOUT,
    OPT_NOVERIFY,
    OPT_NORANDOM,
    OPT_TRANSFER,
    OPT_ALIGNMENT,
    OPT_DIRECTION,
    OPT_SEED,
    OPT_INJECT,
};

static const struct argp_option test_options_table[] = {
    { .name = "channel",
      .key = OPT_CHANNEL,
      .arg = "SET",
      .doc = "Engines to test, such as 0-15,128 or all (default 0)" },
    { .name = "queue",
      .key = OPT_QUEUE,
      .arg = "SET",
      .doc = "Queues of each engine to test (default 0, or as many as "
             "--threads-per-chan)" },
    { .name = "test-buf-size",
      .key = OPT_BUF_SIZE,
      .arg = "SIZE",
      .doc = "Bytes of the source and of the destination buffer of a thread "
             "(default 16384)" },
    { .name = "iterations",
      .key = OPT_ITERATIONS,
      .arg = "N",
      .doc = "Tests per thread (default 100)" },
    { .name = "threads-per-chan",
      .key = OPT_THREADS,
      .arg = "N",
      .doc = "Threads per engine, 1 to 16; each has a queue of its own "
             "(default 1)" },
    { .name = "max-channels",
      .key = OPT_MAX_CHANNELS,
      .arg = "N",
      .doc = "Test at most the first N engines of --channel" },
    { .name = "timeout",
      .key = OPT_TIMEOUT,
      .arg = "MS",
      .doc = "Milliseconds that a test may take (default 3000)" },
    { .name = "noverify",
      .key = OPT_NOVERIFY,
      .doc = "Neither fill nor check the buffers" },
    { .name = "norandom",
      .key = OPT_NORANDOM,
      .doc = "Copy whole buffers from offset 0 to offset 0" },
    { .name = "transfer-size",
      .key = OPT_TRANSFER,
      .arg = "SIZE",
      .doc = "Bytes of every copy; 0 means random (default 0)" },
    { .name = "alignment",
      .key = OPT_ALIGNMENT,
      .arg = "LOG2",
      .doc = "Offsets and random lengths are multiples of 2^LOG2; -1 means "
             "any byte (default -1)" },
    { .name = "direction",
      .key = OPT_DIRECTION,
      .arg = CLI_DIRECTION_ARG,
      .doc = "Where the buffers are: host memory to HBM (default), HBM to "
             "host memory, or one HBM to another" },
    { .name = "seed",
      .key = OPT_SEED,
      .arg = "N",
      .doc = "Start of the random numbers, to repeat a run (default random; "
             "always printed)" },
    { .name = "inject",
      .key = OPT_INJECT,
      .arg = INJECT_ARG,
      .doc = "Damage the buffers after each copy, to see that the test "
             "notices; or let the engines meet a FAULT (up to 16 of them)" },
    { .name = "verbose", .key = 'v', .doc = "Print a line for every test" },
    { 0 },
};

static const struct argp_child test_children[] = {
    { .argp = &cli_common_argp },
    { 0 },
};

static void test_init(struct argp_state *state, struct cli_dmatest_options *o)
{
    memset(o, 0, sizeof(*o));
    o->channel = "0";
    o->buf_bytes = 16384;
    o->iterations = 100;
    o->timeout_ms = 3000;
    state->child_inputs[0] = &o->common;
}

static void parse_inject(const struct cli_opt_arg *arg,
                         struct cli_dmatest_options *o)
{
    if (strchr(arg->text, ':')) {
        cli_opt_add_fault(arg, &o->faults);
        return;
    }
    for (unsigned i = 0; i < CLI_ARRAY_LEN(inject_names); i++) {
        if (strcmp(arg->text, inject_names[i]) == 0) {
            o->inject = (enum cli_inject)i;
            return;
        }
    }
    argp_error(arg->state,
               "%s: '%s' is none of " DAMAGE_ARG ", and no " CLI_FAULT_ARG,
               arg->name, arg->text);
}

static unsigned parse_alignment(const struct cli_opt_arg *arg)
{
    if (strcmp(arg->text, "-1") == 0) {
        return 0;
    }
    return (unsigned)cli_opt_number(arg, 0, 30);
}

static uint32_t number(struct cli_opt_arg *arg, const char *name, uint32_t min,
                       uint32_t max)
{
    arg->name = name;
    return (uint32_t)cli_opt_number(arg, min, max);
}

static uint32_t size(struct cli_opt_arg *arg, const char *name, uint32_t min)
{
    arg->name = name;
    return (uint32_t)cli_opt_size(arg, min, MAX_BUF_BYTES);
}

/* Options that do not need the generation, and have no value of their own. */
static error_t parse_switch(int key, struct cli_dmatest_options *o)
{
    switch (key) {
    case OPT_NOVERIFY:
        o->noverify = true;
        return 0;
    case OPT_NORANDOM:
        o->norandom = true;
        return 0;
    case 'v':
        o->verbose = true;
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static error_t parse_value(int key, struct cli_opt_arg *arg,
                           struct cli_dmatest_options *o)
{
    switch (key) {
    case OPT_CHANNEL:
        o->channel = arg->text;
        return 0;
    case OPT_QUEUE:
        o->queue = arg->text;
        return 0;
    case OPT_BUF_SIZE:
        o->buf_bytes = size(arg, "--test-buf-size", 1);
        return 0;
    case OPT_ITERATIONS:
        o->iterations = number(arg, "--iterations", 1, UINT32_MAX);
        return 0;
    case OPT_THREADS:
        o->threads_per_chan =
            number(arg, "--threads-per-chan", 1, TRENCH_NR_QUEUES);
        return 0;
    case OPT_MAX_CHANNELS:
        o->max_channels = number(arg, "--max-channels", 1, UINT32_MAX);
        return 0;
    case OPT_TIMEOUT:
        o->timeout_ms = number(arg, "--timeout", 1, UINT32_MAX);
        return 0;
    case OPT_TRANSFER:
        o->transfer_bytes = size(arg, "--transfer-size", 0);
        return 0;
    case OPT_ALIGNMENT:
        arg->name = "--alignment";
        o->align_log2 = parse_alignment(arg);
        return 0;
    case OPT_DIRECTION:
        arg->name = "--direction";
        o->direction = cli_opt_direction(arg);
        return 0;
    case OPT_SEED:
        arg->name = "--seed";
        o->seed = cli_opt_number(arg, 0, UINT64_MAX);
        o->seeded = true;
        return 0;
    case OPT_INJECT:
        arg->name = "--inject";
        parse_inject(arg, o);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

/* Which queues: the set, cut to the number of threads when both are given. */
static void end_queues(struct argp_state *state, struct cli_dmatest_options *o)
{
    struct cli_opt_arg arg = { state, "--queue", o->queue };

    if (!o->queue) {
        arg.text = o->threads_per_chan > 0 ? "all" : "0";
    }
    cli_opt_set(&arg, TRENCH_NR_QUEUES, &o->queue_set);
    if (o->threads_per_chan > o->queue_set.count) {
        argp_error(state, "--threads-per-chan: %u threads, but %u queues",
                   o->threads_per_chan, o->queue_set.count);
    }
    if (o->threads_per_chan > 0) {
        cli_set_truncate(&o->queue_set, o->threads_per_chan);
    }
}

static void test_end(struct argp_state *state, struct cli_dmatest_options *o)
{
    struct cli_opt_arg arg = { state, "--channel", o->channel };
    uint64_t threads;

    cli_opt_set(&arg, o->common.gen->nr_engines, &o->engine_set);
    if (o->max_channels > 0) {
        cli_set_truncate(&o->engine_set, o->max_channels);
    }
    end_queues(state, o);
    if (o->transfer_bytes > o->buf_bytes) {
        argp_error(state,
                   "--transfer-size: %u bytes do not fit in a buffer "
                   "of %u",
                   o->transfer_bytes, o->buf_bytes);
    }
    if (UINT64_C(1) << o->align_log2 > o->buf_bytes) {
        argp_error(state, "--alignment: 2^%u is more than a buffer of %u bytes",
                   o->align_log2, o->buf_bytes);
    }
    threads = (uint64_t)o->engine_set.count * o->queue_set.count;
    if (2 * threads * o->buf_bytes > MAX_ALL_BYTES) {
        argp_error(state,
                   "--test-buf-size: %" PRIu64 " threads with buffers of %u "
                   "bytes need more than %s",
                   threads, o->buf_bytes, cli_human((double)MAX_ALL_BYTES).s);
    }
}

static error_t test_parse(int key, char *text, struct argp_state *state)
{
    struct cli_dmatest_options *o = state->input;
    struct cli_opt_arg arg = { state, "", text };

    switch (key) {
    case ARGP_KEY_INIT:
        test_init(state, o);
        return 0;
    case ARGP_KEY_ARG:
        argp_error(state, "too many arguments");
        return 0;
    case ARGP_KEY_END:
        test_end(state, o);
        return 0;
    default:
        return text ? parse_value(key, &arg, o) : parse_switch(key, o);
    }
}

const struct argp cli_dmatest_argp = {
    .options = test_options_table,
    .parser = test_parse,
    .children = test_children,
    .doc =
        "Tests queues of a modelled chip with copies of random length from "
        "and to random offsets. Both buffers are filled with patterns before "
        "and checked after each copy, so that bytes which are missing, "
        "wrong, or written outside the destination are told apart. "
        "Parameters and output are those of the Linux kernel's dmatest; a "
        "thread eEqQ-copyN uses queue Q of engine E."
        "\n\nOptions:"
        "\v"
        "A SIZE may have a suffix: K, M, G or KiB, MiB, GiB (1024), KB, MB, "
        "GB (1000). A SET is a list of numbers and ranges, or 'all'.\n\n"
        "A FAULT is " CLI_FAULT_ARG ". PLACE is an AXI master, m2s-desc-read, "
        "m2s-data-read, m2s-cmpl-write, s2m-desc-read, s2m-data-write, "
        "s2m-cmpl-write or msix-write, and WHAT its answer: exokay, slverr, "
        "decerr, timeout or parity, joined with '+'. Or PLACE is m2s, s2m or "
        "fifo, and WHAT an error cause of M2S (at the start of a packet), of "
        "S2M (at the end of a buffer) or of the FIFOs, by name or number. "
        "after=N lets N of them pass first, times=N strikes N times (default: "
        "always).\n\n"
        "Examples:\n\n"
        "  $ trench dmatest\n"
        "  $ trench dmatest --channel all --threads-per-chan 16 --iterations 10\n"
        "  $ trench dmatest --channel 0-3 --test-buf-size 1M --seed 0x2a\n"
        "  $ trench dmatest --inject spill --iterations 1\n"
        "  $ trench dmatest --inject m2s-data-read:slverr,after=10,times=1\n"
        "  $ trench dmatest --inject s2m:comp_ack_tout,queue=0\n",
};
