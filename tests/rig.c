/* SPDX-License-Identifier: BSD-3-Clause */
#include "rig.h"

#include <endian.h>

#define ARENA UINT64_C(0x10000000)

/* ---- the chip ----------------------------------------------------------- */

void rig_open(struct rig *r, const struct trench_soc_conf *conf)
{
    CHECK_EQ(trench_soc_create(conf, &r->soc), 0, "create");
    r->bus = trench_soc_bus(r->soc);
    r->next = ARENA;
}

void rig_close(struct rig *r)
{
    trench_soc_destroy(r->soc);
    r->soc = NULL;
}

static int setup(void **state, const struct trench_soc_conf *conf)
{
    struct rig *r = calloc(1, sizeof(*r));

    if (!r) {
        return -1;
    }
    rig_open(r, conf);
    *state = r;
    return 0;
}

int rig_setup(void **state)
{
    return setup(state, NULL);
}

int rig_setup_stepped(void **state)
{
    return setup(state, &(struct trench_soc_conf){ .stepped = true });
}

int rig_teardown(void **state)
{
    rig_close(*state);
    free(*state);
    return 0;
}

void rig_reset(struct rig *r)
{
    trench_soc_reset(r->soc);
    if (r->next > ARENA) {
        memset(rig_mem(r, ARENA, r->next - ARENA), 0, r->next - ARENA);
    }
    r->next = ARENA;
}

uint64_t rig_alloc(struct rig *r, uint64_t bytes)
{
    uint64_t at = r->next;

    r->next += (bytes + 0xFFF) & ~UINT64_C(0xFFF);
    return at;
}

uint64_t rig_engine_base(unsigned engine)
{
    if (engine < 128) {
        unsigned s = engine / 32;
        uint64_t first =
            s & 1 ? UINT64_C(0x5004000000) : UINT64_C(0x1002000000);

        return (first | (uint64_t)(s >> 1) << 47) +
               (uint64_t)(engine % 32) * 0x100000;
    }
    return (UINT64_C(0x8000000000) | (uint64_t)((engine - 128) / 2) << 47) +
           (engine % 2 ? 0x6900000 : 0x6800000);
}

uint32_t rig_read(struct rig *r, unsigned engine, uint32_t off)
{
    uint32_t val = 0;

    CHECK_EQ(trench_bus_read32(r->bus, rig_engine_base(engine) + off, &val), 0,
             "read engine=%u offset=0x%x", engine, off);
    return val;
}

void rig_write(struct rig *r, unsigned engine, uint32_t off, uint32_t val)
{
    CHECK_EQ(trench_bus_write32(r->bus, rig_engine_base(engine) + off, val), 0,
             "write engine=%u offset=0x%x val=0x%x", engine, off, val);
}

void *rig_mem(struct rig *r, uint64_t addr, uint64_t len)
{
    void *host = trench_bus_host(r->bus, addr, len);

    CHECK_EQ(host != NULL, true, "no memory at 0x%llx", ULL(addr));
    return host;
}

uint32_t rig_word(struct rig *r, uint64_t addr)
{
    uint32_t word = 0;

    CHECK_EQ(trench_bus_read32(r->bus, addr, &word), 0, "word at 0x%llx",
             ULL(addr));
    return word;
}

void rig_fill(struct rig *r, uint64_t addr, uint64_t len, uint32_t seed)
{
    uint8_t *p = rig_mem(r, addr, len);
    uint32_t x = seed * 2654435761u + 1;

    for (uint64_t i = 0; i < len; i++) {
        x = x * 1664525u + 1013904223u;
        p[i] = (uint8_t)(x >> 24) | 1; /* never what fresh memory holds */
    }
}

struct trench_soc_engine_stats rig_stats(struct rig *r, unsigned engine)
{
    struct trench_soc_engine_stats stats = { 0 };

    CHECK_EQ(trench_soc_engine_stats(r->soc, engine, &stats), 0, "engine=%u",
             engine);
    return stats;
}

/* ---- a queue pair -------------------------------------------------------- */

uint32_t rig_q(struct rig_queue *rq, enum side side, uint32_t reg)
{
    return rig_read(rq->rig, rq->engine, q_off(side, rq->q, reg));
}

void rig_q_set(struct rig_queue *rq, enum side side, uint32_t reg, uint32_t val)
{
    rig_write(rq->rig, rq->engine, q_off(side, rq->q, reg), val);
}

void rig_queue_open(struct rig_queue *rq, struct rig *r, unsigned engine,
                    unsigned q, uint32_t len)
{
    *rq = (struct rig_queue){ .rig = r, .engine = engine, .q = q };
    for (enum side side = TX; side <= RX; side++) {
        rq->ring[side].base = rig_alloc(r, len * UINT64_C(16));
        rq->ring[side].len = len;
    }
    rig_queue_program(rq);
}

void rig_queue_program(struct rig_queue *rq)
{
    /* Whole addresses from the descriptor (udma-engine 3.9). */
    rig_write(rq->rig, rq->engine, VMPR_V4(rq->q), 0xFFFFFFFF);
    rig_write(rq->rig, rq->engine, VMPR_V4(rq->q) + 4, 0xFFFFFFFF);
    rig_q_set(rq, TX, TXQ_RATE_MASK, 3);
    for (enum side side = TX; side <= RX; side++) {
        struct rig_ring *ring = &rq->ring[side];

        ring->idx = 0;
        ring->lap = 1;
        rig_q_set(rq, side, Q_CFG, Q_CFG_DISABLED);
        rig_q_set(rq, side, sw_ctrl(side), RST_Q);
        rig_q_set(rq, side, Q_BASE_LO, (uint32_t)ring->base);
        rig_q_set(rq, side, Q_BASE_HI, (uint32_t)(ring->base >> 32));
        rig_q_set(rq, side, Q_LEN, ring->len);
        rig_q_set(rq, side, comp_cfg(side), 0);
        rig_q_set(rq, side, Q_CFG, Q_CFG_ENABLED);
    }
}

void rig_desc(struct rig_queue *rq, enum side side, const uint32_t words[2],
              uint64_t addr)
{
    struct rig_ring *ring = &rq->ring[side];
    const uint32_t desc[4] = {
        htole32(words[0] | D_LAP(ring->lap)),
        htole32(words[1]),
        htole32((uint32_t)addr),
        htole32((uint32_t)(addr >> 32)),
    };

    CHECK_EQ(trench_bus_write(rq->rig->bus, TRENCH_BUS_SOFTWARE,
                              ring->base + ring->idx * UINT64_C(16), desc,
                              sizeof(desc)),
             0, "descriptor %u", ring->idx);
    if (++ring->idx == ring->len) {
        ring->idx = 0;
        ring->lap = (ring->lap + 1) & 3;
    }
}

void rig_tx(struct rig_queue *rq, uint32_t flags, uint64_t src, uint32_t len)
{
    rig_desc(rq, TX, (uint32_t[]){ flags | (len & 0xFFFF), META_COPY }, src);
}

void rig_rx(struct rig_queue *rq, uint64_t dst, uint32_t len)
{
    rig_desc(rq, RX, (uint32_t[]){ len & 0xFFFF, 0 }, dst);
}

void rig_bell(struct rig_queue *rq, enum side side, uint32_t n)
{
    rig_q_set(rq, side, Q_BELL, n);
}

void rig_copy(struct rig_queue *rq, uint64_t dst, uint64_t src, uint32_t len)
{
    rig_rx(rq, dst, len);
    rig_tx(rq, D_ONE, src, len);
    rig_bell(rq, RX, 1);
    rig_bell(rq, TX, 1);
}

/* ---- a bench ------------------------------------------------------------ */

void bench_open(struct bench *b, struct rig *r, uint32_t len)
{
    b->rig = r;
    rig_reset(r);
    b->src = rig_alloc(r, BENCH_BYTES);
    b->dst = rig_alloc(r, BENCH_BYTES);
    rig_fill(r, b->src, BENCH_BYTES, len);
    rig_queue_open(&b->rq, r, ENGINE, QUEUE, len);
}

void bench_packet(struct bench *b, unsigned n, unsigned m, uint32_t bytes)
{
    for (unsigned i = 0; i < m; i++) {
        rig_rx(&b->rq, b->dst + bytes / m * i, bytes / m);
    }
    for (unsigned i = 0; i < n; i++) {
        rig_tx(&b->rq, d_marks(i, n), b->src + bytes / n * i, bytes / n);
    }
    rig_bell(&b->rq, RX, m);
    rig_bell(&b->rq, TX, n);
}

uint64_t bench_completions(struct bench *b, enum side side)
{
    uint64_t ring = rig_alloc(b->rig, 4096);

    rig_q_set(&b->rq, side, Q_COMP_LO, (uint32_t)ring);
    rig_q_set(&b->rq, side, Q_COMP_HI, (uint32_t)(ring >> 32));
    rig_q_set(&b->rq, side, comp_cfg(side), 3);
    return ring;
}
