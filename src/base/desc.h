/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Descriptors in memory, as driver and engine both read them (udma-engine 4).
 * They are little-endian words, so no register schema describes them.
 */
#ifndef TRENCH_DESC_H
#define TRENCH_DESC_H

/* Submission descriptors, both directions: four words. */
#define DESC_BYTES 16u

/* Word 0 (4.1, 4.3). */
#define DESC_LEN_MASK        0x0000FFFFu /* 0 means 65,536 */
#define DESC_META            0x00800000u /* M2S: parameters, not a buffer */
#define DESC_RING_ID_SHIFT   24          /* the lap tag */
#define DESC_RING_ID_MASK    0x03000000u
#define DESC_FIRST           0x04000000u /* M2S */
#define DESC_LAST            0x08000000u /* M2S */
#define DESC_INT_EN          0x10000000u
#define DESC_STRONG_ORDER_WR 0x20000000u /* S2M */
#define DESC_DMB             0x40000000u /* M2S */
#define DESC_DUAL_BUF        0x80000000u /* S2M: buffer 2 is there */
#define DESC_LEN2_SHIFT      16          /* S2M: its size, in 64 bytes */
#define DESC_LEN2_MASK       0x00FF0000u

/* Laps count modulo 4 and start at 1 (4.4, B15). */
#define LAP_MASK  3u
#define LAP_START 1u

/* Word 1 of M2S descriptors, meta_ctrl (4.5). */
#define META_SSMAE_OP_MASK    (7u << 23)
#define META_BLOCK_LAST       (1u << 0)
#define META_BLOCK_FIRST      (1u << 1)
#define META_SSMAE_OP_CME     (2u << 23)
#define META_SSMAE_OP_CCE     (4u << 23)
#define META_OP_TYPE_SHIFT    20
#define META_OP_TYPE_MASK     (7u << 20)
#define META_COPY_SOURCE_DATA (1u << 19)
#define META_WRITE_BARRIER    (1u << 26)
#define META_CRC_MASK         (0x1Fu << 14) /* validate .. store_source_crc */
#define META_ENDIAN_MASK      (0xFFu << 6)  /* byte and bit swaps */

/* A plain copy as software writes it: one block, the first and the last. */
#define META_COPY         0x01080003u
#define META_COPY_BARRIER 0x05080003u

/* Word 0 of completions (4.4); the lap tag is where DESC_RING_ID is. */
#define COMP_FIRST     0x04000000u
#define COMP_LAST      0x08000000u
#define COMP_DDP       0x20000000u /* S2M: placed directly */
#define COMP_BUF1_USED 0x40000000u
#define COMP_ERROR     0x80000000u

/* Buffer 2 in word 2 or word 1 of an S2M completion (4.4). */
#define COMP_BUF2_LEN_SHIFT 16
#define COMP_BUF2_LEN_MASK  0x3FFF0000u
#define COMP_BUF2_USED      0x80000000u

/* M2S completions have one size; S2M's is cfg_1c.desc_size. */
#define COMP_M2S_BYTES 4u

#endif /* TRENCH_DESC_H */
