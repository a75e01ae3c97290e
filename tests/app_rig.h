/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Packets for the application engines, laid by hand from common-blocks 3 as a
 * check that does not depend on the model's own names.
 */
#ifndef TRENCH_TESTS_APP_RIG_H
#define TRENCH_TESTS_APP_RIG_H

#include <trench/app.h>
#include <trench/compute.h>

#include "rig.h"

/* Base words of word 1. */
#define W_SPLIT     0x00800000u
#define W_TRANSPOSE 0x00900000u
#define W_REPLICATE 0x00A00000u
#define W_ADD       0x02000000u
#define W_FMA       0x02100000u
#define W_MAX       0x02200000u
#define W_MIN       0x02300000u
#define W_EXT       0x02400000u
#define W_GCE       0x02500000u
#define W_CME(op)   (0x01000000u | (uint32_t)(op) << 20)

#define W_SEED  0x06000000u
#define W_LIMIT 0x06000000u /* | op << 20 */

/* Block attributes of source i of n. */
static inline uint32_t w_block(unsigned i, unsigned n)
{
    return (i == 0 ? 2u : 0) | (i + 1 == n ? 1u : 0);
}

/* A META descriptor: words 0 (flags), 1, 2 and 3. */
static inline void app_meta(struct bench *b, uint32_t flags, uint32_t w1,
                            uint32_t w2, uint32_t w3)
{
    rig_desc(&b->rq, TX, (uint32_t[]){ flags | D_META, w1 },
             (uint64_t)w3 << 32 | w2);
}

static inline void app_buffer(struct bench *b, uint32_t flags, uint32_t w1,
                              uint64_t src, uint32_t len)
{
    rig_desc(&b->rq, TX, (uint32_t[]){ flags | (len & 0xFFFF), w1 }, src);
}

/* One packet of one buffer into one buffer. */
static inline void app_one(struct bench *b, uint32_t w1, uint32_t len,
                           uint32_t out)
{
    rig_rx(&b->rq, b->dst, out);
    app_buffer(b, D_ONE, w1, b->src, len);
    rig_bell(&b->rq, RX, 1);
    rig_bell(&b->rq, TX, 1);
}

static inline struct trench_app_stats app_stats(struct rig *r)
{
    struct trench_app_stats stats = { { 0 }, { 0 } };

    CHECK_EQ(trench_soc_app_stats(r->soc, ENGINE, &stats), 0, "stats");
    return stats;
}

/* The cause register of M2S errors, and its stream response error. */
static inline uint32_t app_causes(struct rig *r)
{
    return rig_read(r, ENGINE, SECONDARY(GROUP_A) + INT_CAUSE);
}
#define STREAM_RESPONSE (1u << 2)

/* The last packet was refused: the cause, no buffer used, the trigger. */
static inline void check_app_refused(struct bench *b, unsigned trigger,
                                     const char *what)
{
    struct trench_app_stats stats = app_stats(b->rig);

    CHECK_EQ(app_causes(b->rig), STREAM_RESPONSE, "%s", what);
    CHECK_EQ(rig_stats(b->rig, ENGINE).unsupported, 1, "%s", what);
    CHECK_PTR(&b->rq, RX, Q_CUR, 0, 1, "%s: no buffer used", what);
    CHECK_EQ(rig_stats(b->rig, ENGINE).rx_descs, 0, "%s", what);
    for (unsigned i = 0; i < TRENCH_NR_APP_TRIGGERS; i++) {
        CHECK_EQ(stats.triggers[i], i == trigger, "%s: trigger %s", what,
                 trench_app_trigger_name(i));
    }
}

#endif /* TRENCH_TESTS_APP_RIG_H */
