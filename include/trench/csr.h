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
 * (seed 002, "Schema shape"). The blocks of one generation form a set, and
 * several sets a library. The maps of the known generations are compiled in
 * from the JSON files under regs/; any other file or folder of the same shape
 * can be loaded at run time. Both are the same immutable structures, so one
 * map may be shared by any number of devices and threads.
 *
 * A bundle inside of a bundle becomes a bundle of its own with a dotted name:
 * array VecTable of bundle Val is the array "VecTable.Val", whose fourth
 * instance is called "VecTable[3].Val". Where both are arrays, each index of
 * the outer one gives a bundle: "VecTable[3].Val" is then the name of an
 * array, and "VecTable[3].Val[1]" one instance.
 *
 * An opaque bundle is known by its name only. It counts as a bundle and holds
 * no registers; its offset and stride are 0 and mean nothing.
 *
 * The structures below are plain data and may be walked directly.
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
    const char *desc;
    const char *tags;
    uint32_t offset;     /**< Bytes from the start of the block. */
    uint32_t count;      /**< ArraySize, 1 or more. */
    uint32_t stride;     /**< BundleSizeInBytes. */
    uint32_t first_inst; /**< Number of its first register instance. */
    uint16_t first_reg;  /**< Index into trench_csr_block.regs. */
    uint16_t nr_regs;    /**< 0 only when opaque. */
    uint16_t index_pos;  /**< Where "[i]" goes in the name. */
    uint8_t opaque;      /**< 1 = only the name is known. */
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
    const char *tags;
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

/**
 * Blocks that code asks for by number; the others go by name. Those of a
 * channel come first, see TRENCH_NR_CHANNEL_BLOCKS.
 */
enum trench_block_id {
    TRENCH_BLOCK_UDMA_M2S,
    TRENCH_BLOCK_UDMA_S2M,
    TRENCH_BLOCK_UDMA_GEN,
    TRENCH_BLOCK_UDMA_GEN_EX,
    TRENCH_BLOCK_TDMA_MODEL,
    TRENCH_BLOCK_IOFIC, /**< Overlays the int_ctrl windows of udma_gen. */
    TRENCH_BLOCK_NOTIFIC_10_QUEUE,
    TRENCH_BLOCK_NOTIFIC_1_QUEUE,
    TRENCH_BLOCK_CCE,
    TRENCH_BLOCK_CME,
    TRENCH_BLOCK_DRE,
    TRENCH_BLOCK_PAPB_BCAST,
    TRENCH_BLOCK_FIS_CONTROL,
    TRENCH_BLOCK_INTC_4GRP_MSIX,
    TRENCH_BLOCK_INTC_4GRP_NO_MSIX,
    TRENCH_BLOCK_TPB_XT_LOCAL_REG,
    TRENCH_BLOCK_TPB_EVENTS,
    TRENCH_BLOCK_APBBLK,
    TRENCH_NR_BLOCKS,
};

/** Blocks that can be part of a channel: the ids below this one. */
#define TRENCH_NR_CHANNEL_BLOCKS (TRENCH_BLOCK_NOTIFIC_10_QUEUE + 1)

/** Where and why a schema was refused. */
struct trench_csr_error {
    int line;         /**< 1-based; 0 when the fault has no line. */
    char path[128];   /**< JSON path, e.g. "AXI_M2S.ostand_cfg.max_data_rd". */
    char reason[160]; /**< One phrase, no newline. */
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
TRENCH_API const struct trench_csr_block *trench_csr_builtin(
    const char *gen_name, enum trench_block_id id);

/* Findings. */

/** How bad a finding is. */
enum trench_csr_severity {
    TRENCH_CSR_ERROR,   /**< The file cannot be used. */
    TRENCH_CSR_WARNING, /**< It can, but looks wrong. */
};

/** Something wrong with a file. */
struct trench_csr_finding {
    const char *file; /**< As named by the caller or found in the folder. */
    enum trench_csr_severity severity;
    struct trench_csr_error err;
};

/** Receives one finding, valid during the call only. */
typedef void (*trench_csr_finding_fn)(void *opaque,
                                      const struct trench_csr_finding *finding);

/**
 * Look for everything that is wrong with a schema file: errors, on which
 * trench_csr_load() would stop at the first, and warnings.
 *
 * What stands in a register, field or bundle that could not be read at all is
 * not looked at further. Lines are given as long as finding them is cheap; a
 * file with very many findings has 0 in the later ones.
 *
 * @param path    File name.
 * @param fn      Called for each finding, in the order of discovery.
 * @param opaque  Passed to @p fn.
 *
 * @return 0 when the file would load, warnings or not; else as
 *         trench_csr_load(), after at least one finding.
 */
TRENCH_API int trench_csr_check(const char *path, trench_csr_finding_fn fn,
                                void *opaque);

/* Sets and libraries. */

/** The blocks of one generation. */
struct trench_csr_set {
    const char *name; /**< Of the generation; "" for a folder of files. */
    const struct trench_csr_block *const *blocks;
    size_t nr_blocks;
};

/** Generations that belong together; what they share is loaded once. */
struct trench_csr_lib {
    const struct trench_csr_set *sets;
    size_t nr_sets;
};

/** The compiled-in library, valid for ever. */
TRENCH_API const struct trench_csr_lib *trench_csr_lib_builtin(void);

/**
 * Load all schemas of a folder, or of a manifest.
 *
 * A folder with a manifest.json gives the generations and blocks that it
 * names; a folder without one gives a single set, called "", of its *.json
 * files in the order of their names. A file that is refused leaves its block
 * out of the sets and does not stop the others.
 *
 * @param path    Folder, or the manifest file itself.
 * @param fn      Called with the error of each file refused; may be NULL.
 * @param opaque  Passed to @p fn.
 * @param out     Receives the library, also when files were refused; the
 *                caller releases it with trench_csr_lib_free().
 *
 * @return number of files refused, 0 when all is well;
 *         TRENCH_ERR_NOENT   no such folder, or nothing in it;
 *         TRENCH_ERR_BADMSG  the manifest is not one (reported to @p fn);
 *         TRENCH_ERR_NOMEM   allocation failed.
 */
TRENCH_API int trench_csr_lib_load(const char *path, trench_csr_finding_fn fn,
                                   void *opaque, struct trench_csr_lib **out);

/** Release a library of trench_csr_lib_load(); NULL is allowed. */
TRENCH_API void trench_csr_lib_free(struct trench_csr_lib *lib);

/**
 * A generation of a library, by its name in any case.
 * @return NULL when there is none.
 */
TRENCH_API const struct trench_csr_set *trench_csr_lib_set(
    const struct trench_csr_lib *lib, const char *name);

/**
 * A block of a set, by its name in any case.
 * @return NULL when there is none.
 */
TRENCH_API const struct trench_csr_block *trench_csr_set_block(
    const struct trench_csr_set *set, const char *name);

/* Names and offsets. */

/** What a name or an offset stands for, as far down as it goes. */
struct trench_csr_ref {
    const struct trench_csr_block *block;   /**< Never NULL. */
    const struct trench_csr_bundle *bundle; /**< NULL: all of the block. */
    const struct trench_csr_reg *reg;       /**< NULL: all of the bundle. */
    const struct trench_csr_field *field;   /**< NULL: all of the register. */
    uint32_t index;                         /**< In the bundle array. */
    uint8_t has_index; /**< 0: the name left it out, and index is 0. */
};

/**
 * Understand a name: BLOCK.BUNDLE[i].REG.field, in any case.
 *
 * It may end early, and begin late where that leaves one meaning: the block,
 * or block and bundle, can be left out. So can the index. "BLOCK+0x104" is
 * the register at an offset.
 *
 * @param set   Where to look.
 * @param name  The name.
 * @param out   Receives the meaning; untouched on failure.
 * @param err   Receives a reason fit for the user, with a suggestion for a
 *              misspelt name; may be NULL.
 *
 * @return 0 on success;
 *         TRENCH_ERR_NOENT  nothing has this name;
 *         TRENCH_ERR_INVAL  not a name, an index out of range, or several
 *                           things have this name.
 */
TRENCH_API int trench_csr_find(const struct trench_csr_set *set,
                               const char *name, struct trench_csr_ref *out,
                               struct trench_csr_error *err);

/**
 * The register at an offset: the other way round, and without searching.
 *
 * @param block   The map.
 * @param offset  Byte offset in the block; bits 1:0 are ignored.
 * @param out     Receives block, bundle, register and index; untouched on
 *                failure.
 * @return 0, or TRENCH_ERR_NOENT when no register is there.
 */
TRENCH_API int trench_csr_at(const struct trench_csr_block *block,
                             uint32_t offset, struct trench_csr_ref *out);

/**
 * Write the full name, "udma_m2s.M2S_Q[5].TDRTP_inc.val"; an index that is
 * not given is left out.
 *
 * @return length of the full text (as snprintf).
 */
TRENCH_API int trench_csr_ref_name(const struct trench_csr_ref *ref, char *buf,
                                   size_t size);

/** Byte offset in the block of what @p ref stands for. */
TRENCH_API uint32_t trench_csr_ref_offset(const struct trench_csr_ref *ref);

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

/* Fields. */

/** The bits of a field, in place. */
static inline uint32_t trench_csr_field_mask(
    const struct trench_csr_field *field)
{
    return UINT32_MAX >> (32 - field->width) << field->lsb;
}

/** The value of a field in a register word. */
static inline uint32_t trench_csr_field_get(
    const struct trench_csr_field *field, uint32_t word)
{
    return (word & trench_csr_field_mask(field)) >> field->lsb;
}

/**
 * Put a value into a register word.
 *
 * @param field  The field.
 * @param val    Its new value.
 * @param word   The word; untouched on failure.
 * @return 0, or TRENCH_ERR_INVAL when the value does not fit.
 */
TRENCH_API int trench_csr_field_put(const struct trench_csr_field *field,
                                    uint32_t val, uint32_t *word);

/**
 * A field of a register, by its name; in any case where that leaves one.
 *
 * @param block  The map that @p reg is part of.
 * @param err    Receives a reason with a suggestion; may be NULL.
 * @return NULL when there is none.
 */
TRENCH_API const struct trench_csr_field *trench_csr_reg_field(
    const struct trench_csr_block *block, const struct trench_csr_reg *reg,
    const char *name, struct trench_csr_error *err);

/** "RO", "RW" or "WO". */
TRENCH_API const char *trench_csr_access_name(unsigned access);

/** As in schemas: "None", "PulseOnW", ... */
TRENCH_API const char *trench_csr_special_name(unsigned special);

/* Header export. */

/** Receives a piece of text; not 0 stops, and is returned to the caller. */
typedef int (*trench_csr_put_fn)(void *opaque, const char *text);

/**
 * Write a C and C++ header with offsets, resets, shifts and masks.
 *
 * Every macro begins with TRENCH_, generation and block, so headers of any
 * number of generations can be included together. Where two names would
 * become the same macro, the later one ends with _2 and has a comment.
 *
 * @param set     The generation.
 * @param block   One block of it; NULL = all.
 * @param put     Receives the text, piece by piece, only after all checks.
 * @param opaque  Passed to @p put.
 * @param err     Receives where and why, on failure; may be NULL.
 *
 * @return 0 on success;
 *         TRENCH_ERR_BADMSG  no names can be made of the schema's;
 *         TRENCH_ERR_NOMEM   allocation failed;
 *         or what @p put returned.
 */
TRENCH_API int trench_csr_header(const struct trench_csr_set *set,
                                 const struct trench_csr_block *block,
                                 trench_csr_put_fn put, void *opaque,
                                 struct trench_csr_error *err);

/* Differences. */

/** What happened to a thing between two maps. */
enum trench_csr_change_kind {
    TRENCH_CSR_ADDED,
    TRENCH_CSR_REMOVED,
    TRENCH_CSR_CHANGED,
};

/** Which property has changed. */
enum trench_csr_property {
    TRENCH_CSR_PROP_NONE,   /**< Added or removed as a whole. */
    TRENCH_CSR_PROP_SIZE,   /**< Of the block's window. */
    TRENCH_CSR_PROP_OFFSET, /**< Of a bundle in its block, or register in its
                                 bundle. */
    TRENCH_CSR_PROP_COUNT,
    TRENCH_CSR_PROP_STRIDE,
    TRENCH_CSR_PROP_OPAQUE,
    TRENCH_CSR_PROP_ACCESS, /**< enum trench_csr_access */
    TRENCH_CSR_PROP_RESET,
    TRENCH_CSR_PROP_BITS,    /**< High bit << 8 | low bit. */
    TRENCH_CSR_PROP_SPECIAL, /**< enum trench_csr_special */
};

/**
 * One difference. The refs go down to the thing that differs; what was added
 * has no block in refs[0], what was removed none in refs[1].
 */
struct trench_csr_change {
    enum trench_csr_change_kind kind;
    enum trench_csr_property property;
    struct trench_csr_ref refs[2]; /**< Before and after. */
    uint32_t val[2];               /**< Of the property, before and after. */
};

/** Receives one difference; not 0 stops, and is returned to the caller. */
typedef int (*trench_csr_change_fn)(void *opaque,
                                    const struct trench_csr_change *change);

/**
 * Compare two maps. Bundles, registers and fields are the same when their
 * names are; an added or removed thing is reported once, without its parts. A
 * register's reset is reported through its fields.
 *
 * @return number of differences;
 *         TRENCH_ERR_NOMEM  allocation failed;
 *         or what @p fn returned.
 */
TRENCH_API int trench_csr_diff(const struct trench_csr_block *before,
                               const struct trench_csr_block *after,
                               trench_csr_change_fn fn, void *opaque);

/* Counts. */

/** What there is to count in a block, in the order of published tables. */
enum trench_csr_count_kind {
    TRENCH_CSR_NR_BUNDLES,
    TRENCH_CSR_NR_REGS,
    TRENCH_CSR_NR_FIELDS,
    TRENCH_CSR_NR_INSTS,
    TRENCH_CSR_NR_REG_RO,
    TRENCH_CSR_NR_REG_RW,
    TRENCH_CSR_NR_REG_WO,
    TRENCH_CSR_NR_FIELD_RO,
    TRENCH_CSR_NR_FIELD_RW,
    TRENCH_CSR_NR_FIELD_WO,
    TRENCH_CSR_NR_COUNTS,
};

/** Counts of one block; -1 = not published. */
struct trench_csr_counts {
    int nr[TRENCH_CSR_NR_COUNTS];
};

/** Counts that others have published. */
struct trench_csr_published {
    const char *gen;
    const char *block;
    struct trench_csr_counts counts;
    const char *source; /**< Document and section. */
};

/** Count a map. */
TRENCH_API void trench_csr_count(const struct trench_csr_block *block,
                                 struct trench_csr_counts *out);

/**
 * Published counts of a block of a generation.
 * @return a constant row, or NULL when nothing is published.
 */
TRENCH_API const struct trench_csr_published *trench_csr_published(
    const char *gen, const char *block);

#ifdef __cplusplus
}
#endif

#endif /* TRENCH_CSR_H */
