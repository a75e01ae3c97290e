/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Messages: an event of a primary group writes a word to memory, or to a
 * register, where its entry of the message table says so (hardware.md H81).
 * A message is work of its engine: it is sent when the engine runs.
 */
#ifndef TRENCH_MSIX_H
#define TRENCH_MSIX_H

#include "dev/channel.h"

/*
 * Events of primary group n that may send now; those that could not before
 * become due.
 */
void msix_arm(struct channel *ch, unsigned n, uint32_t bits);

/* Send what is due, at most max messages; returns how many were tried. */
uint64_t msix_send(struct channel *ch, uint64_t max);

#endif /* TRENCH_MSIX_H */
