/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A guest, and a launcher, that mean harm: what they do to a copy that is
 * under way, to configuration space, to the BARs, and to the messages
 * themselves (host-driver 4.2 to 4.8). Nothing may be left over of it.
 */
#include <sys/eventfd.h>

#include "serve_rig.h"

/* Work of one doorbell here; 4096 more are done before the next message. */
#define BUDGET 1u

/* A copy of this many parts, 34 units a descriptor, takes some messages. */
#define PARTS      100u
#define PART_BYTES (UINT64_C(1) << 20)
#define HBM        UINT64_C(0x1000000)
#define LAST_FROM  (UINT64_C(2) << 20)
#define LAST_TO    (UINT64_C(3) << 20)
#define LAST_BYTES 64u

#define RING_BASE (0x30600000u + 0x1028u) /* of queue 0 of engine 32 */

static uint64_t next_random(uint64_t *s)
{
    *s ^= *s << 13;
    *s ^= *s >> 7;
    *s ^= *s << 17;
    return *s;
}

/* ---- in the middle of a copy --------------------------------------------- */

struct attack {
    struct bench b;
    struct guest other; /* memory that may come in the place of the first */
    struct trench_hal_engine *e;
    struct trench_hal_queue *q;
};

/* Where the guest, and not only its driver, puts the register BAR. */
static void move_registers(struct attack *a, uint32_t to)
{
    cfg_write(&a->b, 0x18, 4, to);
    a->b.regs = to;
}

static void give(struct attack *a, int fd, uint64_t addr)
{
    const struct proxy_table table = { .addr = { addr },
                                       .size = { GUEST_BYTES } };

    proxy_sysmem(a->b.us, &table, &fd, 1);
    step(&a->b);
}

static void nothing(struct attack *a)
{
    CHECK_EQ(cfg_read(&a->b, 4, 2), 0x107, "command");
}

static void move_register_bar(struct attack *a)
{
    move_registers(a, 0x40000000);
    CHECK_EQ(bar_read(&a->b, REG_BAR + MISC, 4), UINT64_MAX, "not here");
    CHECK_EQ(bar_read(&a->b, 0x40000000 + MISC, 4), 3, "here");
}

static void move_memory_bar(struct attack *a)
{
    cfg_write(&a->b, 0x20, 4, 0xD0000000);
    CHECK_EQ(bar_read(&a->b, MEM_BAR, 4), UINT64_MAX, "not here");
    CHECK_EQ(bar_write(&a->b, 0xD0000000, 4, 0x55AA), 0, "here");
    CHECK_EQ(bar_read(&a->b, 0xD0000000, 4), 0x55AA, "here");
}

/* The lower number wins, as long as they are. */
static void move_one_over_the_other(struct attack *a)
{
    cfg_write(&a->b, 0x20, 4, REG_BAR);
    CHECK_EQ(bar_read(&a->b, REG_BAR + MISC, 4), 3, "registers");
    move_registers(a, 0xC0000000);
    cfg_write(&a->b, 0x20, 4, UINT32_MAX);
    CHECK_EQ(bar_read(&a->b, 0xFFFFFFFC, 4), bar_read(&a->b, 0xFFFFFFFC, 4),
             "the last word");
}

static void size_bars(struct attack *a)
{
    for (uint32_t at = 0x18; at <= 0x20; at += 8) {
        uint32_t old = (uint32_t)cfg_read(&a->b, at, 4);

        cfg_write(&a->b, at, 4, UINT32_MAX);
        cfg_write(&a->b, at, 4, old);
    }
}

static void switch_decoding(struct attack *a)
{
    cfg_write(&a->b, 4, 2, 0x105);
    CHECK_EQ(bar_read(&a->b, REG_BAR + MISC, 4), UINT64_MAX, "off");
    move_registers(a, 0);
    cfg_write(&a->b, 4, 2, 0x107);
}

static void replace_memory(struct attack *a)
{
    give(a, a->other.fd, 0);
}

static void give_memory_twice(struct attack *a)
{
    give(a, a->b.g.fd, 0);
    give(a, a->b.g.fd, 0);
}

static void move_memory(struct attack *a)
{
    give(a, a->b.g.fd, UINT64_C(1) << 32);
}

static void end_mastering(struct attack *a)
{
    cfg_write(&a->b, 4, 2, 0x103);
}

static void reset_bus(struct attack *a)
{
    proxy_plain(a->b.us, PROXY_RESET);
    CHECK_EQ(answer(&a->b), 0, "reset");
}

static void reset_device(struct attack *a)
{
    bar_write(&a->b, REG_BAR + MISC + 0x1EC, 4, 1);
    bar_write(&a->b, REG_BAR + MISC + 0x800, 4, 1);
    CHECK_EQ(bar_read(&a->b, REG_BAR + MISC + 0x1EC, 4), 0, "taken");
}

static void reset_core(struct attack *a)
{
    bar_write(&a->b, REG_BAR + MISC + 0x1D8, 4, 1);
    bar_write(&a->b, REG_BAR + MISC + 0x1EC, 4, 2);
    bar_write(&a->b, REG_BAR + MISC + 0x800, 4, 1);
    CHECK_EQ(bar_read(&a->b, REG_BAR + MISC + 0x1EC, 4), 0, "taken");
}

/* How a copy ends. */
enum end {
    DONE,
    DONE_IN_OTHER, /* in the memory that came */
    FAILED,        /* the engine says so */
    GONE,          /* nobody knows of it */
};

static const struct {
    const char *name;
    void (*act)(struct attack *a);
    enum end end;
} attacks[] = {
    { "nothing", nothing, DONE },
    { "register BAR moved", move_register_bar, DONE },
    { "memory BAR moved", move_memory_bar, DONE },
    { "BARs over each other", move_one_over_the_other, DONE },
    { "BARs sized", size_bars, DONE },
    { "decoding off and on", switch_decoding, DONE },
    { "other memory", replace_memory, DONE_IN_OTHER },
    { "the same memory twice", give_memory_twice, DONE },
    { "memory elsewhere", move_memory, FAILED },
    { "no bus master", end_mastering, FAILED },
    { "bus reset", reset_bus, GONE },
    { "device reset", reset_device, GONE },
    { "core reset", reset_core, GONE },
};

/* The last of its parts is the one to be looked for. */
static void begin_copy(struct attack *a)
{
    const struct trench_hal_queue_conf queue = { .tx_entries = 2048,
                                                 .no_comp_rings = true };
    struct trench_hal_queue *small;
    struct guest *g = &a->b.g;

    CHECK_EQ(guest_engine(g, 32, &a->e, &small), 0, "engine");
    trench_hal_queue_close(small);
    CHECK_EQ(trench_hal_queue_open(a->e, &queue, &a->q), 0, "queue");
    for (unsigned i = 0; i < PARTS; i++) {
        CHECK_EQ(trench_hal_copy(a->q, HBM, GUEST_TAG, PART_BYTES, 0) > 0, true,
                 "part %u", i);
    }
    CHECK_EQ(trench_hal_copy(a->q, GUEST_TAG + LAST_TO, GUEST_TAG + LAST_FROM,
                             LAST_BYTES, 0),
             1, "the last part");
    memset(g->mem, 0x33, PART_BYTES);
    memset(g->mem + LAST_FROM, 0x11, LAST_BYTES);
    memset(g->mem + LAST_TO, 0, LAST_BYTES);
    memcpy(a->other.mem, g->mem, GUEST_BYTES);
    memset(a->other.mem + LAST_FROM, 0x22, LAST_BYTES);
    CHECK_EQ(trench_hal_submit(a->q) >= 0, true, "doorbell");
}

/* Whatever is left to do is done. */
static void settle(struct attack *a)
{
    while (trench_pci_run(trench_serve_pci(a->b.serve), 0) > 0) {
    }
}

static void check_end(struct attack *a, enum end end, const char *name)
{
    const uint8_t first = end == DONE ? 0x11 : 0;
    const uint8_t second = end == DONE_IN_OTHER ? 0x22 : 0;
    int rc;

    settle(a);
    CHECK_EQ(a->b.g.mem[LAST_TO], first, "%s: first memory", name);
    CHECK_EQ(a->other.mem[LAST_TO], second, "%s: other memory", name);
    if (end == GONE) {
        return;
    }
    rc = trench_hal_wait(a->q, UINT64_C(20000000000));
    CHECK_EQ(rc, end == FAILED ? TRENCH_ERR_IO : 0, "%s: the driver", name);
}

/* The guest starts again, and all is well. */
static void start_again(struct attack *a, const char *name)
{
    trench_hal_queue_close(a->q);
    trench_hal_engine_close(a->e);
    reset_bus(a);
    CHECK_EQ(bar_read(&a->b, REG_BAR + RING_BASE, 4), UINT64_MAX, "no BAR");
    a->b.regs = REG_BAR;
    boot(&a->b);
    CHECK_EQ(bar_read(&a->b, REG_BAR + RING_BASE, 4), 0, "%s: no ring", name);
    a->b.g.next = GUEST_RINGS;
    CHECK_EQ(guest_round_trip(&a->b.g, 32, 100000), 0, "%s: and works", name);
    a->b.g.next = GUEST_RINGS;
}

static void test_attack_under_a_copy(void **state)
{
    unsigned files = 0;
    unsigned maps = 0;
    struct attack a;

    (void)state;
    open_bench_with(&a.b, BUDGET);
    CHECK_EQ(guest_open(&a.other), true, "other memory");
    boot(&a.b);
    for (int round = 0; round < 2; round++) {
        for (size_t i = 0; i < ARRAY_LEN(attacks); i++) {
            memset(a.other.mem + LAST_TO, 0, LAST_BYTES);
            begin_copy(&a);
            attacks[i].act(&a);
            CHECK_EQ(a.b.g.mem[LAST_TO] | a.other.mem[LAST_TO], 0,
                     "%s: the copy was under way", attacks[i].name);
            check_end(&a, attacks[i].end, attacks[i].name);
            start_again(&a, attacks[i].name);
        }
        if (round == 0) {
            files = open_files();
            maps = mappings();
        }
    }
    CHECK_EQ(open_files(), files, "descriptors");
    CHECK_EQ(mappings(), maps, "mappings");
    guest_close(&a.other);
    close_bench(&a.b);
}

/* ---- in the middle of an access ------------------------------------------ */

struct nested {
    struct bench *b;
    unsigned calls;
};

/* The guest's other processor, as it were, between two accesses of an engine.
 */
static unsigned move_while_it_runs(void *opaque,
                                   const struct trench_access *access)
{
    struct nested *n = opaque;
    struct trench_pci *pci = trench_serve_pci(n->b->serve);
    uint32_t to = n->calls++ % 2 ? REG_BAR : 0x40000000;

    (void)access;
    CHECK_EQ(trench_pci_config_write(pci, 0x18, 4, to), 0, "BAR 2");
    CHECK_EQ(trench_pci_config_write(pci, 0x20, 4, ~to), 0, "BAR 4");
    CHECK_EQ(trench_pci_config_write(pci, 4, 2, to == REG_BAR ? 0x107 : 0), 0,
             "command");
    CHECK_EQ(trench_pci_set_memory(pci, NULL, 0), TRENCH_ERR_BUSY, "memory");
    CHECK_EQ(trench_pci_reset(pci), TRENCH_ERR_BUSY, "reset");
    return TRENCH_AXI_OKAY;
}

/* Bus mastering that ends under an access ends behind it, not in it. */
static void test_attack_under_an_access(void **state)
{
    struct trench_hal_engine *e;
    struct trench_hal_queue *q;
    struct nested n;
    struct bench b;

    (void)state;
    open_bench(&b);
    boot(&b);
    n = (struct nested){ .b = &b };
    CHECK_EQ(guest_engine(&b.g, 32, &e, &q), 0, "engine");
    memset(b.g.mem, 0x44, 100000);
    CHECK_EQ(trench_hal_copy(q, GUEST_TAG + LAST_TO, GUEST_TAG, 100000, 0) > 0,
             true, "copy");
    trench_soc_set_access(trench_pci_soc(trench_serve_pci(b.serve)),
                          move_while_it_runs, &n);
    CHECK_EQ(trench_hal_submit(q) >= 0, true, "doorbell");
    trench_soc_set_access(trench_pci_soc(trench_serve_pci(b.serve)), NULL,
                          NULL);
    CHECK_EQ(n.calls > 2, true, "it was called");
    CHECK_EQ(b.g.mem[LAST_TO], 0x44, "the first byte");
    CHECK_EQ(b.g.mem[LAST_TO + 99999], 0x44, "the last one");
    trench_hal_queue_close(q);
    trench_hal_engine_close(e);
    boot(&b);
    b.g.next = GUEST_RINGS;
    CHECK_EQ(guest_round_trip(&b.g, 32, 5000), 0, "and works");
    close_bench(&b);
}

/* ---- memory that is not to be had ---------------------------------------- */

/* The same memory by a descriptor that must not be written to. */
static int reopen(int fd, int how)
{
    char path[32];

    snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
    return open(path, how | O_CLOEXEC);
}

static int sealed_file(void)
{
    int fd = memfd_create("sealed", MFD_CLOEXEC | MFD_ALLOW_SEALING);

    CHECK_EQ(ftruncate(fd, (off_t)GUEST_BYTES), 0, "size");
    CHECK_EQ(fcntl(fd, F_ADD_SEALS, F_SEAL_WRITE), 0, "seal");
    return fd;
}

/*
 * Guest memory is one that engines may write to, or none: a table with a piece
 * that cannot be written to, or not be mapped, changes nothing.
 */
static void test_attack_memory_refused(void **state)
{
    const struct proxy_table table = { .addr = { 0, GUEST_BYTES },
                                       .size = { 4096, 4096 } };
    struct bench b;
    unsigned files;
    unsigned maps;
    int bad[6];

    (void)state;
    open_bench(&b);
    boot(&b);
    bad[0] = reopen(b.g.fd, O_RDONLY);
    bad[1] = reopen(b.g.fd, O_WRONLY);
    bad[2] = sealed_file();
    bad[3] = open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    bad[4] = eventfd(0, EFD_CLOEXEC);
    bad[5] = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    files = open_files();
    maps = mappings();
    for (unsigned i = 0; i < ARRAY_LEN(bad); i++) {
        int fds[2] = { b.g.fd, bad[i] };

        CHECK_EQ(bad[i] >= 0, true, "row %u", i);
        b.lines = 0;
        CHECK_EQ(proxy_sysmem(b.us, &table, fds, 2), true, "row %u", i);
        step(&b);
        CHECK_EQ(stats(&b).bad, i + 1, "row %u", i);
        CHECK_EQ(b.lines, 2, "row %u: why, and what", i);
        CHECK_EQ(open_files(), files, "row %u: descriptors", i);
        CHECK_EQ(mappings(), maps, "row %u: mappings", i);
        CHECK_EQ(guest_round_trip(&b.g, 32, 5000), 0, "row %u: as it was", i);
        b.g.next = GUEST_RINGS;
    }
    for (unsigned i = 0; i < ARRAY_LEN(bad); i++) {
        close(bad[i]);
    }
    close_bench(&b);
}

/* To, and from, where there is no memory: the engine's error, each time. */
static void test_attack_memory_that_is_not_there(void **state)
{
    static const uint64_t away[] = {
        GUEST_BYTES,
        GUEST_BYTES - 4096,   /* the end of it is not there */
        UINT64_C(0xC0000000), /* a hole of a machine */
        UINT64_C(1) << 43,    /* far in the window */
        GUEST_TAG - 65536,    /* its last bytes */
    };
    struct trench_hal_engine *e;
    struct trench_hal_queue *q;
    struct bench b;

    (void)state;
    open_bench(&b);
    boot(&b);
    for (size_t i = 0; i < 2 * ARRAY_LEN(away); i++) {
        uint64_t there = GUEST_TAG + away[i / 2];

        CHECK_EQ(guest_engine(&b.g, 32, &e, &q), 0, "engine");
        CHECK_EQ(guest_move(q, i % 2 ? there : HBM, i % 2 ? HBM : there, 8192),
                 TRENCH_ERR_IO, "row %zu", i);
        trench_hal_queue_close(q);
        trench_hal_engine_close(e);
        b.g.next = GUEST_RINGS;
        CHECK_EQ(guest_round_trip(&b.g, 32, 5000), 0, "row %zu: goes on", i);
        b.g.next = GUEST_RINGS;
    }
    close_bench(&b);
}

/* ---- configuration space ------------------------------------------------- */

static bool config_exists(uint64_t addr, uint32_t len)
{
    return (len == 1 || len == 2 || len == 4) && addr < 256 &&
           addr % 4 + len <= 4;
}

/* One write, and the read behind it. */
static void poke_config(struct bench *b, uint32_t addr, uint32_t len,
                        uint32_t val)
{
    const uint64_t bad = config_exists(addr, len) ? 0 : UINT64_MAX;
    uint64_t before = stats(b).bad;

    proxy_config(b->us, true, addr, len, val);
    CHECK_EQ(answer(b), bad, "W 0x%x, %u bytes", addr, len);
    val = (uint32_t)cfg_read(b, addr, len);
    CHECK_EQ(stats(b).bad - before, bad ? 2 : 0, "0x%x, %u bytes", addr, len);
    CHECK_EQ(bad || len == 4 || val >> 8 * len == 0, true,
             "R 0x%x, %u bytes: 0x%x", addr, len, val);
}

static void check_config(struct bench *b)
{
    CHECK_EQ(cfg_read(b, 0x00, 4), 0x71641D0F, "ids");
    /* An engine that failed may have raised the interrupt. */
    CHECK_EQ(cfg_read(b, 0x04, 4) & ~UINT64_C(0x80547), 0, "command, status");
    CHECK_EQ(cfg_read(b, 0x08, 4), 0x120000FF, "class and revision");
    CHECK_EQ(cfg_read(b, 0x0E, 2), 0, "type");
    CHECK_EQ(cfg_read(b, 0x10, 4), 0, "BAR 0");
    CHECK_EQ(cfg_read(b, 0x18, 4) & 0x3FFFFFFF, 0, "BAR 2");
    CHECK_EQ(cfg_read(b, 0x20, 4) & 0x0FFFFFFF, 8, "BAR 4");
    CHECK_EQ(cfg_read(b, 0x2C, 4), 0x71641D0F, "subsystem");
    CHECK_EQ(cfg_read(b, 0x34, 4), 0, "no capabilities");
    CHECK_EQ(cfg_read(b, 0x3C, 4) & ~UINT64_C(0xFF), 0x100, "pin");
}

/* Conventional space has 256 bytes: what is said of others is wrong. */
static void test_attack_config_everywhere(void **state)
{
    static const uint32_t lens[] = { 1, 2, 4, 0, 3, 8, 0x80000004 };
    static const uint32_t more[] = { 4096,       4100,       0x10000,
                                     0x7FFFFFFF, 0x80000000, 0xFFFFFFFC,
                                     0xFFFFFFFF };
    uint64_t seed = 0xC0F1659ACE;
    struct bench b;

    (void)state;
    print_message("# seed 0x%llx\n", ULL(seed));
    open_bench(&b);
    boot(&b);
    for (size_t k = 0; k < ARRAY_LEN(lens); k++) {
        for (uint32_t at = 0; at < 4096; at++) {
            poke_config(&b, at, lens[k], (uint32_t)next_random(&seed));
        }
        for (size_t i = 0; i < ARRAY_LEN(more); i++) {
            poke_config(&b, more[i], lens[k], (uint32_t)next_random(&seed));
        }
        check_config(&b);
    }
    proxy_plain(b.us, PROXY_RESET);
    CHECK_EQ(answer(&b), 0, "reset");
    boot(&b);
    CHECK_EQ(guest_round_trip(&b.g, 32, 5000), 0, "and works");
    close_bench(&b);
}

/* Anything, anywhere, with copies between: they end when they may. */
static void test_attack_config_at_random(void **state)
{
    uint64_t seed = 0x5EEDC0DE;
    struct bench b;
    unsigned maps;

    (void)state;
    print_message("# seed 0x%llx\n", ULL(seed));
    open_bench(&b);
    boot(&b);
    maps = mappings();
    for (unsigned i = 0; i < 20000; i++) {
        uint64_t r = next_random(&seed);

        poke_config(&b, r % 0x110, 1u << (r >> 16 & 3), (uint32_t)(r >> 32));
        if (i % 16 == 0) { /* bus master and memory, as the dice fall */
            cfg_write(&b, 4, 2, r >> 20 & 6);
        }
        if (i % 500 == 0) {
            bool master = r & 1;

            cfg_write(&b, 0x18, 4, REG_BAR);
            cfg_write(&b, 4, 2, master ? 6 : 2);
            CHECK_EQ(guest_round_trip(&b.g, 32, 4096),
                     master ? 0 : TRENCH_ERR_IO, "step %u", i);
            b.g.next = GUEST_RINGS;
        }
    }
    check_config(&b);
    CHECK_EQ(mappings() <= maps, true, "mappings");
    close_bench(&b);
}

/* ---- BARs ---------------------------------------------------------------- */

static bool bar_takes(uint64_t off, uint32_t len, uint64_t bytes)
{
    return (len == 1 || len == 2 || len == 4 || len == 8) && off < bytes &&
           len <= bytes - off;
}

/* Memory gives back what it got; registers refuse, and stay as they are. */
static void poke_bar(struct bench *b, uint64_t at, uint32_t len, uint64_t val)
{
    bool memory = bar_takes(at - MEM_BAR, len, 0x10000000);
    bool regs = bar_takes(at - REG_BAR, len, 0x40000000);
    uint64_t before = stats(b).bad;
    uint64_t mask = len < 8 ? (UINT64_C(1) << 8 * len) - 1 : UINT64_MAX;
    uint64_t got;

    CHECK_EQ(bar_write(b, at, len, val), memory || regs ? 0 : UINT64_MAX,
             "W 0x%llx, %u bytes", ULL(at), len);
    got = bar_read(b, at, len);
    CHECK_EQ(stats(b).bad - before, memory || regs ? 0 : 2, "0x%llx, %u bytes",
             ULL(at), len);
    if (memory) {
        CHECK_EQ(got, val & mask, "R 0x%llx, %u bytes", ULL(at), len);
    } else if (regs) {
        CHECK_EQ(got & ~mask, 0, "R 0x%llx, %u bytes", ULL(at), len);
    } else {
        CHECK_EQ(got, UINT64_MAX, "R 0x%llx, %u bytes", ULL(at), len);
    }
}

/* Sizes and alignments of all kinds, in and around both BARs. */
static void test_attack_bars(void **state)
{
    static const uint32_t lens[] = { 1, 2, 4,  8,          0,
                                     3, 5, 16, 0x80000001, UINT32_MAX };
    static const uint64_t places[] = {
        REG_BAR - 8,
        REG_BAR,
        REG_BAR + MISC,
        REG_BAR + MISC + 0x1E8,
        REG_BAR + MISC + 0x7FC,
        REG_BAR + 0x30600000,
        REG_BAR + 0x30601028,
        REG_BAR + 0x30621038,
        REG_BAR + 0x2700FF8,
        REG_BAR + 0x28000000,
        REG_BAR + 0x3FFFFFF8,
        MEM_BAR - 8,
        MEM_BAR,
        MEM_BAR + 0x0FFFFFF8,
        MEM_BAR + 0x10000000,
        0,
        UINT64_C(1) << 32,
        UINT64_MAX - 7,
    };
    uint64_t seed = 0xBA5BA5;
    struct bench b;

    (void)state;
    print_message("# seed 0x%llx\n", ULL(seed));
    open_bench(&b);
    boot(&b);
    for (size_t i = 0; i < ARRAY_LEN(places); i++) {
        for (size_t k = 0; k < ARRAY_LEN(lens); k++) {
            for (uint64_t at = 0; at < 8; at++) {
                poke_bar(&b, places[i] + at, lens[k], next_random(&seed));
            }
        }
    }
    for (unsigned i = 0; i < 20000; i++) {
        uint64_t r = next_random(&seed);
        uint64_t at = r % 2 ? REG_BAR + (r >> 8) % 0x40000000
                            : MEM_BAR + (r >> 8) % 0x10000000;

        poke_bar(&b, at, 1u << (r >> 56 & 3), next_random(&seed));
    }
    proxy_plain(b.us, PROXY_RESET);
    CHECK_EQ(answer(&b), 0, "reset");
    boot(&b);
    CHECK_EQ(guest_round_trip(&b.g, 32, 5000), 0, "and works");
    close_bench(&b);
}

/* ---- messages ------------------------------------------------------------ */

/* One right message of each kind, with its descriptors. */
static const struct {
    uint8_t command;
    uint8_t size;
    uint8_t nr_fds;
} kinds[] = {
    { PROXY_SYSMEM, 192, 1 },  { PROXY_RET, 8, 0 },
    { PROXY_CFGWRITE, 12, 0 }, { PROXY_CFGREAD, 12, 0 },
    { PROXY_BARWRITE, 24, 0 }, { PROXY_BARREAD, 24, 0 },
    { PROXY_IRQFD, 0, 2 },     { PROXY_RESET, 0, 0 },
};

/* A server on a function that stays, told some bytes and then no more. */
static int tell(struct trench_pci *pci, const void *bytes, size_t len,
                const int *fds, unsigned nr)
{
    struct trench_serve_conf conf = { .frozen = true, .function = pci };
    struct trench_serve *serve;
    int ends[2];
    int rc;

    CHECK_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0,
             "sockets");
    CHECK_EQ(trench_serve_create(&conf, ends[1], &serve), 0, "create");
    CHECK_EQ(len == 0 || proxy_bytes(ends[0], bytes, len, fds, nr), true,
             "send");
    shutdown(ends[0], SHUT_WR);
    rc = trench_serve_run(serve);
    trench_serve_destroy(serve);
    close(ends[0]);
    close(ends[1]);
    return rc;
}

static void cut_one(struct trench_pci *pci, size_t kind, const int *fds)
{
    uint8_t bytes[16 + 192] = { kinds[kind].command, [8] = kinds[kind].size };
    size_t whole = 16u + kinds[kind].size;
    unsigned files = open_files();
    unsigned maps = mappings();

    for (size_t n = 0; n <= whole; n++) {
        for (unsigned nr = 0; nr <= 9; nr += 3) {
            unsigned k = nr ? nr : kinds[kind].nr_fds;

            CHECK_EQ(tell(pci, bytes, n, fds, k),
                     n == 0 || n == whole ? 0 : TRENCH_ERR_BADMSG,
                     "command %zu, %zu bytes, %u descriptors", kind, n, k);
        }
    }
    CHECK_EQ(open_files(), files, "command %zu: descriptors", kind);
    CHECK_EQ(mappings() <= maps, true, "command %zu: mappings", kind);
}

/* Every kind, cut at every byte; right and wrong numbers of descriptors. */
static void test_attack_messages_cut(void **state)
{
    struct trench_pci *pci;
    struct guest g;
    int fds[9];

    (void)state;
    CHECK_EQ(guest_open(&g), true, "guest memory");
    CHECK_EQ(trench_pci_create(NULL, &pci), 0, "function");
    for (size_t k = 0; k < ARRAY_LEN(kinds); k++) {
        for (size_t i = 0; i < ARRAY_LEN(fds); i++) {
            fds[i] = kinds[k].command == PROXY_IRQFD ? eventfd(0, EFD_CLOEXEC)
                                                     : dup(g.fd);
        }
        cut_one(pci, k, fds);
        for (size_t i = 0; i < ARRAY_LEN(fds); i++) {
            close(fds[i]);
        }
    }
    trench_pci_destroy(pci);
    guest_close(&g);
}

/* Bodies that cannot be, of known commands and of others. */
static void test_attack_messages_too_large(void **state)
{
    static const uint64_t sizes[] = {
        193, 4096, 65536, UINT64_C(1) << 32, UINT64_C(1) << 63, UINT64_MAX,
    };
    struct trench_pci *pci;
    uint8_t bytes[4096];
    struct guest g;
    unsigned files;
    unsigned maps;
    int fds[9];

    (void)state;
    CHECK_EQ(guest_open(&g), true, "guest memory");
    CHECK_EQ(trench_pci_create(NULL, &pci), 0, "function");
    for (size_t i = 0; i < ARRAY_LEN(fds); i++) {
        fds[i] = g.fd;
    }
    files = open_files();
    maps = mappings();
    for (uint32_t command = 0; command < 12; command++) {
        for (size_t i = 0; i < ARRAY_LEN(sizes); i++) {
            memset(bytes, 0, sizeof(bytes));
            memcpy(bytes, &command, 4);
            memcpy(bytes + 8, &sizes[i], 8);
            CHECK_EQ(tell(pci, bytes, i % 2 ? 16 : sizeof(bytes), fds, 9),
                     TRENCH_ERR_BADMSG, "command %u, size %zu", command, i);
        }
    }
    CHECK_EQ(open_files(), files, "descriptors");
    CHECK_EQ(mappings() <= maps, true, "mappings");
    trench_pci_destroy(pci);
    guest_close(&g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_attack_under_a_copy),
        cmocka_unit_test(test_attack_under_an_access),
        cmocka_unit_test(test_attack_memory_refused),
        cmocka_unit_test(test_attack_memory_that_is_not_there),
        cmocka_unit_test(test_attack_config_everywhere),
        cmocka_unit_test(test_attack_config_at_random),
        cmocka_unit_test(test_attack_bars),
        cmocka_unit_test(test_attack_messages_cut),
        cmocka_unit_test(test_attack_messages_too_large),
    };

    return cmocka_run_group_tests_name("serve_attack", tests, NULL, NULL);
}
