/* SPDX-License-Identifier: BSD-3-Clause */
/* What cannot be asked for, and what an algorithm does not do. */
#include "coll/coll.h"

#include "base/bits.h"

#define MAX_CHANNELS    32u
#define MAX_PIECES      255u
#define MIN_RDH_CHIPS   8u
#define MAX_SECONDARIES 3u

static const char *ranks_fault(const struct trench_coll_conf *conf)
{
    if (conf->ranks < 1 || conf->ranks > TRENCH_COLL_MAX_RANKS) {
        return "the number of ranks is not 1 to 512";
    }
    if (conf->chip_ranks && conf->ranks % conf->chip_ranks != 0) {
        return "the ranks of a chip do not divide the number of ranks";
    }
    if (conf->count > TRENCH_COLL_MAX_ELEMENTS / conf->ranks) {
        return "too many elements";
    }
    return NULL;
}

static const char *dest_fault(const struct trench_coll_conf *conf)
{
    bool taken[TRENCH_COLL_MAX_RANKS] = { false };

    if (!conf->dest) {
        return "a permutation has no destinations";
    }
    for (unsigned i = 0; i < conf->ranks; i++) {
        if (conf->dest[i] >= conf->ranks) {
            return "a destination is no rank";
        }
        if (taken[conf->dest[i]]) {
            return "two ranks have the same destination";
        }
        taken[conf->dest[i]] = true;
    }
    return NULL;
}

static const char *op_fault(const struct trench_coll_conf *conf)
{
    bool rooted =
        conf->op == TRENCH_COLL_BROADCAST || conf->op == TRENCH_COLL_REDUCE;

    if (rooted && conf->root >= conf->ranks) {
        return "the root is no rank";
    }
    return conf->op == TRENCH_COLL_PERMUTE ? dest_fault(conf) : NULL;
}

static const char *detail_fault(const struct trench_coll_conf *conf)
{
    if (conf->channels > MAX_CHANNELS) {
        return "there are more than 32 channels";
    }
    if (conf->pieces > MAX_PIECES) {
        return "there are more than 255 pieces";
    }
    if (conf->secondaries > MAX_SECONDARIES || conf->secondaries == 2) {
        return "a group has neither 1 nor 3 secondaries";
    }
    return NULL;
}

static bool is_algo(enum trench_coll_algo algo)
{
    return algo == TRENCH_COLL_AUTO || coll_algo(algo);
}

const char *coll_conf_fault(const struct trench_coll_conf *conf)
{
    const char *fault;

    if (trench_coll_op_name(conf->op)[0] == '?') {
        return "there is no such operation";
    }
    if (!is_algo(conf->algo) || !is_algo(conf->intra) ||
        !is_algo(conf->inter)) {
        return "there is no such algorithm";
    }
    fault = ranks_fault(conf);
    if (!fault) {
        fault = op_fault(conf);
    }
    return fault ? fault : detail_fault(conf);
}

const char *coll_refuse_rdh(const struct trench_coll_conf *conf)
{
    unsigned chips = coll_chips(conf);

    if (!is_power_of_two(conf->ranks)) {
        return "the number of ranks is not a power of two";
    }
    if (chips == 1) {
        return NULL;
    }
    if (conf->chip_ranks != 1) {
        return "between chips, each of them has one rank only";
    }
    return chips < MIN_RDH_CHIPS ? "between chips, at least 8 are needed"
                                 : NULL;
}

/* Groups that would be of ranks of one chip. */
static bool has_groups(const struct trench_coll_conf *conf, unsigned group)
{
    unsigned chip = conf->chip_ranks ? conf->chip_ranks : conf->ranks;

    return chip % group == 0 && conf->ranks / group >= 2;
}

unsigned coll_secondaries(const struct trench_coll_conf *conf)
{
    if (conf->secondaries) {
        return conf->secondaries;
    }
    return has_groups(conf, 4) ? 3 : 1;
}

const char *coll_refuse_kangaring(const struct trench_coll_conf *conf)
{
    return has_groups(conf, 1 + coll_secondaries(conf))
               ? NULL
               : "ranks of one chip do not make two groups or more";
}

static const char *refuse_intra(const struct trench_coll_conf *conf)
{
    enum trench_coll_algo algo = coll_intra(conf);

    if (algo == TRENCH_COLL_RDH) {
        return is_power_of_two(conf->chip_ranks)
                   ? NULL
                   : "the ranks of a chip are not a power of two";
    }
    return algo == TRENCH_COLL_MESH ? NULL : "in a chip, only rdh and mesh";
}

static const char *refuse_inter(const struct trench_coll_conf *conf)
{
    unsigned chips = coll_chips(conf);

    switch (coll_inter(conf)) {
    case TRENCH_COLL_MESH:
    case TRENCH_COLL_RING:
        return NULL;
    case TRENCH_COLL_SINGLE_CYCLE_RING:
        return conf->op == TRENCH_COLL_ALL_REDUCE
                   ? NULL
                   : "between chips, that ring is for all-reduce only";
    case TRENCH_COLL_RDH:
        return is_power_of_two(chips) && chips >= MIN_RDH_CHIPS
                   ? NULL
                   : "the chips are not a power of two of 8 or more";
    default:
        return "between chips, only rings, mesh and rdh";
    }
}

const char *coll_refuse_hier(const struct trench_coll_conf *conf)
{
    const char *refusal;

    if (coll_chips(conf) < 2) {
        return "there is one chip only";
    }
    if (conf->chip_ranks < 2) {
        return "a chip has one rank only";
    }
    refusal = refuse_intra(conf);
    return refusal ? refusal : refuse_inter(conf);
}

const char *coll_algo_refusal(const struct trench_coll_conf *conf,
                              enum trench_coll_algo algo)
{
    const struct coll_algo *a = coll_algo(algo);

    if (!a->generate[conf->op]) {
        return a->others;
    }
    return a->refusal ? a->refusal(conf) : NULL;
}

const char *trench_coll_refusal(const struct trench_coll_conf *conf)
{
    const char *fault = coll_conf_fault(conf);

    if (fault || conf->algo == TRENCH_COLL_AUTO) {
        return fault; /* there is always one that does it */
    }
    return coll_algo_refusal(conf, conf->algo);
}
