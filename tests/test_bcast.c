/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Broadcast windows: seed 000 section 2; address-map 2.3, 4.1 to 4.5, 4.10,
 * 4.11; hardware.md H61, H190. Groups, block lists: test_fabric.c.
 */
#include <trench/soc.h>

#include "check.h"
#include "rig.h"

/* cayman_bcast_region_table and the privileged twins (address-map 2.3). */
static const uint64_t regions[8][2] = {
    { 0x0000001002080000, 0x20008002080000 },
    { 0x0000001003080000, 0x20008003080000 },
    { 0x0000005004080000, 0x20008004080000 },
    { 0x0000005005080000, 0x20008005080000 },
    { 0x0000801002080000, 0x20808002080000 },
    { 0x0000801003080000, 0x20808003080000 },
    { 0x0000805004080000, 0x20808004080000 },
    { 0x0000805005080000, 0x20808005080000 },
};

static const uint16_t skips[] = { 0,      0xFFFF, 0x0001, 0x8000,
                                  0x5A5A, 0xFFFE, 0x7FFF };

static const unsigned queues[] = { 0, 11, 15 };

static void bcast_write(struct rig *r, unsigned block, uint32_t off,
                        uint32_t val)
{
    CHECK_EQ(trench_bus_write32(r->bus, regions[block][0] + off, val), 0,
             "block %u offset 0x%x", block, off);
}

static struct trench_soc_stats soc_stats(struct rig *r)
{
    struct trench_soc_stats stats;

    trench_soc_stats(r->soc, &stats);
    return stats;
}

/* Give a queue of every engine a length, so that its tail can move. */
static void give_lengths(struct rig *r, unsigned q, uint32_t len)
{
    for (unsigned e = 0; e < 132; e++) {
        rig_write(r, e, q_off(TX, q, Q_LEN), len);
        rig_write(r, e, q_off(RX, q, Q_LEN), len);
    }
}

/* A register of one queue, in all engines: n where the lane takes part. */
static void check_lanes(struct rig *r, unsigned block, uint16_t skip,
                        uint32_t off, const uint32_t want[2])
{
    for (unsigned e = 0; e < 132; e++) {
        bool in = e / 16 == block && !(skip >> e % 16 & 1);

        CHECK_EQ(rig_read(r, e, off), want[in],
                 "block %u skip 0x%04x engine %u offset 0x%x", block, skip, e,
                 off);
    }
}

/* ---- words that carry a skip mask ---------------------------------------- */

/* 4.5: (skip << 16) | n; 1 leaves the lane out, in both directions. */
static void test_bcast_tail_increment_honours_skip_mask(void **state)
{
    struct rig *r = *state;

    for (unsigned block = 0; block < 8; block++) {
        for (size_t s = 0; s < ARRAY_LEN(skips); s++) {
            unsigned q = queues[s % 3];
            enum side side = s % 2 ? RX : TX;
            uint32_t word = (uint32_t)skips[s] << 16 | 7;

            rig_reset(r);
            give_lengths(r, q, 100);
            CHECK_EQ(trench_bus_write32(
                         r->bus, regions[block][s % 2] + q_off(side, q, Q_BELL),
                         word),
                     0, "block %u", block);
            check_lanes(r, block, skips[s], q_off(side, q, Q_TAIL),
                        (const uint32_t[]){ PTR_RESET, PTR_RESET | 7 });
            check_lanes(r, block, skips[s], q_off(!side, q, Q_TAIL),
                        (const uint32_t[]){ PTR_RESET, PTR_RESET });
        }
    }
}

static void test_bcast_payload_has_16_bits(void **state)
{
    static const uint32_t payloads[] = { 0, 1, 0x100, 0x7FFF, 0x8000, 0xFFFF };
    struct rig *r = *state;

    for (size_t i = 0; i < ARRAY_LEN(payloads); i++) {
        rig_reset(r);
        give_lengths(r, 4, 0xFFFFFF);
        bcast_write(r, 2, q_off(TX, 4, Q_BELL), 0x00080000 | payloads[i]);
        check_lanes(r, 2, 0x0008, q_off(TX, 4, Q_TAIL),
                    (const uint32_t[]){ PTR_RESET, PTR_RESET | payloads[i] });
    }
}

/* M2S only; there is no such register in S2M (address-map 4.2). */
static void test_bcast_data_tail_increment(void **state)
{
    struct rig *r = *state;

    for (size_t i = 0; i < ARRAY_LEN(queues); i++) {
        rig_reset(r);
        give_lengths(r, queues[i], 100);
        bcast_write(r, 1, q_off(TX, queues[i], TXQ_DATA_BELL), 0x00F00005);
        check_lanes(r, 1, 0x00F0, q_off(TX, queues[i], TXQ_DATA_TAIL),
                    (const uint32_t[]){ PTR_RESET, PTR_RESET | 5 });
    }
}

/* address-map 4.5, test values of the re-arm word; seed 000 section 2.3. */
static void test_bcast_rearm_words(void **state)
{
    static const struct {
        uint32_t bitmap;
        unsigned pcore;
        uint32_t word;
    } rows[] = {
        { 0x0000FFFF, 0, 0x00000100 }, { 0x0000000F, 0, 0xFFF00100 },
        { 0xFFFF0000, 1, 0x00000100 }, { 0xFFFF0000, 0, 0xFFFF0100 },
        { 0x0000FFFF, 1, 0xFFFF0100 }, { 0x80000001, 0, 0xFFFE0100 },
        { 0x80000001, 1, 0x7FFF0100 },
    };
    struct rig *r = *state;

    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        unsigned shift = rows[i].pcore << 4;
        uint32_t lane = rows[i].bitmap >> shift & 0xFFFF;
        enum side side = i % 2 ? RX : TX;

        CHECK_EQ((~(rows[i].bitmap >> shift) << 16 | 0x100), rows[i].word,
                 "row %zu", i);
        rig_reset(r);
        give_lengths(r, 9, 50);
        for (unsigned e = 0; e < 132; e++) {
            rig_write(r, e, q_off(side, 9, Q_BELL), 13);
        }
        bcast_write(r, 5, q_off(side, 9, sw_ctrl(side)), rows[i].word);
        check_lanes(r, 5, (uint16_t)~lane, q_off(side, 9, Q_TAIL),
                    (const uint32_t[]){ PTR_RESET | 13, PTR_RESET });
    }
}

/* The other bits of q_sw_ctrl pass too: seed 000 section 1.2, bit 1. */
static void test_bcast_sw_ctrl_passes_all_bits(void **state)
{
    struct rig *r = *state;

    for (enum side side = TX; side <= RX; side++) {
        rig_reset(r);
        give_lengths(r, 0, 50);
        for (unsigned e = 0; e < 132; e++) {
            rig_write(r, e, q_off(side, 0, Q_BELL), 13);
        }
        bcast_write(r, 0, q_off(side, 0, sw_ctrl(side)), 0x00010002);
        check_lanes(r, 0, 0x0001, q_off(side, 0, Q_TAIL),
                    (const uint32_t[]){ PTR_RESET | 13, PTR_RESET });
    }
}

/* ---- everything else ------------------------------------------------------
 */

/* H61: the whole word, in all lanes, and a guest error each. */
static void test_bcast_other_registers_replicate(void **state)
{
    static const struct {
        uint32_t off;
        uint32_t val;
        uint32_t reads;
    } rows[] = {
        { 0x05028, 0xFFFE0040, 0xFFFE0040 }, /* TDRBP_low */
        { 0x0502C, 0x00010203, 0x00010203 },
        { 0x05030, 0x00FF0010, 0x00FF0010 }, /* TDRL */
        { 0x05020, 0x03030000, 0x03030000 }, /* M2S cfg */
        { 0x050A0, 0x00000001, 0x00000001 }, /* comp_cfg */
        { 0x25028, 0xABCD0080, 0xABCD0080 }, /* RDRBP_low */
        { 0x25020, 0x03030000, 0x03030000 },
        { 0x00124, 0x20808080, 0x20808080 }, /* ostand_cfg */
        { 0x20344, 0x38001234, 0x38001234 },
        { 0x3A108, 0x12345678, 0x12345678 }, /* GEN general_cfg_1 */
        { 0x3B460, 0x00000001, 0x00000001 }, /* spare_reg.zeroes0 */
        { 0x3C404, 0xFFFFFFFF, 0xFFFFFFFF }, /* GEN_EX VMPR_V4 */
    };
    struct rig *r = *state;
    uint32_t resets[ARRAY_LEN(rows)];

    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        resets[i] = rig_read(r, 0, rows[i].off);
    }
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        bcast_write(r, 3, rows[i].off, rows[i].val);
        CHECK_EQ(soc_stats(r).guest_errors, i + 1, "row %zu", i);
        check_lanes(r, 3, 0, rows[i].off,
                    (const uint32_t[]){ resets[i], rows[i].reads });
    }
    CHECK_EQ(soc_stats(r).bcast_writes, ARRAY_LEN(rows), "counted");
}

/* What software does broadcast is no error. */
static void test_bcast_known_registers_are_no_error(void **state)
{
    struct rig *r = *state;

    give_lengths(r, 1, 10);
    bcast_write(r, 0, q_off(RX, 1, Q_BELL), 1);
    bcast_write(r, 0, q_off(TX, 1, Q_BELL), 1);
    bcast_write(r, 0, q_off(TX, 1, TXQ_DATA_BELL), 1);
    bcast_write(r, 0, q_off(TX, 1, TXQ_SW_CTRL), RST_Q);
    bcast_write(r, 0, q_off(RX, 1, RXQ_SW_CTRL), RST_Q);
    CHECK_EQ(soc_stats(r).guest_errors, 0, "no error");
    CHECK_EQ(soc_stats(r).bcast_writes, 5, "counted");
}

/* 4.10: a read answers for lane 0, and is counted. */
static void test_bcast_reads_answer_for_lane_0(void **state)
{
    static const uint32_t offs[] = { 0x05028, 0x25030, 0x3A108, 0x3C404 };
    struct rig *r = *state;

    for (unsigned block = 0; block < 8; block++) {
        for (size_t i = 0; i < ARRAY_LEN(offs); i++) {
            for (unsigned lane = 0; lane < 16; lane++) {
                rig_write(r, block * 16 + lane, offs[i], 0x1000 * (lane + 1));
            }
            CHECK_EQ(rig_word(r, regions[block][0] + offs[i]), 0x1000,
                     "block %u offset 0x%x", block, offs[i]);
            CHECK_EQ(rig_word(r, regions[block][1] + offs[i]), 0x1000,
                     "block %u offset 0x%x", block, offs[i]);
        }
    }
    CHECK_EQ(soc_stats(r).bcast_reads, 8 * ARRAY_LEN(offs) * 2, "counted");
    CHECK_EQ(rig_word(r, regions[0][0] + 0x3A104), 0x1C360003, "revision");
}

/* H190: a broadcast is in group 1; broadcast_cfg_group says who is. */
static void test_bcast_group_excludes(void **state)
{
    struct rig *r = *state;

    give_lengths(r, 0, 100);
    rig_write(r, 4, TDMA + 0x100, 0);
    rig_write(r, 9, TDMA + 0x100, 0);
    rig_write(r, 10, TDMA + 0x100, 0x8000);
    bcast_write(r, 0, q_off(TX, 0, Q_BELL), 3);
    check_lanes(r, 0, 0x0610, q_off(TX, 0, Q_TAIL),
                (const uint32_t[]){ PTR_RESET, PTR_RESET | 3 });
    bcast_write(r, 0, 0x3A108, 0x99);
    check_lanes(r, 0, 0x0610, 0x3A108, (const uint32_t[]){ 0, 0x99 });
    rig_write(r, 4, TDMA + 0x100, 0x0002);
    bcast_write(r, 0, q_off(TX, 0, Q_BELL), 3);
    CHECK_EQ(rig_read(r, 4, q_off(TX, 0, Q_TAIL)), PTR_RESET | 3, "back in");
    /* last_node is storage: it stops nothing (4.8). */
    rig_write(r, 0, TDMA + 0x104, 0xFFFF);
    bcast_write(r, 0, q_off(TX, 0, Q_BELL), 1);
    CHECK_EQ(rig_read(r, 15, q_off(TX, 0, Q_TAIL)), PTR_RESET | 7, "last");
}

static void test_bcast_unknown_offsets_count_in_every_lane(void **state)
{
    struct rig *r = *state;

    bcast_write(r, 1, 0x0FFC, 0xFFFFFFFF);
    CHECK_EQ(rig_word(r, regions[1][0] + 0x0FFC), 0, "reads 0");
    for (unsigned e = 0; e < 132; e++) {
        CHECK_EQ(rig_stats(r, e).unknown, e / 16 == 1 ? 1 + (e == 16) : 0,
                 "engine %u", e);
    }
}

/* ---- with rings behind ----------------------------------------------------
 */

static void open_lanes(struct rig *r, struct rig_queue rq[16], uint64_t src)
{
    for (unsigned lane = 0; lane < 16; lane++) {
        rig_queue_open(&rq[lane], r, 48 + lane, 6, 8);
        rig_rx(&rq[lane], src + 0x1000 + 64 * (uint64_t)lane, 64);
        rig_tx(&rq[lane], D_ONE, src + 16 * (uint64_t)lane, 64);
    }
}

/* One write for the buffers, one for the packets (4.6: receiver first). */
static void test_bcast_doorbells_run_every_lane(void **state)
{
    struct rig *r = *state;

    for (size_t s = 0; s < ARRAY_LEN(skips); s++) {
        struct rig_queue rq[16];
        uint64_t src;

        rig_reset(r);
        src = rig_alloc(r, 0x2000);
        rig_fill(r, src, 0x1000, 5);
        open_lanes(r, rq, src);
        bcast_write(r, 3, q_off(RX, 6, Q_BELL), (uint32_t)skips[s] << 16 | 1);
        bcast_write(r, 3, q_off(TX, 6, Q_BELL), (uint32_t)skips[s] << 16 | 1);
        for (unsigned lane = 0; lane < 16; lane++) {
            uint64_t dst = src + 0x1000 + 64 * (uint64_t)lane;

            if (skips[s] >> lane & 1) {
                CHECK_UNTOUCHED(r, dst, 64, "skip 0x%04x lane %u", skips[s],
                                lane);
            } else {
                CHECK_COPY(r, dst, src + 16 * (uint64_t)lane, 64,
                           "skip 0x%04x lane %u", skips[s], lane);
            }
        }
    }
}

/* 4.11: lanes in ascending order, so the last one's word stays. */
static void test_bcast_lanes_run_in_ascending_order(void **state)
{
    static const uint16_t last[][2] = {
        { 0, 15 }, { 0x8000, 14 }, { 0xFFFE, 0 }, { 0xFF7F, 7 }
    };
    struct rig *r = *state;

    for (size_t i = 0; i < ARRAY_LEN(last); i++) {
        struct rig_queue rq;
        uint64_t src;

        rig_reset(r);
        src = rig_alloc(r, 0x2000);
        for (unsigned lane = 0; lane < 16; lane++) {
            *(uint32_t *)rig_mem(r, src + 4 * lane, 4) = 1000 + lane;
            rig_queue_open(&rq, r, lane, 0, 8);
            rig_rx(&rq, src + 0x1000, 4);
            rig_tx(&rq, D_ONE, src + 4 * lane, 4);
        }
        bcast_write(r, 0, q_off(RX, 0, Q_BELL), (uint32_t)last[i][0] << 16 | 1);
        bcast_write(r, 0, q_off(TX, 0, Q_BELL), (uint32_t)last[i][0] << 16 | 1);
        CHECK_EQ(*(uint32_t *)rig_mem(r, src + 0x1000, 4), 1000 + last[i][1],
                 "skip 0x%04x", last[i][0]);
    }
}

#define TEST(name)                                                             \
    cmocka_unit_test_setup_teardown(name, rig_setup, rig_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_bcast_tail_increment_honours_skip_mask),
        TEST(test_bcast_payload_has_16_bits),
        TEST(test_bcast_data_tail_increment),
        TEST(test_bcast_rearm_words),
        TEST(test_bcast_sw_ctrl_passes_all_bits),
        TEST(test_bcast_other_registers_replicate),
        TEST(test_bcast_known_registers_are_no_error),
        TEST(test_bcast_reads_answer_for_lane_0),
        TEST(test_bcast_group_excludes),
        TEST(test_bcast_unknown_offsets_count_in_every_lane),
        TEST(test_bcast_doorbells_run_every_lane),
        TEST(test_bcast_lanes_run_in_ascending_order),
    };

    return cmocka_run_group_tests_name("bcast", tests, NULL, NULL);
}
