/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A collective beside plain loops that leave the same in the same memory, and
 * beside another library's; packets of the compute engine beside their loop.
 */
#include <stdio.h>
#include <string.h>

#include <trench/coll_job.h>

#include "bench.h"
#include "chip.h"

#define RANKS ((unsigned)8)
#define ELEMS ((size_t)4 << 20) /* 16 MiB of fp32, a rank */
#define BYTES (ELEMS * sizeof(float))
/* Buffers of a rank, and ranks, begin at different lines of a cache. */
#define BUF_STEP (UINT64_C(64) << 20)
#define STAGGER  4416u
#define REPEATS  11

/* Packets of the compute engine. */
#define PACKET  ((size_t)2048) /* elements */
#define PACKETS 1024u
#define SRC     UINT64_C(0x200000000)
#define DST     UINT64_C(0x4200000000)

struct rig {
    struct bench_chip chip;
    uint64_t bufs[RANKS * TRENCH_NR_COLL_BUFS];
    float *in[RANKS];
    float *out[RANKS];
    float *check; /* what an output is to be */
    struct trench_coll_job *job;
    double plain[BENCH_REPEATS];
    double model[BENCH_REPEATS];
};

static void die(const char *what)
{
    fprintf(stderr, "bench: %s\n", what);
    exit(1);
}

static void *host(struct rig *rig, uint64_t addr, size_t bytes)
{
    void *p = trench_bus_host(rig->chip.bus, addr, bytes);

    if (!p) {
        die("buffers are not memory");
    }
    return p;
}

/* ---- all-reduce ---------------------------------------------------------- */

/* Small numbers: sums of them are exact, in any order. */
static void place_buffers(struct rig *rig)
{
    uint32_t x = 1;

    for (unsigned r = 0; r < RANKS; r++) {
        for (unsigned b = 0; b < TRENCH_NR_COLL_BUFS; b++) {
            unsigned i = r * TRENCH_NR_COLL_BUFS + b;

            rig->bufs[i] = SRC + i * (BUF_STEP + STAGGER);
        }
        rig->in[r] = host(
            rig, rig->bufs[r * TRENCH_NR_COLL_BUFS + TRENCH_COLL_IN], BYTES);
        rig->out[r] = host(
            rig, rig->bufs[r * TRENCH_NR_COLL_BUFS + TRENCH_COLL_OUT], BYTES);
        for (size_t i = 0; i < ELEMS; i++) {
            x = x * 1664525u + 1013904223u;
            rig->in[r][i] = (float)((int)(x >> 25) - 64);
        }
    }
    rig->check = calloc(ELEMS, sizeof(float));
    if (!rig->check) {
        die("no memory");
    }
    for (unsigned r = 0; r < RANKS; r++) {
        for (size_t i = 0; i < ELEMS; i++) {
            rig->check[i] += rig->in[r][i];
        }
    }
}

static void wipe(struct rig *rig)
{
    for (unsigned r = 0; r < RANKS; r++) {
        memset(rig->out[r], 0xA5, BYTES);
    }
}

static void check(struct rig *rig)
{
    for (unsigned r = 0; r < RANKS; r++) {
        if (memcmp(rig->out[r], rig->check, BYTES) != 0) {
            die("data differs (all-reduce)");
        }
    }
}

/* All inputs at once, a line of each; then the result to all others. */
__attribute__((noinline)) static void plain_sum(
    float *restrict out, const float *restrict a, const float *restrict b,
    const float *restrict c, const float *restrict d, const float *restrict e,
    const float *restrict f, const float *restrict g, const float *restrict h)
{
    for (size_t i = 0; i < ELEMS; i++) {
        out[i] = a[i] + b[i] + c[i] + d[i] + e[i] + f[i] + g[i] + h[i];
    }
}

static void plain_all_reduce(struct rig *rig)
{
    float **in = rig->in;

    plain_sum(rig->out[0], in[0], in[1], in[2], in[3], in[4], in[5], in[6],
              in[7]);
    for (unsigned r = 1; r < RANKS; r++) {
        memcpy(rig->out[r], rig->out[0], BYTES);
    }
}

/* Schedule, descriptors, rings. */
static void make_job(struct rig *rig)
{
    const struct trench_coll_conf coll = { .op = TRENCH_COLL_ALL_REDUCE,
                                           .algo = TRENCH_COLL_RING,
                                           .ranks = RANKS,
                                           .count = ELEMS };
    const struct trench_coll_chip chip = { trench_hal_bus_ops(),
                                           rig->chip.rings };
    struct trench_coll_schedule *sched;
    struct trench_coll_job_conf conf = { .ranks = RANKS,
                                         .chips = &chip,
                                         .bufs = rig->bufs,
                                         .type = TRENCH_DTYPE_FP32,
                                         .op = TRENCH_CCE_ADD,
                                         .manager_engine = CHIP_MANAGER,
                                         .polls = 1 };

    if (trench_coll_create(&coll, &sched)) {
        die("no schedule");
    }
    conf.schedule = sched;
    if (trench_coll_job_create(&conf, &rig->job, NULL)) {
        die("no job");
    }
    trench_coll_destroy(sched);
}

static void run_job(struct rig *rig)
{
    if (trench_coll_job_run(rig->job, NULL, NULL)) {
        die("the collective failed");
    }
}

static void row(const char *name, const char *unit, double *samples, size_t n,
                double ratio)
{
    const double median = bench_quantile(samples, n, 0.5);

    printf("%s,%s,%.4g,%.4g,", name, unit, median,
           bench_quantile(samples, n, 0.99));
    if (ratio > 0) {
        printf("%.3f", ratio);
    }
    printf("\n");
    fflush(stdout);
}

/* Seconds of each repeat come as lines of the program, the warm-up is not. */
static void bench_mpi(struct rig *rig, double plain)
{
#ifdef BENCH_MPI
    char command[1024];
    size_t n = 0;
    double seconds;
    FILE *f;

    snprintf(command, sizeof(command),
             "%s -n %u --oversubscribe --allow-run-as-root %s %zu %d "
             "2>/dev/null",
             BENCH_MPIRUN, RANKS, BENCH_MPI, ELEMS, REPEATS);
    f = popen(command, "r");
    while (f && n < REPEATS && fscanf(f, "%lf", &seconds) == 1) {
        rig->model[n++] = seconds * 1e3;
    }
    if (f && pclose(f) == 0 && n == REPEATS) {
        row("MPI_Allreduce of OpenMPI; 8 processes", "ms", rig->model, n,
            bench_quantile(rig->model, n, 0.5) / plain);
        return;
    }
#else
    (void)rig;
    (void)plain;
#endif
    printf("# without MPI_Allreduce: no OpenMPI that runs here\n");
}

static void bench_all_reduce(struct rig *rig)
{
    double plain;

    place_buffers(rig);
    for (int r = -1; r < REPEATS; r++) {
        const double t = bench_now();

        trench_coll_job_destroy(rig->job);
        make_job(rig);
        rig->model[r < 0 ? 0 : r] = (bench_now() - t) * 1e3;
    }
    row("build the rings of an all-reduce", "ms", rig->model, REPEATS, 0);
    for (int r = -1; r < REPEATS; r++) {
        double t;

        wipe(rig);
        t = bench_now();
        plain_all_reduce(rig);
        rig->plain[r < 0 ? 0 : r] = (bench_now() - t) * 1e3;
        check(rig);
        wipe(rig);
        t = bench_now();
        run_job(rig);
        rig->model[r < 0 ? 0 : r] = (bench_now() - t) * 1e3;
        check(rig);
    }
    plain = bench_quantile(rig->plain, REPEATS, 0.5);
    row("plain loops: all-reduce of 8 x 16 MiB fp32", "ms", rig->plain, REPEATS,
        0);
    row("ring all-reduce of 8 ranks; 16 MiB fp32", "ms", rig->model, REPEATS,
        bench_quantile(rig->model, REPEATS, 0.5) / plain);
    bench_mpi(rig, plain);
    trench_coll_job_destroy(rig->job);
    free(rig->check);
}

/* ---- packets of the compute engine --------------------------------------- */

__attribute__((noinline)) static void plain_add(float *restrict out,
                                                const float *restrict a,
                                                const float *restrict b,
                                                size_t n)
{
    for (size_t i = 0; i < n; i++) {
        out[i] = a[i] + b[i];
    }
}

/* A step of one engine, whose packets are sums of two. */
struct packets {
    struct trench_reduce reduces[PACKETS];
    uint64_t srcs[PACKETS][2];
    size_t slots; /* places that they use in turn */
    struct trench_step_rings *rings;
    struct trench_step_entry entry;
    struct trench_ncfw_plan_conf bundle;
    struct trench_step_block block;
    struct trench_step *step;
};

/* Second sources and results are behind the first sources. */
#define SECOND (PACKETS * PACKET * sizeof(float) + STAGGER)

static void make_packets(struct rig *rig, struct packets *p)
{
    static const struct trench_step_sema done = { TRENCH_SYNC_TOP_SP, 0, 16 };
    const struct trench_step_work work = { .reduces = p->reduces,
                                           .nr_reduces = PACKETS };
    const struct trench_step_rings_conf rings = { .ops = trench_hal_bus_ops(),
                                                  .opaque = rig->chip.rings,
                                                  .work = &work,
                                                  .nr_work = 1,
                                                  .done = done };
    const struct trench_step_conf conf = { .ops = trench_hal_bus_ops(),
                                           .opaque = rig->chip.rings,
                                           .blocks = &p->block,
                                           .nr_blocks = 1,
                                           .manager_engine = CHIP_MANAGER,
                                           .done = done,
                                           .polls = 1 };
    size_t nr;

    for (size_t i = 0; i < PACKETS; i++) {
        const uint64_t at = i % p->slots * PACKET * sizeof(float);

        p->srcs[i][0] = SRC + at;
        p->srcs[i][1] = SRC + SECOND + at;
        p->reduces[i] = (struct trench_reduce){ .op = TRENCH_CCE_ADD,
                                                .type = TRENCH_DTYPE_FP32,
                                                .out_type = TRENCH_DTYPE_FP32,
                                                .srcs = p->srcs[i],
                                                .nr_srcs = 2,
                                                .dst = DST + at,
                                                .elems = PACKET };
    }
    if (trench_step_rings_create(&rings, &p->rings)) {
        die("rings refused (packets)");
    }
    p->entry = *trench_step_rings_entries(p->rings, &nr);
    p->bundle = (struct trench_ncfw_plan_conf){
        .channels = trench_step_rings_channels(p->rings),
        .nr_channels = 1,
    };
    p->block = (struct trench_step_block){ .bundles = &p->bundle,
                                           .nr_bundles = 1,
                                           .entries = &p->entry,
                                           .nr_entries = 1 };
    if (trench_step_create(&conf, &p->step, NULL)) {
        die("step refused (packets)");
    }
}

static void plain_packets(struct rig *rig, const struct packets *p)
{
    const size_t n = p->slots * PACKET;
    const float *a = host(rig, SRC, n * sizeof(float));
    const float *b = host(rig, SRC + SECOND, n * sizeof(float));
    float *out = host(rig, DST, n * sizeof(float));

    for (size_t i = 0; i < PACKETS; i++) {
        const size_t at = i % p->slots * PACKET;

        plain_add(out + at, a + at, b + at, PACKET);
    }
}

static void bench_packets(struct rig *rig, const char *name, size_t slots)
{
    static struct packets p;
    const size_t bytes = slots * PACKET * sizeof(float);
    float *out = host(rig, DST, bytes);
    float *want = malloc(bytes);
    char text[64];
    double plain;

    p.slots = slots;
    make_packets(rig, &p);
    for (int r = -1; r < BENCH_REPEATS; r++) {
        double t;

        memset(out, 0, bytes);
        t = bench_now();
        plain_packets(rig, &p);
        rig->plain[r < 0 ? 0 : r] = (bench_now() - t) * 1e6;
        memcpy(want, out, bytes);
        memset(out, 0, bytes);
        t = bench_now();
        if (trench_bus_write32(rig->chip.bus, rig->chip.trigger, 1) ||
            trench_step_run(p.step, NULL, NULL)) {
            die("step failed (packets)");
        }
        rig->model[r < 0 ? 0 : r] = (bench_now() - t) * 1e6;
        if (memcmp(want, out, bytes) != 0) {
            die("data differs (packets)");
        }
    }
    plain = bench_quantile(rig->plain, BENCH_REPEATS, 0.5);
    snprintf(text, sizeof(text), "plain loop: 1024 sums of 8 KiB %s", name);
    row(text, "us", rig->plain, BENCH_REPEATS, 0);
    snprintf(text, sizeof(text), "1024 CCE packets of 2 x 8 KiB %s", name);
    row(text, "us", rig->model, BENCH_REPEATS,
        plain / bench_quantile(rig->model, BENCH_REPEATS, 0.5));
    trench_step_destroy(p.step);
    trench_step_rings_destroy(p.rings);
    free(want);
}

void bench_coll(void)
{
    static struct rig rig;

    bench_chip_open(&rig.chip);
    bench_all_reduce(&rig);
    bench_packets(&rig, "in cache", 1);
    bench_packets(&rig, "in memory", PACKETS);
    bench_chip_close(&rig.chip);
}
