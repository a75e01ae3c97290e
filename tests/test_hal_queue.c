/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Doorbells and completions of the driver library, against completions that
 * the test writes (udma-engine 4.4, B21, B22, B50, K13).
 */
#include "hal_rig.h"

/* --- Doorbells ---------------------------------------------------------- */

/* K13: the RX bell first. */
static void test_hal_submit_rings_rx_before_tx(void **state)
{
    static const struct trench_hal_seg three[] = { { 0, 1 },
                                                   { 0x100, 1 },
                                                   { 0x200, 1 } };
    static const struct trench_hal_seg one[] = { { 0, 3 } };
    struct script want = { .nr = 0 };
    struct rig rig;

    (void)state;
    rig_init(&rig, &(struct trench_hal_queue_conf){ .index = 3 });
    rig.f->log.nr = 0;
    assert_int_equal(trench_hal_submit(rig.queue), 0);

    assert_int_equal(trench_hal_copy_sg(rig.queue, one, 1, three, 3, 0), 1);
    assert_int_equal(trench_hal_copy(rig.queue, 0, 0, 65537, 0), 2);
    assert_int_equal(trench_hal_queue_in_flight(rig.queue), 0);
    assert_int_equal(trench_hal_submit(rig.queue), 3);
    assert_int_equal(trench_hal_queue_in_flight(rig.queue), 3);
    wr(&want, 0x24038, 3);
    wr(&want, 0x04038, 5);
    assert_int_equal(trench_hal_submit(rig.queue), 0);

    assert_int_equal(trench_hal_copy_sg(rig.queue, three, 3, one, 1, 0), 1);
    assert_int_equal(trench_hal_submit(rig.queue), 1);
    assert_int_equal(trench_hal_queue_in_flight(rig.queue), 4);
    wr(&want, 0x24038, 3);
    wr(&want, 0x04038, 1);
    check_log(rig.f, &want, "doorbells");
    rig_fini(&rig);
}

/* A bell that was heard is not rung again for the same descriptors. */
static void test_hal_submit_goes_on_after_a_failed_write(void **state)
{
    (void)state;
    for (int nr = 0; nr < 2; nr++) {
        struct script want = { .nr = 0 };
        struct rig rig;

        rig_init(&rig, SMALL);
        rig.f->log.nr = 0;
        assert_int_equal(trench_hal_copy(rig.queue, 0, 0, 8, 0), 1);
        rig.f->fail_in = nr;
        CHECK(trench_hal_submit(rig.queue) == TRENCH_ERR_FAULT, "write %d", nr);
        CHECK(trench_hal_queue_in_flight(rig.queue) == 0, "write %d", nr);
        rig.f->fail_in = -1;
        assert_int_equal(trench_hal_copy(rig.queue, 0, 0, 8, 0), 1);
        CHECK(trench_hal_submit(rig.queue) == 2, "write %d", nr);
        if (nr > 0) {
            wr(&want, 0x21038, 1);
        }
        wr(&want, 0x21038, nr > 0 ? 1 : 2);
        wr(&want, 0x01038, 2);
        check_log(rig.f, &want, "bells");
        rig_fini(&rig);
    }
}

/* --- Completions -------------------------------------------------------- */

/* The device's side: what it would write next, per direction. */
struct device {
    struct rig *rig;
    uint32_t nr[2];
    uint32_t idx[2];
    uint32_t tag[2];
};

static const uint32_t head_off[] = { 0x0104c, 0x2104c };

static void device_init(struct device *dev, struct rig *rig)
{
    dev->rig = rig;
    for (int side = 0; side < 2; side++) {
        dev->idx[side] = 0;
        dev->tag[side] = 1;
        rig->f->regs[head_off[side] / 4] = 0x40000000;
    }
    dev->nr[0] = rig->conf.tx_entries;
    dev->nr[1] = rig->conf.rx_entries ? rig->conf.rx_entries : dev->nr[0];
}

/* Complete nr descriptors with the given bits in their completions. */
static void complete(struct device *dev, int side, uint32_t nr, uint32_t bits)
{
    for (; nr > 0; nr--) {
        if (dev->rig->comp[side]) {
            dev->rig->comp[side][dev->idx[side] * (side ? 4 : 1)] =
                dev->tag[side] << 24 | bits;
        }
        if (++dev->idx[side] == dev->nr[side]) {
            dev->idx[side] = 0;
            dev->tag[side] = (dev->tag[side] + 1) % 4;
        }
    }
    dev->rig->f->regs[head_off[side] / 4] = dev->idx[side] | dev->tag[side]
                                                                 << 30;
}

/* K13: ring ids start at 1. */
static void test_hal_laps_tag_descriptors_and_completions(void **state)
{
    static const struct trench_hal_queue_conf confs[] = {
        { .tx_entries = 48 },
        { .tx_entries = 48, .rx_entries = 112 },
        { .tx_entries = 64, .rx_entries = 32 },
        { .tx_entries = 48, .no_comp_rings = true },
        { .tx_entries = 32, .rx_entries = 48, .no_comp_rings = true },
    };
    uint64_t rnd = SEED;

    (void)state;
    for (size_t c = 0; c < ARRAY_LEN(confs); c++) {
        uint32_t idx[2] = { 0, 0 }, tag[2] = { 1, 1 };
        struct device dev;
        struct rig rig;

        rig_init(&rig, &confs[c]);
        device_init(&dev, &rig);
        for (int round = 0; round < 200; round++) {
            uint32_t space = trench_hal_queue_space(rig.queue);
            int nr = (int)pick(&rnd, 1, space);

            rig.f->log.nr = 0;
            assert_int_equal(
                trench_hal_copy(rig.queue, 0, 0, nr * UINT64_C(65536), 0), nr);
            for (int side = 0; side < 2; side++) {
                for (int i = 0; i < nr; i++) {
                    CHECK((rig.ring[side][4 * idx[side]] >> 24 & 3) ==
                              tag[side],
                          "conf %zu round %d side %d index %u", c, round, side,
                          idx[side]);
                    if (++idx[side] == dev.nr[side]) {
                        idx[side] = 0;
                        tag[side] = (tag[side] + 1) & 3;
                    }
                }
            }
            assert_int_equal(trench_hal_submit(rig.queue), nr);
            CHECK(trench_hal_poll(rig.queue) == 0, "conf %zu round %d", c,
                  round);
            complete(&dev, 0, (uint32_t)nr, 1u << 27);
            complete(&dev, 1, (uint32_t)nr, 1u << 27);
            CHECK(trench_hal_poll(rig.queue) == nr, "conf %zu round %d", c,
                  round);
            CHECK(trench_hal_queue_space(rig.queue) == space,
                  "conf %zu round %d", c, round);
        }
        rig_fini(&rig);
    }
}

/* Packets of 3 TX and 2 RX descriptors. */
static void put_uneven(struct rig *rig, int nr_packets)
{
    static const struct trench_hal_seg src[] = { { 0, 10 },
                                                 { 0x100, 10 },
                                                 { 0x200, 10 } };
    static const struct trench_hal_seg dst[] = { { 0, 15 }, { 0x100, 15 } };

    for (int i = 0; i < nr_packets; i++) {
        assert_int_equal(trench_hal_copy_sg(rig->queue, dst, 2, src, 3, 0), 1);
    }
    assert_int_equal(trench_hal_submit(rig->queue), nr_packets);
}

static void test_hal_poll_wants_every_completion_of_a_packet(void **state)
{
    (void)state;
    for (int none = 0; none < 2; none++) {
        struct trench_hal_queue_conf conf = { .tx_entries = 64,
                                              .rx_entries = 48,
                                              .no_comp_rings = none };
        struct device dev;
        struct rig rig;

        rig_init(&rig, &conf);
        device_init(&dev, &rig);
        rig.f->log.nr = 0;
        assert_int_equal(trench_hal_poll(rig.queue), 0);
        assert_int_equal(rig.f->log.nr, 0); /* nothing to look for */

        put_uneven(&rig, 3);
        assert_int_equal(trench_hal_poll(rig.queue), 0);
        complete(&dev, 0, 2, 0);
        assert_int_equal(trench_hal_poll(rig.queue), 0);
        complete(&dev, 0, 1, 1u << 27);
        assert_int_equal(trench_hal_poll(rig.queue), 0);
        complete(&dev, 1, 1, 0);
        assert_int_equal(trench_hal_poll(rig.queue), 0);
        assert_int_equal(trench_hal_queue_in_flight(rig.queue), 3);
        complete(&dev, 1, 1, 1u << 27);
        assert_int_equal(trench_hal_poll(rig.queue), 1);
        assert_int_equal(trench_hal_queue_in_flight(rig.queue), 2);
        assert_int_equal(trench_hal_poll(rig.queue), 0);

        complete(&dev, 1, 4, 0);
        assert_int_equal(trench_hal_poll(rig.queue), 0);
        complete(&dev, 0, 5, 0);
        assert_int_equal(trench_hal_poll(rig.queue), 1);
        complete(&dev, 0, 1, 0);
        assert_int_equal(trench_hal_poll(rig.queue), 1);
        assert_int_equal(trench_hal_queue_in_flight(rig.queue), 0);
        rig_fini(&rig);
    }
}

/* Only what was published can be complete, whatever memory says. */
static void test_hal_poll_ignores_unpublished_packets(void **state)
{
    struct device dev;
    struct rig rig;

    (void)state;
    rig_init(&rig, SMALL);
    device_init(&dev, &rig);
    assert_int_equal(trench_hal_copy(rig.queue, 0, 0, 8, 0), 1);
    assert_int_equal(trench_hal_submit(rig.queue), 1);
    assert_int_equal(trench_hal_copy(rig.queue, 0, 0, 8, 0), 1);
    complete(&dev, 0, 2, 0);
    complete(&dev, 1, 2, 0);
    assert_int_equal(trench_hal_poll(rig.queue), 1);
    assert_int_equal(trench_hal_poll(rig.queue), 0);
    assert_int_equal(trench_hal_queue_space(rig.queue), 31);
    assert_int_equal(trench_hal_submit(rig.queue), 1);
    assert_int_equal(trench_hal_poll(rig.queue), 1);
    rig_fini(&rig);
}

/* After a reset the queue, which had failed in round nr, is as good as new. */
static void check_recovery(struct rig *rig, struct device *dev, unsigned nr)
{
    assert_int_equal(trench_hal_queue_reset(rig->queue), 0);
    device_init(dev, rig);
    assert_int_equal(trench_hal_queue_in_flight(rig->queue), 0);
    put_uneven(rig, 1);
    complete(dev, 0, 3, 0);
    complete(dev, 1, 2, 0);
    CHECK(trench_hal_poll(rig->queue) == 1, "round %u", nr);
}

/* The ERROR bit at every descriptor of the second of three packets. */
static void test_hal_poll_reports_errors_in_completions(void **state)
{
    (void)state;
    for (uint32_t bad = 0; bad < 5; bad++) {
        int side = bad >= 3;
        uint32_t pos = side ? bad - 3 : bad;
        struct trench_hal_queue_conf conf = { .tx_entries = 64 };
        struct device dev;
        struct rig rig;

        rig_init(&rig, &conf);
        device_init(&dev, &rig);
        put_uneven(&rig, 3);
        complete(&dev, 0, 9, 0);
        complete(&dev, 1, 6, 0);
        if (side) {
            rig.comp[1][4 * (2 + pos)] |= 1u << 31;
        } else {
            rig.comp[0][3 + pos] |= 1u << 31;
        }
        CHECK(trench_hal_poll(rig.queue) == 1, "bad %u", bad);
        for (int again = 0; again < 3; again++) {
            CHECK(trench_hal_poll(rig.queue) == TRENCH_ERR_IO, "bad %u", bad);
        }
        CHECK(trench_hal_wait(rig.queue, 0) == TRENCH_ERR_IO, "bad %u", bad);

        check_recovery(&rig, &dev, bad);
        rig_fini(&rig);
    }
}

static void test_hal_poll_sees_an_aborted_engine(void **state)
{
    (void)state;
    for (int none = 0; none < 2; none++) {
        struct trench_hal_queue_conf conf = { .tx_entries = 48,
                                              .no_comp_rings = none };
        struct device dev;
        struct rig rig;

        rig_init(&rig, &conf);
        device_init(&dev, &rig);
        put_uneven(&rig, 2);
        complete(&dev, 0, 3, 0);
        complete(&dev, 1, 2, 0);
        rig.f->regs[0x00200 / 4] = 0x2222;
        rig.f->regs[0x20200 / 4] = 0x22222;
        assert_int_equal(trench_hal_poll(rig.queue), 1); /* finished before */
        assert_int_equal(trench_hal_poll(rig.queue), TRENCH_ERR_IO);
        rig.f->regs[0x00200 / 4] = 0;
        rig.f->regs[0x20200 / 4] = 0;
        assert_int_equal(trench_hal_poll(rig.queue), TRENCH_ERR_IO);
        assert_int_equal(trench_hal_queue_reset(rig.queue), 0);
        assert_int_equal(trench_hal_poll(rig.queue), 0);
        rig_fini(&rig);
    }
}

/* 20 in flight from index 40 of 48 on, 5 more written but not published. */
static void test_hal_poll_refuses_impossible_heads(void **state)
{
    static const struct {
        uint32_t head;
        int want;
    } rows[] = {
        { 40 | 1u << 30, 0 },
        { 47 | 1u << 30, 7 },
        { 0 | 2u << 30, 8 },
        { 12 | 2u << 30, 20 },
        { 13 | 2u << 30, TRENCH_ERR_IO }, /* more than was published */
        { 39 | 1u << 30, TRENCH_ERR_IO }, /* backwards */
        { 47 | 2u << 30, TRENCH_ERR_IO }, /* another lap */
        { 12 | 1u << 30, TRENCH_ERR_IO },
        { 48 | 1u << 30, TRENCH_ERR_IO }, /* outside the ring */
        { 0xffffffff, TRENCH_ERR_IO },
    };
    struct trench_hal_queue_conf conf = { .tx_entries = 48,
                                          .no_comp_rings = true };

    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        for (int side = 0; side < 2; side++) {
            struct device dev;
            struct rig rig;

            rig_init(&rig, &conf);
            device_init(&dev, &rig);
            for (int half = 0; half < 3; half++) {
                assert_int_equal(
                    trench_hal_copy(rig.queue, 0, 0, 20 * 65536, 0), 20);
                assert_int_equal(trench_hal_submit(rig.queue), 20);
                complete(&dev, !side, 20, 0);
                if (half < 2) {
                    complete(&dev, side, 20, 0);
                    assert_int_equal(trench_hal_poll(rig.queue), 20);
                }
            }
            assert_int_equal(trench_hal_copy(rig.queue, 0, 0, 5 * 65536, 0), 5);
            rig.f->regs[head_off[side] / 4] = rows[i].head;
            CHECK(trench_hal_poll(rig.queue) == rows[i].want,
                  "head 0x%x side %d", rows[i].head, side);
            rig_fini(&rig);
        }
    }
}

/* A head that cannot be is an error until reset, whatever comes after it. */
static void test_hal_poll_remembers_impossible_heads(void **state)
{
    struct trench_hal_queue_conf conf = { .tx_entries = 48,
                                          .no_comp_rings = true };

    (void)state;
    for (int side = 0; side < 2; side++) {
        struct device dev;
        struct rig rig;

        rig_init(&rig, &conf);
        device_init(&dev, &rig);
        assert_int_equal(trench_hal_copy(rig.queue, 0, 0, 20 * 65536, 0), 20);
        assert_int_equal(trench_hal_submit(rig.queue), 20);
        rig.f->regs[head_off[side] / 4] = 21 | 1u << 30;
        CHECK(trench_hal_poll(rig.queue) == TRENCH_ERR_IO, "side %d", side);
        complete(&dev, 0, 20, 0);
        complete(&dev, 1, 20, 0);
        for (int again = 0; again < 3; again++) {
            CHECK(trench_hal_poll(rig.queue) == TRENCH_ERR_IO, "side %d", side);
        }
        CHECK(trench_hal_wait(rig.queue, 0) == TRENCH_ERR_IO, "side %d", side);

        check_recovery(&rig, &dev, (unsigned)side);
        rig_fini(&rig);
    }
}

static void test_hal_poll_passes_on_failed_reads(void **state)
{
    (void)state;
    for (int none = 0; none < 2; none++) {
        struct trench_hal_queue_conf conf = { .tx_entries = 48,
                                              .no_comp_rings = none };
        struct device dev;
        struct rig rig;

        rig_init(&rig, &conf);
        device_init(&dev, &rig);
        put_uneven(&rig, 1);
        for (int nr = 0; nr < (none ? 5 : 3); nr++) {
            rig.f->fail_in = nr;
            CHECK(trench_hal_poll(rig.queue) == TRENCH_ERR_FAULT, "read %d",
                  nr);
        }
        rig.f->fail_in = -1;
        complete(&dev, 0, 3, 0);
        complete(&dev, 1, 2, 0);
        assert_int_equal(trench_hal_poll(rig.queue), 1);
        rig_fini(&rig);
    }
}

/* --- Waiting ------------------------------------------------------------ */

static void test_hal_wait_ends_at_its_deadline(void **state)
{
    static const struct {
        uint64_t timeout_ns;
        unsigned relaxes;
    } rows[] = { { 0, 0 }, { 1, 0 }, { 100, 0 }, { 101, 1 }, { 1000, 9 } };

    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct device dev;
        struct rig rig;

        rig_init(&rig, SMALL);
        device_init(&dev, &rig);
        assert_int_equal(trench_hal_wait(rig.queue, 0), 0); /* nothing there */
        put_uneven(&rig, 2);
        complete(&dev, 0, 3, 0);
        complete(&dev, 1, 2, 0);
        rig.f->now_ns = UINT64_MAX - 50; /* the sum would wrap */
        rig.f->tick_ns = 100;
        CHECK(trench_hal_wait(rig.queue, rows[i].timeout_ns) ==
                  TRENCH_ERR_TIMEDOUT,
              "row %zu", i);
        CHECK(rig.f->relaxes == rows[i].relaxes, "row %zu: %u", i,
              rig.f->relaxes);
        assert_int_equal(trench_hal_queue_in_flight(rig.queue), 1);
        complete(&dev, 0, 3, 0);
        complete(&dev, 1, 2, 0);
        assert_int_equal(trench_hal_wait(rig.queue, 0), 0);
        assert_int_equal(trench_hal_queue_in_flight(rig.queue), 0);
        rig_fini(&rig);
    }
}

/* Good packets in front of a bad one do not hide it. */
static void test_hal_wait_finds_errors_at_once(void **state)
{
    struct device dev;
    struct rig rig;

    (void)state;
    rig_init(&rig, SMALL);
    device_init(&dev, &rig);
    put_uneven(&rig, 3);
    complete(&dev, 0, 6, 0);
    complete(&dev, 1, 4, 0);
    complete(&dev, 0, 3, 1u << 31);
    complete(&dev, 1, 2, 0);
    assert_int_equal(trench_hal_wait(rig.queue, 0), TRENCH_ERR_IO);
    rig_fini(&rig);
}

/* --- Reset -------------------------------------------------------------- */

/* K13: completion memory zeroed, 16 descriptors free, ring ids from 1. */
static void test_hal_queue_reset_starts_again_from_lap_1(void **state)
{
    struct script want = { .nr = 0 };
    struct device dev;
    struct rig rig;

    (void)state;
    rig_init(&rig, SMALL);
    device_init(&dev, &rig);
    for (int i = 0; i < 3; i++) { /* into lap 2 */
        assert_int_equal(trench_hal_copy(rig.queue, 0, 0, 20 * 65536, 0), 20);
        assert_int_equal(trench_hal_submit(rig.queue), 20);
        complete(&dev, 0, 20, 0);
        complete(&dev, 1, 20, 0);
        assert_int_equal(trench_hal_poll(rig.queue), 20);
    }
    put_uneven(&rig, 2);
    assert_int_equal(trench_hal_copy(rig.queue, 0, 0, 8, 0), 1);
    complete(&dev, 0, 4, 0);
    assert_int_equal(trench_hal_poll(rig.queue), 0); /* sees some of them */

    rig.f->log.nr = 0;
    assert_int_equal(trench_hal_queue_reset(rig.queue), 0);
    wr(&want, 0x01020, 0x03000000); /* empty before the engine may run */
    wr(&want, 0x010b0, 0x100);
    wr(&want, 0x21020, 0x03000000);
    wr(&want, 0x21064, 0x100);
    script_command(&want, 1);
    script_queue(&want, &rig, 48, 48);
    check_log(rig.f, &want, "reset");
    assert_true(all_zero(rig.comp[0], 48) && all_zero(rig.comp[1], 48 * 4));
    assert_int_equal(trench_hal_queue_space(rig.queue), 32);
    assert_int_equal(trench_hal_queue_in_flight(rig.queue), 0);
    assert_int_equal(trench_hal_submit(rig.queue), 0);

    device_init(&dev, &rig);
    assert_int_equal(trench_hal_copy(rig.queue, 0x20, 0x10, 8, 0), 1);
    check_desc(&rig, 0, 0, 0x0d000008, 0x01080003, 0x10);
    check_desc(&rig, 1, 0, 0x01000008, 0, 0x20);
    assert_int_equal(trench_hal_submit(rig.queue), 1);
    complete(&dev, 0, 1, 0);
    complete(&dev, 1, 1, 0);
    assert_int_equal(trench_hal_poll(rig.queue), 1);
    rig_fini(&rig);
}

static void test_hal_queue_reset_can_be_tried_again(void **state)
{
    struct device dev;
    struct rig rig;
    int nr = 0, err;

    (void)state;
    rig_init(&rig, SMALL);
    put_uneven(&rig, 1);
    do {
        rig.f->fail_in = nr;
        err = trench_hal_queue_reset(rig.queue);
        CHECK(err == 0 || err == TRENCH_ERR_FAULT, "write %d: %d", nr, err);
        rig.f->fail_in = -1;
        CHECK(err == 0 || trench_hal_poll(rig.queue) == TRENCH_ERR_IO,
              "write %d", nr);
        nr++;
    } while (err);
    assert_int_equal(nr, 4 + 2 + 19 + 1);

    device_init(&dev, &rig);
    put_uneven(&rig, 1);
    complete(&dev, 0, 3, 0);
    complete(&dev, 1, 2, 0);
    assert_int_equal(trench_hal_poll(rig.queue), 1);
    rig_fini(&rig);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_hal_submit_rings_rx_before_tx),
        cmocka_unit_test(test_hal_submit_goes_on_after_a_failed_write),
        cmocka_unit_test(test_hal_laps_tag_descriptors_and_completions),
        cmocka_unit_test(test_hal_poll_wants_every_completion_of_a_packet),
        cmocka_unit_test(test_hal_poll_ignores_unpublished_packets),
        cmocka_unit_test(test_hal_poll_reports_errors_in_completions),
        cmocka_unit_test(test_hal_poll_sees_an_aborted_engine),
        cmocka_unit_test(test_hal_poll_refuses_impossible_heads),
        cmocka_unit_test(test_hal_poll_passes_on_failed_reads),
        cmocka_unit_test(test_hal_wait_ends_at_its_deadline),
        cmocka_unit_test(test_hal_wait_finds_errors_at_once),
        cmocka_unit_test(test_hal_queue_reset_starts_again_from_lap_1),
        cmocka_unit_test(test_hal_queue_reset_can_be_tried_again),
        cmocka_unit_test(test_hal_poll_remembers_impossible_heads),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
