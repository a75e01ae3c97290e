/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Where the registers of a step are, for one engine and for a group: seed 000
 * sections 1.1, 1.2, 2.1, 2.2 and 2.5.
 */
#include <trench/map.h>
#include <trench/ncfw.h>

#include "base/bits.h"
#include "ncfw/regs.h"

#include "udma_m2s_gen.h"
#include "udma_s2m_gen.h"

/* A direction, and the offsets of its registers in queue 0. */
struct side {
    const char *name;
    enum trench_block_id block;
    uint32_t stride;
    uint32_t reg[TRENCH_NCFW_NR_REGS]; /* 0 = has none */
};

static const struct side sides[TRENCH_NCFW_NR_DIRS] = {
    [TRENCH_NCFW_M2S] = {
        .name = "M2S",
        .block = TRENCH_BLOCK_UDMA_M2S,
        .stride = UDMA_M2S_M2S_Q_STRIDE,
        .reg = {
            [TRENCH_NCFW_BASE_LOW] = UDMA_M2S_M2S_Q_TDRBP_LOW(0),
            [TRENCH_NCFW_BASE_HIGH] = UDMA_M2S_M2S_Q_TDRBP_HIGH(0),
            [TRENCH_NCFW_LEN] = UDMA_M2S_M2S_Q_TDRL(0),
            [TRENCH_NCFW_TAIL_INC] = UDMA_M2S_M2S_Q_TDRTP_INC(0),
            [TRENCH_NCFW_DATA_TAIL_INC] = UDMA_M2S_M2S_Q_TDRDTP_INC(0),
            [TRENCH_NCFW_SW_CTRL] = UDMA_M2S_M2S_Q_Q_SW_CTRL(0),
        },
    },
    [TRENCH_NCFW_S2M] = {
        .name = "S2M",
        .block = TRENCH_BLOCK_UDMA_S2M,
        .stride = UDMA_S2M_S2M_Q_STRIDE,
        .reg = {
            [TRENCH_NCFW_BASE_LOW] = UDMA_S2M_S2M_Q_RDRBP_LOW(0),
            [TRENCH_NCFW_BASE_HIGH] = UDMA_S2M_S2M_Q_RDRBP_HIGH(0),
            [TRENCH_NCFW_LEN] = UDMA_S2M_S2M_Q_RDRL(0),
            [TRENCH_NCFW_TAIL_INC] = UDMA_S2M_S2M_Q_RDRTP_INC(0),
            [TRENCH_NCFW_SW_CTRL] = UDMA_S2M_S2M_Q_Q_SW_CTRL(0),
        },
    },
};

/* Which ones have a broadcast address (2.5). */
static const bool broadcast[TRENCH_NCFW_NR_REGS] = {
    [TRENCH_NCFW_TAIL_INC] = true,
    [TRENCH_NCFW_DATA_TAIL_INC] = true,
    [TRENCH_NCFW_SW_CTRL] = true,
};

static bool in_range(const struct trench_ncfw_where *where)
{
    return (unsigned)where->dir < TRENCH_NCFW_NR_DIRS &&
           (unsigned)where->reg < TRENCH_NCFW_NR_REGS &&
           where->queue < TRENCH_NR_QUEUES;
}

const char *trench_ncfw_dir_name(enum trench_ncfw_dir dir)
{
    return (unsigned)dir < TRENCH_NCFW_NR_DIRS ? sides[dir].name : "?";
}

/* The unit of a direction in a channel, NULL when there is none. */
static const struct trench_gen_unit *unit_of(const struct trench_gen *gen,
                                             enum trench_ncfw_dir dir)
{
    for (size_t i = 0; i < gen->nr_units; i++) {
        if (gen->units[i].block == sides[dir].block) {
            return &gen->units[i];
        }
    }
    return NULL;
}

/* Not every generation has every register: its map decides. */
static int in_block(const struct trench_gen *gen,
                    const struct trench_ncfw_where *where, uint32_t *out)
{
    const struct side *side = &sides[where->dir];
    const struct trench_csr_block *block =
        trench_csr_builtin(gen->name, side->block);
    uint32_t offset = side->reg[where->reg] + where->queue * side->stride;
    struct trench_csr_ref ref;

    if (side->reg[where->reg] == 0 || !block ||
        trench_csr_at(block, offset, &ref)) {
        return TRENCH_ERR_NOTSUP;
    }
    *out = offset;
    return 0;
}

int trench_ncfw_offset(const struct trench_gen *gen,
                       const struct trench_ncfw_where *where, uint32_t *out)
{
    const struct trench_gen_unit *unit;
    uint32_t offset;
    int err;

    if (!in_range(where)) {
        return TRENCH_ERR_INVAL;
    }
    unit = unit_of(gen, where->dir);
    err = in_block(gen, where, &offset);
    if (!unit || err) {
        return TRENCH_ERR_NOTSUP;
    }
    *out = unit->offset + offset;
    return 0;
}

int ncfw_unicast(const struct trench_gen *gen, struct ncfw_memo *memo,
                 unsigned engine, const struct trench_ncfw_where *where,
                 uint64_t *out)
{
    uint32_t *offset;
    uint64_t base;
    int err;

    if (!in_range(where)) {
        return TRENCH_ERR_INVAL;
    }
    if (memo->queue != where->queue) {
        *memo = (struct ncfw_memo){ .queue = where->queue };
    }
    offset = &memo->offset[where->dir][where->reg];
    err = *offset ? 0 : trench_ncfw_offset(gen, where, offset);
    if (err) {
        return err;
    }
    err = trench_gen_engine_base(gen, engine, false, &base);
    if (err) {
        return err;
    }
    *out = base + *offset;
    return 0;
}

int trench_ncfw_unicast(const struct trench_gen *gen, unsigned engine,
                        const struct trench_ncfw_where *where, uint64_t *out)
{
    struct ncfw_memo memo = { 0 };

    return ncfw_unicast(gen, &memo, engine, where, out);
}

int trench_ncfw_region(const struct trench_gen *gen, unsigned region,
                       uint64_t *out)
{
    struct trench_map_info info;
    int err;

    if (gen->bcast_lanes == 0) {
        return TRENCH_ERR_NOTSUP;
    }
    err = trench_map_bcast(gen, region, false, &info);
    if (err) {
        return err;
    }
    *out = info.local;
    return 0;
}

int ncfw_bcast_offset(const struct trench_gen *gen,
                      const struct trench_ncfw_where *where, uint32_t *out)
{
    int err = trench_ncfw_offset(gen, where, out);

    return !err && !broadcast[where->reg] ? TRENCH_ERR_ACCES : err;
}

int trench_ncfw_bcast_addr(const struct trench_gen *gen, unsigned region,
                           const struct trench_ncfw_where *where, uint64_t *out)
{
    uint64_t base;
    uint32_t offset;
    int err;

    err = ncfw_bcast_offset(gen, where, &offset);
    if (err) {
        return err;
    }
    err = trench_ncfw_region(gen, region, &base);
    if (err) {
        return err;
    }
    *out = base + offset;
    return 0;
}

uint64_t ncfw_beside(uint64_t addr, enum trench_ncfw_dir dir,
                     enum trench_ncfw_reg from, enum trench_ncfw_reg to)
{
    return addr - sides[dir].reg[from] + sides[dir].reg[to];
}

bool ncfw_has_field(const struct trench_gen *gen, enum trench_ncfw_dir dir,
                    const char *field)
{
    const struct trench_ncfw_where where = { dir, 0, TRENCH_NCFW_SW_CTRL };
    const struct trench_csr_block *block =
        trench_csr_builtin(gen->name, sides[dir].block);
    struct trench_csr_ref ref;
    uint32_t offset;

    return in_block(gen, &where, &offset) == 0 &&
           trench_csr_at(block, offset, &ref) == 0 &&
           trench_csr_reg_field(block, ref.reg, field, NULL) != NULL;
}
