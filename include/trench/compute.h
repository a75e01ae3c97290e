/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the compute engine of a channel (CCE) works on: element types and
 * operations, as they stand in descriptors (common-blocks 3.4.2, 3.4.3).
 *
 * Everything here may be called from any thread.
 */
#ifndef TRENCH_COMPUTE_H
#define TRENCH_COMPUTE_H

#include <trench/export.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Element types; the codes are those of descriptors (common-blocks 3.4.2). */
enum trench_dtype {
    TRENCH_DTYPE_NONE = 0,
    TRENCH_DTYPE_UINT64 = 1,
    TRENCH_DTYPE_INT8 = 2,
    TRENCH_DTYPE_UINT8 = 3,
    TRENCH_DTYPE_INT16 = 4,
    TRENCH_DTYPE_UINT16 = 5,
    TRENCH_DTYPE_BF16 = 6,
    TRENCH_DTYPE_FP16 = 7,
    TRENCH_DTYPE_INT32 = 8,
    TRENCH_DTYPE_UINT32 = 9,
    TRENCH_DTYPE_FP32 = 10,
    TRENCH_DTYPE_FP32R = 11, /**< fp32 with a tag for rounding. */
    TRENCH_DTYPE_INT64 = 12,
    TRENCH_DTYPE_FP8_E3 = 13, /**< E3M4, bias 3. */
    TRENCH_DTYPE_FP8_E4 = 14, /**< E4M3, bias 7, no infinity. */
    TRENCH_DTYPE_FP8_E5 = 15, /**< E5M2, bias 15. */
};

/** Codes of a data type, the one that is none included. */
#define TRENCH_NR_DTYPES 16

/** Bytes of an element, 4 for fp32r; 0 for what is no type. */
TRENCH_API unsigned trench_dtype_bytes(enum trench_dtype type);

/** "fp32", "bf16", "uint8", ...; "?" for what is no type. */
TRENCH_API const char *trench_dtype_name(enum trench_dtype type);

/**
 * The type of a name, as trench_dtype_name() has it or as nccl-tests does:
 * "half", "float", "bfloat16", "fp8e4m3", "fp8e5m2".
 * @return the type; TRENCH_DTYPE_NONE for an unknown name.
 */
TRENCH_API enum trench_dtype trench_dtype_find(const char *name);

/** Operations of the CCE; the codes are those of op_type. */
enum trench_cce_op {
    TRENCH_CCE_ADD = 0,
    TRENCH_CCE_FMA = 1,
    TRENCH_CCE_MAX = 2,
    TRENCH_CCE_MIN = 3,
    TRENCH_CCE_EXT = 4,
    TRENCH_CCE_GCE = 5, /**< Gradient compression; its codec is not public. */
};

/** Sources of one packet, at most (common-blocks 3.4.4). */
#define TRENCH_CCE_MAX_SOURCES 32

#ifdef __cplusplus
}
#endif

#endif /* TRENCH_COMPUTE_H */
