/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Random register accesses and random memory against a whole chip.
 *
 * The input is a list of operations, each an opcode byte and its operands;
 * missing bytes read as 0. Nothing here checks results: the sanitizers and
 * the time limit do.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <trench/bus.h>
#include <trench/soc.h>

#include "fuzz.h"
#include "udma_gen_gen.h"
#include "udma_gen_ex_gen.h"
#include "udma_m2s_gen.h"
#include "udma_s2m_gen.h"

#define ARENA_BYTES     0x10000u
#define NR_ENGINES_USED 3
#define BUDGET          2048u /* small: an input must not take seconds */

/* Where rings and data usually go: memory of each kind, and its edges. */
static const uint64_t arenas[] = {
    0x0,                /* HBM 0 */
    0x5FFFFC000,        /* over the end of HBM 0 */
    0x4000000000,       /* HBM 1 */
    0x400000000000,     /* host memory */
    0x2000000000,       /* SBUF, first partition */
    0x2000034000,       /* over the end of a partition */
    0x2802000000,       /* PSUM */
    0x1002000000,       /* engine 0: M2S registers */
    0x1002020000,       /* engine 0: S2M registers */
    0x1002038000,       /* engine 0: GEN */
    0x1002080000,       /* broadcast window */
    0x2802700000,       /* events and semaphores of core 0 */
    0x2802701800,       /* INC */
    0x8280261540,       /* doorbells of TOP_SP 0 */
    0x20008012180000,   /* block list before engine 0 */
    0x20008012101000,   /* block list before the lists */
    0x700000000,        /* nothing */
    0xFFFFFFFFFFFFFF00, /* wraps */
};

static const uint64_t engine_base[NR_ENGINES_USED] = {
    0x1002000000,     /* engine 0 */
    0x1002100000,     /* engine 1 */
    0x20808006900000, /* engine 131, privileged route */
};

/* Registers of a queue worth writing, both sides. */
static const uint32_t queue_regs[] = {
    UDMA_M2S_M2S_Q_DESC_PREF_CFG(0),
    UDMA_M2S_M2S_Q_CFG(0),
    UDMA_M2S_M2S_Q_TDRBP_LOW(0),
    UDMA_M2S_M2S_Q_TDRBP_HIGH(0),
    UDMA_M2S_M2S_Q_TDRL(0),
    UDMA_M2S_M2S_Q_TDRTP_INC(0),
    UDMA_M2S_M2S_Q_TCRBP_LOW(0),
    UDMA_M2S_M2S_Q_TCRBP_HIGH(0),
    UDMA_M2S_M2S_Q_DWRR_CFG_1(0),
    UDMA_M2S_M2S_Q_DWRR_CFG_2(0),
    UDMA_M2S_M2S_Q_DWRR_CFG_3(0),
    UDMA_M2S_M2S_Q_COMP_CFG(0),
    UDMA_M2S_M2S_Q_Q_SW_CTRL(0),
    UDMA_M2S_M2S_Q_TDRDTP_INC(0),
    0x20000 + UDMA_S2M_S2M_Q_CFG(0),
    0x20000 + UDMA_S2M_S2M_Q_RDRBP_LOW(0),
    0x20000 + UDMA_S2M_S2M_Q_RDRBP_HIGH(0),
    0x20000 + UDMA_S2M_S2M_Q_RDRL(0),
    0x20000 + UDMA_S2M_S2M_Q_RDRTP_INC(0),
    0x20000 + UDMA_S2M_S2M_Q_COMP_CFG(0),
    0x20000 + UDMA_S2M_S2M_Q_Q_SW_CTRL(0),
};

/* Registers of an engine worth writing. */
static const uint32_t engine_regs[] = {
    UDMA_M2S_AXI_M2S_MLA_CFG_PREFETCH,
    UDMA_M2S_M2S_CHANGE_STATE,
    UDMA_M2S_M2S_ERR_LOG_MASK,
    UDMA_M2S_M2S_CLEAR_ERR_LOG,
    UDMA_M2S_M2S_CFG_LEN,
    UDMA_M2S_M2S_STREAM_CFG,
    UDMA_M2S_M2S_PREF_QUEUE_EN,
    UDMA_M2S_M2S_RD_DESC_PREF_CFG_2,
    UDMA_M2S_M2S_DWRR_CFG_SCHED,
    UDMA_M2S_M2S_DWRR_CTRL_DEFICIT_CNT,
    UDMA_M2S_M2S_COMP_CFG_APPLICATION_ACK2,
    0x20000 + UDMA_S2M_S2M_CHANGE_STATE,
    0x20000 + UDMA_S2M_S2M_STREAM_CFG,
    0x20000 + UDMA_S2M_S2M_WR_DATA_CFG_2,
    0x20000 + UDMA_S2M_S2M_COMP_CFG_1C,
    0x38000 + UDMA_GEN_SPARE_REG_ZEROES0,
    0x38000 + UDMA_GEN_DMA_MISC_ABORT_CTL,
    0x38000 + UDMA_GEN_INT_CTRL_SEC_ADDR_WORD(0),
    0x38000 + UDMA_GEN_INT_CTRL_SEC_ADDR_WORD(2),
    0x38000 + UDMA_GEN_INT_CTRL_SEC_ADDR_WORD(12),
    0x38000 + UDMA_GEN_INT_CTRL_SEC_ADDR_WORD(28),
    0x3C000 + UDMA_GEN_EX_VMPR_V4_CFG_VMPR_V4_0(0),
};

/* Single registers beside the channels. */
static const uint64_t beside[] = {
    0x100C004800,     0x100C024800,                   /* group masks */
    0x2802700000,     0x2802701000,     0x2802701400, /* core 0 */
    0x2802701800,     0x2802701C00,     0x8280001800, /* TOP_SP 0 */
    0x82802615A0,     0x82802615E0,                   /* doorbells */
    0x20008012180000, 0x20008012180008, 0x2000801218000C, 0x20008012180020,
    0x20008012180100, 0x20008012180400, 0x20008012180404, 0x20008012181008,
    0x20008012181400, 0x20008012181404, 0x20008012101008, 0x20008012101400,
    0x20008012101404, /* block lists */
    0x1002081038,     0x10020A1038,     0x10020810E0,     0x10020810B0,
    0x10020A1064, /* broadcasts */
};

#define LEN(a) (sizeof(a) / sizeof((a)[0]))

static uint64_t arena_addr(struct fuzz_input *in)
{
    uint64_t base = arenas[fuzz_u8(in) % LEN(arenas)];

    return base + (fuzz_u16(in) & ~3u);
}

/* Mostly engine registers, sometimes anywhere in a channel. */
static uint64_t reg_addr(struct fuzz_input *in)
{
    uint8_t pick = fuzz_u8(in);
    uint64_t base = engine_base[pick % NR_ENGINES_USED];
    unsigned q = pick >> 4 & 3;

    switch (fuzz_u8(in) % 4) {
    case 0:
    case 1:
        return base + q * 0x1000 + queue_regs[fuzz_u8(in) % LEN(queue_regs)];
    case 2:
        return base + engine_regs[fuzz_u8(in) % LEN(engine_regs)];
    default:
        return base + (fuzz_u32(in) & 0xFFFFC);
    }
}

/* Rings of a queue pair at arena addresses, enabled: makes programs run. */
static void op_queue(struct trench_bus *bus, struct fuzz_input *in)
{
    uint8_t pick = fuzz_u8(in);
    uint64_t base = engine_base[pick % NR_ENGINES_USED] +
                    (uint64_t)(pick >> 4 & 3) * 0x1000;

    for (uint64_t side = 0; side <= 0x20000; side += 0x20000) {
        uint64_t ring = arena_addr(in);

        trench_bus_write32(bus, base + side + UDMA_M2S_M2S_Q_TDRBP_LOW(0),
                           (uint32_t)ring);
        trench_bus_write32(bus, base + side + UDMA_M2S_M2S_Q_TDRBP_HIGH(0),
                           (uint32_t)(ring >> 32));
        trench_bus_write32(bus, base + side + UDMA_M2S_M2S_Q_TDRL(0),
                           fuzz_u8(in));
        trench_bus_write32(bus, base + side + UDMA_M2S_M2S_Q_CFG(0),
                           0x03030000);
    }
}

/* A descriptor that mostly makes sense, written at an arena address. */
static void op_desc(struct trench_bus *bus, struct fuzz_input *in)
{
    uint64_t at = arena_addr(in);
    uint64_t data = arena_addr(in);
    uint8_t flags = fuzz_u8(in);
    uint32_t d[4];

    d[0] = (flags & 0xF ? 0x0C000000u : 0) | (uint32_t)(flags & 3) << 24 |
           (uint32_t)(flags >> 4 & 3) << 26 | fuzz_u16(in);
    d[1] = flags & 0x40 ? fuzz_u32(in) : 0x01080003u;
    d[2] = (uint32_t)data;
    d[3] = (uint32_t)(data >> 32);
    trench_bus_write(bus, TRENCH_BUS_SOFTWARE, at, d, sizeof(d));
}

static void op_bulk(struct trench_bus *bus, struct fuzz_input *in)
{
    static uint8_t buf[ARENA_BYTES];
    uint64_t addr = fuzz_u8(in) & 1 ? arena_addr(in) : fuzz_u64(in);
    uint32_t len = fuzz_u16(in);

    if (fuzz_u8(in) & 1) {
        trench_bus_read(bus, TRENCH_BUS_SOFTWARE, addr, buf, len);
    } else {
        size_t n = fuzz_bytes(in, buf, len > 256 ? 256 : len);

        trench_bus_write(bus, TRENCH_BUS_SOFTWARE, addr, buf, n);
    }
}

static void op_beside(struct trench_bus *bus, struct fuzz_input *in)
{
    uint64_t addr = beside[fuzz_u8(in) % LEN(beside)];
    uint8_t kind = fuzz_u8(in);
    uint32_t val = kind & 1 ? fuzz_u8(in) : fuzz_u32(in);

    if (kind & 2) {
        addr += fuzz_u16(in) & 0x3FC;
    }
    if (kind & 4) {
        trench_bus_read32(bus, addr, &val);
    } else {
        trench_bus_write32(bus, addr, val);
    }
}

static void run_op(struct trench_soc *soc, struct fuzz_input *in)
{
    struct trench_bus *bus = trench_soc_bus(soc);
    uint32_t val;

    switch (fuzz_u8(in) % 12) {
    case 0:
    case 1:
        trench_bus_write32(bus, reg_addr(in), fuzz_u32(in));
        break;
    case 2:
        trench_bus_write32(bus, reg_addr(in), fuzz_u8(in));
        break;
    case 3:
        trench_bus_read32(bus, reg_addr(in), &val);
        break;
    case 4:
        op_queue(bus, in);
        break;
    case 5:
    case 6:
        op_desc(bus, in);
        break;
    case 7:
        op_bulk(bus, in);
        break;
    case 8:
        trench_soc_advance(soc, fuzz_u16(in));
        break;
    case 10:
    case 11:
        op_beside(bus, in);
        break;
    default:
        trench_bus_write32(bus, fuzz_u64(in), fuzz_u32(in));
        break;
    }
}

/* The memory that programs mostly use starts at zero, for replay. */
static void clear_arenas(struct trench_bus *bus)
{
    for (size_t i = 0; i < LEN(arenas); i++) {
        void *p = trench_bus_host(bus, arenas[i], ARENA_BYTES);

        if (p) {
            memset(p, 0, ARENA_BYTES);
        }
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct trench_soc *soc;
    struct fuzz_input in = { data, size };

    if (!soc) {
        struct trench_soc_conf conf = { .host_bytes = 0x20000,
                                        .budget = BUDGET };

        if (trench_soc_create(&conf, &soc)) {
            abort();
        }
    }
    trench_soc_reset(soc);
    clear_arenas(trench_soc_bus(soc));
    while (in.left > 0) {
        run_op(soc, &in);
    }
    return 0;
}
