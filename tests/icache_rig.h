/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A chip, a random image staged in HBM, and an instruction cache over it, with
 * everything that its firmware logs.
 */
#ifndef TRENCH_TESTS_ICACHE_RIG_H
#define TRENCH_TESTS_ICACHE_RIG_H

#include "check.h"

#include <trench/icache.h>
#include <trench/soc.h>

#include "seq/layout.h"
#include "tpb_xt_local_reg_gen.h"

#define STREAM    UINT64_C(0x40000000) /* in HBM 0 */
#define IMAGE_MAX 0x80000u
#define GLR(i)    TPB_XT_LOCAL_REG_GENERAL_LR(i)
#define CONTROL   TPB_XT_LOCAL_REG_HW_DECODE_CONTROL
#define MAX_LINES 4096u

struct icache_rig {
    struct trench_soc_conf soc_conf; /* before icache_rig_open() */
    struct trench_icache_conf conf;
    struct trench_soc *soc;
    struct trench_bus *bus;
    struct trench_icache *ic;
    struct trench_icache_assert failed;
    struct trench_gen_seq_addr addr;
    uint8_t *image; /* the staged one */
    uint8_t *dram;
    uint8_t *iram;
    char *lines[MAX_LINES];
    unsigned nr_lines;
};

static inline void icache_rig_log(void *opaque, enum trench_log_level level,
                                  const char *line)
{
    struct icache_rig *r = opaque;

    (void)level;
    if (r->nr_lines < MAX_LINES) {
        r->lines[r->nr_lines++] = strdup(line);
    }
}

static inline void icache_rig_forget(struct icache_rig *r)
{
    while (r->nr_lines > 0) {
        free(r->lines[--r->nr_lines]);
    }
}

/* Lines that begin with a text. */
static inline unsigned icache_rig_count(const struct icache_rig *r,
                                        const char *start)
{
    unsigned n = 0;

    for (unsigned i = 0; i < r->nr_lines; i++) {
        n += strncmp(r->lines[i], start, strlen(start)) == 0;
    }
    return n;
}

/* The only line that begins so, or NULL. */
static inline const char *icache_rig_line(const struct icache_rig *r,
                                          const char *start)
{
    const char *line = NULL;

    for (unsigned i = 0; i < r->nr_lines; i++) {
        if (strncmp(r->lines[i], start, strlen(start)) == 0) {
            line = r->lines[i];
        }
    }
    return icache_rig_count(r, start) == 1 ? line : NULL;
}

static inline uint64_t icache_rig_random(uint64_t *seed)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return *seed >> 16;
}

/* POOL of NeuronCore 0 of cayman, 8 KiB blocks, unless set otherwise. */
static inline void icache_rig_init(struct icache_rig *r)
{
    memset(r, 0, sizeof(*r));
    r->conf.seq = 2;
    r->conf.block_bytes = TRENCH_ICACHE_DEFAULT_BLOCK;
    r->conf.stream_base = STREAM;
    r->conf.stream_bytes = IMAGE_MAX;
    r->conf.log = icache_rig_log;
    r->conf.log_opaque = r;
}

static inline void icache_rig_chip(struct icache_rig *r)
{
    uint64_t seed = 1;

    r->soc_conf.gen = r->conf.gen;
    r->soc_conf.mailbox_words = r->conf.words;
    CHECK_EQ(trench_soc_create(&r->soc_conf, &r->soc), 0, "chip");
    r->bus = trench_soc_bus(r->soc);
    r->conf.bus = r->bus;
    r->image = trench_bus_host(r->bus, STREAM, IMAGE_MAX);
    for (uint32_t i = 0; i < IMAGE_MAX; i++) {
        r->image[i] = (uint8_t)icache_rig_random(&seed);
    }
    trench_gen_seq_addr(trench_soc_gen(r->soc), r->conf.core, r->conf.seq,
                        &r->addr);
    r->dram = trench_bus_host(r->bus, r->addr.dram, TRENCH_SEQ_DRAM_BYTES);
    r->iram = trench_bus_host(r->bus, r->addr.iram, TRENCH_SEQ_IRAM_BYTES);
}

static inline int icache_rig_try(struct icache_rig *r)
{
    if (!r->soc) {
        icache_rig_chip(r);
    }
    return trench_icache_create(&r->conf, &r->failed, &r->ic);
}

static inline void icache_rig_open(struct icache_rig *r)
{
    CHECK_EQ(icache_rig_try(r), 0, "cache");
}

static inline void icache_rig_close(struct icache_rig *r)
{
    trench_icache_destroy(r->ic);
    trench_soc_destroy(r->soc);
    icache_rig_forget(r);
}

/* Fetch, and compare the byte; returns what fetch returned. */
static inline int icache_rig_fetch(struct icache_rig *r, uint64_t offset)
{
    const uint8_t *bytes = NULL;
    int ret = trench_icache_fetch(r->ic, STREAM + offset, &bytes);

    if (ret >= 0) {
        CHECK_EQ(*bytes, r->image[offset], "offset 0x%llx", ULL(offset));
    }
    return ret;
}

static inline struct trench_icache_stats icache_rig_stats(struct icache_rig *r)
{
    struct trench_icache_stats stats;

    trench_icache_stats(r->ic, &stats);
    return stats;
}

static inline struct trench_icache_control icache_rig_control(
    struct icache_rig *r)
{
    struct trench_icache_control c;

    CHECK_EQ(trench_icache_decode(r->dram, &c), 0, "dump");
    return c;
}

static inline struct trench_icache_line icache_rig_at(struct icache_rig *r,
                                                      uint32_t idx)
{
    struct trench_icache_line line;

    CHECK_EQ(trench_icache_decode_line(r->dram, idx, &line), 0, "line %u", idx);
    return line;
}

static inline uint32_t icache_rig_local(struct icache_rig *r, uint32_t offset)
{
    uint32_t val = 0;

    CHECK_EQ(trench_bus_read32(r->bus, r->addr.local_reg + offset, &val), 0,
             "0x%x", offset);
    return val;
}

static inline void icache_rig_set_local(struct icache_rig *r, uint32_t offset,
                                        uint32_t val)
{
    CHECK_EQ(trench_bus_write32(r->bus, r->addr.local_reg + offset, val), 0,
             "0x%x", offset);
}

#endif /* TRENCH_TESTS_ICACHE_RIG_H */
