/* SPDX-License-Identifier: BSD-3-Clause */
/* A collective as a trace of events, in virtual time. */
#include "coll_trace.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "output.h"

/* How long things take, in nanoseconds: H270. */
#define WRITE_NS       50.0 /* a register write of the firmware */
#define POLL_NS        100.0
#define DESC_NS        40.0 /* of M2S */
#define BYTES_PER_NS   16.0 /* of an engine */
#define FIRMWARE_TRACK 0u   /* engine e has track e + 1 */
#define BUFFER_BYTES   65536u

/* What is known of a chip. */
struct track {
    struct coll_trace *trace;
    unsigned chip;
    double now;   /* of its firmware */
    double start; /* of what the engines have been started for */
    bool started;
    size_t part;                            /* being run */
    struct trench_soc_engine_stats *before; /* of each engine */
};

struct coll_trace {
    const struct coll_run *run;
    struct cli_output output;
    char *buf;
    size_t len;
    bool failed; /* after a message */
    bool any;    /* an event has been written */
    /* Ends of the part that chips are at, and of the one before. */
    size_t part;
    double end;
    double last_end;
    struct track tracks[]; /* a chip each */
};

static void flush(struct coll_trace *t)
{
    if (!t->failed && t->len > 0) {
        t->failed = cli_output_write(&t->output, t->buf, t->len) < 0;
    }
    t->len = 0;
}

__attribute__((format(printf, 2, 3))) static void put(struct coll_trace *t,
                                                      const char *fmt, ...)
{
    va_list ap;
    int n;

    if (BUFFER_BYTES - t->len < 512) {
        flush(t);
    }
    va_start(ap, fmt);
    n = vsnprintf(t->buf + t->len, BUFFER_BYTES - t->len, fmt, ap);
    va_end(ap);
    t->len += n > 0 ? (size_t)n : 0;
}

/* Begin an event; its fields follow. Times are microseconds in the file. */
static void begin(struct coll_trace *t, const char *kind, unsigned chip,
                  unsigned track, const char *name)
{
    put(t, "%s\n{\"ph\":\"%s\",\"pid\":%u,\"tid\":%u,\"name\":\"%s\"",
        t->any ? "," : "", kind, chip, track, name);
    t->any = true;
}

static void name_track(struct coll_trace *t, unsigned chip, unsigned track,
                       const char *text)
{
    begin(t, "M", chip, track, "thread_name");
    put(t, ",\"args\":{\"name\":\"%s\"}}", text);
}

static void name_tracks(struct coll_trace *t)
{
    const struct coll_run *run = t->run;
    const struct trench_gen *gen = run->opts->common.gen;
    char text[64];

    for (unsigned c = 0; c < run->opts->chips; c++) {
        begin(t, "M", c, FIRMWARE_TRACK, "process_name");
        put(t, ",\"args\":{\"name\":\"%s %u\"}}", gen->name, c);
        name_track(t, c, FIRMWARE_TRACK, "firmware");
        name_track(t, c, gen->nr_engines, "manager");
        for (unsigned i = 0; i < run->chip_ranks * run->opts->engines; i++) {
            unsigned core = i / run->opts->engines;
            unsigned engine =
                core * gen->engines_per_core + i % run->opts->engines;

            snprintf(text, sizeof(text), "engine %u, rank %u", engine,
                     c * run->chip_ranks + core);
            name_track(t, c, engine + 1, text);
        }
    }
}

int coll_trace_open(const struct coll_run *run, const char *path,
                    struct coll_trace **out)
{
    unsigned chips = run->opts->chips;
    struct coll_trace *t = calloc(1, sizeof(*t) + chips * sizeof(t->tracks[0]));

    if (!t) {
        cli_error(run->opts->prog, "%s: out of memory", path);
        return -1;
    }
    *out = t;
    t->run = run;
    t->buf = malloc(BUFFER_BYTES);
    if (cli_output_open(run->opts->prog, path, -1, &t->output) < 0) {
        return -1;
    }
    for (unsigned c = 0; c < chips; c++) {
        t->tracks[c] = (struct track){
            .trace = t,
            .chip = c,
            .before = calloc(run->opts->common.gen->nr_engines,
                             sizeof(*t->tracks[c].before)),
        };
        t->failed = t->failed || !t->tracks[c].before;
    }
    if (!t->buf || t->failed) {
        cli_error(run->opts->prog, "%s: out of memory", path);
        t->failed = true;
        return -1;
    }
    put(t, "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[");
    name_tracks(t);
    return 0;
}

/* ---- events -------------------------------------------------------------- */

static void measure(const struct coll_trace *t, const struct track *track,
                    unsigned engine, struct trench_soc_engine_stats *out)
{
    if (trench_soc_engine_stats(t->run->chips[track->chip].soc, engine, out)) {
        memset(out, 0, sizeof(*out));
    }
}

static void remember(struct coll_trace *t, struct track *track)
{
    for (unsigned e = 0; e < t->run->opts->common.gen->nr_engines; e++) {
        measure(t, track, e, &track->before[e]);
    }
}

/* What an engine has done since it was started, as a slice. */
static double put_slice(struct coll_trace *t, struct track *track,
                        unsigned engine, const char *name)
{
    struct trench_soc_engine_stats now;
    struct trench_soc_engine_stats *was = &track->before[engine];
    uint64_t descs;
    uint64_t bytes;
    double ns;

    measure(t, track, engine, &now);
    descs = now.tx_descs - was->tx_descs;
    bytes = now.bytes - was->bytes;
    if (descs == 0) {
        return 0;
    }
    ns = (double)descs * DESC_NS + (double)bytes / BYTES_PER_NS;
    begin(t, "X", track->chip, engine + 1, name);
    put(t,
        ",\"ts\":%.3f,\"dur\":%.3f,\"args\":{\"m2s_descriptors\":%" PRIu64
        ",\"s2m_descriptors\":%" PRIu64 ",\"bytes\":%" PRIu64 "}}",
        track->start * 1e-3, ns * 1e-3, descs, now.rx_descs - was->rx_descs,
        bytes);
    *was = now;
    return ns;
}

/* All engines of a chip have signalled. */
static void put_slices(struct coll_trace *t, struct track *track,
                       const char *name)
{
    double longest = 0;

    for (unsigned e = 0; e < t->run->opts->common.gen->nr_engines; e++) {
        double ns = put_slice(t, track, e, name);

        longest = ns > longest ? ns : longest;
    }
    if (track->start + longest > track->now) {
        track->now = track->start + longest;
    }
    track->started = false;
}

static void put_sema(struct coll_trace *t, const struct track *track,
                     const struct trench_step_op *op, uint32_t val)
{
    begin(t, "C", track->chip, FIRMWARE_TRACK, op->name);
    put(t, ",\"ts\":%.3f,\"args\":{\"value\":%" PRIu32 "}}", track->now * 1e-3,
        val);
}

/* No chip begins with a part before all have ended the one before. */
static void meet(struct coll_trace *t, struct track *track)
{
    if (track->part > t->part) {
        t->part = track->part;
        t->last_end = t->end;
    }
    if (track->now < t->last_end) {
        track->now = t->last_end;
    }
}

static void put_write(struct coll_trace *t, struct track *track,
                      const struct trench_step_op *op)
{
    if (op->bell && !track->started) {
        if (op->phase == TRENCH_STEP_BROADCAST) {
            meet(t, track);
        }
        track->started = true;
    }
    begin(t, "i", track->chip, FIRMWARE_TRACK, op->name);
    put(t,
        ",\"s\":\"t\",\"ts\":%.3f,\"args\":{\"phase\":\"%s\",\"address\":"
        "\"0x%" PRIx64 "\",\"value\":\"0x%08" PRIx32 "\"}}",
        track->now * 1e-3, trench_step_phase_name(op->phase), op->addr,
        op->val);
    track->now += WRITE_NS;
    track->start = track->now; /* engines begin at their last bell */
    if (op->phase == TRENCH_STEP_WAIT) {
        put_sema(t, track, op, 0);
    }
}

static void see(void *opaque, const struct trench_step_op *op)
{
    struct track *track = opaque;
    struct coll_trace *t = track->trace;
    char name[32];

    if (op->kind == TRENCH_STEP_WRITE) {
        put_write(t, track, op);
        return;
    }
    if (op->phase == TRENCH_STEP_REPROGRAM) {
        put_slices(t, track, "reprogram");
    } else if (op->phase == TRENCH_STEP_WAIT) {
        snprintf(name, sizeof(name), "part %zu", track->part);
        put_slices(t, track, name);
        put_sema(t, track, op, op->val);
        t->end = track->now > t->end ? track->now : t->end;
        track->part++;
    }
    track->now += POLL_NS;
}

void coll_trace_watch(struct coll_trace *t, const struct trench_coll_job *job)
{
    for (unsigned c = 0; c < t->run->opts->chips; c++) {
        struct trench_step *step = trench_coll_job_step(job, c);

        if (step) {
            remember(t, &t->tracks[c]);
            trench_step_set_trace(step, see, &t->tracks[c]);
        }
    }
}

void coll_trace_leave(struct coll_trace *t, const struct trench_coll_job *job)
{
    for (unsigned c = 0; c < t->run->opts->chips; c++) {
        struct trench_step *step = trench_coll_job_step(job, c);

        if (step) {
            trench_step_set_trace(step, NULL, NULL);
        }
    }
}

int coll_trace_seal(struct coll_trace *t)
{
    put(t, "\n]}\n");
    flush(t);
    return t->failed ? -1 : cli_output_seal(&t->output);
}

int coll_trace_finish(struct coll_trace *t)
{
    return cli_output_commit(&t->output);
}

void coll_trace_close(struct coll_trace *t)
{
    if (!t) {
        return;
    }
    for (unsigned c = 0; c < t->run->opts->chips; c++) {
        free(t->tracks[c].before);
    }
    cli_output_close(&t->output);
    free(t->buf);
    free(t);
}
