/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Cayman (Trainium2, NeuronCore-v3).
 */
#include "gen/v3.h"

#include "base/bits.h"

static const struct trench_gen_mem mems[] = V3_MEMS(24, 0x38000);

static const struct trench_gen_pci_id pci_ids[] = { { 0x7364, "trn2" } };

/* host-driver 1, 2.2; what is not published there: hardware.md H280. */
static const struct trench_gen_pci pci = {
    .vendor = 0x1D0F,
    .ids = pci_ids,
    .nr_ids = ARRAY_LEN(pci_ids),
    .class_code = 0x120000,
    .silicon_revision = 1,
    .register_bar = 0,
    .qemu_register_bar = 2,
    .register_bar_bytes = UINT64_C(4) << 30,
    .memory_bar = 4,
    .misc_ram = 0x8006C84000,
};

const struct trench_gen gen_cayman = {
    .name = "cayman",
    .title = "Trainium2, NeuronCore-v3",
    V3_COMMON,
    .mems = mems,
    .nr_mems = ARRAY_LEN(mems),
    .pci = &pci,
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
