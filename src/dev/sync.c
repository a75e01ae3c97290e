/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Events and semaphores of a NeuronCore or TOP_SP (ncfw-steps 4.3, host-driver
 * 2.9). An event is a word. A semaphore has one value and four windows on it:
 * a write to INC adds what is written, so that a 4-byte copy can signal.
 *
 * A value stays within 32 bits: it stops at either end, which is the mistake
 * of software. A value that wrapped would let waiters go, or hold them, for
 * no reason.
 */
#include "dev/node.h"

#include "base/bits.h"
#include "dev/chip.h"
#include "tpb_events_gen.h"

static uint32_t *value_of(struct node *node, uint32_t id)
{
    return regfile_at(&node->unit.rf, TPB_EVENTS_SEMAPHORE_READ_VAL(id));
}

static void guest_error(struct node *node, uint32_t id, const char *what)
{
    struct chip *chip = node->unit.chip;

    chip->guest_errors++;
    log_line(&chip->log, TRENCH_LOG_GUEST, "%s: semaphore %u %s", node->name,
             (unsigned)id, what);
}

static void write_set(void *owner, uint32_t id, uint32_t written, uint32_t old)
{
    (void)old;
    *value_of(owner, id) = written;
}

static void write_inc(void *owner, uint32_t id, uint32_t written, uint32_t old)
{
    uint32_t *value = value_of(owner, id);

    (void)old;
    if (written > UINT32_MAX - *value) {
        guest_error(owner, id, "counted past its end");
        *value = UINT32_MAX;
        return;
    }
    *value += written;
}

static void write_dec(void *owner, uint32_t id, uint32_t written, uint32_t old)
{
    uint32_t *value = value_of(owner, id);

    (void)old;
    if (written > *value) {
        guest_error(owner, id, "counted below 0");
        *value = 0;
        return;
    }
    *value -= written;
}

static const struct regfile_hook hooks[] = {
    { TPB_EVENTS_SEMAPHORE_SET_VAL(0), NULL, write_set },
    { TPB_EVENTS_SEMAPHORE_INC_VAL(0), NULL, write_inc },
    { TPB_EVENTS_SEMAPHORE_DEC_VAL(0), NULL, write_dec },
};

const struct hook_list sync_hooks = {
    TRENCH_BLOCK_TPB_EVENTS,
    hooks,
    ARRAY_LEN(hooks),
};

static int sync_read32(void *opaque, uint64_t offset, uint32_t *val)
{
    struct unit *unit = opaque;

    if (!regfile_at(&unit->rf, (uint32_t)offset)) {
        return TRENCH_ERR_FAULT;
    }
    return chip_unit_ops.read32(opaque, offset, val);
}

static int sync_write32(void *opaque, uint64_t offset, uint32_t val)
{
    struct unit *unit = opaque;

    if (!regfile_at(&unit->rf, (uint32_t)offset)) {
        return TRENCH_ERR_FAULT;
    }
    return chip_unit_ops.write32(opaque, offset, val);
}

const struct trench_bus_dev_ops sync_ops = {
    .read32 = sync_read32,
    .write32 = sync_write32,
};
