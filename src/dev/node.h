/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Devices beside the channels: group masks, events and semaphores, local
 * registers of TOP_SPs, block lists. The address map says where they are
 * (trench_gen_window.node); each is one register file behind one bus window.
 */
#ifndef TRENCH_NODE_H
#define TRENCH_NODE_H

#include "dev/channel.h"
#include "dev/firewall.h"

struct node {
    struct unit unit; /* the window's opaque */
    uint64_t base;
    unsigned number; /* of its engine, core or TOP_SP in the map */
    uint8_t kind;    /* enum trench_node */
    char name[BUS_NAME_SIZE];
};

/* All of a chip. Zero it first. */
struct nodes {
    struct node *nodes;
    size_t nr;
    uint32_t *values;
    struct regfile_class classes[TRENCH_NR_NODES];
    struct firewalls firewalls;
};

/* Find and make them; the channels are there already. 0 or an error. */
int nodes_build(struct nodes *set, struct chip *chip, struct trench_bus *bus);
void nodes_fini(struct nodes *set);
void nodes_reset(struct nodes *set);

/* Those that begin in a range; of block lists only the registers. */
void nodes_reset_range(struct nodes *set, uint64_t first, uint64_t size_bytes);

/* Put number i on the bus. */
int nodes_place(struct nodes *set, struct trench_bus *bus, size_t i);

/* Accesses to offsets without a register. */
uint64_t nodes_unknown(const struct nodes *set);

/* Behaviour of events and semaphores; the owner is the node. */
extern const struct hook_list sync_hooks;

/* As chip_unit_ops; where there is neither, nothing answers. */
extern const struct trench_bus_dev_ops sync_ops;

#endif /* TRENCH_NODE_H */
