/* SPDX-License-Identifier: BSD-3-Clause */
/* DRE: strided split, transpose, replication (common-blocks 3.3). */
#include "app_rig.h"

/* ---- transpose ----------------------------------------------------------- */

#define D_WX(w, x) ((uint32_t)(w) | (uint32_t)(x) << 16)
#define D_YZ(y, z) ((uint32_t)(y) | (uint32_t)(z) << 16)

/* One packet: META with the dimensions, then the tensor in one buffer. */
static void post_transpose(struct bench *b, const uint32_t dims[4],
                           unsigned elem, unsigned shape)
{
    uint32_t bytes = dims[0] * dims[1] * dims[2] * dims[3] * elem;

    rig_rx(&b->rq, b->dst, bytes);
    app_meta(b, D_FIRST | elem, W_TRANSPOSE, D_WX(dims[0], dims[3]),
             D_YZ(dims[2], dims[1]));
    app_buffer(b, D_LAST,
               W_TRANSPOSE | elem | (shape > 1) << 5 | shape << 8 | elem << 16,
               b->src, bytes);
    rig_bell(&b->rq, RX, 1);
    rig_bell(&b->rq, TX, 2);
}

/* 3.3: out[c][r] = in[r][c]. */
static void test_dre_transposes_matrices(void **state)
{
    static const uint32_t sizes[][2] = {
        { 1, 1 }, { 1, 7 }, { 7, 1 }, { 2, 3 }, { 16, 64 }, { 33, 31 },
    };
    static const unsigned elems[] = { 1, 2, 4, 8 };
    struct bench b;

    for (size_t s = 0; s < ARRAY_LEN(sizes); s++) {
        for (size_t e = 0; e < ARRAY_LEN(elems); e++) {
            uint32_t rows = sizes[s][0], cols = sizes[s][1], elem = elems[e];
            const uint8_t *in, *out;

            bench_open(&b, *state, 8);
            post_transpose(&b, (uint32_t[]){ 1, 1, rows, cols }, elem, 0);
            in = rig_mem(b.rig, b.src, BENCH_BYTES);
            out = rig_mem(b.rig, b.dst, BENCH_BYTES);
            for (uint32_t r = 0; r < rows; r++) {
                for (uint32_t c = 0; c < cols; c++) {
                    CHECK_MEM(out + (c * rows + r) * elem,
                              in + (r * cols + c) * elem, elem,
                              "%ux%u of %u: row %u column %u", rows, cols, elem,
                              r, c);
                }
            }
            CHECK_EQ(app_stats(b.rig).packets[TRENCH_APP_DRE], 1, "taken");
        }
    }
}

/* H238: the output orders by shape index, slowest dimension first. */
static const char *const orders[] = { "wzxy", "wyzx", "wyxz", "wxzy",
                                      "wxyz", "zwyx", "zyxw", "yxwz",
                                      "xyzw", "xwzy", "yzwx", "xzyw" };

static void test_dre_permutes_four_dimensions(void **state)
{
    const uint32_t dims[4] = { 2, 3, 4, 5 }; /* w z y x */
    struct bench b;

    for (unsigned shape = 0; shape < ARRAY_LEN(orders); shape++) {
        const uint16_t *in, *out;
        uint32_t at = 0, i[4], o[4];

        bench_open(&b, *state, 8);
        post_transpose(&b, dims, 2, shape);
        in = rig_mem(b.rig, b.src, BENCH_BYTES);
        out = rig_mem(b.rig, b.dst, BENCH_BYTES);
        for (unsigned k = 0; k < 4; k++) {
            o[k] = (uint32_t)(strchr("wzyx", orders[shape][k]) - "wzyx");
        }
        for (; at < 120; at++) {
            uint32_t rest = at;

            for (unsigned k = 4; k-- > 0; rest /= dims[o[k]]) {
                i[o[k]] = rest % dims[o[k]];
            }
            CHECK_EQ(out[at], in[((i[0] * 3 + i[1]) * 4 + i[2]) * 5 + i[3]],
                     "shape %u at %u", shape, at);
        }
    }
}

/* verify_transpose_dimensions: not zero, at most 0x4000 bytes in all. */
static void test_dre_checks_dimensions(void **state)
{
    static const struct {
        uint32_t dims[4];
        unsigned elem;
        uint32_t bytes;
        bool ok;
    } rows[] = {
        { { 1, 1, 128, 128 }, 1, 0x4000, true },
        { { 1, 1, 129, 128 }, 1, 129 * 128, false },
        { { 1, 1, 64, 128 }, 2, 0x4000, true },
        { { 1, 1, 65, 128 }, 2, 65 * 256, false },
        { { 1, 1, 64, 64 }, 4, 0x4000, true },
        { { 1, 1, 4, 4 }, 3, 48, false },
        { { 1, 1, 4, 4 }, 0, 16, false },
        { { 1, 1, 4, 4 }, 16, 256, false },
        { { 0, 1, 4, 4 }, 1, 16, false },
        { { 1, 0, 4, 4 }, 1, 16, false },
        { { 1, 1, 0, 4 }, 1, 16, false },
        { { 1, 1, 4, 0 }, 1, 16, false },
        { { 1, 1, 4, 4 }, 1, 15, false },
        { { 1, 1, 4, 4 }, 1, 17, false },
        { { 65535, 65535, 65535, 65535 }, 1, 16, false },
    };
    struct bench b;

    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        const uint32_t *d = rows[i].dims;

        bench_open(&b, *state, 8);
        rig_rx(&b.rq, b.dst, 0x8000);
        app_meta(&b, D_FIRST, 0, D_WX(d[0], d[3]), D_YZ(d[2], d[1]));
        app_buffer(&b, D_LAST, W_TRANSPOSE | rows[i].elem, b.src,
                   rows[i].bytes);
        rig_bell(&b.rq, RX, 1);
        rig_bell(&b.rq, TX, 2);
        if (rows[i].ok) {
            CHECK_EQ(app_causes(b.rig), 0, "row %zu", i);
        } else {
            check_app_refused(&b, TRENCH_TRIGGER_DRE_COMMAND_PARSE, "row");
        }
    }
}

/* No META, two, one behind the buffer; a shape that is none. */
static void test_dre_refuses_other_packets(void **state)
{
    struct bench b;

    bench_open(&b, *state, 8);
    app_one(&b, W_TRANSPOSE | 1, 16, 16);
    check_app_refused(&b, TRENCH_TRIGGER_DRE_COMMAND_PARSE, "no META");

    bench_open(&b, *state, 8);
    post_transpose(&b, (uint32_t[]){ 1, 1, 4, 4 }, 1, ARRAY_LEN(orders));
    check_app_refused(&b, TRENCH_TRIGGER_DRE_COMMAND_PARSE, "shape");

    for (unsigned at = 0; at < 2; at++) {
        bench_open(&b, *state, 8);
        rig_rx(&b.rq, b.dst, 16);
        for (unsigned i = 0; i < 3; i++) {
            if (i == 2 - at) {
                app_buffer(&b, d_marks(i, 3), W_TRANSPOSE | 1, b.src, 16);
            } else {
                app_meta(&b, d_marks(i, 3), 0, D_WX(1, 4), D_YZ(4, 1));
            }
        }
        rig_bell(&b.rq, RX, 1);
        rig_bell(&b.rq, TX, 3);
        check_app_refused(&b, TRENCH_TRIGGER_DRE_COMMAND_PARSE, "META place");
    }
    for (uint32_t op = 3; op < 8; op++) {
        bench_open(&b, *state, 8);
        app_one(&b, W_SPLIT | op << 20 | 1, 16, 16);
        check_app_refused(&b, TRENCH_TRIGGER_DRE_COMMAND_PARSE, "op");
    }
}

/* ---- split and replication ----------------------------------------------- */

static void test_dre_splits_a_stream(void **state)
{
    static const struct {
        uint32_t dtype, elem;
    } types[] = { { 3, 1 }, { 6, 2 }, { 10, 4 }, { 12, 8 } };
    struct bench b;

    for (uint32_t parts = 1; parts <= 7; parts++) {
        for (size_t t = 0; t < ARRAY_LEN(types); t++) {
            uint32_t elem = types[t].elem, each = 9;
            uint32_t bytes = each * parts * elem;
            const uint8_t *in, *out;

            bench_open(&b, *state, 8);
            app_one(&b, W_SPLIT | parts | types[t].dtype << 16, bytes, bytes);
            in = rig_mem(b.rig, b.src, bytes);
            out = rig_mem(b.rig, b.dst, bytes);
            for (uint32_t i = 0; i < each * parts; i++) {
                CHECK_MEM(out + (i % parts * each + i / parts) * elem,
                          in + i * elem, elem, "%u parts of %u: %u", parts,
                          elem, i);
            }
        }
    }
    bench_open(&b, *state, 8);
    app_one(&b, W_SPLIT | 0 | 10u << 16, 16, 16);
    check_app_refused(&b, TRENCH_TRIGGER_DRE_COMMAND_PARSE, "no parts");
    bench_open(&b, *state, 8);
    app_one(&b, W_SPLIT | 3 | 10u << 16, 16, 16);
    check_app_refused(&b, TRENCH_TRIGGER_DRE_COMMAND_PARSE, "not whole");
    bench_open(&b, *state, 8);
    app_one(&b, W_SPLIT | 2, 16, 16);
    check_app_refused(&b, TRENCH_TRIGGER_DRE_COMMAND_PARSE, "no type");
}

/* Several sources into several buffers of other sizes. */
static void test_dre_replicates(void **state)
{
    static const uint32_t counts[] = { 1, 2, 3, 100 };
    struct bench b;

    for (size_t i = 0; i < ARRAY_LEN(counts); i++) {
        uint32_t bytes = 120 * counts[i];

        bench_open(&b, *state, 8);
        for (unsigned k = 0; k < 3; k++) {
            rig_rx(&b.rq, b.dst + bytes / 3 * k, bytes / 3);
        }
        app_meta(&b, D_FIRST, 0x04A00000, 0, 0);
        app_buffer(&b, 0, W_REPLICATE | counts[i], b.src, 50);
        app_buffer(&b, D_LAST, W_REPLICATE | counts[i], b.src + 50, 70);
        rig_bell(&b.rq, RX, 3);
        rig_bell(&b.rq, TX, 3);
        for (uint32_t k = 0; k < counts[i]; k++) {
            CHECK_COPY(b.rig, b.dst + 120 * k, b.src, 120, "copy %u of %u", k,
                       counts[i]);
        }
        CHECK_EQ(rig_stats(b.rig, ENGINE).bytes, bytes, "written");
        CHECK_EQ(rig_stats(b.rig, ENGINE).rx_descs, 3, "buffers");
        CHECK_EQ(rig_read(b.rig, ENGINE, M2S_BYTES_LO), 120, "read");
    }
    bench_open(&b, *state, 8);
    app_one(&b, W_REPLICATE, 16, 16);
    check_app_refused(&b, TRENCH_TRIGGER_DRE_COMMAND_PARSE, "no copies");
    bench_open(&b, *state, 8);
    app_one(&b, W_REPLICATE | 0x4001, 16, 16);
    check_app_refused(&b, TRENCH_TRIGGER_DRE_COMMAND_PARSE, "too much");
    bench_open(&b, *state, 8);
    rig_rx(&b.rq, b.dst, 256);
    app_buffer(&b, D_FIRST, W_REPLICATE | 2, b.src, 16);
    app_buffer(&b, D_LAST, W_REPLICATE | 3, b.src, 16);
    rig_bell(&b.rq, RX, 1);
    rig_bell(&b.rq, TX, 2);
    check_app_refused(&b, TRENCH_TRIGGER_DRE_COMMAND_PARSE, "they differ");
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_dre_transposes_matrices),
        cmocka_unit_test(test_dre_permutes_four_dimensions),
        cmocka_unit_test(test_dre_checks_dimensions),
        cmocka_unit_test(test_dre_refuses_other_packets),
        cmocka_unit_test(test_dre_splits_a_stream),
        cmocka_unit_test(test_dre_replicates),
    };

    return cmocka_run_group_tests(tests, rig_setup, rig_teardown);
}
