/* SPDX-License-Identifier: BSD-3-Clause */
/* What the commands for collectives print: the table of nccl-tests, JSON. */
#include "coll.h"

#include <inttypes.h>
#include <string.h>

static const char *const way_names[2] = { "out_of_place", "in_place" };

static const char *plural(size_t nr)
{
    return nr == 1 ? "" : "s";
}

/* What a row says of its operation. */
static const char *redop_text(const struct coll_run *run,
                              const struct coll_row *row)
{
    return run->opts->kind->reduces ? coll_redop_name(row->redop) : "none";
}

/* What nccl-tests multiplies the rate with, to compare it with links. */
static double bus_factor(const struct coll_opts *o)
{
    double n = o->ranks;

    return o->kind->hops ? o->kind->hops * (n - 1) / n : 1;
}

static double alg_bandwidth(const struct coll_row *row,
                            const struct coll_result *res)
{
    return res->us > 0 ? (double)row->bytes * 1e-3 / res->us : 0;
}

static double bus_bandwidth(const struct coll_run *run,
                            const struct coll_row *row,
                            const struct coll_result *res)
{
    return alg_bandwidth(row, res) * bus_factor(run->opts);
}

/* ---- the table ----------------------------------------------------------- */

void coll_print_head(const struct coll_run *run, FILE *to)
{
    const struct coll_opts *o = run->opts;

    fprintf(to,
            "# %s on %s: %u rank%s on %u chip%s, %u engine%s each, %s\n"
            "# time: wall time of the model, %u iteration%s; not that of "
            "hardware\n#\n",
            o->kind->name, o->common.gen->name, o->ranks, plural(o->ranks),
            o->chips, plural(o->chips), o->engines, plural(o->engines),
            o->no_broadcast ? "one by one" : "by broadcast", o->iters,
            plural(o->iters));
    fprintf(to, "#%65s%31s\n", "out-of-place", "in-place");
    fprintf(to, "#%11s %13s %9s %6s %6s", "size", "count", "type", "redop",
            "root");
    for (unsigned way = 0; way < 2; way++) {
        fprintf(to, " %9s %7s %7s %6s", "time", "algbw", "busbw", "#wrong");
    }
    fprintf(to, "  algorithm\n#%11s %13s %9s %6s %6s", "(B)", "(elements)", "",
            "", "");
    for (unsigned way = 0; way < 2; way++) {
        fprintf(to, " %9s %7s %7s%s", "(us)", "(GB/s)", "(GB/s)",
                way == 0 ? "       " : "");
    }
    fputc('\n', to);
}

static void print_result(const struct coll_run *run, const struct coll_row *row,
                         const struct coll_result *res, FILE *to)
{
    if (!res->ran) {
        fprintf(to, " %9s %7s %7s %6s", "N/A", "N/A", "N/A", "N/A");
        return;
    }
    fprintf(to, " %9.*f %7.2f %7.2f", res->us < 1e5 ? 1 : 0, res->us,
            alg_bandwidth(row, res), bus_bandwidth(run, row, res));
    if (res->wrong < 0) {
        fprintf(to, " %6s", "N/A");
    } else {
        fprintf(to, " %6" PRId64, res->wrong);
    }
}

void coll_print_row(const struct coll_run *run, const struct coll_row *row,
                    FILE *to)
{
    fprintf(to, "%12" PRIu64 " %13" PRIu64 " %9s %6s %6d", row->bytes,
            row->count, trench_dtype_name(row->type), redop_text(run, row),
            run->opts->kind->rooted ? (int)run->opts->root : -1);
    for (unsigned way = 0; way < 2; way++) {
        print_result(run, row, &row->result[way], to);
    }
    fprintf(to, "  %s\n", trench_coll_algo_name(row->algo));
}

void coll_print_tail(const struct coll_run *run, const struct coll_row *rows,
                     size_t nr, FILE *to)
{
    double sum = 0;
    unsigned count = 0;
    int64_t wrong = 0;
    bool checked = false;

    for (size_t i = 0; i < nr; i++) {
        for (unsigned way = 0; way < 2; way++) {
            const struct coll_result *res = &rows[i].result[way];

            if (res->ran) {
                sum += bus_bandwidth(run, &rows[i], res);
                count++;
                checked = checked || res->wrong >= 0;
                wrong += res->wrong > 0 ? res->wrong : 0;
            }
        }
    }
    if (nr == 1) {
        const struct coll_result *res = &rows[0].result[0];

        fprintf(to,
                "# %s: %s\n"
                "# %zu step%s; %" PRIu64 " copies and %" PRIu64
                " reductions by DMA, %" PRIu64 " register writes, %" PRIu64
                " polls by firmware\n",
                trench_coll_algo_name(rows[0].algo), rows[0].why, rows[0].steps,
                plural(rows[0].steps), res->info.copies, res->info.reduces,
                res->stats.writes, res->stats.reads);
    }
    if (checked) {
        fprintf(to, "# Out of bounds values : %" PRId64 " %s\n", wrong,
                wrong ? "FAILED" : "OK");
    }
    fprintf(to, "# Avg bus bandwidth    : %.4g\n", count ? sum / count : 0);
}

/* ---- JSON ---------------------------------------------------------------- */

static json_t *result_json(const struct coll_run *run,
                           const struct coll_row *row,
                           const struct coll_result *res)
{
    if (!res->ran) {
        return json_null();
    }
    return json_pack(
        "{s:f, s:f, s:f, s:o, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I}",
        "time_us", res->us, "algbw_gb_s", alg_bandwidth(row, res), "busbw_gb_s",
        bus_bandwidth(run, row, res), "wrong",
        res->wrong < 0 ? json_null() : json_integer((json_int_t)res->wrong),
        "parts", (json_int_t)res->info.parts, "copies",
        (json_int_t)res->info.copies, "reductions",
        (json_int_t)res->info.reduces, "bytes_written",
        (json_int_t)res->info.bytes, "m2s_descriptors",
        (json_int_t)res->stats.m2s_descs, "s2m_descriptors",
        (json_int_t)res->stats.s2m_descs, "register_writes",
        (json_int_t)res->stats.writes, "register_reads",
        (json_int_t)res->stats.reads);
}

static json_t *row_json(const struct coll_run *run, const struct coll_row *row)
{
    json_t *obj = json_pack(
        "{s:I, s:I, s:s, s:s, s:o, s:s, s:s, s:I}", "size_bytes",
        (json_int_t)row->bytes, "count", (json_int_t)row->count, "type",
        trench_dtype_name(row->type), "redop", redop_text(run, row), "root",
        run->opts->kind->rooted ? json_integer(run->opts->root) : json_null(),
        "algorithm", trench_coll_algo_name(row->algo), "reason", row->why,
        "steps", (json_int_t)row->steps);

    for (unsigned way = 0; way < 2 && obj; way++) {
        json_object_set_new(obj, way_names[way],
                            result_json(run, row, &row->result[way]));
    }
    return obj;
}

json_t *coll_json(const struct coll_run *run, const struct coll_row *rows,
                  size_t nr)
{
    const struct coll_opts *o = run->opts;
    json_t *list = json_array();

    for (size_t i = 0; i < nr; i++) {
        json_array_append_new(list, row_json(run, &rows[i]));
    }
    return json_pack("{s:s, s:s, s:i, s:i, s:i, s:i, s:b, s:i, s:o}",
                     "collective", o->kind->name, "generation",
                     o->common.gen->name, "ranks", (int)o->ranks, "chips",
                     (int)o->chips, "engines", (int)o->engines, "queues",
                     (int)o->queues, "broadcast", !o->no_broadcast,
                     "iterations", (int)o->iters, "rows", list);
}

/* ---- the schedule -------------------------------------------------------- */

static const char *const buf_names[TRENCH_NR_COLL_BUFS] = {
    [TRENCH_COLL_IN] = "in",
    [TRENCH_COLL_OUT] = "out",
    [TRENCH_COLL_SCRATCH] = "scratch",
};

/* The one that is asked for. */
static enum trench_cce_op first_redop(const struct coll_opts *o)
{
    unsigned op = 0;

    while (!o->redops[op]) {
        op++;
    }
    return (enum trench_cce_op)op;
}

/* "3.in[96..127]" */
static void print_place(const struct trench_coll_place *place, uint64_t count,
                        FILE *to)
{
    fprintf(to, "%u.%s[%" PRIu64 "..%" PRIu64 "]", place->rank,
            buf_names[place->buf], place->first, place->first + count - 1);
}

/* "a + b", "max a b": what a move makes of its sources. */
static void print_sources(const struct trench_coll_move *move,
                          const struct trench_coll_place *places,
                          enum trench_cce_op op, FILE *to)
{
    bool sum = op == TRENCH_CCE_ADD;

    if (move->nr_src > 1 && !sum) {
        fprintf(to, "%s ", coll_redop_name(op));
    }
    for (unsigned i = 0; i < move->nr_src; i++) {
        if (i > 0) {
            fputs(sum ? " + " : " ", to);
        }
        print_place(&places[move->src + i], move->count, to);
    }
}

static void print_move(size_t step, const struct trench_coll_move *move,
                       FILE *to)
{
    fprintf(to, "%5zu %5u %3u %12" PRIu64 "  ", step, move->rank, move->channel,
            move->count);
    print_place(&move->dst, move->count, to);
    fputs(" = ", to);
}

static void print_steps(const struct coll_opts *o,
                        const struct trench_coll_schedule *sched, FILE *to)
{
    const struct trench_coll_place *places = trench_coll_places(sched);

    fputs(" step  rank chn     elements  move\n", to);
    for (size_t s = 0; s < trench_coll_steps(sched); s++) {
        size_t nr;
        const struct trench_coll_move *moves = trench_coll_moves(sched, s, &nr);

        for (size_t i = 0; i < nr; i++) {
            print_move(s, &moves[i], to);
            print_sources(&moves[i], places, first_redop(o), to);
            fputc('\n', to);
        }
    }
}

static json_t *place_json(const struct trench_coll_place *place)
{
    return json_pack("{s:i, s:s, s:I}", "rank", place->rank, "buffer",
                     buf_names[place->buf], "first", (json_int_t)place->first);
}

static json_t *move_json(const struct trench_coll_move *move,
                         const struct trench_coll_place *places)
{
    json_t *from = json_array();

    for (unsigned i = 0; i < move->nr_src; i++) {
        json_array_append_new(from, place_json(&places[move->src + i]));
    }
    return json_pack("{s:i, s:i, s:I, s:o, s:o}", "rank", move->rank, "channel",
                     move->channel, "count", (json_int_t)move->count, "to",
                     place_json(&move->dst), "from", from);
}

static json_t *steps_json(const struct coll_opts *o,
                          const struct trench_coll_schedule *sched)
{
    json_t *steps = json_array();

    for (size_t s = 0; s < trench_coll_steps(sched); s++) {
        json_t *list = json_array();
        size_t nr;
        const struct trench_coll_move *moves = trench_coll_moves(sched, s, &nr);

        for (size_t i = 0; i < nr; i++) {
            json_array_append_new(
                list, move_json(&moves[i], trench_coll_places(sched)));
        }
        json_array_append_new(steps, list);
    }
    return json_pack(
        "{s:s, s:s, s:s, s:s, s:i, s:o}", "collective", o->kind->name,
        "algorithm", trench_coll_algo_name(trench_coll_algo_of(sched)),
        "reason", trench_coll_reason(sched), "redop",
        o->kind->reduces ? coll_redop_name(first_redop(o)) : "none", "ranks",
        (int)o->ranks, "steps", steps);
}

int coll_show_steps(const struct coll_opts *o)
{
    struct trench_coll_schedule *sched;
    uint64_t count = coll_count(o, o->min_bytes, coll_first_type(o));

    if (coll_schedule(o, count, false, &sched) < 0) {
        return -1;
    }
    if (o->common.json) {
        int status = cli_json_print(o->prog, stdout, steps_json(o, sched));

        trench_coll_destroy(sched);
        return status ? -1 : 0;
    }
    printf("%s of %" PRIu64 " elements on %u rank%s: %s, %s; %zu step%s\n",
           o->kind->name, count, o->ranks, plural(o->ranks),
           trench_coll_algo_name(trench_coll_algo_of(sched)),
           trench_coll_reason(sched), trench_coll_steps(sched),
           plural(trench_coll_steps(sched)));
    print_steps(o, sched, stdout);
    trench_coll_destroy(sched);
    return 0;
}
