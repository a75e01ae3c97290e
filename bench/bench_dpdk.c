/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The same copies through DPDK's software dmadev (dma_skeleton). It copies on
 * a thread of its own; bursts are enqueued while earlier ones are copied, and
 * the time ends with the last completion.
 */
#include <string.h>

#include <rte_config.h>
#include <rte_dev.h>
#include <rte_dmadev.h>
#include <rte_eal.h>

#include "bench.h"

#define BURST 32u
#define RING  1024u

static int16_t dev = -1;

int bench_dpdk_start(void)
{
    const char *const args[] = {
        "bench",       "--no-huge",   "-m", "64",     "--no-pci",
        "--no-shconf", "--log-level", "1",  "--vdev", "dma_skeleton",
    };
    char *argv[sizeof(args) / sizeof(args[0])];
    struct rte_dma_conf conf = { .nb_vchans = 1 };
    struct rte_dma_vchan_conf vchan = {
        .direction = RTE_DMA_DIR_MEM_TO_MEM,
        .nb_desc = RING,
    };

    for (size_t i = 0; i < sizeof(args) / sizeof(args[0]); i++) {
        argv[i] = strdup(args[i]); /* EAL keeps and reorders them */
    }
    if (rte_eal_init(sizeof(args) / sizeof(args[0]), argv) < 0) {
        return -1;
    }
    dev = rte_dma_next_dev(0);
    if (dev < 0 || rte_dma_configure(dev, &conf) ||
        rte_dma_vchan_setup(dev, 0, &vchan)) {
        return -1;
    }
    return 0;
}

double bench_dpdk_copies(void *dst, void *src, size_t nr_slots, size_t count)
{
    size_t sent = 0, done = 0;
    double t;

    /* Started for its own turn only: its thread polls without rest. */
    if (rte_dma_start(dev)) {
        return -1;
    }
    t = bench_now();
    while (done < count) {
        size_t burst = 0;
        uint16_t last;
        bool error;

        while (burst < BURST && sent < count) {
            size_t at = sent % nr_slots * 64;

            if (rte_dma_copy(dev, 0, (rte_iova_t)(uintptr_t)src + at,
                             (rte_iova_t)(uintptr_t)dst + at, 64, 0) < 0) {
                break;
            }
            sent++;
            burst++;
        }
        if (burst > 0) {
            rte_dma_submit(dev, 0);
        }
        done += rte_dma_completed(dev, 0, RING, &last, &error);
    }
    t = bench_now() - t;
    rte_dma_stop(dev);
    return t;
}
