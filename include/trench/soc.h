/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The chip: every engine of one generation, with its memories, on one bus.
 *
 * Software drives it with trench_bus_read32() and trench_bus_write32() on
 * register addresses and by placing rings and data in memory, exactly as on
 * silicon; the functions below only create the chip and look at it.
 *
 * Execution. By default a register write that makes work runs the chip until
 * nothing is runnable before it returns. In stepped mode register writes only
 * post, and trench_soc_run() does the work. Either way the order is a
 * function of the accesses alone: no threads, no clock.
 *
 * One access runs a bounded amount of work, so that a ring which feeds itself
 * cannot hang the caller. What is left over goes on with the next register
 * access or trench_soc_run().
 *
 * A chip belongs to one thread at a time; different chips are independent.
 */
#ifndef TRENCH_SOC_H
#define TRENCH_SOC_H

#include <stdbool.h>
#include <stdint.h>

#include <trench/bus.h>
#include <trench/gen.h>

#ifdef __cplusplus
extern "C" {
#endif

struct trench_soc; /* opaque */

/** Most bytes of a sequencer's instruction RAM: there the next part begins. */
#define TRENCH_SOC_SEQ_IRAM_MAX 0x20000u

/** How to build a chip. Zero the struct first. */
struct trench_soc_conf {
    const struct trench_gen *gen; /**< NULL = the default, cayman. */
    uint64_t host_bytes; /**< Host memory at host address 0; 0 = 4 GiB. */
    void *host;          /**< Its backing, borrowed; NULL = anonymous. */
    bool stepped;        /**< Register writes only post. */
    /**
     * Work that one register access may run, in units: 1 a descriptor plus 1
     * for every 4096 bytes it moves. 0 = 2^20 (some 3 GiB of data).
     */
    uint32_t budget;
    /** Reading of the fill mailbox of the sequencers; 0 = seed 003's. */
    enum trench_mailbox_words mailbox_words;
    /**
     * Reads of glr[9] that still find a fill under way; 0 = a fill is done
     * when its kick returns, UINT32_MAX = it never is.
     */
    uint32_t mailbox_polls;
    /**
     * Bytes of each sequencer's instruction RAM, a multiple of 4096 of at most
     * TRENCH_SOC_SEQ_IRAM_MAX; 0 = TRENCH_SEQ_IRAM_BYTES, as in hardware.
     */
    uint32_t seq_iram_bytes;
    trench_log_fn log; /**< NULL = no log. */
    void *log_opaque;
};

/**
 * Create a chip after power-on reset.
 *
 * @param conf  Copied; NULL = all defaults.
 * @param out   Receives the chip; the caller owns it (trench_soc_destroy()).
 *
 * @return 0 on success;
 *         TRENCH_ERR_INVAL  host_bytes larger than the host window, host
 *                           given without host_bytes, or seq_iram_bytes out
 *                           of its range;
 *         TRENCH_ERR_NODEV  the generation has no register maps;
 *         TRENCH_ERR_NOMEM  memory or address space cannot be had.
 */
TRENCH_API int trench_soc_create(const struct trench_soc_conf *conf,
                                 struct trench_soc **out);

/** Release the chip, its bus and its memories; NULL is allowed. */
TRENCH_API void trench_soc_destroy(struct trench_soc *soc);

/** The chip's bus; owned by the chip. */
TRENCH_API struct trench_bus *trench_soc_bus(struct trench_soc *soc);

/** The chip's generation. */
TRENCH_API const struct trench_gen *trench_soc_gen(
    const struct trench_soc *soc);

/**
 * Put every register back to its reset value and drop all work in flight.
 * Memory keeps its content.
 */
TRENCH_API void trench_soc_reset(struct trench_soc *soc);

/**
 * Run posted work.
 *
 * @param budget  Units to spend (see trench_soc_conf.budget); 0 = the chip's
 *                own budget. The last packet may go beyond.
 * @return units spent; 0 means that nothing was runnable.
 */
TRENCH_API uint64_t trench_soc_run(struct trench_soc *soc, uint64_t budget);

/**
 * Let engine clocks pass for the timers: S2M packets that wait for a buffer
 * (udma-engine B31). Expired timers act before the call returns.
 */
TRENCH_API void trench_soc_advance(struct trench_soc *soc, uint64_t clocks);

/** What an engine has done and met since creation or trench_soc_reset(). */
struct trench_soc_engine_stats {
    uint64_t packets;     /**< Packets delivered, also with errors. */
    uint64_t tx_descs;    /**< M2S descriptors completed. */
    uint64_t rx_descs;    /**< S2M descriptors completed. */
    uint64_t bytes;       /**< Bytes written to their destination. */
    uint64_t doorbells;   /**< Non-zero tail increments, both sides. */
    uint64_t dropped;     /**< Packets dropped for want of a buffer. */
    uint64_t errors;      /**< Error causes raised, both sides. */
    uint64_t unsupported; /**< Packets whose command has no engine here. */
    uint64_t unknown;     /**< Accesses to offsets without a register. */
};

/**
 * Read an engine's counters.
 * @return 0, or TRENCH_ERR_NODEV when there is no such engine.
 */
TRENCH_API int trench_soc_engine_stats(const struct trench_soc *soc,
                                       unsigned engine,
                                       struct trench_soc_engine_stats *out);

/** Counters of the whole chip. */
struct trench_soc_stats {
    uint64_t guest_errors; /**< Things software should not have done. */
    uint64_t bcast_reads;  /**< Reads of a broadcast window. */
    uint64_t bcast_writes;
    uint64_t budget_stops; /**< Accesses that left work over. */
};

/** Read the chip's counters. */
TRENCH_API void trench_soc_stats(const struct trench_soc *soc,
                                 struct trench_soc_stats *out);

#ifdef __cplusplus
}
#endif

#endif /* TRENCH_SOC_H */
