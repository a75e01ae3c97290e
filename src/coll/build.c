/* SPDX-License-Identifier: BSD-3-Clause */
/* Moves and steps as they are made, and how data are split (ncfw-steps 6.2). */
#include "coll/coll.h"

#include <stdlib.h>

#include "base/bits.h"

struct coll_part coll_part(uint64_t count, uint64_t grain, unsigned nr,
                           unsigned i)
{
    uint64_t units = count / grain + (count % grain != 0);
    uint64_t each = units / nr;
    uint64_t more = units % nr; /* parts that have one more */
    uint64_t first = i * each + min_u64(i, more);
    uint64_t end = first + each + (i < more);
    struct coll_part part;

    part.first = min_u64(first * grain, count);
    part.count = min_u64(end * grain, count) - part.first;
    return part;
}

void coll_build_parts(struct coll_builder *b, unsigned nr)
{
    b->nr_chunks = nr;
    b->slot = b->conf->count;
    for (unsigned q = 0; q <= nr; q++) {
        b->first[q] = q * b->conf->count;
    }
}

void coll_build_split(struct coll_builder *b, unsigned nr)
{
    uint64_t count = b->conf->count;
    uint64_t grain = count / COLL_GRAIN >= nr ? COLL_GRAIN : 1;

    b->nr_chunks = nr;
    for (unsigned q = 0; q < nr; q++) {
        b->first[q] = coll_part(count, grain, nr, q).first;
    }
    b->first[nr] = count;
    b->slot = coll_count(b, 0);
}

void coll_build_rings(struct coll_builder *b, bool rings)
{
    b->nr_channels = rings ? b->conf->channels : 1;
    b->nr_halves = rings ? 2 : 1;
}

/* Room for one more of an array; false if there is none to be had. */
static bool grow(struct coll_builder *b, void **array, size_t nr, size_t *max,
                 size_t size)
{
    size_t more = *max ? 2 * *max : 64;
    void *larger;

    if (nr < *max) {
        return true;
    }
    larger = realloc(*array, more * size);
    if (!larger) {
        b->err = TRENCH_ERR_NOMEM;
        return false;
    }
    *array = larger;
    *max = more;
    return true;
}

static void add_source(struct coll_builder *b, struct trench_coll_place src)
{
    struct trench_coll_schedule *s = b->schedule;
    void *array = s->places;

    if (!grow(b, &array, s->nr_places, &s->max_places, sizeof(*s->places))) {
        return;
    }
    s->places = array;
    s->places[s->nr_places++] = src;
}

static void add_move(struct coll_builder *b,
                     const struct trench_coll_move *move)
{
    struct trench_coll_schedule *s = b->schedule;
    void *array = s->moves;

    if (s->nr_moves == TRENCH_COLL_MAX_MOVES) {
        b->err = TRENCH_ERR_NOSPC;
        return;
    }
    if (!grow(b, &array, s->nr_moves, &s->max_moves, sizeof(*s->moves))) {
        return;
    }
    s->moves = array;
    s->moves[s->nr_moves++] = *move;
    if (move->dst.buf == TRENCH_COLL_SCRATCH &&
        move->dst.first + move->count > s->scratch) {
        s->scratch = move->dst.first + move->count;
    }
}

/* The move that has been put together, for a part of its elements. */
static void emit(struct coll_builder *b, struct trench_coll_move move,
                 uint64_t first)
{
    /* Sources fit: each move has at most 32, and moves are limited. */
    move.src = (uint32_t)b->schedule->nr_places;
    move.nr_src = (uint16_t)b->nr_src;
    move.dst.first += first;
    for (unsigned i = 0; i < b->nr_src && !b->err; i++) {
        struct trench_coll_place src = b->src[i];

        src.first += first;
        add_source(b, src);
    }
    if (!b->err) {
        add_move(b, &move);
    }
}

static void emit_halves(struct coll_builder *b, struct trench_coll_move move,
                        struct coll_part part)
{
    for (unsigned h = 0; h < b->nr_halves; h++) {
        struct coll_part half =
            coll_part(part.count, COLL_GRAIN, b->nr_halves, h);

        if (half.count == 0) {
            return; /* so are the others */
        }
        move.half = (uint8_t)h;
        move.count = half.count;
        emit(b, move, part.first + half.first);
    }
}

void coll_src(struct coll_builder *b, struct trench_coll_place src)
{
    b->src[b->nr_src++] = src;
}

void coll_move(struct coll_builder *b, unsigned rank,
               struct trench_coll_place dst, uint64_t count)
{
    struct trench_coll_move move = { .rank = (uint16_t)rank, .dst = dst };

    for (unsigned c = 0; c < b->nr_channels && !b->err; c++) {
        struct coll_part part = coll_part(count, COLL_GRAIN, b->nr_channels, c);

        if (part.count == 0) {
            break;
        }
        move.channel = (uint8_t)c;
        emit_halves(b, move, part);
    }
    b->nr_src = 0;
}

void coll_copy(struct coll_builder *b, unsigned rank,
               struct trench_coll_place src, struct trench_coll_place dst,
               uint64_t count)
{
    coll_src(b, src);
    coll_move(b, rank, dst, count);
}

void coll_step(struct coll_builder *b)
{
    struct trench_coll_schedule *s = b->schedule;
    size_t begin = s->nr_steps ? s->first[s->nr_steps] : 0;
    void *array = s->first;

    if (b->err || s->nr_moves == begin) {
        return;
    }
    if (!grow(b, &array, s->nr_steps + 1, &s->max_steps, sizeof(*s->first))) {
        return;
    }
    s->first = array;
    s->first[0] = 0;
    s->first[++s->nr_steps] = s->nr_moves;
}

struct trench_coll_place coll_place(const struct coll_builder *b,
                                    const struct coll_where *where,
                                    unsigned rank, unsigned q)
{
    return (struct trench_coll_place){
        .rank = (uint16_t)rank,
        .buf = (uint8_t)where->buf,
        .first =
            where->div ? (where->slot + q / where->div) * b->slot : b->first[q],
    };
}

struct coll_where coll_whole(enum trench_coll_buf buf)
{
    return (struct coll_where){ .buf = buf };
}

struct coll_where coll_own(const struct coll_builder *b,
                           enum trench_coll_buf buf)
{
    return (struct coll_where){ .buf = buf, .div = b->conf->ranks };
}

struct coll_where coll_staging(const struct coll_builder *b,
                               const struct coll_phase *ph, unsigned i)
{
    return (struct coll_where){
        .buf = TRENCH_COLL_SCRATCH,
        .div = ph->n * ph->stride,
        .slot = ph->slot + i * coll_pieces(b, ph),
    };
}

void coll_copy_own(struct coll_builder *b, const struct coll_phase *ph,
                   unsigned rank)
{
    if (ph->src.buf == ph->dst.buf) {
        return; /* they are there already */
    }
    for (unsigned k = 0; k < coll_pieces(b, ph); k++) {
        unsigned q = coll_piece(ph, rank, coll_member(ph, rank), k);

        coll_copy(b, rank, coll_place(b, &ph->src, rank, q),
                  coll_place(b, &ph->dst, rank, q), coll_count(b, q));
    }
}
