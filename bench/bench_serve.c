/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A register read through the server of the proxy protocol, against an echo
 * server on the same kind of socket: the least that a process apart can cost.
 * Both servers are processes; the client alternates between them.
 */
#include "bench.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

#include <trench/serve.h>

#include "proxy_rig.h"

#define REG_BAR 0x80000000u
#define MISC    0x30FA0000u
#define VERSION 3 /* of the firmware, at the first word */
#define TRIPS   2000
#define REQUEST 40 /* bytes; an answer has 24 */
#define ANSWER  24

struct side {
    int fd;
    pid_t pid;
    double samples[BENCH_REPEATS];
};

static void die(const char *what)
{
    fprintf(stderr, "bench: %s\n", what);
    exit(1);
}

/* Two receives and one send, as in the server. */
static void echo(int fd)
{
    static const uint8_t head[16] = { PROXY_RET, [8] = 8 };
    uint8_t in[REQUEST];
    uint8_t out[ANSWER] = { 0 };

    memcpy(out, head, sizeof(head));
    out[16] = VERSION;
    while (recv(fd, in, 16, MSG_WAITALL) == 16 &&
           recv(fd, in + 16, REQUEST - 16, MSG_WAITALL) == REQUEST - 16 &&
           send(fd, out, sizeof(out), MSG_NOSIGNAL) == sizeof(out)) {
    }
}

static void serve(int fd)
{
    const struct trench_serve_conf conf = { .pci.poll_limit = UINT32_MAX };
    struct trench_serve *s;

    if (trench_serve_create(&conf, fd, &s) || trench_serve_run(s)) {
        die("the server fails");
    }
    trench_serve_destroy(s);
}

static void start(struct side *side, void (*server)(int fd))
{
    int ends[2];

    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends)) {
        die("no sockets");
    }
    fflush(stdout);
    side->pid = fork();
    if (side->pid == 0) {
        close(ends[0]);
        server(ends[1]);
        _exit(0);
    }
    close(ends[1]);
    side->fd = ends[0];
}

static void stop(const struct side *side)
{
    close(side->fd);
    waitpid(side->pid, NULL, 0);
}

static void must(bool sent, const struct side *side, uint64_t want)
{
    uint64_t val;

    if (!sent || !proxy_reply(side->fd, &val) || val != want) {
        die("a wrong answer");
    }
}

static double trips(const struct side *side)
{
    double t = bench_now();

    for (int i = 0; i < TRIPS; i++) {
        must(proxy_bar(side->fd, false, REG_BAR + MISC, 4, 0), side, VERSION);
    }
    return (bench_now() - t) * 1e6 / TRIPS;
}

void bench_serve(void)
{
    static struct side ours;
    static struct side least;
    double a;
    double b;

    start(&ours, serve);
    start(&least, echo);
    must(proxy_config(ours.fd, true, 0x18, 4, REG_BAR), &ours, 0);
    must(proxy_config(ours.fd, true, 4, 2, 2), &ours, 0);
    for (int r = -1; r < BENCH_REPEATS; r++) {
        least.samples[r < 0 ? 0 : r] = trips(&least);
        ours.samples[r < 0 ? 0 : r] = trips(&ours);
    }
    stop(&least); /* this one has a copy of the other's socket */
    stop(&ours);
    a = bench_quantile(least.samples, BENCH_REPEATS, 0.5);
    printf("round trip to an echo server,us,%.4g,%.4g,\n", a,
           bench_quantile(least.samples, BENCH_REPEATS, 0.99));
    b = bench_quantile(ours.samples, BENCH_REPEATS, 0.5);
    printf("register read through trench serve,us,%.4g,%.4g,%.3f\n", b,
           bench_quantile(ours.samples, BENCH_REPEATS, 0.99), b / a);
    fflush(stdout);
}
