/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The sending half: prefetch, packets, commands, completions, counters.
 * udma-engine 4.1, 4.2, 4.4, 4.5, B24 to B30, B33, B35 to B39, B45, B46, B51;
 * hardware.md H5 to H7, H10, H11, H26, H31 to H33.
 */
#include <trench/soc.h>

#include "check.h"
#include "rig.h"

/* ---- prefetch ---------------------------------------------------------- */

static uint32_t fifo_status(struct rig *r)
{
    rig_write(r, ENGINE, M2S_INDIRECT, QUEUE);
    return rig_read(r, ENGINE, M2S_SEL_PREF);
}

/* B25, H6: head runs ahead by the share, at most the 1024 of the engine. */
static void test_m2s_prefetch_stops_at_the_share(void **state)
{
    static const struct {
        uint32_t depth;
        uint32_t room;
    } rows[] = {
        { 0x80, 128 },  { 0, 0 },       { 1, 1 },       { 5, 5 },
        { 1023, 1023 }, { 1024, 1024 }, { 1025, 1024 }, { 4095, 1024 }
    };
    struct bench b;

    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        bench_open(&b, *state, 2048);
        rig_q_set(&b.rq, TX, Q_CFG, 0x03010000); /* en_scheduling off */
        rig_q_set(&b.rq, TX, Q_PREF_CFG, rows[i].depth);
        CHECK_EQ(fifo_status(b.rig) >> 24 & 1, 1, "depth %u: empty",
                 rows[i].depth);
        for (unsigned k = 0; k < 1500; k++) {
            rig_rx(&b.rq, b.dst + 4 * k, 4);
            rig_tx(&b.rq, D_ONE, b.src + 4 * k, 4);
        }
        rig_bell(&b.rq, RX, 1500);
        rig_bell(&b.rq, TX, 1500);
        CHECK_PTR(&b.rq, TX, Q_HEAD, rows[i].room, 1, "depth %u",
                  rows[i].depth);
        CHECK_PTR(&b.rq, TX, Q_CUR, 0, 1, "depth %u", rows[i].depth);
        CHECK_EQ(rig_q(&b.rq, TX, Q_STATUS) & 0x1FFFFFF, 1500, "depth %u",
                 rows[i].depth);
        CHECK_EQ(fifo_status(b.rig),
                 rows[i].room | 1u << 28 | (rows[i].room == 0 ? 1u << 24 : 0),
                 "depth %u: used, full", rows[i].depth);
        CHECK_EQ(rig_read(b.rig, ENGINE, M2S_PREFED), rows[i].room, "depth %u",
                 rows[i].depth);
        rig_q_set(&b.rq, TX, Q_CFG, Q_CFG_ENABLED);
        CHECK_PTR(&b.rq, TX, Q_COMP_HEAD, rows[i].room ? 1500 : 0, 1,
                  "depth %u", rows[i].depth);
        CHECK_COPY(b.rig, b.dst, b.src, rows[i].room ? 6000 : 0, "depth %u",
                   rows[i].depth);
    }
}

/* The share can be changed under way; what is fetched stays fetched. */
static void test_m2s_prefetch_share_reprogrammed(void **state)
{
    static const struct {
        uint32_t depth;
        uint32_t head;
    } steps[] = { { 0, 0 }, { 1, 1 }, { 5, 5 },     { 2, 5 },
                  { 0, 5 }, { 6, 6 }, { 4095, 200 } };
    struct bench b;

    bench_open(&b, *state, 256);
    rig_q_set(&b.rq, TX, Q_CFG, 0x03010000);
    rig_q_set(&b.rq, TX, Q_PREF_CFG, 0);
    for (unsigned k = 0; k < 200; k++) {
        rig_rx(&b.rq, b.dst + 4 * k, 4);
        rig_tx(&b.rq, D_ONE, b.src + 4 * k, 4);
    }
    rig_bell(&b.rq, RX, 200);
    rig_bell(&b.rq, TX, 200);
    for (size_t i = 0; i < ARRAY_LEN(steps); i++) {
        rig_q_set(&b.rq, TX, Q_PREF_CFG, steps[i].depth);
        CHECK_PTR(&b.rq, TX, Q_HEAD, steps[i].head, 1, "step %zu", i);
    }
    rig_q_set(&b.rq, TX, Q_PREF_CFG, 1);
    rig_q_set(&b.rq, TX, Q_CFG, Q_CFG_ENABLED);
    CHECK_PTR(&b.rq, TX, Q_COMP_HEAD, 200, 1, "all");
    CHECK_COPY(b.rig, b.dst, b.src, 800, "all");
}

/* H6: a descriptor is copied when it is fetched. */
static void test_m2s_fetched_descriptors_are_copies(void **state)
{
    struct bench b;

    bench_open(&b, *state, 8);
    rig_q_set(&b.rq, TX, Q_CFG, 0x03010000);
    rig_copy(&b.rq, b.dst, b.src, 64);
    memset(rig_mem(b.rig, b.rq.ring[TX].base, 16), 0xFF, 16);
    memset(rig_mem(b.rig, b.rq.ring[RX].base, 16), 0xFF, 16);
    rig_q_set(&b.rq, TX, Q_CFG, Q_CFG_ENABLED);
    CHECK_COPY(b.rig, b.dst, b.src, 64, "what was fetched");
    CHECK_EQ(rig_stats(b.rig, ENGINE).errors, 0, "what was fetched");
}

/* ---- packets ----------------------------------------------------------- */

/* Uneven parts that add up to total. */
static void split(uint32_t total, unsigned nr, uint32_t sizes[6])
{
    uint32_t left = total;

    for (unsigned i = 0; i < nr; i++) {
        sizes[i] = i + 1 == nr ? left : total / nr + 7 * i - 11;
        left -= sizes[i];
    }
}

/* One packet of n descriptors into m buffers; gaps between the buffers. */
static void post_packet(struct bench *b, unsigned n, unsigned m, uint32_t spare)
{
    uint32_t tx[6], rx[6];
    uint32_t at = 0;

    split(720, n, tx);
    split(720, m, rx);
    rx[m - 1] += spare;
    for (unsigned i = 0; i < m; i++) {
        rig_rx(&b->rq, b->dst + 0x1000 * i, rx[i]);
    }
    for (unsigned i = 0; i < n; i++) {
        rig_tx(&b->rq, d_marks(i, n), b->src + 0x1000 * i + at, tx[i]);
        at += tx[i];
    }
    rig_bell(&b->rq, RX, m);
    rig_bell(&b->rq, TX, n);
}

/* The stream's bytes, source part by source part, buffer by buffer. */
static void check_packet(struct bench *b, unsigned n, unsigned m)
{
    uint32_t tx[6], rx[6];
    uint8_t stream[720];
    uint32_t at = 0;

    split(720, n, tx);
    split(720, m, rx);
    for (unsigned i = 0; i < n; i++) {
        memcpy(stream + at, rig_mem(b->rig, b->src + 0x1000 * i + at, tx[i]),
               tx[i]);
        at += tx[i];
    }
    at = 0;
    for (unsigned i = 0; i < m; i++) {
        CHECK_MEM(rig_mem(b->rig, b->dst + 0x1000 * i, rx[i]), stream + at,
                  rx[i], "n=%u m=%u buffer %u", n, m, i);
        CHECK_UNTOUCHED(b->rig, b->dst + 0x1000 * i + rx[i], 64,
                        "n=%u m=%u behind buffer %u", n, m, i);
        at += rx[i];
    }
}

/* B30: gather and scatter; the next packet starts in a fresh buffer. */
static void test_m2s_packets_of_n_into_m(void **state)
{
    struct bench b;

    for (unsigned n = 1; n <= 6; n++) {
        for (unsigned m = 1; m <= 6; m++) {
            for (uint32_t spare = 0; spare <= 100; spare += 100) {
                bench_open(&b, *state, 16);
                post_packet(&b, n, m, spare);
                check_packet(&b, n, m);
                CHECK_PTR(&b.rq, TX, Q_COMP_HEAD, n, 1, "n=%u m=%u", n, m);
                CHECK_PTR(&b.rq, RX, Q_COMP_HEAD, m, 1, "n=%u m=%u", n, m);
                rig_copy(&b.rq, b.dst + 0x8000, b.src, 64);
                CHECK_COPY(b.rig, b.dst + 0x8000, b.src, 64, "n=%u m=%u", n, m);
                CHECK_PTR(&b.rq, RX, Q_COMP_HEAD, m + 1, 1, "n=%u m=%u", n, m);
                CHECK_EQ(rig_stats(b.rig, ENGINE).errors, 0, "n=%u m=%u", n, m);
            }
        }
    }
}

/* K6, B33: length 0 is 65,536 on both sides while encode_64k is 1. */
static void test_m2s_64k_encodings(void **state)
{
    static const uint32_t sizes[] = { 1, 65535, 65536 };
    struct bench b;

    for (size_t t = 0; t < ARRAY_LEN(sizes); t++) {
        for (size_t u = 0; u < ARRAY_LEN(sizes); u++) {
            uint32_t moved = sizes[t] < sizes[u] ? sizes[t] : sizes[u];

            bench_open(&b, *state, 8);
            rig_rx(&b.rq, b.dst, sizes[u]);
            rig_tx(&b.rq, D_ONE, b.src, sizes[t]);
            rig_bell(&b.rq, RX, 1);
            rig_bell(&b.rq, TX, 1);
            CHECK_COPY(b.rig, b.dst, b.src, moved, "tx %u rx %u", sizes[t],
                       sizes[u]);
            CHECK_UNTOUCHED(b.rig, b.dst + moved, 16, "tx %u rx %u", sizes[t],
                            sizes[u]);
            CHECK_PTR(&b.rq, TX, Q_COMP_HEAD, sizes[t] <= sizes[u], 1,
                      "tx %u rx %u", sizes[t], sizes[u]);
            CHECK_EQ(rig_stats(b.rig, ENGINE).bytes, moved, "tx %u rx %u",
                     sizes[t], sizes[u]);
        }
    }
}

/* encode_64k 0: length 0 is nothing; H31: a packet of nothing. */
static void test_m2s_zero_byte_packets(void **state)
{
    struct bench b;
    uint32_t *comp;

    bench_open(&b, *state, 8);
    comp = rig_mem(b.rig, bench_completions(&b, RX), 64);
    rig_write(b.rig, ENGINE, M2S_CFG_LEN, 0x00010000);
    rig_rx(&b.rq, b.dst, 64);
    rig_tx(&b.rq, D_ONE, b.src, 0);
    rig_bell(&b.rq, RX, 1);
    rig_bell(&b.rq, TX, 1);
    CHECK_UNTOUCHED(b.rig, b.dst, 64, "nothing moved");
    CHECK_PTR(&b.rq, TX, Q_COMP_HEAD, 1, 1, "completed");
    CHECK_PTR(&b.rq, RX, Q_COMP_HEAD, 1, 1, "one S2M descriptor used");
    CHECK_EQ(comp[0], 0x0D000000, "FIRST, LAST, lap 1, no buffer used");
    CHECK_EQ(comp[1], 0, "closed with length 0");
    /* Empty descriptors inside a packet that is not empty. */
    rig_rx(&b.rq, b.dst, 64);
    rig_tx(&b.rq, D_FIRST, b.src, 0);
    rig_tx(&b.rq, 0, b.src, 32);
    rig_tx(&b.rq, 0, b.src, 0);
    rig_tx(&b.rq, D_LAST, b.src + 32, 32);
    rig_bell(&b.rq, RX, 1);
    rig_bell(&b.rq, TX, 4);
    CHECK_COPY(b.rig, b.dst, b.src, 64, "the others move");
    CHECK_PTR(&b.rq, TX, Q_COMP_HEAD, 5, 1, "completed");
}

/* H5, K4: a packet runs when its LAST has been posted, not before. */
static void test_m2s_packet_waits_for_its_last(void **state)
{
    struct bench b;

    for (unsigned n = 2; n <= 6; n++) {
        bench_open(&b, *state, 8);
        rig_rx(&b.rq, b.dst, 64 * n);
        rig_bell(&b.rq, RX, 1);
        for (unsigned i = 0; i < n; i++) {
            CHECK_UNTOUCHED(b.rig, b.dst, 64 * n, "n=%u i=%u", n, i);
            CHECK_PTR(&b.rq, TX, Q_COMP_HEAD, 0, 1, "n=%u i=%u", n, i);
            rig_tx(&b.rq, d_marks(i, n), b.src + 64 * i, 64);
            rig_bell(&b.rq, TX, 1);
        }
        CHECK_COPY(b.rig, b.dst, b.src, 64 * n, "n=%u", n);
        CHECK_PTR(&b.rq, TX, Q_COMP_HEAD, n, 1, "n=%u", n);
    }
}

/* H7: what waits is its own queue's matter. */
static void test_m2s_waiting_packet_blocks_only_its_queue(void **state)
{
    struct bench b;
    struct rig_queue other;

    bench_open(&b, *state, 8);
    rig_queue_open(&other, b.rig, ENGINE, QUEUE - 1, 8);
    rig_tx(&b.rq, D_ONE, b.src, 64);
    rig_bell(&b.rq, TX, 1); /* no buffer */
    for (unsigned i = 0; i < 20; i++) {
        rig_copy(&other, b.dst + 64 * i, b.src + 64 * i, 64);
    }
    CHECK_COPY(b.rig, b.dst, b.src, 64 * 20, "the other queue");
    rig_rx(&b.rq, b.dst + 0x1000, 64);
    rig_bell(&b.rq, RX, 1);
    CHECK_COPY(b.rig, b.dst + 0x1000, b.src, 64, "resumes");
}

/* B29: M2S queue q delivers to S2M queue q, in every queue. */
static void test_m2s_queue_feeds_its_own_pair(void **state)
{
    struct rig *r = *state;
    struct rig_queue rq[16];
    uint64_t src = rig_alloc(r, 4096);
    uint64_t dst = rig_alloc(r, 4096);

    rig_fill(r, src, 4096, 1);
    for (unsigned q = 0; q < 16; q++) {
        rig_queue_open(&rq[q], r, ENGINE, q, 8);
        rig_rx(&rq[q], dst + 64 * q, 64);
        rig_bell(&rq[q], RX, 1);
    }
    for (unsigned q = 16; q-- > 0;) {
        CHECK_UNTOUCHED(r, dst + 64 * q, 64, "q%u", q);
        rig_tx(&rq[q], D_ONE, src + 128 * q, 64);
        rig_bell(&rq[q], TX, 1);
        CHECK_COPY(r, dst + 64 * q, src + 128 * q, 64, "q%u", q);
        CHECK_PTR(&rq[q], RX, Q_COMP_HEAD, 1, 1, "q%u", q);
        CHECK_EQ(rig_q(&rq[q], TX, TXQ_TX_PKT), 1, "q%u", q);
        CHECK_EQ(rig_q(&rq[q], RX, RXQ_RX_PKT), 1, "q%u", q);
    }
}

/* B28: packets of a queue stay in order: each reads what the last wrote. */
static void test_m2s_packets_stay_in_order(void **state)
{
    struct bench b;

    bench_open(&b, *state, 128);
    for (unsigned i = 0; i < 100; i++) {
        rig_rx(&b.rq, b.dst + 4 * i, 4);
        rig_tx(&b.rq, D_ONE, i == 0 ? b.src : b.dst + 4 * (i - 1), 4);
    }
    rig_bell(&b.rq, RX, 100);
    rig_bell(&b.rq, TX, 100);
    for (unsigned i = 0; i < 100; i++) {
        CHECK_COPY(b.rig, b.dst + 4 * i, b.src, 4, "packet %u", i);
    }
}

/* ---- the second tail --------------------------------------------------- */

/* B24: fetched up to TDRTP, moved up to TDRDTP; per queue. */
static void test_m2s_data_tail_holds_the_data(void **state)
{
    struct bench b;

    bench_open(&b, *state, 8);
    rig_write(b.rig, ENGINE, M2S_CFG_PREFETCH, 0xFFFF | 1u << (16 + QUEUE));
    for (unsigned lap = 0; lap < 3; lap++) {
        for (unsigned i = 0; i < 4; i++) {
            rig_rx(&b.rq, b.dst + 64 * i, 64);
            rig_tx(&b.rq, D_ONE, b.src + 64 * i, 64);
        }
        memset(rig_mem(b.rig, b.dst, 256), 0, 256);
        rig_bell(&b.rq, RX, 4);
        rig_bell(&b.rq, TX, 4);
        CHECK_EQ(rig_q(&b.rq, TX, Q_HEAD), rig_q(&b.rq, TX, Q_TAIL), "lap %u",
                 lap);
        CHECK_UNTOUCHED(b.rig, b.dst, 64, "lap %u", lap);
        rig_q_set(&b.rq, TX, TXQ_DATA_BELL, 0);
        CHECK_UNTOUCHED(b.rig, b.dst, 64, "lap %u", lap);
        rig_q_set(&b.rq, TX, TXQ_DATA_BELL, 1);
        CHECK_COPY(b.rig, b.dst, b.src, 64, "lap %u", lap);
        CHECK_UNTOUCHED(b.rig, b.dst + 64, 64, "lap %u", lap);
        rig_q_set(&b.rq, TX, TXQ_DATA_BELL, 3);
        CHECK_COPY(b.rig, b.dst, b.src, 256, "lap %u", lap);
        CHECK_EQ(rig_q(&b.rq, TX, TXQ_DATA_TAIL), rig_q(&b.rq, TX, Q_TAIL),
                 "lap %u", lap);
        CHECK_EQ(rig_q(&b.rq, TX, TXQ_DATA_BELL), 0, "write-only");
    }
}

/* A packet of several descriptors needs them all behind TDRDTP. */
static void test_m2s_data_tail_counts_descriptors(void **state)
{
    struct bench b;

    bench_open(&b, *state, 8);
    rig_write(b.rig, ENGINE, M2S_CFG_PREFETCH, 0xFFFF | 1u << (16 + QUEUE));
    post_packet(&b, 3, 1, 0);
    for (unsigned i = 0; i < 3; i++) {
        CHECK_PTR(&b.rq, TX, Q_COMP_HEAD, 0, 1, "i=%u", i);
        rig_q_set(&b.rq, TX, TXQ_DATA_BELL, 1);
    }
    CHECK_PTR(&b.rq, TX, Q_COMP_HEAD, 3, 1, "all three");
    check_packet(&b, 3, 1);
}

/* Off (the reset value), TDRDTP holds nothing; switching off lets go. */
static void test_m2s_data_tail_enable(void **state)
{
    struct bench b;

    bench_open(&b, *state, 8);
    rig_write(b.rig, ENGINE, M2S_CFG_PREFETCH, ~(1u << (16 + QUEUE)));
    rig_copy(&b.rq, b.dst, b.src, 64);
    CHECK_COPY(b.rig, b.dst, b.src, 64, "other queues' bits");
    bench_open(&b, *state, 8);
    rig_write(b.rig, ENGINE, M2S_CFG_PREFETCH, 0xFFFF | 1u << (16 + QUEUE));
    rig_copy(&b.rq, b.dst, b.src, 64);
    CHECK_UNTOUCHED(b.rig, b.dst, 64, "held");
    rig_write(b.rig, ENGINE, M2S_CFG_PREFETCH, 0xFFFF);
    CHECK_COPY(b.rig, b.dst, b.src, 64, "let go");
}

/* H33: behind the current pointer it counts as ahead, modulo the ring. */
static void test_m2s_data_tail_behind_is_ahead(void **state)
{
    struct bench b;

    bench_open(&b, *state, 16);
    for (unsigned i = 0; i < 5; i++) {
        rig_copy(&b.rq, b.dst, b.src, 64);
    }
    rig_write(b.rig, ENGINE, M2S_CFG_PREFETCH, 0xFFFF | 1u << (16 + QUEUE));
    CHECK_PTR(&b.rq, TX, TXQ_DATA_TAIL, 0, 1, "never rung");
    rig_copy(&b.rq, b.dst + 64, b.src, 64); /* index 5 */
    CHECK_COPY(b.rig, b.dst + 64, b.src, 64, "0 is 11 ahead of 5");
}

/* ---- commands ---------------------------------------------------------- */

static void post_command(struct bench *b, uint32_t flags, uint32_t meta)
{
    rig_rx(&b->rq, b->dst, 64);
    rig_desc(&b->rq, TX, (uint32_t[]){ D_ONE | flags | 64, meta }, b->src);
    rig_bell(&b->rq, RX, 1);
    rig_bell(&b->rq, TX, 1);
}

/* 4.5: what is a plain copy; barriers and block marks do not matter. */
static void test_m2s_copy_commands(void **state)
{
    static const uint32_t metas[] = { 0x01080003, 0x05080003, 0x01080000,
                                      0x01080001, 0x01080002 };
    static const uint32_t flags[] = { 0, D_DMB, 0x20000000 /* NO_SNOOP */ };
    struct bench b;

    for (size_t m = 0; m < ARRAY_LEN(metas); m++) {
        for (size_t f = 0; f < ARRAY_LEN(flags); f++) {
            bench_open(&b, *state, 8);
            post_command(&b, flags[f], metas[m]);
            CHECK_COPY(b.rig, b.dst, b.src, 64, "meta 0x%08x flags 0x%08x",
                       metas[m], flags[f]);
            CHECK_EQ(rig_stats(b.rig, ENGINE).unsupported, 0, "meta 0x%08x",
                     metas[m]);
        }
    }
}

/* H26, 4.5: report it, do not silently copy. */
static void check_refused(struct rig *r, uint32_t flags, uint32_t meta)
{
    struct bench b;
    uint64_t ring;

    bench_open(&b, r, 8);
    ring = bench_completions(&b, TX);
    post_command(&b, flags, meta);
    CHECK_UNTOUCHED(r, b.dst, 64, "meta 0x%08x", meta);
    CHECK_EQ(rig_word(r, ring), D_LAP(1) | D_ONE | C_ERROR, "meta 0x%08x",
             meta);
    CHECK_EQ(rig_read(r, ENGINE, SECONDARY(GROUP_A) + INT_CAUSE), 1u << 2,
             "meta 0x%08x", meta);
    CHECK_EQ(rig_stats(r, ENGINE).unsupported, 1, "meta 0x%08x", meta);
    CHECK_PTR(&b.rq, RX, Q_CUR, 0, 1, "no buffer used, meta 0x%08x", meta);
    /* The buffer serves the next packet. */
    rig_tx(&b.rq, D_ONE, b.src, 64);
    rig_bell(&b.rq, TX, 1);
    CHECK_COPY(r, b.dst, b.src, 64, "after meta 0x%08x", meta);
}

/* CME sums, DRE replication: those of one buffer without parameters. */
static bool is_taken(uint32_t engine, uint32_t op)
{
    return (engine == 2 && op > 0) || (engine == 1 && op == 2);
}

static void test_m2s_other_commands_are_refused(void **state)
{
    for (uint32_t engine = 0; engine < 8; engine++) { /* ssmae_op */
        for (uint32_t op = 0; op < 8; op++) {         /* op_type */
            for (uint32_t copy = 0; copy < 2; copy++) {
                if ((engine != 2 || op != 0 || copy != 1) &&
                    !is_taken(engine, op)) {
                    check_refused(*state, 0,
                                  engine << 23 | op << 20 | copy << 19 | 3);
                }
            }
        }
    }
    /* Byte and bit swaps, CRC checks: not plain. */
    for (uint32_t bit = 6; bit <= 18; bit++) {
        check_refused(*state, 0, META_COPY | 1u << bit);
    }
    check_refused(*state, D_META, META_COPY); /* 4.2 */
}

/* One descriptor in a packet makes the packet; the first one or any. */
static void test_m2s_command_of_any_descriptor_counts(void **state)
{
    struct bench b;

    for (unsigned bad = 0; bad < 4; bad++) {
        bench_open(&b, *state, 8);
        rig_rx(&b.rq, b.dst, 256);
        for (unsigned i = 0; i < 4; i++) {
            rig_desc(&b.rq, TX,
                     (uint32_t[]){ (i == 0 ? D_FIRST : 0) |
                                       (i == 3 ? D_LAST : 0) | 64,
                                   i == bad ? 0x01180003 : META_COPY },
                     b.src);
        }
        rig_bell(&b.rq, RX, 1);
        rig_bell(&b.rq, TX, 4);
        CHECK_UNTOUCHED(b.rig, b.dst, 256, "bad %u", bad);
        CHECK_EQ(rig_stats(b.rig, ENGINE).unsupported, 1, "bad %u", bad);
        CHECK_PTR(&b.rq, TX, Q_COMP_HEAD, 4, 1, "bad %u", bad);
        CHECK_EQ(rig_read(b.rig, ENGINE, LOG_0 + 4), 0x01180003,
                 "bad %u: the log shows it", bad);
    }
}

/* H26: with both error indications masked there is no cause. */
static void test_m2s_refusal_can_be_masked(void **state)
{
    struct bench b;

    for (uint32_t mask = 0; mask < 4; mask++) {
        bench_open(&b, *state, 8);
        rig_write(b.rig, ENGINE, M2S_ACK2, 0x78 | mask);
        post_command(&b, 0, 0x01980003);
        CHECK_EQ(rig_read(b.rig, ENGINE, SECONDARY(GROUP_A) + INT_CAUSE),
                 mask == 3 ? 0 : 1u << 2, "mask %u", mask);
        CHECK_EQ(rig_stats(b.rig, ENGINE).unsupported, 1, "mask %u", mask);
        CHECK_PTR(&b.rq, TX, Q_COMP_HEAD, 1, 1, "mask %u", mask);
    }
}

/* ---- holds ------------------------------------------------------------- */

/* H10, B35, B39: DMB is satisfied by order; q_dmb reads 0. */
static void test_m2s_dmb_is_satisfied_by_order(void **state)
{
    struct bench b;

    for (uint32_t mask = 0; mask < 8; mask++) {
        bench_open(&b, *state, 32);
        rig_q_set(&b.rq, TX, TXQ_RATE_MASK, mask);
        for (unsigned i = 0; i < 10; i++) {
            rig_rx(&b.rq, b.dst + 64 * i, 64);
            rig_tx(&b.rq, D_ONE | (i % 2 ? D_DMB : 0), b.src + 64 * i, 64);
        }
        rig_bell(&b.rq, RX, 10);
        rig_bell(&b.rq, TX, 10);
        CHECK_COPY(b.rig, b.dst, b.src, 640, "mask %u", mask);
        CHECK_EQ(rig_q(&b.rq, TX, Q_STATUS), 0x30000000, "mask %u", mask);
    }
}

/* B36: rst_dmb has nothing to release. B37: write_barrier holds nothing. */
static void test_m2s_rst_dmb_and_write_barrier(void **state)
{
    struct bench b;

    bench_open(&b, *state, 32);
    for (unsigned i = 0; i < 3; i++) {
        uint32_t words[] = { D_ONE | D_DMB | 64, META_COPY | 1u << 26 };

        rig_desc(&b.rq, TX, words, b.src + 64 * i);
        rig_rx(&b.rq, b.dst + 64 * i, 64);
    }
    rig_bell(&b.rq, TX, 3);
    rig_bell(&b.rq, RX, 1);
    CHECK_COPY(b.rig, b.dst, b.src, 64, "one buffer");
    rig_q_set(&b.rq, TX, TXQ_SW_CTRL, 1); /* rst_dmb */
    CHECK_PTR(&b.rq, TX, Q_COMP_HEAD, 1, 1, "nothing lost or gained");
    CHECK_EQ(rig_q(&b.rq, TX, Q_STATUS) & 0x40000000, 0, "q_dmb");
    rig_bell(&b.rq, RX, 2);
    CHECK_COPY(b.rig, b.dst, b.src, 192, "all, in order");
    CHECK_PTR(&b.rq, TX, Q_COMP_HEAD, 3, 1, "all, in order");
}

/* stream_cfg.disable_stream: stops at the next packet end. */
static void test_m2s_stream_can_be_stopped(void **state)
{
    struct bench b;

    bench_open(&b, *state, 8);
    rig_write(b.rig, ENGINE, M2S_STREAM_CFG, 0x101);
    rig_copy(&b.rq, b.dst, b.src, 64);
    CHECK_UNTOUCHED(b.rig, b.dst, 64, "stopped");
    CHECK_PTR(&b.rq, TX, Q_HEAD, 1, 1, "prefetch goes on");
    rig_write(b.rig, ENGINE, M2S_STREAM_CFG, 0x100);
    CHECK_COPY(b.rig, b.dst, b.src, 64, "on again");
}

/* ... so a packet that is half out goes out, and the next one does not. */
static void test_m2s_stream_stops_at_a_packet_end(void **state)
{
    struct bench b;

    bench_open(&b, *state, 8);
    rig_rx(&b.rq, b.dst, 64);
    rig_tx(&b.rq, D_ONE, b.src, 128);
    rig_tx(&b.rq, D_ONE, b.src, 64);
    rig_bell(&b.rq, RX, 1);
    rig_bell(&b.rq, TX, 2);
    CHECK_COPY(b.rig, b.dst, b.src, 64, "half of it");
    rig_write(b.rig, ENGINE, M2S_STREAM_CFG, 0x101);
    rig_rx(&b.rq, b.dst + 64, 64);
    rig_rx(&b.rq, b.dst + 128, 64);
    rig_bell(&b.rq, RX, 2);
    CHECK_COPY(b.rig, b.dst, b.src, 128, "to its end");
    CHECK_UNTOUCHED(b.rig, b.dst + 128, 64, "no further");
}

/* H32: en_scheduling holds a packet at any point. */
static void test_m2s_scheduling_holds_at_any_point(void **state)
{
    struct bench b;

    bench_open(&b, *state, 8);
    rig_rx(&b.rq, b.dst, 64);
    rig_tx(&b.rq, D_ONE, b.src, 128);
    rig_bell(&b.rq, RX, 1);
    rig_bell(&b.rq, TX, 1);
    rig_q_set(&b.rq, TX, Q_CFG, 0x03010000);
    rig_rx(&b.rq, b.dst + 64, 64);
    rig_bell(&b.rq, RX, 1);
    CHECK_UNTOUCHED(b.rig, b.dst + 64, 64, "held in the middle");
    rig_q_set(&b.rq, TX, Q_CFG, Q_CFG_ENABLED);
    CHECK_COPY(b.rig, b.dst, b.src, 128, "goes on");
}

#define TEST(name)                                                             \
    cmocka_unit_test_setup_teardown(name, rig_setup, rig_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_m2s_prefetch_stops_at_the_share),
        TEST(test_m2s_prefetch_share_reprogrammed),
        TEST(test_m2s_fetched_descriptors_are_copies),
        TEST(test_m2s_packets_of_n_into_m),
        TEST(test_m2s_64k_encodings),
        TEST(test_m2s_zero_byte_packets),
        TEST(test_m2s_packet_waits_for_its_last),
        TEST(test_m2s_waiting_packet_blocks_only_its_queue),
        TEST(test_m2s_queue_feeds_its_own_pair),
        TEST(test_m2s_packets_stay_in_order),
        TEST(test_m2s_data_tail_holds_the_data),
        TEST(test_m2s_data_tail_counts_descriptors),
        TEST(test_m2s_data_tail_enable),
        TEST(test_m2s_data_tail_behind_is_ahead),
        TEST(test_m2s_copy_commands),
        TEST(test_m2s_other_commands_are_refused),
        TEST(test_m2s_command_of_any_descriptor_counts),
        TEST(test_m2s_refusal_can_be_masked),
        TEST(test_m2s_dmb_is_satisfied_by_order),
        TEST(test_m2s_rst_dmb_and_write_barrier),
        TEST(test_m2s_stream_can_be_stopped),
        TEST(test_m2s_stream_stops_at_a_packet_end),
        TEST(test_m2s_scheduling_holds_at_any_point),
    };

    return cmocka_run_group_tests_name("m2s", tests, NULL, NULL);
}
