/* SPDX-License-Identifier: BSD-3-Clause */
/* One row of the table: a size, a type, an operation, run both ways. */
#include "coll.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "coll/reference.h"
#include "coll/sample.h"
#include "coll_trace.h"
#include "npy.h"
#include "output.h"

/*
 * Chips run before a write returns, up to some 3 GiB of data; every poll lets
 * them go on with as much.
 */
#define POLLS 1024u
/* What no rank begins with: a result that nobody wrote is seen. */
#define POISON 0xA5
/* Of a file. */
#define MAX_FILE_BYTES (UINT64_C(1) << 36)

static int fail(const struct coll_run *run, const char *what, int err)
{
    cli_error(run->opts->prog, "%s: %s", what, trench_strerror(err));
    return -1;
}

/* ---- schedules ----------------------------------------------------------- */

/* Parts of an input and of a result, and those that a size is made of. */
static unsigned in_parts(const struct coll_opts *o)
{
    return o->kind->in_parts ? o->ranks : 1;
}

static unsigned out_parts(const struct coll_opts *o)
{
    return o->kind->out_parts ? o->ranks : 1;
}

static unsigned parts_of(const struct coll_opts *o)
{
    return o->kind->in_parts || o->kind->out_parts ? o->ranks : 1;
}

uint64_t coll_count(const struct coll_opts *o, uint64_t bytes,
                    enum trench_dtype type)
{
    return bytes / trench_dtype_bytes(type) / parts_of(o);
}

int coll_schedule(const struct coll_opts *o, uint64_t count, bool in_place,
                  struct trench_coll_schedule **out)
{
    const struct trench_coll_conf conf = {
        .op = o->kind->op,
        .algo = o->algo,
        .ranks = o->ranks,
        .chip_ranks = o->ranks / o->chips,
        .count = count,
        .in_place = in_place,
        .root = o->root,
        .channels = o->channels,
        .pieces = o->pieces,
        .secondaries = o->secondaries,
        .intra = o->intra,
        .inter = o->inter,
    };
    const char *why = trench_coll_refusal(&conf);
    int err;

    if (why) {
        cli_error(o->prog, "%s by %s on %u ranks: %s", o->kind->name,
                  trench_coll_algo_name(o->algo), o->ranks, why);
        return -1;
    }
    err = trench_coll_create(&conf, out);
    if (err) {
        cli_error(o->prog, "the schedule: %s", trench_strerror(err));
        return -1;
    }
    return 0;
}

/* ---- data ---------------------------------------------------------------- */

/* What each rank begins with; kept to judge the results by. */
static int make_inputs(struct coll_run *run, const struct coll_row *row)
{
    const struct coll_opts *o = run->opts;
    uint64_t elems = run->in_bytes / trench_dtype_bytes(row->type);

    for (unsigned r = 0; r < o->ranks; r++) {
        const struct coll_sample sample = { .type = row->type,
                                            .seed = o->seed,
                                            .rank = r,
                                            .nr_ranks = o->ranks,
                                            .random = o->random };

        free(run->inputs[r]);
        run->inputs[r] = malloc(run->in_bytes ? run->in_bytes : 1);
        if (!run->inputs[r]) {
            return fail(run, "data", TRENCH_ERR_NOMEM);
        }
        coll_sample_fill(&sample, 0, elems, run->inputs[r]);
    }
    return 0;
}

/* One rank's file. All ranks have as many elements. */
static int load_input(struct coll_run *run, enum trench_dtype type,
                      unsigned rank, const char *name)
{
    const struct coll_opts *o = run->opts;
    const uint64_t memory = coll_machine_bytes() / o->ranks;
    const struct npy_want want = {
        .type = type,
        .max_bytes = memory < MAX_FILE_BYTES ? memory : MAX_FILE_BYTES,
    };
    struct npy_array array;

    if (npy_load(o->prog, name, &want, &array) < 0) {
        return -1;
    }
    run->inputs[rank] = array.data;
    if (rank == 0) {
        run->in_count = array.count;
    }
    if (array.count != run->in_count) {
        cli_error(o->prog, "%s: %" PRIu64 " elements, but rank 0 has %" PRIu64,
                  name, array.count, run->in_count);
        return -1;
    }
    return 0;
}

static int check_trace(const struct coll_opts *o, const char *pattern)
{
    int err = 0;

    for (unsigned r = 0; pattern && r < o->ranks && !err; r++) {
        char *name = npy_pattern_name(pattern, r);

        if (!name) {
            cli_error(o->prog, "out of memory");
            err = -1;
        } else if (cli_output_same(o->trace, name)) {
            cli_error(o->prog, "--trace %s: it is the file of rank %u, too",
                      o->trace, r);
            err = -1;
        }
        free(name);
    }
    return err;
}

int coll_check_files(const struct coll_opts *o)
{
    if (o->out && npy_pattern_vacant(o->prog, o->out, o->ranks) < 0) {
        return -1;
    }
    if (!o->trace) {
        return 0;
    }
    return check_trace(o, o->in) < 0 ? -1 : check_trace(o, o->out);
}

int coll_load(struct coll_run *run)
{
    const struct coll_opts *o = run->opts;
    const enum trench_dtype type = coll_first_type(o);
    const unsigned parts = in_parts(o);

    for (unsigned r = 0; r < o->ranks; r++) {
        char *name = npy_pattern_name(o->in, r);
        int err = name ? load_input(run, type, r, name)
                       : fail(run, o->in, TRENCH_ERR_NOMEM);

        free(name);
        if (err) {
            return -1;
        }
    }
    if (run->in_count % parts != 0) {
        cli_error(o->prog,
                  "%s: %" PRIu64 " elements are not a multiple of the %u ranks",
                  o->in, run->in_count, o->ranks);
        return -1;
    }
    run->in_count /= parts;
    return 0;
}

static uint8_t *host_of(const struct coll_run *run, unsigned rank, unsigned buf)
{
    return run->host[(size_t)rank * TRENCH_NR_COLL_BUFS + buf];
}

static void place_inputs(const struct coll_run *run)
{
    for (unsigned r = 0; r < run->opts->ranks; r++) {
        memset(host_of(run, r, TRENCH_COLL_OUT), POISON, run->out_bytes);
    }
    for (unsigned r = 0; r < run->opts->ranks; r++) {
        memcpy(host_of(run, r, TRENCH_COLL_IN), run->inputs[r], run->in_bytes);
    }
}

/* ---- results ------------------------------------------------------------- */

/* Of a reduce only the root has a result. */
static bool has_result(const struct coll_opts *o, unsigned rank)
{
    return !o->kind->reduces || !o->kind->rooted || rank == o->root;
}

/* A result, or a part of one, that is judged. */
struct judged {
    unsigned rank; /* whose result */
    uint64_t at;   /* element of it */
    uint64_t count;
    bool reduced;  /* of all inputs, else a copy */
    unsigned from; /* rank it is copied from */
    uint64_t src;  /* element of the input, or of each */
};

static int judge(const struct coll_run *run, const struct coll_row *row,
                 const struct judged *j, struct coll_verdict *out)
{
    unsigned esize = trench_dtype_bytes(row->type);
    const uint8_t *got = host_of(run, j->rank, TRENCH_COLL_OUT) + j->at * esize;
    const void *inputs[TRENCH_COLL_MAX_RANKS];
    const struct coll_reference ref = { .op = row->redop,
                                        .type = row->type,
                                        .nr_inputs = run->opts->ranks,
                                        .inputs = inputs,
                                        .result = got,
                                        .count = j->count };

    if (!j->reduced) {
        return coll_reference_copy(row->type,
                                   run->inputs[j->from] + j->src * esize, got,
                                   j->count, out);
    }
    for (unsigned r = 0; r < run->opts->ranks; r++) {
        inputs[r] = run->inputs[r] + j->src * esize;
    }
    return coll_reference_check(&ref, out);
}

/* What a part of a rank's result is. */
static struct judged expect(const struct coll_run *run,
                            const struct coll_row *row, unsigned rank,
                            unsigned part)
{
    const struct coll_opts *o = run->opts;
    const struct coll_kind *kind = o->kind;
    unsigned before = (rank + o->ranks - 1) % o->ranks;

    return (struct judged){
        .rank = rank,
        .at = part * row->count,
        .count = row->count,
        .reduced = kind->reduces,
        .from = kind->out_parts ? part
                : kind->rooted  ? o->root
                                : before,
        .src = kind->in_parts ? rank * row->count : 0,
    };
}

static void tell_wrong(const struct coll_run *run, const struct judged *j,
                       const struct coll_verdict *v)
{
    cli_error(run->opts->prog,
              "rank %u, element %" PRIu64
              ": expected %s, got %s, and %g off would be right",
              j->rank, j->at + v->index, v->expected, v->got, v->bound);
}

/*
 * All ranks of an all-reduce have the same result: what is judged is that of
 * the first, and every one that differs.
 */
static bool is_known(const struct coll_run *run, const struct coll_row *row,
                     unsigned rank)
{
    return run->opts->kind->op == TRENCH_COLL_ALL_REDUCE && rank > 0 &&
           row->count > 0 &&
           memcmp(host_of(run, rank, TRENCH_COLL_OUT),
                  host_of(run, 0, TRENCH_COLL_OUT), run->out_bytes) == 0;
}

/* @return wrong elements of a rank's result, or -1 after a message. */
static int64_t verify_rank(const struct coll_run *run,
                           const struct coll_row *row, unsigned rank,
                           bool silent)
{
    int64_t wrong = 0;

    for (unsigned part = 0; part < out_parts(run->opts); part++) {
        const struct judged j = expect(run, row, rank, part);
        struct coll_verdict v;
        int err = judge(run, row, &j, &v);

        if (err) {
            return fail(run, "results", err);
        }
        if (v.wrong > 0 && wrong == 0 && !silent) {
            tell_wrong(run, &j, &v);
        }
        wrong += (int64_t)v.wrong;
    }
    return wrong;
}

/* @return wrong elements, or -1 after a message. */
static int64_t verify(const struct coll_run *run, const struct coll_row *row)
{
    const struct coll_opts *o = run->opts;
    int64_t first = 0; /* those of rank 0 */
    int64_t wrong = 0;

    for (unsigned r = 0; r < o->ranks; r++) {
        int64_t more;

        if (!has_result(o, r)) {
            continue;
        }
        more =
            is_known(run, row, r) ? first : verify_rank(run, row, r, wrong > 0);
        if (more < 0) {
            return -1;
        }
        first = r == 0 ? more : first;
        wrong += more;
    }
    return wrong;
}

/* ---- running ------------------------------------------------------------- */

static int job_create(struct coll_run *run, const struct coll_row *row,
                      const struct trench_coll_schedule *sched,
                      struct trench_coll_job **out)
{
    const struct coll_opts *o = run->opts;
    const struct trench_coll_job_conf conf = {
        .schedule = sched,
        .gen = o->common.gen,
        .ranks = o->ranks,
        .chip_ranks = run->chip_ranks,
        .chips = run->at,
        .bufs = run->bufs,
        .type = row->type,
        .op = row->redop,
        .engines = o->engines,
        .queues = o->queues,
        .manager_engine = o->common.gen->nr_engines - 1u,
        .no_broadcast = o->no_broadcast,
        .polls = POLLS,
    };
    struct trench_coll_job_error err;
    int code = trench_coll_job_create(&conf, out, &err);

    if (code) {
        cli_error(o->prog, "chip %d: %s: %s", err.chip, err.step.text,
                  trench_strerror(code));
        return -1;
    }
    return 0;
}

static int job_run(struct coll_run *run, struct trench_coll_job *job,
                   struct trench_step_stats *stats)
{
    struct trench_coll_job_error err;
    int code = trench_coll_job_run(job, stats, &err);

    if (code && err.step_nr >= 0) {
        cli_error(run->opts->prog, "chip %d, step %ld: %s: %s", err.chip,
                  err.step_nr, err.step.text, trench_strerror(code));
        return -1;
    }
    if (code) {
        cli_error(run->opts->prog, "chip %d: %s: %s", err.chip, err.step.text,
                  trench_strerror(code));
        return -1;
    }
    return 0;
}

static int run_timed(struct coll_run *run, struct trench_coll_job *job,
                     struct coll_result *res)
{
    const struct coll_opts *o = run->opts;
    uint64_t start;

    place_inputs(run);
    for (unsigned i = 0; i < o->warmup; i++) {
        if (job_run(run, job, NULL) < 0) {
            return -1;
        }
    }
    start = cli_now_ns();
    for (unsigned i = 0; i < o->iters; i++) {
        if (job_run(run, job, i == 0 ? &res->stats : NULL) < 0) {
            return -1;
        }
    }
    res->us = (double)(cli_now_ns() - start) * 1e-3 / o->iters;
    res->ran = true;
    return 0;
}

/* Once more on fresh data, which later iterations have not gone over. */
static int run_checked(struct coll_run *run, const struct coll_row *row,
                       struct trench_coll_job *job, struct coll_result *res)
{
    const struct coll_opts *o = run->opts;

    if (o->iters > 1 || o->warmup > 0 || run->trace) {
        place_inputs(run);
        if (run->trace) {
            coll_trace_watch(run->trace, job);
        }
        if (job_run(run, job, NULL) < 0) {
            return -1;
        }
        if (run->trace) {
            coll_trace_leave(run->trace, job);
        }
    }
    res->wrong = o->check ? verify(run, row) : -1;
    return o->check && res->wrong < 0 ? -1 : 0;
}

/* ---- files --------------------------------------------------------------- */

static int prepare_output(const struct coll_run *run,
                          const struct coll_row *row, unsigned rank)
{
    const struct coll_opts *o = run->opts;
    const struct npy_vector v = {
        .type = row->type,
        .count = run->out_bytes / trench_dtype_bytes(row->type),
        .data = host_of(run, rank, TRENCH_COLL_OUT),
    };

    return npy_prepare(o->prog, run->names[rank], &v, &run->files[rank]);
}

/* Write all files, which do not appear yet. */
static int prepare_outputs(struct coll_run *run, const struct coll_row *row)
{
    const struct coll_opts *o = run->opts;
    int err = 0;

    run->files = calloc(o->ranks, sizeof(*run->files));
    run->names = calloc(o->ranks, sizeof(*run->names));
    if (!run->files || !run->names) {
        return fail(run, o->out, TRENCH_ERR_NOMEM);
    }
    for (unsigned r = 0; r < o->ranks && !err; r++) {
        if (!has_result(o, r)) {
            continue;
        }
        run->names[r] = npy_pattern_name(o->out, r);
        err = run->names[r] ? prepare_output(run, row, r)
                            : fail(run, o->out, TRENCH_ERR_NOMEM);
    }
    return err;
}

/* Of the first nr ranks, which have been let appear. */
static void remove_outputs(struct coll_run *run, unsigned nr)
{
    for (unsigned r = 0; r < nr; r++) {
        if (has_result(run->opts, r)) {
            unlink(run->names[r]); /* it was not there before */
        }
    }
}

/* Let all files appear, or none of them. */
static int commit_outputs(struct coll_run *run)
{
    const struct coll_opts *o = run->opts;
    unsigned r = 0;

    while (r < o->ranks &&
           (!has_result(o, r) || cli_output_commit(&run->files[r]) == 0)) {
        r++;
    }
    if (r == o->ranks) {
        return 0;
    }
    remove_outputs(run, r);
    return -1;
}

static void close_outputs(struct coll_run *run)
{
    for (unsigned r = 0; r < run->opts->ranks; r++) {
        if (run->names && run->names[r]) {
            cli_output_close(&run->files[r]);
            free(run->names[r]);
        }
    }
    free(run->files);
    free(run->names);
    run->files = NULL;
    run->names = NULL;
}

static int commit_all(struct coll_run *run, struct coll_trace *trace)
{
    if (run->files && commit_outputs(run) < 0) {
        return -1;
    }
    if (trace && coll_trace_finish(trace) < 0) {
        remove_outputs(run, run->files ? run->opts->ranks : 0);
        return -1;
    }
    return 0;
}

/* What has been right both ways. No signal comes between two of them. */
static int show_files(struct coll_run *run, struct coll_trace *trace)
{
    int err = trace ? coll_trace_seal(trace) : 0;
    sigset_t old;

    if (!err) {
        cli_output_hold(&old);
        err = commit_all(run, trace);
        cli_output_release(&old);
    }
    return err;
}

/* ---- rows ---------------------------------------------------------------- */

static void describe(struct coll_row *row,
                     const struct trench_coll_schedule *sched)
{
    row->algo = trench_coll_algo_of(sched);
    row->steps = trench_coll_steps(sched);
    snprintf(row->why, sizeof(row->why), "%s", trench_coll_reason(sched));
}

/* With a schedule and its job. */
static int run_job(struct coll_run *run, struct coll_row *row, bool in_place,
                   struct trench_coll_job *job)
{
    struct coll_result *res = &row->result[in_place];
    int err = run_timed(run, job, res);

    trench_coll_job_info(job, &res->info);
    return err ? err : run_checked(run, row, job, res);
}

static int run_way(struct coll_run *run, struct coll_row *row, bool in_place)
{
    const struct coll_opts *o = run->opts;
    unsigned esize = trench_dtype_bytes(row->type);
    struct trench_coll_schedule *sched = NULL;
    struct trench_coll_job *job = NULL;
    int err = coll_schedule(o, row->count, in_place, &sched);

    if (!err) {
        describe(row, sched);
        run->in_bytes = trench_coll_size(sched, TRENCH_COLL_IN) * esize;
        run->out_bytes = trench_coll_size(sched, TRENCH_COLL_OUT) * esize;
        err = coll_lay_out(run, sched, row->type, in_place);
    }
    if (!err && !in_place && !o->in) {
        err = make_inputs(run, row);
    }
    if (!err) {
        err = job_create(run, row, sched, &job);
    }
    if (!err) {
        err = run_job(run, row, in_place, job);
    }
    if (!err && !in_place && o->out) {
        err = prepare_outputs(run, row);
    }
    trench_coll_job_destroy(job);
    trench_coll_destroy(sched);
    return err;
}

/* Both ways; files are about the first. */
static int run_ways(struct coll_run *run, struct coll_row *row)
{
    struct coll_trace *trace = run->trace;
    int err = run_way(run, row, false);

    run->trace = NULL;
    if (!err) {
        err = run_way(run, row, true);
    }
    if (!err && row->result[0].wrong <= 0 && row->result[1].wrong <= 0) {
        err = show_files(run, trace);
    }
    coll_trace_close(trace);
    close_outputs(run);
    return err;
}

int coll_row_run(struct coll_run *run, struct coll_row *row)
{
    const struct coll_opts *o = run->opts;

    row->count = o->in ? run->in_count : coll_count(o, row->bytes, row->type);
    row->bytes = row->count * parts_of(o) * trench_dtype_bytes(row->type);
    if (o->trace && coll_trace_open(run, o->trace, &run->trace) < 0) {
        coll_trace_close(run->trace);
        run->trace = NULL;
        return -1;
    }
    return run_ways(run, row);
}
