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
 * function of the accesses alone: no threads, and no clock but the one that
 * trench_soc_advance() moves.
 *
 * One access runs a bounded amount of work, so that a ring which feeds itself
 * cannot hang the caller. What is left over goes on with the next register
 * access or trench_soc_run().
 *
 * A chip belongs to one thread at a time; different chips are independent,
 * unless they are parts of a pod (trench/pod.h).
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

/**
 * Interrupt vectors of an engine, numbered as the inputs of its trigger block
 * (address-map 6.3, cayman): nine outputs of the notification block, then the
 * main vector, then the secondary vector.
 */
enum trench_intr {
    TRENCH_INTR_NOTIFIC = 0,       /**< and the eight above it */
    TRENCH_INTR_MAIN = 9,          /**< summaries of groups B, C and D */
    TRENCH_INTR_RX = 12,           /**< + q: completion, S2M queue q */
    TRENCH_INTR_TX = 28,           /**< + q: completion, M2S queue q */
    TRENCH_INTR_MAILBOX = 44,      /**< + i: mailbox i */
    TRENCH_INTR_GROUP = 52,        /**< + 0..3: summary of secondary A to D */
    TRENCH_INTR_TIMER = 56,        /**< the general timer */
    TRENCH_INTR_SECONDARY = 58,    /**< + b: secondary group A, M2S errors */
    TRENCH_INTR_S2M_ERROR = 87,    /**< + b: secondary group B */
    TRENCH_INTR_FIFO_PARITY = 119, /**< + b: secondary group C */
    TRENCH_INTR_AXI = 131,         /**< + g: summary of AXI generator g */
    TRENCH_NR_INTRS = 138,
};

/** A set of vectors: vector v is bit v % 64 of word v / 64. */
struct trench_soc_intr {
    uint64_t bits[3];
};

/**
 * A vector has become active: a cause that was not set, or was masked, is now
 * set and not masked; or the notification block has given a pulse.
 *
 * Called when the chip, or its whole pod, is at rest: at the end of the
 * register access, trench_soc_run() or trench_soc_advance() in which it
 * happened, in the order of engines and then of vectors, once for each rise,
 * also when the cause is gone again by then. It may use the bus,
 * trench_soc_run(), trench_soc_advance() and trench_soc_reset(); it must not
 * destroy the chip. What its own accesses raise is told after it returns: calls
 * never nest. An access ends after trench_soc_conf.budget calls; the rest comes
 * with the next one.
 */
typedef void (*trench_intr_fn)(void *opaque, unsigned engine, unsigned vector);
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

/** Which types the nibbles in the command of a CCE packet name. */
enum trench_cce_nibbles {
    /** ADD, EXT: [15:12] the source's, [19:16] the destination's. */
    TRENCH_CCE_NIBBLES_SRC_DST,
    /** ADD, EXT: [15:12] the destination's, [19:16] the source's. */
    TRENCH_CCE_NIBBLES_OUT_ACCUM,
};

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
     * for every 4096 bytes it moves; dropping one for want of a buffer is the
     * same work, and so is an access that only an access hook makes something
     * of. 0 = 2^20 (some 3 GiB of data).
     */
    uint32_t budget;
    struct trench_bcast_conf bcast; /**< Zero: as docs/hardware.md says. */
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
    /** Reading of CCE commands (docs/hardware.md, H235). */
    enum trench_cce_nibbles cce_nibbles;
    trench_log_fn log; /**< NULL = no log. */
    void *log_opaque;
    trench_intr_fn intr; /**< NULL = look with trench_soc_intr_pending(). */
    void *intr_opaque;
};

/**
 * Create a chip after power-on reset.
 *
 * @param conf  Copied; NULL = all defaults.
 * @param out   Receives the chip; the caller owns it (trench_soc_destroy()).
 *
 * @return 0 on success;
 *         TRENCH_ERR_INVAL  host_bytes larger than the host window, host
 *                           given without host_bytes, no such group or
 *                           reading of CCE commands, or seq_iram_bytes out of
 *                           its range;
 *         TRENCH_ERR_NODEV  the generation has no register maps;
 *         TRENCH_ERR_NOMEM  memory or address space cannot be had.
 */
TRENCH_API int trench_soc_create(const struct trench_soc_conf *conf,
                                 struct trench_soc **out);

/** Release the chip, its bus and its memories; NULL is allowed. A chip of a
 *  pod goes with the pod. */
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
 *
 * Of a pod only this chip runs; what it gives others to do is posted.
 */
TRENCH_API uint64_t trench_soc_run(struct trench_soc *soc, uint64_t budget);

/**
 * Let time pass: this is the only thing that moves the clock of the chip, or of
 * all chips of its pod, which
 * timers and rate limiters go by, so nothing depends on the time of the host.
 * One engine clock is one nanosecond (docs/hardware.md, H105).
 *
 * What becomes due acts at its clock, in order, before the call returns: S2M
 * packets that wait for a buffer (udma-engine B31), completions that are
 * gathered (B47), queues that wait for the tokens of a rate limiter
 * (common-blocks 4.3), and the work that follows from these. In stepped mode
 * that work is only posted. One call runs at most trench_soc_conf.budget units
 * of work, in all; when they are spent the rest of the time passes and what
 * is left goes on as after any access. Unless that happens, it makes no
 * difference in how many calls a span of time passes.
 *
 * Each time that something becomes due, every eight engines in which anything
 * depends on time count as a unit of that work, in stepped mode none.
 *
 * From inside an access hook this does nothing: the clock stands still while
 * an engine is at work.
 *
 * @param ns  Nanoseconds, any number. The cost is by what becomes due, not by
 *            the length.
 */
TRENCH_API void trench_soc_advance(struct trench_soc *soc, uint64_t ns);

/**
 * Time until something becomes due by itself.
 * @return nanoseconds to trench_soc_advance(); UINT64_MAX when nothing in the
 *         chip waits for time.
 */
TRENCH_API uint64_t trench_soc_due(const struct trench_soc *soc);

/** What an engine has done and met since creation or trench_soc_reset(). */
struct trench_soc_engine_stats {
    uint64_t packets;     /**< Packets delivered, also with errors. */
    uint64_t tx_descs;    /**< M2S descriptors completed. */
    uint64_t rx_descs;    /**< S2M descriptors completed. */
    uint64_t bytes;       /**< Bytes written to their destination. */
    uint64_t doorbells;   /**< Non-zero tail increments, both sides. */
    uint64_t dropped;     /**< Packets dropped for want of a buffer. */
    uint64_t errors;      /**< Error causes raised, both sides. */
    uint64_t unsupported; /**< Packets that no application engine took. */
    uint64_t unknown;     /**< Accesses to offsets without a register. */
    uint64_t messages;    /**< Interrupt messages written. */
    uint64_t app_aborts;  /**< Aborts that the application was told of. */
};

/**
 * Read an engine's counters.
 * @return 0, or TRENCH_ERR_NODEV when there is no such engine.
 */
TRENCH_API int trench_soc_engine_stats(const struct trench_soc *soc,
                                       unsigned engine,
                                       struct trench_soc_engine_stats *out);

/**
 * The vectors of an engine that are active now; those of the notification
 * block are pulses and never are.
 * @param out  Receives the set; untouched on failure.
 * @return how many they are, or TRENCH_ERR_NODEV when there is no such engine.
 */
TRENCH_API int trench_soc_intr_pending(const struct trench_soc *soc,
                                       unsigned engine,
                                       struct trench_soc_intr *out);

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
