/* SPDX-License-Identifier: BSD-3-Clause */
/* trench watch: the view as a whole, and the command. */
#include "watch.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "rig.h"
#include "watch_snap.h"

/* Differences that people get to see. */
#define MAX_LINES 20u

#define CLEAR_SCREEN "\033[H\033[J"

/* ---- text ---------------------------------------------------------------- */

static void put_copies(FILE *to, const struct watch *w)
{
    const struct watch_options *o = w->options;

    fprintf(to, "round %" PRIu32 "  %s  %s  copies of %" PRIu32 " bytes\n",
            w->round, o->common.gen->name, cli_direction_name(o->direction),
            o->bytes);
    for (unsigned i = 0; i < w->copies->nr_copiers; i++) {
        const struct watch_copier *c = &w->copies->copier[i];

        fprintf(to, "  engine %u queue %u  %" PRIu64 " copies", c->engine,
                c->queue, c->copies);
        if (c->corrupt > 0) {
            fprintf(to, "  %" PRIu64 " corrupt", c->corrupt);
        }
        if (c->err < 0) {
            fprintf(to, "  stopped: %s", trench_strerror(c->err));
        }
        fputc('\n', to);
    }
}

static void put_faults(FILE *to, const struct watch *w)
{
    for (unsigned i = 0; i < w->options->faults.nr; i++) {
        struct trench_fault_stats stats = { 0 };
        char text[80];

        cli_fault_text(&w->options->faults.list[i], text, sizeof(text));
        trench_soc_fault_stats(w->soc, (int)i, &stats);
        fprintf(to, "  fault %s  struck %" PRIu64 " of %" PRIu64 "\n", text,
                stats.struck, stats.seen);
    }
}

static void put_difference(FILE *to, const char *path,
                           const struct watch_difference *d)
{
    fprintf(to, "%s:%" PRIu64 ": %c 0x%" PRIx64 "%s%s", path, d->line,
            d->write ? 'W' : 'R', d->addr, d->name[0] ? " " : "", d->name);
    if (d->refused) {
        fprintf(to, ": refused, %s\n", d->why);
    } else {
        fprintf(to, ": 0x%" PRIx32 ", the log has 0x%" PRIx32 "\n",
                d->answered & d->mask, d->logged);
    }
}

static void put_replay(FILE *to, const struct watch *w)
{
    const struct watch_replay *r = w->replay;
    char *path = strdup(watch_path(w));
    uint64_t total = r->differed + r->refused;

    for (unsigned i = 0; path && i < r->nr_differences && i < MAX_LINES; i++) {
        put_difference(to, cli_printable(path), &r->differences[i]);
    }
    if (total > MAX_LINES) {
        fprintf(to, "... and %" PRIu64 " more\n", total - MAX_LINES);
    }
    fprintf(to,
            "%" PRIu64 " reads, %" PRIu64 " writes; %" PRIu64
            " answered in another way, %" PRIu64 " refused\n",
            r->reads, r->writes, r->differed, r->refused);
    if (r->left_out > 0) {
        fprintf(to, "%" PRIu64 " lines that are no access were left out\n",
                r->left_out);
    }
    free(path);
}

/* What stands above the channels. */
static void put_head(FILE *to, const struct watch *w)
{
    if (w->replay) {
        put_replay(to, w);
    } else {
        put_copies(to, w);
    }
    put_faults(to, w);
}

static void put_channels(FILE *to, const struct watch *w,
                         struct watch_snap *snap)
{
    struct watch_eye eye = { .soc = w->soc, .clear = w->options->clear };

    for (unsigned e = 0; e < CLI_SET_MAX; e++) {
        if (w->engines->has[e]) {
            eye.engine = e;
            watch_snap_take(
                &eye, w->options->queue ? &w->options->queue_set : NULL, snap);
            fputc('\n', to);
            watch_text_channel(to, w, &eye, snap);
        }
    }
}

/* Written at once, so that a terminal does not flicker. */
static int show_text(const struct watch *w, struct watch_snap *snap)
{
    char *text = NULL;
    size_t len = 0;
    FILE *to = open_memstream(&text, &len);
    bool ok;

    if (!to) {
        cli_error(w->prog, "out of memory");
        return CLI_FAILED;
    }
    if (w->options->interval_ms > 0 && w->place) {
        fputs(CLEAR_SCREEN, to);
    } else if (w->round > 1) {
        fputc('\n', to);
    }
    put_head(to, w);
    put_channels(to, w, snap);
    ok = fclose(to) == 0;
    if (!ok) {
        cli_error(w->prog, "out of memory");
    }
    ok = ok && fwrite(text, 1, len, stdout) == len && fflush(stdout) == 0;
    free(text);
    return ok ? CLI_OK : CLI_FAILED;
}

/* ---- JSON ---------------------------------------------------------------- */

static json_t *copies_json(const struct watch *w)
{
    json_t *list = json_array();

    for (unsigned i = 0; i < w->copies->nr_copiers; i++) {
        const struct watch_copier *c = &w->copies->copier[i];

        json_array_append_new(
            list,
            json_pack("{s:i, s:i, s:I, s:I, s:s?}", "engine", (int)c->engine,
                      "queue", (int)c->queue, "copies", (json_int_t)c->copies,
                      "corrupt", (json_int_t)c->corrupt, "error",
                      c->err < 0 ? trench_strerror(c->err) : NULL));
    }
    return list;
}

static json_t *differences_json(const struct watch_replay *r)
{
    json_t *list = json_array();

    for (unsigned i = 0; i < r->nr_differences; i++) {
        const struct watch_difference *d = &r->differences[i];
        json_t *object = json_pack(
            "{s:I, s:s, s:o, s:s, s:o}", "line", (json_int_t)d->line, "access",
            d->write ? "W" : "R", "address", cli_json_hex(d->addr), "name",
            d->name, "log", cli_json_hex(d->logged));

        if (d->refused) {
            json_object_set_new(object, "refused", json_string(d->why));
        } else {
            json_object_set_new(object, "model",
                                cli_json_hex(d->answered & d->mask));
        }
        json_array_append_new(list, object);
    }
    return list;
}

static json_t *replay_json(const struct watch *w)
{
    const struct watch_replay *r = w->replay;

    return json_pack(
        "{s:o, s:I, s:I, s:I, s:I, s:I, s:o}", "file",
        cli_json_text(w->options->path), "reads", (json_int_t)r->reads,
        "writes", (json_int_t)r->writes, "differed", (json_int_t)r->differed,
        "refused", (json_int_t)r->refused, "left_out", (json_int_t)r->left_out,
        "differences", differences_json(r));
}

static json_t *channels_json(const struct watch *w, struct watch_snap *snap)
{
    struct watch_eye eye = { .soc = w->soc, .clear = w->options->clear };
    json_t *list = json_array();

    for (unsigned e = 0; e < CLI_SET_MAX; e++) {
        if (w->engines->has[e]) {
            eye.engine = e;
            watch_snap_take(
                &eye, w->options->queue ? &w->options->queue_set : NULL, snap);
            json_array_append_new(list, watch_json_channel(w, &eye, snap));
        }
    }
    return list;
}

/* One object; of several rounds, one a line. */
static int show_json(const struct watch *w, struct watch_snap *snap)
{
    const struct watch_options *o = w->options;
    json_t *object = json_pack("{s:s, s:o}", "generation", o->common.gen->name,
                               "channels", channels_json(w, snap));
    int err;

    if (w->replay) {
        json_object_set_new(object, "replay", replay_json(w));
        return cli_json_print(w->prog, stdout, object);
    }
    json_object_set_new(object, "round", json_integer(w->round));
    json_object_set_new(object, "copies", copies_json(w));
    json_object_set_new(object, "faults",
                        cli_faults_json(w->rig->soc, &o->faults));
    if (o->rounds == 1) {
        return cli_json_print(w->prog, stdout, object);
    }
    err = object ? json_dumpf(object, stdout, JSON_COMPACT) : -1;
    json_decref(object);
    if (err < 0 || fputc('\n', stdout) == EOF || fflush(stdout) != 0) {
        cli_error(w->prog, "cannot write the JSON result");
        return CLI_FAILED;
    }
    return CLI_OK;
}

/* ---- the command --------------------------------------------------------- */

const char *watch_path(const struct watch *w)
{
    return strcmp(w->options->path, "-") == 0 ? "standard input"
                                              : w->options->path;
}

int watch_show(const struct watch *w)
{
    struct watch_snap *snap = malloc(sizeof(*snap));
    int exit_code;

    if (!snap) {
        cli_error(w->prog, "out of memory");
        return CLI_FAILED;
    }
    exit_code =
        w->options->common.json ? show_json(w, snap) : show_text(w, snap);
    free(snap);
    return exit_code;
}

int cli_watch_run(int argc, char **argv)
{
    struct watch_options options;
    struct watch w = { .prog = argv[0], .options = &options };
    const char *no_colour = getenv("NO_COLOR");

    argp_parse(&cli_watch_argp, argc, argv, 0, NULL, &options);
    w.place = isatty(STDOUT_FILENO) == 1;
    w.bold = w.place && !(no_colour && no_colour[0] != '\0');
    return options.path ? watch_run_log(&w) : watch_run_copies(&w);
}
