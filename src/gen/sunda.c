/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Sunda (Trainium1 and Inferentia2, NeuronCore-v2): address-map 1.5, 3.3, 3.5.
 *
 * The UDMA of an engine and its application block are in windows of their
 * own, so most clusters come in two parts. The broadcast window, PSUM, a
 * privileged route and the size of most windows are not known; nothing stands
 * for them here.
 */
#include "gen/gen_priv.h"

#include "base/bits.h"

#define MIB(n) ((uint64_t)(n) << 20)
#define GIB(n) ((uint64_t)(n) << 30)

#define TPB_BASE    UINT64_C(0xFFFC0000000)
#define TOP_SP_BASE UINT64_C(0xFFFD0000000)
#define APB_BASE    UINT64_C(0xFFFF0000000)
#define RESET_WORD  UINT64_C(0x647010)
#define MISC_RAM    UINT64_C(0xFA0000)
#define HOST_BASE   UINT64_C(0x100000000000)

/*
 * address-map 1.5; the interior of the UDMA window is that of cayman
 * (inferred there: one driver serves both).
 */
static const struct trench_gen_unit units[] = {
    { "UDMA_M2S", TRENCH_BLOCK_UDMA_M2S, 0x00000, 0x20000, false, 0 },
    { "UDMA_S2M", TRENCH_BLOCK_UDMA_S2M, 0x20000, 0x18000, false, 0 },
    { "UDMA_GEN", TRENCH_BLOCK_UDMA_GEN, 0x38000, 0x04000, false, 0 },
    { "UDMA_GEN_EX", TRENCH_BLOCK_UDMA_GEN_EX, 0x3C000, 0x04000, false, 0 },
    { "MISC_SDMA_APP", TRENCH_BLOCK_TDMA_MODEL, 0x00000, 0x01000, false, 1 },
    { "MISC_NOTIFIC", TRENCH_BLOCK_NOTIFIC_10_QUEUE, 0x01000, 0x01000, false,
      1 },
};

static const char *const d2h_names[] = { "D2H" };
static const char *const h2d_names[] = { "H2D" };

#define UDMA(name_, offset_, nr_, first_, names_)                              \
    {                                                                          \
        .name = name_, .base = APB_BASE + offset_, .stride_bytes = 0x40000,    \
        .nr_channels = nr_, .first_engine = first_, .names = names_,           \
    }
#define APP(name_, offset_, nr_, first_, names_)                               \
    {                                                                          \
        .name = name_, .base = APB_BASE + offset_, .stride_bytes = 0x7000,     \
        .nr_channels = nr_, .first_engine = first_, .names = names_,           \
        .part = 1,                                                             \
    }

/* The host engines stand where their SENG's windows end (address-map 1.5). */
static const struct trench_gen_cluster clusters[] = {
    UDMA("APB_SENG_0", 0x0000000, 16, 0, NULL),
    APP("APB_SENG_0", 0x0400000, 16, 0, NULL),
    UDMA("APB_SENG_1", 0x0700000, 16, 16, NULL),
    APP("APB_SENG_1", 0x0B00000, 16, 16, NULL),
    UDMA("APB_SENG_0", 0x0600000, 1, 32, d2h_names),
    APP("APB_SENG_0", 0x0640000, 1, 32, d2h_names),
    UDMA("APB_SENG_1", 0x0D00000, 1, 33, h2d_names),
    APP("APB_SENG_1", 0x0D40000, 1, 33, h2d_names),
};

#define HBM(n, base_)                                                          \
    {                                                                          \
        .name = "HBM_" #n, .kind = TRENCH_MEM_HBM, .base = base_,              \
        .size_bytes = GIB(16),                                                 \
    }
#define SBUF(n)                                                                \
    {                                                                          \
        .name = "TPB_" #n "_STATE_BUF", .kind = TRENCH_MEM_SBUF,               \
        .base = TPB_BASE + (n)*MIB(64), .size_bytes = MIB(32),                 \
        .stride_bytes = 0x40000, .valid_bytes = 0x30000,                       \
    }

/* address-map 3.3. Host memory: the route mask leaves 44 bits. */
static const struct trench_gen_mem mems[] = {
    HBM(0, 0x0),
    HBM(1, 0x1000000000),
    SBUF(0),
    SBUF(1),
    {
        .name = "PCIE_HOST",
        .kind = TRENCH_MEM_HOST,
        .base = HOST_BASE,
        .size_bytes = HOST_BASE,
    },
};

static const struct trench_gen_window in_tpb[] = {
    {
        .name = "STATE_BUF",
        .base = 0,
        .size_bytes = 0x2000000,
        .kind = TRENCH_WINDOW_MEMORY,
        .inside = gen_partitions,
        .nr_inside = ARRAY_LEN(gen_partitions),
    },
    GEN_SEQ_WINDOWS("ACT", 0x2460000),
    GEN_SEQ_WINDOWS("PE", 0x2660000),
    {
        .name = "EVT_SEM",
        .base = 0x2700000,
        .size_bytes = 0x100000,
        .kind = TRENCH_WINDOW_DEVICE,
        .node = TRENCH_NODE_SYNC,
        .inside = gen_evt_sem,
        .nr_inside = ARRAY_LEN(gen_evt_sem),
    },
    GEN_SEQ_WINDOWS("SP", 0x2860000),
    GEN_SEQ_WINDOWS("POOL", 0x2960000),
    GEN_SEQ_WINDOWS("DVE", 0x2b60000),
};

/* TOP_SP: the same layout at 0 (address-map 3.3); how far is not known. */
static const struct trench_gen_window in_top_sp[] = { GEN_TOP_SP_NODES };

#define NOTIFIC(name_, offset_, index_)                                        \
    .name = name_, .base = offset_, .size_bytes = 0x1000, .index = index_,     \
    .kind = TRENCH_WINDOW_DEVICE, .block = "notific_10_queue"

/* host-driver 2.2, 2.5, 2.8. */
static const struct trench_gen_window in_apb[] = {
    { NOTIFIC("CORE_NOTIFIC_", 0x535000, TRENCH_INDEX_CORE) },
    {
        .name = "EMU_SCRATCH",
        .base = RESET_WORD,
        .size_bytes = 4,
        .kind = TRENCH_WINDOW_DEVICE,
        .block = "emu_scratch",
    },
    { NOTIFIC("CORE_NOTIFIC_", 0xC35000, TRENCH_INDEX_CORE), .number = 1 },
    { NOTIFIC("TOP_SP_NOTIFIC_", 0xE04000, TRENCH_INDEX_TOP_SP), .count = 6,
      .stride_bytes = 0x40000 },
    {
        .name = "MISC_RAM",
        .base = MISC_RAM,
        .size_bytes = 0x1000,
        .kind = TRENCH_WINDOW_DEVICE,
        .block = "misc_ram",
    },
};

#define HBM_WINDOW(n, base_)                                                   \
    {                                                                          \
        .name = "HBM_", .number = n, .index = TRENCH_INDEX_HBM, .base = base_, \
        .size_bytes = GIB(16), .kind = TRENCH_WINDOW_MEMORY,                   \
    }

/*
 * The APB window ends where host memory begins: the driver's register BAR is
 * 1 GiB and shows APB in its last 256 MiB.
 */
static const struct trench_gen_window windows[] = {
    HBM_WINDOW(0, 0x0),
    HBM_WINDOW(1, 0x1000000000),
    {
        .name = "TPB_",
        .base = TPB_BASE,
        .size_bytes = 0x4000000,
        .stride_bytes = 0x4000000,
        .count = 2,
        .kind = TRENCH_WINDOW_MIXED,
        .index = TRENCH_INDEX_CORE,
        .inside = in_tpb,
        .nr_inside = ARRAY_LEN(in_tpb),
    },
    {
        .name = "TOP_SP_",
        .base = TOP_SP_BASE,
        .size_bytes = 0x400000,
        .stride_bytes = 0x400000,
        .count = 6,
        .kind = TRENCH_WINDOW_DEVICE,
        .index = TRENCH_INDEX_TOP_SP,
        .inside = in_top_sp,
        .nr_inside = ARRAY_LEN(in_top_sp),
    },
    {
        .name = "APB",
        .base = APB_BASE,
        .size_bytes = MIB(256),
        .kind = TRENCH_WINDOW_APB,
        .inside = in_apb,
        .nr_inside = ARRAY_LEN(in_apb),
    },
    {
        .name = "PCIE_HOST",
        .base = HOST_BASE,
        .size_bytes = HOST_BASE,
        .kind = TRENCH_WINDOW_HOST,
    },
};

/* address-map 3.5. */
static const struct trench_gen_bar bars[] = {
    { "main", 0, 0x00000000, 0x8000000, TPB_BASE, "TPB" },
    { "main", 0, 0x10000000, 0x1800000, TOP_SP_BASE, "TOP_SP" },
    { "main", 0, 0x30000000, MIB(256), APB_BASE, "APB" },
    { "main", 4, 0, GIB(16), 0, "HBM_0" },
    { "main", 4, GIB(16), GIB(16), 0x1000000000, "HBM_1" },
};

static const struct trench_gen_pci_id pci_ids[] = {
    { 0x7164, "trn1" },
    { 0x7264, "inf2" },
};

/* host-driver 1, 2.2, 2.5; what is not published there: hardware.md H280. */
static const struct trench_gen_pci pci = {
    .vendor = 0x1D0F,
    .ids = pci_ids,
    .nr_ids = ARRAY_LEN(pci_ids),
    .class_code = 0x120000,
    .silicon_revision = 1,
    .register_bar = 0,
    .qemu_register_bar = 2,
    .register_bar_bytes = GIB(1),
    .memory_bar = 4,
    .misc_ram = APB_BASE + MISC_RAM,
    .reset_top_sp_lsb = 8,
    .top_sps_per_core = 3,
};

/* Only the route to the host is known (address-map 3.3), and the attributes. */
static const struct trench_gen_bits address_bits[] = {
    { "ADDRESS", 0, 44 },    { "ROUTE", 44, 5 },
    { "unknown", 49, 7 },    { "PCIE_ATTR_RELAXED_ORDERING", 56, 1 },
    { "OK_TO_FAIL", 57, 1 }, { "undefined", 58, 6 },
};

static const struct trench_gen_view views[] = {
    { "LOCAL", address_bits, ARRAY_LEN(address_bits) },
};

/* iram-cache-idma 1.1, host offsets of LOCAL_REG. */
static const struct trench_gen_seq seqs[GEN_NR_SEQS] = {
    GEN_SEQ("pe", 0x2660000),   GEN_SEQ("act", 0x2460000),
    GEN_SEQ("pool", 0x2960000), GEN_SEQ("dve", 0x2b60000),
    GEN_SEQ("sp", 0x2860000),
};

/* The last engine of each core: not published. */
static const uint16_t refill_engines[] = { 15, 31 };

const struct trench_gen gen_sunda = {
    .name = "sunda",
    .title = "Trainium1 and Inferentia2, NeuronCore-v2",
    .nr_engines = 34,
    .nr_cores = 2,
    .engines_per_core = 16,
    .units = units,
    .nr_units = ARRAY_LEN(units),
    .clusters = clusters,
    .nr_clusters = ARRAY_LEN(clusters),
    .mems = mems,
    .nr_mems = ARRAY_LEN(mems),
    .windows = windows,
    .nr_windows = ARRAY_LEN(windows),
    .bars = bars,
    .nr_bars = ARRAY_LEN(bars),
    .pci = &pci,
    .views = views,
    .nr_views = ARRAY_LEN(views),
    .reset_word = APB_BASE + RESET_WORD,
    .nr_top_sps = 6,
    .top_sps_per_die = 6,
    /* ncfw-steps 4.2: the two that are known. */
    .bells = {
        [TRENCH_BELL_HOST_TRIGGER] = GEN_TOP_SP_LOCAL_REG + 0x848,
        [TRENCH_BELL_STOP] = GEN_TOP_SP_LOCAL_REG + 0x84C,
    },
    .seqs = seqs,
    .nr_seqs = ARRAY_LEN(seqs),
    .seq_firmware = &gen_seq_legacy,
    .refill_engines = refill_engines,
    .cce_elements = 1024,
    /* udma-engine 5.8.1, column S. */
    .init = {
        .m2s_data_cfg = 0x01000400,
        .m2s_ostand_cfg = 0x0000086F,
        .s2m_ostand_cfg_rd = 0x00400008,
        .s2m_ostand_cfg_wr = 0x40804080,
        .bcast_last_lanes = 0x8249, /* 0, 3, 6, 9, 15 */
        .axi_error_entry = 0xF,
        .axi_error_action = 0x10,
        .axi_timeout = 0xFFFFFFFF,
    },
    .ncfw = &gen_sunda_ncfw,
};
