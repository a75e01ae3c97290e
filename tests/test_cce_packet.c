/* SPDX-License-Identifier: BSD-3-Clause */
/* CCE: packets of several sources (common-blocks 3.4). */
#include "app_rig.h"

#define FP32 10u
#define BF16 6u

/* Types in word 1 of each operation: source and destination. */
static uint32_t w_types(uint32_t op, uint32_t in, uint32_t out)
{
    if (op == W_ADD || op == W_EXT) {
        return op | in << 12 | out << 16;
    }
    return op | in << 8 | (op == W_FMA ? FP32 << 12 : 0) | out << 16;
}

static uint32_t bits(float f)
{
    uint32_t w;

    memcpy(&w, &f, sizeof(w));
    return w;
}

static float *floats(struct bench *b, uint64_t addr, uint32_t n)
{
    return rig_mem(b->rig, addr, n * UINT64_C(4));
}

/* Source i of a packet. */
static uint64_t source(const struct bench *b, unsigned i)
{
    return b->src + i * 0x2000u;
}

/* Selectors of FMA as software writes them: a = 1, b = 2, c = 0. */
#define SELECT(a, b, c)                                                        \
    ((uint32_t)(a) << 24 | (uint32_t)(b) << 26 | (uint32_t)(c) << 28)
#define SELECT_DEFAULT SELECT(1, 2, 0)

static void bells(struct bench *b, unsigned rx, unsigned tx)
{
    rig_bell(&b->rq, RX, rx);
    rig_bell(&b->rq, TX, tx);
}

/* n sources of n elements each, all fp32, into one buffer. */
static void post(struct bench *b, uint32_t op, unsigned n, uint32_t elements)
{
    rig_rx(&b->rq, b->dst, elements * 4);
    for (unsigned i = 0; i < n; i++) {
        app_buffer(b, d_marks(i, n), w_types(op, FP32, FP32) | w_block(i, n),
                   source(b, i), elements * 4);
    }
    bells(b, 1, n);
}

/* ---- the sheet's own numbers (3.4.4) ------------------------------------- */

static void test_cce_adds_bf16(void **state)
{
    static const uint16_t in[] = { 0x3F80, 0x4000, 0x4040 }; /* 1, 2, 3 */
    struct bench b;

    bench_open(&b, *state, 8);
    rig_rx(&b.rq, b.dst, 2);
    for (unsigned i = 0; i < 3; i++) {
        memcpy(rig_mem(b.rig, source(&b, i), 2), &in[i], 2);
        app_buffer(&b, d_marks(i, 3),
                   w_types(W_ADD, BF16, BF16) | w_block(i, 3), source(&b, i),
                   2);
    }
    bells(&b, 1, 3);
    CHECK_EQ(rig_word(b.rig, b.dst), 0x40C0, "6.0");
    CHECK_EQ(app_stats(b.rig).packets[TRENCH_APP_CCE], 1, "taken");
}

static void test_cce_scales(void **state)
{
    struct bench b;

    bench_open(&b, *state, 8);
    *floats(&b, source(&b, 0), 1) = 3;
    *floats(&b, source(&b, 1), 1) = 5;
    rig_rx(&b.rq, b.dst, 4);
    for (unsigned i = 0; i < 2; i++) {
        app_meta(&b, i == 0 ? D_FIRST : 0, W_FMA | w_block(i, 2),
                 4 | SELECT_DEFAULT, 0x3F000000);
        app_buffer(&b, i == 1 ? D_LAST : 0,
                   w_types(W_FMA, FP32, FP32) | w_block(i, 2), source(&b, i),
                   4);
    }
    bells(&b, 1, 4);
    CHECK_EQ(rig_word(b.rig, b.dst), bits(4), "4.0");
}

static void test_cce_limits_by_a_constant(void **state)
{
    struct bench b;

    bench_open(&b, *state, 8);
    floats(&b, source(&b, 0), 2)[0] = -2;
    floats(&b, source(&b, 0), 2)[1] = -1;
    rig_rx(&b.rq, b.dst, 8);
    app_meta(&b, D_FIRST, W_LIMIT | 2u << 20, 8 | 0x2000000, 0);
    app_buffer(&b, D_LAST,
               w_types(W_MAX, FP32, FP32) | FP32 << 12 | 1u << 5 | 3,
               source(&b, 0), 8);
    bells(&b, 1, 2);
    CHECK_EQ(rig_word(b.rig, b.dst), 0, "0.0");
    CHECK_EQ(rig_word(b.rig, b.dst + 4), 0, "0.0");
}

static void test_cce_keeps_minus_zero(void **state)
{
    struct bench b;

    for (unsigned n = 1; n <= 2; n++) {
        bench_open(&b, *state, 8);
        *floats(&b, source(&b, 0), 1) = -0.0f;
        *floats(&b, source(&b, 1), 1) = -0.0f;
        post(&b, W_ADD, n, 1);
        CHECK_EQ(rig_word(b.rig, b.dst), 0x80000000, "%u sources", n);
    }
}

/* ---- random packets against a slow oracle -------------------------------- */

struct packet_plan {
    uint32_t op;
    unsigned n;
    uint32_t elements;
    int in[32][2048]; /* small: every way to add is exact */
    int scale[32];
};

static int oracle(const struct packet_plan *p, uint32_t at)
{
    int acc = p->op == W_MAX || p->op == W_MIN ? p->in[0][at] : 0;

    for (unsigned i = 0; i < p->n; i++) {
        int x = p->in[i][at];

        if (p->op == W_ADD) {
            acc += x;
        } else if (p->op == W_FMA) {
            acc += x * p->scale[i];
        } else {
            acc = p->op == W_MAX ? (x > acc ? x : acc) : (x < acc ? x : acc);
        }
    }
    return acc;
}

static void plan_random(struct packet_plan *p, uint32_t *seed)
{
    static const uint32_t ops[] = { W_ADD, W_FMA, W_MAX, W_MIN };

    p->op = ops[rig_random(seed) % 4];
    p->n = rig_random(seed) % 8 ? 1 + rig_random(seed) % 4
                                : 1 + rig_random(seed) % 16;
    p->elements = 1 + (rig_random(seed) % 4 ? rig_random(seed) % 64
                                            : rig_random(seed) % 2048);
    for (unsigned i = 0; i < p->n; i++) {
        p->scale[i] = (int)(rig_random(seed) % 17) - 8;
        for (uint32_t k = 0; k < p->elements; k++) {
            p->in[i][k] = (int)(rig_random(seed) % 257) - 128;
        }
    }
}

/* Sources, then S2M buffers of random sizes that hold all of it. */
static unsigned put_buffers(struct bench *b, uint32_t bytes, uint32_t *seed)
{
    unsigned n = 0;

    for (uint32_t at = 0; at < bytes; n++) {
        uint32_t part = 1 + rig_random(seed) % bytes;

        if (n == 7 || part > bytes - at) {
            part = bytes - at;
        }
        rig_rx(&b->rq, b->dst + at, part);
        at += part;
    }
    return n;
}

static unsigned put_sources(struct bench *b, const struct packet_plan *p)
{
    unsigned descs = 0, all = p->op == W_FMA ? 2 * p->n : p->n;

    for (unsigned i = 0; i < p->n; i++) {
        uint32_t w1 = w_types(p->op, FP32, FP32) | w_block(i, p->n);

        for (uint32_t k = 0; k < p->elements; k++) {
            floats(b, source(b, i), p->elements)[k] = (float)p->in[i][k];
        }
        if (p->op == W_FMA) {
            app_meta(b, d_marks(descs++, all), W_FMA, SELECT_DEFAULT,
                     bits((float)p->scale[i]));
        }
        app_buffer(b, d_marks(descs++, all), w1, source(b, i), p->elements * 4);
    }
    return descs;
}

/* Plain, with a hook that looks on, and one step at a time. */
static void run_random(struct bench *b, unsigned look, uint32_t *seed)
{
    static struct packet_plan p;
    struct rig_watch watch = { .judge = NULL };
    unsigned rx, tx;

    plan_random(&p, seed);
    bench_open(b, b->rig, 64);
    rig_watch(b->rig, &watch);
    if (look == 0) {
        trench_soc_set_access(b->rig->soc, NULL, NULL);
    }
    rx = put_buffers(b, p.elements * 4, seed);
    tx = put_sources(b, &p);
    if (look == 2) {
        for (unsigned i = 0; i < rx; i++) { /* starved again and again */
            rig_bell(&b->rq, TX, i == 0 ? tx : 0);
            rig_bell(&b->rq, RX, 1);
        }
    } else {
        bells(b, rx, tx);
    }
    trench_soc_set_access(b->rig->soc, NULL, NULL);
    for (uint32_t k = 0; k < p.elements; k++) {
        CHECK_EQ((int)floats(b, b->dst, p.elements)[k], oracle(&p, k),
                 "op 0x%x of %u, element %u of %u", p.op, p.n, k, p.elements);
    }
    CHECK_EQ(app_causes(b->rig), 0, "no error");
    CHECK_EQ(rig_stats(b->rig, ENGINE).bytes, p.elements * 4, "written");
    CHECK_EQ(rig_read(b->rig, ENGINE, M2S_BYTES_LO), p.n * p.elements * 4,
             "read");
    CHECK_EQ(rig_stats(b->rig, ENGINE).tx_descs, tx, "completed");
    CHECK_EQ(rig_stats(b->rig, ENGINE).rx_descs, rx, "completed");
}

static void test_cce_agrees_with_the_oracle(void **state)
{
    uint32_t seed = rig_seed("cce", 0x5eedcce1);
    struct bench b = { .rig = *state };

    for (unsigned i = 0; i < 600; i++) {
        run_random(&b, i % 3, &seed);
    }
}

/* ---- where the bytes are --------------------------------------------------
 */

/* In place, and shifted over a source by so many bytes. */
static void test_cce_destination_may_overlap(void **state)
{
    static const int shifts[] = { 0, 4, -4, 1, -1, 256, -256, 1024 };
    struct bench b;

    for (size_t s = 0; s < ARRAY_LEN(shifts); s++) {
        for (unsigned of = 0; of < 2; of++) {
            float *x, *y;
            float want[256];

            bench_open(&b, *state, 8);
            x = floats(&b, source(&b, 1), 256);
            y = floats(&b, source(&b, 2), 256);
            for (unsigned i = 0; i < 256; i++) {
                x[i] = (float)i;
                y[i] = (float)(1000 * i);
                want[i] = (float)(1001 * i);
            }
            rig_rx(&b.rq, source(&b, 1 + of) + (uint64_t)(int64_t)shifts[s],
                   1024);
            for (unsigned i = 0; i < 2; i++) {
                app_buffer(&b, d_marks(i, 2),
                           w_types(W_ADD, FP32, FP32) | w_block(i, 2),
                           source(&b, i + 1), 1024);
            }
            bells(&b, 1, 2);
            CHECK_MEM(rig_mem(b.rig,
                              source(&b, 1 + of) + (uint64_t)(int64_t)shifts[s],
                              1024),
                      want, 1024, "shift %d over source %u", shifts[s], of);
        }
    }
}

/* Elements that grow in place must not eat the ones behind them. */
static void test_cce_grows_in_place(void **state)
{
    struct bench b;
    uint16_t *in;

    bench_open(&b, *state, 8);
    in = rig_mem(b.rig, b.src, 256);
    for (unsigned i = 0; i < 64; i++) {
        in[i] = (uint16_t)(bits((float)i) >> 16); /* exact in bf16 */
    }
    rig_rx(&b.rq, b.src, 256);
    app_buffer(&b, D_ONE, w_types(W_ADD, BF16, FP32) | 3, b.src, 128);
    bells(&b, 1, 1);
    for (unsigned i = 0; i < 64; i++) {
        CHECK_EQ(rig_word(b.rig, b.src + 4 * i), bits((float)i), "%u", i);
    }
}

/* Sources of several types in one packet, and another destination. */
static void test_cce_mixes_types(void **state)
{
    struct bench b;
    uint16_t half = 0x3FC0; /* 1.5 */

    bench_open(&b, *state, 8);
    memcpy(rig_mem(b.rig, source(&b, 0), 2), &half, 2);
    *floats(&b, source(&b, 1), 1) = 2.25f;
    *(uint8_t *)rig_mem(b.rig, source(&b, 2), 1) = 3; /* uint8 */
    rig_rx(&b.rq, b.dst, 4);
    app_buffer(&b, D_FIRST, w_types(W_ADD, BF16, FP32) | 2, source(&b, 0), 2);
    app_buffer(&b, 0, w_types(W_ADD, FP32, FP32), source(&b, 1), 4);
    app_buffer(&b, D_LAST, w_types(W_ADD, 3, FP32) | 1, source(&b, 2), 1);
    bells(&b, 1, 3);
    CHECK_EQ(rig_word(b.rig, b.dst), bits(6.75f), "1.5 + 2.25 + 3");
}

/* H235: the other reading of the two nibbles of ADD. */
static void test_cce_nibbles_can_be_read_otherwise(void **state)
{
    const struct trench_soc_conf conf = {
        .cce_nibbles = TRENCH_CCE_NIBBLES_OUT_ACCUM,
    };
    struct rig rig = { NULL, NULL, NULL, 0 };
    struct trench_soc_conf wrong = conf;
    struct bench b;

    (void)state;
    rig_open(&rig, &conf);
    bench_open(&b, &rig, 8);
    *floats(&b, source(&b, 0), 1) = 1.5f;
    rig_rx(&b.rq, b.dst, 2);
    app_buffer(&b, D_ONE, W_ADD | BF16 << 12 | FP32 << 16 | 3, source(&b, 0),
               4);
    bells(&b, 1, 1);
    CHECK_EQ(rig_word(b.rig, b.dst), 0x3FC0, "1.5 as bf16");
    rig_close(&rig);
    wrong.cce_nibbles = (enum trench_cce_nibbles)2;
    CHECK_EQ(trench_soc_create(&wrong, &rig.soc), TRENCH_ERR_INVAL, "none");
}

/* ---- META -----------------------------------------------------------------
 */

/* Every choice of operands; acc starts as minus zero. */
static void test_cce_selects_operands(void **state)
{
    const float in = 3, scale = 0.5f;
    struct bench b;

    for (unsigned s = 0; s < 64; s++) {
        unsigned a = s & 3, bb = s >> 2 & 3, c = s >> 4;
        const float from[4] = { -0.0f, in, scale, 0 };

        bench_open(&b, *state, 8);
        *floats(&b, source(&b, 0), 1) = in;
        rig_rx(&b.rq, b.dst, 4);
        app_meta(&b, D_FIRST, W_FMA | 3, 1 | SELECT(a, bb, c), bits(scale));
        app_buffer(&b, D_LAST, w_types(W_FMA, FP32, FP32) | 3, source(&b, 0),
                   4);
        bells(&b, 1, 2);
        if (a == 3 || bb == 3 || c == 3) {
            check_app_refused(&b, TRENCH_TRIGGER_CCE_COMMAND_PARSE, "none");
        } else if (a == 0 && bb == 0) {
            check_app_refused(&b, TRENCH_TRIGGER_CCE_A_AND_B_SELF_BUFFER,
                              "both");
        } else {
            CHECK_EQ(*floats(&b, b.dst, 1) == from[a] * from[bb] + from[c],
                     true, "%u * %u + %u", a, bb, c);
        }
    }
}

/* With a seed the result is one of the two neighbours, the same each time. */
static void test_cce_rounds_by_a_seed(void **state)
{
    struct bench b;
    unsigned up = 0;
    uint16_t first[256];

    for (unsigned run = 0; run < 2; run++) {
        bench_open(&b, *state, 8);
        for (unsigned i = 0; i < 256; i++) {
            floats(&b, b.src, 256)[i] = 1 + 1 / 256.0f; /* half a step */
        }
        rig_rx(&b.rq, b.dst, 512);
        app_meta(&b, D_FIRST, W_SEED, 0, 12345);
        app_buffer(&b, D_LAST, w_types(W_ADD, FP32, BF16) | 3, b.src, 1024);
        bells(&b, 1, 2);
        for (unsigned i = 0; i < 256; i++) {
            uint16_t got;

            memcpy(&got, rig_mem(b.rig, b.dst + 2 * i, 2), 2);
            CHECK_EQ(got == 0x3F80 || got == 0x3F81, true, "0x%x", got);
            up += got == 0x3F81;
            if (run == 1) {
                CHECK_EQ(got, first[i], "the same again, %u", i);
            }
            first[i] = got;
        }
    }
    CHECK_EQ(up > 0 && up < 512, true, "%u of 512 up", up);
}

/* EXT: scales, then a limit, then copies of the result. */
static void test_cce_fuses_parameters(void **state)
{
    struct bench b;

    bench_open(&b, *state, 16);
    for (unsigned i = 0; i < 2; i++) {
        floats(&b, source(&b, i), 2)[0] = 10;
        floats(&b, source(&b, i), 2)[1] = -1;
    }
    rig_rx(&b.rq, b.dst, 24);
    app_meta(&b, D_FIRST, 0x04A00003, 0, 0);          /* 3 copies */
    app_meta(&b, 0, W_LIMIT | 3u << 20, 0, bits(20)); /* at most 20 */
    app_meta(&b, 0, W_SEED, 0, 1);
    app_buffer(&b, 0, w_types(W_EXT, FP32, FP32) | 2, source(&b, 0), 8);
    app_meta(&b, 0, W_FMA, 8 | SELECT_DEFAULT, bits(4)); /* of the second */
    app_buffer(&b, D_LAST, w_types(W_EXT, FP32, FP32) | 1, source(&b, 1), 8);
    bells(&b, 1, 6);
    CHECK_EQ(app_causes(b.rig), 0, "taken");
    for (unsigned i = 0; i < 3; i++) {
        CHECK_EQ(rig_word(b.rig, b.dst + 8 * i), bits(20), "copy %u", i);
        CHECK_EQ(rig_word(b.rig, b.dst + 8 * i + 4), bits(-5), "copy %u", i);
    }
    /* Without parameters it is a sum. */
    bench_open(&b, *state, 8);
    *floats(&b, source(&b, 0), 1) = 1;
    *floats(&b, source(&b, 1), 1) = 2;
    post(&b, W_EXT, 2, 1);
    CHECK_EQ(rig_word(b.rig, b.dst), bits(3), "1 + 2");
}

/* ---- registers (3.4.1, address-map 1.4) -----------------------------------
 */

#define CCE_BLOCK (UINT64_C(0x20008010000000) + ENGINE * 0x80000u + 0x13000u)

static void cce_write(struct rig *r, uint32_t off, uint32_t val)
{
    CHECK_EQ(trench_bus_write32(r->bus, CCE_BLOCK + off, val), 0, "0x%x", off);
}

static void test_cce_registers_act(void **state)
{
    struct bench b;
    uint32_t val = 0;

    bench_open(&b, *state, 8);
    CHECK_EQ(trench_bus_read32(b.rig->bus, CCE_BLOCK + 0x10, &val), 0, "read");
    CHECK_EQ(val, 0x80000000, "fp32_zero");
    CHECK_EQ(trench_bus_read32(b.rig->bus, CCE_BLOCK + 0x14, &val), 0, "read");
    CHECK_EQ(val, 0x3F800000, "fp32_one");
    cce_write(b.rig, 0x10, bits(100));
    *floats(&b, source(&b, 0), 1) = -5;
    *floats(&b, source(&b, 1), 1) = -6;
    post(&b, W_ADD, 2, 1);
    CHECK_EQ(rig_word(b.rig, b.dst), bits(89), "from 100 on");
    cce_write(b.rig, 0x00, 1);
    post(&b, W_ADD, 2, 1);
    CHECK_EQ(rig_word(b.rig, b.dst), bits(111), "without signs");
    cce_write(b.rig, 0x14, bits(2));
    app_meta(&b, D_FIRST, W_FMA, SELECT_DEFAULT, bits(10));
    app_buffer(&b, 0, w_types(W_EXT, FP32, FP32) | 2, source(&b, 0), 4);
    app_buffer(&b, D_LAST, w_types(W_EXT, FP32, FP32) | 1, source(&b, 1), 4);
    rig_rx(&b.rq, b.dst, 4);
    bells(&b, 1, 3);
    CHECK_EQ(rig_word(b.rig, b.dst), bits(162), "100 + 10 * 5 + 2 * 6");
    rig_reset(b.rig);
    CHECK_EQ(trench_bus_read32(b.rig->bus, CCE_BLOCK + 0x10, &val), 0, "read");
    CHECK_EQ(val, 0x80000000, "reset");
}

/* Packets of two queues are accepted before the buffers of either are there. */
static void test_cce_packets_wait_apart(void **state)
{
    struct bench b;
    struct rig_queue other;
    uint64_t dst;

    bench_open(&b, *state, 8);
    dst = rig_alloc(b.rig, 4096);
    rig_queue_open(&other, b.rig, ENGINE, QUEUE + 1, 8);
    for (unsigned i = 0; i < 3; i++) {
        *floats(&b, source(&b, i), 1) = (float)(i + 1);
    }
    for (unsigned i = 0; i < 3; i++) {
        app_buffer(&b, d_marks(i, 3),
                   w_types(W_ADD, FP32, FP32) | w_block(i, 3), source(&b, i),
                   4);
    }
    rig_bell(&b.rq, TX, 3);
    for (unsigned i = 0; i < 2; i++) {
        rig_desc(&other, TX,
                 (uint32_t[]){ d_marks(i, 2) | 4,
                               w_types(W_MAX, FP32, FP32) | w_block(i, 2) },
                 source(&b, i));
    }
    rig_bell(&other, TX, 2);
    rig_rx(&b.rq, b.dst, 4);
    rig_bell(&b.rq, RX, 1);
    CHECK_EQ(rig_word(b.rig, b.dst), bits(6), "1 + 2 + 3");
    rig_rx(&other, dst, 4);
    rig_bell(&other, RX, 1);
    CHECK_EQ(rig_word(b.rig, dst), bits(2), "the larger of 1 and 2");
}

/* A register counts when the packet runs, not when it was accepted. */
static void test_cce_registers_act_late(void **state)
{
    struct bench b;

    bench_open(&b, *state, 8);
    *floats(&b, source(&b, 0), 1) = 5;
    *floats(&b, source(&b, 1), 1) = 6;
    app_meta(&b, D_FIRST, W_FMA, SELECT_DEFAULT, bits(10));
    app_buffer(&b, 0, w_types(W_EXT, FP32, FP32) | 2, source(&b, 0), 4);
    app_buffer(&b, D_LAST, w_types(W_EXT, FP32, FP32) | 1, source(&b, 1), 4);
    rig_bell(&b.rq, TX, 3);
    cce_write(b.rig, 0x14, bits(2));
    rig_rx(&b.rq, b.dst, 4);
    rig_bell(&b.rq, RX, 1);
    CHECK_EQ(rig_word(b.rig, b.dst), bits(62), "10 * 5 + 2 * 6");
    rig_reset(b.rig);
}

/* ---- refusals --------------------------------------------------------------
 */

/* A packet in words: flags and length or META, word 1, word 2, word 3. */
#define ADD2  (W_ADD | FP32 << 12 | FP32 << 16)
#define FMA2  (W_FMA | FP32 << 8 | FP32 << 12 | FP32 << 16)
#define MAX2  (W_MAX | FP32 << 8 | FP32 << 16)
#define CONST (FP32 << 12 | 1u << 5)
#define EXT2  (W_EXT | FP32 << 12 | FP32 << 16)

static const struct bad {
    const char *what;
    unsigned trigger;
    uint32_t desc[4][3]; /* word 0, word 1, word 2 of META */
} bads[] = {
#define PARSE     TRENCH_TRIGGER_CCE_COMMAND_PARSE
#define UNDERFLOW TRENCH_TRIGGER_CCE_META_UNDERFLOW
#define OVERFLOW  TRENCH_TRIGGER_CCE_META_OVERFLOW
#define MISSING   TRENCH_TRIGGER_MISSING_ENGINE
    { "no source type", PARSE, { { 8, W_ADD | FP32 << 16 | 3 } } },
    { "no destination type", PARSE, { { 8, W_ADD | FP32 << 12 | 3 } } },
    { "not whole elements", PARSE, { { 7, ADD2 | 3 } } },
    { "half an element", PARSE, { { 2, ADD2 | 3 } } },
    { "sources of other lengths",
      PARSE,
      { { 8, ADD2 | 2 }, { 12, ADD2 | 1 } } },
    { "other destinations",
      PARSE,
      { { 8, ADD2 | 2 }, { 8, W_ADD | FP32 << 12 | 9u << 16 | 1 } } },
    { "only a first block", PARSE, { { 8, ADD2 | 2 } } },
    { "only a last block", PARSE, { { 8, ADD2 | 1 } } },
    { "two first blocks", PARSE, { { 8, ADD2 | 2 }, { 8, ADD2 | 3 } } },
    { "a single in the middle",
      PARSE,
      { { 8, ADD2 | 2 }, { 8, ADD2 | 3 }, { 8, ADD2 | 1 } } },
    { "too many elements", PARSE, { { 0x2004, ADD2 | 3 } } },
    { "gradients", PARSE, { { 8, W_GCE | FP32 << 8 | FP32 << 16 | 3 } } },
    { "op 6", PARSE, { { 8, ADD2 | 6u << 20 | 3 } } },
    { "op 7", PARSE, { { 8, ADD2 | 7u << 20 | 3 } } },
    { "two operations", MISSING, { { 8, ADD2 | 2 }, { 8, MAX2 | 1 } } },
    { "two engines", MISSING, { { 8, ADD2 | 2 }, { 8, META_COPY } } },
    { "an engine that is none", MISSING, { { 8, 0x03080003 } } },
    { "all engines", MISSING, { { 8, 0x03880003 } } },
    { "only META", MISSING, { { D_META, W_SEED } } },
    { "FMA without META", UNDERFLOW, { { 8, FMA2 | 3 } } },
    { "a second source without META",
      UNDERFLOW,
      { { D_META, W_FMA, SELECT_DEFAULT }, { 8, FMA2 | 2 }, { 8, FMA2 | 1 } } },
    { "two META before a source",
      OVERFLOW,
      { { D_META, W_FMA, SELECT_DEFAULT },
        { D_META, W_FMA, SELECT_DEFAULT },
        { 8, FMA2 | 3 } } },
    { "META behind the last source",
      OVERFLOW,
      { { D_META, W_FMA, SELECT_DEFAULT },
        { 8, FMA2 | 3 },
        { D_META, W_FMA, SELECT_DEFAULT } } },
    { "a scale that is not fp32",
      PARSE,
      { { D_META, W_FMA, SELECT_DEFAULT },
        { 8, W_FMA | FP32 << 8 | BF16 << 12 | FP32 << 16 | 3 } } },
    { "META of another length",
      PARSE,
      { { D_META, W_FMA, SELECT_DEFAULT | 3 }, { 8, FMA2 | 3 } } },
    { "a scale for a sum", PARSE, { { D_META, W_FMA }, { 8, ADD2 | 3 } } },
    { "a limit without META", UNDERFLOW, { { 8, MAX2 | CONST | 3 } } },
    { "a limit of the other kind",
      PARSE,
      { { D_META, W_LIMIT | 3u << 20 }, { 8, MAX2 | CONST | 3 } } },
    { "a limit of another length",
      PARSE,
      { { D_META, W_LIMIT | 2u << 20, 99 }, { 8, MAX2 | CONST | 3 } } },
    { "a limit of 8 bytes",
      PARSE,
      { { D_META, W_LIMIT | 2u << 20 },
        { 8, MAX2 | 1u << 12 | 1u << 5 | 3 } } },
    { "two seeds",
      OVERFLOW,
      { { D_META, W_SEED }, { D_META, W_SEED }, { 8, ADD2 | 3 } } },
    { "a late seed",
      PARSE,
      { { 8, ADD2 | 2 }, { D_META, W_SEED }, { 8, ADD2 | 1 } } },
    { "META of gradients", PARSE, { { D_META, 0x06500001 }, { 8, ADD2 | 3 } } },
    { "META of nobody", PARSE, { { D_META, 0x01000000 }, { 8, ADD2 | 3 } } },
    { "empty META for a sum", PARSE, { { D_META, 0 }, { 8, ADD2 | 3 } } },
    { "copies of a sum", PARSE, { { D_META, 0x04A00002 }, { 8, ADD2 | 3 } } },
    { "no copies", PARSE, { { D_META, 0x04A00000 }, { 8, EXT2 | 3 } } },
    { "too many copies", PARSE, { { D_META, 0x04A0FFFF }, { 8, EXT2 | 3 } } },
};

static void post_bad(struct bench *b, struct rig *r, const struct bad *bad)
{
    unsigned n = 0;

    while (n < 4 && bad->desc[n][0]) {
        n++;
    }
    bench_open(b, r, 8);
    rig_rx(&b->rq, b->dst, 0);
    for (unsigned i = 0; i < n; i++) {
        const uint32_t *d = bad->desc[i];

        rig_desc(&b->rq, TX, (uint32_t[]){ d_marks(i, n) | d[0], d[1] },
                 d[0] & D_META ? d[2] : b->src);
    }
    bells(b, 1, n);
}

static void test_cce_refuses(void **state)
{
    struct bench b;

    for (size_t i = 0; i < ARRAY_LEN(bads); i++) {
        post_bad(&b, *state, &bads[i]);
        check_app_refused(&b, bads[i].trigger, bads[i].what);
        /* The buffer serves the next packet. */
        rig_tx(&b.rq, D_ONE, b.src, 64);
        rig_bell(&b.rq, TX, 1);
        CHECK_COPY(b.rig, b.dst, b.src, 64, "after %s", bads[i].what);
    }
}

/* MIN and MAX have an empty META when there is no constant (3.4.3). */
static void test_cce_takes_an_empty_meta(void **state)
{
    struct bench b;

    bench_open(&b, *state, 8);
    *floats(&b, b.src, 1) = 7;
    rig_rx(&b.rq, b.dst, 4);
    app_meta(&b, D_FIRST, 0, 4 | 0x2000000, 0);
    app_buffer(&b, D_LAST, MAX2 | 3, b.src, 4);
    bells(&b, 1, 2);
    CHECK_EQ(rig_word(b.rig, b.dst), bits(7), "7");
}

/* 3.4.4: 32 sources; 1024 elements on sunda, 2048 on the others. */
static void test_cce_has_limits(void **state)
{
    struct bench b;

    for (unsigned n = 32; n <= 33; n++) {
        bench_open(&b, *state, 64);
        for (unsigned i = 0; i < n; i++) {
            *floats(&b, source(&b, i % 16), 1) = 1;
        }
        rig_rx(&b.rq, b.dst, 4);
        for (unsigned i = 0; i < n; i++) {
            app_buffer(&b, d_marks(i, n), ADD2 | w_block(i, n),
                       source(&b, i % 16), 4);
        }
        bells(&b, 1, n);
        if (n == 32) {
            CHECK_EQ(rig_word(b.rig, b.dst), bits(32), "32 sources");
        } else {
            check_app_refused(&b, PARSE, "33 sources");
        }
    }
}

static void test_cce_elements_by_generation(void **state)
{
    static const struct {
        const char *gen;
        uint32_t elements;
        bool copies;
    } gens[] = { { "sunda", 1024, false },
                 { "cayman", 2048, true },
                 { "mariana", 2048, true },
                 { "mariana_plus", 2048, true } };

    (void)state;
    for (size_t g = 0; g < ARRAY_LEN(gens); g++) {
        const struct trench_soc_conf conf = {
            .gen = trench_gen_find(gens[g].gen),
        };
        struct rig rig = { NULL, NULL, NULL, 0 };
        struct bench b;

        rig_open(&rig, &conf);
        for (uint32_t more = 0; more < 2; more++) {
            uint32_t n = gens[g].elements + more;

            bench_open(&b, &rig, 8);
            app_one(&b, W_ADD | 3u << 12 | 3u << 16 | 3, n, n);
            if (more) {
                check_app_refused(&b, PARSE, gens[g].gen);
            } else {
                CHECK_COPY(b.rig, b.dst, b.src, n, "%s", gens[g].gen);
            }
        }
        bench_open(&b, &rig, 8);
        rig_rx(&b.rq, b.dst, 16);
        app_meta(&b, D_FIRST, 0x04A00002, 0, 0);
        app_buffer(&b, D_LAST, EXT2 | 3, b.src, 8);
        bells(&b, 1, 2);
        CHECK_EQ(app_causes(&rig), gens[g].copies ? 0 : STREAM_RESPONSE,
                 "%s copies", gens[g].gen);
        rig_close(&rig);
    }
}

/* H237, H226: what the data does is told, and harms nobody. */
#define INFINITE  0x7F800000u
#define NOT_A_NUM 0x7FC00000u
#define LARGEST   0x7F7FFFFFu

#define INF    (1u << TRENCH_TRIGGER_CCE_OUTPUT_INF)
#define NOT    (1u << TRENCH_TRIGGER_CCE_OUTPUT_NAN)
#define OVER   (1u << TRENCH_TRIGGER_CCE_OUTPUT_OVERFLOW)
#define UNDER  (1u << TRENCH_TRIGGER_CCE_OUTPUT_UNDERFLOW)
#define CONV   (1u << TRENCH_TRIGGER_CCE_OUTPUT_CONVERTER)
#define RANDOM (1u << TRENCH_TRIGGER_CCE_STOCHASTIC_NON_FP)
#define FUSED  (1u << TRENCH_TRIGGER_CCE_FMA)

/* Sources, or of FMA a source and its scale, as fp32. */
static const struct tale {
    const char *what;
    unsigned nr; /* sources */
    uint32_t op, out, in[2];
    uint32_t want, told;
} tales[] = {
    { "too large", 2, W_ADD, FP32, { LARGEST, LARGEST }, INFINITE, INF },
    { "no sum", 2, W_ADD, FP32, { INFINITE, 0xFF800000 }, NOT_A_NUM, NOT },
    { "inf * 0", 1, W_FMA, FP32, { INFINITE, 0 }, NOT_A_NUM, NOT | FUSED },
    { "65,536 to fp16", 1, W_ADD, 7, { 0x47800000 }, 0x7C00, OVER | INF },
    { "2^-27 to fp16", 1, W_ADD, 7, { 0x32000000 }, 0, UNDER },
    { "512 to E4M3", 1, W_ADD, 14, { 0x44000000 }, 0x7F, OVER | NOT },
    { "inf to E4M3", 1, W_ADD, 14, { INFINITE }, 0x7F, CONV | NOT },
    { "NaN to int32", 1, W_ADD, 8, { NOT_A_NUM }, 0, CONV },
    { "256 to uint8", 1, W_ADD, 3, { 0x43800000 }, 0, OVER },
    { "seed, uint8", 1, W_SEED, 3, { 0x40400000 }, 3, RANDOM },
    { "1 + 1", 2, W_ADD, FP32, { 0x3F800000, 0x3F800000 }, 0x40000000, 0 },
};

/* W_SEED is an ADD with a seed. */
static void tell(struct bench *b, const struct tale *t)
{
    const uint32_t op = t->op == W_SEED ? W_ADD : t->op;
    const unsigned n = t->op == W_ADD ? t->nr : 1 + t->nr;
    unsigned at = 0;

    rig_rx(&b->rq, b->dst, trench_dtype_bytes((enum trench_dtype)t->out));
    if (t->op == W_SEED) {
        app_meta(b, d_marks(at++, n), W_SEED, 0, 1);
    } else if (t->op == W_FMA) {
        app_meta(b, d_marks(at++, n), W_FMA, SELECT_DEFAULT, t->in[1]);
    }
    for (unsigned k = 0; k < t->nr; k++) {
        memcpy(rig_mem(b->rig, source(b, k), 4), &t->in[k], 4);
        app_buffer(b, d_marks(at++, n),
                   w_types(op, FP32, t->out) | w_block(k, t->nr), source(b, k),
                   4);
    }
    bells(b, 1, n);
}

static void test_cce_tells_of_its_data(void **state)
{
    struct bench b;

    for (size_t i = 0; i < ARRAY_LEN(tales); i++) {
        const struct tale *t = &tales[i];
        struct trench_app_stats stats;
        uint32_t got = 0;

        bench_open(&b, *state, 8);
        tell(&b, t);
        stats = app_stats(b.rig);
        memcpy(&got, rig_mem(b.rig, b.dst, 4),
               trench_dtype_bytes((enum trench_dtype)t->out));
        CHECK_EQ(got, t->want, "%s", t->what);
        for (unsigned k = 0; k < TRENCH_NR_APP_TRIGGERS; k++) {
            CHECK_EQ(stats.triggers[k], t->told >> k & 1, "%s: %s", t->what,
                     trench_app_trigger_name(k));
        }
        CHECK_EQ(app_causes(b.rig), 0, "%s: no error", t->what);
        CHECK_EQ(rig_stats(b.rig, ENGINE).packets, 1, "%s", t->what);
    }
}

static void post_words(struct bench *b, uint32_t w1)
{
    rig_rx(&b->rq, b->dst, 4);
    for (unsigned i = 0; i < 2; i++) {
        app_buffer(b, d_marks(i, 2), w1 | w_block(i, 2), source(b, i), 4);
    }
    bells(b, 1, 2);
}

/* H245: bits whose meaning is uncertain, or not for the engine (3.4.3). */
static void test_cce_leaves_bits_alone(void **state)
{
    static const uint32_t free_bits[] = {
        1u << 2,  1u << 4,  1u << 6,  1u << 7,
        1u << 26, 1u << 28, 1u << 29, 1u << 30
    };
    struct bench b;

    for (size_t i = 0; i < ARRAY_LEN(free_bits); i++) {
        const uint32_t bit = free_bits[i];

        bench_open(&b, *state, 8);
        *floats(&b, source(&b, 0), 1) = 3;
        *floats(&b, source(&b, 1), 1) = 5;
        post_words(&b, ADD2 | bit);
        CHECK_EQ(rig_word(b.rig, b.dst), bits(8), "ADD 0x%x", bit);
        post_words(&b, MAX2 | bit);
        CHECK_EQ(rig_word(b.rig, b.dst), bits(5), "MAX 0x%x", bit);
        rig_rx(&b.rq, b.dst, 4);
        app_meta(&b, D_FIRST, W_FMA | bit, 4 | SELECT_DEFAULT, bits(0.5f));
        app_buffer(&b, D_LAST, FMA2 | bit | 3, source(&b, 1), 4);
        bells(&b, 1, 2);
        CHECK_EQ(rig_word(b.rig, b.dst), bits(2.5f), "FMA 0x%x", bit);
        CHECK_EQ(app_causes(b.rig), 0, "0x%x", bit);
    }
}

/* H246: a packet is limited by elements, not bytes: 2048 of 8 are 16 KiB. */
static void test_cce_takes_wide_elements(void **state)
{
    const struct trench_soc_conf conf = { .gen = trench_gen_find("mariana") };
    struct rig rig = { NULL, NULL, NULL, 0 };
    struct bench b;

    (void)state;
    rig_open(&rig, &conf);
    bench_open(&b, &rig, 8);
    app_one(&b, W_ADD | 1u << 12 | 1u << 16 | 3, 2048 * 8, 2048 * 8);
    CHECK_EQ(app_causes(&rig), 0, "taken");
    CHECK_COPY(&rig, b.dst, b.src, 2048 * 8, "bits stay");
    rig_close(&rig);
}

/* ---- hostile descriptors ----------------------------------------------------
 */

/* Random words near what is valid; the next copy must work. */
static void test_cce_survives_random_descriptors(void **state)
{
    uint32_t seed = rig_seed("hostile", 0x5eedcce2);
    struct bench b;

    for (unsigned i = 0; i < 3000; i++) {
        unsigned n = 1 + rig_random(&seed) % 6;

        bench_open(&b, *state, 64);
        for (unsigned k = 0; k < n; k++) {
            uint32_t r = rig_random(&seed);
            uint32_t w1 = (r & 7) << 23 | (r >> 3 & 7) << 20 |
                          (rig_random(&seed) & 0xFFFFF);
            uint64_t addr =
                rig_random(&seed) % 8
                    ? b.src + rig_random(&seed) % 0x10000
                    : (uint64_t)rig_random(&seed) << 32 | rig_random(&seed);

            w1 = r >> 6 & 3 ? (w1 & ~0x3800003u) | 0x2000000u | w_block(k, n)
                            : w1;
            rig_desc(&b.rq, TX,
                     (uint32_t[]){ d_marks(k, n) | (r >> 8 & 3 ? 0 : D_META) |
                                       (rig_random(&seed) & 0xFC),
                                   w1 },
                     addr);
        }
        for (unsigned k = 0; k < 8; k++) {
            rig_rx(&b.rq, b.dst, 65536);
        }
        bells(&b, 8, n);
        CHECK_PTR(&b.rq, TX, Q_CUR, n, 1, "round %u is over", i);
    }
}

/* ---- sources that go while they are read ----------------------------------
 */

#define THIEF    (UNMAPPED + 0x100000)
#define TREASURE UNMAPPED

/* A register file; who reads it finds that the memory beside it is gone. */
static int thief_read32(void *opaque, uint64_t offset, uint32_t *val)
{
    if (offset == 0) {
        (void)trench_bus_remove(opaque, TREASURE);
    }
    *val = 0x40000000; /* 2.0 */
    return 0;
}

static int thief_write32(void *opaque, uint64_t offset, uint32_t val)
{
    return thief_read32(opaque, offset, &val);
}

static const struct trench_bus_dev_ops thief_ops = { thief_read32,
                                                     thief_write32 };

static void put_treasure(struct bench *b)
{
    float one = 1;

    CHECK_EQ(trench_bus_add_memory(
                 b->rig->bus, &(struct trench_bus_mem){ .base = TREASURE,
                                                        .size_bytes = 4096 }),
             0, "memory");
    for (unsigned i = 0; i < 16; i++) {
        CHECK_EQ(trench_bus_write(b->rig->bus, 0, TREASURE + i * 4, &one, 4), 0,
                 "memory");
    }
}

/* What a source held when it was its turn is what counts. */
static void test_cce_keeps_what_it_has_read(void **state)
{
    struct bench b;

    bench_open(&b, *state, 8);
    CHECK_EQ(
        trench_bus_add_window(
            b.rig->bus, &(struct trench_bus_window){ .base = THIEF,
                                                     .size_bytes = 64,
                                                     .ops = &thief_ops,
                                                     .opaque = b.rig->bus }),
        0, "window");
    for (unsigned thief = 0; thief < 2; thief++) {
        put_treasure(&b);
        rig_rx(&b.rq, b.dst, 64);
        for (unsigned i = 0; i < 2; i++) {
            app_buffer(&b, d_marks(i, 2),
                       w_types(W_ADD, FP32, FP32) | w_block(i, 2),
                       i == thief ? THIEF : TREASURE, 64);
        }
        bells(&b, 1, 2);
        if (thief == 1) {
            for (unsigned i = 0; i < 16; i++) {
                CHECK_EQ(rig_word(b.rig, b.dst + 4 * i), bits(3), "1 + 2");
            }
        }
        CHECK_EQ(rig_stats(b.rig, ENGINE).errors, thief == 0, "the second");
        CHECK_EQ(trench_bus_remove(b.rig->bus, TREASURE), TRENCH_ERR_NOENT,
                 "gone");
        bench_open(&b, *state, 8);
    }
    CHECK_EQ(trench_bus_remove(b.rig->bus, THIEF), 0, "window");
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cce_adds_bf16),
        cmocka_unit_test(test_cce_scales),
        cmocka_unit_test(test_cce_limits_by_a_constant),
        cmocka_unit_test(test_cce_keeps_minus_zero),
        cmocka_unit_test(test_cce_agrees_with_the_oracle),
        cmocka_unit_test(test_cce_destination_may_overlap),
        cmocka_unit_test(test_cce_grows_in_place),
        cmocka_unit_test(test_cce_mixes_types),
        cmocka_unit_test(test_cce_nibbles_can_be_read_otherwise),
        cmocka_unit_test(test_cce_selects_operands),
        cmocka_unit_test(test_cce_rounds_by_a_seed),
        cmocka_unit_test(test_cce_fuses_parameters),
        cmocka_unit_test(test_cce_registers_act),
        cmocka_unit_test(test_cce_packets_wait_apart),
        cmocka_unit_test(test_cce_registers_act_late),
        cmocka_unit_test(test_cce_refuses),
        cmocka_unit_test(test_cce_takes_an_empty_meta),
        cmocka_unit_test(test_cce_has_limits),
        cmocka_unit_test(test_cce_elements_by_generation),
        cmocka_unit_test(test_cce_tells_of_its_data),
        cmocka_unit_test(test_cce_keeps_what_it_has_read),
        cmocka_unit_test(test_cce_leaves_bits_alone),
        cmocka_unit_test(test_cce_takes_wide_elements),
        cmocka_unit_test(test_cce_survives_random_descriptors),
    };

    return cmocka_run_group_tests(tests, rig_setup, rig_teardown);
}
