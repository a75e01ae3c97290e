/* SPDX-License-Identifier: BSD-3-Clause */
/* Broadcast windows. */
#ifndef TRENCH_BCAST_H
#define TRENCH_BCAST_H

#include "dev/channel.h"

/* One window: gen->bcast_lanes engines from first_engine on. */
struct bcast_node {
    struct chip *chip;
    uint64_t base;
    unsigned first_engine;
    uint8_t part; /* of the channel: which units there can be */
};

/* Registers of tdma_model that broadcasts look at. */
extern const struct use_list bcast_uses;

/* The opaque is a struct bcast_node. */
extern const struct trench_bus_dev_ops bcast_ops;

void bcast_init(struct fabric *fabric, const struct trench_bcast_conf *conf);

/* Forget what has been delivered; the settings stay. */
void bcast_reset(struct fabric *fabric);

/* Fill in the counters of broadcasts. */
void bcast_stats(const struct fabric *fabric, struct trench_soc_stats *out);

#endif /* TRENCH_BCAST_H */
