/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TRENCH_NCFW_REGS_H
#define TRENCH_NCFW_REGS_H

#include <trench/ncfw.h>

/* Whether q_sw_ctrl of a direction has a field on this generation. */
bool ncfw_has_field(const struct trench_gen *gen, enum trench_ncfw_dir dir,
                    const char *field);

/*
 * Offset in a region of a register that may be broadcast: what
 * trench_ncfw_bcast_addr() adds to the region. Errors are the same.
 */
int ncfw_bcast_offset(const struct trench_gen *gen,
                      const struct trench_ncfw_where *where, uint32_t *out);

/*
 * Address of another register of the same queue and direction, which the
 * generation is known to have.
 */
uint64_t ncfw_beside(uint64_t addr, enum trench_ncfw_dir dir,
                     enum trench_ncfw_reg from, enum trench_ncfw_reg to);

/*
 * Offsets of the registers of one queue in an engine; {0} knows none yet. Pairs
 * of the same queue one after the other look each register up once.
 */
struct ncfw_memo {
    unsigned queue;
    uint32_t offset[TRENCH_NCFW_NR_DIRS][TRENCH_NCFW_NR_REGS]; /* 0 = unknown */
};

/* trench_ncfw_unicast() with what the memo knows. */
int ncfw_unicast(const struct trench_gen *gen, struct ncfw_memo *memo,
                 unsigned engine, const struct trench_ncfw_where *where,
                 uint64_t *out);

/* The words that re-arm the two queues of a pair. */
struct ncfw_rearm {
    bool none;
    uint32_t val[TRENCH_NCFW_NR_DIRS];
};

/* They are the same for all pairs. @return 0; TRENCH_ERR_INVAL. */
int ncfw_rearm_init(struct ncfw_rearm *out, const struct trench_gen *gen,
                    enum trench_ncfw_rearm rearm);

/* trench_ncfw_ring_writes() with a memo. */
int ncfw_ring_writes(const struct trench_gen *gen, struct ncfw_memo *memo,
                     const struct trench_ncfw_channel *channel,
                     struct trench_ncfw_write *out);

/* trench_ncfw_rearm_writes() with a memo, and words that are known. */
int ncfw_rearm_writes(const struct trench_gen *gen, struct ncfw_memo *memo,
                      const struct trench_ncfw_channel *channel,
                      const struct ncfw_rearm *rearm,
                      struct trench_ncfw_write *out);

#endif /* TRENCH_NCFW_REGS_H */
