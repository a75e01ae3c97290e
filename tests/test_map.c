/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The address map: every worked number of the address-map sheet, by section.
 */
#include "map_rig.h"

/* ---- address-map 2.2 and 2.3 --------------------------------------------- */

static void test_map_worked_values(void **state)
{
    static const struct {
        uint64_t addr;
        const char *name;
    } rows[] = {
        { 0x1002506038, "APB_SE_0_SDMA_5.udma_m2s.M2S_Q[5].TDRTP_inc" },
        { 0x100203A104, "APB_SE_0_SDMA_0.udma_gen.DMA_misc.revision" },
        { 0x1002040100, "APB_SE_0_SDMA_0.tdma_model.tdma.broadcast_cfg_group" },
        { 0x1002081038, "APB_SE_0_SDMA_0_BCAST.udma_m2s.M2S_Q[0].TDRTP_inc" },
        { 0x10020A1038, "APB_SE_0_SDMA_0_BCAST.udma_s2m.S2M_Q[0].RDRTP_inc" },
        { 0x100308C038, "APB_SE_0_SDMA_16_BCAST.udma_m2s.M2S_Q[11].TDRTP_inc" },
        { 0x10020810B0, "APB_SE_0_SDMA_0_BCAST.udma_m2s.M2S_Q[0].q_sw_ctrl" },
        { 0x10020A1064, "APB_SE_0_SDMA_0_BCAST.udma_s2m.S2M_Q[0].q_sw_ctrl" },
        { 0x805005090038,
          "APB_SE_3_SDMA_16_BCAST.udma_m2s.M2S_Q[15].TDRTP_inc" },
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        check_name(cayman(), rows[i].addr, rows[i].name);
        CHECK_EQ(address_of(cayman(), rows[i].name), rows[i].addr, "%s",
                 rows[i].name);
    }
    /* papb_bcast.grps.mask of SE_0 channel 0, without its register map too */
    CHECK_EQ(address_of(cayman(), "APB_SE_0_USER_FIS_SDMA_0_FIS_0_PAPB_BCAST"),
             0x100C004800, "papb_bcast");
}

/* Issue 3, the example. */
static void test_map_the_example(void **state)
{
    struct trench_map_info info = look(cayman(), 0x1002506038);

    (void)state;
    CHECK_EQ(info.index[TRENCH_INDEX_ENGINE], 5, "engine");
    CHECK_EQ(info.index[TRENCH_INDEX_CORE], 0, "core");
    CHECK_EQ(info.index[TRENCH_INDEX_LANE], 5, "lane");
    CHECK_EQ(info.index[TRENCH_INDEX_QUEUE], 5, "queue");
    CHECK_EQ(info.privileged, false, "plain");
    CHECK_EQ(info.broadcast, false, "unicast");
    CHECK_EQ(info.status, TRENCH_MAP_MODELLED, "modelled");
    CHECK_EQ(info.chip, -1, "chip");
    assert_string_equal(trench_map_leaf(&info)->ref.reg->name, "TDRTP_inc");
    assert_string_equal(trench_map_leaf(&info)->unit->name, "UDMA_M2S");
}

/* 2.3 and 4.1, with the engines and NeuronCores of 2.3. */
static void test_map_broadcast_nodes(void **state)
{
    static const uint64_t plain[] = {
        0x0000001002080000, 0x0000001003080000, 0x0000005004080000,
        0x0000005005080000, 0x0000801002080000, 0x0000801003080000,
        0x0000805004080000, 0x0000805005080000,
    };
    static const uint64_t privileged[] = {
        0x20008002080000, 0x20008003080000, 0x20008004080000, 0x20008005080000,
        0x20808002080000, 0x20808003080000, 0x20808004080000, 0x20808005080000,
    };
    struct trench_map_info info;

    (void)state;
    for (unsigned k = 0; k < 8; k++) {
        CHECK_EQ(trench_map_bcast(cayman(), k, false, &info), 0, "%u", k);
        CHECK_EQ(trench_map_leaf(&info)->kind, TRENCH_MAP_MIRROR, "%u", k);
        CHECK_EQ(info.local, plain[k], "%u", k);
        CHECK_EQ(info.index[TRENCH_INDEX_ENGINE], 16 * k, "%u", k);
        CHECK_EQ(info.index[TRENCH_INDEX_CORE], k, "%u", k);
        CHECK_EQ(info.nr_engines, 16, "%u", k);
        CHECK_EQ(info.index[TRENCH_INDEX_LANE], -1, "%u", k);
        CHECK_EQ(trench_map_bcast(cayman(), k, true, &info), 0, "%u", k);
        CHECK_EQ(info.local, privileged[k], "%u", k);
        CHECK_EQ(info.privileged, true, "%u", k);
    }
    CHECK_EQ(trench_map_bcast(cayman(), 8, false, &info), TRENCH_ERR_NODEV,
             "past the last");
    CHECK_EQ(trench_map_bcast(sunda(), 0, false, &info), TRENCH_ERR_NODEV,
             "sunda has none that is known");
}

/* 2.4: 280 = 264 + 16, 132 by two routes; 1.5: 34 channels. */
static void test_map_totals(void **state)
{
    struct trench_map_totals t;

    (void)state;
    for (size_t g = 0; trench_gen_at(g); g++) {
        const struct trench_gen *gen = trench_gen_at(g);
        bool small = gen == sunda();

        trench_map_totals(gen, &t);
        CHECK_EQ(t.engines, small ? 34 : 132, "%s", gen->name);
        CHECK_EQ(t.engines, gen->nr_engines, "%s", gen->name);
        CHECK_EQ(t.plain, small ? 34 : 132, "%s", gen->name);
        CHECK_EQ(t.privileged, small ? 0 : 132, "%s", gen->name);
        CHECK_EQ(t.unicast, small ? 34 : 264, "%s", gen->name);
        CHECK_EQ(t.broadcast, small ? 0 : 16, "%s", gen->name);
        for (size_t u = 0; u < gen->nr_units; u++) {
            bool app = !gen->units[u].broadcast;

            CHECK_EQ(trench_map_unit_nodes(gen, &gen->units[u]),
                     small ? 34
                     : app ? 264
                           : 280,
                     "%s %s", gen->name, gen->units[u].name);
        }
    }
}

/* ---- address bits (3.1) -------------------------------------------------- */

static uint64_t field(const struct trench_gen_view *view, const char *name,
                      uint64_t addr)
{
    for (size_t i = 0; i < view->nr_bits; i++) {
        const struct trench_gen_bits *b = &view->bits[i];

        if (strcmp(b->name, name) == 0) {
            return addr >> b->lsb & ((UINT64_C(1) << b->width) - 1);
        }
    }
    CHECK_EQ(true, false, "no field %s", name);
    return 0;
}

static void test_map_address_bits(void **state)
{
    const struct trench_gen_view *local = &cayman()->views[0];
    const struct trench_gen_view *neighbor = &cayman()->views[1];
    const uint64_t chip = 0x016A923456789ABC;
    const uint64_t route = 0x58800000100000;

    (void)state;
    CHECK_EQ(field(local, "LOCAL", chip), 0x123456789ABC, "check value 1");
    CHECK_EQ(field(local, "DIE", chip), 1, "check value 1");
    CHECK_EQ(field(local, "CAYMAN_ID", chip), 42, "check value 1");
    CHECK_EQ(field(local, "CAYMAN_ID_VALID", chip), 1, "check value 1");
    CHECK_EQ(field(local, "PCIE_ATTR_RELAXED_ORDERING", chip), 1, "value 1");
    CHECK_EQ(field(local, "OK_TO_FAIL", chip), 0, "check value 1");
    CHECK_EQ(look(cayman(), chip).chip, 42, "check value 1");
    CHECK_EQ(look(cayman(), chip).die, 1, "check value 1");
    CHECK_EQ(look(cayman(), chip).local, DIE_1 | 0x123456789ABC, "value 1");

    CHECK_EQ(field(neighbor, "LOCAL", route), 0x100000, "check value 2");
    CHECK_EQ(field(neighbor, "DIE", route), 1, "check value 2");
    CHECK_EQ(field(neighbor, "EXIT_DIE", route), 1, "check value 2");
    CHECK_EQ(field(neighbor, "EXIT_SENG", route), 0, "check value 2");
    CHECK_EQ(field(neighbor, "NEIGHBOR_ROUTE", route), 1, "check value 2");
    CHECK_EQ(field(neighbor, "ID_VALID", route), 1, "check value 2");
    /* "In the LOCAL view a PEB address reads as CAYMAN_ID 32." */
    CHECK_EQ(field(local, "CAYMAN_ID", PEB), 32, "PEB");
    CHECK_EQ(field(neighbor, "PEB", PEB), 1, "PEB");
    CHECK_EQ(look(cayman(), PEB | 0x8002000000).chip, -1, "PEB names no chip");
}

/* The fields of a view cover all 64 bits, once. */
static void test_map_views_cover_the_address(void **state)
{
    (void)state;
    for (size_t g = 0; trench_gen_at(g); g++) {
        const struct trench_gen *gen = trench_gen_at(g);

        for (size_t v = 0; v < gen->nr_views; v++) {
            unsigned next = 0;

            for (size_t i = 0; i < gen->views[v].nr_bits; i++) {
                CHECK_EQ(gen->views[v].bits[i].lsb, next, "%s %s", gen->name,
                         gen->views[v].bits[i].name);
                next += gen->views[v].bits[i].width;
            }
            CHECK_EQ(next, 64, "%s %s", gen->name, gen->views[v].name);
        }
    }
}

/* Bits 56 and 57 change nothing; bits above them lead nowhere. */
static void test_map_attribute_bits_are_dropped(void **state)
{
    (void)state;
    for (unsigned bit = 56; bit < 64; bit++) {
        struct trench_map_info info =
            look(cayman(), 0x1002506038 | UINT64_C(1) << bit);

        CHECK_EQ(info.status, bit < 58 ? TRENCH_MAP_MODELLED : TRENCH_MAP_HOLE,
                 "bit %u", bit);
        CHECK_EQ(info.local == 0x1002506038, bit < 58, "bit %u", bit);
    }
}

/* ---- windows (3.2, 3.3) -------------------------------------------------- */

/* First and last byte of each; die 1 is die 0 | bit 47, numbered on. */
static const struct window_row {
    const char *name[2];
    uint64_t base;
    uint64_t size;
} window_rows[] = {
    { { "HBM_0", "HBM_2" }, 0x0, 0x1000000000 },
    { { "APB_SE_0", "APB_SE_2" }, 0x1000000000, 0xC800000 },
    { { "PREPROC_0", "PREPROC_2" }, 0x1200000000, 0x40000000 },
    { { "TPB_0", "TPB_4" }, 0x2000000000, 0x804000000 },
    { { "TPB_1", "TPB_5" }, 0x3000000000, 0x804000000 },
    { { "HBM_1", "HBM_3" }, 0x4000000000, 0x1000000000 },
    { { "APB_SE_1", "APB_SE_3" }, 0x5000000000, 0xC800000 },
    { { "PREPROC_1", "PREPROC_3" }, 0x5200000000, 0x40000000 },
    { { "TPB_2", "TPB_6" }, 0x6000000000, 0x804000000 },
    { { "TPB_3", "TPB_7" }, 0x7000000000, 0x804000000 },
    { { "APB_IO_0", "APB_IO_1" }, 0x8000000000, 0x20000000 },
    { { "TOP_SP_0", "TOP_SP_10" }, 0x8280000000, 0x400000 },
    { { "TOP_SP_9", "TOP_SP_19" }, 0x84C0000000, 0x400000 },
    { { "INTC_0", "INTC_1" }, 0x8580000000, 0x2000 },
    { { "HOST_MSIX_DOORBELL_0", "HOST_MSIX_DOORBELL_1" },
      0x8580100000,
      0x100000 },
    { { "RDM_0", "RDM_1" }, 0x8580200000, 0x100000 },
    { { "EVT_ACCEL_CLR_0", "EVT_ACCEL_CLR_1" }, 0x9000000000, 4 },
    { { "EVT_ACCEL_SET_0", "EVT_ACCEL_SET_1" }, 0x9000000004, 4 },
    { { "PCIE_A0_0", "PCIE_A0_1" }, 0x400000000000, 0x400000000000 },
    { { "PEB_APB_IO_0", "PEB_APB_IO_1" }, PEB | 0x8000000000, 0x20000000 },
    { { "PEB_SP_0", "PEB_SP_10" }, PEB | 0x8280000000, 0x400000 },
    { { "PEB_HSIO2DFT_0", "PEB_HSIO2DFT_1" }, PEB | 0x8580400000, 0x400000 },
    { { "PCIE_M0_0", "PCIE_M0_1" }, 0x20400000000000, UINT64_C(1) << 40 },
};

static void check_window(const char *want, uint64_t base, uint64_t size)
{
    for (int end = 0; end < 2; end++) {
        struct trench_map_info info =
            look(cayman(), end ? base + size - 1 : base);
        char name[256];

        CHECK_EQ(info.path[1].kind, TRENCH_MAP_WINDOW, "%s", want);
        CHECK_EQ(info.path[1].first, base, "%s", want);
        CHECK_EQ(info.path[1].last, base + size - 1, "%s", want);
        trench_map_name(info.path, 2, name, sizeof(name));
        assert_string_equal(name, want);
    }
    CHECK_EQ(address_of(cayman(), want), base, "%s", want);
}

static void test_map_windows(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(window_rows); i++) {
        const struct window_row *row = &window_rows[i];

        check_window(row->name[0], row->base, row->size);
        check_window(row->name[1], row->base | DIE_1, row->size);
    }
    for (unsigned n = 0; n < 4; n++) {
        char name[16];

        snprintf(name, sizeof(name), "PCIE_B0_%u", n);
        check_window(name, 0x10000000000000 + n * UINT64_C(0x4000000000000),
                     UINT64_C(1) << 50);
    }
    check_window("PEB_APB_IO_BCAST_0_0", PEB | 0x8020000000, 0x20000000);
}

/* What the table rows promise: sorted and disjoint on every level. */
static void check_rows(const struct trench_gen_window *rows, size_t nr,
                       uint64_t size)
{
    uint64_t end = 0;

    for (size_t i = 0; i < nr; i++) {
        unsigned count = rows[i].count > 1 ? rows[i].count : 1;

        CHECK_EQ(rows[i].base >= end, true, "%s", rows[i].name);
        CHECK_EQ(rows[i].size_bytes > 0, true, "%s", rows[i].name);
        if (count > 1) {
            CHECK_EQ(rows[i].stride_bytes >= rows[i].size_bytes, true, "%s",
                     rows[i].name);
        }
        end = rows[i].base + (count - 1) * rows[i].stride_bytes +
              rows[i].size_bytes;
        CHECK_EQ(end <= size, true, "%s", rows[i].name);
        if (rows[i].inside != rows) { /* a neighbour has the same windows */
            check_rows(rows[i].inside, rows[i].nr_inside, rows[i].size_bytes);
        }
    }
}

static void test_map_rows_are_sorted_and_disjoint(void **state)
{
    (void)state;
    for (size_t g = 0; trench_gen_at(g); g++) {
        const struct trench_gen *gen = trench_gen_at(g);

        check_rows(gen->windows, gen->nr_windows, UINT64_MAX);
        for (size_t i = 0; i < gen->nr_clusters; i++) {
            check_rows(gen->clusters[i].inside, gen->clusters[i].nr_inside,
                       gen->clusters[i].stride_bytes);
        }
    }
}

/* 1.4, 3.3, 4.3, 4.9; host-driver 2.2, 2.8, 2.9. */
static void test_map_things_in_windows(void **state)
{
    static const struct place_row rows[] = {
        { "cayman", "APB_SE_0_USER_FIS_SDMA_0", 0x100C000000 },
        { "cayman", "APB_SE_0_USER_FIS_SDMA_31", 0x100C3E0000 },
        { "cayman", "APB_SE_1_USER_FIS_SDMA_0", 0x500C400000 },
        { "cayman", "APB_SE_3_USER_FIS_SDMA_31", 0x80500C7E0000 },
        { "cayman", "APB_SE_0_USER_FIS_SDMA_1.DEBUG_FIS_0", 0x100C030000 },
        { "cayman", "PEB_APB_IO_0_AMZN_SE_0_SDMA_0", 0x20008010000000 },
        { "cayman", "PEB_APB_IO_0_AMZN_SE_0_SDMA_1_CCE", 0x20008010093000 },
        { "cayman", "PEB_APB_IO_0_AMZN_SE_0_SDMA_0_DRE_ERG", 0x20008010012000 },
        { "cayman", "PEB_APB_IO_0_AMZN_IO_FABRIC_APBBLK", 0x20008012100000 },
        { "cayman", "PEB_APB_IO_1_AMZN_SE_1_FABRIC_APBBLK", 0x20808012200000 },
        { "cayman", "TPB_0_SCRATCH_RAM", 0x2004000000 },
        { "cayman", "TPB_0_DGE_MEM", 0x2040000000 },
        { "cayman", "TPB_0_PSUM_BUF", 0x2802000000 },
        { "cayman", "PEB_APB_IO_0_AMZN_SE_0_FABRIC_APBBLK_BLK_1",
          0x20008012181000 },
        { "cayman",
          "PEB_APB_IO_1_AMZN_IO_FABRIC_APBBLK_BLK_0.apbblk_ctrl.num_cam_entries",
          0x20808012100008 },
        { "cayman", "TOP_SP_0_LOCAL_REG", 0x8280260000 },
        { "cayman", "TOP_SP_10_LOCAL_REG.general[45].lr", 0x8082802615A0 },
        { "sunda", "TOP_SP_5_LOCAL_REG.bell.host_trigger", 0xFFFD1660848 },
        { "cayman", "TPB_0_EVT_SEM", 0x2802700000 },
        { "cayman", "TPB_1_EVT_SEM", 0x3802700000 },
        { "cayman", "TPB_2_EVT_SEM", 0x6802700000 },
        { "cayman", "TPB_3_EVT_SEM", 0x7802700000 },
        { "cayman", "TPB_7_EVT_SEM_EVENT[255]", 0x8078027003FC },
        { "cayman", "TPB_0_EVT_SEM_READ[1]", 0x2802701004 },
        { "cayman", "TPB_0_EVT_SEM_SET[1]", 0x2802701404 },
        { "cayman", "TPB_0_EVT_SEM_INC[5]", 0x2802701814 },
        { "cayman", "TPB_0_EVT_SEM_DEC[255]", 0x2802701FFC },
        { "cayman", "TOP_SP_1_EVT_SEM_INC[0]", 0x82C0001800 },
        { "cayman", "APB_IO_0_MISC_RAM", 0x8006C84000 },
        { "cayman", "APB_IO_0_CORE_NOTIFIC_0", 0x8006001000 },
        { "cayman", "APB_IO_0_CORE_NOTIFIC_3", 0x8006581000 },
        { "cayman", "APB_IO_1_TOP_SP_NOTIFIC_7", 0x808006BC0000 },
        { "cayman", "PCIE_B0_2_APB_IO_0_MISC_RAM", 0x18008006C84000 },
        { "sunda", "TPB_0", 0xFFFC0000000 },
        { "sunda", "TPB_0_EVT_SEM", 0xFFFC2700000 },
        { "sunda", "TPB_1_EVT_SEM", 0xFFFC6700000 },
        { "sunda", "TOP_SP_5", 0xFFFD1400000 },
        { "sunda", "APB_CORE_NOTIFIC_0", 0xFFFF0535000 },
        { "sunda", "APB_CORE_NOTIFIC_1", 0xFFFF0C35000 },
        { "sunda", "APB_TOP_SP_NOTIFIC_0", 0xFFFF0E04000 },
        { "sunda", "APB_TOP_SP_NOTIFIC_5", 0xFFFF0F44000 },
        { "sunda", "APB_MISC_RAM", 0xFFFF0FA0000 },
        { "sunda", "PCIE_HOST", 0x100000000000 },
        { "sunda", "HBM_1", 0x1000000000 },
    };

    (void)state;
    check_places(rows, ARRAY_LEN(rows));
}

static void test_map_numbers(void **state)
{
    struct trench_map_info info;

    (void)state;
    info = look(cayman(), 0x8078027003FC);
    CHECK_EQ(info.index[TRENCH_INDEX_CORE], 7, "core of TPB_7");
    CHECK_EQ(info.index[TRENCH_INDEX_EVENT], 255, "event");
    info = look(cayman(), 0x2802701814);
    CHECK_EQ(info.index[TRENCH_INDEX_SEMAPHORE], 5, "semaphore");
    info = look(cayman(), 0x80500C7E4800);
    CHECK_EQ(info.index[TRENCH_INDEX_ENGINE], 127, "engine of a USER_FIS");
    CHECK_EQ(info.index[TRENCH_INDEX_CORE], 7, "its core");
    info = look(cayman(), 0x20808010013000);
    CHECK_EQ(info.index[TRENCH_INDEX_ENGINE], 64, "engine of a CCE");
    info = look(cayman(), 0x8006581000);
    CHECK_EQ(info.index[TRENCH_INDEX_CORE], 3, "core of a notifier");
    info = look(cayman(), 0x808006581000);
    CHECK_EQ(info.index[TRENCH_INDEX_CORE], 7, "core of a notifier, die 1");
    info = look(cayman(), 0x808006BC0000);
    CHECK_EQ(info.index[TRENCH_INDEX_TOP_SP], 17, "TOP_SP of a notifier");
    info = look(cayman(), 0x18008006C84038);
    CHECK_EQ(info.index[TRENCH_INDEX_NEIGHBOUR], 2, "host-driver 2.10");
    CHECK_EQ(info.status, TRENCH_MAP_NOT_MODELLED, "neighbour");
    /* engines 128..131 serve no core */
    info = look(cayman(), 0x808006900000);
    CHECK_EQ(info.index[TRENCH_INDEX_ENGINE], 131, "H2D_1");
    CHECK_EQ(info.index[TRENCH_INDEX_CORE], -1, "H2D_1");
    CHECK_EQ(info.index[TRENCH_INDEX_LANE], -1, "H2D_1");
}

/* 3.3: populated HBM and SBUF by generation. */
static void test_map_memories(void **state)
{
    static const struct {
        const char *gen;
        uint64_t hbm;
        uint64_t tpb;
        uint32_t valid;
    } rows[] = {
        { "sunda", 0x400000000, 0xFFFC0000000, 0x30000 },
        { "cayman", 0x600000000, 0x2000000000, 0x38000 },
        { "mariana", 0x900000000, 0x2000000000, 0x40000 },
        { "mariana_plus", 0x900000000, 0x2000000000, 0x40000 },
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        const struct trench_gen *gen = trench_gen_find(rows[i].gen);
        struct trench_map_info info = look(gen, rows[i].hbm - 1);

        CHECK_EQ(info.status, TRENCH_MAP_MODELLED, "%s", gen->name);
        info = look(gen, rows[i].hbm);
        CHECK_EQ(info.status != TRENCH_MAP_MODELLED, true, "%s", gen->name);
        info = look(gen, rows[i].tpb + 3 * 0x40000 + rows[i].valid - 1);
        CHECK_EQ(info.status, TRENCH_MAP_MODELLED, "%s", gen->name);
        CHECK_EQ(info.index[TRENCH_INDEX_PARTITION], 3, "%s", gen->name);
        info = look(gen, rows[i].tpb + 3 * 0x40000 + rows[i].valid);
        CHECK_EQ(info.status,
                 rows[i].valid == 0x40000 ? TRENCH_MAP_MODELLED
                                          : TRENCH_MAP_UNPOPULATED,
                 "%s", gen->name);
    }
    CHECK_EQ(look(cayman(), 0x600000000).status, TRENCH_MAP_UNPOPULATED, "HBM");
}

/* ---- PCIe (3.5, 1.5, udma-engine 5.8.6) ---------------------------------- */

/* An offset of a BAR and back. */
static void check_bar(const struct trench_gen *gen, const char *bar,
                      uint64_t offset, uint64_t want)
{
    struct trench_map_bar bars[TRENCH_MAP_BARS];
    uint64_t addr = 0;
    bool back = false;
    int nr;

    CHECK_EQ(trench_map_from_bar(gen, bar, offset, &addr), 0, "%s:0x%llx", bar,
             ULL(offset));
    CHECK_EQ(addr, want, "%s:0x%llx", bar, ULL(offset));
    nr = trench_map_to_bar(gen, want, bars);
    for (int i = 0; i < nr; i++) {
        back = back || bars[i].offset == offset;
    }
    CHECK_EQ(back, true, "%s:0x%llx back", bar, ULL(offset));
}

static void check_gap(const struct trench_gen *gen, const char *bar,
                      uint64_t offset)
{
    uint64_t addr = 1;

    CHECK_EQ(trench_map_from_bar(gen, bar, offset, &addr), TRENCH_ERR_FAULT,
             "%s:0x%llx", bar, ULL(offset));
    CHECK_EQ(addr, 1, "untouched");
}

static void test_map_bar_windows(void **state)
{
    const struct trench_gen *gen = cayman();

    (void)state;
    check_bar(gen, "0", 0x1FFFFFFF, 0x801FFFFFFF);
    check_gap(gen, "0", 0x20000000);
    check_bar(gen, "0", 0x40000000, 0x808000000000);
    check_bar(gen, "0", 0x8C7FFFFF, 0x100C7FFFFF);
    check_gap(gen, "0", 0x8C800000);
    check_bar(gen, "0", 0xC0000000, 0x1200000000);
    check_bar(gen, "0", 0xC34BFFFF, 0x12034BFFFF);
    check_gap(gen, "0", 0xC34C0000);
    check_bar(gen, "0", 0xC4000000, 0x5200000000);
    check_bar(gen, "0", 0xC8000000, 0x801200000000);
    check_bar(gen, "0", 0xCC000000, 0x805200000000);
    for (uint64_t n = 0; n < 20; n++) {
        check_bar(gen, "0", 0xF0000000 + n * 0x400000,
                  n / 10 * DIE_1 + 0x8280000000 + n % 10 * 0x40000000);
    }
    check_bar(gen, "0", 0xF2800000, 0x808280000000); /* TOP_SP_10 */
    check_bar(gen, "0", 0xF5000000, 0x8580200000);
    check_bar(gen, "0", 0xF5100000, 0x808580200000);
    check_bar(gen, "0", 0xF5200000, 0x8580000000);
    check_bar(gen, "0", 0xF5203FFF, 0x808580001FFF);
    check_gap(gen, "0", 0xF5204000);
    check_gap(gen, "0", UINT64_MAX);
    check_bar(gen, "4", 0x1000000000, 0x4000000000);
    check_bar(gen, "main.4", 0x2000000000, 0x800000000000);
    check_bar(gen, "4", 0x3FFFFFFFFF, 0x804FFFFFFFFF);
    check_gap(gen, "4", 0x4000000000);
    check_bar(gen, "amzn0.0", 0x3FFFFF, 0x200085807FFFFF);
    check_gap(gen, "amzn0.0", 0x400000);
    check_bar(gen, "amzn0.3", 0x2000000, 0x20008002000000);
    check_bar(gen, "AMZN1.3", 0, 0x20808000000000);
}

/* TPB windows; the semaphore of NC n decides where the second one is (8, W). */
static void test_map_bar_tpb(void **state)
{
    static const uint64_t tpb[] = { 0x2000000000, 0x3000000000, 0x6000000000,
                                    0x7000000000 };

    (void)state;
    for (uint64_t n = 0; n < 8; n++) {
        uint64_t base = tpb[n % 4] | (n / 4 * DIE_1);
        uint64_t offset = 0xD0000000 + n * 0x4000000;

        check_bar(cayman(), "0", offset, base);
        check_bar(cayman(), "0", offset + 0x1FFFFFF, base + 0x1FFFFFF);
        check_bar(cayman(), "0", offset + 0x2000000, base + 0x802000000);
        check_bar(cayman(), "0", offset + 0x2700000, base + 0x802700000);
    }
}

static void test_map_bar_engines(void **state)
{
    static const struct {
        unsigned engine;
        uint64_t offset;
    } rows[] = {
        { 0, 0x82000000 },   { 31, 0x83F00000 },  { 32, 0x94000000 },
        { 63, 0x95F00000 },  { 64, 0xA2000000 },  { 96, 0xB4000000 },
        { 127, 0xB5F00000 }, { 128, 0x6800000 },  { 129, 0x6900000 },
        { 130, 0x46800000 }, { 131, 0x46900000 },
    };
    uint64_t base = 0;

    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        trench_gen_engine_base(cayman(), rows[i].engine, false, &base);
        check_bar(cayman(), "0", rows[i].offset, base);
        check_bar(cayman(), "0", rows[i].offset + 0x40000, base + 0x40000);
        check_bar(cayman(), "0", rows[i].offset + 0x41000, base + 0x41000);
    }
    check_bar(cayman(), "0", 0x82080000, 0x1002080000); /* broadcast block 0 */
    check_bar(cayman(), "0", 0x8C000000, 0x100C000000); /* USER_FIS, e = 0 */
    check_bar(cayman(), "0", 0x9C400000, 0x500C400000); /* e = 32 */
    check_bar(cayman(), "0", 0xBC7E0000, 0x80500C7E0000); /* e = 127 */
    check_bar(cayman(), "0", 0x6C84000, 0x8006C84000);    /* MISC RAM */
}

/* A privileged address is in no BAR of the main function. */
static void test_map_bar_routes(void **state)
{
    struct trench_map_bar bars[TRENCH_MAP_BARS];
    uint64_t addr;

    (void)state;
    CHECK_EQ(trench_map_to_bar(cayman(), 0x20008002000000, bars), 1, "PEB");
    assert_string_equal(bars[0].window->function, "amzn0");
    CHECK_EQ(trench_map_to_bar(cayman(), 0x20008580400000, bars), 1, "HSIO");
    CHECK_EQ(trench_map_to_bar(cayman(), 0x2004000000, bars), 0, "scratch");
    CHECK_EQ(trench_map_from_bar(cayman(), "1", 0, &addr), TRENCH_ERR_NODEV,
             "no BAR 1");
    CHECK_EQ(trench_map_from_bar(sunda(), "amzn0.3", 0, &addr),
             TRENCH_ERR_NODEV, "sunda has no such function");
}

/* 1.5 and 3.5 of sunda; udma-engine 5.8.6. */
static void test_map_sunda_engines(void **state)
{
    (void)state;
    for (unsigned e = 0; e < 34; e++) {
        static const uint64_t io_udma[] = { 0x30600000, 0x30D00000 };
        static const uint64_t io_app[] = { 0x30640000, 0x30D40000 };
        uint64_t udma = e < 32 ? 0x30000000 + e / 16 * UINT64_C(0x700000) +
                                     e % 16 * UINT64_C(0x40000)
                               : io_udma[e - 32];
        uint64_t app = e < 32 ? 0x30400000 + e / 16 * UINT64_C(0x700000) +
                                    e % 16 * UINT64_C(0x7000)
                              : io_app[e - 32];
        uint64_t base = 0;
        uint64_t block = 0;

        CHECK_EQ(trench_gen_engine_base(sunda(), e, false, &base), 0, "%u", e);
        check_bar(sunda(), "0", udma, base);
        CHECK_EQ(trench_gen_engine_base(sunda(), e, true, &base),
                 TRENCH_ERR_NODEV, "%u", e);
        CHECK_EQ(trench_gen_block_base(sunda(), e, TRENCH_BLOCK_UDMA_GEN, false,
                                       &block),
                 0, "%u", e);
        CHECK_EQ(block, base + 0x38000, "%u", e);
        CHECK_EQ(trench_gen_block_base(sunda(), e, TRENCH_BLOCK_TDMA_MODEL,
                                       false, &block),
                 0, "%u", e);
        check_bar(sunda(), "0", app, block);
    }
    check_bar(sunda(), "0", 0x4000000, 0xFFFC4000000);
    check_bar(sunda(), "0", 0x10000000, 0xFFFD0000000);
    check_bar(sunda(), "0", 0x30FA0000, 0xFFFF0FA0000);
    check_bar(sunda(), "4", 0x400000000, 0x1000000000);
    check_gap(sunda(), "0", 0x8000000);
    check_gap(sunda(), "0", 0x11800000);
    check_gap(sunda(), "4", 0x800000000);
}

static void test_map_block_base_has_no_invention(void **state)
{
    uint64_t base = 1;

    (void)state;
    CHECK_EQ(trench_gen_block_base(cayman(), 132, TRENCH_BLOCK_UDMA_GEN, false,
                                   &base),
             TRENCH_ERR_NODEV, "no engine");
    CHECK_EQ(
        trench_gen_block_base(cayman(), 0, TRENCH_BLOCK_IOFIC, false, &base),
        TRENCH_ERR_NODEV, "not a unit");
    CHECK_EQ(trench_gen_block_base(cayman(), 0, TRENCH_NR_BLOCKS, false, &base),
             TRENCH_ERR_NODEV, "no block");
    CHECK_EQ(base, 1, "untouched");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_map_worked_values),
        cmocka_unit_test(test_map_the_example),
        cmocka_unit_test(test_map_broadcast_nodes),
        cmocka_unit_test(test_map_totals),
        cmocka_unit_test(test_map_address_bits),
        cmocka_unit_test(test_map_views_cover_the_address),
        cmocka_unit_test(test_map_attribute_bits_are_dropped),
        cmocka_unit_test(test_map_windows),
        cmocka_unit_test(test_map_rows_are_sorted_and_disjoint),
        cmocka_unit_test(test_map_things_in_windows),
        cmocka_unit_test(test_map_numbers),
        cmocka_unit_test(test_map_memories),
        cmocka_unit_test(test_map_bar_windows),
        cmocka_unit_test(test_map_bar_tpb),
        cmocka_unit_test(test_map_bar_engines),
        cmocka_unit_test(test_map_bar_routes),
        cmocka_unit_test(test_map_sunda_engines),
        cmocka_unit_test(test_map_block_base_has_no_invention),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
