/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The way of a record: input buffer, queue, memory (common-blocks 2.4, 2.5).
 */
#include "dev/notific.h"

#include <endian.h>
#include <string.h>

#include "base/bits.h"
#include "dev/channel.h"

/* Word 0 of a record (2.4). */
#define REC_BODY_MASK   0x00FFFFFFu
#define REC_TYPE_DMA    (0x02u << 24)
#define REC_SW_OVERFLOW (1u << 29)
#define REC_HW_OVERFLOW (1u << 30)
#define REC_PHASE_SHIFT 31

#define REG(name) NOTIFIC_10_QUEUE_NOTIFIC_##name

static const uint32_t *word(const struct channel *ch, uint32_t offset)
{
    return regfile_word(&ch->units[TRENCH_BLOCK_NOTIFIC_10_QUEUE].rf, offset);
}

void notific_bind(struct channel *ch)
{
    struct notific *n = &ch->notific;

    for (unsigned i = 0; i < NOTIFIC_QUEUES; i++) {
        n->nq[i].reg = (struct notific_words){
            .base_lo = word(ch, REG(NQ_BASE_ADDR_LO(i))),
            .base_hi = word(ch, REG(NQ_BASE_ADDR_HI(i))),
            .size = word(ch, REG(NQ_SIZE(i))),
            .head = word(ch, REG(NQ_HEAD_PTR(i))),
            .threshold = word(ch, REG(NQ_THRESHOLD(i))),
        };
    }
    n->enable = word(ch, REG(NQ_ENABLE));
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
    nq->tail = 0;
    nq->phase = NOTIFIC_FIRST_PHASE;
    nq->overflowed = false;
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
    n->stats = 0;
    n->passed = 0;
    n->events = 0;
    n->overlapping = false;
    n->draining = false;
}

void notific_interrupt(struct channel *ch, enum notific_intr bit)
{
    ch->notific.events |= 1u << bit;
    ch->notific.counts.intr[bit]++;
}

/* ---- time --------------------------------------------------------------- */

static uint64_t time_at(const struct notific *n, uint64_t clock, uint32_t inc)
{
    return n->time + (clock - n->since) * inc; /* wraps, as a counter does */
}

uint64_t notific_time(const struct channel *ch)
{
    return time_at(&ch->notific, ch->chip->clock, *ch->notific.timestamp_inc);
}

void notific_rebase(struct channel *ch, uint32_t old_inc)
{
    struct notific *n = &ch->notific;

    n->time = time_at(n, ch->chip->clock, old_inc);
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

/* Bytes of the ring, whole records; 0 = no ring. */
static uint32_t ring_bytes(const struct notific_queue *nq)
{
    return *nq->reg.size & ~(NOTIFIC_RECORD_BYTES - 1);
}

static uint32_t after(uint32_t tail, uint32_t bytes)
{
    return tail >= bytes - NOTIFIC_RECORD_BYTES ? 0
                                                : tail + NOTIFIC_RECORD_BYTES;
}

/* The ring has been made shorter than its tail: the next lap begins. */
static bool ring_shrunk(const struct notific_queue *nq, uint32_t bytes)
{
    return nq->tail > bytes - NOTIFIC_RECORD_BYTES;
}

/* One place stays free, or a full ring would look empty. */
static bool ring_full(const struct notific_queue *nq)
{
    uint32_t bytes = ring_bytes(nq);
    uint32_t tail;

    if (bytes == 0) {
        return false;
    }
    tail = ring_shrunk(nq, bytes) ? 0 : nq->tail;
    return after(tail, bytes) == *nq->reg.head;
}

bool notific_full(const struct channel *ch, unsigned n)
{
    return ring_full(&ch->notific.nq[n]);
}

/* A queue without ring is as good as off. */
static bool queue_on(const struct notific *n, unsigned id)
{
    return (*n->enable >> id & 1) && ring_bytes(&n->nq[id]) > 0;
}

/* A record for the queue would find it full. */
static bool queue_full(const struct notific *n, unsigned id)
{
    return id < NOTIFIC_QUEUES && queue_on(n, id) && ring_full(&n->nq[id]) &&
           !(*n->uart & 1);
}

/* ... and has to wait: overwriting comes before waiting. */
static bool queue_blocks(const struct notific *n, unsigned id)
{
    return queue_full(n, id) && (*n->queue_stall >> id & 1) &&
           !(*n->overwrite >> id & 1);
}

static void full_event(struct channel *ch, unsigned id)
{
    const struct notific *n = &ch->notific;

    if ((*n->queue_stall >> id & 1) || !(*n->overwrite >> id & 1)) {
        notific_interrupt(ch, NOTIFIC_INTR_QUEUE_FULL);
    }
}

/* Usage has reached the threshold: told once, until software moves head. */
static void check_threshold(struct channel *ch, unsigned id)
{
    struct notific *n = &ch->notific;
    const struct notific_queue *nq = &n->nq[id];
    uint32_t bytes = ring_bytes(nq);
    uint32_t head, used;

    if (bytes == 0 || (n->passed >> id & 1)) {
        return;
    }
    head = *nq->reg.head % bytes;
    used = nq->tail >= head ? nq->tail - head : nq->tail + bytes - head;
    if (used >= *nq->reg.threshold) {
        n->passed |= 1u << id;
        notific_interrupt(ch, NOTIFIC_INTR_THRESHOLD);
    }
}

/* Take a place in the ring: its address, the record's phase bit set. */
static uint64_t queue_place(struct notific *n, struct notific_queue *nq,
                            struct notific_record *rec)
{
    uint64_t base = (uint64_t)*nq->reg.base_hi << 32 | *nq->reg.base_lo;
    uint32_t bytes = ring_bytes(nq);
    uint64_t addr;

    if (ring_shrunk(nq, bytes)) {
        nq->tail = 0;
        nq->phase ^= 1;
    }
    rec->w[0] |= nq->phase << REC_PHASE_SHIFT;
    if (nq->overflowed) {
        rec->w[0] |= REC_SW_OVERFLOW;
        nq->overflowed = false;
    }
    if (*n->uart & 1) {
        return base;
    }
    addr = addr_add(base, nq->tail);
    nq->tail = after(nq->tail, bytes);
    nq->phase ^= nq->tail == 0;
    return addr;
}

/*
 * The ring is not memory, or not all of it. A record that lands in registers
 * only posts work, and is no reason for another record.
 */
static void write_slowly(struct channel *ch, uint64_t addr,
                         const uint32_t words[4])
{
    struct chip *chip = ch->chip;
    bool running = chip->running;
    bool notifying = chip->notifying;

    chip->running = true;
    chip->notifying = true;
    if (trench_bus_write(ch->bus, ch->initiator, addr, words,
                         NOTIFIC_RECORD_BYTES)) {
        ch->notific.counts.refused++;
        ch->notific.error_addr = addr & ~TRENCH_BUS_ATTR_MASK;
        notific_interrupt(ch, NOTIFIC_INTR_AXI_ERROR);
    }
    chip->running = running;
    chip->notifying = notifying;
}

/*
 * Write to memory. All pointers have moved before: the record may land in the
 * registers of this block.
 */
static void queue_write(struct channel *ch, unsigned id,
                        struct notific_record *rec)
{
    struct notific *n = &ch->notific;
    struct notific_queue *nq = &n->nq[id];
    uint64_t addr = queue_place(n, nq, rec);
    uint32_t words[4];
    void *host;

    n->stats++;
    n->counts.written++;
    if (*n->threshold_en >> id & 1) {
        check_threshold(ch, id);
    }
    for (size_t i = 0; i < ARRAY_LEN(words); i++) {
        words[i] = htole32(rec->w[i]);
    }
    host = bus_host_hint(ch->bus, &nq->hint, addr, sizeof(words));
    if (host) {
        memcpy(host, words, sizeof(words));
    } else {
        write_slowly(ch, addr, words);
    }
}

/* A record that does not have to wait meets its queue. */
static void queue_take(struct channel *ch, unsigned id,
                       struct notific_record *rec)
{
    struct notific *n = &ch->notific;

    if (id >= NOTIFIC_QUEUES) {
        n->counts.no_queue++;
    } else if (!queue_on(n, id)) {
        n->counts.disabled++;
        notific_interrupt(ch, NOTIFIC_INTR_QUEUE_DISABLED);
    } else if (queue_full(n, id) && !(*n->overwrite >> id & 1)) {
        n->counts.full++;
        n->nq[id].overflowed = true;
    } else {
        queue_write(ch, id, rec);
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
            !queue_blocks(n, h->sw_queue)) {
            oldest = h;
        }
    }
    return oldest;
}

static void held_release(struct channel *ch, struct notific_held *h)
{
    struct notific *n = &ch->notific;

    n->stall_clocks = stall_clocks(ch);
    n->stall_since = ch->chip->clock;
    n->nr_held--;
    h->valid = false;
    h->stalled = false;
}

static void held_put(struct channel *ch, struct notific_held *h, unsigned id,
                     const struct notific_record *rec)
{
    struct notific *n = &ch->notific;

    n->stall_clocks = stall_clocks(ch);
    n->stall_since = ch->chip->clock;
    n->nr_held++;
    h->rec = *rec;
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

        held_release(ch, h);
        queue_take(ch, id, &rec);
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

bool notific_ready(const struct channel *ch, enum notific_class cls)
{
    const struct notific *n = &ch->notific;
    unsigned i = notific_input(cls);

    return !n->held[i].valid || !(*n->input_enable >> i & 1) ||
           !(*n->input_stall >> i & 1);
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
static void input_lose(struct channel *ch, const struct notific_body *body)
{
    struct notific *n = &ch->notific;
    unsigned i = notific_input(body->cls);

    n->counts.input++;
    if (*n->input_stall >> i & 1) {
        notific_stall(ch, body->cls); /* and its source does not listen */
        return;
    }
    n->held[i].rec.w[0] |= REC_HW_OVERFLOW;
    notific_interrupt(ch, NOTIFIC_INTR_INPUT_DROP);
}

void notific_post(struct channel *ch, const struct notific_body *body)
{
    struct notific *n = &ch->notific;
    unsigned i = notific_input(body->cls);
    struct notific_record rec;
    uint64_t now;

    if (!(*n->input_enable >> i & 1)) {
        n->counts.masked++;
        return;
    }
    if (n->held[i].valid) {
        input_lose(ch, body);
        return;
    }
    now = notific_time(ch);
    rec = (struct notific_record){ {
        (body->w0 & REC_BODY_MASK) | REC_TYPE_DMA,
        body->w1,
        (uint32_t)now,
        (uint32_t)(now >> 32),
    } };
    if (queue_full(n, body->sw_queue)) {
        full_event(ch, body->sw_queue);
    }
    if (queue_blocks(n, body->sw_queue)) {
        held_put(ch, &n->held[i], body->sw_queue, &rec);
        return;
    }
    queue_take(ch, body->sw_queue, &rec);
}

/* ---- programming -------------------------------------------------------- */

void notific_queue_restart(struct channel *ch, unsigned id)
{
    struct notific *n = &ch->notific;

    queue_restart(&n->nq[id]);
    n->passed &= ~(1u << id);
    for (unsigned i = 0; i < NOTIFIC_INPUTS; i++) {
        if (n->held[i].valid && n->held[i].sw_queue == id) {
            held_release(ch, &n->held[i]);
        }
    }
}

static bool rings_overlap(const struct notific_queue *a,
                          const struct notific_queue *b)
{
    uint64_t x = (uint64_t)*a->reg.base_hi << 32 | *a->reg.base_lo;
    uint64_t y = (uint64_t)*b->reg.base_hi << 32 | *b->reg.base_lo;

    return x <= y ? y - x < ring_bytes(a) : x - y < ring_bytes(b);
}

static bool any_overlap(const struct notific *n)
{
    for (unsigned a = 0; a < NOTIFIC_QUEUES; a++) {
        for (unsigned b = a + 1; b < NOTIFIC_QUEUES; b++) {
            if (queue_on(n, a) && queue_on(n, b) &&
                rings_overlap(&n->nq[a], &n->nq[b])) {
                return true;
            }
        }
    }
    return false;
}

/* Edge triggered: told when overlaps appear, not again while there are some. */
void notific_check_overlap(struct channel *ch)
{
    bool was = ch->notific.overlapping;

    ch->notific.overlapping = any_overlap(&ch->notific);
    if (ch->notific.overlapping && !was) {
        notific_interrupt(ch, NOTIFIC_INTR_OVERLAP);
    }
}
