/* SPDX-License-Identifier: BSD-3-Clause */
/* A collective as steps of the chips that its ranks are on: making and run. */
#include <trench/coll_job.h>

#include <stdlib.h>

#include "coll/coll.h"
#include "coll/lower.h"

/* Two NeuronCores are a virtual core, whose halves two bundles drive. */
#define CORES_OF_VIRTUAL 2u
#define HALF_BUNDLES     4u

/* The signals of all pairs of a chip; not those of trench/step.h itself. */
#define DONE_ID 16u

/* A chip of the job. The step borrows all else. */
struct job_chip {
    struct trench_step_rings *rings;
    struct trench_ncfw_plan_conf bundles[TRENCH_NR_BUNDLES];
    struct trench_step_block block;
    struct trench_step *step;
    uint64_t trigger;
};

struct trench_coll_job {
    struct trench_coll_job_conf conf; /* without defaults */
    struct trench_coll_job_info info;
    size_t *parts; /* of each schedule step */
    size_t nr_steps;
    unsigned nr_chips;
    struct job_chip chips[]; /* nr_chips of them */
};

static int fail(struct trench_coll_job_error *err, int code, unsigned chip,
                const char *text)
{
    *err = (struct trench_coll_job_error){
        .step_nr = -1,
        .chip = (int)chip,
        .step = { .block = -1, .bundle = -1, .engine = -1, .queue = -1 },
    };
    for (size_t i = 0; text[i] && i + 1 < sizeof(err->step.text); i++) {
        err->step.text[i] = text[i];
    }
    return code;
}

/* ---- checks -------------------------------------------------------------- */

static struct trench_coll_job_conf complete(
    const struct trench_coll_job_conf *in)
{
    struct trench_coll_job_conf conf = *in;

    conf.gen = conf.gen ? conf.gen : trench_gen_find(NULL);
    conf.chip_ranks = conf.chip_ranks ? conf.chip_ranks : conf.ranks;
    conf.engines = conf.engines ? conf.engines : TRENCH_NCFW_LANES;
    conf.queues = conf.queues ? conf.queues : 1;
    return conf;
}

/* Whether other chips can name a buffer, from its first byte to its last. */
static int check_buf(const struct trench_coll_job_conf *conf, size_t i)
{
    unsigned chip = (unsigned)(i / TRENCH_NR_COLL_BUFS) / conf->chip_ranks;
    uint64_t last =
        trench_coll_size(conf->schedule,
                         (enum trench_coll_buf)(i % TRENCH_NR_COLL_BUFS)) *
        trench_dtype_bytes(conf->type);
    uint64_t addr;
    int err = trench_gen_chip_addr(conf->gen, chip, conf->bufs[i], &addr);

    if (err || last == 0) {
        return err;
    }
    last--;
    return last >> conf->gen->chip_lsb
               ? TRENCH_ERR_INVAL
               : trench_gen_chip_addr(conf->gen, chip, conf->bufs[i] + last,
                                      &addr);
}

static int check_bufs(const struct trench_coll_job_conf *conf)
{
    size_t nr = (size_t)conf->ranks * TRENCH_NR_COLL_BUFS;
    int err = 0;

    for (size_t i = 0; i < nr && !err; i++) {
        err = check_buf(conf, i);
    }
    return err;
}

/* @return NULL, or what is wrong, and its code. */
static const char *refusal(const struct trench_coll_job_conf *conf, int *code)
{
    const bool is_op = conf->op == TRENCH_CCE_ADD ||
                       conf->op == TRENCH_CCE_MAX || conf->op == TRENCH_CCE_MIN;

    *code = TRENCH_ERR_INVAL;
    if (!conf->schedule || !conf->chips || !conf->bufs || conf->ranks == 0 ||
        conf->ranks > TRENCH_COLL_MAX_RANKS ||
        conf->ranks % conf->chip_ranks != 0) {
        return "ranks do not divide by chips, or something is missing";
    }
    if (conf->schedule->conf.ranks != conf->ranks) {
        return "the schedule is of other ranks";
    }
    if (!is_op || trench_dtype_bytes(conf->type) == 0) {
        return "an operation or element type that the CCE does not have";
    }
    if (conf->engines > TRENCH_NCFW_LANES ||
        conf->engines > conf->gen->engines_per_core ||
        conf->queues > TRENCH_NR_QUEUES) {
        return "more engines or queues than a NeuronCore has";
    }
    *code = TRENCH_ERR_NODEV;
    if (conf->chip_ranks > conf->gen->nr_cores) {
        return "more ranks on a chip than it has NeuronCores";
    }
    *code = conf->ranks > conf->chip_ranks ? check_bufs(conf) : 0;
    return *code ? "a buffer that other chips have no address for" : NULL;
}

/* ---- making -------------------------------------------------------------- */

static const struct trench_step_sema done = { TRENCH_SYNC_TOP_SP, 0, DONE_ID };

/* A bundle a rank: that of its half of the virtual core. */
static void fill_bundles(const struct trench_coll_job *job,
                         struct job_chip *chip)
{
    const struct trench_coll_job_conf *conf = &job->conf;
    const struct trench_ncfw_channel *ch =
        trench_step_rings_channels(chip->rings);
    size_t pairs = (size_t)conf->engines * conf->queues;

    for (unsigned r = 0; r < conf->chip_ranks; r++) {
        unsigned virtual = r / CORES_OF_VIRTUAL;
        unsigned twin = virtual * CORES_OF_VIRTUAL + 1;

        chip->bundles[r] = (struct trench_ncfw_plan_conf){
            .bundle = virtual + HALF_BUNDLES * (r % CORES_OF_VIRTUAL),
            .nr_cores = twin < conf->gen->nr_cores ? CORES_OF_VIRTUAL : 1,
            .first_engine =
                virtual * CORES_OF_VIRTUAL * conf->gen->engines_per_core,
            .channels = ch + r * pairs,
            .nr_channels = pairs,
        };
    }
    chip->block = (struct trench_step_block){
        .bundles = chip->bundles,
        .nr_bundles = conf->chip_ranks,
    };
    chip->block.entries =
        trench_step_rings_entries(chip->rings, &chip->block.nr_entries);
}

static int lay_rings(struct trench_coll_job *job, unsigned c)
{
    const struct trench_coll_chip *at = &job->conf.chips[c];
    struct lowered low;
    int err = lower_chip(&job->conf, c, job->parts, &low);

    if (!err) {
        const struct trench_step_rings_conf rings = {
            .ops = at->ops,
            .opaque = at->opaque,
            .gen = job->conf.gen,
            .work = low.work,
            .nr_work = low.nr_pairs,
            .nr_parts = low.nr_parts,
            .done = done,
        };

        err = trench_step_rings_create(&rings, &job->chips[c].rings);
    }
    job->info.copies += low.nr_copies;
    job->info.reduces += low.nr_reduces;
    job->info.bytes += low.bytes;
    lower_fini(&low);
    return err;
}

static void count_descs(struct trench_coll_job *job,
                        const struct job_chip *chip)
{
    uint64_t pairs =
        (uint64_t)job->conf.chip_ranks * job->conf.engines * job->conf.queues;

    for (size_t i = 0; i < chip->block.nr_entries; i++) {
        job->info.m2s_descs += pairs * chip->block.entries[i].m2s_val;
        job->info.s2m_descs += pairs * chip->block.entries[i].s2m_val;
    }
}

static int make_chip(struct trench_coll_job *job, unsigned c,
                     struct trench_coll_job_error *err)
{
    const struct trench_coll_job_conf *conf = &job->conf;
    struct job_chip *chip = &job->chips[c];
    const struct trench_step_conf step = {
        .ops = conf->chips[c].ops,
        .opaque = conf->chips[c].opaque,
        .gen = conf->gen,
        .blocks = &chip->block,
        .nr_blocks = 1,
        .manager_engine = conf->manager_engine,
        .manager_queue = conf->manager_queue,
        .done = done,
        .no_broadcast = conf->no_broadcast,
        .polls = conf->polls,
        .timeout_ns = conf->timeout_ns,
    };
    int code = trench_gen_bell_addr(conf->gen, 0, TRENCH_BELL_HOST_TRIGGER,
                                    &chip->trigger);

    if (code) {
        return fail(err, code, c, "no host_trigger doorbell");
    }
    code = lay_rings(job, c);
    if (code) {
        return fail(err, code, c, "the rings cannot be laid");
    }
    fill_bundles(job, chip);
    count_descs(job, chip);
    err->step_nr = -1;
    err->chip = (int)c;
    return trench_step_create(&step, &chip->step, &err->step);
}

static int make(struct trench_coll_job *job, struct trench_coll_job_error *err)
{
    int code = 0;

    job->nr_steps = trench_coll_steps(job->conf.schedule);
    job->parts = calloc(job->nr_steps + 1, sizeof(*job->parts));
    if (!job->parts) {
        return fail(err, TRENCH_ERR_NOMEM, 0, "out of memory");
    }
    code = lower_parts(&job->conf, job->parts);
    if (code) {
        return fail(err, code, 0, "more descriptors than a ring has");
    }
    for (size_t s = 0; s < job->nr_steps; s++) {
        job->info.parts += job->parts[s];
    }
    for (unsigned c = 0; c < job->nr_chips && job->nr_steps > 0 && !code; c++) {
        code = make_chip(job, c, err);
    }
    return code;
}

int trench_coll_job_create(const struct trench_coll_job_conf *in,
                           struct trench_coll_job **out,
                           struct trench_coll_job_error *err)
{
    struct trench_coll_job_conf conf = complete(in);
    struct trench_coll_job_error mine;
    struct trench_coll_job *job = NULL;
    int code;
    const char *why = refusal(&conf, &code);

    if (why) {
        code = fail(&mine, code, 0, why);
    } else {
        unsigned nr_chips = conf.ranks / conf.chip_ranks;

        job = calloc(1, sizeof(*job) + nr_chips * sizeof(job->chips[0]));
        if (job) {
            job->conf = conf;
            job->nr_chips = nr_chips;
            code = make(job, &mine);
        } else {
            code = fail(&mine, TRENCH_ERR_NOMEM, 0, "out of memory");
        }
    }
    if (code) {
        trench_coll_job_destroy(job);
        if (err) {
            *err = mine;
        }
        return code;
    }
    job->conf.schedule = NULL; /* no longer used */
    *out = job;
    return 0;
}

void trench_coll_job_destroy(struct trench_coll_job *job)
{
    if (!job) {
        return;
    }
    for (unsigned c = 0; c < job->nr_chips; c++) {
        trench_step_destroy(job->chips[c].step);
        trench_step_rings_destroy(job->chips[c].rings);
    }
    free(job->parts);
    free(job);
}

void trench_coll_job_info(const struct trench_coll_job *job,
                          struct trench_coll_job_info *out)
{
    *out = job->info;
}

struct trench_step *trench_coll_job_step(const struct trench_coll_job *job,
                                         unsigned chip)
{
    return chip < job->nr_chips ? job->chips[chip].step : NULL;
}

size_t trench_coll_job_step_of(const struct trench_coll_job *job, size_t part)
{
    size_t step = 0;

    while (step + 1 < job->nr_steps && part >= job->parts[step]) {
        part -= job->parts[step];
        step++;
    }
    return step;
}

/* ---- running ------------------------------------------------------------- */

static int trigger(const struct trench_coll_job *job, unsigned c,
                   struct trench_coll_job_error *err)
{
    const struct trench_coll_chip *at = &job->conf.chips[c];
    int code = at->ops->write32(at->opaque, job->chips[c].trigger, 1);

    trench_step_begin(job->chips[c].step);
    return code ? fail(err, code, c, "the host_trigger doorbell is refused")
                : 0;
}

/* Take all chips on by a part, or to the end. */
static int next(const struct trench_coll_job *job,
                struct trench_step_stats *stats,
                struct trench_coll_job_error *err)
{
    int code = 0;

    for (unsigned c = 0; c < job->nr_chips && code >= 0; c++) {
        err->chip = (int)c;
        code = trench_step_next(job->chips[c].step, stats, &err->step);
    }
    return code < 0 ? code : 0;
}

int trench_coll_job_run(struct trench_coll_job *job,
                        struct trench_step_stats *stats,
                        struct trench_coll_job_error *err)
{
    struct trench_coll_job_error mine;
    size_t part = 0;
    int code = 0;

    if (job->nr_steps == 0) {
        return 0;
    }
    for (unsigned c = 0; c < job->nr_chips && !code; c++) {
        code = trigger(job, c, &mine);
    }
    /* One more: behind the last part comes the completion. */
    for (part = 0; part <= job->info.parts && !code; part++) {
        mine.step_nr = -1;
        code = next(job, stats, &mine);
    }
    if (code && part > 0 && part <= job->info.parts) {
        mine.step_nr = (long)trench_coll_job_step_of(job, part - 1);
    }
    if (code && err) {
        *err = mine;
    }
    return code;
}
