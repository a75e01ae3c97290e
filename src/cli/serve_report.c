/* SPDX-License-Identifier: BSD-3-Clause */
/* What happened while a device was served. */
#include "serve.h"

#include <inttypes.h>
#include <stdlib.h>

struct unknown {
    struct trench_pci_unknown u;
    char name[160];
};

static int compare(const void *a, const void *b)
{
    const struct unknown *x = a;
    const struct unknown *y = b;

    if (x->u.bar != y->u.bar) {
        return x->u.bar < y->u.bar ? -1 : 1;
    }
    return (x->u.offset > y->u.offset) - (x->u.offset < y->u.offset);
}

/* By place. NULL: out of memory. */
static struct unknown *list_unknown(const struct trench_pci *pci, size_t *nr)
{
    struct unknown *list = calloc(TRENCH_PCI_MAX_UNKNOWN, sizeof(*list));
    size_t n = 0;

    while (list && n < TRENCH_PCI_MAX_UNKNOWN &&
           !trench_pci_unknown(pci, n, &list[n].u)) {
        trench_pci_name(pci, list[n].u.bar, list[n].u.offset, list[n].name,
                        sizeof(list[n].name));
        n++;
    }
    if (n > 0) {
        qsort(list, n, sizeof(*list), compare);
    }
    *nr = n;
    return list;
}

static void print_unknown(const struct unknown *list, size_t nr, uint64_t lost)
{
    if (nr == 0) {
        printf("the guest touched no register that the model lacks\n");
        return;
    }
    printf("registers that the guest touched and the model lacks:\n\n"
           "%3s %10s %9s %9s %10s  %s\n",
           "BAR", "offset", "reads", "writes", "last", "name");
    for (size_t i = 0; i < nr; i++) {
        const struct trench_pci_unknown *u = &list[i].u;

        printf("%3u %10" PRIx64 " %9" PRIu64 " %9" PRIu64 " %10" PRIx32
               "  %s\n",
               u->bar, u->offset, u->reads, u->writes, u->last, list[i].name);
    }
    if (lost > 0) {
        printf("and %" PRIu64 " accesses to others\n", lost);
    }
}

static json_t *unknown_json(const struct unknown *list, size_t nr)
{
    json_t *array = json_array();

    for (size_t i = 0; i < nr; i++) {
        const struct trench_pci_unknown *u = &list[i].u;
        json_t *row =
            json_pack("{s:i, s:o, s:s, s:I, s:I, s:I}", "bar", u->bar, "offset",
                      cli_json_hex(u->offset), "name", list[i].name, "reads",
                      (json_int_t)u->reads, "writes", (json_int_t)u->writes,
                      "last", (json_int_t)u->last);

        if (row && u->mapped) {
            json_object_set_new(row, "address", cli_json_hex(u->addr));
        }
        json_array_append_new(array, row);
    }
    return array;
}

static json_t *messages_json(const struct trench_serve_stats *stats)
{
    json_t *object = json_object();

    for (unsigned c = 0; c < TRENCH_SERVE_NR_COMMANDS; c++) {
        json_object_set_new(object, trench_serve_command_name(c),
                            json_integer((json_int_t)stats->messages[c]));
    }
    return object;
}

static json_t *report_json(struct trench_serve *serve,
                           const struct unknown *list, size_t nr)
{
    struct trench_serve_stats s;
    struct trench_pci_stats p;

    trench_serve_stats(serve, &s);
    trench_pci_stats(trench_serve_pci(serve), &p);
#define N(n) ((json_int_t)(n))
    return json_pack(
        "{s:o, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, "
        "s:I, s:I, s:I, s:o}",
        "messages", messages_json(&s), "wrong_messages", N(s.bad),
        "descriptors", N(s.fds), "interrupts", N(s.interrupts), "reads",
        N(p.reads), "writes", N(p.writes), "refused", N(p.refused),
        "unknown_accesses", N(p.unknown), "unknown_lost", N(p.unknown_lost),
        "device_resets", N(p.device_resets), "core_resets", N(p.core_resets),
        "bad_resets", N(p.bad_resets), "mailbox", N(p.mailbox),
        "mailbox_unanswered", N(p.mailbox_bad), "metrics", N(p.metrics),
        "stuck_polls", N(p.stuck_polls), "unknown", unknown_json(list, nr));
#undef N
}

int serve_report(const char *prog, const struct serve_opts *opts,
                 struct trench_serve *serve)
{
    struct trench_pci_stats stats;
    struct unknown *list;
    size_t nr;
    int rc = CLI_OK;

    if (!opts->json && !opts->unknown_report) {
        return CLI_OK;
    }
    trench_pci_stats(trench_serve_pci(serve), &stats);
    list = list_unknown(trench_serve_pci(serve), &nr);
    if (!list) {
        cli_error(prog, "out of memory");
        return CLI_FAILED;
    }
    if (opts->json) {
        rc = cli_json_print(prog, stdout, report_json(serve, list, nr));
    } else {
        print_unknown(list, nr, stats.unknown_lost);
    }
    free(list);
    return rc;
}
