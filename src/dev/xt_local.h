/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Sequencers: instruction RAM, data RAM and local registers of each, and the
 * agent behind the fill mailbox, glr[9..12] of the local registers (seed 003
 * 3a, iram-cache-idma 3.2).
 *
 * The agent is not known; this one waits for a write to glr[9], takes the
 * words of glr[10..12], moves one cache block, and clears glr[9].
 */
#ifndef TRENCH_XT_LOCAL_H
#define TRENCH_XT_LOCAL_H

#include <trench/soc.h>

#include "csr/regfile.h"
#include "dev/channel.h"

/* Words of a fill, latched at the kick: glr[10], glr[11], glr[12]. */
#define XT_LOCAL_WORDS 3

struct xt_local {
    struct regfile rf;
    struct xt_local_set *set;
    uint64_t iram; /* bus address */
    uint32_t initiator;
    bool busy;
    uint32_t
        polls_left; /* reads of glr[9] that see the fill, then it is done */
    uint32_t words[XT_LOCAL_WORDS];
};

struct xt_local_set {
    struct chip *chip; /* borrowed: generation, log, guest errors */
    struct trench_bus *bus;
    struct regfile_class cls;
    enum trench_mailbox_words words;
    uint32_t polls;
    uint32_t iram_bytes;
    struct xt_local *seqs; /* by core, then by sequencer */
    size_t nr_seqs;
    uint32_t *values;
};

bool xt_local_conf_ok(const struct trench_soc_conf *conf);

/* Returns 0, TRENCH_ERR_NODEV or TRENCH_ERR_NOMEM; xt_local_fini() is due. */
int xt_local_build(struct xt_local_set *set, struct chip *chip,
                   struct trench_bus *bus, const struct trench_soc_conf *conf);
void xt_local_fini(struct xt_local_set *set);
void xt_local_reset(struct xt_local_set *set);
void xt_local_reset_core(struct xt_local_set *set, unsigned core);

/* What the sequencers of a generation put on the bus: count, base, mapping. */
size_t xt_local_parts(const struct trench_gen *gen);
uint64_t xt_local_part_base(const struct trench_gen *gen, unsigned part);
int xt_local_place(struct xt_local_set *set, unsigned part);

#endif /* TRENCH_XT_LOCAL_H */
