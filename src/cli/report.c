/* SPDX-License-Identifier: BSD-3-Clause */
/* What people and programs read: messages, numbers, JSON, progress. */
#include "cli.h"

#include <inttypes.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define NS_PER_S           1000000000u
#define PROGRESS_PERIOD_NS (NS_PER_S / 5)

void cli_error(const char *prog, const char *fmt, ...)
{
    char text[1024];
    va_list ap;

    va_start(ap, fmt);
    vsnprintf(text, sizeof(text), fmt, ap);
    va_end(ap);
    fprintf(stderr, "%s: %s\n", prog, cli_printable(text));
}

char *cli_printable(char *text)
{
    for (char *p = text; *p; p++) {
        if ((unsigned char)*p < 0x20 || *p == 0x7f) {
            *p = '?';
        }
    }
    return text;
}

void cli_die_of(int sig)
{
    sigset_t set;

    fflush(stdout);
    sigemptyset(&set);
    sigaddset(&set, sig);
    signal(sig, SIG_DFL);
    raise(sig);
    sigprocmask(SIG_UNBLOCK, &set, NULL);
}

uint64_t cli_now_ns(void)
{
    struct timespec ts;

    clock_gettime(CLOCK_MONOTONIC, &ts);
    return (uint64_t)ts.tv_sec * NS_PER_S + (uint64_t)ts.tv_nsec;
}

double cli_rate(uint64_t count, uint64_t ns)
{
    return ns > 0 ? (double)count * NS_PER_S / (double)ns : 0.0;
}

struct cli_text cli_human(double bytes)
{
    static const char units[] = "KMGT";
    struct cli_text text;
    int unit = -1;

    /* 1023.95 would be printed as 1024.0. */
    while (bytes >= (unit < 0 ? 1024 : 1023.95) && unit < 3) {
        bytes /= 1024;
        unit++;
    }
    if (unit < 0) {
        snprintf(text.s, sizeof(text.s), "%.0f B", bytes);
    } else {
        snprintf(text.s, sizeof(text.s), "%.1f %ciB", bytes, units[unit]);
    }
    return text;
}

json_t *cli_json_text(const char *text)
{
    json_t *json = json_string(text);
    char *copy;

    if (json) {
        return json;
    }
    copy = strdup(text);
    if (!copy) {
        return NULL;
    }
    for (char *c = copy; *c != '\0'; c++) {
        if ((unsigned char)*c >= 0x80) {
            *c = '?';
        }
    }
    json = json_string(copy);
    free(copy);
    return json;
}

json_t *cli_json_hex(uint64_t value)
{
    return json_sprintf("0x%" PRIx64, value);
}

int cli_json_print(const char *prog, FILE *to, json_t *object)
{
    int err;

    if (!object) {
        cli_error(prog, "out of memory");
        return CLI_FAILED;
    }
    err = json_dumpf(object, to, JSON_INDENT(2) | JSON_REAL_PRECISION(9));
    json_decref(object);
    if (err || fputc('\n', to) == EOF) {
        cli_error(prog, "cannot write the JSON result");
        return CLI_FAILED;
    }
    return CLI_OK;
}

void cli_progress_start(struct cli_progress *progress, int wanted,
                        uint64_t total)
{
    memset(progress, 0, sizeof(*progress));
    progress->terminal = isatty(STDERR_FILENO) == 1;
    progress->on = wanted < 0 ? progress->terminal : wanted > 0;
    progress->total = total;
    progress->start_ns = cli_now_ns();
    progress->next_ns = progress->start_ns + PROGRESS_PERIOD_NS;
}

void cli_progress_update(struct cli_progress *progress, uint64_t done)
{
    struct cli_text rate;
    uint64_t now;

    if (!progress->on) {
        return;
    }
    now = cli_now_ns();
    if (now < progress->next_ns) {
        return;
    }
    progress->next_ns = now + PROGRESS_PERIOD_NS;
    rate = cli_human(cli_rate(done, now - progress->start_ns));
    cli_progress_clear(progress);
    fprintf(stderr, "%s", cli_human((double)done).s);
    if (progress->total > 0) {
        /* A source that grows goes past 100. */
        fprintf(stderr, " of %s (%.0f%%)", cli_human((double)progress->total).s,
                100.0 * (double)done / (double)progress->total);
    }
    fprintf(stderr, ", %s/s", rate.s);
    if (progress->terminal) {
        progress->shown = true;
        fflush(stderr);
    } else {
        fputc('\n', stderr);
    }
}

void cli_progress_clear(struct cli_progress *progress)
{
    if (progress->shown) {
        fprintf(stderr, "\r%60s\r", "");
        progress->shown = false;
    }
}
