/* SPDX-License-Identifier: BSD-3-Clause */
/* What the files of trench step share. */
#ifndef TRENCH_CLI_STEP_H
#define TRENCH_CLI_STEP_H

#include "cli.h"
#include "fault.h"
#include "output.h"
#include "rig.h"

#include <trench/step.h>

/** Most bytes of data. */
#define STEP_BYTES_MAX (UINT64_C(1) << 30)
/** Bundles of one command: one for each half of a virtual core. */
#define STEP_BUNDLES 2
/** Semaphore of the TOP_SP that the engines increment. */
#define STEP_DONE_ID 16u

struct step_opts {
    struct cli_common common;
    const char *prog;
    const char *engines_text; /* NULL = not given */
    const char *queues_text;
    struct cli_set engines; /* of the virtual core */
    struct cli_set queues;
    unsigned bundle;
    bool own_pcore;
    unsigned pcore;
    unsigned core; /* first NeuronCore of the virtual core */
    int manager;   /* -1 = the chip's last engine */
    uint64_t bytes;
    const char *in;  /* NULL = random data */
    const char *out; /* NULL = nowhere */
    unsigned steps;
    uint64_t seed;
    bool seed_given;
    enum trench_ncfw_reading reading;
    bool no_broadcast;
    bool explain;
    bool dry_run;
    bool verbose;
    struct cli_faults faults;
};

/** What a run has cost. */
struct step_cost {
    bool ran;
    struct trench_step_stats step;
    struct trench_bus_stats bus;
};

/** A step at work. */
struct step_run {
    const struct step_opts *opts;
    struct cli_rig rig;
    struct trench_hal_bus *hbm; /* rings of the step */
    struct cli_output output;
    int in_fd;
    uint8_t *data;
    size_t len;
    uint64_t chunk; /* bytes of a pair in a step */
    unsigned nr_pairs;
    struct trench_step_rings **rings; /* opts->steps of them */
    struct trench_ncfw_plan_conf (*bundles)[STEP_BUNDLES];
    struct trench_step_block *blocks;
    struct trench_step *step;
    unsigned manager;
    unsigned manager_queue;
    struct step_cost broadcast;
    struct step_cost one_by_one;
    /* What the fabric did in the first block. */
    unsigned block; /* that is being run */
    struct trench_bcast_delivery *deliveries;
    size_t nr_deliveries;
};

/* step_job.c */

/**
 * Read the input, open the chip, lay the rings and check the step.
 * @return 0, or -1 after a message; step_close() is due in both cases.
 */
int step_open(const struct step_opts *opts, struct step_run *out);

/** Run it, also without broadcast, and compare. @return as step_open(). */
int step_go(struct step_run *run);

/** Let the output appear. @return as step_open(). */
int step_finish(struct step_run *run);

void step_close(struct step_run *run);

/* step_explain.c, step_text.c */

/** "0-3,5" of a bitmap, counted from first; "none". */
struct step_set_text {
    char s[128];
};

struct step_set_text step_set_text(uint32_t bits, unsigned first);

/** Name of an address, without its place in the map when it has none. */
struct step_name {
    char s[160];
};

struct step_name step_name(const struct trench_gen *gen, uint64_t addr);

void step_explain(const struct step_run *run, FILE *to);
void step_print_ops(const struct step_run *run, FILE *to);
void step_print(const struct step_run *run, FILE *to);
json_t *step_json(const struct step_run *run);

#endif /* TRENCH_CLI_STEP_H */
