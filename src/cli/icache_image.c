/* SPDX-License-Identifier: BSD-3-Clause */
#include "icache_image.h"

#include <errno.h>
#include <gelf.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* A file being taken apart. */
struct source {
    const uint8_t *file;
    uint64_t size_bytes;
    Elf *elf;
    char *why;
};

__attribute__((format(printf, 2, 3))) static int fail(const struct source *src,
                                                      const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    vsnprintf(src->why, ICACHE_IMAGE_WHY, fmt, ap);
    va_end(ap);
    return -1;
}

static int alloc_bytes(const struct source *src, uint64_t size,
                       struct icache_image *out)
{
    if (size == 0) {
        return fail(src, "it is empty");
    }
    if (size > ICACHE_IMAGE_MAX) {
        return fail(src, "%llu bytes of code are more than 2^32",
                    (unsigned long long)size);
    }
    out->bytes = calloc(1, size);
    if (!out->bytes) {
        return fail(src, "out of memory");
    }
    out->size_bytes = size;
    return 0;
}

static int parse_raw(const struct source *src, struct icache_image *out)
{
    if (alloc_bytes(src, src->size_bytes, out)) {
        return -1;
    }
    memcpy(out->bytes, src->file, src->size_bytes);
    return 0;
}

/* Whether a range lies in the file. */
static bool in_file(const struct source *src, uint64_t offset, uint64_t size)
{
    return offset <= src->size_bytes && size <= src->size_bytes - offset;
}

/* ---- by section ---------------------------------------------------------- */

static int copy_section(const struct source *src, const GElf_Shdr *shdr,
                        struct icache_image *out)
{
    if (shdr->sh_type == SHT_NOBITS) {
        return fail(src, "the section has no bytes in the file");
    }
    if (shdr->sh_flags & SHF_COMPRESSED) {
        return fail(src, "the section is compressed");
    }
    if (!in_file(src, shdr->sh_offset, shdr->sh_size)) {
        return fail(src, "the section reaches past the end of the file");
    }
    if (shdr->sh_size > UINT64_MAX - shdr->sh_addr) {
        return fail(src, "the section reaches past the last address");
    }
    if (alloc_bytes(src, shdr->sh_size, out)) {
        return -1;
    }
    memcpy(out->bytes, src->file + shdr->sh_offset, shdr->sh_size);
    out->addr = shdr->sh_addr;
    return 0;
}

static int parse_section(const struct source *src, const char *name,
                         struct icache_image *out)
{
    Elf_Scn *scn = NULL;
    size_t names;

    if (elf_getshdrstrndx(src->elf, &names) != 0) {
        return fail(src, "it has no section names");
    }
    while ((scn = elf_nextscn(src->elf, scn))) {
        GElf_Shdr shdr;
        const char *found;

        if (!gelf_getshdr(scn, &shdr)) {
            continue;
        }
        found = elf_strptr(src->elf, names, shdr.sh_name);
        if (found && strcmp(found, name) == 0) {
            return copy_section(src, &shdr, out);
        }
    }
    return fail(src, "it has no section '%.64s'", name);
}

/* ---- by program headers -------------------------------------------------- */

/* The next executable segment from *i on; 1, 0 at the end, or -1. */
static int next_code(const struct source *src, size_t *i, GElf_Phdr *phdr)
{
    size_t nr;

    if (elf_getphdrnum(src->elf, &nr) != 0) {
        return fail(src, "its program headers cannot be read");
    }
    for (; *i < nr; (*i)++) {
        if (!gelf_getphdr(src->elf, (int)*i, phdr)) {
            return fail(src, "its program headers cannot be read");
        }
        if (phdr->p_type != PT_LOAD || !(phdr->p_flags & PF_X) ||
            phdr->p_filesz == 0) {
            continue;
        }
        if (!in_file(src, phdr->p_offset, phdr->p_filesz)) {
            return fail(src, "a segment reaches past the end of the file");
        }
        if (phdr->p_filesz > UINT64_MAX - phdr->p_vaddr) {
            return fail(src, "a segment reaches past the last address");
        }
        (*i)++;
        return 1;
    }
    return 0;
}

static int parse_segments(const struct source *src, struct icache_image *out)
{
    uint64_t first = UINT64_MAX;
    uint64_t last = 0;
    uint64_t sum = 0;
    GElf_Phdr phdr;
    size_t i = 0;
    int ret;

    while ((ret = next_code(src, &i, &phdr)) > 0) {
        first = phdr.p_vaddr < first ? phdr.p_vaddr : first;
        if (phdr.p_vaddr + phdr.p_filesz - 1 > last) {
            last = phdr.p_vaddr + phdr.p_filesz - 1;
        }
        sum =
            phdr.p_filesz > UINT64_MAX - sum ? UINT64_MAX : sum + phdr.p_filesz;
    }
    if (ret < 0) {
        return -1;
    }
    if (first > last) {
        return fail(src, "it has no executable segment");
    }
    if (last - first >= ICACHE_IMAGE_MAX_SPAN &&
        last - first >= src->size_bytes) {
        return fail(src, "its segments lie too far apart (0x%llx to 0x%llx)",
                    (unsigned long long)first, (unsigned long long)last);
    }
    /* Thousands of headers over one large range would copy for hours. */
    if (sum - 1 > last - first) {
        return fail(src, "its segments overlap");
    }
    if (alloc_bytes(src, last - first + 1, out)) {
        return -1;
    }
    out->addr = first;
    for (i = 0; next_code(src, &i, &phdr) > 0;) {
        memcpy(out->bytes + (phdr.p_vaddr - first), src->file + phdr.p_offset,
               phdr.p_filesz);
    }
    return 0;
}

/* ---- the file ------------------------------------------------------------ */

static int parse_elf(struct source *src, const char *section,
                     struct icache_image *out)
{
    GElf_Ehdr ehdr;
    int ret;

    if (elf_version(EV_CURRENT) == EV_NONE) {
        return fail(src, "libelf is too old");
    }
    /* libelf only reads; its interface is not const. */
    src->elf = elf_memory((char *)(uintptr_t)src->file, src->size_bytes);
    if (!src->elf || elf_kind(src->elf) != ELF_K_ELF ||
        !gelf_getehdr(src->elf, &ehdr)) {
        ret = fail(src, "its ELF header is damaged");
    } else {
        out->elf = true;
        out->relocatable = ehdr.e_type == ET_DYN;
        ret = section ? parse_section(src, section, out)
                      : parse_segments(src, out);
    }
    elf_end(src->elf);
    return ret;
}

int icache_image_parse(const uint8_t *file, uint64_t size, const char *section,
                       struct icache_image *out, char why[ICACHE_IMAGE_WHY])
{
    struct source src = { .file = file, .size_bytes = size, .why = why };
    int ret;

    memset(out, 0, sizeof(*out));
    if (size >= SELFMAG && memcmp(file, ELFMAG, SELFMAG) == 0) {
        ret = parse_elf(&src, section, out);
    } else if (section) {
        ret = fail(&src, "it is not an ELF file and has no sections");
    } else {
        ret = parse_raw(&src, out);
    }
    if (ret) {
        icache_image_free(out);
    }
    return ret;
}

int icache_image_read(int fd, const char *section, struct icache_image *out,
                      char why[ICACHE_IMAGE_WHY])
{
    struct source src = { .why = why };
    struct stat st;
    void *file;
    int ret;

    memset(out, 0, sizeof(*out));
    if (fstat(fd, &st) != 0) {
        return fail(&src, "%s", strerror(errno));
    }
    if (!S_ISREG(st.st_mode)) {
        return fail(&src, "it is not a regular file");
    }
    if (st.st_size == 0) {
        return fail(&src, "it is empty");
    }
    file = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
    if (file == MAP_FAILED) {
        return fail(&src, "%s", strerror(errno));
    }
    ret = icache_image_parse(file, (uint64_t)st.st_size, section, out, why);
    munmap(file, (size_t)st.st_size);
    return ret;
}

void icache_image_free(struct icache_image *image)
{
    free(image->bytes);
    memset(image, 0, sizeof(*image));
}
