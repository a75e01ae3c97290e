/* SPDX-License-Identifier: BSD-3-Clause */
/* trench icache: a program's trace through the sequencer's cache. */
#include "icache.h"

#include <string.h>
#include <strings.h>

enum key {
    KEY_IMAGE = 'i',
    KEY_TRACE = 't',
    KEY_BLOCK = 'b',
    KEY_LINES = 'l',
    KEY_ENGINE = 'e',
    KEY_SECTION = 256,
    KEY_BASE,
    KEY_IRAM,
    KEY_BACKEND,
    KEY_CORE,
    KEY_PREFETCH,
    KEY_HISTOGRAM,
    KEY_SWEEP,
    KEY_SVG,
    KEY_LOG,
    KEY_WORDS,
    KEY_LATENCY,
    KEY_MODE,
    KEY_CONTROL,
};

const char *const icache_backend_names[] = { "mailbox", "ring", NULL };
const char *const icache_prefetch_names[] = { "none", "next", "hint", "both",
                                              NULL };

static const struct argp_option options[] = {
    { "image", KEY_IMAGE, "FILE", 0,
      "Program: an ELF file (its executable segments), or raw bytes", 1 },
    { "section", KEY_SECTION, "NAME", 0,
      "Take this section of the ELF file instead", 1 },
    { "base", KEY_BASE, "ADDR", 0,
      "Where the trace has the program: added to its link addresses (0)", 1 },
    { "trace", KEY_TRACE, "FILE", 0,
      "Executed addresses, perhaps compressed with gzip; - = standard input",
      1 },
    { "block", KEY_BLOCK, "SIZE", 0, "Bytes of a cache line (8K)", 2 },
    { "lines", KEY_LINES, "N", 0, "Lines, instead of --iram", 2 },
    { "iram", KEY_IRAM, "SIZE", 0, "Bytes of all lines (32K)", 2 },
    { "sweep", KEY_SWEEP, "block=MIN:MAX", 0,
      "Run the trace for each block size, doubling from MIN to MAX", 2 },
    { "engine", KEY_ENGINE, "pool|act|pe|dve|sp", 0,
      "Sequencer that runs it (pool)", 3 },
    { "core", KEY_CORE, "N", 0, "Its NeuronCore (0)", 3 },
    { "backend", KEY_BACKEND, "mailbox|ring", 0,
      "What moves a block (mailbox; sunda: ring)", 3 },
    { "prefetch", KEY_PREFETCH, "none|next|hint|both", 0,
      "What is fetched ahead of its use: the next block, the target of the "
      "branch that left the next block last time, or that where it is known "
      "(none)",
      3 },
    { "words", KEY_WORDS, "destination-first|source-first", 0,
      "Reading of the mailbox words (destination-first)", 3 },
    { "latency", KEY_LATENCY, "N", 0,
      "Polls that find a fill of the mailbox under way (0)", 3 },
    { "mode", KEY_MODE, "hw|sunda", 0, "Run mode of the firmware (hw)", 3 },
    { "histogram", KEY_HISTOGRAM, "N", OPTION_ARG_OPTIONAL,
      "Show the N blocks that were filled most (16)", 4 },
    { "svg", KEY_SVG, "FILE", 0, "Draw the sweep; - = standard output", 4 },
    { "control", KEY_CONTROL, NULL, 0,
      "Show the control structure as it is in device memory at the end", 4 },
    { "log", KEY_LOG, NULL, 0,
      "Print the lines that the firmware logs, on standard error", 4 },
    { 0 },
};

static const struct argp_child children[] = {
    { .argp = &cli_common_argp },
    { 0 },
};

/* Position of a word in a NULL-terminated list; ends the program. */
static unsigned word(const struct cli_opt_arg *arg, const char *const *words)
{
    char known[64] = "";
    size_t len = 0;

    for (unsigned i = 0; words[i]; i++) {
        if (strcasecmp(arg->text, words[i]) == 0) {
            return i;
        }
    }
    for (unsigned i = 0; words[i] && len < sizeof(known); i++) {
        len += (size_t)snprintf(known + len, sizeof(known) - len, "%s%s",
                                i > 0 ? ", " : "", words[i]);
    }
    argp_error(arg->state, "%s: '%s' is none of %s", arg->name, arg->text,
               known);
    return 0; /* not reached */
}

/* "block=MIN:MAX" */
static void parse_sweep(const struct cli_opt_arg *arg, struct icache_opts *o)
{
    struct cli_opt_arg part = *arg;
    char first[32];
    char last[32];

    if (sscanf(arg->text, "block=%31[^:]:%31[^\n]", first, last) != 2) {
        argp_error(arg->state, "--sweep: '%s' is not block=MIN:MAX", arg->text);
        return; /* not reached */
    }
    part.text = first;
    o->sweep_first = (uint32_t)cli_opt_size(&part, TRENCH_ICACHE_RECORD_BYTES,
                                            TRENCH_SOC_SEQ_IRAM_MAX);
    part.text = last;
    o->sweep_last =
        (uint32_t)cli_opt_size(&part, o->sweep_first, TRENCH_SOC_SEQ_IRAM_MAX);
}

/* The arguments that are not words. */
static error_t parse_number(int key, const struct cli_opt_arg *arg,
                            struct icache_opts *o)
{
    switch (key) {
    case KEY_BASE:
        o->base = cli_opt_number(arg, 0, UINT64_MAX);
        o->base_given = true;
        return 0;
    case KEY_BLOCK:
        o->block = (uint32_t)cli_opt_size(arg, TRENCH_ICACHE_RECORD_BYTES,
                                          TRENCH_SOC_SEQ_IRAM_MAX);
        return 0;
    case KEY_LINES:
        o->lines = (uint32_t)cli_opt_number(arg, 1, 2048);
        return 0;
    case KEY_IRAM:
        o->iram = (uint32_t)cli_opt_size(arg, TRENCH_ICACHE_RECORD_BYTES,
                                         TRENCH_SOC_SEQ_IRAM_MAX);
        return 0;
    case KEY_CORE:
        o->core = (unsigned)cli_opt_number(arg, 0, 7);
        return 0;
    case KEY_LATENCY:
        o->latency = (uint32_t)cli_opt_number(arg, 0, 1000000);
        return 0;
    case KEY_HISTOGRAM:
        o->histogram =
            arg->text ? (unsigned)cli_opt_number(arg, 1, 1000000) : 16;
        return 0;
    case KEY_SWEEP:
        parse_sweep(arg, o);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static error_t parse_word(int key, const struct cli_opt_arg *arg,
                          struct icache_opts *o)
{
    static const char *const orders[] = { "destination-first", "source-first",
                                          NULL };
    static const char *const modes[] = { "hw", "sunda", NULL };

    switch (key) {
    case KEY_BACKEND:
        o->backend =
            (enum trench_icache_backend)word(arg, icache_backend_names);
        o->backend_given = true;
        return 0;
    case KEY_PREFETCH:
        o->prefetch = word(arg, icache_prefetch_names);
        return 0;
    case KEY_WORDS:
        o->words = (enum trench_mailbox_words)word(arg, orders);
        return 0;
    case KEY_MODE:
        o->sunda_mode = word(arg, modes) == 1;
        return 0;
    default:
        return parse_number(key, arg, o);
    }
}

/* The other cores of a NeuronCore run images without this cache. */
static void parse_engine(const struct cli_opt_arg *arg, struct icache_opts *o)
{
    /* All generations have the same sequencers. */
    int seq = trench_gen_seq_find(trench_gen_find(NULL), arg->text);

    if (strncasecmp(arg->text, "q7", 2) == 0) {
        argp_error(arg->state,
                   "%s: Q7 images hold no instruction cache; its engines are "
                   "the NX sequencers pool, act, pe, dve, sp",
                   arg->name);
    } else if (seq < 0) {
        argp_error(arg->state,
                   "%s: '%s' is not a sequencer: pool, act, pe, dve, sp",
                   arg->name, arg->text);
    } else {
        o->seq = (unsigned)seq;
    }
}

/* Where no mailbox is known, nobody means it. */
static void choose_backend(struct icache_opts *o)
{
    if (!o->backend_given && !trench_icache_has_mailbox(o->common.gen)) {
        o->backend = TRENCH_ICACHE_RING;
    }
}

static void check_block(const struct argp_state *state,
                        const struct icache_opts *o, uint32_t block)
{
    if (block % TRENCH_ICACHE_RECORD_BYTES != 0 || o->iram % block != 0 ||
        o->iram / block > 2048) {
        argp_error(state,
                   "blocks of %u bytes: a block is a multiple of 64 that "
                   "divides the %u of the instruction RAM into at most "
                   "2048 lines",
                   block, o->iram);
    }
    if ((o->prefetch & TRENCH_ICACHE_PREFETCH_HINT) && o->iram / block > 32) {
        argp_error(state,
                   "blocks of %u bytes: hints are for at most 32 lines, these "
                   "are %u",
                   block, o->iram / block);
    }
}

static void check_geometry(const struct argp_state *state,
                           struct icache_opts *o)
{
    uint32_t first = o->sweep_first ? o->sweep_first : o->block;
    uint32_t last = o->sweep_first ? o->sweep_last : o->block;

    if (o->lines) {
        o->iram = TRENCH_SOC_SEQ_IRAM_MAX / o->block < o->lines
                      ? UINT32_MAX
                      : o->lines * o->block;
    }
    if (o->iram > TRENCH_SOC_SEQ_IRAM_MAX) {
        argp_error(state, "%u lines of %u bytes do not fit 128 KiB", o->lines,
                   o->block);
    }
    if (last > o->iram) {
        argp_error(state,
                   "a block of %u bytes is larger than the %u of the "
                   "instruction RAM",
                   last, o->iram);
    }
    for (uint32_t block = first; block <= last; block *= 2) {
        check_block(state, o, block);
    }
    if (o->backend == TRENCH_ICACHE_RING && last > 65536) {
        argp_error(state, "a descriptor of the ring moves at most 65536 bytes");
    }
}

/* What only the whole of the options can tell. */
static void check(const struct argp_state *state, struct icache_opts *o)
{
    if (!o->image || !o->trace) {
        argp_error(state, "both --image and --trace are needed");
    }
    if (o->lines && o->sweep_first) {
        argp_error(state, "--sweep takes --iram, not --lines");
    }
    check_geometry(state, o);
    if (o->svg && !o->sweep_first) {
        argp_error(state, "--svg needs --sweep");
    }
}

static void set_defaults(struct icache_opts *o)
{
    o->block = TRENCH_ICACHE_DEFAULT_BLOCK;
    o->iram = TRENCH_ICACHE_REGION_BYTES;
    o->seq = (unsigned)trench_gen_seq_find(trench_gen_find(NULL), "pool");
}

/* Files, switches, and the rest. */
static error_t parse_option(int key, const struct cli_opt_arg *arg,
                            struct icache_opts *o)
{
    switch (key) {
    case KEY_IMAGE:
        o->image = arg->text;
        return 0;
    case KEY_TRACE:
        o->trace = arg->text;
        return 0;
    case KEY_SECTION:
        o->section = arg->text;
        return 0;
    case KEY_SVG:
        o->svg = arg->text;
        return 0;
    case KEY_LOG:
        o->log = true;
        return 0;
    case KEY_CONTROL:
        o->control = true;
        return 0;
    case KEY_ENGINE:
        parse_engine(arg, o);
        return 0;
    default:
        return parse_word(key, arg, o);
    }
}

static error_t parse(int key, char *text, struct argp_state *state)
{
    struct icache_opts *o = state->input;
    const struct cli_opt_name name = cli_opt_name(options, key);
    const struct cli_opt_arg arg = { state, name.s, text };

    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &o->common;
        set_defaults(o);
        return 0;
    case ARGP_KEY_ARG:
        argp_error(state, "too many arguments");
        return 0;
    case ARGP_KEY_SUCCESS:
        choose_backend(o);
        check(state, o);
        return 0;
    default:
        return name.s[0] ? parse_option(key, &arg, o) : ARGP_ERR_UNKNOWN;
    }
}

const struct argp cli_icache_argp = {
    .options = options,
    .parser = parse,
    .children = children,
    .doc =
        "Runs a program's trace through the instruction cache of a sequencer, "
        "as its firmware manages it: each miss is filled by the modelled DMA, "
        "and every byte that is executed is compared with the image."
        "\n\nOptions:"
        "\v"
        "A trace is what valgrind --tool=lackey --trace-mem=yes or QEMU's "
        "-d exec and -d in_asm print, or hexadecimal addresses, one a line.\n\n"
        "Examples:\n\n"
        "  $ valgrind --tool=lackey --trace-mem=yes --log-file=t gzip -c f >g\n"
        "  $ trench icache -i /bin/gzip --base 0x108000 -t t\n"
        "  $ trench icache -i /bin/gzip --base 0x108000 -t t --sweep block=1K:8K\n"
        "  $ trench icache -i a.bin -t a.trace --sweep block=256:16K --svg a.svg\n",
};

int cli_icache_run(int argc, char **argv)
{
    struct icache_opts opts = { .prog = argv[0] };
    struct icache_run run;
    int err;

    argp_parse(&cli_icache_argp, argc, argv, 0, NULL, &opts);
    err = icache_run_open(&opts, &run);
    if (!err) {
        /* What was replayed before a fault is shown all the same. */
        err = icache_run_replay(&run);
        if (run.trace->counts.records > 0 && opts.common.json) {
            err |= cli_json_print(opts.prog, stdout, icache_json(&run));
        } else if (run.trace->counts.records > 0) {
            icache_print(&run);
        }
    }
    if (!err && opts.svg) {
        err = icache_plot(&run);
    }
    icache_run_close(&run);
    return err ? CLI_FAILED : CLI_OK;
}
