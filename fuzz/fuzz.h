/* SPDX-License-Identifier: BSD-3-Clause */
/* Operands out of a fuzz input; what is missing reads as 0. */
#ifndef TRENCH_FUZZ_H
#define TRENCH_FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* What must hold for any input. */
#define FUZZ_CHECK(cond)                                                       \
    do {                                                                       \
        if (!(cond)) {                                                         \
            abort();                                                           \
        }                                                                      \
    } while (0)

struct fuzz_input {
    const uint8_t *p;
    size_t left;
};

static inline size_t fuzz_bytes(struct fuzz_input *in, void *out, size_t n)
{
    size_t have = n < in->left ? n : in->left;

    memset(out, 0, n);
    if (have > 0) {
        memcpy(out, in->p, have);
        in->p += have;
        in->left -= have;
    }
    return n;
}

static inline uint8_t fuzz_u8(struct fuzz_input *in)
{
    uint8_t v;

    fuzz_bytes(in, &v, sizeof(v));
    return v;
}

static inline uint16_t fuzz_u16(struct fuzz_input *in)
{
    uint16_t v;

    fuzz_bytes(in, &v, sizeof(v));
    return v;
}

static inline uint32_t fuzz_u32(struct fuzz_input *in)
{
    uint32_t v;

    fuzz_bytes(in, &v, sizeof(v));
    return v;
}

static inline uint64_t fuzz_u64(struct fuzz_input *in)
{
    uint64_t v;

    fuzz_bytes(in, &v, sizeof(v));
    return v;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#endif /* TRENCH_FUZZ_H */
