/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Random register programs against a slow, obvious model of the interrupt
 * groups of one engine, and hostile ones with work in flight.
 *
 * TRENCH_SEED repeats one program; a failure prints it.
 */
#include <trench/soc.h>

#include "check.h"
#include "rig.h"

#define NR_GROUPS   36u
#define NR_PROGRAMS 400u
#define NR_STEPS    120u

/* ---- random numbers ------------------------------------------------------ */

static uint64_t rnd;

static uint32_t rnd32(void)
{
    rnd ^= rnd << 13;
    rnd ^= rnd >> 7;
    rnd ^= rnd << 17;
    return (uint32_t)(rnd >> 16);
}

static uint32_t below(uint32_t n)
{
    return rnd32() % n;
}

/* Few bits, many bits, all or none. */
static uint32_t rnd_word(void)
{
    switch (below(5)) {
    case 0:
        return 0;
    case 1:
        return 0xFFFFFFFF;
    case 2:
        return 1u << below(32);
    case 3:
        return ~(1u << below(32));
    default:
        return rnd32();
    }
}

static uint64_t first_seed(void)
{
    const char *text = getenv("TRENCH_SEED");

    return text ? strtoull(text, NULL, 0) : 0;
}

/* ---- the model ----------------------------------------------------------- */

enum {
    CLEAR_ON_READ = 1,
    AUTO_MASK = 2,
    AUTO_CLEAR = 4,
    POSEDGE = 8,
    MOD_RST = 0x10,
    MASK_MSI_X = 0x20,
    CONTROL_RW = 0x0FFF0FFF,
};

struct group {
    uint32_t cause, mask, status, control, abort, log;
    uint32_t open;   /* set and not masked, when last looked at */
    uint32_t sender; /* of it, what may send messages */
    uint32_t due;
};

/* Groups 0..3 primary, 4..7 secondary, 8 + 4g.. of AXI generator g. */
struct model {
    struct group g[NR_GROUPS];
    bool routed[4][32]; /* has an address in the message table */
    bool blocked;       /* abort_ctl.mask_local_abort */
    bool aborted;
    uint64_t risen[3];
    unsigned messages;
};

static void model_reset(struct model *m)
{
    memset(m, 0, sizeof(*m));
    for (unsigned n = 0; n < NR_GROUPS; n++) {
        m->g[n].mask = 0xFFFFFFFF;
        m->g[n].abort = 0xFFFFFFFF;
        m->g[n].log = 0xFFFFFFFF;
        m->g[n].control = 0x10000000;
    }
}

/* Who reports to bit b of group n: the first group of how many. */
static unsigned children(unsigned n, unsigned bit, unsigned *first)
{
    if (n == 0 && bit < 3) {
        *first = 1 + bit;
        return 1;
    }
    if (n == 3 && bit >= 8 && bit < 12) {
        *first = 4 + bit - 8;
        return 1;
    }
    if (n == 7 && bit < 7) {
        *first = 8 + 4 * bit;
        return 4;
    }
    return 0;
}

static int vector_of(unsigned n, unsigned bit)
{
    static const struct {
        unsigned first;
        uint32_t bits;
    } rows[8] = {
        { 9, 0x7 },          { 12, 0xFFFF },     { 28, 0xFFFF },
        { 44, 0x1F0F },      { 58, 0x0FFFFFFF }, { 87, 0xFFFFFFFF },
        { 119, 0x00000FFF }, { 131, 0x7F },
    };

    return n < 8 && (rows[n].bits >> bit & 1) ? (int)(rows[n].first + bit) : -1;
}

static void look_at_group(struct model *m, unsigned n)
{
    struct group *g = &m->g[n];
    uint32_t open, sender;

    for (unsigned bit = 0; bit < 32; bit++) {
        unsigned first = 0;
        unsigned nr = children(n, bit, &first);
        bool level = false;

        for (unsigned i = 0; i < nr; i++) {
            level = level || m->g[first + i].open;
        }
        if (level && !(g->status >> bit & 1)) {
            g->cause |= 1u << bit;
        }
        g->status = (g->status & ~(1u << bit)) | (uint32_t)level << bit;
        if (level && !(g->control & POSEDGE)) {
            g->cause |= 1u << bit;
        }
    }
    open = g->cause & ~g->mask;
    for (unsigned bit = 0; bit < 32; bit++) {
        int v = vector_of(n, bit);

        if (v >= 0 && ((open & ~g->open) >> bit & 1)) {
            m->risen[v / 64] |= UINT64_C(1) << v % 64;
        }
    }
    sender = g->control & MASK_MSI_X ? 0 : open;
    g->due = (g->due | (sender & ~g->sender)) & sender;
    g->sender = sender;
    g->open = open;
    if (n >= 4 && (g->cause & ~g->abort) && !m->blocked) {
        m->aborted = true;
    }
}

/* Everything, from the leaves to the root. */
static void look(struct model *m)
{
    for (unsigned n = 8; n < NR_GROUPS; n++) {
        look_at_group(m, n);
    }
    for (unsigned n = 4; n < 8; n++) {
        look_at_group(m, n);
    }
    for (unsigned n = 1; n < 4; n++) {
        look_at_group(m, n);
    }
    look_at_group(m, 0);
}

static bool send_first(struct model *m)
{
    for (unsigned n = 0; n < 4; n++) {
        struct group *g = &m->g[n];

        for (unsigned bit = 0; bit < 32; bit++) {
            if (!(g->due >> bit & 1)) {
                continue;
            }
            g->due &= ~(1u << bit);
            if (m->routed[n][bit]) {
                m->messages++;
                g->mask |= g->control & AUTO_MASK ? 1u << bit : 0;
                g->cause &= g->control & AUTO_CLEAR ? ~(1u << bit) : ~0u;
                look(m);
            }
            return true;
        }
    }
    return false;
}

static void settle(struct model *m)
{
    look(m);
    while (send_first(m)) {
    }
}

static void model_write(struct model *m, unsigned n, uint32_t reg, uint32_t val)
{
    struct group *g = &m->g[n];

    switch (reg) {
    case INT_CAUSE:
        g->cause &= val;
        break;
    case INT_CAUSE_SET:
        g->cause |= val;
        break;
    case INT_MASK:
        g->mask = val;
        break;
    case INT_MASK_CLEAR:
        g->mask &= val;
        break;
    case INT_CONTROL:
        g->control = (val & CONTROL_RW & ~(uint32_t)MOD_RST) | 0x10000000;
        break;
    case INT_ABORT_MASK:
        g->abort = val;
        break;
    case INT_LOG_MASK:
        g->log = val;
        break;
    default:
        break;
    }
    settle(m);
}

static uint32_t model_read(struct model *m, unsigned n, uint32_t reg)
{
    struct group *g = &m->g[n];
    uint32_t cause = g->cause;

    switch (reg) {
    case INT_CAUSE:
        if (g->control & CLEAR_ON_READ) {
            g->cause = 0;
            settle(m);
        }
        return cause;
    case INT_MASK:
        return g->mask;
    case INT_STATUS:
        return g->status;
    case INT_CONTROL:
        return g->control;
    case INT_ABORT_MASK:
        return g->abort;
    case INT_LOG_MASK:
        return g->log;
    default:
        return 0;
    }
}

/* ---- the chip beside it -------------------------------------------------- */

struct bed {
    struct rig rig;
    struct model model;
    uint64_t seed;
    unsigned step;
    uint64_t risen[3]; /* since the last step, by the callback */
};

static uint32_t group_base(unsigned n)
{
    static const uint32_t windows[] = { 0x0000, 0x2000, 0x2D00, 0x2E00, 0x2F00,
                                        0x3000, 0x3100, 0x3200, 0x3300 };

    return GEN + windows[n / 4] + 0x40 * (n % 4);
}

static void hear(void *opaque, unsigned engine, unsigned vector)
{
    struct bed *bed = opaque;

    CHECK_EQ(engine, ENGINE, "seed 0x%llx", ULL(bed->seed));
    CHECK_EQ(bed->risen[vector / 64] >> vector % 64 & 1, 0,
             "seed 0x%llx step %u: vector %u twice", ULL(bed->seed), bed->step,
             vector);
    bed->risen[vector / 64] |= UINT64_C(1) << vector % 64;
}

#define SAME(actual, expected, ...)                                            \
    do {                                                                       \
        char what_[64];                                                        \
                                                                               \
        snprintf(what_, sizeof(what_), __VA_ARGS__);                           \
        CHECK_EQ(actual, expected, "TRENCH_SEED=0x%llx step %u: %s",           \
                 ULL(bed->seed), bed->step, what_);                            \
    } while (0)

/* What can be seen without changing anything. */
static void compare(struct bed *bed)
{
    static const uint32_t regs[] = { INT_MASK, INT_STATUS, INT_CONTROL,
                                     INT_ABORT_MASK, INT_LOG_MASK };
    struct trench_soc_intr set;
    uint64_t want[3] = { 0 };

    for (unsigned n = 0; n < NR_GROUPS; n++) {
        for (size_t i = 0; i < ARRAY_LEN(regs); i++) {
            SAME(rig_read(&bed->rig, ENGINE, group_base(n) + regs[i]),
                 model_read(&bed->model, n, regs[i]), "group %u register 0x%x",
                 n, regs[i]);
        }
        for (unsigned bit = 0; bit < 32; bit++) {
            int v = vector_of(n, bit);

            if (v >= 0 && (bed->model.g[n].open >> bit & 1)) {
                want[v / 64] |= UINT64_C(1) << v % 64;
            }
        }
    }
    trench_soc_intr_pending(bed->rig.soc, ENGINE, &set);
    for (unsigned w = 0; w < 3; w++) {
        SAME(set.bits[w], want[w], "vectors %u", w);
        SAME(bed->risen[w], bed->model.risen[w], "rises %u", w);
        bed->risen[w] = 0;
        bed->model.risen[w] = 0;
    }
    SAME(rig_read(&bed->rig, ENGINE, STATE), bed->model.aborted ? 0x2222 : 0,
         "state");
    SAME(rig_stats(&bed->rig, ENGINE).messages, bed->model.messages,
         "messages");
}

static void do_route(struct bed *bed)
{
    unsigned n = below(4);
    unsigned bit = below(32);
    bool on = below(3) > 0;

    rig_write(&bed->rig, ENGINE, GEN + 0x1400 + 16 * (32 * n + bit),
              on ? 0x20000000 + 4 * below(1024) : 0);
    bed->model.routed[n][bit] = on;
}

static void do_step(struct bed *bed)
{
    /* Mostly where the tree is, and its leaves. */
    unsigned n = below(3) ? below(8) : below(NR_GROUPS);
    uint32_t reg = 8 * below(8);
    uint32_t val = rnd_word();

    switch (below(12)) {
    case 0:
        do_route(bed);
        break;
    case 1:
        val &= 1;
        rig_write(&bed->rig, ENGINE, GEN + 0x211C, val);
        bed->model.blocked = val;
        settle(&bed->model);
        break;
    case 2:
    case 3:
        SAME(rig_read(&bed->rig, ENGINE, group_base(n) + reg),
             model_read(&bed->model, n, reg), "read group %u register 0x%x", n,
             reg);
        break;
    default:
        /* Abort ends the fun, so it is rare. */
        if (reg == INT_ABORT_MASK && below(8)) {
            reg = INT_CAUSE_SET;
        }
        rig_write(&bed->rig, ENGINE, group_base(n) + reg, val);
        model_write(&bed->model, n, reg, val);
        break;
    }
}

static void bed_open(struct bed *bed, bool stepped)
{
    struct trench_soc_conf conf = { .intr = hear,
                                    .intr_opaque = bed,
                                    .stepped = stepped };

    memset(bed, 0, sizeof(*bed));
    rig_open(&bed->rig, &conf);
}

static void test_oracle_groups(void **state)
{
    struct bed *bed = calloc(1, sizeof(*bed));
    unsigned programs = first_seed() ? 1 : NR_PROGRAMS;
    unsigned messages = 0;
    unsigned aborts = 0;

    (void)state;
    assert_non_null(bed);
    bed_open(bed, false);
    rnd = first_seed() ? first_seed() : 0x9E3779B97F4A7C15;
    for (unsigned p = 0; p < programs; p++) {
        bed->seed = rnd;
        trench_soc_reset(bed->rig.soc);
        model_reset(&bed->model);
        for (unsigned i = 0; i < 64; i++) {
            do_route(bed);
        }
        for (bed->step = 0; bed->step < NR_STEPS; bed->step++) {
            do_step(bed);
            compare(bed);
        }
        messages += bed->model.messages;
        aborts += bed->model.aborted;
    }
    if (!first_seed()) {
        CHECK_EQ(messages > 1000, true, "%u messages", messages);
        CHECK_EQ(aborts > 10 && aborts < programs, true, "%u aborts", aborts);
    }
    rig_close(&bed->rig);
    free(bed);
}

/* ---- hostile ------------------------------------------------------------- */

/*
 * Any word of the interrupt windows, mailboxes, timer and the rest of
 * udma_gen, in any order, on two engines with work in flight. Every access
 * ends, and what is left is a chip that a reset makes whole.
 */
static void hostile_access(struct rig *r, struct bench *b)
{
    static const uint32_t places[] = { 0x0000, 0x0400, 0x1400, 0x2000, 0x2100,
                                       0x2200, 0x2D00, 0x3300, 0x3420, 0x3460 };
    uint32_t off = below(4) ? places[below(ARRAY_LEN(places))] + 4 * below(64)
                            : 4 * below(0x1000);
    unsigned engine = ENGINE ^ below(2);

    switch (below(8)) {
    case 0:
        rig_read(r, engine, GEN + off);
        break;
    case 1:
        trench_soc_advance(r->soc, below(1000));
        break;
    case 2:
        rig_rx(&b->rq, b->dst, 64);
        rig_bell(&b->rq, RX, 1);
        rig_tx(&b->rq, D_ONE | D_INT_EN, b->src, 64);
        rig_bell(&b->rq, TX, 1);
        break;
    case 3: /* messages into registers, of both engines */
        off = 0x1400 + 16 * below(128);
        rig_write(r, engine, GEN + off,
                  (uint32_t)rig_engine_base(ENGINE ^ below(2)) + GEN +
                      4 * below(0x1000));
        rig_write(r, engine, GEN + off + 4,
                  (uint32_t)(rig_engine_base(ENGINE) >> 32));
        rig_write(r, engine, GEN + off + 8, rnd_word());
        break;
    default:
        rig_write(r, engine, GEN + off, rnd_word());
        break;
    }
}

/* What holds at any time: nothing is shown that is not set and open. */
static void check_invariants(struct rig *r, uint64_t seed)
{
    struct trench_soc_intr set;

    for (unsigned e = ENGINE & ~1u; e <= (ENGINE | 1u); e++) {
        int count = trench_soc_intr_pending(r->soc, e, &set);
        int want = 0;

        for (unsigned n = 0; n < NR_GROUPS; n++) {
            uint32_t base = group_base(n);
            uint32_t mask = rig_read(r, e, base + INT_MASK);
            uint32_t open;

            rig_write(r, e, base + INT_CONTROL, 0);
            open = rig_read(r, e, base + INT_CAUSE) & ~mask;
            for (unsigned bit = 0; bit < 32; bit++) {
                want += vector_of(n, bit) >= 0 && (open >> bit & 1);
            }
        }
        count = trench_soc_intr_pending(r->soc, e, &set);
        CHECK_EQ(count, want, "seed 0x%llx engine %u", ULL(seed), e);
    }
}

static void test_oracle_hostile(void **state)
{
    struct trench_soc_conf conf = { .budget = 256 };
    struct rig r = { 0 };

    (void)state;
    rig_open(&r, &conf);
    rnd = first_seed() ? first_seed() : 0xD1B54A32D192ED03;
    for (unsigned p = 0; p < 300; p++) {
        uint64_t seed = rnd;
        struct bench b;

        bench_open(&b, &r, 64);
        for (unsigned i = 0; i < 150; i++) {
            hostile_access(&r, &b);
        }
        /* Let messages end before looking. */
        for (unsigned n = 0; n < 8; n++) {
            rig_write(&r, ENGINE, group_base(n % 4) + INT_MASK, 0xFFFFFFFF);
            rig_write(&r, ENGINE ^ 1, group_base(n % 4) + INT_MASK, 0xFFFFFFFF);
            trench_soc_run(r.soc, 0);
        }
        check_invariants(&r, seed);
        bench_open(&b, &r, 8);
        rig_copy(&b.rq, b.dst, b.src, 64);
        CHECK_COPY(&r, b.dst, b.src, 64, "seed 0x%llx: whole again", ULL(seed));
    }
    rig_close(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_oracle_groups),
        cmocka_unit_test(test_oracle_hostile),
    };

    return cmocka_run_group_tests_name("intr_oracle", tests, NULL, NULL);
}
