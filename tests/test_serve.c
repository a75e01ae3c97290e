/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The server of the proxy protocol, host-driver 4: message by message, in one
 * thread: the test asks, lets the server serve, and looks at the answer.
 */
#include <sys/eventfd.h>
#include <sys/wait.h>

#include "serve_rig.h"

/* ---- what QEMU does ------------------------------------------------------ */

/* host-driver 4.3, in order. */
static void test_serve_start_of_qemu(void **state)
{
    const struct proxy_table table = { .addr = { 0, 0x100000 },
                                       .size = { 0xC0000, 0x700000 },
                                       .offset = { 0, 0x100000 } };
    struct bench b;
    int fds[2];

    (void)state;
    open_bench(&b);
    fds[0] = b.g.fd;
    fds[1] = b.g.fd;
    proxy_sysmem(b.us, &table, fds, 2);
    step(&b);
    fds[0] = eventfd(0, EFD_CLOEXEC);
    fds[1] = eventfd(0, EFD_CLOEXEC);
    CHECK_EQ(proxy_send(b.us, &(struct proxy_message){ .command = PROXY_IRQFD,
                                                       .fds = fds,
                                                       .nr_fds = 2 }),
             true, "send");
    step(&b);
    CHECK_EQ(cfg_read(&b, 0, 2), 0x1D0F, "vendor");
    CHECK_EQ(cfg_read(&b, 2, 2), 0x7164, "device");
    CHECK_EQ(cfg_read(&b, 0x0A, 2), 0x1200, "class");
    CHECK_EQ(cfg_read(&b, 0x2E, 2), 0x7164, "subsystem");
    for (uint32_t at = 0x10; at <= 0x28; at += 4) {
        uint32_t old = (uint32_t)cfg_read(&b, at, 4);

        cfg_write(&b, at, 4, UINT32_MAX);
        CHECK_EQ(cfg_read(&b, at, 4),
                 at == 0x18   ? 0xC0000000
                 : at == 0x20 ? 0xF0000008
                              : 0,
                 "0x%x", at);
        cfg_write(&b, at, 4, old);
    }
    proxy_plain(b.us, PROXY_RESET);
    CHECK_EQ(answer(&b), 0, "reset");
    CHECK_EQ(stats(&b).bad, 0, "nothing was wrong");
    CHECK_EQ(stats(&b).fds, 4, "descriptors");
    CHECK_EQ(stats(&b).messages[PROXY_CFGREAD], 4 + 14, "counted");
    close(fds[0]);
    close(fds[1]);
    close_bench(&b);
}

static void test_serve_copies_guest_memory(void **state)
{
    struct bench b;

    (void)state;
    open_bench(&b);
    boot(&b);
    CHECK_EQ(guest_round_trip(&b.g, 32, 1000000), 0, "a copy");
    CHECK_EQ(guest_round_trip(&b.g, 3, 12345), 0, "another engine");
    CHECK_EQ(bar_read(&b, MEM_BAR + 0x1000000, 1), b.g.mem[0], "BAR 4");
    cfg_write(&b, 0x18, 4, 0x40000000); /* moved */
    CHECK_EQ(bar_read(&b, 0x70FA0000, 4), 3, "firmware version");
    CHECK_EQ(bar_read(&b, REG_BAR + MISC, 4), UINT64_MAX, "not here");
    CHECK_EQ(stats(&b).bad, 1, "that one");
    close_bench(&b);
}

/* A guest that starts again in the middle of a copy (host-driver 4.8). */
static void test_serve_reset_under_a_copy(void **state)
{
    struct trench_hal_engine *e;
    struct trench_hal_queue *q;
    struct bench b;

    (void)state;
    open_bench(&b);
    boot(&b);
    for (int i = 0; i < 3; i++) {
        CHECK_EQ(guest_engine(&b.g, 32, &e, &q), 0, "engine");
        trench_hal_copy(q, 0x1000000, GUEST_TAG, 100000, 0);
        bar_write(&b, REG_BAR + 0x30600000 + 0x1038, 4, 2); /* TX only */
        proxy_plain(b.us, PROXY_RESET);
        CHECK_EQ(answer(&b), 0, "reset");
        proxy_plain(b.us, PROXY_RESET);
        CHECK_EQ(answer(&b), 0, "twice");
        CHECK_EQ(cfg_read(&b, 4, 4), 0, "command");
        boot(&b);
        trench_hal_queue_close(q);
        trench_hal_engine_close(e);
        b.g.next = GUEST_RINGS;
    }
    CHECK_EQ(guest_round_trip(&b.g, 32, 100000), 0, "and works");
    close_bench(&b);
}

/* host-driver 4.4: as many pieces as the table has slots, in any order. */
static void test_serve_table_is_full(void **state)
{
    const uint64_t piece = GUEST_BYTES / 8;
    struct proxy_table table;
    struct bench b;
    int fds[8];

    (void)state;
    open_bench(&b);
    boot(&b);
    for (unsigned i = 0; i < 8; i++) {
        uint64_t at = (i * 3 + 1) % 8 * piece;

        table.addr[i] = at;
        table.size[i] = piece;
        table.offset[i] = at;
        fds[i] = b.g.fd;
    }
    proxy_sysmem(b.us, &table, fds, 8);
    step(&b);
    CHECK_EQ(stats(&b).bad, 0, "right");
    CHECK_EQ(guest_round_trip(&b.g, 32, 1000000), 0, "a copy");
    close_bench(&b);
}

/* host-driver 4.2: DEVICE_RESET with a body, and BARs that are memory. */
static void test_serve_variants(void **state)
{
    uint8_t body[24] = { 0, 0, 0xFA, 0xB0, [16] = 4 }; /* misc RAM */
    struct proxy_message m = { .command = PROXY_BARREAD,
                               .size = sizeof(body),
                               .body = body,
                               .body_bytes = sizeof(body) };
    struct bench b;

    (void)state;
    open_bench(&b);
    boot(&b);
    for (unsigned memory = 0; memory < 3; memory++) {
        body[20] = (uint8_t)memory;
        CHECK_EQ(proxy_send(b.us, &m), true, "is-memory %u", memory);
        CHECK_EQ(answer(&b), memory == 1 ? 3 : UINT64_MAX, "is-memory %u",
                 memory);
    }
    CHECK_EQ(stats(&b).bad, 2, "no BAR is I/O");
    m = (struct proxy_message){
        .command = PROXY_RESET, .size = 8, .body = body, .body_bytes = 8
    };
    CHECK_EQ(proxy_send(b.us, &m), true, "reset");
    CHECK_EQ(answer(&b), 0, "reset");
    CHECK_EQ(cfg_read(&b, 4, 2), 0, "command");
    CHECK_EQ(stats(&b).bad, 2, "right");
    close_bench(&b);
}

static void test_serve_interrupt(void **state)
{
    const uint64_t group = REG_BAR + 0x30600000 + 0x3A000;
    struct bench b;
    uint64_t one = 1;
    uint64_t n;
    int fds[2];

    (void)state;
    open_bench(&b);
    boot(&b);
    fds[0] = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    fds[1] = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    for (int again = 0; again < 2; again++) { /* handed over twice */
        proxy_send(b.us, &(struct proxy_message){
                             .command = PROXY_IRQFD, .fds = fds, .nr_fds = 2 });
        step(&b);
    }
    bar_write(&b, group + 0x18, 4, 0);
    bar_write(&b, group + 0x08, 4, 1);
    CHECK_EQ(read(fds[0], &n, 8), 8, "told");
    bar_write(&b, group + 0x08, 4, 2);
    CHECK_EQ(read(fds[0], &n, 8), -1, "it is up");
    CHECK_EQ(write(fds[1], &one, 8), 8, "served");
    CHECK_EQ(cfg_read(&b, 6, 2), 8, "up again");
    CHECK_EQ(read(fds[0], &n, 8), 8, "told");
    CHECK_EQ(write(fds[1], &one, 8), 8, "served");
    CHECK_EQ(cfg_read(&b, 6, 2), 0, "down");
    CHECK_EQ(stats(&b).interrupts, 2, "counted");
    close(fds[0]);
    close(fds[1]);
    close_bench(&b);
}

/* ---- what it never does -------------------------------------------------- */

/* Whole messages that are wrong: answered with ones where one is due. */
static void test_serve_wrong_messages(void **state)
{
    static const uint8_t body[192];
    int fds[9];
    const struct {
        struct proxy_message m;
        bool silent;
    } rows[] = {
        { { .command = 8 }, false },
        { { .command = UINT32_MAX, .size = 192, .body_bytes = 192 }, false },
        { { .command = PROXY_RET, .size = 8, .body_bytes = 8 }, true },
        { { .command = PROXY_CFGREAD, .size = 8, .body_bytes = 8 }, false },
        { { .command = PROXY_CFGREAD }, false },
        { { .command = PROXY_CFGREAD, .size = 16, .body_bytes = 16 }, false },
        { { .command = PROXY_CFGREAD, .size = 12, .body_bytes = 12 }, false },
        { { .command = PROXY_CFGWRITE, .size = 12, .body_bytes = 12 }, false },
        { { .command = PROXY_CFGREAD,
            .size = 12,
            .body_bytes = 12,
            .fds = fds,
            .nr_fds = 1 },
          false },
        { { .command = PROXY_BARREAD, .size = 24, .body_bytes = 24 }, false },
        { { .command = PROXY_BARWRITE, .size = 23, .body_bytes = 23 }, false },
        { { .command = PROXY_RESET, .size = 4, .body_bytes = 4 }, false },
        { { .command = PROXY_RESET, .fds = fds, .nr_fds = 2 }, false },
        { { .command = PROXY_SYSMEM, .size = 192, .body_bytes = 192 }, true },
        { { .command = PROXY_SYSMEM,
            .size = 192,
            .body_bytes = 192,
            .fds = fds,
            .nr_fds = 1 },
          true },
        { { .command = PROXY_SYSMEM,
            .size = 192,
            .body_bytes = 192,
            .fds = fds,
            .nr_fds = 9 },
          true },
        { { .command = PROXY_SYSMEM,
            .size = 64,
            .body_bytes = 64,
            .fds = fds,
            .nr_fds = 1 },
          true },
        { { .command = PROXY_IRQFD }, true },
        { { .command = PROXY_IRQFD, .fds = fds, .nr_fds = 1 }, true },
        { { .command = PROXY_IRQFD, .fds = fds, .nr_fds = 2 }, true },
        { { .command = PROXY_IRQFD, .fds = fds, .nr_fds = 3 }, true },
    };
    struct bench b;
    unsigned files;

    (void)state;
    open_bench(&b);
    boot(&b);
    for (size_t i = 0; i < ARRAY_LEN(fds); i++) {
        fds[i] = b.g.fd;
    }
    files = open_files();
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct proxy_message m = rows[i].m;

        m.body = body;
        CHECK_EQ(proxy_send(b.us, &m), true, "row %zu", i);
        if (rows[i].silent) {
            step(&b);
        } else {
            CHECK_EQ(answer(&b), UINT64_MAX, "row %zu", i);
        }
        CHECK_EQ(stats(&b).bad, i + 1, "row %zu", i);
        CHECK_EQ(open_files(), files, "row %zu: descriptors", i);
    }
    CHECK_EQ(guest_round_trip(&b.g, 32, 5000), 0, "memory is as it was");
    close_bench(&b);
}

/* As many descriptors as the system passes at once. */
static void test_serve_too_many_descriptors(void **state)
{
    static const uint8_t body[192];
    int fds[PROXY_FDS_MAX];
    struct bench b;
    unsigned files;

    (void)state;
    open_bench(&b);
    boot(&b);
    files = open_files();
    for (size_t i = 0; i < ARRAY_LEN(fds); i++) {
        fds[i] = b.g.fd;
    }
    for (int i = 0; i < 20; i++) {
        CHECK_EQ(proxy_bytes(b.us, "\0\0\0\0\0\0\0\0\xC0\0\0\0\0\0\0\0", 16,
                             fds, PROXY_FDS_MAX),
                 true, "header");
        /* ... and more with the body */
        CHECK_EQ(proxy_bytes(b.us, body, 192, fds, PROXY_FDS_MAX), true,
                 "body");
        step(&b);
        CHECK_EQ(open_files(), files, "round %d", i);
    }
    CHECK_EQ(stats(&b).bad, 20, "all of them");
    CHECK_EQ(guest_round_trip(&b.g, 32, 5000), 0, "memory is as it was");
    close_bench(&b);
}

/* Streams that cannot be followed. */
static void test_serve_broken_streams(void **state)
{
    static const uint8_t bytes[16 + 24] = { PROXY_BARREAD, [8] = 24 };
    static const uint8_t large[16] = { PROXY_CFGREAD, [8] = 193 };
    static const uint8_t huge[16] = { PROXY_CFGREAD, [15] = 0x80 };
    struct bench b;
    unsigned files = open_files();

    (void)state;
    for (size_t n = 0; n <= sizeof(bytes); n++) {
        open_bench(&b);
        CHECK_EQ(n == 0 || proxy_bytes(b.us, bytes, n, &b.g.fd, n > 0), true,
                 "%zu bytes", n);
        shutdown(b.us, SHUT_WR);
        CHECK_EQ(trench_serve_step(b.serve),
                 n == 0               ? 0
                 : n == sizeof(bytes) ? 1
                                      : TRENCH_ERR_BADMSG,
                 "%zu bytes", n);
        close_bench(&b);
        CHECK_EQ(open_files(), files, "%zu bytes", n);
    }
    open_bench(&b);
    proxy_bytes(b.us, large, sizeof(large), &b.g.fd, 1);
    CHECK_EQ(trench_serve_run(b.serve), TRENCH_ERR_BADMSG, "193 bytes");
    close_bench(&b);
    open_bench(&b);
    proxy_bytes(b.us, huge, sizeof(huge), &b.g.fd, 1);
    CHECK_EQ(trench_serve_run(b.serve), TRENCH_ERR_BADMSG, "2^63 bytes");
    close_bench(&b);
    CHECK_EQ(open_files(), files, "nothing is left");
}

/* One byte at a time. */
static void test_serve_split_messages(void **state)
{
    static const uint8_t body[12] = { 0, 0, 0, 0, 0, 0, 0, 0, 4 };
    static const uint8_t header[16] = { PROXY_CFGREAD, [8] = 12 };
    struct bench b;
    pid_t child = 0;
    uint64_t val = 0;

    (void)state;
    open_bench(&b);
    child = fork();
    if (child == 0) {
        for (size_t i = 0; i < sizeof(header); i++) {
            proxy_bytes(b.us, header + i, 1, NULL, 0);
        }
        for (size_t i = 0; i < sizeof(body); i++) {
            proxy_bytes(b.us, body + i, 1, NULL, 0);
        }
        _exit(0);
    }
    step(&b);
    CHECK_EQ(proxy_reply(b.us, &val), true, "an answer");
    CHECK_EQ(val, 0x71641D0F, "ids");
    CHECK_EQ(waitpid(child, NULL, 0), child, "child");
    close_bench(&b);
}

/* The client goes: before, in, and after a message; 100 times. */
static void test_serve_client_is_gone(void **state)
{
    unsigned files = open_files();
    struct bench b;
    bool cut;
    int rc;

    (void)state;
    for (int i = 0; i < 100; i++) {
        open_bench(&b);
        boot(&b);
        for (int k = 0; k < i % 7; k++) {
            proxy_bar(b.us, false, REG_BAR + MISC, 4, 0);
        }
        cut = i % 3 == 0;
        if (cut) {
            proxy_bytes(b.us, "\5", 1, &b.g.fd, 1);
        }
        close(b.us);
        b.us = -1;
        rc = trench_serve_run(b.serve);
        CHECK_EQ(rc == 0 || (cut && rc == TRENCH_ERR_BADMSG), true,
                 "round %d: %d", i, rc);
        close_bench(&b);
    }
    CHECK_EQ(open_files(), files, "nothing is left");
}

/* A device that outlives its client: the next one finds it as it was. */
static void test_serve_another_client(void **state)
{
    struct trench_serve_conf conf = { .frozen = true };
    struct trench_pci *pci;
    struct bench b;
    int ends[2];

    (void)state;
    CHECK_EQ(trench_pci_create(NULL, &pci), 0, "function");
    open_bench(&b);
    conf.function = pci;
    for (int i = 0; i < 3; i++) {
        CHECK_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0,
                 "sockets");
        trench_serve_destroy(b.serve);
        close(b.us);
        close(b.them);
        b.us = ends[0];
        b.them = ends[1];
        CHECK_EQ(trench_serve_create(&conf, b.them, &b.serve), 0, "create");
        CHECK_EQ(cfg_read(&b, 0x0D, 1), (unsigned)i, "as it was left");
        cfg_write(&b, 0x0D, 1, (unsigned)i + 1);
        boot(&b);
        CHECK_EQ(guest_round_trip(&b.g, 32, 1000), 0, "copy");
        b.g.next = GUEST_RINGS;
    }
    close_bench(&b);
    trench_pci_destroy(pci);
}

/* ---- clients that are killed --------------------------------------------- */

static int client_read(void *opaque, uint64_t offset, uint32_t *val)
{
    const struct bench *b = opaque;
    uint64_t answer = 0;
    bool ok = proxy_bar(b->us, false, REG_BAR + offset, 4, 0) &&
              proxy_reply(b->us, &answer);

    *val = (uint32_t)answer;
    return ok ? 0 : TRENCH_ERR_IO;
}

static int client_write(void *opaque, uint64_t offset, uint32_t val)
{
    const struct bench *b = opaque;
    uint64_t answer;

    return proxy_bar(b->us, true, REG_BAR + offset, 4, val) &&
                   proxy_reply(b->us, &answer)
               ? 0
               : TRENCH_ERR_IO;
}

static bool client_config(const struct bench *b, uint32_t addr, uint32_t val)
{
    uint64_t answer;

    return proxy_config(b->us, true, addr, 4, val) &&
           proxy_reply(b->us, &answer);
}

/* In a process of its own: what a guest does, until it is struck. */
static void client(struct bench *b)
{
    const struct proxy_table table = { .size = { GUEST_BYTES } };

    b->g.read = client_read;
    b->g.write = client_write;
    while (proxy_doom(3000) && proxy_sysmem(b->us, &table, &b->g.fd, 1) &&
           client_config(b, 0x18, REG_BAR) && client_config(b, 4, 0x107)) {
        while (guest_round_trip(&b->g, 32, 100000) == 0) {
            b->g.next = GUEST_RINGS;
        }
    }
    _exit(1);
}

/* A server for a client that dies; false: it did not end well. */
static bool one_killed(struct bench *b, const struct trench_serve_conf *conf)
{
    int ends[2];
    int status = 0;
    int rc = -1;
    pid_t child;

    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends)) {
        return false;
    }
    b->us = ends[0];
    b->them = ends[1];
    child = fork();
    if (child == 0) {
        close(b->them);
        client(b);
    }
    close(b->us);
    if (!trench_serve_create(conf, b->them, &b->serve)) {
        rc = trench_serve_run(b->serve);
        trench_serve_destroy(b->serve);
    }
    close(b->them);
    return waitpid(child, &status, 0) == child && WIFSIGNALED(status) &&
           rc == 0;
}

/* 100 of them at one device, which is as good as before. */
static void test_serve_killed_clients(void **state)
{
    struct trench_serve_conf conf = { .frozen = true };
    struct trench_pci *pci;
    struct bench b = { .us = -1 };
    unsigned files = 0;
    unsigned maps = 0;

    (void)state;
    CHECK_EQ(trench_pci_create(NULL, &pci), 0, "function");
    CHECK_EQ(guest_open(&b.g), true, "guest memory");
    b.g.opaque = &b;
    conf.function = pci;
    for (int i = 0; i < 101; i++) {
        CHECK_EQ(one_killed(&b, &conf), true, "round %d", i);
        if (i == 0) {
            files = open_files();
            maps = mappings();
        }
    }
    CHECK_EQ(open_files(), files, "descriptors");
    /* The last one may have died before it gave its memory. */
    CHECK_EQ(mappings() <= maps + 8, true, "%u mappings, then %u", maps,
             mappings());
    guest_close(&b.g);
    open_bench(&b);
    trench_serve_destroy(b.serve);
    CHECK_EQ(trench_serve_create(&conf, b.them, &b.serve), 0, "create");
    boot(&b);
    CHECK_EQ(guest_round_trip(&b.g, 32, 100000), 0, "a copy");
    close_bench(&b);
    trench_pci_destroy(pci);
}

static void test_serve_stops(void **state)
{
    struct bench b;

    (void)state;
    open_bench(&b);
    CHECK_EQ(cfg_read(&b, 0, 2), 0x1D0F, "vendor");
    trench_serve_stop(b.serve);
    CHECK_EQ(trench_serve_run(b.serve), 0, "the end");
    close_bench(&b);
}

static void test_serve_create_refuses(void **state)
{
    struct trench_serve_conf conf = { .pci.intx_opaque = &conf };
    struct trench_serve *serve = NULL;
    int lone = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    int ends[2];

    (void)state;
    CHECK_EQ(trench_serve_create(NULL, -1, &serve), TRENCH_ERR_INVAL, "none");
    CHECK_EQ(trench_serve_create(NULL, lone, &serve), TRENCH_ERR_INVAL,
             "not connected");
    CHECK_EQ(pipe(ends), 0, "pipe");
    CHECK_EQ(trench_serve_create(NULL, ends[0], &serve), TRENCH_ERR_INVAL,
             "a pipe");
    close(ends[0]);
    close(ends[1]);
    CHECK_EQ(socketpair(AF_UNIX, SOCK_DGRAM, 0, ends), 0, "sockets");
    CHECK_EQ(trench_serve_create(NULL, ends[0], &serve), TRENCH_ERR_INVAL,
             "no stream");
    close(ends[0]);
    close(ends[1]);
    CHECK_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0, "sockets");
    CHECK_EQ(trench_serve_create(&conf, ends[0], &serve), TRENCH_ERR_INVAL,
             "interrupts");
    conf.pci.intx_opaque = NULL;
    conf.pci.routing_id = 64;
    CHECK_EQ(trench_serve_create(&conf, ends[0], &serve), TRENCH_ERR_INVAL,
             "as the function");
    CHECK_EQ(serve == NULL, true, "untouched");
    trench_serve_destroy(NULL);
    close(ends[0]);
    close(ends[1]);
    close(lone);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_serve_start_of_qemu),
        cmocka_unit_test(test_serve_copies_guest_memory),
        cmocka_unit_test(test_serve_reset_under_a_copy),
        cmocka_unit_test(test_serve_table_is_full),
        cmocka_unit_test(test_serve_variants),
        cmocka_unit_test(test_serve_interrupt),
        cmocka_unit_test(test_serve_wrong_messages),
        cmocka_unit_test(test_serve_too_many_descriptors),
        cmocka_unit_test(test_serve_broken_streams),
        cmocka_unit_test(test_serve_split_messages),
        cmocka_unit_test(test_serve_client_is_gone),
        cmocka_unit_test(test_serve_another_client),
        cmocka_unit_test(test_serve_killed_clients),
        cmocka_unit_test(test_serve_stops),
        cmocka_unit_test(test_serve_create_refuses),
    };

    return cmocka_run_group_tests_name("serve", tests, NULL, NULL);
}
