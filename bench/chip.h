/* SPDX-License-Identifier: BSD-3-Clause */
/* A cayman chip whose engines are open, for rows about steps. */
#ifndef TRENCH_BENCH_CHIP_H
#define TRENCH_BENCH_CHIP_H

#include <trench/hal.h>
#include <trench/soc.h>

#define CHIP_CORE    16u /* engines of a NeuronCore */
#define CHIP_ALL     128u
#define CHIP_MANAGER 131u

struct bench_chip {
    struct trench_soc *soc;
    struct trench_bus *bus;
    struct trench_hal_bus *hb;    /* of the driver */
    struct trench_hal_bus *rings; /* of the steps */
    struct trench_hal_engine *engines[CHIP_ALL + 1];
    struct trench_hal_queue *queues[CHIP_ALL + 1];
    uint64_t trigger; /* address of the doorbell */
};

/* Engines 0 to 127 and the manager, queue 0 of each. Ends the program or not.
 */
void bench_chip_open(struct bench_chip *chip);
void bench_chip_close(struct bench_chip *chip);

#endif /* TRENCH_BENCH_CHIP_H */
