/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Test patterns that tell what went wrong with a copy.
 *
 * Every byte of a buffer follows from three things: which of four regions it
 * belongs to (top two bits), its index in the buffer, and the key of the test
 * (low six bits, mixed so that a shift by any distance shows). A byte from the
 * wrong region, the wrong place or an earlier test is therefore recognised.
 */
#ifndef TRENCH_CLI_PATTERN_H
#define TRENCH_CLI_PATTERN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum cli_pattern_region {
    CLI_PATTERN_SRC_OUT, /**< Source buffer, around the data. */
    CLI_PATTERN_SRC_IN,  /**< Source buffer, the data. */
    CLI_PATTERN_DST_OUT, /**< Destination buffer, around the data. */
    CLI_PATTERN_DST_IN,  /**< Destination buffer, not yet copied. */
};

/** A run of bytes that follow one pattern. */
struct cli_pattern_run {
    uint8_t *buf; /**< The buffer that holds the run. */
    size_t first; /**< Of the run in the buffer. */
    size_t len;
    enum cli_pattern_region region;
    uint32_t key;
    size_t index; /**< Index of the first byte in the pattern. */
};

/** What a wrong byte of a destination buffer means. */
enum cli_pattern_fault {
    CLI_PATTERN_NOT_COPIED, /**< It is as it was before. */
    CLI_PATTERN_WAS_COPIED, /**< Data arrived outside its place. */
    CLI_PATTERN_MISMATCH,   /**< Anything else. */
};

/** The next of a sequence of random numbers; any seed will do. */
uint64_t cli_random(uint64_t *state);

uint8_t cli_pattern_byte(enum cli_pattern_region region, uint32_t key,
                         size_t index);

void cli_pattern_fill(const struct cli_pattern_run *run);

/** @return whether every byte of the run is as it should be. */
bool cli_pattern_intact(const struct cli_pattern_run *run);

/** Explain the wrong byte @p i of a run in a destination buffer. */
enum cli_pattern_fault cli_pattern_explain(const struct cli_pattern_run *run,
                                           size_t i);

#endif /* TRENCH_CLI_PATTERN_H */
