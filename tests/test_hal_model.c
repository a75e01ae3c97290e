/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The driver library on the model: its bus binding, and copies end to end
 * through registers and memory only.
 */
#include "hal_rig.h"

#include <trench/soc.h>

/* --- The allocator of the binding --------------------------------------- */

#define MEM_BASE UINT64_C(0x100000)
#define MEM_SIZE UINT64_C(0x10000)

struct arena {
    struct trench_bus *bus;
    struct trench_hal_bus *hb;
    const struct trench_hal_ops *ops;
};

static void arena_init(struct arena *a, uint64_t base, uint64_t size_bytes)
{
    struct trench_bus_mem mem = { .name = "ram",
                                  .base = MEM_BASE,
                                  .size_bytes = UINT64_C(4) << 30 };

    assert_int_equal(trench_bus_create(&a->bus), 0);
    assert_int_equal(trench_bus_add_memory(a->bus, &mem), 0);
    assert_int_equal(trench_hal_bus_create(a->bus, base, size_bytes, &a->hb),
                     0);
    a->ops = trench_hal_bus_ops();
}

static void arena_fini(struct arena *a)
{
    trench_hal_bus_destroy(a->hb);
    trench_bus_destroy(a->bus);
}

static void test_hal_bus_create_refuses_what_is_not_memory(void **state)
{
    struct trench_hal_bus *hb = NULL;
    struct arena a;

    (void)state;
    arena_init(&a, MEM_BASE, MEM_SIZE);
    assert_int_equal(trench_hal_bus_create(a.bus, 0, 16, &hb),
                     TRENCH_ERR_FAULT);
    assert_int_equal(trench_hal_bus_create(a.bus, MEM_BASE - 1, 16, &hb),
                     TRENCH_ERR_FAULT);
    assert_int_equal(trench_hal_bus_create(
                         a.bus, MEM_BASE + (UINT64_C(4) << 30) - 1, 2, &hb),
                     TRENCH_ERR_FAULT);
    assert_int_equal(trench_hal_bus_create(a.bus, MEM_BASE, 0, &hb),
                     TRENCH_ERR_FAULT);
    assert_int_equal(trench_hal_bus_create(a.bus, MEM_BASE, UINT64_MAX, &hb),
                     TRENCH_ERR_FAULT);
    assert_null(hb);
    trench_hal_bus_destroy(NULL);
    arena_fini(&a);
}

static void test_hal_bus_alloc_aligns_and_zeroes(void **state)
{
    static const size_t aligns[] = { 1, 4, 64, 256, 4096 };
    struct trench_hal_mem mem[ARRAY_LEN(aligns)];
    struct arena a;

    (void)state;
    arena_init(&a, MEM_BASE + 1, MEM_SIZE);
    for (int round = 0; round < 3; round++) {
        for (size_t i = 0; i < ARRAY_LEN(aligns); i++) {
            size_t len = 3 * i + 1;

            assert_int_equal(a.ops->mem_alloc(a.hb, len, aligns[i], &mem[i]),
                             0);
            CHECK(mem[i].dma % aligns[i] == 0, "align %zu", aligns[i]);
            CHECK(mem[i].dma > MEM_BASE &&
                      mem[i].dma + len <= MEM_BASE + 1 + MEM_SIZE,
                  "align %zu", aligns[i]);
            CHECK(mem[i].size_bytes == len, "align %zu", aligns[i]);
            assert_ptr_equal(mem[i].cpu,
                             trench_bus_host(a.bus, mem[i].dma, len));
            for (size_t b = 0; b < len; b++) {
                CHECK(((uint8_t *)mem[i].cpu)[b] == 0, "align %zu", aligns[i]);
            }
            memset(mem[i].cpu, 0xee, len);
        }
        for (size_t i = 0; i < ARRAY_LEN(aligns); i++) {
            a.ops->mem_free(a.hb, &mem[i]);
        }
    }
    arena_fini(&a);
}

static void test_hal_bus_alloc_ends_with_the_range(void **state)
{
    struct trench_hal_mem mem[16], rest = { 0 };
    struct arena a;

    (void)state;
    arena_init(&a, MEM_BASE, MEM_SIZE);
    assert_int_equal(a.ops->mem_alloc(a.hb, 0, 1, &rest), TRENCH_ERR_NOMEM);
    assert_int_equal(a.ops->mem_alloc(a.hb, MEM_SIZE + 1, 1, &rest),
                     TRENCH_ERR_NOMEM);
    assert_int_equal(a.ops->mem_alloc(a.hb, SIZE_MAX, 1, &rest),
                     TRENCH_ERR_NOMEM);
    assert_int_equal(a.ops->mem_alloc(a.hb, 1, (size_t)1 << 40, &rest),
                     TRENCH_ERR_NOMEM);
    for (size_t i = 0; i < 16; i++) {
        assert_int_equal(
            a.ops->mem_alloc(a.hb, MEM_SIZE / 16, MEM_SIZE / 16, &mem[i]), 0);
        CHECK(mem[i].dma == MEM_BASE + i * MEM_SIZE / 16, "block %zu", i);
    }
    assert_int_equal(a.ops->mem_alloc(a.hb, 1, 1, &rest), TRENCH_ERR_NOMEM);
    assert_null(rest.cpu);

    /* Any order of freeing joins the pieces again. */
    for (size_t i = 0; i < 16; i++) {
        a.ops->mem_free(a.hb, &mem[i * 7 % 16]);
    }
    assert_int_equal(a.ops->mem_alloc(a.hb, MEM_SIZE, 1, &rest), 0);
    assert_true(rest.dma == MEM_BASE);
    a.ops->mem_free(a.hb, &rest);
    arena_fini(&a);
}

/* First fit: a hole is used again, what surrounds it stays as it was. */
static void test_hal_bus_alloc_reuses_holes(void **state)
{
    struct trench_hal_mem mem[3], again;
    struct arena a;

    (void)state;
    arena_init(&a, MEM_BASE, MEM_SIZE);
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(a.ops->mem_alloc(a.hb, 0x1000, 256, &mem[i]), 0);
        memset(mem[i].cpu, (int)i + 1, 0x1000);
    }
    a.ops->mem_free(a.hb, &mem[1]);
    assert_int_equal(a.ops->mem_alloc(a.hb, 0x1001, 256, &again), 0);
    assert_true(again.dma > mem[2].dma);
    a.ops->mem_free(a.hb, &again);
    assert_int_equal(a.ops->mem_alloc(a.hb, 0x800, 256, &again), 0);
    assert_true(again.dma == mem[1].dma);
    assert_int_equal(((uint8_t *)mem[0].cpu)[0xfff], 1);
    assert_int_equal(((uint8_t *)mem[2].cpu)[0], 3);
    arena_fini(&a); /* with allocations left: nothing leaks */
}

/* Random use never hands a byte out twice. */
static void test_hal_bus_alloc_never_overlaps(void **state)
{
    struct trench_hal_mem mem[40] = { { NULL, 0, 0 } };
    uint64_t rnd = SEED;
    struct arena a;

    (void)state;
    arena_init(&a, MEM_BASE + 3, MEM_SIZE);
    for (int round = 0; round < 5000; round++) {
        size_t i = pick(&rnd, 0, ARRAY_LEN(mem) - 1);

        if (mem[i].cpu) {
            for (size_t b = 0; b < mem[i].size_bytes; b++) {
                CHECK(((uint8_t *)mem[i].cpu)[b] == i + 1, "round %d", round);
            }
            a.ops->mem_free(a.hb, &mem[i]);
            mem[i].cpu = NULL;
        } else if (a.ops->mem_alloc(a.hb, pick(&rnd, 1, 0x1000),
                                    (size_t)1 << pick(&rnd, 0, 12),
                                    &mem[i]) == 0) {
            memset(mem[i].cpu, (int)i + 1, mem[i].size_bytes);
        }
    }
    arena_fini(&a);
}

static void test_hal_bus_ops_reach_registers_and_clock(void **state)
{
    struct arena a;
    uint32_t val = 0;
    uint64_t t0;

    (void)state;
    arena_init(&a, MEM_BASE, MEM_SIZE);
    assert_int_equal(a.ops->write32(a.hb, MEM_BASE + 8, 0x12345678), 0);
    assert_int_equal(a.ops->read32(a.hb, MEM_BASE + 8, &val), 0);
    assert_int_equal(val, 0x12345678);
    assert_int_equal(a.ops->read32(a.hb, 0, &val), TRENCH_ERR_FAULT);
    assert_int_equal(a.ops->write32(a.hb, 0, 0), TRENCH_ERR_FAULT);
    t0 = a.ops->now_ns(a.hb);
    assert_true(a.ops->now_ns(a.hb) >= t0);
    arena_fini(&a);
}

/* --- A chip ------------------------------------------------------------- */

#define HBM_0 UINT64_C(0)
#define HBM_1 UINT64_C(0x4000000000)
#define HOST  UINT64_C(0x400000000000)
/* Where the driver's rings are, away from the data. */
#define RINGS      (HBM_0 + 0x40000000)
#define RINGS_SIZE UINT64_C(0x10000000)
/* No window of the chip is here. */
#define NOWHERE UINT64_C(0x00a0000000000000)
/* Data that the tests move and look at. */
#define ARENA_BYTES 0x400000u

struct chip {
    struct trench_soc *soc;
    struct trench_bus *bus;
    struct trench_hal_bus *hb;
    struct trench_hal_engine *engine;
    struct trench_hal_queue *queue;
    uint64_t base;
    uint8_t *src;  /* ARENA_BYTES at HBM_0 */
    uint8_t *dst;  /* ARENA_BYTES at HBM_1 */
    uint8_t *want; /* what dst should be */
};

static void chip_open(struct chip *chip, unsigned engine,
                      const struct trench_hal_queue_conf *conf)
{
    struct trench_hal_engine_conf engine_conf = {
        .ops = trench_hal_bus_ops(),
        .opaque = chip->hb,
        .gen = trench_soc_gen(chip->soc),
    };

    assert_int_equal(trench_gen_engine_base(engine_conf.gen, engine, false,
                                            &engine_conf.base),
                     0);
    chip->base = engine_conf.base;
    assert_int_equal(trench_hal_engine_open(&engine_conf, &chip->engine), 0);
    assert_int_equal(trench_hal_queue_open(chip->engine, conf, &chip->queue),
                     0);
}

static void chip_init(struct chip *chip, bool stepped,
                      const struct trench_hal_queue_conf *conf)
{
    struct trench_soc_conf soc_conf = { .stepped = stepped };
    uint64_t rnd = SEED;

    assert_int_equal(trench_soc_create(&soc_conf, &chip->soc), 0);
    chip->bus = trench_soc_bus(chip->soc);
    assert_int_equal(
        trench_hal_bus_create(chip->bus, RINGS, RINGS_SIZE, &chip->hb), 0);
    chip_open(chip, 5, conf);

    chip->src = trench_bus_host(chip->bus, HBM_0, ARENA_BYTES);
    chip->dst = trench_bus_host(chip->bus, HBM_1, ARENA_BYTES);
    chip->want = malloc(ARENA_BYTES);
    assert_true(chip->src && chip->dst && chip->want);
    for (size_t i = 0; i < ARENA_BYTES; i += 8) {
        uint64_t word = next_random(&rnd);

        memcpy(chip->src + i, &word, 8);
    }
    memset(chip->dst, 0x5a, ARENA_BYTES);
    memset(chip->want, 0x5a, ARENA_BYTES);
}

static void chip_close(struct chip *chip)
{
    trench_hal_queue_close(chip->queue);
    trench_hal_engine_close(chip->engine);
}

static void chip_fini(struct chip *chip)
{
    chip_close(chip);
    trench_hal_bus_destroy(chip->hb);
    trench_soc_destroy(chip->soc);
    free(chip->want);
}

/* Both ways to learn of completions. */
static const struct trench_hal_queue_conf both_modes[] = {
    { .index = 2 },
    { .index = 2, .no_comp_rings = true },
};

static void test_hal_model_copies_any_length_and_alignment(void **state)
{
    (void)state;
    for (size_t mode = 0; mode < ARRAY_LEN(both_modes); mode++) {
        uint64_t rnd = SEED;
        struct chip chip;

        chip_init(&chip, false, &both_modes[mode]);
        for (int round = 0; round < 300; round++) {
            uint64_t len = pick(&rnd, 1, UINT64_C(1) << pick(&rnd, 0, 20));
            uint64_t from = pick(&rnd, 0, ARENA_BYTES - len);
            uint64_t to = pick(&rnd, 0, ARENA_BYTES - len);
            unsigned flags = (unsigned)pick(&rnd, 0, 7);
            int nr = (int)((len + 65535) / 65536);

            memcpy(chip.want + to, chip.src + from, len);
            assert_int_equal(trench_hal_copy(chip.queue, HBM_1 + to,
                                             HBM_0 + from, len, flags),
                             nr);
            assert_int_equal(trench_hal_submit(chip.queue), nr);
            CHECK(trench_hal_wait(chip.queue, 0) == 0, "mode %zu round %d",
                  mode, round);
            CHECK(memcmp(chip.dst, chip.want, ARENA_BYTES) == 0,
                  "mode %zu round %d: %llu bytes", mode, round,
                  (unsigned long long)len);
        }
        chip_fini(&chip);
    }
}

static void test_hal_model_copies_at_the_descriptor_limit(void **state)
{
    static const uint32_t lens[] = { 1, 65535, 65536, 65537, 131072, 0x3fffff };

    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(lens); i++) {
        struct chip chip;

        chip_init(&chip, false, &both_modes[0]);
        memcpy(chip.want, chip.src, lens[i]);
        assert_true(trench_hal_copy(chip.queue, HBM_1, HBM_0, lens[i], 0) > 0);
        assert_true(trench_hal_submit(chip.queue) > 0);
        assert_int_equal(trench_hal_wait(chip.queue, 0), 0);
        CHECK(memcmp(chip.dst, chip.want, ARENA_BYTES) == 0, "%u", lens[i]);
        chip_fini(&chip);
    }
}

/* Cut a window of the arena at random into pieces in random order. */
static size_t cut(uint64_t *rnd, uint64_t base, uint64_t len, size_t most,
                  struct trench_hal_seg *segs)
{
    uint64_t at = base;
    size_t nr = 0;

    while (at < base + len) {
        uint64_t left = base + len - at;
        uint64_t n = nr + 1 == most ? left : pick(rnd, 0, 3 * left / most + 1);

        n = n < left ? n : left;
        segs[nr++] = (struct trench_hal_seg){ at, n };
        at += n;
    }
    for (size_t i = nr; i > 1; i--) {
        size_t j = pick(rnd, 0, i - 1);
        struct trench_hal_seg seg = segs[i - 1];

        segs[i - 1] = segs[j];
        segs[j] = seg;
    }
    return nr;
}

/* The same, byte by byte. */
static void copy_sg_by_hand(struct chip *chip, const struct trench_hal_seg *dst,
                            const struct trench_hal_seg *src, uint64_t len)
{
    uint64_t d = 0, s = 0;

    for (; len > 0; len--) {
        while (s == src->len_bytes) {
            src++;
            s = 0;
        }
        while (d == dst->len_bytes) {
            dst++;
            d = 0;
        }
        chip->want[dst->addr + d++ - HBM_1] = chip->src[src->addr + s++];
    }
}

static void test_hal_model_gathers_and_scatters(void **state)
{
    struct trench_hal_seg src[300], dst[300];

    (void)state;
    for (size_t mode = 0; mode < ARRAY_LEN(both_modes); mode++) {
        uint64_t rnd = SEED;
        struct chip chip;

        chip_init(&chip, false, &both_modes[mode]);
        for (int round = 0; round < 200; round++) {
            uint64_t len = pick(&rnd, 1, UINT64_C(1) << pick(&rnd, 0, 21));
            uint64_t from = pick(&rnd, 0, ARENA_BYTES - len);
            uint64_t to = pick(&rnd, 0, ARENA_BYTES - len);
            size_t nr_src =
                cut(&rnd, HBM_0 + from, len, pick(&rnd, 1, 300), src);
            size_t nr_dst = cut(&rnd, HBM_1 + to, len, pick(&rnd, 1, 300), dst);
            int nr;

            copy_sg_by_hand(&chip, dst, src, len);
            nr = trench_hal_copy_sg(chip.queue, dst, nr_dst, src, nr_src,
                                    (unsigned)pick(&rnd, 0, 7));
            CHECK(nr > 0, "mode %zu round %d: %d", mode, round, nr);
            assert_int_equal(trench_hal_submit(chip.queue), nr);
            CHECK(trench_hal_wait(chip.queue, 0) == 0, "mode %zu round %d",
                  mode, round);
            CHECK(memcmp(chip.dst, chip.want, ARENA_BYTES) == 0,
                  "mode %zu round %d: %llu bytes, %zu to %zu pieces", mode,
                  round, (unsigned long long)len, nr_src, nr_dst);
        }
        chip_fini(&chip);
    }
}

/* One packet of 3 to 64 bytes, of 1 or 3 descriptors on each side. */
static void copy_a_little(struct chip *chip, uint64_t *rnd)
{
    uint64_t len = pick(rnd, 3, 64);
    uint64_t from = HBM_0 + pick(rnd, 0, ARENA_BYTES - len);
    uint64_t to = HBM_1 + pick(rnd, 0, 0x10000 - len);
    /* Whole, then cut. */
    const struct trench_hal_seg src[] = {
        { from, len }, { from, 1 }, { from + 1, 1 }, { from + 2, len - 2 }
    };
    const struct trench_hal_seg dst[] = {
        { to, len }, { to, 1 }, { to + 1, len - 2 }, { to + len - 1, 1 }
    };
    size_t cut_src = pick(rnd, 0, 1);
    size_t cut_dst = pick(rnd, 0, 1);

    memcpy(chip->want + (to - HBM_1), chip->src + (from - HBM_0), len);
    assert_int_equal(trench_hal_copy_sg(chip->queue, dst + cut_dst,
                                        cut_dst ? 3 : 1, src + cut_src,
                                        cut_src ? 3 : 1, 0),
                     1);
}

/* Rings of several lengths, over many laps, in batches. */
static void test_hal_model_wraps_for_many_laps(void **state)
{
    static const struct trench_hal_queue_conf confs[] = {
        { .tx_entries = 48 },
        { .tx_entries = 32, .rx_entries = 80 },
        { .tx_entries = 112, .rx_entries = 48 },
        { .tx_entries = 48, .no_comp_rings = true },
        { .index = 15,
          .tx_entries = 64,
          .rx_entries = 32,
          .no_comp_rings = true },
    };

    (void)state;
    for (size_t c = 0; c < ARRAY_LEN(confs); c++) {
        struct trench_soc_engine_stats stats;
        uint64_t rnd = SEED;
        uint64_t packets = 0;
        struct chip chip;

        chip_init(&chip, false, &confs[c]);
        for (int round = 0; round < 500; round++) {
            int nr = (int)pick(&rnd, 1, trench_hal_queue_space(chip.queue) / 3);

            for (int i = 0; i < nr; i++) {
                copy_a_little(&chip, &rnd);
            }
            assert_int_equal(trench_hal_submit(chip.queue), nr);
            CHECK(trench_hal_poll(chip.queue) == nr, "conf %zu round %d", c,
                  round);
            CHECK(memcmp(chip.dst, chip.want, 0x10000) == 0,
                  "conf %zu round %d", c, round);
            packets += (uint64_t)nr;
        }
        assert_int_equal(trench_soc_engine_stats(chip.soc, 5, &stats), 0);
        assert_true(stats.packets == packets && stats.errors == 0);
        chip_fini(&chip);
    }
}

static void test_hal_model_runs_queues_side_by_side(void **state)
{
    struct trench_hal_queue *queues[TRENCH_NR_QUEUES];
    struct chip chip;

    (void)state;
    chip_init(&chip, false, &both_modes[0]);
    for (unsigned q = 0; q < TRENCH_NR_QUEUES; q++) {
        struct trench_hal_queue_conf conf = { .index = q, .tx_entries = 64 };

        queues[q] = chip.queue;
        if (q != both_modes[0].index) {
            assert_int_equal(
                trench_hal_queue_open(chip.engine, &conf, &queues[q]), 0);
        }
        assert_int_equal(trench_hal_copy(queues[q], HBM_1 + q * 100,
                                         HBM_0 + q * 1000, 100, 0),
                         1);
        memcpy(chip.want + q * 100, chip.src + q * 1000, 100);
    }
    for (unsigned q = 0; q < TRENCH_NR_QUEUES; q++) {
        assert_int_equal(trench_hal_submit(queues[15 - q]), 1);
    }
    for (unsigned q = 0; q < TRENCH_NR_QUEUES; q++) {
        CHECK(trench_hal_wait(queues[q], 0) == 0, "queue %u", q);
        if (queues[q] != chip.queue) {
            trench_hal_queue_close(queues[q]);
        }
    }
    assert_memory_equal(chip.dst, chip.want, ARENA_BYTES);
    chip_fini(&chip);
}

/* Host memory is reached like any other. */
static void test_hal_model_copies_to_and_from_the_host(void **state)
{
    struct chip chip;

    (void)state;
    chip_init(&chip, false, &both_modes[0]);
    assert_int_equal(trench_hal_copy(chip.queue, HOST + 77, HBM_0, 99999, 0),
                     2);
    assert_int_equal(
        trench_hal_copy(chip.queue, HBM_1, HOST + 77, 99999, TRENCH_HAL_DMB),
        2);
    assert_int_equal(trench_hal_submit(chip.queue), 4);
    assert_int_equal(trench_hal_wait(chip.queue, 0), 0);
    assert_memory_equal(chip.dst, chip.src, 99999);
    chip_fini(&chip);
}

/* Primary groups B (RX) and C (TX), bit q, only when asked (B49). */
static void test_hal_model_interrupts_when_asked(void **state)
{
    uint32_t rx, tx;
    struct chip chip;

    (void)state;
    chip_init(&chip, false, &both_modes[0]);
    for (unsigned flags = 0; flags <= TRENCH_HAL_INTERRUPT;
         flags += TRENCH_HAL_INTERRUPT) {
        assert_int_equal(trench_hal_copy(chip.queue, HBM_1, HBM_0, 8, flags),
                         1);
        assert_int_equal(trench_hal_submit(chip.queue), 1);
        assert_int_equal(trench_hal_wait(chip.queue, 0), 0);
        assert_int_equal(trench_bus_read32(chip.bus, chip.base + 0x38040, &rx),
                         0);
        assert_int_equal(trench_bus_read32(chip.bus, chip.base + 0x38080, &tx),
                         0);
        CHECK(rx == flags && tx == flags, "0x%x 0x%x", rx, tx); /* queue 2 */
    }
    chip_fini(&chip);
}

/* What is not run yet is neither finished nor an error. */
static void test_hal_model_waits_for_a_chip_that_is_stepped(void **state)
{
    (void)state;
    for (size_t mode = 0; mode < ARRAY_LEN(both_modes); mode++) {
        struct chip chip;

        chip_init(&chip, true, &both_modes[mode]);
        assert_int_equal(trench_hal_copy(chip.queue, HBM_1, HBM_0, 131072, 0),
                         2);
        assert_int_equal(trench_hal_submit(chip.queue), 2);
        assert_int_equal(trench_hal_poll(chip.queue), 0);
        assert_int_equal(trench_hal_wait(chip.queue, 1000),
                         TRENCH_ERR_TIMEDOUT);
        assert_int_equal(trench_hal_queue_in_flight(chip.queue), 2);
        assert_true(trench_soc_run(chip.soc, 0) > 0);
        assert_int_equal(trench_hal_wait(chip.queue, 0), 0);
        assert_memory_equal(chip.dst, chip.src, 131072);
        chip_fini(&chip);
    }
}

/* A packet that fails, between good ones, on either side. */
static void test_hal_model_reports_and_recovers_from_faults(void **state)
{
    (void)state;
    for (size_t mode = 0; mode < ARRAY_LEN(both_modes); mode++) {
        for (int bad_dst = 0; bad_dst < 2; bad_dst++) {
            uint64_t dst = bad_dst ? NOWHERE : HBM_1;
            uint64_t src = bad_dst ? HBM_0 : NOWHERE;
            struct trench_hal_errors errors;
            enum trench_hal_state engine_state;
            struct chip chip;

            chip_init(&chip, false, &both_modes[mode]);
            assert_null(trench_bus_host(chip.bus, NOWHERE, 1));
            assert_int_equal(
                trench_hal_copy(chip.queue, HBM_1 + 4096, HBM_0, 64, 0), 1);
            assert_int_equal(trench_hal_copy(chip.queue, dst, src, 64, 0), 1);
            assert_int_equal(
                trench_hal_copy(chip.queue, HBM_1 + 8192, HBM_0, 64, 0), 1);
            assert_int_equal(trench_hal_submit(chip.queue), 3);
            CHECK(trench_hal_wait(chip.queue, 0) == TRENCH_ERR_IO,
                  "mode %zu bad_dst %d", mode, bad_dst);
            assert_memory_equal(chip.dst + 4096, chip.src, 64);
            assert_int_equal(
                trench_hal_engine_state(chip.engine, &engine_state), 0);
            assert_int_equal(engine_state, TRENCH_HAL_ABORT);

            assert_int_equal(
                trench_hal_engine_take_errors(chip.engine, &errors), 0);
            CHECK(errors.s2m == (bad_dst ? 1u << 1 : 0) &&
                      errors.m2s == (bad_dst ? 0 : 1u << 8),
                  "mode %zu bad_dst %d: m2s 0x%x s2m 0x%x", mode, bad_dst,
                  errors.m2s, errors.s2m);
            assert_int_equal(
                trench_hal_engine_take_errors(chip.engine, &errors), 0);
            CHECK(errors.m2s == 0 && errors.s2m == 0, "m2s 0x%x s2m 0x%x",
                  errors.m2s, errors.s2m);

            assert_int_equal(trench_hal_queue_reset(chip.queue), 0);
            assert_int_equal(
                trench_hal_copy(chip.queue, HBM_1, HBM_0, 200000, 0), 4);
            assert_int_equal(trench_hal_submit(chip.queue), 4);
            CHECK(trench_hal_wait(chip.queue, 0) == 0, "mode %zu bad_dst %d",
                  mode, bad_dst);
            assert_memory_equal(chip.dst, chip.src, 200000);
            chip_fini(&chip);
        }
    }
}

/* Reset drops what is published and what is not. */
static void test_hal_model_reset_abandons_work(void **state)
{
    (void)state;
    for (size_t mode = 0; mode < ARRAY_LEN(both_modes); mode++) {
        struct chip chip;

        chip_init(&chip, true, &both_modes[mode]);
        assert_int_equal(trench_hal_copy(chip.queue, HBM_1, HBM_0, 64, 0), 1);
        assert_int_equal(trench_hal_submit(chip.queue), 1);
        assert_int_equal(trench_hal_copy(chip.queue, HBM_1, HBM_0, 64, 0), 1);
        assert_int_equal(trench_hal_queue_reset(chip.queue), 0);
        trench_soc_run(chip.soc, 0);
        assert_memory_equal(chip.dst, chip.want, ARENA_BYTES);

        assert_int_equal(trench_hal_copy(chip.queue, HBM_1 + 64, HBM_0, 64, 0),
                         1);
        assert_int_equal(trench_hal_submit(chip.queue), 1);
        trench_soc_run(chip.soc, 0);
        assert_int_equal(trench_hal_wait(chip.queue, 0), 0);
        memcpy(chip.want + 64, chip.src, 64);
        assert_memory_equal(chip.dst, chip.want, ARENA_BYTES);
        chip_fini(&chip);
    }
}

/* Close leaves the engine disabled; the next user must not notice. */
static void test_hal_model_opens_again_after_close(void **state)
{
    struct chip chip;

    (void)state;
    chip_init(&chip, false, &both_modes[0]);
    for (int round = 0; round < 3; round++) {
        chip_close(&chip);
        chip_open(&chip, 5, &both_modes[round % 2]);
        assert_int_equal(
            trench_hal_copy(chip.queue, HBM_1 + round, HBM_0, 64, 0), 1);
        assert_int_equal(trench_hal_submit(chip.queue), 1);
        CHECK(trench_hal_wait(chip.queue, 0) == 0, "round %d", round);
        assert_memory_equal(chip.dst + round, chip.src, 64);
    }
    chip_fini(&chip);
}

/* An engine that was disabled by command does nothing until it may. */
static void test_hal_model_obeys_commands(void **state)
{
    struct chip chip;

    (void)state;
    chip_init(&chip, false, &both_modes[0]);
    assert_int_equal(
        trench_hal_engine_command(chip.engine, TRENCH_HAL_CMD_DISABLE), 0);
    assert_int_equal(trench_hal_copy(chip.queue, HBM_1, HBM_0, 64, 0), 1);
    assert_int_equal(trench_hal_submit(chip.queue), 1);
    assert_int_equal(trench_hal_wait(chip.queue, 0), TRENCH_ERR_TIMEDOUT);
    assert_memory_equal(chip.dst, chip.want, 64);
    assert_int_equal(
        trench_hal_engine_command(chip.engine, TRENCH_HAL_CMD_NORMAL), 0);
    assert_int_equal(trench_hal_wait(chip.queue, 0), 0);
    assert_memory_equal(chip.dst, chip.src, 64);

    assert_int_equal(
        trench_hal_engine_command(chip.engine, TRENCH_HAL_CMD_ABORT), 0);
    assert_int_equal(trench_hal_copy(chip.queue, HBM_1, HBM_0, 64, 0), 1);
    assert_int_equal(trench_hal_submit(chip.queue), 1);
    assert_int_equal(trench_hal_wait(chip.queue, 0), TRENCH_ERR_IO);
    assert_int_equal(trench_hal_queue_reset(chip.queue), 0);
    assert_int_equal(trench_hal_copy(chip.queue, HBM_1, HBM_0 + 64, 64, 0), 1);
    assert_int_equal(trench_hal_submit(chip.queue), 1);
    assert_int_equal(trench_hal_wait(chip.queue, 0), 0);
    assert_memory_equal(chip.dst, chip.src + 64, 64);
    chip_fini(&chip);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_hal_bus_create_refuses_what_is_not_memory),
        cmocka_unit_test(test_hal_bus_alloc_aligns_and_zeroes),
        cmocka_unit_test(test_hal_bus_alloc_ends_with_the_range),
        cmocka_unit_test(test_hal_bus_alloc_reuses_holes),
        cmocka_unit_test(test_hal_bus_alloc_never_overlaps),
        cmocka_unit_test(test_hal_bus_ops_reach_registers_and_clock),
        cmocka_unit_test(test_hal_model_copies_any_length_and_alignment),
        cmocka_unit_test(test_hal_model_copies_at_the_descriptor_limit),
        cmocka_unit_test(test_hal_model_gathers_and_scatters),
        cmocka_unit_test(test_hal_model_wraps_for_many_laps),
        cmocka_unit_test(test_hal_model_runs_queues_side_by_side),
        cmocka_unit_test(test_hal_model_copies_to_and_from_the_host),
        cmocka_unit_test(test_hal_model_interrupts_when_asked),
        cmocka_unit_test(test_hal_model_waits_for_a_chip_that_is_stepped),
        cmocka_unit_test(test_hal_model_reports_and_recovers_from_faults),
        cmocka_unit_test(test_hal_model_reset_abandons_work),
        cmocka_unit_test(test_hal_model_opens_again_after_close),
        cmocka_unit_test(test_hal_model_obeys_commands),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
