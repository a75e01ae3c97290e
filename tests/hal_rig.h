/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A fake register page for tests of the driver library: it records every
 * access, serves what the test put there, and fails where the test says so.
 *
 * Offsets and words are literal here on purpose: they are copied from
 * udma-engine 5.8.1 and 5.8.2 (cayman), as a check that is independent of the
 * generated headers.
 */
#ifndef TRENCH_TESTS_HAL_RIG_H
#define TRENCH_TESTS_HAL_RIG_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <trench/hal.h>

#include "base/bits.h"

#define CHECK(cond, ...)                                                       \
    do {                                                                       \
        if (!(cond)) {                                                         \
            print_error("%s: ", #cond);                                        \
            fail_msg(__VA_ARGS__);                                             \
        }                                                                      \
    } while (0)

/* Random numbers always start from the same seed, so a failure repeats. */
#define SEED UINT64_C(0x9e3779b97f4a7c15)

static inline uint64_t next_random(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

/* first .. last, both possible */
static inline uint64_t pick(uint64_t *state, uint64_t first, uint64_t last)
{
    return first + next_random(state) % (last - first + 1);
}

#define CHANNEL    UINT64_C(0x10002000000)
#define PAGE_BYTES 0x41000u
/* From the processor's view of memory to the engine's. */
#define DMA_OFFSET UINT64_C(0x00400000000000)

struct access {
    bool write;
    uint32_t off;
    uint32_t val;
};

struct script {
    struct access rows[512];
    size_t nr;
};

static inline void add(struct script *s, bool write, uint32_t off, uint32_t val)
{
    assert_true(s->nr < ARRAY_LEN(s->rows));
    s->rows[s->nr++] = (struct access){ write, off, val };
}

static inline void wr(struct script *s, uint32_t off, uint32_t val)
{
    add(s, true, off, val);
}

static inline void rd(struct script *s, uint32_t off, uint32_t val)
{
    add(s, false, off, val);
}

struct fake {
    uint32_t regs[PAGE_BYTES / 4]; /* what reads return; writes only log */
    struct script log;
    int fail_in;       /* accesses before the one that fails; -1 = none does */
    int alloc_fail_in; /* the same for allocations */
    int live;          /* allocations not freed */
    int allocs;
    uint32_t skew; /* added to addresses, to break their alignment */
    uint64_t now_ns;
    uint64_t tick_ns; /* what a look at the clock costs */
    unsigned relaxes;
};

/* True once, when *left has come down to 0. */
static inline bool count_down(int *left)
{
    if (*left < 0) {
        return false;
    }
    return (*left)-- == 0;
}

static inline int fake_read32(void *opaque, uint64_t addr, uint32_t *val)
{
    struct fake *f = opaque;
    uint32_t off = (uint32_t)(addr - CHANNEL);

    assert_true(addr >= CHANNEL && addr - CHANNEL < PAGE_BYTES);
    if (count_down(&f->fail_in)) {
        return TRENCH_ERR_FAULT;
    }
    *val = f->regs[off / 4];
    rd(&f->log, off, *val);
    return 0;
}

static inline int fake_write32(void *opaque, uint64_t addr, uint32_t val)
{
    struct fake *f = opaque;

    assert_true(addr >= CHANNEL && addr - CHANNEL < PAGE_BYTES);
    if (count_down(&f->fail_in)) {
        return TRENCH_ERR_FAULT;
    }
    wr(&f->log, (uint32_t)(addr - CHANNEL), val);
    return 0;
}

static inline int fake_mem_alloc(void *opaque, size_t size_bytes, size_t align,
                                 struct trench_hal_mem *out)
{
    struct fake *f = opaque;
    void *cpu;

    if (count_down(&f->alloc_fail_in)) {
        return TRENCH_ERR_NOMEM;
    }
    assert_int_equal(posix_memalign(&cpu, align, size_bytes), 0);
    if (size_bytes < 1u << 20) { /* giant rings are not looked into */
        memset(cpu, 0, size_bytes);
    }
    out->cpu = cpu;
    out->dma = (uintptr_t)cpu + DMA_OFFSET + f->skew;
    out->size_bytes = size_bytes;
    f->live++;
    f->allocs++;
    return 0;
}

static inline void fake_mem_free(void *opaque, const struct trench_hal_mem *mem)
{
    struct fake *f = opaque;

    free(mem->cpu);
    f->live--;
}

static inline uint64_t fake_now_ns(void *opaque)
{
    struct fake *f = opaque;

    f->now_ns += f->tick_ns;
    return f->now_ns;
}

static inline void fake_relax(void *opaque)
{
    struct fake *f = opaque;

    f->relaxes++;
}

static const struct trench_hal_ops fake_ops = {
    .read32 = fake_read32,
    .write32 = fake_write32,
    .mem_alloc = fake_mem_alloc,
    .mem_free = fake_mem_free,
    .now_ns = fake_now_ns,
    .relax = fake_relax,
};

static inline struct fake *fake_create(void)
{
    struct fake *f = calloc(1, sizeof(*f));

    assert_non_null(f);
    f->regs[0x604 / 4] = 4; /* M2S_feature.dma_version */
    f->fail_in = -1;
    f->alloc_fail_in = -1;
    return f;
}

static inline void check_log(const struct fake *f, const struct script *want,
                             const char *what)
{
    for (size_t i = 0; i < f->log.nr && i < want->nr; i++) {
        const struct access *got = &f->log.rows[i];
        const struct access *row = &want->rows[i];

        CHECK(got->write == row->write && got->off == row->off &&
                  got->val == row->val,
              "%s: access %zu is %s 0x%05x 0x%08x, want %s 0x%05x 0x%08x", what,
              i, got->write ? "W" : "R", got->off, got->val,
              row->write ? "W" : "R", row->off, row->val);
    }
    CHECK(f->log.nr == want->nr, "%s: %zu accesses, want %zu", what, f->log.nr,
          want->nr);
}

static inline int open_engine(struct fake *f, bool ignore_ring_id,
                              struct trench_hal_engine **out)
{
    struct trench_hal_engine_conf conf = {
        .ops = &fake_ops,
        .opaque = f,
        .gen = trench_gen_find("cayman"),
        .base = CHANNEL,
        .ignore_ring_id = ignore_ring_id,
    };

    return trench_hal_engine_open(&conf, out);
}

static inline void script_command(struct script *s, uint32_t word)
{
    wr(s, 0x00204, word);
    wr(s, 0x20204, word);
}

/* An engine with one queue, and where its memory is. */
struct rig {
    struct fake *f;
    struct trench_hal_engine *engine;
    struct trench_hal_queue *queue;
    struct trench_hal_queue_conf conf;
    uint32_t *ring[2]; /* TX, RX: 4 words a descriptor */
    uint32_t *comp[2]; /* 1 and 4 words a completion */
};

static inline void *cpu_of(const struct fake *f, uint32_t off_low,
                           uint32_t off_high)
{
    uint64_t dma = 0;

    for (size_t i = 0; i < f->log.nr; i++) {
        if (f->log.rows[i].off == off_low) {
            dma |= f->log.rows[i].val;
        } else if (f->log.rows[i].off == off_high) {
            dma |= (uint64_t)f->log.rows[i].val << 32;
        }
    }
    return dma ? (void *)(uintptr_t)(dma - DMA_OFFSET) : NULL;
}

static inline void rig_init(struct rig *rig,
                            const struct trench_hal_queue_conf *conf)
{
    uint32_t tx = 0x1000 + conf->index * 0x1000;
    uint32_t rx = tx + 0x20000;

    rig->conf = *conf;
    rig->f = fake_create();
    assert_int_equal(open_engine(rig->f, false, &rig->engine), 0);
    rig->f->log.nr = 0;
    assert_int_equal(trench_hal_queue_open(rig->engine, conf, &rig->queue), 0);
    rig->ring[0] = cpu_of(rig->f, tx + 0x28, tx + 0x2c);
    rig->ring[1] = cpu_of(rig->f, rx + 0x28, rx + 0x2c);
    rig->comp[0] = cpu_of(rig->f, tx + 0x44, tx + 0x48);
    rig->comp[1] = cpu_of(rig->f, rx + 0x44, rx + 0x48);
    assert_non_null(rig->ring[0]);
    assert_non_null(rig->ring[1]);
    assert_true(!rig->comp[0] == conf->no_comp_rings);
    assert_true(!rig->comp[1] == conf->no_comp_rings);
}

static inline void rig_fini(struct rig *rig)
{
    rig->f->fail_in = -1;
    trench_hal_queue_close(rig->queue);
    assert_int_equal(rig->f->live, 0);
    trench_hal_engine_close(rig->engine);
    free(rig->f);
}

static inline void script_address(struct script *s, uint32_t off,
                                  const void *cpu)
{
    uint64_t dma = (uintptr_t)cpu + DMA_OFFSET;

    wr(s, off, (uint32_t)dma);
    wr(s, off + 4, (uint32_t)(dma >> 32));
}

/* udma-engine 5.8.2, plus completion rings where the driver has none. */
static inline void script_queue(struct script *s, const struct rig *rig,
                                uint32_t tx_entries, uint32_t rx_entries)
{
    uint32_t tx = 0x01000 + rig->conf.index * 0x1000;
    uint32_t rx = 0x21000 + rig->conf.index * 0x1000;

    wr(s, tx + 0x74, 0x3);
    wr(s, tx + 0x20, 0x03000000);
    wr(s, tx + 0xb0, 0x100);
    script_address(s, tx + 0x28, rig->ring[0]);
    wr(s, tx + 0x30, tx_entries);
    if (rig->comp[0]) {
        script_address(s, tx + 0x44, rig->comp[0]);
    }
    wr(s, tx + 0xa0, rig->comp[0] ? 3 : 0);
    wr(s, tx + 0x20, 0x03030000);
    wr(s, rx + 0x20, 0x03000000);
    wr(s, rx + 0x64, 0x100);
    script_address(s, rx + 0x28, rig->ring[1]);
    wr(s, rx + 0x30, rx_entries);
    if (rig->comp[1]) {
        script_address(s, rx + 0x44, rig->comp[1]);
    }
    wr(s, rx + 0x54, rig->comp[1] ? 3 : 0);
    wr(s, rx + 0x20, 0x03030000);
}

/* The usual queue of a test: neither a power of two, nor long. */
#define SMALL (&(const struct trench_hal_queue_conf){ .tx_entries = 48 })

static inline void check_desc(const struct rig *rig, int side, uint32_t idx,
                              uint32_t word0, uint32_t word1, uint64_t addr)
{
    const uint32_t *desc = rig->ring[side] + 4 * idx;

    CHECK(desc[0] == word0 && desc[1] == word1 && desc[2] == (uint32_t)addr &&
              desc[3] == addr >> 32,
          "%s %u is %08x %08x %08x %08x", side ? "RX" : "TX", idx, desc[0],
          desc[1], desc[2], desc[3]);
}

static inline bool all_zero(const uint32_t *words, size_t nr_words)
{
    for (size_t i = 0; i < nr_words; i++) {
        if (words[i] != 0) {
            return false;
        }
    }
    return true;
}

#endif /* TRENCH_TESTS_HAL_RIG_H */
