/* SPDX-License-Identifier: BSD-3-Clause */
/* trench serve: one device, for whoever has the other end of a socket. */
#include "serve.h"

#include <limits.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

enum {
    OPT_FD = 0x5100,
};

/* Lines about what a guest does; after so many there is nothing new. */
#define MAX_LINES 100u

struct args {
    struct serve_opts opts;
    int fd; /* -1 = not given */
};

struct logging {
    const char *prog;
    unsigned lines;
};

static const struct argp_option serve_options[] = {
    { .name = "fd",
      .key = OPT_FD,
      .arg = "N",
      .doc = "Descriptor of the socket, inherited from the caller",
      .group = 1 },
    { 0 },
};

static const struct argp_child children[] = {
    { .argp = &serve_argp },
    { 0 },
};

static error_t parse(int key, char *text, struct argp_state *state)
{
    struct args *args = state->input;
    const struct cli_opt_arg arg = { state, "--fd", text };

    switch (key) {
    case ARGP_KEY_INIT:
        args->fd = -1;
        state->child_inputs[0] = &args->opts;
        return 0;
    case OPT_FD:
        args->fd = (int)cli_opt_number(&arg, 0, INT_MAX);
        return 0;
    case ARGP_KEY_ARG:
        argp_error(state, "too many arguments");
        return 0;
    case ARGP_KEY_END:
        if (args->fd < 0) {
            argp_error(state, "--fd is missing: which socket?");
        }
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

const struct argp cli_serve_argp = {
    .options = serve_options,
    .parser = parse,
    .children = children,
    .doc =
        "Serves a modelled chip as a PCI function to a virtual machine: the "
        "device's side of QEMU's x-pci-proxy-dev (version 7.2), over one end "
        "of a connected stream socket that the caller has made. Ends with "
        "status 0 when the other side closes."
        "\n\nOptions:"
        "\v"
        "The virtual machine needs memory that can be shared, and one "
        "processor at a time. With a socket as descriptor 3 of trench and "
        "descriptor 4 of QEMU:\n\n"
        "  $ trench serve --fd 3 --unknown-report\n"
        "  $ qemu-system-x86_64 -machine pc,memory-backend=ram0 -m 1G \\\n"
        "        -object memory-backend-memfd,id=ram0,size=1G,share=on \\\n"
        "        -accel tcg,thread=single -device x-pci-proxy-dev,fd=4 ...\n",
};

/* ---- signals ------------------------------------------------------------- */

static struct trench_serve *serving; /* for the handlers */
static volatile sig_atomic_t stopped_by;

static void on_stop(int sig)
{
    stopped_by = sig;
    if (serving) {
        trench_serve_stop(serving);
    }
}

/* Guest memory that is gone: there is no device without it. */
static void on_sigbus(int sig)
{
    static const char text[] = "trench serve: the file behind guest memory "
                               "has shrunk\n";

    (void)sig;
    (void)!write(STDERR_FILENO, text, sizeof(text) - 1);
    _exit(CLI_FAILED);
}

static void set_handlers(void)
{
    static const int stops[] = { SIGINT, SIGTERM, SIGHUP };
    struct sigaction act = { .sa_handler = on_stop };

    for (size_t i = 0; i < CLI_ARRAY_LEN(stops); i++) {
        sigaction(stops[i], &act, NULL);
    }
    act.sa_handler = on_sigbus;
    sigaction(SIGBUS, &act, NULL);
}

/* End as the signal would have ended us. */
static void die_of(int sig)
{
    fflush(stdout);
    signal(sig, SIG_DFL);
    raise(sig);
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

static int serve(const char *prog, const struct args *args,
                 struct trench_serve *s)
{
    int err = trench_serve_run(s);
    int rc = serve_report(prog, &args->opts, s);

    if (err) {
        cli_error(prog, "descriptor %d: %s", args->fd, trench_strerror(err));
    }
    return err ? CLI_FAILED : rc;
}

static int refuse(const char *prog, const struct args *args, int err)
{
    if (err == TRENCH_ERR_INVAL) {
        cli_error(prog, "descriptor %d is no connected stream socket",
                  args->fd);
    } else {
        cli_error(prog, "cannot make the device: %s", trench_strerror(err));
    }
    return CLI_FAILED;
}

static unsigned register_bar(const struct trench_pci_conf *pci)
{
    bool silicon =
        pci->revision != 0 && pci->revision != TRENCH_PCI_REVISION_QEMU;

    return silicon ? pci->soc.gen->pci->register_bar
                   : pci->soc.gen->pci->qemu_register_bar;
}

int cli_serve_run(int argc, char **argv)
{
    struct logging logging = { .prog = argv[0] };
    struct serve_trace *trace = NULL;
    struct trench_pci_conf *pci;
    struct args args;
    int err;
    int rc;

    argp_parse(&cli_serve_argp, argc, argv, 0, NULL, &args);
    pci = &args.opts.conf.pci;
    pci->soc.log = on_log;
    pci->soc.log_opaque = &logging;
    if (args.opts.trace) {
        trace = serve_trace_open(argv[0], args.opts.trace, pci->soc.gen,
                                 register_bar(pci));
        if (!trace) {
            return CLI_FAILED;
        }
        pci->access = serve_trace_access;
        pci->access_opaque = trace;
    }
    set_handlers();
    err = trench_serve_create(&args.opts.conf, args.fd, &serving);
    if (!err && stopped_by) {
        trench_serve_stop(serving); /* before there was something to stop */
    }
    rc = err ? refuse(argv[0], &args, err) : serve(argv[0], &args, serving);
    if (!serve_trace_close(trace)) {
        rc = CLI_FAILED;
    }
    trench_serve_destroy(serving);
    if (stopped_by) {
        die_of(stopped_by);
    }
    return rc;
}
