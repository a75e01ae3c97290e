/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What runs in the virtual machine: the driver library on the BARs of every
 * device that the guest's kernel has found.
 *
 *     guest all|quick SEED
 *
 * Lines for the test outside begin with "TAP".
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "cli/pattern.h"
#include "device.h"
#include "udma_m2s_gen.h"
#include "udma_s2m_gen.h"

#define KIB(n) ((uint64_t)(n) << 10)
#define MIB(n) ((uint64_t)(n) << 20)

#define HBM_0 UINT64_C(0x1000000)
#define HBM_1 UINT64_C(0x1001000000)
#define S2M   0x20000u /* of an engine's base */

/* In the guest's memory for DMA; the rings begin at 4 MiB. */
enum {
    SRC = 0,
    DST = 1 << 20,
};

#define MISC_RAM   0x30FA0000u
#define MISC_WORDS (MISC_RAM + 0xC0) /* free for software */
#define APB        0x30000000u
#define APB_BYTES  0x01000000u

#define GARBAGE_NS UINT64_C(5000000000)

static uint64_t seed;
static unsigned failed;

static void verdict(const struct device *d, const char *what, bool ok)
{
    printf("TAP %s - %s: %s\n", ok ? "ok" : "not ok", d->name, what);
    failed += !ok;
}

static bool must(bool truth, const char *what)
{
    if (!truth) {
        printf("TAP # %s\n", what);
    }
    return truth;
}

/* An engine with one queue, for the length of a test. */
struct user {
    struct device *d;
    struct trench_hal_engine *e;
    struct trench_hal_queue *q;
    uint64_t base;
};

static bool begin(struct user *u, struct device *d, unsigned engine)
{
    u->d = d;
    d->g.next = GUEST_RINGS;
    trench_gen_engine_base(trench_gen_find("sunda"), engine, false, &u->base);
    return must(guest_engine(&d->g, engine, &u->e, &u->q) == 0, "engine");
}

static void end(struct user *u)
{
    trench_hal_queue_close(u->q);
    trench_hal_engine_close(u->e);
}

static bool move(const struct user *u, uint64_t dst, uint64_t src, uint64_t len)
{
    int err = guest_move(u->q, dst, src, len);

    if (err) {
        printf("TAP # copy: %s\n", trench_strerror(err));
    }
    return err == 0;
}

static void fill(uint8_t *to, size_t len)
{
    for (size_t i = 0; i < len; i += 8) {
        uint64_t val = cli_random(&seed);

        memcpy(to + i, &val, 8);
    }
}

/* ---- copies -------------------------------------------------------------- */

static bool host_to_device(struct user *u)
{
    struct device *d = u->d;
    const uint8_t *src = d->g.mem + SRC;

    fill(d->g.mem + SRC, MIB(1));
    if (!move(u, HBM_0, d->g.addr + SRC, MIB(1))) {
        return false;
    }
    /* BAR 4 shows HBM 0, at some microseconds a word: not all of it. */
    for (uint64_t at = 0; at < MIB(1); at += 4096 - 8) {
        uint64_t val;

        memcpy(&val, src + at, 8);
        if (!must(*(volatile uint64_t *)(d->hbm + HBM_0 + at) == val,
                  "BAR 4")) {
            return false;
        }
    }
    return true;
}

static bool device_to_host(struct user *u)
{
    const struct guest *g = &u->d->g;

    memset(g->mem + DST, 0, MIB(1));
    return move(u, g->addr + DST, HBM_0, MIB(1)) &&
           must(memcmp(g->mem + SRC, g->mem + DST, MIB(1)) == 0, "bytes");
}

static bool device_to_device(struct user *u)
{
    const struct guest *g = &u->d->g;

    memset(g->mem + DST, 0, MIB(1));
    return move(u, HBM_1 + 1, HBM_0, MIB(1)) &&
           move(u, g->addr + DST, HBM_1 + 1, MIB(1)) &&
           must(memcmp(g->mem + SRC, g->mem + DST, MIB(1)) == 0, "bytes");
}

/* Both rings used up, at the same place; nothing has gone wrong. */
static bool queue_state(struct user *u)
{
    struct trench_hal_errors errors;
    enum trench_hal_state state;
    uint32_t head[2];
    uint32_t tail[2];

    guest_read32(&u->d->g, u->base + UDMA_M2S_M2S_Q_TDRHP(0), &head[0]);
    guest_read32(&u->d->g, u->base + UDMA_M2S_M2S_Q_TDRTP(0), &tail[0]);
    guest_read32(&u->d->g, u->base + S2M + UDMA_S2M_S2M_Q_RDRHP(0), &head[1]);
    guest_read32(&u->d->g, u->base + S2M + UDMA_S2M_S2M_Q_RDRTP(0), &tail[1]);
    return must(head[0] == tail[0] && head[1] == tail[1], "head and tail") &&
           must(head[0] != UDMA_M2S_M2S_Q_TDRHP_RESET, "moved") &&
           must(trench_hal_queue_in_flight(u->q) == 0, "in flight") &&
           must(!trench_hal_engine_state(u->e, &state) &&
                    state == TRENCH_HAL_IDLE,
                "idle") &&
           must(!trench_hal_engine_take_errors(u->e, &errors) &&
                    errors.m2s == 0 && errors.s2m == 0,
                "errors");
}

static void test_copies(struct device *d, unsigned engine)
{
    static const struct {
        const char *name;
        bool (*fn)(struct user *u);
    } tests[] = {
        { "host to device", host_to_device },
        { "device to host", device_to_host },
        { "device to device", device_to_device },
        { "queue and engine at rest", queue_state },
    };
    struct user u;
    bool open = begin(&u, d, engine);

    for (size_t i = 0; i < sizeof(tests) / sizeof(*tests); i++) {
        char name[64];

        snprintf(name, sizeof(name), "engine %u, %s", engine, tests[i].name);
        verdict(d, name, open && tests[i].fn(&u));
    }
    if (open) {
        end(&u);
    }
}

/* ---- what goes wrong ----------------------------------------------------- */

/* Neither memory nor anything else: the engine stops, and starts again. */
static bool bad_address(struct device *d)
{
    struct trench_hal_errors errors = { 0 };
    struct user u;
    bool ok;

    if (!begin(&u, d, 32)) {
        return false;
    }
    ok = must(guest_move(u.q, GUEST_TAG + 0xF0000000, HBM_0, 4096) ==
                  TRENCH_ERR_IO,
              "refused") &&
         must(!trench_hal_engine_take_errors(u.e, &errors) && errors.s2m != 0,
              "causes") &&
         must(trench_hal_queue_reset(u.q) == 0, "reset") &&
         move(&u, d->g.addr + DST, HBM_0, 4096);
    end(&u);
    return ok;
}

/* Without bus mastering the guest's memory is out of reach. */
static bool no_master(struct device *d)
{
    struct user u;
    int err;
    bool ok;

    if (!begin(&u, d, 32)) {
        return false;
    }
    device_master(d, false);
    memset(d->g.mem + DST, 0x5A, 4096);
    err = guest_move(u.q, d->g.addr + DST, HBM_0, 4096);
    ok = must(err < 0, "a copy without bus mastering") &&
         must(d->g.mem[DST] == 0x5A && d->g.mem[DST + 4095] == 0x5A, "bytes");
    device_master(d, true);
    ok = ok && must(trench_hal_queue_reset(u.q) == 0, "reset") &&
         move(&u, d->g.addr + DST, HBM_0, 4096);
    end(&u);
    return ok;
}

/* All sizes in device memory; of registers, words and parts that are read. */
static bool sizes(struct device *d)
{
    volatile uint8_t *m = d->hbm + 0x100;
    volatile uint8_t *r = d->regs + MISC_WORDS;
    bool ok;

    *(volatile uint64_t *)m = UINT64_C(0x8877665544332211);
    *(volatile uint16_t *)(m + 2) = 0xABCD;
    m[7] = 0xEE;
    ok = must(*(volatile uint64_t *)m == UINT64_C(0xEE776655ABCD2211), "HBM");
    *(volatile uint64_t *)r = UINT64_C(0x8877665544332211);
    r[1] = 0xEE;
    *(volatile uint16_t *)r = 0xEEEE;
    return ok &&
           must(*(volatile uint64_t *)r == UINT64_C(0x8877665544332211),
                "registers") &&
           must(r[1] == 0x22 && *(volatile uint16_t *)(r + 6) == 0x8877,
                "parts");
}

static bool reset(struct device *d)
{
    struct user u;
    uint32_t len = 1;

    if (!begin(&u, d, 0)) {
        return false;
    }
    if (must(device_reset(d), "no end")) {
        guest_read32(&d->g, u.base + UDMA_M2S_M2S_Q_TDRL(0), &len);
    }
    end(&u);
    return must(len == 0, "a ring is left") &&
           guest_round_trip(&d->g, 0, 5000) == 0;
}

/* ---- random copies ------------------------------------------------------- */

#define BUF KIB(16)

/* Where the bytes of one copy are, as in the kernel's dmatest. */
struct draw {
    uint64_t src_off;
    uint64_t dst_off;
    uint64_t len;
    uint32_t key;
    bool src_far; /* in HBM */
    bool dst_far;
};

static struct draw draw(void)
{
    struct draw t = { .len = cli_random(&seed) % BUF + 1 };

    t.src_off = cli_random(&seed) % (BUF - t.len + 1);
    t.dst_off = cli_random(&seed) % (BUF - t.len + 1);
    t.key = (uint32_t)cli_random(&seed);
    t.src_far = cli_random(&seed) & 1;
    t.dst_far = cli_random(&seed) & 1;
    return t;
}

enum {
    RUNS = 6
};

/* What source and destination hold after the copy. */
static void runs_of(const struct draw *t, uint8_t *src, uint8_t *dst,
                    struct cli_pattern_run runs[RUNS])
{
    uint64_t src_end = t->src_off + t->len;
    uint64_t dst_end = t->dst_off + t->len;
    const struct cli_pattern_run all[RUNS] = {
        { src, 0, t->src_off, CLI_PATTERN_SRC_OUT, t->key, 0 },
        { src, t->src_off, t->len, CLI_PATTERN_SRC_IN, t->key, t->src_off },
        { src, src_end, BUF - src_end, CLI_PATTERN_SRC_OUT, t->key, src_end },
        { dst, 0, t->dst_off, CLI_PATTERN_DST_OUT, t->key, 0 },
        { dst, t->dst_off, t->len, CLI_PATTERN_SRC_IN, t->key, t->src_off },
        { dst, dst_end, BUF - dst_end, CLI_PATTERN_DST_OUT, t->key, dst_end },
    };

    memcpy(runs, all, sizeof(all));
}

static bool one_copy(const struct user *u, const struct draw *t)
{
    struct guest *g = &u->d->g;
    struct cli_pattern_run runs[RUNS];
    uint64_t src = t->src_far ? HBM_0 : g->addr + SRC;
    uint64_t dst = t->dst_far ? HBM_1 : g->addr + DST;
    bool ok = true;

    runs_of(t, g->mem + SRC, g->mem + DST, runs);
    for (unsigned i = 0; i < RUNS; i++) {
        struct cli_pattern_run before = runs[i];

        if (i == 4) {
            before.region = CLI_PATTERN_DST_IN;
        }
        cli_pattern_fill(&before);
    }
    ok = (!t->src_far || move(u, src, g->addr + SRC, BUF)) &&
         (!t->dst_far || move(u, dst, g->addr + DST, BUF)) &&
         move(u, dst + t->dst_off, src + t->src_off, t->len) &&
         (!t->src_far || move(u, g->addr + SRC, src, BUF)) &&
         (!t->dst_far || move(u, g->addr + DST, dst, BUF));
    for (unsigned i = 0; ok && i < RUNS; i++) {
        ok = must(cli_pattern_intact(&runs[i]), "bytes");
    }
    return ok;
}

static bool random_copies(struct device *d, unsigned engine, unsigned nr)
{
    struct user u;
    bool ok = begin(&u, d, engine);

    if (!ok) {
        return false;
    }
    for (unsigned i = 0; ok && i < nr; i++) {
        struct draw t = draw();

        ok = one_copy(&u, &t);
        if (!ok) {
            printf("TAP # copy %u of engine %u: %s to %s, 0x%" PRIx64
                   " to 0x%" PRIx64 ", 0x%" PRIx64 " bytes\n",
                   i, engine, t.src_far ? "HBM" : "host",
                   t.dst_far ? "HBM" : "host", t.src_off, t.dst_off, t.len);
        }
    }
    end(&u);
    return ok;
}

static void test_random(struct device *d, unsigned nr)
{
    static const unsigned engines[] = { 0, 7, 15, 16, 31, 32, 33 };

    for (size_t i = 0; i < sizeof(engines) / sizeof(*engines); i++) {
        char name[64];

        snprintf(name, sizeof(name), "dmatest, engine %u, %u copies",
                 engines[i], nr);
        verdict(d, name, random_copies(d, engines[i], nr));
    }
}

/* ---- anything anywhere --------------------------------------------------- */

/* Half of them where the engines are. */
static uint64_t garbage_offset(void)
{
    uint64_t r = cli_random(&seed);

    return r >> 63 ? APB + r % APB_BYTES : r % MIB(1024);
}

static void garbage_access(struct device *d)
{
    uint64_t what = cli_random(&seed);
    uint64_t val = cli_random(&seed) >> (what >> 8 & 63);
    volatile uint8_t *at = d->regs + garbage_offset();

    if ((what & 15) == 0) {
        at = d->hbm + cli_random(&seed) % d->hbm_bytes;
    }
    at = (volatile uint8_t *)((uintptr_t)at & ~(uintptr_t)7);
    at += what >> 16 & 7;
    switch (what >> 4 & 15) {
    case 0:
        *at = (uint8_t)val;
        break;
    case 1:
        *(volatile uint64_t *)((uintptr_t)at & ~(uintptr_t)7) = val;
        break;
    case 2:
        *(volatile uint16_t *)((uintptr_t)at & ~(uintptr_t)1) = (uint16_t)val;
        break;
    case 3:
        (void)*at;
        break;
    case 4:
        (void)*(volatile uint64_t *)((uintptr_t)at & ~(uintptr_t)7);
        break;
    case 5:
    case 6:
        (void)*(volatile uint32_t *)((uintptr_t)at & ~(uintptr_t)3);
        break;
    default:
        *(volatile uint32_t *)((uintptr_t)at & ~(uintptr_t)3) = (uint32_t)val;
        break;
    }
}

/* After a reset the device is as it was. */
static bool garbage(struct device *d)
{
    uint64_t until;
    uint64_t nr = 0;

    if (!must(device_reset(d), "reset before")) {
        return false;
    }
    for (until = guest_now(NULL) + GARBAGE_NS; guest_now(NULL) < until; nr++) {
        garbage_access(d);
    }
    printf("TAP # %" PRIu64 " random accesses\n", nr);
    d->g.next = GUEST_RINGS;
    return must(nr > 1000, "so few") && must(device_reset(d), "reset after") &&
           must(guest_round_trip(&d->g, 5, 70000) == 0, "copy");
}

/* ---- times --------------------------------------------------------------- */

static void print_read_time(struct device *d)
{
    enum {
        READS = 20000
    };
    uint64_t t = guest_now(NULL);

    for (unsigned i = 0; i < READS; i++) {
        /* One word alone would look like a guest that hangs. */
        device_read(d, MISC_WORDS + i % 2 * 4);
    }
    printf("TAP # %s: %.1f us a register read\n", d->name,
           (double)(guest_now(NULL) - t) / READS / 1e3);
}

/* The ring holds three copies of 1 MiB. */
static bool move_some(const struct user *u, unsigned nr)
{
    for (unsigned i = 1; i < nr; i++) {
        if (trench_hal_copy(u->q, HBM_0, u->d->g.addr + SRC, MIB(1), 0) < 0) {
            return false;
        }
    }
    return move(u, HBM_0, u->d->g.addr + SRC, MIB(1));
}

static void print_copy_rate(struct device *d, unsigned at_once)
{
    enum {
        COPIES = 96
    };
    struct user u;
    bool ok = true;
    uint64_t t;

    if (!begin(&u, d, 32)) {
        return;
    }
    t = guest_now(NULL);
    for (unsigned i = 0; ok && i < COPIES; i += at_once) {
        ok = move_some(&u, at_once);
    }
    printf("TAP # %s: %.0f MiB/s in copies of 1 MiB, %u at a time\n", d->name,
           ok ? COPIES * 1e9 / (double)(guest_now(NULL) - t) : 0.0, at_once);
    end(&u);
}

static void print_times(struct device *d)
{
    print_read_time(d);
    print_copy_rate(d, 1);
    print_copy_rate(d, 3);
}

/* ---- all of it ----------------------------------------------------------- */

static void test_all(struct device *d)
{
    test_copies(d, 0);
    test_copies(d, 33);
    verdict(d, "accesses of all sizes", sizes(d));
    verdict(d, "a bad address", bad_address(d));
    verdict(d, "no bus mastering", no_master(d));
    verdict(d, "device reset", reset(d));
    test_random(d, 40);
    print_times(d);
    verdict(d, "anything anywhere", garbage(d));
}

static void test_quick(struct device *d)
{
    verdict(d, "device reset", reset(d));
    test_copies(d, 32);
    test_random(d, 3);
    print_times(d);
}

int main(int argc, char **argv)
{
    char names[DEVICE_MAX][64];
    unsigned nr = device_list(names);

    setvbuf(stdout, NULL, _IOLBF, 0);
    if (argc != 3) {
        printf("usage: guest all|quick SEED\n");
        return 2;
    }
    seed = strtoull(argv[2], NULL, 0);
    printf("TAP # %u device(s), seed %" PRIu64 "\n", nr, seed);
    for (unsigned i = 0; i < nr; i++) {
        struct device d;

        if (!device_open(names[i], &d)) {
            printf("TAP not ok - %s: open\n", names[i]);
            failed++;
            continue;
        }
        printf("TAP ok - %s: 1d0f:%04x revision %u\n", d.name, d.id,
               d.revision);
        (strcmp(argv[1], "all") == 0 ? test_all : test_quick)(&d);
        device_close(&d);
    }
    return failed > 0 || nr == 0;
}
