/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Names of the error causes of an engine: the bits of its secondary interrupt
 * groups (udma-engine 3.2 to 3.4). The names of group A up to bit 17 are those
 * of the fields of M2S.err_log_mask; the others follow their pattern.
 *
 * Constant data; safe from any thread.
 */
#ifndef TRENCH_CAUSE_H
#define TRENCH_CAUSE_H

#include <stdint.h>

#include <trench/error.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Secondary groups, by number. */
enum trench_cause_group {
    TRENCH_CAUSE_M2S,  /**< A: errors of M2S. */
    TRENCH_CAUSE_S2M,  /**< B: errors of S2M. */
    TRENCH_CAUSE_FIFO, /**< C: parity of the AXI FIFOs. */
    TRENCH_NR_CAUSE_GROUPS,
};

/**
 * The name of a cause bit.
 * @return a constant string; NULL when the group has no such bit.
 */
TRENCH_API const char *trench_cause_name(enum trench_cause_group group,
                                         unsigned bit);

/**
 * Find a cause by its name.
 * @return the bit, or TRENCH_ERR_NOENT.
 */
TRENCH_API int trench_cause_find(enum trench_cause_group group,
                                 const char *name);

#ifdef __cplusplus
}
#endif

#endif /* TRENCH_CAUSE_H */
