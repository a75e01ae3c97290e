/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Register maps: what the registers of one block are called, where they are
 * and how their bits behave.
 *
 * A block (udma_m2s, udma_gen, ...) is a list of bundle arrays; a bundle is a
 * list of registers; a register is a list of fields. The address of register
 * r in instance i of a bundle is
 *
 *     bundle.offset + i * bundle.stride + r.offset
 *
 * (seed 002, "Schema shape"). The maps of the known generations are compiled
 * in from the JSON files under regs/; any other file of the same shape can be
 * loaded at run time. Both are the same immutable structure, so one map may
 * be shared by any number of devices and threads.
 *
 * The arrays below are plain data and may be walked directly.
 */
#ifndef TRENCH_CSR_H
#define TRENCH_CSR_H

#include <stddef.h>
#include <stdint.h>

#include <trench/error.h>

#ifdef __cplusplus
extern "C" {
#endif

/** AccessType of a register or field. */
enum trench_csr_access {
    TRENCH_CSR_RO, /**< Writes are ignored. */
    TRENCH_CSR_RW, /**< Reads back what was written. */
    TRENCH_CSR_WO, /**< A command: acts on write, reads 0. */
};

/** SpecialAccess of a field. */
enum trench_csr_special {
    TRENCH_CSR_SPECIAL_NONE,
    TRENCH_CSR_SPECIAL_PULSE_ON_W, /**< A write has a side effect. */
    TRENCH_CSR_SPECIAL_W0C,        /**< Writing 0 clears a bit, 1 keeps it. */
    TRENCH_CSR_SPECIAL_W1S,        /**< Writing 1 sets a bit elsewhere. */
};

/** One bit-field. */
struct trench_csr_field {
    const char *name;
    const char *desc; /**< One line; "" when the schema has none. */
    const char *tags; /**< Space-separated; "" when none. */
    uint32_t reset;   /**< Field value, not shifted. */
    uint8_t lsb;      /**< 0..31 */
    uint8_t width;    /**< 1..32, lsb + width <= 32 */
    uint8_t access;   /**< enum trench_csr_access; wins over the register's. */
    uint8_t special;  /**< enum trench_csr_special */
};

/** One register definition; arrays share it. */
struct trench_csr_reg {
    const char *name;
    const char *desc;
    const char *tags;
    uint32_t offset;      /**< Bytes from the start of its bundle instance. */
    uint32_t reset;       /**< Composed from the fields. */
    uint32_t read_mask;   /**< Bits that a read returns: RO and RW fields. */
    uint32_t write_mask;  /**< Bits a write stores: RW fields, not W0C. */
    uint32_t w0c_mask;    /**< Bits that a written 0 clears. */
    uint16_t bundle;      /**< Index into trench_csr_block.bundles. */
    uint16_t first_field; /**< Index into trench_csr_block.fields. */
    uint16_t nr_fields;
    uint8_t access; /**< enum trench_csr_access, as published. */
};

/** One bundle array. */
struct trench_csr_bundle {
    const char *name;
    uint32_t offset;      /**< Bytes from the start of the block. */
    uint32_t count;       /**< ArraySize, 1 or more. */
    uint32_t stride;      /**< BundleSizeInBytes. */
    uint32_t first_inst;  /**< Number of its first register instance. */
    uint16_t first_reg;   /**< Index into trench_csr_block.regs. */
    uint16_t nr_regs;
};

/**
 * One block. Register instances are numbered 0..nr_insts-1, bundle by bundle,
 * array index by array index, register by register:
 *
 *     inst = bundle.first_inst + i * bundle.nr_regs + (reg - bundle.first_reg)
 */
struct trench_csr_block {
    const char *name; /**< UnitName, e.g. "udma_m2s". */
    const char *file; /**< Base name of the schema file. */
    const char *desc;
    const struct trench_csr_bundle *bundles; /**< In the file's order. */
    const struct trench_csr_reg *regs;
    const struct trench_csr_field *fields;
    /** size_bytes / 4 entries: 0 = no register, else instance number + 1. */
    const uint16_t *word_inst;
    const uint16_t *inst_reg;   /**< nr_insts entries: index into regs. */
    const uint16_t *inst_index; /**< nr_insts entries: array index. */
    uint32_t size_bytes;        /**< Window, a multiple of 4. */
    uint16_t nr_bundles;
    uint16_t nr_regs;
    uint16_t nr_fields;
    uint16_t nr_insts; /**< At most 65534. */
};

/** The blocks that make up a channel, plus the interrupt group they share. */
enum trench_block_id {
    TRENCH_BLOCK_UDMA_M2S,
    TRENCH_BLOCK_UDMA_S2M,
    TRENCH_BLOCK_UDMA_GEN,
    TRENCH_BLOCK_UDMA_GEN_EX,
    TRENCH_BLOCK_TDMA_MODEL,
    TRENCH_BLOCK_IOFIC, /**< Overlays the int_ctrl windows of udma_gen. */
    TRENCH_NR_BLOCKS,
};

/** Where and why a schema was refused. */
struct trench_csr_error {
    int line;          /**< 1-based; 0 when the fault has no line. */
    char path[128];    /**< JSON path, e.g. "AXI_M2S.ostand_cfg.max_data_rd". */
    char reason[160];  /**< One phrase, no newline. */
};

/**
 * Read a schema file.
 *
 * @param path  File name.
 * @param out   Receives the block; the caller owns it and releases it with
 *              trench_csr_free(). Untouched on failure.
 * @param err   Receives where and why, on failure; may be NULL.
 *
 * @return 0 on success;
 *         TRENCH_ERR_NOENT   the file cannot be opened;
 *         TRENCH_ERR_BADMSG  not JSON, not a schema, or inconsistent: see err;
 *         TRENCH_ERR_NOMEM   allocation failed.
 *
 * Safe from any thread.
 */
TRENCH_API int trench_csr_load(const char *path, struct trench_csr_block **out,
                               struct trench_csr_error *err);

/** Release a block of trench_csr_load(); NULL is allowed. */
TRENCH_API void trench_csr_free(struct trench_csr_block *block);

/**
 * Name of a block, as in the manifest: "udma_m2s", ...
 * @return a constant string, or NULL when @p id is out of range.
 */
TRENCH_API const char *trench_csr_block_name(enum trench_block_id id);

/**
 * The compiled-in map of a block.
 *
 * @param gen_name  "cayman", ...
 * @param id        Which block.
 * @return the map, valid for ever; NULL when the generation or the block is
 *         not known.
 */
TRENCH_API const struct trench_csr_block *
trench_csr_builtin(const char *gen_name, enum trench_block_id id);

/**
 * Write the name of a register instance, "M2S_Q[5].TDRTP_inc"; the index is
 * left out where the bundle is not an array.
 *
 * @param block   The map.
 * @param offset  Byte offset in the block; bits 1:0 are ignored.
 * @param buf     Receives the text, always terminated when size > 0.
 * @param size    Bytes in @p buf.
 * @return length of the full text (as snprintf), or TRENCH_ERR_NOENT when no
 *         register is there.
 */
TRENCH_API int trench_csr_name_at(const struct trench_csr_block *block,
                                  uint32_t offset, char *buf, size_t size);

#ifdef __cplusplus
}
#endif

#endif /* TRENCH_CSR_H */
