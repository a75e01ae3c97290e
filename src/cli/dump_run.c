/* SPDX-License-Identifier: BSD-3-Clause */
/* trench reg dump and annotate: options, and the way through the files. */
#include "dump.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "dump_reader.h"

enum {
    OPT_BAR = 0x3000,
    OPT_DIFF,
    OPT_SUMMARY,
    OPT_RESET_DIFF,
};

static const struct argp_option options[] = {
    { .name = "bar",
      .key = OPT_BAR,
      .arg = "GEN",
      .doc = "dump, annotate: addresses are offsets in the register BAR of "
             "this generation",
      .group = 1 },
    { .name = "diff",
      .key = OPT_DIFF,
      .doc = "dump: print what differs between two files, by fields",
      .group = 1 },
    { .name = "summary",
      .key = OPT_SUMMARY,
      .doc = "dump, annotate: count accesses by register, print no lines",
      .group = 1 },
    { .name = "reset-diff",
      .key = OPT_RESET_DIFF,
      .doc = "dump, annotate: print only fields that are not as after reset",
      .group = 1 },
    { 0 },
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct dump_opts *opts = state->input;

    switch (key) {
    case OPT_BAR:
        opts->bar = arg;
        opts->given = "--bar";
        return 0;
    case OPT_DIFF:
        opts->diff = true;
        opts->given = "--diff";
        return 0;
    case OPT_SUMMARY:
        opts->summary = true;
        opts->given = "--summary";
        return 0;
    case OPT_RESET_DIFF:
        opts->reset_diff = true;
        opts->given = "--reset-diff";
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

const struct argp reg_dump_argp = { .options = options, .parser = parse };

/* ---- start and end ------------------------------------------------------- */

static int check_options(const struct reg_ctx *ctx)
{
    const struct dump_opts *opts = &ctx->dump;

    if (opts->bar && ctx->gen && strcasecmp(opts->bar, ctx->gen) != 0) {
        cli_error(ctx->prog, "--bar %s contradicts --gen %s", opts->bar,
                  ctx->gen);
        return CLI_USAGE;
    }
    if (opts->diff && (opts->summary || opts->reset_diff)) {
        cli_error(ctx->prog, "--diff goes with neither --summary nor "
                             "--reset-diff");
        return CLI_USAGE;
    }
    if (opts->diff && ctx->nr_args != 2) {
        cli_error(ctx->prog, "--diff needs two files, BEFORE and AFTER");
        return CLI_USAGE;
    }
    return CLI_OK;
}

int dump_run_start(struct dump_run *run, const struct reg_ctx *ctx)
{
    const char *name = ctx->dump.bar ? ctx->dump.bar : ctx->gen;
    int rc = check_options(ctx);

    if (rc != CLI_OK) {
        return rc;
    }
    memset(run, 0, sizeof(*run));
    run->ctx = ctx;
    run->table.bar = ctx->dump.bar != NULL;
    run->table.gen = trench_gen_find(name);
    if (!run->table.gen) {
        cli_error(ctx->prog, "there is no address map of '%s'", name);
        return CLI_USAGE;
    }
    /* A folder without a manifest is of any generation. */
    if (ctx->lib->nr_sets == 1 && ctx->lib->sets[0].name[0] == '\0') {
        run->table.set = &ctx->lib->sets[0];
    } else {
        run->table.set = reg_set(ctx, run->table.gen->name);
    }
    return run->table.set ? CLI_OK : CLI_USAGE;
}

void dump_run_end(struct dump_run *run)
{
    dump_table_free(&run->table);
    free(run->text.s);
}

/* ---- lines --------------------------------------------------------------- */

/* Look up what a line is about. Returns the number of words; 0: it is text. */
static unsigned look_up(struct dump_run *run, const struct dump_line *line,
                        struct dump_word *words)
{
    for (unsigned i = 0; i < line->nr_words; i++) {
        struct dump_entry *entry =
            dump_table_at(&run->table, line->addr + 4 * (uint64_t)i);

        if (!entry) {
            run->text.failed = true;
            return 0;
        }
        if (line->guess && !entry->known) {
            return 0;
        }
        entry->count[line->kind]++;
        entry->val = (entry->val & ~line->mask) | (line->words[i] & line->mask);
        entry->mask |= line->mask;
        words[i] = (struct dump_word){ entry, line->words[i] & line->mask,
                                       line->mask };
    }
    return line->nr_words;
}

bool dump_run_file(struct dump_run *run, const char *path, dump_print_fn print)
{
    struct dump_reader *reader = dump_reader_open(run->ctx->prog, path);
    struct dump_word words[DUMP_WORDS];
    struct dump_line line;
    struct dump_source source = { .path = path, .parsed = &line };

    if (!reader) {
        run->failed = true;
        return true;
    }
    while (!run->text.failed && dump_reader_next(reader, &source.text, &line)) {
        bool is_text = line.kind == DUMP_TEXT || line.kind == DUMP_BAD;
        unsigned nr = is_text ? 0 : look_up(run, &line, words);

        source.line = dump_reader_line(reader);
        run->text.len = 0;
        if (print && !run->text.failed) {
            print(run, &source, words, nr);
            dump_text_print(&run->text);
        }
    }
    run->failed |= !dump_reader_close(reader);
    if (run->text.failed) {
        cli_error(run->ctx->prog, "out of memory");
    }
    return !run->text.failed;
}

int dump_run_all(struct reg_ctx *ctx, dump_print_fn print)
{
    char *standard_input = (char[]){ "-" };
    char **paths = ctx->nr_args > 0 ? ctx->args : &standard_input;
    int nr_paths = ctx->nr_args > 0 ? ctx->nr_args : 1;
    struct dump_run run;
    bool ok = true;
    int rc = dump_run_start(&run, ctx);

    if (rc != CLI_OK) {
        return rc;
    }
    for (int i = 0; i < nr_paths && ok; i++) {
        ok = dump_run_file(&run, paths[i], ctx->dump.summary ? NULL : print);
    }
    if (ok) {
        ok = ctx->dump.summary ? dump_print_summary(&run)
                               : dump_print_unknown(&run);
    }
    rc = !ok || run.failed ? CLI_FAILED : CLI_OK;
    dump_run_end(&run);
    return reg_exit(ctx, rc);
}
