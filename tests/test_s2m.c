/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The receiving half: buffers fetched ahead, what happens without one, the
 * stream gates, resets under a packet. udma-engine 2, 4.3, B22, B25, B30 to
 * B34, B38, K4; hardware.md H6, H8, H30, H32, H34.
 */
#include <trench/soc.h>

#include "check.h"
#include "rig.h"

/* S2M_wr.data_cfg_2 (0x20344). */
#define WAIT_CLOCKS(n) ((uint32_t)(n))
#define WAIT_DROP      (1u << 27)
#define WAIT_HINT      (1u << 28)
#define WAIT_FOR_PREF  (1u << 29)

#define CAUSE_EXPIRED (1u << 6)
#define CAUSE_HINT    (1u << 7)

static uint32_t causes(struct bench *b)
{
    return rig_read(b->rig, ENGINE, SECONDARY(GROUP_B) + INT_CAUSE);
}

static void clear_causes(struct bench *b)
{
    rig_write(b->rig, ENGINE, SECONDARY(GROUP_B) + INT_CAUSE, 0);
}

static void post_tx(struct bench *b, uint32_t bytes)
{
    rig_tx(&b->rq, D_ONE, b->src, bytes);
    rig_bell(&b->rq, TX, 1);
}

static void post_rx(struct bench *b, uint64_t off, uint32_t bytes)
{
    rig_rx(&b->rq, b->dst + off, bytes);
    rig_bell(&b->rq, RX, 1);
}

/* A queue with one packet that waits for a buffer. */
static void open_waiting(struct bench *b, struct rig *r, uint32_t policy)
{
    bench_open(b, r, 16);
    rig_write(r, ENGINE, S2M_DATA_CFG_2, policy);
    post_tx(b, 64);
}

/* ---- buffers ahead --------------------------------------------------------
 */

/* B22, H6: RX may be rung alone; buffers are fetched up to the share. */
static void test_s2m_prefetch_runs_ahead(void **state)
{
    static const struct {
        uint32_t depth;
        uint32_t room;
    } rows[] = {
        { 0x80, 128 }, { 0, 0 },       { 1, 1 },
        { 5, 5 },      { 1024, 1024 }, { 4095, 1024 },
    };
    struct bench b;

    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        uint32_t room = rows[i].room;

        bench_open(&b, *state, 2048);
        rig_q_set(&b.rq, RX, Q_PREF_CFG, rows[i].depth);
        for (unsigned k = 0; k < 1500; k++) {
            rig_rx(&b.rq, b.dst + 4 * k, 4);
            rig_tx(&b.rq, D_ONE, b.src + 4 * k, 4);
        }
        rig_bell(&b.rq, RX, 1500);
        CHECK_PTR(&b.rq, RX, Q_HEAD, room, 1, "depth %u", rows[i].depth);
        CHECK_PTR(&b.rq, RX, Q_CUR, 0, 1, "depth %u", rows[i].depth);
        rig_write(b.rig, ENGINE, S2M_INDIRECT, QUEUE);
        CHECK_EQ(rig_read(b.rig, ENGINE, S2M_SEL_PREF),
                 room | 1u << 28 | (room == 0 ? 1u << 24 : 0), "depth %u",
                 rows[i].depth);
        rig_bell(&b.rq, TX, 1500);
        CHECK_PTR(&b.rq, RX, Q_COMP_HEAD, room ? 1500 : 0, 1, "depth %u",
                  rows[i].depth);
        CHECK_COPY(b.rig, b.dst, b.src, room ? 6000 : 0, "depth %u",
                   rows[i].depth);
    }
}

/* Refilled while packets take buffers: head stays a share ahead. */
static void test_s2m_prefetch_refills(void **state)
{
    struct bench b;

    bench_open(&b, *state, 64);
    rig_q_set(&b.rq, RX, Q_PREF_CFG, 5);
    for (unsigned k = 0; k < 20; k++) {
        rig_rx(&b.rq, b.dst + 64 * k, 64);
    }
    rig_bell(&b.rq, RX, 20);
    for (uint32_t k = 0; k < 20; k++) {
        CHECK_PTR(&b.rq, RX, Q_HEAD, min_u32(k + 5, 20), 1, "k=%u", k);
        CHECK_PTR(&b.rq, RX, Q_CUR, k, 1, "k=%u", k);
        post_tx(&b, 64);
    }
    CHECK_PTR(&b.rq, RX, Q_CUR, 20, 1, "all used");
}

/* Bits of word 0 that a plain receive does not look at (4.3, B38). */
static void test_s2m_descriptor_flags(void **state)
{
    static const uint32_t flags[] = { 0, 0x20000000 /* strong order */,
                                      D_INT_EN };
    struct bench b;

    for (size_t i = 0; i < ARRAY_LEN(flags); i++) {
        bench_open(&b, *state, 8);
        rig_desc(&b.rq, RX, (uint32_t[]){ flags[i] | 64, 0xFFFFFFFF }, b.dst);
        rig_bell(&b.rq, RX, 1);
        post_tx(&b, 64);
        CHECK_COPY(b.rig, b.dst, b.src, 64, "flags 0x%x", flags[i]);
    }
}

/* ---- waiting ---------------------------------------------------------------
 */

/* B31: the hint is raised once a wait, and only if asked for. */
static void test_s2m_hint_without_a_buffer(void **state)
{
    struct bench b;

    open_waiting(&b, *state, WAIT_FOR_PREF);
    CHECK_EQ(causes(&b), 0, "hint_if_no_desc is 0");
    open_waiting(&b, *state, WAIT_FOR_PREF | WAIT_HINT);
    CHECK_EQ(causes(&b), CAUSE_HINT, "hint");
    CHECK_EQ(rig_stats(b.rig, ENGINE).errors, 0, "a hint is no error");
    clear_causes(&b);
    rig_q_set(&b.rq, RX, Q_CFG, Q_CFG_ENABLED); /* wakes the queue */
    rig_q_set(&b.rq, TX, Q_CFG, Q_CFG_ENABLED);
    trench_soc_advance(b.rig->soc, 100);
    CHECK_EQ(causes(&b), 0, "the same wait");
    post_rx(&b, 0, 64);
    CHECK_COPY(b.rig, b.dst, b.src, 64, "resumes on the RX doorbell");
    post_tx(&b, 64);
    CHECK_EQ(causes(&b), CAUSE_HINT, "the next wait");
}

/* A packet that has used up its buffers waits as well. */
static void test_s2m_hint_in_the_middle_of_a_packet(void **state)
{
    struct bench b;

    bench_open(&b, *state, 8);
    post_rx(&b, 0, 64);
    CHECK_EQ(causes(&b), 0, "not yet");
    post_tx(&b, 192);
    CHECK_EQ(causes(&b), CAUSE_HINT, "first wait");
    clear_causes(&b);
    post_rx(&b, 64, 64);
    CHECK_EQ(causes(&b), CAUSE_HINT, "second wait");
    clear_causes(&b);
    post_rx(&b, 128, 64);
    CHECK_EQ(causes(&b), 0, "delivered");
    CHECK_COPY(b.rig, b.dst, b.src, 192, "delivered");
}

/* B31, H8: the default timer is 10,000 clocks; without drop it waits on. */
static void test_s2m_timer_expires(void **state)
{
    struct bench b;

    bench_open(&b, *state, 8);
    post_tx(&b, 64); /* policy as after reset */
    trench_soc_advance(b.rig->soc, 9999);
    CHECK_EQ(causes(&b), CAUSE_HINT, "9999");
    trench_soc_advance(b.rig->soc, 1);
    CHECK_EQ(causes(&b), CAUSE_HINT | CAUSE_EXPIRED, "10000");
    CHECK_EQ(rig_stats(b.rig, ENGINE).errors, 1, "an error");
    clear_causes(&b);
    trench_soc_advance(b.rig->soc, 100000);
    CHECK_EQ(causes(&b), 0, "once a wait");
    CHECK_EQ(rig_read(b.rig, ENGINE, S2M_DROP_PKT), 0, "not dropped");
    post_rx(&b, 0, 64);
    CHECK_COPY(b.rig, b.dst, b.src, 64, "delivered after all");
}

static void test_s2m_timer_0_waits_for_ever(void **state)
{
    struct bench b;

    open_waiting(&b, *state, WAIT_HINT | WAIT_DROP | WAIT_CLOCKS(0)); /* B32 */
    trench_soc_advance(b.rig->soc, UINT64_C(1) << 40);
    CHECK_EQ(causes(&b), CAUSE_HINT, "no expiry");
    CHECK_EQ(rig_read(b.rig, ENGINE, S2M_DROP_PKT), 0, "no drop");
    post_rx(&b, 0, 64);
    CHECK_COPY(b.rig, b.dst, b.src, 64, "delivered");
}

/* The clock of a wait starts with the wait, not with the one before. */
static void test_s2m_each_wait_has_its_own_timer(void **state)
{
    struct bench b;

    open_waiting(&b, *state, WAIT_FOR_PREF | WAIT_CLOCKS(100));
    trench_soc_advance(b.rig->soc, 60);
    post_rx(&b, 0, 64);
    post_tx(&b, 64);
    trench_soc_advance(b.rig->soc, 99);
    CHECK_EQ(causes(&b), 0, "99 of the second wait");
    trench_soc_advance(b.rig->soc, 1);
    CHECK_EQ(causes(&b), CAUSE_EXPIRED, "100 of the second wait");
}

/* B31: drop_if_no_desc. The buffer that comes later is the next one's. */
static void test_s2m_drop(void **state)
{
    struct bench b;

    open_waiting(&b, *state, WAIT_DROP | WAIT_CLOCKS(100));
    trench_soc_advance(b.rig->soc, 99);
    CHECK_EQ(rig_read(b.rig, ENGINE, S2M_DROP_PKT), 0, "99");
    CHECK_PTR(&b.rq, TX, Q_COMP_HEAD, 0, 1, "99");
    trench_soc_advance(b.rig->soc, 1);
    CHECK_EQ(rig_read(b.rig, ENGINE, S2M_DROP_PKT), 1, "100");
    CHECK_EQ(rig_stats(b.rig, ENGINE).dropped, 1, "100");
    CHECK_EQ(causes(&b), CAUSE_EXPIRED, "100");
    CHECK_PTR(&b.rq, TX, Q_COMP_HEAD, 1, 1, "the packet is off the ring");
    post_rx(&b, 0, 64);
    CHECK_UNTOUCHED(b.rig, b.dst, 64, "nothing left of it");
    rig_fill(b.rig, b.src, 64, 99);
    post_tx(&b, 64);
    CHECK_COPY(b.rig, b.dst, b.src, 64, "the next packet");
    CHECK_EQ(rig_read(b.rig, ENGINE, S2M_DROP_PKT), 1, "one drop");
}

/* Every packet that waits is dropped in its turn, after its own wait. */
static void test_s2m_drops_one_after_the_other(void **state)
{
    struct bench b;

    open_waiting(&b, *state, WAIT_DROP | WAIT_HINT | WAIT_CLOCKS(100));
    post_tx(&b, 64);
    post_tx(&b, 64);
    for (uint32_t n = 1; n <= 3; n++) {
        clear_causes(&b);
        trench_soc_advance(b.rig->soc, 99);
        CHECK_EQ(rig_read(b.rig, ENGINE, S2M_DROP_PKT), n - 1, "packet %u", n);
        trench_soc_advance(b.rig->soc, 1);
        CHECK_EQ(rig_read(b.rig, ENGINE, S2M_DROP_PKT), n, "packet %u", n);
        CHECK_EQ(causes(&b) & CAUSE_EXPIRED, CAUSE_EXPIRED, "packet %u", n);
    }
    CHECK_PTR(&b.rq, TX, Q_COMP_HEAD, 3, 1, "all three");
}

/* What was delivered stays; what was dropped does not go on. */
static void test_s2m_drop_of_half_a_packet(void **state)
{
    struct bench b;

    bench_open(&b, *state, 16);
    rig_write(b.rig, ENGINE, S2M_DATA_CFG_2, WAIT_DROP | WAIT_CLOCKS(100));
    post_rx(&b, 0, 64);
    post_tx(&b, 192);
    trench_soc_advance(b.rig->soc, 100);
    CHECK_EQ(rig_read(b.rig, ENGINE, S2M_DROP_PKT), 1, "dropped");
    post_rx(&b, 64, 64);
    CHECK_COPY(b.rig, b.dst, b.src, 64, "delivered");
    CHECK_UNTOUCHED(b.rig, b.dst + 64, 64, "dropped");
    rig_fill(b.rig, b.src, 64, 99);
    post_tx(&b, 64);
    CHECK_COPY(b.rig, b.dst + 64, b.src, 64, "the next packet");
}

/*
 * The completions of a dropped packet land in registers and wake its queue:
 * desc_pref_cfg is where the ring's first entry goes. One packet is dropped,
 * as a whole, and the queue is whole after it.
 */
static void test_s2m_drop_completes_into_registers(void **state)
{
    uint64_t bank = rig_engine_base(ENGINE) + q_off(TX, QUEUE, 0);
    struct bench b;

    for (unsigned n = 1; n <= 4; n++) {
        bench_open(&b, *state, 16);
        rig_write(b.rig, ENGINE, S2M_DATA_CFG_2, WAIT_DROP | WAIT_CLOCKS(100));
        rig_q_set(&b.rq, TX, Q_COMP_LO, (uint32_t)bank);
        rig_q_set(&b.rq, TX, Q_COMP_HI, (uint32_t)(bank >> 32));
        rig_q_set(&b.rq, TX, TXQ_COMP_CFG, 3);
        for (unsigned i = 0; i < n; i++) {
            rig_tx(&b.rq, d_marks(i, n), b.src, 64);
        }
        rig_bell(&b.rq, TX, n);
        trench_soc_advance(b.rig->soc, 100);
        rig_q_set(&b.rq, TX, TXQ_COMP_CFG, 0);
        rig_q_set(&b.rq, TX, Q_PREF_CFG, 0x80);
        CHECK_EQ(rig_read(b.rig, ENGINE, S2M_DROP_PKT), 1, "n=%u", n);
        CHECK_PTR(&b.rq, TX, Q_COMP_HEAD, n, 1, "n=%u", n);
        CHECK_PTR(&b.rq, TX, Q_CUR, n, 1, "n=%u", n);
        post_rx(&b, 0, 64);
        CHECK_UNTOUCHED(b.rig, b.dst, 64, "n=%u: nothing left of it", n);
        rig_fill(b.rig, b.src, 64, 99);
        post_tx(&b, 64);
        CHECK_COPY(b.rig, b.dst, b.src, 64, "n=%u: the next packet", n);
        CHECK_PTR(&b.rq, TX, Q_COMP_HEAD, n + 1, 1, "n=%u", n);
    }
}

/* A wait ends with an M2S queue reset; the next one starts from zero. */
static void test_s2m_wait_ends_with_an_m2s_reset(void **state)
{
    struct bench b;

    open_waiting(&b, *state, WAIT_DROP | WAIT_HINT | WAIT_CLOCKS(100));
    trench_soc_advance(b.rig->soc, 60);
    rig_q_set(&b.rq, TX, TXQ_SW_CTRL, RST_Q);
    b.rq.ring[TX].idx = 0;
    clear_causes(&b);
    trench_soc_advance(b.rig->soc, 1000);
    CHECK_EQ(causes(&b), 0, "nothing waits");
    post_tx(&b, 64);
    CHECK_EQ(causes(&b), CAUSE_HINT, "a new wait");
    trench_soc_advance(b.rig->soc, 99);
    CHECK_EQ(rig_read(b.rig, ENGINE, S2M_DROP_PKT), 0, "99");
    trench_soc_advance(b.rig->soc, 1);
    CHECK_EQ(rig_read(b.rig, ENGINE, S2M_DROP_PKT), 1, "100");
}

/* B31, H34: wait_for_pref 0 looks at the whole ring, 1 at what is fetched. */
static void test_s2m_wait_for_pref(void **state)
{
    struct bench b;

    for (uint32_t pref = 0; pref < 2; pref++) {
        bench_open(&b, *state, 8);
        rig_write(b.rig, ENGINE, S2M_DATA_CFG_2,
                  WAIT_HINT | WAIT_CLOCKS(100) | (pref ? WAIT_FOR_PREF : 0));
        rig_q_set(&b.rq, RX, Q_CFG, 0x03020000); /* en_pref off */
        post_rx(&b, 0, 64);
        post_tx(&b, 64);
        trench_soc_advance(b.rig->soc, 100);
        CHECK_EQ(causes(&b), pref ? CAUSE_HINT | CAUSE_EXPIRED : 0,
                 "wait_for_pref %u: posted, not fetched", pref);
        rig_q_set(&b.rq, RX, Q_CFG, Q_CFG_ENABLED);
        CHECK_COPY(b.rig, b.dst, b.src, 64, "wait_for_pref %u", pref);
    }
}

/* The policy word can be read, modified and written (B34). */
static void test_s2m_policy_reads_back(void **state)
{
    struct bench b;
    uint32_t word;

    bench_open(&b, *state, 8);
    word = rig_read(b.rig, ENGINE, S2M_DATA_CFG_2);
    CHECK_EQ(word, 0x30002710, "reset");
    rig_write(b.rig, ENGINE, S2M_DATA_CFG_2, word | WAIT_DROP);
    CHECK_EQ(rig_read(b.rig, ENGINE, S2M_DATA_CFG_2), 0x38002710, "rmw");
}

/* ---- the stream gates ------------------------------------------------------
 */

/* disable holds packets, and goes on where it stopped. */
static void test_s2m_stream_disable_holds(void **state)
{
    struct bench b;

    bench_open(&b, *state, 8);
    rig_write(b.rig, ENGINE, S2M_STREAM_CFG, 0x001);
    post_rx(&b, 0, 64);
    CHECK_PTR(&b.rq, RX, Q_HEAD, 1, 1, "prefetch goes on");
    post_tx(&b, 64);
    CHECK_UNTOUCHED(b.rig, b.dst, 64, "held");
    CHECK_EQ(causes(&b), 0, "no want of a buffer");
    rig_write(b.rig, ENGINE, S2M_STREAM_CFG, 0);
    CHECK_COPY(b.rig, b.dst, b.src, 64, "on again");
}

/* H32: ... before a packet's first byte: what is half in comes in. */
static void test_s2m_stream_disables_at_a_packet_end(void **state)
{
    for (unsigned by_queue = 0; by_queue < 2; by_queue++) {
        struct bench b;

        bench_open(&b, *state, 8);
        post_rx(&b, 0, 64);
        post_tx(&b, 128);
        post_tx(&b, 64);
        if (by_queue) {
            rig_q_set(&b.rq, RX, Q_CFG, 0x03010000); /* en_stream */
        } else {
            rig_write(b.rig, ENGINE, S2M_STREAM_CFG, 0x001);
        }
        post_rx(&b, 64, 64);
        post_rx(&b, 128, 64);
        CHECK_COPY(b.rig, b.dst, b.src, 128, "to its end");
        CHECK_UNTOUCHED(b.rig, b.dst + 128, 64, "no further");
    }
}

/* stop_prefetch acts while the stream is off. */
static void test_s2m_stop_prefetch(void **state)
{
    struct bench b;

    bench_open(&b, *state, 8);
    rig_write(b.rig, ENGINE, S2M_STREAM_CFG, 0x100);
    post_rx(&b, 0, 64);
    CHECK_PTR(&b.rq, RX, Q_HEAD, 1, 1, "the stream is on");
    rig_write(b.rig, ENGINE, S2M_STREAM_CFG, 0x101);
    post_rx(&b, 64, 64);
    CHECK_PTR(&b.rq, RX, Q_HEAD, 1, 1, "the stream is off");
    rig_write(b.rig, ENGINE, S2M_STREAM_CFG, 0x000);
    CHECK_PTR(&b.rq, RX, Q_HEAD, 2, 1, "on again");
}

/* flush swallows what comes: M2S completes, no buffer is used. */
static void test_s2m_flush_swallows(void **state)
{
    static const uint32_t words[] = { 0x010, 0x011, 0x111 };
    struct bench b;

    for (size_t w = 0; w < ARRAY_LEN(words); w++) {
        bench_open(&b, *state, 8);
        post_rx(&b, 0, 64);
        rig_write(b.rig, ENGINE, S2M_STREAM_CFG, words[w]);
        for (unsigned i = 0; i < 3; i++) {
            post_tx(&b, 64);
        }
        CHECK_PTR(&b.rq, TX, Q_COMP_HEAD, 3, 1, "word 0x%x", words[w]);
        CHECK_PTR(&b.rq, RX, Q_CUR, 0, 1, "word 0x%x", words[w]);
        CHECK_UNTOUCHED(b.rig, b.dst, 64, "word 0x%x", words[w]);
        rig_write(b.rig, ENGINE, S2M_STREAM_CFG, 0);
        post_tx(&b, 64);
        CHECK_COPY(b.rig, b.dst, b.src, 64, "word 0x%x", words[w]);
    }
}

/* A packet that waited is swallowed too, and its wait is over with it. */
static void test_s2m_flush_ends_a_wait(void **state)
{
    struct bench b;

    open_waiting(&b, *state, WAIT_HINT | WAIT_CLOCKS(100));
    rig_write(b.rig, ENGINE, S2M_STREAM_CFG, 0x010);
    CHECK_PTR(&b.rq, TX, Q_COMP_HEAD, 1, 1, "swallowed");
    rig_write(b.rig, ENGINE, S2M_STREAM_CFG, 0);
    clear_causes(&b);
    trench_soc_advance(b.rig->soc, 60);
    post_tx(&b, 64);
    CHECK_EQ(causes(&b), CAUSE_HINT, "a new wait");
    trench_soc_advance(b.rig->soc, 99);
    CHECK_EQ(causes(&b), CAUSE_HINT, "99");
    trench_soc_advance(b.rig->soc, 1);
    CHECK_EQ(causes(&b), CAUSE_HINT | CAUSE_EXPIRED, "100");
}

/* B44: the flush sequence of the HAL leaves a working engine. */
static void test_s2m_flush_sequence(void **state)
{
    struct bench b;

    bench_open(&b, *state, 8);
    rig_write(b.rig, ENGINE, S2M + 0x24C, 0);
    rig_write(b.rig, ENGINE, S2M + 0x244, 0xFFFFFFFF);
    rig_write(b.rig, ENGINE, S2M + 0x24C, 0xFFFFFFFF);
    rig_write(b.rig, ENGINE, S2M + 0x244, 0);
    rig_copy(&b.rq, b.dst, b.src, 64);
    CHECK_COPY(b.rig, b.dst, b.src, 64, "copy");
}

/* ---- resets under a packet -------------------------------------------------
 */

/* The S2M half of a queue init over a fresh ring (5.8.2, rows 8 to 12). */
static void restart_rx(struct bench *b)
{
    struct rig_ring *ring = &b->rq.ring[RX];

    ring->base = rig_alloc(b->rig, 4096);
    ring->idx = 0;
    ring->lap = 1;
    rig_q_set(&b->rq, RX, Q_CFG, Q_CFG_DISABLED);
    rig_q_set(&b->rq, RX, RXQ_SW_CTRL, RST_Q);
    rig_q_set(&b->rq, RX, Q_BASE_LO, (uint32_t)ring->base);
    rig_q_set(&b->rq, RX, Q_CFG, Q_CFG_ENABLED);
}

/* H30: delivered in part, it is completed in error and does not go on. */
static void test_s2m_reset_under_a_started_packet(void **state)
{
    struct bench b;
    uint64_t comp;

    for (unsigned parts = 1; parts <= 3; parts++) {
        bench_open(&b, *state, 16);
        comp = bench_completions(&b, TX);
        for (unsigned i = 0; i < parts; i++) {
            post_rx(&b, 64 * i, 64);
        }
        post_tx(&b, 256);
        restart_rx(&b);
        CHECK_EQ(rig_word(b.rig, comp), D_LAP(1) | D_ONE | C_ERROR, "parts=%u",
                 parts);
        CHECK_PTR(&b.rq, TX, Q_COMP_HEAD, 1, 1, "parts=%u", parts);
        post_rx(&b, 0x1000, 256);
        CHECK_UNTOUCHED(b.rig, b.dst + 0x1000, 256, "parts=%u", parts);
        CHECK_UNTOUCHED(b.rig, b.dst + 64 * parts, 64, "parts=%u", parts);
        post_tx(&b, 128);
        CHECK_COPY(b.rig, b.dst + 0x1000, b.src, 128, "parts=%u", parts);
        CHECK_EQ(rig_word(b.rig, comp + 4), D_LAP(1) | D_ONE, "parts=%u",
                 parts);
        CHECK_PTR(&b.rq, RX, Q_COMP_HEAD, 1, 1, "parts=%u", parts);
    }
}

/* A packet of which nothing has been delivered goes to the new ring. */
static void test_s2m_reset_under_a_waiting_packet(void **state)
{
    struct bench b;

    open_waiting(&b, *state, WAIT_HINT);
    restart_rx(&b);
    CHECK_PTR(&b.rq, TX, Q_COMP_HEAD, 0, 1, "still waits");
    post_rx(&b, 0, 64);
    CHECK_COPY(b.rig, b.dst, b.src, 64, "delivered");
}

/* H30, rst_prefetch: the fetched buffers are gone, and so is the packet. */
static void test_s2m_prefetch_reset_under_a_started_packet(void **state)
{
    struct bench b;
    uint64_t comp;

    bench_open(&b, *state, 16);
    comp = bench_completions(&b, TX);
    post_rx(&b, 0, 64);
    post_tx(&b, 256);
    rig_q_set(&b.rq, RX, RXQ_SW_CTRL, 0x10);
    CHECK_EQ(rig_word(b.rig, comp), D_LAP(1) | D_ONE | C_ERROR, "in error");
    post_rx(&b, 64, 64);
    CHECK_UNTOUCHED(b.rig, b.dst + 64, 64, "does not go on");
    post_tx(&b, 64);
    CHECK_COPY(b.rig, b.dst + 64, b.src, 64, "the next packet");
}

/* rst_prefetch without a packet: posted buffers are fetched no second time. */
static void test_s2m_prefetch_reset_drops_buffers(void **state)
{
    struct bench b;

    bench_open(&b, *state, 16);
    post_rx(&b, 0, 64);
    post_rx(&b, 64, 64);
    rig_q_set(&b.rq, RX, RXQ_SW_CTRL, 0x10);
    post_rx(&b, 128, 64);
    post_tx(&b, 64);
    CHECK_UNTOUCHED(b.rig, b.dst, 128, "dropped");
    CHECK_COPY(b.rig, b.dst + 128, b.src, 64, "posted after it");
}

/* ---- regressions: waits and pointers ---------------------------------------
 */

/*
 * As above, with a command register under the ring, which wakes the queue at
 * its first completion. No more leaves the FIFO than was in it, so that the
 * packets behind it come one by one.
 */
static void test_s2m_drop_completes_into_commands(void **state)
{
    uint64_t command = rig_engine_base(ENGINE) + CHANGE_STATE;
    struct bench b;

    for (unsigned n = 1; n <= 8; n++) {
        bench_open(&b, *state, 32);
        rig_write(b.rig, ENGINE, S2M_DATA_CFG_2, WAIT_DROP | WAIT_CLOCKS(100));
        rig_q_set(&b.rq, TX, Q_COMP_LO, (uint32_t)command);
        rig_q_set(&b.rq, TX, Q_COMP_HI, (uint32_t)(command >> 32));
        rig_q_set(&b.rq, TX, TXQ_COMP_CFG, 3);
        for (unsigned i = 0; i < n; i++) {
            rig_tx(&b.rq, d_marks(i, n), b.src, 64);
        }
        rig_bell(&b.rq, TX, n);
        trench_soc_advance(b.rig->soc, 100);
        CHECK_EQ(rig_stats(b.rig, ENGINE).dropped, 1, "n=%u", n);
        CHECK_EQ(rig_stats(b.rig, ENGINE).tx_descs, n, "n=%u", n);
        for (unsigned i = 0; i < 4; i++) {
            rig_fill(b.rig, b.src, 64, 100 + i);
            post_rx(&b, 64 * i, 64);
            post_tx(&b, 64);
            CHECK_COPY(b.rig, b.dst + 64 * i, b.src, 64, "n=%u packet %u", n,
                       i);
            CHECK_PTR(&b.rq, TX, Q_COMP_HEAD, n + i + 1, 1, "n=%u", n);
            CHECK_PTR(&b.rq, TX, Q_CUR, n + i + 1, 1, "n=%u", n);
            CHECK_PTR(&b.rq, TX, Q_HEAD, n + i + 1, 1, "n=%u", n);
        }
        CHECK_EQ(rig_stats(b.rig, ENGINE).packets, 4, "n=%u", n);
    }
}

/* H8: the timer's value is looked at when time passes, not at the start. */
static void test_s2m_timer_set_under_a_wait(void **state)
{
    struct bench b;

    open_waiting(&b, *state, WAIT_DROP | WAIT_CLOCKS(0));
    trench_soc_advance(b.rig->soc, 60);
    rig_write(b.rig, ENGINE, S2M_DATA_CFG_2, WAIT_DROP | WAIT_CLOCKS(100));
    trench_soc_advance(b.rig->soc, 39);
    CHECK_EQ(rig_read(b.rig, ENGINE, S2M_DROP_PKT), 0, "99");
    trench_soc_advance(b.rig->soc, 1);
    CHECK_EQ(rig_read(b.rig, ENGINE, S2M_DROP_PKT), 1, "100");
}

/* However much time passes at once, it passes. */
static void test_s2m_timer_and_all_of_time(void **state)
{
    static const uint64_t clocks[] = { 100, UINT64_C(1) << 32,
                                       UINT64_C(1) << 63, UINT64_MAX - 50,
                                       UINT64_MAX };
    struct bench b;

    for (size_t i = 0; i < ARRAY_LEN(clocks); i++) {
        bench_open(&b, *state, 8);
        rig_write(b.rig, ENGINE, S2M_DATA_CFG_2, WAIT_DROP | WAIT_CLOCKS(100));
        trench_soc_advance(b.rig->soc, 50);
        post_tx(&b, 64);
        trench_soc_advance(b.rig->soc, clocks[i]);
        CHECK_EQ(rig_read(b.rig, ENGINE, S2M_DROP_PKT), 1, "0x%llx clocks",
                 ULL(clocks[i]));
    }
}

/* H8: half a packet is no copy, and says so when it is dropped. */
static void test_s2m_drop_of_a_started_packet(void **state)
{
    struct bench b;
    uint64_t comp;

    bench_open(&b, *state, 8);
    comp = bench_completions(&b, TX);
    rig_write(b.rig, ENGINE, S2M_DATA_CFG_2, WAIT_DROP | WAIT_CLOCKS(100));
    post_rx(&b, 0, 16);
    post_tx(&b, 64);
    trench_soc_advance(b.rig->soc, 100);
    CHECK_EQ(rig_read(b.rig, ENGINE, S2M_DROP_PKT), 1, "dropped");
    CHECK_EQ(rig_word(b.rig, comp), D_LAP(1) | D_ONE | C_ERROR, "in error");
}

/* H8: time in which an engine stands still is not waited for. */
static void test_s2m_stop_is_not_waited_for(void **state)
{
    static const uint32_t cmds[] = { CMD_DISABLE, CMD_ABORT };
    struct bench b;

    for (size_t i = 0; i < ARRAY_LEN(cmds); i++) {
        open_waiting(&b, *state, WAIT_DROP | WAIT_CLOCKS(100));
        trench_soc_advance(b.rig->soc, 10);
        rig_write(b.rig, ENGINE, CHANGE_STATE, cmds[i]);
        rig_write(b.rig, ENGINE, S2M + CHANGE_STATE, cmds[i]);
        trench_soc_advance(b.rig->soc, 5000);
        rig_write(b.rig, ENGINE, CHANGE_STATE, CMD_NORMAL);
        rig_write(b.rig, ENGINE, S2M + CHANGE_STATE, CMD_NORMAL);
        trench_soc_advance(b.rig->soc, 99);
        CHECK_EQ(rig_read(b.rig, ENGINE, S2M_DROP_PKT), 0, "command %u",
                 cmds[i]);
        trench_soc_advance(b.rig->soc, 1);
        CHECK_EQ(rig_read(b.rig, ENGINE, S2M_DROP_PKT), 1, "command %u",
                 cmds[i]);
    }
}

/* ... and there is time after it. */
static void test_s2m_timer_after_all_of_time(void **state)
{
    struct bench b;

    open_waiting(&b, *state, WAIT_DROP | WAIT_CLOCKS(100));
    for (uint32_t n = 1; n <= 3; n++) {
        trench_soc_advance(b.rig->soc, UINT64_MAX);
        CHECK_EQ(rig_read(b.rig, ENGINE, S2M_DROP_PKT), n, "packet %u", n);
        post_tx(&b, 64);
    }
}

/* Both sides to NORMAL, with the cause gone. */
static void leave_abort(struct bench *b)
{
    clear_causes(b);
    rig_write(b->rig, ENGINE, CHANGE_STATE, CMD_NORMAL);
    rig_write(b->rig, ENGINE, S2M + CHANGE_STATE, CMD_NORMAL);
}

/* Cause 6 unmasked: the packet stays, and waits afresh after the abort. */
static void test_s2m_timeout_aborts(void **state)
{
    struct bench b;

    open_waiting(&b, *state, WAIT_DROP | WAIT_CLOCKS(100));
    rig_write(b.rig, ENGINE, SECONDARY(GROUP_B) + INT_ABORT_MASK,
              ~CAUSE_EXPIRED);
    for (unsigned n = 0; n < 3; n++) {
        trench_soc_advance(b.rig->soc, 99);
        CHECK_EQ(causes(&b), 0, "wait %u: 99", n);
        trench_soc_advance(b.rig->soc, 1);
        CHECK_EQ(causes(&b), CAUSE_EXPIRED, "wait %u: 100", n);
        CHECK_EQ(rig_read(b.rig, ENGINE, STATE), 0x2222, "wait %u", n);
        trench_soc_advance(b.rig->soc, 1000);
        CHECK_EQ(rig_stats(b.rig, ENGINE).errors, n + 1, "wait %u", n);
        CHECK_EQ(rig_stats(b.rig, ENGINE).dropped, 0, "wait %u", n);
        leave_abort(&b);
    }
    post_rx(&b, 0, 64);
    CHECK_COPY(b.rig, b.dst, b.src, 64, "there all the while");
}

/* H35: what was fetched is gone, from all pointers alike. */
static void test_s2m_prefetch_reset_pointers(void **state)
{
    static const uint32_t depths[] = { 1, 2, 3, 4, 8 };
    struct bench b;
    uint64_t comp;

    for (size_t d = 0; d < ARRAY_LEN(depths); d++) {
        uint32_t gone = min_u32(depths[d], 4);

        bench_open(&b, *state, 16);
        comp = bench_completions(&b, RX);
        rig_q_set(&b.rq, RX, Q_PREF_CFG, depths[d]);
        for (unsigned i = 0; i < 4; i++) {
            rig_rx(&b.rq, b.dst + 64 * i, 64);
        }
        rig_bell(&b.rq, RX, 4);
        rig_q_set(&b.rq, RX, RXQ_SW_CTRL, 0x10);
        CHECK_PTR(&b.rq, RX, Q_HEAD, min_u32(2 * gone, 4), 1, "depth %u",
                  depths[d]);
        CHECK_PTR(&b.rq, RX, Q_CUR, gone, 1, "depth %u", depths[d]);
        CHECK_PTR(&b.rq, RX, Q_COMP_HEAD, gone, 1, "depth %u", depths[d]);
        CHECK_EQ(rig_q(&b.rq, RX, Q_STATUS) & 0x1FFFFFF, 4 - gone, "depth %u",
                 depths[d]);
        post_rx(&b, 256, 64);
        post_tx(&b, 64);
        CHECK_UNTOUCHED(b.rig, b.dst, 64 * gone, "depth %u", depths[d]);
        CHECK_COPY(b.rig, b.dst + 64 * gone, b.src, 64, "depth %u", depths[d]);
        CHECK_UNTOUCHED(b.rig, comp, 16 * gone, "depth %u: gone", depths[d]);
        CHECK_EQ(rig_word(b.rig, comp + 16 * gone), D_LAP(1) | D_ONE | C_BUF1,
                 "depth %u", depths[d]);
        CHECK_PTR(&b.rq, RX, Q_COMP_HEAD, gone + 1, 1, "depth %u", depths[d]);
        CHECK_PTR(&b.rq, RX, Q_CUR, gone + 1, 1, "depth %u", depths[d]);
    }
}

#define TEST(name)                                                             \
    cmocka_unit_test_setup_teardown(name, rig_setup, rig_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_s2m_prefetch_runs_ahead),
        TEST(test_s2m_prefetch_refills),
        TEST(test_s2m_descriptor_flags),
        TEST(test_s2m_hint_without_a_buffer),
        TEST(test_s2m_hint_in_the_middle_of_a_packet),
        TEST(test_s2m_timer_expires),
        TEST(test_s2m_timer_0_waits_for_ever),
        TEST(test_s2m_each_wait_has_its_own_timer),
        TEST(test_s2m_drop),
        TEST(test_s2m_drops_one_after_the_other),
        TEST(test_s2m_drop_of_half_a_packet),
        TEST(test_s2m_drop_completes_into_registers),
        TEST(test_s2m_wait_ends_with_an_m2s_reset),
        TEST(test_s2m_wait_for_pref),
        TEST(test_s2m_policy_reads_back),
        TEST(test_s2m_stream_disable_holds),
        TEST(test_s2m_stream_disables_at_a_packet_end),
        TEST(test_s2m_stop_prefetch),
        TEST(test_s2m_flush_swallows),
        TEST(test_s2m_flush_ends_a_wait),
        TEST(test_s2m_flush_sequence),
        TEST(test_s2m_reset_under_a_started_packet),
        TEST(test_s2m_reset_under_a_waiting_packet),
        TEST(test_s2m_prefetch_reset_under_a_started_packet),
        TEST(test_s2m_prefetch_reset_drops_buffers),
        TEST(test_s2m_drop_completes_into_commands),
        TEST(test_s2m_timer_set_under_a_wait),
        TEST(test_s2m_timer_and_all_of_time),
        TEST(test_s2m_timer_after_all_of_time),
        TEST(test_s2m_drop_of_a_started_packet),
        TEST(test_s2m_stop_is_not_waited_for),
        TEST(test_s2m_timeout_aborts),
        TEST(test_s2m_prefetch_reset_pointers),
    };

    return cmocka_run_group_tests_name("s2m", tests, NULL, NULL);
}
