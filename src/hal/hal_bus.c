/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Operations over a bus, for programs that run in the model's process.
 *
 * Memory comes from one range, first fit. The range is described by blocks
 * that touch each other, in order of address, each free or used; none of it
 * is read or written before it is handed out. Freeing only changes and joins
 * blocks, so it cannot fail.
 */
#include <trench/hal.h>

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

struct block {
    struct block *prev;
    struct block *next;
    uint64_t base;
    uint64_t size_bytes;
    bool used;
};

struct trench_hal_bus {
    struct trench_bus *bus; /* borrowed */
    uint64_t base;
    char *host;          /* of base */
    struct block *first; /* never NULL */
};

int trench_hal_bus_create(struct trench_bus *bus, uint64_t mem_base,
                          uint64_t size_bytes, struct trench_hal_bus **out)
{
    struct trench_hal_bus *hb;
    char *host = NULL;

    if (size_bytes > 0) {
        host = trench_bus_host(bus, mem_base, size_bytes);
    }
    if (!host) {
        return TRENCH_ERR_FAULT;
    }
    hb = calloc(1, sizeof(*hb));
    if (!hb) {
        return TRENCH_ERR_NOMEM;
    }
    hb->first = calloc(1, sizeof(*hb->first));
    if (!hb->first) {
        free(hb);
        return TRENCH_ERR_NOMEM;
    }
    hb->first->base = mem_base;
    hb->first->size_bytes = size_bytes;
    hb->bus = bus;
    hb->base = mem_base;
    hb->host = host;
    *out = hb;
    return 0;
}

void trench_hal_bus_destroy(struct trench_hal_bus *hb)
{
    struct block *next;

    if (!hb) {
        return;
    }
    for (struct block *b = hb->first; b; b = next) {
        next = b->next;
        free(b);
    }
    free(hb);
}

static int bus_read32(void *opaque, uint64_t addr, uint32_t *val)
{
    struct trench_hal_bus *hb = opaque;

    return trench_bus_read32(hb->bus, addr, val);
}

static int bus_write32(void *opaque, uint64_t addr, uint32_t val)
{
    struct trench_hal_bus *hb = opaque;

    return trench_bus_write32(hb->bus, addr, val);
}

/* Bytes to leave out at the start of a block. */
static uint64_t pad_of(const struct block *b, size_t align)
{
    return -b->base & (align - 1); /* wraps by design */
}

static struct block *find_free(struct trench_hal_bus *hb, size_t size_bytes,
                               size_t align)
{
    for (struct block *b = hb->first; b; b = b->next) {
        uint64_t pad = pad_of(b, align);

        if (!b->used && pad <= b->size_bytes &&
            size_bytes <= b->size_bytes - pad) {
            return b;
        }
    }
    return NULL;
}

/* Make tail the part of b from offset on; 0 < offset < size. */
static void split(struct block *b, uint64_t offset, struct block *tail)
{
    tail->base = b->base + offset;
    tail->size_bytes = b->size_bytes - offset;
    tail->used = false;
    tail->prev = b;
    tail->next = b->next;
    if (b->next) {
        b->next->prev = tail;
    }
    b->next = tail;
    b->size_bytes = offset;
}

/* Take b's next neighbour into b when both are free. */
static void join_next(struct block *b)
{
    struct block *next = b->next;

    if (b->used || !next || next->used) {
        return;
    }
    b->size_bytes += next->size_bytes;
    b->next = next->next;
    if (b->next) {
        b->next->prev = b;
    }
    free(next);
}

/* Cut size_bytes at an aligned address out of b; NULL when out of memory. */
static struct block *carve(struct block *b, size_t size_bytes, size_t align)
{
    struct block *front = calloc(1, sizeof(*front));
    struct block *back = calloc(1, sizeof(*back));
    uint64_t pad = pad_of(b, align);

    if (!front || !back) {
        free(front);
        free(back);
        return NULL;
    }
    if (pad > 0) {
        split(b, pad, front);
        b = front;
    } else {
        free(front);
    }
    if (size_bytes < b->size_bytes) {
        split(b, size_bytes, back);
    } else {
        free(back);
    }
    b->used = true;
    return b;
}

static int bus_mem_alloc(void *opaque, size_t size_bytes, size_t align,
                         struct trench_hal_mem *out)
{
    struct trench_hal_bus *hb = opaque;
    struct block *b;

    assert(align > 0 && (align & (align - 1)) == 0);
    if (size_bytes == 0) {
        return TRENCH_ERR_NOMEM;
    }
    b = find_free(hb, size_bytes, align);
    if (b) {
        b = carve(b, size_bytes, align);
    }
    if (!b) {
        return TRENCH_ERR_NOMEM;
    }
    out->cpu = hb->host + (b->base - hb->base);
    out->dma = b->base;
    out->size_bytes = size_bytes;
    memset(out->cpu, 0, size_bytes);
    return 0;
}

static void bus_mem_free(void *opaque, const struct trench_hal_mem *mem)
{
    struct trench_hal_bus *hb = opaque;
    struct block *b = hb->first;

    while (b && b->base != mem->dma) {
        b = b->next;
    }
    assert(b && b->used); /* not ours, or freed twice */
    if (!b || !b->used) {
        return;
    }
    b->used = false;
    join_next(b);
    if (b->prev) {
        join_next(b->prev); /* b may be gone now */
    }
}

static uint64_t bus_now_ns(void *opaque)
{
    struct timespec ts;

    (void)opaque;
    clock_gettime(CLOCK_MONOTONIC, &ts);
    return (uint64_t)ts.tv_sec * UINT64_C(1000000000) + (uint64_t)ts.tv_nsec;
}

const struct trench_hal_ops *trench_hal_bus_ops(void)
{
    static const struct trench_hal_ops ops = {
        .read32 = bus_read32,
        .write32 = bus_write32,
        .mem_alloc = bus_mem_alloc,
        .mem_free = bus_mem_free,
        .now_ns = bus_now_ns,
    };

    return &ops;
}
