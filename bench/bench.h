/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Repeats and their statistics. A benchmark fills samples with the seconds of
 * each repeat; warm-up is not among them.
 */
#ifndef TRENCH_BENCH_H
#define TRENCH_BENCH_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <time.h>

#define BENCH_REPEATS 41

static inline double bench_now(void)
{
    struct timespec ts;

    clock_gettime(CLOCK_MONOTONIC, &ts);
    return (double)ts.tv_sec + (double)ts.tv_nsec * 1e-9;
}

static inline int bench_cmp(const void *a, const void *b)
{
    double x = *(const double *)a;
    double y = *(const double *)b;

    return (x > y) - (x < y);
}

/* Sorts. The p-th of n samples, p in 0..1. */
static inline double bench_quantile(double *samples, size_t n, double p)
{
    qsort(samples, n, sizeof(*samples), bench_cmp);
    return samples[(size_t)((double)(n - 1) * p + 0.5)];
}

/*
 * One repeat of 64-byte copies through DPDK's software dmadev: seconds for
 * count copies, or a negative value when it cannot run (bench_dpdk.c).
 */
int bench_dpdk_start(void);
double bench_dpdk_copies(void *dst, void *src, size_t nr_slots, size_t count);

/*
 * The rows of the instruction cache; dir is the folder of the schemas, of
 * which one is the input of the traced program (bench_icache.c).
 */
void bench_icache(const char *dir);

/* The rows of collective steps (bench_step.c). */
void bench_step(void);

/* The rows of the compute engine's arithmetic (bench_cce.c). */
void bench_cce(void);

/* The rows of collectives, and of the compute engine's packets (bench_coll.c).
 */
void bench_coll(void);

/* Registers through a socket (bench_serve.c). */
void bench_serve(void);

#endif /* TRENCH_BENCH_H */
