/* SPDX-License-Identifier: BSD-3-Clause */
#include "dev/msix.h"

#include <endian.h>

#include "dev/axi.h"
#include "dev/axi_error.h"
#include "iofic_gen.h"
#include "udma_gen_gen.h"

/* A word of the message table, which lies in the primary window. */
static uint32_t entry(const struct channel *ch, uint32_t offset)
{
    return ch->intr.window[INTR_PRIMARY][offset / 4];
}

void msix_arm(struct channel *ch, unsigned n, uint32_t bits)
{
    uint32_t fresh = bits & ~ch->intr.armed[n];

    ch->intr.armed[n] = bits;
    ch->intr.due[n] &= bits; /* masked or acknowledged meanwhile */
    if (fresh) {
        ch->intr.due[n] |= fresh;
        ch->intr.sending = true;
        channel_runnable(ch);
    }
}

static bool next_due(struct channel *ch, unsigned *group, unsigned *bit)
{
    for (unsigned n = 0; n < INTR_NR_MESSAGES; n++) {
        if (ch->intr.due[n]) {
            *group = n;
            *bit = (unsigned)__builtin_ctz(ch->intr.due[n]);
            ch->intr.due[n] &= ch->intr.due[n] - 1;
            return true;
        }
    }
    ch->intr.sending = false;
    return false;
}

/*
 * The id that goes with a message: its entry's, when vmid.cfg_vmid_0 attaches
 * ids and takes them from there (common-blocks 1.1.6).
 */
static uint32_t message_vmid(const struct channel *ch, unsigned i)
{
    const uint32_t both = UDMA_GEN_VMID_CFG_VMID_0_MSIX_TGTID_SEL_MASK |
                          UDMA_GEN_VMID_CFG_VMID_0_MSIX_TGTID_ACCESS_EN_MASK;
    uint32_t cfg = regfile_get(&ch->units[TRENCH_BLOCK_UDMA_GEN].rf,
                               UDMA_GEN_VMID_CFG_VMID_0);
    uint32_t target = entry(ch, IOFIC_VECTOR_TARGET(i));

    return (cfg & both) == both && (target & IOFIC_VECTOR_TARGET_EN_MASK)
               ? target & IOFIC_VECTOR_TARGET_ID_MASK
               : AXI_NO_VMID;
}

/* An entry without an address is not in use. */
static bool send_one(struct channel *ch, unsigned group, unsigned bit)
{
    unsigned i = group * 32 + bit;
    uint64_t addr = (uint64_t)entry(ch, IOFIC_MSIX_ADDR_HIGH(i)) << 32 |
                    entry(ch, IOFIC_MSIX_ADDR_LOW(i));
    uint32_t words[2] = { htole32(entry(ch, IOFIC_MSIX_DATA_LOW(i))),
                          htole32(entry(ch, IOFIC_MSIX_DATA_HIGH(i))) };
    uint32_t cfg = regfile_get(&ch->units[TRENCH_BLOCK_UDMA_GEN].rf,
                               UDMA_GEN_DMA_MISC_INT_CFG);
    unsigned q = bit % TRENCH_NR_QUEUES; /* as groups B and C number them */
    struct axi a;
    unsigned answer;
    uint32_t size = cfg & UDMA_GEN_DMA_MISC_INT_CFG_MSIX_64_MASK
                        ? sizeof(words)
                        : sizeof(words[0]);

    if (addr == 0) {
        return false;
    }
    a = axi_compose(ch, AXI_MSIX, q, addr, 0);
    a.len = size;
    a.vmid = message_vmid(ch, i);
    answer = axi_put(ch, &a, words);
    if (answer) {
        axi_fault(ch, TRENCH_AXI_MSIX_WRITE, q, answer, NULL);
        return true;
    }
    ch->stats.messages++;
    intr_acknowledge(ch, group, 1u << bit);
    return true;
}

uint64_t msix_send(struct channel *ch, uint64_t max)
{
    unsigned group, bit;
    uint64_t sent = 0;

    while (sent < max && next_due(ch, &group, &bit)) {
        sent += send_one(ch, group, bit);
    }
    return sent;
}
