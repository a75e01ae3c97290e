/* SPDX-License-Identifier: BSD-3-Clause */
#include "dev/app.h"

#include <string.h>
#include <sys/mman.h>

#include "base/bits.h"
#include "dev/axi.h"
#include "dev/axi_error.h"
#include "udma_m2s_gen.h"

static const struct app_ops *const engines[TRENCH_NR_APP_ENGINES] = {
    [TRENCH_APP_DRE] = &app_dre_ops,
    [TRENCH_APP_CME] = &app_cme_ops,
    [TRENCH_APP_CCE] = &app_cce_ops,
};

/* ---- triggers ------------------------------------------------------------ */

static const char *const trigger_names[TRENCH_NR_APP_TRIGGERS] = {
    [TRENCH_TRIGGER_DRE_ERG] = "dre_erg",
    [TRENCH_TRIGGER_DRE_MEM_COLLISION] = "dre_mem_collision",
    [TRENCH_TRIGGER_DRE_COMMAND_PARSE] = "dre_command_parse",
    [TRENCH_TRIGGER_CCE_ERG] = "cce_erg",
    [TRENCH_TRIGGER_CCE_MEM_COLLISION] = "cce_mem_collision",
    [TRENCH_TRIGGER_CCE_COMMAND_PARSE] = "cce_command_parse",
    [TRENCH_TRIGGER_CCE_META_UNDERFLOW] = "cce_metadata_fifo_underflow",
    [TRENCH_TRIGGER_CCE_META_OVERFLOW] = "cce_metadata_fifo_overflow",
    [TRENCH_TRIGGER_CCE_INPUT_CONVERTER] = "cce_input_converter",
    [TRENCH_TRIGGER_CCE_OUTPUT_CONVERTER] = "cce_output_converter",
    [TRENCH_TRIGGER_CCE_OUTPUT_INF] = "cce_output_inf",
    [TRENCH_TRIGGER_CCE_OUTPUT_NAN] = "cce_output_nan",
    [TRENCH_TRIGGER_CCE_OUTPUT_OVERFLOW] = "cce_output_overflow",
    [TRENCH_TRIGGER_CCE_OUTPUT_UNDERFLOW] = "cce_output_underflow",
    [TRENCH_TRIGGER_CCE_STOCHASTIC_NON_FP] = "cce_stochastic_rounding_non_fp",
    [TRENCH_TRIGGER_CCE_FMA] = "cce_fma",
    [TRENCH_TRIGGER_CCE_DECOMPRESSION_UNDERFLOW] =
        "cce_decompression_underflow",
    [TRENCH_TRIGGER_CCE_DECOMPRESSION_OVERFLOW] = "cce_decompression_overflow",
    [TRENCH_TRIGGER_CCE_A_AND_B_SELF_BUFFER] = "cce_a_and_b_self_buffer",
    [TRENCH_TRIGGER_MISSING_ENGINE] = "access_missing_app_engine",
};

const char *trench_app_trigger_name(unsigned trigger)
{
    return trigger < TRENCH_NR_APP_TRIGGERS ? trigger_names[trigger] : NULL;
}

void app_trigger(struct channel *ch, unsigned trigger)
{
    ch->app.stats.triggers[trigger]++;
    channel_log(ch, "trigger %s", trigger_names[trigger]);
}

void app_reset(struct channel *ch)
{
    ch->app.stats = (struct trench_app_stats){ 0 };
    memset(ch->app.crc, 0, sizeof(ch->app.crc));
}

bool app_stream_error(struct channel *ch, const struct desc *d)
{
    const uint32_t mask =
        UDMA_M2S_M2S_COMP_CFG_APPLICATION_ACK2_MASK_ERR_INDICATION_DATA_MASK |
        UDMA_M2S_M2S_COMP_CFG_APPLICATION_ACK2_MASK_ERR_INDICATION_TUSER_MASK;
    uint32_t ack2 = regfile_get(&ch->units[TRENCH_BLOCK_UDMA_M2S].rf,
                                UDMA_M2S_M2S_COMP_CFG_APPLICATION_ACK2);

    return (ack2 & mask) == mask ||
           channel_error(ch, SEC_GROUP_M2S, M2S_CAUSE_STREAM_RESPONSE, d);
}

/* ---- memory -------------------------------------------------------------- */

static size_t stages_bytes(const struct chip *chip)
{
    return (size_t)chip->gen->nr_engines * TRENCH_NR_QUEUES * APP_STAGE_BYTES +
           APP_SCRATCH_BYTES;
}

int app_build(struct chip *chip)
{
    void *p = mmap(NULL, stages_bytes(chip), PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

    if (p == MAP_FAILED) {
        return TRENCH_ERR_NOMEM;
    }
    /* Huge pages would make a queue's first packet clear two megabytes. */
    (void)madvise(p, stages_bytes(chip), MADV_NOHUGEPAGE);
    chip->app_scratch = p;
    chip->app_stages = chip->app_scratch + APP_SCRATCH_BYTES;
    return 0;
}

void app_fini(struct chip *chip)
{
    if (chip->app_scratch) {
        munmap(chip->app_scratch, stages_bytes(chip));
    }
}

uint8_t *app_stage(const struct channel *ch, unsigned q)
{
    return ch->chip->app_stages +
           ((size_t)ch->engine * TRENCH_NR_QUEUES + q) * APP_STAGE_BYTES;
}

const uint8_t *app_stream(const struct channel *ch, unsigned q)
{
    const struct packet *pkt = &M2S_QUEUE(ch, q)->packet;

    return app_stage(ch, q) + (pkt->bytes - pkt->left);
}

/* ---- accepting a packet -------------------------------------------------- */

/* SDMAOP is one-hot: DRE, CME, CCE from its lowest bit on. */
static enum trench_app_engine engine_of(const struct desc *d)
{
    switch ((d->w[1] & META_SSMAE_OP_MASK) / (META_SSMAE_OP_CME / 2)) {
    case 1:
        return TRENCH_APP_DRE;
    case 2:
        return TRENCH_APP_CME;
    case 4:
        return TRENCH_APP_CCE;
    default:
        return TRENCH_APP_NONE;
    }
}

/*
 * The engine of the first buffer, which that of every other one is; op_type
 * likewise.
 */
static bool find_engine(const struct app_packet *p,
                        enum trench_app_engine *engine, struct app_refusal *no)
{
    const uint32_t same = META_SSMAE_OP_MASK | META_OP_TYPE_MASK;
    const struct desc *first = NULL;

    for (uint32_t i = 0; i < p->descs; i++) {
        const struct desc *d = app_desc(p, i);

        if (d->w[0] & DESC_META) {
            continue;
        }
        if (!first) {
            first = d;
            *engine = engine_of(d);
        }
        if (*engine == TRENCH_APP_NONE || ((d->w[1] ^ first->w[1]) & same)) {
            return app_refuse(no, NULL, TRENCH_TRIGGER_MISSING_ENGINE);
        }
    }
    return first || app_refuse(no, NULL, TRENCH_TRIGGER_MISSING_ENGINE);
}

bool app_accept(struct channel *ch, unsigned q, uint32_t n,
                struct app_plan *plan)
{
    struct app_refusal no = { NULL, TRENCH_NR_APP_TRIGGERS };
    struct app_packet p = { .ch = ch, .q = q, .descs = n };

    if (find_engine(&p, &plan->engine, &no) &&
        engines[plan->engine]->accept(&p, &plan->bytes, &no)) {
        return true;
    }
    if (no.trigger < TRENCH_NR_APP_TRIGGERS) {
        app_trigger(ch, no.trigger);
    }
    plan->desc = no.desc;
    return false;
}

void app_begin(struct channel *ch, unsigned q, const struct app_plan *plan)
{
    struct packet *pkt = &M2S_QUEUE(ch, q)->packet;

    pkt->app = (uint8_t)plan->engine;
    pkt->bytes = plan->bytes;
    pkt->left = plan->bytes;
    ch->app.stats.packets[plan->engine]++;
}

enum trench_app_engine app_in_flight(const struct channel *ch, unsigned q)
{
    const struct packet *pkt = &ch->m2s[q].packet;

    if (pkt->descs == 0) {
        return TRENCH_APP_NONE;
    }
    return pkt->app ? (enum trench_app_engine)pkt->app : TRENCH_APP_CME;
}

/* ---- reading ------------------------------------------------------------- */

static bool still_there(const struct app_packet *p, uint32_t epoch)
{
    return M2S_QUEUE(p->ch, p->q)->epoch == epoch &&
           side_works(&p->ch->m2s_side, true) &&
           side_works(&p->ch->s2m_side, true);
}

/* A buffer has been read: counters, and triggers that look at reads. */
static enum app_got read_done(const struct app_packet *p, uint64_t addr,
                              uint32_t len)
{
    struct channel *ch = p->ch;
    uint32_t epoch = M2S_QUEUE(ch, p->q)->epoch;

    ch->m2s_side.stats.bytes += len;
    if (ch->notes & TDMA_NOTE_AXI) {
        tdma_axi_read(ch, p->q, addr);
        return still_there(p, epoch) ? APP_GOT : APP_STOPPED;
    }
    return APP_GOT;
}

/* Through the bus, and whatever looks on. */
static enum app_got read_special(const struct app_packet *p,
                                 const struct desc *tx, uint32_t len,
                                 uint8_t *to)
{
    struct channel *ch = p->ch;
    uint32_t epoch = M2S_QUEUE(ch, p->q)->epoch;
    uint32_t group = axi_swap_group(ch, AXI_TX_DATA);
    struct axi a = axi_compose(ch, AXI_TX_DATA, p->q,
                               (uint64_t)tx->w[3] << 32 | tx->w[2], 0);
    unsigned answer;

    a.len = len;
    answer = axi_admit(ch, &a);
    if (answer == 0) {
        answer = axi_answer(
            trench_bus_read(ch->bus, ch->initiator, a.addr, to, len));
    }
    if (!still_there(p, epoch)) {
        return APP_STOPPED; /* by an access hook */
    }
    if (answer) {
        M2S_QUEUE(ch, p->q)->packet.error = true;
        return axi_fault(ch, TRENCH_AXI_M2S_DATA_READ, p->q, answer, tx)
                   ? APP_LOST
                   : APP_STOPPED;
    }
    if (len >= group) {
        axi_swap(to, len, group);
    }
    return read_done(p, a.addr, len);
}

const void *app_in_place(const struct app_packet *p, const struct desc *tx,
                         uint32_t len)
{
    struct channel *ch = p->ch;

    return axi_plain(ch, p->q)
               ? bus_host_hint(ch->bus, &M2S_QUEUE(ch, p->q)->src_hint,
                               (uint64_t)tx->w[3] << 32 | tx->w[2], len)
               : NULL;
}

enum app_got app_read(const struct app_packet *p, const struct desc *tx,
                      uint32_t len, uint8_t *to, const void **data)
{
    const void *host;

    *data = to;
    if (len == 0) {
        return APP_GOT;
    }
    host = app_in_place(p, tx, len);
    if (!host) {
        return read_special(p, tx, len, to);
    }
    if (p->ch->notes & TDMA_NOTE_AXI) {
        /* A record may land where memory is taken away. */
        memcpy(to, host, len);
    } else {
        *data = host;
    }
    return read_done(p, (uint64_t)tx->w[3] << 32 | tx->w[2], len);
}

enum app_got app_read_to(const struct app_packet *p, const struct desc *tx,
                         uint32_t len, uint8_t *to)
{
    const void *data;
    enum app_got got = app_read(p, tx, len, to, &data);

    if (got == APP_GOT && data != to) {
        memcpy(to, data, len);
    }
    return got;
}

/* ---- the stream ---------------------------------------------------------- */

void *app_direct(const struct app_packet *p, uint64_t bytes)
{
    struct m2s_queue *mq = M2S_QUEUE(p->ch, p->q);
    const struct desc *rx = p->rx;

    if (!axi_plain(p->ch, p->q) || p->ch->notes || mq->packet.fill > 0 ||
        bytes > desc_len_bytes(rx, mq->packet.zero_len)) {
        return NULL;
    }
    return bus_host_hint(p->ch->bus, &mq->dst_hint,
                         (uint64_t)rx->w[3] << 32 | rx->w[2], bytes);
}

void app_delivered(const struct app_packet *p)
{
    struct packet *pkt = &M2S_QUEUE(p->ch, p->q)->packet;

    p->ch->stats.bytes += pkt->left;
    p->ch->s2m_side.stats.bytes += pkt->left;
    pkt->fill += (uint32_t)pkt->left;
    pkt->left = 0;
}

bool app_ready(struct channel *ch, unsigned q, const struct desc *rx)
{
    struct packet *pkt = &M2S_QUEUE(ch, q)->packet;
    struct app_packet p = { .ch = ch, .q = q, .descs = pkt->descs, .rx = rx };
    enum app_got got;

    if (pkt->app_ready) {
        return true;
    }
    got = engines[pkt->app]->run(&p);
    if (got == APP_STOPPED) {
        return false; /* after an abort it begins again */
    }
    pkt->app_ready = true;
    if (got == APP_LOST) {
        pkt->app_lost = true;
        pkt->error = true;
    } else if (p.mismatch) {
        pkt->error = true;
        return app_stream_error(ch, &p.culprit);
    }
    return true;
}
