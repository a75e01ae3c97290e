/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Published facts about the cayman register blocks, as test tables. They are
 * typed from the sources named above each table, never from regs/. Those of
 * M2S and S2M have headers of their own.
 */
#ifndef TRENCH_TEST_PUBLISHED_H
#define TRENCH_TEST_PUBLISHED_H

#include <stdint.h>

#include <trench/csr.h>

/* What a census row counts. */
enum census_kind {
    NR_BUNDLES,
    NR_REGS,
    NR_FIELDS,
    NR_INSTS,
    REG_RO,
    REG_RW,
    REG_WO,
    FIELD_RO,
    FIELD_RW,
    FIELD_WO,
    NR_CENSUS_KINDS,
};

static const char *const census_names[NR_CENSUS_KINDS] = {
    "bundles",      "registers",    "fields",    "instances", "RO registers",
    "RW registers", "WO registers", "RO fields", "RW fields", "WO fields",
};

/*
 * known is what our schema holds and is asserted exactly. It differs from
 * published only where the public pages do not say enough to tell which field
 * is meant; the row then says what is missing.
 */
struct census_row {
    enum trench_block_id block;
    enum census_kind kind;
    int published;
    int known;
    const char *gap; /* NULL when known == published */
};

/*
 * Seed 002 section 1, table "Counts re-derived", for the three common
 * blocks; the udma_m2s and udma_s2m pages of the same wiki for the others
 * (facts, common-blocks 5.3 and udma-engine).
 */
static const struct census_row census[] = {
    { TRENCH_BLOCK_UDMA_GEN, NR_BUNDLES, 22, 22, NULL },
    { TRENCH_BLOCK_UDMA_GEN, NR_REGS, 69, 69, NULL },
    { TRENCH_BLOCK_UDMA_GEN, NR_FIELDS, 203, 203, NULL },
    { TRENCH_BLOCK_UDMA_GEN, NR_INSTS, 2956, 2956, NULL },
    { TRENCH_BLOCK_UDMA_GEN, REG_RO, 11, 11, NULL },
    { TRENCH_BLOCK_UDMA_GEN, REG_RW, 55, 55, NULL },
    { TRENCH_BLOCK_UDMA_GEN, REG_WO, 3, 3, NULL },
    { TRENCH_BLOCK_UDMA_GEN, FIELD_RO, 79, 80,
      "one unnamed reserved range is RW (common-blocks 1.1.3)" },
    { TRENCH_BLOCK_UDMA_GEN, FIELD_RW, 109, 108,
      "one unnamed reserved range is RW (common-blocks 1.1.3)" },
    { TRENCH_BLOCK_UDMA_GEN, FIELD_WO, 15, 15, NULL },

    { TRENCH_BLOCK_UDMA_GEN_EX, NR_BUNDLES, 5, 5, NULL },
    { TRENCH_BLOCK_UDMA_GEN_EX, NR_REGS, 29, 29, NULL },
    { TRENCH_BLOCK_UDMA_GEN_EX, NR_FIELDS, 68, 68, NULL },
    { TRENCH_BLOCK_UDMA_GEN_EX, NR_INSTS, 284, 284, NULL },
    { TRENCH_BLOCK_UDMA_GEN_EX, REG_RO, 1, 1, NULL },
    { TRENCH_BLOCK_UDMA_GEN_EX, REG_RW, 28, 28, NULL },
    { TRENCH_BLOCK_UDMA_GEN_EX, REG_WO, 0, 0, NULL },
    { TRENCH_BLOCK_UDMA_GEN_EX, FIELD_RO, 15, 15, NULL },
    { TRENCH_BLOCK_UDMA_GEN_EX, FIELD_RW, 53, 53, NULL },
    { TRENCH_BLOCK_UDMA_GEN_EX, FIELD_WO, 0, 0, NULL },

    { TRENCH_BLOCK_TDMA_MODEL, NR_BUNDLES, 8, 8, NULL },
    { TRENCH_BLOCK_TDMA_MODEL, NR_REGS, 44, 44, NULL },
    { TRENCH_BLOCK_TDMA_MODEL, NR_FIELDS, 59, 59, NULL },
    { TRENCH_BLOCK_TDMA_MODEL, NR_INSTS, 148, 148, NULL },
    { TRENCH_BLOCK_TDMA_MODEL, REG_RO, 4, 4, NULL },
    { TRENCH_BLOCK_TDMA_MODEL, REG_RW, 40, 40, NULL },
    { TRENCH_BLOCK_TDMA_MODEL, REG_WO, 0, 0, NULL },
    { TRENCH_BLOCK_TDMA_MODEL, FIELD_RO, 11, 11, NULL },
    { TRENCH_BLOCK_TDMA_MODEL, FIELD_RW, 48, 48, NULL },
    { TRENCH_BLOCK_TDMA_MODEL, FIELD_WO, 0, 0, NULL },

    { TRENCH_BLOCK_UDMA_M2S, NR_BUNDLES, 11, 11, NULL },
    { TRENCH_BLOCK_UDMA_M2S, NR_REGS, 100, 100, NULL },
    { TRENCH_BLOCK_UDMA_M2S, NR_FIELDS, 325, 326,
      "unnamed ranges are not listed (udma-engine 0.4)" },
    { TRENCH_BLOCK_UDMA_M2S, NR_INSTS, 550, 550, NULL },
    { TRENCH_BLOCK_UDMA_M2S, REG_RO, 27, 27, NULL },
    { TRENCH_BLOCK_UDMA_M2S, REG_RW, 64, 66,
      "which 2 of 4 control registers are WO is open (udma-engine 0.4)" },
    { TRENCH_BLOCK_UDMA_M2S, REG_WO, 9, 7,
      "which 2 of 4 control registers are WO is open (udma-engine 0.4)" },
    { TRENCH_BLOCK_UDMA_M2S, FIELD_RO, 152, 167,
      "unnamed ranges are not listed (udma-engine 0.4)" },
    { TRENCH_BLOCK_UDMA_M2S, FIELD_RW, 148, 138,
      "unnamed ranges are not listed (udma-engine 0.4)" },
    { TRENCH_BLOCK_UDMA_M2S, FIELD_WO, 25, 21,
      "which 2 of 4 control registers are WO is open (udma-engine 0.4)" },

    { TRENCH_BLOCK_UDMA_S2M, NR_BUNDLES, 8, 8, NULL },
    { TRENCH_BLOCK_UDMA_S2M, NR_REGS, 73, 73, NULL },
    { TRENCH_BLOCK_UDMA_S2M, NR_FIELDS, 264, 263,
      "unnamed ranges are not listed (udma-engine 0.4)" },
    { TRENCH_BLOCK_UDMA_S2M, NR_INSTS, 373, 373, NULL },
    { TRENCH_BLOCK_UDMA_S2M, REG_RO, 25, 25, NULL },
    { TRENCH_BLOCK_UDMA_S2M, REG_RW, 44, 44, NULL },
    { TRENCH_BLOCK_UDMA_S2M, REG_WO, 4, 4, NULL },
    { TRENCH_BLOCK_UDMA_S2M, FIELD_RO, 146, 154,
      "unnamed ranges are not listed (udma-engine 0.4)" },
    { TRENCH_BLOCK_UDMA_S2M, FIELD_RW, 102, 93,
      "unnamed ranges are not listed (udma-engine 0.4)" },
    { TRENCH_BLOCK_UDMA_S2M, FIELD_WO, 16, 16, NULL },

    /* common-blocks 3.2, 3.3 and 3.4.1. */
    { TRENCH_BLOCK_CME, NR_REGS, 1, 1, NULL },
    { TRENCH_BLOCK_CME, NR_FIELDS, 3, 3, NULL },
    { TRENCH_BLOCK_DRE, NR_REGS, 6, 6, NULL },
    { TRENCH_BLOCK_DRE, NR_FIELDS, 23, 23, NULL },
    { TRENCH_BLOCK_CCE, NR_REGS, 14, 14, NULL },
    { TRENCH_BLOCK_CCE, NR_FIELDS, 16, 16, NULL },
};

struct bundle_row {
    enum trench_block_id block;
    const char *name;
    uint32_t base;
    uint32_t end;
    uint32_t count;
    uint32_t stride;
    uint32_t nr_regs;
};

/* Seed 002 tables 3.1 (int_ctrl0..6 share one row there), 4.1 and 5.2. */
static const struct bundle_row bundles[] = {
    { TRENCH_BLOCK_UDMA_GEN, "int_ctrl_base_addr", 0x0, 0x2000, 2048, 4, 1 },
    { TRENCH_BLOCK_UDMA_GEN, "int_ctrl_sec_addr", 0x2000, 0x2100, 64, 4, 1 },
    { TRENCH_BLOCK_UDMA_GEN, "DMA_misc", 0x2100, 0x2200, 1, 256, 9 },
    { TRENCH_BLOCK_UDMA_GEN, "Mailbox", 0x2200, 0x2300, 4, 64, 3 },
    { TRENCH_BLOCK_UDMA_GEN, "AXI", 0x2300, 0x2400, 1, 256, 3 },
    { TRENCH_BLOCK_UDMA_GEN, "SRAM_ctrl", 0x2400, 0x2464, 25, 4, 1 },
    { TRENCH_BLOCK_UDMA_GEN, "vmid", 0x2500, 0x2504, 1, 4, 1 },
    { TRENCH_BLOCK_UDMA_GEN, "VMADDR", 0x2600, 0x2700, 16, 16, 3 },
    { TRENCH_BLOCK_UDMA_GEN, "axi_outstanding_cnt", 0x2700, 0x28c0, 16, 28, 7 },
    { TRENCH_BLOCK_UDMA_GEN, "axi_error_detection_table", 0x2900, 0x2ac0, 7, 64,
      16 },
    { TRENCH_BLOCK_UDMA_GEN, "axi_error_control", 0x2b00, 0x2b38, 7, 8, 2 },
    { TRENCH_BLOCK_UDMA_GEN, "axi_queue", 0x2c00, 0x2cc0, 16, 12, 3 },
    { TRENCH_BLOCK_UDMA_GEN, "int_ctrl0", 0x2d00, 0x2e00, 64, 4, 1 },
    { TRENCH_BLOCK_UDMA_GEN, "int_ctrl1", 0x2e00, 0x2f00, 64, 4, 1 },
    { TRENCH_BLOCK_UDMA_GEN, "int_ctrl2", 0x2f00, 0x3000, 64, 4, 1 },
    { TRENCH_BLOCK_UDMA_GEN, "int_ctrl3", 0x3000, 0x3100, 64, 4, 1 },
    { TRENCH_BLOCK_UDMA_GEN, "int_ctrl4", 0x3100, 0x3200, 64, 4, 1 },
    { TRENCH_BLOCK_UDMA_GEN, "int_ctrl5", 0x3200, 0x3300, 64, 4, 1 },
    { TRENCH_BLOCK_UDMA_GEN, "int_ctrl6", 0x3300, 0x3400, 64, 4, 1 },
    { TRENCH_BLOCK_UDMA_GEN, "pmu", 0x3400, 0x3410, 1, 16, 4 },
    { TRENCH_BLOCK_UDMA_GEN, "init_memory", 0x3420, 0x3440, 1, 32, 4 },
    { TRENCH_BLOCK_UDMA_GEN, "spare_reg", 0x3460, 0x3470, 1, 16, 4 },

    { TRENCH_BLOCK_UDMA_GEN_EX, "VMPR", 0x000, 0x400, 16, 64, 13 },
    { TRENCH_BLOCK_UDMA_GEN_EX, "VMPR_V4", 0x400, 0x800, 16, 64, 4 },
    { TRENCH_BLOCK_UDMA_GEN_EX, "section_ctrl", 0x800, 0x810, 1, 16, 3 },
    { TRENCH_BLOCK_UDMA_GEN_EX, "init_transaction_table", 0x820, 0x828, 1, 8,
      2 },
    { TRENCH_BLOCK_UDMA_GEN_EX, "transaction_type_table", 0xc00, 0xc1c, 1, 28,
      7 },

    { TRENCH_BLOCK_TDMA_MODEL, "tdma", 0x000, 0x200, 1, 0x200, 11 },
    { TRENCH_BLOCK_TDMA_MODEL, "notific_cfg_per_queue", 0x200, 0x380, 16, 0x18,
      6 },
    { TRENCH_BLOCK_TDMA_MODEL, "notific_cfg_fabric_trigger", 0x500, 0x560, 2,
      0x30, 12 },
    { TRENCH_BLOCK_TDMA_MODEL, "app_engine_status", 0x600, 0x624, 1, 0x24, 5 },
    { TRENCH_BLOCK_TDMA_MODEL, "notific_cfg", 0x700, 0x724, 1, 0x24, 3 },
    { TRENCH_BLOCK_TDMA_MODEL, "robert", 0x800, 0x880, 1, 0x80, 4 },
    { TRENCH_BLOCK_TDMA_MODEL, "spares", 0x900, 0x910, 2, 0x8, 2 },
    { TRENCH_BLOCK_TDMA_MODEL, "strongly_ordered_write", 0x980, 0x984, 1, 0x4,
      1 },

    /* common-blocks 3.2, 3.3, 3.4.1; where no size is given, that of ours. */
    { TRENCH_BLOCK_CME, "cme", 0x0, 0x4, 1, 0x4, 1 },
    { TRENCH_BLOCK_DRE, "custom_transpose", 0x0, 0x20, 8, 0x4, 1 },
    { TRENCH_BLOCK_DRE, "dre_buffer_access", 0x100, 0x150, 1, 0x50, 3 },
    { TRENCH_BLOCK_DRE, "spares", 0x200, 0x210, 2, 0x8, 2 },
    { TRENCH_BLOCK_CCE, "cce_fma_cfg", 0x0, 0x4, 1, 0x4, 1 },
    { TRENCH_BLOCK_CCE, "cce_fma_const", 0x10, 0x18, 1, 0x8, 2 },
    { TRENCH_BLOCK_CCE, "cce_buffer_access", 0x100, 0x10c, 1, 0xc, 3 },
    { TRENCH_BLOCK_CCE, "debug", 0x200, 0x218, 1, 0x18, 6 },
    { TRENCH_BLOCK_CCE, "spares", 0x300, 0x310, 2, 0x8, 2 },
};

/* What a source leaves open; never a valid bit, access type or reset here. */
#define ANY (-1)

struct field_row {
    enum trench_block_id block;
    uint32_t offset; /* in the block, array index 0; ANY_OFFSET = not said */
    const char *reg; /* "bundle.register" */
    const char *field;
    int msb; /* or ANY, then lsb too */
    int lsb;
    int access;    /* enum trench_csr_access of the field, or ANY */
    int64_t reset; /* or ANY */
};

#define ANY_OFFSET UINT32_MAX
#define GEN        TRENCH_BLOCK_UDMA_GEN
#define GEN_EX     TRENCH_BLOCK_UDMA_GEN_EX
#define TDMA       TRENCH_BLOCK_TDMA_MODEL
#define CME        TRENCH_BLOCK_CME
#define DRE        TRENCH_BLOCK_DRE
#define CCE        TRENCH_BLOCK_CCE
#define DRE        TRENCH_BLOCK_DRE
#define RO         TRENCH_CSR_RO
#define RW         TRENCH_CSR_RW
#define WO         TRENCH_CSR_WO

static const struct field_row fields[] = {
    /* Seed 002 section 3.2. */
    { GEN, 0x2104, "DMA_misc.revision", "major_id", 31, 24, RO, 0x1c },
    { GEN, 0x2104, "DMA_misc.revision", "minor_id", 23, 12, RO, 0x360 },
    { GEN, 0x2104, "DMA_misc.revision", "programming_id", 11, 0, RO, 0x03 },

    /* Section 3.3. */
    { GEN, 0x2300, "AXI.cfg_1", "tout", 31, 0, RW, 0x2710 },
    { GEN, 0x2304, "AXI.cfg_2", "arb_promotion", 3, 0, RW, 0x8 },
    { GEN, 0x2308, "AXI.endian_cfg", "swap_64b_en", 4, 4, RW, 0 },
    { GEN, 0x2308, "AXI.endian_cfg", "swap_s2m_data", 3, 3, RW, 0 },
    { GEN, 0x2308, "AXI.endian_cfg", "swap_s2m_desc", 2, 2, RW, 0 },
    { GEN, 0x2308, "AXI.endian_cfg", "swap_m2s_data", 1, 1, RW, 0 },
    { GEN, 0x2308, "AXI.endian_cfg", "swap_m2s_desc", 0, 0, RW, 0 },
    { GEN, 0x2100, "DMA_misc.int_cfg", "msix_axi_qos", 6, 4, RW, ANY },
    { GEN, 0x2100, "DMA_misc.int_cfg", "msix_64", 0, 0, RW, ANY },
    { GEN, 0x2c08, "axi_queue.cfg", "tx_mask_stream_error", 21, 21, WO, ANY },
    { GEN, 0x2c08, "axi_queue.cfg", "tx_mask_cmpl_error", 20, 20, RW, ANY },
    { GEN, 0x2c08, "axi_queue.cfg", "tx_mask_stop_sched", 19, 19, RW, ANY },
    { GEN, 0x2c08, "axi_queue.cfg", "tx_mask_stop_desc_prefetch", 18, 18, RW,
      ANY },
    { GEN, 0x2c08, "axi_queue.cfg", "tx_mark_pkt", 17, 16, RW, 0x1 },
    { GEN, 0x2c08, "axi_queue.cfg", "tx_state", 12, 12, RO, ANY },
    { GEN, 0x2c08, "axi_queue.cfg", "rx_mask_cmpl_error", 8, 8, RW, ANY },
    { GEN, 0x2c08, "axi_queue.cfg", "rx_mask_drop_stream", 7, 7, RW, ANY },
    { GEN, 0x2c08, "axi_queue.cfg", "rx_mask_stop_desc_prefetch", 6, 6, RW,
      ANY },
    { GEN, 0x2c08, "axi_queue.cfg", "rx_mark_pkt", 5, 4, RW, 0x1 },
    { GEN, 0x2c08, "axi_queue.cfg", "rx_state", 0, 0, RO, ANY },

    /* Section 3.4. */
    { GEN, 0x2200, "Mailbox.Interrupt", "set", 0, 0, WO, ANY },
    { GEN, 0x2204, "Mailbox.msg_out", "data", 31, 0, RW, ANY },
    { GEN, 0x2208, "Mailbox.msg_in", "data", 31, 0, RO, ANY },
    { GEN, 0x211c, "DMA_misc.abort_ctl", "mask_app_abort", 1, 1, ANY, ANY },
    { GEN, 0x211c, "DMA_misc.abort_ctl", "mask_local_abort", 0, 0, ANY, ANY },
    { GEN, ANY_OFFSET, "axi_outstanding_cnt.tx_desc_read", "value", 31, 24, RO,
      ANY },
    { GEN, ANY_OFFSET, "axi_outstanding_cnt.tx_data_read", "value", 31, 24, RO,
      ANY },
    { GEN, ANY_OFFSET, "axi_outstanding_cnt.tx_cmpl_write", "value", 31, 24, RO,
      ANY },
    { GEN, ANY_OFFSET, "axi_outstanding_cnt.rx_desc_read", "value", 31, 24, RO,
      ANY },
    { GEN, ANY_OFFSET, "axi_outstanding_cnt.rx_data_write", "value", 31, 24, RO,
      ANY },
    { GEN, ANY_OFFSET, "axi_outstanding_cnt.rx_cmpl_write", "value", 31, 24, RO,
      ANY },
    { GEN, ANY_OFFSET, "pmu.rx_hdr", "inuse_high_th", ANY, ANY, ANY, ANY },
    { GEN, ANY_OFFSET, "pmu.rx_hdr", "inuse_low_th", ANY, ANY, ANY, ANY },
    { GEN, ANY_OFFSET, "pmu.rx_data", "inuse_high_th", ANY, ANY, ANY, ANY },
    { GEN, ANY_OFFSET, "pmu.rx_data", "inuse_low_th", ANY, ANY, ANY, ANY },

    /* Sections 3.1 and 3.4; bits and access from common-blocks 1.1. */
    { GEN, 0x2120, "DMA_misc.bw_bug_fixes", "rx_data_build_fsm", 0, 0, RW,
      ANY },
    { GEN, 0x2120, "DMA_misc.bw_bug_fixes", "rx_pref_fifo", 1, 1, RW, ANY },
    { GEN, 0x2120, "DMA_misc.bw_bug_fixes", "tx_streamer_fsm", 2, 2, RW, ANY },
    { GEN, 0x340c, "pmu.rx_drop", "q0", 3, 0, RW, ANY },
    { GEN, 0x340c, "pmu.rx_drop", "q1", 11, 8, RW, ANY },
    { GEN, 0x340c, "pmu.rx_drop", "q2", 19, 16, RW, ANY },
    { GEN, 0x340c, "pmu.rx_drop", "q3", 27, 24, RW, ANY },
    { GEN, 0x3420, "init_memory.rx_init_trigger", "cmpl_mem0", 0, 0, RW, 0 },
    { GEN, 0x3420, "init_memory.rx_init_trigger", "cmpl_mem1", 1, 1, RW, 0 },
    { GEN, 0x3424, "init_memory.rx_init_in_progress", "cmpl_mem1", 0, 0, RO,
      0 },
    { GEN, 0x3424, "init_memory.rx_init_in_progress", "cmpl_mem0", 1, 1, RO,
      0 },
    { GEN, 0x3428, "init_memory.tx_init_trigger", "cmpl_mem0", 0, 0, RW, 0 },
    { GEN, 0x3428, "init_memory.tx_init_trigger", "cmpl_mem1", 1, 1, RW, 0 },
    { GEN, 0x342c, "init_memory.tx_init_in_progress", "cmpl_mem1", 0, 0, RO,
      0 },
    { GEN, 0x342c, "init_memory.tx_init_in_progress", "cmpl_mem0", 1, 1, RO,
      0 },

    /* Section 6: the widths that sunda does not have. */
    { GEN, ANY_OFFSET, "pmu.tx_data", "inuse_high_th", 28, 16, ANY, ANY },
    { GEN, ANY_OFFSET, "pmu.tx_data", "inuse_low_th", 12, 0, ANY, ANY },

    /* Section 4.2; "all reset 0x0" covers VMPR and VMPR_V4. */
    { GEN_EX, 0x00, "VMPR.cfg_vmpr_0", "tx_q_cmpl_vmid_en", 29, 29, RW, 0 },
    { GEN_EX, 0x00, "VMPR.cfg_vmpr_0", "tx_q_pref_vmid_en", 28, 28, RW, 0 },
    { GEN_EX, 0x00, "VMPR.cfg_vmpr_0", "tx_q_data_vmid_en", 7, 7, RW, 0 },
    { GEN_EX, 0x00, "VMPR.cfg_vmpr_0", "tx_q_hisel", 5, 0, RW, 0 },
    { GEN_EX, 0x04, "VMPR.cfg_vmpr_1", "tx_q_vmaddr_hi", 31, 0, RW, 0 },
    { GEN_EX, 0x08, "VMPR.cfg_vmpr_2", "tx_q_cmpl_vmid", 31, 16, RW, 0 },
    { GEN_EX, 0x08, "VMPR.cfg_vmpr_2", "tx_q_pref_vmid", 15, 0, RW, 0 },
    { GEN_EX, 0x0c, "VMPR.cfg_vmpr_3", "tx_q_data_vmid_sel", 31, 16, RW, 0 },
    { GEN_EX, 0x0c, "VMPR.cfg_vmpr_3", "tx_q_data_vmid", 15, 0, RW, 0 },
    { GEN_EX, 0x10, "VMPR.cfg_vmpr_4", "rx_q_cmpl_vmid_en", 29, 29, RW, 0 },
    { GEN_EX, 0x10, "VMPR.cfg_vmpr_4", "rx_q_pref_vmid_en", 28, 28, RW, 0 },
    { GEN_EX, 0x10, "VMPR.cfg_vmpr_4", "rx_q_buf2_msb_addr_sel", 27, 24, RW,
      0 },
    { GEN_EX, 0x10, "VMPR.cfg_vmpr_4", "rx_q_ddp_vmid_en", 23, 23, RW, 0 },
    { GEN_EX, 0x10, "VMPR.cfg_vmpr_4", "rx_q_ddp_hisel", 21, 16, RW, 0 },
    { GEN_EX, 0x10, "VMPR.cfg_vmpr_4", "rx_q_buf2_vmid_en", 15, 15, RW, 0 },
    { GEN_EX, 0x10, "VMPR.cfg_vmpr_4", "rx_q_buf2_hisel", 13, 8, RW, 0 },
    { GEN_EX, 0x10, "VMPR.cfg_vmpr_4", "rx_q_buf1_vmid_en", 7, 7, RW, 0 },
    { GEN_EX, 0x10, "VMPR.cfg_vmpr_4", "rx_q_buf1_hisel", 5, 0, RW, 0 },
    { GEN_EX, 0x14, "VMPR.cfg_vmpr_5", "rx_q_buf2_msb_addr", 31, 0, RW, 0 },
    /* "RX cmpl/pref/buf1/buf2/ddp VMID + select pairs"; common-blocks 1.2. */
    { GEN_EX, 0x18, "VMPR.cfg_vmpr_6", "rx_q_cmpl_vmid", 31, 16, RW, 0 },
    { GEN_EX, 0x18, "VMPR.cfg_vmpr_6", "rx_q_pref_vmid", 15, 0, RW, 0 },
    { GEN_EX, 0x1c, "VMPR.cfg_vmpr_7", "rx_q_buf1_vmid_sel", 31, 16, RW, 0 },
    { GEN_EX, 0x1c, "VMPR.cfg_vmpr_7", "rx_q_buf1_vmid", 15, 0, RW, 0 },
    { GEN_EX, 0x20, "VMPR.cfg_vmpr_8", "rx_q_buf2_vmid_sel", 31, 16, RW, 0 },
    { GEN_EX, 0x20, "VMPR.cfg_vmpr_8", "rx_q_buf2_vmid", 15, 0, RW, 0 },
    { GEN_EX, 0x24, "VMPR.cfg_vmpr_9", "rx_q_ddp_vmid_sel", 31, 16, RW, 0 },
    { GEN_EX, 0x24, "VMPR.cfg_vmpr_9", "rx_q_ddp_vmid", 15, 0, RW, 0 },
    { GEN_EX, 0x28, "VMPR.cfg_vmpr_10", "rx_q_buf1_vmaddr_hi", ANY, ANY, RW,
      0 },
    { GEN_EX, 0x2c, "VMPR.cfg_vmpr_11", "rx_q_buf2_vmaddr_hi", ANY, ANY, RW,
      0 },
    { GEN_EX, 0x30, "VMPR.cfg_vmpr_12", "rx_q_ddp_vmaddr_hi", ANY, ANY, RW, 0 },
    { GEN_EX, ANY_OFFSET, "VMPR_V4.cfg_vmpr_v4_0", "tx_q_vmaddr_hi_sel", ANY,
      ANY, RW, 0 },
    { GEN_EX, ANY_OFFSET, "VMPR_V4.cfg_vmpr_v4_1", "rx_q_buf1_vmaddr_hi_sel",
      ANY, ANY, RW, 0 },
    { GEN_EX, ANY_OFFSET, "VMPR_V4.cfg_vmpr_v4_2", "rx_q_buf2_vmaddr_hi_sel",
      ANY, ANY, RW, 0 },
    { GEN_EX, ANY_OFFSET, "VMPR_V4.cfg_vmpr_v4_3", "rx_q_ddp_vmaddr_hi_sel",
      ANY, ANY, RW, 0 },
    { GEN_EX, ANY_OFFSET, "section_ctrl.cfg_v4_section_en",
      "allow_sec_addr_round_up", 2, 2, ANY, ANY },
    { GEN_EX, ANY_OFFSET, "section_ctrl.cfg_v4_section_en", "remap_drop2ddp", 1,
      1, ANY, ANY },
    { GEN_EX, ANY_OFFSET, "section_ctrl.cfg_v4_section_en", "val", 0, 0, ANY,
      ANY },
    { GEN_EX, ANY_OFFSET, "section_ctrl.drop_addr_lsb", "val", 31, 0, ANY, 0 },
    { GEN_EX, ANY_OFFSET, "section_ctrl.drop_addr_msb", "val", 31, 0, ANY,
      0xdeadbeef },
    { GEN_EX, ANY_OFFSET, "transaction_type_table.addr", "queue", 8, 5, ANY,
      ANY },
    { GEN_EX, ANY_OFFSET, "transaction_type_table.addr", "transaction_type", 4,
      0, ANY, ANY },
    { GEN_EX, ANY_OFFSET, "transaction_type_table.write_cmd", "val", 1, 0, ANY,
      ANY },
    { GEN_EX, ANY_OFFSET, "transaction_type_table.count_cmd", "field_selection",
      2, 1, ANY, ANY },
    { GEN_EX, ANY_OFFSET, "transaction_type_table.count_cmd", "calc_cmd", 0, 0,
      ANY, ANY },
    { GEN_EX, ANY_OFFSET, "transaction_type_table.axi_write_padding",
      "eos_addr_round_up_cmd", 6, 4, ANY, ANY },
    { GEN_EX, ANY_OFFSET, "transaction_type_table.axi_write_padding",
      "eos_wstrb_cmd", 3, 3, ANY, ANY },
    { GEN_EX, ANY_OFFSET, "transaction_type_table.axi_write_padding",
      "sos_wstrb_cmd", 2, 2, ANY, ANY },
    { GEN_EX, ANY_OFFSET, "transaction_type_table.axi_write_padding",
      "padding_cmd", 1, 0, ANY, ANY },

    /* Section 5.3. */
    { TDMA, 0x00, "tdma.tdma_event_accel", "en", 0, 0, ANY, 0 },
    { TDMA, 0x14, "tdma.tdma_stat_0", "num_set", ANY, ANY, RO, ANY },
    { TDMA, 0x18, "tdma.tdma_stat_1", "num_clr", ANY, ANY, RO, ANY },
    { TDMA, 0x1c, "tdma.tdma_rob_cfg", "powerdown", 31, 31, ANY, ANY },
    { TDMA, 0x1c, "tdma.tdma_rob_cfg", "rid_base", 12, 4, ANY, ANY },
    { TDMA, 0x1c, "tdma.tdma_rob_cfg", "use_rid_base", 3, 3, ANY, ANY },
    { TDMA, 0x1c, "tdma.tdma_rob_cfg", "clear", 2, 2, ANY, ANY },
    { TDMA, 0x1c, "tdma.tdma_rob_cfg", "force_inorder", 1, 1, ANY, ANY },
    { TDMA, 0x1c, "tdma.tdma_rob_cfg", "en", 0, 0, ANY, ANY },
    { TDMA, 0x20, "tdma.tdma_wob_cfg", "wid_base", 10, 4, ANY, ANY },
    { TDMA, 0x20, "tdma.tdma_wob_cfg", "use_wid_base", 3, 3, ANY, ANY },
    { TDMA, 0x20, "tdma.tdma_wob_cfg", "clear", 2, 2, ANY, ANY },
    { TDMA, 0x20, "tdma.tdma_wob_cfg", "force_inorder", 1, 1, ANY, ANY },
    { TDMA, 0x20, "tdma.tdma_wob_cfg", "en", 0, 0, ANY, ANY },
    { TDMA, 0x100, "tdma.broadcast_cfg_group", "group", 15, 0, ANY, 0xffff },
    { TDMA, 0x104, "tdma.broadcast_cfg_last_node", "last_node", 15, 0, ANY, 0 },
    { TDMA, 0x200, "notific_cfg_per_queue.m2s_trigger", "trigger_en", 16, 16,
      ANY, ANY },
    { TDMA, 0x200, "notific_cfg_per_queue.m2s_trigger", "trigger_cnt", 15, 0,
      ANY, ANY },
    { TDMA, 0x204, "notific_cfg_per_queue.m2s_crc_init", "value", 31, 0, ANY,
      0xffffffff },
    { TDMA, 0x208, "notific_cfg_per_queue.m2s_sw_queue", "id", 3, 0, ANY, ANY },
    { TDMA, 0x20c, "notific_cfg_per_queue.s2m_trigger", "trigger_en", 16, 16,
      ANY, ANY },
    { TDMA, 0x20c, "notific_cfg_per_queue.s2m_trigger", "trigger_cnt", 15, 0,
      ANY, ANY },
    { TDMA, 0x210, "notific_cfg_per_queue.s2m_crc_init", "value", 31, 0, ANY,
      0xffffffff },
    { TDMA, 0x214, "notific_cfg_per_queue.s2m_sw_queue", "id", 3, 0, ANY, ANY },
    /* "one bit per queue, [15:0]"; the field's name is ours. */
    { TDMA, 0x600, "app_engine_status.cme_packets_inflight", "val", 15, 0, ANY,
      ANY },
    { TDMA, 0x604, "app_engine_status.dre_packets_inflight", "val", 15, 0, ANY,
      ANY },
    { TDMA, 0x608, "app_engine_status.cce_packets_inflight", "val", 15, 0, ANY,
      ANY },
    { TDMA, 0x60c, "app_engine_status.ats_packets_inflight", "val", 15, 0, ANY,
      ANY },
    { TDMA, 0x620, "app_engine_status.dmb_packets_inflight", "val", 15, 0, ANY,
      ANY },
    { TDMA, 0x700, "notific_cfg.stall", "m2s_sop_eop_en", ANY, ANY, ANY, 1 },
    { TDMA, 0x700, "notific_cfg.stall", "s2m_sop_eop_en", ANY, ANY, ANY, 1 },
    { TDMA, 0x700, "notific_cfg.stall", "s2m_cmpl_en", ANY, ANY, ANY, 1 },
    { TDMA, 0x720, "notific_cfg.timestamp", "delta", 23, 0, ANY, 0x400 },
    { TDMA, 0x800, "robert.txdf", "overhead_beats_outstanding", 9, 0, RW,
      0x14 },
    { TDMA, 0x810, "robert.data_requests_outstanding", "count", 9, 0, RO, ANY },
    { TDMA, 0x814, "robert.descriptor_requests_outstanding", "m2s_count", 9, 0,
      ANY, ANY },
    { TDMA, 0x814, "robert.descriptor_requests_outstanding", "s2m_count", 25,
      16, ANY, ANY },
    { TDMA, 0x818, "robert.responses_cached", "count", 9, 0, RO, ANY },
    { TDMA, 0x980, "strongly_ordered_write.cfg", "bypass_enable", 0, 0, ANY,
      ANY },
    { TDMA, 0x980, "strongly_ordered_write.cfg", "clear", 4, 4, ANY, ANY },

    /* common-blocks 3.2, 3.3 and 3.4.1. */
    { CME, 0x0, "cme.cfg", "mul_cmd_en", 0, 0, RW, 1 },
    { CME, 0x0, "cme.cfg", "hold_pipe_when_error", 1, 1, RW, 0 },
    { CME, 0x0, "cme.cfg", "fifo_ack_enable", 6, 2, RW, 0x1f },
    { DRE, 0x0, "custom_transpose.command", "x_stride_inc_x", 0, 0, RW, 0 },
    { DRE, 0x0, "custom_transpose.command", "x_stride_inc_y", 1, 1, RW, 0 },
    { DRE, 0x0, "custom_transpose.command", "x_stride_inc_z", 2, 2, RW, 0 },
    { DRE, 0x0, "custom_transpose.command", "x_stride_inc_w", 3, 3, RW, 0 },
    { DRE, 0x0, "custom_transpose.command", "x_rows_inc_x", 8, 8, RW, 0 },
    { DRE, 0x0, "custom_transpose.command", "x_rows_inc_y", 9, 9, RW, 0 },
    { DRE, 0x0, "custom_transpose.command", "x_rows_inc_z", 10, 10, RW, 0 },
    { DRE, 0x0, "custom_transpose.command", "x_rows_inc_w", 11, 11, RW, 0 },
    { DRE, 0x0, "custom_transpose.command", "y_stride_inc_x", 16, 16, RW, 0 },
    { DRE, 0x0, "custom_transpose.command", "y_stride_inc_y", 17, 17, RW, 0 },
    { DRE, 0x0, "custom_transpose.command", "y_stride_inc_z", 18, 18, RW, 0 },
    { DRE, 0x0, "custom_transpose.command", "y_stride_inc_w", 19, 19, RW, 0 },
    { DRE, 0x0, "custom_transpose.command", "y_rows_inc_x", 24, 24, RW, 0 },
    { DRE, 0x0, "custom_transpose.command", "y_rows_inc_y", 25, 25, RW, 0 },
    { DRE, 0x0, "custom_transpose.command", "y_rows_inc_z", 26, 26, RW, 0 },
    { DRE, 0x0, "custom_transpose.command", "y_rows_inc_w", 27, 27, RW, 0 },
    { DRE, ANY_OFFSET, "dre_buffer_access.addr", "buffer_row_index", 4, 0, ANY,
      ANY },
    { DRE, ANY_OFFSET, "dre_buffer_access.addr", "buffer_index", 5, 5, ANY,
      ANY },
    { DRE, ANY_OFFSET, "dre_buffer_access.addr", "bank_index", 9, 6, ANY, ANY },
    { DRE, ANY_OFFSET, "dre_buffer_access.initiate_write", "valid", 0, 0, WO,
      ANY },
    { DRE, ANY_OFFSET, "dre_buffer_access.initiate_read", "valid", 0, 0, WO,
      ANY },
    { CCE, 0x0, "cce_fma_cfg.absolute_value_clipping", "use_absolute_value", 0,
      0, RW, 0 },
    { CCE, ANY_OFFSET, "cce_fma_const.fp32_zero", "fp32_zero", 31, 0, RW,
      0x80000000 },
    { CCE, ANY_OFFSET, "cce_fma_const.fp32_one", "fp32_one", 31, 0, RW,
      0x3f800000 },
    { CCE, ANY_OFFSET, "cce_buffer_access.addr", "row_index", 6, 0, RW, 0 },
    { CCE, ANY_OFFSET, "cce_buffer_access.initiate_write", "valid", ANY, ANY,
      WO, 0 },
    { CCE, ANY_OFFSET, "cce_buffer_access.initiate_read", "valid", ANY, ANY, WO,
      0 },
    { CCE, ANY_OFFSET, "debug.decompression_info_bytes", "uncompressed", 31, 16,
      RO, 0 },
    { CCE, ANY_OFFSET, "debug.decompression_info_bytes", "compressed", 15, 0,
      RO, 0 },
    { CCE, ANY_OFFSET, "debug.decompression_info_data_types", "input_data_type",
      3, 0, RO, 0 },
    { CCE, ANY_OFFSET, "debug.decompression_info_data_types",
      "output_data_type", 11, 8, RO, 0 },
};

struct reg_row {
    enum trench_block_id block;
    uint32_t offset; /* in the block, array index 0 */
    const char *reg; /* "bundle.register" */
    int access;      /* of the register, as published, or ANY */
    int64_t reset;   /* or ANY */
};

/* Whole registers, where a source gives a word or a register's access. */
static const struct reg_row regs[] = {
    /* Seed 002 section 3.2; sections 3.4 and 6 for the access types. */
    { GEN, 0x2104, "DMA_misc.revision", RO, 0x1c360003 },
    { GEN, 0x2200, "Mailbox.Interrupt", WO, ANY },
    { GEN, 0x2718, "axi_outstanding_cnt.rst_counters", WO, ANY },
    { GEN, 0x2c00, "axi_queue.state_request", ANY, ANY },
    { GEN, 0x2c04, "axi_queue.error_status", ANY, ANY },
    /* Both mark_pkt fields are 1, section 3.3. */
    { GEN, 0x2c08, "axi_queue.cfg", RW, 0x10010 },
    /* Section 3.1; places of general_cfg from common-blocks 1.1. */
    { GEN, 0x2108, "DMA_misc.general_cfg_1", RW, ANY },
    { GEN, 0x210c, "DMA_misc.general_cfg_2", RW, ANY },
    { GEN, 0x2110, "DMA_misc.general_cfg_3", RW, ANY },
    { GEN, 0x2114, "DMA_misc.general_cfg_4", RW, ANY },
    { GEN, 0x2118, "DMA_misc.general_cfg_5", RW, ANY },
    { GEN, 0x211c, "DMA_misc.abort_ctl", ANY, ANY },
    { GEN, 0x2120, "DMA_misc.bw_bug_fixes", RW, ANY },
    { GEN, 0x3400, "pmu.rx_hdr", ANY, ANY },
    { GEN, 0x3404, "pmu.rx_data", ANY, ANY },
    { GEN, 0x3408, "pmu.tx_data", ANY, ANY },
    { GEN, 0x340c, "pmu.rx_drop", RW, ANY },
    { GEN, 0x3420, "init_memory.rx_init_trigger", RW, 0 },
    { GEN, 0x3424, "init_memory.rx_init_in_progress", RO, 0 },
    { GEN, 0x3428, "init_memory.tx_init_trigger", RW, 0 },
    { GEN, 0x342c, "init_memory.tx_init_in_progress", RO, 0 },
    /* Section 4.2. */
    { GEN_EX, 0x18, "VMPR.cfg_vmpr_6", RW, 0 },
    { GEN_EX, 0x1c, "VMPR.cfg_vmpr_7", RW, 0 },
    { GEN_EX, 0x20, "VMPR.cfg_vmpr_8", RW, 0 },
    { GEN_EX, 0x24, "VMPR.cfg_vmpr_9", RW, 0 },
    { GEN_EX, 0x800, "section_ctrl.cfg_v4_section_en", ANY, ANY },
    { GEN_EX, 0x804, "section_ctrl.drop_addr_lsb", ANY, 0 },
    { GEN_EX, 0x808, "section_ctrl.drop_addr_msb", ANY, 0xdeadbeef },
    /* Section 5.3. */
    { TDMA, 0x04, "tdma.tdma_set_event_accel_cfg_0", ANY, 0x4 },
    { TDMA, 0x08, "tdma.tdma_set_event_accel_cfg_1", ANY, 0x90 },
    { TDMA, 0x0c, "tdma.tdma_clr_event_accel_cfg_0", ANY, 0x0 },
    { TDMA, 0x10, "tdma.tdma_clr_event_accel_cfg_1", ANY, 0x90 },
    { TDMA, 0x14, "tdma.tdma_stat_0", RO, ANY },
    { TDMA, 0x18, "tdma.tdma_stat_1", RO, ANY },
    /* The places in the bundle are those of common-blocks 1.3. */
    { TDMA, 0x500, "notific_cfg_fabric_trigger.axi_req_trigger", RW, ANY },
    { TDMA, 0x504, "notific_cfg_fabric_trigger.axi_req_id_mask", RW, ANY },
    { TDMA, 0x508, "notific_cfg_fabric_trigger.axi_req_id_cmp", RW, ANY },
    { TDMA, 0x50c, "notific_cfg_fabric_trigger.axi_req_sw_queue", RW, ANY },
    { TDMA, 0x510, "notific_cfg_fabric_trigger.axi_rsp_trigger", RW, ANY },
    { TDMA, 0x514, "notific_cfg_fabric_trigger.axi_rsp_id_mask", RW, ANY },
    { TDMA, 0x518, "notific_cfg_fabric_trigger.axi_rsp_id_cmp", RW, ANY },
    { TDMA, 0x51c, "notific_cfg_fabric_trigger.axi_rsp_sw_queue", RW, ANY },
    { TDMA, 0x520, "notific_cfg_fabric_trigger.apb_req_trigger", RW, ANY },
    { TDMA, 0x524, "notific_cfg_fabric_trigger.apb_req_addr_mask", RW, ANY },
    { TDMA, 0x528, "notific_cfg_fabric_trigger.apb_req_addr_cmp", RW, ANY },
    { TDMA, 0x52c, "notific_cfg_fabric_trigger.apb_req_sw_queue", RW, ANY },
    { TDMA, 0x600, "app_engine_status.cme_packets_inflight", RW, ANY },
    { TDMA, 0x604, "app_engine_status.dre_packets_inflight", RW, ANY },
    { TDMA, 0x608, "app_engine_status.cce_packets_inflight", RW, ANY },
    { TDMA, 0x60c, "app_engine_status.ats_packets_inflight", RW, ANY },
    { TDMA, 0x620, "app_engine_status.dmb_packets_inflight", RW, ANY },
    { TDMA, 0x800, "robert.txdf", RW, 0x14 },
    { TDMA, 0x810, "robert.data_requests_outstanding", RO, ANY },
    { TDMA, 0x814, "robert.descriptor_requests_outstanding", RW, ANY },
    { TDMA, 0x818, "robert.responses_cached", RO, ANY },
    { TDMA, 0x900, "spares.spare_zeros", RW, 0x0 },
    { TDMA, 0x904, "spares.spare_ones", RW, 0xffffffff },
};

#undef GEN
#undef GEN_EX
#undef TDMA
#undef CME
#undef DRE
#undef CCE
#undef DRE
#undef RO
#undef RW
#undef WO

#endif /* TRENCH_TEST_PUBLISHED_H */
