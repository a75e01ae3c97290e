/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The address map: names and addresses of all generations against each other,
 * holes, ranges, and what the map says against what the bus does.
 */
#include <trench/soc.h>

#include "map_rig.h"

/* ---- names --------------------------------------------------------------- */

/* Every engine of every generation: number, name, address, and back. */
static void test_map_engines_round_trip(void **state)
{
    (void)state;
    for (size_t g = 0; trench_gen_at(g); g++) {
        const struct trench_gen *gen = trench_gen_at(g);

        for (unsigned e = 0; e < gen->nr_engines; e++) {
            uint64_t base = 0;
            char name[64];
            char number[32];

            trench_gen_engine_base(gen, e, false, &base);
            trench_gen_engine_name(gen, e, name, sizeof(name));
            snprintf(number, sizeof(number), "ENGINE%u", e);
            CHECK_EQ(address_of(gen, name), base, "%s %s", gen->name, name);
            CHECK_EQ(address_of(gen, number), base, "%s %s", gen->name, number);
            CHECK_EQ(look(gen, base).index[TRENCH_INDEX_ENGINE], e, "%s %s",
                     gen->name, name);
        }
    }
}

/* Every unit of every channel of every cluster. */
static void test_map_units_round_trip(void **state)
{
    (void)state;
    for (size_t g = 0; trench_gen_at(g); g++) {
        const struct trench_gen *gen = trench_gen_at(g);

        for (size_t i = 0; i < gen->nr_clusters; i++) {
            const struct trench_gen_cluster *c = &gen->clusters[i];

            for (unsigned k = 0; k < c->nr_channels * gen->nr_units; k++) {
                const struct trench_gen_unit *u =
                    &gen->units[k % gen->nr_units];
                uint64_t addr = c->base +
                                k / gen->nr_units * (uint64_t)c->stride_bytes +
                                u->offset;
                struct trench_map_info info = look(gen, addr);
                char name[256];

                if (u->part != c->part) {
                    continue;
                }
                trench_map_name(info.path, 4, name, sizeof(name));
                CHECK_EQ(info.path[3].unit == u, true, "%s", name);
                CHECK_EQ(address_of(gen, name), addr, "%s %s", gen->name, name);
                CHECK_EQ(info.privileged, c->privileged, "%s", name);
            }
        }
    }
}

/* All registers of one channel, and of its mirror. */
static void test_map_registers_round_trip(void **state)
{
    const uint64_t first = 0x1002000000;
    unsigned nr = 0;

    (void)state;
    for (uint64_t addr = first; addr < first + 0x100000; addr += 4) {
        struct trench_map_info info = look(cayman(), addr);
        char name[256];

        if (trench_map_leaf(&info)->kind != TRENCH_MAP_REGISTER) {
            continue;
        }
        trench_map_name(info.path, info.depth, name, sizeof(name));
        CHECK_EQ(trench_map_leaf(&info)->first, addr, "%s", name);
        if (info.depth == 5 && trench_map_leaf(&info)->cluster) {
            CHECK_EQ(address_of(cayman(), name), addr, "%s", name);
            nr++;
        }
    }
    CHECK_EQ(nr > 3000, true, "%u registers", nr);
}

static void test_map_name_gives_both_routes_and_twins(void **state)
{
    static const struct trench_map_place want[] = {
        { 0x1002506038, 4, false, false },
        { 0x20008002506038, 4, true, false },
        { 0x1002086038, 4, false, true },
        { 0x20008002086038, 4, true, true },
    };
    struct trench_map_place places[TRENCH_MAP_PLACES];
    struct trench_map_info info = look(cayman(), 0x1002506038);

    (void)state;
    for (int twins = 0; twins < 2; twins++) {
        int nr = trench_map_find(cayman(), "engine5.m2s.m2s_q[5].tdrtp_INC",
                                 twins, places, NULL);

        CHECK_EQ(nr, twins ? 4 : 2, "twins=%d", twins);
        for (int i = 0; i < nr; i++) {
            CHECK_EQ(places[i].addr, want[i].addr, "%d", i);
            CHECK_EQ(places[i].size_bytes, want[i].size_bytes, "%d", i);
            CHECK_EQ(places[i].privileged, want[i].privileged, "%d", i);
            CHECK_EQ(places[i].broadcast, want[i].broadcast, "%d", i);
        }
    }
    CHECK_EQ(trench_map_also(cayman(), &info, places), 3, "also");
    CHECK_EQ(places[1].addr, 0x20008002506038, "also the other route");
    /* an application block has no twin, one route has one place */
    CHECK_EQ(trench_map_find(cayman(), "engine5.tdma", true, places, NULL), 2,
             "no twin");
    CHECK_EQ(trench_map_find(cayman(), "PEB_APB_IO_0_USER_SE_0_SDMA_5.gen",
                             false, places, NULL),
             1, "one route");
    CHECK_EQ(places[0].addr, 0x20008002538000, "privileged");
    CHECK_EQ(trench_map_find(sunda(), "engine5.m2s", true, places, NULL), 1,
             "sunda");
}

static void test_map_name_forms(void **state)
{
    static const struct place_row rows[] = {
        { "cayman", "apb_se_0_sdma_5", 0x1002500000 },
        { "cayman", "APB_SE_0.SDMA_5.UDMA_S2M", 0x1002520000 },
        { "cayman", "APB_SE_0_SDMA_5_UDMA_GEN_EX", 0x100253C000 },
        { "cayman", "engine5.udma_gen+104", 0x1002538104 },
        { "cayman", "engine5.misc_notific", 0x1002541000 },
        { "cayman", "engine5.notific_10_queue+0x100", 0x1002541100 },
        { "cayman", "engine131", 0x808006900000 },
        { "cayman", "APB_IO_1_USER_IO_H2D", 0x808006900000 },
        { "cayman", "engine0.bcast.m2s", 0x1002080000 },
        { "cayman", "APB_SE_0_SDMA_0_BCAST_UDMA", 0x1002080000 },
        { "cayman", "APB_SE_0_SDMA_0_BCAST_UDMA_GEN", 0x10020B8000 },
        { "cayman", "bcast7", 0x805005080000 },
        { "cayman", "engine16.gen.dma_misc.REVISION", 0x100303A104 },
        { "cayman", "TPB_0_EVT_SEM_INC", 0x2802701800 },
        { "cayman", "HBM_1+1000", 0x4000001000 },
        { "sunda", "engine33.tdma", 0xFFFF0D40000 },
        { "sunda", "APB_SENG_1_SDMA_15.s2m", 0xFFFF0AE0000 },
        { "sunda", "engine0_MISC_NOTIFIC", 0xFFFF0401000 },
    };

    (void)state;
    check_places(rows, ARRAY_LEN(rows));
}

static void test_map_bad_names(void **state)
{
    static const struct {
        const char *name;
        int code;
        const char *says;
    } rows[] = {
        { "", TRENCH_ERR_NOENT, "nothing called" },
        { ".", TRENCH_ERR_NOENT, "nothing called" },
        { "engine", TRENCH_ERR_NOENT, "nothing called" },
        { "engine132", TRENCH_ERR_INVAL, "engines 0-131" },
        { "engine99999999999", TRENCH_ERR_NOENT, "nothing called" },
        { "bcast8", TRENCH_ERR_INVAL, "no broadcast node 8" },
        { "engine1.bcast", TRENCH_ERR_NOENT, "no broadcast node" },
        { "engine0.bcast.tdma", TRENCH_ERR_NOENT, "no block" },
        { "engine5.", TRENCH_ERR_NOENT, "no block" },
        { "engine5.m3s", TRENCH_ERR_NOENT, "did you mean 'm2s'" },
        { "engine5.m2s.M2S_Q[16].cfg", TRENCH_ERR_INVAL, "" },
        { "engine5.m2s.M2S_Q[5].TDRTPinc", TRENCH_ERR_NOENT, "TDRTP_inc" },
        { "engine5.m2s+20000", TRENCH_ERR_INVAL, "past the end" },
        { "engine5.m2s+", TRENCH_ERR_INVAL, "not an offset" },
        { "engine5.m2s+xyz", TRENCH_ERR_INVAL, "not an offset" },
        { "engine5.m2s+11111111111111111", TRENCH_ERR_INVAL, "not an offset" },
        { "engine5.misc_sdma_ug_reserved1.x", TRENCH_ERR_NOENT, "no regis" },
        { "udma_m2s", TRENCH_ERR_NOENT, "in every engine" },
        { "APB_SE_0_SDMA_32", TRENCH_ERR_NOENT, "did you mean" },
        { "APB_SE_4", TRENCH_ERR_NOENT, "did you mean 'APB_SE_" },
        { "TPB_0_EVT_SEM_INC[256]", TRENCH_ERR_NOENT, "'INC[0-255]'" },
        { "TPB_0_EVT_SEM_INC[1", TRENCH_ERR_NOENT, "nothing in there" },
        { "TPB_0_", TRENCH_ERR_NOENT, "nothing called" },
        { "HBM_0+1000000000", TRENCH_ERR_INVAL, "past the end" },
    };
    char huge[4096];

    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct trench_map_place places[TRENCH_MAP_PLACES] = { { 0 } };
        struct trench_map_error err = { .reason = "" };
        int code = trench_map_find(cayman(), rows[i].name, true, places, &err);

        CHECK_EQ(code, rows[i].code, "'%s': %s", rows[i].name, err.reason);
        CHECK_EQ(strstr(err.reason, rows[i].says) != NULL, true, "'%s': %s",
                 rows[i].name, err.reason);
        CHECK_EQ(places[0].addr, 0, "'%s'", rows[i].name);
        CHECK_EQ(trench_map_find(cayman(), rows[i].name, true, places, NULL),
                 rows[i].code, "'%s', no err", rows[i].name);
    }
    memset(huge, 'A', sizeof(huge) - 1);
    huge[sizeof(huge) - 1] = '\0';
    CHECK_EQ(trench_map_find(cayman(), huge, true, NULL, NULL),
             TRENCH_ERR_INVAL, "too long");
}

/* ---- holes and ranges ---------------------------------------------------- */

static void test_map_holes(void **state)
{
    static const struct {
        uint64_t addr;
        uint64_t first;
        uint64_t last;
    } rows[] = {
        { 0x1002044000, 0x1002044000, 0x100207FFFF }, /* 1.1 */
        { 0x10020C0000, 0x10020C0000, 0x10020FFFFF }, /* 1.1 */
        { 0x1002144000, 0x1002144000, 0x10021FFFFF }, /* no mirror there */
        { 0x100C800000, 0x100C800000, 0x11FFFFFFFF }, /* after APB_SE_0 */
        { 0x9000000008, 0x9000000008, 0x3FFFFFFFFFFF },
        { 0x20C10000000000, 0x20C10000000000, UINT64_MAX },
        { UINT64_MAX & ~(UINT64_C(0x43) << 54), 0x20C10000000000, UINT64_MAX },
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct trench_map_info info = look(cayman(), rows[i].addr);

        CHECK_EQ(info.status, TRENCH_MAP_HOLE, "0x%llx", ULL(rows[i].addr));
        CHECK_EQ(trench_map_leaf(&info)->kind, TRENCH_MAP_GAP, "gap");
        CHECK_EQ(trench_map_leaf(&info)->first, rows[i].first, "0x%llx",
                 ULL(rows[i].addr));
        CHECK_EQ(trench_map_leaf(&info)->last, rows[i].last, "0x%llx",
                 ULL(rows[i].addr));
    }
}

struct listing {
    uint64_t next;
    unsigned items;
    unsigned gaps;
};

/* Items follow one another without a gap or an overlap. */
static int list_item(void *opaque, const struct trench_map_info *item)
{
    struct listing *l = opaque;
    const struct trench_map_node *leaf = trench_map_leaf(item);

    CHECK_EQ(item->local, l->next, "item %u", l->items);
    CHECK_EQ(leaf->first <= item->local && leaf->last >= item->local, true,
             "item %u", l->items);
    l->next = leaf->last + 1; /* 0 after the last address */
    l->items++;
    l->gaps += leaf->kind == TRENCH_MAP_GAP;
    return 0;
}

static void check_list(uint64_t first, uint64_t last, unsigned items,
                       unsigned gaps)
{
    struct trench_map_range range = { first, last };
    struct listing l = { .next = first };

    CHECK_EQ(trench_map_list(cayman(), &range, list_item, &l), items,
             "0x%llx..0x%llx", ULL(first), ULL(last));
    CHECK_EQ(l.items, items, "0x%llx", ULL(first));
    CHECK_EQ(l.gaps, gaps, "0x%llx", ULL(first));
    CHECK_EQ(l.next - 1 >= last, true, "0x%llx", ULL(first));
}

static int stop(void *opaque, const struct trench_map_info *item)
{
    (void)opaque;
    (void)item;
    return -77;
}

static void test_map_ranges(void **state)
{
    struct trench_map_range back = { 1, 0 };
    struct trench_map_range all = { 0, UINT64_MAX };

    (void)state;
    check_list(0x1002500000, 0x10025FFFFF, 8, 1);   /* a channel: its units */
    check_list(0x1002500000, 0x10026FFFFF, 2, 0);   /* two channels */
    check_list(0x1002506020, 0x100250603F, 8, 0);   /* eight registers */
    check_list(0x1002506038, 0x1002506038, 1, 0);   /* one register */
    check_list(0x1002044000, 0x1002044FFF, 1, 1);   /* a hole */
    check_list(0x2000000000, 0x200003FFFF, 1, 0);   /* a partition */
    check_list(0x2000000000, 0x2001FFFFFF, 128, 0); /* the state buffer */
    check_list(0xFFFFFFFFF, 0x1000000000, 2, 0);    /* over a border */
    CHECK_EQ(trench_map_list(cayman(), &back, stop, NULL), TRENCH_ERR_INVAL,
             "backwards");
    CHECK_EQ(trench_map_list(cayman(), &all, stop, NULL), -77, "stopped");
    /* all of each chip, from the first address to the last */
    for (size_t g = 0; trench_gen_at(g); g++) {
        struct listing l = { .next = 0 };
        int nr = trench_map_list(trench_gen_at(g), &all, list_item, &l);

        CHECK_EQ(nr, l.items, "%s", trench_gen_at(g)->name);
        CHECK_EQ(l.next, 0, "%s: to the end", trench_gen_at(g)->name);
    }
}

/* ---- against the bus ----------------------------------------------------- */

/* What is called modelled answers, and nothing else does. */
static void check_against_bus(const struct trench_gen *gen,
                              struct trench_soc *soc)
{
    uint64_t seed = 20261130;

    for (unsigned i = 0; i < 200000; i++) {
        const struct trench_gen_window *w;
        struct trench_map_info info;
        uint64_t addr;
        uint32_t val;
        int err;

        seed = seed * 6364136223846793005u + 1442695040888963407u;
        w = &gen->windows[(seed >> 33) % gen->nr_windows];
        addr = w->base + (seed >> 8) % (w->size_bytes * 5 / 4);
        if (i % 2 && gen->nr_clusters > 0) {
            const struct trench_gen_cluster *c =
                &gen->clusters[(seed >> 40) % gen->nr_clusters];

            addr = c->base + (seed >> 12) % ((c->nr_channels + UINT64_C(1)) *
                                             c->stride_bytes);
        }
        addr &= ~UINT64_C(3);
        trench_map_at(gen, addr, &info);
        if (info.mem && info.mem->kind == TRENCH_MEM_HOST) {
            continue; /* as much as the test gives it */
        }
        err = trench_bus_read32(trench_soc_bus(soc), addr, &val);
        CHECK_EQ(err == 0, info.status == TRENCH_MAP_MODELLED,
                 "%s 0x%llx: %s, bus says %d", gen->name, ULL(addr),
                 trench_map_status_name(info.status), err);
    }
}

static void test_map_agrees_with_the_bus(void **state)
{
    (void)state;
    for (size_t g = 0; trench_gen_at(g); g++) {
        struct trench_soc_conf conf = { .gen = trench_gen_at(g) };
        struct trench_soc *soc = NULL;
        int err = trench_soc_create(&conf, &soc);

        if (!trench_csr_builtin(conf.gen->name, TRENCH_BLOCK_UDMA_M2S)) {
            CHECK_EQ(err, TRENCH_ERR_NODEV, "%s", conf.gen->name);
            continue;
        }
        CHECK_EQ(err, 0, "%s", conf.gen->name);
        check_against_bus(conf.gen, soc);
        trench_soc_destroy(soc);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_map_engines_round_trip),
        cmocka_unit_test(test_map_units_round_trip),
        cmocka_unit_test(test_map_registers_round_trip),
        cmocka_unit_test(test_map_name_gives_both_routes_and_twins),
        cmocka_unit_test(test_map_name_forms),
        cmocka_unit_test(test_map_bad_names),
        cmocka_unit_test(test_map_holes),
        cmocka_unit_test(test_map_ranges),
        cmocka_unit_test(test_map_agrees_with_the_bus),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
