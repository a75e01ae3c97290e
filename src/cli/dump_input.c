/* SPDX-License-Identifier: BSD-3-Clause */
#include "dump_input.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#define GZIP_WINDOW (16 + MAX_WBITS) /* zlib: a gzip header, any window */

static const unsigned char magic[] = { 0x1f, 0x8b };

bool dump_input_open(struct dump_input *in, int fd)
{
    memset(in, 0, offsetof(struct dump_input, in));
    in->fd = fd;
    in->z.next_in = in->in;
    return inflateInit2(&in->z, GZIP_WINDOW) == Z_OK;
}

void dump_input_close(struct dump_input *in)
{
    inflateEnd(&in->z);
    close(in->fd);
}

/* Have at least want bytes of input, unless the file ends before. */
static void fill(struct dump_input *in, size_t want)
{
    if (in->z.avail_in >= want) {
        return;
    }
    memmove(in->in, in->z.next_in, in->z.avail_in);
    in->z.next_in = in->in;
    while (!in->ended && in->z.avail_in < want) {
        ssize_t got = read(in->fd, in->in + in->z.avail_in,
                           sizeof(in->in) - in->z.avail_in);

        if (got > 0) {
            in->z.avail_in += (uInt)got;
        } else if (got == 0 || errno != EINTR) {
            in->ended = true;
            in->why = got < 0 ? strerror(errno) : in->why;
        }
    }
}

static bool starts_gzip(const struct dump_input *in)
{
    return in->z.avail_in >= sizeof(magic) &&
           memcmp(in->z.next_in, magic, sizeof(magic)) == 0;
}

/* Between two members: true when another one begins. */
static bool next_member(struct dump_input *in)
{
    do {
        fill(in, sizeof(magic));
        while (in->z.avail_in > 0 && *in->z.next_in == 0) {
            in->z.next_in++; /* padding */
            in->z.avail_in--;
        }
    } while (in->z.avail_in < sizeof(magic) && !in->ended);
    if (starts_gzip(in)) {
        in->at_start = false;
        return inflateReset(&in->z) == Z_OK;
    }
    if (in->z.avail_in > 0 && !in->why) {
        in->why = "what follows the compressed data is not gzip";
    }
    return false;
}

static size_t read_gzip(struct dump_input *in, char *buf, size_t size)
{
    in->z.next_out = (unsigned char *)buf;
    in->z.avail_out = (uInt)size;
    while (in->z.avail_out > 0 && !in->why) {
        int rc;

        if (in->at_start && !next_member(in)) {
            break;
        }
        fill(in, 1);
        if (in->z.avail_in == 0) {
            in->why = in->why ? in->why : "the compressed data ends early";
            break;
        }
        rc = inflate(&in->z, Z_NO_FLUSH);
        if (rc == Z_STREAM_END) {
            in->at_start = true;
        } else if (rc != Z_OK) {
            in->why = "the compressed data is damaged";
        }
    }
    return size - in->z.avail_out;
}

static size_t read_plain(struct dump_input *in, char *buf, size_t size)
{
    size_t n;

    fill(in, 1);
    n = in->z.avail_in < size ? in->z.avail_in : size;
    memcpy(buf, in->z.next_in, n);
    in->z.next_in += n;
    in->z.avail_in -= (uInt)n;
    return n;
}

size_t dump_input_read(struct dump_input *in, char *buf, size_t size)
{
    if (!in->looked) {
        fill(in, sizeof(magic));
        in->gzip = starts_gzip(in);
        in->looked = true;
    }
    return in->gzip ? read_gzip(in, buf, size) : read_plain(in, buf, size);
}
