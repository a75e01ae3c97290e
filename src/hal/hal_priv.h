/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the parts of the driver library share: the engine, its register
 * accessors, and the queue pair.
 *
 *     copy.c   lays packets into the rings
 *     queue.c  life of a queue pair, submission, collection
 *     ring.c   one ring of one direction
 *     hal.c    the engine
 */
#ifndef TRENCH_HAL_PRIV_H
#define TRENCH_HAL_PRIV_H

#include <trench/hal.h>

#include "hal/ring.h"

struct trench_hal_engine {
    const struct trench_hal_ops *ops; /* borrowed */
    void *opaque;
    const struct trench_gen *gen;
    uint64_t block[TRENCH_NR_CHANNEL_BLOCKS]; /* bus address of each block */
    /* What software last wrote to cfg of each queue half. */
    uint32_t cfg_shadow[HAL_NR_SIDES][TRENCH_NR_QUEUES];
    bool queue_open[TRENCH_NR_QUEUES];
};

/* Offsets are relative to the block. Errors are those of the operations. */
int hal_read(struct trench_hal_engine *engine, enum trench_block_id block,
             uint32_t offset, uint32_t *val);
int hal_write(struct trench_hal_engine *engine, enum trench_block_id block,
              uint32_t offset, uint32_t val);

/* Descriptors of a packet, for the day it completes; limits in copy.c. */
struct hal_packet {
    uint8_t nr_tx; /* 1 .. PACKET_TX_DESCS */
    uint8_t nr_rx; /* 1 .. PACKET_RX_DESCS */
};

/*
 * The packets form a queue of their own, oldest first:
 *
 *     packets[first]  in_flight of them  then written but unpublished ones
 *
 * A packet has a descriptor in each ring, so the shorter ring's length is
 * enough slots.
 */
struct trench_hal_queue {
    struct trench_hal_engine *engine;
    unsigned index;
    struct hal_ring tx;
    struct hal_ring rx;
    struct hal_packet *packets; /* nr_slots entries, owned */
    uint32_t nr_slots;
    uint32_t first;
    uint32_t in_flight;
    uint32_t unpublished;
    bool failed; /* until the next trench_hal_queue_reset() */
};

/* Note one more written packet. */
void hal_queue_add_packet(struct trench_hal_queue *queue,
                          struct hal_packet packet);

#endif /* TRENCH_HAL_PRIV_H */
