/* SPDX-License-Identifier: BSD-3-Clause */
/* Messages of the protocol on a socket (host-driver 4.2). */
#ifndef TRENCH_MESSAGE_H
#define TRENCH_MESSAGE_H

#include <stddef.h>
#include <stdint.h>

#include <trench/error.h>

/* Most bytes behind a header, and most descriptors with one. */
#define MESSAGE_BODY 192u
#define MESSAGE_FDS  8u

/*
 * The system passes at most 253 descriptors in one go: with room for all of
 * them none is lost track of, and what is too many can be said.
 */
#define MESSAGE_FDS_MAX 253u

struct message {
    uint32_t command;
    uint64_t size; /* of the body, as the header says */
    uint8_t body[MESSAGE_BODY];
    int fds[MESSAGE_FDS_MAX]; /* owned; -1 = taken by somebody */
    unsigned nr_fds;
};

/*
 * Wait for a message. Returns 1; 0 at the end of the stream; TRENCH_ERR_BADMSG
 * or another error. In any case message_close() is due.
 */
int message_receive(int fd, struct message *m);

/* Close the descriptors that nobody has taken. */
void message_close(struct message *m);

/* Send a RET. 0 or an error. */
int message_reply(int fd, uint64_t val);

#endif /* TRENCH_MESSAGE_H */
