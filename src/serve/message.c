/* SPDX-License-Identifier: BSD-3-Clause */
#include "serve/message.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/le.h"

/* Header: command, padding, body size. */
enum {
    HEADER_COMMAND = 0,
    HEADER_SIZE = 8,
    HEADER_BYTES = 16,
};

#define COMMAND_RET 1u

/* Take what came along; there is room for all that the system passes. */
static void take_fds(struct message *m, struct msghdr *hdr)
{
    for (struct cmsghdr *c = CMSG_FIRSTHDR(hdr); c; c = CMSG_NXTHDR(hdr, c)) {
        size_t nr;

        if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS) {
            continue;
        }
        nr = (c->cmsg_len - CMSG_LEN(0)) / sizeof(int);
        for (size_t i = 0; i < nr; i++) {
            int fd;

            memcpy(&fd, CMSG_DATA(c) + i * sizeof(int), sizeof(int));
            if (m->nr_fds < MESSAGE_FDS_MAX) {
                m->fds[m->nr_fds++] = fd;
            } else {
                close(fd);
            }
        }
    }
}

/* Some bytes of a message: their number, 0 at the end, or an error. */
static int receive_some(int fd, struct message *m, void *buf, size_t len)
{
    union {
        char bytes[CMSG_SPACE(MESSAGE_FDS_MAX * sizeof(int))];
        struct cmsghdr align;
    } control;
    struct iovec iov = { .iov_base = buf, .iov_len = len };
    struct msghdr hdr = {
        .msg_iov = &iov,
        .msg_iovlen = 1,
        .msg_control = control.bytes,
        .msg_controllen = sizeof(control.bytes),
    };
    ssize_t n;

    do {
        n = recvmsg(fd, &hdr, MSG_CMSG_CLOEXEC);
    } while (n < 0 && errno == EINTR);
    if (n < 0) {
        return -errno;
    }
    take_fds(m, &hdr);
    return (int)n;
}

/* All of len bytes. 1, 0 at the end before the first one, or an error. */
static int receive(int fd, struct message *m, uint8_t *buf, size_t len)
{
    size_t have = 0;

    while (have < len) {
        int n = receive_some(fd, m, buf + have, len - have);

        if (n < 0) {
            return n;
        }
        if (n == 0) {
            return have > 0 ? TRENCH_ERR_BADMSG : 0;
        }
        have += (size_t)n;
    }
    return 1;
}

int message_receive(int fd, struct message *m)
{
    uint8_t header[HEADER_BYTES];
    int rc;

    m->nr_fds = 0;
    rc = receive(fd, m, header, sizeof(header));
    if (rc <= 0) {
        return rc;
    }
    m->command = (uint32_t)le_get(header + HEADER_COMMAND, 4);
    m->size = le_get(header + HEADER_SIZE, 8);
    if (m->size > MESSAGE_BODY) {
        return TRENCH_ERR_BADMSG;
    }
    rc = m->size > 0 ? receive(fd, m, m->body, (size_t)m->size) : 1;
    return rc == 0 ? TRENCH_ERR_BADMSG : rc;
}

void message_close(struct message *m)
{
    for (unsigned i = 0; i < m->nr_fds; i++) {
        if (m->fds[i] >= 0) {
            close(m->fds[i]);
        }
    }
    m->nr_fds = 0;
}

int message_reply(int fd, uint64_t val)
{
    uint8_t out[HEADER_BYTES + 8] = { 0 };
    size_t sent = 0;

    le_put(out + HEADER_COMMAND, 4, COMMAND_RET);
    le_put(out + HEADER_SIZE, 8, 8);
    le_put(out + HEADER_BYTES, 8, val);
    while (sent < sizeof(out)) {
        ssize_t n = send(fd, out + sent, sizeof(out) - sent, MSG_NOSIGNAL);

        if (n < 0 && errno != EINTR) {
            return -errno;
        }
        sent += n > 0 ? (size_t)n : 0;
    }
    return 0;
}
