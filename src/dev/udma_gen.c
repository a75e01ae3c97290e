/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The interrupt groups inside the int_ctrl windows of udma_gen (udma-engine
 * 3.1 to 3.4; common-blocks 1.1.4): cause, mask and abort mask of the error
 * and completion sources.
 */
#include "dev/udma_gen.h"

#include "base/bits.h"
#include "iofic_gen.h"
#include "udma_gen_gen.h"

#define GROUP_WORDS (IOFIC_GRP_STRIDE / 4)
#define GROUPS      IOFIC_GRP_COUNT

/* Primary groups of the completion interrupts (udma-engine 3.1). */
enum {
    PRIMARY_GROUP_RX = 1, /* B */
    PRIMARY_GROUP_TX = 2, /* C */
};

static const uint32_t windows[] = {
    UDMA_GEN_INT_CTRL_BASE_ADDR_WORD(0), UDMA_GEN_INT_CTRL_SEC_ADDR_WORD(0),
    UDMA_GEN_INT_CTRL0_WORD(0),          UDMA_GEN_INT_CTRL1_WORD(0),
    UDMA_GEN_INT_CTRL2_WORD(0),          UDMA_GEN_INT_CTRL3_WORD(0),
    UDMA_GEN_INT_CTRL4_WORD(0),          UDMA_GEN_INT_CTRL5_WORD(0),
    UDMA_GEN_INT_CTRL6_WORD(0),
};

/* A group's register at its generated offset, as a word number. */
#define WORD(reg) (IOFIC_GRP_##reg(0) / 4)

/*
 * The first word of a group; its 16 words follow each other in the register
 * file, because the windows are arrays of one register.
 */
static uint32_t *group_words(struct channel *ch, uint32_t window,
                             unsigned group)
{
    return regfile_at(&ch->units[TRENCH_BLOCK_UDMA_GEN].rf,
                      window + group * IOFIC_GRP_STRIDE);
}

/* The rules of word w of a group; NULL where it has no register. */
static const struct trench_csr_reg *group_reg(
    const struct trench_csr_block *iofic, unsigned w)
{
    uint16_t inst = iofic->word_inst[w];

    return inst ? &iofic->regs[iofic->inst_reg[inst - 1]] : NULL;
}

void udma_gen_class_resets(struct regfile_class *cls,
                           const struct trench_csr_block *iofic)
{
    for (size_t i = 0; i < ARRAY_LEN(windows); i++) {
        uint16_t inst = cls->block->word_inst[windows[i] / 4];

        for (unsigned w = 0; inst && w < GROUPS * GROUP_WORDS; w++) {
            const struct trench_csr_reg *reg =
                group_reg(iofic, w % GROUP_WORDS);

            cls->reset[inst - 1 + w] = reg ? reg->reset : 0;
        }
    }
}

/* abort = OR(cause and not abort mask), unless blocked for this engine. */
static bool group_aborts(const struct channel *ch, const uint32_t *words)
{
    uint32_t ctl = regfile_get(&ch->units[TRENCH_BLOCK_UDMA_GEN].rf,
                               UDMA_GEN_DMA_MISC_ABORT_CTL);

    return (words[WORD(INT_CAUSE_GRP)] & ~words[WORD(INT_ABORT_MSK_GRP)]) &&
           !(ctl & UDMA_GEN_DMA_MISC_ABORT_CTL_MASK_LOCAL_ABORT_MASK);
}

static void group_abort(struct channel *ch)
{
    ch->m2s_side.state = SIDE_ABORTED;
    ch->s2m_side.state = SIDE_ABORTED;
}

bool udma_gen_cause(struct channel *ch, enum sec_group group, unsigned bit)
{
    uint32_t *words =
        group_words(ch, UDMA_GEN_INT_CTRL_SEC_ADDR_WORD(0), group);

    if (!words) {
        return false;
    }
    words[WORD(INT_CAUSE_GRP)] |= 1u << bit;
    return group_aborts(ch, words);
}

void udma_gen_axi_cause(struct channel *ch, enum trench_axi_master master,
                        uint32_t groups, unsigned q)
{
    for (unsigned group = 0; group < GROUPS; group++) {
        uint32_t *words =
            group_words(ch, UDMA_GEN_INT_CTRL0_WORD(0) + 0x100 * master, group);

        if (groups >> group & 1) {
            words[WORD(INT_CAUSE_GRP)] |= 1u << q;
            if (group_aborts(ch, words)) {
                group_abort(ch);
            }
        }
    }
}

void udma_gen_completion(struct channel *ch, enum sec_group side, unsigned q)
{
    uint32_t *words = group_words(ch, UDMA_GEN_INT_CTRL_BASE_ADDR_WORD(0),
                                  side == SEC_GROUP_M2S ? PRIMARY_GROUP_TX
                                                        : PRIMARY_GROUP_RX);

    if (words) {
        words[WORD(INT_CAUSE_GRP)] |= 1u << q;
    }
}

/* Put the group's rules over what the register file has just stored. */
static void group_write(struct channel *ch, uint32_t window, uint32_t idx,
                        uint32_t written, uint32_t old)
{
    unsigned w = idx % GROUP_WORDS;
    const struct trench_csr_reg *reg = group_reg(ch->iofic, w);
    uint32_t *words = group_words(ch, window, idx / GROUP_WORDS);

    if (idx >= GROUPS * GROUP_WORDS) {
        return; /* beyond the groups: storage */
    }
    if (!reg) {
        words[w] = old;
        return;
    }
    words[w] = (old & ~(reg->write_mask | reg->w0c_mask)) |
               (written & reg->write_mask) | (old & written & reg->w0c_mask);
    if (w == WORD(INT_CAUSE_SET_GRP)) {
        words[WORD(INT_CAUSE_GRP)] |= written;
    } else if (w == WORD(INT_MASK_CLEAR_GRP)) {
        words[WORD(INT_MASK_GRP)] &= written;
    } else if (w == WORD(INT_CONTROL_GRP)) {
        words[w] &= ~IOFIC_GRP_INT_CONTROL_GRP_MOD_RST_MASK; /* a strobe */
    }
    if (window == UDMA_GEN_INT_CTRL_SEC_ADDR_WORD(0) &&
        group_aborts(ch, words)) {
        group_abort(ch);
    }
}

static uint32_t group_read(struct channel *ch, uint32_t window, uint32_t idx,
                           uint32_t val)
{
    unsigned w = idx % GROUP_WORDS;
    const struct trench_csr_reg *reg = group_reg(ch->iofic, w);
    uint32_t *words = group_words(ch, window, idx / GROUP_WORDS);

    if (idx >= GROUPS * GROUP_WORDS) {
        return val;
    }
    if (w == WORD(INT_CAUSE_GRP) &&
        (words[WORD(INT_CONTROL_GRP)] &
         IOFIC_GRP_INT_CONTROL_GRP_CLEAR_ON_READ_MASK)) {
        words[w] = 0;
    }
    return reg ? val & reg->read_mask : 0;
}

/* The hooks of one window, which only differ in where it is. */
#define WINDOW_HOOKS(name, window)                                             \
    static uint32_t read_##name(void *owner, uint32_t idx, uint32_t val)       \
    {                                                                          \
        return group_read(owner, window, idx, val);                            \
    }                                                                          \
    static void write_##name(void *owner, uint32_t idx, uint32_t written,      \
                             uint32_t old)                                     \
    {                                                                          \
        group_write(owner, window, idx, written, old);                         \
    }

WINDOW_HOOKS(base, UDMA_GEN_INT_CTRL_BASE_ADDR_WORD(0))
WINDOW_HOOKS(sec, UDMA_GEN_INT_CTRL_SEC_ADDR_WORD(0))
WINDOW_HOOKS(0, UDMA_GEN_INT_CTRL0_WORD(0))
WINDOW_HOOKS(1, UDMA_GEN_INT_CTRL1_WORD(0))
WINDOW_HOOKS(2, UDMA_GEN_INT_CTRL2_WORD(0))
WINDOW_HOOKS(3, UDMA_GEN_INT_CTRL3_WORD(0))
WINDOW_HOOKS(4, UDMA_GEN_INT_CTRL4_WORD(0))
WINDOW_HOOKS(5, UDMA_GEN_INT_CTRL5_WORD(0))
WINDOW_HOOKS(6, UDMA_GEN_INT_CTRL6_WORD(0))

/* A cause that was held back acts when the mask goes. */
static void write_abort_ctl(void *owner, uint32_t idx, uint32_t written,
                            uint32_t old)
{
    struct channel *ch = owner;

    (void)idx;
    (void)written;
    (void)old;
    for (unsigned group = 0; group < GROUPS; group++) {
        if (group_aborts(ch, group_words(ch, UDMA_GEN_INT_CTRL_SEC_ADDR_WORD(0),
                                         group))) {
            group_abort(ch);
        }
    }
}

static const struct regfile_hook hooks[] = {
    { UDMA_GEN_DMA_MISC_ABORT_CTL, NULL, write_abort_ctl },
    { UDMA_GEN_INT_CTRL_BASE_ADDR_WORD(0), read_base, write_base },
    { UDMA_GEN_INT_CTRL_SEC_ADDR_WORD(0), read_sec, write_sec },
    { UDMA_GEN_INT_CTRL0_WORD(0), read_0, write_0 },
    { UDMA_GEN_INT_CTRL1_WORD(0), read_1, write_1 },
    { UDMA_GEN_INT_CTRL2_WORD(0), read_2, write_2 },
    { UDMA_GEN_INT_CTRL3_WORD(0), read_3, write_3 },
    { UDMA_GEN_INT_CTRL4_WORD(0), read_4, write_4 },
    { UDMA_GEN_INT_CTRL5_WORD(0), read_5, write_5 },
    { UDMA_GEN_INT_CTRL6_WORD(0), read_6, write_6 },
};

const struct hook_list udma_gen_hooks = { TRENCH_BLOCK_UDMA_GEN, hooks,
                                          ARRAY_LEN(hooks) };
