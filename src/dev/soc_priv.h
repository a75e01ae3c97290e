/* SPDX-License-Identifier: BSD-3-Clause */
/* The chip from inside: shared by soc.c and the windows that it maps. */
#ifndef TRENCH_SOC_PRIV_H
#define TRENCH_SOC_PRIV_H

#include "dev/channel.h"

#define SOC_MAX_ENGINES 256u

struct bcast_node;

struct trench_soc {
    const struct trench_gen *gen;
    struct trench_bus *bus;
    struct logger log;
    uint64_t budget;
    bool stepped;
    bool running; /* a register write from inside the run only posts */
    uint64_t clock;
    /* Engines that may have something to do, a bit each. */
    uint64_t runnable[SOC_MAX_ENGINES / 64];
    struct regfile_class classes[TRENCH_NR_BLOCKS];
    struct channel *channels; /* gen->nr_engines */
    uint32_t *values;         /* of every register file */
    struct fifo_entry *fifos; /* of every ring, mapped lazily */
    size_t fifo_bytes;
    struct bcast_node *bcast; /* gen's broadcast nodes, both routes */
    size_t nr_bcast;
    struct trench_soc_stats stats;
};

/*
 * Software touched a register: go on with what an earlier access left over,
 * or start what this one posted.
 */
void soc_poke(struct trench_soc *soc);

/* ---- bcast.c ------------------------------------------------------------- */

/* One broadcast window: the engines [first, first + lanes) of its route. */
struct bcast_node {
    struct trench_soc *soc;
    unsigned first_engine;
};

extern const struct trench_bus_dev_ops bcast_ops;

#endif /* TRENCH_SOC_PRIV_H */
