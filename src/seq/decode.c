/* SPDX-License-Identifier: BSD-3-Clause */
/* A dump of a core's data RAM, taken apart. */
#include "seq/icache_priv.h"

int trench_icache_decode(const uint8_t *dram, struct trench_icache_control *out)
{
    struct trench_icache_control c = {
        .records_per_line = get32(dram, CTL_RECORDS),
        .nr_records = get32(dram, CTL_NR_RECORDS),
        .nr_lines = get32(dram, CTL_NR_LINES),
        .pending = get32(dram, CTL_PENDING),
        .victim = get32(dram, CTL_VICTIM),
        .staged = dram[CTL_STAGED] & 1,
        .ticket = (uint64_t)get32(dram, CTL_TICKET_HI) << 32 |
                  get32(dram, CTL_TICKET_LO),
        .pushed = get32(dram, CTL_PUSHED),
        .sunda_mode = dram[CTL_MODE] & 1,
        .lines = get32(dram, CTL_LINES),
        .block_bytes = get32(dram, BLOCK_SIZE),
        .ring = dram[BACKEND] & 1,
        .lower = get64(dram, BOUNDS_LOWER),
        .upper = get64(dram, BOUNDS_UPPER),
    };
    uint64_t at = (uint64_t)c.lines - DRAM_ADDR;

    if (c.lines < DRAM_ADDR || at > TRENCH_SEQ_DRAM_BYTES ||
        (uint64_t)c.nr_lines * LINE_BYTES > TRENCH_SEQ_DRAM_BYTES - at) {
        return TRENCH_ERR_BADMSG;
    }
    *out = c;
    return 0;
}

int trench_icache_decode_line(const uint8_t *dram, uint32_t idx,
                              struct trench_icache_line *out)
{
    struct trench_icache_control c;
    uint32_t at;

    if (trench_icache_decode(dram, &c) || idx >= c.nr_lines) {
        return TRENCH_ERR_INVAL;
    }
    at = DRAM_AT(c.lines) + idx * LINE_BYTES;
    out->state = get32(dram, at + LINE_STATE);
    out->tag = get64(dram, at + LINE_TAG);
    return 0;
}
