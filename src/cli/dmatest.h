/* SPDX-License-Identifier: BSD-3-Clause */
/* The parameters of trench dmatest. */
#ifndef TRENCH_CLI_DMATEST_H
#define TRENCH_CLI_DMATEST_H

#include "cli.h"
#include "fault.h"

/* Damage that --inject does to the buffers after each copy. */
enum cli_inject {
    CLI_INJECT_NONE,
    CLI_INJECT_MISSING, /* nothing arrives */
    CLI_INJECT_SPILL,   /* a byte too much arrives */
    CLI_INJECT_WRONG,   /* a byte arrives wrong */
    CLI_INJECT_SOURCE,  /* the source changes */
};

/** What the command line says; the input of cli_dmatest_argp. */
struct cli_dmatest_options {
    struct cli_common common;
    const char *channel;
    const char *queue; /* NULL = not given */
    struct cli_set engine_set;
    struct cli_set queue_set;
    enum cli_direction direction;
    uint32_t buf_bytes;
    uint32_t iterations;
    uint32_t threads_per_chan; /* 0 = not given */
    uint32_t max_channels;     /* 0 = no limit */
    uint32_t timeout_ms;
    uint32_t transfer_bytes; /* 0 = random */
    unsigned align_log2;
    bool noverify;
    bool norandom;
    bool verbose;
    bool seeded;
    uint64_t seed;
    enum cli_inject inject;
    struct cli_faults faults; /* that the chip meets */
};

#endif /* TRENCH_CLI_DMATEST_H */
