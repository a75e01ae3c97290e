/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The rate limiters of M2S. udma-engine 1 (M2S_rate_limiter,
 * M2S_stream_rate_limiter, rate_limit_* of a queue), note 1.9, B28;
 * common-blocks 4.1, 4.3; hardware.md H11, H106 to H109.
 */
#include "limit_rig.h"

static void post(struct bench *b, unsigned nr, uint32_t len)
{
    for (unsigned i = 0; i < nr; i++) {
        rig_rx(&b->rq, b->dst, len);
        rig_tx(&b->rq, D_ONE, b->src, len);
    }
    rig_bell(&b->rq, RX, nr);
    rig_bell(&b->rq, TX, nr);
}

/* A queue with a limiter of so many bits each clock. */
static void open_limited(struct bench *b, void **state, uint32_t short_bits)
{
    bench_open(b, *state, 64);
    rig_write(b->rig, ENGINE, M2S_RATE_GEN, 0);
    set_limit(&b->rq, false,
              &(struct limit){ .cfg_1 = EN | MAX, .short_bits = short_bits });
}

/* ---- one queue ---------------------------------------------------------- */

/* common-blocks 4.3: at reset all masks are 1, so nothing is limited. */
static void test_limiter_reset_values(void **state)
{
    struct bench b;

    bench_open(&b, *state, 8);
    CHECK_EQ(rig_read(b.rig, ENGINE, M2S_RATE_GEN), SHORT_0, "gen_cfg");
    CHECK_EQ(rig_read(b.rig, ENGINE, M2S_STREAM_RATE), MAX, "cfg_1s");
    CHECK_EQ(rig_read(b.rig, ENGINE, M2S_STREAM_RATE_MASK), 3, "mask");
    CHECK_EQ(rig_read(b.rig, ENGINE, q_off(TX, 9, TXQ_RATE_1)), MAX, "cfg_1");
    CHECK_EQ(rig_read(b.rig, ENGINE, q_off(TX, 9, TXQ_RATE_MASK)), 7, "mask");
    rig_q_set(&b.rq, TX, TXQ_RATE_1, EN | MAX);
    rig_write(b.rig, ENGINE, M2S_STREAM_RATE, EN | MAX);
    rig_copy(&b.rq, b.dst, b.src, 64);
    CHECK_COPY(b.rig, b.dst, b.src, 64, "enabled, masked, empty");
    CHECK_EQ(tokens(&b.rq), 0, "nothing was paid");
    rig_q_set(&b.rq, TX, TXQ_RATE_1, MAX);
    rig_q_set(&b.rq, TX, TXQ_RATE_MASK, 0);
    rig_copy(&b.rq, b.dst + 64, b.src, 64);
    CHECK_COPY(b.rig, b.dst + 64, b.src, 64, "not masked, not enabled");
}

/* 8 bits a clock are a byte: an empty bucket lets nothing out until then. */
static void test_limiter_holds_until_there_is_a_token(void **state)
{
    struct bench b;

    open_limited(&b, state, 1);
    post(&b, 1, 64);
    CHECK_EQ(sent(&b.rq), 0, "at first");
    CHECK_EQ(rig_read(b.rig, ENGINE, STATE), 0x1111, "not idle");
    CHECK_PTR(&b.rq, TX, Q_HEAD, 1, 1, "prefetch goes on");
    pass(&b, 7);
    CHECK_EQ(sent(&b.rq), 0, "7 bits");
    CHECK_EQ(tokens(&b.rq), 0, "7 bits");
    CHECK_UNTOUCHED(b.rig, b.dst, 64, "7 bits");
    pass(&b, 1);
    CHECK_EQ(sent(&b.rq), 1, "8 bits");
    CHECK_COPY(b.rig, b.dst, b.src, 64, "8 bits");
    CHECK_EQ(tokens(&b.rq), 0, "in debt");
}

/* The packet is paid in full: the next one waits until the debt is gone. */
static void test_limiter_debt(void **state)
{
    struct bench b;

    open_limited(&b, state, 8);
    post(&b, 3, 100);
    for (unsigned n = 0; n < 3; n++) {
        pass(&b, n ? 99 : 0);
        CHECK_EQ(sent(&b.rq), n, "before packet %u", n);
        pass(&b, 1);
        CHECK_EQ(sent(&b.rq), n + 1, "packet %u", n);
    }
}

/* max_burst_size bounds what is saved up. */
static void test_limiter_ceiling(void **state)
{
    static const uint64_t spans[] = { 1,         9, 10, 11, UINT64_C(1) << 40,
                                      UINT64_MAX };
    struct bench b;

    for (size_t i = 0; i < ARRAY_LEN(spans); i++) {
        open_limited(&b, state, 0x7FFFF);
        rig_q_set(&b.rq, TX, TXQ_RATE_1, EN | 655350);
        pass(&b, spans[i]);
        CHECK_EQ(tokens(&b.rq), spans[i] < 10 ? spans[i] * 0x7FFFF / 8 : 655350,
                 "0x%llx clocks", ULL(spans[i]));
    }
    open_limited(&b, state, 0x7FFFF);
    pass(&b, UINT64_MAX);
    pass(&b, UINT64_MAX);
    CHECK_EQ(tokens(&b.rq), MAX, "the largest");
}

/* Note 1.9: a short cycle of n lasts n + 1 clocks. */
static void test_limiter_short_cycle(void **state)
{
    static const uint32_t sizes[] = { 0, 1, 2, 0xFA, 0xFFFF };
    struct bench b;

    for (size_t i = 0; i < ARRAY_LEN(sizes); i++) {
        open_limited(&b, state, 8);
        rig_write(b.rig, ENGINE, M2S_RATE_GEN, sizes[i]);
        pass(&b, sizes[i]);
        CHECK_EQ(tokens(&b.rq), 0, "size %u", sizes[i]);
        pass(&b, 1);
        CHECK_EQ(tokens(&b.rq), 1, "size %u", sizes[i]);
        pass(&b, 10 * (sizes[i] + UINT64_C(1)) - 1);
        CHECK_EQ(tokens(&b.rq), 10, "size %u", sizes[i]);
        pass(&b, 1);
        CHECK_EQ(tokens(&b.rq), 11, "size %u", sizes[i]);
    }
}

/* Every long_cycle_size short cycles also bring token_size_1; H107: 0 never. */
static void test_limiter_long_cycle(void **state)
{
    static const uint32_t sizes[] = { 0, 1, 3, 0xFFFF };
    struct bench b;

    for (size_t i = 0; i < ARRAY_LEN(sizes); i++) {
        uint32_t n = sizes[i];

        open_limited(&b, state, 0);
        rig_write(b.rig, ENGINE, M2S_RATE_GEN, 1);
        set_limit(&b.rq, false, &(struct limit){ EN | MAX, n, 80, 8 });
        pass(&b, n ? 2 * n - 1 : 199999);
        CHECK_EQ(tokens(&b.rq), n ? n - 1 : 99999, "size %u", n);
        pass(&b, 1);
        CHECK_EQ(tokens(&b.rq), n ? n + 10 : 100000, "size %u", n);
    }
}

/* The clock of the wake-up, for every position in the cycles and every debt. */
static void test_limiter_wakes_at_the_clock(void **state)
{
    static const struct limit rows[] = {
        { EN | MAX, 2, 4, 2 },
        { EN | MAX, 3, 24, 0 },
        { EN | MAX, 3, 8, 8 },
        { EN | MAX, 5, 1, 3 },
    };
    struct bench b;

    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        const struct limit *l = &rows[i];

        for (uint32_t len = 1; len < 12; len++) {
            uint32_t bits = 0;
            uint32_t clock = 0;

            bench_open(&b, *state, 64);
            rig_write(b.rig, ENGINE, M2S_RATE_GEN, 0);
            set_limit(&b.rq, false, l);
            post(&b, 1, len);
            post(&b, 1, len);
            while (bits < 8 * len + 8) { /* out of debt, and a byte */
                clock++;
                bits += l->short_bits;
                bits += clock % l->long_cycle_size ? 0 : l->long_bits;
            }
            pass(&b, clock - 1);
            CHECK_EQ(sent(&b.rq) < 2, true, "row %zu len %u", i, len);
            pass(&b, 1);
            CHECK_EQ(sent(&b.rq), 2, "row %zu len %u", i, len);
        }
    }
}

/* A wake-up that is late loses tokens to a low ceiling: none is. */
static void test_limiter_wakes_in_one_span(void **state)
{
    struct bench b;

    for (uint32_t i = 0; i < 6 * 6 * 6 * 3; i++) {
        const struct limit l = { EN | (1 + i % 3), i / 3 % 6, i / 18 % 6 * 4,
                                 i / 108 * 3 };
        uint32_t len = 1 + i % 5;
        int64_t bits = 0;
        uint32_t want = 0;

        bench_open(&b, *state, 64);
        rig_write(b.rig, ENGINE, M2S_RATE_GEN, 1);
        set_limit(&b.rq, false, &l);
        post(&b, 40, len);
        for (uint32_t clock = 1; clock <= 200; clock++) {
            bits += clock % 2 ? 0 : l.short_bits;
            bits += l.long_cycle_size && clock % (2 * l.long_cycle_size) == 0
                        ? l.long_bits
                        : 0;
            bits = bits < 8 * (1 + i % 3) ? bits : 8 * (1 + i % 3);
            while (bits >= 8 && want < 40) {
                bits -= 8 * len;
                want++;
            }
        }
        pass(&b, 200);
        CHECK_EQ(sent(&b.rq), want, "row %u", i);
    }
}

/*
 * common-blocks 4.3: the long-run rate in bytes per clock is (token_size_2 +
 * token_size_1 / long_cycle_size) / (8 * clocks of a short cycle), within one
 * packet; for a queue and for the stream.
 */
static void test_limiter_long_run_rate(void **state)
{
    static const struct {
        uint32_t short_size, long_size, bits_1, bits_2, len;
    } rows[] = {
        { 0, 0, 0, 8, 64 },
        { 1, 0, 0, 0x10000, 65536 },
        { 250, 0, 0, 12345, 1000 },
        { 3, 7, 999, 0, 512 },
        { 9, 13, 5000, 77, 1500 },
        { 0, 1, 1, 1, 64 },
        { 99, 100, 0x7FFFF, 1, 4096 },
    };
    struct bench b;

    for (size_t i = 0; i < 2 * ARRAY_LEN(rows); i++) {
        unsigned k = (unsigned)(i / 2);
        bool stream = i % 2;
        double rate = rows[k].bits_2;
        uint64_t clocks = 0;

        rate +=
            rows[k].long_size ? (double)rows[k].bits_1 / rows[k].long_size : 0;
        rate /= 8.0 * (rows[k].short_size + 1);
        bench_open(&b, *state, 64);
        rig_write(b.rig, ENGINE, M2S_RATE_GEN, rows[k].short_size);
        set_limit(&b.rq, stream,
                  &(struct limit){ EN | MAX, rows[k].long_size, rows[k].bits_1,
                                   rows[k].bits_2 });
        post(&b, 40, rows[k].len);
        for (unsigned n = 0; n < 50; n++) {
            uint64_t step = (uint64_t)(rows[k].len / rate / 3) + 1;
            double want, got;

            pass(&b, step);
            clocks += step;
            want = rate * (double)clocks;
            got = (double)sent(&b.rq) * rows[k].len;
            /* A long cycle's tokens come at its end, all at once. */
            CHECK_EQ(got > want - rows[k].len - rows[k].bits_1 / 8.0 - 1 -
                                 rows[k].bits_2 / 8.0 &&
                         got < want + rows[k].len + 1,
                     true, "row %u stream %d after %llu: %f, want %f", k,
                     stream, ULL(clocks), got, want);
        }
    }
}

/* ---- strobes and switches ----------------------------------------------- */

static void test_limiter_strobes(void **state)
{
    struct bench b;

    open_limited(&b, state, 8);
    pass(&b, 50);
    rig_q_set(&b.rq, TX, TXQ_RATE_SW, 0);
    CHECK_EQ(tokens(&b.rq), 50, "rst_token_cnt 0");
    rig_q_set(&b.rq, TX, TXQ_RATE_SW, 1);
    CHECK_EQ(tokens(&b.rq), 0, "rst_token_cnt 1");
    CHECK_EQ(rig_q(&b.rq, TX, TXQ_RATE_SW), 0, "reads 0");
    post(&b, 2, 100);
    rig_write(b.rig, ENGINE, M2S_RATE_TOKENS, 1);
    CHECK_EQ(sent(&b.rq), 1, "ctrl_token wakes");
    CHECK_EQ(rig_read(b.rig, ENGINE, M2S_RATE_TOKENS), 1, "reads back");
    rig_q_set(&b.rq, TX, TXQ_RATE_SW, 1);
    pass(&b, 1);
    CHECK_EQ(sent(&b.rq), 2, "the debt is gone");
    rig_write(b.rig, ENGINE, M2S_RATE_TOKENS, 0xFF123456);
    for (unsigned q = 0; q < 16; q++) {
        rig_write(b.rig, ENGINE, M2S_INDIRECT, q);
        CHECK_EQ(rig_read(b.rig, ENGINE, M2S_SEL_RATE), 0x123456, "q%u", q);
    }
}

/* ctrl_cycle_cnt.rst starts short and long cycles; tokens stay. */
static void test_limiter_cycle_restart(void **state)
{
    struct bench b;

    open_limited(&b, state, 0);
    rig_write(b.rig, ENGINE, M2S_RATE_GEN, 9);
    set_limit(&b.rq, false, &(struct limit){ EN | MAX, 3, 80, 8 });
    pass(&b, 29);
    CHECK_EQ(tokens(&b.rq), 2, "29");
    rig_write(b.rig, ENGINE, M2S_RATE_CYCLES, 0);
    rig_write(b.rig, ENGINE, M2S_RATE_CYCLES, 1);
    pass(&b, 9);
    CHECK_EQ(tokens(&b.rq), 2, "9 after the restart");
    pass(&b, 1);
    CHECK_EQ(tokens(&b.rq), 3, "10 after the restart");
    pass(&b, 20);
    CHECK_EQ(tokens(&b.rq), 15, "a long cycle after the restart");
}

/* A cycle made shorter than its position ends with the next step. */
static void test_limiter_cycle_made_shorter(void **state)
{
    struct bench b;

    open_limited(&b, state, 8);
    rig_write(b.rig, ENGINE, M2S_RATE_GEN, 1000);
    pass(&b, 900);
    rig_write(b.rig, ENGINE, M2S_RATE_GEN, 9);
    pass(&b, 1);
    CHECK_EQ(tokens(&b.rq), 1, "ends");
    pass(&b, 9);
    CHECK_EQ(tokens(&b.rq), 1, "and the next is a whole one");
    pass(&b, 1);
    CHECK_EQ(tokens(&b.rq), 2, "and the next is a whole one");
}

/* pause stops the filling, not what is there. */
static void test_limiter_pause(void **state)
{
    struct bench b;

    open_limited(&b, state, 8);
    pass(&b, 1);
    rig_q_set(&b.rq, TX, TXQ_RATE_1, EN | PAUSE | MAX);
    post(&b, 2, 10);
    CHECK_EQ(sent(&b.rq), 1, "what is there is used");
    pass(&b, UINT64_MAX);
    CHECK_EQ(sent(&b.rq), 1, "paused");
    rig_q_set(&b.rq, TX, TXQ_RATE_1, EN | MAX);
    CHECK_EQ(sent(&b.rq), 1, "on again");
    pass(&b, 9);
    CHECK_EQ(sent(&b.rq), 1, "on again");
    rig_q_set(&b.rq, TX, TXQ_RATE_1, EN | PAUSE | MAX);
    pass(&b, 1000);
    rig_q_set(&b.rq, TX, TXQ_RATE_1, EN | MAX);
    pass(&b, 1);
    CHECK_EQ(sent(&b.rq), 2, "goes on where it was");
}

/* Switching the limiter off, or masking it, lets a sleeping queue go. */
static void test_limiter_off_wakes(void **state)
{
    struct bench b;

    open_limited(&b, state, 0);
    post(&b, 1, 10);
    rig_q_set(&b.rq, TX, TXQ_RATE_MASK, EXT | PAUSED);
    CHECK_EQ(sent(&b.rq), 0, "the external masks are none of it");
    rig_q_set(&b.rq, TX, TXQ_RATE_MASK, INT);
    CHECK_EQ(sent(&b.rq), 1, "masked");
    rig_q_set(&b.rq, TX, TXQ_RATE_MASK, 0);
    post(&b, 1, 10);
    CHECK_EQ(sent(&b.rq), 1, "not masked");
    rig_q_set(&b.rq, TX, TXQ_RATE_1, MAX);
    CHECK_EQ(sent(&b.rq), 2, "off");
    open_limited(&b, state, 0);
    set_limit(&b.rq, true, &(struct limit){ .cfg_1 = EN | MAX });
    post(&b, 1, 10);
    rig_q_set(&b.rq, TX, TXQ_RATE_1, 0);
    CHECK_EQ(sent(&b.rq), 0, "the stream's is left");
    rig_write(b.rig, ENGINE, M2S_STREAM_RATE_MASK, INT);
    CHECK_EQ(sent(&b.rq), 1, "and is masked");
}

/* gen_cfg.pkt_mode_en: a packet costs one. */
static void test_limiter_packet_mode(void **state)
{
    struct bench b;

    open_limited(&b, state, 8);
    rig_write(b.rig, ENGINE, M2S_RATE_GEN, BY_PKT | 9);
    post(&b, 5, 1000);
    for (unsigned n = 1; n <= 5; n++) {
        pass(&b, 9);
        CHECK_EQ(sent(&b.rq), n - 1, "packet %u", n);
        pass(&b, 1);
        CHECK_EQ(sent(&b.rq), n, "packet %u", n);
    }
}

/* cfg.pkt_len_offset: length bias seen by the limiter. */
static void test_limiter_length_offset(void **state)
{
    struct bench b;

    open_limited(&b, state, 8);
    rig_q_set(&b.rq, TX, Q_CFG, Q_CFG_ENABLED | 24);
    post(&b, 2, 100);
    pass(&b, 124);
    CHECK_EQ(sent(&b.rq), 1, "124");
    pass(&b, 1);
    CHECK_EQ(sent(&b.rq), 2, "125");
}

/* ---- several queues ----------------------------------------------------- */

/* The stream's bucket is shared: queues take turns. */
static void test_limiter_of_the_stream(void **state)
{
    struct rig_queue rq[3];
    struct bench b;

    bench_open(&b, *state, 64);
    rig_write(b.rig, ENGINE, M2S_RATE_GEN, 0);
    set_limit(&b.rq, true, &(struct limit){ EN | MAX, 0, 0, 8 });
    for (unsigned i = 0; i < 3; i++) {
        rig_queue_open(&rq[i], b.rig, ENGINE, 5 + i, 64);
        for (unsigned n = 0; n < 4; n++) {
            rig_copy(&rq[i], b.dst, b.src, 50);
        }
    }
    pass(&b, 1);
    for (unsigned n = 1; n < 12; n++) {
        uint32_t low = UINT32_MAX, high = 0, sum = 0;

        for (unsigned i = 0; i < 3; i++) {
            uint32_t now = sent(&rq[i]);

            low = now < low ? now : low;
            high = now > high ? now : high;
            sum += now;
        }
        CHECK_EQ(sum, n, "packets");
        CHECK_EQ(high - low <= 1, true, "after %u: %u to %u", n, low, high);
        pass(&b, 50);
    }
    rig_write(b.rig, ENGINE, M2S_STREAM_RATE + 0x10, 1);
    CHECK_EQ(rig_read(b.rig, ENGINE, M2S_STREAM_RATE + 0x10), 0, "sw_ctrl");
}

/* A packet needs both buckets and pays both. */
static void test_limiter_both(void **state)
{
    struct bench b;

    open_limited(&b, state, 8);
    set_limit(&b.rq, true, &(struct limit){ EN | MAX, 0, 0, 4 });
    post(&b, 2, 100);
    pass(&b, 1);
    CHECK_EQ(sent(&b.rq), 0, "the stream has half a byte");
    pass(&b, 1);
    CHECK_EQ(sent(&b.rq), 1, "both");
    pass(&b, 199);
    CHECK_EQ(tokens(&b.rq), 101, "the queue's is full again");
    CHECK_EQ(sent(&b.rq), 1, "the stream's is not");
    pass(&b, 1);
    CHECK_EQ(sent(&b.rq), 2, "now");
}

/* A limited queue does not hold another, and weights share what is left. */
static void test_limiter_and_weights(void **state)
{
    struct rig_queue rq[2];
    struct bench b;

    for (uint32_t zero = 0; zero < 2; zero++) {
        bench_open(&b, *state, 64);
        rig_write(b.rig, ENGINE, M2S_PREF_CFG_2, 0x40);
        rig_write(b.rig, ENGINE, M2S_CFG_SCHED, 0x00000001);
        rig_write(b.rig, ENGINE, M2S_RATE_GEN, 0);
        set_limit(&b.rq, true, &(struct limit){ EN | MAX, 0, 0, 8 });
        for (unsigned i = 0; i < 2; i++) {
            rig_queue_open(&rq[i], b.rig, ENGINE, 8 + i, 64);
            rig_q_set(&rq[i], TX, TXQ_DWRR_1, 0xFFFFFF);
            rig_q_set(&rq[i], TX, TXQ_DWRR_3, zero ? 0 : 50 + 100 * i);
            for (unsigned n = 0; n < 40; n++) {
                rig_copy(&rq[i], b.dst, b.src, 50);
            }
        }
        pass(&b, 50 * 39 + 1);
        CHECK_EQ(sent(&rq[0]) + sent(&rq[1]), 40, "zero %u", zero);
        if (zero) {
            CHECK_EQ(sent(&rq[0]), 20, "weights of 0: round robin");
        } else {
            CHECK_EQ(sent(&rq[0]) >= 9 && sent(&rq[0]) <= 11, true,
                     "1 to 3, got %u", sent(&rq[0]));
        }
    }
}

/* H109: what never reaches the stream waits for its turn, and is free. */
static void test_limiter_and_malformed_packets(void **state)
{
    struct bench b;

    open_limited(&b, state, 0);
    rig_tx(&b.rq, D_LAST, b.src, 64);
    rig_bell(&b.rq, TX, 1);
    rig_desc(&b.rq, TX, (uint32_t[]){ D_ONE | 64, 0x01980003 }, b.src);
    rig_bell(&b.rq, TX, 1);
    CHECK_PTR(&b.rq, TX, Q_COMP_HEAD, 0, 1, "no token");
    rig_write(b.rig, ENGINE, M2S_RATE_TOKENS, 1);
    CHECK_PTR(&b.rq, TX, Q_COMP_HEAD, 2, 1, "both");
    CHECK_EQ(tokens(&b.rq), 1, "free");
}

/* H108: a packet that was let through waits for its buffer, not for tokens. */
static void test_limiter_pays_once(void **state)
{
    struct bench b;

    open_limited(&b, state, 8);
    rig_tx(&b.rq, D_ONE, b.src, 100);
    rig_bell(&b.rq, TX, 1);
    pass(&b, 1);
    CHECK_EQ(sent(&b.rq), 0, "no buffer");
    rig_q_set(&b.rq, TX, TXQ_RATE_SW, 1);
    rig_rx(&b.rq, b.dst, 50);
    rig_bell(&b.rq, RX, 1);
    CHECK_COPY(b.rig, b.dst, b.src, 50, "half");
    rig_rx(&b.rq, b.dst + 50, 50);
    rig_bell(&b.rq, RX, 1);
    CHECK_EQ(sent(&b.rq), 1, "all");
    pass(&b, 5);
    CHECK_EQ(tokens(&b.rq), 5, "not paid again");
}

/* ---- hostile ------------------------------------------------------------ */

/* Nothing will ever come: all of time passes at once, and the queue waits. */
static void test_limiter_never(void **state)
{
    static const struct limit rows[] = {
        { EN, 0, 0, 0x7FFFF },         /* no ceiling */
        { EN | MAX, 0, 0, 0 },         /* no tokens */
        { EN | MAX, 0, 0x7FFFF, 0 },   /* a long cycle without end */
        { EN | MAX, 0xFFFF, 0, 0 },    /* no tokens at its end */
        { EN | PAUSE | MAX, 1, 8, 8 }, /* paused */
    };
    struct bench b;

    for (size_t i = 0; i < 2 * ARRAY_LEN(rows); i++) {
        bench_open(&b, *state, 8);
        set_limit(&b.rq, i % 2, &rows[i / 2]);
        post(&b, 1, 64);
        for (unsigned n = 0; n < 3; n++) {
            pass(&b, UINT64_MAX);
        }
        CHECK_EQ(sent(&b.rq), 0, "row %zu", i);
        CHECK_EQ(rig_q(&b.rq, TX, Q_STATUS), 0x30000001, "row %zu", i);
        rig_q_set(&b.rq, TX, TXQ_RATE_MASK, 7);
        rig_write(b.rig, ENGINE, M2S_STREAM_RATE_MASK, 3);
        CHECK_EQ(sent(&b.rq), 1, "row %zu", i);
    }
}

/* The slowest there is: a bit every 2^32 clocks. */
static void test_limiter_slowest(void **state)
{
    const uint64_t cycle = UINT64_C(0xFFFF) * 0x10000;
    struct bench b;

    bench_open(&b, *state, 8);
    rig_write(b.rig, ENGINE, M2S_RATE_GEN, 0xFFFF);
    set_limit(&b.rq, false, &(struct limit){ EN | MAX, 0xFFFF, 1, 0 });
    post(&b, 2, 65536);
    pass(&b, 8 * cycle - 1);
    CHECK_EQ(sent(&b.rq), 0, "8 bits less a clock");
    pass(&b, 1);
    CHECK_EQ(sent(&b.rq), 1, "8 bits");
    pass(&b, 65536 * 8 * cycle - 1);
    CHECK_EQ(sent(&b.rq), 1, "the debt less a clock");
    pass(&b, 1);
    CHECK_EQ(sent(&b.rq), 2, "the debt");
}

/* A queue that sleeps is reset: the packet is gone, the debt is not. */
static void test_limiter_reset_of_a_sleeping_queue(void **state)
{
    struct bench b;

    open_limited(&b, state, 8);
    post(&b, 2, 100);
    pass(&b, 1);
    CHECK_EQ(sent(&b.rq), 1, "one is out");
    for (enum side side = TX; side <= RX; side++) {
        rig_q_set(&b.rq, side, sw_ctrl(side), RST_Q);
        b.rq.ring[side].idx = 0;
    }
    pass(&b, 50);
    CHECK_EQ(sent(&b.rq), 1, "the other is gone");
    post(&b, 1, 100);
    pass(&b, 49);
    CHECK_EQ(sent(&b.rq), 1, "in debt");
    pass(&b, 1);
    CHECK_EQ(sent(&b.rq), 2, "out of debt");
}

/* A stopped engine's buckets fill; its queues stay. */
static void test_limiter_of_a_stopped_engine(void **state)
{
    static const uint32_t cmds[] = { CMD_DISABLE, CMD_ABORT };
    struct bench b;

    for (size_t i = 0; i < ARRAY_LEN(cmds); i++) {
        open_limited(&b, state, 8);
        post(&b, 1, 100);
        rig_write(b.rig, ENGINE, CHANGE_STATE, cmds[i]);
        pass(&b, 500);
        CHECK_EQ(sent(&b.rq), 0, "command %u", cmds[i]);
        CHECK_EQ(tokens(&b.rq), 500, "command %u", cmds[i]);
        rig_write(b.rig, ENGINE, CHANGE_STATE, CMD_NORMAL);
        CHECK_EQ(sent(&b.rq), 1, "command %u", cmds[i]);
        CHECK_EQ(tokens(&b.rq), 400, "command %u", cmds[i]);
    }
}

int main(void)
{
#define TEST(fn) cmocka_unit_test(fn)
    static const struct CMUnitTest tests[] = {
        TEST(test_limiter_reset_values),
        TEST(test_limiter_holds_until_there_is_a_token),
        TEST(test_limiter_debt),
        TEST(test_limiter_ceiling),
        TEST(test_limiter_short_cycle),
        TEST(test_limiter_long_cycle),
        TEST(test_limiter_wakes_at_the_clock),
        TEST(test_limiter_wakes_in_one_span),
        TEST(test_limiter_long_run_rate),
        TEST(test_limiter_strobes),
        TEST(test_limiter_cycle_restart),
        TEST(test_limiter_cycle_made_shorter),
        TEST(test_limiter_pause),
        TEST(test_limiter_off_wakes),
        TEST(test_limiter_packet_mode),
        TEST(test_limiter_length_offset),
        TEST(test_limiter_of_the_stream),
        TEST(test_limiter_both),
        TEST(test_limiter_and_weights),
        TEST(test_limiter_and_malformed_packets),
        TEST(test_limiter_pays_once),
        TEST(test_limiter_never),
        TEST(test_limiter_slowest),
        TEST(test_limiter_reset_of_a_sleeping_queue),
        TEST(test_limiter_of_a_stopped_engine),
    };

    return cmocka_run_group_tests_name("limiter", tests, rig_setup,
                                       rig_teardown);
}
