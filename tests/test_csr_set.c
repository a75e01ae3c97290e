/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Sets and libraries: folders, manifests, broken files; differences of
 * generations (seed 002 section 6), the shape of the shipped files (sections
 * 1 and 3 to 5), counts, and the text of headers.
 */
#include <regex.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>
#include <jansson.h>

#include <trench/csr.h>

#include "csr/header.h"
#include "data/csr/demo.h"
#include "data/csr/full.h"

/* Folders. */

struct folder {
    char path[32];
    char *files[8];
    size_t nr_files;
};

static void folder_open(struct folder *f)
{
    memset(f, 0, sizeof(*f));
    snprintf(f->path, sizeof(f->path), "/tmp/test_csr_XXXXXX");
    assert_non_null(mkdtemp(f->path));
}

/* Quotes become double. */
static void folder_add(struct folder *f, const char *name, const char *text)
{
    char *copy = mutate(text, "", "");
    char *file;
    FILE *out;

    assert_true(asprintf(&file, "%s/%s", f->path, name) >= 0);
    f->files[f->nr_files++] = file;
    out = fopen(file, "w");
    assert_non_null(out);
    fputs(copy, out);
    assert_int_equal(fclose(out), 0);
    free(copy);
}

static void folder_close(struct folder *f)
{
    for (size_t i = 0; i < f->nr_files; i++) {
        unlink(f->files[i]);
        free(f->files[i]);
    }
    assert_int_equal(rmdir(f->path), 0);
}

struct report {
    char text[1024];
    int nr;
};

static void take_report(void *opaque, const struct trench_csr_finding *f)
{
    struct report *report = opaque;
    size_t len = strlen(report->text);
    const char *slash = strrchr(f->file, '/');

    report->nr++;
    assert_int_equal(f->severity, TRENCH_CSR_ERROR);
    snprintf(report->text + len, sizeof(report->text) - len, "%s:%d: %s: %s\n",
             slash ? slash + 1 : f->file, f->err.line, f->err.path,
             f->err.reason);
}

static char *demo_called(const char *name)
{
    char quoted[64];

    snprintf(quoted, sizeof(quoted), "'%s'", name);
    return mutate(demo, "'demo'", quoted);
}

static void test_lib_loads_a_folder(void **state)
{
    struct trench_csr_lib *lib = NULL;
    struct report report = { .nr = 0 };
    struct folder f;
    char *other = demo_called("other");

    (void)state;
    folder_open(&f);
    folder_add(&f, "b.json", demo);
    folder_add(&f, "a.json", other);
    folder_add(&f, "c.json", "{'RegFile': 7}\n");
    folder_add(&f, "d.json", demo);
    folder_add(&f, "notes.txt", "not a schema");
    folder_add(&f, ".hidden.json", "not a schema");
    assert_int_equal(trench_csr_lib_load(f.path, take_report, &report, &lib),
                     2);
    assert_string_equal(report.text,
                        "c.json:1: : RegFile is not an object\n"
                        "d.json:0: : demo is described by a file before it\n");
    assert_int_equal(lib->nr_sets, 1);
    assert_string_equal(lib->sets[0].name, "");
    assert_int_equal(lib->sets[0].nr_blocks, 2);
    assert_string_equal(lib->sets[0].blocks[0]->name, "other");
    assert_string_equal(lib->sets[0].blocks[1]->name, "demo");
    assert_ptr_equal(trench_csr_set_block(&lib->sets[0], "DEMO"),
                     lib->sets[0].blocks[1]);
    assert_null(trench_csr_set_block(&lib->sets[0], "dem"));
    trench_csr_lib_free(lib);
    trench_csr_lib_free(NULL);
    /* Nobody listening. */
    assert_int_equal(trench_csr_lib_load(f.path, NULL, NULL, &lib), 2);
    trench_csr_lib_free(lib);
    folder_close(&f);
    free(other);
}

static void test_lib_loads_a_manifest(void **state)
{
    struct trench_csr_lib *lib = NULL;
    struct report report = { .nr = 0 };
    struct folder f;
    char *other = demo_called("other");
    char path[64];

    (void)state;
    folder_open(&f);
    folder_add(&f, "manifest.json",
               "{'generations': {\n"
               " 'one': {'demo': 'demo.json', 'other': 'other.json'},\n"
               " 'two': {'demo': 'demo.json', 'bad': 'bad.json',\n"
               "         'gone': 'gone.json', 'wrong': 'other.json'}}}\n");
    folder_add(&f, "demo.json", demo);
    folder_add(&f, "other.json", other);
    folder_add(&f, "bad.json", "{\n");
    folder_add(&f, "unlisted.json", "{\n");
    assert_int_equal(trench_csr_lib_load(f.path, take_report, &report, &lib),
                     3);
    assert_non_null(strstr(report.text, "bad.json:2: : not JSON"));
    assert_non_null(strstr(report.text, "gone.json:0: : cannot be opened"));
    assert_non_null(strstr(report.text, "UnitName is other, the manifest says "
                                        "wrong"));
    assert_int_equal(lib->nr_sets, 2);
    assert_int_equal(trench_csr_lib_set(lib, "ONE")->nr_blocks, 2);
    assert_int_equal(trench_csr_lib_set(lib, "two")->nr_blocks, 1);
    assert_null(trench_csr_lib_set(lib, "three"));
    /* What is shared is loaded once. */
    assert_ptr_equal(lib->sets[0].blocks[0], lib->sets[1].blocks[0]);
    trench_csr_lib_free(lib);
    /* The manifest itself may be named. */
    snprintf(path, sizeof(path), "%s/manifest.json", f.path);
    assert_int_equal(trench_csr_lib_load(path, NULL, NULL, &lib), 3);
    trench_csr_lib_free(lib);
    folder_close(&f);
    free(other);
}

static void test_lib_refuses(void **state)
{
    static const char *const rows[][2] = {
        { "", "not JSON" },
        { "{", "not JSON" },
        { "{}", "generations is missing or empty" },
        { "{'generations': []}", "generations is missing or empty" },
        { "{'generations': {'a': {}}}", "generation a lists no blocks" },
        { "{'generations': {'a': 7}}", "generation a lists no blocks" },
        { "{'generations': {'a': {'b': 7}}}", "a.b is not the name of a file" },
        { "{'generations': {'a': {'b': ''}}}", "a.b is not the name" },
        { "{'generations': {'a': {'b': '../x'}}}", "a.b is not the name" },
        { "{'generations': {'a': {'b': 'x'}, 'a': {}}}", "duplicate" },
    };
    struct trench_csr_lib *lib = NULL;

    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct report report = { .nr = 0 };
        struct folder f;

        folder_open(&f);
        folder_add(&f, "manifest.json", rows[i][0]);
        CHECK(trench_csr_lib_load(f.path, take_report, &report, &lib) ==
                  TRENCH_ERR_BADMSG,
              "row %zu", i);
        CHECK(strstr(report.text, rows[i][1]), "row %zu: %s", i, report.text);
        CHECK(report.nr == 1 && !lib, "row %zu", i);
        folder_close(&f);
    }
}

static void test_lib_needs_files(void **state)
{
    struct trench_csr_lib *lib = NULL;
    struct folder f;

    (void)state;
    assert_int_equal(trench_csr_lib_load("/nonexistent", NULL, NULL, &lib),
                     TRENCH_ERR_NOENT);
    folder_open(&f);
    assert_int_equal(trench_csr_lib_load(f.path, NULL, NULL, &lib),
                     TRENCH_ERR_NOENT);
    assert_null(lib);
    folder_close(&f);
}

/* Issue 3: every schema of every generation in less than 50 ms. */
static void test_lib_loads_fast(void **state)
{
    const struct trench_csr_lib *lib;
    struct timespec start, end;
    double best_ms = 1e9;

    (void)state;
    for (int i = 0; i < 3; i++) {
        char path[4096];
        struct trench_csr_lib *own = NULL;
        const char *regs = getenv("TRENCH_REGS");
        double ms;

        if (!regs) {
            skip();
        }
        snprintf(path, sizeof(path), "%s/manifest.next.json", regs);
        if (access(path, R_OK) != 0) {
            snprintf(path, sizeof(path), "%s", regs);
        }
        clock_gettime(CLOCK_MONOTONIC, &start);
        assert_int_equal(trench_csr_lib_load(path, NULL, NULL, &own), 0);
        clock_gettime(CLOCK_MONOTONIC, &end);
        trench_csr_lib_free(own);
        ms = (double)(end.tv_sec - start.tv_sec) * 1e3 +
             (double)(end.tv_nsec - start.tv_nsec) / 1e6;
        best_ms = ms < best_ms ? ms : best_ms;
    }
    print_message("# all schemas in %.1f ms\n", best_ms);
    lib = trench_csr_lib_builtin();
    assert_true(lib->nr_sets >= 1);
    /* Sanitizers and emulators take their time; a wrong order does not hide. */
    assert_true(best_ms < 2000);
}

/* Differences. */

struct changes {
    char text[16384];
    size_t len;
    int stop_after; /* 0 = never */
    int nr;
};

static int take_change(void *opaque, const struct trench_csr_change *c)
{
    static const char signs[] = "+-~";
    struct changes *all = opaque;
    char name[128];

    trench_csr_ref_name(&c->refs[c->kind == TRENCH_CSR_REMOVED ? 0 : 1], name,
                        sizeof(name));
    all->len +=
        (size_t)snprintf(all->text + all->len, sizeof(all->text) - all->len,
                         "%c %s", signs[c->kind], name);
    if (c->kind == TRENCH_CSR_CHANGED) {
        assert_non_null(c->refs[0].block);
        assert_non_null(c->refs[1].block);
        all->len += (size_t)snprintf(
            all->text + all->len, sizeof(all->text) - all->len, " %d: %#x %#x",
            (int)c->property, (unsigned)c->val[0], (unsigned)c->val[1]);
    } else {
        assert_null(c->refs[c->kind == TRENCH_CSR_REMOVED].block);
    }
    all->text[all->len++] = '\n';
    all->text[all->len] = '\0';
    return ++all->nr == all->stop_after ? -77 : 0;
}

static void test_diff_of_one_change(void **state)
{
    static const char *const rows[][3] = {
        { "", "", "" },
        { "'0x400'", "'0x800'", "~ demo 1: 0x400 0x800\n" },
        { "'256'", "'0x200'", "~ demo.Q 2: 0x100 0x200\n" },
        { "'ArraySize': 'NUM_Q'", "'ArraySize': '2'", "~ demo.Q 3: 0x4 0x2\n" },
        { "'0x20'", "'0x40'", "~ demo.Q 4: 0x20 0x40\n" },
        { "'08'", "'4'", "~ demo.Q.tail 2: 0x8 0x4\n" },
        { "'AccessType': 'RO'", "'AccessType': 'RW'",
          "~ demo.Q.head 6: 0 0x1\n" },
        { "'0x1234'", "'0x1235'", "~ demo.Q.head.idx 7: 0x1234 0x1235\n" },
        { "'7:4'", "'6:3'", "error" },
        { "'TOP:0'", "'TOP:1'", "error" },
        { "'31:0'", "'30:0'", "~ demo.Q.tail.ptr 8: 0x1f00 0x1e00\n" },
        { "'PulseOnW'", "'None'", "~ demo.misc.mix.wo 9: 0x1 0\n" },
        { "'mix'", "'max'", "- demo.misc.mix\n+ demo.misc.max\n" },
        { "'misc'", "'more'", "- demo.misc\n+ demo.more\n" },
        { "'w0c'", "'w0d'", "- demo.misc.mix.w0c\n+ demo.misc.mix.w0d\n" },
        /* A size that only says how large a window is. */
        { "'BundleSizeInBytes': '4'", "'BundleSizeInBytes': '64'", "" },
        /* Words. */
        { "'Plain'", "'Fancy'", "" },
    };
    struct trench_csr_block *before = load_demo();

    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        char *text = mutate(demo, rows[i][0], rows[i][1]);
        struct trench_csr_block *after = NULL;
        struct trench_csr_error err;
        struct changes all = { .nr = 0 };

        if (strcmp(rows[i][2], "error") != 0) {
            CHECK(load_bytes(text, strlen(text), &after, &err) == 0,
                  "row %zu: %s", i, err.reason);
            CHECK(trench_csr_diff(before, after, take_change, &all) == all.nr,
                  "row %zu", i);
            CHECK(strcmp(all.text, rows[i][2]) == 0, "row %zu: %s", i,
                  all.text);
        }
        trench_csr_free(after);
        free(text);
    }
    trench_csr_free(before);
}

static void test_diff_stops_when_told(void **state)
{
    struct trench_csr_block *before = load_demo(), *after = NULL;
    struct changes all = { .stop_after = 1 };
    struct trench_csr_error err;
    char *text = mutate(demo, "'misc'", "'more'");

    (void)state;
    assert_int_equal(load_bytes(text, strlen(text), &after, &err), 0);
    assert_int_equal(trench_csr_diff(before, after, take_change, &all), -77);
    assert_int_equal(all.nr, 1);
    trench_csr_free(before);
    trench_csr_free(after);
    free(text);
}

static int diff_of(const struct trench_csr_lib *lib, const char *const gens[2],
                   const char *block, struct changes *all)
{
    const struct trench_csr_block *a =
        trench_csr_set_block(trench_csr_lib_set(lib, gens[0]), block);
    const struct trench_csr_block *b =
        trench_csr_set_block(trench_csr_lib_set(lib, gens[1]), block);

    memset(all, 0, sizeof(*all));
    assert_non_null(a);
    assert_non_null(b);
    return trench_csr_diff(a, b, take_change, all);
}

/* "udma_gen.json — Cayman == Mariana == Mariana_plus"; gen_ex everywhere. */
static void test_seed_002_6_equal_blocks(void **state)
{
    static const char *const rows[][3] = {
        { "cayman", "mariana", "udma_gen" },
        { "cayman", "mariana_plus", "udma_gen" },
        { "sunda", "cayman", "udma_gen_ex" },
        { "sunda", "mariana", "udma_gen_ex" },
        { "sunda", "mariana_plus", "udma_gen_ex" },
    };
    const struct trench_csr_lib *lib = full_lib();

    (void)state;
    if (!lib) {
        skip();
    }
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct changes all;

        CHECK(diff_of(lib, rows[i], rows[i][2], &all) == 0, "row %zu: %s", i,
              all.text);
    }
    full_lib_free(lib);
}

/* Drop the lines of fields whose names only fill gaps. */
static void drop_reserved(char *text)
{
    char *to = text;

    for (char *line = text; *line;) {
        size_t len = strcspn(line, "\n") + 1;
        char *hit = strstr(line, ".reserved_");

        if (!hit || hit > line + len) {
            memmove(to, line, len);
            to += len;
        }
        line += len;
    }
    *to = '\0';
}

static void test_seed_002_6_udma_gen(void **state)
{
    static const char *const gens[] = { "sunda", "cayman" };
    /* Revision words; rst_counters RW to WO; axi_queue; pmu.tx_data. */
    static const char expected[] =
        "~ udma_gen.DMA_misc.revision.programming_id 7: 0x1 0x3\n"
        "~ udma_gen.DMA_misc.revision.minor_id 7: 0x1 0x360\n"
        "~ udma_gen.DMA_misc.revision.major_id 7: 0x2 0x1c\n"
        "~ udma_gen.axi_outstanding_cnt.rst_counters 6: 0x1 0x2\n"
        "~ udma_gen.axi_outstanding_cnt.rst_counters.rx_cmpl_write 6: 0x1 "
        "0x2\n"
        "~ udma_gen.axi_outstanding_cnt.rst_counters.rx_data_write 6: 0x1 "
        "0x2\n"
        "~ udma_gen.axi_outstanding_cnt.rst_counters.rx_desc_read 6: 0x1 0x2\n"
        "~ udma_gen.axi_outstanding_cnt.rst_counters.tx_cmpl_write 6: 0x1 "
        "0x2\n"
        "~ udma_gen.axi_outstanding_cnt.rst_counters.tx_data_read 6: 0x1 0x2\n"
        "~ udma_gen.axi_outstanding_cnt.rst_counters.tx_desc_read 6: 0x1 0x2\n"
        "~ udma_gen.axi_queue.cfg.tx_mask_stream_error 6: 0x1 0x2\n"
        "~ udma_gen.pmu.tx_data.inuse_low_th 8: 0xa00 0xc00\n"
        "~ udma_gen.pmu.tx_data.inuse_high_th 8: 0x1a10 0x1c10\n";
    const struct trench_csr_lib *lib = full_lib();
    struct changes all;

    (void)state;
    if (!lib) {
        skip();
    }
    assert_true(diff_of(lib, gens, "udma_gen", &all) > 0);
    drop_reserved(all.text);
    assert_string_equal(all.text, expected);
    full_lib_free(lib);
}

static void test_seed_002_6_tdma_model(void **state)
{
    static const char *const rise[] = { "sunda", "cayman" };
    static const char *const next[] = { "cayman", "mariana" };
    static const char *const last[] = { "mariana", "mariana_plus" };
    static const char *const news[] = {
        "rob",
        "rob_latency_bin_lower",
        "rob_latency_bin_upper",
        "new_wob_cfg",
        "demux_ack_fifo_ctrl",
        "embedded_semaphore_update",
        "embedded_semaphore_ctrl",
        "tdg_ragged_and_emb_sem_ctrl",
        "misc_udma_qos_ctrl",
        "udma_qos_ctrl",
        "udma_timeout_ctrl",
        "sdma_perf_debug",
    };
    const struct trench_csr_lib *lib = full_lib();
    struct changes all;

    (void)state;
    if (!lib) {
        skip();
    }
    /* "Sunda set + robert (ROB) + strongly_ordered_write" */
    assert_true(diff_of(lib, rise, "tdma_model", &all) >= 2);
    assert_string_equal(all.text, "+ tdma_model.robert\n"
                                  "+ tdma_model.strongly_ordered_write\n");
    assert_true(diff_of(lib, next, "tdma_model", &all) >= 13);
    assert_non_null(strstr(all.text, "- tdma_model.robert\n"));
    for (size_t i = 0; i < ARRAY_LEN(news); i++) {
        char line[64];

        snprintf(line, sizeof(line), "+ tdma_model.%s\n", news[i]);
        CHECK(strstr(all.text, line), "%s", news[i]);
    }
    assert_int_equal(diff_of(lib, last, "tdma_model", &all), 0);
    full_lib_free(lib);
}

/* "Verified: 6 / 8 / 19 / 19", and 5 bundles, 29 registers everywhere. */
static void test_seed_002_6_counts(void **state)
{
    static const struct {
        const char *gen;
        int nr_bundles;
    } rows[] = { { "sunda", 6 },
                 { "cayman", 8 },
                 { "mariana", 19 },
                 { "mariana_plus", 19 } };
    const struct trench_csr_lib *lib = full_lib();

    (void)state;
    if (!lib) {
        skip();
    }
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        const struct trench_csr_set *set = trench_csr_lib_set(lib, rows[i].gen);
        const struct trench_csr_block *tdma =
            trench_csr_set_block(set, "tdma_model");
        const struct trench_csr_block *ex =
            trench_csr_set_block(set, "udma_gen_ex");

        CHECK(tdma->nr_bundles == rows[i].nr_bundles, "%s: %u", rows[i].gen,
              tdma->nr_bundles);
        CHECK(ex->nr_bundles == 5 && ex->nr_regs == 29, "%s", rows[i].gen);
    }
    full_lib_free(lib);
}

/* udma-engine 0.4, 1.1 and 1.2: what cayman's M2S has and sunda's has not. */
static void test_udma_engine_m2s_of_sunda(void **state)
{
    static const char *const gens[] = { "sunda", "cayman" };
    static const char expected[] =
        "~ udma_m2s.AXI_M2S.ostand_cfg.max_comp_req 7: 0x20 0x40\n"
        "+ udma_m2s.AXI_M2S.enhanced_ostand_cfg\n"
        "~ udma_m2s.M2S_rd.data_cfg.data_fifo_depth 8: 0xb00 0xc00\n"
        "+ udma_m2s.M2S_Q.q_sw_ctrl.rst_data_tail_ptr\n"
        "+ udma_m2s.M2S_Q.TDRDTP_inc\n"
        "+ udma_m2s.M2S_Q.TDRDTP\n"
        "+ udma_m2s.AXI_M2S_MLA\n"; /* three registers */
    const struct trench_csr_lib *lib = full_lib();
    const struct trench_csr_block *m2s;
    struct changes all;

    (void)state;
    if (!lib) {
        skip();
    }
    m2s = trench_csr_set_block(trench_csr_lib_set(lib, "sunda"), "udma_m2s");
    assert_non_null(m2s);
    assert_int_equal(m2s->nr_bundles, 10);
    assert_int_equal(m2s->nr_regs, 94);
    for (size_t i = 0; i < m2s->nr_regs; i++) {
        const struct trench_csr_reg *reg = &m2s->regs[i];

        if (strcmp(reg->name, "ostand_cfg") == 0) {
            assert_int_equal(reg->reset, 0x20202040);
        }
        CHECK(strstr(reg->name, "TDRDTP") == NULL, "%s", reg->name);
    }
    assert_true(diff_of(lib, gens, "udma_m2s", &all) > 0);
    drop_reserved(all.text);
    assert_string_equal(all.text, expected);
    /* Note 2.1; mariana has cayman's registers (0.2). */
    assert_int_equal(diff_of(lib, gens, "udma_s2m", &all), 0);
    full_lib_free(lib);
}

/* The shape of the shipped files. */

/* The RegFile of a shipped schema, or NULL without TRENCH_REGS. */
static json_t *shipped(const char *file, json_t **root)
{
    const char *folder = getenv("TRENCH_REGS");
    json_error_t err;
    char path[4096];

    if (!folder) {
        return NULL;
    }
    snprintf(path, sizeof(path), "%s/%s", folder, file);
    *root = json_load_file(path, JSON_REJECT_DUPLICATES, &err);
    CHECK(*root, "%s:%d: %s", path, err.line, err.text);
    return json_object_get(*root, "RegFile");
}

static const char *text_of(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));

    CHECK(text, "no string %s", key);
    return text;
}

static bool is_hex(const char *text)
{
    return strncmp(text, "0x", 2) == 0;
}

/* "BundleSizeInBytes encoding differs"; AddressOffset is hex everywhere. */
static void check_radix(const char *file, json_t *bundles_array, bool hex_sizes)
{
    json_t *bundle, *reg;
    size_t b, r;

    json_array_foreach(bundles_array, b, bundle)
    {
        CHECK(is_hex(text_of(bundle, "BundleSizeInBytes")) == hex_sizes,
              "%s: %s", file, text_of(bundle, "Name"));
        CHECK(is_hex(text_of(bundle, "AddressOffset")), "%s: %s", file,
              text_of(bundle, "Name"));
        json_array_foreach(json_object_get(bundle, "Registers"), r, reg)
        {
            CHECK(is_hex(text_of(reg, "AddressOffset")), "%s: %s", file,
                  text_of(reg, "Name"));
        }
    }
}

static void test_seed_002_1_files(void **state)
{
    static const struct {
        const char *file;
        const char *addr_width;
        const char *size;
        bool hex_sizes;
        const char *bundles[2]; /* one, and its BundleSizeInBytes */
    } rows[] = {
        { "udma_gen.cayman.json",
          "14",
          "0x4000",
          false,
          { "DMA_misc", "256" } },
        { "udma_gen.cayman.json", "14", "0x4000", false, { "Mailbox", "64" } },
        { "udma_gen.sunda.json", "14", "0x4000", false, { "Mailbox", "64" } },
        { "udma_gen_ex.json", "14", "0x4000", false, { "VMPR", "64" } },
        { "tdma_model.cayman.json",
          "12",
          "0x1000",
          true,
          { "tdma", "0x0200" } },
        { "tdma_model.cayman.json",
          "12",
          "0x1000",
          true,
          { "notific_cfg_per_queue", "0x18" } },
        { "tdma_model.sunda.json", "12", "0x1000", true, { "tdma", "0x0200" } },
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        json_t *root = NULL, *file = shipped(rows[i].file, &root), *bundle;
        size_t b, nr_found = 0;

        if (!file) {
            skip();
        }
        assert_string_equal(text_of(file, "InterfaceType"), "APB");
        assert_string_equal(text_of(file, "DataWidth"), "32");
        assert_string_equal(text_of(file, "AddrWidth"), rows[i].addr_width);
        assert_string_equal(text_of(file, "SizeInBytes"), rows[i].size);
        json_array_foreach(json_object_get(file, "RegistersBundleArrays"), b,
                           bundle)
        {
            if (strcmp(text_of(bundle, "Name"), rows[i].bundles[0]) == 0) {
                assert_string_equal(text_of(bundle, "BundleSizeInBytes"),
                                    rows[i].bundles[1]);
                nr_found++;
            }
        }
        assert_int_equal(nr_found, 1);
        check_radix(rows[i].file,
                    json_object_get(file, "RegistersBundleArrays"),
                    rows[i].hex_sizes);
        json_decref(root);
    }
}

/* "listed in the JSON after notific_cfg but sits below it in address space" */
static void test_seed_002_1_order_of_tdma_model(void **state)
{
    json_t *root = NULL, *file = shipped("tdma_model.cayman.json", &root);
    json_t *bundle;
    size_t b, at[2] = { 0, 0 };
    uint64_t off[2] = { 0, 0 };

    (void)state;
    if (!file) {
        skip();
    }
    json_array_foreach(json_object_get(file, "RegistersBundleArrays"), b,
                       bundle)
    {
        bool status = strcmp(text_of(bundle, "Name"), "app_engine_status") == 0;

        if (status || strcmp(text_of(bundle, "Name"), "notific_cfg") == 0) {
            at[status] = b;
            off[status] = strtoull(text_of(bundle, "AddressOffset"), NULL, 0);
        }
    }
    assert_int_equal(at[1], at[0] + 1);
    assert_int_equal(off[0], 0x700);
    assert_int_equal(off[1], 0x600);
    json_decref(root);
}

/*
 * The names, line by line, that the pattern hits: of fields and, by name only,
 * of their registers and bundles; with_desc looks at field descriptions too.
 */
static void sweep(const struct trench_csr_block *block, const char *pattern,
                  bool with_desc, char *hits, size_t size)
{
    regex_t re;
    size_t len = 0;

    hits[0] = '\0';
    assert_int_equal(
        regcomp(&re, pattern, REG_EXTENDED | REG_ICASE | REG_NOSUB), 0);
    for (size_t r = 0; r < block->nr_regs; r++) {
        const struct trench_csr_reg *reg = &block->regs[r];
        const char *bundle = block->bundles[reg->bundle].name;

        for (size_t f = 0; f < reg->nr_fields; f++) {
            const struct trench_csr_field *field =
                &block->fields[reg->first_field + f];
            char name[256];

            snprintf(name, sizeof(name), "%s.%s.%s\n", bundle, reg->name,
                     field->name);
            if (regexec(&re, name, 0, NULL, 0) == 0 ||
                (with_desc && regexec(&re, field->desc, 0, NULL, 0) == 0)) {
                len += (size_t)snprintf(hits + len, size - len, "%s", name);
                assert_true(len < size);
            }
        }
    }
    regfree(&re);
}

/* "The full arbitration/scheduling surface in udma_gen is exactly": 3.3. */
static void test_seed_002_3_3_no_weights(void **state)
{
    static const char expected[] = "DMA_misc.int_cfg.msix_axi_qos\n"
                                   "AXI.cfg_2.arb_promotion\n"
                                   "axi_queue.cfg.tx_mask_stop_sched\n";
    char hits[1024];

    (void)state;
    sweep(trench_csr_builtin("cayman", TRENCH_BLOCK_UDMA_GEN),
          "arb|mux|weight|prio|qos|sched", true, hits, sizeof(hits));
    assert_string_equal(hits, expected);
    /* The sweep itself sees what is there. */
    sweep(trench_csr_builtin("cayman", TRENCH_BLOCK_UDMA_M2S),
          "arb|mux|weight|prio|qos|schedul", false, hits, sizeof(hits));
    assert_non_null(strstr(hits, "M2S_Q.dwrr_cfg_3.weight\n"));
}

/* Section 4.3: "a jq name sweep for rev|version over gen_ex returns empty". */
static void test_seed_002_4_3_no_revision(void **state)
{
    char hits[1024];

    (void)state;
    sweep(trench_csr_builtin("cayman", TRENCH_BLOCK_UDMA_GEN_EX), "rev|version",
          false, hits, sizeof(hits));
    assert_string_equal(hits, "");
    /* 3.2: "the only version surface in the GEN family" */
    sweep(trench_csr_builtin("cayman", TRENCH_BLOCK_UDMA_GEN), "rev|version",
          false, hits, sizeof(hits));
    assert_string_equal(hits, "DMA_misc.revision.programming_id\n"
                              "DMA_misc.revision.minor_id\n"
                              "DMA_misc.revision.major_id\n");
}

static bool has_bundle(const struct trench_csr_block *block, const char *name)
{
    for (size_t b = 0; b < block->nr_bundles; b++) {
        if (strcmp(block->bundles[b].name, name) == 0) {
            return true;
        }
    }
    return false;
}

/* Section 4.3: what GEN_EX adds is not in GEN, and the rest is in GEN alone. */
static void test_seed_002_4_3_never_overlapping(void **state)
{
    static const char *const added[] = { "VMPR", "VMPR_V4", "section_ctrl",
                                         "init_transaction_table",
                                         "transaction_type_table" };
    const struct trench_csr_block *gen =
        trench_csr_builtin("cayman", TRENCH_BLOCK_UDMA_GEN);
    const struct trench_csr_block *ex =
        trench_csr_builtin("cayman", TRENCH_BLOCK_UDMA_GEN_EX);
    char hits[1024];

    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(added); i++) {
        CHECK(has_bundle(ex, added[i]), "%s", added[i]);
        CHECK(!has_bundle(gen, added[i]), "%s", added[i]);
    }
    for (size_t b = 0; b < gen->nr_bundles; b++) {
        CHECK(!has_bundle(ex, gen->bundles[b].name), "%s",
              gen->bundles[b].name);
    }
    /* "udma_gen only has the coarse VMADDR[16] ... cfg_vmid_0" */
    CHECK(has_bundle(gen, "VMADDR") && has_bundle(gen, "vmid"), "coarse ids");
    /* No rings; no AXI settings, interrupts, mailbox or pmu. */
    sweep(ex, "ring|head_ptr|tail|bp_low|endian|tout|promotion|int_|mail|pmu",
          false, hits, sizeof(hits));
    assert_string_equal(hits, "");
    sweep(gen, "endian_cfg.swap_64b|tout|promotion|mail.*set|pmu.rx_hdr.*low",
          false, hits, sizeof(hits));
    assert_string_equal(hits, "Mailbox.Interrupt.set\n"
                              "AXI.cfg_1.tout\n"
                              "AXI.cfg_2.arb_promotion\n"
                              "AXI.endian_cfg.swap_64b_en\n"
                              "pmu.rx_hdr.inuse_low_th\n");
}

/* Section 5.1: x, y, z, w; "FP32 FMA + decompression"; "single cfg reg". */
static void test_seed_002_5_1_siblings(void **state)
{
    const struct trench_csr_block *cme =
        trench_csr_builtin("cayman", TRENCH_BLOCK_CME);
    char hits[2048], want[2048];
    size_t len = 0;

    (void)state;
    sweep(trench_csr_builtin("cayman", TRENCH_BLOCK_DRE),
          "custom_transpose.*_inc_[xyzw]", false, hits, sizeof(hits));
    for (const char *axis = "xy"; *axis; axis++) {
        for (unsigned i = 0; i < 8; i++) {
            len += (size_t)snprintf(want + len, sizeof(want) - len,
                                    "custom_transpose.command.%c_%s_inc_%c\n",
                                    *axis, i < 4 ? "stride" : "rows",
                                    "xyzw"[i % 4]);
        }
    }
    assert_string_equal(hits, want);
    assert_int_equal(cme->nr_regs, 1);
    assert_string_equal(cme->regs[0].name, "cfg");
    sweep(trench_csr_builtin("cayman", TRENCH_BLOCK_CCE),
          "fma_const|decompression_info_bytes", false, hits, sizeof(hits));
    assert_string_equal(hits, "cce_fma_const.fp32_zero.fp32_zero\n"
                              "cce_fma_const.fp32_one.fp32_one\n"
                              "debug.decompression_info_bytes.compressed\n"
                              "debug.decompression_info_bytes.uncompressed\n");
}

/* Section 5.1: "a custom_transpose[8] command register"; no ring in tdma. */
static void test_seed_002_5_1_transpose(void **state)
{
    const struct trench_csr_block *dre =
        trench_csr_builtin("cayman", TRENCH_BLOCK_DRE);
    char hits[1024];

    (void)state;
    assert_non_null(dre);
    assert_string_equal(dre->bundles[0].name, "custom_transpose");
    assert_int_equal(dre->bundles[0].count, 8);
    for (uint32_t i = 0; i < 8; i++) {
        char want[64], name[64];

        snprintf(want, sizeof(want), "custom_transpose[%u].command", i);
        assert_true(trench_csr_name_at(dre, i * 4, name, sizeof(name)) > 0);
        assert_string_equal(name, want);
    }
    /* "zero ring base/head/tail pointers, zero dimension/stride registers" */
    sweep(trench_csr_builtin("cayman", TRENCH_BLOCK_TDMA_MODEL),
          "[^a-z](ring|head|tail|dim|stride|descriptor_offset)[^a-z]", false,
          hits, sizeof(hits));
    assert_string_equal(hits, "");
}

/* Counts. */

static void test_published_rows_name_blocks(void **state)
{
    const struct trench_csr_lib *lib = full_lib();
    int nr = 0;

    (void)state;
    if (!lib) {
        skip();
    }
    for (size_t s = 0; s < lib->nr_sets; s++) {
        for (size_t b = 0; b < lib->sets[s].nr_blocks; b++) {
            const struct trench_csr_block *block = lib->sets[s].blocks[b];
            const struct trench_csr_published *pub =
                trench_csr_published(lib->sets[s].name, block->name);
            struct trench_csr_counts ours;

            if (!pub) {
                continue;
            }
            nr++;
            trench_csr_count(block, &ours);
            for (int k = 0; k <= TRENCH_CSR_NR_INSTS; k++) {
                /* Unnamed ranges: udma-engine 0.4. */
                int slack = k == TRENCH_CSR_NR_FIELDS &&
                                    strncmp(block->name, "udma_", 5) == 0
                                ? 1
                                : 0;

                CHECK(pub->counts.nr[k] < 0 ||
                          abs(pub->counts.nr[k] - ours.nr[k]) <= slack,
                      "%s.%s: count %d is %d, published %d", lib->sets[s].name,
                      block->name, k, ours.nr[k], pub->counts.nr[k]);
            }
        }
    }
    assert_int_equal(nr, 19);
    assert_null(trench_csr_published("cayman", "nope"));
    assert_null(trench_csr_published("nope", "udma_gen"));
    full_lib_free(lib);
}

/* Headers. */

static int take_text(void *opaque, const char *text)
{
    return fputs(text, opaque) < 0 ? -1 : 0;
}

static void test_header_text(void **state)
{
    static const char expected[] =
        "/* Generated from the register schemas, TRENCH_MY_GEN_*; do not edit. "
        "*/\n"
        "#ifndef TRENCH_MY_GEN_REGS_H\n"
        "#define TRENCH_MY_GEN_REGS_H\n\n"
        "#define TRENCH_MY_GEN_DEMO_SIZE_BYTES 0x400u\n"
        "#define TRENCH_MY_GEN_DEMO_Q_COUNT 4u\n"
        "#define TRENCH_MY_GEN_DEMO_Q_STRIDE 0x20u\n"
        "#define TRENCH_MY_GEN_DEMO_Q_HEAD(i) (0x100u + (i) * 0x20u)\n"
        "#define TRENCH_MY_GEN_DEMO_Q_HEAD_RESET 0x00001234u\n"
        "#define TRENCH_MY_GEN_DEMO_Q_HEAD_IDX_SHIFT 0\n"
        "#define TRENCH_MY_GEN_DEMO_Q_HEAD_IDX_MASK 0x0000ffffu\n";
    struct trench_csr_block *block = load_demo();
    const struct trench_csr_block *const blocks[] = { block };
    const struct trench_csr_set set = { "my-gen", blocks, 1 };
    struct trench_csr_error err;
    char *text;
    size_t len;
    FILE *out = open_memstream(&text, &len);

    (void)state;
    assert_non_null(out);
    assert_int_equal(trench_csr_header(&set, NULL, take_text, out, &err), 0);
    assert_int_equal(fclose(out), 0);
    assert_memory_equal(text, expected, strlen(expected));
    free(text);
    trench_csr_free(block);
}

static int put_nothing(void *opaque, const char *text)
{
    (void)text;
    return opaque ? -77 : 0;
}

static void test_header_numbers_clashes(void **state)
{
    struct trench_csr_block *block = NULL;
    const struct trench_csr_block *blocks[1];
    struct trench_csr_set set = { "g", blocks, 1 };
    struct trench_csr_error err;
    char *schema = mutate(demo, "'rw'", "'RO'");
    char *text;
    size_t len;
    FILE *out = open_memstream(&text, &len);
    int told = 1;

    (void)state;
    assert_non_null(out);
    assert_int_equal(load_bytes(schema, strlen(schema), &block, &err), 0);
    free(schema);
    blocks[0] = block;
    assert_int_equal(trench_csr_header(&set, NULL, take_text, out, &err), 0);
    assert_int_equal(fclose(out), 0);
    assert_non_null(strstr(text, "#define TRENCH_G_DEMO_MISC_MIX_RO_MASK "
                                 "0x0000000fu\n"));
    assert_non_null(strstr(text, "#define TRENCH_G_DEMO_MISC_MIX_RO_MASK_2 "
                                 "0x000000f0u /* demo.misc.mix.RO */\n"));
    free(text);
    /* Told to stop. */
    assert_int_equal(trench_csr_header(&set, block, put_nothing, &told, &err),
                     -77);
    assert_int_equal(trench_csr_header(&set, NULL, put_nothing, NULL, NULL), 0);
    /* Our own headers are stricter. */
    assert_int_equal(csr_header_plain(block, put_nothing, NULL, &err),
                     TRENCH_ERR_BADMSG);
    assert_string_equal(err.path, "demo.misc.mix.RO");
    assert_non_null(strstr(err.reason, "DEMO_MISC_MIX_RO_"));
    assert_int_equal(csr_header_plain(block, put_nothing, NULL, NULL),
                     TRENCH_ERR_BADMSG);
    trench_csr_free(block);
}

static void test_headers_of_all_generations(void **state)
{
    const struct trench_csr_lib *lib = full_lib();

    (void)state;
    if (!lib) {
        skip();
    }
    for (size_t i = 0; i < lib->nr_sets; i++) {
        struct trench_csr_error err = { 0 };

        CHECK(trench_csr_header(&lib->sets[i], NULL, put_nothing, NULL, &err) ==
                  0,
              "%s: %s: %s", lib->sets[i].name, err.path, err.reason);
    }
    full_lib_free(lib);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lib_loads_a_folder),
        cmocka_unit_test(test_lib_loads_a_manifest),
        cmocka_unit_test(test_lib_refuses),
        cmocka_unit_test(test_lib_needs_files),
        cmocka_unit_test(test_lib_loads_fast),
        cmocka_unit_test(test_diff_of_one_change),
        cmocka_unit_test(test_diff_stops_when_told),
        cmocka_unit_test(test_seed_002_6_equal_blocks),
        cmocka_unit_test(test_seed_002_6_udma_gen),
        cmocka_unit_test(test_seed_002_6_tdma_model),
        cmocka_unit_test(test_seed_002_6_counts),
        cmocka_unit_test(test_udma_engine_m2s_of_sunda),
        cmocka_unit_test(test_seed_002_1_files),
        cmocka_unit_test(test_seed_002_1_order_of_tdma_model),
        cmocka_unit_test(test_seed_002_3_3_no_weights),
        cmocka_unit_test(test_seed_002_4_3_no_revision),
        cmocka_unit_test(test_seed_002_4_3_never_overlapping),
        cmocka_unit_test(test_seed_002_5_1_siblings),
        cmocka_unit_test(test_seed_002_5_1_transpose),
        cmocka_unit_test(test_published_rows_name_blocks),
        cmocka_unit_test(test_header_text),
        cmocka_unit_test(test_header_numbers_clashes),
        cmocka_unit_test(test_headers_of_all_generations),
    };

    return cmocka_run_group_tests_name("csr_set", tests, NULL, NULL);
}
