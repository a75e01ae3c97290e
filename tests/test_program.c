/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * DMA over registers: a copy that programs another engine's rings, one that
 * changes its own queue under way, rings in odd places. Seed 000 sections 1
 * and 2; udma-engine B16, B18, B29, K5, 5.8.3; address-map 3.4, 4.6;
 * hardware.md H1, H3, H30, H32, H51, H64.
 */
#include <endian.h>

#include <trench/soc.h>

#include "check.h"
#include "rig.h"

#define OTHER 40u /* the engine that gets programmed */

/* A list of words to be written to registers by DMA, one packet each. */
struct program {
    struct bench *b;
    uint64_t words; /* where they are staged */
    uint32_t nr;
};

static void program_open(struct program *p, struct bench *b)
{
    *p = (struct program){ .b = b, .words = rig_alloc(b->rig, 4096) };
}

static void program_write(struct program *p, uint64_t addr, uint32_t val)
{
    uint64_t at = p->words + 4 * (uint64_t)p->nr++;

    *(uint32_t *)rig_mem(p->b->rig, at, 4) = htole32(val);
    rig_rx(&p->b->rq, addr, 4);
    rig_tx(&p->b->rq, D_ONE, at, 4);
}

static void program_run(struct program *p)
{
    rig_bell(&p->b->rq, RX, p->nr);
    rig_bell(&p->b->rq, TX, p->nr);
}

static uint64_t own(enum side side, uint32_t reg)
{
    return rig_engine_base(ENGINE) + q_off(side, QUEUE, reg);
}

/* ---- another engine --------------------------------------------------------
 */

/* A queue of another engine that is enabled over no ring yet. */
static void lay_other(struct rig_queue *rq, struct bench *b, unsigned engine)
{
    *rq = (struct rig_queue){ .rig = b->rig, .engine = engine, .q = 7 };
    rig_queue_program(rq);
    for (enum side side = TX; side <= RX; side++) {
        rq->ring[side].base = rig_alloc(b->rig, 4096);
        rq->ring[side].len = 32;
    }
    rig_rx(rq, b->dst, 256);
    rig_tx(rq, D_ONE, b->src, 256);
}

/* seed 000 section 1.1: six ring CSRs; 1.2: the re-arm; then the doorbells. */
static void program_ring(struct program *p, const struct rig_queue *rq,
                         uint64_t base)
{
    for (enum side side = TX; side <= RX; side++) {
        uint64_t ring = rq->ring[side].base;

        program_write(p, base + q_off(side, rq->q, 0x28), (uint32_t)ring);
        program_write(p, base + q_off(side, rq->q, 0x2C),
                      (uint32_t)(ring >> 32));
        program_write(p, base + q_off(side, rq->q, 0x30), rq->ring[side].len);
    }
    program_write(p, base + q_off(TX, rq->q, 0xB0), RST_Q);
    program_write(p, base + q_off(RX, rq->q, 0x64), RST_Q);
    program_write(p, base + q_off(RX, rq->q, 0x38), 1);
    program_write(p, base + q_off(TX, rq->q, 0x38), 1);
}

/* The other engine runs, whichever comes first, by either route. */
static void test_program_reprograms_another_engine(void **state)
{
    static const unsigned others[] = { 0,   ENGINE - 1, ENGINE + 1, OTHER,
                                       127, 128,        131 };

    for (size_t i = 0; i < 2 * ARRAY_LEN(others); i++) {
        unsigned engine = others[i / 2];
        struct rig_queue rq;
        struct program p;
        struct bench b;
        uint64_t base;

        bench_open(&b, *state, 32);
        CHECK_EQ(trench_gen_engine_base(trench_soc_gen(b.rig->soc), engine,
                                        i % 2, &base),
                 0, "engine %u", engine);
        program_open(&p, &b);
        lay_other(&rq, &b, engine);
        program_ring(&p, &rq, base);
        CHECK_EQ(p.nr, 10, "six, two, two");
        program_run(&p);
        CHECK_EQ(rig_q(&rq, TX, Q_BASE_LO), (uint32_t)rq.ring[TX].base,
                 "engine %u", engine);
        CHECK_EQ(rig_q(&rq, RX, Q_LEN), 32, "engine %u", engine);
        CHECK_PTR(&rq, TX, Q_TAIL, 1, 1, "engine %u", engine);
        CHECK_COPY(b.rig, b.dst, b.src, 256, "engine %u", engine);
        CHECK_EQ(rig_stats(b.rig, engine).packets, 1, "engine %u", engine);
        CHECK_EQ(rig_stats(b.rig, ENGINE).packets, 10, "engine %u", engine);
    }
}

/* The six words in one packet: low, high and length follow each other. */
static void test_program_writes_registers_in_a_row(void **state)
{
    struct rig_queue rq;
    struct bench b;
    uint32_t *words;

    bench_open(&b, *state, 8);
    lay_other(&rq, &b, OTHER);
    words = rig_mem(b.rig, b.src, 12);
    words[0] = htole32((uint32_t)rq.ring[TX].base);
    words[1] = 0;
    words[2] = htole32(77);
    rig_copy(&b.rq, rig_engine_base(OTHER) + q_off(TX, 7, Q_BASE_LO), b.src,
             12);
    CHECK_EQ(rig_q(&rq, TX, Q_BASE_LO), (uint32_t)rq.ring[TX].base, "low");
    CHECK_EQ(rig_q(&rq, TX, Q_BASE_HI), 0, "high");
    CHECK_EQ(rig_q(&rq, TX, Q_LEN), 77, "length");
}

/* seed 000 section 2: the doorbell through the broadcast window, by DMA. */
static void test_program_rings_a_broadcast_doorbell(void **state)
{
    struct rig_queue rq[16];
    struct program p;
    struct bench b;

    bench_open(&b, *state, 32);
    program_open(&p, &b);
    for (unsigned lane = 0; lane < 16; lane++) {
        rig_queue_open(&rq[lane], b.rig, 32 + lane, 7, 8);
        rig_rx(&rq[lane], b.dst + 64 * lane, 64);
        rig_tx(&rq[lane], D_ONE, b.src + 64 * lane, 64);
    }
    program_write(&p, 0x5004080000 + q_off(RX, 7, Q_BELL), 0x00010001);
    program_write(&p, 0x5004080000 + q_off(TX, 7, Q_BELL), 0x00010001);
    program_run(&p);
    CHECK_UNTOUCHED(b.rig, b.dst, 64, "lane 0 is skipped");
    CHECK_COPY(b.rig, b.dst + 64, b.src + 64, 64 * 15, "lanes 1 to 15");
}

/* 5.8.3: registers as a source; and from registers to registers. */
static void test_program_reads_registers(void **state)
{
    struct bench b;

    bench_open(&b, *state, 8);
    rig_copy(&b.rq, b.dst, rig_engine_base(77) + GEN + 0x2104, 4);
    CHECK_EQ(rig_word(b.rig, b.dst), 0x1C360003, "revision");
    rig_copy(&b.rq, b.dst, rig_engine_base(77) + 0x100, 48); /* AXI_M2S */
    for (uint32_t i = 0; i < 11; i++) {
        CHECK_EQ(rig_word(b.rig, b.dst + 4 * i),
                 rig_read(b.rig, 77, 0x100 + 4 * i), "word %u", i);
    }
    rig_copy(&b.rq, rig_engine_base(78) + GEN + 0x2108,
             rig_engine_base(77) + GEN + 0x2104, 4);
    CHECK_EQ(rig_read(b.rig, 78, GEN + 0x2108), 0x1C360003, "to a register");
}

/* H51: part of a word is a bus response error, and nothing is written. */
static void test_program_refuses_parts_of_words(void **state)
{
    static const struct {
        uint32_t shift;
        uint32_t len;
    } rows[] = { { 0, 1 }, { 0, 2 }, { 0, 3 }, { 1, 4 }, { 2, 4 }, { 0, 6 } };
    uint64_t reg = rig_engine_base(OTHER) + GEN + 0x2108;
    struct bench b;

    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        bench_open(&b, *state, 8);
        rig_copy(&b.rq, reg + rows[i].shift, b.src, rows[i].len);
        CHECK_EQ(rig_read(b.rig, ENGINE, SECONDARY(GROUP_B) + INT_CAUSE),
                 1u << 1, "row %zu: data response", i);
        CHECK_EQ(rig_read(b.rig, OTHER, GEN + 0x2108), 0, "row %zu", i);
        CHECK_EQ(rig_read(b.rig, OTHER, GEN + 0x210C), 0, "row %zu", i);
        rig_copy(&b.rq, b.dst, reg + rows[i].shift, rows[i].len);
        CHECK_EQ(rig_read(b.rig, ENGINE, SECONDARY(GROUP_A) + INT_CAUSE),
                 1u << 8, "row %zu: data response", i);
    }
}

/* ---- its own queue
 * ----------------------------------------------------------- */

/* A packet of two parts: a register write, then 64 bytes of data. */
static void post_self_write(struct bench *b, uint64_t reg, uint32_t val)
{
    uint64_t word = rig_alloc(b->rig, 4096);

    *(uint32_t *)rig_mem(b->rig, word, 4) = htole32(val);
    rig_rx(&b->rq, reg, 4);
    rig_rx(&b->rq, b->dst, 64);
    rig_tx(&b->rq, D_FIRST, word, 4);
    rig_tx(&b->rq, D_LAST, b->src, 64);
    /* And a packet behind it. */
    rig_rx(&b->rq, b->dst + 64, 64);
    rig_tx(&b->rq, D_ONE, b->src + 64, 64);
    rig_bell(&b->rq, RX, 3);
    rig_bell(&b->rq, TX, 3);
}

/* B18: RST_Q on M2S drops the packet and what is behind it. */
static void test_program_resets_its_own_m2s_queue(void **state)
{
    struct bench b;

    bench_open(&b, *state, 16);
    post_self_write(&b, own(TX, TXQ_SW_CTRL), RST_Q);
    CHECK_UNTOUCHED(b.rig, b.dst, 128, "dropped");
    CHECK_PTR(&b.rq, TX, Q_HEAD, 0, 1, "reset");
    CHECK_PTR(&b.rq, TX, Q_TAIL, 0, 1, "reset");
    CHECK_PTR(&b.rq, TX, Q_CUR, 0, 1, "reset");
    CHECK_PTR(&b.rq, TX, Q_COMP_HEAD, 0, 1, "reset");
    rig_queue_program(&b.rq);
    rig_copy(&b.rq, b.dst, b.src, 64);
    CHECK_COPY(b.rig, b.dst, b.src, 64, "usable");
}

/* H30: RST_Q on S2M completes the packet in error; the next one waits. */
static void test_program_resets_its_own_s2m_queue(void **state)
{
    static const uint32_t bits[] = { RST_Q, 0x10, 0x110 };
    struct bench b;
    uint64_t comp;

    for (size_t i = 0; i < ARRAY_LEN(bits); i++) {
        bench_open(&b, *state, 16);
        comp = bench_completions(&b, TX);
        post_self_write(&b, own(RX, RXQ_SW_CTRL), bits[i]);
        CHECK_UNTOUCHED(b.rig, b.dst, 128, "bits 0x%x", bits[i]);
        CHECK_EQ(rig_word(b.rig, comp) & ~D_LAP(3), D_FIRST | C_ERROR,
                 "bits 0x%x", bits[i]);
        CHECK_EQ(rig_word(b.rig, comp + 4) & ~D_LAP(3), D_LAST | C_ERROR,
                 "bits 0x%x", bits[i]);
        CHECK_PTR(&b.rq, TX, Q_COMP_HEAD, 2, 1, "bits 0x%x", bits[i]);
        if (bits[i] & RST_Q) {
            CHECK_PTR(&b.rq, RX, Q_TAIL, 0, 1, "bits 0x%x", bits[i]);
            b.rq.ring[RX].idx = 0;
        }
        rig_rx(&b.rq, b.dst + 256, 64);
        rig_bell(&b.rq, RX, 1);
        CHECK_COPY(b.rig, b.dst + 256, b.src + 64, 64,
                   "bits 0x%x: the packet behind it", bits[i]);
    }
}

/* A doorbell rung by the data: what is behind it runs as well. */
static void test_program_rings_its_own_doorbell(void **state)
{
    struct program p;
    struct bench b;

    bench_open(&b, *state, 16);
    program_open(&p, &b);
    program_write(&p, own(RX, Q_BELL), 2);
    program_write(&p, own(TX, Q_BELL), 2);
    for (unsigned i = 0; i < 2; i++) {
        rig_rx(&b.rq, b.dst + 64 * i, 64);
        rig_tx(&b.rq, D_ONE, b.src + 64 * i, 64);
    }
    program_run(&p);
    CHECK_COPY(b.rig, b.dst, b.src, 128, "both");
    CHECK_PTR(&b.rq, TX, Q_COMP_HEAD, 4, 1, "four packets");
    CHECK_EQ(rig_stats(b.rig, ENGINE).doorbells, 4, "two by DMA");
}

/* B6: DISABLE finishes the packet at hand; NORMAL goes on behind it. */
static void test_program_disables_its_own_side(void **state)
{
    for (enum side side = TX; side <= RX; side++) {
        uint32_t reg = (side == RX ? S2M : 0) + CHANGE_STATE;
        struct bench b;

        bench_open(&b, *state, 16);
        post_self_write(&b, rig_engine_base(ENGINE) + reg, CMD_DISABLE);
        CHECK_COPY(b.rig, b.dst, b.src, 64, "side %d: finished", side);
        CHECK_UNTOUCHED(b.rig, b.dst + 64, 64, "side %d: held", side);
        rig_write(b.rig, ENGINE, reg, CMD_NORMAL);
        CHECK_COPY(b.rig, b.dst, b.src, 128, "side %d: both packets", side);
        CHECK_PTR(&b.rq, TX, Q_COMP_HEAD, 3, 1, "side %d", side);
        CHECK_PTR(&b.rq, RX, Q_COMP_HEAD, 3, 1, "side %d", side);
    }
}

/* B7: ABORT freezes in the middle of the packet; a reset leads out. */
static void test_program_aborts_its_own_side(void **state)
{
    for (unsigned n = 0; n < 3; n++) {
        static const uint32_t regs[] = { CHANGE_STATE, S2M + CHANGE_STATE,
                                         SECONDARY(GROUP_A) + INT_CAUSE_SET };
        struct bench b;

        bench_open(&b, *state, 16);
        rig_write(b.rig, ENGINE, SECONDARY(GROUP_A) + INT_ABORT_MASK, 0);
        post_self_write(&b, rig_engine_base(ENGINE) + regs[n], CMD_ABORT);
        CHECK_UNTOUCHED(b.rig, b.dst, 128, "n=%u: frozen", n);
        CHECK_PTR(&b.rq, TX, Q_COMP_HEAD, 0, 1, "n=%u", n);
        CHECK_PTR(&b.rq, TX, Q_CUR, 0, 1, "n=%u", n);
        CHECK_EQ(rig_read(b.rig, ENGINE, STATE) == 0x2222, n != 1, "n=%u", n);
        CHECK_EQ(rig_read(b.rig, ENGINE, S2M + STATE) == 0x22222, n != 0,
                 "n=%u", n);
        rig_write(b.rig, ENGINE, SECONDARY(GROUP_A) + INT_CAUSE, 0);
        rig_queue_program(&b.rq);
        rig_write(b.rig, ENGINE, CHANGE_STATE, CMD_NORMAL);
        rig_write(b.rig, ENGINE, S2M + CHANGE_STATE, CMD_NORMAL);
        rig_copy(&b.rq, b.dst, b.src, 64);
        CHECK_COPY(b.rig, b.dst, b.src, 64, "n=%u: usable", n);
    }
}

/* NORMAL, or a doorbell, in the middle of a packet disturbs nothing. */
static void test_program_harmless_self_writes(void **state)
{
    const struct {
        uint64_t reg;
        uint32_t val;
    } rows[] = {
        { rig_engine_base(ENGINE) + CHANGE_STATE, CMD_NORMAL },
        { rig_engine_base(ENGINE) + S2M + CHANGE_STATE, CMD_NORMAL },
        { own(TX, Q_CFG), Q_CFG_ENABLED },
        { own(RX, Q_CFG), Q_CFG_ENABLED },
        { own(TX, Q_BELL), 0 },
        { own(TX, Q_PREF_CFG), 1 },
        { own(RX, Q_PREF_CFG), 1 },
        { own(TX, TXQ_SW_CTRL), 1 },
        { rig_engine_base(ENGINE + 1) + q_off(TX, QUEUE, TXQ_SW_CTRL), RST_Q },
        { rig_engine_base(ENGINE) + q_off(TX, QUEUE + 1, TXQ_SW_CTRL), RST_Q },
    };

    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct bench b;

        bench_open(&b, *state, 16);
        post_self_write(&b, rows[i].reg, rows[i].val);
        CHECK_COPY(b.rig, b.dst, b.src, 128, "row %zu", i);
        CHECK_PTR(&b.rq, TX, Q_COMP_HEAD, 3, 1, "row %zu", i);
    }
}

/* Settings that pull the ground from under the packet: it ends, somehow, and
 * a queue init brings everything back. */
static void test_program_wild_self_writes_end(void **state)
{
    const struct {
        uint64_t reg;
        uint32_t val;
    } rows[] = {
        { own(TX, Q_LEN), 0 },
        { own(RX, Q_LEN), 0 },
        { own(TX, Q_LEN), 1 },
        { own(RX, Q_LEN), 1 },
        { own(TX, Q_LEN), 0xFFFFFF },
        { own(RX, Q_LEN), 0xFFFFFF },
        { own(TX, Q_BASE_HI), 0xFFFFFFFF },
        { own(RX, Q_BASE_HI), 0xFFFFFFFF },
        { own(TX, Q_CFG), 0 },
        { own(RX, Q_CFG), 0 },
        { own(TX, Q_BELL), 0xFFFFFF },
        { own(RX, Q_BELL), 0xFFFFFF },
        { own(TX, TXQ_SW_CTRL), 0x1E },
        { own(RX, RXQ_SW_CTRL), 0x0E },
        { rig_engine_base(ENGINE) + M2S_CFG_LEN, 0 },
        { rig_engine_base(ENGINE) + M2S_PREF_EN, 0 },
        { rig_engine_base(ENGINE) + S2M_STREAM_CFG, 0x111 },
        { rig_engine_base(ENGINE) + S2M_COMP_CFG_1C, 0 },
    };

    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct bench b;

        bench_open(&b, *state, 16);
        post_self_write(&b, rows[i].reg, rows[i].val);
        CHECK_EQ(rig_stats(b.rig, ENGINE).packets < 1000000, true, "row %zu",
                 i);
        trench_soc_reset(b.rig->soc);
        rig_queue_program(&b.rq);
        rig_copy(&b.rq, b.dst + 0x1000, b.src, 64);
        CHECK_COPY(b.rig, b.dst + 0x1000, b.src, 64, "row %zu", i);
    }
}

/* ---- rings and buffers anywhere
 * ------------------------------------------------ */

/*
 * Four RW words in a row on a 64-byte boundary hold one descriptor: GEN_EX
 * VMPR_V4[i] (udma-engine 3.9).
 */
static void test_program_rings_in_register_space(void **state)
{
    uint64_t vmpr = rig_engine_base(OTHER) + GEN_EX + 0x400;
    struct bench b;

    bench_open(&b, *state, 16);
    for (enum side side = TX; side <= RX; side++) {
        b.rq.ring[side].base = vmpr + (side == RX ? 0x40 : 0);
        b.rq.ring[side].len = 1;
    }
    rig_queue_program(&b.rq);
    for (unsigned i = 0; i < 9; i++) {
        rig_copy(&b.rq, b.dst + 64 * i, b.src + 64 * i, 64);
        CHECK_COPY(b.rig, b.dst, b.src, 64 * (i + 1), "i=%u", i);
    }
    CHECK_EQ(rig_stats(b.rig, ENGINE).errors, 0, "no lap error");
    CHECK_EQ(rig_read(b.rig, OTHER, GEN_EX + 0x408), (uint32_t)b.src + 64 * 8,
             "the last descriptor's address");
}

/* A completion ring in register space. */
static void test_program_completions_in_register_space(void **state)
{
    uint64_t vmpr = rig_engine_base(OTHER) + GEN_EX + 0x400;
    struct bench b;

    bench_open(&b, *state, 16);
    rig_q_set(&b.rq, TX, Q_COMP_LO, (uint32_t)vmpr);
    rig_q_set(&b.rq, TX, Q_COMP_HI, (uint32_t)(vmpr >> 32));
    rig_q_set(&b.rq, TX, TXQ_COMP_CFG, 3);
    bench_packet(&b, 3, 1, 192);
    CHECK_EQ(rig_read(b.rig, OTHER, GEN_EX + 0x400), D_LAP(1) | D_FIRST, "0");
    CHECK_EQ(rig_read(b.rig, OTHER, GEN_EX + 0x404), D_LAP(1), "1");
    CHECK_EQ(rig_read(b.rig, OTHER, GEN_EX + 0x408), D_LAP(1) | D_LAST, "2");
}

/* The last descriptor ends where memory ends; laps work there too. */
static void test_program_ring_at_the_end_of_memory(void **state)
{
    static const uint64_t ends[] = { HBM_BYTES, 0x4600000000, 0x400100000000,
                                     0x2000038000, 0x2802400000 };
    struct bench b;

    for (size_t i = 0; i < 2 * ARRAY_LEN(ends); i++) {
        enum side side = i % 2 ? RX : TX;

        bench_open(&b, *state, 8);
        b.rq.ring[side].base = ends[i / 2] - 8 * 16;
        rig_queue_program(&b.rq);
        for (unsigned k = 0; k < 40; k++) {
            rig_copy(&b.rq, b.dst + 64 * k, b.src + 64 * k, 64);
        }
        CHECK_COPY(b.rig, b.dst, b.src, 64 * 40, "row %zu", i);
        CHECK_EQ(rig_stats(b.rig, ENGINE).errors, 0, "row %zu", i);
    }
}

/* Half of the ring lies behind the end. */
static void test_program_ring_over_the_end_of_memory(void **state)
{
    for (enum side side = TX; side <= RX; side++) {
        struct rig_ring *ring;
        struct bench b;

        bench_open(&b, *state, 8);
        ring = &b.rq.ring[side];
        ring->base = HBM_BYTES - 4 * 16;
        ring->len = 8;
        rig_queue_program(&b.rq);
        for (unsigned k = 0; k < 4; k++) {
            rig_copy(&b.rq, b.dst + 64 * k, b.src + 64 * k, 64);
        }
        CHECK_COPY(b.rig, b.dst, b.src, 256, "side %d", side);
        CHECK_EQ(rig_stats(b.rig, ENGINE).errors, 0, "side %d", side);
        rig_bell(&b.rq, side, 1);
        CHECK_EQ(
            rig_read(b.rig, ENGINE, SECONDARY(side == TX ? GROUP_A : GROUP_B)),
            side == TX ? 1u << 11 : 1u << 9, "side %d", side);
        CHECK_PTR(&b.rq, side, Q_HEAD, 4, 1, "side %d", side);
    }
}

/* K5, H64: every kind of memory, by every route and with attribute bits. */
static void test_program_addresses_of_every_kind(void **state)
{
    static const uint64_t places[] = {
        0x20000000,     0x4000000000, 0x800000000000, 0x804000000000,
        0x2000000000,   0x3001FC0000, 0x806000037F00, 0x2802000000,
        0x807802000000, HOST_MEMORY,  0xC00000000000, 0x4000FFFFFF00,
    };
    struct bench b;

    for (size_t i = 0; i < ARRAY_LEN(places); i++) {
        for (uint64_t attr = 0; attr < 4; attr++) {
            uint64_t addr = places[i] | attr << 56;

            bench_open(&b, *state, 8);
            memset(rig_mem(b.rig, places[i], 256), 0, 256);
            rig_copy(&b.rq, addr, b.src, 256);
            CHECK_COPY(b.rig, places[i], b.src, 256, "to 0x%llx", ULL(addr));
            rig_copy(&b.rq, b.dst, addr, 256);
            CHECK_COPY(b.rig, b.dst, b.src, 256, "from 0x%llx", ULL(addr));
            CHECK_EQ(rig_stats(b.rig, ENGINE).errors, 0, "0x%llx", ULL(addr));
        }
    }
}

/* Source and destination that overlap copy as one move. */
static void test_program_overlapping_buffers(void **state)
{
    static const int32_t shifts[] = { 0, 1, 63, 64, 1000, 4096, 60000 };
    static uint8_t want[65536];
    struct bench b;

    for (size_t i = 0; i < 2 * ARRAY_LEN(shifts); i++) {
        int32_t shift = i % 2 ? -shifts[i / 2] : shifts[i / 2];
        uint64_t src;

        bench_open(&b, *state, 8);
        src = b.src + 0x10000;
        memcpy(want, rig_mem(b.rig, src, sizeof(want)), sizeof(want));
        rig_copy(&b.rq, src + (uint64_t)(int64_t)shift, src, 65536);
        CHECK_MEM(rig_mem(b.rig, src + (uint64_t)(int64_t)shift, 65536), want,
                  sizeof(want), "shift %d", shift);
    }
}

/*
 * H36: the packet's own first word switches encode_64k. Its 0 lengths, M2S
 * and S2M, keep the meaning that they had when it began.
 */
static void test_program_switches_encode_64k_under_itself(void **state)
{
    static const uint32_t lens[] = { 4, 0, 16 }; /* 0: none, or 64 KiB */

    for (uint32_t on = 0; on < 2; on++) {
        uint32_t zero_len = on ? 0 : 65536; /* before the switch */
        uint64_t word, tx_comp, rx_comp;
        struct bench b;

        bench_open(&b, *state, 8);
        tx_comp = bench_completions(&b, TX);
        rx_comp = bench_completions(&b, RX);
        word = rig_alloc(b.rig, 4096);
        rig_write(b.rig, ENGINE, M2S_CFG_LEN, on ? 0x000FFFFF : 0x010FFFFF);
        *(uint32_t *)rig_mem(b.rig, word, 4) =
            htole32(on ? 0x010FFFFF : 0x000FFFFF);
        rig_rx(&b.rq, rig_engine_base(ENGINE) + M2S_CFG_LEN, 4);
        rig_rx(&b.rq, b.dst, 0);
        rig_rx(&b.rq, b.dst + 0x20000, 16);
        rig_tx(&b.rq, D_FIRST, word, 4);
        rig_tx(&b.rq, 0, b.src, 0);
        rig_tx(&b.rq, D_LAST, b.src + 0x20000, 16);
        rig_bell(&b.rq, RX, 3);
        rig_bell(&b.rq, TX, 3);
        CHECK_EQ(rig_read(b.rig, ENGINE, M2S_CFG_LEN),
                 on ? 0x010FFFFF : 0x000FFFFF, "switched to %u", on);
        CHECK_COPY(b.rig, b.dst, b.src, zero_len, "switched to %u", on);
        CHECK_UNTOUCHED(b.rig, b.dst + zero_len, 0x20000 - zero_len,
                        "switched to %u", on);
        CHECK_COPY(b.rig, b.dst + 0x20000, b.src + 0x20000, 16,
                   "switched to %u", on);
        for (unsigned i = 0; i < 3; i++) {
            uint32_t filled = i == 1 && on ? 0 : C_BUF1;

            CHECK_EQ(rig_word(b.rig, tx_comp + 4 * i), D_LAP(1) | d_marks(i, 3),
                     "switched to %u, descriptor %u", on, i);
            CHECK_EQ(rig_word(b.rig, rx_comp + 16 * i),
                     D_LAP(1) | d_marks(i, 3) | filled,
                     "switched to %u, buffer %u", on, i);
            CHECK_EQ(rig_word(b.rig, rx_comp + 16 * i + 4), lens[i],
                     "switched to %u, buffer %u", on, i);
        }
        CHECK_EQ(rig_stats(b.rig, ENGINE).bytes, 20 + zero_len,
                 "switched to %u", on);
    }
}

#define TEST(name)                                                             \
    cmocka_unit_test_setup_teardown(name, rig_setup, rig_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_program_reprograms_another_engine),
        TEST(test_program_writes_registers_in_a_row),
        TEST(test_program_rings_a_broadcast_doorbell),
        TEST(test_program_reads_registers),
        TEST(test_program_refuses_parts_of_words),
        TEST(test_program_resets_its_own_m2s_queue),
        TEST(test_program_resets_its_own_s2m_queue),
        TEST(test_program_rings_its_own_doorbell),
        TEST(test_program_disables_its_own_side),
        TEST(test_program_aborts_its_own_side),
        TEST(test_program_harmless_self_writes),
        TEST(test_program_wild_self_writes_end),
        TEST(test_program_rings_in_register_space),
        TEST(test_program_completions_in_register_space),
        TEST(test_program_ring_at_the_end_of_memory),
        TEST(test_program_ring_over_the_end_of_memory),
        TEST(test_program_addresses_of_every_kind),
        TEST(test_program_overlapping_buffers),
        TEST(test_program_switches_encode_64k_under_itself),
    };

    return cmocka_run_group_tests_name("program", tests, NULL, NULL);
}
