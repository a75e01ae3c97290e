/* SPDX-License-Identifier: BSD-3-Clause */
/* What stands at an address, looked up once. */
#include "dump.h"

#include <stdlib.h>
#include <string.h>

#define FIRST_SLOTS 1024

/* The register file that an address is in: where in the path, and its name. */
static unsigned register_file(const struct trench_map_info *info,
                              const char **name)
{
    for (unsigned i = info->depth; i-- > 1;) {
        const struct trench_map_node *node = &info->path[i];

        if (node->kind == TRENCH_MAP_UNIT) {
            *name = trench_csr_block_name(node->unit->block);
            return i;
        }
        if (node->kind == TRENCH_MAP_WINDOW && node->window->block) {
            *name = node->window->block;
            return i;
        }
    }
    return 0;
}

/* Put the register of the chosen schemas behind its file, in place of that of
 * the built-in ones. */
static void use_schema(const struct dump_table *table,
                       struct trench_map_info *info)
{
    const char *name = NULL;
    unsigned level = register_file(info, &name);
    struct trench_map_node *node = &info->path[level];
    struct trench_map_node leaf;
    uint64_t offset = info->local - node->first;

    if (level == 0 || level + 1 >= TRENCH_MAP_DEPTH) {
        return;
    }
    leaf = *node;
    leaf.kind = TRENCH_MAP_GAP;
    leaf.block = trench_csr_set_block(table->set, name);
    if (leaf.block && offset <= UINT32_MAX &&
        !trench_csr_at(leaf.block, (uint32_t)offset, &leaf.ref)) {
        leaf.kind = TRENCH_MAP_REGISTER;
    }
    info->path[level + 1] = leaf;
    info->depth = level + 2;
}

/* A register, or a word that is a window of its own. */
static bool is_known(const struct trench_map_node *leaf)
{
    return leaf->kind == TRENCH_MAP_REGISTER ||
           (leaf->kind == TRENCH_MAP_WINDOW && leaf->last - leaf->first == 3);
}

static struct dump_entry *resolve(const struct dump_table *table, uint64_t addr)
{
    struct trench_map_info info = { .depth = 1, .chip = -1 };
    struct dump_entry *entry;
    uint64_t target = addr;
    bool mapped =
        !table->bar || trench_map_from_bar(table->gen, "0", addr, &target) == 0;
    size_t len;

    if (mapped) {
        trench_map_at(table->gen, target, &info);
        use_schema(table, &info);
    }
    len = (size_t)trench_map_name(info.path, info.depth, NULL, 0);
    entry = calloc(1, sizeof(*entry) + len + 1);
    if (!entry) {
        return NULL;
    }
    trench_map_name(info.path, info.depth, entry->name, len + 1);
    entry->name_len = len;
    entry->addr = addr;
    entry->target = target;
    entry->mapped = mapped;
    entry->chip = info.chip;
    if (mapped) {
        entry->known = is_known(trench_map_leaf(&info));
        if (trench_map_leaf(&info)->kind == TRENCH_MAP_REGISTER) {
            entry->ref = trench_map_leaf(&info)->ref;
        }
    }
    return entry;
}

/* Where an address is, or would be. */
static struct dump_entry **slot_of(struct dump_entry **slots, size_t nr_slots,
                                   uint64_t addr)
{
    size_t i = (size_t)(addr / 4 * UINT64_C(0x9E3779B97F4A7C15) >> 32);

    for (;; i++) {
        struct dump_entry **slot = &slots[i & (nr_slots - 1)];

        if (!*slot || (*slot)->addr == addr) {
            return slot;
        }
    }
}

static bool grow(struct dump_table *table)
{
    size_t nr_slots = table->nr_slots ? 2 * table->nr_slots : FIRST_SLOTS;
    struct dump_entry **slots = calloc(nr_slots, sizeof(*slots));

    if (!slots) {
        return false;
    }
    for (size_t i = 0; i < table->nr_slots; i++) {
        if (table->slots[i]) {
            *slot_of(slots, nr_slots, table->slots[i]->addr) = table->slots[i];
        }
    }
    free(table->slots);
    table->slots = slots;
    table->nr_slots = nr_slots;
    return true;
}

struct dump_entry *dump_table_at(struct dump_table *table, uint64_t addr)
{
    struct dump_entry **slot;

    if (2 * table->nr >= table->nr_slots && !grow(table)) {
        return NULL;
    }
    slot = slot_of(table->slots, table->nr_slots, addr);
    if (!*slot) {
        *slot = resolve(table, addr);
        table->nr += *slot != NULL;
    }
    return *slot;
}

uint64_t dump_entry_total(const struct dump_entry *entry)
{
    return entry->count[DUMP_VALUE] + entry->count[DUMP_READ] +
           entry->count[DUMP_WRITE];
}

static int compare(const void *a, const void *b)
{
    const struct dump_entry *x = *(struct dump_entry *const *)a;
    const struct dump_entry *y = *(struct dump_entry *const *)b;

    return (x->addr > y->addr) - (x->addr < y->addr);
}

struct dump_entry **dump_table_sorted(const struct dump_table *table,
                                      size_t *nr)
{
    struct dump_entry **list = calloc(table->nr + 1, sizeof(*list));
    size_t n = 0;

    for (size_t i = 0; list && i < table->nr_slots; i++) {
        if (table->slots[i] && dump_entry_total(table->slots[i]) > 0) {
            list[n++] = table->slots[i];
        }
    }
    if (n > 0) {
        qsort(list, n, sizeof(*list), compare);
    }
    *nr = n;
    return list;
}

void dump_table_free(struct dump_table *table)
{
    for (size_t i = 0; i < table->nr_slots; i++) {
        free(table->slots[i]);
    }
    free(table->slots);
}
