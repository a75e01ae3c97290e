/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The notification block by rule, one record at a time: a register write that
 * a fabric trigger looks for makes one. common-blocks 2; hardware.md H90 to
 * H104.
 */
#include "note_rig.h"

/* Trigger t tells of writes to this register, into ring q. */
#define SPOT(t)  (GEN_EX + 0x500u + 4u * (t))
#define INPUT(t) (10u + (t)) /* APB_REQ_0 and 1 are the last two classes */

static void aim(struct note_bench *nb, unsigned t, unsigned q)
{
    note_set(nb, FABRIC(t) + 0x20, 0);
    note_set(nb, FABRIC(t) + 0x24, 0xFFFFFFFF);
    note_set(nb, FABRIC(t) + 0x28, (uint32_t)rig_engine_base(ENGINE) + SPOT(t));
    note_set(nb, FABRIC(t) + 0x2C, q);
    note_set(nb, FABRIC(t) + 0x20, 1);
}

static void poke(struct note_bench *nb, unsigned t, unsigned n)
{
    for (unsigned i = 0; i < n; i++) {
        note_set(nb, SPOT(t), 0);
    }
}

static void open_aimed(struct note_bench *nb, struct rig *r, uint32_t bytes)
{
    note_open(nb, r, bytes);
    aim(nb, 0, RING);
    aim(nb, 1, RING);
}

static uint32_t flags(struct note_bench *nb, unsigned n)
{
    return note_at(nb, n).w[0] >> 29;
}

enum {
    F_SW = 1, /* software_queue_overflow */
    F_HW = 2,
    F_PHASE = 4,
};

/* ---- rings ------------------------------------------------------------------
 */

/* tail_ptr, nq_full, head_ptr; phase 1 in the first lap (H92), then 0. */
static void test_notific_ring_wraps_and_phase_flips(void **state)
{
    struct note_bench nb;

    open_aimed(&nb, *state, 64);
    for (unsigned i = 0; i < 13; i++) {
        note_set(&nb, NQ_RING(RING, RING_HEAD), i % 4 * 16); /* empty */
        CHECK_EQ(note_get(&nb, NQ_FULL), 0, "record %u", i);
        poke(&nb, 0, 1);
        CHECK_EQ(note_tail(&nb), (i + 1) % 4 * 16, "record %u", i);
        CHECK_EQ(flags(&nb, i % 4), i / 4 % 2 ? 0 : F_PHASE, "record %u", i);
    }
    CHECK_EQ(note_get(&nb, NQ_STATS), 13, "nq_stats");
    CHECK_EQ(note_get(&nb, NQ_STATS), 0, "clears on read");
}

/* base_addr: writing it starts the ring over; size alone does not (H93). */
static void test_notific_base_addr_restarts(void **state)
{
    static const uint32_t regs[] = { RING_BASE_LO, RING_BASE_HI };
    struct note_bench nb;

    for (size_t i = 0; i < ARRAY_LEN(regs); i++) {
        open_aimed(&nb, *state, 64);
        poke(&nb, 0, 3);
        note_set(&nb, NQ_RING(RING, RING_HEAD), 48);
        note_set(&nb, NQ_RING(RING, RING_SIZE), 64);
        CHECK_EQ(note_tail(&nb), 48, "size");
        note_set(&nb, NQ_RING(RING, regs[i]),
                 note_get(&nb, NQ_RING(RING, regs[i])));
        CHECK_EQ(note_tail(&nb), 0, "tail");
        CHECK_EQ(note_get(&nb, NQ_RING(RING, RING_HEAD)), 0, "head");
        poke(&nb, 0, 1);
        CHECK_EQ(flags(&nb, 0), F_PHASE, "phase");
    }
}

/* Neither policy: dropped, interrupt 0; the next one tells (2.5). */
static void test_notific_full_drops(void **state)
{
    struct note_bench nb;

    open_aimed(&nb, *state, 64);
    poke(&nb, 0, 5);
    CHECK_EQ(note_get(&nb, NQ_FULL), 1u << RING, "three fit");
    CHECK_EQ(note_tail(&nb), 48, "tail");
    CHECK_EQ(note_intr(&nb, 0), 2, "interrupt 0");
    note_set(&nb, NQ_RING(RING, RING_HEAD), 32);
    poke(&nb, 0, 2);
    CHECK_EQ(flags(&nb, 3), F_PHASE | F_SW, "tells");
    CHECK_EQ(flags(&nb, 0), 0, "once");
}

/* nq_sw_overflow: overwritten, and the ring looks empty; no interrupt 0. */
static void test_notific_nq_sw_overflow(void **state)
{
    struct note_bench nb;

    open_aimed(&nb, *state, 64);
    note_set(&nb, NQ_OVERWRITE, 1u << RING);
    poke(&nb, 0, 4);
    CHECK_EQ(note_tail(&nb), 0, "tail == head");
    CHECK_EQ(note_get(&nb, NQ_FULL), 0, "looks empty");
    CHECK_EQ(note_intr(&nb, 0), 0, "suppressed");
    /* Both policies: overwriting wins, and the interrupt is raised. */
    note_set(&nb, NQ_SW_STALL, 1u << RING);
    poke(&nb, 0, 4);
    CHECK_EQ(note_tail(&nb), 0, "tail");
    CHECK_EQ(note_intr(&nb, 0), 1, "interrupt 0");
    CHECK_EQ(note_block(&nb)->nr_held, 0, "nothing waits");
}

/* sw_backpressure: the record waits in its input, seen in the NIQ window. */
static void test_notific_sw_backpressure(void **state)
{
    struct note_bench nb;

    open_aimed(&nb, *state, 64);
    note_set(&nb, NQ_SW_STALL, 1u << RING);
    poke(&nb, 0, 3);
    trench_soc_advance(nb.b.rig->soc, 5);
    poke(&nb, 0, 1);
    CHECK_EQ(note_get(&nb, NQ_NIQ_COUNT), 12, "niq_buffer_count");
    for (unsigned i = 0; i < 14; i++) {
        const uint32_t want[] = { 0x02000000, 0, 5 * 0x400, 0, RING };

        note_set(&nb, NQ_NIQ_INDEX, i);
        for (unsigned w = 0; w < 5; w++) {
            uint32_t val = note_get(&nb, NQ_NIQ_0 + 4 * w);

            if (i != INPUT(0)) {
                CHECK_EQ(val, 0, "input %u word %u", i, w);
            } else if (w == 1) {
                CHECK_EQ(val & 0xF, R_APB_REQ, "class");
            } else {
                CHECK_EQ(w == 0 ? val & 0xFF000000 : val, want[w], "word %u",
                         w);
            }
        }
    }
    note_set(&nb, NQ_RING(RING, RING_HEAD), 16);
    CHECK_EQ(note_tail(&nb), 0, "written when there is room");
    CHECK_EQ(note_at(&nb, 3).w[2], 5 * 0x400, "with the time of its birth");
    CHECK_EQ(note_intr(&nb, 0), 1, "interrupt 0 once");
}

/* hw_backpressure: a full input loses the newcomer; interrupts 2 and 3. */
static void test_notific_hw_backpressure(void **state)
{
    struct note_bench nb;

    for (unsigned on = 0; on <= 1; on++) {
        open_aimed(&nb, *state, 16); /* full at once */
        note_set(&nb, NQ_SW_STALL, 1u << RING);
        note_set(&nb, NQ_HW_STALL, on << INPUT(0));
        poke(&nb, 0, 4);
        poke(&nb, 1, 1);
        CHECK_EQ(note_intr(&nb, 2), on, "told to wait, once");
        CHECK_EQ(note_intr(&nb, 3), on ? 0 : 3, "lost");
        CHECK_EQ(note_block(&nb)->counts.input, 3, "lost");
        note_set(&nb, NQ_OVERWRITE, 1u << RING);
        CHECK_EQ(note_get(&nb, NQ_STATS), 2, "one of each class");
        CHECK_EQ(note_code(&nb, 0), R_APB_REQ + 1, "in order");
    }
}

/* The last record before the loss carries hardware_queue_overflow. */
static void test_notific_hardware_overflow_bit(void **state)
{
    struct note_bench nb;

    open_aimed(&nb, *state, 64);
    note_set(&nb, NQ_SW_STALL, 1u << RING);
    poke(&nb, 0, 5);
    note_set(&nb, NQ_RING(RING, RING_HEAD), 32);
    CHECK_EQ(flags(&nb, 3), F_PHASE | F_HW, "the one that was held");
}

/* wr_buf_enable: class by class, silently (H90). */
static void test_notific_wr_buf_enable(void **state)
{
    static const unsigned classes[] = { R_M2S_SOP, R_M2S_EOP, R_S2M_SOP,
                                        R_S2M_EOP, R_S2M_CMPL };
    static const unsigned inputs[] = { 0, 1, 3, 4, 5 };
    struct note_bench nb;

    for (size_t i = 0; i < ARRAY_LEN(classes); i++) {
        note_open(&nb, *state, RING_BYTES);
        note_set(&nb, NQ_INPUTS, 1u << inputs[i]);
        note_arm(&nb, true, true);
        note_packet(&nb);
        CHECK_EQ(note_tail(&nb), 16, "input %u", inputs[i]);
        CHECK_EQ(note_code(&nb, 0), classes[i], "input %u", inputs[i]);
        for (unsigned bit = 0; bit < NOTIFIC_NR_INTRS; bit++) {
            CHECK_EQ(note_intr(&nb, bit), 0, "silently");
        }
    }
}

/* nq_enable: to a ring that is off, dropped, interrupt 1; so without ring. */
static void test_notific_nq_enable(void **state)
{
    static const uint32_t sizes[] = { 0, 1, 15 };
    struct note_bench nb;

    open_aimed(&nb, *state, 64);
    note_set(&nb, NQ_ENABLE, ~(1u << RING));
    poke(&nb, 0, 2);
    CHECK_EQ(note_intr(&nb, 1), 2, "off");
    note_set(&nb, NQ_ENABLE, 0xFFFFFFFF);
    CHECK_EQ(note_get(&nb, NQ_ENABLE), 0x3FF, "ten");
    for (size_t i = 0; i < ARRAY_LEN(sizes); i++) {
        note_set(&nb, NQ_RING(RING, RING_SIZE), sizes[i]);
        poke(&nb, 0, 1);
        CHECK_EQ(note_intr(&nb, 1), 3 + i, "size %u", sizes[i]);
    }
    CHECK_EQ(note_tail(&nb), 0, "nothing written");
    CHECK_UNTOUCHED(nb.b.rig, nb.ring, 64, "nothing written");
}

/* The driver's halt: base 0, size 0, without touching the enable (2.6). */
static void test_notific_teardown_drops_what_is_held(void **state)
{
    struct note_bench nb;

    open_aimed(&nb, *state, 64);
    note_set(&nb, NQ_SW_STALL, 1u << RING);
    poke(&nb, 0, 4);
    CHECK_EQ(note_block(&nb)->nr_held, 1, "held");
    note_ring(&nb, RING, 0, 0);
    CHECK_EQ(note_block(&nb)->nr_held, 0, "gone");
    poke(&nb, 0, 4);
    CHECK_UNTOUCHED(nb.b.rig, 0, 64, "nothing at 0");
    CHECK_UNTOUCHED(nb.b.rig, nb.ring + 48, 64, "nothing more");
}

/* nq_uart_mode: every record to the base, the tail stays. */
static void test_notific_nq_uart_mode(void **state)
{
    struct note_bench nb;

    open_aimed(&nb, *state, 32);
    note_set(&nb, NQ_UART, 1);
    for (unsigned i = 0; i < 5; i++) {
        trench_soc_advance(nb.b.rig->soc, 1);
        poke(&nb, 0, 1);
        CHECK_EQ(note_at(&nb, 0).w[2], (i + 1) * 0x400, "record %u", i);
    }
    CHECK_EQ(note_tail(&nb), 0, "tail");
    CHECK_EQ(note_intr(&nb, 0), 0, "never full");
    CHECK_UNTOUCHED(nb.b.rig, nb.ring + 16, 16, "only the base");
}

/* threshold, nq_threshold_en, nq_threshold_passed: once until head_ptr. */
static void test_notific_threshold(void **state)
{
    struct note_bench nb;

    open_aimed(&nb, *state, 128);
    note_set(&nb, NQ_RING(RING, RING_THRESHOLD), 48);
    poke(&nb, 0, 3);
    CHECK_EQ(note_intr(&nb, 6), 0, "off");
    note_set(&nb, NQ_RING(RING, RING_HEAD), 32);
    note_set(&nb, NQ_THLD_EN, 1u << RING);
    for (unsigned i = 2; i < 6; i++) {
        poke(&nb, 0, 1);
        CHECK_EQ(note_intr(&nb, 6), i >= 3, "%u records", i);
        CHECK_EQ(note_get(&nb, NQ_PASSED), i >= 3 ? 1u << RING : 0,
                 "%u records", i);
    }
    note_set(&nb, NQ_RING(RING, RING_HEAD), 48);
    CHECK_EQ(note_get(&nb, NQ_PASSED), 0, "head re-arms");
    poke(&nb, 0, 1); /* wraps: usage 80 of 128 */
    CHECK_EQ(note_intr(&nb, 6), 2, "again, over the wrap");
}

/* Two rings that are on and overlap: interrupt 7, at the edge. */
static void test_notific_overlap(void **state)
{
    struct note_bench nb;

    open_aimed(&nb, *state, 64);
    note_ring(&nb, 7, nb.ring + 63, 64);
    CHECK_EQ(note_intr(&nb, 7), 0, "ring 7 is off");
    note_set(&nb, NQ_ENABLE, 1u << RING | 1u << 7);
    CHECK_EQ(note_intr(&nb, 7), 1, "one byte");
    note_set(&nb, NQ_RING(7, RING_SIZE), 128);
    CHECK_EQ(note_intr(&nb, 7), 1, "still");
    note_set(&nb, NQ_RING(7, RING_BASE_LO), (uint32_t)nb.ring + 64);
    CHECK_EQ(note_intr(&nb, 7), 1, "apart");
    note_set(&nb, NQ_RING(RING, RING_SIZE), 80);
    CHECK_EQ(note_intr(&nb, 7), 2, "again");
}

/* A ring that is not memory: lost, address kept, interrupt 4 (H98). */
static void test_notific_axi_error(void **state)
{
    struct note_bench nb;

    open_aimed(&nb, *state, 64);
    note_ring(&nb, RING, UNMAPPED, 64);
    poke(&nb, 0, 2);
    CHECK_EQ(note_get(&nb, NQ_ERROR_LO), (uint32_t)UNMAPPED + 16, "low");
    CHECK_EQ(note_get(&nb, NQ_ERROR_HI), UNMAPPED >> 32, "high");
    CHECK_EQ(note_intr(&nb, 4), 2, "interrupt 4");
    CHECK_EQ(note_tail(&nb), 32, "the pointer moved when they were sent");
    note_ring(&nb, RING, UINT64_MAX - 31, 64); /* wraps past 2^64 */
    poke(&nb, 0, 3);
    CHECK_EQ(note_intr(&nb, 4), 5, "interrupt 4");
    /* Half in memory: the fault is of the one that is not. */
    note_ring(&nb, RING, HBM_BYTES - 24, 64);
    poke(&nb, 0, 2);
    CHECK_EQ(note_intr(&nb, 4), 6, "the second");
}

/* The ring's memory goes and comes under records that follow each other. */
static void test_notific_ring_is_remapped(void **state)
{
    uint32_t was[64] = { 0 };
    uint32_t is[64] = { 0 };
    struct trench_bus_mem mem = {
        .name = "ring", .base = UNMAPPED, .size_bytes = sizeof(was), .host = was
    };
    struct note_bench nb;
    struct trench_bus *bus;

    open_aimed(&nb, *state, sizeof(was));
    bus = nb.b.rig->bus;
    CHECK_EQ(trench_bus_add_memory(bus, &mem), 0, "add");
    note_ring(&nb, RING, UNMAPPED, sizeof(was));
    poke(&nb, 0, 3);
    CHECK_EQ(was[8] >> 31, 1, "the third is there");
    CHECK_EQ(trench_bus_remove(bus, UNMAPPED), 0, "remove");
    poke(&nb, 0, 1);
    CHECK_EQ(was[12], 0, "not where memory was");
    CHECK_EQ(note_intr(&nb, 4), 1, "refused");
    mem.host = is;
    CHECK_EQ(trench_bus_add_memory(bus, &mem), 0, "add");
    poke(&nb, 0, 2);
    CHECK_EQ(was[16] | was[20], 0, "not where memory was");
    CHECK_EQ(is[16] >> 31 & is[20] >> 31, 1, "where it is");
    CHECK_EQ(trench_bus_remove(bus, UNMAPPED), 0, "remove");
}

/* timestamp_lo, timestamp_hi, timestamp_inc. */
static void test_notific_timestamp(void **state)
{
    struct note_bench nb;

    open_aimed(&nb, *state, 64);
    CHECK_EQ(note_get(&nb, NQ_TIME_INC), 0x400, "reset");
    trench_soc_advance(nb.b.rig->soc, UINT64_C(1) << 30);
    CHECK_EQ(note_get(&nb, NQ_TIME_LO), 0, "low");
    CHECK_EQ(note_get(&nb, NQ_TIME_HI), 1u << 8, "high");
    note_set(&nb, NQ_TIME_INC, 3);
    CHECK_EQ(note_get(&nb, NQ_TIME_HI), 1u << 8, "no jump");
    trench_soc_advance(nb.b.rig->soc, 5);
    CHECK_EQ(note_get(&nb, NQ_TIME_LO), 15, "slower from here");
    poke(&nb, 0, 1);
    CHECK_EQ(note_at(&nb, 0).w[2], 15, "in the record");
    CHECK_EQ(note_at(&nb, 0).w[3], 1u << 8, "in the record");
    note_set(&nb, NQ_TIME_LO, 77);
    CHECK_EQ(note_get(&nb, NQ_TIME_LO), 15, "read-only");
    trench_soc_reset(nb.b.rig->soc);
    CHECK_EQ(note_get(&nb, NQ_TIME_HI), 0, "hard reset");
}

/* nq_pipeline_stall_count, nq_pipeline_stall: clocks with a record held. */
static void test_notific_nq_pipeline_stall_count(void **state)
{
    struct note_bench nb;

    open_aimed(&nb, *state, 16);
    note_set(&nb, NQ_SW_STALL, 1u << RING);
    trench_soc_advance(nb.b.rig->soc, 9);
    poke(&nb, 0, 1);
    trench_soc_advance(nb.b.rig->soc, 4);
    CHECK_EQ(note_get(&nb, NQ_STALL_COUNT), 4, "held");
    CHECK_EQ(note_get(&nb, NQ_STALL_COUNT), 0, "since the last read");
    trench_soc_advance(nb.b.rig->soc, 6);
    poke(&nb, 1, 1);
    trench_soc_advance(nb.b.rig->soc, 1);
    note_set(&nb, NQ_SW_STALL, 0);
    trench_soc_advance(nb.b.rig->soc, 100);
    CHECK_EQ(note_get(&nb, NQ_STALL_COUNT), 7, "two at once count once");
    note_set(&nb, NQ_SW_STALL, 1u << RING);
    poke(&nb, 0, 1);
    trench_soc_advance(nb.b.rig->soc, 3);
    note_set(&nb, NQ_STALL_CLR, 1);
    CHECK_EQ(note_get(&nb, NQ_STALL_CLR), 0, "a strobe");
    CHECK_EQ(note_get(&nb, NQ_STALL_COUNT), 0, "cleared");
}

/* coal_ctrl, wob_ctrl: stored, their clear bits do not stay; NAQ is empty. */
static void test_notific_coal_ctrl_wob_ctrl_naq(void **state)
{
    struct note_bench nb;

    open_aimed(&nb, *state, 64);
    CHECK_EQ(note_get(&nb, NQ_COAL_CTRL), 0xF << 10, "reset");
    note_set(&nb, NQ_COAL_CTRL, 0xFFFFFFFF);
    CHECK_EQ(note_get(&nb, NQ_COAL_CTRL), 0x1FFDFF, "clr");
    note_set(&nb, NQ_WOB_CTRL, 0xFFFFFFFF);
    CHECK_EQ(note_get(&nb, NQ_WOB_CTRL), 5, "wr_clear");
    for (uint32_t off = 0; off <= 0x28; off += 4) {
        if (off != 4) {
            CHECK_EQ(note_get(&nb, NQ_NAQ_COUNT + off), 0, "naq + 0x%x", off);
        }
    }
}

/* A ring made shorter than its tail goes on at its start, in the next lap. */
static void test_notific_ring_shrinks(void **state)
{
    struct note_bench nb;

    open_aimed(&nb, *state, 128);
    poke(&nb, 0, 5);
    note_set(&nb, NQ_RING(RING, RING_HEAD), 32);
    note_set(&nb, NQ_RING(RING, RING_SIZE), 75); /* four records */
    poke(&nb, 0, 1);
    CHECK_EQ(note_tail(&nb), 16, "tail");
    CHECK_EQ(flags(&nb, 0), 0, "phase");
}

/* Records that land in the block's own registers, or in a queue's. */
static void test_notific_ring_in_registers(void **state)
{
    static const uint32_t spots[] = {
        NOTE,         NQ_SW_STALL & ~0xFu, NQ_RING(RING, 0) & ~0xFu,
        TDMA + 0x200, TDMA + 0x500,        NOTE + 0x30,
    };

    for (size_t i = 0; i < ARRAY_LEN(spots) * 2; i++) {
        struct note_bench nb;
        uint32_t spot = spots[i / 2];

        open_aimed(&nb, *state, 64);
        note_set(&nb, NQ_SW_STALL, i % 2 << RING);
        note_set(&nb, NQ_HW_STALL, 0xFFFFFFFF);
        note_arm(&nb, true, true);
        note_ring(&nb, RING, rig_engine_base(ENGINE) + spot, 64);
        for (unsigned k = 0; k < 12; k++) {
            note_packet(&nb);
            poke(&nb, 0, 1);
        }
        for (enum side side = TX; side <= RX; side++) {
            uint32_t bank = q_off(side, QUEUE, sw_ctrl(side)) & ~0xFu;

            note_ring(&nb, RING, rig_engine_base(ENGINE) + bank, 16);
            note_set(&nb, NQ_OVERWRITE, 0x3FF);
            note_set(&nb, NQ_ENABLE, 0x3FF);
            note_set(&nb, NQ_INPUTS, 0xFFF);
            note_arm(&nb, true, true);
            note_packet(&nb);
        }
        CHECK_EQ(trench_soc_run(nb.b.rig->soc, 1000000) < 1000000, true,
                 "comes to rest, spot 0x%x", spot);
    }
}

/* ---- random programs against a slow model -----------------------------------
 */

#define MODEL_RINGS 3u
#define AREA        256u

struct model_rec {
    uint32_t w0;
    uint64_t time;
    bool valid;
    bool stalled;
    unsigned ring;
    unsigned age;
};

struct model_ring {
    uint32_t size;
    uint32_t head;
    uint32_t threshold;
    unsigned slot;
    uint32_t phase;
    bool lost;
    uint32_t w0[AREA / 16]; /* expected in memory */
    uint64_t time[AREA / 16];
};

struct model {
    struct model_ring ring[MODEL_RINGS];
    struct model_rec held[2]; /* by trigger */
    uint32_t enable, sw, hw, inputs, overwrite, thld_en, passed, stats, uart;
    uint64_t intr[9];
    unsigned ages;
    uint64_t now;
};

static unsigned model_slots(const struct model_ring *g)
{
    return g->size / 16;
}

static bool model_full(const struct model_ring *g)
{
    unsigned n = model_slots(g);
    unsigned at = g->slot < n ? g->slot : 0;

    return n > 0 && (uint64_t)(at + 1) % n * 16 == g->head;
}

static bool model_must_wait(const struct model *m, unsigned q)
{
    const struct model_ring *g = &m->ring[q];

    return (m->enable >> q & 1) && model_slots(g) && !m->uart &&
           model_full(g) && (m->sw >> q & 1) && !(m->overwrite >> q & 1);
}

static void model_write(struct model *m, unsigned q,
                        const struct model_rec *rec)
{
    struct model_ring *g = &m->ring[q];
    unsigned n = model_slots(g);
    unsigned at;

    if (g->slot >= n) {
        g->slot = 0;
        g->phase = !g->phase;
    }
    at = m->uart ? 0 : g->slot;
    g->w0[at] = rec->w0 | g->phase << 31 | (uint32_t)g->lost << 29;
    g->time[at] = rec->time;
    g->lost = false;
    m->stats++;
    if (!m->uart) {
        g->slot++;
        if (g->slot == n) {
            g->slot = 0;
            g->phase = !g->phase;
        }
    }
    if (m->thld_en >> q & 1) {
        uint32_t used = (g->slot * 16 + n * 16 - g->head % (n * 16)) % (n * 16);

        if (used >= g->threshold && !(m->passed >> q & 1)) {
            m->passed |= 1u << q;
            m->intr[6]++;
        }
    }
}

/* Not to be called for one that must wait. */
static void model_settle(struct model *m, const struct model_rec *rec)
{
    unsigned q = rec->ring;
    struct model_ring *g = &m->ring[q];

    if (!(m->enable >> q & 1) || !model_slots(g)) {
        m->intr[1]++;
    } else if (!m->uart && model_full(g) && !(m->overwrite >> q & 1)) {
        g->lost = true;
    } else {
        model_write(m, q, rec);
    }
}

static void model_poke(struct model *m, unsigned t, unsigned q)
{
    struct model_rec rec = { .w0 = 0x02000000, .time = m->now, .ring = q };
    struct model_rec *h = &m->held[t];
    bool full = (m->enable >> q & 1) && model_slots(&m->ring[q]) && !m->uart &&
                model_full(&m->ring[q]);

    if (!(m->inputs >> INPUT(t) & 1)) {
        return;
    }
    if (h->valid) {
        if (m->hw >> INPUT(t) & 1) {
            m->intr[2] += !h->stalled;
            h->stalled = true;
        } else {
            m->intr[3]++;
            h->w0 |= 1u << 30;
        }
        return;
    }
    if (full && !((m->overwrite & ~m->sw) >> q & 1)) {
        m->intr[0]++;
    }
    if (model_must_wait(m, q)) {
        *h = rec;
        h->valid = true;
        h->age = m->ages++;
        return;
    }
    model_settle(m, &rec);
}

static void model_drain(struct model *m)
{
    for (;;) {
        struct model_rec *pick = NULL;

        for (unsigned t = 0; t < 2; t++) {
            struct model_rec *h = &m->held[t];

            if (h->valid && !model_must_wait(m, h->ring) &&
                (!pick || h->age < pick->age)) {
                pick = h;
            }
        }
        if (!pick) {
            return;
        }
        pick->valid = false;
        model_settle(m, pick);
    }
}

static uint32_t rnd(uint32_t *seed, uint32_t n)
{
    *seed = *seed * 1664525u + 1013904223u;
    return (*seed >> 8) % n;
}

struct program {
    struct note_bench nb;
    struct model m;
    uint32_t seed;
};

static void op_ring(struct program *p, unsigned q)
{
    static const uint32_t sizes[] = { 0, 15, 16, 32, 48, 64, 75, 128 };
    struct model_ring *g = &p->m.ring[q];
    unsigned what = rnd(&p->seed, 8);

    if (what == 0) {
        note_set(&p->nb, NQ_RING(q, RING_BASE_LO),
                 (uint32_t)(p->nb.ring + q * AREA));
        g->slot = 0;
        g->head = 0;
        g->phase = 1;
        g->lost = false;
        p->m.passed &= ~(1u << q);
        for (unsigned t = 0; t < 2; t++) {
            p->m.held[t].valid &= p->m.held[t].ring != q;
        }
    } else if (what == 1) {
        g->size = sizes[rnd(&p->seed, ARRAY_LEN(sizes))];
        note_set(&p->nb, NQ_RING(q, RING_SIZE), g->size);
    } else if (what == 2) {
        g->threshold = rnd(&p->seed, 8) * 16;
        note_set(&p->nb, NQ_RING(q, RING_THRESHOLD), g->threshold);
    } else { /* a reader who keeps up, or does not, or errs */
        g->head = what == 3 ? rnd(&p->seed, 200)
                            : note_get(&p->nb, NQ_RING(q, RING_TAIL));
        note_set(&p->nb, NQ_RING(q, RING_HEAD), g->head);
        p->m.passed &= ~(1u << q);
    }
    model_drain(&p->m);
}

static void op_switch(struct program *p)
{
    struct model *m = &p->m;
    const struct {
        uint32_t off;
        uint32_t *word;
        uint32_t mask;
    } rows[] = {
        { NQ_ENABLE, &m->enable, 7 },       { NQ_SW_STALL, &m->sw, 7 },
        { NQ_HW_STALL, &m->hw, 0xFFF },     { NQ_INPUTS, &m->inputs, 0xFFF },
        { NQ_OVERWRITE, &m->overwrite, 7 }, { NQ_THLD_EN, &m->thld_en, 7 },
        { NQ_UART, &m->uart, 1 },
    };
    unsigned i = rnd(&p->seed, ARRAY_LEN(rows));
    uint32_t often = i == 0 || i == 3 ? rows[i].mask
                     : i == 6         ? 0
                                      : *rows[i].word;

    *rows[i].word = rnd(&p->seed, 2) ? often : rnd(&p->seed, rows[i].mask + 1);
    note_set(&p->nb, rows[i].off, *rows[i].word);
    model_drain(m);
}

static void check_state(struct program *p, uint32_t seed, unsigned step)
{
    uint32_t full = 0;

    for (unsigned q = 0; q < MODEL_RINGS; q++) {
        const struct model_ring *g = &p->m.ring[q];

        CHECK_EQ(note_get(&p->nb, NQ_RING(q, RING_TAIL)), g->slot * 16,
                 "seed=%u step=%u ring=%u tail", seed, step, q);
        full |= (uint32_t)model_full(g) << q;
        for (unsigned i = 0; i < AREA / 16; i++) {
            struct note_record rec = note_at(&p->nb, q * AREA / 16 + i);

            CHECK_EQ(rec.w[0] & 0xFF000000, g->w0[i],
                     "seed=%u step=%u ring=%u record=%u", seed, step, q, i);
            CHECK_EQ(rec.w[2] | (uint64_t)rec.w[3] << 32, g->time[i],
                     "seed=%u step=%u ring=%u record=%u", seed, step, q, i);
        }
    }
    CHECK_EQ(note_get(&p->nb, NQ_FULL), full, "seed=%u step=%u", seed, step);
    CHECK_EQ(note_get(&p->nb, NQ_PASSED), p->m.passed, "seed=%u step=%u", seed,
             step);
    for (unsigned i = 0; i < 7; i++) {
        CHECK_EQ(note_intr(&p->nb, i), p->m.intr[i], "seed=%u step=%u intr %u",
                 seed, step, i);
    }
}

static void run_program(struct rig *r, uint32_t seed)
{
    struct program p = { .seed = seed };

    note_open(&p.nb, r, 0);
    note_set(&p.nb, NQ_ENABLE, 0);
    for (unsigned q = 0; q < MODEL_RINGS; q++) {
        note_ring(&p.nb, q, p.nb.ring + q * AREA, 64);
        p.m.ring[q].size = 64;
        p.m.ring[q].phase = 1;
    }
    p.m.inputs = 0xFFFFFFFF;
    for (unsigned step = 0; step < 120; step++) {
        unsigned q = rnd(&p.seed, MODEL_RINGS);
        unsigned t = rnd(&p.seed, 2);

        switch (rnd(&p.seed, 8)) {
        case 0:
            op_switch(&p);
            break;
        case 1:
        case 2:
            op_ring(&p, q);
            break;
        case 3:
            CHECK_EQ(note_get(&p.nb, NQ_STATS), p.m.stats, "seed=%u step=%u",
                     seed, step);
            p.m.stats = 0;
            break;
        default:
            aim(&p.nb, t, q);
            poke(&p.nb, t, 1);
            model_poke(&p.m, t, q);
            break;
        }
        trench_soc_advance(r->soc, 1);
        p.m.now += 0x400;
        check_state(&p, seed, step);
    }
}

static void test_notific_random_programs(void **state)
{
    const char *env = getenv("TRENCH_TEST_SEED");
    uint32_t seed = env ? (uint32_t)strtoul(env, NULL, 0) : 1;

    print_message("# seeds from %u (TRENCH_TEST_SEED)\n", seed);
    for (unsigned i = 0; i < 150; i++) {
        run_program(*state, seed + i);
    }
}

static void hear(void *opaque, unsigned engine, unsigned vector)
{
    unsigned *heard = opaque;

    CHECK_EQ(engine, ENGINE, "vector %u", vector);
    if (vector < NOTIFIC_NR_INTRS) {
        heard[vector]++;
    }
}

/* The outputs are inputs 0 to 8 of the trigger block (address-map 6.3). */
static void test_notific_outputs_reach_the_callback(void **state)
{
    unsigned heard[NOTIFIC_NR_INTRS] = { 0 };
    struct trench_soc_conf conf = { .intr = hear, .intr_opaque = heard };
    struct trench_soc_intr set;
    struct note_bench nb;
    struct rig r;

    (void)state;
    rig_open(&r, &conf);
    open_aimed(&nb, &r, 64);
    poke(&nb, 0, 3);
    CHECK_EQ(heard[NOTIFIC_INTR_QUEUE_FULL], 0, "three fit");
    poke(&nb, 0, 2);
    CHECK_EQ(heard[NOTIFIC_INTR_QUEUE_FULL], 2, "a pulse each");
    note_set(&nb, NQ_ENABLE, 0);
    poke(&nb, 0, 1);
    CHECK_EQ(heard[NOTIFIC_INTR_QUEUE_DISABLED], 1, "off");
    CHECK_EQ(trench_soc_intr_pending(r.soc, ENGINE, &set), 0, "pulses");
    rig_close(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_notific_ring_wraps_and_phase_flips),
        cmocka_unit_test(test_notific_base_addr_restarts),
        cmocka_unit_test(test_notific_full_drops),
        cmocka_unit_test(test_notific_nq_sw_overflow),
        cmocka_unit_test(test_notific_sw_backpressure),
        cmocka_unit_test(test_notific_hw_backpressure),
        cmocka_unit_test(test_notific_hardware_overflow_bit),
        cmocka_unit_test(test_notific_wr_buf_enable),
        cmocka_unit_test(test_notific_nq_enable),
        cmocka_unit_test(test_notific_teardown_drops_what_is_held),
        cmocka_unit_test(test_notific_nq_uart_mode),
        cmocka_unit_test(test_notific_threshold),
        cmocka_unit_test(test_notific_overlap),
        cmocka_unit_test(test_notific_axi_error),
        cmocka_unit_test(test_notific_ring_is_remapped),
        cmocka_unit_test(test_notific_timestamp),
        cmocka_unit_test(test_notific_nq_pipeline_stall_count),
        cmocka_unit_test(test_notific_coal_ctrl_wob_ctrl_naq),
        cmocka_unit_test(test_notific_ring_shrinks),
        cmocka_unit_test(test_notific_ring_in_registers),
        cmocka_unit_test(test_notific_outputs_reach_the_callback),
        cmocka_unit_test(test_notific_random_programs),
    };

    return cmocka_run_group_tests(tests, rig_setup, rig_teardown);
}
