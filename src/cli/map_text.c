/* SPDX-License-Identifier: BSD-3-Clause */
/* trench map: one address, in words and as an object. */
#include "map.h"

#include <inttypes.h>
#include <string.h>

#define LABEL "  %-10s "

static const struct trench_map_node *node_of(const struct trench_map_info *info,
                                             enum trench_map_kind kind)
{
    for (unsigned i = 1; i < info->depth; i++) {
        if (info->path[i].kind == kind) {
            return &info->path[i];
        }
    }
    return NULL;
}

struct map_name map_full_name(const struct trench_map_info *info)
{
    struct map_name name = { "" };

    trench_map_name(info->path, info->depth, name.s, sizeof(name.s));
    return name;
}

/* ---- holes --------------------------------------------------------------- */

/* What stands beside a gap, on its level. */
static struct map_name neighbour(const struct trench_gen *gen, uint64_t addr,
                                 unsigned depth)
{
    struct trench_map_info info;
    struct map_name name = { "" };

    trench_map_at(gen, addr, &info);
    if (info.depth >= depth) {
        trench_map_name(info.path, depth, name.s, sizeof(name.s));
    }
    return name;
}

struct map_hole map_hole_text(const struct trench_gen *gen,
                              const struct trench_map_info *info)
{
    const struct trench_map_node *gap = trench_map_leaf(info);
    const struct trench_map_node *in = &info->path[info->depth - 2];
    struct map_name name = map_full_name(info);
    struct map_hole text;
    size_t len;

    len = info->chip < 0 ? 0
                         : (size_t)snprintf(text.s, sizeof(text.s),
                                            "chip %d: ", info->chip);
    len += (size_t)snprintf(
        text.s + len, sizeof(text.s) - len,
        "nothing known%s%s from 0x%" PRIx64 " to 0x%" PRIx64,
        name.s[0] ? " in " : "", name.s, gap->first, gap->last);
    if (gap->first > in->first) {
        name = neighbour(gen, gap->first - 1, info->depth);
        len += (size_t)snprintf(text.s + len, sizeof(text.s) - len,
                                "; before it %s", name.s);
    }
    if (gap->last < in->last) {
        name = neighbour(gen, gap->last + 1, info->depth);
        snprintf(text.s + len, sizeof(text.s) - len, "; after it %s", name.s);
    }
    return text;
}

/* ---- in one line --------------------------------------------------------- */

/* Text that grows; what does not fit is left out. */
struct line {
    char *s;
    size_t size;
    size_t len;
};

__attribute__((format(printf, 2, 3))) static void add(struct line *line,
                                                      const char *fmt, ...)
{
    va_list ap;
    int n;

    va_start(ap, fmt);
    n = vsnprintf(line->s + line->len, line->size - line->len, fmt, ap);
    va_end(ap);
    if (n > 0) {
        line->len += (size_t)n;
        line->len = line->len < line->size ? line->len : line->size - 1;
    }
}

static void add_comma(struct line *line)
{
    if (line->len > 0) {
        add(line, ", ");
    }
}

static void add_engine(struct line *line, const struct trench_map_info *info)
{
    int engine = info->index[TRENCH_INDEX_ENGINE];
    int core = info->index[TRENCH_INDEX_CORE];

    if (engine < 0) {
        return;
    }
    if (info->broadcast) {
        add(line, "broadcast to engines %d-%d", engine,
            engine + (int)info->nr_engines - 1);
    } else {
        add(line, "engine %d", engine);
    }
    if (core >= 0) {
        add(line, " of NeuronCore %d", core);
    }
}

/* Numbers that stand for themselves. */
static void add_numbers(struct line *line, const struct trench_map_info *info)
{
    static const struct {
        enum trench_index index;
        const char *name;
    } rows[] = {
        { TRENCH_INDEX_HBM, "HBM" },
        { TRENCH_INDEX_PARTITION, "partition" },
        { TRENCH_INDEX_EVENT, "event" },
        { TRENCH_INDEX_SEMAPHORE, "semaphore" },
        { TRENCH_INDEX_TOP_SP, "TOP_SP" },
        { TRENCH_INDEX_NEIGHBOUR, "of the chip behind link" },
    };

    if (info->index[TRENCH_INDEX_ENGINE] < 0 &&
        info->index[TRENCH_INDEX_CORE] >= 0) {
        add_comma(line);
        add(line, "NeuronCore %d", info->index[TRENCH_INDEX_CORE]);
    }
    for (size_t i = 0; i < CLI_ARRAY_LEN(rows); i++) {
        if (info->index[rows[i].index] >= 0) {
            add_comma(line);
            add(line, "%s %d", rows[i].name, info->index[rows[i].index]);
        }
    }
}

/* "M2S" of UDMA_M2S, where a queue has a direction. */
static const char *direction(const struct trench_map_node *node)
{
    const char *name = node->ref.bundle->name;

    return strncmp(name, "M2S", 3) == 0   ? "M2S "
           : strncmp(name, "S2M", 3) == 0 ? "S2M "
                                          : "";
}

struct map_what map_what_text(const struct trench_map_info *info)
{
    const struct trench_map_node *leaf = trench_map_leaf(info);
    struct map_what text = { "" };
    struct line line = { text.s, sizeof(text.s), 0 };

    if (info->chip >= 0) {
        add(&line, "chip %d", info->chip);
    }
    if (info->index[TRENCH_INDEX_ENGINE] >= 0) {
        add_comma(&line);
        add_engine(&line, info);
    }
    add_numbers(&line, info);
    if (info->index[TRENCH_INDEX_QUEUE] >= 0) {
        add(&line, ", %squeue %d", direction(leaf),
            info->index[TRENCH_INDEX_QUEUE]);
    }
    if (leaf->kind == TRENCH_MAP_REGISTER) {
        add_comma(&line);
        add(&line, "%s", leaf->ref.reg->name);
    } else if (leaf->kind == TRENCH_MAP_GAP) {
        add_comma(&line);
        add(&line, info->status == TRENCH_MAP_MODELLED ? "no register, reads 0"
                                                       : "no register");
    }
    if (node_of(info, TRENCH_MAP_CHANNEL)) {
        add(&line, ", %s route", info->privileged ? "privileged" : "plain");
    }
    return text;
}

struct map_route map_place_text(const struct trench_gen *gen,
                                const struct trench_map_place *place)
{
    struct trench_map_info info;
    struct map_route route = { "" };
    struct line line = { route.s, sizeof(route.s), 0 };

    trench_map_at(gen, place->addr, &info);
    if (place->broadcast) {
        add(&line, "broadcast to engines %d-%d, ",
            info.index[TRENCH_INDEX_ENGINE],
            info.index[TRENCH_INDEX_ENGINE] + (int)info.nr_engines - 1);
    }
    add(&line, "%s route", place->privileged ? "privileged" : "plain");
    return route;
}

/* ---- in full ------------------------------------------------------------- */

bool map_has_bits(const struct trench_map_info *info)
{
    return info->addr >> 48 != 0;
}

void map_print_bits(const struct trench_gen *gen, uint64_t addr)
{
    for (size_t v = 0; v < gen->nr_views; v++) {
        const struct trench_gen_view *view = &gen->views[v];
        const char *sep = "";

        printf(LABEL, v == 0 ? "bits" : "");
        printf("%s view: ", view->name);
        for (size_t i = 0; i < view->nr_bits; i++) {
            const struct trench_gen_bits *b = &view->bits[i];
            uint64_t val = addr >> b->lsb & ((UINT64_C(1) << b->width) - 1);

            if (val != 0) {
                printf("%s%s 0x%" PRIx64, sep, b->name, val);
                sep = ", ";
            }
        }
        printf("\n");
    }
}

static void print_window(const struct trench_map_info *info)
{
    const struct trench_map_node *window = node_of(info, TRENCH_MAP_WINDOW);
    char name[MAP_NAME_BYTES];

    if (!window) {
        return;
    }
    trench_map_name(info->path, 2, name, sizeof(name));
    printf(LABEL "%s (%s), 0x%" PRIx64 " + 0x%" PRIx64 "\n", "window", name,
           trench_window_kind_name(window->window->kind), window->first,
           info->local - window->first);
}

static void print_channel(const struct trench_map_info *info)
{
    const struct trench_map_node *channel = node_of(info, TRENCH_MAP_CHANNEL);
    const struct trench_map_node *unit = node_of(info, TRENCH_MAP_UNIT);
    int lane = info->index[TRENCH_INDEX_LANE];

    if (channel) {
        printf(LABEL "%s, channel %u", "cluster", channel->cluster->name,
               channel->channel);
        if (lane >= 0) {
            printf(", lane %d of its NeuronCore", lane);
        }
        printf(", 0x%" PRIx64 " + 0x%" PRIx64 "\n", channel->first,
               info->local - channel->first);
    }
    if (unit) {
        printf(LABEL "%s (%s%s), 0x%" PRIx64 " + 0x%" PRIx64 "\n", "block",
               unit->unit->name, trench_csr_block_name(unit->unit->block),
               unit->block ? "" : ", registers not known", unit->first,
               info->local - unit->first);
    }
}

static void print_register(const struct trench_map_info *info)
{
    const struct trench_map_node *leaf = trench_map_leaf(info);
    const struct trench_csr_reg *reg = leaf->ref.reg;
    char name[MAP_NAME_BYTES];

    if (leaf->kind != TRENCH_MAP_REGISTER) {
        return;
    }
    trench_csr_name_at(leaf->block, trench_csr_ref_offset(&leaf->ref), name,
                       sizeof(name));
    printf(LABEL "%s, %s, reset 0x%08" PRIx32, "register", name,
           trench_csr_access_name(reg->access), reg->reset);
    if (info->local != leaf->first) {
        printf(", byte %u of it", (unsigned)(info->local - leaf->first));
    }
    printf("\n");
    if (reg->desc[0] != '\0') {
        printf(LABEL "%s\n", "", reg->desc);
    }
}

/* Some registers of udma_gen are interrupt groups (udma-engine 3.1). */
static void print_overlay(const struct trench_gen *gen,
                          const struct trench_map_info *info)
{
    const struct trench_map_node *leaf = trench_map_leaf(info);
    const struct trench_csr_block *iofic =
        trench_csr_builtin(gen->name, TRENCH_BLOCK_IOFIC);
    char name[MAP_NAME_BYTES];

    if (!iofic || leaf->kind != TRENCH_MAP_REGISTER ||
        strncmp(leaf->ref.bundle->name, "int_ctrl", 8) != 0) {
        return;
    }
    if (trench_csr_name_at(
            iofic, trench_csr_ref_offset(&leaf->ref) - leaf->ref.bundle->offset,
            name, sizeof(name)) > 0) {
        printf(LABEL "iofic.%s, in an interrupt controller\n", "", name);
    }
}

static void print_memory(const struct trench_map_info *info)
{
    const struct trench_map_node *leaf = trench_map_leaf(info);

    if (leaf->kind != TRENCH_MAP_WINDOW ||
        info->index[TRENCH_INDEX_ENGINE] >= 0) {
        return;
    }
    if (info->depth > 2) {
        printf(LABEL "%s, 0x%" PRIx64 " + 0x%" PRIx64 "\n", "in",
               map_full_name(info).s, leaf->first, info->local - leaf->first);
    }
    if (info->mem) {
        printf(LABEL "%s (%s)\n", "memory", info->mem->name,
               trench_mem_kind_name(info->mem->kind));
    }
}

static void print_also(const struct trench_gen *gen,
                       const struct trench_map_info *info)
{
    struct trench_map_place places[TRENCH_MAP_PLACES];
    struct trench_map_bar bars[TRENCH_MAP_BARS];
    int nr = trench_map_also(gen, info, places);

    for (int i = 0; i < nr; i++) {
        printf(LABEL "0x%" PRIx64 " (%s)\n", i == 0 ? "also" : "",
               places[i].addr,
               info->mem ? "second route" : map_place_text(gen, &places[i]).s);
    }
    nr = info->chip < 0 ? trench_map_to_bar(gen, info->local, bars) : 0;
    for (int i = 0; i < nr; i++) {
        printf(LABEL "%s BAR %u + 0x%" PRIx64 "\n", i == 0 ? "PCIe" : "",
               bars[i].window->function, bars[i].window->bar, bars[i].offset);
    }
}

void map_print(const struct trench_gen *gen, const struct trench_map_info *info)
{
    struct map_what what = map_what_text(info);

    printf("0x%" PRIx64 ": %s\n", info->addr, map_full_name(info).s);
    if (what.s[0] != '\0') {
        printf("  %s\n", what.s);
    }
    print_window(info);
    print_channel(info);
    print_register(info);
    print_overlay(gen, info);
    print_memory(info);
    if (map_has_bits(info)) {
        map_print_bits(gen, info->addr);
    }
    print_also(gen, info);
    printf(LABEL "%s\n", "model", trench_map_status_name(info->status));
}

/* ---- as an object -------------------------------------------------------- */

json_t *map_bits_json(const struct trench_gen *gen, uint64_t addr)
{
    json_t *views = json_object();

    for (size_t v = 0; v < gen->nr_views; v++) {
        const struct trench_gen_view *view = &gen->views[v];
        json_t *fields = json_object();

        for (size_t i = 0; i < view->nr_bits; i++) {
            const struct trench_gen_bits *b = &view->bits[i];

            json_object_set_new(
                fields, b->name,
                cli_json_hex(addr >> b->lsb & ((UINT64_C(1) << b->width) - 1)));
        }
        json_object_set_new(views, view->name, fields);
    }
    return views;
}

static void set_indexes(json_t *object, const struct trench_map_info *info)
{
    static const char *const keys[TRENCH_NR_INDEXES] = {
        [TRENCH_INDEX_ENGINE] = "engine",
        [TRENCH_INDEX_CORE] = "core",
        [TRENCH_INDEX_LANE] = "lane",
        [TRENCH_INDEX_QUEUE] = "queue",
        [TRENCH_INDEX_HBM] = "hbm",
        [TRENCH_INDEX_PARTITION] = "partition",
        [TRENCH_INDEX_EVENT] = "event",
        [TRENCH_INDEX_SEMAPHORE] = "semaphore",
        [TRENCH_INDEX_TOP_SP] = "top_sp",
        [TRENCH_INDEX_NEIGHBOUR] = "neighbour",
    };

    for (size_t i = 0; i < CLI_ARRAY_LEN(keys); i++) {
        if (keys[i] && info->index[i] >= 0) {
            json_object_set_new(object, keys[i], json_integer(info->index[i]));
        }
    }
    if (info->broadcast) {
        json_object_set_new(object, "engines",
                            json_integer((json_int_t)info->nr_engines));
    }
    if (info->chip >= 0) {
        json_object_set_new(object, "chip", json_integer(info->chip));
    }
}

static void set_nodes(json_t *object, const struct trench_map_info *info)
{
    const struct trench_map_node *channel = node_of(info, TRENCH_MAP_CHANNEL);
    const struct trench_map_node *unit = node_of(info, TRENCH_MAP_UNIT);
    const struct trench_map_node *leaf = trench_map_leaf(info);
    char name[MAP_NAME_BYTES];

    if (node_of(info, TRENCH_MAP_WINDOW)) {
        trench_map_name(info->path, 2, name, sizeof(name));
        json_object_set_new(object, "window", json_string(name));
    }
    if (channel) {
        json_object_set_new(object, "cluster",
                            json_string(channel->cluster->name));
        json_object_set_new(object, "channel", json_integer(channel->channel));
        json_object_set_new(
            object, "route",
            json_string(info->privileged ? "privileged" : "plain"));
    }
    if (unit) {
        json_object_set_new(
            object, "block",
            json_string(trench_csr_block_name(unit->unit->block)));
        json_object_set_new(object, "block_offset",
                            cli_json_hex(info->local - unit->first));
    }
    if (leaf->kind == TRENCH_MAP_REGISTER) {
        trench_csr_name_at(leaf->block, trench_csr_ref_offset(&leaf->ref), name,
                           sizeof(name));
        json_object_set_new(object, "register", json_string(name));
    }
    if (info->mem) {
        json_object_set_new(object, "memory", json_string(info->mem->name));
    }
}

json_t *map_places_json(const struct trench_map_place *places, int nr)
{
    json_t *list = json_array();

    for (int i = 0; i < nr; i++) {
        json_array_append_new(
            list, json_pack("{s:o, s:o, s:s, s:b}", "address",
                            cli_json_hex(places[i].addr), "bytes",
                            cli_json_hex(places[i].size_bytes), "route",
                            places[i].privileged ? "privileged" : "plain",
                            "broadcast", places[i].broadcast));
    }
    return list;
}

json_t *map_json(const struct trench_gen *gen,
                 const struct trench_map_info *info)
{
    const struct trench_map_node *leaf = trench_map_leaf(info);
    struct trench_map_place places[TRENCH_MAP_PLACES];
    struct trench_map_bar bars[TRENCH_MAP_BARS];
    json_t *shown = json_array();
    json_t *object = json_pack(
        "{s:o, s:s, s:s, s:s, s:o, s:o, s:i, s:b}", "address",
        cli_json_hex(info->addr), "name", map_full_name(info).s, "what",
        map_what_text(info).s, "status", trench_map_status_name(info->status),
        "first", cli_json_hex(leaf->first), "last", cli_json_hex(leaf->last),
        "die", info->die, "broadcast", info->broadcast);
    int nr = trench_map_also(gen, info, places);

    set_indexes(object, info);
    set_nodes(object, info);
    json_object_set_new(object, "bits", map_bits_json(gen, info->addr));
    json_object_set_new(object, "also", map_places_json(places, nr));
    nr = info->chip < 0 ? trench_map_to_bar(gen, info->local, bars) : 0;
    for (int i = 0; i < nr; i++) {
        json_array_append_new(shown, json_pack("{s:s, s:i, s:o}", "function",
                                               bars[i].window->function, "bar",
                                               bars[i].window->bar, "offset",
                                               cli_json_hex(bars[i].offset)));
    }
    json_object_set_new(object, "bars", shown);
    return object;
}
