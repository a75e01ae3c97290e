/* SPDX-License-Identifier: BSD-3-Clause */
/* The PCI function: what its parts share. */
#ifndef TRENCH_PCI_PRIV_H
#define TRENCH_PCI_PRIV_H

#include <trench/map.h>
#include <trench/pci.h>

#include "base/log.h"
#include "dev/firmware.h"

/* A piece of guest memory, mapped. */
struct pci_map {
    uint64_t addr; /* guest physical */
    uint64_t size_bytes;
    void *host;
};

struct pci_memory {
    struct pci_map maps[TRENCH_PCI_MAX_MAPS];
    size_t nr;
};

/* Words met that the model lacks: a hash table over an array. */
#define SEEN_SLOTS (2 * TRENCH_PCI_MAX_UNKNOWN)

struct pci_seen {
    struct trench_pci_unknown list[TRENCH_PCI_MAX_UNKNOWN];
    size_t nr;
    uint16_t slots[SEEN_SLOTS]; /* index + 1; 0 = free */
};

/* Registers known to be there, so that the map is asked once: offset + 1. */
#define KNOWN_SLOTS 4096u

/* Reads in a row of one unchanging register. */
struct pci_poll {
    uint64_t offset;
    uint64_t val;
    uint64_t nr;
    uint64_t next; /* at which something is said */
};

struct trench_pci {
    const struct trench_gen *gen;
    struct trench_soc *soc;
    struct trench_bus *bus;
    struct logger log;
    struct trench_pci_conf conf; /* soc: only what the function looks at */
    const struct trench_gen_mem *host; /* the window on host memory */
    uint64_t bar_bytes[TRENCH_PCI_NR_BARS];
    uint8_t config[TRENCH_PCI_CONFIG_BYTES];
    uint8_t writable[TRENCH_PCI_CONFIG_BYTES]; /* a bit a bit */
    struct pci_memory memory;
    bool attached; /* the maps are on the bus */
    bool line;     /* INTx is up ... */
    bool again;    /* ... and something rose since */
    struct pci_poll poll;
    struct trench_pci_stats stats;
    uint32_t known[KNOWN_SLOTS];
    struct pci_seen seen;
    struct firmware firmware;
};

/* Configuration space as after power-on. */
void pci_config_reset(struct trench_pci *pci);

/* Bits of the command register. */
enum {
    PCI_CMD_IO = 0x001,
    PCI_CMD_MEMORY = 0x002,
    PCI_CMD_MASTER = 0x004,
    PCI_CMD_PARITY = 0x040,
    PCI_CMD_SERR = 0x100,
    PCI_CMD_INTX_OFF = 0x400,
};

uint32_t pci_command(const struct trench_pci *pci);

/* Guest memory is on the bus while the function is bus master. */
void pci_memory_follow(struct trench_pci *pci);
void pci_memory_fini(struct trench_pci *pci);

/* What the firmware had to put off, and what follows from bus mastering. */
void pci_settle(struct trench_pci *pci);

/* The address behind an offset of the register or memory BAR. */
bool pci_target(const struct trench_pci *pci, unsigned bar, uint64_t offset,
                uint64_t *addr);

/* pci_seen.c: a word that the model lacks, as storage. */
uint32_t pci_seen_read(struct trench_pci *pci, unsigned bar, uint64_t offset);
void pci_seen_write(struct trench_pci *pci, unsigned bar, uint64_t offset,
                    uint32_t val);

/* A read of a BAR is over: is this the same as before, again and again? */
void pci_poll_read(struct trench_pci *pci, unsigned bar, uint64_t offset,
                   uint64_t val);
void pci_poll_write(struct trench_pci *pci);

#endif /* TRENCH_PCI_PRIV_H */
