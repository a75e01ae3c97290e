/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A guest: memory in a file that a device can map, and the driver library
 * over whatever carries its accesses to the registers.
 */
#ifndef TRENCH_TESTS_GUEST_RIG_H
#define TRENCH_TESTS_GUEST_RIG_H

#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include <trench/hal.h>
#include <trench/map.h>
#include <trench/pci.h>

#define GUEST_BYTES (UINT64_C(8) << 20)
/* host-driver 2.12: the tag of host addresses on sunda. */
#define GUEST_TAG UINT64_C(0x100000000000)
/* Where the allocator of the driver's rings begins. */
#define GUEST_RINGS (UINT64_C(4) << 20)

struct guest {
    int fd;
    uint8_t *mem;
    uint64_t addr; /* of mem, for the device */
    uint64_t next;
    /* A register, by its offset in the register BAR. 0 or an error. */
    int (*read)(void *opaque, uint64_t offset, uint32_t *val);
    int (*write)(void *opaque, uint64_t offset, uint32_t val);
    void *opaque;
};

static inline bool guest_open(struct guest *g)
{
    memset(g, 0, sizeof(*g));
    g->addr = GUEST_TAG;
    g->next = GUEST_RINGS;
    g->fd = memfd_create("guest", MFD_CLOEXEC);
    if (g->fd < 0 || ftruncate(g->fd, (off_t)GUEST_BYTES)) {
        return false;
    }
    g->mem =
        mmap(NULL, GUEST_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, g->fd, 0);
    return g->mem != MAP_FAILED;
}

static inline void guest_close(struct guest *g)
{
    munmap(g->mem, GUEST_BYTES);
    close(g->fd);
}

/* ---- operations of the driver library ------------------------------------ */

static inline int guest_offset(uint64_t addr, uint64_t *offset)
{
    struct trench_map_bar bars[TRENCH_MAP_BARS];
    int n = trench_map_to_bar(trench_gen_find("sunda"), addr, bars);

    for (int i = 0; i < n; i++) {
        if (bars[i].window->bar == 0) {
            *offset = bars[i].offset;
            return 0;
        }
    }
    return TRENCH_ERR_FAULT;
}

static inline int guest_read32(void *opaque, uint64_t addr, uint32_t *val)
{
    struct guest *g = opaque;
    uint64_t offset;
    int err = guest_offset(addr, &offset);

    return err ? err : g->read(g->opaque, offset, val);
}

static inline int guest_write32(void *opaque, uint64_t addr, uint32_t val)
{
    struct guest *g = opaque;
    uint64_t offset;
    int err = guest_offset(addr, &offset);

    return err ? err : g->write(g->opaque, offset, val);
}

static inline int guest_alloc(void *opaque, size_t size, size_t align,
                              struct trench_hal_mem *out)
{
    struct guest *g = opaque;
    uint64_t at = (g->next + align - 1) & ~(uint64_t)(align - 1);

    if (at > GUEST_BYTES || size > GUEST_BYTES - at) {
        return TRENCH_ERR_NOMEM;
    }
    g->next = at + size;
    memset(g->mem + at, 0, size);
    *out = (struct trench_hal_mem){ g->mem + at, g->addr + at, size };
    return 0;
}

static inline void guest_free(void *opaque, const struct trench_hal_mem *mem)
{
    (void)opaque;
    (void)mem;
}

static inline uint64_t guest_now(void *opaque)
{
    struct timespec ts;

    (void)opaque;
    clock_gettime(CLOCK_MONOTONIC, &ts);
    return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

static const struct trench_hal_ops guest_ops = {
    .read32 = guest_read32,
    .write32 = guest_write32,
    .mem_alloc = guest_alloc,
    .mem_free = guest_free,
    .now_ns = guest_now,
};

/* Open an engine, and its queue 0. 0 or an error. */
static inline int guest_engine(struct guest *g, unsigned engine,
                               struct trench_hal_engine **e,
                               struct trench_hal_queue **q)
{
    struct trench_hal_engine_conf conf = {
        .ops = &guest_ops,
        .opaque = g,
        .gen = trench_gen_find("sunda"),
    };
    const struct trench_hal_queue_conf queue = { .tx_entries = 64,
                                                 .no_comp_rings = true };
    int err;

    trench_gen_engine_base(conf.gen, engine, false, &conf.base);
    trench_gen_block_base(conf.gen, engine, TRENCH_BLOCK_TDMA_MODEL, false,
                          &conf.app_base);
    err = trench_hal_engine_open(&conf, e);
    if (!err) {
        err = trench_hal_queue_open(*e, &queue, q);
        if (err) {
            trench_hal_engine_close(*e);
        }
    }
    return err;
}

/* One copy between addresses of the chip. 0 or an error. */
static inline int guest_move(struct trench_hal_queue *q, uint64_t dst,
                             uint64_t src, uint64_t len)
{
    int rc = trench_hal_copy(q, dst, src, len, 0);

    if (rc > 0) {
        rc = trench_hal_submit(q);
    }
    return rc < 0 ? rc : trench_hal_wait(q, UINT64_C(20000000000));
}

/*
 * From guest memory to the device and back, through the rings of an engine.
 * 0; an error; or 1 when the bytes that came back are others.
 */
static inline int guest_round_trip(struct guest *g, unsigned engine,
                                   uint64_t len)
{
    uint64_t src = 0;
    uint64_t back = UINT64_C(2) << 20;
    uint64_t hbm = UINT64_C(0x1000000);
    struct trench_hal_engine *e;
    struct trench_hal_queue *q;
    int err = guest_engine(g, engine, &e, &q);

    if (err) {
        return err;
    }
    for (uint64_t i = 0; i < len; i++) {
        g->mem[src + i] = (uint8_t)(i * 7 + i / 251 + 1);
    }
    memset(g->mem + back, 0, len);
    err = guest_move(q, hbm, g->addr + src, len);
    if (!err) {
        err = guest_move(q, g->addr + back, hbm, len);
    }
    trench_hal_queue_close(q);
    trench_hal_engine_close(e);
    if (!err && memcmp(g->mem + src, g->mem + back, len) != 0) {
        err = 1;
    }
    return err;
}

#endif /* TRENCH_TESTS_GUEST_RIG_H */
