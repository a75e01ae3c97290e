/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TRENCH_NCFW_REGS_H
#define TRENCH_NCFW_REGS_H

#include <trench/ncfw.h>

/* Whether q_sw_ctrl of a direction has a field on this generation. */
bool ncfw_has_field(const struct trench_gen *gen, enum trench_ncfw_dir dir,
                    const char *field);

#endif /* TRENCH_NCFW_REGS_H */
