/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Interrupt messages: udma-engine 3.1 (AUTO_MASK, AUTO_CLEAR, MASK_MSI_X), 3.2
 * (bit 27), 3.5 (msix_64); hardware.md H81, H82.
 */
#include <trench/access.h>
#include <trench/soc.h>

#include "check.h"
#include "rig.h"

enum {
    AUTO_MASK = 1u << 1,
    AUTO_CLEAR = 1u << 2,
    POSEDGE = 1u << 3,
    MASK_MSI_X = 1u << 5,
};

/* Entry of bit b of primary group n. */
#define ENTRY(n, b) (GEN + 0x1400u + 16u * (32u * (n) + (b)))

static void route(struct rig *r, unsigned engine, uint32_t entry, uint64_t addr,
                  uint64_t data)
{
    rig_write(r, engine, entry, (uint32_t)addr);
    rig_write(r, engine, entry + 4, (uint32_t)(addr >> 32));
    rig_write(r, engine, entry + 8, (uint32_t)data);
    rig_write(r, engine, entry + 12, (uint32_t)(data >> 32));
}

/* One engine with a word of memory that group B bit 3 writes. */
struct setup {
    struct rig *rig;
    uint64_t at;
};

#define GROUP PRIMARY(GROUP_B)
#define BIT   3u
#define DATA  UINT64_C(0x1122334455667788)

static void open_setup(struct setup *s, struct rig *r, uint32_t control)
{
    rig_reset(r);
    s->rig = r;
    s->at = rig_alloc(r, 4096);
    route(r, ENGINE, ENTRY(GROUP_B, BIT), s->at, DATA);
    rig_write(r, ENGINE, GROUP + INT_CONTROL, control);
    rig_write(r, ENGINE, GROUP + INT_MASK, ~(1u << BIT));
}

static void raise(struct setup *s)
{
    rig_write(s->rig, ENGINE, GROUP + INT_CAUSE_SET, 1u << BIT);
}

/* What has been written since the last look. */
static uint64_t taken(struct setup *s)
{
    uint64_t *word = rig_mem(s->rig, s->at, 8);
    uint64_t val = *word;

    *word = 0;
    return val;
}

/* Every entry of every group; seed 002 3.3 names msix_64 and its widths. */
static void test_msix_every_entry(void **state)
{
    struct rig *r = *state;

    for (unsigned i = 0; i < 4 * 32 * 2; i++) {
        unsigned wide = i & 1;
        unsigned n = i / 64;
        unsigned bit = i / 2 % 32;
        uint64_t at;

        rig_reset(r);
        at = rig_alloc(r, 4096);
        route(r, ENGINE, ENTRY(n, bit), at + 8 * i, DATA + i);
        rig_write(r, ENGINE, GEN + 0x2100, wide);
        rig_write(r, ENGINE, PRIMARY(n) + INT_MASK, 0);
        rig_write(r, ENGINE, PRIMARY(n) + INT_CAUSE_SET, ~(1u << bit));
        CHECK_UNTOUCHED(r, at, 4096, "group %u bit %u: others", n, bit);
        rig_write(r, ENGINE, PRIMARY(n) + INT_CAUSE_SET, 1u << bit);
        CHECK_EQ(*(uint64_t *)rig_mem(r, at + 8 * i, 8),
                 wide ? DATA + i : (uint32_t)(DATA + i), "group %u bit %u", n,
                 bit);
        CHECK_EQ(rig_stats(r, ENGINE).messages, 1, "group %u bit %u", n, bit);
    }
}

/* Once a cause: not again while it is set, not while it is masked. */
static void test_msix_once_a_cause(void **state)
{
    struct setup s;

    open_setup(&s, *state, 0);
    raise(&s);
    CHECK_EQ(taken(&s), (uint32_t)DATA, "first");
    raise(&s);
    CHECK_EQ(taken(&s), 0, "set already");
    rig_write(s.rig, ENGINE, GROUP + INT_CAUSE, 0);
    raise(&s);
    CHECK_EQ(taken(&s), (uint32_t)DATA, "acknowledged");
    rig_write(s.rig, ENGINE, GROUP + INT_MASK, 0xFFFFFFFF);
    CHECK_EQ(taken(&s), 0, "masked");
    rig_write(s.rig, ENGINE, GROUP + INT_MASK_CLEAR, 0);
    CHECK_EQ(taken(&s), (uint32_t)DATA, "unmasked");
    rig_write(s.rig, ENGINE, GROUP + INT_CAUSE, 0);
    rig_write(s.rig, ENGINE, GROUP + INT_MASK, 0xFFFFFFFF);
    raise(&s);
    CHECK_EQ(taken(&s), 0, "masked from the start");
}

static void test_msix_auto_mask(void **state)
{
    struct setup s;

    open_setup(&s, *state, AUTO_MASK);
    raise(&s);
    CHECK_EQ(taken(&s), (uint32_t)DATA, "sent");
    CHECK_EQ(rig_read(s.rig, ENGINE, GROUP + INT_MASK), 0xFFFFFFFF, "masked");
    CHECK_EQ(rig_read(s.rig, ENGINE, GROUP), 1u << BIT, "the cause stays");
    rig_write(s.rig, ENGINE, GROUP + INT_CAUSE, 0);
    raise(&s);
    CHECK_EQ(taken(&s), 0, "masked");
    rig_write(s.rig, ENGINE, GROUP + INT_MASK_CLEAR, ~(1u << BIT));
    CHECK_EQ(taken(&s), (uint32_t)DATA, "and again");
}

static void test_msix_auto_clear(void **state)
{
    struct setup s;

    open_setup(&s, *state, AUTO_CLEAR);
    for (unsigned i = 0; i < 3; i++) {
        raise(&s);
        CHECK_EQ(taken(&s), (uint32_t)DATA, "each event sends");
        CHECK_EQ(rig_read(s.rig, ENGINE, GROUP), 0, "cleared");
        CHECK_EQ(rig_read(s.rig, ENGINE, GROUP + INT_MASK), ~(1u << BIT),
                 "not masked");
    }
}

/* A level behind the cause keeps it set, and sends no storm. */
static void test_msix_auto_clear_of_a_level(void **state)
{
    struct rig *r = *state;

    for (uint32_t edge = 0; edge < 2; edge++) {
        uint64_t at;

        rig_reset(r);
        at = rig_alloc(r, 4096);
        route(r, ENGINE, ENTRY(GROUP_A, 0), at, 7);
        rig_write(r, ENGINE, PRIMARY(GROUP_A) + INT_CONTROL,
                  AUTO_CLEAR | (edge ? POSEDGE : 0));
        rig_write(r, ENGINE, PRIMARY(GROUP_A) + INT_MASK, 0);
        rig_write(r, ENGINE, GROUP + INT_MASK, 0);
        rig_write(r, ENGINE, GROUP + INT_CAUSE_SET, 1);
        CHECK_EQ(rig_word(r, at), 7, "sent");
        CHECK_EQ(rig_stats(r, ENGINE).messages, 1, "edge %u", (unsigned)edge);
        CHECK_EQ(rig_read(r, ENGINE, PRIMARY(GROUP_A)), !edge, "edge %u",
                 (unsigned)edge);
    }
}

/* MASK_MSI_X: the summary goes up, the message waits. */
static void test_msix_mask_msi_x(void **state)
{
    struct setup s;

    open_setup(&s, *state, MASK_MSI_X);
    raise(&s);
    CHECK_EQ(taken(&s), 0, "no message");
    CHECK_EQ(rig_read(s.rig, ENGINE, PRIMARY(GROUP_A) + INT_STATUS), 1, "up");
    rig_write(s.rig, ENGINE, GROUP + INT_CONTROL, 0);
    CHECK_EQ(taken(&s), (uint32_t)DATA, "set free");
}

static void test_msix_address_zero(void **state)
{
    struct setup s;
    struct trench_bus_fault fault;
    uint32_t before;

    open_setup(&s, *state, AUTO_MASK | AUTO_CLEAR);
    route(s.rig, ENGINE, ENTRY(GROUP_B, BIT), 0, DATA);
    before = rig_word(s.rig, 0);
    raise(&s);
    CHECK_EQ(rig_word(s.rig, 0), before, "address 0 is not written");
    CHECK_EQ(rig_read(s.rig, ENGINE, GROUP), 1u << BIT, "nothing went out");
    CHECK_EQ(rig_read(s.rig, ENGINE, GROUP + INT_MASK), ~(1u << BIT), "so");
    trench_bus_last_fault(s.rig->bus, &fault);
    CHECK_EQ(fault.count, 0, "no fault");
}

/* Refused by the bus: M2S cause 27, nothing acknowledged, abort if open. */
static void test_msix_refused(void **state)
{
    static const uint64_t bad[] = { UNMAPPED, UINT64_MAX - 3,
                                    HBM_BYTES - 2, /* over the end */
                                    0x1002000002 /* half a register */ };
    struct setup s;

    for (size_t i = 0; i < ARRAY_LEN(bad) * 2; i++) {
        bool open = i & 1;

        open_setup(&s, *state, AUTO_MASK | AUTO_CLEAR);
        route(s.rig, ENGINE, ENTRY(GROUP_B, BIT), bad[i / 2], DATA);
        if (open) {
            rig_write(s.rig, ENGINE, SECONDARY(GROUP_A) + INT_ABORT_MASK,
                      ~(1u << 27));
        }
        raise(&s);
        CHECK_EQ(rig_read(s.rig, ENGINE, SECONDARY(GROUP_A)), 1u << 27,
                 "case %zu", i);
        CHECK_EQ(rig_read(s.rig, ENGINE, STATE), open ? 0x2222 : 0, "case %zu",
                 i);
        CHECK_EQ(rig_read(s.rig, ENGINE, GROUP), 1u << BIT, "case %zu", i);
        CHECK_EQ(rig_stats(s.rig, ENGINE).messages, 0, "case %zu", i);
        CHECK_EQ(rig_stats(s.rig, ENGINE).errors, 1, "case %zu", i);
    }
}

/* The error's own message fails as well: that is all. */
static void test_msix_refused_reports_refused(void **state)
{
    struct rig *r = *state;

    rig_write(r, ENGINE, SECONDARY(GROUP_A) + INT_MASK, 0);
    rig_write(r, ENGINE, PRIMARY(GROUP_D) + INT_MASK, 0);
    rig_write(r, ENGINE, PRIMARY(GROUP_D) + INT_CONTROL, AUTO_CLEAR);
    route(r, ENGINE, ENTRY(GROUP_D, 8), UNMAPPED, 1);
    rig_write(r, ENGINE, SECONDARY(GROUP_A) + INT_CAUSE_SET, 1);
    CHECK_EQ(rig_read(r, ENGINE, SECONDARY(GROUP_A)), 1u << 27 | 1, "once");
    CHECK_EQ(rig_stats(r, ENGINE).errors, 1, "once");
}

/* Each packet with INT_EN sends, after its data and completion. */
static void test_msix_of_completions(void **state)
{
    struct rig *r = *state;
    struct bench b;
    uint64_t at;

    bench_open(&b, r, 16);
    at = rig_alloc(r, 4096);
    route(r, ENGINE, ENTRY(GROUP_C, QUEUE), at, 0xABCD);
    rig_write(r, ENGINE, PRIMARY(GROUP_C) + INT_CONTROL, AUTO_CLEAR);
    rig_write(r, ENGINE, PRIMARY(GROUP_C) + INT_MASK, 0);
    for (unsigned i = 0; i < 5; i++) {
        rig_rx(&b.rq, b.dst + 64 * i, 64);
        rig_tx(&b.rq, D_ONE | (i == 2 ? 0 : D_INT_EN), b.src + 64 * i, 64);
    }
    rig_bell(&b.rq, RX, 5);
    rig_bell(&b.rq, TX, 5);
    CHECK_EQ(rig_stats(r, ENGINE).messages, 4, "a message a packet");
    CHECK_EQ(rig_word(r, at), 0xABCD, "written");
    CHECK_COPY(r, b.dst, b.src, 64 * 5, "copied");
}

/* A message may ring a doorbell: one engine starts the next. */
static void test_msix_to_a_register(void **state)
{
    struct rig *r = *state;
    struct bench b;
    struct rig_queue next;

    bench_open(&b, r, 8);
    rig_queue_open(&next, r, ENGINE + 1, 0, 8);
    rig_rx(&next, b.dst + 4096, 64);
    rig_bell(&next, RX, 1);
    rig_tx(&next, D_ONE, b.dst, 64);
    route(r, ENGINE, ENTRY(GROUP_C, QUEUE),
          rig_engine_base(ENGINE + 1) + q_off(TX, 0, Q_BELL), 1);
    rig_write(r, ENGINE, PRIMARY(GROUP_C) + INT_MASK, 0);
    rig_rx(&b.rq, b.dst, 64);
    rig_bell(&b.rq, RX, 1);
    rig_tx(&b.rq, D_ONE | D_INT_EN, b.src, 64);
    rig_bell(&b.rq, TX, 1);
    CHECK_COPY(r, b.dst, b.src, 64, "first hop");
    CHECK_COPY(r, b.dst + 4096, b.src, 64, "second hop");
}

/* Two engines that interrupt each other for ever: the access ends. */
static void test_msix_ping_pong_ends(void **state)
{
    struct trench_soc_conf conf = { .budget = 1000 };
    struct trench_soc_stats stats;
    struct rig r = { 0 };

    (void)state;
    rig_open(&r, &conf);
    for (unsigned e = 0; e < 2; e++) {
        route(&r, e, ENTRY(GROUP_B, 0),
              rig_engine_base(!e) + GROUP + INT_CAUSE_SET, 1);
        rig_write(&r, e, GROUP + INT_CONTROL, AUTO_CLEAR);
        rig_write(&r, e, GROUP + INT_MASK, 0);
    }
    rig_write(&r, 0, GROUP + INT_CAUSE_SET, 1);
    trench_soc_stats(r.soc, &stats);
    CHECK_EQ(stats.budget_stops, 1, "stopped");
    CHECK_EQ(rig_stats(&r, 0).messages + rig_stats(&r, 1).messages, 1000,
             "a unit each");
    rig_write(&r, 0, GROUP + INT_MASK, 1);
    rig_write(&r, 1, GROUP + INT_MASK, 1);
    CHECK_EQ(trench_soc_run(r.soc, 0), 0, "masked: at rest");
    rig_close(&r);
}

/* What the budget leaves over goes with the next access. */
static void test_msix_more_than_the_budget(void **state)
{
    struct trench_soc_conf conf = { .budget = 5 };
    struct rig r = { 0 };
    uint64_t at;

    (void)state;
    rig_open(&r, &conf);
    at = rig_alloc(&r, 4096);
    for (unsigned bit = 0; bit < 12; bit++) {
        route(&r, ENGINE, ENTRY(GROUP_B, bit), at + 4 * bit, bit + 1);
    }
    rig_write(&r, ENGINE, GROUP + INT_MASK, 0);
    for (unsigned sent = 5; sent <= 15; sent += 5) {
        if (sent == 5) {
            rig_write(&r, ENGINE, GROUP + INT_CAUSE_SET, 0xFFF);
        } else {
            rig_read(&r, ENGINE, STATE);
        }
        CHECK_EQ(rig_stats(&r, ENGINE).messages, sent < 12 ? sent : 12, "%u",
                 sent);
    }
    for (unsigned bit = 0; bit < 12; bit++) {
        CHECK_EQ(rig_word(&r, at + 4 * bit), bit + 1, "bit %u", bit);
    }
    rig_close(&r);
}

/* The interrupt controller works on while the engine stands. */
static void test_msix_while_stopped(void **state)
{
    static const uint32_t commands[] = { CMD_DISABLE, CMD_ABORT };
    struct setup s;

    for (size_t i = 0; i < ARRAY_LEN(commands); i++) {
        open_setup(&s, *state, 0);
        rig_write(s.rig, ENGINE, CHANGE_STATE, commands[i]);
        rig_write(s.rig, ENGINE, S2M + CHANGE_STATE, commands[i]);
        raise(&s);
        CHECK_EQ(taken(&s), (uint32_t)DATA, "command %zu", i);
    }
}

/* Stepped: a message is work of the engine. */
static void test_msix_stepped(void **state)
{
    struct setup s;

    open_setup(&s, *state, 0);
    raise(&s);
    CHECK_EQ(taken(&s), 0, "posted");
    rig_write(s.rig, ENGINE, GROUP + INT_CAUSE, 0);
    CHECK_EQ(trench_soc_run(s.rig->soc, 0), 0, "acknowledged before it went");
    CHECK_EQ(taken(&s), 0, "not sent");
    raise(&s);
    CHECK_EQ(trench_soc_run(s.rig->soc, 1), 1, "one unit");
    CHECK_EQ(taken(&s), (uint32_t)DATA, "sent");
}

#define TEST(name)                                                             \
    cmocka_unit_test_setup_teardown(name, rig_setup, rig_teardown)

/* cfg_vmid_0: both bits, and the entry's own enable (common-blocks 1.1.6). */
static unsigned see_vmid(void *opaque, const struct trench_access *a)
{
    if (a->master == TRENCH_AXI_MSIX_WRITE) {
        *(struct trench_access *)opaque = *a;
    }
    return a->has_vmid && a->vmid == 0xBAD ? TRENCH_AXI_SLVERR : 0;
}

static void test_msix_vmid_cfg_vmid_0(void **state)
{
    const uint32_t target = GEN + 0x400u + 0x100u * GROUP_B + 8u * BIT + 4u;
    struct trench_access seen;
    struct setup s;

    for (uint32_t cfg = 0; cfg < 4; cfg++) {
        for (uint32_t en = 0; en < 2; en++) {
            open_setup(&s, *state, AUTO_CLEAR);
            seen = (struct trench_access){ 0 };
            trench_soc_set_access(s.rig->soc, see_vmid, &seen);
            rig_write(s.rig, ENGINE, GEN + 0x2500, cfg << 8);
            rig_write(s.rig, ENGINE, target, en << 31 | 0x1234);
            raise(&s);
            CHECK_EQ(seen.addr, s.at, "cfg=%u en=%u", cfg, en);
            CHECK_EQ(seen.has_vmid, cfg == 3 && en, "cfg=%u en=%u", cfg, en);
            CHECK_EQ(seen.vmid, cfg == 3 && en ? 0x1234 : 0, "cfg=%u", cfg);
            CHECK_EQ(taken(&s) != 0, true, "cfg=%u en=%u", cfg, en);
        }
    }
    rig_write(s.rig, ENGINE, target, 1u << 31 | 0xBAD);
    raise(&s);
    CHECK_EQ(taken(&s), 0, "refused by the id");
    CHECK_EQ(rig_read(s.rig, ENGINE, SECONDARY(GROUP_A)), 1u << 27, "cause");
    trench_soc_set_access(s.rig->soc, NULL, NULL);
}

/* Time-out of a message (udma-engine 3.2, bit 26). */
static void test_msix_timeout(void **state)
{
    const struct trench_fault fault = { .engine = ENGINE,
                                        .queue = TRENCH_FAULT_ANY,
                                        .at = TRENCH_AXI_MSIX_WRITE,
                                        .code = TRENCH_AXI_TIMEOUT,
                                        .times = 1 };
    struct setup s;

    open_setup(&s, *state, AUTO_CLEAR);
    CHECK_EQ(trench_soc_inject(s.rig->soc, &fault), 0, "inject");
    raise(&s);
    CHECK_EQ(rig_read(s.rig, ENGINE, SECONDARY(GROUP_A)), 1u << 26, "cause");
    CHECK_EQ(taken(&s), 0, "lost");
    trench_soc_clear_faults(s.rig->soc);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_msix_every_entry),
        TEST(test_msix_once_a_cause),
        TEST(test_msix_auto_mask),
        TEST(test_msix_auto_clear),
        TEST(test_msix_auto_clear_of_a_level),
        TEST(test_msix_mask_msi_x),
        TEST(test_msix_address_zero),
        TEST(test_msix_refused),
        TEST(test_msix_refused_reports_refused),
        TEST(test_msix_of_completions),
        TEST(test_msix_to_a_register),
        cmocka_unit_test(test_msix_ping_pong_ends),
        cmocka_unit_test(test_msix_more_than_the_budget),
        TEST(test_msix_while_stopped),
        cmocka_unit_test_setup_teardown(test_msix_stepped, rig_setup_stepped,
                                        rig_teardown),
        TEST(test_msix_vmid_cfg_vmid_0),
        TEST(test_msix_timeout),
    };

    return cmocka_run_group_tests_name("msix", tests, NULL, NULL);
}
