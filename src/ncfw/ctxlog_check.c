/* SPDX-License-Identifier: BSD-3-Clause */
/* Whether a file can be what it is said to be: ncfw-steps 5.1 and 5.2. */
#include <trench/ctxlog.h>

#include <stdarg.h>
#include <stdio.h>

#include "base/le.h"
#include "ncfw/context.h"

#define DISPATCH 0xB0u /* of a data memory image */

size_t trench_ctxlog_size(const struct trench_gen *gen)
{
    return ctx_part_offset(gen, CTX_END);
}

static bool starts_like(const struct trench_gen *gen, const void *image)
{
    const struct trench_gen_ncfw *ncfw = gen->ncfw;
    const uint8_t *b = image;

    return le_get(b, 4) == ncfw->dram_first &&
           (ncfw->dram_dispatch == 0 ||
            le_get(b + DISPATCH, 4) == ncfw->dram_dispatch);
}

/* The generation whose data memory this is; NULL when none is recognised. */
static const struct trench_gen *owner_of(const struct trench_gen *asked,
                                         const void *image, size_t size_bytes)
{
    const struct trench_gen *gen;

    /* Some are alike: then it is the one that was asked for. */
    if (size_bytes == asked->ncfw->dram_bytes && starts_like(asked, image)) {
        return asked;
    }
    for (size_t i = 0; (gen = trench_gen_at(i)) != NULL; i++) {
        if (size_bytes == gen->ncfw->dram_bytes && starts_like(gen, image)) {
            return gen;
        }
    }
    return NULL;
}

__attribute__((format(printf, 3, 4))) static int refuse(char *why, size_t size,
                                                        const char *fmt, ...)
{
    va_list ap;

    if (why && size > 0) {
        va_start(ap, fmt);
        vsnprintf(why, size, fmt, ap);
        va_end(ap);
    }
    return TRENCH_ERR_BADMSG;
}

/* A bare context has exactly its size. */
static int check_size(const struct trench_gen *gen, size_t size_bytes,
                      char *why, size_t why_size)
{
    size_t want = trench_ctxlog_size(gen);
    const struct trench_gen *other;

    if (size_bytes == want) {
        return 0;
    }
    for (size_t i = 0; (other = trench_gen_at(i)) != NULL; i++) {
        if (size_bytes == trench_ctxlog_size(other)) {
            return refuse(why, why_size,
                          "%zu bytes are a context of %s, not of %s",
                          size_bytes, other->name, gen->name);
        }
        if (size_bytes == other->ncfw->dram_bytes) {
            return refuse(why, why_size,
                          "%zu bytes are a data memory of %s; say where the "
                          "context is in it",
                          size_bytes, other->name);
        }
    }
    return refuse(why, why_size, "%zu bytes; a context of %s has %zu",
                  size_bytes, gen->name, want);
}

int trench_ctxlog_check(const struct trench_gen *gen, const void *image,
                        size_t size_bytes, size_t at, char *why,
                        size_t why_size)
{
    size_t want = trench_ctxlog_size(gen);
    const struct trench_gen *owner;

    if (at == 0) {
        return check_size(gen, size_bytes, why, why_size);
    }
    if (at > size_bytes || want > size_bytes - at) {
        return refuse(why, why_size,
                      "%zu bytes; a context of %s at 0x%zX ends at 0x%zX",
                      size_bytes, gen->name, at, at + want);
    }
    owner = owner_of(gen, image, size_bytes);
    if (owner && owner != gen) {
        return refuse(why, why_size, "this is the data memory of %s, not of %s",
                      owner->name, gen->name);
    }
    return 0;
}
