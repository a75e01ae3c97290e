/* SPDX-License-Identifier: BSD-3-Clause */
/* One line to the caller's log callback. */
#ifndef TRENCH_LOG_H
#define TRENCH_LOG_H

#include <trench/error.h>

struct logger {
    trench_log_fn fn; /* NULL = silent */
    void *opaque;
};

__attribute__((format(printf, 3, 4))) void log_line(const struct logger *log,
                                                    enum trench_log_level level,
                                                    const char *fmt, ...);

#endif /* TRENCH_LOG_H */
