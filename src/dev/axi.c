/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Addresses on their way to the bus (seed 002 3.3, 4.2; common-blocks 1.1.6,
 * 1.2.1, 1.2.2).
 */
#include "dev/axi.h"

#include <string.h>

#include "base/bits.h"
#include "dev/fault.h"
#include "tdma_model_gen.h"
#include "udma_gen_ex_gen.h"
#include "udma_gen_gen.h"
#include "udma_s2m_gen.h"

/* ---- composition --------------------------------------------------------- */

#define VMPR(n)     UDMA_GEN_EX_VMPR_CFG_VMPR_##n(0)
#define VMPR_V4(n)  UDMA_GEN_EX_VMPR_V4_CFG_VMPR_V4_##n(0)
#define EN(n, name) UDMA_GEN_EX_VMPR_CFG_VMPR_##n##_##name##_VMID_EN_MASK
#define SWAP(name)  UDMA_GEN_AXI_ENDIAN_CFG_SWAP_##name##_MASK
#define NO_REG      UINT32_MAX

/* The VMPR registers of queue 0 that a stream looks at. */
static const struct stream {
    enum trench_axi_master master;
    bool rx;
    bool data;         /* the address comes from a descriptor */
    uint32_t en_reg;   /* which enables its own VMID */
    uint32_t en_mask;  /* with this bit */
    uint32_t vmid_reg; /* which holds it, and for data the select */
    unsigned vmid_shift;
    uint32_t hi_reg;    /* high address word */
    uint32_t sel_reg;   /* whose bits come from the descriptor */
    uint32_t swap_mask; /* in endian_cfg */
} streams[] = {
    [AXI_TX_PREF] = { TRENCH_AXI_M2S_DESC_READ, false, false, VMPR(0),
                      EN(0, TX_Q_PREF), VMPR(2), 0, NO_REG, NO_REG,
                      SWAP(M2S_DESC) },
    [AXI_TX_DATA] = { TRENCH_AXI_M2S_DATA_READ, false, true, VMPR(0),
                      EN(0, TX_Q_DATA), VMPR(3), 0, VMPR(1), VMPR_V4(0),
                      SWAP(M2S_DATA) },
    [AXI_TX_CMPL] = { TRENCH_AXI_M2S_CMPL_WRITE, false, false, VMPR(0),
                      EN(0, TX_Q_CMPL), VMPR(2), 16, NO_REG, NO_REG,
                      SWAP(M2S_DESC) },
    [AXI_RX_PREF] = { TRENCH_AXI_S2M_DESC_READ, true, false, VMPR(4),
                      EN(4, RX_Q_PREF), VMPR(6), 0, NO_REG, NO_REG,
                      SWAP(S2M_DESC) },
    [AXI_RX_BUF1] = { TRENCH_AXI_S2M_DATA_WRITE, true, true, VMPR(4),
                      EN(4, RX_Q_BUF1), VMPR(7), 0, VMPR(10), VMPR_V4(1),
                      SWAP(S2M_DATA) },
    [AXI_RX_BUF2] = { TRENCH_AXI_S2M_DATA_WRITE, true, true, VMPR(4),
                      EN(4, RX_Q_BUF2), VMPR(8), 0, VMPR(11), VMPR_V4(2),
                      SWAP(S2M_DATA) },
    [AXI_RX_DDP] = { TRENCH_AXI_S2M_DATA_WRITE, true, true, VMPR(4),
                     EN(4, RX_Q_DDP), VMPR(9), 0, VMPR(12), VMPR_V4(3),
                     SWAP(S2M_DATA) },
    [AXI_RX_CMPL] = { TRENCH_AXI_S2M_CMPL_WRITE, true, false, VMPR(4),
                      EN(4, RX_Q_CMPL), VMPR(6), 16, NO_REG, NO_REG,
                      SWAP(S2M_DESC) },
    [AXI_MSIX] = { TRENCH_AXI_MSIX_WRITE, false, false, NO_REG, 0, NO_REG, 0,
                   NO_REG, NO_REG, 0 },
};

enum trench_axi_master axi_master(enum axi_stream stream)
{
    return streams[stream].master;
}

/* A per-queue register of GEN_EX, by its offset for queue 0. */
static uint32_t vmpr_get(const struct channel *ch, unsigned q, uint32_t reg)
{
    return regfile_get(&ch->units[TRENCH_BLOCK_UDMA_GEN_EX].rf,
                       reg + q * UDMA_GEN_EX_VMPR_STRIDE);
}

static uint32_t gen_get(const struct channel *ch, uint32_t offset)
{
    return regfile_get(&ch->units[TRENCH_BLOCK_UDMA_GEN].rf, offset);
}

/* VMADDR: the coarse mapping, one id and one address tag a direction. */
static void compose_coarse(const struct channel *ch, struct axi *a)
{
    bool rx = streams[a->stream].rx;
    uint32_t ctrl = gen_get(ch, UDMA_GEN_VMADDR_CFG_VM_CTRL(a->q));
    uint32_t vm = gen_get(ch, rx ? UDMA_GEN_VMADDR_CFG_RX_VM(a->q)
                                 : UDMA_GEN_VMADDR_CFG_TX_VM(a->q));
    uint32_t from_desc =
        rx ? UDMA_GEN_VMADDR_CFG_VM_CTRL_RX_Q_VMID_DESC_EN_MASK
           : UDMA_GEN_VMADDR_CFG_VM_CTRL_TX_Q_VMID_DESC_EN_MASK;
    uint32_t from_queue =
        rx ? UDMA_GEN_VMADDR_CFG_VM_CTRL_RX_Q_VMID_QUEUE_EN_MASK
           : UDMA_GEN_VMADDR_CFG_VM_CTRL_TX_Q_VMID_QUEUE_EN_MASK;

    if (ctrl & from_queue) {
        a->vmid = FIELD_GET(UDMA_GEN_VMADDR_CFG_TX_VM_VMID, vm);
    }
    if ((ctrl & from_desc) && streams[a->stream].data) {
        a->vmid = (uint32_t)(a->addr >> 48);
        a->addr &= UINT64_C(0xFFFFFFFFFFFF);
        a->addr |= (uint64_t)FIELD_GET(UDMA_GEN_VMADDR_CFG_TX_VM_VMADDR, vm)
                   << 48;
    }
}

/* VMPR: an id a stream, and for data the high word bit by bit. */
static void compose_fine(const struct channel *ch, struct axi *a)
{
    const struct stream *s = &streams[a->stream];
    uint32_t high = (uint32_t)(a->addr >> 32);

    if (vmpr_get(ch, a->q, s->en_reg) & s->en_mask) {
        uint32_t word = vmpr_get(ch, a->q, s->vmid_reg);

        a->vmid = s->data ? pick_bits(high >> 16, word & 0xFFFF, word >> 16)
                          : word >> s->vmid_shift & 0xFFFF;
    }
    if (s->data) {
        high = pick_bits(high, vmpr_get(ch, a->q, s->hi_reg),
                         vmpr_get(ch, a->q, s->sel_reg));
        a->addr = (uint64_t)high << 32 | (uint32_t)a->addr;
    }
}

struct axi axi_compose(const struct channel *ch, enum axi_stream stream,
                       unsigned q, uint64_t addr, uint64_t off)
{
    struct axi a = {
        .stream = stream,
        .q = q,
        .addr = addr,
        .vmid = AXI_NO_VMID,
    };

    if (stream != AXI_MSIX) {
        compose_coarse(ch, &a);
        compose_fine(ch, &a);
    }
    a.addr = addr_add(a.addr, off);
    return a;
}

/* ---- accesses ------------------------------------------------------------ */

unsigned axi_answer(int err)
{
    if (err == 0) {
        return TRENCH_AXI_OKAY;
    }
    return err == TRENCH_ERR_FAULT ? TRENCH_AXI_DECERR : TRENCH_AXI_SLVERR;
}

static unsigned ask_hook(struct channel *ch, const struct axi *a)
{
    struct chip *chip = ch->chip;
    const struct trench_access access = {
        .engine = ch->engine,
        .queue = a->q,
        .master = axi_master(a->stream),
        .addr = a->addr,
        .size_bytes = a->len,
        .has_vmid = a->vmid != AXI_NO_VMID,
        .vmid = a->vmid == AXI_NO_VMID ? 0 : (uint16_t)a->vmid,
    };
    unsigned answer;

    chip->asked++;
    answer = chip->access(chip->access_opaque, &access);
    return answer < TRENCH_AXI_ANSWERS ? answer : TRENCH_AXI_SLVERR;
}

unsigned axi_admit(struct channel *ch, const struct axi *a)
{
    unsigned answer = fault_answer(ch, a->q, axi_master(a->stream));

    if (answer == 0 && ch->chip->access) {
        answer = ask_hook(ch, a);
    }
    return answer;
}

uint32_t axi_swap_group(const struct channel *ch, enum axi_stream stream)
{
    uint32_t cfg = gen_get(ch, UDMA_GEN_AXI_ENDIAN_CFG);

    if (!(cfg & streams[stream].swap_mask)) {
        return 1;
    }
    return cfg & UDMA_GEN_AXI_ENDIAN_CFG_SWAP_64B_EN_MASK ? 8 : 4;
}

void axi_swap(void *buf, uint32_t len, uint32_t group)
{
    uint8_t *p = buf;

    group = min_u32(group, len);
    if (group < 2) {
        return;
    }
    for (uint32_t at = 0; at + group <= len; at += group) {
        for (uint32_t i = 0; i < group / 2; i++) {
            uint8_t byte = p[at + i];

            p[at + i] = p[at + group - 1 - i];
            p[at + group - 1 - i] = byte;
        }
    }
}

unsigned axi_read(struct channel *ch, enum axi_stream stream, unsigned q,
                  uint64_t addr, void *buf, uint32_t len)
{
    struct axi a = axi_compose(ch, stream, q, addr, 0);
    unsigned answer;

    a.len = len;
    answer = axi_admit(ch, &a);
    if (answer == 0) {
        answer = axi_answer(
            trench_bus_read(ch->bus, ch->initiator, a.addr, buf, len));
    }
    if (answer == 0) {
        axi_swap(buf, len, axi_swap_group(ch, stream));
    }
    return answer;
}

unsigned axi_put(struct channel *ch, const struct axi *a, const void *buf)
{
    uint8_t swapped[64]; /* completions and messages: 64 bytes at most */
    uint32_t len =
        a->len < sizeof(swapped) ? (uint32_t)a->len : (uint32_t)sizeof(swapped);
    unsigned answer = axi_admit(ch, a);

    if (answer) {
        return answer;
    }
    memcpy(swapped, buf, len);
    axi_swap(swapped, len, axi_swap_group(ch, a->stream));
    return axi_answer(
        trench_bus_write(ch->bus, ch->initiator, a->addr, swapped, len));
}

unsigned axi_write(struct channel *ch, enum axi_stream stream, unsigned q,
                   uint64_t addr, const void *buf, uint32_t len)
{
    struct axi a = axi_compose(ch, stream, q, addr, 0);

    a.len = len;
    return axi_put(ch, &a, buf);
}

/* ---- which queues are plain ---------------------------------------------- */

/* Something in the engine concerns all of its queues. */
static bool engine_plain(const struct channel *ch)
{
    uint32_t sections = regfile_get(&ch->units[TRENCH_BLOCK_UDMA_GEN_EX].rf,
                                    UDMA_GEN_EX_SECTION_CTRL_CFG_V4_SECTION_EN);

    return !chip_watched(ch->chip) && !ch->accel_in_memory &&
           gen_get(ch, UDMA_GEN_AXI_ENDIAN_CFG) == 0 &&
           !(sections & UDMA_GEN_EX_SECTION_CTRL_CFG_V4_SECTION_EN_VAL_MASK);
}

static bool queue_plain(const struct channel *ch, unsigned q)
{
    /* First what is not so at reset: a reset looks at every queue. */
    if (vmpr_get(ch, q, VMPR_V4(0)) != UINT32_MAX ||
        vmpr_get(ch, q, VMPR_V4(1)) != UINT32_MAX) {
        return false;
    }
    for (size_t i = AXI_TX_PREF; i <= AXI_RX_CMPL; i++) {
        if (vmpr_get(ch, q, streams[i].en_reg) & streams[i].en_mask) {
            return false;
        }
    }
    return gen_get(ch, UDMA_GEN_VMADDR_CFG_VM_CTRL(q)) == 0 &&
           !(regfile_get(&ch->units[TRENCH_BLOCK_UDMA_S2M].rf,
                         UDMA_S2M_S2M_Q_PKT_CFG(q)) &
             UDMA_S2M_S2M_Q_PKT_CFG_FORCE_HDR_SPLIT_MASK);
}

void axi_replan(struct channel *ch)
{
    bool all = engine_plain(ch);

    ch->plain = 0;
    for (unsigned q = 0; all && q < TRENCH_NR_QUEUES; q++) {
        ch->plain |= (uint32_t)queue_plain(ch, q) << q;
    }
}

void axi_replan_queue(struct channel *ch, unsigned q)
{
    ch->plain &= ~(1u << q);
    ch->plain |= (uint32_t)(engine_plain(ch) && queue_plain(ch, q)) << q;
}

void axi_replan_all(struct chip *chip)
{
    for (unsigned e = 0; e < chip->gen->nr_engines; e++) {
        axi_replan(&chip->channels[e]);
    }
}

void axi_write_replan(void *owner, uint32_t idx, uint32_t written, uint32_t old)
{
    (void)idx;
    (void)written;
    (void)old;
    axi_replan(owner);
}

/* ---- registers ----------------------------------------------------------- */

static void write_replan_queue(void *owner, uint32_t q, uint32_t written,
                               uint32_t old)
{
    (void)written;
    (void)old;
    axi_replan_queue(owner, q);
}

static const struct regfile_hook gen_hooks[] = {
    { UDMA_GEN_AXI_ENDIAN_CFG, NULL, axi_write_replan },
    { UDMA_GEN_VMADDR_CFG_VM_CTRL(0), NULL, write_replan_queue },
};

const struct hook_list axi_gen_hooks = { TRENCH_BLOCK_UDMA_GEN, gen_hooks,
                                         ARRAY_LEN(gen_hooks) };

static const struct regfile_hook gen_ex_hooks[] = {
    { VMPR(0), NULL, write_replan_queue },
    { VMPR(4), NULL, write_replan_queue },
    { VMPR_V4(0), NULL, write_replan_queue },
    { VMPR_V4(1), NULL, write_replan_queue },
};

const struct hook_list axi_gen_ex_hooks = { TRENCH_BLOCK_UDMA_GEN_EX,
                                            gen_ex_hooks,
                                            ARRAY_LEN(gen_ex_hooks) };

static const uint32_t gen_used[] = {
    UDMA_GEN_VMADDR_CFG_TX_VM(0),
    UDMA_GEN_VMADDR_CFG_RX_VM(0),
};

const struct use_list axi_gen_uses = { TRENCH_BLOCK_UDMA_GEN, gen_used,
                                       ARRAY_LEN(gen_used) };

static const uint32_t ex_used[] = {
    VMPR(1), VMPR(2),  VMPR(3),  VMPR(6),  VMPR(7),    VMPR(8),
    VMPR(9), VMPR(10), VMPR(11), VMPR(12), VMPR_V4(2), VMPR_V4(3),
};

const struct use_list axi_gen_ex_uses = { TRENCH_BLOCK_UDMA_GEN_EX, ex_used,
                                          ARRAY_LEN(ex_used) };
