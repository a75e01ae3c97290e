/* SPDX-License-Identifier: BSD-3-Clause */
/* Accesses to the BARs. */
#include <string.h>

#include "base/le.h"
#include "dev/pci_priv.h"

/* One access to a BAR; val as in struct trench_pci_access. */
struct access {
    struct trench_pci *pci;
    struct trench_pci_access a;
    bool refused;
};

static uint64_t ones(uint32_t bytes)
{
    return bytes == 8 ? UINT64_MAX : (UINT64_C(1) << 8 * bytes) - 1;
}

bool pci_target(const struct trench_pci *pci, unsigned bar, uint64_t offset,
                uint64_t *addr)
{
    const struct trench_gen *gen = pci->gen;
    /* In the generation's table, where silicon has it. */
    unsigned table =
        bar == trench_pci_register_bar(pci) ? gen->pci->register_bar : bar;

    for (size_t i = 0; i < gen->nr_bars; i++) {
        const struct trench_gen_bar *w = &gen->bars[i];

        if (w->bar == table && strcmp(w->function, "main") == 0 &&
            offset >= w->offset && offset - w->offset < w->size_bytes) {
            *addr = w->addr + (offset - w->offset);
            return true;
        }
    }
    return false;
}

/* ---- registers ----------------------------------------------------------- */

/* Something of the model answers there, and not only for a gap in it. */
static bool ask_map(const struct trench_pci *pci, uint64_t addr)
{
    struct trench_bus_region region;
    struct trench_map_info info;

    if (trench_bus_region_at(pci->bus, addr, &region) || addr < region.base) {
        return false;
    }
    trench_map_at(pci->gen, addr, &info);
    return trench_map_leaf(&info)->kind != TRENCH_MAP_GAP;
}

static bool is_known(struct trench_pci *pci, uint64_t offset, uint64_t addr)
{
    uint32_t tag = (uint32_t)(offset / 4) + 1; /* a BAR ends at 1 GiB */
    uint32_t *slot = &pci->known[offset / 4 % KNOWN_SLOTS];

    if (*slot == tag) {
        return true;
    }
    if (!ask_map(pci, addr)) {
        return false;
    }
    *slot = tag;
    return true;
}

/* Misc RAM is memory also where no word of it is known. */
static bool in_misc_ram(const struct trench_pci *pci, uint64_t addr)
{
    return addr - pci->gen->pci->misc_ram < MISC_RAM_SIZE_BYTES;
}

static uint32_t read_word(struct access *x, uint64_t offset)
{
    struct trench_pci *pci = x->pci;
    uint32_t val = UINT32_MAX;
    uint32_t stored;
    uint64_t addr;
    bool mapped = pci_target(pci, x->a.bar, offset, &addr);

    if (mapped && is_known(pci, offset, addr)) {
        trench_bus_read32(pci->bus, addr, &val);
        return val; /* ones where it was refused */
    }
    x->a.unknown = true;
    stored = pci_seen_read(pci, x->a.bar, offset);
    if (mapped && in_misc_ram(pci, addr)) {
        trench_bus_read32(pci->bus, addr, &stored);
    }
    return stored;
}

static void write_word(struct access *x, uint64_t offset, uint32_t val)
{
    struct trench_pci *pci = x->pci;
    uint64_t addr;
    bool mapped = pci_target(pci, x->a.bar, offset, &addr);

    if (mapped && is_known(pci, offset, addr)) {
        trench_bus_write32(pci->bus, addr, val);
        return;
    }
    x->a.unknown = true;
    pci_seen_write(pci, x->a.bar, offset, val);
    if (mapped && in_misc_ram(pci, addr)) {
        trench_bus_write32(pci->bus, addr, val);
    }
}

static void read_registers(struct access *x)
{
    struct trench_pci_access *a = &x->a;
    unsigned shift = a->offset % 4 * 8;

    if (a->offset % 4 + a->size_bytes <= 4) {
        a->val = read_word(x, a->offset / 4 * 4) >> shift & ones(a->size_bytes);
    } else if (a->offset % 4 == 0) {
        a->val = read_word(x, a->offset);
        a->val |= (uint64_t)read_word(x, a->offset + 4) << 32;
    } else {
        a->val = ones(a->size_bytes);
        x->refused = true;
    }
}

/* A part of a register cannot be written: the rest of it would be, too. */
static void write_registers(struct access *x)
{
    struct trench_pci_access *a = &x->a;

    if (a->offset % 4 != 0 || a->size_bytes < 4) {
        x->refused = true;
        return;
    }
    write_word(x, a->offset, (uint32_t)a->val);
    if (a->size_bytes == 8) {
        write_word(x, a->offset + 4, (uint32_t)(a->val >> 32));
    }
}

/* ---- either -------------------------------------------------------------- */

static void perform(struct access *x)
{
    struct trench_pci_access *a = &x->a;
    void *mem =
        a->mapped ? trench_bus_host(x->pci->bus, a->addr, a->size_bytes) : NULL;

    if (mem && a->write) {
        le_put(mem, a->size_bytes, a->val);
    } else if (mem) {
        a->val = le_get(mem, a->size_bytes);
    } else if (a->write) {
        write_registers(x);
    } else {
        read_registers(x);
    }
}

static void account(struct access *x)
{
    struct trench_pci *pci = x->pci;

    if (x->a.write) {
        pci->stats.writes++;
        pci_poll_write(pci);
    } else {
        pci->stats.reads++;
        pci_poll_read(pci, x->a.bar, x->a.offset, x->a.val);
    }
    if (x->refused) {
        pci->stats.refused++;
        log_line(&pci->log, TRENCH_LOG_GUEST,
                 "pci: %s of %u bytes at BAR%u+0x%llx refused",
                 x->a.write ? "write" : "read", x->a.size_bytes, x->a.bar,
                 (unsigned long long)x->a.offset);
    }
    if (pci->conf.access) {
        pci->conf.access(pci->conf.access_opaque, &x->a);
    }
}

/* Such a place, and such a length. */
static bool in_bar(const struct trench_pci *pci, unsigned bar, uint64_t offset,
                   uint32_t len)
{
    uint64_t bytes = trench_pci_bar_bytes(pci, bar);

    return (len == 1 || len == 2 || len == 4 || len == 8) && offset < bytes &&
           len <= bytes - offset;
}

/* Reads to a->val, or writes it. */
static int bar_access(struct trench_pci *pci, unsigned bar,
                      struct trench_pci_access *a)
{
    struct access x = { .pci = pci, .a = *a };

    if (!in_bar(pci, bar, a->offset, a->size_bytes)) {
        return TRENCH_ERR_INVAL;
    }
    x.a.bar = (uint8_t)bar;
    x.a.mapped = pci_target(pci, bar, a->offset, &x.a.addr);
    perform(&x);
    pci_settle(pci);
    account(&x);
    a->val = x.a.val;
    return 0;
}

int trench_pci_bar_read(struct trench_pci *pci, unsigned bar, uint64_t offset,
                        uint32_t len, uint64_t *val)
{
    struct trench_pci_access a = { .offset = offset, .size_bytes = len };
    int err = bar_access(pci, bar, &a);

    *val = err ? UINT64_MAX : a.val;
    return err;
}

int trench_pci_bar_write(struct trench_pci *pci, unsigned bar, uint64_t offset,
                         uint32_t len, uint64_t val)
{
    struct trench_pci_access a = {
        .write = true,
        .offset = offset,
        .size_bytes = len,
        .val = val,
    };

    return bar_access(pci, bar, &a);
}
