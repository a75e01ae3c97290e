/* SPDX-License-Identifier: BSD-3-Clause */
/* The firmware of one sequencer: what its parts share. */
#ifndef TRENCH_ICACHE_PRIV_H
#define TRENCH_ICACHE_PRIV_H

#include <trench/icache.h>

#include "base/log.h"
#include "seq/dram_ring.h"
#include "seq/layout.h"

/* Where a look-up starts; a power of two. Only a guess, the tag decides. */
#define ICACHE_GUESSES 64u
#define ICACHE_NO_LINE UINT32_MAX
/* Bits of the pushed mask. */
#define ICACHE_MAX_PUSHED 32u

/* Blocks whose last exit is remembered, by block number modulo this. */
#define ICACHE_BRANCHES 1024u

struct icache_branch {
    uint64_t addr; /* 0 = none: the block was left at its end */
    uint64_t target;
};

enum fill_state {
    FILL_BUSY,
    FILL_DONE,
    FILL_FAILED,
};

struct trench_icache {
    struct trench_icache_conf conf; /* defaults filled in */
    struct trench_gen_seq_addr addr;
    struct logger log;
    const struct fill_backend *backend;
    uint8_t *dram; /* the processor's view of both */
    uint8_t *iram;
    uint32_t block;
    uint32_t mask; /* block - 1, or 0 when that is no mask */
    uint32_t nr_lines;

    /* The line that is being executed; cur_len 0 = none. */
    uint64_t cur_base;
    uint64_t cur_len;
    const uint8_t *cur_bytes;
    uint32_t cur_idx;

    /* What a replayed trace executed last; last_end 0 = nothing. */
    uint64_t last_pc;
    uint64_t last_end;
    struct icache_branch branches[ICACHE_BRANCHES];

    uint32_t guess[ICACHE_GUESSES];
    unsigned guess_shift; /* of the largest power of two within a block */
    struct dram_ring ring;
    struct trench_icache_assert failed; /* name set = the core has halted */
    struct trench_icache_stats stats;
};

/* ---- fill.c -------------------------------------------------------------- */

/* How a block is moved. Both return 0 or negative; see the seed's section 3. */
struct fill_backend {
    int (*start)(struct trench_icache *ic, uint32_t idx, uint64_t tag);
    /* enum fill_state, or what the bus returned */
    int (*poll)(struct trench_icache *ic);
};

extern const struct fill_backend mailbox_backend;
extern const struct fill_backend ring_backend;

/* start_fill_siram: the line is in state 1 already. */
int icache_start_fill(struct trench_icache *ic, uint32_t idx, uint64_t tag);

/*
 * wait_for_dma_fill: poll, then make the pending line valid. A fill that
 * failed leaves an invalid line and returns TRENCH_ERR_IO.
 */
int icache_wait_fill(struct trench_icache *ic);

/* Offset of a block in the stream, 0 and true when it fits in 32 bits. */
bool icache_stream_offset(const struct trench_icache *ic, uint64_t tag,
                          uint32_t *out);

/* ---- cache.c ------------------------------------------------------------- */

/* wait_for_cache_line: returns 0 (hit) or 1 (miss), and the line's index. */
int icache_wait_line(struct trench_icache *ic, uint64_t pc, uint32_t *idx);

/* The line with a tag, or ICACHE_NO_LINE. */
uint32_t icache_find(struct trench_icache *ic, uint64_t tag);

/* Fetch behind the fast path. */
int icache_fetch_slow(struct trench_icache *ic, uint64_t pc,
                      const uint8_t **bytes);

/* Lines, tags, victim and mask as after boot. */
void icache_clear(struct trench_icache *ic);

static inline uint64_t icache_tag(const struct trench_icache *ic, uint64_t pc)
{
    return ic->mask ? pc & ~(uint64_t)ic->mask : pc - pc % ic->block;
}

static inline uint32_t icache_line_at(uint32_t idx)
{
    return LINES + idx * LINE_BYTES;
}

static inline uint32_t icache_line_state(const struct trench_icache *ic,
                                         uint32_t idx)
{
    return get32(ic->dram, icache_line_at(idx) + LINE_STATE);
}

static inline int icache_fetch(struct trench_icache *ic, uint64_t pc,
                               const uint8_t **bytes)
{
    uint64_t offset = pc - ic->cur_base;

    if (offset < ic->cur_len) {
        ic->stats.hits++;
        *bytes = ic->cur_bytes + offset;
        return 0;
    }
    return icache_fetch_slow(ic, pc, bytes);
}

/* ---- hint.c -------------------------------------------------------------- */

/* PrefetchHelper: whether to stage a hinted target instead of next. */
bool icache_hint_check(struct trench_icache *ic, uint64_t next,
                       uint64_t *target);

/*
 * For a trace, which holds no BranchPrefetchHint: remember how execution left
 * each block last (H148), when len bytes at pc are about to execute; and arm
 * the hint of the block behind pc before its line is entered.
 */
void icache_hint_learn(struct trench_icache *ic, uint64_t pc, uint64_t len);
void icache_hint_predict(struct trench_icache *ic, uint64_t pc);

/* ---- boot.c -------------------------------------------------------------- */

/* The firmware asserts: log, halt. Returns TRENCH_ERR_IO. */
int icache_assert(struct trench_icache *ic, const char *name, const char *file,
                  unsigned line);

/* A word of a local register. */
int icache_read_local(struct trench_icache *ic, uint32_t offset, uint32_t *val);
int icache_write_local(struct trench_icache *ic, uint32_t offset, uint32_t val);

/* ---- bounds.c ------------------------------------------------------------ */

struct icache_bounds {
    uint64_t lower;
    uint64_t upper;
};

/* is_pc_in_bounds, and the bounds that it used. */
bool icache_bounds_check(struct trench_icache *ic, uint64_t pc,
                         struct icache_bounds *bounds);

#define S_LOG(ic, ...)                                                         \
    do {                                                                       \
        if ((ic)->log.fn) {                                                    \
            log_line(&(ic)->log, TRENCH_LOG_INFO, __VA_ARGS__);                \
        }                                                                      \
    } while (0)

#define LLX(val) ((unsigned long long)(val))

#endif /* TRENCH_ICACHE_PRIV_H */
