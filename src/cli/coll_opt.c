/* SPDX-License-Identifier: BSD-3-Clause */
/* Options of the commands for collectives: those of nccl-tests, and ours. */
#include "coll.h"

#include <stdlib.h>
#include <string.h>

#include "npy.h"

#define DEFAULT_BYTES (UINT64_C(1) << 20)
#define MAX_BYTES     (UINT64_C(1) << 40)
#define MAX_ROWS      100000u

enum key {
    KEY_MIN = 'b',
    KEY_MAX = 'e',
    KEY_STEP = 'i',
    KEY_FACTOR = 'f',
    KEY_RANKS = 'g',
    KEY_TYPE = 'd',
    KEY_REDOP = 'o',
    KEY_ROOT = 'r',
    KEY_ITERS = 'n',
    KEY_WARMUP = 'w',
    KEY_CHECK = 'c',
    KEY_VERBOSE = 'v',
    KEY_ALGO = 256,
    KEY_CHIPS,
    KEY_CHANNELS,
    KEY_PIECES,
    KEY_SECONDARIES,
    KEY_INTRA,
    KEY_INTER,
    KEY_ENGINES,
    KEY_QUEUES,
    KEY_NO_BROADCAST,
    KEY_STEPS,
    KEY_IN,
    KEY_OUT,
    KEY_TRACE,
    KEY_RANDOM,
    KEY_SEED,
    KEY_INJECT,
};

static const struct argp_option options[] = {
    { "minbytes", KEY_MIN, "SIZE", 0, "Smallest size (1M)", 1 },
    { "maxbytes", KEY_MAX, "SIZE", 0, "Largest size (the smallest)", 1 },
    { "stepbytes", KEY_STEP, "SIZE", 0, "Add this from size to size", 1 },
    { "stepfactor", KEY_FACTOR, "N", 0,
      "Multiply by this from size to size (2)", 1 },
    { "ngpus", KEY_RANKS, "N", 0,
      "Ranks, a NeuronCore each (as many as the chips have)", 1 },
    { "datatype", KEY_TYPE, "TYPE", 0,
      "Of the elements; 'all' = every one (float)", 1 },
    { "op", KEY_REDOP, "sum|max|min|all", 0, "Of reductions (sum)", 1 },
    { "root", KEY_ROOT, "RANK", 0, "Of broadcast and reduce (0)", 1 },
    { "iters", KEY_ITERS, "N", 0, "Runs that are timed together (1)", 1 },
    { "warmup_iters", KEY_WARMUP, "N", 0, "Runs before these (1)", 1 },
    { "check", KEY_CHECK, "0|1", 0, "Compare the results: 1 = yes, 0 = no (1)",
      1 },
    { "algo", KEY_ALGO, "NAME", 0, "Algorithm; 'list' shows them (auto)", 2 },
    { "chips", KEY_CHIPS, "N", 0, "Chips that share the ranks (as needed)", 2 },
    { "channels", KEY_CHANNELS, "N", 0, "Parallel rings, 1-32 (1)", 2 },
    { "pieces", KEY_PIECES, "N", 0, "Pieces in a chain's pipeline (4)", 2 },
    { "secondaries", KEY_SECONDARIES, "1|3", 0,
      "Ranks of a kangaring's group beside the first (what divides)", 2 },
    { "intra", KEY_INTRA, "NAME", 0, "Algorithm of hier in a chip (auto)", 2 },
    { "inter", KEY_INTER, "NAME", 0, "Algorithm of hier between chips (auto)",
      2 },
    { "engines", KEY_ENGINES, "N", 0, "Engines of each rank, 1-16 (16)", 2 },
    { "queues", KEY_QUEUES, "N", 0, "Queues of each engine (1)", 2 },
    { "no-broadcast", KEY_NO_BROADCAST, NULL, 0, "Start engines one by one",
      2 },
    { "in", KEY_IN, "PATTERN.npy", 0, "Begin with these arrays; %d = the rank",
      3 },
    { "out", KEY_OUT, "PATTERN.npy", 0,
      "Write what each rank ends with, or of reduce the root; no such file may "
      "exist",
      3 },
    { "random", KEY_RANDOM, NULL, 0,
      "Random elements instead of small exact ones", 3 },
    { "seed", KEY_SEED, "N", 0, "Of the data (1)", 3 },
    { "steps", KEY_STEPS, NULL, 0, "Print the schedule; run nothing", 4 },
    { "trace", KEY_TRACE, "FILE", 0,
      "Write what engines did as a Chrome or Perfetto trace", 4 },
    { "inject", KEY_INJECT, CLI_FAULT_ARG, 0,
      "Let an engine of chip 0 fail; may be repeated", 4 },
    { "verbose", KEY_VERBOSE, NULL, 0, "Print what the model logs", 4 },
    { 0 },
};

static const struct argp_child children[] = {
    { .argp = &cli_common_argp },
    { 0 },
};

/* ---- values -------------------------------------------------------------- */

static void parse_type(const struct cli_opt_arg *arg, struct coll_opts *o)
{
    enum trench_dtype type = trench_dtype_find(arg->text);

    memset(o->types, 0, sizeof(o->types));
    if (strcmp(arg->text, "all") == 0) {
        for (unsigned t = 1; t < TRENCH_NR_DTYPES; t++) {
            o->types[t] = true;
        }
        return;
    }
    if (type == TRENCH_DTYPE_NONE) {
        char list[256] = "";

        for (unsigned t = 1; t < TRENCH_NR_DTYPES; t++) {
            strcat(strcat(list, " "), trench_dtype_name((enum trench_dtype)t));
        }
        argp_error(arg->state, "%s: the CCE has no type '%s', but%s", arg->name,
                   arg->text, list);
    }
    o->types[type] = true;
}

static const char *const redop_names[TRENCH_CCE_MIN + 1] = {
    [TRENCH_CCE_ADD] = "sum",
    [TRENCH_CCE_MAX] = "max",
    [TRENCH_CCE_MIN] = "min",
};

const char *coll_redop_name(enum trench_cce_op op)
{
    return redop_names[op];
}

static void parse_redop(const struct cli_opt_arg *arg, struct coll_opts *o)
{
    bool found = false;

    memset(o->redops, 0, sizeof(o->redops));
    for (size_t i = 0; i < CLI_ARRAY_LEN(redop_names); i++) {
        if (redop_names[i] && (strcmp(arg->text, redop_names[i]) == 0 ||
                               strcmp(arg->text, "all") == 0)) {
            o->redops[i] = true;
            found = true;
        }
    }
    if (!found) {
        argp_error(arg->state,
                   "%s: the CCE has sum, max and min across ranks, not '%s'",
                   arg->name, arg->text);
    }
}

static enum trench_coll_algo parse_algo(const struct cli_opt_arg *arg)
{
    int algo = trench_coll_algo_find(arg->text);

    if (strcmp(arg->text, "list") == 0) {
        for (unsigned a = 0; a < TRENCH_NR_COLL_ALGOS; a++) {
            puts(trench_coll_algo_name((enum trench_coll_algo)a));
        }
        exit(CLI_OK);
    }
    if (algo < 0) {
        argp_error(arg->state,
                   "%s: there is no algorithm '%s'; 'list' shows "
                   "those that are",
                   arg->name, arg->text);
    }
    return (enum trench_coll_algo)algo;
}

static error_t parse_size(int key, const struct cli_opt_arg *arg,
                          struct coll_opts *o)
{
    switch (key) {
    case KEY_MIN:
        o->min_bytes = cli_opt_size(arg, 0, MAX_BYTES);
        o->sizes_given = true;
        return 0;
    case KEY_MAX:
        o->max_bytes = cli_opt_size(arg, 0, MAX_BYTES);
        o->sizes_given = true;
        return 0;
    case KEY_STEP:
        o->step_bytes = cli_opt_size(arg, 1, MAX_BYTES);
        return 0;
    case KEY_FACTOR:
        o->factor = cli_opt_number(arg, 2, UINT32_MAX);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static error_t parse_number(int key, const struct cli_opt_arg *arg,
                            struct coll_opts *o)
{
    const struct {
        int key;
        unsigned *to;
        uint64_t min;
        uint64_t max;
    } rows[] = {
        { KEY_RANKS, &o->ranks, 1, TRENCH_COLL_MAX_RANKS },
        { KEY_CHIPS, &o->chips, 1, TRENCH_POD_MAX_CHIPS },
        { KEY_ROOT, &o->root, 0, TRENCH_COLL_MAX_RANKS - 1 },
        { KEY_ITERS, &o->iters, 1, UINT32_MAX },
        { KEY_WARMUP, &o->warmup, 0, UINT32_MAX },
        { KEY_CHANNELS, &o->channels, 1, 32 },
        { KEY_PIECES, &o->pieces, 1, 255 },
        { KEY_SECONDARIES, &o->secondaries, 1, 3 },
        { KEY_ENGINES, &o->engines, 1, TRENCH_NCFW_LANES },
        { KEY_QUEUES, &o->queues, 1, TRENCH_NR_QUEUES },
    };

    for (size_t i = 0; i < CLI_ARRAY_LEN(rows); i++) {
        if (rows[i].key == key) {
            *rows[i].to =
                (unsigned)cli_opt_number(arg, rows[i].min, rows[i].max);
            return 0;
        }
    }
    return parse_size(key, arg, o);
}

static error_t parse_option(int key, const struct cli_opt_arg *arg,
                            struct coll_opts *o)
{
    switch (key) {
    case KEY_TYPE:
        parse_type(arg, o);
        return 0;
    case KEY_REDOP:
        parse_redop(arg, o);
        return 0;
    case KEY_ALGO:
        o->algo = parse_algo(arg);
        return 0;
    case KEY_INTRA:
        o->intra = parse_algo(arg);
        return 0;
    case KEY_INTER:
        o->inter = parse_algo(arg);
        return 0;
    case KEY_CHECK:
        o->check = cli_opt_number(arg, 0, 1);
        return 0;
    case KEY_INJECT:
        cli_opt_add_fault(arg, &o->faults);
        return 0;
    case KEY_IN:
        o->in = arg->text;
        return 0;
    case KEY_OUT:
        o->out = arg->text;
        return 0;
    case KEY_TRACE:
        o->trace = arg->text;
        return 0;
    case KEY_SEED:
        o->seed = cli_opt_number(arg, 0, UINT64_MAX);
        o->seed_given = true;
        return 0;
    case KEY_RANDOM:
        o->random = true;
        return 0;
    case KEY_STEPS:
        o->show_steps = true;
        return 0;
    case KEY_NO_BROADCAST:
        o->no_broadcast = true;
        return 0;
    case KEY_VERBOSE:
        o->verbose = true;
        return 0;
    default:
        return parse_number(key, arg, o);
    }
}

/* ---- what depends on other options ----------------------------------------
 */

/* With a number of chips that would do, if there is one. */
static void refuse_ranks(const struct argp_state *state,
                         const struct coll_opts *o)
{
    unsigned cores = o->common.gen->nr_cores;
    unsigned most = o->common.gen->chip_valid_bit ? TRENCH_POD_MAX_CHIPS : 1;

    for (unsigned c = 1; c <= most; c++) {
        if (o->ranks % c == 0 && o->ranks / c <= cores) {
            argp_error(state,
                       "%u ranks do not divide by %u chips; --chips %u would "
                       "do",
                       o->ranks, o->chips, c);
        }
    }
    argp_error(state, "%u ranks do not divide by %u chips", o->ranks, o->chips);
}

static void settle_ranks(const struct argp_state *state, struct coll_opts *o)
{
    const struct trench_gen *gen = o->common.gen;

    if (o->chips == 0) {
        o->chips =
            o->ranks == 0 ? 1 : (o->ranks + gen->nr_cores - 1) / gen->nr_cores;
    }
    if (o->ranks == 0) {
        o->ranks = o->chips * gen->nr_cores;
    }
    if (o->ranks % o->chips != 0) {
        refuse_ranks(state, o);
    }
    if (o->ranks / o->chips > gen->nr_cores) {
        argp_error(state, "%u ranks a chip: %s has %u NeuronCores",
                   o->ranks / o->chips, gen->name, gen->nr_cores);
    }
    if (o->chips > 1 && gen->chip_valid_bit == 0) {
        argp_error(state, "%u chips: addresses of %s name no chip", o->chips,
                   gen->name);
    }
    if (o->root >= o->ranks) {
        argp_error(state, "--root %u: the ranks are 0-%u", o->root,
                   o->ranks - 1);
    }
    if (o->engines > gen->engines_per_core) {
        argp_error(state, "--engines %u: a NeuronCore of %s has %u", o->engines,
                   gen->name, gen->engines_per_core);
    }
}

static unsigned count_set(const bool *set, size_t nr)
{
    unsigned count = 0;

    for (size_t i = 0; i < nr; i++) {
        count += set[i];
    }
    return count;
}

static void settle_sizes(const struct argp_state *state, struct coll_opts *o)
{
    if (o->step_bytes && o->factor) {
        argp_error(state, "--stepbytes and --stepfactor exclude each other");
    }
    if (o->in && o->sizes_given) {
        argp_error(state, "--in says how many elements there are, not "
                          "--minbytes and --maxbytes");
    }
    if (o->min_bytes == UINT64_MAX) {
        o->min_bytes =
            o->max_bytes < DEFAULT_BYTES ? o->max_bytes : DEFAULT_BYTES;
    }
    if (o->max_bytes == UINT64_MAX) {
        o->max_bytes = o->min_bytes;
    }
    if (o->min_bytes > o->max_bytes) {
        argp_error(state, "--minbytes is larger than --maxbytes");
    }
    if (o->step_bytes &&
        (o->max_bytes - o->min_bytes) / o->step_bytes > MAX_ROWS) {
        argp_error(state, "more than %u sizes", MAX_ROWS);
    }
    if (o->factor == 0) {
        o->factor = 2;
    }
}

static void settle_files(const struct argp_state *state, struct coll_opts *o)
{
    bool one = count_set(o->types, CLI_ARRAY_LEN(o->types)) == 1 &&
               count_set(o->redops, CLI_ARRAY_LEN(o->redops)) == 1 &&
               o->min_bytes == o->max_bytes;
    const char *why = NULL;

    if ((o->in || o->out || o->trace || o->show_steps) && !one) {
        argp_error(state, "--in, --out, --trace and --steps want one size, "
                          "type and operation");
    }
    if (o->in && (o->random || o->seed_given)) {
        argp_error(state, "--in takes neither --random nor --seed");
    }
    if (o->trace && strcmp(o->trace, "-") == 0) {
        argp_error(state, "--trace -: standard output is for the table");
    }
    if (o->show_steps && (o->in || o->out || o->trace || o->faults.nr > 0)) {
        argp_error(state, "--steps runs nothing that --in, --out, --trace or "
                          "--inject could be about");
    }
    if (o->in && (why = npy_pattern_refusal(o->in, o->ranks)) != NULL) {
        argp_error(state, "--in %s: %s", o->in, why);
    }
    if (o->out && (why = npy_pattern_refusal(o->out, o->ranks)) != NULL) {
        argp_error(state, "--out %s: %s", o->out, why);
    }
}

enum trench_dtype coll_first_type(const struct coll_opts *o)
{
    unsigned type = 0;

    while (!o->types[type]) {
        type++;
    }
    return (enum trench_dtype)type;
}

static void settle(const struct argp_state *state, struct coll_opts *o)
{
    if (count_set(o->types, CLI_ARRAY_LEN(o->types)) == 0) {
        o->types[TRENCH_DTYPE_FP32] = true;
    }
    if (!o->kind->reduces &&
        count_set(o->redops, CLI_ARRAY_LEN(o->redops)) > 0) {
        argp_error(state, "%s reduces nothing: --op has no meaning",
                   o->kind->name);
    }
    if (count_set(o->redops, CLI_ARRAY_LEN(o->redops)) == 0) {
        o->redops[TRENCH_CCE_ADD] = true;
    }
    settle_ranks(state, o);
    settle_sizes(state, o);
    settle_files(state, o);
    if (o->common.gen->bcast_lanes == 0) {
        o->no_broadcast = true; /* there is no other way */
    }
}

static error_t parse(int key, char *text, struct argp_state *state)
{
    struct coll_opts *o = state->input;
    const struct cli_opt_name name = cli_opt_name(options, key);
    const struct cli_opt_arg arg = { state, name.s, text };

    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &o->common;
        o->min_bytes = UINT64_MAX;
        o->max_bytes = UINT64_MAX;
        o->iters = 1;
        o->warmup = 1;
        o->check = true;
        o->engines = TRENCH_NCFW_LANES;
        o->queues = 1;
        o->seed = 1;
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

/* ---- the commands -------------------------------------------------------- */

#define TAIL                                                                   \
    "\n\nRanks are NeuronCores. The schedule of the algorithm is lowered to "  \
    "descriptors of their engines, in rings that stand in HBM; firmware "      \
    "starts them step by step, by broadcast. Options and table are those of "  \
    "nccl-tests; times are wall time of the model."                            \
    "\n\nOptions:"                                                             \
    "\v"                                                                       \
    "A SIZE may have a suffix: K, M, G or KiB, MiB, GiB (1024), KB, MB, GB "   \
    "(1000).\n\n"                                                              \
    "Examples:\n\n"

#define ARGP(text, examples)                                                   \
    {                                                                          \
        .options = options, .parser = parse, .children = children,             \
        .doc = text TAIL examples,                                             \
    }

const struct argp cli_all_reduce_argp =
    ARGP("Combines the vectors of all ranks, element by element, and gives "
         "each rank the result.",
         "  $ trench all_reduce -b 1K -e 16M -f 4\n"
         "  $ trench all_reduce -g 16 --algo ring --channels 2\n"
         "  $ trench all_reduce -g 4 -b 256 --algo ring --steps\n"
         "  $ trench all_reduce --in 'in%d.npy' --out 'sum%d.npy'\n");
const struct argp cli_all_gather_argp =
    ARGP("Gives each rank the vectors of all ranks, one after the other.",
         "  $ trench all_gather -b 1K -e 16M -f 4\n");
const struct argp cli_reduce_scatter_argp =
    ARGP("Combines the vectors of all ranks, and gives each rank its part of "
         "the result.",
         "  $ trench reduce_scatter -d bfloat16 -b 1M\n");
const struct argp cli_alltoall_argp =
    ARGP("Gives part d of each rank's vector to rank d.",
         "  $ trench alltoall -g 64 -b 1M\n");
const struct argp cli_broadcast_argp =
    ARGP("Gives each rank the vector of the root.",
         "  $ trench broadcast -r 3 --algo chain --pieces 8\n");
const struct argp cli_reduce_argp =
    ARGP("Combines the vectors of all ranks, and gives the root the result.",
         "  $ trench reduce -r 3 -o max -d int32\n");
const struct argp cli_sendrecv_argp =
    ARGP("Gives each rank the vector of the one before it.",
         "  $ trench sendrecv -b 1M\n");
