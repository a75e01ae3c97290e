/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * AXI.endian_cfg: each stream, both group sizes, buffers that cut groups
 * (seed 002 3.3; common-blocks 1.1.6 endian swap; hardware.md H118).
 */
#include "rig.h"

enum {
    M2S_DESC = 1,
    M2S_DATA = 2,
    S2M_DESC = 4,
    S2M_DATA = 8,
    GROUP_8 = 16,
};

/* Byte i of an item lies at the mirrored place of its group. */
static void swap_bytes(uint8_t *p, uint64_t len, uint64_t group)
{
    for (uint64_t at = 0; at + group <= len; at += group) {
        for (uint64_t i = 0; i < group / 2; i++) {
            uint8_t byte = p[at + i];

            p[at + i] = p[at + group - 1 - i];
            p[at + group - 1 - i] = byte;
        }
    }
}

static uint64_t group_of(uint32_t cfg)
{
    return cfg & GROUP_8 ? 8 : 4;
}

/* ---- one bit at a time --------------------------------------------------- */

/* A packet of 48 bytes with this endian_cfg, and memory prepared for it. */
static void check_streams(struct rig *r, uint32_t cfg)
{
    uint64_t group = group_of(cfg);
    uint64_t ring[2];
    uint8_t want[48];
    uint32_t comp[4];
    struct bench b;

    bench_open(&b, r, 32);
    ring[TX] = bench_completions(&b, TX);
    ring[RX] = bench_completions(&b, RX);
    rig_write(r, ENGINE, ENDIAN_CFG, cfg);
    CHECK_EQ(rig_read(r, ENGINE, ENDIAN_CFG), cfg, "read back");
    rig_rx(&b.rq, b.dst, 48);
    rig_tx(&b.rq, D_ONE, b.src, 48);
    for (enum side side = TX; side <= RX; side++) {
        if (cfg & (side == TX ? M2S_DESC : S2M_DESC)) {
            swap_bytes(rig_mem(r, b.rq.ring[side].base, 16), 16, group);
        }
    }
    rig_bell(&b.rq, RX, 1);
    rig_bell(&b.rq, TX, 1);

    memcpy(want, rig_mem(r, b.src, 48), 48);
    for (unsigned i = 0; i < 2; i++) {
        if (cfg & (i ? S2M_DATA : M2S_DATA)) {
            swap_bytes(want, 48, group);
        }
    }
    CHECK_MEM(rig_mem(r, b.dst, 48), want, 48, "cfg=0x%x", cfg);

    /* The M2S completion is one word, shorter than a group of 8. */
    memcpy(comp, rig_mem(r, ring[TX], 4), 4);
    if (cfg & M2S_DESC) {
        swap_bytes((uint8_t *)comp, 4, 4);
    }
    CHECK_EQ(comp[0], D_ONE | D_LAP(1), "TX cfg=0x%x", cfg);
    memcpy(comp, rig_mem(r, ring[RX], 16), 16);
    if (cfg & S2M_DESC) {
        swap_bytes((uint8_t *)comp, 16, group);
    }
    CHECK_EQ(comp[0], D_ONE | D_LAP(1) | C_BUF1, "RX cfg=0x%x", cfg);
    CHECK_EQ(comp[1], 48, "RX cfg=0x%x", cfg);
}

static void test_endian_cfg_each_stream(void **state)
{
    for (uint32_t cfg = 0; cfg < 32; cfg++) {
        check_streams(*state, cfg);
    }
}

/* ---- buffers that cut groups -------------------------------------------- */

#define MAX_BUFS  12u
#define MAX_BYTES 10000u

struct program {
    uint32_t cfg;
    unsigned nr[2];
    uint32_t len[2][MAX_BUFS];
    uint32_t hdr; /* bytes to buffer 2 of the first; 0 = no split */
};

static uint32_t total(const struct program *p, enum side side)
{
    uint32_t sum = 0;

    for (unsigned i = 0; i < p->nr[side]; i++) {
        sum += p->len[side][i];
    }
    return sum;
}

/* The bytes of all sources in order, each source swapped on its own. */
static void oracle_stream(struct bench *b, const struct program *p,
                          uint8_t *stream)
{
    uint64_t at = 0;

    memcpy(stream, rig_mem(b->rig, b->src, total(p, TX)), total(p, TX));
    for (unsigned i = 0; i < p->nr[TX]; i++) {
        if (p->cfg & M2S_DATA) {
            swap_bytes(stream + at, p->len[TX][i], group_of(p->cfg));
        }
        at += p->len[TX][i];
    }
}

/* The next n bytes of the stream where a buffer begins. */
static void check_buffer(struct bench *b, const struct program *p,
                         uint8_t *bytes, uint64_t dst, uint32_t n)
{
    if (p->cfg & S2M_DATA) {
        swap_bytes(bytes, n, group_of(p->cfg));
    }
    CHECK_MEM(rig_mem(b->rig, dst, n), bytes, n, "cfg=0x%x at 0x%llx n=%u",
              p->cfg, ULL(dst), n);
    /* Buffers lie 4 KiB and a bit apart. */
    CHECK_UNTOUCHED(b->rig, dst + n, 16, "cfg=0x%x behind 0x%llx", p->cfg,
                    ULL(dst));
}

#define DST_STRIDE 0x3000u

static void run_program(struct bench *b, const struct program *p)
{
    static uint8_t stream[MAX_BYTES];
    uint64_t buf2 = b->dst + (MAX_BUFS + 1) * DST_STRIDE;
    uint32_t left = total(p, TX);
    uint32_t at = 0;

    memset(rig_mem(b->rig, b->dst, BENCH_BYTES), 0, BENCH_BYTES);
    rig_write(b->rig, ENGINE, ENDIAN_CFG, p->cfg & ~(uint32_t)S2M_DESC);
    rig_q_set(&b->rq, RX, RXQ_PKT_CFG, p->hdr ? FORCE_HDR_SPLIT | p->hdr : 0);
    for (unsigned i = 0; i < p->nr[RX]; i++) {
        rig_desc(
            &b->rq, RX,
            (uint32_t[]){ D_DUAL | 2u << 16 | p->len[RX][i], (uint32_t)buf2 },
            b->dst + i * DST_STRIDE);
    }
    for (unsigned i = 0; i < p->nr[TX]; i++) {
        rig_tx(&b->rq, d_marks(i, p->nr[TX]), b->src + at, p->len[TX][i]);
        at += p->len[TX][i];
    }
    rig_bell(&b->rq, RX, p->nr[RX]);
    rig_bell(&b->rq, TX, p->nr[TX]);

    oracle_stream(b, p, stream);
    at = p->hdr < left ? p->hdr : left;
    if (at) {
        check_buffer(b, p, stream, buf2, at);
    }
    left -= at;
    for (unsigned i = 0; i < p->nr[RX] && left > 0; i++) {
        uint32_t n = left < p->len[RX][i] ? left : p->len[RX][i];

        check_buffer(b, p, stream + at, b->dst + i * DST_STRIDE, n);
        at += n;
        left -= n;
    }
    CHECK_EQ(left, 0, "the program has room");
    rig_queue_program(&b->rq);
}

static void open_programs(struct bench *b, struct rig *r)
{
    bench_open(b, r, 64);
    rig_write(r, ENGINE, VMPR_V4(QUEUE) + 8, 0xFFFFFFFF);
}

/* Every way that a boundary of either side falls into a group. */
static void test_endian_cfg_cut_groups(void **state)
{
    static const uint32_t cfgs[] = { 2, 8, 10, 18, 24, 26 };
    struct bench b;

    open_programs(&b, *state);
    for (size_t c = 0; c < ARRAY_LEN(cfgs); c++) {
        for (uint32_t tx = 1; tx <= 17; tx++) {
            for (uint32_t rx = 1; rx <= 17; rx++) {
                struct program p = { .cfg = cfgs[c],
                                     .nr = { 2, 3 },
                                     .len = { { tx, 35 - tx },
                                              { rx, 17, 35 - rx } } };

                run_program(&b, &p);
            }
        }
    }
}

/* The end of a header cuts a group too. */
static void test_endian_cfg_cut_headers(void **state)
{
    static const uint32_t cfgs[] = { 8, 10, 24, 26 };
    struct bench b;

    open_programs(&b, *state);
    for (size_t c = 0; c < ARRAY_LEN(cfgs); c++) {
        for (uint32_t hdr = 1; hdr <= 40; hdr++) {
            struct program p = { .cfg = cfgs[c],
                                 .nr = { 1, 1 },
                                 .len = { { 37 }, { 64 } },
                                 .hdr = hdr };

            run_program(&b, &p);
        }
    }
}

static void random_lens(uint32_t *rnd, struct program *p, enum side side)
{
    p->nr[side] = 1 + rig_random(rnd) % (MAX_BUFS - 1);
    for (unsigned i = 0; i < p->nr[side]; i++) {
        /* Often small; sometimes longer than a bounce of 4 KiB. */
        uint32_t max = rig_random(rnd) % 8 ? 40 : MAX_BYTES / MAX_BUFS;

        p->len[side][i] = 1 + rig_random(rnd) % max;
    }
    if (rig_random(rnd) % 16 == 0) {
        p->nr[side] = 1;
        p->len[side][0] = 4000 + rig_random(rnd) % 5000;
    }
}

static void test_endian_cfg_random_programs(void **state)
{
    uint32_t rnd = rig_seed("test_endian_cfg_random_programs", 0x1EAF5EED);
    struct bench b;

    open_programs(&b, *state);
    for (unsigned i = 0; i < 3000; i++) {
        struct program p = { .cfg = rig_random(&rnd) & (2 | 8 | GROUP_8) };

        random_lens(&rnd, &p, TX);
        random_lens(&rnd, &p, RX);
        if (rig_random(&rnd) % 3 == 0) {
            p.hdr = 1 + rig_random(&rnd) % 128;
        }
        if (total(&p, RX) < total(&p, TX)) { /* one more for the rest */
            p.len[RX][p.nr[RX]++] = total(&p, TX);
        }
        run_program(&b, &p);
    }
}

/* A queue goes straight to memory again when nothing is swapped any more. */
static void test_endian_cfg_back_to_plain(void **state)
{
    struct bench b;

    bench_open(&b, *state, 32);
    rig_write(b.rig, ENGINE, ENDIAN_CFG, S2M_DATA);
    rig_copy(&b.rq, b.dst, b.src, 64);
    CHECK_EQ(memcmp(rig_mem(b.rig, b.dst, 64), rig_mem(b.rig, b.src, 64), 64) ==
                 0,
             false, "swapped");
    rig_write(b.rig, ENGINE, ENDIAN_CFG, 0);
    rig_copy(&b.rq, b.dst, b.src, 64);
    CHECK_COPY(b.rig, b.dst, b.src, 64, "plain again");
    rig_write(b.rig, ENGINE, ENDIAN_CFG, S2M_DATA);
    trench_soc_reset(b.rig->soc);
    CHECK_EQ(rig_read(b.rig, ENGINE, ENDIAN_CFG), 0, "reset");
    rig_queue_program(&b.rq);
    rig_copy(&b.rq, b.dst + 64, b.src, 64);
    CHECK_COPY(b.rig, b.dst + 64, b.src, 64, "after a reset");
}

#define TEST(name)                                                             \
    cmocka_unit_test_setup_teardown(name, rig_setup, rig_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_endian_cfg_each_stream),
        TEST(test_endian_cfg_cut_groups),
        TEST(test_endian_cfg_cut_headers),
        TEST(test_endian_cfg_random_programs),
        TEST(test_endian_cfg_back_to_plain),
    };

    return cmocka_run_group_tests_name("endian", tests, NULL, NULL);
}
