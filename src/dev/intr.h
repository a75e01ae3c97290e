/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The interrupt controller of a channel: 36 groups of 32 events in nine
 * windows of udma_gen (udma-engine 3.1 to 3.4; common-blocks 1.1.4).
 *
 *   int_ctrl<g> A..D --> secondary D bit g --+
 *                secondary A..D ------------> primary D bits 8..11 --+
 *                primary B..D ---------------> primary A bits 0..2
 *
 * An event is a pulse (an error, a completion: it only sets its cause) or a
 * level (the summary of another group: it also shows in the status word). What
 * is set and not masked makes the group's summary, its trigger vectors
 * (vector.h) and its messages (msix.h). A change is carried up the tree at
 * once, by the code that makes it; an engine with nothing raised spends nothing
 * on it.
 */
#ifndef TRENCH_INTR_H
#define TRENCH_INTR_H

#include <stdbool.h>
#include <stdint.h>

#include "csr/regfile.h"
#include "udma_gen_gen.h"

struct channel;

/* The windows: their names, and where they begin. */
#define INTR_WINDOWS(X)                                                        \
    X(PRIMARY, UDMA_GEN_INT_CTRL_BASE_ADDR_WORD(0))                            \
    X(SECONDARY, UDMA_GEN_INT_CTRL_SEC_ADDR_WORD(0))                           \
    X(AXI_0, UDMA_GEN_INT_CTRL0_WORD(0))                                       \
    X(AXI_1, UDMA_GEN_INT_CTRL1_WORD(0))                                       \
    X(AXI_2, UDMA_GEN_INT_CTRL2_WORD(0))                                       \
    X(AXI_3, UDMA_GEN_INT_CTRL3_WORD(0))                                       \
    X(AXI_4, UDMA_GEN_INT_CTRL4_WORD(0))                                       \
    X(AXI_5, UDMA_GEN_INT_CTRL5_WORD(0))                                       \
    X(AXI_6, UDMA_GEN_INT_CTRL6_WORD(0))

#define INTR_WINDOW_ID(name, offset) INTR_##name,
enum intr_window {
    INTR_WINDOWS(INTR_WINDOW_ID) INTR_NR_WINDOWS
};

/* Groups of a window. */
enum intr_letter {
    INTR_A,
    INTR_B,
    INTR_C,
    INTR_D,
    INTR_LETTERS,
};

#define INTR_NR_GROUPS   (INTR_NR_WINDOWS * INTR_LETTERS)
#define INTR_NR_MESSAGES INTR_LETTERS /* groups that send messages: primary */

/* Bits of primary group D (udma-engine 3.1; the timer: hardware.md H80). */
enum intr_misc {
    INTR_MISC_MAILBOX = 0, /* and the three above it */
    INTR_MISC_SECONDARY = 8,
    INTR_MISC_TIMER = 12,
};

/* What the controller remembers beside its registers. */
struct intr {
    uint32_t *window[INTR_NR_WINDOWS]; /* first word of each */
    uint32_t raised[INTR_NR_GROUPS];   /* set and not masked */
    uint32_t armed[INTR_NR_MESSAGES];  /* of it, what may send messages */
    uint32_t due[INTR_NR_MESSAGES];    /* messages to be sent */
    bool sending;                      /* any of them */
};

/* The windows' reset words, over the schema's. */
void intr_class_resets(struct regfile_class *cls,
                       const struct trench_csr_block *iofic);

/* Find the windows; once, before the reset. */
void intr_bind(struct channel *ch);

/* To power-on, after the registers. */
void intr_reset(struct channel *ch);

/* Something happened: latch the causes of these bits. */
void intr_raise(struct channel *ch, enum intr_window window,
                enum intr_letter group, uint32_t bits);

/* The causes that a group holds. */
uint32_t intr_causes(const struct channel *ch, enum intr_window window,
                     enum intr_letter group);

/* A message went out: mask and drop its event as the group asks. */
void intr_acknowledge(struct channel *ch, enum intr_letter group, uint32_t bit);

/* DMA_misc.abort_ctl has changed: what was held back acts now. */
void intr_abort_unmasked(struct channel *ch);

/* Hooks of the windows, by window. */
#define INTR_HOOKS(name, offset)                                               \
    uint32_t intr_read_##name(void *owner, uint32_t idx, uint32_t val);        \
    void intr_write_##name(void *owner, uint32_t idx, uint32_t written,        \
                           uint32_t old);
INTR_WINDOWS(INTR_HOOKS)
#undef INTR_HOOKS

#endif /* TRENCH_INTR_H */
