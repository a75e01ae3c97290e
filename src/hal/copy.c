/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Copies as packets (udma-engine 4.1, 4.3, B30).
 *
 * An S2M descriptor closes when it is full or when its packet ends, and the
 * next packet starts in a fresh one. So each packet is given S2M descriptors
 * that hold exactly its bytes.
 *
 * A copy is laid out twice with the same arithmetic: once to count, which may
 * refuse, and once to write, which cannot fail.
 */
#include "base/desc.h"
#include "hal/hal_priv.h"

/*
 * Most of one packet. Descriptors: 5.8.5 U5, less one on the M2S side for the
 * metadata descriptor of other operations (4.2). Bytes: cfg_len allows
 * 0xFFFFF; the multiple of 64 below it keeps the rest of a long list on cache
 * lines.
 */
#define PACKET_TX_DESCS 64u
#define PACKET_RX_DESCS 60u
#define PACKET_BYTES    0xfffc0u

#define COPY_FLAGS                                                             \
    (TRENCH_HAL_WRITE_BARRIER | TRENCH_HAL_DMB | TRENCH_HAL_INTERRUPT)

/* A place in a list of pieces. */
struct sg {
    const struct trench_hal_seg *seg;
    uint64_t off; /* bytes of *seg that are behind us */
};

struct copy {
    struct sg dst;
    struct sg src;
    uint64_t left;   /* bytes */
    uint32_t max_tx; /* descriptors of a packet */
    uint32_t max_rx;
    unsigned flags;
};

static uint64_t min_u64(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* The next piece of at most max bytes, which the list still holds. */
static struct hal_piece sg_take(struct sg *sg, uint64_t max)
{
    struct hal_piece piece;

    while (sg->off == sg->seg->len_bytes) {
        sg->seg++;
        sg->off = 0;
    }
    max = min_u64(max, TRENCH_HAL_DESC_BYTES);
    piece.addr = sg->seg->addr + sg->off;
    piece.len_bytes = (uint32_t)min_u64(max, sg->seg->len_bytes - sg->off);
    sg->off += piece.len_bytes;
    return piece;
}

/* Bytes that nr_descs descriptors cover, at most max. */
static uint64_t sg_reach(struct sg sg, uint32_t nr_descs, uint64_t max)
{
    uint64_t len = 0;

    for (uint32_t i = 0; i < nr_descs && len < max; i++) {
        len += sg_take(&sg, max - len).len_bytes;
    }
    return len;
}

/* Step over len bytes; returns the descriptors they need. */
static uint32_t sg_skip(struct sg *sg, uint64_t len)
{
    uint32_t nr_descs = 0;

    for (; len > 0; nr_descs++) {
        len -= sg_take(sg, len).len_bytes;
    }
    return nr_descs;
}

/* Bytes of the next packet: as far as both sides reach. */
static uint64_t packet_len(const struct copy *copy)
{
    uint64_t len = min_u64(copy->left, PACKET_BYTES);

    len = sg_reach(copy->src, copy->max_tx, len);
    return sg_reach(copy->dst, copy->max_rx, len);
}

/*
 * Both rings have room for the whole copy. Stops at the first packet that
 * does not fit, so the work is bounded by the rings and not by the length.
 */
static bool copy_fits(const struct trench_hal_queue *queue, struct copy copy)
{
    uint32_t tx_space = hal_ring_space(&queue->tx);
    uint32_t rx_space = hal_ring_space(&queue->rx);
    uint32_t nr_tx, nr_rx;
    uint64_t len;

    while (copy.left > 0) {
        len = packet_len(&copy);
        nr_tx = sg_skip(&copy.src, len);
        nr_rx = sg_skip(&copy.dst, len);
        if (nr_tx > tx_space || nr_rx > rx_space) {
            return false;
        }
        tx_space -= nr_tx;
        rx_space -= nr_rx;
        copy.left -= len;
    }
    return true;
}

/* Write a packet of len bytes; it is the last one when nothing is left. */
static void put_packet(struct trench_hal_queue *queue, struct copy *copy,
                       uint64_t len, bool first)
{
    unsigned flags = copy->left == 0 ? copy->flags : 0;
    uint32_t meta =
        flags & TRENCH_HAL_WRITE_BARRIER ? META_COPY_BARRIER : META_COPY;
    uint32_t last_int = flags & TRENCH_HAL_INTERRUPT ? DESC_INT_EN : 0;
    uint32_t ctrl = DESC_FIRST;
    struct hal_packet packet = { 0, 0 };
    struct hal_piece piece;
    uint64_t left;

    if (first && (copy->flags & TRENCH_HAL_DMB)) {
        ctrl |= DESC_DMB;
    }
    for (left = len; left > 0; left -= piece.len_bytes, packet.nr_tx++) {
        piece = sg_take(&copy->src, left);
        if (piece.len_bytes == left) {
            ctrl |= DESC_LAST | last_int;
        }
        hal_ring_put(&queue->tx, &piece, ctrl, meta);
        ctrl = 0;
    }
    for (left = len; left > 0; left -= piece.len_bytes, packet.nr_rx++) {
        piece = sg_take(&copy->dst, left);
        hal_ring_put(&queue->rx, &piece, piece.len_bytes == left ? last_int : 0,
                     0);
    }
    hal_queue_add_packet(queue, packet);
}

static int copy_write(struct trench_hal_queue *queue, struct copy *copy)
{
    int nr_packets = 0;
    uint64_t len;

    if (!copy_fits(queue, *copy)) {
        return TRENCH_ERR_NOSPC;
    }
    while (copy->left > 0) {
        len = packet_len(copy);
        copy->left -= len;
        put_packet(queue, copy, len, nr_packets == 0);
        nr_packets++; /* at most the ring's length, 2^24 */
    }
    return nr_packets;
}

/* Add up a list; refuses pieces and sums that wrap. */
static int sg_sum(const struct trench_hal_seg *segs, size_t nr_segs,
                  uint64_t *out)
{
    uint64_t sum = 0;

    for (size_t i = 0; i < nr_segs; i++) {
        uint64_t len = segs[i].len_bytes;

        if (len == 0) {
            continue;
        }
        if (len - 1 > UINT64_MAX - segs[i].addr || len > UINT64_MAX - sum) {
            return TRENCH_ERR_INVAL;
        }
        sum += len;
    }
    *out = sum;
    return 0;
}

static int copy_check(const struct trench_hal_seg *dst, size_t nr_dst,
                      const struct trench_hal_seg *src, size_t nr_src,
                      struct copy *copy)
{
    uint64_t dst_len, src_len;
    int err;

    if (copy->flags & ~(unsigned)COPY_FLAGS) {
        return TRENCH_ERR_INVAL;
    }
    err = sg_sum(dst, nr_dst, &dst_len);
    if (!err) {
        err = sg_sum(src, nr_src, &src_len);
    }
    if (err) {
        return err;
    }
    if (dst_len != src_len || dst_len == 0) {
        return TRENCH_ERR_INVAL;
    }
    copy->dst.seg = dst;
    copy->src.seg = src;
    copy->left = dst_len;
    return 0;
}

int trench_hal_copy(struct trench_hal_queue *queue, uint64_t dst, uint64_t src,
                    uint64_t len_bytes, unsigned flags)
{
    const struct trench_hal_seg to = { dst, len_bytes };
    const struct trench_hal_seg from = { src, len_bytes };
    struct copy copy = { .max_tx = 1, .max_rx = 1, .flags = flags };
    int err;

    err = copy_check(&to, 1, &from, 1, &copy);
    return err ? err : copy_write(queue, &copy);
}

int trench_hal_copy_sg(struct trench_hal_queue *queue,
                       const struct trench_hal_seg *dst, size_t nr_dst,
                       const struct trench_hal_seg *src, size_t nr_src,
                       unsigned flags)
{
    struct copy copy = { .max_tx = PACKET_TX_DESCS,
                         .max_rx = PACKET_RX_DESCS,
                         .flags = flags };
    int err;

    err = copy_check(dst, nr_dst, src, nr_src, &copy);
    return err ? err : copy_write(queue, &copy);
}
