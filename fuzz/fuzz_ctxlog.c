/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Any bytes as a context of any generation: it decodes to JSON, and encoding
 * that over the same bytes changes nothing.
 *
 * Input: options, then pairs of an offset and eight bytes that are put there,
 * so that short inputs reach every part of the context.
 */
#include <stdbool.h>
#include <stdlib.h>

#include <trench/ctxlog.h>

#include "fuzz.h"

#define MAX_CTX 0x5000

static char text[TRENCH_CTXLOG_TEXT_BYTES];

static void must(bool truth)
{
    if (!truth) {
        abort();
    }
}

static void check_json(const struct trench_ctxlog_conf *conf,
                       const uint8_t *ctx, size_t size, int len)
{
    const struct trench_ctxlog_encode_conf enc = { .gen = conf->gen,
                                                   .over_base = true };
    struct trench_ctxlog_counts counts;
    uint8_t *back = malloc(size);

    must(back);
    memcpy(back, ctx, size);
    must(trench_ctxlog_encode(&enc, text, (size_t)len, back, &counts) == 0);
    must(counts.errors + counts.unknown + counts.missing == 0);
    must(memcmp(back, ctx, size) == 0);
    free(back);
}

static int count(void *opaque, const struct trench_ctxlog_change *change)
{
    unsigned *nr = opaque;

    must(change->opaque || change->before != change->after);
    must(change->size_bytes > 0);
    ++*nr;
    return 0;
}

/* Differences are found exactly where there are some. */
static void check_diff(const struct trench_gen *gen, const uint8_t *ctx,
                       size_t size)
{
    uint8_t *zero = calloc(1, size);
    unsigned nr = 0;

    must(zero);
    must(trench_ctxlog_diff(gen, zero, ctx, count, &nr) == (int)nr);
    must((nr == 0) == (memcmp(zero, ctx, size) == 0));
    must(trench_ctxlog_diff(gen, ctx, ctx, count, &nr) == 0);
    free(zero);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fuzz_input in = { data, size };
    uint8_t pick = fuzz_u8(&in);
    const struct trench_ctxlog_conf conf = {
        .gen = trench_gen_at(pick % 4),
        .reading = pick & 4 ? TRENCH_NCFW_SHEETS : TRENCH_NCFW_SEED,
        .compat = pick & 8,
    };
    size_t ctx_size = trench_ctxlog_size(conf.gen);
    uint8_t *ctx = calloc(1, ctx_size); /* exactly, for the sanitizer */
    char why[32];
    int len;

    must(ctx && ctx_size <= MAX_CTX);
    while (in.left > 0) {
        size_t at = fuzz_u16(&in) % (ctx_size - 7);

        fuzz_bytes(&in, ctx + at, 8);
    }
    len = trench_ctxlog_decode(&conf, ctx, text, sizeof(text));
    must(len > 0 && text[len] == '\0');
    /* Some only: an encoding takes many times as long as the rest. */
    if (!conf.compat && (pick & 16)) {
        check_json(&conf, ctx, ctx_size, len);
    }
    check_diff(conf.gen, ctx, ctx_size);
    (void)trench_ctxlog_check(conf.gen, data, size, pick, why, sizeof(why));
    free(ctx);
    return 0;
}
