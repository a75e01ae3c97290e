/* SPDX-License-Identifier: BSD-3-Clause */
/* Moving a packet from M2S to S2M. */
#ifndef TRENCH_PACKET_H
#define TRENCH_PACKET_H

#include "dev/channel.h"

/* Injected faults of a packet that begins; false when one aborted. */
bool packet_faults(struct channel *ch, unsigned q);

/*
 * Move as much as there are buffers for. *delivered is set when the packet is
 * through; its descriptors then are to be completed. Returns units spent, 0
 * when the queue can do nothing now.
 */
uint64_t packet_move(struct channel *ch, unsigned q, bool *delivered);

#endif /* TRENCH_PACKET_H */
