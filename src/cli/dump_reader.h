/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Files of dumps and access logs, plain or compressed with gzip, line by line.
 * What cannot be read is reported on standard error and does not stop it.
 */
#ifndef TRENCH_CLI_DUMP_READER_H
#define TRENCH_CLI_DUMP_READER_H

#include "dump_line.h"

/** Longest line, without its end. */
#define DUMP_LINE_BYTES 65536

struct dump_reader; /* opaque */

/**
 * Open a file.
 *
 * @param prog  For messages; borrowed until the end.
 * @param path  File, or "-" for standard input; borrowed until the end.
 * @return the reader, released with dump_reader_close(); NULL after a message.
 */
struct dump_reader *dump_reader_open(const char *prog, const char *path);

/** The same for an open descriptor, which is closed in any case. */
struct dump_reader *dump_reader_from(const char *prog, const char *path,
                                     int fd);

/**
 * Read a line. What is no text, or too long, is reported and left out; what
 * is DUMP_BAD is reported and returned.
 *
 * @param text  Receives the line, without its end; valid until the next call.
 * @param out   Receives what it says.
 * @return false at the end.
 */
bool dump_reader_next(struct dump_reader *r, const char **text,
                      struct dump_line *out);

/** Number of the line that was read last. */
uint64_t dump_reader_line(const struct dump_reader *r);

/** Release. @return false when something could not be read. */
bool dump_reader_close(struct dump_reader *r);

#endif /* TRENCH_CLI_DUMP_READER_H */
