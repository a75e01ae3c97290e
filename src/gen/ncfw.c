/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the management firmware of each generation works with: seed 000
 * sections 3.1, 3.3 and 5, ncfw-steps 0 and 5.1, address-map 5.1.
 */
#include "gen/gen_priv.h"

#include "base/bits.h"

/*
 * Seed 000 3.1 and 5: cayman and mariana are alike, two masks a word, banked
 * in two halves of four.
 */
#define V3_ALLOC                                                               \
    {                                                                          \
        0x0000FFFF0000000B, 0x0000FFFF0000000C, 0x0000FFFF0000000D,            \
            0x0000FFFF0000000F, 0xFFFF00000000000B, 0xFFFF00000000000C,        \
            0xFFFF00000000000D, 0xFFFF00000000000F,                            \
    }

/*
 * Seed 000 3.3 names these two rows and says that there are rows without an
 * engine; the whole table is not published.
 */
static const int32_t v3_mesh[][TRENCH_MESH_ROW] = {
    { 4, 5, 6, 7 },
    { 0x14, 0x15, 0x16, 0x17 },
    { -1, -1, -1, -1 },
};

#define V3_NCFW                                                                \
    .alloc = V3_ALLOC, .mesh = v3_mesh, .nr_mesh = ARRAY_LEN(v3_mesh),         \
    .nr_mesh_events = 108, .dram_bytes = 0x4E00, .dram_first = 0x1399

const struct trench_gen_ncfw gen_cayman_ncfw = {
    V3_NCFW,
    .arch_id = 0x0C,
    .dram_dispatch = 0x3C20,
};

const struct trench_gen_ncfw gen_mariana_ncfw = {
    V3_NCFW,
    .arch_id = 0x14,
    .dram_dispatch = 0x3C38,
};

const struct trench_gen_ncfw gen_mariana_plus_ncfw = {
    V3_NCFW,
    .arch_id = 0x1C,
    .dram_dispatch = 0x3C38,
};

/* Seed 000 5: two masks in turn; which low half goes with which is inferred. */
const struct trench_gen_ncfw gen_sunda_ncfw = {
    .alloc = {
        0x0000FF000000000B, 0x0000003F0000000B, 0x0000FF000000000C,
        0x0000003F0000000C, 0x0000FF000000000D, 0x0000003F0000000D,
        0x0000FF000000000F, 0x0000003F0000000F,
    },
    .arch_id = 0x05,
    .nr_mesh_events = 50,
    .dram_bytes = 0x36C0,
    .dram_first = 0x1BB3,
};
