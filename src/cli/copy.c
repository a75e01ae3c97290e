/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * trench copy: a file through the DMA rings of a modelled chip.
 *
 * The file goes through in windows. A window is read into the source area,
 * cut into pieces of one descriptor each, dealt over all queue pairs in turn,
 * moved by the engines, compared, and written out from the destination area.
 */
#include "cli.h"
#include "output.h"
#include "rig.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define WINDOW_BYTES (UINT32_C(32) << 20)
#define TIMEOUT_NS   (UINT64_C(30) * 1000000000)

struct copy_options {
    struct cli_common common;
    const char *src;
    const char *dst;
    const char *channels;
    const char *queues;
    struct cli_set engine_set;
    struct cli_set queue_set;
    enum cli_direction direction;
    uint32_t block_bytes;
    uint32_t depth;
    int progress; /* as cli_progress_start() */
    bool verbose;
    uint64_t inject; /* damage this byte, for the tests; UINT64_MAX = none */
};

enum {
    OPT_BS = 0x100,
    OPT_CHANNELS,
    OPT_QUEUES,
    OPT_DEPTH,
    OPT_DIRECTION,
    OPT_PROGRESS,
    OPT_NO_PROGRESS,
    OPT_INJECT,
};

static const struct argp_option copy_options[] = {
    { .name = "bs",
      .key = OPT_BS,
      .arg = "SIZE",
      .doc = "Bytes per descriptor, 1 to 64K (default 64K)" },
    { .name = "channels",
      .key = OPT_CHANNELS,
      .arg = "SET",
      .doc = "Engines that take part, such as 0-15,128 (default all)" },
    { .name = "queues",
      .key = OPT_QUEUES,
      .arg = "SET",
      .doc = "Queues of each engine that take part (default all 16)" },
    { .name = "queue-depth",
      .key = OPT_DEPTH,
      .arg = "N",
      .doc = "Descriptors per ring, a multiple of 16 from 32 up; 16 of them "
             "stay free (default 64)" },
    { .name = "direction",
      .key = OPT_DIRECTION,
      .arg = CLI_DIRECTION_ARG,
      .doc = "Where the DMA reads and writes: host memory to HBM (default), "
             "HBM to host memory, or one HBM to another" },
    { .name = "progress",
      .key = OPT_PROGRESS,
      .doc = "Report progress on standard error (default on a terminal)" },
    { .name = "no-progress",
      .key = OPT_NO_PROGRESS,
      .doc = "Do not report progress" },
    { .name = "verbose",
      .key = 'v',
      .doc = "Also show what each engine did and what the model logs" },
    { .name = "inject",
      .key = OPT_INJECT,
      .arg = "OFFSET",
      .flags = OPTION_HIDDEN,
      .doc = "Damage a byte between DMA and verification" },
    { 0 },
};

static const struct argp_child copy_children[] = {
    { .argp = &cli_common_argp },
    { 0 },
};

static void copy_init(struct argp_state *state, struct copy_options *o)
{
    memset(o, 0, sizeof(*o));
    o->channels = "all";
    o->queues = "all";
    o->block_bytes = TRENCH_HAL_DESC_BYTES;
    o->depth = 64;
    o->progress = -1;
    o->inject = UINT64_MAX;
    state->child_inputs[0] = &o->common;
}

static uint32_t parse_depth(const struct cli_opt_arg *arg)
{
    uint64_t depth =
        cli_opt_number(arg, TRENCH_HAL_RING_MIN, TRENCH_HAL_RING_MAX);

    if (depth % TRENCH_HAL_RING_STEP != 0) {
        argp_error(arg->state, "%s: %s is not a multiple of %u", arg->name,
                   arg->text, TRENCH_HAL_RING_STEP);
    }
    return (uint32_t)depth;
}

static void copy_argument(struct argp_state *state, struct copy_options *o,
                          const char *arg)
{
    if (state->arg_num == 0) {
        o->src = arg;
    } else if (state->arg_num == 1) {
        o->dst = arg;
    } else {
        argp_error(state, "too many arguments");
    }
}

/* Sets can only be understood once the generation is known. */
static void copy_end(struct argp_state *state, struct copy_options *o)
{
    struct cli_opt_arg arg = { state, "--channels", o->channels };

    if (state->arg_num < 2) {
        argp_error(state, "SRC and DST are needed; see --help");
    }
    cli_opt_set(&arg, o->common.gen->nr_engines, &o->engine_set);
    arg.name = "--queues";
    arg.text = o->queues;
    cli_opt_set(&arg, TRENCH_NR_QUEUES, &o->queue_set);
}

static error_t copy_parse(int key, char *text, struct argp_state *state)
{
    struct copy_options *o = state->input;
    struct cli_opt_arg arg = { state, "", text };

    switch (key) {
    case ARGP_KEY_INIT:
        copy_init(state, o);
        return 0;
    case OPT_BS:
        arg.name = "--bs";
        o->block_bytes = (uint32_t)cli_opt_size(&arg, 1, TRENCH_HAL_DESC_BYTES);
        return 0;
    case OPT_CHANNELS:
        o->channels = text;
        return 0;
    case OPT_QUEUES:
        o->queues = text;
        return 0;
    case OPT_DEPTH:
        arg.name = "--queue-depth";
        o->depth = parse_depth(&arg);
        return 0;
    case OPT_DIRECTION:
        arg.name = "--direction";
        o->direction = cli_opt_direction(&arg);
        return 0;
    case OPT_PROGRESS:
    case OPT_NO_PROGRESS:
        o->progress = key == OPT_PROGRESS;
        return 0;
    case OPT_INJECT:
        arg.name = "--inject";
        o->inject = cli_opt_number(&arg, 0, UINT64_MAX);
        return 0;
    case 'v':
        o->verbose = true;
        return 0;
    case ARGP_KEY_ARG:
        copy_argument(state, o, text);
        return 0;
    case ARGP_KEY_END:
        copy_end(state, o);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

const struct argp cli_copy_argp = {
    .options = copy_options,
    .parser = copy_parse,
    .children = copy_children,
    .args_doc = "SRC DST",
    .doc =
        "Copies the file SRC to DST through the descriptor rings of a "
        "modelled chip. The data is placed in the chip's memory, cut into "
        "descriptors that are dealt over all selected queues of all selected "
        "engines, moved by the engines, and compared byte by byte. DST "
        "appears, or is replaced, only when it is complete and verified. "
        "'-' is standard input or output; the summary then goes to standard "
        "error."
        "\n\nOptions:"
        "\v"
        "A SIZE may have a suffix: K, M, G or KiB, MiB, GiB (1024), KB, MB, "
        "GB (1000). A SET is a list of numbers and ranges, or 'all'.\n\n"
        "Examples:\n\n"
        "  $ trench copy disk.img copy.img\n"
        "  $ trench copy --bs 4K --channels 0-15 --direction d2d a b\n"
        "  $ tar c docs | trench copy - - | tar t\n"
        "  $ trench copy --json a b | jq .bytes_per_second\n",
};

/* A copy at work. */
struct copy {
    const char *prog;
    const struct copy_options *options;
    struct cli_rig rig;
    struct cli_output output;
    struct cli_progress progress;
    int src_fd;
    unsigned next_pair; /* Round-robin, goes on from window to window. */
    uint64_t bytes;     /* Verified and written out. */
    uint64_t start_ns;
    uint64_t total_ns;
    uint64_t dma_ns; /* Making descriptors, submitting, waiting. */
};

/* Returns bytes read, less than len only at the end of the file; -1. */
static ssize_t read_window(struct copy *copy, uint8_t *buf, size_t len)
{
    size_t got = 0;
    ssize_t done;

    while (got < len) {
        done = read(copy->src_fd, buf + got, len - got);
        if (done < 0 && errno == EINTR) {
            continue;
        }
        if (done < 0) {
            cli_error(copy->prog, "%s: %s", copy->options->src,
                      strerror(errno));
            return -1;
        }
        if (done == 0) {
            break;
        }
        got += (size_t)done;
    }
    return (ssize_t)got;
}

/* No byte of the destination may be right before the DMA has been there. */
static void poison(uint8_t *restrict dst, const uint8_t *restrict src,
                   size_t len)
{
    uint64_t word;
    size_t i;

    for (i = 0; len - i >= sizeof(word); i += sizeof(word)) {
        memcpy(&word, src + i, sizeof(word));
        word = ~word;
        memcpy(dst + i, &word, sizeof(word));
    }
    for (; i < len; i++) {
        dst[i] = (uint8_t)~src[i];
    }
}

static int copy_piece(struct copy *copy, size_t offset, size_t len)
{
    struct cli_rig *rig = &copy->rig;
    struct cli_rig_pair *pair = &rig->pairs[copy->next_pair];
    uint64_t dst = rig->dst.addr + offset;
    uint64_t src = rig->src.addr + offset;
    int err;

    err = trench_hal_copy(pair->queue, dst, src, len, 0);
    if (err == TRENCH_ERR_NOSPC) {
        if (cli_rig_flush(rig, TIMEOUT_NS) < 0) {
            return -1;
        }
        err = trench_hal_copy(pair->queue, dst, src, len, 0);
    }
    if (err < 0) {
        cli_rig_complain(rig, pair, err);
        return -1;
    }
    pair->pending = true;
    pair->packets += (unsigned)err;
    copy->next_pair = (copy->next_pair + 1) % rig->nr_pairs;
    return 0;
}

static int move_window(struct copy *copy, size_t len)
{
    size_t block = copy->options->block_bytes;
    uint64_t start = cli_now_ns();

    for (size_t offset = 0; offset < len; offset += block) {
        if (copy_piece(copy, offset,
                       len - offset < block ? len - offset : block) < 0) {
            return -1;
        }
    }
    if (cli_rig_flush(&copy->rig, TIMEOUT_NS) < 0) {
        return -1;
    }
    copy->dma_ns += cli_now_ns() - start;
    return 0;
}

static int verify_window(struct copy *copy, size_t len)
{
    const uint8_t *src = copy->rig.src.host;
    uint8_t *dst = copy->rig.dst.host;
    uint64_t inject = copy->options->inject;
    size_t i = 0;

    if (inject >= copy->bytes && inject - copy->bytes < len) {
        dst[inject - copy->bytes] ^= 1;
    }
    if (memcmp(dst, src, len) == 0) {
        return 0;
    }
    while (dst[i] == src[i]) {
        i++;
    }
    cli_error(copy->prog,
              "%s: byte %" PRIu64 " is wrong after the DMA: expected %02x, "
              "got %02x",
              copy->options->dst, copy->bytes + i, src[i], dst[i]);
    return -1;
}

static int copy_windows(struct copy *copy)
{
    ssize_t len;

    do {
        len = read_window(copy, copy->rig.src.host, WINDOW_BYTES);
        if (len < 0) {
            return -1;
        }
        poison(copy->rig.dst.host, copy->rig.src.host, (size_t)len);
        if (move_window(copy, (size_t)len) < 0 ||
            verify_window(copy, (size_t)len) < 0 ||
            cli_output_write(&copy->output, copy->rig.dst.host, (size_t)len) <
                0) {
            return -1;
        }
        copy->bytes += (uint64_t)len;
        cli_progress_update(&copy->progress, copy->bytes);
    } while (len == WINDOW_BYTES);
    return 0;
}

/* What the engines counted. */
struct copy_sums {
    struct trench_soc_engine_stats all;
    uint64_t least_bytes; /* Of one selected engine. */
    uint64_t most_bytes;
    unsigned engines; /* That moved something. */
    unsigned pairs;   /* That were given something. */
};

static void sum_up(const struct copy *copy, struct copy_sums *sums)
{
    const struct cli_rig *rig = &copy->rig;
    struct trench_soc_engine_stats one;

    memset(sums, 0, sizeof(*sums));
    sums->least_bytes = UINT64_MAX;
    for (unsigned i = 0; i < rig->nr_engines; i++) {
        if (trench_soc_engine_stats(rig->soc, rig->engines[i].id, &one) < 0) {
            continue;
        }
        sums->all.packets += one.packets;
        sums->all.tx_descs += one.tx_descs;
        sums->all.rx_descs += one.rx_descs;
        sums->all.bytes += one.bytes;
        sums->all.doorbells += one.doorbells;
        sums->engines += one.bytes > 0;
        if (one.bytes < sums->least_bytes) {
            sums->least_bytes = one.bytes;
        }
        if (one.bytes > sums->most_bytes) {
            sums->most_bytes = one.bytes;
        }
    }
    for (unsigned i = 0; i < rig->nr_pairs; i++) {
        sums->pairs += rig->pairs[i].packets > 0;
    }
}

static void print_engines(const struct copy *copy, FILE *to)
{
    const struct cli_rig *rig = &copy->rig;
    struct trench_soc_engine_stats one;
    char name[64];

    fprintf(to, "  %6s %-28s %14s %10s %10s\n", "engine", "name", "bytes",
            "packets", "doorbells");
    for (unsigned i = 0; i < rig->nr_engines; i++) {
        unsigned id = rig->engines[i].id;

        if (trench_soc_engine_stats(rig->soc, id, &one) < 0 ||
            trench_gen_engine_name(copy->options->common.gen, id, name,
                                   sizeof(name)) < 0) {
            continue;
        }
        fprintf(to, "  %6u %-28s %14" PRIu64 " %10" PRIu64 " %10" PRIu64 "\n",
                id, name, one.bytes, one.packets, one.doorbells);
    }
}

static int print_text(const struct copy *copy, const struct copy_sums *sums,
                      FILE *to)
{
    const struct copy_options *o = copy->options;
    const struct cli_rig *rig = &copy->rig;

    if (o->verbose) {
        print_engines(copy, to);
    }
    fprintf(to,
            "%" PRIu64 " bytes (%s) copied and verified, %s: %s -> %s of %s\n",
            copy->bytes, cli_human((double)copy->bytes).s,
            cli_direction_name(o->direction), rig->src.name, rig->dst.name,
            o->common.gen->name);
    fprintf(to,
            "%u of %u engines, %u of %u queues, %" PRIu64 " to %" PRIu64
            " bytes an engine\n",
            sums->engines, rig->nr_engines, sums->pairs, rig->nr_pairs,
            sums->least_bytes, sums->most_bytes);
    fprintf(to,
            "%" PRIu64 " packets, %" PRIu64 " + %" PRIu64
            " descriptors of up to %" PRIu32 " bytes, %" PRIu64 " doorbells\n",
            sums->all.packets, sums->all.tx_descs, sums->all.rx_descs,
            o->block_bytes, sums->all.doorbells);
    fprintf(to, "%.6f s in all, %s/s; %.6f s of DMA, %s/s\n",
            (double)copy->total_ns / 1e9,
            cli_human(cli_rate(copy->bytes, copy->total_ns)).s,
            (double)copy->dma_ns / 1e9,
            cli_human(cli_rate(copy->bytes, copy->dma_ns)).s);
    return CLI_OK;
}

static json_t *engines_json(const struct copy *copy)
{
    const struct cli_rig *rig = &copy->rig;
    struct trench_soc_engine_stats one;
    json_t *list = json_array();

    for (unsigned i = 0; i < rig->nr_engines; i++) {
        unsigned id = rig->engines[i].id;

        if (trench_soc_engine_stats(rig->soc, id, &one) == 0) {
            json_array_append_new(
                list, json_pack("{s:i, s:I, s:I, s:I}", "engine", id, "bytes",
                                (json_int_t)one.bytes, "packets",
                                (json_int_t)one.packets, "doorbells",
                                (json_int_t)one.doorbells));
        }
    }
    return list;
}

static int print_json(const struct copy *copy, const struct copy_sums *sums,
                      FILE *to)
{
    const struct copy_options *o = copy->options;
    const struct cli_rig *rig = &copy->rig;
    json_t *object = json_pack(
        "{s:s, s:o, s:o, s:s, s:s, s:s, s:I, s:i, s:i}", "generation",
        o->common.gen->name, "source", cli_json_text(o->src), "destination",
        cli_json_text(o->dst), "direction", cli_direction_name(o->direction),
        "source_memory", rig->src.name, "destination_memory", rig->dst.name,
        "bytes", (json_int_t)copy->bytes, "block_bytes", o->block_bytes,
        "queue_depth", o->depth);
    json_t *work = json_pack(
        "{s:i, s:i, s:i, s:i, s:I, s:I, s:I, s:I, s:I, s:I}", "engines",
        rig->nr_engines, "engines_used", sums->engines, "queues", rig->nr_pairs,
        "queues_used", sums->pairs, "engine_bytes_least",
        (json_int_t)sums->least_bytes, "engine_bytes_most",
        (json_int_t)sums->most_bytes, "packets", (json_int_t)sums->all.packets,
        "tx_descriptors", (json_int_t)sums->all.tx_descs, "rx_descriptors",
        (json_int_t)sums->all.rx_descs, "doorbells",
        (json_int_t)sums->all.doorbells);
    json_t *times = json_pack(
        "{s:f, s:f, s:f, s:b}", "seconds", (double)copy->total_ns / 1e9,
        "dma_seconds", (double)copy->dma_ns / 1e9, "bytes_per_second",
        cli_rate(copy->bytes, copy->total_ns), "verified", 1);

    json_object_update(object, work);
    json_object_update(object, times);
    json_decref(work);
    json_decref(times);
    if (o->verbose) {
        json_object_set_new(object, "per_engine", engines_json(copy));
    }
    return cli_json_print(copy->prog, to, object);
}

static int open_source(struct copy *copy)
{
    const char *path = copy->options->src;
    struct stat st;
    int err = 0;

    copy->src_fd = strcmp(path, "-") == 0 ? STDIN_FILENO
                                          : open(path, O_RDONLY | O_CLOEXEC);
    if (copy->src_fd < 0 || fstat(copy->src_fd, &st) < 0) {
        err = errno;
    } else if (S_ISDIR(st.st_mode)) {
        err = EISDIR;
    }
    if (err) {
        cli_error(copy->prog, "%s: %s", path, strerror(err));
        return -1;
    }
    cli_progress_start(&copy->progress, copy->options->progress,
                       S_ISREG(st.st_mode) ? (uint64_t)st.st_size : 0);
    return 0;
}

static int open_rig(struct copy *copy)
{
    const struct copy_options *o = copy->options;
    struct cli_rig_conf conf = { 0 };

    conf.prog = copy->prog;
    conf.gen = o->common.gen;
    conf.engines = &o->engine_set;
    conf.queues = &o->queue_set;
    conf.direction = o->direction;
    conf.ring_entries = o->depth;
    conf.area_bytes = WINDOW_BYTES;
    conf.verbose = o->verbose;
    return cli_rig_open(&conf, &copy->rig);
}

/* The engines' own count must agree before the file may appear. */
static int finish(struct copy *copy)
{
    struct copy_sums sums;
    FILE *to = copy->output.is_stdout ? stderr : stdout;

    sum_up(copy, &sums);
    if (sums.all.bytes != copy->bytes) {
        cli_error(copy->prog,
                  "%s: the engines moved %" PRIu64 " bytes instead of %" PRIu64,
                  copy->options->dst, sums.all.bytes, copy->bytes);
        return CLI_FAILED;
    }
    if (cli_output_commit(&copy->output) < 0) {
        return CLI_FAILED;
    }
    copy->total_ns = cli_now_ns() - copy->start_ns;
    return copy->options->common.json ? print_json(copy, &sums, to)
                                      : print_text(copy, &sums, to);
}

static int copy_file(struct copy *copy)
{
    int done;

    if (open_source(copy) < 0 ||
        cli_output_open(copy->prog, copy->options->dst, copy->src_fd,
                        &copy->output) < 0 ||
        open_rig(copy) < 0) {
        return CLI_FAILED;
    }
    copy->start_ns = cli_now_ns();
    done = copy_windows(copy);
    cli_progress_clear(&copy->progress);
    return done < 0 ? CLI_FAILED : finish(copy);
}

int cli_copy_run(int argc, char **argv)
{
    struct copy_options options;
    struct copy copy;
    int exit_code;

    argp_parse(&cli_copy_argp, argc, argv, 0, NULL, &options);
    memset(&copy, 0, sizeof(copy));
    copy.prog = argv[0];
    copy.options = &options;
    copy.src_fd = -1;
    copy.output.fd = -1;
    exit_code = copy_file(&copy);
    cli_output_close(&copy.output);
    cli_rig_close(&copy.rig);
    if (copy.src_fd > STDIN_FILENO) {
        close(copy.src_fd);
    }
    return exit_code;
}
