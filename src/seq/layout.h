/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Where the firmware keeps its state: offsets in the core's data RAM, which
 * starts at device address 0x80000 (iram-cache-idma 0, 1.7 to 1.10). Words are
 * little-endian. Marked "ours" is what no source gives (H147).
 */
#ifndef TRENCH_SEQ_LAYOUT_H
#define TRENCH_SEQ_LAYOUT_H

#include <endian.h>
#include <stdint.h>
#include <string.h>

#define DRAM_ADDR     0x80000u
#define DRAM_AT(addr) ((addr)-DRAM_ADDR)

/* Where the host writes PC bounds (2.9), and the firmware's own. */
#define HOST_BOUNDS_LOWER 0x38u
#define HOST_BOUNDS_UPPER 0x40u
#define BOUNDS_LOWER      DRAM_AT(0x82dc0)
#define BOUNDS_UPPER      DRAM_AT(0x82dc8)

/* Globals. */
#define HW_DECODE_ACTIVE DRAM_AT(0x85070)
#define BLOCK_SIZE       DRAM_AT(0x85654)
#define BACKEND          DRAM_AT(0x85658)

/* Central state. */
#define STATE         DRAM_AT(0x855e0)
#define HINT_ARMED    (STATE + 0)
#define HINT_DECISION (STATE + 1)
#define STATE_MODE    (STATE + 108) /* also called prefetch enable: H150 */

/* Cache control structure. */
#define CTL            DRAM_AT(0x855f8)
#define CTL_RECORDS    (CTL + 16)
#define CTL_NR_RECORDS (CTL + 20)
#define CTL_NR_LINES   (CTL + 24)
#define CTL_PENDING    (CTL + 32)
#define CTL_VICTIM     (CTL + 36)
#define CTL_STAGED     (CTL + 40)
#define CTL_TICKET_LO  (CTL + 48)
#define CTL_TICKET_HI  (CTL + 52)
#define CTL_PUSHED     (CTL + 56)
#define CTL_MODE       (CTL + 60)
#define CTL_LINES      (CTL + 64)

/* A line. */
#define LINE_BYTES 16u
#define LINE_STATE 0u
#define LINE_TAG   8u

/* Branch-hint table: a header, then entries. */
#define HINTS          DRAM_AT(0x85f88)
#define HINT_HEADER    32u
#define HINT_BYTES     56u
#define NR_HINTS       16u
#define HINT_BR_ADDR   0u /* ours */
#define HINT_BR_TARGET 8u /* ours */
#define HINT_VALID     48u

/* Heap and rings: ours. */
#define LINES      DRAM_AT(0x86400)
#define LINES_MAX  2048u
#define RING_TX    DRAM_AT(0x8f000)
#define RING_RX    DRAM_AT(0x8f400)
#define RING_COMP  DRAM_AT(0x8f800)
#define RING_BYTES 0x400u

static inline uint32_t get32(const uint8_t *dram, uint32_t at)
{
    uint32_t val;

    memcpy(&val, dram + at, sizeof(val));
    return le32toh(val);
}

static inline uint64_t get64(const uint8_t *dram, uint32_t at)
{
    uint64_t val;

    memcpy(&val, dram + at, sizeof(val));
    return le64toh(val);
}

static inline void put32(uint8_t *dram, uint32_t at, uint32_t val)
{
    val = htole32(val);
    memcpy(dram + at, &val, sizeof(val));
}

static inline void put64(uint8_t *dram, uint32_t at, uint64_t val)
{
    val = htole64(val);
    memcpy(dram + at, &val, sizeof(val));
}

#endif /* TRENCH_SEQ_LAYOUT_H */
