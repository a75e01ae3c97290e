/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Random register accesses and random memory against a whole chip, or, as
 * fuzz_pod, against two that reach each other: there every address that an
 * operation picks may be one of either chip.
 *
 * The input is a list of operations, each an opcode byte and its operands;
 * missing bytes read as 0. Nothing here checks results: the sanitizers and
 * the time limit do.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <trench/access.h>
#include <trench/bus.h>
#include <trench/pod.h>
#include <trench/soc.h>

#include "fuzz.h"
#include "iofic_gen.h"
#include "notific_10_queue_gen.h"
#include "tdma_model_gen.h"
#include "udma_gen_gen.h"
#include "udma_gen_ex_gen.h"
#include "udma_m2s_gen.h"
#include "udma_s2m_gen.h"

#define ARENA_BYTES     0x10000u
#define NR_ENGINES_USED 3
#define BUDGET          2048u /* small: an input must not take seconds */

#ifndef FUZZ_CHIPS
#define FUZZ_CHIPS 1
#endif

static struct trench_pod *pod; /* one for all inputs */
static struct trench_soc *soc; /* its chip 0 */

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
    0x1002040200,       /* engine 0: notification triggers */
    0x1002041000,       /* engine 0: notification rings */
    0x1002080000,       /* broadcast window */
    0x2802700000,       /* events and semaphores of core 0 */
    0x2802701800,       /* INC */
    0x8280261540,       /* doorbells of TOP_SP 0 */
    0x20008012180000,   /* block list before engine 0 */
    0x20008012101000,   /* block list before the lists */
    0x700000000,        /* nothing */
    0x9000000000,       /* accelerated events */
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
    UDMA_M2S_M2S_Q_RATE_LIMIT_CFG_1(0),
    UDMA_M2S_M2S_Q_RATE_LIMIT_CFG_CYCLE(0),
    UDMA_M2S_M2S_Q_RATE_LIMIT_CFG_TOKEN_SIZE_1(0),
    UDMA_M2S_M2S_Q_RATE_LIMIT_CFG_TOKEN_SIZE_2(0),
    UDMA_M2S_M2S_Q_RATE_LIMIT_SW_CTRL(0),
    UDMA_M2S_M2S_Q_RATE_LIMIT_MASK(0),
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
    0x20000 + UDMA_S2M_S2M_Q_COMP_CFG_2(0),
    0x20000 + UDMA_S2M_S2M_Q_Q_SW_CTRL(0),
    0x20000 + UDMA_S2M_S2M_Q_PKT_CFG(0),
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
    UDMA_M2S_AXI_M2S_DESC_WR_CFG_1,
    UDMA_M2S_M2S_RATE_LIMITER_GEN_CFG,
    UDMA_M2S_M2S_RATE_LIMITER_CTRL_CYCLE_CNT,
    UDMA_M2S_M2S_RATE_LIMITER_CTRL_TOKEN,
    UDMA_M2S_M2S_STREAM_RATE_LIMITER_CFG_1S,
    UDMA_M2S_M2S_STREAM_RATE_LIMITER_CFG_CYCLE,
    UDMA_M2S_M2S_STREAM_RATE_LIMITER_CFG_TOKEN_SIZE_1,
    UDMA_M2S_M2S_STREAM_RATE_LIMITER_CFG_TOKEN_SIZE_2,
    UDMA_M2S_M2S_STREAM_RATE_LIMITER_SW_CTRL,
    UDMA_M2S_M2S_STREAM_RATE_LIMITER_MASK,
    UDMA_M2S_M2S_COMP_CFG_1C,
    UDMA_M2S_M2S_COMP_CFG_COAL,
    UDMA_M2S_M2S_COMP_CFG_APPLICATION_ACK2,
    0x20000 + UDMA_S2M_AXI_S2M_DESC_WR_CFG_1,
    0x20000 + UDMA_S2M_S2M_COMP_CFG_2C,
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
    0x38000 + UDMA_GEN_INT_CTRL_SEC_ADDR_WORD(4),
    0x38000 + UDMA_GEN_INT_CTRL_BASE_ADDR_WORD(18), /* group B: cause set */
    0x38000 + UDMA_GEN_INT_CTRL_BASE_ADDR_WORD(20),
    0x38000 + UDMA_GEN_INT_CTRL_BASE_ADDR_WORD(26),
    0x38000 + UDMA_GEN_INT_CTRL_BASE_ADDR_WORD(50), /* group D: cause set */
    0x38000 + UDMA_GEN_INT_CTRL_BASE_ADDR_WORD(52),
    0x38000 + UDMA_GEN_INT_CTRL_BASE_ADDR_WORD(58),
    0x38000 + UDMA_GEN_INT_CTRL3_WORD(2),
    0x38000 + UDMA_GEN_DMA_MISC_INT_CFG,
    0x38000 + UDMA_GEN_DMA_MISC_GENERAL_CFG_5,
    0x38000 + UDMA_GEN_MAILBOX_INTERRUPT(0),
    0x38000 + UDMA_GEN_MAILBOX_MSG_OUT(3),
    0x38000 + UDMA_GEN_INIT_MEMORY_RX_INIT_TRIGGER,
    0x3C000 + UDMA_GEN_EX_VMPR_V4_CFG_VMPR_V4_0(0),
};

/* Registers of the common blocks: the first one, and how the rest follow. */
static const struct {
    uint32_t first, stride;
} common_regs[] = {
    { 0x38000 + UDMA_GEN_AXI_ENDIAN_CFG, 0 },
    { 0x38000 + UDMA_GEN_VMADDR_CFG_VM_CTRL(0), 16 },
    { 0x38000 + UDMA_GEN_VMADDR_CFG_TX_VM(0), 4 },
    { 0x38000 + UDMA_GEN_AXI_OUTSTANDING_CNT_RST_COUNTERS(0), 28 },
    { 0x38000 + UDMA_GEN_AXI_ERROR_DETECTION_TABLE_ADDR0(0), 4 },
    { 0x38000 + UDMA_GEN_AXI_ERROR_CONTROL_TABLE_ADDR(0), 4 },
    { 0x38000 + UDMA_GEN_AXI_QUEUE_STATE_REQUEST(0), 4 },
    { 0x38000 + UDMA_GEN_INT_CTRL0_WORD(0), 0x10 },
    { 0x3C000 + UDMA_GEN_EX_VMPR_CFG_VMPR_0(0), 4 },
    { 0x3C000 + UDMA_GEN_EX_VMPR_V4_CFG_VMPR_V4_0(0), 4 },
    { 0x3C000 + UDMA_GEN_EX_SECTION_CTRL_CFG_V4_SECTION_EN, 4 },
    { 0x3C000 + UDMA_GEN_EX_INIT_TRANSACTION_TABLE_INIT_TRIG, 4 },
    { 0x3C000 + UDMA_GEN_EX_TRANSACTION_TYPE_TABLE_ADDR, 4 },
    { 0x3C000 + UDMA_GEN_EX_TRANSACTION_TYPE_TABLE_AXI_WRITE_PADDING, 0 },
    { 0x40000 + TDMA_MODEL_TDMA_TDMA_EVENT_ACCEL, 4 },
};

#define APP_REG(name)  (0x40000 + TDMA_MODEL_NOTIFIC_CFG_##name)
#define NOTE_REG(name) (0x41000 + NOTIFIC_10_QUEUE_NOTIFIC_##name)

/* Notifications: triggers of queue 0, and the switches of all rings. */
static const uint32_t note_regs[] = {
    APP_REG(PER_QUEUE_M2S_TRIGGER(0)),
    APP_REG(PER_QUEUE_M2S_CRC_INIT(0)),
    APP_REG(PER_QUEUE_M2S_SW_QUEUE(0)),
    APP_REG(PER_QUEUE_S2M_TRIGGER(0)),
    APP_REG(PER_QUEUE_S2M_CRC_INIT(0)),
    APP_REG(PER_QUEUE_S2M_SW_QUEUE(0)),
    APP_REG(FABRIC_TRIGGER_AXI_REQ_TRIGGER(0)),
    APP_REG(FABRIC_TRIGGER_AXI_RSP_TRIGGER(1)),
    APP_REG(FABRIC_TRIGGER_APB_REQ_TRIGGER(0)),
    APP_REG(FABRIC_TRIGGER_APB_REQ_TRIGGER(1)),
    APP_REG(FABRIC_TRIGGER_APB_REQ_SW_QUEUE(0)),
    APP_REG(STALL),
    APP_REG(S2M_EOP_COMBINED),
    NOTE_REG(SW_BACKPRESSURE),
    NOTE_REG(HW_BACKPRESSURE_LO),
    NOTE_REG(NQ_ENABLE),
    NOTE_REG(NQ_SW_OVERFLOW),
    NOTE_REG(NQ_UART_MODE),
    NOTE_REG(WR_BUF_ENABLE_LO),
    NOTE_REG(NQ_PIPELINE_STALL),
    NOTE_REG(NIQ_BUFFER_INDEX),
    NOTE_REG(NIQ_BUFFER_0),
    NOTE_REG(NQ_THRESHOLD_EN),
    NOTE_REG(TIMESTAMP_INC),
    NOTE_REG(NQ_BASE_ADDR_LO(0)),
    NOTE_REG(NQ_SIZE(0)),
    NOTE_REG(NQ_SIZE(1)),
    NOTE_REG(NQ_HEAD_PTR(0)),
    NOTE_REG(NQ_HEAD_PTR(1)),
    NOTE_REG(NQ_THRESHOLD(0)),
    NOTE_REG(NQ_FULL),
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

/* An address as it is, or of one of the chips, or of one that is not there. */
static uint64_t on_chip(struct fuzz_input *in, uint64_t addr)
{
    uint8_t pick = FUZZ_CHIPS > 1 ? fuzz_u8(in) : 0;

    return pick & 1
               ? addr | UINT64_C(1) << 54 | (uint64_t)(pick >> 1 & 3) % 3 << 48
               : addr;
}

static uint64_t arena_addr(struct fuzz_input *in)
{
    uint64_t base = arenas[fuzz_u8(in) % LEN(arenas)];

    return on_chip(in, base + (fuzz_u16(in) & ~3u));
}

static uint64_t engine_addr(struct fuzz_input *in, uint8_t pick)
{
    return on_chip(in, engine_base[pick % NR_ENGINES_USED]);
}

/* Mostly engine registers, sometimes anywhere in a channel. */
static uint64_t reg_addr(struct fuzz_input *in)
{
    uint8_t pick = fuzz_u8(in);
    uint64_t base = engine_addr(in, pick);
    unsigned q = pick >> 4 & 3;

    switch (fuzz_u8(in) % 5) {
    case 4:
        return base + note_regs[fuzz_u8(in) % LEN(note_regs)];
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
static void op_queue(struct fuzz_input *in)
{
    struct trench_bus *bus = trench_soc_bus(soc);
    uint8_t pick = fuzz_u8(in);
    uint64_t base = engine_addr(in, pick) + (uint64_t)(pick >> 4 & 3) * 0x1000;

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

/* A ring for notifications at an arena address, that is told of all packets. */
static void op_notes(struct fuzz_input *in)
{
    struct trench_bus *bus = trench_soc_bus(soc);
    uint8_t pick = fuzz_u8(in);
    uint64_t base = engine_addr(in, pick);
    unsigned ring = pick >> 4 & 1;
    unsigned q = pick >> 5 & 3;
    uint64_t at = arena_addr(in);

    trench_bus_write32(bus, base + NOTE_REG(NQ_BASE_ADDR_HI(ring)),
                       (uint32_t)(at >> 32));
    trench_bus_write32(bus, base + NOTE_REG(NQ_BASE_ADDR_LO(ring)),
                       (uint32_t)at);
    trench_bus_write32(bus, base + NOTE_REG(NQ_SIZE(ring)), fuzz_u8(in));
    trench_bus_write32(bus, base + NOTE_REG(WR_BUF_ENABLE_LO), 0xFFF);
    trench_bus_write32(bus, base + NOTE_REG(HW_BACKPRESSURE_LO), 0xFFF);
    trench_bus_write32(bus, base + NOTE_REG(SW_BACKPRESSURE), fuzz_u8(in));
    trench_bus_write32(bus, base + NOTE_REG(NQ_ENABLE), 3);
    trench_bus_write32(bus, base + APP_REG(PER_QUEUE_M2S_TRIGGER(q)), 1 << 16);
    trench_bus_write32(bus, base + APP_REG(PER_QUEUE_S2M_TRIGGER(q)), 1 << 16);
    trench_bus_write32(bus, base + APP_REG(PER_QUEUE_S2M_SW_QUEUE(q)), ring);
}

/* A descriptor that mostly makes sense, written at an arena address. */
static void op_desc(struct fuzz_input *in)
{
    struct trench_bus *bus = trench_soc_bus(soc);
    uint64_t at = arena_addr(in);
    uint64_t data = arena_addr(in);
    uint8_t flags = fuzz_u8(in);
    uint32_t d[4];

    d[0] = (flags & 0xF ? 0x0C000000u : 0) | (uint32_t)(flags & 3) << 24 |
           (uint32_t)(flags >> 4 & 3) << 26 | fuzz_u16(in);
    if (flags & 0x80) { /* a buffer 2 of some blocks of 64 bytes */
        d[0] |= 0x80000000u | (uint32_t)(flags & 7) << 16;
    }
    d[1] = flags & 0x40 ? fuzz_u32(in) : 0x01080003u;
    d[2] = (uint32_t)data;
    d[3] = (uint32_t)(data >> 32);
    trench_bus_write(bus, TRENCH_BUS_SOFTWARE, at, d, sizeof(d));
}

static void op_bulk(struct fuzz_input *in)
{
    struct trench_bus *bus = trench_soc_bus(soc);
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

static void op_beside(struct fuzz_input *in)
{
    struct trench_bus *bus = trench_soc_bus(soc);
    uint64_t addr = on_chip(in, beside[fuzz_u8(in) % LEN(beside)]);
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

/* The message of an event of a primary group, to an arena address. */
static void op_message(struct fuzz_input *in)
{
    struct trench_bus *bus = trench_soc_bus(soc);
    uint8_t pick = fuzz_u8(in);
    uint64_t entry = engine_addr(in, pick) + 0x38000 +
                     IOFIC_MSIX_ADDR_LOW(pick >> 2 & 3 ? 32 : 96) +
                     (uint64_t)(pick >> 4) * IOFIC_MSIX_STRIDE;
    uint64_t to = arena_addr(in);

    trench_bus_write32(bus, entry, (uint32_t)to);
    trench_bus_write32(bus, entry + 4, (uint32_t)(to >> 32));
    trench_bus_write32(bus, entry + 8, fuzz_u32(in));
}

/* Software that looks, and at times answers with a register write. */
static void hear(void *opaque, unsigned chip, unsigned engine, unsigned vector)
{
    struct trench_soc_intr set;

    (void)opaque;
    if (trench_soc_intr_pending(trench_pod_soc(pod, chip), engine, &set) < 0 ||
        vector >= TRENCH_NR_INTRS) {
        abort();
    }
    if (vector % 2) {
        trench_bus_write32(
            trench_soc_bus(soc),
            engine_base[0] + 0x38000 + UDMA_GEN_INT_CTRL_BASE_ADDR_WORD(0), 0);
    }
}

#define RATE(reg)                                                              \
    (UDMA_M2S_M2S_STREAM_RATE_LIMITER_##reg -                                  \
     UDMA_M2S_M2S_STREAM_RATE_LIMITER_CFG_1S)

/*
 * A queue with limiters that let it go now and then, and completions that are
 * gathered: what the clock has to do with.
 */
static void op_clocked(struct fuzz_input *in)
{
    struct trench_bus *bus = trench_soc_bus(soc);
    uint8_t pick = fuzz_u8(in);
    uint64_t base = engine_addr(in, pick);
    uint64_t bank = base + (uint64_t)(pick >> 4 & 3) * 0x1000;
    uint8_t which = fuzz_u8(in);
    uint64_t comp = arena_addr(in);
    /* The stream's registers are laid out as a queue's. */
    uint64_t at = which & 1 ? base + UDMA_M2S_M2S_STREAM_RATE_LIMITER_CFG_1S
                            : bank + UDMA_M2S_M2S_Q_RATE_LIMIT_CFG_1(0);

    trench_bus_write32(bus, base + UDMA_M2S_M2S_RATE_LIMITER_GEN_CFG,
                       fuzz_u8(in) | (uint32_t)(which & 2) << 23);
    trench_bus_write32(bus, at + RATE(CFG_CYCLE), which >> 4);
    trench_bus_write32(bus, at + RATE(CFG_TOKEN_SIZE_1), fuzz_u16(in));
    trench_bus_write32(bus, at + RATE(CFG_TOKEN_SIZE_2), fuzz_u16(in));
    trench_bus_write32(bus, at + RATE(MASK), which & 4 ? 2 : 0);
    trench_bus_write32(bus, at, 0x01000000u | fuzz_u16(in));
    for (uint64_t side = 0; side <= 0x20000; side += 0x20000) {
        trench_bus_write32(bus, bank + side + UDMA_M2S_M2S_Q_TCRBP_LOW(0),
                           (uint32_t)comp);
        trench_bus_write32(bus, bank + side + UDMA_M2S_M2S_Q_TCRBP_HIGH(0),
                           (uint32_t)(comp >> 32));
    }
    trench_bus_write32(bus, bank + UDMA_M2S_M2S_Q_COMP_CFG(0), 1);
    trench_bus_write32(bus, bank + 0x20000 + UDMA_S2M_S2M_Q_COMP_CFG(0), 1);
}

static uint64_t common_addr(struct fuzz_input *in)
{
    uint64_t base = engine_addr(in, fuzz_u8(in));
    uint8_t pick = fuzz_u8(in) % LEN(common_regs);

    return base + common_regs[pick].first +
           (uint64_t)(fuzz_u8(in) % 64) * common_regs[pick].stride;
}

/* A row that data or headers of a used queue meet, and sections on. */
static void op_row(struct fuzz_input *in)
{
    struct trench_bus *bus = trench_soc_bus(soc);
    uint8_t pick = fuzz_u8(in);
    uint8_t kind = fuzz_u8(in);
    uint64_t ex = engine_addr(in, pick) + 0x3C000;
    uint64_t row = ex + UDMA_GEN_EX_TRANSACTION_TYPE_TABLE_ADDR;
    const uint32_t words[] = {
        (uint32_t)(pick >> 4 & 3) << 5 | (kind & 1),
        kind >> 1 & 3,
        kind >> 3 & 7,
        0,
        kind & 0x40 ? fuzz_u32(in) : 0xFFFFFFFF,
        kind & 0x80 ? fuzz_u32(in) : 0xFFFF0000,
        fuzz_u8(in),
    };

    for (size_t i = 0; i < LEN(words); i++) {
        trench_bus_write32(bus, row + 4 * i, words[i]);
    }
    trench_bus_write32(bus, ex + UDMA_GEN_EX_SECTION_CTRL_CFG_V4_SECTION_EN,
                       fuzz_u8(in));
}

/* Between engine and bus: good, bad, and reaching back into registers. */
static unsigned hook(void *opaque, const struct trench_access *access)
{
    struct fuzz_input *in = opaque;
    struct trench_bus *bus;
    uint8_t pick = fuzz_u8(in);
    uint8_t answer;

    (void)access;
    if (pick < 0xC0) {
        return 0;
    }
    if (pick < 0xE0) {
        answer = fuzz_u8(in);
        return answer;
    }
    bus = trench_soc_bus(soc);
    trench_bus_write32(bus, pick & 1 ? reg_addr(in) : common_addr(in),
                       pick & 2 ? fuzz_u32(in) : fuzz_u8(in));
    if (pick == 0xFF) {
        trench_soc_set_access(soc, NULL, NULL);
    } else if (pick == 0xFE) {
        trench_soc_reset(soc);
    } else if (pick == 0xFD) {
        trench_soc_clear_faults(soc);
        trench_soc_advance(soc, fuzz_u64(in));
        trench_soc_run(soc, 0);
    }
    return pick & 4 ? fuzz_u8(in) : 0;
}

static void op_fault(struct fuzz_input *in)
{
    uint8_t pick = fuzz_u8(in);
    struct trench_fault fault = {
        .engine = pick & 0x80 ? TRENCH_FAULT_ANY : pick % 2,
        .queue = pick & 0x40 ? TRENCH_FAULT_ANY : pick >> 4 & 3,
        .at = fuzz_u8(in) % (TRENCH_NR_FAULT_PLACES + 1),
        .code = fuzz_u8(in) % 33,
        .after = fuzz_u8(in),
        .times = fuzz_u8(in) % 4,
    };

    if (pick == 0) {
        trench_soc_clear_faults(soc);
    } else {
        trench_soc_inject(soc, &fault);
    }
}

static void op_write(struct fuzz_input *in)
{
    trench_bus_write32(trench_soc_bus(soc), reg_addr(in), fuzz_u32(in));
}

static void op_write_small(struct fuzz_input *in)
{
    trench_bus_write32(trench_soc_bus(soc), reg_addr(in), fuzz_u8(in));
}

static void op_read(struct fuzz_input *in)
{
    uint32_t val;

    trench_bus_read32(trench_soc_bus(soc), reg_addr(in), &val);
}

static void op_common_write(struct fuzz_input *in)
{
    trench_bus_write32(trench_soc_bus(soc), common_addr(in), fuzz_u32(in));
}

static void op_common_write_small(struct fuzz_input *in)
{
    trench_bus_write32(trench_soc_bus(soc), common_addr(in), fuzz_u8(in));
}

static void op_common_read(struct fuzz_input *in)
{
    uint32_t val;

    trench_bus_read32(trench_soc_bus(soc), common_addr(in), &val);
}

static void op_advance(struct fuzz_input *in)
{
    trench_soc_advance(soc, fuzz_u16(in));
}

static void op_advance_far(struct fuzz_input *in)
{
    trench_soc_advance(soc, fuzz_u64(in));
}

static void op_access(struct fuzz_input *in)
{
    trench_soc_set_access(soc, fuzz_u8(in) & 1 ? hook : NULL, in);
}

static void op_anywhere(struct fuzz_input *in)
{
    trench_bus_write32(trench_soc_bus(soc), fuzz_u64(in), fuzz_u32(in));
}

static void (*const ops[])(struct fuzz_input *in) = {
    op_write,        op_write,
    op_write_small,  op_read,
    op_queue,        op_desc,
    op_desc,         op_bulk,
    op_advance,      op_advance_far,
    op_message,      op_clocked,
    op_common_write, op_common_write_small,
    op_common_read,  op_row,
    op_fault,        op_access,
    op_notes,        op_anywhere,
    op_beside,
};

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
    struct fuzz_input in = { data, size };

    if (!pod) {
        struct trench_pod_conf conf = { .soc.host_bytes = 0x20000,
                                        .soc.budget = BUDGET,
                                        .nr_chips = FUZZ_CHIPS,
                                        .intr = hear };

        if (trench_pod_create(&conf, &pod)) {
            abort();
        }
        soc = trench_pod_soc(pod, 0);
    }
    trench_pod_reset(pod);
    for (unsigned n = 0; n < FUZZ_CHIPS; n++) {
        clear_arenas(trench_soc_bus(trench_pod_soc(pod, n)));
    }
    while (in.left > 0) {
        ops[fuzz_u8(&in) % LEN(ops)](&in);
    }
    trench_soc_set_access(soc, NULL, NULL);
    trench_soc_clear_faults(soc);
    return 0;
}
