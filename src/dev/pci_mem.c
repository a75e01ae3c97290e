/* SPDX-License-Identifier: BSD-3-Clause */
/* Guest memory on the chip's bus. */
#include <errno.h>
#include <inttypes.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "dev/pci_priv.h"
#include "dev/soc_parts.h"

/* ---- on the bus ---------------------------------------------------------- */

static int add(struct trench_pci *pci, uint64_t window,
               const struct pci_map *map)
{
    const struct trench_bus_mem mem = {
        .name = pci->host->name,
        .base = window + map->addr,
        .size_bytes = map->size_bytes,
        .host = map->host,
    };

    return trench_bus_add_memory(pci->bus, &mem);
}

static void detach(struct trench_pci *pci, const struct pci_memory *memory)
{
    for (size_t i = 0; i < memory->nr; i++) {
        trench_bus_remove(pci->bus, pci->host->base + memory->maps[i].addr);
        if (pci->host->alias) {
            trench_bus_remove(pci->bus,
                              pci->host->alias + memory->maps[i].addr);
        }
    }
}

/* All of it, or nothing. */
static int attach(struct trench_pci *pci, const struct pci_memory *memory)
{
    int err = 0;

    for (size_t i = 0; i < memory->nr && !err; i++) {
        err = add(pci, pci->host->base, &memory->maps[i]);
        if (!err && pci->host->alias) {
            err = add(pci, pci->host->alias, &memory->maps[i]);
        }
    }
    if (err) {
        detach(pci, memory); /* what is not there cannot be removed */
    }
    return err;
}

void pci_memory_follow(struct trench_pci *pci)
{
    bool master = pci_command(pci) & PCI_CMD_MASTER;

    if (master == pci->attached) {
        return;
    }
    if (!master) {
        detach(pci, &pci->memory);
        pci->attached = false;
    } else if (!attach(pci, &pci->memory)) {
        pci->attached = true;
    } else {
        log_line(&pci->log, TRENCH_LOG_ERROR,
                 "pci: no room for guest memory on the bus");
    }
}

/* ---- mappings ------------------------------------------------------------ */

static void unmap(const struct pci_memory *memory)
{
    for (size_t i = 0; i < memory->nr; i++) {
        munmap(memory->maps[i].host, memory->maps[i].size_bytes);
    }
}

void pci_memory_fini(struct trench_pci *pci)
{
    unmap(&pci->memory);
    pci->memory.nr = 0;
}

/* Behind the end of a file there is nothing to map. */
static int check_file(const struct trench_pci_map *m)
{
    struct stat st;

    if (fstat(m->fd, &st)) {
        return -errno;
    }
    if (!S_ISREG(st.st_mode)) {
        return 0; /* its driver says what there is */
    }
    return m->size_bytes > (uint64_t)st.st_size ||
                   m->offset > (uint64_t)st.st_size - m->size_bytes
               ? TRENCH_ERR_INVAL
               : 0;
}

static int check_map(const struct trench_pci *pci,
                     const struct trench_pci_map *m)
{
    uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);

    if (m->size_bytes == 0 || m->offset % page != 0 || m->offset > INT64_MAX ||
        m->size_bytes > pci->host->size_bytes ||
        m->addr > pci->host->size_bytes - m->size_bytes) {
        return TRENCH_ERR_INVAL;
    }
    return check_file(m);
}

static bool overlap(const struct trench_pci_map *a,
                    const struct trench_pci_map *b)
{
    return a->addr < b->addr + b->size_bytes &&
           b->addr < a->addr + a->size_bytes;
}

static int check_maps(const struct trench_pci *pci,
                      const struct trench_pci_map *maps, size_t nr)
{
    if (nr > TRENCH_PCI_MAX_MAPS) {
        return TRENCH_ERR_INVAL;
    }
    for (size_t i = 0; i < nr; i++) {
        int err = check_map(pci, &maps[i]);

        if (err) {
            return err;
        }
        for (size_t k = 0; k < i; k++) {
            if (overlap(&maps[i], &maps[k])) {
                return TRENCH_ERR_EXIST;
            }
        }
    }
    return 0;
}

/* Returns 0, or an error with nothing mapped. */
static int map_all(const struct trench_pci_map *maps, size_t nr,
                   struct pci_memory *out)
{
    out->nr = 0;
    for (size_t i = 0; i < nr; i++) {
        void *host = mmap(NULL, maps[i].size_bytes, PROT_READ | PROT_WRITE,
                          MAP_SHARED, maps[i].fd, (off_t)maps[i].offset);

        if (host == MAP_FAILED) {
            int err = -errno;

            unmap(out);
            return err;
        }
        out->maps[out->nr++] = (struct pci_map){
            .addr = maps[i].addr,
            .size_bytes = maps[i].size_bytes,
            .host = host,
        };
    }
    return 0;
}

/* The bus has as much room as before, so the old pieces fit again. */
static int exchange(struct trench_pci *pci, const struct pci_memory *next)
{
    int err;

    if (!pci->attached) {
        return 0;
    }
    detach(pci, &pci->memory);
    err = attach(pci, next);
    if (err) {
        pci->attached = !attach(pci, &pci->memory);
    }
    return err;
}

int trench_pci_set_memory(struct trench_pci *pci,
                          const struct trench_pci_map *maps, size_t nr)
{
    struct pci_memory next;
    int err;

    if (soc_running(pci->soc)) {
        return TRENCH_ERR_BUSY;
    }
    err = check_maps(pci, maps, nr);
    if (!err) {
        err = map_all(maps, nr, &next);
    }
    if (err) {
        return err;
    }
    err = exchange(pci, &next);
    if (err) {
        unmap(&next);
        return err;
    }
    unmap(&pci->memory);
    pci->memory = next;
    pci->stats.memory_tables++;
    return 0;
}
