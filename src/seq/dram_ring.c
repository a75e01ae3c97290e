/* SPDX-License-Identifier: BSD-3-Clause */
#include "seq/dram_ring.h"

#include <assert.h>
#include <endian.h>
#include <stdatomic.h>
#include <string.h>

#include "base/bits.h"
#include "base/desc.h"
#include "seq/log_lines.h"
#include "udma_gen_ex_gen.h"
#include "udma_m2s_gen.h"
#include "udma_s2m_gen.h"

/* Parts of an engine (address-map 1.1). */
#define S2M    0x20000u
#define GEN_EX 0x3C000u

/* Whole addresses from the descriptors: high word selectors, TX and RX. */
#define SEL(n, ring)                                                           \
    (GEN_EX + UDMA_GEN_EX_VMPR_V4_CFG_VMPR_V4_##n((ring)->conf.queue))

#define TX(reg, ring) UDMA_M2S_M2S_Q_##reg((ring)->conf.queue)
#define RX(reg, ring) (S2M + UDMA_S2M_S2M_Q_##reg((ring)->conf.queue))

/* The longest transfer that the second reading of the assert lets pass. */
#define MAX_LENGTH 0xFFFFu

struct reg_val {
    uint32_t reg;
    uint32_t val;
};

static int write_regs(const struct dram_ring *ring, const struct reg_val *regs,
                      size_t nr_regs)
{
    int err = 0;

    for (size_t i = 0; i < nr_regs && !err; i++) {
        err = trench_bus_write32(ring->conf.bus,
                                 ring->conf.engine + regs[i].reg, regs[i].val);
    }
    return err;
}

/* ---- the queue pair ------------------------------------------------------ */

int dram_ring_stop(struct dram_ring *ring)
{
    const struct reg_val regs[] = {
        { TX(CFG, ring), UDMA_M2S_M2S_Q_CFG_RESET },
        { TX(Q_SW_CTRL, ring), UDMA_M2S_M2S_Q_Q_SW_CTRL_RST_Q_MASK },
        { RX(CFG, ring), UDMA_S2M_S2M_Q_CFG_RESET },
        { RX(Q_SW_CTRL, ring), UDMA_S2M_S2M_Q_Q_SW_CTRL_RST_Q_MASK },
    };

    return write_regs(ring, regs, ARRAY_LEN(regs));
}

static int start(struct dram_ring *ring)
{
    const struct dram_ring_conf *conf = &ring->conf;
    const struct reg_val regs[] = {
        { SEL(0, ring), UINT32_MAX },
        { SEL(1, ring), UINT32_MAX },
        { TX(TDRBP_LOW, ring), (uint32_t)conf->tx },
        { TX(TDRBP_HIGH, ring), (uint32_t)(conf->tx >> 32) },
        { TX(TDRL, ring), conf->slots },
        { TX(COMP_CFG, ring), 0 },
        { RX(RDRBP_LOW, ring), (uint32_t)conf->rx },
        { RX(RDRBP_HIGH, ring), (uint32_t)(conf->rx >> 32) },
        { RX(RDRL, ring), conf->slots },
        { RX(RCRBP_LOW, ring), (uint32_t)conf->comp },
        { RX(RCRBP_HIGH, ring), (uint32_t)(conf->comp >> 32) },
        { RX(COMP_CFG, ring), UDMA_S2M_S2M_Q_COMP_CFG_EN_COMP_RING_UPDATE_MASK |
                                  UDMA_S2M_S2M_Q_COMP_CFG_DIS_COMP_COAL_MASK },
        { RX(CFG, ring), UDMA_S2M_S2M_Q_CFG_RESET |
                             UDMA_S2M_S2M_Q_CFG_EN_PREF_MASK |
                             UDMA_S2M_S2M_Q_CFG_EN_STREAM_MASK },
        { TX(CFG, ring), UDMA_M2S_M2S_Q_CFG_RESET |
                             UDMA_M2S_M2S_Q_CFG_EN_PREF_MASK |
                             UDMA_M2S_M2S_Q_CFG_EN_SCHEDULING_MASK },
    };

    return write_regs(ring, regs, ARRAY_LEN(regs));
}

int dram_ring_reset(struct dram_ring *ring)
{
    size_t nr = ring->conf.slots;
    int err = dram_ring_stop(ring);

    ring->submit = 0;
    ring->comp = 0;
    ring->first = 0;
    ring->pending = 0;
    ring->failed = 0;
    if (err) {
        return err;
    }
    memset(ring->tx_mem, 0, nr * DESC_BYTES);
    memset(ring->rx_mem, 0, nr * DESC_BYTES);
    memset(ring->comp_mem, 0, nr * DRAM_RING_COMP_WORDS * sizeof(uint32_t));
    return start(ring);
}

/* Whether somebody's ring runs there: it would be cut off. */
static int check_free(const struct dram_ring *ring)
{
    uint32_t cfg;
    int err = trench_bus_read32(ring->conf.bus,
                                ring->conf.engine + TX(CFG, ring), &cfg);

    if (err) {
        return err;
    }
    return cfg & UDMA_M2S_M2S_Q_CFG_EN_PREF_MASK ? TRENCH_ERR_BUSY : 0;
}

int dram_ring_init(struct dram_ring *ring, const struct dram_ring_conf *conf)
{
    size_t bytes = (size_t)conf->slots * DESC_BYTES;
    int err;

    assert(conf->slots <= DRAM_RING_MAX_SLOTS &&
           (conf->slots & (conf->slots - 1)) == 0);
    memset(ring, 0, sizeof(*ring));
    ring->conf = *conf;
    ring->tx_mem = trench_bus_host(conf->bus, conf->tx, bytes);
    ring->rx_mem = trench_bus_host(conf->bus, conf->rx, bytes);
    ring->comp_mem = trench_bus_host(
        conf->bus, conf->comp,
        (uint64_t)conf->slots * DRAM_RING_COMP_WORDS * sizeof(uint32_t));
    if (!ring->tx_mem || !ring->rx_mem || !ring->comp_mem) {
        return TRENCH_ERR_FAULT;
    }
    err = check_free(ring);
    if (err) {
        return err;
    }
    err = dram_ring_reset(ring);
    if (err) {
        (void)dram_ring_stop(ring); /* what was programmed so far */
    }
    return err;
}

/* ---- counting ------------------------------------------------------------ */

static uint32_t slot_of(const struct dram_ring *ring, uint64_t count)
{
    return (uint32_t)(count & (ring->conf.slots - 1));
}

static uint32_t lap_of(const struct dram_ring *ring, uint64_t count)
{
    return (uint32_t)(count / ring->conf.slots + LAP_START) & LAP_MASK;
}

enum dram_ring_state dram_ring_parse(const uint32_t words[DRAM_RING_COMP_WORDS],
                                     uint32_t lap, uint32_t len_bytes)
{
    uint32_t flags = le32toh(words[0]);
    uint32_t moved = le32toh(words[1]) & DESC_LEN_MASK;

    if ((flags & DESC_RING_ID_MASK) >> DESC_RING_ID_SHIFT != lap) {
        return DRAM_RING_BUSY;
    }
    /* One block, as one whole packet, and all of it. */
    if ((flags & COMP_ERROR) || !(flags & COMP_LAST) ||
        moved != (len_bytes & DESC_LEN_MASK)) {
        return DRAM_RING_FAILED;
    }
    return DRAM_RING_DONE;
}

/* What the completion of the count-th slot says; count is not drained yet. */
static enum dram_ring_state look(const struct dram_ring *ring, uint64_t count)
{
    uint32_t slot = slot_of(ring, count);
    const uint8_t *at =
        ring->comp_mem + (size_t)slot * DRAM_RING_COMP_WORDS * sizeof(uint32_t);
    uint32_t words[DRAM_RING_COMP_WORDS];

    memcpy(words, at, sizeof(words));
    /* What the engine moved must not be read ahead of its completion. */
    atomic_thread_fence(memory_order_acquire);
    return dram_ring_parse(words, lap_of(ring, count), ring->lengths[slot]);
}

uint32_t dram_ring_drain_completions(struct dram_ring *ring, uint32_t n)
{
    uint32_t done = 0;

    log_line(&ring->conf.log, TRENCH_LOG_INFO, S_DRAIN, (size_t)n,
             (unsigned long long)ring->comp, (unsigned long long)ring->submit,
             (size_t)slot_of(ring, ring->comp));
    while (done < n && ring->comp < ring->submit) {
        enum dram_ring_state state = look(ring, ring->comp);
        uint64_t bit = UINT64_C(1) << slot_of(ring, ring->comp);

        if (state == DRAM_RING_BUSY) {
            break;
        }
        ring->failed &= ~bit;
        ring->failed |= state == DRAM_RING_FAILED ? bit : 0;
        ring->comp++;
        done++;
    }
    return done;
}

enum dram_ring_state dram_ring_check(const struct dram_ring *ring,
                                     uint64_t ticket)
{
    if (ticket == 0 || ticket + ring->conf.slots <= ring->submit) {
        return DRAM_RING_DONE; /* none, or its slot is somebody else's */
    }
    if (ticket > ring->comp) {
        return look(ring, ticket - 1);
    }
    return ring->failed >> slot_of(ring, ticket - 1) & 1 ? DRAM_RING_FAILED
                                                         : DRAM_RING_DONE;
}

/* ---- producing ----------------------------------------------------------- */

int dram_ring_allocate(struct dram_ring *ring, uint32_t n)
{
    uint32_t slots = ring->conf.slots;
    uint32_t first = slot_of(ring, ring->submit);
    uint64_t min_comp;
    uint32_t polls = 0;

    assert(n > 0 && n <= slots && ring->pending == 0);
    min_comp = ring->submit + n > slots ? ring->submit + n - slots : 0;
    log_line(&ring->conf.log, TRENCH_LOG_INFO, S_ALLOCATE, (size_t)n,
             (unsigned long long)ring->submit, (unsigned long long)ring->comp,
             (size_t)first, (unsigned long long)min_comp);
    while (ring->comp < min_comp) {
        if (dram_ring_drain_completions(
                ring, (uint32_t)(ring->submit - ring->comp)) == 0 &&
            ++polls > ring->conf.max_polls) {
            return TRENCH_ERR_TIMEDOUT;
        }
    }
    ring->first = first;
    ring->pending = min_u32(n, slots - first);
    log_line(&ring->conf.log, TRENCH_LOG_INFO, S_ALLOCATED, (size_t)first,
             (size_t)ring->pending);
    return (int)ring->pending;
}

static void write_desc(uint8_t *at, uint32_t ctrl, uint32_t meta, uint64_t addr)
{
    const uint32_t words[DESC_BYTES / sizeof(uint32_t)] = {
        htole32(ctrl),
        htole32(meta),
        htole32((uint32_t)addr),
        htole32((uint32_t)(addr >> 32)),
    };

    memcpy(at, words, sizeof(words));
}

void dram_ring_write(struct dram_ring *ring, uint32_t i,
                     const struct dram_ring_copy *copy)
{
    uint64_t count = ring->submit + i;
    uint32_t slot = slot_of(ring, count);
    uint32_t ctrl = lap_of(ring, count) << DESC_RING_ID_SHIFT |
                    (copy->len_bytes & DESC_LEN_MASK);

    assert(i < ring->pending);
    ring->lengths[slot] = copy->len_bytes;
    write_desc(ring->tx_mem + (size_t)slot * DESC_BYTES,
               ctrl | DESC_FIRST | DESC_LAST, META_COPY, copy->src);
    write_desc(ring->rx_mem + (size_t)slot * DESC_BYTES, ctrl, 0, copy->dst);
}

int dram_ring_submit_pending(struct dram_ring *ring, uint64_t *ticket)
{
    const struct reg_val bells[] = {
        { RX(RDRTP_INC, ring), ring->pending },
        { TX(TDRTP_INC, ring), ring->pending },
    };
    int err;

    log_line(&ring->conf.log, TRENCH_LOG_INFO, S_SUBMIT, (size_t)ring->first,
             (size_t)ring->pending, (unsigned long long)ring->submit,
             lap_of(ring, ring->submit));
    if (ring->pending > 0) {
        /* Descriptors must be in memory before the bell makes them read. */
        atomic_thread_fence(memory_order_seq_cst);
        err = write_regs(ring, bells, ARRAY_LEN(bells));
        if (err) {
            /* One side may have heard of what the other has not. */
            (void)dram_ring_reset(ring);
            return err;
        }
    }
    ring->submit += ring->pending;
    ring->pending = 0;
    *ticket = ring->submit;
    log_line(&ring->conf.log, TRENCH_LOG_INFO, S_SUBMITTED,
             (long long)ring->submit, (long long)ring->submit);
    return 0;
}

int dram_ring_enqueue(struct dram_ring *ring, const struct dram_ring_copy *copy,
                      uint64_t *ticket)
{
    int ret;

    if (copy->len_bytes > DRAM_RING_MAX_BYTES ||
        (ring->conf.zero_asserts ? copy->len_bytes == 0
                                 : copy->len_bytes > MAX_LENGTH)) {
        return TRENCH_ERR_INVAL;
    }
    log_line(&ring->conf.log, TRENCH_LOG_INFO, S_ENQUEUE,
             (unsigned long long)copy->src, copy->len_bytes,
             (unsigned long long)copy->dst);
    ret = dram_ring_allocate(ring, 1);
    if (ret < 0) {
        return ret;
    }
    dram_ring_write(ring, 0, copy);
    return dram_ring_submit_pending(ring, ticket);
}
