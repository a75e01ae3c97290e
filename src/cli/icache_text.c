/* SPDX-License-Identifier: BSD-3-Clause */
/* What trench icache prints: tables and JSON. */
#include "icache.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const char *const state_names[] = { "invalid", "in flight", "valid" };

double icache_miss_rate(const struct trench_icache_stats *stats)
{
    return stats->lookups > 0 ? (double)stats->misses / (double)stats->lookups
                              : 0.0;
}

static double percent(uint64_t part, uint64_t whole)
{
    return whole > 0 ? 100.0 * (double)part / (double)whole : 0.0;
}

/* ---- the most filled blocks ---------------------------------------------- */

struct row {
    size_t block;
    uint64_t fills;
};

static int row_cmp(const void *a, const void *b)
{
    const struct row *x = a;
    const struct row *y = b;

    if (x->fills != y->fills) {
        return x->fills < y->fills ? 1 : -1;
    }
    return (x->block > y->block) - (x->block < y->block);
}

/* All blocks, the most filled first; *nr is cut to what is wanted. */
static struct row *sort_blocks(const struct icache_run *run, size_t *nr)
{
    const struct icache_point *point = &run->points[0];
    struct row *rows = calloc(point->nr_fills, sizeof(*rows));

    *nr = 0;
    if (!rows) {
        return NULL;
    }
    for (size_t i = 0; i < point->nr_fills; i++) {
        if (point->fills[i] > 0) {
            rows[(*nr)++] = (struct row){ i, point->fills[i] };
        }
    }
    qsort(rows, *nr, sizeof(*rows), row_cmp);
    if (*nr > run->opts->histogram) {
        *nr = run->opts->histogram;
    }
    return rows;
}

static uint64_t block_addr(const struct icache_run *run, size_t block)
{
    return run->mapped.addr + (uint64_t)block * run->points[0].block;
}

static void print_histogram(const struct icache_run *run)
{
    size_t nr;
    struct row *rows = sort_blocks(run, &nr);

    printf("\n%-18s %12s\n", "block", "fills");
    for (size_t i = 0; i < nr; i++) {
        int bar = (int)(40 * rows[i].fills / rows[0].fills);

        printf("0x%-16" PRIx64 " %12" PRIu64 " %.*s\n",
               block_addr(run, rows[i].block), rows[i].fills, bar > 0 ? bar : 1,
               "########################################");
    }
    free(rows);
}

/* ---- text ---------------------------------------------------------------- */

static void print_head(const struct icache_run *run)
{
    const struct icache_opts *o = run->opts;
    const struct icache_trace_counts *c = &run->trace->counts;
    char engine[8] = "";

    for (size_t i = 0; i + 1 < sizeof(engine); i++) {
        engine[i] = (char)toupper(o->common.gen->seqs[o->seq].name[i]);
        if (engine[i] == '\0') {
            break;
        }
    }
    printf("%-10s %s, %" PRIu64 " bytes at 0x%" PRIx64 "\n", "image", o->image,
           run->mapped.size_bytes, run->mapped.addr);
    printf("%-10s %s of NeuronCore %u, %s; fills by %s\n", "sequencer", engine,
           o->core, o->common.gen->name, icache_backend_names[o->backend]);
    printf("%-10s %" PRIu64 " records, %" PRIu64 " outside the image\n",
           "trace", c->records, run->points[0].stats.out_of_bounds);
}

static void print_point(const struct icache_run *run)
{
    const struct icache_point *p = &run->points[0];
    const struct trench_icache_stats *s = &p->stats;

    printf("%-10s %u lines of %u bytes, prefetch %s%s\n\n", "cache", p->lines,
           p->block, icache_prefetch_names[run->opts->prefetch],
           p->hardware ? "" : "; no firmware would accept this");
    printf("%-10s %12" PRIu64 "\n", "look-ups", s->lookups);
    printf("%-10s %12" PRIu64 " %8.3f %%\n", "hits", s->hits,
           percent(s->hits, s->lookups));
    printf("%-10s %12" PRIu64 " %8.3f %%\n", "misses", s->misses,
           percent(s->misses, s->lookups));
    printf("%-10s %12" PRIu64 " %s, %" PRIu64 " ahead of use\n", "fills",
           s->fills, cli_human((double)s->fill_bytes).s, s->prefetches);
    printf("%-10s %12" PRIu64 " %" PRIu64 " polls\n", "stalls", s->stalls,
           s->polls);
    printf("%-10s %12" PRIu64 "\n", "evictions", s->evictions);
    printf("%-10s %12" PRIu64 " records differ from the image\n", "bytes",
           s->mismatches);
}

static void print_sweep(const struct icache_run *run)
{
    printf("%-10s %u bytes, prefetch %s\n\n", "cache", run->opts->iram,
           icache_prefetch_names[run->opts->prefetch]);
    printf("%8s %6s %12s %12s %9s %12s\n", "block", "lines", "misses", "fills",
           "miss %", "bytes filled");
    for (unsigned i = 0; i < run->nr_points; i++) {
        const struct icache_point *p = &run->points[i];

        printf("%8u %6u %12" PRIu64 " %12" PRIu64 " %9.3f %12" PRIu64 "%s\n",
               p->block, p->lines, p->stats.misses, p->stats.fills,
               100 * icache_miss_rate(&p->stats), p->stats.fill_bytes,
               p->hardware ? "" : " *");
    }
    printf("\n* no firmware would accept this block size\n");
}

/* The core's data RAM, as a dump would have it. */
static const uint8_t *data_ram(const struct icache_run *run)
{
    const struct icache_opts *o = run->opts;
    struct trench_gen_seq_addr addr;

    if (trench_gen_seq_addr(o->common.gen, o->core, o->seq, &addr)) {
        return NULL;
    }
    return trench_bus_host(trench_soc_bus(run->points[0].soc), addr.dram,
                           TRENCH_SEQ_DRAM_BYTES);
}

static void print_control(const struct icache_run *run)
{
    const uint8_t *dram = data_ram(run);
    struct trench_icache_control c;
    struct trench_icache_line line;

    if (!dram || trench_icache_decode(dram, &c)) {
        cli_error(run->opts->prog, "the control structure is damaged");
        return;
    }
    printf("\ncontrol structure at 0x855f8\n"
           "  +16 records a line   %" PRIu32 "\n"
           "  +20 records          %" PRIu32 "\n"
           "  +24 lines            %" PRIu32 "\n"
           "  +32 pending          %" PRIu32 "\n"
           "  +36 victim           %" PRIu32 "\n"
           "  +40 staged           %d\n"
           "  +48 ticket           %" PRIu64 "\n"
           "  +56 pushed           0x%" PRIx32 "\n"
           "  +60 sunda mode       %d\n"
           "  +64 line array       0x%" PRIx32 "\n",
           c.records_per_line, c.nr_records, c.nr_lines, c.pending, c.victim,
           c.staged, c.ticket, c.pushed, c.sunda_mode, c.lines);
    for (uint32_t i = 0; i < c.nr_lines; i++) {
        if (trench_icache_decode_line(dram, i, &line) == 0) {
            printf("  line %-4" PRIu32 " %-9s 0x%" PRIx64 "\n", i,
                   line.state < CLI_ARRAY_LEN(state_names)
                       ? state_names[line.state]
                       : "?",
                   line.tag);
        }
    }
}

void icache_print(const struct icache_run *run)
{
    print_head(run);
    if (run->opts->sweep_first) {
        print_sweep(run);
    } else {
        print_point(run);
    }
    printf("%.3f s, %.1f million records a second\n", (double)run->ns * 1e-9,
           cli_rate(run->trace->counts.records, run->ns) * 1e-6);
    if (run->opts->histogram) {
        print_histogram(run);
    }
    if (run->opts->control) {
        print_control(run);
    }
}

/* ---- JSON ---------------------------------------------------------------- */

static json_t *point_json(const struct icache_point *p)
{
    const struct trench_icache_stats *s = &p->stats;
    const struct {
        const char *name;
        uint64_t val;
    } rows[] = {
        { "block_bytes", p->block },     { "lines", p->lines },
        { "lookups", s->lookups },       { "hits", s->hits },
        { "misses", s->misses },         { "fills", s->fills },
        { "prefetches", s->prefetches }, { "evictions", s->evictions },
        { "stalls", s->stalls },         { "polls", s->polls },
        { "fill_bytes", s->fill_bytes }, { "failed_fills", s->failed },
        { "mismatches", s->mismatches },
    };
    json_t *object = json_object();

    for (size_t i = 0; i < CLI_ARRAY_LEN(rows); i++) {
        json_object_set_new(object, rows[i].name,
                            json_integer((json_int_t)rows[i].val));
    }
    json_object_set_new(object, "miss_rate", json_real(icache_miss_rate(s)));
    json_object_set_new(object, "hardware_geometry", json_boolean(p->hardware));
    return object;
}

static json_t *points_json(const struct icache_run *run)
{
    json_t *list = json_array();

    for (unsigned i = 0; i < run->nr_points; i++) {
        json_array_append_new(list, point_json(&run->points[i]));
    }
    return list;
}

static json_t *histogram_json(const struct icache_run *run)
{
    json_t *list = json_array();
    size_t nr;
    struct row *rows = sort_blocks(run, &nr);

    for (size_t i = 0; i < nr; i++) {
        json_array_append_new(
            list, json_pack("{s:o, s:I}", "address",
                            cli_json_hex(block_addr(run, rows[i].block)),
                            "fills", (json_int_t)rows[i].fills));
    }
    free(rows);
    return list;
}

json_t *icache_json(const struct icache_run *run)
{
    const struct icache_opts *o = run->opts;
    const struct icache_trace_counts *c = &run->trace->counts;
    json_t *object = json_pack(
        "{s:s, s:o, s:o, s:I, s:s, s:i, s:s, s:s, s:o, s:I, s:I, s:I, s:f, "
        "s:o}",
        "generation", o->common.gen->name, "image", cli_json_text(o->image),
        "image_address", cli_json_hex(run->mapped.addr), "image_bytes",
        (json_int_t)run->mapped.size_bytes, "engine",
        o->common.gen->seqs[o->seq].name, "core", (int)o->core, "backend",
        icache_backend_names[o->backend], "prefetch",
        icache_prefetch_names[o->prefetch], "trace", cli_json_text(o->trace),
        "records", (json_int_t)c->records, "out_of_bounds",
        (json_int_t)run->points[0].stats.out_of_bounds, "lines_not_understood",
        (json_int_t)c->not_understood, "seconds", (double)run->ns * 1e-9,
        "runs", points_json(run));

    if (object && o->histogram) {
        json_object_set_new(object, "histogram", histogram_json(run));
    }
    return object;
}
