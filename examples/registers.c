/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The first copy once more, by register writes alone: queue 0 of engine 0
 * moves a line of text from HBM 0 to HBM 1.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <trench/soc.h>

#define M2S UINT64_C(0x1002000000) /* engine 0, sending half */
#define S2M (M2S + 0x20000)        /* engine 0, receiving half */
#define EX  (M2S + 0x3C000)        /* engine 0, its UDMA_GEN_EX */

static void check(int err, const char *step)
{
    if (err) {
        fprintf(stderr, "%s: %s\n", step, trench_strerror(err));
        exit(EXIT_FAILURE);
    }
}

static void write_reg(struct trench_bus *bus, uint64_t addr, uint32_t val)
{
    check(trench_bus_write32(bus, addr, val), "write a register");
}

static void write_mem(struct trench_bus *bus, uint64_t addr, const void *p,
                      size_t len)
{
    check(trench_bus_write(bus, TRENCH_BUS_SOFTWARE, addr, p, len), "write");
}

int main(void)
{
    const char text[28] = "Hello from the other memory";
    /* Read 28 bytes at 0x0, one packet, lap 1; write them to 0x4000000000. */
    const uint32_t tx[4] = { 0x0D00001C, 0x01080003, 0x0, 0x0 };
    const uint32_t rx[4] = { 0x0100001C, 0x0, 0x0, 0x40 };
    char result[sizeof(text)] = "";
    struct trench_soc *soc;
    struct trench_bus *bus;
    uint32_t head;

    check(trench_soc_create(NULL, &soc), "create the chip");
    bus = trench_soc_bus(soc);
    write_mem(bus, 0x0, text, sizeof(text));
    write_mem(bus, 0x100000, tx, sizeof(tx));
    write_mem(bus, 0x110000, rx, sizeof(rx));

    write_reg(bus, M2S + 0x1028, 0x100000);   /* TDRBP_low: ring base */
    write_reg(bus, M2S + 0x1030, 64);         /* TDRL: 64 descriptors */
    write_reg(bus, M2S + 0x1020, 0x03030000); /* cfg: fetch, schedule */
    write_reg(bus, S2M + 0x1028, 0x110000);   /* RDRBP_low */
    write_reg(bus, S2M + 0x1030, 64);         /* RDRL */
    write_reg(bus, S2M + 0x1054, 0);          /* comp_cfg: no completion ring */
    write_reg(bus, S2M + 0x1020, 0x03030000); /* cfg: fetch, receive */
    write_reg(bus, EX + 0x404, 0xFFFFFFFF);   /* high words as in descriptors */
    write_reg(bus, S2M + 0x1038, 1);          /* RDRTP_inc: one buffer */
    write_reg(bus, M2S + 0x1038, 1);          /* TDRTP_inc: go */

    check(trench_bus_read32(bus, M2S + 0x1034, &head), "read TDRHP");
    check(trench_bus_read(bus, TRENCH_BUS_SOFTWARE, 0x4000000000, result,
                          sizeof(result)),
          "read the result");
    if (head != 0x40000001 || memcmp(result, text, sizeof(text)) != 0) {
        fprintf(stderr, "TDRHP is 0x%08x, HBM 1 says: %s\n", (unsigned)head,
                result);
        return EXIT_FAILURE;
    }
    printf("TDRHP is 0x%08x, HBM 1 says: %s\n", (unsigned)head, result);
    trench_soc_destroy(soc);
    return EXIT_SUCCESS;
}
