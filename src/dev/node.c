/* SPDX-License-Identifier: BSD-3-Clause */
#include "dev/node.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "dev/chip.h"
#include "cce_gen.h"
#include "papb_bcast_gen.h"

static const struct kind {
    enum trench_block_id block;
    const struct hook_list *hooks; /* NULL = storage */
    const struct trench_bus_dev_ops *ops;
} kinds[TRENCH_NR_NODES] = {
    [TRENCH_NODE_GROUP_MASK] = { TRENCH_BLOCK_PAPB_BCAST, NULL,
                                 &chip_unit_ops },
    [TRENCH_NODE_SYNC] = { TRENCH_BLOCK_TPB_EVENTS, &sync_hooks, &sync_ops },
    [TRENCH_NODE_LOCAL_REG] = { TRENCH_BLOCK_TPB_XT_LOCAL_REG, NULL,
                                &chip_unit_ops },
    [TRENCH_NODE_FIREWALL] = { TRENCH_BLOCK_APBBLK, &firewall_hooks,
                               &chip_unit_ops },
    [TRENCH_NODE_CME] = { TRENCH_BLOCK_CME, NULL, &chip_unit_ops },
    [TRENCH_NODE_DRE] = { TRENCH_BLOCK_DRE, NULL, &chip_unit_ops },
    [TRENCH_NODE_CCE] = { TRENCH_BLOCK_CCE, NULL, &chip_unit_ops },
};

/* ---- finding them in the map --------------------------------------------- */

/* Member k of a row of the map. */
struct place {
    const struct place *outer; /* NULL = the row is at the top */
    const struct trench_gen_window *row;
    uint64_t base;
    unsigned k;
    unsigned number; /* its own, or that of what it is part of */
};

static bool is_numbered(const struct trench_gen_window *row)
{
    return row->name[strlen(row->name) - 1] == '_';
}

static struct place place_member(const struct place *outer,
                                 const struct trench_gen_window *row,
                                 unsigned k)
{
    struct place p = {
        .outer = outer,
        .row = row,
        .base = (outer ? outer->base : 0) + row->base + k * row->stride_bytes,
        .k = k,
        .number = outer ? outer->number : 0,
    };

    if (is_numbered(row)) {
        p.number = row->number + k + row->per_outer * p.number;
    }
    return p;
}

/* "TPB_0_EVT_SEM"; returns its length, at most size - 1. */
static size_t place_name(const struct place *p, char *buf, size_t size)
{
    size_t at = p->outer ? place_name(p->outer, buf, size) : 0;
    int n;

    if (is_numbered(p->row)) {
        n = snprintf(buf + at, size - at, "%s%s%u", at ? "_" : "", p->row->name,
                     p->row->number + p->k);
    } else {
        n = snprintf(buf + at, size - at, "%s%s", at ? "_" : "", p->row->name);
    }
    return (size_t)n < size - at ? at + (size_t)n : size - 1;
}

/* Count them, and fill them in when there is room. */
static void add(struct nodes *set, const struct place *p)
{
    if (set->nodes) {
        struct node *node = &set->nodes[set->nr];

        node->base = p->base;
        node->number = p->number;
        node->kind = p->row->node;
        place_name(p, node->name, sizeof(node->name));
    }
    set->nr++;
}

/* Over constant data, as deep as the map is. */
static void find(struct nodes *set, const struct place *outer,
                 const struct trench_gen_window *rows, size_t nr_rows)
{
    for (size_t i = 0; i < nr_rows; i++) {
        const struct trench_gen_window *row = &rows[i];
        unsigned count = row->count ? row->count : 1;

        if (row->node == TRENCH_NODE_NONE &&
            (row->nr_inside == 0 || row->kind == TRENCH_WINDOW_NEIGHBOUR)) {
            continue;
        }
        for (unsigned k = 0; k < count; k++) {
            struct place p = place_member(outer, row, k);

            if (row->node != TRENCH_NODE_NONE) {
                add(set, &p);
            } else {
                find(set, &p, row->inside, row->nr_inside);
            }
        }
    }
}

/* ---- making them --------------------------------------------------------- */

static size_t node_values(const struct nodes *set, const struct node *node)
{
    return set->classes[node->kind].block->nr_insts;
}

static int build_classes(struct nodes *set, const struct chip *chip)
{
    for (size_t i = 0; i < set->nr; i++) {
        const struct kind *kind = &kinds[set->nodes[i].kind];
        struct regfile_class *cls = &set->classes[set->nodes[i].kind];
        const struct trench_csr_block *block;
        int err;

        if (cls->block) {
            continue;
        }
        block = trench_csr_builtin(chip->gen->name, kind->block);
        if (!block) {
            return TRENCH_ERR_NODEV;
        }
        err = regfile_class_init(cls, block);
        if (err) {
            return err;
        }
        if (kind->hooks) {
            regfile_class_hook(cls, kind->hooks->hooks, kind->hooks->nr);
        }
    }
    return 0;
}

/* What a node's registers are for: who else looks at them. */
static void bind(struct nodes *set, struct chip *chip, struct node *node,
                 uint32_t *values)
{
    void *owner = node;

    if (node->kind == TRENCH_NODE_FIREWALL) {
        owner = firewalls_add(&set->firewalls, &node->unit.rf, node->base);
    }
    node->unit.chip = chip;
    regfile_init(&node->unit.rf, &set->classes[node->kind], values, owner);
    if (node->kind == TRENCH_NODE_GROUP_MASK &&
        node->number < chip->gen->nr_engines) {
        chip->channels[node->number].group_mask =
            regfile_word(&node->unit.rf, PAPB_BCAST_GRPS_MASK);
    }
    if (node->kind == TRENCH_NODE_CCE && node->number < chip->gen->nr_engines) {
        struct app *app = &chip->channels[node->number].app;

        app->cce.absolute = regfile_word(
            &node->unit.rf, CCE_CCE_FMA_CFG_ABSOLUTE_VALUE_CLIPPING);
        app->cce.zero =
            regfile_word(&node->unit.rf, CCE_CCE_FMA_CONST_FP32_ZERO);
        app->cce.one = regfile_word(&node->unit.rf, CCE_CCE_FMA_CONST_FP32_ONE);
    }
}

int nodes_build(struct nodes *set, struct chip *chip, struct trench_bus *bus)
{
    const struct trench_gen *gen = chip->gen;
    size_t nr_values = 0;
    size_t max;
    int err;

    find(set, NULL, gen->windows, gen->nr_windows);
    max = set->nr;
    set->nr = 0;
    set->nodes = calloc(max ? max : 1, sizeof(*set->nodes));
    if (!set->nodes) {
        return TRENCH_ERR_NOMEM;
    }
    find(set, NULL, gen->windows, gen->nr_windows);
    err = build_classes(set, chip);
    for (size_t i = 0; i < set->nr && !err; i++) {
        nr_values += node_values(set, &set->nodes[i]);
    }
    if (!err) {
        set->values = calloc(nr_values + 1, sizeof(*set->values));
        err = set->values ? firewalls_build(&set->firewalls, chip, bus)
                          : TRENCH_ERR_NOMEM;
    }
    nr_values = 0;
    for (size_t i = 0; i < set->nr && !err; i++) {
        bind(set, chip, &set->nodes[i], set->values + nr_values);
        nr_values += node_values(set, &set->nodes[i]);
    }
    return err;
}

void nodes_fini(struct nodes *set)
{
    firewalls_fini(&set->firewalls);
    for (size_t i = 0; i < ARRAY_LEN(set->classes); i++) {
        regfile_class_fini(&set->classes[i]);
    }
    free(set->values);
    free(set->nodes);
}

void nodes_reset(struct nodes *set)
{
    for (size_t i = 0; i < set->nr; i++) {
        regfile_reset(&set->nodes[i].unit.rf);
        set->nodes[i].unit.rf.unknown = 0;
    }
    firewalls_reset(&set->firewalls);
}

void nodes_reset_range(struct nodes *set, uint64_t first, uint64_t size_bytes)
{
    for (size_t i = 0; i < set->nr; i++) {
        if (set->nodes[i].base - first < size_bytes) {
            regfile_reset(&set->nodes[i].unit.rf);
        }
    }
}

/* As much of the window as there are registers known for. */
int nodes_place(struct nodes *set, struct trench_bus *bus, size_t i)
{
    struct node *node = &set->nodes[i];
    const struct trench_bus_window w = {
        .name = node->name,
        .base = node->base,
        .size_bytes = set->classes[node->kind].block->size_bytes,
        .ops = kinds[node->kind].ops,
        .opaque = &node->unit,
    };

    return trench_bus_add_window(bus, &w);
}

uint64_t nodes_unknown(const struct nodes *set)
{
    uint64_t n = 0;

    for (size_t i = 0; i < set->nr; i++) {
        n += set->nodes[i].unit.rf.unknown;
    }
    return n;
}
