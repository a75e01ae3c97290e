/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The notification block of a channel: 16-byte records of what its engines
 * do, written into ten rings in memory (common-blocks 2).
 *
 *   source -> input buffer (one a record class) -> software queue -> memory
 *
 * A record passes straight through. It stays in its input buffer only while
 * its queue is full and says that it wants to be waited for (sw_backpressure);
 * the next record of the class then finds the buffer taken, and is lost or
 * makes its source wait (hw_backpressure).
 *
 * A record may land in registers, also in those of this block or of the queue
 * that it tells of. So a caller looks again at what it knew after each record.
 */
#ifndef TRENCH_NOTIFIC_H
#define TRENCH_NOTIFIC_H

#include <stdbool.h>
#include <stdint.h>

#include "notific_10_queue_gen.h"

struct channel;
struct trench_soc;
struct hook_list;

#define NOTIFIC_QUEUES       NOTIFIC_10_QUEUE_NOTIFIC_NQ_COUNT
#define NOTIFIC_RECORD_BYTES 16u

/* Phase bit of the first lap; which of the two is not published. */
#define NOTIFIC_FIRST_PHASE 1u

/*
 * Classes of DMA records, by the code in the record (2.4.2). Input buffer and
 * record class correspond one to one: there are as many of each.
 */
enum notific_class {
    NOTIFIC_M2S_SOP = 0x1,
    NOTIFIC_M2S_EOP = 0x2,
    NOTIFIC_M2S_COMPLETION = 0x3, /* never sent, but it has its buffer */
    NOTIFIC_S2M_SOP = 0x4,
    NOTIFIC_S2M_EOP = 0x5,
    NOTIFIC_S2M_COMPLETION = 0x6,
    NOTIFIC_AXI_REQ_0 = 0x8,
    NOTIFIC_AXI_REQ_1 = 0x9,
    NOTIFIC_AXI_RSP_0 = 0xA,
    NOTIFIC_AXI_RSP_1 = 0xB,
    NOTIFIC_APB_REQ_0 = 0xC,
    NOTIFIC_APB_REQ_1 = 0xD,
};

#define NOTIFIC_INPUTS 12u

/* Input buffer of a class: the codes in order, without the gap at 7. */
static inline unsigned notific_input(enum notific_class cls)
{
    return cls - (cls < NOTIFIC_AXI_REQ_0 ? 1u : 2u);
}

/* Interrupt outputs (2.5), inputs 0 to 8 of the trigger (address-map 6.3). */
enum notific_intr {
    NOTIFIC_INTR_QUEUE_FULL,
    NOTIFIC_INTR_QUEUE_DISABLED,
    NOTIFIC_INTR_INPUT_STALL,
    NOTIFIC_INTR_INPUT_DROP,
    NOTIFIC_INTR_AXI_ERROR,
    NOTIFIC_INTR_AXI_STALL, /* never: writes are answered at once */
    NOTIFIC_INTR_THRESHOLD,
    NOTIFIC_INTR_OVERLAP,
    NOTIFIC_INTR_COALESCER, /* never: records are not coalesced */
    NOTIFIC_NR_INTRS,
};

/* A record: words 0 and 1, and the time stamp. */
struct notific_record {
    uint64_t body;
    uint64_t time;
};

/* What became of the records. */
struct notific_counts {
    uint64_t masked;   /* input buffer off */
    uint64_t no_queue; /* sw_queue names none */
    uint64_t disabled; /* queue off, or without room for one record */
    uint64_t full;     /* queue full, dropped */
    uint64_t input;    /* input buffer full, lost */
    uint64_t refused;  /* by the bus */
    uint64_t intr[NOTIFIC_NR_INTRS];
};

/*
 * A queue; what comes from its registers is copied when they are written.
 *
 * The next `run` records are like most: one after the other in memory, without
 * reaching the ring's last place, the head, or anything else to think of. A
 * run begins with a record that went the long way (notific.c), and ends when
 * the queue's registers or the regions of the bus change.
 */
struct notific_queue {
    uint8_t *place;  /* of the run's next record */
    uint64_t layout; /* of the bus when the run began */
    uint32_t run;
    uint64_t base;
    uint32_t bytes; /* whole records; 0 = no ring */
    uint32_t head;
    uint32_t tail; /* bytes from the base */
    uint32_t threshold;
    uint32_t phase;
    uint32_t hint;   /* bus region of the ring */
    bool overflowed; /* the next record tells of a lost one */
    bool watched;    /* against its threshold */
    bool passed;     /* told of the threshold, until software moves head */
};

/* One input buffer. */
struct notific_held {
    struct notific_record rec;
    unsigned sw_queue;
    uint64_t age; /* in order of arrival */
    bool valid;
    bool stalled; /* its source has been told to wait */
};

struct notific {
    struct notific_queue nq[NOTIFIC_QUEUES];
    struct notific_held held[NOTIFIC_INPUTS];
    struct notific_counts counts;
    /* The registers that every record looks at. */
    const uint32_t *input_enable;
    const uint32_t *input_stall;
    const uint32_t *queue_stall;
    const uint32_t *overwrite;
    const uint32_t *uart;
    const uint32_t *threshold_en;
    const uint32_t *timestamp_inc;
    uint64_t time; /* picoseconds at clock `since` */
    uint64_t since;
    uint64_t arrivals;
    uint64_t stall_clocks; /* since the last read, up to stall_since */
    uint64_t stall_since;
    uint64_t error_addr;
    uint32_t nr_held;
    uint32_t open;  /* inputs that are enabled; 0 while a record is held */
    uint32_t on;    /* queues that are enabled and have a ring */
    uint32_t plain; /* of these, those without threshold or uart mode */
    uint32_t stats; /* nq_stats */
    bool overlapping;
    bool draining;
};

void notific_bind(struct channel *ch);
void notific_reset(struct channel *ch);

/* input_enable was written. */
void notific_reopen(struct notific *n);

/* The class could be taken now, or is masked, or may be lost. */
static inline bool notific_ready(const struct notific *n,
                                 enum notific_class cls)
{
    unsigned i = notific_input(cls);

    return !n->held[i].valid || !(*n->input_enable >> i & 1) ||
           !(*n->input_stall >> i & 1);
}

/* The source of a class waits: raises the interrupt once a wait. */
void notific_stall(struct channel *ch, enum notific_class cls);

/* What notific_post() does with a record that is not like most. */
bool notific_post_slowly(struct channel *ch, enum notific_class cls,
                         unsigned id, struct notific_record rec);

/* An interrupt output rises: latched, counted. */
void notific_interrupt(struct channel *ch, enum notific_intr bit);

/*
 * Something that a held record or a waiting source may have waited for: write
 * what can be written, and wake the queues of the channel that wait.
 */
void notific_kick(struct channel *ch);

/* A queue was programmed anew: what it was, and what is held for it, is gone.
 */
void notific_queue_restart(struct channel *ch, unsigned id);

/* The registers of a queue, or the switches, have been written. */
void notific_reload(struct channel *ch, unsigned id);

/* ... and the rings that count are others: looks for overlaps, too. */
void notific_reload_all(struct channel *ch);

/* Restart the time base at the present time, before the increment changes. */
void notific_rebase(struct channel *ch, uint32_t old_inc);

/* The ring of a queue has no place left; false when it has no ring. */
bool notific_full(const struct channel *ch, unsigned n);

/* Clocks with a record held, since this was last called. */
uint32_t notific_take_stall(struct channel *ch);

/* A block to look at; engine is below the generation's number. */
const struct notific *notific_of(const struct trench_soc *soc, unsigned engine);

extern const struct hook_list notific_hooks; /* notific_regs.c */

#endif /* TRENCH_NOTIFIC_H */
