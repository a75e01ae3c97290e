/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * One SDMA channel: the M2S and S2M engines, their shared register files and
 * the stream between them. M2S queue q feeds S2M queue q (udma-engine B29).
 *
 * Life of a packet
 *
 *   doorbell -> prefetch (checks B26) -> schedule (B28) -> move -> complete
 *                                          ^                |
 *                                          +-- waits for an S2M descriptor
 *
 * Everything that can run is a bit in `active`; a queue that finds nothing to
 * do clears its bit and is looked at again when a register write sets it.
 */
#ifndef TRENCH_CHANNEL_H
#define TRENCH_CHANNEL_H

#include <trench/access.h>
#include <trench/app.h>
#include <trench/soc.h>

#include "base/log.h"
#include "bus/bus_priv.h"
#include "csr/regfile.h"
#include "dev/intr.h"
#include "dev/notific.h"
#include "dev/ring.h"
#include "dev/tdma.h"
#include "udma_m2s_gen.h"

struct channel;

/* Commands of change_state as seen by the engine (udma-engine B2, B9). */
enum side_state {
    SIDE_RUN, /* power-on */
    SIDE_DISABLED,
    SIDE_ABORTED,
};

/* Secondary interrupt groups, by number (udma-engine 3.2, 3.3). */
enum sec_group {
    SEC_GROUP_M2S,
    SEC_GROUP_S2M,
    SEC_GROUP_FIFO, /* parity of the AXI FIFOs */
};

/* Cause bits of group A; those of the AXI masters are in axi_error.c. */
enum m2s_cause {
    M2S_CAUSE_STREAM_RESPONSE = 2,
    M2S_CAUSE_PKT_LEN = 13,
    M2S_CAUSE_MAX_DESC = 14,
    M2S_CAUSE_FIRST = 15,
    M2S_CAUSE_LAST = 16,
    M2S_CAUSE_RING_ID = 17,
};

/* Cause bits of group B. */
enum s2m_cause {
    S2M_CAUSE_HDR_BUF2_SHORT = 3,
    S2M_CAUSE_HDR_NO_BUF2 = 4,
    S2M_CAUSE_NO_DESC_TIMEOUT = 6,
    S2M_CAUSE_NO_DESC_HINT = 7,
    S2M_CAUSE_RING_ID = 11,
};

/* Per queue: the packet that is being fetched. */
struct m2s_fetch {
    uint64_t bytes;
    uint32_t descs;
    bool open;   /* FIRST seen, LAST not yet */
    bool broken; /* found in error: throw away up to LAST */
};

/* Per queue: the packet that is being moved, between two waits. */
struct packet {
    uint64_t bytes;    /* of the whole packet */
    uint64_t left;     /* bytes to move, all descriptors */
    uint32_t zero_len; /* bytes that a length of 0 means, since it began */
    uint32_t descs;    /* M2S descriptors; 0 = none is being moved */
    uint32_t desc_idx; /* the one being read */
    uint32_t desc_off; /* bytes of it already moved */
    uint32_t fill;     /* bytes in buffer 1 of the S2M descriptor */
    bool rx_open;      /* one is being filled */
    bool rx_first;     /* it is the packet's first */
    bool error;        /* the packet lost bytes */
    bool cancelled;    /* its S2M ring was reset under it */
    bool finishing;    /* its descriptors are being completed */
    uint32_t finished; /* of them, how many are */
    bool sectioned;    /* the queue's struct sections is about it */
    bool app_ready;    /* its stream has been made */
    bool app_lost;     /* ... or cannot be: a source was refused */
    uint8_t app;       /* enum trench_app_engine; 0 = a plain copy */
};

/* Per queue: where the packet's parts have gone; see section.h. */
struct sections {
    uint32_t fill2;       /* bytes in buffer 2 of the S2M descriptor */
    uint32_t fill_ddp;    /* bytes placed directly */
    uint32_t header_left; /* of the packet's header */
    uint32_t count[2];    /* lengths that the transaction table counts */
    bool counted;         /* the completion takes those */
    bool data_begins;     /* the header is over, the data has not begun */
};

/* Some of it has been delivered, so it cannot be held back any more. */
static inline bool packet_started(const struct packet *pkt)
{
    return pkt->rx_open ||
           (pkt->descs > 0 && !pkt->rx_first && !pkt->finishing);
}

/* The same, or its completions are under way. */
static inline bool packet_begun(const struct packet *pkt)
{
    return packet_started(pkt) || pkt->finishing;
}

struct m2s_queue {
    struct ring ring;
    struct ring_ptr data_tail;
    uint32_t ready; /* FIFO_END marks in the FIFO */
    struct m2s_fetch fetch;
    uint64_t max_bytes; /* of a packet; renewed with every fetch */
    uint32_t max_descs;
    struct packet packet;
    struct sections sections;
    uint32_t src_hint;
    uint32_t dst_hint;
    bool programs;    /* the last word went into a register: so may the next */
    uint32_t packets; /* q_tx_pkt */
    uint32_t epoch;   /* a reset under way is seen by a change of this */
    int64_t deficit;  /* DWRR credit or debt: bytes, or packets */
};

/*
 * Token buckets of M2S (limiter.c): one a queue, and one for the stream that
 * they share.
 */
#define LIMITER_STREAM TRENCH_NR_QUEUES

struct bucket {
    int64_t bits;      /* tokens; below 0 after a packet on credit */
    uint32_t long_pos; /* short cycles into the long one */
};

struct limiter {
    struct bucket bucket[TRENCH_NR_QUEUES + 1];
    uint32_t short_pos; /* clocks into the short cycle */
    /* By bucket, from the registers. */
    uint32_t enabled;
    uint32_t obeyed; /* enabled and not masked */
};

/* A completion on its way to the ring, not yet seen by software. */
struct held {
    struct desc comp;
    bool interrupt; /* to raise with it */
};

/* Completions of one queue that wait for company (coal.c). */
struct coal {
    struct held *held; /* COAL_MAX entries, zero pages at first */
    uint32_t rd;
    uint32_t nr;
    uint64_t waited; /* clocks, the oldest */
    bool flushing;
};

#define COAL_MAX 64u

struct s2m_queue {
    struct ring ring;
    uint32_t packets; /* q_rx_pkt */
    bool waiting;     /* a packet is without a buffer, and the hint given */
    bool timed_out;   /* the wait's timer has expired */
    uint64_t since;   /* when the wait began */
};

/* The counters of M2S_stat and S2M_stat; registers show the low 32 bits. */
struct side_stats {
    uint64_t pkt;
    uint64_t bytes;
    uint64_t bytes_high_shown; /* frozen by the read of the low word */
    uint64_t prefed_desc;
    uint64_t comp_pkt;
    uint64_t comp_desc;
    uint64_t ack_pkts;
    uint64_t drop_pkt;
};

/* The owner of a side's register file. */
struct side {
    struct channel *ch;
    enum sec_group group;
    const uint32_t *indirect_ctrl; /* picks the queue of the sel_ windows */
    enum side_state state;
    struct side_stats stats;
    bool log_held; /* log_0..3 hold the first error */
};

/*
 * The side works for a packet. A stop lets one that has begun finish
 * (udma-engine B6).
 */
static inline bool side_works(const struct side *side, bool begun)
{
    return side->state == SIDE_RUN || (begun && side->state == SIDE_DISABLED);
}

#define CHIP_MAX_ENGINES 256u

/* A fault under way. */
struct injected {
    struct trench_fault fault;
    struct trench_fault_stats stats;
};

/* What NON_ACTIVE queues do, a bit a queue (common-blocks 1.1.5). */
struct axi_effects {
    uint32_t tx_stop_pref;
    uint32_t tx_stop_sched;
    uint32_t tx_cmpl_error;
    uint32_t tx_stream_error;
    uint32_t rx_stop_pref;
    uint32_t rx_drop;
    uint32_t rx_cmpl_error;
};

/* A row of the transaction type table (seed 002 4.2). */
struct section_row {
    uint8_t write_cmd;
    uint8_t count_cmd;
    uint8_t padding;
    uint32_t msb;
    uint32_t msb_sel;
    uint32_t vmid; /* 15:0 the id, 31:16 the select */
};

#define AXI_CONTROL_ROWS 128u /* queue and error type */
#define SECTION_TYPES    32u

/* Tables that registers only give a window on. */
struct channel_tables {
    bool dirty;
    uint8_t error_control[TRENCH_NR_AXI_MASTERS][AXI_CONTROL_ROWS];
    struct section_row sections[TRENCH_NR_QUEUES][SECTION_TYPES];
};
/* Clocks until something that does not come by itself. */
#define CLOCK_NEVER UINT64_MAX

/* The broadcast fabric: how it is set, and what it has done. */
struct fabric {
    struct trench_bcast_conf conf;
    uint32_t groups; /* that a broadcast counts as being in */
    trench_bcast_fn fn;
    void *opaque;
    uint64_t reads;
    uint64_t writes;
    uint64_t reached[TRENCH_BCAST_MAX_LANES + 1];
    struct trench_bcast_delivery last; /* when writes > 0 */
};

/* Chips that identifiers can tell apart, at most. */
#define POD_MAX_CHIPS 64u

/* Register hooks that use the bus, within each other, in all of the chips. */
#define POD_MAX_NESTING 64u

/*
 * Chips whose buses are linked: they run by turns, one at a time, and time
 * passes for all of them. A chip alone is a pod of one.
 */
struct pod {
    struct chip *chips[POD_MAX_CHIPS];
    unsigned nr;
    uint64_t budget; /* units that one access may run */
    bool stepped;    /* register writes only post */
    bool running;    /* a write from inside a run only posts */
    bool rises;      /* some chip has vectors to tell about */
    bool telling;    /* a callback is under way */
    bool notifying;  /* a notification record is being written */
    unsigned nested; /* hooks that use the bus and have not returned */
    unsigned next;   /* chip to go on with after a budget stop */
    uint64_t posted; /* chips with work, a bit each */
};

/* What the channels of a chip have in common. */
struct chip {
    struct pod *pod;
    uint64_t bit; /* the chip's own in a set */
    const struct trench_gen *gen;
    struct logger log;
    uint64_t clock; /* virtual, wraps: only trench_soc_advance() moves it */
    uint64_t guest_errors;
    struct fabric fabric;
    uint64_t budget_stops; /* accesses that left work over */
    enum trench_cce_nibbles cce_nibbles;
    uint8_t *app_stages;  /* of every queue (app.c) */
    uint8_t *app_scratch; /* of the packet that is being computed */
    trench_intr_fn intr;  /* NULL = nobody listens */
    void *intr_opaque;
    bool rises;               /* some channel has vectors to tell about */
    unsigned apb_watch;       /* engines that look at register writes */
    unsigned next;            /* engine to go on with after a budget stop */
    struct channel *channels; /* gen->nr_engines */
    trench_access_fn access;  /* sees every access; NULL = nobody */
    void *access_opaque;
    uint64_t asked; /* accesses that it has seen */
    unsigned nr_faults;
    struct injected faults[TRENCH_MAX_FAULTS];
    /* Engines that may have something to do, a bit each. */
    uint64_t runnable[CHIP_MAX_ENGINES / 64];
    /* Engines in which something may depend on time. */
    uint64_t timed[CHIP_MAX_ENGINES / 64];
};

/* Accesses are looked at one by one. */
static inline bool chip_watched(const struct chip *chip)
{
    return chip->access || chip->nr_faults > 0;
}

/* Settings that every packet looks at: their words, found once. */
struct channel_words {
    const uint32_t *cfg_len;
    const uint32_t *m2s_stream_cfg;
    const uint32_t *cfg_prefetch;
    const uint32_t *desc_pref_cfg_2;
    const uint32_t *cfg_sched;
    const uint32_t *cfg_st;
    const uint32_t *s2m_stream_cfg;
    const uint32_t *s2m_comp_cfg_1c;
    const uint32_t *zeroes0;
    const uint32_t *timer;
};

/* One block of a channel, as its bus window sees it. */
struct unit {
    struct regfile rf;
    struct chip *chip;
    struct channel *ch; /* NULL = a device beside the channels */
    uint32_t apb_base;  /* bits 31:0 of its address, plain route */
};

/* What the application engines of a channel keep (app.c). */
struct app {
    struct trench_app_stats stats;
    uint32_t crc[TRENCH_NR_QUEUES][8]; /* cached sums of the CME */
    struct {
        const uint32_t *absolute; /* NULL = the block is not in the map */
        const uint32_t *zero;
        const uint32_t *one;
    } cce; /* words of its registers */
};

struct channel {
    struct chip *chip;
    struct trench_bus *bus;
    uint32_t initiator;
    unsigned engine;
    struct unit units[TRENCH_NR_CHANNEL_BLOCKS];
    const struct trench_csr_block *iofic; /* rules inside the int_ctrl words */
    struct channel_words reg;
    struct intr intr;
    uint64_t risen[3];    /* vectors that the host has not been told of */
    uint64_t timer_since; /* when the general timer's period began */
    struct side m2s_side;
    struct side s2m_side;
    struct m2s_queue m2s[TRENCH_NR_QUEUES];
    struct s2m_queue s2m[TRENCH_NR_QUEUES];
    uint32_t active; /* queues that may have something to do */
    uint32_t woken;  /* of them, those that became so since they were served */
    uint32_t plain;  /* queues that go straight to memory (axi.h) */
    struct axi_effects effects;
    struct channel_tables *tables;
    bool accel_in_memory; /* an accelerated address hides memory */
    bool table_init;      /* of the transaction table, not yet seen to end */
    const uint32_t *group_mask; /* papb_bcast's; NULL = it has none */
    uint32_t starved; /* queues whose packet waits for an S2M descriptor */
    uint32_t limited; /* queues with a limiter to ask */
    uint32_t asleep;  /* queues that wait for tokens */
    unsigned last_q;  /* served last, for round robin */
    struct limiter limiter;
    struct coal coal[2][TRENCH_NR_QUEUES]; /* by enum sec_group */
    uint32_t holding[2];                   /* queues with completions held */
    uint64_t notes;                        /* what notifications look at */
    struct trench_soc_engine_stats stats;
    struct tdma tdma;
    struct notific notific;
    struct app app;
};

/*
 * One side of queue q. The same as &ch->m2s[q], which the compiler however
 * works out anew at each use: that made a tenth of the instructions of a small
 * packet. Likewise the notes of a packet.
 */
#define M2S_QUEUE(ch, q) ((ch)->m2s + (q))
#define S2M_QUEUE(ch, q) ((ch)->s2m + (q))
#define TDMA_NOTE(ch, q) ((ch)->tdma.note + (q))

/* The engine may have something to do. */
static inline void channel_runnable(struct channel *ch)
{
    ch->chip->runnable[ch->engine / 64] |= UINT64_C(1) << ch->engine % 64;
}

/* Something in the engine depends on time, or did when last looked at. */
static inline void channel_timed(struct channel *ch)
{
    if (ch->starved | ch->asleep | ch->limiter.enabled | ch->holding[0] |
        ch->holding[1] | *ch->reg.timer) {
        ch->chip->timed[ch->engine / 64] |= UINT64_C(1) << ch->engine % 64;
    }
}

/* Hooks of a block that has behaviour, for regfile_class_hook(). */
struct hook_list {
    enum trench_block_id block;
    const struct regfile_hook *hooks;
    size_t nr;
};

/* Registers that matter without a hook: code reads them, or answers in them. */
struct use_list {
    enum trench_block_id block;
    const uint32_t *offsets; /* of array index 0, from a generated header */
    size_t nr;
};

/* Something that queue q waited for may have happened. */
void channel_wake(struct channel *ch, uint32_t queues);

/*
 * Report an error: cause bit, header log, statistics. Returns true when the
 * engine may carry on, false when it has aborted (udma-engine B7, B26).
 */
bool channel_error(struct channel *ch, enum sec_group group, unsigned bit,
                   const struct desc *header);

/* The side of an error, both for group C, has not been aborted. */
bool channel_goes_on(const struct channel *ch, enum sec_group group);

/* As channel_error() for a cause that is no error. */
bool channel_hint(struct channel *ch, enum sec_group group, unsigned bit);

/* A log line about something worth knowing. */
__attribute__((format(printf, 2, 3))) void channel_log(struct channel *ch,
                                                       const char *fmt, ...);

/* A log line about something that software should not have done. */
__attribute__((format(printf, 2, 3))) void channel_guest_error(
    struct channel *ch, const char *fmt, ...);

/* One side's part in a fetch. */
struct fetch_ops {
    enum sec_group group;
    unsigned stream;        /* enum axi_stream */
    unsigned ring_id_cause; /* the lap tag is not that of the head */
    /* Take the descriptor into the FIFO; false when the engine aborted. */
    bool (*accept)(struct channel *ch, unsigned q, const struct desc *d);
};

/* Fetch from a ring until it is empty or the FIFO is full. */
void channel_fetch(struct channel *ch, struct ring *r, unsigned q,
                   const struct fetch_ops *ops);

/* Completion heads move without a completion ring (udma-engine B12). */
static inline bool channel_head_report(const struct channel *ch)
{
    return !(*ch->reg.zeroes0 & 1);
}

/* What a length of 0 means; both sides follow the one bit (udma-engine B33). */
static inline uint32_t channel_zero_len(const struct channel *ch)
{
    return *ch->reg.cfg_len & UDMA_M2S_M2S_CFG_LEN_ENCODE_64K_MASK ? 65536 : 0;
}

static inline uint32_t desc_len_bytes(const struct desc *d, uint32_t zero_len)
{
    uint32_t len = d->w[0] & DESC_LEN_MASK;

    return len ? len : zero_len;
}

#endif /* TRENCH_CHANNEL_H */
