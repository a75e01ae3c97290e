/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Where triggers and what lies beside the channels meet: address-map 4.7,
 * 4.10; common-blocks 1.3.3, 2.4.2; hardware.md H97.
 */
#include "check.h"
#include "note_rig.h"

#define GROUP (TDMA + 0x100u) /* broadcast_cfg_group */

/* Every register write of the channel is told of. */
static void open_apb(struct note_bench *nb, struct rig *r)
{
    note_open(nb, r, RING_BYTES);
    note_set(nb, FABRIC(0) + 0x2C, RING);
    note_set(nb, FABRIC(0) + 0x20, 1); /* mask 0: all match */
}

/* Devices beside the channels are no business of any channel's triggers. */
static void test_reach_apb_devices_beside(void **state)
{
    const uint64_t group_mask = UINT64_C(0x100C004800); /* address-map 4.7 */
    struct note_bench nb;

    open_apb(&nb, *state);
    CHECK_EQ(trench_bus_write32(nb.b.rig->bus, group_mask, 0xFFFF), 0, "write");
    CHECK_EQ(rig_word(nb.b.rig, group_mask), 0xFFFF, "written");
    CHECK_EQ(note_tail(&nb), 0, "no record");
}

/* A broadcast is a write to each lane that it reaches (address-map 4.10). */
static void test_reach_apb_broadcast(void **state)
{
    const uint32_t low = (uint32_t)rig_engine_base(ENGINE);
    const uint32_t bell = q_off(TX, 0, Q_BELL);
    struct note_bench nb;
    uint64_t window;

    open_apb(&nb, *state);
    window = rig_engine_base(ENGINE & ~15u) + 0x80000;
    note_set(&nb, FABRIC(0) + 0x24, 0xFFFFFFFF);
    note_set(&nb, FABRIC(0) + 0x28, low + bell);
    for (uint32_t group = 2; group < 8; group += 2) {
        uint32_t before = note_tail(&nb);
        bool in = group & 2;

        note_set(&nb, GROUP, group);
        CHECK_EQ(trench_bus_write32(nb.b.rig->bus, window + bell, 0), 0,
                 "group 0x%x", group);
        CHECK_EQ(note_tail(&nb) - before, in ? 16 : 0, "group 0x%x", group);
        CHECK_EQ(in ? note_at(&nb, before / 16).w[0] & 0xFFFFFF : 0,
                 in ? (low + bell) & 0xFFFFFF : 0, "the lane's own address");
    }
}

int main(void)
{
#define TEST(fn) cmocka_unit_test_setup_teardown(fn, rig_setup, rig_teardown)
    static const struct CMUnitTest tests[] = {
        TEST(test_reach_apb_devices_beside),
        TEST(test_reach_apb_broadcast),
    };

    return cmocka_run_group_tests_name("reach", tests, NULL, NULL);
}
