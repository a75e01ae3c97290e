/* SPDX-License-Identifier: BSD-3-Clause */
#include "dev/move.h"

#include <endian.h>
#include <string.h>

#include "base/bits.h"
#include "dev/accel.h"

#define BOUNCE_BYTES 4096u
#define GROUP_MAX    8u

/* One end of a run: an access, and how its bytes lie in groups. */
struct end {
    struct axi axi;  /* its first byte */
    uint32_t off;    /* of that, in the buffer */
    uint32_t buffer; /* bytes up to which groups are whole */
    uint32_t group;  /* 1 = not swapped */
    bool vanish;     /* writes go nowhere */
    bool constant;   /* reads need no memory: word */
    uint32_t word;
};

/*
 * Where byte `at` of a buffer lies when its groups are reversed. A group that
 * the buffer cuts short stays as it is.
 */
static uint32_t swapped_at(const struct end *e, uint32_t at)
{
    uint32_t first = at - at % e->group;

    return first + e->group <= e->buffer ? first + e->group - 1 - at % e->group
                                         : at;
}

static uint64_t end_addr(const struct end *e, uint32_t at)
{
    return e->axi.addr + at - e->off; /* the run as a whole is mapped */
}

/* Bytes [at, at + n) of the stream from the source; n <= BOUNCE_BYTES. */
static int end_read(struct channel *ch, const struct end *e, uint32_t at,
                    uint8_t *out, uint32_t n)
{
    uint8_t raw[BOUNCE_BYTES + 2 * GROUP_MAX];
    uint32_t lo = at - at % e->group;
    uint32_t hi = at + n + (e->group - 1);
    int err;

    if (e->constant) {
        uint32_t word = htole32(e->word);

        memcpy(out, (uint8_t *)&word + (at - e->off), n);
        return 0;
    }
    if (e->group == 1) {
        return trench_bus_read(ch->bus, ch->initiator, end_addr(e, at), out, n);
    }
    hi = min_u32(hi - hi % e->group, e->buffer);
    err =
        trench_bus_read(ch->bus, ch->initiator, end_addr(e, lo), raw, hi - lo);
    for (uint32_t i = 0; !err && i < n; i++) {
        out[i] = raw[swapped_at(e, at + i) - lo];
    }
    return err;
}

/* Whole groups at once, the bytes of a group in two runs one by one. */
static int end_write(struct channel *ch, const struct end *e, uint32_t at,
                     const uint8_t *in, uint32_t n)
{
    uint8_t raw[BOUNCE_BYTES];
    uint32_t i = 0;
    int err = 0;

    if (e->vanish) {
        return 0;
    }
    if (e->group == 1) {
        return trench_bus_write(ch->bus, ch->initiator, end_addr(e, at), in, n);
    }
    for (; !err && i < n && (at + i) % e->group != 0; i++) {
        err = trench_bus_write(ch->bus, ch->initiator,
                               end_addr(e, swapped_at(e, at + i)), in + i, 1);
    }
    if (!err && n - i >= e->group) {
        uint32_t whole = (n - i) - (n - i) % e->group;

        for (uint32_t k = 0; k < whole; k++) {
            raw[swapped_at(e, at + i + k) - (at + i)] = in[i + k];
        }
        err = trench_bus_write(ch->bus, ch->initiator, end_addr(e, at + i), raw,
                               whole);
        i += whole;
    }
    for (; !err && i < n; i++) {
        err = trench_bus_write(ch->bus, ch->initiator,
                               end_addr(e, swapped_at(e, at + i)), in + i, 1);
    }
    return err;
}

/* Through a buffer of our own, in the order of the stream. */
static unsigned move_bounced(struct channel *ch, const struct end *from,
                             const struct end *to, uint32_t n,
                             enum trench_axi_master *at)
{
    uint8_t bounce[BOUNCE_BYTES];

    for (uint32_t done = 0; done < n;) {
        uint32_t part = min_u32(n - done, sizeof(bounce));
        int err = end_read(ch, from, from->off + done, bounce, part);

        if (err) {
            *at = TRENCH_AXI_M2S_DATA_READ;
            return axi_answer(err);
        }
        err = end_write(ch, to, to->off + done, bounce, part);
        if (err) {
            *at = TRENCH_AXI_S2M_DATA_WRITE;
            return axi_answer(err);
        }
        done += part;
    }
    return TRENCH_AXI_OKAY;
}

/* The source of a run. */
static struct end end_source(struct channel *ch, unsigned q,
                             const struct run *run)
{
    const struct packet *pkt = &ch->m2s[q].packet;
    struct end e = {
        .axi = axi_compose(ch, AXI_TX_DATA, q,
                           (uint64_t)run->tx->w[3] << 32 | run->tx->w[2],
                           pkt->desc_off),
        .off = pkt->desc_off,
        .buffer = desc_len_bytes(run->tx, pkt->zero_len),
        .group = axi_swap_group(ch, AXI_TX_DATA),
    };

    e.axi.len = run->n;
    e.constant =
        run->n == 4 && e.buffer == 4 && accel_read(ch, e.axi.addr, &e.word);
    return e;
}

static struct end end_target(struct channel *ch, unsigned q,
                             const struct run *run)
{
    const struct target *to = run->to;
    struct end e = {
        .axi = section_access(ch, q, to),
        .off = to->off,
        .buffer = to->off + to->room, /* where the section ends, or sooner */
        .group = axi_swap_group(ch, to->stream),
        .vanish = to->vanish,
    };

    e.axi.len = run->n;
    return e;
}

/* The target as a whole, before the first byte. */
static unsigned check_target(struct channel *ch, const struct end *to)
{
    unsigned answer = to->vanish ? 0 : axi_admit(ch, &to->axi);

    if (answer || to->vanish) {
        return answer;
    }
    return axi_answer(bus_check(ch->bus, ch->initiator, to->axi.addr,
                                to->axi.len, TRENCH_BUS_WRITE));
}

/* Both ends. */
static unsigned move_check(struct channel *ch, const struct end *from,
                           const struct end *to, enum trench_axi_master *at)
{
    unsigned answer = 0;

    *at = TRENCH_AXI_M2S_DATA_READ;
    if (!from->constant) {
        answer = axi_admit(ch, &from->axi);
        if (answer == 0) {
            answer =
                axi_answer(bus_check(ch->bus, ch->initiator, from->axi.addr,
                                     from->axi.len, TRENCH_BUS_READ));
        }
    }
    if (answer) {
        return answer;
    }
    *at = TRENCH_AXI_S2M_DATA_WRITE;
    return check_target(ch, to);
}

/* From what an application engine has made. */
static unsigned move_made(struct channel *ch, unsigned q, struct run *run)
{
    const uint32_t epoch = ch->m2s[q].epoch;
    struct end to = end_target(ch, q, run);
    unsigned answer = check_target(ch, &to);
    int err = 0;

    run->dst = to.axi.addr;
    for (uint32_t done = 0; answer == 0 && err == 0 && done < run->n;) {
        uint32_t part = min_u32(run->n - done, BOUNCE_BYTES);

        if (ch->m2s[q].epoch != epoch) {
            return TRENCH_AXI_OKAY; /* the bytes are those of nobody now */
        }
        err = end_write(ch, &to, to.off + done, run->from + done, part);
        done += part;
    }
    return answer ? answer : axi_answer(err);
}

static unsigned move_any(struct channel *ch, unsigned q, struct run *run,
                         enum trench_axi_master *at)
{
    struct end from = end_source(ch, q, run);
    struct end to = end_target(ch, q, run);
    enum trench_bus_dir failed = TRENCH_BUS_READ;
    unsigned answer = move_check(ch, &from, &to, at);
    int err;

    run->src = from.axi.addr;
    run->dst = to.vanish ? run->src : to.axi.addr; /* where the bytes are */
    if (answer) {
        return answer;
    }
    if (from.constant || to.vanish || from.group > 1 || to.group > 1) {
        return move_bounced(ch, &from, &to, run->n, at);
    }
    err = bus_copy(ch->bus, ch->initiator, to.axi.addr, from.axi.addr, run->n,
                   &failed);
    *at = failed == TRENCH_BUS_READ ? TRENCH_AXI_M2S_DATA_READ
                                    : TRENCH_AXI_S2M_DATA_WRITE;
    return axi_answer(err);
}

/*
 * A word of memory into a register, on a queue with which hooks, groups and
 * sections have nothing to do: how one engine programs another. False when it
 * is something else.
 */
static bool move_word(struct channel *ch, unsigned q, struct run *run,
                      unsigned *answer)
{
    struct m2s_queue *mq = M2S_QUEUE(ch, q);
    int err;

    if (!axi_plain(ch, q) || run->n != 4) {
        return false;
    }
    run->src = addr_add((uint64_t)run->tx->w[3] << 32 | run->tx->w[2],
                        mq->packet.desc_off);
    run->dst = addr_add(run->to->addr, run->to->off);
    err =
        bus_program(ch->bus, ch->initiator, run->dst, run->src, &mq->src_hint);
    mq->programs = err <= 0;
    *answer = axi_answer(err);
    return err <= 0;
}

unsigned move_special(struct channel *ch, unsigned q, struct run *run,
                      enum trench_axi_master *at)
{
    unsigned word_answer;

    *at = TRENCH_AXI_S2M_DATA_WRITE;
    if (run->from) {
        return move_made(ch, q, run);
    }
    if (move_word(ch, q, run, &word_answer)) {
        return word_answer;
    }
    return move_any(ch, q, run, at);
}
