/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The broadcast windows: one write, delivered as a unicast write to the same
 * offset of up to sixteen engines (address-map 4.10, 4.11; design "Fabric").
 */
#include "dev/bcast.h"

#include "base/bits.h"
#include "dev/chip.h"
#include "tdma_model_gen.h"
#include "udma_m2s_gen.h"
#include "udma_s2m_gen.h"

/*
 * The registers that software broadcasts: their words carry a skip mask of
 * the lanes in 31:16 and the payload in 15:0.
 */
static const struct {
    enum trench_block_id block;
    uint32_t offset; /* of queue 0 */
    uint32_t stride;
} masked[] = {
    { TRENCH_BLOCK_UDMA_M2S, UDMA_M2S_M2S_Q_TDRTP_INC(0),
      UDMA_M2S_M2S_Q_STRIDE },
    { TRENCH_BLOCK_UDMA_M2S, UDMA_M2S_M2S_Q_TDRDTP_INC(0),
      UDMA_M2S_M2S_Q_STRIDE },
    { TRENCH_BLOCK_UDMA_M2S, UDMA_M2S_M2S_Q_Q_SW_CTRL(0),
      UDMA_M2S_M2S_Q_STRIDE },
    { TRENCH_BLOCK_UDMA_S2M, UDMA_S2M_S2M_Q_RDRTP_INC(0),
      UDMA_S2M_S2M_Q_STRIDE },
    { TRENCH_BLOCK_UDMA_S2M, UDMA_S2M_S2M_Q_Q_SW_CTRL(0),
      UDMA_S2M_S2M_Q_STRIDE },
};

static bool carries_mask(enum trench_block_id block, uint32_t offset)
{
    for (size_t i = 0; i < ARRAY_LEN(masked); i++) {
        if (masked[i].block == block && offset >= masked[i].offset &&
            (offset - masked[i].offset) % masked[i].stride == 0 &&
            (offset - masked[i].offset) / masked[i].stride < TRENCH_NR_QUEUES) {
            return true;
        }
    }
    return false;
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

/* No group at all takes an engine out of every broadcast. */
static bool in_a_group(const struct channel *ch)
{
    return regfile_get(&ch->units[TRENCH_BLOCK_TDMA_MODEL].rf,
                       TDMA_MODEL_TDMA_BROADCAST_CFG_GROUP) &
           TDMA_MODEL_TDMA_BROADCAST_CFG_GROUP_GROUP_MASK;
}

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
    chip->bcast_reads++;
    *val = regfile_read(&chip->channels[node->first_engine].units[u->block].rf,
                        (uint32_t)(offset - u->offset));
    return 0;
}

static int bcast_write32(void *opaque, uint64_t offset, uint32_t val)
{
    struct bcast_node *node = opaque;
    struct chip *chip = node->chip;
    const struct trench_gen_unit *u = mirror_unit(node, offset);
    uint32_t skip = 0;
    uint32_t at;

    if (!u) {
        return TRENCH_ERR_FAULT;
    }
    at = (uint32_t)(offset - u->offset);
    chip->bcast_writes++;
    if (carries_mask(u->block, at)) {
        skip = val >> 16;
        val &= 0xFFFFu;
    } else {
        channel_guest_error(&chip->channels[node->first_engine],
                            "broadcast of a register that software never "
                            "broadcasts, offset 0x%x",
                            (unsigned)offset);
    }
    for (unsigned lane = 0; lane < chip->gen->bcast_lanes; lane++) {
        struct channel *ch = &chip->channels[node->first_engine + lane];

        if (!(skip >> lane & 1) && in_a_group(ch)) {
            regfile_write(&ch->units[u->block].rf, at, val);
        }
    }
    chip_poke(chip);
    return 0;
}

const struct trench_bus_dev_ops bcast_ops = {
    .read32 = bcast_read32,
    .write32 = bcast_write32,
};

static const uint32_t used[] = { TDMA_MODEL_TDMA_BROADCAST_CFG_GROUP };

const struct use_list bcast_uses = { TRENCH_BLOCK_TDMA_MODEL, used,
                                     ARRAY_LEN(used) };
