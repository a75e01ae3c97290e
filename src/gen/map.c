/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * From an address to what is there (address-map): one walk down the tree of
 * windows, channels, units and registers.
 */
#include "gen/map_priv.h"

#include <string.h>

#include "base/bits.h"

/* Attributes of an access, not part of its address (address-map 3.1). */
#define ATTRIBUTES (UINT64_C(3) << 56)

/* One step down: where to, and how far it is to the neighbours if nowhere. */
struct step {
    const struct trench_gen *gen;
    const struct trench_csr_set *set; /* NULL = no register maps */
    uint64_t addr;
    struct trench_map_range gap;
    struct trench_map_node node;
};

/* True when a sibling holds the address; else the gap shrinks. */
static bool meets(struct step *s, uint64_t first, uint64_t size_bytes)
{
    uint64_t last = first + (size_bytes - 1);

    if (s->addr < first) {
        s->gap.last = first - 1 < s->gap.last ? first - 1 : s->gap.last;
        return false;
    }
    if (s->addr > last) {
        s->gap.first = last + 1 > s->gap.first ? last + 1 : s->gap.first;
        return false;
    }
    s->node.first = first;
    s->node.last = last;
    return true;
}

/* A run of siblings. */
struct run {
    uint64_t base;
    uint64_t stride_bytes;
    uint64_t size_bytes;
    uint32_t count;
};

/* The same for a run: only the member before the address and the next count. */
static bool meets_run(struct step *s, const struct run *run, uint16_t *nth)
{
    uint64_t i = 0;

    if (run->count > 1 && s->addr > run->base) {
        i = (s->addr - run->base) / run->stride_bytes;
        i = i < run->count ? i : run->count - 1;
    }
    *nth = (uint16_t)i;
    if (meets(s, run->base + i * run->stride_bytes, run->size_bytes)) {
        return true;
    }
    if (i + 1 < run->count) {
        (void)meets(s, run->base + (i + 1) * run->stride_bytes,
                    run->size_bytes);
    }
    return false;
}

/* ---- one level ----------------------------------------------------------- */

static bool step_row(struct step *s, const struct trench_gen_window *row,
                     uint64_t origin)
{
    const struct run run = {
        .base = origin + row->base,
        .stride_bytes = row->stride_bytes,
        .size_bytes = row->size_bytes,
        .count = row->count,
    };

    if (!meets_run(s, &run, &s->node.nth)) {
        return false;
    }
    s->node.kind = TRENCH_MAP_WINDOW;
    s->node.window = row;
    if (row->block && s->set) {
        s->node.block = trench_csr_set_block(s->set, row->block);
    }
    return true;
}

static bool step_rows(struct step *s, const struct trench_gen_window *rows,
                      size_t nr_rows, uint64_t origin)
{
    for (size_t i = 0; i < nr_rows; i++) {
        if (step_row(s, &rows[i], origin)) {
            return true;
        }
    }
    return false;
}

/* The windows at the top are sorted: look at two of them. */
static bool step_root(struct step *s)
{
    const struct trench_gen_window *rows = s->gen->windows;
    size_t low = 0;
    size_t high = s->gen->nr_windows;

    while (low < high) {
        size_t mid = (low + high) / 2;

        if (rows[mid].base <= s->addr) {
            low = mid + 1;
        } else {
            high = mid;
        }
    }
    return (low > 0 && step_row(s, &rows[low - 1], 0)) ||
           (low < s->gen->nr_windows && step_row(s, &rows[low], 0));
}

/* Channels of the clusters that lie in a window. */
static bool step_channels(struct step *s, const struct trench_map_node *in)
{
    for (size_t i = 0; i < s->gen->nr_clusters; i++) {
        const struct trench_gen_cluster *c = &s->gen->clusters[i];
        const struct run run = { c->base, c->stride_bytes, c->stride_bytes,
                                 c->nr_channels };

        if (c->base < in->first || c->base > in->last) {
            continue;
        }
        if (meets_run(s, &run, &s->node.channel)) {
            s->node.kind = TRENCH_MAP_CHANNEL;
            s->node.cluster = c;
            return true;
        }
    }
    return false;
}

static bool step_register(struct step *s, const struct trench_map_node *in)
{
    const struct trench_csr_block *block = in->block;

    if (trench_csr_at(block, (uint32_t)(s->addr - in->first), &s->node.ref)) {
        return false;
    }
    s->node.kind = TRENCH_MAP_REGISTER;
    s->node.first = in->first + trench_csr_ref_offset(&s->node.ref);
    s->node.last = s->node.first + 3;
    s->node.block = block;
    return true;
}

/* No register there: find its neighbours. */
static void narrow_by_registers(struct step *s,
                                const struct trench_map_node *in)
{
    for (size_t b = 0; b < in->block->nr_bundles; b++) {
        const struct trench_csr_bundle *bundle = &in->block->bundles[b];

        for (size_t r = 0; r < bundle->nr_regs; r++) {
            const struct run run = {
                .base = in->first + bundle->offset +
                        in->block->regs[bundle->first_reg + r].offset,
                .stride_bytes = bundle->stride,
                .size_bytes = 4,
                .count = bundle->count,
            };
            uint16_t nth;

            (void)meets_run(s, &run, &nth);
        }
    }
}

/* Units of a channel, or those of its mirror. */
static bool step_units(struct step *s, const struct trench_map_node *in,
                       bool mirror)
{
    for (size_t i = 0; i < s->gen->nr_units; i++) {
        const struct trench_gen_unit *u = &s->gen->units[i];

        if (u->part != in->cluster->part || (mirror && !u->broadcast)) {
            continue;
        }
        if (meets(s, in->first + u->offset, u->size_bytes)) {
            s->node.kind = TRENCH_MAP_UNIT;
            s->node.unit = u;
            s->node.block =
                s->set ? trench_csr_set_block(s->set,
                                              trench_csr_block_name(u->block))
                       : NULL;
            return true;
        }
    }
    return false;
}

uint32_t map_mirror_bytes(const struct trench_gen *gen)
{
    uint32_t bytes = 0;

    for (size_t i = 0; i < gen->nr_units; i++) {
        const struct trench_gen_unit *u = &gen->units[i];

        if (u->broadcast && u->offset + u->size_bytes > bytes) {
            bytes = u->offset + u->size_bytes;
        }
    }
    return bytes;
}

bool map_has_mirror(const struct trench_gen_cluster *cluster, unsigned channel)
{
    return cluster->bcast_every > 0 && channel % cluster->bcast_every == 0;
}

static bool step_mirror(struct step *s, const struct trench_map_node *in)
{
    if (!map_has_mirror(in->cluster, in->channel) ||
        !meets(s, in->first + s->gen->bcast_offset, map_mirror_bytes(s->gen))) {
        return false;
    }
    s->node.kind = TRENCH_MAP_MIRROR;
    return true;
}

static bool step_down(struct step *s, const struct trench_map_node *in)
{
    switch (in->kind) {
    case TRENCH_MAP_ROOT:
        return step_root(s);
    case TRENCH_MAP_WINDOW:
        if (in->block) {
            return step_register(s, in);
        }
        return step_channels(s, in) ||
               step_rows(s, in->window->inside, in->window->nr_inside,
                         in->first);
    case TRENCH_MAP_CHANNEL:
        return step_units(s, in, false) || step_mirror(s, in) ||
               step_rows(s, in->cluster->inside, in->cluster->nr_inside,
                         in->first);
    case TRENCH_MAP_MIRROR:
        return step_units(s, in, true);
    case TRENCH_MAP_UNIT:
        return step_register(s, in);
    case TRENCH_MAP_REGISTER:
    case TRENCH_MAP_GAP:
        break;
    }
    return false;
}

static bool window_holds_channels(const struct trench_gen *gen,
                                  const struct trench_map_node *in)
{
    for (size_t i = 0; i < gen->nr_clusters; i++) {
        if (gen->clusters[i].base >= in->first &&
            gen->clusters[i].base <= in->last) {
            return true;
        }
    }
    return false;
}

static bool has_parts(const struct trench_gen *gen,
                      const struct trench_map_node *in)
{
    switch (in->kind) {
    case TRENCH_MAP_WINDOW:
        return in->block || in->window->nr_inside > 0 ||
               window_holds_channels(gen, in);
    case TRENCH_MAP_UNIT:
        return in->block != NULL;
    case TRENCH_MAP_ROOT:
    case TRENCH_MAP_CHANNEL:
    case TRENCH_MAP_MIRROR:
        return true;
    case TRENCH_MAP_REGISTER:
    case TRENCH_MAP_GAP:
        break;
    }
    return false;
}

/* ---- the walk ------------------------------------------------------------ */

static void walk(const struct trench_gen *gen, struct trench_map_info *info,
                 unsigned max_depth)
{
    struct step s = {
        .gen = gen,
        .set = trench_csr_lib_set(trench_csr_lib_builtin(), gen->name),
        .addr = info->local,
    };
    const struct trench_map_node *in = &info->path[0];

    info->path[0] =
        (struct trench_map_node){ .kind = TRENCH_MAP_ROOT, .last = UINT64_MAX };
    info->depth = 1;
    while (info->depth < max_depth && has_parts(gen, in)) {
        s.gap = (struct trench_map_range){ in->first, in->last };
        s.node = (struct trench_map_node){
            .cluster = in->cluster,
            .channel = in->channel,
            .unit = in->unit,
        };
        if (!step_down(&s, in)) {
            if (in->block) {
                narrow_by_registers(&s, in);
            }
            s.node.kind = TRENCH_MAP_GAP;
            s.node.first = s.gap.first;
            s.node.last = s.gap.last;
        }
        info->path[info->depth] = s.node;
        in = &info->path[info->depth++];
    }
}

/* ---- what the path says -------------------------------------------------- */

static void set_engine(const struct trench_gen *gen,
                       struct trench_map_info *info, unsigned engine)
{
    info->index[TRENCH_INDEX_ENGINE] = (int)engine;
    info->nr_engines = 1;
    if (engine / gen->engines_per_core < gen->nr_cores) {
        info->index[TRENCH_INDEX_CORE] = (int)(engine / gen->engines_per_core);
        info->index[TRENCH_INDEX_LANE] = (int)(engine % gen->engines_per_core);
    }
}

static void set_window(const struct trench_gen *gen,
                       struct trench_map_info *info, unsigned level)
{
    const struct trench_map_node *node = &info->path[level];
    const struct trench_map_node *outer = &info->path[level - 1];
    unsigned value = node->window->number + node->nth;

    if (outer->window) {
        value += node->window->per_outer *
                 (unsigned)(outer->window->number + outer->nth);
    }
    if (node->window->index == TRENCH_INDEX_ENGINE) {
        set_engine(gen, info, value);
    } else if (node->window->index != TRENCH_INDEX_NONE) {
        info->index[node->window->index] = (int)value;
    }
}

static void set_numbers(const struct trench_gen *gen,
                        struct trench_map_info *info)
{
    for (size_t i = 0; i < ARRAY_LEN(info->index); i++) {
        info->index[i] = -1;
    }
    info->nr_engines = 0;
    for (unsigned i = 1; i < info->depth; i++) {
        const struct trench_map_node *node = &info->path[i];

        if (node->kind == TRENCH_MAP_WINDOW) {
            set_window(gen, info, i);
        } else if (node->kind == TRENCH_MAP_CHANNEL) {
            set_engine(gen, info,
                       (unsigned)node->cluster->first_engine + node->channel);
        } else if (node->kind == TRENCH_MAP_MIRROR) {
            info->broadcast = true;
            info->nr_engines = gen->bcast_lanes;
            info->index[TRENCH_INDEX_LANE] = -1;
        } else if (node->kind == TRENCH_MAP_REGISTER &&
                   node->ref.bundle->count == TRENCH_NR_QUEUES) {
            info->index[TRENCH_INDEX_QUEUE] = (int)node->ref.index;
        }
    }
}

static bool in_range(uint64_t addr, uint64_t base, uint64_t size_bytes)
{
    return addr >= base && addr - base < size_bytes;
}

static const struct trench_gen_mem *memory_at(const struct trench_gen *gen,
                                              uint64_t addr)
{
    for (size_t i = 0; i < gen->nr_mems; i++) {
        const struct trench_gen_mem *m = &gen->mems[i];

        if (in_range(addr, m->base, m->size_bytes) ||
            (m->alias && in_range(addr, m->alias, m->size_bytes))) {
            return m;
        }
    }
    return NULL;
}

static bool window_holds_memory(const struct trench_gen *gen,
                                const struct trench_map_node *in)
{
    for (size_t i = 0; i < gen->nr_mems; i++) {
        if (gen->mems[i].base >= in->first && gen->mems[i].base <= in->last) {
            return true;
        }
    }
    return false;
}

/* Part of a window that is modelled as a whole, on this chip. */
static bool in_modelled_window(const struct trench_map_info *info)
{
    for (unsigned i = 0; i < info->depth; i++) {
        const struct trench_gen_window *w = info->path[i].window;

        if (w && w->kind == TRENCH_WINDOW_NEIGHBOUR) {
            return false;
        }
        if (w && w->modelled) {
            return true;
        }
    }
    return false;
}

static enum trench_map_status window_status(const struct trench_gen *gen,
                                            const struct trench_map_info *info)
{
    const struct trench_map_node *leaf = trench_map_leaf(info);
    const struct trench_gen_mem *m = info->mem;

    if (leaf->cluster) {
        return TRENCH_MAP_NOT_MODELLED; /* the rest of a channel */
    }
    if (in_modelled_window(info)) {
        return TRENCH_MAP_MODELLED;
    }
    if (has_parts(gen, leaf)) {
        return window_holds_channels(gen, leaf) ||
                       window_holds_memory(gen, leaf)
                   ? TRENCH_MAP_PARTLY
                   : TRENCH_MAP_NOT_MODELLED;
    }
    if (m && (m->stride_bytes == 0 ||
              (info->local - m->base) % m->stride_bytes < m->valid_bytes)) {
        return TRENCH_MAP_MODELLED;
    }
    return m || window_holds_memory(gen, leaf) ? TRENCH_MAP_UNPOPULATED
                                               : TRENCH_MAP_NOT_MODELLED;
}

/* The one register that is modelled without a block of a channel. */
static bool is_reset_word(const struct trench_gen *gen, uint64_t addr)
{
    return gen->reset_word && (addr & ~UINT64_C(3)) == gen->reset_word;
}

static enum trench_map_status status_of(const struct trench_gen *gen,
                                        const struct trench_map_info *info)
{
    const struct trench_map_node *leaf = trench_map_leaf(info);
    enum trench_map_status registers = leaf->unit || in_modelled_window(info)
                                           ? TRENCH_MAP_MODELLED
                                           : TRENCH_MAP_NOT_MODELLED;

    switch (leaf->kind) {
    case TRENCH_MAP_GAP:
        if (info->path[info->depth - 2].block) { /* a register file */
            return registers;
        }
        break;
    case TRENCH_MAP_UNIT:
        return leaf->block ? TRENCH_MAP_MODELLED : TRENCH_MAP_NOT_MODELLED;
    case TRENCH_MAP_REGISTER:
        return is_reset_word(gen, info->local) ? TRENCH_MAP_MODELLED
                                               : registers;
    case TRENCH_MAP_WINDOW:
        return window_status(gen, info);
    case TRENCH_MAP_ROOT:
    case TRENCH_MAP_CHANNEL:
    case TRENCH_MAP_MIRROR:
        return TRENCH_MAP_PARTLY;
    }
    return TRENCH_MAP_HOLE;
}

static void set_bits(const struct trench_gen *gen, struct trench_map_info *info)
{
    uint64_t addr = info->addr & ~ATTRIBUTES;

    info->chip = -1;
    info->privileged = gen->privileged_bit && addr >> gen->privileged_bit & 1;
    if (gen->chip_valid_bit && addr >> gen->chip_valid_bit & 1) {
        info->chip = (int)(addr >> gen->chip_lsb &
                           ((UINT64_C(1) << gen->chip_width) - 1));
        info->privileged = false;
        /* What lies above the identifier stays and leads nowhere. */
        addr &= ~(((UINT64_C(1) << gen->chip_width) - 1) << gen->chip_lsb);
        addr &= ~(UINT64_C(1) << gen->chip_valid_bit);
    }
    info->die = gen->die_bit ? addr >> gen->die_bit & 1 : 0;
    info->local = addr;
}

void map_look(const struct trench_gen *gen, uint64_t addr, unsigned max_depth,
              struct trench_map_info *out)
{
    out->addr = addr;
    out->broadcast = false;
    set_bits(gen, out);
    walk(gen, out, max_depth);
    set_numbers(gen, out);
    out->mem = memory_at(gen, out->local);
    out->status = status_of(gen, out);
    if (out->chip >= 0 && out->status != TRENCH_MAP_HOLE) {
        out->status = TRENCH_MAP_NOT_MODELLED; /* only of a pod, unknown here */
    }
}

void trench_map_at(const struct trench_gen *gen, uint64_t addr,
                   struct trench_map_info *out)
{
    map_look(gen, addr, TRENCH_MAP_DEPTH, out);
}

const char *trench_map_status_name(enum trench_map_status status)
{
    switch (status) {
    case TRENCH_MAP_HOLE:
        return "hole";
    case TRENCH_MAP_MODELLED:
        return "modelled";
    case TRENCH_MAP_PARTLY:
        return "modelled in part";
    case TRENCH_MAP_NOT_MODELLED:
        return "not modelled";
    case TRENCH_MAP_UNPOPULATED:
        return "not populated";
    }
    return "unknown";
}
