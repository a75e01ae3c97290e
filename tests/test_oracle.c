/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Random programs on a channel and on the reference model (oracle.h): after
 * every register write all registers agree, and now and then all memory does.
 * A failure prints the line that repeats it. TRENCH_SEED is the first program,
 * TRENCH_DESCS the least number of M2S descriptors, TRENCH_TRACE=1 shows the
 * writes.
 */
#include <inttypes.h>

#include <trench/gen.h>
#include <trench/soc.h>

#include "check.h"
#include "oracle.h"

/* Where rings and data live. Each piece ends where its memory ends. */
#define HOST_BYTES  UINT64_C(0x4000000)
#define PIECE_BYTES UINT64_C(0x60000)
#define SBUF_BYTES  UINT64_C(0x38000)
#define DATA_OFFSET UINT64_C(0x20000) /* rings before, data after */
#define SLOT_BYTES  0x4000u           /* one ring and its completions */
#define RING_BYTES  0x1000u
#define MAX_QUEUES  4

static const struct piece {
    uint64_t base;
    uint64_t alias;
    uint64_t size_bytes;
} pieces[] = {
    { UINT64_C(0x600000000) - PIECE_BYTES, 0, PIECE_BYTES }, /* HBM_0 */
    { UINT64_C(0x400000000000) + HOST_BYTES - PIECE_BYTES,
      UINT64_C(0xc00000000000) + HOST_BYTES - PIECE_BYTES, PIECE_BYTES },
    { UINT64_C(0x20000c0000), 0, SBUF_BYTES }, /* SBUF partition 3 */
};

/* The first hole is 0x8000 long, the others are longer than any buffer. */
static const uint64_t unmapped[] = {
    UINT64_C(0x20000f8000),       UINT64_C(0x600000000),
    UINT64_C(0x1300000000),       UINT64_C(0x400000000000) + HOST_BYTES,
    UINT64_C(0xfffffffffffffff8), UINT64_C(0x20000000000000),
};

/* What the test knows about a ring that it fills. */
struct side {
    uint32_t len;
    uint64_t slot;   /* memory of the ring and its completions */
    uint64_t ring;   /* where in it the ring starts */
    uint32_t next;   /* index of the next descriptor to write */
    uint32_t lap;    /* its tag */
    uint32_t unrung; /* written, not posted */
};

struct qplan {
    unsigned queue;
    struct side side[2];
    bool data_tail;
    uint32_t data_lag; /* posted to TDRTP, not yet to TDRDTP */
};

struct rig {
    struct trench_soc *soc;
    struct trench_bus *bus;
    struct oracle *oracle;
    bool trace;
    uint64_t rnd;

    /* This program. */
    uint64_t seed;
    unsigned step; /* 0 while it is set up */
    unsigned engine;
    uint64_t base[2];      /* plain and privileged route */
    uint64_t guest_errors; /* before it */
    struct qplan plan[MAX_QUEUES];
    unsigned nr_plans;
    unsigned idle_queue; /* nobody sets it up */
    bool naughty;        /* malformed packets, bad addresses */
    bool overlap;        /* destinations share a few bytes */
    bool encode_64k;
    uint32_t max_len;   /* of the usual buffer */
    uint32_t max_descs; /* of a legal packet */
    uint32_t max_bytes; /* of a legal packet */

    bool failed;
    char diff[400]; /* what differed first */
    uint64_t programs, descs;
    uint32_t causes[2]; /* ever raised */
};

/* --- Random numbers ----------------------------------------------------- */

static uint64_t next_random(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

static uint32_t word(struct rig *rig)
{
    return (uint32_t)(next_random(&rig->rnd) >> 16);
}

/* first .. last, both possible */
static uint32_t pick(struct rig *rig, uint32_t first, uint32_t last)
{
    return first + word(rig) % (last - first + 1);
}

static bool chance(struct rig *rig, uint32_t percent)
{
    return pick(rig, 1, 100) <= percent;
}

/* --- Differences -------------------------------------------------------- */

static bool differs(struct rig *rig, const char *what, uint64_t where,
                    uint64_t want, uint64_t got)
{
    if (want == got) {
        return false;
    }
    snprintf(rig->diff, sizeof(rig->diff),
             "%s 0x%05" PRIx64 ": expected 0x%" PRIx64 ", actual 0x%" PRIx64
             " (engine %u, program %" PRIu64 ", step %u)\n"
             "replay: TRENCH_SEED=0x%" PRIx64 " TRENCH_DESCS=1 test_oracle",
             what, where, want, got, rig->engine, rig->programs, rig->step,
             rig->seed);
    return true;
}

static bool register_differs(struct rig *rig, uint32_t off)
{
    uint32_t got = 0;
    int err;

    if (off % 0x20000 >= 0x214 && off % 0x20000 <= 0x220 &&
        rig->oracle->log_unsure[off / 0x20000]) {
        return false;
    }
    err = trench_bus_read32(rig->bus, rig->base[chance(rig, 10)] + off, &got);
    return differs(rig, "refused register", off, 0, (uint64_t)err) ||
           differs(rig, "register", off, oracle_read(rig->oracle, off), got);
}

static bool registers_differ(struct rig *rig)
{
    for (size_t i = 0; i < ORACLE_CHANNEL_REGS; i++) {
        if (register_differs(rig, oracle_channel_regs[i])) {
            return true;
        }
    }
    for (unsigned p = 0; p <= rig->nr_plans; p++) {
        unsigned q = p < rig->nr_plans ? rig->plan[p].queue : rig->idle_queue;

        for (size_t i = 0; i < ORACLE_QUEUE_REGS; i++) {
            if (register_differs(rig, oracle_queue_regs[i] + q * 0x1000)) {
                return true;
            }
        }
    }
    return false;
}

static bool counts_differ(struct rig *rig)
{
    const struct oracle_counts *want = &rig->oracle->counts;
    struct trench_soc_engine_stats got = { .packets = 0 };
    struct trench_soc_stats chip;

    trench_soc_stats(rig->soc, &chip);
    trench_soc_engine_stats(rig->soc, rig->engine, &got);
    return differs(rig, "packets", 0, want->packets, got.packets) ||
           differs(rig, "tx_descs", 0, want->tx_descs, got.tx_descs) ||
           differs(rig, "rx_descs", 0, want->rx_descs, got.rx_descs) ||
           differs(rig, "bytes", 0, want->bytes, got.bytes) ||
           differs(rig, "doorbells", 0, want->doorbells, got.doorbells) ||
           differs(rig, "dropped", 0, 0, got.dropped) ||
           differs(rig, "errors", 0, want->errors, got.errors) ||
           differs(rig, "unsupported", 0, want->unsupported, got.unsupported) ||
           differs(rig, "unknown", 0, 0, got.unknown) ||
           differs(rig, "guest_errors", 0, want->guest_errors,
                   chip.guest_errors - rig->guest_errors) ||
           differs(rig, "budget_stops", 0, 0, chip.budget_stops);
}

static bool memory_differs(struct rig *rig)
{
    for (size_t i = 0; i < ARRAY_LEN(pieces); i++) {
        const struct piece *piece = &pieces[i];
        const uint8_t *want =
            oracle_bytes(rig->oracle, piece->base, piece->size_bytes);
        const uint8_t *got =
            trench_bus_host(rig->bus, piece->base, piece->size_bytes);

        if (memcmp(want, got, piece->size_bytes) == 0) {
            continue;
        }
        for (uint64_t b = 0; b < piece->size_bytes; b++) {
            if (differs(rig, "memory", piece->base + b, want[b], got[b])) {
                return true;
            }
        }
    }
    return false;
}

static bool everything_differs(struct rig *rig)
{
    return registers_differ(rig) || counts_differ(rig) || memory_differs(rig);
}

/* The oracle always takes addresses from descriptors as they are. */
static void whole_addresses(struct rig *rig, uint32_t vmpr_v4)
{
    for (uint32_t off = vmpr_v4; off < vmpr_v4 + 8; off += 4) {
        assert_int_equal(
            trench_bus_write32(rig->bus, rig->base[0] + off, 0xFFFFFFFF), 0);
    }
}

/* --- Accesses, to both -------------------------------------------------- */

static void poke(struct rig *rig, uint32_t off, uint32_t val)
{
    if (rig->trace) {
        print_message("# step %u: write 0x%05x 0x%08x\n", rig->step, off, val);
    }
    assert_int_equal(
        trench_bus_write32(rig->bus, rig->base[chance(rig, 10)] + off, val), 0);
    oracle_write(rig->oracle, off, val);
    rig->causes[M2S] |= rig->oracle->reg[0x3a000 / 4];
    rig->causes[S2M] |= rig->oracle->reg[0x3a040 / 4];
    if (rig->step > 0 && !rig->failed) {
        rig->failed = registers_differ(rig) || counts_differ(rig);
    }
}

/* A register of queue 0's M2S bank, on the plan's queue and this side. */
static void poke_queue(struct rig *rig, const struct qplan *plan, int side,
                       uint32_t off, uint32_t val)
{
    poke(rig, off + plan->queue * 0x1000 + (side == S2M ? 0x20000 : 0), val);
}

static void store(struct rig *rig, uint64_t addr, const void *bytes, size_t len)
{
    void *mine = oracle_bytes(rig->oracle, addr, len);
    void *theirs = trench_bus_host(rig->bus, addr, len);

    assert_non_null(mine);
    assert_non_null(theirs);
    memcpy(mine, bytes, len);
    memcpy(theirs, bytes, len);
}

/* --- Descriptors -------------------------------------------------------- */

static uint64_t good_address(struct rig *rig, uint32_t len, bool narrow)
{
    const struct piece *piece = &pieces[0];
    uint64_t addr;

    if (!narrow && len <= SBUF_BYTES - DATA_OFFSET) {
        piece = &pieces[pick(rig, 0, ARRAY_LEN(pieces) - 1)];
    }
    addr = piece->alias && chance(rig, 30) ? piece->alias : piece->base;
    addr += DATA_OFFSET;
    if (narrow) {
        addr += pick(rig, 0, 64);
    } else {
        addr += pick(rig, 0, (uint32_t)(piece->size_bytes - DATA_OFFSET) - len);
    }
    return addr;
}

/* Some straddle an end. */
static uint64_t bad_address(struct rig *rig, uint32_t len)
{
    size_t first = len > 0x8000;
    uint64_t addr = unmapped[pick(rig, first, ARRAY_LEN(unmapped) - 1)];

    return chance(rig, 50) && len > 1 ? addr - pick(rig, 1, len - 1) : addr;
}

/* Address bits 56 and 57 do not matter. */
static uint64_t attributes(struct rig *rig)
{
    return chance(rig, 10) ? (uint64_t)pick(rig, 0, 3) << 56 : 0;
}

/* Without encode_64k a length field of 0 is no byte at all. */
static uint32_t buffer_bytes(struct rig *rig)
{
    if (!rig->encode_64k && chance(rig, 5)) {
        return 0;
    }
    if (chance(rig, 1)) {
        return rig->encode_64k && chance(rig, 50) ? 65536 : pick(rig, 1, 65535);
    }
    return pick(rig, 1, chance(rig, 90) ? rig->max_len : 4096);
}

/* A copy, or what no application engine takes. */
static uint32_t command(struct rig *rig)
{
    static const uint32_t others[] = {
        0x00000000, 0x01000003, 0x01980003, 0x03880003, 0x02080003, 0x02d80003,
        0x01090003, 0x01084003, 0x01080043, 0x0108c003, 0x010a0003,
    };

    if (rig->naughty && chance(rig, 2)) {
        return others[pick(rig, 0, ARRAY_LEN(others) - 1)];
    }
    return chance(rig, 10) ? 0x05080003 : 0x01080000 | pick(rig, 0, 3);
}

/* Words of a descriptor, without packet flags and lap tag. */
static void make_desc(struct rig *rig, int side, uint32_t len,
                      uint32_t words[4])
{
    uint64_t addr;

    if (rig->naughty && chance(rig, 2)) {
        addr = bad_address(rig, len);
    } else {
        addr = good_address(rig, len, side == S2M && rig->overlap);
        addr |= attributes(rig);
    }
    words[0] = len & 0xffff;
    words[0] |= chance(rig, 10) ? 1u << 28 : 0; /* INT_EN */
    words[0] |= chance(rig, 10) ? 1u << 29 : 0; /* no snoop, strong order */
    words[1] = word(rig);
    words[2] = (uint32_t)addr;
    words[3] = (uint32_t)(addr >> 32);
    if (side == M2S) {
        words[0] |= chance(rig, 10) ? 1u << 30 : 0; /* DMB */
        words[0] |= chance(rig, 10) ? 1u << 31 : 0; /* CONCAT */
        words[1] = command(rig);
    }
}

static const struct oracle_ring *ring_of(const struct rig *rig,
                                         const struct qplan *plan, int side)
{
    return &rig->oracle->queue[plan->queue].ring[side];
}

/* Descriptors that may still be written. */
static uint32_t room(const struct rig *rig, const struct qplan *plan, int side)
{
    const struct oracle_ring *ring = ring_of(rig, plan, side);
    const struct side *s = &plan->side[side];
    uint32_t used = oracle_distance(ring->cur, ring->tail, s->len) + s->unrung;

    return used < s->len ? s->len - used : 0;
}

static void put_desc(struct rig *rig, struct side *s, uint32_t words[4])
{
    uint32_t lap = s->lap;

    if (rig->naughty && chance(rig, 1)) {
        lap += pick(rig, 1, 3);
    }
    words[0] |= (lap & 3) << 24;
    store(rig, s->ring + 16 * s->next, words, 16);
    s->unrung++;
    s->next++;
    if (s->next == s->len) {
        s->next = 0;
        s->lap = (s->lap + 1) & 3;
    }
}

static void put_buffer(struct rig *rig, struct qplan *plan)
{
    uint32_t words[4];

    make_desc(rig, S2M, buffer_bytes(rig), words);
    put_desc(rig, &plan->side[S2M], words);
}

enum flaw {
    NONE,
    NO_FIRST,
    NO_LAST,
    FIRST_INSIDE,
    MANY,
    LONG,
    META,
    NR_FLAWS
};

/* Write a packet that fits in the ring. */
static void put_packet(struct rig *rig, struct qplan *plan)
{
    uint32_t nr = 1, at, left = rig->max_bytes;
    enum flaw flaw = NONE;

    if (rig->naughty && chance(rig, 10)) {
        flaw = (enum flaw)pick(rig, 0, NR_FLAWS - 1);
    }
    while (nr < rig->max_descs && chance(rig, 50)) {
        nr++;
    }
    nr = flaw == MANY ? rig->max_descs + pick(rig, 1, 3) : nr;
    nr = min_u32(nr, room(rig, plan, M2S));
    at = pick(rig, 0, nr - 1);
    for (uint32_t i = 0; i < nr; i++) {
        uint32_t len = flaw == LONG ? pick(rig, 1, 65535) : buffer_bytes(rig);
        uint32_t words[4];

        if (flaw != LONG) {
            len = min_u32(len, left);
            nr = len == left ? i + 1 : nr;
            left -= len;
        }
        make_desc(rig, M2S, len, words);
        words[0] |= i == 0 && flaw != NO_FIRST ? 1u << 26 : 0;
        words[0] |= i == at && flaw == FIRST_INSIDE ? 1u << 26 : 0;
        words[0] |= i == at && flaw == META ? 1u << 23 : 0;
        words[0] |= i == nr - 1 && flaw != NO_LAST ? 1u << 27 : 0;
        put_desc(rig, &plan->side[M2S], words);
    }
}

/* --- What a program does ------------------------------------------------ */

static void bell(struct rig *rig, struct qplan *plan, int side, uint32_t nr)
{
    uint32_t val = nr | (chance(rig, 5) ? word(rig) << 24 : 0);

    plan->side[side].unrung -= nr;
    plan->data_lag += side == M2S ? nr : 0;
    if (side == M2S && plan->data_tail && chance(rig, 20)) {
        poke_queue(rig, plan, M2S, 0x010e0, plan->data_lag);
        plan->data_lag = 0;
    }
    poke_queue(rig, plan, side, 0x01038, val);
}

static void bell_some(struct rig *rig, struct qplan *plan, int side)
{
    uint32_t nr = plan->side[side].unrung;

    if (nr > 0) {
        bell(rig, plan, side, chance(rig, 50) ? nr : pick(rig, 1, nr));
    }
    if (plan->data_lag > 0 && chance(rig, 30)) {
        nr = pick(rig, 1, plan->data_lag);
        plan->data_lag -= nr;
        poke_queue(rig, plan, M2S, 0x010e0, nr);
    }
}

/* Write packets or buffers, and usually post some of what is there. */
static void do_post(struct rig *rig, struct qplan *plan, int side)
{
    uint32_t many = side == S2M ? 200 : 60;
    uint32_t nr = pick(rig, 1, chance(rig, 35) ? many : 12);

    for (; nr > 0 && room(rig, plan, side) > 0; nr--) {
        if (side == S2M) {
            put_buffer(rig, plan);
        } else {
            put_packet(rig, plan);
        }
    }
    if (chance(rig, 80)) {
        bell_some(rig, plan, side);
    }
}

static void enable(struct rig *rig, struct qplan *plan, int side, uint32_t on)
{
    poke_queue(rig, plan, side, 0x01020,
               0x03000000 | on << 16 | pick(rig, 0, 0xff));
}

static void do_enable(struct rig *rig, struct qplan *plan, int side)
{
    static const uint32_t commands[] = { 1, 1, 2, 4 };

    switch (pick(rig, 0, 5)) {
    case 0:
        poke(rig, side == S2M ? 0x20254 : 0x0025c,
             chance(rig, 50) ? 0xffff : word(rig));
        break;
    case 1:
        poke(rig, side == S2M ? 0x20204 : 0x00204, commands[pick(rig, 0, 3)]);
        break;
    default:
        enable(rig, plan, side, chance(rig, 60) ? 3 : pick(rig, 0, 3));
    }
}

static void enable_all(struct rig *rig)
{
    poke(rig, 0x0025c, 0xffff);
    poke(rig, 0x20254, 0xffff);
    poke(rig, 0x00204, 1);
    poke(rig, 0x20204, 1);
    for (unsigned p = 0; p < rig->nr_plans; p++) {
        enable(rig, &rig->plan[p], M2S, 3);
        enable(rig, &rig->plan[p], S2M, 3);
    }
}

static void reset_side(struct rig *rig, struct qplan *plan, int side)
{
    struct side *s = &plan->side[side];

    s->next = 0;
    s->lap = 1;
    s->unrung = 0;
    plan->data_lag = side == M2S ? 0 : plan->data_lag;
    poke_queue(rig, plan, side, side == S2M ? 0x01064 : 0x010b0, 0x100);
}

/* Bits 5:0 of a base are ignored. */
static void set_address(struct rig *rig, const struct qplan *plan, int side,
                        uint32_t off, uint64_t addr)
{
    addr |= attributes(rig);
    poke_queue(rig, plan, side, off, (uint32_t)addr | pick(rig, 0, 63));
    poke_queue(rig, plan, side, off + 4, (uint32_t)(addr >> 32));
}

static void place_ring(struct rig *rig, struct qplan *plan, int side)
{
    struct side *s = &plan->side[side];
    uint32_t spare = (RING_BYTES - 16 * s->len) / 64;

    s->ring = s->slot + 64 * pick(rig, 0, spare);
    set_address(rig, plan, side, 0x01028, s->ring);
}

static void place_comp(struct rig *rig, struct qplan *plan, int side)
{
    const struct side *s = &plan->side[side];
    uint32_t most = (side == S2M ? 32 : 4) * s->len;
    uint32_t spare = (SLOT_BYTES - RING_BYTES - most) / 64;

    set_address(rig, plan, side, 0x01044,
                s->slot + RING_BYTES + 64 * pick(rig, 0, spare));
    poke_queue(rig, plan, side, side == S2M ? 0x01054 : 0x010a0,
               chance(rig, 70) ? 3 : 2);
}

static void do_reset(struct rig *rig, struct qplan *plan, int side)
{
    struct side *s = &plan->side[side];

    reset_side(rig, plan, side);
    if (chance(rig, 50)) {
        s->len = pick(rig, 1, chance(rig, 50) ? 200 : 12);
        poke_queue(rig, plan, side, 0x01030, s->len);
        place_ring(rig, plan, side);
        place_comp(rig, plan, side);
    }
    enable(rig, plan, side, 3);
}

/* Base addresses and completion rings change under a running queue (B16). */
static void do_move(struct rig *rig, struct qplan *plan, int side)
{
    const struct oracle_ring *ring = ring_of(rig, plan, side);

    if (ring->head.idx == ring->tail.idx && ring->head.lap == ring->tail.lap &&
        plan->side[side].unrung == 0) {
        place_ring(rig, plan, side);
    }
    place_comp(rig, plan, side);
}

static void do_channel(struct rig *rig, struct qplan *plan, int side)
{
    static const uint32_t causes[] = { 0x38040, 0x38080, 0x3a000, 0x3a040 };
    uint32_t val = chance(rig, 50) ? 0 : word(rig);

    switch (pick(rig, 0, 4)) {
    case 0:
        poke(rig, side == S2M ? 0x20224 : 0x00224, val | 1);
        break;
    case 1:
        poke(rig, side == S2M ? 0x20238 : 0x00234, plan->queue);
        break;
    case 2:
        poke(rig, 0x0040c, 0x78 | pick(rig, 0, 3));
        break;
    default:
        poke(rig, causes[pick(rig, 0, 3)], val);
    }
}

/* H6: a descriptor that was fetched may be overwritten. */
static void do_scribble(struct rig *rig, struct qplan *plan, int side)
{
    const struct oracle_ring *ring = ring_of(rig, plan, side);
    const struct side *s = &plan->side[side];
    uint32_t words[4], idx;

    if (ring->nr_fifo > 0 && ring->nr_fifo <= s->len) {
        idx = (ring->cur.idx + pick(rig, 0, ring->nr_fifo - 1)) % s->len;
        make_desc(rig, side, buffer_bytes(rig), words);
        store(rig, s->ring + 16 * idx, words, 16);
    }
}

/* H28: more than fits. The ring holds old descriptors, which run again. */
static void do_overflow(struct rig *rig, struct qplan *plan, int side)
{
    const struct oracle_ring *ring = ring_of(rig, plan, side);
    struct side *s = &plan->side[side];

    if (!plan->data_tail) {
        s->unrung = pick(rig, 1, 2 * s->len);
        bell(rig, plan, side, s->unrung);
        s->next = ring->tail.idx;
        s->lap = ring->tail.lap;
    }
}

/* H23, and completions that the bus refuses. */
static void do_refuse(struct rig *rig, struct qplan *plan, int side)
{
    uint64_t hole = unmapped[pick(rig, 0, 1)];

    if (plan->data_tail || chance(rig, 50)) {
        hole -= chance(rig, 50) ? 64 : 0; /* the first ones fit */
        set_address(rig, plan, side, 0x01044, hole);
        return;
    }
    set_address(rig, plan, side, 0x01028, hole);
    plan->side[side].unrung = 1;
    bell(rig, plan, side, 1);
    place_ring(rig, plan, side);
    reset_side(rig, plan, side);
}

/* B23, H29: a queue that nobody set up. */
static void do_idle(struct rig *rig, int side)
{
    struct qplan plan = { .queue = rig->idle_queue };

    poke_queue(rig, &plan, side, 0x01038, pick(rig, 0, 20));
    enable(rig, &plan, side, pick(rig, 0, 3));
}

static void do_step(struct rig *rig)
{
    struct qplan *plan = &rig->plan[pick(rig, 0, rig->nr_plans - 1)];
    int side = chance(rig, 50) ? M2S : S2M;
    uint32_t dice = pick(rig, 0, 99);

    if (dice < 75) {
        do_post(rig, plan, side);
    } else if (dice < 85) {
        bell_some(rig, plan, side);
    } else if (dice < 90) {
        do_enable(rig, plan, side);
    } else if (dice < 92) {
        enable_all(rig);
    } else if (dice < 93) {
        do_reset(rig, plan, side);
    } else if (dice < 95) {
        do_channel(rig, plan, side);
    } else if (dice < 96) {
        do_move(rig, plan, side);
    } else if (dice < 98) {
        do_scribble(rig, plan, side);
    } else if (dice < 99) {
        do_idle(rig, side);
    } else if (rig->naughty && chance(rig, 50)) {
        do_overflow(rig, plan, side);
    } else if (rig->naughty) {
        do_refuse(rig, plan, side);
    }
}

/* --- Programs ----------------------------------------------------------- */

static void fill_memory(struct rig *rig)
{
    uint64_t words[512];

    for (size_t i = 0; i < ARRAY_LEN(pieces); i++) {
        for (uint64_t b = DATA_OFFSET; b < pieces[i].size_bytes; b += 4096) {
            for (size_t w = 0; w < ARRAY_LEN(words); w++) {
                words[w] = next_random(&rig->rnd);
            }
            store(rig, pieces[i].base + b, words, sizeof(words));
        }
    }
}

static void setup_engine(struct rig *rig)
{
    static const unsigned engines[] = { 0, 0, 77, 131, 40, 128 };
    const struct trench_gen *gen = trench_soc_gen(rig->soc);

    rig->engine = engines[pick(rig, 0, ARRAY_LEN(engines) - 1)];
    assert_int_equal(
        trench_gen_engine_base(gen, rig->engine, false, &rig->base[0]), 0);
    assert_int_equal(
        trench_gen_engine_base(gen, rig->engine, true, &rig->base[1]), 0);
}

static void setup_channel(struct rig *rig)
{
    static const uint32_t entry_words[] = { 4, 4, 1, 2, 8 };
    uint32_t max_descs = chance(rig, 50) ? 0x40 : pick(rig, 1, 9);

    rig->naughty = chance(rig, 50);
    rig->overlap = chance(rig, 40);
    rig->encode_64k = chance(rig, 80);
    rig->max_len = chance(rig, 50) ? 64 : pick(rig, 100, 2000);
    rig->max_bytes = chance(rig, 50) ? 0x10000 : pick(rig, 100, 0xfffff);
    rig->max_bytes = chance(rig, 80) ? rig->max_bytes : pick(rig, 100, 9000);
    rig->max_descs = min_u32(max_descs, pick(rig, 1, 12));
    poke(rig, 0x00304, 0x10000 | max_descs);
    poke(rig, 0x00254, rig->max_bytes | (rig->encode_64k ? 1u << 24 : 0));
    for (uint32_t q = 0; q < 16; q++) {
        whole_addresses(rig, 0x3C400 + 0x40 * q);
    }
    poke(rig, 0x20380, 0x1000 | entry_words[pick(rig, 0, 4)]);
    /* hint_if_no_desc, wait_for_pref */
    poke(rig, 0x20344, 0x2710 | (chance(rig, 65) ? 3 : pick(rig, 0, 3)) << 28);
    poke(rig, 0x3b460, chance(rig, 10));
    poke(rig, 0x0020c, chance(rig, 10) ? word(rig) : 0);
    poke(rig, 0x2020c, chance(rig, 10) ? word(rig) : 0);
}

/* Old ring content, for doorbells that go too far. */
static void fill_ring(struct rig *rig, const struct side *s, int side)
{
    for (uint32_t i = 0; i < RING_BYTES / 16; i++) {
        uint32_t words[4];

        make_desc(rig, side, pick(rig, 1, 64), words);
        words[0] |= word(rig) & (side == M2S ? 0x0f000000 : 0x03000000);
        store(rig, s->slot + 16 * i, words, 16);
    }
}

static void setup_side(struct rig *rig, struct qplan *plan, int side,
                       unsigned nth)
{
    struct side *s = &plan->side[side];
    uint32_t least = side == S2M || rig->naughty ? 1 : rig->max_descs;
    uint32_t depth = chance(rig, 75) ? 0x80 : pick(rig, least, least + 16);

    s->slot = pieces[pick(rig, 0, ARRAY_LEN(pieces) - 1)].base;
    s->slot += nth * SLOT_BYTES;
    s->len = pick(rig, 1, chance(rig, 30) ? 12 : 200);
    fill_ring(rig, s, side);
    enable(rig, plan, side, 0);
    reset_side(rig, plan, side);
    poke_queue(rig, plan, side, 0x01000, chance(rig, 5) ? 0xfff : depth);
    poke_queue(rig, plan, side, 0x01030, s->len);
    place_ring(rig, plan, side);
    place_comp(rig, plan, side);
    enable(rig, plan, side, 3);
}

static void setup_queues(struct rig *rig)
{
    unsigned first = pick(rig, 0, 15);
    uint32_t data_tails = 0;

    rig->nr_plans = pick(rig, 1, MAX_QUEUES);
    rig->idle_queue = (first + 1) % 16;
    for (unsigned p = 0; p < rig->nr_plans; p++) {
        struct qplan *plan = &rig->plan[p];

        memset(plan, 0, sizeof(*plan));
        plan->queue = (first + 3 * p) % 16;
        plan->data_tail = chance(rig, 15);
        data_tails |= (uint32_t)plan->data_tail << (16 + plan->queue);
        setup_side(rig, plan, M2S, 2 * p);
        setup_side(rig, plan, S2M, 2 * p + 1);
    }
    poke(rig, 0x00004, 0xffff | data_tails);
}

/* Turn everything on and hand out buffers until most of the work is done. */
static void drain(struct rig *rig)
{
    enable_all(rig);
    for (unsigned round = 0; round < 20 * rig->nr_plans; round++) {
        struct qplan *plan = &rig->plan[round % rig->nr_plans];

        if (plan->side[M2S].unrung > 0) {
            bell(rig, plan, M2S, plan->side[M2S].unrung);
        }
        if (plan->data_lag > 0) {
            poke_queue(rig, plan, M2S, 0x010e0, plan->data_lag);
            plan->data_lag = 0;
        }
        while (room(rig, plan, S2M) > 0) {
            put_buffer(rig, plan);
        }
        if (plan->side[S2M].unrung > 0) {
            bell(rig, plan, S2M, plan->side[S2M].unrung);
        }
    }
}

/* True when nothing differed. */
static bool run_program(struct rig *rig)
{
    struct trench_soc_stats chip;
    unsigned steps;

    rig->seed = rig->rnd;
    rig->step = 0;
    trench_soc_reset(rig->soc);
    oracle_reset(rig->oracle);
    trench_soc_stats(rig->soc, &chip);
    rig->guest_errors = chip.guest_errors;
    setup_engine(rig);
    fill_memory(rig);
    setup_channel(rig);
    setup_queues(rig);
    rig->failed = everything_differs(rig);
    steps = pick(rig, 20, 200);
    while (!rig->failed && rig->step < steps) {
        rig->step++;
        do_step(rig);
        if (!rig->failed && rig->step % 16 == 0) {
            rig->failed = memory_differs(rig);
        }
    }
    drain(rig);
    rig->failed = rig->failed || memory_differs(rig);
    rig->descs += rig->oracle->counts.tx_descs;
    rig->programs++;
    return !rig->failed;
}

static uint64_t env_number(const char *name, uint64_t otherwise)
{
    const char *text = getenv(name);

    return text ? strtoull(text, NULL, 0) : otherwise;
}

static struct rig *rig_create(uint64_t seed)
{
    struct trench_soc_conf conf = { .host_bytes = HOST_BYTES };
    struct rig *rig = calloc(1, sizeof(*rig));

    assert_non_null(rig);
    assert_int_equal(trench_soc_create(&conf, &rig->soc), 0);
    rig->bus = trench_soc_bus(rig->soc);
    rig->oracle = calloc(1, sizeof(*rig->oracle));
    assert_non_null(rig->oracle);
    for (size_t i = 0; i < ARRAY_LEN(pieces); i++) {
        oracle_add_memory(rig->oracle, pieces[i].base, pieces[i].alias,
                          pieces[i].size_bytes);
    }
    rig->rnd = seed;
    rig->trace = env_number("TRENCH_TRACE", 0) != 0;
    return rig;
}

static void rig_destroy(struct rig *rig)
{
    oracle_fini(rig->oracle);
    free(rig->oracle);
    trench_soc_destroy(rig->soc);
    free(rig);
}

/* --- Tests -------------------------------------------------------------- */

#define SEED UINT64_C(0x9e3779b97f4a7c15)

static void must_run(struct rig *rig)
{
    if (!run_program(rig)) {
        fail_msg("%s", rig->diff);
    }
}

static void test_oracle_agrees_on_random_programs(void **state)
{
    uint64_t least = env_number("TRENCH_DESCS", 1000000);
    struct rig *rig = rig_create(env_number("TRENCH_SEED", SEED));

    (void)state;
    while (rig->descs < least) {
        must_run(rig);
    }
    print_message("# %" PRIu64 " programs, %" PRIu64 " M2S descriptors\n",
                  rig->programs, rig->descs);
    if (least >= 1000000) { /* every cause that is in scope came up */
        assert_int_equal(rig->causes[M2S], 0x0003e924);
        assert_int_equal(rig->causes[S2M], 0x00004a82);
    }
    rig_destroy(rig);
}

/* The difference was found, is named, and goes with the corruption. */
static void check_noticed(struct rig *rig, const char *what, uint64_t where)
{
    char text[64];

    snprintf(text, sizeof(text), "%s 0x%05" PRIx64 ": ", what, where);
    if (!everything_differs(rig) || !strstr(rig->diff, text) ||
        !strstr(rig->diff, "replay: TRENCH_SEED=0x")) {
        fail_msg("%s not noticed, but %s", text, rig->diff);
    }
}

static void test_oracle_notices_a_wrong_byte(void **state)
{
    struct rig *rig = rig_create(SEED);

    (void)state;
    must_run(rig);
    for (size_t i = 0; i < ARRAY_LEN(pieces); i++) {
        for (uint64_t b = 0; b < pieces[i].size_bytes; b += 0x1fff) {
            uint8_t *byte = oracle_bytes(rig->oracle, pieces[i].base + b, 1);

            *byte ^= 1;
            check_noticed(rig, "memory", pieces[i].base + b);
            *byte ^= 1;
        }
    }
    rig_destroy(rig);
}

static void test_oracle_notices_a_wrong_pointer(void **state)
{
    struct rig *rig = rig_create(SEED);
    struct oracle_queue *queue;
    unsigned q;

    (void)state;
    must_run(rig);
    q = rig->plan[0].queue;
    queue = &rig->oracle->queue[q];
    for (int side = M2S; side <= S2M; side++) {
        struct oracle_ring *ring = &queue->ring[side];
        struct oracle_ptr *ptrs[] = { &ring->head, &ring->tail, &ring->cur,
                                      &ring->comp, &queue->data_tail };
        /* A wrong tail or current pointer shows in q_used first. */
        const uint32_t offs[] = { 0x1034, 0x1024, 0x1024, 0x104c, 0x10e4 };

        for (size_t i = 0; i < ARRAY_LEN(ptrs) - (side == S2M); i++) {
            ptrs[i]->idx++;
            check_noticed(rig, "register",
                          offs[i] + q * 0x1000 + side * 0x20000);
            ptrs[i]->idx--;
        }
    }
    rig_destroy(rig);
}

/* Words that change while programs run, and are plain storage here. */
static void test_oracle_notices_a_wrong_word(void **state)
{
    static const uint32_t offs[] = {
        0x00504, 0x00510, 0x00514, 0x00518, 0x0051c, 0x20510, 0x20514, 0x20518,
        0x2051c, 0x38040, 0x38080, 0x3a000, 0x3a040, 0x00254, 0x20344, 0x3b460,
    };
    struct rig *rig = rig_create(SEED);

    (void)state;
    must_run(rig);
    for (size_t i = 0; i < ARRAY_LEN(offs); i++) {
        rig->oracle->reg[offs[i] / 4] ^= 0x10;
        check_noticed(rig, "register", offs[i]);
        rig->oracle->reg[offs[i] / 4] ^= 0x10;
    }
    rig->oracle->counts.errors++;
    check_noticed(rig, "errors", 0);
    rig_destroy(rig);
}

/* Programs find a model that lacks something, here the die-1 host route. */
static void test_oracle_notices_a_wrong_model(void **state)
{
    struct rig *rig = rig_create(SEED);

    (void)state;
    must_run(rig);
    rig->oracle->mem[1].alias = 0;
    while (run_program(rig)) {
        assert_true(rig->programs < 100);
    }
    rig_destroy(rig);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_oracle_notices_a_wrong_byte),
        cmocka_unit_test(test_oracle_notices_a_wrong_pointer),
        cmocka_unit_test(test_oracle_notices_a_wrong_word),
        cmocka_unit_test(test_oracle_notices_a_wrong_model),
        cmocka_unit_test(test_oracle_agrees_on_random_programs),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
