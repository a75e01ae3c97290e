/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * trench all_reduce and its siblings: whole collectives on modelled chips, with
 * the options and the table of nccl-tests.
 */
#include "coll.h"

#include <stdlib.h>

#include "npy.h"

/* The head of the table comes with its first row: not when all is refused. */
static int run_row(struct coll_run *run, struct coll_row *row, bool first)
{
    int err = coll_row_run(run, row);

    if (!err && !run->opts->common.json) {
        if (first) {
            coll_print_head(run, stdout);
        }
        coll_print_row(run, row, stdout);
        fflush(stdout);
    }
    return err;
}

/* Beyond the largest when there is none. */
static uint64_t next_size(const struct coll_opts *o, uint64_t bytes)
{
    if (o->step_bytes) {
        return bytes + o->step_bytes;
    }
    if (bytes > o->max_bytes / o->factor) {
        return UINT64_MAX;
    }
    return bytes == 0 ? 1 : bytes * o->factor;
}

/* All rows of one size; adds to the list. */
static int run_size(struct coll_run *run, uint64_t bytes,
                    struct coll_row **rows, size_t *nr)
{
    const struct coll_opts *o = run->opts;
    int err = 0;

    for (unsigned t = 1; t < TRENCH_NR_DTYPES && !err; t++) {
        for (unsigned r = 0; r <= TRENCH_CCE_MIN && !err; r++) {
            struct coll_row *more;

            if (!o->types[t] || !o->redops[r]) {
                continue;
            }
            more = realloc(*rows, (*nr + 1) * sizeof(**rows));
            if (!more) {
                cli_error(o->prog, "out of memory");
                return -1;
            }
            *rows = more;
            more[*nr] = (struct coll_row){ .bytes = bytes,
                                           .type = (enum trench_dtype)t,
                                           .redop = (enum trench_cce_op)r };
            err = run_row(run, &more[*nr], *nr == 0);
            *nr += !err;
        }
    }
    return err;
}

static bool any_wrong(const struct coll_row *rows, size_t nr)
{
    for (size_t i = 0; i < nr; i++) {
        for (unsigned m = 0; m < 2; m++) {
            if (rows[i].result[m].ran && rows[i].result[m].wrong > 0) {
                return true;
            }
        }
    }
    return false;
}

static int run_all(struct coll_run *run)
{
    const struct coll_opts *o = run->opts;
    struct coll_row *rows = NULL;
    size_t nr = 0;
    int err = 0;

    for (uint64_t bytes = o->min_bytes; bytes <= o->max_bytes && !err;
         bytes = next_size(o, bytes)) {
        err = run_size(run, bytes, &rows, &nr);
    }
    if (o->common.json) {
        err = (!err ? cli_json_print(o->prog, stdout, coll_json(run, rows, nr))
                    : 0) ||
              err;
    } else if (!err) {
        coll_print_tail(run, rows, nr, stdout);
    }
    err = err || any_wrong(rows, nr);
    free(rows);
    return err ? CLI_FAILED : CLI_OK;
}

static int run_command(int argc, char **argv, const struct coll_kind *kind,
                       const struct argp *argp)
{
    struct coll_opts opts = { .prog = argv[0], .kind = kind };
    struct coll_run run;
    int status = CLI_FAILED;

    argp_parse(argp, argc, argv, 0, NULL, &opts);
    if (opts.show_steps) {
        return coll_show_steps(&opts) < 0 ? CLI_FAILED : CLI_OK;
    }
    if (coll_open(&opts, &run) == 0 && (!opts.in || coll_load(&run) == 0) &&
        coll_check_files(&opts) == 0) {
        status = run_all(&run);
    }
    coll_close(&run);
    return status;
}

#define COMMAND(id, ...)                                                       \
    int cli_##id##_run(int argc, char **argv)                                  \
    {                                                                          \
        static const struct coll_kind kind = { .name = #id, __VA_ARGS__ };     \
                                                                               \
        return run_command(argc, argv, &kind, &cli_##id##_argp);               \
    }

COMMAND(all_reduce, .op = TRENCH_COLL_ALL_REDUCE, .reduces = true, .hops = 2)
COMMAND(all_gather, .op = TRENCH_COLL_ALL_GATHER, .out_parts = true, .hops = 1)
COMMAND(reduce_scatter, .op = TRENCH_COLL_REDUCE_SCATTER, .reduces = true,
        .in_parts = true, .hops = 1)
COMMAND(alltoall, .op = TRENCH_COLL_ALL_TO_ALL, .in_parts = true,
        .out_parts = true, .hops = 1)
COMMAND(broadcast, .op = TRENCH_COLL_BROADCAST, .rooted = true)
COMMAND(reduce, .op = TRENCH_COLL_REDUCE, .reduces = true, .rooted = true)
COMMAND(sendrecv, .op = TRENCH_COLL_SEND_RECV)
