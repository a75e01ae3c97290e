/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The bus: regions in address order, found by binary search over their bases.
 */
#include "bus/bus_priv.h"

#include <endian.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* First address that only differs from a decodable one by attribute bits. */
#define BUS_END (UINT64_C(1) << 56)

/* Bytes that pass through at once between memory and registers. */
#define BOUNCE_BYTES 4096u

int trench_bus_create(struct trench_bus **out)
{
    struct trench_bus *bus = calloc(1, sizeof(*bus));

    if (!bus) {
        return TRENCH_ERR_NOMEM;
    }
    *out = bus;
    return 0;
}

static void region_unmap(struct bus_region *r)
{
    if (r->owns_mapping) {
        munmap(r->host, r->size);
    }
}

void trench_bus_destroy(struct trench_bus *bus)
{
    if (!bus) {
        return;
    }
    for (size_t i = 0; i < bus->nr; i++) {
        region_unmap(&bus->regions[i]);
    }
    free(bus->bases);
    free(bus->regions);
    free(bus);
}

/*
 * Number of regions whose base is at or below addr. The step is arithmetic,
 * not a jump: which way it goes is a coin toss.
 */
static size_t regions_upto(const struct trench_bus *bus, uint64_t addr)
{
    const uint64_t *first = bus->bases;
    size_t n = bus->nr;

    while (n > 1) {
        size_t half = n / 2;

        first += half & (0 - (size_t)(first[half - 1] <= addr));
        n -= half;
    }
    return (size_t)(first - bus->bases) + (n == 1 && *first <= addr);
}

/*
 * Where an address was found last: a place for each side of the engines of a
 * NeuronCore, for its broadcast windows, and for each memory. A stale entry
 * costs a search.
 */
static uint32_t *region_recent(struct trench_bus *bus, uint64_t addr)
{
    uint64_t place =
        (addr >> 18 & ~UINT64_C(1)) ^ (addr >> 17 & 1) ^ addr >> 32;

    return &bus->recent[place & (BUS_RECENT - 1)];
}

static struct bus_region *region_find(struct trench_bus *bus, uint64_t addr)
{
    uint32_t *recent = region_recent(bus, addr);
    struct bus_region *r;
    size_t n;

    if (*recent < bus->nr) {
        r = &bus->regions[*recent];
        if (addr - r->base < r->size) {
            return r;
        }
    }
    n = regions_upto(bus, addr);
    if (n == 0) {
        return NULL;
    }
    *recent = (uint32_t)(n - 1);
    r = &bus->regions[n - 1];
    return addr - r->base < r->size ? r : NULL;
}

/* The bus that an address leads to, and the address there; NULL = none. */
static struct trench_bus *bus_linked(const struct trench_bus *bus,
                                     uint64_t *addr)
{
    const struct bus_links *links = bus->links;
    uint64_t id = (*addr & links->id_mask) >> links->id_lsb;

    *addr &= ~(links->tag | links->id_mask);
    return id < links->nr ? links->buses[id] : NULL;
}

/* The region of an address on whichever bus; *addr becomes what it is there. */
static struct bus_region *region_seek(struct trench_bus *bus, uint64_t *addr)
{
    if (*addr & bus->tag) {
        bus = bus_linked(bus, addr);
    }
    return bus ? region_find(bus, *addr) : NULL;
}

/* The same for software's single words, which tend to stay in one window. */
static struct bus_region *region_find_word(struct trench_bus *bus,
                                           uint64_t addr)
{
    struct bus_region *r;

    if (bus->last < bus->nr) {
        r = &bus->regions[bus->last];
        if (addr - r->base < r->size) {
            return r;
        }
    }
    if (addr & bus->tag) {
        return NULL; /* not of this bus */
    }
    r = region_find(bus, addr);
    if (r) {
        bus->last = (size_t)(r - bus->regions);
    }
    return r;
}

static int bus_grow(struct trench_bus *bus)
{
    size_t capacity = bus->capacity ? bus->capacity * 2 : 64;
    struct bus_region *regions;
    uint64_t *bases;

    if (bus->nr < bus->capacity) {
        return 0;
    }
    bases = realloc(bus->bases, capacity * sizeof(*bases));
    if (!bases) {
        return TRENCH_ERR_NOMEM;
    }
    bus->bases = bases;
    regions = realloc(bus->regions, capacity * sizeof(*regions));
    if (!regions) {
        return TRENCH_ERR_NOMEM;
    }
    bus->regions = regions;
    bus->capacity = capacity;
    return 0;
}

/* Where a range would go, after every check; the bus has room for it. */
static int region_place(struct trench_bus *bus, uint64_t base, uint64_t size,
                        size_t *at)
{
    uint64_t end = bus->tag ? bus->tag : BUS_END;
    size_t n;

    if (size == 0 || base >= end || size > end - base) {
        return TRENCH_ERR_INVAL;
    }
    n = regions_upto(bus, base);
    if (n > 0 && base - bus->bases[n - 1] < bus->regions[n - 1].size) {
        return TRENCH_ERR_EXIST;
    }
    if (n < bus->nr && bus->bases[n] - base < size) {
        return TRENCH_ERR_EXIST;
    }
    *at = n;
    return bus_grow(bus);
}

/* Host addresses that were kept are stale, also on the buses that reach it. */
static void layout_changed(struct trench_bus *bus)
{
    bus->layout++;
    for (unsigned i = 0; bus->links && i < bus->links->nr; i++) {
        if (bus->links->buses[i] != bus) {
            bus->links->buses[i]->layout++;
        }
    }
}

static void region_insert(struct trench_bus *bus, size_t at,
                          const struct bus_region *r, const char *name)
{
    size_t tail = bus->nr - at;

    memmove(&bus->bases[at + 1], &bus->bases[at], tail * sizeof(*bus->bases));
    memmove(&bus->regions[at + 1], &bus->regions[at],
            tail * sizeof(*bus->regions));
    bus->bases[at] = r->base;
    bus->regions[at] = *r;
    snprintf(bus->regions[at].name, BUS_NAME_SIZE, "%s", name ? name : "");
    bus->nr++;
    layout_changed(bus);
}

static int region_map(const struct trench_bus_mem *mem, struct bus_region *r)
{
    int flags =
        mem->from_fd ? MAP_SHARED : MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
    void *host;

    if (mem->size_bytes > SIZE_MAX) {
        return TRENCH_ERR_NOMEM;
    }
    host = mmap(NULL, mem->size_bytes, PROT_READ | PROT_WRITE, flags,
                mem->from_fd ? mem->fd : -1,
                mem->from_fd ? (off_t)mem->fd_offset : 0);
    if (host == MAP_FAILED) {
        return -errno;
    }
    r->host = host;
    r->owns_mapping = true;
    return 0;
}

int trench_bus_add_memory(struct trench_bus *bus,
                          const struct trench_bus_mem *mem)
{
    struct bus_region r = {
        .base = mem->base,
        .size = mem->size_bytes,
        .host = mem->host,
    };
    size_t at;
    int err;

    if (mem->host && mem->from_fd) {
        return TRENCH_ERR_INVAL;
    }
    err = region_place(bus, mem->base, mem->size_bytes, &at);
    if (!err && !mem->host) {
        err = region_map(mem, &r);
    }
    if (err) {
        return err;
    }
    region_insert(bus, at, &r, mem->name);
    return 0;
}

int trench_bus_add_window(struct trench_bus *bus,
                          const struct trench_bus_window *window)
{
    struct bus_region r = {
        .base = window->base,
        .size = window->size_bytes,
        .ops = window->ops,
        .opaque = window->opaque,
    };
    size_t at;
    int err;

    if (!window->ops || !window->ops->read32 || !window->ops->write32 ||
        window->base % 4 != 0 || window->size_bytes % 4 != 0) {
        return TRENCH_ERR_INVAL;
    }
    err = region_place(bus, window->base, window->size_bytes, &at);
    if (err) {
        return err;
    }
    region_insert(bus, at, &r, window->name);
    return 0;
}

int trench_bus_remove(struct trench_bus *bus, uint64_t base)
{
    size_t n = regions_upto(bus, base);
    size_t tail;

    if (n == 0 || bus->bases[n - 1] != base) {
        return TRENCH_ERR_NOENT;
    }
    region_unmap(&bus->regions[n - 1]);
    tail = bus->nr - n;
    memmove(&bus->bases[n - 1], &bus->bases[n], tail * sizeof(*bus->bases));
    memmove(&bus->regions[n - 1], &bus->regions[n],
            tail * sizeof(*bus->regions));
    bus->nr--;
    layout_changed(bus);
    return 0;
}

int bus_link(struct trench_bus *bus, const struct bus_links *links)
{
    const struct bus_region *top = bus->nr ? &bus->regions[bus->nr - 1] : NULL;

    if (top && top->base + top->size > links->tag) {
        return TRENCH_ERR_INVAL;
    }
    bus->links = links;
    bus->tag = links->tag;
    return 0;
}

/* On one bus. */
static const struct bus_region *region_from(const struct trench_bus *bus,
                                            uint64_t addr)
{
    size_t n = regions_upto(bus, addr);

    if (n > 0 && addr - bus->bases[n - 1] < bus->regions[n - 1].size) {
        n--; /* inside this one; otherwise the next one above */
    }
    return n < bus->nr ? &bus->regions[n] : NULL;
}

/* On the buses behind the tag, in the order of their addresses. */
static const struct bus_region *region_beyond(const struct trench_bus *bus,
                                              uint64_t addr, uint64_t *base)
{
    const struct bus_links *links = bus->links;
    uint64_t id =
        addr & links->tag ? (addr & links->id_mask) >> links->id_lsb : 0;
    uint64_t local =
        addr & links->tag ? addr & ~(links->tag | links->id_mask) : 0;

    if (addr >= links->tag << 1) {
        return NULL; /* above all of them */
    }
    for (; id < links->nr; id++, local = 0) {
        const struct bus_region *r = region_from(links->buses[id], local);

        /* A base in the identifier's place has no name. */
        if (r && r->base >> links->id_lsb == 0) {
            *base = r->base | links->tag | id << links->id_lsb;
            return r;
        }
    }
    return NULL;
}

int trench_bus_region_at(const struct trench_bus *bus, uint64_t addr,
                         struct trench_bus_region *out)
{
    const struct bus_region *r;
    uint64_t base = 0;

    addr &= ~TRENCH_BUS_ATTR_MASK;
    r = addr & bus->tag ? NULL : region_from(bus, addr);
    if (r) {
        base = r->base;
    } else if (bus->links) {
        r = region_beyond(bus, addr, &base);
    }
    if (!r) {
        return TRENCH_ERR_NOENT;
    }
    *out = (struct trench_bus_region){
        .name = r->name,
        .base = base,
        .size_bytes = r->size,
        .is_memory = r->host != NULL,
    };
    return 0;
}

static int bus_fault(struct trench_bus *bus,
                     const struct trench_bus_fault *fault)
{
    uint64_t count = bus->fault.count + 1;

    bus->fault = *fault;
    bus->fault.count = count;
    return fault->err;
}

/*
 * What an access touches first: a region, the address there, and how many of
 * its bytes. @return 0 or why it is refused.
 */
static int run_seek(struct trench_bus *bus, uint64_t addr, uint64_t len,
                    const struct bus_region **region, uint64_t *at, uint64_t *n)
{
    const struct bus_region *r;
    uint64_t rest;

    *at = addr;
    *region = r = region_seek(bus, at);
    if (!r) {
        return TRENCH_ERR_FAULT;
    }
    rest = r->size - (*at - r->base);
    *n = rest < len ? rest : len;
    return !r->host && (*at % 4 != 0 || *n % 4 != 0) ? TRENCH_ERR_INVAL : 0;
}

/* Refuses a range before anything is touched; records no fault. */
static int range_check(struct trench_bus *bus, uint64_t addr, uint64_t len)
{
    const struct bus_region *r;
    uint64_t at, n;
    int err = 0;

    while (len > 0) {
        err = run_seek(bus, addr, len, &r, &at, &n);
        if (err) {
            break;
        }
        addr += n; /* below BUS_END: regions end there at the latest */
        len -= n;
    }
    return err;
}

/*
 * One run inside one region; *accesses counts those of registers. A word is
 * little-endian on the bus, whatever the host is.
 */
static int region_access(const struct bus_region *r, uint64_t off, void *buf,
                         uint64_t len, enum trench_bus_dir dir,
                         uint64_t *accesses)
{
    /* The device may add and remove regions, so that this one moves. */
    const struct trench_bus_dev_ops *ops = r->ops;
    void *opaque = r->opaque;
    uint8_t *p = buf;

    if (r->host) {
        memcpy(dir == TRENCH_BUS_READ ? p : r->host + off,
               dir == TRENCH_BUS_READ ? r->host + off : p, len);
        return 0;
    }
    for (uint64_t i = 0; i < len; i += 4) {
        uint32_t word = 0;
        int err;

        ++*accesses;
        if (dir == TRENCH_BUS_READ) {
            err = ops->read32(opaque, off + i, &word);
            word = htole32(word);
            memcpy(p + i, &word, 4);
        } else {
            memcpy(&word, p + i, 4);
            err = ops->write32(opaque, off + i, le32toh(word));
        }
        if (err) {
            return err;
        }
    }
    return 0;
}

static int bus_access(struct trench_bus *bus, uint32_t initiator, uint64_t addr,
                      void *buf, uint64_t len, enum trench_bus_dir dir)
{
    struct trench_bus_fault fault = {
        .addr = addr & ~TRENCH_BUS_ATTR_MASK,
        .size_bytes = len,
        .initiator = initiator,
        .dir = dir,
    };
    uint64_t *accesses = initiator == TRENCH_BUS_SOFTWARE
                             ? &bus->accesses[dir]
                             : &bus->engine_accesses[dir];
    uint8_t *p = buf;

    addr = fault.addr;
    fault.err = range_check(bus, addr, len);
    while (!fault.err && len > 0) {
        const struct bus_region *r;
        uint64_t at, n;

        /* Again: what has been accessed may have changed what follows. */
        fault.err = run_seek(bus, addr, len, &r, &at, &n);
        if (fault.err) {
            break;
        }
        fault.err = region_access(r, at - r->base, p, n, dir, accesses);
        p += n;
        addr += n;
        len -= n;
    }
    return fault.err ? bus_fault(bus, &fault) : 0;
}

int trench_bus_read(struct trench_bus *bus, uint32_t initiator, uint64_t addr,
                    void *buf, uint64_t len)
{
    return bus_access(bus, initiator, addr, buf, len, TRENCH_BUS_READ);
}

int trench_bus_write(struct trench_bus *bus, uint32_t initiator, uint64_t addr,
                     const void *buf, uint64_t len)
{
    /* The buffer is only read from in this direction. */
    return bus_access(bus, initiator, addr, (void *)(uintptr_t)buf, len,
                      TRENCH_BUS_WRITE);
}

/* A device refused a single word. */
static int word_fault(struct trench_bus *bus, uint32_t initiator, uint64_t addr,
                      enum trench_bus_dir dir, int err)
{
    if (!err) {
        return 0;
    }
    return bus_fault(bus, &(struct trench_bus_fault){ .addr = addr,
                                                      .size_bytes = 4,
                                                      .initiator = initiator,
                                                      .dir = dir,
                                                      .err = err });
}

int trench_bus_read32(struct trench_bus *bus, uint64_t addr, uint32_t *val)
{
    const struct bus_region *r = region_find_word(bus, addr);
    uint32_t word;
    int err;

    if (r && !r->host && addr % 4 == 0) {
        bus->accesses[TRENCH_BUS_READ]++;
        err = r->ops->read32(r->opaque, addr - r->base, val);
        return word_fault(bus, TRENCH_BUS_SOFTWARE, addr, TRENCH_BUS_READ, err);
    }
    err = bus_access(bus, TRENCH_BUS_SOFTWARE, addr, &word, 4, TRENCH_BUS_READ);
    if (!err) {
        *val = le32toh(word);
    }
    return err;
}

int trench_bus_write32(struct trench_bus *bus, uint64_t addr, uint32_t val)
{
    const struct bus_region *r = region_find_word(bus, addr);
    uint32_t word = htole32(val);
    int err;

    if (r && !r->host && addr % 4 == 0) {
        bus->accesses[TRENCH_BUS_WRITE]++;
        err = r->ops->write32(r->opaque, addr - r->base, val);
        return word_fault(bus, TRENCH_BUS_SOFTWARE, addr, TRENCH_BUS_WRITE,
                          err);
    }
    return bus_access(bus, TRENCH_BUS_SOFTWARE, addr, &word, 4,
                      TRENCH_BUS_WRITE);
}

void *bus_host_search(struct trench_bus *bus, uint32_t *hint, uint64_t addr,
                      uint64_t len)
{
    const struct bus_region *r;
    bool foreign; /* a hint numbers a region of this bus */
    uint64_t off;

    addr &= ~TRENCH_BUS_ATTR_MASK;
    foreign = (addr & bus->tag) != 0;
    r = region_seek(bus, &addr);
    if (!r || !r->host) {
        return NULL;
    }
    off = addr - r->base;
    if (len > r->size - off) {
        return NULL;
    }
    if (!foreign) {
        *hint = (uint32_t)(r - bus->regions);
    }
    return r->host + off;
}

void *trench_bus_host(struct trench_bus *bus, uint64_t addr, uint64_t len)
{
    uint32_t hint = 0;

    return bus_host_search(bus, &hint, addr, len);
}

/*
 * Registers on one side at least, or several regions: through a bounce
 * buffer, checked before. From the end where the ranges overlap that way.
 */
static int copy_bounced(struct trench_bus *bus, uint32_t initiator,
                        uint64_t dst, uint64_t src, uint64_t len,
                        enum trench_bus_dir *failed)
{
    uint8_t bounce[BOUNCE_BYTES];
    bool backwards = dst > src && dst - src < len;

    for (uint64_t done = 0; done < len;) {
        uint64_t n = len - done < sizeof(bounce) ? len - done : sizeof(bounce);
        uint64_t at = backwards ? len - done - n : done;
        int err;

        *failed = TRENCH_BUS_READ;
        err = trench_bus_read(bus, initiator, src + at, bounce, n);
        if (err) {
            return err;
        }
        *failed = TRENCH_BUS_WRITE;
        err = trench_bus_write(bus, initiator, dst + at, bounce, n);
        if (err) {
            return err;
        }
        done += n;
    }
    return 0;
}

int bus_check(struct trench_bus *bus, uint32_t initiator, uint64_t addr,
              uint64_t len, enum trench_bus_dir dir)
{
    struct trench_bus_fault fault = {
        .addr = addr & ~TRENCH_BUS_ATTR_MASK,
        .size_bytes = len,
        .initiator = initiator,
        .dir = dir,
    };

    fault.err = range_check(bus, fault.addr, len);
    return fault.err ? bus_fault(bus, &fault) : 0;
}

/*
 * The region that holds all of a range, or NULL; *addr becomes what it is on
 * the region's bus.
 */
static const struct bus_region *region_around(struct trench_bus *bus,
                                              uint64_t *addr, uint64_t len)
{
    const struct bus_region *r = region_seek(bus, addr);

    return r && len <= r->size - (*addr - r->base) ? r : NULL;
}

int bus_program(struct trench_bus *bus, uint32_t initiator, uint64_t dst,
                uint64_t src, uint32_t *hint)
{
    const uint64_t addr = dst & ~TRENCH_BUS_ATTR_MASK;
    const struct bus_region *to;
    const void *from;
    uint32_t word;

    dst = addr;
    to = region_around(bus, &dst, sizeof(word));
    from = bus_host_hint(bus, hint, src, sizeof(word));
    if (!to || to->host || dst % 4 != 0 || !from) {
        return 1;
    }
    memcpy(&word, from, sizeof(word));
    bus->engine_accesses[TRENCH_BUS_WRITE]++;
    return word_fault(
        bus, initiator, addr, TRENCH_BUS_WRITE,
        to->ops->write32(to->opaque, dst - to->base, le32toh(word)));
}

int bus_copy(struct trench_bus *bus, uint32_t initiator, uint64_t dst,
             uint64_t src, uint64_t len, enum trench_bus_dir *failed)
{
    uint64_t from_addr = src & ~TRENCH_BUS_ATTR_MASK;
    uint64_t to_addr = dst & ~TRENCH_BUS_ATTR_MASK;
    const struct bus_region *from = region_around(bus, &from_addr, len);
    const struct bus_region *to = region_around(bus, &to_addr, len);
    int err;

    if (from && from->host && to && to->host) {
        memmove(to->host + (to_addr - to->base),
                from->host + (from_addr - from->base), len);
        return 0;
    }
    *failed = TRENCH_BUS_READ;
    err = bus_check(bus, initiator, src, len, *failed);
    if (!err) {
        *failed = TRENCH_BUS_WRITE;
        err = bus_check(bus, initiator, dst, len, *failed);
    }
    return err ? err : copy_bounced(bus, initiator, dst, src, len, failed);
}

void trench_bus_stats(const struct trench_bus *bus,
                      struct trench_bus_stats *out)
{
    *out = (struct trench_bus_stats){
        .reads = bus->accesses[TRENCH_BUS_READ],
        .writes = bus->accesses[TRENCH_BUS_WRITE],
        .engine_reads = bus->engine_accesses[TRENCH_BUS_READ],
        .engine_writes = bus->engine_accesses[TRENCH_BUS_WRITE],
    };
}

void trench_bus_last_fault(const struct trench_bus *bus,
                           struct trench_bus_fault *out)
{
    *out = bus->fault;
}
