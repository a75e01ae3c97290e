/* SPDX-License-Identifier: BSD-3-Clause */
/* The PCI function: its making, configuration space, its interrupt. */
#include "dev/pci_priv.h"

#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/le.h"
#include "dev/soc_parts.h"

/* Configuration space, header type 0 (PCI local bus 3.0, 6.1). */
enum {
    CFG_VENDOR = 0x00,
    CFG_DEVICE = 0x02,
    CFG_COMMAND = 0x04,
    CFG_STATUS = 0x06,
    CFG_REVISION = 0x08,
    CFG_CLASS = 0x09, /* three bytes */
    CFG_CACHE_LINE = 0x0C,
    CFG_LATENCY = 0x0D,
    CFG_BAR = 0x10,
    CFG_SUBVENDOR = 0x2C,
    CFG_SUBDEVICE = 0x2E,
    CFG_LINE = 0x3C,
    CFG_PIN = 0x3D,
};

#define STATUS_INTERRUPT 0x08u
#define BAR_PREFETCHABLE 0x08u
#define BAR_FLAGS        0x0Fu

/* ---- configuration space ------------------------------------------------- */

static void put(struct trench_pci *pci, unsigned off, unsigned n, uint32_t val,
                uint32_t writable)
{
    le_put(pci->config + off, n, val);
    le_put(pci->writable + off, n, writable);
}

static void put_bars(struct trench_pci *pci)
{
    for (unsigned b = 0; b < TRENCH_PCI_NR_BARS; b++) {
        uint32_t flags = b == pci->gen->pci->memory_bar ? BAR_PREFETCHABLE : 0;

        if (pci->bar_bytes[b] > 0) {
            put(pci, CFG_BAR + 4 * b, 4, flags,
                (uint32_t) ~(pci->bar_bytes[b] - 1));
        }
    }
}

void pci_config_reset(struct trench_pci *pci)
{
    const struct trench_gen_pci *id = pci->gen->pci;

    memset(pci->config, 0, sizeof(pci->config));
    memset(pci->writable, 0, sizeof(pci->writable));
    put(pci, CFG_VENDOR, 2, id->vendor, 0);
    put(pci, CFG_DEVICE, 2, pci->conf.device_id, 0);
    /* Whatever is written to it is to be read back (host-driver 4.5). */
    put(pci, CFG_COMMAND, 2, 0,
        PCI_CMD_IO | PCI_CMD_MEMORY | PCI_CMD_MASTER | PCI_CMD_PARITY |
            PCI_CMD_SERR | PCI_CMD_INTX_OFF);
    put(pci, CFG_REVISION, 1, pci->conf.revision, 0);
    put(pci, CFG_CLASS, 3, id->class_code, 0);
    put(pci, CFG_CACHE_LINE, 1, 0, 0xFF);
    put(pci, CFG_LATENCY, 1, 0, 0xFF);
    put(pci, CFG_SUBVENDOR, 2, id->vendor, 0);
    put(pci, CFG_SUBDEVICE, 2, pci->conf.device_id, 0);
    put(pci, CFG_LINE, 1, 0, 0xFF);
    put(pci, CFG_PIN, 1, 1, 0);
    put_bars(pci);
}

uint32_t pci_command(const struct trench_pci *pci)
{
    return (uint32_t)le_get(pci->config + CFG_COMMAND, 2);
}

/* One aligned word holds it all. */
static bool config_range(uint32_t offset, uint32_t len)
{
    return (len == 1 || len == 2 || len == 4) &&
           offset < TRENCH_PCI_CONFIG_BYTES && offset % 4 + len <= 4;
}

int trench_pci_config_read(const struct trench_pci *pci, uint32_t offset,
                           uint32_t len, uint32_t *val)
{
    uint8_t word[4];

    if (!config_range(offset, len)) {
        return TRENCH_ERR_INVAL;
    }
    memcpy(word, pci->config + offset / 4 * 4, sizeof(word));
    if (offset / 4 == CFG_STATUS / 4 && pci->line) {
        word[CFG_STATUS % 4] |= STATUS_INTERRUPT;
    }
    *val = (uint32_t)le_get(word + offset % 4, len);
    return 0;
}

int trench_pci_config_write(struct trench_pci *pci, uint32_t offset,
                            uint32_t len, uint32_t val)
{
    if (!config_range(offset, len)) {
        return TRENCH_ERR_INVAL;
    }
    for (uint32_t i = 0; i < len; i++) {
        uint8_t *byte = &pci->config[offset + i];

        *byte =
            (uint8_t)pick_bits(val >> 8 * i, *byte, pci->writable[offset + i]);
    }
    pci_settle(pci);
    return 0;
}

uint64_t trench_pci_bar_bytes(const struct trench_pci *pci, unsigned bar)
{
    return bar < TRENCH_PCI_NR_BARS ? pci->bar_bytes[bar] : 0;
}

unsigned trench_pci_register_bar(const struct trench_pci *pci)
{
    return pci->conf.revision == TRENCH_PCI_REVISION_QEMU
               ? pci->gen->pci->qemu_register_bar
               : pci->gen->pci->register_bar;
}

int trench_pci_decode(const struct trench_pci *pci, uint64_t addr, uint32_t len,
                      uint64_t *offset)
{
    if (!(pci_command(pci) & PCI_CMD_MEMORY)) {
        return TRENCH_ERR_FAULT;
    }
    for (unsigned b = 0; b < TRENCH_PCI_NR_BARS; b++) {
        uint32_t reg = (uint32_t)le_get(pci->config + CFG_BAR + 4 * b, 4);
        uint64_t off = addr - (reg & ~BAR_FLAGS);

        if (off < pci->bar_bytes[b] && len <= pci->bar_bytes[b] - off) {
            *offset = off;
            return (int)b;
        }
    }
    return TRENCH_ERR_FAULT;
}

/* ---- the interrupt ------------------------------------------------------- */

static void raise_line(struct trench_pci *pci)
{
    if (pci_command(pci) & PCI_CMD_INTX_OFF) {
        return;
    }
    pci->line = true;
    pci->again = false;
    if (pci->conf.intx) {
        pci->conf.intx(pci->conf.intx_opaque);
    }
}

/* A vector of the chip has risen. */
static void on_vector(void *opaque, unsigned engine, unsigned vector)
{
    struct trench_pci *pci = opaque;

    (void)engine;
    (void)vector;
    if (pci->line) {
        pci->again = true;
    } else {
        raise_line(pci);
    }
}

void trench_pci_set_intx(struct trench_pci *pci, trench_pci_intx_fn fn,
                         void *opaque)
{
    pci->conf.intx = fn;
    pci->conf.intx_opaque = opaque;
}

void trench_pci_intx_done(struct trench_pci *pci)
{
    pci->line = false;
    if (pci->again) {
        raise_line(pci);
    }
}

/* ---- life ---------------------------------------------------------------- */

void pci_settle(struct trench_pci *pci)
{
    if (!soc_running(pci->soc)) {
        firmware_step(&pci->firmware);
        pci_memory_follow(pci);
    }
}

uint64_t trench_pci_run(struct trench_pci *pci, uint64_t budget)
{
    uint64_t spent;

    pci_settle(pci);
    spent = trench_soc_run(pci->soc, budget);
    pci_settle(pci);
    return spent;
}

void trench_pci_advance(struct trench_pci *pci, uint64_t ns)
{
    if (soc_running(pci->soc)) {
        return; /* as trench_soc_advance() */
    }
    firmware_advance(&pci->firmware, ns);
    trench_soc_advance(pci->soc, ns);
    pci_settle(pci);
}

uint64_t trench_pci_due(const struct trench_pci *pci)
{
    return min_u64(trench_soc_due(pci->soc), firmware_due(&pci->firmware));
}

int trench_pci_reset(struct trench_pci *pci)
{
    if (soc_running(pci->soc)) {
        return TRENCH_ERR_BUSY;
    }
    pci_config_reset(pci);
    pci_memory_follow(pci);
    trench_soc_reset(pci->soc);
    firmware_reset(&pci->firmware);
    pci->line = false;
    pci->again = false;
    pci->poll = (struct pci_poll){ 0 };
    return 0;
}

struct trench_soc *trench_pci_soc(struct trench_pci *pci)
{
    return pci->soc;
}

/* ---- making it ----------------------------------------------------------- */

static bool knows_device(const struct trench_gen_pci *pci, uint16_t id)
{
    for (size_t i = 0; i < pci->nr_ids; i++) {
        if (pci->ids[i].device == id) {
            return true;
        }
    }
    return false;
}

/* Fill in what was left to us, and check. */
static int settle_conf(struct trench_pci_conf *c)
{
    const struct trench_gen_pci *pci;

    if (!c->soc.gen) {
        c->soc.gen = trench_gen_find("sunda");
    }
    pci = c->soc.gen->pci;
    if (!pci || pci->register_bar_bytes > TRENCH_PCI_BAR_MAX) {
        return TRENCH_ERR_NOTSUP;
    }
    c->device_id = c->device_id ? c->device_id : pci->ids[0].device;
    c->revision = c->revision ? c->revision : TRENCH_PCI_REVISION_QEMU;
    if (!c->memory_bar_bytes) {
        c->memory_bar_bytes = TRENCH_PCI_MEMORY_BAR_BYTES;
    }
    if (!knows_device(pci, c->device_id) ||
        c->routing_id > TRENCH_PCI_MAX_ROUTING_ID ||
        !is_power_of_two(c->memory_bar_bytes) ||
        c->memory_bar_bytes < TRENCH_PCI_BAR_MIN ||
        c->memory_bar_bytes > TRENCH_PCI_BAR_MAX || c->soc.host ||
        c->soc.host_bytes || c->soc.intr || c->soc.intr_opaque) {
        return TRENCH_ERR_INVAL;
    }
    return 0;
}

static const struct trench_gen_mem *host_window(const struct trench_gen *gen)
{
    for (size_t i = 0; i < gen->nr_mems; i++) {
        if (gen->mems[i].kind == TRENCH_MEM_HOST) {
            return &gen->mems[i];
        }
    }
    return NULL;
}

/* The chip comes with some host memory; the guest's takes its place. */
static int make_chip(struct trench_pci *pci)
{
    struct trench_soc_conf conf = pci->conf.soc;
    int err;

    conf.host_bytes = 4096;
    conf.intr = on_vector;
    conf.intr_opaque = pci;
    err = trench_soc_create(&conf, &pci->soc);
    if (err) {
        return err;
    }
    pci->bus = trench_soc_bus(pci->soc);
    trench_bus_remove(pci->bus, pci->host->base);
    if (pci->host->alias) {
        trench_bus_remove(pci->bus, pci->host->alias);
    }
    return 0;
}

/* Its registers, as the address map has them; NULL = they are not known. */
static const struct trench_csr_block *misc_ram(const struct trench_gen *gen)
{
    struct trench_map_info info;

    trench_map_at(gen, gen->pci->misc_ram, &info);
    return trench_map_leaf(&info)->block;
}

static int make_firmware(struct trench_pci *pci)
{
    struct firmware *fw = &pci->firmware;

    fw->soc = pci->soc;
    fw->bus = pci->bus;
    fw->gen = pci->gen;
    fw->block = misc_ram(pci->gen);
    fw->host_base = pci->host->base;
    fw->host_bytes = pci->host->size_bytes;
    fw->log = pci->log;
    fw->routing_id = pci->conf.routing_id;
    fw->serial = pci->conf.serial;
    fw->latency[FIRMWARE_REQUESTED - 1] = pci->conf.taken;
    fw->latency[FIRMWARE_BUSY - 1] = pci->conf.done;
    if (!fw->block) {
        return TRENCH_ERR_NOTSUP;
    }
    firmware_reset(fw);
    return firmware_place(fw);
}

int trench_pci_create(const struct trench_pci_conf *conf,
                      struct trench_pci **out)
{
    struct trench_pci_conf c = conf ? *conf : (struct trench_pci_conf){ 0 };
    struct trench_pci *pci;
    int err = settle_conf(&c);

    if (err) {
        return err;
    }
    pci = calloc(1, sizeof(*pci));
    if (!pci) {
        return TRENCH_ERR_NOMEM;
    }
    pci->conf = c;
    pci->gen = c.soc.gen;
    pci->log = (struct logger){ c.soc.log, c.soc.log_opaque };
    pci->host = host_window(pci->gen);
    err = pci->host ? make_chip(pci) : TRENCH_ERR_NOTSUP;
    if (!err) {
        err = make_firmware(pci);
    }
    if (err) {
        trench_pci_destroy(pci);
        return err;
    }
    pci->bar_bytes[trench_pci_register_bar(pci)] =
        pci->gen->pci->register_bar_bytes;
    pci->bar_bytes[pci->gen->pci->memory_bar] = c.memory_bar_bytes;
    pci_config_reset(pci);
    *out = pci;
    return 0;
}

void trench_pci_destroy(struct trench_pci *pci)
{
    if (!pci) {
        return;
    }
    trench_soc_destroy(pci->soc);
    pci_memory_fini(pci);
    free(pci);
}

void trench_pci_stats(const struct trench_pci *pci,
                      struct trench_pci_stats *out)
{
    *out = pci->stats;
    out->device_resets = pci->firmware.device_resets;
    out->core_resets = pci->firmware.core_resets;
    out->bad_resets = pci->firmware.bad_resets;
    out->mailbox = pci->firmware.mailbox;
    out->mailbox_bad = pci->firmware.mailbox_bad;
    out->metrics = pci->firmware.metrics;
}
