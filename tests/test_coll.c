/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Every schedule against the definition of its operation (ncfw-steps 6), on
 * symbols: an element is a set of ranks that have been added up, and the place
 * in the vector that it stands for. Nothing is added twice or to something
 * else, nothing is read that nobody wrote, no move of a step meets another.
 */
#include <inttypes.h>
#include <time.h>

#include <trench/coll.h>
#include <trench/compute.h>

#include "check.h"

#define MAX_N     64u /* bits of a set */
#define MAX_CELLS 40000u

struct cell {
    uint64_t ranks; /* 0: nobody has written it */
    uint32_t index;
    uint32_t read;    /* the step that it was last read in, */
    uint32_t reader;  /* and the move, */
    uint32_t written; /* and was last written in */
};

/* Two readers in one step, or none. */
#define MANY UINT32_MAX

static struct world {
    const struct trench_coll_conf *conf;
    struct trench_coll_schedule *s;
    struct cell *buf[MAX_N][TRENCH_NR_COLL_BUFS];
    struct cell *cells;
    size_t max_cells;
    unsigned long runs;
} w;

static void complain(const char *what, size_t step)
{
    const struct trench_coll_conf *c = w.conf;

    print_error("%s: %s %s, %u ranks, %u a chip, count %" PRIu64
                "%s, root %u, %u channels, %u pieces, %u secondaries, %s %s, "
                "step %zu\n",
                what, trench_coll_op_name(c->op),
                trench_coll_algo_name(c->algo), c->ranks, c->chip_ranks,
                c->count, c->in_place ? " in place" : "", c->root, c->channels,
                c->pieces, c->secondaries, trench_coll_algo_name(c->intra),
                trench_coll_algo_name(c->inter), step);
    fail();
}

#define MUST(cond, step)                                                       \
    do {                                                                       \
        if (!(cond)) {                                                         \
            complain(#cond, step);                                             \
        }                                                                      \
    } while (0)

static uint64_t all_ranks(void)
{
    return w.conf->ranks == 64 ? UINT64_MAX
                               : (UINT64_C(1) << w.conf->ranks) - 1;
}

/* ---- buffers ------------------------------------------------------------- */

static uint64_t size_of(enum trench_coll_buf buf)
{
    const struct trench_coll_conf *c = w.conf;
    bool in = buf == TRENCH_COLL_IN;

    switch (c->op) {
    case TRENCH_COLL_ALL_GATHER:
        return in ? c->count : c->count * c->ranks;
    case TRENCH_COLL_REDUCE_SCATTER:
        return in ? c->count * c->ranks : c->count;
    case TRENCH_COLL_ALL_TO_ALL:
        return c->count * c->ranks;
    default:
        return c->count;
    }
}

/* Where the smaller one begins in the larger one. */
static void share(unsigned r)
{
    const struct trench_coll_conf *c = w.conf;
    uint64_t at = 0;

    if (c->op == TRENCH_COLL_ALL_GATHER) {
        at = c->count * r;
        w.buf[r][TRENCH_COLL_IN] = w.buf[r][TRENCH_COLL_OUT] + at;
    } else if (c->op == TRENCH_COLL_REDUCE_SCATTER) {
        at = c->count * r;
        w.buf[r][TRENCH_COLL_OUT] = w.buf[r][TRENCH_COLL_IN] + at;
    } else {
        w.buf[r][TRENCH_COLL_OUT] = w.buf[r][TRENCH_COLL_IN];
    }
    MUST(trench_coll_shared_at(w.s, r) == at, 0);
}

static void lay_out(void)
{
    uint64_t in = size_of(TRENCH_COLL_IN);
    uint64_t out = size_of(TRENCH_COLL_OUT);
    uint64_t scratch = trench_coll_size(w.s, TRENCH_COLL_SCRATCH);
    size_t nr = (size_t)(in + out + scratch) * w.conf->ranks;
    struct cell *at;

    MUST(trench_coll_size(w.s, TRENCH_COLL_IN) == in, 0);
    MUST(trench_coll_size(w.s, TRENCH_COLL_OUT) == out, 0);
    if (nr >= w.max_cells) { /* one more, so that there always are some */
        free(w.cells);
        w.cells = malloc((nr + 1) * sizeof(*w.cells));
        assert_non_null(w.cells);
        w.max_cells = nr + 1;
    }
    at = w.cells;
    memset(at, 0, nr * sizeof(*at));
    for (unsigned r = 0; r < w.conf->ranks; r++) {
        w.buf[r][TRENCH_COLL_IN] = at;
        w.buf[r][TRENCH_COLL_OUT] = at + in;
        w.buf[r][TRENCH_COLL_SCRATCH] = at + in + out;
        at += in + out + scratch;
        if (w.conf->in_place) {
            share(r);
        }
        for (uint64_t i = 0; i < in; i++) {
            w.buf[r][TRENCH_COLL_IN][i].ranks = UINT64_C(1) << r;
            w.buf[r][TRENCH_COLL_IN][i].index = (uint32_t)i;
        }
    }
}

/* ---- moves --------------------------------------------------------------- */

static struct cell *find(const struct trench_coll_place *p, uint64_t count,
                         size_t step)
{
    uint64_t size;

    MUST(p->rank < w.conf->ranks, step);
    MUST(p->buf < TRENCH_NR_COLL_BUFS, step);
    size = trench_coll_size(w.s, (enum trench_coll_buf)p->buf);
    MUST(p->first <= size && count <= size - p->first, step);
    return w.buf[p->rank][p->buf] + p->first;
}

/* Who reads what in this step. */
static void mark_reads(const struct trench_coll_move *m, size_t step,
                       uint32_t id)
{
    const struct trench_coll_place *src = trench_coll_places(w.s) + m->src;

    for (unsigned k = 0; k < m->nr_src; k++) {
        struct cell *from = find(&src[k], m->count, step);

        for (uint64_t i = 0; i < m->count; i++) {
            bool other = from[i].read == step + 1 && from[i].reader != id;

            from[i].reader = other ? MANY : id;
            from[i].read = (uint32_t)step + 1;
        }
    }
}

static void add(struct cell *sum, const struct cell *from, size_t step)
{
    MUST(from->ranks != 0, step);
    if (sum->ranks == 0) {
        sum->index = from->index;
    }
    MUST(sum->index == from->index, step);
    MUST((sum->ranks & from->ranks) == 0, step);
    sum->ranks |= from->ranks;
}

/* The destination is a source, or none of it is. */
static void check_overlap(const struct trench_coll_move *m,
                          const struct cell *to, size_t step)
{
    const struct trench_coll_place *src = trench_coll_places(w.s) + m->src;

    for (unsigned k = 0; k < m->nr_src; k++) {
        const struct cell *from = find(&src[k], m->count, step);

        MUST(from == to ? m->nr_src > 1
                        : from + m->count <= to || to + m->count <= from,
             step);
    }
}

static void do_move(const struct trench_coll_move *m, size_t step, uint32_t id)
{
    const struct trench_coll_place *src = trench_coll_places(w.s) + m->src;
    struct cell *to = find(&m->dst, m->count, step);
    const struct cell *from[TRENCH_CCE_MAX_SOURCES];

    check_overlap(m, to, step);
    for (unsigned k = 0; k < m->nr_src; k++) {
        from[k] = find(&src[k], m->count, step);
    }
    for (uint64_t i = 0; i < m->count; i++) {
        struct cell sum = { .ranks = 0 };

        for (unsigned k = 0; k < m->nr_src; k++) {
            add(&sum, &from[k][i], step);
        }
        MUST(to[i].written != step + 1, step);
        MUST(to[i].read != step + 1 || to[i].reader == id, step);
        to[i].ranks = sum.ranks;
        to[i].index = sum.index;
        to[i].written = (uint32_t)step + 1;
    }
}

static void do_step(size_t step)
{
    size_t nr;
    const struct trench_coll_move *m = trench_coll_moves(w.s, step, &nr);
    unsigned channels = w.conf->channels ? w.conf->channels : 1;

    MUST(m && nr > 0, step);
    for (size_t i = 0; i < nr; i++) {
        MUST(m[i].count > 0, step);
        MUST(m[i].nr_src >= 1 && m[i].nr_src <= TRENCH_CCE_MAX_SOURCES, step);
        MUST(m[i].rank < w.conf->ranks, step);
        MUST(i == 0 || m[i].rank >= m[i - 1].rank, step);
        MUST(m[i].channel < channels && m[i].half < 2, step);
        mark_reads(&m[i], step, (uint32_t)i);
    }
    for (size_t i = 0; i < nr; i++) {
        do_move(&m[i], step, (uint32_t)i);
    }
}

/* ---- results ------------------------------------------------------------- */

static unsigned sender(unsigned r)
{
    unsigned from = 0;

    if (w.conf->op == TRENCH_COLL_SEND_RECV) {
        return (r + w.conf->ranks - 1) % w.conf->ranks;
    }
    while (w.conf->dest[from] != r) {
        from++;
    }
    return from;
}

/* What rank r has at the end, in its output; 0 ranks: what it had. */
static struct cell result(unsigned r, uint64_t i)
{
    const struct trench_coll_conf *c = w.conf;
    const uint64_t part = i / c->count;
    struct cell all = { .ranks = all_ranks(), .index = (uint32_t)i };

    switch (c->op) {
    case TRENCH_COLL_ALL_REDUCE:
        return all;
    case TRENCH_COLL_REDUCE:
        all.ranks = r == c->root ? all.ranks : 0;
        return all;
    case TRENCH_COLL_REDUCE_SCATTER:
        all.index += (uint32_t)(r * c->count);
        return all;
    case TRENCH_COLL_BROADCAST:
        all.ranks = UINT64_C(1) << c->root;
        return all;
    case TRENCH_COLL_ALL_GATHER:
        return (struct cell){ .ranks = UINT64_C(1) << part,
                              .index = (uint32_t)(i % c->count) };
    case TRENCH_COLL_ALL_TO_ALL:
        return (struct cell){
            .ranks = UINT64_C(1) << part,
            .index = (uint32_t)(r * c->count + i % c->count),
        };
    default:
        all.ranks = UINT64_C(1) << sender(r);
        return all;
    }
}

static bool is_result(unsigned r, const struct cell *cell)
{
    const struct cell *out = w.buf[r][TRENCH_COLL_OUT];
    uint64_t size = size_of(TRENCH_COLL_OUT);

    if (w.conf->op == TRENCH_COLL_REDUCE && r != w.conf->root) {
        return false;
    }
    return cell >= out && cell < out + size;
}

static void check_result(unsigned r)
{
    const struct cell *in = w.buf[r][TRENCH_COLL_IN];
    const struct cell *out = w.buf[r][TRENCH_COLL_OUT];

    for (uint64_t i = 0; i < size_of(TRENCH_COLL_OUT); i++) {
        struct cell want = result(r, i);

        if (want.ranks == 0 && w.conf->in_place) {
            want.ranks = UINT64_C(1) << r;
        }
        MUST(out[i].ranks == want.ranks, i);
        MUST(want.ranks == 0 || out[i].index == want.index, i);
        MUST(want.ranks != 0 || out[i].written == 0, i);
    }
    for (uint64_t i = 0; i < size_of(TRENCH_COLL_IN); i++) {
        MUST(in[i].written == 0 || is_result(r, &in[i]), i);
    }
}

/* ---- how many steps there are -------------------------------------------- */

static unsigned log2_of(unsigned n)
{
    unsigned log = 0;

    while (1u << log < n) {
        log++;
    }
    return log;
}

/* Packets, one after the other, that reduce n inputs. */
static size_t packets(unsigned n)
{
    size_t nr = 1;

    for (unsigned done = 32; done < n; done += 31) {
        nr++;
    }
    return nr;
}

static size_t scatter_steps(enum trench_coll_algo algo, unsigned n)
{
    switch (algo) {
    case TRENCH_COLL_MESH:
        return 1 + packets(n);
    case TRENCH_COLL_RDH:
        return log2_of(n);
    default:
        return n - 1;
    }
}

static size_t gather_steps(enum trench_coll_algo algo, unsigned n)
{
    switch (algo) {
    case TRENCH_COLL_MESH:
        return 1;
    case TRENCH_COLL_RDH:
        return log2_of(n);
    default:
        return n - 1;
    }
}

/* The parts of a hierarchy are named in what says why it was chosen. */
static void parts_of(enum trench_coll_algo part[2])
{
    char in[32];
    char between[32];
    const char *text = strrchr(trench_coll_reason(w.s), ';');

    assert_non_null(text);
    assert_int_equal(sscanf(text, "; %31s in chips, %31s between", in, between),
                     2);
    part[0] = (enum trench_coll_algo)trench_coll_algo_find(in);
    part[1] = (enum trench_coll_algo)trench_coll_algo_find(between);
    MUST(w.conf->intra == 0 || w.conf->intra == part[0], 0);
    MUST(w.conf->inter == 0 || w.conf->inter == part[1], 0);
}

/* Ranks of a group. */
static unsigned group_of(const struct trench_coll_conf *c)
{
    unsigned chip = c->chip_ranks ? c->chip_ranks : c->ranks;

    if (c->secondaries) {
        return 1 + c->secondaries;
    }
    return chip % 4 == 0 && c->ranks > 4 ? 4 : 2;
}

/* Of a reduce-scatter and of an all-gather. */
static void phase_steps(size_t steps[2])
{
    const struct trench_coll_conf *c = w.conf;
    enum trench_coll_algo algo = trench_coll_algo_of(w.s);
    enum trench_coll_algo part[2];

    if (algo == TRENCH_COLL_KANGARING) {
        steps[0] = steps[1] = c->ranks / group_of(c);
    } else if (algo == TRENCH_COLL_HIER) {
        parts_of(part);
        steps[0] = scatter_steps(part[0], c->chip_ranks) +
                   scatter_steps(part[1], c->ranks / c->chip_ranks);
        steps[1] = gather_steps(part[0], c->chip_ranks) +
                   gather_steps(part[1], c->ranks / c->chip_ranks);
    } else {
        steps[0] = scatter_steps(algo, c->ranks);
        steps[1] = gather_steps(algo, c->ranks);
    }
}

static size_t all_to_all_steps(void)
{
    size_t n = w.conf->ranks;

    if (trench_coll_algo_of(w.s) == TRENCH_COLL_SINGLE_STEP_MESH) {
        return 1 + w.conf->in_place;
    }
    if (!w.conf->in_place) {
        return n - 1;
    }
    return n % 2 ? 3 * (n - 1) / 2 : 3 * (n - 2) / 2 + 2;
}

static size_t rooted_steps(void)
{
    const struct trench_coll_conf *c = w.conf;
    uint64_t pieces = c->pieces ? c->pieces : 4;
    size_t steps[2];

    switch (trench_coll_algo_of(w.s)) {
    case TRENCH_COLL_CHAIN:
        pieces = pieces < c->count ? pieces : c->count;
        return c->ranks - 1 + (size_t)pieces - 1;
    case TRENCH_COLL_SINGLE_STEP_MESH:
        return 1 + packets(c->ranks);
    default:
        phase_steps(steps);
        return c->op == TRENCH_COLL_BROADCAST ? 1 : steps[0] + 1;
    }
}

static bool stays(void)
{
    bool same = w.conf->op == TRENCH_COLL_PERMUTE;

    for (unsigned r = 0; same && r < w.conf->ranks; r++) {
        same = w.conf->dest[r] == r;
    }
    return same;
}

static size_t steps_wanted(void)
{
    const struct trench_coll_conf *c = w.conf;
    size_t steps[2];

    if (c->count == 0) {
        return 0;
    }
    if (c->ranks == 1) {
        return c->in_place ? 0 : 1;
    }
    switch (c->op) {
    case TRENCH_COLL_ALL_TO_ALL:
        return all_to_all_steps();
    case TRENCH_COLL_SEND_RECV:
    case TRENCH_COLL_PERMUTE:
        return !c->in_place ? 1 : stays() ? 0 : 2;
    case TRENCH_COLL_BROADCAST:
    case TRENCH_COLL_REDUCE:
        return rooted_steps();
    default:
        phase_steps(steps);
    }
    if (c->op != TRENCH_COLL_ALL_REDUCE) {
        return steps[c->op == TRENCH_COLL_ALL_GATHER];
    }
    return trench_coll_algo_of(w.s) == TRENCH_COLL_SINGLE_STEP_MESH
               ? 1 + packets(c->ranks)
               : steps[0] + steps[1];
}

/* ---- one configuration --------------------------------------------------- */

static void run(const struct trench_coll_conf *conf)
{
    size_t nr = 1;
    int err;

    w.conf = conf;
    w.s = NULL;
    err = trench_coll_create(conf, &w.s);
    if (trench_coll_refusal(conf)) {
        MUST(err == TRENCH_ERR_NOTSUP && !w.s, 0);
        return;
    }
    MUST(err == 0, 0);
    w.runs++;
    MUST(trench_coll_steps(w.s) == steps_wanted(), trench_coll_steps(w.s));
    MUST(!trench_coll_moves(w.s, trench_coll_steps(w.s), &nr) && nr == 0, 0);
    if (conf->algo != TRENCH_COLL_AUTO) {
        MUST(trench_coll_algo_of(w.s) == conf->algo, 0);
    }
    lay_out();
    for (size_t step = 0; step < trench_coll_steps(w.s); step++) {
        do_step(step);
    }
    for (unsigned r = 0; r < conf->ranks; r++) {
        check_result(r);
    }
    trench_coll_destroy(w.s);
}

/* ---- all configurations -------------------------------------------------- */

static const uint64_t counts[] = {
    0, 1, 2, 3, 5, 31, 32, 33, 64, 100, 257, 1000
};
static const unsigned many[] = { 24, 32, 33, 64 };

/* Large ones take long, and show what smaller ones show. */
static bool is_too_much(const struct trench_coll_conf *conf)
{
    bool parts = conf->op == TRENCH_COLL_ALL_GATHER ||
                 conf->op == TRENCH_COLL_REDUCE_SCATTER ||
                 conf->op == TRENCH_COLL_ALL_TO_ALL ||
                 conf->algo == TRENCH_COLL_SINGLE_STEP_MESH;
    uint64_t size = conf->count * conf->ranks;

    return (parts ? size * conf->ranks : size) > MAX_CELLS;
}

static void sweep_counts(struct trench_coll_conf conf)
{
    for (size_t i = 0; i < ARRAY_LEN(counts); i++) {
        bool chosen = conf.ranks <= 9 || i % 3 == 1 || counts[i] == 257;

        conf.count = counts[i];
        if (chosen && !is_too_much(&conf)) {
            conf.in_place = false;
            run(&conf);
            conf.in_place = true;
            run(&conf);
        }
    }
}

static void sweep_parts(struct trench_coll_conf conf)
{
    static const enum trench_coll_algo intra[] = { TRENCH_COLL_AUTO,
                                                   TRENCH_COLL_RDH,
                                                   TRENCH_COLL_MESH };
    static const enum trench_coll_algo inter[] = {
        TRENCH_COLL_AUTO, TRENCH_COLL_MESH, TRENCH_COLL_SINGLE_CYCLE_RING,
        TRENCH_COLL_RDH, TRENCH_COLL_RING
    };

    for (size_t i = 0; i < ARRAY_LEN(intra); i++) {
        for (size_t j = 0; j < ARRAY_LEN(inter); j++) {
            conf.intra = intra[i];
            conf.inter = inter[j];
            if (conf.ranks <= 9 || !i == !j) { /* both chosen, or none */
                sweep_counts(conf);
            }
        }
    }
}

/* What an algorithm looks at besides. */
static void sweep_details(struct trench_coll_conf conf)
{
    switch (conf.algo) {
    case TRENCH_COLL_RING:
    case TRENCH_COLL_SINGLE_CYCLE_RING:
        for (conf.channels = 0; conf.channels <= 3; conf.channels++) {
            sweep_counts(conf);
        }
        break;
    case TRENCH_COLL_KANGARING:
        for (conf.secondaries = 0; conf.secondaries <= 3;
             conf.secondaries += 1 + conf.secondaries % 2) {
            conf.channels = 1 + conf.secondaries;
            sweep_counts(conf);
        }
        break;
    case TRENCH_COLL_CHAIN:
        for (conf.pieces = 0; conf.pieces <= 7;
             conf.pieces += 1 + conf.pieces) {
            sweep_counts(conf);
        }
        break;
    case TRENCH_COLL_HIER:
        sweep_parts(conf);
        break;
    default:
        sweep_counts(conf);
    }
}

static void sweep_roots(struct trench_coll_conf conf)
{
    bool rooted =
        conf.op == TRENCH_COLL_BROADCAST || conf.op == TRENCH_COLL_REDUCE;

    for (unsigned root = 0; root < conf.ranks; root++) {
        bool edge = root < 2 || root + 1 == conf.ranks;

        conf.root = root;
        if (root == 0 || (rooted && (conf.ranks < 7 || edge))) {
            sweep_details(conf);
        }
    }
}

static void sweep_chips(struct trench_coll_conf conf)
{
    sweep_roots(conf);
    if (conf.algo != TRENCH_COLL_AUTO && conf.algo != TRENCH_COLL_HIER &&
        conf.algo != TRENCH_COLL_RDH && conf.algo != TRENCH_COLL_KANGARING) {
        return;
    }
    for (conf.chip_ranks = 1; conf.chip_ranks < conf.ranks; conf.chip_ranks++) {
        if (conf.ranks % conf.chip_ranks == 0) {
            sweep_roots(conf);
        }
    }
}

static void sweep(enum trench_coll_op op, unsigned n)
{
    struct trench_coll_conf conf = { .op = op, .ranks = n };
    uint16_t dest[MAX_N];

    for (unsigned r = 0; r < n; r++) {
        dest[r] = (uint16_t)(n - 1 - r);
    }
    conf.dest = dest;
    for (int algo = 0; algo < TRENCH_NR_COLL_ALGOS; algo++) {
        conf.algo = (enum trench_coll_algo)algo;
        sweep_chips(conf);
    }
}

static double now(void)
{
    struct timespec ts;

    clock_gettime(CLOCK_MONOTONIC, &ts);
    return (double)ts.tv_sec + 1e-9 * (double)ts.tv_nsec;
}

/* At least so many, so that none is skipped by mistake. */
static void sweep_ranks(enum trench_coll_op op, unsigned long at_least)
{
    unsigned long before = w.runs;
    double begin = now();

    for (unsigned n = 1; n <= 17; n++) {
        sweep(op, n);
    }
    for (size_t i = 0; i < ARRAY_LEN(many); i++) {
        sweep(op, many[i]);
    }
    print_message("%s: %lu schedules, %.2f s\n", trench_coll_op_name(op),
                  w.runs - before, now() - begin);
    assert_true(w.runs - before >= at_least);
}

static void test_all_reduce(void **state)
{
    (void)state;
    sweep_ranks(TRENCH_COLL_ALL_REDUCE, 6000);
}

static void test_reduce_scatter(void **state)
{
    (void)state;
    sweep_ranks(TRENCH_COLL_REDUCE_SCATTER, 4500);
}

static void test_all_gather(void **state)
{
    (void)state;
    sweep_ranks(TRENCH_COLL_ALL_GATHER, 4500);
}

static void test_all_to_all(void **state)
{
    (void)state;
    sweep_ranks(TRENCH_COLL_ALL_TO_ALL, 1200);
}

static void test_broadcast(void **state)
{
    (void)state;
    sweep_ranks(TRENCH_COLL_BROADCAST, 6000);
}

static void test_reduce(void **state)
{
    (void)state;
    sweep_ranks(TRENCH_COLL_REDUCE, 12000);
}

static void test_send_recv(void **state)
{
    (void)state;
    sweep_ranks(TRENCH_COLL_SEND_RECV, 2500);
}

static void test_permute(void **state)
{
    (void)state;
    sweep_ranks(TRENCH_COLL_PERMUTE, 1200);
}

/* ---- any configuration --------------------------------------------------- */

static uint64_t rng_state;

static unsigned below(unsigned n)
{
    rng_state ^= rng_state << 13;
    rng_state ^= rng_state >> 7;
    rng_state ^= rng_state << 17;
    return (unsigned)((rng_state >> 33) % n);
}

static void shuffle(uint16_t *dest, unsigned n)
{
    for (unsigned i = 0; i < n; i++) {
        unsigned j = below(i + 1);

        dest[i] = dest[j];
        dest[j] = (uint16_t)i;
    }
}

static struct trench_coll_conf any_conf(uint16_t dest[MAX_N])
{
    struct trench_coll_conf conf = {
        .op = (enum trench_coll_op)below(TRENCH_NR_COLL_OPS),
        .algo = (enum trench_coll_algo)below(TRENCH_NR_COLL_ALGOS),
        .ranks = 1 + below(MAX_N),
        .count = below(4) ? below(300) : below(5000),
        .in_place = below(2),
        .channels = below(33),
        .pieces = below(256),
        .secondaries = 2 * below(2) + 1,
        .intra = (enum trench_coll_algo)below(TRENCH_NR_COLL_ALGOS),
        .inter = (enum trench_coll_algo)below(TRENCH_NR_COLL_ALGOS),
        .dest = dest,
    };

    conf.root = below(conf.ranks);
    do {
        conf.chip_ranks = 1 + below(conf.ranks);
    } while (conf.ranks % conf.chip_ranks != 0);
    shuffle(dest, conf.ranks);
    return conf;
}

static void test_any(void **state)
{
    const char *given = getenv("TRENCH_SEED");
    uint64_t seed = given ? strtoull(given, NULL, 0) : 20;
    unsigned long before = w.runs;

    (void)state;
    print_message("TRENCH_SEED=%" PRIu64 "\n", seed);
    rng_state = seed * UINT64_C(0x9E3779B97F4A7C15) + 1;
    for (int i = 0; i < 4000; i++) {
        uint16_t dest[MAX_N];
        struct trench_coll_conf conf = any_conf(dest);

        if (conf.op != 6 && !is_too_much(&conf)) {
            run(&conf);
        }
    }
    print_message("%lu schedules\n", w.runs - before);
    assert_true(w.runs - before > 500);
}

/* Whatever is in the struct: a schedule or an error, and never more moves than
 * allowed. */
static void test_hostile(void **state)
{
    static const uint64_t numbers[] = {
        0, 1, 2, 7, 31, 64, 511, 512, 513, UINT32_MAX, UINT64_MAX,
    };
    uint16_t dest[TRENCH_COLL_MAX_RANKS];
    unsigned seen[2] = { 0, 0 };

    (void)state;
    rng_state = 77;
    for (int i = 0; i < 6000; i++) {
        struct trench_coll_conf conf;
        struct trench_coll_schedule *s = NULL;
        uint32_t raw[8];
        int err;

        for (size_t k = 0; k < ARRAY_LEN(raw); k++) {
            raw[k] = below(8) ? below(10)
                              : (uint32_t)numbers[below(ARRAY_LEN(numbers))];
        }
        for (size_t k = 0; k < ARRAY_LEN(dest); k++) {
            dest[k] = (uint16_t)(below(300) ? k : below(1 << 16));
        }
        conf = (struct trench_coll_conf){
            .op = (enum trench_coll_op)raw[0],
            .algo = (enum trench_coll_algo)raw[1],
            .ranks = raw[2],
            .chip_ranks = below(2) ? raw[3] : 0,
            .count = numbers[below(ARRAY_LEN(numbers))],
            .in_place = below(2),
            .root = raw[4],
            .dest = below(4) ? dest : NULL,
            .channels = raw[5],
            .pieces = raw[6],
            .secondaries = raw[7],
        };
        err = trench_coll_create(&conf, &s);
        CHECK_EQ(err == TRENCH_ERR_INVAL || err == TRENCH_ERR_NOTSUP,
                 trench_coll_refusal(&conf) != NULL, "i=%d err=%d", i, err);
        CHECK_EQ(s != NULL, err == 0, "i=%d", i);
        seen[err == 0]++;
        trench_coll_destroy(s);
    }
    print_message("%u schedules, %u errors\n", seen[1], seen[0]);
    assert_true(seen[0] > 1000 && seen[1] > 100);
}

/* ---- many ranks ---------------------------------------------------------- */

static void test_512_ranks(void **state)
{
    const struct trench_coll_conf conf = { .op = TRENCH_COLL_ALL_REDUCE,
                                           .algo = TRENCH_COLL_RING,
                                           .ranks = 512,
                                           .count = 1 << 20 };
    struct trench_coll_schedule *s;
    double begin = now();
    size_t moves = 0;
    size_t nr;

    (void)state;
    CHECK_EQ(trench_coll_create(&conf, &s), 0, "512");
    print_message("a ring of 512 ranks: %.3f s\n", now() - begin);
    CHECK_EQ(trench_coll_steps(s), 2 * 511, "512");
    for (size_t i = 0; trench_coll_moves(s, i, &nr); i++) {
        moves += nr;
    }
    CHECK_EQ(moves, 2 * 511 * 512 * 2, "512"); /* 2 halves */
    trench_coll_destroy(s);
}

static int tear_down(void **state)
{
    (void)state;
    free(w.cells);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all_reduce),
        cmocka_unit_test(test_reduce_scatter),
        cmocka_unit_test(test_all_gather),
        cmocka_unit_test(test_all_to_all),
        cmocka_unit_test(test_broadcast),
        cmocka_unit_test(test_reduce),
        cmocka_unit_test(test_send_recv),
        cmocka_unit_test(test_permute),
        cmocka_unit_test(test_any),
        cmocka_unit_test(test_hostile),
        cmocka_unit_test(test_512_ranks),
    };

    return cmocka_run_group_tests(tests, NULL, tear_down);
}
