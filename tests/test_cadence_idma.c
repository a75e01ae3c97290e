/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The Cadence engine as a device of its own: iram-cache-idma 4, and the
 * statements D of section 6.
 */
#include "check.h"

#include <endian.h>

#include "cadence_idma_gen.h"
#include "dev/cadence_idma.h"

#define REG(name) (CADENCE_IDMA_BASE + CADENCE_IDMA_IDMA_##name)
#define MEM       UINT64_C(0x20000000)
#define MEM_BYTES 0x100000u
#define HIGH      (MEM + (UINT64_C(1) << 32)) /* needs long addresses */
#define DESCS     0x20000000u
#define SRC       0x20010000u
#define DST       0x20020000u

struct rig {
    struct trench_bus *bus;
    struct cadence_idma dev;
    uint8_t *mem;
    unsigned done;
    unsigned errors;
    unsigned sent;
    uint32_t at; /* where the next descriptor goes */
};

static void rig_irq(void *opaque, enum cadence_idma_irq irq)
{
    struct rig *r = opaque;

    r->done += irq == 35; /* 4.1 */
    r->errors += irq == 36;
}

static void rig_trigger(void *opaque)
{
    struct rig *r = opaque;

    r->sent++;
}

static void rig_open(struct rig *r, bool stepped)
{
    const struct trench_bus_mem mems[] = {
        { .name = "low", .base = MEM, .size_bytes = MEM_BYTES },
        { .name = "high", .base = HIGH, .size_bytes = MEM_BYTES },
    };
    const struct trench_bus_window w = {
        .name = "idma",
        .base = CADENCE_IDMA_BASE,
        .size_bytes = CADENCE_IDMA_BYTES,
        .ops = &cadence_idma_ops,
        .opaque = &r->dev,
    };

    memset(r, 0, sizeof(*r));
    CHECK_EQ(trench_bus_create(&r->bus), 0, "bus");
    CHECK_EQ(trench_bus_add_window(r->bus, &w), 0, "window");
    CHECK_EQ(trench_bus_add_memory(r->bus, &mems[0]), 0, "low");
    CHECK_EQ(trench_bus_add_memory(r->bus, &mems[1]), 0, "high");
    cadence_idma_init(&r->dev, &(const struct cadence_idma_conf){
                                   .bus = r->bus,
                                   .initiator = 7,
                                   .stepped = stepped,
                                   .irq = rig_irq,
                                   .trigger = rig_trigger,
                                   .opaque = r,
                               });
    r->mem = trench_bus_host(r->bus, MEM, MEM_BYTES);
    for (uint32_t i = 0; i < MEM_BYTES; i++) {
        r->mem[i] =
            i >= SRC - MEM && i < DST - MEM ? (uint8_t)(i * 7 + i / 256) : 0;
    }
    r->at = DESCS;
}

static void rig_close(struct rig *r)
{
    trench_bus_destroy(r->bus);
}

static uint32_t rig_read(struct rig *r, uint64_t addr)
{
    uint32_t val = 0;

    CHECK_EQ(trench_bus_read32(r->bus, addr, &val), 0, "0x%llx", ULL(addr));
    return val;
}

static void rig_write(struct rig *r, uint64_t addr, uint32_t val)
{
    CHECK_EQ(trench_bus_write32(r->bus, addr, val), 0, "0x%llx", ULL(addr));
}

static uint32_t rig_state(struct rig *r)
{
    return rig_read(r, REG(STATUS)) & 7;
}

static uint32_t rig_error(struct rig *r)
{
    return rig_read(r, REG(STATUS)) >> 12;
}

static void put(struct rig *r, const uint32_t *words, unsigned nr)
{
    for (unsigned i = 0; i < nr; i++) {
        rig_write(r, r->at + 4 * i, words[i]);
    }
    r->at += 4 * nr;
}

static void put_1d(struct rig *r, uint32_t bits, uint32_t src, uint32_t dst,
                   uint32_t size)
{
    put(r, (const uint32_t[]){ CADENCE_IDMA_1D | bits, src, dst, size }, 4);
}

/* 4.5: init, arm. */
static void rig_arm(struct rig *r)
{
    rig_write(r, REG(SETTINGS), 2 << 2 | 32 << 8 | 4 << 16);
    rig_write(r, REG(SETTINGS), 2 << 2 | 32 << 8 | 4 << 16 | 1 << 7);
    rig_write(r, REG(DESC_START), DESCS);
    rig_write(r, REG(CONTROL), 1);
}

/* 4.2: offsets, and which registers are read-only. */
static void test_cadence_registers(void **state)
{
    static const struct {
        uint32_t offset;
        uint32_t want; /* after writing ones */
    } rows[] = {
        { 0x00, 0xF3FCC & 0xF3FCC },
        { 0x04, 0xFFFFFFFF },
        { 0x08, 0xFFFFFFFF },
        { 0x0C, 0 },
        { 0x14, 2 },
        { 0x18, 0xFFFFFFFF },
        { 0x40, 0 },
        { 0x44, 0 },
        { 0x48, 0 },
        { 0x4C, 0 },
        { 0x50, 0 },
        { 0x1C, 0 },
        { 0x54, 0 },
        { 0x3FC, 0 },
    };
    struct rig r;

    (void)state;
    rig_open(&r, false);
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        uint64_t addr = CADENCE_IDMA_BASE + rows[i].offset;

        CHECK_EQ(rig_read(&r, addr), 0, "reset of 0x%x", rows[i].offset);
        rig_write(&r, addr, rows[i].offset == 0x14 ? 0xFFFFFFFE : 0xFFFFFFFF);
        CHECK_EQ(rig_read(&r, addr), rows[i].want, "0x%x", rows[i].offset);
    }
    rig_close(&r);
}

/* D1, D2, D3 and the states of 4.3. */
static void test_cadence_d1_d2_d3_counts_and_interrupts(void **state)
{
    struct rig r;

    (void)state;
    rig_open(&r, true);
    CHECK_EQ(rig_state(&r), CADENCE_IDMA_IDLE, "reset");
    for (uint32_t i = 0; i < 6; i++) {
        put_1d(&r, i == 2 || i == 5 ? CADENCE_IDMA_INTERRUPT : 0, SRC + i * 100,
               DST + i * 100, 100);
    }
    rig_arm(&r);
    CHECK_EQ(rig_state(&r), CADENCE_IDMA_STANDBY, "enabled");
    rig_write(&r, REG(DESC_INC), 2);
    rig_write(&r, REG(DESC_INC), 4);
    CHECK_EQ(rig_read(&r, REG(NUM_DESC)), 6, "D1");
    for (uint32_t i = 0; i < 6; i++) {
        CHECK_EQ(cadence_idma_run(&r.dev, 1), 1, "%u", i);
        CHECK_EQ(6 - rig_read(&r, REG(NUM_DESC)), i + 1, "D2: %u", i);
        CHECK_EQ(r.done, (i >= 2) + (i >= 5), "D3: %u", i);
        CHECK_EQ(rig_state(&r), i < 5 ? CADENCE_IDMA_BUSY : CADENCE_IDMA_DONE,
                 "%u", i);
    }
    CHECK_MEM(r.mem + (DST - MEM), r.mem + (SRC - MEM), 600, "bytes");
    CHECK_EQ(cadence_idma_run(&r.dev, 1), 0, "nothing left");
    CHECK_EQ(r.errors, 0, "no error");
    rig_write(&r, REG(CONTROL), 0);
    CHECK_EQ(rig_state(&r), CADENCE_IDMA_IDLE, "disabled when done");
    rig_close(&r);
}

/* 4.4: two and three dimensions, both signs of tile pitches. */
static void test_cadence_dimensions(void **state)
{
    static const struct {
        uint32_t control;
        uint32_t words;
        uint32_t rows;
        uint32_t tiles;
        int32_t src_tile;
        int32_t dst_tile;
    } rows[] = {
        { CADENCE_IDMA_2D, 8, 5, 1, 0, 0 },
        { CADENCE_IDMA_64 | CADENCE_IDMA_SUB_1D << 4, 16, 1, 1, 0, 0 },
        { CADENCE_IDMA_64 | CADENCE_IDMA_SUB_2D << 4, 16, 5, 1, 0, 0 },
        { CADENCE_IDMA_64 | CADENCE_IDMA_SUB_3D << 4, 16, 5, 3, 512, 1024 },
        { CADENCE_IDMA_64 | CADENCE_IDMA_SUB_3D << 4, 16, 5, 3, -512, -1024 },
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        const uint32_t src = SRC + 0x4000;
        const uint32_t dst = DST + 0x4000;
        const uint32_t words[16] = {
            rows[i].control,
            src,
            dst,
            20,
            64,
            32,
            5,
            0,
            (uint32_t)rows[i].src_tile,
            (uint32_t)rows[i].dst_tile,
            3,
        };
        uint8_t *want = calloc(1, 0x8000);
        struct rig r;

        rig_open(&r, false);
        put(&r, words, rows[i].words);
        rig_arm(&r);
        rig_write(&r, REG(DESC_INC), 1);
        CHECK_EQ(rig_state(&r), CADENCE_IDMA_DONE, "row %zu", i);
        for (uint32_t t = 0; t < rows[i].tiles; t++) {
            for (uint32_t y = 0; y < rows[i].rows; y++) {
                int32_t s = (int32_t)t * rows[i].src_tile + (int32_t)y * 64;
                int32_t d = (int32_t)t * rows[i].dst_tile + (int32_t)y * 32;

                memcpy(want + 0x4000 + d, r.mem + (src - MEM) + s, 20);
            }
        }
        CHECK_MEM(r.mem + (DST - MEM), want, 0x8000, "row %zu", i);
        free(want);
        rig_close(&r);
    }
}

static void test_cadence_long_addresses(void **state)
{
    const uint32_t words[16] = { CADENCE_IDMA_64 | CADENCE_IDMA_LONG_ADDR,
                                 SRC,
                                 DST,
                                 64,
                                 [14] = 0,
                                 [15] = 1 };
    struct rig r;

    (void)state;
    rig_open(&r, false);
    put(&r, words, 16);
    rig_arm(&r);
    rig_write(&r, REG(DESC_INC), 1);
    CHECK_EQ(rig_state(&r), CADENCE_IDMA_DONE, "done");
    CHECK_MEM(trench_bus_host(r.bus, HIGH + (DST - MEM), 64),
              r.mem + (SRC - MEM), 64, "above 4 GiB");
    rig_close(&r);
}

/* D4, D5, 4.6: codes, what is left in the registers, nothing goes on. */
static void test_cadence_d4_d5_errors(void **state)
{
    static const struct {
        uint32_t words[8];
        uint32_t error;
    } rows[] = {
        { { CADENCE_IDMA_1D, 0x1000, DST, 64 }, 0x20000 },     /* READ_ADDR */
        { { CADENCE_IDMA_1D, SRC, 0x1000, 64 }, 0x08000 },     /* WRITE_ADDR */
        { { CADENCE_IDMA_1D, 0x00110001, DST, 64 }, 0x10000 }, /* READ_DATA */
        { { CADENCE_IDMA_1D, SRC, 0x00110002, 64 }, 0x04000 }, /* WRITE_DATA */
        { { CADENCE_IDMA_1D, 0, DST, 64 }, 0x00080 },          /* NULL_ADDR */
        { { CADENCE_IDMA_1D, SRC, 0, 64 }, 0x00080 },
        { { CADENCE_IDMA_1D, SRC, DST, 0 }, 0x00100 }, /* BAD_PARAMS */
        { { CADENCE_IDMA_2D, SRC, DST, 4, 4, 4, 0 }, 0x00100 },
        { { CADENCE_IDMA_ZVC, SRC, DST, 4 }, 0x00400 }, /* DESC_UNKNW */
        { { 2, SRC, DST, 4 }, 0x00400 },
        { { CADENCE_IDMA_64 | 7 << 4, SRC, DST, 4 }, 0x00400 },
        { { CADENCE_IDMA_1D, 0xFFFFFFF0, DST, 64 }, 0x20000 },
        { { CADENCE_IDMA_JUMP, 0x3000 }, 0x80000 },     /* FETCH_ADDR */
        { { CADENCE_IDMA_JUMP, DESCS + 16 }, 0x00100 }, /* to itself */
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        uint32_t at = rows[i].words[0] == 0 && rows[i].error == 0x80000
                          ? 0x3000
                          : DESCS + 16;
        struct rig r;

        rig_open(&r, false);
        put_1d(&r, 0, SRC, DST, 16);
        put(&r, rows[i].words, 8);
        put_1d(&r, CADENCE_IDMA_INTERRUPT, SRC, DST + 0x1000, 16);
        rig_arm(&r);
        rig_write(&r, REG(DESC_INC), 3);
        CHECK_EQ(rig_state(&r), CADENCE_IDMA_ERROR, "row %zu", i);
        CHECK_EQ(rig_error(&r), rows[i].error, "row %zu", i);
        CHECK_EQ(rig_read(&r, REG(CURR_DESC)), at, "D4: row %zu", i);
        if (rows[i].words[0] != 0) {
            CHECK_EQ(rig_read(&r, REG(SRC_ADDR)), rows[i].words[1],
                     "D4: row %zu", i);
            CHECK_EQ(rig_read(&r, REG(DST_ADDR)), rows[i].words[2],
                     "D4: row %zu", i);
        }
        CHECK_EQ(r.errors, 1, "D3: row %zu", i);
        CHECK_EQ(r.done, 0, "row %zu", i);
        CHECK_EQ(3 - rig_read(&r, REG(NUM_DESC)), 1, "one completed");
        rig_write(&r, REG(DESC_INC), 1);
        CHECK_EQ(r.mem[DST + 0x1000 - MEM], 0, "D5: row %zu", i);
        CHECK_EQ(rig_state(&r), CADENCE_IDMA_ERROR, "D5: row %zu", i);
        rig_write(&r, REG(CONTROL), 0);
        CHECK_EQ(rig_read(&r, REG(STATUS)), 0, "cleared: row %zu", i);
        rig_close(&r);
    }
}

/* D6, and pause. */
static void test_cadence_d6_halt_and_pause(void **state)
{
    const uint32_t words[8] = { CADENCE_IDMA_2D, SRC, DST, 16, 16, 16, 10 };
    struct rig r;

    (void)state;
    rig_open(&r, true);
    put(&r, words, 8);
    rig_arm(&r);
    rig_write(&r, REG(DESC_INC), 1);
    CHECK_EQ(cadence_idma_run(&r.dev, 3), 3, "three rows");
    rig_write(&r, REG(CONTROL), 2);
    CHECK_EQ(cadence_idma_run(&r.dev, 9), 0, "paused");
    CHECK_EQ(rig_state(&r), CADENCE_IDMA_BUSY, "paused");
    rig_write(&r, REG(CONTROL), 1);
    CHECK_EQ(cadence_idma_run(&r.dev, 2), 2, "goes on");
    CHECK_EQ(rig_read(&r, REG(SRC_ADDR)), SRC + 4 * 16, "the fifth row");
    rig_write(&r, REG(CONTROL), 0);
    CHECK_EQ(rig_state(&r), CADENCE_IDMA_HALT, "D6");
    CHECK_EQ(cadence_idma_run(&r.dev, 9), 0, "halted");
    CHECK_EQ(r.mem[DST - MEM + 5 * 16], 0, "the sixth row");
    rig_write(&r, REG(CONTROL), 1);
    rig_write(&r, REG(DESC_INC), 1);
    CHECK_EQ(cadence_idma_run(&r.dev, 100), 10, "from the start");
    CHECK_EQ(rig_state(&r), CADENCE_IDMA_DONE, "done");
    rig_close(&r);
}

/* A row that lands in CONTROL or DESC_INC: it is not counted, nothing runs
 * away. */
static void test_cadence_row_into_its_own_registers(void **state)
{
    struct rig r;

    (void)state;
    rig_open(&r, false);
    rig_write(&r, SRC, 0);
    put_1d(&r, CADENCE_IDMA_INTERRUPT, SRC, REG(CONTROL), 4);
    put_1d(&r, CADENCE_IDMA_INTERRUPT, SRC + 4, DST, 4);
    rig_arm(&r);
    rig_write(&r, REG(DESC_INC), 2);
    CHECK_EQ(rig_state(&r), CADENCE_IDMA_HALT, "disabled itself");
    CHECK_EQ(rig_read(&r, REG(NUM_DESC)), 0, "disabled itself");
    CHECK_EQ(r.done, 0, "disabled itself");
    rig_write(&r, REG(CONTROL), 1);
    CHECK_EQ(rig_state(&r), CADENCE_IDMA_STANDBY, "nothing to do");
    CHECK_EQ(rig_read(&r, DST), 0, "the second did not run");
    rig_write(&r, SRC, UINT32_MAX);
    r.at = DESCS;
    put_1d(&r, 0, SRC, REG(DESC_INC), 4);
    rig_write(&r, REG(DESC_INC), 1);
    CHECK_EQ(rig_error(&r), CADENCE_IDMA_ERR_DESC_OVFL, "its own doorbell");
    CHECK_EQ(rig_read(&r, REG(NUM_DESC)), 1, "not counted");
    CHECK_EQ(r.errors, 1, "once");
    rig_close(&r);
}

/* D7: a ring of three descriptors and a jump, many laps. */
static void test_cadence_d7_jump_wraps_a_ring(void **state)
{
    struct rig r;

    (void)state;
    rig_open(&r, false);
    for (uint32_t i = 0; i < 3; i++) {
        put_1d(&r, 0, SRC + i * 16, DST + i * 16, 16);
    }
    put(&r, (const uint32_t[]){ CADENCE_IDMA_JUMP, DESCS, 0, 0 }, 4);
    rig_arm(&r);
    for (uint32_t n = 1; n <= 100; n++) {
        memset(r.mem + (DST - MEM), 0, 64);
        rig_write(&r, REG(DESC_INC), 1);
        CHECK_EQ(rig_state(&r), CADENCE_IDMA_DONE, "%u", n);
        CHECK_MEM(r.mem + (DST - MEM) + (n - 1) % 3 * 16,
                  r.mem + (SRC - MEM) + (n - 1) % 3 * 16, 16, "%u", n);
        CHECK_EQ(r.mem[DST - MEM + n % 3 * 16], 0, "%u: only that one", n);
    }
    rig_close(&r);
}

/* D8: no overlap with the local registers of the sequencers. */
static void test_cadence_d8_own_register_space(void **state)
{
    (void)state;
    CHECK_EQ(CADENCE_IDMA_BASE, 0x00110000, "4.1");
    CHECK_EQ(CADENCE_IDMA_IDMA_SETTINGS, 0x00, "4.2");
    CHECK_EQ(CADENCE_IDMA_IDMA_DST_ADDR, 0x50, "4.2");
    CHECK_EQ(CADENCE_IDMA_BASE >= 0x10000, true, "above 64 KiB of APB");
}

static void test_cadence_triggers(void **state)
{
    struct rig r;

    (void)state;
    rig_open(&r, false);
    put_1d(&r, CADENCE_IDMA_WAIT_TRIGGER | CADENCE_IDMA_SEND_TRIGGER, SRC, DST,
           16);
    put_1d(&r, CADENCE_IDMA_WAIT_TRIGGER, SRC, DST + 16, 16);
    rig_arm(&r);
    rig_write(&r, REG(DESC_INC), 2);
    CHECK_EQ(rig_state(&r), CADENCE_IDMA_BUSY, "waits");
    CHECK_EQ(r.mem[DST - MEM + 1], 0, "waits");
    cadence_idma_trigger(&r.dev);
    CHECK_EQ(rig_read(&r, REG(NUM_DESC)), 1, "the first");
    CHECK_EQ(r.sent, 1, "sent one on");
    cadence_idma_trigger(&r.dev);
    CHECK_EQ(rig_state(&r), CADENCE_IDMA_DONE, "the second");
    for (unsigned i = 0; i < 15; i++) {
        cadence_idma_trigger(&r.dev);
    }
    CHECK_EQ(rig_error(&r), 0, "fifteen fit");
    cadence_idma_trigger(&r.dev);
    CHECK_EQ(rig_error(&r), 0x01000, "TRIG_OVFL");
    rig_close(&r);
}

static void test_cadence_doorbell_overflow(void **state)
{
    struct rig r;

    (void)state;
    rig_open(&r, true);
    rig_write(&r, REG(DESC_INC), 0xFFFFFFFF);
    rig_write(&r, REG(DESC_INC), 1);
    CHECK_EQ(rig_error(&r), 0x00800, "DESC_OVFL");
    CHECK_EQ(r.errors, 1, "interrupt");
    rig_close(&r);
}

/* Any words, also a descriptor that writes its own registers. */
static void test_cadence_random_programs(void **state)
{
    uint64_t seed = 20261201;

    (void)state;
    for (unsigned round = 0; round < (check_quick() ? 600u : 3000u); round++) {
        struct rig r;

        rig_open(&r, false);
        for (uint32_t i = 0; i < 64; i++) {
            uint32_t word = (uint32_t)(seed >> 20);

            seed = seed * 6364136223846793005u + 1442695040888963407u;
            if (i % 4 == 1 || i % 4 == 2) {
                word = word % 8 == 0 ? 0x00110000 + word % 96 / 4 * 4
                                     : MEM + word % MEM_BYTES;
            } else if (i % 4 == 3) {
                word %= 3000;
            }
            rig_write(&r, DESCS + 4 * i, word);
        }
        rig_arm(&r);
        rig_write(&r, REG(DESC_INC), (uint32_t)(seed >> 60));
        CHECK_EQ(rig_state(&r) <= CADENCE_IDMA_ERROR, true, "round %u", round);
        rig_close(&r);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cadence_registers),
        cmocka_unit_test(test_cadence_d1_d2_d3_counts_and_interrupts),
        cmocka_unit_test(test_cadence_dimensions),
        cmocka_unit_test(test_cadence_long_addresses),
        cmocka_unit_test(test_cadence_d4_d5_errors),
        cmocka_unit_test(test_cadence_d6_halt_and_pause),
        cmocka_unit_test(test_cadence_row_into_its_own_registers),
        cmocka_unit_test(test_cadence_d7_jump_wraps_a_ring),
        cmocka_unit_test(test_cadence_d8_own_register_space),
        cmocka_unit_test(test_cadence_triggers),
        cmocka_unit_test(test_cadence_doorbell_overflow),
        cmocka_unit_test(test_cadence_random_programs),
    };

    return cmocka_run_group_tests_name("cadence", tests, NULL, NULL);
}
