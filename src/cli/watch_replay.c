/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A log of register accesses, done again on a fresh chip.
 *
 * A log may hold anything. So what one line can make the chip do is bounded,
 * and so is the memory that lines can touch.
 */
#include "watch.h"

#include <stdlib.h>
#include <string.h>

#include <trench/bus.h>
#include <trench/map.h>

#include "dump_reader.h"

/*
 * Work that one access may run, and what may follow before the next line. The
 * first is small, as looking at a chip that never rests is accesses, too.
 */
#define BUDGET    16u
#define FOLLOW_UP (UINT64_C(1) << 20)

/* Memory costs a page for a write. */
#define MAX_MEMORY_WRITES 250000u

struct replay {
    const struct watch_options *options;
    const char *prog;
    struct trench_soc *soc;
    struct trench_bus *bus;
    struct watch_replay *result;
    uint64_t memory_writes;
    uint64_t stops; /* of the chip for want of budget, so far */
};

/* ---- what is noted ------------------------------------------------------- */

static void touch(struct replay *r, const struct trench_map_info *info)
{
    struct cli_set *set = &r->result->touched;
    int first = info->index[TRENCH_INDEX_ENGINE];

    for (unsigned i = 0; first >= 0 && i < info->nr_engines; i++) {
        unsigned engine = (unsigned)first + i;

        if (engine < CLI_SET_MAX && !set->has[engine]) {
            set->has[engine] = true;
            set->count++;
        }
    }
}

static void note(struct replay *r, const struct watch_difference *difference,
                 const struct trench_map_info *info)
{
    struct watch_replay *result = r->result;
    struct watch_difference *to;

    result->refused += difference->refused;
    result->differed += !difference->refused;
    if (result->nr_differences == WATCH_DIFFERENCES) {
        return;
    }
    to = &result->differences[result->nr_differences++];
    *to = *difference;
    if (info) {
        trench_map_name(info->path, info->depth, to->name, sizeof(to->name));
    }
}

/* ---- accesses ------------------------------------------------------------ */

/* Bytes of a word that a mask covers: they are next to each other. */
static unsigned mask_bytes(uint32_t mask, unsigned *first)
{
    unsigned n = 0;

    *first = 4;
    for (unsigned i = 0; i < 4; i++) {
        if (mask >> 8 * i & 0xff) {
            *first = *first == 4 ? i : *first;
            n++;
        }
    }
    return n;
}

/* One word of a line. Registers take whole words only, and say so. */
static int access_word(struct replay *r, const struct watch_difference *d,
                       uint64_t addr, bool memory, uint32_t *answer)
{
    uint32_t value = d->logged;
    unsigned first;
    unsigned nr = mask_bytes(d->mask, &first);

    if (!d->write) {
        return trench_bus_read32(r->bus, addr, answer);
    }
    if (!memory) {
        return d->mask == UINT32_MAX ? trench_bus_write32(r->bus, addr, value)
                                     : TRENCH_ERR_INVAL;
    }
    if (r->memory_writes++ >= MAX_MEMORY_WRITES) {
        return TRENCH_ERR_NOSPC;
    }
    for (unsigned i = 0; i < nr; i++) {
        uint8_t byte = (uint8_t)(value >> 8 * (first + i));
        int err = trench_bus_write(r->bus, TRENCH_BUS_SOFTWARE,
                                   addr + first + i, &byte, 1);

        if (err < 0) {
            return err;
        }
    }
    return 0;
}

static const char *refusal(int err)
{
    switch (err) {
    case TRENCH_ERR_FAULT:
        return "nothing is modelled there";
    case TRENCH_ERR_INVAL:
        return "a register takes whole words";
    case TRENCH_ERR_NOSPC:
        return "too many writes to memory";
    default:
        return trench_strerror(err);
    }
}

static void replay_word(struct replay *r, struct watch_difference *d)
{
    const struct trench_gen *gen = r->options->common.gen;
    struct trench_map_info info;
    uint64_t addr = d->addr;
    int err;

    if (r->options->bar && trench_map_from_bar(gen, "0", d->addr, &addr) < 0) {
        d->refused = true;
        d->why = "the BAR shows nothing there";
        note(r, d, NULL);
        return;
    }
    trench_map_at(gen, addr, &info);
    touch(r, &info);
    err = access_word(r, d, addr, info.mem != NULL, &d->answered);
    if (err < 0) {
        d->refused = true;
        d->why = refusal(err);
        note(r, d, &info);
    } else if (!d->write && ((d->answered ^ d->logged) & d->mask) != 0) {
        note(r, d, &info);
    }
}

/* Let work that an access left over go on. @return false when it never ends. */
static bool comes_to_rest(struct replay *r)
{
    struct trench_soc_stats stats;

    trench_soc_stats(r->soc, &stats);
    if (stats.budget_stops == r->stops) {
        return true;
    }
    r->stops = stats.budget_stops;
    trench_soc_run(r->soc, FOLLOW_UP);
    return trench_soc_run(r->soc, 1) == 0;
}

/* @return false to stop. */
static bool replay_line(struct replay *r, const struct dump_line *line,
                        uint64_t number)
{
    if ((line->kind != DUMP_READ && line->kind != DUMP_WRITE) || line->guess) {
        r->result->left_out += line->kind == DUMP_VALUE;
        return true;
    }
    for (unsigned i = 0; i < line->nr_words; i++) {
        struct watch_difference d = {
            .line = number,
            .addr = line->addr + 4 * (uint64_t)i,
            .logged = line->words[i] & line->mask,
            .mask = line->mask,
            .write = line->kind == DUMP_WRITE,
        };

        replay_word(r, &d);
    }
    r->result->reads += line->kind == DUMP_READ;
    r->result->writes += line->kind == DUMP_WRITE;
    if (!comes_to_rest(r)) {
        r->result->restless = number;
        return false;
    }
    return true;
}

/* @return false after a message: something could not be read. */
static bool replay_file(struct replay *r, struct dump_reader *reader)
{
    struct dump_line *line = malloc(sizeof(*line));
    const char *text;
    bool on = line != NULL;

    if (!line) {
        cli_error(r->prog, "out of memory");
    }
    while (on && dump_reader_next(reader, &text, line)) {
        on = replay_line(r, line, dump_reader_line(reader));
    }
    on = dump_reader_close(reader) && line;
    free(line);
    return on;
}

/* ---- the whole ----------------------------------------------------------- */

/* What was read counts, also where the rest could not be. */
static int finish(struct watch *w, bool all_read)
{
    const struct watch_replay *result = w->replay;
    bool ok = all_read;

    if (result->restless > 0) {
        cli_error(w->prog,
                  "%s:%llu: the chip does not come to rest; the log ends here",
                  watch_path(w), (unsigned long long)result->restless);
        ok = false;
    }
    if (result->reads + result->writes == 0) {
        cli_error(w->prog, "%s: no access in it", watch_path(w));
        return CLI_FAILED;
    }
    if (w->options->strict && result->differed + result->refused > 0) {
        ok = false;
    }
    w->engines =
        w->options->channel ? &w->options->engine_set : &result->touched;
    return watch_show(w) == CLI_OK && ok ? CLI_OK : CLI_FAILED;
}

static int run_log(struct watch *w, struct watch_replay *result)
{
    struct trench_soc_conf conf = { .gen = w->options->common.gen,
                                    .budget = BUDGET };
    struct replay r = { .options = w->options,
                        .prog = w->prog,
                        .result = result };
    struct dump_reader *reader = dump_reader_open(w->prog, w->options->path);
    int exit_code = CLI_FAILED;
    int err = reader ? trench_soc_create(&conf, &r.soc) : 0;

    if (err < 0) {
        cli_error(w->prog, "a chip for the log: %s", trench_strerror(err));
        dump_reader_close(reader);
    } else if (reader) {
        r.bus = trench_soc_bus(r.soc);
        w->soc = r.soc;
        w->replay = result;
        exit_code = finish(w, replay_file(&r, reader));
        trench_soc_destroy(r.soc);
    }
    return exit_code;
}

int watch_run_log(struct watch *w)
{
    struct watch_replay *result = calloc(1, sizeof(*result));
    struct watch_difference *differences =
        calloc(WATCH_DIFFERENCES, sizeof(*differences));
    int exit_code = CLI_FAILED;

    if (result && differences) {
        result->differences = differences;
        exit_code = run_log(w, result);
    } else {
        cli_error(w->prog, "out of memory");
    }
    free(differences);
    free(result);
    return exit_code;
}
