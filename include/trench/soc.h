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

/** trench_bcast_conf.group: member of any group at all is enough. */
#define TRENCH_BCAST_ANY_GROUP 16

/** Engines behind one broadcast window, at most. */
#define TRENCH_BCAST_MAX_LANES 16

/**
 * How the broadcast fabric reads what no source settles (address-map 4.11 and
 * 9). Zero is the default of each.
 */
struct trench_bcast_conf {
    /**
     * Group that a broadcast is in: a lane takes part when this bit is set
     * both in its papb_bcast mask and in its broadcast_cfg_group. 1 .. 15, or
     * TRENCH_BCAST_ANY_GROUP; 0 = 1. Group 0 is unicast.
     */
    uint8_t group;
    /** Bits 31:16 name the lanes that take part, not those left out. */
    bool mask_applies;
    /** Tail increments carry no mask: all 32 bits go to every lane. */
    bool tail_unmasked;
    /** Refuse registers that no software broadcasts (TRENCH_ERR_ACCES). */
    bool strict;
};

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
    struct trench_bcast_conf bcast; /**< Zero: as docs/hardware.md says. */
    trench_log_fn log;              /**< NULL = no log. */
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
 *                           given without host_bytes, or no such group;
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
    uint64_t bcast_writes; /**< Also those that reached nobody. */
    uint64_t bcast_lanes;  /**< Unicast writes that these became. */
    /** Broadcast writes by the number of lanes that they reached. */
    uint64_t bcast_reached[TRENCH_BCAST_MAX_LANES + 1];
    uint64_t unknown; /**< Accesses without a register beside the engines. */
    uint64_t budget_stops; /**< Accesses that left work over. */
};

/** Read the chip's counters. */
TRENCH_API void trench_soc_stats(const struct trench_soc *soc,
                                 struct trench_soc_stats *out);

/** What became of one broadcast write; a bit a lane in each set of lanes. */
struct trench_bcast_delivery {
    uint64_t addr;         /**< Of the write, on either route. */
    unsigned first_engine; /**< Lane l is engine first_engine + l. */
    enum trench_block_id block;
    uint32_t offset;  /**< Of the register, in the block. */
    uint32_t word;    /**< As written to the window. */
    uint32_t payload; /**< As written to each lane. */
    uint32_t reached; /**< Lanes that got it. */
    uint32_t skipped; /**< Lanes that the word left out. */
    uint32_t gated;   /**< Lanes that their groups left out, of the others. */
};

/**
 * A broadcast has been delivered; what it started has not run yet. The
 * function must not use the chip.
 */
typedef void (*trench_bcast_fn)(void *opaque,
                                const struct trench_bcast_delivery *delivery);

/** Watch broadcasts. @param fn  NULL = nobody. */
TRENCH_API void trench_soc_set_bcast(struct trench_soc *soc, trench_bcast_fn fn,
                                     void *opaque);

/**
 * The last broadcast since creation or trench_soc_reset().
 * @param out  Receives it; untouched on failure.
 * @return 0, or TRENCH_ERR_NOENT when there was none.
 */
TRENCH_API int trench_soc_last_bcast(const struct trench_soc *soc,
                                     struct trench_bcast_delivery *out);

/** State of a block list that its registers do not show. */
struct trench_soc_firewall_state {
    bool on;        /**< It has entries. */
    bool interrupt; /**< Its interrupt line is up. */
};

/**
 * Look at a block list.
 * @param n  Number in the generation's table, trench_gen.firewalls.
 * @return 0, or TRENCH_ERR_NODEV when there is no such list.
 */
TRENCH_API int trench_soc_firewall_state(const struct trench_soc *soc,
                                         unsigned n,
                                         struct trench_soc_firewall_state *out);

#ifdef __cplusplus
}
#endif

#endif /* TRENCH_SOC_H */
