/* SPDX-License-Identifier: BSD-3-Clause */
#include "dump_reader.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <zlib.h>

#include "cli.h"

#define MAX_NOTES 20 /* of a file; binary junk has a million bad lines */

struct dump_reader {
    const char *prog;
    const char *path;
    gzFile file;
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
        r->file = gzdopen(fd, "rb");
    }
    if (!r || !r->file) {
        cli_error(prog, "%s: out of memory", path);
        close(fd);
        free(r);
        return NULL;
    }
    (void)gzbuffer(r->file, 1 << 17);
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

/* Why gzread() has come to its end. */
static void check_end(struct dump_reader *r)
{
    const char *why;
    int code;

    r->ended = true;
    why = gzerror(r->file, &code);
    if (code == Z_OK || code == Z_STREAM_END) {
        return;
    }
    r->line++; /* the one that would have come */
    if (code == Z_ERRNO) {
        why = strerror(errno);
    } else if (code == Z_BUF_ERROR) {
        why = "the compressed data ends early";
    } else {
        why = "the compressed data is damaged";
    }
    note(r, "%s", why);
    r->line--;
}

/* More data behind what is there. */
static void fill(struct dump_reader *r)
{
    int got;

    memmove(r->buf, r->buf + r->first, r->end - r->first);
    r->end -= r->first;
    r->first = 0;
    errno = 0;
    got = gzread(r->file, r->buf + r->end,
                 (unsigned)(sizeof(r->buf) - 1 - r->end));
    if (got > 0) {
        r->end += (size_t)got;
    } else {
        check_end(r);
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
    (void)gzclose_r(r->file); /* errors have been seen when reading */
    free(r);
    return ok;
}
