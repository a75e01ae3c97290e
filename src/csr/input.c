/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * From a file to a JSON tree. What jansson would take too much memory for, or
 * explain badly, is refused before it is asked.
 */
#include "csr/reader.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MAX_FILE_BYTES ((size_t)16 << 20)
#define MAX_NODES      1000000 /* lists and objects, 200 bytes each in memory */
#define MAX_NESTING    64      /* a schema needs 10 */
#define READ_BYTES     ((size_t)64 << 10)
#define LINE_BUDGET    ((size_t)64 << 20) /* a second or so */

/*
 * As fopen(), but a FIFO that nobody writes to is empty instead of a wait
 * without end.
 */
static FILE *open_stream(const char *path)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    FILE *file;

    if (fd < 0 || fcntl(fd, F_SETFL, 0) != 0) {
        if (fd >= 0) {
            close(fd);
        }
        return NULL;
    }
    file = fdopen(fd, "rb");
    if (!file) {
        close(fd);
    }
    return file;
}

/* Reads to the end, not to st_size, so that pipes work as files do. */
static int read_stream(struct reader *rd, FILE *file, char **out, size_t *len)
{
    size_t size = 0, used = 0, n;
    char *buf = NULL;

    do {
        if (used == size) {
            char *bigger;

            size = size ? size * 2 : READ_BYTES;
            bigger = realloc(buf, size);
            if (!bigger) {
                free(buf);
                return reader_no_memory(rd);
            }
            buf = bigger;
        }
        n = fread(buf + used, 1, size - used, file);
        used += n;
    } while (n > 0 && used <= MAX_FILE_BYTES);

    if (ferror(file)) {
        reader_refuse(rd, "cannot be read: %s", trench_strerror(-errno));
        free(buf);
        return TRENCH_ERR_NOENT;
    }
    if (used > MAX_FILE_BYTES) {
        free(buf);
        return reader_refuse(rd, "the file is larger than 16 MiB");
    }
    *out = buf;
    *len = used;
    return 0;
}

/* What looks like text to an editor, but is no JSON. */
static int check_encoding(struct reader *rd, const char *text, size_t len)
{
    static const char bom8[] = "\xef\xbb\xbf";
    static const char bom_le[] = "\xff\xfe";
    static const char bom_be[] = "\xfe\xff";

    if (len == 0) {
        return reader_refuse(rd, "the file is empty");
    }
    if (len >= 3 && memcmp(text, bom8, 3) == 0) {
        return reader_refuse(rd, "the file starts with a byte order mark");
    }
    if (len >= 2 &&
        (memcmp(text, bom_le, 2) == 0 || memcmp(text, bom_be, 2) == 0)) {
        return reader_refuse(rd, "the file is UTF-16, not UTF-8");
    }
    return 0;
}

/*
 * A file of 16 MiB can ask jansson for more than 1 GiB by listing nothing but
 * "{},", and can make it nest calls as deep as it likes to.
 */
static int check_nodes(struct reader *rd, const char *text, size_t len)
{
    size_t nr = 0, depth = 0;
    bool quoted = false;

    for (size_t i = 0; i < len; i++) {
        char c = text[i];

        if (quoted) {
            quoted = c != '"';
            i += c == '\\';
        } else if (c == '"') {
            quoted = true;
        } else if (c == '[' || c == '{') {
            nr++;
            depth++;
        } else if ((c == ']' || c == '}') && depth > 0) {
            depth--;
        }
        if (depth > MAX_NESTING) {
            return reader_refuse(rd, "more than %d levels of nesting",
                                 MAX_NESTING);
        }
    }
    if (nr > MAX_NODES) {
        return reader_refuse(rd, "more than %d lists and objects", MAX_NODES);
    }
    return 0;
}

/* Takes the line of jansson, not of the path, which is still empty. */
static int refuse_json(struct reader *rd, const json_error_t *json_err)
{
    struct trench_csr_finding finding = { .file = rd->file,
                                          .severity = TRENCH_CSR_ERROR };
    trench_csr_finding_fn fn = rd->fn;
    bool early = json_error_code(json_err) == json_error_premature_end_of_input;
    int rc;

    rd->fn = NULL; /* the line is not there yet */
    rc =
        reader_refuse(rd, "not JSON: %s%s",
                      early ? "the file ends too early: " : "", json_err->text);
    rd->fn = fn;
    rd->err->line = json_err->line > 0 ? json_err->line : 0;
    if (fn) {
        finding.err = *rd->err;
        fn(rd->opaque, &finding);
    }
    return rc;
}

static int parse_text(struct reader *rd, const char *text, size_t len,
                      json_t **root)
{
    json_error_t json_err;
    json_t *tree;
    int rc;

    rc = check_encoding(rd, text, len);
    if (!rc) {
        rc = check_nodes(rd, text, len);
    }
    if (rc) {
        return rc;
    }
    tree = json_loadb(text, len, JSON_REJECT_DUPLICATES, &json_err);
    if (tree) {
        *root = tree;
        return 0;
    }
    /*
     * jansson seldom tells a failed allocation from bad syntax; what it never
     * lacks for bad syntax is a text.
     */
    if (json_error_code(&json_err) == json_error_out_of_memory ||
        json_err.text[0] == '\0') {
        return reader_no_memory(rd);
    }
    return refuse_json(rd, &json_err);
}

int reader_parse(struct reader *rd, const char *path, json_t **root)
{
    size_t len = 0;
    char *text = NULL;
    FILE *file;
    int rc;

    file = open_stream(path);
    if (!file) {
        reader_refuse(rd, "cannot be opened: %s", trench_strerror(-errno));
        return TRENCH_ERR_NOENT;
    }
    rc = read_stream(rd, file, &text, &len);
    fclose(file);
    if (rc) {
        return rc;
    }
    rc = parse_text(rd, text, len, root);
    if (rc) {
        free(text);
        return rc;
    }
    rd->text = text;
    rd->text_len = len;
    rd->line_budget = LINE_BUDGET;
    return 0;
}

void reader_drop_text(struct reader *rd)
{
    free(rd->text);
    rd->text = NULL;
}
