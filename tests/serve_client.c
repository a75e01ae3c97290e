/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The other side of trench serve, for tests of the program:
 *
 *     serve_client SCENARIO TRENCH [OPTION...]
 *
 * starts "TRENCH serve --fd N OPTION..." on one end of a socket, does at the
 * other end what the scenario says, and ends with the status of trench: 128
 * and the signal when one ended it, 99 when trench did not answer as it
 * should.
 *
 *     serve_client SCENARIO --fd N
 *
 * does the same on a socket that somebody else has made, as QEMU would, and
 * ends with 0 or 99.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>

#include "guest_rig.h"
#include "proxy_rig.h"

#define REG_BAR 0x80000000u
#define MEM_BAR 0xE0000000u
#define MISC    0x30FA0000u

#define BROKEN 99

struct client {
    struct guest g;
    int fd;
    pid_t trench;
};

static bool must(bool truth, const char *what)
{
    if (!truth) {
        fprintf(stderr, "serve_client: %s\n", what);
    }
    return truth;
}

static bool config(struct client *c, bool write, uint32_t at, uint32_t len,
                   uint32_t *val)
{
    uint64_t answer;

    if (!proxy_config(c->fd, write, at, len, *val) ||
        !proxy_reply(c->fd, &answer) || answer == UINT64_MAX) {
        return false;
    }
    *val = (uint32_t)answer;
    return true;
}

static bool set_config(struct client *c, uint32_t at, uint32_t len,
                       uint32_t val)
{
    return config(c, true, at, len, &val);
}

static int far_read(void *opaque, uint64_t offset, uint32_t *val)
{
    struct client *c = opaque;
    uint64_t answer = 0;
    bool ok = proxy_bar(c->fd, false, REG_BAR + offset, 4, 0) &&
              proxy_reply(c->fd, &answer);

    *val = (uint32_t)answer;
    return ok ? 0 : TRENCH_ERR_IO;
}

static int far_write(void *opaque, uint64_t offset, uint32_t val)
{
    struct client *c = opaque;
    uint64_t answer;

    return proxy_bar(c->fd, true, REG_BAR + offset, 4, val) &&
                   proxy_reply(c->fd, &answer)
               ? 0
               : TRENCH_ERR_IO;
}

/* Memory, BARs and command register, as a kernel leaves them. */
static bool boot(struct client *c)
{
    const struct proxy_table table = { .size = { GUEST_BYTES } };
    uint32_t revision = 0;

    return must(config(c, false, 8, 1, &revision), "revision") &&
           must(proxy_sysmem(c->fd, &table, &c->g.fd, 1), "memory") &&
           must(set_config(c, revision == 255 ? 0x18 : 0x10, 4, REG_BAR),
                "BAR") &&
           must(set_config(c, 0x20, 4, MEM_BAR), "BAR") &&
           must(set_config(c, 4, 2, 0x107), "command");
}

/* ---- scenarios ----------------------------------------------------------- */

/* Identity, and sizes of the BARs. */
static bool identity(struct client *c)
{
    uint32_t val = 0;

    if (!config(c, false, 0, 4, &val)) {
        return false;
    }
    printf("ids %08x\n", val);
    val = 0;
    if (!config(c, false, 8, 4, &val)) {
        return false;
    }
    printf("class and revision %08x\n", val);
    for (uint32_t at = 0x10; at <= 0x24; at += 4) {
        val = 0;
        if (!set_config(c, at, 4, UINT32_MAX) ||
            !config(c, false, at, 4, &val)) {
            return false;
        }
        printf("BAR %u %08x\n", (at - 0x10) / 4, val);
    }
    return true;
}

static bool copy(struct client *c)
{
    return boot(c) && must(guest_round_trip(&c->g, 32, 300000) == 0, "copy");
}

/* A device reset as the driver asks for it; how many reads it takes. */
static bool reset(struct client *c)
{
    unsigned taken = 0;
    unsigned done = 0;
    uint32_t val;

    if (!boot(c)) {
        return false;
    }
    far_write(c, MISC + 0x1EC, 1);
    far_write(c, MISC + 0x800, 1);
    while (!far_read(c, MISC + 0x1EC, &val) && val != 0) {
        taken++;
    }
    while (!far_read(c, MISC + 0x808, &val) && (val & 8)) {
        done++;
    }
    printf("taken after %u reads, done after %u\n", taken, done);
    return true;
}

/* Words that the model lacks; a register that is polled. */
static bool unknown(struct client *c)
{
    uint32_t val;

    if (!boot(c)) {
        return false;
    }
    far_write(c, 0x30535100, 0x11);
    far_write(c, 0x28000000, 0x22);
    far_read(c, 0x28000000, &val);
    for (int i = 0; i < 50; i++) {
        far_read(c, MISC + 0x808, &val);
    }
    return must(val == 0, "status");
}

static bool garbage(struct client *c)
{
    uint8_t bytes[512];

    for (size_t i = 0; i < sizeof(bytes); i++) {
        bytes[i] = (uint8_t)(i * 37 + 11);
    }
    return proxy_bytes(c->fd, bytes, sizeof(bytes), NULL, 0);
}

static bool cut(struct client *c)
{
    return boot(c) && proxy_bytes(c->fd, "\5\0\0\0", 4, NULL, 0);
}

/* Wrong, but whole: the conversation goes on. */
static bool wrong(struct client *c)
{
    int fds[9];
    uint64_t val = 0;

    for (int i = 0; i < 9; i++) {
        fds[i] = c->g.fd;
    }
    return proxy_plain(c->fd, 77) && proxy_reply(c->fd, &val) &&
           must(val == UINT64_MAX, "ones") &&
           proxy_sysmem(c->fd, &(const struct proxy_table){ .addr = { 0 } },
                        fds, 9) &&
           copy(c);
}

static bool nothing(struct client *c)
{
    (void)c;
    return true;
}

static bool terminate(struct client *c)
{
    return boot(c) && kill(c->trench, SIGTERM) == 0;
}

/* Guest memory that goes away under the device, which then looks at it. */
static bool shrink(struct client *c)
{
    if (!boot(c) || ftruncate(c->g.fd, 0)) {
        return false;
    }
    far_write(c, MISC + 0x1F0, (uint32_t)(GUEST_TAG >> 32));
    far_write(c, MISC + 0x800, 1);
    return true;
}

/* A client that is killed, at any moment. */
static bool killed(struct client *c)
{
    pid_t child = fork();
    int status = 0;

    if (child == 0) {
        while (proxy_doom(5000) && boot(c)) {
            while (guest_round_trip(&c->g, 32, 100000) == 0) {
                c->g.next = GUEST_RINGS;
            }
        }
        _exit(BROKEN);
    }
    close(c->fd);
    c->fd = -1;
    return must(waitpid(child, &status, 0) == child && WIFSIGNALED(status),
                "killed");
}

static const struct scenario {
    const char *name;
    bool (*run)(struct client *c);
} scenarios[] = {
    { "identity", identity },   { "copy", copy },       { "reset", reset },
    { "unknown", unknown },     { "garbage", garbage }, { "cut", cut },
    { "wrong", wrong },         { "nothing", nothing }, { "shrink", shrink },
    { "terminate", terminate }, { "killed", killed },
};

/* ---- starting ------------------------------------------------------------ */

static void start(struct client *c, int fd, char **argv)
{
    char number[16];
    char *args[32] = { argv[0], (char[]){ "serve" }, (char[]){ "--fd" },
                       number };

    c->trench = fork();
    if (c->trench != 0) {
        return;
    }
    snprintf(number, sizeof(number), "%d", fd);
    for (size_t i = 1; argv[i] && i < 24; i++) {
        args[i + 3] = argv[i];
    }
    close(c->fd);
    execv(argv[0], args);
    _exit(BROKEN);
}

static int wait_for(const struct client *c)
{
    int status;

    if (waitpid(c->trench, &status, 0) != c->trench) {
        return BROKEN;
    }
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static bool prepare(struct client *c)
{
    signal(SIGPIPE, SIG_IGN);
    if (!guest_open(&c->g)) {
        return false;
    }
    c->g.read = far_read;
    c->g.write = far_write;
    c->g.opaque = c;
    return true;
}

static int run_on(const struct scenario *s, int fd)
{
    struct client c = { .fd = fd };
    bool ok = prepare(&c) && s->run(&c);

    fflush(stdout);
    return ok ? 0 : BROKEN;
}

static int run(const struct scenario *s, char **argv)
{
    struct client c;
    int ends[2];
    int status;
    bool ok;

    if (!prepare(&c) || socketpair(AF_UNIX, SOCK_STREAM, 0, ends)) {
        return BROKEN;
    }
    c.fd = ends[0];
    start(&c, ends[1], argv);
    close(ends[1]);
    ok = s->run(&c);
    fflush(stdout);
    if (s->run != terminate && c.fd >= 0) {
        close(c.fd);
    }
    status = wait_for(&c);
    return ok ? status : BROKEN;
}

int main(int argc, char **argv)
{
    for (size_t i = 0; argc > 2 && i < sizeof(scenarios) / sizeof(*scenarios);
         i++) {
        if (strcmp(argv[1], scenarios[i].name) == 0) {
            if (argc == 4 && strcmp(argv[2], "--fd") == 0) {
                return run_on(&scenarios[i], atoi(argv[3]));
            }
            return run(&scenarios[i], argv + 2);
        }
    }
    fprintf(stderr, "usage: serve_client SCENARIO TRENCH [OPTION...]\n");
    return 2;
}
