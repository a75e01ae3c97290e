/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Block lists on the way to registers (address-map 4.9).
 *
 * A list that is empty costs nothing: while one has entries, the windows whose
 * accesses pass it stand behind ops of ours, and no others.
 */
#ifndef TRENCH_FIREWALL_H
#define TRENCH_FIREWALL_H

#include "dev/channel.h"

struct firewall {
    struct firewalls *set;
    const struct trench_gen_firewall *desc;
    struct regfile *rf;
    uint64_t allowed[2]; /* by enum trench_bus_dir, while the list is on */
    uint64_t blocked[2];
    uint32_t hits; /* enabled entries that have blocked something */
    bool on;
};

/* A window behind a list. */
struct guarded {
    struct firewall *fw;
    const struct trench_bus_dev_ops *ops; /* its own */
    void *opaque;
    uint64_t base;
};

struct firewalls {
    struct trench_bus *bus;
    struct firewall *list; /* as the generation lists them */
    size_t nr;
    struct guarded *guarded;
    size_t nr_guarded;
    size_t max_guarded;
};

/* Make those of the generation. 0 or TRENCH_ERR_NOMEM. */
int firewalls_build(struct firewalls *set, struct chip *chip,
                    struct trench_bus *bus);

/* All windows are on the bus: have room for them. 0 or TRENCH_ERR_NOMEM. */
int firewalls_ready(struct firewalls *set);

void firewalls_fini(struct firewalls *set);

/* Nothing is blocked any more. Registers are reset by their owner. */
void firewalls_reset(struct firewalls *set);

/* The one with registers at base gets them; the owner of its hooks. */
struct firewall *firewalls_add(struct firewalls *set, struct regfile *rf,
                               uint64_t base);

/* The interrupt line is up. */
bool firewall_interrupt(const struct firewall *fw);

extern const struct hook_list firewall_hooks;

#endif /* TRENCH_FIREWALL_H */
