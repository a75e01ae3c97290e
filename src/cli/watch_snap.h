/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How one channel stands: everything that trench watch shows of it, read
 * through the bus by the names of the schemas. What the generation does not
 * have is left out.
 */
#ifndef TRENCH_CLI_WATCH_SNAP_H
#define TRENCH_CLI_WATCH_SNAP_H

#include "cli.h"

#include <trench/cause.h>
#include <trench/gen.h>
#include <trench/soc.h>

/* ---- reading ------------------------------------------------------------- */

/** Where registers are read. */
struct watch_eye {
    struct trench_soc *soc; /**< Borrowed. */
    unsigned engine;
    bool clear; /**< Registers that a read empties are read, too. */
};

/**
 * Find a register or field, such as "M2S_Q.cfg.en_pref", of an engine's block.
 *
 * @param index  In the bundle array; 0 for one that is none.
 * @param out    Receives the address.
 * @return whether there is one.
 */
bool watch_find(struct trench_soc *soc, unsigned engine,
                enum trench_block_id block, const char *name, unsigned index,
                uint64_t *out);

/**
 * Read a register or field, such as "M2S_Q.cfg.en_pref" of a block.
 *
 * @param index  In the bundle array; 0 for one that is none.
 * @param out    Receives the word, or the field; 0 on failure.
 * @return whether there is such a register.
 */
bool watch_read(const struct watch_eye *eye, enum trench_block_id block,
                const char *name, unsigned index, uint32_t *out);

/** The same, 0 where there is no such register. */
uint32_t watch_word(const struct watch_eye *eye, enum trench_block_id block,
                    const char *name, unsigned index);

/** A value of two words. */
uint64_t watch_pair(const struct watch_eye *eye, enum trench_block_id block,
                    const char *low, const char *high, unsigned index);

/* ---- sides and queues ---------------------------------------------------- */

enum watch_dir {
    WATCH_M2S,
    WATCH_S2M,
    WATCH_DIRS,
};

extern const char *const watch_dir_names[WATCH_DIRS];

/** Counters of a side. */
enum watch_counter {
    WATCH_PACKETS,
    WATCH_BYTES,
    WATCH_FETCHED,   /**< Descriptors. */
    WATCH_COMPLETED, /**< Packets. */
    WATCH_WRITTEN,   /**< Completions. */
    WATCH_ACKED,     /**< Packets. */
    WATCH_DROPPED,   /**< Packets. */
    WATCH_COUNTERS,
};

extern const char *const watch_counter_names[WATCH_COUNTERS];

#define WATCH_STAGES    8
#define WATCH_LOG_WORDS 4

/** A stage of a side, and what it does. */
struct watch_stage {
    const char *name; /**< Of the field; constant. */
    unsigned state;   /**< 0 idle, 1 normal, 2 abort. */
};

/** "idle", "normal", "abort". */
const char *watch_state_name(unsigned state);

struct watch_side {
    struct watch_stage stages[WATCH_STAGES];
    unsigned nr_stages;
    unsigned state; /**< Of the worst stage. */
    uint64_t count[WATCH_COUNTERS];
    bool counts[WATCH_COUNTERS]; /**< The side has that counter. */
    uint32_t log[WATCH_LOG_WORDS];
    uint32_t enabled; /**< Queues without a ring that are enabled. */
};

enum watch_pointer {
    WATCH_HEAD,
    WATCH_TAIL,
    WATCH_CURRENT,
    WATCH_COMPLETION,
    WATCH_POINTERS,
};

extern const char *const watch_pointer_names[WATCH_POINTERS];

/** Flags of a queue: bits 0 .. WATCH_FLAGS - 1. */
#define WATCH_FLAGS 6

extern const char *const watch_flag_names[WATCH_DIRS][WATCH_FLAGS];

/** A ring position. */
struct watch_place {
    uint32_t index;
    uint32_t lap;
};

/** One direction of a queue. */
struct watch_queue {
    bool shown;
    uint64_t ring;
    uint64_t completions; /**< Base of the completion ring. */
    uint32_t length;
    struct watch_place at[WATCH_POINTERS];
    uint32_t used;
    uint32_t prefetched;
    uint32_t packets;
    unsigned flags;
};

/* ---- interrupts (watch_intr.c) ------------------------------------------- */

#define WATCH_WINDOWS       9
#define WATCH_WINDOW_GROUPS 4
#define WATCH_GROUPS        (WATCH_WINDOWS * WATCH_WINDOW_GROUPS)

/** An interrupt group that holds causes. */
struct watch_group {
    const char *window; /**< "primary", "secondary", or of an AXI master. */
    unsigned number;    /**< 0 = A */
    bool unread;        /**< A read would empty it. */
    uint32_t cause;
    uint32_t mask;
    uint32_t abort_mask;
};

/** What a cause is called. */
void watch_cause_name(const struct watch_group *group, unsigned bit, char *buf,
                      size_t size);

/** Groups with causes, or unread, into a list. @return how many. */
unsigned watch_read_groups(const struct watch_eye *eye,
                           struct watch_group list[WATCH_GROUPS]);

/** What a vector of enum trench_intr is called. */
void watch_vector_name(unsigned vector, char *buf, size_t size);

/** Whether a vector is in a set. */
bool watch_vector_in(const struct trench_soc_intr *set, unsigned vector);

/* ---- accesses and packets in flight -------------------------------------- */

#define WATCH_AXI_COUNTERS 6

extern const char *const watch_axi_names[WATCH_AXI_COUNTERS];

#define WATCH_APPS 5

extern const char *const watch_app_names[WATCH_APPS];

/* ---- notifications (watch_note.c) ---------------------------------------- */

#define WATCH_NOTE_QUEUES 10
#define WATCH_NOTE_BYTES  16u

struct watch_note_queue {
    bool shown;
    bool enabled;
    bool full;
    bool passed; /**< The threshold. */
    uint64_t base;
    uint32_t size;
    uint32_t head;
    uint32_t tail;
    uint32_t threshold;
    bool readable;    /**< The pointers make sense. */
    uint32_t pending; /**< Records. */
};

struct watch_notes {
    bool exists;
    uint32_t enable;
    uint32_t inputs;
    uint64_t time;       /**< Picoseconds. */
    uint64_t error_addr; /**< 0 = none. */
    bool counted;        /**< The next two were read. */
    uint32_t count;      /**< Records since they were read last. */
    uint32_t stalled;    /**< Cycles since then. */
    struct watch_note_queue queue[WATCH_NOTE_QUEUES];
};

void watch_read_notes(const struct watch_eye *eye, struct watch_notes *out);

/** A record, decoded. */
struct watch_note {
    uint32_t w[4];
    unsigned type;    /**< 2 = DMA */
    const char *name; /**< Constant. */
    bool sw_overflow; /**< Records were lost: the queue was full. */
    bool hw_overflow; /**< Records were lost: the input was full. */
    unsigned phase;   /**< 0 or 1 */
    uint64_t time;    /**< Picoseconds. */
    const char *dma;  /**< "m2s_sop", ...; NULL for other types. */
    int queue;        /**< Or -1. */
    bool has_bytes;   /**< End of a packet: bytes and crc. */
    uint32_t bytes;
    uint32_t crc;
    int metadata;  /**< Start of a packet; else -1. */
    bool has_addr; /**< Fabric: address */
    uint64_t addr;
    int axi_id; /**< Or -1. */
};

/**
 * Read a pending record; only memory is looked at.
 * @param nth  0 = the oldest.
 * @return false when it is not in memory.
 */
bool watch_note_at(const struct watch_eye *eye,
                   const struct watch_note_queue *queue, uint32_t nth,
                   struct watch_note *out);

/* ---- all of a channel ---------------------------------------------------- */

struct watch_snap {
    unsigned engine;
    char name[64];
    uint64_t base;
    struct watch_side side[WATCH_DIRS];
    struct watch_queue queue[TRENCH_NR_QUEUES][WATCH_DIRS];
    struct watch_group groups[WATCH_GROUPS];
    unsigned nr_groups;
    struct trench_soc_intr vectors; /**< Active ones. */
    uint32_t axi[TRENCH_NR_QUEUES][WATCH_AXI_COUNTERS];
    uint32_t app[WATCH_APPS]; /**< A bit for each queue. */
    /** axi_queue.error_status; only with clear. */
    uint32_t errors[TRENCH_NR_QUEUES];
    struct watch_notes notes;
    struct trench_soc_engine_stats stats;
};

/**
 * Look at a channel.
 * @param queues  Which queues to show; NULL = those with a ring.
 */
void watch_snap_take(const struct watch_eye *eye, const struct cli_set *queues,
                     struct watch_snap *out);

/* ---- the view ------------------------------------------------------------ */

/** A figure of trench_soc_engine_stats. */
struct watch_stat {
    const char *name;
    size_t offset; /**< Of the uint64_t. */
};

extern const struct watch_stat watch_stats[];
extern const unsigned watch_nr_stats;

uint64_t watch_stat_get(const struct watch_snap *snap, unsigned n);

struct watch;

/** watch_text.c */
void watch_text_channel(FILE *to, const struct watch *w,
                        const struct watch_eye *eye,
                        const struct watch_snap *snap);

/** watch_json.c. @return NULL without memory. */
json_t *watch_json_channel(const struct watch *w, const struct watch_eye *eye,
                           const struct watch_snap *snap);

#endif /* TRENCH_CLI_WATCH_SNAP_H */
