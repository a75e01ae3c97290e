/* SPDX-License-Identifier: BSD-3-Clause */
/* CME: checksums beside the copy (common-blocks 3.1, 3.2, H232 to H234). */
#include <zlib.h>

#include "app_rig.h"

#define FIRST_LAST   0x3u
#define SLOT(n)      ((uint32_t)(n) << 3)
#define VALIDATE     (1u << 14)
#define USE_STORED   (1u << 15)
#define SEND         (1u << 16)
#define STORE_RESULT (1u << 17)
#define STORE_SOURCE (1u << 18)
#define COPY         (1u << 19)

#define LONG_PACKETS 0x010FFFFFu /* the longest that cfg_len allows */

/* op_type */
enum {
    CRC32 = 1,
    CRC32C,
    SUM16,
    SUM32,
    CRC16,
    ADLER,
    CRC8,
};

static const unsigned widths[] = { 0, 4, 4, 2, 4, 2, 4, 1 };

/* ---- slow sums, a bit at a time ------------------------------------------ */

static uint32_t slow_crc(const uint8_t *p, size_t n, unsigned bits,
                         uint32_t poly, uint32_t crc)
{
    for (size_t i = 0; i < n * 8; i++) {
        uint32_t bit = p[i / 8] >> (7 - i % 8) & 1;
        uint32_t top = crc >> (bits - 1) & 1;

        crc = crc << 1 & ((1u << bits) - 1);
        crc ^= top ^ bit ? poly : 0;
    }
    return crc;
}

static uint32_t slow_crc32c(const uint8_t *p, size_t n)
{
    uint32_t crc = ~0u;

    for (size_t i = 0; i < n * 8; i++) {
        uint32_t bit = (p[i / 8] >> i % 8 & 1) ^ (crc & 1);

        crc = crc >> 1 ^ (bit ? 0x82F63B78 : 0);
    }
    return ~crc;
}

static uint32_t slow_words(const uint8_t *p, size_t n, unsigned width)
{
    uint64_t max = (UINT64_C(1) << 8 * width) - 1, sum = 0;

    for (size_t i = 0; i < n; i += width) {
        for (unsigned k = 0; k < width && i + k < n; k++) {
            sum += (uint64_t)p[i + k] << 8 * k;
        }
        if (sum > max) {
            sum -= max;
        }
    }
    return (uint32_t)(~sum & max);
}

static uint32_t slow_sum(unsigned kind, const uint8_t *p, size_t n)
{
    switch (kind) {
    case CRC32:
        return (uint32_t)crc32(0, p, (uInt)n);
    case CRC32C:
        return slow_crc32c(p, n);
    case SUM16:
        return slow_words(p, n, 2);
    case SUM32:
        return slow_words(p, n, 4);
    case CRC16:
        return slow_crc(p, n, 16, 0x1021, 0xFFFF);
    case ADLER:
        return (uint32_t)adler32(1, p, (uInt)n);
    default:
        return slow_crc(p, n, 8, 0x07, 0);
    }
}

/* The check values of the published catalogues, over "123456789". */
static void test_cme_sums_are_the_known_ones(void **state)
{
    static const uint32_t want[] = {
        [CRC32] = 0xCBF43926, [CRC32C] = 0xE3069283, [CRC16] = 0x29B1,
        [ADLER] = 0x091E01DE, [CRC8] = 0xF4,
    };
    struct bench b;

    for (unsigned kind = CRC32; kind <= CRC8; kind++) {
        if (!want[kind]) {
            continue;
        }
        bench_open(&b, *state, 8);
        memcpy(rig_mem(b.rig, b.src, 9), "123456789", 9);
        app_one(&b, W_CME(kind) | FIRST_LAST | SEND, 9, 16);
        CHECK_EQ(rig_word(b.rig, b.dst), want[kind], "kind %u", kind);
        CHECK_EQ(slow_sum(kind, (const uint8_t *)"123456789", 9), want[kind],
                 "the slow one, kind %u", kind);
    }
}

/* Several buffers are one stream; the sum is behind it, or alone. */
static void test_cme_sends_the_sum_of_a_block(void **state)
{
    static const uint32_t lens[] = { 1, 2, 3, 64, 4096, 65536 };
    struct bench b;

    for (unsigned kind = CRC32; kind <= CRC8; kind++) {
        for (size_t l = 0; l < ARRAY_LEN(lens); l++) {
            for (uint32_t copy = 0; copy <= COPY; copy += COPY) {
                uint32_t len = lens[l], out = copy ? 2 * len : 0;
                uint32_t word = W_CME(kind) | SEND | copy;
                uint32_t want;
                const uint8_t *in;

                bench_open(&b, *state, 8);
                rig_write(b.rig, ENGINE, M2S_CFG_LEN, LONG_PACKETS);
                in = rig_mem(b.rig, b.src, BENCH_BYTES);
                want = slow_sum(kind, in, 2 * len);
                rig_rx(&b.rq, b.dst, out ? len : 4);
                rig_rx(&b.rq, b.dst + len, len);
                rig_rx(&b.rq, b.dst + 2 * len, 4);
                app_buffer(&b, D_FIRST, word | 2, b.src, len);
                app_buffer(&b, D_LAST, word | 1, b.src + len, len);
                rig_bell(&b.rq, RX, 3);
                rig_bell(&b.rq, TX, 2);
                CHECK_MEM(rig_mem(b.rig, b.dst, out + 4), in, out,
                          "kind %u of %u", kind, len);
                CHECK_MEM(rig_mem(b.rig, b.dst + out, 4), &want, widths[kind],
                          "sum of kind %u, 2 x %u copy %u", kind, len, copy);
                CHECK_EQ(rig_stats(b.rig, ENGINE).bytes, out + widths[kind],
                         "kind %u of %u", kind, len);
            }
        }
    }
}

/* H233: a wrong sum is an error of the packet, whose bytes have moved. */
static void test_cme_validates(void **state)
{
    struct bench b;

    for (unsigned kind = CRC32; kind <= CRC8; kind++) {
        for (uint32_t wrong = 0; wrong < 2; wrong++) {
            uint64_t ring;
            uint32_t sum;

            bench_open(&b, *state, 8);
            ring = bench_completions(&b, RX);
            sum = slow_sum(kind, rig_mem(b.rig, b.src, 64), 64);
            rig_rx(&b.rq, b.dst, 64);
            app_meta(&b, D_FIRST, 0, slow_sum(kind, NULL, 0), sum ^ wrong);
            app_buffer(&b, D_LAST, W_CME(kind) | FIRST_LAST | VALIDATE | COPY,
                       b.src, 64);
            rig_bell(&b.rq, RX, 1);
            rig_bell(&b.rq, TX, 2);
            CHECK_COPY(b.rig, b.dst, b.src, 64, "kind %u", kind);
            CHECK_EQ(app_causes(b.rig), wrong ? STREAM_RESPONSE : 0,
                     "kind %u wrong %u", kind, wrong);
            CHECK_EQ(rig_word(b.rig, ring),
                     C_BUF1 | D_ONE | D_LAP(1) | (wrong ? C_ERROR : 0),
                     "kind %u wrong %u", kind, wrong);
            CHECK_EQ(rig_stats(b.rig, ENGINE).unsupported, 0, "taken");
        }
    }
}

/* Masked, the mismatch is told by the completions alone. */
static void test_cme_mismatch_can_be_masked(void **state)
{
    struct bench b;
    uint64_t ring;

    bench_open(&b, *state, 8);
    rig_write(b.rig, ENGINE, M2S_ACK2, 0x78 | 3);
    ring = bench_completions(&b, TX);
    rig_rx(&b.rq, b.dst, 64);
    app_meta(&b, D_FIRST, 0, 0, 1);
    app_buffer(&b, D_LAST, W_CME(CRC32) | FIRST_LAST | VALIDATE | COPY, b.src,
               64);
    rig_bell(&b.rq, RX, 1);
    rig_bell(&b.rq, TX, 2);
    CHECK_EQ(app_causes(b.rig), 0, "masked");
    CHECK_EQ(rig_word(b.rig, ring), D_FIRST | D_LAP(1) | C_ERROR, "first");
    CHECK_EQ(rig_word(b.rig, ring + 4), D_LAST | D_LAP(1) | C_ERROR, "last");
}

/* A sum goes on from where a slot says; slots are those of the queue. */
static void test_cme_keeps_sums_in_slots(void **state)
{
    struct bench b;

    for (unsigned kind = CRC32; kind <= CRC8; kind++) {
        for (uint32_t slot = 0; slot < 8; slot++) {
            uint32_t got = 0, want;

            bench_open(&b, *state, 8);
            app_one(&b, W_CME(kind) | FIRST_LAST | STORE_RESULT | SLOT(slot),
                    40, 4);
            app_one(&b,
                    W_CME(kind) | FIRST_LAST | STORE_RESULT |
                        SLOT((slot + 1) & 7),
                    8, 4); /* another slot */
            CHECK_UNTOUCHED(b.rig, b.dst, 4, "nothing is sent");
            b.src += 40;
            app_one(&b,
                    W_CME(kind) | FIRST_LAST | USE_STORED | SEND | SLOT(slot),
                    60, 4);
            want = slow_sum(kind, rig_mem(b.rig, b.src - 40, 100), 100);
            memcpy(&got, rig_mem(b.rig, b.dst, 4), widths[kind]);
            CHECK_EQ(got, want, "kind %u slot %u", kind, slot);
        }
    }
}

static void test_cme_stores_the_expected_sum(void **state)
{
    const uint32_t crc_of_40 = 0x12345678;
    struct bench b;

    bench_open(&b, *state, 8);
    rig_rx(&b.rq, b.dst, 4);
    app_meta(&b, D_FIRST, 0, 0, crc_of_40);
    app_buffer(&b, D_LAST, W_CME(CRC32) | FIRST_LAST | STORE_SOURCE | SLOT(5),
               b.src, 40);
    rig_bell(&b.rq, RX, 1);
    rig_bell(&b.rq, TX, 2);
    app_one(&b, W_CME(CRC32) | FIRST_LAST | USE_STORED | SEND | SLOT(5), 9, 4);
    CHECK_EQ(rig_word(b.rig, b.dst),
             crc32(crc_of_40, rig_mem(b.rig, b.src, 9), 9), "went on from it");
}

/* Two blocks in a packet have a sum each. */
static void test_cme_sums_blocks_apart(void **state)
{
    struct bench b;
    const uint8_t *in;

    bench_open(&b, *state, 8);
    rig_rx(&b.rq, b.dst, 8);
    for (unsigned i = 0; i < 2; i++) {
        app_buffer(&b, d_marks(i, 2), W_CME(CRC32) | FIRST_LAST | SEND,
                   b.src + 64 * i, 64);
    }
    rig_bell(&b.rq, RX, 1);
    rig_bell(&b.rq, TX, 2);
    in = rig_mem(b.rig, b.src, 128);
    CHECK_EQ(rig_word(b.rig, b.dst), crc32(0, in, 64), "first");
    CHECK_EQ(rig_word(b.rig, b.dst + 4), crc32(0, in + 64, 64), "second");
}

static void post_bad(struct bench *b, struct rig *r, const uint32_t (*d)[2],
                     unsigned n)
{
    bench_open(b, r, 8);
    rig_rx(&b->rq, b->dst, 0);
    for (unsigned i = 0; i < n; i++) {
        rig_desc(&b->rq, TX, (uint32_t[]){ d_marks(i, n) | d[i][0], d[i][1] },
                 b->src);
    }
    rig_bell(&b->rq, RX, 1);
    rig_bell(&b->rq, TX, n);
}

/* What makes no sense; there are no triggers of the CME. */
static void test_cme_refuses_other_packets(void **state)
{
    const uint32_t crc = W_CME(CRC32);
    const uint32_t bad[][3][2] = {
        { { 64, crc | 2 } }, /* no end */
        { { 64, crc | 1 } }, /* no beginning */
        { { 64, crc } },
        { { 64, crc | 2 }, { 64, crc | 2 }, { 64, crc | 1 } },
        { { 64, crc | 3 }, { 64, crc | 1 } },
        { { 64, crc | 3 | VALIDATE } }, /* with what? */
        { { 64, crc | 3 | STORE_SOURCE } },
        { { 64, crc | 3 }, { D_META, 0 } }, /* of nothing */
        { { D_META, 0 }, { D_META, 0 }, { 64, crc | 3 } },
        { { D_META, W_ADD }, { 64, crc | 3 } }, /* not its own */
        { { 64, crc | 2 }, { D_META, 0 }, { 64, crc | 1 } },
        { { 64, W_CME(0) | 3 | COPY | SEND } }, /* a copy has no sum */
        { { D_META, 0 }, { 64, W_CME(0) | 3 | COPY } },
        { { 64, W_CME(0) | 3 } },
    };
    struct bench b;

    for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
        unsigned n = 0;

        while (n < 3 && (bad[i][n][0] || bad[i][n][1])) {
            n++;
        }
        post_bad(&b, *state, bad[i], n);
        check_app_refused(&b, TRENCH_NR_APP_TRIGGERS, "bad");
    }
    for (unsigned bit = 6; bit <= 13; bit++) { /* swaps */
        const uint32_t swap[1][2] = { { 64, crc | 3 | 1u << bit } };

        post_bad(&b, *state, swap, 1);
        check_app_refused(&b, TRENCH_NR_APP_TRIGGERS, "swap");
    }
}

/* H231: 256 KiB are what a packet can have. */
static void test_cme_takes_so_much(void **state)
{
    struct bench b;

    for (unsigned n = 3; n <= 5; n++) {
        bench_open(&b, *state, 8);
        rig_write(b.rig, ENGINE, M2S_CFG_LEN, LONG_PACKETS);
        rig_rx(&b.rq, b.dst, 4);
        for (unsigned i = 0; i < n; i++) {
            app_buffer(&b, d_marks(i, n), W_CME(CRC32) | SEND | w_block(i, n),
                       b.src, 65536);
        }
        rig_bell(&b.rq, RX, 1);
        rig_bell(&b.rq, TX, n);
        if (n <= 4) {
            CHECK_EQ(app_causes(b.rig), 0, "%u buffers", n);
            CHECK_EQ(rig_word(b.rig, b.dst) != 0, true, "%u buffers", n);
        } else {
            check_app_refused(&b, TRENCH_NR_APP_TRIGGERS, "too much");
        }
    }
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cme_sums_are_the_known_ones),
        cmocka_unit_test(test_cme_sends_the_sum_of_a_block),
        cmocka_unit_test(test_cme_validates),
        cmocka_unit_test(test_cme_mismatch_can_be_masked),
        cmocka_unit_test(test_cme_keeps_sums_in_slots),
        cmocka_unit_test(test_cme_stores_the_expected_sum),
        cmocka_unit_test(test_cme_sums_blocks_apart),
        cmocka_unit_test(test_cme_refuses_other_packets),
        cmocka_unit_test(test_cme_takes_so_much),
    };

    return cmocka_run_group_tests(tests, rig_setup, rig_teardown);
}
