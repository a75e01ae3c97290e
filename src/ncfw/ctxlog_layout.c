/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The table: offsets of ncfw-steps 5.3 to 5.9, keys and order of 5.11, number
 * formats of 5.10.
 */
#include "ncfw/ctxlog.h"

#include "base/bits.h"

#define UINT(key_, bytes_, offset_)                                            \
    {                                                                          \
        .key = key_, .kind = CTX_UINT, .bytes = bytes_, .offset = offset_      \
    }
#define BITS(key_, offset_, lsb_, width_, rule_)                               \
    {                                                                          \
        .key = key_, .kind = CTX_UINT, .bytes = 1, .offset = offset_,          \
        .lsb = lsb_, .width = width_, .rule = rule_                            \
    }
#define ADDR(key_, offset_)                                                    \
    {                                                                          \
        .key = key_, .kind = CTX_ADDR, .offset = offset_                       \
    }
#define SEMA(key_, offset_)                                                    \
    {                                                                          \
        .key = key_, .kind = CTX_SEMA, .offset = offset_                       \
    }
#define OBJECT(key_, offset_, rows_)                                           \
    {                                                                          \
        .key = key_, .kind = CTX_OBJECT, .offset = offset_, .inside = rows_,   \
        .nr_inside = ARRAY_LEN(rows_)                                          \
    }
#define PART(key_, part_, rows_)                                               \
    {                                                                          \
        .key = key_, .kind = CTX_OBJECT, .from = part_ + 1, .inside = rows_,   \
        .nr_inside = ARRAY_LEN(rows_)                                          \
    }
#define ARRAY(key_, offset_, count_, stride_, element_)                        \
    {                                                                          \
        .key = key_, .kind = CTX_ARRAY, .offset = offset_, .count = count_,    \
        .stride = stride_, .inside = element_, .nr_inside = 1                  \
    }
#define ELEMENT(rows_)                                                         \
    {                                                                          \
        .kind = CTX_OBJECT, .inside = rows_, .nr_inside = ARRAY_LEN(rows_)     \
    }

static const struct ctx_node word = { .kind = CTX_WORD };
static const struct ctx_node sema = { .kind = CTX_SEMA };
static const struct ctx_node u32 = { .kind = CTX_UINT, .bytes = 4 };

/* 20 bytes, seed 000 2.4. */
static const struct ctx_node bcast[] = {
    ADDR("m2s_tail_ptr", 0),
    ADDR("s2m_tail_ptr", 8),
    UINT("mask", 4, 16),
};

/* ---- configs.algo: 5.3, 5.4 ------------------------------------------ */

static const struct ctx_node neighbour[] = {
    UINT("fold_n", 1, 24),
    UINT("type", 1, 25),
    {
        .key = "net_idx_addrs",
        .kind = CTX_ARRAY,
        .rule = CTX_FOLD,
        .len_at = 24,
        .count = 3,
        .stride = 8,
        .inside = &word,
        .nr_inside = 1,
    },
};

static const struct ctx_node peer_rows[] = {
    { .key = "peer_id", .kind = CTX_INDEX },
    ADDR("addr", 0),
};
static const struct ctx_node peer = ELEMENT(peer_rows);

static const struct ctx_node peers[] = {
    SEMA("mine", 88),
    ARRAY("peers", 96, 3, 8, &peer),
};

static const struct ctx_node channel_rows[] = {
    OBJECT("next_neigh", 0, neighbour),
    OBJECT("prev_neigh", 28, neighbour),
    SEMA("recv_sema", 56),
    SEMA("send_sema", 64),
    SEMA("post_sema", 72),
    SEMA("dma_compl_sema", 80),
    OBJECT("kring_peer_semas", 0, peers),
    OBJECT("dma_apb_bcast", 120, bcast),
    { .key = "channel_id", .kind = CTX_INDEX, .bytes = 1, .offset = 140 },
    UINT("spad_slot_idx", 1, 141),
    UINT("fold_n", 1, 142),
    UINT("kangaring_is_primary", 1, 143),
    UINT("kangaring_num_peers", 1, 144),
};
static const struct ctx_node channel = ELEMENT(channel_rows);

static const struct ctx_node ring[] = {
    ARRAY("channels", 0, 32, 148, &channel),
};

static const struct ctx_node event_rows[] = {
    OBJECT("dma_apb_bcast_0", 0x00, bcast),
    OBJECT("dma_apb_bcast_1", 0x14, bcast),
    SEMA("direct_trigger_sema_0", 0x28),
    SEMA("direct_trigger_sema_1", 0x30),
    SEMA("direct_trigger_sema_2", 0x38),
    SEMA("event_wait_sema", 0x40),
    UINT("wait_val", 4, 0x48),
    UINT("event_type", 1, 0x4C),
    UINT("dma_trigger", 1, 0x4D),
    UINT("direct_trigger", 1, 0x4E),
    UINT("wait_event", 1, 0x4F),
};
static const struct ctx_node event = ELEMENT(event_rows);

static const struct ctx_node mesh[] = {
    ARRAY("events", 0, 0, 80, &event),
};

static const struct ctx_node hierarchical[] = {
    { .key = "__stub", .kind = CTX_WORD },
};

static const struct ctx_node algo[] = {
    PART("ring", CTX_RING, ring),
    PART("mesh", CTX_MESH, mesh),
    PART("hierarchical", CTX_HIERARCHICAL, hierarchical),
};

/* ---- configs.neff: 5.5 ------------------------------------------------ */

static const struct ctx_node alloc_rows[] = {
    UINT("queue_id", 4, 0),
    UINT("dma_engines_bitmap", 4, 4),
};
static const struct ctx_node alloc = ELEMENT(alloc_rows);

static const struct ctx_node host_barrier[] = {
    ADDR("barrier_start", 0),
    SEMA("barrier_done", 8),
};

static const struct ctx_node step_rows[] = {
    UINT("m2s_val", 2, 0),
    UINT("s2m_val", 2, 2),
    ARRAY("barrier_sema", 4, 4, 8, &sema),
    ARRAY("target_sema_val", 36, 4, 4, &u32),
};
static const struct ctx_node step = ELEMENT(step_rows);

static const struct ctx_node device_barrier[] = {
    OBJECT("dma_apb_bcast", 240, bcast),
    ARRAY("dma_sync_sema", 208, 4, 8, &sema),
    UINT("dma_sync_sema_value", 4, 268),
    ADDR("start_network_proxy", 260),
    UINT("tdrbp_low", 4, 272),
    UINT("tdrbp_high", 4, 276),
    UINT("desc_count", 4, 280),
    UINT("dma_engines_bitmap", 2, 288),
    UINT("queue_id", 1, 290),
    ARRAY("barrier_step_config", 0, 4, 52, &step),
};

/* The two barriers are a union. */
static const struct ctx_node barriers[] = {
    BITS("execute_device_barrier", 292, 0, 1, CTX_POINTER),
    OBJECT("host_barrier", 0, host_barrier),
    OBJECT("device_barrier", 0, device_barrier),
};

static const struct ctx_node block_rows[] = {
    UINT("desc_count", 2, 0),
    UINT("reset_section_desc_count", 1, 2),
};
static const struct ctx_node block = ELEMENT(block_rows);

static const struct ctx_node blocks[] = {
    {
        .key = "table",
        .kind = CTX_ARRAY,
        .rule = CTX_UNTIL_0,
        .count = 256,
        .stride = 4,
        .inside = &block,
        .nr_inside = 1,
    },
    SEMA("switch_completed", 0x400),
    { .key = "pring_base_addr",
      .kind = CTX_ADDR,
      .rule = CTX_PLACE,
      .offset = 0x408 },
    { .key = "pring_total_desc_num",
      .kind = CTX_UINT,
      .rule = CTX_PLACE,
      .bytes = 4,
      .offset = 0x410 },
};

#define ALLOC_BITMAP(rule_, element_)                                          \
    {                                                                          \
        .key = "dma_alloc_bitmap", .kind = CTX_ARRAY, .rule = rule_,           \
        .count = TRENCH_NR_BUNDLES, .stride = 8, .inside = element_,           \
        .nr_inside = 1                                                         \
    }

static const struct ctx_node neff[] = {
    ALLOC_BITMAP(CTX_IF_SEED, &word),
    ALLOC_BITMAP(CTX_IF_SHEETS, &alloc),
    OBJECT("barrier_configs", 2200, barriers),
    OBJECT("basic_block_configs", 2496, blocks),
    ADDR("slot_spad_base_0", 2144),
    ADDR("slot_spad_base_1", 2152),
    ADDR("slot_spad_base_2", 2160),
    ADDR("slot_spad_base_3", 2168),
    ADDR("slot_spad_base_4", 2176),
    ADDR("slot_spad_base_5", 2184),
    ADDR("ctrl_spad_base", 2192),
    SEMA("trigger", 3544),
    SEMA("trigger_next", 3552),
    SEMA("complete", 3560),
    SEMA("complete_prev", 3568),
    SEMA("tpb_stop_sema", 3576),
    UINT("op_num", 4, 3584),
    BITS("leader", 3591, 0, 1, CTX_POINTER),
    UINT("tpb_compl_addr_num", 1, 3590),
};

/* ---- configs.dev: 5.6 -------------------------------------------------- */

static const struct ctx_node tsync[] = {
    ADDR("dma_apb_rsvd_addr", 0),     SEMA("eng_tpb", 8),
    SEMA("timestamp_local", 16),      SEMA("timestamp_tpb", 24),
    UINT("timestamp_tpb_val", 4, 32),
};

static const struct ctx_node dev[] = {
    OBJECT("tsync", 0, tsync),
    BITS("tpb_id", 44, 0, 4, CTX_POINTER),
    BITS("seng_id", 44, 4, 4, CTX_POINTER),
    BITS("dev_id", 45, 0, 4, CTX_POINTER),
    UINT("tpb_ctrl_ack", 8, 36),
};

static const struct ctx_node configs[] = {
    OBJECT("algo", 0, algo),
    PART("neff", CTX_NEFF, neff),
    PART("dev", CTX_DEV, dev),
};

/* ---- the running state: 5.7 to 5.9 ------------------------------------- */

static const struct ctx_node header[] = {
    BITS("cc_op", 0, 0, 1, CTX_PLAIN),
};

static const struct ctx_node cc_ring[] = {
    UINT("channel_list", 4, 4),
};

static const struct ctx_node cc_mesh[] = {
    UINT("sema_shift_offset", 2, 4),
    UINT("sema_mask", 2, 6),
};

static const struct ctx_node cc_op[] = {
    BITS("algo_type", 1, 0, 4, CTX_PLAIN),
    BITS("algo_sub_type", 1, 4, 3, CTX_PLAIN),
    BITS("trigger_next", 1, 7, 1, CTX_PLAIN),
    BITS("reporter", 2, 0, 1, CTX_PLAIN),
    BITS("ring_wait_complete", 2, 1, 1, CTX_PLAIN),
    BITS("ring_send_complete", 2, 2, 1, CTX_PLAIN),
    OBJECT("ring", 0, cc_ring),
    OBJECT("mesh", 0, cc_mesh),
};

static const struct ctx_node ctrl_entry[] = {
    OBJECT("header", 0, header),
    OBJECT("cc_op", 0, cc_op),
};

static const struct ctx_node op[] = {
    OBJECT("ctrl_entry", 0, ctrl_entry),
    ARRAY("tpb_compl", 8, 2, 8, &sema),
    UINT("id", 4, 24),
    UINT("reporter", 1, 28),
};

static const struct ctx_node basic_block[] = {
    UINT("curr_id", 4, 56),       ADDR("ctrl_spad_addr", 48),
    ADDR("slot_spad_addr_0", 0),  ADDR("slot_spad_addr_1", 8),
    ADDR("slot_spad_addr_2", 16), ADDR("slot_spad_addr_3", 24),
    ADDR("slot_spad_addr_4", 32), ADDR("slot_spad_addr_5", 40),
};

static const struct ctx_node neff_ctx[] = {
    UINT("barrier_completed", 1, 92),
    OBJECT("op", 0, op),
    OBJECT("basic_block", 32, basic_block),
};

static const struct ctx_node state_rows[] = {
    { .key = "channel_id", .kind = CTX_INDEX },
    UINT("recv_cnt", 2, 0),
    UINT("send_credit", 2, 2),
    UINT("repeat_cnt", 2, 4),
    UINT("m2s_val", 2, 6),
    UINT("s2m_val", 2, 8),
    UINT("slot_idx", 1, 14),
    UINT("run_state", 1, 15),
};
static const struct ctx_node state = ELEMENT(state_rows);

static const struct ctx_node state_ring[] = {
    ARRAY("channels", 0, 32, 16, &state),
};

static const struct ctx_node state_hierarchical[] = {
    UINT("run_state", 1, 0x200),
};

static const struct ctx_node state_mesh[] = {
    UINT("event_index", 2, 0x204),
};

static const struct ctx_node algo_ctx[] = {
    OBJECT("ring", 0, state_ring),
    OBJECT("hierarchical", 0, state_hierarchical),
    OBJECT("mesh", 0, state_mesh),
};

static const struct ctx_node top_sp[] = {
    OBJECT("configs", 0, configs),
    PART("neff", CTX_NEFF_CTX, neff_ctx),
    PART("algo", CTX_ALGO_CTX, algo_ctx),
};

static const struct ctx_node root_rows[] = {
    { .key = "model_name", .kind = CTX_NAME },
    OBJECT("ncfw_ctx_top_sp", 0, top_sp),
};

const struct ctx_node ctx_root = ELEMENT(root_rows);
