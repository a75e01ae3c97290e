/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A chip as a PCI function: configuration space, BARs, the host's memory as
 * the chip reaches it, and the firmware that a driver talks to.
 *
 * Whoever carries the accesses (a virtual machine monitor, a test) calls the
 * functions below; what they mean is that of host-driver 1, 2 and 4. The chip
 * is still there, with its bus: trench_pci_soc().
 *
 *     guest memory   trench_pci_set_memory(): descriptors, mapped while the
 *                    function is bus master
 *     registers      through BAR 2 (revision 255) or BAR 0 (any other)
 *     device memory  through BAR 4: the first bytes of HBM 0
 *
 * Nothing that the guest does fails: what makes no sense reads as ones, is
 * dropped when written, and is counted. Words that the model lacks are storage,
 * so that software which reads back what it wrote goes on; they are listed by
 * trench_pci_unknown().
 *
 * A function, with its chip, belongs to one thread at a time.
 */
#ifndef TRENCH_PCI_H
#define TRENCH_PCI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <trench/soc.h>

#ifdef __cplusplus
extern "C" {
#endif

struct trench_pci; /* opaque */

/** Bytes of configuration space: conventional PCI. */
#define TRENCH_PCI_CONFIG_BYTES 256u

/** BARs of a function. */
#define TRENCH_PCI_NR_BARS 6u

/** Largest BAR: the transports know place for 32-bit ones (host-driver 4.6). */
#define TRENCH_PCI_BAR_MAX (UINT64_C(1) << 30)

/** Smallest memory BAR. */
#define TRENCH_PCI_BAR_MIN UINT64_C(4096)

/** Memory BAR unless told otherwise: fits beside the registers. */
#define TRENCH_PCI_MEMORY_BAR_BYTES (UINT64_C(256) << 20)

/** Largest routing id (host-driver 2.2). */
#define TRENCH_PCI_MAX_ROUTING_ID 63u

/** Pieces of guest memory at once. */
#define TRENCH_PCI_MAX_MAPS 64u

/** Words that the model lacks, and that are remembered one by one. */
#define TRENCH_PCI_MAX_UNKNOWN 4096u

/**
 * How long a step of the firmware takes: so many reads that still find it
 * under way, and so many nanoseconds of the chip's time (trench_pci_advance()).
 * Both have to pass; zero is at once.
 */
struct trench_pci_latency {
    uint32_t polls;
    uint64_t ns;
};

/** An access to a BAR, for those who watch. */
struct trench_pci_access {
    uint8_t bar;
    bool write;
    uint64_t offset;     /**< In the BAR. */
    uint32_t size_bytes; /**< 1, 2, 4 or 8. */
    uint64_t val;        /**< Written, or read. */
    bool mapped;         /**< The BAR leads somewhere there: ... */
    uint64_t addr;       /**< ... to this address of the chip. */
    bool unknown;        /**< The model lacks it: it was taken as storage. */
};

/** An access is over. The function must not use the chip. */
typedef void (*trench_pci_access_fn)(void *opaque,
                                     const struct trench_pci_access *access);

/**
 * The interrupt line has gone up. It stays up until trench_pci_intx_done().
 * The function must not use the chip.
 */
typedef void (*trench_pci_intx_fn)(void *opaque);

/** How to build a function. Zero the struct first. */
struct trench_pci_conf {
    /**
     * The chip; gen NULL = sunda. Leave host, host_bytes, intr and intr_opaque
     * zero: host memory and interrupts are the function's.
     */
    struct trench_soc_conf soc;
    uint16_t device_id; /**< One of the generation's; 0 = its first. */
    uint8_t revision;   /**< Chooses a driver's mode; 0 = 255. */
    /** A power of two; 0 = TRENCH_PCI_MEMORY_BAR_BYTES. */
    uint64_t memory_bar_bytes;
    /** The chip among its peers: 0 .. TRENCH_PCI_MAX_ROUTING_ID. */
    uint8_t routing_id;
    uint64_t serial; /**< 0 = not known. */
    /** From the trigger of a reset until its request reads 0. */
    struct trench_pci_latency taken;
    /** From there until the status word, or scratch word, says done. */
    struct trench_pci_latency done;
    /**
     * Reads in a row of one register that does not change, after which a line
     * is logged; 0 = 10,000, UINT32_MAX = never.
     */
    uint32_t poll_limit;
    trench_pci_access_fn access; /**< NULL = nobody. */
    void *access_opaque;
    trench_pci_intx_fn intx; /**< NULL = nobody listens. */
    void *intx_opaque;
};

/**
 * Create a function after power-on reset, with its chip.
 *
 * @param conf  Copied; NULL = all defaults.
 * @param out   Receives the function; the caller owns it.
 *
 * @return 0 on success;
 *         TRENCH_ERR_INVAL   an identity, size or number out of its range, or
 *                            host memory or interrupts in conf->soc;
 *         TRENCH_ERR_NOTSUP  the generation's PCI function is not known, or
 *                            its register BAR is above TRENCH_PCI_BAR_MAX;
 *         or as trench_soc_create().
 */
TRENCH_API int trench_pci_create(const struct trench_pci_conf *conf,
                                 struct trench_pci **out);

/** Release the function, its maps and its chip; NULL is allowed. */
TRENCH_API void trench_pci_destroy(struct trench_pci *pci);

/** The chip; owned by the function. */
TRENCH_API struct trench_soc *trench_pci_soc(struct trench_pci *pci);

/**
 * Bus reset: configuration space, firmware and chip are as after power-on.
 * Device memory keeps its content, guest memory its place; until software
 * makes the function bus master again no engine reaches it.
 *
 * @return 0, or TRENCH_ERR_BUSY from inside a callback of the chip.
 */
TRENCH_API int trench_pci_reset(struct trench_pci *pci);

/* ---- configuration space -------------------------------------------------*/

/**
 * Read configuration space.
 * @param len  1, 2 or 4, and inside one aligned word.
 * @param val  Receives the value; untouched on failure.
 * @return 0, or TRENCH_ERR_INVAL: no such place or length.
 */
TRENCH_API int trench_pci_config_read(const struct trench_pci *pci,
                                      uint32_t offset, uint32_t len,
                                      uint32_t *val);

/** Write configuration space; the counterpart of trench_pci_config_read(). */
TRENCH_API int trench_pci_config_write(struct trench_pci *pci, uint32_t offset,
                                       uint32_t len, uint32_t val);

/** A BAR's size; 0 = the function has no such BAR. */
TRENCH_API uint64_t trench_pci_bar_bytes(const struct trench_pci *pci,
                                         unsigned bar);

/** The BAR with the registers: 2 with revision 255, else 0. */
TRENCH_API unsigned trench_pci_register_bar(const struct trench_pci *pci);

/* ---- accesses ----------------------------------------------------------- */

/**
 * Find the BAR at a bus address, as configuration space places them.
 * @param offset  Receives the offset in it; untouched on failure.
 * @return the BAR's number, or TRENCH_ERR_FAULT when none claims the whole
 *         range, or memory decoding is off.
 */
TRENCH_API int trench_pci_decode(const struct trench_pci *pci, uint64_t addr,
                                 uint32_t len, uint64_t *offset);

/**
 * Read from a BAR. Registers are words: a read of less gives a part of the
 * word, one of eight bytes is two. What is not aligned reads as ones.
 *
 * @param len  1, 2, 4 or 8.
 * @param val  Receives the value; all ones on failure.
 * @return 0; TRENCH_ERR_INVAL: no such BAR, offset or length.
 */
TRENCH_API int trench_pci_bar_read(struct trench_pci *pci, unsigned bar,
                                   uint64_t offset, uint32_t len,
                                   uint64_t *val);

/**
 * Write to a BAR. A write of less than a word to a register, or one that is
 * not aligned, is dropped.
 * @return as trench_pci_bar_read().
 */
TRENCH_API int trench_pci_bar_write(struct trench_pci *pci, unsigned bar,
                                    uint64_t offset, uint32_t len,
                                    uint64_t val);

/**
 * Run work that an access has left over, as trench_soc_run().
 * @return units spent; 0 = the chip is at rest.
 */
TRENCH_API uint64_t trench_pci_run(struct trench_pci *pci, uint64_t budget);

/** Let time pass, for the chip and for its firmware. */
TRENCH_API void trench_pci_advance(struct trench_pci *pci, uint64_t ns);

/** As trench_soc_due(), with the firmware. */
TRENCH_API uint64_t trench_pci_due(const struct trench_pci *pci);

/* ---- guest memory ------------------------------------------------------- */

/** A piece of guest memory. */
struct trench_pci_map {
    uint64_t addr; /**< Guest physical address. */
    uint64_t size_bytes;
    int fd;          /**< Borrowed during the call only. */
    uint64_t offset; /**< In the file; a multiple of the page size. */
};

/**
 * Replace guest memory: these pieces and nothing else. All or nothing: what
 * there was stays when the call fails. Engines see the new memory with their
 * next access; one that has work waits with it for the next access or run.
 *
 * The files must not shrink while they are mapped: the system ends a process
 * (SIGBUS) that touches what is gone.
 *
 * @param maps  Disjoint, in any order; NULL with @p nr 0.
 *
 * @return 0 on success;
 *         TRENCH_ERR_INVAL  nr above TRENCH_PCI_MAX_MAPS, a size of 0, an
 *                           offset that is not aligned, a range beyond the
 *                           chip's host window or beyond the end of the file;
 *         TRENCH_ERR_EXIST  two of them overlap;
 *         TRENCH_ERR_BUSY   called from inside a callback of the chip;
 *         TRENCH_ERR_NOMEM  no room;
 *         another negated errno when a file cannot be mapped for reading and
 *         writing.
 */
TRENCH_API int trench_pci_set_memory(struct trench_pci *pci,
                                     const struct trench_pci_map *maps,
                                     size_t nr);

/* ---- interrupts --------------------------------------------------------- */

/** Choose who hears the line from now on. @param fn  NULL = nobody. */
TRENCH_API void trench_pci_set_intx(struct trench_pci *pci,
                                    trench_pci_intx_fn fn, void *opaque);

/**
 * The other side has served the line: it goes down, and up again when an
 * interrupt vector has risen since it went up.
 */
TRENCH_API void trench_pci_intx_done(struct trench_pci *pci);

/* ---- looking ------------------------------------------------------------ */

/** A word that the guest touched and the model lacks. */
struct trench_pci_unknown {
    uint8_t bar;
    uint64_t offset;
    bool mapped;   /**< The BAR leads somewhere there: ... */
    uint64_t addr; /**< ... to this address of the chip. */
    uint64_t reads;
    uint64_t writes;
    uint32_t last; /**< Last written, or 0. */
};

/**
 * The n-th of them, in the order in which they were met.
 * @return 0, or TRENCH_ERR_NOENT past the end.
 */
TRENCH_API int trench_pci_unknown(const struct trench_pci *pci, size_t n,
                                  struct trench_pci_unknown *out);

/**
 * Name of what is at an offset of a BAR: "APB_SENG_0_SDMA_5.udma_m2s.M2S.cfg",
 * or of what holds it, with an offset: "APB+0x123000". "BAR2+0x28000000" where
 * the BAR leads nowhere.
 * @return length of the full text (as snprintf).
 */
TRENCH_API int trench_pci_name(const struct trench_pci *pci, unsigned bar,
                               uint64_t offset, char *buf, size_t size);

/** Counters since creation. */
struct trench_pci_stats {
    uint64_t reads; /**< Accesses to BARs. */
    uint64_t writes;
    uint64_t unknown;       /**< Of words that the model lacks. */
    uint64_t unknown_lost;  /**< Of those, beyond TRENCH_PCI_MAX_UNKNOWN. */
    uint64_t refused;       /**< Not aligned, or a part of a register. */
    uint64_t device_resets; /**< That the firmware has carried out. */
    uint64_t core_resets;
    uint64_t bad_resets;    /**< Requests that name neither. */
    uint64_t mailbox;       /**< Mailbox requests that were answered. */
    uint64_t mailbox_bad;   /**< Those without an answer: no such memory. */
    uint64_t metrics;       /**< Metric posts among them. */
    uint64_t stuck_polls;   /**< Times that the poll limit was reached. */
    uint64_t stuck_offset;  /**< The last such register, in its BAR. */
    uint64_t memory_tables; /**< Times that guest memory was replaced. */
};

/** Read the counters. */
TRENCH_API void trench_pci_stats(const struct trench_pci *pci,
                                 struct trench_pci_stats *out);

#ifdef __cplusplus
}
#endif

#endif /* TRENCH_PCI_H */
