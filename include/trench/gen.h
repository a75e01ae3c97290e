/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Generations: everything that differs between chips, as constant data.
 *
 * Code never asks which generation it runs on; it reads a field of the
 * description. Sources are named by row in src/gen/.
 */
#ifndef TRENCH_GEN_H
#define TRENCH_GEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <trench/csr.h>
#include <trench/error.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Queues of one direction of one engine (udma-engine B10). */
#define TRENCH_NR_QUEUES 16

/** What a memory window is made of. */
enum trench_mem_kind {
    TRENCH_MEM_HBM,
    TRENCH_MEM_SBUF, /**< 128 partitions with a gap behind each. */
    TRENCH_MEM_PSUM,
    TRENCH_MEM_HOST, /**< The host's memory, seen through PCIe. */
};

/** A kind's name: "hbm", "sbuf", "psum", "host". */
TRENCH_API const char *trench_mem_kind_name(enum trench_mem_kind kind);

/** A window of memory that a descriptor may address. */
struct trench_gen_mem {
    const char *name;          /**< "HBM_0", ... */
    enum trench_mem_kind kind;
    uint64_t base;
    uint64_t size_bytes;       /**< Of the window; host memory: its most. */
    uint32_t stride_bytes;     /**< Partition stride, 0 = one piece. */
    uint32_t valid_bytes;      /**< Populated part of each partition. */
    uint64_t alias;            /**< Second base of the same memory, or 0. */
};

/** A run of channels at a fixed stride, on one route. */
struct trench_gen_cluster {
    const char *name;          /**< "APB_SE_0", ... */
    uint64_t base;             /**< First channel. */
    uint32_t stride_bytes;     /**< One channel to the next. */
    uint16_t nr_channels;
    uint16_t first_engine;     /**< Engine id of the first channel. */
    const char *const *names;  /**< Of its channels; NULL = SDMA_<n>. */
    uint8_t die;
    bool privileged;           /**< The bit-53 route to the same engines. */
    uint16_t bcast_every;      /**< A broadcast node every n channels, or 0. */
};

/** Where a block sits in a channel. */
struct trench_gen_unit {
    const char *name;          /**< Of the node: "UDMA_M2S", ... */
    enum trench_block_id block;
    uint32_t offset;
    uint32_t size_bytes;
    bool broadcast;            /**< Also present in the broadcast mirror. */
};

/** Register words that the driver library programs at engine start. */
struct trench_gen_init {
    uint32_t m2s_data_cfg;
    uint32_t m2s_ostand_cfg;
    uint32_t s2m_ostand_cfg_rd;
    uint32_t s2m_ostand_cfg_wr;
    uint32_t rob_txdf;         /**< 0 = the generation has no such register. */
};

/** One generation. Its register maps: trench_csr_builtin(name, ...). */
struct trench_gen {
    const char *name;          /**< "cayman", ... */
    const char *title;         /**< For people: product and core version. */
    uint16_t nr_engines;
    uint16_t nr_cores;         /**< NeuronCores. */
    uint32_t bcast_offset;     /**< Of the broadcast mirror in a channel. */
    uint16_t bcast_lanes;      /**< Engines behind one broadcast node. */
    const struct trench_gen_unit *units;
    size_t nr_units;
    const struct trench_gen_cluster *clusters;
    size_t nr_clusters;
    const struct trench_gen_mem *mems;
    size_t nr_mems;
    struct trench_gen_init init;
};

/**
 * Look a generation up.
 * @param name  "cayman", in any case; NULL = the default generation.
 * @return the description, valid for ever, or NULL when unknown.
 */
TRENCH_API const struct trench_gen *trench_gen_find(const char *name);

/**
 * The n-th known generation, for listing.
 * @return NULL past the end.
 */
TRENCH_API const struct trench_gen *trench_gen_at(size_t n);

/**
 * Base address of an engine.
 *
 * @param gen         The generation.
 * @param engine      0 .. nr_engines-1.
 * @param privileged  Choose the privileged route.
 * @param out         Receives the address of the channel.
 * @return 0, or TRENCH_ERR_NODEV when there is no such engine or route.
 */
TRENCH_API int trench_gen_engine_base(const struct trench_gen *gen,
                                      unsigned engine, bool privileged,
                                      uint64_t *out);

/**
 * Name of an engine: its cluster and channel on the plain route, e.g.
 * "APB_SE_0_SDMA_5" or "APB_IO_0_USER_IO_D2H".
 * @return length of the full text (as snprintf), or TRENCH_ERR_NODEV.
 */
TRENCH_API int trench_gen_engine_name(const struct trench_gen *gen,
                                      unsigned engine, char *buf, size_t size);

#ifdef __cplusplus
}
#endif

#endif /* TRENCH_GEN_H */
