/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What is left of a packet: completion entries and heads on both sides, and
 * the counters. udma-engine 4.4, B12, B45 to B47, B51, the M2S_stat and
 * S2M_stat tables; hardware.md H9, H40 to H42, H44.
 */
#include <endian.h>

#include <trench/soc.h>

#include "check.h"
#include "rig.h"

/* ---- M2S ring ------------------------------------------------------- */

/* B46, H40, 4.4: 4 bytes each, at the descriptor's index, tagged by lap. */
static void test_completion_m2s_ring(void **state)
{
    static const uint32_t lens[] = { 3, 4, 5, 7, 16 };
    struct bench b;

    for (size_t l = 0; l < ARRAY_LEN(lens); l++) {
        uint32_t len = lens[l];
        uint64_t done = 0;
        uint64_t ring;

        bench_open(&b, *state, len);
        ring = bench_completions(&b, TX);
        for (unsigned p = 0; p < 4 * len; p++) {
            unsigned n = 1 + p % 3;

            rig_rx(&b.rq, b.dst, 64 * n);
            for (unsigned i = 0; i < n; i++) {
                rig_tx(&b.rq, d_marks(i, n), b.src, 64);
            }
            rig_bell(&b.rq, RX, 1);
            rig_bell(&b.rq, TX, n);
            for (unsigned i = 0; i < n; i++, done++) {
                uint32_t lap = (1 + (uint32_t)(done / len)) & 3;

                CHECK_EQ(rig_word(b.rig, ring + 4 * (done % len)),
                         D_LAP(lap) | d_marks(i, n),
                         "len=%u packet %u descriptor %u", len, p, i);
            }
        }
        CHECK_UNTOUCHED(b.rig, ring + 4 * len, 64, "len=%u behind", len);
        CHECK_EQ(rig_read(b.rig, ENGINE, M2S_COMP_DESC), done, "len=%u", len);
    }
}

/* B45: no completion before the packet has been delivered as a whole. */
static void test_completion_m2s_waits_for_the_packet(void **state)
{
    struct bench b;
    uint64_t ring;

    bench_open(&b, *state, 8);
    ring = bench_completions(&b, TX);
    rig_rx(&b.rq, b.dst, 64);
    rig_tx(&b.rq, D_FIRST, b.src, 64);
    rig_tx(&b.rq, D_LAST, b.src + 64, 64);
    rig_bell(&b.rq, RX, 1);
    rig_bell(&b.rq, TX, 2);
    CHECK_COPY(b.rig, b.dst, b.src, 64, "first half");
    CHECK_UNTOUCHED(b.rig, ring, 64, "not completed");
    CHECK_PTR(&b.rq, TX, Q_COMP_HEAD, 0, 1, "not completed");
    CHECK_PTR(&b.rq, TX, Q_CUR, 0, 1, "not consumed");
    rig_rx(&b.rq, b.dst + 64, 64);
    rig_bell(&b.rq, RX, 1);
    CHECK_COPY(b.rig, b.dst, b.src, 128, "second half");
    CHECK_EQ(rig_word(b.rig, ring), D_LAP(1) | D_FIRST, "completed");
    CHECK_EQ(rig_word(b.rig, ring + 4), D_LAP(1) | D_LAST, "completed");
}

/* ---- S2M ring ----------------------------------------------------------- */

struct s2m_comp {
    uint32_t words; /* desc_size */
    uint32_t len;   /* of the ring */
};

/* Post a packet of bytes into m buffers of 64. */
static void post_scatter(struct bench *b, unsigned m, uint32_t bytes)
{
    for (unsigned i = 0; i < m; i++) {
        rig_rx(&b->rq, b->dst + 64 * i, 64);
    }
    rig_tx(&b->rq, D_ONE, b->src, bytes);
    rig_bell(&b->rq, RX, m);
    rig_bell(&b->rq, TX, 1);
}

static void check_s2m_ring(struct rig *r, const struct s2m_comp *c)
{
    uint64_t done = 0;
    struct bench b;
    uint64_t ring;

    bench_open(&b, r, c->len);
    ring = bench_completions(&b, RX);
    rig_write(r, ENGINE, S2M_COMP_CFG_1C, 0x1000 | c->words);
    for (unsigned p = 0; p < 5 * c->len; p++) {
        unsigned m = 1 + p % 3;

        memset(rig_mem(r, ring, 4096), 0xEE, 4096);
        post_scatter(&b, m, 64 * m - 10);
        for (unsigned i = 0; i < m; i++, done++) {
            uint64_t at = ring + 4 * c->words * (done % c->len);
            uint32_t lap = (1 + (uint32_t)(done / c->len)) & 3;

            CHECK_EQ(rig_word(r, at), D_LAP(lap) | d_marks(i, m) | C_BUF1,
                     "size=%u len=%u packet %u buffer %u", c->words, c->len, p,
                     i);
            for (uint32_t w = 1; w < c->words; w++) {
                CHECK_EQ(rig_word(r, at + 4 * w),
                         w > 1        ? 0
                         : i + 1 == m ? 54
                                      : 64,
                         "size=%u len=%u packet %u buffer %u word %u", c->words,
                         c->len, p, i, w);
            }
        }
        CHECK_EQ(rig_word(r, ring + 4 * c->words * (done % c->len)), 0xEEEEEEEE,
                 "size=%u len=%u: the next entry", c->words, c->len);
    }
    CHECK_EQ(rig_read(r, ENGINE, S2M_COMP_DESC), done, "size=%u len=%u",
             c->words, c->len);
}

/* H41: desc_size words, flags and tag, length; 4 to 32 bytes. */
static void test_completion_s2m_ring(void **state)
{
    static const uint32_t words[] = { 1, 2, 4, 8 };
    static const uint32_t lens[] = { 4, 5, 7, 16 };

    for (size_t w = 0; w < ARRAY_LEN(words); w++) {
        for (size_t l = 0; l < ARRAY_LEN(lens); l++) {
            check_s2m_ring(*state, &(struct s2m_comp){ words[w], lens[l] });
        }
    }
}

/* H41: word 1 bits 15:0 are the bytes, 65,536 as 0. */
static void test_completion_s2m_lengths(void **state)
{
    static const uint32_t sizes[] = { 1, 2, 64, 4096, 65535, 65536 };
    struct bench b;
    uint64_t ring;

    for (size_t i = 0; i < ARRAY_LEN(sizes); i++) {
        bench_open(&b, *state, 8);
        ring = bench_completions(&b, RX);
        bench_packet(&b, 1, 1, sizes[i]);
        CHECK_EQ(rig_word(b.rig, ring), D_LAP(1) | D_ONE | C_BUF1, "%u",
                 sizes[i]);
        CHECK_EQ(rig_word(b.rig, ring + 4), sizes[i] & 0xFFFF, "%u", sizes[i]);
    }
}

/* B45: a buffer's completion is written when it is closed. */
static void test_completion_s2m_closes_full_buffers(void **state)
{
    struct bench b;
    uint64_t ring;

    bench_open(&b, *state, 8);
    ring = bench_completions(&b, RX);
    post_scatter(&b, 2, 192);
    CHECK_EQ(rig_word(b.rig, ring), D_LAP(1) | D_FIRST | C_BUF1, "first");
    CHECK_EQ(rig_word(b.rig, ring + 16), D_LAP(1) | C_BUF1, "middle");
    CHECK_UNTOUCHED(b.rig, ring + 32, 64, "none for the third");
    rig_rx(&b.rq, b.dst + 128, 64);
    rig_bell(&b.rq, RX, 1);
    CHECK_EQ(rig_word(b.rig, ring + 32), D_LAP(1) | D_LAST | C_BUF1, "last");
}

/* Reset value 0xF: on, without coalescing (udma-engine 2.4). */
static void test_completion_s2m_is_on_at_reset(void **state)
{
    struct bench b;

    bench_open(&b, *state, 8);
    CHECK_EQ(rig_read(b.rig, ENGINE + 1, q_off(RX, QUEUE, RXQ_COMP_CFG)), 0xF,
             "reset");
}

/* B48: with whole lines written, no slot looks new before it is. */
static void test_completion_full_lines_show_nothing_early(void **state)
{
    for (enum side side = TX; side <= RX; side++) {
        uint32_t entry = side == TX ? 4 : 16;
        struct bench b;
        uint64_t ring;

        bench_open(&b, *state, 16);
        ring = bench_completions(&b, side);
        rig_q_set(&b.rq, side, Q_CFG, Q_CFG_ENABLED | 1u << 31);
        for (uint32_t n = 0; n < 40; n++) {
            uint32_t lap = (1 + n / 16) & 3;

            for (uint32_t i = n % 16; i < 16; i++) {
                CHECK_EQ((rig_word(b.rig, ring + entry * i) >> 24 & 3) == lap,
                         false, "side %d n=%u slot %u", side, n, i);
            }
            rig_copy(&b.rq, b.dst, b.src, 64);
            CHECK_EQ(rig_word(b.rig, ring + entry * (n % 16)) >> 24 & 3, lap,
                     "side %d n=%u", side, n);
        }
    }
}

/* Both rings together, at addresses above 4 GiB and in host memory. */
static void test_completion_rings_anywhere(void **state)
{
    static const uint64_t bases[] = {
        0x5FFFFF000,    0x4000000000, HOST_MEMORY,
        0xC00000001000, 0x2000000000, 0x2802000000
    };
    struct bench b;

    for (size_t i = 0; i < ARRAY_LEN(bases); i++) {
        bench_open(&b, *state, 8);
        memset(rig_mem(b.rig, bases[i], 512), 0, 512);
        for (enum side side = TX; side <= RX; side++) {
            uint64_t base = bases[i] + (side == RX ? 256 : 0);

            rig_q_set(&b.rq, side, Q_COMP_LO, (uint32_t)base);
            rig_q_set(&b.rq, side, Q_COMP_HI, (uint32_t)(base >> 32));
            rig_q_set(&b.rq, side, comp_cfg(side), 3);
        }
        bench_packet(&b, 2, 1, 128);
        CHECK_EQ(rig_word(b.rig, bases[i] + 4), D_LAP(1) | D_LAST, "row %zu",
                 i);
        CHECK_EQ(rig_word(b.rig, bases[i] + 256), D_LAP(1) | D_ONE | C_BUF1,
                 "row %zu", i);
    }
}

/* ---- heads -------------------------------------------------------------- */

/* B12, H42: without a completion ring the head moves, unless zeroes0[0]. */
static void test_completion_head_moves_without_a_ring(void **state)
{
    struct bench b;

    bench_open(&b, *state, 8);
    rig_write(b.rig, ENGINE, GEN + 0x3460, 0xFFFFFFFE);
    rig_copy(&b.rq, b.dst, b.src, 64);
    CHECK_PTR(&b.rq, TX, Q_COMP_HEAD, 1, 1, "bit 0 is 0");
    CHECK_PTR(&b.rq, RX, Q_COMP_HEAD, 1, 1, "bit 0 is 0");
    rig_write(b.rig, ENGINE, GEN + 0x3460, 1);
    rig_copy(&b.rq, b.dst, b.src, 64);
    CHECK_PTR(&b.rq, TX, Q_COMP_HEAD, 1, 1, "bit 0 is 1");
    CHECK_PTR(&b.rq, RX, Q_COMP_HEAD, 1, 1, "bit 0 is 1");
    CHECK_PTR(&b.rq, TX, Q_CUR, 2, 1, "the rest moves on");
    CHECK_PTR(&b.rq, RX, Q_CUR, 2, 1, "the rest moves on");
}

/* ... but with a completion ring it moves all the same. */
static void test_completion_head_moves_with_a_ring(void **state)
{
    struct bench b;

    bench_open(&b, *state, 8);
    bench_completions(&b, TX);
    bench_completions(&b, RX);
    rig_write(b.rig, ENGINE, GEN + 0x3460, 1);
    rig_copy(&b.rq, b.dst, b.src, 64);
    CHECK_PTR(&b.rq, TX, Q_COMP_HEAD, 1, 1, "ring");
    CHECK_PTR(&b.rq, TX, Q_COMP_INTERNAL, 1, 1, "H9: no coalescing");
    CHECK_PTR(&b.rq, RX, Q_COMP_HEAD, 1, 1, "ring");
    CHECK_PTR(&b.rq, RX, Q_COMP_INTERNAL, 1, 1, "H9: no coalescing");
}

/* ---- counters ---------------------------------------------------------- */

static void check_counters(struct bench *b, const uint32_t want[7])
{
    static const uint32_t regs[] = { M2S_TX_PKT,  M2S_BYTES_LO, M2S_BYTES_HI,
                                     M2S_PREFED,  M2S_COMP_PKT, M2S_COMP_DESC,
                                     M2S_ACK_PKTS };

    for (size_t i = 0; i < ARRAY_LEN(regs); i++) {
        CHECK_EQ(rig_read(b->rig, ENGINE, regs[i]), want[i], "register 0x%x",
                 regs[i]);
    }
}

/* B51 and the M2S_stat table. */
static void test_completion_m2s_counters(void **state)
{
    struct trench_soc_engine_stats stats;
    struct bench b;

    bench_open(&b, *state, 16);
    check_counters(&b, (const uint32_t[7]){ 0 });
    bench_packet(&b, 3, 2, 720);
    bench_packet(&b, 1, 4, 720);
    check_counters(&b, (const uint32_t[7]){ 2, 1440, 0, 4, 2, 0, 2 });
    CHECK_EQ(rig_q(&b.rq, TX, TXQ_TX_PKT), 2, "q_tx_pkt");
    stats = rig_stats(b.rig, ENGINE);
    CHECK_EQ(stats.packets, 2, "packets");
    CHECK_EQ(stats.tx_descs, 4, "M2S descriptors");
    CHECK_EQ(stats.rx_descs, 6, "S2M descriptors");
    CHECK_EQ(stats.bytes, 1440, "bytes");
    CHECK_EQ(stats.doorbells, 4, "doorbells");
    /* A packet that is prefetched counts at once, a queue reset keeps all. */
    rig_q_set(&b.rq, TX, Q_CFG, 0x03010000);
    rig_tx(&b.rq, D_FIRST, b.src, 64);
    rig_tx(&b.rq, D_LAST, b.src, 64);
    rig_bell(&b.rq, TX, 2);
    check_counters(&b, (const uint32_t[7]){ 3, 1440, 0, 6, 2, 0, 2 });
    rig_q_set(&b.rq, TX, TXQ_SW_CTRL, RST_Q);
    check_counters(&b, (const uint32_t[7]){ 3, 1440, 0, 6, 2, 0, 2 });
}

/* M2S_stat.cfg_st.use_extra_len: the queue's length offset counts too. */
static void test_completion_counts_the_length_offset(void **state)
{
    for (uint32_t use = 0; use < 2; use++) {
        struct bench b;

        bench_open(&b, *state, 8);
        rig_write(b.rig, ENGINE, 0x500, use);
        rig_q_set(&b.rq, TX, Q_CFG, Q_CFG_ENABLED | 100);
        bench_packet(&b, 1, 1, 64);
        bench_packet(&b, 2, 1, 64);
        CHECK_EQ(rig_read(b.rig, ENGINE, M2S_BYTES_LO), 128 + use * 200,
                 "use_extra_len %u", use);
        CHECK_EQ(rig_read(b.rig, ENGINE, S2M_BYTES_LO), 128,
                 "use_extra_len %u: what was received", use);
    }
}

/* B51: 64-bit byte counters; the low read freezes the high word. */
static void test_completion_byte_counters_freeze(void **state)
{
    static const uint32_t lows[] = { M2S_BYTES_LO, S2M_BYTES_LO };
    static const uint32_t highs[] = { M2S_BYTES_HI, S2M_BYTES_HI };
    struct bench b;

    bench_open(&b, *state, 1024);
    for (unsigned round = 0; round < 128; round++) {
        for (unsigned i = 0; i < 512 - (round == 127); i++) {
            rig_rx(&b.rq, b.dst, 65536);
            rig_tx(&b.rq, D_ONE, b.src, 65536);
        }
        rig_bell(&b.rq, RX, 512 - (round == 127));
        rig_bell(&b.rq, TX, 512 - (round == 127));
    }
    for (unsigned s = 0; s < 2; s++) {
        CHECK_EQ(rig_read(b.rig, ENGINE, lows[s]), 0xFFFF0000, "%u", s);
    }
    rig_copy(&b.rq, b.dst, b.src, 65536); /* 4 GiB */
    for (unsigned s = 0; s < 2; s++) {
        CHECK_EQ(rig_read(b.rig, ENGINE, highs[s]), 0, "%u: frozen", s);
        CHECK_EQ(rig_read(b.rig, ENGINE, lows[s]), 0, "%u", s);
        CHECK_EQ(rig_read(b.rig, ENGINE, highs[s]), 1, "%u: carried", s);
    }
    CHECK_EQ(rig_stats(b.rig, ENGINE).bytes, UINT64_C(1) << 32, "bytes");
}

/* The S2M_stat table. */
static void test_completion_s2m_counters(void **state)
{
    static const struct {
        uint32_t reg;
        uint32_t want;
    } rows[] = {
        { S2M_DROP_PKT, 0 }, { S2M_BYTES_LO, 1440 }, { S2M_BYTES_HI, 0 },
        { S2M_PREFED, 8 },   { S2M_COMP_PKT, 2 },    { S2M_COMP_DESC, 0 },
        { S2M_ACK_PKTS, 2 },
    };
    struct bench b;

    bench_open(&b, *state, 16);
    bench_packet(&b, 3, 2, 720);
    bench_packet(&b, 1, 4, 720);
    rig_rx(&b.rq, b.dst, 64);
    rig_rx(&b.rq, b.dst, 64);
    rig_bell(&b.rq, RX, 2); /* fetched ahead, not used */
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        CHECK_EQ(rig_read(b.rig, ENGINE, rows[i].reg), rows[i].want,
                 "register 0x%x", rows[i].reg);
    }
    CHECK_EQ(rig_q(&b.rq, RX, RXQ_RX_PKT), 2, "q_rx_pkt");
}

/* H44: comp_desc counts what was written to a completion ring. */
static void test_completion_counts_written_entries(void **state)
{
    for (unsigned rings = 0; rings < 4; rings++) {
        struct bench b;

        bench_open(&b, *state, 16);
        for (enum side side = TX; side <= RX; side++) {
            if (rings >> side & 1) {
                bench_completions(&b, side);
            }
        }
        bench_packet(&b, 3, 2, 720);
        CHECK_EQ(rig_read(b.rig, ENGINE, M2S_COMP_DESC), rings & 1 ? 3 : 0,
                 "rings %u", rings);
        CHECK_EQ(rig_read(b.rig, ENGINE, S2M_COMP_DESC), rings & 2 ? 2 : 0,
                 "rings %u", rings);
    }
}

/* H44: a packet completed in error was acknowledged, not delivered. */
static void test_completion_counts_packets_in_error(void **state)
{
    struct bench b;

    bench_open(&b, *state, 16);
    rig_tx(&b.rq, D_LAST, b.src, 64); /* outside a packet */
    rig_desc(&b.rq, TX, (uint32_t[]){ D_ONE | 64, 0x01980003 }, b.src);
    rig_bell(&b.rq, TX, 2);
    CHECK_EQ(rig_read(b.rig, ENGINE, M2S_COMP_PKT), 2, "comp_pkt");
    CHECK_EQ(rig_read(b.rig, ENGINE, M2S_ACK_PKTS), 2, "ack_pkts");
    CHECK_EQ(rig_q(&b.rq, TX, TXQ_TX_PKT), 0, "q_tx_pkt");
    CHECK_EQ(rig_q(&b.rq, RX, RXQ_RX_PKT), 0, "q_rx_pkt");
    CHECK_EQ(rig_stats(b.rig, ENGINE).packets, 0, "packets");
}

/* Each queue counts its own packets, the engine counts them all. */
static void test_completion_counters_by_queue(void **state)
{
    struct rig *r = *state;
    struct rig_queue rq[3];
    uint64_t src = rig_alloc(r, 4096);

    for (unsigned q = 0; q < 3; q++) {
        rig_queue_open(&rq[q], r, ENGINE, q, 8);
        for (unsigned i = 0; i <= q; i++) {
            rig_copy(&rq[q], src + 1024, src, 64);
        }
    }
    for (unsigned q = 0; q < 3; q++) {
        CHECK_EQ(rig_q(&rq[q], TX, TXQ_TX_PKT), q + 1, "q%u", q);
        CHECK_EQ(rig_q(&rq[q], RX, RXQ_RX_PKT), q + 1, "q%u", q);
    }
    CHECK_EQ(rig_read(r, ENGINE, M2S_TX_PKT), 6, "engine");
    CHECK_EQ(rig_read(r, ENGINE, S2M_COMP_PKT), 6, "engine");
    CHECK_EQ(rig_read(r, ENGINE + 1, M2S_TX_PKT), 0, "another engine");
}

/* H38: a ring made shorter than its pointers is not left by them. */
static void test_completion_ring_shortened(void **state)
{
    static const uint32_t lens[] = { 1, 4, 39, 40 };

    for (unsigned p = 0; p < 2 * ARRAY_LEN(lens); p++) {
        enum side side = p & 1 ? RX : TX;
        uint32_t entry = side == RX ? 16 : 4;
        uint32_t len = lens[p / 2];
        struct bench b;
        uint64_t ring;

        bench_open(&b, *state, 64);
        ring = bench_completions(&b, side);
        for (unsigned i = 0; i < 40; i++) {
            rig_copy(&b.rq, b.dst, b.src, 64);
        }
        CHECK_PTR(&b.rq, side, Q_COMP_HEAD, 40, 1, "side %d", side);
        rig_q_set(&b.rq, side, Q_LEN, len);
        memset(rig_mem(b.rig, ring, 4096), 0xEE, 4096);
        /* The ring's index 0 holds the copy of before: it will do. */
        rig_copy(&b.rq, b.dst, b.src, 64);
        CHECK_EQ(rig_word(b.rig, ring) & ~D_LAP(3),
                 D_ONE | (side == RX ? C_BUF1 : 0), "side %d len %u", side,
                 len);
        for (uint32_t at = entry; at < 4096; at += 4) {
            CHECK_EQ(rig_word(b.rig, ring + at), 0xEEEEEEEE,
                     "side %d len %u at %u", side, len, at);
        }
        CHECK_EQ(rig_q(&b.rq, side, Q_COMP_HEAD) & 0xFFFFFF, len == 1 ? 0 : 1,
                 "side %d len %u", side, len);
    }
}

/* ... and they agree: one bell, one descriptor, in every pointer. */
static void test_completion_ring_shortened_pointers_agree(void **state)
{
    for (unsigned p = 0; p < 4; p++) {
        enum side side = p & 1 ? RX : TX;
        struct bench b;

        bench_open(&b, *state, 64);
        if (p & 2) {
            bench_completions(&b, side);
        }
        for (unsigned i = 0; i < 40; i++) {
            rig_copy(&b.rq, b.dst, b.src, 64);
        }
        rig_q_set(&b.rq, side, Q_LEN, 4);
        rig_copy(&b.rq, b.dst, b.src, 64);
        CHECK_PTR(&b.rq, side, Q_COMP_HEAD, 1, 2, "p=%u", p);
        CHECK_PTR(&b.rq, side, Q_CUR, 1, 2, "p=%u", p);
        CHECK_PTR(&b.rq, side, Q_HEAD, 1, 2, "p=%u", p);
        CHECK_EQ(rig_read(b.rig, ENGINE, side == RX ? S2M_PREFED : M2S_PREFED),
                 41, "p=%u", p);
    }
}

#define TEST(name)                                                             \
    cmocka_unit_test_setup_teardown(name, rig_setup, rig_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_completion_m2s_ring),
        TEST(test_completion_m2s_waits_for_the_packet),
        TEST(test_completion_s2m_ring),
        TEST(test_completion_s2m_lengths),
        TEST(test_completion_s2m_closes_full_buffers),
        TEST(test_completion_s2m_is_on_at_reset),
        TEST(test_completion_full_lines_show_nothing_early),
        TEST(test_completion_rings_anywhere),
        TEST(test_completion_head_moves_without_a_ring),
        TEST(test_completion_head_moves_with_a_ring),
        TEST(test_completion_m2s_counters),
        TEST(test_completion_counts_the_length_offset),
        TEST(test_completion_byte_counters_freeze),
        TEST(test_completion_s2m_counters),
        TEST(test_completion_counts_written_entries),
        TEST(test_completion_counts_packets_in_error),
        TEST(test_completion_counters_by_queue),
        TEST(test_completion_ring_shortened),
        TEST(test_completion_ring_shortened_pointers_agree),
    };

    return cmocka_run_group_tests_name("completion", tests, NULL, NULL);
}
