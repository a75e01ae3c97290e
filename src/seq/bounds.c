/* SPDX-License-Identifier: BSD-3-Clause */
/* PC bounds: the host's calls and the firmware's check. */
#include "seq/icache_priv.h"

#include "seq/log_lines.h"

static int write64(struct trench_icache *ic, uint32_t at, uint64_t val)
{
    val = htole64(val);
    return trench_bus_write(ic->conf.bus, TRENCH_BUS_SOFTWARE,
                            ic->addr.dram + at, &val, sizeof(val));
}

static int write_both(struct trench_icache *ic, uint64_t lower, uint64_t upper)
{
    int err = write64(ic, HOST_BOUNDS_LOWER, lower);

    return err ? err : write64(ic, HOST_BOUNDS_UPPER, upper);
}

int trench_icache_bounds_enable(struct trench_icache *ic, uint64_t lower,
                                uint64_t upper)
{
    return lower >= upper ? TRENCH_ERR_INVAL : write_both(ic, lower, upper);
}

int trench_icache_bounds_disable(struct trench_icache *ic)
{
    return write_both(ic, 0, UINT64_MAX);
}

int trench_icache_bounds_get(struct trench_icache *ic, uint64_t *lower,
                             uint64_t *upper)
{
    uint64_t words[2];
    int err = trench_bus_read(ic->conf.bus, TRENCH_BUS_SOFTWARE,
                              ic->addr.dram + HOST_BOUNDS_LOWER, words,
                              sizeof(words));

    if (!err) {
        *lower = le64toh(words[0]);
        *upper = le64toh(words[1]);
    }
    return err;
}

/* What the host wrote is what the firmware's own pair holds (H149). */
bool icache_bounds_check(struct trench_icache *ic, uint64_t pc,
                         struct icache_bounds *bounds)
{
    bounds->lower = get64(ic->dram, HOST_BOUNDS_LOWER);
    bounds->upper = get64(ic->dram, HOST_BOUNDS_UPPER);
    put64(ic->dram, BOUNDS_LOWER, bounds->lower);
    put64(ic->dram, BOUNDS_UPPER, bounds->upper);
    S_LOG(ic, S_BOUNDS, LLX(pc), LLX(bounds->lower), LLX(bounds->upper));
    if (pc < bounds->lower) {
        S_LOG(ic, S_BELOW, LLX(pc), LLX(bounds->lower));
        return false;
    }
    if (pc > bounds->upper) {
        S_LOG(ic, S_ABOVE, LLX(pc), LLX(bounds->upper));
        return false;
    }
    return true;
}

bool trench_icache_in_bounds(struct trench_icache *ic, uint64_t pc)
{
    struct icache_bounds bounds;

    return icache_bounds_check(ic, pc, &bounds);
}
