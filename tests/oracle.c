/* SPDX-License-Identifier: BSD-3-Clause */
#include "oracle.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* Descriptor and completion bits, udma-engine 4.1 and 4.4. */
#define DESC_META   (1u << 23)
#define DESC_FIRST  (1u << 26)
#define DESC_LAST   (1u << 27)
#define DESC_INT_EN (1u << 28)
#define COMP_FIRST  (1u << 26)
#define COMP_LAST   (1u << 27)
#define COMP_BUF1   (1u << 30)
#define COMP_ERROR  (1u << 31)
#define ATTRIBUTES  (UINT64_C(3) << 56)

/* --- Memory ------------------------------------------------------------- */

void oracle_add_memory(struct oracle *o, uint64_t base, uint64_t alias,
                       uint64_t size_bytes)
{
    struct oracle_mem *mem = &o->mem[o->nr_mems];

    assert(o->nr_mems < ORACLE_MEMS);
    o->nr_mems++;
    mem->base = base;
    mem->alias = alias;
    mem->size_bytes = size_bytes;
    mem->bytes = calloc(1, size_bytes);
    assert(mem->bytes);
}

void oracle_fini(struct oracle *o)
{
    for (size_t i = 0; i < o->nr_mems; i++) {
        free(o->mem[i].bytes);
    }
    o->nr_mems = 0;
}

static uint8_t *bytes_at(const struct oracle_mem *mem, uint64_t base,
                         uint64_t addr, uint64_t len)
{
    if (base == 0 || addr < base || addr - base > mem->size_bytes ||
        len > mem->size_bytes - (addr - base)) {
        return NULL;
    }
    return mem->bytes + (addr - base);
}

uint8_t *oracle_bytes(const struct oracle *o, uint64_t addr, uint64_t len)
{
    addr &= ~ATTRIBUTES;
    for (size_t i = 0; i < o->nr_mems; i++) {
        const struct oracle_mem *mem = &o->mem[i];
        uint8_t *bytes = bytes_at(mem, mem->base, addr, len);

        if (!bytes) {
            bytes = bytes_at(mem, mem->alias, addr, len);
        }
        if (bytes) {
            return bytes;
        }
    }
    return NULL;
}

static uint32_t get32(const uint8_t *bytes)
{
    return bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 |
           (uint32_t)bytes[3] << 24;
}

static void put32(uint8_t *bytes, uint32_t val)
{
    for (int i = 0; i < 4; i++) {
        bytes[i] = (uint8_t)(val >> (8 * i));
    }
}

/* --- Registers ---------------------------------------------------------- */

static uint32_t *reg(struct oracle *o, uint32_t off)
{
    assert(off % 4 == 0 && off < ORACLE_REG_BYTES);
    return &o->reg[off / 4];
}

/* A register that both sides have at the same place. */
static uint32_t *sreg(struct oracle *o, int side, uint32_t off)
{
    return reg(o, (side == S2M ? 0x20000 : 0) + off);
}

/* A register of a queue's bank. */
static uint32_t *qreg(struct oracle *o, int side, unsigned q, uint32_t off)
{
    return sreg(o, side, 0x1000 + q * 0x1000 + off);
}

static uint32_t ring_len(struct oracle *o, int side, unsigned q)
{
    return *qreg(o, side, q, 0x30);
}

static uint64_t address(struct oracle *o, int side, unsigned q, uint32_t off)
{
    return *qreg(o, side, q, off) | (uint64_t)*qreg(o, side, q, off + 4) << 32;
}

static uint32_t share(struct oracle *o, int side, unsigned q)
{
    uint32_t depth = *qreg(o, side, q, 0x00) & 0xfff;

    return depth < ORACLE_FIFO ? depth : ORACLE_FIFO;
}

static bool side_runs(const struct oracle *o, int side)
{
    return o->command[side] < 2;
}

/* B6: a stop lets a packet that has begun finish. */
static bool side_works(const struct oracle *o, int side, unsigned q)
{
    return side_runs(o, side) || (o->command[side] == 2 && o->queue[q].started);
}

/* B10 */
static bool prefetch_on(struct oracle *o, int side, unsigned q)
{
    uint32_t queues = *reg(o, side == S2M ? 0x20254 : 0x0025c);

    bool runs = side == S2M ? side_works(o, S2M, q) : side_runs(o, M2S);

    return runs && (queues >> q & 1) && (*qreg(o, side, q, 0x20) >> 16 & 1) &&
           !o->queue[q].ring[side].refused;
}

static bool service_on(struct oracle *o, int side, unsigned q)
{
    return side_runs(o, side) && (*qreg(o, side, q, 0x20) >> 17 & 1);
}

/* --- Pointers ----------------------------------------------------------- */

static const struct oracle_ptr ptr_reset = { 0, 1 };

static void step(struct oracle_ptr *ptr, uint32_t len)
{
    ptr->idx++;
    if (ptr->idx == len) {
        ptr->idx = 0;
        ptr->lap = (ptr->lap + 1) % 4;
    }
}

/* B19; H28: it wraps as often as it must. H29: no length, 24 bits. */
static void advance(struct oracle_ptr *ptr, uint32_t nr, uint32_t len)
{
    ptr->idx += nr;
    if (len == 0) {
        ptr->idx &= 0xffffff;
        return;
    }
    while (ptr->idx >= len) {
        ptr->idx -= len;
        ptr->lap = (ptr->lap + 1) % 4;
    }
}

static bool same(struct oracle_ptr a, struct oracle_ptr b)
{
    return a.idx == b.idx && a.lap == b.lap;
}

uint32_t oracle_distance(struct oracle_ptr from, struct oracle_ptr to,
                         uint32_t len)
{
    if (len == 0) { /* H29 */
        return 0;
    }
    if (from.idx == to.idx) {
        return from.lap == to.lap ? 0 : len;
    }
    return to.idx > from.idx ? to.idx - from.idx : to.idx + len - from.idx;
}

static uint32_t ptr_word(struct oracle_ptr ptr)
{
    return ptr.lap << 30 | ptr.idx;
}

/* --- Causes and logs ---------------------------------------------------- */

static void raise_cause(struct oracle *o, int side, unsigned bit)
{
    *reg(o, side == S2M ? 0x3a040 : 0x3a000) |= 1u << bit;
}

/*
 * H27: the first error stays; err_log_mask keeps a cause out of the log. An
 * error without words is not logged. Which of several errors in one register
 * write is the first depends on how far prefetch is ahead: unsure.
 */
static void raise_error(struct oracle *o, int side, unsigned bit,
                        const uint32_t *words)
{
    raise_cause(o, side, bit);
    o->counts.errors++;
    if (!words || (*sreg(o, side, 0x20c) >> bit & 1)) {
        return;
    }
    if (o->logged[side]) {
        o->log_unsure[side] |= o->log_fresh[side];
        return;
    }
    o->logged[side] = true;
    o->log_fresh[side] = true;
    o->log_unsure[side] = false;
    for (uint32_t i = 0; i < 4; i++) {
        *sreg(o, side, 0x214 + 4 * i) = words[i];
    }
}

/* --- Prefetch ----------------------------------------------------------- */

/* B33 */
static uint32_t desc_bytes(struct oracle *o, const struct oracle_desc *desc)
{
    uint32_t len = desc->word[0] & 0xffff;

    return len == 0 && (*reg(o, 0x254) >> 24 & 1) ? 65536 : len;
}

static uint64_t desc_addr(const struct oracle_desc *desc)
{
    return desc->word[2] | (uint64_t)desc->word[3] << 32;
}

/* The open packet ends with the nr-th descriptor in the FIFO. */
static void close_packet(struct oracle_queue *queue, uint32_t nr,
                         enum oracle_verdict verdict)
{
    struct oracle_ring *ring = &queue->ring[M2S];

    for (uint32_t i = 0; i < nr; i++) {
        if (ring->fifo[i].verdict == ORACLE_OPEN) {
            ring->fifo[i].verdict = verdict;
        }
    }
    ring->fifo[nr - 1].ends = true;
    queue->open = false;
}

/*
 * B26, H21: where packets begin and end. The descriptor is the youngest one in
 * the FIFO. A descriptor outside a packet, and what follows the point at which
 * a packet became too long, is completed on its own.
 */
static void frame(struct oracle *o, unsigned q)
{
    struct oracle_queue *queue = &o->queue[q];
    struct oracle_ring *ring = &queue->ring[M2S];
    struct oracle_desc *desc = &ring->fifo[ring->nr_fifo - 1];
    bool first = desc->word[0] & DESC_FIRST;
    bool last = desc->word[0] & DESC_LAST;
    bool many, big;

    if (first) {
        *reg(o, 0x504) += 1;
        if (queue->open || queue->skipping) {
            raise_error(o, M2S, 15, desc->word);
        }
        if (queue->open) {
            close_packet(queue, ring->nr_fifo - 1, ORACLE_BAD);
        }
        queue->open = true;
        queue->skipping = false;
        queue->open_descs = 0;
        queue->open_bytes = 0;
        desc->begins = true;
    } else if (!queue->open) {
        if (last && !queue->skipping) {
            raise_error(o, M2S, 16, desc->word);
        }
        queue->skipping = queue->skipping && !last;
        desc->verdict = ORACLE_BAD;
        desc->begins = true;
        desc->ends = true;
        return;
    }

    queue->open_descs++;
    many = queue->open_descs > (*reg(o, 0x304) & 0xfff);
    if (!(desc->word[0] & DESC_META)) { /* 4.2: it has no buffer */
        queue->open_bytes += desc_bytes(o, desc);
    }
    big = queue->open_bytes > (*reg(o, 0x254) & 0xfffff);
    many |= !big && !last && queue->open_descs >= share(o, M2S, q); /* H5 */
    if (many || big) {
        raise_error(o, M2S, many ? 14 : 13, desc->word);
        close_packet(queue, ring->nr_fifo, ORACLE_BAD);
        queue->skipping = !last;
    } else if (last) {
        close_packet(queue, ring->nr_fifo, ORACLE_GOOD);
    }
}

/* B25: as far as the share of the FIFO goes. True = something was fetched. */
static bool fetch_one(struct oracle *o, int side, unsigned q)
{
    struct oracle_ring *ring = &o->queue[q].ring[side];
    uint32_t len = ring_len(o, side, q);
    struct oracle_desc *desc;
    uint8_t *bytes;

    if (!prefetch_on(o, side, q) || len == 0 || same(ring->head, ring->tail) ||
        ring->nr_fifo >= share(o, side, q)) {
        return false;
    }
    desc = &ring->fifo[ring->nr_fifo];
    memset(desc, 0, sizeof(*desc));
    bytes =
        oracle_bytes(o, address(o, side, q, 0x28) + 16 * ring->head.idx, 16);
    if (!bytes) { /* H23 */
        raise_error(o, side, side == S2M ? 9 : 11, NULL);
        ring->refused = true;
        return false;
    }
    for (int i = 0; i < 4; i++) {
        desc->word[i] = get32(bytes + 4 * i);
    }
    ring->nr_fifo++;
    *sreg(o, side, 0x510) += 1;
    if ((desc->word[0] >> 24 & 3) != ring->head.lap) { /* H22 */
        raise_error(o, side, side == S2M ? 11 : 17, desc->word);
    }
    if (side == M2S) {
        frame(o, q);
    }
    step(&ring->head, len);
    return true;
}

static void fetch(struct oracle *o, int side, unsigned q)
{
    while (fetch_one(o, side, q)) {
    }
}

/* --- Completion --------------------------------------------------------- */

static void drop_oldest(struct oracle_ring *ring)
{
    ring->nr_fifo--;
    for (uint32_t i = 0; i < ring->nr_fifo; i++) {
        ring->fifo[i] = ring->fifo[i + 1];
    }
}

/*
 * The oldest descriptor of a ring is done (B46, H41). `flags` come without the
 * lap tag. H42: without a completion ring the head may stand still.
 */
static void complete(struct oracle *o, int side, unsigned q, uint32_t flags,
                     uint32_t len_bytes)
{
    struct oracle_ring *ring = &o->queue[q].ring[side];
    uint32_t words = side == S2M ? *reg(o, 0x20380) & 0xf : 1;
    bool written = *qreg(o, side, q, side == S2M ? 0x54 : 0xa0) & 1;
    uint32_t word[16] = { ring->comp.lap << 24 | flags, len_bytes & 0xffff };

    if (written) {
        uint64_t addr =
            address(o, side, q, 0x44) + UINT64_C(4) * words * ring->comp.idx;
        uint8_t *bytes = oracle_bytes(o, addr, 4 * words);

        for (uint32_t i = 0; bytes && i < words; i++) {
            put32(bytes + 4 * i, word[i]);
        }
        if (!bytes) {
            raise_error(o, side, side == S2M ? 14 : 5, word);
        }
    }
    if (written) {
        *sreg(o, side, 0x518) += 1;
    }
    if (ring->fifo[0].word[0] & DESC_INT_EN) { /* H43 */
        *reg(o, side == S2M ? 0x38040 : 0x38080) |= 1u << q;
    }
    if (written || !(*reg(o, 0x3b460) & 1)) {
        step(&ring->comp, ring_len(o, side, q));
    }
    step(&ring->cur, ring_len(o, side, q));
    drop_oldest(ring);
}

/* All M2S descriptors of the oldest packet, or a single bad one. */
static void complete_packet(struct oracle *o, unsigned q, bool error)
{
    struct oracle_ring *ring = &o->queue[q].ring[M2S];
    bool ends;

    do {
        const struct oracle_desc *desc = &ring->fifo[0];
        uint32_t flags = error ? COMP_ERROR : 0;

        ends = desc->ends;
        flags |= desc->begins ? COMP_FIRST : 0;
        flags |= ends ? COMP_LAST : 0;
        complete(o, M2S, q, flags, 0);
        o->counts.tx_descs++;
    } while (!ends);
    *reg(o, 0x514) += 1;
    *reg(o, 0x51c) += 1;
    o->queue[q].started = false;
    o->queue[q].lost = false;
}

/* --- Delivery ----------------------------------------------------------- */

static uint64_t packet_bytes(struct oracle *o, const struct oracle_ring *ring)
{
    uint64_t sum = 0;

    for (uint32_t i = 0;; i++) {
        sum += desc_bytes(o, &ring->fifo[i]);
        if (ring->fifo[i].ends) {
            return sum;
        }
    }
}

/* H26. Endianness and CRC bits make it more than a copy. */
static bool is_copy(uint32_t meta)
{
    return (meta >> 23 & 7) == 2 && (meta >> 20 & 7) == 0 &&
           (meta >> 19 & 1) == 1 && (meta & 0x0007ffc0) == 0;
}

/* The first descriptor of the packet that is not a copy. */
static const struct oracle_desc *unsupported_desc(
    const struct oracle_ring *ring)
{
    for (uint32_t i = 0;; i++) {
        const struct oracle_desc *desc = &ring->fifo[i];

        if ((desc->word[0] & DESC_META) || !is_copy(desc->word[1])) {
            return desc;
        }
        if (desc->ends) {
            return NULL;
        }
    }
}

/* Where the next byte of the packet comes from. */
static const struct oracle_desc *source(struct oracle *o, unsigned q,
                                        uint32_t *used)
{
    const struct oracle_desc *desc = o->queue[q].ring[M2S].fifo;
    uint64_t skip = o->queue[q].delivered;

    while (skip >= desc_bytes(o, desc)) {
        skip -= desc_bytes(o, desc);
        desc++;
    }
    *used = (uint32_t)skip;
    return desc;
}

/* H24: what one M2S and one S2M descriptor have in common. */
static void move_run(struct oracle *o, unsigned q)
{
    struct oracle_queue *queue = &o->queue[q];
    const struct oracle_desc *rx = &queue->ring[S2M].fifo[0];
    uint8_t run[65536], *from, *to;
    const struct oracle_desc *tx;
    uint32_t used, len;

    tx = source(o, q, &used);
    len = desc_bytes(o, tx) - used;
    if (len > desc_bytes(o, rx) - queue->filled) {
        len = desc_bytes(o, rx) - queue->filled;
    }
    from = oracle_bytes(o, desc_addr(tx) + used, len);
    to = oracle_bytes(o, desc_addr(rx) + queue->filled, len);
    if (!from) {
        raise_error(o, M2S, 8, tx->word);
    } else if (!to) {
        raise_error(o, S2M, 1, rx->word);
    }
    if (from && to) {
        for (uint32_t i = 0; i < len; i++) {
            run[i] = from[i];
        }
        for (uint32_t i = 0; i < len; i++) {
            to[i] = run[i];
        }
        o->bytes_moved += len;
        o->counts.bytes += len;
    } else {
        queue->error = true;
    }
    queue->delivered += len;
    queue->filled += len;
}

/* The S2M buffer is full, or the packet is at its end (B30). */
static void close_buffer(struct oracle *o, unsigned q, bool last)
{
    struct oracle_queue *queue = &o->queue[q];
    uint32_t flags = last ? COMP_LAST : 0;

    flags |= queue->nth_buffer ? 0 : COMP_FIRST;
    flags |= queue->filled > 0 ? COMP_BUF1 : 0;
    flags |= queue->error ? COMP_ERROR : 0;
    complete(o, S2M, q, flags, queue->filled);
    o->counts.rx_descs++;
    queue->filled = 0;
    queue->nth_buffer = true;
}

static void packet_delivered(struct oracle *o, unsigned q)
{
    struct oracle_queue *queue = &o->queue[q];

    *reg(o, 0x20514) += 1;
    *reg(o, 0x2051c) += 1;
    queue->ring[S2M].nr_packets++;
    queue->ring[M2S].nr_packets++;
    o->counts.packets++;
    complete_packet(o, q, queue->error);
}

/* B31, H8: the hint comes once a wait. */
static void wait_for_buffer(struct oracle *o, unsigned q)
{
    struct oracle_queue *queue = &o->queue[q];
    const struct oracle_ring *rx = &queue->ring[S2M];
    bool none = (*reg(o, 0x20344) >> 29 & 1) || same(rx->head, rx->tail);

    if (none && !queue->hinted) {
        queue->hinted = true;
        if (*reg(o, 0x20344) >> 28 & 1) {
            raise_cause(o, S2M, 7);
        }
    }
}

/* Deliver the oldest packet as far as buffers go. True = all of it. */
static bool deliver(struct oracle *o, unsigned q)
{
    struct oracle_queue *queue = &o->queue[q];
    struct oracle_ring *rx = &queue->ring[S2M];
    uint64_t total = packet_bytes(o, &queue->ring[M2S]);

    for (;;) {
        if (side_runs(o, S2M) || rx->nr_fifo == 0) { /* B6: only at need */
            fetch(o, S2M, q);
        }
        if (rx->nr_fifo == 0) {
            wait_for_buffer(o, q);
            return false;
        }
        if (!queue->started) {
            queue->started = true;
            queue->error = false;
            queue->delivered = 0;
            queue->filled = 0;
            queue->nth_buffer = false;
        }
        queue->hinted = false;
        while (queue->delivered < total &&
               queue->filled < desc_bytes(o, &rx->fifo[0])) {
            move_run(o, q);
        }
        close_buffer(o, q, queue->delivered == total);
        o->moved = true;
        if (queue->delivered == total) {
            packet_delivered(o, q);
            return true;
        }
    }
}

/* --- Scheduling --------------------------------------------------------- */

/* B24: the descriptors before TDRDTP. */
static bool data_allowed(struct oracle *o, unsigned q)
{
    struct oracle_queue *queue = &o->queue[q];
    struct oracle_ring *ring = &queue->ring[M2S];
    uint32_t nr = 1;

    if (!(*reg(o, 0x004) >> (16 + q) & 1)) {
        return true;
    }
    while (!ring->fifo[nr - 1].ends) {
        nr++;
    }
    return nr <=
           oracle_distance(ring->cur, queue->data_tail, ring_len(o, M2S, q));
}

/* The oldest packet is there and nothing but buffers can stop it. */
static bool ready(struct oracle *o, unsigned q)
{
    struct oracle_ring *ring = &o->queue[q].ring[M2S];

    return side_works(o, M2S, q) && (*qreg(o, M2S, q, 0x20) >> 17 & 1) &&
           side_works(o, S2M, q) && ring->nr_fifo > 0 &&
           ring->fifo[0].verdict != ORACLE_OPEN && data_allowed(o, q);
}

static bool stream_open(struct oracle *o, unsigned q)
{
    return o->queue[q].started || service_on(o, S2M, q);
}

/* One packet of a queue. False = it has none, or none that can finish. */
static bool serve(struct oracle *o, unsigned q)
{
    struct oracle_queue *queue = &o->queue[q];
    struct oracle_ring *ring = &queue->ring[M2S];
    const struct oracle_desc *unsupported;

    if (!ready(o, q)) {
        return false;
    }
    if (ring->fifo[0].verdict == ORACLE_BAD || queue->lost) {
        complete_packet(o, q, true);
        return true;
    }
    unsupported = unsupported_desc(ring);
    if (unsupported) {
        o->counts.unsupported++;
        o->counts.guest_errors++;
        if ((*reg(o, 0x40c) & 3) != 3) {
            raise_error(o, M2S, 2, unsupported->word);
        }
        complete_packet(o, q, true);
        return true;
    }
    return stream_open(o, q) && deliver(o, q);
}

/* H1, H6, H12: fetch, one packet, the next queue's packet. */
static void run(struct oracle *o, uint32_t queues)
{
    while (queues != 0) {
        unsigned q = o->next_queue;
        bool done;

        while (!(queues >> q & 1)) {
            q = (q + 1) % ORACLE_QUEUES;
        }
        fetch(o, M2S, q);
        if (side_runs(o, S2M)) {
            fetch(o, S2M, q);
        }
        o->moved = false;
        done = serve(o, q);
        if (done || o->moved) {
            o->next_queue = (q + 1) % ORACLE_QUEUES;
        }
        if (!done) {
            queues &= ~(1u << q);
        }
    }
}

/* --- Register writes ---------------------------------------------------- */

/* B18, H30: what is lost is completed as soon as M2S may. */
static void reset_queue(struct oracle *o, int side, unsigned q)
{
    struct oracle_queue *queue = &o->queue[q];
    struct oracle_ring *ring = &queue->ring[side];

    ring->head = ptr_reset;
    ring->tail = ptr_reset;
    ring->cur = ptr_reset;
    ring->comp = ptr_reset;
    ring->nr_fifo = 0;
    ring->refused = false;
    if (side == M2S) {
        queue->data_tail = ptr_reset;
        queue->open = false;
        queue->skipping = false;
        queue->started = false;
        queue->lost = false;
        queue->hinted = false;
    } else {
        queue->lost = queue->started;
        queue->hinted = false;
    }
}

static void doorbell(struct oracle *o, int side, unsigned q, uint32_t nr)
{
    struct oracle_ring *ring = &o->queue[q].ring[side];
    uint32_t len = ring_len(o, side, q);

    nr &= 0xffffff;
    if (nr == 0) { /* B21 */
        return;
    }
    o->counts.doorbells++;
    if (nr > len - oracle_distance(ring->cur, ring->tail, len)) {
        o->counts.guest_errors++;
    }
    advance(&ring->tail, nr, len);
}

/* Registers of a queue's bank that are storage: offset and writable bits. */
struct writable {
    uint32_t off;
    uint32_t bits[2]; /* M2S, S2M */
};

static const struct writable queue_bits[] = {
    { 0x00, { 0x07ff0fff, 0x07ff0fff } },
    { 0x20, { 0xff13ffff, 0xff9300ff } },
    { 0x28, { 0xffffffc0, 0xffffffc0 } },
    { 0x2c, { 0xffffffff, 0xffffffff } },
    { 0x30, { 0x00ffffff, 0x00ffffff } },
    { 0x44, { 0xffffffc0, 0xffffffc0 } },
    { 0x48, { 0xffffffff, 0xffffffff } },
    { 0x54, { 0, 0xf } },
    { 0xa0, { 0x3, 0 } },
};

static const uint32_t channel_bits[][2] = {
    { 0x00004, 0xffffffff }, { 0x0020c, 0xffffffff }, { 0x00234, 0x00000fff },
    { 0x00254, 0x010fffff }, { 0x0025c, 0x0000ffff }, { 0x00304, 0x00010fff },
    { 0x0040c, 0x0000007f }, { 0x2020c, 0xffffffff }, { 0x20238, 0x00000fff },
    { 0x20254, 0x0000ffff }, { 0x20344, 0xf8ffffff }, { 0x20380, 0xf001110f },
    { 0x3b460, 0xffffffff },
};

static void queue_write(struct oracle *o, int side, uint32_t off, uint32_t val)
{
    unsigned q = (off - (side == S2M ? 0x21000 : 0x1000)) / 0x1000;
    uint32_t in_bank = off % 0x1000;

    for (size_t i = 0; i < sizeof(queue_bits) / sizeof(queue_bits[0]); i++) {
        if (queue_bits[i].off == in_bank && queue_bits[i].bits[side]) {
            *reg(o, off) = val & queue_bits[i].bits[side];
            return;
        }
    }
    if (in_bank == 0x38) {
        doorbell(o, side, q, val);
    } else if (in_bank == 0xe0 && side == M2S) {
        advance(&o->queue[q].data_tail, val & 0xffffff, ring_len(o, side, q));
    } else if (in_bank == (side == S2M ? 0x64 : 0xb0)) {
        if (val & 0x100) {
            reset_queue(o, side, q);
        }
    } else {
        assert(!"a register the oracle knows");
    }
}

static void channel_write(struct oracle *o, uint32_t off, uint32_t val)
{
    for (size_t i = 0; i < sizeof(channel_bits) / sizeof(channel_bits[0]);
         i++) {
        if (channel_bits[i][0] == off) {
            *reg(o, off) = val & channel_bits[i][1];
            return;
        }
    }
    switch (off) {
    case 0x00204: /* change_state, one bit of 1, 2, 4 */
    case 0x20204:
        o->command[off == 0x20204] = val;
        for (unsigned q = 0; q < ORACLE_QUEUES; q++) {
            o->queue[q].hinted = false; /* H8: waits begin afresh */
        }
        break;
    case 0x00224: /* clear_err_log */
    case 0x20224:
        if (val & 1) {
            o->logged[off == 0x20224] = false;
        }
        break;
    case 0x38040: /* causes: write 0 to clear */
    case 0x38080:
    case 0x3a000:
    case 0x3a040:
        *reg(o, off) &= val;
        break;
    default:
        assert(!"a register the oracle knows");
    }
}

/* The queues that a write may have set going. */
static uint32_t woken(uint32_t off)
{
    uint32_t in_unit = off % 0x20000, in_bank = off % 0x1000;

    if (in_unit < 0x1000 || in_unit >= 0x11000) {
        return 0xffff;
    }
    if (in_bank == 0x00 || in_bank == 0x20 || in_bank == 0x30 ||
        in_bank == 0x38 || in_bank == 0xe0 ||
        in_bank == (off < 0x20000 ? 0xb0 : 0x64)) {
        return 1u << (in_unit / 0x1000 - 1);
    }
    return 0;
}

void oracle_write(struct oracle *o, uint32_t off, uint32_t val)
{
    o->log_fresh[M2S] = false;
    o->log_fresh[S2M] = false;
    if (off >= 0x01000 && off < 0x11000) {
        queue_write(o, M2S, off, val);
    } else if (off >= 0x21000 && off < 0x31000) {
        queue_write(o, S2M, off, val);
    } else {
        channel_write(o, off, val);
    }
    run(o, woken(off));
}

/* --- Register reads ----------------------------------------------------- */

/* B11 */
static uint32_t status(struct oracle *o, int side, unsigned q)
{
    const struct oracle_ring *ring = &o->queue[q].ring[side];
    uint32_t word;

    word = oracle_distance(ring->cur, ring->tail, ring_len(o, side, q));
    word |= (uint32_t)prefetch_on(o, side, q) << 28;
    word |= (uint32_t)service_on(o, side, q) << 29;
    if (ring->head.idx == ring->tail.idx && ring->head.lap != ring->tail.lap) {
        word |= 1u << 31;
    }
    return word;
}

static uint32_t queue_read(struct oracle *o, int side, uint32_t off)
{
    unsigned q = (off - (side == S2M ? 0x21000 : 0x1000)) / 0x1000;
    const struct oracle_ring *ring = &o->queue[q].ring[side];
    uint32_t in_bank = off % 0x1000;

    switch (in_bank) {
    case 0x24:
        return status(o, side, q);
    case 0x34:
        return ptr_word(ring->head);
    case 0x3c:
        return ptr_word(ring->tail);
    case 0x40:
        return ptr_word(ring->cur);
    case 0x4c:
    case 0x50: /* H9 */
        return ptr_word(ring->comp);
    case 0x68:
        return side == S2M ? ring->nr_packets : *reg(o, off);
    case 0xc0:
        return side == M2S ? ring->nr_packets : *reg(o, off);
    case 0xe4:
        return side == M2S ? ptr_word(o->queue[q].data_tail) : *reg(o, off);
    default:
        return *reg(o, off);
    }
}

/* H55 */
static uint32_t state(struct oracle *o, int side)
{
    bool busy = false;
    uint32_t code;

    for (unsigned q = 0; q < ORACLE_QUEUES; q++) {
        busy |= ready(o, q) && stream_open(o, q);
    }
    code = o->command[side] == 4 ? 2 : busy;
    return code * (side == S2M ? 0x11111 : 0x1111);
}

/* The FIFO of the queue that indirect_ctrl picks. */
static uint32_t fifo_status(struct oracle *o, int side)
{
    unsigned q = *reg(o, side == S2M ? 0x20238 : 0x234) % ORACLE_QUEUES;
    uint32_t nr = o->queue[q].ring[side].nr_fifo;

    return nr | (nr == 0 ? 1u << 24 : 0) |
           (nr > 0 && nr >= share(o, side, q) ? 1u << 28 : 0);
}

const uint32_t oracle_channel_regs[ORACLE_CHANNEL_REGS] = {
    0x00004, 0x00200, 0x00204, 0x0020c, 0x00214, 0x00218, 0x0021c, 0x00220,
    0x00234, 0x00238, 0x00254, 0x0025c, 0x00304, 0x0040c, 0x00504, 0x00508,
    0x0050c, 0x00510, 0x00514, 0x00518, 0x0051c, 0x20200, 0x20204, 0x2020c,
    0x20214, 0x20218, 0x2021c, 0x20220, 0x20238, 0x2023c, 0x20254, 0x20344,
    0x20380, 0x20504, 0x20508, 0x2050c, 0x20510, 0x20514, 0x20518, 0x2051c,
    0x38040, 0x38080, 0x3a000, 0x3a040, 0x3b460,
};

const uint32_t oracle_queue_regs[ORACLE_QUEUE_REGS] = {
    0x01000, 0x01020, 0x01024, 0x01028, 0x0102c, 0x01030, 0x01034, 0x01038,
    0x0103c, 0x01040, 0x01044, 0x01048, 0x0104c, 0x01050, 0x010a0, 0x010b0,
    0x010c0, 0x010e0, 0x010e4, 0x21000, 0x21020, 0x21024, 0x21028, 0x2102c,
    0x21030, 0x21034, 0x21038, 0x2103c, 0x21040, 0x21044, 0x21048, 0x2104c,
    0x21050, 0x21054, 0x21064, 0x21068,
};

uint32_t oracle_read(struct oracle *o, uint32_t off)
{
    if (off >= 0x01000 && off < 0x11000) {
        return queue_read(o, M2S, off);
    }
    if (off >= 0x21000 && off < 0x31000) {
        return queue_read(o, S2M, off);
    }
    switch (off) {
    case 0x00200:
        return state(o, M2S);
    case 0x20200:
        return state(o, S2M);
    case 0x00238:
        return fifo_status(o, M2S);
    case 0x2023c:
        return fifo_status(o, S2M);
    case 0x00508: /* B51: the low word freezes the high one */
    case 0x20508:
        *reg(o, off + 4) = (uint32_t)(o->bytes_moved >> 32);
        return (uint32_t)o->bytes_moved;
    default:
        return *reg(o, off);
    }
}

void oracle_reset(struct oracle *o)
{
    memset(o->reg, 0, sizeof(o->reg));
    memset(o->queue, 0, sizeof(o->queue));
    memset(o->command, 0, sizeof(o->command));
    memset(o->logged, 0, sizeof(o->logged));
    memset(o->log_unsure, 0, sizeof(o->log_unsure));
    memset(&o->counts, 0, sizeof(o->counts));
    o->next_queue = 0;
    o->bytes_moved = 0;
    *reg(o, 0x00004) = 0x0000ffff;
    *reg(o, 0x00254) = 0x01010000;
    *reg(o, 0x0025c) = 0x0000ffff;
    *reg(o, 0x00304) = 0x00010040;
    *reg(o, 0x0040c) = 0x00000078;
    *reg(o, 0x20254) = 0x0000ffff;
    *reg(o, 0x20344) = 0x30002710;
    *reg(o, 0x20380) = 0x00001004;
    for (unsigned q = 0; q < ORACLE_QUEUES; q++) {
        for (int side = M2S; side <= S2M; side++) {
            struct oracle_ring *ring = &o->queue[q].ring[side];

            ring->head = ptr_reset;
            ring->tail = ptr_reset;
            ring->cur = ptr_reset;
            ring->comp = ptr_reset;
            *qreg(o, side, q, 0x00) = 0x80;
            *qreg(o, side, q, 0x20) = side == S2M ? 0x03000033 : 0x03000000;
        }
        o->queue[q].data_tail = ptr_reset;
        *qreg(o, S2M, q, 0x28) = 0x40;
        *qreg(o, S2M, q, 0x54) = 0xf;
    }
}
