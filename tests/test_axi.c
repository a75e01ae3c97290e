/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Addresses and VMIDs on their way to the bus, as an access hook sees them
 * (seed 002 3.3, 4.2; common-blocks 1.1.6 VMID, 1.2.1, 1.2.2; hardware.md H115
 * to H117, H129).
 */
#include "rig.h"

#define BYTES 64u

/* A stream whose address comes from a descriptor. */
static const struct data_stream {
    const char *name;
    unsigned master;
    unsigned hi;      /* VMPR register of the high word */
    unsigned vmid;    /* of id and select */
    unsigned sel;     /* VMPR_V4 register */
    unsigned en_reg;  /* VMPR register that enables the id */
    uint32_t en_mask; /* with this bit */
    bool rx;
} streams[] = {
    { "TX data", TRENCH_AXI_M2S_DATA_READ, 1, 3, 0, 0, 1u << 7, false },
    { "RX buffer 1", TRENCH_AXI_S2M_DATA_WRITE, 10, 7, 1, 4, 1u << 7, true },
    { "RX buffer 2", TRENCH_AXI_S2M_DATA_WRITE, 11, 8, 2, 4, 1u << 15, true },
    { "RX DDP", TRENCH_AXI_S2M_DATA_WRITE, 12, 9, 3, 4, 1u << 23, true },
};
enum {
    TX_DATA,
    RX_BUF1,
    RX_BUF2,
    RX_DDP,
};

static void vmpr(struct bench *b, unsigned n, uint32_t val)
{
    rig_write(b->rig, ENGINE, VMPR(QUEUE, n), val);
}

/* A bench whose packets go to the stream under test. */
static void open_stream(struct bench *b, struct rig *r, unsigned stream)
{
    static const struct rig_row ddp = { .write_cmd = 2,
                                        .msb_sel = 0xFFFFFFFF,
                                        .vmid = 0xFFFF0000 };

    bench_open(b, r, 512);
    for (unsigned n = 0; n < 4; n++) {
        rig_write(r, ENGINE, VMPR_V4(QUEUE) + 4 * n, 0xFFFFFFFF);
    }
    if (stream == RX_BUF2) { /* all of the packet is header */
        rig_q_set(&b->rq, RX, RXQ_PKT_CFG, FORCE_HDR_SPLIT | BYTES);
    } else if (stream == RX_DDP) {
        rig_row(r, ENGINE, QUEUE, 0, &ddp);
        rig_write(r, ENGINE, SECTION_EN, 1);
    }
}

/* One packet with this address on the stream; what the hook saw of it. */
static struct trench_access send(struct bench *b, unsigned stream,
                                 uint64_t addr)
{
    struct rig_watch w = { .nr = 0 };
    uint64_t dst = stream == RX_BUF1 || stream == RX_DDP ? addr : b->dst;

    rig_watch(b->rig, &w);
    if (stream == RX_BUF2) { /* its high half is vmpr_5 (udma-engine 3.9) */
        vmpr(b, 5, (uint32_t)(addr >> 32));
        rig_desc(&b->rq, RX,
                 (uint32_t[]){ D_DUAL | 1u << 16 | BYTES, (uint32_t)addr },
                 dst);
    } else {
        rig_rx(&b->rq, dst, BYTES);
    }
    rig_tx(&b->rq, D_ONE, stream == TX_DATA ? addr : b->src, BYTES);
    rig_bell(&b->rq, RX, 1);
    rig_bell(&b->rq, TX, 1);
    trench_soc_set_access(b->rig->soc, NULL, NULL);
    return *rig_watched(&w, streams[stream].master);
}

/* ---- the high word ------------------------------------------------------ */

/* 1.2.2: a bit of the selector set takes that bit from the descriptor. */
static void test_axi_cfg_vmpr_v4_selects_each_bit(void **state)
{
    struct bench b;

    for (unsigned s = TX_DATA; s <= RX_DDP; s++) {
        open_stream(&b, *state, s);
        for (unsigned bit = 0; bit < 64; bit++) {
            /* Each bit alone from one side, and then from the other. */
            uint32_t sel = bit < 32 ? 1u << bit : ~(uint32_t)(1u << (bit - 32));
            uint32_t desc = 0xA5C3F00Fu ^ (bit * 0x01010101u);
            struct trench_access a;

            vmpr(&b, streams[s].hi, ~desc);
            rig_write(b.rig, ENGINE, VMPR_V4(QUEUE) + 4 * streams[s].sel, sel);
            a = send(&b, s, (uint64_t)desc << 32 | 0x10000040);
            CHECK_EQ(a.addr >> 32, (desc & sel) | (~desc & ~sel), "%s bit=%u",
                     streams[s].name, bit);
            CHECK_EQ((uint32_t)a.addr, 0x10000040, "%s bit=%u", streams[s].name,
                     bit);
            CHECK_EQ(a.has_vmid, false, "%s bit=%u", streams[s].name, bit);
        }
    }
}

/* The registers of one stream say nothing about the others, or other queues. */
static void test_axi_vmpr_high_words_are_independent(void **state)
{
    struct bench b;

    for (unsigned s = TX_DATA; s <= RX_DDP; s++) {
        open_stream(&b, *state, s);
        for (unsigned other = TX_DATA; other <= RX_DDP; other++) {
            if (other == s) {
                continue;
            }
            rig_write(b.rig, ENGINE, VMPR(QUEUE, streams[other].hi), 0x1234);
            if (s != TX_DATA && other == TX_DATA) {
                continue; /* the source must still be found */
            }
            rig_write(b.rig, ENGINE, VMPR_V4(QUEUE) + 4 * streams[other].sel,
                      0);
        }
        rig_write(b.rig, ENGINE, VMPR_V4(QUEUE + 1) + 4 * streams[s].sel, 0);
        rig_write(b.rig, ENGINE, VMPR(QUEUE + 1, streams[s].hi), 0x1234);
        CHECK_EQ(send(&b, s, 0x4310000040).addr, 0x4310000040, "%s",
                 streams[s].name);
    }
}

/* 1.2.2: with reset values only the low 32 bits of an address count. */
static void test_axi_reset_selectors_reach_only_4_gib(void **state)
{
    struct bench b;

    bench_open(&b, *state, 32);
    for (unsigned n = 0; n < 4; n++) {
        rig_write(b.rig, ENGINE, VMPR_V4(QUEUE) + 4 * n, 0);
    }
    rig_copy(&b.rq, b.dst | 0x555500000000, b.src | 0x123400000000, BYTES);
    CHECK_COPY(b.rig, b.dst, b.src, BYTES, "low words");
    /* From then on whole addresses. */
    rig_write(b.rig, ENGINE, VMPR_V4(QUEUE), 0xFFFFFFFF);
    rig_write(b.rig, ENGINE, VMPR_V4(QUEUE) + 4, 0xFFFFFFFF);
    rig_copy(&b.rq, HOST_MEMORY, b.src, BYTES);
    CHECK_COPY(b.rig, HOST_MEMORY, b.src, BYTES, "host");
}

/* Real memory above 4 GiB by the composed word alone. */
static void test_axi_composed_address_moves_data(void **state)
{
    struct bench b;

    bench_open(&b, *state, 32);
    vmpr(&b, 10, (uint32_t)(HOST_MEMORY >> 32));
    rig_write(b.rig, ENGINE, VMPR_V4(QUEUE) + 4, 0);
    rig_copy(&b.rq, 0xFFFF000000001000, b.src, 4096);
    CHECK_COPY(b.rig, HOST_MEMORY + 0x1000, b.src, 4096, "composed");
}

/* cfg_vmpr_5 is the high word of a descriptor's buffer 2, and of no other. */
static void test_axi_cfg_vmpr_5(void **state)
{
    struct bench b;

    open_stream(&b, *state, RX_BUF2);
    for (unsigned bit = 0; bit < 32; bit++) {
        uint64_t addr = UINT64_C(1) << (32 + bit) | 0x40;

        CHECK_EQ(send(&b, RX_BUF2, addr).addr, addr, "bit=%u", bit);
        CHECK_EQ(rig_read(b.rig, ENGINE, VMPR(QUEUE, 5)), 1u << bit, "bit=%u",
                 bit);
    }
    for (unsigned s = TX_DATA; s <= RX_DDP; s++) {
        if (s != RX_BUF2) {
            open_stream(&b, *state, s);
            vmpr(&b, 5, 0xFFFFFFFF);
            CHECK_EQ(send(&b, s, 0x4310000040).addr, 0x4310000040, "%s",
                     streams[s].name);
        }
    }
}

/* tx_q_hisel ("not available from V4"), rx_q_*_hisel, rx_q_buf2_msb_addr_sel:
 * storage (H116). */
static void test_axi_cfg_vmpr_hisel_is_storage(void **state)
{
    static const uint32_t masks[][2] = { { 0, 0x3F }, { 4, 0x0F3F3F3F } };
    struct bench b;

    for (unsigned s = TX_DATA; s <= RX_DDP; s++) {
        open_stream(&b, *state, s);
        for (size_t i = 0; i < ARRAY_LEN(masks); i++) {
            vmpr(&b, masks[i][0], masks[i][1]);
            CHECK_EQ(rig_read(b.rig, ENGINE, VMPR(QUEUE, masks[i][0])),
                     masks[i][1], "%s", streams[s].name);
        }
        CHECK_EQ(send(&b, s, 0x4310000040).addr, 0x4310000040, "%s",
                 streams[s].name);
    }
}

/* ---- VMIDs -------------------------------------------------------------- */

/* 1.2.1: the select takes bits of the id from the descriptor's address. */
static void test_axi_vmpr_data_vmid(void **state)
{
    static const uint32_t sels[] = { 0, 0xFFFF, 0xF0F0, 0x0001, 0x8000 };
    struct bench b;

    for (unsigned s = TX_DATA; s <= RX_DDP; s++) {
        open_stream(&b, *state, s);
        vmpr(&b, streams[s].en_reg, streams[s].en_mask);
        for (size_t i = 0; i < ARRAY_LEN(sels); i++) {
            struct trench_access a;

            vmpr(&b, streams[s].vmid, sels[i] << 16 | 0x5A3C);
            a = send(&b, s, UINT64_C(0xC396000010000040));
            CHECK_EQ(a.has_vmid, true, "%s sel=0x%x", streams[s].name, sels[i]);
            CHECK_EQ(a.vmid, (0xC396 & sels[i]) | (0x5A3C & ~sels[i]),
                     "%s sel=0x%x", streams[s].name, sels[i]);
        }
        vmpr(&b, streams[s].en_reg, ~streams[s].en_mask);
        CHECK_EQ(send(&b, s, 0x10000040).has_vmid, false, "%s disabled",
                 streams[s].name);
    }
}

/* Streams whose id is one field. */
static void test_axi_vmpr_prefetch_and_completion_vmid(void **state)
{
    static const struct {
        unsigned master, en_reg, en_bit, reg, shift;
    } cases[] = {
        { TRENCH_AXI_M2S_DESC_READ, 0, 28, 2, 0 },
        { TRENCH_AXI_M2S_CMPL_WRITE, 0, 29, 2, 16 },
        { TRENCH_AXI_S2M_DESC_READ, 4, 28, 6, 0 },
        { TRENCH_AXI_S2M_CMPL_WRITE, 4, 29, 6, 16 },
    };
    struct bench b;

    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct rig_watch w = { .nr = 0 };

        bench_open(&b, *state, 32);
        bench_completions(&b, TX);
        bench_completions(&b, RX);
        vmpr(&b, cases[i].en_reg, 1u << cases[i].en_bit);
        vmpr(&b, cases[i].reg, 0x7531u << cases[i].shift);
        rig_watch(b.rig, &w);
        rig_copy(&b.rq, b.dst, b.src, BYTES);
        trench_soc_set_access(b.rig->soc, NULL, NULL);
        for (unsigned m = 0; m < TRENCH_AXI_MSIX_WRITE; m++) {
            const struct trench_access *a = rig_watched(&w, m);

            CHECK_EQ(a->has_vmid, m == cases[i].master, "case=%zu master=%u", i,
                     m);
            CHECK_EQ(a->vmid, m == cases[i].master ? 0x7531 : 0,
                     "case=%zu master=%u", i, m);
            CHECK_EQ(a->engine, ENGINE, "master=%u", m);
            CHECK_EQ(a->queue, QUEUE, "master=%u", m);
        }
    }
}

/* Every access of a direction, as 1.1.6 VMID (coarse) has it; H117. */
static void check_coarse(struct rig *r, uint32_t ctrl, uint32_t tx_vm,
                         uint32_t rx_vm)
{
    /* Where these bits are no id they are an address. */
    uint32_t tx_top = ctrl & 4 ? 0xCAFE : 0;
    uint32_t rx_top = ctrl & 1 ? 0xBEEF : 0;
    struct rig_watch w = { .nr = 0 };
    struct bench b;

    bench_open(&b, r, 32);
    bench_completions(&b, TX);
    bench_completions(&b, RX);
    rig_write(r, ENGINE, VMADDR(QUEUE), ctrl);
    rig_write(r, ENGINE, VMADDR(QUEUE) + 8, tx_vm);
    rig_write(r, ENGINE, VMADDR(QUEUE) + 12, rx_vm);
    rig_watch(r, &w);
    rig_copy(&b.rq, (uint64_t)rx_top << 48 | b.dst,
             (uint64_t)tx_top << 48 | b.src, BYTES);
    trench_soc_set_access(r->soc, NULL, NULL);
    for (unsigned m = 0; m < TRENCH_AXI_MSIX_WRITE; m++) {
        bool rx = m >= TRENCH_AXI_S2M_DESC_READ;
        bool data =
            m == TRENCH_AXI_M2S_DATA_READ || m == TRENCH_AXI_S2M_DATA_WRITE;
        bool desc = data && (ctrl & (rx ? 1 : 4));
        bool queue = ctrl & (rx ? 2 : 8);
        uint32_t vm = rx ? rx_vm : tx_vm;
        uint64_t plain = rx ? b.dst : b.src;
        uint32_t from_desc = rx ? rx_top : tx_top;
        const struct trench_access *a = rig_watched(&w, m);

        CHECK_EQ(a->has_vmid, desc || queue, "ctrl=%u master=%u", ctrl, m);
        CHECK_EQ(a->vmid,
                 desc    ? from_desc
                 : queue ? vm & 0xFFFF
                         : 0,
                 "ctrl=%u master=%u", ctrl, m);
        if (data) {
            uint64_t top = desc ? vm >> 16 : from_desc;

            CHECK_EQ(a->addr, top << 48 | plain, "ctrl=%u master=%u", ctrl, m);
        }
    }
}

static void test_axi_cfg_vm_ctrl(void **state)
{
    /* vmaddr 0, or nothing is mapped and later accesses do not come. */
    for (uint32_t ctrl = 0; ctrl < 16; ctrl++) {
        check_coarse(*state, ctrl, 0x00001111, 0x00002222);
    }
}

/* Each bit of cfg_vm_ctrl, on the stream that it concerns. */
static void test_axi_cfg_tx_vm_and_cfg_rx_vm(void **state)
{
    struct bench b;

    for (unsigned s = TX_DATA; s <= RX_BUF1; s++) {
        uint32_t shift = streams[s].rx ? 0 : 2;
        struct trench_access a;

        open_stream(&b, *state, s);
        rig_write(b.rig, ENGINE, VMADDR(QUEUE) + (streams[s].rx ? 12 : 8),
                  0x43210987);
        /* Neither: no id, and the address as it is. */
        a = send(&b, s, UINT64_C(0xABCD000010000040));
        CHECK_EQ(a.has_vmid, false, "%s", streams[s].name);
        CHECK_EQ(a.addr, UINT64_C(0xABCD000010000040), "%s", streams[s].name);
        /* From the queue. */
        rig_write(b.rig, ENGINE, VMADDR(QUEUE), 2u << shift);
        a = send(&b, s, UINT64_C(0xABCD000010000040));
        CHECK_EQ(a.has_vmid, true, "%s", streams[s].name);
        CHECK_EQ(a.vmid, 0x0987, "%s", streams[s].name);
        CHECK_EQ(a.addr, UINT64_C(0xABCD000010000040), "%s", streams[s].name);
        /* From the descriptor, whose bits vmaddr replaces. */
        rig_write(b.rig, ENGINE, VMADDR(QUEUE), 1u << shift);
        a = send(&b, s, UINT64_C(0xABCD000010000040));
        CHECK_EQ(a.vmid, 0xABCD, "%s", streams[s].name);
        CHECK_EQ(a.addr, UINT64_C(0x4321000010000040), "%s", streams[s].name);
        /* The other direction's bits do nothing here. */
        rig_write(b.rig, ENGINE, VMADDR(QUEUE), 3u << (2 - shift));
        if (streams[s].rx) { /* vmaddr 0: the source is found */
            CHECK_EQ(send(&b, s, 0x10000040).has_vmid, false, "%s",
                     streams[s].name);
        }
    }
}

/* H115: VMPR sees the address that VMADDR made, and its id is the one. */
static void test_axi_vmaddr_before_vmpr(void **state)
{
    const uint64_t addr = UINT64_C(0xABCD123410000040);
    struct bench b;

    for (unsigned s = TX_DATA; s <= RX_BUF1; s++) {
        struct trench_access a;

        open_stream(&b, *state, s);
        rig_write(b.rig, ENGINE, VMADDR(QUEUE), streams[s].rx ? 1 : 4);
        rig_write(b.rig, ENGINE, VMADDR(QUEUE) + (streams[s].rx ? 12 : 8),
                  0x43210987);
        a = send(&b, s, addr);
        CHECK_EQ(a.vmid, 0xABCD, "%s: VMADDR alone", streams[s].name);
        CHECK_EQ(a.addr, UINT64_C(0x4321123410000040), "%s", streams[s].name);
        vmpr(&b, streams[s].en_reg, streams[s].en_mask);
        vmpr(&b, streams[s].vmid, 0xFF000055);
        vmpr(&b, streams[s].hi, 0x77778888);
        rig_write(b.rig, ENGINE, VMPR_V4(QUEUE) + 4 * streams[s].sel,
                  0xFF0000FF);
        a = send(&b, s, addr);
        CHECK_EQ(a.vmid, 0x4355, "%s: VMPR's id", streams[s].name);
        CHECK_EQ(a.addr, UINT64_C(0x4377883410000040), "%s", streams[s].name);
    }
}

/* A row adds its own id only where the select asks for it. */
static void test_axi_row_vmid_without_a_stream_vmid(void **state)
{
    struct rig_row row = { .write_cmd = 0, .msb_sel = 0xFFFFFFFF };
    struct bench b;

    open_stream(&b, *state, RX_BUF1);
    rig_write(b.rig, ENGINE, SECTION_EN, 1);
    row.vmid = 0xFFFF1234; /* all from the stream, which has none */
    rig_row(b.rig, ENGINE, QUEUE, 0, &row);
    CHECK_EQ(send(&b, RX_BUF1, b.dst).has_vmid, false, "all selected");
    row.vmid = 0x0F0F1234; /* the selected bits of no id are 0 */
    rig_row(b.rig, ENGINE, QUEUE, 0, &row);
    CHECK_EQ(send(&b, RX_BUF1, b.dst).vmid, 0x1030, "half");
    vmpr(&b, 4, 1u << 7);
    vmpr(&b, 7, 0xABCD);
    CHECK_EQ(send(&b, RX_BUF1, b.dst).vmid,
             (0xABCD & 0x0F0F) | (0x1234 & 0xF0F0), "with one");
}

/* ---- the hook ----------------------------------------------------------- */

static unsigned only_vmid_7(const struct trench_access *a, const void *arg)
{
    unsigned master = *(const unsigned *)arg;

    return a->master != master || (a->has_vmid && a->vmid == 7)
               ? TRENCH_AXI_OKAY
               : TRENCH_AXI_DECERR;
}

static void test_axi_hook_refuses_by_vmid(void **state)
{
    const unsigned master = TRENCH_AXI_S2M_DATA_WRITE;
    struct rig_watch w = { .judge = only_vmid_7, .arg = &master };
    struct bench b;

    bench_open(&b, *state, 32);
    rig_watch(b.rig, &w);
    rig_copy(&b.rq, b.dst, b.src, BYTES);
    CHECK_UNTOUCHED(b.rig, b.dst, BYTES, "no id");
    CHECK_EQ(rig_read(b.rig, ENGINE, SECONDARY(GROUP_B) + INT_CAUSE), 2,
             "data response");
    vmpr(&b, 4, 1u << 7);
    vmpr(&b, 7, 8);
    rig_copy(&b.rq, b.dst, b.src, BYTES);
    CHECK_UNTOUCHED(b.rig, b.dst, BYTES, "id 8");
    vmpr(&b, 7, 7);
    rig_copy(&b.rq, b.dst, b.src, BYTES);
    CHECK_COPY(b.rig, b.dst, b.src, BYTES, "id 7");
    CHECK_EQ(rig_stats(b.rig, ENGINE).packets, 3, "packets");
    trench_soc_set_access(b.rig->soc, NULL, NULL);
}

static unsigned too_high(const struct trench_access *a, const void *arg)
{
    (void)arg;
    return a->master == TRENCH_AXI_M2S_DATA_READ ? 1000 : 0;
}

/* access.h: a code above 15 is SLVERR: a response error and nothing else. */
static void test_axi_hook_answer_above_15(void **state)
{
    struct rig_watch w = { .judge = too_high };
    struct bench b;

    bench_open(&b, *state, 32);
    rig_watch(b.rig, &w);
    rig_copy(&b.rq, b.dst, b.src, BYTES);
    CHECK_EQ(rig_read(b.rig, ENGINE, SECONDARY(GROUP_A) + INT_CAUSE), 1u << 8,
             "cause");
    trench_soc_set_access(b.rig->soc, NULL, NULL);
}

struct meddler {
    struct rig_queue *rq;
    enum side side;
    unsigned master;
    unsigned skip; /* let so many accesses of the master pass first */
    unsigned left;
};

/* A hook may write the bus: here it resets the queue that is being served. */
static unsigned reset_queue(void *opaque, const struct trench_access *a)
{
    struct meddler *m = opaque;

    if (a->master != m->master || m->left == 0) {
        return 0;
    }
    if (m->skip > 0) {
        m->skip--;
    } else {
        m->left--;
        rig_q_set(m->rq, m->side, sw_ctrl(m->side), RST_Q);
    }
    return 0;
}

static void check_meddled(struct bench *b, enum side side, unsigned master,
                          unsigned skip)
{
    struct meddler m = { &b->rq, side, master, skip, 1 };
    struct rig *r = b->rig;

    trench_soc_set_access(r->soc, reset_queue, &m);
    bench_packet(b, 4, 4, 256);
    trench_soc_set_access(r->soc, NULL, NULL);
    CHECK_EQ(m.left, 0, "master=%u side=%d", master, side);
    /* At most what was there is fetched, and nothing twice. */
    CHECK_EQ(rig_read(r, ENGINE, M2S_PREFED) <= 4, true, "master=%u", master);
    CHECK_EQ(rig_read(r, ENGINE, S2M_PREFED) <= 4, true, "master=%u", master);
    /* A reset ring has nothing posted, and is not fetched from. */
    CHECK_PTR(&b->rq, side, Q_HEAD, 0, 1, "master=%u side=%d", master, side);
    CHECK_PTR(&b->rq, side, Q_TAIL, 0, 1, "master=%u side=%d", master, side);
    rig_queue_program(&b->rq);
    rig_fill(r, b->src, BYTES, master);
    rig_copy(&b->rq, b->dst, b->src, BYTES);
    CHECK_COPY(r, b->dst, b->src, BYTES, "master=%u side=%d", master, side);
}

static void test_axi_hook_resets_a_queue_under_way(void **state)
{
    struct bench b;

    for (unsigned m = 0; m < TRENCH_AXI_MSIX_WRITE; m++) {
        for (enum side side = TX; side <= RX; side++) {
            bench_open(&b, *state, 32);
            bench_completions(&b, TX);
            bench_completions(&b, RX);
            /* The bell of the other ring comes first. */
            if ((m < TRENCH_AXI_S2M_DESC_READ) == (side == TX)) {
                check_meddled(&b, side, m, 0);
            }
        }
    }
}

/* The second data write of a packet of one run is its padding. */
static void test_axi_hook_resets_a_queue_in_padding(void **state)
{
    static const struct rig_row row = { .msb_sel = 0xFFFFFFFF,
                                        .vmid = 0xFFFF0000,
                                        .padding = 1 };
    struct bench b;

    for (enum side side = TX; side <= RX; side++) {
        struct meddler m = { &b.rq, side, TRENCH_AXI_S2M_DATA_WRITE, 1, 1 };

        bench_open(&b, *state, 32);
        rig_row(b.rig, ENGINE, QUEUE, 0, &row);
        rig_write(b.rig, ENGINE, SECTION_EN, 1);
        trench_soc_set_access(b.rig->soc, reset_queue, &m);
        rig_rx(&b.rq, b.dst, 64);
        rig_tx(&b.rq, D_ONE, b.src, 20);
        rig_bell(&b.rq, RX, 1);
        rig_bell(&b.rq, TX, 1);
        trench_soc_set_access(b.rig->soc, NULL, NULL);
        CHECK_EQ(m.left, 0, "side=%d", side);
        CHECK_EQ(rig_q(&b.rq, side, Q_STATUS) & 0x1FFFFFF, 0, "side=%d", side);
        rig_queue_program(&b.rq);
        rig_copy(&b.rq, b.dst, b.src, BYTES);
        CHECK_COPY(b.rig, b.dst, b.src, BYTES, "side=%d", side);
        CHECK_EQ(rig_stats(b.rig, ENGINE).packets, 1, "side=%d", side);
    }
}

struct leaver {
    struct rig *rig;
    unsigned left;
};

/* Takes itself out under a packet. */
static unsigned leave(void *opaque, const struct trench_access *a)
{
    struct leaver *l = opaque;

    (void)a;
    if (l->left-- == 0) {
        trench_soc_set_access(l->rig->soc, NULL, NULL);
    }
    return 0;
}

static void test_axi_hook_leaves_under_a_packet(void **state)
{
    struct bench b;

    for (unsigned n = 0; n < 24; n++) {
        struct leaver l = { *state, n };

        bench_open(&b, *state, 32);
        rig_q_set(&b.rq, RX, RXQ_PKT_CFG, n % 2 ? FORCE_HDR_SPLIT : 0);
        trench_soc_set_access(b.rig->soc, leave, &l);
        bench_packet(&b, 5, 7, 35 * 20);
        trench_soc_set_access(b.rig->soc, NULL, NULL);
        CHECK_COPY(b.rig, b.dst, b.src, 35 * 20, "after=%u", n);
        CHECK_UNTOUCHED(b.rig, b.dst + 35 * 20, 64, "after=%u", n);
        CHECK_EQ(rig_stats(b.rig, ENGINE).packets, 1, "after=%u", n);
    }
}

#define TEST(name)                                                             \
    cmocka_unit_test_setup_teardown(name, rig_setup, rig_teardown)

int main(void)
{
#define TEST(name)                                                             \
    cmocka_unit_test_setup_teardown(name, rig_setup, rig_teardown)
    const struct CMUnitTest tests[] = {
        TEST(test_axi_cfg_vmpr_v4_selects_each_bit),
        TEST(test_axi_vmpr_high_words_are_independent),
        TEST(test_axi_reset_selectors_reach_only_4_gib),
        TEST(test_axi_cfg_vmpr_5),
        TEST(test_axi_cfg_vmpr_hisel_is_storage),
        TEST(test_axi_composed_address_moves_data),
        TEST(test_axi_vmpr_data_vmid),
        TEST(test_axi_vmpr_prefetch_and_completion_vmid),
        TEST(test_axi_cfg_vm_ctrl),
        TEST(test_axi_cfg_tx_vm_and_cfg_rx_vm),
        TEST(test_axi_vmaddr_before_vmpr),
        TEST(test_axi_row_vmid_without_a_stream_vmid),
        TEST(test_axi_hook_refuses_by_vmid),
        TEST(test_axi_hook_answer_above_15),
        TEST(test_axi_hook_resets_a_queue_under_way),
        TEST(test_axi_hook_resets_a_queue_in_padding),
        TEST(test_axi_hook_leaves_under_a_packet),
    };

    return cmocka_run_group_tests_name("axi", tests, NULL, NULL);
}
