/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * M2S, the sending half: prefetch with its checks, packets, completions, and
 * the register hooks (udma-engine 1, 4.1, B10-B30, B40-B51).
 */
#include "dev/m2s.h"

#include "base/bits.h"
#include "dev/app.h"
#include "dev/axi.h"
#include "dev/packet.h"
#include "dev/coal.h"
#include "dev/limiter.h"
#include "dev/s2m.h"
#include "dev/sched.h"
#include "udma_m2s_gen.h"

static const struct ring_regs m2s_ring_regs = {
    .stride = UDMA_M2S_M2S_Q_STRIDE,
    .pref_cfg = UDMA_M2S_M2S_Q_DESC_PREF_CFG(0),
    .cfg = UDMA_M2S_M2S_Q_CFG(0),
    .base_low = UDMA_M2S_M2S_Q_TDRBP_LOW(0),
    .base_high = UDMA_M2S_M2S_Q_TDRBP_HIGH(0),
    .len = UDMA_M2S_M2S_Q_TDRL(0),
    .comp_low = UDMA_M2S_M2S_Q_TCRBP_LOW(0),
    .comp_high = UDMA_M2S_M2S_Q_TCRBP_HIGH(0),
    .comp_cfg = UDMA_M2S_M2S_Q_COMP_CFG(0),
};

/* What meta_ctrl says when the packet is a plain byte copy. */
#define META_PLAIN_MASK                                                        \
    (META_SSMAE_OP_MASK | META_OP_TYPE_MASK | META_COPY_SOURCE_DATA |          \
     META_CRC_MASK | META_ENDIAN_MASK)
#define META_PLAIN (META_SSMAE_OP_CME | META_COPY_SOURCE_DATA)

static uint32_t m2s_get(const struct channel *ch, uint32_t offset)
{
    return regfile_get(&ch->units[TRENCH_BLOCK_UDMA_M2S].rf, offset);
}

void m2s_queue_reset(struct channel *ch, unsigned q)
{
    struct m2s_queue *mq = M2S_QUEUE(ch, q);

    ring_reset(&mq->ring);
    mq->data_tail = ring_ptr_reset();
    mq->ready = 0;
    mq->fetch = (struct m2s_fetch){ 0 };
    mq->packet = (struct packet){ 0 };
    mq->deficit = 0;
    mq->epoch++;
    coal_reset(ch, SEC_GROUP_M2S, q);
    s2m_wait_over(ch, q);
}

void m2s_bind(struct channel *ch)
{
    for (unsigned q = 0; q < TRENCH_NR_QUEUES; q++) {
        ring_bind(&M2S_QUEUE(ch, q)->ring, &ch->units[TRENCH_BLOCK_UDMA_M2S].rf,
                  &m2s_ring_regs, q);
        ch->m2s[q].ring.comp_bytes = COMP_M2S_BYTES;
    }
}

void m2s_reset(struct channel *ch)
{
    for (unsigned q = 0; q < TRENCH_NR_QUEUES; q++) {
        ch->m2s[q].packets = 0;
        m2s_queue_reset(ch, q);
    }
}

/* ---- prefetch ----------------------------------------------------------- */

/* What a packet is held to while it is fetched. */
static void fetch_limits(const struct channel *ch, struct m2s_queue *mq)
{
    mq->max_bytes =
        FIELD_GET(UDMA_M2S_M2S_CFG_LEN_MAX_PKT_SIZE, *ch->reg.cfg_len);
    mq->max_descs = FIELD_GET(UDMA_M2S_M2S_RD_DESC_PREF_CFG_2_MAX_DESC_PER_PKT,
                              *ch->reg.desc_pref_cfg_2);
}

static void fetch_start(struct m2s_fetch *f, bool open)
{
    f->bytes = 0;
    f->descs = 0;
    f->open = open;
    f->broken = false;
}

/* The newest entry turns out to end a run that is thrown away. */
static void fetch_cut(struct m2s_queue *mq)
{
    if (mq->fetch.open && !mq->fetch.broken && mq->ring.fifo_nr > 0) {
        ring_fifo_at(&mq->ring, mq->ring.fifo_nr - 1)->marks =
            FIFO_END | FIFO_BAD;
        mq->ready++;
    }
}

/*
 * A packet is scheduled when it is in the FIFO as a whole: one that fills the
 * FIFO without its LAST never will be, and is given up.
 */
static void fetch_overflow(struct channel *ch, struct m2s_queue *mq)
{
    struct desc newest;

    if (mq->ready > 0 || mq->ring.fifo_nr == 0 ||
        ring_fifo_room(&mq->ring) > 0) {
        return;
    }
    newest = ring_fifo_at(&mq->ring, mq->ring.fifo_nr - 1)->desc;
    fetch_cut(mq);
    mq->fetch.broken = true;
    channel_error(ch, SEC_GROUP_M2S, M2S_CAUSE_MAX_DESC, &newest);
}

/*
 * A descriptor that belongs to an open packet: count it, and give the packet
 * up when it is too long. Returns false when the engine aborted.
 */
static bool fetch_count(struct channel *ch, const struct m2s_queue *mq,
                        struct m2s_fetch *f, const struct desc *d)
{
    f->descs++;
    f->bytes +=
        d->w[0] & DESC_META ? 0 : desc_len_bytes(d, channel_zero_len(ch));
    if (f->broken) {
        return true;
    }
    if (f->descs > mq->max_descs) {
        f->broken = true;
        return channel_error(ch, SEC_GROUP_M2S, M2S_CAUSE_MAX_DESC, d);
    }
    if (f->bytes > mq->max_bytes) {
        f->broken = true;
        return channel_error(ch, SEC_GROUP_M2S, M2S_CAUSE_PKT_LEN, d);
    }
    return true;
}

/*
 * The M2S checks of udma-engine B26 on the descriptor at head, then into the
 * FIFO with it. Returns false when the engine aborted; the descriptor then
 * stays in the ring.
 */
static bool m2s_accept(struct channel *ch, unsigned q, const struct desc *d)
{
    struct m2s_queue *mq = M2S_QUEUE(ch, q);
    struct m2s_fetch next = mq->fetch; /* counts once it is accepted */
    uint32_t w0 = d->w[0];
    uint32_t marks = 0;

    if (w0 & DESC_FIRST) {
        if (next.open &&
            !channel_error(ch, SEC_GROUP_M2S, M2S_CAUSE_FIRST, d)) {
            return false;
        }
        fetch_start(&next, true);
    } else if (!next.open && (w0 & DESC_LAST) &&
               !channel_error(ch, SEC_GROUP_M2S, M2S_CAUSE_LAST, d)) {
        return false;
    }
    if (next.open && !fetch_count(ch, mq, &next, d)) {
        return false;
    }
    if (w0 & DESC_FIRST) {
        fetch_cut(mq);
        ch->m2s_side.stats.pkt++;
    }
    if (!next.open || next.broken) {
        marks = FIFO_END | FIFO_BAD;
    } else if (w0 & DESC_LAST) {
        marks = FIFO_END;
    }
    if (w0 & DESC_LAST) {
        fetch_start(&next, false);
    }
    mq->fetch = next;
    mq->ready += marks & FIFO_END;
    ring_fifo_push(&mq->ring, d, marks);
    return true;
}

bool m2s_fetching(const struct channel *ch, unsigned q)
{
    const struct ring *r = &M2S_QUEUE(ch, q)->ring;

    return ch->m2s_side.state == SIDE_RUN && !r->fetch_failed &&
           !(ch->effects.tx_stop_pref >> q & 1) &&
           (*r->reg.cfg & UDMA_M2S_M2S_Q_CFG_EN_PREF_MASK) &&
           (m2s_get(ch, UDMA_M2S_M2S_PREF_QUEUE_EN) >> q & 1);
}

static const struct fetch_ops m2s_fetch_ops = {
    .group = SEC_GROUP_M2S,
    .stream = AXI_TX_PREF,
    .ring_id_cause = M2S_CAUSE_RING_ID,
    .accept = m2s_accept,
};

void m2s_prefetch(struct channel *ch, unsigned q)
{
    struct m2s_queue *mq = M2S_QUEUE(ch, q);

    if (!m2s_fetching(ch, q)) {
        return;
    }
    fetch_limits(ch, mq);
    channel_fetch(ch, &mq->ring, q, &m2s_fetch_ops);
    fetch_overflow(ch, mq);
}

/* ---- completion --------------------------------------------------------- */

/* Drop the oldest entry; true when it wants an interrupt. */
static inline bool drop_one(struct channel *ch, struct m2s_queue *mq)
{
    const struct fifo_entry *e = ring_fifo_at(&mq->ring, 0);
    bool interrupt = e->desc.w[0] & DESC_INT_EN;

    mq->ready -= e->marks & FIFO_END;
    ring_fifo_pop(&mq->ring);
    ch->stats.tx_descs++;
    return interrupt;
}

/* Complete and drop the oldest entry, one of a packet or run being finished. */
static bool complete_one(struct channel *ch, unsigned q)
{
    struct m2s_queue *mq = M2S_QUEUE(ch, q);
    struct packet *pkt = &mq->packet;
    bool error = pkt->error || (ch->effects.tx_cmpl_error >> q & 1);
    bool interrupt = drop_one(ch, mq);
    struct desc comp = { { 0 } };

    pkt->finished++;
    if (!ring_comp_on(&mq->ring)) {
        coal_silent(ch, SEC_GROUP_M2S, q, interrupt);
        return true;
    }
    comp.w[0] = (pkt->finished == 1 ? COMP_FIRST : 0) |
                (pkt->finished == pkt->descs ? COMP_LAST : 0) |
                (error ? COMP_ERROR : 0);
    return coal_complete(ch, SEC_GROUP_M2S, q, &comp, interrupt);
}

/*
 * Go on with the completions of the packet or run at the front. An abort in
 * between leaves the rest for later; a reset of the queue ends it.
 */
static void m2s_finish(struct channel *ch, unsigned q)
{
    struct m2s_queue *mq = M2S_QUEUE(ch, q);
    uint32_t epoch = mq->epoch;

    while (mq->packet.finished < mq->packet.descs) {
        bool on = complete_one(ch, q);

        if (mq->epoch != epoch) {
            return; /* the completion ring was our own registers */
        }
        if (!on) {
            break;
        }
    }
    if (mq->packet.finished == mq->packet.descs) {
        mq->packet = (struct packet){ 0 };
    }
}

/*
 * Complete the only descriptor of a packet in memory, where nobody else hears
 * of it. False when somebody does, and nothing was done.
 */
static bool complete_plain(struct channel *ch, unsigned q, bool error)
{
    struct m2s_queue *mq = M2S_QUEUE(ch, q);
    uint32_t word = COMP_FIRST | COMP_LAST;

    if (error || (ch->effects.tx_cmpl_error >> q & 1)) {
        word |= COMP_ERROR;
    }
    if ((ring_fifo_at(&mq->ring, 0)->desc.w[0] & DESC_INT_EN) ||
        !coal_write_plain(ch, SEC_GROUP_M2S, q, &mq->ring, word)) {
        return false;
    }
    ch->m2s_side.stats.comp_desc++;
    drop_one(ch, mq);
    mq->packet = (struct packet){ 0 };
    return true;
}

/* The n oldest entries where nobody hears of it: they just go. */
static void complete_silent(struct channel *ch, unsigned q, uint32_t n)
{
    struct m2s_queue *mq = M2S_QUEUE(ch, q);

    for (uint32_t i = 0; i < n; i++) {
        coal_silent(ch, SEC_GROUP_M2S, q, drop_one(ch, mq));
    }
    mq->packet = (struct packet){ 0 };
}

/*
 * The n oldest entries where somebody hears of it, or of more than one. Out of
 * line, so that the common case saves no registers for it.
 */
static __attribute__((noinline)) void complete_told(struct channel *ch,
                                                    unsigned q, uint32_t n,
                                                    bool error)
{
    if (n == 1 && complete_plain(ch, q, error)) {
        return;
    }
    if (!ring_comp_on(&M2S_QUEUE(ch, q)->ring)) {
        complete_silent(ch, q, n);
        return;
    }
    M2S_QUEUE(ch, q)->packet = (struct packet){
        .descs = n,
        .error = error,
        .finishing = true,
    };
    m2s_finish(ch, q);
}

/* Complete the n oldest entries, one packet or run. */
static void m2s_complete(struct channel *ch, unsigned q, uint32_t n, bool error)
{
    struct m2s_queue *mq = M2S_QUEUE(ch, q);

    ch->m2s_side.stats.ack_pkts++;
    ch->m2s_side.stats.comp_pkt++;
    if (n == 1 && !ring_comp_on(&mq->ring)) { /* nobody else hears of it */
        coal_silent(ch, SEC_GROUP_M2S, q, drop_one(ch, mq));
        mq->packet = (struct packet){ 0 };
        return;
    }
    complete_told(ch, q, n, error);
}

void m2s_drop(struct channel *ch, unsigned q)
{
    struct m2s_queue *mq = M2S_QUEUE(ch, q);

    s2m_wait_over(ch, q);
    if (mq->packet.descs > 0 && !mq->packet.finishing) {
        /* Half a packet is no copy. */
        m2s_complete(ch, q, mq->packet.descs,
                     mq->packet.error || packet_started(&mq->packet));
    }
}

/* ---- packets ------------------------------------------------------------ */

static bool may_send(const struct channel *ch, unsigned q)
{
    const struct m2s_queue *mq = M2S_QUEUE(ch, q);
    bool begun = packet_begun(&mq->packet);

    return side_works(&ch->m2s_side, begun) &&
           side_works(&ch->s2m_side, begun) &&
           (begun || !(ch->effects.tx_stop_sched >> q & 1)) &&
           (*mq->ring.reg.cfg & UDMA_M2S_M2S_Q_CFG_EN_SCHEDULING_MASK) &&
           (!(*ch->reg.m2s_stream_cfg &
              UDMA_M2S_M2S_STREAM_CFG_DISABLE_STREAM_MASK) ||
            begun); /* it stops at a packet's end */
}

/* The data phase waits for the second tail (udma-engine B24). */
static bool data_tail_allows(const struct channel *ch, unsigned q, uint32_t n)
{
    const struct m2s_queue *mq = M2S_QUEUE(ch, q);
    uint32_t enabled =
        FIELD_GET(UDMA_M2S_AXI_M2S_MLA_CFG_PREFETCH_DATA_TAIL_POINTER_ENABLE,
                  *ch->reg.cfg_prefetch);

    return !(enabled >> q & 1) ||
           ring_dist(mq->ring.cur, mq->data_tail, ring_len(&mq->ring)) >= n;
}

/* Entries of the oldest packet, up to its end mark; ready is not 0. */
static uint32_t packet_descs(struct m2s_queue *mq)
{
    uint32_t n = 1;

    while (!(ring_fifo_at(&mq->ring, n - 1)->marks & FIFO_END)) {
        n++;
    }
    return n;
}

/* The first descriptor of the packet that is not a plain CME copy, or NULL. */
static const struct desc *packet_foreign(struct m2s_queue *mq, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        const struct desc *d = &ring_fifo_at(&mq->ring, i)->desc;

        if ((d->w[0] & DESC_META) ||
            (d->w[1] & META_PLAIN_MASK) != META_PLAIN) {
            return d;
        }
    }
    return NULL;
}

/*
 * No application engine takes the packet: it answers with an error on the
 * stream, unless that is masked.
 */
static bool packet_refuse(struct channel *ch, unsigned q, uint32_t n,
                          const struct desc *d)
{
    ch->stats.unsupported++;
    channel_guest_error(ch, "queue %u: unsupported command, meta_ctrl 0x%08x",
                        q, d->w[1]);
    if (!app_stream_error(ch, d)) {
        return false;
    }
    m2s_complete(ch, q, n, true);
    return true;
}

/* The n oldest descriptors become the packet that is moved. */
static void packet_begin(struct channel *ch, unsigned q, uint32_t n)
{
    struct m2s_queue *mq = M2S_QUEUE(ch, q);
    struct packet *pkt = &mq->packet;

    *pkt = (struct packet){
        .descs = n,
        .rx_first = true,
        .zero_len = channel_zero_len(ch),
    };
    for (uint32_t i = 0; i < n; i++) {
        pkt->left +=
            desc_len_bytes(&ring_fifo_at(&mq->ring, i)->desc, pkt->zero_len);
    }
    pkt->bytes = pkt->left;
    if (ch->notes) {
        tdma_begin(ch, q);
    }
}

static uint64_t m2s_move(struct channel *ch, unsigned q)
{
    bool delivered = false;
    uint64_t units = packet_move(ch, q, &delivered);

    if (delivered) {
        const struct packet *pkt = &M2S_QUEUE(ch, q)->packet;

        m2s_complete(ch, q, pkt->descs, pkt->error);
    }
    return units;
}

/* It has begun, and is there to be moved. */
#define BEGUN UINT64_MAX

/* The n oldest entries, a packet or run, begin; else the units it took. */
static inline uint64_t m2s_begin(struct channel *ch, unsigned q, uint32_t n)
{
    struct m2s_queue *mq = M2S_QUEUE(ch, q);
    const struct desc *foreign;
    struct app_plan plan;

    if (!data_tail_allows(ch, q, n)) {
        return 0;
    }
    if (ring_fifo_at(&mq->ring, n - 1)->marks & FIFO_BAD) {
        m2s_complete(ch, q, n, true);
        return n;
    }
    foreign = packet_foreign(mq, n);
    if (foreign && !app_accept(ch, q, n, &plan)) {
        foreign = plan.desc ? plan.desc : foreign;
        return packet_refuse(ch, q, n, foreign) ? n : 0;
    }
    packet_begin(ch, q, n);
    if (foreign) {
        app_begin(ch, q, &plan);
    }
    if (ch->limited >> q & 1) {
        limiter_charge(ch, q, mq->packet.bytes);
    }
    return axi_plain(ch, q) || packet_faults(ch, q) ? BEGUN : n;
}

uint64_t m2s_step(struct channel *ch, unsigned q)
{
    struct m2s_queue *mq = M2S_QUEUE(ch, q);
    uint64_t units;
    uint32_t n;

    if (mq->ready == 0) {
        m2s_prefetch(ch, q);
    }
    if (mq->ready == 0 || !may_send(ch, q)) {
        return 0;
    }
    n = mq->packet.descs ? mq->packet.descs : packet_descs(mq);
    if (mq->packet.finishing) {
        m2s_finish(ch, q);
        return n;
    }
    if (mq->packet.cancelled) {
        m2s_complete(ch, q, n, true);
        return n;
    }
    units = mq->packet.descs == 0 ? m2s_begin(ch, q, n) : BEGUN;
    if (units != BEGUN) {
        return units;
    }
    if (packet_started(&mq->packet)) {
        return m2s_move(ch, q); /* the gates close between packets */
    }
    switch (s2m_gate(ch, q)) {
    case S2M_OPEN:
        return m2s_move(ch, q);
    case S2M_FLUSH:
        ch->stats.dropped++;
        ch->s2m_side.stats.drop_pkt++;
        m2s_drop(ch, q);
        return n;
    case S2M_CLOSED:
        break;
    }
    return 0;
}
