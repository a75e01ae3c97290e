/* SPDX-License-Identifier: BSD-3-Clause */
#include "dev/section.h"

#include <string.h>

#include "base/bits.h"
#include "dev/axi_error.h"
#include "udma_gen_ex_gen.h"
#include "udma_s2m_gen.h"

/*
 * Transaction types that the model gives to the parts of a packet. Their
 * numbers are not published.
 */
enum {
    TYPE_DATA = 0,
    TYPE_HEADER = 1,
};

/* write_cmd of a row. */
enum {
    CMD_BUFF1 = 0,
    CMD_BUFF2 = 1,
    CMD_DDP = 2,
    CMD_DROP = 3,
};

#define TABLE_GET(name, word)                                                  \
    FIELD_GET(UDMA_GEN_EX_TRANSACTION_TYPE_TABLE_##name, word)
#define TABLE(name) UDMA_GEN_EX_TRANSACTION_TYPE_TABLE_##name
#define SECTION_EN(name)                                                       \
    UDMA_GEN_EX_SECTION_CTRL_CFG_V4_SECTION_EN_##name##_MASK
#define PAD_BYTES          64u
#define PADDING_CACHE_LINE 1u

static uint32_t ex_get(const struct channel *ch, uint32_t offset)
{
    return regfile_get(&ch->units[TRENCH_BLOCK_UDMA_GEN_EX].rf, offset);
}

static uint32_t section_en(const struct channel *ch)
{
    return ex_get(ch, UDMA_GEN_EX_SECTION_CTRL_CFG_V4_SECTION_EN);
}

static uint32_t s2m_get(const struct channel *ch, uint32_t offset)
{
    return regfile_get(&ch->units[TRENCH_BLOCK_UDMA_S2M].rf, offset);
}

/* Buffer 2 of a descriptor, 0 bytes without one. */
static uint32_t buf2_bytes(const struct desc *rx)
{
    if (!(rx->w[0] & DESC_DUAL_BUF)) {
        return 0;
    }
    return ((rx->w[0] & DESC_LEN2_MASK) >> DESC_LEN2_SHIFT) * 64;
}

static const struct section_row *row_of(const struct channel *ch, unsigned q,
                                        unsigned type)
{
    return section_en(ch) & SECTION_EN(VAL) ? &ch->tables->sections[q][type]
                                            : NULL;
}

/* Where a part goes when no row says it: headers to buffer 2. */
static unsigned part_cmd(const struct channel *ch, unsigned type,
                         const struct section_row *row)
{
    unsigned cmd = type == TYPE_HEADER ? CMD_BUFF2 : CMD_BUFF1;

    if (row) {
        cmd = row->write_cmd;
    }
    if (cmd == CMD_DDP && type == TYPE_HEADER &&
        (s2m_get(ch, UDMA_S2M_S2M_WR_DATA_CFG_2) &
         UDMA_S2M_S2M_WR_DATA_CFG_2_DIRECT_HDR_USE_BUF1_MASK)) {
        cmd = CMD_BUFF1;
    }
    return cmd;
}

/* How much of the packet is header, and whether that fits. */
static bool split_header(struct channel *ch, unsigned q, const struct desc *rx)
{
    uint32_t cfg = s2m_get(ch, UDMA_S2M_S2M_Q_PKT_CFG(q));
    uint32_t header = FIELD_GET(UDMA_S2M_S2M_Q_PKT_CFG_HDR_SPLIT_SIZE, cfg);
    uint64_t bytes = ch->m2s[q].packet.bytes;
    uint32_t room = buf2_bytes(rx);
    struct sections *sec = &ch->m2s[q].sections;

    if (!(cfg & UDMA_S2M_S2M_Q_PKT_CFG_FORCE_HDR_SPLIT_MASK)) {
        return true;
    }
    sec->header_left = header < bytes ? header : (uint32_t)bytes;
    if (sec->header_left <= room ||
        part_cmd(ch, TYPE_HEADER, row_of(ch, q, TYPE_HEADER)) != CMD_BUFF2) {
        return true;
    }
    sec->header_left = room; /* what does not fit counts as data */
    return channel_error(
        ch, SEC_GROUP_S2M,
        room ? S2M_CAUSE_HDR_BUF2_SHORT : S2M_CAUSE_HDR_NO_BUF2, rx);
}

bool section_open(struct channel *ch, unsigned q, const struct desc *rx,
                  bool fresh)
{
    struct packet *pkt = &ch->m2s[q].packet;
    struct sections *sec = &ch->m2s[q].sections;
    bool begins = !pkt->sectioned;

    if (begins) {
        *sec = (struct sections){
            .counted = row_of(ch, q, TYPE_DATA) != NULL,
        };
        pkt->sectioned = true;
    }
    return !begins || !fresh || !pkt->rx_first || split_header(ch, q, rx);
}

void section_close(struct channel *ch, unsigned q)
{
    struct sections *sec = &ch->m2s[q].sections;

    sec->fill2 = 0;
    sec->fill_ddp = 0;
    sec->count[0] = 0;
    sec->count[1] = 0;
}

/* The fill of the buffer that a stream writes to. */
static uint32_t *target_fill(struct channel *ch, unsigned q,
                             enum axi_stream stream)
{
    if (stream == AXI_RX_BUF1) {
        return &ch->m2s[q].packet.fill;
    }
    return stream == AXI_RX_BUF2 ? &ch->m2s[q].sections.fill2
                                 : &ch->m2s[q].sections.fill_ddp;
}

static uint64_t drop_addr(const struct channel *ch)
{
    return (uint64_t)ex_get(ch, UDMA_GEN_EX_SECTION_CTRL_DROP_ADDR_MSB) << 32 |
           ex_get(ch, UDMA_GEN_EX_SECTION_CTRL_DROP_ADDR_LSB);
}

static void target_drop(const struct channel *ch, struct target *to)
{
    to->vanish = !(section_en(ch) & SECTION_EN(REMAP_DROP2DDP));
    to->stream = AXI_RX_DDP;
    to->addr = drop_addr(ch);
    to->off = 0;
    to->row = NULL; /* the address is whole as it is */
    to->fixed = true;
}

bool section_target(const struct channel *ch, unsigned q, const struct desc *rx,
                    struct target *to)
{
    const struct packet *pkt = &ch->m2s[q].packet;
    const struct sections *sec = &ch->m2s[q].sections;
    unsigned type = sec->header_left > 0 ? TYPE_HEADER : TYPE_DATA;
    uint64_t left = sec->header_left > 0 ? sec->header_left : pkt->left;
    uint32_t part = left < UINT32_MAX ? (uint32_t)left : UINT32_MAX;
    uint32_t size = desc_len_bytes(rx, pkt->zero_len);

    *to = (struct target){
        .stream = AXI_RX_BUF1,
        .addr = (uint64_t)rx->w[3] << 32 | rx->w[2],
        .off = pkt->fill,
        .sectioned = true,
        .row = row_of(ch, q, type),
    };
    switch (part_cmd(ch, type, to->row)) {
    case CMD_BUFF2:
        to->stream = AXI_RX_BUF2;
        to->addr = (uint64_t)ex_get(ch, UDMA_GEN_EX_VMPR_CFG_VMPR_5(q)) << 32 |
                   rx->w[1];
        to->off = sec->fill2;
        size = buf2_bytes(rx);
        break;
    case CMD_DDP:
        to->stream = AXI_RX_DDP;
        to->off = sec->fill_ddp;
        size = UINT32_MAX;
        break;
    case CMD_DROP:
        target_drop(ch, to);
        size = UINT32_MAX;
        break;
    default:
        break;
    }
    if (to->off >= size) {
        return false;
    }
    to->buffer = size;
    to->room = min_u32(size - to->off, part);
    return true;
}

/* ---- going there --------------------------------------------------------- */

struct axi section_access(const struct channel *ch, unsigned q,
                          const struct target *to)
{
    struct axi a = axi_compose(ch, to->stream, q, to->addr, to->off);
    const struct section_row *row = to->row;
    uint32_t vmid_sel;

    if (to->fixed) {
        a.addr = to->addr;
    }
    if (!row) {
        return a;
    }
    a.addr =
        (uint64_t)pick_bits((uint32_t)(a.addr >> 32), row->msb, row->msb_sel)
            << 32 |
        (uint32_t)a.addr;
    vmid_sel = row->vmid >> 16;
    if (a.vmid != AXI_NO_VMID || vmid_sel != 0xFFFF) {
        uint32_t own = a.vmid == AXI_NO_VMID ? 0 : a.vmid;

        a.vmid = pick_bits(own, row->vmid & 0xFFFF, vmid_sel);
    }
    return a;
}

/* Zeros from the section's end to the next 64 bytes, inside the buffer. */
static void section_pad(struct channel *ch, unsigned q, const struct target *to,
                        uint32_t n)
{
    static const uint8_t zeros[PAD_BYTES];
    struct target end = *to;
    unsigned answer;
    struct axi a;

    end.off += n;
    a = section_access(ch, q, &end);
    a.len = min_u32((uint32_t)(-a.addr % PAD_BYTES), to->buffer - end.off);
    if (a.len == 0) {
        return;
    }
    answer = axi_admit(ch, &a);
    if (answer == 0) {
        answer = axi_answer(
            trench_bus_write(ch->bus, ch->initiator, a.addr, zeros, a.len));
    }
    if (answer) {
        ch->m2s[q].packet.error = true;
        axi_fault(ch, TRENCH_AXI_S2M_DATA_WRITE, q, answer, NULL);
    }
}

/* eos_addr_round_up_cmd: 0 is 8 bytes, each step doubles; 6 and 7 do not. */
static uint32_t round_up_bytes(uint32_t padding)
{
    uint32_t cmd = TABLE_GET(AXI_WRITE_PADDING_EOS_ADDR_ROUND_UP_CMD, padding);

    return cmd < 6 ? 8u << cmd : 1;
}

static void section_end(struct channel *ch, unsigned q, const struct target *to,
                        uint32_t *fill, uint32_t n)
{
    uint32_t unit = round_up_bytes(to->row->padding);

    if ((to->row->padding & TABLE(AXI_WRITE_PADDING_PADDING_CMD_MASK)) ==
        PADDING_CACHE_LINE) {
        section_pad(ch, q, to, n);
    }
    if (section_en(ch) & SECTION_EN(ALLOW_SEC_ADDR_ROUND_UP)) {
        *fill += (uint32_t)(-(to->addr + *fill) % unit);
    }
}

/* count_cmd: which completion length the bytes count in. */
static void section_count(struct sections *sec, const struct section_row *row,
                          uint32_t n, bool begins)
{
    uint32_t field = TABLE_GET(COUNT_CMD_FIELD_SELECTION, row->count_cmd);
    uint32_t *count;

    if (field == 0 || field > ARRAY_LEN(sec->count)) {
        return;
    }
    count = &sec->count[field - 1];
    if (begins && !(row->count_cmd & TABLE(COUNT_CMD_CALC_CMD_MASK))) {
        *count = 0; /* override */
    }
    *count += n;
}

void section_advance(struct channel *ch, unsigned q, const struct target *to,
                     uint32_t n)
{
    const struct packet *pkt = &ch->m2s[q].packet;
    struct sections *sec = &ch->m2s[q].sections;
    uint32_t *fill = target_fill(ch, q, to->stream);
    bool header = sec->header_left > 0;
    bool begins = pkt->left + n == pkt->bytes || sec->data_begins;

    sec->data_begins = false;
    if (header) {
        sec->header_left -= n;
        sec->data_begins = sec->header_left == 0;
    }
    *fill += to->fixed ? 0 : n;
    if (to->row) {
        section_count(sec, to->row, n, begins);
        if (pkt->left == 0 || sec->data_begins) {
            section_end(ch, q, to, fill, n);
        }
    }
}

void section_complete(const struct channel *ch, unsigned q, struct desc *comp)
{
    const struct sections *sec = &ch->m2s[q].sections;
    uint32_t len2 = sec->counted ? sec->count[1] : sec->fill2;
    uint32_t at = *ch->s2m[q].ring.reg.comp_cfg &
                          UDMA_S2M_S2M_Q_COMP_CFG_BUF2_LEN_LOCATION_MASK
                      ? 2
                      : 1;

    if (!ch->m2s[q].packet.sectioned) {
        return;
    }
    if (sec->counted) {
        comp->w[1] = sec->count[0] & DESC_LEN_MASK;
    }
    comp->w[0] |= sec->fill_ddp ? COMP_DDP : 0;
    comp->w[at] |= len2 << COMP_BUF2_LEN_SHIFT & COMP_BUF2_LEN_MASK;
    comp->w[at] |= sec->fill2 ? COMP_BUF2_USED : 0;
}

/* ---- the transaction table ------------------------------------------------
 */

static struct section_row *picked_row(struct channel *ch)
{
    uint32_t addr = ex_get(ch, TABLE(ADDR));

    return &ch->tables->sections[TABLE_GET(ADDR_QUEUE, addr)]
                                [TABLE_GET(ADDR_TRANSACTION_TYPE, addr)];
}

/* A write of the padding word commits all words to the row. */
static void write_padding(void *owner, uint32_t idx, uint32_t written,
                          uint32_t old)
{
    struct channel *ch = owner;

    (void)idx;
    (void)written;
    (void)old;
    *picked_row(ch) = (struct section_row){
        .write_cmd = (uint8_t)ex_get(ch, TABLE(WRITE_CMD)),
        .count_cmd = (uint8_t)ex_get(ch, TABLE(COUNT_CMD)),
        .padding = (uint8_t)ex_get(ch, TABLE(AXI_WRITE_PADDING)),
        .msb = ex_get(ch, TABLE(AXI_MSB_ADDR)),
        .msb_sel = ex_get(ch, TABLE(AXI_MSB_ADDR_SEL)),
        .vmid = ex_get(ch, TABLE(AXI_VMID_VALUES)),
    };
    ch->tables->dirty = true;
}

static void write_init_trig(void *owner, uint32_t idx, uint32_t written,
                            uint32_t old)
{
    struct channel *ch = owner;

    (void)idx;
    (void)old;
    if (written & UDMA_GEN_EX_INIT_TRANSACTION_TABLE_INIT_TRIG_VAL_MASK) {
        memset(ch->tables->sections, 0, sizeof(ch->tables->sections));
        ch->table_init = true;
    }
}

/* Reads 1 once after the trigger, so that a poll has something to see. */
static uint32_t read_init_in_progress(void *owner, uint32_t idx, uint32_t val)
{
    struct channel *ch = owner;

    (void)idx;
    (void)val;
    val = ch->table_init;
    ch->table_init = false;
    return val;
}

static const struct regfile_hook hooks[] = {
    { UDMA_GEN_EX_SECTION_CTRL_CFG_V4_SECTION_EN, NULL, axi_write_replan },
    { UDMA_GEN_EX_INIT_TRANSACTION_TABLE_INIT_TRIG, NULL, write_init_trig },
    { UDMA_GEN_EX_INIT_TRANSACTION_TABLE_INIT_IN_PROGRESS,
      read_init_in_progress, NULL },
    { TABLE(AXI_WRITE_PADDING), NULL, write_padding },
};

const struct hook_list section_hooks = { TRENCH_BLOCK_UDMA_GEN_EX, hooks,
                                         ARRAY_LEN(hooks) };

static const uint32_t used[] = {
    UDMA_GEN_EX_VMPR_CFG_VMPR_5(0),
    UDMA_GEN_EX_SECTION_CTRL_DROP_ADDR_LSB,
    UDMA_GEN_EX_SECTION_CTRL_DROP_ADDR_MSB,
    TABLE(ADDR),
    TABLE(WRITE_CMD),
    TABLE(COUNT_CMD),
    TABLE(AXI_MSB_ADDR),
    TABLE(AXI_MSB_ADDR_SEL),
    TABLE(AXI_VMID_VALUES),
};

const struct use_list section_uses = { TRENCH_BLOCK_UDMA_GEN_EX, used,
                                       ARRAY_LEN(used) };
