/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The firmware's log lines, letter by letter (iram-cache-idma 1.14), with the
 * address of each string in the CAYMAN_NX_POOL debug image. %lld and %llu take
 * what the firmware's own types are there.
 */
#ifndef TRENCH_SEQ_LOG_LINES_H
#define TRENCH_SEQ_LOG_LINES_H

#define S_ASSERT     "S: Assertion failure! %s(%s:%u)"
#define S_BEGIN      "S: BEGIN on %s" /* 0x80ee1, with cayman */
#define S_SUNDA_MODE "S: NX in Sunda mode: HW decode disabled" /* 0x80ef5 */
#define S_HW_MODE    "S: NX in HW Decode mode"                 /* 0x80f1e */
#define S_INIT       "S: IRAM cache init, block_size=0x%x"     /* 0x812ab */
#define S_REDIRECT   "S: Redirecting to pc=0x%llx"             /* 0x8134a */
/* 0x81367 */
#define S_REDIR     "S: Redir: phase=%x, iram_addr=0x%x, num_instr=%d"
#define S_HIT       "S: I$ Hit, iram_idx=0x%x"                   /* 0x81407 */
#define S_MISS      "S: I$ Miss"                                 /* 0x81421 */
#define S_QUERY_VLD "S: query addr 0x%llx, tag 0x%llx, vld=0x%x" /* 0x8142d */
#define S_QUERY     "S: query addr 0x%llx, tag 0x%llx"           /* 0x81459 */
#define S_VICTIM    "S: replace: orig victim=0x%x"               /* 0x8147f */
#define S_COLLISION                                                            \
    "S: replace: collision on cache idx=0x%x, updating again" /* 0x8149d */
#define S_REPLACE                                                              \
    "S: replace: idx(updated victim_idx)=0x%x, addr=0x%llx"   /* 0x814d6 */
#define S_WAIT_FILL  "S: wait_for_dma_fill: idx=0x%x"         /* 0x8150d */
#define S_START_FILL "S: start_fill_siram: fetch_addr=0x%llx" /* 0x8152d */
#define S_ENQUEUE    "S: DMA enqueue 0x%llx[%u] -> 0x%llx"    /* 0x81578 */
#define S_ALLOCATE                                                             \
    "S: DramRingDMA::allocate(%zu) submit=%llu comp=%llu first_slot=%zu "      \
    "min_comp=%llu" /* 0x8159d */
#define S_ALLOCATED                                                            \
    "S:   allocate done, returning first_slot=%zu count=%zu" /* 0x815ef */
/* 0x81627 */
#define S_DRAIN                                                                \
    "S: drain_completions(%zu): comp=%llu submit=%llu drain_slot=%zu"
/* 0x81699 */
#define S_SUBMIT                                                               \
    "S: submit_pending: first_slot=%zu count=%zu submit=%llu ring_id=%u"
#define S_SUBMITTED "  submitted, ticket=%lld new submit=%lld"
#define S_NEXT_OUT                                                             \
    "S: WARNING: wait_for_cache_line's next_addr 0x%llx is out-of-bounds "     \
    "[0x%llx, 0x%llx], skipping it." /* 0x8171c */
#define S_WAIT_LINE                                                            \
    "S: wait_for_cache_line: pc=0x%llx, mask=0x%llx, blk_sz=%d, idx=0x%x, "    \
    "nxt_idx=0x%x" /* 0x81780 */
#define S_VALID_HW                                                             \
    "S: wait_for_valid: (HW cache) iram_idx=%x, state=0x%x" /* 0x817e7 */
#define S_VALID_SW                                                             \
    "S: wait_for_valid: (SW cache) iram_idx=%x, state=0x%x" /* 0x8182d */
#define S_BOUNDS                                                               \
    "S: is_pc_in_bounds: pc=0x%llx bound=[0x%llx, 0x%llx]" /* 0x81864 */
#define S_BELOW                                                                \
    "S: is_pc_in_bounds: 0x%llx smaller than lower bound 0x%llx" /* 0x8189a */
#define S_ABOVE                                                                \
    "S: is_pc_in_bounds: 0x%llx larger than higher bound 0x%llx" /* 0x818d6 */
#define S_PUSH_OUT                                                             \
    "WARNING: ok_to_evict's prefetch_pc 0x%llx is out-of-bounds "              \
    "[0x%llx, 0x%llx], skipping it." /* 0x81d51 */
#define S_PUSH                                                                 \
    "S: Push? next_vld=0x%x, next_cache_idx=0x%x, cache_idx_pushed=0x%x, "     \
    "idx_state=0x%x"                                       /* 0x81dd6 */
#define S_PUSHING "S: Pushing cache idx=0x%x, pushed=0x%x" /* 0x81e2a */
#define S_HINT    "S: BranchPrefetchHint"                  /* 0x82c93 */
#define S_HELPER                                                               \
    "S: PrefetchHelper : Taken branch addr(0x%llx) is in next cache block "    \
    "range [0x%llx, 0x%llx], prefetching branch target 0x%llx" /* 0x83c49 */
/* 0x83cc8 */
#define S_INVALIDATE "S: PrefetchHelper : Invalidating all hints"
#define S_ARM                                                                  \
    "S: Arming branch_hint with {br_addr=0x%llx, br_target=0x%llx, "           \
    "decision=0x%x}" /* 0x83cf4 */
#define S_NOT_TAKEN                                                            \
    "S: Branch is marked NT, invalidating branch_hint to preserve legacy "     \
    "behavior"                              /* 0x83d42 */
#define S_DISARM "S: disarming branch_hint" /* 0x83d90 */

#endif /* TRENCH_SEQ_LOG_LINES_H */
