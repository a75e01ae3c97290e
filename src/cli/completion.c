/* SPDX-License-Identifier: BSD-3-Clause */
/* trench completion: a shell script made from the tables of commands. */
#include "cli.h"

#include <trench/coll.h>
#include <trench/compute.h>

#include <ctype.h>
#include <string.h>

static error_t completion_parse(int key, char *arg, struct argp_state *state)
{
    switch (key) {
    case ARGP_KEY_ARG:
        if (state->arg_num > 0) {
            argp_error(state, "too many arguments");
        } else if (strcmp(arg, "bash") != 0) {
            argp_error(state, "unknown shell '%s'; known: bash", arg);
        }
        return 0;
    case ARGP_KEY_NO_ARGS:
        argp_error(state, "which shell? known: bash");
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

const struct argp cli_completion_argp = {
    .parser = completion_parse,
    .args_doc = "bash",
    .doc = "Prints a script that makes the shell complete commands and "
           "options of trench."
           "\n\nOptions:"
           "\v"
           "Example:\n\n"
           "  $ . <(trench completion bash)\n",
};

typedef void (*option_fn)(const struct argp_option *option);

/* Options of a parser, then those of its children. */
static void each_option(const struct argp *argp, option_fn fn)
{
    const struct argp_option *o = argp->options;
    const struct argp_child *child;

    for (; o && (o->name || o->doc); o++) {
        if (o->name && !(o->flags & (OPTION_DOC | OPTION_HIDDEN))) {
            fn(o);
        }
    }
    for (child = argp->children; child && child->argp; child++) {
        each_option(child->argp, fn);
    }
}

static void print_name(const struct argp_option *option)
{
    printf(" --%s", option->name);
}

/* The words of "a|b|WHAT" that are to be typed as they are. */
static void print_choices(const char *arg)
{
    size_t len;

    for (; *arg != '\0'; arg += len + (arg[len] == '|')) {
        len = strcspn(arg, "|");
        if (!isupper((unsigned char)*arg)) {
            printf("%.*s ", (int)len, arg);
        }
    }
}

static void print_gens(void)
{
    const struct trench_gen *gen;

    for (size_t i = 0; (gen = trench_gen_at(i)); i++) {
        printf("%s ", gen->name);
    }
}

static void print_algos(void)
{
    for (unsigned a = 0; a < TRENCH_NR_COLL_ALGOS; a++) {
        printf("%s ", trench_coll_algo_name((enum trench_coll_algo)a));
    }
    printf("list ");
}

static void print_types(void)
{
    for (unsigned t = 1; t < TRENCH_NR_DTYPES; t++) {
        printf("%s ", trench_dtype_name((enum trench_dtype)t));
    }
    printf("all ");
}

/* Options whose values the library knows. */
static const struct {
    const char *name;
    const char *arg; /* or all with this one; NULL = none */
    void (*print)(void);
} known[] = {
    { "gen", "GEN", print_gens },      { "algo", NULL, print_algos },
    { "intra", NULL, print_algos },    { "inter", NULL, print_algos },
    { "datatype", NULL, print_types },
};

/* A case for what may follow the option: "a|b|WHAT" offers a and b. */
static void print_values(const struct argp_option *option)
{
    if (!option->arg) {
        return;
    }
    printf("            --%s", option->name);
    if (isascii(option->key) && isalpha(option->key)) {
        printf(" | -%c", option->key);
    }
    printf(") words=\"");
    for (size_t i = 0; i < CLI_ARRAY_LEN(known); i++) {
        if (strcmp(option->name, known[i].name) == 0 ||
            (known[i].arg && strcmp(option->arg, known[i].arg) == 0)) {
            known[i].print();
        }
    }
    if (strchr(option->arg, '|')) {
        print_choices(option->arg);
    }
    printf("\" ;;\n");
}

static void print_command(const struct cli_command *command)
{
    printf("        %s)\n"
           "            case \"$prev\" in\n",
           command->name);
    each_option(command->argp, print_values);
    printf("            *) words=\"--help --usage --version");
    each_option(command->argp, print_name);
    printf("\"\n"
           "                [[ $cur == -* ]] || words=");
    if (command->print_subcommands) {
        printf("\n"
               "                [[ $cur == -* ]] || ((COMP_CWORD > 2)) ||\n"
               "                    words=\"");
        command->print_subcommands();
        printf("\"");
    }
    printf(" ;;\n"
           "            esac ;;\n");
}

static void print_names(void)
{
    for (const struct cli_command *c = cli_commands; c->name; c++) {
        printf("%s%s", c == cli_commands ? "" : " ", c->name);
    }
}

/* Readline breaks words at '=', so "--gen=c" arrives as "--gen" "=" "c". */
static const char head[] =
    "# Completion of trench for bash; printed by 'trench completion bash'.\n"
    "_trench()\n"
    "{\n"
    "    local cur=${COMP_WORDS[COMP_CWORD]}\n"
    "    local prev=${COMP_WORDS[COMP_CWORD - 1]}\n"
    "    local words=\n"
    "    if [[ $cur == = ]]; then\n"
    "        cur=\n"
    "    elif [[ $prev == = ]]; then\n"
    "        prev=${COMP_WORDS[COMP_CWORD - 2]}\n"
    "    fi\n"
    "    if ((COMP_CWORD == 1)); then\n"
    "        words=\"--help --usage --version ";

static const char tail[] =
    "        esac\n"
    "    fi\n"
    "    COMPREPLY=($(compgen -W \"$words\" -- \"$cur\"))\n"
    "}\n"
    "complete -o default -F _trench trench\n";

int cli_completion_run(int argc, char **argv)
{
    argp_parse(&cli_completion_argp, argc, argv, 0, NULL, NULL);
    fputs(head, stdout);
    print_names();
    fputs("\"\n"
          "    else\n"
          "        case ${COMP_WORDS[1]} in\n"
          "        help) words=\"",
          stdout);
    print_names();
    fputs("\" ;;\n"
          "        completion) words=bash ;;\n",
          stdout);
    for (const struct cli_command *c = cli_commands; c->name; c++) {
        if (c->argp->options || c->argp->children) {
            print_command(c);
        }
    }
    fputs(tail, stdout);
    return CLI_OK;
}
