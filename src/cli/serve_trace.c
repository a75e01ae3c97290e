/* SPDX-License-Identifier: BSD-3-Clause */
/* A log of accesses, in the form that trench reg annotate reads and writes. */
#include "serve.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "dump.h"

/* Names that are remembered: a guest may touch every word there is. */
#define MAX_NAMES 100000u

struct serve_trace {
    const char *prog;
    const char *path;
    FILE *to;
    struct dump_table table;
    struct dump_text text;
    bool failed;
};

struct serve_trace *serve_trace_open(const char *prog, const char *path,
                                     const struct trench_gen *gen)
{
    struct serve_trace *t = calloc(1, sizeof(*t));
    bool is_stderr = strcmp(path, "-") == 0;

    if (!t) {
        cli_error(prog, "out of memory");
        return NULL;
    }
    t->prog = prog;
    t->path = path;
    t->table.gen = gen;
    t->table.set = trench_csr_lib_set(trench_csr_lib_builtin(), gen->name);
    t->table.bar = true;
    t->to = is_stderr ? stderr : fopen(path, "we");
    if (!t->to) {
        cli_error(prog, "%s: %s", path, strerror(errno));
        free(t);
        return NULL;
    }
    /* What a guest that hangs did last is to be seen. */
    setvbuf(t->to, NULL, _IOLBF, BUFSIZ);
    fprintf(t->to,
            "# Accesses to the registers of a %s device: W or R, offset in "
            "the register BAR, bytes, value.\n",
            gen->name);
    return t;
}

static void forget_names(struct serve_trace *t)
{
    dump_table_free(&t->table);
    t->table.slots = NULL;
    t->table.nr_slots = 0;
    t->table.nr = 0;
}

static void put_number(struct dump_text *text, uint32_t n)
{
    char digits[16];

    snprintf(digits, sizeof(digits), " %" PRIu32 " ", n);
    dump_puts(text, digits);
}

/* The words of an access, each with its name and fields. */
static void put_meaning(struct serve_trace *t,
                        const struct trench_pci_access *a)
{
    for (uint32_t at = 0; at < a->size_bytes; at += 4) {
        uint64_t offset = (a->offset & ~UINT64_C(3)) + at;
        struct dump_entry *entry = dump_table_at(&t->table, offset);
        unsigned shift = a->offset % 4 * 8;
        uint64_t bits = a->size_bytes < 4
                            ? (UINT64_C(1) << 8 * a->size_bytes) - 1
                            : UINT32_MAX;

        if (entry) {
            const struct dump_word word = {
                .entry = entry,
                .val = (uint32_t)((a->val >> 8 * at) << shift),
                .mask = (uint32_t)(bits << shift),
            };

            dump_puts(&t->text, at == 0 ? "  # " : ", ");
            dump_put_word(&t->text, &word, false);
        }
    }
}

void serve_trace_access(void *opaque, const struct trench_pci_access *a)
{
    struct serve_trace *t = opaque;
    bool registers = a->bar != t->table.gen->pci->memory_bar;

    if (t->table.nr > MAX_NAMES) {
        forget_names(t);
    }
    t->text.len = 0;
    if (!registers) {
        dump_puts(&t->text, "# device memory: ");
    }
    dump_puts(&t->text, a->write ? "W " : "R ");
    dump_put_hex(&t->text, a->offset, 1);
    put_number(&t->text, a->size_bytes);
    dump_put_hex(&t->text, a->val, 1);
    if (registers) {
        put_meaning(t, a);
    }
    dump_put(&t->text, "\n", 1);
    t->failed |= t->text.failed ||
                 fwrite(t->text.s, 1, t->text.len, t->to) != t->text.len;
}

bool serve_trace_close(struct serve_trace *t)
{
    bool ok = true;

    if (!t) {
        return true;
    }
    if (t->to == stderr ? fflush(t->to) : fclose(t->to)) {
        ok = false;
    }
    if (!ok || t->failed) {
        cli_error(t->prog, "%s: the trace is not complete", t->path);
        ok = false;
    }
    dump_table_free(&t->table);
    free(t->text.s);
    free(t);
    return ok;
}
