/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The local DMA engine of an Xtensa core (iram-cache-idma 4), one channel, as
 * a device on a bus. It is often taken for the fill agent of the sequencers;
 * no source shows that, and fills do not use it (7, X3).
 *
 *     IDLE --enable--> STANDBY --doorbell--> BUSY --last one--> DONE
 *       ^                 |                   |  |                |
 *       +----disable------+----disable--------|--+----------------+
 *                             HALT <--disable-+  +--> ERROR (until disable)
 *
 * Descriptors lie in memory; addresses in them are 32 bits, or 64 where a
 * 64-byte descriptor says so. A descriptor moves row by row.
 */
#ifndef TRENCH_CADENCE_IDMA_H
#define TRENCH_CADENCE_IDMA_H

#include <stdbool.h>
#include <stdint.h>

#include <trench/bus.h>

/* External-register space of the core (4.1). */
#define CADENCE_IDMA_BASE  UINT64_C(0x00110000)
#define CADENCE_IDMA_BYTES 0x400u

/* Interrupts of the core (4.1). */
enum cadence_idma_irq {
    CADENCE_IDMA_IRQ_DONE = 35,
    CADENCE_IDMA_IRQ_ERROR = 36,
};

/* 4.3 */
enum cadence_idma_state {
    CADENCE_IDMA_IDLE,
    CADENCE_IDMA_STANDBY,
    CADENCE_IDMA_BUSY,
    CADENCE_IDMA_DONE,
    CADENCE_IDMA_HALT,
    CADENCE_IDMA_ERROR,
};

/* Error codes, as STATUS holds them above bit 12 (4.6, XEA3). */
enum cadence_idma_error {
    CADENCE_IDMA_ERR_FETCH_ADDR = 0x80000,
    CADENCE_IDMA_ERR_FETCH_DATA = 0x40000,
    CADENCE_IDMA_ERR_READ_ADDR = 0x20000,
    CADENCE_IDMA_ERR_READ_DATA = 0x10000,
    CADENCE_IDMA_ERR_WRITE_ADDR = 0x08000,
    CADENCE_IDMA_ERR_WRITE_DATA = 0x04000,
    CADENCE_IDMA_ERR_REG_TIMEOUT = 0x02000,
    CADENCE_IDMA_ERR_TRIG_OVFL = 0x01000,
    CADENCE_IDMA_ERR_DESC_OVFL = 0x00800,
    CADENCE_IDMA_ERR_DESC_UNKNW = 0x00400,
    CADENCE_IDMA_ERR_DESC_UNSUP_DIR = 0x00200,
    CADENCE_IDMA_ERR_DESC_BAD_PARAMS = 0x00100,
    CADENCE_IDMA_ERR_DESC_NULL_ADDR = 0x00080,
    CADENCE_IDMA_ERR_DESC_PRIVILEGE = 0x00040,
    CADENCE_IDMA_ERR_DESC_MMUMPU = 0x00020,
    CADENCE_IDMA_ERR_BIT_VECT = 0x00010,
    CADENCE_IDMA_ERR_VECT_OTHER = 0x00008,
    CADENCE_IDMA_ERR_VECT_DATA = 0x00004,
    CADENCE_IDMA_ERR_SRC_MMUMPU = 0x00002,
    CADENCE_IDMA_ERR_DST_MMUMPU = 0x00001,
};

/* Control word of a descriptor (4.4). */
enum cadence_idma_type {
    CADENCE_IDMA_JUMP = 0,
    CADENCE_IDMA_64 = 1,
    CADENCE_IDMA_1D = 3,
    CADENCE_IDMA_ZVC = 5,
    CADENCE_IDMA_2D = 7,
};
#define CADENCE_IDMA_TYPE_MASK     0x7u
#define CADENCE_IDMA_SUBTYPE_SHIFT 4
#define CADENCE_IDMA_SUBTYPE_MASK  0x70u
enum cadence_idma_subtype {
    CADENCE_IDMA_SUB_1D = 0,
    CADENCE_IDMA_SUB_2D = 1,
    CADENCE_IDMA_SUB_2D_COMPRESS = 2,
    CADENCE_IDMA_SUB_3D = 4,
    CADENCE_IDMA_SUB_ZVC_1D = 5,
    CADENCE_IDMA_SUB_2D_FBC = 6,
    CADENCE_IDMA_SUB_ZVC_2D = 7,
};
#define CADENCE_IDMA_LONG_ADDR    0x00000400u
#define CADENCE_IDMA_WAIT_TRIGGER 0x20000000u
#define CADENCE_IDMA_SEND_TRIGGER 0x40000000u
#define CADENCE_IDMA_INTERRUPT    0x80000000u

struct cadence_idma_conf {
    struct trench_bus *bus; /* where descriptors and data are; borrowed */
    uint32_t initiator;     /* for its fault records */
    bool stepped;           /* only cadence_idma_run() works */
    void (*irq)(void *opaque, enum cadence_idma_irq irq); /* or NULL */
    void (*trigger)(void *opaque); /* a descriptor sends one; or NULL */
    void *opaque;
};

/* A decoded descriptor: tiles of rows of bytes. */
struct cadence_idma_move {
    uint32_t size_bytes; /* of the descriptor itself */
    uint64_t src;
    uint64_t dst;
    uint32_t row_bytes;
    uint32_t rows;
    uint32_t tiles;
    uint32_t src_pitch;
    uint32_t dst_pitch;
    int32_t src_tile_pitch;
    int32_t dst_tile_pitch;
};

struct cadence_idma {
    struct cadence_idma_conf conf;
    uint32_t settings;
    uint32_t timeout;
    uint32_t desc_start;
    uint32_t num_desc;
    uint32_t control;
    uint32_t userpriv;
    enum cadence_idma_state state;
    uint32_t error;
    uint32_t next; /* address of the next descriptor */
    uint32_t curr_desc;
    uint32_t desc_type;
    uint64_t src; /* of the row in progress */
    uint64_t dst;
    bool loaded; /* move is under way, at row and tile */
    struct cadence_idma_move move;
    uint32_t row;
    uint32_t tile;
    uint32_t triggers; /* received, not waited for yet */
    bool running;
};

/* Reset; nothing to release. */
void cadence_idma_init(struct cadence_idma *dev,
                       const struct cadence_idma_conf *conf);

/*
 * Run for a number of steps: 1 a row, and 1 for every 4096 bytes of it. The
 * last row may go beyond. Returns how many; 0 = there was nothing to do.
 */
uint64_t cadence_idma_run(struct cadence_idma *dev, uint64_t steps);

/* A trigger from elsewhere, for descriptors that wait for one. */
void cadence_idma_trigger(struct cadence_idma *dev);

/* A window of CADENCE_IDMA_BYTES; the opaque is the device. */
extern const struct trench_bus_dev_ops cadence_idma_ops;

/* cadence_desc.c: decode 16 words; 0, or the error that it is. */
uint32_t cadence_desc_size(uint32_t control);
uint32_t cadence_desc_decode(const uint32_t words[16],
                             struct cadence_idma_move *out);

#endif /* TRENCH_CADENCE_IDMA_H */
