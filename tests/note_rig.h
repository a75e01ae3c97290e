/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Notifications under test: a bench whose engine tells of its packets into
 * ring 2. Offsets and codes are literal, from common-blocks 1.3.2 and 2.2 to
 * 2.4.
 */
#ifndef TRENCH_TESTS_NOTE_RIG_H
#define TRENCH_TESTS_NOTE_RIG_H

#include "dev/notific.h"
#include "rig.h"

/* The notification block, from NOTE on. */
enum {
    NQ_TIME_LO = NOTE + 0x00,
    NQ_TIME_HI = NOTE + 0x04,
    NQ_SW_STALL = NOTE + 0x08,
    NQ_HW_STALL = NOTE + 0x0C,
    NQ_ENABLE = NOTE + 0x14,
    NQ_OVERWRITE = NOTE + 0x18,
    NQ_UART = NOTE + 0x28,
    NQ_INPUTS = NOTE + 0x30,
    NQ_ERROR_LO = NOTE + 0x40,
    NQ_ERROR_HI = NOTE + 0x44,
    NQ_STALL_COUNT = NOTE + 0x48,
    NQ_STALL_CLR = NOTE + 0x4C,
    NQ_NIQ_COUNT = NOTE + 0x50,
    NQ_NIQ_INDEX = NOTE + 0x54,
    NQ_NIQ_0 = NOTE + 0x60,
    NQ_NAQ_COUNT = NOTE + 0x80,
    NQ_STATS = NOTE + 0xB0,
    NQ_COAL_CTRL = NOTE + 0xB8,
    NQ_WOB_CTRL = NOTE + 0xBC,
    NQ_THLD_EN = NOTE + 0xC0,
    NQ_FULL = NOTE + 0xC4,
    NQ_PASSED = NOTE + 0xC8,
    NQ_TIME_INC = NOTE + 0xCC,
};

/* Per ring. */
enum {
    RING_BASE_LO = 0x00,
    RING_BASE_HI = 0x04,
    RING_SIZE = 0x08,
    RING_HEAD = 0x0C,
    RING_TAIL = 0x10,
    RING_THRESHOLD = 0x14,
};
#define NQ_RING(i, reg) (NOTE + 0x100u + 0x28u * (i) + (reg))

/* tdma_model. */
#define TRIG_ON   0x10000u
#define TRIG(q)   (TDMA + 0x200u + 0x18u * (q)) /* M2S; S2M at + 0xC */
#define TRIG_S2M  0xCu
#define TRIG_CRC  0x4u
#define TRIG_NQ   0x8u
#define FABRIC(i) (TDMA + 0x500u + 0x30u * (i))
enum {
    TDMA_ROB = TDMA + 0x01C,
    TDMA_STALL = TDMA + 0x700,
    TDMA_COMBINED = TDMA + 0x710,
    TDMA_CME = TDMA + 0x600,
    TDMA_DMB = TDMA + 0x620,
};

enum {
    R_M2S_SOP = 1,
    R_M2S_EOP = 2,
    R_S2M_SOP = 4,
    R_S2M_EOP = 5,
    R_S2M_CMPL = 6,
    R_AXI_REQ = 8,
    R_AXI_RSP = 10,
    R_APB_REQ = 12,
};

#define RING       2u
#define RING_BYTES 0x1000u

struct note_bench {
    struct bench b;
    uint64_t ring;
};

struct note_record {
    uint32_t w[4];
};

static inline void note_set(struct note_bench *nb, uint32_t off, uint32_t val)
{
    rig_write(nb->b.rig, ENGINE, off, val);
}

static inline uint32_t note_get(struct note_bench *nb, uint32_t off)
{
    return rig_read(nb->b.rig, ENGINE, off);
}

static inline const struct notific *note_block(struct note_bench *nb)
{
    return notific_of(nb->b.rig->soc, ENGINE);
}

/* How often an interrupt output has risen. */
static inline uint64_t note_intr(struct note_bench *nb, unsigned bit)
{
    return note_block(nb)->counts.intr[bit];
}

static inline void note_ring(struct note_bench *nb, unsigned i, uint64_t base,
                             uint32_t bytes)
{
    note_set(nb, NQ_RING(i, RING_BASE_HI), (uint32_t)(base >> 32));
    note_set(nb, NQ_RING(i, RING_BASE_LO), (uint32_t)base);
    note_set(nb, NQ_RING(i, RING_SIZE), bytes);
}

/* Ring RING takes all classes; no trigger is on yet. */
static inline void note_open(struct note_bench *nb, struct rig *r,
                             uint32_t bytes)
{
    bench_open(&nb->b, r, 64);
    nb->ring = rig_alloc(r, 0x10000);
    note_ring(nb, RING, nb->ring, bytes);
    note_set(nb, NQ_INPUTS, 0xFFFFFFFF);
    note_set(nb, NQ_ENABLE, 1u << RING);
    note_set(nb, TRIG(QUEUE) + TRIG_NQ, RING);
    note_set(nb, TRIG(QUEUE) + TRIG_S2M + TRIG_NQ, RING);
}

/* The runtime's order: the ring is on, then the trigger. */
static inline void note_arm(struct note_bench *nb, bool m2s, bool s2m)
{
    note_set(nb, TRIG(QUEUE), m2s ? TRIG_ON : 0);
    note_set(nb, TRIG(QUEUE) + TRIG_S2M, s2m ? TRIG_ON : 0);
}

static inline struct note_record note_at(struct note_bench *nb, unsigned n)
{
    struct note_record rec;

    for (unsigned i = 0; i < 4; i++) {
        rec.w[i] = rig_word(nb->b.rig, nb->ring + n * 16 + i * 4);
    }
    return rec;
}

/* Code of the n-th record in memory; 0 = none has been written there. */
static inline unsigned note_code(struct note_bench *nb, unsigned n)
{
    return note_at(nb, n).w[1] & 0xF;
}

static inline uint32_t note_tail(struct note_bench *nb)
{
    return note_get(nb, NQ_RING(RING, RING_TAIL));
}

/* One packet of 64 bytes. */
static inline void note_packet(struct note_bench *nb)
{
    rig_copy(&nb->b.rq, nb->b.dst, nb->b.src, 64);
}

#endif /* TRENCH_TESTS_NOTE_RIG_H */
