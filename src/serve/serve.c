/* SPDX-License-Identifier: BSD-3-Clause */
#include <trench/serve.h>

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "base/bits.h"
#include "base/le.h"
#include "base/log.h"
#include "serve/message.h"

/* What an error is answered with (host-driver 4.2). */
#define ALL_ONES UINT64_MAX

/* Units of left-over work between two looks at the socket: some 3 ms. */
#define SLICE 4096u

#define NS_PER_MS 1000000u
#define NS_PER_S  1000000000u

/* Longest time that the clock is behind while anything waits for it. */
#define MAX_WAIT_MS 1000u

struct trench_serve {
    struct trench_pci *pci;
    bool owned; /* the function is ours */
    int fd;
    bool frozen;
    struct logger log;
    int irq;      /* written to raise the interrupt; -1 = there is none */
    int resample; /* read when it has been served; -1 = there is none */
    bool raised;  /* and not served yet */
    uint64_t now_ns;
    struct message message;
    struct trench_serve_stats stats;
};

/* ---- interrupts ---------------------------------------------------------- */

/* A descriptor that may be anything is neither blocked on nor written to. */
static bool is_eventfd(int fd)
{
    static const char want[] = "anon_inode:[eventfd]";
    char path[32];
    char name[sizeof(want)];
    ssize_t len;

    snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
    len = readlink(path, name, sizeof(name));
    return len == (ssize_t)strlen(want) && !memcmp(name, want, (size_t)len);
}

static bool is_ready(int fd, short events)
{
    struct pollfd p = { .fd = fd, .events = events };

    return poll(&p, 1, 0) == 1 && (p.revents & events);
}

/* A counter that is full has told it already. */
static void on_intx(void *opaque)
{
    struct trench_serve *s = opaque;
    uint64_t one = 1;

    if (s->irq >= 0 && is_ready(s->irq, POLLOUT) &&
        write(s->irq, &one, sizeof(one)) == sizeof(one)) {
        s->stats.interrupts++;
        s->raised = true;
    }
}

static void serve_resample(struct trench_serve *s)
{
    uint64_t count;

    if (is_ready(s->resample, POLLIN) &&
        read(s->resample, &count, sizeof(count)) == sizeof(count)) {
        s->raised = false;
        trench_pci_intx_done(s->pci);
    }
}

static void close_irqs(struct trench_serve *s)
{
    if (s->irq >= 0) {
        close(s->irq);
    }
    if (s->resample >= 0) {
        close(s->resample);
    }
    s->irq = -1;
    s->resample = -1;
    s->raised = false;
}

/* ---- commands ------------------------------------------------------------ */

/* A command's answer goes to *val; false: the message was wrong. */
typedef bool (*command_fn)(struct trench_serve *s, struct message *m,
                           uint64_t *val);

/* Slots of the table of guest memory, and where its columns begin. */
enum {
    SYSMEM_SLOTS = 8,
    SYSMEM_ADDR = 0,
    SYSMEM_SIZE = 64,
    SYSMEM_OFFSET = 128,
};

static uint64_t column(const struct message *m, unsigned at, unsigned slot)
{
    return le_get(m->body + at + slot * 8, 8);
}

/* As many slots as descriptors; the others are 0 (host-driver 4.4). */
static bool sync_sysmem(struct trench_serve *s, struct message *m,
                        uint64_t *val)
{
    struct trench_pci_map maps[SYSMEM_SLOTS];
    int err;

    (void)val;
    for (unsigned i = 0; i < SYSMEM_SLOTS; i++) {
        maps[i] = (struct trench_pci_map){
            .addr = column(m, SYSMEM_ADDR, i),
            .size_bytes = column(m, SYSMEM_SIZE, i),
            .fd = i < m->nr_fds ? m->fds[i] : -1,
            .offset = column(m, SYSMEM_OFFSET, i),
        };
        if (i >= m->nr_fds && maps[i].size_bytes != 0) {
            return false;
        }
    }
    err = trench_pci_set_memory(s->pci, maps, m->nr_fds);
    if (err) {
        log_line(&s->log, TRENCH_LOG_ERROR,
                 "serve: guest memory stays as it was: %s",
                 trench_strerror(err));
    }
    return !err;
}

/* Configuration space: address, value, length. */
static bool config_write(struct trench_serve *s, struct message *m,
                         uint64_t *val)
{
    *val = 0;
    return !trench_pci_config_write(s->pci, (uint32_t)le_get(m->body, 4),
                                    (uint32_t)le_get(m->body + 8, 4),
                                    (uint32_t)le_get(m->body + 4, 4));
}

static bool config_read(struct trench_serve *s, struct message *m,
                        uint64_t *val)
{
    uint32_t word;

    if (trench_pci_config_read(s->pci, (uint32_t)le_get(m->body, 4),
                               (uint32_t)le_get(m->body + 8, 4), &word)) {
        return false;
    }
    *val = word;
    return true;
}

/* BARs: address, value, size, and whether it is memory. */
struct bar_body {
    int bar;
    uint64_t offset;
    uint64_t val;
    uint32_t size;
};

static bool bar_body(const struct trench_serve *s, const struct message *m,
                     struct bar_body *out)
{
    out->val = le_get(m->body + 8, 8);
    out->size = (uint32_t)le_get(m->body + 16, 4);
    if (m->body[20] != 1) {
        return false; /* no BAR is in I/O space */
    }
    out->bar =
        trench_pci_decode(s->pci, le_get(m->body, 8), out->size, &out->offset);
    return out->bar >= 0;
}

static bool bar_write(struct trench_serve *s, struct message *m, uint64_t *val)
{
    struct bar_body b;

    *val = 0;
    return bar_body(s, m, &b) && !trench_pci_bar_write(s->pci, (unsigned)b.bar,
                                                       b.offset, b.size, b.val);
}

static bool bar_read(struct trench_serve *s, struct message *m, uint64_t *val)
{
    struct bar_body b;

    return bar_body(s, m, &b) &&
           !trench_pci_bar_read(s->pci, (unsigned)b.bar, b.offset, b.size, val);
}

static bool set_irqfd(struct trench_serve *s, struct message *m, uint64_t *val)
{
    (void)val;
    if (!is_eventfd(m->fds[0]) || !is_eventfd(m->fds[1])) {
        return false;
    }
    close_irqs(s);
    s->irq = m->fds[0];
    s->resample = m->fds[1];
    m->fds[0] = -1;
    m->fds[1] = -1;
    return true;
}

static bool device_reset(struct trench_serve *s, struct message *m,
                         uint64_t *val)
{
    (void)m;
    *val = 0;
    return !trench_pci_reset(s->pci);
}

static const struct command {
    const char *name;
    command_fn fn; /* NULL = not for us */
    uint32_t size;
    uint32_t other_size; /* also right */
    uint8_t min_fds;
    uint8_t max_fds;
    bool silent; /* no answer is due */
} commands[TRENCH_SERVE_NR_COMMANDS] = {
    [TRENCH_SERVE_SYNC_SYSMEM] = { "SYNC_SYSMEM", sync_sysmem, 192, 192, 1,
                                   MESSAGE_FDS, true },
    [TRENCH_SERVE_RET] = { "RET", NULL, 8, 8, 0, 0, true },
    [TRENCH_SERVE_CONFIG_WRITE] = { "PCI_CFGWRITE", config_write, 12, 12, 0, 0,
                                    false },
    [TRENCH_SERVE_CONFIG_READ] = { "PCI_CFGREAD", config_read, 12, 12, 0, 0,
                                   false },
    [TRENCH_SERVE_BAR_WRITE] = { "BAR_WRITE", bar_write, 24, 24, 0, 0, false },
    [TRENCH_SERVE_BAR_READ] = { "BAR_READ", bar_read, 24, 24, 0, 0, false },
    [TRENCH_SERVE_SET_IRQFD] = { "SET_IRQFD", set_irqfd, 0, 0, 2, 2, true },
    [TRENCH_SERVE_DEVICE_RESET] = { "DEVICE_RESET", device_reset, 0, 8, 0, 0,
                                    false },
};

const char *trench_serve_command_name(unsigned command)
{
    return command < TRENCH_SERVE_NR_COMMANDS ? commands[command].name : NULL;
}

static bool is_well_formed(const struct command *c, const struct message *m)
{
    return c->fn && (m->size == c->size || m->size == c->other_size) &&
           m->nr_fds >= c->min_fds && m->nr_fds <= c->max_fds;
}

static void complain(struct trench_serve *s, const struct message *m)
{
    const char *name = trench_serve_command_name(m->command);

    s->stats.bad++;
    log_line(&s->log, TRENCH_LOG_GUEST,
             "serve: wrong message: command %" PRIu32 " (%s), %" PRIu64
             " bytes, %u descriptors",
             m->command, name ? name : "unknown", m->size, m->nr_fds);
}

/* Returns 1, or an error when the answer cannot be sent. */
static int dispatch(struct trench_serve *s, struct message *m)
{
    const struct command *c =
        m->command < TRENCH_SERVE_NR_COMMANDS ? &commands[m->command] : NULL;
    uint64_t val = ALL_ONES;
    int err = 0;

    s->stats.fds += m->nr_fds;
    if (c) {
        s->stats.messages[m->command]++;
    }
    if (!c || !is_well_formed(c, m) || !c->fn(s, m, &val)) {
        complain(s, m);
        val = ALL_ONES;
    }
    if (!c || !c->silent) {
        err = message_reply(s->fd, val);
    }
    return err ? err : 1;
}

/* ---- time, and waiting --------------------------------------------------- */

static uint64_t host_ns(void)
{
    struct timespec ts;

    clock_gettime(CLOCK_MONOTONIC, &ts);
    return (uint64_t)ts.tv_sec * NS_PER_S + (uint64_t)ts.tv_nsec;
}

static void follow_clock(struct trench_serve *s)
{
    uint64_t now;

    if (!s->frozen) {
        now = host_ns();
        trench_pci_advance(s->pci, now - s->now_ns);
        s->now_ns = now;
    }
}

/* How long the socket may be waited for: poll()'s, -1 = for ever. */
static int wait_ms(const struct trench_serve *s, bool busy)
{
    uint64_t due;

    if (busy) {
        return 0;
    }
    due = s->frozen ? UINT64_MAX : trench_pci_due(s->pci);
    return due == UINT64_MAX ? -1
                             : (int)min_u64(due / NS_PER_MS + 1, MAX_WAIT_MS);
}

/*
 * Until there is something to read: leftovers are worked off, time passes,
 * the interrupt line is looked after. When none of these is needed, reading
 * itself does the waiting: no call more than it takes. 0 or an error.
 */
static int wait_for_message(struct trench_serve *s)
{
    for (;;) {
        bool busy = trench_pci_run(s->pci, SLICE) > 0;
        int ms = wait_ms(s, busy);
        struct pollfd fds[2] = {
            { .fd = s->fd, .events = POLLIN },
            { .fd = s->raised ? s->resample : -1, .events = POLLIN },
        };

        if (ms < 0 && fds[1].fd < 0) {
            return 0;
        }
        if (poll(fds, ARRAY_LEN(fds), ms) < 0 && errno != EINTR) {
            return -errno;
        }
        if (fds[1].revents) {
            serve_resample(s);
        }
        if (fds[0].revents) {
            return 0;
        }
        follow_clock(s);
    }
}

int trench_serve_step(struct trench_serve *s)
{
    struct message *m = &s->message;
    int rc = wait_for_message(s);

    if (rc) {
        return rc;
    }
    rc = message_receive(s->fd, m);
    if (rc > 0) {
        follow_clock(s);
        rc = dispatch(s, m);
    }
    message_close(m);
    return rc;
}

int trench_serve_run(struct trench_serve *s)
{
    int rc;

    do {
        rc = trench_serve_step(s);
    } while (rc > 0);
    /* Who has gone away has ended it, also in the middle of an answer. */
    return rc == -EPIPE || rc == -ECONNRESET ? 0 : rc;
}

void trench_serve_stop(struct trench_serve *s)
{
    int saved = errno;

    shutdown(s->fd, SHUT_RD);
    errno = saved;
}

/* ---- life ---------------------------------------------------------------- */

static int check_socket(int fd)
{
    struct sockaddr_storage peer;
    socklen_t len = sizeof(peer);
    socklen_t type_len = sizeof(int);
    int type;

    if (getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &type_len) ||
        type != SOCK_STREAM ||
        getpeername(fd, (struct sockaddr *)&peer, &len) ||
        peer.ss_family != AF_UNIX) {
        return TRENCH_ERR_INVAL;
    }
    return 0;
}

int trench_serve_create(const struct trench_serve_conf *conf, int fd,
                        struct trench_serve **out)
{
    static const struct trench_serve_conf defaults;
    struct trench_pci_conf pci;
    struct trench_serve *s;
    int err = check_socket(fd);

    conf = conf ? conf : &defaults;
    pci = conf->pci;
    if (err || pci.intx || pci.intx_opaque) {
        return TRENCH_ERR_INVAL;
    }
    s = calloc(1, sizeof(*s));
    if (!s) {
        return TRENCH_ERR_NOMEM;
    }
    s->fd = fd;
    s->frozen = conf->frozen;
    s->irq = -1;
    s->resample = -1;
    s->log = (struct logger){ pci.soc.log, pci.soc.log_opaque };
    s->now_ns = host_ns();
    s->pci = conf->function;
    s->owned = !conf->function;
    if (s->owned) {
        err = trench_pci_create(&pci, &s->pci);
    }
    if (err) {
        free(s);
        return err;
    }
    trench_pci_set_intx(s->pci, on_intx, s);
    *out = s;
    return 0;
}

void trench_serve_destroy(struct trench_serve *s)
{
    if (!s) {
        return;
    }
    close_irqs(s);
    trench_pci_set_intx(s->pci, NULL, NULL);
    if (s->owned) {
        trench_pci_destroy(s->pci);
    }
    free(s);
}

struct trench_pci *trench_serve_pci(struct trench_serve *s)
{
    return s->pci;
}

void trench_serve_stats(const struct trench_serve *s,
                        struct trench_serve_stats *out)
{
    *out = s->stats;
}
