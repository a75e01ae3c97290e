/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The broadcast fabric around the windows of test_bcast.c: group masks,
 * settings, what is reported, and random programs against a slow model.
 * address-map 1.4, 2.2, 2.3, 4.7 to 4.11; hardware.md H61, H190 to H193.
 */
#include <trench/soc.h>

#include "check.h"
#include "rig.h"

#define NR_SE 128u

/* address-map 1.4 and 3.5, odd SEngines as the driver has them. */
static uint64_t papb_of(unsigned engine)
{
    unsigned s = engine / 32;
    uint64_t se = (s & 1 ? UINT64_C(0x500C400000) : UINT64_C(0x100C000000)) |
                  (uint64_t)(s / 2) << 47;

    return se + (uint64_t)(engine % 32) * 0x20000 + 0x4800;
}

/* A broadcast window, address-map 2.3. */
static uint64_t block_base(unsigned block, bool privileged)
{
    uint64_t plain = rig_engine_base(16 * block) + 0x80000;
    uint64_t peb = (UINT64_C(1) << 53) | UINT64_C(0x8000000000) |
                   (uint64_t)(block / 4) << 47;

    return privileged
               ? peb + 0x2080000 + (uint64_t)(block % 4) * UINT64_C(0x1000000)
               : plain;
}

static void put(struct rig *r, uint64_t addr, uint32_t val)
{
    CHECK_EQ(trench_bus_write32(r->bus, addr, val), 0, "write 0x%llx",
             ULL(addr));
}

static struct trench_soc_stats stats_of(struct rig *r)
{
    struct trench_soc_stats stats;

    trench_soc_stats(r->soc, &stats);
    return stats;
}

static struct trench_bcast_delivery last_of(struct rig *r)
{
    struct trench_bcast_delivery d = { 0 };

    CHECK_EQ(trench_soc_last_bcast(r->soc, &d), 0, "last");
    return d;
}

/* ---- papb_bcast ---------------------------------------------------------- */

/* 4.7: one an engine, reset 0xFFFE, 16 bits. */
static void test_4_7_group_masks(void **state)
{
    struct rig *r = *state;

    CHECK_EQ(papb_of(0), 0x100C004800, "2.2: SE_0 channel 0");
    CHECK_EQ(papb_of(32) - 0x4800, 0x500C400000, "3.5: BAR 0x9C400000");
    CHECK_EQ(papb_of(127) - 0x4800, 0x80500C7E0000, "3.5: BAR 0xBC7E0000");
    for (unsigned e = 0; e < NR_SE; e++) {
        CHECK_EQ(rig_word(r, papb_of(e)), 0xFFFE, "engine %u", e);
        put(r, papb_of(e), 0xABCD0000 | e);
    }
    for (unsigned e = 0; e < NR_SE; e++) {
        CHECK_EQ(rig_word(r, papb_of(e)), e, "engine %u", e);
        CHECK_EQ(rig_word(r, papb_of(e) + 4), 0, "no register");
    }
    CHECK_EQ(stats_of(r).unknown, NR_SE, "counted");
    trench_soc_reset(r->soc);
    CHECK_EQ(rig_word(r, papb_of(77)), 0xFFFE, "reset");
    CHECK_EQ(stats_of(r).unknown, 0, "reset");
}

/* Sunda has neither windows nor masks (1.5). */
static void test_sunda_has_no_fabric(void **state)
{
    struct trench_bus_region region = { 0 };
    struct rig r;

    (void)state;
    rig_open(&r, &(struct trench_soc_conf){ .gen = trench_gen_find("sunda"),
                                            .host_bytes = 4096 });
    while (trench_bus_region_at(r.bus, region.base + region.size_bytes,
                                &region) == 0) {
        assert_null(strstr(region.name, "BCAST"));
        assert_null(strstr(region.name, "APBBLK"));
    }
    CHECK_EQ(trench_gen_find("sunda")->nr_firewalls, 0, "lists");
    rig_close(&r);
}

/* H190: the bit of the request's group, in both masks. */
static void test_groups_gate_together(void **state)
{
    static const uint8_t groups[] = { 0, 1, 2, 7, 15, TRENCH_BCAST_ANY_GROUP };
    static const uint16_t masks[] = { 0,      0x0001, 0x0002, 0x0004, 0x0080,
                                      0x8000, 0xFFFE, 0xFFFF, 0x7F7F };

    (void)state;
    for (size_t g = 0; g < ARRAY_LEN(groups); g++) {
        unsigned group = groups[g] ? groups[g] : 1;
        struct rig r;

        rig_open(&r, &(struct trench_soc_conf){ .bcast.group = groups[g] });
        for (size_t i = 0; i < ARRAY_LEN(masks) * ARRAY_LEN(masks); i++) {
            uint16_t slice = masks[i / ARRAY_LEN(masks)];
            uint16_t engine = masks[i % ARRAY_LEN(masks)];
            bool in = group == TRENCH_BCAST_ANY_GROUP
                          ? (slice & 0xFFFE) && engine
                          : slice >> group & engine >> group & 1;
            struct trench_bcast_delivery d;

            put(&r, papb_of(37), slice);
            rig_write(&r, 37, TDMA + 0x100, engine);
            put(&r, block_base(2, i % 2) + 0x38000 + 0x2108, (uint32_t)i + 1);
            d = last_of(&r);
            CHECK_EQ(d.reached, in ? 0xFFFF : 0xFFDF, "group %u 0x%x 0x%x",
                     group, slice, engine);
            CHECK_EQ(d.gated, in ? 0 : 0x20, "group %u", group);
            CHECK_EQ(rig_read(&r, 37, 0x38000 + 0x2108) == i + 1, in,
                     "group %u 0x%x 0x%x", group, slice, engine);
        }
        rig_close(&r);
    }
}

/* 4.8: group g of the driver's V2 words holds lanes 0 to 15 - g. */
static void test_4_8_driver_groups(void **state)
{
    (void)state;
    for (uint8_t g = 1; g < 16; g++) {
        struct rig r;

        rig_open(&r, &(struct trench_soc_conf){ .bcast.group = g });
        for (unsigned lane = 0; lane < 16; lane++) {
            rig_write(&r, lane, TDMA + 0x100, 0xFFFFu >> lane);
            rig_write(&r, lane, TDMA + 0x104, 0x8249 >> lane & 1 ? 0xFFFF : 0);
        }
        put(&r, block_base(0, false) + q_off(TX, 0, Q_BELL), 1);
        CHECK_EQ(last_of(&r).reached, (1u << (16 - g)) - 1, "group %u", g);
        rig_close(&r);
    }
}

static void test_unknown_group_is_refused(void **state)
{
    struct trench_soc *soc = NULL;

    (void)state;
    CHECK_EQ(
        trench_soc_create(&(struct trench_soc_conf){ .bcast.group = 17 }, &soc),
        TRENCH_ERR_INVAL, "group 17");
}

/* ---- settings ------------------------------------------------------------ */

/* 4.11, 5: polarity, and whether a tail increment carries a mask at all. */
static void test_mask_settings(void **state)
{
    static const struct {
        struct trench_bcast_conf conf;
        uint32_t reg; /* in queue 3 of M2S */
        uint32_t word;
        uint32_t reached;
        uint32_t payload;
    } rows[] = {
        { { 0 }, Q_BELL, 0xFFF00003, 0x000F, 3 },
        { { .mask_applies = true }, Q_BELL, 0xFFF00003, 0xFFF0, 3 },
        { { .mask_applies = true }, Q_BELL, 0x00000003, 0, 3 },
        { { .mask_applies = true }, TXQ_SW_CTRL, 0x80010100, 0x8001, 0x100 },
        { { .tail_unmasked = true }, Q_BELL, 0x00120003, 0xFFFF, 0x120003 },
        { { .tail_unmasked = true }, TXQ_DATA_BELL, 0xFF, 0xFFFF, 0xFF },
        { { .tail_unmasked = true }, TXQ_SW_CTRL, 0xFFFE0100, 1, 0x100 },
        { { .tail_unmasked = true, .mask_applies = true },
          Q_BELL,
          5,
          0xFFFF,
          5 },
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct trench_bcast_delivery d;
        struct rig r;

        rig_open(&r, &(struct trench_soc_conf){ .bcast = rows[i].conf });
        put(&r, block_base(7, false) + q_off(TX, 3, rows[i].reg), rows[i].word);
        d = last_of(&r);
        CHECK_EQ(d.reached, rows[i].reached, "row %zu", i);
        CHECK_EQ(d.skipped, 0xFFFF & ~rows[i].reached, "row %zu", i);
        CHECK_EQ(d.payload, rows[i].payload, "row %zu", i);
        CHECK_EQ(d.word, rows[i].word, "row %zu", i);
        if (rows[i].reg == Q_BELL) {
            for (unsigned lane = 0; lane < 16; lane++) {
                CHECK_EQ(
                    rig_read(&r, 112 + lane, q_off(TX, 3, Q_TAIL)),
                    PTR_RESET |
                        (rows[i].reached >> lane & 1 ? rows[i].payload : 0),
                    "row %zu lane %u", i, lane);
            }
        }
        rig_close(&r);
    }
}

/* 4.11, 3: configurable to an error; nothing is delivered then. */
static void test_strict_refuses_other_registers(void **state)
{
    struct rig r;

    (void)state;
    rig_open(&r, &(struct trench_soc_conf){ .bcast.strict = true });
    CHECK_EQ(trench_bus_write32(r.bus, block_base(0, false) + 0x1028, 0x40),
             TRENCH_ERR_ACCES, "base");
    CHECK_EQ(trench_bus_write32(r.bus, block_base(0, false) + 0x3C404, 1),
             TRENCH_ERR_ACCES, "GEN_EX");
    CHECK_EQ(rig_read(&r, 3, 0x1028), 0, "unchanged");
    CHECK_EQ(stats_of(&r).bcast_writes, 0, "none delivered");
    CHECK_EQ(stats_of(&r).guest_errors, 2, "noted");
    put(&r, block_base(0, false) + q_off(RX, 15, RXQ_SW_CTRL), RST_Q);
    CHECK_EQ(stats_of(&r).bcast_writes, 1, "known ones go on");
    rig_close(&r);
}

/* ---- answers ------------------------------------------------------------- */

/* 1.1: mirrors of M2S, S2M, GEN, GEN_EX in 0x40000, and nothing else. */
static void test_windows_end_where_mirrors_do(void **state)
{
    struct rig *r = *state;
    uint8_t bytes[8] = { 0 };
    uint32_t val;

    for (unsigned block = 0; block < 8; block++) {
        for (unsigned peb = 0; peb < 2; peb++) {
            uint64_t b = block_base(block, peb);

            CHECK_EQ(trench_bus_read32(r->bus, b + 0x3FFFC, &val), 0, "last");
            CHECK_EQ(trench_bus_read32(r->bus, b + 0x40000, &val),
                     TRENCH_ERR_FAULT, "no MISC mirror");
            CHECK_EQ(trench_bus_write32(r->bus, b + 0x40100, 0),
                     TRENCH_ERR_FAULT, "no tdma mirror");
            CHECK_EQ(trench_bus_write32(r->bus, b + 0x1039, 0),
                     TRENCH_ERR_INVAL, "unaligned");
            CHECK_EQ(trench_bus_write(r->bus, TRENCH_BUS_SOFTWARE, b + 0x1038,
                                      bytes, 2),
                     TRENCH_ERR_INVAL, "half a word");
        }
    }
    CHECK_EQ(stats_of(r).bcast_writes, 0, "none of them arrived");
}

struct seen {
    unsigned n;
    struct trench_bcast_delivery d[4];
};

static void see(void *opaque, const struct trench_bcast_delivery *d)
{
    struct seen *seen = opaque;

    seen->d[seen->n++ % 4] = *d;
}

/* H193: the callback and the record say who got what. */
static void test_deliveries_are_reported(void **state)
{
    struct rig *r = *state;
    struct trench_bcast_delivery d;
    struct seen seen = { 0 };

    CHECK_EQ(trench_soc_last_bcast(r->soc, &d), TRENCH_ERR_NOENT, "none yet");
    trench_soc_set_bcast(r->soc, see, &seen);
    put(r, papb_of(50), 0);
    put(r, block_base(3, true) + q_off(RX, 11, Q_BELL), 0x00030009);
    put(r, block_base(3, false) + q_off(TX, 11, TXQ_DATA_BELL), 0xFFFF0009);
    CHECK_EQ(seen.n, 2, "calls");
    CHECK_EQ(seen.d[0].addr, block_base(3, true) + q_off(RX, 11, Q_BELL),
             "address");
    CHECK_EQ(seen.d[0].first_engine, 48, "engines");
    CHECK_EQ(seen.d[0].block, TRENCH_BLOCK_UDMA_S2M, "block");
    CHECK_EQ(seen.d[0].offset, 0xC038, "offset");
    CHECK_EQ(seen.d[0].payload, 9, "payload");
    CHECK_EQ(seen.d[0].skipped, 0x0003, "skipped");
    CHECK_EQ(seen.d[0].gated, 0x0004, "gated");
    CHECK_EQ(seen.d[0].reached, 0xFFF8, "reached");
    CHECK_EQ(seen.d[1].reached, 0, "nobody");
    d = last_of(r);
    CHECK_EQ(d.word, 0xFFFF0009, "the last one");
    CHECK_EQ(stats_of(r).bcast_lanes, 13, "lanes");
    CHECK_EQ(stats_of(r).bcast_reached[13], 1, "of 13");
    CHECK_EQ(stats_of(r).bcast_reached[0], 1, "of none");
    trench_soc_set_bcast(r->soc, NULL, NULL);
    put(r, block_base(3, false) + q_off(TX, 0, Q_BELL), 1);
    CHECK_EQ(seen.n, 2, "no calls");
    trench_soc_reset(r->soc);
    CHECK_EQ(trench_soc_last_bcast(r->soc, &d), TRENCH_ERR_NOENT, "reset");
    CHECK_EQ(stats_of(r).bcast_lanes, 0, "reset");
}

/* Arming 128 engines: 8 accesses or 128. */
static void test_bus_counts_accesses(void **state)
{
    struct rig *r = *state;
    struct trench_bus_stats s[3];

    trench_bus_stats(r->bus, &s[0]);
    for (unsigned block = 0; block < 8; block++) {
        put(r, block_base(block, false) + q_off(TX, 0, Q_BELL), 1);
    }
    trench_bus_stats(r->bus, &s[1]);
    for (unsigned e = 0; e < NR_SE; e++) {
        rig_write(r, e, q_off(TX, 0, Q_BELL), 1);
    }
    trench_bus_stats(r->bus, &s[2]);
    CHECK_EQ(s[1].writes - s[0].writes, 8, "broadcast");
    CHECK_EQ(s[2].writes - s[1].writes, 128, "one by one");
    CHECK_EQ(s[2].reads - s[0].reads, 0, "no reads");
    for (unsigned e = 0; e < NR_SE; e++) {
        CHECK_EQ(rig_read(r, e, q_off(TX, 0, Q_TAIL)), PTR_RESET | 2, "both");
    }
    trench_bus_stats(r->bus, &s[1]);
    CHECK_EQ(s[1].reads - s[2].reads, 128, "reads");
    CHECK_EQ(s[1].engine_writes, 0, "no engine");
}

/* An engine re-arms others through the window, then goes on (4.6, step 4). */
static void test_an_engine_may_broadcast(void **state)
{
    struct rig *r = *state;
    uint64_t mem = rig_alloc(r, 64);
    struct trench_bus_stats s;
    struct rig_queue rq;

    *(uint32_t *)rig_mem(r, mem, 4) = 0x7FFE0100;
    for (unsigned e = 16; e < 32; e++) {
        rig_write(r, e, q_off(TX, 5, Q_LEN), 64);
        rig_write(r, e, q_off(TX, 5, Q_BELL), 7);
    }
    rig_queue_open(&rq, r, 2, 0, 8);
    rig_copy(&rq, block_base(1, false) + q_off(TX, 5, TXQ_SW_CTRL), mem, 4);
    for (unsigned lane = 0; lane < 16; lane++) {
        CHECK_EQ(rig_read(r, 16 + lane, q_off(TX, 5, Q_TAIL)),
                 lane == 0 || lane == 15 ? PTR_RESET : PTR_RESET | 7, "lane %u",
                 lane);
    }
    CHECK_EQ(last_of(r).reached, 0x8001, "lanes");
    trench_bus_stats(r->bus, &s);
    CHECK_EQ(s.engine_writes, 1, "one word on the bus");
}

/*
 * Atomic (4.11, 6): a lane that runs at once must not be seen by others as
 * armed while they are not. Lane 0 reads the tails of all lanes by DMA.
 */
static void test_no_lane_runs_before_all_are_armed(void **state)
{
    struct rig *r = *state;
    uint64_t seen = rig_alloc(r, 64);
    struct rig_queue rq;

    for (unsigned lane = 1; lane < 16; lane++) {
        rig_write(r, lane, q_off(TX, 0, Q_LEN), 64);
    }
    rig_queue_open(&rq, r, 0, 0, 32);
    for (unsigned lane = 1; lane < 16; lane++) {
        rig_rx(&rq, seen + 4 * lane, 4);
        rig_tx(&rq, D_ONE, rig_engine_base(lane) + q_off(TX, 0, Q_TAIL), 4);
    }
    rig_bell(&rq, RX, 15);
    put(r, block_base(0, false) + q_off(TX, 0, Q_BELL), 15);
    for (unsigned lane = 1; lane < 16; lane++) {
        CHECK_EQ(*(uint32_t *)rig_mem(r, seen + 4 * lane, 4), PTR_RESET | 15,
                 "lane %u", lane);
    }
}

/* ---- random programs ----------------------------------------------------- */

struct model {
    struct trench_bcast_conf conf;
    uint32_t tail[NR_SE][2][2]; /* side; tail or data tail of queue 6 */
    uint32_t plain[NR_SE][4];   /* registers without a mask */
    uint32_t slice[NR_SE];
    uint32_t group[NR_SE];
    uint64_t reached[17];
};

static const uint32_t plain_regs[4] = { 0x7028, 0x2702C, 0x3A108, 0x3C404 };

struct target {
    uint32_t off; /* of queue 6 */
    int side;     /* -1: plain register number kind */
    int kind;     /* 0 tail, 1 data tail, 2 sw_ctrl */
};

static const struct target targets[] = {
    { 0x7038, 0, 0 },   { 0x70E0, 0, 1 },   { 0x70B0, 0, 2 },
    { 0x27038, 1, 0 },  { 0x27064, 1, 2 },  { 0x7028, -1, 0 },
    { 0x2702C, -1, 1 }, { 0x3A108, -1, 2 }, { 0x3C404, -1, 3 },
};

static bool model_takes(const struct model *m, const struct target *t,
                        unsigned e, uint32_t word)
{
    unsigned group = m->conf.group ? m->conf.group : 1;
    bool masked = t->side >= 0 && !(t->kind < 2 && m->conf.tail_unmasked);

    if (masked && (word >> (16 + e % 16) & 1) != m->conf.mask_applies) {
        return false;
    }
    if (group == 16) {
        return (m->slice[e] & 0xFFFE) != 0 && m->group[e] != 0;
    }
    return (m->slice[e] >> group & 1) && (m->group[e] >> group & 1);
}

static void model_lane(struct model *m, const struct target *t, unsigned e,
                       uint32_t val)
{
    uint32_t *tail = m->tail[e][t->side > 0];

    if (t->side < 0) {
        m->plain[e][t->kind] = val;
        return;
    }
    if (t->kind < 2) {
        tail[t->kind] += val & 0xFFFFFF;
        return;
    }
    if (val & 0x102) {
        tail[0] = 0;
    }
    if (t->side == 0 && (val & 0x110)) {
        tail[1] = 0;
    }
}

static void model_write(struct model *m, const struct target *t, unsigned block,
                        uint32_t word)
{
    bool masked = t->side >= 0 && !(t->kind < 2 && m->conf.tail_unmasked);
    unsigned n = 0;

    for (unsigned e = block * 16; e < block * 16 + 16; e++) {
        if (model_takes(m, t, e, word)) {
            model_lane(m, t, e, masked ? word & 0xFFFF : word);
            n++;
        }
    }
    m->reached[n]++;
}

static void model_check(const struct model *m, struct rig *r, unsigned run)
{
    for (unsigned e = 0; e < NR_SE; e++) {
        CHECK_EQ(rig_read(r, e, 0x703C), PTR_RESET | m->tail[e][0][0],
                 "run %u engine %u TX tail", run, e);
        CHECK_EQ(rig_read(r, e, 0x70E4), PTR_RESET | m->tail[e][0][1],
                 "run %u engine %u data tail", run, e);
        CHECK_EQ(rig_read(r, e, 0x2703C), PTR_RESET | m->tail[e][1][0],
                 "run %u engine %u RX tail", run, e);
        for (unsigned i = 0; i < 4; i++) {
            CHECK_EQ(rig_read(r, e, plain_regs[i]), m->plain[e][i],
                     "run %u engine %u reg 0x%x", run, e, plain_regs[i]);
        }
    }
    for (unsigned n = 0; n <= 16; n++) {
        CHECK_EQ(stats_of(r).bcast_reached[n], m->reached[n], "run %u: %u", run,
                 n);
    }
}

static uint32_t rnd(uint64_t *seed)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(*seed >> 32);
}

/* Small increments, so that no tail wraps; reset bits now and then. */
static uint32_t random_word(const struct model *m, const struct target *t,
                            uint64_t *seed)
{
    static const uint32_t resets[] = { 0, 0x100, 0x2, 0x10, 0x12 };
    uint32_t high = rnd(seed) & 0xFFFF0000;

    if (t->side < 0) {
        return rnd(seed) & 0xFFFFFFC0; /* a ring's base is aligned */
    }
    if (t->kind == 2) {
        return high | resets[rnd(seed) % ARRAY_LEN(resets)];
    }
    return (m->conf.tail_unmasked ? high & 0xFF000000 : high) |
           (rnd(seed) & 0x3FFF);
}

static void random_step(struct model *m, struct rig *r, uint64_t *seed)
{
    unsigned e = rnd(seed) % NR_SE;
    uint32_t mask = rnd(seed) | (rnd(seed) & 0xFFFF);
    const struct target *t = &targets[rnd(seed) % ARRAY_LEN(targets)];
    uint32_t word;

    switch (rnd(seed) % 8) {
    case 0:
        m->slice[e] = mask & 0xFFFF;
        put(r, papb_of(e), mask);
        break;
    case 1:
        m->group[e] = mask & 0xFFFF;
        rig_write(r, e, TDMA + 0x100, mask);
        break;
    default:
        word = random_word(m, t, seed);
        model_write(m, t, e / 16, word);
        put(r, block_base(e / 16, word & 0x40) + t->off, word);
        break;
    }
}

static void test_random_programs(void **state)
{
    static struct model m;

    (void)state;
    for (unsigned run = 0; run < 24; run++) {
        uint64_t seed = 0x5EED0190 + run;
        struct rig r;

        m = (struct model){ .conf.group = (uint8_t)(run % 17),
                            .conf.mask_applies = run & 1,
                            .conf.tail_unmasked = run / 2 & 1 };
        rig_open(&r, &(struct trench_soc_conf){ .bcast = m.conf,
                                                .host_bytes = 4096 });
        for (unsigned e = 0; e < NR_SE; e++) {
            m.slice[e] = 0xFFFE;
            m.group[e] = 0xFFFF;
            rig_write(&r, e, 0x7030, 0xFFFFFF);
            rig_write(&r, e, 0x27030, 0xFFFFFF);
            for (unsigned i = 0; i < 4; i++) {
                m.plain[e][i] = rig_read(&r, e, plain_regs[i]);
            }
        }
        for (unsigned i = 0; i < 900; i++) {
            random_step(&m, &r, &seed);
        }
        model_check(&m, &r, run);
        rig_close(&r);
    }
}

#define TEST(name)                                                             \
    cmocka_unit_test_setup_teardown(name, rig_setup, rig_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_4_7_group_masks),
        cmocka_unit_test(test_sunda_has_no_fabric),
        cmocka_unit_test(test_groups_gate_together),
        cmocka_unit_test(test_4_8_driver_groups),
        cmocka_unit_test(test_unknown_group_is_refused),
        cmocka_unit_test(test_mask_settings),
        cmocka_unit_test(test_strict_refuses_other_registers),
        TEST(test_windows_end_where_mirrors_do),
        TEST(test_deliveries_are_reported),
        TEST(test_bus_counts_accesses),
        TEST(test_an_engine_may_broadcast),
        TEST(test_no_lane_runs_before_all_are_armed),
        cmocka_unit_test(test_random_programs),
    };

    return cmocka_run_group_tests_name("fabric", tests, NULL, NULL);
}
