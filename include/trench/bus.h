/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The bus: one 64-bit physical address space, the only place where software
 * and hardware meet.
 *
 * A region is either memory or the window of a device. Bulk transfers work
 * over both, so a DMA copy whose destination is a ring register programs that
 * ring. Everything between the regions is unmapped: an access there is
 * refused and leaves a fault record, it never aliases.
 *
 * A transfer is checked as a whole before its first side effect: an access
 * that is refused has changed nothing. Device windows are made of 32-bit
 * registers; an access there starts at a multiple of 4 and is a multiple of 4
 * long.
 *
 * Address bits 56 and 57 (relaxed ordering, ok to fail) are attributes and
 * are dropped before decoding (address-map 3.1).
 *
 * The buses of a pod reach each other (trench/pod.h): an address that names a
 * chip leads to that chip's bus. Faults and counters are those of the bus on
 * which the access begins.
 *
 * A bus belongs to one thread at a time; buses that are not linked are
 * independent.
 */
#ifndef TRENCH_BUS_H
#define TRENCH_BUS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <trench/error.h>

#ifdef __cplusplus
extern "C" {
#endif

struct trench_bus; /* opaque */

/** Attribute bits of an address: relaxed ordering, ok to fail. */
#define TRENCH_BUS_ATTR_MASK (UINT64_C(3) << 56)

/** Who starts a transfer, for fault records. */
enum trench_bus_initiator {
    TRENCH_BUS_SOFTWARE = 0, /**< A driver, a tool, a test. */
    TRENCH_BUS_ENGINE_0 = 1, /**< Engine e is TRENCH_BUS_ENGINE_0 + e. */
    /** Fill agents of sequencers: this + core * nr_seqs + sequencer. */
    TRENCH_BUS_SEQ_0 = 0x10000,
};

enum trench_bus_dir {
    TRENCH_BUS_READ,
    TRENCH_BUS_WRITE,
};

/** The last refused access, and how many there were. */
struct trench_bus_fault {
    uint64_t count; /**< Refused accesses since creation; 0 = none. */
    uint64_t addr;  /**< Start of the last one, attributes dropped. */
    uint64_t size_bytes;
    uint32_t initiator; /**< enum trench_bus_initiator */
    enum trench_bus_dir dir;
    int err; /**< enum trench_err */
};

/** Register accesses that reached a device, refused ones too, by the word. */
struct trench_bus_stats {
    uint64_t reads; /**< By software: TRENCH_BUS_SOFTWARE. */
    uint64_t writes;
    uint64_t engine_reads; /**< By anybody else. */
    uint64_t engine_writes;
};

/** A device's registers. Offsets are multiples of 4 inside the window. */
struct trench_bus_dev_ops {
    /** Returns 0, or a negative enum trench_err to refuse the access. */
    int (*read32)(void *opaque, uint64_t offset, uint32_t *val);
    int (*write32)(void *opaque, uint64_t offset, uint32_t val);
};

/** A piece of memory. Zero the struct first. */
struct trench_bus_mem {
    const char *name;    /**< Copied, at most 47 characters are kept. */
    uint64_t base;       /**< First bus address. */
    uint64_t size_bytes; /**< Not 0; base + size_bytes must not wrap. */
    /**
     * Backing store of size_bytes, borrowed until the region goes; NULL =
     * anonymous zeroed memory that costs only what is touched.
     */
    void *host;
    /** Map this file instead (shared, read and write); host must be NULL. */
    bool from_fd;
    int fd;             /**< Borrowed during the call only. */
    uint64_t fd_offset; /**< Multiple of the page size. */
};

/** A device window. Zero the struct first. */
struct trench_bus_window {
    const char *name;    /**< Copied, at most 47 characters are kept. */
    uint64_t base;       /**< Multiple of 4. */
    uint64_t size_bytes; /**< Multiple of 4, not 0. */
    const struct trench_bus_dev_ops *ops; /**< Borrowed. */
    void *opaque;                         /**< Handed to the ops. */
};

/** What is mapped at an address, for tools. */
struct trench_bus_region {
    const char *name; /**< Valid until the region goes. */
    uint64_t base;
    uint64_t size_bytes;
    bool is_memory;
};

/**
 * Create an empty bus.
 * @param out  Receives the bus; the caller owns it (trench_bus_destroy()).
 * @return 0, or TRENCH_ERR_NOMEM.
 */
TRENCH_API int trench_bus_create(struct trench_bus **out);

/** Unmap everything and release the bus; NULL is allowed. */
TRENCH_API void trench_bus_destroy(struct trench_bus *bus);

/**
 * Add memory.
 * @return 0 on success;
 *         TRENCH_ERR_INVAL   size 0, the range wraps, it reaches the attribute
 *                            bits or those that name a chip, or both host and
 * from_fd are given; TRENCH_ERR_EXIST   overlaps a region; TRENCH_ERR_NOMEM the
 * memory cannot be had; another negated errno when mapping the file failed.
 */
TRENCH_API int trench_bus_add_memory(struct trench_bus *bus,
                                     const struct trench_bus_mem *mem);

/**
 * Add a device window.
 * @return 0; TRENCH_ERR_INVAL (also: misaligned, no ops), TRENCH_ERR_EXIST or
 *         TRENCH_ERR_NOMEM as for memory.
 */
TRENCH_API int trench_bus_add_window(struct trench_bus *bus,
                                     const struct trench_bus_window *window);

/**
 * Remove the region that starts at @p base.
 * @return 0, or TRENCH_ERR_NOENT when none starts there.
 */
TRENCH_API int trench_bus_remove(struct trench_bus *bus, uint64_t base);

/**
 * The region that holds an address, or the first one above it.
 * @param addr  Where to look, attributes dropped.
 * @param out   Receives the region; untouched when there is none. Its base
 *              names the chip when that is behind a link.
 * @return 0, or TRENCH_ERR_NOENT when nothing is mapped at or above @p addr.
 */
TRENCH_API int trench_bus_region_at(const struct trench_bus *bus, uint64_t addr,
                                    struct trench_bus_region *out);

/**
 * Read @p len bytes. Windows are read word by word, in ascending order.
 *
 * @param initiator  enum trench_bus_initiator, for the fault record.
 * @param addr       First byte.
 * @param buf        Receives the bytes; its content is undefined on failure.
 * @param len        0 is allowed and does nothing.
 *
 * @return 0 on success;
 *         TRENCH_ERR_FAULT  some byte is not mapped;
 *         TRENCH_ERR_INVAL  a device window is touched with an address or
 *                           length that is not a multiple of 4;
 *         another code with which a device refused.
 */
TRENCH_API int trench_bus_read(struct trench_bus *bus, uint32_t initiator,
                               uint64_t addr, void *buf, uint64_t len);

/** Write @p len bytes; the counterpart of trench_bus_read(). */
TRENCH_API int trench_bus_write(struct trench_bus *bus, uint32_t initiator,
                                uint64_t addr, const void *buf, uint64_t len);

/** Read one aligned word as software does; errors as trench_bus_read(). */
TRENCH_API int trench_bus_read32(struct trench_bus *bus, uint64_t addr,
                                 uint32_t *val);

/** Write one aligned word as software does; errors as trench_bus_write(). */
TRENCH_API int trench_bus_write32(struct trench_bus *bus, uint64_t addr,
                                  uint32_t val);

/**
 * Host address of memory.
 * @return a pointer to @p len usable bytes, valid until the region goes; NULL
 *         when the range is not wholly inside one memory region. No fault is
 *         recorded.
 */
TRENCH_API void *trench_bus_host(struct trench_bus *bus, uint64_t addr,
                                 uint64_t len);

/** What registers have been accessed since the bus was made. */
TRENCH_API void trench_bus_stats(const struct trench_bus *bus,
                                 struct trench_bus_stats *out);

/** Copy the fault record. */
TRENCH_API void trench_bus_last_fault(const struct trench_bus *bus,
                                      struct trench_bus_fault *out);

#ifdef __cplusplus
}
#endif

#endif /* TRENCH_BUS_H */
