/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * From moves to descriptors (ncfw-steps 6.11): a rank's moves of a step are
 * spread over its pairs, each pair's share is cut into what a descriptor takes.
 */
#include "coll/lower.h"

#include <stdlib.h>

#include "base/bits.h"

/* A share begins at a multiple of so many elements (ncfw-steps 6.2). */
#define SHARE_STEP 32u
/* Packets of the CCE write multiples of so many bytes (common-blocks 3.4.4). */
#define REDUCE_STEP_BYTES 32u
/*
 * M2S descriptors of a queue's share after which the next part begins. Padding
 * at most doubles them: they stay below TRENCH_NCFW_MAX_COUNT.
 */
#define PART_DESCS 16384u

/* One pair's way through the moves of its rank. */
struct share {
    const struct trench_coll_job_conf *conf;
    unsigned pair;  /* of the rank's */
    unsigned pairs; /* of a rank */
    uint64_t descs; /* of M2S so far, in this step */
};

/* A piece of a move: what one packet does. */
struct piece {
    const struct trench_coll_move *move;
    uint64_t first; /* element of the move */
    uint64_t count;
};

static unsigned pairs_of_rank(const struct trench_coll_job_conf *conf)
{
    return conf->engines * conf->queues;
}

/* Elements of the largest packet. */
static uint64_t packet_elems(const struct trench_coll_job_conf *conf,
                             bool reduces)
{
    unsigned bytes = trench_dtype_bytes(conf->type);
    uint64_t most = TRENCH_HAL_DESC_BYTES / bytes;

    if (reduces) {
        most = min_u64(most, conf->gen->cce_elements);
        most -= most * bytes % REDUCE_STEP_BYTES / bytes;
    }
    return most;
}

/* The share of a pair of a move; moves of a step begin at different pairs. */
static struct piece share_of(const struct share *share, size_t nth,
                             const struct trench_coll_move *move)
{
    uint64_t per = (move->count + share->pairs - 1) / share->pairs;
    uint64_t place = (share->pair + nth) % share->pairs;
    uint64_t first;

    per = (per + SHARE_STEP - 1) / SHARE_STEP * SHARE_STEP;
    first = min_u64(place * per, move->count);
    return (struct piece){ move, first, min_u64(per, move->count - first) };
}

/* M2S descriptors of a pair in a step, without a look at each. */
static uint64_t count_share(const struct share *share,
                            const struct trench_coll_move *moves,
                            size_t nr_moves)
{
    uint64_t descs = 0;

    for (size_t i = 0; i < nr_moves && descs <= TRENCH_HAL_RING_MAX; i++) {
        uint64_t most = packet_elems(share->conf, moves[i].nr_src > 1);
        uint64_t count = share_of(share, i, &moves[i]).count;

        descs += (count + most - 1) / most * moves[i].nr_src;
    }
    return descs;
}

typedef void (*piece_fn)(void *opaque, size_t part, const struct piece *piece);

/* All pieces of a pair in a step, in order. */
static void each_piece(struct share *share,
                       const struct trench_coll_move *moves, size_t nr_moves,
                       piece_fn fn, void *opaque)
{
    share->descs = 0;
    for (size_t i = 0; i < nr_moves; i++) {
        struct piece rest = share_of(share, i, &moves[i]);
        uint64_t most = packet_elems(share->conf, moves[i].nr_src > 1);

        while (rest.count > 0) {
            const struct piece piece = { rest.move, rest.first,
                                         min_u64(rest.count, most) };

            fn(opaque, (size_t)(share->descs / PART_DESCS), &piece);
            share->descs += moves[i].nr_src;
            rest.first += piece.count;
            rest.count -= piece.count;
        }
    }
}

/* The moves of one rank, of a step's that are in the order of ranks. */
static const struct trench_coll_move *moves_of(
    const struct trench_coll_move *moves, size_t nr, size_t *at, unsigned rank,
    size_t *out_nr)
{
    size_t first;

    while (*at < nr && moves[*at].rank < rank) {
        (*at)++;
    }
    first = *at;
    while (*at < nr && moves[*at].rank == rank) {
        (*at)++;
    }
    *out_nr = *at - first;
    return moves + first;
}

/* Those of the pair that has most, of any rank. */
static uint64_t count_step(const struct trench_coll_job_conf *conf, size_t step)
{
    struct share share = { .conf = conf, .pairs = pairs_of_rank(conf) };
    uint64_t most = 0;
    size_t nr;
    size_t at = 0;
    const struct trench_coll_move *moves =
        trench_coll_moves(conf->schedule, step, &nr);

    while (at < nr) {
        size_t nr_moves;
        const struct trench_coll_move *mine =
            moves_of(moves, nr, &at, moves[at].rank, &nr_moves);

        for (share.pair = 0; share.pair < share.pairs; share.pair++) {
            uint64_t descs = count_share(&share, mine, nr_moves);

            most = descs > most ? descs : most;
        }
    }
    return most;
}

int lower_parts(const struct trench_coll_job_conf *conf, size_t *parts)
{
    size_t nr_steps = trench_coll_steps(conf->schedule);
    uint64_t all = 0;

    for (size_t s = 0; s < nr_steps; s++) {
        uint64_t most = count_step(conf, s);

        /* Before the counting of something that would take for ever. */
        all += most;
        if (all > TRENCH_HAL_RING_MAX) {
            return TRENCH_ERR_NOSPC;
        }
        parts[s] = most > PART_DESCS
                       ? (size_t)((most + PART_DESCS - 1) / PART_DESCS)
                       : 1;
    }
    return 0;
}

/* ---- descriptors of a chip ----------------------------------------------- */

/* A chip being lowered. */
struct build {
    const struct trench_coll_job_conf *conf;
    const struct trench_coll_place *places;
    unsigned chip;
    bool counting; /* the first of two passes */
    struct lowered *low;
    size_t first_part; /* of the step */
    size_t pair;       /* of the chip's */
};

/* An element's address, as the chip sees it. */
static uint64_t address(const struct build *b,
                        const struct trench_coll_place *place, uint64_t skip)
{
    const struct trench_coll_job_conf *conf = b->conf;
    unsigned chip = place->rank / conf->chip_ranks;
    uint64_t addr =
        conf->bufs[(size_t)place->rank * TRENCH_NR_COLL_BUFS + place->buf] +
        (place->first + skip) * trench_dtype_bytes(conf->type);

    if (chip != b->chip) { /* it can be named: trench_coll_job_create() */
        (void)trench_gen_chip_addr(conf->gen, chip, addr, &addr);
    }
    return addr;
}

static void add_copy(const struct build *b, struct trench_step_work *work,
                     const struct piece *piece)
{
    struct lowered *low = b->low;

    if (!b->counting) {
        struct trench_copy *copy = &low->copies[low->nr_copies];

        *copy = (struct trench_copy){
            .src = address(b, &b->places[piece->move->src], piece->first),
            .dst = address(b, &piece->move->dst, piece->first),
            .len_bytes =
                (uint32_t)(piece->count * trench_dtype_bytes(b->conf->type)),
        };
        work->copies = work->nr_copies++ == 0 ? copy : work->copies;
    }
    low->nr_copies++;
}

static void add_reduce(const struct build *b, struct trench_step_work *work,
                       const struct piece *piece)
{
    struct lowered *low = b->low;

    if (!b->counting) {
        struct trench_reduce *reduce = &low->reduces[low->nr_reduces];
        uint64_t *srcs = &low->srcs[low->nr_srcs];

        for (unsigned i = 0; i < piece->move->nr_src; i++) {
            srcs[i] =
                address(b, &b->places[piece->move->src + i], piece->first);
        }
        *reduce = (struct trench_reduce){
            .op = b->conf->op,
            .type = b->conf->type,
            .out_type = b->conf->type,
            .srcs = srcs,
            .nr_srcs = piece->move->nr_src,
            .dst = address(b, &piece->move->dst, piece->first),
            .elems = (uint32_t)piece->count,
        };
        work->reduces = work->nr_reduces++ == 0 ? reduce : work->reduces;
    }
    low->nr_reduces++;
    low->nr_srcs += piece->move->nr_src;
}

static void add_piece(void *opaque, size_t part, const struct piece *piece)
{
    const struct build *b = opaque;
    struct lowered *low = b->low;
    struct trench_step_work *work =
        b->counting
            ? NULL
            : &low->work[(b->first_part + part) * low->nr_pairs + b->pair];

    if (piece->move->nr_src > 1) {
        add_reduce(b, work, piece);
    } else {
        add_copy(b, work, piece);
    }
    low->bytes += piece->count * trench_dtype_bytes(b->conf->type);
}

static void lower_step(struct build *b, size_t step)
{
    const struct trench_coll_job_conf *conf = b->conf;
    struct share share = { .conf = conf, .pairs = pairs_of_rank(conf) };
    unsigned first = b->chip * conf->chip_ranks;
    size_t at = 0;
    size_t nr;
    const struct trench_coll_move *moves =
        trench_coll_moves(conf->schedule, step, &nr);

    b->pair = 0;
    for (unsigned r = first; r < first + conf->chip_ranks; r++) {
        size_t nr_moves;
        const struct trench_coll_move *mine =
            moves_of(moves, nr, &at, r, &nr_moves);

        for (share.pair = 0; share.pair < share.pairs; share.pair++) {
            each_piece(&share, mine, nr_moves, add_piece, b);
            b->pair++;
        }
    }
}

/* One pass; the counts of what there is are those of the pass. */
static void pass(struct build *b, bool counting, const size_t *parts)
{
    struct lowered *low = b->low;

    b->counting = counting;
    b->first_part = 0;
    low->nr_copies = 0;
    low->nr_reduces = 0;
    low->nr_srcs = 0;
    low->bytes = 0;
    for (size_t s = 0; s < trench_coll_steps(b->conf->schedule); s++) {
        lower_step(b, s);
        b->first_part += parts[s];
    }
    low->nr_parts = b->first_part;
}

static void name_pairs(const struct build *b)
{
    const struct trench_coll_job_conf *conf = b->conf;
    struct lowered *low = b->low;

    for (size_t i = 0; i < low->nr_parts * low->nr_pairs; i++) {
        size_t pair = i % low->nr_pairs;
        size_t core = pair / pairs_of_rank(conf);
        size_t of_rank = pair % pairs_of_rank(conf);

        low->work[i].engine = (uint16_t)(core * conf->gen->engines_per_core +
                                         of_rank / conf->queues);
        low->work[i].queue = (uint8_t)(of_rank % conf->queues);
    }
}

int lower_chip(const struct trench_coll_job_conf *conf, unsigned chip,
               const size_t *parts, struct lowered *out)
{
    struct build b = {
        .conf = conf,
        .places = trench_coll_places(conf->schedule),
        .chip = chip,
        .low = out,
    };

    *out = (struct lowered){
        .nr_pairs = (size_t)conf->chip_ranks * pairs_of_rank(conf),
    };
    pass(&b, true, parts);
    out->work = calloc(out->nr_parts * out->nr_pairs, sizeof(*out->work));
    out->copies = calloc(out->nr_copies + 1, sizeof(*out->copies));
    out->reduces = calloc(out->nr_reduces + 1, sizeof(*out->reduces));
    out->srcs = calloc(out->nr_srcs + 1, sizeof(*out->srcs));
    if (!out->work || !out->copies || !out->reduces || !out->srcs) {
        return TRENCH_ERR_NOMEM;
    }
    name_pairs(&b);
    pass(&b, false, parts);
    return 0;
}

void lower_fini(struct lowered *low)
{
    free(low->work);
    free(low->copies);
    free(low->reduces);
    free(low->srcs);
}
