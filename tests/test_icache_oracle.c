/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The cache against an independent reference: a fully associative FIFO that
 * knows nothing but block numbers, and one that stages the next block.
 */
#include "icache_rig.h"

#define MAX_REF 2048

/* Resident blocks; age of the oldest first. */
struct ref {
    uint64_t block[MAX_REF];
    unsigned used;
    unsigned nr;
    uint64_t hits;
    uint64_t misses;
};

static void ref_look(struct ref *ref, uint64_t block)
{
    for (unsigned i = 0; i < ref->used; i++) {
        if (ref->block[i] == block) {
            ref->hits++;
            return;
        }
    }
    ref->misses++;
    if (ref->used == ref->nr) {
        memmove(ref->block, ref->block + 1,
                (ref->nr - 1) * sizeof(ref->block[0]));
        ref->used--;
    }
    ref->block[ref->used++] = block;
}

static void ref_record(struct ref *ref, uint64_t offset, uint32_t size,
                       uint32_t block)
{
    uint64_t last = (offset + (size ? size : 1) - 1) / block;

    for (uint64_t b = offset / block; b <= last; b++) {
        ref_look(ref, b);
    }
}

/* Programs: loops, calls, straight runs, jumps anywhere. */
enum shape {
    SHAPE_RANDOM,
    SHAPE_STRAIGHT,
    SHAPE_LOOPS,
    SHAPE_CALLS,
    NR_SHAPES,
};

static uint64_t next_pc(enum shape shape, uint64_t pc, uint64_t *seed,
                        uint64_t limit)
{
    uint64_t dice = icache_rig_random(seed);

    switch (shape) {
    case SHAPE_RANDOM:
        return dice % limit;
    case SHAPE_STRAIGHT:
        return (pc + 1 + dice % 15) % limit;
    case SHAPE_LOOPS:
        return dice % 64 == 0 ? (pc > 20000 ? pc - 20000 : 0)
                              : (pc + 1 + dice % 15) % limit;
    case SHAPE_CALLS:
    case NR_SHAPES:
        return dice % 32 == 0 ? icache_rig_random(seed) % limit
                              : (pc + 1 + dice % 15) % limit;
    }
    return 0;
}

static void make_trace(struct trench_icache_record *records, size_t n,
                       enum shape shape, uint64_t seed)
{
    uint64_t pc = 0;

    for (size_t i = 0; i < n; i++) {
        pc = next_pc(shape, pc, &seed, IMAGE_MAX - 64);
        records[i].addr = 0x400000 + pc;
        records[i].size_bytes = (uint32_t)(icache_rig_random(&seed) % 16);
    }
}

struct geometry {
    uint32_t block;
    uint32_t region;
};

static void check_trace(const struct trench_icache_record *records, size_t n,
                        struct geometry g, unsigned variant)
{
    struct trench_icache_image image = { .addr = 0x400000 };
    struct trench_icache_stats stats;
    struct ref *ref = calloc(1, sizeof(*ref));
    struct icache_rig r;

    icache_rig_init(&r);
    r.conf.log = NULL;
    r.conf.free_geometry = true;
    r.conf.block_bytes = g.block;
    r.conf.region_bytes = g.region;
    r.conf.backend = variant % 2;
    r.conf.words = variant / 2 % 2;
    r.soc_conf.mailbox_polls = variant / 4;
    r.soc_conf.seq_iram_bytes = 0x20000;
    icache_rig_open(&r);
    image.bytes = r.image;
    image.size_bytes = IMAGE_MAX;
    ref->nr = g.region / g.block;
    for (size_t i = 0; i < n; i++) {
        ref_record(ref, records[i].addr - image.addr, records[i].size_bytes,
                   g.block);
    }
    CHECK_EQ(trench_icache_replay(r.ic, &image, records, n), 0, "replay");
    stats = icache_rig_stats(&r);
    CHECK_EQ(stats.hits, ref->hits, "%u x %u variant %u", g.region, g.block,
             variant);
    CHECK_EQ(stats.misses, ref->misses, "%u x %u variant %u", g.region, g.block,
             variant);
    CHECK_EQ(stats.fills, ref->misses, "one fill a miss");
    CHECK_EQ(stats.fill_bytes, ref->misses * g.block, "bytes");
    CHECK_EQ(stats.evictions, ref->misses > ref->nr ? ref->misses - ref->nr : 0,
             "evictions");
    CHECK_EQ(stats.mismatches, 0, "every byte");
    CHECK_EQ(stats.failed, 0, "no failure");
    CHECK_EQ(stats.records, n, "records");
    icache_rig_close(&r);
    free(ref);
}

static void test_oracle_fifo(void **state)
{
    static const struct geometry geometries[] = {
        { 1024, 32768 },  { 2048, 32768 }, { 4096, 32768 },    { 8192, 32768 },
        { 16384, 32768 }, { 256, 32768 },  { 512, 4096 },      { 64, 0x20000 },
        { 4096, 4096 },   { 4096, 8192 },  { 32768, 0x20000 },
    };
    enum {
        RECORDS = 20000
    };
    struct trench_icache_record *records = calloc(RECORDS, sizeof(*records));

    (void)state;
    for (unsigned shape = 0; shape < NR_SHAPES; shape++) {
        make_trace(records, RECORDS, (enum shape)shape, 7 + shape);
        for (size_t g = 0; g < ARRAY_LEN(geometries); g++) {
            check_trace(records, shape == SHAPE_RANDOM ? 2000 : RECORDS,
                        geometries[g], (unsigned)(g + shape) % 8);
        }
    }
    free(records);
}

/*
 * With the next block staged: on entering a line, the victim pointer goes to
 * it, and the block behind it is filled unless it is resident or outside.
 */
struct staged {
    uint64_t block[64];
    unsigned nr;
    unsigned victim;
    uint64_t last; /* block number of the image's end */
    uint64_t fills;
    uint64_t misses;
    uint64_t current;
};

static unsigned staged_find(const struct staged *s, uint64_t block)
{
    unsigned i = 0;

    while (i < s->nr && s->block[i] != block) {
        i++;
    }
    return i;
}

static void staged_fill(struct staged *s, uint64_t block)
{
    s->victim = (s->victim + 1) % s->nr;
    s->block[s->victim] = block;
    s->fills++;
}

static void staged_look(struct staged *s, uint64_t block)
{
    if (block == s->current) {
        return;
    }
    if (staged_find(s, block) == s->nr) {
        s->misses++;
        staged_fill(s, block);
    }
    s->current = block;
    s->victim = staged_find(s, block);
    if (block < s->last && staged_find(s, block + 1) == s->nr) {
        staged_fill(s, block + 1);
    }
}

static void test_oracle_next_line(void **state)
{
    enum {
        RECORDS = 20000
    };
    struct trench_icache_record *records = calloc(RECORDS, sizeof(*records));

    (void)state;
    for (unsigned i = 0; i < NR_SHAPES * 5; i++) {
        uint32_t block = 1024u << i % 5;
        struct staged s = { .nr = 32768 / block,
                            .victim = 32768 / block - 1,
                            .last = IMAGE_MAX / block - 1,
                            .current = UINT64_MAX };
        struct trench_icache_image image = { .addr = 0x400000 };
        struct trench_icache_stats stats;
        struct icache_rig r;

        memset(s.block, 0xFF, sizeof(s.block));
        make_trace(records, RECORDS, (enum shape)(i / 5), i);
        icache_rig_init(&r);
        r.conf.log = NULL;
        r.conf.block_bytes = block;
        r.conf.backend = i % 2;
        r.conf.prefetch = TRENCH_ICACHE_PREFETCH_NEXT;
        r.soc_conf.mailbox_polls = i % 3;
        icache_rig_open(&r);
        image.bytes = r.image;
        image.size_bytes = IMAGE_MAX;
        for (size_t k = 0; k < RECORDS; k++) {
            uint64_t at = records[k].addr - image.addr;
            uint32_t size = records[k].size_bytes ? records[k].size_bytes : 1;

            staged_look(&s, at / block);
            staged_look(&s, (at + size - 1) / block);
        }
        CHECK_EQ(trench_icache_replay(r.ic, &image, records, RECORDS), 0, "%u",
                 i);
        stats = icache_rig_stats(&r);
        CHECK_EQ(stats.misses, s.misses, "shape %u block %u", i / 5, block);
        CHECK_EQ(stats.fills, s.fills, "shape %u block %u", i / 5, block);
        CHECK_EQ(stats.prefetches, s.fills - s.misses, "shape %u block %u",
                 i / 5, block);
        CHECK_EQ(stats.mismatches, 0, "every byte");
        icache_rig_close(&r);
    }
    free(records);
}

/* What replay counts: outside, cut by the end, wrong bytes, empty traces. */
static void test_oracle_replay_counts(void **state)
{
    const struct trench_icache_record records[] = {
        { 0x400000, 4 },        { 0x3FFFFF, 1 },   { 0x400000 + 8191, 4 },
        { 0x400000 + 9999, 2 }, { UINT64_MAX, 1 }, { UINT64_MAX, UINT32_MAX },
        { 0x400000 + 9998, 1 }, { 0x400000, 0 },   { 0, 0 },
        { 0x400000, 10000 },
    };
    struct trench_icache_image image = { 0x400000, NULL, 9999 + 1 };
    struct trench_icache_stats stats;
    uint64_t fills[2] = { 0 };
    struct icache_rig r;

    (void)state;
    icache_rig_init(&r);
    r.conf.block_fills = fills;
    r.conf.nr_block_fills = 2;
    icache_rig_open(&r);
    image.bytes = r.image;
    CHECK_EQ(trench_icache_replay(r.ic, &image, NULL, 0), 0, "empty");
    CHECK_EQ(icache_rig_stats(&r).lookups, 0, "empty");
    CHECK_EQ(trench_icache_replay(r.ic, &image, records, ARRAY_LEN(records)), 0,
             "replay");
    stats = icache_rig_stats(&r);
    CHECK_EQ(stats.records, 10, "records");
    CHECK_EQ(stats.out_of_bounds, 5, "outside, or beyond the end");
    CHECK_EQ(stats.lookups, 7, "two of them cross");
    CHECK_EQ(stats.mismatches, 0, "bytes");
    CHECK_EQ(fills[0], 1, "block 0");
    CHECK_EQ(fills[1], 1, "block 1");
    r.iram[8192] ^= 1; /* line 1, in the middle of a record */
    CHECK_EQ(trench_icache_replay(r.ic, &image, &records[2], 1), 0, "replay");
    CHECK_EQ(icache_rig_stats(&r).mismatches, 1, "seen");
    icache_rig_close(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_oracle_fifo),
        cmocka_unit_test(test_oracle_next_line),
        cmocka_unit_test(test_oracle_replay_counts),
    };

    return cmocka_run_group_tests_name("icache oracle", tests, NULL, NULL);
}
