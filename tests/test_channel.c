/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What both sides of a channel share: ring pointers, doorbells, queue resets,
 * enables, the state machine. udma-engine B1 to B23 (the driver's B4 and B5
 * are in test_hal.c), K2, K3, K10 to K12; hardware.md H1 to H4, H28, H29, H55.
 */
#include <trench/soc.h>

#include "check.h"
#include "rig.h"

static const uint32_t lengths[] = { 1, 2, 3, 7, 16, 100 };
static const char *const side_names[] = { "TX", "RX" };

static uint64_t guest_errors(struct rig *r)
{
    struct trench_soc_stats stats;

    trench_soc_stats(r->soc, &stats);
    return stats.guest_errors;
}

/* The word of a pointer after n descriptors (B15). */
static uint32_t ptr_after(uint64_t n, uint32_t len)
{
    return (uint32_t)(n % len) | (uint32_t)((1 + n / len) & 3) << 30;
}

/* ---- doorbells ------------------------------------------------------------
 */

struct bell {
    uint32_t len;
    uint32_t start; /* rung before, so that the tail is here */
    uint32_t n;
};

/* B19, B20, B21, H28 on a queue that does not fetch. */
static void check_bell(struct rig *r, enum side side, const struct bell *b)
{
    struct rig_queue rq = { .rig = r, .engine = ENGINE, .q = QUEUE };
    uint32_t n = b->n & 0xFFFFFF; /* bits 31:24 are reserved */
    uint64_t used = (uint64_t)b->start + n;
    uint64_t bells = (b->start > 0) + (n > 0);

    trench_soc_reset(r->soc);
    rig_q_set(&rq, side, Q_LEN, b->len);
    if (b->start > 0) {
        rig_bell(&rq, side, b->start);
    }
    CHECK_EQ(guest_errors(r), 0, "%s len=%u start=%u", side_names[side], b->len,
             b->start);
    rig_bell(&rq, side, b->n);
    CHECK_EQ(rig_q(&rq, side, Q_TAIL), ptr_after(used, b->len),
             "%s len=%u start=%u n=%u", side_names[side], b->len, b->start,
             b->n);
    CHECK_EQ(guest_errors(r), used > b->len, "%s len=%u start=%u n=%u",
             side_names[side], b->len, b->start, b->n);
    CHECK_EQ(rig_stats(r, ENGINE).doorbells, bells, "%s len=%u start=%u n=%u",
             side_names[side], b->len, b->start, b->n);
    CHECK_PTR(&rq, side, Q_HEAD, 0, 1, "%s fetched", side_names[side]);
    CHECK_EQ((rig_q(&rq, side, Q_STATUS) & 0x1FFFFFF) % b->len, used % b->len,
             "%s len=%u start=%u n=%u: modulo", side_names[side], b->len,
             b->start, b->n);
    if (used <= b->len) {
        /* q_used in 24:0, q_full in 31; nothing runs. */
        CHECK_EQ(rig_q(&rq, side, Q_STATUS),
                 used | (used == b->len ? 1u << 31 : 0),
                 "%s len=%u start=%u n=%u", side_names[side], b->len, b->start,
                 b->n);
    }
}

static void test_channel_doorbell_arithmetic(void **state)
{
    for (size_t l = 0; l < ARRAY_LEN(lengths); l++) {
        uint32_t len = lengths[l];
        const uint32_t ns[] = { 0,          1,          len - 1,
                                len,        len + 1,    2 * len,
                                4 * len,    0xFFFFFF,   0xFF000000,
                                0xFF000001, 0xFFFFFFFF, 0x01000000 | len };

        for (size_t i = 0; i < ARRAY_LEN(ns); i++) {
            for (uint32_t start = 0; start < len; start += 1 + len / 3) {
                const struct bell b = { len, start, ns[i] };

                check_bell(*state, TX, &b);
                check_bell(*state, RX, &b);
            }
        }
    }
}

/* B14: the largest ring that the register can say. */
static void test_channel_doorbell_on_a_huge_ring(void **state)
{
    static const struct bell bells[] = {
        { 0xFFFFFF, 0, 0xFFFFFF },        { 0xFFFFFF, 0, 0xFFFFFE },
        { 0xFFFFFF, 0xFFFFFE, 1 },        { 0xFFFFFF, 0xFFFFFE, 2 },
        { 0xFFFFFF, 0xFFFFFE, 0xFFFFFF }, { 0xFFFFF0, 0xFFFFEF, 0xFFFFF0 },
    };

    for (size_t i = 0; i < ARRAY_LEN(bells); i++) {
        check_bell(*state, TX, &bells[i]);
        check_bell(*state, RX, &bells[i]);
    }
}

/* H29, B17: with length 0 the tail counts in 24 bits, nothing is fetched. */
static void test_channel_doorbell_without_a_ring(void **state)
{
    struct rig *r = *state;

    for (enum side side = TX; side <= RX; side++) {
        struct rig_queue rq = { .rig = r, .engine = ENGINE, .q = QUEUE };

        trench_soc_reset(r->soc);
        rig_q_set(&rq, side, Q_CFG, Q_CFG_ENABLED);
        rig_bell(&rq, side, 5);
        CHECK_PTR(&rq, side, Q_TAIL, 5, 1, "%s", side_names[side]);
        rig_bell(&rq, side, 0xFFFFFF);
        CHECK_PTR(&rq, side, Q_TAIL, 4, 1, "%s", side_names[side]);
        CHECK_PTR(&rq, side, Q_HEAD, 0, 1, "%s", side_names[side]);
        CHECK_EQ(rig_read(r, ENGINE, side == TX ? M2S_PREFED : S2M_PREFED), 0,
                 "%s", side_names[side]);
        CHECK_EQ(rig_stats(r, ENGINE).errors, 0, "%s", side_names[side]);
    }
}

/* K12: queues enabled over base 0 and length 0 are idle. */
static void test_channel_enabled_queues_without_rings_are_idle(void **state)
{
    struct rig *r = *state;
    struct trench_bus_fault fault;

    for (unsigned q = 0; q < 16; q++) {
        rig_write(r, ENGINE, q_off(TX, q, Q_CFG), Q_CFG_ENABLED);
        rig_write(r, ENGINE, q_off(RX, q, Q_CFG), Q_CFG_ENABLED);
    }
    CHECK_EQ(rig_read(r, ENGINE, STATE), 0, "M2S idle");
    CHECK_EQ(rig_read(r, ENGINE, S2M + STATE), 0, "S2M idle");
    CHECK_EQ(rig_read(r, ENGINE, M2S_PREFED), 0, "nothing fetched");
    trench_bus_last_fault(r->bus, &fault);
    CHECK_EQ(fault.count, 0, "nothing touched");
}

/* ---- pointers --------------------------------------------------------------
 */

static void check_all_ptrs(struct rig_queue *rq, uint64_t n)
{
    static const uint32_t regs[] = { Q_HEAD, Q_TAIL, Q_CUR, Q_COMP_HEAD,
                                     Q_COMP_INTERNAL };

    for (enum side side = TX; side <= RX; side++) {
        for (size_t i = 0; i < ARRAY_LEN(regs); i++) {
            CHECK_EQ(rig_q(rq, side, regs[i]), ptr_after(n, rq->ring[side].len),
                     "%s len=%u n=%llu register 0x%x", side_names[side],
                     rq->ring[side].len, ULL(n), regs[i]);
        }
        CHECK_EQ(rig_q(rq, side, Q_STATUS), 0x30000000, "%s len=%u n=%llu",
                 side_names[side], rq->ring[side].len, ULL(n));
    }
}

/* B15: laps 1, 2, 3, 0, 1 on every ring; a packet at a time, full rings. */
static void test_channel_laps_follow_the_ring(void **state)
{
    struct rig *r = *state;

    for (size_t l = 0; l < ARRAY_LEN(lengths); l++) {
        struct rig_queue rq;
        uint64_t src, dst;

        rig_reset(r);
        src = rig_alloc(r, 4096);
        dst = rig_alloc(r, 4096);
        rig_queue_open(&rq, r, ENGINE, QUEUE, lengths[l]);
        check_all_ptrs(&rq, 0);
        for (uint32_t n = 0; n < 5 * lengths[l]; n++) {
            rig_fill(r, src, 32, n);
            rig_copy(&rq, dst, src, 32);
            check_all_ptrs(&rq, n + 1);
            CHECK_COPY(r, dst, src, 32, "len=%u n=%u", lengths[l], n);
        }
        CHECK_EQ(rig_stats(r, ENGINE).errors, 0, "len=%u", lengths[l]);
    }
}

/* B20: n = length on an empty ring; equal offsets, different laps: full. */
static void test_channel_full_ring_is_not_empty(void **state)
{
    struct rig *r = *state;

    for (size_t l = 0; l < ARRAY_LEN(lengths); l++) {
        uint32_t len = lengths[l];
        struct rig_queue rq;
        uint64_t src, dst;

        rig_reset(r);
        src = rig_alloc(r, 4096);
        dst = rig_alloc(r, 4096);
        rig_fill(r, src, 4096, len);
        rig_queue_open(&rq, r, ENGINE, QUEUE, len);
        for (uint32_t round = 1; round <= 5; round++) {
            rig_q_set(&rq, TX, Q_CFG, Q_CFG_DISABLED);
            for (uint32_t i = 0; i < len; i++) {
                rig_rx(&rq, dst + 32 * i, 32);
                rig_tx(&rq, D_ONE, src + 32 * i, 32);
            }
            memset(rig_mem(r, dst, 4096), 0, 4096);
            rig_bell(&rq, RX, len);
            rig_bell(&rq, TX, len);
            CHECK_EQ(rig_q(&rq, TX, Q_TAIL), ptr_after(round * len, len),
                     "len=%u round=%u", len, round);
            CHECK_EQ(rig_q(&rq, TX, Q_STATUS), 0x80000000 | len,
                     "len=%u round=%u: q_full, q_used", len, round);
            CHECK_UNTOUCHED(r, dst, 32, "len=%u round=%u", len, round);
            rig_q_set(&rq, TX, Q_CFG, Q_CFG_ENABLED);
            check_all_ptrs(&rq, round * len);
            CHECK_COPY(r, dst, src, 32 * len, "len=%u round=%u", len, round);
        }
    }
}

/* B13, B14, K10: base bits 5:0 read as zero, the length has 24 bits. */
static void test_channel_base_is_64_byte_aligned(void **state)
{
    struct rig *r = *state;
    struct rig_queue rq;
    uint64_t src = rig_alloc(r, 4096);

    rig_fill(r, src, 64, 1);
    rig_queue_open(&rq, r, ENGINE, QUEUE, 8);
    for (enum side side = TX; side <= RX; side++) {
        uint32_t base = (uint32_t)rq.ring[side].base;

        rig_q_set(&rq, side, Q_BASE_LO, 0xFFFFFFFF);
        CHECK_EQ(rig_q(&rq, side, Q_BASE_LO), 0xFFFFFFC0, "%s",
                 side_names[side]);
        rig_q_set(&rq, side, Q_BASE_HI, 0xFFFFFFFF);
        CHECK_EQ(rig_q(&rq, side, Q_BASE_HI), 0xFFFFFFFF, "%s",
                 side_names[side]);
        rig_q_set(&rq, side, Q_LEN, 0xFFFFFFFF);
        CHECK_EQ(rig_q(&rq, side, Q_LEN), 0xFFFFFF, "%s", side_names[side]);
        rig_q_set(&rq, side, Q_BASE_LO, base | 0x3F);
        rig_q_set(&rq, side, Q_BASE_HI, 0);
        rig_q_set(&rq, side, Q_LEN, 8);
    }
    rig_copy(&rq, src + 1024, src, 64);
    CHECK_COPY(r, src + 1024, src, 64, "copy");
}

/* B16: base and length can change under the pointers, which stay. */
static void test_channel_base_and_length_keep_pointers(void **state)
{
    struct rig *r = *state;
    struct rig_queue rq;
    uint64_t src = rig_alloc(r, 4096);

    rig_queue_open(&rq, r, ENGINE, QUEUE, 8);
    for (unsigned i = 0; i < 3; i++) {
        rig_copy(&rq, src + 1024, src, 64);
    }
    for (enum side side = TX; side <= RX; side++) {
        rq.ring[side].base = rig_alloc(r, 4096);
        rig_q_set(&rq, side, Q_BASE_LO, (uint32_t)rq.ring[side].base);
        rq.ring[side].len = 16;
        rig_q_set(&rq, side, Q_LEN, 16);
    }
    check_all_ptrs(&rq, 3);
    rig_fill(r, src, 64, 2);
    rig_copy(&rq, src + 1024, src, 64); /* index 3 of the new ring */
    check_all_ptrs(&rq, 4);
    CHECK_COPY(r, src + 1024, src, 64, "from the new ring");
}

/* ---- q_sw_ctrl --------------------------------------------------------------
 */

/* Five packets on rings of 4, then two doorbells that are only fetched. */
static void open_moved_queue(struct rig *r, struct rig_queue *rq)
{
    uint64_t src;

    rig_reset(r);
    src = rig_alloc(r, 4096);
    rig_queue_open(rq, r, ENGINE, QUEUE, 4);
    for (unsigned i = 0; i < 5; i++) {
        rig_copy(rq, src + 1024, src, 64);
    }
    rig_q_set(rq, RX, Q_CFG, 0x03010000); /* en_stream off: nothing moves */
    for (unsigned i = 0; i < 2; i++) {
        rig_rx(rq, src + 1024, 64);
        rig_tx(rq, D_ONE, src, 64);
    }
    rig_bell(rq, RX, 2);
    rig_bell(rq, TX, 2);
    rig_q_set(rq, TX, TXQ_DATA_BELL, 6);
    rig_q_set(rq, TX, Q_CFG, Q_CFG_DISABLED);
    rig_q_set(rq, RX, Q_CFG, Q_CFG_DISABLED);
}

struct ptr_row {
    uint32_t reg;
    uint32_t before;
    uint32_t bits; /* of q_sw_ctrl that reset it */
};

static const struct ptr_row tx_ptrs[] = {
    { Q_TAIL, 0x80000003, 0x102 },      { Q_HEAD, 0x80000003, 0x104 },
    { Q_CUR, 0x80000001, 0x108 },       { TXQ_DATA_TAIL, 0x80000002, 0x110 },
    { Q_COMP_HEAD, 0x80000001, 0x100 }, { Q_COMP_INTERNAL, 0x80000001, 0x100 },
};

/* B18, K2: each bit acts alone, RST_Q is all of them. */
static void test_channel_sw_ctrl_bits_of_m2s(void **state)
{
    static const uint32_t words[] = { 0x000, 0x001, 0x002, 0x004,     0x008,
                                      0x010, 0x100, 0x00C, 0xFFFFFE00 };

    for (size_t w = 0; w < ARRAY_LEN(words); w++) {
        struct rig_queue rq;

        open_moved_queue(*state, &rq);
        rig_q_set(&rq, TX, TXQ_SW_CTRL, words[w]);
        for (size_t i = 0; i < ARRAY_LEN(tx_ptrs); i++) {
            CHECK_EQ(rig_q(&rq, TX, tx_ptrs[i].reg),
                     words[w] & tx_ptrs[i].bits ? PTR_RESET : tx_ptrs[i].before,
                     "word 0x%x register 0x%x", words[w], tx_ptrs[i].reg);
        }
        CHECK_EQ(rig_q(&rq, RX, Q_TAIL), 0x80000003, "the other side");
    }
}

/* Bit 4 is rst_prefetch on this side; RST_Q flushes as well. */
static void test_channel_sw_ctrl_bits_of_s2m(void **state)
{
    static const uint32_t words[] = { 0x000, 0x001, 0x002,      0x004,
                                      0x008, 0x100, 0xFFFFFE00, 0x010 };

    for (size_t w = 0; w < ARRAY_LEN(words); w++) {
        bool flush = words[w] & 0x110;
        struct rig_queue rq;

        open_moved_queue(*state, &rq);
        rig_q_set(&rq, RX, RXQ_SW_CTRL, words[w]);
        rig_write(*state, ENGINE, S2M_INDIRECT, QUEUE);
        CHECK_EQ(rig_read(*state, ENGINE, S2M_SEL_PREF) & 0x0100FFFF,
                 flush ? 0x01000000 : 2, "word 0x%x", words[w]);
        for (size_t i = 0; words[w] != 0x010 && i < ARRAY_LEN(tx_ptrs); i++) {
            if (tx_ptrs[i].reg != TXQ_DATA_TAIL) {
                CHECK_EQ(rig_q(&rq, RX, tx_ptrs[i].reg),
                         words[w] & tx_ptrs[i].bits ? PTR_RESET
                                                    : tx_ptrs[i].before,
                         "word 0x%x register 0x%x", words[w], tx_ptrs[i].reg);
            }
        }
        CHECK_EQ(rig_q(&rq, TX, Q_TAIL), 0x80000003, "the other side");
    }
}

/* RST_Q acts on its own queue only. */
static void test_channel_reset_leaves_other_queues(void **state)
{
    struct rig *r = *state;
    struct rig_queue rq[2];
    uint64_t src = rig_alloc(r, 4096);

    rig_queue_open(&rq[0], r, ENGINE, 0, 8);
    rig_queue_open(&rq[1], r, ENGINE, 1, 8);
    rig_copy(&rq[0], src + 1024, src, 64);
    rig_copy(&rq[1], src + 1024, src, 64);
    rig_q_set(&rq[0], TX, TXQ_SW_CTRL, RST_Q);
    rig_q_set(&rq[0], RX, RXQ_SW_CTRL, RST_Q);
    check_all_ptrs(&rq[0], 0);
    check_all_ptrs(&rq[1], 1);
}

/* K11, B18: a packet half delivered, more behind it, then 5.8.2 again. */
static void test_channel_reinit_drops_old_work(void **state)
{
    struct rig *r = *state;

    for (unsigned posted = 0; posted <= 3; posted++) {
        struct rig_queue rq;
        uint64_t src, dst;

        rig_reset(r);
        src = rig_alloc(r, 4096);
        dst = rig_alloc(r, 8192);
        rig_fill(r, src, 4096, posted);
        rig_queue_open(&rq, r, ENGINE, QUEUE, 16);
        for (unsigned i = 0; i < posted; i++) {
            rig_rx(&rq, dst + 64 * i, 64);
        }
        rig_tx(&rq, D_ONE, src, 256); /* needs 4 buffers */
        rig_tx(&rq, D_ONE, src, 64);
        rig_bell(&rq, RX, posted);
        rig_bell(&rq, TX, 2);
        CHECK_COPY(r, dst, src, 64 * posted, "posted=%u", posted);
        for (enum side side = TX; side <= RX; side++) {
            rq.ring[side].base = rig_alloc(r, 4096);
        }
        rig_queue_program(&rq);
        check_all_ptrs(&rq, 0);
        rig_copy(&rq, dst + 4096, src + 1000, 128);
        check_all_ptrs(&rq, 1);
        CHECK_COPY(r, dst + 4096, src + 1000, 128, "posted=%u", posted);
        CHECK_UNTOUCHED(r, dst + 4096 + 128, 256, "posted=%u", posted);
        CHECK_UNTOUCHED(r, dst + 64 * posted, 256, "posted=%u", posted);
    }
}

/* ---- enables ---------------------------------------------------------------
 */

enum {
    EN_TX_PREF = 1 << 0,
    EN_TX_SCHED = 1 << 1,
    EN_RX_PREF = 1 << 2,
    EN_RX_STREAM = 1 << 3,
    EN_TX_MASTER = 1 << 4, /* pref_queue_en */
    EN_RX_MASTER = 1 << 5,
    EN_ALL = (1 << 6) - 1,
};

static void set_enables(struct rig_queue *rq, unsigned en)
{
    uint32_t others = 0xFFFF & ~(1u << rq->q);

    rig_q_set(rq, TX, Q_CFG, 0x03000000 | (en & 3) << 16);
    rig_q_set(rq, RX, Q_CFG, 0x03000000 | (en >> 2 & 3) << 16);
    rig_write(rq->rig, rq->engine, M2S_PREF_EN,
              others | (en & EN_TX_MASTER ? 1u << rq->q : 0));
    rig_write(rq->rig, rq->engine, S2M_PREF_EN,
              others | (en & EN_RX_MASTER ? 1u << rq->q : 0));
}

/* B10, B23: doorbells move the tail; work starts when all bits are set. */
static void test_channel_needs_every_enable_bit(void **state)
{
    struct rig *r = *state;

    for (unsigned en = 0; en <= EN_ALL; en++) {
        bool tx_fetch = (en & EN_TX_PREF) && (en & EN_TX_MASTER);
        bool rx_fetch = (en & EN_RX_PREF) && (en & EN_RX_MASTER);
        struct rig_queue rq;
        uint64_t src;

        rig_reset(r);
        src = rig_alloc(r, 4096);
        rig_fill(r, src, 64, en);
        rig_queue_open(&rq, r, ENGINE, QUEUE, 8);
        set_enables(&rq, en);
        rig_copy(&rq, src + 1024, src, 64);
        CHECK_PTR(&rq, TX, Q_TAIL, 1, 1, "en=0x%x", en);
        CHECK_PTR(&rq, RX, Q_TAIL, 1, 1, "en=0x%x", en);
        CHECK_PTR(&rq, TX, Q_HEAD, tx_fetch, 1, "en=0x%x", en);
        CHECK_PTR(&rq, RX, Q_HEAD, rx_fetch, 1, "en=0x%x", en);
        if (en != EN_ALL) {
            CHECK_UNTOUCHED(r, src + 1024, 64, "en=0x%x", en);
            CHECK_EQ(rig_q(&rq, TX, Q_STATUS) & 0x1FFFFFF, 1, "en=0x%x", en);
            CHECK_EQ(rig_q(&rq, RX, Q_STATUS) & 0x1FFFFFF, 1, "en=0x%x", en);
            set_enables(&rq, EN_ALL);
        }
        check_all_ptrs(&rq, 1);
        CHECK_COPY(r, src + 1024, src, 64, "en=0x%x", en);
    }
}

/* B11: status bits 28 and 29 follow the enables of the queue. */
static void test_channel_status_mirrors_queue_enables(void **state)
{
    struct rig *r = *state;
    struct rig_queue rq;

    rig_queue_open(&rq, r, ENGINE, QUEUE, 8);
    for (uint32_t en = 0; en < 4; en++) {
        for (enum side side = TX; side <= RX; side++) {
            rig_q_set(&rq, side, Q_CFG, 0x03000000 | en << 16);
            CHECK_EQ(rig_q(&rq, side, Q_STATUS), en << 28, "%s en=%u",
                     side_names[side], en);
        }
    }
}

/* B10, B11: prefetch does not run while the master enable is off. */
static void test_channel_status_mirrors_master_enable(void **state)
{
    struct rig *r = *state;
    struct rig_queue rq;

    rig_queue_open(&rq, r, ENGINE, QUEUE, 8);
    rig_write(r, ENGINE, M2S_PREF_EN, 0xFFFF & ~(1u << QUEUE));
    rig_write(r, ENGINE, S2M_PREF_EN, 0xFFFF & ~(1u << QUEUE));
    for (enum side side = TX; side <= RX; side++) {
        CHECK_EQ(rig_q(&rq, side, Q_STATUS), 0x20000000, "%s",
                 side_names[side]);
    }
}

/* ---- the state machine -----------------------------------------------------
 */

static void command(struct rig *r, uint32_t cmd)
{
    rig_write(r, ENGINE, CHANGE_STATE, cmd); /* M2S, then S2M (B2) */
    rig_write(r, ENGINE, S2M + CHANGE_STATE, cmd);
}

/* B9, H2: queues run after power-on without a NORMAL command. */
static void test_channel_runs_after_power_on(void **state)
{
    struct rig *r = *state;
    struct rig_queue rq;
    uint64_t src = rig_alloc(r, 4096);

    rig_fill(r, src, 64, 1);
    rig_queue_open(&rq, r, ENGINE, QUEUE, 8);
    rig_copy(&rq, src + 1024, src, 64);
    CHECK_COPY(r, src + 1024, src, 64, "copy");
}

/* B1, B3, H55: 0 idle, 1 while a packet waits, 2 after abort. */
static void test_channel_state_codes(void **state)
{
    struct rig *r = *state;
    struct rig_queue rq;

    rig_queue_open(&rq, r, ENGINE, QUEUE, 8);
    CHECK_EQ(rig_read(r, ENGINE, STATE), 0, "power-on");
    CHECK_EQ(rig_read(r, ENGINE, S2M + STATE), 0, "power-on");
    command(r, CMD_NORMAL);
    CHECK_EQ(rig_read(r, ENGINE, STATE), 0, "normal without work");
    rig_q_set(&rq, RX, Q_CFG, 0x03010000);
    rig_tx(&rq, D_ONE, rig_alloc(r, 64), 64);
    rig_bell(&rq, TX, 1);
    CHECK_EQ(rig_read(r, ENGINE, STATE), 0, "before a closed stream");
    rig_q_set(&rq, RX, Q_CFG, Q_CFG_ENABLED); /* no buffer: it waits */
    CHECK_EQ(rig_read(r, ENGINE, STATE), 0x1111, "waiting");
    CHECK_EQ(rig_read(r, ENGINE, S2M + STATE), 0x11111, "waiting");
    command(r, CMD_ABORT);
    CHECK_EQ(rig_read(r, ENGINE, STATE), 0x2222, "abort");
    CHECK_EQ(rig_read(r, ENGINE, S2M + STATE), 0x22222, "abort");
    rig_q_set(&rq, TX, TXQ_SW_CTRL, RST_Q);
    rig_q_set(&rq, RX, RXQ_SW_CTRL, RST_Q);
    CHECK_EQ(rig_read(r, ENGINE, STATE), 0x2222, "a queue reset is no exit");
    command(r, CMD_DISABLE);
    CHECK_EQ(rig_read(r, ENGINE, STATE), 0, "disable, drained");
    CHECK_EQ(rig_read(r, ENGINE, S2M + STATE), 0, "disable, drained");
}

/* H4: a command acts on its own side; either side stops the stream. */
static void test_channel_commands_act_on_one_side(void **state)
{
    static const uint32_t cmds[] = { CMD_DISABLE, CMD_ABORT };
    struct rig *r = *state;

    for (size_t c = 0; c < ARRAY_LEN(cmds); c++) {
        for (enum side side = TX; side <= RX; side++) {
            uint32_t reg = (side == RX ? S2M : 0) + CHANGE_STATE;
            bool abort = cmds[c] == CMD_ABORT;
            struct rig_queue rq;
            uint64_t src;

            rig_reset(r);
            src = rig_alloc(r, 4096);
            rig_fill(r, src, 64, 3);
            rig_queue_open(&rq, r, ENGINE, QUEUE, 8);
            rig_write(r, ENGINE, reg, cmds[c]);
            CHECK_EQ(rig_read(r, ENGINE, STATE),
                     abort && side == TX ? 0x2222 : 0, "%s cmd=%u",
                     side_names[side], cmds[c]);
            CHECK_EQ(rig_read(r, ENGINE, S2M + STATE),
                     abort && side == RX ? 0x22222 : 0, "%s cmd=%u",
                     side_names[side], cmds[c]);
            rig_copy(&rq, src + 1024, src, 64);
            CHECK_UNTOUCHED(r, src + 1024, 64, "%s cmd=%u", side_names[side],
                            cmds[c]);
            /* H3: NORMAL ends it, the queues kept their state. */
            rig_write(r, ENGINE, reg, CMD_NORMAL);
            CHECK_COPY(r, src + 1024, src, 64, "%s cmd=%u", side_names[side],
                       cmds[c]);
            check_all_ptrs(&rq, 1);
            CHECK_EQ(rig_read(r, ENGINE, STATE), 0, "%s cmd=%u",
                     side_names[side], cmds[c]);
        }
    }
}

/* B7: abort freezes everything but the doorbell's count (K3). */
static void test_channel_abort_freezes(void **state)
{
    struct rig *r = *state;
    struct rig_queue rq;
    uint64_t src = rig_alloc(r, 4096);

    rig_queue_open(&rq, r, ENGINE, QUEUE, 8);
    command(r, CMD_ABORT);
    for (unsigned i = 0; i < 3; i++) {
        rig_copy(&rq, src + 1024, src, 64);
    }
    for (enum side side = TX; side <= RX; side++) {
        CHECK_PTR(&rq, side, Q_TAIL, 3, 1, "%s", side_names[side]);
        CHECK_PTR(&rq, side, Q_HEAD, 0, 1, "%s", side_names[side]);
        CHECK_EQ(rig_q(&rq, side, Q_STATUS), 3, "%s: nothing runs",
                 side_names[side]);
    }
    /* Another engine goes on. */
    rig_queue_open(&rq, r, ENGINE + 1, QUEUE, 8);
    rig_fill(r, src, 64, 4);
    rig_copy(&rq, src + 1024, src, 64);
    CHECK_COPY(r, src + 1024, src, 64, "the engine next door");
}

/* B8, H3: DISABLE ends abort too, into a stop; NORMAL then starts. */
static void test_channel_leaves_abort_by_command(void **state)
{
    struct rig *r = *state;
    struct rig_queue rq;
    uint64_t src = rig_alloc(r, 4096);

    rig_fill(r, src, 64, 9);
    rig_queue_open(&rq, r, ENGINE, QUEUE, 8);
    command(r, CMD_ABORT);
    command(r, CMD_DISABLE);
    CHECK_EQ(rig_read(r, ENGINE, STATE), 0, "not aborted any more");
    rig_queue_program(&rq);
    rig_copy(&rq, src + 1024, src, 64);
    CHECK_UNTOUCHED(r, src + 1024, 64, "disabled");
    command(r, CMD_NORMAL);
    CHECK_COPY(r, src + 1024, src, 64, "normal");
    command(r, 0); /* no command */
    CHECK_EQ(rig_read(r, ENGINE, STATE), 0, "no command");
}

#define TEST(name)                                                             \
    cmocka_unit_test_setup_teardown(name, rig_setup, rig_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_channel_doorbell_arithmetic),
        TEST(test_channel_doorbell_on_a_huge_ring),
        TEST(test_channel_doorbell_without_a_ring),
        TEST(test_channel_enabled_queues_without_rings_are_idle),
        TEST(test_channel_laps_follow_the_ring),
        TEST(test_channel_full_ring_is_not_empty),
        TEST(test_channel_base_is_64_byte_aligned),
        TEST(test_channel_base_and_length_keep_pointers),
        TEST(test_channel_sw_ctrl_bits_of_m2s),
        TEST(test_channel_sw_ctrl_bits_of_s2m),
        TEST(test_channel_reset_leaves_other_queues),
        TEST(test_channel_reinit_drops_old_work),
        TEST(test_channel_needs_every_enable_bit),
        TEST(test_channel_status_mirrors_queue_enables),
        TEST(test_channel_status_mirrors_master_enable),
        TEST(test_channel_runs_after_power_on),
        TEST(test_channel_state_codes),
        TEST(test_channel_commands_act_on_one_side),
        TEST(test_channel_abort_freezes),
        TEST(test_channel_leaves_abort_by_command),
    };

    return cmocka_run_group_tests_name("channel", tests, NULL, NULL);
}
