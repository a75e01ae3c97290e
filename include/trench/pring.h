/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Persistent descriptor rings: a template that is built once, and the rings in
 * device memory that it is dumped to (seed 000 1.3, ncfw-steps 1).
 *
 *     section     a named list of copies with a limit, while it is built
 *       commit -> vring    the template: descriptors of both directions
 *         dump -> pring    one direction in memory, padded to a length
 *
 * trench_toplevel_create() goes from sections to rings for the basic blocks of a
 * program, which are laid once and need no template: one pair of rings a block,
 * which resets and reprograms the data rings of the block's bundles, and the
 * table that tells the firmware about them.
 *
 * Objects belong to one thread at a time.
 */
#ifndef TRENCH_PRING_H
#define TRENCH_PRING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <trench/compute.h>
#include <trench/error.h>
#include <trench/export.h>
#include <trench/gen.h>
#include <trench/hal.h>
#include <trench/ncfw.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- descriptors (ncfw-steps 1.1) ------------------------------------- */

/** A descriptor, as numbers; 16 little-endian bytes in memory. */
struct trench_desc {
    uint32_t len_ctrl;
    uint32_t meta_ctrl; /**< S2M: 0. */
    uint64_t buf;       /**< Address, or a template address. */
};

#define TRENCH_DESC_BYTES 16

/** What a copy waits for (ncfw-steps 1.1, barrier mode). */
enum trench_barrier {
    TRENCH_BARRIER_NONE,
    TRENCH_BARRIER_DMB,             /**< All earlier ones have completed. */
    TRENCH_BARRIER_WRITE,           /**< Its writes follow all earlier ones. */
    TRENCH_BARRIER_STRONG_ORDER_WR, /**< S2M, third generation and later. */
};

/** One memory copy: an M2S and an S2M descriptor. */
struct trench_copy {
    uint64_t src;
    uint64_t dst;
    uint32_t len_bytes; /**< 1 .. TRENCH_HAL_DESC_BYTES */
    enum trench_barrier barrier;
};

/**
 * The two descriptors of a copy, without lap tag.
 * @param out  M2S and S2M; untouched on failure.
 * @return 0; TRENCH_ERR_INVAL for a length or barrier out of range.
 */
TRENCH_API int trench_desc_copy(const struct trench_copy *copy,
                                struct trench_desc *out);

/**
 * One reduction: an M2S descriptor a source, and an S2M descriptor
 * (common-blocks 3.4.3).
 */
struct trench_reduce {
    enum trench_cce_op op;      /**< ADD, MAX or MIN. */
    enum trench_dtype type;     /**< Of the sources. */
    enum trench_dtype out_type; /**< Of the result. */
    const uint64_t *srcs;       /**< In the order of arithmetic; borrowed. */
    unsigned nr_srcs;           /**< 1 .. TRENCH_CCE_MAX_SOURCES */
    uint64_t dst;               /**< May be one of the sources. */
    /** 1 .. what fits a descriptor, and what the generation's CCE takes. */
    uint32_t elems;
};

/**
 * The descriptors of a reduction, without lap tag.
 * @param tx  nr_srcs of them; untouched on failure.
 * @param rx  One; untouched on failure.
 * @return 0; TRENCH_ERR_INVAL for an operation, type, number of sources or of
 *         elements out of range.
 */
TRENCH_API int trench_desc_reduce(const struct trench_reduce *reduce,
                                  struct trench_desc *tx,
                                  struct trench_desc *rx);

/** Variables that a template may have, and bytes that each spans. */
#define TRENCH_TEMPLATE_VARS  (UINT32_C(1) << 19)
#define TRENCH_TEMPLATE_BYTES (UINT64_C(1) << 36)

/**
 * A template address: bit 61, the variable in 54:36, the offset in 35:0.
 * @return the address; 0 when a part is out of range.
 */
TRENCH_API uint64_t trench_template_addr(uint32_t var, uint64_t offset);

/** Whether an address is a template address. */
TRENCH_API bool trench_is_template(uint64_t addr);

/**
 * What a template address stands for.
 * @param vars     Addresses of the variables; borrowed.
 * @param nr_vars  How many there are.
 * @return 0, *out is @p addr itself when it is no template address;
 *         TRENCH_ERR_NOENT for a variable past nr_vars; TRENCH_ERR_INVAL for
 *         unused bits that are set, or a sum that wraps.
 */
TRENCH_API int trench_template_resolve(uint64_t addr, const uint64_t *vars,
                                       size_t nr_vars, uint64_t *out);

/* ---- template rings (ncfw-steps 1.2) ---------------------------------- */

/** Most descriptors of one direction. */
#define TRENCH_VRING_MAX UINT32_C(0xFFFFF0)

struct trench_vring; /* opaque */

/**
 * Create an empty template.
 * @param name  Copied; at most 255 bytes are kept.
 * @return 0; TRENCH_ERR_NOMEM. The caller owns *out.
 */
TRENCH_API int trench_vring_create(const char *name, struct trench_vring **out);

/** Release; NULL is allowed. */
TRENCH_API void trench_vring_destroy(struct trench_vring *vring);

/** Its name; valid until the template goes. */
TRENCH_API const char *trench_vring_name(const struct trench_vring *vring);

/**
 * Append a descriptor to one direction.
 * @return 0; TRENCH_ERR_NOSPC at TRENCH_VRING_MAX; TRENCH_ERR_NOMEM;
 *         TRENCH_ERR_INVAL for a direction that is none.
 */
TRENCH_API int trench_vring_push(struct trench_vring *vring,
                                 enum trench_ncfw_dir dir,
                                 const struct trench_desc *desc);

/**
 * Append a copy to both directions, or to neither.
 * @return as trench_desc_copy() and trench_vring_push().
 */
TRENCH_API int trench_vring_copy(struct trench_vring *vring,
                                 const struct trench_copy *copy);

/** Descriptors of one direction. */
TRENCH_API uint32_t trench_vring_used(const struct trench_vring *vring,
                                      enum trench_ncfw_dir dir);

/**
 * Read a descriptor.
 * @return 0; TRENCH_ERR_INVAL past the last one.
 */
TRENCH_API int trench_vring_get(const struct trench_vring *vring,
                                enum trench_ncfw_dir dir, uint32_t index,
                                struct trench_desc *out);

/**
 * Highest variable of the template addresses of one direction.
 * @return the variable, or -1 when the direction has no template address.
 */
TRENCH_API int32_t trench_vring_max_var(const struct trench_vring *vring,
                                        enum trench_ncfw_dir dir);

/* ---- physical rings (ncfw-steps 1.2, 1.3) ----------------------------- */

/** What a physical ring is for. */
enum trench_pring_type {
    TRENCH_PRING_INVALID,
    TRENCH_PRING_TX, /**< M2S */
    TRENCH_PRING_RX, /**< S2M */
};

/** A ring in device memory. */
struct trench_pring {
    enum trench_pring_type type;
    struct trench_hal_mem mem; /**< Borrowed. */
    uint64_t offset_bytes;     /**< Of the ring in mem. */
    uint32_t used;             /**< After a padded dump: the padded size. */
    uint32_t allocated;        /**< Descriptors that fit. */
};

/** Alignment of a ring, for whole prefetch bursts. */
#define TRENCH_PRING_ALIGN 256

/**
 * Describe a ring in memory that is there. Rings live in HBM.
 *
 * @param gen           Whose HBM.
 * @param mem           Copied; its memory is borrowed.
 * @param offset_bytes  First byte of the ring in mem.
 * @param allocated     Descriptors, 1 .. TRENCH_VRING_MAX.
 * @param out           type chooses the direction and is kept; the rest is
 *                      filled, and untouched on failure.
 *
 * @return 0;
 *         TRENCH_ERR_INVAL   no such type, a length out of range, or a ring
 *                            that is not 256-byte aligned;
 *         TRENCH_ERR_NOSPC   the ring does not fit in mem;
 *         TRENCH_ERR_ACCES   its memory is not HBM.
 */
TRENCH_API int trench_pring_init(const struct trench_gen *gen,
                                 const struct trench_hal_mem *mem,
                                 uint64_t offset_bytes, uint32_t allocated,
                                 struct trench_pring *out);

/** Bus address of a ring. */
static inline uint64_t trench_pring_base(const struct trench_pring *pring)
{
    return pring->mem.dma + pring->offset_bytes;
}

/** How to dump. Zero the struct first. */
struct trench_dump_conf {
    const uint64_t *vars; /**< Addresses of the variables; borrowed. */
    size_t nr_vars;
    /** Pad to this many descriptors; 0 = no padding. */
    uint32_t padded;
    /** Four bytes that a no-op copies onto themselves; needed for padding. */
    uint64_t noop;
};

/**
 * Write the ring's direction of a template to memory, with the lap tag of a
 * queue after its reset. Nothing is written on failure.
 *
 * @return descriptors written, padding included;
 *         TRENCH_ERR_NOSPC  the template does not fit into padded, or either
 *                           into the ring;
 *         TRENCH_ERR_INVAL  padding without a 4-byte aligned noop, or the ring
 *                           has no type;
 *         TRENCH_ERR_NOENT  a variable is missing (or TRENCH_ERR_INVAL, see
 *                           trench_template_resolve()).
 */
TRENCH_API int trench_pring_dump(struct trench_pring *pring,
                                 const struct trench_vring *vring,
                                 const struct trench_dump_conf *conf);

/** The same from a list of descriptors. */
TRENCH_API int trench_pring_dump_descs(struct trench_pring *pring,
                                       const struct trench_desc *descs,
                                       uint32_t nr_descs,
                                       const struct trench_dump_conf *conf);

/**
 * Read a descriptor of a ring back from memory.
 * @return 0; TRENCH_ERR_INVAL past the last one used.
 */
TRENCH_API int trench_pring_get(const struct trench_pring *pring,
                                uint32_t index, struct trench_desc *out);

/* ---- sections (seed 000 1.3) ------------------------------------------ */

/** A copy in a section, and what it is for. */
struct trench_item {
    const char *part; /**< "reset", "CTRL SPAD", "SLOT SPAD", "SDMA", ... */
    const char *name; /**< "m2s_low", ...: constant. */
    uint16_t engine;  /**< SDMA and re-arm; else 0. */
    uint8_t queue;    /**< Reset, SDMA and re-arm; else 0. */
    uint8_t slot;     /**< SLOT SPAD: its number. */
    /** What is written, when the section brings its own source words. */
    uint64_t val;
    bool has_val;
    struct trench_copy copy; /**< With has_val: src is filled in later. */
};

/** A list of items with a limit. */
struct trench_section {
    const char *name;          /**< Borrowed. */
    uint32_t used;             /**< used_desc_count */
    uint32_t allocated;        /**< allocated_desc_count */
    struct trench_item *items; /**< Owned; used of them. */
    uint32_t room;             /**< Items that fit before memory grows. */
};

/**
 * Start an empty section.
 * @param name       Borrowed.
 * @param allocated  Its limit; below TRENCH_NCFW_MAX_COUNT.
 * @return 0; TRENCH_ERR_INVAL when the limit is too large.
 */
TRENCH_API int trench_section_init(struct trench_section *section,
                                   const char *name, uint32_t allocated);

/** Release what a section holds. */
TRENCH_API void trench_section_fini(struct trench_section *section);

/**
 * Append an item.
 * @return 0; TRENCH_ERR_NOSPC when the section is full; TRENCH_ERR_INVAL for a
 *         length out of range; TRENCH_ERR_NOMEM.
 */
TRENCH_API int trench_section_push_back(struct trench_section *section,
                                        const struct trench_item *item);

/**
 * Append the copies of a section to a template.
 * @return 0, or what trench_vring_copy() answered; the template may then hold
 *         a part of the section.
 */
TRENCH_API int trench_section_commit(const struct trench_section *section,
                                     struct trench_vring *vring);

/* ---- basic blocks (ncfw-steps 1.7) ------------------------------------ */

/** Entries of the table; the last one used is followed by a 0. */
#define TRENCH_BASIC_BLOCKS_MAX          255
#define TRENCH_BASIC_BLOCK_CONFIGS_BYTES 1048

/** What the firmware knows of a block. */
struct trench_basic_block_entry {
    uint16_t desc_count; /**< Reset and reprogram; never 0. */
    uint8_t reset_count; /**< The first of them. */
};

/** basic_block_configs */
struct trench_basic_block_configs {
    struct trench_basic_block_entry table[TRENCH_BASIC_BLOCKS_MAX];
    uint32_t nr_blocks;
    uint64_t switch_completed; /**< Semaphore address. */
    uint64_t pring_base_addr;
    uint32_t pring_total_desc_num;
};

/**
 * Write the 1048 bytes.
 * @param buf  TRENCH_BASIC_BLOCK_CONFIGS_BYTES.
 * @return 0; TRENCH_ERR_INVAL for too many blocks, or a block without
 *         descriptors, which would end the table.
 */
TRENCH_API int trench_basic_block_configs_encode(
    const struct trench_basic_block_configs *configs, void *buf);

/** Read them; the table ends at the first entry without descriptors. */
TRENCH_API void trench_basic_block_configs_decode(
    const void *buf, struct trench_basic_block_configs *out);

/* ---- SPAD pointers (ncfw-steps 2.3) ----------------------------------- */

/** Slots of the SPAD. */
#define TRENCH_SPAD_SLOTS 6

/** Offset in the firmware's context of the pointer to the CTRL SPAD. */
TRENCH_API uint32_t trench_ctrl_spad_offset(const struct trench_gen *gen);

/**
 * Offset in the firmware's context of the pointer to a SLOT SPAD.
 * @param slot  0 .. TRENCH_SPAD_SLOTS - 1.
 * @return the offset; 0 when there is no such slot.
 */
TRENCH_API uint32_t trench_slot_spad_offset(const struct trench_gen *gen,
                                            unsigned slot);

/* ---- a program's TopLevel rings (seed 000 1.3, 4) --------------------- */

/** What a block does with the SPAD. Zero the struct first. */
struct trench_spad {
    bool pointers; /**< Rewrite those of the context at this address: */
    uint64_t context;
    uint64_t ctrl;                    /**< New pointer. */
    uint64_t slot[TRENCH_SPAD_SLOTS]; /**< New pointers. */
    unsigned nr_slots;
    /** Copies of SPAD content: CTRL first, then SLOTs; borrowed. */
    const struct trench_copy *content;
    size_t nr_content;
};

/** One basic block. Zero the struct first. */
struct trench_basic_block {
    const struct trench_ncfw_plan *plans; /**< Bundles, at most 8; borrowed. */
    size_t nr_plans;
    struct trench_spad spad;
    /** Limits of its sections; 0 = as large as may be. */
    uint32_t reset_limit;
    uint32_t reprogram_limit;
};

/** A program. Zero the struct first. */
struct trench_toplevel_conf {
    const struct trench_hal_ops *ops; /**< mem_alloc and mem_free are used. */
    void *opaque;                     /**< Handed to them. */
    const struct trench_gen *gen;     /**< NULL = the default generation. */
    const struct trench_basic_block *blocks; /**< Borrowed during the call. */
    size_t nr_blocks; /**< 1 .. TRENCH_BASIC_BLOCKS_MAX */
    enum trench_ncfw_rearm rearm;
    /** Leave the group reset out; then there is no reset section. */
    bool no_reset;
    /** Write the re-arm word to the tail increments, behind the reprogram
     *  writes (seed 000 4, to the letter), not to q_sw_ctrl before them, where
     *  it is a reset. Then there is no reset section either. */
    bool rearm_at_tail;
    /** Pad every ring to this; 0 = the least that serves as a queue's ring. */
    uint32_t padded;
};

struct trench_toplevel; /* opaque */

/**
 * Build the TopLevel rings of a program: descriptors and the words that they
 * copy are laid in memory of the operations table, which must be HBM. A plan
 * that is to be skipped adds nothing.
 *
 * Each ring begins with the reset section, then the reprogram section: CTRL
 * SPAD, SLOT SPADs, six writes and a re-arm a pair, and with rearm_at_tail the
 * re-arm word of each group; then padding, of which
 * there are at least TRENCH_HAL_RING_GAP.
 *
 * @param out  Receives the program; the caller owns it.
 *
 * @return 0 on success;
 *         TRENCH_ERR_INVAL   an operation is missing; no block, too many, or
 *                            too many bundles or slots; a block without
 *                            descriptors; what trench_ncfw_ring_writes()
 *                            refuses;
 *         TRENCH_ERR_NOSPC   a section is too small, more than 255 resets, or
 *                            padded is too small;
 *         TRENCH_ERR_NOENT   a context or SPAD content at a template address;
 *         TRENCH_ERR_ACCES   the memory is not HBM;
 *         TRENCH_ERR_NODEV, TRENCH_ERR_NOTSUP  no such engine or region;
 *         TRENCH_ERR_NOMEM.
 */
TRENCH_API int trench_toplevel_create(const struct trench_toplevel_conf *conf,
                                      struct trench_toplevel **out);

/** Release rings and words; NULL is allowed. The operations must still work. */
TRENCH_API void trench_toplevel_destroy(struct trench_toplevel *top);

/**
 * One ring of a block; NULL when there is no such block or direction. Valid
 * until the program goes.
 */
TRENCH_API const struct trench_pring *trench_toplevel_ring(
    const struct trench_toplevel *top, size_t block, enum trench_ncfw_dir dir);

/**
 * Sections of a block: 0 = reset, 1 = reprogram; NULL past them. Item i of
 * reset is descriptor i of both rings, item i of reprogram comes after them.
 * Their copies have their source addresses. Valid until the program goes.
 */
TRENCH_API const struct trench_section *trench_toplevel_section(
    const struct trench_toplevel *top, size_t block, unsigned section);

/**
 * What the firmware is told.
 * @param switch_completed  Address of the semaphore.
 */
TRENCH_API void trench_toplevel_configs(const struct trench_toplevel *top,
                                        uint64_t switch_completed,
                                        struct trench_basic_block_configs *out);

#ifdef __cplusplus
}
#endif

#endif /* TRENCH_PRING_H */
