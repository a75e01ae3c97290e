/* SPDX-License-Identifier: BSD-3-Clause */
/* Injected faults, as the engines meet them. */
#ifndef TRENCH_FAULT_H
#define TRENCH_FAULT_H

#include <trench/access.h>

#include "dev/channel.h"

/* The answer that a fault gives to an access of a master; 0 = none strikes. */
unsigned fault_answer(struct channel *ch, unsigned q,
                      enum trench_axi_master master);

/*
 * A packet of queue q begins to move, or a buffer of it is closed: raise the
 * causes that faults ask for there. Sets *struck when one did; returns false
 * when the engine aborted.
 */
bool fault_packet(struct channel *ch, unsigned q, const struct desc *header,
                  bool *struck);
bool fault_buffer(struct channel *ch, unsigned q, const struct desc *header,
                  bool *struck);

/* trench_soc_inject(). */
int chip_inject(struct chip *chip, const struct trench_fault *fault);

#endif /* TRENCH_FAULT_H */
