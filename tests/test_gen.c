/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Generations as data, cayman in full: address-map 1.1, 2.1 to 2.4, 3.2, 3.3;
 * seed 000 section 2.2; seed 002 section 2. H60, H62, H63, H65.
 */
#include <trench/gen.h>

#include "check.h"
#include "rig.h"

#define DIE_1 UINT64_C(0x800000000000)
#define PEB   UINT64_C(0x20000000000000)

static const struct trench_gen *cayman(void)
{
    const struct trench_gen *gen = trench_gen_find("cayman");

    CHECK_EQ(gen != NULL, true, "cayman");
    return gen;
}

/* ---- lookups ------------------------------------------------------------ */

static void test_gen_find(void **state)
{
    static const char *const known[] = { "cayman", "CAYMAN", "Cayman",
                                         "cAyMaN" };
    static const char *const unknown[] = { "",        "caymans",  "cayma",
                                           " cayman", "maverick", "trn2" };

    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(known); i++) {
        CHECK_EQ(trench_gen_find(known[i]) == cayman(), true, "%s", known[i]);
    }
    for (size_t i = 0; i < ARRAY_LEN(unknown); i++) {
        CHECK_EQ(trench_gen_find(unknown[i]) == NULL, true, "%s", unknown[i]);
    }
    CHECK_EQ(trench_gen_find(NULL) == cayman(), true, "the default");
    assert_string_equal(cayman()->name, "cayman");
}

static void test_gen_at_lists_all(void **state)
{
    const struct trench_gen *gen;
    bool listed = false;
    size_t n = 0;

    (void)state;
    while ((gen = trench_gen_at(n)) != NULL) {
        CHECK_EQ(trench_gen_find(gen->name) == gen, true, "%s", gen->name);
        CHECK_EQ(gen->title && gen->title[0], true, "%s", gen->name);
        listed = listed || gen == cayman();
        n++;
    }
    CHECK_EQ(listed, true, "cayman");
    CHECK_EQ(trench_gen_at(n + 1) == NULL, true, "past the end");
    CHECK_EQ(trench_gen_at(SIZE_MAX) == NULL, true, "past the end");
}

static void test_gen_mem_kind_names(void **state)
{
    (void)state;
    assert_string_equal(trench_mem_kind_name(TRENCH_MEM_HBM), "hbm");
    assert_string_equal(trench_mem_kind_name(TRENCH_MEM_SBUF), "sbuf");
    assert_string_equal(trench_mem_kind_name(TRENCH_MEM_PSUM), "psum");
    assert_string_equal(trench_mem_kind_name(TRENCH_MEM_HOST), "host");
}

/* ---- channels ----------------------------------------------------------- */

/* address-map 2.1, in its order. */
static const struct cluster_row {
    const char *name;
    uint64_t first;
    uint64_t last;
    unsigned nr;
    unsigned engine;
    unsigned die;
    bool peb;
} cluster_rows[] = {
    { "APB_SE_0", 0x1002000000, 0x1003F00000, 32, 0, 0, false },
    { "APB_SE_1", 0x5004000000, 0x5005F00000, 32, 32, 0, false },
    { "APB_SE_2", 0x801002000000, 0x801003F00000, 32, 64, 1, false },
    { "APB_SE_3", 0x805004000000, 0x805005F00000, 32, 96, 1, false },
    { "PEB_APB_IO_0_USER_SE_0", 0x20008002000000, 0x20008003F00000, 32, 0, 0,
      true },
    { "PEB_APB_IO_0_USER_SE_1", 0x20008004000000, 0x20008005F00000, 32, 32, 0,
      true },
    { "PEB_APB_IO_1_USER_SE_0", 0x20808002000000, 0x20808003F00000, 32, 64, 1,
      true },
    { "PEB_APB_IO_1_USER_SE_1", 0x20808004000000, 0x20808005F00000, 32, 96, 1,
      true },
    { "PEB_APB_IO_0_USER_IO", 0x20008006800000, 0x20008006900000, 2, 128, 0,
      true },
    { "PEB_APB_IO_1_USER_IO", 0x20808006800000, 0x20808006900000, 2, 130, 1,
      true },
    { "APB_IO_0_USER_IO", 0x8006800000, 0x8006900000, 2, 128, 0, false },
    { "APB_IO_1_USER_IO", 0x808006800000, 0x808006900000, 2, 130, 1, false },
};

static const struct trench_gen_cluster *find_cluster(const char *name)
{
    const struct trench_gen *gen = cayman();

    for (size_t i = 0; i < gen->nr_clusters; i++) {
        if (strcmp(gen->clusters[i].name, name) == 0) {
            return &gen->clusters[i];
        }
    }
    return NULL;
}

static void test_gen_clusters(void **state)
{
    (void)state;
    CHECK_EQ(cayman()->nr_clusters, ARRAY_LEN(cluster_rows), "clusters");
    for (size_t i = 0; i < ARRAY_LEN(cluster_rows); i++) {
        const struct cluster_row *row = &cluster_rows[i];
        const struct trench_gen_cluster *c = find_cluster(row->name);

        CHECK_EQ(c != NULL, true, "%s", row->name);
        CHECK_EQ(c->base, row->first, "%s", row->name);
        CHECK_EQ(c->stride_bytes, 0x100000, "%s", row->name);
        CHECK_EQ(c->nr_channels, row->nr, "%s", row->name);
        CHECK_EQ(c->base + (row->nr - 1) * UINT64_C(0x100000), row->last, "%s",
                 row->name);
        CHECK_EQ(c->first_engine, row->engine, "%s", row->name);
        CHECK_EQ(c->die, row->die, "%s", row->name);
        CHECK_EQ(c->privileged, row->peb, "%s", row->name);
        /* Broadcast nodes on channels 0 and 16 of 32, none on IO. */
        CHECK_EQ(c->bcast_every, row->nr == 32 ? 16 : 0, "%s", row->name);
        /* Bit 47 is the die, bit 53 the privileged route. */
        CHECK_EQ((c->base & DIE_1) != 0, row->die, "%s", row->name);
        CHECK_EQ((c->base & PEB) != 0, row->peb, "%s", row->name);
    }
}

/* 280 = 264 unicast + 16 broadcast; 132 engines by two routes. */
static void test_gen_node_counts(void **state)
{
    const struct trench_gen *gen = cayman();
    unsigned seen[2][132] = { { 0 } };
    unsigned unicast = 0;
    unsigned broadcast = 0;

    (void)state;
    CHECK_EQ(gen->nr_engines, 132, "engines");
    CHECK_EQ(gen->nr_cores, 8, "cores");
    CHECK_EQ(gen->bcast_lanes, 16, "lanes");
    CHECK_EQ(gen->bcast_offset, 0x80000, "mirror");
    for (size_t i = 0; i < gen->nr_clusters; i++) {
        const struct trench_gen_cluster *c = &gen->clusters[i];

        unicast += c->nr_channels;
        for (unsigned k = 0; k < c->nr_channels; k++) {
            CHECK_EQ(c->first_engine + k < 132, true, "%s", c->name);
            seen[c->privileged][c->first_engine + k]++;
            broadcast += c->bcast_every && k % c->bcast_every == 0;
        }
    }
    CHECK_EQ(unicast, 264, "unicast nodes");
    CHECK_EQ(broadcast, 16, "broadcast nodes");
    CHECK_EQ(unicast + broadcast, 280, "nodes");
    for (unsigned e = 0; e < 132; e++) {
        CHECK_EQ(seen[0][e], 1, "plain route of %u", e);
        CHECK_EQ(seen[1][e], 1, "privileged route of %u", e);
    }
}

/* The privileged formula of address-map 2.2. */
static uint64_t privileged_base(unsigned engine)
{
    uint64_t n = engine % 32;
    uint64_t die = engine / 64;
    unsigned se = engine / 32 % 2;

    if (engine >= 128) {
        return rig_engine_base(engine) | PEB;
    }
    return (PEB | die << 47 | UINT64_C(0x8000000000)) +
           (se ? 0x4000000 : 0x2000000) + n * 0x100000;
}

static void test_gen_engine_bases(void **state)
{
    (void)state;
    for (unsigned e = 0; e < 132; e++) {
        uint64_t base = 0;

        CHECK_EQ(trench_gen_engine_base(cayman(), e, false, &base), 0, "%u", e);
        CHECK_EQ(base, rig_engine_base(e), "plain %u", e);
        CHECK_EQ(trench_gen_engine_base(cayman(), e, true, &base), 0, "%u", e);
        CHECK_EQ(base, privileged_base(e), "privileged %u", e);
    }
}

/* address-map 2.2, "worked values"; seed 002 section 2. */
static void test_gen_worked_addresses(void **state)
{
    static const struct {
        unsigned engine;
        uint32_t off;
        uint64_t addr;
    } rows[] = {
        { 5, 0x6038, 0x1002506038 },      /* M2S q5 tail increment */
        { 0, 0x3A104, 0x100203A104 },     /* GEN revision */
        { 0, 0x40100, 0x1002040100 },     /* broadcast_cfg_group */
        { 0, 0x81038, 0x1002081038 },     /* block 0, M2S q0 */
        { 0, 0xA1038, 0x10020A1038 },     /* block 0, S2M q0 */
        { 16, 0x8C038, 0x100308C038 },    /* block 1, M2S q11 */
        { 0, 0x810B0, 0x10020810B0 },     /* block 0, M2S sw_ctrl */
        { 0, 0xA1064, 0x10020A1064 },     /* block 0, S2M sw_ctrl */
        { 112, 0x90038, 0x805005090038 }, /* block 7, M2S q15 */
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        uint64_t base = 0;

        CHECK_EQ(trench_gen_engine_base(cayman(), rows[i].engine, false, &base),
                 0, "row %zu", i);
        CHECK_EQ(base + rows[i].off, rows[i].addr, "row %zu", i);
    }
}

/* cayman_bcast_region_table (seed 000 section 2.2) and its twins. */
static void test_gen_broadcast_regions(void **state)
{
    static const uint64_t table[8][2] = {
        { 0x0000001002080000, 0x20008002080000 },
        { 0x0000001003080000, 0x20008003080000 },
        { 0x0000005004080000, 0x20008004080000 },
        { 0x0000005005080000, 0x20008005080000 },
        { 0x0000801002080000, 0x20808002080000 },
        { 0x0000801003080000, 0x20808003080000 },
        { 0x0000805004080000, 0x20808004080000 },
        { 0x0000805005080000, 0x20808005080000 },
    };
    const struct trench_gen *gen = cayman();
    unsigned found[8][2] = { { 0 } };

    (void)state;
    for (size_t i = 0; i < gen->nr_clusters; i++) {
        const struct trench_gen_cluster *c = &gen->clusters[i];

        for (unsigned k = 0; c->bcast_every && k < c->nr_channels;
             k += c->bcast_every) {
            unsigned block = (c->first_engine + k) / 16;
            uint64_t addr =
                c->base + (uint64_t)k * c->stride_bytes + gen->bcast_offset;

            CHECK_EQ(addr, table[block][c->privileged], "%s channel %u",
                     c->name, k);
            found[block][c->privileged]++;
        }
    }
    for (unsigned b = 0; b < 8; b++) {
        CHECK_EQ(found[b][0], 1, "block %u", b);
        CHECK_EQ(found[b][1], 1, "block %u", b);
    }
}

static void test_gen_engine_lookup_errors(void **state)
{
    static const unsigned bad[] = {
        132, 133, 255, 256, 65535, 65536, UINT32_MAX
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
        uint64_t base = 77;
        char name[8] = "keep";

        for (unsigned peb = 0; peb < 2; peb++) {
            CHECK_EQ(trench_gen_engine_base(cayman(), bad[i], peb, &base),
                     TRENCH_ERR_NODEV, "%u", bad[i]);
        }
        CHECK_EQ(base, 77, "untouched");
        CHECK_EQ(trench_gen_engine_name(cayman(), bad[i], name, sizeof(name)),
                 TRENCH_ERR_NODEV, "%u", bad[i]);
    }
}

static void check_name(unsigned engine, const char *want)
{
    char name[64];
    int len = (int)strlen(want);

    CHECK_EQ(trench_gen_engine_name(cayman(), engine, name, sizeof(name)), len,
             "engine %u", engine);
    assert_string_equal(name, want);
    /* Cut as snprintf cuts. */
    CHECK_EQ(trench_gen_engine_name(cayman(), engine, name, 5), len,
             "engine %u", engine);
    CHECK_EQ(strlen(name), 4, "engine %u", engine);
    CHECK_EQ(trench_gen_engine_name(cayman(), engine, NULL, 0), len,
             "engine %u", engine);
}

static void test_gen_engine_names(void **state)
{
    (void)state;
    for (unsigned e = 0; e < 128; e++) {
        char want[32];

        snprintf(want, sizeof(want), "APB_SE_%u_SDMA_%u", e / 32, e % 32);
        check_name(e, want);
    }
    check_name(128, "APB_IO_0_USER_IO_D2H");
    check_name(129, "APB_IO_0_USER_IO_H2D");
    check_name(130, "APB_IO_1_USER_IO_D2H");
    check_name(131, "APB_IO_1_USER_IO_H2D");
}

/* ---- the inside of a channel -------------------------------------------- */

static void test_gen_units(void **state)
{
    static const struct {
        const char *name;
        enum trench_block_id block;
        uint32_t offset;
        uint32_t size;
        bool broadcast;
    } rows[] = {
        { "UDMA_M2S", TRENCH_BLOCK_UDMA_M2S, 0x00000, 0x20000, true },
        { "UDMA_S2M", TRENCH_BLOCK_UDMA_S2M, 0x20000, 0x18000, true },
        { "UDMA_GEN", TRENCH_BLOCK_UDMA_GEN, 0x38000, 0x04000, true },
        { "UDMA_GEN_EX", TRENCH_BLOCK_UDMA_GEN_EX, 0x3C000, 0x04000, true },
        { "MISC_SDMA_APP", TRENCH_BLOCK_TDMA_MODEL, 0x40000, 0x01000, false },
        { "MISC_NOTIFIC", TRENCH_BLOCK_NOTIFIC_10_QUEUE, 0x41000, 0x01000,
          false },
    };
    const struct trench_gen *gen = cayman();

    (void)state;
    CHECK_EQ(gen->nr_units, ARRAY_LEN(rows), "units");
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        const struct trench_gen_unit *u = NULL;
        const struct trench_csr_block *block;

        for (size_t k = 0; k < gen->nr_units; k++) {
            u = gen->units[k].block == rows[i].block ? &gen->units[k] : u;
        }
        CHECK_EQ(u != NULL, true, "%s", rows[i].name);
        assert_string_equal(u->name, rows[i].name);
        CHECK_EQ(u->offset, rows[i].offset, "%s", u->name);
        CHECK_EQ(u->size_bytes, rows[i].size, "%s", u->name);
        CHECK_EQ(u->broadcast, rows[i].broadcast, "%s", u->name);
        /* The register map is there, and its registers fit the window. */
        block = trench_csr_builtin(gen->name, u->block);
        CHECK_EQ(block != NULL, true, "%s", u->name);
        CHECK_EQ(block->size_bytes >= u->size_bytes, true, "%s", u->name);
        for (uint32_t w = u->size_bytes / 4; w < block->size_bytes / 4; w++) {
            CHECK_EQ(block->word_inst[w], 0, "%s word %u", u->name, w);
        }
    }
}

/* ---- memory ------------------------------------------------------------- */

static const struct trench_gen_mem *find_mem(uint64_t base)
{
    const struct trench_gen *gen = cayman();

    for (size_t i = 0; i < gen->nr_mems; i++) {
        if (gen->mems[i].base == base) {
            return &gen->mems[i];
        }
    }
    return NULL;
}

static const uint64_t hbm_bases[] = { 0x0, 0x4000000000, 0x800000000000,
                                      0x804000000000 };
static const uint64_t tpb_bases[] = {
    0x2000000000,   0x3000000000,   0x6000000000,   0x7000000000,
    0x802000000000, 0x803000000000, 0x806000000000, 0x807000000000,
};

/* 24 GiB populated of each 64 GiB decode window (address-map 8 row S). */
static void test_gen_hbm_windows(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(hbm_bases); i++) {
        const struct trench_gen_mem *m = find_mem(hbm_bases[i]);
        char name[16];

        CHECK_EQ(m != NULL, true, "HBM_%zu", i);
        snprintf(name, sizeof(name), "HBM_%zu", i);
        assert_string_equal(m->name, name);
        CHECK_EQ(m->kind, TRENCH_MEM_HBM, "%s", name);
        CHECK_EQ(m->size_bytes, 0x600000000, "%s", name);
        CHECK_EQ(m->stride_bytes, 0, "%s", name);
        CHECK_EQ(m->alias, 0, "%s", name);
    }
}

/* H62: 128 partitions of 0x40000, 0x38000 bytes of each populated. */
static void test_gen_tpb_windows(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(tpb_bases); i++) {
        const struct trench_gen_mem *sbuf = find_mem(tpb_bases[i]);
        const struct trench_gen_mem *psum =
            find_mem(tpb_bases[i] + 0x802000000);

        CHECK_EQ(sbuf != NULL, true, "TPB_%zu", i);
        CHECK_EQ(sbuf->kind, TRENCH_MEM_SBUF, "TPB_%zu", i);
        CHECK_EQ(sbuf->size_bytes, 0x2000000, "TPB_%zu", i);
        CHECK_EQ(sbuf->stride_bytes, 0x40000, "TPB_%zu", i);
        CHECK_EQ(sbuf->valid_bytes, 0x38000, "TPB_%zu", i);
        CHECK_EQ(psum != NULL, true, "TPB_%zu", i);
        CHECK_EQ(psum->kind, TRENCH_MEM_PSUM, "TPB_%zu", i);
        CHECK_EQ(psum->size_bytes, 0x400000, "TPB_%zu", i);
        CHECK_EQ(psum->stride_bytes, 0, "TPB_%zu", i);
    }
}

/* H63: bit 46 and, the same bytes, bit 46 with the die bit; 64 TiB. */
static void test_gen_host_window(void **state)
{
    const struct trench_gen_mem *m = find_mem(0x400000000000);

    (void)state;
    CHECK_EQ(m != NULL, true, "host");
    CHECK_EQ(m->kind, TRENCH_MEM_HOST, "host");
    CHECK_EQ(m->size_bytes, 0x400000000000, "host");
    CHECK_EQ(m->alias, 0xC00000000000, "host");
    CHECK_EQ(cayman()->nr_mems,
             ARRAY_LEN(hbm_bases) + 2 * ARRAY_LEN(tpb_bases) + 1, "windows");
}

struct range {
    uint64_t first;
    uint64_t end;
    const char *name;
};

static int range_cmp(const void *a, const void *b)
{
    const struct range *x = a;
    const struct range *y = b;

    return (x->first > y->first) - (x->first < y->first);
}

static size_t list_ranges(struct range *out)
{
    const struct trench_gen *gen = cayman();
    size_t n = 0;

    for (size_t i = 0; i < gen->nr_mems; i++) {
        const struct trench_gen_mem *m = &gen->mems[i];

        out[n++] = (struct range){ m->base, m->base + m->size_bytes, m->name };
        if (m->alias) {
            out[n++] =
                (struct range){ m->alias, m->alias + m->size_bytes, m->name };
        }
    }
    for (size_t i = 0; i < gen->nr_clusters; i++) {
        const struct trench_gen_cluster *c = &gen->clusters[i];

        for (unsigned k = 0; k < c->nr_channels; k++) {
            uint64_t at = c->base + (uint64_t)k * c->stride_bytes;

            for (size_t u = 0; u < gen->nr_units; u++) {
                uint64_t base = at + gen->units[u].offset;

                out[n++] =
                    (struct range){ base, base + gen->units[u].size_bytes,
                                    c->name };
            }
            if (c->bcast_every && k % c->bcast_every == 0) {
                out[n++] =
                    (struct range){ at + 0x80000, at + 0xC0000, c->name };
            }
        }
    }
    return n;
}

/* address-map 3.2: no overlaps, and all below bit 54. */
static void test_gen_nothing_overlaps(void **state)
{
    static struct range ranges[264 * 6 + 16 + 64];
    size_t n = list_ranges(ranges);

    (void)state;
    CHECK_EQ(n, 264 * 6 + 16 + 22, "ranges");
    qsort(ranges, n, sizeof(*ranges), range_cmp);
    for (size_t i = 1; i < n; i++) {
        CHECK_EQ(ranges[i - 1].end <= ranges[i].first, true,
                 "%s at 0x%llx and %s at 0x%llx", ranges[i - 1].name,
                 ULL(ranges[i - 1].first), ranges[i].name,
                 ULL(ranges[i].first));
    }
    CHECK_EQ(ranges[n - 1].end <= UINT64_C(1) << 54, true, "populated map");
}

/* udma-engine 5.8.1, column C. */
static void test_gen_init_words(void **state)
{
    const struct trench_gen_init *init = &cayman()->init;

    (void)state;
    CHECK_EQ(init->m2s_data_cfg, 0x010008F8, "2.1");
    CHECK_EQ(init->m2s_ostand_cfg, 0x20808080, "2.2");
    CHECK_EQ(init->s2m_ostand_cfg_rd, 0x00400080, "2.11");
    CHECK_EQ(init->s2m_ostand_cfg_wr, 0x40804080, "2.12");
    CHECK_EQ(init->rob_txdf, 0x26, "2.35");
}

/* host-driver 1, 2.2: by product. */
static void test_gen_pci(void **state)
{
    static const struct {
        const char *gen;
        const char *product;
        uint16_t device;
        uint64_t register_bar_bytes;
        uint64_t misc_ram;
    } rows[] = {
        { "sunda", "trn1", 0x7164, UINT64_C(1) << 30, 0xFFFF0FA0000 },
        { "sunda", "inf2", 0x7264, UINT64_C(1) << 30, 0xFFFF0FA0000 },
        { "cayman", "trn2", 0x7364, UINT64_C(4) << 30, 0x8006C84000 },
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        const struct trench_gen_pci *pci = trench_gen_find(rows[i].gen)->pci;
        size_t n = i == 1; /* the second of its generation */

        CHECK_EQ(pci->nr_ids, i < 2 ? 2 : 1, "%s", rows[i].gen);
        assert_string_equal(pci->ids[n].name, rows[i].product);
        CHECK_EQ(pci->ids[n].device, rows[i].device, "%s", rows[i].product);
        CHECK_EQ(pci->vendor, 0x1D0F, "%s", rows[i].product);
        CHECK_EQ(pci->register_bar, 0, "%s", rows[i].product);
        CHECK_EQ(pci->qemu_register_bar, 2, "%s", rows[i].product);
        CHECK_EQ(pci->memory_bar, 4, "%s", rows[i].product);
        CHECK_EQ(pci->register_bar_bytes, rows[i].register_bar_bytes, "%s",
                 rows[i].product);
        CHECK_EQ(pci->misc_ram, rows[i].misc_ram, "%s", rows[i].product);
    }
    CHECK_EQ(trench_gen_find("sunda")->reset_word, 0xFFFF0647010, "2.5");
    CHECK_EQ(TRENCH_PCI_REVISION_QEMU, 255, "1");
    CHECK_EQ(TRENCH_PCI_REVISION_EMULATOR, 240, "1");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_gen_find),
        cmocka_unit_test(test_gen_at_lists_all),
        cmocka_unit_test(test_gen_mem_kind_names),
        cmocka_unit_test(test_gen_clusters),
        cmocka_unit_test(test_gen_node_counts),
        cmocka_unit_test(test_gen_engine_bases),
        cmocka_unit_test(test_gen_worked_addresses),
        cmocka_unit_test(test_gen_broadcast_regions),
        cmocka_unit_test(test_gen_engine_lookup_errors),
        cmocka_unit_test(test_gen_engine_names),
        cmocka_unit_test(test_gen_units),
        cmocka_unit_test(test_gen_hbm_windows),
        cmocka_unit_test(test_gen_tpb_windows),
        cmocka_unit_test(test_gen_host_window),
        cmocka_unit_test(test_gen_nothing_overlaps),
        cmocka_unit_test(test_gen_init_words),
        cmocka_unit_test(test_gen_pci),
    };

    return cmocka_run_group_tests_name("gen", tests, NULL, NULL);
}
