/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The packet scheduler: who goes next. udma-engine B28, M2S_dwrr and the
 * dwrr_* registers of a queue; common-blocks 4.3; hardware.md H7, H12.
 */
#include <trench/soc.h>

#include "check.h"
#include "rig.h"

#define NR_QUEUES 16u
#define RING      128u

/* M2S_dwrr.cfg_sched */
#define EN_DWRR   1u
#define BY_PACKET (1u << 4)
#define FACTOR(n) ((uint32_t)(n) << 16)
#define CEILING   0xFFFFFFu
#define STRICT    (1u << 24)
#define PAUSE     (1u << 25)

/* A stepped chip, and who was served how often. */
struct race {
    struct rig *rig;
    struct rig_queue rq[NR_QUEUES];
    uint32_t served[NR_QUEUES];
    uint64_t buf;
};

static void race_open(struct race *race, struct rig *r)
{
    rig_reset(r);
    *race = (struct race){ .rig = r };
    race->buf = rig_alloc(r, 0x40000);
    for (unsigned q = 0; q < NR_QUEUES; q++) {
        rig_queue_open(&race->rq[q], r, ENGINE, q, RING);
    }
}

/* nr packets of bytes each, with buffers, both doorbells rung. */
static void race_post(struct race *race, unsigned q, uint32_t nr,
                      uint32_t bytes)
{
    for (uint32_t i = 0; i < nr; i++) {
        rig_rx(&race->rq[q], race->buf + 0x10000, bytes);
        rig_tx(&race->rq[q], D_ONE, race->buf, bytes);
    }
    rig_bell(&race->rq[q], RX, nr);
    rig_bell(&race->rq[q], TX, nr);
}

/* Priorities count once pref_force_rr is 0 (udma-engine 1, 0x304). */
static void race_rules(struct race *race, uint32_t cfg_sched)
{
    rig_write(race->rig, ENGINE, M2S_PREF_CFG_2, 0x40);
    rig_write(race->rig, ENGINE, M2S_CFG_SCHED, cfg_sched);
}

static void race_weight(struct race *race, unsigned q, uint32_t weight,
                        uint32_t cfg_1)
{
    rig_q_set(&race->rq[q], TX, TXQ_DWRR_1, cfg_1);
    rig_q_set(&race->rq[q], TX, TXQ_DWRR_3, weight);
}

/* Run one packet; whose was it? NR_QUEUES when nothing is left. */
static unsigned race_step(struct race *race)
{
    unsigned who = NR_QUEUES;

    if (trench_soc_run(race->rig->soc, 1) == 0) {
        return NR_QUEUES;
    }
    for (unsigned q = 0; q < NR_QUEUES; q++) {
        uint32_t now = rig_q(&race->rq[q], TX, TXQ_TX_PKT);

        if (now != race->served[q]) {
            CHECK_EQ(who, NR_QUEUES, "two at once, q%u", q);
            CHECK_EQ(now, race->served[q] + 1, "two at once, q%u", q);
            race->served[q] = now;
            who = q;
        }
    }
    return who;
}

/* A sequence of queues, "0112222" and so on. */
static void check_order(struct race *race, const char *want, const char *what)
{
    for (size_t i = 0; want[i]; i++) {
        unsigned q = race_step(race);
        unsigned next =
            (unsigned)strtoul((const char[]){ want[i], '\0' }, NULL, 16);

        CHECK_EQ(q, next, "%s: packet %zu of \"%s\"", what, i, want);
    }
}

/* ---- round robin ----------------------------------------------------------
 */

static const unsigned some[] = { 0, 3, 4, 9, 15 };

/* In turn, from whichever the turn starts at. */
static void check_round_robin(struct race *race, unsigned rounds,
                              const char *what)
{
    unsigned at = 0;
    unsigned first = race_step(race);

    while (at < ARRAY_LEN(some) && some[at] != first) {
        at++;
    }
    CHECK_EQ(at < ARRAY_LEN(some), true, "%s: first is %u", what, first);
    for (unsigned i = 1; i < rounds * ARRAY_LEN(some); i++) {
        at = (at + 1) % ARRAY_LEN(some);
        CHECK_EQ(race_step(race), some[at], "%s: packet %u", what, i);
    }
    CHECK_EQ(race_step(race), NR_QUEUES, "%s: all done", what);
}

/* At reset: round robin by packet, whatever the sizes. */
static void test_sched_round_robin(void **state)
{
    struct race race;

    race_open(&race, *state);
    for (size_t i = 0; i < ARRAY_LEN(some); i++) {
        race_post(&race, some[i], 10, 1 + 1000 * (uint32_t)i);
    }
    check_round_robin(&race, 10, "reset");
}

/* pref_force_rr 1 overrides classes and weights. */
static void test_sched_forced_round_robin(void **state)
{
    struct race race;

    race_open(&race, *state);
    rig_write(race.rig, ENGINE, M2S_CFG_SCHED, EN_DWRR | FACTOR(7));
    for (size_t i = 0; i < ARRAY_LEN(some); i++) {
        rig_q_set(&race.rq[some[i]], TX, TXQ_DWRR_2, (uint32_t)i);
        race_weight(&race, some[i], 1 + (uint32_t)i, CEILING);
        race_post(&race, some[i], 10, 64);
    }
    check_round_robin(&race, 10, "forced");
}

/* One class, DWRR off. */
static void test_sched_round_robin_inside_a_class(void **state)
{
    struct race race;

    race_open(&race, *state);
    race_rules(&race, FACTOR(7));
    for (size_t i = 0; i < ARRAY_LEN(some); i++) {
        rig_q_set(&race.rq[some[i]], TX, TXQ_DWRR_2, 6);
        race_post(&race, some[i], 10, 64);
    }
    check_round_robin(&race, 10, "one class");
}

/* A queue joins the turn when its work comes. */
static void test_sched_round_robin_with_a_late_queue(void **state)
{
    struct race race;

    race_open(&race, *state);
    race_post(&race, 2, 10, 64);
    race_post(&race, 7, 10, 64);
    check_order(&race, "2727", "two");
    race_post(&race, 4, 3, 64);
    check_order(&race, "247247247", "three");
    check_order(&race, "272727", "two again");
}

/* H12: a queue that found nothing to do has not had its turn. */
static void test_sched_only_a_packet_takes_the_turn(void **state)
{
    struct race race;

    race_open(&race, *state);
    race_post(&race, 5, 1, 64);
    check_order(&race, "5", "first");
    rig_q_set(&race.rq[9], TX, Q_CFG, Q_CFG_ENABLED); /* wakes it */
    CHECK_EQ(race_step(&race), NR_QUEUES, "for nothing");
    race_post(&race, 12, 1, 64);
    race_post(&race, 7, 1, 64);
    check_order(&race, "7c", "after 5, not after 9");
}

/* ... but one that moved a part of a packet has. */
static void test_sched_a_part_takes_the_turn(void **state)
{
    struct race race;

    race_open(&race, *state);
    race_post(&race, 1, 1, 64);
    check_order(&race, "1", "first");
    rig_rx(&race.rq[5], race.buf, 64);
    rig_tx(&race.rq[5], D_ONE, race.buf, 128);
    rig_bell(&race.rq[5], RX, 1);
    rig_bell(&race.rq[5], TX, 1);
    trench_soc_run(race.rig->soc, 0);
    CHECK_PTR(&race.rq[5], RX, Q_CUR, 1, 1, "half of it is delivered");
    race_post(&race, 3, 1, 64);
    race_post(&race, 7, 1, 64);
    check_order(&race, "73", "after 5");
}

/* ---- classes
 * ----------------------------------------------------------------- */

/* Strict: a class is served while a higher one has nothing. */
static void test_sched_strict_priority(void **state)
{
    struct race race;

    race_open(&race, *state);
    race_rules(&race, 0);
    rig_q_set(&race.rq[1], TX, TXQ_DWRR_2, 3);
    rig_q_set(&race.rq[2], TX, TXQ_DWRR_2, 15);
    rig_q_set(&race.rq[8], TX, TXQ_DWRR_2, 0);
    rig_q_set(&race.rq[9], TX, TXQ_DWRR_2, 3);
    for (unsigned i = 0; i < 4; i++) {
        race_post(&race, (const unsigned[]){ 8, 1, 9, 2 }[i], 3, 64);
    }
    check_order(&race, "222", "class 15");
    for (unsigned i = 0; i < 6; i++) {
        unsigned q = race_step(&race);

        CHECK_EQ(q == 1 || q == 9, true, "class 3: %u", q);
    }
    check_order(&race, "8", "class 0");
    race_post(&race, 2, 1, 64);
    check_order(&race, "288", "the higher class cuts in");
}

/* "Only log2(#queues) bits used": the low 4 of 8. */
static void test_sched_class_has_four_bits(void **state)
{
    struct race race;

    race_open(&race, *state);
    race_rules(&race, 0);
    rig_q_set(&race.rq[1], TX, TXQ_DWRR_2, 0xF1); /* 1 */
    rig_q_set(&race.rq[2], TX, TXQ_DWRR_2, 0x02); /* 2 */
    rig_q_set(&race.rq[3], TX, TXQ_DWRR_2, 0x30); /* 0 */
    for (unsigned q = 1; q < 4; q++) {
        race_post(&race, q, 2, 64);
    }
    check_order(&race, "221133", "low bits");
    CHECK_EQ(rig_q(&race.rq[1], TX, TXQ_DWRR_2), 0xF1, "stored as written");
}

/* H7: a higher class that waits for a buffer does not block. */
static void test_sched_waiting_class_does_not_block(void **state)
{
    struct race race;

    race_open(&race, *state);
    race_rules(&race, 0);
    rig_q_set(&race.rq[2], TX, TXQ_DWRR_2, 15);
    rig_tx(&race.rq[2], D_ONE, race.buf, 64);
    rig_bell(&race.rq[2], TX, 1);
    race_post(&race, 3, 3, 64);
    check_order(&race, "33", "the lower class");
    rig_rx(&race.rq[2], race.buf, 64);
    rig_bell(&race.rq[2], RX, 1);
    check_order(&race, "23", "the buffer has come");
}

/* ---- weights
 * ------------------------------------------------------------------- */

/* By packet, quantum = weight: 1, 2 and 4 packets a visit. */
static void test_sched_dwrr_by_packet(void **state)
{
    struct race race;

    race_open(&race, *state);
    race_rules(&race, EN_DWRR | BY_PACKET | FACTOR(0));
    for (unsigned i = 0; i < 3; i++) {
        race_weight(&race, 5 + i, 1u << i, CEILING);
        race_post(&race, 5 + i, 10u << i, 64 + 1000 * (2 - i));
    }
    for (unsigned round = 0; round < 10; round++) {
        check_order(&race, "5667777", "1:2:4");
    }
    CHECK_EQ(race_step(&race), NR_QUEUES, "all done");
}

/* By byte: |served/weight| differs by a visit either way and one debt. */
static void test_sched_dwrr_by_byte(void **state)
{
    static const uint32_t weights[] = { 1, 2, 4 };
    uint64_t bytes[3] = { 0 };
    uint64_t quantum = 128; /* 1 << 7 */
    uint32_t size = 700;
    struct race race;

    race_open(&race, *state);
    race_rules(&race, EN_DWRR | FACTOR(7));
    for (unsigned i = 0; i < 3; i++) {
        race_weight(&race, i, weights[i], CEILING);
        race_post(&race, i, 100, size);
    }
    for (unsigned n = 0; n < 170; n++) {
        unsigned who = race_step(&race);

        CHECK_EQ(who < 3, true, "packet %u", n);
        bytes[who] += size;
        for (unsigned i = 0; i < 9; i++) {
            uint64_t a = bytes[i / 3] / weights[i / 3];
            uint64_t b = bytes[i % 3] / weights[i % 3];

            CHECK_EQ(a <= b + 2 * quantum + size / weights[i / 3], true,
                     "packet %u: q%u has %llu, q%u has %llu a weight", n, i / 3,
                     ULL(a), i % 3, ULL(b));
        }
    }
    CHECK_EQ(bytes[2] > bytes[1] && bytes[1] > bytes[0], true, "shares");
}

/* Equal weights share bytes, not packets. */
static void test_sched_dwrr_evens_out_sizes(void **state)
{
    uint64_t bytes[2] = { 0 };
    struct race race;

    race_open(&race, *state);
    race_rules(&race, EN_DWRR | FACTOR(7));
    race_weight(&race, 0, 1, CEILING);
    race_weight(&race, 1, 1, CEILING);
    race_post(&race, 0, 12, 1000);
    race_post(&race, 1, 120, 100);
    for (unsigned n = 0; n < 110; n++) {
        unsigned who = race_step(&race);

        bytes[who] += who == 0 ? 1000 : 100;
        CHECK_EQ(bytes[0] <= bytes[1] + 2 * 128 + 1000, true, "packet %u", n);
        CHECK_EQ(bytes[1] <= bytes[0] + 2 * 128 + 100, true, "packet %u", n);
    }
}

/* cfg.pkt_len_offset is part of the length that counts. */
static void test_sched_dwrr_charges_the_length_offset(void **state)
{
    struct race race;

    race_open(&race, *state);
    race_rules(&race, EN_DWRR | FACTOR(7));
    race_weight(&race, 0, 1, CEILING);
    race_weight(&race, 1, 1, CEILING);
    rig_q_set(&race.rq[1], TX, Q_CFG, Q_CFG_ENABLED | 128);
    race_post(&race, 0, 64, 128);
    race_post(&race, 1, 64, 128);
    for (unsigned n = 0; n < 60; n++) {
        race_step(&race);
    }
    /* 128 to 256 a packet: two to one, give or take two visits. */
    CHECK_EQ(race.served[0] >= 38 && race.served[0] <= 42, true, "q0: %u",
             race.served[0]);
}

/* H12: credit is capped; 1000 bytes are two packets of 500. */
static void test_sched_dwrr_ceiling(void **state)
{
    struct race race;

    race_open(&race, *state);
    race_rules(&race, EN_DWRR | FACTOR(2));
    race_weight(&race, 0, 255, 1000);    /* earns 1020 */
    race_weight(&race, 1, 125, CEILING); /* earns 500 */
    race_post(&race, 0, 20, 500);
    race_post(&race, 1, 10, 500);
    for (unsigned round = 0; round < 9; round++) {
        check_order(&race, "001", "ceiling");
    }
}

/* Nobody can earn: round robin (H12). By weight 0, ceiling 0, or pause. */
static void test_sched_dwrr_without_credit(void **state)
{
    static const struct {
        uint32_t weight;
        uint32_t cfg_1;
    } rows[] = { { 0, CEILING }, { 7, 0 }, { 7, CEILING | PAUSE }, { 0, 0 } };
    struct race race;

    for (size_t n = 0; n < ARRAY_LEN(rows); n++) {
        race_open(&race, *state);
        race_rules(&race, EN_DWRR | FACTOR(7));
        for (size_t i = 0; i < ARRAY_LEN(some); i++) {
            race_weight(&race, some[i], rows[n].weight, rows[n].cfg_1);
            race_post(&race, some[i], 10, 64);
        }
        check_round_robin(&race, 10, "nobody can earn");
    }
}

/* A queue that cannot earn waits while another can. */
static void test_sched_dwrr_without_credit_beside_others(void **state)
{
    static const struct {
        uint32_t weight;
        uint32_t cfg_1;
    } rows[] = { { 0, CEILING }, { 7, 0 }, { 7, CEILING | PAUSE } };
    struct race race;

    for (size_t n = 0; n < ARRAY_LEN(rows); n++) {
        race_open(&race, *state);
        race_rules(&race, EN_DWRR | FACTOR(7));
        race_weight(&race, 1, rows[n].weight, rows[n].cfg_1);
        race_weight(&race, 2, 1, CEILING);
        race_post(&race, 1, 3, 64);
        race_post(&race, 2, 5, 1000);
        check_order(&race, "22222111", "one can earn");
    }
}

/* Pause only stops growth: a queue uses up what it has. */
static void test_sched_dwrr_paused_queue_spends_credit(void **state)
{
    struct race race;

    race_open(&race, *state);
    race_rules(&race, EN_DWRR | BY_PACKET | FACTOR(0));
    race_weight(&race, 1, 1, CEILING | PAUSE);
    race_weight(&race, 2, 1, CEILING);
    rig_write(race.rig, ENGINE, M2S_DEFICIT_INIT, 2);
    race_post(&race, 1, 4, 64);
    race_post(&race, 2, 6, 64);
    check_order(&race, "1122", "two each to start with");
    check_order(&race, "222211", "then only the other earns");
}

/* strict: the queue is not held to its deficit. */
static void test_sched_dwrr_strict_queue(void **state)
{
    struct race race;

    race_open(&race, *state);
    race_rules(&race, EN_DWRR | FACTOR(7));
    race_weight(&race, 1, 1, CEILING);
    race_weight(&race, 2, 1, CEILING | STRICT);
    race_post(&race, 1, 3, 1000);
    race_post(&race, 2, 5, 1000);
    check_order(&race, "22222111", "strict");
}

/* Weights share inside a class; between classes it stays strict. */
static void test_sched_dwrr_inside_classes(void **state)
{
    struct race race;

    race_open(&race, *state);
    race_rules(&race, EN_DWRR | BY_PACKET | FACTOR(0));
    for (unsigned q = 1; q <= 4; q++) {
        race_weight(&race, q, q % 2 ? 1 : 3, CEILING);
        rig_q_set(&race.rq[q], TX, TXQ_DWRR_2, q > 2);
        race_post(&race, q, q % 2 ? 2 : 6, 64);
    }
    check_order(&race, "34443444", "class 1");
    check_order(&race, "12221222", "class 0");
}

/* Credit is earned by visits to a queue that has work, not by waiting. */
static void test_sched_dwrr_idle_queue_saves_nothing(void **state)
{
    struct race race;

    race_open(&race, *state);
    race_rules(&race, EN_DWRR | BY_PACKET | FACTOR(0));
    race_weight(&race, 1, 1, CEILING);
    race_weight(&race, 2, 1, CEILING);
    race_post(&race, 1, 60, 64);
    for (unsigned n = 0; n < 40; n++) {
        CHECK_EQ(race_step(&race), 1, "alone, packet %u", n);
    }
    race_post(&race, 2, 20, 64);
    for (unsigned n = 0; n < 10; n++) {
        unsigned a = race_step(&race);
        unsigned b = race_step(&race);

        CHECK_EQ(a + b, 3, "one each, pair %u", n);
    }
}

/* ---- the deficit's registers
 * ---------------------------------------------------- */

static uint32_t deficit(struct race *race, unsigned q)
{
    rig_write(race->rig, ENGINE, M2S_INDIRECT, q);
    return rig_read(race->rig, ENGINE, M2S_SEL_DWRR);
}

static void test_sched_deficit_registers(void **state)
{
    struct race race;

    race_open(&race, *state);
    race_rules(&race, EN_DWRR | FACTOR(5));
    rig_write(race.rig, ENGINE, M2S_DEFICIT_INIT, 0x01000123); /* 24 bits */
    for (unsigned q = 0; q < NR_QUEUES; q++) {
        CHECK_EQ(deficit(&race, q), 0x123, "init loads q%u", q);
    }
    rig_q_set(&race.rq[3], TX, TXQ_DWRR_SW, 0);
    CHECK_EQ(deficit(&race, 3), 0x123, "no command");
    rig_q_set(&race.rq[3], TX, TXQ_DWRR_SW, 1);
    for (unsigned q = 0; q < NR_QUEUES; q++) {
        CHECK_EQ(deficit(&race, q), q == 3 ? 0 : 0x123, "rst_cnt, q%u", q);
    }
    /* weight << inc_factor a visit, less what was sent */
    race_weight(&race, 3, 3, CEILING);
    race_post(&race, 3, 2, 40);
    race_step(&race);
    CHECK_EQ(deficit(&race, 3), 3 * 32 - 40, "one packet");
    race_step(&race);
    CHECK_EQ(deficit(&race, 3), 3 * 32 - 80, "two packets");
    /* Nobody earns before it is visited. */
    rig_write(race.rig, ENGINE, M2S_DEFICIT_INIT, 0);
    race_weight(&race, 4, 3, CEILING);
    race_post(&race, 3, 1, 40);
    race_post(&race, 4, 1, 40);
    CHECK_EQ(deficit(&race, race_step(&race) == 3 ? 4 : 3), 0, "not yet");
}

/* A packet is charged as a whole, also when it waited in between. */
static void test_sched_dwrr_charges_a_packet_that_waited(void **state)
{
    for (unsigned parts = 1; parts <= 8; parts *= 2) {
        struct race race;

        race_open(&race, *state);
        race_rules(&race, EN_DWRR);
        rig_write(race.rig, ENGINE, M2S_DEFICIT_INIT, 0xFFFFFF);
        rig_tx(&race.rq[3], D_ONE, race.buf, 0x8000);
        rig_bell(&race.rq[3], TX, 1);
        for (unsigned i = 0; i < parts; i++) {
            trench_soc_run(race.rig->soc, 0); /* out of buffers */
            CHECK_EQ(deficit(&race, 3), 0xFFFFFF, "%u parts, part %u", parts,
                     i);
            rig_rx(&race.rq[3], race.buf, 0x8000 / parts);
            rig_bell(&race.rq[3], RX, 1);
        }
        trench_soc_run(race.rig->soc, 0);
        CHECK_EQ(rig_q(&race.rq[3], TX, TXQ_TX_PKT), 1, "%u parts", parts);
        CHECK_EQ(deficit(&race, 3), 0xFFFFFF - 0x8000, "%u parts", parts);
    }
}

#define TEST(name)                                                             \
    cmocka_unit_test_setup_teardown(name, rig_setup_stepped, rig_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_sched_round_robin),
        TEST(test_sched_forced_round_robin),
        TEST(test_sched_round_robin_inside_a_class),
        TEST(test_sched_round_robin_with_a_late_queue),
        TEST(test_sched_only_a_packet_takes_the_turn),
        TEST(test_sched_a_part_takes_the_turn),
        TEST(test_sched_strict_priority),
        TEST(test_sched_class_has_four_bits),
        TEST(test_sched_waiting_class_does_not_block),
        TEST(test_sched_dwrr_by_packet),
        TEST(test_sched_dwrr_by_byte),
        TEST(test_sched_dwrr_evens_out_sizes),
        TEST(test_sched_dwrr_charges_the_length_offset),
        TEST(test_sched_dwrr_ceiling),
        TEST(test_sched_dwrr_without_credit),
        TEST(test_sched_dwrr_without_credit_beside_others),
        TEST(test_sched_dwrr_paused_queue_spends_credit),
        TEST(test_sched_dwrr_strict_queue),
        TEST(test_sched_dwrr_inside_classes),
        TEST(test_sched_dwrr_idle_queue_saves_nothing),
        TEST(test_sched_deficit_registers),
        TEST(test_sched_dwrr_charges_a_packet_that_waited),
    };

    return cmocka_run_group_tests_name("sched", tests, NULL, NULL);
}
