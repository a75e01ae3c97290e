/* SPDX-License-Identifier: BSD-3-Clause */
/* trench map: tables, ranges, and the places of a name. */
#include "map.h"

#include <inttypes.h>

/* ---- places -------------------------------------------------------------- */

void map_print_places(const struct trench_gen *gen,
                      const struct trench_map_place *places, int nr)
{
    for (int i = 0; i < nr; i++) {
        printf("  0x%" PRIx64 ", %s, %s\n", places[i].addr,
               cli_human((double)places[i].size_bytes).s,
               map_place_text(gen, &places[i]).s);
    }
}

/* ---- ranges -------------------------------------------------------------- */

static uint64_t clip_low(uint64_t addr, uint64_t limit)
{
    return addr < limit ? limit : addr;
}

static uint64_t clip_high(uint64_t addr, uint64_t limit)
{
    return addr > limit ? limit : addr;
}

static int print_item(void *opaque, const struct trench_map_info *item)
{
    const struct trench_map_range *range = opaque;
    const struct trench_map_node *leaf = trench_map_leaf(item);
    uint64_t first = clip_low(leaf->first, range->first);
    uint64_t last = clip_high(leaf->last, range->last);

    printf("%16" PRIx64 " %16" PRIx64 " %10s %-15s %s\n", first, last,
           cli_human((double)(last - first) + 1).s,
           leaf->kind == TRENCH_MAP_GAP ? "-"
                                        : trench_map_status_name(item->status),
           leaf->kind == TRENCH_MAP_GAP ? "-" : map_full_name(item).s);
    return 0;
}

int map_print_range(const struct trench_gen *gen,
                    const struct trench_map_range *range)
{
    struct trench_map_range copy = *range;

    printf("%16s %16s %10s %-15s %s\n", "first", "last", "size", "model",
           "name");
    return trench_map_list(gen, range, print_item, &copy);
}

struct json_range {
    json_t *list;
    const struct trench_map_range *range;
};

static int json_item(void *opaque, const struct trench_map_info *item)
{
    const struct json_range *jr = opaque;
    const struct trench_map_node *leaf = trench_map_leaf(item);
    bool gap = leaf->kind == TRENCH_MAP_GAP;

    json_array_append_new(
        jr->list,
        json_pack("{s:o, s:o, s:o, s:s}", "first",
                  cli_json_hex(clip_low(leaf->first, jr->range->first)), "last",
                  cli_json_hex(clip_high(leaf->last, jr->range->last)), "name",
                  gap ? json_null() : json_string(map_full_name(item).s),
                  "status",
                  gap ? "hole" : trench_map_status_name(item->status)));
    return 0;
}

json_t *map_range_json(const struct trench_gen *gen,
                       const struct trench_map_range *range)
{
    struct json_range jr = { json_array(), range };

    trench_map_list(gen, range, json_item, &jr);
    return jr.list;
}

/* ---- windows ------------------------------------------------------------- */

static const struct trench_map_range everything = { 0, UINT64_MAX };

static int print_top(void *opaque, const struct trench_map_info *item)
{
    const struct trench_map_node *leaf = trench_map_leaf(item);

    (void)opaque;
    if (leaf->kind == TRENCH_MAP_WINDOW) {
        printf("%-22s %16" PRIx64 " %10s %-9s %s\n", map_full_name(item).s,
               leaf->first, cli_human((double)(leaf->last - leaf->first) + 1).s,
               trench_window_kind_name(leaf->window->kind),
               trench_map_status_name(item->status));
    }
    return 0;
}

static void print_windows(const struct trench_gen *gen)
{
    printf("%-22s %16s %10s %-9s %s\n", "window", "base", "size", "kind",
           "model");
    trench_map_list(gen, &everything, print_top, NULL);
}

static int json_top(void *opaque, const struct trench_map_info *item)
{
    const struct trench_map_node *leaf = trench_map_leaf(item);

    if (leaf->kind == TRENCH_MAP_WINDOW) {
        json_array_append_new(
            opaque,
            json_pack("{s:s, s:o, s:o, s:s, s:s}", "name",
                      map_full_name(item).s, "base", cli_json_hex(leaf->first),
                      "bytes", cli_json_hex(leaf->last - leaf->first + 1),
                      "kind", trench_window_kind_name(leaf->window->kind),
                      "status", trench_map_status_name(item->status)));
    }
    return 0;
}

static json_t *windows_json(const struct trench_gen *gen)
{
    json_t *list = json_array();

    trench_map_list(gen, &everything, json_top, list);
    return list;
}

const struct map_table map_windows = { "windows", print_windows, windows_json };

/* ---- clusters ------------------------------------------------------------ */

static uint64_t last_channel(const struct trench_gen_cluster *c)
{
    return c->base + (c->nr_channels - 1u) * (uint64_t)c->stride_bytes;
}

static void print_clusters(const struct trench_gen *gen)
{
    printf("%-24s %16s %16s %9s %3s %-8s %3s %-11s %s\n", "cluster", "first",
           "last", "stride", "ch", "engines", "die", "route", "holds");
    for (size_t i = 0; i < gen->nr_clusters; i++) {
        const struct trench_gen_cluster *c = &gen->clusters[i];
        const char *sep = "";
        char engines[24];

        snprintf(engines, sizeof(engines), "%u-%u", c->first_engine,
                 c->first_engine + c->nr_channels - 1u);
        printf("%-24s %16" PRIx64 " %16" PRIx64 " %9" PRIx32
               " %3u %-8s %3u %-11s ",
               c->name, c->base, last_channel(c), c->stride_bytes,
               c->nr_channels, engines, c->die,
               c->privileged ? "privileged" : "plain");
        for (size_t u = 0; u < gen->nr_units; u++) {
            if (gen->units[u].part == c->part) {
                printf("%s%s", sep, gen->units[u].name);
                sep = " ";
            }
        }
        printf("\n");
    }
}

static json_t *clusters_json(const struct trench_gen *gen)
{
    json_t *list = json_array();

    for (size_t i = 0; i < gen->nr_clusters; i++) {
        const struct trench_gen_cluster *c = &gen->clusters[i];

        json_array_append_new(
            list,
            json_pack("{s:s, s:o, s:o, s:o, s:i, s:i, s:i, s:i, s:b}", "name",
                      c->name, "first", cli_json_hex(c->base), "last",
                      cli_json_hex(last_channel(c)), "stride",
                      cli_json_hex(c->stride_bytes), "channels", c->nr_channels,
                      "first_engine", c->first_engine, "part", c->part, "die",
                      c->die, "privileged", c->privileged));
    }
    return list;
}

const struct map_table map_clusters = { "clusters", print_clusters,
                                        clusters_json };

/* ---- broadcast nodes ----------------------------------------------------- */

static void print_broadcast(const struct trench_gen *gen)
{
    struct trench_map_info plain;
    struct trench_map_info privileged;

    printf("%4s %16s %16s %-8s %s\n", "node", "plain", "privileged", "engines",
           "NeuronCore");
    for (unsigned n = 0; trench_map_bcast(gen, n, false, &plain) == 0; n++) {
        int engine = plain.index[TRENCH_INDEX_ENGINE];
        char engines[24];

        snprintf(engines, sizeof(engines), "%d-%d", engine,
                 engine + (int)plain.nr_engines - 1);
        printf("%4u %16" PRIx64, n, plain.local);
        if (trench_map_bcast(gen, n, true, &privileged) == 0) {
            printf(" %16" PRIx64, privileged.local);
        } else {
            printf(" %16s", "-");
        }
        printf(" %-8s %d\n", engines, plain.index[TRENCH_INDEX_CORE]);
    }
}

static json_t *broadcast_json(const struct trench_gen *gen)
{
    json_t *list = json_array();
    struct trench_map_info info;

    for (unsigned n = 0; trench_map_bcast(gen, n, false, &info) == 0; n++) {
        json_t *node = json_pack(
            "{s:i, s:o, s:i, s:i, s:i}", "node", (int)n, "plain",
            cli_json_hex(info.local), "first_engine",
            info.index[TRENCH_INDEX_ENGINE], "engines", (int)info.nr_engines,
            "core", info.index[TRENCH_INDEX_CORE]);

        if (trench_map_bcast(gen, n, true, &info) == 0) {
            json_object_set_new(node, "privileged", cli_json_hex(info.local));
        }
        json_array_append_new(list, node);
    }
    return list;
}

const struct map_table map_broadcast = { "broadcast", print_broadcast,
                                         broadcast_json };

/* ---- totals -------------------------------------------------------------- */

static void print_totals(const struct trench_gen *gen)
{
    struct trench_map_totals t;

    trench_map_totals(gen, &t);
    printf("%-26s %u\n", "engines", t.engines);
    printf("%-26s %u + %u = %u\n", "unicast, plain + privileged", t.plain,
           t.privileged, t.unicast);
    printf("%-26s %u\n", "broadcast", t.broadcast);
    printf("%-26s %u + %u = %u\n", "UDMA nodes", t.unicast, t.broadcast,
           t.unicast + t.broadcast);
    for (size_t i = 0; i < gen->nr_units; i++) {
        printf("%-26s %u\n", trench_csr_block_name(gen->units[i].block),
               trench_map_unit_nodes(gen, &gen->units[i]));
    }
}

static json_t *totals_json(const struct trench_gen *gen)
{
    struct trench_map_totals t;
    json_t *blocks = json_object();

    trench_map_totals(gen, &t);
    for (size_t i = 0; i < gen->nr_units; i++) {
        json_object_set_new(
            blocks, trench_csr_block_name(gen->units[i].block),
            json_integer(trench_map_unit_nodes(gen, &gen->units[i])));
    }
    return json_pack("{s:i, s:i, s:i, s:i, s:i, s:i, s:o}", "engines",
                     (int)t.engines, "plain", (int)t.plain, "privileged",
                     (int)t.privileged, "unicast", (int)t.unicast, "broadcast",
                     (int)t.broadcast, "udma_nodes",
                     (int)(t.unicast + t.broadcast), "blocks", blocks);
}

const struct map_table map_totals = { "totals", print_totals, totals_json };
