/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The firmware of the host side: words in misc RAM, resets, the mailbox
 * (host-driver 2.2 to 2.5).
 *
 * A reset goes through three states: requested, from the trigger on until the
 * request word reads 0 (then the engines are reset); busy, until the status
 * and the scratch word say done; idle.
 */
#ifndef TRENCH_FIRMWARE_H
#define TRENCH_FIRMWARE_H

#include <trench/pci.h>

#include "base/log.h"
#include "misc_ram_gen.h"

#define FIRMWARE_WORDS (MISC_RAM_SIZE_BYTES / 4)

/* Largest buffer of the mailbox; its size field has 16 bits. */
#define FIRMWARE_MBOX_BYTES 65535u

enum firmware_state {
    FIRMWARE_IDLE,
    FIRMWARE_REQUESTED,
    FIRMWARE_BUSY,
};

struct firmware {
    struct trench_soc *soc;
    struct trench_bus *bus;
    const struct trench_gen *gen;
    const struct trench_csr_block *block;
    uint64_t host_base; /* of the window on host memory */
    uint64_t host_bytes;
    struct logger log;
    uint8_t routing_id;
    uint64_t serial;
    struct trench_pci_latency latency[2]; /* of REQUESTED, of BUSY */
    uint32_t ram[FIRMWARE_WORDS];
    uint32_t scratch;
    enum firmware_state state;
    uint32_t polls_left; /* of the state */
    uint64_t ns_left;
    bool whole;           /* a reset of the device is to be done ... */
    uint32_t cores;       /* ... or of these, by core map */
    bool identity_hidden; /* by a reset of the device that is not over */
    bool in_mailbox;
    uint16_t sample; /* of power */
    uint64_t device_resets;
    uint64_t core_resets;
    uint64_t bad_resets;
    uint64_t mailbox;
    uint64_t mailbox_bad;
    uint64_t metrics;
    uint8_t mbox[FIRMWARE_MBOX_BYTES];
};

/* Everything as after power-on; soc, latency and identity are set before. */
void firmware_reset(struct firmware *fw);

/* Put misc RAM and the scratch word on the bus. 0 or an error. */
int firmware_place(struct firmware *fw);

/* Time passes. */
void firmware_advance(struct firmware *fw, uint64_t ns);

/* Until something happens by time alone; UINT64_MAX = nothing will. */
uint64_t firmware_due(const struct firmware *fw);

/* What had to wait for an engine at work. */
void firmware_step(struct firmware *fw);

/* firmware_mbox.c: serve the mailbox. */
void firmware_mailbox(struct firmware *fw);

static inline uint32_t firmware_word(const struct firmware *fw, uint32_t off)
{
    return fw->ram[off / 4];
}

#endif /* TRENCH_FIRMWARE_H */
