/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reading of schema JSON: members by type, numbers by the schema's radix
 * rules, and the line, JSON path and reason of whatever is refused. Everything
 * read is copied to one arena, which outlives the JSON tree.
 *
 * Functions return 0 or the code that trench_csr_load() is to return, after
 * filling the error structure or calling back. Only the first error fills the
 * structure, so callers may go on collecting.
 */
#ifndef TRENCH_CSR_READER_H
#define TRENCH_CSR_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <jansson.h>

#include <trench/csr.h>

/* Longest string of a schema; also the longest literal C11 promises. */
#define READER_MAX_TEXT_BYTES 4095

/* RegFile, bundles inside of each other, register, field. */
#define READER_MAX_BUNDLES 4
#define READER_MAX_PATH    (READER_MAX_BUNDLES + 3)

struct reader_chunk; /* a piece of the arena */

/* One step of the JSON path: a name, or the list index while it has none. */
struct reader_step {
    const char *list;
    size_t idx;
    const char *name;
};

struct reader_param {
    const char *name;
    const char *text; /* NULL once val is known, or after an error */
    size_t idx;       /* in the list */
    int64_t val;
    bool known;
    bool used;
};

struct reader {
    struct trench_csr_error *err; /* never NULL */
    const char *file;
    trench_csr_finding_fn fn; /* NULL = stop at the first error */
    void *opaque;
    unsigned nr_errors;
    char *text; /* of the file, for lines; owned */
    size_t text_len;
    size_t line_budget; /* bytes that may still be searched for lines */
    struct reader_chunk *chunks;
    struct reader_step path[READER_MAX_PATH];
    int depth;
    const char *member; /* read last in the innermost object, or NULL */
    struct reader_param *params;
    size_t nr_params;
};

/* Zeroed memory, 8-byte aligned, or NULL; lives until the chunks go. */
void *reader_alloc(struct reader *rd, size_t nr, size_t each_bytes);
void reader_free_chunks(struct reader_chunk *chunks);

/* Refuse the file for a reason found at the current path and member. */
int reader_refuse(struct reader *rd, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* The same, but the file is not refused. */
void reader_warn(struct reader *rd, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
int reader_no_memory(struct reader *rd);

/* All findings are wanted, and this failure does not forbid to go on. */
static inline bool reader_goes_on(const struct reader *rd, int rc)
{
    return rd->fn && rc == TRENCH_ERR_BADMSG;
}

/* Step into element idx of a list, learn its name, step out. */
void reader_enter(struct reader *rd, const char *list, size_t idx);
void reader_set_name(struct reader *rd, const char *name);
void reader_leave(struct reader *rd);
/* Step out until depth steps are left. */
void reader_leave_to(struct reader *rd, int depth);

/*
 * Parse a whole file; the caller releases *root with json_decref(), and the
 * text with reader_drop_text() when no more lines are wanted.
 */
int reader_parse(struct reader *rd, const char *path, json_t **root);
void reader_drop_text(struct reader *rd);

/* Evaluate the Parameters of obj, if it has any, for use in expressions. */
int reader_use_params(struct reader *rd, const json_t *obj);

/* A member of an object, or NULL after refusing the file. */
json_t *reader_object(struct reader *rd, const json_t *obj, const char *key);
json_t *reader_list(struct reader *rd, const json_t *obj, const char *key);

int reader_name(struct reader *rd, const json_t *obj, const char *key,
                const char **out);
int reader_number(struct reader *rd, const json_t *obj, const char *key,
                  uint32_t *out);

/* The same without a refusal, for those who only look. */
bool reader_peek_number(struct reader *rd, const char *text, uint32_t *out);

/* Index of the string in words, which ends with NULL. */
int reader_choice(struct reader *rd, const json_t *obj, const char *key,
                  const char *const words[], uint8_t *out);

/* Position: "hi:lo" or "n". */
int reader_position(struct reader *rd, const json_t *obj, uint8_t *lsb,
                    uint8_t *width);

/* Optional Description and Tag members, as one line each; "" when missing. */
int reader_notes(struct reader *rd, const json_t *obj, const char **desc,
                 const char **tags);

/* Copy a string to the arena, control characters become spaces. */
int reader_copy(struct reader *rd, const char *text, const char **out);

#endif /* TRENCH_CSR_READER_H */
