/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The address map: what is at an address, and where a name is.
 *
 * An address belongs to a window of the chip; a window holds others, or the
 * channels of a cluster; a channel holds units; a unit holds registers. Every
 * function walks that tree down from the top, so an address, a name, a range
 * and a PCIe offset have one and the same meaning. The data is in struct
 * trench_gen; nothing here knows a generation.
 *
 * The map also knows what the model does not implement, and says so.
 *
 * Nothing here allocates or keeps state: call it from any thread.
 */
#ifndef TRENCH_MAP_H
#define TRENCH_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <trench/csr.h>
#include <trench/error.h>
#include <trench/gen.h>

#ifdef __cplusplus
extern "C" {
#endif

/** What an address leads to. */
enum trench_map_status {
    TRENCH_MAP_HOLE,         /**< Nothing: between windows or inside one. */
    TRENCH_MAP_MODELLED,     /**< The model answers there. */
    TRENCH_MAP_PARTLY,       /**< Some of what is in it is modelled. */
    TRENCH_MAP_NOT_MODELLED, /**< Known, but the model faults. */
    TRENCH_MAP_UNPOPULATED,  /**< A memory window without memory there. */
};

/** A status in words: "hole", "modelled", ... */
TRENCH_API const char *trench_map_status_name(enum trench_map_status status);

/** What stands at an address on its level of the tree. */
enum trench_map_kind {
    TRENCH_MAP_ROOT,    /**< The whole address space. */
    TRENCH_MAP_WINDOW,  /**< A struct trench_gen_window. */
    TRENCH_MAP_CHANNEL, /**< A channel, or its part. */
    TRENCH_MAP_MIRROR,  /**< A broadcast node. */
    TRENCH_MAP_UNIT,    /**< A block of a channel, or of its mirror. */
    TRENCH_MAP_REGISTER,
    TRENCH_MAP_GAP, /**< Nothing; the range reaches to its neighbours. */
};

/** Most levels of the tree. */
#define TRENCH_MAP_DEPTH 8

/** One level on the way to an address. Both ends belong to it. */
struct trench_map_node {
    enum trench_map_kind kind;
    uint64_t first;
    uint64_t last;
    /** WINDOW: the row, and which one of its run. */
    const struct trench_gen_window *window;
    uint16_t nth;
    /** CHANNEL and below. */
    const struct trench_gen_cluster *cluster;
    uint16_t channel;
    /** UNIT and below. */
    const struct trench_gen_unit *unit;
    /** UNIT, REGISTER, and a WINDOW with registers; NULL = not built in. */
    const struct trench_csr_block *block;
    /** REGISTER. */
    struct trench_csr_ref ref;
};

/** Everything known of an address. */
struct trench_map_info {
    uint64_t addr;  /**< As asked. */
    uint64_t local; /**< As looked up: no attribute bits, no chip. */
    /** Chip that an identifier in the address names, or -1. */
    int chip;
    uint8_t die;
    bool privileged;
    bool broadcast;
    enum trench_map_status status;
    /** Top first; path[depth - 1] is the innermost, perhaps a GAP. */
    struct trench_map_node path[TRENCH_MAP_DEPTH];
    unsigned depth;
    /** Numbers by enum trench_index; -1 = does not apply. */
    int index[TRENCH_NR_INDEXES];
    /** Broadcast: engines index[ENGINE] .. + this - 1; else 1, or 0. */
    unsigned nr_engines;
    const struct trench_gen_mem *mem; /**< The memory there, or NULL. */
};

/**
 * Look an address up. Attribute bits (56 and 57) are dropped first; an
 * address with a valid chip identifier is looked up on the chip that it
 * names, which is taken to be of the same generation.
 *
 * @param gen   The generation.
 * @param addr  Any 64-bit number.
 * @param out   Filled completely, also for a hole.
 */
TRENCH_API void trench_map_at(const struct trench_gen *gen, uint64_t addr,
                              struct trench_map_info *out);

/** The innermost node of a look-up. */
static inline const struct trench_map_node *trench_map_leaf(
    const struct trench_map_info *info)
{
    return &info->path[info->depth - 1];
}

/**
 * Write the full name of the node that a path ends with, such as
 * "APB_SE_0_SDMA_5.udma_m2s.M2S_Q[5].TDRTP_inc". trench_map_find() takes it
 * back. A final gap is left out, so the name is that of what holds it.
 *
 * @param path   From trench_map_info.
 * @param depth  Nodes of it to use.
 * @return length of the full text (as snprintf); 0 for the top.
 */
TRENCH_API int trench_map_name(const struct trench_map_node *path,
                               unsigned depth, char *buf, size_t size);

/** An address that a name stands for. */
struct trench_map_place {
    uint64_t addr;
    uint64_t size_bytes; /**< Of what the name stands for. */
    bool privileged;
    bool broadcast;
};

/** Most addresses of a name: two routes, each with its broadcast twin. */
#define TRENCH_MAP_PLACES 4

/** Why a name was not understood. */
struct trench_map_error {
    size_t at;        /**< Offset in the name. */
    char reason[200]; /**< One phrase, no newline. */
};

/**
 * Understand a name, in any case:
 *
 *     engine5.m2s.M2S_Q[5].TDRTP_inc      an engine by number, by both routes
 *     APB_SE_0_SDMA_5.udma_m2s.M2S_Q[5].TDRTP_inc      by its place: one route
 *     bcast0.s2m.S2M_Q[0].RDRTP_inc       a broadcast node
 *     TPB_0_EVT_SEM_INC[5], HBM_1+0x1000  windows, and offsets in anything
 *
 * Blocks may be called by node (UDMA_M2S), schema (udma_m2s) or shortly (m2s,
 * tdma). A part of a path stands for its first byte. '.' and '_' are alike
 * between the parts of a path, except before a register.
 *
 * @param twins  Also list the broadcast node that reaches the same register of
 *               the engine and its neighbours.
 * @param out    Receives up to TRENCH_MAP_PLACES places, the plain route first.
 * @param err    Receives what was wrong, with a suggestion; may be NULL.
 *
 * @return number of places;
 *         TRENCH_ERR_NOENT  nothing has this name;
 *         TRENCH_ERR_INVAL  an index or offset out of range, or not a name.
 */
TRENCH_API int trench_map_find(const struct trench_gen *gen, const char *name,
                               bool twins, struct trench_map_place *out,
                               struct trench_map_error *err);

/**
 * Other addresses of what a look-up found: the other route, the broadcast
 * node that also reaches the register, the second route to host memory.
 *
 * @param out  Receives up to TRENCH_MAP_PLACES places.
 * @return number of places.
 */
TRENCH_API int trench_map_also(const struct trench_gen *gen,
                               const struct trench_map_info *info,
                               struct trench_map_place *out);

/** Receives one item of a range; not 0 stops, and is returned to the caller. */
typedef int (*trench_map_fn)(void *opaque, const struct trench_map_info *item);

/** A range of addresses; both ends belong to it. */
struct trench_map_range {
    uint64_t first;
    uint64_t last;
};

/**
 * List what a range holds: the parts of the innermost node that contains it
 * all, gaps included, in ascending order. A range that is just one node lists
 * the parts of that node; one without parts lists itself.
 *
 * @return number of items; TRENCH_ERR_INVAL when last < first; or what @p fn
 *         returned.
 */
TRENCH_API int trench_map_list(const struct trench_gen *gen,
                               const struct trench_map_range *range,
                               trench_map_fn fn, void *opaque);

/** Where PCIe shows an address. */
struct trench_map_bar {
    const struct trench_gen_bar *window;
    uint64_t offset; /**< In the BAR. */
};

/** Most windows that show one address. */
#define TRENCH_MAP_BARS 4

/**
 * Find an address in the PCIe BARs, such as trench_map_info.local.
 * @return number of places, in the order of struct trench_gen; 0 = not shown.
 */
TRENCH_API int trench_map_to_bar(const struct trench_gen *gen, uint64_t addr,
                                 struct trench_map_bar *out);

/**
 * Translate an offset in a BAR.
 *
 * @param bar  "main.0", "amzn0.3", or "0" for the main function's.
 * @param out  Receives the address.
 * @return 0; TRENCH_ERR_NODEV when there is no such BAR; TRENCH_ERR_FAULT in
 *         a gap of it.
 */
TRENCH_API int trench_map_from_bar(const struct trench_gen *gen,
                                   const char *bar, uint64_t offset,
                                   uint64_t *out);

/** Counts over the clusters. */
struct trench_map_totals {
    unsigned engines;    /**< Different ones. */
    unsigned unicast;    /**< UDMA nodes, both routes. */
    unsigned plain;      /**< Of those. */
    unsigned privileged; /**< Of those. */
    unsigned broadcast;  /**< Broadcast nodes. */
};

/** Count engines and nodes. */
TRENCH_API void trench_map_totals(const struct trench_gen *gen,
                                  struct trench_map_totals *out);

/** Nodes of a unit, broadcast ones included. */
TRENCH_API unsigned trench_map_unit_nodes(const struct trench_gen *gen,
                                          const struct trench_gen_unit *unit);

/**
 * A broadcast node by its number, counted over the clusters of a route.
 * @return 0, or TRENCH_ERR_NODEV past the last one.
 */
TRENCH_API int trench_map_bcast(const struct trench_gen *gen, unsigned n,
                                bool privileged, struct trench_map_info *out);

#ifdef __cplusplus
}
#endif

#endif /* TRENCH_MAP_H */
