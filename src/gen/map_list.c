/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Names of what is in the map, other addresses of the same, what ranges hold,
 * counts, broadcast nodes, and the PCIe BARs (address-map 2.3, 2.4, 3.5).
 */
#include "gen/map_priv.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "gen/gen_priv.h"

/* ---- names --------------------------------------------------------------- */

/* Text that may not fit; len counts what does not, as snprintf does. */
struct text {
    char *buf;
    size_t size;
    size_t len;
};

/* Not vsnprintf: names of a million addresses are made in a row. */
static void put(struct text *t, const char *s)
{
    size_t len = strlen(s);
    size_t room = t->len < t->size ? t->size - t->len : 0;

    if (room > 0) {
        size_t n = len < room ? len : room - 1;

        memcpy(t->buf + t->len, s, n);
        t->buf[t->len + n] = '\0';
    }
    t->len += len;
}

static void put_number(struct text *t, unsigned number)
{
    char digits[12];
    char *d = &digits[sizeof(digits) - 1];

    *d = '\0';
    do {
        *--d = (char)('0' + number % 10);
        number /= 10;
    } while (number > 0);
    put(t, d);
}

static void put_window(struct text *t, const struct trench_map_node *node)
{
    const struct trench_gen_window *w = node->window;
    unsigned number = (unsigned)w->number + node->nth;

    put(t, t->len > 0 ? "_" : "");
    put(t, w->name);
    if (w->name[strlen(w->name) - 1] == '_') {
        put_number(t, number);
    } else if (w->count > 1) {
        put(t, "[");
        put_number(t, number);
        put(t, "]");
    }
}

static void put_node(struct text *t, const struct trench_map_node *node)
{
    char name[128];

    switch (node->kind) {
    case TRENCH_MAP_WINDOW:
        put_window(t, node);
        break;
    case TRENCH_MAP_CHANNEL:
        t->len = 0; /* clusters have their window's name in theirs */
        gen_channel_name(node->cluster, node->channel, name, sizeof(name));
        put(t, name);
        break;
    case TRENCH_MAP_MIRROR:
        put(t, "_BCAST");
        break;
    case TRENCH_MAP_UNIT:
        put(t, ".");
        put(t, trench_csr_block_name(node->unit->block));
        break;
    case TRENCH_MAP_REGISTER:
        if (trench_csr_name_at(node->block, trench_csr_ref_offset(&node->ref),
                               name, sizeof(name)) > 0) {
            put(t, ".");
            put(t, name);
        }
        break;
    case TRENCH_MAP_ROOT:
    case TRENCH_MAP_GAP:
        break;
    }
}

int trench_map_name(const struct trench_map_node *path, unsigned depth,
                    char *buf, size_t size)
{
    struct text t = { buf, size, 0 };

    if (size > 0) {
        buf[0] = '\0';
    }
    for (unsigned i = 0; i < depth; i++) {
        put_node(&t, &path[i]);
    }
    return (int)t.len;
}

/* ---- other addresses ----------------------------------------------------- */

static const struct trench_map_node *channel_of(
    const struct trench_map_info *info)
{
    for (unsigned i = 1; i < info->depth; i++) {
        if (info->path[i].kind == TRENCH_MAP_CHANNEL) {
            return &info->path[i];
        }
    }
    return NULL;
}

/* The same place in a channel of the other clusters, and its twin. */
static int channel_also(const struct trench_gen *gen,
                        const struct trench_map_info *info,
                        const struct trench_map_node *channel,
                        struct trench_map_place *out)
{
    const struct trench_gen_unit *unit = trench_map_leaf(info)->unit;
    unsigned engine = (unsigned)info->index[TRENCH_INDEX_ENGINE];
    uint64_t offset = info->local - channel->first;
    int n = 0;

    for (size_t i = 0; i < gen->nr_clusters; i++) {
        const struct trench_gen_cluster *c = &gen->clusters[i];
        unsigned k = engine - c->first_engine;

        if (c->part != channel->cluster->part || k >= c->nr_channels) {
            continue;
        }
        if (c != channel->cluster && n < TRENCH_MAP_PLACES) {
            out[n++] = (struct trench_map_place){
                .addr = c->base + (uint64_t)k * c->stride_bytes + offset,
                .size_bytes = 1,
                .privileged = c->privileged,
                .broadcast = info->broadcast,
            };
        }
        if (unit && unit->broadcast && !info->broadcast && c->bcast_every > 0 &&
            n < TRENCH_MAP_PLACES) {
            k -= k % c->bcast_every;
            out[n++] = (struct trench_map_place){
                .addr = c->base + (uint64_t)k * c->stride_bytes +
                        gen->bcast_offset + offset,
                .size_bytes = 1,
                .privileged = c->privileged,
                .broadcast = true,
            };
        }
    }
    return n;
}

int trench_map_also(const struct trench_gen *gen,
                    const struct trench_map_info *info,
                    struct trench_map_place *out)
{
    const struct trench_map_node *channel = channel_of(info);
    const struct trench_gen_mem *mem = info->mem;

    if (info->status == TRENCH_MAP_HOLE) {
        return 0;
    }
    if (channel) {
        return channel_also(gen, info, channel, out);
    }
    if (!mem || mem->alias == 0) {
        return 0;
    }
    *out = (struct trench_map_place){
        .addr = info->local >= mem->alias
                    ? info->local - mem->alias + mem->base
                    : info->local - mem->base + mem->alias,
        .size_bytes = 1,
        .privileged = info->privileged,
    };
    return 1;
}

/* ---- ranges -------------------------------------------------------------- */

/* Levels of the way to first that hold all of the range. */
static unsigned common_depth(const struct trench_map_info *info, uint64_t last)
{
    unsigned depth = info->depth;

    while (depth > 1 && info->path[depth - 1].last < last) {
        depth--;
    }
    return depth;
}

/* An item is all of its node, not only its first byte. */
static void look_whole(const struct trench_gen *gen, uint64_t addr,
                       unsigned depth, struct trench_map_info *item)
{
    struct trench_map_info end;

    map_look(gen, addr, depth, item);
    if (trench_map_leaf(item)->kind != TRENCH_MAP_WINDOW ||
        item->status == TRENCH_MAP_PARTLY) {
        return;
    }
    map_look(gen, trench_map_leaf(item)->last, depth, &end);
    if (end.status != item->status) {
        item->status = TRENCH_MAP_PARTLY;
    }
}

int trench_map_list(const struct trench_gen *gen,
                    const struct trench_map_range *range, trench_map_fn fn,
                    void *opaque)
{
    struct trench_map_info item;
    uint64_t at = range->first;
    unsigned depth;
    int n = 0;
    int err;

    if (range->last < range->first) {
        return TRENCH_ERR_INVAL;
    }
    map_look(gen, at, TRENCH_MAP_DEPTH, &item);
    depth = common_depth(&item, range->last);
    for (;;) {
        look_whole(gen, at, depth + 1, &item);
        err = fn(opaque, &item);
        if (err) {
            return err;
        }
        n++;
        /* Attribute bits and chip identifiers are not in the tree. */
        if (item.local != at || trench_map_leaf(&item)->last >= range->last) {
            return n;
        }
        at = trench_map_leaf(&item)->last + 1;
    }
}

/* ---- counts -------------------------------------------------------------- */

static unsigned cluster_bcasts(const struct trench_gen_cluster *c)
{
    unsigned n = 0;

    for (unsigned k = 0; k < c->nr_channels; k++) {
        n += map_has_mirror(c, k);
    }
    return n;
}

void trench_map_totals(const struct trench_gen *gen,
                       struct trench_map_totals *out)
{
    uint64_t base;

    memset(out, 0, sizeof(*out));
    for (size_t i = 0; i < gen->nr_clusters; i++) {
        const struct trench_gen_cluster *c = &gen->clusters[i];

        if (c->part != 0) {
            continue; /* the same engines once more */
        }
        out->unicast += c->nr_channels;
        out->plain += c->privileged ? 0 : c->nr_channels;
        out->privileged += c->privileged ? c->nr_channels : 0;
        out->broadcast += cluster_bcasts(c);
    }
    while (trench_gen_engine_base(gen, out->engines, false, &base) == 0) {
        out->engines++;
    }
}

unsigned trench_map_unit_nodes(const struct trench_gen *gen,
                               const struct trench_gen_unit *unit)
{
    unsigned n = 0;

    for (size_t i = 0; i < gen->nr_clusters; i++) {
        const struct trench_gen_cluster *c = &gen->clusters[i];

        if (c->part == unit->part) {
            n += c->nr_channels;
            n += unit->broadcast ? cluster_bcasts(c) : 0;
        }
    }
    return n;
}

int trench_map_bcast(const struct trench_gen *gen, unsigned n, bool privileged,
                     struct trench_map_info *out)
{
    for (size_t i = 0; i < gen->nr_clusters; i++) {
        const struct trench_gen_cluster *c = &gen->clusters[i];
        unsigned here = cluster_bcasts(c);

        if (c->privileged != privileged || c->part != 0) {
            continue;
        }
        if (n < here) {
            uint64_t at = (uint64_t)n * c->bcast_every * c->stride_bytes;

            /* root, window, channel, mirror */
            map_look(gen, c->base + at + gen->bcast_offset, 4, out);
            return 0;
        }
        n -= here;
    }
    return TRENCH_ERR_NODEV;
}

/* ---- PCIe ---------------------------------------------------------------- */

int trench_map_to_bar(const struct trench_gen *gen, uint64_t addr,
                      struct trench_map_bar *out)
{
    int n = 0;

    for (size_t i = 0; i < gen->nr_bars && n < TRENCH_MAP_BARS; i++) {
        const struct trench_gen_bar *w = &gen->bars[i];

        if (addr >= w->addr && addr - w->addr < w->size_bytes) {
            out[n++] = (struct trench_map_bar){ w, w->offset + addr - w->addr };
        }
    }
    return n;
}

/* "main.0", or "0" for the same. */
static bool bar_is(const struct trench_gen_bar *w, const char *name)
{
    char full[32];

    snprintf(full, sizeof(full), "%s.%u", w->function, w->bar);
    return strcasecmp(full, name) == 0 ||
           (strcmp(w->function, "main") == 0 &&
            strcmp(strchr(full, '.') + 1, name) == 0);
}

int trench_map_from_bar(const struct trench_gen *gen, const char *bar,
                        uint64_t offset, uint64_t *out)
{
    int err = TRENCH_ERR_NODEV;

    for (size_t i = 0; i < gen->nr_bars; i++) {
        const struct trench_gen_bar *w = &gen->bars[i];

        if (!bar_is(w, bar)) {
            continue;
        }
        if (offset >= w->offset && offset - w->offset < w->size_bytes) {
            *out = w->addr + (offset - w->offset);
            return 0;
        }
        err = TRENCH_ERR_FAULT;
    }
    return err;
}
