/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The AXI masters of a channel: what stands between an address that a
 * descriptor or a register gives and the bus.
 *
 *   address -> composition (VMPR, VMADDR) with VMID -> faults and hook -> bus
 *
 * Most queues need none of it. Their bit in ch->plain says so, and the data
 * path then goes straight to memory; axi_replan() keeps the bits. A queue
 * that is not plain makes each of its accesses by the functions here.
 */
#ifndef TRENCH_AXI_H
#define TRENCH_AXI_H

#include <trench/access.h>

#include "dev/channel.h"

/* What an address is for; each kind has its own VMPR registers. */
enum axi_stream {
    AXI_TX_PREF,
    AXI_TX_DATA,
    AXI_TX_CMPL,
    AXI_RX_PREF,
    AXI_RX_BUF1,
    AXI_RX_BUF2,
    AXI_RX_DDP,
    AXI_RX_CMPL,
    AXI_MSIX,
};

#define AXI_NO_VMID UINT32_MAX

/* An access under way. */
struct axi {
    enum axi_stream stream;
    unsigned q;
    uint64_t addr;
    uint64_t len;
    uint32_t vmid; /* or AXI_NO_VMID */
};

/* The master that serves a stream. */
enum trench_axi_master axi_master(enum axi_stream stream);

/*
 * An access of a stream: addr as the descriptor or register gives it, off
 * bytes into it. Composes the bus address and finds the VMID.
 */
struct axi axi_compose(const struct channel *ch, enum axi_stream stream,
                       unsigned q, uint64_t addr, uint64_t off);

/* Ask faults and hook for len bytes; the answer, 0 = go on. */
unsigned axi_admit(struct channel *ch, const struct axi *a);

/* A refusal of the bus as an answer. */
unsigned axi_answer(int err);

/*
 * A whole access of a queue that is not plain: admitted, made, and with its
 * bytes swapped as endian_cfg says. Returns the answer.
 */
unsigned axi_read(struct channel *ch, enum axi_stream stream, unsigned q,
                  uint64_t addr, void *buf, uint32_t len);
unsigned axi_write(struct channel *ch, enum axi_stream stream, unsigned q,
                   uint64_t addr, const void *buf, uint32_t len);

/* The same for a composed access of at most 64 bytes. */
unsigned axi_put(struct channel *ch, const struct axi *a, const void *buf);

/*
 * Bytes of a group that a stream reverses: 4 or 8, or 1 when it does not
 * (seed 002 3.3 endian_cfg).
 */
uint32_t axi_swap_group(const struct channel *ch, enum axi_stream stream);

/* Reverse the groups of an item; one shorter than a group is its own group. */
void axi_swap(void *buf, uint32_t len, uint32_t group);

/* Find out again which queues are plain, after any setting changed. */
void axi_replan(struct channel *ch);
void axi_replan_queue(struct channel *ch, unsigned q);
void axi_replan_all(struct chip *chip);

/* A register hook that does only that; the owner is the channel. */
void axi_write_replan(void *owner, uint32_t idx, uint32_t written,
                      uint32_t old);

extern const struct hook_list axi_gen_hooks;
extern const struct use_list axi_gen_uses;
extern const struct hook_list axi_gen_ex_hooks;
extern const struct use_list axi_gen_ex_uses;

static inline bool axi_plain(const struct channel *ch, unsigned q)
{
    return ch->plain >> q & 1;
}

#endif /* TRENCH_AXI_H */
