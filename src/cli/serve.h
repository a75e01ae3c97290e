/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Serving a PCI function: options, trace and report, for every command that
 * does it.
 */
#ifndef TRENCH_CLI_SERVE_H
#define TRENCH_CLI_SERVE_H

#include <trench/serve.h>

#include "cli.h"

/** What the options say; the input of serve_argp. */
struct serve_opts {
    struct trench_serve_conf conf; /**< Generation and identity settled. */
    const char *device;            /**< Name of the product, or NULL. */
    const char *revision;          /**< As typed, or NULL. */
    const char *trace;             /**< File, or NULL. */
    bool unknown_report;
    bool json;
};

/** Parses the options of a device; use it as a child. */
extern const struct argp serve_argp;

/* serve_run.c */

/**
 * Serve the device on a connected stream socket until the other side closes,
 * and report. One device a process.
 * @return an exit code, after a message where it is not CLI_OK.
 */
int serve_device(const char *prog, struct serve_opts *opts, int fd);

/** Let serve_device() end; also from a signal handler, and before it began. */
void serve_device_stop(void);

/* serve_trace.c: a log of accesses as trench reg annotate writes it. */

struct serve_trace;

/** Open a trace; "-" is standard error. NULL after a message. */
struct serve_trace *serve_trace_open(const char *prog, const char *path,
                                     const struct trench_gen *gen);

/** A trench_pci_access_fn; the opaque is the trace. */
void serve_trace_access(void *opaque, const struct trench_pci_access *access);

/** Close; false after a message when something was not written. */
bool serve_trace_close(struct serve_trace *trace);

/* serve_report.c */

/** Print what opts ask for, on standard output. @return an exit code. */
int serve_report(const char *prog, const struct serve_opts *opts,
                 struct trench_serve *serve);

#endif /* TRENCH_CLI_SERVE_H */
