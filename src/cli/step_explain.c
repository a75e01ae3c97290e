/* SPDX-License-Identifier: BSD-3-Clause */
/* What trench step --explain and --dry-run show. */
#include "step.h"

#include <inttypes.h>
#include <string.h>

#include <trench/map.h>

struct step_set_text step_set_text(uint32_t bits, unsigned first)
{
    struct step_set_text text = { "none" };
    size_t n = 0;

    for (unsigned i = 0; i < 32 && n < sizeof(text.s); i++) {
        unsigned last = i;

        if (!(bits >> i & 1)) {
            continue;
        }
        while (last < 31 && (bits >> (last + 1) & 1)) {
            last++;
        }
        n += (size_t)snprintf(text.s + n, sizeof(text.s) - n, "%s%u",
                              n > 0 ? "," : "", first + i);
        if (last > i && n < sizeof(text.s)) {
            n += (size_t)snprintf(text.s + n, sizeof(text.s) - n, "-%u",
                                  first + last);
        }
        i = last;
    }
    return text;
}

struct step_name step_name(const struct trench_gen *gen, uint64_t addr)
{
    struct step_name name = { "?" };
    struct trench_map_info info;

    trench_map_at(gen, addr, &info);
    (void)trench_map_name(info.path, info.depth, name.s, sizeof(name.s));
    return name;
}

/* ---- alloc --------------------------------------------------------------- */

/* Both readings of the word; the one in use is marked. */
static void explain_word(const struct trench_ncfw_plan *plan,
                         enum trench_ncfw_reading reading, FILE *to)
{
    struct trench_ncfw_alloc seed;
    struct trench_ncfw_alloc sheets;

    trench_ncfw_alloc_decode(plan->alloc.word, TRENCH_NCFW_SEED, &seed);
    trench_ncfw_alloc_decode(plan->alloc.word, TRENCH_NCFW_SHEETS, &sheets);
    fprintf(to, "alloc: bundle %u, word 0x%016" PRIx64 "\n", plan->bundle,
            plan->alloc.word);
    fprintf(to,
            "  %c seed    low 0x%08" PRIx32 ": engine apertures %s; high "
            "0x%08" PRIx32 ": queues %s, queue %u\n",
            reading == TRENCH_NCFW_SEED ? '*' : ' ', seed.low,
            step_set_text(seed.apertures, 0).s, seed.high,
            step_set_text(seed.high, 0).s, seed.queue);
    fprintf(to,
            "  %c sheets  low 0x%08" PRIx32 ": queue %u; high 0x%08" PRIx32
            ": engines %s\n",
            reading == TRENCH_NCFW_SHEETS ? '*' : ' ', sheets.low, sheets.queue,
            sheets.high, step_set_text(sheets.high, 0).s);
}

static void explain_plan(const struct step_run *run,
                         const struct trench_ncfw_plan *plan, FILE *to)
{
    uint64_t region;

    explain_word(plan, run->opts->reading, to);
    fprintf(to,
            "    bitmap  0x%08" PRIx32 " of 0x%08" PRIx32
            " valid: engines %s; queues %s\n",
            plan->used, plan->valid, step_set_text(plan->used, 0).s,
            step_set_text(plan->queues, 0).s);
    fprintf(to, "    group   pcore %u, lanes 0x%04x", plan->pcore, plan->lane);
    if (trench_ncfw_region(plan->gen, plan->region, &region) == 0) {
        fprintf(to, ", region %u at 0x%" PRIx64, plan->region, region);
    }
    fprintf(to, ", re-arm word 0x%08" PRIx32 "\n", plan->rearm);
}

/* ---- reprogram ----------------------------------------------------------- */

static void explain_section(const struct step_run *run,
                            const struct trench_section *section, FILE *to)
{
    for (uint32_t i = 0; i < section->used; i++) {
        const struct trench_item *item = &section->items[i];

        fprintf(to, "  %-7s %-13s 0x%012" PRIx64 " = 0x%08" PRIx64 "  %s\n",
                item->part, item->name, item->copy.dst, item->val,
                step_name(run->opts->common.gen, item->copy.dst).s);
    }
}

static uint32_t toplevel_count(const struct step_run *run, size_t block)
{
    const struct trench_toplevel *top = trench_step_toplevel(run->step);

    return trench_toplevel_section(top, block, 0)->used +
           trench_toplevel_section(top, block, 1)->used;
}

static void explain_reprogram(const struct step_run *run, FILE *to)
{
    const struct trench_toplevel *top = trench_step_toplevel(run->step);

    fprintf(to,
            "reprogram: %" PRIu32 " descriptors, TopLevel rings 0x%" PRIx64
            " and 0x%" PRIx64 ", by engine %u queue %u\n",
            toplevel_count(run, 0),
            trench_pring_base(trench_toplevel_ring(top, 0, TRENCH_NCFW_M2S)),
            trench_pring_base(trench_toplevel_ring(top, 0, TRENCH_NCFW_S2M)),
            run->manager, run->manager_queue);
    explain_section(run, trench_toplevel_section(top, 0, 0), to);
    explain_section(run, trench_toplevel_section(top, 0, 1), to);
}

/* ---- broadcast ----------------------------------------------------------- */

static void explain_delivery(const struct step_run *run,
                             const struct trench_bcast_delivery *d, FILE *to)
{
    fprintf(to, "  0x%012" PRIx64 " = 0x%08" PRIx32 "  %s\n", d->addr, d->word,
            step_name(run->opts->common.gen, d->addr).s);
    fprintf(
        to,
        "    mask 0x%04" PRIx32 ", payload 0x%04" PRIx32 " -> engines %s (%d)",
        d->word >> 16, d->payload, step_set_text(d->reached, d->first_engine).s,
        __builtin_popcount(d->reached));
    if (d->gated) {
        fprintf(to, "; not %s, for their groups",
                step_set_text(d->gated, d->first_engine).s);
    }
    fprintf(to, "\n");
}

static void explain_broadcast(const struct step_run *run, FILE *to)
{
    if (run->nr_deliveries == 0) {
        return;
    }
    fprintf(to, "broadcast: %zu writes, the resets from the TopLevel ring\n",
            run->nr_deliveries);
    for (size_t i = 0; i < run->nr_deliveries; i++) {
        explain_delivery(run, &run->deliveries[i], to);
    }
}

/* The other steps differ by their rings alone. */
static void explain_rest(const struct step_run *run, FILE *to)
{
    for (unsigned s = 1; s < run->opts->steps; s++) {
        const struct trench_ncfw_channel *ch =
            trench_step_rings_channels(run->rings[s]);
        size_t nr;

        fprintf(
            to,
            "step %u: the same with the next rings: engine %u has 0x%" PRIx64
            " and 0x%" PRIx64 ", %" PRIu32 " descriptors\n",
            s + 1, ch->engine, ch->ring[TRENCH_NCFW_M2S].base,
            ch->ring[TRENCH_NCFW_S2M].base,
            trench_step_rings_entries(run->rings[s], &nr)->m2s_val);
    }
}

void step_explain(const struct step_run *run, FILE *to)
{
    const struct trench_ncfw_plan *plan;

    for (size_t i = 0; (plan = trench_step_plan(run->step, 0, i)); i++) {
        explain_plan(run, plan, to);
    }
    explain_reprogram(run, to);
    explain_broadcast(run, to);
    explain_rest(run, to);
    fprintf(to, "\n");
}

/* ---- operations ---------------------------------------------------------- */

void step_print_ops(const struct step_run *run, FILE *to)
{
    static const char *const kinds[] = {
        [TRENCH_STEP_WRITE] = "write",
        [TRENCH_STEP_AWAIT] = "await",
        [TRENCH_STEP_REPEAT] = "repeat",
    };
    const struct trench_step_op *ops;
    size_t nr;

    ops = trench_step_ops(run->step, &nr);
    fprintf(to, "%5s %-9s %-5s %14s %13s  %s\n", "block", "phase", "",
            "address", "word", "register");
    for (size_t i = 0; i < nr; i++) {
        const struct trench_step_op *op = &ops[i];

        fprintf(to, "%5u %-9s %-5s 0x%012" PRIx64 " %s 0x%08" PRIx32 "  %s\n",
                op->block, trench_step_phase_name(op->phase), kinds[op->kind],
                op->addr, op->kind == TRENCH_STEP_AWAIT ? ">=" : " =", op->val,
                step_name(run->opts->common.gen, op->addr).s);
    }
}
