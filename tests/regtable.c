/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Prints, as Markdown, what the model does with each register of the common
 * blocks: the table that docs/hardware.md must hold.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <trench/gen.h>

#include "base/bits.h"
#include "dev/blocks.h"

#define NAME_SIZE 96
#define MAX_ROWS  512

/* A register, or an opaque bundle, and where it has which status. */
struct row {
    char name[NAME_SIZE];
    char gens[3][NAME_SIZE]; /* by enum reg_status */
};

struct table {
    struct row rows[MAX_ROWS];
    size_t nr;
};

static struct row *row_of(struct table *t, const char *name)
{
    for (size_t i = 0; i < t->nr; i++) {
        if (!strcmp(t->rows[i].name, name)) {
            return &t->rows[i];
        }
    }
    if (t->nr == MAX_ROWS) {
        fprintf(stderr, "regtable: too many registers\n");
        exit(1);
    }
    snprintf(t->rows[t->nr].name, NAME_SIZE, "%s", name);
    return &t->rows[t->nr++];
}

static void mark(struct table *t, const char *name, enum reg_status status,
                 const char *gen)
{
    char *gens = row_of(t, name)->gens[status];
    size_t used = strlen(gens);

    snprintf(gens + used, NAME_SIZE - used, "%s%s", used ? ", " : "", gen);
}

static void add_bundle(struct table *t, enum trench_block_id id,
                       const struct trench_csr_block *block, unsigned b,
                       const char *gen)
{
    const struct trench_csr_bundle *bundle = &block->bundles[b];
    char count[16] = "";
    char name[NAME_SIZE];

    if (bundle->opaque) {
        mark(t, bundle->name, REG_UNKNOWN, gen);
    }
    if (bundle->count > 1) {
        snprintf(count, sizeof(count), "[%u]", (unsigned)bundle->count);
    }
    for (unsigned r = 0; r < bundle->nr_regs; r++) {
        unsigned reg = bundle->first_reg + r;

        snprintf(name, sizeof(name), "%s%s.%s", bundle->name, count,
                 block->regs[reg].name);
        mark(t, name, block_reg_status(id, block, reg), gen);
    }
}

static void print_block(enum trench_block_id id)
{
    static const char *const words[] = { "modelled", "storage only",
                                         "unknown" };
    static struct table t;
    char all[NAME_SIZE] = "";

    memset(&t, 0, sizeof(t));
    for (size_t g = 0; trench_gen_at(g); g++) {
        const char *gen = trench_gen_at(g)->name;
        const struct trench_csr_block *block = trench_csr_builtin(gen, id);
        size_t used = strlen(all);

        snprintf(all + used, sizeof(all) - used, "%s%s", used ? ", " : "", gen);
        for (unsigned b = 0; b < block->nr_bundles; b++) {
            add_bundle(&t, id, block, b, gen);
        }
    }
    printf("| %s | status | generations |\n|---|---|---|\n",
           trench_csr_block_name(id));
    for (size_t i = 0; i < t.nr; i++) {
        for (size_t s = 0; s < ARRAY_LEN(words); s++) {
            const char *gens = t.rows[i].gens[s];

            if (*gens) {
                printf("| `%s` | %s | %s |\n", t.rows[i].name, words[s],
                       strcmp(gens, all) ? gens : "all");
            }
        }
    }
    printf("\n");
}

int main(void)
{
    print_block(TRENCH_BLOCK_UDMA_GEN);
    print_block(TRENCH_BLOCK_UDMA_GEN_EX);
    print_block(TRENCH_BLOCK_TDMA_MODEL);
    return 0;
}
