/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Events, semaphores and doorbells: ncfw-steps 4.2, 4.3; address-map 3.3, 4.3;
 * host-driver 2.9; hardware.md H196 to H199.
 */
#include <trench/soc.h>

#include "check.h"
#include "rig.h"

#define READ 0x1000u
#define SET  0x1400u
#define INC  0x1800u
#define DEC  0x1C00u

static uint64_t addr_of(const struct trench_gen *gen,
                        enum trench_sync_owner owner, unsigned n,
                        enum trench_sync_part part, unsigned id)
{
    uint64_t addr = 0;

    CHECK_EQ(trench_gen_sync_addr(gen, owner, n, part, id, &addr), 0,
             "%s owner %d %u part %d id %u", gen->name, owner, n, part, id);
    return addr;
}

/* Base of a block: its first event. */
static uint64_t block_of(const struct trench_gen *gen, unsigned nth)
{
    return nth < gen->nr_cores
               ? addr_of(gen, TRENCH_SYNC_CORE, nth, TRENCH_SYNC_EVENT, 0)
               : addr_of(gen, TRENCH_SYNC_TOP_SP, nth - gen->nr_cores,
                         TRENCH_SYNC_EVENT, 0);
}

static void put(struct rig *r, uint64_t addr, uint32_t val)
{
    CHECK_EQ(trench_bus_write32(r->bus, addr, val), 0, "write 0x%llx",
             ULL(addr));
}

static uint64_t guest_errors(struct rig *r)
{
    struct trench_soc_stats stats;

    trench_soc_stats(r->soc, &stats);
    return stats.guest_errors;
}

static const char *const gens[] = { "sunda", "cayman", "mariana",
                                    "mariana_plus" };

static void open_gen(struct rig *r, const char *name)
{
    rig_open(r, &(struct trench_soc_conf){ .gen = trench_gen_find(name),
                                           .host_bytes = 4096 });
}

/* ---- addresses ----------------------------------------------------------- */

/* ncfw-steps 4.3, the table of examples, and the formula for sunda. */
static void test_ncfw_4_3_addresses(void **state)
{
    static const struct {
        const char *gen;
        unsigned sp;
        enum trench_sync_part part;
        unsigned id;
        uint64_t addr;
    } rows[] = {
        { "cayman", 0, TRENCH_SYNC_READ, 0, 0x008280001000 },
        { "cayman", 0, TRENCH_SYNC_INC, 5, 0x008280001814 },
        { "cayman", 3, TRENCH_SYNC_SET, 10, 0x008340001428 },
        { "cayman", 7, TRENCH_SYNC_INC, 255, 0x008440001BFC },
        { "cayman", 8, TRENCH_SYNC_READ, 2, 0x808280001008 },
        { "cayman", 15, TRENCH_SYNC_DEC, 7, 0x808440001C1C },
        { "mariana", 15, TRENCH_SYNC_DEC, 7, 0x808440001C1C },
        { "sunda", 0, TRENCH_SYNC_READ, 0, 0xFFFD0001000 },
        { "sunda", 5, TRENCH_SYNC_INC, 1, 0xFFFD1401804 },
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        CHECK_EQ(addr_of(trench_gen_find(rows[i].gen), TRENCH_SYNC_TOP_SP,
                         rows[i].sp, rows[i].part, rows[i].id),
                 rows[i].addr, "row %zu", i);
    }
}

/* address-map 4.3: bases of the event blocks, in the order of the cores. */
static void test_address_map_4_3_cores(void **state)
{
    static const uint64_t v3[] = {
        0x002802700000, 0x003802700000, 0x006802700000, 0x007802700000,
        0x802802700000, 0x803802700000, 0x806802700000, 0x807802700000,
    };
    static const uint64_t v2[] = { 0xFFFC2700000, 0xFFFC6700000 };

    (void)state;
    for (unsigned n = 0; n < 8; n++) {
        CHECK_EQ(block_of(trench_gen_find("cayman"), n), v3[n], "core %u", n);
        CHECK_EQ(block_of(trench_gen_find("mariana_plus"), n), v3[n], "%u", n);
    }
    for (unsigned n = 0; n < 2; n++) {
        CHECK_EQ(block_of(trench_gen_find("sunda"), n), v2[n], "core %u", n);
    }
    /* 3.3: the windows on the semaphores of core 0. */
    CHECK_EQ(addr_of(trench_gen_find("cayman"), TRENCH_SYNC_CORE, 0,
                     TRENCH_SYNC_INC, 3),
             0x280270180C, "INC[3]");
}

/* ncfw-steps 4.2: places of the doorbells, and the computed examples. */
static void test_ncfw_4_2_doorbells(void **state)
{
    static const struct {
        const char *gen;
        unsigned sp;
        enum trench_bell bell;
        uint64_t addr;
    } rows[] = {
        { "cayman", 0, TRENCH_BELL_INIT, 0x8280261540 },
        { "cayman", 0, TRENCH_BELL_TSYNC, 0x8280261560 },
        { "cayman", 0, TRENCH_BELL_HOST_TRIGGER, 0x82802615A0 },
        { "cayman", 1, TRENCH_BELL_HOST_TRIGGER, 0x82C02615A0 },
        { "cayman", 7, TRENCH_BELL_HOST_TRIGGER, 0x84402615A0 },
        { "cayman", 8, TRENCH_BELL_HOST_TRIGGER, 0x8082802615A0 },
        { "cayman", 15, TRENCH_BELL_HOST_TRIGGER, 0x8084402615A0 },
        { "cayman", 0, TRENCH_BELL_STOP, 0x82802615C0 },
        { "cayman", 0, TRENCH_BELL_BBSWITCH, 0x82802615E0 },
        { "sunda", 0, TRENCH_BELL_HOST_TRIGGER, 0xFFFD0260848 },
        { "sunda", 5, TRENCH_BELL_HOST_TRIGGER, 0xFFFD1660848 },
        { "sunda", 0, TRENCH_BELL_STOP, 0xFFFD026084C },
    };
    uint64_t addr;

    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        CHECK_EQ(trench_gen_bell_addr(trench_gen_find(rows[i].gen), rows[i].sp,
                                      rows[i].bell, &addr),
                 0, "row %zu", i);
        CHECK_EQ(addr, rows[i].addr, "row %zu", i);
    }
    assert_string_equal(trench_bell_name(TRENCH_BELL_HOST_TRIGGER),
                        "host_trigger");
    assert_string_equal(trench_bell_name(TRENCH_BELL_BBSWITCH), "bbswitch");
    assert_null(trench_bell_name(TRENCH_NR_BELLS));
}

static void test_addresses_refuse_what_is_not_there(void **state)
{
    const struct trench_gen *cayman = trench_gen_find("cayman");
    const struct trench_gen *sunda = trench_gen_find("sunda");
    uint64_t a = 77;

    (void)state;
    CHECK_EQ(trench_gen_sync_addr(cayman, TRENCH_SYNC_CORE, 8, 0, 0, &a),
             TRENCH_ERR_NODEV, "core 8");
    CHECK_EQ(trench_gen_sync_addr(cayman, TRENCH_SYNC_TOP_SP, 16, 0, 0, &a),
             TRENCH_ERR_NODEV, "TOP_SP 16");
    CHECK_EQ(trench_gen_sync_addr(sunda, TRENCH_SYNC_CORE, 2, 0, 0, &a),
             TRENCH_ERR_NODEV, "core 2");
    CHECK_EQ(trench_gen_sync_addr(sunda, TRENCH_SYNC_TOP_SP, 6, 0, 0, &a),
             TRENCH_ERR_NODEV, "TOP_SP 6");
    CHECK_EQ(
        trench_gen_sync_addr(cayman, TRENCH_SYNC_CORE, UINT32_MAX, 0, 0, &a),
        TRENCH_ERR_NODEV, "core -1");
    CHECK_EQ(trench_gen_sync_addr(cayman, TRENCH_SYNC_CORE, 0, 0, 256, &a),
             TRENCH_ERR_INVAL, "id 256");
    CHECK_EQ(trench_gen_sync_addr(cayman, TRENCH_SYNC_CORE, 0,
                                  TRENCH_NR_SYNC_PARTS, 0, &a),
             TRENCH_ERR_INVAL, "part");
    CHECK_EQ(
        trench_gen_sync_addr(cayman, (enum trench_sync_owner)2, 0, 0, 0, &a),
        TRENCH_ERR_INVAL, "owner");
    CHECK_EQ(trench_gen_bell_addr(sunda, 0, TRENCH_BELL_INIT, &a),
             TRENCH_ERR_NOTSUP, "not known");
    CHECK_EQ(trench_gen_bell_addr(sunda, 6, TRENCH_BELL_INIT, &a),
             TRENCH_ERR_NODEV, "TOP_SP 6");
    CHECK_EQ(trench_gen_bell_addr(cayman, 0, TRENCH_NR_BELLS, &a),
             TRENCH_ERR_INVAL, "bell");
    CHECK_EQ(a, 77, "untouched");
}

/* ---- values -------------------------------------------------------------- */

/* host-driver 2.9: set 40, increment 5, decrement 3: 42. In every block. */
static void test_set_inc_dec_of_every_block(void **state)
{
    (void)state;
    for (size_t g = 0; g < ARRAY_LEN(gens); g++) {
        const struct trench_gen *gen = trench_gen_find(gens[g]);
        struct rig r;

        open_gen(&r, gens[g]);
        for (unsigned n = 0; n < gen->nr_cores + gen->nr_top_sps; n++) {
            for (unsigned id = 0; id < 256; id += 51) {
                uint64_t b = block_of(gen, n) + 4 * id;

                CHECK_EQ(rig_word(&r, b + READ), 0, "%s %u", gens[g], n);
                put(&r, b + SET, 40);
                put(&r, b + INC, 5);
                put(&r, b + DEC, 3);
                CHECK_EQ(rig_word(&r, b + READ), 42, "%s %u %u", gens[g], n,
                         id);
            }
        }
        CHECK_EQ(guest_errors(&r), 0, "%s", gens[g]);
        rig_close(&r);
    }
}

/* All 20 TOP_SPs of the map are there, not only those of firmware. */
static void test_top_sps_of_the_map(void **state)
{
    struct rig *r = *state;

    for (unsigned n = 0; n < 20; n++) {
        uint64_t base = (n < 10 ? 0 : UINT64_C(1) << 47) + 0x8280000000 +
                        (uint64_t)(n % 10) * 0x40000000;

        put(r, base + INC + 4 * n, n + 1);
        put(r, base + 0x2615A0, n + 100);
        CHECK_EQ(rig_word(r, base + READ + 4 * n), n + 1, "TOP_SP %u", n);
        CHECK_EQ(rig_word(r, base + 0x2615A0), n + 100, "TOP_SP %u", n);
    }
}

/* H197: a value stops at its ends. */
static void test_values_saturate(void **state)
{
    static const struct {
        uint32_t from;
        uint32_t op;
        uint32_t n;
        uint32_t to;
        bool error;
    } rows[] = {
        { 0xFFFFFFFE, INC, 1, 0xFFFFFFFF, false },
        { 0xFFFFFFFF, INC, 0, 0xFFFFFFFF, false },
        { 0xFFFFFFFF, INC, 1, 0xFFFFFFFF, true },
        { 1, INC, 0xFFFFFFFF, 0xFFFFFFFF, true },
        { 0, INC, 0xFFFFFFFF, 0xFFFFFFFF, false },
        { 0, DEC, 0, 0, false },
        { 0, DEC, 1, 0, true },
        { 7, DEC, 7, 0, false },
        { 7, DEC, 8, 0, true },
        { 7, DEC, 0xFFFFFFFF, 0, true },
        { 0xFFFFFFFF, DEC, 0xFFFFFFFF, 0, false },
    };
    struct rig *r = *state;
    uint64_t b = 0x2802700000 + 4 * 9;
    uint64_t errors = 0;

    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        put(r, b + SET, rows[i].from);
        put(r, b + rows[i].op, rows[i].n);
        CHECK_EQ(rig_word(r, b + READ), rows[i].to, "row %zu", i);
        errors += rows[i].error;
        CHECK_EQ(guest_errors(r), errors, "row %zu", i);
    }
}

static void test_windows_have_one_direction(void **state)
{
    struct rig *r = *state;
    uint64_t b = 0x8280000000 + 4 * 3;

    put(r, b + SET, 17);
    put(r, b + READ, 99);
    CHECK_EQ(rig_word(r, b + READ), 17, "READ takes no writes");
    CHECK_EQ(rig_word(r, b + SET), 0, "SET");
    put(r, b + INC, 2);
    CHECK_EQ(rig_word(r, b + INC), 0, "INC");
    put(r, b + DEC, 1);
    CHECK_EQ(rig_word(r, b + DEC), 0, "DEC");
    CHECK_EQ(rig_word(r, b + READ), 18, "value");
    put(r, b, 0xDEADBEEF);
    CHECK_EQ(rig_word(r, b), 0xDEADBEEF, "an event is a word");
    trench_soc_reset(r->soc);
    CHECK_EQ(rig_word(r, b), 0, "event after reset");
    CHECK_EQ(rig_word(r, b + READ), 0, "semaphore after reset");
}

/* Events end at 0x400, semaphores begin at 0x1000, both end at 0x2000. */
static void test_holes_and_odd_accesses_are_refused(void **state)
{
    static const uint32_t holes[] = { 0x400, 0x404, 0x800, 0xFFC, 0x2000 };
    struct rig *r = *state;
    uint64_t bases[] = { 0x2802700000, 0x807802700000, 0x8280000000 };
    uint8_t bytes[8] = { 1, 1, 1, 1, 1, 1, 1, 1 };
    uint32_t val;

    for (size_t b = 0; b < ARRAY_LEN(bases); b++) {
        for (size_t i = 0; i < ARRAY_LEN(holes); i++) {
            uint64_t at = bases[b] + holes[i];

            CHECK_EQ(trench_bus_read32(r->bus, at, &val), TRENCH_ERR_FAULT,
                     "0x%llx", ULL(at));
            CHECK_EQ(trench_bus_write32(r->bus, at, 1), TRENCH_ERR_FAULT,
                     "0x%llx", ULL(at));
        }
        for (unsigned off = 0; off < 4; off++) {
            for (unsigned len = 1; len <= 8; len++) {
                bool whole = off == 0 && len % 4 == 0;

                CHECK_EQ(trench_bus_write(r->bus, TRENCH_BUS_SOFTWARE,
                                          bases[b] + INC + off, bytes, len),
                         whole ? 0 : TRENCH_ERR_INVAL, "%u+%u", off, len);
            }
        }
        /* Lengths 4 and 8 got through: twice, and once for the next one. */
        CHECK_EQ(rig_word(r, bases[b] + READ), 0x02020202, "id 0");
        CHECK_EQ(rig_word(r, bases[b] + READ + 4), 0x01010101, "id 1");
    }
}

/* ---- against a slow model ------------------------------------------------ */

static uint32_t model_apply(uint32_t value, uint32_t op, uint32_t n)
{
    int64_t v = value;

    if (op == SET) {
        v = n;
    } else if (op == INC) {
        v += n;
    } else if (op == DEC) {
        v -= n;
    }
    v = v < 0 ? 0 : v;
    return v > (int64_t)UINT32_MAX ? UINT32_MAX : (uint32_t)v;
}

static void test_random_programs(void **state)
{
    static const uint32_t ops[] = { READ, SET, INC, DEC, 0 };
    static uint32_t values[24][256], events[24][256];
    const struct trench_gen *gen = trench_gen_find("cayman");
    struct rig *r = *state;
    uint64_t seed = 0x5EED0197;

    print_message("# seed 0x%llx\n", ULL(seed));
    for (unsigned i = 0; i < 100000; i++) {
        unsigned n, id;
        uint32_t op, val;

        seed = seed * 6364136223846793005u + 1442695040888963407u;
        n = (unsigned)(seed >> 40) % 24;
        id = (unsigned)(seed >> 33) % 256;
        op = ops[(seed >> 50) % ARRAY_LEN(ops)];
        val = (uint32_t)(seed >> 20) >> (seed >> 59);
        put(r, block_of(gen, n) + op + 4 * id, val);
        if (op == 0) {
            events[n][id] = val;
        } else {
            values[n][id] = model_apply(values[n][id], op, val);
        }
        CHECK_EQ(rig_word(r, block_of(gen, n) + READ + 4 * id), values[n][id],
                 "step %u", i);
    }
    for (unsigned n = 0; n < 24; n++) {
        for (unsigned id = 0; id < 256; id++) {
            CHECK_EQ(rig_word(r, block_of(gen, n) + READ + 4 * id),
                     values[n][id], "block %u id %u", n, id);
            CHECK_EQ(rig_word(r, block_of(gen, n) + 4 * id), events[n][id],
                     "block %u event %u", n, id);
        }
    }
}

/* ---- signals by DMA ------------------------------------------------------ */

/* Data, then a 4-byte copy of a constant into INC (ncfw-steps 1.1). */
static void post_step(struct rig_queue *rq, uint64_t data, uint64_t dst,
                      uint64_t one, uint64_t inc)
{
    rig_rx(rq, dst, 256);
    rig_rx(rq, inc, 4);
    rig_tx(rq, D_ONE, data, 256);
    rig_tx(rq, D_ONE, one, 4);
    rig_bell(rq, RX, 2);
    rig_bell(rq, TX, 2);
}

static void test_trailing_descriptor_signals(void **state)
{
    struct rig *r = *state;
    uint64_t src = rig_alloc(r, 0x2000);
    uint64_t one = rig_alloc(r, 64);
    uint64_t sema = 0x8280000000 + 4 * 1; /* COMPLETION of TOP_SP 0 */

    rig_fill(r, src, 256, 3);
    *(uint32_t *)rig_mem(r, one, 4) = 1;
    for (unsigned e = 0; e < 16; e++) {
        struct rig_queue rq;
        uint64_t dst = src + 0x1000 + 256 * (uint64_t)(e % 16);

        rig_queue_open(&rq, r, e, 15, 8);
        post_step(&rq, src, dst, one, sema + INC);
        CHECK_EQ(rig_word(r, sema + READ), e + 1, "engine %u", e);
        CHECK_COPY(r, dst, src, 256, "engine %u", e);
    }
    CHECK_EQ(guest_errors(r), 0, "none");
}

/* Of the neighbouring die's core, with the event accelerator as source. */
static void test_accelerated_source_signals(void **state)
{
    struct rig *r = *state;
    uint64_t sema = 0x807802700000 + 4 * 255;
    struct rig_queue rq;

    rig_write(r, 9, TDMA, 1); /* event_accel.en */
    rig_queue_open(&rq, r, 9, 2, 8);
    put(r, sema + SET, 10);
    for (unsigned i = 1; i <= 3; i++) {
        rig_copy(&rq, sema + INC, 0x9000000004, 4);
        CHECK_EQ(rig_word(r, sema + READ), 10 + i, "copy %u", i);
    }
    rig_copy(&rq, 0x807802700000 + 4 * 7, 0x9000000004, 4);
    CHECK_EQ(rig_word(r, 0x807802700000 + 4 * 7), 1, "an event");
}

/* A descriptor reads a value too, and 8 bytes are two semaphores. */
static void test_descriptors_reach_every_window(void **state)
{
    struct rig *r = *state;
    uint64_t b = 0x3802700000;
    uint64_t mem = rig_alloc(r, 64);
    struct rig_queue rq;
    uint32_t *p = rig_mem(r, mem, 16);

    rig_queue_open(&rq, r, 20, 0, 8);
    p[0] = 5;
    p[1] = 6;
    rig_copy(&rq, b + SET + 8, mem, 8);
    CHECK_EQ(rig_word(r, b + READ + 8), 5, "2");
    CHECK_EQ(rig_word(r, b + READ + 12), 6, "3");
    rig_copy(&rq, b + DEC + 8, mem, 4);
    rig_copy(&rq, mem + 8, b + READ + 8, 8);
    CHECK_EQ(p[2], 0, "read by DMA");
    CHECK_EQ(p[3], 6, "read by DMA");
    rig_copy(&rq, b + INC + 2, mem, 4);
    CHECK_EQ(rig_word(r, b + READ), 0, "unaligned");
    CHECK_EQ(rig_stats(r, 20).errors > 0, true, "and an error");
}

/* Looking at a semaphore lets left-over work go on, as at any register. */
static void test_polling_makes_progress(void **state)
{
    struct rig r;
    struct rig_queue rq;
    uint64_t one;
    unsigned polls = 0;

    (void)state;
    rig_open(&r, &(struct trench_soc_conf){ .budget = 1 });
    one = rig_alloc(&r, 64);
    *(uint32_t *)rig_mem(&r, one, 4) = 1;
    rig_queue_open(&rq, &r, 0, 0, 16);
    for (unsigned i = 0; i < 8; i++) {
        rig_rx(&rq, 0x2802700000 + INC, 4);
        rig_tx(&rq, D_ONE, one, 4);
    }
    rig_bell(&rq, RX, 8);
    rig_bell(&rq, TX, 8);
    CHECK_EQ(*(uint32_t *)rig_mem(&r, one, 4), 1, "source");
    while (rig_word(&r, 0x2802700000 + READ) < 8) {
        CHECK_EQ(++polls < 1000, true, "stuck");
    }
    CHECK_EQ(polls > 1, true, "took several");
    rig_close(&r);
}

/* ---- doorbells ----------------------------------------------------------- */

/* H199: words that a poll sees, and takes by writing 0. */
static void test_doorbells_are_words(void **state)
{
    (void)state;
    for (size_t g = 0; g < ARRAY_LEN(gens); g++) {
        const struct trench_gen *gen = trench_gen_find(gens[g]);
        struct rig r;

        open_gen(&r, gens[g]);
        for (unsigned sp = 0; sp < gen->nr_top_sps; sp++) {
            for (int bell = 0; bell < TRENCH_NR_BELLS; bell++) {
                uint64_t a;

                if (trench_gen_bell_addr(gen, sp, bell, &a)) {
                    continue;
                }
                CHECK_EQ(rig_word(&r, a), 0, "%s %u %d", gens[g], sp, bell);
                put(&r, a, 1);
                CHECK_EQ(rig_word(&r, a), 1, "%s %u %d", gens[g], sp, bell);
                put(&r, a, bell == TRENCH_BELL_STOP ? 0xFFFFFFFF : 0);
            }
        }
        for (unsigned sp = 0; sp < gen->nr_top_sps; sp++) {
            uint64_t a = 0;

            CHECK_EQ(trench_gen_bell_addr(gen, sp, TRENCH_BELL_STOP, &a), 0,
                     "%s", gens[g]);
            CHECK_EQ(rig_word(&r, a), 0xFFFFFFFF, "%s %u", gens[g], sp);
            trench_gen_bell_addr(gen, sp, TRENCH_BELL_HOST_TRIGGER, &a);
            CHECK_EQ(rig_word(&r, a), 0, "%s %u", gens[g], sp);
        }
        rig_close(&r);
    }
}

#define TEST(name)                                                             \
    cmocka_unit_test_setup_teardown(name, rig_setup, rig_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ncfw_4_3_addresses),
        cmocka_unit_test(test_address_map_4_3_cores),
        cmocka_unit_test(test_ncfw_4_2_doorbells),
        cmocka_unit_test(test_addresses_refuse_what_is_not_there),
        cmocka_unit_test(test_set_inc_dec_of_every_block),
        TEST(test_top_sps_of_the_map),
        TEST(test_values_saturate),
        TEST(test_windows_have_one_direction),
        TEST(test_holes_and_odd_accesses_are_refused),
        TEST(test_random_programs),
        TEST(test_trailing_descriptor_signals),
        TEST(test_accelerated_source_signals),
        TEST(test_descriptors_reach_every_window),
        cmocka_unit_test(test_polling_makes_progress),
        cmocka_unit_test(test_doorbells_are_words),
    };

    return cmocka_run_group_tests_name("semaphore", tests, NULL, NULL);
}
