/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A destination file that appears only when it is complete.
 *
 * Data goes to a temporary file beside the destination, which takes its place
 * at commit. Whatever ends the program before that, a signal included, takes
 * the temporary file along. Pipes, terminals and devices are written directly.
 */
#ifndef TRENCH_CLI_OUTPUT_H
#define TRENCH_CLI_OUTPUT_H

#include <signal.h>

#include "cli.h"

struct cli_output {
    const char *prog; /**< Borrowed; for messages. */
    const char *name; /**< Borrowed; for messages. */
    int fd;           /**< -1 when closed. */
    bool is_stdout;   /**< Data goes where results would go. */
    char *target;     /**< NULL when written directly. */
    char *temp;       /**< NULL when there is none. */
    /** Of those that a signal removes: the struct must not be moved. */
    struct cli_output *next;
};

/**
 * Open a destination.
 *
 * @param prog  Borrowed until the end.
 * @param path  File, or "-" for standard output; borrowed until the end.
 * @param src   Descriptor that is read; the output must not feed it.
 * @param out   Always filled; cli_output_close() is due.
 *
 * @return 0, or -1 after a message.
 */
int cli_output_open(const char *prog, const char *path, int src,
                    struct cli_output *out);

/** Append. @return 0, or -1 after a message. */
int cli_output_write(struct cli_output *out, const void *buf, size_t len);

/**
 * Nothing more is written, and all of it could be; the file does not appear
 * yet. @return 0, or -1 after a message.
 */
int cli_output_seal(struct cli_output *out);

/** Let the file appear. @return 0, or -1 after a message. */
int cli_output_commit(struct cli_output *out);

/**
 * What could end the program waits, so that several files appear together.
 * @param old  Receives what cli_output_release() takes.
 */
void cli_output_hold(sigset_t *old);

void cli_output_release(const sigset_t *old);

/** Whether two names are of one file, or would be once they are written. */
bool cli_output_same(const char *a, const char *b);

/** Release; what was not committed disappears. */
void cli_output_close(struct cli_output *out);

#endif /* TRENCH_CLI_OUTPUT_H */
