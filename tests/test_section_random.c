/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Random transaction tables and random packets against a model that places
 * one byte at a time (seed 002 4.2; common-blocks 1.2.3; udma-engine 4.3).
 */
#include "rig.h"

#define SLOTS  6u
#define STRIDE 0x2000u
#define REGION (SLOTS * STRIDE)
#define HBM_1  UINT64_C(0x4000000000)
#define MARGIN 0x800u /* before a slot: nothing may be written there */

enum {
    BUFF1,
    BUFF2,
    DDP,
    DROP,
};

/* What a program is made of. */
struct program {
    uint32_t en;            /* cfg_v4_section_en */
    uint32_t pkt_cfg;       /* 0 = no split */
    struct rig_row rows[2]; /* data, header */
    unsigned nr_rx;
    uint32_t len1[SLOTS];
    uint32_t units2[SLOTS]; /* of 64 bytes; 0 = no buffer 2 */
    unsigned nr_tx;
    uint32_t tx_len[4];
};

/* Where bytes should be: places by write_cmd. */
struct oracle {
    uint8_t image[3][REGION];
    uint32_t comp[SLOTS][2]; /* words 0 and 1 of completions */
    unsigned closed;
    bool delivered;
};

/* The descriptor that is being filled. */
struct filling {
    uint32_t fill[3];
    uint32_t count[2];
};

static unsigned command(const struct program *p, bool header)
{
    if (!(p->en & 1)) {
        return header ? BUFF2 : BUFF1;
    }
    return p->rows[header].write_cmd;
}

static uint32_t room(const struct program *p, unsigned i, unsigned cmd)
{
    const uint32_t rooms[] = { p->len1[i], 64 * p->units2[i], STRIDE,
                               UINT32_MAX };

    return rooms[cmd];
}

static void close_one(const struct program *p, struct oracle *o,
                      struct filling *f, bool last)
{
    bool counted = p->en & 1;
    uint32_t len1 = counted ? f->count[0] : f->fill[BUFF1];
    uint32_t len2 = counted ? f->count[1] : f->fill[BUFF2];

    o->comp[o->closed][0] =
        (o->closed == 0 ? D_FIRST : 0) | (last ? D_LAST : 0) |
        (f->fill[BUFF1] ? C_BUF1 : 0) | (f->fill[DDP] ? C_DDP : 0);
    o->comp[o->closed][1] =
        len1 | len2 << 16 | (f->fill[BUFF2] ? 0x80000000u : 0);
    o->closed++;
    memset(f, 0, sizeof(*f));
}

static void count(const struct program *p, struct filling *f, bool header,
                  bool begins)
{
    uint32_t cmd = p->rows[header].count_cmd;
    uint32_t field = cmd >> 1;

    if (!(p->en & 1) || field == 0 || field == 3 ||
        p->rows[header].write_cmd == DROP) {
        return;
    }
    if (begins && !(cmd & 1)) {
        f->count[field - 1] = 0;
    }
    f->count[field - 1]++;
}

static void predict(const struct program *p, const uint8_t *bytes,
                    struct oracle *o)
{
    struct filling f = { { 0 }, { 0 } };
    uint32_t total = 0;
    uint32_t header = 0;

    memset(o, 0, sizeof(*o));
    for (unsigned i = 0; i < p->nr_tx; i++) {
        total += p->tx_len[i];
    }
    if (p->pkt_cfg) {
        header = p->pkt_cfg & 0xFFFF;
        header = header < total ? header : total;
        if (command(p, true) == BUFF2 && header > 64 * p->units2[0]) {
            header = 64 * p->units2[0]; /* the rest counts as data */
        }
    }
    for (uint32_t at = 0; at < total; at++) {
        bool head = at < header;
        unsigned cmd = command(p, head);

        while (cmd != DROP && f.fill[cmd] >= room(p, o->closed, cmd)) {
            close_one(p, o, &f, false);
            if (o->closed == p->nr_rx) {
                return; /* it waits for a buffer */
            }
        }
        if (cmd != DROP) {
            o->image[cmd][o->closed * STRIDE + f.fill[cmd]] = bytes[at];
            f.fill[cmd]++;
        }
        count(p, &f, head, at == 0 || at == header);
    }
    close_one(p, o, &f, true);
    o->delivered = true;
}

/* ---- the chip ------------------------------------------------------------ */

struct place {
    struct bench b;
    uint64_t base[3]; /* regions by write_cmd, margin before them */
    uint64_t drop;
    uint64_t comp;
};

static void open_place(struct place *s, struct rig *r)
{
    bench_open(&s->b, r, 64);
    s->base[BUFF1] = rig_alloc(r, REGION + MARGIN) + MARGIN;
    s->base[BUFF2] = rig_alloc(r, REGION + MARGIN) + MARGIN;
    s->base[DDP] = HBM_1 | s->base[BUFF1];
    s->drop = rig_alloc(r, 0x4000);
    s->comp = bench_completions(&s->b, RX);
    rig_write(r, ENGINE, VMPR_V4(QUEUE) + 8, 0xFFFFFFFF);
    rig_write(r, ENGINE, VMPR(QUEUE, 12), (uint32_t)(HBM_1 >> 32));
    rig_write(r, ENGINE, DROP_LSB, (uint32_t)s->drop);
    rig_write(r, ENGINE, DROP_MSB, 0);
}

static void clear_place(struct place *s)
{
    for (unsigned cmd = BUFF1; cmd <= DDP; cmd++) {
        memset(rig_mem(s->b.rig, s->base[cmd] - MARGIN, REGION + MARGIN), 0,
               REGION + MARGIN);
    }
    memset(rig_mem(s->b.rig, s->drop, 0x4000), 0, 0x4000);
    memset(rig_mem(s->b.rig, s->comp, 4096), 0, 4096);
}

static void run(struct place *s, const struct program *p)
{
    struct rig *r = s->b.rig;
    uint64_t src = s->b.src;

    clear_place(s);
    rig_queue_program(&s->b.rq);
    rig_q_set(&s->b.rq, RX, RXQ_COMP_CFG, 3);
    for (unsigned type = 0; type < 2; type++) {
        rig_row(r, ENGINE, QUEUE, type, &p->rows[type]);
    }
    rig_write(r, ENGINE, SECTION_EN, p->en);
    rig_q_set(&s->b.rq, RX, RXQ_PKT_CFG, p->pkt_cfg);
    for (unsigned i = 0; i < p->nr_rx; i++) {
        rig_desc(&s->b.rq, RX,
                 (uint32_t[]){ (p->units2[i] ? D_DUAL : 0) |
                                   p->units2[i] << 16 | p->len1[i],
                               (uint32_t)s->base[BUFF2] + i * STRIDE },
                 s->base[BUFF1] + i * STRIDE);
    }
    for (unsigned i = 0; i < p->nr_tx; i++) {
        rig_tx(&s->b.rq, d_marks(i, p->nr_tx), src, p->tx_len[i]);
        src += p->tx_len[i];
    }
    rig_bell(&s->b.rq, RX, p->nr_rx);
    rig_bell(&s->b.rq, TX, p->nr_tx);
}

static void check(struct place *s, const struct oracle *o, unsigned n,
                  uint64_t packets)
{
    struct rig *r = s->b.rig;

    for (unsigned cmd = BUFF1; cmd <= DDP; cmd++) {
        CHECK_UNTOUCHED(r, s->base[cmd] - MARGIN, MARGIN, "program %u", n);
        CHECK_MEM(rig_mem(r, s->base[cmd], REGION), o->image[cmd], REGION,
                  "program %u place %u", n, cmd);
    }
    for (unsigned i = 0; i < o->closed; i++) {
        CHECK_EQ(rig_word(r, s->comp + 16 * i), o->comp[i][0] | D_LAP(1),
                 "program %u completion %u", n, i);
        CHECK_EQ(rig_word(r, s->comp + 16 * i + 4), o->comp[i][1],
                 "program %u completion %u", n, i);
    }
    CHECK_EQ(rig_word(r, s->comp + 16 * o->closed), 0, "program %u", n);
    CHECK_EQ(rig_stats(r, ENGINE).packets - packets, o->delivered, "program %u",
             n);
}

static void random_program(uint32_t *rnd, struct program *p)
{
    memset(p, 0, sizeof(*p));
    p->en = rig_random(rnd) % 4 ? (rig_random(rnd) & 7) | 1 : 0;
    if (rig_random(rnd) % 2) {
        p->pkt_cfg = FORCE_HDR_SPLIT | rig_random(rnd) % 300;
    }
    for (unsigned type = 0; type < 2; type++) {
        p->rows[type] = (struct rig_row){
            .write_cmd = rig_random(rnd) % 4,
            .count_cmd = rig_random(rnd) % 8,
            .msb_sel = 0xFFFFFFFF,
            .vmid = 0xFFFF0000,
            .padding = 7u << 4, /* none, and no rounding */
        };
    }
    p->nr_rx = 1 + rig_random(rnd) % SLOTS;
    for (unsigned i = 0; i < p->nr_rx; i++) {
        p->len1[i] = 1 + rig_random(rnd) % 500;
        p->units2[i] = rig_random(rnd) % 4;
    }
    p->nr_tx = 1 + rig_random(rnd) % 4;
    for (unsigned i = 0; i < p->nr_tx; i++) {
        p->tx_len[i] = 1 + rig_random(rnd) % 400;
    }
}

static void test_section_random_tables(void **state)
{
    static struct oracle o;
    uint32_t rnd = rig_seed("test_section_random_tables", 0x5EC71045);
    struct place s;

    open_place(&s, *state);
    for (unsigned n = 0; n < 1500; n++) {
        uint64_t packets = rig_stats(s.b.rig, ENGINE).packets;
        struct program p;

        random_program(&rnd, &p);
        predict(&p, rig_mem(s.b.rig, s.b.src, 2000), &o);
        run(&s, &p);
        check(&s, &o, n, packets);
    }
}

/* Bytes of a slot that may be written, by place. */
static uint64_t allowed(const struct program *p, unsigned i, unsigned cmd)
{
    /* Direct placement knows no size: the packet, rounded up and padded. */
    return cmd == DDP ? 1600 + 2 * 256 + 64 : room(p, i, cmd);
}

/* With padding and rounding at random, each byte stays inside its buffer. */
static void test_section_random_padding(void **state)
{
    uint32_t rnd = rig_seed("test_section_random_padding", 0x0DD5EED);
    struct place s;

    open_place(&s, *state);
    for (unsigned n = 0; n < 1500; n++) {
        struct program p;

        random_program(&rnd, &p);
        p.rows[0].padding = rig_random(&rnd) & 0x7F;
        p.rows[1].padding = rig_random(&rnd) & 0x7F;
        run(&s, &p);
        for (unsigned cmd = BUFF1; cmd <= DDP; cmd++) {
            CHECK_UNTOUCHED(s.b.rig, s.base[cmd] - MARGIN, MARGIN, "program %u",
                            n);
            for (unsigned i = 0; i < SLOTS; i++) {
                uint64_t may = i < p.nr_rx ? allowed(&p, i, cmd) : 0;

                CHECK_UNTOUCHED(s.b.rig, s.base[cmd] + i * STRIDE + may,
                                STRIDE - may, "program %u place %u slot %u", n,
                                cmd, i);
            }
        }
        CHECK_UNTOUCHED(s.b.rig, s.drop + 1600, 0x4000 - 1600, "program %u", n);
    }
}

/* Any word in any register of the table, rows for any queue and type. */
static void test_section_random_words(void **state)
{
    uint32_t rnd = rig_seed("test_section_random_words", 0xBAD7AB1E);
    struct place s;

    open_place(&s, *state);
    for (unsigned n = 0; n < 1500; n++) {
        struct program p;

        random_program(&rnd, &p);
        for (unsigned type = 0; type < 2; type++) {
            p.rows[type] = (struct rig_row){
                .write_cmd = rig_random(&rnd),
                .count_cmd = rig_random(&rnd),
                .msb = rig_random(&rnd),
                .msb_sel = rig_random(&rnd),
                .vmid = rig_random(&rnd),
                .padding = rig_random(&rnd),
            };
        }
        rig_write(s.b.rig, ENGINE, DROP_MSB, rig_random(&rnd) & 1 ? 0 : rnd);
        run(&s, &p);
        /* The engine ends, and is as good as before. */
        rig_write(s.b.rig, ENGINE, SECTION_EN, 0);
        rig_queue_program(&s.b.rq);
        rig_q_set(&s.b.rq, RX, RXQ_PKT_CFG, 0);
        rig_copy(&s.b.rq, s.b.dst, s.b.src + n, 64);
        CHECK_COPY(s.b.rig, s.b.dst, s.b.src + n, 64, "program %u", n);
    }
}

/* Padding that is refused is a bad data write like another. */
static void test_section_padding_refused(void **state)
{
    static const struct rig_row row = {
        .count_cmd = 3, .msb_sel = 0xFFFFFFFF, .vmid = 0xFFFF0000, .padding = 1
    };
    const struct trench_fault fault = { .engine = ENGINE,
                                        .queue = QUEUE,
                                        .at = TRENCH_AXI_S2M_DATA_WRITE,
                                        .code = TRENCH_AXI_SLVERR,
                                        .after = 1,
                                        .times = 1 };
    struct rig *r = *state;
    struct place s;

    open_place(&s, r);
    rig_row(r, ENGINE, QUEUE, 0, &row);
    rig_write(r, ENGINE, SECTION_EN, 1);
    CHECK_EQ(trench_soc_inject(r->soc, &fault), 0, "inject");
    rig_rx(&s.b.rq, s.b.dst, 64);
    rig_tx(&s.b.rq, D_ONE, s.b.src, 20);
    rig_bell(&s.b.rq, RX, 1);
    rig_bell(&s.b.rq, TX, 1);
    CHECK_COPY(r, s.b.dst, s.b.src, 20, "the data");
    CHECK_EQ(rig_read(r, ENGINE, SECONDARY(GROUP_B) + INT_CAUSE), 1u << 1,
             "data response");
    CHECK_EQ(rig_word(r, s.comp), D_ONE | D_LAP(1) | C_BUF1 | C_ERROR, "comp");
    CHECK_EQ(rig_word(r, s.comp + 4), 20, "comp");
    trench_soc_clear_faults(r->soc);
}

#define TEST(name)                                                             \
    cmocka_unit_test_setup_teardown(name, rig_setup, rig_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_section_random_tables),
        TEST(test_section_random_padding),
        TEST(test_section_random_words),
        TEST(test_section_padding_refused),
    };

    return cmocka_run_group_tests_name("section_random", tests, NULL, NULL);
}
