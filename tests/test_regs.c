/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Every register of a channel: its power-on value, its access, and the words
 * between registers. udma-engine 0.4 and 1 to 3; seed 002; hardware.md H20,
 * H50 to H53.
 */
#include <trench/soc.h>

#include "check.h"
#include "rig.h"

static const struct {
    enum trench_block_id id;
    uint32_t offset;
    uint32_t size;
} units[] = {
    { TRENCH_BLOCK_UDMA_M2S, 0, 0x20000 },
    { TRENCH_BLOCK_UDMA_S2M, S2M, 0x18000 },
    { TRENCH_BLOCK_UDMA_GEN, GEN, 0x4000 },
    { TRENCH_BLOCK_UDMA_GEN_EX, GEN_EX, 0x4000 },
    { TRENCH_BLOCK_TDMA_MODEL, TDMA, 0x1000 },
    { TRENCH_BLOCK_NOTIFIC_10_QUEUE, NOTE, 0x1000 },
};

static const struct trench_csr_block *map_of(size_t unit)
{
    return trench_csr_builtin("cayman", units[unit].id);
}

/* ---- registers: power-on ------------------------------------------------- */

static uint32_t inst_offset(const struct trench_csr_block *block, unsigned inst)
{
    const struct trench_csr_reg *reg = &block->regs[block->inst_reg[inst]];
    const struct trench_csr_bundle *bundle = &block->bundles[reg->bundle];

    return bundle->offset + block->inst_index[inst] * bundle->stride +
           reg->offset;
}

/* Offsets inside the interrupt groups of GEN: four groups a window. */
static bool in_int_window(uint32_t off, bool *group)
{
    uint32_t at = off - GEN;

    *group = true;
    if (off < GEN || at >= 0x3400 || (at >= 0x2100 && at < 0x2D00)) {
        return false;
    }
    *group = at < 0x2000 ? at < 0x100 : true;
    return true;
}

/* What the published reset does not say, because the word is alive. */
static uint32_t power_on(uint32_t off, uint32_t reset)
{
    static const uint32_t empty_fifo[] = { 0x238, 0x23C, S2M + 0x23C,
                                           S2M + 0x240 };
    bool group;

    for (size_t i = 0; i < ARRAY_LEN(empty_fifo); i++) {
        if (off == empty_fifo[i]) {
            return 1u << 24; /* bit 24: nothing held */
        }
    }
    if (off == NOTE + 0x50) {
        return 12; /* niq_buffer_count: its input buffers (H90) */
    }
    if (in_int_window(off, &group)) {
        uint32_t word = (off - GEN) % 0x40;

        if (!group) {
            return 0;
        }
        return word == INT_MASK || word == INT_ABORT_MASK ||
                       word == INT_LOG_MASK /* H20 */
                   ? 0xFFFFFFFF
                   : word == INT_CONTROL ? 1u << 28 /* rev_id */
                                         : 0;
    }
    return reset;
}

static void check_power_on(struct rig *r, unsigned engine)
{
    for (size_t u = 0; u < ARRAY_LEN(units); u++) {
        const struct trench_csr_block *block = map_of(u);

        for (unsigned i = 0; i < block->nr_insts; i++) {
            const struct trench_csr_reg *reg = &block->regs[block->inst_reg[i]];
            uint32_t off = units[u].offset + inst_offset(block, i);

            CHECK_EQ(rig_read(r, engine, off),
                     power_on(off, reg->reset & reg->read_mask),
                     "%s engine %u 0x%05x", reg->name, engine, off);
        }
    }
}

static void test_regs_read_their_resets(void **state)
{
    check_power_on(*state, 5);
    check_power_on(*state, 131);
}

/* udma-engine 1 to 3 and seed 002, copied by hand: every reset but 0. */
static const struct {
    uint32_t off;
    uint32_t reset;
} resets[] = {
    /* M2S */
    { 0x000, 0x00000001 },
    { 0x004, 0x0000FFFF },
    { 0x100, 0x01030000 },
    { 0x104, 0x30500000 },
    { 0x108, 0x01030001 },
    { 0x10C, 0x32500000 },
    { 0x110, 0x01030000 },
    { 0x114, 0x32500000 },
    { 0x118, 0x00000008 },
    { 0x11C, 0x00000008 },
    { 0x124, 0x20402040 },
    { 0x128, 0x0000011F },
    { 0x250, 0xFFFFFFFF },
    { 0x254, 0x01010000 },
    { 0x258, 0x00000100 },
    { 0x25C, 0x0000FFFF },
    { 0x260, 0x00000001 },
    { 0x304, 0x00010040 },
    { 0x308, 0x00001041 },
    { 0x310, 0x010008F8 },
    { 0x340, 0x00070200 },
    { 0x400, 0x01010040 },
    { 0x404, 0x000186A0 },
    { 0x408, 0x000186A0 },
    { 0x40C, 0x00000078 },
    { 0x600, 0x00000400 },
    { 0x604, 0x00000004 },
    /* S2M */
    { 0x20100, 0x01030003 },
    { 0x20104, 0x30580000 },
    { 0x20108, 0x01030002 },
    { 0x2010C, 0x32500000 },
    { 0x20110, 0x01030002 },
    { 0x20114, 0x30500000 },
    { 0x20118, 0x00000008 },
    { 0x2011C, 0x00000008 },
    { 0x20120, 0x00000008 },
    { 0x20124, 0x00400020 },
    { 0x20128, 0x40204020 },
    { 0x20234, 0x01000000 },
    { 0x2024C, 0xFFFFFFFF },
    { 0x20254, 0x0000FFFF },
    { 0x20304, 0x00010407 },
    { 0x20308, 0x00000841 },
    { 0x2030C, 0x00000008 },
    { 0x20340, 0x00200040 },
    { 0x20344, 0x30002710 },
    { 0x20380, 0x00001004 },
    { 0x20384, 0x00800080 },
    { 0x2038C, 0x000186A0 },
    { 0x20600, 0x00000400 },
    /* GEN, GEN_EX, tdma_model */
    { 0x3A104, 0x1C360003 },
    { 0x3A300, 0x00002710 },
    { 0x3A304, 0x00000008 },
    { 0x3AC08, 0x00010010 },
    { 0x3ACBC, 0x00010010 },
    { 0x3B460, 0x00000000 },
    { 0x3B468, 0xFFFFFFFF },
    { 0x3B46C, 0xFFFFFFFF },
    { 0x3C808, 0xDEADBEEF },
    { 0x40004, 0x00000004 },
    { 0x40008, 0x00000090 },
    { 0x40010, 0x00000090 },
    { 0x40100, 0x0000FFFF },
    { 0x40104, 0x00000000 },
    { 0x40204, 0xFFFFFFFF },
    { 0x40210, 0xFFFFFFFF },
    { 0x4037C, 0x00000000 },
    { 0x40720, 0x00000400 },
    { 0x40800, 0x00000014 },
};

/* In the bank of every queue. */
static const struct {
    enum side side;
    uint32_t reg;
    uint32_t reset;
} queue_resets[] = {
    { TX, 0x00, 0x00000080 }, { TX, 0x20, 0x03000000 },
    { TX, 0x28, 0x00000000 }, { TX, 0x34, 0x40000000 },
    { TX, 0x38, 0x00000000 }, { TX, 0x3C, 0x40000000 },
    { TX, 0x40, 0x40000000 }, { TX, 0x4C, 0x40000000 },
    { TX, 0x50, 0x40000000 }, { TX, 0x60, 0x00FFFFFF },
    { TX, 0x74, 0x00000007 }, { TX, 0xD0, 0x00000002 },
    { TX, 0xE4, 0x40000000 }, { RX, 0x00, 0x00000080 },
    { RX, 0x20, 0x03000033 }, { RX, 0x28, 0x00000040 },
    { RX, 0x34, 0x40000000 }, { RX, 0x3C, 0x40000000 },
    { RX, 0x40, 0x40000000 }, { RX, 0x4C, 0x40000000 },
    { RX, 0x50, 0x40000000 }, { RX, 0x54, 0x0000000F },
    { RX, 0x58, 0x000186A0 }, { RX, 0x5C, 0x00000040 },
};

static void test_regs_published_resets(void **state)
{
    struct rig *r = *state;

    for (size_t i = 0; i < ARRAY_LEN(resets); i++) {
        CHECK_EQ(rig_read(r, 77, resets[i].off), resets[i].reset, "0x%05x",
                 resets[i].off);
    }
    for (unsigned q = 0; q < 16; q++) {
        for (size_t i = 0; i < ARRAY_LEN(queue_resets); i++) {
            CHECK_EQ(
                rig_read(r, 77,
                         q_off(queue_resets[i].side, q, queue_resets[i].reg)),
                queue_resets[i].reset, "q%u row %zu", q, i);
        }
    }
}

/* ---- registers: access --------------------------------------------------- */

/* What a write does beyond storing, or instead of it. */
static bool is_command(size_t unit, const struct trench_csr_reg *reg,
                       uint32_t off)
{
    bool group;

    return reg->access == TRENCH_CSR_WO || in_int_window(off, &group) ||
           (off >= GEN + 0x3420 && off < GEN + 0x3430) || /* init_memory */
           off == GEN_EX + 0x824 || /* changes by being read */
           (unit == 0 && off >= 0x1000 && (off & 0xFFF) == Q_BELL);
}

/* RW bits that act when written and do not stay (H100). */
static uint32_t strobes(uint32_t off)
{
    static const struct {
        uint32_t off;
        uint32_t bits;
    } rows[] = {
        { TDMA + 0x01C, 1u << 2 }, { TDMA + 0x020, 1u << 2 },
        { TDMA + 0x980, 1u << 4 }, { NOTE + 0x04C, 1u << 0 },
        { NOTE + 0x0B8, 1u << 9 }, { NOTE + 0x0BC, 1u << 1 },
    };

    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        if (rows[i].off == off) {
            return rows[i].bits;
        }
    }
    return 0;
}

/* RW fields take what is written, the rest of the word stays. */
static void test_regs_hold_their_rw_bits(void **state)
{
    static const uint32_t patterns[] = { 0xFFFFFFFF, 0x5A5A5A5A, 0xA5A5A5A5,
                                         0 };
    struct rig *r = *state;

    for (size_t u = 0; u < ARRAY_LEN(units); u++) {
        const struct trench_csr_block *block = map_of(u);

        for (unsigned i = 0; i < block->nr_insts; i++) {
            const struct trench_csr_reg *reg = &block->regs[block->inst_reg[i]];
            uint32_t off = units[u].offset + inst_offset(block, i);
            uint32_t fixed;

            if (is_command(u, reg, off)) {
                continue;
            }
            fixed = rig_read(r, 5, off) & ~reg->write_mask;
            for (size_t p = 0; p < ARRAY_LEN(patterns); p++) {
                rig_write(r, 5, off, patterns[p]);
                CHECK_EQ(
                    rig_read(r, 5, off),
                    (patterns[p] & reg->write_mask & ~strobes(off)) | fixed,
                    "%s 0x%05x pattern 0x%08x", reg->name, off, patterns[p]);
            }
        }
    }
}

/* Writing them all leaves the chip, and the engine next door, at power-on. */
static void test_regs_read_only_ignore_writes(void **state)
{
    struct rig *r = *state;

    for (size_t u = 0; u < ARRAY_LEN(units); u++) {
        const struct trench_csr_block *block = map_of(u);

        for (unsigned i = 0; i < block->nr_insts; i++) {
            const struct trench_csr_reg *reg = &block->regs[block->inst_reg[i]];

            if (reg->access == TRENCH_CSR_RO) {
                rig_write(r, 5, units[u].offset + inst_offset(block, i),
                          0xFFFFFFFF);
            }
        }
    }
    check_power_on(r, 5);
    check_power_on(r, 6);
}

/* udma-engine 0.4: the feature registers are declared RW, and fixed. */
static void test_regs_features_are_fixed(void **state)
{
    struct rig *r = *state;

    for (uint32_t off = 0x600; off <= 0x614; off += 4) {
        for (uint32_t side = 0; side <= S2M; side += S2M) {
            uint32_t before = rig_read(r, 5, side + off);

            rig_write(r, 5, side + off, ~before);
            CHECK_EQ(rig_read(r, 5, side + off), before, "0x%05x", side + off);
        }
    }
}

/* Command registers read 0 (the doorbells: udma-engine 0.4). */
static void test_regs_commands_read_zero(void **state)
{
    struct rig *r = *state;

    for (size_t u = 0; u < ARRAY_LEN(units); u++) {
        const struct trench_csr_block *block = map_of(u);

        for (unsigned i = 0; i < block->nr_insts; i++) {
            const struct trench_csr_reg *reg = &block->regs[block->inst_reg[i]];
            uint32_t off = units[u].offset + inst_offset(block, i);

            if (reg->access == TRENCH_CSR_WO) {
                CHECK_EQ(rig_read(r, 5, off), 0, "%s 0x%05x", reg->name, off);
            }
        }
    }
    rig_write(r, 5, q_off(TX, 1, Q_LEN), 9);
    rig_write(r, 5, q_off(RX, 1, Q_LEN), 9);
    rig_write(r, 5, q_off(TX, 1, Q_BELL), 3);
    rig_write(r, 5, q_off(RX, 1, Q_BELL), 3);
    CHECK_EQ(rig_read(r, 5, q_off(TX, 1, Q_BELL)), 0, "TDRTP_inc");
    CHECK_EQ(rig_read(r, 5, q_off(RX, 1, Q_BELL)), 0, "RDRTP_inc");
}

/* H50, K1: offsets inside a block without a register. */
static void test_regs_unknown_offsets_read_zero(void **state)
{
    struct rig *r = *state;
    uint64_t unknown = 0;

    for (size_t u = 0; u < ARRAY_LEN(units); u++) {
        const struct trench_csr_block *block = map_of(u);

        for (uint32_t off = 0; off < units[u].size; off += 4) {
            if (block->word_inst[off / 4]) {
                continue;
            }
            rig_write(r, 5, units[u].offset + off, 0xFFFFFFFF);
            CHECK_EQ(rig_read(r, 5, units[u].offset + off), 0, "0x%05x",
                     units[u].offset + off);
            unknown += 2;
        }
        CHECK_EQ(rig_stats(r, 5).unknown, unknown, "unit %zu", u);
    }
    CHECK_EQ(rig_stats(r, 6).unknown, 0, "another engine");
    check_power_on(r, 5);
}

/* H51: registers are words. */
static void test_regs_refuse_parts_of_words(void **state)
{
    struct rig *r = *state;
    uint64_t cfg = rig_engine_base(5) + q_off(TX, 0, Q_CFG);
    uint8_t buf[8] = { 0 };

    for (uint64_t shift = 0; shift < 4; shift++) {
        for (uint64_t len = 1; len < 8; len++) {
            if (shift || len % 4) {
                CHECK_EQ(trench_bus_write(r->bus, 0, cfg + shift, buf, len),
                         TRENCH_ERR_INVAL, "+%llu len %llu", ULL(shift),
                         ULL(len));
            }
        }
    }
    CHECK_EQ(rig_read(r, 5, q_off(TX, 0, Q_CFG)), 0x03000000, "unchanged");
}

/* ---- reset -------------------------------------------------------------- */

static void test_regs_return_with_a_chip_reset(void **state)
{
    struct rig *r = *state;
    struct trench_soc_stats stats;
    uint64_t src = rig_alloc(r, 4096);
    struct rig_queue rq;

    rig_queue_open(&rq, r, 5, 2, 8);
    rig_fill(r, src, 256, 1);
    rig_copy(&rq, src + 1024, src, 256);
    rig_bell(&rq, TX, 200);     /* a guest error, and work left */
    rig_write(r, 5, 0x0FFC, 1); /* unknown */
    rig_write(r, 5, CHANGE_STATE, CMD_ABORT);
    rig_write(r, 7, GEN + 0x2108, 0x77);
    trench_soc_reset(r->soc);
    check_power_on(r, 5);
    check_power_on(r, 7);
    CHECK_EQ(rig_stats(r, 5).packets, 0, "counters");
    CHECK_EQ(rig_stats(r, 5).unknown, 0, "counters");
    trench_soc_stats(r->soc, &stats);
    CHECK_EQ(stats.guest_errors, 0, "counters");
    CHECK_COPY(r, src + 1024, src, 256, "memory keeps its content");
    CHECK_EQ(trench_soc_run(r->soc, 0), 0, "nothing left to run");
}

#define TEST(name)                                                             \
    cmocka_unit_test_setup_teardown(name, rig_setup, rig_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_regs_read_their_resets),
        TEST(test_regs_published_resets),
        TEST(test_regs_hold_their_rw_bits),
        TEST(test_regs_read_only_ignore_writes),
        TEST(test_regs_features_are_fixed),
        TEST(test_regs_commands_read_zero),
        TEST(test_regs_unknown_offsets_read_zero),
        TEST(test_regs_refuse_parts_of_words),
        TEST(test_regs_return_with_a_chip_reset),
    };

    return cmocka_run_group_tests_name("regs", tests, NULL, NULL);
}
