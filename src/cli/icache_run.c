/* SPDX-License-Identifier: BSD-3-Clause */
/* Chips, caches, and the way of a trace through them. */
#include "icache.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define BATCH 32768u /* records at a time, to every point */

/* Behind what software keeps at the start of HBM; not 0 (icache.h). */
#define STAGE_AT  (UINT64_C(1) << 30)
#define STAGE_MIN 0x8000u /* alignment of a staged stream (1.6) */

/* ---- opening ------------------------------------------------------------- */

static int open_image(struct icache_run *run)
{
    const struct icache_opts *o = run->opts;
    char why[ICACHE_IMAGE_WHY];
    int fd = open(o->image, O_RDONLY | O_CLOEXEC);
    int err;

    if (fd < 0) {
        cli_error(o->prog, "%s: %s", o->image, strerror(errno));
        return -1;
    }
    err = icache_image_read(fd, o->section, &run->image, why);
    close(fd);
    if (err) {
        cli_error(o->prog, "%s: %s", o->image, why);
        return -1;
    }
    run->mapped.addr = run->image.addr + o->base; /* wraps as addresses do */
    run->mapped.bytes = run->image.bytes;
    run->mapped.size_bytes = run->image.size_bytes;
    return 0;
}

static int open_trace(struct icache_run *run)
{
    const struct icache_opts *o = run->opts;
    int fd = strcmp(o->trace, "-") == 0
                 ? fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0)
                 : open(o->trace, O_RDONLY | O_CLOEXEC);

    if (fd < 0) {
        cli_error(o->prog, "%s: %s", o->trace, strerror(errno));
        return -1;
    }
    run->trace = malloc(sizeof(*run->trace));
    if (!run->trace || !icache_trace_open(run->trace, fd)) {
        cli_error(o->prog, "out of memory");
        close(fd);
        free(run->trace);
        run->trace = NULL;
        return -1;
    }
    return 0;
}

/* One 'S:' line; the firmware's own text, so no prefix. */
static void print_log(void *opaque, enum trench_log_level level,
                      const char *line)
{
    (void)opaque;
    (void)level;
    fprintf(stderr, "%s\n", line);
}

static bool is_hardware(uint32_t block, uint32_t iram)
{
    return iram == TRENCH_ICACHE_REGION_BYTES && (block & (block - 1)) == 0 &&
           block >= TRENCH_ICACHE_MIN_BLOCK && block <= TRENCH_ICACHE_MAX_BLOCK;
}

/* The stream in memory, a whole number of blocks. */
static int stage(struct icache_run *run, struct icache_point *point)
{
    uint64_t padded = (uint64_t)point->nr_fills * point->block;
    void *host =
        trench_bus_host(trench_soc_bus(point->soc), run->stream, padded);

    if (!host) {
        cli_error(run->opts->prog, "the image does not fit HBM");
        return -1;
    }
    memcpy(host, run->image.bytes, run->image.size_bytes);
    return 0;
}

static int create_chip(struct icache_run *run, struct icache_point *point)
{
    const struct icache_opts *o = run->opts;
    const struct trench_soc_conf conf = {
        .gen = o->common.gen,
        .mailbox_words = o->words,
        .mailbox_polls = o->latency,
        .seq_iram_bytes = TRENCH_SOC_SEQ_IRAM_MAX,
    };
    int err = trench_soc_create(&conf, &point->soc);

    if (err) {
        cli_error(o->prog, "cannot create the chip: %s", trench_strerror(err));
    }
    return err ? -1 : 0;
}

static int create_cache(struct icache_run *run, struct icache_point *point)
{
    const struct icache_opts *o = run->opts;
    const struct trench_icache_conf conf = {
        .bus = trench_soc_bus(point->soc),
        .gen = o->common.gen,
        .core = o->core,
        .seq = o->seq,
        .backend = o->backend,
        .words = o->words,
        .block_bytes = point->block,
        .free_geometry = !point->hardware,
        .region_bytes = o->iram,
        .stream_base = run->stream,
        .stream_bytes = run->image.size_bytes,
        .sunda_mode = o->sunda_mode,
        .prefetch = o->prefetch,
        .block_fills = point->fills,
        .nr_block_fills = point->nr_fills,
        .log = o->log ? print_log : NULL,
    };
    int err = trench_icache_create(&conf, NULL, &point->ic);

    if (err == TRENCH_ERR_NOTSUP) {
        cli_error(o->prog, "%s: no fill mailbox is known; use --backend ring",
                  o->common.gen->name);
    } else if (err) {
        cli_error(o->prog, "cannot start the cache: %s", trench_strerror(err));
    }
    return err ? -1 : 0;
}

static int open_point(struct icache_run *run, uint32_t block)
{
    struct icache_point *point = &run->points[run->nr_points++];

    point->block = block;
    point->lines = run->opts->iram / block;
    point->hardware = is_hardware(block, run->opts->iram);
    point->nr_fills = (size_t)((run->image.size_bytes + block - 1) / block);
    point->fills = calloc(point->nr_fills, sizeof(*point->fills));
    if (!point->fills) {
        cli_error(run->opts->prog, "out of memory");
        return -1;
    }
    run->stream = STAGE_AT;
    while (run->stream % block != 0 || run->stream % STAGE_MIN != 0) {
        run->stream += STAGE_MIN; /* block is not always a power of two */
    }
    return create_chip(run, point) || stage(run, point) ||
                   create_cache(run, point)
               ? -1
               : 0;
}

int icache_run_open(const struct icache_opts *opts, struct icache_run *run)
{
    uint32_t first = opts->sweep_first ? opts->sweep_first : opts->block;
    uint32_t last = opts->sweep_first ? opts->sweep_last : opts->block;

    memset(run, 0, sizeof(*run));
    run->opts = opts;
    if (opts->core >= opts->common.gen->nr_cores) {
        cli_error(opts->prog, "%s has NeuronCores 0 to %u",
                  opts->common.gen->name, opts->common.gen->nr_cores - 1u);
        return -1;
    }
    if (open_image(run) || open_trace(run)) {
        return -1;
    }
    for (uint32_t block = first; block <= last; block *= 2) {
        if (open_point(run, block)) {
            return -1;
        }
    }
    return 0;
}

void icache_run_close(struct icache_run *run)
{
    for (unsigned i = 0; i < run->nr_points; i++) {
        trench_icache_destroy(run->points[i].ic);
        trench_soc_destroy(run->points[i].soc);
        free(run->points[i].fills);
    }
    if (run->trace) {
        icache_trace_close(run->trace);
        free(run->trace);
    }
    icache_image_free(&run->image);
}

/* ---- replaying ----------------------------------------------------------- */

static int replay_batch(struct icache_run *run,
                        const struct trench_icache_record *records, size_t nr)
{
    for (unsigned i = 0; i < run->nr_points; i++) {
        struct icache_point *point = &run->points[i];
        int err = trench_icache_replay(point->ic, &run->mapped, records, nr);

        if (err) {
            cli_error(run->opts->prog, "the sequencer stopped: %s",
                      trench_strerror(err));
            return -1;
        }
    }
    return 0;
}

static uint64_t expected_bytes(const struct icache_run *run)
{
    struct stat st;

    return fstat(run->trace->in.fd, &st) == 0 && S_ISREG(st.st_mode) &&
                   st.st_size > 0
               ? (uint64_t)st.st_size
               : 0;
}

static int replay_all(struct icache_run *run,
                      struct trench_icache_record *records)
{
    struct cli_progress progress;
    size_t nr;
    int err = 0;

    cli_progress_start(&progress, -1, 0);
    while (!err && (nr = icache_trace_read(run->trace, records, BATCH)) > 0) {
        if (run->trace->in.looked && !run->trace->in.gzip) {
            progress.total = expected_bytes(run);
        }
        err = replay_batch(run, records, nr);
        cli_progress_update(&progress, run->trace->bytes);
    }
    cli_progress_clear(&progress);
    return err;
}

/* The image was not where the trace was: say where that is. */
static void explain_outside(const struct icache_run *run)
{
    const struct icache_trace_counts *c = &run->trace->counts;

    cli_error(
        run->opts->prog,
        "no address of the trace (0x%llx to 0x%llx) is in the image "
        "(0x%llx to 0x%llx)%s",
        (unsigned long long)c->lowest, (unsigned long long)c->highest,
        (unsigned long long)run->mapped.addr,
        (unsigned long long)(run->mapped.addr + run->mapped.size_bytes - 1),
        run->image.relocatable && !run->opts->base_given
            ? "; it is position-independent, say with --base where it "
              "was loaded (by valgrind: 0x108000)"
            : "; --base moves it");
}

/* What was wrong with the trace. Returns -1 when the result is no result. */
static int judge_trace(const struct icache_run *run)
{
    const struct icache_trace_counts *c = &run->trace->counts;
    const char *prog = run->opts->prog;
    int err = 0;

    if (c->not_understood > 0) {
        cli_error(prog,
                  "%s: %llu of %llu lines not understood, the first is "
                  "line %llu",
                  run->opts->trace, (unsigned long long)c->not_understood,
                  (unsigned long long)c->lines,
                  (unsigned long long)c->first_bad);
    }
    if (run->trace->in.why) {
        cli_error(prog, "%s: %s", run->opts->trace, run->trace->in.why);
        err = -1;
    }
    if (c->records == 0) {
        cli_error(prog, "%s: it holds no executed address", run->opts->trace);
        return -1;
    }
    if (run->points[0].stats.out_of_bounds == c->records) {
        explain_outside(run);
        err = -1;
    }
    return err;
}

static int judge_point(const struct icache_run *run,
                       const struct icache_point *point)
{
    if (point->stats.mismatches == 0 && point->stats.failed == 0) {
        return 0;
    }
    cli_error(run->opts->prog,
              "blocks of %u bytes: %llu records executed other bytes than the "
              "image's, %llu fills failed",
              point->block, (unsigned long long)point->stats.mismatches,
              (unsigned long long)point->stats.failed);
    return -1;
}

int icache_run_replay(struct icache_run *run)
{
    struct trench_icache_record *records = calloc(BATCH, sizeof(*records));
    uint64_t start_ns = cli_now_ns();
    int err;

    if (!records) {
        cli_error(run->opts->prog, "out of memory");
        return -1;
    }
    err = replay_all(run, records);
    free(records);
    run->ns = cli_now_ns() - start_ns;
    for (unsigned i = 0; i < run->nr_points; i++) {
        trench_icache_stats(run->points[i].ic, &run->points[i].stats);
        err |= judge_point(run, &run->points[i]);
    }
    return err | judge_trace(run);
}
