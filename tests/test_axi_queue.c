/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * From a bad answer to what it does: detection and control tables, queue
 * states and their effects, error_status, counters (seed 002 3.3 to 3.5, 6;
 * common-blocks 1.1.5, 1.1.6; hardware.md H120 to H123).
 */
#include "rig.h"

#define BYTES    64u
#define MASTERS  7u /* with MSI-X, which has tables but no data path here */
#define NR_PATHS 6u
#define MARK     0x00010010u /* both mark_pkt fields as reset */

enum {
    RX_ACTIVE = 1,
    RX_NON_ACTIVE = 2,
    TX_ACTIVE = 4,
    TX_NON_ACTIVE = 8,
};
/* axi_queue.cfg */
enum {
    RX_STATE = 1 << 0,
    RX_MASK_PREF = 1 << 6,
    RX_MASK_DROP = 1 << 7,
    RX_MASK_CMPL = 1 << 8,
    TX_STATE = 1 << 12,
    TX_MASK_PREF = 1 << 18,
    TX_MASK_SCHED = 1 << 19,
    TX_MASK_CMPL = 1 << 20,
    TX_MASK_STREAM = 1 << 21,
};
/* axi_error_control.table_data */
enum {
    STOP_RX = 1,
    STOP_TX = 2,
    SET_STATUS = 4,
    INT_A = 16,
};

struct queue_bench {
    struct bench b;
    uint64_t comp[2];
};

static void open_queue(struct queue_bench *s, struct rig *r)
{
    trench_soc_clear_faults(r->soc);
    bench_open(&s->b, r, 64);
    s->comp[TX] = bench_completions(&s->b, TX);
    s->comp[RX] = bench_completions(&s->b, RX);
}

static void request(struct queue_bench *s, uint32_t bits)
{
    rig_write(s->b.rig, ENGINE, STATE_REQUEST(QUEUE), bits);
}

static uint32_t queue_cfg(struct queue_bench *s)
{
    return rig_read(s->b.rig, ENGINE, AXI_QUEUE_CFG(QUEUE));
}

static void set_cfg(struct queue_bench *s, uint32_t cfg)
{
    rig_write(s->b.rig, ENGINE, AXI_QUEUE_CFG(QUEUE), cfg);
}

static void copy(struct queue_bench *s)
{
    rig_copy(&s->b.rq, s->b.dst, s->b.src, BYTES);
}

static uint32_t comp(struct queue_bench *s, enum side side)
{
    return rig_word(s->b.rig, s->comp[side]);
}

static uint32_t head(struct queue_bench *s, enum side side)
{
    return rig_q(&s->b.rq, side, Q_HEAD) & 0xFFFFFF;
}

static bool copied(struct queue_bench *s)
{
    return memcmp(rig_mem(s->b.rig, s->b.dst, BYTES),
                  rig_mem(s->b.rig, s->b.src, BYTES), BYTES) == 0;
}

static void strike(struct queue_bench *s, unsigned master, unsigned code)
{
    const struct trench_fault fault = {
        .engine = ENGINE, .queue = QUEUE, .at = master, .code = code, .times = 1
    };

    CHECK_EQ(trench_soc_inject(s->b.rig->soc, &fault) >= 0, true, "inject");
    copy(s);
    trench_soc_clear_faults(s->b.rig->soc);
}

static void set_row(struct queue_bench *s, unsigned g, unsigned q,
                    unsigned type, uint32_t data)
{
    rig_write(s->b.rig, ENGINE, TABLE_ADDR(g), q << 3 | type);
    rig_write(s->b.rig, ENGINE, TABLE_DATA(g), data);
}

/* ---- states -------------------------------------------------------------- */

static void test_axi_queue_state_request(void **state)
{
    static const struct {
        uint32_t bits, want;
    } steps[] = {
        { TX_NON_ACTIVE, TX_STATE },
        { RX_NON_ACTIVE, TX_STATE | RX_STATE },
        { TX_ACTIVE, RX_STATE },
        { 0, RX_STATE },
        { RX_ACTIVE | TX_NON_ACTIVE, TX_STATE },
        { TX_ACTIVE | RX_NON_ACTIVE, RX_STATE },
        { RX_ACTIVE, 0 },
    };
    struct queue_bench s;

    open_queue(&s, *state);
    CHECK_EQ(queue_cfg(&s), MARK, "reset");
    for (size_t i = 0; i < ARRAY_LEN(steps); i++) {
        request(&s, steps[i].bits);
        CHECK_EQ(queue_cfg(&s), MARK | steps[i].want, "step=%zu", i);
        /* WO; and the states are read-only. */
        CHECK_EQ(rig_read(s.b.rig, ENGINE, STATE_REQUEST(QUEUE)), 0, "step=%zu",
                 i);
        set_cfg(&s, MARK | (~steps[i].want & (TX_STATE | RX_STATE)));
        CHECK_EQ(queue_cfg(&s), MARK | steps[i].want, "step=%zu", i);
        CHECK_EQ(rig_read(s.b.rig, ENGINE, AXI_QUEUE_CFG(QUEUE + 1)), MARK,
                 "other queue, step=%zu", i);
    }
}

/* tx_mask_stream_error is WO on cayman: set, but never seen. */
static void test_axi_queue_cfg_tx_mask_stream_error_is_wo(void **state)
{
    struct queue_bench s;

    open_queue(&s, *state);
    set_cfg(&s, 0xFFFFFFFF);
    CHECK_EQ(queue_cfg(&s) & TX_MASK_STREAM, 0, "WO");
}

/* A queue of an effect: what its cfg masks, and what comes of a packet. */
static void test_axi_queue_tx_effects(void **state)
{
    static const struct {
        uint32_t cfg;
        bool fetched, copied, tx_error, rx_error;
    } cases[] = {
        { MARK, false, false, false, false },
        { MARK | TX_MASK_PREF, true, false, false, false },
        { MARK | TX_MASK_SCHED, false, false, false, false },
        { MARK | TX_MASK_PREF | TX_MASK_SCHED, true, true, true, true },
        { MARK | TX_MASK_PREF | TX_MASK_SCHED | TX_MASK_CMPL, true, true, false,
          true },
        { MARK | TX_MASK_PREF | TX_MASK_SCHED | TX_MASK_STREAM, true, true,
          true, false },
        { MARK | TX_MASK_PREF | TX_MASK_SCHED | TX_MASK_CMPL | TX_MASK_STREAM,
          true, true, false, false },
        /* mark_pkt 0: never; 2: any. */
        { TX_MASK_PREF | TX_MASK_SCHED, true, true, false, false },
        { 2u << 16 | TX_MASK_PREF | TX_MASK_SCHED, true, true, true, true },
    };
    struct queue_bench s;

    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        open_queue(&s, *state);
        set_cfg(&s, cases[i].cfg);
        request(&s, TX_NON_ACTIVE);
        copy(&s);
        CHECK_EQ(head(&s, TX), cases[i].fetched, "case=%zu", i);
        CHECK_EQ(head(&s, RX), 1, "case=%zu", i);
        CHECK_EQ(copied(&s), cases[i].copied, "case=%zu", i);
        if (cases[i].copied) {
            CHECK_EQ((comp(&s, TX) & C_ERROR) != 0, cases[i].tx_error,
                     "case=%zu", i);
            CHECK_EQ((comp(&s, RX) & C_ERROR) != 0, cases[i].rx_error,
                     "case=%zu", i);
        } else {
            request(&s, TX_ACTIVE);
            CHECK_EQ(copied(&s), true, "case=%zu: ACTIVE again", i);
            CHECK_EQ(comp(&s, TX), D_ONE | D_LAP(1), "case=%zu", i);
            CHECK_EQ(comp(&s, RX), D_ONE | D_LAP(1) | C_BUF1, "case=%zu", i);
        }
    }
}

/* tx_mask_stop_sched alone: what had been fetched before goes on. */
static void test_axi_queue_tx_mask_stop_sched(void **state)
{
    struct queue_bench s;

    for (unsigned masked = 0; masked < 2; masked++) {
        open_queue(&s, *state);
        rig_q_set(&s.b.rq, TX, Q_CFG, 0x03010000); /* fetch only */
        copy(&s);
        CHECK_EQ(head(&s, TX), 1, "fetched");
        set_cfg(&s, MARK | (masked ? TX_MASK_SCHED : 0));
        request(&s, TX_NON_ACTIVE);
        rig_q_set(&s.b.rq, TX, Q_CFG, Q_CFG_ENABLED);
        CHECK_EQ(copied(&s), masked, "masked=%u", masked);
        /* The mask alone, changed later, is enough. */
        set_cfg(&s, MARK | TX_MASK_SCHED);
        CHECK_EQ(copied(&s), true, "masked=%u", masked);
    }
}

static void test_axi_queue_rx_effects(void **state)
{
    static const struct {
        uint32_t cfg;
        bool fetched, dropped, copied, rx_error;
    } cases[] = {
        { MARK, false, true, false, false },
        { MARK | RX_MASK_PREF, true, true, false, false },
        { MARK | RX_MASK_DROP, false, false, false, false },
        { MARK | RX_MASK_PREF | RX_MASK_DROP, true, false, true, true },
        { MARK | RX_MASK_PREF | RX_MASK_DROP | RX_MASK_CMPL, true, false, true,
          false },
        { RX_MASK_PREF | RX_MASK_DROP, true, false, true, false },
        { 2u << 4 | RX_MASK_PREF | RX_MASK_DROP, true, false, true, true },
    };
    struct queue_bench s;

    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        open_queue(&s, *state);
        set_cfg(&s, cases[i].cfg);
        request(&s, RX_NON_ACTIVE);
        copy(&s);
        CHECK_EQ(head(&s, TX), 1, "case=%zu", i);
        CHECK_EQ(head(&s, RX), cases[i].fetched, "case=%zu", i);
        CHECK_EQ(rig_read(s.b.rig, ENGINE, S2M_DROP_PKT), cases[i].dropped,
                 "case=%zu", i);
        CHECK_EQ(copied(&s), cases[i].copied, "case=%zu", i);
        if (cases[i].copied || cases[i].dropped) {
            CHECK_EQ(comp(&s, TX), D_ONE | D_LAP(1), "case=%zu", i);
        }
        if (cases[i].copied) {
            CHECK_EQ(comp(&s, RX),
                     D_ONE | D_LAP(1) | C_BUF1 |
                         (cases[i].rx_error ? C_ERROR : 0),
                     "case=%zu", i);
        } else if (!cases[i].dropped) { /* it waits for a buffer */
            request(&s, RX_ACTIVE);
            CHECK_EQ(copied(&s), true, "case=%zu: ACTIVE again", i);
        }
        request(&s, RX_ACTIVE);
        rig_copy(&s.b.rq, s.b.dst + 0x200, s.b.src, BYTES);
    }
}

/* mark_pkt: 0 never, 1 NON_ACTIVE, 2 any. A bad packet is marked anyway. */
static void check_mark(struct rig *r, enum side side, bool idle, uint32_t mark,
                       bool bad)
{
    struct queue_bench s;

    open_queue(&s, r);
    set_cfg(&s, mark << 16 | mark << 4 | TX_MASK_PREF | TX_MASK_SCHED |
                    RX_MASK_PREF | RX_MASK_DROP);
    if (idle) {
        request(&s, side == TX ? TX_NON_ACTIVE : RX_NON_ACTIVE);
    }
    if (bad) {
        strike(&s, TRENCH_AXI_M2S_DATA_READ, TRENCH_AXI_SLVERR);
    } else {
        copy(&s);
    }
    CHECK_EQ(copied(&s), !bad, "side=%d mark=%u", side, mark);
    CHECK_EQ((comp(&s, TX) & C_ERROR) != 0, bad || (idle && mark && side == TX),
             "TX %d %d %u %d", side, idle, mark, bad);
    CHECK_EQ((comp(&s, RX) & C_ERROR) != 0, bad || (idle && mark),
             "RX %d %d %u %d", side, idle, mark, bad);
}

static void test_axi_queue_cfg_tx_mark_pkt_rx_mark_pkt(void **state)
{
    for (unsigned i = 0; i < 2 * 2 * 2 * 4; i++) {
        check_mark(*state, i & 1 ? RX : TX, i & 2, i >> 3, i & 4);
    }
}

/*
 * Seed 002 3.5, udma_gen_unmask_queue_sched: with bits 19 and 18 clear "a
 * non-active queue actually stops".
 */
static void test_axi_queue_unmask_queue_sched(void **state)
{
    const uint32_t masks = TX_MASK_PREF | TX_MASK_SCHED;
    struct queue_bench s;

    open_queue(&s, *state);
    for (unsigned q = 0; q < 16; q++) {
        uint32_t at = GEN + 0x02C00 + q * 12 + 0x08;
        uint32_t cfg;

        rig_write(s.b.rig, ENGINE, at, MARK | masks | RX_MASK_CMPL);
        cfg = rig_read(s.b.rig, ENGINE, at);
        CHECK_EQ(cfg, MARK | masks | RX_MASK_CMPL, "q=%u", q);
        if (q == QUEUE) {
            request(&s, TX_NON_ACTIVE);
            copy(&s);
            CHECK_EQ(copied(&s), true, "masked: goes on");
            cfg |= TX_STATE;
        }
        rig_write(s.b.rig, ENGINE, at, cfg & ~(1u << 19 | 1u << 18));
        CHECK_EQ(rig_read(s.b.rig, ENGINE, at), cfg & ~masks, "q=%u", q);
    }
    memset(rig_mem(s.b.rig, s.b.dst, BYTES), 0, BYTES);
    copy(&s);
    CHECK_EQ(head(&s, TX), 1, "no prefetch");
    CHECK_UNTOUCHED(s.b.rig, s.b.dst, BYTES, "stops");
}

/* Another queue of the engine goes on. */
static void test_axi_queue_is_one_queue(void **state)
{
    struct queue_bench s;
    struct rig_queue other;

    open_queue(&s, *state);
    request(&s, TX_NON_ACTIVE | RX_NON_ACTIVE);
    rig_queue_open(&other, s.b.rig, ENGINE, QUEUE + 1, 32);
    rig_copy(&other, s.b.dst, s.b.src, BYTES);
    CHECK_EQ(copied(&s), true, "other queue");
}

/* ---- tables -------------------------------------------------------------- */

/* Every code to a type of its own, every action alone. */
static void check_action(struct rig *r, unsigned g, unsigned code,
                         uint32_t action)
{
    unsigned type = (code * 3 + g) & 7;
    uint32_t want_state;
    struct queue_bench s;

    open_queue(&s, r);
    rig_write(r, ENGINE, AXI_QUEUE_CFG(QUEUE), MARK | 15u << 24);
    for (unsigned other = 0; other < 8; other++) {
        /* Rows that are not meant say the contrary. */
        set_row(&s, g, QUEUE, other, other == type ? action : ~action & 0xFF);
        set_row(&s, g, QUEUE + 1, other, 0xFF);
        set_row(&s, (g + 1) % MASTERS, QUEUE, other, 0xFF);
    }
    rig_write(r, ENGINE, DETECTION(g, code), 8 | type);
    strike(&s, g, code);
    want_state =
        (action & STOP_RX ? RX_STATE : 0) | (action & STOP_TX ? TX_STATE : 0);
    CHECK_EQ(queue_cfg(&s), MARK | 15u << 24 | want_state,
             "g=%u code=%u action=0x%x", g, code, action);
    for (unsigned group = 0; group < 4; group++) {
        CHECK_EQ(rig_read(r, ENGINE, INT_CTRL(g, group) + INT_CAUSE),
                 action >> (4 + group) & 1 ? 1u << QUEUE : 0,
                 "g=%u code=%u action=0x%x group %u", g, code, action, group);
    }
    CHECK_EQ(rig_read(r, ENGINE, ERROR_STATUS(QUEUE)),
             action & SET_STATUS ? 1u << 28 | code << 4 * g : 0,
             "g=%u code=%u action=0x%x", g, code, action);
    CHECK_EQ(rig_read(r, ENGINE, ERROR_STATUS(QUEUE)), 0, "clear on read");
    CHECK_EQ(rig_read(r, ENGINE, ERROR_STATUS(QUEUE + 1)), 0, "other queue");
}

static void test_axi_error_control_every_action(void **state)
{
    for (unsigned g = 0; g < NR_PATHS; g++) {
        for (unsigned code = 1; code < 16; code++) {
            for (unsigned bit = 0; bit < 8; bit++) {
                check_action(*state, g, code, 1u << bit);
            }
            check_action(*state, g, code, 0xFF);
        }
    }
}

/* Step 2: without error_indication nothing happens. */
static void test_axi_error_detection_table_indication(void **state)
{
    struct queue_bench s;

    for (unsigned g = 0; g < NR_PATHS; g++) {
        open_queue(&s, *state);
        for (unsigned code = 0; code < 16; code++) {
            rig_write(s.b.rig, ENGINE, DETECTION(g, code), 7);
        }
        set_row(&s, g, QUEUE, 7, 0xFF);
        strike(&s, g, TRENCH_AXI_SLVERR);
        CHECK_EQ(queue_cfg(&s), MARK, "g=%u", g);
        CHECK_EQ(rig_read(s.b.rig, ENGINE, ERROR_STATUS(QUEUE)), 0, "g=%u", g);
        CHECK_EQ(rig_read(s.b.rig, ENGINE, INT_CTRL(g, 0) + INT_CAUSE), 0,
                 "g=%u", g);
    }
}

/* table_data shows the row of table_addr: 7 masters, 128 rows. */
static void test_axi_error_control_reads_back(void **state)
{
    uint32_t rnd = rig_seed("test_axi_error_control_reads_back", 0x7AB1E);
    static uint8_t want[MASTERS][128];
    struct queue_bench s;

    open_queue(&s, *state);
    for (unsigned n = 0; n < 4000; n++) {
        unsigned g = rig_random(&rnd) % MASTERS;
        unsigned row = rig_random(&rnd) % 128;

        rig_write(s.b.rig, ENGINE, TABLE_ADDR(g), row);
        CHECK_EQ(rig_read(s.b.rig, ENGINE, TABLE_DATA(g)), want[g][row],
                 "g=%u row=%u", g, row);
        if (rig_random(&rnd) % 2) {
            want[g][row] = (uint8_t)rnd;
            rig_write(s.b.rig, ENGINE, TABLE_DATA(g), want[g][row]);
        }
    }
    trench_soc_reset(s.b.rig->soc);
    for (unsigned row = 0; row < 128; row++) {
        rig_write(s.b.rig, ENGINE, TABLE_ADDR(3), row);
        CHECK_EQ(rig_read(s.b.rig, ENGINE, TABLE_DATA(3)), 0, "row=%u", row);
    }
}

/* Codes of a master are ORed; the count stops at max_error_occurred. */
static void test_axi_queue_error_status(void **state)
{
    struct queue_bench s;

    for (uint32_t max = 0; max < 16; max += 5) {
        uint32_t status;

        open_queue(&s, *state);
        set_cfg(&s, MARK | max << 24);
        for (unsigned g = 1; g < NR_PATHS; g += 3) { /* the data masters */
            rig_write(s.b.rig, ENGINE, DETECTION(g, 1), 8);
            rig_write(s.b.rig, ENGINE, DETECTION(g, 2), 8);
            rig_write(s.b.rig, ENGINE, DETECTION(g, 8), 8);
            set_row(&s, g, QUEUE, 0, SET_STATUS);
        }
        for (unsigned n = 0; n < 12; n++) {
            strike(&s, TRENCH_AXI_M2S_DATA_READ, n % 2 ? 2 : 8);
        }
        strike(&s, TRENCH_AXI_S2M_DATA_WRITE, 1);
        status = rig_read(s.b.rig, ENGINE, ERROR_STATUS(QUEUE));
        CHECK_EQ(status & 0x0FFFFFFF, 0xAu << 4 | 1u << 16, "max=%u", max);
        CHECK_EQ(status >> 28, max < 13 ? max : 13, "max=%u", max);
        /* Read-only, and empty after the read. */
        rig_write(s.b.rig, ENGINE, ERROR_STATUS(QUEUE), 0xFFFFFFFF);
        CHECK_EQ(rig_read(s.b.rig, ENGINE, ERROR_STATUS(QUEUE)), 0, "max=%u",
                 max);
    }
}

/* A fault that stops its own queue: what was sent before, and recovery. */
static void test_axi_queue_recovers(void **state)
{
    struct queue_bench s;

    open_queue(&s, *state);
    rig_write(s.b.rig, ENGINE, DETECTION(4, 2), 8);
    set_row(&s, 4, QUEUE, 0, STOP_RX | STOP_TX | SET_STATUS);
    strike(&s, TRENCH_AXI_S2M_DATA_WRITE, 2);
    CHECK_EQ(queue_cfg(&s) & (TX_STATE | RX_STATE), TX_STATE | RX_STATE,
             "stopped");
    copy(&s);
    CHECK_EQ(copied(&s), false, "stays stopped");
    request(&s, TX_ACTIVE | RX_ACTIVE);
    CHECK_EQ(copied(&s), true, "goes on");
    CHECK_EQ(rig_word(s.b.rig, s.comp[TX] + 4), D_ONE | D_LAP(1), "good");
}

/* ---- the sunda driver's values ------------------------------------------- */

/* common-blocks 1.1.5, driver values. */
static void load_driver_values(struct rig *r)
{
    static const unsigned codes[] = { 1, 2, 3, 9, 10, 11 };

    for (unsigned g = 0; g < 6; g++) {
        for (size_t i = 0; i < ARRAY_LEN(codes); i++) {
            rig_write(r, ENGINE, DETECTION(g, codes[i]), 0xF);
        }
        for (unsigned q = 0; q < 16; q++) {
            rig_write(r, ENGINE, TABLE_ADDR(g), q << 3 | 7);
            rig_write(r, ENGINE, TABLE_DATA(g), 0x10);
        }
        rig_write(r, ENGINE, INT_CTRL(g, 0) + INT_CONTROL, 0x28);
        rig_write(r, ENGINE, INT_CTRL(g, 0) + INT_ABORT_MASK, 0);
        rig_write(r, ENGINE, INT_CTRL(g, 0) + INT_MASK_CLEAR, 0);
    }
    rig_write(r, ENGINE, GEN + 0x2300, 0xFFFFFFFF);
}

static void check_driver_values(struct rig *r)
{
    struct queue_bench s;

    for (unsigned g = 0; g < 6; g++) {
        for (unsigned code = 1; code < 16; code++) {
            bool bad = (code & 3) && !(code & 4);

            open_queue(&s, r);
            load_driver_values(s.b.rig);
            strike(&s, g, code);
            CHECK_EQ(rig_read(s.b.rig, ENGINE, STATE) == 0x2222, bad,
                     "g=%u code=%u", g, code);
            CHECK_EQ(rig_read(s.b.rig, ENGINE, S2M + STATE) == 0x22222, bad,
                     "g=%u code=%u", g, code);
            CHECK_EQ(rig_read(s.b.rig, ENGINE, INT_CTRL(g, 0) + INT_CAUSE),
                     bad ? 1u << QUEUE : 0, "g=%u code=%u", g, code);
            CHECK_EQ(queue_cfg(&s), MARK, "no queue stops");
        }
    }
}

static void test_axi_driver_values_abort(void **state)
{
    check_driver_values(*state);
}

/* The driver writes them there alone. */
static void test_axi_driver_values_abort_on_sunda(void **state)
{
    struct rig *r = *state;

    check_driver_values(r);
    /* RW there (seed 002 6): the mask can be read back. */
    rig_write(r, ENGINE, AXI_QUEUE_CFG(QUEUE), MARK | TX_MASK_STREAM);
    CHECK_EQ(rig_read(r, ENGINE, AXI_QUEUE_CFG(QUEUE)), MARK | TX_MASK_STREAM,
             "RW");
    rig_write(r, ENGINE, AXI_QUEUE_CFG(QUEUE), MARK);
    CHECK_EQ(rig_read(r, ENGINE, AXI_QUEUE_CFG(QUEUE)), MARK, "RW");
}

/* ---- outstanding counters ------------------------------------------------ */

/* A time-out leaves its request outstanding; each strobe clears its own. */
static void test_axi_outstanding_cnt_rst_counters(void **state)
{
    struct queue_bench s;

    for (unsigned n = 0; n < NR_PATHS; n++) {
        open_queue(&s, *state);
        for (unsigned g = 0; g < NR_PATHS; g++) {
            for (unsigned i = 0; i <= g; i++) {
                rig_queue_program(&s.b.rq);
                rig_q_set(&s.b.rq, TX, TXQ_COMP_CFG, 3);
                rig_q_set(&s.b.rq, RX, RXQ_COMP_CFG, 3);
                strike(&s, g, TRENCH_AXI_TIMEOUT);
                strike(&s, g, TRENCH_AXI_PARITY); /* was answered */
            }
        }
        rig_write(s.b.rig, ENGINE, RST_COUNTERS(QUEUE), 1u << (31 - n));
        for (unsigned g = 0; g < NR_PATHS; g++) {
            CHECK_EQ(rig_read(s.b.rig, ENGINE, OUTSTANDING(QUEUE, g)),
                     g == n ? 0 : (g + 1) << 24, "strobe=%u counter=%u", n, g);
            CHECK_EQ(rig_read(s.b.rig, ENGINE, OUTSTANDING(QUEUE + 1, g)), 0,
                     "other queue");
        }
        CHECK_EQ(rig_read(s.b.rig, ENGINE, RST_COUNTERS(QUEUE)), 0, "WO");
        rig_write(s.b.rig, ENGINE, RST_COUNTERS(QUEUE), 0xFC000000);
        for (unsigned g = 0; g < NR_PATHS; g++) {
            CHECK_EQ(rig_read(s.b.rig, ENGINE, OUTSTANDING(QUEUE, g)), 0,
                     "all, counter=%u", g);
        }
    }
}

/* Seed 002 6: RW on sunda. It reads back, and each write is a strobe. */
static void test_axi_outstanding_cnt_rst_counters_of_sunda(void **state)
{
    struct queue_bench s;

    open_queue(&s, *state);
    for (unsigned i = 0; i < 2; i++) {
        strike(&s, TRENCH_AXI_M2S_DATA_READ, TRENCH_AXI_TIMEOUT);
        CHECK_EQ(rig_read(s.b.rig, ENGINE, OUTSTANDING(QUEUE, 1)), 1u << 24,
                 "round %u", i);
        rig_write(s.b.rig, ENGINE, RST_COUNTERS(QUEUE), 1u << 30);
        CHECK_EQ(rig_read(s.b.rig, ENGINE, RST_COUNTERS(QUEUE)), 1u << 30,
                 "RW");
        CHECK_EQ(rig_read(s.b.rig, ENGINE, OUTSTANDING(QUEUE, 1)), 0,
                 "round %u", i);
    }
}

/* 8 bits: 255 is as far as it goes. */
static void test_axi_outstanding_cnt_saturates(void **state)
{
    struct queue_bench s;

    open_queue(&s, *state);
    for (unsigned i = 0; i < 260; i++) {
        strike(&s, TRENCH_AXI_M2S_DATA_READ, TRENCH_AXI_TIMEOUT);
    }
    CHECK_EQ(rig_read(s.b.rig, ENGINE, OUTSTANDING(QUEUE, 1)), 0xFF000000,
             "255");
}

#define TEST(name)                                                             \
    cmocka_unit_test_setup_teardown(name, rig_setup, rig_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_axi_queue_state_request),
        TEST(test_axi_queue_cfg_tx_mask_stream_error_is_wo),
        TEST(test_axi_queue_tx_effects),
        TEST(test_axi_queue_tx_mask_stop_sched),
        TEST(test_axi_queue_rx_effects),
        TEST(test_axi_queue_cfg_tx_mark_pkt_rx_mark_pkt),
        TEST(test_axi_queue_unmask_queue_sched),
        TEST(test_axi_queue_is_one_queue),
        TEST(test_axi_error_control_every_action),
        TEST(test_axi_error_detection_table_indication),
        TEST(test_axi_error_control_reads_back),
        TEST(test_axi_queue_error_status),
        TEST(test_axi_queue_recovers),
        TEST(test_axi_driver_values_abort),
        cmocka_unit_test_setup_teardown(test_axi_driver_values_abort_on_sunda,
                                        rig_setup_sunda, rig_teardown),
        TEST(test_axi_outstanding_cnt_rst_counters),
        cmocka_unit_test_setup_teardown(
            test_axi_outstanding_cnt_rst_counters_of_sunda, rig_setup_sunda,
            rig_teardown),
        TEST(test_axi_outstanding_cnt_saturates),
    };

    return cmocka_run_group_tests_name("axi_queue", tests, NULL, NULL);
}
