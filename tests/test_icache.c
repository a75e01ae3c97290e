/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The instruction cache: boot (H) and look-up, replacement, states (C), by the
 * numbers of iram-cache-idma 6, with the sections of seed 003; hardware.md
 * H146, H147, H150, H151, H158.
 */
#include "icache_rig.h"

#include "seq/icache_priv.h"

static const uint32_t blocks[] = { 1024, 2048, 4096, 8192, 16384 };

/* ---- host and boot ------------------------------------------------------- */

/* H1, H2: glr[19] is written by the host, read once; seed 003 section 2. */
static void test_icache_h1_h2_block_size_is_read_once(void **state)
{
    struct icache_rig r;

    (void)state;
    icache_rig_init(&r);
    icache_rig_open(&r);
    CHECK_EQ(GLR(19), 0x1260, "the register");
    CHECK_EQ(icache_rig_local(&r, 0x1260), 8192, "written");
    CHECK_EQ(get32(r.dram, 0x5654), 8192, "kept at 0x85654");
    icache_rig_set_local(&r, 0x1260, 1024);
    for (uint64_t at = 0; at < IMAGE_MAX; at += 512) {
        CHECK_EQ(icache_rig_fetch(&r, at), at % 8192 == 0, "0x%llx", ULL(at));
    }
    CHECK_EQ(get32(r.dram, 0x5654), 8192, "kept");
    icache_rig_close(&r);

    icache_rig_init(&r); /* not written: what the host left there */
    icache_rig_chip(&r);
    r.conf.block_bytes = 0;
    icache_rig_set_local(&r, 0x1260, 2048);
    icache_rig_open(&r);
    CHECK_EQ(icache_rig_control(&r).nr_lines, 16, "from the register");
    icache_rig_close(&r);
}

/*
 * H3: the mode is an argument, at +60 and in the central state. H4: only HW
 * decode sets 0x85070; on a cold boot bit 20 of 0x4000 stays clear (X25).
 */
static void test_icache_h3_mode(void **state)
{
    (void)state;
    for (unsigned sunda = 0; sunda < 2; sunda++) {
        struct icache_rig r;

        icache_rig_init(&r);
        r.conf.sunda_mode = sunda;
        icache_rig_open(&r);
        CHECK_EQ(r.dram[0x5634], sunda, "0x85634");
        CHECK_EQ(r.dram[0x55e0 + 108], sunda, "state + 108");
        CHECK_EQ(r.dram[0x5070], !sunda, "H4: 0x85070");
        CHECK_EQ(icache_rig_local(&r, CONTROL) >> 20 & 1, 0, "H4: bit 20");
        CHECK_EQ(
            icache_rig_count(&r, "S: NX in Sunda mode: HW decode disabled"),
            sunda, "log");
        CHECK_EQ(icache_rig_count(&r, "S: NX in HW Decode mode"), !sunda,
                 "log");
        icache_rig_close(&r);
    }
}

/* H5, H6: the two checks and their lines. */
static void test_icache_h5_h6_bad_block_sizes_assert(void **state)
{
    static const struct {
        uint32_t block;
        unsigned line;
    } rows[] = {
        { 0, 97 },     { 3, 97 },          { 1000, 97 }, { 12288, 97 },
        { 65536, 97 }, { 0xFFFFFFFF, 97 }, { 512, 143 }, { 64, 143 },
        { 1, 143 },    { 32768, 143 },
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct icache_rig r;
        char want[64];

        icache_rig_init(&r);
        icache_rig_chip(&r);
        r.conf.block_bytes = 0;
        icache_rig_set_local(&r, GLR(19), rows[i].block);
        CHECK_EQ(icache_rig_try(&r), TRENCH_ERR_INVAL, "%u", rows[i].block);
        CHECK_EQ(r.failed.line, rows[i].line, "%u", rows[i].block);
        assert_string_equal(r.failed.file, "cache.hpp");
        snprintf(want, sizeof(want), "S: Assertion failure! init(cache.hpp:%u)",
                 rows[i].line);
        assert_non_null(icache_rig_line(&r, want));
        icache_rig_close(&r);
    }
}

/* H7, H10, and the layout of 1.8 and 1.9. */
static void test_icache_h7_h10_after_init(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(blocks); i++) {
        struct trench_icache_control c;
        struct icache_rig r;
        char want[64];

        icache_rig_init(&r);
        r.conf.block_bytes = blocks[i];
        icache_rig_open(&r);
        c = icache_rig_control(&r);
        CHECK_EQ(c.nr_lines, 32768 / blocks[i], "%u", blocks[i]);
        CHECK_EQ(c.victim, c.nr_lines - 1, "%u", blocks[i]);
        CHECK_EQ(c.pending, 0, "%u", blocks[i]);
        CHECK_EQ(c.pushed, 0, "%u", blocks[i]);
        CHECK_EQ(c.records_per_line, blocks[i] / 64, "%u", blocks[i]);
        CHECK_EQ(c.nr_records, 512, "%u", blocks[i]);
        CHECK_EQ(c.staged, false, "%u", blocks[i]);
        CHECK_EQ(c.ticket, 0, "%u", blocks[i]);
        for (uint32_t n = 0; n < c.nr_lines; n++) {
            CHECK_EQ(icache_rig_at(&r, n).state, 0, "%u line %u", blocks[i], n);
            CHECK_EQ(icache_rig_at(&r, n).tag, 0, "%u line %u", blocks[i], n);
        }
        /* by their absolute addresses */
        CHECK_EQ(get32(r.dram, 0x5610), c.nr_lines, "0x85610");
        CHECK_EQ(get32(r.dram, 0x561c), c.victim, "0x8561c");
        CHECK_EQ(get32(r.dram, 0x5638), c.lines, "0x85638");
        snprintf(want, sizeof(want), "S: IRAM cache init, block_size=0x%x",
                 blocks[i]);
        CHECK_EQ(icache_rig_count(&r, "S: IRAM cache init"), 1, "once");
        assert_string_equal(icache_rig_line(&r, "S: IRAM cache init"), want);
        assert_non_null(icache_rig_line(&r, "S: BEGIN on cayman"));
        icache_rig_close(&r);
    }
}

/* H8, H9. */
static void test_icache_h8_h9_mask(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(blocks); i++) {
        for (uint32_t low = 0; low < 4; low++) {
            struct icache_rig r;

            icache_rig_init(&r);
            icache_rig_chip(&r);
            r.conf.block_bytes = blocks[i];
            icache_rig_set_local(&r, CONTROL, 0x00100000 | low);
            icache_rig_open(&r);
            CHECK_EQ(icache_rig_local(&r, 0x4000), (blocks[i] - 1) << 2 | low,
                     "%u low %u", blocks[i], low);
            icache_rig_close(&r);
        }
    }
}

/* ---- cache --------------------------------------------------------------- */

/* C1, C2, H7: lines 0, 1, ... and again; seed 003 section 4. */
static void test_icache_c1_c2_round_robin(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(blocks); i++) {
        uint32_t nr = 32768 / blocks[i];
        struct icache_rig r;

        icache_rig_init(&r);
        r.conf.block_bytes = blocks[i];
        icache_rig_open(&r);
        for (uint32_t n = 0; n < IMAGE_MAX / blocks[i]; n++) {
            uint64_t at = (uint64_t)n * blocks[i];

            CHECK_EQ(icache_rig_fetch(&r, at), 1, "%u block %u", blocks[i], n);
            CHECK_EQ(icache_rig_control(&r).victim, n % nr, "%u block %u",
                     blocks[i], n);
            CHECK_EQ(icache_rig_at(&r, n % nr).tag, STREAM + at, "%u block %u",
                     blocks[i], n);
        }
        icache_rig_close(&r);
    }
}

/* C3, C5, C7, C8, C13, C14; seed 003 section 4: 1 in flight, 2 valid. */
static void test_icache_c3_to_c8_hit_and_miss(void **state)
{
    struct icache_rig r;

    (void)state;
    icache_rig_init(&r);
    icache_rig_open(&r);
    CHECK_EQ(icache_rig_fetch(&r, 0), 1, "fresh: a miss");
    CHECK_EQ(icache_rig_count(&r, "S: I$ Miss"), 1, "log");
    CHECK_EQ(icache_rig_count(&r, "S: I$ Hit"), 0, "log");
    CHECK_EQ(icache_rig_at(&r, 0).state, TRENCH_ICACHE_VALID, "valid");
    CHECK_EQ(icache_rig_at(&r, 0).tag, STREAM, "block-aligned");
    CHECK_EQ(icache_rig_fetch(&r, 8191), 0, "the same tag");
    CHECK_EQ(icache_rig_fetch(&r, 8192), 1, "the next");
    icache_rig_forget(&r);
    CHECK_EQ(icache_rig_fetch(&r, 4096), 0, "back: look-up");
    assert_string_equal(icache_rig_line(&r, "S: I$ Hit"),
                        "S: I$ Hit, iram_idx=0x0");
    assert_string_equal(icache_rig_line(&r, "S: query addr"),
                        "S: query addr 0x40001000, tag 0x40000000, vld=0x1");
    assert_string_equal(icache_rig_line(&r, "S: wait_for_valid"),
                        "S: wait_for_valid: (HW cache) iram_idx=0, state=0x2");
    CHECK_EQ(icache_rig_count(&r, "S: wait_for_dma_fill"), 0, "no polling");
    CHECK_EQ(icache_rig_count(&r, "S: start_fill_siram"), 0, "no transfer");
    CHECK_EQ(icache_rig_stats(&r).fills, 2, "fills");
    CHECK_EQ(icache_rig_stats(&r).hits, 2, "hits");
    CHECK_EQ(icache_rig_stats(&r).misses, 2, "misses");
    CHECK_EQ(icache_rig_stats(&r).lookups, 4, "look-ups");
    icache_rig_close(&r);
}

/* C4: the upper half of a tag counts. HBM 1 is 2^38 further. */
static void test_icache_c4_whole_tag(void **state)
{
    const uint64_t far = STREAM + UINT64_C(0x4000000000);
    const uint8_t *bytes;
    struct icache_rig r;

    (void)state;
    icache_rig_init(&r);
    r.conf.words = TRENCH_MAILBOX_SOURCE_FIRST; /* reaches everything */
    icache_rig_open(&r);
    memset(trench_bus_host(r.bus, far, 8192), 0xEE, 8192);
    CHECK_EQ(icache_rig_fetch(&r, 0), 1, "low");
    CHECK_EQ(trench_icache_fetch(r.ic, far, &bytes), 1, "high misses");
    CHECK_EQ(*bytes, 0xEE, "its own bytes");
    CHECK_EQ(icache_rig_fetch(&r, 0), 0, "low is there still");
    icache_rig_close(&r);
}

/* C6: a match on an invalid line. Also what block 0 runs into. */
static void test_icache_c6_match_on_invalid_line_asserts(void **state)
{
    const uint8_t *bytes;
    struct icache_rig r;

    (void)state;
    icache_rig_init(&r);
    icache_rig_open(&r);
    CHECK_EQ(icache_rig_fetch(&r, 0), 1, "resident");
    CHECK_EQ(icache_rig_fetch(&r, 8192), 1, "another");
    put32(r.dram, icache_line_at(0), TRENCH_ICACHE_INVALID);
    CHECK_EQ(icache_rig_fetch(&r, 0), TRENCH_ERR_IO, "asserts");
    trench_icache_assertion(r.ic, &r.failed);
    CHECK_EQ(r.failed.line, 0x1b8, "line");
    assert_non_null(
        icache_rig_line(&r, "S: Assertion failure! query(cache.hpp:440)"));
    CHECK_EQ(icache_rig_fetch(&r, 8192), TRENCH_ERR_IO, "halted");
    CHECK_EQ(trench_icache_reset(r.ic), 0, "reset");
    CHECK_EQ(icache_rig_fetch(&r, 0), 1, "again");
    CHECK_EQ(trench_icache_fetch(r.ic, 100, &bytes), TRENCH_ERR_IO, "block 0");
    icache_rig_close(&r);
}

/* C9 to C11 and C26 on every line of a bus that is watched by latency. */
static void test_icache_c9_c26_fill_and_its_neighbours(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(blocks); i++) {
        uint32_t nr = 32768 / blocks[i];
        uint8_t before[32768];
        struct icache_rig r;
        uint64_t seed = i;

        icache_rig_init(&r);
        r.conf.block_bytes = blocks[i];
        r.soc_conf.mailbox_polls = 3;
        icache_rig_open(&r);
        memset(r.iram, 0xA5, sizeof(before));
        for (unsigned n = 0; n < 3 * nr + 5; n++) {
            uint64_t at =
                icache_rig_random(&seed) % (IMAGE_MAX / blocks[i]) * blocks[i];
            struct trench_icache_control c;
            unsigned in_flight = 0;

            memcpy(before, r.iram, sizeof(before));
            if (icache_rig_fetch(&r, at) == 0) {
                continue;
            }
            c = icache_rig_control(&r);
            for (uint32_t k = 0; k < nr; k++) {
                const uint8_t *want = k == c.victim
                                          ? r.image + at
                                          : before + (size_t)k * blocks[i];

                in_flight += icache_rig_at(&r, k).state == 1;
                CHECK_MEM(r.iram + (size_t)k * blocks[i], want, blocks[i],
                          "%u fill %u line %u", blocks[i], n, k);
            }
            CHECK_EQ(in_flight, 0, "%u fill %u", blocks[i], n);
        }
        CHECK_EQ(icache_rig_stats(&r).polls, 3 * icache_rig_stats(&r).fills,
                 "each waits for three polls");
        icache_rig_close(&r);
    }
}

/* C10, C12, C15, C17 to C19: staging the next line. */
static void test_icache_c17_next_line(void **state)
{
    struct icache_rig r;

    (void)state;
    icache_rig_init(&r);
    r.conf.prefetch = TRENCH_ICACHE_PREFETCH_NEXT;
    r.soc_conf.mailbox_polls = 2;
    icache_rig_open(&r);
    CHECK_EQ(icache_rig_control(&r).staged, false, "C19");
    CHECK_EQ(icache_rig_fetch(&r, 100), 1, "demand");
    CHECK_EQ(icache_rig_control(&r).staged, true, "C19");
    CHECK_EQ(icache_rig_at(&r, 0).state, TRENCH_ICACHE_VALID, "C17");
    CHECK_EQ(icache_rig_at(&r, 1).state, TRENCH_ICACHE_IN_FLIGHT, "C18");
    CHECK_EQ(icache_rig_at(&r, 1).tag, STREAM + 8192, "C18");
    assert_string_equal(icache_rig_line(&r, "S: wait_for_cache_line"),
                        "S: wait_for_cache_line: pc=0x40000064, mask=0x7fff, "
                        "blk_sz=8192, idx=0x0, nxt_idx=0x1");
    icache_rig_forget(&r);
    CHECK_EQ(icache_rig_fetch(&r, 8192), 0, "a hit in flight");
    assert_non_null(icache_rig_line(
        &r, "S: wait_for_valid: (HW cache) iram_idx=1, state=0x1"));
    CHECK_EQ(icache_rig_stats(&r).stalls, 2, "C15");
    CHECK_EQ(icache_rig_at(&r, 1).state, TRENCH_ICACHE_VALID, "C15");
    CHECK_EQ(icache_rig_at(&r, 2).tag, STREAM + 16384, "and the next");
    /* C10: a demand miss drains the staged fill first. */
    CHECK_EQ(icache_rig_fetch(&r, 0x40000), 1, "elsewhere");
    CHECK_EQ(icache_rig_at(&r, 2).state, TRENCH_ICACHE_VALID, "C10");
    CHECK_EQ(icache_rig_at(&r, 3).tag, STREAM + 0x40000, "after line 2");
    CHECK_EQ(icache_rig_at(&r, 0).tag, STREAM + 0x42000, "wraps");
    CHECK_EQ(icache_rig_stats(&r).prefetches, 3, "prefetches");
    icache_rig_close(&r);
}

/* C12: two lines, the one that runs stays. C18 with a collision. */
static void test_icache_c12_running_line_is_kept(void **state)
{
    struct icache_rig r;

    (void)state;
    icache_rig_init(&r);
    r.conf.block_bytes = 16384;
    r.conf.prefetch = TRENCH_ICACHE_PREFETCH_NEXT;
    icache_rig_open(&r);
    for (uint64_t at = 0; at + 16384 < IMAGE_MAX; at += 64) {
        CHECK_EQ(icache_rig_fetch(&r, at), at == 0, "0x%llx", ULL(at));
        CHECK_EQ(icache_rig_at(&r, at / 16384 % 2).tag,
                 STREAM + at / 16384 * 16384, "0x%llx", ULL(at));
    }
    icache_rig_close(&r);

    /* A pushed line collides, and the chooser moves on. */
    icache_rig_init(&r);
    icache_rig_open(&r);
    for (uint64_t at = 0; at < 4 * 8192; at += 8192) {
        CHECK_EQ(icache_rig_fetch(&r, at), 1, "fill");
    }
    CHECK_EQ(trench_icache_push(r.ic, STREAM), 1, "line 0");
    icache_rig_forget(&r);
    CHECK_EQ(icache_rig_fetch(&r, 5 * 8192), 1, "miss");
    assert_string_equal(
        icache_rig_line(&r, "S: replace: collision"),
        "S: replace: collision on cache idx=0x0, updating again");
    assert_string_equal(icache_rig_line(&r, "S: replace: orig"),
                        "S: replace: orig victim=0x3");
    assert_string_equal(
        icache_rig_line(&r, "S: replace: idx"),
        "S: replace: idx(updated victim_idx)=0x1, addr=0x4000a000");
    CHECK_EQ(icache_rig_at(&r, 0).tag, STREAM, "kept");
    icache_rig_close(&r);
}

/* All lines pushed: there is a victim all the same. */
static void test_icache_all_lines_pushed(void **state)
{
    struct icache_rig r;

    (void)state;
    for (unsigned prefetch = 0; prefetch < 2; prefetch++) {
        icache_rig_init(&r);
        r.conf.prefetch = prefetch ? TRENCH_ICACHE_PREFETCH_NEXT : 0;
        icache_rig_open(&r);
        put32(r.dram, CTL_PUSHED, 0xFFFFFFFF);
        for (uint64_t at = 0; at < IMAGE_MAX; at += 4096) {
            CHECK_EQ(icache_rig_fetch(&r, at) >= 0, true, "0x%llx", ULL(at));
            put32(r.dram, CTL_PUSHED, 0xFFFFFFFF);
        }
        icache_rig_close(&r);
    }
}

/* A line that is overwritten is no longer pushed (2.8). */
static void test_icache_eviction_clears_the_pushed_bit(void **state)
{
    struct icache_rig r;

    (void)state;
    icache_rig_init(&r);
    r.conf.prefetch = TRENCH_ICACHE_PREFETCH_NEXT;
    icache_rig_open(&r);
    put32(r.dram, CTL_PUSHED, 0xF);
    CHECK_EQ(icache_rig_fetch(&r, 0), 1, "line 0, and line 1 is staged");
    CHECK_EQ(icache_rig_at(&r, 1).tag, STREAM + 8192, "staged");
    CHECK_EQ(trench_icache_pushed(r.ic), 0xC, "both bits are clear");
    icache_rig_close(&r);
}

/* C16: a line that is invalid after waiting, by mode. */
static void test_icache_c16_invalid_after_waiting_asserts(void **state)
{
    (void)state;
    for (unsigned sunda = 0; sunda < 2; sunda++) {
        struct icache_rig r;

        icache_rig_init(&r);
        r.conf.sunda_mode = sunda;
        icache_rig_open(&r);
        CHECK_EQ(icache_rig_fetch(&r, 0), 1, "line 0");
        CHECK_EQ(icache_rig_fetch(&r, 8192), 1, "line 1");
        /* In flight, but another line is the one that is pending. */
        put32(r.dram, icache_line_at(0), TRENCH_ICACHE_IN_FLIGHT);
        CHECK_EQ(icache_rig_fetch(&r, 0), TRENCH_ERR_IO, "mode %u", sunda);
        trench_icache_assertion(r.ic, &r.failed);
        CHECK_EQ(r.failed.line, sunda ? 0x1d4 : 0x1cc, "mode %u", sunda);
        CHECK_EQ(icache_rig_count(&r, "S: wait_for_valid: (SW cache)"), sunda,
                 "mode %u", sunda);
        icache_rig_close(&r);
    }
}

/* C20: the address of the next line carries out of bit 31. */
static void test_icache_c20_carry(void **state)
{
    const uint64_t base = UINT64_C(0x1FFFFC000);
    const uint8_t *bytes;
    struct icache_rig r;

    (void)state;
    icache_rig_init(&r);
    r.conf.stream_base = base;
    r.conf.stream_bytes = 0x8000;
    r.conf.prefetch = TRENCH_ICACHE_PREFETCH_NEXT;
    icache_rig_open(&r);
    memset(trench_bus_host(r.bus, base, 0x8000), 0x11, 0x8000);
    memset(trench_bus_host(r.bus, 0x200000000, 0x2000), 0x22, 0x2000);
    CHECK_EQ(trench_icache_fetch(r.ic, 0x1FFFFE000, &bytes), 1, "before");
    CHECK_EQ(icache_rig_at(&r, 1).tag, 0x200000000, "carried");
    CHECK_EQ(trench_icache_fetch(r.ic, 0x200000000, &bytes), 0, "staged");
    CHECK_EQ(*bytes, 0x22, "bytes");
    icache_rig_close(&r);
}

/* C21, C22: memory is not written, and read again only after eviction. */
static void test_icache_c21_c22_backing_memory(void **state)
{
    const uint8_t *bytes;
    uint8_t *copy;
    struct icache_rig r;

    (void)state;
    icache_rig_init(&r);
    icache_rig_open(&r);
    copy = malloc(IMAGE_MAX);
    memcpy(copy, r.image, IMAGE_MAX);
    for (uint64_t at = 0; at < IMAGE_MAX; at += 1024) {
        CHECK_EQ(icache_rig_fetch(&r, at) >= 0, true, "0x%llx", ULL(at));
    }
    CHECK_MEM(r.image, copy, IMAGE_MAX, "C21");
    free(copy);
    CHECK_EQ(icache_rig_fetch(&r, 0), 1, "resident");
    r.image[0] ^= 0xFF;
    CHECK_EQ(trench_icache_fetch(r.ic, STREAM, &bytes), 0, "hit");
    CHECK_EQ(*bytes, r.image[0] ^ 0xFF, "C22: the old byte");
    for (uint64_t at = 8192; at <= 4 * 8192; at += 8192) {
        CHECK_EQ(icache_rig_fetch(&r, at), 1, "evict");
    }
    CHECK_EQ(icache_rig_fetch(&r, 0), 1, "C22: the new byte");
    icache_rig_close(&r);
}

/* Seed 003 sections 2 and 3: [0x85654], one byte at [0x85658] and its bit 0. */
static void test_icache_seed_003_globals(void **state)
{
    for (unsigned backend = 0; backend < 2; backend++) {
        struct icache_rig r;

        (void)state;
        icache_rig_init(&r);
        r.conf.backend = backend;
        icache_rig_open(&r);
        CHECK_EQ(BLOCK_SIZE, 0x85654 - 0x80000, "block size");
        CHECK_EQ(BACKEND, 0x85658 - 0x80000, "backend");
        CHECK_EQ(get32(r.dram, 0x5654), 8192, "block size");
        CHECK_EQ(r.dram[0x5658], backend, "bit 0 set: the ring");
        for (unsigned val = 0; val < 256; val++) {
            r.dram[0x5658] = (uint8_t)val;
            CHECK_EQ(icache_rig_control(&r).ring, val & 1, "value %u", val);
        }
        icache_rig_close(&r);
    }
}

/* Seed 003 sections 3a and 4: +32 the line, +64 the array, 16 bytes a line. */
static void test_icache_seed_003_line_array(void **state)
{
    for (unsigned backend = 0; backend < 2; backend++) {
        struct icache_rig r;

        (void)state;
        icache_rig_init(&r);
        r.conf.backend = backend;
        icache_rig_open(&r);
        for (uint32_t n = 0; n < 9; n++) {
            uint32_t entry;

            CHECK_EQ(icache_rig_fetch(&r, n * 8192), 1, "fill %u", n);
            CHECK_EQ(get32(r.dram, 0x55f8 + 32), n % 4, "+32, fill %u", n);
            entry = get32(r.dram, 0x55f8 + 64) + (n % 4 << 4);
            CHECK_EQ(get32(r.dram, entry - 0x80000), 2, "valid, fill %u", n);
        }
        icache_rig_close(&r);
    }
}

/* Seed 003 section 7: the names by generation, and section 1: all log. */
static void test_icache_seed_003_7_names(void **state)
{
    static const char *const modern[] = { "cayman", "mariana", "mariana_plus" };
    const struct trench_gen_seq_firmware *fw;

    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(modern); i++) {
        fw = trench_gen_find(modern[i])->seq_firmware;
        assert_string_equal(fw->dma_source, "iram_dma.hpp");
        assert_string_equal(fw->prepare, "wait_for_cache_line");
        assert_true(fw->logs);
    }
    fw = trench_gen_find("sunda")->seq_firmware;
    assert_string_equal(fw->dma_source, "legacy_dma.hpp");
    assert_false(fw->logs);
}

/* C24, seed 003 section 4: reset. */
static void test_icache_c24_reset(void **state)
{
    struct icache_rig r;

    (void)state;
    icache_rig_init(&r);
    icache_rig_open(&r);
    for (uint64_t at = 0; at < 3 * 8192; at += 8192) {
        CHECK_EQ(icache_rig_fetch(&r, at), 1, "fill");
    }
    CHECK_EQ(trench_icache_push(r.ic, STREAM), 1, "push");
    CHECK_EQ(icache_rig_control(&r).pending, 2, "pending");
    CHECK_EQ(trench_icache_reset(r.ic), 0, "reset");
    CHECK_EQ(icache_rig_control(&r).pending, 0, "+32");
    CHECK_EQ(icache_rig_control(&r).pushed, 0, "+56");
    CHECK_EQ(icache_rig_control(&r).victim, 3, "+36");
    CHECK_EQ(icache_rig_at(&r, 0).state, 0, "lines");
    CHECK_EQ(icache_rig_stats(&r).fills, 0, "counters");
    CHECK_EQ(icache_rig_fetch(&r, 0), 1, "a miss again");
    CHECK_EQ(icache_rig_at(&r, 0).tag, STREAM, "line 0 first");
    icache_rig_close(&r);
}

/* C25, 2.10: PC to glr[3], then glr[4], then the look-up. */
static void test_icache_c25_redirect(void **state)
{
    const uint8_t *bytes;
    struct icache_rig r;

    (void)state;
    icache_rig_init(&r);
    r.conf.words = TRENCH_MAILBOX_SOURCE_FIRST;
    icache_rig_open(&r);
    memset(trench_bus_host(r.bus, STREAM + UINT64_C(0x4000000000), 8192), 7,
           8192);
    CHECK_EQ(trench_icache_redirect(r.ic, STREAM + UINT64_C(0x4000000000) + 128,
                                    &bytes),
             1, "miss");
    CHECK_EQ(*bytes, 7, "bytes");
    CHECK_EQ(icache_rig_local(&r, 0x1060), 0x40000080, "glr[3]");
    CHECK_EQ(icache_rig_local(&r, 0x1080), 0x40, "glr[4]");
    CHECK_EQ(trench_icache_pushed(r.ic), 1, "pushed");
    assert_non_null(icache_rig_line(&r, "S: Redirecting to pc=0x4040000080"));
    assert_non_null(icache_rig_line(
        &r, "S: Redir: phase=0, iram_addr=0x80, num_instr=126"));
    icache_rig_close(&r);
}

/* Memory that somebody else writes: no crash, no hang. */
static void test_icache_hostile_control_structure(void **state)
{
    uint64_t seed = 20261201;

    (void)state;
    for (unsigned round = 0; round < 400; round++) {
        struct icache_rig r;

        icache_rig_init(&r);
        r.conf.log = NULL;
        r.conf.backend = round % 2;
        r.conf.prefetch = round % 4;
        r.conf.max_polls = 4;
        icache_rig_open(&r);
        for (unsigned i = 0; i < 200; i++) {
            uint32_t at = CTL + icache_rig_random(&seed) % 72;
            const uint8_t *bytes;

            if (i % 8 == 0) {
                at = (uint32_t)(icache_rig_random(&seed) %
                                TRENCH_SEQ_DRAM_BYTES);
            }
            r.dram[at] = (uint8_t)icache_rig_random(&seed);
            (void)trench_icache_fetch(
                r.ic, STREAM + icache_rig_random(&seed) % IMAGE_MAX, &bytes);
            (void)trench_icache_push(r.ic, STREAM);
        }
        icache_rig_close(&r);
    }
}

/* Arguments out of range, one by one. */
static void test_icache_arguments(void **state)
{
    static const struct {
        size_t offset;
        uint64_t val;
        size_t size;
        int err;
    } rows[] = {
#define ROW(field, val_, err_)                                                 \
    { offsetof(struct trench_icache_conf, field), val_,                        \
      sizeof(((struct trench_icache_conf *)0)->field), err_ }
        ROW(bus, 0, TRENCH_ERR_INVAL),
        ROW(core, 8, TRENCH_ERR_NODEV),
        ROW(seq, 5, TRENCH_ERR_NODEV),
        ROW(backend, 2, TRENCH_ERR_INVAL),
        ROW(words, 2, TRENCH_ERR_INVAL),
        ROW(stream_base, 0, TRENCH_ERR_INVAL),
        ROW(stream_base, STREAM + 1024, TRENCH_ERR_INVAL),
        ROW(stream_bytes, 0, TRENCH_ERR_INVAL),
        ROW(stream_bytes, UINT64_MAX - STREAM + 1, TRENCH_ERR_INVAL),
        ROW(prefetch, 4, TRENCH_ERR_INVAL),
        ROW(ring_slots, 2, TRENCH_ERR_INVAL),
        ROW(ring_slots, 12, TRENCH_ERR_INVAL),
        ROW(ring_slots, 128, TRENCH_ERR_INVAL),
        ROW(ring_queue, 16, TRENCH_ERR_INVAL),
#undef ROW
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct icache_rig r;

        icache_rig_init(&r);
        icache_rig_chip(&r);
        memcpy((char *)&r.conf + rows[i].offset, &rows[i].val, rows[i].size);
        CHECK_EQ(icache_rig_try(&r), rows[i].err, "row %zu", i);
        CHECK_EQ(r.ic == NULL, true, "row %zu", i);
        icache_rig_close(&r);
    }
}

/* Blocks that firmware would refuse, as an experiment (part 1). */
static void test_icache_free_geometry(void **state)
{
    static const struct {
        uint32_t block;
        uint32_t region;
        int err;
    } rows[] = {
        { 64, 0x20000, 0 },
        { 256, 32768, 0 },
        { 32768, 32768, 0 },
        { 192, 192, 0 },  /* one line, no power of two */
        { 320, 6400, 0 }, /* 20 lines */
        { 0x10000, 0x20000, 0 },
        { 0x20000, 0x20000, 0 }, /* more than a descriptor of the ring moves */
        { 96, 9600, TRENCH_ERR_INVAL },
        { 64, 0x20040, TRENCH_ERR_INVAL },
        { 256, 0x40000, TRENCH_ERR_FAULT }, /* no such memory */
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        for (unsigned backend = 0; backend < 2; backend++) {
            struct icache_rig r;
            uint64_t seed = i;

            icache_rig_init(&r);
            r.conf.free_geometry = true;
            r.conf.backend = backend;
            r.conf.block_bytes = rows[i].block;
            r.conf.region_bytes = rows[i].region;
            r.conf.log = NULL;
            r.soc_conf.seq_iram_bytes = 0x20000;
            icache_rig_chip(&r);
            r.conf.stream_base = STREAM / rows[i].block * rows[i].block;
            r.image -= STREAM - r.conf.stream_base;
            CHECK_EQ(icache_rig_try(&r),
                     backend && rows[i].block > 65536 ? TRENCH_ERR_INVAL
                                                      : rows[i].err,
                     "row %zu", i);
            for (unsigned n = 0; r.ic && n < 2000; n++) {
                uint64_t at = icache_rig_random(&seed) % (IMAGE_MAX / 2);
                const uint8_t *bytes;

                CHECK_EQ(trench_icache_fetch(r.ic, r.conf.stream_base + at,
                                             &bytes) >= 0,
                         true, "row %zu", i);
                CHECK_EQ(*bytes, r.image[at], "row %zu", i);
            }
            icache_rig_close(&r);
        }
    }
}

static void test_icache_decode_refuses_bad_dumps(void **state)
{
    struct trench_icache_control c;
    struct trench_icache_line line;
    uint8_t *dram = calloc(1, TRENCH_SEQ_DRAM_BYTES);

    (void)state;
    CHECK_EQ(trench_icache_decode(dram, &c), TRENCH_ERR_BADMSG, "zeroes");
    put32(dram, CTL_LINES, 0x8FFF0);
    put32(dram, CTL_NR_LINES, 1);
    CHECK_EQ(trench_icache_decode(dram, &c), 0, "the last place");
    CHECK_EQ(trench_icache_decode_line(dram, 0, &line), 0, "line");
    CHECK_EQ(trench_icache_decode_line(dram, 1, &line), TRENCH_ERR_INVAL,
             "no line");
    put32(dram, CTL_NR_LINES, 2);
    CHECK_EQ(trench_icache_decode(dram, &c), TRENCH_ERR_BADMSG, "past it");
    put32(dram, CTL_NR_LINES, 0xFFFFFFFF);
    CHECK_EQ(trench_icache_decode(dram, &c), TRENCH_ERR_BADMSG, "far past it");
    CHECK_EQ(trench_icache_decode_line(dram, 0, &line), TRENCH_ERR_INVAL,
             "no line");
    free(dram);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_icache_h1_h2_block_size_is_read_once),
        cmocka_unit_test(test_icache_h3_mode),
        cmocka_unit_test(test_icache_h5_h6_bad_block_sizes_assert),
        cmocka_unit_test(test_icache_h7_h10_after_init),
        cmocka_unit_test(test_icache_h8_h9_mask),
        cmocka_unit_test(test_icache_c1_c2_round_robin),
        cmocka_unit_test(test_icache_c3_to_c8_hit_and_miss),
        cmocka_unit_test(test_icache_c4_whole_tag),
        cmocka_unit_test(test_icache_c6_match_on_invalid_line_asserts),
        cmocka_unit_test(test_icache_c9_c26_fill_and_its_neighbours),
        cmocka_unit_test(test_icache_c17_next_line),
        cmocka_unit_test(test_icache_c12_running_line_is_kept),
        cmocka_unit_test(test_icache_all_lines_pushed),
        cmocka_unit_test(test_icache_eviction_clears_the_pushed_bit),
        cmocka_unit_test(test_icache_c16_invalid_after_waiting_asserts),
        cmocka_unit_test(test_icache_c20_carry),
        cmocka_unit_test(test_icache_c21_c22_backing_memory),
        cmocka_unit_test(test_icache_seed_003_globals),
        cmocka_unit_test(test_icache_seed_003_line_array),
        cmocka_unit_test(test_icache_seed_003_7_names),
        cmocka_unit_test(test_icache_c24_reset),
        cmocka_unit_test(test_icache_c25_redirect),
        cmocka_unit_test(test_icache_hostile_control_structure),
        cmocka_unit_test(test_icache_arguments),
        cmocka_unit_test(test_icache_free_geometry),
        cmocka_unit_test(test_icache_decode_refuses_bad_dumps),
    };

    return cmocka_run_group_tests_name("icache", tests, NULL, NULL);
}
