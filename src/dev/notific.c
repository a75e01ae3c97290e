/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The way of a record: input buffer, queue, memory (common-blocks 2.4, 2.5).
 */
#include "dev/notific.h"

#include <endian.h>
#include <string.h>

#include "base/bits.h"
#include "dev/channel.h"
#include "dev/notific_post.h"
#include "dev/vector.h"

#define REG(name) NOTIFIC_10_QUEUE_NOTIFIC_##name

static const uint32_t *word(const struct channel *ch, uint32_t offset)
{
    return regfile_word(&ch->units[TRENCH_BLOCK_NOTIFIC_10_QUEUE].rf, offset);
}

void notific_bind(struct channel *ch)
{
    struct notific *n = &ch->notific;

    n->input_enable = word(ch, REG(WR_BUF_ENABLE_LO));
    n->input_stall = word(ch, REG(HW_BACKPRESSURE_LO));
    n->queue_stall = word(ch, REG(SW_BACKPRESSURE));
    n->overwrite = word(ch, REG(NQ_SW_OVERFLOW));
    n->uart = word(ch, REG(NQ_UART_MODE));
    n->threshold_en = word(ch, REG(NQ_THRESHOLD_EN));
    n->timestamp_inc = word(ch, REG(TIMESTAMP_INC));
}

static void queue_restart(struct notific_queue *nq)
{
    nq->run = 0;
    nq->tail = 0;
    nq->phase = NOTIFIC_FIRST_PHASE;
    nq->overflowed = false;
    nq->passed = false;
}

void notific_reset(struct channel *ch)
{
    struct notific *n = &ch->notific;

    for (unsigned i = 0; i < NOTIFIC_QUEUES; i++) {
        queue_restart(&n->nq[i]);
    }
    memset(n->held, 0, sizeof(n->held));
    n->counts = (struct notific_counts){ 0 };
    n->time = 0;
    n->since = 0; /* a chip's clock starts over with its channels */
    n->arrivals = 0;
    n->stall_clocks = 0;
    n->stall_since = 0;
    n->error_addr = 0;
    n->nr_held = 0;
    notific_reopen(n);
    n->stats = 0;
    n->overlapping = false;
    n->draining = false;
    notific_reload_all(ch);
}

void notific_interrupt(struct channel *ch, enum notific_intr bit)
{
    ch->notific.counts.intr[bit]++;
    vector_pulse(ch, TRENCH_INTR_NOTIFIC + bit);
}

/* ---- time --------------------------------------------------------------- */

void notific_rebase(struct channel *ch, uint32_t old_inc)
{
    struct notific *n = &ch->notific;

    n->time = notific_time_at(n, ch->chip->clock, old_inc);
    n->since = ch->chip->clock;
}

static uint64_t stall_clocks(const struct channel *ch)
{
    const struct notific *n = &ch->notific;
    uint64_t open = n->nr_held ? ch->chip->clock - n->stall_since : 0;

    return n->stall_clocks + open;
}

uint32_t notific_take_stall(struct channel *ch)
{
    uint64_t clocks = stall_clocks(ch);

    ch->notific.stall_clocks = 0;
    ch->notific.stall_since = ch->chip->clock;
    return clocks > UINT32_MAX ? UINT32_MAX : (uint32_t)clocks;
}

/* ---- queues ------------------------------------------------------------- */

static uint32_t after(const struct notific_queue *nq, uint32_t tail)
{
    return tail >= nq->bytes - NOTIFIC_RECORD_BYTES
               ? 0
               : tail + NOTIFIC_RECORD_BYTES;
}

/* The ring has been made shorter than its tail: the next lap begins. */
static bool ring_shrunk(const struct notific_queue *nq)
{
    return nq->tail > nq->bytes - NOTIFIC_RECORD_BYTES;
}

/* One place stays free, or a full ring would look empty. */
static bool ring_full(const struct notific_queue *nq)
{
    return nq->bytes > 0 &&
           after(nq, ring_shrunk(nq) ? 0 : nq->tail) == nq->head;
}

bool notific_full(const struct channel *ch, unsigned n)
{
    return ring_full(&ch->notific.nq[n]);
}

/* What a queue does with a record. */
enum fate {
    FATE_WRITE,
    FATE_OVERWRITE, /* it is full and goes on */
    FATE_WAIT,
    FATE_DROP,
    FATE_OFF, /* off, or without ring, which is as good as off */
    FATE_NO_QUEUE,
};

static enum fate queue_fate(const struct notific *n, unsigned id)
{
    if (id >= NOTIFIC_QUEUES) {
        return FATE_NO_QUEUE;
    }
    if (!(n->on >> id & 1)) {
        return FATE_OFF;
    }
    if (!ring_full(&n->nq[id]) || (*n->uart & 1)) {
        return FATE_WRITE;
    }
    if (*n->overwrite >> id & 1) {
        return FATE_OVERWRITE;
    }
    return *n->queue_stall >> id & 1 ? FATE_WAIT : FATE_DROP;
}

/* Usage has reached the threshold: told once. */
static void check_threshold(struct channel *ch, struct notific_queue *nq)
{
    uint32_t head = nq->head % nq->bytes;
    uint32_t used =
        nq->tail >= head ? nq->tail - head : nq->tail + nq->bytes - head;

    if (!nq->passed && used >= nq->threshold) {
        nq->passed = true;
        notific_interrupt(ch, NOTIFIC_INTR_THRESHOLD);
    }
}

/* Take a place in the ring: its address, the record's phase bit set. */
static uint64_t queue_place(const struct notific *n, struct notific_queue *nq,
                            uint64_t *body)
{
    uint64_t addr;

    if (ring_shrunk(nq)) {
        nq->tail = 0;
        nq->phase ^= 1;
    }
    *body |= nq->phase << REC_PHASE_SHIFT;
    if (nq->overflowed) {
        *body |= REC_SW_OVERFLOW;
        nq->overflowed = false;
    }
    if (*n->uart & 1) {
        return nq->base;
    }
    addr = addr_add(nq->base, nq->tail);
    nq->tail = after(nq, nq->tail);
    nq->phase ^= nq->tail == 0;
    return addr;
}

/*
 * The ring is not memory, or not all of it. A record that lands in registers
 * only posts work, and is no reason for another record.
 */
static void write_slowly(struct channel *ch, uint64_t addr,
                         const uint64_t words[2])
{
    struct pod *pod = ch->chip->pod;
    bool running = pod->running;
    bool notifying = pod->notifying;

    pod->running = true;
    pod->notifying = true;
    if (trench_bus_write(ch->bus, ch->initiator, addr, words,
                         NOTIFIC_RECORD_BYTES)) {
        ch->notific.counts.refused++;
        ch->notific.error_addr = addr & ~TRENCH_BUS_ATTR_MASK;
        notific_interrupt(ch, NOTIFIC_INTR_AXI_ERROR);
    }
    pod->running = running;
    pod->notifying = notifying;
}

/* The records that can follow at the tail without another look. */
static void queue_run(struct channel *ch, unsigned id)
{
    struct notific *n = &ch->notific;
    struct notific_queue *nq = &n->nq[id];
    uint32_t end =
        nq->head > nq->tail && nq->head < nq->bytes ? nq->head : nq->bytes;

    nq->run = 0;
    if (!(n->plain >> id & 1) || end - nq->tail < 2 * NOTIFIC_RECORD_BYTES) {
        return;
    }
    nq->run = (end - nq->tail) / NOTIFIC_RECORD_BYTES - 1;
    nq->place = bus_host_hint(ch->bus, &nq->hint, addr_add(nq->base, nq->tail),
                              (uint64_t)nq->run * NOTIFIC_RECORD_BYTES);
    nq->run = nq->place ? nq->run : 0;
    nq->layout = ch->bus->layout;
}

/*
 * Write to memory. All pointers have moved before: the record may land in the
 * registers of this block. True when it did not go to memory.
 */
static bool queue_write(struct channel *ch, unsigned id,
                        struct notific_record rec)
{
    struct notific *n = &ch->notific;
    struct notific_queue *nq = &n->nq[id];
    uint64_t addr = queue_place(n, nq, &rec.body);
    uint64_t words[2];
    void *host;

    n->stats++;
    if (nq->watched) {
        check_threshold(ch, nq);
    }
    words[0] = htole64(rec.body);
    words[1] = htole64(rec.time);
    host = bus_host_hint(ch->bus, &nq->hint, addr, sizeof(words));
    if (host) {
        memcpy(host, words, sizeof(words));
        queue_run(ch, id);
        return false;
    }
    nq->run = 0;
    write_slowly(ch, addr, words);
    return true;
}

/* A record that its queue does not take. */
static void queue_lose(struct channel *ch, unsigned id, enum fate fate)
{
    struct notific *n = &ch->notific;

    if (fate == FATE_NO_QUEUE) {
        n->counts.no_queue++;
    } else if (fate == FATE_OFF) {
        n->counts.disabled++;
        notific_interrupt(ch, NOTIFIC_INTR_QUEUE_DISABLED);
    } else {
        n->counts.full++;
        n->nq[id].overflowed = true;
    }
}

/* ---- input buffers ------------------------------------------------------ */

/* The oldest record whose queue would take it; NULL when all have to wait. */
static struct notific_held *next_held(struct notific *n)
{
    struct notific_held *oldest = NULL;

    for (unsigned i = 0; i < NOTIFIC_INPUTS; i++) {
        struct notific_held *h = &n->held[i];

        if (h->valid && (!oldest || h->age < oldest->age) &&
            queue_fate(n, h->sw_queue) != FATE_WAIT) {
            oldest = h;
        }
    }
    return oldest;
}

void notific_reopen(struct notific *n)
{
    n->open = n->nr_held > 0 ? 0 : *n->input_enable;
}

static void held_release(struct channel *ch, struct notific_held *h)
{
    struct notific *n = &ch->notific;

    n->stall_clocks = stall_clocks(ch);
    n->stall_since = ch->chip->clock;
    n->nr_held--;
    notific_reopen(n);
    h->valid = false;
    h->stalled = false;
}

static void held_put(struct channel *ch, struct notific_held *h, unsigned id,
                     struct notific_record rec)
{
    struct notific *n = &ch->notific;

    n->stall_clocks = stall_clocks(ch);
    n->stall_since = ch->chip->clock;
    n->nr_held++;
    notific_reopen(n);
    h->rec = rec;
    h->sw_queue = id;
    h->age = n->arrivals++;
    h->valid = true;
    h->stalled = false;
}

/*
 * Each turn takes one record out, and none comes in: no source runs, and what
 * a record does to registers only posts.
 */
static void drain(struct channel *ch)
{
    struct notific *n = &ch->notific;
    struct notific_held *h;

    if (n->draining || n->nr_held == 0) {
        return;
    }
    n->draining = true;
    while ((h = next_held(n)) != NULL) {
        struct notific_record rec = h->rec;
        unsigned id = h->sw_queue;
        enum fate fate = queue_fate(n, id);

        held_release(ch, h);
        if (fate <= FATE_OVERWRITE) {
            queue_write(ch, id, rec);
        } else {
            queue_lose(ch, id, fate);
        }
    }
    n->draining = false;
}

void notific_kick(struct channel *ch)
{
    drain(ch);
    if (ch->tdma.waiting) {
        channel_wake(ch, ch->tdma.waiting);
        ch->tdma.waiting = 0;
    }
}

void notific_stall(struct channel *ch, enum notific_class cls)
{
    struct notific_held *h = &ch->notific.held[notific_input(cls)];

    if (!h->stalled) {
        h->stalled = true;
        notific_interrupt(ch, NOTIFIC_INTR_INPUT_STALL);
    }
}

/* The buffer is taken: the newcomer is lost. */
static void input_lose(struct channel *ch, enum notific_class cls)
{
    struct notific *n = &ch->notific;
    unsigned i = notific_input(cls);

    n->counts.input++;
    if (*n->input_stall >> i & 1) {
        notific_stall(ch, cls); /* and its source does not listen */
        return;
    }
    n->held[i].rec.body |= REC_HW_OVERFLOW;
    notific_interrupt(ch, NOTIFIC_INTR_INPUT_DROP);
}

bool notific_post_slowly(struct channel *ch, enum notific_class cls,
                         unsigned id, struct notific_record rec)
{
    struct notific *n = &ch->notific;
    unsigned i = notific_input(cls);
    enum fate fate = queue_fate(n, id);

    if (!(*n->input_enable >> i & 1)) {
        n->counts.masked++;
        return false;
    }
    if (n->held[i].valid) {
        input_lose(ch, cls);
        return false;
    }
    if (fate == FATE_WAIT || fate == FATE_DROP ||
        (fate == FATE_OVERWRITE && (*n->queue_stall >> id & 1))) {
        notific_interrupt(ch, NOTIFIC_INTR_QUEUE_FULL);
    }
    if (fate <= FATE_OVERWRITE) {
        return queue_write(ch, id, rec);
    }
    if (fate == FATE_WAIT) {
        held_put(ch, &n->held[i], id, rec);
    } else {
        queue_lose(ch, id, fate);
    }
    return false;
}

/* ---- programming -------------------------------------------------------- */

void notific_queue_restart(struct channel *ch, unsigned id)
{
    struct notific *n = &ch->notific;

    queue_restart(&n->nq[id]);
    for (unsigned i = 0; i < NOTIFIC_INPUTS; i++) {
        if (n->held[i].valid && n->held[i].sw_queue == id) {
            held_release(ch, &n->held[i]);
        }
    }
}

static bool rings_overlap(const struct notific_queue *a,
                          const struct notific_queue *b)
{
    return a->base <= b->base ? b->base - a->base < a->bytes
                              : a->base - b->base < b->bytes;
}

static bool any_overlap(const struct notific *n)
{
    for (unsigned a = 0; a < NOTIFIC_QUEUES; a++) {
        for (unsigned b = a + 1; b < NOTIFIC_QUEUES; b++) {
            if ((n->on >> a & n->on >> b & 1) &&
                rings_overlap(&n->nq[a], &n->nq[b])) {
                return true;
            }
        }
    }
    return false;
}

void notific_reload(struct channel *ch, unsigned id)
{
    struct notific *n = &ch->notific;
    struct notific_queue *nq = &n->nq[id];
    bool on;

    nq->run = 0;
    nq->base = (uint64_t)*word(ch, REG(NQ_BASE_ADDR_HI(id))) << 32 |
               *word(ch, REG(NQ_BASE_ADDR_LO(id)));
    nq->bytes = *word(ch, REG(NQ_SIZE(id))) & ~(NOTIFIC_RECORD_BYTES - 1);
    nq->head = *word(ch, REG(NQ_HEAD_PTR(id)));
    nq->threshold = *word(ch, REG(NQ_THRESHOLD(id)));
    nq->watched = *n->threshold_en >> id & 1;
    on = (*word(ch, REG(NQ_ENABLE)) >> id & 1) && nq->bytes > 0;
    n->on = (n->on & ~(1u << id)) | (uint32_t)on << id;
    n->plain = *n->uart & 1 ? 0 : n->on & ~*n->threshold_en;
}

/* Edge triggered: told when overlaps appear, not again while there are some. */
void notific_reload_all(struct channel *ch)
{
    struct notific *n = &ch->notific;
    bool was = n->overlapping;

    for (unsigned id = 0; id < NOTIFIC_QUEUES; id++) {
        notific_reload(ch, id);
    }
    n->overlapping = any_overlap(n);
    if (n->overlapping && !was) {
        notific_interrupt(ch, NOTIFIC_INTR_OVERLAP);
    }
}
