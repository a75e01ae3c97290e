/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * trench reg dump and annotate: what they share. A run reads files line by
 * line; a table remembers what stands at each address, so that a log of
 * millions of accesses asks the address map once for each register.
 */
#ifndef TRENCH_CLI_DUMP_H
#define TRENCH_CLI_DUMP_H

#include <trench/map.h>

#include "dump_line.h"
#include "reg.h"

/** One word of the address space. */
struct dump_entry {
    uint64_t addr;   /**< As in the input. */
    uint64_t target; /**< The address that a BAR offset leads to. */
    bool mapped;     /**< There is a target. */
    bool known;      /**< It has a name of its own. */
    int chip;        /**< That the address names, or -1. */
    /** Fields; ref.reg is NULL where they are not known. */
    struct trench_csr_ref ref;
    uint64_t count[DUMP_BAD]; /**< By enum dump_kind. */
    uint32_t val;             /**< Last value ... */
    uint32_t mask;            /**< ... and what of it was given. */
    size_t name_len;
    char name[]; /**< Full name; not known: of what holds it, or "". */
};

struct dump_table {
    const struct trench_gen *gen;
    const struct trench_csr_set *set;
    bool bar; /**< Addresses are offsets in the register BAR. */
    struct dump_entry **slots; /**< Hashed; nr_slots is a power of two. */
    size_t nr_slots;
    size_t nr;
};

/** The entry of an address, a multiple of 4. @return NULL: out of memory. */
struct dump_entry *dump_table_at(struct dump_table *table, uint64_t addr);

/** All entries that count, by address, then NULL; free() it. NULL: out of
 *  memory. */
struct dump_entry **dump_table_sorted(const struct dump_table *table,
                                      size_t *nr);

void dump_table_free(struct dump_table *table);

/** Accesses and values of an entry. */
uint64_t dump_entry_total(const struct dump_entry *entry);

/** Text that grows. */
struct dump_text {
    char *s;
    size_t len;
    size_t size;
    bool failed; /**< Out of memory; the text is not complete. */
};

void dump_put(struct dump_text *text, const char *s, size_t len);
void dump_puts(struct dump_text *text, const char *s);
/** "0x1c", with at least so many digits. */
void dump_put_hex(struct dump_text *text, uint64_t val, unsigned digits);

/** To standard output. */
void dump_text_print(const struct dump_text *text);

/** A field that is not reserved; the names of the others say so. */
bool dump_is_named(const struct trench_csr_field *field);

/** Bits of a register that no named field has. */
uint32_t dump_nameless(const struct trench_csr_ref *ref);

/** A word as it was read or written. */
struct dump_word {
    const struct dump_entry *entry;
    uint32_t val;
    uint32_t mask;
};

/** "NAME field=0x1 field=0x2*", or what is known instead of a name. */
void dump_put_word(struct dump_text *text, const struct dump_word *word,
                   bool reset_diff);

/** The field has a name, is given in full, and not hidden by --reset-diff. */
bool dump_is_wanted(const struct dump_word *word,
                    const struct trench_csr_field *field, bool reset_diff);

/** Set address, target, name and in of an object. */
void dump_json_entry(json_t *object, const struct dump_entry *entry);

/** The fields of a word, name to value. */
json_t *dump_json_fields(const struct dump_word *word, bool reset_diff);

/** A line of a file. */
struct dump_source {
    const char *path;
    uint64_t line;
    const char *text;
    const struct dump_line *parsed;
};

/** Reading of files. Zero it, and set ctx. */
struct dump_run {
    const struct reg_ctx *ctx;
    struct dump_table table;
    struct dump_text text; /**< Emptied for each line, then printed. */
    bool failed;           /**< Something could not be read. */
};

/** Prints a line; words[i] belongs to parsed->words[i]; nr = 0 for text. */
typedef void (*dump_print_fn)(struct dump_run *run,
                              const struct dump_source *source,
                              const struct dump_word *words, unsigned nr);

/** Choose generation and schemas. @return an exit code, after a message. */
int dump_run_start(struct dump_run *run, const struct reg_ctx *ctx);

/** Read a file into the table. @param print  NULL = only that.
 *  @return false: out of memory, after a message. */
bool dump_run_file(struct dump_run *run, const char *path, dump_print_fn print);

/** Read the files of the command line, print them and what is to be said at
 *  the end. @return an exit code. */
int dump_run_all(struct reg_ctx *ctx, dump_print_fn print);

/** Release. */
void dump_run_end(struct dump_run *run);

/** Print one object on a line, and release it; false: out of memory. */
bool dump_print_json(struct dump_run *run, json_t *object);

/** A line as objects, one a word; a dump_print_fn. */
void dump_json_line(struct dump_run *run, const struct dump_source *source,
                    const struct dump_word *words, unsigned nr);

/* dump_end.c: what is printed behind the lines. */

/** Addresses without a register, with counts; or counts of all registers. */
bool dump_print_unknown(struct dump_run *run);
bool dump_print_summary(struct dump_run *run);

#endif /* TRENCH_CLI_DUMP_H */
