/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Interrupt controller groups: cause, mask, control, and the completion
 * interrupts. udma-engine 3.1, 5.8.1, B49, K8; common-blocks 1.1.4;
 * hardware.md H20, H43, H54.
 */
#include <trench/soc.h>

#include "check.h"
#include "rig.h"

/* Every window with groups: primary, secondary, seven AXI masters. */
static const uint32_t windows[] = { 0x0000, 0x2000, 0x2D00, 0x2E00, 0x2F00,
                                    0x3000, 0x3100, 0x3200, 0x3300 };

#define NR_GROUPS (ARRAY_LEN(windows) * 4)

static uint32_t group_base(size_t n)
{
    return GEN + windows[n / 4] + 0x40 * (uint32_t)(n % 4);
}

static uint32_t get(struct rig *r, size_t n, uint32_t reg)
{
    return rig_read(r, ENGINE, group_base(n) + reg);
}

static void set(struct rig *r, size_t n, uint32_t reg, uint32_t val)
{
    rig_write(r, ENGINE, group_base(n) + reg, val);
}

/* ---- the registers of a group ---------------------------------------------
 */

/* H20: nothing interrupts, aborts or logs until software unmasks it. */
static void test_intr_resets(void **state)
{
    struct rig *r = *state;

    for (size_t n = 0; n < NR_GROUPS; n++) {
        CHECK_EQ(get(r, n, INT_CAUSE), 0, "group %zu", n);
        CHECK_EQ(get(r, n, INT_CAUSE_SET), 0, "group %zu", n);
        CHECK_EQ(get(r, n, INT_MASK), 0xFFFFFFFF, "group %zu", n);
        CHECK_EQ(get(r, n, INT_MASK_CLEAR), 0, "group %zu", n);
        CHECK_EQ(get(r, n, INT_STATUS), 0, "group %zu", n);
        CHECK_EQ(get(r, n, INT_CONTROL), 0x10000000, "group %zu: rev_id 1", n);
        CHECK_EQ(get(r, n, INT_ABORT_MASK), 0xFFFFFFFF, "group %zu", n);
        CHECK_EQ(get(r, n, INT_LOG_MASK), 0xFFFFFFFF, "group %zu", n);
    }
}

/* W1S: a 1 raises the bit; W0C: a 0 clears it, a 1 leaves it. */
static void test_intr_cause_set_and_clear(void **state)
{
    struct rig *r = *state;

    for (size_t n = 0; n < NR_GROUPS; n++) {
        set(r, n, INT_CAUSE_SET, 0x5A5A0000);
        CHECK_EQ(get(r, n, INT_CAUSE), 0x5A5A0000, "group %zu", n);
        set(r, n, INT_CAUSE_SET, 0x0000A5A5);
        CHECK_EQ(get(r, n, INT_CAUSE), 0x5A5AA5A5, "group %zu: 0 keeps", n);
        CHECK_EQ(get(r, n, INT_CAUSE_SET), 0, "group %zu: a command", n);
        set(r, n, INT_CAUSE, 0xFFFFFFFF);
        CHECK_EQ(get(r, n, INT_CAUSE), 0x5A5AA5A5, "group %zu: 1 keeps", n);
        set(r, n, INT_CAUSE, 0x0F0F0F0F);
        CHECK_EQ(get(r, n, INT_CAUSE), 0x0A0A0505, "group %zu: 0 clears", n);
        set(r, n, INT_CAUSE, 0);
        CHECK_EQ(get(r, n, INT_CAUSE), 0, "group %zu: all", n);
        set(r, n, INT_CAUSE, 0xFFFFFFFF);
        CHECK_EQ(get(r, n, INT_CAUSE), 0, "group %zu: 1 sets nothing", n);
        for (unsigned bit = 0; bit < 32; bit++) {
            set(r, n, INT_CAUSE_SET, 1u << bit);
            CHECK_EQ(get(r, n, INT_CAUSE), 1u << bit, "group %zu bit %u", n,
                     bit);
            set(r, n, INT_CAUSE, ~(1u << bit));
            CHECK_EQ(get(r, n, INT_CAUSE), 0, "group %zu bit %u", n, bit);
        }
    }
}

/* K8: the mask is stateful; mask_clear unmasks by 0, keeps by 1. */
static void test_intr_mask_and_clear(void **state)
{
    struct rig *r = *state;

    for (size_t n = 0; n < NR_GROUPS; n++) {
        set(r, n, INT_MASK_CLEAR, 0xF0000000);
        CHECK_EQ(get(r, n, INT_MASK), 0xF0000000, "group %zu", n);
        set(r, n, INT_MASK_CLEAR, 0x7FFFFFFF);
        CHECK_EQ(get(r, n, INT_MASK), 0x70000000, "group %zu", n);
        set(r, n, INT_MASK_CLEAR, 0xFFFFFFFF);
        CHECK_EQ(get(r, n, INT_MASK), 0x70000000, "group %zu: keeps", n);
        CHECK_EQ(get(r, n, INT_MASK_CLEAR), 0, "group %zu: a command", n);
        set(r, n, INT_MASK, 0x12345678);
        CHECK_EQ(get(r, n, INT_MASK), 0x12345678, "group %zu", n);
        set(r, n, INT_CAUSE_SET, 0xFFFFFFFF); /* causes do not touch it */
        CHECK_EQ(get(r, n, INT_MASK), 0x12345678, "group %zu", n);
        set(r, n, INT_CAUSE, 0);
    }
}

/* A masked cause is latched all the same. */
static void test_intr_mask_hides_no_cause(void **state)
{
    struct rig *r = *state;

    set(r, 4, INT_MASK, 0xFFFFFFFF);
    set(r, 4, INT_CAUSE_SET, 0x00000100);
    CHECK_EQ(get(r, 4, INT_CAUSE), 0x100, "secondary A");
}

static void test_intr_control_and_masks_hold(void **state)
{
    static const uint32_t patterns[] = { 0x28, 0x0FFF0FEE, 0x0A550AA2, 0 };
    struct rig *r = *state;

    for (size_t n = 0; n < NR_GROUPS; n++) {
        for (size_t p = 0; p < ARRAY_LEN(patterns); p++) {
            set(r, n, INT_CONTROL, patterns[p] | 0xF000F000);
            CHECK_EQ(get(r, n, INT_CONTROL), patterns[p] | 0x10000000,
                     "group %zu: rev_id and reserved bits are fixed", n);
        }
        set(r, n, INT_CONTROL, 0);
        set(r, n, INT_ABORT_MASK, 0xA5A5A5A5);
        set(r, n, INT_LOG_MASK, 0x5A5A5A5A);
        CHECK_EQ(get(r, n, INT_ABORT_MASK), 0xA5A5A5A5, "group %zu", n);
        CHECK_EQ(get(r, n, INT_LOG_MASK), 0x5A5A5A5A, "group %zu", n);
        set(r, n, INT_STATUS, 0xFFFFFFFF);
        CHECK_EQ(get(r, n, INT_STATUS), 0, "group %zu: read-only", n);
    }
}

/* CLEAR_ON_READ (control bit 0): reading the cause empties it. */
static void test_intr_clear_on_read(void **state)
{
    struct rig *r = *state;

    for (size_t n = 0; n < NR_GROUPS; n++) {
        set(r, n, INT_CONTROL, 1);
        set(r, n, INT_CAUSE_SET, 0x1234);
        CHECK_EQ(get(r, n, INT_CAUSE), 0x1234, "group %zu: first read", n);
        CHECK_EQ(get(r, n, INT_CAUSE), 0, "group %zu: second read", n);
    }
}

/* MOD_RST (control bit 4) is self-clearing. */
static void test_intr_mod_rst_clears_itself(void **state)
{
    struct rig *r = *state;

    for (size_t n = 0; n < NR_GROUPS; n++) {
        set(r, n, INT_CONTROL, 0x10);
        CHECK_EQ(get(r, n, INT_CONTROL), 0x10000000, "group %zu", n);
    }
}

/* Words of a group that this flavour does not have. */
static void test_intr_gaps_read_zero(void **state)
{
    struct rig *r = *state;

    for (size_t n = 0; n < NR_GROUPS; n++) {
        for (uint32_t off = 4; off < 0x40; off += 8) {
            set(r, n, off, 0xFFFFFFFF);
            CHECK_EQ(get(r, n, off), 0, "group %zu offset 0x%x", n, off);
        }
        CHECK_EQ(get(r, n, INT_CAUSE), 0, "group %zu", n);
    }
}

/* As long as all that is set is masked: else summaries go up. */
static void test_intr_groups_are_independent(void **state)
{
    struct rig *r = *state;

    for (size_t n = 0; n < NR_GROUPS; n++) {
        set(r, n, INT_CAUSE_SET, (uint32_t)n + 1);
        set(r, n, INT_MASK, 0xFFFF00FF | (uint32_t)n << 8);
    }
    for (size_t n = 0; n < NR_GROUPS; n++) {
        CHECK_EQ(get(r, n, INT_CAUSE), n + 1, "group %zu", n);
        CHECK_EQ(get(r, n, INT_MASK), 0xFFFF00FF | (uint32_t)n << 8,
                 "group %zu", n);
        CHECK_EQ(rig_read(r, ENGINE + 1, group_base(n)), 0, "next engine");
    }
}

/* ---- the driver's set-up ----------------------------------------------------
 */

/* udma-engine 5.8.1, 2.14 to 2.27. */
static void driver_setup(struct rig *r, unsigned engine)
{
    static const struct {
        uint32_t off;
        uint32_t val;
    } rows[] = {
        { 0x3A028, 0x28 },       { 0x380E8, 0x28 },
        { 0x3A030, 0xF0000000 }, { 0x3A0B0, 0xFFFFFFC0 },
        { 0x3A018, 0xF0000000 }, { 0x3A098, 0xFFFFFFC0 },
        { 0x380D8, 0xFFFFFAFF }, { 0x3A068, 0x28 },
        { 0x380E8, 0x28 },       { 0x3A070, 0x000010F8 },
        { 0x3A0B0, 0xFFFFF03F }, { 0x3A058, 0x000010F8 },
        { 0x3A098, 0xFFFFF03F }, { 0x380D8, 0xFFFFF9FF },
    };

    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        rig_write(r, engine, rows[i].off, rows[i].val);
    }
}

/* Step 3 on the core-side engines: silence ring-id errors. */
static void driver_silence(struct rig *r, unsigned engine)
{
    uint32_t a = rig_read(r, engine, 0x3A010) | 1u << 17;
    uint32_t b = rig_read(r, engine, 0x3A050) | 1u << 11;

    rig_write(r, engine, 0x3A010, a);
    rig_write(r, engine, 0x3A030, a);
    rig_write(r, engine, 0x3A050, b);
    rig_write(r, engine, 0x3A070, b);
}

/* "Expected read-backs in a faithful model." */
static void test_intr_driver_setup_reads_back(void **state)
{
    struct rig *r = *state;

    driver_setup(r, ENGINE);
    CHECK_EQ(rig_read(r, ENGINE, 0x3A010), 0xF0000000, "secondary A mask");
    CHECK_EQ(rig_read(r, ENGINE, 0x3A050), 0x000010F8, "secondary B mask");
    CHECK_EQ(rig_read(r, ENGINE, 0x3A090), 0xFFFFF000, "secondary C mask");
    CHECK_EQ(rig_read(r, ENGINE, 0x380D0), 0xFFFFF8FF, "primary D mask");
    CHECK_EQ(rig_read(r, ENGINE, 0x3A0B0), 0xFFFFF03F, "C abort mask (X22)");
    CHECK_EQ(rig_read(r, ENGINE, 0x380E8), 0x10000028, "primary D control");
    driver_silence(r, ENGINE);
    CHECK_EQ(rig_read(r, ENGINE, 0x3A030), 0xF0020000, "A abort mask");
    CHECK_EQ(rig_read(r, ENGINE, 0x3A070), 0x000018F8, "B abort mask");
}

/* With the driver's masks a stale tag aborts a host engine, no core engine. */
static void test_intr_driver_setup_and_ring_ids(void **state)
{
    for (unsigned silenced = 0; silenced < 2; silenced++) {
        struct bench b;

        bench_open(&b, *state, 8);
        driver_setup(b.rig, ENGINE);
        if (silenced) {
            driver_silence(b.rig, ENGINE);
        }
        rig_rx(&b.rq, b.dst, 64);
        rig_tx(&b.rq, D_ONE, b.src, 64);
        ((uint8_t *)rig_mem(b.rig, b.rq.ring[TX].base, 4))[3] ^= 3; /* tag */
        rig_bell(&b.rq, RX, 1);
        rig_bell(&b.rq, TX, 1);
        CHECK_EQ(rig_read(b.rig, ENGINE, STATE), silenced ? 0 : 0x2222,
                 "silenced %u", silenced);
        CHECK_EQ(rig_read(b.rig, ENGINE, 0x3A000), 1u << 17, "cause");
    }
}

/* The hints of group B (bits 5 to 7) do not abort under these masks. */
static void test_intr_driver_setup_and_hints(void **state)
{
    struct bench b;

    bench_open(&b, *state, 8);
    driver_setup(b.rig, ENGINE);
    rig_tx(&b.rq, D_ONE, b.src, 64);
    rig_bell(&b.rq, TX, 1);
    trench_soc_advance(b.rig->soc, 100000);
    CHECK_EQ(rig_read(b.rig, ENGINE, 0x3A040), 0xC0, "hint and timeout");
    CHECK_EQ(rig_read(b.rig, ENGINE, STATE), 0x1111, "waits");
    rig_rx(&b.rq, b.dst, 64);
    rig_bell(&b.rq, RX, 1);
    CHECK_COPY(b.rig, b.dst, b.src, 64, "delivered");
}

/* ---- completion interrupts
 * --------------------------------------------------- */

/* B49, H43: INT_EN sets bit q of primary B (S2M) or C (M2S). */
static void test_intr_completion_by_queue(void **state)
{
    struct rig *r = *state;
    uint64_t src = rig_alloc(r, 4096);
    uint32_t rx_want = 0;
    uint32_t tx_want = 0;

    for (unsigned q = 0; q < 16; q++) {
        for (unsigned flags = 0; flags < 4; flags++) {
            struct rig_queue rq;

            rig_queue_open(&rq, r, ENGINE, q, 8);
            rig_desc(&rq, RX,
                     (uint32_t[]){ (flags & 1 ? D_INT_EN : 0) | 64, 0 },
                     src + 1024);
            rig_tx(&rq, D_ONE | (flags & 2 ? D_INT_EN : 0), src, 64);
            rig_bell(&rq, RX, 1);
            rig_bell(&rq, TX, 1);
            rx_want |= flags & 1 ? 1u << q : 0;
            tx_want |= flags & 2 ? 1u << q : 0;
            CHECK_EQ(rig_read(r, ENGINE, PRIMARY(GROUP_B) + INT_CAUSE), rx_want,
                     "q%u flags %u", q, flags);
            CHECK_EQ(rig_read(r, ENGINE, PRIMARY(GROUP_C) + INT_CAUSE), tx_want,
                     "q%u flags %u", q, flags);
        }
    }
    rig_write(r, ENGINE, PRIMARY(GROUP_B) + INT_CAUSE, 0xFFF0);
    CHECK_EQ(rig_read(r, ENGINE, PRIMARY(GROUP_B) + INT_CAUSE), 0xFFF0,
             "acknowledged");
}

/* At completion, not before; by any descriptor of the packet. */
static void test_intr_completion_waits_for_the_packet(void **state)
{
    for (unsigned at = 0; at < 3; at++) {
        struct bench b;

        bench_open(&b, *state, 8);
        for (unsigned i = 0; i < 3; i++) {
            rig_tx(&b.rq, d_marks(i, 3) | (i == at ? D_INT_EN : 0), b.src, 64);
        }
        rig_bell(&b.rq, TX, 3);
        rig_rx(&b.rq, b.dst, 64);
        rig_bell(&b.rq, RX, 1);
        CHECK_EQ(rig_read(b.rig, ENGINE, PRIMARY(GROUP_C)), 0, "at=%u", at);
        rig_rx(&b.rq, b.dst + 64, 128);
        rig_bell(&b.rq, RX, 1);
        CHECK_EQ(rig_read(b.rig, ENGINE, PRIMARY(GROUP_C)), 1u << QUEUE,
                 "at=%u", at);
        CHECK_EQ(rig_read(b.rig, ENGINE, PRIMARY(GROUP_B)), 0, "at=%u", at);
    }
}

/* A buffer's interrupt comes when the buffer is closed. */
static void test_intr_completion_of_a_buffer(void **state)
{
    struct bench b;

    bench_open(&b, *state, 8);
    rig_desc(&b.rq, RX, (uint32_t[]){ D_INT_EN | 64, 0 }, b.dst);
    rig_bell(&b.rq, RX, 1);
    CHECK_EQ(rig_read(b.rig, ENGINE, PRIMARY(GROUP_B)), 0, "fetched only");
    rig_tx(&b.rq, D_ONE, b.src, 128);
    rig_bell(&b.rq, TX, 1);
    CHECK_EQ(rig_read(b.rig, ENGINE, PRIMARY(GROUP_B)), 1u << QUEUE,
             "full, the packet goes on");
}

#define TEST(name)                                                             \
    cmocka_unit_test_setup_teardown(name, rig_setup, rig_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_intr_resets),
        TEST(test_intr_cause_set_and_clear),
        TEST(test_intr_mask_and_clear),
        TEST(test_intr_mask_hides_no_cause),
        TEST(test_intr_control_and_masks_hold),
        TEST(test_intr_clear_on_read),
        TEST(test_intr_mod_rst_clears_itself),
        TEST(test_intr_gaps_read_zero),
        TEST(test_intr_groups_are_independent),
        TEST(test_intr_driver_setup_reads_back),
        TEST(test_intr_driver_setup_and_ring_ids),
        TEST(test_intr_driver_setup_and_hints),
        TEST(test_intr_completion_by_queue),
        TEST(test_intr_completion_waits_for_the_packet),
        TEST(test_intr_completion_of_a_buffer),
    };

    return cmocka_run_group_tests_name("intr", tests, NULL, NULL);
}
