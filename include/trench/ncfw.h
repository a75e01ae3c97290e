/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * One step of a collective, as the host lays it out (seed 000): which engines
 * and queues (alloc), where their rings go (reprogram), and the words that
 * re-arm and start them all at once (broadcast).
 *
 * A step uses up to eight queue bundles. A bundle is a set of (engine, queue)
 * pairs; its engines are numbered 0 .. 31 within a virtual core, which is one
 * NeuronCore (16 engines) or two (32). A pcore is one of those NeuronCores.
 *
 *     trench_ncfw_plan()            bundle -> alloc entry, bitmap, words
 *       trench_ncfw_ring_writes()   pair   -> six register writes
 *       trench_ncfw_rearm_writes()  pair   -> the re-arm after them
 *       trench_ncfw_bcast_record()  bundle -> addresses and mask of the bells
 *       trench_ncfw_bells()         counts -> the two writes that start it
 *
 * Everything here is computed from its arguments and from constant data of
 * the generation; nothing is allocated or written. trench/pring.h lays the
 * writes out as descriptors. Safe from any thread.
 *
 * Where the sources disagree, both readings are there and the seed's is the
 * default (value 0); docs/hardware.md, "Collective steps", has the reasons.
 */
#ifndef TRENCH_NCFW_H
#define TRENCH_NCFW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <trench/error.h>
#include <trench/export.h>
#include <trench/gen.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Engines behind one broadcast node: bits of a lane mask. */
#define TRENCH_NCFW_LANES 16
/** Engines that a bitmap of a virtual core can name. */
#define TRENCH_NCFW_ENGINES 32
/** Counts of a step stay below this (ncfw-steps 0). */
#define TRENCH_NCFW_MAX_COUNT 65535u

/* ---- alloc (seed 000 3) ----------------------------------------------- */

/** What the two halves of an allocation word mean. */
enum trench_ncfw_reading {
    /** Seed 000 3.1: low = engine apertures, high = queues. */
    TRENCH_NCFW_SEED,
    /** ncfw-steps 2.7, address-map 5.2: low = queue id, high = engines. */
    TRENCH_NCFW_SHEETS,
};

/** An allocation word, taken apart. */
struct trench_ncfw_alloc {
    uint64_t word;
    uint32_t low;
    uint32_t high;
    /** Lowest set bit of the high half, 32 when there is none (3.2). */
    uint8_t first;
    /** Queue of the bundle, 0 .. 15. SEED: first, folded to a half of 16. */
    uint8_t queue;
    /** Half of 16 that the bundle is in: 0 or 1. */
    uint8_t half;
    /** Engines of the virtual core that the word admits; SEED: no limit. */
    uint32_t pool;
    /** Apertures that the word names; SHEETS: 0. */
    uint32_t apertures;
};

/**
 * Look a bundle up in the generation's static table (3.1, 3.2).
 *
 * @param nr_bundles  Bundles of the configuration: 2, 4 or 8, as the getter's
 *                    checks (index <= 1, <= 3, <= 7); 0 = 8.
 * @param bundle      0 .. nr_bundles - 1.
 * @return 0 and *out set; TRENCH_ERR_INVAL for another number of bundles or a
 *         bundle out of range.
 */
TRENCH_API int trench_ncfw_alloc_word(const struct trench_gen *gen,
                                      unsigned nr_bundles, unsigned bundle,
                                      uint64_t *out);

/** Take an allocation word apart. */
TRENCH_API void trench_ncfw_alloc_decode(uint64_t word,
                                         enum trench_ncfw_reading reading,
                                         struct trench_ncfw_alloc *out);

/** One ring of a pair, as its queue will see it. */
struct trench_ncfw_ring {
    uint64_t base;     /**< Bus address, a multiple of 64. */
    uint32_t nr_descs; /**< Length in descriptors, 1 .. 2^24 - 1. */
};

/** Side of an engine. M2S reads memory (Tx), S2M writes it (Rx). */
enum trench_ncfw_dir {
    TRENCH_NCFW_M2S,
    TRENCH_NCFW_S2M,
    TRENCH_NCFW_NR_DIRS,
};

/** A channel of a step: an (engine, queue) pair and its new rings. */
struct trench_ncfw_channel {
    bool in_use;
    uint16_t engine; /**< Chip-wide number, as in trench/gen.h. */
    uint8_t queue;   /**< 0 .. 15 */
    struct trench_ncfw_ring ring[TRENCH_NCFW_NR_DIRS];
};

/**
 * Engines in use: OR of 1 << (engine - base) over channels in use (3.3, SET).
 *
 * @param base  First engine of the virtual core.
 * @param out   Receives the bitmap; 0 when nothing is in use.
 * @return 0; TRENCH_ERR_INVAL when an engine is below base or 32 above it.
 */
TRENCH_API int trench_ncfw_used_engines(
    const struct trench_ncfw_channel *channels, size_t nr_channels,
    unsigned base, uint32_t *out);

/**
 * Engines that a virtual core has (3.3, VALIDITY): 0xFFFF or 0xFFFFFFFF.
 * @param nr_cores  NeuronCores of a virtual core, 1 or 2.
 * @return 0; TRENCH_ERR_INVAL for another number of cores.
 */
TRENCH_API int trench_ncfw_valid_engines(const struct trench_gen *gen,
                                         unsigned nr_cores, uint32_t *out);

/** Whether @p valid has an engine; ids past 31 are not valid. */
static inline bool trench_ncfw_engine_valid(uint32_t valid, unsigned engine)
{
    return engine < TRENCH_NCFW_ENGINES && (valid >> engine & 1) != 0;
}

/**
 * An engine of a mesh (3.3). Only the published rows are known: {4..7},
 * {0x14..0x17}, and one without engines.
 *
 * @param valid  From trench_ncfw_valid_engines().
 * @param row    Row of the table.
 * @param slot   0 .. TRENCH_MESH_ROW - 1.
 * @return the engine, 0 .. 31;
 *         TRENCH_ERR_NOTSUP  the generation's table is not known;
 *         TRENCH_ERR_INVAL   no such row or slot;
 *         TRENCH_ERR_NOENT   the table has no engine there (-1);
 *         TRENCH_ERR_NODEV   the engine is not in @p valid.
 */
TRENCH_API int trench_ncfw_mesh_engine(const struct trench_gen *gen,
                                       uint32_t valid, unsigned row,
                                       unsigned slot);

/** What an upper bundle does with a mask whose low half is not 0. */
enum trench_ncfw_low_half {
    TRENCH_NCFW_LOW_SHIFT,  /**< Take the high half all the same. */
    TRENCH_NCFW_LOW_REFUSE, /**< An assertion of the original. */
    TRENCH_NCFW_LOW_KEEP,   /**< Do not shift. */
};

/** A group mask out of a caller's table. */
struct trench_ncfw_bcast_mask {
    uint32_t word; /**< As the getter leaves it in its 32-bit register. */
    uint16_t mask; /**< What its callers use (3.5). */
};

/**
 * Choose the half of a bundle's broadcast mask (3.5; address-map 5.4): bundles
 * above 3 take the upper 16 bits.
 *
 * @param table   TRENCH_NR_BUNDLES words, one a bundle; borrowed.
 * @param bundle  0 .. 7
 * @return 0; TRENCH_ERR_INVAL for another bundle; TRENCH_ERR_BADMSG when
 *         @p policy refuses the word.
 */
TRENCH_API int trench_ncfw_bcast_mask(const uint32_t *table, int bundle,
                                      enum trench_ncfw_low_half policy,
                                      struct trench_ncfw_bcast_mask *out);

/* ---- registers (seed 000 1.1, 1.2, 2.1, 2.2) -------------------------- */

/** Registers of a queue that a step writes. */
enum trench_ncfw_reg {
    TRENCH_NCFW_BASE_LOW,
    TRENCH_NCFW_BASE_HIGH,
    TRENCH_NCFW_LEN,
    TRENCH_NCFW_TAIL_INC,
    TRENCH_NCFW_DATA_TAIL_INC, /**< M2S only; not on sunda. */
    TRENCH_NCFW_SW_CTRL,
    TRENCH_NCFW_NR_REGS,
};

/** A register of a queue. */
struct trench_ncfw_where {
    enum trench_ncfw_dir dir;
    unsigned queue;
    enum trench_ncfw_reg reg;
};

/** "M2S" or "S2M"; "?" for anything else. */
TRENCH_API const char *trench_ncfw_dir_name(enum trench_ncfw_dir dir);

/**
 * Offset in a channel: direction + ((queue + 1) << 12) + register (1.1).
 *
 * @return 0;
 *         TRENCH_ERR_INVAL   a member of @p where out of range;
 *         TRENCH_ERR_NOTSUP  the queue has no such register on this
 *                            generation.
 */
TRENCH_API int trench_ncfw_offset(const struct trench_gen *gen,
                                  const struct trench_ncfw_where *where,
                                  uint32_t *out);

/**
 * Address of a register of one engine, on the plain route.
 * @return as trench_ncfw_offset(); TRENCH_ERR_NODEV when there is no such
 *         engine.
 */
TRENCH_API int trench_ncfw_unicast(const struct trench_gen *gen,
                                   unsigned engine,
                                   const struct trench_ncfw_where *where,
                                   uint64_t *out);

/**
 * A broadcast region (2.2): the window of 16 engines, numbered as NeuronCores.
 * @return 0; TRENCH_ERR_NOTSUP when the generation's are not known;
 *         TRENCH_ERR_NODEV when there is no such region.
 */
TRENCH_API int trench_ncfw_region(const struct trench_gen *gen, unsigned region,
                                  uint64_t *out);

/**
 * Address of a register in a broadcast region (2.1). Only the tail increments
 * and sw_ctrl are broadcast (2.5).
 * @return as trench_ncfw_offset() and trench_ncfw_region(); TRENCH_ERR_ACCES
 *         for base and length, which differ between engines.
 */
TRENCH_API int trench_ncfw_bcast_addr(const struct trench_gen *gen,
                                      unsigned region,
                                      const struct trench_ncfw_where *where,
                                      uint64_t *out);

/* ---- reprogram (seed 000 1) ------------------------------------------- */

/** A register write that a descriptor will make. */
struct trench_ncfw_write {
    const char *name; /**< "m2s_low", ...: the role; constant. */
    uint16_t engine;
    struct trench_ncfw_where where;
    uint64_t addr;
    uint32_t val;
};

/** Writes of one pair: base low, base high and length of M2S, then of S2M. */
#define TRENCH_NCFW_RING_WRITES 6
/** Writes of the re-arm of one pair: M2S, then S2M. */
#define TRENCH_NCFW_REARM_WRITES 2

/**
 * The six writes that give a pair its rings (1.1; order of ncfw-steps 1.6).
 *
 * @param channel  Its rings; in_use is not looked at.
 * @param out      TRENCH_NCFW_RING_WRITES entries, untouched on failure.
 * @return 0; TRENCH_ERR_INVAL for a queue past 15, a base that is not a
 *         multiple of 64 or a length out of range; TRENCH_ERR_NODEV when there
 *         is no such engine.
 */
TRENCH_API int trench_ncfw_ring_writes(
    const struct trench_gen *gen, const struct trench_ncfw_channel *channel,
    struct trench_ncfw_write *out);

/** How a pair is re-armed after its rings have been set. */
enum trench_ncfw_rearm {
    /** Seed 000 1.2: rst_tail_ptr, and rst_data_tail_ptr where there is one. */
    TRENCH_NCFW_REARM_TAIL,
    /** rst_q: head, tail and current pointer (ncfw-steps 2.5). */
    TRENCH_NCFW_REARM_QUEUE,
    /** Not at all: the group reset of the reset section is enough. */
    TRENCH_NCFW_REARM_NONE,
};

/**
 * The writes of q_sw_ctrl that re-arm a pair (1.2).
 * @param out  TRENCH_NCFW_REARM_WRITES entries, untouched on failure.
 * @return number of writes, 2 or 0; otherwise as trench_ncfw_ring_writes().
 */
TRENCH_API int trench_ncfw_rearm_writes(
    const struct trench_gen *gen, const struct trench_ncfw_channel *channel,
    enum trench_ncfw_rearm rearm, struct trench_ncfw_write *out);

/** The firmware's reprogram record (1.5), 16 bytes, little-endian. */
struct trench_ncfw_reprogram_info {
    uint32_t m2s_low;
    uint32_t m2s_high;
    uint32_t s2m_low;
    uint32_t s2m_high;
};

#define TRENCH_NCFW_REPROGRAM_INFO_BYTES 16

/** Write the record; @p buf holds TRENCH_NCFW_REPROGRAM_INFO_BYTES. */
TRENCH_API void trench_ncfw_reprogram_info_encode(
    const struct trench_ncfw_reprogram_info *info, void *buf);

/** Read the record; @p buf holds TRENCH_NCFW_REPROGRAM_INFO_BYTES. */
TRENCH_API void trench_ncfw_reprogram_info_decode(
    const void *buf, struct trench_ncfw_reprogram_info *out);

/* ---- broadcast (seed 000 2) ------------------------------------------- */

/**
 * The engines of a pcore: 16 bits of a bitmap.
 * @return 0; TRENCH_ERR_INVAL when @p pcore is past 1.
 */
TRENCH_API int trench_ncfw_lane(uint32_t bitmap, unsigned pcore, uint16_t *out);

/**
 * The re-arm word (2.3): (~(bitmap >> 16 * pcore) << 16) | 0x100, the same for
 * both directions.
 * @return 0; TRENCH_ERR_INVAL when @p pcore is past 1.
 */
TRENCH_API int trench_ncfw_rearm_word(uint32_t bitmap, unsigned pcore,
                                      uint32_t *out);

/**
 * The word that moves the tails of a group: (~lane << 16) | count
 * (address-map 4.5).
 * @param count  Descriptors, below TRENCH_NCFW_MAX_COUNT.
 * @return 0; TRENCH_ERR_INVAL when the count is too large.
 */
TRENCH_API int trench_ncfw_tail_word(uint16_t lane, uint32_t count,
                                     uint32_t *out);

/** The firmware's broadcast record (2.4): dma_apb_bcast. */
struct trench_ncfw_bcast {
    uint64_t m2s_tail_ptr;
    uint64_t s2m_tail_ptr;
    uint32_t mask; /**< Skip mask in 15:0; the bits 31:16 of a bell. */
};

#define TRENCH_NCFW_BCAST_BYTES 20

/** Which doorbells a step rings. */
struct trench_ncfw_group {
    unsigned region; /**< trench_ncfw_region() */
    unsigned queue;
    uint16_t lane; /**< Engines that take part. */
    /** M2S: the data tail of second-tail mode (2.5), not the tail (2.2). */
    bool data_tail;
};

/**
 * The record of a group.
 * @return as trench_ncfw_bcast_addr().
 */
TRENCH_API int trench_ncfw_bcast_record(const struct trench_gen *gen,
                                        const struct trench_ncfw_group *group,
                                        struct trench_ncfw_bcast *out);

/** Write the record; @p buf holds TRENCH_NCFW_BCAST_BYTES. */
TRENCH_API void trench_ncfw_bcast_encode(const struct trench_ncfw_bcast *rec,
                                         void *buf);

/** Read the record; @p buf holds TRENCH_NCFW_BCAST_BYTES. */
TRENCH_API void trench_ncfw_bcast_decode(const void *buf,
                                         struct trench_ncfw_bcast *out);

/** One write of the step runner. */
struct trench_ncfw_bell {
    enum trench_ncfw_dir dir;
    uint64_t addr;
    uint32_t word;
};

/**
 * The two writes that start a group, in their order: S2M, then M2S.
 *
 * @param m2s_val  Descriptors of each M2S ring.
 * @param s2m_val  Descriptors of each S2M ring.
 * @param out      Two entries, untouched on failure.
 * @return 0; TRENCH_ERR_INVAL when a count is too large.
 */
TRENCH_API int trench_ncfw_bells(const struct trench_ncfw_bcast *rec,
                                 uint32_t m2s_val, uint32_t s2m_val,
                                 struct trench_ncfw_bell *out);

/* ---- a bundle of a step (seed 000 4) ---------------------------------- */

/** What a bundle is asked to do. Zero the struct first. */
struct trench_ncfw_plan_conf {
    const struct trench_gen *gen; /**< NULL = the default generation. */
    unsigned bundle;              /**< 0 .. 7 */
    unsigned nr_bundles;          /**< See trench_ncfw_alloc_word(). */
    enum trench_ncfw_reading reading;
    unsigned nr_cores;     /**< Of the virtual core: 1 or 2; 0 = 2. */
    unsigned first_engine; /**< Of the virtual core, a multiple of 16. */
    bool own_pcore;        /**< Use pcore; else 1 above bundle 3, or 0. */
    unsigned pcore;
    bool own_region; /**< Use region; else the NeuronCore of the pcore. */
    unsigned region;
    const struct trench_ncfw_channel *channels; /**< Borrowed. */
    size_t nr_channels;
};

/** A bundle of a step. */
struct trench_ncfw_plan {
    const struct trench_gen *gen;
    unsigned bundle;
    struct trench_ncfw_alloc alloc;
    uint32_t used;   /**< dma_engines_bitmap */
    uint32_t valid;  /**< valid_dma_engines_bitmap */
    bool skip;       /**< Nothing in use: no reprogram, no broadcast (1.4). */
    uint16_t queues; /**< Queues in use, a bit each. */
    unsigned pcore;  /**< 0 or 1 */
    uint16_t lane;   /**< Engines that the broadcast reaches. */
    uint32_t missed; /**< Engines in use in the other pcore's half. */
    unsigned region; /**< Broadcast region. */
    uint32_t rearm;  /**< The re-arm word, both directions. */
    size_t nr_pairs; /**< Channels in use. */
    const struct trench_ncfw_channel *channels; /**< Borrowed. */
    size_t nr_channels;
};

/**
 * Plan a bundle. All checks of alloc are made here.
 *
 * @param out  Filled on success; it borrows the channels.
 * @return 0, also when the bundle is to be skipped;
 *         TRENCH_ERR_INVAL   bundle, pcore, number of cores or queue out of
 *                            range; the first engine is no multiple of 16; an
 *                            engine outside the 32 of a bitmap;
 *         TRENCH_ERR_EXIST   two channels are the same pair;
 *         TRENCH_ERR_NODEV   an engine in use that the virtual core does not
 *                            have, that the chip does not have, or that the
 *                            allocation word does not admit.
 */
TRENCH_API int trench_ncfw_plan(const struct trench_ncfw_plan_conf *conf,
                                struct trench_ncfw_plan *out);

#ifdef __cplusplus
}
#endif

#endif /* TRENCH_NCFW_H */
