/* SPDX-License-Identifier: BSD-3-Clause */
/* common-blocks 1.1.6; udma-engine 3.5. */
#include "dev/mailbox.h"

#include "dev/channel.h"
#include "udma_gen_gen.h"

/*
 * Who hears an engine: engines 2k and 2k + 1 hear each other (hardware.md
 * H83). NULL: nobody.
 */
static struct channel *peer(const struct channel *ch)
{
    unsigned e = ch->engine ^ 1;

    return e < ch->chip->gen->nr_engines ? &ch->chip->channels[e] : NULL;
}

void mailbox_write_interrupt(void *owner, uint32_t slot, uint32_t written,
                             uint32_t old)
{
    struct channel *to = peer(owner);

    (void)old;
    if (to && (written & UDMA_GEN_MAILBOX_INTERRUPT_SET_MASK)) {
        intr_raise(to, INTR_PRIMARY, INTR_D, 1u << (INTR_MISC_MAILBOX + slot));
    }
}

/* The neighbour sees the word at once; the interrupt is a write of its own. */
void mailbox_write_msg_out(void *owner, uint32_t slot, uint32_t written,
                           uint32_t old)
{
    struct channel *to = peer(owner);

    (void)old;
    if (to) {
        *regfile_at(&to->units[TRENCH_BLOCK_UDMA_GEN].rf,
                    UDMA_GEN_MAILBOX_MSG_IN(slot)) = written;
    }
}
