/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Sums with a library are the library's; it has no CCITT, no 8-bit CRC and no
 * ones' complement sums.
 */
#include "dev/app_sum.h"

#include <string.h>

#include <isa-l/crc.h>
#include <isa-l/igzip_lib.h>

#include "base/bits.h"

/* CRC-32 of IEEE 802.3, as Ethernet and zip have it. */
static uint32_t add_crc32(const struct sum *s, const uint8_t *p, size_t bytes)
{
    return crc32_gzip_refl(s->value, p, bytes);
}

/* CRC-32C, Castagnoli, as iSCSI has it. The library takes no const. */
static uint32_t add_crc32c(const struct sum *s, const uint8_t *p, size_t bytes)
{
    uint32_t reg = ~s->value;

    while (bytes > 0) {
        uint8_t part[512];
        size_t n = bytes < sizeof(part) ? bytes : sizeof(part);

        memcpy(part, p, n);
        reg = crc32_iscsi(part, (int)n, reg);
        p += n;
        bytes -= n;
    }
    return ~reg;
}

static uint32_t add_adler(const struct sum *s, const uint8_t *p, size_t bytes)
{
    return isal_adler32(s->value, p, bytes);
}

/* Polynomial 0x1021, most significant bit first, from 0xFFFF. */
static uint32_t add_crc16(const struct sum *s, const uint8_t *p, size_t bytes)
{
    uint32_t crc = s->value;

    for (size_t i = 0; i < bytes; i++) {
        for (unsigned nibble = 0; nibble < 2; nibble++) {
            uint32_t in = nibble ? p[i] & 0xFu : p[i] >> 4;

            /* The polynomial times four bits carries nowhere. */
            crc = (crc << 4 & 0xFFFF) ^ ((crc >> 12 ^ in) * 0x1021u);
        }
    }
    return crc;
}

/* Polynomial 0x07, most significant bit first, from 0. */
static uint32_t add_crc8(const struct sum *s, const uint8_t *p, size_t bytes)
{
    uint32_t crc = s->value;

    for (size_t i = 0; i < bytes; i++) {
        for (unsigned nibble = 0; nibble < 2; nibble++) {
            uint32_t in = nibble ? p[i] & 0xFu : p[i] >> 4;
            uint32_t t = crc >> 4 ^ in;

            crc = (crc << 4 & 0xFF) ^ t ^ t << 1 ^ t << 2;
        }
    }
    return crc;
}

/*
 * Ones' complement sum of little-endian words, complemented (RFC 1071 with
 * words of so many bytes); what the end cuts short counts as filled with
 * zeros.
 */
static uint32_t add_words(const struct sum *s, const uint8_t *p, size_t bytes,
                          unsigned width)
{
    uint64_t mask = (UINT64_C(1) << 8 * width) - 1;
    uint64_t sum = ~s->value & mask;

    for (size_t i = 0; i < bytes; i++) {
        sum += (uint64_t)p[i] << 8 * ((s->bytes + i) % width);
        if (sum >> 56) {
            sum = (sum & mask) + (sum >> 8 * width);
        }
    }
    while (sum >> 8 * width) {
        sum = (sum & mask) + (sum >> 8 * width);
    }
    return (uint32_t)(~sum & mask);
}

static uint32_t add_sum16(const struct sum *s, const uint8_t *p, size_t bytes)
{
    return add_words(s, p, bytes, 2);
}

static uint32_t add_sum32(const struct sum *s, const uint8_t *p, size_t bytes)
{
    return add_words(s, p, bytes, 4);
}

static const struct kind {
    unsigned bytes;
    uint32_t empty; /* of no bytes */
    uint32_t (*add)(const struct sum *s, const uint8_t *p, size_t bytes);
} kinds[SUM_KINDS] = {
    [1] = { 4, 0, add_crc32 },      [2] = { 4, 0, add_crc32c },
    [3] = { 2, 0xFFFF, add_sum16 }, [4] = { 4, 0xFFFFFFFF, add_sum32 },
    [5] = { 2, 0xFFFF, add_crc16 }, [6] = { 4, 1, add_adler },
    [7] = { 1, 0, add_crc8 },
};

unsigned sum_bytes(unsigned kind)
{
    return kinds[kind].bytes;
}

struct sum sum_start(unsigned kind)
{
    return sum_resume(kind, kinds[kind].empty);
}

/* A value that is wider than the kind, or no sum of it, is cut to one. */
struct sum sum_resume(unsigned kind, uint32_t value)
{
    uint32_t mask = UINT32_MAX >> (32 - 8 * kinds[kind].bytes);

    value &= mask;
    if (kind == 6) { /* two numbers below 65,521 */
        value = (value & 0xFFFF) % 65521 | (value >> 16) % 65521 << 16;
    }
    return (struct sum){ .kind = kind, .value = value };
}

void sum_add(struct sum *s, const void *p, size_t bytes)
{
    s->value = kinds[s->kind].add(s, p, bytes);
    s->bytes += bytes;
}
