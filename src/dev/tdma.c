/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Notification triggers by queue and direction (common-blocks 1.3.3): which
 * packets are told of, and the records of one packet:
 *
 *     M2S   SOP ........... EOP
 *     S2M        SOP .......... EOP, COMPLETION
 *
 * A record that cannot be taken makes the packet wait where notific_cfg.stall
 * says so. The packet then sleeps: notific_kick() wakes its queue.
 */
#include "dev/tdma.h"

#include <assert.h>

#include <isa-l/crc.h>

#include "base/bits.h"
#include "dev/channel.h"
#include "dev/notific_post.h"
#include "tdma_model_gen.h"

#define REG(name)       TDMA_MODEL_##name
#define PER_QUEUE(name) TDMA_MODEL_NOTIFIC_CFG_PER_QUEUE_##name

#define FABRIC(name) TDMA_MODEL_NOTIFIC_CFG_FABRIC_TRIGGER_##name

#define TRIGGER_EN  PER_QUEUE(M2S_TRIGGER_TRIGGER_EN_MASK)
#define TRIGGER_CNT PER_QUEUE(M2S_TRIGGER_TRIGGER_CNT_MASK)
#define COMBINED    REG(NOTIFIC_CFG_S2M_EOP_COMBINED_VAL_MASK)

/* Body of a packet's record (common-blocks 2.4.2). */
#define BODY_QUEUE_SHIFT    4
#define BODY_METADATA_SHIFT 8
#define BODY_CRC_SHIFT      16

static_assert(TRIGGER_CNT == 0xFFFFu, "the count is at bit 0");
static_assert(TRIGGER_EN == PER_QUEUE(S2M_TRIGGER_TRIGGER_EN_MASK) &&
                  TRIGGER_CNT == PER_QUEUE(S2M_TRIGGER_TRIGGER_CNT_MASK),
              "one trigger word in both directions");

/* Bits 22:16 of a descriptor's word 0 go into its SOP record. */
#define DESC_NOTE_SHIFT 16
#define DESC_NOTE_MASK  0x7Fu

static const uint32_t *word(const struct channel *ch, uint32_t offset)
{
    return regfile_word(&ch->units[TRENCH_BLOCK_TDMA_MODEL].rf, offset);
}

/* By the map: it is not the same in all generations. */
static uint32_t fabric_stride(const struct channel *ch)
{
    const struct trench_csr_block *block =
        ch->units[TRENCH_BLOCK_TDMA_MODEL].rf.cls->block;
    uint16_t inst = block->word_inst[FABRIC(AXI_REQ_TRIGGER(0)) / 4];

    return inst ? block->bundles[block->regs[block->inst_reg[inst - 1]].bundle]
                      .stride
                : 0;
}

static void bind_fabric(struct channel *ch)
{
    static const struct {
        uint32_t trigger, mask, cmp, sw_queue;
    } rows[TDMA_NR_FABRIC] = {
        [TDMA_AXI_REQ] = { FABRIC(AXI_REQ_TRIGGER(0)),
                           FABRIC(AXI_REQ_ID_MASK(0)),
                           FABRIC(AXI_REQ_ID_CMP(0)),
                           FABRIC(AXI_REQ_SW_QUEUE(0)) },
        [TDMA_AXI_RSP] = { FABRIC(AXI_RSP_TRIGGER(0)),
                           FABRIC(AXI_RSP_ID_MASK(0)),
                           FABRIC(AXI_RSP_ID_CMP(0)),
                           FABRIC(AXI_RSP_SW_QUEUE(0)) },
        [TDMA_APB_REQ] = { FABRIC(APB_REQ_TRIGGER(0)),
                           FABRIC(APB_REQ_ADDR_MASK(0)),
                           FABRIC(APB_REQ_ADDR_CMP(0)),
                           FABRIC(APB_REQ_SW_QUEUE(0)) },
    };
    uint32_t stride = fabric_stride(ch);

    for (unsigned k = 0; k < TDMA_NR_FABRIC; k++) {
        for (unsigned i = 0; i < TDMA_FABRIC_TRIGGERS; i++) {
            ch->tdma.fabric[k][i] = (struct tdma_match){
                .trigger = word(ch, rows[k].trigger + i * stride),
                .mask = word(ch, rows[k].mask + i * stride),
                .cmp = word(ch, rows[k].cmp + i * stride),
                .sw_queue = word(ch, rows[k].sw_queue + i * stride),
            };
        }
    }
}

void tdma_bind(struct channel *ch)
{
    for (unsigned q = 0; q < TRENCH_NR_QUEUES; q++) {
        ch->tdma.reg[q][TDMA_M2S] = (struct tdma_words){
            .trigger = word(ch, PER_QUEUE(M2S_TRIGGER(q))),
            .crc_init = word(ch, PER_QUEUE(M2S_CRC_INIT(q))),
            .sw_queue = word(ch, PER_QUEUE(M2S_SW_QUEUE(q))),
        };
        ch->tdma.reg[q][TDMA_S2M] = (struct tdma_words){
            .trigger = word(ch, PER_QUEUE(S2M_TRIGGER(q))),
            .crc_init = word(ch, PER_QUEUE(S2M_CRC_INIT(q))),
            .sw_queue = word(ch, PER_QUEUE(S2M_SW_QUEUE(q))),
        };
    }
    ch->tdma.stall = word(ch, REG(NOTIFIC_CFG_STALL));
    ch->tdma.combined = word(ch, REG(NOTIFIC_CFG_S2M_EOP_COMBINED));
    ch->tdma.rob_cfg = word(ch, REG(TDMA_TDMA_ROB_CFG));
    bind_fabric(ch);
}

/* The registers have been reset before. */
void tdma_reset(struct channel *ch)
{
    ch->notes = 0;
    ch->tdma.waiting = 0;
    for (unsigned q = 0; q < TRENCH_NR_QUEUES; q++) {
        tdma_watch_queue(ch, q);
    }
    tdma_watch_fabric(ch);
}

void tdma_watch_queue(struct channel *ch, unsigned q)
{
    uint32_t both =
        *ch->tdma.reg[q][TDMA_M2S].trigger | *ch->tdma.reg[q][TDMA_S2M].trigger;

    ch->notes &= ~TDMA_NOTE_TRIGGER(q);
    ch->notes |= both & TRIGGER_EN ? TDMA_NOTE_TRIGGER(q) : 0;
    if (!(ch->notes & TDMA_NOTE_TOLD(q))) {
        ch->tdma.note[q] = (struct tdma_packet){ 0 };
    }
}

/* ---- records ------------------------------------------------------------ */

/* Which stall bit a class answers to. */
static uint32_t stall_bit(enum notific_class cls)
{
    switch (cls) {
    case NOTIFIC_M2S_SOP:
    case NOTIFIC_M2S_EOP:
        return REG(NOTIFIC_CFG_STALL_M2S_SOP_EOP_EN_MASK);
    case NOTIFIC_S2M_SOP:
    case NOTIFIC_S2M_EOP:
        return REG(NOTIFIC_CFG_STALL_S2M_SOP_EOP_EN_MASK);
    default:
        return REG(NOTIFIC_CFG_STALL_S2M_CMPL_EN_MASK);
    }
}

/* The same where records are held, or the class is masked. */
static __attribute__((noinline)) bool may_post_slowly(struct channel *ch,
                                                      unsigned q,
                                                      enum notific_class cls)
{
    if (notific_ready(&ch->notific, cls) ||
        !(*ch->tdma.stall & stall_bit(cls))) {
        return true;
    }
    notific_stall(ch, cls);
    ch->tdma.waiting |= 1u << q;
    return false;
}

/* False: the packet waits for the class to be taken again. */
static inline bool may_post(struct channel *ch, unsigned q,
                            enum notific_class cls)
{
    return (ch->notific.open >> notific_input(cls) & 1) ||
           may_post_slowly(ch, q, cls);
}

/*
 * A record that has to be looked after, and after which so has the queue. Out
 * of line, so that the callers keep few registers.
 */
static __attribute__((noinline)) enum tdma_go post_slowly(
    struct channel *ch, unsigned q, enum notific_class cls,
    struct notific_record rec)
{
    enum tdma_dir dir = cls < NOTIFIC_S2M_SOP ? TDMA_M2S : TDMA_S2M;
    uint32_t epoch = M2S_QUEUE(ch, q)->epoch;

    if (!notific_post_slowly(ch, cls, *ch->tdma.reg[q][dir].sw_queue, rec)) {
        return TDMA_GO;
    }
    return M2S_QUEUE(ch, q)->epoch == epoch &&
                   side_works(&ch->m2s_side, true) &&
                   side_works(&ch->s2m_side, true)
               ? TDMA_GO
               : TDMA_STOPPED;
}

/* Send one record of the queue's packet, and see what it did. */
static inline enum tdma_go post(struct channel *ch, unsigned q,
                                enum notific_class cls, uint32_t w0,
                                uint32_t w1)
{
    enum tdma_dir dir = cls < NOTIFIC_S2M_SOP ? TDMA_M2S : TDMA_S2M;
    struct notific_record rec =
        notific_record(ch, cls, w0, w1 | q << BODY_QUEUE_SHIFT);

    if (notific_post_plain(ch, cls, *ch->tdma.reg[q][dir].sw_queue, rec)) {
        return TDMA_GO;
    }
    return post_slowly(ch, q, cls, rec);
}

/* ---- packets ------------------------------------------------------------ */

/* The trigger counts a packet, and picks it or not. */
static bool trigger_picks(struct channel *ch, unsigned q, enum tdma_dir dir)
{
    uint32_t trigger = *ch->tdma.reg[q][dir].trigger;
    uint32_t *skip = &ch->tdma.skip[q][dir];

    if (!(trigger & TRIGGER_EN)) {
        return false;
    }
    if (*skip > 0) {
        --*skip;
        return false;
    }
    *skip = trigger & TRIGGER_CNT;
    return true;
}

/* A trigger that is switched on under a packet leaves that one out. */
static bool packet_untouched(const struct packet *pkt)
{
    return pkt->rx_first && pkt->left == pkt->bytes;
}

void tdma_begin(struct channel *ch, unsigned q)
{
    ch->tdma.note[q] = (struct tdma_packet){ 0 };
    ch->notes &= ~TDMA_NOTE_TOLD(q);
}

static inline enum tdma_go start(struct channel *ch, unsigned q,
                                 enum tdma_dir dir, enum notific_class cls)
{
    struct packet *pkt = &M2S_QUEUE(ch, q)->packet;
    struct tdma_packet *note = TDMA_NOTE(ch, q);
    struct ring *r =
        dir == TDMA_M2S ? &M2S_QUEUE(ch, q)->ring : &S2M_QUEUE(ch, q)->ring;
    bool picked;
    uint32_t w0;

    if (!(ch->notes & TDMA_NOTE_TRIGGER(q))) {
        return TDMA_GO;
    }
    if (note->stage[dir] == TDMA_NEW) {
        picked = packet_untouched(pkt) && trigger_picks(ch, q, dir);
    } else if (note->stage[dir] == TDMA_SOP) {
        /* It may have been switched off while the packet waited. */
        picked = *ch->tdma.reg[q][dir].trigger & TRIGGER_EN;
    } else {
        return TDMA_GO;
    }
    if (!picked) {
        note->stage[dir] = TDMA_QUIET;
        return TDMA_GO;
    }
    if (!may_post(ch, q, cls)) {
        note->stage[dir] = TDMA_SOP;
        return TDMA_HELD;
    }
    ch->notes |= TDMA_NOTE_TOLD(q);
    note->stage[dir] = TDMA_EOP;
    note->crc[dir] = *ch->tdma.reg[q][dir].crc_init;
    w0 = ring_fifo_at(r, 0)->desc.w[0];
    return post(ch, q, cls, 0,
                (w0 >> DESC_NOTE_SHIFT & DESC_NOTE_MASK)
                    << BODY_METADATA_SHIFT);
}

enum tdma_go tdma_send(struct channel *ch, unsigned q)
{
    return start(ch, q, TDMA_M2S, NOTIFIC_M2S_SOP);
}

enum tdma_go tdma_receive(struct channel *ch, unsigned q)
{
    return start(ch, q, TDMA_S2M, NOTIFIC_S2M_SOP);
}

/* Word 1 of an end record, without class and queue. */
static uint32_t eop_crc(const struct tdma_packet *note, enum tdma_dir dir)
{
    return ~note->crc[dir] << BODY_CRC_SHIFT;
}

static enum tdma_go post_eop(struct channel *ch, unsigned q,
                             const struct packet *pkt, enum tdma_dir dir)
{
    return post(ch, q, dir == TDMA_M2S ? NOTIFIC_M2S_EOP : NOTIFIC_S2M_EOP,
                (uint32_t)pkt->bytes, eop_crc(TDMA_NOTE(ch, q), dir));
}

/*
 * Both end records at once, where both go to memory by the same run. False
 * when they do not, and nothing was done.
 */
static bool post_ends(struct channel *ch, unsigned q)
{
    const uint32_t inputs = 1u << notific_input(NOTIFIC_M2S_EOP) |
                            1u << notific_input(NOTIFIC_S2M_EOP);
    struct tdma_packet *note = TDMA_NOTE(ch, q);
    uint32_t bytes = (uint32_t)M2S_QUEUE(ch, q)->packet.bytes;
    uint32_t id = *ch->tdma.reg[q][TDMA_M2S].sw_queue;
    struct notific_queue *nq = notific_run(ch, inputs, id, 2);

    if (!nq || *ch->tdma.reg[q][TDMA_S2M].sw_queue != id) {
        return false;
    }
    notific_put(
        &ch->notific, nq,
        notific_record(ch, NOTIFIC_M2S_EOP, bytes,
                       eop_crc(note, TDMA_M2S) | q << BODY_QUEUE_SHIFT));
    notific_put(
        &ch->notific, nq,
        notific_record(ch, NOTIFIC_S2M_EOP, bytes,
                       eop_crc(note, TDMA_S2M) | q << BODY_QUEUE_SHIFT));
    note->stage[TDMA_M2S] = TDMA_COMPLETION;
    note->stage[TDMA_S2M] = TDMA_COMPLETION;
    return true;
}

static enum tdma_go end(struct channel *ch, unsigned q, enum tdma_dir dir,
                        enum notific_class cls)
{
    struct packet *pkt = &M2S_QUEUE(ch, q)->packet;
    struct tdma_packet *note = TDMA_NOTE(ch, q);

    if (note->stage[dir] != TDMA_EOP) {
        return TDMA_GO;
    }
    if (!may_post(ch, q, cls)) {
        return TDMA_HELD;
    }
    note->stage[dir] = TDMA_COMPLETION;
    return post_eop(ch, q, pkt, dir);
}

/* The end records, and room for what follows the completion. */
enum tdma_go tdma_end(struct channel *ch, unsigned q)
{
    bool combined = *ch->tdma.combined & COMBINED;
    uint8_t *stage = TDMA_NOTE(ch, q)->stage;
    enum tdma_go go;

    if (!(ch->notes & TDMA_NOTE_TOLD(q))) {
        return TDMA_GO;
    }
    if (!combined && stage[TDMA_M2S] == TDMA_EOP &&
        stage[TDMA_S2M] == TDMA_EOP && post_ends(ch, q)) {
        return may_post(ch, q, NOTIFIC_S2M_COMPLETION) ? TDMA_GO : TDMA_HELD;
    }
    go = end(ch, q, TDMA_M2S, NOTIFIC_M2S_EOP);
    if (go == TDMA_GO && combined && stage[TDMA_S2M] == TDMA_EOP) {
        return may_post(ch, q, NOTIFIC_S2M_EOP) ? TDMA_GO : TDMA_HELD;
    }
    if (go == TDMA_GO) {
        go = end(ch, q, TDMA_S2M, NOTIFIC_S2M_EOP);
    }
    if (go == TDMA_GO && stage[TDMA_S2M] == TDMA_COMPLETION &&
        !may_post(ch, q, NOTIFIC_S2M_COMPLETION)) {
        return TDMA_HELD;
    }
    return go;
}

enum tdma_go tdma_completed(struct channel *ch, unsigned q)
{
    uint8_t stage = TDMA_NOTE(ch, q)->stage[TDMA_S2M];

    if (!(ch->notes & TDMA_NOTE_TOLD(q))) {
        return TDMA_GO;
    }
    ch->notes &= ~TDMA_NOTE_TOLD(q);
    if (stage == TDMA_EOP) { /* combined */
        return post_eop(ch, q, &M2S_QUEUE(ch, q)->packet, TDMA_S2M);
    }
    return stage == TDMA_COMPLETION ? post(ch, q, NOTIFIC_S2M_COMPLETION, 0, 0)
                                    : TDMA_GO;
}

/* ---- checksums ---------------------------------------------------------- */

/*
 * Bytes through the register of CRC-32 as Ethernet and zip have it, which
 * holds the complement of what the library calls the checksum.
 */
static uint32_t crc_memory(uint32_t reg, const void *p, uint32_t bytes)
{
    return ~crc32_gzip_refl(~reg, p, bytes);
}

/* Over memory that is in several pieces; registers are left out. */
static uint32_t crc_bus(const struct channel *ch, uint32_t crc, uint64_t addr,
                        uint32_t bytes)
{
    struct trench_bus_region region;

    addr &= ~TRENCH_BUS_ATTR_MASK;
    while (bytes > 0 && !trench_bus_region_at(ch->bus, addr, &region) &&
           addr >= region.base) {
        uint64_t rest = region.size_bytes - (addr - region.base);
        uint32_t n = rest < bytes ? (uint32_t)rest : bytes;

        if (region.is_memory) {
            crc = crc_memory(crc, trench_bus_host(ch->bus, addr, n), n);
        }
        addr += n;
        bytes -= n;
    }
    return crc;
}

static bool is_memory(const struct channel *ch, uint64_t addr)
{
    struct trench_bus_region region;

    addr &= ~TRENCH_BUS_ATTR_MASK;
    return !trench_bus_region_at(ch->bus, addr, &region) &&
           addr >= region.base && region.is_memory;
}

/*
 * Into registers: what was written may not be what is read there. Out of line,
 * so that crc_run() is small enough to be a part of its caller.
 */
static __attribute__((noinline)) uint32_t crc_elsewhere(
    const struct channel *ch, uint32_t crc, const struct tdma_run *run)
{
    return crc_bus(ch, crc, is_memory(ch, run->dst) ? run->dst : run->src,
                   run->bytes);
}

static uint32_t crc_run(const struct channel *ch, uint32_t crc,
                        const struct tdma_run *run)
{
    return run->to ? crc_memory(crc, run->to, run->bytes)
                   : crc_elsewhere(ch, crc, run);
}

void tdma_data(struct channel *ch, unsigned q, const struct tdma_run *run)
{
    struct tdma_packet *note = TDMA_NOTE(ch, q);
    bool told = ch->notes & TDMA_NOTE_TOLD(q);
    bool tx = told && note->stage[TDMA_M2S] == TDMA_EOP;
    bool rx = told && note->stage[TDMA_S2M] == TDMA_EOP;
    bool same = tx && rx && note->crc[TDMA_M2S] == note->crc[TDMA_S2M];

    if (tx) {
        note->crc[TDMA_M2S] = crc_run(ch, note->crc[TDMA_M2S], run);
    }
    if (same) {
        note->crc[TDMA_S2M] = note->crc[TDMA_M2S];
    } else if (rx) {
        note->crc[TDMA_S2M] = crc_run(ch, note->crc[TDMA_S2M], run);
    }
    if ((ch->notes & TDMA_NOTE_AXI) && !run->made) {
        tdma_axi_read(ch, q, run->src);
    }
}
