/* SPDX-License-Identifier: BSD-3-Clause */
#include "watch_snap.h"

#include <string.h>

#include <trench/bus.h>

const char *const watch_dir_names[WATCH_DIRS] = { "m2s", "s2m" };

const char *const watch_counter_names[WATCH_COUNTERS] = {
    [WATCH_PACKETS] = "packets",     [WATCH_BYTES] = "bytes",
    [WATCH_FETCHED] = "fetched",     [WATCH_COMPLETED] = "completed",
    [WATCH_WRITTEN] = "completions", [WATCH_ACKED] = "acked",
    [WATCH_DROPPED] = "dropped",
};

const char *const watch_pointer_names[WATCH_POINTERS] = {
    [WATCH_HEAD] = "head",
    [WATCH_TAIL] = "tail",
    [WATCH_CURRENT] = "current",
    [WATCH_COMPLETION] = "completion",
};

const char *const watch_flag_names[WATCH_DIRS][WATCH_FLAGS] = {
    { "pref", "sched", "full", "dmb", "non-active", "cring" },
    { "pref", "stream", "full", "", "non-active", "cring" },
};

const char *const watch_axi_names[WATCH_AXI_COUNTERS] = {
    "tx_desc_read", "tx_data_read",  "tx_cmpl_write",
    "rx_desc_read", "rx_data_write", "rx_cmpl_write",
};

const char *const watch_app_names[WATCH_APPS] = { "cme", "dre", "cce", "ats",
                                                  "dmb" };

static const enum trench_block_id side_blocks[WATCH_DIRS] = {
    TRENCH_BLOCK_UDMA_M2S,
    TRENCH_BLOCK_UDMA_S2M,
};

const char *watch_state_name(unsigned state)
{
    static const char *const names[] = { "idle", "normal", "abort", "unknown" };

    return names[state & 3];
}

/* ---- reading ------------------------------------------------------------- */

static bool find(const struct trench_soc *soc, enum trench_block_id block,
                 const char *name, struct trench_csr_ref *ref)
{
    const struct trench_csr_set *set =
        trench_csr_lib_set(trench_csr_lib_builtin(), trench_soc_gen(soc)->name);
    char full[96];

    snprintf(full, sizeof(full), "%s.%s", trench_csr_block_name(block), name);
    return set && trench_csr_find(set, full, ref, NULL) == 0 && ref->reg;
}

/* The address of one instance of it. */
static bool place(const struct trench_soc *soc, unsigned engine,
                  enum trench_block_id block, struct trench_csr_ref *ref,
                  unsigned index, uint64_t *out)
{
    uint64_t base;

    if (index >= ref->bundle->count ||
        trench_gen_block_base(trench_soc_gen(soc), engine, block, false,
                              &base) < 0) {
        return false;
    }
    ref->index = index;
    ref->has_index = 1;
    *out = base + trench_csr_ref_offset(ref);
    return true;
}

bool watch_find(struct trench_soc *soc, unsigned engine,
                enum trench_block_id block, const char *name, unsigned index,
                uint64_t *out)
{
    struct trench_csr_ref ref;

    return find(soc, block, name, &ref) &&
           place(soc, engine, block, &ref, index, out);
}

bool watch_read(const struct watch_eye *eye, enum trench_block_id block,
                const char *name, unsigned index, uint32_t *out)
{
    struct trench_csr_ref ref;
    uint64_t addr;
    uint32_t word;

    *out = 0;
    if (!find(eye->soc, block, name, &ref) ||
        !place(eye->soc, eye->engine, block, &ref, index, &addr) ||
        trench_bus_read32(trench_soc_bus(eye->soc), addr, &word) < 0) {
        return false;
    }
    *out = ref.field ? trench_csr_field_get(ref.field, word) : word;
    return true;
}

uint32_t watch_word(const struct watch_eye *eye, enum trench_block_id block,
                    const char *name, unsigned index)
{
    uint32_t word;

    watch_read(eye, block, name, index, &word);
    return word;
}

uint64_t watch_pair(const struct watch_eye *eye, enum trench_block_id block,
                    const char *low, const char *high, unsigned index)
{
    uint64_t word = watch_word(eye, block, low, index);

    return word | (uint64_t)watch_word(eye, block, high, index) << 32;
}

/* ---- sides --------------------------------------------------------------- */

/* The sub-fields of the state register, whatever the generation has. */
static void read_state(const struct watch_eye *eye, enum watch_dir dir,
                       struct watch_side *side)
{
    static const char *const regs[WATCH_DIRS] = { "M2S.state", "S2M.state" };
    uint32_t word = watch_word(eye, side_blocks[dir], regs[dir], 0);
    struct trench_csr_ref ref;

    if (!find(eye->soc, side_blocks[dir], regs[dir], &ref)) {
        return;
    }
    for (unsigned i = 0; i < ref.reg->nr_fields; i++) {
        const struct trench_csr_field *field =
            &ref.block->fields[ref.reg->first_field + i];
        unsigned state = trench_csr_field_get(field, word);

        if (strncmp(field->name, "reserved", 8) != 0 &&
            side->nr_stages < WATCH_STAGES) {
            side->stages[side->nr_stages++] =
                (struct watch_stage){ field->name, state };
            side->state = state > side->state ? state : side->state;
        }
    }
}

/* Low word first: it latches the high one. */
static void read_counters(const struct watch_eye *eye, enum watch_dir dir,
                          struct watch_side *side)
{
    static const char *const regs[WATCH_DIRS][WATCH_COUNTERS] = {
        [WATCH_M2S] = { [WATCH_PACKETS] = "M2S_stat.tx_pkt",
                        [WATCH_BYTES] = "M2S_stat.tx_bytes_low",
                        [WATCH_FETCHED] = "M2S_stat.prefed_desc",
                        [WATCH_COMPLETED] = "M2S_stat.comp_pkt",
                        [WATCH_WRITTEN] = "M2S_stat.comp_desc",
                        [WATCH_ACKED] = "M2S_stat.ack_pkts" },
        [WATCH_S2M] = { [WATCH_BYTES] = "S2M_stat.rx_bytes_low",
                        [WATCH_FETCHED] = "S2M_stat.prefed_desc",
                        [WATCH_COMPLETED] = "S2M_stat.comp_pkt",
                        [WATCH_WRITTEN] = "S2M_stat.comp_desc",
                        [WATCH_ACKED] = "S2M_stat.ack_pkts",
                        [WATCH_DROPPED] = "S2M_stat.drop_pkt" },
    };
    static const char *const high[WATCH_DIRS] = { "M2S_stat.tx_bytes_high",
                                                  "S2M_stat.rx_bytes_high" };

    for (unsigned i = 0; i < WATCH_COUNTERS; i++) {
        uint32_t word;

        if (regs[dir][i] &&
            watch_read(eye, side_blocks[dir], regs[dir][i], 0, &word)) {
            side->count[i] = word;
            side->counts[i] = true;
        }
    }
    side->count[WATCH_BYTES] |=
        (uint64_t)watch_word(eye, side_blocks[dir], high[dir], 0) << 32;
}

static void read_side(const struct watch_eye *eye, enum watch_dir dir,
                      struct watch_side *side)
{
    static const char *const log[WATCH_DIRS][WATCH_LOG_WORDS] = {
        { "M2S.log_0", "M2S.log_1", "M2S.log_2", "M2S.log_3" },
        { "S2M.log_0", "S2M.log_1", "S2M.log_2", "S2M.log_3" },
    };

    read_state(eye, dir, side);
    read_counters(eye, dir, side);
    for (unsigned i = 0; i < WATCH_LOG_WORDS; i++) {
        side->log[i] = watch_word(eye, side_blocks[dir], log[dir][i], 0);
    }
}

/* ---- queues -------------------------------------------------------------- */

/* What the registers of a queue are called on each side. */
static const struct {
    const char *base_low, *base_high;
    const char *completions_low, *completions_high;
    const char *length;
    const char *pointers[WATCH_POINTERS];
    const char *used;
    const char *packets;
} queue_regs[WATCH_DIRS] = {
    {
        .base_low = "M2S_Q.TDRBP_low",
        .base_high = "M2S_Q.TDRBP_high",
        .completions_low = "M2S_Q.TCRBP_low",
        .completions_high = "M2S_Q.TCRBP_high",
        .length = "M2S_Q.TDRL.descriptor_offset",
        .pointers = { "M2S_Q.TDRHP", "M2S_Q.TDRTP", "M2S_Q.TDCP",
                      "M2S_Q.TCRHP" },
        .used = "M2S_Q.status.q_used",
        .packets = "M2S_Q.q_tx_pkt",
    },
    {
        .base_low = "S2M_Q.RDRBP_low",
        .base_high = "S2M_Q.RDRBP_high",
        .completions_low = "S2M_Q.RCRBP_low",
        .completions_high = "S2M_Q.RCRBP_high",
        .length = "S2M_Q.RDRL.descriptor_offset",
        .pointers = { "S2M_Q.RDRHP", "S2M_Q.RDRTP", "S2M_Q.RDCP",
                      "S2M_Q.RCRHP" },
        .used = "S2M_Q.status.q_used",
        .packets = "S2M_Q.q_rx_pkt",
    },
};

/* In the order of watch_flag_names; the first two enable a queue. */
static const struct {
    enum trench_block_id block;
    const char *field;
} flag_fields[WATCH_DIRS][WATCH_FLAGS] = {
    {
        { TRENCH_BLOCK_UDMA_M2S, "M2S_Q.cfg.en_pref" },
        { TRENCH_BLOCK_UDMA_M2S, "M2S_Q.cfg.en_scheduling" },
        { TRENCH_BLOCK_UDMA_M2S, "M2S_Q.status.q_full" },
        { TRENCH_BLOCK_UDMA_M2S, "M2S_Q.status.q_dmb" },
        { TRENCH_BLOCK_UDMA_GEN, "axi_queue.cfg.tx_state" },
        { TRENCH_BLOCK_UDMA_M2S, "M2S_Q.comp_cfg.en_comp_ring_update" },
    },
    {
        { TRENCH_BLOCK_UDMA_S2M, "S2M_Q.cfg.en_pref" },
        { TRENCH_BLOCK_UDMA_S2M, "S2M_Q.cfg.en_stream" },
        { TRENCH_BLOCK_UDMA_S2M, "S2M_Q.status.q_full" },
        { TRENCH_BLOCK_UDMA_S2M, NULL },
        { TRENCH_BLOCK_UDMA_GEN, "axi_queue.cfg.rx_state" },
        { TRENCH_BLOCK_UDMA_S2M, "S2M_Q.comp_cfg.en_comp_ring_update" },
    },
};

#define FLAGS_ENABLE 3u

/* Every pointer register has these two fields. */
static struct watch_place read_place(const struct watch_eye *eye,
                                     enum trench_block_id block,
                                     const char *reg, unsigned q)
{
    char name[48];
    struct watch_place place;

    snprintf(name, sizeof(name), "%s.offset", reg);
    place.index = watch_word(eye, block, name, q);
    snprintf(name, sizeof(name), "%s.ring_id", reg);
    place.lap = watch_word(eye, block, name, q);
    return place;
}

/* Descriptors between two positions of a ring; laps count modulo 4. */
static uint32_t between(struct watch_place from, struct watch_place to,
                        uint32_t length)
{
    uint32_t laps = (to.lap - from.lap) & 3;

    return length > 0 ? laps * length + to.index - from.index : 0;
}

static unsigned read_flags(const struct watch_eye *eye, unsigned q,
                           enum watch_dir dir)
{
    unsigned flags = 0;

    for (unsigned i = 0; i < WATCH_FLAGS; i++) {
        if (flag_fields[dir][i].field &&
            watch_word(eye, flag_fields[dir][i].block,
                       flag_fields[dir][i].field, q) != 0) {
            flags |= 1u << i;
        }
    }
    return flags;
}

static void read_queue(const struct watch_eye *eye, unsigned q,
                       enum watch_dir dir, struct watch_queue *out)
{
    enum trench_block_id block = side_blocks[dir];

    out->ring = watch_pair(eye, block, queue_regs[dir].base_low,
                           queue_regs[dir].base_high, q);
    out->completions = watch_pair(eye, block, queue_regs[dir].completions_low,
                                  queue_regs[dir].completions_high, q);
    for (unsigned i = 0; i < WATCH_POINTERS; i++) {
        out->at[i] = read_place(eye, block, queue_regs[dir].pointers[i], q);
    }
    out->used = watch_word(eye, block, queue_regs[dir].used, q);
    out->packets = watch_word(eye, block, queue_regs[dir].packets, q);
    out->prefetched =
        between(out->at[WATCH_CURRENT], out->at[WATCH_HEAD], out->length);
}

static void read_queues(const struct watch_eye *eye,
                        const struct cli_set *queues, struct watch_snap *snap)
{
    for (unsigned q = 0; q < TRENCH_NR_QUEUES; q++) {
        for (unsigned dir = 0; dir < WATCH_DIRS; dir++) {
            struct watch_queue *queue = &snap->queue[q][dir];

            queue->length =
                watch_word(eye, side_blocks[dir], queue_regs[dir].length, q);
            queue->flags = read_flags(eye, q, dir);
            queue->shown = queues ? queues->has[q] : queue->length > 0;
            if (queue->shown) {
                read_queue(eye, q, dir, queue);
            } else if (queue->length == 0 && queue->flags & FLAGS_ENABLE) {
                snap->side[dir].enabled |= 1u << q;
            }
        }
    }
}

/* A read empties these. */
static void take_errors(const struct watch_eye *eye, struct watch_snap *snap)
{
    for (unsigned q = 0; q < TRENCH_NR_QUEUES && eye->clear; q++) {
        snap->errors[q] =
            watch_word(eye, TRENCH_BLOCK_UDMA_GEN, "axi_queue.error_status", q);
    }
}

/* ---- the rest ------------------------------------------------------------ */

static void read_flight(const struct watch_eye *eye, struct watch_snap *snap)
{
    char name[64];

    for (unsigned i = 0; i < WATCH_AXI_COUNTERS; i++) {
        snprintf(name, sizeof(name), "axi_outstanding_cnt.%s.value",
                 watch_axi_names[i]);
        for (unsigned q = 0; q < TRENCH_NR_QUEUES; q++) {
            snap->axi[q][i] = watch_word(eye, TRENCH_BLOCK_UDMA_GEN, name, q);
        }
    }
    for (unsigned i = 0; i < WATCH_APPS; i++) {
        snprintf(name, sizeof(name), "app_engine_status.%s_packets_inflight",
                 watch_app_names[i]);
        snap->app[i] = watch_word(eye, TRENCH_BLOCK_TDMA_MODEL, name, 0);
    }
}

#define STAT(name)                                                             \
    {                                                                          \
#name, offsetof(struct trench_soc_engine_stats, name)                  \
    }

const struct watch_stat watch_stats[] = {
    STAT(packets),   STAT(bytes),    STAT(tx_descs),   STAT(rx_descs),
    STAT(doorbells), STAT(dropped),  STAT(errors),     STAT(unsupported),
    STAT(unknown),   STAT(messages), STAT(app_aborts),
};

const unsigned watch_nr_stats = CLI_ARRAY_LEN(watch_stats);

uint64_t watch_stat_get(const struct watch_snap *snap, unsigned n)
{
    uint64_t value;

    memcpy(&value, (const char *)&snap->stats + watch_stats[n].offset,
           sizeof(value));
    return value;
}

void watch_snap_take(const struct watch_eye *eye, const struct cli_set *queues,
                     struct watch_snap *out)
{
    const struct trench_gen *gen = trench_soc_gen(eye->soc);

    memset(out, 0, sizeof(*out));
    out->engine = eye->engine;
    trench_gen_engine_name(gen, eye->engine, out->name, sizeof(out->name));
    trench_gen_engine_base(gen, eye->engine, false, &out->base);
    trench_soc_engine_stats(eye->soc, eye->engine, &out->stats);
    for (unsigned dir = 0; dir < WATCH_DIRS; dir++) {
        read_side(eye, dir, &out->side[dir]);
    }
    read_queues(eye, queues, out);
    take_errors(eye, out);
    read_flight(eye, out);
    trench_soc_intr_pending(eye->soc, eye->engine, &out->vectors);
    out->nr_groups = watch_read_groups(eye, out->groups);
    watch_read_notes(eye, &out->notes);
}
