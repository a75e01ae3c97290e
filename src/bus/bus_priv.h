/* SPDX-License-Identifier: BSD-3-Clause */
/* The bus as the data path sees it. */
#ifndef TRENCH_BUS_PRIV_H
#define TRENCH_BUS_PRIV_H

#include <trench/bus.h>

#define BUS_NAME_SIZE 48
#define BUS_RECENT    256u /* a power of two */

struct bus_region {
    uint64_t base;
    uint64_t size;
    uint8_t *host; /* NULL = a device window */
    const struct trench_bus_dev_ops *ops;
    void *opaque;
    bool owns_mapping;
    char name[BUS_NAME_SIZE];
};

/*
 * Buses that reach each other: an address with the tag bit is one of the bus
 * that its identifier names, without both. The identifier is next to the tag
 * and above every local address. Shared by all of them.
 */
struct bus_links {
    uint64_t tag;
    uint64_t id_mask; /* in place */
    uint8_t id_lsb;
    unsigned nr;
    struct trench_bus **buses; /* by identifier */
};

struct trench_bus {
    /* Parallel arrays in address order; bases alone is searched. */
    uint64_t *bases;
    struct bus_region *regions;
    size_t nr;
    size_t capacity;
    size_t last;     /* region of the last single-word access */
    uint64_t layout; /* changes with the regions: host addresses may be kept */
    /* Regions of the last searches, by a few bits of their address. */
    uint32_t recent[BUS_RECENT];
    uint64_t tag; /* that of the links, 0 = alone */
    const struct bus_links *links;
    struct trench_bus_fault fault;
    uint64_t accesses[2]; /* of registers by software, by direction */
    uint64_t engine_accesses[2];
};

/*
 * Let a bus reach the others; the links are borrowed as long as it lives.
 * @return 0, or TRENCH_ERR_INVAL when something is mapped at or above the tag.
 */
int bus_link(struct trench_bus *bus, const struct bus_links *links);

/*
 * Host address of [addr, addr + len), as trench_bus_host(), trying first the
 * region that *hint numbers. A stale hint costs a search, never a wrong
 * answer: it is checked against the region's bounds.
 */
void *bus_host_search(struct trench_bus *bus, uint32_t *hint, uint64_t addr,
                      uint64_t len);

/* In that region, or NULL. */
static inline void *bus_host_hinted(const struct trench_bus *bus, uint32_t hint,
                                    uint64_t addr, uint64_t len)
{
    if (hint < bus->nr) {
        const struct bus_region *r = &bus->regions[hint];
        uint64_t off = addr - r->base;

        if (r->host && off < r->size && len <= r->size - off) {
            return r->host + off;
        }
    }
    return NULL;
}

static inline void *bus_host_hint(struct trench_bus *bus, uint32_t *hint,
                                  uint64_t addr, uint64_t len)
{
    void *host = bus_host_hinted(bus, *hint, addr, len);

    return host ? host : bus_host_search(bus, hint, addr, len);
}

/* Would the bus take all of an access? Records a fault when not. */
int bus_check(struct trench_bus *bus, uint32_t initiator, uint64_t addr,
              uint64_t len, enum trench_bus_dir dir);

/*
 * Copy between two ranges of the bus, as an engine does. Both ranges are
 * checked before the first byte moves. On failure *failed says which side
 * refused; a fault is recorded. Overlapping memory copies as memmove.
 */
int bus_copy(struct trench_bus *bus, uint32_t initiator, uint64_t dst,
             uint64_t src, uint64_t len, enum trench_bus_dir *failed);

/*
 * Copy one word from memory into a register, as an engine does. The hint is
 * that of bus_host_hint() for the memory.
 * @return 0, or what the register answered, of which a fault is recorded; 1
 *         when source or target is something else, and nothing was done.
 */
int bus_program(struct trench_bus *bus, uint32_t initiator, uint64_t dst,
                uint64_t src, uint32_t *hint);

#endif /* TRENCH_BUS_PRIV_H */
