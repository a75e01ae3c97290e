/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * trench watch: where the channels of a modelled chip stand, after copies that
 * it runs itself or after a log of register accesses.
 */
#ifndef TRENCH_CLI_WATCH_H
#define TRENCH_CLI_WATCH_H

#include "cli.h"
#include "fault.h"

#include <trench/access.h>
#include <trench/soc.h>

struct cli_rig;
struct watch_copies;
struct watch_replay;

/** What the command line says; the input of cli_watch_argp. */
struct watch_options {
    struct cli_common common;
    const char *path;    /* NULL = run copies */
    const char *bar;     /* NULL = the log holds addresses */
    const char *channel; /* NULL = not given */
    const char *queue;   /* NULL = not given */
    struct cli_set engine_set;
    struct cli_set queue_set;
    enum cli_direction direction;
    uint32_t bytes;
    uint32_t iterations;
    uint32_t interval_ms; /* 0 = none */
    uint32_t rounds;      /* 0 = no end */
    bool rounds_given;
    uint32_t records; /* notifications to show of a queue; 0 = all */
    uint64_t seed;
    bool notify;
    bool clear;
    bool strict;
    const char *run_only; /* an option that makes no sense with a file */
    struct cli_faults faults;
};

/** A run of the command. */
struct watch {
    const char *prog;
    const struct watch_options *options;
    struct trench_soc *soc;        /* borrowed from the rig or the replay */
    const struct cli_set *engines; /* to show */
    const struct cli_rig *rig;     /* NULL = there was a log */
    const struct watch_copies *copies;
    const struct watch_replay *replay;
    uint32_t round;
    bool place; /* standard output is a terminal: draw in place */
    bool bold;  /* and may be coloured */
};

/** watch.c: the log, for messages. */
const char *watch_path(const struct watch *w);

/** watch.c: show the channels. @return an exit code. */
int watch_show(const struct watch *w);

/** What became of the copies of one queue. */
struct watch_copier {
    unsigned engine;
    unsigned queue;
    uint64_t copies;  /* that arrived right */
    uint64_t corrupt; /* that arrived wrong */
    int err;          /* that ended them, or 0 */
};

struct watch_copies {
    struct watch_copier *copier;
    unsigned nr_copiers;
};

/** watch_run.c: copies, round by round. @return an exit code. */
int watch_run_copies(const struct watch *w);

/** A read that the model answered in another way than the log. */
struct watch_difference {
    uint64_t line;
    uint64_t addr; /* as in the log */
    uint32_t logged;
    uint32_t answered;
    uint32_t mask; /* bits that count */
    bool refused;
    bool write;      /* refused writes are told, too */
    const char *why; /* constant: why it was refused */
    char name[160];  /* of the address; "" without one */
};

#define WATCH_DIFFERENCES 1000

/** What became of a log. */
struct watch_replay {
    uint64_t reads;
    uint64_t writes;
    uint64_t differed; /* reads */
    uint64_t refused;  /* reads and writes */
    uint64_t left_out; /* lines that are no access */
    uint64_t restless; /* line after which the chip did not come to rest */
    struct watch_difference *differences;
    unsigned nr_differences; /* of those, up to WATCH_DIFFERENCES */
    struct cli_set touched;  /* engines */
};

/** watch_replay.c: a log against the model. @return an exit code. */
int watch_run_log(struct watch *w);

#endif /* TRENCH_CLI_WATCH_H */
