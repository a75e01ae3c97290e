/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The bus: regions, what is refused, fault records, host pointers, copies.
 * Expectations are the contract in trench/bus.h; H51, H64 of hardware.md.
 */
#include <endian.h>
#include <sys/mman.h>
#include <unistd.h>

#include <trench/bus.h>

#include "bus/bus_priv.h"
#include "check.h"

#define PAGE   UINT64_C(4096)
#define TOP    (UINT64_C(1) << 56) /* the first attribute bit */
#define GIB(n) ((uint64_t)(n) << 30)

/* ---- a device that remembers -------------------------------------------- */

#define DEV_WORDS 64u

struct dev {
    uint32_t words[DEV_WORDS];
    uint32_t nr_reads;
    uint32_t nr_writes;
    uint64_t last; /* offset of the last access */
    uint64_t refuse_at;
    int refuse; /* the code, 0 = never */
};

static int dev_read32(void *opaque, uint64_t offset, uint32_t *val)
{
    struct dev *dev = opaque;

    dev->nr_reads++;
    dev->last = offset;
    if (dev->refuse && offset == dev->refuse_at) {
        return dev->refuse;
    }
    *val = dev->words[offset / 4];
    return 0;
}

static int dev_write32(void *opaque, uint64_t offset, uint32_t val)
{
    struct dev *dev = opaque;

    dev->nr_writes++;
    dev->last = offset;
    if (dev->refuse && offset == dev->refuse_at) {
        return dev->refuse;
    }
    dev->words[offset / 4] = val;
    return 0;
}

static const struct trench_bus_dev_ops dev_ops = { dev_read32, dev_write32 };

/* ---- fixture ------------------------------------------------------------- */

static int setup(void **state)
{
    struct trench_bus *bus = NULL;
    int err = trench_bus_create(&bus);

    *state = bus;
    return err;
}

static int teardown(void **state)
{
    trench_bus_destroy(*state);
    return 0;
}

static int add_mem(struct trench_bus *bus, uint64_t base, uint64_t size)
{
    return trench_bus_add_memory(
        bus, &(struct trench_bus_mem){
                 .name = "mem", .base = base, .size_bytes = size });
}

static int add_dev(struct trench_bus *bus, uint64_t base, uint64_t size,
                   struct dev *dev)
{
    return trench_bus_add_window(
        bus, &(struct trench_bus_window){ .name = "dev",
                                          .base = base,
                                          .size_bytes = size,
                                          .ops = &dev_ops,
                                          .opaque = dev });
}

static struct trench_bus_fault last_fault(const struct trench_bus *bus)
{
    struct trench_bus_fault fault;

    trench_bus_last_fault(bus, &fault);
    return fault;
}

static int read_at(struct trench_bus *bus, uint64_t addr, uint64_t len)
{
    uint8_t buf[256];

    return trench_bus_read(bus, 0, addr, buf, len);
}

static int write_at(struct trench_bus *bus, uint64_t addr, uint64_t len)
{
    uint8_t buf[256];

    memset(buf, 0xEE, sizeof(buf));
    return trench_bus_write(bus, 0, addr, buf, len);
}

static size_t nr_regions(const struct trench_bus *bus)
{
    struct trench_bus_region r = { 0 };
    uint64_t at = 0;
    size_t nr = 0;

    /* From TOP on the attribute bits would be dropped, and it began again. */
    while (at < TOP && trench_bus_region_at(bus, at, &r) == 0) {
        nr++;
        at = r.base + r.size_bytes;
    }
    return nr;
}

/* ---- regions ------------------------------------------------------------- */

/* Size 0, wrap, attribute bits; the neighbours that are allowed. */
static void test_bus_refuses_bad_ranges(void **state)
{
    static const struct {
        uint64_t base;
        uint64_t size;
        int err;
    } rows[] = {
        { 0x1000, 0, TRENCH_ERR_INVAL },
        { 0, 0, TRENCH_ERR_INVAL },
        { TOP - PAGE, PAGE, 0 },
        { TOP - PAGE, PAGE + 4, TRENCH_ERR_INVAL },
        { TOP - 4, 4, 0 },
        { TOP - 4, 8, TRENCH_ERR_INVAL },
        { TOP, PAGE, TRENCH_ERR_INVAL },
        { TOP * 2, PAGE, TRENCH_ERR_INVAL },
        { TOP * 4, PAGE, TRENCH_ERR_INVAL },
        { TOP * 128, PAGE, TRENCH_ERR_INVAL },
        { UINT64_MAX - 3, 4, TRENCH_ERR_INVAL },
        { UINT64_MAX - 0xFFF, 0x2000, TRENCH_ERR_INVAL },
        { 0x1000, UINT64_MAX - 3, TRENCH_ERR_INVAL },
        { 0x1000, TOP, TRENCH_ERR_INVAL },
        { 0x1000, TOP - 0x1000 + 4, TRENCH_ERR_INVAL },
        { 0, TOP + 4, TRENCH_ERR_INVAL },
    };
    struct trench_bus *bus = *state;
    struct dev dev = { 0 };

    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        CHECK_EQ(add_mem(bus, rows[i].base, rows[i].size), rows[i].err,
                 "memory, row %zu", i);
        CHECK_EQ(nr_regions(bus), rows[i].err == 0, "row %zu", i);
        if (rows[i].err == 0) {
            CHECK_EQ(trench_bus_remove(bus, rows[i].base), 0, "row %zu", i);
        }
        CHECK_EQ(add_dev(bus, rows[i].base, rows[i].size, &dev), rows[i].err,
                 "window, row %zu", i);
        if (rows[i].err == 0) {
            CHECK_EQ(trench_bus_remove(bus, rows[i].base), 0, "row %zu", i);
        }
    }
    CHECK_EQ(last_fault(bus).count, 0, "adding is not an access");
}

static void test_bus_refuses_bad_windows(void **state)
{
    static const struct trench_bus_dev_ops no_read = { NULL, dev_write32 };
    static const struct trench_bus_dev_ops no_write = { dev_read32, NULL };
    static const struct trench_bus_window rows[] = {
        { .base = 0x1000, .size_bytes = 16 },
        { .base = 0x1000, .size_bytes = 16, .ops = &no_read },
        { .base = 0x1000, .size_bytes = 16, .ops = &no_write },
        { .base = 0x1001, .size_bytes = 16, .ops = &dev_ops },
        { .base = 0x1002, .size_bytes = 16, .ops = &dev_ops },
        { .base = 0x1003, .size_bytes = 16, .ops = &dev_ops },
        { .base = 0x1000, .size_bytes = 15, .ops = &dev_ops },
        { .base = 0x1000, .size_bytes = 17, .ops = &dev_ops },
        { .base = 0x1000, .size_bytes = 18, .ops = &dev_ops },
        { .base = 0x1000, .size_bytes = 2, .ops = &dev_ops },
    };
    struct trench_bus *bus = *state;

    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        CHECK_EQ(trench_bus_add_window(bus, &rows[i]), TRENCH_ERR_INVAL,
                 "row %zu", i);
    }
    CHECK_EQ(nr_regions(bus), 0, "nothing was added");
}

/* Every way in which two ranges can meet, with both kinds of region. */
static void test_bus_refuses_overlaps(void **state)
{
    static const struct {
        uint64_t base;
        uint64_t size;
        int err;
    } rows[] = {
        { 0x2000, 0x1000, TRENCH_ERR_EXIST }, /* the same */
        { 0x2400, 0x100, TRENCH_ERR_EXIST },  /* inside */
        { 0x1000, 0x4000, TRENCH_ERR_EXIST }, /* around */
        { 0x1000, 0x1004, TRENCH_ERR_EXIST }, /* over the first word */
        { 0x2FFC, 0x1000, TRENCH_ERR_EXIST }, /* over the last word */
        { 0x2000, 4, TRENCH_ERR_EXIST },
        { 0x2FFC, 4, TRENCH_ERR_EXIST },
        { 0x1000, 0x1000, 0 }, /* touching below */
        { 0x3000, 0x1000, 0 }, /* touching above */
        { 0x0, 0x9000, TRENCH_ERR_EXIST },
    };
    struct trench_bus *bus = *state;
    struct dev dev = { 0 };

    for (unsigned kind = 0; kind < 4; kind++) {
        CHECK_EQ(kind & 1 ? add_dev(bus, 0x2000, 0x1000, &dev)
                          : add_mem(bus, 0x2000, 0x1000),
                 0, "kind %u", kind);
        for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
            CHECK_EQ(kind & 2 ? add_dev(bus, rows[i].base, rows[i].size, &dev)
                              : add_mem(bus, rows[i].base, rows[i].size),
                     rows[i].err, "kind %u row %zu", kind, i);
        }
        CHECK_EQ(nr_regions(bus), 3, "kind %u", kind);
        for (uint64_t base = 0x1000; base <= 0x3000; base += 0x1000) {
            CHECK_EQ(trench_bus_remove(bus, base), 0, "kind %u", kind);
        }
    }
}

static void test_bus_anonymous_memory_is_zeroed(void **state)
{
    struct trench_bus *bus = *state;
    uint8_t buf[64];
    static const uint8_t zeros[64];

    CHECK_EQ(add_mem(bus, 0x10000, 0x10000), 0, "add");
    for (uint64_t at = 0x10000; at < 0x20000; at += sizeof(buf)) {
        memset(buf, 0xFF, sizeof(buf));
        CHECK_EQ(trench_bus_read(bus, 0, at, buf, sizeof(buf)), 0, "0x%llx",
                 ULL(at));
        CHECK_MEM(buf, zeros, sizeof(buf), "0x%llx", ULL(at));
    }
}

static void test_bus_host_memory_is_shared(void **state)
{
    struct trench_bus *bus = *state;
    static uint8_t backing[0x100];
    struct trench_bus_mem mem = { .name = "host",
                                  .base = 0x5000,
                                  .size_bytes = sizeof(backing),
                                  .host = backing };
    uint8_t byte = 0;

    memset(backing, 0, sizeof(backing));
    CHECK_EQ(trench_bus_add_memory(bus, &mem), 0, "add");
    backing[7] = 0xA7;
    CHECK_EQ(trench_bus_read(bus, 0, 0x5007, &byte, 1), 0, "read");
    CHECK_EQ(byte, 0xA7, "host to bus");
    byte = 0x3C;
    CHECK_EQ(trench_bus_write(bus, 0, 0x50FF, &byte, 1), 0, "write");
    CHECK_EQ(backing[0xFF], 0x3C, "bus to host");
    CHECK_EQ(trench_bus_host(bus, 0x5000, sizeof(backing)) == backing, true,
             "pointer");
    /* Borrowed: removing the region leaves it alone. */
    CHECK_EQ(trench_bus_remove(bus, 0x5000), 0, "remove");
    CHECK_EQ(backing[7], 0xA7, "still there");
}

static void test_bus_file_memory_is_shared(void **state)
{
    struct trench_bus *bus = *state;
    int fd = memfd_create("test_bus", 0);
    struct trench_bus_mem mem = { .name = "file",
                                  .base = 0x8000,
                                  .size_bytes = PAGE,
                                  .from_fd = true,
                                  .fd = fd,
                                  .fd_offset = PAGE };
    uint8_t byte = 0x5A;

    CHECK_EQ(fd >= 0, true, "memfd");
    CHECK_EQ(ftruncate(fd, 2 * (off_t)PAGE), 0, "size");
    CHECK_EQ(pwrite(fd, "x", 1, (off_t)PAGE + 3), 1, "pwrite");
    CHECK_EQ(trench_bus_add_memory(bus, &mem), 0, "add");
    CHECK_EQ(trench_bus_write(bus, 0, 0x8FFF, &byte, 1), 0, "write");
    CHECK_EQ(trench_bus_read(bus, 0, 0x8003, &byte, 1), 0, "read");
    CHECK_EQ(byte, 'x', "file to bus");
    CHECK_EQ(pread(fd, &byte, 1, 2 * (off_t)PAGE - 1), 1, "pread");
    CHECK_EQ(byte, 0x5A, "bus to file");
    close(fd); /* borrowed during the call only */
    CHECK_EQ(trench_bus_read(bus, 0, 0x8FFF, &byte, 1), 0, "after close");
    CHECK_EQ(byte, 0x5A, "after close");
}

static void test_bus_refuses_bad_backing(void **state)
{
    struct trench_bus *bus = *state;
    static uint8_t backing[4096];
    int fd = memfd_create("test_bus", 0);
    struct trench_bus_mem mem = {
        .base = 0x8000, .size_bytes = PAGE, .from_fd = true, .fd = fd
    };

    CHECK_EQ(ftruncate(fd, 2 * (off_t)PAGE), 0, "size");
    mem.host = backing;
    CHECK_EQ(trench_bus_add_memory(bus, &mem), TRENCH_ERR_INVAL, "both");
    mem.host = NULL;
    mem.fd_offset = 1;
    CHECK_EQ(trench_bus_add_memory(bus, &mem), -EINVAL, "unaligned offset");
    mem.fd_offset = 0;
    mem.fd = -1;
    CHECK_EQ(trench_bus_add_memory(bus, &mem), -EBADF, "no file");
    CHECK_EQ(nr_regions(bus), 0, "nothing was added");
    mem.fd = fd;
    CHECK_EQ(trench_bus_add_memory(bus, &mem), 0, "the same, right");
    close(fd);
}

/* ---- finding ------------------------------------------------------------- */

#define MANY 1000u

/* Region i: at (i + 1) MiB, of i + 1 words, holding its number. */
static uint64_t many_base(unsigned i)
{
    return (uint64_t)(i + 1) << 20;
}

static uint64_t many_size(unsigned i)
{
    return 4 * (uint64_t)(i + 1);
}

static void many_check(struct trench_bus *bus, unsigned i, bool there)
{
    uint64_t base = many_base(i);
    uint64_t size = many_size(i);
    uint8_t byte;

    CHECK_EQ(trench_bus_read(bus, 0, base, &byte, 1),
             there ? 0 : TRENCH_ERR_FAULT, "first byte of %u", i);
    CHECK_EQ(trench_bus_read(bus, 0, base + size - 1, &byte, 1),
             there ? 0 : TRENCH_ERR_FAULT, "last byte of %u", i);
    CHECK_EQ(trench_bus_read(bus, 0, base - 1, &byte, 1), TRENCH_ERR_FAULT,
             "before %u", i);
    CHECK_EQ(trench_bus_read(bus, 0, base + size, &byte, 1), TRENCH_ERR_FAULT,
             "behind %u", i);
    CHECK_EQ(trench_bus_host(bus, base, size + 1) == NULL, true, "%u", i);
    if (there) {
        uint32_t *host = trench_bus_host(bus, base, size);

        CHECK_EQ(host != NULL, true, "host of %u", i);
        CHECK_EQ(*host, i, "content of %u", i);
    }
}

/* Added in a scattered order, then every third taken away again. */
static void test_bus_finds_among_many_regions(void **state)
{
    struct trench_bus *bus = *state;

    for (unsigned k = 0; k < MANY; k++) {
        unsigned i = k * 389 % MANY; /* 389 and 1000 have no common factor */

        CHECK_EQ(add_mem(bus, many_base(i), many_size(i)), 0, "add %u", i);
        *(uint32_t *)trench_bus_host(bus, many_base(i), 4) = i;
    }
    CHECK_EQ(nr_regions(bus), MANY, "all");
    for (unsigned i = 0; i < MANY; i++) {
        many_check(bus, i, true);
    }
    for (unsigned i = 0; i < MANY; i += 3) {
        CHECK_EQ(trench_bus_remove(bus, many_base(i)), 0, "remove %u", i);
    }
    for (unsigned i = 0; i < MANY; i++) {
        many_check(bus, i, i % 3 != 0);
    }
}

static void test_bus_region_at(void **state)
{
    static const struct {
        uint64_t addr;
        uint64_t base; /* of the answer, 0 = none */
    } rows[] = {
        { 0, 0x2000 },      { 0x1FFF, 0x2000 }, { 0x2000, 0x2000 },
        { 0x2FFF, 0x2000 }, { 0x3000, 0x8000 }, { 0x7FFF, 0x8000 },
        { 0x8000, 0x8000 }, { 0x80FF, 0x8000 }, { 0x8100, 0 },
        { TOP - 1, 0 },
    };
    struct trench_bus *bus = *state;
    struct trench_bus_region r = { .base = 77 };
    struct dev dev = { 0 };

    CHECK_EQ(trench_bus_region_at(bus, 0, &r), TRENCH_ERR_NOENT, "empty bus");
    CHECK_EQ(add_mem(bus, 0x2000, 0x1000), 0, "memory");
    CHECK_EQ(add_dev(bus, 0x8000, 0x100, &dev), 0, "window");
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        for (uint64_t attr = 0; attr < 4; attr++) {
            r.base = 77;
            CHECK_EQ(trench_bus_region_at(bus, rows[i].addr | attr << 56, &r),
                     rows[i].base ? 0 : TRENCH_ERR_NOENT, "row %zu", i);
            CHECK_EQ(r.base, rows[i].base ? rows[i].base : 77, "row %zu", i);
        }
    }
    CHECK_EQ(trench_bus_region_at(bus, 0x2000, &r), 0, "memory");
    CHECK_EQ(r.is_memory, true, "memory");
    CHECK_EQ(r.size_bytes, 0x1000, "memory");
    assert_string_equal(r.name, "mem");
    CHECK_EQ(trench_bus_region_at(bus, 0x8000, &r), 0, "window");
    CHECK_EQ(r.is_memory, false, "window");
    CHECK_EQ(r.size_bytes, 0x100, "window");
    assert_string_equal(r.name, "dev");
}

/* "Copied, at most 47 characters are kept." */
static void test_bus_names_are_copied_and_cut(void **state)
{
    struct trench_bus *bus = *state;
    struct trench_bus_region r;
    char name[64];
    struct trench_bus_mem mem = { .name = name,
                                  .base = 0x1000,
                                  .size_bytes = 16 };

    for (size_t len = 46; len <= 60; len++) {
        memset(name, 'n', sizeof(name));
        name[len] = '\0';
        CHECK_EQ(trench_bus_add_memory(bus, &mem), 0, "len %zu", len);
        memset(name, 'z', sizeof(name) - 1);
        CHECK_EQ(trench_bus_region_at(bus, 0x1000, &r), 0, "len %zu", len);
        CHECK_EQ(strlen(r.name), len < 47 ? len : 47, "len %zu", len);
        CHECK_EQ(strspn(r.name, "n"), strlen(r.name), "len %zu", len);
        CHECK_EQ(trench_bus_remove(bus, 0x1000), 0, "len %zu", len);
    }
}

static void test_bus_remove(void **state)
{
    struct trench_bus *bus = *state;
    struct dev dev = { 0 };

    CHECK_EQ(trench_bus_remove(bus, 0x2000), TRENCH_ERR_NOENT, "empty");
    CHECK_EQ(add_mem(bus, 0x2000, 0x1000), 0, "memory");
    CHECK_EQ(add_dev(bus, 0x3000, 0x100, &dev), 0, "window");
    for (uint64_t at = 0x1FFC; at <= 0x3104; at += 4) {
        if (at != 0x2000 && at != 0x3000) {
            CHECK_EQ(trench_bus_remove(bus, at), TRENCH_ERR_NOENT, "0x%llx",
                     ULL(at));
        }
    }
    CHECK_EQ(trench_bus_remove(bus, 0x2000), 0, "memory");
    CHECK_EQ(read_at(bus, 0x2000, 4), TRENCH_ERR_FAULT, "gone");
    CHECK_EQ(read_at(bus, 0x3000, 4), 0, "the other stays");
    CHECK_EQ(trench_bus_remove(bus, 0x2000), TRENCH_ERR_NOENT, "twice");
    CHECK_EQ(trench_bus_remove(bus, 0x3000), 0, "window");
    CHECK_EQ(read_at(bus, 0x3000, 4), TRENCH_ERR_FAULT, "gone");
    CHECK_EQ(add_mem(bus, 0x1000, 0x4000), 0, "the place is free again");
}

/* ---- devices that change the bus ------------------------------------------
 */

/* What a device does to the regions at its first access. */
struct changer {
    struct trench_bus *bus;
    void (*change)(struct trench_bus *bus);
    unsigned nr;
};

static int changer_read32(void *opaque, uint64_t offset, uint32_t *val)
{
    struct changer *c = opaque;

    if (c->nr++ == 0) {
        c->change(c->bus);
    }
    *val = (uint32_t)offset;
    return 0;
}

static int changer_write32(void *opaque, uint64_t offset, uint32_t val)
{
    return changer_read32(opaque, offset, &val);
}

static const struct trench_bus_dev_ops changer_ops = { changer_read32,
                                                       changer_write32 };

/* The list of regions moves. */
static void grow(struct trench_bus *bus)
{
    for (uint64_t i = 0; i < 500; i++) {
        CHECK_EQ(add_mem(bus, 0x100000 + i * 16, 8), 0, "region");
    }
}

static void take_next(struct trench_bus *bus)
{
    CHECK_EQ(trench_bus_remove(bus, 0x2010), 0, "memory");
}

static struct dev odd_dev;

/* Memory that could be read to any byte becomes registers. */
static void replace_next(struct trench_bus *bus)
{
    take_next(bus);
    CHECK_EQ(add_dev(bus, 0x2010, 0x10, &odd_dev), 0, "window");
}

static void take_itself(struct trench_bus *bus)
{
    CHECK_EQ(trench_bus_remove(bus, 0x2000), 0, "window");
}

/* An access goes on with what there is then, and not beyond its buffer. */
static void test_bus_changes_during_an_access(void **state)
{
    static const struct {
        void (*change)(struct trench_bus *bus);
        int err;
    } rows[] = {
        { grow, 0 },
        { take_next, TRENCH_ERR_FAULT },
        { replace_next, TRENCH_ERR_INVAL },
        { take_itself, 0 },
    };

    (void)state;
    for (size_t i = 0; i < 2 * ARRAY_LEN(rows); i++) {
        struct changer c = { .change = rows[i / 2].change };
        const struct trench_bus_window window = { .name = "changer",
                                                  .base = 0x2000,
                                                  .size_bytes = 0x10,
                                                  .ops = &changer_ops,
                                                  .opaque = &c };
        uint8_t *buf = calloc(1, 0x13); /* no byte more */

        assert_non_null(buf);
        CHECK_EQ(trench_bus_create(&c.bus), 0, "bus");
        CHECK_EQ(trench_bus_add_window(c.bus, &window), 0, "window");
        CHECK_EQ(add_mem(c.bus, 0x2010, 0x10), 0, "memory");
        CHECK_EQ(i % 2 ? trench_bus_write(c.bus, 0, 0x2000, buf, 0x13)
                       : trench_bus_read(c.bus, 0, 0x2000, buf, 0x13),
                 rows[i / 2].err, "row %zu", i);
        CHECK_EQ(c.nr, 4, "row %zu: words", i);
        trench_bus_destroy(c.bus);
        free(buf);
    }
}

/* ---- access -------------------------------------------------------------- */

/* Memory, window, memory without a gap: one transfer goes over all. */
static void test_bus_transfers_cross_regions(void **state)
{
    struct trench_bus *bus = *state;
    struct dev dev = { 0 };
    uint8_t out[0x60];
    uint8_t in[0x60] = { 0 };

    CHECK_EQ(add_mem(bus, 0x1000, 0x20), 0, "low");
    CHECK_EQ(add_dev(bus, 0x1020, 0x20, &dev), 0, "window");
    CHECK_EQ(add_mem(bus, 0x1040, 0x20), 0, "high");
    for (size_t i = 0; i < sizeof(out); i++) {
        out[i] = (uint8_t)(i * 7 + 1);
    }
    CHECK_EQ(trench_bus_write(bus, 0, 0x1000, out, sizeof(out)), 0, "write");
    CHECK_EQ(dev.nr_writes, 8, "each word once");
    CHECK_EQ(dev.last, 0x1C, "in ascending order");
    CHECK_EQ(trench_bus_read(bus, 0, 0x1000, in, sizeof(in)), 0, "read");
    CHECK_MEM(in, out, sizeof(out), "round trip");
    CHECK_EQ(dev.nr_reads, 8, "each word once");
    /* A word is little-endian on the bus. */
    for (unsigned i = 0; i < 8; i++) {
        uint32_t word;

        memcpy(&word, out + 0x20 + 4 * i, 4);
        CHECK_EQ(dev.words[i], le32toh(word), "word %u", i);
    }
    /* Odd ends in memory are fine where the window's part is whole. */
    CHECK_EQ(trench_bus_read(bus, 0, 0x101D, in, 3 + 0x20 + 5), 0, "odd ends");
    CHECK_MEM(in, out + 0x1D, 3 + 0x20 + 5, "odd ends");
}

static void test_bus_single_words(void **state)
{
    struct trench_bus *bus = *state;
    struct dev dev = { 0 };
    uint32_t val = 0;

    CHECK_EQ(add_mem(bus, 0x1000, 0x20), 0, "memory");
    CHECK_EQ(add_dev(bus, 0x2000, 0x20, &dev), 0, "window");
    CHECK_EQ(trench_bus_write32(bus, 0x1004, 0x11223344), 0, "memory");
    CHECK_EQ(*(uint8_t *)trench_bus_host(bus, 0x1004, 1), 0x44, "little end");
    CHECK_EQ(trench_bus_read32(bus, 0x1004, &val), 0, "memory");
    CHECK_EQ(val, 0x11223344, "memory");
    CHECK_EQ(trench_bus_write32(bus, 0x201C, 0x55667788), 0, "window");
    CHECK_EQ(dev.words[7], 0x55667788, "window");
    CHECK_EQ(trench_bus_read32(bus, 0x201C, &val), 0, "window");
    CHECK_EQ(val, 0x55667788, "window");
    CHECK_EQ(trench_bus_read32(bus, 0x2020, &val), TRENCH_ERR_FAULT, "behind");
    CHECK_EQ(trench_bus_read32(bus, 0x2002, &val), TRENCH_ERR_INVAL, "odd");
    CHECK_EQ(trench_bus_write32(bus, 0x2002, 1), TRENCH_ERR_INVAL, "odd");
    CHECK_EQ(dev.nr_writes, 1, "refused before the device");
}

/* A hole at every place of a transfer: refused, and nothing has changed. */
static void test_bus_refuses_partial_ranges(void **state)
{
    struct trench_bus *bus = *state;
    struct dev dev = { 0 };
    static const uint8_t zeros[0x20];

    for (unsigned hole = 0; hole < 4; hole++) {
        for (unsigned part = 0; part < 4; part++) {
            uint64_t base = 0x1000 + 0x20 * (uint64_t)part;

            if (part != hole) {
                CHECK_EQ(part == 1 ? add_dev(bus, base, 0x20, &dev)
                                   : add_mem(bus, base, 0x20),
                         0, "hole %u part %u", hole, part);
            }
        }
        dev = (struct dev){ 0 };
        CHECK_EQ(write_at(bus, 0x1000, 0x80), TRENCH_ERR_FAULT, "hole %u",
                 hole);
        CHECK_EQ(read_at(bus, 0x1000, 0x80), TRENCH_ERR_FAULT, "hole %u", hole);
        CHECK_EQ(dev.nr_reads + dev.nr_writes, 0, "hole %u", hole);
        for (unsigned part = 0; part < 4; part++) {
            uint64_t base = 0x1000 + 0x20 * (uint64_t)part;
            void *host = trench_bus_host(bus, base, 0x20);

            if (host) {
                CHECK_MEM(host, zeros, 0x20, "hole %u part %u", hole, part);
            }
            trench_bus_remove(bus, base);
        }
    }
}

/* H51: registers are words; all else is refused before the device. */
static void test_bus_windows_take_whole_words(void **state)
{
    struct trench_bus *bus = *state;
    struct dev dev = { 0 };

    CHECK_EQ(add_dev(bus, 0x1000, 0x40, &dev), 0, "window");
    for (uint64_t off = 0; off < 8; off++) {
        for (uint64_t len = 1; len <= 9; len++) {
            int want = off % 4 || len % 4 ? TRENCH_ERR_INVAL : 0;
            uint32_t before = dev.nr_reads + dev.nr_writes;

            CHECK_EQ(read_at(bus, 0x1000 + off, len), want,
                     "read off=%llu len=%llu", ULL(off), ULL(len));
            CHECK_EQ(write_at(bus, 0x1000 + off, len), want,
                     "write off=%llu len=%llu", ULL(off), ULL(len));
            CHECK_EQ(dev.nr_reads + dev.nr_writes - before, want ? 0 : len / 2,
                     "off=%llu len=%llu", ULL(off), ULL(len));
        }
    }
}

static void test_bus_zero_length_does_nothing(void **state)
{
    static const uint64_t addrs[] = { 0x1000, 0x1001, 0x9000, UINT64_MAX };
    struct trench_bus *bus = *state;
    struct dev dev = { 0 };

    CHECK_EQ(add_dev(bus, 0x1000, 0x40, &dev), 0, "window");
    for (size_t i = 0; i < ARRAY_LEN(addrs); i++) {
        CHECK_EQ(trench_bus_read(bus, 0, addrs[i], NULL, 0), 0, "%zu", i);
        CHECK_EQ(trench_bus_write(bus, 0, addrs[i], NULL, 0), 0, "%zu", i);
    }
    CHECK_EQ(dev.nr_reads + dev.nr_writes, 0, "no access");
    CHECK_EQ(last_fault(bus).count, 0, "no fault");
}

/* The device's own code comes back, from whichever word refused. */
static void test_bus_device_refusal(void **state)
{
    struct trench_bus *bus = *state;
    struct dev dev = { .refuse = TRENCH_ERR_ACCES };

    CHECK_EQ(add_dev(bus, 0x1000, 0x40, &dev), 0, "window");
    for (uint64_t at = 0; at < 0x20; at += 4) {
        dev.refuse_at = at;
        dev.nr_reads = dev.nr_writes = 0;
        CHECK_EQ(read_at(bus, 0x1000, 0x20), TRENCH_ERR_ACCES, "at %llu",
                 ULL(at));
        CHECK_EQ(dev.nr_reads, at / 4 + 1, "stops at once");
        CHECK_EQ(write_at(bus, 0x1000, 0x20), TRENCH_ERR_ACCES, "at %llu",
                 ULL(at));
        CHECK_EQ(dev.nr_writes, at / 4 + 1, "stops at once");
        CHECK_EQ(last_fault(bus).err, TRENCH_ERR_ACCES, "recorded");
    }
}

/* A register may act when it is accessed, so a refusal is no second try. */
static void test_bus_refused_word_is_tried_once(void **state)
{
    struct trench_bus *bus = *state;
    struct dev dev = { .refuse = TRENCH_ERR_ACCES, .refuse_at = 8 };
    uint32_t val = 0x1234;

    CHECK_EQ(add_dev(bus, 0x1000, 0x40, &dev), 0, "window");
    CHECK_EQ(trench_bus_write32(bus, 0x1008, 1), TRENCH_ERR_ACCES, "write");
    CHECK_EQ(dev.nr_writes, 1, "write");
    CHECK_EQ(trench_bus_read32(bus, 0x1008, &val), TRENCH_ERR_ACCES, "read");
    CHECK_EQ(val, 0x1234, "untouched");
    CHECK_EQ(last_fault(bus).count, 2, "one fault each");
    CHECK_EQ(dev.nr_reads, 1, "read");
}

/* ---- faults -------------------------------------------------------------- */

static void check_fault(const struct trench_bus *bus,
                        const struct trench_bus_fault *want, size_t row)
{
    struct trench_bus_fault got = last_fault(bus);

    CHECK_EQ(got.count, want->count, "row %zu", row);
    CHECK_EQ(got.addr, want->addr, "row %zu", row);
    CHECK_EQ(got.size_bytes, want->size_bytes, "row %zu", row);
    CHECK_EQ(got.initiator, want->initiator, "row %zu", row);
    CHECK_EQ(got.dir, want->dir, "row %zu", row);
    CHECK_EQ(got.err, want->err, "row %zu", row);
}

static void test_bus_fault_record(void **state)
{
    static const struct {
        uint64_t addr;
        uint64_t len;
        int err;
    } rows[] = {
        { 0x9000, 1, TRENCH_ERR_FAULT }, { 0x1FF0, 0x11, TRENCH_ERR_FAULT },
        { 0x3001, 4, TRENCH_ERR_INVAL }, { 0x3000, 6, TRENCH_ERR_INVAL },
        { 0x3008, 4, TRENCH_ERR_BUSY },  { 0x3000, 0x10, TRENCH_ERR_BUSY },
        { 0x2FFF, 9, TRENCH_ERR_FAULT },
    };
    struct trench_bus *bus = *state;
    struct dev dev = { .refuse = TRENCH_ERR_BUSY, .refuse_at = 8 };
    uint8_t buf[64] = { 0 };
    uint64_t count = 0;

    CHECK_EQ(last_fault(bus).count, 0, "none yet");
    CHECK_EQ(add_mem(bus, 0x1000, 0x1000), 0, "memory");
    CHECK_EQ(add_dev(bus, 0x3000, 0x100, &dev), 0, "window");
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        for (unsigned dir = TRENCH_BUS_READ; dir <= TRENCH_BUS_WRITE; dir++) {
            uint32_t who = TRENCH_BUS_ENGINE_0 + (uint32_t)i;
            uint64_t addr = rows[i].addr | (uint64_t)(i % 4) << 56;
            struct trench_bus_fault want = {
                .count = ++count,
                .addr = rows[i].addr, /* attributes dropped */
                .size_bytes = rows[i].len,
                .initiator = who,
                .dir = dir,
                .err = rows[i].err,
            };

            CHECK_EQ(dir == TRENCH_BUS_READ
                         ? trench_bus_read(bus, who, addr, buf, rows[i].len)
                         : trench_bus_write(bus, who, addr, buf, rows[i].len),
                     rows[i].err, "row %zu", i);
            check_fault(bus, &want, i);
            CHECK_EQ(read_at(bus, 0x1000, 8), 0, "what works");
            check_fault(bus, &want, i); /* leaves the record alone */
        }
    }
}

static void test_bus_fault_of_single_words(void **state)
{
    struct trench_bus *bus = *state;
    struct trench_bus_fault want = {
        .addr = 0x9000,
        .size_bytes = 4,
        .initiator = TRENCH_BUS_SOFTWARE,
        .err = TRENCH_ERR_FAULT,
    };
    uint32_t val;

    CHECK_EQ(trench_bus_read32(bus, 0x9000, &val), TRENCH_ERR_FAULT, "read");
    want.count = 1;
    want.dir = TRENCH_BUS_READ;
    check_fault(bus, &want, 0);
    CHECK_EQ(trench_bus_write32(bus, 0x9000, 0), TRENCH_ERR_FAULT, "write");
    want.count = 2;
    want.dir = TRENCH_BUS_WRITE;
    check_fault(bus, &want, 1);
}

/* ---- addresses ----------------------------------------------------------- */

/* H64: bits 56 and 57 never matter; bits 63:58 lead nowhere. */
static void test_bus_attribute_bits(void **state)
{
    struct trench_bus *bus = *state;
    uint32_t val;

    CHECK_EQ(add_mem(bus, 0x1000, 0x1000), 0, "memory");
    for (uint64_t attr = 0; attr < 4; attr++) {
        uint64_t addr = 0x1010 | attr << 56;

        CHECK_EQ(trench_bus_write32(bus, addr, (uint32_t)attr + 5), 0,
                 "attr %llu", ULL(attr));
        CHECK_EQ(trench_bus_read32(bus, 0x1010, &val), 0, "plain");
        CHECK_EQ(val, attr + 5, "one place");
        CHECK_EQ(trench_bus_host(bus, addr, 4) ==
                     trench_bus_host(bus, 0x1010, 4),
                 true, "attr %llu", ULL(attr));
    }
    for (unsigned bit = 13; bit < 64; bit++) {
        uint64_t addr = 0x1010 | UINT64_C(1) << bit;

        CHECK_EQ(trench_bus_read32(bus, addr, &val),
                 bit == 56 || bit == 57 ? 0 : TRENCH_ERR_FAULT, "bit %u", bit);
    }
}

/* Ranges at the top end there; sums never come round to address 0. */
static void test_bus_top_of_address_space(void **state)
{
    static const struct {
        uint64_t addr;
        uint64_t len;
        int err;
    } rows[] = {
        { TOP - 0x10, 0x10, 0 },
        { TOP - 1, 1, 0 },
        { TOP - 0x10, 0x11, TRENCH_ERR_FAULT },
        { TOP - 1, 2, TRENCH_ERR_FAULT },
        { TOP * 3 + TOP - 0x10, 0x10, 0 }, /* both attributes set */
        { TOP * 3 + TOP - 0x10, 0x11, TRENCH_ERR_FAULT },
        { TOP * 4 - 1, 2, TRENCH_ERR_FAULT },
        { UINT64_MAX, 1, TRENCH_ERR_FAULT },
        { UINT64_MAX, 2, TRENCH_ERR_FAULT },
        { UINT64_MAX - 0xF, 0x20, TRENCH_ERR_FAULT },
        { TOP - 0x10, UINT64_MAX, TRENCH_ERR_FAULT },
        { 0, UINT64_MAX, TRENCH_ERR_FAULT },
        { 0x10, UINT64_MAX - 0xF, TRENCH_ERR_FAULT },
        { 0x10, UINT64_MAX - 0xE, TRENCH_ERR_FAULT },
    };
    struct trench_bus *bus = *state;
    uint8_t buf[0x100] = { 0 };

    CHECK_EQ(add_mem(bus, 0, 0x1000), 0, "bottom");
    CHECK_EQ(add_mem(bus, TOP - PAGE, PAGE), 0, "top");
    memset(trench_bus_host(bus, 0, 0x1000), 0xAB, 0x1000);
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        CHECK_EQ(trench_bus_write(bus, 0, rows[i].addr, buf, rows[i].len),
                 rows[i].err, "row %zu", i);
        CHECK_EQ(trench_bus_host(bus, rows[i].addr, rows[i].len) != NULL,
                 rows[i].err == 0, "row %zu", i);
        CHECK_EQ(*(uint8_t *)trench_bus_host(bus, 0, 1), 0xAB, "row %zu", i);
    }
}

static void test_bus_host_lookup(void **state)
{
    static const struct {
        uint64_t addr;
        uint64_t len;
        bool there;
    } rows[] = {
        { 0x2000, 0x1000, true },  { 0x2000, 0x1001, false },
        { 0x1FFF, 1, false },      { 0x1FFF, 2, false },
        { 0x1FFF, 0x1001, false }, { 0x2000, 1, true },
        { 0x2FFF, 1, true },       { 0x2FFF, 2, false },
        { 0x3000, 1, false },      { 0x2001, 0xFFF, true },
        { 0x2001, 0x1000, false }, { 0x2800, UINT64_MAX, false },
        { 0x2800, 0, true },       { 0x8000, 4, false },    /* a window */
        { 0x4000, 0x20, true },    { 0x4010, 0x20, false }, /* two regions */
    };
    struct trench_bus *bus = *state;
    struct dev dev = { 0 };
    uint8_t *base;

    CHECK_EQ(add_mem(bus, 0x2000, 0x1000), 0, "memory");
    CHECK_EQ(add_mem(bus, 0x4000, 0x20), 0, "memory");
    CHECK_EQ(add_mem(bus, 0x4020, 0x20), 0, "memory");
    CHECK_EQ(add_dev(bus, 0x8000, 0x100, &dev), 0, "window");
    base = trench_bus_host(bus, 0x2000, 1);
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        uint8_t *host = trench_bus_host(bus, rows[i].addr, rows[i].len);

        CHECK_EQ(host != NULL, rows[i].there, "row %zu", i);
        if (host && rows[i].addr < 0x3000) {
            CHECK_EQ(host - base, rows[i].addr - 0x2000, "row %zu", i);
        }
    }
    CHECK_EQ(last_fault(bus).count, 0, "a lookup is not an access");
}

/* ---- copies -------------------------------------------------------------- */

#define COPY_BYTES 10000u /* more than any bounce buffer so far */

/* By how much the destination lies above the source. */
static void check_overlap(struct trench_bus *bus, uint64_t src, int64_t shift)
{
    static uint8_t want[COPY_BYTES];
    uint64_t dst = src + (uint64_t)shift;
    enum trench_bus_dir failed;
    uint8_t got[COPY_BYTES];

    for (unsigned i = 0; i < COPY_BYTES; i++) {
        want[i] = (uint8_t)(i * 31 + i / 256);
    }
    CHECK_EQ(trench_bus_write(bus, 0, src, want, COPY_BYTES), 0, "fill");
    CHECK_EQ(bus_copy(bus, 1, dst, src, COPY_BYTES, &failed), 0, "shift %lld",
             (long long)shift);
    CHECK_EQ(trench_bus_read(bus, 0, dst, got, COPY_BYTES), 0, "read back");
    CHECK_MEM(got, want, COPY_BYTES, "src 0x%llx shift %lld", ULL(src),
              (long long)shift);
}

static const int64_t shifts[] = { 0, 1, 4, 64, 4095, 4096, 5000, 9999, 10000 };

/* "Overlapping memory copies as memmove": in one region ... */
static void test_bus_copy_overlaps_in_a_region(void **state)
{
    struct trench_bus *bus = *state;

    CHECK_EQ(add_mem(bus, 0x100000, 0x100000), 0, "memory");
    for (size_t i = 0; i < ARRAY_LEN(shifts); i++) {
        check_overlap(bus, 0x110000, shifts[i]);
        check_overlap(bus, 0x110000, -shifts[i]);
    }
}

/* ... and where both ranges run over the border of two. */
static void test_bus_copy_overlaps_across_regions(void **state)
{
    struct trench_bus *bus = *state;

    CHECK_EQ(add_mem(bus, 0x100000, 0x10000), 0, "low");
    CHECK_EQ(add_mem(bus, 0x110000, 0x10000), 0, "high");
    for (size_t i = 0; i < ARRAY_LEN(shifts); i++) {
        check_overlap(bus, 0x110000 - 3000, -shifts[i]);
        check_overlap(bus, 0x110000 - 3000, shifts[i]);
    }
}

/* Both ranges are checked before the first byte moves. */
static void test_bus_copy_is_checked_as_a_whole(void **state)
{
    static const struct {
        uint64_t dst;
        uint64_t src;
        uint64_t len;
        int err;
        unsigned failed;
    } rows[] = {
        { 0x1000, 0x9000, 0x20, TRENCH_ERR_FAULT, TRENCH_BUS_READ },
        { 0x9000, 0x1000, 0x20, TRENCH_ERR_FAULT, TRENCH_BUS_WRITE },
        { 0x1800, 0x1FF0, 0x11, TRENCH_ERR_FAULT, TRENCH_BUS_READ },
        { 0x30F0, 0x1000, 0x14, TRENCH_ERR_FAULT, TRENCH_BUS_WRITE },
        { 0x3000, 0x1000, 0x13, TRENCH_ERR_INVAL, TRENCH_BUS_WRITE },
        { 0x3002, 0x1000, 0x10, TRENCH_ERR_INVAL, TRENCH_BUS_WRITE },
        { 0x1000, 0x3002, 0x10, TRENCH_ERR_INVAL, TRENCH_BUS_READ },
        { 0x9000, 0x3000, 0x10, TRENCH_ERR_FAULT, TRENCH_BUS_WRITE },
    };
    struct trench_bus *bus = *state;
    struct dev dev = { 0 };

    CHECK_EQ(add_mem(bus, 0x1000, 0x1000), 0, "memory");
    CHECK_EQ(add_dev(bus, 0x3000, 0x100, &dev), 0, "window");
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        enum trench_bus_dir failed = TRENCH_BUS_READ + 7;

        CHECK_EQ(
            bus_copy(bus, 9, rows[i].dst, rows[i].src, rows[i].len, &failed),
            rows[i].err, "row %zu", i);
        CHECK_EQ(failed, rows[i].failed, "row %zu", i);
        CHECK_EQ(dev.nr_reads + dev.nr_writes, 0, "row %zu", i);
        CHECK_EQ(last_fault(bus).count, i + 1, "row %zu", i);
        CHECK_EQ(last_fault(bus).dir, rows[i].failed, "row %zu", i);
        CHECK_EQ(last_fault(bus).initiator, 9, "row %zu", i);
    }
}

/* ---- cost ---------------------------------------------------------------- */

static uint64_t resident_bytes(void)
{
    unsigned long size, resident;
    FILE *f = fopen("/proc/self/statm", "r");

    CHECK_EQ(f != NULL, true, "/proc/self/statm");
    CHECK_EQ(fscanf(f, "%lu %lu", &size, &resident), 2, "statm");
    fclose(f);
    return resident * (uint64_t)sysconf(_SC_PAGESIZE);
}

/* Four stacks of 24 GiB, a byte here and there: pages, not gigabytes. */
static void test_bus_sparse_memory_costs_little(void **state)
{
    struct trench_bus *bus = *state;
    uint64_t before = resident_bytes();
    uint8_t byte = 1;

    for (uint64_t h = 0; h < 4; h++) {
        uint64_t base = h << 38;

        CHECK_EQ(add_mem(bus, base, GIB(24)), 0, "stack %llu", ULL(h));
        for (uint64_t at = 0; at < GIB(24); at += GIB(2)) {
            CHECK_EQ(trench_bus_write(bus, 0, base + at, &byte, 1), 0,
                     "stack %llu at 0x%llx", ULL(h), ULL(at));
        }
        CHECK_EQ(trench_bus_write(bus, 0, base + GIB(24) - 1, &byte, 1), 0,
                 "last byte");
    }
    /* 52 pages were touched; with huge pages each may cost 2 MiB. */
    CHECK_EQ(resident_bytes() - before <= 52 * (UINT64_C(2) << 20), true,
             "grew by %llu bytes", ULL(resident_bytes() - before));
}

static void test_bus_destroy_takes_null(void **state)
{
    (void)state;
    trench_bus_destroy(NULL);
}

/* A bus without a region: UBSan watches this one. */
static void test_bus_empty(void **state)
{
    uint32_t val = 7;

    CHECK_EQ(trench_bus_read32(*state, 0, &val), TRENCH_ERR_FAULT, "read");
    CHECK_EQ(trench_bus_write32(*state, 0, 7), TRENCH_ERR_FAULT, "write");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_bus_refuses_bad_ranges),
        TEST(test_bus_refuses_bad_windows),
        TEST(test_bus_refuses_overlaps),
        TEST(test_bus_anonymous_memory_is_zeroed),
        TEST(test_bus_host_memory_is_shared),
        TEST(test_bus_file_memory_is_shared),
        TEST(test_bus_refuses_bad_backing),
        TEST(test_bus_finds_among_many_regions),
        TEST(test_bus_region_at),
        TEST(test_bus_names_are_copied_and_cut),
        TEST(test_bus_remove),
        TEST(test_bus_changes_during_an_access),
        TEST(test_bus_transfers_cross_regions),
        TEST(test_bus_single_words),
        TEST(test_bus_refuses_partial_ranges),
        TEST(test_bus_windows_take_whole_words),
        TEST(test_bus_zero_length_does_nothing),
        TEST(test_bus_device_refusal),
        TEST(test_bus_refused_word_is_tried_once),
        TEST(test_bus_fault_record),
        TEST(test_bus_fault_of_single_words),
        TEST(test_bus_attribute_bits),
        TEST(test_bus_top_of_address_space),
        TEST(test_bus_host_lookup),
        TEST(test_bus_copy_overlaps_in_a_region),
        TEST(test_bus_copy_overlaps_across_regions),
        TEST(test_bus_copy_is_checked_as_a_whole),
        TEST(test_bus_sparse_memory_costs_little),
        TEST(test_bus_destroy_takes_null),
        TEST(test_bus_empty),
    };

    return cmocka_run_group_tests_name("bus", tests, NULL, NULL);
}
