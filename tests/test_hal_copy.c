/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How the driver library lays copies into rings (udma-engine 4.1, 4.3, 4.5,
 * B20, B30). The engine is a fake register page that never does anything.
 */
#include "hal_rig.h"

static void test_hal_copy_writes_one_descriptor_pair_a_packet(void **state)
{
    struct rig rig;

    (void)state;
    rig_init(&rig, SMALL);
    rig.f->log.nr = 0;
    assert_int_equal(
        trench_hal_copy(rig.queue, 0x4000000000, 0x123456789a, 1, 0), 1);
    check_desc(&rig, 0, 0, 0x0d000001, 0x01080003, 0x123456789a);
    check_desc(&rig, 1, 0, 0x01000001, 0, 0x4000000000);

    assert_int_equal(trench_hal_copy(rig.queue, 0x20, 0x10, 65535, 0), 1);
    check_desc(&rig, 0, 1, 0x0d00ffff, 0x01080003, 0x10);
    check_desc(&rig, 1, 1, 0x0100ffff, 0, 0x20);

    /* 64 KiB is length 0. */
    assert_int_equal(trench_hal_copy(rig.queue, 0x20, 0x10, 65536, 0), 1);
    check_desc(&rig, 0, 2, 0x0d000000, 0x01080003, 0x10);
    check_desc(&rig, 1, 2, 0x01000000, 0, 0x20);

    assert_int_equal(trench_hal_copy(rig.queue, 0xfffffff0, 0x10, 65537, 0), 2);
    check_desc(&rig, 0, 3, 0x0d000000, 0x01080003, 0x10);
    check_desc(&rig, 1, 3, 0x01000000, 0, 0xfffffff0);
    check_desc(&rig, 0, 4, 0x0d000001, 0x01080003, 0x10010);
    check_desc(&rig, 1, 4, 0x01000001, 0, 0x10000fff0);

    /* The last byte of the address space is still inside. */
    assert_int_equal(trench_hal_copy(rig.queue, UINT64_MAX, 0, 1, 0), 1);
    check_desc(&rig, 1, 5, 0x01000001, 0, UINT64_MAX);
    assert_int_equal(rig.f->log.nr, 0);
    rig_fini(&rig);
}

static void test_hal_copy_flags_go_to_their_descriptors(void **state)
{
    struct rig rig;

    (void)state;
    rig_init(&rig, SMALL);
    assert_int_equal(trench_hal_copy(rig.queue, 0, 0, 3 * 65536, 7), 3);
    check_desc(&rig, 0, 0, 0x4d000000, 0x01080003, 0);
    check_desc(&rig, 0, 1, 0x0d000000, 0x01080003, 0x10000);
    check_desc(&rig, 0, 2, 0x1d000000, 0x05080003, 0x20000);
    check_desc(&rig, 1, 0, 0x01000000, 0, 0);
    check_desc(&rig, 1, 1, 0x01000000, 0, 0x10000);
    check_desc(&rig, 1, 2, 0x11000000, 0, 0x20000);

    assert_int_equal(
        trench_hal_copy(rig.queue, 0, 0, 8, TRENCH_HAL_WRITE_BARRIER), 1);
    check_desc(&rig, 0, 3, 0x0d000008, 0x05080003, 0);
    check_desc(&rig, 1, 3, 0x01000008, 0, 0);
    assert_int_equal(trench_hal_copy(rig.queue, 0, 0, 8, TRENCH_HAL_DMB), 1);
    check_desc(&rig, 0, 4, 0x4d000008, 0x01080003, 0);
    check_desc(&rig, 1, 4, 0x01000008, 0, 0);
    assert_int_equal(trench_hal_copy(rig.queue, 0, 0, 8, TRENCH_HAL_INTERRUPT),
                     1);
    check_desc(&rig, 0, 5, 0x1d000008, 0x01080003, 0);
    check_desc(&rig, 1, 5, 0x11000008, 0, 0);
    rig_fini(&rig);
}

static void test_hal_copy_sg_gathers_and_scatters(void **state)
{
    static const struct trench_hal_seg src[] = {
        { 0x1000, 100 }, { 0xdead, 0 }, { 0x2000, 70000 }, { 0x40000, 1 }
    };
    static const struct trench_hal_seg dst[] = {
        { 0xdead, 0 }, { 0x80000, 70100 }, { 0x90000, 1 }, { 0xdead, 0 }
    };
    struct rig rig;

    (void)state;
    rig_init(&rig, SMALL);
    assert_int_equal(trench_hal_copy_sg(rig.queue, dst, 4, src, 4, 7), 1);
    check_desc(&rig, 0, 0, 0x45000064, 0x05080003, 0x1000);
    check_desc(&rig, 0, 1, 0x01000000, 0x05080003, 0x2000);
    check_desc(&rig, 0, 2, 0x01001170, 0x05080003, 0x12000);
    check_desc(&rig, 0, 3, 0x19000001, 0x05080003, 0x40000);
    check_desc(&rig, 1, 0, 0x01000000, 0, 0x80000);
    check_desc(&rig, 1, 1, 0x010011d4, 0, 0x90000);
    check_desc(&rig, 1, 2, 0x11000001, 0, 0x90000);
    assert_int_equal(trench_hal_queue_space(rig.queue), 48 - 16 - 4);
    rig_fini(&rig);
}

/* A list of pieces and the place that the descriptors have reached in it. */
struct walk {
    const struct trench_hal_seg *seg;
    uint64_t off;
};

static void walk_desc(struct walk *w, const uint32_t *desc, uint32_t len)
{
    while (w->off == w->seg->len_bytes) {
        w->seg++;
        w->off = 0;
    }
    CHECK((desc[2] | (uint64_t)desc[3] << 32) == w->seg->addr + w->off &&
              len <= w->seg->len_bytes - w->off,
          "descriptor %08x %08x %08x of %u bytes", desc[0], desc[2], desc[3],
          len);
    w->off += len;
}

static uint32_t desc_len(const uint32_t *desc)
{
    return desc[0] & 0xffff ? desc[0] & 0xffff : 65536;
}

/*
 * Whatever the lists are: TX and RX descriptors walk them in order, each
 * packet has as many bytes on both sides, and its last RX descriptor ends
 * where it ends. Rings start at index 0, lap 1 and do not wrap.
 */
static void check_packets(const struct rig *rig, struct walk dst,
                          struct walk src, int nr_packets)
{
    const uint32_t *tx = rig->ring[0];
    const uint32_t *rx = rig->ring[1];

    for (int p = 0; p < nr_packets; p++) {
        uint64_t len = 0, got = 0;
        uint32_t nr_tx = 0, nr_rx = 0;
        bool last = false;

        for (; !last; tx += 4, nr_tx++) {
            last = tx[0] & 1u << 27;
            CHECK(!(tx[0] & 1u << 26) == (nr_tx > 0), "packet %d: FIRST", p);
            walk_desc(&src, tx, desc_len(tx));
            len += desc_len(tx);
        }
        for (; got < len; rx += 4, nr_rx++) {
            walk_desc(&dst, rx, desc_len(rx));
            got += desc_len(rx);
        }
        CHECK(got == len, "packet %d: %llu of %llu bytes", p,
              (unsigned long long)got, (unsigned long long)len);
        CHECK(len <= 0xfffff && nr_tx <= 64 && nr_rx <= 60,
              "packet %d: %llu bytes, %u and %u descriptors", p,
              (unsigned long long)len, nr_tx, nr_rx);
    }
    assert_true(tx[0] == 0 && rx[0] == 0); /* nothing behind them */
}

#define LIST_MAX 400

/* Cut total bytes into pieces of at most most; returns how many. */
static size_t make_list(uint64_t *rnd, uint64_t total, uint64_t most,
                        struct trench_hal_seg *list)
{
    size_t nr = 0;

    while (total > 0) {
        uint64_t len = pick(rnd, 0, most < total ? most : total);

        assert_true(nr < LIST_MAX);
        if (nr == LIST_MAX - 1) {
            len = total;
        }
        list[nr++] =
            (struct trench_hal_seg){ pick(rnd, 0, UINT64_C(1) << 45), len };
        total -= len;
    }
    return nr;
}

static void test_hal_copy_sg_packets_hold_for_any_lists(void **state)
{
    struct trench_hal_seg src[LIST_MAX], dst[LIST_MAX];
    uint64_t rnd = SEED;

    (void)state;
    for (int round = 0; round < 300; round++) {
        uint64_t len = UINT64_C(1) << pick(&rnd, 0, 22);
        size_t nr_src, nr_dst;
        struct rig rig;
        int ret;

        len = pick(&rnd, 1, len);
        nr_src = make_list(&rnd, len, pick(&rnd, len / 200 + 1, len), src);
        nr_dst = make_list(&rnd, len, pick(&rnd, len / 200 + 1, len), dst);
        rig_init(&rig, &(struct trench_hal_queue_conf){ 0 });
        ret = trench_hal_copy_sg(rig.queue, dst, nr_dst, src, nr_src, 0);
        CHECK(ret > 0, "round %d: %d", round, ret);
        check_packets(&rig, (struct walk){ dst, 0 }, (struct walk){ src, 0 },
                      ret);
        rig_fini(&rig);
    }
}

/* Both limits of a packet, and one more. */
static void test_hal_copy_sg_splits_at_the_packet_limits(void **state)
{
    static const struct {
        uint32_t nr_src, nr_dst, len;
        int packets;
    } rows[] = {
        { 64, 1, 1, 1 },      { 65, 1, 1, 2 },          { 1, 60, 1, 1 },
        { 1, 61, 1, 2 },      { 64, 60, 15, 1 },        { 1, 1, 0xfffc0, 1 },
        { 1, 1, 0xfffc1, 2 }, { 1, 1, 2 * 0xfffc0, 2 },
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct trench_hal_seg src[LIST_MAX], dst[LIST_MAX];
        uint32_t src_len = rows[i].len * rows[i].nr_dst;
        uint32_t dst_len = rows[i].len * rows[i].nr_src;
        struct rig rig;
        int ret;

        for (uint32_t n = 0; n < rows[i].nr_src; n++) {
            src[n] = (struct trench_hal_seg){ n * 0x100000, src_len };
        }
        for (uint32_t n = 0; n < rows[i].nr_dst; n++) {
            dst[n] = (struct trench_hal_seg){ n * 0x100000, dst_len };
        }
        rig_init(&rig, &(struct trench_hal_queue_conf){ .tx_entries = 4096 });
        ret = trench_hal_copy_sg(rig.queue, dst, rows[i].nr_dst, src,
                                 rows[i].nr_src, 0);
        CHECK(ret == rows[i].packets, "row %zu: %d", i, ret);
        check_packets(&rig, (struct walk){ dst, 0 }, (struct walk){ src, 0 },
                      ret);
        rig_fini(&rig);
    }
}

static void test_hal_copy_refused_changes_nothing(void **state)
{
    static const struct trench_hal_seg one[] = { { 0x1000, 8 } };
    static const struct trench_hal_seg nine[] = { { 0x1000, 9 } };
    static const struct trench_hal_seg wrap[] = { { UINT64_MAX - 6, 8 } };
    static const struct trench_hal_seg none[] = { { 0, 0 }, { 1, 0 } };
    static const struct trench_hal_seg huge[] = { { 0, UINT64_MAX },
                                                  { 0, UINT64_MAX } };
    struct trench_hal_seg many[33];
    struct trench_hal_queue *q;
    struct rig rig;

    (void)state;
    rig_init(&rig, SMALL);
    rig.f->log.nr = 0;
    q = rig.queue;
    for (size_t i = 0; i < ARRAY_LEN(many); i++) {
        many[i] = (struct trench_hal_seg){ 0, 65536 };
    }
    assert_int_equal(trench_hal_copy(q, 0, 0, 0, 0), TRENCH_ERR_INVAL);
    assert_int_equal(trench_hal_copy(q, UINT64_MAX, 0, 2, 0), TRENCH_ERR_INVAL);
    assert_int_equal(trench_hal_copy(q, 0, UINT64_MAX, 2, 0), TRENCH_ERR_INVAL);
    for (unsigned bit = 3; bit < 32; bit++) {
        CHECK(trench_hal_copy(q, 0, 0, 8, 1u << bit) == TRENCH_ERR_INVAL,
              "flag %u", bit);
        CHECK(trench_hal_copy_sg(q, one, 1, one, 1, 1u << bit) ==
                  TRENCH_ERR_INVAL,
              "flag %u", bit);
    }
    assert_int_equal(trench_hal_copy_sg(q, one, 1, nine, 1, 0),
                     TRENCH_ERR_INVAL);
    assert_int_equal(trench_hal_copy_sg(q, one, 0, nine, 0, 0),
                     TRENCH_ERR_INVAL);
    assert_int_equal(trench_hal_copy_sg(q, none, 2, none, 2, 0),
                     TRENCH_ERR_INVAL);
    assert_int_equal(trench_hal_copy_sg(q, wrap, 1, one, 1, 0),
                     TRENCH_ERR_INVAL);
    assert_int_equal(trench_hal_copy_sg(q, one, 1, wrap, 1, 0),
                     TRENCH_ERR_INVAL);
    assert_int_equal(trench_hal_copy_sg(q, huge, 2, huge, 2, 0),
                     TRENCH_ERR_INVAL);

    assert_int_equal(trench_hal_copy(q, 0, 0, 32 * 65536 + 1, 0),
                     TRENCH_ERR_NOSPC);
    assert_int_equal(trench_hal_copy(q, 0, 0, UINT64_MAX, 0), TRENCH_ERR_NOSPC);
    assert_int_equal(trench_hal_copy_sg(q, huge, 1, huge, 1, 0),
                     TRENCH_ERR_NOSPC);
    assert_int_equal(trench_hal_copy_sg(q, many, 33, many, 33, 0),
                     TRENCH_ERR_NOSPC);

    assert_true(all_zero(rig.ring[0], 48 * 4) && all_zero(rig.ring[1], 48 * 4));
    assert_int_equal(trench_hal_queue_space(q), 32);
    assert_int_equal(trench_hal_submit(q), 0);
    assert_int_equal(rig.f->log.nr, 0);
    rig_fini(&rig);
}

/* 16 descriptors stay free, in the shorter ring (B20). */
static void test_hal_copy_fills_the_ring_up_to_the_gap(void **state)
{
    static const struct {
        struct trench_hal_queue_conf conf;
        uint32_t space;
    } rows[] = {
        { { .tx_entries = 48 }, 32 },
        { { .tx_entries = 32 }, 16 },
        { { .tx_entries = 1024, .rx_entries = 32 }, 16 },
        { { .tx_entries = 32, .rx_entries = 1024 }, 16 },
        { { .tx_entries = 48, .no_comp_rings = true }, 32 },
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        uint64_t most = rows[i].space * UINT64_C(65536);
        struct rig rig;

        rig_init(&rig, &rows[i].conf);
        CHECK(trench_hal_queue_space(rig.queue) == rows[i].space, "row %zu", i);
        assert_int_equal(trench_hal_copy(rig.queue, 0, 0, most + 1, 0),
                         TRENCH_ERR_NOSPC);
        CHECK(trench_hal_copy(rig.queue, 0, 0, most, 0) == (int)rows[i].space,
              "row %zu", i);
        assert_int_equal(trench_hal_queue_space(rig.queue), 0);
        assert_int_equal(trench_hal_copy(rig.queue, 0, 0, 1, 0),
                         TRENCH_ERR_NOSPC);
        rig_fini(&rig);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_hal_copy_writes_one_descriptor_pair_a_packet),
        cmocka_unit_test(test_hal_copy_flags_go_to_their_descriptors),
        cmocka_unit_test(test_hal_copy_sg_gathers_and_scatters),
        cmocka_unit_test(test_hal_copy_sg_packets_hold_for_any_lists),
        cmocka_unit_test(test_hal_copy_sg_splits_at_the_packet_limits),
        cmocka_unit_test(test_hal_copy_refused_changes_nothing),
        cmocka_unit_test(test_hal_copy_fills_the_ring_up_to_the_gap),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
