/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Building a chip: every channel and memory of a generation on one bus.
 */
#include <trench/soc.h>

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "base/bits.h"
#include "dev/app.h"
#include "dev/axi.h"
#include "dev/bcast.h"
#include "dev/blocks.h"
#include "dev/chip.h"
#include "dev/clock.h"
#include "dev/engine.h"
#include "dev/fault.h"
#include "dev/node.h"
#include "dev/pod.h"
#include "dev/soc_parts.h"
#include "dev/vector.h"
#include "dev/xt_local.h"
#include "gen/gen_priv.h"

struct trench_soc {
    struct chip chip;
    struct pod alone; /* until it joins others */
    struct trench_bus *bus;
    struct regfile_class classes[TRENCH_NR_CHANNEL_BLOCKS];
    uint32_t *values;              /* of every register file */
    struct channel_tables *tables; /* of every channel, zero pages at first */
    struct fifo_entry *fifos;      /* of every ring, mapped lazily */
    size_t fifo_bytes;
    struct held *held; /* completions of every ring, mapped lazily */
    size_t held_bytes;
    void **striped;           /* backing of memories in partitions, by number */
    struct bcast_node *bcast; /* gen's broadcast nodes, both routes */
    size_t nr_bcast;
    struct nodes nodes;       /* devices beside the channels */
    struct xt_local_set seqs; /* the sequencers of all cores */
};

#define DEFAULT_HOST_BYTES (UINT64_C(4) << 30)
#define DEFAULT_BUDGET     (UINT64_C(1) << 20)

void soc_join(struct trench_soc *soc, struct pod *pod)
{
    soc->chip.pod = pod;
    soc->chip.bit = UINT64_C(1) << pod->nr;
    pod->chips[pod->nr++] = &soc->chip;
}

const struct pod *soc_alone(const struct trench_soc *soc)
{
    return &soc->alone;
}

uint64_t trench_soc_run(struct trench_soc *soc, uint64_t budget)
{
    struct pod *pod = soc->chip.pod;

    return pod_run(pod, soc->chip.bit, budget ? budget : pod->budget);
}

void trench_soc_advance(struct trench_soc *soc, uint64_t ns)
{
    pod_advance(soc->chip.pod, ns * CLOCKS_PER_NS);
}

void trench_soc_reset(struct trench_soc *soc)
{
    for (unsigned e = 0; e < soc->chip.gen->nr_engines; e++) {
        engine_reset(&soc->chip.channels[e]);
    }
    for (size_t i = 0; i < ARRAY_LEN(soc->chip.runnable); i++) {
        soc->chip.runnable[i] = 0;
        soc->chip.timed[i] = 0;
    }
    soc->chip.pod->posted &= ~soc->chip.bit;
    vector_reset(&soc->chip);
    xt_local_reset(&soc->seqs);
    soc->chip.clock = 0;
    soc->chip.next = 0;
    soc->chip.guest_errors = 0;
    bcast_reset(&soc->chip.fabric);
    nodes_reset(&soc->nodes);
    soc->chip.budget_stops = 0;
}

/* ---- resetting parts ---------------------------------------------------- */

bool soc_running(const struct trench_soc *soc)
{
    return soc->chip.pod->running;
}

uint64_t trench_soc_due(const struct trench_soc *soc)
{
    uint64_t clocks = clock_due(&soc->chip);

    return clocks == CLOCK_NEVER ? UINT64_MAX : clocks / CLOCKS_PER_NS;
}

static void reset_channel(struct trench_soc *soc, unsigned engine)
{
    struct channel *ch = &soc->chip.channels[engine];
    uint64_t bit = UINT64_C(1) << engine % 64;

    engine_reset(ch);
    soc->chip.runnable[engine / 64] &= ~bit;
    soc->chip.timed[engine / 64] &= ~bit;
    for (size_t w = 0; w < ARRAY_LEN(ch->risen); w++) {
        ch->risen[w] = 0;
    }
}

/* Devices in the n-th window of a kind, such as that of a core. */
static void reset_devices(struct trench_soc *soc, enum trench_index kind,
                          unsigned n)
{
    const struct trench_gen *gen = soc->chip.gen;

    for (size_t i = 0; i < gen->nr_windows; i++) {
        const struct trench_gen_window *w = &gen->windows[i];
        unsigned count = w->count ? w->count : 1;

        if (w->index == kind && n >= w->number && n - w->number < count) {
            nodes_reset_range(&soc->nodes,
                              w->base + (n - w->number) * w->stride_bytes,
                              w->size_bytes);
        }
    }
}

void soc_reset_core(struct trench_soc *soc, unsigned core)
{
    const struct trench_gen *gen = soc->chip.gen;
    unsigned first = core * gen->engines_per_core;
    unsigned shared = (unsigned)gen->nr_cores * gen->engines_per_core;

    for (unsigned e = first; e < first + gen->engines_per_core; e++) {
        reset_channel(soc, e);
    }
    /* A host engine belongs to a core only where each has its own. */
    if (gen->nr_engines == shared + gen->nr_cores) {
        reset_channel(soc, shared + core);
    }
    reset_devices(soc, TRENCH_INDEX_CORE, core);
    xt_local_reset_core(&soc->seqs, core);
}

void soc_reset_top_sp(struct trench_soc *soc, unsigned n)
{
    reset_devices(soc, TRENCH_INDEX_TOP_SP, n);
}

/* ---- building: register files ------------------------------------------- */

static int build_classes(struct trench_soc *soc)
{
    const struct trench_csr_block *iofic =
        trench_csr_builtin(soc->chip.gen->name, TRENCH_BLOCK_IOFIC);

    for (size_t i = 0; i < soc->chip.gen->nr_units; i++) {
        enum trench_block_id id = soc->chip.gen->units[i].block;
        const struct trench_csr_block *block =
            trench_csr_builtin(soc->chip.gen->name, id);
        int err;

        if (!block) {
            return TRENCH_ERR_NODEV;
        }
        err = block_class_init(&soc->classes[id], id, block);
        if (err) {
            return err;
        }
    }
    if (!iofic) {
        return TRENCH_ERR_NODEV;
    }
    intr_class_resets(&soc->classes[TRENCH_BLOCK_UDMA_GEN], iofic);
    return 0;
}

/* Registers of one channel, all blocks. */
static size_t channel_values(const struct trench_soc *soc)
{
    size_t n = 0;

    for (size_t i = 0; i < soc->chip.gen->nr_units; i++) {
        n += soc->classes[soc->chip.gen->units[i].block].block->nr_insts;
    }
    return n;
}

/* Whom the hooks of a block are called for. */
static void *hook_owner(struct channel *ch, enum trench_block_id id)
{
    if (id == TRENCH_BLOCK_UDMA_M2S) {
        return &ch->m2s_side;
    }
    return id == TRENCH_BLOCK_UDMA_S2M ? (void *)&ch->s2m_side : ch;
}

static void build_channel(struct trench_soc *soc, unsigned engine,
                          uint32_t *values)
{
    struct channel *ch = &soc->chip.channels[engine];
    uint64_t base;
    struct fifo_entry *fifo =
        soc->fifos + (size_t)engine * 2 * TRENCH_NR_QUEUES * RING_FIFO_SIZE;
    struct held *held =
        soc->held + (size_t)engine * 2 * TRENCH_NR_QUEUES * COAL_MAX;

    ch->chip = &soc->chip;
    ch->bus = soc->bus;
    ch->engine = engine;
    ch->tables = &soc->tables[engine];
    ch->initiator = TRENCH_BUS_ENGINE_0 + engine;
    ch->iofic = trench_csr_builtin(soc->chip.gen->name, TRENCH_BLOCK_IOFIC);
    for (size_t i = 0; i < soc->chip.gen->nr_units; i++) {
        enum trench_block_id id = soc->chip.gen->units[i].block;

        ch->units[id].chip = &soc->chip;
        ch->units[id].ch = ch;
        if (!trench_gen_block_base(soc->chip.gen, engine, id, false, &base)) {
            ch->units[id].apb_base = (uint32_t)base;
        }
        regfile_init(&ch->units[id].rf, &soc->classes[id], values,
                     hook_owner(ch, id));
        values += soc->classes[id].block->nr_insts;
    }
    for (unsigned q = 0; q < TRENCH_NR_QUEUES; q++) {
        ch->m2s[q].ring.fifo = fifo;
        ch->s2m[q].ring.fifo = fifo + RING_FIFO_SIZE;
        fifo += 2 * RING_FIFO_SIZE;
        ch->coal[SEC_GROUP_M2S][q].held = held;
        ch->coal[SEC_GROUP_S2M][q].held = held + COAL_MAX;
        held += 2 * COAL_MAX;
    }
    engine_bind(ch);
    engine_reset(ch);
}

/* Zeroed memory that costs nothing until it is used; NULL without any. */
static void *map_lazily(size_t bytes)
{
    void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

    return p == MAP_FAILED ? NULL : p;
}

static int build_channels(struct trench_soc *soc)
{
    size_t nr = soc->chip.gen->nr_engines;
    size_t per_channel = channel_values(soc);
    size_t rings = nr * 2 * TRENCH_NR_QUEUES;

    soc->chip.channels = calloc(nr, sizeof(*soc->chip.channels));
    soc->values = calloc(nr * per_channel, sizeof(*soc->values));
    soc->tables = calloc(nr, sizeof(*soc->tables));
    if (!soc->chip.channels || !soc->values || !soc->tables) {
        return TRENCH_ERR_NOMEM;
    }
    /* Most queues are never used: pages come with the first descriptor. */
    soc->fifo_bytes = rings * RING_FIFO_SIZE * sizeof(*soc->fifos);
    soc->held_bytes = rings * COAL_MAX * sizeof(*soc->held);
    soc->fifos = map_lazily(soc->fifo_bytes);
    soc->held = map_lazily(soc->held_bytes);
    if (!soc->fifos || !soc->held) {
        return TRENCH_ERR_NOMEM;
    }
    for (unsigned e = 0; e < nr; e++) {
        build_channel(soc, e, soc->values + e * per_channel);
    }
    return 0;
}

/* ---- building: the bus -------------------------------------------------- */

/* Something to map; sorted, so that the bus only ever appends. */
struct placement {
    uint64_t base;
    const struct trench_gen_mem *mem;         /* or a channel of a cluster */
    const struct trench_gen_cluster *cluster; /* or a node or sequencer */
    unsigned index; /* partition, channel, node or part of a sequencer */
    bool mirror;    /* the channel's broadcast window */
    bool seq;       /* a part of a sequencer */
};

static int placement_cmp(const void *a, const void *b)
{
    const struct placement *x = a;
    const struct placement *y = b;

    return (x->base > y->base) - (x->base < y->base);
}

static uint64_t partitions(const struct trench_gen_mem *mem)
{
    return mem->stride_bytes ? mem->size_bytes / mem->stride_bytes : 1;
}

static size_t count_placements(const struct trench_gen *gen)
{
    size_t n = 0;

    for (size_t i = 0; i < gen->nr_mems; i++) {
        n += partitions(&gen->mems[i]);
    }
    for (size_t i = 0; i < gen->nr_clusters; i++) {
        n += 2 * (size_t)gen->clusters[i].nr_channels;
    }
    return n + xt_local_parts(gen);
}

static size_t list_memories(const struct trench_gen *gen, struct placement *p)
{
    size_t n = 0;

    for (size_t i = 0; i < gen->nr_mems; i++) {
        const struct trench_gen_mem *mem = &gen->mems[i];

        for (unsigned k = 0; k < partitions(mem); k++) {
            p[n++] = (struct placement){
                .base = mem->base + (uint64_t)k * mem->stride_bytes,
                .mem = mem,
                .index = k,
            };
        }
    }
    return n;
}

static size_t list_channels(const struct trench_gen *gen, struct placement *p)
{
    size_t n = 0;

    for (size_t i = 0; i < gen->nr_clusters; i++) {
        const struct trench_gen_cluster *c = &gen->clusters[i];

        for (unsigned k = 0; k < c->nr_channels; k++) {
            uint64_t base = c->base + (uint64_t)k * c->stride_bytes;

            p[n++] =
                (struct placement){ .base = base, .cluster = c, .index = k };
            if (c->bcast_every && k % c->bcast_every == 0) {
                p[n++] = (struct placement){
                    .base = base + gen->bcast_offset,
                    .cluster = c,
                    .index = k,
                    .mirror = true,
                };
            }
        }
    }
    return n;
}

static size_t list_nodes(const struct nodes *nodes, struct placement *p)
{
    for (size_t i = 0; i < nodes->nr; i++) {
        p[i] = (struct placement){ .base = nodes->nodes[i].base,
                                   .index = (unsigned)i };
    }
    return nodes->nr;
}

static size_t list_seqs(const struct trench_gen *gen, struct placement *p)
{
    size_t n = xt_local_parts(gen);

    for (unsigned i = 0; i < n; i++) {
        p[i] = (struct placement){
            .base = xt_local_part_base(gen, i),
            .index = i,
            .seq = true,
        };
    }
    return n;
}

static int place_host(struct trench_soc *soc, const struct trench_gen_mem *mem,
                      const struct trench_soc_conf *conf)
{
    struct trench_bus_mem m = {
        .name = mem->name,
        .base = mem->base,
        .size_bytes = conf->host_bytes ? conf->host_bytes : DEFAULT_HOST_BYTES,
        .host = conf->host,
    };
    int err;

    if (m.size_bytes > mem->size_bytes) {
        return TRENCH_ERR_INVAL;
    }
    err = trench_bus_add_memory(soc->bus, &m);
    if (err || !mem->alias) {
        return err;
    }
    m.host = trench_bus_host(soc->bus, m.base, m.size_bytes);
    m.base = mem->alias;
    return trench_bus_add_memory(soc->bus, &m);
}

/* All partitions in one mapping: a process can have only so many. */
static int place_partition(struct trench_soc *soc, const struct placement *p,
                           struct trench_bus_mem *m)
{
    void **host = &soc->striped[p->mem - soc->chip.gen->mems];

    if (!*host) {
        *host = map_lazily(p->mem->size_bytes);
    }
    if (!*host) {
        return TRENCH_ERR_NOMEM;
    }
    m->size_bytes = p->mem->valid_bytes;
    m->host = (uint8_t *)*host + (size_t)p->index * p->mem->stride_bytes;
    return trench_bus_add_memory(soc->bus, m);
}

static void unmap_striped(struct trench_soc *soc)
{
    for (size_t i = 0; soc->striped && i < soc->chip.gen->nr_mems; i++) {
        if (soc->striped[i]) {
            munmap(soc->striped[i], soc->chip.gen->mems[i].size_bytes);
        }
    }
    free(soc->striped);
}

static int place_memory(struct trench_soc *soc, const struct placement *p,
                        const struct trench_soc_conf *conf)
{
    struct trench_bus_mem m = {
        .name = p->mem->name,
        .base = p->base,
        .size_bytes = p->mem->size_bytes,
    };

    if (p->mem->kind == TRENCH_MEM_HOST) {
        return place_host(soc, p->mem, conf);
    }
    if (p->mem->stride_bytes) {
        return place_partition(soc, p, &m);
    }
    return trench_bus_add_memory(soc->bus, &m);
}

static int place_mirror(struct trench_soc *soc, const struct placement *p)
{
    struct bcast_node *node = &soc->bcast[soc->nr_bcast];
    struct trench_bus_window w = {
        .base = p->base,
        .ops = &bcast_ops,
        .opaque = node,
    };
    char name[64];
    char channel[48];

    for (size_t i = 0; i < soc->chip.gen->nr_units; i++) {
        const struct trench_gen_unit *u = &soc->chip.gen->units[i];

        if (u->broadcast && u->part == p->cluster->part &&
            u->offset + u->size_bytes > w.size_bytes) {
            w.size_bytes = u->offset + u->size_bytes;
        }
    }
    gen_channel_name(p->cluster, p->index, channel, sizeof(channel));
    snprintf(name, sizeof(name), "%s_BCAST_UDMA", channel);
    w.name = name;
    node->chip = &soc->chip;
    node->base = p->base;
    node->first_engine = p->cluster->first_engine + p->index;
    node->part = p->cluster->part;
    soc->nr_bcast++;
    return trench_bus_add_window(soc->bus, &w);
}

static int place_channel(struct trench_soc *soc, const struct placement *p)
{
    struct channel *ch =
        &soc->chip.channels[p->cluster->first_engine + p->index];
    char channel[48];
    char name[80];

    gen_channel_name(p->cluster, p->index, channel, sizeof(channel));
    for (size_t i = 0; i < soc->chip.gen->nr_units; i++) {
        const struct trench_gen_unit *u = &soc->chip.gen->units[i];
        struct trench_bus_window w = {
            .name = name,
            .base = p->base + u->offset,
            .size_bytes = u->size_bytes,
            .ops = &chip_unit_ops,
            .opaque = &ch->units[u->block],
        };
        int err;

        if (u->part != p->cluster->part) {
            continue;
        }
        snprintf(name, sizeof(name), "%s_%s", channel, u->name);
        err = trench_bus_add_window(soc->bus, &w);
        if (err) {
            return err;
        }
    }
    return 0;
}

/*
 * The device answers a reset through this word when it is done, which is at
 * once. Which engines are meant is told through firmware memory that is not
 * modelled, and the driver programs every register afterwards, so nothing else
 * happens (hardware.md H86).
 */
static int reset_word_read32(void *opaque, uint64_t offset, uint32_t *val)
{
    (void)opaque;
    (void)offset;
    *val = 0;
    return 0;
}

static int reset_word_write32(void *opaque, uint64_t offset, uint32_t val)
{
    (void)opaque;
    (void)offset;
    (void)val;
    return 0;
}

static int place_reset_word(struct trench_soc *soc)
{
    static const struct trench_bus_dev_ops ops = {
        .read32 = reset_word_read32,
        .write32 = reset_word_write32,
    };
    const struct trench_bus_window w = {
        .name = "EMU_SCRATCH",
        .base = soc->chip.gen->reset_word,
        .size_bytes = 4,
        .ops = &ops,
    };

    return w.base ? trench_bus_add_window(soc->bus, &w) : 0;
}

static int build_bus(struct trench_soc *soc, const struct trench_soc_conf *conf)
{
    size_t max = count_placements(soc->chip.gen) + soc->nodes.nr;
    struct placement *p = calloc(max, sizeof(*p));
    size_t n;
    int err = 0;

    soc->bcast = calloc(max, sizeof(*soc->bcast));
    soc->striped = calloc(soc->chip.gen->nr_mems, sizeof(*soc->striped));
    if (!p || !soc->bcast || !soc->striped) {
        free(p);
        return TRENCH_ERR_NOMEM;
    }
    n = list_memories(soc->chip.gen, p);
    n += list_channels(soc->chip.gen, p + n);
    n += list_nodes(&soc->nodes, p + n);
    n += list_seqs(soc->chip.gen, p + n);
    qsort(p, n, sizeof(*p), placement_cmp);
    for (size_t i = 0; i < n && !err; i++) {
        if (p[i].mem) {
            err = place_memory(soc, &p[i], conf);
        } else if (p[i].seq) {
            err = xt_local_place(&soc->seqs, p[i].index);
        } else if (!p[i].cluster) {
            err = nodes_place(&soc->nodes, soc->bus, p[i].index);
        } else if (p[i].mirror) {
            err = place_mirror(soc, &p[i]);
        } else {
            err = place_channel(soc, &p[i]);
        }
    }
    free(p);
    if (!err) {
        err = place_reset_word(soc);
    }
    return err ? err : firewalls_ready(&soc->nodes.firewalls);
}

int trench_soc_create(const struct trench_soc_conf *conf,
                      struct trench_soc **out)
{
    static const struct trench_soc_conf defaults;
    const struct trench_gen *gen;
    struct trench_soc *soc;
    int err;

    conf = conf ? conf : &defaults;
    gen = conf->gen ? conf->gen : trench_gen_find(NULL);
    if ((conf->host && !conf->host_bytes) ||
        gen->nr_engines > CHIP_MAX_ENGINES ||
        conf->bcast.group > TRENCH_BCAST_ANY_GROUP ||
        (unsigned)conf->cce_nibbles > TRENCH_CCE_NIBBLES_OUT_ACCUM ||
        !xt_local_conf_ok(conf)) {
        return TRENCH_ERR_INVAL;
    }
    soc = calloc(1, sizeof(*soc));
    if (!soc) {
        return TRENCH_ERR_NOMEM;
    }
    soc->chip.gen = gen;
    soc->alone.budget = conf->budget ? conf->budget : DEFAULT_BUDGET;
    soc->alone.stepped = conf->stepped;
    soc_join(soc, &soc->alone);
    soc->chip.cce_nibbles = conf->cce_nibbles;
    soc->chip.intr = conf->intr;
    soc->chip.intr_opaque = conf->intr_opaque;
    soc->chip.log = (struct logger){ conf->log, conf->log_opaque };
    bcast_init(&soc->chip.fabric, &conf->bcast);
    err = trench_bus_create(&soc->bus);
    if (!err) {
        err = build_classes(soc);
    }
    if (!err) {
        err = app_build(&soc->chip);
    }
    if (!err) {
        err = build_channels(soc);
    }
    if (!err) {
        err = nodes_build(&soc->nodes, &soc->chip, soc->bus);
    }
    if (!err) {
        err = xt_local_build(&soc->seqs, &soc->chip, soc->bus, conf);
    }
    if (!err) {
        err = build_bus(soc, conf);
    }
    if (err) {
        trench_soc_destroy(soc);
        return err;
    }
    *out = soc;
    return 0;
}

void trench_soc_destroy(struct trench_soc *soc)
{
    if (!soc) {
        return;
    }
    trench_bus_destroy(soc->bus);
    for (unsigned b = 0; b < TRENCH_NR_CHANNEL_BLOCKS; b++) {
        regfile_class_fini(&soc->classes[b]);
    }
    xt_local_fini(&soc->seqs);
    if (soc->fifos) {
        munmap(soc->fifos, soc->fifo_bytes);
    }
    if (soc->held) {
        munmap(soc->held, soc->held_bytes);
    }
    app_fini(&soc->chip);
    nodes_fini(&soc->nodes);
    unmap_striped(soc);
    free(soc->bcast);
    free(soc->values);
    free(soc->tables);
    free(soc->chip.channels);
    free(soc);
}

/* ---- between engines and bus -------------------------------------------- */

void trench_soc_set_access(struct trench_soc *soc, trench_access_fn fn,
                           void *opaque)
{
    bool other = (soc->chip.access == NULL) != (fn == NULL);

    soc->chip.access = fn;
    soc->chip.access_opaque = opaque;
    if (other) {
        axi_replan_all(&soc->chip);
    }
}

int trench_soc_inject(struct trench_soc *soc, const struct trench_fault *fault)
{
    return chip_inject(&soc->chip, fault);
}

int trench_soc_fault_stats(const struct trench_soc *soc, int number,
                           struct trench_fault_stats *out)
{
    if (number < 0 || (unsigned)number >= soc->chip.nr_faults) {
        return TRENCH_ERR_NOENT;
    }
    *out = soc->chip.faults[number].stats;
    return 0;
}

void trench_soc_clear_faults(struct trench_soc *soc)
{
    if (soc->chip.nr_faults > 0) {
        soc->chip.nr_faults = 0;
        axi_replan_all(&soc->chip);
    }
}

/* ---- looking ------------------------------------------------------------ */

struct trench_bus *trench_soc_bus(struct trench_soc *soc)
{
    return soc->bus;
}

const struct trench_gen *trench_soc_gen(const struct trench_soc *soc)
{
    return soc->chip.gen;
}

const struct notific *notific_of(const struct trench_soc *soc, unsigned engine)
{
    return &soc->chip.channels[engine].notific;
}

int trench_soc_engine_stats(const struct trench_soc *soc, unsigned engine,
                            struct trench_soc_engine_stats *out)
{
    const struct channel *ch;

    if (engine >= soc->chip.gen->nr_engines) {
        return TRENCH_ERR_NODEV;
    }
    ch = &soc->chip.channels[engine];
    *out = ch->stats;
    out->unknown = 0;
    for (unsigned b = 0; b < TRENCH_NR_CHANNEL_BLOCKS; b++) {
        out->unknown += ch->units[b].rf.unknown;
    }
    return 0;
}

int trench_soc_app_stats(const struct trench_soc *soc, unsigned engine,
                         struct trench_app_stats *out)
{
    if (engine >= soc->chip.gen->nr_engines) {
        return TRENCH_ERR_NODEV;
    }
    *out = soc->chip.channels[engine].app.stats;
    return 0;
}

int trench_soc_intr_pending(const struct trench_soc *soc, unsigned engine,
                            struct trench_soc_intr *out)
{
    if (engine >= soc->chip.gen->nr_engines) {
        return TRENCH_ERR_NODEV;
    }
    return (int)vector_pending(&soc->chip.channels[engine], out);
}

void trench_soc_stats(const struct trench_soc *soc,
                      struct trench_soc_stats *out)
{
    *out = (struct trench_soc_stats){
        .guest_errors = soc->chip.guest_errors,
        .budget_stops = soc->chip.budget_stops,
        .unknown = nodes_unknown(&soc->nodes),
    };
    bcast_stats(&soc->chip.fabric, out);
}

void trench_soc_set_bcast(struct trench_soc *soc, trench_bcast_fn fn,
                          void *opaque)
{
    soc->chip.fabric.fn = fn;
    soc->chip.fabric.opaque = opaque;
}

int trench_soc_last_bcast(const struct trench_soc *soc,
                          struct trench_bcast_delivery *out)
{
    if (soc->chip.fabric.writes == 0) {
        return TRENCH_ERR_NOENT;
    }
    *out = soc->chip.fabric.last;
    return 0;
}

int trench_soc_firewall_state(const struct trench_soc *soc, unsigned n,
                              struct trench_soc_firewall_state *out)
{
    const struct firewalls *set = &soc->nodes.firewalls;

    if (n >= set->nr) {
        return TRENCH_ERR_NODEV;
    }
    *out = (struct trench_soc_firewall_state){
        .on = set->list[n].on,
        .interrupt = firewall_interrupt(&set->list[n]),
    };
    return 0;
}
