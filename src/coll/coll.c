/* SPDX-License-Identifier: BSD-3-Clause */
/* Schedules of collectives: the table of algorithms, and the interface. */
#include "coll/coll.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"

#define DEFAULT_PIECES 4u

static const char *const op_names[TRENCH_NR_COLL_OPS] = {
    [TRENCH_COLL_ALL_GATHER] = "all_gather",
    [TRENCH_COLL_ALL_REDUCE] = "all_reduce",
    [TRENCH_COLL_BROADCAST] = "broadcast",
    [TRENCH_COLL_REDUCE] = "reduce",
    [TRENCH_COLL_REDUCE_SCATTER] = "reduce_scatter",
    [TRENCH_COLL_SEND_RECV] = "send_recv",
    [TRENCH_COLL_ALL_TO_ALL] = "all_to_all",
    [TRENCH_COLL_PERMUTE] = "permute",
};

static const struct coll_algo algos[TRENCH_NR_COLL_ALGOS] = {
    [TRENCH_COLL_RING] = {
        .name = "ring",
        .others = "a ring only reduces to all, scatters, gathers and sends on",
        .generate = {
            [TRENCH_COLL_ALL_REDUCE] = coll_flat,
            [TRENCH_COLL_REDUCE_SCATTER] = coll_flat,
            [TRENCH_COLL_ALL_GATHER] = coll_flat,
            [TRENCH_COLL_SEND_RECV] = coll_permute,
        },
        .reduce_scatter = coll_ring_reduce_scatter,
        .all_gather = coll_ring_all_gather,
    },
    [TRENCH_COLL_SINGLE_CYCLE_RING] = {
        .name = "single_cycle_ring",
        .others = "a ring only reduces to all, scatters and gathers",
        .generate = {
            [TRENCH_COLL_ALL_REDUCE] = coll_flat,
            [TRENCH_COLL_REDUCE_SCATTER] = coll_flat,
            [TRENCH_COLL_ALL_GATHER] = coll_flat,
        },
        .reduce_scatter = coll_ring_reduce_scatter,
        .all_gather = coll_ring_all_gather,
    },
    [TRENCH_COLL_KANGARING] = {
        .name = "kangaring",
        .others = "a ring only reduces to all, scatters and gathers",
        .refusal = coll_refuse_kangaring,
        .generate = {
            [TRENCH_COLL_ALL_REDUCE] = coll_kangaring,
            [TRENCH_COLL_REDUCE_SCATTER] = coll_kangaring,
            [TRENCH_COLL_ALL_GATHER] = coll_kangaring,
        },
    },
    [TRENCH_COLL_MESH] = {
        .name = "mesh",
        .generate = {
            [TRENCH_COLL_ALL_REDUCE] = coll_flat,
            [TRENCH_COLL_REDUCE_SCATTER] = coll_flat,
            [TRENCH_COLL_ALL_GATHER] = coll_flat,
            [TRENCH_COLL_REDUCE] = coll_flat,
            [TRENCH_COLL_BROADCAST] = coll_mesh_broadcast,
            [TRENCH_COLL_ALL_TO_ALL] = coll_all_to_all,
            [TRENCH_COLL_SEND_RECV] = coll_permute,
            [TRENCH_COLL_PERMUTE] = coll_permute,
        },
        .reduce_scatter = coll_mesh_reduce_scatter,
        .all_gather = coll_mesh_all_gather,
    },
    [TRENCH_COLL_SINGLE_STEP_MESH] = {
        .name = "single_step_mesh",
        .others = "the mesh has no other form of this operation",
        .generate = {
            [TRENCH_COLL_ALL_REDUCE] = coll_mesh_all_reduce_at_once,
            [TRENCH_COLL_REDUCE] = coll_mesh_reduce_at_once,
            [TRENCH_COLL_ALL_TO_ALL] = coll_all_to_all_at_once,
        },
    },
    [TRENCH_COLL_HIER] = {
        .name = "hier",
        .others = "a hierarchy only reduces, scatters and gathers",
        .refusal = coll_refuse_hier,
        .generate = {
            [TRENCH_COLL_ALL_REDUCE] = coll_hier,
            [TRENCH_COLL_REDUCE_SCATTER] = coll_hier,
            [TRENCH_COLL_ALL_GATHER] = coll_hier,
            [TRENCH_COLL_REDUCE] = coll_hier,
        },
    },
    [TRENCH_COLL_RDH] = {
        .name = "rdh",
        .others = "halving and doubling only reduces, scatters and gathers",
        .refusal = coll_refuse_rdh,
        .generate = {
            [TRENCH_COLL_ALL_REDUCE] = coll_flat,
            [TRENCH_COLL_REDUCE_SCATTER] = coll_flat,
            [TRENCH_COLL_ALL_GATHER] = coll_flat,
            [TRENCH_COLL_REDUCE] = coll_flat,
        },
        .reduce_scatter = coll_rdh_reduce_scatter,
        .all_gather = coll_rdh_all_gather,
    },
    [TRENCH_COLL_CHAIN] = {
        .name = "chain",
        .others = "a chain only broadcasts and reduces to one root",
        .generate = {
            [TRENCH_COLL_BROADCAST] = coll_chain_broadcast,
            [TRENCH_COLL_REDUCE] = coll_chain_reduce,
        },
    },
};

const struct coll_algo *coll_algo(enum trench_coll_algo algo)
{
    return (unsigned)algo < TRENCH_NR_COLL_ALGOS && algos[algo].name
               ? &algos[algo]
               : NULL;
}

const char *trench_coll_op_name(enum trench_coll_op op)
{
    return (unsigned)op < TRENCH_NR_COLL_OPS && op_names[op] ? op_names[op]
                                                             : "?";
}

const char *trench_coll_algo_name(enum trench_coll_algo algo)
{
    if (algo == TRENCH_COLL_AUTO) {
        return "auto";
    }
    return coll_algo(algo) ? coll_algo(algo)->name : "?";
}

int trench_coll_algo_find(const char *name)
{
    for (int i = 0; i < TRENCH_NR_COLL_ALGOS; i++) {
        if (strcmp(name, trench_coll_algo_name((enum trench_coll_algo)i)) ==
            0) {
            return i;
        }
    }
    return -1;
}

/* Whether what is counted is a part, one for each rank, of some vector. */
static bool is_of_parts(const struct trench_coll_conf *conf)
{
    return conf->op == TRENCH_COLL_ALL_GATHER ||
           conf->op == TRENCH_COLL_REDUCE_SCATTER ||
           conf->op == TRENCH_COLL_ALL_TO_ALL;
}

static uint64_t vector_size(const struct trench_coll_conf *conf,
                            enum trench_coll_buf buf)
{
    bool one =
        !is_of_parts(conf) ||
        (conf->op == TRENCH_COLL_ALL_GATHER && buf == TRENCH_COLL_IN) ||
        (conf->op == TRENCH_COLL_REDUCE_SCATTER && buf == TRENCH_COLL_OUT);

    return one ? conf->count : conf->count * conf->ranks;
}

/* What the zeros of a configuration stand for. */
static void resolve(struct trench_coll_schedule *s,
                    const struct trench_coll_conf *conf)
{
    const char *reason = "as asked for";
    struct trench_coll_conf *c = &s->conf;
    int len;

    *c = *conf;
    if (conf->algo == TRENCH_COLL_AUTO) {
        c->algo = coll_select(conf, &reason);
    }
    len = snprintf(s->reason, sizeof(s->reason), "%s", reason);
    if (c->algo == TRENCH_COLL_HIER) {
        c->intra = coll_intra(conf);
        c->inter = coll_inter(conf);
        snprintf(s->reason + len, sizeof(s->reason) - (size_t)len,
                 "; %s in chips, %s between", trench_coll_algo_name(c->intra),
                 trench_coll_algo_name(c->inter));
    }
    c->chip_ranks = conf->chip_ranks ? conf->chip_ranks : conf->ranks;
    c->channels = conf->channels ? conf->channels : 1;
    c->pieces = conf->pieces ? conf->pieces : DEFAULT_PIECES;
    c->secondaries = coll_secondaries(conf);
}

static int generate(struct trench_coll_schedule *s)
{
    const struct trench_coll_conf *conf = &s->conf;
    struct coll_where in = coll_whole(TRENCH_COLL_IN);
    struct coll_where out = coll_whole(TRENCH_COLL_OUT);
    struct coll_builder b = { .schedule = s, .conf = conf };

    coll_build_rings(&b, false);
    if (is_of_parts(conf)) {
        coll_build_parts(&b, conf->ranks);
    } else {
        coll_build_split(&b, conf->ranks);
    }
    if (conf->ranks > 1) {
        coll_algo(conf->algo)->generate[conf->op](&b);
    } else if (!conf->in_place) {
        coll_copy(&b, 0, coll_place(&b, &in, 0, 0), coll_place(&b, &out, 0, 0),
                  conf->count);
        coll_step(&b);
    }
    return b.err;
}

/* A failure leaves things as they are. */
static void *shrunk(void *p, size_t nr, size_t size)
{
    void *less = realloc(p, (nr + 1) * size);

    if (!less) {
        return p;
    }
    return less;
}

/* Give back what has not been used. */
static void trim(struct trench_coll_schedule *s)
{
    s->moves = shrunk(s->moves, s->nr_moves, sizeof(*s->moves));
    s->places = shrunk(s->places, s->nr_places, sizeof(*s->places));
}

int trench_coll_create(const struct trench_coll_conf *conf,
                       struct trench_coll_schedule **out)
{
    struct trench_coll_schedule *s;
    int err;

    if (coll_conf_fault(conf)) {
        return TRENCH_ERR_INVAL;
    }
    if (trench_coll_refusal(conf)) {
        return TRENCH_ERR_NOTSUP;
    }
    s = calloc(1, sizeof(*s));
    if (!s) {
        return TRENCH_ERR_NOMEM;
    }
    resolve(s, conf);
    err = generate(s);
    if (err) {
        trench_coll_destroy(s);
        return err;
    }
    s->conf.dest = NULL; /* the caller's */
    trim(s);
    *out = s;
    return 0;
}

void trench_coll_destroy(struct trench_coll_schedule *schedule)
{
    if (!schedule) {
        return;
    }
    free(schedule->moves);
    free(schedule->places);
    free(schedule->first);
    free(schedule);
}

enum trench_coll_algo trench_coll_algo_of(
    const struct trench_coll_schedule *schedule)
{
    return schedule->conf.algo;
}

const char *trench_coll_reason(const struct trench_coll_schedule *schedule)
{
    return schedule->reason;
}

size_t trench_coll_steps(const struct trench_coll_schedule *schedule)
{
    return schedule->nr_steps;
}

const struct trench_coll_move *trench_coll_moves(
    const struct trench_coll_schedule *schedule, size_t step, size_t *nr)
{
    if (step >= schedule->nr_steps) {
        *nr = 0;
        return NULL;
    }
    *nr = schedule->first[step + 1] - schedule->first[step];
    return schedule->moves + schedule->first[step];
}

const struct trench_coll_place *trench_coll_places(
    const struct trench_coll_schedule *schedule)
{
    return schedule->places;
}

uint64_t trench_coll_size(const struct trench_coll_schedule *schedule,
                          enum trench_coll_buf buf)
{
    return buf == TRENCH_COLL_SCRATCH ? schedule->scratch
                                      : vector_size(&schedule->conf, buf);
}

uint64_t trench_coll_shared_at(const struct trench_coll_schedule *schedule,
                               unsigned rank)
{
    bool parts = schedule->conf.op == TRENCH_COLL_ALL_GATHER ||
                 schedule->conf.op == TRENCH_COLL_REDUCE_SCATTER;

    return parts ? rank * schedule->conf.count : 0;
}
