/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The rate limiters of M2S (udma-engine 1, notes 1.9; common-blocks 4.3).
 *
 * A short cycle is short_cycle_size + 1 clocks, a long cycle long_cycle_size
 * short ones. The end of each adds tokens, in bits, up to max_burst_size
 * bytes. A queue sends while its bucket holds a whole byte, and a packet may
 * leave it in debt: so the long-run rate is exact.
 *
 * Tokens are never brought in clock by clock: how many a span of time gives,
 * and how long a wait takes, are both computed at once.
 */
#include "dev/limiter.h"

#include <assert.h>

#include "base/bits.h"
#include "dev/side_regs.h"
#include "udma_m2s_gen.h"

#define SAME(queue, stream)                                                    \
    static_assert(UDMA_M2S_M2S_Q_RATE_LIMIT_##queue##_MASK ==                  \
                      UDMA_M2S_M2S_STREAM_RATE_LIMITER_##stream##_MASK,        \
                  "both kinds keep it in the same bits")

SAME(CFG_1_MAX_BURST_SIZE, CFG_1S_MAX_BURST_SIZE);
SAME(CFG_1_EN, CFG_1S_EN);
SAME(CFG_1_PAUSE, CFG_1S_PAUSE);
SAME(CFG_CYCLE_LONG_CYCLE_SIZE, CFG_CYCLE_LONG_CYCLE_SIZE);
SAME(CFG_TOKEN_SIZE_1_LONG_CYCLE, CFG_TOKEN_SIZE_1_LONG_CYCLE);
SAME(CFG_TOKEN_SIZE_2_SHORT_CYCLE, CFG_TOKEN_SIZE_2_SHORT_CYCLE);
SAME(SW_CTRL_RST_TOKEN_CNT, SW_CTRL_RST_TOKEN_CNT);
SAME(MASK_INTERNAL_RATE_LIMITER, MASK_INTERNAL_RATE_LIMITER);

/* What counts in a bucket as one: a byte, or in packet mode a packet. */
#define TOKEN INT64_C(8)

/* More than any bucket can want. */
#define PLENTY (INT64_C(1) << 61)

enum {
    REG_CFG_1,
    REG_CYCLE,
    REG_SIZE_1,
    REG_SIZE_2,
    REG_MASK,
    NR_REGS,
};

/* Of queue 0, and of the stream. */
static const uint32_t queue_regs[NR_REGS] = {
    [REG_CFG_1] = UDMA_M2S_M2S_Q_RATE_LIMIT_CFG_1(0),
    [REG_CYCLE] = UDMA_M2S_M2S_Q_RATE_LIMIT_CFG_CYCLE(0),
    [REG_SIZE_1] = UDMA_M2S_M2S_Q_RATE_LIMIT_CFG_TOKEN_SIZE_1(0),
    [REG_SIZE_2] = UDMA_M2S_M2S_Q_RATE_LIMIT_CFG_TOKEN_SIZE_2(0),
    [REG_MASK] = UDMA_M2S_M2S_Q_RATE_LIMIT_MASK(0),
};
static const uint32_t stream_regs[NR_REGS] = {
    [REG_CFG_1] = UDMA_M2S_M2S_STREAM_RATE_LIMITER_CFG_1S,
    [REG_CYCLE] = UDMA_M2S_M2S_STREAM_RATE_LIMITER_CFG_CYCLE,
    [REG_SIZE_1] = UDMA_M2S_M2S_STREAM_RATE_LIMITER_CFG_TOKEN_SIZE_1,
    [REG_SIZE_2] = UDMA_M2S_M2S_STREAM_RATE_LIMITER_CFG_TOKEN_SIZE_2,
    [REG_MASK] = UDMA_M2S_M2S_STREAM_RATE_LIMITER_MASK,
};

static uint32_t m2s_get(const struct channel *ch, uint32_t offset)
{
    return regfile_get(&ch->units[TRENCH_BLOCK_UDMA_M2S].rf, offset);
}

static uint32_t bucket_get(const struct channel *ch, unsigned b, unsigned reg)
{
    return m2s_get(ch, b == LIMITER_STREAM
                           ? stream_regs[reg]
                           : queue_regs[reg] + b * UDMA_M2S_M2S_Q_STRIDE);
}

/* ---- rules -------------------------------------------------------------- */

struct rules {
    bool paused;
    int64_t ceiling;      /* bits */
    uint64_t short_bits;  /* each short cycle brings */
    uint64_t long_bits;   /* each long cycle brings in addition */
    uint32_t long_cycles; /* short cycles in a long one; 0 = none ends */
    uint32_t long_pos;
};

static struct rules bucket_rules(const struct channel *ch, unsigned b)
{
    uint32_t cfg_1 = bucket_get(ch, b, REG_CFG_1);
    struct rules rules = {
        .paused = cfg_1 & UDMA_M2S_M2S_Q_RATE_LIMIT_CFG_1_PAUSE_MASK,
        .ceiling =
            TOKEN *
            FIELD_GET(UDMA_M2S_M2S_Q_RATE_LIMIT_CFG_1_MAX_BURST_SIZE, cfg_1),
        .short_bits =
            FIELD_GET(UDMA_M2S_M2S_Q_RATE_LIMIT_CFG_TOKEN_SIZE_2_SHORT_CYCLE,
                      bucket_get(ch, b, REG_SIZE_2)),
        .long_bits =
            FIELD_GET(UDMA_M2S_M2S_Q_RATE_LIMIT_CFG_TOKEN_SIZE_1_LONG_CYCLE,
                      bucket_get(ch, b, REG_SIZE_1)),
        .long_cycles =
            FIELD_GET(UDMA_M2S_M2S_Q_RATE_LIMIT_CFG_CYCLE_LONG_CYCLE_SIZE,
                      bucket_get(ch, b, REG_CYCLE)),
    };

    if (rules.long_cycles > 0) {
        /* A cycle made shorter than its position ends with the next step. */
        rules.long_pos =
            min_u32(ch->limiter.bucket[b].long_pos, rules.long_cycles - 1);
    }
    return rules;
}

static uint32_t short_clocks(const struct channel *ch)
{
    return FIELD_GET(UDMA_M2S_M2S_RATE_LIMITER_GEN_CFG_SHORT_CYCLE_SIZE,
                     m2s_get(ch, UDMA_M2S_M2S_RATE_LIMITER_GEN_CFG)) +
           1;
}

static uint32_t short_pos(const struct channel *ch)
{
    return min_u32(ch->limiter.short_pos, short_clocks(ch) - 1);
}

/* Who is limited, after a change of settings. */
static void refresh(struct channel *ch)
{
    struct limiter *lim = &ch->limiter;

    lim->enabled = 0;
    lim->obeyed = 0;
    for (unsigned b = 0; b <= LIMITER_STREAM; b++) {
        if (!(bucket_get(ch, b, REG_CFG_1) &
              UDMA_M2S_M2S_Q_RATE_LIMIT_CFG_1_EN_MASK)) {
            continue;
        }
        lim->enabled |= 1u << b;
        if (!(bucket_get(ch, b, REG_MASK) &
              UDMA_M2S_M2S_Q_RATE_LIMIT_MASK_INTERNAL_RATE_LIMITER_MASK)) {
            lim->obeyed |= 1u << b;
        }
    }
    ch->limited = lim->obeyed >> LIMITER_STREAM & 1 ? ALL_QUEUES
                                                    : lim->obeyed & ALL_QUEUES;
}

void limiter_reset(struct channel *ch)
{
    ch->limiter = (struct limiter){ 0 };
    refresh(ch);
}

/* ---- time --------------------------------------------------------------- */

/* a * b, or plenty. */
static int64_t gain(uint64_t a, uint64_t b)
{
    uint64_t product;

    return __builtin_mul_overflow(a, b, &product) || product > (uint64_t)PLENTY
               ? PLENTY
               : (int64_t)product;
}

/* That many short cycles end. */
static void bucket_fill(struct channel *ch, unsigned b, uint64_t cycles)
{
    struct bucket *bucket = &ch->limiter.bucket[b];
    struct rules rules = bucket_rules(ch, b);
    uint64_t longs = 0;

    if (rules.long_cycles > 0) {
        uint64_t pos = rules.long_pos + cycles % rules.long_cycles;

        longs = cycles / rules.long_cycles + pos / rules.long_cycles;
        bucket->long_pos = (uint32_t)(pos % rules.long_cycles);
    }
    if (rules.paused) {
        return;
    }
    bucket->bits += gain(cycles, rules.short_bits);
    bucket->bits += gain(longs, rules.long_bits);
    if (bucket->bits > rules.ceiling) {
        bucket->bits = rules.ceiling;
    }
}

void limiter_pass(struct channel *ch, uint64_t clocks)
{
    struct limiter *lim = &ch->limiter;
    uint32_t size = short_clocks(ch);
    uint64_t pos, cycles;

    if (lim->enabled == 0) {
        return;
    }
    pos = short_pos(ch) + clocks % size;
    cycles = clocks / size + pos / size;
    lim->short_pos = (uint32_t)(pos % size);
    if (cycles == 0) {
        return;
    }
    for (uint32_t set = lim->enabled; set; set &= set - 1) {
        bucket_fill(ch, (unsigned)__builtin_ctz(set), cycles);
    }
}

/*
 * Short cycles until bits come in, bits being at most what one long cycle
 * brings.
 */
static uint64_t cycles_within_long(const struct rules *rules, uint64_t bits)
{
    uint64_t to_end = rules->long_cycles - rules->long_pos;
    uint64_t cycles = CLOCK_NEVER;

    if (rules->short_bits > 0) {
        cycles = (bits - 1) / rules->short_bits + 1;
        if (cycles >= to_end) {
            cycles = bits > rules->long_bits
                         ? (bits - rules->long_bits - 1) / rules->short_bits + 1
                         : 0;
        } else {
            return cycles;
        }
    } else {
        cycles = 0; /* the end of the long cycle brings them all */
    }
    return cycles > to_end ? cycles : to_end;
}

/* Short cycles until bits come in, CLOCK_NEVER when they do not. */
static uint64_t cycles_until(const struct rules *rules, uint64_t bits)
{
    uint64_t per_long, longs;

    if (rules->long_cycles == 0 || rules->long_bits == 0) {
        return rules->short_bits ? (bits - 1) / rules->short_bits + 1
                                 : CLOCK_NEVER;
    }
    per_long = rules->long_cycles * rules->short_bits + rules->long_bits;
    longs = (bits - 1) / per_long;
    return longs * rules->long_cycles +
           cycles_within_long(rules, bits - longs * per_long);
}

static bool has_token(const struct channel *ch, unsigned b)
{
    return ch->limiter.bucket[b].bits >= TOKEN;
}

/* Clocks until the bucket lets a packet through. */
static uint64_t bucket_due(const struct channel *ch, unsigned b)
{
    int64_t bits = ch->limiter.bucket[b].bits;
    struct rules rules;
    uint64_t cycles;

    if (has_token(ch, b)) {
        return 0;
    }
    rules = bucket_rules(ch, b);
    if (rules.paused || rules.ceiling < TOKEN) {
        return CLOCK_NEVER;
    }
    cycles = cycles_until(&rules, (uint64_t)(TOKEN - bits));
    /* Cannot overflow: a packet has 2^30 bits at most, cycles 2^16 steps. */
    return cycles == CLOCK_NEVER ? CLOCK_NEVER
                                 : cycles * short_clocks(ch) - short_pos(ch);
}

/* ---- queues ------------------------------------------------------------- */

/* The buckets that queue q draws from. */
static uint32_t buckets_of(const struct channel *ch, unsigned q)
{
    return ch->limiter.obeyed & (1u << q | 1u << LIMITER_STREAM);
}

static uint64_t queue_due(const struct channel *ch, unsigned q)
{
    uint64_t due = 0;

    for (uint32_t set = buckets_of(ch, q); set; set &= set - 1) {
        uint64_t one = bucket_due(ch, (unsigned)__builtin_ctz(set));

        due = one > due ? one : due;
    }
    return due;
}

static int64_t packet_cost(const struct channel *ch, unsigned q, uint64_t bytes)
{
    uint32_t offset =
        *ch->m2s[q].ring.reg.cfg & UDMA_M2S_M2S_Q_CFG_PKT_LEN_OFFSET_MASK;

    return m2s_get(ch, UDMA_M2S_M2S_RATE_LIMITER_GEN_CFG) &
                   UDMA_M2S_M2S_RATE_LIMITER_GEN_CFG_PKT_MODE_EN_MASK
               ? TOKEN
               : TOKEN * (int64_t)(bytes + offset);
}

uint32_t limiter_held(const struct channel *ch)
{
    uint32_t held = 0;

    for (uint32_t set = ch->active & ch->limited; set; set &= set - 1) {
        unsigned q = (unsigned)__builtin_ctz(set);

        if (ch->m2s[q].packet.descs > 0) {
            continue;
        }
        for (uint32_t b = buckets_of(ch, q); b; b &= b - 1) {
            held |= has_token(ch, (unsigned)__builtin_ctz(b)) ? 0 : 1u << q;
        }
    }
    return held;
}

void limiter_charge(struct channel *ch, unsigned q, uint64_t bytes)
{
    int64_t cost = packet_cost(ch, q, bytes);

    for (uint32_t set = buckets_of(ch, q); set; set &= set - 1) {
        ch->limiter.bucket[__builtin_ctz(set)].bits -= cost;
    }
}

uint64_t limiter_due(const struct channel *ch)
{
    uint64_t due = CLOCK_NEVER;

    for (uint32_t set = ch->asleep; set; set &= set - 1) {
        due = min_u64(due, queue_due(ch, (unsigned)__builtin_ctz(set)));
    }
    return due;
}

bool limiter_expire(struct channel *ch)
{
    uint32_t awake = 0;

    for (uint32_t set = ch->asleep; set; set &= set - 1) {
        unsigned q = (unsigned)__builtin_ctz(set);

        awake |= queue_due(ch, q) == 0 ? 1u << q : 0;
    }
    if (awake) {
        channel_wake(ch, awake);
    }
    return awake != 0;
}

/* ---- registers ---------------------------------------------------------- */

uint32_t limiter_read_status(void *owner, uint32_t idx, uint32_t val)
{
    const struct channel *ch = side_channel(owner);
    int64_t tokens = ch->limiter.bucket[side_picked(owner)].bits / TOKEN;

    (void)idx;
    (void)val;
    return tokens > 0 ? (uint32_t)tokens : 0;
}

/* Enabled, masked, paused or with another ceiling. */
void limiter_write_rules(void *owner, uint32_t q, uint32_t written,
                         uint32_t old)
{
    struct channel *ch = side_channel(owner);

    (void)q;
    (void)written;
    (void)old;
    refresh(ch);
    channel_timed(ch);
    channel_wake(ch, ch->asleep);
}

void limiter_write_sw_ctrl(void *owner, uint32_t q, uint32_t written,
                           uint32_t old)
{
    (void)old;
    if (written & UDMA_M2S_M2S_Q_RATE_LIMIT_SW_CTRL_RST_TOKEN_CNT_MASK) {
        side_channel(owner)->limiter.bucket[q].bits = 0;
    }
}

void limiter_write_stream_sw_ctrl(void *owner, uint32_t idx, uint32_t written,
                                  uint32_t old)
{
    (void)idx;
    limiter_write_sw_ctrl(owner, LIMITER_STREAM, written, old);
}

/* Cycles start afresh; tokens stay. */
void limiter_write_cycles(void *owner, uint32_t idx, uint32_t written,
                          uint32_t old)
{
    struct limiter *lim = &side_channel(owner)->limiter;

    (void)idx;
    (void)old;
    if (!(written & UDMA_M2S_M2S_RATE_LIMITER_CTRL_CYCLE_CNT_RST_MASK)) {
        return;
    }
    lim->short_pos = 0;
    for (unsigned b = 0; b <= LIMITER_STREAM; b++) {
        lim->bucket[b].long_pos = 0;
    }
}

/* Every queue's bucket, not the stream's. */
void limiter_write_tokens(void *owner, uint32_t idx, uint32_t written,
                          uint32_t old)
{
    struct channel *ch = side_channel(owner);

    (void)idx;
    (void)old;
    for (unsigned q = 0; q < TRENCH_NR_QUEUES; q++) {
        ch->limiter.bucket[q].bits =
            TOKEN *
            FIELD_GET(UDMA_M2S_M2S_RATE_LIMITER_CTRL_TOKEN_RST, written);
    }
    channel_wake(ch, ch->asleep);
}
