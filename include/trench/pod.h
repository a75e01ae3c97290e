/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A pod: several chips of one generation that reach each other.
 *
 * Each chip keeps its own bus (trench_soc_bus()) with its own addresses. In
 * addition every address that names a chip (trench_gen_chip_addr()) leads to
 * that chip's bus, from any of them, the chip itself included: for software,
 * for the data, rings, completions and messages of engines, and for
 * trench_bus_host(). Only the plain route can be named, because the bit of the
 * privileged one is part of the chip's number. Without a name an address stays
 * on its chip. A number that no chip has is not mapped. Faults and counters
 * are those of the bus on which an access begins; there the address is as the
 * initiator gave it.
 *
 * Execution. A write to a register of any chip may give work to others. It
 * runs until the whole pod is idle, or the budget of the access is spent,
 * before the access returns: the chip that was accessed first, then chip by
 * chip in ascending order, each until it has nothing more to do. A write from
 * inside a run only posts, so no stack grows by chips that ring each other.
 * What a spent budget leaves over goes on with the next access to a register
 * of any chip, with trench_soc_run() for one chip, or with trench_pod_run().
 *
 * There is one time: trench_soc_advance() on one chip is trench_pod_advance().
 *
 * A pod with its chips belongs to one thread at a time; different pods are
 * independent.
 */
#ifndef TRENCH_POD_H
#define TRENCH_POD_H

#include <trench/soc.h>

#ifdef __cplusplus
extern "C" {
#endif

struct trench_pod; /* opaque */

/** Chips of a pod, at most. */
#define TRENCH_POD_MAX_CHIPS 64

/** As trench_intr_fn, with the number of the chip. */
typedef void (*trench_pod_intr_fn)(void *opaque, unsigned chip, unsigned engine,
                                   unsigned vector);

/** How to build a pod. Zero the struct first. */
struct trench_pod_conf {
    /**
     * Of every chip. With a host pointer all chips see that memory as their
     * host's; without one each has its own. intr must be NULL.
     */
    struct trench_soc_conf soc;
    unsigned nr_chips; /**< 1 .. TRENCH_POD_MAX_CHIPS; 0 = 1. */
    /** Told in the order of chips, when all are at rest; NULL = nobody. */
    trench_pod_intr_fn intr;
    void *intr_opaque;
};

/**
 * Create chips 0 .. nr_chips-1 after power-on reset.
 *
 * @param conf  Copied; NULL = all defaults.
 * @param out   Receives the pod; the caller owns it (trench_pod_destroy()).
 *
 * @return 0 on success;
 *         TRENCH_ERR_INVAL   more chips than TRENCH_POD_MAX_CHIPS, soc.intr is
 *                            set, or as trench_soc_create() says;
 *         TRENCH_ERR_NOTSUP  more than one chip, and how this generation
 *                            addresses another chip is not known;
 *         another code of trench_soc_create().
 */
TRENCH_API int trench_pod_create(const struct trench_pod_conf *conf,
                                 struct trench_pod **out);

/** Release the pod and its chips; NULL is allowed. */
TRENCH_API void trench_pod_destroy(struct trench_pod *pod);

/** Number of chips. */
TRENCH_API unsigned trench_pod_nr_chips(const struct trench_pod *pod);

/**
 * One of the chips; owned by the pod: it must not be destroyed alone.
 * @return NULL when there is no such chip.
 */
TRENCH_API struct trench_soc *trench_pod_soc(struct trench_pod *pod,
                                             unsigned chip);

/** trench_soc_reset() for all chips. */
TRENCH_API void trench_pod_reset(struct trench_pod *pod);

/**
 * Run posted work of all chips, as trench_soc_run() does for one.
 *
 * @param budget  Units to spend, in all; 0 = the budget of one access.
 * @return units spent; 0 means that nothing was runnable.
 */
TRENCH_API uint64_t trench_pod_run(struct trench_pod *pod, uint64_t budget);

/**
 * Let time pass on all chips, as trench_soc_advance() does on one; the work
 * that one call runs is bounded in all. What is due at the same clock acts in
 * the order of chips.
 */
TRENCH_API void trench_pod_advance(struct trench_pod *pod, uint64_t ns);

#ifdef __cplusplus
}
#endif

#endif /* TRENCH_POD_H */
