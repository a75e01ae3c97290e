/* SPDX-License-Identifier: BSD-3-Clause */
/* Checksums of the copy engine (common-blocks 3.2). */
#ifndef TRENCH_APP_SUM_H
#define TRENCH_APP_SUM_H

#include <stddef.h>
#include <stdint.h>

/* Kinds, as op_type numbers them; 0 is a plain copy. */
#define SUM_KINDS 8u

/* A sum under way. */
struct sum {
    unsigned kind;  /* 1 .. SUM_KINDS - 1 */
    uint32_t value; /* what it would be if nothing more came */
    uint64_t bytes; /* so far */
};

/* Bytes of a result. */
unsigned sum_bytes(unsigned kind);

/* Begin as with no bytes at all. */
struct sum sum_start(unsigned kind);

/* Go on from a result of the same kind. */
struct sum sum_resume(unsigned kind, uint32_t value);

/* More bytes; p is only read. */
void sum_add(struct sum *s, const void *p, size_t bytes);

#endif /* TRENCH_APP_SUM_H */
