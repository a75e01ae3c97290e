/* SPDX-License-Identifier: BSD-3-Clause */
/* trench serve: one device, for whoever has the other end of a socket. */
#include "serve.h"

#include <limits.h>
#include <signal.h>

enum {
    OPT_FD = 0x5100,
};

struct args {
    struct serve_opts opts;
    int fd; /* -1 = not given */
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

static volatile sig_atomic_t stopped_by;

static void on_stop(int sig)
{
    stopped_by = sig;
    serve_device_stop();
}

static void set_handlers(void)
{
    static const int stops[] = { SIGINT, SIGTERM, SIGHUP };
    struct sigaction act = { .sa_handler = on_stop };

    for (size_t i = 0; i < CLI_ARRAY_LEN(stops); i++) {
        sigaction(stops[i], &act, NULL);
    }
}

int cli_serve_run(int argc, char **argv)
{
    struct args args;
    int rc;

    argp_parse(&cli_serve_argp, argc, argv, 0, NULL, &args);
    set_handlers();
    rc = serve_device(argv[0], &args.opts, args.fd);
    if (stopped_by) {
        cli_die_of(stopped_by);
    }
    return rc;
}
