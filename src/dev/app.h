/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Application engines: packets that are more than a plain copy
 * (common-blocks 3).
 *
 *   app_accept()  reads the descriptors: which engine, how many bytes
 *   app_ready()   when the first S2M buffer is there: reads the sources and
 *                 computes the stream, into the queue's stage
 *   packet.c      moves the stage into S2M buffers
 *
 * An engine looks at the descriptors twice, in both steps; what it finds the
 * first time may be gone the second time, as all of the queue's state.
 */
#ifndef TRENCH_APP_DEV_H
#define TRENCH_APP_DEV_H

#include "dev/channel.h"

/* Bytes that an engine makes of one packet, at most. */
#define APP_STAGE_BYTES 0x40000u

/* Sources that are not read in place: those of the largest CCE packet. */
#define APP_SOURCE_BYTES  (2048u * 8)
#define APP_SCRATCH_BYTES 0x90000u

/* Put the stages of all queues and the scratch in place. 0 or an error. */
int app_build(struct chip *chip);
void app_fini(struct chip *chip);

/* What a packet is to an engine. */
struct app_plan {
    enum trench_app_engine engine;
    uint64_t bytes;          /* of the stream that it becomes */
    const struct desc *desc; /* refused: because of it; NULL = of the mix */
};

/*
 * The n oldest descriptors of queue q, which are not a plain copy: find their
 * engine. False when none takes them; the reason has been counted.
 */
bool app_accept(struct channel *ch, unsigned q, uint32_t n,
                struct app_plan *plan);

/* The packet that begins is one that has been accepted. */
void app_begin(struct channel *ch, unsigned q, const struct app_plan *plan);

/*
 * Have the stream of the packet ready, now that rx can take some of it; it may
 * have gone there already. False when the queue was reset or stopped.
 */
bool app_ready(struct channel *ch, unsigned q, const struct desc *rx);

/* The part of the stream that is to move next. */
const uint8_t *app_stream(const struct channel *ch, unsigned q);

/* The engine that has a packet of queue q in flight. */
enum trench_app_engine app_in_flight(const struct channel *ch, unsigned q);

/*
 * The stream answers with an error, about a descriptor: cause 2, unless both
 * error indications are masked. False when that aborted.
 */
bool app_stream_error(struct channel *ch, const struct desc *d);

void app_reset(struct channel *ch);

/* ---- for the engines ----------------------------------------------------- */

/* A packet as an engine sees it. */
struct app_packet {
    struct channel *ch;
    unsigned q;
    uint32_t descs;
    const struct desc *rx; /* the first buffer; NULL while it is accepted */
    bool mismatch;         /* data did not have the sum that it should */
    struct desc culprit;   /* ... by this descriptor */
};

/* Why an engine does not take a packet. */
struct app_refusal {
    const struct desc *desc; /* NULL = the packet as a whole */
    unsigned trigger;        /* TRENCH_NR_APP_TRIGGERS = one without a name */
};

/* Refuse; always false, to return it. */
static inline bool app_refuse(struct app_refusal *no, const struct desc *d,
                              unsigned trigger)
{
    no->desc = d;
    no->trigger = trigger;
    return false;
}

/* Descriptor i, valid until something outside is asked. */
static inline const struct desc *app_desc(const struct app_packet *p,
                                          uint32_t i)
{
    return &ring_fifo_at(&M2S_QUEUE(p->ch, p->q)->ring, i)->desc;
}

/* How it went with something that reads. */
enum app_got {
    APP_GOT,
    APP_LOST,    /* an access was answered with an error */
    APP_STOPPED, /* the engine stopped or the queue was reset */
};

/*
 * Where a buffer of the packet is, when that is memory and nothing is in
 * between; else NULL. Nothing is counted.
 */
const void *app_in_place(const struct app_packet *p, const struct desc *tx,
                         uint32_t len);

/*
 * Read a buffer of the packet, len bytes: *data is where they are, in memory
 * itself or in `to`, which has room for them. Memory may go with the next
 * read: a device that is read from can take it away.
 */
enum app_got app_read(const struct app_packet *p, const struct desc *tx,
                      uint32_t len, uint8_t *to, const void **data);

/* The same, always into `to`. */
enum app_got app_read_to(const struct app_packet *p, const struct desc *tx,
                         uint32_t len, uint8_t *to);

/* Where the engine is to put the stream. */
uint8_t *app_stage(const struct channel *ch, unsigned q);

/*
 * The memory that all of a stream of that many bytes goes to, and nothing
 * looks on; NULL when there is something in between. Who uses it has
 * delivered the packet's data: app_delivered().
 */
void *app_direct(const struct app_packet *p, uint64_t bytes);
void app_delivered(const struct app_packet *p);

void app_trigger(struct channel *ch, unsigned trigger);

/* What an engine does with a packet. */
struct app_ops {
    /* Read the descriptors; the bytes they become. False: refused. */
    bool (*accept)(const struct app_packet *p, uint64_t *bytes,
                   struct app_refusal *no);
    /* Make the stream. */
    enum app_got (*run)(struct app_packet *p);
};

extern const struct app_ops app_dre_ops;
extern const struct app_ops app_cme_ops;
extern const struct app_ops app_cce_ops;

#endif /* TRENCH_APP_DEV_H */
