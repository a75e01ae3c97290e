/* SPDX-License-Identifier: BSD-3-Clause */
/* trench vm: a virtual machine that has modelled chips. */
#include "vm.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum {
    OPT_DEVICES = 0x5200,
    OPT_MEMORY,
    OPT_ACCEL,
    OPT_SMP,
    OPT_QEMU,
    OPT_DRY_RUN,
};

/* A kernel boots with less, but the drivers reserve 128 MiB. */
#define MIN_MEMORY (UINT64_C(64) << 20)
#define MAX_MEMORY (UINT64_C(1) << 40)

static const struct argp_option vm_options[] = {
    { .name = "devices",
      .key = OPT_DEVICES,
      .arg = "N",
      .doc = "Devices of the machine, 1 or 2, with routing ids and serial "
             "numbers one after the other (default 1)",
      .group = 1 },
    { .name = "memory",
      .key = OPT_MEMORY,
      .arg = "SIZE",
      .doc = "Memory of the machine (default 1G, or what -m says)",
      .group = 1 },
    { .name = "accel",
      .key = OPT_ACCEL,
      .arg = "tcg|kvm|ACCEL",
      .doc = "What runs the guest's code, as in QEMU (default "
             "tcg,thread=single)",
      .group = 1 },
    { .name = "smp",
      .key = OPT_SMP,
      .arg = "N",
      .doc = "Processors of the machine (default 1)",
      .group = 1 },
    { .name = "qemu",
      .key = OPT_QEMU,
      .arg = "PATH",
      .doc = "Start this QEMU (default " VM_QEMU ")",
      .group = 1 },
    { .name = "dry-run",
      .key = OPT_DRY_RUN,
      .doc = "Print the command line of QEMU and start nothing",
      .group = 1 },
    { 0 },
};

static const struct argp_child children[] = {
    { .argp = &serve_argp },
    { 0 },
};

static error_t take_args(struct vm_opts *opts, const struct argp_state *state)
{
    if (!state->quoted || state->next != state->quoted) {
        argp_error(state, "'%s': QEMU's own arguments follow a --",
                   state->argv[state->next]);
    }
    opts->args = state->argv + state->next;
    opts->nr_args = state->argc - state->next;
    return 0;
}

static error_t parse(int key, char *text, struct argp_state *state)
{
    struct vm_opts *opts = state->input;

#define ARG(option) (&(const struct cli_opt_arg){ state, option, text })
    switch (key) {
    case ARGP_KEY_INIT:
        memset(opts, 0, sizeof(*opts));
        opts->devices = 1;
        opts->qemu = VM_QEMU;
        state->child_inputs[0] = &opts->serve;
        return 0;
    case OPT_DEVICES:
        opts->devices =
            (unsigned)cli_opt_number(ARG("--devices"), 1, VM_MAX_DEVICES);
        return 0;
    case OPT_MEMORY:
        opts->memory_bytes =
            cli_opt_size(ARG("--memory"), MIN_MEMORY, MAX_MEMORY);
        return 0;
    case OPT_ACCEL:
        opts->accel = text;
        return 0;
    case OPT_SMP:
        opts->smp = (unsigned)cli_opt_number(ARG("--smp"), 1, 255);
        return 0;
    case OPT_QEMU:
        opts->qemu = text;
        return 0;
    case OPT_DRY_RUN:
        opts->dry_run = true;
        return 0;
    case ARGP_KEY_ARGS:
        return take_args(opts, state);
    default:
        return ARGP_ERR_UNKNOWN;
    }
#undef ARG
}

const struct argp cli_vm_argp = {
    .options = vm_options,
    .parser = parse,
    .children = children,
    .args_doc = "[-- QEMU-ARG...]",
    .doc = "Starts a virtual machine (QEMU 7.2, Debian package " VM_PACKAGE
           ") with a modelled chip as a PCI function, which a process of its "
           "own serves. The exit status is that of QEMU."
           "\n\nOptions:"
           "\v"
           "QEMU gets the memory, the accelerator and the devices from here, "
           "all else from behind the --; -m, -accel and -smp may also stand "
           "there. A machine has one processor, or several that take turns "
           "(tcg,thread=single): while one waits for the device, QEMU drops "
           "what another writes to it.\n\n"
           "Example:\n\n"
           "  $ trench vm --unknown-report -- -nographic -kernel vmlinuz "
           "...\n",
};

static int open_sockets(const char *prog, unsigned nr, struct vm_sockets *s)
{
    for (unsigned i = 0; i < nr; i++) {
        int ends[2];

        if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends)) {
            cli_error(prog, "cannot make a socket: %s", strerror(errno));
            return -1;
        }
        s->device[i] = ends[0];
        s->qemu[i] = ends[1];
    }
    return 0;
}

int cli_vm_run(int argc, char **argv)
{
    struct vm_sockets sockets;
    struct vm_opts opts;
    char **args;
    int rc = CLI_OK;

    argp_parse(&cli_vm_argp, argc, argv, ARGP_IN_ORDER, NULL, &opts);
    if (open_sockets(argv[0], opts.devices, &sockets)) {
        return CLI_FAILED;
    }
    args = vm_args(argv[0], &opts, sockets.qemu);
    if (!args) {
        return CLI_USAGE;
    }
    if (opts.dry_run) {
        vm_args_print(args);
    } else {
        rc = vm_run(argv[0], &opts, &sockets, args);
    }
    vm_args_free(args);
    return rc;
}
