/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A PCI function served to a virtual machine monitor: the device's side of the
 * multi-process protocol of QEMU 7.2 (its x-pci-proxy-dev), over one end of a
 * connected stream socket (host-driver 4).
 *
 *     trench_serve_create(conf, fd, &serve)
 *     trench_serve_run(serve)        until the other side closes
 *     trench_serve_destroy(serve)
 *
 * The other side asks, this one answers. A message that is whole but wrong
 * (size, command, descriptors, ranges) is answered with all ones where an
 * answer is due, is counted, and the conversation goes on. Where the stream
 * itself makes no sense any more, because a message is cut or larger than any
 * can be, it ends with TRENCH_ERR_BADMSG. Descriptors that come along belong
 * to this side, and are closed whatever happens.
 *
 * Between messages the chip goes on with work that an access has left over,
 * and its clock follows that of the host.
 *
 * A server, with its function, belongs to one thread at a time;
 * trench_serve_stop() may be called from any, and from a signal handler.
 */
#ifndef TRENCH_SERVE_H
#define TRENCH_SERVE_H

#include <stdbool.h>
#include <stdint.h>

#include <trench/pci.h>

#ifdef __cplusplus
extern "C" {
#endif

struct trench_serve; /* opaque */

/** Commands of the protocol (host-driver 4.2). */
enum trench_serve_command {
    TRENCH_SERVE_SYNC_SYSMEM,
    TRENCH_SERVE_RET,
    TRENCH_SERVE_CONFIG_WRITE,
    TRENCH_SERVE_CONFIG_READ,
    TRENCH_SERVE_BAR_WRITE,
    TRENCH_SERVE_BAR_READ,
    TRENCH_SERVE_SET_IRQFD,
    TRENCH_SERVE_DEVICE_RESET,
    TRENCH_SERVE_NR_COMMANDS,
};

/** A command's name: "SYNC_SYSMEM", ...; NULL when there is none. */
TRENCH_API const char *trench_serve_command_name(unsigned command);

/** How to serve. Zero the struct first. */
struct trench_serve_conf {
    /**
     * Serve this function, as it stands, in place of building one: a device
     * that outlives its client. Borrowed, with its interrupt line, until
     * trench_serve_destroy(); pci below then only says where log lines go.
     */
    struct trench_pci *function;
    /**
     * The function to build; copied. Leave intx and intx_opaque zero: the
     * interrupt line goes to the descriptors that the other side hands over.
     */
    struct trench_pci_conf pci;
    /** The chip's clock stands still; else it follows the host's. */
    bool frozen;
};

/**
 * Make a server, with its function unless one is given.
 *
 * @param conf  Copied; NULL = all defaults.
 * @param fd    A connected stream socket, in blocking mode. Borrowed; it must
 *              stay open until trench_serve_destroy().
 * @param out   Receives the server; the caller owns it.
 *
 * @return 0 on success;
 *         TRENCH_ERR_INVAL  @p fd is no connected stream socket of the UNIX
 *                           domain, or an interrupt callback in conf->pci;
 *         or as trench_pci_create().
 */
TRENCH_API int trench_serve_create(const struct trench_serve_conf *conf, int fd,
                                   struct trench_serve **out);

/** Release the server, its descriptors and its function; NULL is allowed. */
TRENCH_API void trench_serve_destroy(struct trench_serve *serve);

/** The function; owned by the server unless it was given. */
TRENCH_API struct trench_pci *trench_serve_pci(struct trench_serve *serve);

/**
 * Wait for one message, and serve it.
 *
 * @return 1 when one was served;
 *         0 at the end of the stream, also after trench_serve_stop();
 *         TRENCH_ERR_BADMSG  the stream ends inside a message, or a message is
 *                            larger than the protocol allows; the stream
 *                            cannot be followed any more;
 *         another negated errno when the socket failed.
 */
TRENCH_API int trench_serve_step(struct trench_serve *serve);

/**
 * Serve until the end of the stream.
 * @return 0, or an error of trench_serve_step().
 */
TRENCH_API int trench_serve_run(struct trench_serve *serve);

/**
 * End it: the next wait for a message finds the end of the stream. Shuts the
 * socket's reading side, for everybody who shares it.
 */
TRENCH_API void trench_serve_stop(struct trench_serve *serve);

/** Counters since creation. */
struct trench_serve_stats {
    uint64_t messages[TRENCH_SERVE_NR_COMMANDS]; /**< By command, all. */
    uint64_t bad;        /**< Whole messages that were wrong. */
    uint64_t fds;        /**< Descriptors received. */
    uint64_t interrupts; /**< Times that the other side was told of one. */
};

/** Read the counters. */
TRENCH_API void trench_serve_stats(const struct trench_serve *serve,
                                   struct trench_serve_stats *out);

#ifdef __cplusplus
}
#endif

#endif /* TRENCH_SERVE_H */
