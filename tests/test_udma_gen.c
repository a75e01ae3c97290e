/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Registers of udma_gen that do something beside interrupts, a test for each:
 * seed 002 3.1, 3.2, 3.4; common-blocks 1.1.2, 1.1.6; hardware.md H80, H83,
 * H85, H89.
 */
#include <trench/soc.h>

#include "check.h"
#include "rig.h"

#define MISC_D (PRIMARY(GROUP_D) + INT_CAUSE)

/* ---- DMA_misc ------------------------------------------------------------ */

/* Seed 002 3.2 and 6: major, minor, programming interface. */
static void test_gen_dma_misc_revision(void **state)
{
    static const struct {
        const char *gen;
        uint32_t major, minor, programming;
    } rows[] = {
        { "sunda", 0x02, 0x01, 0x01 },
        { "cayman", 0x1C, 0x360, 0x03 },
        { "mariana", 0x1C, 0x360, 0x03 },
        { "mariana_plus", 0x1C, 0x360, 0x03 },
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct trench_soc_conf conf = { .gen = trench_gen_find(rows[i].gen) };
        struct rig r = { 0 };
        uint32_t val, want;
        uint64_t base;

        rig_open(&r, &conf);
        CHECK_EQ(trench_gen_block_base(conf.gen, 3, TRENCH_BLOCK_UDMA_GEN,
                                       false, &base),
                 0, "%s", rows[i].gen);
        want = rows[i].major << 24 | rows[i].minor << 12 | rows[i].programming;
        CHECK_EQ(trench_bus_read32(r.bus, base + 0x2104, &val), 0, "%s",
                 rows[i].gen);
        CHECK_EQ(val, want, "%s", rows[i].gen);
        trench_bus_write32(r.bus, base + 0x2104, ~want);
        trench_bus_read32(r.bus, base + 0x2104, &val);
        CHECK_EQ(val, want, "%s: read-only", rows[i].gen);
        rig_close(&r);
    }
}

/* general_cfg_5: 0 is off, else a period; vector main[47] (H80, H89). */
static void test_gen_dma_misc_timer(void **state)
{
    struct rig *r = *state;
    struct trench_soc_intr set;

    trench_soc_advance(r->soc, 1000000);
    CHECK_EQ(rig_read(r, ENGINE, MISC_D), 0, "off at power-on");
    rig_write(r, ENGINE, GEN + 0x2118, 100);
    CHECK_EQ(rig_read(r, ENGINE, GEN + 0x2118), 100, "keeps its period");
    trench_soc_advance(r->soc, 99);
    CHECK_EQ(rig_read(r, ENGINE, MISC_D), 0, "one clock before");
    trench_soc_advance(r->soc, 1);
    CHECK_EQ(rig_read(r, ENGINE, MISC_D), 1u << 12, "expired");
    CHECK_EQ(rig_read(r, ENGINE + 1, MISC_D), 0, "the next engine's is off");
    CHECK_EQ(trench_soc_intr_pending(r->soc, ENGINE, &set), 0, "masked");
    rig_write(r, ENGINE, PRIMARY(GROUP_D) + INT_MASK_CLEAR, ~(1u << 12));
    CHECK_EQ(trench_soc_intr_pending(r->soc, ENGINE, &set), 1, "open");
    CHECK_EQ(set.bits[0], UINT64_C(1) << TRENCH_INTR_TIMER, "main[47]");
    rig_write(r, ENGINE, MISC_D, 0);
    trench_soc_advance(r->soc, 99);
    CHECK_EQ(rig_read(r, ENGINE, MISC_D), 0, "the second period");
    trench_soc_advance(r->soc, 351); /* 100 ends it, 350 more */
    CHECK_EQ(rig_read(r, ENGINE, MISC_D), 1u << 12, "several at once");
    rig_write(r, ENGINE, MISC_D, 0);
    trench_soc_advance(r->soc, 49);
    CHECK_EQ(rig_read(r, ENGINE, MISC_D), 0, "the phase is kept");
    trench_soc_advance(r->soc, 1);
    CHECK_EQ(rig_read(r, ENGINE, MISC_D), 1u << 12, "the phase is kept");
    rig_write(r, ENGINE, MISC_D, 0);
    rig_write(r, ENGINE, GEN + 0x2118, 0);
    trench_soc_advance(r->soc, UINT64_C(1) << 40);
    CHECK_EQ(rig_read(r, ENGINE, MISC_D), 0, "off again");
}

/* A new period begins with the write; the longest, and a wrapping clock. */
static void test_gen_dma_misc_timer_bounds(void **state)
{
    struct rig *r = *state;

    trench_soc_advance(r->soc, UINT64_MAX - 10);
    rig_write(r, ENGINE, GEN + 0x2118, 100);
    trench_soc_advance(r->soc, 60);
    rig_write(r, ENGINE, GEN + 0x2118, 50);
    trench_soc_advance(r->soc, 49);
    CHECK_EQ(rig_read(r, ENGINE, MISC_D), 0, "restarted, over the wrap");
    trench_soc_advance(r->soc, 1);
    CHECK_EQ(rig_read(r, ENGINE, MISC_D), 1u << 12, "restarted");
    rig_write(r, ENGINE, MISC_D, 0);
    rig_write(r, ENGINE, GEN + 0x2118, UINT32_MAX);
    trench_soc_advance(r->soc, UINT32_MAX - UINT64_C(1));
    CHECK_EQ(rig_read(r, ENGINE, MISC_D), 0, "the longest period");
    trench_soc_advance(r->soc, 1);
    CHECK_EQ(rig_read(r, ENGINE, MISC_D), 1u << 12, "the longest period");
}

/* Seed 002 3.4: [0] local, [1] toward the application (counted there). */
static void test_gen_dma_misc_abort_ctl(void **state)
{
    struct rig *r = *state;

    for (uint32_t ctl = 0; ctl < 4; ctl++) {
        rig_reset(r);
        rig_write(r, ENGINE, GEN + 0x211C, ctl | 0xFFFFFFFC);
        CHECK_EQ(rig_read(r, ENGINE, GEN + 0x211C), ctl, "two bits");
        rig_write(r, ENGINE, SECONDARY(GROUP_B) + INT_ABORT_MASK, ~1u);
        rig_write(r, ENGINE, SECONDARY(GROUP_B) + INT_CAUSE_SET, 1);
        CHECK_EQ(rig_read(r, ENGINE, STATE), ctl & 1 ? 0 : 0x2222, "ctl %u",
                 (unsigned)ctl);
        CHECK_EQ(rig_stats(r, ENGINE).app_aborts, ctl == 0, "ctl %u",
                 (unsigned)ctl);
        rig_write(r, ENGINE, GEN + 0x211C, 0);
        CHECK_EQ(rig_read(r, ENGINE, STATE), 0x2222, "held back until now");
        CHECK_EQ(rig_stats(r, ENGINE).app_aborts, ctl != 2, "ctl %u",
                 (unsigned)ctl);
    }
}

/* H79: the groups of the AXI generators abort as well, as sunda's driver has
 * it (udma-engine 5.8.1); the primary groups do not. */
static void test_gen_abort_by_window(void **state)
{
    static const uint32_t windows[] = { 0x0000, 0x2000, 0x2D00, 0x2E00, 0x2F00,
                                        0x3000, 0x3100, 0x3200, 0x3300 };
    struct rig *r = *state;

    for (size_t n = 0; n < ARRAY_LEN(windows) * 4; n++) {
        uint32_t base = GEN + windows[n / 4] + 0x40 * (uint32_t)(n % 4);

        rig_reset(r);
        rig_write(r, ENGINE, base + INT_ABORT_MASK, ~(1u << 7));
        rig_write(r, ENGINE, base + INT_CAUSE_SET, ~(1u << 7));
        CHECK_EQ(rig_read(r, ENGINE, STATE), 0, "group %zu, masked", n);
        rig_write(r, ENGINE, base + INT_CAUSE_SET, 1u << 7);
        CHECK_EQ(rig_read(r, ENGINE, STATE), n < 4 ? 0 : 0x2222, "group %zu",
                 n);
        CHECK_EQ(rig_read(r, ENGINE + 1, STATE), 0, "group %zu, next door", n);
    }
}

/* ---- storage ------------------------------------------------------------- */

/* Registers that only store, with their RW bits and resets. */
static void test_gen_storage(void **state)
{
    static const struct {
        uint32_t off;
        uint32_t count;
        uint32_t rw;
        uint32_t reset;
    } rows[] = {
        { 0x2100, 1, 0x00000071, 0 },          /* DMA_misc.int_cfg */
        { 0x2108, 4, 0xFFFFFFFF, 0 },          /* general_cfg_1..4 */
        { 0x2120, 1, 0x00000007, 0 },          /* bw_bug_fixes */
        { 0x2400, 25, 0x010F010F, 0 },         /* SRAM_ctrl */
        { 0x2500, 1, 0x00000300, 0 },          /* vmid.cfg_vmid_0 */
        { 0x3400, 1, 0x003F003F, 0 },          /* pmu.rx_hdr */
        { 0x3404, 1, 0x007F007F, 0 },          /* pmu.rx_data */
        { 0x3408, 1, 0x1FFF1FFF, 0 },          /* pmu.tx_data */
        { 0x340C, 1, 0x0F0F0F0F, 0 },          /* pmu.rx_drop */
        { 0x3464, 1, 0xFFFFFFFF, 0 },          /* spare_reg.zeroes1 */
        { 0x3468, 2, 0xFFFFFFFF, 0xFFFFFFFF }, /* ones0, ones1 */
    };
    struct rig *r = *state;

    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        for (uint32_t n = 0; n < rows[i].count; n++) {
            uint32_t off = GEN + rows[i].off + 4 * n;

            CHECK_EQ(rig_read(r, ENGINE, off), rows[i].reset, "0x%x", off);
            rig_write(r, ENGINE, off, 0xFFFFFFFF);
            CHECK_EQ(rig_read(r, ENGINE, off), rows[i].rw, "0x%x", off);
            rig_write(r, ENGINE, off, 0xA5A5A5A5);
            CHECK_EQ(rig_read(r, ENGINE, off), 0xA5A5A5A5 & rows[i].rw, "0x%x",
                     off);
        }
    }
}

/* Seed 002 3.3: tout, in cycles; storage here (H120). */
static void test_gen_axi_cfg_1(void **state)
{
    static const uint32_t vals[] = { 0, 1, 1000000, 100000000, 0xFFFFFFFF };
    struct bench b;

    bench_open(&b, *state, 8);
    CHECK_EQ(rig_read(b.rig, ENGINE, GEN + 0x2300), 0x2710, "reset");
    for (size_t i = 0; i < ARRAY_LEN(vals); i++) {
        rig_write(b.rig, ENGINE, GEN + 0x2300, vals[i]);
        CHECK_EQ(rig_read(b.rig, ENGINE, GEN + 0x2300), vals[i], "tout");
        rig_fill(b.rig, b.src, 64, (uint32_t)i + 1);
        rig_copy(&b.rq, b.dst, b.src, 64);
        trench_soc_advance(b.rig->soc, 1000);
        CHECK_COPY(b.rig, b.dst, b.src, 64, "nothing takes time");
    }
    CHECK_EQ(rig_read(b.rig, ENGINE, SECONDARY(GROUP_A) + INT_CAUSE), 0,
             "no time-out");
}

/* Seed 002 3.3: arb_promotion, 0 = disabled; the one master never waits. */
static void test_gen_axi_cfg_2(void **state)
{
    struct bench b;

    bench_open(&b, *state, 8);
    CHECK_EQ(rig_read(b.rig, ENGINE, GEN + 0x2304), 8, "reset");
    for (uint32_t val = 0; val < 16; val++) {
        rig_write(b.rig, ENGINE, GEN + 0x2304, val | 0xFFFFFFF0);
        CHECK_EQ(rig_read(b.rig, ENGINE, GEN + 0x2304), val, "four bits");
        rig_fill(b.rig, b.src, 64, val + 1);
        rig_copy(&b.rq, b.dst, b.src, 64);
        CHECK_COPY(b.rig, b.dst, b.src, 64, "val %u", (unsigned)val);
    }
}

/* Seed 002 3.5, udma_gen_program_axi_master, word by word. */
static void test_gen_program_axi_master(void **state)
{
    struct rig *r = *state;
    uint32_t axi = GEN + 0x02300;

    for (uint32_t off = 0; off < 12; off += 4) {
        rig_write(r, ENGINE, axi + off, 0xFFFFFFF7);
    }
    rig_write(r, ENGINE, axi, 0x00002710);
    rig_write(r, ENGINE, axi + 4,
              (rig_read(r, ENGINE, axi + 4) & ~0xFu) | (8 & 0xFu));
    rig_write(r, ENGINE, axi + 8, 0);
    CHECK_EQ(rig_read(r, ENGINE, axi), 0x2710, "cfg_1.tout");
    CHECK_EQ(rig_read(r, ENGINE, axi + 4), 8, "cfg_2.arb_promotion");
    CHECK_EQ(rig_read(r, ENGINE, axi + 8), 0, "endian_cfg");
    for (uint32_t off = 0; off < 12; off += 4) {
        CHECK_EQ(rig_read(r, ENGINE, axi + off),
                 rig_read(r, ENGINE + 1, axi + off), "as reset: 0x%x", off);
    }
}

/* Seed 002 6: sunda's pmu.tx_data is narrower. */
static void test_gen_pmu_tx_data_of_sunda(void **state)
{
    struct trench_soc_conf conf = { .gen = trench_gen_find("sunda") };
    struct rig r = { 0 };
    uint64_t base;
    uint32_t val;

    (void)state;
    rig_open(&r, &conf);
    trench_gen_block_base(conf.gen, 0, TRENCH_BLOCK_UDMA_GEN, false, &base);
    trench_bus_write32(r.bus, base + 0x3408, 0xFFFFFFFF);
    CHECK_EQ(trench_bus_read32(r.bus, base + 0x3408, &val), 0, "pmu.tx_data");
    CHECK_EQ(val, 0x07FF07FF, "[26:16] and [10:0]");
    rig_close(&r);
}

/* Whatever the storage holds, a copy is a copy. */
static void test_gen_storage_does_not_act(void **state)
{
    struct bench b;

    bench_open(&b, *state, 8);
    for (uint32_t off = 0x2108; off <= 0x2114; off += 4) {
        rig_write(b.rig, ENGINE, GEN + off, 0xFFFFFFFF);
    }
    rig_write(b.rig, ENGINE, GEN + 0x2120, 7);
    rig_write(b.rig, ENGINE, GEN + 0x2500, 0x300);
    for (uint32_t off = 0x2400; off < 0x2464; off += 4) {
        rig_write(b.rig, ENGINE, GEN + off, 0xFFFFFFFF);
    }
    rig_copy(&b.rq, b.dst, b.src, 256);
    CHECK_COPY(b.rig, b.dst, b.src, 256, "copied");
}

/* ---- Mailbox ------------------------------------------------------------- */

#define MAILBOX(slot, reg) (GEN + 0x2200u + 0x40u * (slot) + (reg))
enum {
    MB_INTERRUPT = 0,
    MB_OUT = 4,
    MB_IN = 8,
};

/* Seed 002 3.4: a word and an interrupt arrive at the peer (H83). */
static void test_gen_mailbox(void **state)
{
    static const unsigned engines[] = { 0, 1, 5, 126, 127, 130, 131 };
    struct rig *r = *state;

    for (size_t i = 0; i < ARRAY_LEN(engines); i++) {
        unsigned e = engines[i];

        for (unsigned s = 0; s < 4; s++) {
            uint32_t word = 0xC0DE0000u + e * 16 + s;

            rig_reset(r);
            rig_write(r, e, MAILBOX(s, MB_OUT), word);
            CHECK_EQ(rig_read(r, e, MAILBOX(s, MB_OUT)), word, "e%u s%u", e, s);
            for (unsigned t = 0; t < 4; t++) {
                CHECK_EQ(rig_read(r, e ^ 1, MAILBOX(t, MB_IN)),
                         t == s ? word : 0, "e%u s%u t%u", e, s, t);
            }
            CHECK_EQ(rig_read(r, e, MAILBOX(s, MB_IN)), 0, "not its own");
            CHECK_EQ(rig_read(r, e ^ 1, MISC_D), 0, "no interrupt yet");
            rig_write(r, e, MAILBOX(s, MB_INTERRUPT), 1);
            CHECK_EQ(rig_read(r, e ^ 1, MISC_D), 1u << s, "e%u s%u", e, s);
            CHECK_EQ(rig_read(r, e, MISC_D), 0, "e%u s%u", e, s);
            CHECK_EQ(rig_read(r, e, MAILBOX(s, MB_INTERRUPT)), 0, "command");
        }
    }
}

static void test_gen_mailbox_bits(void **state)
{
    struct rig *r = *state;

    rig_write(r, 6, MAILBOX(2, MB_INTERRUPT), 0xFFFFFFFE);
    CHECK_EQ(rig_read(r, 7, MISC_D), 0, "only bit 0 is set");
    rig_write(r, 7, MAILBOX(2, MB_IN), 0x1234);
    CHECK_EQ(rig_read(r, 7, MAILBOX(2, MB_IN)), 0, "msg_in is read-only");
    rig_write(r, 7, MAILBOX(1, MB_OUT), 1);
    rig_write(r, 6, MAILBOX(1, MB_OUT), 2);
    CHECK_EQ(rig_read(r, 6, MAILBOX(1, MB_IN)), 1, "both ways");
    CHECK_EQ(rig_read(r, 7, MAILBOX(1, MB_IN)), 2, "both ways");
    trench_soc_reset(r->soc);
    CHECK_EQ(rig_read(r, 6, MAILBOX(1, MB_IN)), 0, "reset");
}

/* main[35..38]: Cross Mail Box 0 to 3. */
static void test_gen_mailbox_vectors(void **state)
{
    struct rig *r = *state;
    struct trench_soc_intr set;

    rig_write(r, 8, PRIMARY(GROUP_D) + INT_MASK, 0);
    for (unsigned s = 0; s < 4; s++) {
        rig_write(r, 9, MAILBOX(s, MB_INTERRUPT), 1);
        CHECK_EQ(trench_soc_intr_pending(r->soc, 8, &set), 1, "slot %u", s);
        CHECK_EQ(set.bits[0], UINT64_C(1) << (9 + 35 + s), "slot %u", s);
        rig_write(r, 8, MISC_D, 0);
    }
    CHECK_EQ(trench_soc_intr_pending(r->soc, 8, &set), 0, "acknowledged");
}

/* ---- init_memory --------------------------------------------------------- */

/* common-blocks 1.1.2: the bit order of progress is that of no trigger. */
static void test_gen_init_memory(void **state)
{
    static const uint32_t swapped[] = { 0, 2, 1, 3 };
    struct rig *r = *state;

    for (uint32_t side = 0; side < 2; side++) {
        uint32_t trigger = GEN + 0x3420 + 8 * side;
        uint32_t other = GEN + 0x3424 + 8 * !side;

        for (uint32_t bits = 0; bits < 4; bits++) {
            rig_write(r, ENGINE, trigger, bits | 0xFFFFFFFC);
            CHECK_EQ(rig_read(r, ENGINE, trigger), bits, "held, two bits");
            CHECK_EQ(rig_read(r, ENGINE, other), 0, "the other side");
            CHECK_EQ(rig_read(r, ENGINE, trigger + 4), swapped[bits],
                     "side %u bits %u: at work", (unsigned)side,
                     (unsigned)bits);
            CHECK_EQ(rig_read(r, ENGINE, trigger + 4), 0, "done");
            rig_write(r, ENGINE, trigger, 0);
            CHECK_EQ(rig_read(r, ENGINE, trigger + 4), 0, "released");
        }
        rig_write(r, ENGINE, trigger + 4, 3);
        CHECK_EQ(rig_read(r, ENGINE, trigger + 4), 0, "read-only");
    }
}

/* ---- spare_reg ----------------------------------------------------------- */

/* zeroes0 bit 0 = 1: heads stand still without completion rings (H42). */
static void test_gen_spare_reg_zeroes0(void **state)
{
    for (uint32_t off = 0; off < 2; off++) {
        struct bench b;

        bench_open(&b, *state, 8);
        rig_q_set(&b.rq, RX, comp_cfg(RX), 0);
        rig_q_set(&b.rq, TX, comp_cfg(TX), 0);
        rig_write(b.rig, ENGINE, GEN + 0x3460, 0xFFFFFFFE | off);
        rig_copy(&b.rq, b.dst, b.src, 64);
        CHECK_EQ(rig_q(&b.rq, TX, Q_COMP_HEAD) & 0xFFFFFF, !off, "TX bit %u",
                 (unsigned)off);
        CHECK_EQ(rig_q(&b.rq, RX, Q_COMP_HEAD) & 0xFFFFFF, !off, "RX bit %u",
                 (unsigned)off);
    }
}

#define TEST(name)                                                             \
    cmocka_unit_test_setup_teardown(name, rig_setup, rig_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_gen_dma_misc_revision),
        TEST(test_gen_dma_misc_timer),
        TEST(test_gen_dma_misc_timer_bounds),
        TEST(test_gen_dma_misc_abort_ctl),
        TEST(test_gen_abort_by_window),
        TEST(test_gen_storage),
        TEST(test_gen_axi_cfg_1),
        TEST(test_gen_axi_cfg_2),
        TEST(test_gen_program_axi_master),
        cmocka_unit_test(test_gen_pmu_tx_data_of_sunda),
        TEST(test_gen_storage_does_not_act),
        TEST(test_gen_mailbox),
        TEST(test_gen_mailbox_bits),
        TEST(test_gen_mailbox_vectors),
        TEST(test_gen_init_memory),
        TEST(test_gen_spare_reg_zeroes0),
    };

    return cmocka_run_group_tests_name("udma_gen", tests, NULL, NULL);
}
