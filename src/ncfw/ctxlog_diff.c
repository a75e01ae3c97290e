/* SPDX-License-Identifier: BSD-3-Clause */
/* Two contexts, field by field; then the bytes that no field covers. */
#include "ncfw/ctxlog.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/le.h"

struct differ {
    const uint8_t *side[2];
    uint8_t *covered; /* bits that some field has */
    trench_ctxlog_change_fn fn;
    void *opaque;
    int nr;
    int stop; /* what fn returned */
};

static bool differ_enter(void *opaque, const struct ctx_place *place)
{
    const struct differ *d = opaque;

    /* Fields say more than words. */
    return d->stop == 0 && place->node->rule != CTX_IF_SEED;
}

static void differ_leave(void *opaque, const struct ctx_place *place)
{
    (void)opaque;
    (void)place;
}

static unsigned differ_count(void *opaque, const struct ctx_place *place,
                             unsigned max)
{
    (void)opaque;
    (void)place;
    return max;
}

static void tell(struct differ *d, const struct trench_ctxlog_change *change)
{
    if (d->stop == 0) {
        d->nr++;
        d->stop = d->fn(d->opaque, change);
    }
}

static void differ_leaf(void *opaque, const struct ctx_place *place)
{
    const struct ctx_node *node = place->node;
    unsigned bytes = ctx_bytes(node);
    uint32_t at = place->offset;
    struct differ *d = opaque;
    struct trench_ctxlog_change change = {
        .path = place->path,
        .offset = at,
        .size_bytes = bytes,
        .address = node->kind != CTX_UINT && node->kind != CTX_INDEX,
    };

    if (bytes == 0) {
        return;
    }
    le_put(d->covered + at, bytes,
           le_get(d->covered + at, bytes) | ctx_mask(node));
    change.before = ctx_get(node, d->side[0] + at);
    change.after = ctx_get(node, d->side[1] + at);
    if (change.before != change.after) {
        tell(d, &change);
    }
}

static bool hidden_change(const struct differ *d, size_t i)
{
    return ((d->side[0][i] ^ d->side[1][i]) & ~d->covered[i]) != 0;
}

static void tell_the_rest(struct differ *d, size_t size)
{
    char path[48];

    for (size_t i = 0; i < size; i++) {
        size_t first = i;

        while (i < size && hidden_change(d, i)) {
            i++;
        }
        if (i > first) {
            const struct trench_ctxlog_change change = {
                .path = path,
                .offset = (uint32_t)first,
                .size_bytes = (uint32_t)(i - first),
                .opaque = true,
            };

            snprintf(path, sizeof(path), "[0x%zX..0x%zX]", first, i - 1);
            tell(d, &change);
        }
    }
}

int trench_ctxlog_diff(const struct trench_gen *gen, const void *before,
                       const void *after, trench_ctxlog_change_fn fn,
                       void *opaque)
{
    static const struct ctx_visitor visitor = {
        .enter = differ_enter,
        .leave = differ_leave,
        .leaf = differ_leaf,
        .count = differ_count,
    };
    struct differ d = { .side = { before, after }, .fn = fn, .opaque = opaque };
    size_t size = trench_ctxlog_size(gen);

    d.covered = calloc(1, size);
    if (!d.covered) {
        return TRENCH_ERR_NOMEM;
    }
    ctx_walk(gen, &visitor, &d);
    tell_the_rest(&d, size);
    free(d.covered);
    return d.stop ? d.stop : d.nr;
}
