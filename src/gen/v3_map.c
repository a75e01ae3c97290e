/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The address map of cayman, mariana and mariana_plus beyond the channels:
 * windows (address-map 1.4, 3.2, 3.3, 4.9; iram-cache-idma 1.1), PCIe BARs
 * (3.5), address bits (3.1). Names that no source gives are ours: EVT_SEM and
 * what is in it, CORE_NOTIFIC, TOP_SP_NOTIFIC, DGE_MEM, SCRATCH_RAM.
 */
#include "gen/v3.h"

#include "base/bits.h"

#define INSIDE(table) .inside = table, .nr_inside = ARRAY_LEN(table)

/* One thing: a register file, or nothing that has one. */
#define NODE(name_, offset_, size_, block_)                                    \
    {                                                                          \
        .name = name_, .base = offset_, .size_bytes = size_,                   \
        .kind = TRENCH_WINDOW_DEVICE, .block = block_,                         \
    }

/* ---- in an SE or IO window (1.4, host-driver 2.2 and 2.8) ---------------- */

/* View B: what the host sees of a channel's fabric slice. */
static const struct trench_gen_window user_fis[] = {
    NODE("FIS_0_USER_ERRTRIG_TRIG_0", 0x0000, 0x1000, "intc_4grp_msix"),
    NODE("FIS_0_USER_ERRTRIG_TRIG_1", 0x1000, 0x1000, "intc_4grp_msix"),
    NODE("FIS_0_USER_ERRTRIG_NOTIFIC", 0x2000, 0x1000, "notific_1_queue"),
    {
        .name = "FIS_0_PAPB_BCAST",
        .base = 0x4800,
        .size_bytes = 0x800,
        .kind = TRENCH_WINDOW_DEVICE,
        .block = "papb_bcast",
        .modelled = true,
        .node = TRENCH_NODE_GROUP_MASK,
    },
    NODE("FIS_0_SPROT_USER_REMAPPER", 0x5000, 0x800, "user_remapper"),
    NODE("FIS_0_SPROT_QOS", 0x5800, 0x800, "qos_host_visible"),
    NODE("DEBUG_FIS_0", 0x10000, 0x10000, NULL),
};

/* An application engine, all of its window. */
#define ENGINE(name_, offset_, block_)                                         \
    {                                                                          \
        .name = #name_, .base = offset_, .size_bytes = 0x1000,                 \
        .kind = TRENCH_WINDOW_DEVICE, .block = block_, .modelled = true,       \
        .node = TRENCH_NODE_##name_,                                           \
    }

/* View C: the privileged slice, and the application engines. */
static const struct trench_gen_window amzn_fis[] = {
    NODE("FIS_0_CTL", 0x0000, 0x2000, "fis_control"),
    NODE("FIS_0_AMZN_ERRTRIG_TRIG_0", 0x2000, 0x1000, "intc_4grp_no_msix"),
    NODE("FIS_0_AMZN_ERRTRIG_TRIG_1", 0x3000, 0x1000, "intc_4grp_no_msix"),
    NODE("FIS_0_AMZN_ERRTRIG_NOTIFIC", 0x4000, 0x1000, "notific_1_queue"),
    NODE("FIS_0_SPROT_AMZN_REMAPPER", 0x5000, 0x1000, "amzn_remapper"),
    NODE("FIS_0_SPROT_QOS", 0x6000, 0x1000, "qos_prot"),
    ENGINE(CME, 0x10000, "cme"),
    ENGINE(DRE, 0x11000, "dre"),
    NODE("DRE_ERG", 0x12000, 0x40, "erg_parity_model"),
    ENGINE(CCE, 0x13000, "cce"),
    NODE("CCE_ERG", 0x14000, 0x40, "erg_parity_model"),
    NODE("SDMA_ELA_ERG", 0x15000, 0x40, "erg_parity_model"),
};

#define USER_FIS(offset_)                                                      \
    {                                                                          \
        .name = "USER_FIS_SDMA_", .base = offset_, .size_bytes = 0x20000,      \
        .stride_bytes = 0x20000, .count = 32, .per_outer = 32,                 \
        .kind = TRENCH_WINDOW_APB, .index = TRENCH_INDEX_ENGINE,               \
        INSIDE(user_fis),                                                      \
    }

/* Even and odd SEngines; the odd offset is the driver's (8, row F). */
static const struct trench_gen_window in_se_even[] = { USER_FIS(0xC000000) };
static const struct trench_gen_window in_se_odd[] = { USER_FIS(0xC400000) };

#define NOTIFIC(name_, offset_, count_, stride_)                               \
    .name = name_, .base = offset_, .size_bytes = 0x1000, .count = count_,     \
    .stride_bytes = stride_, .kind = TRENCH_WINDOW_DEVICE,                     \
    .block = "notific_10_queue"
#define IO_NODES                                                               \
    {                                                                          \
        NOTIFIC("CORE_NOTIFIC_", 0x6001000, 2, 0x180000),                      \
        .per_outer = 4,                                                        \
        .index = TRENCH_INDEX_CORE,                                            \
    },                                                                         \
        {                                                                      \
            NOTIFIC("CORE_NOTIFIC_", 0x6401000, 2, 0x180000),                  \
            .number = 2,                                                       \
            .per_outer = 4,                                                    \
            .index = TRENCH_INDEX_CORE,                                        \
        },                                                                     \
        {                                                                      \
            NOTIFIC("TOP_SP_NOTIFIC_", 0x6A00000, 8, 0x40000),                 \
            .per_outer = 10,                                                   \
            .index = TRENCH_INDEX_TOP_SP,                                      \
        },                                                                     \
        NODE("MISC_RAM", 0x6C84000, 0x1000, "misc_ram")

static const struct trench_gen_window in_apb_io[] = { IO_NODES };

/* Two of them a fabric (4.9); that they are neighbours is ours. */
static const struct trench_gen_window in_apbblk[] = {
    {
        .name = "BLK_",
        .base = 0,
        .size_bytes = GEN_V3_APBBLK_BYTES,
        .stride_bytes = GEN_V3_APBBLK_BYTES,
        .count = 2,
        .kind = TRENCH_WINDOW_DEVICE,
        .block = "apbblk",
        .modelled = true,
        .node = TRENCH_NODE_FIREWALL,
    },
};

#define APBBLK(name_, offset_)                                                 \
    {                                                                          \
        .name = name_, .base = offset_, .size_bytes = 0x80000,                 \
        .kind = TRENCH_WINDOW_APB, INSIDE(in_apbblk),                          \
    }

/* Where the slices of SE_1 and of the IO engines are is not known. */
static const struct trench_gen_window in_peb_apb_io[] = {
    IO_NODES,
    {
        .name = "AMZN_SE_0_SDMA_",
        .base = 0x10000000,
        .size_bytes = 0x80000,
        .stride_bytes = 0x80000,
        .count = 32,
        .per_outer = 64,
        .kind = TRENCH_WINDOW_APB,
        .index = TRENCH_INDEX_ENGINE,
        INSIDE(amzn_fis),
    },
    APBBLK("AMZN_IO_FABRIC_APBBLK", GEN_V3_APBBLK_IO),
    APBBLK("AMZN_SE_0_FABRIC_APBBLK", GEN_V3_APBBLK_SE_0),
    APBBLK("AMZN_SE_1_FABRIC_APBBLK", GEN_V3_APBBLK_SE_1),
};

/* ---- in a TPB or TOP_SP window (3.3) ------------------------------------- */

#define MEMORY(name_, offset_, size_)                                          \
    {                                                                          \
        .name = name_, .base = offset_, .size_bytes = size_,                   \
        .kind = TRENCH_WINDOW_MEMORY,                                          \
    }

static const struct trench_gen_window in_tpb[] = {
    {
        .name = "STATE_BUF",
        .base = 0,
        .size_bytes = 0x2000000,
        .kind = TRENCH_WINDOW_MEMORY,
        INSIDE(gen_partitions),
    },
    MEMORY("SCRATCH_RAM", 0x4000000, 0x2000000),
    MEMORY("DGE_MEM", 0x40000000, 0x40000000),
    MEMORY("PSUM_BUF", 0x802000000, 0x400000),
    GEN_SEQ_WINDOWS("ACT", 0x802460000),
    GEN_SEQ_WINDOWS("PE", 0x802660000),
    {
        .name = "EVT_SEM",
        .base = 0x802700000,
        .size_bytes = 0x100000,
        .kind = TRENCH_WINDOW_DEVICE,
        .node = TRENCH_NODE_SYNC,
        INSIDE(gen_evt_sem),
    },
    GEN_SEQ_WINDOWS("SP", 0x802860000),
    GEN_SEQ_WINDOWS("DVE", 0x802b60000),
    GEN_SEQ_WINDOWS("POOL", 0x803060000),
};

/* Semaphores at 0; how far the block goes is not known. */
static const struct trench_gen_window in_top_sp[] = { GEN_TOP_SP_NODES };

/* ---- the top level (3.2) ------------------------------------------------- */

#define ONE(name_, n_, base_, size_, kind_)                                    \
    .name = name_, .number = n_, .base = base_, .size_bytes = size_,           \
    .kind = TRENCH_WINDOW_##kind_

#define HBM(n, base_)                                                          \
    {                                                                          \
        ONE("HBM_", n, base_, GIB(64), MEMORY), .index = TRENCH_INDEX_HBM      \
    }
#define SE(n, base_, inside_)                                                  \
    {                                                                          \
        ONE("APB_SE_", n, base_, 0xC800000, APB), INSIDE(inside_)              \
    }
#define PREPROC(n, base_)                                                      \
    {                                                                          \
        ONE("PREPROC_", n, base_, 0x40000000, MIXED)                           \
    }
#define TPB_PAIR(first_, base_)                                                \
    {                                                                          \
        ONE("TPB_", first_, base_, 0x804000000, MIXED),                        \
            .count = 2, .stride_bytes = 0x1000000000,                          \
            .index = TRENCH_INDEX_CORE, INSIDE(in_tpb)                         \
    }
#define TOP_SPS(name_, first_, base_, inside_)                                 \
    {                                                                          \
        ONE(name_, first_, base_, 0x400000, DEVICE),                           \
            .count = 10, .stride_bytes = 0x40000000,                           \
            .index = TRENCH_INDEX_TOP_SP, INSIDE(inside_)                      \
    }

#define DIE(n, bit)                                                            \
    HBM(2 * (n), bit), SE(2 * (n), bit + 0x1000000000, in_se_even),            \
        PREPROC(2 * (n), bit + 0x1200000000),                                  \
        TPB_PAIR(4 * (n), bit + 0x2000000000),                                 \
        HBM(2 * (n) + 1, bit + 0x4000000000),                                  \
        SE(2 * (n) + 1, bit + 0x5000000000, in_se_odd),                        \
        PREPROC(2 * (n) + 1, bit + 0x5200000000),                              \
        TPB_PAIR(4 * (n) + 2, bit + 0x6000000000),                             \
        { ONE("APB_IO_", n, bit + 0x8000000000, 0x20000000, APB),              \
          INSIDE(in_apb_io) },                                                 \
        TOP_SPS("TOP_SP_", 10 * (n), bit + 0x8280000000, in_top_sp),           \
        { ONE("INTC_", n, bit + 0x8580000000, 0x2000, DEVICE) },               \
        { ONE("HOST_MSIX_DOORBELL_", n, bit + 0x8580100000, 0x100000,          \
              DEVICE) },                                                       \
        { ONE("RDM_", n, bit + 0x8580200000, 0x100000, DEVICE) },              \
        { ONE("EVT_ACCEL_CLR_", n, bit + 0x9000000000, 4, DEVICE) },           \
        { ONE("EVT_ACCEL_SET_", n, bit + 0x9000000004, 4, DEVICE) },           \
    {                                                                          \
        ONE("PCIE_A0_", n, bit + 0x400000000000, TIB(64), HOST)                \
    }

#define NR_LOCAL 32 /* windows of both dies: what a neighbour has too */

/*
 * PEB_SP_n follows TOP_SP_n by the first one given (inferred). Of the sixteen
 * PEB_APB_IO_BCAST windows the base of one is known.
 */
const struct trench_gen_window gen_v3_windows[] = {
    DIE(0, UINT64_C(0)),
    DIE(1, DIE_1),
    { ONE("PCIE_B0_", 0, 0x10000000000000, UINT64_C(1) << 50, NEIGHBOUR),
      .count = 4, .stride_bytes = UINT64_C(1) << 50,
      .index = TRENCH_INDEX_NEIGHBOUR, .inside = gen_v3_windows,
      .nr_inside = NR_LOCAL },
    { ONE("PEB_APB_IO_", 0, PEB + 0x8000000000, 0x20000000, APB),
      INSIDE(in_peb_apb_io) },
    { ONE("PEB_APB_IO_BCAST_0_", 0, PEB + 0x8020000000, 0x20000000, APB) },
    { ONE("PEB_SP_", 0, PEB + 0x8280000000, 0x400000, DEVICE), .count = 10,
      .stride_bytes = 0x40000000 },
    { ONE("PEB_HSIO2DFT_", 0, PEB + 0x8580400000, 0x400000, DEVICE) },
    { ONE("PCIE_M0_", 0, PEB + 0x400000000000, TIB(1), HOST) },
    { ONE("PEB_APB_IO_", 1, PEB + DIE_1 + 0x8000000000, 0x20000000, APB),
      INSIDE(in_peb_apb_io) },
    { ONE("PEB_SP_", 10, PEB + DIE_1 + 0x8280000000, 0x400000, DEVICE),
      .count = 10, .stride_bytes = 0x40000000 },
    { ONE("PEB_HSIO2DFT_", 1, PEB + DIE_1 + 0x8580400000, 0x400000, DEVICE) },
    { ONE("PCIE_M0_", 1, PEB + DIE_1 + 0x400000000000, TIB(1), HOST) },
};

/* ---- PCIe (3.5) ---------------------------------------------------------- */

#define BAR0(name_, offset_, size_, addr_)                                     \
    {                                                                          \
        "main", 0, offset_, size_, addr_, name_                                \
    }
/* The second window is at 0x802000000: section 8, row W. */
#define BAR0_TPB(n, addr_)                                                     \
    BAR0("STATE_BUF_" #n, 0xD0000000 + (n)*UINT64_C(0x4000000), 0x2000000,     \
         addr_),                                                               \
        BAR0("PSUM_BUF_" #n, 0xD2000000 + (n)*UINT64_C(0x4000000), 0x2000000,  \
             addr_ + UINT64_C(0x802000000))
#define BAR0_TOP_SP(n)                                                         \
    BAR0("TOP_SP_" #n, 0xF0000000 + (n)*UINT64_C(0x400000), 0x400000,          \
         (n) / 10 * DIE_1 + 0x8280000000 + (n) % 10 * UINT64_C(0x40000000))
#define BAR4(n, addr_)                                                         \
    {                                                                          \
        "main", 4, (n)*GIB(64), GIB(64), addr_, "HBM_" #n                      \
    }
#define AMZN(n, bit)                                                            \
    {                                                                           \
        "amzn" #n, 0, 0, 0x400000, PEB + bit + 0x8580400000, "PEB_HSIO2DFT_" #n \
    },                                                                          \
    {                                                                           \
        "amzn" #n, 3, 0, 0x20000000, PEB + bit + 0x8000000000,                  \
            "PEB_APB_IO_" #n                                                    \
    }

const struct trench_gen_bar gen_v3_bars[] = {
    BAR0("APB_IO_0", 0x00000000, 0x20000000, 0x8000000000),
    BAR0("APB_IO_1", 0x40000000, 0x20000000, DIE_1 + 0x8000000000),
    BAR0("APB_SE_0", 0x80000000, 0xC800000, 0x1000000000),
    BAR0("APB_SE_1", 0x90000000, 0xC800000, 0x5000000000),
    BAR0("APB_SE_2", 0xA0000000, 0xC800000, DIE_1 + 0x1000000000),
    BAR0("APB_SE_3", 0xB0000000, 0xC800000, DIE_1 + 0x5000000000),
    BAR0("PREPROC_0", 0xC0000000, 0x34C0000, 0x1200000000),
    BAR0("PREPROC_1", 0xC4000000, 0x34C0000, 0x5200000000),
    BAR0("PREPROC_2", 0xC8000000, 0x34C0000, DIE_1 + 0x1200000000),
    BAR0("PREPROC_3", 0xCC000000, 0x34C0000, DIE_1 + 0x5200000000),
    BAR0_TPB(0, 0x2000000000),
    BAR0_TPB(1, 0x3000000000),
    BAR0_TPB(2, 0x6000000000),
    BAR0_TPB(3, 0x7000000000),
    BAR0_TPB(4, DIE_1 + 0x2000000000),
    BAR0_TPB(5, DIE_1 + 0x3000000000),
    BAR0_TPB(6, DIE_1 + 0x6000000000),
    BAR0_TPB(7, DIE_1 + 0x7000000000),
    BAR0_TOP_SP(0),
    BAR0_TOP_SP(1),
    BAR0_TOP_SP(2),
    BAR0_TOP_SP(3),
    BAR0_TOP_SP(4),
    BAR0_TOP_SP(5),
    BAR0_TOP_SP(6),
    BAR0_TOP_SP(7),
    BAR0_TOP_SP(8),
    BAR0_TOP_SP(9),
    BAR0_TOP_SP(10),
    BAR0_TOP_SP(11),
    BAR0_TOP_SP(12),
    BAR0_TOP_SP(13),
    BAR0_TOP_SP(14),
    BAR0_TOP_SP(15),
    BAR0_TOP_SP(16),
    BAR0_TOP_SP(17),
    BAR0_TOP_SP(18),
    BAR0_TOP_SP(19),
    BAR0("RDM_0", 0xF5000000, 0x100000, 0x8580200000),
    BAR0("RDM_1", 0xF5100000, 0x100000, DIE_1 + 0x8580200000),
    BAR0("INTC_0", 0xF5200000, 0x2000, 0x8580000000),
    BAR0("INTC_1", 0xF5202000, 0x2000, DIE_1 + 0x8580000000),
    BAR4(0, 0x0),
    BAR4(1, 0x4000000000),
    BAR4(2, DIE_1),
    BAR4(3, DIE_1 + 0x4000000000),
    AMZN(0, 0),
    AMZN(1, DIE_1),
};

/* ---- address bits (3.1) -------------------------------------------------- */

#define LOCAL_BITS                                                             \
    { "LOCAL", 0, 47 },                                                        \
    {                                                                          \
        "DIE", 47, 1                                                           \
    }
#define ATTRIBUTE_BITS                                                         \
    { "PCIE_ATTR_RELAXED_ORDERING", 56, 1 }, { "OK_TO_FAIL", 57, 1 },          \
    {                                                                          \
        "undefined", 58, 6                                                     \
    }

static const struct trench_gen_bits local_bits[] = {
    LOCAL_BITS,
    { "CAYMAN_ID", 48, 6 },
    { "CAYMAN_ID_VALID", 54, 1 },
    { "RESERVED", 55, 1 },
    ATTRIBUTE_BITS,
};

static const struct trench_gen_bits neighbor_bits[] = {
    LOCAL_BITS,
    { "NEIGHBOR_RSVD", 48, 2 },
    { "EXIT_SENG", 50, 1 },
    { "EXIT_DIE", 51, 1 },
    { "NEIGHBOR_ROUTE", 52, 1 },
    { "PEB", 53, 1 },
    { "ID_VALID", 54, 1 },
    { "PCIE_U_RSVD", 55, 1 },
    ATTRIBUTE_BITS,
};

const struct trench_gen_view gen_v3_views[] = {
    { "LOCAL", local_bits, ARRAY_LEN(local_bits) },
    { "NEIGHBOR", neighbor_bits, ARRAY_LEN(neighbor_bits) },
};
