/* SPDX-License-Identifier: BSD-3-Clause */
/* Which algorithm to take (ncfw-steps 6.10). */
#include "coll/coll.h"

#include "base/bits.h"

static bool always(const struct trench_coll_conf *conf)
{
    (void)conf;
    return true;
}

static bool is_alone(const struct trench_coll_conf *conf)
{
    return conf->ranks == 1;
}

static bool is_in_chip(const struct trench_coll_conf *conf)
{
    return coll_chips(conf) == 1;
}

static bool is_between_chips(const struct trench_coll_conf *conf)
{
    return coll_chips(conf) > 1;
}

static bool is_small(const struct trench_coll_conf *conf)
{
    return conf->ranks <= TRENCH_CCE_MAX_SOURCES;
}

static bool reduces_between_chips(const struct trench_coll_conf *conf)
{
    return is_between_chips(conf) && conf->op == TRENCH_COLL_ALL_REDUCE;
}

/* The mesh has no rival. */
static bool is_direct(const struct trench_coll_conf *conf)
{
    return conf->op == TRENCH_COLL_ALL_TO_ALL ||
           conf->op == TRENCH_COLL_SEND_RECV || conf->op == TRENCH_COLL_PERMUTE;
}

/* In the order of priority; the first that makes sense and is not refused. */
static const struct {
    enum trench_coll_algo algo;
    bool (*makes_sense)(const struct trench_coll_conf *conf);
    const char *reason;
} priorities[] = {
    { TRENCH_COLL_MESH, is_alone, "one rank: a copy" },
    { TRENCH_COLL_HIER, always, "several chips of several ranks" },
    { TRENCH_COLL_RDH, is_in_chip, "one chip, a power of two of ranks" },
    { TRENCH_COLL_MESH, is_direct, "each part goes to one rank" },
    { TRENCH_COLL_MESH, is_small, "not more than 32 ranks" },
    { TRENCH_COLL_KANGARING, always, "more than 32 ranks, in groups" },
    { TRENCH_COLL_SINGLE_CYCLE_RING, reduces_between_chips,
      "an all-reduce between chips" },
    { TRENCH_COLL_RDH, is_between_chips, "a power of two of chips" },
    { TRENCH_COLL_RING, always, "nothing better fits" },
    { TRENCH_COLL_CHAIN, always, "more than 32 ranks, and one root" },
};

enum trench_coll_algo coll_select(const struct trench_coll_conf *conf,
                                  const char **reason)
{
    size_t i = 0;

    while (i + 1 < ARRAY_LEN(priorities) &&
           (!priorities[i].makes_sense(conf) ||
            coll_algo_refusal(conf, priorities[i].algo))) {
        i++;
    }
    *reason = priorities[i].reason;
    return priorities[i].algo;
}

enum trench_coll_algo coll_intra(const struct trench_coll_conf *conf)
{
    if (conf->intra != TRENCH_COLL_AUTO) {
        return conf->intra;
    }
    return is_power_of_two(conf->chip_ranks) ? TRENCH_COLL_RDH
                                             : TRENCH_COLL_MESH;
}

enum trench_coll_algo coll_inter(const struct trench_coll_conf *conf)
{
    unsigned chips = coll_chips(conf);

    if (conf->inter != TRENCH_COLL_AUTO) {
        return conf->inter;
    }
    if (chips <= TRENCH_CCE_MAX_SOURCES) {
        return TRENCH_COLL_MESH;
    }
    if (conf->op == TRENCH_COLL_ALL_REDUCE) {
        return TRENCH_COLL_SINGLE_CYCLE_RING;
    }
    return is_power_of_two(chips) ? TRENCH_COLL_RDH : TRENCH_COLL_RING;
}
