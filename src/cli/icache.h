/* SPDX-License-Identifier: BSD-3-Clause */
/* trench icache: what its parts share. */
#ifndef TRENCH_CLI_ICACHE_H
#define TRENCH_CLI_ICACHE_H

#include "cli.h"

#include <trench/icache.h>
#include <trench/soc.h>

#include "icache_image.h"
#include "icache_trace.h"

/* A block size a point; from 64 B to 128 KiB there are 12 doublings. */
#define ICACHE_MAX_POINTS 12u

struct icache_opts {
    struct cli_common common;
    const char *prog;
    const char *image;
    const char *trace;
    const char *section; /* NULL = executable segments */
    const char *svg;     /* NULL = no plot */
    uint64_t base;
    bool base_given;
    uint32_t block;
    uint32_t lines; /* 0 = by iram */
    uint32_t iram;
    uint32_t sweep_first; /* 0 = no sweep */
    uint32_t sweep_last;
    enum trench_icache_backend backend;
    bool backend_given;
    enum trench_mailbox_words words;
    unsigned seq;
    unsigned core;
    unsigned prefetch;
    uint32_t latency;
    unsigned histogram; /* rows; 0 = none */
    bool log;
    bool sunda_mode;
    bool control;
};

/* One cache on a chip of its own. */
struct icache_point {
    struct trench_soc *soc;
    struct trench_icache *ic;
    uint32_t block;
    uint32_t lines;
    bool hardware;   /* a geometry that the firmware accepts */
    uint64_t *fills; /* by block of the image */
    size_t nr_fills;
    struct trench_icache_stats stats; /* when done */
};

struct icache_run {
    const struct icache_opts *opts;
    struct icache_image image;
    struct trench_icache_image mapped; /* in the trace's addresses */
    uint64_t stream;                   /* where it is staged */
    struct icache_trace *trace;
    struct icache_point points[ICACHE_MAX_POINTS];
    unsigned nr_points;
    uint64_t ns; /* of replaying, reading included */
};

/* icache.c: by backend, and by the bits of prefetch; NULL ends both. */
extern const char *const icache_backend_names[];
extern const char *const icache_prefetch_names[];

/* icache_run.c. Both return 0, or -1 after a message; close is due. */
int icache_run_open(const struct icache_opts *opts, struct icache_run *run);
int icache_run_replay(struct icache_run *run);
void icache_run_close(struct icache_run *run);

/* icache_text.c */
void icache_print(const struct icache_run *run);
json_t *icache_json(const struct icache_run *run);
double icache_miss_rate(const struct trench_icache_stats *stats);

/* icache_plot.c: 0, or -1 after a message. */
int icache_plot(const struct icache_run *run);

#endif /* TRENCH_CLI_ICACHE_H */
