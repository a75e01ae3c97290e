/* SPDX-License-Identifier: BSD-3-Clause */
/* Moving the bytes that one M2S and one S2M descriptor have in common. */
#ifndef TRENCH_MOVE_H
#define TRENCH_MOVE_H

#include "dev/section.h"

/* One run: what both descriptors cover. */
struct run {
    const struct desc *tx; /* its bytes, or ... */
    const uint8_t *from;   /* those that an engine has made of a packet */
    const struct target *to;
    uint32_t n;
    uint64_t src; /* bus addresses, found by the move */
    uint64_t dst;
};

/*
 * Make a run of a queue that is not plain, or whose ends are not both in
 * memory. Nothing moves unless both ends take all of it. Returns the answer,
 * 0 = moved; *at is the master that got it.
 */
unsigned move_special(struct channel *ch, unsigned q, struct run *run,
                      enum trench_axi_master *at);

#endif /* TRENCH_MOVE_H */
