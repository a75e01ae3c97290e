/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A modelled chip with its driver, set up for one command: the selected
 * engines are open, each with the selected queue pairs, and there is a source
 * and a destination area in the memories that a direction chooses.
 *
 * Rings live at the start of host memory. A failure prints its reason.
 */
#ifndef TRENCH_CLI_RIG_H
#define TRENCH_CLI_RIG_H

#include "cli.h"

#include <trench/access.h>
#include <trench/hal.h>
#include <trench/soc.h>

struct cli_rig_conf {
    const char *prog; /**< Borrowed; for messages. */
    const struct trench_gen *gen;
    const struct cli_set *engines; /**< Used during the call only. */
    const struct cli_set *queues;  /**< Used during the call only. */
    enum cli_direction direction;
    uint32_t ring_entries;
    uint64_t area_bytes; /**< Of the source, and of the destination. */
    bool verbose;        /**< Print what the model logs. */
};

/** A piece of chip memory. */
struct cli_rig_area {
    const char *name; /**< Of the memory window. */
    uint64_t addr;
    uint8_t *host; /**< What the model sees there. */
};

/** One queue pair. */
struct cli_rig_pair {
    struct trench_hal_queue *queue;
    unsigned slot;    /**< Index into cli_rig.engines. */
    unsigned index;   /**< 0..15 */
    bool pending;     /**< Descriptors were written or are in flight. */
    uint64_t packets; /**< Written so far. */
};

/** One engine. */
struct cli_rig_engine {
    struct trench_hal_engine *hal;
    unsigned id;
};

struct cli_rig {
    const char *prog;
    struct trench_soc *soc;
    struct trench_hal_bus *hal_bus;
    struct cli_rig_engine *engines; /**< Ascending. */
    unsigned nr_engines;
    /** Queue by queue, engines ascending within: [queue * nr_engines + e]. */
    struct cli_rig_pair *pairs;
    unsigned nr_pairs;
    struct cli_rig_area src;
    struct cli_rig_area dst;
    bool verbose;
};

/** @return 0, or -1 after a message; cli_rig_close() is due in both cases. */
int cli_rig_open(const struct cli_rig_conf *conf, struct cli_rig *out);

void cli_rig_close(struct cli_rig *rig);

/**
 * Submit everything written and wait for it.
 * @return 0, or -1 after a message.
 */
int cli_rig_flush(struct cli_rig *rig, uint64_t timeout_ns);

/** Entries of a ring that takes one copy of so many bytes, and the gap. */
uint32_t cli_rig_ring_entries(uint32_t copy_bytes);

/** Say what went wrong on a pair, with the engine's own error causes. */
void cli_rig_complain(struct cli_rig *rig, const struct cli_rig_pair *pair,
                      int err);

#endif /* TRENCH_CLI_RIG_H */
