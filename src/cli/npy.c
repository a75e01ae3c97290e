/* SPDX-License-Identifier: BSD-3-Clause */
#include "npy_header.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli.h"
#include "output.h"

typedef unsigned long long ull; /* for %llu */

/* ---- reading ------------------------------------------------------------- */

/* A file being read. */
struct source {
    int fd;
    uint64_t size_bytes;
    char *why;
};

/* Up to len bytes, fewer only at the end. @return how many, or -1. */
static ssize_t read_some(const struct source *src, void *buf, size_t len)
{
    size_t done = 0;

    while (done < len) {
        ssize_t got = read(src->fd, (char *)buf + done, len - done);

        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got < 0) {
            return npy_fail(src->why, "%s", strerror(errno));
        }
        if (got == 0) {
            break;
        }
        done += (size_t)got;
    }
    return (ssize_t)done;
}

static int read_all(const struct source *src, void *buf, size_t len)
{
    ssize_t got = read_some(src, buf, len);

    if (got >= 0 && (size_t)got < len) {
        return npy_fail(src->why, "the file became shorter while it was read");
    }
    return got < 0 ? -1 : 0;
}

/* @return bytes before the data, or 0 with a reason. */
static uint64_t read_header(const struct source *src, struct npy_header *out)
{
    char text[NPY_MAX_HEADER];
    uint8_t bytes[NPY_MAX_PREFIX];
    struct npy_prefix prefix;
    size_t have, first;
    ssize_t got;

    got = read_some(src, bytes, sizeof(bytes));
    if (got < 0 || npy_prefix_parse(bytes, (size_t)got, &prefix, src->why)) {
        return 0;
    }
    if (src->size_bytes < prefix.prefix_bytes + prefix.text_bytes) {
        npy_fail(src->why, "the file ends inside its header");
        return 0;
    }
    /* A short prefix: the text has begun. */
    have = (size_t)got - prefix.prefix_bytes;
    first = have < prefix.text_bytes ? have : prefix.text_bytes;
    memcpy(text, bytes + prefix.prefix_bytes, first);
    if (read_all(src, text + first, prefix.text_bytes - first) ||
        npy_header_parse(text, prefix.text_bytes, out, src->why)) {
        return 0;
    }
    return prefix.prefix_bytes + prefix.text_bytes;
}

/* Elements; an array with a dimension of 0 has none, however large others are.
 */
static int count_elements(const struct source *src,
                          const struct npy_header *header, uint64_t *out)
{
    bool overflow = false;
    uint64_t count = 1;

    for (unsigned i = 0; i < header->nr_dims; i++) {
        if (header->dims[i] == 0) {
            *out = 0;
            return 0;
        }
        overflow |= count > UINT64_MAX / header->dims[i];
        count *= header->dims[i]; /* wraps, but then it is not used */
    }
    if (overflow) {
        return npy_fail(src->why, "shape: expected less than 2^64 elements");
    }
    *out = count;
    return 0;
}

/* Everything that can be said before memory is taken. */
static int check(const struct source *src, const struct npy_header *header,
                 const struct npy_want *want, struct npy_array *out)
{
    uint64_t max =
        want->max_bytes < PTRDIFF_MAX ? want->max_bytes : PTRDIFF_MAX;

    if (npy_descr_check(header->descr, want->type, src->why)) {
        return -1;
    }
    if (header->fortran_order && header->nr_dims > 1) {
        return npy_fail(
            src->why,
            "expected elements in C order, found Fortran order in %u "
            "dimensions",
            header->nr_dims);
    }
    if (count_elements(src, header, &out->count)) {
        return -1;
    }
    if (out->count > max / trench_dtype_bytes(want->type)) {
        return npy_fail(src->why,
                        "expected at most %llu bytes of elements, found %llu "
                        "elements of %u bytes",
                        (ull)max, (ull)out->count,
                        trench_dtype_bytes(want->type));
    }
    out->nr_dims = header->nr_dims;
    memcpy(out->dims, header->dims, sizeof(out->dims));
    return 0;
}

static int read_data(const struct source *src, uint64_t at, size_t bytes,
                     struct npy_array *out)
{
    if (src->size_bytes - at != bytes) {
        return npy_fail(
            src->why,
            "expected %llu bytes of elements after the header, found "
            "%llu: the file is %s",
            (ull)bytes, (ull)(src->size_bytes - at),
            src->size_bytes - at < bytes ? "truncated" : "too long");
    }
    out->data = malloc(bytes ? bytes : 1);
    if (!out->data) {
        return npy_fail(src->why, "out of memory");
    }
    /* What was read with the prefix may have been data. */
    if (lseek(src->fd, (off_t)at, SEEK_SET) < 0) {
        return npy_fail(src->why, "%s", strerror(errno));
    }
    return read_all(src, out->data, bytes);
}

int npy_read(int fd, const struct npy_want *want, struct npy_array *out,
             char why[NPY_WHY])
{
    struct source src = { .fd = fd, .why = why };
    struct npy_header header;
    struct stat st;
    uint64_t at;

    memset(out, 0, sizeof(*out));
    if (fstat(fd, &st) != 0) {
        return npy_fail(why, "%s", strerror(errno));
    }
    if (!S_ISREG(st.st_mode)) {
        return npy_fail(why, "expected a regular file");
    }
    src.size_bytes = (uint64_t)st.st_size;
    at = read_header(&src, &header);
    if (at == 0 || check(&src, &header, want, out) ||
        read_data(&src, at, out->count * trench_dtype_bytes(want->type), out)) {
        npy_free(out);
        return -1;
    }
    return 0;
}

int npy_load(const char *prog, const char *path, const struct npy_want *want,
             struct npy_array *out)
{
    char why[NPY_WHY];
    int fd, ret;

    memset(out, 0, sizeof(*out));
    /* A pipe without a writer must not hold us up; it is refused. */
    fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
    if (fd < 0) {
        cli_error(prog, "%s: %s", path, strerror(errno));
        return -1;
    }
    ret = npy_read(fd, want, out, why);
    if (ret) {
        cli_error(prog, "%s: %s", path, why);
    }
    close(fd);
    return ret;
}

void npy_free(struct npy_array *array)
{
    free(array->data);
    memset(array, 0, sizeof(*array));
}

/* ---- writing ------------------------------------------------------------- */

int npy_prepare(const char *prog, const char *path, const struct npy_vector *v,
                struct cli_output *out)
{
    uint8_t header[NPY_HEADER_MAKE];
    size_t len = npy_header_make(v->type, v->count, header);
    int ret = cli_output_open(prog, path, -1, out);

    if (!ret) {
        ret = cli_output_write(out, header, len);
    }
    if (!ret) {
        ret = cli_output_write(out, v->data,
                               v->count * trench_dtype_bytes(v->type));
    }
    return ret ? ret : cli_output_seal(out);
}

int npy_save(const char *prog, const char *path, const struct npy_vector *v)
{
    struct cli_output out;
    int ret = npy_prepare(prog, path, v, &out);

    if (!ret) {
        ret = cli_output_commit(&out);
    }
    cli_output_close(&out);
    return ret;
}

/* ---- names --------------------------------------------------------------- */

#define MAX_WIDTH 9

/*
 * What a '%' starts.
 * Returns its length, 0 when it is nothing we know; width is -1 for "%%".
 */
static size_t placeholder(const char *p, int *width)
{
    *width = -1;
    if (p[1] == '%') {
        return 2;
    }
    *width = 0;
    if (p[1] == 'd') {
        return 2;
    }
    if (p[1] == '0' && p[2] >= '1' && p[2] <= '0' + MAX_WIDTH && p[3] == 'd') {
        *width = p[2] - '0';
        return 4;
    }
    return 0;
}

const char *npy_pattern_refusal(const char *pattern, unsigned nr_ranks)
{
    unsigned nr_places = 0;

    if (pattern[0] == '\0' || strcmp(pattern, "-") == 0) {
        return "it names no file";
    }
    for (const char *p = pattern; *p;) {
        int width;
        size_t len = *p == '%' ? placeholder(p, &width) : 1;

        if (len == 0) {
            return "after '%' only d, 01d to 09d, and % are known";
        }
        nr_places += *p == '%' && width >= 0;
        p += len;
    }
    if (nr_places > 1) {
        return "there is more than one %d for the rank";
    }
    if (nr_places == 0 && nr_ranks > 1) {
        return "there is no %d for the rank, but several ranks";
    }
    return NULL;
}

char *npy_pattern_name(const char *pattern, unsigned rank)
{
    /* A '%' and what follows it make up to 10 digits: room for one. */
    size_t size = strlen(pattern) + 16;
    char *name = malloc(size);
    size_t at = 0;

    for (const char *p = pattern; name && *p && at + 1 < size;) {
        int width = -1;
        size_t len = *p == '%' ? placeholder(p, &width) : 1;

        if (*p == '%' && width >= 0) {
            at += (size_t)snprintf(name + at, size - at, "%0*u", width, rank);
        } else {
            name[at++] = *p;
        }
        p += len ? len : 1;
    }
    if (name) {
        name[at < size ? at : size - 1] = '\0';
    }
    return name;
}

int npy_pattern_vacant(const char *prog, const char *pattern, unsigned nr_ranks)
{
    int ret = 0;

    for (unsigned rank = 0; rank < nr_ranks && !ret; rank++) {
        char *name = npy_pattern_name(pattern, rank);
        struct stat st;

        if (!name) {
            cli_error(prog, "%s", strerror(ENOMEM));
            ret = -1;
        } else if (lstat(name, &st) == 0) {
            cli_error(prog, "%s: it exists", name);
            ret = -1;
        }
        free(name);
    }
    return ret;
}
