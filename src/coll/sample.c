/* SPDX-License-Identifier: BSD-3-Clause */
#include "sample.h"

#define MAX_VALUE 127 /* of exact data, in units */
#define NR_UNITS  3
#define MAX_BITS  20 /* of a sum of exact data; more are of no use */

/* The end of splitmix64: each bit depends on all bits. */
static uint64_t mix(uint64_t z)
{
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

/* Below n, from 32 random bits. */
static unsigned pick(uint32_t random, unsigned n)
{
    return (unsigned)((uint64_t)random * n >> 32);
}

static uint64_t index_hash(const struct coll_sample *s, uint64_t i)
{
    return mix(s->seed + (i + 1) * UINT64_C(0x9e3779b97f4a7c15));
}

static uint64_t rank_hash(const struct coll_sample *s, uint64_t index_hash)
{
    return mix(index_hash + (s->rank + 1) * UINT64_C(0xd1342543de82ef95));
}

/* ---- exact --------------------------------------------------------------- */

/* What exact data of a type and so many ranks are. */
struct exact {
    unsigned nr_active;                         /* ranks that do not have 0 */
    unsigned max;                               /* of a rank, in units */
    unsigned min;                               /* the same, below 0 */
    uint64_t bits[NR_UNITS][2 * MAX_VALUE + 1]; /* of the element, from -min */
};

static void exact_init(const struct coll_sample *s, struct exact *out)
{
    const struct coll_format *f = coll_format(s->type);
    unsigned bits = f->precision < MAX_BITS ? f->precision : MAX_BITS;
    /* Of a sum. An integer of p bits ends before 2^p. */
    unsigned limit = (1u << bits) - !f->is_float;

    out->nr_active = s->nr_ranks < limit ? s->nr_ranks : limit;
    out->max = limit / out->nr_active;
    out->max = out->max < MAX_VALUE ? out->max : MAX_VALUE;
    out->min = f->is_signed ? out->max : 0;
    for (unsigned unit = 0; unit < NR_UNITS; unit++) {
        double worth = f->is_float ? 0.25 / (1u << unit) : 1;

        for (unsigned v = 0; v <= out->max + out->min; v++) {
            uint8_t element[8];

            coll_element_put(s->type, ((int)v - (int)out->min) * worth,
                             element);
            out->bits[unit][v] = coll_element_bits(s->type, element);
        }
    }
}

static uint64_t exact_bits(const struct coll_sample *s, const struct exact *e,
                           uint64_t i)
{
    uint64_t at = index_hash(s, i);
    unsigned start = pick((uint32_t)(at >> 32), s->nr_ranks);
    unsigned turn = s->rank < start ? s->nr_ranks : 0;
    unsigned v = e->min;

    if (s->rank + turn - start < e->nr_active) {
        v = pick((uint32_t)(rank_hash(s, at) >> 32), e->max + e->min + 1);
    }
    return e->bits[pick((uint32_t)at, NR_UNITS)][v];
}

/* ---- random -------------------------------------------------------------- */

static uint64_t random_float(const struct coll_format *f, uint64_t random)
{
    unsigned top = (unsigned)f->bias; /* of numbers from 1 on */
    unsigned nr_exp = top < 4 ? top : 4;
    uint64_t exp = top - 1 - pick((uint32_t)(random >> 32), nr_exp);
    uint64_t mant = random & ((UINT64_C(1) << f->mant_bits) - 1);
    uint64_t sign = random >> 31 & 1;

    return sign << (f->exp_bits + f->mant_bits) | exp << f->mant_bits | mant;
}

/* Up to half the range: the second highest bit is as the highest one. */
static uint64_t random_int(const struct coll_format *f, uint64_t random)
{
    unsigned shift = 65 - 8u * f->bytes;

    return f->is_signed ? (uint64_t)((int64_t)random >> shift)
                        : random >> shift;
}

static uint64_t random_bits(const struct coll_sample *s, uint64_t i)
{
    const struct coll_format *f = coll_format(s->type);
    uint64_t random = rank_hash(s, index_hash(s, i));

    return f->is_float ? random_float(f, random) : random_int(f, random);
}

/* ---- both ---------------------------------------------------------------- */

#define CHUNK 256 /* elements between two loops */

/* Up to CHUNK elements from one on. */
static void make(const struct coll_sample *s, const struct exact *exact,
                 uint64_t first, size_t n, void *out)
{
    uint64_t bits[CHUNK];

    for (size_t i = 0; i < n; i++) {
        bits[i] =
            exact ? exact_bits(s, exact, first + i) : random_bits(s, first + i);
    }
    coll_elements_make(s->type, bits, n, out);
}

void coll_sample_fill(const struct coll_sample *s, uint64_t first, size_t n,
                      void *out)
{
    unsigned bytes = coll_format(s->type)->bytes;
    struct exact exact = { 0 };
    uint8_t *to = out;

    if (!s->random) {
        exact_init(s, &exact);
    }
    for (size_t i = 0; i < n; i += CHUNK) {
        make(s, s->random ? NULL : &exact, first + i,
             n - i < CHUNK ? n - i : CHUNK, to + i * bytes);
    }
}
