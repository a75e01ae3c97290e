/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A chip as a PCI function: host-driver 1 (identity), 2.2 to 2.5 (firmware),
 * 4.4 to 4.8 (memory, configuration space, accesses); hardware.md H280-H299.
 */
#include <trench/access.h>

#include "guest_rig.h"

#include <fcntl.h>
#include <zlib.h>

#include "check.h"

/* Offsets in the register BAR (host-driver 2.2, 2.5; udma-engine 5.8.6). */
#define MISC      0x30FA0000u
#define REQUEST   (MISC + 0x1EC)
#define MAP       (MISC + 0x1D8)
#define TRIGGER   (MISC + 0x800)
#define STATUS    (MISC + 0x808)
#define SCRATCH   0x30647010u
#define ENGINE_0  0x30000000u
#define ENGINE_16 0x30700000u
#define ENGINE_32 0x30600000u
#define ENGINE_33 0x30D00000u
#define CFG_LEN   0x254u /* a word with a reset value that is not 0 */

#define MASTER 0x107u /* as in the trace of host-driver 5.1 */

struct bench {
    struct guest g;
    struct trench_pci *pci;
    unsigned bar;
    char line[256]; /* last of the log */
    unsigned lines;
    unsigned rises; /* of the interrupt line */
};

static void on_log(void *opaque, enum trench_log_level level, const char *line)
{
    struct bench *b = opaque;

    (void)level;
    snprintf(b->line, sizeof(b->line), "%s", line);
    b->lines++;
}

static void on_intx(void *opaque)
{
    struct bench *b = opaque;

    b->rises++;
}

static int direct_read(void *opaque, uint64_t offset, uint32_t *val)
{
    struct bench *b = opaque;
    uint64_t wide;
    int err = trench_pci_bar_read(b->pci, b->bar, offset, 4, &wide);

    *val = (uint32_t)wide;
    return err;
}

static int direct_write(void *opaque, uint64_t offset, uint32_t val)
{
    struct bench *b = opaque;

    return trench_pci_bar_write(b->pci, b->bar, offset, 4, val);
}

static void open_bench(struct bench *b, const struct trench_pci_conf *more)
{
    struct trench_pci_conf conf = more ? *more : (struct trench_pci_conf){ 0 };

    memset(b, 0, sizeof(*b));
    CHECK_EQ(guest_open(&b->g), true, "guest memory");
    b->g.read = direct_read;
    b->g.write = direct_write;
    b->g.opaque = b;
    conf.soc.log = on_log;
    conf.soc.log_opaque = b;
    conf.intx = on_intx;
    conf.intx_opaque = b;
    CHECK_EQ(trench_pci_create(&conf, &b->pci), 0, "create");
    b->bar = trench_pci_register_bar(b->pci);
}

static void close_bench(struct bench *b)
{
    trench_pci_destroy(b->pci);
    guest_close(&b->g);
}

static uint32_t cfg(struct bench *b, uint32_t offset, uint32_t len)
{
    uint32_t val = 0;

    CHECK_EQ(trench_pci_config_read(b->pci, offset, len, &val), 0,
             "config 0x%x", offset);
    return val;
}

static void set_cfg(struct bench *b, uint32_t offset, uint32_t len,
                    uint32_t val)
{
    CHECK_EQ(trench_pci_config_write(b->pci, offset, len, val), 0,
             "config 0x%x", offset);
}

static uint32_t rd(struct bench *b, uint64_t offset)
{
    uint32_t val = 0;

    CHECK_EQ(direct_read(b, offset, &val), 0, "R 0x%llx", ULL(offset));
    return val;
}

static void wr(struct bench *b, uint64_t offset, uint32_t val)
{
    CHECK_EQ(direct_write(b, offset, val), 0, "W 0x%llx", ULL(offset));
}

static struct trench_pci_stats stats(struct bench *b)
{
    struct trench_pci_stats s;

    trench_pci_stats(b->pci, &s);
    return s;
}

/* All of guest memory in its place. */
static int give_memory(struct bench *b, struct guest *g)
{
    const struct trench_pci_map map = { 0, GUEST_BYTES, g->fd, 0 };

    return trench_pci_set_memory(b->pci, &map, 1);
}

/* ---- identity ------------------------------------------------------------ */

/* host-driver 1: ids, revisions, and where the BARs are. */
static void test_pci_identity(void **state)
{
    static const struct {
        uint16_t device;
        uint8_t revision;
        unsigned bar;
    } rows[] = {
        { 0x7164, 255, 2 }, { 0x7164, 240, 0 }, { 0x7164, 1, 0 },
        { 0x7264, 255, 2 }, { 0x7264, 240, 0 },
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        const struct trench_pci_conf conf = { .device_id = rows[i].device,
                                              .revision = rows[i].revision };
        struct bench b;

        open_bench(&b, &conf);
        CHECK_EQ(cfg(&b, 0x00, 4), (uint32_t)rows[i].device << 16 | 0x1D0F,
                 "row %zu", i);
        CHECK_EQ(cfg(&b, 0x08, 1), rows[i].revision, "row %zu", i);
        CHECK_EQ(cfg(&b, 0x0E, 1), 0, "header type");
        CHECK_EQ(b.bar, rows[i].bar, "row %zu", i);
        CHECK_EQ(trench_pci_bar_bytes(b.pci, b.bar), 1u << 30, "row %zu", i);
        CHECK_EQ(trench_pci_bar_bytes(b.pci, 4), 256u << 20, "row %zu", i);
        CHECK_EQ(trench_pci_bar_bytes(b.pci, 1), 0, "none");
        CHECK_EQ(trench_pci_bar_bytes(b.pci, 6), 0, "none");
        CHECK_EQ(rd(&b, MISC + 0x24), 0, "row %zu: routing id", i);
        close_bench(&b);
    }
}

/* Without a word of configuration: what host-driver 5.1 saw. */
static void test_pci_defaults(void **state)
{
    struct trench_pci *pci;
    uint32_t val;

    (void)state;
    CHECK_EQ(trench_pci_create(NULL, &pci), 0, "create");
    CHECK_EQ(trench_pci_config_read(pci, 0, 4, &val), 0, "ids");
    CHECK_EQ(val, 0x71641D0F, "ids");
    CHECK_EQ(trench_pci_config_read(pci, 8, 1, &val), 0, "revision");
    CHECK_EQ(val, 255, "revision");
    trench_pci_destroy(pci);
    trench_pci_destroy(NULL);
}

static void test_pci_create_refuses(void **state)
{
    struct trench_pci *pci = NULL;
    const struct trench_pci_conf bad[] = {
        { .device_id = 0x7364 },
        { .routing_id = 64 },
        { .memory_bar_bytes = 2048 },
        { .memory_bar_bytes = 12288 },
        { .memory_bar_bytes = UINT64_C(2) << 30 },
        { .soc.host_bytes = 4096 },
        { .soc.intr_opaque = &pci },
    };
    struct trench_pci_conf other = { .soc.gen = trench_gen_find("cayman") };

    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
        CHECK_EQ(trench_pci_create(&bad[i], &pci), TRENCH_ERR_INVAL, "row %zu",
                 i);
    }
    CHECK_EQ(trench_pci_create(&other, &pci), TRENCH_ERR_NOTSUP,
             "a BAR of 4 GiB");
    other.soc.gen = trench_gen_find("mariana");
    CHECK_EQ(trench_pci_create(&other, &pci), TRENCH_ERR_NOTSUP, "not known");
    CHECK_EQ(pci == NULL, true, "untouched");
}

/* The largest and the smallest of what is accepted. */
static void test_pci_create_at_the_limits(void **state)
{
    const struct trench_pci_conf good[] = {
        { .routing_id = 63, .memory_bar_bytes = UINT64_C(1) << 30 },
        { .routing_id = 0, .memory_bar_bytes = 4096 },
    };
    struct trench_pci *pci;

    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(good); i++) {
        CHECK_EQ(trench_pci_create(&good[i], &pci), 0, "row %zu", i);
        CHECK_EQ(trench_pci_bar_bytes(pci, 4), good[i].memory_bar_bytes,
                 "row %zu", i);
        trench_pci_destroy(pci);
    }
}

/* ---- configuration space ------------------------------------------------- */

/* host-driver 4.3, step 4: how sizes are found; 0x28 stays 0, so does 0x30. */
static void test_pci_bars_are_sized(void **state)
{
    static const uint32_t want[7] = { 0, 0, 0xC0000000, 0, 0xF0000008, 0, 0 };
    struct bench b;

    open_bench(&b, *state);
    for (uint32_t i = 0; i < 7; i++) {
        uint32_t at = 0x10 + 4 * i;
        uint32_t old = cfg(&b, at, 4);

        set_cfg(&b, at, 4, UINT32_MAX);
        CHECK_EQ(cfg(&b, at, 4), want[i], "0x%x", at);
        set_cfg(&b, at, 4, old);
        CHECK_EQ(cfg(&b, at, 4), old, "0x%x", at);
    }
    set_cfg(&b, 0x30, 4, UINT32_MAX);
    CHECK_EQ(cfg(&b, 0x30, 4), 0, "no ROM");
    close_bench(&b);
}

/* Every byte takes ones and zeros; only what is to be kept is kept. */
static void test_pci_config_keeps_what_it_should(void **state)
{
    struct bench b;
    uint32_t ids;

    open_bench(&b, *state);
    ids = cfg(&b, 0, 4);
    for (uint32_t at = 0; at < 256; at++) {
        set_cfg(&b, at, 1, 0xFF);
    }
    CHECK_EQ(cfg(&b, 0, 4), ids, "ids");
    CHECK_EQ(cfg(&b, 4, 2), 0x547, "command");
    CHECK_EQ(cfg(&b, 6, 2), 0, "status");
    CHECK_EQ(cfg(&b, 8, 4), 0x120000FF, "class and revision");
    CHECK_EQ(cfg(&b, 0x0C, 2), 0xFFFF, "cache line, latency");
    CHECK_EQ(cfg(&b, 0x3C, 2), 0x01FF, "interrupt line and pin");
    CHECK_EQ(cfg(&b, 0x34, 1), 0, "no capabilities");
    for (uint32_t at = 0x40; at < 256; at += 4) {
        CHECK_EQ(cfg(&b, at, 4), 0, "0x%x", at);
    }
    set_cfg(&b, 4, 4, MASTER);
    CHECK_EQ(cfg(&b, 4, 4), MASTER, "as in the trace");
    CHECK_EQ(trench_pci_reset(b.pci), 0, "reset");
    CHECK_EQ(cfg(&b, 4, 2), 0, "command");
    CHECK_EQ(cfg(&b, 0x18, 4), 0, "BAR 2");
    close_bench(&b);
}

static void test_pci_config_refuses(void **state)
{
    static const uint32_t bad[][2] = {
        { 256, 4 }, { 0xFFFFFFFF, 1 }, { 0, 3 }, { 0, 0 },
        { 0, 8 },   { 3, 2 },          { 1, 4 }, { 252, 0x80000004 },
    };
    struct bench b;
    uint32_t val = 7;

    open_bench(&b, *state);
    for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
        CHECK_EQ(trench_pci_config_read(b.pci, bad[i][0], bad[i][1], &val),
                 TRENCH_ERR_INVAL, "row %zu", i);
        CHECK_EQ(trench_pci_config_write(b.pci, bad[i][0], bad[i][1], 0),
                 TRENCH_ERR_INVAL, "row %zu", i);
    }
    CHECK_EQ(val, 7, "untouched");
    close_bench(&b);
}

/* Where the BARs are is what was last written to them (host-driver 4.7). */
static void test_pci_decode_follows_the_bars(void **state)
{
    uint64_t offset = 5;
    struct bench b;

    open_bench(&b, *state);
    set_cfg(&b, 0x18, 4, 0x80000000);
    set_cfg(&b, 0x20, 4, 0xE0000000);
    CHECK_EQ(trench_pci_decode(b.pci, 0x80000000, 4, &offset), TRENCH_ERR_FAULT,
             "decoding is off");
    CHECK_EQ(offset, 5, "untouched");
    set_cfg(&b, 4, 2, 2);
    CHECK_EQ(trench_pci_decode(b.pci, 0x80000010, 4, &offset), 2, "BAR 2");
    CHECK_EQ(offset, 0x10, "BAR 2");
    CHECK_EQ(trench_pci_decode(b.pci, 0xEFFFFFF8, 8, &offset), 4, "BAR 4");
    CHECK_EQ(offset, 0x0FFFFFF8, "BAR 4");
    CHECK_EQ(trench_pci_decode(b.pci, 0xEFFFFFFC, 8, &offset), TRENCH_ERR_FAULT,
             "half of it");
    CHECK_EQ(trench_pci_decode(b.pci, 0x7FFFFFFC, 4, &offset), TRENCH_ERR_FAULT,
             "below");
    set_cfg(&b, 0x18, 4, 0x40000000);
    CHECK_EQ(trench_pci_decode(b.pci, 0x40000000, 1, &offset), 2, "moved");
    CHECK_EQ(trench_pci_decode(b.pci, 0x80000000, 4, &offset), TRENCH_ERR_FAULT,
             "gone");
    CHECK_EQ(trench_pci_decode(b.pci, UINT64_MAX, 8, &offset), TRENCH_ERR_FAULT,
             "the last byte");
    close_bench(&b);
}

/* ---- the recorded driver ------------------------------------------------- */

struct line {
    char kind;
    unsigned long long offset;
    unsigned val;
};

static bool next_line(gzFile in, struct line *l)
{
    char text[160];
    unsigned size;

    while (gzgets(in, text, sizeof(text))) {
        if (text[0] != '#') {
            CHECK_EQ(sscanf(text, "%c %llx %u %x", &l->kind, &l->offset, &size,
                            &l->val),
                     4, "%s", text);
            return true;
        }
    }
    return false;
}

/*
 * Every read of a Linux driver, from load to its first copies, firmware
 * included, gives what the driver saw then; and nothing of what it touches is
 * missing. In mode 255 (host-driver 5.1).
 */
static void test_pci_replay_of_a_driver(void **state)
{
    gzFile in = gzopen(getenv("TRENCH_REPLAY"), "rb");
    unsigned accesses = 0;
    unsigned reads = 0;
    struct bench b;
    struct line l;

    open_bench(&b, *state);
    CHECK_EQ(in != NULL, true, "TRENCH_REPLAY names the trace");
    while (next_line(in, &l)) {
        if (l.kind == 'R') {
            CHECK_EQ(rd(&b, l.offset), l.val, "0x%llx, access %u", l.offset,
                     accesses);
            reads++;
        } else {
            wr(&b, l.offset, l.val);
        }
        accesses++;
    }
    gzclose(in);
    CHECK_EQ(accesses, 13300, "all of the trace");
    CHECK_EQ(reads, 42, "all of the trace");
    CHECK_EQ(stats(&b).unknown, 0, "words that the model lacks");
    CHECK_EQ(stats(&b).device_resets, 1, "one reset");
    CHECK_EQ(stats(&b).stuck_polls, 0, "none");
    close_bench(&b);
}

/* ---- guest memory -------------------------------------------------------- */

static void test_pci_copies_guest_memory(void **state)
{
    struct bench b;
    uint64_t val;

    open_bench(&b, *state);
    CHECK_EQ(give_memory(&b, &b.g), 0, "memory");
    set_cfg(&b, 4, 2, MASTER);
    CHECK_EQ(guest_round_trip(&b.g, 32, 300000), 0, "core 0's");
    CHECK_EQ(guest_round_trip(&b.g, 33, 65536), 0, "core 1's");
    CHECK_EQ(guest_round_trip(&b.g, 5, 4096), 0, "engine 5");
    /* BAR 4 is a window on HBM 0, where the copy went. */
    CHECK_EQ(trench_pci_bar_read(b.pci, 4, 0x1000000, 8, &val), 0, "BAR 4");
    CHECK_EQ(memcmp(&val, b.g.mem, 8), 0, "the first bytes");
    CHECK_EQ(trench_pci_bar_write(b.pci, 4, 0x1000003, 1, 0xAB), 0, "a byte");
    CHECK_EQ(trench_pci_bar_read(b.pci, 4, 0x1000001, 4, &val), 0, "odd");
    CHECK_EQ((val >> 16) & 0xFF, 0xAB, "memory takes any size");
    close_bench(&b);
}

/* Two pieces of one file, as a ROM splits them (host-driver 4.3). */
static void test_pci_memory_in_pieces(void **state)
{
    struct bench b;
    struct trench_pci_map maps[2];

    open_bench(&b, *state);
    maps[0] = (struct trench_pci_map){ 0x100000, GUEST_BYTES - 0x100000, b.g.fd,
                                       0x100000 };
    maps[1] = (struct trench_pci_map){ 0, 0xC0000, b.g.fd, 0 };
    CHECK_EQ(trench_pci_set_memory(b.pci, maps, 2), 0, "memory");
    set_cfg(&b, 4, 2, MASTER);
    CHECK_EQ(guest_round_trip(&b.g, 32, 0xC0000), 0, "up to the hole");
    CHECK_EQ(guest_round_trip(&b.g, 32, 0xC0001), TRENCH_ERR_IO, "into it");
    CHECK_EQ(trench_pci_set_memory(b.pci, NULL, 0), 0, "none at all");
    CHECK_EQ(guest_round_trip(&b.g, 32, 64) < 0, true, "no rings");
    close_bench(&b);
}

/* H284: no bus master, no way to the guest. */
static void test_pci_memory_needs_bus_mastering(void **state)
{
    struct bench b;

    open_bench(&b, *state);
    CHECK_EQ(give_memory(&b, &b.g), 0, "memory");
    set_cfg(&b, 4, 2, 2);
    CHECK_EQ(guest_round_trip(&b.g, 32, 64) < 0, true, "off");
    set_cfg(&b, 4, 2, 6);
    CHECK_EQ(guest_round_trip(&b.g, 32, 64), 0, "on");
    CHECK_EQ(trench_pci_reset(b.pci), 0, "reset");
    CHECK_EQ(guest_round_trip(&b.g, 32, 64) < 0, true, "after a reset");
    set_cfg(&b, 4, 2, 6);
    CHECK_EQ(guest_round_trip(&b.g, 32, 64), 0, "the memory is the same");
    close_bench(&b);
}

static unsigned open_files(void)
{
    unsigned n = 0;

    for (int fd = 0; fd < 256; fd++) {
        n += fcntl(fd, F_GETFD) >= 0;
    }
    return n;
}

static void test_pci_memory_refuses(void **state)
{
    int readonly = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
    int pipes[2];
    struct bench b;
    unsigned files;

    open_bench(&b, *state);
    CHECK_EQ(pipe(pipes), 0, "pipe");
    CHECK_EQ(give_memory(&b, &b.g), 0, "memory");
    set_cfg(&b, 4, 2, MASTER);
    files = open_files();
    {
        const struct {
            struct trench_pci_map maps[2];
            size_t nr;
            int err;
        } rows[] = {
            { { { 0, 0, b.g.fd, 0 } }, 1, TRENCH_ERR_INVAL },
            { { { 0, 4096, b.g.fd, 1 } }, 1, TRENCH_ERR_INVAL },
            { { { 0, 4096, b.g.fd, GUEST_BYTES } }, 1, TRENCH_ERR_INVAL },
            { { { 0, GUEST_BYTES, b.g.fd, 4096 } }, 1, TRENCH_ERR_INVAL },
            { { { 0, UINT64_MAX, b.g.fd, 0 } }, 1, TRENCH_ERR_INVAL },
            { { { UINT64_MAX, 4096, b.g.fd, 0 } }, 1, TRENCH_ERR_INVAL },
            { { { GUEST_TAG - 1, 4096, b.g.fd, 0 } }, 1, TRENCH_ERR_INVAL },
            { { { 0, 4096, b.g.fd, UINT64_C(1) << 63 } }, 1, TRENCH_ERR_INVAL },
            { { { 0, 8192, b.g.fd, 0 }, { 4096, 4096, b.g.fd, 0 } },
              2,
              TRENCH_ERR_EXIST },
            { { { 0, 4096, -1, 0 } }, 1, -EBADF },
            { { { 0, 4096, b.g.fd, 0 }, { 4096, 4096, readonly, 0 } },
              2,
              -EACCES },
            { { { 0, 4096, pipes[0], 0 } }, 1, -EACCES },
        };

        for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
            CHECK_EQ(trench_pci_set_memory(b.pci, rows[i].maps, rows[i].nr),
                     rows[i].err, "row %zu", i);
            CHECK_EQ(guest_round_trip(&b.g, 32, 4096), 0,
                     "row %zu: what there was stays", i);
            b.g.next = GUEST_RINGS;
        }
    }
    CHECK_EQ(trench_pci_set_memory(b.pci, NULL, TRENCH_PCI_MAX_MAPS + 1),
             TRENCH_ERR_INVAL, "too many");
    CHECK_EQ(open_files(), files, "nothing is left open");
    close(readonly);
    close(pipes[0]);
    close(pipes[1]);
    close_bench(&b);
}

/* Another file under a packet that waits for a buffer: it lands in the new. */
static void test_pci_memory_is_replaced_in_flight(void **state)
{
    const uint32_t q = 0x2000; /* bank of queue 1 */
    struct trench_hal_engine *e;
    struct trench_hal_queue *hq;
    struct guest other;
    struct bench b;
    uint32_t *ring;

    open_bench(&b, *state);
    CHECK_EQ(guest_open(&other), true, "more memory");
    CHECK_EQ(give_memory(&b, &b.g), 0, "memory");
    set_cfg(&b, 4, 2, MASTER);
    CHECK_EQ(guest_engine(&b.g, 32, &e, &hq), 0, "engine");
    for (int k = 0; k < 2; k++) { /* TX ring at 0, RX ring at 0x1000 */
        ring = (uint32_t *)(void *)(k ? other.mem : b.g.mem);
        ring[0] = 0x0D000000 | 64;
        ring[1] = 0x01080003;
        ring[2] = 0x100000;
        ring[3] = (uint32_t)(GUEST_TAG >> 32);
        ring[0x400] = 0x01000000 | 64;
        ring[0x402] = 0x200000;
        ring[0x403] = (uint32_t)(GUEST_TAG >> 32);
        memset((k ? other.mem : b.g.mem) + 0x100000, k ? 0x22 : 0x11, 64);
    }
    for (uint32_t side = 0; side < 0x40000; side += 0x20000) {
        uint64_t bank = ENGINE_32 + side + q;

        wr(&b, bank + 0x28, side ? 0x1000 : 0);
        wr(&b, bank + 0x2C, (uint32_t)(GUEST_TAG >> 32));
        wr(&b, bank + 0x30, 32);
        wr(&b, bank + 0x20, 0x03030000);
    }
    wr(&b, ENGINE_32 + q + 0x38, 1); /* TX only: the packet waits */
    CHECK_EQ(give_memory(&b, &other), 0, "the other memory");
    wr(&b, ENGINE_32 + 0x20000 + q + 0x38, 1);
    CHECK_EQ(other.mem[0x200000], 0x22, "read and written where it is now");
    CHECK_EQ(stats(&b).memory_tables, 2, "counted");
    trench_hal_queue_close(hq);
    trench_hal_engine_close(e);
    guest_close(&other);
    close_bench(&b);
}

static unsigned busy_hook(void *opaque, const struct trench_access *access)
{
    struct bench *b = opaque;

    (void)access;
    CHECK_EQ(trench_pci_set_memory(b->pci, NULL, 0), TRENCH_ERR_BUSY,
             "an engine is at work");
    CHECK_EQ(trench_pci_reset(b->pci), TRENCH_ERR_BUSY, "likewise");
    return TRENCH_AXI_OKAY;
}

static void test_pci_memory_stays_under_an_access(void **state)
{
    struct bench b;

    open_bench(&b, *state);
    CHECK_EQ(give_memory(&b, &b.g), 0, "memory");
    set_cfg(&b, 4, 2, MASTER);
    trench_soc_set_access(trench_pci_soc(b.pci), busy_hook, &b);
    CHECK_EQ(guest_round_trip(&b.g, 32, 100), 0, "copy");
    close_bench(&b);
}

/* ---- resets -------------------------------------------------------------- */

/* Make a word of each of four engines differ from its reset value. */
static uint32_t mark(struct bench *b)
{
    uint32_t reset = rd(b, ENGINE_0 + CFG_LEN);

    wr(b, ENGINE_0 + CFG_LEN, reset ^ 0xFF);
    wr(b, ENGINE_16 + CFG_LEN, reset ^ 0xFF);
    wr(b, ENGINE_32 + CFG_LEN, reset ^ 0xFF);
    wr(b, ENGINE_33 + CFG_LEN, reset ^ 0xFF);
    return reset;
}

/* host-driver 2.5, column S QEMU. */
static void test_pci_device_reset(void **state)
{
    struct bench b;
    uint32_t reset;

    open_bench(&b, *state);
    reset = mark(&b);
    wr(&b, SCRATCH, 1);
    CHECK_EQ(rd(&b, SCRATCH), 1, "not yet");
    wr(&b, REQUEST, 1);
    CHECK_EQ(rd(&b, ENGINE_0 + CFG_LEN), reset ^ 0xFF, "not yet");
    wr(&b, TRIGGER, 1);
    CHECK_EQ(rd(&b, REQUEST), 0, "taken");
    CHECK_EQ(rd(&b, SCRATCH), 0, "done");
    CHECK_EQ(rd(&b, STATUS) & 8, 0, "done");
    CHECK_EQ(rd(&b, ENGINE_0 + CFG_LEN), reset, "engine 0");
    CHECK_EQ(rd(&b, ENGINE_33 + CFG_LEN), reset, "engine 33");
    close_bench(&b);
}

/* The other core's engines are left alone (host-driver 2.5, D6). */
static void test_pci_core_reset(void **state)
{
    const uint32_t semaphore[2] = { 0x2700000, 0x6700000 };
    struct bench b;
    uint32_t reset;

    open_bench(&b, *state);
    reset = mark(&b);
    wr(&b, semaphore[0] + 0x1400, 5);
    wr(&b, semaphore[1] + 0x1400, 6);
    wr(&b, 0x10000000 + 3 * 0x400000 + 0x1400, 7); /* TOP_SP 3 */
    wr(&b, SCRATCH, 1);
    wr(&b, MAP, 0x3802); /* core 1 and its TOP_SPs, host-driver 5.3 */
    wr(&b, REQUEST, 2);
    wr(&b, TRIGGER, 1);
    CHECK_EQ(rd(&b, REQUEST), 0, "taken");
    CHECK_EQ(rd(&b, SCRATCH), 0, "done");
    CHECK_EQ(rd(&b, ENGINE_0 + CFG_LEN), reset ^ 0xFF, "core 0");
    CHECK_EQ(rd(&b, ENGINE_32 + CFG_LEN), reset ^ 0xFF, "core 0");
    CHECK_EQ(rd(&b, ENGINE_16 + CFG_LEN), reset, "core 1");
    CHECK_EQ(rd(&b, ENGINE_33 + CFG_LEN), reset, "core 1");
    CHECK_EQ(rd(&b, semaphore[0] + 0x1000), 5, "core 0");
    CHECK_EQ(rd(&b, semaphore[1] + 0x1000), 0, "core 1");
    CHECK_EQ(rd(&b, 0x10000000 + 3 * 0x400000 + 0x1000), 0, "TOP_SP 3");
    CHECK_EQ(stats(&b).core_resets, 1, "one");
    CHECK_EQ(stats(&b).device_resets, 0, "none");
    close_bench(&b);
}

/* host-driver 2.5, core map: each bit resets its own and nothing else. */
static void test_pci_core_map(void **state)
{
    /* Set registers of a semaphore of each core and TOP_SP; read at 0x1000. */
    static const struct {
        unsigned bit;
        uint32_t sync;
    } rows[] = {
        { 0, 0x2700000 },   { 1, 0x6700000 },   { 8, 0x10000000 },
        { 9, 0x10400000 },  { 10, 0x10800000 }, { 11, 0x10C00000 },
        { 12, 0x11000000 }, { 13, 0x11400000 },
    };
    struct bench b;

    open_bench(&b, *state);
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        for (size_t k = 0; k < ARRAY_LEN(rows); k++) {
            wr(&b, rows[k].sync + 0x1400, 7);
        }
        wr(&b, MAP, ~0x3F03u | 1u << rows[i].bit);
        wr(&b, REQUEST, 2);
        wr(&b, TRIGGER, 1);
        for (size_t k = 0; k < ARRAY_LEN(rows); k++) {
            CHECK_EQ(rd(&b, rows[k].sync + 0x1000), k == i ? 0 : 7,
                     "bit %u, 0x%x", rows[i].bit, rows[k].sync);
        }
    }
    CHECK_EQ(stats(&b).core_resets, 2, "cores");
    close_bench(&b);
}

/* A latency in polls: so many reads find it under way, the next one does not.
 */
static void test_pci_reset_latency_in_polls(void **state)
{
    static const uint32_t hidden[] = { 0x000, 0x024, 0x038, 0x03C,
                                       0x040, 0x044, 0x048, 0x054 };
    const struct trench_pci_conf conf = { .taken = { .polls = 2 },
                                          .done = { .polls = 3 } };
    struct bench b;
    uint32_t reset;

    (void)state;
    open_bench(&b, &conf);
    reset = mark(&b);
    wr(&b, SCRATCH, 1);
    wr(&b, REQUEST, 1);
    wr(&b, TRIGGER, 1);
    CHECK_EQ(rd(&b, STATUS), 8, "busy");
    CHECK_EQ(rd(&b, ENGINE_0 + CFG_LEN), reset ^ 0xFF, "not yet");
    CHECK_EQ(rd(&b, REQUEST), 1, "first");
    CHECK_EQ(rd(&b, REQUEST), 1, "second");
    CHECK_EQ(rd(&b, REQUEST), 0, "third");
    CHECK_EQ(rd(&b, ENGINE_0 + CFG_LEN), reset, "reset when it is taken");
    for (size_t i = 0; i < ARRAY_LEN(hidden); i++) {
        CHECK_EQ(rd(&b, MISC + hidden[i]), 0xDEADBEEF, "host-driver 2.3: 0x%x",
                 hidden[i]);
    }
    CHECK_EQ(rd(&b, MISC + 0x190), 0, "the driver's own");
    CHECK_EQ(rd(&b, STATUS), 8, "first");
    CHECK_EQ(rd(&b, SCRATCH), 1, "second");
    CHECK_EQ(rd(&b, STATUS), 8, "third");
    CHECK_EQ(rd(&b, SCRATCH), 0, "fourth");
    CHECK_EQ(rd(&b, STATUS), 0, "done");
    CHECK_EQ(rd(&b, MISC + 0x24), 0, "there again");
    close_bench(&b);
}

static void test_pci_reset_latency_in_time(void **state)
{
    const struct trench_pci_conf conf = { .taken = { .ns = 1000 },
                                          .done = { .ns = 500 } };
    struct bench b;

    (void)state;
    open_bench(&b, &conf);
    CHECK_EQ(trench_pci_due(b.pci), UINT64_MAX, "nothing waits");
    wr(&b, REQUEST, 1);
    wr(&b, TRIGGER, 1);
    CHECK_EQ(trench_pci_due(b.pci), 1000, "until it is taken");
    trench_pci_advance(b.pci, 999);
    CHECK_EQ(rd(&b, REQUEST), 1, "not yet");
    trench_pci_advance(b.pci, 1);
    CHECK_EQ(rd(&b, REQUEST), 0, "taken");
    CHECK_EQ(rd(&b, STATUS), 8, "busy");
    trench_pci_advance(b.pci, 499);
    CHECK_EQ(rd(&b, STATUS), 8, "busy");
    trench_pci_advance(b.pci, 1);
    CHECK_EQ(rd(&b, STATUS), 0, "done");
    wr(&b, REQUEST, 1);
    wr(&b, TRIGGER, 1);
    trench_pci_advance(b.pci, 1500);
    CHECK_EQ(rd(&b, STATUS), 0, "both in one step");
    close_bench(&b);
}

/* Requests one after the other, and before the last one has been taken. */
static void test_pci_resets_overlap(void **state)
{
    const struct trench_pci_conf conf = { .taken = { .polls = 1 },
                                          .done = { .polls = 2 } };
    struct bench b;
    uint32_t reset;

    (void)state;
    open_bench(&b, &conf);
    reset = mark(&b);
    wr(&b, MAP, 1);
    wr(&b, REQUEST, 2);
    wr(&b, TRIGGER, 1);
    wr(&b, MAP, 2);
    wr(&b, TRIGGER, 1); /* both cores, then */
    CHECK_EQ(rd(&b, REQUEST), 2, "not taken");
    CHECK_EQ(rd(&b, REQUEST), 0, "taken");
    CHECK_EQ(rd(&b, ENGINE_0 + CFG_LEN), reset, "core 0");
    CHECK_EQ(rd(&b, ENGINE_16 + CFG_LEN), reset, "core 1");
    CHECK_EQ(stats(&b).core_resets, 2, "both");
    mark(&b);
    wr(&b, REQUEST, 1);
    wr(&b, TRIGGER, 1); /* while the other is busy */
    CHECK_EQ(rd(&b, STATUS), 8, "busy");
    CHECK_EQ(rd(&b, REQUEST), 1, "not taken");
    CHECK_EQ(rd(&b, REQUEST), 0, "taken");
    CHECK_EQ(rd(&b, STATUS), 8, "first");
    CHECK_EQ(rd(&b, STATUS), 8, "second");
    CHECK_EQ(rd(&b, STATUS), 0, "it ends");
    CHECK_EQ(rd(&b, ENGINE_0 + CFG_LEN), reset, "reset");
    CHECK_EQ(trench_pci_reset(b.pci), 0, "reset");
    wr(&b, REQUEST, 1);
    wr(&b, TRIGGER, 1);
    CHECK_EQ(trench_pci_reset(b.pci), 0, "a bus reset ends a reset");
    CHECK_EQ(rd(&b, STATUS), 0, "idle");
    CHECK_EQ(rd(&b, REQUEST), 0, "idle");
    close_bench(&b);
}

static void test_pci_reset_of_nothing(void **state)
{
    struct bench b;
    uint32_t reset;

    open_bench(&b, *state);
    reset = mark(&b);
    wr(&b, REQUEST, 77);
    wr(&b, TRIGGER, 2);
    CHECK_EQ(rd(&b, REQUEST), 77, "no trigger");
    wr(&b, TRIGGER, 1);
    CHECK_EQ(rd(&b, REQUEST), 0, "taken");
    CHECK_EQ(rd(&b, ENGINE_0 + CFG_LEN), reset ^ 0xFF, "nothing is reset");
    CHECK_EQ(stats(&b).bad_resets, 1, "counted");
    close_bench(&b);
}

/* An engine that writes the trigger: the reset waits until it is at rest. */
static void test_pci_reset_by_an_engine(void **state)
{
    struct trench_hal_engine *e;
    struct trench_hal_queue *q;
    struct bench b;
    const uint32_t one = 1;

    open_bench(&b, *state);
    CHECK_EQ(give_memory(&b, &b.g), 0, "memory");
    set_cfg(&b, 4, 2, MASTER);
    memcpy(b.g.mem, &one, sizeof(one));
    CHECK_EQ(guest_engine(&b.g, 32, &e, &q), 0, "engine");
    wr(&b, REQUEST, 1);
    CHECK_EQ(trench_hal_copy(q, 0xFFFF0FA0800, GUEST_TAG, 4, 0), 1, "copy");
    trench_hal_submit(q);
    CHECK_EQ(stats(&b).device_resets, 1, "carried out");
    CHECK_EQ(rd(&b, REQUEST), 0, "taken");
    CHECK_EQ(rd(&b, ENGINE_32 + 0x1028), 0, "no ring");
    trench_hal_queue_close(q);
    trench_hal_engine_close(e);
    CHECK_EQ(guest_round_trip(&b.g, 32, 1000), 0, "and it works again");
    close_bench(&b);
}

/* ---- the mailbox --------------------------------------------------------- */

#define ASK  0x10000u
#define TELL 0x20000u

static uint32_t crc32c(const uint8_t *p, size_t len)
{
    uint32_t crc = UINT32_MAX;

    while (len-- > 0) {
        crc ^= *p++;
        for (int i = 0; i < 8; i++) {
            crc = crc & 1 ? crc >> 1 ^ 0x82F63B78 : crc >> 1;
        }
    }
    return ~crc;
}

static void point_mailbox(struct bench *b, uint64_t ask, uint64_t answer)
{
    wr(b, MISC + 0x1F4, (uint32_t)ask);
    wr(b, MISC + 0x1F0, (uint32_t)(ask >> 32));
    wr(b, MISC + 0x1FC, (uint32_t)answer);
    wr(b, MISC + 0x1F8, (uint32_t)(answer >> 32));
}

/* A request in guest memory, as host-driver 2.4 has it. */
static uint8_t *put_request(struct bench *b, uint8_t command, const void *data,
                            uint16_t bytes)
{
    uint8_t *p = b->g.mem + ASK;
    uint16_t size = (uint16_t)(bytes + 8);
    uint32_t crc;

    memset(p, 0, 8);
    p[0] = 2;
    p[1] = command;
    memcpy(p + 2, &size, 2);
    memcpy(p + 8, data, bytes);
    crc = crc32c(p, size);
    memcpy(p + 4, &crc, 4);
    memset(b->g.mem + TELL, 0, 64);
    return p;
}

/* The answer's error; -1 = there is no answer. */
static int ask(struct bench *b, uint16_t *size)
{
    const uint8_t *p = b->g.mem + TELL;

    wr(b, TRIGGER, 1);
    memcpy(size, p + 2, 2);
    return p[0] == 2 ? p[1] : -1;
}

static void open_mailbox(struct bench *b)
{
    open_bench(b, NULL);
    CHECK_EQ(give_memory(b, &b->g), 0, "memory");
    set_cfg(b, 4, 2, MASTER);
    point_mailbox(b, GUEST_TAG + ASK, GUEST_TAG + TELL);
}

static void test_pci_mailbox_reads_registers(void **state)
{
    const uint64_t addrs[] = { 0xFFFF0000254, 0xFFFF0FA0000, 0x1000000 };
    const uint64_t bad = 0xFFFF0F00000;
    uint32_t vals[3];
    struct bench b;
    uint16_t size;

    (void)state;
    CHECK_EQ(crc32c((const uint8_t *)"123456789", 9), 0xE3069283,
             "the checksum's published value");
    open_mailbox(&b);
    put_request(&b, 1, addrs, sizeof(addrs));
    CHECK_EQ(ask(&b, &size), 0, "done");
    CHECK_EQ(size, 4 + 12, "header and three words");
    memcpy(vals, b.g.mem + TELL + 4, sizeof(vals));
    CHECK_EQ(vals[0], rd(&b, ENGINE_0 + CFG_LEN), "a register");
    CHECK_EQ(vals[1], 3, "a word of misc RAM");
    put_request(&b, 1, &bad, sizeof(bad));
    CHECK_EQ(ask(&b, &size), 1, "nothing there");
    CHECK_EQ(size, 4, "no data");
    put_request(&b, 1, addrs, 7);
    CHECK_EQ(ask(&b, &size), 1, "not whole addresses");
    put_request(&b, 1, addrs, 0);
    CHECK_EQ(ask(&b, &size), 0, "none");
    CHECK_EQ(stats(&b).mailbox, 4, "answered");
    close_bench(&b);
}

static void test_pci_mailbox_others(void **state)
{
    struct bench b;
    uint16_t size;
    uint8_t *p;

    (void)state;
    open_mailbox(&b);
    put_request(&b, 2, "metric", 6);
    CHECK_EQ(ask(&b, &size), 0, "metrics");
    CHECK_EQ(size, 4, "no data");
    CHECK_EQ(stats(&b).metrics, 1, "counted");
    put_request(&b, 9, "", 0);
    CHECK_EQ(ask(&b, &size), 2, "unknown command");
    put_request(&b, 0, "", 0);
    CHECK_EQ(ask(&b, &size), 2, "unknown command");
    p = put_request(&b, 2, "metric", 6);
    p[9] ^= 1;
    CHECK_EQ(ask(&b, &size), 1, "wrong checksum");
    put_request(&b, 2, "metric", 6)[2] = 7;
    CHECK_EQ(ask(&b, &size), -1, "smaller than its header");
    CHECK_EQ(stats(&b).mailbox_bad, 1, "counted");
    close_bench(&b);
}

/* Addresses that are no guest memory get no answer, and do no harm. */
static void test_pci_mailbox_hostile(void **state)
{
    static const uint64_t bad[] = {
        0, /* HBM: a host address is asked for */
        GUEST_TAG + GUEST_BYTES - 2,
        GUEST_TAG + GUEST_BYTES,
        2 * GUEST_TAG - 1,
        2 * GUEST_TAG,
        0xFFFF0FA0800, /* the trigger */
        UINT64_MAX,
    };
    struct bench b;
    uint16_t size;

    (void)state;
    open_mailbox(&b);
    for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
        put_request(&b, 2, "", 0);
        point_mailbox(&b, bad[i], GUEST_TAG + TELL);
        CHECK_EQ(ask(&b, &size), -1, "question, row %zu", i);
        point_mailbox(&b, GUEST_TAG + ASK, bad[i]);
        CHECK_EQ(ask(&b, &size), -1, "answer, row %zu", i);
    }
    CHECK_EQ(stats(&b).mailbox, 0, "none");
    put_request(&b, 2, "", 0); /* over its own question */
    point_mailbox(&b, GUEST_TAG + ASK, GUEST_TAG + ASK);
    ask(&b, &size);
    CHECK_EQ(b.g.mem[ASK + 1], 0, "done");
    close_bench(&b);
}

/* ---- accesses ------------------------------------------------------------ */

static void test_pci_sizes_of_accesses(void **state)
{
    uint64_t reg = ENGINE_0 + CFG_LEN;
    struct bench b;
    uint32_t word;
    uint64_t val;

    open_bench(&b, *state);
    word = rd(&b, reg);
    for (uint32_t n = 1; n <= 2; n++) {
        for (uint32_t at = 0; at + n <= 4; at++) {
            uint32_t part = word >> 8 * at & (n == 1 ? 0xFF : 0xFFFF);

            CHECK_EQ(trench_pci_bar_read(b.pci, 2, reg + at, n, &val), 0,
                     "read");
            CHECK_EQ(val, part, "%u bytes at %u", n, at);
            CHECK_EQ(trench_pci_bar_write(b.pci, 2, reg + at, n, 0), 0,
                     "write");
            CHECK_EQ(rd(&b, reg), word, "dropped: %u bytes at %u", n, at);
        }
    }
    CHECK_EQ(trench_pci_bar_read(b.pci, 2, reg + 3, 2, &val), 0, "across");
    CHECK_EQ(val, 0xFFFF, "across");
    CHECK_EQ(trench_pci_bar_read(b.pci, 2, reg + 1, 4, &val), 0, "odd");
    CHECK_EQ(val, UINT32_MAX, "odd");
    CHECK_EQ(trench_pci_bar_read(b.pci, 2, reg + 2, 8, &val), 0, "odd");
    CHECK_EQ(val, UINT64_MAX, "odd");
    CHECK_EQ(stats(&b).refused, 7 + 3, "counted");
    CHECK_EQ(trench_pci_bar_write(b.pci, 2, ENGINE_0 + 0x1028, 8,
                                  0x1234567887654300),
             0, "two words");
    CHECK_EQ(rd(&b, ENGINE_0 + 0x1028), 0x87654300, "low");
    CHECK_EQ(rd(&b, ENGINE_0 + 0x102C), 0x12345678, "high");
    CHECK_EQ(trench_pci_bar_read(b.pci, 2, ENGINE_0 + 0x1028, 8, &val), 0,
             "two words");
    CHECK_EQ(val, 0x1234567887654300, "two words");
    close_bench(&b);
}

static void test_pci_accesses_out_of_range(void **state)
{
    static const struct {
        unsigned bar;
        uint64_t offset;
        uint32_t len;
    } bad[] = {
        { 0, 0, 4 },          { 6, 0, 4 },          { 258, 0, 4 },
        { 2, 1u << 30, 4 },   { 2, UINT64_MAX, 4 }, { 2, (1u << 30) - 2, 4 },
        { 2, 0, 0 },          { 2, 0, 3 },          { 2, 0, 16 },
        { 4, 256u << 20, 1 },
    };
    struct bench b;
    uint64_t val;

    open_bench(&b, *state);
    for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
        val = 1;
        CHECK_EQ(trench_pci_bar_read(b.pci, bad[i].bar, bad[i].offset,
                                     bad[i].len, &val),
                 TRENCH_ERR_INVAL, "row %zu", i);
        CHECK_EQ(val, UINT64_MAX, "row %zu", i);
        CHECK_EQ(trench_pci_bar_write(b.pci, bad[i].bar, bad[i].offset,
                                      bad[i].len, 0),
                 TRENCH_ERR_INVAL, "row %zu", i);
    }
    close_bench(&b);
}

/* What the model lacks reads back what was written, and is listed (D4). */
static void test_pci_unknown_words(void **state)
{
    static const struct {
        uint64_t offset;
        const char *name;
    } rows[] = {
        { 0x30535100, "APB_CORE_NOTIFIC_0.notific_nq[0].base_addr_lo" },
        { 0x28000000, "BAR2+0x28000000" },
        { 0x30F80000, "APB+0xf80000" },
        { ENGINE_0 + 0x208, "APB_SENG_0_SDMA_0.udma_m2s" },
        { MISC + 0x900, "APB_MISC_RAM+0x900" },
    };
    struct trench_pci_unknown u;
    struct bench b;
    char name[160];
    uint64_t val;

    open_bench(&b, *state);
    for (uint32_t i = 0; i < ARRAY_LEN(rows); i++) {
        CHECK_EQ(rd(&b, rows[i].offset), 0, "%s", rows[i].name);
        wr(&b, rows[i].offset, 0x1000 + i);
        CHECK_EQ(rd(&b, rows[i].offset), 0x1000 + i, "%s", rows[i].name);
        CHECK_EQ(trench_pci_unknown(b.pci, i, &u), 0, "%s", rows[i].name);
        CHECK_EQ(u.offset, rows[i].offset, "%s", rows[i].name);
        CHECK_EQ(u.reads, 2, "%s", rows[i].name);
        CHECK_EQ(u.writes, 1, "%s", rows[i].name);
        CHECK_EQ(u.last, 0x1000 + i, "%s", rows[i].name);
        trench_pci_name(b.pci, u.bar, u.offset, name, sizeof(name));
        CHECK_EQ(strncmp(name, rows[i].name, strlen(rows[i].name)), 0,
                 "%s is %s", name, rows[i].name);
    }
    CHECK_EQ(trench_pci_unknown(b.pci, ARRAY_LEN(rows), &u), TRENCH_ERR_NOENT,
             "no more");
    CHECK_EQ(stats(&b).unknown, 3 * ARRAY_LEN(rows), "counted");
    for (uint32_t i = 0; i < 2 * TRENCH_PCI_MAX_UNKNOWN; i++) {
        wr(&b, 0x28000000 + 4 * i, i);
    }
    CHECK_EQ(trench_pci_unknown(b.pci, TRENCH_PCI_MAX_UNKNOWN - 1, &u), 0,
             "full");
    CHECK_EQ(trench_pci_unknown(b.pci, TRENCH_PCI_MAX_UNKNOWN, &u),
             TRENCH_ERR_NOENT, "full");
    CHECK_EQ(stats(&b).unknown_lost > TRENCH_PCI_MAX_UNKNOWN, true, "counted");
    CHECK_EQ(trench_pci_bar_read(b.pci, 2, 0x28007FFC, 4, &val), 0, "lost");
    CHECK_EQ(val, 0, "lost");
    close_bench(&b);
}

/* Words of the firmware's, and what is memory between them (D2). */
static void test_pci_misc_ram(void **state)
{
    const struct trench_pci_conf conf = { .routing_id = 11,
                                          .serial = 0x1122334455667788 };
    struct bench b;
    uint32_t first;

    (void)state;
    open_bench(&b, &conf);
    CHECK_EQ(rd(&b, MISC + 0x24), 11, "routing id");
    CHECK_EQ(rd(&b, MISC + 0x38), 0x55667788, "serial, low");
    CHECK_EQ(rd(&b, MISC + 0x3C), 0x11223344, "serial, high");
    wr(&b, MISC + 0x24, 3);
    CHECK_EQ(rd(&b, MISC + 0x24), 11, "the firmware's own");
    first = rd(&b, MISC + 0x54);
    CHECK_EQ(first & 0xFFFF, 0, "idle");
    CHECK_EQ((rd(&b, MISC + 0x54) >> 16) - (first >> 16), 1, "a new sample");
    for (uint32_t at = 0x100; at < 0x1D0; at += 4) {
        wr(&b, MISC + at, at);
    }
    for (uint32_t at = 0x100; at < 0x1D0; at += 4) {
        CHECK_EQ(rd(&b, MISC + at), at, "0x%x", at);
    }
    wr(&b, REQUEST, 1);
    wr(&b, TRIGGER, 1);
    CHECK_EQ(rd(&b, MISC + 0x190), 0x190, "stays over a reset of the device");
    CHECK_EQ(trench_pci_reset(b.pci), 0, "reset");
    CHECK_EQ(rd(&b, MISC + 0x190), 0, "and not over one of the bus");
    CHECK_EQ(rd(&b, MISC + 0x24), 11, "routing id");
    close_bench(&b);
}

/* Each word of host-driver 2.2 by its name, and who writes it. */
static void test_pci_words_of_misc_ram(void **state)
{
    static const struct {
        uint32_t offset;
        const char *name;
        bool kept; /* what a driver writes */
    } rows[] = {
        { 0x000, "info.fw_version", false },
        { 0x024, "info.routing_id", false },
        { 0x038, "info.serial_lo", false },
        { 0x03C, "info.serial_hi", false },
        { 0x040, "info.sram_ecc", false },
        { 0x044, "hbm_ecc[0].errors", false },
        { 0x048, "hbm_ecc[1].errors", false },
        { 0x058, "power[1].sample", false },
        { 0x064, "hbm_repair.status", false },
        { 0x0C0, "runtime_0[0].word", true },
        { 0x0EC, "runtime_0[11].word", true },
        { 0x100, "metric[0].text", true },
        { 0x17C, "metric[31].text", true },
        { 0x180, "pod.left_serial_hi", true },
        { 0x184, "pod.left_serial_lo", true },
        { 0x188, "pod.right_serial_hi", true },
        { 0x18C, "pod.right_serial_lo", true },
        { 0x190, "pod.election", true },
        { 0x194, "pod.serial_hi", true },
        { 0x198, "pod.serial_lo", true },
        { 0x1A0, "runtime_1[0].word", true },
        { 0x1CC, "runtime_1[11].word", true },
        { 0x1D8, "reset.core_map", true },
        { 0x1EC, "reset.request", true },
        { 0x1F0, "mailbox.request_hi", true },
        { 0x1F4, "mailbox.request_lo", true },
        { 0x1F8, "mailbox.response_hi", true },
        { 0x1FC, "mailbox.response_lo", true },
        { 0x808, "firmware.status", false },
    };
    struct bench b;
    char name[160];

    open_bench(&b, *state);
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        uint64_t at = MISC + rows[i].offset;
        uint32_t old = rd(&b, at);

        trench_pci_name(b.pci, 2, at, name, sizeof(name));
        CHECK_EQ(strncmp(name, "APB_MISC_RAM.", 13), 0, "%s", name);
        CHECK_EQ(strcmp(name + 13, rows[i].name), 0, "0x%x is %s",
                 rows[i].offset, name);
        CHECK_EQ(old, rows[i].offset == 0 ? 3 : 0, "%s", name);
        wr(&b, at, 0xA5A50000 + rows[i].offset);
        CHECK_EQ(rd(&b, at), rows[i].kept ? 0xA5A50000 + rows[i].offset : old,
                 "%s", name);
    }
    CHECK_EQ(stats(&b).unknown, 0, "all of them are known");
    close_bench(&b);
}

/* host-driver 2.9: 40, 5 more, 3 less; the first and the last of each core. */
static void test_pci_semaphores(void **state)
{
    struct bench b;

    open_bench(&b, *state);
    for (uint32_t core = 0; core < 2; core++) {
        for (uint32_t i = 0; i < 256; i += 255) {
            uint32_t at = core * 0x4000000 + 0x2700000 + 4 * i;

            wr(&b, at, 1); /* the event */
            CHECK_EQ(rd(&b, at), 1, "event %u of core %u", i, core);
            wr(&b, at + 0x1400, 40);
            wr(&b, at + 0x1800, 5);
            wr(&b, at + 0x1C00, 3);
            CHECK_EQ(rd(&b, at + 0x1000), 42, "%u of core %u", i, core);
        }
    }
    CHECK_EQ(stats(&b).unknown, 0, "all of them are known");
    close_bench(&b);
}

/* host-driver 2.8: where a driver sets up notification queues. */
static void test_pci_notification_queues(void **state)
{
    static const struct {
        uint32_t offset;
        const char *name;
    } rows[] = {
        { 0x30535100, "APB_CORE_NOTIFIC_0.notific_nq[0].base_addr_lo" },
        { 0x30C35128, "APB_CORE_NOTIFIC_1.notific_nq[1].base_addr_lo" },
        { 0x30E04104, "APB_TOP_SP_NOTIFIC_0.notific_nq[0].base_addr_hi" },
        { 0x30F44108, "APB_TOP_SP_NOTIFIC_5.notific_nq[0].size" },
        { 0x30401100, "APB_SENG_0_SDMA_0.notific_10_queue.notific_nq[0]."
                      "base_addr_lo" },
        { 0x30D4110C, "APB_SENG_1_H2D.notific_10_queue.notific_nq[0]."
                      "head_ptr" },
    };
    struct bench b;
    char name[160];

    open_bench(&b, *state);
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        trench_pci_name(b.pci, 2, rows[i].offset, name, sizeof(name));
        CHECK_EQ(strcmp(name, rows[i].name), 0, "0x%x is %s, not %s",
                 rows[i].offset, name, rows[i].name);
    }
    close_bench(&b);
}

/* Unless told otherwise (H298). */
static void test_pci_poll_limit(void **state)
{
    struct bench b;

    open_bench(&b, *state);
    for (int i = 0; i < 9999; i++) {
        rd(&b, STATUS);
    }
    CHECK_EQ(b.lines, 0, "not yet");
    rd(&b, STATUS);
    CHECK_EQ(b.lines, 1, "told");
    CHECK_EQ(stats(&b).stuck_polls, 1, "counted");
    close_bench(&b);
}

static void test_pci_tells_of_a_guest_that_polls(void **state)
{
    const struct trench_pci_conf conf = { .poll_limit = 100 };
    struct bench b;

    (void)state;
    open_bench(&b, &conf);
    for (int i = 0; i < 99; i++) {
        rd(&b, STATUS);
    }
    CHECK_EQ(b.lines, 0, "not yet");
    wr(&b, MISC + 0x100, 1);
    for (int i = 0; i < 99; i++) {
        rd(&b, STATUS);
    }
    CHECK_EQ(b.lines, 0, "a write is something else");
    rd(&b, STATUS);
    CHECK_EQ(b.lines, 1, "told");
    CHECK_EQ(strstr(b.line, "APB_MISC_RAM.firmware.status") != NULL, true, "%s",
             b.line);
    for (int i = 0; i < 899; i++) {
        rd(&b, STATUS);
    }
    CHECK_EQ(b.lines, 1, "not again and again");
    rd(&b, STATUS);
    CHECK_EQ(b.lines, 2, "ten times as many");
    CHECK_EQ(stats(&b).stuck_offset, STATUS, "which");
    close_bench(&b);
}

/* ---- the interrupt line -------------------------------------------------- */

#define GENERAL 0x3A000u /* secondary group A of the interrupt controller */

/* Set a cause of engine 32 by hand; a rise of a vector. */
static void provoke(struct bench *b, uint32_t bit)
{
    wr(b, ENGINE_32 + GENERAL + 0x08, bit);
}

static void test_pci_interrupt_line(void **state)
{
    struct bench b;

    open_bench(&b, *state);
    wr(&b, ENGINE_32 + GENERAL + 0x18, 0); /* unmask all */
    provoke(&b, 1);
    CHECK_EQ(b.rises, 1, "up");
    CHECK_EQ(cfg(&b, 6, 2), 8, "status");
    CHECK_EQ(cfg(&b, 4, 4), 0x80000, "status, as half a word");
    provoke(&b, 2);
    CHECK_EQ(b.rises, 1, "it is up");
    trench_pci_intx_done(b.pci);
    CHECK_EQ(b.rises, 2, "something came meanwhile");
    trench_pci_intx_done(b.pci);
    CHECK_EQ(b.rises, 2, "nothing did");
    CHECK_EQ(cfg(&b, 6, 2), 0, "down");
    set_cfg(&b, 4, 2, 0x400);
    provoke(&b, 4);
    CHECK_EQ(b.rises, 2, "switched off");
    close_bench(&b);
}

/* ---- anything ------------------------------------------------------------ */

static uint64_t next_random(uint64_t *s)
{
    *s ^= *s << 13;
    *s ^= *s >> 7;
    *s ^= *s << 17;
    return *s;
}

/* Wherever a guest writes whatever: the device answers. */
static void test_pci_survives_anything(void **state)
{
    static const uint64_t places[] = { MISC,       MISC + 0x800, SCRATCH,
                                       ENGINE_0,   ENGINE_32,    0x30021000,
                                       0x3003A000, 0x2700000,    0 };
    uint64_t seed = 0x5EED5EED;
    struct bench b;
    uint64_t val;

    open_bench(&b, *state);
    print_message("# seed 0x%llx\n", ULL(seed));
    CHECK_EQ(give_memory(&b, &b.g), 0, "memory");
    for (int i = 0; i < 100000; i++) {
        uint64_t r = next_random(&seed);
        uint64_t at = places[r % ARRAY_LEN(places)] + (r >> 8 & 0x1FFF);
        uint32_t len = 1u << (r >> 32 & 3);

        if (r >> 40 & 1) {
            at &= ~UINT64_C(3);
            len = 4;
        }
        switch (r >> 56 & 7) {
        case 0:
            trench_pci_config_write(b.pci, r >> 16 & 0xFF, len,
                                    (uint32_t)next_random(&seed));
            break;
        case 1:
            trench_pci_advance(b.pci, r >> 20 & 0xFFFFF);
            break;
        case 2:
        case 3:
            trench_pci_bar_read(b.pci, 2, at, len, &val);
            break;
        default:
            trench_pci_bar_write(b.pci, 2, at, len, next_random(&seed) & r);
        }
    }
    CHECK_EQ(trench_pci_reset(b.pci), 0, "reset");
    set_cfg(&b, 4, 2, MASTER);
    CHECK_EQ(guest_round_trip(&b.g, 32, 5000), 0, "and works");
    close_bench(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pci_identity),
        cmocka_unit_test(test_pci_defaults),
        cmocka_unit_test(test_pci_create_refuses),
        cmocka_unit_test(test_pci_create_at_the_limits),
        cmocka_unit_test(test_pci_bars_are_sized),
        cmocka_unit_test(test_pci_config_keeps_what_it_should),
        cmocka_unit_test(test_pci_config_refuses),
        cmocka_unit_test(test_pci_decode_follows_the_bars),
        cmocka_unit_test(test_pci_replay_of_a_driver),
        cmocka_unit_test(test_pci_copies_guest_memory),
        cmocka_unit_test(test_pci_memory_in_pieces),
        cmocka_unit_test(test_pci_memory_needs_bus_mastering),
        cmocka_unit_test(test_pci_memory_refuses),
        cmocka_unit_test(test_pci_memory_is_replaced_in_flight),
        cmocka_unit_test(test_pci_memory_stays_under_an_access),
        cmocka_unit_test(test_pci_device_reset),
        cmocka_unit_test(test_pci_core_reset),
        cmocka_unit_test(test_pci_core_map),
        cmocka_unit_test(test_pci_reset_latency_in_polls),
        cmocka_unit_test(test_pci_reset_latency_in_time),
        cmocka_unit_test(test_pci_resets_overlap),
        cmocka_unit_test(test_pci_reset_of_nothing),
        cmocka_unit_test(test_pci_reset_by_an_engine),
        cmocka_unit_test(test_pci_mailbox_reads_registers),
        cmocka_unit_test(test_pci_mailbox_others),
        cmocka_unit_test(test_pci_mailbox_hostile),
        cmocka_unit_test(test_pci_sizes_of_accesses),
        cmocka_unit_test(test_pci_accesses_out_of_range),
        cmocka_unit_test(test_pci_unknown_words),
        cmocka_unit_test(test_pci_misc_ram),
        cmocka_unit_test(test_pci_words_of_misc_ram),
        cmocka_unit_test(test_pci_semaphores),
        cmocka_unit_test(test_pci_notification_queues),
        cmocka_unit_test(test_pci_poll_limit),
        cmocka_unit_test(test_pci_tells_of_a_guest_that_polls),
        cmocka_unit_test(test_pci_interrupt_line),
        cmocka_unit_test(test_pci_survives_anything),
    };

    return cmocka_run_group_tests_name("pci", tests, NULL, NULL);
}
