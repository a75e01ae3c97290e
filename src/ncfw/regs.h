/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TRENCH_NCFW_REGS_H
#define TRENCH_NCFW_REGS_H

#include <trench/ncfw.h>

/* Whether q_sw_ctrl of a direction has a field on this generation. */
bool ncfw_has_field(const struct trench_gen *gen, enum trench_ncfw_dir dir,
                    const char *field);

/*
 * Address of another register of the same queue and direction, which the
 * generation is known to have.
 */
uint64_t ncfw_beside(uint64_t addr, enum trench_ncfw_dir dir,
                     enum trench_ncfw_reg from, enum trench_ncfw_reg to);

/* The words that re-arm the two queues of a pair. */
struct ncfw_rearm {
    bool none;
    uint32_t val[TRENCH_NCFW_NR_DIRS];
};

/* They are the same for all pairs. @return 0; TRENCH_ERR_INVAL. */
int ncfw_rearm_init(struct ncfw_rearm *out, const struct trench_gen *gen,
                    enum trench_ncfw_rearm rearm);

/* trench_ncfw_rearm_writes() with words that are known. */
int ncfw_rearm_writes(const struct trench_gen *gen,
                      const struct trench_ncfw_channel *channel,
                      const struct ncfw_rearm *rearm,
                      struct trench_ncfw_write *out);

#endif /* TRENCH_NCFW_REGS_H */
