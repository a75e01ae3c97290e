/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The firmware's part of a collective step (seed 000 4, ncfw-steps 4.5): wait
 * for the trigger, then for each basic block reset the queues of its groups,
 * reprogram their rings, start them by broadcast, and wait until every engine
 * has signalled.
 *
 *     trench_step_rings_create()   data rings: copies, and a signal at the end
 *     trench_step_create()         checks everything; lays the TopLevel rings
 *       trench_step_run()          does it, through the bus and nothing else
 *     trench_step_destroy()
 *     trench_step_rings_destroy()
 *
 * A step is compiled into a list of operations when it is created: writes of
 * registers, and waits. trench_step_ops() shows the list, trench_step_run()
 * goes through it. Nothing can be refused half way: what can be checked has
 * been checked before the first byte was written.
 *
 * Rings stand in memory; between two steps nothing in them changes. A block
 * gives queues the rings of its step by DMA: the TopLevel ring of the block
 * is executed by a queue of one more engine, the manager, whose copies land
 * in the registers of the others (1.1). The broadcast then starts them (2).
 *
 * The host has opened the engines: queues of the step and of the manager are
 * enabled, and idle. Registers that are not named here are left alone.
 *
 * No wait is without a deadline. Objects belong to one thread at a time.
 */
#ifndef TRENCH_STEP_H
#define TRENCH_STEP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <trench/error.h>
#include <trench/export.h>
#include <trench/gen.h>
#include <trench/hal.h>
#include <trench/ncfw.h>
#include <trench/pring.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A semaphore (ncfw-steps 4.3). */
struct trench_step_sema {
    enum trench_sync_owner owner;
    unsigned n;  /**< Which NeuronCore or TOP_SP. */
    unsigned id; /**< 0 .. TRENCH_NR_SYNC - 1 */
};

/** Semaphore of a TOP_SP that completion increments (ncfw-steps 4.3). */
#define TRENCH_STEP_COMPLETION_ID 1u

/** What a step is doing. */
enum trench_step_phase {
    TRENCH_STEP_CHECK,     /**< Before anything is written. */
    TRENCH_STEP_TRIGGER,   /**< Waiting for host_trigger or bbswitch. */
    TRENCH_STEP_RESET,     /**< The manager's queue, or queues one by one. */
    TRENCH_STEP_REPROGRAM, /**< The TopLevel ring of a block. */
    TRENCH_STEP_BROADCAST, /**< The doorbells, RX before TX. */
    TRENCH_STEP_WAIT,      /**< For the signals of the engines. */
    TRENCH_STEP_COMPLETE,  /**< Of a block, or of all. */
    TRENCH_STEP_NR_PHASES,
};

/** "check", "trigger", ...; "?" for none. */
TRENCH_API const char *trench_step_phase_name(enum trench_step_phase phase);

/** Why a step failed, and where. */
struct trench_step_error {
    enum trench_step_phase phase;
    int block;      /**< Basic block, or -1. */
    int bundle;     /**< Queue bundle, or -1. */
    int engine;     /**< Chip-wide, or -1. */
    int queue;      /**< Or -1. */
    uint64_t addr;  /**< Of the register, semaphore or ring; 0 = none. */
    uint32_t want;  /**< What was waited for, where something was. */
    uint32_t got;   /**< What it read last. */
    char text[240]; /**< All of this as one sentence, without a period. */
};

/* ---- data rings -------------------------------------------------------- */

/** What one pair does in a part of a step. */
struct trench_step_work {
    uint16_t engine;
    uint8_t queue;
    const struct trench_copy *copies; /**< In order; borrowed. */
    size_t nr_copies;
    /** Behind the copies; they borrow their sources. */
    const struct trench_reduce *reduces;
    size_t nr_reduces;
};

/** How far the rings of a block go at once (ncfw-steps 1.10). */
struct trench_step_entry {
    uint32_t m2s_val; /**< Descriptors of each M2S ring. */
    uint32_t s2m_val; /**< Of each S2M ring; not more. */
    uint32_t repeat;  /**< Times; 0 = once. */
};

/** The data rings of a step. Zero the struct first. */
struct trench_step_rings_conf {
    const struct trench_hal_ops *ops; /**< mem_alloc and mem_free are used. */
    void *opaque;                     /**< Handed to them. */
    const struct trench_gen *gen;     /**< NULL = the default generation. */
    /** nr_parts times the same nr_work pairs, a row each; borrowed. */
    const struct trench_step_work *work;
    size_t nr_work;  /**< At least 1. */
    size_t nr_parts; /**< Started one after the other; 0 = 1. */
    /** What each pair increments at the end of each part. */
    struct trench_step_sema done;
};

struct trench_step_rings; /* opaque */

/**
 * Lay the data rings of a step in memory, which must be HBM. In each part a
 * pair gets its copies and reductions, no-ops up to the same counts for all,
 * and as the last one a copy of the word 1 to the semaphore's INC window,
 * ordered after their writes.
 *
 * @return 0;
 *         TRENCH_ERR_INVAL  no work, an operation is missing, a copy with a
 *                           length or barrier out of range, what
 *                           trench_desc_reduce() refuses, or parts that are
 *                           not about the same pairs;
 *         TRENCH_ERR_NOSPC  TRENCH_NCFW_MAX_COUNT descriptors or more in a
 *                           part, rings longer than TRENCH_HAL_RING_MAX, or
 *                           more than 512 pairs;
 *         TRENCH_ERR_NOENT  a copy has a template address;
 *         TRENCH_ERR_ACCES  the memory is not HBM;
 *         TRENCH_ERR_NODEV  no such semaphore;
 *         TRENCH_ERR_NOMEM.
 */
TRENCH_API int trench_step_rings_create(
    const struct trench_step_rings_conf *conf, struct trench_step_rings **out);

/** Release; NULL is allowed. The operations must still work. */
TRENCH_API void trench_step_rings_destroy(struct trench_step_rings *rings);

/**
 * The pairs with their rings, in the order of the work; valid until the rings
 * go.
 */
TRENCH_API const struct trench_ncfw_channel *trench_step_rings_channels(
    const struct trench_step_rings *rings);

/** What starts each part, in order; valid until the rings go. */
TRENCH_API const struct trench_step_entry *trench_step_rings_entries(
    const struct trench_step_rings *rings, size_t *nr);

/**
 * A ring of a pair; NULL when there is none. Valid until the rings go.
 * @param pair  Position in the work.
 */
TRENCH_API const struct trench_pring *trench_step_rings_ring(
    const struct trench_step_rings *rings, size_t pair,
    enum trench_ncfw_dir dir);

/* ---- the step ---------------------------------------------------------- */

/** One basic block. Zero the struct first. */
struct trench_step_block {
    /** 1 .. TRENCH_NR_BUNDLES; borrowed, as their channels are. */
    const struct trench_ncfw_plan_conf *bundles;
    size_t nr_bundles;
    /** Each pair signals once an entry and repeat. Borrowed. */
    const struct trench_step_entry *entries;
    size_t nr_entries; /**< At least 1. */
    struct trench_spad spad;
    uint32_t reset_limit;     /**< As in struct trench_basic_block. */
    uint32_t reprogram_limit; /**< The same. */
};

/** A step. Zero the struct first. */
struct trench_step_conf {
    const struct trench_hal_ops *ops; /**< All but relax are needed. */
    void *opaque;                     /**< Handed to them. */
    const struct trench_gen *gen;     /**< NULL = the default generation. */
    const struct trench_step_block *blocks; /**< Borrowed until destroy. */
    size_t nr_blocks;                       /**< 1 .. TRENCH_BASIC_BLOCKS_MAX */
    /** The queue that executes the TopLevel rings; none of the step's. */
    unsigned manager_engine;
    unsigned manager_queue;
    unsigned top_sp; /**< Whose doorbells and completion semaphore. */
    /**
     * What the rings increment. The runner sets it to 0 when the first block's
     * queues have been reset.
     */
    struct trench_step_sema done;
    bool has_switch; /**< Increment this one after each reprogram: */
    struct trench_step_sema switch_completed;
    /** Before each block but the first wait for the bbswitch doorbell. */
    bool wait_bbswitch;
    /**
     * Reset and start the queues one by one. Without it every queue of a
     * bundle must be used by each engine of the bundle, and these must be in
     * the half of its pcore: the broadcast reaches them all, and only them.
     */
    bool no_broadcast;
    enum trench_ncfw_rearm rearm;
    uint32_t padded; /**< As in struct trench_toplevel_conf. */
    /** Deadline of each wait: so many polls (0 = by the clock alone). */
    uint64_t polls;
    /** And so many nanoseconds of now_ns (0 = by the polls alone). */
    uint64_t timeout_ns;
};

struct trench_step; /* opaque */

/**
 * Check a step and lay its TopLevel rings. Nothing is written before all
 * checks have passed, and no register at all.
 *
 * @param out  Receives the step; the caller owns it.
 * @param err  Says what is wrong; filled on failure only, NULL is allowed.
 *
 * @return 0 on success;
 *         TRENCH_ERR_INVAL   an operation is missing; no or too many blocks,
 *                            bundles or entries; no deadline; a bundle or
 *                            pcore out of range; no engine in use; engines in
 *                            the other pcore's half, or not on every queue of
 *                            their bundle; counts of 0, of 65535 and more, or
 *                            more of S2M than of M2S; a misaligned ring; the
 *                            manager's queue is one of the step's; a semaphore
 *                            that is used for two things; a list that is NULL;
 *         TRENCH_ERR_NOSPC   a count does not fit its ring, whose last
 *                            TRENCH_HAL_RING_GAP stay free; a section or
 *                            padded is too small;
 *         TRENCH_ERR_NOENT   a context or SPAD content at a template address;
 *         TRENCH_ERR_ACCES   a ring is not in HBM;
 *         TRENCH_ERR_NODEV   no such engine, TOP_SP or semaphore;
 *         TRENCH_ERR_NOTSUP  the generation has no known broadcast window or
 *                            bbswitch doorbell;
 *         TRENCH_ERR_EXIST   a pair is used twice in a block;
 *         TRENCH_ERR_NOMEM.
 */
TRENCH_API int trench_step_create(const struct trench_step_conf *conf,
                                  struct trench_step **out,
                                  struct trench_step_error *err);

/** Release; NULL is allowed. The operations must still work. */
TRENCH_API void trench_step_destroy(struct trench_step *step);

/** What an operation does. */
enum trench_step_kind {
    TRENCH_STEP_WRITE,  /**< Write val to addr. */
    TRENCH_STEP_AWAIT,  /**< Poll addr until it reads at least val. */
    TRENCH_STEP_REPEAT, /**< Go back so many operations, val times in all. */
};

/** An operation of the firmware. */
struct trench_step_op {
    enum trench_step_kind kind;
    enum trench_step_phase phase;
    const char *name; /**< Register or doorbell: "s2m_tail_ptr", ... */
    uint64_t addr;
    uint32_t val;
    uint32_t mask;      /**< AWAIT: the bits that count. */
    uint32_t count;     /**< AWAIT: descriptors of each S2M ring started. */
    uint32_t m2s_count; /**< AWAIT: of each M2S ring. */
    uint32_t back;      /**< REPEAT: operations. */
    uint16_t block;     /**< Basic block. */
    int16_t bundle;     /**< Or -1. */
    int16_t engine;     /**< Or -1; of a broadcast the first of the group. */
    int8_t queue;       /**< Or -1. */
    bool broadcast;     /**< WRITE: to a broadcast window. */
    bool bell;          /**< WRITE: moves a tail. */
};

/** The operations, in order; valid until the step goes. */
TRENCH_API const struct trench_step_op *trench_step_ops(
    const struct trench_step *step, size_t *nr);

/** A bundle as it has been planned; NULL past the last. */
TRENCH_API const struct trench_ncfw_plan *trench_step_plan(
    const struct trench_step *step, size_t block, size_t bundle);

/** The TopLevel rings; valid until the step goes. */
TRENCH_API const struct trench_toplevel *trench_step_toplevel(
    const struct trench_step *step);

/** What a run has cost. */
struct trench_step_stats {
    uint64_t writes;         /**< Register writes of the firmware. */
    uint64_t bells;          /**< Of these: doorbells of the engines. */
    uint64_t reads;          /**< Register reads: polls. */
    uint64_t toplevel_descs; /**< Started on the manager, of each ring. */
    uint64_t m2s_descs;      /**< Started on all pairs. */
    uint64_t s2m_descs;      /**< The same. */
    uint64_t starts;         /**< Entries and repeats run. */
};

/** An operation is about to be done, or, AWAIT, has been satisfied. */
typedef void (*trench_step_fn)(void *opaque, const struct trench_step_op *op);

/**
 * Run a step. The host_trigger doorbell of the TOP_SP must ring before the
 * deadline: it is taken by writing 0. After the last block the completion
 * semaphore is incremented. A step can be run again.
 *
 * @param stats   Added up also on failure; NULL is allowed.
 * @param err     Filled on failure only; NULL is allowed.
 *
 * @return 0;
 *         TRENCH_ERR_TIMEDOUT  a deadline passed. Where engines have stopped
 *                              or lag behind, err names the first of them;
 *         TRENCH_ERR_IO        the same, and that engine is in abort;
 *         what read32 or write32 returned.
 */
TRENCH_API int trench_step_run(struct trench_step *step,
                               struct trench_step_stats *stats,
                               struct trench_step_error *err);

/**
 * The same in pieces, for one who has several steps to run side by side:
 * start a run over. Nothing is accessed.
 */
TRENCH_API void trench_step_begin(struct trench_step *step);

/**
 * Go on up to the end of the next entry or repeat.
 * @return 1 there; 0 when the run is over, whose end has been signalled; else
 *         as trench_step_run(), and the run is over.
 */
TRENCH_API int trench_step_next(struct trench_step *step,
                                struct trench_step_stats *stats,
                                struct trench_step_error *err);

/** Watch the operations of a run. @param fn  NULL = nobody. */
TRENCH_API void trench_step_set_trace(struct trench_step *step,
                                      trench_step_fn fn, void *opaque);

#ifdef __cplusplus
}
#endif

#endif /* TRENCH_STEP_H */
