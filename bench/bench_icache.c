/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the instruction cache costs: a hit, a trace of a real program out of
 * memory with its fills, and reading that trace as text.
 *
 * The program is the system's own gzip, traced by valgrind's lackey while it
 * compresses a file; without valgrind there is a loop in its place.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <trench/icache.h>
#include <trench/soc.h>

#include "../src/cli/icache_image.h"
#include "../src/cli/icache_trace.h"
#include "bench.h"

#define STREAM      UINT64_C(0x40000000)
#define PROGRAM     "/usr/bin/gzip"
#define LOADED_AT   0x108000u /* by valgrind, when position-independent */
#define REPLAY      100000000u
#define MAX_RECORDS 4000000u
#define HITS        20000000u
#define REPEATS     5

struct icache_bench {
    struct trench_soc *soc;
    struct trench_icache *ic;
    struct icache_image image;
    struct trench_icache_image mapped;
    struct trench_icache_record *records;
    size_t nr_records;
    double samples[REPEATS];
    char trace[64]; /* its file; "" = none */
};

static void die(const char *what)
{
    fprintf(stderr, "bench: %s\n", what);
    exit(1);
}

static void row(const char *name, const char *unit, double median, double p99)
{
    printf("%s,%s,%.4g,%.4g,\n", name, unit, median, p99);
    fflush(stdout);
}

/* ---- the program and its trace ------------------------------------------- */

/* Leaves a trace behind; false when it cannot be made. */
static bool make_trace(struct icache_bench *b, const char *dir)
{
    char input[4096];
    char log[96];
    int status;
    pid_t pid;
    int fd;

    strcpy(b->trace, "/tmp/trench-bench-XXXXXX");
    fd = mkstemp(b->trace);
    if (fd < 0) {
        return false;
    }
    close(fd);
    snprintf(input, sizeof(input), "%s/udma_m2s.cayman.json", dir);
    snprintf(log, sizeof(log), "--log-file=%s", b->trace);
    pid = fork();
    if (pid == 0) {
        int null = open("/dev/null", O_WRONLY);

        dup2(null, STDOUT_FILENO);
        execlp("valgrind", "valgrind", "--tool=lackey", "--trace-mem=yes", log,
               PROGRAM, "-c", input, (char *)NULL);
        _exit(127);
    }
    return pid > 0 && waitpid(pid, &status, 0) == pid && status == 0;
}

static void read_image(struct icache_bench *b)
{
    char why[ICACHE_IMAGE_WHY];
    int fd = open(PROGRAM, O_RDONLY);

    if (fd < 0 || icache_image_read(fd, NULL, &b->image, why) != 0) {
        die("cannot read " PROGRAM);
    }
    close(fd);
    b->mapped.bytes = b->image.bytes;
    b->mapped.size_bytes = b->image.size_bytes;
    b->mapped.addr = b->image.addr + (b->image.relocatable ? LOADED_AT : 0);
}

/* Megabytes a second through the reader, and the records of one pass. */
static double read_trace(struct icache_bench *b)
{
    static struct icache_trace t;
    double start = bench_now();
    double seconds;
    size_t nr = 0;
    size_t got;

    if (!icache_trace_open(&t, open(b->trace, O_RDONLY))) {
        die("cannot read the trace");
    }
    while ((got = icache_trace_read(&t, b->records + nr, MAX_RECORDS - nr)) >
           0) {
        nr += got;
        if (nr == MAX_RECORDS) {
            break;
        }
    }
    seconds = bench_now() - start;
    b->nr_records = nr;
    icache_trace_close(&t);
    return (double)t.bytes / seconds * 1e-6;
}

/* Without valgrind: a program that walks through 64 KiB again and again. */
static void make_loop(struct icache_bench *b)
{
    for (b->nr_records = 0; b->nr_records < 1000000; b->nr_records++) {
        b->records[b->nr_records].addr =
            b->mapped.addr + b->nr_records * 4 % (b->mapped.size_bytes & ~3u);
        b->records[b->nr_records].size_bytes = 4;
    }
}

/* ---- the rows ------------------------------------------------------------ */

static void open_cache(struct icache_bench *b,
                       enum trench_icache_backend backend)
{
    struct trench_icache_conf conf = {
        .seq = 2,
        .backend = backend,
        .block_bytes = TRENCH_ICACHE_DEFAULT_BLOCK,
        .stream_base = STREAM,
        .stream_bytes = b->image.size_bytes,
    };

    conf.bus = trench_soc_bus(b->soc);
    if (trench_icache_create(&conf, NULL, &b->ic)) {
        die("no cache");
    }
}

/* Fetches at a stride within the first bytes of the stream, all resident. */
static void bench_hit(struct icache_bench *b, const char *name, uint32_t stride,
                      uint32_t within)
{
    const uint8_t *bytes;
    unsigned sum = 0;

    open_cache(b, TRENCH_ICACHE_MAILBOX);
    for (int r = 0; r < REPEATS; r++) {
        double start = bench_now();

        for (uint32_t i = 0; i < HITS; i++) {
            if (trench_icache_fetch(b->ic, STREAM + i * stride % within,
                                    &bytes) < 0) {
                die("fetch");
            }
            sum += *bytes;
        }
        b->samples[r] = (bench_now() - start) / HITS * 1e9;
    }
    if (sum == 1) {
        die("never"); /* keeps the loads */
    }
    row(name, "ns", bench_quantile(b->samples, REPEATS, 0.5),
        bench_quantile(b->samples, REPEATS, 0.99));
    trench_icache_destroy(b->ic);
}

static void bench_replay(struct icache_bench *b, const char *name,
                         enum trench_icache_backend backend)
{
    struct trench_icache_stats stats;
    uint64_t left = REPLAY;
    double start;
    double seconds;

    open_cache(b, backend);
    start = bench_now();
    while (left > 0) {
        size_t nr = left < b->nr_records ? left : b->nr_records;

        if (trench_icache_replay(b->ic, &b->mapped, b->records, nr)) {
            die("replay");
        }
        left -= nr;
    }
    seconds = bench_now() - start;
    trench_icache_stats(b->ic, &stats);
    if (stats.mismatches || stats.failed || stats.records != REPLAY ||
        stats.lookups == 0) {
        die("the trace was not executed");
    }
    row(name, "s", seconds, seconds);
    trench_icache_destroy(b->ic);
}

void bench_icache(const char *dir)
{
    struct icache_bench b = { 0 };
    double rates[REPEATS];

    b.records = calloc(MAX_RECORDS, sizeof(*b.records));
    if (!b.records || trench_soc_create(NULL, &b.soc)) {
        die("out of memory");
    }
    read_image(&b);
    memcpy(trench_bus_host(trench_soc_bus(b.soc), STREAM, b.image.size_bytes),
           b.image.bytes, b.image.size_bytes);
    printf("# from here on 5 repeats, of the 100 million records one\n");
    bench_hit(&b, "instruction fetch by a hit", 64, 8192);
    bench_hit(&b, "the same, each time another line", 8192 + 64, 32768);
    if (make_trace(&b, dir)) {
        for (int r = 0; r < REPEATS; r++) {
            rates[r] = read_trace(&b);
        }
        row("read a lackey trace", "MB/s", bench_quantile(rates, REPEATS, 0.5),
            bench_quantile(rates, REPEATS, 0.01));
    } else {
        printf("# without valgrind: a loop instead of a program\n");
        make_loop(&b);
    }
    unlink(b.trace);
    bench_replay(&b, "100 million records by mailbox", TRENCH_ICACHE_MAILBOX);
    bench_replay(&b, "100 million records by ring", TRENCH_ICACHE_RING);
    trench_soc_destroy(b.soc);
    icache_image_free(&b.image);
    free(b.records);
}
