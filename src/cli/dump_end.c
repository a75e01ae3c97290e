/* SPDX-License-Identifier: BSD-3-Clause */
/* trench reg dump and annotate: counts, and what had no name. */
#include "dump.h"

#include <inttypes.h>
#include <stdlib.h>

/* What the list is about. */
struct totals {
    uint64_t accesses;
    uint64_t unknown; /* of those */
    size_t nr_known;  /* addresses */
    size_t nr_unknown;
};

static struct totals count(struct dump_entry *const *list, size_t nr)
{
    struct totals totals = { 0 };

    for (size_t i = 0; i < nr; i++) {
        uint64_t n = dump_entry_total(list[i]);

        totals.accesses += n;
        totals.unknown += list[i]->known ? 0 : n;
        totals.nr_known += list[i]->known;
        totals.nr_unknown += !list[i]->known;
    }
    return totals;
}

static struct dump_entry **sorted(struct dump_run *run, size_t *nr)
{
    struct dump_entry **list = dump_table_sorted(&run->table, nr);

    if (!list) {
        cli_error(run->ctx->prog, "out of memory");
    }
    return list;
}

static json_t *counts_json(const struct dump_entry *entry)
{
    json_t *object = json_object();

    dump_json_entry(object, entry);
    json_object_set_new(object, "reads",
                        json_integer((json_int_t)entry->count[DUMP_READ]));
    json_object_set_new(object, "writes",
                        json_integer((json_int_t)entry->count[DUMP_WRITE]));
    json_object_set_new(object, "values",
                        json_integer((json_int_t)entry->count[DUMP_VALUE]));
    return object;
}

/* The last line. */
static bool totals_json(struct dump_run *run, struct dump_entry *const *list,
                        size_t nr)
{
    struct totals totals = count(list, nr);
    json_t *unknown = json_array();

    for (size_t i = 0; i < nr; i++) {
        if (!list[i]->known) {
            json_array_append_new(unknown, counts_json(list[i]));
        }
    }
    return dump_print_json(
        run,
        json_pack("{s:I, s:I, s:I, s:o}", "accesses",
                  (json_int_t)totals.accesses, "decoded",
                  (json_int_t)(totals.accesses - totals.unknown), "registers",
                  (json_int_t)totals.nr_known, "unknown", unknown));
}

/* Comments, so that the output can be read again. */
static void print_unknown(struct dump_entry *const *list, size_t nr)
{
    struct totals totals = count(list, nr);

    if (totals.unknown == 0) {
        return;
    }
    printf("# %" PRIu64 " of %" PRIu64 " at %zu address%s without a known "
           "register:\n",
           totals.unknown, totals.accesses, totals.nr_unknown,
           totals.nr_unknown == 1 ? "" : "es");
    for (size_t i = 0; i < nr; i++) {
        if (!list[i]->known) {
            printf("# %10" PRIu64 "  0x%" PRIx64 "%s%s\n",
                   dump_entry_total(list[i]), list[i]->addr,
                   list[i]->name[0] ? "  in " : "", list[i]->name);
        }
    }
}

bool dump_print_unknown(struct dump_run *run)
{
    size_t nr;
    struct dump_entry **list = sorted(run, &nr);
    bool ok = list != NULL;

    if (ok && run->ctx->json) {
        ok = totals_json(run, list, nr);
    } else if (ok) {
        print_unknown(list, nr);
    }
    free(list);
    return ok;
}

static void print_summary(struct dump_entry *const *list, size_t nr)
{
    struct totals totals = count(list, nr);

    printf("%10s %10s %10s  %-18s register\n", "reads", "writes", "values",
           "address");
    for (size_t i = 0; i < nr; i++) {
        const struct dump_entry *e = list[i];

        if (e->known) {
            printf("%10" PRIu64 " %10" PRIu64 " %10" PRIu64 "  0x%-16" PRIx64
                   " %s\n",
                   e->count[DUMP_READ], e->count[DUMP_WRITE],
                   e->count[DUMP_VALUE], e->addr, e->name);
        }
    }
    printf("%" PRIu64 " of %" PRIu64 " decoded, %zu register%s\n",
           totals.accesses - totals.unknown, totals.accesses, totals.nr_known,
           totals.nr_known == 1 ? "" : "s");
    print_unknown(list, nr);
}

bool dump_print_summary(struct dump_run *run)
{
    size_t nr;
    struct dump_entry **list = sorted(run, &nr);
    bool ok = list != NULL;

    for (size_t i = 0; ok && run->ctx->json && i < nr; i++) {
        ok = !list[i]->known || dump_print_json(run, counts_json(list[i]));
    }
    if (ok && run->ctx->json) {
        ok = totals_json(run, list, nr);
    } else if (ok) {
        print_summary(list, nr);
    }
    free(list);
    return ok;
}
