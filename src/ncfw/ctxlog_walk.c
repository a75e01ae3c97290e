/* SPDX-License-Identifier: BSD-3-Clause */
/* One walk over the table, for everybody who has something to do there. */
#include "ncfw/ctxlog.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "base/le.h"

#define ADDR_BYTES 8u

struct walk {
    const struct trench_gen *gen;
    const struct ctx_visitor *visitor;
    void *opaque;
    char path[CTX_PATH_BYTES];
    size_t len;
};

static void visit(struct walk *w, const struct ctx_node *node,
                  const struct ctx_place *outer, uint32_t offset);

/* As much as there is room for; the table's paths all fit. */
static void path_add(struct walk *w, const char *text)
{
    size_t len = strlen(text);

    if (len < sizeof(w->path) - w->len) {
        memcpy(w->path + w->len, text, len + 1);
        w->len += len;
    }
}

/* "a.b" for a key, "a.b[3]" for an element. */
static void path_push(struct walk *w, const struct ctx_place *place)
{
    char element[16];

    if (place->node->key) {
        path_add(w, place->depth > 1 ? "." : "");
        path_add(w, place->node->key);
    } else if (place->depth > 0) {
        snprintf(element, sizeof(element), "[%u]", place->index);
        path_add(w, element);
    }
}

static void visit_array(struct walk *w, const struct ctx_place *place)
{
    const struct ctx_node *node = place->node;
    unsigned max = node->count ? node->count : w->gen->ncfw->nr_mesh_events;
    unsigned nr = w->visitor->count(w->opaque, place, max);
    struct ctx_place element = *place;

    for (unsigned i = 0; i < nr; i++) {
        element.index = i;
        visit(w, node->inside, &element, place->offset + i * node->stride);
    }
}

static void visit_inside(struct walk *w, const struct ctx_place *place)
{
    const struct ctx_node *node = place->node;

    if (!w->visitor->enter(w->opaque, place)) {
        return;
    }
    if (node->kind == CTX_ARRAY) {
        visit_array(w, place);
    } else {
        for (unsigned i = 0; i < node->nr_inside; i++) {
            visit(w, &node->inside[i], place, place->offset);
        }
    }
    w->visitor->leave(w->opaque, place);
}

static void visit(struct walk *w, const struct ctx_node *node,
                  const struct ctx_place *outer, uint32_t offset)
{
    struct ctx_place place = {
        .node = node,
        .parent = offset,
        .index = outer ? outer->index : 0,
        .depth = outer ? outer->depth + 1 : 0,
        .path = w->path,
    };
    size_t len = w->len;

    path_push(w, &place);
    assert(place.depth < CTX_DEPTH);
    if (node->from > 0) {
        offset = ctx_part_offset(w->gen, (enum ctx_part)(node->from - 1));
    }
    place.offset = offset + node->offset;
    if (node->kind == CTX_OBJECT || node->kind == CTX_ARRAY) {
        visit_inside(w, &place);
    } else {
        w->visitor->leaf(w->opaque, &place);
    }
    w->len = len;
    w->path[len] = '\0';
}

void ctx_walk(const struct trench_gen *gen, const struct ctx_visitor *visitor,
              void *opaque)
{
    struct walk w = { .gen = gen, .visitor = visitor, .opaque = opaque };

    visit(&w, &ctx_root, NULL, 0);
}

unsigned ctx_bytes(const struct ctx_node *node)
{
    switch ((enum ctx_kind)node->kind) {
    case CTX_UINT:
    case CTX_INDEX:
        return node->bytes;
    case CTX_WORD:
    case CTX_ADDR:
    case CTX_SEMA:
        return ADDR_BYTES;
    case CTX_OBJECT:
    case CTX_ARRAY:
    case CTX_NAME:
        break;
    }
    return 0;
}

uint64_t ctx_max(const struct ctx_node *node)
{
    unsigned width = node->width ? node->width : 8 * ctx_bytes(node);

    return width < 64 ? (UINT64_C(1) << width) - 1 : UINT64_MAX;
}

uint64_t ctx_mask(const struct ctx_node *node)
{
    return ctx_max(node) << node->lsb;
}

uint64_t ctx_get(const struct ctx_node *node, const uint8_t *at)
{
    return (le_get(at, ctx_bytes(node)) & ctx_mask(node)) >> node->lsb;
}
