/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Moving a packet: from its M2S descriptors into S2M buffers, with what both
 * sides, the application block and faults have to say on the way.
 */
#include "dev/packet.h"

#include <string.h>

#include "base/bits.h"
#include "dev/app.h"
#include "dev/axi.h"
#include "dev/axi_error.h"
#include "dev/fault.h"
#include "dev/move.h"
#include "dev/s2m.h"
#include "dev/sched.h"
#include "udma_m2s_gen.h"

/* Alone where an application engine has read, and counted that then. */
static void count_written(struct channel *ch, uint32_t n)
{
    ch->stats.bytes += n;
    ch->s2m_side.stats.bytes += n;
}

static void count_bytes(struct channel *ch, uint32_t n)
{
    count_written(ch, n);
    ch->m2s_side.stats.bytes += n;
}

static bool sides_work(const struct channel *ch)
{
    return side_works(&ch->m2s_side, true) && side_works(&ch->s2m_side, true);
}

/* False when a register write of the data stopped either side. */
static bool move_advance(struct channel *ch, unsigned q, const struct run *run)
{
    struct packet *pkt = &M2S_QUEUE(ch, q)->packet;

    pkt->desc_off += run->n;
    pkt->left -= run->n;
    /* By how the place was found: the data may have changed the settings. */
    if (run->to->sectioned) {
        section_advance(ch, q, run->to, run->n);
    } else {
        pkt->fill += run->n;
    }
    return sides_work(ch);
}

/*
 * Notifications look at a run that has moved. False when a record reset the
 * queue.
 */
static bool move_told(struct channel *ch, unsigned q, const struct run *run,
                      const void *to)
{
    uint32_t epoch = M2S_QUEUE(ch, q)->epoch;

    if (ch->notes & (TDMA_NOTE_TOLD(q) | TDMA_NOTE_AXI)) {
        tdma_data(ch, q,
                  &(struct tdma_run){ to, run->dst, run->src, run->n,
                                      run->from != NULL });
    }
    return M2S_QUEUE(ch, q)->epoch == epoch;
}

/*
 * Move one run that both descriptors cover. Returns false when the engine
 * aborted or the queue was reset, by an error or by the data itself.
 */
static bool move_run(struct channel *ch, unsigned q, const struct desc *rx,
                     struct run *run)
{
    struct m2s_queue *mq = M2S_QUEUE(ch, q);
    enum trench_axi_master at;
    uint32_t epoch = mq->epoch;
    unsigned answer = move_special(ch, q, run, &at);

    if (mq->epoch != epoch) {
        return false;
    }
    if (answer) {
        mq->packet.error = true;
        if (!axi_fault(ch, at, q, answer,
                       at == TRENCH_AXI_M2S_DATA_READ ? run->tx : rx)) {
            return false;
        }
    } else {
        if (ch->notes && !move_told(ch, q, run, run->from)) {
            return false;
        }
        if (run->from) {
            count_written(ch, run->n);
        } else {
            count_bytes(ch, run->n);
        }
    }
    /* Padding is an access too, and a hook may have reset the queue in it. */
    return move_advance(ch, q, run) && mq->epoch == epoch;
}

bool packet_faults(struct channel *ch, unsigned q)
{
    struct m2s_queue *mq = M2S_QUEUE(ch, q);
    struct desc first = ring_fifo_at(&mq->ring, 0)->desc;

    return fault_packet(ch, q, &first, &mq->packet.error);
}

enum fill {
    FILL_MORE,    /* a buffer is full, go on with the next */
    FILL_DONE,    /* the packet has been delivered */
    FILL_STARVED, /* no buffer */
    FILL_HELD,    /* a notification has no room */
    FILL_STOPPED, /* the engine stopped or the queue was reset */
};

/* Close the S2M descriptor being filled. */
static enum fill packet_close(struct channel *ch, unsigned q)
{
    struct m2s_queue *mq = M2S_QUEUE(ch, q);
    struct packet *pkt = &mq->packet;
    uint32_t epoch = mq->epoch;
    bool on = s2m_close(ch, q, pkt, pkt->left == 0);

    if (mq->epoch != epoch) {
        return FILL_STOPPED; /* the packet is not the one it was */
    }
    pkt->rx_open = false;
    pkt->rx_first = false;
    pkt->fill = 0;
    if (pkt->sectioned) {
        section_close(ch, q);
    }
    if (!on) {
        return FILL_STOPPED;
    }
    if (pkt->left > 0) {
        return FILL_MORE;
    }
    if (ch->notes && tdma_completed(ch, q) != TDMA_GO) {
        return FILL_STOPPED;
    }
    return FILL_DONE;
}

/* What a notification record makes of the packet's progress. */
static enum fill packet_note(enum tdma_go go)
{
    return go == TDMA_HELD ? FILL_HELD : FILL_STOPPED;
}

/* Begin with an S2M descriptor; false when the engine aborted over it. */
static bool packet_open(struct channel *ch, unsigned q, const struct desc *rx)
{
    struct packet *pkt = &M2S_QUEUE(ch, q)->packet;
    bool fresh = !pkt->rx_open;

    pkt->rx_open = true;
    return axi_plain(ch, q) || section_open(ch, q, rx, fresh);
}

/*
 * The place for the next bytes; false when the descriptor is full. A plain
 * queue gets here when one end is not memory.
 */
static bool packet_target(struct channel *ch, unsigned q, const struct desc *rx,
                          struct target *to)
{
    const struct packet *pkt = &M2S_QUEUE(ch, q)->packet;
    uint32_t size = desc_len_bytes(rx, pkt->zero_len);

    /* A hook may have made it plain, or no longer plain, since it opened. */
    if (!axi_plain(ch, q) && pkt->sectioned) {
        return section_target(ch, q, rx, to);
    }
    *to = (struct target){
        .stream = AXI_RX_BUF1,
        .addr = (uint64_t)rx->w[3] << 32 | rx->w[2],
        .off = pkt->fill,
        .buffer = size,
        .room = size - pkt->fill,
    };
    return pkt->fill < size;
}

/* The descriptor that the next bytes come from; there are some left. */
static const struct desc *packet_source(struct m2s_queue *mq)
{
    struct packet *pkt = &mq->packet;

    for (;;) {
        const struct desc *tx = &ring_fifo_at(&mq->ring, pkt->desc_idx)->desc;

        if (pkt->desc_off < desc_len_bytes(tx, pkt->zero_len)) {
            return tx;
        }
        pkt->desc_idx++;
        pkt->desc_off = 0;
    }
}

/* Bytes that a source and a buffer with room have in common. */
static uint32_t run_bytes(const struct packet *pkt, const struct desc *tx,
                          uint32_t room)
{
    uint32_t n =
        min_u32(desc_len_bytes(tx, pkt->zero_len) - pkt->desc_off, room);

    return n < pkt->left ? n : (uint32_t)pkt->left;
}

/*
 * The common case: move what is plain memory at both ends. What is left of
 * buffer and packet then is for packet_data() to see to. False when a record
 * reset the queue or stopped the engine.
 */
static bool packet_direct(struct channel *ch, unsigned q, const struct desc *rx)
{
    struct m2s_queue *mq = M2S_QUEUE(ch, q);
    struct packet *pkt = &mq->packet;
    uint32_t size = desc_len_bytes(rx, pkt->zero_len);

    while (pkt->left > 0 && pkt->fill < size) {
        const struct desc *tx = packet_source(mq);
        uint32_t n = run_bytes(pkt, tx, size - pkt->fill);
        uint64_t src =
            addr_add((uint64_t)tx->w[3] << 32 | tx->w[2], pkt->desc_off);
        uint64_t dst = addr_add((uint64_t)rx->w[3] << 32 | rx->w[2], pkt->fill);
        void *from = bus_host_hint(ch->bus, &mq->src_hint, src, n);
        void *to = bus_host_hint(ch->bus, &mq->dst_hint, dst, n);

        if (!from || !to) {
            return true;
        }
        memmove(to, from, n);
        if (ch->notes &&
            !move_told(ch, q, &(struct run){ .n = n, .src = src, .dst = dst },
                       to)) {
            return false;
        }
        count_bytes(ch, n);
        pkt->desc_off += n;
        pkt->fill += n;
        pkt->left -= n;
        if (ch->notes && !sides_work(ch)) {
            return false;
        }
    }
    return true;
}

/*
 * What packet_direct() leaves. Out of line: what this keeps on the stack is
 * not for the common case to make room for.
 */
static __attribute__((noinline)) bool packet_special(struct channel *ch,
                                                     unsigned q,
                                                     const struct desc *rx)
{
    struct packet *pkt = &M2S_QUEUE(ch, q)->packet;
    struct target to;

    if (!packet_open(ch, q, rx)) {
        return false;
    }
    while (pkt->left > 0 && packet_target(ch, q, rx, &to)) {
        /* By value: the data may land in the registers that flush the FIFO. */
        struct desc tx = *packet_source(M2S_QUEUE(ch, q));
        struct run run = {
            .tx = &tx,
            .to = &to,
            .n = run_bytes(pkt, &tx, to.room),
        };

        if (!move_run(ch, q, rx, &run)) {
            return false;
        }
    }
    return true;
}

/*
 * The same for the stream of an application engine, which is as long as it
 * was to be also when a source was lost: nothing is written then.
 */
static __attribute__((noinline)) bool packet_made(struct channel *ch,
                                                  unsigned q,
                                                  const struct desc *rx)
{
    struct packet *pkt = &M2S_QUEUE(ch, q)->packet;
    struct target to;

    if (!packet_open(ch, q, rx) || !app_ready(ch, q, rx)) {
        return false;
    }
    while (pkt->left > 0 && packet_target(ch, q, rx, &to)) {
        struct run run = {
            .from = app_stream(ch, q),
            .to = &to,
            .n = (uint32_t)min_u64(pkt->left, to.room),
        };
        bool on = pkt->app_lost ? move_advance(ch, q, &run)
                                : move_run(ch, q, rx, &run);

        if (!on) {
            return false;
        }
    }
    return true;
}

/* Bytes into one S2M descriptor. False when the queue or engine stopped. */
static bool packet_data(struct channel *ch, unsigned q, const struct desc *rx)
{
    struct m2s_queue *mq = M2S_QUEUE(ch, q);
    struct packet *pkt = &mq->packet;

    if (pkt->app) {
        return packet_made(ch, q, rx);
    }
    if (axi_plain(ch, q) && !(mq->programs && pkt->left == 4)) {
        pkt->rx_open = true;
        if (!packet_direct(ch, q, rx)) {
            return false;
        }
        if (pkt->left == 0) {
            return true;
        }
    }
    return packet_special(ch, q, rx);
}

/* Fill one S2M descriptor from the packet, and close it when it is full. */
static enum fill packet_fill(struct channel *ch, unsigned q)
{
    struct packet *pkt = &M2S_QUEUE(ch, q)->packet;
    const uint32_t epoch = M2S_QUEUE(ch, q)->epoch;
    enum tdma_go go = TDMA_GO;
    const struct desc *front;
    struct desc rx;

    if (pkt->left == 0 && packet_started(pkt) && !pkt->rx_open) {
        return FILL_DONE; /* an abort came between delivery and the end */
    }
    if (ch->notes && (go = tdma_send(ch, q)) != TDMA_GO) {
        return packet_note(go);
    }
    front = s2m_front(ch, q);
    if (M2S_QUEUE(ch, q)->epoch != epoch) {
        return FILL_STOPPED; /* by an access hook */
    }
    if (!front) {
        return FILL_STARVED;
    }
    rx = *front;
    if (ch->notes) {
        pkt->rx_open = true;
        go = tdma_receive(ch, q);
        if (go != TDMA_GO) {
            return packet_note(go);
        }
    }
    if (!packet_data(ch, q, &rx)) {
        return FILL_STOPPED;
    }
    if (ch->notes && pkt->left == 0 && (go = tdma_end(ch, q)) != TDMA_GO) {
        return packet_note(go);
    }
    return packet_close(ch, q);
}

/* What the byte counter takes in addition, if cfg_st says so. */
static uint32_t extra_len(const struct channel *ch, const struct m2s_queue *mq)
{
    if (*ch->reg.cfg_st & UDMA_M2S_M2S_STAT_CFG_ST_USE_EXTRA_LEN_MASK) {
        return *mq->ring.reg.cfg & UDMA_M2S_M2S_Q_CFG_PKT_LEN_OFFSET_MASK;
    }
    return 0;
}

/* Units of work, as trench_soc_conf.budget counts them. */
static uint64_t packet_units(uint64_t bytes, uint32_t descs)
{
    return descs + bytes / 4096;
}

/* Buffers after which a packet lets the budget be looked at. */
#define FILLS_PER_STEP 4096u

uint64_t packet_move(struct channel *ch, unsigned q, bool *delivered)
{
    struct m2s_queue *mq = M2S_QUEUE(ch, q);
    uint64_t before = mq->packet.left;
    uint64_t moved;
    uint32_t descs = mq->packet.descs;
    uint32_t filled = 0;
    enum fill fill;

    do {
        fill = packet_fill(ch, q);
        filled += fill == FILL_MORE;
    } while (fill == FILL_MORE && filled < FILLS_PER_STEP);
    moved = before - mq->packet.left;
    if (fill == FILL_STARVED) {
        s2m_starve(ch, q);
        /* What was moved counts; without any the queue is idle. */
        return filled ? packet_units(moved, filled) : 0;
    }
    if (fill == FILL_HELD) {
        return packet_units(moved, filled); /* until notific_kick() */
    }
    if (fill == FILL_DONE) {
        *delivered = true;
        ch->stats.packets++;
        mq->packets++;
        ch->m2s_side.stats.bytes += extra_len(ch, mq);
        sched_charge(ch, q, mq->packet.bytes);
    }
    return packet_units(moved, descs + filled);
}
