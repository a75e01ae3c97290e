/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The packet scheduler of M2S (udma-engine B28; common-blocks 4.3): plain
 * round robin while pref_force_rr is set, else strict priority by q_qos, and
 * inside one class either round robin or deficit-weighted round robin.
 */
#include "dev/sched.h"

#include "udma_m2s_gen.h"

static uint32_t m2s_get(const struct channel *ch, uint32_t offset)
{
    return regfile_get(&ch->units[TRENCH_BLOCK_UDMA_M2S].rf, offset);
}

static bool dwrr_on(const struct channel *ch)
{
    return *ch->reg.cfg_sched & UDMA_M2S_M2S_DWRR_CFG_SCHED_EN_DWRR_MASK;
}

static bool dwrr_by_packet(const struct channel *ch)
{
    return *ch->reg.cfg_sched & UDMA_M2S_M2S_DWRR_CFG_SCHED_PKT_MODE_EN_MASK;
}

/* The next queue of a set after the one served last; the set is not empty. */
static unsigned next_after(unsigned last, uint32_t set)
{
    uint32_t above = set & ~((2u << last) - 1);

    return (unsigned)__builtin_ctz(above ? above : set);
}

/* Those of the highest class; q_qos uses as many bits as number the queues. */
static uint32_t highest_class(const struct channel *ch, uint32_t set)
{
    uint32_t best = 0;
    uint32_t found = 0;

    for (unsigned q = 0; q < TRENCH_NR_QUEUES; q++) {
        uint32_t qos;

        if (!(set >> q & 1)) {
            continue;
        }
        qos =
            m2s_get(ch, UDMA_M2S_M2S_Q_DWRR_CFG_2(q)) & (TRENCH_NR_QUEUES - 1);
        if (found == 0 || qos > best) {
            best = qos;
            found = 0;
        }
        found |= qos == best ? 1u << q : 0;
    }
    return found;
}

/* What a queue earns at each visit: weight << inc_factor. */
static int64_t dwrr_quantum(const struct channel *ch, unsigned q)
{
    uint32_t factor =
        FIELD_GET(UDMA_M2S_M2S_DWRR_CFG_SCHED_INC_FACTOR, *ch->reg.cfg_sched);
    uint32_t weight = FIELD_GET(UDMA_M2S_M2S_Q_DWRR_CFG_3_WEIGHT,
                                m2s_get(ch, UDMA_M2S_M2S_Q_DWRR_CFG_3(q)));

    return (int64_t)weight << factor;
}

static int64_t dwrr_ceiling(const struct channel *ch, unsigned q)
{
    return FIELD_GET(UDMA_M2S_M2S_Q_DWRR_CFG_1_MAX_DEFICIT_CNT_SIZE,
                     m2s_get(ch, UDMA_M2S_M2S_Q_DWRR_CFG_1(q)));
}

/* Visits until queue q has credit; DWRR_NEVER when it cannot earn any. */
#define DWRR_NEVER INT64_MAX

static int64_t dwrr_visits(const struct channel *ch, unsigned q)
{
    uint32_t cfg_1 = m2s_get(ch, UDMA_M2S_M2S_Q_DWRR_CFG_1(q));
    int64_t quantum = dwrr_quantum(ch, q);
    int64_t deficit = ch->m2s[q].deficit;

    if (deficit > 0 || (cfg_1 & UDMA_M2S_M2S_Q_DWRR_CFG_1_STRICT_MASK)) {
        return 0;
    }
    if ((cfg_1 & UDMA_M2S_M2S_Q_DWRR_CFG_1_PAUSE_MASK) || quantum == 0 ||
        dwrr_ceiling(ch, q) == 0) {
        return DWRR_NEVER;
    }
    return -deficit / quantum + 1;
}

static void dwrr_earn(struct channel *ch, unsigned q, int64_t visits)
{
    int64_t ceiling = dwrr_ceiling(ch, q);
    int64_t *deficit = &ch->m2s[q].deficit;

    if (dwrr_visits(ch, q) == DWRR_NEVER) {
        return;
    }
    *deficit += visits * dwrr_quantum(ch, q);
    *deficit = *deficit < ceiling ? *deficit : ceiling;
}

/*
 * The queue that is first to have credit, with the rounds until then earned
 * by everyone at once (weight_inc only speeds that up in hardware). Where
 * nobody can earn, round robin: credit shares the stream, it never closes it.
 */
static unsigned dwrr_pick(struct channel *ch, uint32_t set)
{
    unsigned q = ch->last_q;
    unsigned best = next_after(q, set);
    int64_t rounds = DWRR_NEVER;
    bool before = true;

    if ((set >> q & 1) && ch->m2s[q].deficit > 0) {
        return q; /* serves on while its credit lasts */
    }
    for (int i = __builtin_popcount(set); i > 0; i--) {
        int64_t visits;

        q = next_after(q, set);
        visits = dwrr_visits(ch, q);
        if (visits < rounds) {
            rounds = visits;
            best = q;
        }
    }
    if (rounds == 0 || rounds == DWRR_NEVER) {
        return best;
    }
    q = ch->last_q;
    for (int i = __builtin_popcount(set); i > 0; i--) {
        q = next_after(q, set);
        dwrr_earn(ch, q, before ? rounds : rounds - 1);
        before = before && q != best;
    }
    return best;
}

/* Out of line: plain round robin, which is the reset, then saves no register.
 */
static __attribute__((noinline)) unsigned pick_by_class(struct channel *ch,
                                                        uint32_t active)
{
    uint32_t set = highest_class(ch, active);

    return dwrr_on(ch) ? dwrr_pick(ch, set) : next_after(ch->last_q, set);
}

unsigned sched_pick(struct channel *ch, uint32_t active)
{
    bool force_rr = *ch->reg.desc_pref_cfg_2 &
                    UDMA_M2S_M2S_RD_DESC_PREF_CFG_2_PREF_FORCE_RR_MASK;

    return force_rr ? next_after(ch->last_q, active)
                    : pick_by_class(ch, active);
}

void sched_charge(struct channel *ch, unsigned q, uint64_t bytes)
{
    struct m2s_queue *mq = &ch->m2s[q];
    uint32_t offset =
        *mq->ring.reg.cfg & UDMA_M2S_M2S_Q_CFG_PKT_LEN_OFFSET_MASK;

    if (dwrr_on(ch)) {
        mq->deficit -= dwrr_by_packet(ch) ? 1 : (int64_t)(bytes + offset);
    }
}
