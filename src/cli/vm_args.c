/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The command line of QEMU: what the devices need, then what the caller wants
 * (host-driver 4.1, 4.6, 4.7, 4.9). QEMU joins several -machine, so ours adds
 * to the caller's.
 */
#include "vm.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#define MIB(n) ((uint64_t)(n) << 20)

#define DEFAULT_MEMORY MIB(1024)

/* QEMU rounds the machine's memory up to this. */
#define MEMORY_UNIT 8192u

/*
 * BARs are between 1 GiB, where RAM ends, and the first fixed address of a PC;
 * SeaBIOS finds room for one register BAR and half a GiB beside it, qboot
 * leaves it to the kernel, which uses all.
 */
#define HOLE         (UINT64_C(0xFEC00000) - MIB(1024))
#define SEABIOS_ROOM MIB(1536)

/* Most of our own, in words: fixed ones, and those of a device. */
#define OWN_WORDS    16u
#define DEVICE_WORDS 2u

/* What the caller's own words say. */
struct said {
    const char *memory;
    const char *smp;
    const char *accels[8]; /* the first that works is taken */
    unsigned nr_accels;
    bool bios;
    const char *refused; /* what is ours to say */
};

/* ---- reading ------------------------------------------------------------- */

/* "-m", "--m": QEMU takes both. */
static bool is_option(const char *arg, const char *name)
{
    if (arg[0] != '-') {
        return false;
    }
    return strcmp(arg + 1 + (arg[1] == '-'), name) == 0;
}

/* The value of "key=value" in a list; NULL = not there. */
static const char *value_of(const char *list, const char *key)
{
    size_t len = strlen(key);

    for (; list; list = strchr(list, ',')) {
        list += *list == ',';
        if (strncmp(list, key, len) == 0 && list[len] == '=') {
            return list + len + 1;
        }
    }
    return NULL;
}

/* Whether an item of a list begins so. */
static bool list_has(const char *list, const char *start)
{
    for (; list; list = strchr(list, ',')) {
        list += *list == ',';
        if (strncmp(list, start, strlen(start)) == 0) {
            return true;
        }
    }
    return false;
}

struct refusal {
    const char *name;
    const char *why;
};

/* Options, and items of -machine, that say or hide what is ours to say. */
static const struct refusal options[] = {
    { "enable-kvm", "-enable-kvm: say --accel kvm" },
    { "no-kvm", "-no-kvm: say --accel tcg" },
    { "mem-path", "-mem-path: the memory is of the devices' choice" },
    { "readconfig", "-readconfig: processors and memory may be said there, "
                    "which is not seen; say it in words" },
    { "daemonize", "-daemonize: QEMU and its devices end together; say "
                   "-display none, and start trench in the background" },
};
static const struct refusal machine_items[] = {
    { "accel=", "-machine accel=: say --accel" },
    { "memory-backend=", "-machine memory-backend=: the devices bring one, of "
                         "--memory bytes" },
    { "memory.", "-machine memory.: say --memory or -m" },
    { "smp.", "-machine smp.: say --smp or -smp" },
};

static void read_machine(struct said *said, const char *value)
{
    for (size_t i = 0; i < CLI_ARRAY_LEN(machine_items); i++) {
        if (list_has(value, machine_items[i].name)) {
            said->refused = machine_items[i].why;
        }
    }
}

static void read_accel(struct said *said, const char *value)
{
    if (said->nr_accels < CLI_ARRAY_LEN(said->accels)) {
        said->accels[said->nr_accels++] = value;
    } else {
        said->refused = "-accel: so many?";
    }
}

static void read_option(struct said *said, const char *arg, const char *value)
{
    for (size_t i = 0; i < CLI_ARRAY_LEN(options); i++) {
        if (is_option(arg, options[i].name)) {
            said->refused = options[i].why;
        }
    }
    if (is_option(arg, "bios")) {
        said->bios = true;
    } else if (!value) {
        return;
    } else if (is_option(arg, "m")) {
        said->memory = value;
    } else if (is_option(arg, "smp")) {
        said->smp = value;
    } else if (is_option(arg, "machine") || is_option(arg, "M")) {
        read_machine(said, value);
    } else if (is_option(arg, "accel")) {
        read_accel(said, value);
    } else if (is_option(arg, "drive") && strstr(value, "if=pflash")) {
        said->bios = true;
    }
}

/* "512", "2G", "size=1.5G,maxmem=4G", as QEMU reads it. 0 = cannot be read. */
static uint64_t read_memory(const char *text)
{
    static const char units[] = "BKMGT";
    const char *size = value_of(text, "size");
    const char *unit;
    char *end;
    double val;

    val = strtod(size ? size : text, &end);
    unit = *end != '\0' && *end != ','
               ? strchr(units, toupper((unsigned char)*end))
               : NULL;
    if (unit) {
        end++;
    }
    if ((*end != '\0' && *end != ',') || !(val > 0 && val < 1e15)) {
        return 0;
    }
    for (const char *u = unit ? unit : units + 2; u > units; u--) {
        val *= 1024;
    }
    return val < 1e15
               ? ((uint64_t)val + MEMORY_UNIT - 1) / MEMORY_UNIT * MEMORY_UNIT
               : 0;
}

static unsigned long number_at(const char *list, const char *key,
                               unsigned long otherwise)
{
    const char *value = value_of(list, key);

    return value ? strtoul(value, NULL, 10) : otherwise;
}

/* Most processors that the machine can have. */
static unsigned long read_smp(const char *text)
{
    static const char *const parts[] = { "sockets", "dies", "clusters", "cores",
                                         "threads" };
    unsigned long product = 1;
    unsigned long cpus;
    unsigned long max;

    for (size_t i = 0; i < CLI_ARRAY_LEN(parts); i++) {
        product *= number_at(text, parts[i], 1);
    }
    cpus = isdigit((unsigned char)*text) ? strtoul(text, NULL, 10)
                                         : number_at(text, "cpus", product);
    max = number_at(text, "maxcpus", cpus);
    return max > cpus ? max : cpus;
}

/* ---- what goes together -------------------------------------------------- */

/* Several processors at the device at once: QEMU drops all but one. */
static bool loses_accesses(const char *accel)
{
    const char *thread = value_of(accel, "thread");

    return strncmp(accel, "tcg", 3) != 0 || !thread ||
           strncmp(thread, "single", 6) != 0;
}

static bool settle_accel(const char *prog, const struct vm_opts *opts,
                         struct said *said)
{
    unsigned long cpus = opts->smp ? opts->smp : 1;

    if ((opts->accel && said->nr_accels) || (opts->smp && said->smp)) {
        cli_error(prog, "-%s stands behind the --, and before it",
                  opts->accel && said->nr_accels ? "accel" : "smp");
        return false;
    }
    if (!said->nr_accels) {
        said->accels[said->nr_accels++] =
            !opts->accel || strcmp(opts->accel, "tcg") == 0
                ? "tcg,thread=single"
                : opts->accel;
    }
    if (said->smp) {
        cpus = read_smp(said->smp);
    }
    for (unsigned i = 0; cpus > 1 && i < said->nr_accels; i++) {
        if (loses_accesses(said->accels[i])) {
            cli_error(prog,
                      "%lu processors with %s: while one waits for the "
                      "device QEMU drops what another writes to it, and "
                      "doorbells are lost; take one processor, or "
                      "tcg,thread=single",
                      cpus, said->accels[i]);
            return false;
        }
    }
    return true;
}

/* 0 after a message. */
static uint64_t settle_memory(const char *prog, const struct vm_opts *opts,
                              const struct said *said)
{
    uint64_t bytes = opts->memory_bytes ? opts->memory_bytes : DEFAULT_MEMORY;

    if (opts->memory_bytes && said->memory) {
        cli_error(prog, "-m stands behind the --, and --memory before it");
        return 0;
    }
    if (opts->memory_bytes % MEMORY_UNIT != 0) {
        cli_error(prog, "--memory: QEMU wants a multiple of 8 KiB");
        return 0;
    }
    if (said->memory) {
        bytes = read_memory(said->memory);
        if (bytes == 0) {
            cli_error(prog, "-m %s: how much is that? say --memory",
                      said->memory);
        }
    }
    return bytes;
}

static uint64_t bar_bytes(const struct vm_opts *opts)
{
    const struct trench_pci_conf *pci = &opts->serve.conf.pci;

    return opts->devices *
           (pci->soc.gen->pci->register_bar_bytes + pci->memory_bar_bytes);
}

static bool settle_room(const char *prog, const struct vm_opts *opts)
{
    unsigned last =
        opts->serve.conf.pci.routing_id + opts->devices - 1; /* a device each */

    if (bar_bytes(opts) > HOLE) {
        cli_error(prog,
                  "%u devices with BARs of %s have no room below 4 GiB; see "
                  "--bar4-size",
                  opts->devices, cli_human((double)bar_bytes(opts)).s);
        return false;
    }
    if (last > TRENCH_PCI_MAX_ROUTING_ID) {
        cli_error(prog, "--routing-id: the last device would be %u", last);
        return false;
    }
    return true;
}

/* ---- writing ------------------------------------------------------------- */

struct words {
    char **v;
    size_t nr;
    bool failed;
};

static void add(struct words *w, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

static void add(struct words *w, const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    if (vasprintf(&w->v[w->nr], fmt, ap) < 0) {
        w->v[w->nr] = NULL;
        w->failed = true;
    } else {
        w->nr++;
    }
    va_end(ap);
}

static void add_own(struct words *w, const struct vm_opts *opts,
                    const struct said *said, uint64_t memory)
{
    add(w, "-machine");
    add(w, "memory-backend=trench-ram,max-ram-below-4g=1G");
    add(w, "-object");
    add(w, "memory-backend-memfd,id=trench-ram,size=%" PRIu64 ",share=on",
        memory);
    if (!said->memory) {
        add(w, "-m");
        add(w, "%" PRIu64 "B", memory);
    }
    if (!said->bios && bar_bytes(opts) > SEABIOS_ROOM) {
        add(w, "-bios");
        add(w, "qboot.rom");
    }
}

static void add_processors(struct words *w, const struct vm_opts *opts,
                           const struct said *said, bool own_accel)
{
    if (own_accel) {
        add(w, "-accel");
        add(w, "%s", said->accels[0]);
    }
    if (!said->smp && opts->smp) {
        add(w, "-smp");
        add(w, "%u", opts->smp);
    }
}

static struct said read_args(const struct vm_opts *opts)
{
    struct said said = { 0 };

    for (int i = 0; i < opts->nr_args; i++) {
        read_option(&said, opts->args[i],
                    i + 1 < opts->nr_args ? opts->args[i + 1] : NULL);
    }
    return said;
}

char **vm_args(const char *prog, const struct vm_opts *opts, const int *fds)
{
    struct said said = read_args(opts);
    bool own_accel = said.nr_accels == 0;
    struct words w = { 0 };
    uint64_t memory;

    if (said.refused) {
        cli_error(prog, "%s", said.refused);
        return NULL;
    }
    memory = settle_memory(prog, opts, &said);
    if (memory == 0 || !settle_accel(prog, opts, &said) ||
        !settle_room(prog, opts)) {
        return NULL;
    }
    w.v = calloc(OWN_WORDS + DEVICE_WORDS * opts->devices +
                     (size_t)opts->nr_args + 1,
                 sizeof(*w.v));
    if (!w.v) {
        cli_error(prog, "out of memory");
        return NULL;
    }
    add(&w, "%s", opts->qemu);
    add_own(&w, opts, &said, memory);
    add_processors(&w, opts, &said, own_accel);
    for (unsigned i = 0; i < opts->devices; i++) {
        add(&w, "-device");
        add(&w, "x-pci-proxy-dev,id=trench%u,fd=%d", i, fds[i]);
    }
    for (int i = 0; i < opts->nr_args; i++) {
        add(&w, "%s", opts->args[i]);
    }
    if (w.failed) {
        cli_error(prog, "out of memory");
        vm_args_free(w.v);
        return NULL;
    }
    return w.v;
}

void vm_args_free(char **args)
{
    for (size_t i = 0; args[i]; i++) {
        free(args[i]);
    }
    free(args);
}

/* What a shell takes as it is; all else goes between quotes. */
static bool is_plain(const char *word)
{
    static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                "abcdefghijklmnopqrstuvwxyz"
                                "0123456789-_=,./:@%+";

    return *word != '\0' && word[strspn(word, plain)] == '\0';
}

static void print_word(const char *word)
{
    if (is_plain(word)) {
        fputs(word, stdout);
        return;
    }
    putchar('\'');
    for (; *word != '\0'; word++) {
        if (*word == '\'') {
            fputs("'\\''", stdout);
        } else {
            putchar(*word);
        }
    }
    putchar('\'');
}

void vm_args_print(char *const *args)
{
    for (size_t i = 0; args[i]; i++) {
        if (i > 0) {
            putchar(' ');
        }
        print_word(args[i]);
    }
    putchar('\n');
}
