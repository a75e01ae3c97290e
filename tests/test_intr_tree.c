/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How interrupts go from group to group, to trigger vectors and to the host:
 * common-blocks 1.1.4; address-map 6.3; udma-engine 3.1; hardware.md H82, H87,
 * H88.
 */
#include <trench/soc.h>

#include "check.h"
#include "rig.h"

#define AXI_GROUP(g, n) (GEN + 0x2D00u + 0x100u * (g) + 0x40u * (n))

static void rig_open_all(struct rig *r, unsigned engine)
{
    for (uint32_t n = 0; n < 4; n++) {
        rig_write(r, engine, PRIMARY(n) + INT_MASK, 0);
        rig_write(r, engine, SECONDARY(n) + INT_MASK, 0);
    }
    for (uint32_t g = 0; g < 7; g++) {
        for (uint32_t n = 0; n < 4; n++) {
            rig_write(r, engine, AXI_GROUP(g, n) + INT_MASK, 0);
        }
    }
}

static struct trench_soc_intr pending(struct rig *r, unsigned engine)
{
    struct trench_soc_intr set;

    CHECK_EQ(trench_soc_intr_pending(r->soc, engine, &set) >= 0, true, "set");
    return set;
}

static bool has(const struct trench_soc_intr *set, unsigned vector)
{
    return set->bits[vector / 64] >> vector % 64 & 1;
}

/* ---- summaries ----------------------------------------------------------- */

/* Primary B, C, D show as bits 0, 1, 2 of A. */
static void test_tree_primary_summaries(void **state)
{
    struct rig *r = *state;

    for (uint32_t n = 1; n < 4; n++) {
        rig_reset(r);
        rig_write(r, ENGINE, PRIMARY(n) + INT_CAUSE_SET, 1u << 9);
        CHECK_EQ(rig_read(r, ENGINE, PRIMARY(0) + INT_STATUS), 0, "masked");
        rig_write(r, ENGINE, PRIMARY(n) + INT_MASK_CLEAR, ~(1u << 9));
        CHECK_EQ(rig_read(r, ENGINE, PRIMARY(0) + INT_STATUS), 1u << (n - 1),
                 "group %u: level", (unsigned)n);
        CHECK_EQ(rig_read(r, ENGINE, PRIMARY(0) + INT_CAUSE), 1u << (n - 1),
                 "group %u: cause", (unsigned)n);
        rig_write(r, ENGINE, PRIMARY(n) + INT_MASK, 0xFFFFFFFF);
        CHECK_EQ(rig_read(r, ENGINE, PRIMARY(0) + INT_STATUS), 0, "masked");
        CHECK_EQ(rig_read(r, ENGINE, PRIMARY(0) + INT_CAUSE), 1u << (n - 1),
                 "group %u: latched", (unsigned)n);
    }
}

/* Secondary A..D: bits 8 to 11 of primary D. */
static void test_tree_secondary_summaries(void **state)
{
    struct rig *r = *state;

    for (uint32_t n = 0; n < 4; n++) {
        rig_reset(r);
        rig_write(r, ENGINE, SECONDARY(n) + INT_MASK, 0);
        CHECK_EQ(rig_read(r, ENGINE, PRIMARY(GROUP_D) + INT_CAUSE), 0, "none");
        rig_write(r, ENGINE, SECONDARY(n) + INT_CAUSE_SET, 2);
        CHECK_EQ(rig_read(r, ENGINE, PRIMARY(GROUP_D) + INT_STATUS),
                 0x100u << n, "group %u", (unsigned)n);
        CHECK_EQ(rig_read(r, ENGINE, PRIMARY(GROUP_D) + INT_CAUSE), 0x100u << n,
                 "group %u", (unsigned)n);
        rig_write(r, ENGINE, SECONDARY(n) + INT_CAUSE, ~2u);
        CHECK_EQ(rig_read(r, ENGINE, PRIMARY(GROUP_D) + INT_STATUS), 0,
                 "group %u", (unsigned)n);
        CHECK_EQ(rig_read(r, ENGINE, PRIMARY(GROUP_D) + INT_CAUSE), 0x100u << n,
                 "group %u: latched", (unsigned)n);
    }
}

/* All four groups of an AXI generator make its bit of secondary D. */
static void test_tree_axi_summaries(void **state)
{
    struct rig *r = *state;

    for (uint32_t g = 0; g < 7; g++) {
        for (uint32_t n = 0; n < 4; n++) {
            rig_reset(r);
            rig_open_all(r, ENGINE);
            rig_write(r, ENGINE, AXI_GROUP(g, n) + INT_CAUSE_SET, 1u << 31);
            CHECK_EQ(rig_read(r, ENGINE, SECONDARY(GROUP_D) + INT_STATUS),
                     1u << g, "g%u n%u", (unsigned)g, (unsigned)n);
            CHECK_EQ(rig_read(r, ENGINE, PRIMARY(GROUP_D) + INT_CAUSE), 0x800,
                     "g%u n%u: all the way up", (unsigned)g, (unsigned)n);
            CHECK_EQ(rig_read(r, ENGINE, PRIMARY(GROUP_A) + INT_CAUSE), 4,
                     "g%u n%u: all the way up", (unsigned)g, (unsigned)n);
            rig_write(r, ENGINE, AXI_GROUP(g, (n + 1) % 4) + INT_CAUSE_SET, 1);
            rig_write(r, ENGINE, AXI_GROUP(g, n) + INT_CAUSE, 0);
            CHECK_EQ(rig_read(r, ENGINE, SECONDARY(GROUP_D) + INT_STATUS),
                     1u << g, "g%u n%u: another holds it", (unsigned)g,
                     (unsigned)n);
            rig_write(r, ENGINE, AXI_GROUP(g, (n + 1) % 4) + INT_CAUSE, 0);
            CHECK_EQ(rig_read(r, ENGINE, SECONDARY(GROUP_D) + INT_STATUS), 0,
                     "g%u n%u: none left", (unsigned)g, (unsigned)n);
        }
    }
}

/* SET_ON_POSEDGE (3): a cause that was cleared waits for the next rise. */
static void test_tree_set_on_posedge(void **state)
{
    struct rig *r = *state;

    for (uint32_t edge = 0; edge < 2; edge++) {
        rig_reset(r);
        rig_write(r, ENGINE, PRIMARY(GROUP_D) + INT_CONTROL, edge << 3);
        rig_write(r, ENGINE, SECONDARY(GROUP_A) + INT_MASK, 0);
        rig_write(r, ENGINE, SECONDARY(GROUP_A) + INT_CAUSE_SET, 1);
        CHECK_EQ(rig_read(r, ENGINE, PRIMARY(GROUP_D)), 0x100, "rise");
        rig_write(r, ENGINE, PRIMARY(GROUP_D) + INT_CAUSE, 0);
        CHECK_EQ(rig_read(r, ENGINE, PRIMARY(GROUP_D)), edge ? 0 : 0x100,
                 "cleared at the level, edge %u", (unsigned)edge);
        rig_write(r, ENGINE, SECONDARY(GROUP_A) + INT_CAUSE_SET, 2);
        CHECK_EQ(rig_read(r, ENGINE, PRIMARY(GROUP_D)), edge ? 0 : 0x100,
                 "no rise, edge %u", (unsigned)edge);
        rig_write(r, ENGINE, SECONDARY(GROUP_A) + INT_CAUSE, 0);
        rig_write(r, ENGINE, PRIMARY(GROUP_D) + INT_CAUSE, 0);
        CHECK_EQ(rig_read(r, ENGINE, PRIMARY(GROUP_D)), 0, "fell");
        rig_write(r, ENGINE, SECONDARY(GROUP_A) + INT_CAUSE_SET, 2);
        CHECK_EQ(rig_read(r, ENGINE, PRIMARY(GROUP_D)), 0x100, "next rise");
        rig_write(r, ENGINE, PRIMARY(GROUP_D) + INT_CAUSE, 0);
        rig_write(r, ENGINE, PRIMARY(GROUP_D) + INT_CONTROL, 0);
        CHECK_EQ(rig_read(r, ENGINE, PRIMARY(GROUP_D)), 0x100,
                 "level mode looks at the level at once");
    }
}

/* CLEAR_ON_READ empties what has no level behind it. */
static void test_tree_clear_on_read(void **state)
{
    struct rig *r = *state;

    rig_write(r, ENGINE, PRIMARY(GROUP_D) + INT_CONTROL, 1);
    rig_write(r, ENGINE, SECONDARY(GROUP_A) + INT_MASK, 0);
    rig_write(r, ENGINE, SECONDARY(GROUP_A) + INT_CAUSE_SET, 1);
    rig_write(r, ENGINE, PRIMARY(GROUP_D) + INT_CAUSE_SET, 1);
    CHECK_EQ(rig_read(r, ENGINE, PRIMARY(GROUP_D)), 0x101, "both");
    CHECK_EQ(rig_read(r, ENGINE, PRIMARY(GROUP_D)), 0x100, "the level");
    /* The summary above it falls with a read. */
    rig_write(r, ENGINE, SECONDARY(GROUP_A) + INT_CONTROL, 1);
    CHECK_EQ(rig_read(r, ENGINE, SECONDARY(GROUP_A)), 1, "read");
    CHECK_EQ(rig_read(r, ENGINE, PRIMARY(GROUP_D) + INT_STATUS), 0, "fell");
}

/* The driver's masks (5.8.1): an M2S error goes up to primary D bit 8. */
static void test_tree_driver_masks(void **state)
{
    struct bench b;
    struct trench_soc_intr set;

    bench_open(&b, *state, 8);
    rig_write(b.rig, ENGINE, 0x3A028, 0x28);
    rig_write(b.rig, ENGINE, 0x380E8, 0x28);
    rig_write(b.rig, ENGINE, 0x3A018, 0xF0000000);
    rig_write(b.rig, ENGINE, 0x380D8, 0xFFFFFAFF);
    rig_rx(&b.rq, b.dst, 64);
    rig_tx(&b.rq, D_ONE, b.src, 64);
    ((uint8_t *)rig_mem(b.rig, b.rq.ring[TX].base, 4))[3] ^= 3; /* tag */
    rig_bell(&b.rq, RX, 1);
    rig_bell(&b.rq, TX, 1);
    CHECK_EQ(rig_read(b.rig, ENGINE, PRIMARY(GROUP_D)), 0x100, "summary");
    set = pending(b.rig, ENGINE);
    CHECK_EQ(has(&set, TRENCH_INTR_SECONDARY + 17), true, "ring id, sec[17]");
    CHECK_EQ(has(&set, TRENCH_INTR_GROUP), true, "main[43]");
}

/* ---- vectors ------------------------------------------------------------- */

struct place {
    uint32_t group;
    uint32_t bits;
    unsigned vector; /* of bit 0 */
};

/* address-map 6.3: main from input 9, sec from input 58. */
static const struct place places[] = {
    { PRIMARY(GROUP_A), 0x7, 9 + 0 },
    { PRIMARY(GROUP_B), 0xFFFF, 9 + 3 },
    { PRIMARY(GROUP_C), 0xFFFF, 9 + 19 },
    { PRIMARY(GROUP_D), 0x1F0F, 9 + 35 },
    { SECONDARY(GROUP_A), 0x0FFFFFFF, 58 + 0 },
    { SECONDARY(GROUP_B), 0xFFFFFFFF, 58 + 29 },
    { SECONDARY(GROUP_C), 0xFFF, 58 + 61 },
    { SECONDARY(GROUP_D), 0x7F, 58 + 73 },
};

/* The group's own vector; what its summary adds above is masked. */
static void test_tree_vectors(void **state)
{
    struct rig *r = *state;
    struct trench_soc_intr set;

    for (size_t p = 0; p < ARRAY_LEN(places); p++) {
        for (unsigned bit = 0; bit < 32; bit++) {
            bool wired = places[p].bits >> bit & 1;

            rig_reset(r);
            rig_write(r, ENGINE, places[p].group + INT_CAUSE_SET, 1u << bit);
            CHECK_EQ(trench_soc_intr_pending(r->soc, ENGINE, &set), 0,
                     "row %zu bit %u: masked", p, bit);
            rig_write(r, ENGINE, places[p].group + INT_MASK, ~(1u << bit));
            CHECK_EQ(trench_soc_intr_pending(r->soc, ENGINE, &set), wired,
                     "row %zu bit %u", p, bit);
            CHECK_EQ(!wired || has(&set, places[p].vector + bit), true,
                     "row %zu bit %u: vector %u", p, bit,
                     places[p].vector + bit);
            rig_write(r, ENGINE, places[p].group + INT_CAUSE, 0);
            CHECK_EQ(trench_soc_intr_pending(r->soc, ENGINE, &set), 0,
                     "row %zu bit %u: cleared", p, bit);
        }
    }
}

/* The names in soc.h are those places. */
static void test_tree_vector_names(void **state)
{
    (void)state;
    CHECK_EQ(TRENCH_INTR_MAIN, places[0].vector, "main");
    CHECK_EQ(TRENCH_INTR_RX, places[1].vector, "RX");
    CHECK_EQ(TRENCH_INTR_TX, places[2].vector, "TX");
    CHECK_EQ(TRENCH_INTR_MAILBOX, places[3].vector, "mailbox");
    CHECK_EQ(TRENCH_INTR_GROUP, places[3].vector + 8, "secondary");
    CHECK_EQ(TRENCH_INTR_TIMER, 9 + 47, "timer");
    CHECK_EQ(TRENCH_INTR_SECONDARY, places[4].vector, "M2S errors");
    CHECK_EQ(TRENCH_INTR_S2M_ERROR, places[5].vector, "S2M errors");
    CHECK_EQ(TRENCH_INTR_FIFO_PARITY, places[6].vector, "parity");
    CHECK_EQ(TRENCH_INTR_AXI, places[7].vector, "generators");
    CHECK_EQ(TRENCH_NR_INTRS, places[7].vector + 7, "138");
}

static void test_tree_pending_of_no_engine(void **state)
{
    struct rig *r = *state;
    struct trench_soc_intr set = { { 1, 2, 3 } };

    CHECK_EQ(trench_soc_intr_pending(r->soc, 132, &set), TRENCH_ERR_NODEV,
             "132 engines");
    CHECK_EQ(set.bits[0] == 1 && set.bits[1] == 2 && set.bits[2] == 3, true,
             "untouched");
}

/* ---- the callback -------------------------------------------------------- */

struct listener {
    struct rig *rig;
    unsigned calls;
    unsigned depth;
    struct {
        unsigned engine, vector;
    } heard[64];
    void (*answer)(struct listener *l, unsigned engine, unsigned vector);
};

static void listen(void *opaque, unsigned engine, unsigned vector)
{
    struct listener *l = opaque;

    CHECK_EQ(l->depth, 0, "calls never nest");
    l->depth++;
    if (l->calls < ARRAY_LEN(l->heard)) {
        l->heard[l->calls].engine = engine;
        l->heard[l->calls].vector = vector;
    }
    l->calls++;
    if (l->answer) {
        l->answer(l, engine, vector);
    }
    l->depth--;
}

static void listener_open(struct listener *l, struct rig *r, bool stepped,
                          uint32_t budget)
{
    struct trench_soc_conf conf = {
        .intr = listen, .intr_opaque = l, .stepped = stepped, .budget = budget
    };

    *l = (struct listener){ .rig = r };
    *r = (struct rig){ 0 };
    rig_open(r, &conf);
}

/* In the order of engines, then vectors; once a rise; none while masked. */
static void test_tree_callback(void **state)
{
    struct listener l;
    struct rig r;

    (void)state;
    listener_open(&l, &r, false, 0);
    rig_write(&r, 9, SECONDARY(GROUP_B) + INT_CAUSE_SET, 0x5);
    CHECK_EQ(l.calls, 0, "masked");
    rig_write(&r, 9, SECONDARY(GROUP_B) + INT_MASK, 0);
    CHECK_EQ(l.calls, 2, "two causes");
    CHECK_EQ(l.heard[0].engine, 9, "engine");
    CHECK_EQ(l.heard[0].vector, TRENCH_INTR_S2M_ERROR, "bit 0");
    CHECK_EQ(l.heard[1].vector, TRENCH_INTR_S2M_ERROR + 2, "bit 2");
    rig_write(&r, 9, SECONDARY(GROUP_B) + INT_CAUSE_SET, 0x7);
    CHECK_EQ(l.calls, 3, "only what is new");
    CHECK_EQ(l.heard[2].vector, TRENCH_INTR_S2M_ERROR + 1, "bit 1");
    rig_write(&r, 9, SECONDARY(GROUP_B) + INT_MASK, 1);
    rig_write(&r, 9, SECONDARY(GROUP_B) + INT_MASK, 0);
    CHECK_EQ(l.calls, 4, "unmasked again");
    rig_close(&r);
}

/* A completion is told after it has landed. */
static void look_at_copy(struct listener *l, unsigned engine, unsigned vector)
{
    CHECK_EQ(engine, ENGINE, "engine");
    CHECK_EQ(vector, TRENCH_INTR_TX + QUEUE, "vector");
    CHECK_EQ(rig_read(l->rig, ENGINE, STATE), 0, "at rest");
    CHECK_EQ(rig_read(l->rig, ENGINE, PRIMARY(GROUP_C)), 1u << QUEUE, "cause");
    rig_write(l->rig, ENGINE, PRIMARY(GROUP_C) + INT_CAUSE, 0);
}

static void test_tree_callback_of_a_completion(void **state)
{
    struct listener l;
    struct rig r;
    struct bench b;

    (void)state;
    listener_open(&l, &r, false, 0);
    bench_open(&b, &r, 8);
    l.answer = look_at_copy;
    rig_write(&r, ENGINE, PRIMARY(GROUP_C) + INT_MASK, 0);
    for (unsigned i = 1; i <= 5; i++) {
        rig_rx(&b.rq, b.dst, 64);
        rig_bell(&b.rq, RX, 1);
        rig_tx(&b.rq, D_ONE | D_INT_EN, b.src, 64);
        rig_bell(&b.rq, TX, 1);
        CHECK_EQ(l.calls, i, "packet %u", i);
    }
    rig_close(&r);
}

/* Software that answers each interrupt with the next: the callback copies. */
static void copy_again(struct listener *l, unsigned engine, unsigned vector)
{
    (void)vector;
    rig_write(l->rig, engine, PRIMARY(GROUP_D) + INT_CAUSE, 0);
    if (l->calls < 10) {
        /* Mailbox 0 of the peer interrupts this engine. */
        rig_write(l->rig, engine ^ 1, GEN + 0x2200, 1);
    }
}

static void test_tree_callback_uses_the_bus(void **state)
{
    struct listener l;
    struct rig r;

    (void)state;
    listener_open(&l, &r, false, 0);
    l.answer = copy_again;
    rig_write(&r, 4, PRIMARY(GROUP_D) + INT_MASK, 0);
    rig_write(&r, 5, GEN + 0x2200, 1);
    CHECK_EQ(l.calls, 10, "one after the other");
    rig_close(&r);
}

/* ... and never stops: the budget ends the access, the next goes on. */
static void copy_for_ever(struct listener *l, unsigned engine, unsigned vector)
{
    (void)vector;
    rig_write(l->rig, engine, PRIMARY(GROUP_D) + INT_CAUSE, 0);
    rig_write(l->rig, engine ^ 1, GEN + 0x2200, 1);
}

static void test_tree_callback_storm_ends(void **state)
{
    struct listener l;
    struct rig r;

    (void)state;
    listener_open(&l, &r, false, 50);
    l.answer = copy_for_ever;
    rig_write(&r, 4, PRIMARY(GROUP_D) + INT_MASK, 0);
    rig_write(&r, 5, GEN + 0x2200, 1);
    CHECK_EQ(l.calls, 50, "the budget");
    rig_read(&r, 4, STATE);
    CHECK_EQ(l.calls, 100, "the next access");
    rig_close(&r);
}

static void reset_all(struct listener *l, unsigned engine, unsigned vector)
{
    (void)engine;
    (void)vector;
    trench_soc_reset(l->rig->soc);
}

/* A reset from the callback forgets what was to be told. */
static void test_tree_callback_resets(void **state)
{
    struct listener l;
    struct rig r;

    (void)state;
    listener_open(&l, &r, false, 0);
    l.answer = reset_all;
    rig_write(&r, 4, SECONDARY(GROUP_A) + INT_MASK, 0);
    rig_write(&r, 4, SECONDARY(GROUP_A) + INT_CAUSE_SET, 0xFF);
    CHECK_EQ(l.calls, 1, "the rest is gone");
    CHECK_EQ(rig_read(&r, 4, SECONDARY(GROUP_A)), 0, "power-on");
    rig_close(&r);
}

/* Stepped mode: what a register write raises itself is told by it, what the
 * engine raises by trench_soc_run(); the timer by trench_soc_advance(). */
static void test_tree_callback_stepped(void **state)
{
    struct listener l;
    struct rig r;
    struct bench b;

    (void)state;
    listener_open(&l, &r, true, 0);
    bench_open(&b, &r, 8);
    rig_open_all(&r, ENGINE);
    rig_write(&r, ENGINE, PRIMARY(GROUP_B) + INT_MASK, 0xFFFFFFFF);
    rig_write(&r, ENGINE, PRIMARY(GROUP_A) + INT_MASK, 0xFFFFFFFF);
    rig_rx(&b.rq, b.dst, 64);
    rig_tx(&b.rq, D_ONE | D_INT_EN, b.src, 64);
    rig_bell(&b.rq, RX, 1);
    rig_bell(&b.rq, TX, 1);
    CHECK_EQ(l.calls, 0, "posted");
    trench_soc_run(r.soc, 0);
    CHECK_EQ(l.calls, 1, "run");
    CHECK_EQ(l.heard[0].vector, TRENCH_INTR_TX + QUEUE, "completion");
    rig_write(&r, ENGINE, GEN + 0x2118, 10);
    trench_soc_advance(r.soc, 10);
    CHECK_EQ(l.calls, 2, "advance");
    CHECK_EQ(l.heard[1].vector, TRENCH_INTR_TIMER, "timer");
    rig_close(&r);
}

/* H57: a cause with an open log mask is a line of the log. */
static void count_lines(void *opaque, enum trench_log_level level,
                        const char *line)
{
    unsigned *lines = opaque;

    CHECK_EQ(level, TRENCH_LOG_INFO, "%s", line);
    CHECK_EQ(strstr(line, "0x2000 group B") && strstr(line, "0x20"), true, "%s",
             line);
    ++*lines;
}

static void test_tree_log_mask(void **state)
{
    unsigned lines = 0;
    struct trench_soc_conf conf = { .log = count_lines, .log_opaque = &lines };
    struct rig r = { 0 };

    (void)state;
    rig_open(&r, &conf);
    rig_write(&r, 0, SECONDARY(GROUP_B) + INT_CAUSE_SET, 0x20);
    CHECK_EQ(lines, 0, "shut at power-on");
    rig_write(&r, 0, SECONDARY(GROUP_B) + INT_LOG_MASK, ~0x20u);
    rig_write(&r, 0, SECONDARY(GROUP_B) + INT_CAUSE_SET, 0x21);
    CHECK_EQ(lines, 1, "one bit is open");
    rig_close(&r);
}

#define TEST(name)                                                             \
    cmocka_unit_test_setup_teardown(name, rig_setup, rig_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_tree_primary_summaries),
        TEST(test_tree_secondary_summaries),
        TEST(test_tree_axi_summaries),
        TEST(test_tree_set_on_posedge),
        TEST(test_tree_clear_on_read),
        TEST(test_tree_driver_masks),
        TEST(test_tree_vectors),
        cmocka_unit_test(test_tree_vector_names),
        TEST(test_tree_pending_of_no_engine),
        cmocka_unit_test(test_tree_callback),
        cmocka_unit_test(test_tree_callback_of_a_completion),
        cmocka_unit_test(test_tree_callback_uses_the_bus),
        cmocka_unit_test(test_tree_callback_storm_ends),
        cmocka_unit_test(test_tree_callback_resets),
        cmocka_unit_test(test_tree_callback_stepped),
        cmocka_unit_test(test_tree_log_mask),
    };

    return cmocka_run_group_tests_name("intr_tree", tests, NULL, NULL);
}
