/* SPDX-License-Identifier: BSD-3-Clause */
#include "fault.h"

#include <string.h>

#include <trench/cause.h>

#define MAX_TEXT 128u

static const char *const places[TRENCH_NR_FAULT_PLACES] = {
    [TRENCH_AXI_M2S_DESC_READ] = "m2s-desc-read",
    [TRENCH_AXI_M2S_DATA_READ] = "m2s-data-read",
    [TRENCH_AXI_M2S_CMPL_WRITE] = "m2s-cmpl-write",
    [TRENCH_AXI_S2M_DESC_READ] = "s2m-desc-read",
    [TRENCH_AXI_S2M_DATA_WRITE] = "s2m-data-write",
    [TRENCH_AXI_S2M_CMPL_WRITE] = "s2m-cmpl-write",
    [TRENCH_AXI_MSIX_WRITE] = "msix-write",
    [TRENCH_FAULT_M2S] = "m2s",
    [TRENCH_FAULT_S2M] = "s2m",
    [TRENCH_FAULT_PARITY] = "fifo",
};

/* The cause group of the places that are not masters. */
static const enum trench_cause_group groups[TRENCH_NR_FAULT_PLACES] = {
    [TRENCH_FAULT_M2S] = TRENCH_CAUSE_M2S,
    [TRENCH_FAULT_S2M] = TRENCH_CAUSE_S2M,
    [TRENCH_FAULT_PARITY] = TRENCH_CAUSE_FIFO,
};

static const struct {
    const char *name;
    unsigned bits;
} answers[] = {
    { "exokay", TRENCH_AXI_EXOKAY }, { "slverr", TRENCH_AXI_SLVERR },
    { "decerr", TRENCH_AXI_DECERR }, { "timeout", TRENCH_AXI_TIMEOUT },
    { "parity", TRENCH_AXI_PARITY },
};

static unsigned parse_place(const struct cli_opt_arg *arg, const char *text)
{
    char known[256] = "";

    for (unsigned i = 0; i < TRENCH_NR_FAULT_PLACES; i++) {
        if (strcmp(places[i], text) == 0) {
            return i;
        }
        strncat(known, i ? ", " : "", sizeof(known) - strlen(known) - 1);
        strncat(known, places[i], sizeof(known) - strlen(known) - 1);
    }
    argp_error(arg->state, "%s: no place '%s'; there are %s", arg->name, text,
               known);
    return 0; /* not reached */
}

/* One answer, or several joined with '+'. */
static unsigned parse_answer(const struct cli_opt_arg *arg, char *text)
{
    unsigned code = 0;
    char *rest = NULL;

    for (char *word = strtok_r(text, "+", &rest); word;
         word = strtok_r(NULL, "+", &rest)) {
        unsigned bits = 0;

        for (size_t i = 0; i < CLI_ARRAY_LEN(answers); i++) {
            bits = strcmp(answers[i].name, word) == 0 ? answers[i].bits : bits;
        }
        if (bits == 0) {
            argp_error(arg->state,
                       "%s: no answer '%s'; there are exokay, slverr, decerr, "
                       "timeout and parity, joined with '+'",
                       arg->name, word);
        }
        code |= bits;
    }
    if (code == 0) {
        argp_error(arg->state, "%s: an answer is missing after ':'", arg->name);
    }
    return code;
}

/* Every cause of a group, for a message. */
static void list_causes(enum trench_cause_group group, char *text, size_t size)
{
    size_t n = 0;

    text[0] = '\0';
    for (unsigned bit = 0; bit < 32 && n < size; bit++) {
        const char *name = trench_cause_name(group, bit);

        if (name) {
            n += (size_t)snprintf(text + n, size - n, "%s%s", n ? ", " : "",
                                  name);
        }
    }
}

/* A bit by its name or number. */
static unsigned parse_cause(const struct cli_opt_arg *arg, const char *text,
                            enum trench_cause_group group)
{
    struct cli_opt_arg bit = { arg->state, arg->name, text };
    int found = trench_cause_find(group, text);
    char known[1024];

    if (found >= 0) {
        return (unsigned)found;
    }
    if (text[0] < '0' || text[0] > '9') {
        list_causes(group, known, sizeof(known));
        argp_error(arg->state, "%s: no cause '%s'; there are %s", arg->name,
                   text, known);
    }
    return (unsigned)cli_opt_number(&bit, 0, 31);
}

/* "after=10" and its like. */
static void parse_setting(const struct cli_opt_arg *arg, char *text,
                          struct trench_fault *out)
{
    char *value = strchr(text, '=');
    struct cli_opt_arg number = { arg->state, arg->name, value };

    if (value) {
        *value = '\0';
        number.text = value + 1;
    }
    if (value && strcmp(text, "engine") == 0) {
        out->engine = (int)cli_opt_number(&number, 0, CLI_SET_MAX);
    } else if (value && strcmp(text, "queue") == 0) {
        out->queue = (int)cli_opt_number(&number, 0, TRENCH_NR_QUEUES - 1);
    } else if (value && strcmp(text, "after") == 0) {
        out->after = cli_opt_number(&number, 0, UINT64_MAX);
    } else if (value && strcmp(text, "times") == 0) {
        out->times = cli_opt_number(&number, 0, UINT64_MAX);
    } else {
        argp_error(arg->state,
                   "%s: '%s' is none of engine=N, queue=N, after=N, times=N",
                   arg->name, text);
    }
}

bool cli_opt_fault(const struct cli_opt_arg *arg, struct trench_fault *out)
{
    char text[MAX_TEXT];
    char *rest = NULL;
    char *what, *setting;

    *out = (struct trench_fault){
        .engine = TRENCH_FAULT_ANY,
        .queue = TRENCH_FAULT_ANY,
    };
    if (!strchr(arg->text, ':')) {
        return false;
    }
    if (strlen(arg->text) >= sizeof(text)) {
        argp_error(arg->state, "%s: a fault has at most %zu characters",
                   arg->name, sizeof(text) - 1);
    }
    snprintf(text, sizeof(text), "%s", arg->text);
    what = strchr(text, ':');
    *what++ = '\0';
    out->at = parse_place(arg, text);
    setting = strchr(what, ',');
    if (setting) {
        *setting++ = '\0';
    }
    out->code = out->at < TRENCH_NR_AXI_MASTERS
                    ? parse_answer(arg, what)
                    : parse_cause(arg, what, groups[out->at]);
    for (setting =
             strtok_r(setting ? setting : text + strlen(text), ",", &rest);
         setting; setting = strtok_r(NULL, ",", &rest)) {
        parse_setting(arg, setting, out);
    }
    return true;
}

static void answer_text(unsigned code, char *text, size_t size)
{
    static const char *const responses[] = { NULL, "exokay", "slverr",
                                             "decerr" };
    const char *response = responses[code & TRENCH_AXI_DECERR];
    size_t n = 0;

    text[0] = '\0';
    if (response) {
        n = (size_t)snprintf(text, size, "%s", response);
    }
    for (size_t i = 0; i < CLI_ARRAY_LEN(answers) && n < size; i++) {
        if (answers[i].bits > TRENCH_AXI_DECERR && (code & answers[i].bits)) {
            n += (size_t)snprintf(text + n, size - n, "%s%s", n ? "+" : "",
                                  answers[i].name);
        }
    }
}

void cli_opt_add_fault(const struct cli_opt_arg *arg, struct cli_faults *out)
{
    if (out->nr == TRENCH_MAX_FAULTS) {
        argp_error(arg->state, "%s: more than %d faults", arg->name,
                   TRENCH_MAX_FAULTS);
        return; /* not reached */
    }
    if (!cli_opt_fault(arg, &out->list[out->nr])) {
        argp_error(arg->state, "%s: '%s' is not " CLI_FAULT_ARG, arg->name,
                   arg->text);
        return; /* not reached */
    }
    out->nr++;
}

void cli_fault_text(const struct trench_fault *fault, char *text, size_t size)
{
    char what[40];
    const char *cause;

    if (fault->at < TRENCH_NR_AXI_MASTERS) {
        answer_text(fault->code, what, sizeof(what));
    } else {
        cause = trench_cause_name(groups[fault->at], fault->code);
        snprintf(what, sizeof(what), "%s", cause ? cause : "?");
        if (!cause) {
            snprintf(what, sizeof(what), "%u", fault->code);
        }
    }
    snprintf(text, size, "%s:%s", places[fault->at], what);
}

int cli_faults_inject(const char *prog, struct trench_soc *soc,
                      const struct cli_faults *faults)
{
    for (unsigned i = 0; i < faults->nr; i++) {
        int number = trench_soc_inject(soc, &faults->list[i]);

        if (number < 0) {
            char text[80];

            cli_fault_text(&faults->list[i], text, sizeof(text));
            cli_error(prog, "--inject: %s on engine %d of %s: %s", text,
                      faults->list[i].engine, trench_soc_gen(soc)->name,
                      trench_strerror(number));
            return -1;
        }
    }
    return 0;
}

json_t *cli_faults_json(const struct trench_soc *soc,
                        const struct cli_faults *faults)
{
    json_t *list = json_array();

    for (unsigned i = 0; i < faults->nr; i++) {
        struct trench_fault_stats stats = { 0 };
        char text[80];

        cli_fault_text(&faults->list[i], text, sizeof(text));
        trench_soc_fault_stats(soc, (int)i, &stats);
        json_array_append_new(list,
                              json_pack("{s:s, s:I, s:I}", "fault", text,
                                        "seen", (json_int_t)stats.seen,
                                        "struck", (json_int_t)stats.struck));
    }
    return list;
}
