/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A recorded driver against the model: every register access of a Linux kernel
 * driver on a sunda device, from load to its first copies, and what the device
 * answered (the trace's own head says how it is written). hardware.md H86.
 */
#include <trench/map.h>
#include <trench/soc.h>

#include <zlib.h>

#include "check.h"

/* Firmware memory: its answers come from firmware, not from registers. */
#define RAM_FIRST 0x30fa0000u
#define RAM_END   0x30fa1000u

struct access {
    char kind;
    uint64_t bar;
    uint32_t val;
};

struct replay {
    const struct trench_gen *gen;
    struct trench_bus *bus;
    unsigned reads;
    unsigned writes;
    unsigned ram; /* accesses to firmware memory */
};

static bool next_access(gzFile in, struct access *a)
{
    char line[160];

    while (gzgets(in, line, sizeof(line))) {
        unsigned long long bar;
        unsigned size, val;

        if (line[0] == '#') {
            continue;
        }
        CHECK_EQ(sscanf(line, "%c %llx %u %x", &a->kind, &bar, &size, &val), 4,
                 "%s", line);
        CHECK_EQ(size, 4, "%s", line);
        a->bar = bar;
        a->val = val;
        return true;
    }
    return false;
}

static void replay_one(struct replay *r, const struct access *a)
{
    uint32_t val = ~a->val;
    uint64_t addr;

    if (a->bar >= RAM_FIRST && a->bar < RAM_END) {
        r->ram++;
        return;
    }
    CHECK_EQ(trench_map_from_bar(r->gen, "0", a->bar, &addr), 0,
             "BAR offset 0x%llx", ULL(a->bar));
    if (a->kind == 'R') {
        CHECK_EQ(trench_bus_read32(r->bus, addr, &val), 0, "R 0x%llx",
                 ULL(a->bar));
        CHECK_EQ(val, a->val, "R 0x%llx, after %u writes", ULL(a->bar),
                 r->writes);
        r->reads++;
    } else {
        CHECK_EQ(trench_bus_write32(r->bus, addr, a->val), 0, "W 0x%llx",
                 ULL(a->bar));
        r->writes++;
    }
}

/* Every answer of the device, outside firmware memory, is the model's. */
static void test_replay_sunda_driver_load(void **state)
{
    struct trench_soc_conf conf = { .gen = trench_gen_find("sunda") };
    struct replay r = { .gen = conf.gen };
    struct trench_soc *soc;
    const char *trace = getenv("TRENCH_REPLAY");
    struct access a;
    gzFile in = trace ? gzopen(trace, "rb") : NULL;

    (void)state;
    CHECK_EQ(in != NULL, true, "TRENCH_REPLAY names the trace");
    CHECK_EQ(trench_soc_create(&conf, &soc), 0, "create");
    r.bus = trench_soc_bus(soc);
    while (next_access(in, &a)) {
        replay_one(&r, &a);
    }
    gzclose(in);
    CHECK_EQ(r.reads, 38, "nothing of the trace was left out");
    CHECK_EQ(r.writes, 13254, "nothing of the trace was left out");
    CHECK_EQ(r.ram, 8, "firmware memory");
    trench_soc_destroy(soc);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_replay_sunda_driver_load),
    };

    return cmocka_run_group_tests_name("replay", tests, NULL, NULL);
}
