/* SPDX-License-Identifier: BSD-3-Clause */
/* Names and sizes of element types. */
#include <trench/compute.h>

#include <stddef.h>
#include <string.h>

struct dtype {
    const char *name;
    const char *other; /* in nccl-tests, where it differs */
    unsigned bytes;
};

static const struct dtype dtypes[TRENCH_NR_DTYPES] = {
    [TRENCH_DTYPE_NONE] = { "?", NULL, 0 },
    [TRENCH_DTYPE_UINT64] = { "uint64", NULL, 8 },
    [TRENCH_DTYPE_INT8] = { "int8", NULL, 1 },
    [TRENCH_DTYPE_UINT8] = { "uint8", NULL, 1 },
    [TRENCH_DTYPE_INT16] = { "int16", NULL, 2 },
    [TRENCH_DTYPE_UINT16] = { "uint16", NULL, 2 },
    [TRENCH_DTYPE_BF16] = { "bf16", "bfloat16", 2 },
    [TRENCH_DTYPE_FP16] = { "fp16", "half", 2 },
    [TRENCH_DTYPE_INT32] = { "int32", NULL, 4 },
    [TRENCH_DTYPE_UINT32] = { "uint32", NULL, 4 },
    [TRENCH_DTYPE_FP32] = { "fp32", "float", 4 },
    [TRENCH_DTYPE_FP32R] = { "fp32r", NULL, 4 },
    [TRENCH_DTYPE_INT64] = { "int64", NULL, 8 },
    [TRENCH_DTYPE_FP8_E3] = { "fp8_e3", "fp8e3m4", 1 },
    [TRENCH_DTYPE_FP8_E4] = { "fp8_e4", "fp8e4m3", 1 },
    [TRENCH_DTYPE_FP8_E5] = { "fp8_e5", "fp8e5m2", 1 },
};

static const struct dtype *dtype_get(enum trench_dtype type)
{
    return &dtypes[(unsigned)type < TRENCH_NR_DTYPES ? type : 0];
}

unsigned trench_dtype_bytes(enum trench_dtype type)
{
    return dtype_get(type)->bytes;
}

const char *trench_dtype_name(enum trench_dtype type)
{
    return dtype_get(type)->name;
}

enum trench_dtype trench_dtype_find(const char *name)
{
    for (unsigned i = 1; i < TRENCH_NR_DTYPES; i++) {
        const struct dtype *d = &dtypes[i];

        if (strcmp(name, d->name) == 0 ||
            (d->other && strcmp(name, d->other) == 0)) {
            return (enum trench_dtype)i;
        }
    }
    return TRENCH_DTYPE_NONE;
}
