/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Where triggers, sections and what lies beside the channels meet: address-map
 * 4.7, 4.10; common-blocks 1.2.3, 1.3.3, 2.4.2; hardware.md H95, H97.
 */
#include <zlib.h>

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

/* H97: a broadcast is not looked at, also not in the lanes that it reaches. */
static void test_reach_apb_broadcast(void **state)
{
    const uint32_t bell = q_off(TX, 0, Q_BELL);
    struct note_bench nb;
    uint64_t window;
    uint32_t before;

    open_apb(&nb, *state);
    window = rig_engine_base(ENGINE & ~15u) + 0x80000;
    note_set(&nb, GROUP, 2); /* group 1, which broadcasts are in */
    before = note_tail(&nb);
    CHECK_EQ(trench_bus_write32(nb.b.rig->bus, window + bell, 0), 0, "write");
    CHECK_EQ(note_tail(&nb), before, "no record");
    note_set(&nb, bell, 0);
    CHECK_EQ(note_tail(&nb), before + 16, "one by itself");
}

/* Bytes that are dropped are told of as they were read (H95). */
static void test_reach_crc_of_dropped_bytes(void **state)
{
    static const struct rig_row drop = { .write_cmd = 3,
                                         .msb_sel = 0xFFFFFFFF,
                                         .vmid = 0xFFFF0000 };
    struct note_bench nb;
    uint32_t crc;

    note_open(&nb, *state, RING_BYTES);
    note_arm(&nb, true, true);
    rig_row(nb.b.rig, ENGINE, QUEUE, 0, &drop);
    rig_write(nb.b.rig, ENGINE, SECTION_EN, 1);
    rig_write(nb.b.rig, ENGINE, DROP_LSB, (uint32_t)nb.b.dst);
    rig_write(nb.b.rig, ENGINE, DROP_MSB, (uint32_t)(nb.b.dst >> 32));
    crc = (uint32_t)crc32(0, rig_mem(nb.b.rig, nb.b.src, 64), 64);
    rig_copy(&nb.b.rq, nb.b.dst, nb.b.src, 64);
    CHECK_UNTOUCHED(nb.b.rig, nb.b.dst, 64, "dropped");
    CHECK_EQ(note_at(&nb, 2).w[1] >> 16, crc & 0xFFFF, "sent");
    CHECK_EQ(note_at(&nb, 3).w[1] >> 16, crc & 0xFFFF, "received");
}

/*
 * Data that switches header split off and on again, under its own packet: four
 * bytes of header, four of data between the two, and the rest of the header.
 * What has moved counts where it went, whatever it has switched.
 */
static void test_reach_split_switched_by_data(void **state)
{
    const uint32_t pkt_cfg = q_off(RX, QUEUE, RXQ_PKT_CFG);
    struct bench b;
    uint64_t reg, buf;
    uint32_t *words;

    bench_open(&b, *state, 32);
    reg = rig_engine_base(ENGINE) + pkt_cfg;
    buf = rig_alloc(b.rig, 0x1000);
    for (unsigned n = 0; n < 4; n++) {
        rig_write(b.rig, ENGINE, VMPR_V4(QUEUE) + 4 * n, 0xFFFFFFFF);
    }
    rig_write(b.rig, ENGINE, VMPR(QUEUE, 5), (uint32_t)(reg >> 32));
    rig_write(b.rig, ENGINE, pkt_cfg, FORCE_HDR_SPLIT | 8);
    words = rig_mem(b.rig, b.src, 8);
    words[0] = 0;
    words[1] = FORCE_HDR_SPLIT | 8;
    rig_desc(&b.rq, RX, (uint32_t[]){ D_DUAL | 1u << 16 | 4, (uint32_t)reg },
             reg);
    rig_rx(&b.rq, buf, 64);
    rig_bell(&b.rq, RX, 2);
    for (unsigned i = 0; i < 2; i++) {
        rig_tx(&b.rq, i == 0 ? D_FIRST : 0, b.src + 4 * i, 4);
    }
    rig_tx(&b.rq, D_LAST, b.src + 8, 64);
    rig_bell(&b.rq, TX, 3);
    CHECK_EQ(rig_read(b.rig, ENGINE, pkt_cfg), FORCE_HDR_SPLIT | 8, "on");
    CHECK_EQ(rig_stats(b.rig, ENGINE).packets, 1, "delivered");
    CHECK_COPY(b.rig, buf, b.src + 12, 60, "what is behind the header");
}

int main(void)
{
#define TEST(fn) cmocka_unit_test_setup_teardown(fn, rig_setup, rig_teardown)
    static const struct CMUnitTest tests[] = {
        TEST(test_reach_apb_devices_beside),
        TEST(test_reach_apb_broadcast),
        TEST(test_reach_crc_of_dropped_bytes),
        TEST(test_reach_split_switched_by_data),
    };

    return cmocka_run_group_tests_name("reach", tests, NULL, NULL);
}
