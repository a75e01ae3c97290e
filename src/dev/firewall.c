/* SPDX-License-Identifier: BSD-3-Clause */
#include "dev/firewall.h"

#include <assert.h>
#include <stdlib.h>

#include "apbblk_gen.h"
#include "base/bits.h"

#define NR_ENTRIES APBBLK_APBBLK_CAM_COUNT

/* ---- the list ------------------------------------------------------------ */

static uint32_t nr_entries(const struct firewall *fw)
{
    return min_u32(
        FIELD_GET(APBBLK_APBBLK_CTRL_NUM_CAM_ENTRIES_VAL,
                  regfile_get(fw->rf, APBBLK_APBBLK_CTRL_NUM_CAM_ENTRIES)),
        NR_ENTRIES);
}

/* The first entry that an address on the chain hits, or NR_ENTRIES. */
static uint32_t find_entry(const struct firewall *fw, uint32_t addr)
{
    uint32_t nr = nr_entries(fw);

    for (uint32_t i = 0; i < nr; i++) {
        uint32_t mask = regfile_get(fw->rf, APBBLK_APBBLK_CAM_MASK(i));

        if (!((addr ^ regfile_get(fw->rf, APBBLK_APBBLK_CAM_ADDRESS(i))) &
              mask)) {
            return i;
        }
    }
    return NR_ENTRIES;
}

/* Counts the access; true when it ends here. */
static bool is_blocked(struct firewall *fw, uint32_t addr,
                       enum trench_bus_dir dir)
{
    uint32_t entry = find_entry(fw, addr);

    if (entry == NR_ENTRIES) {
        fw->allowed[dir]++;
        return false;
    }
    fw->blocked[dir]++;
    fw->hits |=
        1u << entry & regfile_get(fw->rf, APBBLK_APBBLK_CAM_CTRL_INTR_EN);
    return true;
}

static int answer(const struct firewall *fw, uint32_t error_mask)
{
    return regfile_get(fw->rf, APBBLK_APBBLK_CTRL_BLOCKED_RESPONSE) & error_mask
               ? TRENCH_ERR_ACCES
               : 0;
}

/*
 * An access may empty the list, and with it give *guarded to another window:
 * nothing of it is used after the device's own function.
 */
static int guarded_read32(void *opaque, uint64_t offset, uint32_t *val)
{
    const struct guarded *g = opaque;
    struct firewall *fw = g->fw;
    uint32_t addr = (uint32_t)(g->base + offset);

    if (!is_blocked(fw, addr, TRENCH_BUS_READ)) {
        return g->ops->read32(g->opaque, offset, val);
    }
    *regfile_at(fw->rf, APBBLK_APBBLK_CTRL_LAST_BLOCKED_READ_ADDR) = addr;
    *val = regfile_get(fw->rf, APBBLK_APBBLK_CTRL_BLOCKED_READ_DATA);
    return answer(fw, APBBLK_APBBLK_CTRL_BLOCKED_RESPONSE_READ_PSLVERR_MASK);
}

static int guarded_write32(void *opaque, uint64_t offset, uint32_t val)
{
    const struct guarded *g = opaque;
    struct firewall *fw = g->fw;
    uint32_t addr = (uint32_t)(g->base + offset);

    if (!is_blocked(fw, addr, TRENCH_BUS_WRITE)) {
        return g->ops->write32(g->opaque, offset, val);
    }
    *regfile_at(fw->rf, APBBLK_APBBLK_CTRL_LAST_BLOCKED_WRITE_ADDR) = addr;
    *regfile_at(fw->rf, APBBLK_APBBLK_CTRL_LAST_BLOCKED_WRITE_DATA) = val;
    return answer(fw, APBBLK_APBBLK_CTRL_BLOCKED_RESPONSE_WRITE_PSLVERR_MASK);
}

static const struct trench_bus_dev_ops guarded_ops = {
    .read32 = guarded_read32,
    .write32 = guarded_write32,
};

/* ---- which windows are behind which -------------------------------------- */

static struct firewall *firewall_before(const struct firewalls *set,
                                        uint64_t addr)
{
    for (size_t i = 0; i < set->nr; i++) {
        const struct trench_gen_firewall *desc = set->list[i].desc;

        if (addr >= desc->first && addr - desc->first < desc->size_bytes) {
            return &set->list[i];
        }
    }
    return NULL;
}

static bool any_on(const struct firewalls *set)
{
    for (size_t i = 0; i < set->nr; i++) {
        if (set->list[i].on) {
            return true;
        }
    }
    return false;
}

static void guard(struct firewalls *set, struct bus_region *r)
{
    struct firewall *fw = firewall_before(set, r->base);

    /* Windows that others have added since may be more than there is room. */
    if (!fw || !fw->on || set->nr_guarded == set->max_guarded) {
        return;
    }
    set->guarded[set->nr_guarded] = (struct guarded){
        .fw = fw,
        .ops = r->ops,
        .opaque = r->opaque,
        .base = r->base,
    };
    r->ops = &guarded_ops;
    r->opaque = &set->guarded[set->nr_guarded++];
}

/* Guard what has to be guarded now, and nothing else. */
static void replan(struct firewalls *set)
{
    struct trench_bus *bus = set->bus;
    bool on = any_on(set);

    for (size_t i = 0; i < bus->nr; i++) {
        if (bus->regions[i].ops == &guarded_ops) {
            const struct guarded *g = bus->regions[i].opaque;

            bus->regions[i].ops = g->ops;
            bus->regions[i].opaque = g->opaque;
        }
    }
    set->nr_guarded = 0;
    for (size_t i = 0; on && i < bus->nr; i++) {
        if (!bus->regions[i].host) {
            guard(set, &bus->regions[i]);
        }
    }
}

/* ---- registers ----------------------------------------------------------- */

static void write_num_cam_entries(void *owner, uint32_t idx, uint32_t written,
                                  uint32_t old)
{
    struct firewall *fw = owner;
    bool on = nr_entries(fw) > 0;

    (void)idx;
    (void)written;
    (void)old;
    if (on != fw->on) {
        fw->on = on;
        replan(fw->set);
    }
}

/* The line of an entry goes down when it is disabled. */
static void write_intr_en(void *owner, uint32_t idx, uint32_t written,
                          uint32_t old)
{
    struct firewall *fw = owner;

    (void)idx;
    (void)old;
    fw->hits &= written;
}

/* A read of the low word keeps both for the shadows. */
static uint32_t read_low(struct firewall *fw, uint64_t count,
                         uint32_t shadow_lo, uint32_t shadow_hi)
{
    *regfile_at(fw->rf, shadow_lo) = (uint32_t)count;
    *regfile_at(fw->rf, shadow_hi) = (uint32_t)(count >> 32);
    return (uint32_t)count;
}

#define COUNTER(name, NAME, count)                                             \
    static uint32_t read_##name##_lo(void *owner, uint32_t idx, uint32_t val)  \
    {                                                                          \
        struct firewall *fw = owner;                                           \
                                                                               \
        (void)idx;                                                             \
        (void)val;                                                             \
        return read_low(fw, fw->count, APBBLK_APBBLK_CTRL_##NAME##_LO_SHADOW,  \
                        APBBLK_APBBLK_CTRL_##NAME##_HI_SHADOW);                \
    }                                                                          \
    static uint32_t read_##name##_hi(void *owner, uint32_t idx, uint32_t val)  \
    {                                                                          \
        const struct firewall *fw = owner;                                     \
                                                                               \
        (void)idx;                                                             \
        (void)val;                                                             \
        return (uint32_t)(fw->count >> 32);                                    \
    }

COUNTER(allowed_reads, ALLOWED_READS, allowed[TRENCH_BUS_READ])
COUNTER(allowed_writes, ALLOWED_WRITES, allowed[TRENCH_BUS_WRITE])
COUNTER(blocked_reads, BLOCKED_READS, blocked[TRENCH_BUS_READ])
COUNTER(blocked_writes, BLOCKED_WRITES, blocked[TRENCH_BUS_WRITE])

static const struct regfile_hook hooks[] = {
    { APBBLK_APBBLK_CTRL_NUM_CAM_ENTRIES, NULL, write_num_cam_entries },
    { APBBLK_APBBLK_CAM_CTRL_INTR_EN, NULL, write_intr_en },
    { APBBLK_APBBLK_CTRL_ALLOWED_READS_LO, read_allowed_reads_lo, NULL },
    { APBBLK_APBBLK_CTRL_ALLOWED_READS_HI, read_allowed_reads_hi, NULL },
    { APBBLK_APBBLK_CTRL_ALLOWED_WRITES_LO, read_allowed_writes_lo, NULL },
    { APBBLK_APBBLK_CTRL_ALLOWED_WRITES_HI, read_allowed_writes_hi, NULL },
    { APBBLK_APBBLK_CTRL_BLOCKED_READS_LO, read_blocked_reads_lo, NULL },
    { APBBLK_APBBLK_CTRL_BLOCKED_READS_HI, read_blocked_reads_hi, NULL },
    { APBBLK_APBBLK_CTRL_BLOCKED_WRITES_LO, read_blocked_writes_lo, NULL },
    { APBBLK_APBBLK_CTRL_BLOCKED_WRITES_HI, read_blocked_writes_hi, NULL },
};

const struct hook_list firewall_hooks = {
    TRENCH_BLOCK_APBBLK,
    hooks,
    ARRAY_LEN(hooks),
};

bool firewall_interrupt(const struct firewall *fw)
{
    return fw->hits != 0;
}

/* ---- life ---------------------------------------------------------------- */

int firewalls_build(struct firewalls *set, struct chip *chip,
                    struct trench_bus *bus)
{
    const struct trench_gen *gen = chip->gen;

    set->bus = bus;
    set->list = calloc(gen->nr_firewalls + 1, sizeof(*set->list));
    if (!set->list) {
        return TRENCH_ERR_NOMEM;
    }
    set->nr = gen->nr_firewalls;
    for (size_t i = 0; i < set->nr; i++) {
        set->list[i].set = set;
        set->list[i].desc = &gen->firewalls[i];
    }
    return 0;
}

int firewalls_ready(struct firewalls *set)
{
    if (set->nr == 0) {
        return 0;
    }
    set->guarded = malloc(set->bus->nr * sizeof(*set->guarded));
    if (!set->guarded) {
        return TRENCH_ERR_NOMEM;
    }
    set->max_guarded = set->bus->nr;
    return 0;
}

void firewalls_fini(struct firewalls *set)
{
    free(set->guarded);
    free(set->list);
}

void firewalls_reset(struct firewalls *set)
{
    bool on = any_on(set);

    for (size_t i = 0; i < set->nr; i++) {
        struct firewall *fw = &set->list[i];

        fw->on = false;
        fw->hits = 0;
        for (unsigned dir = 0; dir < 2; dir++) {
            fw->allowed[dir] = 0;
            fw->blocked[dir] = 0;
        }
    }
    if (on) {
        replan(set);
    }
}

struct firewall *firewalls_add(struct firewalls *set, struct regfile *rf,
                               uint64_t base)
{
    for (size_t i = 0; i < set->nr; i++) {
        if (set->list[i].desc->base == base) {
            set->list[i].rf = rf;
            return &set->list[i];
        }
    }
    assert(!"the map and the table of firewalls agree");
    return NULL;
}
