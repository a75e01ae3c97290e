/* SPDX-License-Identifier: BSD-3-Clause */
/* A virtual machine with modelled devices: trench vm. */
#ifndef TRENCH_CLI_VM_H
#define TRENCH_CLI_VM_H

#include "serve.h"

/** Devices of a machine: more have no room below 4 GiB. */
#define VM_MAX_DEVICES 2u

#define VM_QEMU    "qemu-system-x86_64"
#define VM_PACKAGE "qemu-system-x86"

/** What the command line says. */
struct vm_opts {
    struct serve_opts serve;
    unsigned devices;
    uint64_t memory_bytes; /**< 0 = not given. */
    const char *accel;     /**< NULL = not given. */
    unsigned smp;          /**< 0 = not given. */
    const char *qemu;
    bool dry_run;
    char **args; /**< Of QEMU, as typed; argv's. */
    int nr_args;
};

/* vm_args.c: the command line of QEMU. */

/**
 * Make it. Refuses what does not go together, with a message.
 * @param fds  The sockets of the devices, one each.
 * @return NULL after a message; vm_args_free() is due otherwise.
 */
char **vm_args(const char *prog, const struct vm_opts *opts, const int *fds);

void vm_args_free(char **args);

/** Print it for a shell. */
void vm_args_print(char *const *args);

/* vm_run.c: the processes. */

/** Both ends of the sockets of the devices. */
struct vm_sockets {
    int device[VM_MAX_DEVICES];
    int qemu[VM_MAX_DEVICES];
};

/**
 * Start a process for each device, and QEMU; pass signals on to it, wait for
 * it, then for the devices, and print their reports.
 *
 * @param sockets  Closed by the call.
 * @return the exit status of QEMU, or CLI_FAILED after a message. Does not
 *         return when a signal has ended QEMU: it ends the caller too.
 */
int vm_run(const char *prog, const struct vm_opts *opts,
           struct vm_sockets *sockets, char **args);

#endif /* TRENCH_CLI_VM_H */
