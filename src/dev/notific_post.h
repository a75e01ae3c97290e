/* SPDX-License-Identifier: BSD-3-Clause */
/* Sending a record, as far as it takes part in the speed of a packet. */
#ifndef TRENCH_NOTIFIC_POST_H
#define TRENCH_NOTIFIC_POST_H

#include <endian.h>
#include <string.h>

#include "dev/channel.h"

/* Word 0 of a record (common-blocks 2.4). */
#define REC_BODY_MASK   0x00FFFFFFu
#define REC_TYPE_DMA    (0x02u << 24)
#define REC_SW_OVERFLOW (1u << 29)
#define REC_HW_OVERFLOW (1u << 30)
#define REC_PHASE_SHIFT 31

/* The time stamp at a clock; wraps, as a counter does. */
static inline uint64_t notific_time_at(const struct notific *n, uint64_t clock,
                                       uint32_t inc)
{
    return n->time + (clock - n->since) * inc;
}

static inline uint64_t notific_time(const struct channel *ch)
{
    const struct notific *n = &ch->notific;

    return notific_time_at(n, ch->chip->clock, *n->timestamp_inc);
}

static inline struct notific_record notific_record(const struct channel *ch,
                                                   enum notific_class cls,
                                                   uint32_t w0, uint32_t w1)
{
    return (struct notific_record){
        .body =
            (uint64_t)(w1 | cls) << 32 | (w0 & REC_BODY_MASK) | REC_TYPE_DMA,
        .time = notific_time(ch),
    };
}

/*
 * The queue, when it takes the next nr records of these inputs in its run, and
 * there is nothing else to think of; else NULL. Calls nothing, so that a
 * caller can stay small.
 */
static inline struct notific_queue *notific_run(struct channel *ch,
                                                uint32_t inputs, unsigned id,
                                                uint32_t nr)
{
    struct notific *n = &ch->notific;
    struct notific_queue *nq;

    if ((n->open & inputs) != inputs || id >= NOTIFIC_QUEUES) {
        return NULL;
    }
    nq = n->nq + id;
    return nq->run >= nr && nq->layout == ch->bus->layout ? nq : NULL;
}

/* The next record of a run. */
static inline void notific_put(struct notific *n, struct notific_queue *nq,
                               struct notific_record rec)
{
    uint64_t words[2];
    uint8_t *place = nq->place;

    words[0] = htole64(rec.body | (uint64_t)nq->phase << REC_PHASE_SHIFT);
    words[1] = htole64(rec.time);
    nq->place = place + NOTIFIC_RECORD_BYTES;
    nq->tail += NOTIFIC_RECORD_BYTES;
    nq->run--;
    n->stats++;
    memcpy(place, words, sizeof(words));
}

/* A record of a queue's run. False when it is not, and nothing was done. */
static inline bool notific_post_plain(struct channel *ch,
                                      enum notific_class cls, unsigned id,
                                      struct notific_record rec)
{
    struct notific_queue *nq = notific_run(ch, 1u << notific_input(cls), id, 1);

    if (!nq) {
        return false;
    }
    notific_put(&ch->notific, nq, rec);
    return true;
}

/*
 * Send a record: bits 23:0 of word 0, and word 1 without the class. Whatever
 * its queue, any number, and the switches say happens to it. True when it went
 * elsewhere than to memory, so that anything may have changed.
 */
static inline bool notific_post(struct channel *ch, enum notific_class cls,
                                unsigned sw_queue, uint32_t w0, uint32_t w1)
{
    struct notific_record rec = notific_record(ch, cls, w0, w1);

    return !notific_post_plain(ch, cls, sw_queue, rec) &&
           notific_post_slowly(ch, cls, sw_queue, rec);
}

#endif /* TRENCH_NOTIFIC_POST_H */
