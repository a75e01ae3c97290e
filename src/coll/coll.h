/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What makes schedules. Algorithms say which chunk goes where, step by step
 * and rank by rank; the builder turns that into moves.
 */
#ifndef TRENCH_COLL_COLL_H
#define TRENCH_COLL_COLL_H

#include <trench/coll.h>
#include <trench/compute.h>

/* Parts begin at multiples of so many elements where they can (6.2). */
#define COLL_GRAIN 32u

/* A part of something that is split. */
struct coll_part {
    uint64_t first;
    uint64_t count;
};

/* Part i of nr: even, in units of grain; the first ones are the larger. */
struct coll_part coll_part(uint64_t count, uint64_t grain, unsigned nr,
                           unsigned i);

struct trench_coll_schedule {
    struct trench_coll_conf conf; /* with what 0 stands for, without dest */
    char reason[128];
    struct trench_coll_move *moves;
    size_t nr_moves;
    size_t max_moves;
    struct trench_coll_place *places;
    size_t nr_places;
    size_t max_places;
    size_t *first; /* of each step, among the moves; one more than steps */
    size_t nr_steps;
    size_t max_steps;
    uint64_t scratch; /* elements */
};

struct coll_builder {
    struct trench_coll_schedule *schedule;
    const struct trench_coll_conf *conf;
    unsigned nr_chunks; /* that the vector of a rank has */
    uint64_t first[TRENCH_COLL_MAX_RANKS + 1]; /* of each, and the end */
    uint64_t slot;        /* elements of the largest chunk */
    unsigned nr_channels; /* moves of a chunk are split into */
    unsigned nr_halves;
    int err; /* sticky: what follows does nothing */
    struct trench_coll_place src[TRENCH_CCE_MAX_SOURCES];
    unsigned nr_src;
};

/* The vector of a rank: made of parts of the count, or the count split up. */
void coll_build_parts(struct coll_builder *b, unsigned nr);
void coll_build_split(struct coll_builder *b, unsigned nr);

/* Elements of a chunk. */
static inline uint64_t coll_count(const struct coll_builder *b, unsigned q)
{
    return b->first[q + 1] - b->first[q];
}

/* From now on, whether moves are those of parallel rings with half chunks. */
void coll_build_rings(struct coll_builder *b, bool rings);

/* Sources of the next move; then the move, by a rank. */
void coll_src(struct coll_builder *b, struct trench_coll_place src);
void coll_move(struct coll_builder *b, unsigned rank,
               struct trench_coll_place dst, uint64_t count);
void coll_copy(struct coll_builder *b, unsigned rank,
               struct trench_coll_place src, struct trench_coll_place dst,
               uint64_t count);

/* End a step. One without moves is none. */
void coll_step(struct coll_builder *b);

/* Where the chunks of a rank are kept. */
struct coll_where {
    enum trench_coll_buf buf;
    unsigned div;  /* chunk q is in slot q / div; 0: at its own place */
    unsigned slot; /* the first one */
};

struct trench_coll_place coll_place(const struct coll_builder *b,
                                    const struct coll_where *where,
                                    unsigned rank, unsigned q);

/* The whole of a buffer, and the one chunk of a rank that it is all of. */
struct coll_where coll_whole(enum trench_coll_buf buf);
struct coll_where coll_own(const struct coll_builder *b,
                           enum trench_coll_buf buf);

/*
 * A phase is done by all teams of ranks at once: teams of n, whose members are
 * stride apart. What a member ends with, or begins with, are chunks: those
 * which are equal modulo n * stride (6.7). All ranks, n = ranks and stride = 1:
 * a chunk each.
 */
struct coll_phase {
    unsigned n;
    unsigned stride;
    struct coll_where src; /* what ranks begin with */
    struct coll_where dst; /* what they end with */
    /* Where sums grow; NULL: in dst, if that is free, and in scratch. */
    const struct coll_where *sums;
    unsigned slot; /* the first free one of scratch */
};

static inline unsigned coll_member(const struct coll_phase *ph, unsigned rank)
{
    return rank / ph->stride % ph->n;
}

/* The rank of another member of the same team; i may be n too large. */
static inline unsigned coll_peer(const struct coll_phase *ph, unsigned rank,
                                 unsigned i)
{
    return rank + (i % ph->n - coll_member(ph, rank)) * ph->stride;
}

/* Chunks of a member, and their numbers: k of member j in the rank's team. */
static inline unsigned coll_pieces(const struct coll_builder *b,
                                   const struct coll_phase *ph)
{
    return b->conf->ranks / (ph->n * ph->stride);
}

static inline unsigned coll_piece(const struct coll_phase *ph, unsigned rank,
                                  unsigned j, unsigned k)
{
    return (j + k * ph->n) * ph->stride + rank % ph->stride;
}

/* Some slots of scratch, as many as a member has chunks: the i-th such. */
struct coll_where coll_staging(const struct coll_builder *b,
                               const struct coll_phase *ph, unsigned i);

/* In a first step of a gathering, take the own chunks along. */
void coll_copy_own(struct coll_builder *b, const struct coll_phase *ph,
                   unsigned rank);

/* The two halves of an all-reduce. */
typedef void (*coll_phase_fn)(struct coll_builder *b,
                              const struct coll_phase *ph);

void coll_ring_reduce_scatter(struct coll_builder *b,
                              const struct coll_phase *ph);
void coll_ring_all_gather(struct coll_builder *b, const struct coll_phase *ph);
void coll_mesh_reduce_scatter(struct coll_builder *b,
                              const struct coll_phase *ph);
void coll_mesh_all_gather(struct coll_builder *b, const struct coll_phase *ph);
void coll_rdh_reduce_scatter(struct coll_builder *b,
                             const struct coll_phase *ph);
void coll_rdh_all_gather(struct coll_builder *b, const struct coll_phase *ph);

/* The whole of it. */
void coll_flat(struct coll_builder *b);
void coll_hier(struct coll_builder *b);
void coll_kangaring(struct coll_builder *b);
void coll_mesh_broadcast(struct coll_builder *b);
void coll_mesh_all_reduce_at_once(struct coll_builder *b);
void coll_mesh_reduce_at_once(struct coll_builder *b);
void coll_chain_broadcast(struct coll_builder *b);
void coll_chain_reduce(struct coll_builder *b);
void coll_all_to_all(struct coll_builder *b);
void coll_all_to_all_at_once(struct coll_builder *b);
void coll_permute(struct coll_builder *b);

/* An algorithm. */
struct coll_algo {
    const char *name;
    void (*generate[TRENCH_NR_COLL_OPS])(struct coll_builder *b);
    const char *others; /* why not the operations that have none */
    const char *(*refusal)(const struct trench_coll_conf *conf); /* or NULL */
    /* NULL unless it can be a part of others */
    coll_phase_fn reduce_scatter;
    coll_phase_fn all_gather;
};

/* NULL if there is no such, and for TRENCH_COLL_AUTO. */
const struct coll_algo *coll_algo(enum trench_coll_algo algo);

/* What is out of range, as a phrase; NULL: nothing. */
const char *coll_conf_fault(const struct trench_coll_conf *conf);

/* What is said of a sound configuration with an algorithm; NULL: nothing. */
const char *coll_algo_refusal(const struct trench_coll_conf *conf,
                              enum trench_coll_algo algo);
const char *coll_refuse_rdh(const struct trench_coll_conf *conf);
const char *coll_refuse_kangaring(const struct trench_coll_conf *conf);
const char *coll_refuse_hier(const struct trench_coll_conf *conf);

/* Of a sound configuration, with what its zeros stand for. */
static inline unsigned coll_chips(const struct trench_coll_conf *conf)
{
    return conf->chip_ranks ? conf->ranks / conf->chip_ranks : 1;
}

/* Secondaries of a kangaring's groups: what is asked for, or what divides. */
unsigned coll_secondaries(const struct trench_coll_conf *conf);

/* What a hierarchy is made of. */
enum trench_coll_algo coll_intra(const struct trench_coll_conf *conf);
enum trench_coll_algo coll_inter(const struct trench_coll_conf *conf);

/* Choose by priority (6.10), and say why. */
enum trench_coll_algo coll_select(const struct trench_coll_conf *conf,
                                  const char **reason);

#endif /* TRENCH_COLL_COLL_H */
