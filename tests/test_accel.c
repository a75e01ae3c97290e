/* SPDX-License-Identifier: BSD-3-Clause */
/* Event acceleration (seed 002 5.3 tdma; common-blocks 1.3.3; H119). */
#include "rig.h"

enum {
    ACCEL_EN = TDMA + 0x00,
    SET_LO = TDMA + 0x04,
    SET_HI = TDMA + 0x08,
    CLR_LO = TDMA + 0x0C,
    CLR_HI = TDMA + 0x10,
    NUM_SET = TDMA + 0x14,
    NUM_CLR = TDMA + 0x18,
};

#define SET_ADDR UINT64_C(0x9000000004) /* as reset */
#define CLR_ADDR UINT64_C(0x9000000000)

static void check_counts(struct bench *b, uint32_t set, uint32_t clr)
{
    CHECK_EQ(rig_read(b->rig, ENGINE, NUM_SET), set, "num_set");
    CHECK_EQ(rig_read(b->rig, ENGINE, NUM_CLR), clr, "num_clr");
}

static uint32_t data_causes(struct bench *b)
{
    return rig_read(b->rig, ENGINE, SECONDARY(GROUP_A) + INT_CAUSE);
}

static void open_accel(struct bench *b, struct rig *r)
{
    bench_open(b, r, 32);
    rig_write(r, ENGINE, ACCEL_EN, 1);
    memset(rig_mem(r, b->dst, 64), 0xEE, 64);
}

static void test_accel_reset_addresses(void **state)
{
    struct rig *r = *state;

    CHECK_EQ(rig_read(r, ENGINE, ACCEL_EN), 0, "en");
    CHECK_EQ(rig_read(r, ENGINE, SET_LO), 0x4, "set lo");
    CHECK_EQ(rig_read(r, ENGINE, SET_HI), 0x90, "set hi");
    CHECK_EQ(rig_read(r, ENGINE, CLR_LO), 0x0, "clr lo");
    CHECK_EQ(rig_read(r, ENGINE, CLR_HI), 0x90, "clr hi");
}

static void test_accel_tdma_event_accel(void **state)
{
    struct bench b;

    open_accel(&b, *state);
    rig_copy(&b.rq, b.dst, SET_ADDR, 4);
    CHECK_EQ(rig_word(b.rig, b.dst), 1, "set");
    CHECK_EQ(rig_word(b.rig, b.dst + 4), 0xEEEEEEEE, "4 bytes");
    check_counts(&b, 1, 0);
    rig_copy(&b.rq, b.dst, CLR_ADDR, 4);
    CHECK_EQ(rig_word(b.rig, b.dst), 0, "clear");
    check_counts(&b, 1, 1);
    rig_copy(&b.rq, b.dst + 8, CLR_ADDR, 4);
    check_counts(&b, 1, 2);
    CHECK_EQ(data_causes(&b), 0, "no error");
    /* Read-only. */
    rig_write(b.rig, ENGINE, NUM_SET, 77);
    check_counts(&b, 1, 2);
}

static void test_accel_disabled(void **state)
{
    struct bench b;

    open_accel(&b, *state);
    rig_write(b.rig, ENGINE, ACCEL_EN, 0);
    rig_copy(&b.rq, b.dst, SET_ADDR, 4);
    CHECK_EQ(rig_word(b.rig, b.dst), 0xEEEEEEEE, "nothing there");
    CHECK_EQ(data_causes(&b), 1u << 8, "data response");
    check_counts(&b, 0, 0);
}

/* Only a read of 4 bytes at exactly the address. */
static void test_accel_other_reads(void **state)
{
    static const struct {
        uint64_t addr;
        uint32_t len;
    } cases[] = {
        { SET_ADDR, 8 },     { SET_ADDR, 2 },     { CLR_ADDR, 8 },
        { SET_ADDR + 4, 4 }, { CLR_ADDR - 4, 4 }, { SET_ADDR + 1, 4 },
    };
    struct bench b;

    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        open_accel(&b, *state);
        rig_copy(&b.rq, b.dst, cases[i].addr, cases[i].len);
        CHECK_EQ(rig_word(b.rig, b.dst), 0xEEEEEEEE, "case=%zu", i);
        CHECK_EQ(data_causes(&b), 1u << 8, "case=%zu", i);
        check_counts(&b, 0, 0);
    }
    /* 8 bytes into buffers of 4 are a read of 8 all the same. */
    open_accel(&b, *state);
    rig_rx(&b.rq, b.dst, 4);
    rig_rx(&b.rq, b.dst + 4, 4);
    rig_bell(&b.rq, RX, 2);
    rig_tx(&b.rq, D_ONE, SET_ADDR, 8);
    rig_bell(&b.rq, TX, 1);
    CHECK_EQ(rig_word(b.rig, b.dst), 0xEEEEEEEE, "split");
    check_counts(&b, 0, 0);
}

/* A moved address, as mariana's runtime has it; the old one is gone. */
static void test_accel_tdma_set_event_accel_cfg(void **state)
{
    struct bench b;

    open_accel(&b, *state);
    rig_write(b.rig, ENGINE, SET_LO, 0);
    rig_write(b.rig, ENGINE, SET_HI, 0x94);
    rig_copy(&b.rq, b.dst, UINT64_C(0x9400000000), 4);
    CHECK_EQ(rig_word(b.rig, b.dst), 1, "moved");
    rig_copy(&b.rq, b.dst + 4, SET_ADDR, 4);
    CHECK_EQ(rig_word(b.rig, b.dst + 4), 0xEEEEEEEE, "old");
    rig_write(b.rig, ENGINE, CLR_LO, 0x20);
    rig_write(b.rig, ENGINE, CLR_HI, 0x94);
    rig_copy(&b.rq, b.dst + 8, UINT64_C(0x9400000020), 4);
    CHECK_EQ(rig_word(b.rig, b.dst + 8), 0, "clear moved");
    check_counts(&b, 1, 1);
}

/* An address over memory hides that word from this engine's data reads. */
static void test_accel_hides_memory(void **state)
{
    struct bench b;

    open_accel(&b, *state);
    rig_write(b.rig, ENGINE, SET_LO, (uint32_t)b.src + 8);
    rig_write(b.rig, ENGINE, SET_HI, 0);
    rig_copy(&b.rq, b.dst, b.src + 8, 4);
    CHECK_EQ(rig_word(b.rig, b.dst), 1, "hidden");
    rig_copy(&b.rq, b.dst, b.src, 4);
    CHECK_COPY(b.rig, b.dst, b.src, 4, "beside");
    rig_copy(&b.rq, b.dst, b.src, 64); /* longer reads are of memory */
    CHECK_COPY(b.rig, b.dst, b.src, 64, "longer");
    check_counts(&b, 1, 0);
    /* Off, or after a reset, the memory is there again. */
    rig_write(b.rig, ENGINE, ACCEL_EN, 0);
    rig_copy(&b.rq, b.dst, b.src + 8, 4);
    CHECK_COPY(b.rig, b.dst, b.src + 8, 4, "off");
    rig_write(b.rig, ENGINE, ACCEL_EN, 1);
    trench_soc_reset(b.rig->soc);
    rig_queue_program(&b.rq);
    rig_copy(&b.rq, b.dst + 4, b.src + 8, 4);
    CHECK_COPY(b.rig, b.dst + 4, b.src + 8, 4, "reset");
    check_counts(&b, 0, 0);
}

/* The address that counts is the composed one. */
static void test_accel_through_vmpr(void **state)
{
    struct bench b;

    open_accel(&b, *state);
    rig_write(b.rig, ENGINE, VMPR(QUEUE, 1), 0x90);
    rig_write(b.rig, ENGINE, VMPR_V4(QUEUE), 0);
    rig_copy(&b.rq, b.dst, 0x12300000004, 4);
    CHECK_EQ(rig_word(b.rig, b.dst), 1, "composed");
    check_counts(&b, 1, 0);
}

/* Attribute bits of an address do not count, and the constant stays as it is
 * where M2S data is swapped. */
static void test_accel_attributes_and_swap(void **state)
{
    struct bench b;

    open_accel(&b, *state);
    rig_copy(&b.rq, b.dst, SET_ADDR | UINT64_C(3) << 56, 4);
    CHECK_EQ(rig_word(b.rig, b.dst), 1, "attributes");
    rig_write(b.rig, ENGINE, ENDIAN_CFG, 2); /* swap_m2s_data */
    rig_copy(&b.rq, b.dst + 4, SET_ADDR, 4);
    CHECK_EQ(rig_word(b.rig, b.dst + 4), 1, "not swapped");
    rig_copy(&b.rq, b.dst + 8, b.src, 4);
    CHECK_EQ(rig_word(b.rig, b.dst + 8),
             __builtin_bswap32(rig_word(b.rig, b.src)), "memory is");
    check_counts(&b, 2, 0);
}

static unsigned refuse_reads(const struct trench_access *a, const void *arg)
{
    (void)arg;
    return a->master == TRENCH_AXI_M2S_DATA_READ ? TRENCH_AXI_DECERR
                                                 : TRENCH_AXI_OKAY;
}

/* It is no access: neither a hook nor a fault is asked. */
static void test_accel_is_no_access(void **state)
{
    const struct trench_fault fault = { .engine = ENGINE,
                                        .queue = QUEUE,
                                        .at = TRENCH_AXI_M2S_DATA_READ,
                                        .code = TRENCH_AXI_SLVERR,
                                        .times = 1 };
    struct rig_watch w = { .judge = refuse_reads };
    struct bench b;

    open_accel(&b, *state);
    rig_watch(b.rig, &w);
    rig_copy(&b.rq, b.dst, SET_ADDR, 4);
    trench_soc_set_access(b.rig->soc, NULL, NULL);
    CHECK_EQ(rig_word(b.rig, b.dst), 1, "hook");
    CHECK_EQ(trench_soc_inject(b.rig->soc, &fault) >= 0, true, "inject");
    rig_copy(&b.rq, b.dst + 4, SET_ADDR, 4);
    CHECK_EQ(rig_word(b.rig, b.dst + 4), 1, "fault");
    CHECK_EQ(data_causes(&b), 0, "neither");
    rig_copy(&b.rq, b.dst + 8, b.src, 4);
    CHECK_EQ(data_causes(&b), 1u << 8, "it waited for an access");
    check_counts(&b, 2, 0);
    trench_soc_clear_faults(b.rig->soc);
}

/* As the source of an event write: the word lands in a register. */
static void test_accel_into_a_register(void **state)
{
    struct bench b;

    open_accel(&b, *state);
    rig_copy(&b.rq, rig_engine_base(ENGINE + 1) + GEN + 0x3460, SET_ADDR, 4);
    CHECK_EQ(rig_read(b.rig, ENGINE + 1, GEN + 0x3460), 1, "zeroes0");
}

/* Writes to the address are not accelerated. */
static void test_accel_writes_go_to_the_bus(void **state)
{
    struct bench b;

    open_accel(&b, *state);
    rig_copy(&b.rq, SET_ADDR, b.src, 4);
    CHECK_EQ(rig_read(b.rig, ENGINE, SECONDARY(GROUP_B) + INT_CAUSE), 1u << 1,
             "data response");
    check_counts(&b, 0, 0);
}

#define TEST(name)                                                             \
    cmocka_unit_test_setup_teardown(name, rig_setup, rig_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_accel_reset_addresses),
        TEST(test_accel_tdma_event_accel),
        TEST(test_accel_disabled),
        TEST(test_accel_other_reads),
        TEST(test_accel_tdma_set_event_accel_cfg),
        TEST(test_accel_hides_memory),
        TEST(test_accel_through_vmpr),
        TEST(test_accel_attributes_and_swap),
        TEST(test_accel_is_no_access),
        TEST(test_accel_into_a_register),
        TEST(test_accel_writes_go_to_the_bus),
    };

    return cmocka_run_group_tests_name("accel", tests, NULL, NULL);
}
