/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The instruction cache of a sequencer and its fill (seed 003,
 * iram-cache-idma).
 *
 * A sequencer executes from a small instruction RAM. Its firmware keeps there,
 * as a cache, blocks of an instruction stream that lies in device memory:
 * fully associative, filled a block at a time, replaced round robin. This is
 * that firmware, with its state where the original has it: control structure
 * and line array in the core's data RAM, the blocks in its instruction RAM.
 * It reaches hardware only through the bus.
 *
 *     trench_icache_create()         BEGIN: reads the block size, clears all
 *       trench_icache_fetch()        any number; the bytes at a PC
 *       trench_icache_replay()       the same for a trace of PCs
 *     trench_icache_destroy()
 *
 * One fill moves one block, and one at most is under way. Two backends carry
 * it: the mailbox glr[9..12] of the local registers, or DramRingDMA, a
 * descriptor ring on a queue pair of a UDMA engine. Completion is polled,
 * never interrupted. Nothing here waits without a bound.
 *
 * A PC is an address of the stream on the bus. What the firmware asserts
 * halts the core: the call returns TRENCH_ERR_IO, and so does every later
 * one until trench_icache_reset().
 *
 * A reset of the chip takes the registers that booting wrote with it: the
 * cache must then be destroyed, and created anew. A cache that is fetched from
 * all the same fails, or has wrong bytes.
 *
 * A cache and its chip belong to one thread at a time.
 */
#ifndef TRENCH_ICACHE_H
#define TRENCH_ICACHE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <trench/bus.h>
#include <trench/gen.h>

#ifdef __cplusplus
extern "C" {
#endif

struct trench_icache; /* opaque */

/** What carries a fill; bit 0 of the firmware's backend byte (seed 003 3). */
enum trench_icache_backend {
    TRENCH_ICACHE_MAILBOX, /**< glr[9..12], bit clear. */
    TRENCH_ICACHE_RING,    /**< DramRingDMA, bit set. */
};

/** What is fetched ahead of its use; bits of conf.prefetch. */
enum trench_icache_prefetch {
    /** On entering a line, the one behind it (iram-cache-idma 2.6). */
    TRENCH_ICACHE_PREFETCH_NEXT = 1u << 0,
    /** Instead, the target of an armed branch hint (2.8). */
    TRENCH_ICACHE_PREFETCH_HINT = 1u << 1,
};

/** Block sizes that the firmware accepts, and its region (1.12). */
#define TRENCH_ICACHE_REGION_BYTES  0x8000u
#define TRENCH_ICACHE_MIN_BLOCK     1024u
#define TRENCH_ICACHE_MAX_BLOCK     16384u
#define TRENCH_ICACHE_DEFAULT_BLOCK 8192u
/** One instruction record; what a block is a multiple of (1.12). */
#define TRENCH_ICACHE_RECORD_BYTES 64u

/** How to build a cache. Zero the struct first. */
struct trench_icache_conf {
    struct trench_bus *bus;       /**< Borrowed. */
    const struct trench_gen *gen; /**< NULL = the default generation. */
    unsigned core;                /**< NeuronCore. */
    unsigned seq;                 /**< See trench_gen_seq_find(). */
    enum trench_icache_backend backend;
    /**
     * How the mailbox words are read; the chip must agree
     * (trench_soc_conf.mailbox_words). Also decides what the enqueue assert
     * looks at: a length of 0 (seed 003 3b), or one past 65,535.
     */
    enum trench_mailbox_words words;
    /**
     * Written to glr[19] first, as the host does, where the generation has
     * that register; 0 = take what is there.
     */
    uint32_t block_bytes;
    /**
     * An experiment: any region of the instruction RAM and any block that is
     * a multiple of 64 and divides it, powers of two or not; by ring at most 64
     * KiB. Without it the firmware's checks hold: region 32 KiB, blocks 1 to 16
     * KiB.
     */
    bool free_geometry;
    uint32_t region_bytes; /**< free_geometry only; 0 = 32 KiB. */
    uint64_t stream_base;  /**< Not 0, multiple of the block size. */
    uint64_t stream_bytes; /**< Not 0. Sets the PC bounds. */
    bool sunda_mode;       /**< The run mode, not the generation (2.10). */
    unsigned prefetch;     /**< enum trench_icache_prefetch, or 0. */
    uint32_t max_polls;    /**< Of one wait; 0 = 2^20. */
    uint32_t ring_slots;   /**< Power of two, 4 .. 64; 0 = 8. */
    /**
     * Carry the ring by the next two. Otherwise it is the engine that serves
     * the core (trench_gen.refill_engines), and the queue of the sequencer's
     * number; cores share engines, so two cores may want the same.
     */
    bool ring_elsewhere;
    unsigned ring_engine;
    unsigned ring_queue;
    /** Fills by block of the stream, borrowed; NULL = not counted. */
    uint64_t *block_fills;
    size_t nr_block_fills;
    trench_log_fn log; /**< The firmware's 'S:' lines; NULL = none. */
    void *log_opaque;
};

/** What a cache has done since creation or trench_icache_reset(). */
struct trench_icache_stats {
    uint64_t lookups;    /**< hits + misses */
    uint64_t hits;       /**< Also those that had to wait for their fill. */
    uint64_t misses;     /**< Look-ups that started a fill, or tried to. */
    uint64_t fills;      /**< Fills started, prefetches included. */
    uint64_t prefetches; /**< Fills started ahead of use. */
    uint64_t evictions;  /**< Valid lines overwritten. */
    uint64_t stalls;     /**< Look-ups that waited for a fill. */
    uint64_t polls;      /**< Polls that found a fill under way. */
    uint64_t fill_bytes; /**< Of fills that succeeded. */
    uint64_t failed;     /**< Fills that ended without a valid line. */
    /* trench_icache_replay() only: */
    uint64_t records;
    uint64_t out_of_bounds; /**< Records not fetched: outside the image. */
    uint64_t mismatches;    /**< Records whose bytes were not the image's. */
};

/** An assertion of the firmware that failed. */
struct trench_icache_assert {
    const char *name; /**< NULL = none. Valid for ever. */
    const char *file;
    unsigned line;
};

/** Whether a generation's sequencers are known to have the fill mailbox. */
TRENCH_API bool trench_icache_has_mailbox(const struct trench_gen *gen);

/**
 * Boot a sequencer's cache (BEGIN and cache init, iram-cache-idma 2.2).
 *
 * @param conf    Copied; what it points to is borrowed until destroy.
 * @param failed  Which firmware assertion failed, or name NULL; may be NULL.
 * @param out     Receives the cache; the caller owns it.
 *
 * @return 0 on success;
 *         TRENCH_ERR_INVAL   an argument is out of its range, or the geometry
 *                            fails one of the firmware's checks;
 *         TRENCH_ERR_NODEV   no such core, sequencer or engine;
 *         TRENCH_ERR_NOTSUP  the generation has no mailbox, or hints are asked
 *                            for with more than 32 lines;
 *         TRENCH_ERR_BUSY    the ring's queue pair is enabled already;
 *         TRENCH_ERR_FAULT   the sequencer's memories are not on the bus;
 *         TRENCH_ERR_NOMEM   allocation failed;
 *         another code with which the bus refused a register.
 */
TRENCH_API int trench_icache_create(const struct trench_icache_conf *conf,
                                    struct trench_icache_assert *failed,
                                    struct trench_icache **out);

/** Release a cache; NULL is allowed. A ring's queue pair is disabled. */
TRENCH_API void trench_icache_destroy(struct trench_icache *ic);

/**
 * Back to the state after create, without reading the block size again:
 * lines, victim, pushed mask, pending index and counters; ring counters too.
 * @return 0, or what the bus returned.
 */
TRENCH_API int trench_icache_reset(struct trench_icache *ic);

/**
 * Fetch: make the block of @p pc resident and give its bytes.
 *
 * @param pc     Any 64-bit number; bounds are not checked here
 *               (iram-cache-idma 2.9: demand fetches are not). One in block 0
 *               matches the tag of an empty line, which the firmware asserts
 *               against.
 * @param bytes  Receives the address of the byte at @p pc in the instruction
 *               RAM, valid up to the end of the block and until the next call.
 *
 * @return 0 for a hit, 1 for a miss that has been filled;
 *         TRENCH_ERR_IO        the fill failed, or the core has halted;
 *         TRENCH_ERR_TIMEDOUT  the fill did not end within max_polls;
 *         another code with which the bus refused a register.
 */
TRENCH_API int trench_icache_fetch(struct trench_icache *ic, uint64_t pc,
                                   const uint8_t **bytes);

/**
 * Redirect: leave the PC in glr[3] and glr[4], then fetch (seed 003 3a,
 * iram-cache-idma 2.10). The target's line counts as pushed.
 * @return as trench_icache_fetch().
 */
TRENCH_API int trench_icache_redirect(struct trench_icache *ic, uint64_t pc,
                                      const uint8_t **bytes);

/* ---- traces -------------------------------------------------------------- */

/** One executed instruction. */
struct trench_icache_record {
    uint64_t addr;
    uint32_t size_bytes; /**< 0 counts as 1. */
};

/** What the addresses of a trace mean. */
struct trench_icache_image {
    uint64_t addr;        /**< In the trace, of the first byte. */
    const uint8_t *bytes; /**< What must be executed; borrowed. */
    uint64_t size_bytes;  /**< At most stream_bytes. */
};

/**
 * Fetch every record, across lines where it does not fit in one, and compare
 * what the instruction RAM holds with the image. Records outside the image
 * are counted and not fetched.
 *
 * With TRENCH_ICACHE_PREFETCH_HINT it also arms hints, since a trace has no
 * hint instructions: of the block behind the one that is entered, the branch
 * by which that was left last time.
 *
 * @param image    Borrowed during the call.
 * @param records  nr_records, in the order of execution; borrowed during the
 *                 call. More calls go on where the last one stopped.
 *
 * @return 0, also when fills fail, which is counted; TRENCH_ERR_IO when the
 *         core halts; another error of trench_icache_fetch(). After an error
 *         the rest of the records has not been looked at.
 */
TRENCH_API int trench_icache_replay(struct trench_icache *ic,
                                    const struct trench_icache_image *image,
                                    const struct trench_icache_record *records,
                                    size_t nr_records);

/** Read the counters. */
TRENCH_API void trench_icache_stats(const struct trench_icache *ic,
                                    struct trench_icache_stats *out);

/** Which firmware assertion has halted the core; name NULL = none. */
TRENCH_API void trench_icache_assertion(const struct trench_icache *ic,
                                        struct trench_icache_assert *out);

/* ---- PC bounds (iram-cache-idma 2.9) ------------------------------------- */

/**
 * Set the bounds, both inclusive: lower first, then upper.
 * @return 0; TRENCH_ERR_INVAL when lower >= upper, nothing is written; what
 *         the bus returned.
 */
TRENCH_API int trench_icache_bounds_enable(struct trench_icache *ic,
                                           uint64_t lower, uint64_t upper);

/** Let every PC be in bounds. @return 0, or what the bus returned. */
TRENCH_API int trench_icache_bounds_disable(struct trench_icache *ic);

/** Read both bounds back. @return 0, or what the bus returned. */
TRENCH_API int trench_icache_bounds_get(struct trench_icache *ic,
                                        uint64_t *lower, uint64_t *upper);

/** Whether a PC is in bounds; logs as the firmware does. */
TRENCH_API bool trench_icache_in_bounds(struct trench_icache *ic, uint64_t pc);

/* ---- branch hints (iram-cache-idma 2.8) ---------------------------------- */

/**
 * Arm the hint, as the instruction BranchPrefetchHint does. Only decision 0,
 * taken, arms; 1 disarms.
 * @return 0; TRENCH_ERR_INVAL for another decision: the firmware asserts.
 */
TRENCH_API int trench_icache_hint_arm(struct trench_icache *ic,
                                      uint64_t br_addr, uint64_t br_target,
                                      unsigned decision);

/** A taken branch was committed: the hint is used up. */
TRENCH_API void trench_icache_hint_disarm(struct trench_icache *ic);

/** As INS_FL and Halt do: drop all hints. */
TRENCH_API void trench_icache_hint_invalidate_all(struct trench_icache *ic);

/**
 * The push predicate: hand the line of @p pc to the hardware decoder when it
 * is resident and has not been handed over. Starts no fill.
 * @return 1 when it was pushed, else 0.
 */
TRENCH_API int trench_icache_push(struct trench_icache *ic, uint64_t pc);

/** The mask of pushed lines, bit = line index. */
TRENCH_API uint32_t trench_icache_pushed(const struct trench_icache *ic);

/** Clear a line's bit. @return 0, or TRENCH_ERR_INVAL past bit 31. */
TRENCH_API int trench_icache_pushed_clear(struct trench_icache *ic,
                                          unsigned idx);

/* ---- looking inside ------------------------------------------------------ */

/** Line states (iram-cache-idma 1.9). */
enum trench_icache_state {
    TRENCH_ICACHE_INVALID = 0,
    TRENCH_ICACHE_IN_FLIGHT = 1,
    TRENCH_ICACHE_VALID = 2,
};

/** The control structure as the data RAM holds it (iram-cache-idma 1.8). */
struct trench_icache_control {
    uint32_t records_per_line; /**< +16 */
    uint32_t nr_records;       /**< +20 */
    uint32_t nr_lines;         /**< +24 */
    uint32_t pending;          /**< +32 */
    uint32_t victim;           /**< +36 */
    bool staged;               /**< +40 */
    uint64_t ticket;           /**< +48 low, +52 high */
    uint32_t pushed;           /**< +56 */
    bool sunda_mode;           /**< +60 */
    uint32_t lines;            /**< +64: address of the line array. */
    uint32_t block_bytes;      /**< Global at 0x85654. */
    bool ring;                 /**< Backend byte at 0x85658, bit 0. */
    uint64_t lower;            /**< PC bounds at 0x82dc0. */
    uint64_t upper;
};

/** A line as the data RAM holds it. */
struct trench_icache_line {
    uint32_t state; /**< enum trench_icache_state, or what a dump holds. */
    uint64_t tag;
};

/**
 * Decode a dump of a core's data RAM, from its first byte (address 0x80000).
 *
 * @param dram  At least TRENCH_SEQ_DRAM_BYTES.
 * @return 0, or TRENCH_ERR_BADMSG when the line array does not lie in it.
 */
TRENCH_API int trench_icache_decode(const uint8_t *dram,
                                    struct trench_icache_control *out);

/**
 * Decode a line of that dump.
 * @return 0, or TRENCH_ERR_INVAL when there is no such line.
 */
TRENCH_API int trench_icache_decode_line(const uint8_t *dram, uint32_t idx,
                                         struct trench_icache_line *out);

#ifdef __cplusplus
}
#endif

#endif /* TRENCH_ICACHE_H */
