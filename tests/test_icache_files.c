/* SPDX-License-Identifier: BSD-3-Clause */
/* What trench icache reads: traces and program images. */
#include "check.h"

#include <elf.h>
#include <unistd.h>

#include "../src/cli/icache_image.h"
#include "../src/cli/icache_trace.h"

/* ---- trace lines --------------------------------------------------------- */

static void test_trace_lines(void **state)
{
    static const struct {
        const char *line;
        enum icache_trace_kind kind;
        uint64_t addr;
        uint32_t size;
    } rows[] = {
        { "I  04001090,3", ICACHE_TRACE_RECORD, 0x4001090, 3 },
        { "I  04001090,3\r", ICACHE_TRACE_RECORD, 0x4001090, 3 },
        { "I  ffffffffffffffff,15", ICACHE_TRACE_RECORD, UINT64_MAX, 15 },
        { " L 1ffe,8", ICACHE_TRACE_SKIPPED, 0, 0 },
        { " S 1ffe,8", ICACHE_TRACE_SKIPPED, 0, 0 },
        { " M 1ffe,8", ICACHE_TRACE_SKIPPED, 0, 0 },
        { "==12== Lackey", ICACHE_TRACE_SKIPPED, 0, 0 },
        { "--12-- warning", ICACHE_TRACE_SKIPPED, 0, 0 },
        { "", ICACHE_TRACE_SKIPPED, 0, 0 },
        { "   \t", ICACHE_TRACE_SKIPPED, 0, 0 },
        { "# a remark", ICACHE_TRACE_SKIPPED, 0, 0 },
        { "Trace 0: 0x7f8b1c000100 "
          "[0000000000000000/0000000000401040/0040c0b3/ff000200] main",
          ICACHE_TRACE_RECORD, 0x401040, 1 },
        { "Trace 0x7f8b1c000100 [0000000000401040] main", ICACHE_TRACE_RECORD,
          0x401040, 1 },
        { "Linking TBs 0x7f index 0 -> 0x7f", ICACHE_TRACE_SKIPPED, 0, 0 },
        { "IN: main", ICACHE_TRACE_SKIPPED, 0, 0 },
        { "----------------", ICACHE_TRACE_SKIPPED, 0, 0 },
        { "0x0000000000401000:  48 89 e7                 movq     %rsp, %rdi",
          ICACHE_TRACE_RECORD, 0x401000, 3 },
        { "0x00401000:  d503201f  nop", ICACHE_TRACE_RECORD, 0x401000, 4 },
        { "0x00401000:  push   %rbp", ICACHE_TRACE_RECORD, 0x401000, 1 },
        { "0x401000:", ICACHE_TRACE_RECORD, 0x401000, 1 },
        { "0x401000,4", ICACHE_TRACE_RECORD, 0x401000, 4 },
        { "401000", ICACHE_TRACE_RECORD, 0x401000, 1 },
        { "  DEADBEEF  ", ICACHE_TRACE_RECORD, 0xDEADBEEF, 1 },
        { "0", ICACHE_TRACE_RECORD, 0, 1 },
        /* cut, or not from any of these tools */
        { "I", ICACHE_TRACE_BAD, 0, 0 },
        { "I ", ICACHE_TRACE_BAD, 0, 0 },
        { "I  0400", ICACHE_TRACE_BAD, 0, 0 },
        { "I  0400,", ICACHE_TRACE_BAD, 0, 0 },
        { "I  0400,0", ICACHE_TRACE_BAD, 0, 0 },
        { "I  0400,3x", ICACHE_TRACE_BAD, 0, 0 },
        { "I  0400,-3", ICACHE_TRACE_BAD, 0, 0 },
        { "I  0400,65536", ICACHE_TRACE_RECORD, 0x400, 65536 },
        { "I  0400,65537", ICACHE_TRACE_BAD, 0, 0 },
        { "I  0400,99999999999999999999", ICACHE_TRACE_BAD, 0, 0 },
        { "I  00000000000000000,1", ICACHE_TRACE_BAD, 0, 0 },
        { "I  xyz,1", ICACHE_TRACE_BAD, 0, 0 },
        { "Trace", ICACHE_TRACE_BAD, 0, 0 },
        { "Trace 0: 0x7f", ICACHE_TRACE_BAD, 0, 0 },
        { "Trace 0: 0x7f [", ICACHE_TRACE_BAD, 0, 0 },
        { "Trace 0: 0x7f [00/", ICACHE_TRACE_BAD, 0, 0 },
        { "Trace 0: 0x7f [00/40", ICACHE_TRACE_BAD, 0, 0 },
        { "Trace 0: 0x7f [40", ICACHE_TRACE_BAD, 0, 0 },
        { "0x", ICACHE_TRACE_BAD, 0, 0 },
        { "401000 401004", ICACHE_TRACE_BAD, 0, 0 },
        { "401000,", ICACHE_TRACE_BAD, 0, 0 },
        { "hello", ICACHE_TRACE_BAD, 0, 0 },
        { "\x7f\x45LF", ICACHE_TRACE_BAD, 0, 0 },
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        size_t len = strlen(rows[i].line);
        char *exact = malloc(len + 1); /* a sanitizer sees the end */
        struct trench_icache_record rec = { 0 };
        enum icache_trace_kind kind;

        memcpy(exact, rows[i].line, len);
        exact = realloc(exact, len ? len : 1);
        kind = icache_trace_line(exact, len, &rec);
        CHECK_EQ(kind, rows[i].kind, "'%s'", rows[i].line);
        if (kind == ICACHE_TRACE_RECORD) {
            CHECK_EQ(rec.addr, rows[i].addr, "'%s'", rows[i].line);
            CHECK_EQ(rec.size_bytes, rows[i].size, "'%s'", rows[i].line);
        }
        free(exact);
    }
}

/* ---- trace files --------------------------------------------------------- */

static struct icache_trace *trace_of(const char *text, size_t len)
{
    struct icache_trace *t = malloc(sizeof(*t));
    FILE *file = tmpfile();

    assert_non_null(file);
    CHECK_EQ(fwrite(text, 1, len, file), len, "write");
    rewind(file);
    CHECK_EQ(icache_trace_open(t, dup(fileno(file))), true, "open");
    fclose(file);
    return t;
}

static uint64_t count_all(struct icache_trace *t, size_t max)
{
    struct trench_icache_record records[64];
    uint64_t sum = 0;
    size_t nr;

    while ((nr = icache_trace_read(t, records, max)) > 0) {
        sum += nr;
    }
    return sum;
}

/* Lines around the borders of the buffer, read in pieces of every size. */
static void test_trace_long_file(void **state)
{
    enum {
        LINES = 60000
    };
    size_t len = 0;
    char *text = malloc((size_t)LINES * 32);

    (void)state;
    for (unsigned i = 0; i < LINES; i++) {
        len += (size_t)sprintf(text + len, "%s%x,%u\n", i % 3 ? "I  " : "",
                               0x400000 + i, 1 + i % 15);
    }
    for (size_t max = 1; max <= 64; max *= 8) {
        struct icache_trace *t = trace_of(text, len);

        CHECK_EQ(count_all(t, max), LINES, "max %zu", max);
        CHECK_EQ(t->counts.lines, LINES, "max %zu", max);
        CHECK_EQ(t->counts.not_understood, 0, "max %zu", max);
        CHECK_EQ(t->counts.lowest, 0x400000, "max %zu", max);
        CHECK_EQ(t->counts.highest, 0x400000 + LINES - 1, "max %zu", max);
        CHECK_EQ(t->bytes, len, "max %zu", max);
        icache_trace_close(t);
        free(t);
    }
    free(text);
}

/* No newline for megabytes; then a good line. */
static void test_trace_endless_line(void **state)
{
    const size_t sizes[] = { ICACHE_TRACE_BUFFER - 1, ICACHE_TRACE_BUFFER,
                             ICACHE_TRACE_BUFFER + 1, 1000000 };

    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(sizes); i++) {
        char *text = malloc(sizes[i] + 16);
        struct icache_trace *t;

        memset(text, 'x', sizes[i]);
        memcpy(text + sizes[i], "\n400000\n40", 10);
        t = trace_of(text, sizes[i] + 10);
        CHECK_EQ(count_all(t, 64), 2, "%zu", sizes[i]);
        CHECK_EQ(t->counts.lines, 3, "%zu", sizes[i]);
        CHECK_EQ(t->counts.not_understood, 1, "%zu", sizes[i]);
        CHECK_EQ(t->counts.first_bad, 1, "%zu", sizes[i]);
        icache_trace_close(t);
        free(t);
        free(text);
    }
}

static void test_trace_empty_and_garbage(void **state)
{
    char garbage[8192];
    uint64_t seed = 3;
    struct icache_trace *t = trace_of("", 0);

    (void)state;
    CHECK_EQ(count_all(t, 64), 0, "empty");
    CHECK_EQ(t->counts.lines, 0, "empty");
    icache_trace_close(t);
    free(t);
    for (unsigned round = 0; round < 200; round++) {
        for (size_t i = 0; i < sizeof(garbage); i++) {
            seed = seed * 6364136223846793005u + 1442695040888963407u;
            garbage[i] = (char)(seed >> 40);
        }
        t = trace_of(garbage, sizeof(garbage));
        (void)count_all(t, 64);
        CHECK_EQ(t->counts.records + t->counts.skipped +
                     t->counts.not_understood,
                 t->counts.lines, "every line is one of them");
        icache_trace_close(t);
        free(t);
    }
}

/* ---- images -------------------------------------------------------------- */

#define NR_PHDRS 2

struct elf_file {
    Elf64_Ehdr ehdr;
    Elf64_Phdr phdr[NR_PHDRS];
    Elf64_Shdr shdr[3];
    char names[24];
    uint8_t code[256];
};

/* Two executable segments, 128 bytes each, at 0x1000 and 0x1100; .text. */
static void elf_init(struct elf_file *f)
{
    memset(f, 0, sizeof(*f));
    memcpy(f->ehdr.e_ident, ELFMAG, SELFMAG);
    f->ehdr.e_ident[EI_CLASS] = ELFCLASS64;
    f->ehdr.e_ident[EI_DATA] = ELFDATA2LSB;
    f->ehdr.e_ident[EI_VERSION] = EV_CURRENT;
    f->ehdr.e_type = ET_EXEC;
    f->ehdr.e_machine = EM_X86_64;
    f->ehdr.e_version = EV_CURRENT;
    f->ehdr.e_ehsize = sizeof(f->ehdr);
    f->ehdr.e_phoff = offsetof(struct elf_file, phdr);
    f->ehdr.e_phentsize = sizeof(f->phdr[0]);
    f->ehdr.e_phnum = NR_PHDRS;
    f->ehdr.e_shoff = offsetof(struct elf_file, shdr);
    f->ehdr.e_shentsize = sizeof(f->shdr[0]);
    f->ehdr.e_shnum = 3;
    f->ehdr.e_shstrndx = 2;
    for (unsigned i = 0; i < NR_PHDRS; i++) {
        f->phdr[i].p_type = PT_LOAD;
        f->phdr[i].p_flags = PF_R | PF_X;
        f->phdr[i].p_offset = offsetof(struct elf_file, code) + 128 * i;
        f->phdr[i].p_vaddr = 0x1000 + 0x100 * i;
        f->phdr[i].p_filesz = 128;
        f->phdr[i].p_memsz = 128;
    }
    memcpy(f->names, "\0.text\0.shstrtab\0", 17);
    f->shdr[1].sh_name = 1;
    f->shdr[1].sh_type = SHT_PROGBITS;
    f->shdr[1].sh_addr = 0x1010;
    f->shdr[1].sh_offset = offsetof(struct elf_file, code) + 16;
    f->shdr[1].sh_size = 64;
    f->shdr[2].sh_name = 7;
    f->shdr[2].sh_type = SHT_STRTAB;
    f->shdr[2].sh_offset = offsetof(struct elf_file, names);
    f->shdr[2].sh_size = sizeof(f->names);
    for (unsigned i = 0; i < sizeof(f->code); i++) {
        f->code[i] = (uint8_t)(i + 1);
    }
}

static int parse(const struct elf_file *f, const char *section,
                 struct icache_image *image)
{
    char why[ICACHE_IMAGE_WHY] = "";
    int ret =
        icache_image_parse((const uint8_t *)f, sizeof(*f), section, image, why);

    CHECK_EQ(ret != 0, why[0] != '\0', "a reason with every failure");
    return ret;
}

static void test_image_elf(void **state)
{
    static const uint8_t zeroes[128];
    struct icache_image image;
    struct elf_file f;

    (void)state;
    elf_init(&f);
    CHECK_EQ(parse(&f, NULL, &image), 0, "segments");
    CHECK_EQ(image.addr, 0x1000, "address");
    CHECK_EQ(image.size_bytes, 0x180, "size");
    CHECK_EQ(image.elf, true, "kind");
    CHECK_EQ(image.relocatable, false, "kind");
    CHECK_MEM(image.bytes, f.code, 128, "first");
    CHECK_MEM(image.bytes + 128, zeroes, 128, "between");
    CHECK_MEM(image.bytes + 256, f.code + 128, 128, "second");
    icache_image_free(&image);
    CHECK_EQ(parse(&f, ".text", &image), 0, "section");
    CHECK_EQ(image.addr, 0x1010, "address");
    CHECK_EQ(image.size_bytes, 64, "size");
    CHECK_MEM(image.bytes, f.code + 16, 64, "section");
    icache_image_free(&image);
    CHECK_EQ(parse(&f, ".data", &image), -1, "no such section");
    f.ehdr.e_type = ET_DYN;
    CHECK_EQ(parse(&f, NULL, &image), 0, "position-independent");
    CHECK_EQ(image.relocatable, true, "position-independent");
    icache_image_free(&image);
}

/* One field at a time, with values that headers should not have. */
static void test_image_hostile_fields(void **state)
{
    static const struct {
        size_t at;
        size_t size;
        bool section;
    } fields[] = {
#define FIELD(member, section)                                                 \
    { offsetof(struct elf_file, member),                                       \
      sizeof(((struct elf_file *)0)->member), section }
        FIELD(phdr[0].p_offset, false), FIELD(phdr[0].p_filesz, false),
        FIELD(phdr[0].p_vaddr, false),  FIELD(phdr[0].p_memsz, false),
        FIELD(ehdr.e_phoff, false),     FIELD(ehdr.e_phnum, false),
        FIELD(ehdr.e_phentsize, false), FIELD(ehdr.e_ident[4], false),
        FIELD(ehdr.e_ident[5], false),  FIELD(ehdr.e_ident[6], false),
        FIELD(ehdr.e_shoff, true),      FIELD(ehdr.e_shnum, true),
        FIELD(ehdr.e_shstrndx, true),   FIELD(ehdr.e_shentsize, true),
        FIELD(shdr[1].sh_name, true),   FIELD(shdr[1].sh_offset, true),
        FIELD(shdr[1].sh_size, true),   FIELD(shdr[1].sh_addr, true),
        FIELD(shdr[1].sh_type, true),   FIELD(shdr[1].sh_flags, true),
        FIELD(shdr[2].sh_offset, true), FIELD(shdr[2].sh_size, true),
    };
    static const uint64_t values[] = {
        0,
        1,
        2,
        3,
        8,
        0x7F,
        0xFF,
        0xFFFF,
        0xFFFFFFFF,
        0x100000000,
        0x7FFFFFFFFFFFFFFF,
        UINT64_MAX,
        UINT64_MAX - 127,
        UINT64_MAX - 128,
        0x800,
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(fields); i++) {
        for (size_t v = 0; v < ARRAY_LEN(values); v++) {
            struct icache_image image;
            struct elf_file f;

            elf_init(&f);
            memcpy((char *)&f + fields[i].at, &values[v], fields[i].size);
            if (parse(&f, fields[i].section ? ".text" : NULL, &image) == 0) {
                CHECK_EQ(image.size_bytes <= ICACHE_IMAGE_MAX, true,
                         "field %zu value %zu", i, v);
            }
            icache_image_free(&image);
        }
    }
}

/*
 * Segments over the same addresses: with thousands of headers over a large
 * range, copying them all would take hours.
 */
static void test_image_overlap(void **state)
{
    struct icache_image image;
    struct elf_file f;

    (void)state;
    elf_init(&f);
    f.phdr[1].p_vaddr = f.phdr[0].p_vaddr + 64;
    CHECK_EQ(parse(&f, NULL, &image), -1, "half");
    f.phdr[1].p_vaddr = f.phdr[0].p_vaddr;
    CHECK_EQ(parse(&f, NULL, &image), -1, "all");
    f.phdr[1].p_vaddr = f.phdr[0].p_vaddr + 128;
    CHECK_EQ(parse(&f, NULL, &image), 0, "neighbours");
    CHECK_EQ(image.size_bytes, 256, "neighbours");
    icache_image_free(&image);
}

/* The file cut at every byte. */
static void test_image_cut(void **state)
{
    struct elf_file f;

    (void)state;
    elf_init(&f);
    for (size_t len = 0; len < sizeof(f); len++) {
        char why[ICACHE_IMAGE_WHY];
        struct icache_image image;
        uint8_t *exact = malloc(len ? len : 1);

        memcpy(exact, &f, len);
        (void)icache_image_parse(exact, len, NULL, &image, why);
        icache_image_free(&image);
        (void)icache_image_parse(exact, len, ".text", &image, why);
        icache_image_free(&image);
        free(exact);
    }
}

static void test_image_raw(void **state)
{
    static const uint8_t bytes[] = { 1, 2, 3 };
    char why[ICACHE_IMAGE_WHY];
    struct icache_image image;

    (void)state;
    CHECK_EQ(icache_image_parse(bytes, 3, NULL, &image, why), 0, "raw");
    CHECK_EQ(image.size_bytes, 3, "size");
    CHECK_EQ(image.addr, 0, "address");
    CHECK_MEM(image.bytes, bytes, 3, "bytes");
    icache_image_free(&image);
    CHECK_EQ(icache_image_parse(bytes, 0, NULL, &image, why), -1, "empty");
    CHECK_EQ(icache_image_parse(bytes, 3, ".text", &image, why), -1,
             "no sections");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_trace_lines),
        cmocka_unit_test(test_trace_long_file),
        cmocka_unit_test(test_trace_endless_line),
        cmocka_unit_test(test_trace_empty_and_garbage),
        cmocka_unit_test(test_image_elf),
        cmocka_unit_test(test_image_hostile_fields),
        cmocka_unit_test(test_image_overlap),
        cmocka_unit_test(test_image_cut),
        cmocka_unit_test(test_image_raw),
    };

    return cmocka_run_group_tests_name("files", tests, NULL, NULL);
}
