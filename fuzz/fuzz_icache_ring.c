/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The ring of a cache under hostile memory: completions, descriptors, the
 * control structure and the queue's registers are overwritten between fetches.
 * A byte that is reported as fetched must come from the instruction RAM.
 */
#include <string.h>

#include "fuzz.h"

#include <trench/icache.h>
#include <trench/soc.h>

#include "seq/icache_priv.h"

#define STREAM       UINT64_C(0x40000000)
#define STREAM_BYTES 0x10000u

static void parse_completion(const uint8_t *data, size_t size)
{
    uint32_t words[DRAM_RING_COMP_WORDS] = { 0 };
    enum dram_ring_state state;

    memcpy(words, data, size < sizeof(words) ? size : sizeof(words));
    for (uint32_t lap = 0; lap < 4; lap++) {
        state = dram_ring_parse(words, lap, 8192);
        FUZZ_CHECK(state <= DRAM_RING_FAILED);
        FUZZ_CHECK(state == DRAM_RING_BUSY ||
                   (le32toh(words[0]) >> 24 & 3) == lap);
    }
}

/* One command of four bytes: where to write, what, or a fetch. */
static void command(struct trench_icache *ic, const uint8_t *c)
{
    uint32_t at = (uint32_t)c[1] << 8 | c[2];
    const uint8_t *bytes = NULL;
    int ret;

    switch (c[0] % 5) {
    case 0:
        ic->dram[at] = c[3];
        break;
    case 1: /* rings and completions: the last pages */
        ic->dram[RING_TX + at % 0xC00] = c[3];
        break;
    case 2: /* the control structure and what is near it */
        ic->dram[CTL + at % 96] = c[3];
        break;
    case 3:
        (void)trench_bus_write32(ic->conf.bus,
                                 ic->ring.conf.engine + at * 4 % 0x38000, c[3]);
        break;
    default:
        ret = trench_icache_fetch(ic, STREAM + (uint64_t)at, &bytes);
        FUZZ_CHECK(ret < 0 || (bytes >= ic->iram && bytes < ic->iram + 0x8000));
        if (ret == TRENCH_ERR_IO && c[3] & 1) {
            (void)trench_icache_reset(ic);
        }
        break;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct trench_soc *soc;
    struct trench_icache_conf conf = {
        .seq = 2,
        .backend = TRENCH_ICACHE_RING,
        .block_bytes = 1024,
        .stream_base = STREAM,
        .stream_bytes = STREAM_BYTES,
        .max_polls = 4,
    };
    struct trench_icache *ic = NULL;

    if (!soc && trench_soc_create(
                    &(const struct trench_soc_conf){ .budget = 1024 }, &soc)) {
        abort();
    }
    trench_soc_reset(soc);
    conf.bus = trench_soc_bus(soc);
    FUZZ_CHECK(trench_icache_create(&conf, NULL, &ic) == 0);
    parse_completion(data, size);
    for (size_t i = 0; i + 4 <= size; i += 4) {
        command(ic, data + i);
    }
    trench_icache_destroy(ic);
    return 0;
}
