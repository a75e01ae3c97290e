/* SPDX-License-Identifier: BSD-3-Clause */
/* trench info: a chip, as its description has it. Every number is derived. */
#include "cli.h"

#include <inttypes.h>

static const struct argp_child info_children[] = {
    { .argp = &cli_common_argp },
    { 0 },
};

static error_t info_parse(int key, char *arg, struct argp_state *state)
{
    (void)arg;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = state->input;
        return 0;
    case ARGP_KEY_ARG:
        argp_error(state, "too many arguments");
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

const struct argp cli_info_argp = {
    .parser = info_parse,
    .children = info_children,
    .doc = "Shows what a chip generation is made of: engines and the address "
           "of each cluster on the plain and on the privileged route, "
           "broadcast nodes, the blocks of a channel, memory windows that a "
           "descriptor may address, what PCI shows of it, and how many "
           "registers each block has."
           "\n\nOptions:"
           "\v"
           "Examples:\n\n"
           "  $ trench info\n"
           "  $ trench info --json | jq .clusters\n",
};

/* How many broadcast nodes a cluster has. */
static unsigned nr_bcast(const struct trench_gen_cluster *cluster)
{
    return cluster->bcast_every > 0
               ? cluster->nr_channels / cluster->bcast_every
               : 0;
}

static uint64_t bcast_addr(const struct trench_gen *gen,
                           const struct trench_gen_cluster *cluster, unsigned n)
{
    return cluster->base +
           (uint64_t)n * cluster->bcast_every * cluster->stride_bytes +
           gen->bcast_offset;
}

static unsigned engine_of(const struct trench_gen_cluster *cluster,
                          unsigned channel)
{
    return cluster->first_engine + channel;
}

/* What the clusters add up to. */
struct totals {
    unsigned unicast;
    unsigned plain;
    unsigned privileged;
    unsigned bcast;
};

static struct totals add_up(const struct trench_gen *gen)
{
    struct totals sum = { 0 };

    for (size_t i = 0; i < gen->nr_clusters; i++) {
        const struct trench_gen_cluster *c = &gen->clusters[i];

        if (c->part != 0) {
            continue; /* the same engines once more */
        }
        sum.unicast += c->nr_channels;
        sum.plain += c->privileged ? 0 : c->nr_channels;
        sum.privileged += c->privileged ? c->nr_channels : 0;
        sum.bcast += nr_bcast(c);
    }
    return sum;
}

static void print_head(const struct trench_gen *gen)
{
    struct totals sum = add_up(gen);

    printf("%s: %s\n\n", gen->name, gen->title);
    printf("%-12s %u (0-%u)\n", "engines", gen->nr_engines,
           gen->nr_engines - 1u);
    printf("%-12s %u queue pairs an engine, %u in all\n", "queues",
           (unsigned)TRENCH_NR_QUEUES,
           (unsigned)TRENCH_NR_QUEUES * gen->nr_engines);
    printf("%-12s %u NeuronCores\n", "cores", gen->nr_cores);
    printf("%-12s %u unicast (%u plain, %u privileged), %u broadcast to %u "
           "engines each\n",
           "nodes", sum.unicast, sum.plain, sum.privileged, sum.bcast,
           gen->bcast_lanes);
}

static void print_clusters(const struct trench_gen *gen)
{
    printf("\n%-26s %16s %9s %4s %-9s %3s %s\n", "cluster", "base", "stride",
           "ch", "engines", "die", "route");
    for (size_t i = 0; i < gen->nr_clusters; i++) {
        const struct trench_gen_cluster *c = &gen->clusters[i];
        char engines[24];

        snprintf(engines, sizeof(engines), "%u-%u", engine_of(c, 0),
                 engine_of(c, c->nr_channels - 1u));
        printf("%-26s %16" PRIx64 " %9" PRIx32 " %4u %-9s %3u %s\n", c->name,
               c->base, c->stride_bytes, c->nr_channels, engines, c->die,
               c->privileged ? "privileged" : "plain");
    }
}

static void print_bcast(const struct trench_gen *gen)
{
    printf("\n%-26s %16s %s\n", "broadcast node", "base", "engines");
    for (size_t i = 0; i < gen->nr_clusters; i++) {
        const struct trench_gen_cluster *c = &gen->clusters[i];

        for (unsigned n = 0; n < nr_bcast(c); n++) {
            unsigned first = n * c->bcast_every;
            char name[48];

            snprintf(name, sizeof(name), "%s[%u]", c->name, first);
            printf("%-26s %16" PRIx64 " %u-%u\n", name, bcast_addr(gen, c, n),
                   engine_of(c, first),
                   engine_of(c, first + gen->bcast_lanes - 1u));
        }
    }
}

static void print_units(const struct trench_gen *gen)
{
    printf("\n%-26s %8s %8s %-12s %s\n", "unit of a channel", "offset", "size",
           "registers", "in broadcast nodes");
    for (size_t i = 0; i < gen->nr_units; i++) {
        const struct trench_gen_unit *u = &gen->units[i];

        printf("%-26s %8" PRIx32 " %8" PRIx32 " %-12s %s\n", u->name, u->offset,
               u->size_bytes, trench_csr_block_name(u->block),
               u->broadcast ? "yes" : "no");
    }
}

static void print_mems(const struct trench_gen *gen)
{
    printf("\n%-26s %-5s %16s %10s %s\n", "memory", "kind", "base", "size",
           "partitions");
    for (size_t i = 0; i < gen->nr_mems; i++) {
        const struct trench_gen_mem *m = &gen->mems[i];

        printf("%-26s %-5s %16" PRIx64 " %10s ", m->name,
               trench_mem_kind_name(m->kind), m->base,
               cli_human((double)m->size_bytes).s);
        if (m->stride_bytes > 0) {
            printf("%" PRIu64 " of %s, %s used",
                   m->size_bytes / m->stride_bytes,
                   cli_human(m->stride_bytes).s, cli_human(m->valid_bytes).s);
        } else {
            printf("-");
        }
        if (m->alias != 0) {
            printf(", also at %" PRIx64, m->alias);
        }
        printf("\n");
    }
}

static void print_pci(const struct trench_gen *gen)
{
    const struct trench_gen_pci *pci = gen->pci;

    if (!pci) {
        return;
    }
    printf("\n%-26s %s\n", "PCI function", "vendor:device");
    for (size_t i = 0; i < pci->nr_ids; i++) {
        printf("%-26s %04x:%04x\n", pci->ids[i].name, pci->vendor,
               pci->ids[i].device);
    }
    printf("%-26s %06x\n", "class", (unsigned)pci->class_code);
    printf("%-26s %u silicon, %u emulator, %u model\n", "revision",
           pci->silicon_revision, (unsigned)TRENCH_PCI_REVISION_EMULATOR,
           (unsigned)TRENCH_PCI_REVISION_QEMU);
    printf("%-26s BAR %u, or %u of a model, %s\n", "registers",
           pci->register_bar, pci->qemu_register_bar,
           cli_human((double)pci->register_bar_bytes).s);
    printf("%-26s BAR %u\n", "device memory", pci->memory_bar);
    printf("\n%-26s %-8s %10s %9s %16s\n", "BAR window", "function", "offset",
           "size", "shows");
    for (size_t i = 0; i < gen->nr_bars; i++) {
        const struct trench_gen_bar *b = &gen->bars[i];
        char bar[24];

        snprintf(bar, sizeof(bar), "%s.%u", b->function, b->bar);
        printf("%-26s %-8s %10" PRIx64 " %9s %16" PRIx64 "\n", b->name, bar,
               b->offset, cli_human((double)b->size_bytes).s, b->addr);
    }
}

static void print_blocks(const struct trench_gen *gen)
{
    printf("\n%-26s %8s %9s %8s %10s %s\n", "registers", "bundles", "registers",
           "fields", "instances", "schema");
    for (unsigned i = 0; i < TRENCH_NR_BLOCKS; i++) {
        const struct trench_csr_block *b = trench_csr_builtin(gen->name, i);

        if (b) {
            printf("%-26s %8u %9u %8u %10u %s\n", b->name, b->nr_bundles,
                   b->nr_regs, b->nr_fields, b->nr_insts, b->file);
        }
    }
}

static json_t *clusters_json(const struct trench_gen *gen)
{
    json_t *list = json_array();

    for (size_t i = 0; i < gen->nr_clusters; i++) {
        const struct trench_gen_cluster *c = &gen->clusters[i];

        json_array_append_new(
            list, json_pack("{s:s, s:o, s:o, s:i, s:i, s:i, s:b}", "name",
                            c->name, "base", cli_json_hex(c->base), "stride",
                            cli_json_hex(c->stride_bytes), "channels",
                            c->nr_channels, "first_engine", c->first_engine,
                            "die", c->die, "privileged", c->privileged));
    }
    return list;
}

static json_t *bcast_json(const struct trench_gen *gen)
{
    json_t *list = json_array();

    for (size_t i = 0; i < gen->nr_clusters; i++) {
        const struct trench_gen_cluster *c = &gen->clusters[i];

        for (unsigned n = 0; n < nr_bcast(c); n++) {
            json_array_append_new(
                list,
                json_pack("{s:s, s:o, s:i, s:i}", "cluster", c->name, "base",
                          cli_json_hex(bcast_addr(gen, c, n)), "first_engine",
                          engine_of(c, n * c->bcast_every), "engines",
                          gen->bcast_lanes));
        }
    }
    return list;
}

static json_t *units_json(const struct trench_gen *gen)
{
    json_t *list = json_array();

    for (size_t i = 0; i < gen->nr_units; i++) {
        const struct trench_gen_unit *u = &gen->units[i];

        json_array_append_new(
            list,
            json_pack("{s:s, s:s, s:o, s:o, s:b}", "name", u->name, "block",
                      trench_csr_block_name(u->block), "offset",
                      cli_json_hex(u->offset), "size",
                      cli_json_hex(u->size_bytes), "broadcast", u->broadcast));
    }
    return list;
}

static json_t *mems_json(const struct trench_gen *gen)
{
    json_t *list = json_array();

    for (size_t i = 0; i < gen->nr_mems; i++) {
        const struct trench_gen_mem *m = &gen->mems[i];
        json_t *mem = json_pack("{s:s, s:s, s:o, s:I}", "name", m->name, "kind",
                                trench_mem_kind_name(m->kind), "base",
                                cli_json_hex(m->base), "bytes",
                                (json_int_t)m->size_bytes);

        if (m->stride_bytes > 0) {
            json_object_set_new(mem, "partition_stride",
                                json_integer(m->stride_bytes));
            json_object_set_new(mem, "partition_bytes",
                                json_integer(m->valid_bytes));
        }
        if (m->alias != 0) {
            json_object_set_new(mem, "alias", cli_json_hex(m->alias));
        }
        json_array_append_new(list, mem);
    }
    return list;
}

static json_t *pci_json(const struct trench_gen *gen)
{
    const struct trench_gen_pci *pci = gen->pci;
    json_t *devices = json_array();
    json_t *windows = json_array();

    for (size_t i = 0; pci && i < pci->nr_ids; i++) {
        json_array_append_new(devices,
                              json_pack("{s:s, s:i}", "name", pci->ids[i].name,
                                        "id", pci->ids[i].device));
    }
    for (size_t i = 0; i < gen->nr_bars; i++) {
        const struct trench_gen_bar *b = &gen->bars[i];

        json_array_append_new(
            windows, json_pack("{s:s, s:s, s:i, s:o, s:I, s:o}", "name",
                               b->name, "function", b->function, "bar", b->bar,
                               "offset", cli_json_hex(b->offset), "bytes",
                               (json_int_t)b->size_bytes, "base",
                               cli_json_hex(b->addr)));
    }
    if (!pci) {
        json_decref(devices);
        return json_pack("{s:o}", "windows", windows);
    }
    return json_pack("{s:i, s:o, s:i, s:i, s:i, s:i, s:I, s:i, s:o}", "vendor",
                     pci->vendor, "devices", devices, "class",
                     (int)pci->class_code, "silicon_revision",
                     pci->silicon_revision, "register_bar", pci->register_bar,
                     "model_register_bar", pci->qemu_register_bar,
                     "register_bar_bytes", (json_int_t)pci->register_bar_bytes,
                     "memory_bar", pci->memory_bar, "windows", windows);
}

static json_t *blocks_json(const struct trench_gen *gen)
{
    json_t *list = json_array();

    for (unsigned i = 0; i < TRENCH_NR_BLOCKS; i++) {
        const struct trench_csr_block *b = trench_csr_builtin(gen->name, i);

        if (b) {
            json_array_append_new(
                list,
                json_pack("{s:s, s:s, s:i, s:i, s:i, s:i}", "block", b->name,
                          "schema", b->file, "bundles", b->nr_bundles,
                          "registers", b->nr_regs, "fields", b->nr_fields,
                          "instances", b->nr_insts));
        }
    }
    return list;
}

static json_t *info_json(const struct trench_gen *gen)
{
    struct totals sum = add_up(gen);

    return json_pack(
        "{s:s, s:s, s:i, s:i, s:i, s:i, s:i, s:i, s:o, s:o, s:o, s:o, s:o, "
        "s:o}",
        "generation", gen->name, "title", gen->title, "engines",
        gen->nr_engines, "queues_per_engine", TRENCH_NR_QUEUES, "cores",
        gen->nr_cores, "unicast_nodes", sum.unicast, "broadcast_nodes",
        sum.bcast, "broadcast_lanes", gen->bcast_lanes, "clusters",
        clusters_json(gen), "broadcast", bcast_json(gen), "units",
        units_json(gen), "memories", mems_json(gen), "pci", pci_json(gen),
        "blocks", blocks_json(gen));
}

int cli_info_run(int argc, char **argv)
{
    struct cli_common common;

    argp_parse(&cli_info_argp, argc, argv, 0, NULL, &common);
    if (common.json) {
        return cli_json_print(argv[0], stdout, info_json(common.gen));
    }
    print_head(common.gen);
    print_clusters(common.gen);
    print_bcast(common.gen);
    print_units(common.gen);
    print_mems(common.gen);
    print_pci(common.gen);
    print_blocks(common.gen);
    return CLI_OK;
}
