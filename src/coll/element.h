/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Elements as numbers: what an element means, how it is made and printed.
 *
 * This is what results of the compute engine are judged by, so it shares
 * nothing with it. Elements are little-endian and may stand at any address.
 *
 * A float of s bits sign, e bits exponent and m bits fraction is, with bias b:
 *     exponent 0:  fraction * 2^(1 - b - m)
 *     others:      (2^m + fraction) * 2^(exponent - b - m)
 * The largest exponent holds infinity and NaN as in IEEE 754; in fp8_e4 it
 * holds numbers, too, and NaN is all ones.
 */
#ifndef TRENCH_COLL_ELEMENT_H
#define TRENCH_COLL_ELEMENT_H

#include <trench/compute.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What a type is made of. */
struct coll_format {
    uint8_t bytes; /* 0: no type */
    bool is_float;
    bool is_signed;   /* floats are */
    uint8_t exp_bits; /* floats */
    uint8_t mant_bits;
    int16_t bias;
    bool has_inf;
    /* Significant bits: all integers up to 2^precision are exact. */
    uint8_t precision;
    double max; /* the largest finite number */
};

/* Of any code; what is no type has no bytes. */
const struct coll_format *coll_format(enum trench_dtype type);

/* The bits of an element. */
uint64_t coll_element_bits(enum trench_dtype type, const void *element);

/* As a number. Exact, but for integers of more than 53 bits. */
double coll_element_value(enum trench_dtype type, const void *element);

/*
 * The element nearest to a number, of two the even one. Floats that are too
 * large become infinity, or NaN where there is none. Integers drop their
 * fraction to nearest, too, and wrap; NaN and infinity become 0.
 */
void coll_element_put(enum trench_dtype type, double value, void *element);

/* The same for many at a time, faster. */
void coll_elements_bits(enum trench_dtype type, const void *elements, size_t n,
                        uint64_t *out);
void coll_elements_value(enum trench_dtype type, const void *elements, size_t n,
                         double *out);

/* Elements of bits; those that are too many are dropped. */
void coll_elements_make(enum trench_dtype type, const uint64_t *bits, size_t n,
                        void *elements);

/* Room for a printed element. */
#define COLL_ELEMENT_TEXT 32

/*
 * Integers in decimal; floats so that reading gives the same element; "nan",
 * "inf", "-inf".
 */
void coll_element_print(enum trench_dtype type, const void *element,
                        char out[COLL_ELEMENT_TEXT]);

#endif /* TRENCH_COLL_ELEMENT_H */
