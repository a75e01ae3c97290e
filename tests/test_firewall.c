/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Block lists on the way to registers: address-map 4.9; hardware.md H194 and
 * H195. Offsets inside are those of regs/apbblk.json, which are ours.
 */
#include <trench/soc.h>

#include "check.h"
#include "rig.h"

enum {
    VERSION = 0x00,
    CTRL = 0x04,
    NUM = 0x08,
    RESPONSE = 0x0C,
    READ_DATA = 0x10,
    LAST_READ = 0x14,
    LAST_WRITE = 0x18,
    LAST_DATA = 0x1C,
    ALLOWED_READS = 0x20,
    ALLOWED_WRITES = 0x28,
    BLOCKED_READS = 0x30,
    BLOCKED_WRITES = 0x38,
    SHADOW = 0x20, /* from a counter to its shadow */
    INTR_EN = 0x100,
    CAM = 0x400,
};

#define PEB        (UINT64_C(1) << 53)
#define DIE        (UINT64_C(1) << 47)
#define SE_0_PLAIN UINT64_C(0x20008012180000)
#define SE_0_PEB   UINT64_C(0x20008012181000)
#define IO_PLAIN   UINT64_C(0x20008012100000)
#define IO_PEB     UINT64_C(0x20008012101000)

static void put(struct rig *r, uint64_t addr, uint32_t val)
{
    CHECK_EQ(trench_bus_write32(r->bus, addr, val), 0, "write 0x%llx",
             ULL(addr));
}

static void entry(struct rig *r, uint64_t list, unsigned i, uint32_t address,
                  uint32_t mask)
{
    put(r, list + CAM + 8 * i, address);
    put(r, list + CAM + 8 * i + 4, mask);
}

/* On the privileged route. */
static uint64_t peb_of(unsigned engine)
{
    return PEB | 0x8000000000 | (uint64_t)(engine / 64) << 47 |
           ((engine / 32 & 1 ? 0x4000000 : 0x2000000) +
            (uint64_t)(engine % 32) * 0x100000);
}

static struct trench_soc_firewall_state state_of(struct rig *r, unsigned n)
{
    struct trench_soc_firewall_state s = { 0 };

    CHECK_EQ(trench_soc_firewall_state(r->soc, n, &s), 0, "list %u", n);
    return s;
}

/* ---- where they are ------------------------------------------------------ */

/* Twelve: two a fabric, hosts at +0x12100000, +0x12180000, +0x12200000. */
static void test_4_9_instances(void **state)
{
    static const uint32_t hosts[] = { 0x12100000, 0x12180000, 0x12200000 };
    const struct trench_gen *gen = trench_gen_find("cayman");
    struct trench_soc_firewall_state s;
    struct rig *r = *state;
    uint32_t val;

    CHECK_EQ(gen->nr_firewalls, 12, "instances");
    for (unsigned i = 0; i < 12; i++) {
        uint64_t base = PEB + (i / 6 ? DIE : 0) + 0x8000000000 +
                        hosts[i / 2 % 3] + 0x1000 * (i % 2);
        unsigned known = 0;

        for (unsigned n = 0; n < 12; n++) {
            known += gen->firewalls[n].base == base;
        }
        CHECK_EQ(known, 1, "0x%llx", ULL(base));
        CHECK_EQ(rig_word(r, base + NUM), 0, "4.9: 0 entries");
        CHECK_EQ(rig_word(r, base + CAM + 4), 0xFFFFFFFF, "mask");
        CHECK_EQ(trench_bus_read32(r->bus, base + 0x1000, &val),
                 i % 2 ? TRENCH_ERR_FAULT : 0, "0x1000 each");
        CHECK_EQ(state_of(r, i).on, false, "off");
    }
    CHECK_EQ(trench_soc_firewall_state(r->soc, 12, &s), TRENCH_ERR_NODEV, "12");
}

/* 4.9: 24 registers in ctrl, 8 entries of address and mask. */
static void test_4_9_register_counts(void **state)
{
    const struct trench_csr_block *block =
        trench_csr_builtin("mariana", TRENCH_BLOCK_APBBLK);

    (void)state;
    assert_non_null(block);
    CHECK_EQ(block->size_bytes, 0x1000, "size");
    CHECK_EQ(block->bundles[0].nr_regs, 24, "ctrl");
    CHECK_EQ(block->bundles[1].offset, 0x100, "cam_ctrl");
    CHECK_EQ(block->bundles[2].offset, 0x400, "cam");
    CHECK_EQ(block->bundles[2].count, 8, "entries");
    assert_null(trench_csr_builtin("sunda", TRENCH_BLOCK_APBBLK));
}

/* ---- what a hit does ----------------------------------------------------- */

static void test_hit_blocks(void **state)
{
    struct rig *r = *state;
    uint64_t reg = rig_engine_base(5) + 0x3A108; /* general_cfg_1 */

    put(r, reg, 7);
    entry(r, SE_0_PLAIN, 0, 0x0253A108, 0xFFFFFFFF);
    CHECK_EQ(rig_word(r, reg), 7, "not in use yet");
    put(r, SE_0_PLAIN + READ_DATA, 0xB10C);
    put(r, SE_0_PLAIN + NUM, 1);
    CHECK_EQ(state_of(r, 0).on, true, "on");
    CHECK_EQ(rig_word(r, reg), 0xB10C, "data of a blocked read");
    put(r, reg, 9);
    put(r, reg + 4, 11);
    CHECK_EQ(rig_word(r, reg + 4), 11, "its neighbour");
    CHECK_EQ(rig_word(r, peb_of(5) + 0x3A108), 7, "the other route");
    CHECK_EQ(rig_word(r, SE_0_PLAIN + LAST_READ), 0x0253A108, "last read");
    CHECK_EQ(rig_word(r, SE_0_PLAIN + LAST_WRITE), 0x0253A108, "last write");
    CHECK_EQ(rig_word(r, SE_0_PLAIN + LAST_DATA), 9, "last data");
    CHECK_EQ(rig_word(r, SE_0_PLAIN + BLOCKED_READS), 1, "reads");
    CHECK_EQ(rig_word(r, SE_0_PLAIN + BLOCKED_WRITES), 1, "writes");
    CHECK_EQ(rig_word(r, SE_0_PLAIN + ALLOWED_READS), 1, "allowed");
    CHECK_EQ(rig_word(r, SE_0_PLAIN + ALLOWED_WRITES), 1, "allowed");
    put(r, SE_0_PLAIN + NUM, 0);
    CHECK_EQ(rig_word(r, reg), 7, "lifted");
    CHECK_EQ(rig_word(r, SE_0_PLAIN + ALLOWED_READS), 1, "not counted: off");
}

/* blocked_response, one bit a direction. */
static void test_blocked_response(void **state)
{
    static const uint32_t faults[] = { 0, 1, 2, 4 };
    struct rig *r = *state;
    uint64_t reg = rig_engine_base(5) + 0x3A108;

    entry(r, SE_0_PLAIN, 0, 0x02500000, 0xFFF00000);
    put(r, SE_0_PLAIN + NUM, 1);
    for (uint32_t resp = 0; resp < 4; resp++) {
        struct trench_bus_fault fault;
        uint32_t val;

        put(r, SE_0_PLAIN + RESPONSE, resp);
        CHECK_EQ(trench_bus_read32(r->bus, reg, &val),
                 resp & 1 ? TRENCH_ERR_ACCES : 0, "%u", resp);
        CHECK_EQ(trench_bus_write32(r->bus, reg, 1),
                 resp & 2 ? TRENCH_ERR_ACCES : 0, "%u", resp);
        trench_bus_last_fault(r->bus, &fault);
        CHECK_EQ(fault.count, faults[resp], "%u", resp);
    }
}

static void test_counters_and_shadows(void **state)
{
    struct rig *r = *state;
    uint64_t reg = rig_engine_base(0) + 0x3A108;

    entry(r, SE_0_PLAIN, 0, 0xFFFFFFFF, 0xFFFFFFFF);
    put(r, SE_0_PLAIN + NUM, 1);
    for (unsigned i = 0; i < 5; i++) {
        rig_word(r, reg);
    }
    CHECK_EQ(rig_word(r, SE_0_PLAIN + ALLOWED_READS + SHADOW), 0, "before");
    CHECK_EQ(rig_word(r, SE_0_PLAIN + ALLOWED_READS), 5, "low");
    CHECK_EQ(rig_word(r, SE_0_PLAIN + ALLOWED_READS + 4), 0, "high");
    rig_word(r, reg);
    CHECK_EQ(rig_word(r, SE_0_PLAIN + ALLOWED_READS + SHADOW), 5, "kept");
    CHECK_EQ(rig_word(r, SE_0_PLAIN + ALLOWED_READS), 6, "low");
    CHECK_EQ(rig_word(r, SE_0_PLAIN + ALLOWED_READS + SHADOW), 6, "kept");
    put(r, SE_0_PLAIN + ALLOWED_READS, 0);
    CHECK_EQ(rig_word(r, SE_0_PLAIN + ALLOWED_READS), 6, "read-only");
}

/* H195: an enabled entry that blocks raises the line, disabling drops it. */
static void test_interrupt_line(void **state)
{
    struct rig *r = *state;
    uint64_t reg = rig_engine_base(0) + 0x3A108;

    entry(r, SE_0_PLAIN, 0, 0x1, 0xFFFFFFFF);
    entry(r, SE_0_PLAIN, 1, 0x0203A108, 0xFFFFFFFF);
    put(r, SE_0_PLAIN + NUM, 2);
    put(r, SE_0_PLAIN + INTR_EN, 0x1);
    rig_word(r, reg);
    CHECK_EQ(state_of(r, 0).interrupt, false, "entry 1 is not enabled");
    put(r, SE_0_PLAIN + INTR_EN, 0x2);
    CHECK_EQ(state_of(r, 0).interrupt, false, "nothing since");
    rig_word(r, reg);
    CHECK_EQ(state_of(r, 0).interrupt, true, "up");
    put(r, SE_0_PLAIN + INTR_EN, 0x82);
    CHECK_EQ(state_of(r, 0).interrupt, true, "a level");
    put(r, SE_0_PLAIN + INTR_EN, 0x80);
    CHECK_EQ(state_of(r, 0).interrupt, false, "down");
    CHECK_EQ(rig_word(r, SE_0_PLAIN + INTR_EN), 0x80, "reads back");
}

/* H194: more than eight are eight; entries beyond num do not count. */
static void test_eight_entries(void **state)
{
    struct rig *r = *state;
    uint64_t reg = rig_engine_base(3) + 0x3A108;

    entry(r, SE_0_PLAIN, 7, 0x0233A108, 0xFFFFFFFF);
    for (uint32_t n = 0; n < 16; n++) {
        put(r, SE_0_PLAIN + NUM, 0);
        put(r, reg, n + 1);
        put(r, SE_0_PLAIN + NUM, n);
        CHECK_EQ(rig_word(r, reg), n < 8 ? n + 1 : 0, "%u in use", n);
        CHECK_EQ(rig_word(r, SE_0_PLAIN + NUM), n, "%u", n);
    }
}

/* ---- who passes which ---------------------------------------------------- */

struct probe {
    uint64_t addr; /* a register that reads something at reset */
    uint64_t list;
};

/* H194: plain windows the first of a pair, privileged ones the second. */
static void test_which_accesses_pass_which_list(void **state)
{
    static const struct probe rows[] = {
        { 0x1002000000, SE_0_PLAIN },
        { 0x1003F3A104, SE_0_PLAIN },
        { 0x1002080000, SE_0_PLAIN },
        { 0x100C004800, SE_0_PLAIN },
        { 0x5004040100, 0x20008012200000 },
        { 0x500C7E4800, 0x20008012200000 },
        { 0x801002040100, 0x20808012180000 },
        { 0x805004040100, 0x20808012200000 },
        { 0x20008002040100, SE_0_PEB },
        { 0x20008003080000, SE_0_PEB },
        { 0x20008004040100, 0x20008012201000 },
        { 0x20808002040100, 0x20808012181000 },
        { 0x20808004040100, 0x20808012201000 },
        { 0x8006840100, IO_PLAIN },
        { 0x808006940100, 0x20808012100000 },
        { 0x20008006840100, IO_PEB },
        { 0x20808006940100, 0x20808012101000 },
        { 0x20008012100400, IO_PEB },
        { 0x20008012201404, IO_PEB },
        { 0x20808012181404, 0x20808012101000 },
    };
    struct rig *r = *state;

    for (size_t l = 0; l < ARRAY_LEN(rows); l++) {
        rig_reset(r);
        put(r, rows[l].list + READ_DATA, 0xB10CB10C);
        entry(r, rows[l].list, 0, 0, 0);
        put(r, rows[l].list + NUM, 1);
        for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
            CHECK_EQ(rig_word(r, rows[i].addr) == 0xB10CB10C,
                     rows[i].list == rows[l].list, "0x%llx behind 0x%llx",
                     ULL(rows[i].addr), ULL(rows[l].list));
        }
        /* Memory and semaphores have no list before them. */
        put(r, 0x1000, 5);
        put(r, 0x2802701400, 5);
        put(r, 0x8280001400, 5);
        CHECK_EQ(rig_word(r, 0x1000), 5, "memory");
        CHECK_EQ(rig_word(r, 0x2802701000), 5, "core");
        CHECK_EQ(rig_word(r, 0x8280001000), 5, "TOP_SP");
    }
}

/* Software locks itself out of the lists; a reset of the chip lets it in. */
static void test_reset_lifts_a_lockout(void **state)
{
    struct rig *r = *state;

    entry(r, IO_PEB, 0, 0, 0);
    put(r, IO_PEB + NUM, 1);
    put(r, IO_PEB + NUM, 0);
    CHECK_EQ(rig_word(r, IO_PEB + NUM), 0, "blocked read");
    put(r, IO_PEB + CAM + 4, 0xFFFFFFFF);
    CHECK_EQ(state_of(r, 5).on, true, "still on");
    put(r, 0x20008006840100, 0);
    trench_soc_reset(r->soc);
    CHECK_EQ(state_of(r, 5).on, false, "off");
    CHECK_EQ(rig_word(r, 0x20008006840100), 0xFFFF, "as new");
    CHECK_EQ(rig_word(r, IO_PEB + CAM + 4), 0xFFFFFFFF, "as new");
    CHECK_EQ(rig_word(r, IO_PEB + BLOCKED_WRITES), 0, "as new");
    put(r, 0x20008006840100, 5);
    CHECK_EQ(rig_word(r, 0x8006840100), 5, "passes");
}

/* A broadcast passes once, at its own address: all lanes or none. */
static void test_broadcasts_are_blocked_before_they_fan_out(void **state)
{
    struct trench_soc_stats stats;
    struct rig *r = *state;

    entry(r, SE_0_PLAIN, 0, 0x0230603C & ~0xFFFu, 0xFFFFF000);
    put(r, SE_0_PLAIN + NUM, 1);
    put(r, 0x1002080000 + 0x3A108, 5);
    CHECK_EQ(rig_read(r, 3, 0x3A108), 5, "delivered behind the list");
    entry(r, SE_0_PLAIN, 0, 0x02080000, 0xFFF80000);
    put(r, 0x1002080000 + 0x3A108, 6);
    put(r, 0x20008002080000 + 0x3A10C, 7);
    trench_soc_stats(r->soc, &stats);
    CHECK_EQ(stats.bcast_writes, 2, "one was blocked");
    for (unsigned e = 0; e < 16; e++) {
        CHECK_EQ(rig_read(r, e, 0x3A108), 5, "engine %u", e);
        CHECK_EQ(rig_read(r, e, 0x3A10C), 7, "engine %u", e);
    }
}

/* DMA writes pass too; an error answer is the engine's AXI error. */
static void test_engines_pass_lists(void **state)
{
    struct rig *r = *state;
    uint64_t mem = rig_alloc(r, 64);
    struct rig_queue rq;

    *(uint32_t *)rig_mem(r, mem, 4) = 0x77;
    rig_queue_open(&rq, r, 40, 0, 16); /* of SE_1 */
    entry(r, SE_0_PLAIN, 0, 0x0203A108, 0xFFFFFFFF);
    put(r, SE_0_PLAIN + NUM, 1);
    rig_copy(&rq, rig_engine_base(0) + 0x3A108, mem, 4);
    CHECK_EQ(rig_stats(r, 40).errors, 0, "silent");
    CHECK_EQ(rig_word(r, peb_of(0) + 0x3A108), 0, "but blocked");
    put(r, SE_0_PLAIN + RESPONSE, 3);
    rig_copy(&rq, rig_engine_base(0) + 0x3A108, mem, 4);
    CHECK_EQ(rig_stats(r, 40).errors > 0, true, "an error answer");
    CHECK_EQ(rig_word(r, peb_of(0) + 0x3A108), 0, "blocked");
    CHECK_EQ(rig_word(r, SE_0_PLAIN + LAST_DATA), 0x77, "data");
    /* An engine turns the list off, under its own next access. */
    *(uint32_t *)rig_mem(r, mem + 4, 4) = 0;
    rig_rx(&rq, SE_0_PLAIN + NUM, 4);
    rig_rx(&rq, rig_engine_base(0) + 0x3A108, 4);
    rig_tx(&rq, D_ONE, mem + 4, 4);
    rig_tx(&rq, D_ONE, mem, 4);
    rig_bell(&rq, RX, 2);
    rig_bell(&rq, TX, 2);
    CHECK_EQ(rig_word(r, peb_of(0) + 0x3A108), 0x77, "through");
}

static int other_read32(void *opaque, uint64_t offset, uint32_t *val)
{
    (void)opaque;
    *val = 0x1000 + (uint32_t)offset;
    return 0;
}

static int other_write32(void *opaque, uint64_t offset, uint32_t val)
{
    (void)opaque;
    (void)offset;
    (void)val;
    return 0;
}

/* Windows that come and go while a list is on keep their own behaviour. */
static void test_windows_of_others(void **state)
{
    static const struct trench_bus_dev_ops ops = { other_read32,
                                                   other_write32 };
    struct trench_bus_window w = { .base = 0x1001000000,
                                   .size_bytes = 0x1000,
                                   .ops = &ops };
    struct rig *r = *state;

    entry(r, SE_0_PLAIN, 0, 0, 0);
    put(r, SE_0_PLAIN + NUM, 1);
    CHECK_EQ(trench_bus_add_window(r->bus, &w), 0, "add");
    CHECK_EQ(rig_word(r, w.base + 8), 0x1008, "not behind it yet");
    CHECK_EQ(trench_bus_remove(r->bus, 0x1002000000), 0, "M2S of engine 0");
    w.base = 0x1002000000;
    w.size_bytes = 0x20000;
    CHECK_EQ(trench_bus_add_window(r->bus, &w), 0, "in its place");
    put(r, SE_0_PLAIN + NUM, 0);
    CHECK_EQ(rig_word(r, w.base + 8), 0x1008, "its own");
    put(r, SE_0_PLAIN + NUM, 1);
    CHECK_EQ(rig_word(r, w.base + 8), 0, "behind it");
    trench_soc_reset(r->soc);
    CHECK_EQ(rig_word(r, w.base + 8), 0x1008, "its own");
    CHECK_EQ(rig_word(r, 0x1001000008), 0x1008, "its own");
}

/* ---- against a slow model ------------------------------------------------ */

static uint32_t rnd(uint64_t *seed)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(*seed >> 32);
}

struct model {
    uint32_t cam[8][2];
    uint32_t num;
    uint32_t regs[32]; /* general_cfg_1 of SE_0 */
    uint64_t blocked, allowed;
};

static bool model_blocks(const struct model *m, uint64_t addr)
{
    for (unsigned i = 0; i < 8 && i < m->num; i++) {
        bool same = true;

        for (unsigned bit = 0; bit < 32; bit++) {
            if (m->cam[i][1] >> bit & 1) {
                same &= (addr >> bit & 1) == (m->cam[i][0] >> bit & 1);
            }
        }
        if (same) {
            return true;
        }
    }
    return false;
}

static void random_entry(struct model *m, struct rig *r, uint64_t *seed)
{
    unsigned i = rnd(seed) % 8;

    m->cam[i][0] = 0x0203A108 | (rnd(seed) & 0x01F00000);
    m->cam[i][1] = rnd(seed) % 4 ? 0xFFFFFFFF : 0xFFFFF | rnd(seed);
    if (rnd(seed) % 16 == 0) {
        m->cam[i][0] ^= 1u << rnd(seed) % 32;
    }
    entry(r, SE_0_PLAIN, i, m->cam[i][0], m->cam[i][1]);
}

static void random_step(struct model *m, struct rig *r, uint64_t *seed)
{
    unsigned e = rnd(seed) % 32;
    uint64_t reg = rig_engine_base(e) + 0x3A108;
    bool blocks = model_blocks(m, reg);
    uint32_t val = rnd(seed);

    switch (rnd(seed) % 8) {
    case 0:
        random_entry(m, r, seed);
        return;
    case 1:
        m->num = val % 16;
        put(r, SE_0_PLAIN + NUM, m->num);
        return;
    case 2:
    case 3:
    case 4:
        put(r, reg, val);
        m->regs[e] = blocks ? m->regs[e] : val;
        break;
    default:
        CHECK_EQ(rig_word(r, reg), blocks ? 0xB10C : m->regs[e], "engine %u",
                 e);
        break;
    }
    m->blocked += blocks;
    m->allowed += !blocks && m->num > 0;
}

static void test_random_programs(void **state)
{
    static struct model m;
    struct rig *r = *state;
    uint64_t seed = 0x5EED0194;

    print_message("# seed 0x%llx\n", ULL(seed));
    put(r, SE_0_PLAIN + READ_DATA, 0xB10C);
    for (unsigned i = 0; i < 8; i++) {
        m.cam[i][1] = 0xFFFFFFFF;
    }
    for (unsigned i = 0; i < 60000; i++) {
        random_step(&m, r, &seed);
    }
    CHECK_EQ(m.blocked > 1000 && m.allowed > 1000, true, "both happen");
    CHECK_EQ(rig_word(r, SE_0_PLAIN + BLOCKED_READS) +
                 rig_word(r, SE_0_PLAIN + BLOCKED_WRITES),
             m.blocked, "blocked");
    CHECK_EQ(rig_word(r, SE_0_PLAIN + ALLOWED_READS) +
                 rig_word(r, SE_0_PLAIN + ALLOWED_WRITES),
             m.allowed, "allowed");
}

/* ---- hostile ------------------------------------------------------------- */

/* Windows beside the channels, by name. */
static bool is_beside(const struct trench_bus_region *region)
{
    return strstr(region->name, "PAPB_BCAST") ||
           strstr(region->name, "APBBLK") || strstr(region->name, "EVT_SEM") ||
           strstr(region->name, "LOCAL_REG");
}

static uint64_t hash_windows(struct rig *r)
{
    struct trench_bus_region region = { 0 };
    uint64_t hash = 14695981039346656037u;

    while (trench_bus_region_at(r->bus, region.base + region.size_bytes,
                                &region) == 0) {
        for (uint64_t at = 0; is_beside(&region) && at < region.size_bytes;
             at += 4) {
            uint32_t val = 0xF1F1F1F1;

            trench_bus_read32(r->bus, region.base + at, &val);
            hash = (hash ^ val) * 1099511628211u;
        }
    }
    return hash;
}

/* Any word at any offset, in any order; a reset makes the chip as new. */
static void test_any_word_anywhere_then_reset(void **state)
{
    static const char *const gens[] = { "sunda", "cayman", "mariana" };

    (void)state;
    for (size_t g = 0; g < ARRAY_LEN(gens); g++) {
        uint64_t bases[512], sizes[512];
        struct trench_bus_region region = { 0 };
        uint64_t seed = 0x5EED0199 + g;
        uint64_t fresh;
        size_t n = 0;
        struct rig r;

        rig_open(&r, &(struct trench_soc_conf){ .gen = trench_gen_find(gens[g]),
                                                .host_bytes = 4096 });
        while (trench_bus_region_at(r.bus, region.base + region.size_bytes,
                                    &region) == 0) {
            if (is_beside(&region) && n < 512) {
                bases[n] = region.base;
                sizes[n++] = region.size_bytes;
            }
        }
        CHECK_EQ(n,
                 strcmp(gens[g], "sunda") ? 128 + 12 + 28 + 20 + 8 * 5
                                          : 8 + 6 + 2 * 5,
                 "%s", gens[g]);
        fresh = hash_windows(&r);
        for (unsigned i = 0; i < 100000; i++) {
            size_t w = rnd(&seed) % n;
            uint64_t at = bases[w] + rnd(&seed) % sizes[w];
            uint32_t val = rnd(&seed);

            trench_bus_write32(r.bus, i % 16 ? at & ~UINT64_C(3) : at,
                               val >> val % 32);
            trench_bus_read32(r.bus, at & ~UINT64_C(3), &val);
        }
        trench_soc_reset(r.soc);
        CHECK_EQ(hash_windows(&r), fresh, "%s as new", gens[g]);
        rig_close(&r);
    }
}

#define TEST(name)                                                             \
    cmocka_unit_test_setup_teardown(name, rig_setup, rig_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_4_9_instances),
        cmocka_unit_test(test_4_9_register_counts),
        TEST(test_hit_blocks),
        TEST(test_blocked_response),
        TEST(test_counters_and_shadows),
        TEST(test_interrupt_line),
        TEST(test_eight_entries),
        TEST(test_which_accesses_pass_which_list),
        TEST(test_reset_lifts_a_lockout),
        TEST(test_broadcasts_are_blocked_before_they_fan_out),
        TEST(test_engines_pass_lists),
        TEST(test_windows_of_others),
        TEST(test_random_programs),
        cmocka_unit_test(test_any_word_anywhere_then_reset),
    };

    return cmocka_run_group_tests_name("firewall", tests, NULL, NULL);
}
