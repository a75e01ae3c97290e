/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Mariana (Trainium3, NeuronCore-v4) and mariana_plus.
 *
 * Known to be as in cayman: SDMA bases, BARs, the register files of the UDMA
 * (address-map 1.6). Known to differ: HBM and SBUF capacity, two start-up
 * words. The rest of the address map is not published and taken from cayman,
 * and so are the start-up words that no source gives.
 *
 * Of mariana_plus only register files are known; they equal mariana's (seed
 * 002 section 6). Its memories and its product are not published: it is
 * described as mariana.
 */
#include "gen/v3.h"

#include "base/bits.h"

static const struct trench_gen_mem mems[] = V3_MEMS(36, 0x40000);

/*
 * udma-engine 5.8.1, the note on v4: data_fifo_depth 4088, and 256 in the
 * register after ostand_cfg_wr. The other words are cayman's.
 */
#define INIT                                                                   \
    {                                                                          \
        .m2s_data_cfg = 0x01000FF8, .m2s_ostand_cfg = 0x20808080,              \
        .s2m_ostand_cfg_rd = 0x00400080, .s2m_ostand_cfg_wr = 0x40804080,      \
        .s2m_ostand_wr_next = 256, .rob_txdf = 0x26,                           \
    }

const struct trench_gen gen_mariana = {
    .name = "mariana",
    .title = "Trainium3, NeuronCore-v4",
    V3_COMMON,
    .mems = mems,
    .nr_mems = ARRAY_LEN(mems),
    .init = INIT,
    .ncfw = &gen_mariana_ncfw,
};

const struct trench_gen gen_mariana_plus = {
    .name = "mariana_plus",
    .title = "product not published, described as mariana",
    V3_COMMON,
    .mems = mems,
    .nr_mems = ARRAY_LEN(mems),
    .init = INIT,
    .ncfw = &gen_mariana_plus_ncfw,
};
