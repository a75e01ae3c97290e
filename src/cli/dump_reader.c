/* SPDX-License-Identifier: BSD-3-Clause */
#include "dump_reader.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli.h"
#include "dump_input.h"

#define MAX_NOTES 20 /* of a file; binary junk has a million bad lines */

struct dump_reader {
    const char *prog;
    const char *path;
    struct dump_input input;
    uint64_t line;
    unsigned long nr_bad;
    bool ended; /* nothing more to come from the file */
    struct dump_state state;
    size_t first; /* of what is in the buffer and not used yet */
    size_t end;
    char buf[2 * (DUMP_LINE_BYTES + 2)];
};

__attribute__((format(printf, 2, 3))) static void note(struct dump_reader *r,
                                                       const char *fmt, ...)
{
    char text[160];
    va_list ap;

    if (r->nr_bad++ >= MAX_NOTES) {
        return;
    }
    va_start(ap, fmt);
    vsnprintf(text, sizeof(text), fmt, ap);
    va_end(ap);
    for (char *p = text; *p != '\0'; p++) {
        if (*p < 0x20 || *p > 0x7e) {
            *p = '?';
        }
    }
    fflush(stdout); /* in order, when both go to one file */
    cli_error(r->prog, "%s:%" PRIu64 ": %s", r->path, r->line, text);
}

struct dump_reader *dump_reader_from(const char *prog, const char *path, int fd)
{
    struct dump_reader *r = malloc(sizeof(*r));

    if (r) {
        memset(r, 0, offsetof(struct dump_reader, buf));
        r->prog = prog;
        r->path = path;
    }
    if (!r || !dump_input_open(&r->input, fd)) {
        cli_error(prog, "%s: out of memory", path);
        close(fd);
        free(r);
        return NULL;
    }
    return r;
}

struct dump_reader *dump_reader_open(const char *prog, const char *path)
{
    bool is_stdin = strcmp(path, "-") == 0;
    int fd = is_stdin ? dup(STDIN_FILENO) : open(path, O_RDONLY | O_CLOEXEC);

    if (fd < 0) {
        cli_error(prog, "%s: %s", path, strerror(errno));
        return NULL;
    }
    return dump_reader_from(prog, is_stdin ? "standard input" : path, fd);
}

/* More data behind what is there. */
static void fill(struct dump_reader *r)
{
    size_t got;

    memmove(r->buf, r->buf + r->first, r->end - r->first);
    r->end -= r->first;
    r->first = 0;
    got = dump_input_read(&r->input, r->buf + r->end,
                          sizeof(r->buf) - 1 - r->end);
    r->end += got;
    if (got == 0) {
        r->ended = true;
        if (r->input.why) {
            r->line++; /* the one that would have come */
            note(r, "%s", r->input.why);
            r->line--;
        }
    }
}

/* Drop a line that is too long, with its end. */
static void skip_line(struct dump_reader *r)
{
    char *newline;

    note(r, "a line of more than %d bytes; left out", DUMP_LINE_BYTES);
    do {
        r->first = r->end;
        fill(r);
        newline = memchr(r->buf, '\n', r->end);
    } while (!newline && !r->ended);
    r->first = newline ? (size_t)(newline + 1 - r->buf) : r->end;
}

/* The next line, terminated; NULL at the end. */
static char *take_line(struct dump_reader *r, size_t *len)
{
    char *start;
    char *newline;

    for (;;) {
        start = r->buf + r->first;
        newline = memchr(start, '\n', r->end - r->first);
        if (!newline && r->end - r->first <= DUMP_LINE_BYTES && !r->ended) {
            fill(r);
            continue;
        }
        if (!newline && r->first == r->end) {
            return NULL;
        }
        *len = newline ? (size_t)(newline - start) : r->end - r->first;
        r->line++;
        if (*len > DUMP_LINE_BYTES) {
            if (newline) {
                note(r, "a line of more than %d bytes; left out",
                     DUMP_LINE_BYTES);
                r->first += *len + 1;
            } else {
                skip_line(r);
            }
            continue;
        }
        r->first += *len + (newline ? 1 : 0);
        start[*len] = '\0'; /* a byte is left behind the buffer's end */
        return start;
    }
}

/* The first byte that no text has, or len. */
static size_t odd_byte(const char *text, size_t len)
{
    for (size_t i = 0; i < len; i++) {
        unsigned char c = (unsigned char)text[i];

        if ((c < 0x20 && c != '\t') || c == 0x7f) {
            return i;
        }
    }
    return len;
}

bool dump_reader_next(struct dump_reader *r, const char **text,
                      struct dump_line *out)
{
    static const char bom[] = "\xef\xbb\xbf";
    size_t odd;
    size_t len;
    char *line;

    for (;;) {
        line = take_line(r, &len);
        if (!line) {
            return false;
        }
        if (len > 0 && line[len - 1] == '\r') {
            line[--len] = '\0';
        }
        odd = odd_byte(line, len);
        if (odd == len) {
            break;
        }
        note(r, "not text: byte 0x%02x at column %zu; left out",
             (unsigned char)line[odd], odd + 1);
        r->state.pending = false;
    }
    if (r->line == 1 && strncmp(line, bom, strlen(bom)) == 0) {
        line += strlen(bom);
    }
    dump_line_parse(&r->state, line, out);
    if (out->kind == DUMP_BAD) {
        note(r, "%s", out->why);
    }
    *text = line;
    return true;
}

uint64_t dump_reader_line(const struct dump_reader *r)
{
    return r->line;
}

bool dump_reader_close(struct dump_reader *r)
{
    bool ok = r->nr_bad == 0;

    if (r->nr_bad > MAX_NOTES) {
        cli_error(r->prog, "%s: %lu more lines could not be read", r->path,
                  r->nr_bad - MAX_NOTES);
    }
    dump_input_close(&r->input);
    free(r);
    return ok;
}
