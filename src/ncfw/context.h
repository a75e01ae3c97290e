/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The firmware's context: parts that follow each other (ncfw-steps 5.2). Only
 * the number of mesh events differs between generations.
 */
#ifndef TRENCH_NCFW_CONTEXT_H
#define TRENCH_NCFW_CONTEXT_H

#include <trench/gen.h>

enum ctx_part {
    CTX_RING,
    CTX_MESH,
    CTX_HIERARCHICAL,
    CTX_NEFF,
    CTX_DEV,
    CTX_NEFF_CTX,
    CTX_ALGO_CTX,
    CTX_END, /* its offset is the size of the context */
};

/* Offset of a part. */
uint32_t ctx_part_offset(const struct trench_gen *gen, enum ctx_part part);

#endif /* TRENCH_NCFW_CONTEXT_H */
