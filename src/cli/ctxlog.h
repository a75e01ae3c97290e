/* SPDX-License-Identifier: BSD-3-Clause */
/* trench ctxlog: what its subcommands share. */
#ifndef TRENCH_CLI_CTXLOG_H
#define TRENCH_CLI_CTXLOG_H

#include <trench/ctxlog.h>

#include "cli.h"

struct ctxlog_ctx {
    const char *prog;
    struct cli_common common;
    uint64_t at; /**< Of the context in a file; 0 = it is the file. */
    bool compat;
    uint64_t compat_base;
    enum trench_ncfw_reading reading;
    const char *base;   /**< --base, or NULL. */
    const char *output; /**< --output, or "-". */
    bool strict;
    char **args;
    int nr_args;
};

/** A file in memory. */
struct ctxlog_file {
    char *data; /**< Owned. */
    size_t size;
};

/** Most bytes of a file: a data memory is 20 KB, the JSON 300 KB. */
#define CTXLOG_IMAGE_MAX ((size_t)16 << 20)
/** A tree of JSON takes a hundred times the memory of its text. */
#define CTXLOG_JSON_MAX ((size_t)2 << 20)

/**
 * Read a file, or "-", to its end.
 * @return CLI_OK, or CLI_FAILED after a message (also when it has more than
 *         max bytes), with nothing to release.
 */
int ctxlog_read(const char *prog, const char *path, size_t max,
                struct ctxlog_file *out);

/** The same for a file that holds a context; data + at is the context. */
int ctxlog_read_image(const struct ctxlog_ctx *ctx, const char *path,
                      struct ctxlog_file *out);

/** Write bytes where --output says. Returns an exit code. */
int ctxlog_write(const struct ctxlog_ctx *ctx, const void *data, size_t size);

int ctxlog_decode(const struct ctxlog_ctx *ctx);
int ctxlog_encode(const struct ctxlog_ctx *ctx);
int ctxlog_diff(const struct ctxlog_ctx *ctx);

#endif /* TRENCH_CLI_CTXLOG_H */
