/* SPDX-License-Identifier: BSD-3-Clause */
/* Making chips parts of a pod. */
#ifndef TRENCH_DEV_POD_H
#define TRENCH_DEV_POD_H

#include <trench/soc.h>

#include "dev/channel.h"

/*
 * Become the next chip of a pod, which has room and outlives the chip. Only
 * for a chip that has done nothing yet.
 */
void soc_join(struct trench_soc *soc, struct pod *pod);

/* Budget and mode that the chip was made with. */
const struct pod *soc_alone(const struct trench_soc *soc);

#endif /* TRENCH_DEV_POD_H */
