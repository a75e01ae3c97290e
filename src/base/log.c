/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/log.h"

#include <stdarg.h>
#include <stdio.h>

void log_line(const struct logger *log, enum trench_log_level level,
              const char *fmt, ...)
{
    char line[256];
    int saved = errno;
    va_list ap;

    if (!log->fn) {
        return;
    }
    va_start(ap, fmt);
    vsnprintf(line, sizeof(line), fmt, ap);
    va_end(ap);
    log->fn(log->opaque, level, line);
    errno = saved;
}
