/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * One line of a register dump, an access log or a console.
 *
 *     ADDRESS VALUE...    ADDRESS: VALUE...    ADDRESS <symbol>: VALUE...
 *     R|W ADDRESS [SIZE] VALUE
 *     text 0xADDRESS = 0xVALUE text
 *     devmem ADDRESS [WIDTH [VALUE]], the value read on the next line
 *
 * Numbers are hexadecimal, with or without 0x; a size is decimal. Groups of 2,
 * 4 and 16 digits are bytes, halves and double words, as hexdump prints them.
 */
#ifndef TRENCH_CLI_DUMP_LINE_H
#define TRENCH_CLI_DUMP_LINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Most 32-bit words of a line. */
#define DUMP_WORDS 256

enum dump_kind {
    DUMP_TEXT,  /**< Nothing to decode. */
    DUMP_VALUE, /**< What stands at an address. */
    DUMP_READ,
    DUMP_WRITE,
    DUMP_BAD, /**< Meant to be read, and cannot. */
};

struct dump_line {
    enum dump_kind kind;
    bool guess;    /**< Perhaps only two numbers in a text. */
    uint64_t addr; /**< Of words[0]; a multiple of 4. */
    unsigned size; /**< Bytes of an access: 1, 2, 4, 8; 4 for values. */
    uint32_t mask; /**< Bits of a word that the line gives. */
    unsigned nr_words;
    uint32_t words[DUMP_WORDS];
    char why[80]; /**< BAD: what is wrong. */
};

/** What one line says about the next. Zero it at the start of a file. */
struct dump_state {
    bool pending; /**< A devmem waits for its value. */
    uint64_t addr;
};

/** Understand a line, without its end. */
void dump_line_parse(struct dump_state *state, const char *text,
                     struct dump_line *out);

#endif /* TRENCH_CLI_DUMP_LINE_H */
