/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The header of a .npy file: a dict of Python with three keys, as text.
 */
#ifndef TRENCH_CLI_NPY_HEADER_H
#define TRENCH_CLI_NPY_HEADER_H

#include "npy.h"

/* Room for a type's name, '<f4' and the like; longer ones are refused. */
#define NPY_DESCR 24

/* What stands before the text. */
#define NPY_MAX_PREFIX 12u

struct npy_prefix {
    uint32_t prefix_bytes; /* before the text */
    uint32_t text_bytes;   /* 1 .. NPY_MAX_HEADER */
};

struct npy_header {
    char descr[NPY_DESCR];
    bool fortran_order;
    unsigned nr_dims;
    uint64_t dims[NPY_MAX_DIMS];
};

/*
 * Read magic, version and length.
 * len: bytes there are, of NPY_MAX_PREFIX; fewer mean that the file ends.
 * Returns 0, or -1 with a reason.
 */
int npy_prefix_parse(const uint8_t *bytes, size_t len, struct npy_prefix *out,
                     char why[NPY_WHY]);

/* Read the text. Returns 0, or -1 with a reason. */
int npy_header_parse(const char *text, size_t len, struct npy_header *out,
                     char why[NPY_WHY]);

/*
 * Compare a type's name with a type.
 * Returns 0, or -1 with a reason.
 */
int npy_descr_check(const char *descr, enum trench_dtype type,
                    char why[NPY_WHY]);

/* Give a reason. Returns -1. */
__attribute__((format(printf, 2, 3))) int npy_fail(char why[NPY_WHY],
                                                   const char *fmt, ...);

/* Length of what npy_header_make() makes, at most. */
#define NPY_HEADER_MAKE 128u

/*
 * Prefix and text of version 1.0 for a vector.
 * Returns its length, a multiple of 64.
 */
size_t npy_header_make(enum trench_dtype type, uint64_t count,
                       uint8_t out[NPY_HEADER_MAKE]);

#endif /* TRENCH_CLI_NPY_HEADER_H */
