/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Bytes of a file that may be compressed with gzip. Everything before a fault
 * is delivered: zlib's own file functions drop what they hold when a checksum
 * fails, and end silently at data that is not gzip.
 */
#ifndef TRENCH_CLI_DUMP_INPUT_H
#define TRENCH_CLI_DUMP_INPUT_H

#include <stdbool.h>
#include <stddef.h>

#include <zlib.h>

struct dump_input {
    int fd;
    bool looked; /* it is known whether the file is compressed */
    bool gzip;
    bool at_start;   /* a compressed member may begin here */
    bool ended;      /* nothing more to read from fd */
    const char *why; /* what ended it, NULL = the end of the file */
    z_stream z;      /* its input is what has been read and not used */
    unsigned char in[65536];
};

/* Takes the descriptor over. False when out of memory. */
bool dump_input_open(struct dump_input *in, int fd);

/*
 * Read up to size bytes, not 0. Returns 0 at the end; in->why then says what
 * was wrong, or is NULL.
 */
size_t dump_input_read(struct dump_input *in, char *buf, size_t size);

void dump_input_close(struct dump_input *in);

#endif /* TRENCH_CLI_DUMP_INPUT_H */
