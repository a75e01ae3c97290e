/* SPDX-License-Identifier: BSD-3-Clause */
/* A trace of PCs through the cache, every byte compared. */
#include "seq/icache_priv.h"

static bool hints(const struct trench_icache *ic)
{
    return ic->conf.prefetch & TRENCH_ICACHE_PREFETCH_HINT;
}

/* One record that lies in the image; err is a reason to stop. */
static int run(struct trench_icache *ic,
               const struct trench_icache_image *image, uint64_t offset,
               uint64_t left)
{
    bool same = true;

    while (left > 0) {
        uint64_t pc = ic->conf.stream_base + offset;
        const uint8_t *bytes;
        uint64_t len;
        int ret;

        if (hints(ic) && pc - ic->cur_base >= ic->cur_len) {
            icache_hint_predict(ic, pc);
        }
        ret = icache_fetch(ic, pc, &bytes);
        if (ret < 0) {
            return ic->failed.name || ret != TRENCH_ERR_IO ? ret : 0;
        }
        len = ic->cur_len - (pc - ic->cur_base);
        len = left < len ? left : len;
        same = same && memcmp(bytes, image->bytes + offset, len) == 0;
        offset += len;
        left -= len;
    }
    ic->stats.mismatches += !same;
    return 0;
}

int trench_icache_replay(struct trench_icache *ic,
                         const struct trench_icache_image *image,
                         const struct trench_icache_record *records,
                         size_t nr_records)
{
    int err = 0;

    for (size_t i = 0; i < nr_records && !err; i++) {
        uint64_t offset = records[i].addr - image->addr; /* wraps: outside */
        uint64_t len = records[i].size_bytes ? records[i].size_bytes : 1;

        ic->stats.records++;
        if (offset >= image->size_bytes || len > image->size_bytes - offset) {
            ic->stats.out_of_bounds++;
            continue;
        }
        if (hints(ic)) {
            icache_hint_learn(ic, ic->conf.stream_base + offset, len);
        }
        err = run(ic, image, offset, len);
    }
    return err;
}

void trench_icache_stats(const struct trench_icache *ic,
                         struct trench_icache_stats *out)
{
    *out = ic->stats;
    out->lookups = out->hits + out->misses;
}
