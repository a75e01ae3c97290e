/* SPDX-License-Identifier: BSD-3-Clause */
/* From the moves of a schedule to what the queues of one chip do. */
#ifndef TRENCH_COLL_LOWER_H
#define TRENCH_COLL_LOWER_H

#include <trench/coll_job.h>

/* The work of a chip: nr_parts times nr_pairs rows. */
struct lowered {
    struct trench_step_work *work;
    size_t nr_parts;
    size_t nr_pairs;
    struct trench_copy *copies;
    struct trench_reduce *reduces;
    uint64_t *srcs;
    size_t nr_copies;
    size_t nr_reduces;
    size_t nr_srcs;
    uint64_t bytes; /* that all of it writes */
};

/*
 * Parts of each schedule step: more than one where a queue would have more
 * descriptors than can be started at once. conf is complete: no field is 0
 * for a default.
 * @return 0, or TRENCH_ERR_NOSPC when some queue's are more than a ring has.
 */
int lower_parts(const struct trench_coll_job_conf *conf, size_t *parts);

/*
 * The work of a chip. @return 0 or TRENCH_ERR_NOMEM; lower_fini() is due in
 * both cases.
 */
int lower_chip(const struct trench_coll_job_conf *conf, unsigned chip,
               const size_t *parts, struct lowered *out);

void lower_fini(struct lowered *low);

#endif /* TRENCH_COLL_LOWER_H */
