/* SPDX-License-Identifier: BSD-3-Clause */
#include "dev/axi_error.h"

#include <string.h>

#include "base/bits.h"
#include "udma_gen_gen.h"

/* ---- causes (udma-engine 3.2, 3.3) --------------------------------------- */

enum {
    CAUSE_NONE = 32
};

/* The secondary causes of a master, by what is wrong with its answer. */
static const struct master_causes {
    enum sec_group group;
    unsigned parity;
    unsigned response;
    unsigned timeout;
} causes[TRENCH_NR_AXI_MASTERS] = {
    [TRENCH_AXI_M2S_DESC_READ] = { SEC_GROUP_M2S, 10, 11, 12 },
    [TRENCH_AXI_M2S_DATA_READ] = { SEC_GROUP_M2S, 7, 8, 9 },
    [TRENCH_AXI_M2S_CMPL_WRITE] = { SEC_GROUP_M2S, 4, 5, 6 },
    [TRENCH_AXI_S2M_DESC_READ] = { SEC_GROUP_S2M, 8, 9, 10 },
    [TRENCH_AXI_S2M_DATA_WRITE] = { SEC_GROUP_S2M, 0, 1, 2 },
    [TRENCH_AXI_S2M_CMPL_WRITE] = { SEC_GROUP_S2M, 13, 14, 15 },
    [TRENCH_AXI_MSIX_WRITE] = { SEC_GROUP_M2S, CAUSE_NONE, 27, 26 },
};

static void raise_causes(struct channel *ch, enum trench_axi_master master,
                         unsigned answer, const struct desc *header)
{
    const struct master_causes *c = &causes[master];

    if ((answer & TRENCH_AXI_PARITY) && c->parity != CAUSE_NONE) {
        channel_error(ch, c->group, c->parity, header);
    }
    if (answer & TRENCH_AXI_DECERR) { /* both response bits */
        channel_error(ch, c->group, c->response, header);
    }
    if (answer & TRENCH_AXI_TIMEOUT) {
        channel_error(ch, c->group, c->timeout, header);
    }
}

/* ---- queue states -------------------------------------------------------- */

#define CFG(name) UDMA_GEN_AXI_QUEUE_CFG_##name##_MASK

/* What a NON_ACTIVE queue does, unless a bit of its cfg masks it. */
static const struct effect {
    size_t bitmap; /* in struct axi_effects */
    uint32_t mask;
    bool rx;
    bool mark; /* also needs mark_pkt */
} effects[] = {
    { offsetof(struct axi_effects, tx_stop_pref),
      CFG(TX_MASK_STOP_DESC_PREFETCH), false, false },
    { offsetof(struct axi_effects, tx_stop_sched), CFG(TX_MASK_STOP_SCHED),
      false, false },
    { offsetof(struct axi_effects, tx_cmpl_error), CFG(TX_MASK_CMPL_ERROR),
      false, true },
    { offsetof(struct axi_effects, tx_stream_error), CFG(TX_MASK_STREAM_ERROR),
      false, true },
    { offsetof(struct axi_effects, rx_stop_pref),
      CFG(RX_MASK_STOP_DESC_PREFETCH), true, false },
    { offsetof(struct axi_effects, rx_drop), CFG(RX_MASK_DROP_STREAM), true,
      false },
    { offsetof(struct axi_effects, rx_cmpl_error), CFG(RX_MASK_CMPL_ERROR),
      true, true },
};

static uint32_t *queue_cfg(struct channel *ch, unsigned q)
{
    return regfile_at(&ch->units[TRENCH_BLOCK_UDMA_GEN].rf,
                      UDMA_GEN_AXI_QUEUE_CFG(q));
}

/* The state bits live in the stored word; read-only for software. */
static void update_effects(struct channel *ch, unsigned q)
{
    uint32_t cfg = *queue_cfg(ch, q);

    for (size_t i = 0; i < ARRAY_LEN(effects); i++) {
        const struct effect *e = &effects[i];
        uint32_t *bitmap =
            (uint32_t *)(void *)((char *)&ch->effects + e->bitmap);
        bool idle = cfg & (e->rx ? CFG(RX_STATE) : CFG(TX_STATE));
        bool marks = cfg & (e->rx ? CFG(RX_MARK_PKT) : CFG(TX_MARK_PKT));

        *bitmap &= ~(1u << q);
        if (idle && !(cfg & e->mask) && (marks || !e->mark)) {
            *bitmap |= 1u << q;
        }
    }
}

static void set_state(struct channel *ch, unsigned q, uint32_t bit, bool idle)
{
    uint32_t *cfg = queue_cfg(ch, q);

    *cfg = idle ? *cfg | bit : *cfg & ~bit;
    update_effects(ch, q);
}

/* ---- tables -------------------------------------------------------------- */

#define ROW(name)    UDMA_GEN_AXI_ERROR_CONTROL_TABLE_DATA_##name##_MASK
#define STATUS_COUNT 28 /* error_occured, above the seven nibbles */

static uint32_t *gen_at(struct channel *ch, uint32_t offset)
{
    return regfile_at(&ch->units[TRENCH_BLOCK_UDMA_GEN].rf, offset);
}

/* The status nibble of the master, and the count up to its ceiling. */
static void note_status(struct channel *ch, enum trench_axi_master master,
                        unsigned q, unsigned answer)
{
    uint32_t *status = gen_at(ch, UDMA_GEN_AXI_QUEUE_ERROR_STATUS(q));
    uint32_t ceiling =
        FIELD_GET(UDMA_GEN_AXI_QUEUE_CFG_MAX_ERROR_OCCURRED, *queue_cfg(ch, q));

    *status |= (uint32_t)answer << 4 * master;
    if (*status >> STATUS_COUNT < ceiling) {
        *status += 1u << STATUS_COUNT;
    }
}

/* Steps 2 to 4 of common-blocks 1.1.5. */
static void apply_tables(struct channel *ch, enum trench_axi_master master,
                         unsigned q, unsigned answer)
{
    uint32_t class = *gen_at(
        ch, UDMA_GEN_AXI_ERROR_DETECTION_TABLE_ADDR0(master) + 4 * answer);
    uint32_t type;
    uint32_t row;

    if (!(class &
          UDMA_GEN_AXI_ERROR_DETECTION_TABLE_ADDR0_ERROR_INDICATION_MASK)) {
        return;
    }
    type =
        FIELD_GET(UDMA_GEN_AXI_ERROR_DETECTION_TABLE_ADDR0_ERROR_TYPE, class);
    row = ch->tables->error_control[master][q << 3 | type];
    if (row & ROW(ENABLE_RX_STOP)) {
        set_state(ch, q, CFG(RX_STATE), true);
    }
    if (row & ROW(ENABLE_TX_STOP)) {
        set_state(ch, q, CFG(TX_STATE), true);
    }
    if (row & ROW(SET_DETECTION_STATUS)) {
        note_status(ch, master, q, answer);
    }
    for (unsigned i = 0; i < INTR_LETTERS; i++) {
        if (FIELD_GET(UDMA_GEN_AXI_ERROR_CONTROL_TABLE_DATA_ENABLE_INT, row) >>
                i &
            1) {
            intr_raise(ch, INTR_AXI_0 + (enum intr_window)master,
                       INTR_A + (enum intr_letter)i, 1u << q);
        }
    }
}

/* A request that was never answered stays counted (common-blocks 1.1.6). */
static void note_outstanding(struct channel *ch, enum trench_axi_master master,
                             unsigned q)
{
    uint32_t *cnt;

    if (master == TRENCH_AXI_MSIX_WRITE) {
        return; /* has no counter */
    }
    cnt = gen_at(ch, UDMA_GEN_AXI_OUTSTANDING_CNT_TX_DESC_READ(q) +
                         4 * (uint32_t)master);
    if (*cnt < UDMA_GEN_AXI_OUTSTANDING_CNT_TX_DESC_READ_VALUE_MASK) {
        *cnt += 1u << UDMA_GEN_AXI_OUTSTANDING_CNT_TX_DESC_READ_VALUE_SHIFT;
    }
}

bool axi_fault(struct channel *ch, enum trench_axi_master master, unsigned q,
               unsigned answer, const struct desc *header)
{
    if (answer & TRENCH_AXI_TIMEOUT) {
        note_outstanding(ch, master, q);
    }
    raise_causes(ch, master, answer, header);
    apply_tables(ch, master, q, answer);
    return channel_goes_on(ch, causes[master].group);
}

void axi_error_reset(struct channel *ch)
{
    ch->effects = (struct axi_effects){ 0 };
    if (ch->tables->dirty) {
        memset(ch->tables, 0, sizeof(*ch->tables));
    }
}

/* ---- registers ----------------------------------------------------------- */

static void write_state_request(void *owner, uint32_t q, uint32_t written,
                                uint32_t old)
{
    /* In the order of the register's bits; NON_ACTIVE wins over ACTIVE. */
    static const uint32_t bits[] = { CFG(RX_STATE), CFG(TX_STATE) };
    struct channel *ch = owner;

    (void)old;
    for (size_t i = 0; i < ARRAY_LEN(bits); i++) {
        uint32_t request = written >> 2 * i & 3;

        if (request) {
            set_state(ch, q, bits[i], request & 2);
        }
    }
    channel_wake(ch, 1u << q);
}

static uint32_t read_error_status(void *owner, uint32_t q, uint32_t val)
{
    *gen_at(owner, UDMA_GEN_AXI_QUEUE_ERROR_STATUS(q)) = 0;
    return val;
}

static void write_queue_cfg(void *owner, uint32_t q, uint32_t written,
                            uint32_t old)
{
    (void)written;
    (void)old;
    update_effects(owner, q);
    channel_wake(owner, 1u << q);
}

static uint8_t *control_row(struct channel *ch, uint32_t master)
{
    uint32_t addr = *gen_at(ch, UDMA_GEN_AXI_ERROR_CONTROL_TABLE_ADDR(master));

    return &ch->tables->error_control[master][addr & (AXI_CONTROL_ROWS - 1)];
}

static void write_table_data(void *owner, uint32_t master, uint32_t written,
                             uint32_t old)
{
    struct channel *ch = owner;

    (void)old;
    *control_row(ch, master) = (uint8_t)written;
    ch->tables->dirty = true;
}

static uint32_t read_table_data(void *owner, uint32_t master, uint32_t val)
{
    (void)val;
    return *control_row(owner, master);
}

static void write_rst_counters(void *owner, uint32_t q, uint32_t written,
                               uint32_t old)
{
    uint32_t first = UDMA_GEN_AXI_OUTSTANDING_CNT_TX_DESC_READ(q);

    (void)old;
    /* Bit 31 is the first counter, bit 26 the sixth. */
    for (uint32_t i = 0; i < 6; i++) {
        if (written >> (31 - i) & 1) {
            *gen_at(owner, first + 4 * i) = 0;
        }
    }
}

static const struct regfile_hook hooks[] = {
    { UDMA_GEN_AXI_QUEUE_STATE_REQUEST(0), NULL, write_state_request },
    { UDMA_GEN_AXI_QUEUE_ERROR_STATUS(0), read_error_status, NULL },
    { UDMA_GEN_AXI_QUEUE_CFG(0), NULL, write_queue_cfg },
    { UDMA_GEN_AXI_ERROR_CONTROL_TABLE_DATA(0), read_table_data,
      write_table_data },
    { UDMA_GEN_AXI_OUTSTANDING_CNT_RST_COUNTERS(0), NULL, write_rst_counters },
};

const struct hook_list axi_error_hooks = { TRENCH_BLOCK_UDMA_GEN, hooks,
                                           ARRAY_LEN(hooks) };

static const uint32_t used[] = {
    UDMA_GEN_AXI_ERROR_DETECTION_TABLE_ADDR0(0),
    UDMA_GEN_AXI_ERROR_DETECTION_TABLE_ADDR1(0),
    UDMA_GEN_AXI_ERROR_DETECTION_TABLE_ADDR2(0),
    UDMA_GEN_AXI_ERROR_DETECTION_TABLE_ADDR3(0),
    UDMA_GEN_AXI_ERROR_DETECTION_TABLE_ADDR4(0),
    UDMA_GEN_AXI_ERROR_DETECTION_TABLE_ADDR5(0),
    UDMA_GEN_AXI_ERROR_DETECTION_TABLE_ADDR6(0),
    UDMA_GEN_AXI_ERROR_DETECTION_TABLE_ADDR7(0),
    UDMA_GEN_AXI_ERROR_DETECTION_TABLE_ADDR8(0),
    UDMA_GEN_AXI_ERROR_DETECTION_TABLE_ADDR9(0),
    UDMA_GEN_AXI_ERROR_DETECTION_TABLE_ADDR10(0),
    UDMA_GEN_AXI_ERROR_DETECTION_TABLE_ADDR11(0),
    UDMA_GEN_AXI_ERROR_DETECTION_TABLE_ADDR12(0),
    UDMA_GEN_AXI_ERROR_DETECTION_TABLE_ADDR13(0),
    UDMA_GEN_AXI_ERROR_DETECTION_TABLE_ADDR14(0),
    UDMA_GEN_AXI_ERROR_DETECTION_TABLE_ADDR15(0),
    UDMA_GEN_AXI_ERROR_CONTROL_TABLE_ADDR(0),
    UDMA_GEN_AXI_OUTSTANDING_CNT_TX_DESC_READ(0),
    UDMA_GEN_AXI_OUTSTANDING_CNT_TX_DATA_READ(0),
    UDMA_GEN_AXI_OUTSTANDING_CNT_TX_CMPL_WRITE(0),
    UDMA_GEN_AXI_OUTSTANDING_CNT_RX_DESC_READ(0),
    UDMA_GEN_AXI_OUTSTANDING_CNT_RX_DATA_WRITE(0),
    UDMA_GEN_AXI_OUTSTANDING_CNT_RX_CMPL_WRITE(0),
};

const struct use_list axi_error_uses = { TRENCH_BLOCK_UDMA_GEN, used,
                                         ARRAY_LEN(used) };
