/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Cayman (Trainium2, NeuronCore-v3).
 */
#include "gen/v3.h"

#include "base/bits.h"

static const struct trench_gen_mem mems[] = V3_MEMS(24, 0x38000);

const struct trench_gen gen_cayman = {
    .name = "cayman",
    .title = "Trainium2, NeuronCore-v3",
    V3_COMMON,
    .mems = mems,
    .nr_mems = ARRAY_LEN(mems),
    /* udma-engine 5.8.1, column C. */
    .init = {
        .m2s_data_cfg = 0x010008F8,
        .m2s_ostand_cfg = 0x20808080,
        .s2m_ostand_cfg_rd = 0x00400080,
        .s2m_ostand_cfg_wr = 0x40804080,
        .rob_txdf = 0x26,
    },
    .ncfw = &gen_cayman_ncfw,
};
