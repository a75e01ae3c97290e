/* SPDX-License-Identifier: BSD-3-Clause */
/* Built where DPDK is not installed: the comparison is left out. */
#include "bench.h"

int bench_dpdk_start(void)
{
    return -1;
}

double bench_dpdk_copies(void *dst, void *src, size_t nr_slots, size_t count)
{
    (void)dst;
    (void)src;
    (void)nr_slots;
    (void)count;
    return -1;
}
