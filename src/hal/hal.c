/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The engine: start-up sequence of the kernel driver (udma-engine 5.8.1),
 * states and commands (5.1), error causes (3.2, 3.3, 5.6).
 */
#include <trench/hal.h>

#include <assert.h>
#include <stdlib.h>

#include "base/bits.h"
#include "hal/hal_priv.h"

#include "iofic_gen.h"
#include "tdma_model_gen.h"
#include "udma_gen_ex_gen.h"
#include "udma_gen_gen.h"
#include "udma_m2s_gen.h"
#include "udma_s2m_gen.h"

/* The only interface version that this sequence fits (5.8.5 U1). */
#define DMA_VERSION 4u

/* Engines of one broadcast group. */
#define NR_LANES 16

int hal_read(struct trench_hal_engine *engine, enum trench_block_id block,
             uint32_t offset, uint32_t *val)
{
    return engine->ops->read32(engine->opaque, engine->block[block] + offset,
                               val);
}

int hal_write(struct trench_hal_engine *engine, enum trench_block_id block,
              uint32_t offset, uint32_t val)
{
    return engine->ops->write32(engine->opaque, engine->block[block] + offset,
                                val);
}

/*
 * Start-up as rows. The words are those of the driver, taken whole; what a
 * word means is in the comment when its register's name does not say it.
 */
enum row_kind {
    ROW_WRITE, /* value */
    ROW_GEN,   /* the generation's word at offset value; 0 = no register */
    ROW_QUEUE, /* value, to words registers of each queue */
    ROW_TABLE, /* for each queue: entry value | queue, then the word of the
                  generation at offset also into the next register */
    ROW_CLEAR, /* read, drop the bits of value, write */
    ROW_SET,   /* read, add the bits of value, write, also to offset also */
};

struct row {
    enum trench_block_id block;
    uint32_t offset;
    enum row_kind kind;
    uint32_t value;
    uint32_t words;
    uint32_t also; /* 0 = nowhere */
};

/* Rows, once or for each of a row of equal things. */
struct rows {
    const struct row *row;
    size_t nr;
    uint32_t count;
    uint32_t stride; /* added to the offsets from one thing to the next */
};

#define ROWS(rows_)                                                            \
    {                                                                          \
        .row = rows_, .nr = ARRAY_LEN(rows_), .count = 1                       \
    }
#define ROWS_EACH(rows_, count_, stride_)                                      \
    {                                                                          \
        .row = rows_, .nr = ARRAY_LEN(rows_), .count = count_,                 \
        .stride = stride_                                                      \
    }

/* Where: the block and the register in it. */
#define M2S(reg) .block = TRENCH_BLOCK_UDMA_M2S, .offset = UDMA_M2S_##reg
#define S2M(reg) .block = TRENCH_BLOCK_UDMA_S2M, .offset = UDMA_S2M_##reg
#define GEN(reg) .block = TRENCH_BLOCK_UDMA_GEN, .offset = UDMA_GEN_##reg
#define GEN_EX(reg)                                                            \
    .block = TRENCH_BLOCK_UDMA_GEN_EX, .offset = UDMA_GEN_EX_##reg
#define APP(reg) .block = TRENCH_BLOCK_TDMA_MODEL, .offset = TDMA_MODEL_##reg
/* Interrupt groups overlay two windows of the gen block (3.1). */
#define PRIMARY(reg)   (UDMA_GEN_INT_CTRL_BASE_ADDR_WORD(0) + IOFIC_GRP_##reg)
#define SECONDARY(reg) (UDMA_GEN_INT_CTRL_SEC_ADDR_WORD(0) + IOFIC_GRP_##reg)
#define PRI(reg)       .block = TRENCH_BLOCK_UDMA_GEN, .offset = PRIMARY(reg)
#define SEC(reg)       .block = TRENCH_BLOCK_UDMA_GEN, .offset = SECONDARY(reg)
/* What: a word, or one that differs by generation. */
#define WORD(word) .value = (word)
#define GEN_WORD(mem)                                                          \
    .kind = ROW_GEN, .value = offsetof(struct trench_gen_init, mem)
#define QUEUES(n) .kind = ROW_QUEUE, .words = (n), .value = 0xffffffff

/* Groups of the primary and of the secondary controller. */
enum {
    GROUP_A,
    GROUP_B,
    GROUP_C,
    GROUP_D
};

/* Causes of a stale lap tag (3.2 bit 17, 3.3 bit 11). */
#define M2S_RING_ID (1u << 17)
#define S2M_RING_ID (1u << 11)

#define VMPR_STRIDE                                                            \
    (UDMA_GEN_EX_VMPR_V4_CFG_VMPR_V4_0(1) -                                    \
     UDMA_GEN_EX_VMPR_V4_CFG_VMPR_V4_0(0))

static const struct row defaults[] = {
    { M2S(M2S_RD_DATA_CFG), GEN_WORD(m2s_data_cfg) },
    { M2S(AXI_M2S_OSTAND_CFG), GEN_WORD(m2s_ostand_cfg) },
    { GEN(AXI_CFG_1), WORD(0x05f5e100) },
    { M2S(M2S_COMP_CFG_APPLICATION_ACK), WORD(0) }, /* wait for ever */
    { M2S(M2S_CFG_LEN), WORD(0x010fffff) },         /* length 0 means 65,536 */
    { M2S(M2S_STREAM_CFG), WORD(0x00000102) },
    { GEN_EX(VMPR_V4_CFG_VMPR_V4_0(0)), QUEUES(1) }, /* full TX addresses */
    { M2S(AXI_M2S_DATA_RD_CFG), WORD(0x00010008) },
    { S2M(S2M_COMP_CFG_APPLICATION_ACK), WORD(0) },
    { GEN_EX(VMPR_V4_CFG_VMPR_V4_1(0)), QUEUES(3) }, /* full RX addresses */
    { S2M(AXI_S2M_OSTAND_CFG_RD), GEN_WORD(s2m_ostand_cfg_rd) },
    { S2M(AXI_S2M_OSTAND_CFG_WR), GEN_WORD(s2m_ostand_cfg_wr) },
    { S2M(AXI_S2M_OSTAND_CFG_WR + 4), GEN_WORD(s2m_ostand_wr_next) },
    /* Completion heads move without completion rings too (B12). */
    { GEN(SPARE_REG_ZEROES0), .kind = ROW_CLEAR, .value = 1 },
    /* Error interrupts, first those of M2S, then those of S2M. */
    { SEC(INT_CONTROL_GRP(GROUP_A)), WORD(0x28) },
    { PRI(INT_CONTROL_GRP(GROUP_D)), WORD(0x28) },
    { SEC(INT_ABORT_MSK_GRP(GROUP_A)), WORD(0xf0000000) },
    { SEC(INT_ABORT_MSK_GRP(GROUP_C)), WORD(0xffffffc0) },
    { SEC(INT_MASK_CLEAR_GRP(GROUP_A)), WORD(0xf0000000) },
    { SEC(INT_MASK_CLEAR_GRP(GROUP_C)), WORD(0xffffffc0) },
    { PRI(INT_MASK_CLEAR_GRP(GROUP_D)), WORD(0xfffffaff) },
    { SEC(INT_CONTROL_GRP(GROUP_B)), WORD(0x28) },
    { PRI(INT_CONTROL_GRP(GROUP_D)), WORD(0x28) },
    { SEC(INT_ABORT_MSK_GRP(GROUP_B)), WORD(0x000010f8) },
    { SEC(INT_ABORT_MSK_GRP(GROUP_C)), WORD(0xfffff03f) },
    { SEC(INT_MASK_CLEAR_GRP(GROUP_B)), WORD(0x000010f8) },
    { SEC(INT_MASK_CLEAR_GRP(GROUP_C)), WORD(0xfffff03f) },
    { PRI(INT_MASK_CLEAR_GRP(GROUP_D)), WORD(0xfffff9ff) },
    { S2M(S2M_COMP_CFG_1C), WORD(0x00001004) },        /* 16-byte completions */
    { M2S(M2S_RD_DESC_PREF_CFG_2), WORD(0x00010041) }, /* 65 descriptors */
    { M2S(M2S_RD_DESC_PREF_CFG_3), WORD(0x00004181) },
    { S2M(S2M_RD_DESC_PREF_CFG_3), WORD(0x00004181) },
    { M2S(AXI_M2S_DESC_RD_CFG_3), WORD(0x00010008) },
    { S2M(AXI_S2M_DESC_RD_CFG_3), WORD(0x00010008) },
    { APP(TDMA_TDMA_ROB_CFG), WORD(1) },
    { APP(TDMA_TDMA_WOB_CFG), WORD(1) },
    { APP(TDMA_TDMA_EVENT_ACCEL), WORD(1) },
    { APP(ROBERT_TXDF), GEN_WORD(rob_txdf) },
};

/* The table's entries for a response error, a timeout, and both. */
static const struct row axi_detect[] = {
    { GEN(AXI_ERROR_DETECTION_TABLE_ADDR1(0)), GEN_WORD(axi_error_entry) },
    { GEN(AXI_ERROR_DETECTION_TABLE_ADDR2(0)), GEN_WORD(axi_error_entry) },
    { GEN(AXI_ERROR_DETECTION_TABLE_ADDR3(0)), GEN_WORD(axi_error_entry) },
    { GEN(AXI_ERROR_DETECTION_TABLE_ADDR9(0)), GEN_WORD(axi_error_entry) },
    { GEN(AXI_ERROR_DETECTION_TABLE_ADDR10(0)), GEN_WORD(axi_error_entry) },
    { GEN(AXI_ERROR_DETECTION_TABLE_ADDR11(0)), GEN_WORD(axi_error_entry) },
};

static const struct row axi_control[] = {
    { GEN(AXI_ERROR_CONTROL_TABLE_ADDR(0)), .kind = ROW_TABLE, .value = 7,
      .also = offsetof(struct trench_gen_init, axi_error_action) },
};

/* Interrupt group of one AXI master (3.7, iofic_base_*). */
#define AXI_GROUP(reg)                                                         \
    .block = TRENCH_BLOCK_UDMA_GEN,                                            \
    .offset = UDMA_GEN_INT_CTRL0_WORD(0) + IOFIC_GRP_##reg(0)

static const struct row axi_group[] = {
    { AXI_GROUP(INT_CONTROL_GRP), WORD(0x28) },
    { AXI_GROUP(INT_ABORT_MSK_GRP), WORD(0) },
    { AXI_GROUP(INT_MASK_CLEAR_GRP), WORD(0) },
};

static const struct row axi_end[] = {
    { GEN(AXI_CFG_1), GEN_WORD(axi_timeout) },
};

/* Masters that the error policy covers: all but the one of MSI-X. */
#define NR_AXI_MASTERS 6
#define AXI_GROUP_STRIDE                                                       \
    (UDMA_GEN_INT_CTRL1_WORD(0) - UDMA_GEN_INT_CTRL0_WORD(0))

/* Step 3 of sunda: an AXI error stops the engine. */
static const struct rows axi_policy[] = {
    ROWS_EACH(axi_detect, NR_AXI_MASTERS,
              UDMA_GEN_AXI_ERROR_DETECTION_TABLE_STRIDE),
    ROWS_EACH(axi_control, NR_AXI_MASTERS, UDMA_GEN_AXI_ERROR_CONTROL_STRIDE),
    ROWS_EACH(axi_group, NR_AXI_MASTERS, AXI_GROUP_STRIDE),
    ROWS(axi_end),
};

/*
 * Step 3 of cayman: a stale lap tag neither interrupts, nor aborts, nor is
 * logged. Lines 3.3 and 3.4 of the sheet silence an interrupt controller
 * outside the channel, which is not the driver library's to touch.
 */
static const struct row ring_id[] = {
    { SEC(INT_MASK_GRP(GROUP_A)), .kind = ROW_SET, .value = M2S_RING_ID,
      .also = SECONDARY(INT_ABORT_MSK_GRP(GROUP_A)) },
    { SEC(INT_MASK_GRP(GROUP_B)), .kind = ROW_SET, .value = S2M_RING_ID,
      .also = SECONDARY(INT_ABORT_MSK_GRP(GROUP_B)) },
    { M2S(M2S_ERR_LOG_MASK), .kind = ROW_SET, .value = M2S_RING_ID },
    { S2M(S2M_ERR_LOG_MASK), .kind = ROW_SET, .value = S2M_RING_ID },
};

static const struct rows start[] = { ROWS(defaults) };
static const struct rows ignore_ring_id[] = { ROWS(ring_id) };

static uint32_t gen_word(const struct trench_gen *gen, uint32_t offset)
{
    return *(const uint32_t *)(const void *)((const char *)&gen->init + offset);
}

static int write_queues(struct trench_hal_engine *engine, const struct row *row)
{
    int err;

    for (uint32_t q = 0; q < TRENCH_NR_QUEUES; q++) {
        for (uint32_t w = 0; w < row->words; w++) {
            err = hal_write(engine, row->block,
                            row->offset + q * VMPR_STRIDE + 4 * w, row->value);
            if (err) {
                return err;
            }
        }
    }
    return 0;
}

static int write_table(struct trench_hal_engine *engine, const struct row *row)
{
    int err = 0;

    for (uint32_t q = 0; q < TRENCH_NR_QUEUES && !err; q++) {
        err = hal_write(engine, row->block, row->offset, q << 3 | row->value);
        if (!err) {
            err = hal_write(engine, row->block, row->offset + 4,
                            gen_word(engine->gen, row->also));
        }
    }
    return err;
}

static int modify(struct trench_hal_engine *engine, const struct row *row)
{
    uint32_t val;
    int err;

    err = hal_read(engine, row->block, row->offset, &val);
    if (err) {
        return err;
    }
    val = row->kind == ROW_SET ? val | row->value : val & ~row->value;
    err = hal_write(engine, row->block, row->offset, val);
    if (!err && row->also) {
        err = hal_write(engine, row->block, row->also, val);
    }
    return err;
}

static int run_row(struct trench_hal_engine *engine, const struct row *row)
{
    uint32_t val;

    switch (row->kind) {
    case ROW_WRITE:
        return hal_write(engine, row->block, row->offset, row->value);
    case ROW_GEN:
        val = gen_word(engine->gen, row->value);
        return val ? hal_write(engine, row->block, row->offset, val) : 0;
    case ROW_QUEUE:
        return write_queues(engine, row);
    case ROW_TABLE:
        return write_table(engine, row);
    case ROW_CLEAR:
    case ROW_SET:
        return modify(engine, row);
    }
    assert(!"row kind");
    return TRENCH_ERR_INVAL;
}

static int run_each(struct trench_hal_engine *engine, const struct rows *rows)
{
    int err = 0;

    for (uint32_t i = 0; i < rows->count && !err; i++) {
        for (size_t r = 0; r < rows->nr && !err; r++) {
            struct row row = rows->row[r];

            row.offset += i * rows->stride;
            err = run_row(engine, &row);
        }
    }
    return err;
}

static int run_rows(struct trench_hal_engine *engine, const struct rows *rows,
                    size_t nr)
{
    int err = 0;

    for (size_t i = 0; i < nr && !err; i++) {
        err = run_each(engine, &rows[i]);
    }
    return err;
}

/*
 * Step 0: group g holds the lanes 0 .. 15 - g, and some lanes end a chain of
 * the broadcast (address-map 4.8).
 */
static int write_bcast_groups(struct trench_hal_engine *engine, unsigned lane)
{
    uint32_t last = engine->gen->init.bcast_last_lanes >> lane & 1;
    int err;

    err = hal_write(engine, TRENCH_BLOCK_TDMA_MODEL,
                    TDMA_MODEL_TDMA_BROADCAST_CFG_GROUP, 0xFFFFu >> lane);
    if (err) {
        return err;
    }
    return hal_write(engine, TRENCH_BLOCK_TDMA_MODEL,
                     TDMA_MODEL_TDMA_BROADCAST_CFG_LAST_NODE,
                     last ? 0xFFFFu : 0);
}

/* Step 1: the shadows are empty, so this writes the enables alone. */
static int enable_queues(struct trench_hal_engine *engine)
{
    const struct hal_side *side;
    int err;

    for (uint32_t q = 0; q < TRENCH_NR_QUEUES; q++) {
        for (size_t s = 0; s < HAL_NR_SIDES; s++) {
            side = &hal_sides[s];
            err =
                hal_write(engine, side->block, side->cfg_reg + q * side->stride,
                          engine->cfg_shadow[s][q] | side->cfg_enable);
            if (err) {
                return err;
            }
        }
    }
    return 0;
}

/* What the driver takes cfg for from now on, on both sides alike. */
static void set_shadows(struct trench_hal_engine *engine)
{
    const uint32_t cfg = 3u << UDMA_M2S_M2S_Q_CFG_AXI_AWCACHE_COMP_SHIFT;

    for (size_t s = 0; s < HAL_NR_SIDES; s++) {
        for (size_t q = 0; q < TRENCH_NR_QUEUES; q++) {
            engine->cfg_shadow[s][q] = cfg;
        }
    }
}

/* Steps 0 to 3. */
static int program(struct trench_hal_engine *engine,
                   const struct trench_hal_engine_conf *conf)
{
    const struct trench_gen_init *init = &engine->gen->init;
    int err = 0;

    if (conf->in_core && init->bcast_last_lanes) {
        err = write_bcast_groups(engine, conf->lane);
    }
    if (!err) {
        err = enable_queues(engine);
    }
    if (!err) {
        err = run_rows(engine, start, ARRAY_LEN(start));
    }
    set_shadows(engine);
    if (!err && init->axi_error_entry) {
        err = run_rows(engine, axi_policy, ARRAY_LEN(axi_policy));
    }
    if (!err && conf->ignore_ring_id) {
        err = run_rows(engine, ignore_ring_id, ARRAY_LEN(ignore_ring_id));
    }
    return err;
}

static int engine_start(struct trench_hal_engine *engine,
                        const struct trench_hal_engine_conf *conf)
{
    uint32_t version;
    int err;

    err = hal_read(engine, TRENCH_BLOCK_UDMA_M2S,
                   UDMA_M2S_M2S_FEATURE_DMA_VERSION, &version);
    if (err) {
        return err;
    }
    if (version != DMA_VERSION) {
        return TRENCH_ERR_NODEV;
    }
    err = program(engine, conf);
    if (err) {
        return err;
    }
    /*
     * The driver leaves this out because power-on runs (B9). An engine that
     * was closed or has aborted does not (B8).
     */
    return trench_hal_engine_command(engine, TRENCH_HAL_CMD_NORMAL);
}

/* Every block of the channel that the driver touches has an address. */
static int find_blocks(struct trench_hal_engine *engine,
                       const struct trench_hal_engine_conf *conf)
{
    static const enum trench_block_id needed[] = {
        TRENCH_BLOCK_UDMA_M2S,   TRENCH_BLOCK_UDMA_S2M,
        TRENCH_BLOCK_UDMA_GEN,   TRENCH_BLOCK_UDMA_GEN_EX,
        TRENCH_BLOCK_TDMA_MODEL,
    };
    const struct trench_gen *gen = engine->gen;
    bool found[TRENCH_NR_CHANNEL_BLOCKS] = { false };

    for (size_t i = 0; i < gen->nr_units; i++) {
        const struct trench_gen_unit *u = &gen->units[i];

        if (u->part > 0 && (conf->app_base == 0 || conf->app_base % 4 != 0)) {
            return TRENCH_ERR_INVAL;
        }
        engine->block[u->block] =
            (u->part > 0 ? conf->app_base : conf->base) + u->offset;
        found[u->block] = true;
    }
    for (size_t i = 0; i < ARRAY_LEN(needed); i++) {
        if (!found[needed[i]]) {
            return TRENCH_ERR_NODEV;
        }
    }
    return 0;
}

static bool ops_are_complete(const struct trench_hal_ops *ops)
{
    return ops && ops->read32 && ops->write32 && ops->mem_alloc &&
           ops->mem_free && ops->now_ns;
}

int trench_hal_engine_open(const struct trench_hal_engine_conf *conf,
                           struct trench_hal_engine **out)
{
    struct trench_hal_engine *engine;
    int err;

    if (!ops_are_complete(conf->ops) || conf->lane >= NR_LANES) {
        return TRENCH_ERR_INVAL;
    }
    engine = calloc(1, sizeof(*engine));
    if (!engine) {
        return TRENCH_ERR_NOMEM;
    }
    engine->ops = conf->ops;
    engine->opaque = conf->opaque;
    engine->gen = conf->gen ? conf->gen : trench_gen_find(NULL);
    err = find_blocks(engine, conf);
    if (!err) {
        err = engine_start(engine, conf);
    }
    if (err) {
        free(engine);
        return err;
    }
    *out = engine;
    return 0;
}

void trench_hal_engine_close(struct trench_hal_engine *engine)
{
    if (!engine) {
        return;
    }
    for (size_t q = 0; q < TRENCH_NR_QUEUES; q++) {
        assert(!engine->queue_open[q]);
    }
    (void)trench_hal_engine_command(engine, TRENCH_HAL_CMD_DISABLE);
    free(engine);
}

int trench_hal_engine_command(struct trench_hal_engine *engine,
                              enum trench_hal_command command)
{
    uint32_t word = 0;
    int err;

    switch (command) {
    case TRENCH_HAL_CMD_NORMAL:
        word = UDMA_M2S_M2S_CHANGE_STATE_NORMAL_MASK;
        break;
    case TRENCH_HAL_CMD_DISABLE:
        word = UDMA_M2S_M2S_CHANGE_STATE_DIS_MASK;
        break;
    case TRENCH_HAL_CMD_ABORT:
        word = UDMA_M2S_M2S_CHANGE_STATE_ABORT_MASK;
        break;
    }
    if (word == 0) {
        return TRENCH_ERR_INVAL; /* a caller's enum may hold anything */
    }
    err = hal_write(engine, TRENCH_BLOCK_UDMA_M2S, UDMA_M2S_M2S_CHANGE_STATE,
                    word);
    if (!err) {
        err = hal_write(engine, TRENCH_BLOCK_UDMA_S2M,
                        UDMA_S2M_S2M_CHANGE_STATE, word);
    }
    return err;
}

/*
 * The receive stream is off when its three stop bits are set and no queue
 * accepts packets. When the two disagree it counts as on (B5).
 */
static int rx_stream_is_off(struct trench_hal_engine *engine, bool *out)
{
    const uint32_t stop = UDMA_S2M_S2M_STREAM_CFG_DISABLE_MASK |
                          UDMA_S2M_S2M_STREAM_CFG_FLUSH_MASK |
                          UDMA_S2M_S2M_STREAM_CFG_STOP_PREFETCH_MASK;
    uint32_t val;
    bool off;
    int err;

    err =
        hal_read(engine, TRENCH_BLOCK_UDMA_S2M, UDMA_S2M_S2M_STREAM_CFG, &val);
    if (err) {
        return err;
    }
    off = (val & stop) == stop;
    for (uint32_t q = 0; q < TRENCH_NR_QUEUES && off; q++) {
        err = hal_read(engine, TRENCH_BLOCK_UDMA_S2M, UDMA_S2M_S2M_Q_CFG(q),
                       &val);
        if (err) {
            return err;
        }
        off = !(val & UDMA_S2M_S2M_Q_CFG_EN_STREAM_MASK);
    }
    *out = off;
    return 0;
}

/*
 * A 2-bit code of each sub-engine; the driver folds these four. axi_wr_data,
 * which only S2M has, is not looked at.
 */
static enum trench_hal_state fold(uint32_t m2s, uint32_t s2m)
{
    static const uint32_t shifts[] = {
        UDMA_M2S_M2S_STATE_COMP_CTRL_SHIFT,
        UDMA_M2S_M2S_STATE_STREAM_IF_SHIFT,
        UDMA_M2S_M2S_STATE_DATA_RD_CTRL_SHIFT,
        UDMA_M2S_M2S_STATE_DESC_PREF_SHIFT,
    };
    enum trench_hal_state state = TRENCH_HAL_IDLE;

    for (size_t i = 0; i < ARRAY_LEN(shifts); i++) {
        uint32_t tx = m2s >> shifts[i] & 3u;
        uint32_t rx = s2m >> shifts[i] & 3u;

        if (tx == TRENCH_HAL_ABORT || rx == TRENCH_HAL_ABORT) {
            return TRENCH_HAL_ABORT;
        }
        if (tx == TRENCH_HAL_NORMAL || rx == TRENCH_HAL_NORMAL) {
            state = TRENCH_HAL_NORMAL;
        }
    }
    return state;
}

/* The codes of the registers are the values of the enum (B1). */
static_assert(TRENCH_HAL_IDLE == 0 && TRENCH_HAL_NORMAL == 1 &&
                  TRENCH_HAL_ABORT == 2,
              "state codes");
/* fold() reads both sides with the shifts of one. */
static_assert(UDMA_M2S_M2S_STATE_COMP_CTRL_SHIFT ==
                      UDMA_S2M_S2M_STATE_COMP_CTRL_SHIFT &&
                  UDMA_M2S_M2S_STATE_STREAM_IF_SHIFT ==
                      UDMA_S2M_S2M_STATE_STREAM_IF_SHIFT &&
                  UDMA_M2S_M2S_STATE_DATA_RD_CTRL_SHIFT ==
                      UDMA_S2M_S2M_STATE_DATA_WR_CTRL_SHIFT &&
                  UDMA_M2S_M2S_STATE_DESC_PREF_SHIFT ==
                      UDMA_S2M_S2M_STATE_DESC_PREF_SHIFT,
              "state fields");

int trench_hal_engine_state(struct trench_hal_engine *engine,
                            enum trench_hal_state *out)
{
    uint32_t m2s, s2m;
    bool off;
    int err;

    err = hal_read(engine, TRENCH_BLOCK_UDMA_M2S, UDMA_M2S_M2S_STATE, &m2s);
    if (!err) {
        err = hal_read(engine, TRENCH_BLOCK_UDMA_S2M, UDMA_S2M_S2M_STATE, &s2m);
    }
    if (!err) {
        err = rx_stream_is_off(engine, &off);
    }
    if (err) {
        return err;
    }
    if (off) { /* packets may wait at a closed stream for ever */
        s2m &= ~UDMA_S2M_S2M_STATE_STREAM_IF_MASK;
    }
    *out = fold(m2s, s2m);
    return 0;
}

static int read_errors(struct trench_hal_engine *engine,
                       struct trench_hal_errors *errors)
{
    const struct {
        enum trench_block_id block;
        uint32_t offset;
        uint32_t *val;
    } regs[] = {
        { SEC(INT_CAUSE_GRP(GROUP_A)), &errors->m2s },
        { SEC(INT_CAUSE_GRP(GROUP_B)), &errors->s2m },
        { M2S(M2S_LOG_0), &errors->log[0] },
        { M2S(M2S_LOG_1), &errors->log[1] },
        { M2S(M2S_LOG_2), &errors->log[2] },
        { M2S(M2S_LOG_3), &errors->log[3] },
        { S2M(S2M_LOG_0), &errors->log[4] },
        { S2M(S2M_LOG_1), &errors->log[5] },
        { S2M(S2M_LOG_2), &errors->log[6] },
        { S2M(S2M_LOG_3), &errors->log[7] },
    };
    int err = 0;

    for (size_t i = 0; i < ARRAY_LEN(regs) && !err; i++) {
        err = hal_read(engine, regs[i].block, regs[i].offset, regs[i].val);
    }
    return err;
}

int trench_hal_engine_take_errors(struct trench_hal_engine *engine,
                                  struct trench_hal_errors *out)
{
    struct trench_hal_errors errors;
    int err;

    err = read_errors(engine, &errors);
    if (!err) {
        /* A written 0 clears; causes that came after the read stay (3.1). */
        const struct row words[] = {
            { SEC(INT_CAUSE_GRP(GROUP_A)), WORD(~errors.m2s) },
            { SEC(INT_CAUSE_GRP(GROUP_B)), WORD(~errors.s2m) },
            { M2S(M2S_CLEAR_ERR_LOG), WORD(1) },
            { S2M(S2M_CLEAR_ERR_LOG), WORD(1) },
        };
        const struct rows clear = ROWS(words);

        err = run_rows(engine, &clear, 1);
    }
    if (!err) {
        *out = errors;
    }
    return err;
}
