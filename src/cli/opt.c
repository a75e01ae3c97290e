/* SPDX-License-Identifier: BSD-3-Clause */
/* Options that commands share, and the values of options. */
#include "cli.h"

#include <assert.h>
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum {
    OPT_GEN = 0x1000,
    OPT_JSON
};

static const struct argp_option common_options[] = {
    { .name = "gen",
      .key = OPT_GEN,
      .arg = "NAME",
      .doc = "Model this chip generation (default cayman)",
      .group = 10 },
    { .name = "json",
      .key = OPT_JSON,
      .doc = "Print the result as one JSON object",
      .group = 10 },
    { 0 },
};

struct cli_opt_name cli_opt_name(const struct argp_option *options, int key)
{
    struct cli_opt_name name = { "" };

    for (const struct argp_option *row = options; row->name; row++) {
        if (row->key == key) {
            snprintf(name.s, sizeof(name.s), "--%s", row->name);
        }
    }
    return name;
}

void cli_refuse_gen(const struct cli_opt_arg *arg)
{
    char known[256] = "";
    const struct trench_gen *gen;
    size_t len = 0;

    for (size_t i = 0; (gen = trench_gen_at(i)) && len < sizeof(known); i++) {
        len += (size_t)snprintf(known + len, sizeof(known) - len, "%s%s",
                                i > 0 ? ", " : "", gen->name);
    }
    argp_error(arg->state, "%s: unknown generation '%s'; known: %s", arg->name,
               arg->text, known);
}

static error_t common_parse(int key, char *arg, struct argp_state *state)
{
    struct cli_common *common = state->input;

    switch (key) {
    case ARGP_KEY_INIT:
        common->gen = trench_gen_find(NULL);
        common->json = false;
        return 0;
    case OPT_GEN:
        common->gen = trench_gen_find(arg);
        if (!common->gen) {
            cli_refuse_gen(&(struct cli_opt_arg){ state, "--gen", arg });
        }
        return 0;
    case OPT_JSON:
        common->json = true;
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

const struct argp cli_common_argp = {
    .options = common_options,
    .parser = common_parse,
};

/* Leaves *end at the first character that is not part of the number. */
static bool parse_number(const char *text, int base, uint64_t *out,
                         const char **end)
{
    unsigned long long val;
    char *stop;

    if (!isdigit((unsigned char)text[0])) {
        return false; /* strtoull would take signs and blanks */
    }
    errno = 0;
    val = strtoull(text, &stop, base);
    if (errno != 0) {
        return false;
    }
    *out = val;
    *end = stop;
    return true;
}

uint64_t cli_opt_number(const struct cli_opt_arg *arg, uint64_t min,
                        uint64_t max)
{
    bool hex =
        arg->text[0] == '0' && tolower((unsigned char)arg->text[1]) == 'x';
    const char *end;
    uint64_t val;

    if (!parse_number(arg->text, hex ? 16 : 10, &val, &end) || *end != '\0' ||
        val < min || val > max) {
        argp_error(arg->state, "%s: '%s' is not a number from %llu to %llu",
                   arg->name, arg->text, (unsigned long long)min,
                   (unsigned long long)max);
        return min; /* not reached */
    }
    return val;
}

/* The factor of a suffix; 0 when it is none. */
static uint64_t size_factor(const char *suffix)
{
    static const char letters[] = "KMGT";
    const char *letter;
    uint64_t unit = 1024;
    uint64_t factor = 1;

    if (suffix[0] == '\0' || strcmp(suffix, "B") == 0) {
        return 1;
    }
    letter = strchr(letters, toupper((unsigned char)suffix[0]));
    if (!letter) {
        return 0;
    }
    if (strcmp(suffix + 1, "B") == 0) {
        unit = 1000;
    } else if (suffix[1] != '\0' && strcmp(suffix + 1, "iB") != 0) {
        return 0;
    }
    for (const char *l = letters; l <= letter; l++) {
        factor *= unit;
    }
    return factor;
}

uint64_t cli_opt_size(const struct cli_opt_arg *arg, uint64_t min, uint64_t max)
{
    const char *end;
    uint64_t factor;
    uint64_t val;

    if (parse_number(arg->text, 10, &val, &end)) {
        factor = size_factor(end);
        if (factor > 0 && val <= UINT64_MAX / factor && val * factor >= min &&
            val * factor <= max) {
            return val * factor;
        }
    }
    argp_error(arg->state,
               "%s: '%s' is not a size from %llu to %llu bytes (suffixes K, "
               "M, G, KiB, KB, ...)",
               arg->name, arg->text, (unsigned long long)min,
               (unsigned long long)max);
    return min; /* not reached */
}

static void set_add(struct cli_set *set, uint64_t first, uint64_t last)
{
    for (uint64_t i = first; i <= last; i++) {
        set->count += !set->has[i];
        set->has[i] = true;
    }
}

/* One element, "N" or "N-M" or "all"; returns what follows it, or NULL. */
static const char *set_element(struct cli_set *set, const char *text,
                               unsigned limit)
{
    uint64_t first;
    uint64_t last;

    if (strncmp(text, "all", 3) == 0) {
        set_add(set, 0, limit - 1);
        return text + 3;
    }
    if (!parse_number(text, 10, &first, &text)) {
        return NULL;
    }
    last = first;
    if (*text == '-' && !parse_number(text + 1, 10, &last, &text)) {
        return NULL;
    }
    if (first > last || last >= limit) {
        return NULL;
    }
    set_add(set, first, last);
    return text;
}

void cli_opt_set(const struct cli_opt_arg *arg, unsigned limit,
                 struct cli_set *out)
{
    const char *text = arg->text;

    assert(limit > 0 && limit <= CLI_SET_MAX);
    memset(out, 0, sizeof(*out));
    for (;;) {
        text = set_element(out, text, limit);
        if (!text || (*text != ',' && *text != '\0')) {
            argp_error(arg->state,
                       "%s: '%s' is not a set within 0-%u, such as 0,2-3 or "
                       "all",
                       arg->name, arg->text, limit - 1);
            return; /* not reached */
        }
        if (*text == '\0') {
            return;
        }
        text++;
    }
}

void cli_set_truncate(struct cli_set *set, unsigned keep)
{
    for (unsigned i = CLI_SET_MAX; i > 0 && set->count > keep; i--) {
        set->count -= set->has[i - 1];
        set->has[i - 1] = false;
    }
}

static const char *const direction_names[] = {
    [CLI_H2D] = "h2d",
    [CLI_D2H] = "d2h",
    [CLI_D2D] = "d2d",
};

enum cli_direction cli_opt_direction(const struct cli_opt_arg *arg)
{
    for (unsigned i = 0; i < CLI_ARRAY_LEN(direction_names); i++) {
        if (strcmp(arg->text, direction_names[i]) == 0) {
            return (enum cli_direction)i;
        }
    }
    argp_error(arg->state, "%s: '%s' is none of h2d, d2h, d2d", arg->name,
               arg->text);
    return CLI_H2D; /* not reached */
}

const char *cli_direction_name(enum cli_direction direction)
{
    return direction_names[direction];
}
