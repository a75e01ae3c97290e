/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Header split and buffer 2 (udma-engine 2 pkt_cfg, 3.3 bits 3 and 4, 4.3,
 * 4.4), and the sections of udma_gen_ex with their table (seed 002 4.2;
 * common-blocks 1.2.3; hardware.md H124 to H128).
 */
#include "rig.h"

/* Transaction types that the model gives to the parts of a packet. */
enum {
    DATA,
    HEADER,
};
enum {
    BUFF1,
    BUFF2,
    DDP,
    DROP,
};
enum {
    VAL = 1,
    REMAP_DROP2DDP = 2,
    ALLOW_ROUND_UP = 4,
};
#define LENGTH1(accumulate) (1u << 1 | (accumulate))
#define LENGTH2(accumulate) (2u << 1 | (accumulate))
#define C_BUF2_USED         0x80000000u
#define BUF2_LOCATION_2     8u /* of comp_cfg */

static const struct rig_row plain_row = { .write_cmd = BUFF1,
                                          .count_cmd = 3,
                                          .msb_sel = 0xFFFFFFFF,
                                          .vmid = 0xFFFF0000 };

/* A bench whose destination has a buffer 2, and completions. */
struct section_bench {
    struct bench b;
    uint64_t buf2;
    uint64_t comp;
};

static void open_section(struct section_bench *s, struct rig *r)
{
    bench_open(&s->b, r, 64);
    s->buf2 = rig_alloc(r, 0x10000);
    s->comp = bench_completions(&s->b, RX);
    for (unsigned n = 2; n < 4; n++) {
        rig_write(r, ENGINE, VMPR_V4(QUEUE) + 4 * n, 0xFFFFFFFF);
    }
    memset(rig_mem(r, s->b.dst, 0x1000), 0xEE, 0x1000);
    memset(rig_mem(r, s->buf2, 0x1000), 0xEE, 0x1000);
}

static void split(struct section_bench *s, uint32_t header)
{
    rig_q_set(&s->b.rq, RX, RXQ_PKT_CFG, FORCE_HDR_SPLIT | header);
}

static void set_row(struct section_bench *s, unsigned type, unsigned write_cmd,
                    uint32_t count_cmd)
{
    struct rig_row row = plain_row;

    row.write_cmd = write_cmd;
    row.count_cmd = count_cmd;
    rig_row(s->b.rig, ENGINE, QUEUE, type, &row);
}

/* One packet of one descriptor each way; buf2_units of 64 bytes. */
static void send(struct section_bench *s, uint32_t bytes, uint32_t buf1,
                 uint32_t buf2_units)
{
    rig_desc(&s->b.rq, RX,
             (uint32_t[]){ (buf2_units ? D_DUAL | buf2_units << 16 : 0) | buf1,
                           (uint32_t)s->buf2 },
             s->b.dst);
    rig_tx(&s->b.rq, D_ONE, s->b.src, bytes);
    rig_bell(&s->b.rq, RX, 1);
    rig_bell(&s->b.rq, TX, 1);
}

/* n bytes of the source from off on are at addr, and nothing behind them. */
static void check_at(struct section_bench *s, uint64_t addr, uint32_t off,
                     uint32_t n, const char *what)
{
    uint8_t ee[64];

    memset(ee, 0xEE, sizeof(ee));
    CHECK_MEM(rig_mem(s->b.rig, addr, n), rig_mem(s->b.rig, s->b.src + off, n),
              n, "%s off=%u n=%u", what, off, n);
    CHECK_MEM(rig_mem(s->b.rig, addr + n, 64), ee, 64, "behind %s n=%u", what,
              n);
}

static uint32_t comp_word(struct section_bench *s, unsigned i, unsigned w)
{
    return rig_word(s->b.rig, s->comp + 16 * i + 4 * w);
}

static uint32_t s2m_causes(struct section_bench *s)
{
    return rig_read(s->b.rig, ENGINE, SECONDARY(GROUP_B) + INT_CAUSE);
}

/* ---- header split -------------------------------------------------------- */

static void check_split(struct rig *r, uint32_t header, uint32_t bytes,
                        bool word2)
{
    uint32_t n = header < bytes ? header : bytes;
    uint32_t used = n ? C_BUF2_USED | n << 16 : 0;
    struct section_bench s;

    open_section(&s, r);
    rig_q_set(&s.b.rq, RX, RXQ_COMP_CFG, 3 | (word2 ? BUF2_LOCATION_2 : 0));
    split(&s, header);
    send(&s, bytes, 512, 4);
    check_at(&s, s.buf2, 0, n, "header");
    check_at(&s, s.b.dst, n, bytes - n, "data");
    CHECK_EQ(comp_word(&s, 0, 0), D_ONE | D_LAP(1) | (bytes > n ? C_BUF1 : 0),
             "header=%u bytes=%u", header, bytes);
    CHECK_EQ(comp_word(&s, 0, 1), (bytes - n) | (word2 ? 0 : used),
             "header=%u bytes=%u", header, bytes);
    CHECK_EQ(comp_word(&s, 0, 2), word2 ? used : 0, "header=%u bytes=%u",
             header, bytes);
    CHECK_EQ(s2m_causes(&s), 0, "header=%u bytes=%u", header, bytes);
}

/* udma-engine 2 pkt_cfg; 4.4 both places of the length. */
static void test_section_pkt_cfg(void **state)
{
    static const uint32_t headers[] = { 0, 1, 63, 64, 65, 100, 255, 256 };
    static const uint32_t sizes[] = { 1, 63, 64, 65, 100, 256, 500 };

    for (size_t h = 0; h < ARRAY_LEN(headers); h++) {
        for (size_t i = 0; i < ARRAY_LEN(sizes); i++) {
            check_split(*state, headers[h], sizes[i], false);
            check_split(*state, headers[h], sizes[i], true);
        }
    }
}

/* Without force_hdr_split the size means nothing. */
static void test_section_split_is_off_at_reset(void **state)
{
    struct section_bench s;

    open_section(&s, *state);
    CHECK_EQ(rig_q(&s.b.rq, RX, RXQ_PKT_CFG), 0x40, "reset");
    send(&s, 200, 256, 4);
    check_at(&s, s.b.dst, 0, 200, "all");
    check_at(&s, s.buf2, 0, 0, "nothing");
}

/* A packet has one header, in its first descriptor. */
static void test_section_split_only_the_first(void **state)
{
    struct section_bench s;

    open_section(&s, *state);
    split(&s, 32);
    for (unsigned i = 0; i < 3; i++) {
        rig_desc(&s.b.rq, RX,
                 (uint32_t[]){ D_DUAL | 1u << 16 | 100,
                               (uint32_t)s.buf2 + 0x100 * i },
                 s.b.dst + 0x200 * i);
    }
    rig_tx(&s.b.rq, D_ONE, s.b.src, 250);
    rig_bell(&s.b.rq, RX, 3);
    rig_bell(&s.b.rq, TX, 1);
    check_at(&s, s.buf2, 0, 32, "header");
    check_at(&s, s.b.dst, 32, 100, "first");
    check_at(&s, s.b.dst + 0x200, 132, 100, "second");
    check_at(&s, s.b.dst + 0x400, 232, 18, "third");
    check_at(&s, s.buf2 + 0x100, 0, 0, "no second header");
    CHECK_EQ(comp_word(&s, 1, 1), 100, "second");
    CHECK_EQ(comp_word(&s, 2, 1), 18, "third");
}

/* udma-engine 3.3: bit 3 too short, bit 4 none. The packet arrives whole. */
static void test_section_split_without_room(void **state)
{
    struct section_bench s;

    for (uint32_t units = 0; units < 2; units++) {
        open_section(&s, *state);
        split(&s, 100);
        send(&s, 300, 512, units);
        CHECK_EQ(s2m_causes(&s), units ? 1u << 3 : 1u << 4, "units=%u", units);
        check_at(&s, s.buf2, 0, 64 * units, "header");
        check_at(&s, s.b.dst, 64 * units, 300 - 64 * units, "data");
        CHECK_EQ(rig_read(s.b.rig, ENGINE, S2M + LOG_0),
                 (units ? D_DUAL | units << 16 : 0) | D_LAP(1) | 512,
                 "log units=%u", units);
        CHECK_EQ(rig_read(s.b.rig, ENGINE, S2M + LOG_0 + 8), (uint32_t)s.b.dst,
                 "log units=%u", units);
    }
}

static void test_section_split_aborts(void **state)
{
    struct section_bench s;

    open_section(&s, *state);
    rig_write(s.b.rig, ENGINE, SECONDARY(GROUP_B) + INT_ABORT_MASK, ~(1u << 4));
    split(&s, 100);
    send(&s, 300, 512, 0);
    CHECK_EQ(rig_read(s.b.rig, ENGINE, S2M + STATE), 0x22222, "aborted");
    check_at(&s, s.b.dst, 0, 0, "nothing moved");
    rig_write(s.b.rig, ENGINE, SECONDARY(GROUP_B) + INT_CAUSE, 0);
    rig_queue_program(&s.b.rq); /* or the packet goes on with NORMAL */
    rig_write(s.b.rig, ENGINE, CHANGE_STATE, CMD_NORMAL);
    rig_write(s.b.rig, ENGINE, S2M + CHANGE_STATE, CMD_NORMAL);
    check_at(&s, s.b.dst, 0, 0, "nothing moved");
    send(&s, 300, 512, 4);
    check_at(&s, s.buf2, 0, 100, "header");
    check_at(&s, s.b.dst, 100, 200, "data");
}

/* ---- rows ---------------------------------------------------------------- */

/* seed 002 4.2 write_cmd; both parts, each to each place. */
static void check_row(struct rig *r, unsigned data, unsigned header)
{
    const uint64_t ddp_hi = 0x40; /* HBM 1 */
    uint32_t at[4] = { 0 };       /* bytes by place */
    struct section_bench s;
    uint64_t place[4];

    open_section(&s, r);
    /* Directly placed bytes go to the same low word of HBM 1. */
    rig_write(r, ENGINE, VMPR(QUEUE, 12), (uint32_t)ddp_hi);
    rig_write(r, ENGINE, VMPR_V4(QUEUE) + 12, 0);
    place[BUFF1] = s.b.dst;
    place[BUFF2] = s.buf2;
    place[DDP] = ddp_hi << 32 | s.b.dst;
    memset(rig_mem(r, place[DDP], 1024), 0xEE, 1024);
    set_row(&s, DATA, data, LENGTH1(1));
    set_row(&s, HEADER, header, LENGTH2(1));
    rig_write(r, ENGINE, SECTION_EN, VAL);
    split(&s, 48);
    send(&s, 200, 512, 8);
    for (unsigned cmd = BUFF1; cmd < DROP; cmd++) {
        if (header == cmd) {
            CHECK_COPY(r, place[cmd], s.b.src, 48, "header=%u", cmd);
            at[cmd] = 48;
        }
        if (data == cmd) {
            check_at(&s, place[cmd] + at[cmd], 48, 152, "data");
            at[cmd] += 152;
        }
        if (at[cmd] == 0) {
            check_at(&s, place[cmd], 0, 0, "unused");
        }
    }
    CHECK_EQ(comp_word(&s, 0, 0),
             D_ONE | D_LAP(1) | (at[BUFF1] ? C_BUF1 : 0) |
                 (at[DDP] ? C_DDP : 0),
             "data=%u header=%u", data, header);
    /* What is dropped is not counted. */
    CHECK_EQ(comp_word(&s, 0, 1),
             (data == DROP ? 0 : 152) | (header == DROP ? 0 : 48u << 16) |
                 (at[BUFF2] ? C_BUF2_USED : 0),
             "data=%u header=%u", data, header);
    CHECK_EQ(s2m_causes(&s), 0, "data=%u header=%u", data, header);
    CHECK_EQ(rig_stats(r, ENGINE).packets, 1, "data=%u header=%u", data,
             header);
}

static void test_section_write_cmd(void **state)
{
    for (unsigned data = BUFF1; data <= DROP; data++) {
        for (unsigned header = BUFF1; header <= DROP; header++) {
            check_row(*state, data, header);
        }
    }
}

/* udma-engine 2 data_cfg_2: direct_hdr_use_buf1. */
static void test_section_direct_hdr_use_buf1(void **state)
{
    struct section_bench s;

    open_section(&s, *state);
    rig_write(s.b.rig, ENGINE, VMPR(QUEUE, 12), 0x40);
    rig_write(s.b.rig, ENGINE, VMPR_V4(QUEUE) + 12, 0);
    memset(rig_mem(s.b.rig, 0x4000000000 | s.b.dst, 1024), 0xEE, 1024);
    set_row(&s, DATA, DDP, LENGTH1(1));
    set_row(&s, HEADER, DDP, LENGTH2(1));
    rig_write(s.b.rig, ENGINE, SECTION_EN, VAL);
    rig_write(s.b.rig, ENGINE, S2M_DATA_CFG_2, 0xB0002710);
    split(&s, 48);
    send(&s, 200, 512, 8);
    check_at(&s, s.b.dst, 0, 48, "header");
    check_at(&s, 0x4000000000 | s.b.dst, 48, 152, "data");
}

/* common-blocks 1.2.3: with val = 0 rows do nothing. */
static void test_section_cfg_v4_section_en(void **state)
{
    struct section_bench s;

    open_section(&s, *state);
    set_row(&s, DATA, DROP, 0);
    send(&s, 200, 256, 0);
    check_at(&s, s.b.dst, 0, 200, "off");
    rig_write(s.b.rig, ENGINE, SECTION_EN, VAL);
    memset(rig_mem(s.b.rig, s.b.dst, 256), 0xEE, 256);
    send(&s, 200, 256, 0);
    check_at(&s, s.b.dst, 0, 0, "on");
    rig_write(s.b.rig, ENGINE, SECTION_EN, REMAP_DROP2DDP | ALLOW_ROUND_UP);
    send(&s, 200, 256, 0);
    check_at(&s, s.b.dst, 0, 200, "off again");
}

/* ---- drop ---------------------------------------------------------------- */

/* seed 002 4.2: the poison default of drop_addr_msb. */
static void test_section_drop_addr_msb_poison(void **state)
{
    struct rig_watch w = { .nr = 0 };
    struct section_bench s;

    open_section(&s, *state);
    CHECK_EQ(rig_read(s.b.rig, ENGINE, DROP_MSB), 0xDEADBEEF, "reset");
    CHECK_EQ(rig_read(s.b.rig, ENGINE, DROP_LSB), 0, "reset");
    set_row(&s, DATA, DROP, 0);
    rig_write(s.b.rig, ENGINE, SECTION_EN, VAL);
    send(&s, 200, 256, 0);
    CHECK_EQ(s2m_causes(&s), 0, "vanishes");
    rig_write(s.b.rig, ENGINE, SECTION_EN, VAL | REMAP_DROP2DDP);
    rig_watch(s.b.rig, &w);
    send(&s, 200, 256, 0);
    trench_soc_set_access(s.b.rig->soc, NULL, NULL);
    CHECK_EQ(rig_watched(&w, TRENCH_AXI_S2M_DATA_WRITE)->addr,
             UINT64_C(0xDEADBEEF00000000), "poison");
    CHECK_EQ(s2m_causes(&s), 1u << 1, "nothing is there");
    check_at(&s, s.b.dst, 0, 0, "nothing");
}

static void test_section_drop_addr_lsb(void **state)
{
    struct section_bench s;

    open_section(&s, *state);
    /* Not composed: the DDP registers do not touch it. */
    rig_write(s.b.rig, ENGINE, VMPR(QUEUE, 12), 0x1234);
    rig_write(s.b.rig, ENGINE, VMPR_V4(QUEUE) + 12, 0);
    rig_write(s.b.rig, ENGINE, DROP_LSB, (uint32_t)s.buf2 + 0x40);
    rig_write(s.b.rig, ENGINE, DROP_MSB, 0);
    set_row(&s, DATA, DROP, 0);
    rig_write(s.b.rig, ENGINE, SECTION_EN, VAL | REMAP_DROP2DDP);
    send(&s, 200, 16, 0); /* needs no room in the buffer */
    check_at(&s, s.buf2 + 0x40, 0, 200, "dropped");
    check_at(&s, s.b.dst, 0, 0, "nothing");
    CHECK_EQ(rig_stats(s.b.rig, ENGINE).rx_descs, 1, "one descriptor");
}

/* ---- the other words of a row -------------------------------------------- */

static void test_section_axi_msb_addr_sel(void **state)
{
    struct section_bench s;

    open_section(&s, *state);
    rig_write(s.b.rig, ENGINE, SECTION_EN, VAL);
    for (unsigned bit = 0; bit < 32; bit++) {
        struct rig_watch w = { .nr = 0 };
        struct rig_row row = plain_row;
        uint32_t high = 0x5A3CC3A5u ^ bit;

        row.msb = ~high;
        row.msb_sel = 1u << bit;
        rig_row(s.b.rig, ENGINE, QUEUE, DATA, &row);
        rig_watch(s.b.rig, &w);
        rig_copy(&s.b.rq, (uint64_t)high << 32 | 0x40, s.b.src, 64);
        trench_soc_set_access(s.b.rig->soc, NULL, NULL);
        CHECK_EQ(rig_watched(&w, TRENCH_AXI_S2M_DATA_WRITE)->addr,
                 (uint64_t)((high & 1u << bit) | (~high & ~(1u << bit))) << 32 |
                     0x40,
                 "bit=%u", bit);
    }
}

/* count_cmd: field_selection and calc_cmd (seed 002 4.2). */
static void test_section_count_cmd(void **state)
{
    static const struct {
        uint32_t data, header;
        uint32_t len1, len2;
    } cases[] = {
        { 0, 0, 0, 0 },
        { LENGTH1(1), 0, 152, 0 },
        { 0, LENGTH1(1), 48, 0 },
        { LENGTH1(1), LENGTH1(1), 200, 0 },
        { LENGTH1(0), LENGTH1(1), 152, 0 }, /* the later one overrides */
        { LENGTH1(1), LENGTH1(0), 200, 0 }, /* accumulates on top */
        { LENGTH1(0), LENGTH1(0), 152, 0 },
        { LENGTH2(1), LENGTH2(1), 0, 200 },
        { LENGTH2(0), LENGTH2(1), 0, 152 },
        { LENGTH1(1), LENGTH2(0), 152, 48 },
        { LENGTH2(0), LENGTH1(0), 48, 152 },
        { 3u << 1, 3u << 1 | 1, 0, 0 }, /* reserved: none */
    };
    struct section_bench s;

    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        open_section(&s, *state);
        set_row(&s, DATA, BUFF1, cases[i].data);
        set_row(&s, HEADER, BUFF2, cases[i].header);
        rig_write(s.b.rig, ENGINE, SECTION_EN, VAL);
        split(&s, 48);
        send(&s, 200, 512, 8);
        CHECK_EQ(comp_word(&s, 0, 1),
                 cases[i].len1 | cases[i].len2 << 16 | C_BUF2_USED, "case=%zu",
                 i);
    }
}

/* A section over two descriptors and two sources is one section. */
static void test_section_count_cmd_over_descriptors(void **state)
{
    struct section_bench s;

    open_section(&s, *state);
    set_row(&s, DATA, BUFF1, LENGTH1(0));
    rig_write(s.b.rig, ENGINE, SECTION_EN, VAL);
    bench_packet(&s.b, 5, 2, 200);
    CHECK_EQ(comp_word(&s, 0, 1), 100, "first");
    CHECK_EQ(comp_word(&s, 1, 1), 100, "second");
}

static void check_zeros(struct section_bench *s, uint64_t addr, uint32_t n)
{
    CHECK_UNTOUCHED(s->b.rig, addr, n, "padding at 0x%llx", ULL(addr));
    CHECK_EQ(*(uint8_t *)rig_mem(s->b.rig, addr + n, 1), 0xEE, "behind");
}

/* axi_write_padding: zeros up to 64 bytes, never over the buffer's end. */
static void test_section_padding_cmd(void **state)
{
    static const struct {
        uint32_t bytes, buffer, zeros;
        uint32_t at; /* of the buffer */
    } cases[] = {
        { 10, 256, 54, 0 }, { 64, 256, 0, 0 },  { 65, 256, 63, 0 },
        { 10, 32, 22, 0 },  { 100, 100, 0, 0 }, { 10, 256, 22, 32 },
    };
    struct section_bench s;

    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct rig_row row = plain_row;
        uint64_t dst;

        open_section(&s, *state);
        dst = s.b.dst + cases[i].at;
        row.padding = 1;
        rig_row(s.b.rig, ENGINE, QUEUE, DATA, &row);
        rig_write(s.b.rig, ENGINE, SECTION_EN, VAL);
        rig_rx(&s.b.rq, dst, cases[i].buffer);
        rig_tx(&s.b.rq, D_ONE, s.b.src, cases[i].bytes);
        rig_bell(&s.b.rq, RX, 1);
        rig_bell(&s.b.rq, TX, 1);
        CHECK_COPY(s.b.rig, dst, s.b.src, cases[i].bytes, "case=%zu", i);
        check_zeros(&s, dst + cases[i].bytes, cases[i].zeros);
        /* Padding is no data. */
        CHECK_EQ(comp_word(&s, 0, 1), cases[i].bytes, "case=%zu", i);
    }
}

/* sos_wstrb_cmd, eos_wstrb_cmd: storage (H127); no byte is lost or added. */
static void test_section_sos_wstrb_cmd_eos_wstrb_cmd(void **state)
{
    struct section_bench s;

    for (uint32_t bits = 0; bits < 4; bits++) {
        struct rig_row row = plain_row;

        open_section(&s, *state);
        row.padding = bits << 2;
        rig_row(s.b.rig, ENGINE, QUEUE, DATA, &row);
        CHECK_EQ(rig_read(s.b.rig, ENGINE, ROW_PADDING), bits << 2, "stored");
        rig_write(s.b.rig, ENGINE, SECTION_EN, VAL);
        send(&s, 33, 256, 0);
        check_at(&s, s.b.dst, 0, 33, "all");
        CHECK_EQ(comp_word(&s, 0, 1), 33, "bits=%u", bits);
    }
}

/* eos_addr_round_up_cmd: where the next section of a buffer begins. */
static void test_section_eos_addr_round_up_cmd(void **state)
{
    static const uint32_t units[] = { 8, 16, 32, 64, 128, 256, 1, 1 };
    struct section_bench s;

    for (uint32_t cmd = 0; cmd < 8; cmd++) {
        for (uint32_t allow = 0; allow < 2; allow++) {
            struct rig_row row = plain_row;
            uint32_t unit = allow ? units[cmd] : 1;
            uint32_t at = (33 + unit - 1) / unit * unit;

            open_section(&s, *state);
            row.padding = cmd << 4;
            rig_row(s.b.rig, ENGINE, QUEUE, HEADER, &row);
            set_row(&s, DATA, BUFF1, LENGTH1(1));
            rig_write(s.b.rig, ENGINE, SECTION_EN,
                      VAL | (allow ? ALLOW_ROUND_UP : 0));
            split(&s, 33);
            send(&s, 133, 512, 0);
            CHECK_COPY(s.b.rig, s.b.dst, s.b.src, 33, "cmd=%u", cmd);
            check_at(&s, s.b.dst + at, 33, 100, "data");
            CHECK_EQ(comp_word(&s, 0, 1), 133, "cmd=%u allow=%u", cmd, allow);
        }
    }
}

/* ---- the table ----------------------------------------------------------- */

/* The words reach the row with the padding word, not before. */
static void test_section_axi_write_padding_commits(void **state)
{
    struct section_bench s;

    open_section(&s, *state);
    set_row(&s, DATA, BUFF1, LENGTH1(1));
    rig_write(s.b.rig, ENGINE, SECTION_EN, VAL);
    rig_write(s.b.rig, ENGINE, ROW_ADDR, QUEUE << 5 | DATA);
    rig_write(s.b.rig, ENGINE, ROW_WRITE_CMD, DROP);
    send(&s, 200, 256, 0);
    check_at(&s, s.b.dst, 0, 200, "not yet");
    rig_write(s.b.rig, ENGINE, ROW_PADDING, 0);
    memset(rig_mem(s.b.rig, s.b.dst, 256), 0xEE, 256);
    send(&s, 200, 256, 0);
    check_at(&s, s.b.dst, 0, 0, "committed");
}

/* Rows of other queues and types are others. */
static void test_section_addr_picks_a_row(void **state)
{
    struct rig_row drop = plain_row;
    struct section_bench s;

    open_section(&s, *state);
    drop.write_cmd = DROP;
    set_row(&s, DATA, BUFF1, LENGTH1(1));
    for (unsigned q = 0; q < 16; q++) {
        for (unsigned type = 0; type < 32; type++) {
            if (q != QUEUE || type != DATA) {
                rig_row(s.b.rig, ENGINE, q, type, &drop);
            }
        }
    }
    rig_write(s.b.rig, ENGINE, SECTION_EN, VAL);
    send(&s, 200, 256, 0);
    check_at(&s, s.b.dst, 0, 200, "own row");
}

/* init_trig empties the table; in_progress can be polled, and ends. */
static void test_section_init_transaction_table(void **state)
{
    struct section_bench s;
    unsigned polls = 0;

    open_section(&s, *state);
    set_row(&s, DATA, DROP, 0);
    rig_write(s.b.rig, ENGINE, SECTION_EN, VAL);
    CHECK_EQ(rig_read(s.b.rig, ENGINE, INIT_IN_PROGRESS), 0, "idle");
    rig_write(s.b.rig, ENGINE, INIT_TRIG, 1);
    while (rig_read(s.b.rig, ENGINE, INIT_IN_PROGRESS) & 1) {
        polls++;
        CHECK_EQ(polls < 100, true, "it ends");
    }
    CHECK_EQ(polls >= 1, true, "it is seen");
    /* Released or not (1.2.3): neither starts it again. */
    rig_write(s.b.rig, ENGINE, INIT_TRIG, 0);
    CHECK_EQ(rig_read(s.b.rig, ENGINE, INIT_IN_PROGRESS), 0, "released");
    send(&s, 200, 256, 0);
    check_at(&s, s.b.dst, 0, 200, "an empty row is buffer 1");
    /* And so does a reset. */
    set_row(&s, DATA, DROP, 0);
    trench_soc_reset(s.b.rig->soc);
    rig_queue_program(&s.b.rq);
    rig_write(s.b.rig, ENGINE, SECTION_EN, VAL);
    memset(rig_mem(s.b.rig, s.b.dst, 256), 0xEE, 256);
    send(&s, 200, 256, 0);
    check_at(&s, s.b.dst, 0, 200, "after a reset");
}

#define TEST(name)                                                             \
    cmocka_unit_test_setup_teardown(name, rig_setup, rig_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_section_pkt_cfg),
        TEST(test_section_split_is_off_at_reset),
        TEST(test_section_split_only_the_first),
        TEST(test_section_split_without_room),
        TEST(test_section_split_aborts),
        TEST(test_section_write_cmd),
        TEST(test_section_direct_hdr_use_buf1),
        TEST(test_section_cfg_v4_section_en),
        TEST(test_section_drop_addr_msb_poison),
        TEST(test_section_drop_addr_lsb),
        TEST(test_section_axi_msb_addr_sel),
        TEST(test_section_count_cmd),
        TEST(test_section_count_cmd_over_descriptors),
        TEST(test_section_padding_cmd),
        TEST(test_section_sos_wstrb_cmd_eos_wstrb_cmd),
        TEST(test_section_eos_addr_round_up_cmd),
        TEST(test_section_axi_write_padding_commits),
        TEST(test_section_addr_picks_a_row),
        TEST(test_section_init_transaction_table),
    };

    return cmocka_run_group_tests_name("section", tests, NULL, NULL);
}
