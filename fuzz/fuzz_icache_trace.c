/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Traces: any bytes, plain or as gzip, through the reader, and what it finds
 * through a cache whose geometry the first bytes choose.
 */
#include <sys/mman.h>
#include <unistd.h>

#include "fuzz.h"

#include <trench/icache.h>
#include <trench/soc.h>

#include "../src/cli/icache_trace.h"

#define STREAM      UINT64_C(0x40000000)
#define IMAGE_BYTES 0x10000u
#define MAX_RECORDS 4096u

static struct trench_icache *cache_of(struct trench_soc *soc,
                                      const uint8_t *data)
{
    const struct trench_icache_conf conf = {
        .bus = trench_soc_bus(soc),
        .seq = data[0] % 5u,
        .block_bytes = 64u << data[1] % 10u,
        .free_geometry = true,
        .region_bytes = 0x8000,
        .stream_base = STREAM,
        .stream_bytes = IMAGE_BYTES,
        .backend = data[2] & 1 ? TRENCH_ICACHE_RING : TRENCH_ICACHE_MAILBOX,
        .prefetch = data[2] >> 1 & 1,
    };
    struct trench_icache *ic = NULL;

    FUZZ_CHECK(trench_icache_create(&conf, NULL, &ic) == 0);
    return ic;
}

static void replay(struct trench_soc *soc, const uint8_t *data,
                   struct icache_trace *t)
{
    static struct trench_icache_record records[MAX_RECORDS];
    struct trench_icache_image image = {
        .addr = 0x400000,
        .bytes = trench_bus_host(trench_soc_bus(soc), STREAM, IMAGE_BYTES),
        .size_bytes = IMAGE_BYTES,
    };
    struct trench_icache *ic = cache_of(soc, data);
    struct trench_icache_stats stats;
    size_t nr;

    while ((nr = icache_trace_read(t, records, MAX_RECORDS)) > 0) {
        FUZZ_CHECK(trench_icache_replay(ic, &image, records, nr) == 0);
    }
    trench_icache_stats(ic, &stats);
    FUZZ_CHECK(stats.records == t->counts.records);
    FUZZ_CHECK(stats.mismatches == 0 && stats.failed == 0);
    FUZZ_CHECK(t->counts.records + t->counts.skipped +
                   t->counts.not_understood ==
               t->counts.lines);
    trench_icache_destroy(ic);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct icache_trace trace;
    static struct trench_soc *soc;
    int fd;

    if (!soc && trench_soc_create(NULL, &soc) != 0) {
        abort();
    }
    if (size < 3) {
        return 0;
    }
    fd = memfd_create("trace", 0);
    FUZZ_CHECK(fd >= 0);
    FUZZ_CHECK(write(fd, data + 3, size - 3) == (ssize_t)(size - 3));
    FUZZ_CHECK(lseek(fd, 0, SEEK_SET) == 0);
    FUZZ_CHECK(icache_trace_open(&trace, fd));
    replay(soc, data, &trace);
    icache_trace_close(&trace);
    return 0;
}
