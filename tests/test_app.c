/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Packets of application engines on their way: what any of them has in common
 * with a copy (common-blocks 3.6, H230, H231).
 */
#include <zlib.h>

#include "app_rig.h"
#include "note_rig.h"

#define ADD_FP32 (W_ADD | 10u << 12 | 10u << 16)
#define SOURCES  3u
#define BYTES    1024u /* of each source, and of the sum */
#define BUFFERS  4u

static uint64_t source(const struct bench *b, unsigned i)
{
    return b->src + i * 0x2000u;
}

/* Small integers in all sources, which add up exactly. */
static void fill_sources(struct bench *b)
{
    for (unsigned i = 0; i < SOURCES; i++) {
        float *p = rig_mem(b->rig, source(b, i), BYTES);

        for (unsigned k = 0; k < BYTES / 4; k++) {
            p[k] = (float)(k * (i + 1) + 1);
        }
    }
}

static void put_sources(struct bench *b)
{
    for (unsigned i = 0; i < SOURCES; i++) {
        app_buffer(b, d_marks(i, SOURCES), ADD_FP32 | w_block(i, SOURCES),
                   source(b, i), BYTES);
    }
}

static void put_sum_buffers(struct bench *b)
{
    for (unsigned i = 0; i < BUFFERS; i++) {
        rig_rx(&b->rq, b->dst + BYTES / BUFFERS * i, BYTES / BUFFERS);
    }
}

static void post_sum(struct bench *b)
{
    fill_sources(b);
    put_sources(b);
    put_sum_buffers(b);
    rig_bell(&b->rq, RX, BUFFERS);
    rig_bell(&b->rq, TX, SOURCES);
}

/* Elements [from, to) of the sum, in bytes. */
static void check_sum(struct bench *b, uint32_t from, uint32_t to,
                      const char *what)
{
    const float *p = rig_mem(b->rig, b->dst, BYTES);

    for (uint32_t k = from / 4; k < to / 4; k++) {
        CHECK_EQ(p[k] == (float)(k * 6 + 3), true, "%s: element %u is %g", what,
                 k, (double)p[k]);
    }
}

/* ---- what can be seen ------------------------------------------------------
 */

/* Inputs 204 to 222 and 251 of the trigger block, in their order (address-map
 * 6.3): three of the DRE, sixteen of the CCE (common-blocks 3.4.1). */
static const char *const triggers[] = {
    "dre_erg",
    "dre_mem_collision",
    "dre_command_parse",
    "cce_erg",
    "cce_mem_collision",
    "cce_command_parse",
    "cce_metadata_fifo_underflow",
    "cce_metadata_fifo_overflow",
    "cce_input_converter",
    "cce_output_converter",
    "cce_output_inf",
    "cce_output_nan",
    "cce_output_overflow",
    "cce_output_underflow",
    "cce_stochastic_rounding_non_fp",
    "cce_fma",
    "cce_decompression_underflow",
    "cce_decompression_overflow",
    "cce_a_and_b_self_buffer",
    "access_missing_app_engine",
};

static void test_app_names_and_numbers(void **state)
{
    struct rig *r = *state;
    struct trench_app_stats stats;

    CHECK_EQ(TRENCH_NR_APP_TRIGGERS, 3 + 16 + 1, "triggers");
    for (unsigned i = 0; i < TRENCH_NR_APP_TRIGGERS; i++) {
        assert_string_equal(trench_app_trigger_name(i), triggers[i]);
    }
    CHECK_EQ(trench_app_trigger_name(TRENCH_NR_APP_TRIGGERS) == NULL, true,
             "none");
    CHECK_EQ(trench_soc_app_stats(r->soc, 132, &stats), TRENCH_ERR_NODEV,
             "no such engine");
}

/* common-blocks 3.4.2: code, bytes; fp32r counts as 4 (H235). */
static void test_app_types(void **state)
{
    static const struct {
        enum trench_dtype type;
        unsigned code, bytes;
        const char *name;
    } types[] = {
        { TRENCH_DTYPE_NONE, 0, 0, "?" },
        { TRENCH_DTYPE_UINT64, 1, 8, "uint64" },
        { TRENCH_DTYPE_INT8, 2, 1, "int8" },
        { TRENCH_DTYPE_UINT8, 3, 1, "uint8" },
        { TRENCH_DTYPE_INT16, 4, 2, "int16" },
        { TRENCH_DTYPE_UINT16, 5, 2, "uint16" },
        { TRENCH_DTYPE_BF16, 6, 2, "bf16" },
        { TRENCH_DTYPE_FP16, 7, 2, "fp16" },
        { TRENCH_DTYPE_INT32, 8, 4, "int32" },
        { TRENCH_DTYPE_UINT32, 9, 4, "uint32" },
        { TRENCH_DTYPE_FP32, 10, 4, "fp32" },
        { TRENCH_DTYPE_FP32R, 11, 4, "fp32r" },
        { TRENCH_DTYPE_INT64, 12, 8, "int64" },
        { TRENCH_DTYPE_FP8_E3, 13, 1, "fp8_e3" },
        { TRENCH_DTYPE_FP8_E4, 14, 1, "fp8_e4" },
        { TRENCH_DTYPE_FP8_E5, 15, 1, "fp8_e5" },
    };

    (void)state;
    CHECK_EQ(ARRAY_LEN(types), TRENCH_NR_DTYPES, "all");
    for (size_t i = 0; i < ARRAY_LEN(types); i++) {
        CHECK_EQ(types[i].type, types[i].code, "%s", types[i].name);
        CHECK_EQ(trench_dtype_bytes(types[i].type), types[i].bytes, "%s",
                 types[i].name);
        assert_string_equal(trench_dtype_name(types[i].type), types[i].name);
        CHECK_EQ(trench_dtype_find(types[i].name), types[i].type, "%s",
                 types[i].name);
    }
    CHECK_EQ(trench_dtype_bytes((enum trench_dtype)16), 0, "no type");
    assert_string_equal(trench_dtype_name((enum trench_dtype)16), "?");
    CHECK_EQ(trench_dtype_find("half"), TRENCH_DTYPE_FP16, "nccl-tests");
    CHECK_EQ(trench_dtype_find("float"), TRENCH_DTYPE_FP32, "nccl-tests");
    CHECK_EQ(trench_dtype_find("double"), TRENCH_DTYPE_NONE, "no type");
}

/* common-blocks 3.1, 3.4.3: op_type in word 1; 3.4.4: sources. */
static void test_app_operations(void **state)
{
    (void)state;
    CHECK_EQ(W_ADD | TRENCH_CCE_ADD << 20, W_ADD, "ADD");
    CHECK_EQ(W_ADD | TRENCH_CCE_FMA << 20, W_FMA, "FMA");
    CHECK_EQ(W_ADD | TRENCH_CCE_MAX << 20, W_MAX, "MAX");
    CHECK_EQ(W_ADD | TRENCH_CCE_MIN << 20, W_MIN, "MIN");
    CHECK_EQ(W_ADD | TRENCH_CCE_EXT << 20, W_EXT, "EXT");
    CHECK_EQ(W_ADD | TRENCH_CCE_GCE << 20, W_GCE, "GCE");
    CHECK_EQ(TRENCH_CCE_MAX_SOURCES, 32, "sources");
}

/* common-blocks 1.3.2, app_engine_status: a bit a queue, by engine. */
static void test_app_in_flight_bits(void **state)
{
    static const struct {
        uint32_t word;
        uint32_t offset;
    } rows[] = { { ADD_FP32 | 3, 0x608 },
                 { W_REPLICATE | 1, 0x604 },
                 { W_CME(1) | 3 | 1u << 19, 0x600 },
                 { META_COPY, 0x600 } };
    struct bench b;

    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        bench_open(&b, *state, 8);
        app_buffer(&b, D_ONE, rows[i].word, b.src, 64);
        rig_bell(&b.rq, TX, 1); /* no buffer yet */
        for (uint32_t off = 0x600; off <= 0x608; off += 4) {
            CHECK_EQ(rig_read(b.rig, ENGINE, TDMA + off),
                     off == rows[i].offset ? 1u << QUEUE : 0,
                     "row %zu offset 0x%x", i, off);
        }
        rig_rx(&b.rq, b.dst, 64);
        rig_bell(&b.rq, RX, 1);
        CHECK_EQ(rig_read(b.rig, ENGINE, TDMA + rows[i].offset), 0, "gone");
        CHECK_EQ(rig_stats(b.rig, ENGINE).packets, 1, "delivered");
    }
}

/* One read a source, one write a buffer, in order, at the right places. */
static void test_app_accesses_are_seen(void **state)
{
    struct rig_watch w = { .judge = NULL };
    unsigned reads = 0, writes = 0;
    struct bench b;

    bench_open(&b, *state, 16);
    rig_watch(b.rig, &w);
    post_sum(&b);
    trench_soc_set_access(b.rig->soc, NULL, NULL);
    check_sum(&b, 0, BYTES, "watched");
    for (unsigned i = 0; i < w.nr; i++) {
        const struct trench_access *a = &w.seen[i];

        if (a->master == TRENCH_AXI_M2S_DATA_READ) {
            CHECK_EQ(a->addr, source(&b, reads++), "read");
            CHECK_EQ(a->size_bytes, BYTES, "read");
            CHECK_EQ(writes, 0, "sources come first");
        } else if (a->master == TRENCH_AXI_S2M_DATA_WRITE) {
            CHECK_EQ(a->addr, b.dst + BYTES / BUFFERS * writes++, "write");
            CHECK_EQ(a->size_bytes, BYTES / BUFFERS, "write");
        }
    }
    CHECK_EQ(reads, SOURCES, "reads");
    CHECK_EQ(writes, BUFFERS, "writes");
}

/* ---- faults -----------------------------------------------------------------
 */

static void inject(struct rig *r, unsigned at, unsigned code, uint64_t after)
{
    const struct trench_fault fault = {
        .engine = ENGINE,
        .queue = QUEUE,
        .at = at,
        .code = code,
        .after = after,
        .times = 1,
    };

    CHECK_EQ(trench_soc_inject(r->soc, &fault) >= 0, true, "inject");
}

/* H231: a lost source spoils the whole result; nothing is written. */
static void test_app_read_fault_at_each_source(void **state)
{
    struct bench b;

    for (unsigned bad = 0; bad < SOURCES; bad++) {
        uint64_t tx, rx;

        bench_open(&b, *state, 16);
        tx = bench_completions(&b, TX);
        rx = bench_completions(&b, RX);
        inject(b.rig, TRENCH_AXI_M2S_DATA_READ, TRENCH_AXI_SLVERR, bad);
        post_sum(&b);
        CHECK_UNTOUCHED(b.rig, b.dst, BYTES, "source %u", bad);
        CHECK_EQ(app_causes(b.rig), 1u << 8, "source %u", bad);
        for (unsigned i = 0; i < SOURCES; i++) {
            CHECK_EQ(rig_word(b.rig, tx + 4 * i) & C_ERROR, C_ERROR,
                     "source %u: TX %u", bad, i);
        }
        for (unsigned i = 0; i < BUFFERS; i++) {
            CHECK_EQ(rig_word(b.rig, rx + 16 * i) & C_ERROR, C_ERROR,
                     "source %u: RX %u", bad, i);
        }
        CHECK_EQ(rig_stats(b.rig, ENGINE).bytes, 0, "source %u", bad);
        CHECK_EQ(rig_read(b.rig, ENGINE, M2S_BYTES_LO), BYTES * (SOURCES - 1),
                 "source %u: the others were read", bad);
        trench_soc_clear_faults(b.rig->soc);
        post_sum(&b);
        check_sum(&b, 0, BYTES, "after the fault");
    }
}

/* The same for an address where nothing is, and without anybody watching. */
static void test_app_source_may_be_nowhere(void **state)
{
    struct bench b;

    bench_open(&b, *state, 16);
    fill_sources(&b);
    put_sum_buffers(&b);
    for (unsigned i = 0; i < SOURCES; i++) {
        app_buffer(&b, d_marks(i, SOURCES), ADD_FP32 | w_block(i, SOURCES),
                   i == 1 ? UNMAPPED : source(&b, i), BYTES);
    }
    rig_bell(&b.rq, RX, BUFFERS);
    rig_bell(&b.rq, TX, SOURCES);
    CHECK_UNTOUCHED(b.rig, b.dst, BYTES, "nothing");
    CHECK_EQ(app_causes(b.rig), 1u << 8, "decode error");
    CHECK_EQ(rig_stats(b.rig, ENGINE).rx_descs, BUFFERS, "all used");
}

/* A buffer that refuses loses its part, and only that. */
static void test_app_write_fault_at_each_buffer(void **state)
{
    struct bench b;

    for (unsigned bad = 0; bad < BUFFERS; bad++) {
        uint32_t part = BYTES / BUFFERS;

        bench_open(&b, *state, 16);
        inject(b.rig, TRENCH_AXI_S2M_DATA_WRITE, TRENCH_AXI_SLVERR, bad);
        post_sum(&b);
        check_sum(&b, 0, part * bad, "before");
        CHECK_UNTOUCHED(b.rig, b.dst + part * bad, part, "buffer %u", bad);
        check_sum(&b, part * (bad + 1), BYTES, "behind");
        CHECK_EQ(rig_read(b.rig, ENGINE, SECONDARY(GROUP_B) + INT_CAUSE),
                 1u << 1, "buffer %u", bad);
        CHECK_EQ(rig_stats(b.rig, ENGINE).bytes, BYTES - part, "buffer %u",
                 bad);
        trench_soc_clear_faults(b.rig->soc);
    }
}

/* B8: an abort between the sources; afterwards they are read again. */
static void test_app_abort_while_reading(void **state)
{
    struct bench b;
    uint64_t rx;

    for (unsigned bad = 0; bad < SOURCES; bad++) {
        bench_open(&b, *state, 16);
        rx = bench_completions(&b, RX);
        rig_write(b.rig, ENGINE, SECONDARY(GROUP_A) + INT_ABORT_MASK,
                  ~(1u << 8));
        inject(b.rig, TRENCH_AXI_M2S_DATA_READ, TRENCH_AXI_SLVERR, bad);
        post_sum(&b);
        CHECK_EQ(rig_read(b.rig, ENGINE, STATE), 0x2222, "aborted");
        CHECK_UNTOUCHED(b.rig, b.dst, BYTES, "source %u", bad);
        trench_soc_clear_faults(b.rig->soc);
        rig_write(b.rig, ENGINE, SECONDARY(GROUP_A) + INT_CAUSE, 0);
        rig_write(b.rig, ENGINE, CHANGE_STATE, CMD_NORMAL);
        rig_write(b.rig, ENGINE, S2M + CHANGE_STATE, CMD_NORMAL); /* H4 */
        check_sum(&b, 0, BYTES, "again");
        CHECK_EQ(rig_word(b.rig, rx) & C_ERROR, C_ERROR, "remembered");
    }
}

/* ---- waiting ----------------------------------------------------------------
 */

/* Buffers come one by one; the sources may change meanwhile. */
static void test_app_starves_half_way(void **state)
{
    const uint32_t part = BYTES / BUFFERS;
    struct bench b;

    bench_open(&b, *state, 16);
    fill_sources(&b);
    put_sources(&b);
    put_sum_buffers(&b);
    rig_bell(&b.rq, TX, SOURCES);
    for (unsigned i = 0; i < BUFFERS; i++) {
        CHECK_UNTOUCHED(b.rig, b.dst + part * i, BYTES - part * i, "%u", i);
        rig_bell(&b.rq, RX, 1);
        check_sum(&b, 0, part * (i + 1), "so far");
        /* What was read stays read: the sum is one. */
        memset(rig_mem(b.rig, source(&b, 1), BYTES), 0xEE, BYTES);
    }
    CHECK_EQ(rig_stats(b.rig, ENGINE).packets, 1, "delivered");
}

/* Two queues have a packet under way at once. */
static void test_app_queues_wait_apart(void **state)
{
    struct bench b;
    struct rig_queue other;
    uint64_t dst;

    bench_open(&b, *state, 16);
    dst = rig_alloc(b.rig, 4096);
    rig_queue_open(&other, b.rig, ENGINE, QUEUE + 1, 16);
    fill_sources(&b);
    put_sources(&b);
    put_sum_buffers(&b);
    rig_bell(&b.rq, TX, SOURCES);
    rig_bell(&b.rq, RX, 1);
    rig_rx(&other, dst, 128);
    rig_desc(&other, TX, (uint32_t[]){ D_ONE | 64, W_REPLICATE | 2 }, b.src);
    rig_bell(&other, RX, 1);
    rig_bell(&other, TX, 1);
    CHECK_COPY(b.rig, dst + 64, b.src, 64, "the other queue");
    rig_bell(&b.rq, RX, BUFFERS - 1);
    check_sum(&b, 0, BYTES, "this one");
}

static void test_app_stepped(void **state)
{
    const struct trench_soc_conf conf = { .stepped = true };
    struct rig rig = { NULL, NULL, NULL, 0 };
    struct bench b;

    (void)state;
    rig_open(&rig, &conf);
    bench_open(&b, &rig, 16);
    post_sum(&b);
    CHECK_UNTOUCHED(b.rig, b.dst, BYTES, "only posted");
    CHECK_EQ(trench_soc_run(rig.soc, 0) > 0, true, "runs");
    check_sum(&b, 0, BYTES, "stepped");
    CHECK_EQ(trench_soc_run(rig.soc, 0), 0, "no more");
    rig_close(&rig);
}

/* ---- resets -----------------------------------------------------------------
 */

/* The first word of the stream is RST_Q of its own queue. */
static void test_app_resets_its_own_queue(void **state)
{
    struct bench b;

    for (enum side side = TX; side <= RX; side++) {
        uint32_t *src;

        bench_open(&b, *state, 16);
        src = rig_mem(b.rig, b.src, 8);
        src[0] = RST_Q;
        rig_rx(&b.rq,
               rig_engine_base(ENGINE) + q_off(side, QUEUE, sw_ctrl(side)), 4);
        rig_rx(&b.rq, b.dst, 4);
        app_buffer(&b, D_ONE, W_REPLICATE | 1, b.src, 8);
        rig_bell(&b.rq, RX, 2);
        rig_bell(&b.rq, TX, 1);
        CHECK_UNTOUCHED(b.rig, b.dst, 8, "side %d", side);
        CHECK_EQ(rig_read(b.rig, ENGINE, TDMA + 0x604), 0, "none in flight");
        rig_queue_program(&b.rq);
        rig_copy(&b.rq, b.dst, b.src, 64);
        CHECK_COPY(b.rig, b.dst, b.src, 64, "side %d: works again", side);
    }
}

/* Reset the queue in the n-th access of the packet. */
struct resetter {
    struct rig *rig;
    unsigned left;
    bool chip;
};

static unsigned judge_reset(const struct trench_access *a, const void *arg)
{
    struct resetter *r = *(struct resetter *const *)arg;

    (void)a;
    if (r->left > 0 && --r->left == 0) {
        if (r->chip) {
            trench_soc_reset(r->rig->soc);
        } else {
            rig_write(r->rig, ENGINE, q_off(TX, QUEUE, TXQ_SW_CTRL), RST_Q);
        }
    }
    return 0;
}

static void test_app_reset_in_each_access(void **state)
{
    struct bench b;

    for (unsigned chip = 0; chip < 2; chip++) {
        for (unsigned at = 1; at <= 16; at++) {
            struct resetter resetter = { *state, at, chip };
            struct resetter *arg = &resetter;
            struct rig_watch w = { .judge = judge_reset, .arg = &arg };

            bench_open(&b, *state, 16);
            rig_watch(b.rig, &w);
            post_sum(&b);
            trench_soc_set_access(b.rig->soc, NULL, NULL);
            CHECK_EQ(rig_read(b.rig, ENGINE, TDMA + 0x608) & ~(1u << QUEUE), 0,
                     "at %u", at);
            bench_open(&b, *state, 16);
            post_sum(&b);
            check_sum(&b, 0, BYTES, "afterwards");
        }
    }
}

/* ---- notifications ----------------------------------------------------------
 */

/* Records are about the stream: its length and checksum. */
static void test_app_notifies(void **state)
{
    static const unsigned codes[] = { R_M2S_SOP, R_S2M_SOP, R_M2S_EOP,
                                      R_S2M_EOP, R_S2M_CMPL };
    struct note_bench nb;
    uint32_t crc;

    note_open(&nb, *state, RING_BYTES);
    note_arm(&nb, true, true);
    fill_sources(&nb.b);
    put_sources(&nb.b);
    rig_rx(&nb.b.rq, nb.b.dst, BYTES);
    rig_bell(&nb.b.rq, RX, 1);
    rig_bell(&nb.b.rq, TX, SOURCES);
    check_sum(&nb.b, 0, BYTES, "told");
    crc = (uint32_t)crc32(0, rig_mem(nb.b.rig, nb.b.dst, BYTES), BYTES);
    for (unsigned i = 0; i < ARRAY_LEN(codes); i++) {
        CHECK_EQ(note_code(&nb, i), codes[i], "record %u", i);
        if (codes[i] == R_M2S_EOP || codes[i] == R_S2M_EOP) {
            CHECK_EQ(note_at(&nb, i).w[0] & 0xFFFFFF, BYTES, "record %u", i);
            CHECK_EQ(note_at(&nb, i).w[1] >> 16, crc & 0xFFFF, "record %u", i);
        }
    }
}

/* AXI request triggers see the reads of the sources. */
static void test_app_reads_are_told(void **state)
{
    struct note_bench nb;

    note_open(&nb, *state, RING_BYTES);
    note_set(&nb, FABRIC(0) + 4, 0x1F); /* the id is the queue's */
    note_set(&nb, FABRIC(0) + 8, QUEUE);
    note_set(&nb, FABRIC(0) + 0xC, RING);
    note_set(&nb, FABRIC(0), 1);
    put_sources(&nb.b);
    rig_rx(&nb.b.rq, nb.b.dst, BYTES);
    rig_bell(&nb.b.rq, RX, 1);
    rig_bell(&nb.b.rq, TX, SOURCES);
    CHECK_EQ(note_tail(&nb), 16 * SOURCES, "one each");
}

/* A full ring holds packets at any place; room sets them free. */
static void test_app_is_held_by_a_full_ring(void **state)
{
    struct note_bench nb;

    note_open(&nb, *state, 64); /* three records fit */
    note_set(&nb, NQ_SW_STALL, 1u << RING);
    note_set(&nb, NQ_HW_STALL, 0xFFFFFFFF);
    note_arm(&nb, true, true);
    fill_sources(&nb.b);
    for (unsigned i = 0; i < 4; i++) {
        put_sources(&nb.b);
        rig_rx(&nb.b.rq, nb.b.dst + i * 0x1000, BYTES);
    }
    rig_bell(&nb.b.rq, RX, 4);
    rig_bell(&nb.b.rq, TX, 4 * SOURCES);
    CHECK_EQ(rig_stats(nb.b.rig, ENGINE).packets < 4, true, "held");
    for (unsigned i = 0; i < 40; i++) {
        note_set(&nb, NQ_RING(RING, RING_HEAD), note_tail(&nb));
    }
    CHECK_EQ(rig_stats(nb.b.rig, ENGINE).packets, 4, "delivered");
    for (unsigned i = 0; i < 4; i++) {
        check_sum(&nb.b, 0, BYTES, "in the end");
        nb.b.dst += 0x1000;
    }
}

/* ---- addresses and swaps
 * ----------------------------------------------------- */

/* endian_cfg swaps what is read before it is computed with. */
static void test_app_swaps_sources(void **state)
{
    struct bench b;

    bench_open(&b, *state, 16);
    fill_sources(&b);
    for (unsigned i = 0; i < SOURCES; i++) {
        uint32_t *p = rig_mem(b.rig, source(&b, i), BYTES);

        for (unsigned k = 0; k < BYTES / 4; k++) {
            p[k] = __builtin_bswap32(p[k]);
        }
    }
    rig_write(b.rig, ENGINE, ENDIAN_CFG, 2); /* swap_m2s_data */
    put_sources(&b);
    put_sum_buffers(&b);
    rig_bell(&b.rq, RX, BUFFERS);
    rig_bell(&b.rq, TX, SOURCES);
    check_sum(&b, 0, BYTES, "swapped");
}

/* Buffers that cut groups: the stream is swapped as a copy's would be. */
static void test_app_swaps_buffers(void **state)
{
    struct bench b;
    uint32_t want[2][25];

    for (unsigned copy = 0; copy < 2; copy++) {
        bench_open(&b, *state, 16);
        rig_write(b.rig, ENGINE, ENDIAN_CFG, 8); /* swap_s2m_data */
        for (unsigned i = 0; i < 10; i++) {
            rig_rx(&b.rq, b.dst + 10 * i, 10);
        }
        app_buffer(&b, D_ONE, copy ? META_COPY : W_REPLICATE | 1, b.src, 100);
        rig_bell(&b.rq, RX, 10);
        rig_bell(&b.rq, TX, 1);
        memcpy(want[copy], rig_mem(b.rig, b.dst, 100), 100);
    }
    CHECK_MEM(want[0], want[1], 100, "the same bytes");
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_app_names_and_numbers),
        cmocka_unit_test(test_app_types),
        cmocka_unit_test(test_app_operations),
        cmocka_unit_test(test_app_in_flight_bits),
        cmocka_unit_test(test_app_accesses_are_seen),
        cmocka_unit_test(test_app_read_fault_at_each_source),
        cmocka_unit_test(test_app_source_may_be_nowhere),
        cmocka_unit_test(test_app_write_fault_at_each_buffer),
        cmocka_unit_test(test_app_abort_while_reading),
        cmocka_unit_test(test_app_starves_half_way),
        cmocka_unit_test(test_app_queues_wait_apart),
        cmocka_unit_test(test_app_stepped),
        cmocka_unit_test(test_app_resets_its_own_queue),
        cmocka_unit_test(test_app_reset_in_each_access),
        cmocka_unit_test(test_app_notifies),
        cmocka_unit_test(test_app_reads_are_told),
        cmocka_unit_test(test_app_is_held_by_a_full_ring),
        cmocka_unit_test(test_app_swaps_sources),
        cmocka_unit_test(test_app_swaps_buffers),
    };

    return cmocka_run_group_tests(tests, rig_setup, rig_teardown);
}
