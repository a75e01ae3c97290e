/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Schedules of collectives: who moves what to whom at which step
 * (ncfw-steps 6). A schedule is data; nothing here touches a chip.
 *
 * A schedule is a list of steps, a step a set of moves. Moves of one step may
 * be done in any order and at once: none writes what another one of the step
 * reads or writes. Between steps stands a barrier.
 *
 * Each rank has three buffers. In place, two of them share memory: all-gather's
 * input is its own part of the output; reduce-scatter's output its own part of
 * the input; those of the other operations are one.
 *
 * Nothing writes an input that is separate. In place, nothing writes what is no
 * result: the rest of reduce-scatter's input, the buffers of reduce's other
 * ranks. Scratch need not be cleared, and means nothing afterwards.
 *
 * The element type plays no part. Sums are made in a fixed order, so that two
 * schedules of one configuration round alike.
 *
 * Functions may be called from any thread; an object belongs to one at a time.
 */
#ifndef TRENCH_COLL_H
#define TRENCH_COLL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <trench/error.h>
#include <trench/export.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Collectives; the codes are those of enc_op_type (ncfw-steps 6.1). */
enum trench_coll_op {
    TRENCH_COLL_ALL_GATHER = 0,
    TRENCH_COLL_ALL_REDUCE = 1,
    TRENCH_COLL_BROADCAST = 2,
    TRENCH_COLL_REDUCE = 3,
    TRENCH_COLL_REDUCE_SCATTER = 4,
    TRENCH_COLL_SEND_RECV = 5, /**< To the next rank, from the one before. */
    TRENCH_COLL_ALL_TO_ALL = 7,
    TRENCH_COLL_PERMUTE = 8,
};

#define TRENCH_NR_COLL_OPS 9

/** Algorithms (ncfw-steps 6.1, 6.3 to 6.9). */
enum trench_coll_algo {
    TRENCH_COLL_AUTO,              /**< By the priorities of ncfw-steps 6.10. */
    TRENCH_COLL_RING,              /**< In the order of ranks. */
    TRENCH_COLL_SINGLE_CYCLE_RING, /**< The same moves under its own name. */
    TRENCH_COLL_KANGARING,         /**< A ring of groups, driven by their
                                        first ranks. */
    /** All-reduce: reduce-scatter, all-gather. Reduce: reduce-scatter, gather.
        All-to-all: a rotation a step. */
    TRENCH_COLL_MESH,
    /** All-reduce, reduce: whole vectors to all, or the root, which reduce
        them. All-to-all: at once. */
    TRENCH_COLL_SINGLE_STEP_MESH,
    TRENCH_COLL_HIER,  /**< In chips, and between them. */
    TRENCH_COLL_RDH,   /**< Recursive halving and doubling. */
    TRENCH_COLL_CHAIN, /**< A pipeline from or to the root. */
    TRENCH_NR_COLL_ALGOS,
};

/** "all_reduce", ...; "?" for none. */
TRENCH_API const char *trench_coll_op_name(enum trench_coll_op op);

/** "ring", "single_cycle_ring", "mesh", ...; "?" for none. */
TRENCH_API const char *trench_coll_algo_name(enum trench_coll_algo algo);

/** The algorithm of a name, or -1. */
TRENCH_API int trench_coll_algo_find(const char *name);

/** Ranks of a schedule, at most: 64 chips of 8. */
#define TRENCH_COLL_MAX_RANKS 512u

/** Elements of all ranks together, at most: count times ranks. */
#define TRENCH_COLL_MAX_ELEMENTS (UINT64_C(1) << 56)

/** Moves of a schedule, at most; a ring of 512 ranks has 1046528 a channel. */
#define TRENCH_COLL_MAX_MOVES (UINT32_C(1) << 22)

/** Buffers of a rank. */
enum trench_coll_buf {
    TRENCH_COLL_IN,
    TRENCH_COLL_OUT,
    TRENCH_COLL_SCRATCH,
    TRENCH_NR_COLL_BUFS,
};

/** What to do. Zero the struct first. */
struct trench_coll_conf {
    enum trench_coll_op op;
    enum trench_coll_algo algo;
    unsigned ranks; /**< 1 .. TRENCH_COLL_MAX_RANKS */
    /** Ranks that share a chip; 0 = all. Ranks r / chip_ranks are one chip. */
    unsigned chip_ranks;
    /**
     * Elements, as NCCL counts them: of the whole vector for all-reduce,
     * broadcast, reduce, send-receive and permute; of what one rank
     * contributes to all-gather, gets from reduce-scatter, and sends each rank
     * in all-to-all. 0 is allowed.
     */
    uint64_t count;
    bool in_place;
    unsigned root; /**< Broadcast and reduce. */
    /** Permute: rank r sends to dest[r]; ranks of them, all different. */
    const uint16_t *dest;
    /** Parallel rings of ring algorithms, 1 .. 32; 0 = 1 (ncfw-steps 6.2). */
    unsigned channels;
    /** Pieces of a chain's pipeline, 1 .. 255; 0 = 4. */
    unsigned pieces;
    /** Secondaries of each kangaring group, 1 or 3; 0 = what divides. */
    unsigned secondaries;
    /**
     * Parts of the hierarchical algorithm. In a chip: RDH or MESH. Between
     * chips: MESH, SINGLE_CYCLE_RING (all-reduce only), RDH or RING.
     * TRENCH_COLL_AUTO = the first that fits, in the order of ncfw-steps 6.10.
     */
    enum trench_coll_algo intra;
    enum trench_coll_algo inter;
};

/** A place in a buffer. */
struct trench_coll_place {
    uint16_t rank;
    uint8_t buf;    /**< enum trench_coll_buf */
    uint64_t first; /**< Element of the buffer. */
};

/** Elements that go from one place, or several that are reduced, to another. */
struct trench_coll_move {
    uint16_t rank;   /**< Whose engines do it; data may be others'. */
    uint8_t channel; /**< Below conf.channels; 0 unless it is of a ring. */
    uint8_t half; /**< 1 for H1 of a ring's chunk (ncfw-steps 6.2), else 0. */
    uint16_t
        nr_src;   /**< 1: a copy. More, up to 32: a reduction, in this order. */
    uint32_t src; /**< The first of them, in trench_coll_places(). */
    uint64_t count;               /**< Elements of each; not 0. */
    struct trench_coll_place dst; /**< May be exactly one of the sources. */
};

struct trench_coll_schedule; /* opaque */

/**
 * Make a schedule.
 *
 * @param out  Receives it; the caller owns it (trench_coll_destroy()).
 *
 * @return 0 on success;
 *         TRENCH_ERR_INVAL   no such operation or algorithm; ranks, root,
 *                            channels, pieces, secondaries or destinations out
 *                            of range; chip_ranks that do not divide ranks;
 *                            more than TRENCH_COLL_MAX_ELEMENTS;
 *         TRENCH_ERR_NOTSUP  the algorithm does not do this operation, or not
 *                            with this number of ranks;
 *         TRENCH_ERR_NOSPC   more than TRENCH_COLL_MAX_MOVES;
 *         TRENCH_ERR_NOMEM.
 *         For the first two, trench_coll_refusal() has a phrase.
 */
TRENCH_API int trench_coll_create(const struct trench_coll_conf *conf,
                                  struct trench_coll_schedule **out);

/** Release; NULL is allowed. */
TRENCH_API void trench_coll_destroy(struct trench_coll_schedule *schedule);

/**
 * Why trench_coll_create() would refuse with TRENCH_ERR_INVAL or
 * TRENCH_ERR_NOTSUP: a phrase, constant; NULL when it would not.
 */
TRENCH_API const char *trench_coll_refusal(const struct trench_coll_conf *conf);

/** The algorithm, never TRENCH_COLL_AUTO. */
TRENCH_API enum trench_coll_algo trench_coll_algo_of(
    const struct trench_coll_schedule *schedule);

/** Why that one, as a phrase; valid until the schedule goes. */
TRENCH_API const char *trench_coll_reason(
    const struct trench_coll_schedule *schedule);

/** Steps, each with a move at least; 0 when there is nothing to move. */
TRENCH_API size_t
trench_coll_steps(const struct trench_coll_schedule *schedule);

/**
 * Moves of a step, those of a rank together and in the order of ranks.
 * @param nr  Receives how many they are.
 * @return the first; NULL past the last step.
 */
TRENCH_API const struct trench_coll_move *trench_coll_moves(
    const struct trench_coll_schedule *schedule, size_t step, size_t *nr);

/** Sources of all moves; see struct trench_coll_move. */
TRENCH_API const struct trench_coll_place *trench_coll_places(
    const struct trench_coll_schedule *schedule);

/**
 * Elements of a buffer of a rank, the same for each. With in_place input and
 * output are measured as if they were separate.
 */
TRENCH_API uint64_t trench_coll_size(
    const struct trench_coll_schedule *schedule, enum trench_coll_buf buf);

/**
 * Where a buffer begins in the one that it shares memory with, in elements:
 * all-gather's input in its output, reduce-scatter's output in its input; 0
 * for the others. Meaningful with in_place.
 */
TRENCH_API uint64_t trench_coll_shared_at(
    const struct trench_coll_schedule *schedule, unsigned rank);

#ifdef __cplusplus
}
#endif

#endif /* TRENCH_COLL_H */
