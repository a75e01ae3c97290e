/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Packets for the application engines: META, DRE, CME and CCE descriptors
 * near what is valid.
 *
 * Each packet runs twice, straight in memory and with every access looked at.
 * Both must complete it, and come to the same bytes and counters.
 */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <trench/access.h>
#include <trench/app.h>
#include <trench/bus.h>
#include <trench/soc.h>

#include "fuzz.h"
#include "udma_gen_ex_gen.h"
#include "udma_m2s_gen.h"
#include "udma_s2m_gen.h"

#define BASE      UINT64_C(0x1002000000) /* engine 0 */
#define S2M       UINT64_C(0x20000)
#define GEN_EX    UINT64_C(0x3C000)
#define TX_RING   0x100000u
#define RX_RING   0x101000u
#define RING_LEN  64u
#define SRC       0x110000u
#define SRC_BYTES 0x14000u
#define DST       0x200000u
#define BUFFERS   8u
#define BUF_BYTES 0x10000u
#define MAX_DESCS 40u
#define META      0x00800000u

static struct trench_soc *soc[2]; /* by reading of the nibbles */

/* Command words as software writes them; the input mixes into them. */
static const uint32_t words[] = {
    0x01080003, 0x01190003, 0x01290002, 0x01710001, 0x01014003, 0x00800003,
    0x00900004, 0x00A00002, 0x020AA000, 0x020A6000, 0x0216AA00, 0x021AAA00,
    0x022AAA20, 0x023A0A00, 0x024AA000, 0x0250AA00, 0x04A00003, 0x06000000,
    0x06200000, 0x06300000, 0x06500001, 0x00000000, 0x02C00000, 0x03800000,
};

struct packet {
    uint32_t desc[MAX_DESCS][4];
    bool own_marks[MAX_DESCS];
    unsigned nr;
    uint8_t splits; /* sizes of the buffers */
};

static void write_reg(struct trench_bus *bus, uint64_t off, uint32_t val)
{
    FUZZ_CHECK(trench_bus_write32(bus, BASE + off, val) == 0);
}

static uint32_t read_reg(struct trench_bus *bus, uint64_t off)
{
    uint32_t val = 0;

    FUZZ_CHECK(trench_bus_read32(bus, BASE + off, &val) == 0);
    return val;
}

static void queue_open(struct trench_bus *bus)
{
    write_reg(bus, GEN_EX + UDMA_GEN_EX_VMPR_V4_CFG_VMPR_V4_0(0), UINT32_MAX);
    write_reg(bus, GEN_EX + UDMA_GEN_EX_VMPR_V4_CFG_VMPR_V4_1(0), UINT32_MAX);
    write_reg(bus, UDMA_M2S_M2S_CFG_LEN, 0x010FFFFF);
    write_reg(bus, UDMA_M2S_M2S_Q_TDRBP_LOW(0), TX_RING);
    write_reg(bus, UDMA_M2S_M2S_Q_TDRL(0), RING_LEN);
    write_reg(bus, UDMA_M2S_M2S_Q_CFG(0), 0x03030000);
    write_reg(bus, S2M + UDMA_S2M_S2M_Q_RDRBP_LOW(0), RX_RING);
    write_reg(bus, S2M + UDMA_S2M_S2M_Q_RDRL(0), RING_LEN);
    write_reg(bus, S2M + UDMA_S2M_S2M_Q_CFG(0), 0x03030000);
}

/* ---- making a packet ------------------------------------------------------
 */

/* A length that is some elements, or anything. */
static uint32_t length(struct fuzz_input *in, uint8_t how)
{
    static const uint32_t usual[] = { 4, 8, 64, 256, 2048, 4096, 8192, 3 };

    return how & 8 ? fuzz_u16(in) : usual[how & 7];
}

static void make_desc(struct fuzz_input *in, struct packet *p, unsigned i)
{
    uint8_t how = fuzz_u8(in);
    uint8_t bits = fuzz_u8(in);
    uint32_t *d = p->desc[i];

    d[0] = (i == 0 ? 0x04000000u : 0) | (i + 1 == p->nr ? 0x08000000u : 0) |
           1u << 24 | (how & 0x80 ? META : 0) | length(in, how & 15);
    d[1] = words[bits % (sizeof(words) / sizeof(words[0]))];
    if (how & 0x40) {
        d[1] ^= fuzz_u32(in) & 0x01FFFFFF;
    }
    p->own_marks[i] = how & 0x20;
    if (how & 0x80) {
        d[2] = how & 0x10 ? fuzz_u32(in) : 0x09000000; /* a = 1, b = 2 */
        d[3] = fuzz_u32(in);
    } else {
        d[2] = SRC + fuzz_u8(in) * 0x10u;
        d[3] = bits == 0xFF ? fuzz_u32(in) : 0;
    }
}

/* Block attributes as they should be, for buffers without their own. */
static void mark_blocks(struct packet *p)
{
    uint32_t *last = NULL;
    bool first = true;

    for (unsigned i = 0; i < p->nr; i++) {
        uint32_t *d = p->desc[i];

        if ((d[0] & META) || p->own_marks[i]) {
            continue;
        }
        d[1] = (d[1] & ~3u) | (first ? 2u : 0);
        first = false;
        last = d;
    }
    if (last) {
        last[1] |= 1;
    }
}

/* One command for all buffers: that of the last descriptor. */
static void same_command(struct packet *p)
{
    for (unsigned i = 0; i < p->nr; i++) {
        if (!(p->desc[i][0] & META)) {
            p->desc[i][1] = p->desc[p->nr - 1][1];
        }
    }
}

static void make_packet(struct fuzz_input *in, struct packet *p)
{
    uint8_t n = fuzz_u8(in);

    p->nr = 1 + (n & 0x80 ? n % MAX_DESCS : n % 6);
    p->splits = fuzz_u8(in);
    for (unsigned i = 0; i < p->nr; i++) {
        make_desc(in, p, i);
    }
    if (n & 0x40) {
        same_command(p);
    }
    mark_blocks(p);
}

/* ---- running it ------------------------------------------------------------
 */

struct outcome {
    struct trench_soc_engine_stats stats;
    struct trench_app_stats app;
    uint32_t read; /* bytes */
    uint8_t dst[BUFFERS * BUF_BYTES];
};

static unsigned look(void *opaque, const struct trench_access *access)
{
    (void)opaque;
    (void)access;
    return 0;
}

static void put_buffers(struct trench_bus *bus, uint8_t splits)
{
    for (unsigned i = 0; i < BUFFERS; i++) {
        uint32_t len = i < 4 && (splits >> i & 1) ? 1 + (splits >> 4) * 7u : 0;
        const uint32_t d[4] = { 1u << 24 | len, 0, DST + i * BUF_BYTES, 0 };

        trench_bus_write(bus, TRENCH_BUS_SOFTWARE, RX_RING + 16 * i, d,
                         sizeof(d));
    }
}

static void run(struct trench_soc *chip, const struct packet *p, bool watched,
                struct outcome *out)
{
    struct trench_bus *bus = trench_soc_bus(chip);
    uint8_t *dst = trench_bus_host(bus, DST, sizeof(out->dst));

    trench_soc_set_access(chip, watched ? look : NULL, NULL);
    trench_soc_reset(chip);
    memset(dst, 0, sizeof(out->dst));
    queue_open(bus);
    trench_bus_write(bus, TRENCH_BUS_SOFTWARE, TX_RING, p->desc,
                     p->nr * sizeof(p->desc[0]));
    put_buffers(bus, p->splits);
    if (p->splits & 0x80) { /* starved at first */
        write_reg(bus, UDMA_M2S_M2S_Q_TDRTP_INC(0), p->nr);
        write_reg(bus, S2M + UDMA_S2M_S2M_Q_RDRTP_INC(0), 1);
        write_reg(bus, S2M + UDMA_S2M_S2M_Q_RDRTP_INC(0), BUFFERS - 1);
    } else {
        write_reg(bus, S2M + UDMA_S2M_S2M_Q_RDRTP_INC(0), BUFFERS);
        write_reg(bus, UDMA_M2S_M2S_Q_TDRTP_INC(0), p->nr);
    }
    FUZZ_CHECK(trench_soc_engine_stats(chip, 0, &out->stats) == 0);
    FUZZ_CHECK(trench_soc_app_stats(chip, 0, &out->app) == 0);
    out->read = read_reg(bus, UDMA_M2S_M2S_STAT_TX_BYTES_LOW);
    memcpy(out->dst, dst, sizeof(out->dst));
}

/* Both ways it is over, and came to the same. */
static void compare(const struct packet *p, const struct outcome *a,
                    const struct outcome *b)
{
    FUZZ_CHECK(a->stats.tx_descs == p->nr || a->stats.rx_descs == BUFFERS);
    FUZZ_CHECK(memcmp(&a->stats, &b->stats, sizeof(a->stats)) == 0);
    FUZZ_CHECK(memcmp(&a->app, &b->app, sizeof(a->app)) == 0);
    FUZZ_CHECK(a->read == b->read);
    FUZZ_CHECK(memcmp(a->dst, b->dst, sizeof(a->dst)) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct outcome plain, watched;
    static struct packet p;
    struct fuzz_input in = { data, size };
    unsigned nibbles = fuzz_u8(&in) & 1;
    uint8_t *src;

    if (!soc[nibbles]) {
        const struct trench_soc_conf conf = {
            .host_bytes = 0x1000,
            .cce_nibbles = (enum trench_cce_nibbles)nibbles,
        };

        FUZZ_CHECK(trench_soc_create(&conf, &soc[nibbles]) == 0);
    }
    src = trench_bus_host(trench_soc_bus(soc[nibbles]), SRC, SRC_BYTES);
    make_packet(&in, &p);
    memset(src, 0x3F, SRC_BYTES);
    fuzz_bytes(&in, src, in.left < 256 ? in.left : 256);
    run(soc[nibbles], &p, false, &plain);
    run(soc[nibbles], &p, true, &watched);
    compare(&p, &plain, &watched);
    return 0;
}
