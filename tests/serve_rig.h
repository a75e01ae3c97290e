/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A server of the proxy protocol and its client in one thread: the test asks,
 * lets the server serve, and looks at the answer.
 */
#ifndef TRENCH_TESTS_SERVE_RIG_H
#define TRENCH_TESTS_SERVE_RIG_H

#include <fcntl.h>
#include <stdio.h>

#include <trench/access.h>
#include <trench/serve.h>

#include "check.h"
#include "guest_rig.h"
#include "proxy_rig.h"

#define REG_BAR 0x80000000u
#define MEM_BAR 0xE0000000u
#define MISC    0x30FA0000u

struct bench {
    struct guest g;
    struct trench_serve *serve;
    uint64_t regs; /* where the register BAR is */
    int us;        /* the client's end */
    int them;      /* the server's */
    unsigned lines;
};

static inline void on_log(void *opaque, enum trench_log_level level,
                          const char *line)
{
    struct bench *b = opaque;

    (void)level;
    (void)line;
    b->lines++;
}

static inline unsigned mappings(void)
{
    FILE *f = fopen("/proc/self/maps", "re");
    unsigned lines = 0;

    for (int c = 0; f && c != EOF; lines += c == '\n') {
        c = getc(f);
    }
    if (f) {
        fclose(f);
    }
    return lines;
}

static inline unsigned open_files(void)
{
    unsigned n = 0;

    for (int fd = 0; fd < 1024; fd++) {
        n += fcntl(fd, F_GETFD) >= 0;
    }
    return n;
}

static inline void step(struct bench *b)
{
    CHECK_EQ(trench_serve_step(b->serve), 1, "a message is served");
}

static inline uint64_t answer(struct bench *b)
{
    uint64_t val = 0;

    step(b);
    CHECK_EQ(proxy_reply(b->us, &val), true, "an answer");
    return val;
}

static inline uint64_t cfg_read(struct bench *b, uint32_t addr, uint32_t len)
{
    proxy_config(b->us, false, addr, len, 0);
    return answer(b);
}

static inline void cfg_write(struct bench *b, uint32_t addr, uint32_t len,
                             uint32_t val)
{
    proxy_config(b->us, true, addr, len, val);
    CHECK_EQ(answer(b), 0, "config 0x%x", addr);
}

static inline uint64_t bar_read(struct bench *b, uint64_t addr, uint32_t len)
{
    proxy_bar(b->us, false, addr, len, 0);
    return answer(b);
}

static inline uint64_t bar_write(struct bench *b, uint64_t addr, uint32_t len,
                                 uint64_t val)
{
    proxy_bar(b->us, true, addr, len, val);
    return answer(b);
}

static inline int far_read(void *opaque, uint64_t offset, uint32_t *val)
{
    struct bench *b = opaque;

    *val = (uint32_t)bar_read(b, b->regs + offset, 4);
    return 0;
}

static inline int far_write(void *opaque, uint64_t offset, uint32_t val)
{
    struct bench *b = opaque;

    return bar_write(b, b->regs + offset, 4, val) ? TRENCH_ERR_IO : 0;
}

static inline struct trench_serve_stats stats(struct bench *b)
{
    struct trench_serve_stats s;

    trench_serve_stats(b->serve, &s);
    return s;
}

/* budget: as of struct trench_soc_conf. */
static inline void open_bench_with(struct bench *b, uint32_t budget)
{
    struct trench_serve_conf conf = { .frozen = true };
    int ends[2];

    memset(b, 0, sizeof(*b));
    CHECK_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0,
             "sockets");
    b->us = ends[0];
    b->them = ends[1];
    CHECK_EQ(guest_open(&b->g), true, "guest memory");
    b->g.read = far_read;
    b->g.write = far_write;
    b->g.opaque = b;
    b->regs = REG_BAR;
    conf.pci.soc.budget = budget;
    conf.pci.soc.log = on_log;
    conf.pci.soc.log_opaque = b;
    CHECK_EQ(trench_serve_create(&conf, b->them, &b->serve), 0, "create");
}

static inline void open_bench(struct bench *b)
{
    open_bench_with(b, 0);
}

static inline void close_bench(struct bench *b)
{
    trench_serve_destroy(b->serve);
    close(b->us);
    close(b->them);
    guest_close(&b->g);
}

/* What firmware and kernel do before the driver comes (host-driver 5.1). */
static inline void boot(struct bench *b)
{
    const struct proxy_table table = { .size = { GUEST_BYTES } };

    proxy_sysmem(b->us, &table, &b->g.fd, 1);
    step(b);
    cfg_write(b, 0x18, 4, REG_BAR);
    cfg_write(b, 0x20, 4, MEM_BAR);
    cfg_write(b, 4, 2, 0x107);
}

#endif /* TRENCH_TESTS_SERVE_RIG_H */
