/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A peer of trench serve that says anything: well-formed messages with any
 * content, headers and bodies of any size, descriptors or none, and between
 * them time that passes. Afterwards no descriptor may be left over, and the
 * function must still work.
 */
#include <sys/socket.h>

#include "../tests/guest_rig.h"
#include "../tests/proxy_rig.h"
#include "fuzz.h"

#include <trench/serve.h>

#define MAX_MESSAGES 64
#define REG_BAR      0x80000000u

/* Places of the register BAR that something answers at. */
static const uint32_t places[] = {
    0x30FA0000, 0x30FA0800, 0x30FA01E8, 0x30647010, 0x30000000, 0x30001020,
    0x30021020, 0x30600000, 0x30601028, 0x30621028, 0x3063A000, 0x02700000,
    0x10000000, 0x30400000, 0x00000000, 0x28000000,
};

struct peer {
    struct fuzz_input in;
    int us;
    int file; /* guest memory */
    bool ended;
};

static int memory_file(void)
{
    static int fd = -1;

    if (fd < 0) {
        fd = memfd_create("guest", MFD_CLOEXEC);
        FUZZ_CHECK(fd >= 0 && ftruncate(fd, (off_t)GUEST_BYTES) == 0);
    }
    return fd;
}

static void say_config(struct peer *p)
{
    uint8_t at = fuzz_u8(&p->in);
    uint8_t how = fuzz_u8(&p->in);

    proxy_config(p->us, how & 1, at, how >> 4 ? how >> 4 : 4, fuzz_u32(&p->in));
}

static void say_bar(struct peer *p)
{
    uint8_t how = fuzz_u8(&p->in);
    uint64_t at = places[fuzz_u8(&p->in) % 16] + fuzz_u16(&p->in) % 0x2000u;
    uint32_t len = 1u << (how >> 1 & 3);

    if (how & 0x80) {
        at &= ~UINT64_C(3);
        len = 4;
    }
    proxy_bar(p->us, how & 1, REG_BAR + at, len,
              how & 0x40 ? fuzz_u64(&p->in) : fuzz_u8(&p->in));
}

static void say_memory(struct peer *p)
{
    struct proxy_table table = { .addr = { 0 } };
    int fds[10];
    unsigned nr = fuzz_u8(&p->in) % 10;

    for (unsigned i = 0; i < nr; i++) {
        fds[i] = p->file;
        if (i < 8) {
            table.addr[i] = (uint64_t)fuzz_u16(&p->in) << 12;
            table.size[i] = (uint64_t)fuzz_u8(&p->in) << 12;
            table.offset[i] = (uint64_t)fuzz_u8(&p->in) << 12;
        }
    }
    proxy_sysmem(p->us, &table, fds, nr);
}

/* Any header, any body, any number of descriptors. */
static void say_anything(struct peer *p)
{
    uint8_t bytes[256];
    int fds[12];
    unsigned nr = fuzz_u8(&p->in) % 12;
    size_t len = fuzz_u8(&p->in);

    for (unsigned i = 0; i < nr; i++) {
        fds[i] = p->file;
    }
    fuzz_bytes(&p->in, bytes, len);
    if (len > 0) {
        proxy_bytes(p->us, bytes, len, fds, nr);
    }
}

static void say(struct peer *p)
{
    switch (fuzz_u8(&p->in) % 8) {
    case 0:
    case 1:
        say_config(p);
        return;
    case 2:
    case 3:
    case 4:
        say_bar(p);
        return;
    case 5:
        say_memory(p);
        return;
    case 6:
        say_anything(p);
        return;
    default:
        proxy_plain(p->us, fuzz_u8(&p->in) % 10);
    }
}

/* As a kernel leaves it; the answers are for nobody. */
static void boot(struct peer *p)
{
    const struct proxy_table table = { .size = { GUEST_BYTES } };

    proxy_sysmem(p->us, &table, &p->file, 1);
    proxy_config(p->us, true, 0x18, 4, REG_BAR);
    proxy_config(p->us, true, 4, 2, 6);
}

/* A chip takes long to make; a reset makes it new but for its HBM. */
static struct trench_pci *function(void)
{
    static const struct trench_pci_conf conf = {
        .soc.budget = 256,
        .taken = { .polls = 1 },
        .done = { .ns = 100 },
    };
    static struct trench_pci *pci;

    if (!pci) {
        FUZZ_CHECK(trench_pci_create(&conf, &pci) == 0);
    }
    return pci;
}

static int next_fd(void)
{
    int fd = dup(memory_file());

    close(fd);
    return fd;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct trench_serve_conf conf = {
        .function = function(),
        .frozen = true,
    };
    struct peer p = { .in = { data, size }, .file = memory_file() };
    int first_free = next_fd();
    struct trench_serve *serve;
    uint32_t val;
    int ends[2];

    FUZZ_CHECK(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0);
    p.us = ends[0];
    FUZZ_CHECK(trench_serve_create(&conf, ends[1], &serve) == 0);
    boot(&p);
    for (int i = 0; i < MAX_MESSAGES && p.in.left > 0; i++) {
        say(&p);
    }
    shutdown(p.us, SHUT_WR);
    trench_serve_run(serve);
    trench_pci_advance(trench_serve_pci(serve), 1000);
    trench_pci_run(trench_serve_pci(serve), 4096);
    FUZZ_CHECK(trench_pci_reset(trench_serve_pci(serve)) == 0);
    FUZZ_CHECK(trench_pci_config_read(trench_serve_pci(serve), 0, 4, &val) ==
               0);
    FUZZ_CHECK(val == 0x71641D0F);
    FUZZ_CHECK(trench_pci_set_memory(function(), NULL, 0) == 0);
    trench_serve_destroy(serve);
    close(ends[0]);
    close(ends[1]);
    FUZZ_CHECK(next_fd() == first_free);
    return 0;
}
