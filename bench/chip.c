/* SPDX-License-Identifier: BSD-3-Clause */
#include "chip.h"

#include <stdio.h>
#include <stdlib.h>

#define RINGS        UINT64_C(0x4100000000) /* in HBM 1 */
#define DRIVER_BYTES (UINT64_C(64) << 20)
#define RINGS_BYTES  (UINT64_C(1) << 30) /* costs what is touched */

static void die(const char *what)
{
    fprintf(stderr, "bench: %s\n", what);
    exit(1);
}

static void open_engine(struct bench_chip *chip, unsigned slot, unsigned engine)
{
    struct trench_hal_engine_conf ec = { .ops = trench_hal_bus_ops(),
                                         .opaque = chip->hb };
    const struct trench_hal_queue_conf qc = { .tx_entries = 32,
                                              .no_comp_rings = true };

    trench_gen_engine_base(trench_soc_gen(chip->soc), engine, false, &ec.base);
    if (trench_hal_engine_open(&ec, &chip->engines[slot]) ||
        trench_hal_queue_open(chip->engines[slot], &qc, &chip->queues[slot])) {
        die("cannot open the engine");
    }
}

void bench_chip_open(struct bench_chip *chip)
{
    if (trench_soc_create(NULL, &chip->soc)) {
        die("cannot create the chip");
    }
    chip->bus = trench_soc_bus(chip->soc);
    if (trench_hal_bus_create(chip->bus, RINGS, DRIVER_BYTES, &chip->hb) ||
        trench_hal_bus_create(chip->bus, RINGS + DRIVER_BYTES, RINGS_BYTES,
                              &chip->rings) ||
        trench_gen_bell_addr(trench_soc_gen(chip->soc), 0,
                             TRENCH_BELL_HOST_TRIGGER, &chip->trigger)) {
        die("no memory for rings");
    }
    for (unsigned e = 0; e < CHIP_ALL; e++) {
        open_engine(chip, e, e);
    }
    open_engine(chip, CHIP_ALL, CHIP_MANAGER);
}

void bench_chip_close(struct bench_chip *chip)
{
    for (unsigned e = 0; e <= CHIP_ALL; e++) {
        trench_hal_queue_close(chip->queues[e]);
        trench_hal_engine_close(chip->engines[e]);
    }
    trench_hal_bus_destroy(chip->rings);
    trench_hal_bus_destroy(chip->hb);
    trench_soc_destroy(chip->soc);
}
