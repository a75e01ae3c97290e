/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Faults of the bus, at every place: data, rings, completions; what they log
 * and what they stop. udma-engine 3.1 to 3.3, B7, B8, B40, B41, K7, K8;
 * hardware.md H3, H4, H20, H23 to H25, H27.
 */
#include <trench/soc.h>

#include "check.h"
#include "rig.h"

/* Cause bits of the bus masters (udma-engine 3.2, 3.3). */
enum {
    M2S_COMP_RESPONSE = 5,
    M2S_DATA_RESPONSE = 8,
    M2S_PREF_RESPONSE = 11,
    S2M_DATA_RESPONSE = 1,
    S2M_PREF_RESPONSE = 9,
    S2M_COMP_RESPONSE = 14,
};

static uint32_t causes(struct rig *r, unsigned group)
{
    return rig_read(r, ENGINE, SECONDARY(group) + INT_CAUSE);
}

/* Abort on this cause, and on no other of the group. */
static void abort_on(struct rig *r, unsigned group, unsigned bit)
{
    rig_write(r, ENGINE, SECONDARY(group) + INT_ABORT_MASK, ~(1u << bit));
}

static bool aborted(struct rig *r)
{
    uint32_t m2s = rig_read(r, ENGINE, STATE);
    uint32_t s2m = rig_read(r, ENGINE, S2M + STATE);

    /* H4: an error stops both sides. */
    CHECK_EQ(m2s == 0x2222, s2m == 0x22222, "M2S 0x%x S2M 0x%x", m2s, s2m);
    return m2s == 0x2222;
}

/* Both sides to NORMAL, once nothing asks for abort any more. */
static void leave_abort(struct rig *r)
{
    rig_write(r, ENGINE, SECONDARY(GROUP_A) + INT_CAUSE, 0);
    rig_write(r, ENGINE, SECONDARY(GROUP_B) + INT_CAUSE, 0);
    rig_write(r, ENGINE, CHANGE_STATE, CMD_NORMAL);
    rig_write(r, ENGINE, S2M + CHANGE_STATE, CMD_NORMAL);
    CHECK_EQ(aborted(r), false, "after NORMAL");
}

/* ---- a fault at every position of a burst ----------------------------- */

#define BURST 16u
#define BYTES 64u

struct burst {
    enum {
        BAD_SRC,
        BAD_DST,
        BAD_TX_RING,
        BAD_RX_RING
    } fault;
    unsigned at;
    bool abort;
};

static const char *const fault_names[] = { "source", "destination", "TX ring",
                                           "RX ring" };

/* Where a ring's memory ends after `at` descriptors. */
static void cut_ring(struct bench *b, enum side side, unsigned at)
{
    struct rig_ring *ring = &b->rq.ring[side];
    struct trench_bus_mem mem = { .name = "cut",
                                  .base = UNMAPPED,
                                  .size_bytes = 16 * (uint64_t)at };

    if (at > 0) {
        CHECK_EQ(trench_bus_add_memory(b->rig->bus, &mem), 0, "at=%u", at);
        memcpy(rig_mem(b->rig, UNMAPPED, 16 * at),
               rig_mem(b->rig, ring->base, 16 * at), 16 * at);
    }
    rig_q_set(&b->rq, side, Q_BASE_LO, (uint32_t)UNMAPPED);
    rig_q_set(&b->rq, side, Q_BASE_HI, (uint32_t)(UNMAPPED >> 32));
}

static void lay_burst(struct bench *b, const struct burst *f)
{
    for (unsigned i = 0; i < BURST; i++) {
        bool bad = i == f->at;

        rig_rx(&b->rq,
               bad && f->fault == BAD_DST ? UNMAPPED : b->dst + BYTES * i,
               BYTES);
        rig_tx(&b->rq, D_ONE,
               bad && f->fault == BAD_SRC ? UNMAPPED : b->src + BYTES * i,
               BYTES);
    }
    if (f->fault == BAD_TX_RING) {
        cut_ring(b, TX, f->at);
    } else if (f->fault == BAD_RX_RING) {
        cut_ring(b, RX, f->at);
    }
}

static void check_data(struct bench *b, const struct burst *f)
{
    bool ring = f->fault == BAD_TX_RING || f->fault == BAD_RX_RING;

    for (unsigned i = 0; i < BURST; i++) {
        uint64_t dst = b->dst + BYTES * i;

        if (i < f->at && (!ring || !f->abort)) {
            CHECK_COPY(b->rig, dst, b->src + BYTES * i, BYTES,
                       "bad %s at=%u abort=%d packet %u", fault_names[f->fault],
                       f->at, f->abort, i);
        } else if (i == f->at || ring || f->abort) {
            if (i >= f->at) { /* prefetch may abort before what it found */
                CHECK_UNTOUCHED(b->rig, dst, BYTES,
                                "bad %s at=%u abort=%d packet %u",
                                fault_names[f->fault], f->at, f->abort, i);
            }
        } else {
            CHECK_COPY(b->rig, dst, b->src + BYTES * i, BYTES,
                       "bad %s at=%u abort=%d packet %u", fault_names[f->fault],
                       f->at, f->abort, i);
        }
    }
}

static void check_cause(struct bench *b, const struct burst *f)
{
    static const uint8_t bits[][2] = { { GROUP_A, M2S_DATA_RESPONSE },
                                       { GROUP_B, S2M_DATA_RESPONSE },
                                       { GROUP_A, M2S_PREF_RESPONSE },
                                       { GROUP_B, S2M_PREF_RESPONSE } };
    const uint8_t *row = bits[f->fault];
    struct trench_bus_fault fault;

    CHECK_EQ(causes(b->rig, row[0]) & 1u << row[1], 1u << row[1],
             "bad %s at=%u abort=%d", fault_names[f->fault], f->at, f->abort);
    CHECK_EQ(aborted(b->rig), f->abort, "bad %s at=%u", fault_names[f->fault],
             f->at);
    CHECK_EQ(rig_stats(b->rig, ENGINE).errors, 1, "bad %s at=%u abort=%d",
             fault_names[f->fault], f->at, f->abort);
    trench_bus_last_fault(b->rig->bus, &fault);
    CHECK_EQ(fault.initiator, TRENCH_BUS_ENGINE_0 + ENGINE,
             "bad %s at=%u abort=%d", fault_names[f->fault], f->at, f->abort);
    CHECK_EQ(fault.addr, UNMAPPED + (f->fault >= BAD_TX_RING ? 16 * f->at : 0),
             "bad %s at=%u abort=%d", fault_names[f->fault], f->at, f->abort);
}

static void open_burst(struct bench *b, struct rig *r, const struct burst *f)
{
    bench_open(b, r, 2 * BURST);
    if (f->abort) {
        abort_on(r, GROUP_A,
                 f->fault == BAD_SRC ? M2S_DATA_RESPONSE : M2S_PREF_RESPONSE);
        abort_on(r, GROUP_B,
                 f->fault == BAD_DST ? S2M_DATA_RESPONSE : S2M_PREF_RESPONSE);
    }
    lay_burst(b, f);
    rig_bell(&b->rq, RX, BURST);
    rig_bell(&b->rq, TX, BURST);
}

/* R25: every position, masked and not. */
static void test_errors_burst_with_bad_data(void **state)
{
    for (unsigned p = 0; p < 2 * 2 * BURST; p++) {
        const struct burst f = { p & 1 ? BAD_DST : BAD_SRC, p >> 2, p & 2 };
        unsigned done = f.abort ? f.at : BURST;
        struct bench b;

        open_burst(&b, *state, &f);
        check_data(&b, &f);
        check_cause(&b, &f);
        CHECK_PTR(&b.rq, TX, Q_COMP_HEAD, done, 1, "bad %s at=%u abort=%d",
                  fault_names[f.fault], f.at, f.abort);
        CHECK_PTR(&b.rq, RX, Q_COMP_HEAD, done, 1, "bad %s at=%u abort=%d",
                  fault_names[f.fault], f.at, f.abort);
    }
}

/* H23: the queue stops fetching; other queues and RST_Q work. */
static void test_errors_burst_with_a_cut_ring(void **state)
{
    for (unsigned p = 0; p < 2 * 2 * BURST; p++) {
        const struct burst f = { p & 1 ? BAD_RX_RING : BAD_TX_RING, p >> 2,
                                 p & 2 };
        enum side side = f.fault == BAD_TX_RING ? TX : RX;
        struct bench b;

        open_burst(&b, *state, &f);
        check_data(&b, &f);
        check_cause(&b, &f);
        CHECK_PTR(&b.rq, side, Q_HEAD, f.at, 1, "bad %s at=%u abort=%d",
                  fault_names[f.fault], f.at, f.abort);
        CHECK_EQ(rig_q(&b.rq, side, Q_STATUS) >> 28 & 1, 0,
                 "bad %s at=%u: prefetch runs", fault_names[f.fault], f.at);
        if (f.at > 0) {
            CHECK_EQ(trench_bus_remove(b.rig->bus, UNMAPPED), 0, "at=%u", f.at);
        }
    }
}

static void test_errors_cut_ring_recovers_with_rst_q(void **state)
{
    for (enum side side = TX; side <= RX; side++) {
        const struct burst f = { side == TX ? BAD_TX_RING : BAD_RX_RING, 0,
                                 true };
        struct bench b;

        open_burst(&b, *state, &f);
        rig_q_set(&b.rq, side, Q_BASE_LO, (uint32_t)b.rq.ring[side].base);
        rig_q_set(&b.rq, side, Q_BASE_HI, 0);
        leave_abort(b.rig);
        CHECK_PTR(&b.rq, side, Q_HEAD, 0, 1, "side %d: still stopped", side);
        rig_queue_program(&b.rq);
        rig_copy(&b.rq, b.dst + 0x1000, b.src, 64);
        CHECK_COPY(b.rig, b.dst + 0x1000, b.src, 64, "side %d", side);
    }
}

/* Masked (H20: as at reset), a fault is one queue's matter. */
static void test_errors_masked_fault_leaves_other_queues(void **state)
{
    const struct burst f = { BAD_TX_RING, 0, false };
    struct rig_queue other;
    struct bench b;

    open_burst(&b, *state, &f);
    rig_queue_open(&other, b.rig, ENGINE, QUEUE + 1, 8);
    rig_copy(&other, b.dst + 0x1000, b.src, 64);
    CHECK_COPY(b.rig, b.dst + 0x1000, b.src, 64, "the other queue");
}

/* B41, H24: the completions of a packet that lost bytes carry ERROR. */
static void test_errors_completions_carry_error(void **state)
{
    for (unsigned p = 0; p < 2 * BURST; p++) {
        const struct burst f = { p & 1 ? BAD_DST : BAD_SRC, p >> 1, false };
        uint64_t tx, rx;
        struct bench b;

        bench_open(&b, *state, 2 * BURST);
        tx = bench_completions(&b, TX);
        rx = bench_completions(&b, RX);
        lay_burst(&b, &f);
        rig_bell(&b.rq, RX, BURST);
        rig_bell(&b.rq, TX, BURST);
        for (unsigned i = 0; i < BURST; i++) {
            uint32_t error = i == f.at ? C_ERROR : 0;

            CHECK_EQ(rig_word(b.rig, tx + 4 * i), D_LAP(1) | D_ONE | error,
                     "bad %s at=%u M2S %u", fault_names[f.fault], f.at, i);
            CHECK_EQ(rig_word(b.rig, rx + 16 * i) & ~C_BUF1,
                     D_LAP(1) | D_ONE | error, "bad %s at=%u S2M %u",
                     fault_names[f.fault], f.at, i);
        }
    }
}

/* ---- runs ------------------------------------------------------------- */

/* H24: one M2S descriptor over four buffers, one of them bad. */
static void test_errors_bad_run_is_skipped(void **state)
{
    for (unsigned bad = 0; bad < 4; bad++) {
        struct bench b;
        uint64_t tx;

        bench_open(&b, *state, 8);
        tx = bench_completions(&b, TX);
        for (unsigned i = 0; i < 4; i++) {
            rig_rx(&b.rq, i == bad ? UNMAPPED : b.dst + 64 * i, 64);
        }
        rig_tx(&b.rq, D_ONE, b.src, 256);
        rig_bell(&b.rq, RX, 4);
        rig_bell(&b.rq, TX, 1);
        for (unsigned i = 0; i < 4; i++) {
            if (i != bad) {
                CHECK_COPY(b.rig, b.dst + 64 * i, b.src + 64 * i, 64,
                           "bad %u buffer %u", bad, i);
            }
        }
        CHECK_EQ(rig_word(b.rig, tx), D_LAP(1) | D_ONE | C_ERROR, "bad %u",
                 bad);
        CHECK_PTR(&b.rq, RX, Q_COMP_HEAD, 4, 1, "bad %u", bad);
        CHECK_EQ(rig_stats(b.rig, ENGINE).bytes, 192, "bad %u", bad);
    }
}

/* ... and the other way round: four descriptors, one bad, into one buffer. */
static void test_errors_bad_source_run_is_skipped(void **state)
{
    for (unsigned bad = 0; bad < 4; bad++) {
        struct bench b;

        bench_open(&b, *state, 8);
        rig_rx(&b.rq, b.dst, 256);
        for (unsigned i = 0; i < 4; i++) {
            rig_tx(&b.rq, d_marks(i, 4), i == bad ? UNMAPPED : b.src + 64 * i,
                   64);
        }
        rig_bell(&b.rq, RX, 1);
        rig_bell(&b.rq, TX, 4);
        for (unsigned i = 0; i < 4; i++) {
            if (i == bad) {
                CHECK_UNTOUCHED(b.rig, b.dst + 64 * i, 64, "bad %u", bad);
            } else {
                CHECK_COPY(b.rig, b.dst + 64 * i, b.src + 64 * i, 64,
                           "bad %u part %u", bad, i);
            }
        }
        CHECK_PTR(&b.rq, TX, Q_COMP_HEAD, 4, 1, "bad %u", bad);
    }
}

/* H24: with both ends bad the source is reported; S2M counts the bytes. */
static void test_errors_both_ends_bad(void **state)
{
    struct bench b;
    uint64_t rx;

    bench_open(&b, *state, 8);
    rx = bench_completions(&b, RX);
    rig_copy(&b.rq, UNMAPPED, UNMAPPED + 0x1000, 64);
    CHECK_EQ(causes(b.rig, GROUP_A), 1u << M2S_DATA_RESPONSE, "source");
    CHECK_EQ(causes(b.rig, GROUP_B), 0, "destination");
    CHECK_EQ(rig_stats(b.rig, ENGINE).errors, 1, "one error");
    CHECK_EQ(rig_word(b.rig, rx + 4), 64, "the completion counts them");
    CHECK_EQ(rig_read(b.rig, ENGINE, M2S_BYTES_LO), 0, "the counters do not");
    CHECK_EQ(rig_read(b.rig, ENGINE, S2M_BYTES_LO), 0, "the counters do not");
}

/* A run moves entirely or not at all: over the end of memory by one byte. */
static void test_errors_run_is_checked_as_a_whole(void **state)
{
    static const struct {
        uint64_t end; /* of a memory */
        uint64_t at;  /* of the buffer */
        bool fits;
    } rows[] = {
        { HBM_BYTES, HBM_BYTES - 64, true },
        { HBM_BYTES, HBM_BYTES - 63, false },
        { HBM_BYTES, HBM_BYTES - 1, false },
        { 0x2000038000, 0x2000038000 - 64, true }, /* SBUF partition: H62 */
        { 0x2000038000, 0x2000038000 - 63, false },
        { 0x2803008000, 0x2803008000 - 64, true }, /* POOL's IRAM */
        { 0x2803008000, 0x2803008000 - 32, false },
        { 0x400100000000, 0x400100000000 - 64, true }, /* host, 4 GiB */
        { 0x400100000000, 0x400100000000 - 63, false },
    };
    struct bench b;

    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        uint64_t tail = rows[i].end - rows[i].at;

        tail = tail < 64 ? tail : 64;
        bench_open(&b, *state, 8);
        memset(rig_mem(b.rig, rows[i].at, tail), 0, tail);
        rig_copy(&b.rq, rows[i].at, b.src, 64);
        CHECK_EQ(causes(b.rig, GROUP_B), rows[i].fits ? 0 : 1u << 1, "row %zu",
                 i);
        if (rows[i].fits) {
            CHECK_COPY(b.rig, rows[i].at, b.src, 64, "row %zu", i);
        } else {
            CHECK_UNTOUCHED(b.rig, rows[i].at, tail, "row %zu", i);
        }
        rig_copy(&b.rq, b.dst, rows[i].at, 64);
        CHECK_EQ(causes(b.rig, GROUP_A), rows[i].fits ? 0 : 1u << 8, "row %zu",
                 i);
        if (rows[i].fits) {
            CHECK_COPY(b.rig, b.dst, b.src, 64, "row %zu", i);
        } else {
            CHECK_UNTOUCHED(b.rig, b.dst, 64, "row %zu", i);
        }
    }
}

/* ---- sums at the top -------------------------------------------------- */

/* Buffers of 128 bytes around a top, moved 64 at a time. */
static void check_buffers_at(struct rig *r, uint64_t top)
{
    struct bench b;

    bench_open(&b, r, 8);
    rig_fill(r, HBM_0, 64, 7);
    rig_rx(&b.rq, b.dst, 64);
    rig_rx(&b.rq, b.dst + 64, 64);
    rig_tx(&b.rq, D_ONE, top - 64, 128);
    rig_bell(&b.rq, RX, 2);
    rig_bell(&b.rq, TX, 1);
    CHECK_UNTOUCHED(r, b.dst, 128, "source, top 0x%llx", ULL(top));
    CHECK_EQ(causes(r, GROUP_A), 1u << 8, "top 0x%llx", ULL(top));
    memset(rig_mem(r, HBM_0, 64), 0, 64);
    rig_rx(&b.rq, top - 64, 128);
    rig_tx(&b.rq, D_FIRST, b.src, 64);
    rig_tx(&b.rq, D_LAST, b.src, 64);
    rig_bell(&b.rq, RX, 1);
    rig_bell(&b.rq, TX, 2);
    CHECK_UNTOUCHED(r, HBM_0, 64, "destination, top 0x%llx", ULL(top));
    CHECK_EQ(causes(r, GROUP_B), 1u << 1, "top 0x%llx", ULL(top));
}

/* A ring whose index 4 lies behind the top: base + 64 must not be 0. */
static void check_ring_at(struct rig *r, enum side side, uint64_t top)
{
    uint32_t bit = 1u << (side == TX ? M2S_PREF_RESPONSE : S2M_PREF_RESPONSE);
    uint64_t base = top - 64;
    struct bench b;

    bench_open(&b, r, 8);
    for (unsigned k = 0; k < 4; k++) {
        rig_copy(&b.rq, b.dst, b.src, 64);
    }
    rig_rx(&b.rq, b.dst + 64, 64);
    rig_tx(&b.rq, D_ONE, b.src, 64);
    /* What must not be taken for the descriptor at index 4. */
    memcpy(rig_mem(r, HBM_0, 16), rig_mem(r, b.rq.ring[side].base + 64, 16),
           16);
    rig_q_set(&b.rq, side, Q_BASE_LO, (uint32_t)base);
    rig_q_set(&b.rq, side, Q_BASE_HI, (uint32_t)(base >> 32));
    rig_bell(&b.rq, RX, 1);
    rig_bell(&b.rq, TX, 1);
    CHECK_UNTOUCHED(r, b.dst + 64, 64, "side %d base 0x%llx", side, ULL(base));
    CHECK_EQ(causes(r, side == TX ? GROUP_A : GROUP_B) & bit, bit,
             "side %d base 0x%llx", side, ULL(base));
}

/* H25: a sum that wraps past 2^64, or ends in undefined bits, is nowhere. */
static void test_errors_sums_do_not_wrap(void **state)
{
    static const uint64_t tops[] = { 0, UINT64_C(1) << 58, UINT64_C(1) << 63 };

    for (size_t i = 0; i < ARRAY_LEN(tops); i++) {
        check_buffers_at(*state, tops[i]);
        check_ring_at(*state, TX, tops[i]);
        check_ring_at(*state, RX, tops[i]);
    }
}

/* An access never aliases: a buffer does not run on through an attribute
 * bit, which decoding drops, to address 0. */
static void test_errors_buffers_do_not_carry_into_attributes(void **state)
{
    check_buffers_at(*state, UINT64_C(1) << 56);
    check_buffers_at(*state, UINT64_C(1) << 57);
}

static void test_errors_rings_do_not_carry_into_attributes(void **state)
{
    check_ring_at(*state, TX, UINT64_C(1) << 56);
    check_ring_at(*state, RX, UINT64_C(1) << 56);
    check_ring_at(*state, TX, UINT64_C(1) << 57);
    check_ring_at(*state, RX, UINT64_C(1) << 57);
}

/* ---- completions ------------------------------------------------------ */

/* Causes A5 and B14; masked, the packets go on. */
static void test_errors_bad_completion_ring(void **state)
{
    for (unsigned p = 0; p < 4; p++) {
        enum side side = p & 1 ? RX : TX;
        unsigned group = side == TX ? GROUP_A : GROUP_B;
        unsigned bit = side == TX ? M2S_COMP_RESPONSE : S2M_COMP_RESPONSE;
        bool abort = p & 2;
        struct bench b;

        bench_open(&b, *state, 8);
        rig_q_set(&b.rq, side, Q_COMP_LO, (uint32_t)UNMAPPED);
        rig_q_set(&b.rq, side, Q_COMP_HI, (uint32_t)(UNMAPPED >> 32));
        rig_q_set(&b.rq, side, comp_cfg(side), 3);
        if (abort) {
            abort_on(b.rig, group, bit);
        }
        rig_copy(&b.rq, b.dst, b.src, 64);
        rig_copy(&b.rq, b.dst + 64, b.src + 64, 64);
        CHECK_EQ(causes(b.rig, group) & 1u << bit, 1u << bit,
                 "side %d abort %d", side, abort);
        CHECK_EQ(aborted(b.rig), abort, "side %d abort %d", side, abort);
        CHECK_COPY(b.rig, b.dst, b.src, 64, "side %d abort %d", side, abort);
        if (abort) {
            CHECK_UNTOUCHED(b.rig, b.dst + 64, 64, "side %d", side);
        } else {
            CHECK_COPY(b.rig, b.dst, b.src, 128, "side %d", side);
            CHECK_PTR(&b.rq, side, Q_COMP_HEAD, 2, 1, "side %d", side);
        }
    }
}

/* ---- the log ---------------------------------------------------------- */

static void check_log(struct bench *b, enum side side, const uint32_t want[4],
                      const char *what)
{
    for (uint32_t i = 0; i < 4; i++) {
        CHECK_EQ(
            rig_read(b->rig, ENGINE, (side == RX ? S2M : 0) + LOG_0 + 4 * i),
            want[i], "%s, word %u", what, i);
    }
}

/* A packet that fails on its source (TX) or destination (RX), for addr. */
static void fail_packet(struct bench *b, enum side side, uint64_t addr)
{
    rig_copy(&b->rq, side == RX ? addr : b->dst, side == TX ? addr : b->src,
             64);
}

/* H27: the first error's words stay until clear_err_log. */
static void test_errors_log_keeps_the_first(void **state)
{
    static const uint32_t none[4] = { 0 };

    for (enum side side = TX; side <= RX; side++) {
        uint32_t base = side == RX ? S2M : 0;
        const uint32_t word0 =
            side == TX ? D_LAP(1) | D_ONE | 64 : D_LAP(1) | 64;
        const uint32_t word1 = side == TX ? META_COPY : 0;
        struct bench b;

        bench_open(&b, *state, 16);
        check_log(&b, side, none, "power-on");
        fail_packet(&b, side, UNMAPPED + 0x100);
        check_log(&b, side,
                  (const uint32_t[]){ word0, word1, 0x02000100, 0x20 },
                  "first");
        check_log(&b, !side, none, "the other side's log");
        fail_packet(&b, side, UNMAPPED + 0x200);
        check_log(&b, side,
                  (const uint32_t[]){ word0, word1, 0x02000100, 0x20 },
                  "second");
        rig_write(b.rig, ENGINE, base + CLEAR_ERR_LOG, 0);
        fail_packet(&b, side, UNMAPPED + 0x300);
        check_log(&b, side,
                  (const uint32_t[]){ word0, word1, 0x02000100, 0x20 },
                  "0 clears nothing");
        rig_write(b.rig, ENGINE, base + CLEAR_ERR_LOG, 1);
        CHECK_EQ(rig_read(b.rig, ENGINE, base + LOG_0 + 8), 0x02000100,
                 "side %d: keeps the words", side);
        fail_packet(&b, side, UNMAPPED + 0x400);
        check_log(&b, side,
                  (const uint32_t[]){ word0, word1, 0x02000400, 0x20 },
                  "armed again");
        CHECK_EQ(rig_stats(b.rig, ENGINE).errors, 4, "counted all the same");
    }
}

/* err_log_mask: 1 keeps that cause out of the log, not out of the causes. */
static void test_errors_log_mask(void **state)
{
    for (enum side side = TX; side <= RX; side++) {
        unsigned bit = side == TX ? M2S_DATA_RESPONSE : S2M_DATA_RESPONSE;
        uint32_t base = side == RX ? S2M : 0;
        struct bench b;

        bench_open(&b, *state, 16);
        rig_write(b.rig, ENGINE, base + ERR_LOG_MASK, 1u << bit);
        fail_packet(&b, side, UNMAPPED + 0x100);
        check_log(&b, side, (const uint32_t[4]){ 0 }, "masked");
        CHECK_EQ(causes(b.rig, side == TX ? GROUP_A : GROUP_B), 1u << bit,
                 "side %d", side);
        rig_write(b.rig, ENGINE, base + ERR_LOG_MASK, ~(1u << bit));
        fail_packet(&b, side, UNMAPPED + 0x200);
        CHECK_EQ(rig_read(b.rig, ENGINE, base + LOG_0 + 8), 0x02000200,
                 "side %d: still armed, other bits do not matter", side);
    }
}

/* H27: a completion that the bus refused is logged by its own words. */
static void test_errors_log_of_a_completion(void **state)
{
    for (enum side side = TX; side <= RX; side++) {
        const uint32_t word0 = D_LAP(1) | D_ONE | (side == RX ? C_BUF1 : 0);
        struct bench b;

        bench_open(&b, *state, 8);
        rig_q_set(&b.rq, side, Q_COMP_LO, (uint32_t)UNMAPPED);
        rig_q_set(&b.rq, side, Q_COMP_HI, (uint32_t)(UNMAPPED >> 32));
        rig_q_set(&b.rq, side, comp_cfg(side), 3);
        rig_copy(&b.rq, b.dst, b.src, 64);
        check_log(&b, side, (const uint32_t[4]){ word0, side == RX ? 64 : 0 },
                  "completion");
    }
}

/* H27: a refused ring read has no words, and leaves the log armed. */
static void test_errors_log_of_a_cut_ring(void **state)
{
    const struct burst f = { BAD_TX_RING, 0, false };
    struct rig_queue other;
    struct bench b;

    open_burst(&b, *state, &f);
    check_log(&b, TX, (const uint32_t[4]){ 0 }, "cut ring");
    rig_queue_open(&other, b.rig, ENGINE, QUEUE + 1, 8);
    rig_copy(&other, b.dst, UNMAPPED + 0x100, 64);
    CHECK_EQ(rig_read(b.rig, ENGINE, LOG_0 + 8), 0x02000100, "armed");
}

/* ---- abort ------------------------------------------------------------ */

/* B7: abort = OR(cause and not abort mask), for each secondary group. */
static void test_errors_set_cause_aborts_if_unmasked(void **state)
{
    struct rig *r = *state;

    for (unsigned group = GROUP_A; group <= GROUP_D; group++) {
        for (unsigned bit = 0; bit < 32; bit++) {
            rig_reset(r);
            abort_on(r, group, (bit + 1) % 32);
            rig_write(r, ENGINE, SECONDARY(group) + INT_CAUSE_SET, 1u << bit);
            CHECK_EQ(causes(r, group), 1u << bit, "group %u bit %u", group,
                     bit);
            CHECK_EQ(aborted(r), false, "group %u bit %u masked", group, bit);
            abort_on(r, group, bit); /* the cause is there already */
            CHECK_EQ(aborted(r), true, "group %u bit %u", group, bit);
            rig_reset(r);
            abort_on(r, group, bit);
            rig_write(r, ENGINE, SECONDARY(group) + INT_CAUSE_SET, 1u << bit);
            CHECK_EQ(aborted(r), true, "group %u bit %u", group, bit);
        }
    }
}

/* The interrupt mask is another matter than the abort mask. */
static void test_errors_interrupt_mask_does_not_abort(void **state)
{
    struct rig *r = *state;

    rig_write(r, ENGINE, SECONDARY(GROUP_A) + INT_MASK, 0);
    rig_write(r, ENGINE, SECONDARY(GROUP_A) + INT_CAUSE_SET, 0xFFFFFFFF);
    CHECK_EQ(aborted(r), false, "H20: abort masks are ones at reset");
    rig_write(r, ENGINE, PRIMARY(GROUP_D) + INT_ABORT_MASK, 0);
    rig_write(r, ENGINE, PRIMARY(GROUP_D) + INT_CAUSE_SET, 0xFFFFFFFF);
    CHECK_EQ(aborted(r), false, "primary groups stop nothing");
}

/* GEN abort_ctl.mask_local_abort keeps it from the engine. */
static void test_errors_abort_ctl(void **state)
{
    struct bench b;

    for (uint32_t ctl = 0; ctl < 4; ctl++) {
        bench_open(&b, *state, 8);
        rig_write(b.rig, ENGINE, GEN + 0x211C, ctl);
        abort_on(b.rig, GROUP_A, M2S_DATA_RESPONSE);
        fail_packet(&b, TX, UNMAPPED);
        CHECK_EQ(causes(b.rig, GROUP_A), 1u << 8, "ctl %u", ctl);
        CHECK_EQ(aborted(b.rig), !(ctl & 1), "ctl %u", ctl);
    }
}

/* H3, B8: clear the cause, reset the queue, NORMAL; only that is an exit. */
static void test_errors_abort_ends_with_normal(void **state)
{
    struct bench b;

    bench_open(&b, *state, 8);
    abort_on(b.rig, GROUP_A, M2S_DATA_RESPONSE);
    fail_packet(&b, TX, UNMAPPED);
    CHECK_EQ(aborted(b.rig), true, "abort");
    rig_write(b.rig, ENGINE, SECONDARY(GROUP_A) + INT_CAUSE, 0);
    CHECK_EQ(aborted(b.rig), true, "clearing the cause");
    rig_queue_program(&b.rq);
    CHECK_EQ(aborted(b.rig), true, "resetting the queue");
    leave_abort(b.rig);
    rig_copy(&b.rq, b.dst, b.src, 64);
    CHECK_COPY(b.rig, b.dst, b.src, 64, "works again");
    fail_packet(&b, TX, UNMAPPED);
    CHECK_EQ(aborted(b.rig), true, "and aborts again");
}

/* B7: an aborted engine drops no packets, writes no completions. */
static void test_errors_timers_stop_with_abort(void **state)
{
    struct rig_queue other;
    struct bench b;
    uint64_t comp;

    bench_open(&b, *state, 8);
    comp = bench_completions(&b, TX);
    rig_write(b.rig, ENGINE, S2M_DATA_CFG_2, 0x28000064); /* drop after 100 */
    rig_tx(&b.rq, D_ONE, b.src, 64);
    rig_bell(&b.rq, TX, 1); /* waits for a buffer */
    rig_queue_open(&other, b.rig, ENGINE, QUEUE + 1, 8);
    abort_on(b.rig, GROUP_A, M2S_DATA_RESPONSE);
    rig_copy(&other, b.dst, UNMAPPED, 64);
    CHECK_EQ(aborted(b.rig), true, "abort");
    trench_soc_advance(b.rig->soc, 1000);
    CHECK_EQ(rig_read(b.rig, ENGINE, S2M_DROP_PKT), 0, "frozen");
    CHECK_UNTOUCHED(b.rig, comp, 64, "frozen");
    CHECK_PTR(&b.rq, TX, Q_COMP_HEAD, 0, 1, "frozen");
}

/* ---- regressions ------------------------------------------------------ */

#define PARTS 4u

/* A completion ring of 8 with a hole where entry `at` would go. */
static uint64_t holed_ring(struct bench *b, enum side side, unsigned at)
{
    uint64_t bytes = side == RX ? 16 : 4;
    uint64_t base = UNMAPPED + 0x10000 * (2 * at + side);
    struct trench_bus_mem before = { .name = "before",
                                     .base = base,
                                     .size_bytes = bytes * at };
    struct trench_bus_mem behind = { .name = "behind",
                                     .base = base + bytes * (at + 1),
                                     .size_bytes = bytes * (7 - at) };

    if (at > 0) {
        CHECK_EQ(trench_bus_add_memory(b->rig->bus, &before), 0, "at=%u", at);
    }
    CHECK_EQ(trench_bus_add_memory(b->rig->bus, &behind), 0, "at=%u", at);
    rig_q_set(&b->rq, side, Q_COMP_LO, (uint32_t)base);
    rig_q_set(&b->rq, side, Q_COMP_HI, (uint32_t)(base >> 32));
    rig_q_set(&b->rq, side, comp_cfg(side), 3);
    return base;
}

/* H37: nothing is delivered again, and the other completions come. */
static void check_holed_ring(struct rig *r, enum side side, unsigned at)
{
    unsigned group = side == TX ? GROUP_A : GROUP_B;
    uint32_t parts[2] = { side == TX ? PARTS : 1, side == TX ? 1 : PARTS };
    struct bench b;
    uint64_t comp;

    bench_open(&b, r, 8);
    comp = holed_ring(&b, side, at);
    abort_on(r, group, side == TX ? M2S_COMP_RESPONSE : S2M_COMP_RESPONSE);
    bench_packet(&b, parts[TX], parts[RX], 64 * PARTS);
    CHECK_EQ(aborted(r), true, "side %d at=%u", side, at);
    /* Buffers that a packet delivered twice would land in. */
    rig_rx(&b.rq, b.dst + 0x1000, 64);
    rig_rx(&b.rq, b.dst + 0x2000, 64 * PARTS);
    rig_bell(&b.rq, RX, 2);
    rig_write(r, ENGINE, SECONDARY(group) + INT_ABORT_MASK, 0xFFFFFFFF);
    leave_abort(r);
    CHECK_COPY(r, b.dst, b.src, 64 * PARTS, "side %d at=%u", side, at);
    CHECK_UNTOUCHED(r, b.dst + 0x1000, 64, "side %d at=%u", side, at);
    for (unsigned i = 0; i < PARTS; i++) {
        if (i != at) {
            CHECK_EQ(rig_word(r, comp + (side == RX ? 16 : 4) * i),
                     D_LAP(1) | d_marks(i, PARTS) | (side == RX ? C_BUF1 : 0),
                     "side %d at=%u entry %u", side, at, i);
        }
    }
    for (enum side s = TX; s <= RX; s++) {
        CHECK_PTR(&b.rq, s, Q_COMP_HEAD, parts[s], 1, "side %d at=%u", side,
                  at);
        CHECK_PTR(&b.rq, s, Q_CUR, parts[s], 1, "side %d at=%u", side, at);
    }
    CHECK_EQ(rig_stats(r, ENGINE).packets, 1, "side %d at=%u", side, at);
    CHECK_EQ(rig_stats(r, ENGINE).bytes, 64 * PARTS, "side %d at=%u", side, at);
    CHECK_EQ(rig_stats(r, ENGINE).errors, 1, "side %d at=%u", side, at);
    rig_tx(&b.rq, D_ONE, b.src + 0x1000, 64);
    rig_bell(&b.rq, TX, 1);
    CHECK_COPY(r, b.dst + 0x1000, b.src + 0x1000, 64, "side %d at=%u", side,
               at);
}

static void test_errors_abort_between_completions(void **state)
{
    for (unsigned at = 0; at < PARTS; at++) {
        check_holed_ring(*state, TX, at);
        check_holed_ring(*state, RX, at);
    }
}

/* H4: a cause that mask_local_abort held back acts when that is lifted. */
static void test_errors_abort_ctl_lifted(void **state)
{
    struct rig *r = *state;

    for (unsigned group = GROUP_A; group <= GROUP_D; group++) {
        rig_reset(r);
        rig_write(r, ENGINE, GEN + 0x211C, 1);
        abort_on(r, group, 9);
        rig_write(r, ENGINE, SECONDARY(group) + INT_CAUSE_SET, 1u << 9);
        CHECK_EQ(aborted(r), false, "group %u: held back", group);
        rig_write(r, ENGINE, GEN + 0x211C, 0);
        CHECK_EQ(aborted(r), true, "group %u: lifted", group);
        rig_reset(r);
        rig_write(r, ENGINE, GEN + 0x211C, 1);
        rig_write(r, ENGINE, SECONDARY(group) + INT_CAUSE_SET, 1u << 9);
        rig_write(r, ENGINE, GEN + 0x211C, 0);
        CHECK_EQ(aborted(r), false, "group %u: masked", group);
    }
}

#define TEST(name)                                                             \
    cmocka_unit_test_setup_teardown(name, rig_setup, rig_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_errors_burst_with_bad_data),
        TEST(test_errors_burst_with_a_cut_ring),
        TEST(test_errors_cut_ring_recovers_with_rst_q),
        TEST(test_errors_masked_fault_leaves_other_queues),
        TEST(test_errors_completions_carry_error),
        TEST(test_errors_bad_run_is_skipped),
        TEST(test_errors_bad_source_run_is_skipped),
        TEST(test_errors_both_ends_bad),
        TEST(test_errors_run_is_checked_as_a_whole),
        TEST(test_errors_sums_do_not_wrap),
        TEST(test_errors_buffers_do_not_carry_into_attributes),
        TEST(test_errors_rings_do_not_carry_into_attributes),
        TEST(test_errors_bad_completion_ring),
        TEST(test_errors_log_keeps_the_first),
        TEST(test_errors_log_mask),
        TEST(test_errors_log_of_a_completion),
        TEST(test_errors_log_of_a_cut_ring),
        TEST(test_errors_set_cause_aborts_if_unmasked),
        TEST(test_errors_interrupt_mask_does_not_abort),
        TEST(test_errors_abort_ctl),
        TEST(test_errors_abort_ends_with_normal),
        TEST(test_errors_timers_stop_with_abort),
        TEST(test_errors_abort_between_completions),
        TEST(test_errors_abort_ctl_lifted),
    };

    return cmocka_run_group_tests_name("errors", tests, NULL, NULL);
}
