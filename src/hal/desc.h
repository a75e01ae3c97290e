/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Descriptor words as the driver writes and reads them (udma-engine 4). They
 * live in memory, little-endian, so no register schema describes them.
 */
#ifndef TRENCH_HAL_DESC_H
#define TRENCH_HAL_DESC_H

/* Submission descriptors, both directions (4): four words. */
#define DESC_BYTES     16u
#define DESC_LEN_MASK  0xffffu    /* 4.1, 4.3: bits 15:0, 0 means 65,536 */
#define DESC_TAG_SHIFT 24         /* 4.1, 4.3: bits 25:24, the lap tag */
#define DESC_INT_EN    (1u << 28) /* 4.1, 4.3 */

/* M2S only (4.1). */
#define DESC_TX_FIRST (1u << 26)
#define DESC_TX_LAST  (1u << 27)
#define DESC_TX_DMB   (1u << 30)

/* Word 1 of M2S descriptors, plain copies (4.5, table of constants). */
#define META_COPY         0x01080003u
#define META_COPY_BARRIER 0x05080003u

/* Completion descriptors (4.4): word 0, and the size of each. */
#define COMP_TAG_SHIFT 24 /* bits 25:24 */
#define COMP_ERROR     (1u << 31)
#define COMP_TX_BYTES  4u
#define COMP_RX_BYTES  16u /* cfg_1c.desc_size = 4 words */

/* Lap tags count modulo 4 and start at 1 (4.4, B15). */
#define TAG_MASK  3u
#define TAG_START 1u

/*
 * Most of one packet. Descriptors: 5.8.5 U5, less one on the M2S side for the
 * metadata descriptor of other operations (4.2). Bytes: cfg_len allows
 * 0xFFFFF; the multiple of 64 below it keeps the rest of a long list on cache
 * lines.
 */
#define PACKET_TX_DESCS 64u
#define PACKET_RX_DESCS 60u
#define PACKET_BYTES    0xfffc0u

#endif /* TRENCH_HAL_DESC_H */
