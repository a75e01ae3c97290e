/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Any bytes as a file of trench reg dump and annotate, plain or gzip: what is
 * read keeps its promises, and what dump prints of it reads back as the same.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "cli/dump_line.h"
#include "cli/dump_reader.h"
#include "fuzz.h"

static void must(bool truth)
{
    if (!truth) {
        abort();
    }
}

/* The normal form of a word is read as that word. */
static void check_word(uint64_t addr, uint32_t word)
{
    struct dump_state state = { 0 };
    struct dump_line line;
    char text[64];

    snprintf(text, sizeof(text), "0x%llx: 0x%08x  # NAME",
             (unsigned long long)addr, word);
    dump_line_parse(&state, text, &line);
    must(line.kind == DUMP_VALUE && line.addr == addr && line.nr_words == 1 &&
         line.words[0] == word && line.mask == UINT32_MAX);
}

static void check_line(const char *text, const struct dump_line *line)
{
    must(strlen(text) <= DUMP_LINE_BYTES);
    switch (line->kind) {
    case DUMP_TEXT:
        return;
    case DUMP_BAD:
        must(line->why[0] != '\0');
        return;
    case DUMP_VALUE:
    case DUMP_READ:
    case DUMP_WRITE:
        break;
    }
    must(line->addr % 4 == 0);
    must(line->nr_words >= 1 && line->nr_words <= DUMP_WORDS);
    must(line->mask != 0);
    must(line->addr + 4 * (uint64_t)line->nr_words - 1 >= line->addr);
    for (unsigned i = 0; i < line->nr_words; i++) {
        must((line->words[i] & ~line->mask) == 0);
        check_word(line->addr + 4 * (uint64_t)i, line->words[i]);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    int fd = memfd_create("dump", MFD_CLOEXEC);
    struct dump_reader *reader;
    struct dump_line line;
    const char *text;
    uint64_t last = 0;

    must(fd >= 0 && write(fd, data, size) == (ssize_t)size);
    must(lseek(fd, 0, SEEK_SET) == 0);
    reader = dump_reader_from("fuzz", "input", fd);
    must(reader != NULL);
    while (dump_reader_next(reader, &text, &line)) {
        must(dump_reader_line(reader) > last);
        last = dump_reader_line(reader);
        check_line(text, &line);
    }
    (void)dump_reader_close(reader);
    return 0;
}
