/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TRENCH_NCFW_HBM_H
#define TRENCH_NCFW_HBM_H

#include <trench/gen.h>

/* Whether a range lies in one HBM. */
bool ncfw_is_hbm(const struct trench_gen *gen, uint64_t addr, uint64_t len);

#endif /* TRENCH_NCFW_HBM_H */
