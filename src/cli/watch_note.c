/* SPDX-License-Identifier: BSD-3-Clause */
/* The notification block of a channel, and its records (common-blocks 2). */
#include "watch_snap.h"

#include <endian.h>
#include <string.h>

#include <trench/bus.h>

#define NOTIFIC TRENCH_BLOCK_NOTIFIC_10_QUEUE

/* ---- queues -------------------------------------------------------------- */

static void read_queue(const struct watch_eye *eye, unsigned n,
                       const struct watch_notes *notes,
                       struct watch_note_queue *q)
{
    q->base = watch_pair(eye, NOTIFIC, "notific_nq.base_addr_lo",
                         "notific_nq.base_addr_hi", n);
    q->size = watch_word(eye, NOTIFIC, "notific_nq.size", n);
    q->head = watch_word(eye, NOTIFIC, "notific_nq.head_ptr", n);
    q->tail = watch_word(eye, NOTIFIC, "notific_nq.tail_ptr", n);
    q->threshold = watch_word(eye, NOTIFIC, "notific_nq.threshold", n);
    q->enabled = notes->enable >> n & 1;
    q->full = watch_word(eye, NOTIFIC, "notific.nq_full", 0) >> n & 1;
    q->passed =
        watch_word(eye, NOTIFIC, "notific.nq_threshold_passed", 0) >> n & 1;
    q->shown = q->size > 0 || q->enabled;
    /* A ring is made of whole records. */
    q->readable = q->size >= WATCH_NOTE_BYTES && q->head < q->size &&
                  q->tail < q->size && q->head % WATCH_NOTE_BYTES == 0 &&
                  q->tail % WATCH_NOTE_BYTES == 0;
    if (q->readable) {
        uint32_t ring = q->size / WATCH_NOTE_BYTES;
        uint32_t tail = q->tail / WATCH_NOTE_BYTES;
        uint32_t head = q->head / WATCH_NOTE_BYTES;

        q->pending = tail >= head ? tail - head : tail + (ring - head);
    }
}

void watch_read_notes(const struct watch_eye *eye, struct watch_notes *out)
{
    memset(out, 0, sizeof(*out));
    out->exists =
        watch_read(eye, NOTIFIC, "notific.nq_enable", 0, &out->enable);
    if (!out->exists) {
        return;
    }
    out->inputs = watch_word(eye, NOTIFIC, "notific.wr_buf_enable_lo", 0);
    out->time = watch_pair(eye, NOTIFIC, "notific.timestamp_lo",
                           "notific.timestamp_hi", 0);
    out->error_addr = watch_pair(eye, NOTIFIC, "notific.nq_error_addr_lo",
                                 "notific.nq_error_addr_hi", 0);
    if (eye->clear) {
        out->counted = true;
        out->count = watch_word(eye, NOTIFIC, "notific.nq_stats", 0);
        out->stalled =
            watch_word(eye, NOTIFIC, "notific.nq_pipeline_stall_count", 0);
    }
    for (unsigned n = 0; n < WATCH_NOTE_QUEUES; n++) {
        read_queue(eye, n, out, &out->queue[n]);
    }
}

/* ---- records (common-blocks 2.4) ----------------------------------------- */

#define TYPE_DMA 2u

static const char *const type_names[32] = {
    [0x02] = "dma",
    [0x03] = "error",
    [0x04] = "pe_inst_start",
    [0x05] = "pe_inst_end",
    [0x06] = "pe_explicit",
    [0x07] = "pe_evt_sem",
    [0x08] = "act_inst_start",
    [0x09] = "act_inst_end",
    [0x0a] = "act_explicit",
    [0x0b] = "act_evt_sem",
    [0x0c] = "pool_inst_start",
    [0x0d] = "pool_inst_end",
    [0x0e] = "pool_explicit",
    [0x0f] = "pool_evt_sem",
    [0x10] = "dve_inst_start",
    [0x11] = "dve_inst_end",
    [0x12] = "dve_explicit",
    [0x13] = "dve_evt_sem",
    [0x14] = "sp_inst_start",
    [0x15] = "sp_inst_end",
    [0x16] = "sp_explicit",
    [0x17] = "sp_evt_sem",
    [0x1b] = "tpb_axi_evt_sem",
    [0x1e] = "tpb_ham",
    [0x1f] = "tpb_error",
};

/* What the body of a DMA record holds besides its class. */
enum body {
    BODY_NONE,
    BODY_START,    /* queue, metadata of the descriptor */
    BODY_END,      /* queue, bytes, crc */
    BODY_QUEUE,    /* queue */
    BODY_AXI_ADDR, /* address, id */
    BODY_AXI_ID,   /* id */
    BODY_APB_ADDR, /* address */
};

static const struct {
    const char *name;
    enum body body;
} dma_classes[16] = {
    [0x1] = { "m2s_sop", BODY_START },
    [0x2] = { "m2s_eop", BODY_END },
    [0x3] = { "m2s_completion", BODY_QUEUE },
    [0x4] = { "s2m_sop", BODY_START },
    [0x5] = { "s2m_eop", BODY_END },
    [0x6] = { "s2m_completion", BODY_QUEUE },
    [0x8] = { "axi_req_0", BODY_AXI_ADDR },
    [0x9] = { "axi_req_1", BODY_AXI_ADDR },
    [0xa] = { "axi_rsp_0", BODY_AXI_ID },
    [0xb] = { "axi_rsp_1", BODY_AXI_ID },
    [0xc] = { "apb_req_0", BODY_APB_ADDR },
    [0xd] = { "apb_req_1", BODY_APB_ADDR },
};

static uint32_t bits(uint32_t word, unsigned lsb, unsigned width)
{
    return word >> lsb & (UINT32_MAX >> (32 - width));
}

static void decode_dma(struct watch_note *note)
{
    unsigned cls = bits(note->w[1], 0, 4);
    uint32_t low = bits(note->w[0], 0, 24);

    note->dma = dma_classes[cls].name ? dma_classes[cls].name : "unknown";
    switch (dma_classes[cls].body) {
    case BODY_NONE:
        return;
    case BODY_START:
        note->queue = (int)bits(note->w[1], 4, 4);
        note->metadata = (int)bits(note->w[1], 8, 7);
        return;
    case BODY_END:
        note->queue = (int)bits(note->w[1], 4, 4);
        note->has_bytes = true;
        note->bytes = low;
        note->crc = bits(note->w[1], 16, 16);
        return;
    case BODY_QUEUE:
        note->queue = (int)bits(note->w[1], 4, 4);
        return;
    case BODY_AXI_ADDR:
        note->axi_id = (int)bits(note->w[1], 4, 5);
        note->has_addr = true;
        note->addr = low | (uint64_t)bits(note->w[1], 9, 23) << 24;
        return;
    case BODY_AXI_ID:
        note->axi_id = (int)bits(note->w[1], 4, 5);
        return;
    case BODY_APB_ADDR:
        note->has_addr = true;
        note->addr = low | (uint64_t)bits(note->w[1], 4, 8) << 24;
        return;
    }
}

static void decode(struct watch_note *note)
{
    note->type = bits(note->w[0], 24, 5);
    note->name = type_names[note->type] ? type_names[note->type] : "unknown";
    note->sw_overflow = bits(note->w[0], 29, 1);
    note->hw_overflow = bits(note->w[0], 30, 1);
    note->phase = bits(note->w[0], 31, 1);
    note->time = note->w[2] | (uint64_t)note->w[3] << 32;
    note->queue = -1;
    note->metadata = -1;
    note->axi_id = -1;
    if (note->type == TYPE_DMA) {
        decode_dma(note);
    }
}

bool watch_note_at(const struct watch_eye *eye,
                   const struct watch_note_queue *queue, uint32_t nth,
                   struct watch_note *out)
{
    uint64_t ring = queue->size / WATCH_NOTE_BYTES * WATCH_NOTE_BYTES;
    uint64_t at;
    const void *host;

    if (!queue->readable || nth >= queue->pending) {
        return false;
    }
    at = (queue->head + (uint64_t)nth * WATCH_NOTE_BYTES) % ring;
    /* A ring may lie on registers, and reading those may change them. */
    host = trench_bus_host(trench_soc_bus(eye->soc), queue->base + at,
                           WATCH_NOTE_BYTES);
    if (!host) {
        return false;
    }
    memset(out, 0, sizeof(*out));
    memcpy(out->w, host, sizeof(out->w));
    for (unsigned i = 0; i < CLI_ARRAY_LEN(out->w); i++) {
        out->w[i] = le32toh(out->w[i]);
    }
    decode(out);
    return true;
}
