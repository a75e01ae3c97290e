/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Traces of executed instructions, as tools write them, one line a record:
 *
 *     I  04001090,3                              valgrind's lackey
 *     Trace 0: 0x7f.. [0/0000000000401000/..]    QEMU -d exec: a block
 *     0x0000000000401000:  48 89 e7  movq ..     QEMU -d in_asm
 *     0x401000,4  or  401000                     plain
 *
 * Kinds may mix. What these tools print besides is skipped; what none of them
 * prints is counted as not understood. Files may be compressed with gzip.
 */
#ifndef TRENCH_CLI_ICACHE_TRACE_H
#define TRENCH_CLI_ICACHE_TRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <trench/icache.h>

#include "dump_input.h"

#define ICACHE_TRACE_BUFFER 262144u
/* Longest instruction that a record may claim. */
#define ICACHE_TRACE_MAX_SIZE 65536u

struct icache_trace_counts {
    uint64_t lines;
    uint64_t records;
    uint64_t skipped; /* of the tools, but no instruction */
    uint64_t not_understood;
    uint64_t first_bad; /* line of the first of them, from 1 */
    uint64_t lowest;    /* addresses; valid when records > 0 */
    uint64_t highest;
};

struct icache_trace {
    struct dump_input in;
    struct icache_trace_counts counts;
    uint64_t bytes; /* of text, read so far */
    size_t have;
    size_t at;
    bool ended;
    bool in_long_line; /* dropping the rest of one that did not fit */
    char buf[ICACHE_TRACE_BUFFER];
};

/* Takes the descriptor over. False when out of memory. */
bool icache_trace_open(struct icache_trace *t, int fd);
void icache_trace_close(struct icache_trace *t);

/*
 * Up to max records, not 0. Returns 0 at the end; t->in.why then says what was
 * wrong with the file, or is NULL.
 */
size_t icache_trace_read(struct icache_trace *t,
                         struct trench_icache_record *records, size_t max);

enum icache_trace_kind {
    ICACHE_TRACE_RECORD,
    ICACHE_TRACE_SKIPPED,
    ICACHE_TRACE_BAD,
};

/* One line without its newline. */
enum icache_trace_kind icache_trace_line(const char *line, size_t len,
                                         struct trench_icache_record *out);

#endif /* TRENCH_CLI_ICACHE_TRACE_H */
