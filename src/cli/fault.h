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

/** "m2s-data-read:slverr" into text. */
void cli_fault_text(const struct trench_fault *fault, char *text, size_t size);

#endif /* TRENCH_CLI_FAULT_H */
