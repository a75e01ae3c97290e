/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The block lists of cayman, mariana and mariana_plus (address-map 4.9).
 *
 * Known: twelve of them, two a fabric, and where their registers are. Which
 * accesses pass which is ours: of each pair the first stands before the plain
 * route to the fabric's windows, the second before the privileged one. The
 * windows of an SE on the privileged route lie inside the IO window, so their
 * rows come first.
 */
#include "gen/v3.h"

#define IO       UINT64_C(0x8000000000)
#define IO_BYTES 0x20000000
#define SE_BYTES 0xC800000

#define PAIR(bit, at, plain, plain_bytes, peb, peb_bytes)                      \
    { PEB + (bit) + IO + (at), (bit) + (plain), plain_bytes },                 \
    {                                                                          \
        PEB + (bit) + IO + (at) + GEN_V3_APBBLK_BYTES, PEB + (bit) + (peb),    \
            peb_bytes                                                          \
    }

#define DIE(bit)                                                               \
    PAIR(bit, GEN_V3_APBBLK_SE_0, UINT64_C(0x1000000000), SE_BYTES,            \
         IO + 0x2000000, MIB(32)),                                             \
        PAIR(bit, GEN_V3_APBBLK_SE_1, UINT64_C(0x5000000000), SE_BYTES,        \
             IO + 0x4000000, MIB(32)),                                         \
        PAIR(bit, GEN_V3_APBBLK_IO, IO, IO_BYTES, IO, IO_BYTES)

const struct trench_gen_firewall gen_v3_firewalls[12] = {
    DIE(UINT64_C(0)),
    DIE(DIE_1),
};
