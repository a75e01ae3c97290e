/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The broadcast windows: one write, delivered as a unicast write to the same
 * offset of up to sixteen engines (address-map 4.10, 4.11; design "Fabric").
 */
#include "dev/bcast.h"

#include <string.h>

#include "base/bits.h"
#include "dev/chip.h"
#include "tdma_model_gen.h"
#include "udma_m2s_gen.h"
#include "udma_s2m_gen.h"

/*
 * The registers that software broadcasts: their words carry a mask of the
 * lanes in 31:16 and the payload in 15:0.
 */
static const struct masked {
    enum trench_block_id block;
    uint32_t offset; /* of queue 0 */
    uint32_t stride;
    bool tail;
} masked[] = {
    { TRENCH_BLOCK_UDMA_M2S, UDMA_M2S_M2S_Q_TDRTP_INC(0), UDMA_M2S_M2S_Q_STRIDE,
      true },
    { TRENCH_BLOCK_UDMA_M2S, UDMA_M2S_M2S_Q_TDRDTP_INC(0),
      UDMA_M2S_M2S_Q_STRIDE, true },
    { TRENCH_BLOCK_UDMA_M2S, UDMA_M2S_M2S_Q_Q_SW_CTRL(0), UDMA_M2S_M2S_Q_STRIDE,
      false },
    { TRENCH_BLOCK_UDMA_S2M, UDMA_S2M_S2M_Q_RDRTP_INC(0), UDMA_S2M_S2M_Q_STRIDE,
      true },
    { TRENCH_BLOCK_UDMA_S2M, UDMA_S2M_S2M_Q_Q_SW_CTRL(0), UDMA_S2M_S2M_Q_STRIDE,
      false },
};

/* NULL: software never broadcasts this register. */
static const struct masked *find_masked(enum trench_block_id block,
                                        uint32_t offset)
{
    for (size_t i = 0; i < ARRAY_LEN(masked); i++) {
        if (masked[i].block == block && offset >= masked[i].offset &&
            (offset - masked[i].offset) % masked[i].stride == 0 &&
            (offset - masked[i].offset) / masked[i].stride < TRENCH_NR_QUEUES) {
            return &masked[i];
        }
    }
    return NULL;
}

/* The unit of the mirror that an offset falls into, NULL in a gap. */
static const struct trench_gen_unit *mirror_unit(const struct bcast_node *node,
                                                 uint64_t offset)
{
    const struct trench_gen *gen = node->chip->gen;

    for (size_t i = 0; i < gen->nr_units; i++) {
        const struct trench_gen_unit *u = &gen->units[i];

        if (u->broadcast && u->part == node->part && offset >= u->offset &&
            offset - u->offset < u->size_bytes) {
            return u;
        }
    }
    return NULL;
}

/* ---- who takes part ------------------------------------------------------ */

static uint32_t all_lanes(const struct chip *chip)
{
    return (1u << chip->gen->bcast_lanes) - 1;
}

/* Groups let a lane in when its engine and its fabric slice are members. */
static bool is_member(const struct channel *ch, uint32_t groups)
{
    uint32_t engine = regfile_get(&ch->units[TRENCH_BLOCK_TDMA_MODEL].rf,
                                  TDMA_MODEL_TDMA_BROADCAST_CFG_GROUP) &
                      TDMA_MODEL_TDMA_BROADCAST_CFG_GROUP_GROUP_MASK;
    /* Group 0 is unicast: its bit does nothing (address-map 4.7). */
    uint32_t slice = ch->group_mask ? *ch->group_mask & ~1u : ~1u;

    return (engine & groups) && (slice & groups);
}

/* Fill in what the word says: payload, and whom it leaves out. */
static void read_word(const struct chip *chip, const struct masked *row,
                      struct trench_bcast_delivery *d)
{
    const struct trench_bcast_conf *conf = &chip->fabric.conf;
    uint32_t mask = d->word >> 16;

    d->payload = d->word;
    d->skipped = 0;
    if (!row || (row->tail && conf->tail_unmasked)) {
        return;
    }
    d->payload = d->word & 0xFFFFu;
    d->skipped = (conf->mask_applies ? ~mask : mask) & all_lanes(chip);
}

/*
 * Lane after lane. Nothing runs before the last has its word: hooks only
 * post, so no other access comes between.
 */
static void deliver(struct chip *chip, struct trench_bcast_delivery *d)
{
    d->reached = 0;
    d->gated = 0;
    for (unsigned lane = 0; lane < chip->gen->bcast_lanes; lane++) {
        struct channel *ch = &chip->channels[d->first_engine + lane];

        if (d->skipped >> lane & 1) {
            continue;
        }
        if (!is_member(ch, chip->fabric.groups)) {
            d->gated |= 1u << lane;
            continue;
        }
        d->reached |= 1u << lane;
        regfile_write(&ch->units[d->block].rf, d->offset, d->payload);
    }
}

static void record(struct fabric *fabric, const struct trench_bcast_delivery *d)
{
    fabric->writes++;
    fabric->reached[__builtin_popcount(d->reached)]++;
    fabric->last = *d;
    if (fabric->fn) {
        fabric->fn(fabric->opaque, d);
    }
}

/* ---- the window ---------------------------------------------------------- */

/* No source says what a read returns: the first lane answers. */
static int bcast_read32(void *opaque, uint64_t offset, uint32_t *val)
{
    struct bcast_node *node = opaque;
    struct chip *chip = node->chip;
    const struct trench_gen_unit *u = mirror_unit(node, offset);

    if (!u) {
        return TRENCH_ERR_FAULT;
    }
    chip_poke(chip);
    chip->fabric.reads++;
    *val = regfile_read(&chip->channels[node->first_engine].units[u->block].rf,
                        (uint32_t)(offset - u->offset));
    return 0;
}

static int bcast_write32(void *opaque, uint64_t offset, uint32_t val)
{
    struct bcast_node *node = opaque;
    struct chip *chip = node->chip;
    const struct trench_gen_unit *u = mirror_unit(node, offset);
    struct trench_bcast_delivery d = {
        .addr = node->base + offset,
        .first_engine = node->first_engine,
        .word = val,
    };
    const struct masked *row;

    if (!u) {
        return TRENCH_ERR_FAULT;
    }
    d.block = u->block;
    d.offset = (uint32_t)(offset - u->offset);
    row = find_masked(d.block, d.offset);
    if (!row) {
        channel_guest_error(&chip->channels[node->first_engine],
                            "broadcast of a register that software never "
                            "broadcasts, offset 0x%x",
                            (unsigned)offset);
        if (chip->fabric.conf.strict) {
            return TRENCH_ERR_ACCES;
        }
    }
    read_word(chip, row, &d);
    deliver(chip, &d);
    record(&chip->fabric, &d);
    chip_poke(chip);
    return 0;
}

const struct trench_bus_dev_ops bcast_ops = {
    .read32 = bcast_read32,
    .write32 = bcast_write32,
};

/* ---- settings and counters ----------------------------------------------- */

void bcast_init(struct fabric *fabric, const struct trench_bcast_conf *conf)
{
    unsigned group = conf->group ? conf->group : 1;

    fabric->conf = *conf;
    fabric->groups = group == TRENCH_BCAST_ANY_GROUP ? 0xFFFFu : 1u << group;
}

void bcast_reset(struct fabric *fabric)
{
    fabric->reads = 0;
    fabric->writes = 0;
    memset(fabric->reached, 0, sizeof(fabric->reached));
}

void bcast_stats(const struct fabric *fabric, struct trench_soc_stats *out)
{
    out->bcast_reads = fabric->reads;
    out->bcast_writes = fabric->writes;
    out->bcast_lanes = 0;
    for (unsigned n = 0; n <= TRENCH_BCAST_MAX_LANES; n++) {
        out->bcast_reached[n] = fabric->reached[n];
        out->bcast_lanes += n * fabric->reached[n];
    }
}
static const uint32_t used[] = { TDMA_MODEL_TDMA_BROADCAST_CFG_GROUP };

const struct use_list bcast_uses = { TRENCH_BLOCK_TDMA_MODEL, used,
                                     ARRAY_LEN(used) };
