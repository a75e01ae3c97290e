/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Arrays in numpy's .npy files: one type of element, C order, any shape.
 *
 * bf16 and fp8 have no name of their own in such a file. They are written as
 * raw elements, 'V2' and 'V1', as ml_dtypes does; what is read may also be
 * unsigned integers of that size that hold the bits (and 'f1' for fp8_e5,
 * which is what ml_dtypes makes of it). Nothing in the file tells the fp8
 * types apart: the bits count as the type that is wanted.
 *
 * Elements are little-endian in memory too, as a device has them. Arrays of
 * big-endian elements are refused; numpy converts them:
 * np.save(f, a.astype(a.dtype.newbyteorder('<'))).
 *
 * Files of several ranks have a pattern for a name: "%d" stands for the rank,
 * "%03d" for the rank in at least three digits, "%%" for a percent sign.
 */
#ifndef TRENCH_CLI_NPY_H
#define TRENCH_CLI_NPY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <trench/compute.h>

/** Dimensions, at most: what numpy allows. */
#define NPY_MAX_DIMS 64u

/** Bytes of the header's text, at most; some 10 times what 64 dimensions take.
 */
#define NPY_MAX_HEADER 16384u

/** Room for a reason. */
#define NPY_WHY 256

/** What a caller asks for. */
struct npy_want {
    enum trench_dtype type;
    uint64_t max_bytes; /**< Of elements; a larger array is refused. */
};

/** What a file holds. */
struct npy_array {
    void *data;     /**< Owned; never NULL, also when there is no element. */
    uint64_t count; /**< Elements, of all dimensions. */
    unsigned nr_dims;
    uint64_t dims[NPY_MAX_DIMS];
};

/**
 * Read a file from its begin to its end.
 *
 * Memory is bounded by want->max_bytes and by the size of the file.
 *
 * @param fd   Of a regular file, at its first byte; stays the caller's.
 * @param out  Receives the array, to be released with npy_free().
 * @param why  Receives a reason.
 *
 * @return 0, or -1 with a reason: not a .npy file, format version other than
 *         1.0, 2.0 and 3.0, damaged header, another type or byte order,
 *         Fortran order, too large, bytes missing or left over, out of memory,
 *         or the file cannot be read.
 */
int npy_read(int fd, const struct npy_want *want, struct npy_array *out,
             char why[NPY_WHY]);

/** The same from a path. @return 0, or -1 after a message. */
int npy_load(const char *prog, const char *path, const struct npy_want *want,
             struct npy_array *out);

void npy_free(struct npy_array *array);

/** Elements to write, of one dimension. */
struct npy_vector {
    enum trench_dtype type;
    uint64_t count;
    const void *data; /**< Borrowed; may be NULL when count is 0. */
};

/**
 * Write a file of version 1.0 whose data starts at a multiple of 64 bytes.
 * The file appears only when it is complete; one that exists is replaced.
 *
 * @return 0, or -1 after a message.
 */
int npy_save(const char *prog, const char *path, const struct npy_vector *v);

struct cli_output;

/**
 * The same, but the file appears with cli_output_commit().
 *
 * @param out  Always filled; cli_output_close() is due.
 *
 * @return 0, or -1 after a message.
 */
int npy_prepare(const char *prog, const char *path, const struct npy_vector *v,
                struct cli_output *out);

/**
 * Why a pattern cannot name the files of so many ranks: a phrase, constant;
 * NULL when it can. More than one rank takes exactly one "%d".
 */
const char *npy_pattern_refusal(const char *pattern, unsigned nr_ranks);

/**
 * The name of a rank's file.
 *
 * @param pattern  One that npy_pattern_refusal() has nothing against.
 *
 * @return the name, to be freed; NULL when out of memory.
 */
char *npy_pattern_name(const char *pattern, unsigned rank);

/**
 * Look for files that a pattern would overwrite.
 * @return 0 when there is none, or -1 after a message that names the first.
 */
int npy_pattern_vacant(const char *prog, const char *pattern,
                       unsigned nr_ranks);

#endif /* TRENCH_CLI_NPY_H */
