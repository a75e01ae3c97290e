/* SPDX-License-Identifier: BSD-3-Clause */
/* basic_block_configs: ncfw-steps 1.7. */
#include <trench/pring.h>

#include <string.h>

#include "base/le.h"

#define ENTRY_BYTES      4u
#define SWITCH_COMPLETED 0x400u
#define PRING_BASE       0x408u
#define PRING_TOTAL      0x410u

int trench_basic_block_configs_encode(
    const struct trench_basic_block_configs *configs, void *buf)
{
    uint8_t *b = buf;

    if (configs->nr_blocks > TRENCH_BASIC_BLOCKS_MAX) {
        return TRENCH_ERR_INVAL;
    }
    for (uint32_t i = 0; i < configs->nr_blocks; i++) {
        if (configs->table[i].desc_count == 0) {
            return TRENCH_ERR_INVAL;
        }
    }
    memset(b, 0, TRENCH_BASIC_BLOCK_CONFIGS_BYTES);
    for (uint32_t i = 0; i < configs->nr_blocks; i++) {
        le_put(b + ENTRY_BYTES * i, 2, configs->table[i].desc_count);
        b[ENTRY_BYTES * i + 2] = configs->table[i].reset_count;
    }
    le_put(b + SWITCH_COMPLETED, 8, configs->switch_completed);
    le_put(b + PRING_BASE, 8, configs->pring_base_addr);
    le_put(b + PRING_TOTAL, 4, configs->pring_total_desc_num);
    return 0;
}

void trench_basic_block_configs_decode(const void *buf,
                                       struct trench_basic_block_configs *out)
{
    const uint8_t *b = buf;

    memset(out, 0, sizeof(*out));
    while (out->nr_blocks < TRENCH_BASIC_BLOCKS_MAX) {
        const uint8_t *entry = b + ENTRY_BYTES * out->nr_blocks;

        if (le_get(entry, 2) == 0) {
            break;
        }
        out->table[out->nr_blocks++] = (struct trench_basic_block_entry){
            .desc_count = (uint16_t)le_get(entry, 2),
            .reset_count = entry[2],
        };
    }
    out->switch_completed = le_get(b + SWITCH_COMPLETED, 8);
    out->pring_base_addr = le_get(b + PRING_BASE, 8);
    out->pring_total_desc_num = (uint32_t)le_get(b + PRING_TOTAL, 4);
}
