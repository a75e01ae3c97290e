/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Lookups over the generations. The data is in one file a generation.
 */
#include <trench/gen.h>

#include <stdio.h>
#include <strings.h>

#include <trench/bus.h>

#include "base/bits.h"
#include "gen/gen_priv.h"

/* The first one is the default. */
static const struct trench_gen *const generations[] = {
    &gen_cayman,
    &gen_sunda,
    &gen_mariana,
    &gen_mariana_plus,
};

const struct trench_gen *trench_gen_at(size_t n)
{
    return n < ARRAY_LEN(generations) ? generations[n] : NULL;
}

const struct trench_gen *trench_gen_find(const char *name)
{
    if (!name) {
        return generations[0];
    }
    for (size_t i = 0; i < ARRAY_LEN(generations); i++) {
        if (strcasecmp(generations[i]->name, name) == 0) {
            return generations[i];
        }
    }
    return NULL;
}

const char *trench_mem_kind_name(enum trench_mem_kind kind)
{
    switch (kind) {
    case TRENCH_MEM_HBM:
        return "hbm";
    case TRENCH_MEM_SBUF:
        return "sbuf";
    case TRENCH_MEM_PSUM:
        return "psum";
    case TRENCH_MEM_HOST:
        return "host";
    }
    return "unknown";
}

const char *trench_window_kind_name(enum trench_window_kind kind)
{
    switch (kind) {
    case TRENCH_WINDOW_MEMORY:
        return "memory";
    case TRENCH_WINDOW_MIXED:
        return "mixed";
    case TRENCH_WINDOW_APB:
        return "APB";
    case TRENCH_WINDOW_DEVICE:
        return "device";
    case TRENCH_WINDOW_HOST:
        return "host";
    case TRENCH_WINDOW_NEIGHBOUR:
        return "neighbour";
    case TRENCH_WINDOW_RESERVED:
        return "reserved";
    }
    return "unknown";
}

static const struct trench_gen_cluster *engine_cluster(
    const struct trench_gen *gen, unsigned engine, bool privileged,
    uint8_t part)
{
    for (size_t i = 0; i < gen->nr_clusters; i++) {
        const struct trench_gen_cluster *c = &gen->clusters[i];

        if (c->privileged == privileged && c->part == part &&
            engine >= c->first_engine &&
            engine - c->first_engine < c->nr_channels) {
            return c;
        }
    }
    return NULL;
}

static int part_base(const struct trench_gen *gen, unsigned engine,
                     bool privileged, uint8_t part, uint64_t *out)
{
    const struct trench_gen_cluster *c =
        engine_cluster(gen, engine, privileged, part);

    if (!c) {
        return TRENCH_ERR_NODEV;
    }
    *out = c->base + (uint64_t)(engine - c->first_engine) * c->stride_bytes;
    return 0;
}

int trench_gen_engine_base(const struct trench_gen *gen, unsigned engine,
                           bool privileged, uint64_t *out)
{
    return part_base(gen, engine, privileged, 0, out);
}

int trench_gen_block_base(const struct trench_gen *gen, unsigned engine,
                          enum trench_block_id block, bool privileged,
                          uint64_t *out)
{
    for (size_t i = 0; i < gen->nr_units; i++) {
        const struct trench_gen_unit *u = &gen->units[i];
        uint64_t base;
        int err;

        if (u->block == block) {
            err = part_base(gen, engine, privileged, u->part, &base);
            if (!err) {
                *out = base + u->offset;
            }
            return err;
        }
    }
    return TRENCH_ERR_NODEV;
}

int trench_gen_chip_addr(const struct trench_gen *gen, unsigned chip,
                         uint64_t local, uint64_t *out)
{
    if (!gen->chip_valid_bit) {
        return TRENCH_ERR_NOTSUP;
    }
    if (chip >= 1u << gen->chip_width) {
        return TRENCH_ERR_NODEV;
    }
    if ((local & ~TRENCH_BUS_ATTR_MASK) >> gen->chip_lsb) {
        return TRENCH_ERR_INVAL; /* its place is taken */
    }
    *out = local | (uint64_t)chip << gen->chip_lsb |
           UINT64_C(1) << gen->chip_valid_bit;
    return 0;
}

int gen_channel_name(const struct trench_gen_cluster *c, unsigned channel,
                     char *buf, size_t size)
{
    if (c->names) {
        return snprintf(buf, size, "%s_%s", c->name, c->names[channel]);
    }
    return snprintf(buf, size, "%s_SDMA_%u", c->name, channel);
}

int trench_gen_engine_name(const struct trench_gen *gen, unsigned engine,
                           char *buf, size_t size)
{
    const struct trench_gen_cluster *c = engine_cluster(gen, engine, false, 0);

    if (!c) {
        return TRENCH_ERR_NODEV;
    }
    return gen_channel_name(c, engine - c->first_engine, buf, size);
}
