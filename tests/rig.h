/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A chip under test with a driver as plain as the documents allow: it lays
 * descriptors, rings doorbells and looks at registers, through the bus only.
 *
 * Offsets and bits are literal on purpose. They come from udma-engine 1 to 4
 * and address-map 1 and 2, as a check that does not depend on the generated
 * headers.
 */
#ifndef TRENCH_TESTS_RIG_H
#define TRENCH_TESTS_RIG_H

#include <trench/access.h>
#include <trench/soc.h>

#include "check.h"

/* ---- registers ---------------------------------------------------------- */

enum side {
    TX, /* M2S */
    RX, /* S2M */
};

#define S2M    0x20000u
#define GEN    0x38000u
#define GEN_EX 0x3C000u
#define TDMA   0x40000u
#define NOTE   0x41000u /* the notification block */

/* Registers that M2S (+0) and S2M (+S2M) have at the same offset. */
enum {
    STATE = 0x200,
    CHANGE_STATE = 0x204,
    ERR_LOG_MASK = 0x20C,
    DESC_WR_CFG_1 = 0x120,
    LOG_0 = 0x214,
    CLEAR_ERR_LOG = 0x224,
};

enum {
    CMD_NORMAL = 1,
    CMD_DISABLE = 2,
    CMD_ABORT = 4,
};

/* M2S only; S2M only, with S2M added. */
enum {
    M2S_CFG_PREFETCH = 0x004,
    M2S_INDIRECT = 0x234,
    M2S_SEL_PREF = 0x238,
    M2S_SEL_COMP = 0x23C,
    M2S_SEL_RATE = 0x240,
    M2S_SEL_DWRR = 0x244,
    M2S_CFG_LEN = 0x254,
    M2S_STREAM_CFG = 0x258,
    M2S_PREF_EN = 0x25C,
    M2S_PREF_CFG_2 = 0x304,
    M2S_CFG_SCHED = 0x340,
    M2S_DEFICIT_INIT = 0x344,
    M2S_RATE_GEN = 0x380,
    M2S_RATE_CYCLES = 0x384,
    M2S_RATE_TOKENS = 0x388,
    M2S_STREAM_RATE = 0x3C0, /* cfg_1s; the rest as in a queue's bank */
    M2S_STREAM_RATE_MASK = 0x3D4,
    M2S_COMP_CFG_1C = 0x400,
    M2S_COAL = 0x404,
    M2S_ACK2 = 0x40C,
    M2S_TX_PKT = 0x504,
    M2S_BYTES_LO = 0x508,
    M2S_BYTES_HI = 0x50C,
    M2S_PREFED = 0x510,
    M2S_COMP_PKT = 0x514,
    M2S_COMP_DESC = 0x518,
    M2S_ACK_PKTS = 0x51C,
};
enum {
    S2M_INDIRECT = S2M + 0x238,
    S2M_SEL_PREF = S2M + 0x23C,
    S2M_SEL_COMP = S2M + 0x240,
    S2M_STREAM_CFG = S2M + 0x250,
    S2M_PREF_EN = S2M + 0x254,
    S2M_DATA_CFG_2 = S2M + 0x344,
    S2M_COMP_CFG_1C = S2M + 0x380,
    S2M_COMP_CFG_2C = S2M + 0x384,
    S2M_DROP_PKT = S2M + 0x504,
    S2M_BYTES_LO = S2M + 0x508,
    S2M_BYTES_HI = S2M + 0x50C,
    S2M_PREFED = S2M + 0x510,
    S2M_COMP_PKT = S2M + 0x514,
    S2M_COMP_DESC = S2M + 0x518,
    S2M_ACK_PKTS = S2M + 0x51C,
};

/* In the bank of a queue; those of one side only say so. */
enum {
    Q_PREF_CFG = 0x00,
    Q_CFG = 0x20,
    Q_STATUS = 0x24,
    Q_BASE_LO = 0x28,
    Q_BASE_HI = 0x2C,
    Q_LEN = 0x30,
    Q_HEAD = 0x34,
    Q_BELL = 0x38,
    Q_TAIL = 0x3C,
    Q_CUR = 0x40,
    Q_COMP_LO = 0x44,
    Q_COMP_HI = 0x48,
    Q_COMP_HEAD = 0x4C,
    Q_COMP_INTERNAL = 0x50,
    TXQ_RATE_1 = 0x60,
    TXQ_RATE_CYCLE = 0x64,
    TXQ_RATE_SIZE_1 = 0x68,
    TXQ_RATE_SIZE_2 = 0x6C,
    TXQ_RATE_SW = 0x70,
    TXQ_RATE_MASK = 0x74,
    TXQ_DWRR_1 = 0x80,
    TXQ_DWRR_2 = 0x84,
    TXQ_DWRR_3 = 0x88,
    TXQ_DWRR_SW = 0x8C,
    TXQ_COMP_CFG = 0xA0,
    TXQ_SW_CTRL = 0xB0,
    TXQ_TX_PKT = 0xC0,
    TXQ_DATA_BELL = 0xE0,
    TXQ_DATA_TAIL = 0xE4,
    RXQ_COMP_CFG = 0x54,
    RXQ_COAL = 0x58,
    RXQ_SW_CTRL = 0x64,
    RXQ_RX_PKT = 0x68,
};

#define Q_CFG_DISABLED 0x03000000u /* the driver's word without enables */
#define Q_CFG_ENABLED  0x03030000u
#define RST_Q          0x100u
#define PTR_RESET      0x40000000u /* offset 0, lap 1 */

/* The bank of a queue is at (q + 1) << 12 (seed 000 section 1.1). */
static inline uint32_t q_off(enum side side, unsigned q, uint32_t reg)
{
    return (side == RX ? S2M : 0) + ((q + 1) << 12) + reg;
}

static inline uint32_t sw_ctrl(enum side side)
{
    return side == TX ? TXQ_SW_CTRL : RXQ_SW_CTRL;
}

static inline uint32_t comp_cfg(enum side side)
{
    return side == TX ? TXQ_COMP_CFG : RXQ_COMP_CFG;
}

/* Interrupt groups inside GEN; registers inside a group. */
#define PRIMARY(g)   (GEN + 0x0000u + 0x40u * (g))
#define SECONDARY(g) (GEN + 0x2000u + 0x40u * (g))
enum {
    GROUP_A,
    GROUP_B,
    GROUP_C,
    GROUP_D,
};
enum {
    INT_CAUSE = 0x00,
    INT_CAUSE_SET = 0x08,
    INT_MASK = 0x10,
    INT_MASK_CLEAR = 0x18,
    INT_STATUS = 0x20,
    INT_CONTROL = 0x28,
    INT_ABORT_MASK = 0x30,
    INT_LOG_MASK = 0x38,
};

/* Selectors of the high address word, of queue q: TX, then RX. */
#define VMPR_V4(q) (GEN_EX + 0x400u + 0x40u * (q))

/* AXI path of GEN (common-blocks 1.1.2); g is a master. */
#define ENDIAN_CFG         (GEN + 0x2308u)
#define VMADDR(q)          (GEN + 0x2600u + 0x10u * (q))
#define OUTSTANDING(q, n)  (GEN + 0x2700u + 0x1Cu * (q) + 4u * (n))
#define RST_COUNTERS(q)    OUTSTANDING(q, 6u)
#define DETECTION(g, code) (GEN + 0x2900u + 0x40u * (g) + 4u * (code))
#define TABLE_ADDR(g)      (GEN + 0x2B00u + 8u * (g))
#define TABLE_DATA(g)      (GEN + 0x2B04u + 8u * (g))
#define STATE_REQUEST(q)   (GEN + 0x2C00u + 12u * (q))
#define ERROR_STATUS(q)    (GEN + 0x2C04u + 12u * (q))
#define AXI_QUEUE_CFG(q)   (GEN + 0x2C08u + 12u * (q))
#define INT_CTRL(g, group) (GEN + 0x2D00u + 0x100u * (g) + 0x40u * (group))

/* GEN_EX (seed 002 4). */
#define VMPR(q, n) (GEN_EX + 0x40u * (q) + 4u * (n))
enum {
    SECTION_EN = GEN_EX + 0x800,
    DROP_LSB = GEN_EX + 0x804,
    DROP_MSB = GEN_EX + 0x808,
    INIT_TRIG = GEN_EX + 0x820,
    INIT_IN_PROGRESS = GEN_EX + 0x824,
    ROW_ADDR = GEN_EX + 0xC00,
    ROW_WRITE_CMD = GEN_EX + 0xC04,
    ROW_COUNT_CMD = GEN_EX + 0xC08,
    ROW_MSB = GEN_EX + 0xC0C,
    ROW_MSB_SEL = GEN_EX + 0xC10,
    ROW_VMID = GEN_EX + 0xC14,
    ROW_PADDING = GEN_EX + 0xC18,
};
#define RXQ_PKT_CFG     0x5Cu
#define FORCE_HDR_SPLIT 0x10000u

/* ---- descriptors -------------------------------------------------------- */

#define D_META   0x00800000u
#define D_FIRST  0x04000000u
#define D_LAST   0x08000000u
#define D_INT_EN 0x10000000u
#define D_DMB    0x40000000u
#define D_ONE    (D_FIRST | D_LAST)
#define D_LAP(n) ((uint32_t)(n) << 24)
#define D_DUAL   0x80000000u /* RX: buffer 2 is there */

#define META_COPY 0x01080003u /* plain copy (udma-engine 4.5) */

/* Completion word 0. */
#define C_BUF1  0x40000000u
#define C_DDP   0x20000000u
#define C_ERROR 0x80000000u

/* ---- the chip ----------------------------------------------------------- */

#define HBM_0       UINT64_C(0)
#define HBM_BYTES   UINT64_C(0x600000000)
#define HOST_MEMORY UINT64_C(0x400000000000)
/* Nothing is mapped here: the TPB region behind SBUF. */
#define UNMAPPED UINT64_C(0x2002000000)

struct rig {
    struct trench_soc *soc;
    struct trench_bus *bus;
    const struct trench_gen *gen; /* NULL = cayman, by rig_engine_base() */
    uint64_t next;                /* first free byte of the arena */
};

/* As cmocka wants them; *state is a struct rig. */
int rig_setup(void **state);
int rig_setup_stepped(void **state);
int rig_setup_sunda(void **state);
int rig_teardown(void **state);

void rig_open(struct rig *r, const struct trench_soc_conf *conf);
void rig_close(struct rig *r);

/* Registers to power-on, the arena to zeros and free. */
void rig_reset(struct rig *r);

/* Zeroed memory of HBM_0, 4 KiB aligned. */
uint64_t rig_alloc(struct rig *r, uint64_t bytes);

/* The formulas of address-map 2.2, plain route. */
uint64_t rig_engine_base(unsigned engine);

uint32_t rig_read(struct rig *r, unsigned engine, uint32_t off);
void rig_write(struct rig *r, unsigned engine, uint32_t off, uint32_t val);

/* Host address of len bytes; fails the test when they are not memory. */
void *rig_mem(struct rig *r, uint64_t addr, uint64_t len);
uint32_t rig_word(struct rig *r, uint64_t addr);

/* A pattern that differs by place and by seed. */
void rig_fill(struct rig *r, uint64_t addr, uint64_t len, uint32_t seed);

/* An engine's counters. */
struct trench_soc_engine_stats rig_stats(struct rig *r, unsigned engine);

/* ---- a queue pair -------------------------------------------------------- */

struct rig_ring {
    uint64_t base;
    uint32_t len;
    uint32_t idx; /* where the next descriptor goes */
    uint32_t lap; /* its tag */
};

struct rig_queue {
    struct rig *rig;
    unsigned engine;
    unsigned q;
    struct rig_ring ring[2]; /* by enum side */
};

/* Allocate both rings and program them. */
void rig_queue_open(struct rig_queue *rq, struct rig *r, unsigned engine,
                    unsigned q, uint32_t len);

/* The queue init of udma-engine 5.8.2 with what ring[] says; starts over. */
void rig_queue_program(struct rig_queue *rq);

uint32_t rig_q(struct rig_queue *rq, enum side side, uint32_t reg);
void rig_q_set(struct rig_queue *rq, enum side side, uint32_t reg,
               uint32_t val);

/* Write words 0, 1 and the address at the ring's index; the tag is added. */
void rig_desc(struct rig_queue *rq, enum side side, const uint32_t words[2],
              uint64_t addr);

/* A copy descriptor with flags; len 65536 is encoded as 0. */
void rig_tx(struct rig_queue *rq, uint32_t flags, uint64_t src, uint32_t len);
void rig_rx(struct rig_queue *rq, uint64_t dst, uint32_t len);

void rig_bell(struct rig_queue *rq, enum side side, uint32_t n);

/* One packet of one descriptor each way, RX bell first. */
void rig_copy(struct rig_queue *rq, uint64_t dst, uint64_t src, uint32_t len);

/* ---- accesses ----------------------------------------------------------- */

#define WATCH_MAX 256u

/* A hook that keeps what it sees, and answers as judge says. */
struct rig_watch {
    struct trench_access seen[WATCH_MAX];
    unsigned nr; /* beyond WATCH_MAX they are only counted */
    /* The answer; NULL = always good. arg is the test's. */
    unsigned (*judge)(const struct trench_access *a, const void *arg);
    const void *arg;
};

void rig_watch(struct rig *r, struct rig_watch *w);

/* The newest access of a master; fails the test when there is none. */
const struct trench_access *rig_watched(const struct rig_watch *w,
                                        unsigned master);

/* A row of the transaction type table, for queue q. */
struct rig_row {
    uint32_t write_cmd;
    uint32_t count_cmd;
    uint32_t msb, msb_sel;
    uint32_t vmid; /* id, and select in the high half */
    uint32_t padding;
};
void rig_row(struct rig *r, unsigned engine, unsigned q, unsigned type,
             const struct rig_row *row);

/* Xorshift; never 0 for a state that is not. */
uint32_t rig_random(uint32_t *state);

/* A seed that TRENCH_TEST_SEED may replace; printed. */
uint32_t rig_seed(const char *test, uint32_t seed);

/* ---- a bench ------------------------------------------------------------ */

/* What most tests start from: one queue, a source and a destination. */
struct bench {
    struct rig *rig;
    struct rig_queue rq;
    uint64_t src;
    uint64_t dst; /* zeroed */
};

#define ENGINE      5u
#define QUEUE       3u
#define BENCH_BYTES 0x40000u

/* Start over: the chip is reset first. */
void bench_open(struct bench *b, struct rig *r, uint32_t len);

/* FIRST and LAST of descriptor i of n. */
static inline uint32_t d_marks(unsigned i, unsigned n)
{
    return (i == 0 ? D_FIRST : 0) | (i + 1 == n ? D_LAST : 0);
}

/*
 * Post and ring one packet from src to dst: n descriptors into m buffers,
 * equal parts. bytes is a multiple of n and of m.
 */
void bench_packet(struct bench *b, unsigned n, unsigned m, uint32_t bytes);

/* A completion ring for one side, uncoalesced. */
uint64_t bench_completions(struct bench *b, enum side side);

/* Check a pointer register: offset and lap. */
#define CHECK_PTR(rq, side, reg, off, lap, ...)                                \
    CHECK_EQ(rig_q(rq, side, reg), (off) | (uint32_t)((lap)&3) << 30,          \
             __VA_ARGS__)

/* Check that memory at dst equals memory at src. */
#define CHECK_COPY(r, dst, src, len, ...)                                      \
    CHECK_MEM(rig_mem(r, dst, len), rig_mem(r, src, len), len, __VA_ARGS__)

/* Check that every byte is zero, as rig_alloc() left it. */
#define CHECK_UNTOUCHED(r, addr, len, ...)                                     \
    do {                                                                       \
        const uint8_t *untouched_ = rig_mem(r, addr, len);                     \
                                                                               \
        for (uint64_t at_ = 0; at_ < (len); at_++) {                           \
            CHECK_EQ(untouched_[at_], 0, __VA_ARGS__);                         \
        }                                                                      \
    } while (0)

#endif /* TRENCH_TESTS_RIG_H */
