/* SPDX-License-Identifier: BSD-3-Clause */
#include "rig.h"
#include "fault.h"

#include <stdlib.h>
#include <string.h>

#include <trench/cause.h>

/* Rings of one queue pair: two of descriptors, two of completions. */
#define RINGS_OF_PAIR 4u
#define DESC_BYTES    16u
#define MIN_ENTRIES   64u
/* Generous room for what an allocator adds to one ring. */
#define RING_SLACK 4096u
#define AREA_ALIGN (UINT64_C(2) << 20)
/* All rings together; the driver touches every byte of them. */
#define MAX_RING_BYTES (UINT64_C(4) << 30)
/* The kernel driver keeps data out of the first 16 MiB of every HBM. */
#define HBM_RESERVED (UINT64_C(16) << 20)

/* Where a direction has its ends: the n-th memory of a kind. */
struct place {
    enum trench_mem_kind kind;
    unsigned nth;
};

static const struct {
    struct place src;
    struct place dst;
} places[] = {
    [CLI_H2D] = { { TRENCH_MEM_HOST, 0 }, { TRENCH_MEM_HBM, 0 } },
    [CLI_D2H] = { { TRENCH_MEM_HBM, 0 }, { TRENCH_MEM_HOST, 0 } },
    [CLI_D2D] = { { TRENCH_MEM_HBM, 0 }, { TRENCH_MEM_HBM, 1 } },
};

static void log_line(void *opaque, enum trench_log_level level,
                     const char *line)
{
    const struct cli_rig *rig = opaque;

    if (rig->verbose || level == TRENCH_LOG_ERROR) {
        cli_error(rig->prog, "model: %s", line);
    }
}

/* The wanted memory, or the last one of its kind; NULL when there is none. */
static const struct trench_gen_mem *find_mem(const struct trench_gen *gen,
                                             const struct place *place)
{
    const struct trench_gen_mem *found = NULL;
    unsigned seen = 0;

    for (size_t i = 0; i < gen->nr_mems && seen <= place->nth; i++) {
        if (gen->mems[i].kind == place->kind) {
            found = &gen->mems[i];
            seen++;
        }
    }
    return found;
}

static uint64_t round_up(uint64_t value, uint64_t step)
{
    return (value + step - 1) / step * step;
}

static uint64_t ring_bytes(const struct cli_rig_conf *conf)
{
    uint64_t ring = (uint64_t)conf->ring_entries * DESC_BYTES + RING_SLACK;
    uint64_t pairs = (uint64_t)conf->engines->count * conf->queues->count;

    return round_up(pairs * RINGS_OF_PAIR * ring, AREA_ALIGN);
}

/*
 * @param lead   Bytes of host memory in front of the area.
 * @param taken  An area in the same memory that must be left alone, or NULL.
 */
static int place_area(struct cli_rig *rig, const struct cli_rig_conf *conf,
                      const struct place *place,
                      const struct cli_rig_area *taken,
                      struct cli_rig_area *out)
{
    const struct trench_gen_mem *mem = find_mem(conf->gen, place);

    if (!mem) {
        cli_error(conf->prog, "%s has no %s memory", conf->gen->name,
                  trench_mem_kind_name(place->kind));
        return -1;
    }
    out->name = mem->name;
    out->addr = mem->base + (place->kind == TRENCH_MEM_HOST ? ring_bytes(conf)
                                                            : HBM_RESERVED);
    if (taken && taken->name == mem->name) {
        out->addr = taken->addr + round_up(conf->area_bytes, AREA_ALIGN);
    }
    out->host =
        trench_bus_host(trench_soc_bus(rig->soc), out->addr, conf->area_bytes);
    if (!out->host) {
        cli_error(conf->prog, "a buffer of %s does not fit in %s",
                  cli_human((double)conf->area_bytes).s, mem->name);
        return -1;
    }
    return 0;
}

static int create_chip(struct cli_rig *rig, const struct cli_rig_conf *conf)
{
    static const struct place host = { TRENCH_MEM_HOST, 0 };
    const struct trench_gen_mem *mem = find_mem(conf->gen, &host);
    struct trench_soc_conf soc_conf = { 0 };
    int err;

    if (!mem) {
        cli_error(conf->prog, "%s has no host memory", conf->gen->name);
        return -1;
    }
    if (ring_bytes(conf) > MAX_RING_BYTES) {
        cli_error(conf->prog, "rings of %s are too much; at most %s",
                  cli_human((double)ring_bytes(conf)).s,
                  cli_human((double)MAX_RING_BYTES).s);
        return -1;
    }
    soc_conf.gen = conf->gen;
    soc_conf.host_bytes =
        ring_bytes(conf) + round_up(conf->area_bytes, AREA_ALIGN);
    soc_conf.log = log_line;
    soc_conf.log_opaque = rig;
    err = trench_soc_create(&soc_conf, &rig->soc);
    if (err) {
        cli_error(conf->prog, "a chip with %s of host memory: %s",
                  cli_human((double)soc_conf.host_bytes).s,
                  trench_strerror(err));
        return -1;
    }
    err = trench_hal_bus_create(trench_soc_bus(rig->soc), mem->base,
                                ring_bytes(conf), &rig->hal_bus);
    if (err) {
        cli_error(conf->prog, "memory for rings: %s", trench_strerror(err));
        return -1;
    }
    return 0;
}

static int open_engine(struct cli_rig *rig, const struct cli_rig_conf *conf,
                       struct cli_rig_engine *engine)
{
    const struct trench_gen *gen = conf->gen;
    struct trench_hal_engine_conf engine_conf = {
        .ops = trench_hal_bus_ops(),
        .opaque = rig->hal_bus,
        .gen = gen,
        .in_core = engine->id < gen->nr_cores * gen->engines_per_core,
        .lane = (uint8_t)(engine->id % gen->engines_per_core),
    };
    int err;

    err = trench_gen_engine_base(gen, engine->id, false, &engine_conf.base);
    if (!err) {
        err = trench_gen_block_base(gen, engine->id, TRENCH_BLOCK_TDMA_MODEL,
                                    false, &engine_conf.app_base);
    }
    if (!err) {
        err = trench_hal_engine_open(&engine_conf, &engine->hal);
    }
    if (err) {
        cli_error(conf->prog, "engine %u: %s", engine->id,
                  trench_strerror(err));
        return -1;
    }
    return 0;
}

static int open_engines(struct cli_rig *rig, const struct cli_rig_conf *conf)
{
    rig->engines = calloc(conf->engines->count, sizeof(*rig->engines));
    if (!rig->engines) {
        cli_error(conf->prog, "out of memory");
        return -1;
    }
    for (unsigned id = 0; id < CLI_SET_MAX; id++) {
        if (!conf->engines->has[id]) {
            continue;
        }
        rig->engines[rig->nr_engines].id = id;
        if (open_engine(rig, conf, &rig->engines[rig->nr_engines]) < 0) {
            return -1;
        }
        rig->nr_engines++;
    }
    return 0;
}

/* The same queue of every engine. */
static int open_queue(struct cli_rig *rig, const struct cli_rig_conf *conf,
                      unsigned index)
{
    struct trench_hal_queue_conf queue_conf = { 0 };
    struct cli_rig_pair *pair;
    int err;

    queue_conf.index = index;
    queue_conf.tx_entries = conf->ring_entries;
    for (unsigned slot = 0; slot < rig->nr_engines; slot++) {
        pair = &rig->pairs[rig->nr_pairs];
        pair->slot = slot;
        pair->index = index;
        err = trench_hal_queue_open(rig->engines[slot].hal, &queue_conf,
                                    &pair->queue);
        if (err) {
            cli_error(conf->prog, "engine %u queue %u: %s",
                      rig->engines[slot].id, index, trench_strerror(err));
            return -1;
        }
        rig->nr_pairs++;
    }
    return 0;
}

static int open_queues(struct cli_rig *rig, const struct cli_rig_conf *conf)
{
    rig->pairs = calloc((size_t)conf->queues->count * rig->nr_engines,
                        sizeof(*rig->pairs));
    if (!rig->pairs) {
        cli_error(conf->prog, "out of memory");
        return -1;
    }
    for (unsigned index = 0; index < TRENCH_NR_QUEUES; index++) {
        if (conf->queues->has[index] && open_queue(rig, conf, index) < 0) {
            return -1;
        }
    }
    return 0;
}

int cli_rig_open(const struct cli_rig_conf *conf, struct cli_rig *out)
{
    memset(out, 0, sizeof(*out));
    out->prog = conf->prog;
    out->verbose = conf->verbose;
    if (create_chip(out, conf) < 0 ||
        place_area(out, conf, &places[conf->direction].src, NULL, &out->src) <
            0 ||
        place_area(out, conf, &places[conf->direction].dst, &out->src,
                   &out->dst) < 0 ||
        open_engines(out, conf) < 0 || open_queues(out, conf) < 0) {
        return -1;
    }
    return 0;
}

void cli_rig_close(struct cli_rig *rig)
{
    for (unsigned i = 0; i < rig->nr_pairs; i++) {
        trench_hal_queue_close(rig->pairs[i].queue);
    }
    for (unsigned i = 0; i < rig->nr_engines; i++) {
        trench_hal_engine_close(rig->engines[i].hal);
    }
    free(rig->pairs);
    free(rig->engines);
    trench_hal_bus_destroy(rig->hal_bus);
    trench_soc_destroy(rig->soc);
    memset(rig, 0, sizeof(*rig));
}

/* " m2s name name" of the bits that are set; nothing without any. */
static void causes_text(enum trench_cause_group group, uint32_t bits,
                        char *text, size_t size)
{
    size_t n = 0;

    for (unsigned bit = 0; bit < 32 && n < size; bit++) {
        const char *name = trench_cause_name(group, bit);

        if (bits >> bit & 1) {
            n += (size_t)snprintf(text + n, size - n, " %s", name ? name : "?");
        }
    }
}

void cli_rig_complain(struct cli_rig *rig, const struct cli_rig_pair *pair,
                      int err)
{
    const struct cli_rig_engine *engine = &rig->engines[pair->slot];
    struct trench_hal_errors causes;

    if (trench_hal_engine_take_errors(engine->hal, &causes) == 0 &&
        (causes.m2s != 0 || causes.s2m != 0)) {
        char m2s[600] = "";
        char s2m[600] = "";

        causes_text(TRENCH_CAUSE_M2S, causes.m2s, m2s, sizeof(m2s));
        causes_text(TRENCH_CAUSE_S2M, causes.s2m, s2m, sizeof(s2m));
        cli_error(rig->prog,
                  "engine %u queue %u: %s (causes m2s 0x%08x%s, s2m 0x%08x%s)",
                  engine->id, pair->index, trench_strerror(err), causes.m2s,
                  m2s, causes.s2m, s2m);
    } else {
        cli_error(rig->prog, "engine %u queue %u: %s", engine->id, pair->index,
                  trench_strerror(err));
    }
}

int cli_rig_flush(struct cli_rig *rig, uint64_t timeout_ns)
{
    struct cli_rig_pair *pair;
    int err;

    for (unsigned i = 0; i < rig->nr_pairs; i++) {
        pair = &rig->pairs[i];
        if (pair->pending) {
            err = trench_hal_submit(pair->queue);
            if (err < 0) {
                cli_rig_complain(rig, pair, err);
                return -1;
            }
        }
    }
    for (unsigned i = 0; i < rig->nr_pairs; i++) {
        pair = &rig->pairs[i];
        if (pair->pending) {
            err = trench_hal_wait(pair->queue, timeout_ns);
            if (err < 0) {
                cli_rig_complain(rig, pair, err);
                return -1;
            }
            pair->pending = false;
        }
    }
    return 0;
}

uint32_t cli_rig_ring_entries(uint32_t copy_bytes)
{
    uint32_t need = copy_bytes / TRENCH_HAL_DESC_BYTES + 2;

    need = (need + 2 * TRENCH_HAL_RING_GAP - 1) / TRENCH_HAL_RING_STEP *
           TRENCH_HAL_RING_STEP;
    return need > MIN_ENTRIES ? need : MIN_ENTRIES;
}
