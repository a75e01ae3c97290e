/* SPDX-License-Identifier: BSD-3-Clause */
/* Faults on the command line: "m2s-data-read:slverr,after=10,times=1". */
#ifndef TRENCH_CLI_FAULT_H
#define TRENCH_CLI_FAULT_H

#include "cli.h"

#include <trench/access.h>

/** For the documentation of an option. */
#define CLI_FAULT_ARG "PLACE:WHAT[,engine=N][,queue=N][,after=N][,times=N]"

/**
 * Parse a fault. A usage error ends the program when the text is wrong; the
 * engine is checked against the generation by trench_soc_inject().
 * @return false when the text holds no colon, so that it is something else.
 */
bool cli_opt_fault(const struct cli_opt_arg *arg, struct trench_fault *out);

/** Faults of an option that may be repeated. */
struct cli_faults {
    unsigned nr;
    struct trench_fault list[TRENCH_MAX_FAULTS];
};

/**
 * Add a fault. A usage error ends the program: also when the text is something
 * else, and when there are too many.
 */
void cli_opt_add_fault(const struct cli_opt_arg *arg, struct cli_faults *out);

/**
 * Let a chip meet faults; the first is number 0.
 * @return 0, or -1 after a message.
 */
int cli_faults_inject(const char *prog, struct trench_soc *soc,
                      const struct cli_faults *faults);

/** What has become of them, as a list; NULL without memory. */
json_t *cli_faults_json(const struct trench_soc *soc,
                        const struct cli_faults *faults);

/** "m2s-data-read:slverr" into text. */
void cli_fault_text(const struct trench_fault *fault, char *text, size_t size);

#endif /* TRENCH_CLI_FAULT_H */
