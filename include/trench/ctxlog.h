/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The context of the management firmware, which the ctx_log decoder prints as
 * JSON (seed 000 1.5, 2.4, 3.4; ncfw-steps 5).
 *
 * A context is 0x44E8 bytes, 0x32C8 on sunda: little-endian and packed. Its
 * JSON has the keys, order and number formats of the original. That form does
 * not hold everything (reserved bytes, what follows the end of a table); the
 * encoder therefore starts from a base image where there is one, and changes
 * only what the JSON says: decode and encode over the same image is lossless.
 *
 * Functions are pure: no state, any thread.
 */
#ifndef TRENCH_CTXLOG_H
#define TRENCH_CTXLOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <trench/error.h>
#include <trench/export.h>
#include <trench/gen.h>
#include <trench/ncfw.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Size of the original's output buffer; more than any context needs. */
#define TRENCH_CTXLOG_TEXT_BYTES (1u << 20)

/** Bytes of a context of this generation. */
TRENCH_API size_t trench_ctxlog_size(const struct trench_gen *gen);

/**
 * Say whether an image can hold a context of this generation, and if not, why.
 *
 * @param image       The file's bytes; borrowed.
 * @param size_bytes  How many.
 * @param at          Offset of the context in them.
 * @param why         Receives one phrase on failure; may be NULL.
 * @param why_size    Room for it.
 *
 * @return 0;
 *         TRENCH_ERR_BADMSG  the context would end behind the image; at is 0
 *                            and the size is not that of a context; or the
 *                            image is the data memory of another generation.
 */
TRENCH_API int trench_ctxlog_check(const struct trench_gen *gen,
                                   const void *image, size_t size_bytes,
                                   size_t at, char *why, size_t why_size);

/** How to decode. Zero the struct first. */
struct trench_ctxlog_conf {
    const struct trench_gen *gen; /**< NULL = the default generation. */
    const char *model_name;       /**< NULL = the generation's name. */
    /** dma_alloc_bitmap: words (seed 000 3.4), or queue and engines. */
    enum trench_ncfw_reading reading;
    /**
     * Print the lines that the original gets wrong as it does: flags as
     * pointers, "(nil)" for 0, and for two fields their place in memory. The
     * result is then not JSON.
     */
    bool compat;
    uint64_t compat_base; /**< Where the context would be in memory. */
};

/**
 * Print a context.
 *
 * @param ctx   trench_ctxlog_size() bytes; borrowed.
 * @param buf   Receives the text and a 0.
 * @param size  Room for it; TRENCH_CTXLOG_TEXT_BYTES is enough.
 * @return length of the text; TRENCH_ERR_NOSPC when it does not fit, buf then
 *         holds the part that did; TRENCH_ERR_INVAL when model_name is not
 *         UTF-8, or the reading is none; TRENCH_ERR_NOMEM.
 */
TRENCH_API int trench_ctxlog_decode(const struct trench_ctxlog_conf *conf,
                                    const void *ctx, char *buf, size_t size);

/** What the encoder found. */
enum trench_ctxlog_kind {
    TRENCH_CTXLOG_ERROR,   /**< A wrong type or value; nothing is written. */
    TRENCH_CTXLOG_UNKNOWN, /**< A key that means nothing; ignored. */
    TRENCH_CTXLOG_MISSING, /**< A key that is not there; bytes kept. */
};

/** One finding. */
struct trench_ctxlog_finding {
    enum trench_ctxlog_kind kind;
    const char *path;   /**< "ncfw_ctx_top_sp.configs...": during the call. */
    const char *reason; /**< One phrase; during the call. */
};

/** Receives one finding. */
typedef void (*trench_ctxlog_fn)(void *opaque,
                                 const struct trench_ctxlog_finding *finding);

/** How to encode. Zero the struct first. */
struct trench_ctxlog_encode_conf {
    const struct trench_gen *gen; /**< NULL = the default generation. */
    /**
     * ctx holds a context that is changed. Without it ctx is zeroed first, and
     * the channel ids, which are not printed, are set to their index.
     */
    bool over_base;
    trench_ctxlog_fn fn; /**< NULL = findings are only counted. */
    void *opaque;
};

/** Counts of an encoding. */
struct trench_ctxlog_counts {
    unsigned errors;
    unsigned unknown;
    unsigned missing;
};

/**
 * Make a context from JSON. Every fault is reported, not only the first.
 *
 * @param text    JSON, not necessarily ending in 0; borrowed.
 * @param len     Its length.
 * @param ctx     trench_ctxlog_size() bytes; untouched on failure.
 * @param counts  Receives the counts, also on failure; may be NULL.
 *
 * @return 0;
 *         TRENCH_ERR_BADMSG  not JSON, or a type or value that does not fit;
 *                            see the findings;
 *         TRENCH_ERR_NOMEM.
 */
TRENCH_API int trench_ctxlog_encode(
    const struct trench_ctxlog_encode_conf *conf, const char *text, size_t len,
    void *ctx, struct trench_ctxlog_counts *counts);

/** One field that differs. */
struct trench_ctxlog_change {
    const char *path; /**< As in the JSON; during the call. */
    uint32_t offset;  /**< In the context. */
    uint32_t size_bytes;
    bool address; /**< An address; print it in hexadecimal. */
    bool opaque;  /**< Bytes that no field covers; no values. */
    uint64_t before;
    uint64_t after;
};

/** Receives one change; not 0 stops, and is returned to the caller. */
typedef int (*trench_ctxlog_change_fn)(
    void *opaque, const struct trench_ctxlog_change *change);

/**
 * Compare two contexts, field by field, in the order of the JSON; then the
 * runs of bytes that differ and belong to no field. Table entries that the
 * decoder does not print are compared as well.
 *
 * @param before  trench_ctxlog_size() bytes; borrowed.
 * @param after   The same.
 * @return number of changes; what @p fn returned; TRENCH_ERR_NOMEM.
 */
TRENCH_API int trench_ctxlog_diff(const struct trench_gen *gen,
                                  const void *before, const void *after,
                                  trench_ctxlog_change_fn fn, void *opaque);

#ifdef __cplusplus
}
#endif

#endif /* TRENCH_CTXLOG_H */
