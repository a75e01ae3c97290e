/* SPDX-License-Identifier: BSD-3-Clause */
/* Mailboxes: a word and an interrupt from one engine to its neighbour. */
#ifndef TRENCH_MAILBOX_H
#define TRENCH_MAILBOX_H

#include <stdint.h>

/* Hooks of Mailbox.Interrupt and Mailbox.msg_out. */
void mailbox_write_interrupt(void *owner, uint32_t slot, uint32_t written,
                             uint32_t old);
void mailbox_write_msg_out(void *owner, uint32_t slot, uint32_t written,
                           uint32_t old);

#endif /* TRENCH_MAILBOX_H */
