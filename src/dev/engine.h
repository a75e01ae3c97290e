/* SPDX-License-Identifier: BSD-3-Clause */
/* A channel as a whole: reset and running. */
#ifndef TRENCH_ENGINE_H
#define TRENCH_ENGINE_H

#include "dev/channel.h"

/* Find the registers that the channel looks at; once, before the reset. */
void engine_bind(struct channel *ch);

/* Registers and engines to power-on. */
void engine_reset(struct channel *ch);

/*
 * Run until nothing is runnable or budget units are spent (they may be
 * exceeded by one packet). Returns units spent.
 */
uint64_t engine_run(struct channel *ch, uint64_t budget);

/*
 * Packets whose buffer did not come in time (udma-engine B31); true when
 * there was one. The descriptors of those that are dropped add to *units.
 */
bool engine_expire(struct channel *ch, uint64_t *units);

#endif /* TRENCH_ENGINE_H */
