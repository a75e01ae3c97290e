/* SPDX-License-Identifier: BSD-3-Clause */
#include "dev/accel.h"

#include "base/bits.h"
#include "dev/axi.h"
#include "tdma_model_gen.h"

/* The two addresses: what they return, and what counts them. */
static const struct accel {
    uint32_t low, high; /* registers of the address */
    uint32_t count;
    uint32_t word;
} accels[] = {
    { TDMA_MODEL_TDMA_TDMA_SET_EVENT_ACCEL_CFG_0,
      TDMA_MODEL_TDMA_TDMA_SET_EVENT_ACCEL_CFG_1, TDMA_MODEL_TDMA_TDMA_STAT_0,
      1 },
    { TDMA_MODEL_TDMA_TDMA_CLR_EVENT_ACCEL_CFG_0,
      TDMA_MODEL_TDMA_TDMA_CLR_EVENT_ACCEL_CFG_1, TDMA_MODEL_TDMA_TDMA_STAT_1,
      0 },
};

static struct regfile *tdma(struct channel *ch)
{
    return &ch->units[TRENCH_BLOCK_TDMA_MODEL].rf;
}

static bool accel_on(struct channel *ch)
{
    return regfile_get(tdma(ch), TDMA_MODEL_TDMA_TDMA_EVENT_ACCEL) &
           TDMA_MODEL_TDMA_TDMA_EVENT_ACCEL_EN_MASK;
}

static uint64_t accel_addr(struct channel *ch, const struct accel *a)
{
    return (uint64_t)regfile_get(tdma(ch), a->high) << 32 |
           regfile_get(tdma(ch), a->low);
}

bool accel_read(struct channel *ch, uint64_t addr, uint32_t *word)
{
    if (!accel_on(ch)) {
        return false;
    }
    for (size_t i = 0; i < ARRAY_LEN(accels); i++) {
        uint32_t *count = regfile_at(tdma(ch), accels[i].count);

        if (accel_addr(ch, &accels[i]) == (addr & ~TRENCH_BUS_ATTR_MASK)) {
            *count += 1;
            *word = accels[i].word;
            return true;
        }
    }
    return false;
}

/*
 * Where an accelerated address hides memory, every data read has to look.
 * Normally nothing is mapped there, and only a read that finds no memory does.
 */
static void write_accel(void *owner, uint32_t idx, uint32_t written,
                        uint32_t old)
{
    struct channel *ch = owner;

    (void)idx;
    (void)written;
    (void)old;
    ch->accel_in_memory = false;
    for (size_t i = 0; i < ARRAY_LEN(accels) && accel_on(ch); i++) {
        if (trench_bus_host(ch->bus, accel_addr(ch, &accels[i]), 4)) {
            ch->accel_in_memory = true;
        }
    }
    axi_replan(ch);
}

static const struct regfile_hook hooks[] = {
    { TDMA_MODEL_TDMA_TDMA_EVENT_ACCEL, NULL, write_accel },
    { TDMA_MODEL_TDMA_TDMA_SET_EVENT_ACCEL_CFG_0, NULL, write_accel },
    { TDMA_MODEL_TDMA_TDMA_SET_EVENT_ACCEL_CFG_1, NULL, write_accel },
    { TDMA_MODEL_TDMA_TDMA_CLR_EVENT_ACCEL_CFG_0, NULL, write_accel },
    { TDMA_MODEL_TDMA_TDMA_CLR_EVENT_ACCEL_CFG_1, NULL, write_accel },
};

const struct hook_list accel_hooks = { TRENCH_BLOCK_TDMA_MODEL, hooks,
                                       ARRAY_LEN(hooks) };

static const uint32_t used[] = {
    TDMA_MODEL_TDMA_TDMA_STAT_0,
    TDMA_MODEL_TDMA_TDMA_STAT_1,
};

const struct use_list accel_uses = { TRENCH_BLOCK_TDMA_MODEL, used,
                                     ARRAY_LEN(used) };
