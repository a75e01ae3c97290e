/* SPDX-License-Identifier: BSD-3-Clause */
/* Reading a name from the left, for map_find.c. */
#ifndef TRENCH_MAP_READER_H
#define TRENCH_MAP_READER_H

#include <trench/map.h>

#define MAP_NAME_MAX_LEN 160

/* A name that is being read. */
struct map_name_reader {
    const struct trench_gen *gen;
    const char *name;
    size_t pos;
    size_t end;    /* of the name, where its "+OFFSET" begins */
    uint64_t plus; /* 0 without one */
    struct trench_map_error *err;
};

/* Finds the end of the name and reads the "+OFFSET" behind it. */
int map_name_start(struct map_name_reader *f);

/* Notes a reason and hands the code through. */
int map_name_refuse(struct map_name_reader *f, int code, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/*
 * Where the name goes on after a word at pos, or after a decimal number of at
 * most five digits; 0 when there is none. '.' in the name fits '_' in a word.
 */
size_t map_name_after_word(const struct map_name_reader *f, size_t pos,
                           const char *word);
size_t map_name_after_number(const struct map_name_reader *f, size_t pos,
                             unsigned *out);

/* The end, or a separator. */
bool map_name_ends_at(const struct map_name_reader *f, size_t pos);
bool map_name_skip_separator(struct map_name_reader *f);

/* What stands before the next '.', for look-up or message. */
size_t map_name_token_len(const struct map_name_reader *f);
bool map_name_token_is(const struct map_name_reader *f, const char *word);

#endif /* TRENCH_MAP_READER_H */
