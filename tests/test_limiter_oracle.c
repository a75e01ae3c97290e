/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Random programs for the rate limiters of M2S, against a model that knows
 * one clock after the other (common-blocks 4.3; hardware.md H106 to H109).
 */
#include "limit_rig.h"

#define NR     4u
#define STREAM NR

/* A clock at a time, everything by the sentence in common-blocks 4.3. */
struct slow {
    struct limit limit[NR + 1];
    bool masked[NR + 1];
    int64_t bits[NR + 1];
    uint32_t long_pos[NR + 1];
    uint32_t short_pos;
    uint32_t gen_cfg;
    uint32_t offset[NR];
    uint32_t queue[NR][64]; /* lengths that wait */
    uint32_t nr[NR];
    uint32_t sent[NR];
    unsigned last;
};

static bool slow_open(const struct slow *s, unsigned b)
{
    return !(s->limit[b].cfg_1 & EN) || s->masked[b] || s->bits[b] >= 8;
}

static void slow_pay(struct slow *s, unsigned b, uint64_t bytes)
{
    if ((s->limit[b].cfg_1 & EN) && !s->masked[b]) {
        s->bits[b] -= s->gen_cfg & BY_PKT ? 8 : 8 * (int64_t)bytes;
    }
}

static void slow_serve(struct slow *s)
{
    for (unsigned i = 1; i <= NR; i++) {
        unsigned q = (s->last + i) % NR;

        if (s->nr[q] == 0 || !slow_open(s, q) || !slow_open(s, STREAM)) {
            continue;
        }
        slow_pay(s, q, s->queue[q][0] + s->offset[q]);
        slow_pay(s, STREAM, s->queue[q][0] + s->offset[q]);
        s->nr[q]--;
        memmove(s->queue[q], s->queue[q] + 1, s->nr[q] * sizeof(uint32_t));
        s->sent[q]++;
        s->last = q;
        i = 0;
    }
}

static void slow_tick(struct slow *s)
{
    bool any = false;
    bool ends;

    for (unsigned b = 0; b <= NR; b++) {
        any |= s->limit[b].cfg_1 & EN;
    }
    if (!any) {
        return;
    }
    s->short_pos++;
    if (s->short_pos < (s->gen_cfg & 0xFFFF) + 1) {
        return;
    }
    s->short_pos = 0;
    for (unsigned b = 0; b <= NR; b++) {
        const struct limit *l = &s->limit[b];

        if (!(l->cfg_1 & EN)) {
            continue;
        }
        ends = l->long_cycle_size && ++s->long_pos[b] >= l->long_cycle_size;
        s->long_pos[b] = ends ? 0 : s->long_pos[b];
        if (l->cfg_1 & PAUSE) {
            continue;
        }
        s->bits[b] += l->short_bits + (ends ? l->long_bits : 0);
        if (s->bits[b] > 8 * (int64_t)(l->cfg_1 & MAX)) {
            s->bits[b] = 8 * (int64_t)(l->cfg_1 & MAX);
        }
    }
}

static uint64_t random_next(uint64_t *x)
{
    *x = *x * 6364136223846793005u + 1442695040888963407u;
    return *x >> 33;
}

/* Small numbers mostly, 0 and the largest now and then. */
static uint32_t random_value(uint64_t *x, uint32_t max)
{
    switch (random_next(x) % 8) {
    case 0:
        return 0;
    case 1:
        return max;
    case 2:
        return (uint32_t)random_next(x) & max;
    case 3:
    case 4:
        return (uint32_t)random_next(x) % 5 & max;
    default:
        return (uint32_t)random_next(x) % 40 & max;
    }
}

struct duel {
    struct bench b;
    struct rig_queue rq[NR];
    struct slow slow;
    uint64_t x;
};

static void duel_limit(struct duel *d)
{
    unsigned b = (unsigned)(random_next(&d->x) % (NR + 1));
    struct limit l = {
        .cfg_1 = (random_next(&d->x) % 4 ? EN : 0) |
                 (random_next(&d->x) % 5 ? 0 : PAUSE) |
                 random_value(&d->x, MAX),
        .long_cycle_size = random_value(&d->x, 0xFFFF),
        .long_bits = random_value(&d->x, 0x7FFFF),
        .short_bits = random_value(&d->x, 0x7FFFF),
    };
    uint32_t mask = (uint32_t)random_next(&d->x) % 16;
    uint32_t at =
        b == STREAM ? (uint32_t)M2S_STREAM_RATE : q_off(TX, b, TXQ_RATE_1);

    set_limit(&d->rq[b % NR], b == STREAM, &l);
    d->slow.limit[b] = l;
    d->slow.masked[b] = false;
    slow_serve(&d->slow);
    rig_write(d->b.rig, ENGINE, at + 0x14, mask);
    d->slow.masked[b] = mask & INT;
}

static void duel_post(struct duel *d)
{
    unsigned q = (unsigned)(random_next(&d->x) % NR);
    uint32_t len = random_next(&d->x) % 4
                       ? (uint32_t)random_next(&d->x) % 300 + 1
                       : (uint32_t)random_next(&d->x) % 65536 + 1;

    if (d->slow.nr[q] == 40) {
        return;
    }
    rig_copy(&d->rq[q], d->b.dst, d->b.src, len);
    d->slow.queue[q][d->slow.nr[q]++] = len;
}

static void duel_strobe(struct duel *d)
{
    unsigned b = (unsigned)(random_next(&d->x) % (NR + 1));
    uint32_t val = random_value(&d->x, MAX);

    switch (random_next(&d->x) % 6) {
    case 0:
        rig_write(d->b.rig, ENGINE, M2S_RATE_TOKENS, val);
        for (unsigned q = 0; q < NR; q++) {
            d->slow.bits[q] = 8 * (int64_t)val;
        }
        break;
    case 1:
        rig_write(d->b.rig, ENGINE, M2S_RATE_CYCLES, 1);
        d->slow.short_pos = 0;
        memset(d->slow.long_pos, 0, sizeof(d->slow.long_pos));
        break;
    case 2:
        rig_write(d->b.rig, ENGINE,
                  b == STREAM ? M2S_STREAM_RATE + 0x10u
                              : q_off(TX, b, TXQ_RATE_SW),
                  1);
        d->slow.bits[b] = 0;
        break;
    case 3:
        val = random_value(&d->x, 0xFFFF);
        d->slow.gen_cfg = val % 64 | (val & 0x8000 ? BY_PKT : 0);
        rig_write(d->b.rig, ENGINE, M2S_RATE_GEN, d->slow.gen_cfg);
        break;
    case 4:
        d->slow.offset[b % NR] = val & 0xFFF;
        rig_q_set(&d->rq[b % NR], TX, Q_CFG, Q_CFG_ENABLED | (val & 0xFFF));
        break;
    default:
        rig_queue_program(&d->rq[b % NR]); /* masks the limiter first */
        d->slow.masked[b % NR] = true;
        slow_serve(&d->slow);
        d->slow.nr[b % NR] = 0;
        d->slow.offset[b % NR] = 0;
        break;
    }
}

static void duel_check(struct duel *d, uint64_t seed, unsigned op)
{
    for (unsigned q = 0; q < NR; q++) {
        int64_t want = d->slow.bits[q] > 0 ? d->slow.bits[q] / 8 : 0;

        CHECK_EQ(sent(&d->rq[q]), d->slow.sent[q], "seed %llu op %u q%u",
                 ULL(seed), op, q);
        CHECK_EQ(tokens(&d->rq[q]), want, "seed %llu op %u q%u", ULL(seed), op,
                 q);
    }
}

static void duel_run(void **state, uint64_t seed)
{
    static struct duel d;

    d = (struct duel){ .x = seed * 7919 + 1 };
    bench_open(&d.b, *state, 64);
    d.slow.gen_cfg = SHORT_0;
    /* The turn of the other queues is never taken: 15 is followed by 0. */
    d.slow.last = NR - 1;
    for (unsigned q = 0; q < NR; q++) {
        rig_queue_open(&d.rq[q], d.b.rig, ENGINE, q, 64);
        d.slow.masked[q] = true;
        d.slow.limit[q].cfg_1 = MAX;
    }
    d.slow.masked[STREAM] = true;
    d.slow.limit[STREAM].cfg_1 = MAX;
    for (unsigned op = 0; op < 80; op++) {
        uint64_t clocks = random_next(&d.x) % 2000;

        switch (random_next(&d.x) % 4) {
        case 0:
            duel_limit(&d);
            break;
        case 1:
            duel_strobe(&d);
            break;
        case 2:
            duel_post(&d);
            break;
        default:
            pass(&d.b, clocks);
            for (; clocks > 0; clocks--) {
                slow_tick(&d.slow);
                slow_serve(&d.slow);
            }
            break;
        }
        slow_serve(&d.slow);
        duel_check(&d, seed, op);
    }
}

/* Random programs, against the clock-by-clock model above. */
static void test_limiter_oracle(void **state)
{
    const char *one = getenv("TRENCH_SEED");

    for (uint64_t seed = 0; seed < 300; seed++) {
        duel_run(state, one ? strtoull(one, NULL, 0) : seed);
    }
}

int main(void)
{
#define TEST(fn) cmocka_unit_test(fn)
    static const struct CMUnitTest tests[] = {
        TEST(test_limiter_oracle),
    };

    return cmocka_run_group_tests_name("limiter_oracle", tests, rig_setup,
                                       rig_teardown);
}
