/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * One fill: start_fill_siram and wait_for_dma_fill, and the two backends
 * behind them (seed 003 sections 2 to 4). The contract of both backends:
 * what polls as done has ended, well or not.
 */
#include "seq/icache_priv.h"

#include "base/bits.h"
#include "seq/log_lines.h"
#include "tpb_xt_local_reg_gen.h"

/* seed 003 3a. */
#define GLR(i)   TPB_XT_LOCAL_REG_GENERAL_LR(i)
#define KICK     GLR(9)
#define WORD_LOW GLR(10)
#define WORD_MID GLR(11)
#define WORD_OFF GLR(12)

/* How the agent says in glr[12] that it refused (H143). */
#define WORD_REFUSED 0xFFFFFFFFu

static uint32_t iram_offset(const struct trench_icache *ic, uint32_t idx)
{
    return idx * ic->block; /* within the region */
}

bool icache_stream_offset(const struct trench_icache *ic, uint64_t tag,
                          uint32_t *out)
{
    uint64_t offset = tag - ic->conf.stream_base;

    *out = (uint32_t)offset;
    return offset <= UINT32_MAX;
}

/* ---- mailbox ------------------------------------------------------------- */

/* In this order; the last one starts the agent. */
static int write_words(struct trench_icache *ic, uint64_t addr, uint32_t offset)
{
    const uint32_t writes[][2] = {
        { WORD_LOW, (uint32_t)addr },
        { WORD_MID, (uint32_t)(addr >> 32) },
        { WORD_OFF, offset },
        { KICK, 1 },
    };
    int err = 0;

    for (size_t i = 0; i < ARRAY_LEN(writes) && !err; i++) {
        err = icache_write_local(ic, writes[i][0], writes[i][1]);
    }
    return err;
}

static int mailbox_start(struct trench_icache *ic, uint32_t idx, uint64_t tag)
{
    uint32_t offset;

    if (ic->conf.words == TRENCH_MAILBOX_SOURCE_FIRST) {
        return write_words(ic, tag, iram_offset(ic, idx));
    }
    /* In the seed's reading there is no word for what is further away. */
    if (!icache_stream_offset(ic, tag, &offset)) {
        return TRENCH_ERR_IO;
    }
    return write_words(ic, ic->addr.iram + iram_offset(ic, idx), offset);
}

static int mailbox_poll(struct trench_icache *ic)
{
    uint32_t busy = 0;
    uint32_t offset = 0;
    int err = icache_read_local(ic, KICK, &busy);

    if (err || busy != 0) {
        return err ? err : FILL_BUSY;
    }
    err = icache_read_local(ic, WORD_OFF, &offset);
    return err ? err : offset == WORD_REFUSED ? FILL_FAILED : FILL_DONE;
}

const struct fill_backend mailbox_backend = { mailbox_start, mailbox_poll };

/* ---- ring ---------------------------------------------------------------- */

static void put_ticket(struct trench_icache *ic, uint64_t ticket)
{
    put32(ic->dram, CTL_TICKET_LO, (uint32_t)ticket);
    put32(ic->dram, CTL_TICKET_HI, (uint32_t)(ticket >> 32));
}

static int ring_start(struct trench_icache *ic, uint32_t idx, uint64_t tag)
{
    const struct dram_ring_copy copy = {
        .src = tag,
        .dst = ic->addr.iram + iram_offset(ic, idx),
        .len_bytes = ic->block,
    };
    uint64_t ticket = 0; /* of nothing, when it fails */
    int err = dram_ring_enqueue(&ic->ring, &copy, &ticket);

    if (err == TRENCH_ERR_INVAL) {
        return icache_assert(ic, "setup_enqueue_dispatch_descriptors",
                             ic->conf.gen->seq_firmware->dma_source, 0);
    }
    put_ticket(ic, ticket);
    return err;
}

static int ring_poll(struct trench_icache *ic)
{
    static const enum fill_state states[] = {
        [DRAM_RING_BUSY] = FILL_BUSY,
        [DRAM_RING_DONE] = FILL_DONE,
        [DRAM_RING_FAILED] = FILL_FAILED,
    };
    uint64_t ticket = (uint64_t)get32(ic->dram, CTL_TICKET_HI) << 32 |
                      get32(ic->dram, CTL_TICKET_LO);
    enum dram_ring_state state = dram_ring_check(&ic->ring, ticket);

    if (state == DRAM_RING_BUSY) {
        /* Time passes for an engine that had more to do than one budget. */
        uint32_t ignored;
        int err =
            trench_bus_read32(ic->conf.bus, ic->ring.conf.engine, &ignored);

        return err ? err : FILL_BUSY;
    }
    return states[state];
}

const struct fill_backend ring_backend = { ring_start, ring_poll };

/* ---- both ---------------------------------------------------------------- */

/* A line that holds nothing: no tag of a stream is 0. */
static void drop(struct trench_icache *ic, uint32_t idx)
{
    memset(ic->dram + icache_line_at(idx), 0, LINE_BYTES);
    ic->stats.failed++;
}

static void count_block(struct trench_icache *ic, uint64_t tag)
{
    uint64_t n = (tag - ic->conf.stream_base) / ic->block;

    if (ic->conf.block_fills && n < ic->conf.nr_block_fills) {
        ic->conf.block_fills[n]++;
    }
}

int icache_start_fill(struct trench_icache *ic, uint32_t idx, uint64_t tag)
{
    uint32_t fetch_addr = iram_offset(ic, idx);
    int err;

    if (ic->conf.words == TRENCH_MAILBOX_DESTINATION_FIRST) {
        (void)icache_stream_offset(ic, tag, &fetch_addr);
    }
    S_LOG(ic, S_START_FILL, LLX(fetch_addr));
    err = ic->backend->start(ic, idx, tag);
    if (err) {
        drop(ic, idx);
        return err;
    }
    put32(ic->dram, CTL_PENDING, idx);
    ic->stats.fills++;
    count_block(ic, tag);
    return 0;
}

static int poll_to_end(struct trench_icache *ic)
{
    int state;

    for (uint32_t polls = 0;; polls++) {
        state = ic->backend->poll(ic);
        if (state != FILL_BUSY) {
            return state;
        }
        if (polls >= ic->conf.max_polls) {
            return TRENCH_ERR_TIMEDOUT;
        }
        ic->stats.polls++;
    }
}

/*
 * The pending index is one even when nothing is under way, as after reset:
 * only a line in state 1 may become valid by what the poll says.
 */
int icache_wait_fill(struct trench_icache *ic)
{
    uint32_t idx = get32(ic->dram, CTL_PENDING);
    int state;

    S_LOG(ic, S_WAIT_FILL, idx);
    state = poll_to_end(ic);
    if (state < 0) {
        return state;
    }
    if (idx >= ic->nr_lines ||
        icache_line_state(ic, idx) != TRENCH_ICACHE_IN_FLIGHT) {
        return 0;
    }
    if (state == FILL_FAILED) {
        drop(ic, idx);
        return TRENCH_ERR_IO;
    }
    put32(ic->dram, icache_line_at(idx) + LINE_STATE, TRENCH_ICACHE_VALID);
    ic->stats.fill_bytes += ic->block;
    return 0;
}
