/* SPDX-License-Identifier: BSD-3-Clause */
/* trench map: the numbers of its command line. */
#ifndef TRENCH_CLI_MAP_PARSE_H
#define TRENCH_CLI_MAP_PARSE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <trench/map.h>

/**
 * Read a hexadecimal number of up to 64 bits, with or without 0x.
 * @return NULL, or why it is none: a phrase that follows the text.
 */
const char *map_parse_hex(const char *text, size_t len, uint64_t *out);

/** An argument that is a number and no name, right or wrong. */
bool map_is_number(const char *text);

/** Read "A..B" or "A+SIZE". Returns as map_parse_hex(). */
const char *map_parse_range(const char *text, struct trench_map_range *out);

#endif /* TRENCH_CLI_MAP_PARSE_H */
