/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The arithmetic of the compute engine. Sums of two fp32 sources stand beside
 * a plain loop over the same buffers that the compiler may vectorise.
 */
#include <stdio.h>
#include <string.h>

#include <trench/compute.h>

#include "bench.h"
#include "dev/cce.h"

#define PIECE ((size_t)2048)    /* elements: 8 KiB of fp32, one packet */
#define LARGE ((size_t)8 << 20) /* elements: 32 MiB of fp32 */

struct rig {
    void *src[2];
    void *out;
    void *check;
    double plain[BENCH_REPEATS];
    double model[BENCH_REPEATS];
};

static void die(const char *what)
{
    fprintf(stderr, "bench: %s\n", what);
    exit(1);
}

/* Not inlined: the loop knows no more of its buffers than the engine's. */
__attribute__((noinline)) static void plain_add(float *restrict out,
                                                const float *restrict a,
                                                const float *restrict b,
                                                size_t n)
{
    for (size_t i = 0; i < n; i++) {
        out[i] = a[i] + b[i];
    }
}

static void rig_open(struct rig *rig)
{
    for (int i = 0; i < 2; i++) {
        rig->src[i] = malloc(LARGE * sizeof(float));
    }
    rig->out = malloc(LARGE * sizeof(float));
    rig->check = malloc(LARGE * sizeof(float));
    if (!rig->src[0] || !rig->src[1] || !rig->out || !rig->check) {
        die("no memory");
    }
}

static void rig_close(struct rig *rig)
{
    free(rig->src[0]);
    free(rig->src[1]);
    free(rig->out);
    free(rig->check);
}

/* Numbers from -64 to 63, as the type has them. */
static void fill(struct rig *rig, enum trench_dtype type, size_t n)
{
    int8_t *numbers = rig->check;
    const struct cce_source source = { numbers, TRENCH_DTYPE_INT8, 0, { 0 } };
    struct cce_job job = { .op = TRENCH_CCE_ADD,
                           .sources = &source,
                           .nr_sources = 1,
                           .n = n,
                           .zero = -0.0f,
                           .out_type = type };
    uint32_t x = 1;

    for (int s = 0; s < 2; s++) {
        for (size_t i = 0; i < n; i++) {
            x = x * 1664525u + 1013904223u;
            numbers[i] = (int8_t)((int)(x >> 25) - 64);
        }
        job.out = rig->src[s];
        cce_run(&job);
    }
}

static void run(struct rig *rig, enum trench_dtype type, enum trench_cce_op op,
                size_t at, uint32_t *seed)
{
    const size_t bytes = at * trench_dtype_bytes(type);
    const struct cce_source sources[] = {
        { (char *)rig->src[0] + bytes, type, 0.5f, { 1, 2, 0 } },
        { (char *)rig->src[1] + bytes, type, 0.5f, { 1, 2, 0 } },
    };
    const struct cce_job job = { .op = op,
                                 .sources = sources,
                                 .nr_sources = 2,
                                 .n = PIECE,
                                 .zero = -0.0f,
                                 .seed = seed,
                                 .out_type = type,
                                 .out = (char *)rig->out + bytes };

    if (cce_run(&job) & ~(uint32_t)CCE_OVERFLOW) {
        die("trouble with plain numbers");
    }
}

static void row(const char *name, double *seconds, double elements,
                double ratio)
{
    printf("%s,Gelements/s,%.4g,%.4g,", name,
           elements / bench_quantile(seconds, BENCH_REPEATS, 0.5) * 1e-9,
           elements / bench_quantile(seconds, BENCH_REPEATS, 0.99) * 1e-9);
    if (ratio > 0) {
        printf("%.3f", ratio);
    }
    printf("\n");
    fflush(stdout);
}

/* Pieces of 8 KiB: always the same ones, or one after the other. */
static void bench_add(struct rig *rig, const char *name, size_t n)
{
    const size_t passes = LARGE / n;
    char text[64];

    fill(rig, TRENCH_DTYPE_FP32, n);
    for (int r = -1; r < BENCH_REPEATS; r++) {
        const int at = r < 0 ? 0 : r;
        double t;

        memset(rig->out, 0, n * sizeof(float));
        memset(rig->check, 0, n * sizeof(float));
        t = bench_now();
        for (size_t i = 0; i < passes * n; i += PIECE) {
            plain_add((float *)rig->out + i % n,
                      (const float *)rig->src[0] + i % n,
                      (const float *)rig->src[1] + i % n, PIECE);
        }
        rig->plain[at] = bench_now() - t;
        memcpy(rig->check, rig->out, n * sizeof(float));
        memset(rig->out, 0, n * sizeof(float));
        t = bench_now();
        for (size_t i = 0; i < passes * n; i += PIECE) {
            run(rig, TRENCH_DTYPE_FP32, TRENCH_CCE_ADD, i % n, NULL);
        }
        rig->model[at] = bench_now() - t;
        if (memcmp(rig->check, rig->out, n * sizeof(float)) != 0) {
            die("data differs (cce)");
        }
    }
    snprintf(text, sizeof(text), "plain loop: fp32 sum of two %s", name);
    row(text, rig->plain, (double)(passes * n), 0);
    snprintf(text, sizeof(text), "CCE: fp32 sum of two %s", name);
    row(text, rig->model, (double)(passes * n),
        bench_quantile(rig->plain, BENCH_REPEATS, 0.5) /
            bench_quantile(rig->model, BENCH_REPEATS, 0.5));
}

struct case_ {
    const char *name;
    enum trench_dtype type;
    enum trench_cce_op op;
    bool stochastic;
};

/* In the cache: what the converters cost. */
static void bench_case(struct rig *rig, const struct case_ *c)
{
    enum {
        PASSES = 64
    };
    uint32_t seed = 1;

    fill(rig, c->type, PIECE);
    for (int r = -1; r < BENCH_REPEATS; r++) {
        const double t = bench_now();

        for (unsigned i = 0; i < PASSES; i++) {
            run(rig, c->type, c->op, 0, c->stochastic ? &seed : NULL);
        }
        rig->model[r < 0 ? 0 : r] = bench_now() - t;
    }
    row(c->name, rig->model, (double)(PASSES * PIECE), 0);
}

void bench_cce(void)
{
    static const struct case_ cases[] = {
        { "CCE: bf16 sum of two", TRENCH_DTYPE_BF16, TRENCH_CCE_ADD, false },
        { "CCE: bf16 sum of two; stochastic", TRENCH_DTYPE_BF16, TRENCH_CCE_ADD,
          true },
        { "CCE: fp16 sum of two", TRENCH_DTYPE_FP16, TRENCH_CCE_ADD, false },
        { "CCE: fp8_e4 sum of two", TRENCH_DTYPE_FP8_E4, TRENCH_CCE_ADD,
          false },
        { "CCE: int8 sum of two", TRENCH_DTYPE_INT8, TRENCH_CCE_ADD, false },
        { "CCE: int32 sum of two", TRENCH_DTYPE_INT32, TRENCH_CCE_ADD, false },
        { "CCE: fp32 maximum of two", TRENCH_DTYPE_FP32, TRENCH_CCE_MAX,
          false },
        { "CCE: fp32 fused sum of two", TRENCH_DTYPE_FP32, TRENCH_CCE_FMA,
          false },
    };
    static struct rig rig;

    rig_open(&rig);
    bench_add(&rig, "in cache (8 KiB)", PIECE);
    bench_add(&rig, "in memory (32 MiB)", LARGE);
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        bench_case(&rig, &cases[i]);
    }
    rig_close(&rig);
}
