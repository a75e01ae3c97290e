/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Between the engines and the bus: see each access that an engine makes, and
 * decide what it is answered with.
 *
 * An engine's accesses go through seven AXI masters (common-blocks 1.1.2).
 * The answer of an access is the event code that the engine's error detection
 * tables are indexed with: parity, time-out and response in four bits
 * (common-blocks 1.1.5). 0 is a good answer.
 *
 * Two things can spoil an answer, asked in this order: faults that a test
 * injects, and a hook, for example one that knows which VMID may go where.
 * A spoiled access does not reach the bus.
 *
 * All functions belong to the chip's thread.
 */
#ifndef TRENCH_ACCESS_H
#define TRENCH_ACCESS_H

#include <trench/bus.h>
#include <trench/soc.h>

#ifdef __cplusplus
extern "C" {
#endif

/** The AXI masters of an engine, numbered as the error tables are. */
enum trench_axi_master {
    TRENCH_AXI_M2S_DESC_READ,
    TRENCH_AXI_M2S_DATA_READ,
    TRENCH_AXI_M2S_CMPL_WRITE,
    TRENCH_AXI_S2M_DESC_READ,
    TRENCH_AXI_S2M_DATA_WRITE,
    TRENCH_AXI_S2M_CMPL_WRITE,
    TRENCH_AXI_MSIX_WRITE,
    TRENCH_NR_AXI_MASTERS,
};

/** Bits of an answer (common-blocks 1.1.5, step 1). */
enum trench_axi_answer {
    TRENCH_AXI_OKAY = 0,
    TRENCH_AXI_EXOKAY = 1,
    TRENCH_AXI_SLVERR = 2, /**< The target refused. */
    TRENCH_AXI_DECERR = 3, /**< Nothing is mapped there. */
    TRENCH_AXI_TIMEOUT = 4,
    TRENCH_AXI_PARITY = 8,
    TRENCH_AXI_ANSWERS = 16, /**< Number of codes. */
};

/** An access as it goes to the bus, for a hook. */
struct trench_access {
    unsigned engine;
    unsigned queue;
    enum trench_axi_master master;
    uint64_t addr; /**< As composed (VMPR, VMADDR), with attribute bits. */
    uint64_t size_bytes;
    bool has_vmid;
    uint16_t vmid; /**< 0 without one. */
};

/**
 * Called before each access of an engine. May read and write the bus, reset
 * the chip, and change faults and hook; what it posts runs after the access.
 * trench_soc_run() and trench_soc_advance() do nothing here. It must not
 * destroy the chip.
 * @return the answer; a code above 15 is taken as TRENCH_AXI_SLVERR.
 */
typedef unsigned (*trench_access_fn)(void *opaque,
                                     const struct trench_access *access);

/**
 * Install a hook; it stays over trench_soc_reset().
 *
 * While one is installed every queue takes the slow path: accesses are split
 * as in hardware (a descriptor at a time) and shown one by one.
 *
 * @param fn      NULL removes it.
 * @param opaque  Borrowed, handed to @p fn.
 */
TRENCH_API void trench_soc_set_access(struct trench_soc *soc,
                                      trench_access_fn fn, void *opaque);

/** Where a fault strikes: an AXI master, or something inside the engine. */
enum trench_fault_at {
    /* 0..6: enum trench_axi_master; the access gets the answer `code`. */
    TRENCH_FAULT_M2S = TRENCH_NR_AXI_MASTERS, /**< Cause `code` of group A. */
    TRENCH_FAULT_S2M,                         /**< Cause `code` of group B. */
    TRENCH_FAULT_PARITY,                      /**< Cause `code` of group C. */
    TRENCH_NR_FAULT_PLACES,
};

/** Any engine, any queue. */
#define TRENCH_FAULT_ANY (-1)

/** A fault to inject. */
struct trench_fault {
    int engine; /**< Or TRENCH_FAULT_ANY. */
    int queue;  /**< Or TRENCH_FAULT_ANY. */
    /**
     * What is counted: accesses of a master, or packets that begin to move
     * (M2S and PARITY) and buffers that are closed (S2M).
     */
    unsigned at; /**< enum trench_axi_master or enum trench_fault_at. */
    /** An answer, 1 to 15; or a cause bit, 0 to 31 (udma-engine 3.2-3.4). */
    unsigned code;
    uint64_t after; /**< Let so many pass first. */
    uint64_t times; /**< Then strike so often; 0 = for ever. */
};

/** What has become of a fault. */
struct trench_fault_stats {
    uint64_t seen;   /**< Accesses, packets or buffers that matched. */
    uint64_t struck; /**< How many of them it spoiled. */
};

/** Faults that a chip can hold at once. */
#define TRENCH_MAX_FAULTS 16

/**
 * Inject a fault; faults stay over trench_soc_reset(). Where several match,
 * each counts and the first that strikes decides.
 *
 * @return a number for trench_soc_fault_stats(), from 0;
 *         TRENCH_ERR_INVAL  no such place, code, engine or queue;
 *         TRENCH_ERR_NOSPC  there are TRENCH_MAX_FAULTS already.
 */
TRENCH_API int trench_soc_inject(struct trench_soc *soc,
                                 const struct trench_fault *fault);

/**
 * Look at a fault.
 * @return 0, or TRENCH_ERR_NOENT when no fault has that number.
 */
TRENCH_API int trench_soc_fault_stats(const struct trench_soc *soc, int number,
                                      struct trench_fault_stats *out);

/** Take all faults out. */
TRENCH_API void trench_soc_clear_faults(struct trench_soc *soc);

#ifdef __cplusplus
}
#endif

#endif /* TRENCH_ACCESS_H */
