/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Where the bytes of a packet go on the S2M side: header split, buffer 2, and
 * the sections of udma_gen_ex with their transaction table (seed 002 4.2;
 * common-blocks 1.2.3; udma-engine 2, 4.3).
 */
#ifndef TRENCH_SECTION_H
#define TRENCH_SECTION_H

#include "dev/axi.h"

/* The place for the next bytes of a packet. */
struct target {
    enum axi_stream stream;
    uint64_t addr;   /* of the buffer, as the descriptor gives it */
    uint32_t off;    /* into it */
    uint32_t buffer; /* its size */
    uint32_t room;   /* bytes that it takes now */
    const struct section_row *row; /* NULL when sections are off */
    bool sectioned;                /* found by section_target() */
    bool fixed;                    /* the address is not composed */
    bool vanish;                   /* the bytes are dropped */
};

/*
 * The packet of queue q goes on with an S2M descriptor, fresh when it has put
 * nothing there yet. With its first one, find out how much of it is header.
 * False when what is wrong about that stopped the engine.
 */
bool section_open(struct channel *ch, unsigned q, const struct desc *rx,
                  bool fresh);

/* The place for what is left; false when the descriptor takes no more. */
bool section_target(const struct channel *ch, unsigned q, const struct desc *rx,
                    struct target *to);

/* The access to the next bytes of a target. */
struct axi section_access(const struct channel *ch, unsigned q,
                          const struct target *to);

/*
 * n bytes have gone there and are no longer left; a section that ends with
 * them is padded and rounded up.
 */
void section_advance(struct channel *ch, unsigned q, const struct target *to,
                     uint32_t n);

/* The descriptor has been closed: the next one's buffers are empty. */
void section_close(struct channel *ch, unsigned q);

/* The words of the descriptor's completion that plain queues leave alone. */
void section_complete(const struct channel *ch, unsigned q, struct desc *comp);

extern const struct hook_list section_hooks;
extern const struct use_list section_uses;

#endif /* TRENCH_SECTION_H */
