/* SPDX-License-Identifier: BSD-3-Clause */
#include "output.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/*
 * The one global: a signal handler gets no argument and must know which files
 * to remove. The list is changed only while the signals are blocked.
 */
static _Atomic(struct cli_output *) doomed;

static const int deadly[] = { SIGHUP, SIGINT, SIGQUIT, SIGTERM };

static void remove_and_die(int sig)
{
    const struct cli_output *out = atomic_load(&doomed);

    for (; out; out = out->next) {
        unlink(out->temp);
    }
    raise(sig); /* the default action again (SA_RESETHAND), after the return */
}

/* With the signals blocked. */
static void doom(struct cli_output *out)
{
    out->next = atomic_load(&doomed);
    atomic_store(&doomed, out);
}

static void spare(struct cli_output *out)
{
    struct cli_output *before = atomic_load(&doomed);

    if (before == out) {
        atomic_store(&doomed, out->next);
        return;
    }
    while (before && before->next != out) {
        before = before->next;
    }
    if (before) {
        before->next = out->next;
    }
}

void cli_output_hold(sigset_t *old)
{
    sigset_t set;

    sigemptyset(&set);
    for (size_t i = 0; i < CLI_ARRAY_LEN(deadly); i++) {
        sigaddset(&set, deadly[i]);
    }
    sigprocmask(SIG_BLOCK, &set, old);
}

void cli_output_release(const sigset_t *old)
{
    sigprocmask(SIG_SETMASK, old, NULL);
}

/* A full pipe reader or a file size limit is a write error, not a death. */
static void catch_signals(void)
{
    struct sigaction action = { 0 };
    struct sigaction old;

    action.sa_handler = SIG_IGN;
    sigaction(SIGPIPE, &action, NULL);
    sigaction(SIGXFSZ, &action, NULL);
    action.sa_handler = remove_and_die;
    action.sa_flags = (int)SA_RESETHAND;
    sigfillset(&action.sa_mask);
    for (size_t i = 0; i < CLI_ARRAY_LEN(deadly); i++) {
        /* What nohup or a shell has switched off stays off. */
        if (sigaction(deadly[i], NULL, &old) == 0 &&
            old.sa_handler != SIG_IGN) {
            sigaction(deadly[i], &action, NULL);
        }
    }
}

static int fail(const struct cli_output *out, const char *reason)
{
    cli_error(out->prog, "%s: %s", out->name, reason);
    return -1;
}

static bool same_file(const struct stat *a, const struct stat *b)
{
    return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

/* The directory of a name, and where the rest begins. */
static bool locate(const char *path, struct stat *dir, const char **rest)
{
    const char *slash = strrchr(path, '/');
    char *name = slash ? strndup(path, (size_t)(slash - path) + 1) : NULL;
    bool found = (!slash || name) && stat(slash ? name : ".", dir) == 0;

    *rest = slash ? slash + 1 : path;
    free(name);
    return found;
}

bool cli_output_same(const char *a, const char *b)
{
    struct stat at;
    struct stat bt;
    bool has_a = stat(a, &at) == 0;
    bool has_b = stat(b, &bt) == 0;

    if (has_a || has_b) {
        return has_a && has_b && same_file(&at, &bt);
    }
    return locate(a, &at, &a) && locate(b, &bt, &b) && same_file(&at, &bt) &&
           strcmp(a, b) == 0;
}

/* ".trench-XXXXXX" in the directory of the target. */
static char *temp_name(const char *target)
{
    static const char base[] = ".trench-XXXXXX";
    const char *slash = strrchr(target, '/');
    size_t dir_len = slash ? (size_t)(slash - target) + 1 : 0;
    char *name = malloc(dir_len + sizeof(base));

    if (name) {
        memcpy(name, target, dir_len);
        memcpy(name + dir_len, base, sizeof(base));
    }
    return name;
}

static int create_temp(struct cli_output *out)
{
    mode_t mask = umask(0);
    sigset_t old;
    int err;

    umask(mask);
    out->temp = temp_name(out->target);
    if (!out->temp) {
        return fail(out, strerror(ENOMEM));
    }
    cli_output_hold(&old);
    out->fd = mkostemp(out->temp, O_CLOEXEC);
    err = errno;
    if (out->fd >= 0) {
        doom(out);
    }
    cli_output_release(&old);
    if (out->fd < 0) {
        free(out->temp);
        out->temp = NULL;
        cli_error(out->prog, "%s: cannot create a temporary file beside it: %s",
                  out->name, strerror(err));
        return -1;
    }
    if (fchmod(out->fd, 0666 & ~mask) < 0) {
        return fail(out, strerror(errno));
    }
    return 0;
}

/* A destination that does not exist, or will be replaced. */
static int open_replacing(struct cli_output *out, const char *path, bool exists)
{
    struct stat st;

    /* A link stays, and the file behind it is replaced, as with cp. */
    if (exists) {
        if (access(path, W_OK) < 0) {
            return fail(out, strerror(errno));
        }
        out->target = realpath(path, NULL);
    } else if (lstat(path, &st) == 0) {
        return fail(out, "it is a dangling symbolic link");
    } else {
        out->target = strdup(path);
    }
    if (!out->target) {
        return fail(out, strerror(errno));
    }
    return create_temp(out);
}

static int open_direct(struct cli_output *out, const char *path)
{
    out->fd = open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY);
    return out->fd < 0 ? fail(out, strerror(errno)) : 0;
}

/* Standard output may be the very file that is read; it would never end. */
static int open_stdout(struct cli_output *out, int src)
{
    struct stat in_st;
    struct stat out_st;

    out->is_stdout = true;
    out->fd = STDOUT_FILENO;
    if (fstat(out->fd, &out_st) == 0 && S_ISREG(out_st.st_mode) &&
        fstat(src, &in_st) == 0 && same_file(&in_st, &out_st) &&
        in_st.st_size > 0) {
        return fail(out, "it is the source, too");
    }
    return 0;
}

int cli_output_open(const char *prog, const char *path, int src,
                    struct cli_output *out)
{
    struct stat st;
    struct stat stdout_st;
    bool exists;

    memset(out, 0, sizeof(*out));
    out->prog = prog;
    out->name = strcmp(path, "-") == 0 ? "standard output" : path;
    out->fd = -1;
    catch_signals();
    if (strcmp(path, "-") == 0) {
        return open_stdout(out, src);
    }
    exists = stat(path, &st) == 0;
    if (!exists && (errno != ENOENT || path[0] == '\0')) {
        return fail(out, strerror(errno));
    }
    if (exists && S_ISDIR(st.st_mode)) {
        return fail(out, strerror(EISDIR));
    }
    /* /dev/stdout, and a file that the shell opened for the results. */
    if (exists && !S_ISCHR(st.st_mode) &&
        fstat(STDOUT_FILENO, &stdout_st) == 0 && same_file(&st, &stdout_st)) {
        return open_stdout(out, src);
    }
    if (exists && !S_ISREG(st.st_mode)) {
        return open_direct(out, path);
    }
    return open_replacing(out, path, exists);
}

int cli_output_write(struct cli_output *out, const void *buf, size_t len)
{
    const char *bytes = buf;
    ssize_t done;

    while (len > 0) {
        done = write(out->fd, bytes, len);
        if (done < 0 && errno == EINTR) {
            continue;
        }
        if (done < 0) {
            return fail(out, strerror(errno));
        }
        bytes += done;
        len -= (size_t)done;
    }
    return 0;
}

int cli_output_seal(struct cli_output *out)
{
    int fd = out->fd;

    if (out->is_stdout || fd < 0) {
        return 0;
    }
    out->fd = -1;
    return close(fd) < 0 ? fail(out, strerror(errno)) : 0;
}

int cli_output_commit(struct cli_output *out)
{
    sigset_t old;
    int err = 0;

    if (cli_output_seal(out) < 0) {
        return -1;
    }
    if (!out->temp) {
        return 0;
    }
    cli_output_hold(&old);
    if (rename(out->temp, out->target) < 0) {
        err = errno;
    } else {
        spare(out);
        free(out->temp);
        out->temp = NULL;
    }
    cli_output_release(&old);
    return err ? fail(out, strerror(err)) : 0;
}

void cli_output_close(struct cli_output *out)
{
    sigset_t old;

    if (out->fd >= 0 && !out->is_stdout) {
        close(out->fd);
    }
    if (out->temp) {
        cli_output_hold(&old);
        unlink(out->temp);
        spare(out);
        cli_output_release(&old);
        free(out->temp);
    }
    free(out->target);
    memset(out, 0, sizeof(*out));
    out->fd = -1;
}
