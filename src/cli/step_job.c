/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A step for trench step: the data is cut into a chunk a pair and step, the
 * rings are laid in HBM behind the source, and the firmware's part runs on
 * the rig's chip.
 */
#include "step.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "pattern.h"

/* Room for rings; no more of it is touched than is used. */
#define RINGS_BYTES (UINT64_C(4) << 30)
#define ALIGN       (UINT64_C(2) << 20)
#define CHUNK_STEP  64u
#define READ_STEP   ((size_t)1 << 20)
/* The chip runs before a write returns: more polls would see the same. */
#define POLLS 16u
/* Broadcasts of a block: two resets and two bells a queue and half. */
#define MAX_DELIVERIES (4u * TRENCH_NR_QUEUES * STEP_BUNDLES)

static int fail(const struct step_run *run, const char *what, int err)
{
    cli_error(run->opts->prog, "%s: %s", what, trench_strerror(err));
    return -1;
}

/* ---- data ---------------------------------------------------------------- */

static int make_random(struct step_run *run)
{
    uint64_t state = run->opts->seed;

    run->len = run->opts->bytes;
    run->data = malloc(run->len);
    if (!run->data) {
        return fail(run, "data", TRENCH_ERR_NOMEM);
    }
    for (size_t i = 0; i < run->len; i += 8) {
        uint64_t word = cli_random(&state);

        memcpy(run->data + i, &word, run->len - i < 8 ? run->len - i : 8);
    }
    return 0;
}

/* The file cannot be read; says why as the other commands do. */
static int fail_in(const struct step_run *run)
{
    cli_error(run->opts->prog, "%s: %s", run->opts->in, strerror(errno));
    return -1;
}

/* @return 1 at the end of the file. */
static int read_some(struct step_run *run, size_t *room)
{
    ssize_t got;

    if (*room - run->len < READ_STEP) {
        size_t more = *room ? 2 * *room : READ_STEP;
        uint8_t *data = realloc(run->data, more);

        if (!data) {
            return fail(run, run->opts->in, TRENCH_ERR_NOMEM);
        }
        run->data = data;
        *room = more;
    }
    do {
        got = read(run->in_fd, run->data + run->len, READ_STEP);
    } while (got < 0 && errno == EINTR);
    if (got < 0) {
        return fail_in(run);
    }
    run->len += (size_t)got;
    if (run->len > STEP_BYTES_MAX) {
        cli_error(run->opts->prog, "%s: more than %s", run->opts->in,
                  cli_human((double)STEP_BYTES_MAX).s);
        return -1;
    }
    return got == 0;
}

static int read_file(struct step_run *run)
{
    size_t room = 0;
    int done = 0;

    run->in_fd = strcmp(run->opts->in, "-") == 0
                     ? STDIN_FILENO
                     : open(run->opts->in, O_RDONLY | O_CLOEXEC);
    if (run->in_fd < 0) {
        return fail_in(run);
    }
    while (done == 0) {
        done = read_some(run, &room);
    }
    return done < 0 ? -1 : 0;
}

static int open_files(struct step_run *run)
{
    const struct step_opts *o = run->opts;

    if ((o->in ? read_file(run) : make_random(run)) < 0) {
        return -1;
    }
    return o->out ? cli_output_open(o->prog, o->out, run->in_fd, &run->output)
                  : 0;
}

/* ---- the chip ------------------------------------------------------------ */

static unsigned first_member(const struct cli_set *set)
{
    unsigned i = 0;

    while (!set->has[i]) {
        i++;
    }
    return i;
}

/* Engines of the step by their numbers on the chip, and the manager. */
static int choose_engines(struct step_run *run, struct cli_set *out)
{
    const struct step_opts *o = run->opts;
    const struct trench_gen *gen = o->common.gen;
    unsigned first = o->core * TRENCH_NCFW_LANES;

    memset(out, 0, sizeof(*out));
    run->manager = o->manager < 0 ? gen->nr_engines - 1u : (unsigned)o->manager;
    run->manager_queue = first_member(&o->queues);
    for (unsigned e = 0; e < TRENCH_NCFW_ENGINES; e++) {
        unsigned id = first + e;

        if (!o->engines.has[e]) {
            continue;
        }
        if (id >= gen->nr_cores * gen->engines_per_core) {
            cli_error(o->prog,
                      "engine %u: %s has engines 0-%u at its NeuronCores", id,
                      gen->name, gen->nr_cores * gen->engines_per_core - 1);
            return -1;
        }
        out->has[id] = true;
        out->count++;
    }
    if (run->manager >= gen->nr_engines) {
        cli_error(o->prog, "--manager: %s has engines 0-%u", gen->name,
                  gen->nr_engines - 1u);
        return -1;
    }
    out->count += !out->has[run->manager];
    out->has[run->manager] = true;
    return 0;
}

static int open_chip(struct step_run *run)
{
    const struct step_opts *o = run->opts;
    size_t area = run->len > 0 ? run->len : 1;
    struct cli_set engines;
    struct cli_rig_conf conf = {
        .prog = o->prog,
        .gen = o->common.gen,
        .engines = &engines,
        .queues = &o->queues,
        .direction = CLI_D2D,
        .ring_entries = 64,
        .area_bytes = area,
        .verbose = o->verbose,
    };
    int err;

    if (choose_engines(run, &engines) < 0 ||
        cli_rig_open(&conf, &run->rig) < 0) {
        return -1;
    }
    err = trench_hal_bus_create(trench_soc_bus(run->rig.soc),
                                run->rig.src.addr +
                                    (area + ALIGN - 1) / ALIGN * ALIGN,
                                RINGS_BYTES, &run->hbm);
    return err ? fail(run, "memory for rings", err) : 0;
}

/* ---- rings --------------------------------------------------------------- */

static const struct trench_step_sema done = { TRENCH_SYNC_TOP_SP, 0,
                                              STEP_DONE_ID };

/* The copies of a pair in a step; as many as there are bytes for. */
static size_t cut(const struct step_run *run, size_t unit,
                  struct trench_copy *copies)
{
    uint64_t first = unit * run->chunk;
    uint64_t last = first + run->chunk;
    size_t nr = 0;

    last = last < run->len ? last : run->len;
    for (uint64_t at = first; at < last; nr++) {
        uint64_t len = last - at;

        len = len < TRENCH_HAL_DESC_BYTES ? len : TRENCH_HAL_DESC_BYTES;
        copies[nr] = (struct trench_copy){ run->rig.src.addr + at,
                                           run->rig.dst.addr + at,
                                           (uint32_t)len, TRENCH_BARRIER_NONE };
        at += len;
    }
    return nr;
}

/* Engine by engine, its queues one after the other. */
static void fill_work(const struct step_run *run, unsigned step,
                      struct trench_step_work *work, struct trench_copy *copies)
{
    const struct step_opts *o = run->opts;
    size_t unit = (size_t)step * run->nr_pairs;
    unsigned nr = 0;

    for (unsigned e = 0; e < TRENCH_NCFW_ENGINES; e++) {
        for (unsigned q = 0; q < TRENCH_NR_QUEUES; q++) {
            if (!o->engines.has[e] || !o->queues.has[q]) {
                continue;
            }
            work[nr++] = (struct trench_step_work){
                .engine = (uint16_t)(o->core * TRENCH_NCFW_LANES + e),
                .queue = (uint8_t)q,
                .copies = copies,
                .nr_copies = cut(run, unit, copies),
            };
            copies += work[nr - 1].nr_copies;
            unit++;
        }
    }
}

/* The bundle given takes its half of the virtual core, its twin the other. */
static void fill_bundles(struct step_run *run, unsigned step)
{
    const struct step_opts *o = run->opts;
    const struct trench_ncfw_channel *ch =
        trench_step_rings_channels(run->rings[step]);
    struct trench_step_block *block = &run->blocks[step];
    unsigned first = o->core * TRENCH_NCFW_LANES;
    size_t low = 0;

    while (low < run->nr_pairs && ch[low].engine - first < TRENCH_NCFW_LANES) {
        low++;
    }
    block->bundles = run->bundles[step];
    for (unsigned half = 0; half < STEP_BUNDLES; half++) {
        size_t nr = half ? run->nr_pairs - low : low;

        /* With a pcore of one's own there is nothing to divide. */
        if (o->own_pcore) {
            nr = half ? 0 : run->nr_pairs;
        }
        if (nr > 0) {
            run->bundles[step][block->nr_bundles++] =
                (struct trench_ncfw_plan_conf){
                    .bundle =
                        o->own_pcore ? o->bundle : o->bundle % 4 + 4 * half,
                    .reading = o->reading,
                    .nr_cores = o->core + 1u < o->common.gen->nr_cores ? 2 : 1,
                    .first_engine = first,
                    .own_pcore = o->own_pcore,
                    .pcore = o->pcore,
                    .channels = half ? ch + low : ch,
                    .nr_channels = nr,
                };
        }
    }
}

static int lay_step(struct step_run *run, unsigned step,
                    struct trench_step_work *work, struct trench_copy *copies)
{
    const struct trench_step_rings_conf conf = {
        .ops = trench_hal_bus_ops(),
        .opaque = run->hbm,
        .gen = run->opts->common.gen,
        .work = work,
        .nr_work = run->nr_pairs,
        .done = done,
    };
    int err;

    fill_work(run, step, work, copies);
    err = trench_step_rings_create(&conf, &run->rings[step]);
    if (err) {
        return fail(run, "data rings", err);
    }
    run->blocks[step].entries = trench_step_rings_entries(
        run->rings[step], &run->blocks[step].nr_entries);
    fill_bundles(run, step);
    return 0;
}

static int lay_rings(struct step_run *run)
{
    const struct step_opts *o = run->opts;
    uint64_t units;
    struct trench_step_work *work;
    struct trench_copy *copies;
    int err = 0;

    run->nr_pairs = o->engines.count * o->queues.count;
    units = (uint64_t)run->nr_pairs * o->steps;
    run->chunk = (run->len + units - 1) / units + CHUNK_STEP - 1;
    run->chunk -= run->chunk % CHUNK_STEP;
    work = calloc(run->nr_pairs, sizeof(*work));
    copies =
        calloc((size_t)run->nr_pairs * (run->chunk / TRENCH_HAL_DESC_BYTES + 1),
               sizeof(*copies));
    run->rings = calloc(o->steps, sizeof(*run->rings));
    run->bundles = calloc(o->steps, sizeof(*run->bundles));
    run->blocks = calloc(o->steps, sizeof(*run->blocks));
    run->deliveries = calloc(MAX_DELIVERIES, sizeof(*run->deliveries));
    if (!work || !copies || !run->rings || !run->bundles || !run->blocks ||
        !run->deliveries) {
        err = fail(run, "rings", TRENCH_ERR_NOMEM);
    }
    for (unsigned s = 0; s < o->steps && !err; s++) {
        err = lay_step(run, s, work, copies);
    }
    free(work);
    free(copies);
    return err;
}

/* ---- running ------------------------------------------------------------- */

static int create(struct step_run *run, bool no_broadcast,
                  struct trench_step **out)
{
    const struct trench_step_conf conf = {
        .ops = trench_hal_bus_ops(),
        .opaque = run->hbm,
        .gen = run->opts->common.gen,
        .blocks = run->blocks,
        .nr_blocks = run->opts->steps,
        .manager_engine = run->manager,
        .manager_queue = run->manager_queue,
        .done = done,
        .no_broadcast = no_broadcast,
        .polls = POLLS,
    };
    struct trench_step_error err;
    int code = trench_step_create(&conf, out, &err);

    if (code) {
        cli_error(run->opts->prog, "%s%s", err.text,
                  code == TRENCH_ERR_NOTSUP ? " (--no-broadcast)" : "");
        return -1;
    }
    return 0;
}

static void see_op(void *opaque, const struct trench_step_op *op)
{
    struct step_run *run = opaque;

    run->block = op->block;
}

static void see_delivery(void *opaque, const struct trench_bcast_delivery *d)
{
    struct step_run *run = opaque;

    if (run->block == 0 && run->nr_deliveries < MAX_DELIVERIES) {
        run->deliveries[run->nr_deliveries++] = *d;
    }
}

static int verify(const struct step_run *run)
{
    const uint8_t *dst = run->rig.dst.host;
    size_t i = 0;

    if (memcmp(dst, run->data, run->len) == 0) {
        return 0;
    }
    while (dst[i] == run->data[i]) {
        i++;
    }
    cli_error(run->opts->prog,
              "byte %zu is wrong after the step: expected %02x, got %02x", i,
              run->data[i], dst[i]);
    return -1;
}

/* No byte of the destination may be right before the step. */
static void place_data(const struct step_run *run)
{
    memcpy(run->rig.src.host, run->data, run->len);
    for (size_t i = 0; i < run->len; i++) {
        run->rig.dst.host[i] = (uint8_t)~run->data[i];
    }
}

static struct trench_bus_stats bus_diff(const struct trench_bus *bus,
                                        const struct trench_bus_stats *before)
{
    struct trench_bus_stats now;

    trench_bus_stats(bus, &now);
    now.reads -= before->reads;
    now.writes -= before->writes;
    now.engine_reads -= before->engine_reads;
    now.engine_writes -= before->engine_writes;
    return now;
}

static int run_one(struct step_run *run, struct trench_step *step,
                   struct step_cost *cost)
{
    struct trench_bus *bus = trench_soc_bus(run->rig.soc);
    struct trench_bus_stats before;
    struct trench_step_error err;
    uint64_t trigger;
    int code;

    place_data(run);
    code = trench_gen_bell_addr(run->opts->common.gen, 0,
                                TRENCH_BELL_HOST_TRIGGER, &trigger);
    if (!code) {
        code = trench_bus_write32(bus, trigger, 1);
    }
    if (code) {
        return fail(run, "host_trigger", code);
    }
    trench_bus_stats(bus, &before);
    trench_step_set_trace(step, see_op, run);
    code = trench_step_run(step, &cost->step, &err);
    cost->bus = bus_diff(bus, &before);
    if (code) {
        cli_error(run->opts->prog, "%s: %s", err.text, trench_strerror(code));
        return -1;
    }
    cost->ran = true;
    return verify(run);
}

int step_open(const struct step_opts *opts, struct step_run *out)
{
    memset(out, 0, sizeof(*out));
    out->opts = opts;
    out->in_fd = -1;
    out->output.fd = -1;
    if (open_files(out) < 0 || open_chip(out) < 0 || lay_rings(out) < 0) {
        return -1;
    }
    return create(out, opts->no_broadcast, &out->step);
}

int step_go(struct step_run *run)
{
    const struct step_opts *o = run->opts;
    struct trench_step *other = NULL;
    int err;

    if (cli_faults_inject(o->prog, run->rig.soc, &o->faults) < 0) {
        return -1;
    }
    trench_soc_set_bcast(run->rig.soc, see_delivery, run);
    err = run_one(run, run->step,
                  o->no_broadcast ? &run->one_by_one : &run->broadcast);
    trench_soc_set_bcast(run->rig.soc, NULL, NULL);
    if (!err && !o->no_broadcast) {
        err = create(run, true, &other);
        if (!err) {
            err = run_one(run, other, &run->one_by_one);
        }
        trench_step_destroy(other);
    }
    return err;
}

int step_finish(struct step_run *run)
{
    if (!run->opts->out) {
        return 0;
    }
    if (cli_output_write(&run->output, run->rig.dst.host, run->len) < 0) {
        return -1;
    }
    return cli_output_commit(&run->output);
}

void step_close(struct step_run *run)
{
    trench_step_destroy(run->step);
    for (unsigned s = 0; run->rings && s < run->opts->steps; s++) {
        trench_step_rings_destroy(run->rings[s]);
    }
    free(run->rings);
    free(run->bundles);
    free(run->blocks);
    free(run->deliveries);
    free(run->data);
    trench_hal_bus_destroy(run->hbm);
    cli_output_close(&run->output);
    cli_rig_close(&run->rig);
    if (run->in_fd > STDIN_FILENO) {
        close(run->in_fd);
    }
}
