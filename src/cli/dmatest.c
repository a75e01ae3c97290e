/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * trench dmatest: the parameters and the lines of the Linux kernel's dmatest,
 * over queues of a modelled chip. A "thread" is one queue of one engine; the
 * threads take turns, so that every round has work on all queues at once.
 */
#include "dmatest.h"
#include "pattern.h"
#include "rig.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#define MAX_REPORTED 32u /* wrong bytes of one test that are printed */
#define BUF_ALIGN    64u
#define NS_PER_MS    UINT64_C(1000000)

/* One queue under test. */
struct thread {
    char name[32]; /* "e0q3-copy0" */
    struct cli_rig_pair *pair;
    uint64_t random;
    uint8_t *src; /* buffers of buf_bytes */
    uint8_t *dst;
    uint64_t src_addr;
    uint64_t dst_addr;
    uint32_t src_off; /* of the current test */
    uint32_t dst_off;
    uint32_t len;
    uint32_t key;
    int err;        /* of the current test */
    int last_err;   /* of the last test that failed with a code */
    uint32_t tests; /* so far */
    uint32_t failures;
    uint64_t bytes;
    uint64_t dma_ns;
};

/* A run of the command. */
struct dmatest {
    const char *prog;
    const struct cli_dmatest_options *options;
    struct cli_rig rig;
    struct thread *threads;
    unsigned nr_threads;
    FILE *log; /* Lines about tests: results, unless there is JSON. */
};

/* Lengths and offsets as the kernel's dmatest draws them. */
static void draw(const struct cli_dmatest_options *o, struct thread *t)
{
    uint32_t mask = ~((UINT32_C(1) << o->align_log2) - 1);

    t->len = o->transfer_bytes;
    if (t->len == 0) {
        t->len = o->buf_bytes;
        if (!o->norandom) {
            t->len = (uint32_t)(cli_random(&t->random) % o->buf_bytes) + 1;
        }
        t->len &= mask;
        if (t->len == 0) {
            t->len = UINT32_C(1) << o->align_log2;
        }
    }
    t->src_off = 0;
    t->dst_off = 0;
    if (!o->norandom) {
        uint32_t room = o->buf_bytes - t->len + 1;

        t->src_off = (uint32_t)(cli_random(&t->random) % room) & mask;
        t->dst_off = (uint32_t)(cli_random(&t->random) % room) & mask;
    }
    t->key = (uint32_t)cli_random(&t->random);
}

/* Before, inside and after the data of one buffer. */
enum {
    NR_RUNS = 3
};

static void source_runs(const struct cli_dmatest_options *o,
                        const struct thread *t,
                        struct cli_pattern_run runs[NR_RUNS])
{
    size_t end = (size_t)t->src_off + t->len;

    runs[0] =
        (struct cli_pattern_run){ t->src, 0, t->src_off, CLI_PATTERN_SRC_OUT,
                                  t->key, 0 };
    runs[1] = (struct cli_pattern_run){ t->src, t->src_off,
                                        t->len, CLI_PATTERN_SRC_IN,
                                        t->key, t->src_off };
    runs[2] = (struct cli_pattern_run){
        t->src, end, o->buf_bytes - end, CLI_PATTERN_SRC_OUT, t->key, end
    };
}

/* As it must be after the copy: source data in the middle. */
static void dest_runs(const struct cli_dmatest_options *o,
                      const struct thread *t,
                      struct cli_pattern_run runs[NR_RUNS])
{
    size_t end = (size_t)t->dst_off + t->len;

    runs[0] =
        (struct cli_pattern_run){ t->dst, 0, t->dst_off, CLI_PATTERN_DST_OUT,
                                  t->key, 0 };
    runs[1] = (struct cli_pattern_run){ t->dst, t->dst_off,
                                        t->len, CLI_PATTERN_SRC_IN,
                                        t->key, t->src_off };
    runs[2] = (struct cli_pattern_run){
        t->dst, end, o->buf_bytes - end, CLI_PATTERN_DST_OUT, t->key, end
    };
}

static void fill_buffers(const struct cli_dmatest_options *o,
                         const struct thread *t)
{
    struct cli_pattern_run runs[2 * NR_RUNS];

    source_runs(o, t, runs);
    dest_runs(o, t, runs + NR_RUNS);
    runs[NR_RUNS + 1].region = CLI_PATTERN_DST_IN;
    runs[NR_RUNS + 1].index = t->dst_off;
    for (size_t i = 0; i < CLI_ARRAY_LEN(runs); i++) {
        cli_pattern_fill(&runs[i]);
    }
}

static void report_byte(const struct dmatest *d, const struct thread *t,
                        const struct cli_pattern_run *run, size_t i)
{
    static const char *const faults[] = {
        [CLI_PATTERN_NOT_COPIED] = "not copied",
        [CLI_PATTERN_WAS_COPIED] = "was copied",
        [CLI_PATTERN_MISMATCH] = "mismatch",
    };
    size_t pos = run->first + i;
    bool is_src = run->buf == t->src;

    fprintf(d->log, "dmatest: %s: %s[0x%zx] %s! Expected %02x, got %02x\n",
            t->name, is_src ? "srcbuf" : "dstbuf", pos,
            is_src ? "overwritten" : faults[cli_pattern_explain(run, i)],
            cli_pattern_byte(run->region, run->key, run->index + i),
            run->buf[pos]);
}

/* Returns wrong bytes; prints those that are not past the limit. */
static uint64_t check_run(const struct dmatest *d, const struct thread *t,
                          const struct cli_pattern_run *run, uint64_t before)
{
    uint64_t wrong = 0;

    if (cli_pattern_intact(run)) {
        return 0;
    }
    for (size_t i = 0; i < run->len; i++) {
        if (run->buf[run->first + i] ==
            cli_pattern_byte(run->region, run->key, run->index + i)) {
            continue;
        }
        if (before + wrong < MAX_REPORTED) {
            report_byte(d, t, run, i);
        }
        wrong++;
    }
    return wrong;
}

/* Returns wrong bytes of both buffers. */
static uint64_t check_buffers(const struct dmatest *d, const struct thread *t)
{
    struct cli_pattern_run runs[2 * NR_RUNS];
    uint64_t wrong = 0;

    source_runs(d->options, t, runs);
    dest_runs(d->options, t, runs + NR_RUNS);
    for (size_t i = 0; i < CLI_ARRAY_LEN(runs); i++) {
        wrong += check_run(d, t, &runs[i], wrong);
    }
    if (wrong > MAX_REPORTED) {
        fprintf(d->log, "dmatest: %s: %" PRIu64 " errors suppressed\n", t->name,
                wrong - MAX_REPORTED);
    }
    return wrong;
}

static void inject_fault(const struct cli_dmatest_options *o, struct thread *t)
{
    size_t last = (size_t)t->dst_off + t->len - 1;
    struct cli_pattern_run run;

    switch (o->inject) {
    case CLI_INJECT_NONE:
        return;
    case CLI_INJECT_MISSING:
        run = (struct cli_pattern_run){ t->dst, t->dst_off,
                                        t->len, CLI_PATTERN_DST_IN,
                                        t->key, t->dst_off };
        cli_pattern_fill(&run);
        return;
    case CLI_INJECT_SPILL:
        if (last + 1 < o->buf_bytes) {
            t->dst[last + 1] =
                cli_pattern_byte(CLI_PATTERN_SRC_OUT, t->key, last);
        } else if (t->dst_off > 0) {
            t->dst[t->dst_off - 1] =
                cli_pattern_byte(CLI_PATTERN_SRC_OUT, t->key, last);
        }
        return;
    case CLI_INJECT_WRONG:
        t->dst[t->dst_off] ^= 1;
        return;
    case CLI_INJECT_SOURCE:
        t->src[t->src_off] ^= 1;
        return;
    }
}

static void print_result(const struct dmatest *d, const struct thread *t,
                         const char *what, long long data)
{
    fprintf(d->log,
            "dmatest: %s: result #%u: '%s' with src_off=0x%x dst_off=0x%x "
            "len=0x%x (%lld)\n",
            t->name, t->tests, what, t->src_off, t->dst_off, t->len, data);
}

/* Write the descriptors of the next test. */
static void prepare(const struct dmatest *d, struct thread *t)
{
    const struct cli_dmatest_options *o = d->options;
    uint64_t start;

    draw(o, t);
    if (!o->noverify) {
        fill_buffers(o, t);
    }
    start = cli_now_ns();
    t->err = trench_hal_copy(t->pair->queue, t->dst_addr + t->dst_off,
                             t->src_addr + t->src_off, t->len, 0);
    t->dma_ns += cli_now_ns() - start;
    t->tests++;
}

static void submit(struct thread *t)
{
    uint64_t start = cli_now_ns();

    if (t->err > 0) {
        t->err = trench_hal_submit(t->pair->queue);
    }
    t->dma_ns += cli_now_ns() - start;
}

/* A queue that failed starts afresh, so that the next test means something. */
static void fail_test(struct dmatest *d, struct thread *t)
{
    const char *what =
        t->err == TRENCH_ERR_TIMEDOUT ? "test timed out" : "transfer error";
    int err;

    t->failures++;
    t->last_err = t->err;
    print_result(d, t, what, t->err);
    cli_rig_complain(&d->rig, t->pair, t->err);
    err = trench_hal_queue_reset(t->pair->queue);
    if (err < 0) {
        cli_rig_complain(&d->rig, t->pair, err);
    }
}

static void conclude(struct dmatest *d, struct thread *t)
{
    const struct cli_dmatest_options *o = d->options;
    uint64_t start = cli_now_ns();
    uint64_t wrong = 0;

    if (t->err > 0) {
        t->err = trench_hal_wait(t->pair->queue, o->timeout_ms * NS_PER_MS);
    }
    t->dma_ns += cli_now_ns() - start;
    if (t->err < 0) {
        fail_test(d, t);
        return;
    }
    t->bytes += t->len;
    if (!o->noverify) {
        inject_fault(o, t);
        wrong = check_buffers(d, t);
    }
    if (wrong > 0) {
        t->failures++;
        print_result(d, t, "data error", (long long)wrong);
    } else if (o->verbose) {
        print_result(d, t, "test passed", 0);
    }
}

static void run_rounds(struct dmatest *d)
{
    for (uint32_t round = 0; round < d->options->iterations; round++) {
        for (unsigned i = 0; i < d->nr_threads; i++) {
            prepare(d, &d->threads[i]);
        }
        for (unsigned i = 0; i < d->nr_threads; i++) {
            submit(&d->threads[i]);
        }
        for (unsigned i = 0; i < d->nr_threads; i++) {
            conclude(d, &d->threads[i]);
        }
    }
}

/* Threads of one engine together, as the kernel lists them. */
static int create_threads(struct dmatest *d)
{
    struct cli_rig *rig = &d->rig;
    unsigned per_engine = rig->nr_pairs / rig->nr_engines;
    uint64_t stride = (d->options->buf_bytes + BUF_ALIGN - 1u) / BUF_ALIGN *
                      (uint64_t)BUF_ALIGN;

    d->threads = calloc(rig->nr_pairs, sizeof(*d->threads));
    if (!d->threads) {
        cli_error(d->prog, "out of memory");
        return -1;
    }
    d->nr_threads = rig->nr_pairs;
    for (unsigned i = 0; i < d->nr_threads; i++) {
        struct thread *t = &d->threads[i];
        unsigned slot = i / per_engine;
        unsigned copy = i % per_engine;

        t->pair = &rig->pairs[copy * rig->nr_engines + slot];
        snprintf(t->name, sizeof(t->name), "e%uq%u-copy%u",
                 rig->engines[slot].id, t->pair->index, copy);
        /* A thread's tests do not depend on which others run. */
        t->random = d->options->seed ^
                    ((uint64_t)rig->engines[slot].id << 8 | t->pair->index)
                        << 40;
        t->src = rig->src.host + i * stride;
        t->dst = rig->dst.host + i * stride;
        t->src_addr = rig->src.addr + i * stride;
        t->dst_addr = rig->dst.addr + i * stride;
    }
    return 0;
}

/* What all threads add up to. */
struct test_sums {
    uint64_t tests;
    uint64_t failures;
    uint64_t bytes;
    uint64_t dma_ns;
};

static struct test_sums sum_up(const struct dmatest *d)
{
    struct test_sums sums = { 0 };

    for (unsigned i = 0; i < d->nr_threads; i++) {
        sums.tests += d->threads[i].tests;
        sums.failures += d->threads[i].failures;
        sums.bytes += d->threads[i].bytes;
        sums.dma_ns += d->threads[i].dma_ns;
    }
    return sums;
}

static void print_faults(const struct dmatest *d)
{
    for (unsigned i = 0; i < d->options->faults.nr; i++) {
        struct trench_fault_stats stats = { 0 };
        char text[80];

        cli_fault_text(&d->options->faults.list[i], text, sizeof(text));
        trench_soc_fault_stats(d->rig.soc, (int)i, &stats);
        printf("dmatest: fault %s: struck %" PRIu64 " of %" PRIu64 "\n", text,
               stats.struck, stats.seen);
    }
}

static void print_text(const struct dmatest *d, const struct test_sums *sums)
{
    for (unsigned i = 0; i < d->nr_threads; i++) {
        const struct thread *t = &d->threads[i];

        printf("dmatest: %s: summary %u tests, %u failures %.2f iops %.0f "
               "KB/s (%d)\n",
               t->name, t->tests, t->failures, cli_rate(t->tests, t->dma_ns),
               cli_rate(t->bytes, t->dma_ns) / 1024, t->last_err);
    }
    print_faults(d);
    printf("dmatest: Threads finished: %u threads on %u channels, %" PRIu64
           " tests, %" PRIu64 " failures %.2f iops %.0f KB/s\n",
           d->nr_threads, d->rig.nr_engines, sums->tests, sums->failures,
           cli_rate(sums->tests, sums->dma_ns),
           cli_rate(sums->bytes, sums->dma_ns) / 1024);
}

static json_t *threads_json(const struct dmatest *d)
{
    json_t *list = json_array();

    for (unsigned i = 0; i < d->nr_threads; i++) {
        const struct thread *t = &d->threads[i];

        json_array_append_new(
            list,
            json_pack("{s:s, s:i, s:i, s:I, s:I, s:I, s:f, s:f, s:i}", "name",
                      t->name, "engine", d->rig.engines[t->pair->slot].id,
                      "queue", t->pair->index, "tests", (json_int_t)t->tests,
                      "failures", (json_int_t)t->failures, "bytes",
                      (json_int_t)t->bytes, "iops",
                      cli_rate(t->tests, t->dma_ns), "bytes_per_second",
                      cli_rate(t->bytes, t->dma_ns), "error", t->last_err));
    }
    return list;
}

static int print_json(const struct dmatest *d, const struct test_sums *sums)
{
    const struct cli_dmatest_options *o = d->options;

    return cli_json_print(
        d->prog, stdout,
        json_pack("{s:s, s:s, s:o, s:i, s:i, s:I, s:I, s:I, s:I, s:f, s:f, "
                  "s:b, s:o, s:o}",
                  "generation", o->common.gen->name, "direction",
                  cli_direction_name(o->direction), "seed",
                  cli_json_hex(o->seed), "channels", d->rig.nr_engines,
                  "threads", d->nr_threads, "test_buf_size",
                  (json_int_t)o->buf_bytes, "tests", (json_int_t)sums->tests,
                  "failures", (json_int_t)sums->failures, "bytes",
                  (json_int_t)sums->bytes, "iops",
                  cli_rate(sums->tests, sums->dma_ns), "bytes_per_second",
                  cli_rate(sums->bytes, sums->dma_ns), "verified", !o->noverify,
                  "faults", cli_faults_json(d->rig.soc, &o->faults),
                  "per_thread", threads_json(d)));
}

static int open_rig(struct dmatest *d)
{
    const struct cli_dmatest_options *o = d->options;
    struct cli_rig_conf conf = { 0 };

    conf.prog = d->prog;
    conf.gen = o->common.gen;
    conf.engines = &o->engine_set;
    conf.queues = &o->queue_set;
    conf.direction = o->direction;
    conf.ring_entries = cli_rig_ring_entries(o->buf_bytes);
    conf.area_bytes = (uint64_t)o->engine_set.count * o->queue_set.count *
                      (o->buf_bytes + BUF_ALIGN);
    conf.verbose = o->verbose;
    return cli_rig_open(&conf, &d->rig);
}

static int run_test(struct dmatest *d)
{
    const struct cli_dmatest_options *o = d->options;
    struct test_sums sums;
    int exit_code = CLI_OK;

    if (open_rig(d) < 0 || create_threads(d) < 0 ||
        cli_faults_inject(d->rig.prog, d->rig.soc, &o->faults) < 0) {
        return CLI_FAILED;
    }
    fprintf(d->log,
            "dmatest: Started %u threads on %u channels of %s, %s, seed "
            "0x%" PRIx64 "\n",
            d->nr_threads, d->rig.nr_engines, o->common.gen->name,
            cli_direction_name(o->direction), o->seed);
    run_rounds(d);
    sums = sum_up(d);
    if (o->common.json) {
        exit_code = print_json(d, &sums);
    } else {
        print_text(d, &sums);
    }
    return sums.failures > 0 ? CLI_FAILED : exit_code;
}

int cli_dmatest_run(int argc, char **argv)
{
    struct cli_dmatest_options options;
    struct dmatest d;
    int exit_code;

    argp_parse(&cli_dmatest_argp, argc, argv, 0, NULL, &options);
    memset(&d, 0, sizeof(d));
    d.prog = argv[0];
    d.options = &options;
    d.log = options.common.json ? stderr : stdout;
    if (!options.seeded && getrandom(&options.seed, sizeof(options.seed), 0) !=
                               (ssize_t)sizeof(options.seed)) {
        cli_error(d.prog, "no random seed: %s", strerror(errno));
        return CLI_FAILED;
    }
    exit_code = run_test(&d);
    free(d.threads);
    cli_rig_close(&d.rig);
    return exit_code;
}
