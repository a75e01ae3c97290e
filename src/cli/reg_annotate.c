/* SPDX-License-Identifier: BSD-3-Clause */
/* trench reg annotate: a log as it is, and behind each access its meaning. */
#include "dump.h"

static void print_line(struct dump_run *run, const struct dump_source *source,
                       const struct dump_word *words, unsigned nr)
{
    struct dump_text *text = &run->text;
    bool reset_diff = run->ctx->dump.reset_diff;

    dump_puts(text, source->text);
    if (nr == 1) {
        dump_puts(text, "  # ");
        dump_put_word(text, &words[0], reset_diff);
    }
    dump_put(text, "\n", 1);
    for (unsigned i = 0; i < nr && nr > 1; i++) {
        dump_puts(text, "#   ");
        dump_put_hex(text, words[i].entry->addr, 1);
        dump_puts(text, ": ");
        dump_put_hex(text, words[i].val, 8);
        dump_put(text, " ", 1);
        dump_put_word(text, &words[i], reset_diff);
        dump_put(text, "\n", 1);
    }
}

int reg_annotate(struct reg_ctx *ctx)
{
    if (ctx->dump.diff) {
        cli_error(ctx->prog, "--diff is for dump");
        return CLI_USAGE;
    }
    return dump_run_all(ctx, ctx->json ? dump_json_line : print_line);
}
