/* SPDX-License-Identifier: BSD-3-Clause */
/* The result of trench step: what was moved, and what it cost both ways. */
#include "step.h"

#include <inttypes.h>
#include <stddef.h>

/* Numbers of a cost, for the table and for JSON. */
static const struct {
    const char *text;
    const char *key;
    size_t offset;
} rows[] = {
    { "register writes of the firmware", "writes",
      offsetof(struct step_cost, step.writes) },
    { "  of these doorbells", "doorbells",
      offsetof(struct step_cost, step.bells) },
    { "polls of the firmware", "polls",
      offsetof(struct step_cost, step.reads) },
    { "descriptors that reprogram", "toplevel_descriptors",
      offsetof(struct step_cost, step.toplevel_descs) },
    { "descriptors that move data or signal", "data_descriptors",
      offsetof(struct step_cost, step.m2s_descs) },
    { "register accesses on the bus, software", "bus_software",
      offsetof(struct step_cost, bus.reads) },
    { "register accesses on the bus, engines", "bus_engines",
      offsetof(struct step_cost, bus.engine_reads) },
};

/* Reads and writes of the bus stand beside each other in its statistics. */
static uint64_t number(const struct step_cost *cost, size_t row)
{
    if (rows[row].offset == offsetof(struct step_cost, bus.reads)) {
        return cost->bus.reads + cost->bus.writes;
    }
    if (rows[row].offset == offsetof(struct step_cost, bus.engine_reads)) {
        return cost->bus.engine_reads + cost->bus.engine_writes;
    }
    return *(const uint64_t *)(const void *)((const char *)cost +
                                             rows[row].offset);
}

static void print_costs(const struct step_run *run, FILE *to)
{
    bool both = run->broadcast.ran;

    fprintf(to, "\n%-40s%s %12s\n", "", both ? "    broadcast" : "",
            "one by one");
    for (size_t i = 0; i < CLI_ARRAY_LEN(rows); i++) {
        fprintf(to, "%-40s", rows[i].text);
        if (both) {
            fprintf(to, " %12" PRIu64, number(&run->broadcast, i));
        }
        fprintf(to, " %12" PRIu64 "\n", number(&run->one_by_one, i));
    }
}

void step_print(const struct step_run *run, FILE *to)
{
    const struct step_opts *o = run->opts;

    fprintf(to, "%zu bytes (%s) moved and verified, %s -> %s of %s", run->len,
            cli_human((double)run->len).s, run->rig.src.name, run->rig.dst.name,
            o->common.gen->name);
    if (!o->in) {
        fprintf(to, ", seed %" PRIu64, o->seed);
    }
    fprintf(to,
            "\n%u engine%s, %u queue%s each, %u step%s; up to %" PRIu64
            " bytes a queue and step\n",
            o->engines.count, o->engines.count > 1 ? "s" : "", o->queues.count,
            o->queues.count > 1 ? "s" : "", o->steps, o->steps > 1 ? "s" : "",
            run->chunk);
    print_costs(run, to);
}

/* ---- JSON ---------------------------------------------------------------- */

static json_t *set_json(uint32_t bits, unsigned first)
{
    json_t *list = json_array();

    for (unsigned i = 0; i < 32; i++) {
        if (bits >> i & 1) {
            json_array_append_new(list, json_integer(first + i));
        }
    }
    return list;
}

static json_t *cost_json(const struct step_cost *cost)
{
    json_t *object = json_object();

    for (size_t i = 0; i < CLI_ARRAY_LEN(rows); i++) {
        json_object_set_new(object, rows[i].key,
                            json_integer((json_int_t)number(cost, i)));
    }
    return object;
}

static json_t *plan_json(const struct step_run *run,
                         const struct trench_ncfw_plan *plan)
{
    struct trench_ncfw_alloc seed;
    struct trench_ncfw_alloc sheets;

    trench_ncfw_alloc_decode(plan->alloc.word, TRENCH_NCFW_SEED, &seed);
    trench_ncfw_alloc_decode(plan->alloc.word, TRENCH_NCFW_SHEETS, &sheets);
    return json_pack(
        "{s:i, s:o, s:{s:o, s:o, s:i}, s:{s:i, s:o}, s:o, s:o, s:o, s:i, s:o, "
        "s:i, s:o}",
        "bundle", (int)plan->bundle, "word", cli_json_hex(plan->alloc.word),
        "seed", "apertures", set_json(seed.apertures, 0), "queues",
        set_json(seed.high, 0), "queue", (int)seed.queue, "sheets", "queue",
        (int)sheets.queue, "engines", set_json(sheets.high, 0), "bitmap",
        cli_json_hex(plan->used), "valid", cli_json_hex(plan->valid), "queues",
        set_json(plan->queues, 0), "pcore", (int)plan->pcore, "lanes",
        cli_json_hex(plan->lane), "region", (int)plan->region, "rearm",
        cli_json_hex(run->opts->no_broadcast ? 0 : plan->rearm));
}

static json_t *plans_json(const struct step_run *run)
{
    const struct trench_ncfw_plan *plan;
    json_t *list = json_array();

    for (size_t i = 0; (plan = trench_step_plan(run->step, 0, i)); i++) {
        json_array_append_new(list, plan_json(run, plan));
    }
    return list;
}

/* The first block's, as --explain shows them. */
static json_t *descriptors_json(const struct step_run *run)
{
    json_t *list = json_array();

    for (unsigned s = 0; s < 2; s++) {
        const struct trench_section *section =
            trench_toplevel_section(trench_step_toplevel(run->step), 0, s);

        for (uint32_t i = 0; i < section->used; i++) {
            const struct trench_item *item = &section->items[i];

            json_array_append_new(
                list,
                json_pack("{s:s, s:s, s:i, s:i, s:o, s:o, s:s}", "part",
                          item->part, "name", item->name, "engine",
                          (int)item->engine, "queue", (int)item->queue,
                          "address", cli_json_hex(item->copy.dst), "value",
                          cli_json_hex(item->val), "register",
                          step_name(run->opts->common.gen, item->copy.dst).s));
        }
    }
    return list;
}

static json_t *deliveries_json(const struct step_run *run)
{
    json_t *list = json_array();

    for (size_t i = 0; i < run->nr_deliveries; i++) {
        const struct trench_bcast_delivery *d = &run->deliveries[i];

        json_array_append_new(
            list,
            json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:s}", "address",
                      cli_json_hex(d->addr), "word", cli_json_hex(d->word),
                      "payload", cli_json_hex(d->payload), "reached",
                      set_json(d->reached, d->first_engine), "skipped",
                      set_json(d->skipped, d->first_engine), "gated",
                      set_json(d->gated, d->first_engine), "register",
                      step_name(run->opts->common.gen, d->addr).s));
    }
    return list;
}

static json_t *ops_json(const struct step_run *run)
{
    static const char *const kinds[] = {
        [TRENCH_STEP_WRITE] = "write",
        [TRENCH_STEP_AWAIT] = "await",
        [TRENCH_STEP_REPEAT] = "repeat",
    };
    json_t *list = json_array();
    const struct trench_step_op *ops;
    size_t nr;

    ops = trench_step_ops(run->step, &nr);
    for (size_t i = 0; i < nr; i++) {
        json_array_append_new(
            list,
            json_pack("{s:i, s:s, s:s, s:o, s:o, s:s}", "block",
                      (int)ops[i].block, "phase",
                      trench_step_phase_name(ops[i].phase), "kind",
                      kinds[ops[i].kind], "address", cli_json_hex(ops[i].addr),
                      "word", cli_json_hex(ops[i].val), "register",
                      step_name(run->opts->common.gen, ops[i].addr).s));
    }
    return list;
}

json_t *step_json(const struct step_run *run)
{
    const struct step_opts *o = run->opts;
    json_t *object = json_pack(
        "{s:s, s:I, s:i, s:i, s:i, s:s, s:s, s:s, s:b, s:o}", "generation",
        o->common.gen->name, "bytes", (json_int_t)run->len, "engines",
        (int)o->engines.count, "queues", (int)o->queues.count, "steps",
        (int)o->steps, "reading",
        o->reading == TRENCH_NCFW_SEED ? "seed" : "sheets", "source_memory",
        run->rig.src.name, "destination_memory", run->rig.dst.name, "verified",
        !o->dry_run, "bundles", plans_json(run));

    if (!o->in) {
        json_object_set_new(object, "seed", cli_json_hex(o->seed));
    }
    if (run->broadcast.ran) {
        json_object_set_new(object, "broadcast", cost_json(&run->broadcast));
    }
    if (run->one_by_one.ran) {
        json_object_set_new(object, "one_by_one", cost_json(&run->one_by_one));
    }
    if (o->explain) {
        json_object_set_new(object, "descriptors", descriptors_json(run));
        json_object_set_new(object, "deliveries", deliveries_json(run));
    }
    if (o->dry_run) {
        json_object_set_new(object, "operations", ops_json(run));
    }
    return object;
}
