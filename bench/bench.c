/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the model costs. Every row is measured in this one process; where a
 * row has a baseline, both alternate, so that a drift of the machine hits
 * both. The data is checked after every row.
 */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <trench/csr.h>
#include <trench/hal.h>
#include <trench/map.h>
#include <trench/soc.h>

#include "bench.h"
#include "notific_10_queue_gen.h"
#include "tdma_model_gen.h"
#include "udma_gen_ex_gen.h"
#include "udma_m2s_gen.h"
#include "udma_s2m_gen.h"

#define S2M_OFFSET      0x20000u
#define GEN_EX_OFFSET   0x3C000u
#define APP_OFFSET      0x40000u
#define NOTIFIC_OFFSET  0x41000u
#define RING_LEN        4096u
#define TX_RING         0x100000000 /* in HBM 0 */
#define RX_RING         0x100100000
#define TX_COMP         0x100200000
#define RX_COMP         0x100300000
#define NOTE_RING       0x100400000
#define NOTE_RING_BYTES 0x10000
#define SRC             0x200000000
#define DST             0x4000000000 /* HBM 1 */

struct rig {
    struct trench_soc *soc;
    struct trench_bus *bus;
    uint64_t base; /* of engine 0 */
    uint32_t lap;  /* of the descriptors to be written next */
    double samples[BENCH_REPEATS];
    double baseline[BENCH_REPEATS];
};

static void die(const char *what)
{
    fprintf(stderr, "bench: %s\n", what);
    exit(1);
}

static void row(const char *name, const char *unit, double value, double p99,
                double ratio)
{
    printf("%s,%s,%.4g,%.4g,", name, unit, value, p99);
    if (ratio > 0) {
        printf("%.3f", ratio);
    }
    printf("\n");
    fflush(stdout);
}

static void write_reg(struct rig *rig, uint32_t offset, uint64_t val)
{
    if (trench_bus_write32(rig->bus, rig->base + offset, (uint32_t)val)) {
        die("register write refused");
    }
}

/* Queue 0 of engine 0 with a ring of RING_LEN on each side. */
static void rig_start(struct rig *rig)
{
    if (trench_soc_create(NULL, &rig->soc)) {
        die("cannot create the chip");
    }
    rig->bus = trench_soc_bus(rig->soc);
    trench_gen_engine_base(trench_soc_gen(rig->soc), 0, false, &rig->base);
    /* As every driver: addresses as the descriptor gives them. */
    write_reg(rig, GEN_EX_OFFSET + UDMA_GEN_EX_VMPR_V4_CFG_VMPR_V4_0(0),
              0xFFFFFFFF);
    write_reg(rig, GEN_EX_OFFSET + UDMA_GEN_EX_VMPR_V4_CFG_VMPR_V4_1(0),
              0xFFFFFFFF);
    write_reg(rig, UDMA_M2S_M2S_Q_TDRBP_LOW(0), TX_RING & 0xFFFFFFFF);
    write_reg(rig, UDMA_M2S_M2S_Q_TDRBP_HIGH(0), TX_RING >> 32);
    write_reg(rig, UDMA_M2S_M2S_Q_TDRL(0), RING_LEN);
    write_reg(rig, UDMA_M2S_M2S_Q_CFG(0), 0x03030000);
    write_reg(rig, S2M_OFFSET + UDMA_S2M_S2M_Q_RDRBP_LOW(0),
              RX_RING & 0xFFFFFFFF);
    write_reg(rig, S2M_OFFSET + UDMA_S2M_S2M_Q_RDRBP_HIGH(0), RX_RING >> 32);
    write_reg(rig, S2M_OFFSET + UDMA_S2M_S2M_Q_RDRL(0), RING_LEN);
    write_reg(rig, S2M_OFFSET + UDMA_S2M_S2M_Q_COMP_CFG(0), 0);
    write_reg(rig, S2M_OFFSET + UDMA_S2M_S2M_Q_CFG(0), 0x03030000);
    rig->lap = 1;
}

/* A whole ring of one-descriptor packets, len bytes each, slot after slot. */
static void rig_fill(struct rig *rig, uint32_t len, uint64_t slots)
{
    uint32_t(*tx)[4] = trench_bus_host(rig->bus, TX_RING, RING_LEN * 16);
    uint32_t(*rx)[4] = trench_bus_host(rig->bus, RX_RING, RING_LEN * 16);

    for (uint64_t i = 0; i < RING_LEN; i++) {
        uint64_t src = SRC + i % slots * len;
        uint64_t dst = DST + i % slots * len;

        tx[i][0] = 0x0C000000u | rig->lap << 24 | (len & 0xFFFF);
        tx[i][1] = 0x01080003;
        tx[i][2] = (uint32_t)src;
        tx[i][3] = (uint32_t)(src >> 32);
        rx[i][0] = rig->lap << 24 | (len & 0xFFFF);
        rx[i][1] = 0;
        rx[i][2] = (uint32_t)dst;
        rx[i][3] = (uint32_t)(dst >> 32);
    }
    rig->lap = (rig->lap + 1) & 3;
}

/* Seconds for n descriptors that are already in memory. */
static double rig_ring(struct rig *rig, uint32_t n)
{
    double t = bench_now();

    write_reg(rig, S2M_OFFSET + UDMA_S2M_S2M_Q_RDRTP_INC(0), n);
    write_reg(rig, UDMA_M2S_M2S_Q_TDRTP_INC(0), n);
    return bench_now() - t;
}

static void *slot_memory(struct rig *rig, uint64_t addr, uint64_t bytes)
{
    void *p = trench_bus_host(rig->bus, addr, bytes);

    if (!p) {
        die("buffers are not memory");
    }
    return p;
}

static void fill_random(uint8_t *p, size_t n)
{
    uint64_t x = 88172645463325252u;

    for (size_t i = 0; i + 8 <= n; i += 8) {
        x ^= x << 13;
        x ^= x >> 7;
        x ^= x << 17;
        memcpy(p + i, &x, 8);
    }
}

/* Descriptors of 64 KiB beside memcpy between the same buffers. */
static void bench_bulk(struct rig *rig, const char *name, uint64_t slots)
{
    const uint32_t len = 65536;
    uint64_t bytes = (uint64_t)RING_LEN * len;
    uint8_t *src = slot_memory(rig, SRC, slots * len);
    uint8_t *dst = slot_memory(rig, DST, slots * len);
    double model, plain;
    char text[64];

    fill_random(src, slots * len);
    for (int r = -1; r < BENCH_REPEATS; r++) {
        double t;

        rig_fill(rig, len, slots);
        memset(dst, 0, slots * len);
        t = bench_now();
        for (uint64_t i = 0; i < RING_LEN; i++) {
            memcpy(dst + i % slots * len, src + i % slots * len, len);
        }
        rig->baseline[r < 0 ? 0 : r] = bench_now() - t;
        memset(dst, 0, slots * len);
        rig->samples[r < 0 ? 0 : r] = rig_ring(rig, RING_LEN);
        if (memcmp(src, dst, slots * len) != 0) {
            die("data differs");
        }
    }
    plain = bench_quantile(rig->baseline, BENCH_REPEATS, 0.5);
    model = bench_quantile(rig->samples, BENCH_REPEATS, 0.5);
    snprintf(text, sizeof(text), "memcpy %s", name);
    row(text, "GB/s", (double)bytes / plain * 1e-9,
        (double)bytes / bench_quantile(rig->baseline, BENCH_REPEATS, 0.99) *
            1e-9,
        0);
    snprintf(text, sizeof(text), "64 KiB descriptors %s", name);
    row(text, "GB/s", (double)bytes / model * 1e-9,
        (double)bytes / bench_quantile(rig->samples, BENCH_REPEATS, 0.99) *
            1e-9,
        plain / model);
}

static void bench_small(struct rig *rig)
{
    const uint32_t len = 64;
    const uint64_t slots = RING_LEN;
    uint8_t *src = slot_memory(rig, SRC, slots * len);
    uint8_t *dst = slot_memory(rig, DST, slots * len);
    bool dpdk = bench_dpdk_start() == 0;
    double model;

    fill_random(src, slots * len);
    for (int r = -1; r < BENCH_REPEATS; r++) {
        int at = r < 0 ? 0 : r;

        rig_fill(rig, len, slots);
        memset(dst, 0, slots * len);
        rig->samples[at] = rig_ring(rig, RING_LEN);
        if (memcmp(src, dst, slots * len) != 0) {
            die("data differs");
        }
        if (dpdk) {
            memset(dst, 0, slots * len);
            rig->baseline[at] = bench_dpdk_copies(dst, src, slots, RING_LEN);
            if (memcmp(src, dst, slots * len) != 0) {
                die("data differs (dpdk)");
            }
        }
    }
    model = bench_quantile(rig->samples, BENCH_REPEATS, 0.5);
    row("64 B descriptor pairs", "million/s", RING_LEN / model * 1e-6,
        RING_LEN / bench_quantile(rig->samples, BENCH_REPEATS, 0.99) * 1e-6,
        dpdk ? bench_quantile(rig->baseline, BENCH_REPEATS, 0.5) / model : 0);
    if (dpdk) {
        row("64 B copies by DPDK dma_skeleton", "million/s",
            RING_LEN / bench_quantile(rig->baseline, BENCH_REPEATS, 0.5) * 1e-6,
            RING_LEN / bench_quantile(rig->baseline, BENCH_REPEATS, 0.99) *
                1e-6,
            0);
    }
}

/*
 * Completion rings and notification records of every packet, into a ring that
 * is overwritten: 64-byte copies beside the same copies without.
 */
static void notes_set(struct rig *rig, bool on)
{
    const uint64_t ring = NOTE_RING, size = on ? NOTE_RING_BYTES : 0;

    write_reg(rig, NOTIFIC_OFFSET + NOTIFIC_10_QUEUE_NOTIFIC_NQ_BASE_ADDR_HI(0),
              ring >> 32);
    write_reg(rig, NOTIFIC_OFFSET + NOTIFIC_10_QUEUE_NOTIFIC_NQ_BASE_ADDR_LO(0),
              ring & 0xFFFFFFFF);
    write_reg(rig, NOTIFIC_OFFSET + NOTIFIC_10_QUEUE_NOTIFIC_NQ_SIZE(0), size);
    write_reg(rig, NOTIFIC_OFFSET + NOTIFIC_10_QUEUE_NOTIFIC_NQ_SW_OVERFLOW, 1);
    write_reg(rig, NOTIFIC_OFFSET + NOTIFIC_10_QUEUE_NOTIFIC_WR_BUF_ENABLE_LO,
              on ? 0xFFFFFFFF : 0);
    write_reg(rig, NOTIFIC_OFFSET + NOTIFIC_10_QUEUE_NOTIFIC_NQ_ENABLE, on);
    write_reg(rig, APP_OFFSET + TDMA_MODEL_NOTIFIC_CFG_PER_QUEUE_M2S_TRIGGER(0),
              (uint64_t)on << 16);
    write_reg(rig, APP_OFFSET + TDMA_MODEL_NOTIFIC_CFG_PER_QUEUE_S2M_TRIGGER(0),
              (uint64_t)on << 16);
    write_reg(rig, UDMA_M2S_M2S_Q_TCRBP_LOW(0), TX_COMP & 0xFFFFFFFF);
    write_reg(rig, UDMA_M2S_M2S_Q_TCRBP_HIGH(0), TX_COMP >> 32);
    write_reg(rig, UDMA_M2S_M2S_Q_COMP_CFG(0), on ? 3 : 0);
    write_reg(rig, S2M_OFFSET + UDMA_S2M_S2M_Q_RCRBP_LOW(0),
              RX_COMP & 0xFFFFFFFF);
    write_reg(rig, S2M_OFFSET + UDMA_S2M_S2M_Q_RCRBP_HIGH(0), RX_COMP >> 32);
    write_reg(rig, S2M_OFFSET + UDMA_S2M_S2M_Q_COMP_CFG(0), on ? 3 : 0);
}

static void notes_check(struct rig *rig)
{
    uint32_t n = 0;

    if (trench_bus_read32(rig->bus,
                          rig->base + NOTIFIC_OFFSET +
                              NOTIFIC_10_QUEUE_NOTIFIC_NQ_STATS,
                          &n) ||
        n != 5 * RING_LEN) {
        die("records are missing");
    }
}

static void bench_notes(struct rig *rig)
{
    const uint32_t len = 64;
    uint8_t *src = slot_memory(rig, SRC, RING_LEN * len);
    uint8_t *dst = slot_memory(rig, DST, RING_LEN * len);
    double plain, told;

    fill_random(src, RING_LEN * len);
    for (int r = -1; r < BENCH_REPEATS; r++) {
        double *sample[] = { rig->baseline, rig->samples };

        for (int on = 0; on <= 1; on++) {
            notes_set(rig, on);
            rig_fill(rig, len, RING_LEN);
            memset(dst, 0, RING_LEN * len);
            sample[on][r < 0 ? 0 : r] = rig_ring(rig, RING_LEN);
            if (memcmp(src, dst, RING_LEN * len) != 0) {
                die("data differs (notifications)");
            }
        }
        notes_check(rig);
    }
    notes_set(rig, false);
    plain = bench_quantile(rig->baseline, BENCH_REPEATS, 0.5);
    told = bench_quantile(rig->samples, BENCH_REPEATS, 0.5);
    row("64 B descriptor pairs, completions and notifications", "million/s",
        RING_LEN / told * 1e-6,
        RING_LEN / bench_quantile(rig->samples, BENCH_REPEATS, 0.99) * 1e-6,
        plain / told);
}

/* The same through the driver library: descriptors, bells and completions. */
static void bench_hal(struct rig *rig)
{
    const uint32_t len = 64;
    const uint32_t batch = RING_LEN - TRENCH_HAL_RING_GAP;
    struct trench_hal_engine_conf ec = { .ops = trench_hal_bus_ops() };
    struct trench_hal_queue_conf qc = { .tx_entries = RING_LEN };
    struct trench_hal_engine *engine = NULL;
    struct trench_hal_queue *queue = NULL;
    struct trench_hal_bus *hb = NULL;
    double model;

    trench_gen_engine_base(trench_soc_gen(rig->soc), 1, false, &ec.base);
    if (trench_hal_bus_create(rig->bus, 0x300000000, 1 << 24, &hb)) {
        die("no driver memory");
    }
    ec.opaque = hb;
    if (trench_hal_engine_open(&ec, &engine) ||
        trench_hal_queue_open(engine, &qc, &queue)) {
        die("cannot open the queue");
    }
    for (int r = -1; r < BENCH_REPEATS; r++) {
        double t = bench_now();

        for (uint32_t i = 0; i < batch; i++) {
            if (trench_hal_copy(queue, DST + (uint64_t)i * len,
                                SRC + (uint64_t)i * len, len, 0) < 0) {
                die("copy refused");
            }
            if (i % 32 == 31) {
                trench_hal_submit(queue);
            }
        }
        trench_hal_submit(queue);
        if (trench_hal_wait(queue, 1000000000)) {
            die("copies do not finish");
        }
        rig->samples[r < 0 ? 0 : r] = bench_now() - t;
    }
    model = bench_quantile(rig->samples, BENCH_REPEATS, 0.5);
    row("64 B copies by the driver library", "million/s", batch / model * 1e-6,
        batch / bench_quantile(rig->samples, BENCH_REPEATS, 0.99) * 1e-6, 0);
    trench_hal_queue_close(queue);
    trench_hal_engine_close(engine);
    trench_hal_bus_destroy(hb);
}

/* Register reads: one again and again, then spread over the whole chip. */
static void bench_reads(struct rig *rig)
{
    enum {
        READS = 200000
    };
    static uint64_t addrs[READS];
    const struct trench_gen *gen = trench_soc_gen(rig->soc);
    uint64_t x = 1;
    uint32_t val;

    for (int spread = 0; spread <= 1; spread++) {
        for (size_t i = 0; i < READS; i++) {
            uint64_t base = rig->base;

            x = x * 6364136223846793005u + 1442695040888963407u;
            if (spread) {
                trench_gen_engine_base(gen, (x >> 33) % gen->nr_engines, false,
                                       &base);
            }
            addrs[i] = base + UDMA_M2S_M2S_Q_CFG(0);
        }
        for (int r = -1; r < BENCH_REPEATS; r++) {
            double t = bench_now();

            for (size_t i = 0; i < READS; i++) {
                if (trench_bus_read32(rig->bus, addrs[i], &val)) {
                    die("read refused");
                }
            }
            rig->samples[r < 0 ? 0 : r] = (bench_now() - t) / READS * 1e9;
        }
        row(spread ? "register read, random engine" : "register read", "ns",
            bench_quantile(rig->samples, BENCH_REPEATS, 0.5),
            bench_quantile(rig->samples, BENCH_REPEATS, 0.99), 0);
    }
}

/* What the tools do once a line: names and addresses. */
static void bench_lookups(struct rig *rig)
{
    enum {
        LOOKUPS = 20000
    };
    static const char name[] = "udma_m2s.M2S_Q[5].TDRTP_inc";
    const struct trench_gen *gen = trench_soc_gen(rig->soc);
    const struct trench_csr_set *set =
        trench_csr_lib_set(trench_csr_lib_builtin(), gen->name);
    struct trench_csr_ref ref;
    struct trench_map_info info;

    for (int r = -1; r < BENCH_REPEATS; r++) {
        int at = r < 0 ? 0 : r;
        double t = bench_now();

        for (size_t i = 0; i < LOOKUPS; i++) {
            if (trench_csr_find(set, name, &ref, NULL)) {
                die("name not found");
            }
        }
        rig->samples[at] = (bench_now() - t) / LOOKUPS * 1e9;
        t = bench_now();
        for (size_t i = 0; i < LOOKUPS; i++) {
            trench_map_at(gen, rig->base + i % 0x40000 / 4 * 4, &info);
            if (info.status != TRENCH_MAP_MODELLED) {
                die("address not found");
            }
        }
        rig->baseline[at] = (bench_now() - t) / LOOKUPS * 1e9;
    }
    row("register name to offset", "ns",
        bench_quantile(rig->samples, BENCH_REPEATS, 0.5),
        bench_quantile(rig->samples, BENCH_REPEATS, 0.99), 0);
    row("address to register", "ns",
        bench_quantile(rig->baseline, BENCH_REPEATS, 0.5),
        bench_quantile(rig->baseline, BENCH_REPEATS, 0.99), 0);
}

/* Every schema of every generation from its files. */
static void bench_schemas(struct rig *rig, const char *dir)
{
    struct trench_csr_lib *lib;

    for (int r = -1; r < BENCH_REPEATS; r++) {
        double t = bench_now();

        if (trench_csr_lib_load(dir, NULL, NULL, &lib) != 0) {
            die("schemas do not load");
        }
        rig->samples[r < 0 ? 0 : r] = (bench_now() - t) * 1e3;
        trench_csr_lib_free(lib);
    }
    row("load the schemas of four generations", "ms",
        bench_quantile(rig->samples, BENCH_REPEATS, 0.5),
        bench_quantile(rig->samples, BENCH_REPEATS, 0.99), 0);
}

static double resident_mib(void)
{
    unsigned long size = 0, resident = 0;
    FILE *f = fopen("/proc/self/statm", "r");

    if (!f || fscanf(f, "%lu %lu", &size, &resident) != 2) {
        die("no /proc/self/statm");
    }
    fclose(f);
    return (double)resident * (double)sysconf(_SC_PAGESIZE) / 1048576;
}

/* First, so that nothing else is resident yet. */
static void bench_create(struct rig *rig)
{
    double before = resident_mib();
    double grown = 0;

    for (int r = -1; r < BENCH_REPEATS; r++) {
        struct trench_soc *soc;
        double t = bench_now();

        if (trench_soc_create(NULL, &soc)) {
            die("cannot create the chip");
        }
        rig->samples[r < 0 ? 0 : r] = (bench_now() - t) * 1e3;
        if (r < 0) {
            grown = resident_mib() - before;
        }
        trench_soc_destroy(soc);
    }
    row("create the chip", "ms",
        bench_quantile(rig->samples, BENCH_REPEATS, 0.5),
        bench_quantile(rig->samples, BENCH_REPEATS, 0.99), 0);
    row("resident after create", "MiB", grown, grown, 0);
}

static void header(void)
{
    struct utsname u;
    char line[256] = "";
    FILE *f = fopen("/proc/cpuinfo", "r");

    uname(&u);
    while (f && fgets(line, sizeof(line), f)) {
        if (strncmp(line, "model name", 10) == 0) {
            break;
        }
    }
    if (f) {
        fclose(f);
    }
    line[strcspn(line, "\n")] = '\0';
    printf("# %s %s, %s\n", u.sysname, u.machine,
           strchr(line, ':') ? strchr(line, ':') + 2 : "unknown processor");
    printf("# median and 99th percentile of %d repeats, one thread\n",
           BENCH_REPEATS);
    printf("name,unit,median,p99,ratio to baseline\n");
}

/* Rows that need nothing of the others, and their name as an argument. */
static const struct {
    const char *name;
    void (*run)(void);
} groups[] = {
    { "step", bench_step },
    { "cce", bench_cce },
    { "coll", bench_coll },
    { "serve", bench_serve },
};

/* The rows of one name alone. */
static int bench_group(const char *name, const char *regs)
{
    if (strcmp(name, "icache") == 0) {
        bench_icache(regs);
        return 0;
    }
    for (size_t i = 0; i < sizeof(groups) / sizeof(groups[0]); i++) {
        if (strcmp(name, groups[i].name) == 0) {
            groups[i].run();
            return 0;
        }
    }
    fprintf(stderr, "bench: there are no rows '%s'\n", name);
    return 2;
}

/* argv: the folder of the schemas, and the name of the rows to measure. */
int main(int argc, char **argv)
{
    static struct rig rig;

    header();
    if (argc > 2) {
        return bench_group(argv[2], argv[1]);
    }
    bench_create(&rig);
    rig_start(&rig);
    bench_bulk(&rig, "in cache (256 KiB)", 2);
    bench_bulk(&rig, "in memory (256 MiB)", 2048);
    bench_small(&rig);
    bench_notes(&rig);
    bench_hal(&rig);
    bench_reads(&rig);
    bench_lookups(&rig);
    if (argc > 1) {
        bench_schemas(&rig, argv[1]);
    }
    trench_soc_destroy(rig.soc);
    for (size_t i = 0; i < sizeof(groups) / sizeof(groups[0]); i++) {
        groups[i].run();
    }
    if (argc > 1) {
        bench_icache(argv[1]);
    }
    return 0;
}
