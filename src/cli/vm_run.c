/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The processes of a virtual machine: this one, QEMU, and one for each device.
 *
 * QEMU decides. Signals for us go to it; when it has ended its sockets close,
 * which ends the devices. A device that fails stops QEMU: a machine without
 * its device is of no use. Should this process be killed, the system kills the
 * others. What a device reports at its end is kept in a file in memory until
 * it is its turn.
 */
#include "vm.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* How long a device may take to end once QEMU has. */
#define PATIENCE_S 20

/* Of a device: QEMU decides when it ends, not who presses keys. */
static const int stops[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT };

struct device {
    pid_t pid;  /* 0 = has ended */
    int report; /* what it prints */
};

struct machine {
    const char *prog;
    const struct vm_opts *opts;
    struct vm_sockets *sockets;
    pid_t self;
    sigset_t waiting; /* for these */
    sigset_t before;
    struct device devices[VM_MAX_DEVICES];
    unsigned running; /* devices */
    pid_t qemu;       /* 0 = has ended */
    int status;       /* of QEMU, as waitpid() says */
    bool failed;
};

/* ---- children ------------------------------------------------------------ */

/* In a child: end with the parent, whatever ends that. */
static void follow_parent(const struct machine *m)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != m->self) {
        _exit(CLI_FAILED); /* it was quicker */
    }
}

static void close_if(int *fd)
{
    if (*fd >= 0) {
        close(*fd);
    }
    *fd = -1;
}

/* Standard output becomes the report, standard input nothing. */
static bool redirect(int report)
{
    int null = open("/dev/null", O_RDONLY | O_CLOEXEC);

    return null >= 0 && dup2(null, STDIN_FILENO) >= 0 &&
           dup2(report, STDOUT_FILENO) >= 0;
}

static _Noreturn void be_device(struct machine *m, unsigned n)
{
    struct serve_opts opts = m->opts->serve;
    char prog[64];
    char trace[4096];

    follow_parent(m);
    for (size_t i = 0; i < CLI_ARRAY_LEN(stops); i++) {
        signal(stops[i], SIG_IGN);
    }
    sigprocmask(SIG_SETMASK, &m->before, NULL);
    for (unsigned i = 0; i < m->opts->devices; i++) {
        close_if(&m->sockets->qemu[i]);
        if (i != n) {
            close_if(&m->sockets->device[i]);
        }
    }
    snprintf(prog, sizeof(prog), "%s", m->prog);
    if (m->opts->devices > 1) {
        snprintf(prog, sizeof(prog), "%s: device %u", m->prog, n);
        snprintf(trace, sizeof(trace), "%s.%u", opts.trace ? opts.trace : "",
                 n);
        if (opts.trace && strcmp(opts.trace, "-") != 0) {
            opts.trace = trace;
        }
    }
    opts.conf.pci.routing_id += (uint8_t)n;
    opts.conf.pci.serial += opts.conf.pci.serial ? n : 0;
    if (!redirect(m->devices[n].report)) {
        cli_error(prog, "cannot redirect: %s", strerror(errno));
        exit(CLI_FAILED);
    }
    exit(serve_device(prog, &opts, m->sockets->device[n]));
}

static bool start_device(struct machine *m, unsigned n)
{
    struct device *d = &m->devices[n];

    d->report = memfd_create("report", MFD_CLOEXEC);
    d->pid = d->report < 0 ? -1 : fork();
    if (d->pid == 0) {
        be_device(m, n);
    }
    close_if(&m->sockets->device[n]);
    if (d->pid < 0) {
        cli_error(m->prog, "cannot start a device: %s", strerror(errno));
        d->pid = 0;
        return false;
    }
    m->running++;
    return true;
}

/* Writes the error to fd, which closes by itself when there is none. */
static _Noreturn void be_qemu(const struct machine *m, char **args, int fd)
{
    int err;

    follow_parent(m);
    sigprocmask(SIG_SETMASK, &m->before, NULL);
    for (unsigned i = 0; i < m->opts->devices; i++) {
        fcntl(m->sockets->qemu[i], F_SETFD, 0);
    }
    execvp(args[0], args);
    err = errno;
    (void)!write(fd, &err, sizeof(err));
    _exit(CLI_FAILED);
}

static void complain_qemu(const struct machine *m, const char *path, int err)
{
    if (err == ENOENT && strcmp(path, VM_QEMU) == 0) {
        cli_error(m->prog,
                  "%s is not there; install the Debian package " VM_PACKAGE
                  ", or give --qemu",
                  path);
    } else {
        cli_error(m->prog, "cannot start %s: %s", path, strerror(err));
    }
}

static bool start_qemu(struct machine *m, char **args)
{
    int ends[2];
    int err = 0;

    if (pipe2(ends, O_CLOEXEC)) {
        cli_error(m->prog, "cannot make a pipe: %s", strerror(errno));
        return false;
    }
    m->qemu = fork();
    if (m->qemu == 0) {
        be_qemu(m, args, ends[1]);
    }
    if (m->qemu < 0) {
        err = errno;
        m->qemu = 0;
    }
    close(ends[1]);
    if (read(ends[0], &err, sizeof(err)) == sizeof(err)) {
        waitpid(m->qemu, NULL, 0);
        m->qemu = 0;
    }
    close(ends[0]);
    if (err) {
        complain_qemu(m, args[0], err);
    }
    return err == 0;
}

/* ---- waiting ------------------------------------------------------------- */

static void stop_qemu(struct machine *m)
{
    m->failed = true;
    if (m->qemu) {
        kill(m->qemu, SIGTERM);
    }
}

/* A device says itself why it fails, unless it cannot any more. */
static void device_ended(struct machine *m, unsigned n, int status)
{
    m->devices[n].pid = 0;
    m->running--;
    if (WIFSIGNALED(status)) {
        cli_error(m->prog, "device %u was ended by signal %d (%s)", n,
                  WTERMSIG(status), strsignal(WTERMSIG(status)));
    }
    if (status != 0) {
        stop_qemu(m);
    }
}

static void reap(struct machine *m)
{
    pid_t pid;
    int status;

    while ((pid = waitpid(-1, &status, WNOHANG)) > 0) {
        if (pid == m->qemu) {
            m->qemu = 0;
            m->status = status;
        }
        for (unsigned i = 0; i < m->opts->devices; i++) {
            if (pid == m->devices[i].pid) {
                device_ended(m, i, status);
            }
        }
    }
}

static void kill_devices(const struct machine *m)
{
    for (unsigned i = 0; i < m->opts->devices; i++) {
        if (m->devices[i].pid) {
            kill(m->devices[i].pid, SIGKILL);
        }
    }
}

/* The terminal sends a key's signal to QEMU itself, as to us. */
static void pass_on(struct machine *m, const siginfo_t *info)
{
    if (m->qemu && info->si_code <= 0) {
        kill(m->qemu, info->si_signo);
    } else if (!m->qemu) {
        kill_devices(m); /* somebody has no patience */
    }
}

static void wait_for_qemu(struct machine *m)
{
    siginfo_t info;

    while (m->qemu) {
        if (sigwaitinfo(&m->waiting, &info) < 0) {
            continue;
        }
        if (info.si_signo != SIGCHLD) {
            pass_on(m, &info);
        }
        reap(m);
    }
}

static void wait_for_devices(struct machine *m)
{
    uint64_t end = cli_now_ns() + PATIENCE_S * UINT64_C(1000000000);
    const struct timespec second = { 1, 0 };
    siginfo_t info;

    while (m->running > 0) {
        int sig = sigtimedwait(&m->waiting, &info, &second);

        if (sig > 0 && sig != SIGCHLD) {
            pass_on(m, &info);
        }
        if (cli_now_ns() > end) {
            kill_devices(m);
        }
        reap(m);
    }
}

/* ---- reports ------------------------------------------------------------- */

static void print_report(const struct machine *m, unsigned n)
{
    bool first = true;
    char buf[4096];
    ssize_t len;
    off_t at = 0;

    while ((len = pread(m->devices[n].report, buf, sizeof(buf), at)) > 0) {
        if (first && m->opts->devices > 1 && !m->opts->serve.json) {
            printf("device %u: ", n);
        }
        first = false;
        fwrite(buf, 1, (size_t)len, stdout);
        at += len;
    }
}

/* ---- running ------------------------------------------------------------- */

static void prepare(struct machine *m)
{
    sigemptyset(&m->waiting);
    sigaddset(&m->waiting, SIGCHLD);
    for (size_t i = 0; i < CLI_ARRAY_LEN(stops); i++) {
        sigaddset(&m->waiting, stops[i]);
    }
    sigprocmask(SIG_BLOCK, &m->waiting, &m->before);
    signal(SIGCHLD, SIG_DFL); /* who started us may have ignored it */
    m->self = getpid();
    for (unsigned i = 0; i < VM_MAX_DEVICES; i++) {
        m->devices[i].report = -1;
    }
}

static bool start_all(struct machine *m, char **args)
{
    fflush(stdout); /* once, not once a child */
    for (unsigned i = 0; i < m->opts->devices; i++) {
        if (!start_device(m, i)) {
            return false;
        }
    }
    return start_qemu(m, args);
}

static int exit_code(const struct machine *m)
{
    if (m->failed) {
        return CLI_FAILED;
    }
    if (WIFSIGNALED(m->status)) {
        cli_die_of(WTERMSIG(m->status));
    }
    return WEXITSTATUS(m->status);
}

int vm_run(const char *prog, const struct vm_opts *opts,
           struct vm_sockets *sockets, char **args)
{
    struct machine m = { .prog = prog, .opts = opts, .sockets = sockets };
    bool started;

    prepare(&m);
    started = start_all(&m, args);
    m.failed = !started;
    for (unsigned i = 0; i < opts->devices; i++) {
        close_if(&sockets->device[i]);
        close_if(&sockets->qemu[i]);
    }
    wait_for_qemu(&m);
    wait_for_devices(&m);
    for (unsigned i = 0; i < opts->devices; i++) {
        if (started) {
            print_report(&m, i);
        }
        close_if(&m.devices[i].report);
    }
    return exit_code(&m);
}
