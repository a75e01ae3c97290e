/* SPDX-License-Identifier: BSD-3-Clause */
/* Chips with open engines, and buffers of ranks on them. */
#ifndef TRENCH_TESTS_COLL_RIG_H
#define TRENCH_TESTS_COLL_RIG_H

#include <trench/access.h>
#include <trench/coll_job.h>
#include <trench/pod.h>

#include "coll/reference.h"
#include "coll/sample.h"
#include "ncfw_rig.h"

#define RIG_CHIPS  4
#define RIG_RANKS  32
#define RIG_QUEUES 4
#define RINGS_SIZE UINT64_C(0x10000000)
#define GUARD      64u
#define POISON     0xA5

/* Chips, and what is open on them. */
struct coll_rig {
    const struct trench_gen *gen;
    unsigned nr_chips;
    unsigned cores; /* of each chip that are open */
    struct trench_pod *pod;
    struct trench_hal_bus *hb[RIG_CHIPS];
    struct trench_coll_chip at[RIG_CHIPS];
    struct trench_hal_engine *engines[RIG_CHIPS][8 * 16 + 1];
    struct trench_hal_queue *queues[RIG_CHIPS][8 * 16 + 1][RIG_QUEUES];
};

/* What is done. Zero the struct first. */
struct coll_case {
    struct trench_coll_conf coll;
    enum trench_dtype type;
    enum trench_cce_op op;
    unsigned engines; /* as in the job's configuration */
    unsigned queues;
    bool no_broadcast;
    bool random;
    uint64_t polls; /* 0 = 3 */
};

/* Buffers of a case. */
struct coll_bufs {
    uint64_t bufs[RIG_RANKS * TRENCH_NR_COLL_BUFS];
    uint8_t *host[RIG_RANKS * TRENCH_NR_COLL_BUFS];
    uint8_t *inputs[RIG_RANKS];
    uint64_t bytes[TRENCH_NR_COLL_BUFS];
};

static inline unsigned chip_ranks_of(const struct coll_case *k)
{
    return k->coll.chip_ranks ? k->coll.chip_ranks : k->coll.ranks;
}

static inline void rig_open_engine(struct coll_rig *r, unsigned chip,
                                   unsigned engine, unsigned slot)
{
    struct trench_hal_engine_conf conf = { .ops = trench_hal_bus_ops(),
                                           .opaque = r->hb[chip],
                                           .gen = r->gen };

    CHECK_EQ(trench_gen_engine_base(r->gen, engine, false, &conf.base), 0,
             "engine %u", engine);
    if (r->gen->bcast_lanes == 0) {
        CHECK_EQ(trench_gen_block_base(r->gen, engine, TRENCH_BLOCK_TDMA_MODEL,
                                       false, &conf.app_base),
                 0, "engine %u", engine);
    }
    CHECK_EQ(trench_hal_engine_open(&conf, &r->engines[chip][slot]), 0,
             "engine %u", engine);
    for (unsigned q = 0; q < RIG_QUEUES; q++) {
        const struct trench_hal_queue_conf queue = { .index = q,
                                                     .tx_entries = 32,
                                                     .no_comp_rings = true };

        CHECK_EQ(trench_hal_queue_open(r->engines[chip][slot], &queue,
                                       &r->queues[chip][slot][q]),
                 0, "engine %u queue %u", engine, q);
    }
}

/*
 * Chips whose first NeuronCores, and the manager, are open. An access runs so
 * many units of work; 0 = all that there is.
 */
static inline void rig_open_slow(struct coll_rig *r, const char *gen,
                                 unsigned chips, unsigned cores,
                                 uint32_t budget)
{
    struct trench_pod_conf conf = { .soc.budget = budget, .nr_chips = chips };

    memset(r, 0, sizeof(*r));
    r->gen = conf.soc.gen = gen_of(gen);
    r->nr_chips = chips;
    r->cores = cores;
    conf.soc.host_bytes = 1 << 20;
    CHECK_EQ(trench_pod_create(&conf, &r->pod), 0, "pod");
    for (unsigned c = 0; c < chips; c++) {
        struct trench_bus *bus = trench_soc_bus(trench_pod_soc(r->pod, c));

        CHECK_EQ(trench_hal_bus_create(bus, r->gen->mems[0].base, RINGS_SIZE,
                                       &r->hb[c]),
                 0, "rings");
        r->at[c] = (struct trench_coll_chip){ trench_hal_bus_ops(), r->hb[c] };
        for (unsigned e = 0; e < cores * 16; e++) {
            rig_open_engine(r, c, e / 16 * r->gen->engines_per_core + e % 16,
                            e);
        }
        rig_open_engine(r, c, r->gen->nr_engines - 1u, cores * 16);
    }
}

static inline void rig_open(struct coll_rig *r, const char *gen, unsigned chips,
                            unsigned cores)
{
    rig_open_slow(r, gen, chips, cores, 0);
}

static inline void rig_close(struct coll_rig *r)
{
    for (unsigned c = 0; c < r->nr_chips; c++) {
        for (unsigned e = 0; e <= r->cores * 16; e++) {
            for (unsigned q = 0; q < RIG_QUEUES; q++) {
                trench_hal_queue_close(r->queues[c][e][q]);
            }
            trench_hal_engine_close(r->engines[c][e]);
        }
        trench_hal_bus_destroy(r->hb[c]);
    }
    trench_pod_destroy(r->pod);
}

/* ---- buffers ------------------------------------------------------------- */

static inline void place_buf(const struct coll_rig *r,
                             const struct coll_case *k, struct coll_bufs *b,
                             unsigned i, uint64_t *used)
{
    unsigned chip = i / TRENCH_NR_COLL_BUFS / chip_ranks_of(k);
    struct trench_bus *bus = trench_soc_bus(trench_pod_soc(r->pod, chip));
    uint64_t size = b->bytes[i % TRENCH_NR_COLL_BUFS];

    b->bufs[i] = r->gen->mems[0].base + RINGS_SIZE + GUARD + *used;
    b->host[i] = trench_bus_host(bus, b->bufs[i] - GUARD, size + 2 * GUARD);
    assert_non_null(b->host[i]);
    memset(b->host[i], POISON, size + 2 * GUARD);
    b->host[i] += GUARD;
    *used += (size + 2 * GUARD + 4095) / 4096 * 4096 + i % 5 * 64;
}

/* In place one of two buffers is a part of the other. */
static inline void share_bufs(const struct coll_case *k, struct coll_bufs *b,
                              const struct trench_coll_schedule *s, unsigned r)
{
    unsigned in = r * TRENCH_NR_COLL_BUFS + TRENCH_COLL_IN;
    unsigned out = r * TRENCH_NR_COLL_BUFS + TRENCH_COLL_OUT;
    bool in_is_large = b->bytes[TRENCH_COLL_IN] > b->bytes[TRENCH_COLL_OUT];
    unsigned large = in_is_large ? in : out;
    unsigned small = in_is_large ? out : in;
    uint64_t at = trench_coll_shared_at(s, r) * trench_dtype_bytes(k->type);

    b->bufs[small] = b->bufs[large] + at;
    b->host[small] = b->host[large] + at;
}

static inline void bufs_init(const struct coll_rig *r,
                             const struct coll_case *k,
                             const struct trench_coll_schedule *s,
                             struct coll_bufs *b)
{
    unsigned esize = trench_dtype_bytes(k->type);
    uint64_t used = 0;

    memset(b, 0, sizeof(*b));
    for (unsigned i = 0; i < TRENCH_NR_COLL_BUFS; i++) {
        b->bytes[i] = trench_coll_size(s, (enum trench_coll_buf)i) * esize;
    }
    for (unsigned i = 0; i < k->coll.ranks * TRENCH_NR_COLL_BUFS; i++) {
        place_buf(r, k, b, i, &used);
    }
    for (unsigned n = 0; n < k->coll.ranks; n++) {
        const struct coll_sample sample = { .type = k->type,
                                            .seed = SEED,
                                            .rank = n,
                                            .nr_ranks = k->coll.ranks,
                                            .random = k->random };

        if (k->coll.in_place) {
            share_bufs(k, b, s, n);
        }
        b->inputs[n] = malloc(b->bytes[TRENCH_COLL_IN] + 1);
        assert_non_null(b->inputs[n]);
        coll_sample_fill(&sample, 0, b->bytes[TRENCH_COLL_IN] / esize,
                         b->inputs[n]);
    }
}

static inline void bufs_fini(struct coll_bufs *b)
{
    for (unsigned n = 0; n < RIG_RANKS; n++) {
        free(b->inputs[n]);
    }
}

static inline uint8_t *host_of(const struct coll_bufs *b, unsigned rank,
                               enum trench_coll_buf buf)
{
    return b->host[rank * TRENCH_NR_COLL_BUFS + buf];
}

static inline void bufs_fill(const struct coll_case *k,
                             const struct coll_bufs *b)
{
    for (unsigned n = 0; n < k->coll.ranks; n++) {
        memset(host_of(b, n, TRENCH_COLL_OUT), POISON,
               b->bytes[TRENCH_COLL_OUT]);
        memset(host_of(b, n, TRENCH_COLL_SCRATCH), POISON,
               b->bytes[TRENCH_COLL_SCRATCH]);
    }
    for (unsigned n = 0; n < k->coll.ranks; n++) {
        memcpy(host_of(b, n, TRENCH_COLL_IN), b->inputs[n],
               b->bytes[TRENCH_COLL_IN]);
    }
}

/* ---- judging ------------------------------------------------------------- */

/* count elements of a rank's output, from at: where they come from. */
struct coll_part {
    unsigned rank;
    uint64_t at;
    uint64_t count;
    int from;     /* rank; -1 = of all, reduced */
    uint64_t src; /* element of the input */
};

static inline void judge_part(const struct coll_case *k,
                              const struct coll_bufs *b,
                              const struct coll_part *p)
{
    unsigned esize = trench_dtype_bytes(k->type);
    const uint8_t *got = host_of(b, p->rank, TRENCH_COLL_OUT) + p->at * esize;
    const void *inputs[RIG_RANKS];
    const struct coll_reference ref = { .op = k->op,
                                        .type = k->type,
                                        .nr_inputs = k->coll.ranks,
                                        .inputs = inputs,
                                        .result = got,
                                        .count = p->count };
    struct coll_verdict v = { 0 };

    if (p->from >= 0) {
        CHECK_EQ(coll_reference_copy(k->type,
                                     b->inputs[p->from] + p->src * esize, got,
                                     p->count, &v),
                 0, "reference");
    } else {
        for (unsigned n = 0; n < k->coll.ranks; n++) {
            inputs[n] = b->inputs[n] + p->src * esize;
        }
        CHECK_EQ(coll_reference_check(&ref, &v), 0, "reference");
    }
    CHECK_EQ(v.wrong, 0, "rank %u element %llu + %llu: want %s, got %s",
             p->rank, ULL(p->at), ULL(v.index), v.expected, v.got);
}

static inline void judge_parts(const struct coll_case *k,
                               const struct coll_bufs *b, unsigned rank)
{
    const uint64_t n = k->coll.count;
    struct coll_part p = { .rank = rank, .count = n };

    for (unsigned i = 0; i < k->coll.ranks; i++) {
        p.from = (int)i;
        p.at = i * n;
        p.src = k->coll.op == TRENCH_COLL_ALL_TO_ALL ? rank * n : 0;
        judge_part(k, b, &p);
    }
}

/* The definition of each collective. */
static inline void judge_rank(const struct coll_case *k,
                              const struct coll_bufs *b, unsigned rank)
{
    const struct trench_coll_conf *c = &k->coll;
    struct coll_part p = { .rank = rank, .count = c->count, .from = -1 };
    unsigned from = 0;

    switch (c->op) {
    case TRENCH_COLL_ALL_GATHER:
    case TRENCH_COLL_ALL_TO_ALL:
        judge_parts(k, b, rank);
        return;
    case TRENCH_COLL_REDUCE:
        p.count = rank == c->root ? c->count : 0;
        break;
    case TRENCH_COLL_REDUCE_SCATTER:
        p.src = rank * c->count;
        break;
    case TRENCH_COLL_BROADCAST:
        p.from = (int)c->root;
        break;
    case TRENCH_COLL_SEND_RECV:
        p.from = (int)((rank + c->ranks - 1) % c->ranks);
        break;
    case TRENCH_COLL_PERMUTE:
        while (c->dest[from] != rank) {
            from++;
        }
        p.from = (int)from;
        break;
    default:
        break;
    }
    judge_part(k, b, &p);
}

/* Nothing is written beside a buffer; inputs of their own stay. */
static inline void judge_rest(const struct coll_case *k,
                              const struct coll_bufs *b)
{
    uint8_t guard[GUARD];

    memset(guard, POISON, sizeof(guard));
    for (unsigned n = 0; n < k->coll.ranks; n++) {
        for (unsigned i = 0; i < TRENCH_NR_COLL_BUFS; i++) {
            const uint8_t *host = host_of(b, n, (enum trench_coll_buf)i);

            if (!k->coll.in_place || i == TRENCH_COLL_SCRATCH) {
                CHECK_MEM(host - GUARD, guard, GUARD, "before %u of %u", i, n);
                CHECK_MEM(host + b->bytes[i], guard, GUARD, "behind %u of %u",
                          i, n);
            }
        }
        if (!k->coll.in_place) {
            CHECK_MEM(host_of(b, n, TRENCH_COLL_IN), b->inputs[n],
                      b->bytes[TRENCH_COLL_IN], "input of %u", n);
        }
    }
}

static inline void judge(const struct coll_case *k, const struct coll_bufs *b)
{
    for (unsigned n = 0; n < k->coll.ranks; n++) {
        judge_rank(k, b, n);
    }
    judge_rest(k, b);
}

/* ---- jobs ---------------------------------------------------------------- */

static inline struct trench_coll_job_conf job_conf(
    const struct coll_rig *r, const struct coll_case *k,
    const struct coll_bufs *b, const struct trench_coll_schedule *s)
{
    return (struct trench_coll_job_conf){
        .schedule = s,
        .gen = r->gen,
        .ranks = k->coll.ranks,
        .chip_ranks = k->coll.chip_ranks,
        .chips = r->at,
        .bufs = b->bufs,
        .type = k->type,
        .op = k->op,
        .engines = k->engines,
        .queues = k->queues,
        .manager_engine = r->gen->nr_engines - 1u,
        .no_broadcast = k->no_broadcast,
        .polls = k->polls ? k->polls : 3,
    };
}

#endif /* TRENCH_TESTS_COLL_RIG_H */
