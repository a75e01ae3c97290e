/* SPDX-License-Identifier: BSD-3-Clause */
/* Serving one device on a socket, until the other side closes. */
#include "serve.h"

#include <signal.h>
#include <string.h>
#include <unistd.h>

/* Lines about what a guest does; after so many there is nothing new. */
#define MAX_LINES 100u

struct logging {
    const char *prog;
    unsigned lines;
};

/* ---- signals ------------------------------------------------------------- */

static struct trench_serve *serving; /* for the handlers */
static volatile sig_atomic_t stopped;

void serve_device_stop(void)
{
    stopped = 1;
    if (serving) {
        trench_serve_stop(serving);
    }
}

/* Guest memory that is gone: there is no device without it. */
static void on_sigbus(int sig)
{
    static const char text[] = "trench: the file behind guest memory has "
                               "shrunk\n";

    (void)sig;
    (void)!write(STDERR_FILENO, text, sizeof(text) - 1);
    _exit(CLI_FAILED);
}

/* ---- serving ------------------------------------------------------------- */

static void on_log(void *opaque, enum trench_log_level level, const char *line)
{
    struct logging *l = opaque;

    if (level == TRENCH_LOG_INFO || l->lines > MAX_LINES) {
        return;
    }
    if (l->lines++ == MAX_LINES) {
        cli_error(l->prog, "there is more, which is not shown");
        return;
    }
    cli_error(l->prog, "%s", line);
}

static int serve(const char *prog, const struct serve_opts *opts, int fd,
                 struct trench_serve *s)
{
    int err = trench_serve_run(s);
    int rc = serve_report(prog, opts, s);

    if (err) {
        cli_error(prog, "descriptor %d: %s", fd, trench_strerror(err));
    }
    return err ? CLI_FAILED : rc;
}

static int refuse(const char *prog, int fd, int err)
{
    if (err == TRENCH_ERR_INVAL) {
        cli_error(prog, "descriptor %d is no connected stream socket", fd);
    } else {
        cli_error(prog, "cannot make the device: %s", trench_strerror(err));
    }
    return CLI_FAILED;
}

int serve_device(const char *prog, struct serve_opts *opts, int fd)
{
    struct logging logging = { .prog = prog };
    struct sigaction act = { .sa_handler = on_sigbus };
    struct trench_pci_conf *pci = &opts->conf.pci;
    struct serve_trace *trace = NULL;
    int err;
    int rc;

    sigaction(SIGBUS, &act, NULL);
    pci->soc.log = on_log;
    pci->soc.log_opaque = &logging;
    if (opts->trace) {
        trace = serve_trace_open(prog, opts->trace, pci->soc.gen);
        if (!trace) {
            return CLI_FAILED;
        }
        pci->access = serve_trace_access;
        pci->access_opaque = trace;
    }
    err = trench_serve_create(&opts->conf, fd, &serving);
    if (!err && stopped) {
        trench_serve_stop(serving); /* before there was something to stop */
    }
    rc = err ? refuse(prog, fd, err) : serve(prog, opts, fd, serving);
    if (!serve_trace_close(trace)) {
        rc = CLI_FAILED;
    }
    trench_serve_destroy(serving);
    return rc;
}
