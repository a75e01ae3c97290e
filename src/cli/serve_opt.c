/* SPDX-License-Identifier: BSD-3-Clause */
/* What a served device is like: options, for every command that serves one. */
#include "serve.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum {
    OPT_GEN = 0x5000,
    OPT_JSON,
    OPT_DEVICE,
    OPT_REVISION,
    OPT_BAR4,
    OPT_ROUTING_ID,
    OPT_SERIAL,
    OPT_LATENCY,
    OPT_POLL_LIMIT,
    OPT_UNKNOWN,
    OPT_TRACE,
};

static const struct argp_option options[] = {
    { .name = "device",
      .key = OPT_DEVICE,
      .arg = "trn1|inf2",
      .doc = "Be this product (default trn1)",
      .group = 2 },
    { .name = "revision",
      .key = OPT_REVISION,
      .arg = "255|240|silicon",
      .doc = "PCI revision, which a driver chooses its mode by: a model "
             "(default), an emulator, or silicon",
      .group = 2 },
    { .name = "bar4-size",
      .key = OPT_BAR4,
      .arg = "SIZE",
      .doc = "Bytes of device memory that BAR 4 shows, a power of two from 4K "
             "to 1G (default 256M)",
      .group = 2 },
    { .name = "routing-id",
      .key = OPT_ROUTING_ID,
      .arg = "N",
      .doc = "Number of the chip among its peers, 0 to 63 (default 0)",
      .group = 2 },
    { .name = "serial",
      .key = OPT_SERIAL,
      .arg = "N",
      .doc = "Serial number (default 0, not known)",
      .group = 2 },
    { .name = "reset-latency",
      .key = OPT_LATENCY,
      .arg = "TAKEN[,DONE]",
      .doc = "How long a reset is not taken, and then not done: reads that "
             "still find it so (3), or a time (20ms; ns, us, ms, s) "
             "(default 0)",
      .group = 2 },
    { .name = "poll-limit",
      .key = OPT_POLL_LIMIT,
      .arg = "N",
      .doc = "Report a guest that reads one register N times in a row and "
             "always finds the same; 0 = never (default 10000)",
      .group = 3 },
    { .name = "unknown-report",
      .key = OPT_UNKNOWN,
      .doc = "At the end, list the registers that the guest touched and the "
             "model lacks",
      .group = 3 },
    { .name = "trace-mmio",
      .key = OPT_TRACE,
      .arg = "FILE",
      .doc = "Write every access to registers there, with its meaning",
      .group = 3 },
    { .name = "gen",
      .key = OPT_GEN,
      .arg = "NAME",
      .doc = "Model this chip generation (default sunda)",
      .group = 10 },
    { .name = "json",
      .key = OPT_JSON,
      .doc = "At the end, print what happened as one JSON object",
      .group = 10 },
    { 0 },
};

/* ---- values -------------------------------------------------------------- */

static const struct trench_gen *parse_gen(const struct cli_opt_arg *arg)
{
    const struct trench_gen *gen = trench_gen_find(arg->text);

    if (!gen) {
        cli_refuse_gen(arg);
    }
    return gen;
}

static uint64_t unit_ns(const char *unit)
{
    static const struct {
        const char *name;
        uint64_t ns;
    } units[] = {
        { "ns", 1 }, { "us", 1000 }, { "ms", 1000000 }, { "s", 1000000000 }
    };

    for (size_t i = 0; i < CLI_ARRAY_LEN(units); i++) {
        if (strcmp(unit, units[i].name) == 0) {
            return units[i].ns;
        }
    }
    return 0;
}

/* "3", "20ms"; at most an hour. */
static bool parse_wait(const char *text, struct trench_pci_latency *out)
{
    const uint64_t hour_ns = UINT64_C(3600000000000);
    unsigned long long val;
    uint64_t ns;
    char *end;

    if (!isdigit((unsigned char)text[0])) {
        return false;
    }
    errno = 0;
    val = strtoull(text, &end, 10);
    if (errno) {
        return false;
    }
    memset(out, 0, sizeof(*out));
    if (*end == '\0') {
        out->polls = (uint32_t)val;
        return val <= UINT32_MAX;
    }
    ns = unit_ns(end);
    out->ns = val * ns;
    return ns > 0 && val <= hour_ns / ns;
}

static void parse_latency(const struct cli_opt_arg *arg,
                          struct trench_pci_conf *pci)
{
    const char *comma = strchr(arg->text, ',');
    char first[32];
    size_t len = comma ? (size_t)(comma - arg->text) : strlen(arg->text);
    bool ok = len < sizeof(first);

    if (ok) {
        memcpy(first, arg->text, len);
        first[len] = '\0';
        ok = parse_wait(first, &pci->taken);
    }
    if (ok && comma) {
        ok = parse_wait(comma + 1, &pci->done);
    }
    if (!ok) {
        argp_error(arg->state,
                   "%s: '%s' is not a number of reads or a time, or two with "
                   "a comma between them",
                   arg->name, arg->text);
    }
}

static void parse_bar4(const struct cli_opt_arg *arg,
                       struct trench_pci_conf *pci)
{
    uint64_t size = cli_opt_size(arg, TRENCH_PCI_BAR_MIN, TRENCH_PCI_BAR_MAX);

    if (size & (size - 1)) {
        argp_error(arg->state, "%s: '%s' is not a power of two", arg->name,
                   arg->text);
    }
    pci->memory_bar_bytes = size;
}

static uint32_t parse_poll_limit(const struct cli_opt_arg *arg)
{
    uint64_t limit = cli_opt_number(arg, 0, UINT32_MAX);

    return limit ? (uint32_t)limit : UINT32_MAX;
}

/* ---- what depends on the generation -------------------------------------- */

static void settle_device(const struct argp_state *state,
                          struct serve_opts *opts)
{
    const struct trench_gen *gen = opts->conf.pci.soc.gen;
    const struct trench_gen_pci *pci = gen->pci;

    for (size_t i = 0; opts->device && i < pci->nr_ids; i++) {
        if (strcasecmp(opts->device, pci->ids[i].name) == 0) {
            opts->conf.pci.device_id = pci->ids[i].device;
            return;
        }
    }
    if (opts->device) {
        argp_error(state, "--device: '%s' is no product with a %s chip",
                   opts->device, gen->name);
    }
}

static void settle_revision(const struct argp_state *state,
                            struct serve_opts *opts)
{
    const struct cli_opt_arg arg = { state, "--revision", opts->revision };

    if (!opts->revision) {
        return;
    }
    if (strcmp(opts->revision, "silicon") == 0) {
        opts->conf.pci.revision = opts->conf.pci.soc.gen->pci->silicon_revision;
    } else {
        opts->conf.pci.revision = (uint8_t)cli_opt_number(&arg, 1, 255);
    }
}

static void settle(const struct argp_state *state, struct serve_opts *opts)
{
    const struct trench_gen *gen = opts->conf.pci.soc.gen;

    if (!gen->pci) {
        argp_error(state, "--gen: the PCI function of %s is not known",
                   gen->name);
        return; /* not reached */
    }
    if (gen->pci->register_bar_bytes > TRENCH_PCI_BAR_MAX) {
        argp_error(state,
                   "--gen: the register BAR of %s has %s; this transport "
                   "carries at most 1 GiB",
                   gen->name,
                   cli_human((double)gen->pci->register_bar_bytes).s);
        return; /* not reached */
    }
    settle_device(state, opts);
    settle_revision(state, opts);
}

static error_t parse(int key, char *text, struct argp_state *state)
{
    struct serve_opts *opts = state->input;
    struct trench_pci_conf *pci = &opts->conf.pci;

#define ARG(option) (&(const struct cli_opt_arg){ state, option, text })
    switch (key) {
    case ARGP_KEY_INIT:
        memset(opts, 0, sizeof(*opts));
        pci->soc.gen = trench_gen_find("sunda");
        pci->memory_bar_bytes = TRENCH_PCI_MEMORY_BAR_BYTES;
        return 0;
    case OPT_GEN:
        pci->soc.gen = parse_gen(ARG("--gen"));
        return 0;
    case OPT_JSON:
        opts->json = true;
        return 0;
    case OPT_DEVICE:
        opts->device = text;
        return 0;
    case OPT_REVISION:
        opts->revision = text;
        return 0;
    case OPT_BAR4:
        parse_bar4(ARG("--bar4-size"), pci);
        return 0;
    case OPT_ROUTING_ID:
        pci->routing_id = (uint8_t)cli_opt_number(ARG("--routing-id"), 0,
                                                  TRENCH_PCI_MAX_ROUTING_ID);
        return 0;
    case OPT_SERIAL:
        pci->serial = cli_opt_number(ARG("--serial"), 0, UINT64_MAX);
        return 0;
    case OPT_LATENCY:
        parse_latency(ARG("--reset-latency"), pci);
        return 0;
    case OPT_POLL_LIMIT:
        pci->poll_limit = parse_poll_limit(ARG("--poll-limit"));
        return 0;
    case OPT_UNKNOWN:
        opts->unknown_report = true;
        return 0;
    case OPT_TRACE:
        opts->trace = text;
        return 0;
    case ARGP_KEY_END:
        settle(state, opts);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
#undef ARG
}

const struct argp serve_argp = { .options = options, .parser = parse };
