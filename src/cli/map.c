/* SPDX-License-Identifier: BSD-3-Clause */
/* trench map: addresses to names, names to addresses. */
#include "map.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "map_parse.h"

#define PROG "trench map"

enum {
    OPT_RANGE = 0x2000,
    OPT_BAR,
    OPT_BAR0,
    OPT_BAR4,
    OPT_TO_BAR,
    OPT_TWINS,
    OPT_CLUSTERS,
    OPT_BROADCAST,
    OPT_WINDOWS,
    OPT_TOTALS
};

/* Something to look up, in the order of the command line. */
struct job {
    int kind;         /* option, or 0 for an argument */
    const char *text; /* of it */
};

struct args {
    struct cli_common common;
    struct job *jobs;
    size_t nr_jobs;
    const struct map_table *tables[4];
    size_t nr_tables;
    bool to_bar;
    bool twins;
};

static const struct argp_option options[] = {
    { .name = "range",
      .key = OPT_RANGE,
      .arg = "A..B|A+SIZE",
      .doc = "List what a range of addresses holds; B is not part of it" },
    { .name = "bar0",
      .key = OPT_BAR0,
      .arg = "OFFSET",
      .doc = "Look up an offset in the main function's BAR 0" },
    { .name = "bar4",
      .key = OPT_BAR4,
      .arg = "OFFSET",
      .doc = "Look up an offset in its BAR 4" },
    { .name = "bar",
      .key = OPT_BAR,
      .arg = "BAR:OFFSET",
      .doc = "Look up an offset in any BAR: 0, 4, main.0, amzn0.3, ..." },
    { .name = "to-bar",
      .key = OPT_TO_BAR,
      .doc = "Print PCIe BARs and offsets instead of descriptions" },
    { .name = "twins",
      .key = OPT_TWINS,
      .doc = "For names: also the broadcast address of a register" },
    { .name = "clusters", .key = OPT_CLUSTERS, .doc = "List the clusters" },
    { .name = "broadcast",
      .key = OPT_BROADCAST,
      .doc = "List the broadcast nodes" },
    { .name = "windows",
      .key = OPT_WINDOWS,
      .doc = "List the windows of the address space" },
    { .name = "totals",
      .key = OPT_TOTALS,
      .doc = "Count engines and their nodes" },
    { 0 },
};

static void add_job(struct argp_state *state, int kind, const char *text)
{
    struct args *args = state->input;
    struct job *jobs =
        realloc(args->jobs, (args->nr_jobs + 1) * sizeof(*args->jobs));

    if (!jobs) {
        argp_failure(state, CLI_FAILED, ENOMEM, "cannot go on");
        return;
    }
    args->jobs = jobs;
    jobs[args->nr_jobs++] = (struct job){ kind, text };
}

/* A table that is asked for twice is printed once. */
static void add_table(struct args *args, const struct map_table *table)
{
    for (size_t i = 0; i < args->nr_tables; i++) {
        if (args->tables[i] == table) {
            return;
        }
    }
    args->tables[args->nr_tables++] = table;
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct args *args = state->input;

    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &args->common;
        return 0;
    case ARGP_KEY_ARG:
        add_job(state, 0, arg);
        return 0;
    case OPT_RANGE:
    case OPT_BAR:
    case OPT_BAR0:
    case OPT_BAR4:
        add_job(state, key, arg);
        return 0;
    case OPT_TO_BAR:
        args->to_bar = true;
        return 0;
    case OPT_TWINS:
        args->twins = true;
        return 0;
    case OPT_CLUSTERS:
        add_table(args, &map_clusters);
        return 0;
    case OPT_BROADCAST:
        add_table(args, &map_broadcast);
        return 0;
    case OPT_WINDOWS:
        add_table(args, &map_windows);
        return 0;
    case OPT_TOTALS:
        add_table(args, &map_totals);
        return 0;
    case ARGP_KEY_END:
        if (args->nr_jobs == 0 && args->nr_tables == 0) {
            argp_error(state, "give an address, a name, or a table to print");
        }
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp_child children[] = {
    { .argp = &cli_common_argp },
    { 0 },
};

const struct argp cli_map_argp = {
    .options = options,
    .parser = parse,
    .children = children,
    .args_doc = "[ADDRESS|NAME...]",
    .doc =
        "Says what is at an address, and where a name is."
        "\n\nNumbers are hexadecimal, with or without 0x. A name is an engine "
        "or a window, then block and register as far as wanted: "
        "engine5.m2s.M2S_Q[5].TDRTP_inc, APB_SE_0_SDMA_5.udma_gen, "
        "bcast0.s2m, TPB_0_EVT_SEM_INC[5], HBM_1+1000."
        "\n\nOptions:"
        "\v"
        "Examples:\n\n"
        "  $ trench map 0x1002506038\n"
        "  $ trench map --twins engine5.m2s.M2S_Q[5].TDRTP_inc\n"
        "  $ trench map --range 1002500000+100000\n"
        "  $ trench map --bar0 82506038\n"
        "  $ trench map --to-bar engine131\n"
        "  $ trench map --gen sunda --clusters --totals\n",
};

/* ---- jobs ---------------------------------------------------------------- */

/* What became of a job. */
struct result {
    int exit_code;
    char error[1200]; /* "" when all went well */
    json_t *json;     /* with --json */
};

__attribute__((format(printf, 3, 4))) static void fail(struct result *r,
                                                       int exit_code,
                                                       const char *fmt, ...)
{
    va_list ap;

    r->exit_code = exit_code;
    va_start(ap, fmt);
    vsnprintf(r->error, sizeof(r->error), fmt, ap);
    va_end(ap);
}

static json_t *bars_json(const struct trench_map_bar *bars, int nr)
{
    json_t *list = json_array();

    for (int i = 0; i < nr; i++) {
        json_array_append_new(list,
                              json_pack("{s:s, s:i, s:o, s:s}", "function",
                                        bars[i].window->function, "bar",
                                        bars[i].window->bar, "offset",
                                        cli_json_hex(bars[i].offset), "window",
                                        bars[i].window->name));
    }
    return list;
}

static void show_bars(const struct args *args, uint64_t addr, struct result *r)
{
    struct trench_map_bar bars[TRENCH_MAP_BARS];
    int nr = trench_map_to_bar(args->common.gen, addr, bars);

    if (nr == 0) {
        fail(r, CLI_FAILED, "0x%" PRIx64 ": no PCIe BAR shows this", addr);
        return;
    }
    if (args->common.json) {
        r->json = json_pack("{s:o, s:o}", "address", cli_json_hex(addr), "bars",
                            bars_json(bars, nr));
        return;
    }
    for (int i = 0; i < nr; i++) {
        printf("0x%" PRIx64 " is %s BAR %u + 0x%" PRIx64 " (%s)\n", addr,
               bars[i].window->function, bars[i].window->bar, bars[i].offset,
               bars[i].window->name);
    }
}

/* A hole is an error; what its address says of itself is printed. */
static void show_hole(const struct args *args,
                      const struct trench_map_info *info, struct result *r)
{
    const struct trench_gen *gen = args->common.gen;

    fail(r, CLI_FAILED, "0x%" PRIx64 ": %s", info->addr,
         map_hole_text(gen, info).s);
    if (args->common.json) {
        r->json = map_bits_json(gen, info->addr);
    } else if (map_has_bits(info)) {
        printf("0x%" PRIx64 ":\n", info->addr);
        map_print_bits(gen, info->addr);
    }
}

static void show_address(const struct args *args, uint64_t addr,
                         struct result *r)
{
    const struct trench_gen *gen = args->common.gen;
    struct trench_map_info info;

    trench_map_at(gen, addr, &info);
    if (args->to_bar) {
        show_bars(args, info.local, r);
    } else if (info.status == TRENCH_MAP_HOLE) {
        show_hole(args, &info, r);
    } else if (args->common.json) {
        r->json = map_json(gen, &info);
    } else {
        map_print(gen, &info);
    }
}

static void show_name(const struct args *args, const char *name,
                      struct result *r)
{
    const struct trench_gen *gen = args->common.gen;
    struct trench_map_place places[TRENCH_MAP_PLACES];
    struct trench_map_error err;
    int nr = trench_map_find(gen, name, args->twins, places, &err);

    if (nr < 0) {
        fail(r, CLI_FAILED, "%.160s: %s", name, err.reason);
    } else if (args->to_bar) {
        show_bars(args, places[0].addr, r);
    } else if (args->common.json) {
        r->json = json_pack("{s:o, s:o}", "name", cli_json_text(name), "places",
                            map_places_json(places, nr));
    } else {
        printf("%s\n", name);
        map_print_places(gen, places, nr);
    }
}

static void show_range(const struct args *args, const char *text,
                       struct result *r)
{
    struct trench_map_range range;
    const char *why = map_parse_range(text, &range);

    if (why) {
        fail(r, CLI_USAGE, "--range: '%.80s' %s", text, why);
    } else if (args->common.json) {
        r->json = json_pack("{s:o}", "range",
                            map_range_json(args->common.gen, &range));
    } else {
        map_print_range(args->common.gen, &range);
    }
}

static void show_offset(const struct args *args, const char *bar,
                        const char *text, struct result *r)
{
    const struct trench_gen *gen = args->common.gen;
    uint64_t offset;
    uint64_t addr;
    const char *why = map_parse_hex(text, strlen(text), &offset);
    int err;

    if (why) {
        fail(r, CLI_USAGE, "offset '%.80s' %s", text, why);
        return;
    }
    err = trench_map_from_bar(gen, bar, offset, &addr);
    if (err == TRENCH_ERR_NODEV) {
        fail(r, CLI_FAILED, "%s has no BAR '%.40s'", gen->name, bar);
    } else if (err) {
        fail(r, CLI_FAILED, "BAR %s + 0x%" PRIx64 ": nothing is shown there",
             bar, offset);
    } else {
        show_address(args, addr, r);
    }
}

/* "BAR:OFFSET" */
static void show_bar(const struct args *args, const char *text,
                     struct result *r)
{
    const char *colon = strchr(text, ':');
    char bar[32];

    if (!colon || (size_t)(colon - text) >= sizeof(bar)) {
        fail(r, CLI_USAGE, "--bar: '%.80s' is not BAR:OFFSET", text);
        return;
    }
    snprintf(bar, sizeof(bar), "%.*s", (int)(colon - text), text);
    show_offset(args, bar, colon + 1, r);
}

static void run_job(const struct args *args, const struct job *job,
                    struct result *r)
{
    const char *why;
    uint64_t addr;

    switch (job->kind) {
    case OPT_RANGE:
        show_range(args, job->text, r);
        return;
    case OPT_BAR:
        show_bar(args, job->text, r);
        return;
    case OPT_BAR0:
        show_offset(args, "0", job->text, r);
        return;
    case OPT_BAR4:
        show_offset(args, "4", job->text, r);
        return;
    default:
        break;
    }
    if (!map_is_number(job->text)) {
        show_name(args, job->text, r);
        return;
    }
    why = map_parse_hex(job->text, strlen(job->text), &addr);
    if (why) {
        fail(r, CLI_USAGE, "'%.80s' %s", job->text, why);
    } else {
        show_address(args, addr, r);
    }
}

static json_t *result_json(const struct job *job, struct result *r)
{
    json_t *object;

    if (r->exit_code == CLI_OK) {
        return r->json;
    }
    object = json_pack("{s:o, s:o}", "input", cli_json_text(job->text), "error",
                       cli_json_text(r->error));
    if (r->json) {
        json_object_set_new(object, "bits", r->json);
    }
    return object;
}

/* The worst exit code of all jobs. */
static int run_jobs(const struct args *args, json_t *results)
{
    int exit_code = CLI_OK;

    for (size_t i = 0; i < args->nr_jobs; i++) {
        struct result r = { .exit_code = CLI_OK };

        run_job(args, &args->jobs[i], &r);
        if (r.exit_code != CLI_OK) {
            fflush(stdout); /* in order, when both go to one file */
            cli_error(PROG, "%s", r.error);
        }
        if (args->common.json) {
            json_array_append_new(results, result_json(&args->jobs[i], &r));
        }
        exit_code = r.exit_code > exit_code ? r.exit_code : exit_code;
    }
    return exit_code;
}

static int run_json(const struct args *args)
{
    const struct trench_gen *gen = args->common.gen;
    json_t *object = json_pack("{s:s}", "generation", gen->name);
    json_t *results = json_array();
    int exit_code;

    for (size_t i = 0; i < args->nr_tables; i++) {
        json_object_set_new(object, args->tables[i]->key,
                            args->tables[i]->json(gen));
    }
    exit_code = run_jobs(args, results);
    if (args->nr_jobs > 0) {
        json_object_set(object, "results", results);
    }
    json_decref(results);
    if (cli_json_print(PROG, stdout, object) != CLI_OK) {
        return CLI_FAILED;
    }
    return exit_code;
}

int cli_map_run(int argc, char **argv)
{
    struct args args = { .nr_jobs = 0 };
    int exit_code;

    argp_parse(&cli_map_argp, argc, argv, 0, NULL, &args);
    if (args.common.json) {
        exit_code = run_json(&args);
    } else {
        for (size_t i = 0; i < args.nr_tables; i++) {
            printf("%s", i > 0 ? "\n" : "");
            args.tables[i]->print(args.common.gen);
        }
        exit_code = run_jobs(&args, NULL);
    }
    free(args.jobs);
    return exit_code;
}
