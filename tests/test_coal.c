/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Completions, gathered or not. udma-engine 1 and 2 (comp_cfg, cfg_coal,
 * comp_cfg_2, desc_wr_cfg_1, cfg_1c, cfg_2c, sel_comp_fifo_status), B45 to
 * B49; hardware.md H9, H110 to H114.
 */
#include <trench/soc.h>

#include "check.h"
#include "rig.h"

/* comp_cfg */
#define RING   1u
#define NO_MIX 2u /* dis_comp_coal */

/* cfg: force_full_line, cmpl_force_full_line */
#define FULL_LINE 0x80000000u

#define BEATS(n)     ((uint32_t)(n) << 16 | 8)
#define TIMER        100000u
#define COMP_BYTES   (RING_LEN * 16u)
#define RING_LEN     64u
#define CLOCK(b, ns) trench_soc_advance((b)->rig->soc, ns)

static const char *const names[] = { "TX", "RX" };

static uint32_t entry_bytes(enum side side)
{
    return side == TX ? 4 : 16;
}

/* A queue whose completions of one side are gathered, groups of nr. */
static uint64_t open_gathering(struct bench *b, void **state, enum side side,
                               uint32_t nr)
{
    uint64_t ring;

    bench_open(b, *state, RING_LEN);
    ring = bench_completions(b, side);
    rig_write(b->rig, ENGINE, (side == TX ? 0 : S2M) + DESC_WR_CFG_1,
              BEATS(nr * entry_bytes(side) / 16));
    rig_q_set(&b->rq, side, comp_cfg(side), RING);
    return ring;
}

static void copies(struct bench *b, unsigned nr)
{
    for (unsigned i = 0; i < nr; i++) {
        rig_copy(&b->rq, b->dst, b->src, 64);
    }
}

/* Both heads of a side, as lengths since RST_Q in the first lap. */
static void check_heads(struct bench *b, enum side side, unsigned seen,
                        unsigned done)
{
    CHECK_PTR(&b->rq, side, Q_COMP_HEAD, seen, 1, "%s", names[side]);
    CHECK_PTR(&b->rq, side, Q_COMP_INTERNAL, done, 1, "%s", names[side]);
}

/* Slots up to nr hold completions of lap 1, the one after is untouched. */
static void check_written(struct bench *b, enum side side, uint64_t ring,
                          unsigned nr)
{
    for (unsigned i = 0; i <= nr; i++) {
        uint32_t want = D_LAP(1) | D_ONE | (side == RX ? C_BUF1 : 0);

        CHECK_EQ(rig_word(b->rig, ring + (uint64_t)i * entry_bytes(side)),
                 i < nr ? want : 0, "%s slot %u of %u", names[side], i, nr);
    }
}

/* ---- who gathers -------------------------------------------------------- */

/* Reset words, and what the kernel driver makes of them (5.8.2): no ring. */
static void test_coal_defaults(void **state)
{
    struct bench b;
    uint64_t ring;

    bench_open(&b, *state, RING_LEN);
    CHECK_EQ(rig_read(b.rig, ENGINE, M2S_COAL), TIMER, "cfg_coal");
    CHECK_EQ(rig_q(&b.rq, RX, RXQ_COAL), TIMER, "comp_cfg_2");
    CHECK_EQ(rig_read(b.rig, ENGINE, q_off(RX, 9, RXQ_COMP_CFG)), 0xF,
             "S2M does not gather");
    copies(&b, 3); /* comp_cfg 0 on both sides */
    check_heads(&b, TX, 3, 3);
    check_heads(&b, RX, 3, 3);
    ring = rig_alloc(b.rig, COMP_BYTES); /* S2M as after reset */
    rig_q_set(&b.rq, RX, Q_COMP_LO, (uint32_t)ring);
    rig_q_set(&b.rq, RX, Q_COMP_HI, (uint32_t)(ring >> 32));
    rig_q_set(&b.rq, RX, RXQ_COMP_CFG, 0xF);
    copies(&b, 1);
    check_heads(&b, RX, 4, 4);
}

/* S2M's min_AXI_beats resets to 0: a group of one, whatever comp_cfg says. */
static void test_coal_s2m_without_a_smallest_burst(void **state)
{
    struct bench b;
    uint64_t ring;

    bench_open(&b, *state, RING_LEN);
    ring = bench_completions(&b, RX);
    rig_q_set(&b.rq, RX, RXQ_COMP_CFG, RING);
    copies(&b, 2);
    check_heads(&b, RX, 2, 2);
    check_written(&b, RX, ring, 2);
}

/* B47, H110: M2S at its reset burst of 4 beats, 16 completions of 4 bytes. */
static void test_coal_m2s_reset_burst(void **state)
{
    struct bench b;
    uint64_t ring;

    bench_open(&b, *state, RING_LEN);
    ring = bench_completions(&b, TX);
    rig_q_set(&b.rq, TX, TXQ_COMP_CFG, RING);
    copies(&b, 15);
    check_heads(&b, TX, 0, 15);
    check_written(&b, TX, ring, 0);
    copies(&b, 1);
    check_heads(&b, TX, 16, 16);
    check_written(&b, TX, ring, 16);
    copies(&b, 1);
    check_heads(&b, TX, 16, 17);
}

/* B47: the timer lets out what there is; counted from the oldest. */
static void test_coal_timer(void **state)
{
    struct bench b;

    for (enum side side = TX; side <= RX; side++) {
        uint64_t ring = open_gathering(&b, state, side, 8);

        copies(&b, 2);
        CLOCK(&b, TIMER - 1);
        copies(&b, 1);
        check_heads(&b, side, 0, 3);
        check_written(&b, side, ring, 0);
        CLOCK(&b, 1);
        check_heads(&b, side, 3, 3);
        check_written(&b, side, ring, 3);
        copies(&b, 1);
        CLOCK(&b, TIMER - 1);
        check_heads(&b, side, 3, 4);
        CLOCK(&b, UINT64_MAX);
        check_heads(&b, side, 4, 4);
        CHECK_EQ(
            rig_read(b.rig, ENGINE, side == TX ? M2S_COMP_DESC : S2M_COMP_DESC),
            4, "%s", names[side]);
    }
}

/* The timer is one for all queues of M2S, and one a queue of S2M. */
static void test_coal_timer_set_under_a_wait(void **state)
{
    struct bench b;

    for (enum side side = TX; side <= RX; side++) {
        open_gathering(&b, state, side, 8);
        copies(&b, 1);
        CLOCK(&b, 500);
        if (side == TX) {
            rig_write(b.rig, ENGINE, M2S_COAL, 501);
        } else {
            rig_q_set(&b.rq, RX, RXQ_COAL, 501);
        }
        check_heads(&b, side, 0, 1);
        CLOCK(&b, 1);
        check_heads(&b, side, 1, 1);
        copies(&b, 1);
        CLOCK(&b, 500);
        if (side == TX) {
            rig_write(b.rig, ENGINE, M2S_COAL, 0);
        } else {
            rig_q_set(&b.rq, RX, RXQ_COAL, 0);
        }
        CLOCK(&b, 0);
        check_heads(&b, side, 2, 2);
        copies(&b, 1);
        check_heads(&b, side, 3, 3); /* a timer of 0 does not wait */
    }
}

/* B49, H111: the interrupt comes with the completion, not before. */
static void test_coal_interrupt(void **state)
{
    struct bench b;

    for (enum side side = TX; side <= RX; side++) {
        uint32_t cause = PRIMARY(side == TX ? GROUP_C : GROUP_B) + INT_CAUSE;

        open_gathering(&b, state, side, 8);
        rig_desc(&b.rq, RX, (uint32_t[]){ D_INT_EN | 64, 0 }, b.dst);
        rig_tx(&b.rq, D_ONE | D_INT_EN, b.src, 64);
        rig_bell(&b.rq, RX, 1);
        rig_bell(&b.rq, TX, 1);
        CHECK_EQ(rig_read(b.rig, ENGINE, cause), 0, "%s", names[side]);
        copies(&b, 1);
        CLOCK(&b, TIMER);
        CHECK_EQ(rig_read(b.rig, ENGINE, cause), 1u << QUEUE, "%s",
                 names[side]);
    }
}

/* ---- limits ------------------------------------------------------------- */

/* H110: the FIFO lets go when it is full, however long the burst. */
static void test_coal_fifo_depth(void **state)
{
    static const struct {
        enum side side;
        uint32_t reg, val;
        unsigned nr;
    } rows[] = {
        { TX, M2S_COMP_CFG_1C, 0x01010005, 5 },
        { TX, M2S_COMP_CFG_1C, 0x01010000, 1 },
        { TX, M2S_COMP_CFG_1C, 0x01010040, 60 },
        { RX, S2M_COMP_CFG_2C, 0x00800080, 32 },
        { RX, S2M_COMP_CFG_2C, 0x0080000B, 2 },
        { RX, S2M_COMP_CFG_2C, 0x00800000, 1 },
        { RX, S2M_COMP_CFG_2C, 0x00800FFF, 60 },
    };
    struct bench b;

    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        open_gathering(&b, state, rows[i].side, 60);
        rig_write(b.rig, ENGINE, rows[i].reg, rows[i].val);
        copies(&b, rows[i].nr - 1);
        check_heads(&b, rows[i].side, 0, rows[i].nr - 1);
        copies(&b, 1);
        check_heads(&b, rows[i].side, rows[i].nr, rows[i].nr);
    }
}

/* cfg_1c.desc_size makes S2M's entries, 0 words included. */
static void test_coal_entry_sizes(void **state)
{
    struct bench b;

    for (uint32_t words = 0; words < 16; words++) {
        unsigned nr = words ? (64 + 4 * words - 1) / (4 * words) : 1;

        open_gathering(&b, state, RX, 4); /* 64 bytes */
        rig_write(b.rig, ENGINE, S2M_COMP_CFG_1C, 0x1000 | words);
        copies(&b, nr - 1);
        check_heads(&b, RX, 0, nr - 1);
        copies(&b, 1);
        check_heads(&b, RX, nr, nr);
    }
}

/* sel_comp_fifo_status. */
static void test_coal_fifo_status(void **state)
{
    struct bench b;

    open_gathering(&b, state, TX, 16);
    rig_write(b.rig, ENGINE, M2S_INDIRECT, QUEUE);
    CHECK_EQ(rig_read(b.rig, ENGINE, M2S_SEL_COMP), 1u << 24, "empty");
    copies(&b, 3);
    CHECK_EQ(rig_read(b.rig, ENGINE, M2S_SEL_COMP), 3, "three");
    rig_write(b.rig, ENGINE, M2S_COMP_CFG_1C, 0x01010003);
    CHECK_EQ(rig_read(b.rig, ENGINE, M2S_SEL_COMP), 1u << 28 | 3, "full");
    CHECK_EQ(rig_read(b.rig, ENGINE, STATE), 0x1111, "not idle");
    CLOCK(&b, TIMER);
    CHECK_EQ(rig_read(b.rig, ENGINE, STATE), 0, "idle");
    open_gathering(&b, state, RX, 16);
    rig_write(b.rig, ENGINE, S2M_INDIRECT, QUEUE);
    CHECK_EQ(rig_read(b.rig, ENGINE, S2M_SEL_COMP), 1u << 24, "empty");
    copies(&b, 3);
    CHECK_EQ(rig_read(b.rig, ENGINE, S2M_SEL_COMP), 1u << 20 | 3, "three");
    rig_write(b.rig, ENGINE, S2M_COMP_CFG_1C, 0x1104);
    CHECK_EQ(rig_read(b.rig, ENGINE, S2M_SEL_COMP), 1u << 20 | 12, "words");
}

/* ---- switches and resets ------------------------------------------------ */

/* Setting dis_comp_coal writes out what is held. */
static void test_coal_switched_off(void **state)
{
    struct bench b;

    for (enum side side = TX; side <= RX; side++) {
        uint64_t ring = open_gathering(&b, state, side, 8);

        copies(&b, 3);
        rig_q_set(&b.rq, side, comp_cfg(side), RING);
        check_heads(&b, side, 0, 3);
        rig_q_set(&b.rq, side, comp_cfg(side), RING | NO_MIX);
        check_heads(&b, side, 3, 3);
        check_written(&b, side, ring, 3);
    }
}

/* Without a ring the heads move (B46), and nothing is written any more. */
static void test_coal_ring_switched_off(void **state)
{
    struct bench b;

    for (enum side side = TX; side <= RX; side++) {
        uint64_t ring = open_gathering(&b, state, side, 8);

        copies(&b, 3);
        rig_q_set(&b.rq, side, comp_cfg(side), 0);
        check_heads(&b, side, 3, 3);
        check_written(&b, side, ring, 0);
    }
}

/* H113: where and how large an entry is counts when it is written. */
static void test_coal_goes_where_the_ring_is(void **state)
{
    uint64_t moved;
    struct bench b;

    for (enum side side = TX; side <= RX; side++) {
        uint64_t ring = open_gathering(&b, state, side, 8);

        moved = rig_alloc(b.rig, 4096);
        copies(&b, 3);
        rig_q_set(&b.rq, side, Q_COMP_LO, (uint32_t)moved);
        if (side == RX) {
            rig_write(b.rig, ENGINE, S2M_COMP_CFG_1C, 0x1002);
        }
        CLOCK(&b, TIMER);
        check_written(&b, side, ring, 0);
        for (unsigned i = 0; i < 3; i++) {
            uint64_t at = moved + (uint64_t)i * (side == TX ? 4 : 8);

            CHECK_EQ(rig_word(b.rig, at) >> 24 & 3, 1, "%s %u", names[side], i);
        }
    }
}

/* RST_Q drops them; S2M's rst_prefetch does not. */
static void test_coal_resets(void **state)
{
    struct bench b;
    uint64_t ring;

    for (enum side side = TX; side <= RX; side++) {
        ring = open_gathering(&b, state, side, 8);
        copies(&b, 3);
        rig_q_set(&b.rq, side, sw_ctrl(side), RST_Q);
        check_heads(&b, side, 0, 0);
        CLOCK(&b, UINT64_MAX);
        check_heads(&b, side, 0, 0);
        check_written(&b, side, ring, 0);
    }
    ring = open_gathering(&b, state, RX, 8);
    copies(&b, 3);
    rig_q_set(&b.rq, RX, RXQ_SW_CTRL, 0x10);
    check_heads(&b, RX, 3, 3);
    check_written(&b, RX, ring, 3);
}

/* B7: an abort freezes completion; B6: a stop lets it finish. */
static void test_coal_stopped(void **state)
{
    struct bench b;

    for (enum side side = TX; side <= RX; side++) {
        uint32_t change = (side == TX ? 0 : S2M) + CHANGE_STATE;
        uint64_t ring = open_gathering(&b, state, side, 8);

        copies(&b, 3);
        CLOCK(&b, 10);
        rig_write(b.rig, ENGINE, change, CMD_ABORT);
        CLOCK(&b, UINT64_MAX);
        check_heads(&b, side, 0, 3);
        rig_q_set(&b.rq, side, comp_cfg(side), RING | NO_MIX);
        check_heads(&b, side, 0, 3);
        rig_q_set(&b.rq, side, comp_cfg(side), RING);
        rig_write(b.rig, ENGINE, change, CMD_DISABLE);
        CLOCK(&b, TIMER - 11);
        check_heads(&b, side, 0, 3);
        CLOCK(&b, 1);
        check_heads(&b, side, 3, 3);
        check_written(&b, side, ring, 3);

        open_gathering(&b, state, side, 8);
        copies(&b, 3);
        rig_write(b.rig, ENGINE, change, CMD_ABORT);
        rig_q_set(&b.rq, side, comp_cfg(side), RING | NO_MIX);
        rig_write(b.rig, ENGINE, change, CMD_NORMAL);
        check_heads(&b, side, 3, 3);
    }
}

/* ---- full lines --------------------------------------------------------- */

/* B48: a line's other slots take the tag of the lap before. */
static void test_coal_full_lines(void **state)
{
    struct bench b;

    for (enum side side = TX; side <= RX; side++) {
        for (uint32_t gather = 0; gather < 2; gather++) {
            uint64_t ring = open_gathering(&b, state, side, 4);
            unsigned line = 64 / entry_bytes(side);
            unsigned bytes = entry_bytes(side);

            memset(rig_mem(b.rig, ring, 256), 0xEE, 256);
            rig_q_set(&b.rq, side, comp_cfg(side),
                      gather ? RING : RING | NO_MIX);
            rig_q_set(&b.rq, side, Q_CFG, Q_CFG_ENABLED | FULL_LINE);
            copies(&b, 1);
            if (gather) {
                CHECK_EQ(rig_word(b.rig, ring), 0xEEEEEEEE, "not yet");
                CLOCK(&b, TIMER);
            }
            CHECK_EQ(rig_word(b.rig, ring) >> 24 & 3, 1, "new");
            for (unsigned i = 1; i < line; i++) {
                CHECK_EQ(rig_word(b.rig, ring + (uint64_t)i * bytes), 0,
                         "%s slot %u: lap 0", names[side], i);
            }
            CHECK_EQ(rig_word(b.rig, ring + 64), 0xEEEEEEEE, "next line");
            copies(&b, line - 1);
            CLOCK(&b, TIMER);
            CHECK_EQ(rig_word(b.rig, ring + 64), 0xEEEEEEEE, "%s full",
                     names[side]);
            copies(&b, RING_LEN - line + 1); /* lap 2 begins */
            CLOCK(&b, TIMER);
            CHECK_EQ(rig_word(b.rig, ring) >> 24 & 3, 2, "second lap");
            CHECK_EQ(rig_word(b.rig, ring + bytes), D_LAP(1), "padding");
        }
    }
}

/* Padding ends with the ring, and with the memory that there is. */
static void test_coal_full_lines_at_the_end(void **state)
{
    struct bench b;
    uint64_t ring;

    bench_open(&b, *state, 24);
    ring = bench_completions(&b, TX);
    memset(rig_mem(b.rig, ring, 256), 0xEE, 256);
    rig_q_set(&b.rq, TX, Q_CFG, Q_CFG_ENABLED | FULL_LINE);
    copies(&b, 17);
    CHECK_EQ(rig_word(b.rig, ring + 23 * 4), 0, "the last slot");
    CHECK_EQ(rig_word(b.rig, ring + 24 * 4), 0xEEEEEEEE, "behind the ring");
    rig_q_set(&b.rq, TX, Q_COMP_LO, (uint32_t)(HBM_BYTES - 128));
    rig_q_set(&b.rq, TX, Q_COMP_HI, (uint32_t)((HBM_BYTES - 128) >> 32));
    copies(&b, 1);
    CHECK_EQ(rig_read(b.rig, ENGINE, SECONDARY(GROUP_A) + INT_CAUSE), 0,
             "the line ends with the memory");
    rig_q_set(&b.rq, TX, Q_COMP_LO, (uint32_t)(HBM_BYTES - 64));
    copies(&b, 1);
    CHECK_EQ(rig_read(b.rig, ENGINE, SECONDARY(GROUP_A) + INT_CAUSE), 1u << 5,
             "no memory");
}

/* ---- errors and worse --------------------------------------------------- */

/* A refused write aborts in the middle of a group: the rest comes later. */
static void test_coal_refused(void **state)
{
    struct bench b;

    for (enum side side = TX; side <= RX; side++) {
        uint32_t group = SECONDARY(side == TX ? GROUP_A : GROUP_B);
        uint32_t change = CHANGE_STATE;

        open_gathering(&b, state, side, 16);
        rig_q_set(&b.rq, side, Q_COMP_HI, (uint32_t)(UNMAPPED >> 32));
        rig_write(b.rig, ENGINE, group + INT_ABORT_MASK, 0);
        copies(&b, 3);
        CLOCK(&b, TIMER);
        CHECK_EQ(rig_read(b.rig, ENGINE, STATE), 0x2222, "%s", names[side]);
        check_heads(&b, side, 1, 3);
        CLOCK(&b, UINT64_MAX);
        check_heads(&b, side, 1, 3);
        rig_write(b.rig, ENGINE, group + INT_CAUSE, 0);
        rig_write(b.rig, ENGINE, group + INT_ABORT_MASK, ~0u);
        rig_write(b.rig, ENGINE, change, CMD_NORMAL);
        rig_write(b.rig, ENGINE, S2M + change, CMD_NORMAL);
        CLOCK(&b, TIMER);
        check_heads(&b, side, 3, 3);
    }
}

/*
 * The ring lies over the registers of its own queue, so that what is written
 * out switches, resets and fills as it goes. It ends, and a program of the
 * queue starts it anew.
 */
static void test_coal_into_own_registers(void **state)
{
    struct bench b;

    for (enum side side = TX; side <= RX; side++) {
        for (uint32_t at = 0; at < 0xF0; at += 4) {
            uint64_t bank = rig_engine_base(ENGINE) + q_off(side, QUEUE, at);

            open_gathering(&b, state, side, 16);
            rig_q_set(&b.rq, side, Q_COMP_LO, (uint32_t)bank);
            rig_q_set(&b.rq, side, Q_COMP_HI, (uint32_t)(bank >> 32));
            copies(&b, 7);
            CLOCK(&b, TIMER);
            rig_q_set(&b.rq, side, comp_cfg(side), RING | NO_MIX);
            CLOCK(&b, TIMER);
            rig_reset(b.rig);
            bench_open(&b, *state, RING_LEN);
            copies(&b, 1);
            CHECK_COPY(b.rig, b.dst, b.src, 64, "%s 0x%x", names[side], at);
        }
    }
}

/* ---- the oracle --------------------------------------------------------- */

/* One side of one queue, a clock at a time. */
struct slow {
    bool ring, mix;
    uint32_t timer, group;
    uint32_t held, seen; /* completions held, and let out */
    uint64_t age;
};

static void slow_out(struct slow *s)
{
    s->seen += s->held;
    s->held = 0;
}

static void slow_settle(struct slow *s)
{
    if (s->held && (!s->mix || !s->ring || s->age >= s->timer)) {
        slow_out(s);
    }
}

static void slow_done(struct slow *s)
{
    s->age = s->held ? s->age : 0;
    s->held++;
    if (!s->mix || !s->ring || s->timer == 0 || s->held >= s->group) {
        slow_out(s);
    }
}

static uint32_t slow_head(uint32_t n)
{
    return n % RING_LEN | (n / RING_LEN + 1) % 4 << 30;
}

static uint64_t random_next(uint64_t *x)
{
    *x = *x * 6364136223846793005u + 1442695040888963407u;
    return *x >> 33;
}

static void slow_write(struct bench *b, struct slow *s, enum side side,
                       uint64_t *x)
{
    uint32_t val = (uint32_t)random_next(x);

    switch (random_next(x) % 3) {
    case 0:
        rig_q_set(&b->rq, side, comp_cfg(side), val & 3);
        s->ring = val & 1;
        s->mix = !(val & 2);
        if (!s->mix || !s->ring) {
            slow_out(s);
        }
        break;
    case 1:
        s->timer = val % 300;
        if (side == TX) {
            rig_write(b->rig, ENGINE, M2S_COAL, s->timer);
        } else {
            rig_q_set(&b->rq, RX, RXQ_COAL, s->timer);
        }
        break;
    default:
        val %= 12;
        s->group = val ? 16 * val / entry_bytes(side) : 1;
        rig_write(b->rig, ENGINE, (side == TX ? 0 : S2M) + DESC_WR_CFG_1,
                  BEATS(val));
        break;
    }
}

static void coal_duel(void **state, uint64_t seed)
{
    struct slow slow[2] = { { .timer = TIMER, .group = 16 },
                            { .timer = TIMER, .group = 1 } };
    uint64_t x = seed * 7919 + 1;
    struct bench b;

    bench_open(&b, *state, RING_LEN);
    bench_completions(&b, TX);
    bench_completions(&b, RX);
    for (enum side side = TX; side <= RX; side++) {
        slow[side].ring = true;
    }
    for (unsigned op = 0; op < 100; op++) {
        uint64_t n = random_next(&x);
        enum side side = random_next(&x) % 2 ? RX : TX;

        switch (random_next(&x) % 3) {
        case 0:
            slow_write(&b, &slow[side], side, &x);
            break;
        case 1:
            for (n = n % 5 + 1; n > 0; n--) {
                copies(&b, 1);
                slow_done(&slow[TX]);
                slow_done(&slow[RX]);
            }
            break;
        default:
            n %= 400;
            CLOCK(&b, n);
            slow_settle(&slow[TX]);
            slow_settle(&slow[RX]);
            for (; n > 0; n--) {
                slow[TX].age++;
                slow[RX].age++;
                slow_settle(&slow[TX]);
                slow_settle(&slow[RX]);
            }
            break;
        }
        for (side = TX; side <= RX; side++) {
            CHECK_EQ(rig_q(&b.rq, side, Q_COMP_HEAD),
                     slow_head(slow[side].seen), "seed %llu op %u %s",
                     ULL(seed), op, names[side]);
            CHECK_EQ(rig_q(&b.rq, side, Q_COMP_INTERNAL),
                     slow_head(slow[side].seen + slow[side].held),
                     "seed %llu op %u %s", ULL(seed), op, names[side]);
        }
    }
}

/* Random programs against the clock-by-clock model above. */
static void test_coal_oracle(void **state)
{
    const char *one = getenv("TRENCH_SEED");

    for (uint64_t seed = 0; seed < 300; seed++) {
        coal_duel(state, one ? strtoull(one, NULL, 0) : seed);
    }
}

int main(void)
{
#define TEST(fn) cmocka_unit_test(fn)
    static const struct CMUnitTest tests[] = {
        TEST(test_coal_defaults),
        TEST(test_coal_s2m_without_a_smallest_burst),
        TEST(test_coal_m2s_reset_burst),
        TEST(test_coal_timer),
        TEST(test_coal_timer_set_under_a_wait),
        TEST(test_coal_interrupt),
        TEST(test_coal_fifo_depth),
        TEST(test_coal_entry_sizes),
        TEST(test_coal_fifo_status),
        TEST(test_coal_switched_off),
        TEST(test_coal_ring_switched_off),
        TEST(test_coal_goes_where_the_ring_is),
        TEST(test_coal_resets),
        TEST(test_coal_stopped),
        TEST(test_coal_full_lines),
        TEST(test_coal_full_lines_at_the_end),
        TEST(test_coal_refused),
        TEST(test_coal_into_own_registers),
        TEST(test_coal_oracle),
    };

    return cmocka_run_group_tests_name("coal", tests, rig_setup, rig_teardown);
}
