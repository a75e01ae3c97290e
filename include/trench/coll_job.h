/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A collective on chips: the moves of a schedule become descriptors, those of
 * each rank spread over the engines of its NeuronCore, and the steps of the
 * schedule parts of one collective step a chip (trench/step.h): alloc and
 * reprogram once, then a broadcast and a wait a schedule step.
 *
 * Rank r is NeuronCore r % chip_ranks of chip r / chip_ranks. Chips go side by
 * side: each has done a schedule step before the next one starts anywhere.
 *
 * A job belongs to one thread at a time.
 */
#ifndef TRENCH_COLL_JOB_H
#define TRENCH_COLL_JOB_H

#include <stddef.h>
#include <stdint.h>

#include <trench/coll.h>
#include <trench/compute.h>
#include <trench/error.h>
#include <trench/export.h>
#include <trench/gen.h>
#include <trench/hal.h>
#include <trench/step.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A chip, opened by its host as trench/step.h asks for. */
struct trench_coll_chip {
    const struct trench_hal_ops *ops; /**< All but relax are needed. */
    void *opaque; /**< Handed to them; memory comes from the chip's HBM. */
};

/** Zero the struct first. */
struct trench_coll_job_conf {
    const struct trench_coll_schedule *schedule; /**< Used during the call. */
    const struct trench_gen *gen; /**< NULL = the default generation. */
    unsigned ranks;
    unsigned chip_ranks;                  /**< Ranks of a chip; 0 = all. */
    const struct trench_coll_chip *chips; /**< ranks / chip_ranks; borrowed. */
    /**
     * Buffers: that of rank r is bufs[r * TRENCH_NR_COLL_BUFS + buffer], an
     * address of the rank's chip as that chip sees it.
     */
    const uint64_t *bufs;
    enum trench_dtype type;
    enum trench_cce_op op; /**< ADD, MAX or MIN; of reductions. */
    unsigned engines;      /**< Of each rank, 1 .. 16; 0 = 16. */
    unsigned queues;       /**< Of each engine, from queue 0: 1 .. 16; 0 = 1. */
    unsigned manager_engine; /**< As in struct trench_step_conf. */
    unsigned manager_queue;
    bool no_broadcast; /**< Bells one by one. */
    uint64_t polls;    /**< Deadline of each wait. */
    uint64_t timeout_ns;
};

struct trench_coll_job; /* opaque */

/** What went wrong, and on which chip. */
struct trench_coll_job_error {
    long step_nr; /**< Of the schedule; -1 before and behind them. */
    int chip;     /**< Or -1. */
    struct trench_step_error step;
};

/** What a job is made of. */
struct trench_coll_job_info {
    size_t parts;       /**< Started one after the other, on each chip. */
    uint64_t copies;    /**< Packets, padding and signals left out. */
    uint64_t reduces;   /**< The same. */
    uint64_t bytes;     /**< That packets write. */
    uint64_t m2s_descs; /**< All that a run starts. */
    uint64_t s2m_descs;
};

/**
 * Lower a schedule: lay all rings, in the memory of their chips.
 *
 * @param out  Receives the job; the caller owns it.
 * @param err  Filled on failure only; NULL is allowed.
 *
 * @return 0 on success;
 *         TRENCH_ERR_INVAL  no schedule, chips or buffers; a number of ranks,
 *                           engines or queues out of range; chip_ranks that do
 *                           not divide ranks; another number of ranks than the
 *                           schedule's; an operation or type that the CCE does
 *                           not have; of several chips, a buffer that reaches
 *                           past the addresses of its chip;
 *         TRENCH_ERR_NODEV  more ranks on a chip than it has NeuronCores, or
 *                           more chips than addresses can name;
 *         TRENCH_ERR_NOTSUP no broadcast windows, and no_broadcast is not set;
 *                           several chips, of which this generation has no
 *                           addresses; no known host_trigger doorbell;
 *         TRENCH_ERR_NOSPC  more descriptors of a queue than a ring has;
 *         TRENCH_ERR_NOMEM;
 *         what trench_step_rings_create() and trench_step_create() return.
 */
TRENCH_API int trench_coll_job_create(const struct trench_coll_job_conf *conf,
                                      struct trench_coll_job **out,
                                      struct trench_coll_job_error *err);

/** Release; NULL is allowed. The operations must still work. */
TRENCH_API void trench_coll_job_destroy(struct trench_coll_job *job);

/** What it is made of. */
TRENCH_API void trench_coll_job_info(const struct trench_coll_job *job,
                                     struct trench_coll_job_info *out);

/** The step of a chip; NULL when there is no such chip, or nothing to do. */
TRENCH_API struct trench_step *trench_coll_job_step(
    const struct trench_coll_job *job, unsigned chip);

/** The schedule step that a part belongs to. */
TRENCH_API size_t trench_coll_job_step_of(const struct trench_coll_job *job,
                                          size_t part);

/**
 * Run it, from trigger to completion. It can be run again, also after a
 * failure: each run resets the queues. An engine in abort stays there until its
 * host brings it back (trench_hal_queue_reset()); runs before that fail, too.
 *
 * @param stats  Added up over all chips, also on failure; NULL is allowed.
 * @param err    Filled on failure only; NULL is allowed.
 * @return 0, also of a job without parts; what trench_step_run() returns; what
 *         write32 returned for the host_trigger doorbell.
 */
TRENCH_API int trench_coll_job_run(struct trench_coll_job *job,
                                   struct trench_step_stats *stats,
                                   struct trench_coll_job_error *err);

#ifdef __cplusplus
}
#endif

#endif /* TRENCH_COLL_JOB_H */
