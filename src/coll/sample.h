/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Data to try collectives on. Every element follows from seed, rank and index
 * alone, so any part of a vector can be made again at any time.
 *
 * Exact data are small multiples of a unit that depends on the index: sums of
 * all ranks are numbers of the type in whatever order they are made. Where a
 * type has too few bits for that many ranks, some ranks have 0 there, others
 * elsewhere. Integers do not wrap.
 *
 * Random data fill all bits: floats of 1/16 to 1 in magnitude, those of fp8_e3
 * from 0 on; integers of up to half the range, which leaves room to round them
 * up.
 */
#ifndef TRENCH_COLL_SAMPLE_H
#define TRENCH_COLL_SAMPLE_H

#include "element.h"

struct coll_sample {
    enum trench_dtype type;
    uint64_t seed;
    unsigned rank;     /* below nr_ranks */
    unsigned nr_ranks; /* not 0 */
    bool random;
};

/* Make elements [first, first + n) of a rank's vector. */
void coll_sample_fill(const struct coll_sample *sample, uint64_t first,
                      size_t n, void *out);

#endif /* TRENCH_COLL_SAMPLE_H */
