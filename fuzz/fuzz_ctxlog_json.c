/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Any text as the JSON of a context. What is refused changes nothing; what is
 * taken is the same a second time, and comes back from its own decoding.
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

static void look(void *opaque, const struct trench_ctxlog_finding *finding)
{
    unsigned *nr = opaque;

    must(strlen(finding->reason) > 0 && finding->path);
    nr[finding->kind]++;
}

static void check_taken(const struct trench_ctxlog_encode_conf *conf,
                        const uint8_t *ctx, size_t size)
{
    const struct trench_ctxlog_conf dec = { .gen = conf->gen };
    const struct trench_ctxlog_encode_conf over = { .gen = conf->gen,
                                                    .over_base = true };
    uint8_t *back = malloc(size);
    int len = trench_ctxlog_decode(&dec, ctx, text, sizeof(text));

    must(back && len > 0);
    memcpy(back, ctx, size);
    must(trench_ctxlog_encode(&over, text, (size_t)len, back, NULL) == 0);
    must(memcmp(back, ctx, size) == 0);
    free(back);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fuzz_input in = { data, size };
    uint8_t pick = fuzz_u8(&in);
    unsigned nr[3] = { 0 };
    const struct trench_ctxlog_encode_conf conf = {
        .gen = trench_gen_at(pick % 4),
        .over_base = pick & 4,
        .fn = look,
        .opaque = nr,
    };
    size_t ctx_size = trench_ctxlog_size(conf.gen);
    struct trench_ctxlog_counts counts;
    uint8_t *ctx = malloc(ctx_size);
    uint8_t *again = malloc(ctx_size);
    int err;

    must(ctx && again && ctx_size <= MAX_CTX);
    memset(ctx, pick, ctx_size);
    memcpy(again, ctx, ctx_size);
    err =
        trench_ctxlog_encode(&conf, (const char *)in.p, in.left, ctx, &counts);
    must(counts.errors == nr[TRENCH_CTXLOG_ERROR] &&
         counts.unknown == nr[TRENCH_CTXLOG_UNKNOWN] &&
         counts.missing == nr[TRENCH_CTXLOG_MISSING]);
    if (err) {
        must(err == TRENCH_ERR_BADMSG && counts.errors > 0);
        must(memcmp(ctx, again, ctx_size) == 0);
    } else {
        check_taken(&conf, ctx, ctx_size);
        memcpy(again, ctx, ctx_size);
        must(trench_ctxlog_encode(&conf, (const char *)in.p, in.left, ctx,
                                  NULL) == 0);
        must(memcmp(ctx, again, ctx_size) == 0);
    }
    free(again);
    free(ctx);
    return 0;
}
