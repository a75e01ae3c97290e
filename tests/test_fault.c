/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Injected faults: every master with every answer, every cause of the error
 * log masks, and a fault at every position of a burst (common-blocks 1.1.5;
 * udma-engine 3.2 to 3.4, B7, B8, B26, B40, B41).
 */
#include "rig.h"

#define BYTES 64u

/* What the documents say of a master. */
static const struct master {
    const char *name;
    enum side side; /* whose causes and log */
    unsigned parity, response, timeout;
} masters[] = {
    { "M2S descriptor read", TX, 10, 11, 12 },
    { "M2S data read", TX, 7, 8, 9 },
    { "M2S completion write", TX, 4, 5, 6 },
    { "S2M descriptor read", RX, 8, 9, 10 },
    { "S2M data write", RX, 0, 1, 2 },
    { "S2M completion write", RX, 13, 14, 15 },
};

static bool is_data(unsigned m)
{
    return m == TRENCH_AXI_M2S_DATA_READ || m == TRENCH_AXI_S2M_DATA_WRITE;
}

static bool is_comp(unsigned m)
{
    return m == TRENCH_AXI_M2S_CMPL_WRITE || m == TRENCH_AXI_S2M_CMPL_WRITE;
}

/* A bench with completions of both sides. */
struct fault_bench {
    struct bench b;
    uint64_t comp[2];
};

static void open_fault(struct fault_bench *f, struct rig *r, uint32_t len)
{
    trench_soc_clear_faults(r->soc);
    bench_open(&f->b, r, len);
    f->comp[TX] = bench_completions(&f->b, TX);
    f->comp[RX] = bench_completions(&f->b, RX);
}

/* One strike for the bench's queue. */
static int inject(struct rig *r, unsigned at, unsigned code, uint64_t after)
{
    const struct trench_fault fault = { .engine = ENGINE,
                                        .queue = QUEUE,
                                        .at = at,
                                        .code = code,
                                        .after = after,
                                        .times = 1 };
    int number = trench_soc_inject(r->soc, &fault);

    CHECK_EQ(number >= 0, true, "at=%u code=%u", at, code);
    return number;
}

static void check_struck(struct rig *r, int number, uint64_t struck)
{
    struct trench_fault_stats stats = { 0 };

    CHECK_EQ(trench_soc_fault_stats(r->soc, number, &stats), 0, "number %d",
             number);
    CHECK_EQ(stats.struck, struck, "number %d", number);
}

static uint32_t base_of(enum side side)
{
    return side == RX ? S2M : 0;
}

static uint32_t causes(struct rig *r, enum side side)
{
    return rig_read(r, ENGINE,
                    SECONDARY(side == TX ? GROUP_A : GROUP_B) + INT_CAUSE);
}

static bool aborted(struct rig *r)
{
    return rig_read(r, ENGINE, STATE) == 0x2222 &&
           rig_read(r, ENGINE, S2M + STATE) == 0x22222;
}

/* B8 and 3.1: RST_Q, causes cleared, NORMAL, log re-armed; a copy is good. */
static void check_recovery(struct fault_bench *f, const char *what)
{
    struct rig *r = f->b.rig;

    rig_queue_program(&f->b.rq);
    for (unsigned g = GROUP_A; g <= GROUP_C; g++) {
        rig_write(r, ENGINE, SECONDARY(g) + INT_CAUSE, 0);
    }
    for (enum side side = TX; side <= RX; side++) {
        rig_write(r, ENGINE, base_of(side) + CHANGE_STATE, CMD_NORMAL);
        rig_write(r, ENGINE, base_of(side) + CLEAR_ERR_LOG, 1);
        CHECK_EQ(rig_read(r, ENGINE, base_of(side) + STATE), 0, "%s", what);
    }
    rig_copy(&f->b.rq, f->b.dst + 0x1000, f->b.src + 0x800, BYTES);
    CHECK_COPY(r, f->b.dst + 0x1000, f->b.src + 0x800, BYTES, "%s", what);
    memset(rig_mem(r, f->b.dst + 0x1000, BYTES), 0, BYTES);
    CHECK_EQ(causes(r, TX) | causes(r, RX), 0, "%s", what);
}

/* ---- every master, every answer ------------------------------------------ */

static uint32_t want_causes(const struct master *m, unsigned code)
{
    return (code & 8 ? 1u << m->parity : 0) |
           (code & 3 ? 1u << m->response : 0) |
           (code & 4 ? 1u << m->timeout : 0);
}

/* Words of the descriptor or completion at fault; a ring read has none. */
static void check_log(struct fault_bench *f, unsigned m, const char *what)
{
    struct rig *r = f->b.rig;
    uint32_t want[4] = { 0 };
    uint32_t flags = D_ONE | D_LAP(1);

    if (m == TRENCH_AXI_M2S_DATA_READ) {
        memcpy(want, rig_mem(r, f->b.rq.ring[TX].base, 16), 16);
    } else if (m == TRENCH_AXI_S2M_DATA_WRITE) {
        memcpy(want, rig_mem(r, f->b.rq.ring[RX].base, 16), 16);
    } else if (m == TRENCH_AXI_M2S_CMPL_WRITE) {
        want[0] = flags;
    } else if (m == TRENCH_AXI_S2M_CMPL_WRITE) {
        want[0] = flags | C_BUF1;
        want[1] = BYTES;
    }
    for (unsigned i = 0; i < 4; i++) {
        CHECK_EQ(rig_read(r, ENGINE, base_of(masters[m].side) + LOG_0 + 4 * i),
                 want[i], "%s word %u", what, i);
        CHECK_EQ(rig_read(r, ENGINE, base_of(!masters[m].side) + LOG_0 + 4 * i),
                 0, "%s word %u, other side", what, i);
    }
}

static void check_effect(struct fault_bench *f, unsigned m, const char *what)
{
    uint32_t error = is_data(m) ? C_ERROR : 0;
    struct rig *r = f->b.rig;
    bool ring = !is_data(m) && !is_comp(m);

    if (is_comp(m)) {
        CHECK_COPY(r, f->b.dst, f->b.src, BYTES, "%s", what);
    } else {
        CHECK_UNTOUCHED(r, f->b.dst, BYTES, "%s", what);
    }
    CHECK_EQ(rig_word(r, f->comp[TX]),
             ring || m == TRENCH_AXI_M2S_CMPL_WRITE ? 0
                                                    : D_ONE | D_LAP(1) | error,
             "%s", what);
    CHECK_EQ(rig_word(r, f->comp[RX]),
             ring || m == TRENCH_AXI_S2M_CMPL_WRITE
                 ? 0
                 : D_ONE | D_LAP(1) | error | C_BUF1,
             "%s", what);
    CHECK_EQ(rig_stats(r, ENGINE).packets, !ring, "%s", what);
    CHECK_EQ(rig_stats(r, ENGINE).bytes, is_comp(m) ? BYTES : 0, "%s", what);
}

static void check_answer(struct rig *r, unsigned m, unsigned code)
{
    const struct master *master = &masters[m];
    struct fault_bench f;
    char what[64];
    int number;

    snprintf(what, sizeof(what), "%s answer %u", master->name, code);
    open_fault(&f, r, 32);
    number = inject(r, m, code, 0);
    rig_copy(&f.b.rq, f.b.dst, f.b.src, BYTES);
    check_struck(r, number, 1);
    /* A hint that no buffer came is no error. */
    CHECK_EQ(causes(r, master->side) & ~(1u << 7 & -(uint32_t)master->side),
             want_causes(master, code), "%s", what);
    CHECK_EQ(causes(r, !master->side) & ~(1u << 7 & -(uint32_t)!master->side),
             0, "%s", what);
    CHECK_EQ(aborted(r), false, "%s", what);
    check_log(&f, m, what);
    check_effect(&f, m, what);
    for (unsigned n = 0; n < 6; n++) {
        CHECK_EQ(rig_read(r, ENGINE, OUTSTANDING(QUEUE, n)),
                 n == m && code & 4 ? 1u << 24 : 0, "%s counter %u", what, n);
    }
    check_recovery(&f, what);
}

static void test_fault_every_master_and_answer(void **state)
{
    for (unsigned m = 0; m < ARRAY_LEN(masters); m++) {
        for (unsigned code = 1; code < 16; code++) {
            check_answer(*state, m, code);
        }
    }
}

/* B7: abort = OR(cause AND NOT abort mask), whatever the interrupt mask. */
static void check_abort(struct rig *r, unsigned m, unsigned code, uint32_t mask)
{
    unsigned group = masters[m].side == TX ? GROUP_A : GROUP_B;
    uint32_t want = want_causes(&masters[m], code);
    struct fault_bench f;
    char what[80];

    snprintf(what, sizeof(what), "%s answer %u abort mask 0x%x",
             masters[m].name, code, mask);
    open_fault(&f, r, 32);
    rig_write(r, ENGINE, SECONDARY(group) + INT_ABORT_MASK, mask);
    rig_write(r, ENGINE, SECONDARY(group) + INT_MASK, code & 1 ? 0 : ~0u);
    inject(r, m, code, 0);
    rig_copy(&f.b.rq, f.b.dst, f.b.src, BYTES);
    CHECK_EQ(causes(r, masters[m].side) & want, want, "%s", what);
    CHECK_EQ(aborted(r), (want & ~mask) != 0, "%s", what);
    if (want & ~mask && is_data(m)) {
        CHECK_UNTOUCHED(r, f.b.dst, BYTES, "%s", what);
        CHECK_EQ(rig_word(r, f.comp[TX]), 0, "%s", what);
        CHECK_EQ(rig_word(r, f.comp[RX]), 0, "%s", what);
    }
    check_recovery(&f, what);
}

static void test_fault_abort_mask(void **state)
{
    for (unsigned m = 0; m < ARRAY_LEN(masters); m++) {
        for (unsigned code = 1; code < 16; code++) {
            check_abort(*state, m, code, ~(1u << masters[m].parity));
            check_abort(*state, m, code, ~(1u << masters[m].response));
            check_abort(*state, m, code, ~(1u << masters[m].timeout));
        }
    }
}

/* ---- every cause --------------------------------------------------------- */

/* at is TRENCH_FAULT_M2S or TRENCH_FAULT_S2M. */
static void check_logged(struct rig *r, unsigned at, unsigned bit, bool masked)
{
    enum side side = at == TRENCH_FAULT_M2S ? TX : RX;
    uint32_t log = base_of(side) + LOG_0;
    struct fault_bench f;
    uint32_t first[4];

    open_fault(&f, r, 32);
    rig_write(r, ENGINE, base_of(side) + ERR_LOG_MASK,
              masked ? 1u << bit : ~(1u << bit));
    inject(r, at, bit, 0);
    inject(r, at, bit, 1);
    rig_copy(&f.b.rq, f.b.dst, f.b.src, BYTES);
    memcpy(first, rig_mem(r, f.b.rq.ring[side].base, 16), 16);
    CHECK_EQ(causes(r, side), 1u << bit, "at=%u bit=%u", at, bit);
    CHECK_EQ(causes(r, !side), 0, "at=%u bit=%u", at, bit);
    CHECK_EQ(aborted(r), false, "at=%u bit=%u", at, bit);
    /* The packet arrives, and its completions say that it is bad (B41). */
    CHECK_COPY(r, f.b.dst, f.b.src, BYTES, "at=%u bit=%u", at, bit);
    CHECK_EQ(rig_word(r, f.comp[RX]) & C_ERROR, C_ERROR, "at=%u bit=%u", at,
             bit);
    CHECK_EQ(rig_word(r, f.comp[TX]) & C_ERROR, C_ERROR, "at=%u bit=%u", at,
             bit);
    rig_copy(&f.b.rq, f.b.dst + 0x100, f.b.src, BYTES);
    for (unsigned i = 0; i < 4; i++) {
        CHECK_EQ(rig_read(r, ENGINE, log + 4 * i), masked ? 0 : first[i],
                 "at=%u bit=%u word %u", at, bit, i);
    }
    /* Re-armed, it takes the next. */
    rig_write(r, ENGINE, base_of(side) + CLEAR_ERR_LOG, 1);
    inject(r, at, bit, 0);
    rig_copy(&f.b.rq, f.b.dst + 0x200, f.b.src, BYTES);
    CHECK_EQ(rig_read(r, ENGINE, log + 8),
             masked       ? 0
             : side == TX ? (uint32_t)f.b.src
                          : (uint32_t)f.b.dst + 0x200,
             "at=%u bit=%u", at, bit);
}

static void test_fault_err_log_mask(void **state)
{
    for (unsigned at = TRENCH_FAULT_M2S; at <= TRENCH_FAULT_S2M; at++) {
        for (unsigned bit = 0; bit < 32; bit++) {
            check_logged(*state, at, bit, false);
            check_logged(*state, at, bit, true);
        }
    }
}

static void test_fault_every_cause_aborts(void **state)
{
    struct rig *r = *state;

    for (unsigned at = TRENCH_FAULT_M2S; at < TRENCH_NR_FAULT_PLACES; at++) {
        unsigned group = at - TRENCH_FAULT_M2S;

        for (unsigned bit = 0; bit < 32; bit++) {
            struct fault_bench f;

            open_fault(&f, r, 32);
            rig_write(r, ENGINE, SECONDARY(group) + INT_ABORT_MASK,
                      ~(1u << bit));
            inject(r, at, bit, 0);
            rig_copy(&f.b.rq, f.b.dst, f.b.src, BYTES);
            CHECK_EQ(rig_read(r, ENGINE, SECONDARY(group) + INT_CAUSE),
                     1u << bit, "at=%u bit=%u", at, bit);
            CHECK_EQ(aborted(r), true, "at=%u bit=%u", at, bit);
            check_recovery(&f, "cause");
            /* With the mask set it is only seen. */
            rig_write(r, ENGINE, SECONDARY(group) + INT_ABORT_MASK, ~0u);
            inject(r, at, bit, 0);
            rig_copy(&f.b.rq, f.b.dst, f.b.src, BYTES);
            CHECK_EQ(aborted(r), false, "at=%u bit=%u", at, bit);
            CHECK_COPY(r, f.b.dst, f.b.src, BYTES, "at=%u bit=%u", at, bit);
        }
    }
}

/* ---- a fault at every position of a burst -------------------------------- */

/*
 * Packets of 3 descriptors of 20 bytes into 2 buffers of 30: accesses of 20,
 * 10, 10 and 20 bytes.
 */
#define BURST 64u
static const uint32_t run_at[] = { 0, 20, 30, 40, 60 };

static uint64_t per_packet(unsigned m)
{
    static const uint64_t accesses[] = { 3, 4, 3, 2, 4, 2 };

    return accesses[m];
}

/* What becomes of packet i when access k of master m is refused. */
struct fate {
    uint32_t bytes;   /* that arrive, but for the lost ones */
    uint32_t lost_at; /* these do not */
    uint32_t lost_bytes;
    bool error; /* TX completions */
    bool rx_error[2];
    bool tx_done, rx_done[2];
};

static struct fate foretell(unsigned m, unsigned i, uint64_t k)
{
    uint64_t hit = k / per_packet(m);
    unsigned sub = (unsigned)(k % per_packet(m));
    struct fate fate = { .bytes = 60, .tx_done = true, .rx_done = { 1, 1 } };

    if (is_data(m) && i == hit) {
        fate.lost_at = run_at[sub];
        fate.lost_bytes = run_at[sub + 1] - run_at[sub];
        fate.error = true;
        fate.rx_error[0] = sub < 2; /* closed before it is known, or not */
        fate.rx_error[1] = true;
    } else if (m == TRENCH_AXI_M2S_DESC_READ && i >= hit) {
        fate = (struct fate){ 0 };
    } else if (m == TRENCH_AXI_S2M_DESC_READ && i >= hit) {
        bool half = i == hit && sub == 1;

        fate = (struct fate){ .bytes = half ? 30 : 0, .rx_done = { half } };
    }
    return fate;
}

static void check_packet(struct fault_bench *f, unsigned m, unsigned i,
                         uint64_t k)
{
    struct fate fate = foretell(m, i, k);
    struct rig *r = f->b.rig;
    uint8_t want[60] = { 0 };

    memcpy(want, rig_mem(r, f->b.src + 60 * i, 60), fate.bytes);
    memset(want + fate.lost_at, 0, fate.lost_bytes);
    CHECK_MEM(rig_mem(r, f->b.dst + 60 * i, 60), want, 60,
              "%s after=%llu packet %u", masters[m].name, ULL(k), i);
    for (unsigned d = 0; d < 3; d++) {
        bool lost = m == TRENCH_AXI_M2S_CMPL_WRITE && k == 3 * i + d;
        uint32_t comp = d_marks(d, 3) | D_LAP(1) | (fate.error ? C_ERROR : 0);

        CHECK_EQ(rig_word(r, f->comp[TX] + 4 * (3 * i + d)),
                 fate.tx_done && !lost ? comp : 0,
                 "%s after=%llu packet %u TX %u", masters[m].name, ULL(k), i,
                 d);
    }
    for (unsigned d = 0; d < 2; d++) {
        bool lost = m == TRENCH_AXI_S2M_CMPL_WRITE && k == 2 * i + d;
        uint32_t comp = d_marks(d, 2) | D_LAP(1) | C_BUF1 |
                        (fate.rx_error[d] ? C_ERROR : 0);

        CHECK_EQ(rig_word(r, f->comp[RX] + 16 * (2 * i + d)),
                 fate.rx_done[d] && !lost ? comp : 0,
                 "%s after=%llu packet %u RX %u", masters[m].name, ULL(k), i,
                 d);
    }
}

static void check_burst(struct rig *r, unsigned m, uint64_t k)
{
    struct fault_bench f;
    int number;

    open_fault(&f, r, 256);
    number = inject(r, m, TRENCH_AXI_SLVERR, k);
    for (unsigned i = 0; i < BURST; i++) {
        for (unsigned d = 0; d < 2; d++) {
            rig_rx(&f.b.rq, f.b.dst + 60 * i + 30 * d, 30);
        }
        for (unsigned d = 0; d < 3; d++) {
            rig_tx(&f.b.rq, d_marks(d, 3), f.b.src + 60 * i + 20 * d, 20);
        }
    }
    rig_bell(&f.b.rq, RX, 2 * BURST);
    rig_bell(&f.b.rq, TX, 3 * BURST);
    check_struck(r, number, k < per_packet(m) * BURST);
    for (unsigned i = 0; i < BURST; i++) {
        check_packet(&f, m, i, k);
    }
    trench_soc_clear_faults(r->soc); /* one past the end would strike now */
    check_recovery(&f, masters[m].name);
}

static void test_fault_at_every_position(void **state)
{
    for (unsigned m = 0; m < ARRAY_LEN(masters); m++) {
        /* And one past the end, which strikes nothing. */
        for (uint64_t k = 0; k <= per_packet(m) * BURST; k++) {
            check_burst(*state, m, k);
        }
    }
}

/* ---- the interface ------------------------------------------------------- */

static void test_fault_inject_validates(void **state)
{
    static const struct trench_fault bad[] = {
        { -2, 0, 0, 1, 0, 0 }, { 256, 0, 0, 1, 0, 0 }, { 0, 16, 0, 1, 0, 0 },
        { 0, -2, 0, 1, 0, 0 }, { 0, 0, 10, 1, 0, 0 },  { 0, 0, 0, 0, 0, 0 },
        { 0, 0, 0, 16, 0, 0 }, { 0, 0, 7, 32, 0, 0 },
    };
    struct trench_fault_stats stats;
    struct rig *r = *state;

    for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
        CHECK_EQ(trench_soc_inject(r->soc, &bad[i]), TRENCH_ERR_INVAL,
                 "case=%zu", i);
    }
    CHECK_EQ(trench_soc_fault_stats(r->soc, 0, &stats), TRENCH_ERR_NOENT,
             "none");
    for (int i = 0; i < TRENCH_MAX_FAULTS; i++) {
        CHECK_EQ(inject(r, TRENCH_FAULT_M2S, 0, 0), i, "number");
    }
    CHECK_EQ(trench_soc_inject(r->soc, &(struct trench_fault){ .code = 1 }),
             TRENCH_ERR_NOSPC, "full");
    trench_soc_clear_faults(r->soc);
    CHECK_EQ(trench_soc_fault_stats(r->soc, 0, &stats), TRENCH_ERR_NOENT,
             "cleared");
    CHECK_EQ(trench_soc_fault_stats(r->soc, -1, &stats), TRENCH_ERR_NOENT,
             "negative");
}

/* access.h: each that matches counts; the first that strikes decides. */
static void test_fault_several_match(void **state)
{
    struct trench_fault_stats stats;
    struct rig *r = *state;
    struct fault_bench f;

    open_fault(&f, r, 32);
    inject(r, TRENCH_AXI_M2S_DATA_READ, TRENCH_AXI_PARITY, 1);
    inject(r, TRENCH_AXI_M2S_DATA_READ, TRENCH_AXI_TIMEOUT, 1);
    CHECK_EQ(trench_soc_inject(
                 r->soc, &(struct trench_fault){ .engine = TRENCH_FAULT_ANY,
                                                 .queue = QUEUE + 1,
                                                 .at = TRENCH_AXI_M2S_DATA_READ,
                                                 .code = 2 }),
             2, "another queue");
    for (unsigned i = 0; i < 3; i++) {
        rig_copy(&f.b.rq, f.b.dst + 0x100 * i, f.b.src, BYTES);
    }
    CHECK_COPY(r, f.b.dst, f.b.src, BYTES, "before");
    /* The second access meets the first fault, the third the second. */
    CHECK_UNTOUCHED(r, f.b.dst + 0x100, 2 * 0x100, "struck");
    CHECK_EQ(causes(r, TX), 1u << 7 | 1u << 9, "parity, time-out");
    trench_soc_fault_stats(r->soc, 0, &stats);
    CHECK_EQ(stats.seen, 3, "first");
    CHECK_EQ(stats.struck, 1, "first");
    trench_soc_fault_stats(r->soc, 1, &stats);
    CHECK_EQ(stats.seen, 3, "second");
    CHECK_EQ(stats.struck, 1, "second");
    trench_soc_fault_stats(r->soc, 2, &stats);
    CHECK_EQ(stats.seen, 0, "another queue");
}

/* Faults stay over a reset of the chip; 0 times is for ever. */
static void test_fault_stays(void **state)
{
    struct rig *r = *state;
    struct fault_bench f;

    open_fault(&f, r, 32);
    trench_soc_inject(r->soc,
                      &(struct trench_fault){ .engine = TRENCH_FAULT_ANY,
                                              .queue = TRENCH_FAULT_ANY,
                                              .at = TRENCH_AXI_S2M_DATA_WRITE,
                                              .code = TRENCH_AXI_DECERR });
    trench_soc_reset(r->soc);
    rig_queue_program(&f.b.rq);
    for (unsigned i = 0; i < 5; i++) {
        rig_copy(&f.b.rq, f.b.dst, f.b.src, BYTES);
    }
    CHECK_UNTOUCHED(r, f.b.dst, BYTES, "for ever");
    check_struck(r, 0, 5);
    trench_soc_clear_faults(r->soc);
    rig_copy(&f.b.rq, f.b.dst, f.b.src, BYTES);
    CHECK_COPY(r, f.b.dst, f.b.src, BYTES, "cleared");
}

#define TEST(name)                                                             \
    cmocka_unit_test_setup_teardown(name, rig_setup, rig_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_fault_every_master_and_answer),
        TEST(test_fault_abort_mask),
        TEST(test_fault_err_log_mask),
        TEST(test_fault_every_cause_aborts),
        TEST(test_fault_at_every_position),
        TEST(test_fault_inject_validates),
        TEST(test_fault_several_match),
        TEST(test_fault_stays),
    };

    return cmocka_run_group_tests_name("fault", tests, NULL, NULL);
}
