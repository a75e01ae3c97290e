/* SPDX-License-Identifier: BSD-3-Clause */
/* Files of trench ctxlog, in and out. */
#include "ctxlog.h"

#include "output.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define FIRST_BYTES ((size_t)64 << 10)

static int fail(const char *prog, const char *path, const char *reason)
{
    cli_error(prog, "%s: %s", path, reason);
    return CLI_FAILED;
}

/* Room for more, twice as much each time. */
static bool grow(struct ctxlog_file *file, size_t *room)
{
    size_t more = *room ? *room * 2 : FIRST_BYTES;
    char *data = realloc(file->data, more);

    if (data) {
        file->data = data;
        *room = more;
    }
    return data != NULL;
}

/* Returns what was wrong, or NULL. */
static const char *read_all(int fd, size_t max, struct ctxlog_file *file)
{
    size_t room = 0;
    ssize_t got;

    for (;;) {
        if (file->size == room && !grow(file, &room)) {
            return strerror(ENOMEM);
        }
        got = read(fd, file->data + file->size, room - file->size);
        if (got == 0) {
            return NULL;
        }
        if (got < 0 && errno != EINTR) {
            return strerror(errno);
        }
        file->size += got > 0 ? (size_t)got : 0;
        if (file->size > max) {
            return "too large";
        }
    }
}

int ctxlog_read(const char *prog, const char *path, size_t max,
                struct ctxlog_file *out)
{
    bool is_stdin = strcmp(path, "-") == 0;
    struct ctxlog_file file = { NULL, 0 };
    const char *why;
    int fd = STDIN_FILENO;

    if (is_stdin) {
        path = "standard input";
    } else {
        fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
    }
    if (fd < 0) {
        return fail(prog, path, strerror(errno));
    }
    why = read_all(fd, max, &file);
    if (!is_stdin) {
        close(fd);
    }
    if (why) {
        free(file.data);
        return fail(prog, path, why);
    }
    *out = file;
    return CLI_OK;
}

int ctxlog_read_image(const struct ctxlog_ctx *ctx, const char *path,
                      struct ctxlog_file *out)
{
    struct ctxlog_file file;
    char why[160];
    int rc = ctxlog_read(ctx->prog, path, CTXLOG_IMAGE_MAX, &file);

    if (rc != CLI_OK) {
        return rc;
    }
    if (trench_ctxlog_check(ctx->common.gen, file.data, file.size,
                            (size_t)ctx->at, why, sizeof(why))) {
        free(file.data);
        return fail(ctx->prog, path, why);
    }
    *out = file;
    return CLI_OK;
}

int ctxlog_write(const struct ctxlog_ctx *ctx, const void *data, size_t size)
{
    struct cli_output out;
    int rc = CLI_FAILED;

    /* The source has been read to its end, so it may be the target. */
    if (cli_output_open(ctx->prog, ctx->output, -1, &out) == 0 &&
        cli_output_write(&out, data, size) == 0 &&
        cli_output_commit(&out) == 0) {
        rc = CLI_OK;
    }
    cli_output_close(&out);
    return rc;
}
