/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Addresses of events, semaphores and the doorbells of TOP_SPs (ncfw-steps 4.2
 * and 4.3), found in the map.
 */
#include "gen/gen_priv.h"

#include <string.h>

#include "base/bits.h"

/*
 * The n-th core or TOP_SP: firmware counts, on each die, the first ones of a
 * run of windows.
 */
static const struct trench_gen_window *owner_row(const struct trench_gen *gen,
                                                 const char *name, unsigned n,
                                                 uint64_t *base)
{
    for (size_t i = 0; i < gen->nr_windows; i++) {
        const struct trench_gen_window *row = &gen->windows[i];
        unsigned used = row->count;

        if (strcmp(row->name, name) != 0) {
            continue;
        }
        if (row->index == TRENCH_INDEX_TOP_SP) {
            used = gen->top_sps_per_die;
        }
        if (n < used) {
            *base = row->base + n * row->stride_bytes;
            return row;
        }
        n -= used;
    }
    return NULL;
}

int trench_gen_sync_addr(const struct trench_gen *gen,
                         enum trench_sync_owner owner, unsigned n,
                         enum trench_sync_part part, unsigned id, uint64_t *out)
{
    static const char *const names[] = {
        [TRENCH_SYNC_CORE] = "TPB_",
        [TRENCH_SYNC_TOP_SP] = "TOP_SP_",
    };
    const struct trench_gen_window *row;
    uint64_t base = 0;

    if ((unsigned)owner >= ARRAY_LEN(names) || id >= TRENCH_NR_SYNC ||
        (unsigned)part >= TRENCH_NR_SYNC_PARTS) {
        return TRENCH_ERR_INVAL;
    }
    row = owner_row(gen, names[owner], n, &base);
    for (size_t i = 0; row && i < row->nr_inside; i++) {
        if (row->inside[i].node == TRENCH_NODE_SYNC) {
            *out = base + row->inside[i].base + gen_evt_sem[part].base +
                   id * gen_evt_sem[part].stride_bytes;
            return 0;
        }
    }
    return TRENCH_ERR_NODEV;
}

int trench_gen_bell_addr(const struct trench_gen *gen, unsigned top_sp,
                         enum trench_bell bell, uint64_t *out)
{
    uint64_t base = 0;

    if ((unsigned)bell >= TRENCH_NR_BELLS) {
        return TRENCH_ERR_INVAL;
    }
    if (!owner_row(gen, "TOP_SP_", top_sp, &base)) {
        return TRENCH_ERR_NODEV;
    }
    if (gen->bells[bell] == 0) {
        return TRENCH_ERR_NOTSUP;
    }
    *out = base + gen->bells[bell];
    return 0;
}

const char *trench_bell_name(enum trench_bell bell)
{
    static const char *const names[TRENCH_NR_BELLS] = {
        [TRENCH_BELL_INIT] = "init",
        [TRENCH_BELL_TSYNC] = "tsync",
        [TRENCH_BELL_HOST_TRIGGER] = "host_trigger",
        [TRENCH_BELL_STOP] = "stop",
        [TRENCH_BELL_BBSWITCH] = "bbswitch",
    };

    return (unsigned)bell < TRENCH_NR_BELLS ? names[bell] : NULL;
}
