/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Chips that reach each other by the identifier in an address: address-map
 * 3.1; hardware.md H260 to H264.
 */
#include <trench/pod.h>

#include "bus/bus_priv.h"
#include "check.h"
#include "rig.h"

/* address-map 3.1: CAYMAN_ID_VALID is bit 54, CAYMAN_ID 53:48. */
#define ON_CHIP(n, addr) ((uint64_t)(addr) | (uint64_t)(n) << 48 | 1ULL << 54)

#define BCAST_0 UINT64_C(0x1002080000)
/* Of core 0: a value is at +0x1000, INC at +0x1800. */
#define SEMAPHORES UINT64_C(0x2802700000)

#define MAX_CHIPS 6

/* A pod, and each chip as the other tests see one. */
struct pod_rig {
    struct trench_pod *pod;
    struct rig chip[MAX_CHIPS];
};

static void pod_open(struct pod_rig *p, const struct trench_pod_conf *conf)
{
    CHECK_EQ(trench_pod_create(conf, &p->pod), 0, "create");
    for (unsigned n = 0; n < conf->nr_chips; n++) {
        struct trench_soc *soc = trench_pod_soc(p->pod, n);

        p->chip[n] = (struct rig){
            .soc = soc,
            .bus = trench_soc_bus(soc),
            .next = 0x10000000,
        };
    }
}

static void open_chips(struct pod_rig *p, unsigned nr_chips)
{
    pod_open(p, &(struct trench_pod_conf){ .nr_chips = nr_chips });
}

static void pod_close(struct pod_rig *p)
{
    trench_pod_destroy(p->pod);
}

static struct trench_bus_fault last_fault(struct rig *r)
{
    struct trench_bus_fault fault;

    trench_bus_last_fault(r->bus, &fault);
    return fault;
}

static uint64_t budget_stops(struct rig *r)
{
    struct trench_soc_stats stats;

    trench_soc_stats(r->soc, &stats);
    return stats.budget_stops;
}

static uint64_t bell_addr(unsigned chip, enum side side)
{
    return ON_CHIP(chip, rig_engine_base(ENGINE) + q_off(side, QUEUE, Q_BELL));
}

/* ---- addresses ----------------------------------------------------------- */

static void test_pod_addresses(void **state)
{
    const struct trench_gen *gen;
    uint64_t addr = 1;

    (void)state;
    for (unsigned n = 0; (gen = trench_gen_at(n)); n++) {
        if (!strcmp(gen->name, "sunda")) {
            CHECK_EQ(trench_gen_chip_addr(gen, 0, 0, &addr), TRENCH_ERR_NOTSUP,
                     "not known");
            continue;
        }
        /* The check value of address-map 3.1. */
        CHECK_EQ(
            trench_gen_chip_addr(gen, 42, UINT64_C(0x0100923456789ABC), &addr),
            0, "%s", gen->name);
        CHECK_EQ(addr, UINT64_C(0x016A923456789ABC), "%s", gen->name);
        CHECK_EQ(trench_gen_chip_addr(gen, 63, 0, &addr), 0, "the last");
        CHECK_EQ(addr, UINT64_C(0x7F000000000000), "the last");
        CHECK_EQ(trench_gen_chip_addr(gen, 64, 0, &addr), TRENCH_ERR_NODEV,
                 "one more");
        for (unsigned bit = 48; bit < 64; bit++) {
            int want = bit == 56 || bit == 57 ? 0 : TRENCH_ERR_INVAL;

            CHECK_EQ(trench_gen_chip_addr(gen, 1, UINT64_C(1) << bit, &addr),
                     want, "%s bit %u", gen->name, bit);
        }
    }
}

static void test_pod_refuses(void **state)
{
    struct trench_pod *pod = NULL;
    struct trench_pod_conf conf = { .nr_chips = 65 };

    (void)state;
    CHECK_EQ(trench_pod_create(&conf, &pod), TRENCH_ERR_INVAL, "65");
    conf.nr_chips = UINT32_MAX;
    CHECK_EQ(trench_pod_create(&conf, &pod), TRENCH_ERR_INVAL, "too many");
    conf = (struct trench_pod_conf){ .soc.intr = (trench_intr_fn)1 };
    CHECK_EQ(trench_pod_create(&conf, &pod), TRENCH_ERR_INVAL, "soc.intr");
    conf =
        (struct trench_pod_conf){ .soc.host_bytes = UINT64_MAX, .nr_chips = 3 };
    CHECK_EQ(trench_pod_create(&conf, &pod), TRENCH_ERR_INVAL, "host");
    conf = (struct trench_pod_conf){ .soc.gen = trench_gen_find("sunda"),
                                     .nr_chips = 2 };
    CHECK_EQ(trench_pod_create(&conf, &pod), TRENCH_ERR_NOTSUP, "sunda");
    CHECK_EQ(pod == NULL, true, "untouched");
    conf.nr_chips = 0;
    CHECK_EQ(trench_pod_create(&conf, &pod), 0, "one of sunda");
    CHECK_EQ(trench_pod_nr_chips(pod), 1, "one");
    CHECK_EQ(trench_pod_soc(pod, 0) != NULL, true, "it");
    CHECK_EQ(trench_pod_soc(pod, 1) == NULL, true, "no other");
    trench_pod_destroy(pod);
    trench_pod_destroy(NULL);
}

/* A chip alone has no name. */
static void test_pod_of_none(void **state)
{
    struct rig *r = *state;
    uint32_t val;

    CHECK_EQ(trench_bus_read32(r->bus, ON_CHIP(0, HBM_0), &val),
             TRENCH_ERR_FAULT, "not in a pod");
}

/* ---- memory -------------------------------------------------------------- */

static void test_pod_memory_is_the_other_chips(void **state)
{
    static const uint64_t places[] = { HBM_0,        0x4000000000,
                                       0x2000040000, 0x2802000000,
                                       HOST_MEMORY,  UINT64_C(1) << 47 };
    const uint64_t ok_to_fail = UINT64_C(1) << 57;
    struct pod_rig p;

    (void)state;
    open_chips(&p, 3);
    for (unsigned to = 0; to < 3; to++) {
        for (size_t i = 0; i < ARRAY_LEN(places); i++) {
            uint64_t at = ON_CHIP(to, places[i]);
            uint32_t word = 0x1000 * (to + 1) + (uint32_t)i;

            CHECK_EQ(trench_bus_write32(p.chip[0].bus, at, word), 0, "%zu", i);
            for (unsigned from = 0; from < 3; from++) {
                CHECK_EQ(rig_word(&p.chip[from], at), word, "from %u", from);
                CHECK_EQ(rig_word(&p.chip[from], at | ok_to_fail), word,
                         "from %u, attribute", from);
                CHECK_EQ(trench_bus_host(p.chip[from].bus, at, 64) ==
                             trench_bus_host(p.chip[to].bus, places[i], 64),
                         true, "from %u", from);
            }
            CHECK_EQ(rig_word(&p.chip[to], places[i]), word, "there");
        }
    }
    CHECK_EQ(last_fault(&p.chip[0]).count, 0, "no fault");
    pod_close(&p);
}

static void test_pod_host_memory_can_be_shared(void **state)
{
    static uint8_t host[0x1000];
    struct pod_rig p;

    (void)state;
    pod_open(&p, &(struct trench_pod_conf){ .nr_chips = 2,
                                            .soc.host = host,
                                            .soc.host_bytes = sizeof(host) });
    CHECK_EQ(trench_bus_write32(p.chip[0].bus, HOST_MEMORY, 7), 0, "write");
    CHECK_EQ(rig_word(&p.chip[1], HOST_MEMORY), 7, "the same host");
    pod_close(&p);
}

/* Rings, data and completions on whichever chip. */
static void test_pod_copies_there_and_back(void **state)
{
    static const uint32_t lens[] = { 1, 64, 4096, 65536 };
    struct pod_rig p;
    struct bench b;

    (void)state;
    open_chips(&p, MAX_CHIPS);
    for (size_t i = 0; i < ARRAY_LEN(lens); i++) {
        uint64_t far;

        bench_open(&b, &p.chip[0], 8);
        far = ON_CHIP(5, rig_alloc(&p.chip[5], BENCH_BYTES));
        rig_copy(&b.rq, far, b.src, lens[i]);
        CHECK_COPY(b.rig, far, b.src, lens[i], "there %u", lens[i]);
        rig_copy(&b.rq, b.dst, far, lens[i]);
        CHECK_COPY(b.rig, b.dst, b.src, lens[i], "back %u", lens[i]);
        rig_copy(&b.rq, ON_CHIP(2, b.dst), far, lens[i]);
        CHECK_COPY(b.rig, ON_CHIP(2, b.dst), b.src, lens[i], "to a third");
        CHECK_EQ(rig_stats(b.rig, ENGINE).errors, 0, "none");
        CHECK_EQ(rig_stats(&p.chip[5], ENGINE).packets, 0, "nobody there");
    }
    pod_close(&p);
}

static void test_pod_rings_on_another_chip(void **state)
{
    struct pod_rig p;
    struct bench b;

    (void)state;
    open_chips(&p, 2);
    bench_open(&b, &p.chip[1], 8);
    b.rq.ring[TX].base = ON_CHIP(0, 0x20000000);
    b.rq.ring[RX].base = ON_CHIP(0, 0x20001000);
    rig_queue_program(&b.rq);
    bench_completions(&b, RX);
    rig_q_set(&b.rq, RX, Q_COMP_LO, 0x20002000);
    rig_q_set(&b.rq, RX, Q_COMP_HI, (uint32_t)(ON_CHIP(0, 0) >> 32));
    bench_packet(&b, 4, 2, 4096);
    CHECK_COPY(b.rig, b.dst, b.src, 4096, "copied");
    CHECK_EQ(rig_word(&p.chip[0], 0x20002000) != 0, true, "completion");
    pod_close(&p);
}

/* ---- edges --------------------------------------------------------------- */

static void test_pod_unmapped_chip(void **state)
{
    struct trench_bus_fault fault;
    struct pod_rig p;
    struct bench b;
    uint32_t val;

    (void)state;
    open_chips(&p, 3);
    for (unsigned chip = 3; chip < 64; chip++) {
        CHECK_EQ(trench_bus_read32(p.chip[1].bus, ON_CHIP(chip, HBM_0), &val),
                 TRENCH_ERR_FAULT, "chip %u", chip);
    }
    CHECK_EQ(trench_bus_write32(p.chip[1].bus, ON_CHIP(2, UNMAPPED), 0),
             TRENCH_ERR_FAULT, "there is a hole there");
    fault = last_fault(&p.chip[1]);
    CHECK_EQ(fault.count, 62, "all");
    CHECK_EQ(fault.addr, ON_CHIP(2, UNMAPPED), "as it was given");
    CHECK_EQ(fault.dir, TRENCH_BUS_WRITE, "direction");
    CHECK_EQ(last_fault(&p.chip[0]).count, 0, "not another's");
    CHECK_EQ(last_fault(&p.chip[2]).count, 0, "nor the target's");

    bench_open(&b, &p.chip[0], 8);
    rig_copy(&b.rq, ON_CHIP(3, HBM_0), b.src, 64);
    fault = last_fault(&p.chip[0]);
    CHECK_EQ(fault.count, 1, "an engine's");
    CHECK_EQ(fault.initiator, TRENCH_BUS_ENGINE_0 + ENGINE, "whose");
    CHECK_EQ(rig_stats(&p.chip[0], ENGINE).errors > 0, true, "it knows");
    pod_close(&p);
}

/* Each byte is where its own address says (H262). */
static void test_pod_ranges_over_the_edges(void **state)
{
    const struct trench_bus_mem top = { .name = "top",
                                        .base = UINT64_C(0xFFFFFFFFF000),
                                        .size_bytes = 0x1000 };
    const uint64_t end = UINT64_C(0xFFFFFFFFFFFC); /* a word before 1 << 48 */
    const uint32_t words[2] = { 0x11111111, 0x22222222 };
    struct pod_rig p;

    (void)state;
    open_chips(&p, 2);
    for (unsigned n = 0; n < 2; n++) {
        CHECK_EQ(trench_bus_add_memory(p.chip[n].bus, &top), 0, "top %u", n);
    }
    CHECK_EQ(trench_bus_write(p.chip[1].bus, 0, ON_CHIP(0, end), words, 8), 0,
             "from chip 0 to chip 1");
    CHECK_EQ(rig_word(&p.chip[0], end), 0x11111111, "end of chip 0");
    CHECK_EQ(rig_word(&p.chip[1], HBM_0), 0x22222222, "start of chip 1");
    CHECK_EQ(trench_bus_write(p.chip[0].bus, 0, ON_CHIP(1, end), words, 8),
             TRENCH_ERR_FAULT, "behind the last");
    CHECK_EQ(rig_word(&p.chip[1], end), 0, "nothing was done");
    CHECK_EQ(trench_bus_write(p.chip[0].bus, 0, end, words, 8),
             TRENCH_ERR_FAULT, "an untagged range stays");
    CHECK_EQ(trench_bus_write(p.chip[0].bus, 0,
                              ON_CHIP(1, HBM_0 + HBM_BYTES - 4), words, 8),
             TRENCH_ERR_FAULT, "end of the HBM");
    CHECK_EQ(rig_word(&p.chip[1], HBM_0 + HBM_BYTES - 4), 0, "not done");
    CHECK_EQ(trench_bus_host(p.chip[1].bus, ON_CHIP(0, end), 8) == NULL, true,
             "not one piece");
    CHECK_EQ(
        trench_bus_write(p.chip[0].bus, 0, ON_CHIP(1, 1ULL << 55), words, 8),
        TRENCH_ERR_FAULT, "a bit above");
    pod_close(&p);
}

static void test_pod_nothing_is_mapped_behind_a_name(void **state)
{
    struct trench_bus_mem mem = { .base = ON_CHIP(0, HBM_0),
                                  .size_bytes = 0x1000 };
    struct trench_bus_region region;
    uint64_t layout;
    struct pod_rig p;

    (void)state;
    open_chips(&p, 2);
    CHECK_EQ(trench_bus_add_memory(p.chip[0].bus, &mem), TRENCH_ERR_INVAL,
             "taken");
    mem.base = ON_CHIP(0, 0) - 0xFFF;
    CHECK_EQ(trench_bus_add_memory(p.chip[0].bus, &mem), TRENCH_ERR_INVAL,
             "reaches there");
    layout = p.chip[0].bus->layout;
    mem.base = UNMAPPED;
    CHECK_EQ(trench_bus_add_memory(p.chip[1].bus, &mem), 0, "local");
    CHECK_EQ(p.chip[0].bus->layout != layout, true, "the other knows");
    CHECK_EQ(trench_bus_region_at(p.chip[0].bus, ON_CHIP(1, UNMAPPED), &region),
             0, "found");
    CHECK_EQ(region.base, ON_CHIP(1, UNMAPPED), "where it is from here");
    CHECK_EQ(
        trench_bus_region_at(p.chip[0].bus, ON_CHIP(1, UNMAPPED) - 4, &region),
        0, "the next above");
    CHECK_EQ(region.base, ON_CHIP(1, UNMAPPED), "it");
    CHECK_EQ(trench_bus_region_at(p.chip[0].bus, ON_CHIP(0, 0) - 4, &region), 0,
             "above all that is local");
    CHECK_EQ(region.base, ON_CHIP(0, HBM_0), "the first of chip 0");
    CHECK_EQ(trench_bus_region_at(p.chip[0].bus,
                                  ON_CHIP(0, 0) - 4 + (1ULL << 48), &region),
             0, "above chip 0");
    CHECK_EQ(region.base, ON_CHIP(1, HBM_0), "the first of chip 1");
    CHECK_EQ(trench_bus_region_at(p.chip[0].bus, ON_CHIP(2, 0), &region),
             TRENCH_ERR_NOENT, "no more");
    CHECK_EQ(trench_bus_region_at(p.chip[0].bus, UINT64_C(1) << 55, &region),
             TRENCH_ERR_NOENT, "above all");
    pod_close(&p);
}

/* ---- registers ------------------------------------------------------------
 */

/* Chip 0 copies a word to an address: how one chip rings another. */
static void copy_word(struct bench *b, uint64_t to, uint32_t word)
{
    CHECK_EQ(trench_bus_write32(b->rig->bus, b->src, word), 0, "word");
    rig_copy(&b->rq, to, b->src, 4);
}

static void test_pod_doorbell(void **state)
{
    struct pod_rig p;
    struct bench near, far;

    (void)state;
    open_chips(&p, 2);
    bench_open(&near, &p.chip[0], 8);
    bench_open(&far, &p.chip[1], 8);
    rig_rx(&far.rq, far.dst, 64);
    rig_tx(&far.rq, D_ONE, far.src, 64);
    copy_word(&near, bell_addr(1, RX), 1);
    CHECK_UNTOUCHED(far.rig, far.dst, 64, "half");
    copy_word(&near, bell_addr(1, TX), 1);
    CHECK_COPY(far.rig, far.dst, far.src, 64, "rung");
    CHECK_EQ(rig_stats(&p.chip[1], ENGINE).packets, 1, "one");
    CHECK_EQ(rig_stats(&p.chip[0], ENGINE).packets, 2, "two bells");
    CHECK_EQ(rig_stats(&p.chip[0], ENGINE).errors, 0, "no errors");
    pod_close(&p);
}

static void test_pod_semaphore(void **state)
{
    struct pod_rig p;
    struct bench b;

    (void)state;
    open_chips(&p, 2);
    bench_open(&b, &p.chip[0], 8);
    for (unsigned i = 0; i < 4; i++) {
        copy_word(&b, ON_CHIP(1, SEMAPHORES + 0x1800 + 4 * 9), 3);
    }
    CHECK_EQ(rig_word(&p.chip[1], SEMAPHORES + 0x1000 + 4 * 9), 12, "added");
    CHECK_EQ(rig_word(&p.chip[0], ON_CHIP(1, SEMAPHORES + 0x1000 + 4 * 9)), 12,
             "seen from afar");
    CHECK_EQ(rig_word(&p.chip[0], SEMAPHORES + 0x1000 + 4 * 9), 0,
             "not at home");
    pod_close(&p);
}

static void test_pod_broadcast(void **state)
{
    struct trench_bcast_delivery last;
    struct pod_rig p;
    struct bench b;

    (void)state;
    open_chips(&p, 2);
    bench_open(&b, &p.chip[0], 8);
    for (unsigned e = 0; e < 16; e++) {
        rig_write(&p.chip[1], e, q_off(TX, 11, Q_LEN), 100);
    }
    copy_word(&b, ON_CHIP(1, BCAST_0 + q_off(TX, 11, Q_BELL)), 0x00040007);
    for (unsigned e = 0; e < 16; e++) {
        CHECK_EQ(rig_read(&p.chip[1], e, q_off(TX, 11, Q_TAIL)),
                 PTR_RESET | (e == 2 ? 0 : 7), "engine %u", e);
    }
    CHECK_EQ(trench_soc_last_bcast(p.chip[0].soc, &last), TRENCH_ERR_NOENT,
             "none at home");
    CHECK_EQ(trench_soc_last_bcast(p.chip[1].soc, &last), 0, "one there");
    CHECK_EQ(last.addr, BCAST_0 + q_off(TX, 11, Q_BELL), "by its own address");
    pod_close(&p);
}

/* Counters are those of the bus where the access begins. */
static void test_pod_counts_where_it_begins(void **state)
{
    struct trench_bus_stats stats[2];
    uint32_t val = 0;
    struct pod_rig p;

    (void)state;
    open_chips(&p, 2);
    CHECK_EQ(trench_bus_read32(p.chip[0].bus,
                               ON_CHIP(1, rig_engine_base(0) + GEN), &val),
             0, "read");
    for (unsigned n = 0; n < 2; n++) {
        trench_bus_stats(p.chip[n].bus, &stats[n]);
    }
    CHECK_EQ(stats[0].reads, 1, "here");
    CHECK_EQ(stats[1].reads, 0, "not there");
    CHECK_EQ(trench_bus_read32(p.chip[0].bus,
                               ON_CHIP(1, rig_engine_base(0) + GEN + 2), &val),
             TRENCH_ERR_INVAL, "misaligned");
    pod_close(&p);
}

/* ---- ping-pong ------------------------------------------------------------
 */

/* How deep the stack was, at most. */
struct depth {
    uintptr_t low, high;
    unsigned seen;
};

static unsigned measure(void *opaque, const struct trench_access *access)
{
    struct depth *d = opaque;
    uintptr_t at = (uintptr_t)__builtin_frame_address(0);

    (void)access;
    d->low = d->low && d->low < at ? d->low : at;
    d->high = d->high > at ? d->high : at;
    d->seen++;
    return 0;
}

/*
 * Chip n rings chip n + 1, in a circle: each packet is a doorbell for the
 * next chip's next packet. len - 1 packets a chip.
 */
static void circle_open(struct pod_rig *p, struct bench *b, unsigned nr,
                        uint32_t len)
{
    for (unsigned n = 0; n < nr; n++) {
        bench_open(&b[n], &p->chip[n], len);
        CHECK_EQ(trench_bus_write32(p->chip[n].bus, b[n].src, 1), 0, "1");
        for (uint32_t i = 0; i + 1 < len; i++) {
            rig_rx(&b[n].rq, bell_addr((n + 1) % nr, TX), 4);
            rig_tx(&b[n].rq, D_ONE, b[n].src, 4);
        }
        rig_bell(&b[n].rq, RX, len - 1);
    }
}

static uint64_t all_packets(struct pod_rig *p, unsigned nr)
{
    uint64_t packets = 0;

    for (unsigned n = 0; n < nr; n++) {
        packets += rig_stats(&p->chip[n], ENGINE).packets;
    }
    return packets;
}

static void test_pod_ping_pong_needs_no_stack(void **state)
{
    uintptr_t alone = 0;
    struct bench b[4];
    struct pod_rig p;

    (void)state;
    for (unsigned nr = 1; nr <= 4; nr++) {
        struct depth d = { 0 };

        open_chips(&p, nr);
        circle_open(&p, b, nr, 1024);
        for (unsigned n = 0; n < nr; n++) {
            trench_soc_set_access(p.chip[n].soc, measure, &d);
        }
        rig_bell(&b[0].rq, TX, 1);
        CHECK_EQ(all_packets(&p, nr), 1023 * nr, "%u chips", nr);
        CHECK_EQ(d.seen > 1023 * nr, true, "%u chips were seen", nr);
        /* A chip that rings itself shows what the kinds of access differ. */
        alone = nr == 1 ? d.high - d.low : alone;
        CHECK_EQ(d.high - d.low <= alone + 1024, true, "%u chips: %llu bytes",
                 nr, ULL(d.high - d.low));
        for (unsigned n = 0; n < nr; n++) {
            CHECK_EQ(budget_stops(&p.chip[n]), 0, "chip %u", n);
        }
        pod_close(&p);
    }
}

/* One budget for all that an access sets off, on whichever chip. */
static void test_pod_budget(void **state)
{
    struct bench b[3];
    struct pod_rig p;
    uint64_t before;
    uint64_t stops = 0;

    (void)state;
    pod_open(&p, &(struct trench_pod_conf){ .nr_chips = 3, .soc.budget = 100 });
    circle_open(&p, b, 3, 1024);
    rig_bell(&b[0].rq, TX, 1);
    before = all_packets(&p, 3);
    CHECK_EQ(before <= 101 && before > 30, true, "%llu", ULL(before));
    for (unsigned n = 0; n < 3; n++) {
        stops += budget_stops(&p.chip[n]);
    }
    /* Who has the ball; and who threw it, when it has not looked again. */
    CHECK_EQ(stops == 1 || stops == 2, true, "%llu", ULL(stops));
    /* Any register of any chip goes on with it. */
    rig_read(&p.chip[2], 77, GEN);
    CHECK_EQ(all_packets(&p, 3) > before, true, "goes on");
    before = all_packets(&p, 3);
    CHECK_EQ(trench_pod_run(p.pod, 10) >= 10, true, "as asked");
    CHECK_EQ(all_packets(&p, 3) - before <= 10, true, "not more");
    while (trench_pod_run(p.pod, 0)) {
    }
    CHECK_EQ(all_packets(&p, 3), 3 * 1023, "to the end");
    pod_close(&p);
}

/* A chip that never ends leaves room for the others (H261). */
static void test_pod_greedy_chip(void **state)
{
    struct bench b[2];
    struct pod_rig p;

    (void)state;
    pod_open(&p, &(struct trench_pod_conf){ .nr_chips = 2, .soc.budget = 50 });
    for (unsigned n = 0; n < 2; n++) {
        bench_open(&b[n], &p.chip[n], 1024);
        for (unsigned i = 0; i < 1000; i++) {
            rig_rx(&b[n].rq, b[n].dst, 64);
            rig_tx(&b[n].rq, D_ONE, b[n].src, 64);
        }
        rig_bell(&b[n].rq, RX, 1000);
    }
    rig_bell(&b[0].rq, TX, 1000);
    rig_bell(&b[1].rq, TX, 1000);
    CHECK_EQ(rig_stats(&p.chip[1], ENGINE).packets > 0, true, "its turn");
    CHECK_EQ(rig_stats(&p.chip[0], ENGINE).packets < 1000, true, "not done");
    pod_close(&p);
}

/* The same accesses give the same order. */
static void test_pod_is_deterministic(void **state)
{
    uint64_t trace[2][3];

    (void)state;
    for (unsigned round = 0; round < 2; round++) {
        struct bench b[3];
        struct pod_rig p;

        pod_open(&p,
                 &(struct trench_pod_conf){ .nr_chips = 3, .soc.budget = 77 });
        circle_open(&p, b, 3, 512);
        for (unsigned n = 0; n < 3; n++) {
            rig_bell(&b[n].rq, TX, 5);
        }
        for (unsigned n = 0; n < 3; n++) {
            trace[round][n] = rig_stats(&p.chip[n], ENGINE).packets;
        }
        pod_close(&p);
    }
    CHECK_MEM(trace[0], trace[1], sizeof(trace[0]), "two runs");
}

/* ---- stepped, reset, time, interrupts -------------------------------------
 */

static void test_pod_stepped(void **state)
{
    struct bench near, far;
    struct pod_rig p;

    (void)state;
    pod_open(&p,
             &(struct trench_pod_conf){ .nr_chips = 2, .soc.stepped = true });
    bench_open(&near, &p.chip[0], 8);
    bench_open(&far, &p.chip[1], 8);
    rig_rx(&far.rq, far.dst, 64);
    rig_tx(&far.rq, D_ONE, far.src, 64);
    rig_bell(&far.rq, RX, 1);
    copy_word(&near, bell_addr(1, TX), 1);
    CHECK_EQ(all_packets(&p, 2), 0, "only posted");
    CHECK_EQ(trench_soc_run(p.chip[0].soc, 0) > 0, true, "chip 0");
    CHECK_EQ(rig_stats(&p.chip[0], ENGINE).packets, 1, "has rung");
    CHECK_EQ(rig_stats(&p.chip[1], ENGINE).packets, 0, "is only posted");
    trench_pod_advance(p.pod, 1000);
    CHECK_EQ(rig_stats(&p.chip[1], ENGINE).packets, 0, "time runs nothing");
    CHECK_EQ(trench_pod_run(p.pod, 0) > 0, true, "the pod");
    CHECK_COPY(far.rig, far.dst, far.src, 64, "done");
    CHECK_EQ(trench_pod_run(p.pod, 0), 0, "idle");
    CHECK_EQ(trench_soc_run(p.chip[1].soc, 0), 0, "idle");
    pod_close(&p);
}

static void test_pod_reset_of_one_chip(void **state)
{
    struct bench b[2];
    struct pod_rig p;
    uint64_t done;

    (void)state;
    pod_open(&p, &(struct trench_pod_conf){ .nr_chips = 2, .soc.budget = 99 });
    circle_open(&p, b, 2, 1024);
    rig_bell(&b[0].rq, TX, 1);
    done = rig_stats(&p.chip[0], ENGINE).packets;
    trench_soc_reset(p.chip[1].soc);
    while (trench_pod_run(p.pod, 0)) {
    }
    CHECK_EQ(rig_stats(&p.chip[1], ENGINE).packets, 0, "dropped");
    CHECK_EQ(rig_stats(&p.chip[0], ENGINE).packets - done <= 1, true,
             "nobody rings back");
    trench_pod_reset(p.pod);
    CHECK_EQ(all_packets(&p, 2), 0, "both");
    CHECK_EQ(trench_pod_run(p.pod, 0), 0, "nothing left");
    pod_close(&p);
}

/* Every hook in the middle of chip 0's run: the target is reset. */
static unsigned reset_target(void *opaque, const struct trench_access *access)
{
    struct pod_rig *p = opaque;

    if (access->master == TRENCH_AXI_S2M_DATA_WRITE) {
        trench_soc_reset(p->chip[1].soc);
        CHECK_EQ(trench_pod_run(p->pod, 0), 0, "inside a run");
        CHECK_EQ(trench_soc_run(p->chip[1].soc, 0), 0, "inside a run");
        trench_pod_advance(p->pod, 1000000);
    }
    return 0;
}

static void test_pod_reset_inside_a_run(void **state)
{
    struct bench b[2];
    struct pod_rig p;

    (void)state;
    open_chips(&p, 2);
    circle_open(&p, b, 2, 64);
    trench_soc_set_access(p.chip[0].soc, reset_target, &p);
    rig_bell(&b[0].rq, TX, 9);
    CHECK_EQ(rig_stats(&p.chip[0], ENGINE).packets, 9, "goes on");
    CHECK_EQ(rig_stats(&p.chip[1], ENGINE).packets, 0, "without a ring");
    pod_close(&p);
}

static void test_pod_has_one_time(void **state)
{
    struct pod_rig p;
    struct bench b;

    (void)state;
    open_chips(&p, 2);
    bench_open(&b, &p.chip[1], 8);
    rig_tx(&b.rq, D_ONE, b.src, 64); /* no buffer: waits 10,000 clocks */
    rig_bell(&b.rq, TX, 1);
    trench_soc_advance(p.chip[0].soc, 9999);
    CHECK_EQ(rig_stats(&p.chip[1], ENGINE).errors, 0, "9999");
    trench_pod_advance(p.pod, 1);
    CHECK_EQ(rig_stats(&p.chip[1], ENGINE).errors, 1, "10000");
    pod_close(&p);
}

/* What time lets out of one chip reaches another. */
static void test_pod_time_lets_out_to_another_chip(void **state)
{
    const uint64_t inc = ON_CHIP(1, SEMAPHORES + 0x1800);
    struct pod_rig p;
    struct bench b;

    (void)state;
    open_chips(&p, 2);
    bench_open(&b, &p.chip[0], 8);
    rig_q_set(&b.rq, TX, Q_COMP_LO, (uint32_t)inc);
    rig_q_set(&b.rq, TX, Q_COMP_HI, (uint32_t)(inc >> 32));
    rig_write(b.rig, ENGINE, M2S_COAL, 500);
    rig_write(b.rig, ENGINE, DESC_WR_CFG_1, 2u << 16 | 8);
    rig_q_set(&b.rq, TX, TXQ_COMP_CFG, 1);
    rig_copy(&b.rq, b.dst, b.src, 64);
    trench_pod_advance(p.pod, 499);
    CHECK_EQ(rig_word(&p.chip[1], SEMAPHORES + 0x1000), 0, "499");
    trench_pod_advance(p.pod, 1);
    CHECK_EQ(rig_word(&p.chip[1], SEMAPHORES + 0x1000) != 0, true, "500");
    pod_close(&p);
}

struct heard {
    struct pod_rig *p;
    unsigned nr;
    unsigned chip[8];
};

static void hear(void *opaque, unsigned chip, unsigned engine, unsigned vector)
{
    struct heard *h = opaque;

    (void)vector;
    CHECK_EQ(engine, ENGINE, "engine");
    CHECK_EQ(trench_pod_run(h->p->pod, 0), 0, "at rest");
    h->chip[h->nr++ % ARRAY_LEN(h->chip)] = chip;
    rig_write(&h->p->chip[chip], ENGINE, SECONDARY(GROUP_A) + INT_CAUSE, 0);
}

static void test_pod_interrupts_name_their_chip(void **state)
{
    const uint64_t set =
        rig_engine_base(ENGINE) + SECONDARY(GROUP_A) + INT_CAUSE_SET;
    struct pod_rig p;
    struct heard h = { .p = &p };
    struct bench b;

    (void)state;
    pod_open(&p, &(struct trench_pod_conf){
                     .nr_chips = 3, .intr = hear, .intr_opaque = &h });
    for (unsigned n = 0; n < 3; n++) {
        rig_write(&p.chip[n], ENGINE, SECONDARY(GROUP_A) + INT_MASK,
                  0xFFFFFFFB);
    }
    bench_open(&b, &p.chip[0], 8);
    for (unsigned n = 1; n < 3; n++) {
        rig_write(&p.chip[n], ENGINE, SECONDARY(GROUP_A) + INT_MASK,
                  0xFFFFFFFB);
    }
    h.nr = 0;
    copy_word(&b, ON_CHIP(2, set), 4);
    CHECK_EQ(h.nr, 1, "once");
    CHECK_EQ(h.chip[0], 2, "whose");
    CHECK_EQ(trench_bus_write32(p.chip[0].bus, ON_CHIP(1, set), 4), 0, "set");
    CHECK_EQ(h.nr, 2, "software's");
    CHECK_EQ(h.chip[1], 1, "whose");
    pod_close(&p);
}

/* ---- many -----------------------------------------------------------------
 */

static void test_pod_of_64(void **state)
{
    const struct trench_pod_conf conf = { .nr_chips = 64,
                                          .soc.host_bytes = 0x100000 };
    struct trench_pod *pod = NULL;
    struct rig r;
    struct bench b;

    (void)state;
    CHECK_EQ(trench_pod_create(&conf, &pod), 0, "create");
    r = (struct rig){ .soc = trench_pod_soc(pod, 17), .next = 0x10000000 };
    r.bus = trench_soc_bus(r.soc);
    bench_open(&b, &r, 256);
    for (unsigned n = 0; n < 64; n++) {
        rig_copy(&b.rq, ON_CHIP(n, HOST_MEMORY), b.src + 64 * n, 64);
    }
    for (unsigned n = 0; n < 64; n++) {
        CHECK_MEM(trench_bus_host(trench_soc_bus(trench_pod_soc(pod, n)),
                                  HOST_MEMORY, 64),
                  rig_mem(&r, b.src + 64 * n, 64), 64, "chip %u", n);
    }
    trench_pod_destroy(pod);
}

#define TEST(fn) cmocka_unit_test(fn)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_pod_addresses),
        TEST(test_pod_refuses),
        cmocka_unit_test_setup_teardown(test_pod_of_none, rig_setup,
                                        rig_teardown),
        TEST(test_pod_memory_is_the_other_chips),
        TEST(test_pod_host_memory_can_be_shared),
        TEST(test_pod_copies_there_and_back),
        TEST(test_pod_rings_on_another_chip),
        TEST(test_pod_unmapped_chip),
        TEST(test_pod_ranges_over_the_edges),
        TEST(test_pod_nothing_is_mapped_behind_a_name),
        TEST(test_pod_doorbell),
        TEST(test_pod_semaphore),
        TEST(test_pod_broadcast),
        TEST(test_pod_counts_where_it_begins),
        TEST(test_pod_ping_pong_needs_no_stack),
        TEST(test_pod_budget),
        TEST(test_pod_greedy_chip),
        TEST(test_pod_is_deterministic),
        TEST(test_pod_stepped),
        TEST(test_pod_reset_of_one_chip),
        TEST(test_pod_reset_inside_a_run),
        TEST(test_pod_has_one_time),
        TEST(test_pod_time_lets_out_to_another_chip),
        TEST(test_pod_interrupts_name_their_chip),
        TEST(test_pod_of_64),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
