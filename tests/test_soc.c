/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The chip as software sees it from outside: what answers at which address,
 * by which route, and how it is made. Seeds 000 and 002; address-map 1 to 3;
 * hardware.md H60 to H65.
 */
#include <endian.h>
#include <sys/resource.h>

#include <trench/soc.h>

#include "check.h"
#include "rig.h"

#define PEB    UINT64_C(0x20000000000000)
#define GIB(n) ((uint64_t)(n) << 30)

static const struct {
    uint32_t offset;
    uint32_t size;
} units[] = {
    { 0, 0x20000 },     { S2M, 0x18000 }, { GEN, 0x4000 },
    { GEN_EX, 0x4000 }, { TDMA, 0x1000 }, { NOTE, 0x1000 },
};

/* Either route to an engine; the privileged one as the chip publishes it. */
static uint64_t route(struct rig *r, unsigned engine, bool privileged)
{
    uint64_t base = 0;

    CHECK_EQ(trench_gen_engine_base(trench_soc_gen(r->soc), engine, privileged,
                                    &base),
             0, "engine %u", engine);
    return base;
}

static uint64_t fault_count(struct rig *r)
{
    struct trench_bus_fault fault;

    trench_bus_last_fault(r->bus, &fault);
    return fault.count;
}

/* ---- addresses ---------------------------------------------------------- */

/* seed 002 section 3.2; address-map 2.2 gives the address. */
static void test_soc_revision_of_every_engine(void **state)
{
    struct rig *r = *state;

    CHECK_EQ(rig_word(r, 0x100203A104), 0x1C360003, "SE_0 channel 0");
    for (unsigned e = 0; e < 132; e++) {
        CHECK_EQ(rig_read(r, e, 0x3A104), 0x1C360003, "engine %u", e);
        CHECK_EQ(rig_word(r, route(r, e, true) + 0x3A104), 0x1C360003,
                 "engine %u, privileged", e);
    }
}

/* The worked values of address-map 2.2 reach the registers they name. */
static void test_soc_worked_addresses(void **state)
{
    struct rig *r = *state;

    rig_write(r, 5, q_off(TX, 5, Q_LEN), 100);
    CHECK_EQ(trench_bus_write32(r->bus, 0x1002506038, 7), 0, "doorbell");
    CHECK_EQ(rig_word(r, 0x100250603C), PTR_RESET | 7, "tail");
    CHECK_EQ(rig_word(r, 0x1002040100), 0xFFFF, "broadcast_cfg_group");
    for (unsigned e = 0; e < 128; e++) {
        rig_write(r, e, q_off(TX, 0, Q_LEN), 100);
        rig_write(r, e, q_off(RX, 0, Q_LEN), 100);
        rig_write(r, e, q_off(TX, 11, Q_LEN), 100);
        rig_write(r, e, q_off(TX, 15, Q_LEN), 100);
    }
    CHECK_EQ(trench_bus_write32(r->bus, 0x1002081038, 1), 0, "block 0, M2S");
    CHECK_EQ(trench_bus_write32(r->bus, 0x10020A1038, 2), 0, "block 0, S2M");
    CHECK_EQ(trench_bus_write32(r->bus, 0x100308C038, 3), 0, "block 1, q11");
    CHECK_EQ(trench_bus_write32(r->bus, 0x805005090038, 4), 0, "block 7, q15");
    CHECK_EQ(rig_read(r, 15, q_off(TX, 0, Q_TAIL)), PTR_RESET | 1, "block 0");
    CHECK_EQ(rig_read(r, 15, q_off(RX, 0, Q_TAIL)), PTR_RESET | 2, "block 0");
    CHECK_EQ(rig_read(r, 16, q_off(TX, 11, Q_TAIL)), PTR_RESET | 3, "block 1");
    CHECK_EQ(rig_read(r, 127, q_off(TX, 15, Q_TAIL)), PTR_RESET | 4, "block 7");
    CHECK_EQ(trench_bus_write32(r->bus, 0x10020810B0, 0x100), 0, "sw_ctrl");
    CHECK_EQ(trench_bus_write32(r->bus, 0x10020A1064, 0x100), 0, "sw_ctrl");
    CHECK_EQ(rig_read(r, 15, q_off(TX, 0, Q_TAIL)), PTR_RESET, "block 0");
    CHECK_EQ(rig_read(r, 15, q_off(RX, 0, Q_TAIL)), PTR_RESET, "block 0");
}

/* seed 000 sections 1.1, 1.2, 2.1: queue_base = (q + 1) << 12, S2M 0x20000. */
static void test_soc_queue_registers(void **state)
{
    static const struct {
        uint32_t q0; /* absolute offset for queue 0, as the getters return */
        bool rx;
    } rows[] = {
        { 0x1028, false }, { 0x102C, false }, { 0x1030, false },
        { 0x1028, true },  { 0x102C, true },  { 0x1030, true },
    };
    struct rig *r = *state;

    for (unsigned q = 0; q < 16; q++) {
        for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
            uint32_t off = (rows[i].rx ? 0x20000 : 0) + rows[i].q0 + (q << 12);

            rig_write(r, 3, off, 0x10000u * q + 0x40u * ((uint32_t)i + 1));
        }
    }
    for (unsigned q = 0; q < 16; q++) {
        static const uint32_t regs[] = { Q_BASE_LO, Q_BASE_HI, Q_LEN };

        for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
            CHECK_EQ(
                rig_read(r, 3, q_off(rows[i].rx ? RX : TX, q, regs[i % 3])),
                0x10000u * q + 0x40u * (i + 1), "q%u row %zu", q, i);
        }
    }
}

/* H60: two routes, one engine; and no two engines are one. */
static void test_soc_routes_lead_to_one_engine(void **state)
{
    struct rig *r = *state;
    const uint32_t scratch = GEN + 0x2108; /* general_cfg_1 */

    for (unsigned e = 0; e < 132; e++) {
        rig_write(r, e, scratch, 0xE0000 + e);
    }
    for (unsigned e = 0; e < 132; e++) {
        uint64_t peb = route(r, e, true);

        CHECK_EQ(rig_word(r, peb + scratch), 0xE0000 + e, "engine %u", e);
        CHECK_EQ(trench_bus_write32(r->bus, peb + scratch, 0xF0000 + e), 0,
                 "engine %u", e);
    }
    for (unsigned e = 0; e < 132; e++) {
        CHECK_EQ(rig_read(r, e, scratch), 0xF0000 + e, "engine %u", e);
    }
}

static void expect_fault(struct rig *r, uint64_t addr, const char *what)
{
    uint64_t before = fault_count(r);
    uint32_t val = 0x1234;

    CHECK_EQ(trench_bus_read32(r->bus, addr, &val), TRENCH_ERR_FAULT,
             "%s 0x%llx", what, ULL(addr));
    CHECK_EQ(trench_bus_write32(r->bus, addr, 0xFFFFFFFF), TRENCH_ERR_FAULT,
             "%s 0x%llx", what, ULL(addr));
    CHECK_EQ(val, 0x1234, "%s 0x%llx", what, ULL(addr));
    CHECK_EQ(fault_count(r), before + 2, "%s 0x%llx", what, ULL(addr));
}

static void expect_word(struct rig *r, uint64_t addr)
{
    uint32_t val;

    CHECK_EQ(trench_bus_read32(r->bus, addr, &val), 0, "0x%llx", ULL(addr));
}

/* The borders of one channel (address-map 1.1; H65 for +0x42000). */
static void check_borders(struct rig *r, uint64_t base, bool mirror)
{
    static const uint32_t holes[] = {
        0x42000, 0x43FFC, 0x44000, 0x50000, 0x60000,
        0x78000, 0x7C000, 0x7FFFC, 0xC0000, 0xFFFFC,
    };
    static const uint32_t mirror_edges[] = {
        0x80000, 0x9FFFC, 0xA0000, 0xB7FFC, 0xB8000, 0xBBFFC, 0xBC000, 0xBFFFC
    };

    for (size_t i = 0; i < ARRAY_LEN(units); i++) {
        expect_word(r, base + units[i].offset);
        expect_word(r, base + units[i].offset + units[i].size - 4);
    }
    for (size_t i = 0; i < ARRAY_LEN(holes); i++) {
        expect_fault(r, base + holes[i], "hole");
    }
    for (size_t i = 0; i < ARRAY_LEN(mirror_edges); i++) {
        if (mirror) {
            expect_word(r, base + mirror_edges[i]);
        } else {
            expect_fault(r, base + mirror_edges[i], "no mirror");
        }
    }
}

static void test_soc_gaps_fault(void **state)
{
    struct rig *r = *state;

    for (unsigned e = 0; e < 132; e++) {
        for (unsigned peb = 0; peb < 2; peb++) {
            check_borders(r, route(r, e, peb), e < 128 && e % 16 == 0);
        }
    }
}

/* Around the clusters, and routes that no engine has. */
static void test_soc_space_between_clusters_faults(void **state)
{
    static const uint64_t holes[] = {
        0x1000000000,
        0x1001FFFFFC,
        0x1004000000,
        0x5000000000,
        0x5003FFFFFC,
        0x5006000000,
        0x801001FFFFFC,
        0x801004000000,
        0x805003FFFFFC,
        0x805006000000,
        0x80067FFFFC,
        0x8006A00000,
        0x8080067FFFFC,
        0x808006A00000,
        0x20008001FFFFFC,
        0x20008006000000,
        0x200080067FFFFC,
        0x20008006A00000,
        0x20808006A00000,
        0x21002000000000 + 0x1002000000, /* bit 52 of a plain address */
        0x1002000000 | UINT64_C(1) << 48,
        0x1002000000 | UINT64_C(1) << 53,
        0x1002000000 | UINT64_C(1) << 54,
        0x1002000000 | UINT64_C(1) << 58,
        0x1002000000 | UINT64_C(1) << 63,
        0x100C000000, /* USER_FIS is not modelled */
        0x600000000,
        0xFFFFFFFFC,
        0x4600000000,
        0x800600000000,
        0x2002000000,
        0x2801FFFFFC,
        0x2802408000, /* behind ACT's IRAM: the core's code is not modelled */
        0x2802470000,
        0x2804000000,
        0x3FFFFFFFFFFC,
        0x400100000000,
        0xBFFFFFFFFFFC,
        0xC00100000000,
        UINT64_MAX - 3,
    };
    struct rig *r = *state;

    for (size_t i = 0; i < ARRAY_LEN(holes); i++) {
        expect_fault(r, holes[i], "hole");
    }
}

/* ---- memory ------------------------------------------------------------- */

static void check_memory(struct rig *r, uint64_t base, uint64_t size)
{
    uint8_t byte = 0xA5;

    CHECK_EQ(trench_bus_write(r->bus, 0, base, &byte, 1), 0, "0x%llx",
             ULL(base));
    CHECK_EQ(trench_bus_write(r->bus, 0, base + size - 1, &byte, 1), 0,
             "0x%llx", ULL(base));
    CHECK_EQ(trench_bus_write(r->bus, 0, base + size, &byte, 1),
             TRENCH_ERR_FAULT, "0x%llx", ULL(base));
    CHECK_EQ(trench_bus_host(r->bus, base, size) != NULL, true, "0x%llx",
             ULL(base));
    CHECK_EQ(trench_bus_host(r->bus, base, size + 1) == NULL, true, "0x%llx",
             ULL(base));
}

/* address-map 3.2 and 3.3; H62 for the holes of SBUF. */
static void test_soc_memories(void **state)
{
    static const uint64_t tpb[] = {
        0x2000000000,   0x3000000000,   0x6000000000,   0x7000000000,
        0x802000000000, 0x803000000000, 0x806000000000, 0x807000000000,
    };
    struct rig *r = *state;

    check_memory(r, 0x0, HBM_BYTES);
    check_memory(r, 0x4000000000, HBM_BYTES);
    check_memory(r, 0x800000000000, HBM_BYTES);
    check_memory(r, 0x804000000000, HBM_BYTES);
    for (size_t i = 0; i < ARRAY_LEN(tpb); i++) {
        for (uint64_t part = 0; part < 128; part++) {
            uint64_t base = tpb[i] + part * 0x40000;

            check_memory(r, base, 0x38000);
            expect_fault(r, base + 0x3FFFC, "behind a partition");
        }
        check_memory(r, tpb[i] + 0x803000000, 0x8000);  /* POOL, IRAM */
        check_memory(r, tpb[i] + 0x803040000, 0x10000); /* POOL, DRAM */
        CHECK_EQ(trench_bus_host(r->bus, tpb[i] + 0x802000000, 0x400000) !=
                     NULL,
                 true, "PSUM %zu", i);
    }
    check_memory(r, HOST_MEMORY, GIB(4)); /* the default */
    check_memory(r, 0xC00000000000, GIB(4));
}

/* H63: the same bytes at both host routes. */
static void test_soc_host_memory_by_two_routes(void **state)
{
    struct rig *r = *state;

    CHECK_EQ(trench_bus_write32(r->bus, HOST_MEMORY + 0x12340, 0xCAFE), 0,
             "die 0");
    CHECK_EQ(rig_word(r, 0xC00000012340), 0xCAFE, "die 1");
    CHECK_EQ(trench_bus_write32(r->bus, 0xC000FFFFFFFC, 0xBEEF), 0, "die 1");
    CHECK_EQ(rig_word(r, 0x4000FFFFFFFC), 0xBEEF, "die 0");
}

static void test_soc_host_memory_of_the_caller(void **state)
{
    static uint32_t backing[1024];
    struct trench_soc_conf conf = { .host = backing,
                                    .host_bytes = sizeof(backing) };
    struct rig r;

    (void)state;
    memset(backing, 0, sizeof(backing));
    rig_open(&r, &conf);
    backing[3] = htole32(0x1234);
    CHECK_EQ(rig_word(&r, HOST_MEMORY + 12), 0x1234, "host to chip");
    CHECK_EQ(trench_bus_write32(r.bus, HOST_MEMORY + 4092, 0x99), 0, "last");
    CHECK_EQ(le32toh(backing[1023]), 0x99, "chip to host");
    expect_fault(&r, HOST_MEMORY + sizeof(backing), "behind");
    rig_close(&r);
    CHECK_EQ(backing[3], htole32(0x1234), "borrowed");
}

/* ---- the whole chip ------------------------------------------------------ */

static void test_soc_chips_are_independent(void **state)
{
    struct rig *r = *state;
    struct rig other;

    rig_open(&other, NULL);
    rig_write(r, 9, GEN + 0x2108, 0x55);
    CHECK_EQ(trench_bus_write32(r->bus, 0x1000, 0x66), 0, "memory");
    CHECK_EQ(rig_read(&other, 9, GEN + 0x2108), 0, "register");
    CHECK_EQ(rig_word(&other, 0x1000), 0, "memory");
    rig_close(&other);
    CHECK_EQ(rig_read(r, 9, GEN + 0x2108), 0x55, "survives the other");
}

static void test_soc_lookups(void **state)
{
    struct rig *r = *state;
    struct trench_soc_engine_stats stats = { .packets = 77 };

    CHECK_EQ(trench_soc_gen(r->soc) == trench_gen_find("cayman"), true,
             "the default generation");
    CHECK_EQ(trench_soc_engine_stats(r->soc, 132, &stats), TRENCH_ERR_NODEV,
             "132");
    CHECK_EQ(trench_soc_engine_stats(r->soc, UINT32_MAX, &stats),
             TRENCH_ERR_NODEV, "UINT32_MAX");
    CHECK_EQ(stats.packets, 77, "untouched");
    CHECK_EQ(trench_soc_engine_stats(r->soc, 131, &stats), 0, "131");
    CHECK_EQ(stats.packets, 0, "131");
    trench_soc_destroy(NULL);
}

struct heard {
    unsigned nr;
    enum trench_log_level level;
    bool newline;
};

static void hear(void *opaque, enum trench_log_level level, const char *line)
{
    struct heard *heard = opaque;

    heard->nr++;
    heard->level = level;
    heard->newline = heard->newline || strchr(line, '\n');
}

/* One callback; what software should not do is counted and told. */
static void test_soc_log(void **state)
{
    struct heard heard = { 0 };
    struct trench_soc_conf conf = { .log = hear, .log_opaque = &heard };
    struct trench_soc_stats stats;
    struct rig r;

    (void)state;
    rig_open(&r, &conf);
    rig_write(&r, 5, q_off(TX, 0, Q_LEN), 8);
    rig_write(&r, 5, q_off(TX, 0, Q_BELL), 8);
    CHECK_EQ(heard.nr, 0, "legal");
    rig_write(&r, 5, q_off(TX, 0, Q_BELL), 1);
    CHECK_EQ(heard.nr, 1, "no room");
    CHECK_EQ(heard.level, TRENCH_LOG_GUEST, "no room");
    CHECK_EQ(heard.newline, false, "no room");
    trench_soc_stats(r.soc, &stats);
    CHECK_EQ(stats.guest_errors, 1, "no room");
    rig_close(&r);
}

/* ---- creation ------------------------------------------------------------ */

static void test_soc_create_checks_the_host_memory(void **state)
{
    static uint8_t backing[16];
    static const uint64_t bad[] = { UINT64_C(0x400000000001),
                                    UINT64_C(0x800000000000), UINT64_MAX };

    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
        struct trench_soc_conf conf = { .host_bytes = bad[i] };
        struct trench_soc *soc = NULL;

        CHECK_EQ(trench_soc_create(&conf, &soc), TRENCH_ERR_INVAL, "row %zu",
                 i);
        CHECK_EQ(soc == NULL, true, "row %zu: untouched", i);
    }
    for (uint64_t bytes = 0; bytes <= sizeof(backing); bytes += 16) {
        struct trench_soc_conf conf = { .host = backing, .host_bytes = bytes };
        struct trench_soc *soc = NULL;

        CHECK_EQ(trench_soc_create(&conf, &soc), bytes ? 0 : TRENCH_ERR_INVAL,
                 "backing of %llu bytes", ULL(bytes));
        trench_soc_destroy(soc);
    }
}

/* A generation of the caller's for which there are no register maps. */
static void test_soc_create_needs_register_maps(void **state)
{
    struct trench_gen gen = *trench_gen_find("cayman");
    struct trench_soc_conf conf = { .gen = &gen };
    struct trench_soc *soc = NULL;

    (void)state;
    gen.name = "nowhere";
    CHECK_EQ(trench_soc_create(&conf, &soc), TRENCH_ERR_NODEV, "create");
    CHECK_EQ(soc == NULL, true, "untouched");
}

/* Private writable memory of the process, which RLIMIT_DATA limits. */
static uint64_t data_bytes(void)
{
    char line[128];
    unsigned long long kib = 0;
    FILE *f = fopen("/proc/self/status", "r");

    CHECK_EQ(f != NULL, true, "/proc/self/status");
    while (fgets(line, sizeof(line), f) &&
           sscanf(line, "VmData: %llu", &kib) != 1) {
    }
    fclose(f);
    return kib << 10;
}

/*
 * Mappings refused at every stage: prefetch memory, each HBM, host memory.
 * What was had before goes back each time.
 */
static void test_soc_create_runs_out_of_memory(void **state)
{
    static const uint64_t extra[] = { 40 << 20, GIB(1),  GIB(30),
                                      GIB(60),  GIB(80), GIB(98) };
    struct trench_soc *soc = NULL;
    struct rlimit old;

    (void)state;
    CHECK_EQ(getrlimit(RLIMIT_DATA, &old), 0, "limit");
    for (size_t i = 0; i < ARRAY_LEN(extra); i++) {
        uint64_t before = data_bytes();
        struct rlimit tight = { before + extra[i], old.rlim_max };
        int err;

        CHECK_EQ(setrlimit(RLIMIT_DATA, &tight), 0, "stage %zu", i);
        err = trench_soc_create(NULL, &soc);
        CHECK_EQ(setrlimit(RLIMIT_DATA, &old), 0, "stage %zu", i);
        CHECK_EQ(err, TRENCH_ERR_NOMEM, "stage %zu", i);
        CHECK_EQ(soc == NULL, true, "stage %zu: untouched", i);
        CHECK_EQ(data_bytes() - before < 40 << 20, true, "stage %zu leaks", i);
    }
    CHECK_EQ(trench_soc_create(NULL, &soc), 0, "without a limit");
    trench_soc_destroy(soc);
}

#define TEST(name)                                                             \
    cmocka_unit_test_setup_teardown(name, rig_setup, rig_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_soc_revision_of_every_engine),
        TEST(test_soc_worked_addresses),
        TEST(test_soc_queue_registers),
        TEST(test_soc_routes_lead_to_one_engine),
        TEST(test_soc_gaps_fault),
        TEST(test_soc_space_between_clusters_faults),
        TEST(test_soc_memories),
        TEST(test_soc_host_memory_by_two_routes),
        cmocka_unit_test(test_soc_host_memory_of_the_caller),
        TEST(test_soc_chips_are_independent),
        TEST(test_soc_lookups),
        cmocka_unit_test(test_soc_log),
        cmocka_unit_test(test_soc_create_checks_the_host_memory),
        cmocka_unit_test(test_soc_create_needs_register_maps),
        cmocka_unit_test(test_soc_create_runs_out_of_memory),
    };

    return cmocka_run_group_tests_name("soc", tests, NULL, NULL);
}
