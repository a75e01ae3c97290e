/* SPDX-License-Identifier: BSD-3-Clause */
/* What the files of the commands for collectives share. */
#ifndef TRENCH_CLI_COLL_H
#define TRENCH_CLI_COLL_H

#include "cli.h"
#include "fault.h"

#include <trench/access.h>
#include <trench/coll_job.h>
#include <trench/pod.h>

/** What a collective is to its command. */
struct coll_kind {
    const char *name; /**< "all_reduce" */
    enum trench_coll_op op;
    bool reduces;   /**< Combines the inputs of all ranks. */
    bool rooted;    /**< One rank is the root. */
    bool in_parts;  /**< Each input has a part for each rank. */
    bool out_parts; /**< Each result has a part from each rank. */
    /** How often (n - 1) / n is in what nccl-tests makes of a rate. */
    unsigned hops;
};

struct coll_opts {
    struct cli_common common;
    const char *prog;
    const struct coll_kind *kind;
    uint64_t min_bytes;
    uint64_t max_bytes;
    uint64_t step_bytes; /* 0 = by the factor */
    uint64_t factor;
    bool sizes_given;
    unsigned ranks;
    unsigned chips;
    bool types[TRENCH_NR_DTYPES];
    bool redops[TRENCH_CCE_MIN + 1];
    unsigned root;
    unsigned iters;
    unsigned warmup;
    bool check;
    enum trench_coll_algo algo;
    enum trench_coll_algo intra; /* of hier */
    enum trench_coll_algo inter;
    unsigned channels;
    unsigned pieces;
    unsigned secondaries;
    unsigned engines;
    unsigned queues;
    bool no_broadcast;
    bool random;
    uint64_t seed;
    bool seed_given;
    bool show_steps;
    bool verbose;
    const char *in;
    const char *out;
    const char *trace;
    struct cli_faults faults;
};

/** What one way of running has given. */
struct coll_result {
    bool ran;
    double us;     /* of one iteration, wall time of the model */
    int64_t wrong; /* elements; -1 = not checked */
    struct trench_step_stats stats; /* of one iteration */
    struct trench_coll_job_info info;
};

/** A row of the table. */
struct coll_row {
    uint64_t bytes;
    uint64_t count;
    enum trench_dtype type;
    enum trench_cce_op redop;
    enum trench_coll_algo algo;
    char why[96]; /* that algorithm */
    size_t steps;
    struct coll_result result[2]; /* out of place, in place */
};

/** The chips at work. */
struct coll_chip {
    struct trench_soc *soc;
    struct trench_hal_bus *hbm; /* rings */
    struct trench_hal_engine **engines;
    struct trench_hal_queue **queues;
    unsigned nr_engines;
    unsigned nr_queues;
};

struct coll_trace; /* coll_trace.h */

struct coll_run {
    const struct coll_opts *opts;
    unsigned chip_ranks;
    struct trench_pod *pod;
    struct coll_chip *chips;     /* opts->chips of them */
    struct trench_coll_chip *at; /* the same, for a job */
    uint64_t *bufs;              /* addresses, as a job wants them */
    uint8_t **host;              /* the same memory, as we see it */
    uint8_t **inputs;            /* what each rank begins with */
    uint64_t in_bytes;           /* of each of them */
    uint64_t out_bytes;
    uint64_t in_count;        /* elements of a file given, or 0 */
    struct coll_trace *trace; /* NULL = nobody wants one */
    struct cli_output *files; /* of --out, a rank each; NULL = none yet */
    char **names;             /* of these */
};

/* coll_rig.c: chips with open engines, and memory on them. */

/** @return 0, or -1 after a message; coll_close() is due in both cases. */
int coll_open(const struct coll_opts *opts, struct coll_run *out);

void coll_close(struct coll_run *run);

/**
 * Place the buffers of a schedule. In place, input and output share.
 * @return 0, or -1 after a message.
 */
int coll_lay_out(struct coll_run *run, const struct trench_coll_schedule *sched,
                 enum trench_dtype type, bool in_place);

/** Memory of the machine that runs this. */
uint64_t coll_machine_bytes(void);

/* coll_run.c: one size, type and operation. */

/**
 * Look for files that --out or --trace would overwrite, and must not.
 * @return 0, or -1 after a message.
 */
int coll_check_files(const struct coll_opts *opts);

/** Read the files of --in. @return 0, or -1 after a message. */
int coll_load(struct coll_run *run);

/** @return 0, or -1 after a message. */
int coll_row_run(struct coll_run *run, struct coll_row *row);

/** Elements of a size, as trench_coll_conf counts them. */
uint64_t coll_count(const struct coll_opts *opts, uint64_t bytes,
                    enum trench_dtype type);

/** Make a schedule. @return 0, or -1 after a message. */
int coll_schedule(const struct coll_opts *opts, uint64_t count, bool in_place,
                  struct trench_coll_schedule **out);

/** The type that is asked for, where it is one. */
enum trench_dtype coll_first_type(const struct coll_opts *opts);

/** "sum", "max" or "min". */
const char *coll_redop_name(enum trench_cce_op op);

/* coll_text.c */

void coll_print_head(const struct coll_run *run, FILE *to);
void coll_print_row(const struct coll_run *run, const struct coll_row *row,
                    FILE *to);
void coll_print_tail(const struct coll_run *run, const struct coll_row *rows,
                     size_t nr, FILE *to);
json_t *coll_json(const struct coll_run *run, const struct coll_row *rows,
                  size_t nr);
/** Print the schedule of the smallest size. @return 0, or -1 after a message.
 */
int coll_show_steps(const struct coll_opts *opts);

#endif /* TRENCH_CLI_COLL_H */
