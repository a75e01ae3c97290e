/* SPDX-License-Identifier: BSD-3-Clause */
/* Queue pairs: udma-engine 5.8.2 (start), B22 (doorbells), B50 (polling). */
#include <stdlib.h>

#include "hal/hal_priv.h"

#define DEFAULT_ENTRIES 1024u

static bool length_is_valid(uint32_t nr)
{
    return nr >= TRENCH_HAL_RING_MIN && nr <= TRENCH_HAL_RING_MAX &&
           nr % TRENCH_HAL_RING_STEP == 0;
}

static int conf_check(const struct trench_hal_engine *engine,
                      const struct trench_hal_queue_conf *conf)
{
    if (conf->index >= TRENCH_NR_QUEUES || !length_is_valid(conf->tx_entries) ||
        !length_is_valid(conf->rx_entries)) {
        return TRENCH_ERR_INVAL;
    }
    return engine->queue_open[conf->index] ? TRENCH_ERR_BUSY : 0;
}

static void queue_free(struct trench_hal_queue *queue)
{
    hal_ring_free(&queue->rx);
    hal_ring_free(&queue->tx);
    free(queue->packets);
    free(queue);
}

/* conf has been checked and its defaults filled in. */
static int queue_alloc(struct trench_hal_engine *engine,
                       const struct trench_hal_queue_conf *conf,
                       struct trench_hal_queue **out)
{
    struct trench_hal_queue *queue;
    int err;

    queue = calloc(1, sizeof(*queue));
    if (!queue) {
        return TRENCH_ERR_NOMEM;
    }
    queue->engine = engine;
    queue->index = conf->index;
    queue->tx = (struct hal_ring){ .engine = engine,
                                   .side = &hal_sides[HAL_TX],
                                   .queue = conf->index,
                                   .nr = conf->tx_entries };
    queue->rx = (struct hal_ring){ .engine = engine,
                                   .side = &hal_sides[HAL_RX],
                                   .queue = conf->index,
                                   .nr = conf->rx_entries };
    queue->nr_slots = conf->tx_entries < conf->rx_entries ? conf->tx_entries
                                                          : conf->rx_entries;
    queue->packets = calloc(queue->nr_slots, sizeof(*queue->packets));

    err = queue->packets ? 0 : TRENCH_ERR_NOMEM;
    if (!err) {
        err = hal_ring_alloc(&queue->tx, !conf->no_comp_rings);
    }
    if (!err) {
        err = hal_ring_alloc(&queue->rx, !conf->no_comp_rings);
    }
    if (err) {
        queue_free(queue); /* frees what there is */
        return err;
    }
    *out = queue;
    return 0;
}

/* The sequence of 5.8.2, which is also the way back from any state. */
static int queue_start(struct trench_hal_queue *queue)
{
    int err;

    queue->failed = true; /* until both halves run */
    queue->first = 0;
    queue->in_flight = 0;
    queue->unpublished = 0;
    err = hal_ring_start(&queue->tx);
    if (!err) {
        err = hal_ring_start(&queue->rx);
    }
    queue->failed = err != 0;
    return err;
}

/* Disable and reset both halves, even when the first one fails. */
static int queue_stop(struct trench_hal_queue *queue)
{
    int tx_err = hal_ring_stop(&queue->tx);
    int rx_err = hal_ring_stop(&queue->rx);

    return tx_err ? tx_err : rx_err;
}

int trench_hal_queue_open(struct trench_hal_engine *engine,
                          const struct trench_hal_queue_conf *conf,
                          struct trench_hal_queue **out)
{
    struct trench_hal_queue_conf full = *conf;
    struct trench_hal_queue *queue;
    int err;

    if (full.tx_entries == 0) {
        full.tx_entries = DEFAULT_ENTRIES;
    }
    if (full.rx_entries == 0) {
        full.rx_entries = full.tx_entries;
    }
    err = conf_check(engine, &full);
    if (err) {
        return err;
    }
    err = queue_alloc(engine, &full, &queue);
    if (err) {
        return err;
    }
    err = queue_start(queue);
    if (err) {
        /* A half that runs must not keep rings that are about to go. */
        (void)queue_stop(queue);
        queue_free(queue);
        return err;
    }
    engine->queue_open[queue->index] = true;
    *out = queue;
    return 0;
}

void trench_hal_queue_close(struct trench_hal_queue *queue)
{
    if (!queue) {
        return;
    }
    (void)queue_stop(queue);
    queue->engine->queue_open[queue->index] = false;
    queue_free(queue);
}

/*
 * Both halves are emptied before the engine may run again: it would go on
 * with the packet that stopped it.
 */
int trench_hal_queue_reset(struct trench_hal_queue *queue)
{
    int err;

    queue->failed = true; /* until queue_start() has succeeded */
    err = queue_stop(queue);
    if (!err) {
        err = trench_hal_engine_command(queue->engine, TRENCH_HAL_CMD_NORMAL);
    }
    return err ? err : queue_start(queue);
}

void hal_queue_add_packet(struct trench_hal_queue *queue,
                          struct hal_packet packet)
{
    uint32_t slot = queue->first + queue->in_flight + queue->unpublished;

    queue->packets[slot % queue->nr_slots] = packet;
    queue->unpublished++;
}

int trench_hal_submit(struct trench_hal_queue *queue)
{
    uint32_t nr_packets = queue->unpublished;
    int err;

    /* Buffers before the data that needs them (B22). */
    err = hal_ring_publish(&queue->rx);
    if (!err) {
        err = hal_ring_publish(&queue->tx);
    }
    if (err) {
        return err; /* what has been rung for is not rung for again */
    }
    queue->in_flight += nr_packets;
    queue->unpublished = 0;
    return (int)nr_packets;
}

/* Retire the oldest packet if it is complete; 1, 0, or an error. */
static int take_packet(struct trench_hal_queue *queue)
{
    const struct hal_packet *packet = &queue->packets[queue->first];
    bool tx_done, rx_done;

    if (queue->in_flight == 0) {
        return 0;
    }
    tx_done = hal_ring_collect(&queue->tx, packet->nr_tx);
    rx_done = hal_ring_collect(&queue->rx, packet->nr_rx);
    if (!tx_done || !rx_done) {
        return 0;
    }
    if (queue->tx.error || queue->rx.error) {
        return TRENCH_ERR_IO;
    }
    hal_ring_retire(&queue->tx, packet->nr_tx);
    hal_ring_retire(&queue->rx, packet->nr_rx);
    queue->first = (queue->first + 1) % queue->nr_slots;
    queue->in_flight--;
    return 1;
}

/* Nothing moves: find out whether it ever will. */
static int check_engine(struct trench_hal_queue *queue)
{
    enum trench_hal_state state;
    int err;

    err = trench_hal_engine_state(queue->engine, &state);
    if (!err && state == TRENCH_HAL_ABORT) {
        queue->failed = true;
        err = TRENCH_ERR_IO;
    }
    return err;
}

int trench_hal_poll(struct trench_hal_queue *queue)
{
    int nr_packets = 0;
    int ret;

    if (queue->failed) {
        return TRENCH_ERR_IO;
    }
    if (queue->in_flight == 0) {
        return 0;
    }
    ret = hal_ring_look(&queue->tx);
    if (!ret) {
        ret = hal_ring_look(&queue->rx);
    }
    if (ret) {
        queue->failed = ret == TRENCH_ERR_IO; /* no head a ring can have */
        return ret;
    }
    while ((ret = take_packet(queue)) > 0) {
        nr_packets++;
    }
    if (nr_packets > 0) {
        return nr_packets; /* a bad packet behind them is for the next call */
    }
    if (ret < 0) {
        queue->failed = true;
        return ret;
    }
    return check_engine(queue);
}

int trench_hal_wait(struct trench_hal_queue *queue, uint64_t timeout_ns)
{
    const struct trench_hal_ops *ops = queue->engine->ops;
    void *opaque = queue->engine->opaque;
    uint64_t start_ns = ops->now_ns(opaque);
    int ret;

    for (;;) {
        ret = trench_hal_poll(queue);
        if (ret < 0) {
            return ret;
        }
        if (queue->in_flight == 0) {
            return 0;
        }
        if (ret > 0) {
            continue; /* bounded by the packets in flight */
        }
        if (ops->now_ns(opaque) - start_ns >= timeout_ns) {
            return TRENCH_ERR_TIMEDOUT;
        }
        if (ops->relax) {
            ops->relax(opaque);
        }
    }
}

uint64_t trench_hal_queue_in_flight(const struct trench_hal_queue *queue)
{
    return queue->in_flight;
}

uint32_t trench_hal_queue_space(const struct trench_hal_queue *queue)
{
    uint32_t tx = hal_ring_space(&queue->tx);
    uint32_t rx = hal_ring_space(&queue->rx);

    return tx < rx ? tx : rx;
}
