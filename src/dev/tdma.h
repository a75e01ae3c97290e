/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The application block of a channel, tdma_model: which packets and accesses
 * are told of in notification records (common-blocks 1.3).
 *
 * The data path asks channel.notes and calls here only when that is not 0.
 */
#ifndef TRENCH_TDMA_H
#define TRENCH_TDMA_H

#include <stdbool.h>
#include <stdint.h>

#include <trench/gen.h>

struct channel;
struct hook_list;
struct use_list;
struct unit;

enum tdma_dir {
    TDMA_M2S,
    TDMA_S2M,
};

/*
 * Bits of channel.notes: queue q has a trigger on, its packet is being told of
 * (to its end, whatever the triggers say later), and an AXI trigger is on.
 */
#define TDMA_NOTE_TRIGGER(q) (UINT64_C(1) << (q))
#define TDMA_NOTE_TOLD(q)    (UINT64_C(1) << (16 + (q)))
#define TDMA_NOTE_AXI        (UINT64_C(1) << 32)

/* How far the records of a packet are, one direction. */
enum tdma_stage {
    TDMA_NEW,   /* not counted by the trigger yet */
    TDMA_QUIET, /* passed over */
    TDMA_SOP,   /* its start is to be told */
    TDMA_EOP,   /* its end is to be told */
    TDMA_COMPLETION,
    TDMA_TOLD,
};

/* What there is to know of the packet of a queue. */
struct tdma_packet {
    uint32_t crc[2]; /* the checksum register, by direction */
    uint8_t stage[2];
};

/* Whether the data path goes on after a record. */
enum tdma_go {
    TDMA_GO,
    TDMA_HELD,    /* the packet waits until notific_kick() */
    TDMA_STOPPED, /* the record stopped the engine or reset the queue */
};

/* The words of one queue's trigger, by direction. */
struct tdma_words {
    const uint32_t *trigger;
    const uint32_t *crc_init;
    const uint32_t *sw_queue;
};

/* One of the kinds of fabric trigger: four registers in a row. */
struct tdma_match {
    const uint32_t *trigger;
    const uint32_t *mask;
    const uint32_t *cmp;
    const uint32_t *sw_queue;
};

enum tdma_fabric {
    TDMA_AXI_REQ,
    TDMA_AXI_RSP,
    TDMA_APB_REQ,
    TDMA_NR_FABRIC,
};

#define TDMA_FABRIC_TRIGGERS 2u

struct tdma {
    struct tdma_words reg[TRENCH_NR_QUEUES][2];
    struct tdma_match fabric[TDMA_NR_FABRIC][TDMA_FABRIC_TRIGGERS];
    struct tdma_packet note[TRENCH_NR_QUEUES];
    const uint32_t *stall;
    const uint32_t *combined;
    const uint32_t *rob_cfg;
    uint32_t skip[TRENCH_NR_QUEUES][2]; /* packets until the next record */
    uint32_t waiting; /* queues whose packet waits for the block */
    bool apb_on;      /* counted in chip.apb_watch */
};

void tdma_bind(struct channel *ch);
void tdma_reset(struct channel *ch);

/* Queue q has a new packet. */
void tdma_begin(struct channel *ch, unsigned q);

/* It is about to be sent, or offered again. */
enum tdma_go tdma_send(struct channel *ch, unsigned q);

/* ... and its first buffer to be filled. */
enum tdma_go tdma_receive(struct channel *ch, unsigned q);

/* All its bytes have moved; the last buffer is still open. */
enum tdma_go tdma_end(struct channel *ch, unsigned q);

/* The completion of the last buffer has been written. */
enum tdma_go tdma_completed(struct channel *ch, unsigned q);

/* Bytes that have moved: to is where they are now, when that is memory. */
struct tdma_run {
    const void *to;
    uint64_t dst;
    uint64_t src;
    uint32_t bytes;
    bool made; /* by an application engine: what it read was told then */
};
void tdma_data(struct channel *ch, unsigned q, const struct tdma_run *run);

/* AXI triggers look at a read of queue q. */
void tdma_axi_read(struct channel *ch, unsigned q, uint64_t addr);

/* APB triggers of the unit's channel look at a register write. */
void tdma_apb_write(const struct unit *unit, uint32_t offset);

/* What is switched on, after a write to a trigger. */
void tdma_watch_queue(struct channel *ch, unsigned q);
void tdma_watch_fabric(struct channel *ch);

extern const struct hook_list tdma_hooks; /* tdma_regs.c */
extern const struct use_list tdma_uses;

#endif /* TRENCH_TDMA_H */
