/* SPDX-License-Identifier: BSD-3-Clause */
/* Branch hints, and lines pushed to the hardware decoder. */
#include "seq/icache_priv.h"

#include "seq/log_lines.h"

#define DECISION_TAKEN     0u
#define DECISION_NOT_TAKEN 1u
#define ASSERT_DECISION    45u

/* The active hint's operands are kept in the first entry (H148). */
#define ACTIVE (HINTS + HINT_HEADER)

int trench_icache_hint_arm(struct trench_icache *ic, uint64_t br_addr,
                           uint64_t br_target, unsigned decision)
{
    S_LOG(ic, S_HINT);
    if (decision > DECISION_NOT_TAKEN) {
        (void)icache_assert(ic, "resolve_hint_decision",
                            "branch_prefetch_hint.cpp", ASSERT_DECISION);
        return TRENCH_ERR_INVAL;
    }
    if (decision != DECISION_TAKEN) {
        S_LOG(ic, S_NOT_TAKEN);
        ic->dram[HINT_ARMED] = 0;
        return 0;
    }
    S_LOG(ic, S_ARM, LLX(br_addr), LLX(br_target), decision);
    put64(ic->dram, ACTIVE + HINT_BR_ADDR, br_addr);
    put64(ic->dram, ACTIVE + HINT_BR_TARGET, br_target);
    ic->dram[ACTIVE + HINT_VALID] = 1;
    ic->dram[HINT_DECISION] = (uint8_t)decision;
    ic->dram[HINT_ARMED] = 1;
    return 0;
}

void trench_icache_hint_disarm(struct trench_icache *ic)
{
    S_LOG(ic, S_DISARM);
    ic->dram[HINT_ARMED] = 0;
}

void trench_icache_hint_invalidate_all(struct trench_icache *ic)
{
    S_LOG(ic, S_INVALIDATE);
    for (uint32_t i = 0; i < NR_HINTS; i++) {
        ic->dram[HINTS + HINT_HEADER + i * HINT_BYTES + HINT_VALID] = 0;
    }
    ic->dram[HINT_ARMED] = 0;
}

/* A hinted branch in the next block: its target is needed before the rest. */
bool icache_hint_check(struct trench_icache *ic, uint64_t next,
                       uint64_t *target)
{
    uint64_t first = icache_tag(ic, next);
    uint64_t last = first + ic->block - TRENCH_ICACHE_RECORD_BYTES;
    uint64_t br_addr = get64(ic->dram, ACTIVE + HINT_BR_ADDR);

    if (!(ic->conf.prefetch & TRENCH_ICACHE_PREFETCH_HINT) ||
        !(ic->dram[HINT_ARMED] & 1) || !(ic->dram[ACTIVE + HINT_VALID] & 1) ||
        br_addr < first || br_addr > last) {
        return false;
    }
    *target = get64(ic->dram, ACTIVE + HINT_BR_TARGET);
    S_LOG(ic, S_HELPER, LLX(br_addr), LLX(first), LLX(last), LLX(*target));
    return true;
}

/* ---- hints out of a trace ------------------------------------------------ */

static struct icache_branch *branch_of(struct trench_icache *ic, uint64_t pc)
{
    return &ic->branches[pc / ic->block % ICACHE_BRANCHES];
}

void icache_hint_learn(struct trench_icache *ic, uint64_t pc, uint64_t len)
{
    struct icache_branch *branch = branch_of(ic, ic->last_pc);

    if (ic->last_end != 0 &&
        icache_tag(ic, pc) != icache_tag(ic, ic->last_pc)) {
        branch->addr = pc != ic->last_end ? ic->last_pc : 0;
        branch->target = pc;
    }
    ic->last_pc = pc;
    ic->last_end = pc + len;
}

void icache_hint_predict(struct trench_icache *ic, uint64_t pc)
{
    uint64_t next = icache_tag(ic, pc) + ic->block;
    const struct icache_branch *branch = branch_of(ic, next);

    if (branch->addr != 0 && icache_tag(ic, branch->addr) == next) {
        (void)trench_icache_hint_arm(
            ic, branch->addr & ~(uint64_t)(TRENCH_ICACHE_RECORD_BYTES - 1),
            branch->target, DECISION_TAKEN);
    } else if (ic->dram[HINT_ARMED] & 1) {
        trench_icache_hint_disarm(ic);
    }
}

/* ---- pushed lines -------------------------------------------------------- */

uint32_t trench_icache_pushed(const struct trench_icache *ic)
{
    return get32(ic->dram, CTL_PUSHED);
}

int trench_icache_pushed_clear(struct trench_icache *ic, unsigned idx)
{
    if (idx >= ICACHE_MAX_PUSHED) {
        return TRENCH_ERR_INVAL;
    }
    put32(ic->dram, CTL_PUSHED, get32(ic->dram, CTL_PUSHED) & ~(1u << idx));
    return 0;
}

int trench_icache_push(struct trench_icache *ic, uint64_t pc)
{
    uint32_t mask = get32(ic->dram, CTL_PUSHED);
    struct icache_bounds bounds;
    uint32_t state = TRENCH_ICACHE_INVALID;
    bool resident;
    uint32_t idx;

    if (!icache_bounds_check(ic, pc, &bounds)) {
        S_LOG(ic, S_PUSH_OUT, LLX(pc), LLX(bounds.lower), LLX(bounds.upper));
        return 0;
    }
    idx = icache_find(ic, icache_tag(ic, pc));
    resident = idx < ICACHE_MAX_PUSHED;
    if (resident) {
        state = icache_line_state(ic, idx);
    }
    S_LOG(ic, S_PUSH, resident, idx, mask, state);
    if (!resident || state != TRENCH_ICACHE_VALID || mask >> idx & 1) {
        return 0;
    }
    mask |= 1u << idx;
    put32(ic->dram, CTL_PUSHED, mask);
    S_LOG(ic, S_PUSHING, idx, mask);
    return 1;
}
