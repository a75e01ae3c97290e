/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A slow, obvious reference model of one channel: 16 queue pairs, written
 * from udma-engine 1, 2, 4 and 5 and docs/hardware.md without a look at the
 * device's code; where those are silent it does what the device was seen to
 * do. It has its own memory and its own registers, moves one byte at a time,
 * and knows only plain copies.
 *
 * Drive it with the register writes that the device gets and with the same
 * bytes in memory; then registers and memory of the two must agree. Offsets
 * are those of the channel and literal on purpose.
 *
 * Out of its scope: unmasked aborts, timers that expire, QoS and DWRR, header
 * split, engines behind other commands.
 */
#ifndef TRENCH_TESTS_ORACLE_H
#define TRENCH_TESTS_ORACLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    ORACLE_QUEUES = 16,
    ORACLE_FIFO = 1024,
    ORACLE_MEMS = 4,
    ORACLE_REG_BYTES = 0x40000,
    ORACLE_CHANNEL_REGS = 45,
    ORACLE_QUEUE_REGS = 36,
};

/* The two halves of a channel; index of what both have. */
enum oracle_side {
    M2S,
    S2M,
};

/* An index and its lap, as the pointer registers show them. */
struct oracle_ptr {
    uint32_t idx;
    uint32_t lap;
};

/* Memory that exists, at one or two addresses. */
struct oracle_mem {
    uint64_t base;
    uint64_t alias; /* 0 = none */
    uint64_t size_bytes;
    uint8_t *bytes;
};

/* What became of an M2S descriptor in the prefetch FIFO. */
enum oracle_verdict {
    ORACLE_OPEN, /* its packet has no end yet */
    ORACLE_GOOD, /* its packet is complete */
    ORACLE_BAD,  /* complete with ERROR, move nothing */
};

struct oracle_desc {
    uint32_t word[4];
    enum oracle_verdict verdict;
    bool begins; /* first descriptor of what is completed together */
    bool ends;   /* last one */
};

struct oracle_ring {
    struct oracle_ptr head; /* next to fetch */
    struct oracle_ptr tail; /* first not posted */
    struct oracle_ptr cur;  /* oldest in the FIFO */
    struct oracle_ptr comp; /* next completion */
    struct oracle_desc fifo[ORACLE_FIFO];
    uint32_t nr_fifo;
    uint32_t nr_packets; /* q_tx_pkt, q_rx_pkt */
    bool refused;        /* the bus refused to read the ring */
};

struct oracle_queue {
    struct oracle_ring ring[2];  /* M2S, S2M */
    struct oracle_ptr data_tail; /* TDRDTP */

    /* The packet that is being fetched. */
    bool open;
    bool skipping; /* it is too long: throw away up to its LAST */
    uint32_t open_descs;
    uint64_t open_bytes;

    /* The packet that is being delivered. */
    bool started;       /* a buffer was used */
    bool lost;          /* S2M RST_Q came between two buffers */
    bool hinted;        /* waits for an S2M descriptor, and said so */
    bool error;         /* completions carry ERROR from now on */
    uint64_t delivered; /* bytes of the packet */
    uint32_t filled;    /* bytes in the open S2M buffer */
    bool nth_buffer;    /* a buffer was closed: no FIRST any more */
};

/* What engine statistics count besides registers. */
struct oracle_counts {
    uint64_t packets, tx_descs, rx_descs, bytes, doorbells, errors;
    uint64_t unsupported, guest_errors;
};

struct oracle {
    struct oracle_mem mem[ORACLE_MEMS];
    size_t nr_mems;
    uint32_t reg[ORACLE_REG_BYTES / 4]; /* as read, where it is storage */
    struct oracle_queue queue[ORACLE_QUEUES];
    bool moved;          /* the queue being served has filled a buffer */
    uint32_t command[2]; /* last change_state: 0 or 1 run, 2 stop, 4 abort */
    bool logged[2];
    bool log_fresh[2];   /* by the latest register write */
    bool log_unsure[2];  /* that write met several errors */
    unsigned next_queue; /* round robin */
    uint64_t bytes_moved;
    struct oracle_counts counts;
};

/* Add zeroed memory; @p alias is a second address or 0. */
void oracle_add_memory(struct oracle *o, uint64_t base, uint64_t alias,
                       uint64_t size_bytes);

/* Release the memories. */
void oracle_fini(struct oracle *o);

/* Power-on reset; memory keeps its content. */
void oracle_reset(struct oracle *o);

/* The bytes at an address, or NULL when some of them do not exist. */
uint8_t *oracle_bytes(const struct oracle *o, uint64_t addr, uint64_t len);

/* A register write by software, and everything that follows from it. */
void oracle_write(struct oracle *o, uint32_t off, uint32_t val);

/* Registers that can be compared, and those of queue 0's two banks. */
extern const uint32_t oracle_channel_regs[ORACLE_CHANNEL_REGS];
extern const uint32_t oracle_queue_regs[ORACLE_QUEUE_REGS];

/* A register read by software. */
uint32_t oracle_read(struct oracle *o, uint32_t off);

/* Descriptors from @p from to @p to on a ring of @p len. */
uint32_t oracle_distance(struct oracle_ptr from, struct oracle_ptr to,
                         uint32_t len);

#endif /* TRENCH_TESTS_ORACLE_H */
