/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * tdma_model: which packets and accesses are told of, what the records say,
 * and packets that wait for them. seed 002 section 5; common-blocks 1.3, 2.4;
 * hardware.md H90 to H104.
 */
#include <zlib.h>

#include "note_rig.h"

/* ---- records of a packet (common-blocks 1.3.3, 2.4.2) -------------------- */

static void test_tdma_records_of_a_packet(void **state)
{
    static const unsigned codes[] = { R_M2S_SOP, R_S2M_SOP, R_M2S_EOP,
                                      R_S2M_EOP, R_S2M_CMPL };
    struct note_bench nb;
    uint32_t crc;

    note_open(&nb, *state, RING_BYTES);
    note_arm(&nb, true, true);
    trench_soc_advance(nb.b.rig->soc, 7);
    rig_rx(&nb.b.rq, nb.b.dst, 300);
    rig_tx(&nb.b.rq, D_ONE | 0x5Au << 16, nb.b.src, 300);
    rig_bell(&nb.b.rq, RX, 1);
    rig_bell(&nb.b.rq, TX, 1);
    crc = (uint32_t)crc32(0, rig_mem(nb.b.rig, nb.b.src, 300), 300) & 0xFFFF;
    CHECK_EQ(note_tail(&nb), sizeof(codes) / sizeof(*codes) * 16, "tail");
    for (unsigned i = 0; i < ARRAY_LEN(codes); i++) {
        struct note_record rec = note_at(&nb, i);
        bool eop = codes[i] == R_M2S_EOP || codes[i] == R_S2M_EOP;
        uint32_t body = codes[i] | QUEUE << 4;

        body |= codes[i] == R_M2S_SOP ? 0x5Au << 8 : eop ? crc << 16 : 0;
        CHECK_EQ(rec.w[0], 0x82000000u | (eop ? 300 : 0), "record %u", i);
        CHECK_EQ(rec.w[1], body, "record %u", i);
        CHECK_EQ(rec.w[2], 7 * 0x400, "record %u", i);
        CHECK_EQ(rec.w[3], 0, "record %u", i);
    }
    CHECK_COPY(nb.b.rig, nb.b.dst, nb.b.src, 300, "data");
}

/* A packet of several descriptors into several buffers: five records, too. */
static void test_tdma_one_set_a_packet(void **state)
{
    struct note_bench nb;

    note_open(&nb, *state, RING_BYTES);
    note_arm(&nb, true, true);
    bench_packet(&nb.b, 4, 3, 1200);
    CHECK_EQ(note_tail(&nb), 80, "tail");
    CHECK_EQ(note_at(&nb, 2).w[0] & 0xFFFFFF, 1200, "nbytes");
    CHECK_EQ(note_at(&nb, 3).w[1] >> 16,
             crc32(0, rig_mem(nb.b.rig, nb.b.src, 1200), 1200) & 0xFFFF, "crc");
    note_arm(&nb, false, false);
    bench_packet(&nb.b, 4, 3, 1200);
    CHECK_EQ(note_tail(&nb), 80, "off");
}

/* m2s_trigger, s2m_trigger: the first packet, then every (N + 1)th. */
static void test_tdma_m2s_trigger_s2m_trigger(void **state)
{
    struct note_bench nb;

    for (uint32_t cnt = 0; cnt < 5; cnt++) {
        uint32_t m2s = 0, s2m = 0;

        note_open(&nb, *state, RING_BYTES);
        note_set(&nb, TRIG(QUEUE), TRIG_ON | cnt);
        note_set(&nb, TRIG(QUEUE) + TRIG_S2M, TRIG_ON | (cnt + 1));
        for (unsigned p = 0; p < 13; p++) {
            note_packet(&nb);
            m2s += p % (cnt + 1) == 0 ? 2 : 0;
            s2m += p % (cnt + 2) == 0 ? 3 : 0;
            CHECK_EQ(note_tail(&nb), 16 * (m2s + s2m), "cnt=%u packet=%u", cnt,
                     p);
        }
        /* Written again it starts over; the other direction does not. */
        note_set(&nb, TRIG(QUEUE) + TRIG_S2M, 0);
        note_set(&nb, TRIG(QUEUE), TRIG_ON | 0xFFFF);
        note_packet(&nb);
        note_packet(&nb);
        CHECK_EQ(note_tail(&nb), 16 * (m2s + s2m + 2), "cnt=%u again", cnt);
        CHECK_EQ(note_get(&nb, TRIG(QUEUE)), TRIG_ON | 0xFFFF, "reads back");
    }
}

/* m2s_crc_init, s2m_crc_init: 32-bit seeds, by direction. */
static void test_tdma_m2s_crc_init_s2m_crc_init(void **state)
{
    const uint32_t seeds[] = { 0x12345678, 0 };
    struct note_bench nb;

    note_open(&nb, *state, RING_BYTES);
    CHECK_EQ(note_get(&nb, TRIG(QUEUE) + TRIG_CRC), 0xFFFFFFFF, "reset");
    note_set(&nb, TRIG(QUEUE) + TRIG_CRC, seeds[0]);
    note_set(&nb, TRIG(QUEUE) + TRIG_S2M + TRIG_CRC, seeds[1]);
    note_arm(&nb, true, true);
    for (uint32_t len = 1; len < 40; len++) {
        rig_copy(&nb.b.rq, nb.b.dst, nb.b.src + len, len);
        for (unsigned dir = 0; dir < 2; dir++) {
            const void *p = rig_mem(nb.b.rig, nb.b.src + len, len);
            unsigned at = (note_tail(&nb) / 16 + 256 - 3 + dir) % 256;

            CHECK_EQ(note_at(&nb, at).w[1] >> 16,
                     crc32(~seeds[dir], p, len) & 0xFFFF, "len=%u dir=%u", len,
                     dir);
        }
    }
}

/* m2s_sw_queue, s2m_sw_queue: a ring each; ten and up is no ring. */
static void test_tdma_m2s_sw_queue_s2m_sw_queue(void **state)
{
    struct note_bench nb;

    note_open(&nb, *state, RING_BYTES);
    note_ring(&nb, 9, nb.ring + 0x8000, RING_BYTES);
    note_set(&nb, NQ_ENABLE, 1u << 9 | 1u << RING);
    note_set(&nb, TRIG(QUEUE) + TRIG_S2M + TRIG_NQ, 9);
    note_arm(&nb, true, true);
    note_packet(&nb);
    CHECK_EQ(note_tail(&nb), 32, "M2S");
    CHECK_EQ(note_get(&nb, NQ_RING(9, RING_TAIL)), 48, "S2M");
    for (uint32_t id = 10; id < 16; id++) {
        note_set(&nb, TRIG(QUEUE) + TRIG_NQ, id);
        note_packet(&nb);
        CHECK_EQ(note_block(&nb)->counts.no_queue, 2 * (id - 9), "id=%u", id);
    }
    CHECK_EQ(note_tail(&nb), 32, "not there");
    CHECK_EQ(note_intr(&nb, 1), 0, "no interrupt for a ring that is not");
}

/* s2m_eop_combined: one record when the completion has been written. */
static void test_tdma_s2m_eop_combined(void **state)
{
    struct note_bench nb;

    note_open(&nb, *state, RING_BYTES);
    note_set(&nb, TDMA_COMBINED, 1);
    note_arm(&nb, false, true);
    note_packet(&nb);
    CHECK_EQ(note_tail(&nb), 32, "SOP and EOP");
    CHECK_EQ(note_code(&nb, 1), R_S2M_EOP, "EOP");
    CHECK_EQ(note_at(&nb, 1).w[0] & 0xFFFFFF, 64, "nbytes");
}

/* A trigger that comes or goes under a packet: H94. */
static void test_tdma_trigger_under_a_packet(void **state)
{
    struct note_bench nb;

    for (int on = 0; on <= 1; on++) {
        note_open(&nb, *state, RING_BYTES);
        note_arm(&nb, on, on);
        rig_tx(&nb.b.rq, D_ONE, nb.b.src, 128);
        rig_rx(&nb.b.rq, nb.b.dst, 64);
        rig_bell(&nb.b.rq, TX, 1);
        rig_bell(&nb.b.rq, RX, 1);
        note_arm(&nb, !on, !on); /* half of it has moved */
        rig_rx(&nb.b.rq, nb.b.dst + 64, 64);
        rig_bell(&nb.b.rq, RX, 1);
        CHECK_COPY(nb.b.rig, nb.b.dst, nb.b.src, 128, "on=%d", on);
        CHECK_EQ(note_tail(&nb), on ? 80 : 0, "on=%d", on);
        note_packet(&nb);
        CHECK_EQ(note_tail(&nb), 80, "on=%d next", on);
    }
}

/* Without a buffer the start of M2S is told, nothing of S2M. */
static void test_tdma_starved_packet(void **state)
{
    struct note_bench nb;

    note_open(&nb, *state, RING_BYTES);
    note_arm(&nb, true, true);
    rig_tx(&nb.b.rq, D_ONE, nb.b.src, 64);
    rig_bell(&nb.b.rq, TX, 1);
    CHECK_EQ(note_tail(&nb), 16, "M2S SOP");
    rig_rx(&nb.b.rq, nb.b.dst, 64);
    rig_bell(&nb.b.rq, RX, 1);
    CHECK_EQ(note_tail(&nb), 80, "the rest");
}

/* ---- waiting (notific_cfg.stall) ------------------------------------------
 */

/* A ring of four records whose fullness is waited for, all inputs back up. */
static void open_stalling(struct note_bench *nb, struct rig *r)
{
    note_open(nb, r, 64);
    note_set(nb, NQ_SW_STALL, 1u << RING);
    note_set(nb, NQ_HW_STALL, 0xFFFFFFFF);
    note_arm(nb, true, true);
}

static void test_tdma_notific_cfg_stall(void **state)
{
    struct note_bench nb;
    unsigned codes[10];

    open_stalling(&nb, *state);
    CHECK_EQ(note_get(&nb, TDMA_STALL), 7, "reset: all three (seed 002 5.3)");
    for (unsigned p = 0; p < 2; p++) {
        note_packet(&nb);
    }
    /* Three fit, S2M EOP and COMPLETION are held, then M2S SOP, S2M SOP and
     * M2S EOP of the second; its S2M EOP waits, and the packet with it. */
    CHECK_EQ(rig_stats(nb.b.rig, ENGINE).packets, 1, "the second waits");
    CHECK_EQ(note_get(&nb, TDMA_CME), 1u << QUEUE, "inside the CME");
    CHECK_EQ(note_intr(&nb, 2), 1, "told to wait once");
    for (unsigned i = 0; i < 10; i++) {
        codes[i] = note_code(&nb, i % 4);
        note_set(&nb, NQ_RING(RING, RING_HEAD), (i + 1) % 4 * 16);
    }
    CHECK_EQ(rig_stats(nb.b.rig, ENGINE).packets, 2, "woken");
    CHECK_EQ(note_get(&nb, TDMA_CME), 0, "done");
    for (unsigned i = 0; i < 10; i++) {
        static const unsigned want[] = { R_M2S_SOP, R_S2M_SOP, R_M2S_EOP,
                                         R_S2M_EOP, R_S2M_CMPL };

        CHECK_EQ(codes[i], want[i % 5], "record %u", i);
    }
    CHECK_EQ(note_block(&nb)->counts.input, 0, "none lost");
}

/* With the bits off packets go on, and records are lost. */
static void test_tdma_notific_cfg_stall_off(void **state)
{
    for (uint32_t bits = 0; bits < 8; bits++) {
        struct note_bench nb;
        bool goes_on;

        open_stalling(&nb, *state);
        note_set(&nb, TDMA_STALL, bits);
        for (unsigned p = 0; p < 4; p++) {
            note_packet(&nb);
        }
        goes_on = bits == 0;
        CHECK_EQ(rig_stats(nb.b.rig, ENGINE).packets == 4, goes_on, "bits=%u",
                 bits);
        /* Every policy that a packet waits for sets it free. */
        note_set(&nb, TDMA_STALL, 0);
        CHECK_EQ(rig_stats(nb.b.rig, ENGINE).packets, 4, "bits=%u", bits);
        CHECK_COPY(nb.b.rig, nb.b.dst, nb.b.src, 64, "bits=%u", bits);
    }
}

/* What sets waiting packets free. */
static void test_tdma_waiting_packets_wake(void **state)
{
    static const struct {
        const char *what;
        uint32_t off;
        uint32_t val;
    } rows[] = {
        { "nq_enable", NQ_ENABLE, 0 },
        { "sw_backpressure", NQ_SW_STALL, 0 },
        { "hw_backpressure", NQ_HW_STALL, 0 },
        { "ignore_full", NQ_OVERWRITE, 1u << RING },
        { "wr_buf_enable", NQ_INPUTS, 0 },
        { "uart", NQ_UART, 1 },
        { "size", NQ_RING(RING, RING_SIZE), 0 },
        { "stall", TDMA_STALL, 0 },
    };

    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct note_bench nb;

        open_stalling(&nb, *state);
        for (unsigned p = 0; p < 9; p++) {
            note_packet(&nb);
        }
        CHECK_EQ(rig_stats(nb.b.rig, ENGINE).packets, 1, "%s", rows[i].what);
        note_set(&nb, rows[i].off, rows[i].val);
        CHECK_EQ(rig_stats(nb.b.rig, ENGINE).packets, 9, "%s", rows[i].what);
    }
}

/* A held start is not told of once its trigger is off; the packet goes on. */
static void test_tdma_trigger_off_wakes(void **state)
{
    struct note_bench nb;

    open_stalling(&nb, *state);
    note_set(&nb, NQ_INPUTS, 1); /* M2S SOP alone */
    for (unsigned p = 0; p < 6; p++) {
        note_packet(&nb); /* three fit, one is held */
    }
    CHECK_EQ(rig_stats(nb.b.rig, ENGINE).packets, 4, "waits at its start");
    note_arm(&nb, false, false);
    CHECK_EQ(rig_stats(nb.b.rig, ENGINE).packets, 6, "goes on");
    note_set(&nb, NQ_RING(RING, RING_HEAD), 48);
    CHECK_EQ(note_get(&nb, NQ_STATS), 4, "nothing of the last two");
}

/* A reset of the queue under a packet that waits. */
static void test_tdma_reset_under_a_waiting_packet(void **state)
{
    for (enum side side = TX; side <= RX; side++) {
        struct note_bench nb;

        open_stalling(&nb, *state);
        note_packet(&nb);
        note_packet(&nb);
        rig_q_set(&nb.b.rq, side, sw_ctrl(side), RST_Q);
        rig_q_set(&nb.b.rq, !side, sw_ctrl(!side), RST_Q);
        note_arm(&nb, false, false);
        rig_queue_program(&nb.b.rq);
        note_packet(&nb);
        CHECK_COPY(nb.b.rig, nb.b.dst, nb.b.src, 64, "side %d", side);
        CHECK_EQ(note_get(&nb, TDMA_CME), 0, "side %d", side);
    }
}

/* ---- fabric triggers ------------------------------------------------------
 */

/* axi_req_*, axi_rsp_*: the id of a data read is its queue (H96). */
static void test_tdma_axi_req_trigger_axi_rsp_trigger(void **state)
{
    struct note_bench nb;
    uint64_t src;

    for (unsigned i = 0; i < 2; i++) {
        note_open(&nb, *state, RING_BYTES);
        src = nb.b.src + 0x20;
        for (unsigned k = 0; k < 2; k++) {
            note_set(&nb, FABRIC(i) + k * 0x10 + 4, 0x1F);
            note_set(&nb, FABRIC(i) + k * 0x10 + 8, QUEUE);
            note_set(&nb, FABRIC(i) + k * 0x10 + 12, RING);
            note_set(&nb, FABRIC(i) + k * 0x10, 1);
        }
        rig_copy(&nb.b.rq, nb.b.dst, src, 64);
        CHECK_EQ(note_tail(&nb), 32, "trigger %u", i);
        CHECK_EQ(note_at(&nb, 0).w[0], 0x82000000 | (src & 0xFFFFFF), "low");
        CHECK_EQ(note_at(&nb, 0).w[1],
                 (R_AXI_REQ + i) | QUEUE << 4 | (uint32_t)(src >> 24) << 9,
                 "req %u", i);
        CHECK_EQ(note_at(&nb, 1).w[1], (R_AXI_RSP + i) | QUEUE << 4, "rsp %u",
                 i);
        /* The reorder buffer's base moves the ids. */
        note_set(&nb, TDMA_ROB, 1u << 3 | 2u << 4);
        note_packet(&nb);
        CHECK_EQ(note_tail(&nb), 32, "id 5");
        note_set(&nb, FABRIC(i) + 8, QUEUE + 2);
        note_packet(&nb);
        CHECK_EQ(note_tail(&nb), 48, "id 5 wanted");
        note_set(&nb, FABRIC(i), 0);
        note_packet(&nb);
        CHECK_EQ(note_tail(&nb), 48, "off");
    }
}

/* apb_req_*: register writes of this channel, by address (H97). */
static void test_tdma_apb_req_trigger(void **state)
{
    const uint32_t low = (uint32_t)rig_engine_base(ENGINE);
    struct note_bench nb;

    for (unsigned i = 0; i < 2; i++) {
        note_open(&nb, *state, RING_BYTES);
        note_set(&nb, FABRIC(i) + 0x24, 0xFFFFFFF0);
        note_set(&nb, FABRIC(i) + 0x28, low + GEN_EX + 0x100);
        note_set(&nb, FABRIC(i) + 0x2C, RING);
        note_set(&nb, FABRIC(i) + 0x20, 1);
        note_set(&nb, GEN_EX + 0x104, 1);
        CHECK_EQ(note_tail(&nb), 16, "match");
        CHECK_EQ(note_at(&nb, 0).w[0],
                 0x82000000 | ((low + GEN_EX + 0x104) & 0xFFFFFF), "low");
        CHECK_EQ(note_at(&nb, 0).w[1],
                 (R_APB_REQ + i) | (low + GEN_EX + 0x104) >> 24 << 4, "w1");
        note_set(&nb, GEN_EX + 0x110, 1);
        rig_write(nb.b.rig, ENGINE + 1, GEN_EX + 0x104, 1);
        note_get(&nb, GEN_EX + 0x104);
        CHECK_EQ(note_tail(&nb), 16, "no match");
        note_set(&nb, FABRIC(i) + 0x20, 0);
        note_set(&nb, GEN_EX + 0x104, 1);
        CHECK_EQ(note_tail(&nb), 16, "off");
    }
}

/* A record that is written to a register is no reason for another. */
static void test_tdma_apb_records_do_not_breed(void **state)
{
    struct note_bench nb;

    note_open(&nb, *state, RING_BYTES);
    note_ring(&nb, RING, rig_engine_base(ENGINE) + GEN_EX + 0x400, 0x40);
    note_set(&nb, FABRIC(0) + 0x2C, RING);
    note_set(&nb, NQ_OVERWRITE, 1u << RING);
    note_set(&nb, FABRIC(0) + 0x20, 1); /* mask 0: every write matches */
    note_set(&nb, GEN_EX, 0);
    CHECK_EQ(note_get(&nb, NQ_STATS), 1, "one");
    note_arm(&nb, true, true); /* two writes */
    note_packet(&nb);          /* two bells, five records */
    CHECK_EQ(note_get(&nb, NQ_STATS), 9, "no more");
}

/* The second trigger sits elsewhere in mariana (common-blocks 1.3.1). */
static void test_tdma_fabric_stride_of_mariana(void **state)
{
    struct trench_soc_conf conf = { .gen = trench_gen_find("mariana") };
    struct note_bench nb;
    struct rig r;

    (void)state;
    rig_open(&r, &conf);
    note_open(&nb, &r, RING_BYTES);
    note_set(&nb, TDMA + 0x534 + 0x2C, RING);
    note_set(&nb, TDMA + 0x534 + 0x20, 1);
    note_set(&nb, GEN_EX, 0);
    CHECK_EQ(note_tail(&nb), 16, "at + 0x34");
    CHECK_EQ(note_code(&nb, 0), R_APB_REQ + 1, "trigger 1");
    rig_close(&r);
}

/* Sunda: the block stands in the window of the application (1.5). */
static void test_tdma_sunda(void **state)
{
    struct trench_soc_conf conf = { .gen = trench_gen_find("sunda") };
    struct trench_soc *soc;
    struct trench_bus *bus;
    uint64_t app = 0, note = 0;
    uint32_t val = 0;

    (void)state;
    CHECK_EQ(trench_soc_create(&conf, &soc), 0, "create");
    bus = trench_soc_bus(soc);
    trench_gen_block_base(conf.gen, 3, TRENCH_BLOCK_TDMA_MODEL, false, &app);
    trench_gen_block_base(conf.gen, 3, TRENCH_BLOCK_NOTIFIC_10_QUEUE, false,
                          &note);
    CHECK_EQ(note, app + 0x1000, "base");
    trench_bus_write32(bus, note + 0x100, 0x10000);
    trench_bus_write32(bus, note + 0x108, 0x100);
    trench_bus_write32(bus, note + 0x14, 1);
    trench_bus_write32(bus, note + 0x30, 0xFFF);
    trench_bus_write32(bus, app + 0x520, 1); /* every register write */
    trench_bus_write32(bus, app + 0x900, 1);
    trench_bus_read32(bus, note + 0x110, &val);
    CHECK_EQ(val, 16, "tail");
    trench_bus_read32(bus, 0x10004, &val);
    CHECK_EQ(val, R_APB_REQ | (uint32_t)(app + 0x900) >> 24 << 4, "w1");
    trench_soc_destroy(soc);
}

/* ---- the rest of the block -------------------------------------------------
 */

/* cme_packets_inflight, dmb_packets_inflight (seed 002 5.3). */
static void test_tdma_app_engine_status(void **state)
{
    struct note_bench nb;

    note_open(&nb, *state, RING_BYTES);
    for (unsigned dmb = 0; dmb < 3; dmb++) {
        uint32_t words[] = { D_ONE | 64 | (dmb == 1 ? D_DMB : 0),
                             META_COPY | (dmb == 2 ? 1u << 26 : 0) };

        rig_desc(&nb.b.rq, TX, words, nb.b.src);
        rig_bell(&nb.b.rq, TX, 1);
        CHECK_EQ(note_get(&nb, TDMA_CME), 1u << QUEUE, "starved");
        CHECK_EQ(note_get(&nb, TDMA_DMB), dmb ? 1u << QUEUE : 0, "barrier %u",
                 dmb);
        for (uint32_t off = 4; off <= 12; off += 4) {
            CHECK_EQ(note_get(&nb, TDMA_CME + off), 0, "DRE, CCE, ATS");
        }
        note_set(&nb, TDMA_CME, 0); /* read-only by its field */
        rig_rx(&nb.b.rq, nb.b.dst, 64);
        rig_bell(&nb.b.rq, RX, 1);
        CHECK_EQ(note_get(&nb, TDMA_CME), 0, "done");
        CHECK_EQ(note_get(&nb, TDMA_DMB), 0, "done");
    }
}

/* tdma_rob_cfg, tdma_wob_cfg, strongly_ordered_write.cfg: clear is a strobe. */
static void test_tdma_clear_strobes(void **state)
{
    static const struct {
        uint32_t off;
        uint32_t clear;
        uint32_t all;
    } rows[] = {
        { 0x01C, 1u << 2, 0x80001FFF },
        { 0x020, 1u << 2, 0x7FF },
        { 0x980, 1u << 4, 0x11 },
    };
    struct note_bench nb;

    note_open(&nb, *state, RING_BYTES);
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        note_set(&nb, TDMA + rows[i].off, 0xFFFFFFFF);
        CHECK_EQ(note_get(&nb, TDMA + rows[i].off),
                 rows[i].all & ~rows[i].clear, "0x%x", rows[i].off);
    }
}

/* tdma_rob_cfg, tdma_wob_cfg, strongly_ordered_write.cfg: in order anyway. */
static void test_tdma_rob_cfg_wob_cfg_strongly_ordered_write(void **state)
{
    static const uint32_t settings[][3] = {
        { 0, 0, 0 },              /* off */
        { 1, 1, 0 },              /* en, as the driver has it */
        { 1, 1, 1 },              /* and bypass_enable */
        { 3, 3, 0 },              /* force_inorder */
        { 0x1FF9, 0x7F9, 0 },     /* both bases */
        { 0x80000000, 0x7FB, 1 }, /* powerdown */
    };
    struct note_bench nb;

    for (size_t i = 0; i < ARRAY_LEN(settings); i++) {
        note_open(&nb, *state, RING_BYTES);
        note_set(&nb, TDMA + 0x01C, settings[i][0]);
        note_set(&nb, TDMA + 0x020, settings[i][1]);
        note_set(&nb, TDMA + 0x980, settings[i][2]);
        CHECK_EQ(note_get(&nb, TDMA + 0x01C), settings[i][0], "row %zu", i);
        CHECK_EQ(note_get(&nb, TDMA + 0x020), settings[i][1], "row %zu", i);
        CHECK_EQ(note_get(&nb, TDMA + 0x980), settings[i][2], "row %zu", i);
        bench_packet(&nb.b, 4, 3, 1200);
        CHECK_COPY(nb.b.rig, nb.b.dst, nb.b.src, 1200, "row %zu", i);
    }
}

/* spares[2]: RW, 0 and all ones. */
static void test_tdma_spares(void **state)
{
    struct note_bench nb;

    note_open(&nb, *state, RING_BYTES);
    for (uint32_t n = 0; n < 4; n++) {
        uint32_t off = TDMA + 0x900 + 4 * n;

        CHECK_EQ(note_get(&nb, off), n % 2 ? 0xFFFFFFFF : 0, "0x%x", off);
        note_set(&nb, off, 0x5A000000 + n);
        CHECK_EQ(note_get(&nb, off), 0x5A000000 + n, "0x%x", off);
    }
}

/* robert: nothing is outstanding when software looks; txdf is stored. */
static void test_tdma_robert(void **state)
{
    struct note_bench nb;

    note_open(&nb, *state, RING_BYTES);
    CHECK_EQ(note_get(&nb, TDMA + 0x800), 0x14, "txdf");
    note_set(&nb, TDMA + 0x800, 0x26);
    CHECK_EQ(note_get(&nb, TDMA + 0x800), 0x26, "txdf");
    note_packet(&nb);
    for (uint32_t off = 0x810; off <= 0x818; off += 4) {
        note_set(&nb, TDMA + off, 0xFFFFFFFF);
        CHECK_EQ(note_get(&nb, TDMA + off), 0, "0x%x", off);
    }
}

/* notific_cfg.timestamp is a counter of its own: records do not show it. */
static void test_tdma_notific_cfg_timestamp(void **state)
{
    struct note_bench nb;

    note_open(&nb, *state, RING_BYTES);
    CHECK_EQ(note_get(&nb, TDMA + 0x720), 0x400, "delta");
    note_set(&nb, TDMA + 0x720, 1);
    note_arm(&nb, true, false);
    trench_soc_advance(nb.b.rig->soc, 3);
    note_packet(&nb);
    CHECK_EQ(note_at(&nb, 0).w[2], 3 * 0x400, "by timestamp_inc");
}

/* Data into registers: the checksum is of what was read (H95). */
static void test_tdma_crc_of_registers(void **state)
{
    const uint64_t regs = rig_engine_base(ENGINE + 1) + GEN_EX + 0x400;
    struct note_bench nb;
    uint32_t crc;

    note_open(&nb, *state, RING_BYTES);
    note_arm(&nb, true, true);
    crc = (uint32_t)crc32(0, rig_mem(nb.b.rig, nb.b.src, 64), 64);
    rig_copy(&nb.b.rq, regs, nb.b.src, 64);
    CHECK_EQ(note_at(&nb, 2).w[1] >> 16, crc & 0xFFFF, "into registers");
    rig_copy(&nb.b.rq, nb.b.dst, regs, 64);
    crc = (uint32_t)crc32(0, rig_mem(nb.b.rig, nb.b.dst, 64), 64);
    CHECK_EQ(note_at(&nb, 7).w[1] >> 16, crc & 0xFFFF, "out of registers");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tdma_records_of_a_packet),
        cmocka_unit_test(test_tdma_one_set_a_packet),
        cmocka_unit_test(test_tdma_m2s_trigger_s2m_trigger),
        cmocka_unit_test(test_tdma_m2s_crc_init_s2m_crc_init),
        cmocka_unit_test(test_tdma_m2s_sw_queue_s2m_sw_queue),
        cmocka_unit_test(test_tdma_s2m_eop_combined),
        cmocka_unit_test(test_tdma_trigger_under_a_packet),
        cmocka_unit_test(test_tdma_starved_packet),
        cmocka_unit_test(test_tdma_notific_cfg_stall),
        cmocka_unit_test(test_tdma_notific_cfg_stall_off),
        cmocka_unit_test(test_tdma_waiting_packets_wake),
        cmocka_unit_test(test_tdma_trigger_off_wakes),
        cmocka_unit_test(test_tdma_reset_under_a_waiting_packet),
        cmocka_unit_test(test_tdma_axi_req_trigger_axi_rsp_trigger),
        cmocka_unit_test(test_tdma_apb_req_trigger),
        cmocka_unit_test(test_tdma_apb_records_do_not_breed),
        cmocka_unit_test(test_tdma_fabric_stride_of_mariana),
        cmocka_unit_test(test_tdma_sunda),
        cmocka_unit_test(test_tdma_app_engine_status),
        cmocka_unit_test(test_tdma_clear_strobes),
        cmocka_unit_test(test_tdma_rob_cfg_wob_cfg_strongly_ordered_write),
        cmocka_unit_test(test_tdma_spares),
        cmocka_unit_test(test_tdma_robert),
        cmocka_unit_test(test_tdma_notific_cfg_timestamp),
        cmocka_unit_test(test_tdma_crc_of_registers),
    };

    return cmocka_run_group_tests(tests, rig_setup, rig_teardown);
}
