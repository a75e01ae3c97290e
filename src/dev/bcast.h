/* SPDX-License-Identifier: BSD-3-Clause */
/* Broadcast windows. */
#ifndef TRENCH_BCAST_H
#define TRENCH_BCAST_H

#include "dev/channel.h"

/* One window: gen->bcast_lanes engines from first_engine on. */
struct bcast_node {
    struct chip *chip;
    unsigned first_engine;
    uint8_t part; /* of the channel: which units there can be */
};

/* Registers of tdma_model that broadcasts look at. */
extern const struct use_list bcast_uses;

/* The opaque is a struct bcast_node. */
extern const struct trench_bus_dev_ops bcast_ops;

#endif /* TRENCH_BCAST_H */
