/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A first copy: one line of text from HBM 0 to HBM 1, through engine 0.
 *
 *     cc first_copy.c $(pkg-config --cflags --libs trench) && ./a.out
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <trench/hal.h>
#include <trench/soc.h>

#define SOURCE      UINT64_C(0x0)          /* start of HBM 0 */
#define DESTINATION UINT64_C(0x4000000000) /* start of HBM 1 */
#define RINGS       UINT64_C(0x100000)     /* the driver's memory, in HBM 0 */
#define RINGS_SIZE  UINT64_C(0x100000)

/* Leave with a message if a step failed; negative values are errors. */
static void check(int ret, const char *step)
{
    if (ret < 0) {
        fprintf(stderr, "%s: %s\n", step, trench_strerror(ret));
        exit(EXIT_FAILURE);
    }
}

int main(void)
{
    const char text[] = "Hello from the other memory";
    char result[sizeof(text)] = "";
    struct trench_soc_conf soc_conf = { .gen = trench_gen_find("cayman") };
    struct trench_hal_engine_conf engine_conf = { .gen = soc_conf.gen };
    struct trench_hal_queue_conf queue_conf = { .index = 0 };
    struct trench_soc *soc;
    struct trench_bus *bus;
    struct trench_hal_bus *hb;
    struct trench_hal_engine *engine;
    struct trench_hal_queue *queue;

    /* A chip, and some text in its first memory. */
    check(trench_soc_create(&soc_conf, &soc), "create the chip");
    bus = trench_soc_bus(soc);
    check(
        trench_bus_write(bus, TRENCH_BUS_SOFTWARE, SOURCE, text, sizeof(text)),
        "write the text");

    /* A driver for engine 0, with rings for its queue 0. */
    check(trench_hal_bus_create(bus, RINGS, RINGS_SIZE, &hb), "bind the bus");
    engine_conf.ops = trench_hal_bus_ops();
    engine_conf.opaque = hb;
    check(trench_gen_engine_base(soc_conf.gen, 0, false, &engine_conf.base),
          "find engine 0");
    check(trench_hal_engine_open(&engine_conf, &engine), "open the engine");
    check(trench_hal_queue_open(engine, &queue_conf, &queue), "open the queue");

    /* Write the descriptors, ring the doorbells, wait for the completion. */
    check(trench_hal_copy(queue, DESTINATION, SOURCE, sizeof(text), 0), "copy");
    check(trench_hal_submit(queue), "submit");
    check(trench_hal_wait(queue, 1000000000), "wait");

    check(trench_bus_read(bus, TRENCH_BUS_SOFTWARE, DESTINATION, result,
                          sizeof(result)),
          "read the result");
    if (memcmp(result, text, sizeof(text)) != 0) {
        fprintf(stderr, "the copy differs from the text\n");
        return EXIT_FAILURE;
    }
    printf("HBM 1 says: %s\n", result);

    trench_hal_queue_close(queue);
    trench_hal_engine_close(engine);
    trench_hal_bus_destroy(hb);
    trench_soc_destroy(soc);
    return EXIT_SUCCESS;
}
