/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A trace of a collective for Chrome's and Perfetto's viewers: a process a
 * chip, a track an engine, on it a slice for what a start has it do; register
 * writes as events on a track of the firmware, and the semaphore that engines
 * signal with as a counter.
 *
 * Time is virtual. What engines did is measured on the model; how long it
 * takes is by the constants in coll_trace.c, which are nobody's measurement.
 */
#ifndef TRENCH_CLI_COLL_TRACE_H
#define TRENCH_CLI_COLL_TRACE_H

#include "coll.h"

/** @return 0, or -1 after a message. */
int coll_trace_open(const struct coll_run *run, const char *path,
                    struct coll_trace **out);

/** Look on while the steps of a job run; a job in place of the last one. */
void coll_trace_watch(struct coll_trace *trace,
                      const struct trench_coll_job *job);

/** Look on no longer. */
void coll_trace_leave(struct coll_trace *trace,
                      const struct trench_coll_job *job);

/**
 * Nothing more comes; the file does not appear yet.
 * @return 0, or -1 after a message.
 */
int coll_trace_seal(struct coll_trace *trace);

/** Let the file appear. @return 0, or -1 after a message. */
int coll_trace_finish(struct coll_trace *trace);

/** Release; without coll_trace_finish() no file appears. NULL is allowed. */
void coll_trace_close(struct coll_trace *trace);

#endif /* TRENCH_CLI_COLL_TRACE_H */
