/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Fills: the mailbox (M) and DramRingDMA (R), by the numbers of
 * iram-cache-idma 6, with the sections of seed 003; hardware.md H140, H141,
 * H143, H145, H152 to H155.
 */
#include "icache_rig.h"

#include "base/desc.h"
#include "seq/icache_priv.h"

#define SEQ_IRAM UINT64_C(0x2803000000) /* POOL of NeuronCore 0 (1.1) */

/* ---- the mailbox --------------------------------------------------------- */

/* Every access to the local registers, seen on the way. */
struct spy {
    struct trench_bus *to;
    uint64_t base;
    struct {
        uint32_t offset;
        uint32_t val;
        bool write;
    } seen[256];
    unsigned nr;
};

static int spy_read32(void *opaque, uint64_t offset, uint32_t *val)
{
    struct spy *s = opaque;
    int err = trench_bus_read32(s->to, s->base + offset, val);

    if (s->nr < ARRAY_LEN(s->seen)) {
        s->seen[s->nr].offset = (uint32_t)offset;
        s->seen[s->nr].val = *val;
        s->seen[s->nr++].write = false;
    }
    return err;
}

static int spy_write32(void *opaque, uint64_t offset, uint32_t val)
{
    struct spy *s = opaque;

    if (s->nr < ARRAY_LEN(s->seen)) {
        s->seen[s->nr].offset = (uint32_t)offset;
        s->seen[s->nr].val = val;
        s->seen[s->nr++].write = true;
    }
    return trench_bus_write32(s->to, s->base + offset, val);
}

/*
 * A second bus on which the firmware runs: the chip's memories by address, and
 * the local registers behind the spy.
 */
static struct trench_bus *spy_open(struct icache_rig *r, struct spy *s)
{
    static const struct trench_bus_dev_ops ops = { spy_read32, spy_write32 };
    const struct trench_bus_mem mems[] = {
        { .name = "iram",
          .base = r->addr.iram,
          .size_bytes = 0x8000,
          .host = r->iram },
        { .name = "dram",
          .base = r->addr.dram,
          .size_bytes = 0x10000,
          .host = r->dram },
    };
    const struct trench_bus_window w = {
        .name = "local",
        .base = r->addr.local_reg,
        .size_bytes = 0x10000,
        .ops = &ops,
        .opaque = s,
    };
    struct trench_bus *bus;

    memset(s, 0, sizeof(*s));
    s->to = r->bus;
    s->base = r->addr.local_reg;
    CHECK_EQ(trench_bus_create(&bus), 0, "bus");
    CHECK_EQ(trench_bus_add_memory(bus, &mems[0]), 0, "iram");
    CHECK_EQ(trench_bus_add_memory(bus, &mems[1]), 0, "dram");
    CHECK_EQ(trench_bus_add_window(bus, &w), 0, "local");
    return bus;
}

/* M1 to M6, M9; seed 003 3a: the four writes, in order, then polls. */
static void check_words(enum trench_mailbox_words words, uint32_t polls)
{
    const uint64_t at = 5 * 8192;
    const uint64_t line = SEQ_IRAM; /* line 0 */
    const uint32_t want[2][3] = {
        { (uint32_t)line, (uint32_t)(line >> 32), 5 * 8192 },
        { (uint32_t)(STREAM + at), (uint32_t)((STREAM + at) >> 32), 0 },
    };
    static const uint32_t offsets[] = { 0x1140, 0x1160, 0x1180, 0x1120 };
    struct icache_rig r;
    struct trench_bus *bus;
    struct spy s;
    unsigned i;

    icache_rig_init(&r);
    r.conf.words = words;
    r.soc_conf.mailbox_polls = polls;
    icache_rig_chip(&r);
    bus = spy_open(&r, &s);
    r.conf.bus = bus;
    icache_rig_open(&r);
    s.nr = 0;
    CHECK_EQ(icache_rig_fetch(&r, at), 1, "miss");
    /* R18, M7: the first drain reads an idle mailbox. */
    CHECK_EQ(s.seen[0].offset, 0x1120, "drain");
    CHECK_EQ(s.seen[0].val, 0, "M7");
    for (i = 0; !s.seen[i].write; i++) {
    }
    for (unsigned k = 0; k < 4; k++) {
        CHECK_EQ(s.seen[i + k].write, true, "M1 %u", k);
        CHECK_EQ(s.seen[i + k].offset, offsets[k], "M1 %u", k);
        CHECK_EQ(s.seen[i + k].val, k < 3 ? want[words][k] : 1, "M2 %u", k);
    }
    i += 4;
    for (uint32_t p = 0; p < polls; p++, i++) {
        CHECK_EQ(s.seen[i].offset, 0x1120, "poll %u", p);
        CHECK_EQ(s.seen[i].val != 0, true, "M3, M4: poll %u", p);
    }
    CHECK_EQ(s.seen[i].offset, 0x1120, "the last poll");
    CHECK_EQ(s.seen[i].val, 0, "M3");
    for (; i < s.nr; i++) {
        CHECK_EQ(s.seen[i].write, false, "M5: access %u", i);
    }
    for (unsigned k = 0; k < 3; k++) {
        CHECK_EQ(icache_rig_local(&r, offsets[k]), want[words][k], "M6 %u", k);
    }
    CHECK_MEM(r.iram, r.image + at, 8192, "M8");
    icache_rig_close(&r);
    trench_bus_destroy(bus);
}

static void test_fill_m1_to_m9_mailbox(void **state)
{
    (void)state;
    for (unsigned words = 0; words < 2; words++) {
        check_words((enum trench_mailbox_words)words, 0); /* M11 */
        check_words((enum trench_mailbox_words)words, 1);
        check_words((enum trench_mailbox_words)words, 7);
    }
}

/* M8, M9 for every line and block size, in both readings. */
static void test_fill_m8_every_line(void **state)
{
    (void)state;
    for (unsigned words = 0; words < 2; words++) {
        for (uint32_t block = 1024; block <= 16384; block *= 2) {
            struct icache_rig r;

            icache_rig_init(&r);
            r.conf.words = words;
            r.conf.block_bytes = block;
            icache_rig_open(&r);
            for (uint64_t at = 0; at < IMAGE_MAX; at += block) {
                uint32_t word;

                icache_rig_forget(&r);
                CHECK_EQ(icache_rig_fetch(&r, at), 1, "0x%llx", ULL(at));
                word = icache_rig_local(&r, 0x1180);
                CHECK_EQ(word, words ? at % 32768 : at, "glr[12] 0x%llx",
                         ULL(at));
                CHECK_EQ(icache_rig_count(&r, "S: start_fill_siram"), 1,
                         "one transfer a line");
            }
            icache_rig_close(&r);
        }
    }
}

/* H141: the seed's third word counts from where nx.dma_*x_base say. */
static void test_fill_stream_base_registers(void **state)
{
    const uint8_t *bytes = NULL;
    struct icache_rig r;

    (void)state;
    icache_rig_init(&r);
    icache_rig_open(&r);
    CHECK_EQ(icache_rig_local(&r, TPB_XT_LOCAL_REG_NX_DMA_RX_BASE),
             (uint32_t)STREAM, "low, by the host");
    CHECK_EQ(icache_rig_local(&r, TPB_XT_LOCAL_REG_NX_DMA_TX_BASE),
             (uint32_t)(STREAM >> 32), "high, by the host");
    icache_rig_set_local(&r, TPB_XT_LOCAL_REG_NX_DMA_RX_BASE,
                         (uint32_t)STREAM + 8192);
    CHECK_EQ(trench_icache_fetch(r.ic, STREAM, &bytes), 1, "miss");
    CHECK_MEM(r.iram, r.image + 8192, 8192, "one block further");
    icache_rig_close(&r);
}

/* M10: never done. The firmware would spin for ever; here a bound ends it. */
static void test_fill_m10_never_done(void **state)
{
    struct icache_rig r;

    (void)state;
    icache_rig_init(&r);
    r.soc_conf.mailbox_polls = UINT32_MAX;
    r.conf.max_polls = 1000;
    icache_rig_open(&r);
    for (unsigned i = 0; i < 3; i++) {
        CHECK_EQ(icache_rig_fetch(&r, 0), TRENCH_ERR_TIMEDOUT, "try %u", i);
        CHECK_EQ(icache_rig_at(&r, 0).state, TRENCH_ICACHE_IN_FLIGHT, "try %u",
                 i);
    }
    CHECK_EQ(icache_rig_fetch(&r, 8192), TRENCH_ERR_TIMEDOUT, "the drain");
    CHECK_EQ(icache_rig_at(&r, 1).state, TRENCH_ICACHE_INVALID, "not claimed");
    icache_rig_close(&r);
}

/* A source that is not mapped: not valid, and polling ends (both backends). */
static void test_fill_from_nowhere(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 8; i++) {
        const uint64_t hole = UINT64_C(0x600000000); /* behind HBM 0 */
        struct trench_icache_line line;
        struct icache_rig r;
        const uint8_t *bytes;

        icache_rig_init(&r);
        r.conf.backend = i % 2;
        r.conf.words = i / 2 % 2;
        r.soc_conf.mailbox_polls = i / 4;
        r.conf.stream_base = hole - 8192;
        icache_rig_open(&r);
        CHECK_EQ(trench_icache_fetch(r.ic, hole - 1, &bytes), 1, "case %u", i);
        for (unsigned n = 0; n < 20; n++) {
            CHECK_EQ(trench_icache_fetch(r.ic, hole + n * 8192, &bytes),
                     TRENCH_ERR_IO, "case %u try %u", i, n);
            for (uint32_t k = 1; k < 4; k++) {
                line = icache_rig_at(&r, k);
                CHECK_EQ(line.state != TRENCH_ICACHE_VALID ||
                             line.tag == hole - 8192,
                         true, "case %u try %u line %u", i, n, k);
            }
        }
        CHECK_EQ(icache_rig_stats(&r).failed, 20, "case %u", i);
        trench_icache_assertion(r.ic, &r.failed);
        CHECK_EQ(r.failed.name == NULL, true, "not halted");
        CHECK_EQ(trench_icache_fetch(r.ic, hole - 1, &bytes), 1, "goes on");
        icache_rig_close(&r);
    }
}

/* What was staged from nowhere does not hold up the next miss. */
static void test_fill_failed_prefetch_is_harmless(void **state)
{
    const uint64_t hole = UINT64_C(0x600000000);

    (void)state;
    for (unsigned backend = 0; backend < 2; backend++) {
        struct icache_rig r;
        const uint8_t *bytes;

        icache_rig_init(&r);
        r.conf.backend = backend;
        r.conf.words = TRENCH_MAILBOX_SOURCE_FIRST;
        r.conf.prefetch = TRENCH_ICACHE_PREFETCH_NEXT;
        r.conf.stream_base = hole - 8 * 8192;
        icache_rig_open(&r);
        CHECK_EQ(trench_icache_fetch(r.ic, hole - 1, &bytes), 1, "the last");
        CHECK_EQ(icache_rig_at(&r, 1).tag, hole, "staged");
        CHECK_EQ(trench_icache_fetch(r.ic, hole - 5 * 8192, &bytes), 1,
                 "goes on");
        CHECK_EQ(icache_rig_stats(&r).failed, 1, "counted");
        icache_rig_close(&r);
    }
}

/* Far from the stream: seed's third word has 32 bits. 2^64-1 is no address. */
static void test_fill_far_addresses(void **state)
{
    static const uint64_t pcs[] = { UINT64_MAX, UINT64_C(1) << 63,
                                    STREAM + (UINT64_C(1) << 32), 0x100000000,
                                    STREAM - 1 };

    (void)state;
    for (unsigned i = 0; i < 4; i++) {
        for (size_t k = 0; k < ARRAY_LEN(pcs); k++) {
            struct icache_rig r;
            const uint8_t *bytes = NULL;
            int ret;

            icache_rig_init(&r);
            r.conf.backend = i % 2;
            r.conf.words = i / 2;
            r.conf.prefetch = TRENCH_ICACHE_PREFETCH_NEXT;
            icache_rig_open(&r);
            ret = trench_icache_fetch(r.ic, pcs[k], &bytes);
            if (ret == 1) { /* mapped: the byte that is there */
                uint8_t *host = trench_bus_host(r.bus, pcs[k], 1);

                assert_non_null(host);
                CHECK_EQ(*bytes, *host, "case %u pc %zu", i, k);
            } else {
                CHECK_EQ(ret, TRENCH_ERR_IO, "case %u pc %zu", i, k);
            }
            CHECK_EQ(icache_rig_fetch(&r, 64) >= 0, true, "goes on");
            icache_rig_close(&r);
        }
    }
}

/* A generation without glr has no mailbox; with it a ring (5.1, 5.3). */
static void test_fill_sunda_has_a_ring_only(void **state)
{
    struct icache_rig r;

    (void)state;
    icache_rig_init(&r);
    r.conf.gen = trench_gen_find("sunda");
    CHECK_EQ(icache_rig_try(&r), TRENCH_ERR_NOTSUP, "mailbox");
    r.conf.backend = TRENCH_ICACHE_RING;
    for (unsigned seq = 0; seq < 5; seq++) {
        r.conf.seq = seq;
        r.conf.core = seq % 2;
        icache_rig_open(&r);
        for (uint64_t at = 0; at < IMAGE_MAX; at += 4096) {
            CHECK_EQ(icache_rig_fetch(&r, at), at % 8192 == 0, "0x%llx",
                     ULL(at));
        }
        CHECK_EQ(r.nr_lines, 0, "its image holds no 'S:' string");
        trench_icache_destroy(r.ic);
        r.ic = NULL;
    }
    assert_string_equal(r.conf.gen->seq_firmware->dma_source, "legacy_dma.hpp");
    assert_string_equal(r.conf.gen->seq_firmware->prepare,
                        "prepare_cache_line");
    assert_string_equal(r.conf.gen->seq_firmware->rotate, "update_victim");
    assert_string_equal(r.conf.gen->seq_firmware->wrap, "ring_rollover");
    icache_rig_close(&r);
}

/* Every sequencer of every generation, by both backends. */
static void test_fill_every_sequencer(void **state)
{
    (void)state;
    for (size_t g = 0; trench_gen_at(g); g++) {
        struct icache_rig r;

        icache_rig_init(&r);
        r.conf.gen = trench_gen_at(g);
        r.conf.log = NULL;
        icache_rig_chip(&r);
        for (unsigned i = 0; i < r.conf.gen->nr_cores * 10u; i++) {
            const uint8_t *bytes;

            r.conf.core = i / 10;
            r.conf.seq = i / 2 % 5;
            r.conf.backend = i % 2;
            if (r.conf.gen->seq_firmware->logs || r.conf.backend) {
                icache_rig_open(&r);
                for (uint64_t at = 0; at < 16 * 8192; at += 8192) {
                    CHECK_EQ(trench_icache_fetch(r.ic, STREAM + at, &bytes), 1,
                             "%s %u", r.conf.gen->name, i);
                    CHECK_MEM(bytes, r.image + at, 8192, "%s %u",
                              r.conf.gen->name, i);
                }
                trench_icache_destroy(r.ic);
                r.ic = NULL;
            }
        }
        icache_rig_close(&r);
    }
}

/* ---- the ring through the cache ------------------------------------------ */

/* R1, R2, R5, R12, R13, R15; seed 003 sections 1 and 3b: the log. */
static void test_fill_r1_to_r15_ring_log(void **state)
{
    static const char *const want[] = {
        "S: query addr 0x40002040, tag 0x40002000, vld=0x0",
        "S: I$ Miss",
        "S: replace: orig victim=0x3",
        "S: wait_for_dma_fill: idx=0x0",
        "S: replace: idx(updated victim_idx)=0x0, addr=0x40002000",
        "S: start_fill_siram: fetch_addr=0x2000",
        "S: DMA enqueue 0x40002000[8192] -> 0x2803000000",
        "S: DramRingDMA::allocate(1) submit=0 comp=0 first_slot=0 min_comp=0",
        "S:   allocate done, returning first_slot=0 count=1",
        "S: submit_pending: first_slot=0 count=1 submit=0 ring_id=1",
        "  submitted, ticket=1 new submit=1",
        "S: wait_for_dma_fill: idx=0x0",
        ("S: wait_for_cache_line: pc=0x40002040, mask=0x7fff, blk_sz=8192, "
         "idx=0x0, nxt_idx=0x1"),
    };
    struct icache_rig r;

    (void)state;
    icache_rig_init(&r);
    r.conf.backend = TRENCH_ICACHE_RING;
    icache_rig_open(&r);
    CHECK_EQ(r.dram[0x5658], 1, "R1: 0x85658");
    icache_rig_forget(&r);
    CHECK_EQ(icache_rig_fetch(&r, 0x2040), 1, "miss");
    CHECK_EQ(r.nr_lines, ARRAY_LEN(want), "lines");
    for (size_t i = 0; i < ARRAY_LEN(want); i++) {
        assert_string_equal(r.lines[i], want[i]);
    }
    CHECK_EQ(icache_rig_control(&r).ticket, 1, "R12: +48, +52");
    /* R7, R10: nine fills on eight slots. */
    for (uint64_t at = 0x4000; at <= 0x12000; at += 0x2000) {
        icache_rig_forget(&r);
        CHECK_EQ(icache_rig_fetch(&r, at), 1, "0x%llx", ULL(at));
    }
    assert_string_equal(
        icache_rig_line(&r, "S: DramRingDMA"),
        "S: DramRingDMA::allocate(1) submit=8 comp=0 first_slot=0 min_comp=1");
    assert_string_equal(
        icache_rig_line(&r, "S: drain"),
        "S: drain_completions(8): comp=0 submit=8 drain_slot=0");
    assert_string_equal(
        icache_rig_line(&r, "S: submit"),
        "S: submit_pending: first_slot=0 count=1 submit=8 ring_id=2");
    CHECK_EQ(icache_rig_control(&r).ticket, 9, "ticket");
    icache_rig_close(&r);
}

/* R3, R4: what the assert refuses, by reading (X4). */
static void test_fill_r3_r4_length_assert(void **state)
{
    (void)state;
    for (unsigned words = 0; words < 2; words++) {
        struct icache_rig r;

        icache_rig_init(&r);
        r.conf.backend = TRENCH_ICACHE_RING;
        r.conf.words = words;
        r.conf.free_geometry = true;
        r.conf.block_bytes = 0x10000;
        r.conf.region_bytes = 0x20000;
        r.soc_conf.seq_iram_bytes = 0x20000;
        icache_rig_open(&r);
        CHECK_EQ(icache_rig_fetch(&r, 0), words ? TRENCH_ERR_IO : 1, "R3");
        CHECK_EQ(icache_rig_count(&r, "S: Assertion failure! "
                                      "setup_enqueue_dispatch_descriptors("
                                      "iram_dma.hpp:"),
                 words, "R3");
        icache_rig_close(&r);
    }
}

/* A slot that somebody corrupts between submission and the engine. */
static void test_fill_corrupted_slot(void **state)
{
    unsigned caught = 0;

    (void)state;
    for (unsigned bit = 0; bit < 2 * 128; bit++) {
        struct icache_rig r;
        struct dram_ring_copy copy = { STREAM, SEQ_IRAM, 8192 };
        enum dram_ring_state now;
        uint64_t ticket;
        uint8_t *desc;

        icache_rig_init(&r);
        r.conf.backend = TRENCH_ICACHE_RING;
        r.conf.log = NULL;
        r.soc_conf.stepped = true;
        icache_rig_open(&r);
        CHECK_EQ(dram_ring_enqueue(&r.ic->ring, &copy, &ticket), 0, "enqueue");
        CHECK_EQ(dram_ring_check(&r.ic->ring, ticket), DRAM_RING_BUSY, "busy");
        desc = bit < 128 ? r.ic->ring.tx_mem : r.ic->ring.rx_mem;
        desc[bit % 128 / 8] ^= (uint8_t)(1u << bit % 8);
        trench_soc_run(r.soc, 0);
        now = dram_ring_check(&r.ic->ring, ticket);
        /* Done only if the whole block arrived somewhere from somewhere. */
        caught += now != DRAM_RING_DONE;
        if (bit < 16) { /* the length of what is read */
            CHECK_EQ(now != DRAM_RING_DONE, true, "bit %u", bit);
        }
        icache_rig_close(&r);
    }
    CHECK_EQ(caught >= 40, true, "%u caught", caught);
}

/* The cache over a ring whose completions lie: every bit, every word. */
static void test_fill_corrupted_completion(void **state)
{
    (void)state;
    for (unsigned bit = 0; bit < 64; bit++) {
        struct icache_rig r;
        struct dram_ring_copy copy = { STREAM, SEQ_IRAM, 8192 };
        enum dram_ring_state now;
        uint64_t ticket;

        icache_rig_init(&r);
        r.conf.backend = TRENCH_ICACHE_RING;
        r.conf.log = NULL;
        icache_rig_open(&r);
        CHECK_EQ(dram_ring_enqueue(&r.ic->ring, &copy, &ticket), 0, "enqueue");
        CHECK_EQ(dram_ring_check(&r.ic->ring, ticket), DRAM_RING_DONE, "done");
        r.ic->ring.comp_mem[bit / 8] ^= (uint8_t)(1u << bit % 8);
        now = dram_ring_check(&r.ic->ring, ticket);
        if (bit == 24 || bit == 25) {
            CHECK_EQ(now, DRAM_RING_BUSY, "R11: bit %u", bit);
        } else if (bit == 27 || bit == 31 || (bit >= 32 && bit < 48)) {
            CHECK_EQ(now, DRAM_RING_FAILED, "bit %u", bit);
        } else {
            CHECK_EQ(now, DRAM_RING_DONE, "bit %u", bit);
        }
        icache_rig_close(&r);
    }
}

/* ---- the ring alone ------------------------------------------------------ */

static struct dram_ring *ring_open(struct icache_rig *r, uint32_t slots,
                                   bool stepped)
{
    icache_rig_init(r);
    r->conf.backend = TRENCH_ICACHE_RING;
    r->conf.ring_slots = slots;
    r->conf.max_polls = 10;
    r->soc_conf.stepped = stepped;
    r->conf.log = NULL;
    icache_rig_open(r);
    return &r->ic->ring;
}

/* R6 to R11 over many laps, with allocations of every length. */
static void test_fill_r6_to_r11_ring(void **state)
{
    (void)state;
    for (uint32_t slots = 4; slots <= 64; slots *= 2) {
        uint64_t submitted = 0;
        uint64_t last = 0;
        uint64_t seed = slots;
        struct icache_rig r;
        struct dram_ring *ring = ring_open(&r, slots, false);

        CHECK_EQ(ring->submit, 0, "R6");
        CHECK_EQ(ring->comp, 0, "R6");
        CHECK_EQ(dram_ring_check(ring, 0), DRAM_RING_DONE, "R18");
        for (unsigned n = 0; n < 2000; n++) {
            uint32_t want = 1 + (uint32_t)(icache_rig_random(&seed) % slots);
            uint64_t before = ring->submit;
            uint64_t ticket;
            int got = dram_ring_allocate(ring, want);

            CHECK_EQ(got, min_u32(want, slots - (uint32_t)(before % slots)),
                     "%u slots: to the end of the ring", slots);
            CHECK_EQ(before + (uint32_t)got - ring->comp <= slots, true,
                     "R7: %u slots", slots);
            CHECK_EQ(ring->first, before % slots, "R10: %u slots", slots);
            for (int i = 0; i < got; i++) {
                const struct dram_ring_copy copy = {
                    STREAM + icache_rig_random(&seed) % 0x40000,
                    SEQ_IRAM + (uint64_t)i * 256,
                    1 + (uint32_t)(icache_rig_random(&seed) % 256),
                };

                dram_ring_write(ring, (uint32_t)i, &copy);
            }
            CHECK_EQ(dram_ring_submit_pending(ring, &ticket), 0, "submit");
            submitted += (uint32_t)got;
            CHECK_EQ(ring->submit, submitted, "R8");
            CHECK_EQ(ticket > last, true, "R8: tickets differ");
            CHECK_EQ(dram_ring_check(ring, ticket), DRAM_RING_DONE, "R9");
            CHECK_EQ(dram_ring_check(ring, ticket + 1), DRAM_RING_BUSY,
                     "R11: not submitted");
            CHECK_EQ(ring->comp <= ring->submit, true, "R6");
            last = ticket;
        }
        while (dram_ring_drain_completions(ring, 3) > 0) {
        }
        CHECK_EQ(ring->comp, ring->submit, "all drained");
        CHECK_EQ(dram_ring_check(ring, last), DRAM_RING_DONE, "after draining");
        icache_rig_close(&r);
    }
}

/* 64-bit counters carry out of bit 31 (seed 003 3b: saltu). */
static void test_fill_ring_counters_carry(void **state)
{
    struct dram_ring_copy copy = { STREAM, SEQ_IRAM, 64 };
    const uint64_t start = UINT64_C(0xFFFFFFFC); /* slot 4, lap 4 */
    struct icache_rig r;
    struct dram_ring *ring = ring_open(&r, 8, false);
    uint64_t ticket;

    (void)state;
    /* Bring the hardware there: a lap is 8, its tag counts modulo 4. */
    for (uint64_t n = 0; n < start % 32; n++) {
        CHECK_EQ(dram_ring_enqueue(ring, &copy, &ticket), 0, "enqueue");
    }
    ring->submit = start;
    ring->comp = start;
    for (uint64_t n = 1; n <= 40; n++) {
        CHECK_EQ(dram_ring_enqueue(ring, &copy, &ticket), 0, "%llu", ULL(n));
        CHECK_EQ(ticket, start + n, "%llu", ULL(n));
        CHECK_EQ(dram_ring_check(ring, ticket), DRAM_RING_DONE, "%llu", ULL(n));
    }
    icache_rig_close(&r);
}

/* A failure is remembered past draining, until its slot is used again. */
static void test_fill_ring_remembers_failures(void **state)
{
    struct dram_ring_copy bad = { UINT64_C(0x600000000), SEQ_IRAM, 64 };
    struct dram_ring_copy good = { STREAM, SEQ_IRAM, 64 };
    struct icache_rig r;
    struct dram_ring *ring = ring_open(&r, 4, false);
    uint64_t failed;
    uint64_t ticket;

    (void)state;
    CHECK_EQ(dram_ring_enqueue(ring, &bad, &failed), 0, "enqueue");
    CHECK_EQ(dram_ring_enqueue(ring, &good, &ticket), 0, "enqueue");
    CHECK_EQ(dram_ring_check(ring, failed), DRAM_RING_FAILED, "before");
    CHECK_EQ(dram_ring_drain_completions(ring, 4), 2, "drain");
    CHECK_EQ(dram_ring_check(ring, failed), DRAM_RING_FAILED, "after");
    CHECK_EQ(dram_ring_check(ring, ticket), DRAM_RING_DONE, "the other");
    for (unsigned i = 0; i < 3; i++) {
        CHECK_EQ(dram_ring_enqueue(ring, &good, &ticket), 0, "enqueue");
    }
    CHECK_EQ(dram_ring_drain_completions(ring, 4), 3, "drain");
    CHECK_EQ(dram_ring_check(ring, ticket), DRAM_RING_DONE, "its slot again");
    icache_rig_close(&r);
}

/* R16: the address of the source carries into the upper word. */
static void test_fill_r16_source_carries(void **state)
{
    struct dram_ring_copy copy = { 0xFFFFFFF0, SEQ_IRAM, 64 };
    struct icache_rig r;
    struct dram_ring *ring = ring_open(&r, 8, false);
    uint8_t *src = trench_bus_host(r.bus, copy.src, 64);
    uint64_t ticket;

    (void)state;
    for (uint8_t i = 0; i < 64; i++) {
        src[i] = i;
    }
    CHECK_EQ(dram_ring_enqueue(ring, &copy, &ticket), 0, "enqueue");
    CHECK_EQ(dram_ring_check(ring, ticket), DRAM_RING_DONE, "done");
    CHECK_MEM(r.iram, src, 64, "R16");
    icache_rig_close(&r);
}

/* R16, R19: both words of both addresses, in the transfer and in the log. */
static void test_fill_r19_whole_addresses(void **state)
{
    const uint64_t pc = UINT64_C(0x100000000);
    const uint8_t *bytes;
    struct icache_rig r;
    uint8_t *src;

    (void)state;
    icache_rig_init(&r);
    r.conf.backend = TRENCH_ICACHE_RING;
    r.conf.stream_base = pc - 8192; /* the sum carries */
    icache_rig_open(&r);
    src = trench_bus_host(r.bus, pc, 8192);
    memset(src, 0xC3, 8192);
    CHECK_EQ(trench_icache_fetch(r.ic, pc - 1, &bytes), 1, "line 0");
    CHECK_EQ(*bytes, 0, "below 4 GiB");
    CHECK_EQ(trench_icache_fetch(r.ic, pc + 5, &bytes), 1, "line 1");
    CHECK_MEM(r.iram + 8192, src, 8192, "R16");
    CHECK_EQ(bytes - r.iram, 8192 + 5, "R16");
    assert_non_null(
        icache_rig_line(&r, "S: DMA enqueue 0xffffe000[8192] -> 0x2803000000"));
    assert_non_null(icache_rig_line(
        &r, "S: DMA enqueue 0x100000000[8192] -> 0x2803002000"));
    icache_rig_close(&r);
}

/* R17: full, and nothing moves. The firmware would spin; a bound ends it. */
static void test_fill_r17_full_ring(void **state)
{
    struct dram_ring_copy copy = { STREAM, SEQ_IRAM, 64 };
    struct icache_rig r;
    struct dram_ring *ring = ring_open(&r, 8, true);
    uint64_t tickets[9];

    (void)state;
    for (unsigned i = 0; i < 8; i++) {
        CHECK_EQ(dram_ring_enqueue(ring, &copy, &tickets[i]), 0, "%u", i);
        CHECK_EQ(dram_ring_check(ring, tickets[i]), DRAM_RING_BUSY, "%u", i);
    }
    CHECK_EQ(dram_ring_enqueue(ring, &copy, &tickets[8]), TRENCH_ERR_TIMEDOUT,
             "full");
    CHECK_EQ(ring->submit, 8, "not counted");
    trench_soc_run(r.soc, 0);
    for (unsigned i = 0; i < 8; i++) {
        CHECK_EQ(dram_ring_check(ring, tickets[i]), DRAM_RING_DONE, "%u", i);
    }
    CHECK_EQ(dram_ring_enqueue(ring, &copy, &tickets[8]), 0, "room");
    CHECK_EQ(ring->comp, 8, "drained");
    icache_rig_close(&r);
}

/* R14: the bells are the last, the writing side first. R4 at 0 bytes. */
static void test_fill_r4_zero_length(void **state)
{
    struct dram_ring_copy copy = { STREAM, SEQ_IRAM, 0 };
    struct icache_rig r;
    struct dram_ring *ring = ring_open(&r, 8, false);
    uint64_t ticket = 77;

    (void)state;
    CHECK_EQ(dram_ring_enqueue(ring, &copy, &ticket), TRENCH_ERR_INVAL,
             "seed 003 3b");
    CHECK_EQ(ticket, 77, "untouched");
    copy.len_bytes = 65537; /* a descriptor cannot say that */
    CHECK_EQ(dram_ring_enqueue(ring, &copy, &ticket), TRENCH_ERR_INVAL, "long");
    CHECK_EQ(ring->submit, 0, "nothing submitted");
    icache_rig_close(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fill_m1_to_m9_mailbox),
        cmocka_unit_test(test_fill_m8_every_line),
        cmocka_unit_test(test_fill_stream_base_registers),
        cmocka_unit_test(test_fill_m10_never_done),
        cmocka_unit_test(test_fill_from_nowhere),
        cmocka_unit_test(test_fill_failed_prefetch_is_harmless),
        cmocka_unit_test(test_fill_far_addresses),
        cmocka_unit_test(test_fill_sunda_has_a_ring_only),
        cmocka_unit_test(test_fill_every_sequencer),
        cmocka_unit_test(test_fill_r1_to_r15_ring_log),
        cmocka_unit_test(test_fill_r3_r4_length_assert),
        cmocka_unit_test(test_fill_corrupted_slot),
        cmocka_unit_test(test_fill_corrupted_completion),
        cmocka_unit_test(test_fill_r6_to_r11_ring),
        cmocka_unit_test(test_fill_ring_counters_carry),
        cmocka_unit_test(test_fill_ring_remembers_failures),
        cmocka_unit_test(test_fill_r16_source_carries),
        cmocka_unit_test(test_fill_r19_whole_addresses),
        cmocka_unit_test(test_fill_r17_full_ring),
        cmocka_unit_test(test_fill_r4_zero_length),
    };

    return cmocka_run_group_tests_name("fill", tests, NULL, NULL);
}
