/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The context as a table: one row a key of the JSON, in its order. Decoder,
 * encoder and comparison all walk this table.
 */
#ifndef TRENCH_NCFW_CTXLOG_H
#define TRENCH_NCFW_CTXLOG_H

#include <stdbool.h>
#include <stdint.h>

#include <trench/ctxlog.h>

#include "ncfw/context.h"

enum ctx_kind {
    CTX_OBJECT,
    CTX_ARRAY,
    CTX_UINT,  /* a number, or some bits of it */
    CTX_WORD,  /* "0x0123456789ABCDEF" */
    CTX_ADDR,  /* { "soc_addr": word } */
    CTX_SEMA,  /* { "addr": { "soc_addr": word } } */
    CTX_INDEX, /* the number of the element, whatever is stored */
    CTX_NAME,  /* the model's; not stored */
};

enum ctx_rule {
    CTX_PLAIN,
    CTX_POINTER, /* the original prints the value as a pointer */
    CTX_PLACE,   /* the original prints where the field is */
    CTX_FOLD,    /* as many elements as the byte at len_at says */
    CTX_UNTIL_0, /* ends before an element whose first field is 0 */
    CTX_IF_SEED, /* only by this reading of the allocation bitmap */
    CTX_IF_SHEETS,
};

struct ctx_node {
    const char *key; /* NULL = an element, or the root */
    uint8_t kind;    /* enum ctx_kind */
    uint8_t rule;    /* enum ctx_rule */
    uint8_t bytes;   /* UINT: 1, 2, 4 or 8; INDEX: where it is stored, or 0 */
    uint8_t lsb;     /* UINT: the bits; width 0 = all */
    uint8_t width;
    uint8_t from;   /* 0 = offset in the parent; else in part from - 1 */
    uint8_t len_at; /* FOLD: offset in the parent */
    uint8_t nr_inside;
    uint16_t offset;
    uint16_t count; /* ARRAY: 0 = as many as there are mesh events */
    uint16_t stride;
    const struct ctx_node *inside; /* ARRAY: its one element */
};

extern const struct ctx_node ctx_root;

#define CTX_PATH_BYTES 160
#define CTX_DEPTH      16

/* A node in the context that is walked. */
struct ctx_place {
    const struct ctx_node *node;
    uint32_t offset; /* in the context */
    uint32_t parent; /* offset of what it is in */
    unsigned index;  /* of the innermost array */
    unsigned depth;  /* 0 = the root */
    const char *path;
};

struct ctx_visitor {
    /* OBJECT and ARRAY: false = leave it out; else leave() follows. */
    bool (*enter)(void *opaque, const struct ctx_place *place);
    void (*leave)(void *opaque, const struct ctx_place *place);
    void (*leaf)(void *opaque, const struct ctx_place *place);
    /* Elements to visit, at most max. */
    unsigned (*count)(void *opaque, const struct ctx_place *place,
                      unsigned max);
};

/* Visit all nodes, in order. Depth is bounded by the table. */
void ctx_walk(const struct trench_gen *gen, const struct ctx_visitor *visitor,
              void *opaque);

/* Largest number that fits a UINT. */
uint64_t ctx_max(const struct ctx_node *node);

/* Bytes that a leaf is stored in; 0 = it is not. */
unsigned ctx_bytes(const struct ctx_node *node);

/* The bits of a leaf within its bytes. */
uint64_t ctx_mask(const struct ctx_node *node);

/* Value of a leaf that is stored. */
uint64_t ctx_get(const struct ctx_node *node, const uint8_t *at);

#endif /* TRENCH_NCFW_CTXLOG_H */
