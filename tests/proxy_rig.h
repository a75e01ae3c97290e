/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The other side of the proxy protocol, as QEMU 7.2 speaks it (host-driver
 * 4.2), and as it never would.
 */
#ifndef TRENCH_TESTS_PROXY_RIG_H
#define TRENCH_TESTS_PROXY_RIG_H

#include <stdbool.h>
#include <stdint.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum {
    PROXY_SYSMEM,
    PROXY_RET,
    PROXY_CFGWRITE,
    PROXY_CFGREAD,
    PROXY_BARWRITE,
    PROXY_BARREAD,
    PROXY_IRQFD,
    PROXY_RESET,
};

#define PROXY_FDS_MAX 253

/* A message; the header may say another size than the body has. */
struct proxy_message {
    uint32_t command;
    uint64_t size;
    const void *body;
    size_t body_bytes;
    const int *fds;
    unsigned nr_fds;
};

/* Bytes as they are, with descriptors on the first. */
static inline bool proxy_bytes(int fd, const void *bytes, size_t len,
                               const int *fds, unsigned nr_fds)
{
    union {
        char bytes[CMSG_SPACE(PROXY_FDS_MAX * sizeof(int))];
        struct cmsghdr align;
    } control;
    struct iovec iov = { (void *)(uintptr_t)bytes, len };
    struct msghdr hdr = { .msg_iov = &iov, .msg_iovlen = 1 };

    if (nr_fds > 0) {
        struct cmsghdr *c;

        memset(&control, 0, sizeof(control));
        hdr.msg_control = control.bytes;
        hdr.msg_controllen = CMSG_SPACE(nr_fds * sizeof(int));
        c = CMSG_FIRSTHDR(&hdr);
        c->cmsg_level = SOL_SOCKET;
        c->cmsg_type = SCM_RIGHTS;
        c->cmsg_len = CMSG_LEN(nr_fds * sizeof(int));
        memcpy(CMSG_DATA(c), fds, nr_fds * sizeof(int));
    }
    return sendmsg(fd, &hdr, MSG_NOSIGNAL) == (ssize_t)len;
}

static inline bool proxy_send(int fd, const struct proxy_message *m)
{
    uint8_t bytes[16 + 4096] = { 0 };

    memcpy(bytes, &m->command, 4);
    memcpy(bytes + 8, &m->size, 8);
    if (m->body_bytes > 0) {
        memcpy(bytes + 16, m->body, m->body_bytes);
    }
    return proxy_bytes(fd, bytes, 16 + m->body_bytes, m->fds, m->nr_fds);
}

/* Wait for an answer; false when there is none, or it is none. */
static inline bool proxy_reply(int fd, uint64_t *val)
{
    uint8_t bytes[24];
    uint32_t command;
    uint64_t size;

    if (recv(fd, bytes, sizeof(bytes), MSG_WAITALL) != (ssize_t)sizeof(bytes)) {
        return false;
    }
    memcpy(&command, bytes, 4);
    memcpy(&size, bytes + 8, 8);
    memcpy(val, bytes + 16, 8);
    return command == PROXY_RET && size == 8;
}

/* ---- messages ------------------------------------------------------------ */

static inline bool proxy_config(int fd, bool write, uint32_t addr, uint32_t len,
                                uint32_t val)
{
    const uint32_t body[3] = { addr, val, len };

    return proxy_send(fd, &(const struct proxy_message){
                              .command = write ? PROXY_CFGWRITE : PROXY_CFGREAD,
                              .size = sizeof(body),
                              .body = body,
                              .body_bytes = sizeof(body) });
}

static inline bool proxy_bar(int fd, bool write, uint64_t addr, uint32_t len,
                             uint64_t val)
{
    uint8_t body[24] = { 0 };

    memcpy(body, &addr, 8);
    memcpy(body + 8, &val, 8);
    memcpy(body + 16, &len, 4);
    body[20] = 1;
    return proxy_send(fd, &(const struct proxy_message){
                              .command = write ? PROXY_BARWRITE : PROXY_BARREAD,
                              .size = sizeof(body),
                              .body = body,
                              .body_bytes = sizeof(body) });
}

/* A table of one piece, or none with nr 0. */
struct proxy_table {
    uint64_t addr[8];
    uint64_t size[8];
    uint64_t offset[8];
};

static inline bool proxy_sysmem(int fd, const struct proxy_table *table,
                                const int *fds, unsigned nr)
{
    return proxy_send(
        fd, &(const struct proxy_message){ .command = PROXY_SYSMEM,
                                           .size = sizeof(*table),
                                           .body = table,
                                           .body_bytes = sizeof(*table),
                                           .fds = fds,
                                           .nr_fds = nr });
}

static inline bool proxy_plain(int fd, uint32_t command)
{
    return proxy_send(fd, &(const struct proxy_message){ .command = command });
}

/* ---- a client that dies -------------------------------------------------- */

/* Let SIGKILL strike this process, within so many microseconds. */
static inline bool proxy_doom(unsigned within_us)
{
    struct sigevent event = { .sigev_notify = SIGEV_SIGNAL,
                              .sigev_signo = SIGKILL };
    struct itimerspec when = { .it_value.tv_nsec = 1000 };
    struct timespec now;
    timer_t timer;

    clock_gettime(CLOCK_MONOTONIC, &now);
    srandom((unsigned)now.tv_nsec ^ (unsigned)getpid());
    when.it_value.tv_nsec += random() % within_us * 1000;
    return timer_create(CLOCK_MONOTONIC, &event, &timer) == 0 &&
           timer_settime(timer, 0, &when, NULL) == 0;
}

#endif /* TRENCH_TESTS_PROXY_RIG_H */
