/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The cache: look-up, replacement, and what a fetch does with them
 * (seed 003 sections 4, 5 and 7; iram-cache-idma 2.3 to 2.6).
 */
#include "seq/icache_priv.h"

#include "seq/log_lines.h"
#include "tpb_xt_local_reg_gen.h"

/* iram-cache-idma 1.3 and 1.15. */
#define GLR_PC_LOW  3u
#define GLR_PC_HIGH 4u

#define ASSERT_QUERY    0x1b8u
#define ASSERT_VALID_HW 0x1ccu
#define ASSERT_VALID_SW 0x1d4u

static uint64_t line_tag(const struct trench_icache *ic, uint32_t idx)
{
    return get64(ic->dram, icache_line_at(idx) + LINE_TAG);
}

static bool pushed(const struct trench_icache *ic, uint32_t idx)
{
    return idx < ICACHE_MAX_PUSHED && get32(ic->dram, CTL_PUSHED) >> idx & 1;
}

static void unpush(struct trench_icache *ic, uint32_t idx)
{
    if (pushed(ic, idx)) {
        (void)trench_icache_pushed_clear(ic, idx);
    }
}

void icache_clear(struct trench_icache *ic)
{
    memset(ic->dram + LINES, 0, (size_t)ic->nr_lines * LINE_BYTES);
    memset(ic->guess, 0, sizeof(ic->guess));
    memset(ic->branches, 0, sizeof(ic->branches));
    ic->last_end = 0;
    put32(ic->dram, CTL_PENDING, 0);
    put32(ic->dram, CTL_PUSHED, 0);
    put32(ic->dram, CTL_VICTIM, ic->nr_lines - 1);
    put32(ic->dram, CTL_TICKET_LO, 0);
    put32(ic->dram, CTL_TICKET_HI, 0);
    ic->dram[CTL_STAGED] = 0;
    ic->cur_len = 0;
    ic->failed = (struct trench_icache_assert){ 0 };
    memset(&ic->stats, 0, sizeof(ic->stats));
}

/* ---- look-up ------------------------------------------------------------- */

/* Blocks that lie side by side have guesses of their own; no division. */
static uint32_t *guess_of(struct trench_icache *ic, uint64_t tag)
{
    return &ic->guess[(tag >> ic->guess_shift) % ICACHE_GUESSES];
}

/* The scan starts at 0 each time; a guess only spares it. */
uint32_t icache_find(struct trench_icache *ic, uint64_t tag)
{
    uint32_t *guess = guess_of(ic, tag);

    if (line_tag(ic, *guess) == tag) {
        return *guess;
    }
    for (uint32_t idx = 0; idx < ic->nr_lines; idx++) {
        if (line_tag(ic, idx) == tag) {
            *guess = idx;
            return idx;
        }
    }
    return ICACHE_NO_LINE;
}

/* Starts no transfer. A line in flight is a hit: waiting is another's job. */
static int query(struct trench_icache *ic, uint64_t pc, uint32_t *idx)
{
    uint64_t tag = icache_tag(ic, pc);

    *idx = icache_find(ic, tag);
    if (ic->conf.sunda_mode) {
        S_LOG(ic, S_QUERY, LLX(pc), LLX(tag));
    } else {
        S_LOG(ic, S_QUERY_VLD, LLX(pc), LLX(tag), *idx != ICACHE_NO_LINE);
    }
    if (*idx == ICACHE_NO_LINE) {
        S_LOG(ic, S_MISS);
        return 0;
    }
    if (icache_line_state(ic, *idx) == TRENCH_ICACHE_INVALID) {
        return icache_assert(ic, "query", "cache.hpp", ASSERT_QUERY);
    }
    S_LOG(ic, S_HIT, *idx);
    return 1;
}

static int wait_for_valid(struct trench_icache *ic, uint32_t idx)
{
    uint32_t state = icache_line_state(ic, idx);
    int err;

    S_LOG(ic, ic->conf.sunda_mode ? S_VALID_SW : S_VALID_HW, idx, state);
    if (state == TRENCH_ICACHE_IN_FLIGHT) {
        ic->stats.stalls++;
        err = icache_wait_fill(ic);
        if (err) {
            return err;
        }
        state = icache_line_state(ic, idx);
    }
    if (state != TRENCH_ICACHE_VALID) {
        return icache_assert(ic, "wait_for_valid", "cache.hpp",
                             ic->conf.sunda_mode ? ASSERT_VALID_SW
                                                 : ASSERT_VALID_HW);
    }
    return 0;
}

/* ---- replacement --------------------------------------------------------- */

/* Changes nothing; a victim pointer that leads nowhere starts over. */
static uint32_t rotate(const struct trench_icache *ic, uint32_t victim)
{
    return victim >= ic->nr_lines - 1 ? 0 : victim + 1;
}

/*
 * The next victim. A line that is being executed is not chosen, nor one that
 * the hardware decoder was given, as long as there is another.
 */
static uint32_t choose(struct trench_icache *ic, uint32_t keep)
{
    uint32_t first = rotate(ic, get32(ic->dram, CTL_VICTIM));
    uint32_t idx = first;

    for (uint32_t i = 0; i < ic->nr_lines; i++) {
        if (idx != keep && !pushed(ic, idx)) {
            return idx;
        }
        S_LOG(ic, S_COLLISION, idx);
        idx = rotate(ic, idx);
    }
    return first != keep ? first : rotate(ic, first);
}

static void claim(struct trench_icache *ic, uint32_t idx, uint64_t tag)
{
    uint32_t at = icache_line_at(idx);

    if (get32(ic->dram, at + LINE_STATE) == TRENCH_ICACHE_VALID) {
        ic->stats.evictions++;
    }
    unpush(ic, idx);
    put32(ic->dram, at + LINE_STATE, TRENCH_ICACHE_IN_FLIGHT);
    put64(ic->dram, at + LINE_TAG, tag);
    *guess_of(ic, tag) = idx;
}

/* One fill at a time: the one under way ends first, well or not. */
static int replace(struct trench_icache *ic, uint64_t tag, uint32_t keep,
                   uint32_t *idx)
{
    int err;

    S_LOG(ic, S_VICTIM, get32(ic->dram, CTL_VICTIM));
    err = icache_wait_fill(ic);
    if (err && err != TRENCH_ERR_IO) {
        return err;
    }
    *idx = choose(ic, keep);
    claim(ic, *idx, tag);
    S_LOG(ic, S_REPLACE, *idx, LLX(tag));
    put32(ic->dram, CTL_VICTIM, *idx);
    return icache_start_fill(ic, *idx, tag);
}

/* ---- fetching ------------------------------------------------------------ */

static int fill_on_demand(struct trench_icache *ic, uint64_t pc, uint32_t *idx)
{
    int err;

    ic->stats.misses++;
    ic->stats.stalls++;
    err = replace(ic, icache_tag(ic, pc), ICACHE_NO_LINE, idx);
    if (!err) {
        err = icache_wait_fill(ic);
    }
    return err ? err : 1;
}

/* Whether there is something to fetch ahead, and where. */
static bool look_ahead(struct trench_icache *ic, uint64_t pc, uint64_t *next)
{
    *next = pc + ic->block; /* wraps by design */
    return ic->nr_lines >= 2 &&
           (icache_hint_check(ic, *next, next) ||
            (ic->conf.prefetch & TRENCH_ICACHE_PREFETCH_NEXT));
}

/* What is fetched ahead can fail without harm; it is counted. */
static void stage(struct trench_icache *ic, uint64_t pc, uint32_t idx)
{
    struct icache_bounds bounds;
    uint64_t next;
    uint32_t staged;

    if (!look_ahead(ic, pc, &next)) {
        return;
    }
    put32(ic->dram, CTL_VICTIM, idx);
    if (!icache_bounds_check(ic, next, &bounds)) {
        S_LOG(ic, S_NEXT_OUT, LLX(next), LLX(bounds.lower), LLX(bounds.upper));
        return;
    }
    if (icache_find(ic, icache_tag(ic, next)) != ICACHE_NO_LINE) {
        return;
    }
    if (replace(ic, icache_tag(ic, next), idx, &staged) == 0) {
        ic->stats.prefetches++;
        ic->dram[CTL_STAGED] = 1;
    }
}

int icache_wait_line(struct trench_icache *ic, uint64_t pc, uint32_t *idx)
{
    int ret = query(ic, pc, idx);
    int err;

    if (ret < 0) {
        return ret;
    }
    if (ret > 0) {
        ic->stats.hits++;
        err = wait_for_valid(ic, *idx);
        ret = 0;
    } else {
        ret = fill_on_demand(ic, pc, idx);
        err = ret < 0 ? ret : 0;
    }
    if (err) {
        return err;
    }
    unpush(ic, *idx);
    S_LOG(ic, S_WAIT_LINE, LLX(pc), LLX((uint64_t)ic->nr_lines * ic->block - 1),
          (int)ic->block, *idx, rotate(ic, *idx));
    if (ic->conf.prefetch) {
        stage(ic, pc, *idx);
    }
    return ret;
}

int icache_fetch_slow(struct trench_icache *ic, uint64_t pc,
                      const uint8_t **bytes)
{
    uint32_t idx;
    int ret;

    if (ic->failed.name) {
        return TRENCH_ERR_IO;
    }
    ic->cur_len = 0; /* also when this fails */
    ret = icache_wait_line(ic, pc, &idx);
    if (ret < 0) {
        return ret;
    }
    ic->cur_base = icache_tag(ic, pc);
    ic->cur_len = ic->block;
    ic->cur_idx = idx;
    ic->cur_bytes = ic->iram + (size_t)idx * ic->block;
    *bytes = ic->cur_bytes + (pc - ic->cur_base);
    return ret;
}

int trench_icache_fetch(struct trench_icache *ic, uint64_t pc,
                        const uint8_t **bytes)
{
    return icache_fetch(ic, pc, bytes);
}

/* Sunda's local registers, as they are known, hold no PC. */
int trench_icache_redirect(struct trench_icache *ic, uint64_t pc,
                           const uint8_t **bytes)
{
    static const uint32_t low = TPB_XT_LOCAL_REG_GENERAL_LR(GLR_PC_LOW);
    static const uint32_t high = TPB_XT_LOCAL_REG_GENERAL_LR(GLR_PC_HIGH);
    uint64_t offset;
    int err;
    int ret;

    S_LOG(ic, S_REDIRECT, LLX(pc));
    err = icache_write_local(ic, low, (uint32_t)pc);
    if (!err) {
        err = icache_write_local(ic, high, (uint32_t)(pc >> 32));
    }
    if (err) {
        return err;
    }
    ret = icache_fetch(ic, pc, bytes);
    if (ret < 0) {
        return ret;
    }
    if (ic->cur_idx < ICACHE_MAX_PUSHED) {
        put32(ic->dram, CTL_PUSHED,
              get32(ic->dram, CTL_PUSHED) | 1u << ic->cur_idx);
    }
    offset = pc - ic->cur_base;
    S_LOG(ic, S_REDIR, 0u,
          (unsigned)((uint64_t)ic->cur_idx * ic->block + offset),
          (int)((ic->block - offset) / TRENCH_ICACHE_RECORD_BYTES));
    return ret;
}
