/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Chips whose buses are linked through the chip identifier in addresses
 * (address-map 3.1).
 */
#include <trench/pod.h>

#include <assert.h>
#include <stdlib.h>

#include "bus/bus_priv.h"
#include "dev/chip.h"
#include "dev/clock.h"
#include "dev/pod.h"

static_assert(TRENCH_POD_MAX_CHIPS == POD_MAX_CHIPS, "a bit a chip");

/* What a chip hands to callbacks in place of their own opaque. */
struct member {
    struct trench_pod *pod;
    unsigned number;
};

struct trench_pod {
    struct pod pod;
    struct bus_links links;
    struct trench_bus *buses[POD_MAX_CHIPS];
    struct trench_soc *socs[POD_MAX_CHIPS];
    struct member members[POD_MAX_CHIPS];
    trench_pod_intr_fn intr;
    void *intr_opaque;
};

static void member_intr(void *opaque, unsigned engine, unsigned vector)
{
    const struct member *m = opaque;

    m->pod->intr(m->pod->intr_opaque, m->number, engine, vector);
}

static int add_chip(struct trench_pod *pod, const struct trench_pod_conf *conf)
{
    unsigned n = pod->pod.nr;
    struct trench_soc_conf soc = conf->soc;
    int err;

    pod->members[n] = (struct member){ .pod = pod, .number = n };
    if (conf->intr) {
        soc.intr = member_intr;
        soc.intr_opaque = &pod->members[n];
    }
    err = trench_soc_create(&soc, &pod->socs[n]);
    if (err) {
        return err;
    }
    pod->buses[n] = trench_soc_bus(pod->socs[n]);
    pod->pod.budget = soc_alone(pod->socs[n])->budget;
    pod->pod.stepped = soc_alone(pod->socs[n])->stepped;
    soc_join(pod->socs[n], &pod->pod);
    return 0;
}

/* A generation whose addresses name no chip stays as it is. */
static int link_chips(struct trench_pod *pod, const struct trench_gen *gen)
{
    int err = 0;

    if (!gen->chip_valid_bit) {
        return 0;
    }
    pod->links = (struct bus_links){
        .tag = UINT64_C(1) << gen->chip_valid_bit,
        .id_mask = ((UINT64_C(1) << gen->chip_width) - 1) << gen->chip_lsb,
        .id_lsb = gen->chip_lsb,
        .nr = pod->pod.nr,
        .buses = pod->buses,
    };
    for (unsigned n = 0; n < pod->pod.nr && !err; n++) {
        err = bus_link(pod->buses[n], &pod->links);
    }
    return err;
}

int trench_pod_create(const struct trench_pod_conf *conf,
                      struct trench_pod **out)
{
    static const struct trench_pod_conf defaults;
    const struct trench_gen *gen;
    struct trench_pod *pod;
    unsigned nr;
    int err = 0;

    conf = conf ? conf : &defaults;
    gen = conf->soc.gen ? conf->soc.gen : trench_gen_find(NULL);
    nr = conf->nr_chips ? conf->nr_chips : 1;
    if (nr > TRENCH_POD_MAX_CHIPS || conf->soc.intr) {
        return TRENCH_ERR_INVAL;
    }
    if (nr > 1 && (!gen->chip_valid_bit || nr > 1u << gen->chip_width)) {
        return TRENCH_ERR_NOTSUP;
    }
    pod = calloc(1, sizeof(*pod));
    if (!pod) {
        return TRENCH_ERR_NOMEM;
    }
    pod->intr = conf->intr;
    pod->intr_opaque = conf->intr_opaque;
    while (!err && pod->pod.nr < nr) {
        err = add_chip(pod, conf);
    }
    if (!err) {
        err = link_chips(pod, gen);
    }
    if (err) {
        trench_pod_destroy(pod);
        return err;
    }
    *out = pod;
    return 0;
}

void trench_pod_destroy(struct trench_pod *pod)
{
    if (!pod) {
        return;
    }
    for (unsigned n = 0; n < pod->pod.nr; n++) {
        trench_soc_destroy(pod->socs[n]);
    }
    free(pod);
}

unsigned trench_pod_nr_chips(const struct trench_pod *pod)
{
    return pod->pod.nr;
}

struct trench_soc *trench_pod_soc(struct trench_pod *pod, unsigned chip)
{
    return chip < pod->pod.nr ? pod->socs[chip] : NULL;
}

void trench_pod_reset(struct trench_pod *pod)
{
    for (unsigned n = 0; n < pod->pod.nr; n++) {
        trench_soc_reset(pod->socs[n]);
    }
}

uint64_t trench_pod_run(struct trench_pod *pod, uint64_t budget)
{
    return pod_run(&pod->pod, ~UINT64_C(0), budget ? budget : pod->pod.budget);
}

void trench_pod_advance(struct trench_pod *pod, uint64_t ns)
{
    pod_advance(&pod->pod, ns * CLOCKS_PER_NS);
}
