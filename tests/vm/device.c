/* SPDX-License-Identifier: BSD-3-Clause */
#include "device.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#define SYSFS  "/sys/bus/pci/devices"
#define VENDOR 0x1D0Fu

#define REGS_BYTES (UINT64_C(1) << 30)
#define HUGE_BYTES (UINT64_C(2) << 20)
/* Pages to choose neighbours from. */
#define HUGE_PAGES 12u
#define NEED_PAGES (GUEST_BYTES / HUGE_BYTES)

/* host-driver 2.2, 2.5 */
#define MISC_RAM     0x30FA0000u
#define MISC_REQUEST (MISC_RAM + 0x1EC)
#define MISC_TRIGGER (MISC_RAM + 0x800)
#define MISC_STATUS  (MISC_RAM + 0x808)
#define SCRATCH      0x30647010u
#define BUSY         8u
#define RESET_POLLS  2000

static int open_file(const char *name, const char *file, int flags)
{
    char path[512];

    snprintf(path, sizeof(path), SYSFS "/%s/%s", name, file);
    return open(path, flags | O_CLOEXEC);
}

static bool complain(const char *name, const char *what)
{
    printf("# %s: %s: %s\n", name, what, strerror(errno));
    return false;
}

static bool read_config(int fd, unsigned at, void *to, size_t len)
{
    return pread(fd, to, len, at) == (ssize_t)len;
}

/* ---- finding ------------------------------------------------------------- */

static int compare(const void *a, const void *b)
{
    return strcmp(a, b);
}

unsigned device_list(char names[DEVICE_MAX][64])
{
    DIR *dir = opendir(SYSFS);
    struct dirent *entry;
    unsigned nr = 0;

    while (dir && nr < DEVICE_MAX && (entry = readdir(dir))) {
        uint16_t vendor = 0;
        int fd = open_file(entry->d_name, "config", O_RDONLY);

        if (fd >= 0 && read_config(fd, 0, &vendor, 2) && vendor == VENDOR) {
            snprintf(names[nr++], 64, "%.63s", entry->d_name);
        }
        if (fd >= 0) {
            close(fd);
        }
    }
    if (dir) {
        closedir(dir);
    }
    qsort(names, nr, 64, compare);
    return nr;
}

/* ---- memory for DMA ------------------------------------------------------ */

/* Physical address of a page that is there; 0 = not known. */
static uint64_t physical(const void *at)
{
    uint64_t entry = 0;
    int fd = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
    off_t offset = (off_t)((uintptr_t)at / 4096 * sizeof(entry));

    if (fd < 0) {
        return 0;
    }
    if (pread(fd, &entry, sizeof(entry), offset) != sizeof(entry) ||
        !(entry >> 63)) {
        entry = 0;
    }
    close(fd);
    return (entry & ((UINT64_C(1) << 55) - 1)) * 4096;
}

struct page {
    uint64_t addr;
    unsigned index; /* in the file */
};

static int compare_pages(const void *a, const void *b)
{
    const struct page *x = a;
    const struct page *y = b;

    return (x->addr > y->addr) - (x->addr < y->addr);
}

/* The first of enough neighbours, or -1. */
static int find_run(const struct page *pages)
{
    unsigned run = 1;

    for (unsigned i = 1; i < HUGE_PAGES; i++) {
        bool next = pages[i].addr == pages[i - 1].addr + HUGE_BYTES;

        run = next && pages[i - 1].addr ? run + 1 : 1;
        if (run == NEED_PAGES) {
            return (int)(i + 1 - run);
        }
    }
    return -1;
}

/* Pages of the file as one piece, in order of their addresses. */
static bool map_run(struct guest *g, const struct page *run)
{
    g->mem = mmap(NULL, GUEST_BYTES + HUGE_BYTES, PROT_NONE,
                  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (g->mem == MAP_FAILED) {
        return false;
    }
    g->mem += -(uintptr_t)g->mem % HUGE_BYTES;
    for (unsigned i = 0; i < NEED_PAGES; i++) {
        if (mmap(g->mem + i * HUGE_BYTES, HUGE_BYTES, PROT_READ | PROT_WRITE,
                 MAP_SHARED | MAP_FIXED, g->fd,
                 (off_t)(run[i].index * HUGE_BYTES)) == MAP_FAILED) {
            return false;
        }
    }
    g->addr = GUEST_TAG + run[0].addr;
    g->next = GUEST_RINGS;
    return true;
}

/* Contiguous memory that stays where it is. */
static bool open_memory(struct guest *g)
{
    struct page pages[HUGE_PAGES];
    uint8_t *all;
    int run;

    g->fd = memfd_create("dma", MFD_CLOEXEC | MFD_HUGETLB);
    if (g->fd < 0 || ftruncate(g->fd, HUGE_PAGES * HUGE_BYTES)) {
        return false;
    }
    all = mmap(NULL, HUGE_PAGES * HUGE_BYTES, PROT_READ | PROT_WRITE,
               MAP_SHARED | MAP_POPULATE, g->fd, 0);
    if (all == MAP_FAILED) {
        return false;
    }
    for (unsigned i = 0; i < HUGE_PAGES; i++) {
        all[i * HUGE_BYTES] = 0;
        pages[i] = (struct page){ physical(all + i * HUGE_BYTES), i };
    }
    munmap(all, HUGE_PAGES * HUGE_BYTES);
    qsort(pages, HUGE_PAGES, sizeof(*pages), compare_pages);
    run = find_run(pages);
    errno = ENOMEM;
    return run >= 0 && map_run(g, pages + run);
}

/* ---- registers ----------------------------------------------------------- */

uint32_t device_read(const struct device *d, uint64_t offset)
{
    return *(volatile uint32_t *)(d->regs + offset);
}

void device_write(const struct device *d, uint64_t offset, uint32_t val)
{
    *(volatile uint32_t *)(d->regs + offset) = val;
}

static int near_read(void *opaque, uint64_t offset, uint32_t *val)
{
    *val = device_read(opaque, offset);
    return 0;
}

static int near_write(void *opaque, uint64_t offset, uint32_t val)
{
    device_write(opaque, offset, val);
    return 0;
}

static volatile uint8_t *map_bar(const char *name, unsigned bar, size_t *bytes)
{
    char file[32];
    struct stat st;
    void *at = MAP_FAILED;
    int fd;

    snprintf(file, sizeof(file), "resource%u", bar);
    fd = open_file(name, file, O_RDWR | O_SYNC);
    if (fd >= 0 && fstat(fd, &st) == 0) {
        *bytes = (size_t)st.st_size;
        at = mmap(NULL, *bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    }
    if (fd >= 0) {
        close(fd);
    }
    return at == MAP_FAILED ? NULL : at;
}

bool device_master(struct device *d, bool on)
{
    uint16_t command = 0;

    if (!read_config(d->config, 4, &command, 2)) {
        return false;
    }
    command = (uint16_t)(on ? command | 4u : command & ~4u);
    return pwrite(d->config, &command, 2, 4) == 2;
}

static bool enable(const char *name)
{
    int fd = open_file(name, "enable", O_WRONLY);
    bool ok = fd >= 0 && write(fd, "1", 1) == 1;

    if (fd >= 0) {
        close(fd);
    }
    return ok;
}

bool device_open(const char *name, struct device *d)
{
    size_t bytes = 0;

    memset(d, 0, sizeof(*d));
    snprintf(d->name, sizeof(d->name), "%s", name);
    d->config = open_file(name, "config", O_RDWR);
    if (d->config < 0 || !read_config(d->config, 2, &d->id, 2) ||
        !read_config(d->config, 8, &d->revision, 1)) {
        return complain(name, "configuration space");
    }
    if (!enable(name) || !device_master(d, true)) {
        return complain(name, "enable");
    }
    d->regs = map_bar(name, d->revision == 255 ? 2 : 0, &bytes);
    d->hbm = map_bar(name, 4, &d->hbm_bytes);
    if (!d->regs || bytes != REGS_BYTES || !d->hbm) {
        return complain(name, "BARs");
    }
    if (!open_memory(&d->g)) {
        return complain(name, "memory");
    }
    d->g.read = near_read;
    d->g.write = near_write;
    d->g.opaque = d;
    return true;
}

void device_close(struct device *d)
{
    munmap((void *)(uintptr_t)d->regs, REGS_BYTES);
    munmap((void *)(uintptr_t)d->hbm, d->hbm_bytes);
    guest_close(&d->g);
    close(d->config);
}

bool device_reset(const struct device *d)
{
    int polls = 0;

    if (d->revision == 255) {
        device_write(d, SCRATCH, 1);
    }
    device_write(d, MISC_REQUEST, 1);
    device_write(d, MISC_TRIGGER, 1);
    while (device_read(d, MISC_REQUEST) != 0 && polls < RESET_POLLS) {
        polls++;
        usleep(1000);
    }
    while ((d->revision == 255 ? device_read(d, SCRATCH)
                               : device_read(d, MISC_STATUS) & BUSY) &&
           polls < RESET_POLLS) {
        polls++;
        usleep(1000);
    }
    return polls < RESET_POLLS;
}
