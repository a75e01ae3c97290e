/* SPDX-License-Identifier: BSD-3-Clause */
/* A chip in parts, for firmware that resets some of them. */
#ifndef TRENCH_SOC_PARTS_H
#define TRENCH_SOC_PARTS_H

#include <trench/soc.h>

/* An engine is at work: the caller was called from inside an access of it. */
bool soc_running(const struct trench_soc *soc);

/*
 * Engines, events, semaphores and sequencers of one core, as after power-on;
 * the engine between core and host, too, where each core has its own. Not
 * while an engine is at work.
 */
void soc_reset_core(struct trench_soc *soc, unsigned core);

/* Registers of one TOP_SP, by its number in the address map. */
void soc_reset_top_sp(struct trench_soc *soc, unsigned n);

#endif /* TRENCH_SOC_PARTS_H */
