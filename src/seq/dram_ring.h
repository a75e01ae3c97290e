/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * DramRingDMA: a producer's view of a descriptor ring (seed 003 sections 1 and
 * 3b, iram-cache-idma 3.3 to 3.7), over a queue pair of a UDMA engine.
 *
 *     comp ............ submit .......... + pending
 *      | being moved      | allocated, written, not yet submitted
 *
 * submit and comp count slots for ever; a slot is its count modulo the ring,
 * and the lap tag that belongs to it the count divided by the ring, modulo 4.
 * A slot is a pair: one descriptor that reads, one that writes. The ticket of
 * a submission is the submit count behind it.
 */
#ifndef TRENCH_DRAM_RING_H
#define TRENCH_DRAM_RING_H

#include <stdbool.h>
#include <stdint.h>

#include <trench/bus.h>

#include "base/log.h"

#define DRAM_RING_MAX_SLOTS 64u
/* What one descriptor can move (udma-engine 4.1). */
#define DRAM_RING_MAX_BYTES 65536u
/* Words of a completion of the writing side. */
#define DRAM_RING_COMP_WORDS 4u

struct dram_ring_conf {
    struct trench_bus *bus; /* borrowed */
    uint64_t engine;        /* bus address of the UDMA engine */
    unsigned queue;
    uint32_t slots; /* power of two */
    uint64_t tx;    /* memory for the descriptors, 256-byte aligned */
    uint64_t rx;
    uint64_t comp;     /* for the completions of the writing side */
    bool zero_asserts; /* what the enqueue assert refuses: 0, or > 65535 */
    uint32_t max_polls;
    struct logger log;
};

struct dram_ring {
    struct dram_ring_conf conf;
    uint8_t *tx_mem; /* the processor's view */
    uint8_t *rx_mem;
    uint8_t *comp_mem;
    uint64_t submit;
    uint64_t comp;
    uint32_t first; /* allocated, not submitted */
    uint32_t pending;
    uint64_t failed; /* slots whose last completion was an error, by bit */
    uint32_t lengths[DRAM_RING_MAX_SLOTS];
};

enum dram_ring_state {
    DRAM_RING_BUSY,
    DRAM_RING_DONE,
    DRAM_RING_FAILED,
};

/*
 * Program the queue pair and start at slot 0, lap 1. Returns 0;
 * TRENCH_ERR_FAULT when a ring is not memory; TRENCH_ERR_BUSY when the queue
 * pair is enabled; or what the bus returned.
 */
int dram_ring_init(struct dram_ring *ring, const struct dram_ring_conf *conf);
/* Stop the queue pair, and start anew as after init. */
int dram_ring_reset(struct dram_ring *ring);
/* Leave the queue pair disabled and without its rings. */
int dram_ring_stop(struct dram_ring *ring);

/*
 * Have up to n slots, in one piece: fewer at the end of the ring. Waits for
 * completions when the ring is full. Returns how many, from ring->first on, or
 * TRENCH_ERR_TIMEDOUT. Allocated slots must be written and submitted before
 * the next call.
 */
int dram_ring_allocate(struct dram_ring *ring, uint32_t n);

struct dram_ring_copy {
    uint64_t src;
    uint64_t dst;
    uint32_t len_bytes; /* 1 .. 65536 */
};

/* Write both descriptors of the i-th allocated slot. */
void dram_ring_write(struct dram_ring *ring, uint32_t i,
                     const struct dram_ring_copy *copy);

/*
 * Ring both bells. Returns 0 and a ticket; or what the bus returned, then the
 * ring has been reset and no ticket counts any more.
 */
int dram_ring_submit_pending(struct dram_ring *ring, uint64_t *ticket);

/* Advance comp over at most n finished slots; returns how many. */
uint32_t dram_ring_drain_completions(struct dram_ring *ring, uint32_t n);

/* Whether a submission has finished. Ticket 0, of no submission, is done. */
enum dram_ring_state dram_ring_check(const struct dram_ring *ring,
                                     uint64_t ticket);

/* One transfer, start to ticket. Also TRENCH_ERR_INVAL: the assert fails. */
int dram_ring_enqueue(struct dram_ring *ring, const struct dram_ring_copy *copy,
                      uint64_t *ticket);

/* What a completion says about a slot (words as in memory, lap 0..3). */
enum dram_ring_state dram_ring_parse(const uint32_t words[DRAM_RING_COMP_WORDS],
                                     uint32_t lap, uint32_t len_bytes);

#endif /* TRENCH_DRAM_RING_H */
