/* SPDX-License-Identifier: BSD-3-Clause */
/* What the guest does that the model, or its author, should know of. */
#include <inttypes.h>
#include <stdio.h>

#include "dev/pci_priv.h"

#define DEFAULT_POLL_LIMIT 10000u

/* ---- words that the model lacks ------------------------------------------ */

static size_t slot_of(unsigned bar, uint64_t offset)
{
    uint64_t key = offset / 4 * TRENCH_PCI_NR_BARS + bar;

    return (key * UINT64_C(0x9E3779B97F4A7C15)) >> 32 & (SEEN_SLOTS - 1);
}

/* The entry of a word, made when there is none; NULL: the table is full. */
static struct trench_pci_unknown *entry_at(struct trench_pci *pci, unsigned bar,
                                           uint64_t offset)
{
    struct pci_seen *seen = &pci->seen;
    struct trench_pci_unknown *u;
    size_t s = slot_of(bar, offset);

    pci->stats.unknown++;
    for (; seen->slots[s]; s = (s + 1) & (SEEN_SLOTS - 1)) {
        u = &seen->list[seen->slots[s] - 1];
        if (u->bar == bar && u->offset == offset) {
            return u;
        }
    }
    if (seen->nr == TRENCH_PCI_MAX_UNKNOWN) {
        pci->stats.unknown_lost++;
        return NULL;
    }
    u = &seen->list[seen->nr++];
    seen->slots[s] = (uint16_t)seen->nr;
    *u = (struct trench_pci_unknown){ .bar = (uint8_t)bar, .offset = offset };
    u->mapped = pci_target(pci, bar, offset, &u->addr);
    return u;
}

uint32_t pci_seen_read(struct trench_pci *pci, unsigned bar, uint64_t offset)
{
    struct trench_pci_unknown *u = entry_at(pci, bar, offset);

    if (!u) {
        return 0;
    }
    u->reads++;
    return u->last;
}

void pci_seen_write(struct trench_pci *pci, unsigned bar, uint64_t offset,
                    uint32_t val)
{
    struct trench_pci_unknown *u = entry_at(pci, bar, offset);

    if (u) {
        u->writes++;
        u->last = val;
    }
}

int trench_pci_unknown(const struct trench_pci *pci, size_t n,
                       struct trench_pci_unknown *out)
{
    if (n >= pci->seen.nr) {
        return TRENCH_ERR_NOENT;
    }
    *out = pci->seen.list[n];
    return 0;
}

/* ---- polling ------------------------------------------------------------- */

static uint64_t poll_limit(const struct trench_pci *pci)
{
    uint32_t limit = pci->conf.poll_limit;

    return limit == UINT32_MAX ? UINT64_MAX
                               : (limit ? limit : DEFAULT_POLL_LIMIT);
}

static void tell(struct trench_pci *pci, unsigned bar)
{
    char name[160];

    trench_pci_name(pci, bar, pci->poll.offset, name, sizeof(name));
    log_line(&pci->log, TRENCH_LOG_GUEST,
             "pci: %" PRIu64 " reads in a row of %s, always 0x%" PRIx64,
             pci->poll.nr, name, pci->poll.val);
    pci->stats.stuck_polls++;
    pci->stats.stuck_offset = pci->poll.offset;
}

/* Told of at the limit, and each time that there are ten times as many. */
void pci_poll_read(struct trench_pci *pci, unsigned bar, uint64_t offset,
                   uint64_t val)
{
    struct pci_poll *poll = &pci->poll;

    if (poll->nr == 0 || poll->offset != offset || poll->val != val) {
        *poll = (struct pci_poll){ offset, val, 1, poll_limit(pci) };
    } else {
        poll->nr++;
    }
    if (poll->nr == poll->next) {
        tell(pci, bar);
        poll->next =
            poll->next > UINT64_MAX / 10 ? UINT64_MAX : poll->next * 10;
    }
}

void pci_poll_write(struct trench_pci *pci)
{
    pci->poll.nr = 0;
}

/* ---- names --------------------------------------------------------------- */

/* "APB+0x123" for a gap, else the name of the register or window. */
static int name_addr(const struct trench_gen *gen, uint64_t addr, char *buf,
                     size_t size)
{
    const struct trench_map_node *holder;
    struct trench_map_info info;
    char name[160];
    unsigned depth;

    trench_map_at(gen, addr, &info);
    depth = info.depth;
    if (trench_map_leaf(&info)->kind == TRENCH_MAP_GAP) {
        depth--;
    }
    holder = &info.path[depth - 1];
    trench_map_name(info.path, depth, name, sizeof(name));
    if (info.local == holder->first && name[0]) {
        return snprintf(buf, size, "%s", name);
    }
    return snprintf(buf, size, "%s+0x%" PRIx64, name,
                    info.local - holder->first);
}

int trench_pci_name(const struct trench_pci *pci, unsigned bar, uint64_t offset,
                    char *buf, size_t size)
{
    uint64_t addr;

    if (!pci_target(pci, bar, offset, &addr)) {
        return snprintf(buf, size, "BAR%u+0x%" PRIx64, bar, offset);
    }
    return name_addr(pci->gen, addr, buf, size);
}
