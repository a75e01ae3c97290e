/* SPDX-License-Identifier: BSD-3-Clause */
#include "dev/intr.h"

#include <assert.h>

#include "base/bits.h"
#include "dev/channel.h"
#include "dev/msix.h"
#include "dev/vector.h"
#include "iofic_gen.h"

#define GROUP_WORDS  (IOFIC_GRP_STRIDE / 4)
#define WINDOW_WORDS (INTR_LETTERS * GROUP_WORDS)

/* A group's register at its generated offset, as a word number. */
#define WORD(reg)    (IOFIC_GRP_##reg(0) / 4)
#define CONTROL(bit) IOFIC_GRP_INT_CONTROL_GRP_##bit##_MASK

static_assert(IOFIC_GRP_COUNT == INTR_LETTERS, "four groups a window");

#define WINDOW_OFFSET(name, offset) offset,
static const uint32_t offsets[] = { INTR_WINDOWS(WINDOW_OFFSET) };

/* ---- the tree ----------------------------------------------------------- */

#define GROUP(window, letter) ((window)*INTR_LETTERS + (letter))
#define NO_PARENT             INTR_NR_GROUPS

/* Where a group's summary goes, and the other groups that feed that bit. */
struct link {
    uint8_t parent;
    uint8_t bit;
    uint8_t first; /* of those that share the bit */
    uint8_t nr;
};

#define ALONE(parent_, bit_, own_)                                             \
    {                                                                          \
        .parent = parent_, .bit = bit_, .first = own_, .nr = 1                 \
    }

static const struct link upper_links[] = {
    [GROUP(INTR_PRIMARY, INTR_A)] = { .parent = NO_PARENT },
    [GROUP(INTR_PRIMARY, INTR_B)] = ALONE(0, 0, GROUP(INTR_PRIMARY, INTR_B)),
    [GROUP(INTR_PRIMARY, INTR_C)] = ALONE(0, 1, GROUP(INTR_PRIMARY, INTR_C)),
    [GROUP(INTR_PRIMARY, INTR_D)] = ALONE(0, 2, GROUP(INTR_PRIMARY, INTR_D)),
};

static struct link group_link(unsigned n)
{
    unsigned window = n / INTR_LETTERS;

    if (window == INTR_PRIMARY) {
        return upper_links[n];
    }
    if (window == INTR_SECONDARY) {
        return (struct link){ GROUP(INTR_PRIMARY, INTR_D),
                              (uint8_t)(INTR_MISC_SECONDARY + n % INTR_LETTERS),
                              (uint8_t)n, 1 };
    }
    return (struct link){ GROUP(INTR_SECONDARY, INTR_D),
                          (uint8_t)(window - INTR_AXI_0),
                          (uint8_t)GROUP(window, INTR_A), INTR_LETTERS };
}

/* The words of a group follow each other in the register file. */
static uint32_t *group_words(const struct channel *ch, unsigned n)
{
    return ch->intr.window[n / INTR_LETTERS] + n % INTR_LETTERS * GROUP_WORDS;
}

uint32_t intr_causes(const struct channel *ch, enum intr_window window,
                     enum intr_letter group)
{
    return group_words(ch, GROUP(window, group))[WORD(INT_CAUSE_GRP)];
}

/* ---- causes ------------------------------------------------------------- */

/*
 * abort = OR(cause and not abort mask), unless blocked for this engine; not in
 * the primary groups, which hold no errors of their own (hardware.md H79).
 */
static void group_abort(struct channel *ch, unsigned n)
{
    const uint32_t *words = group_words(ch, n);
    uint32_t ctl = regfile_get(&ch->units[TRENCH_BLOCK_UDMA_GEN].rf,
                               UDMA_GEN_DMA_MISC_ABORT_CTL);

    if (n < GROUP(INTR_SECONDARY, INTR_A) ||
        !(words[WORD(INT_CAUSE_GRP)] & ~words[WORD(INT_ABORT_MSK_GRP)]) ||
        (ctl & UDMA_GEN_DMA_MISC_ABORT_CTL_MASK_LOCAL_ABORT_MASK)) {
        return;
    }
    if (!(ctl & UDMA_GEN_DMA_MISC_ABORT_CTL_MASK_APP_ABORT_MASK) &&
        (ch->m2s_side.state != SIDE_ABORTED ||
         ch->s2m_side.state != SIDE_ABORTED)) {
        ch->stats.app_aborts++;
    }
    ch->m2s_side.state = SIDE_ABORTED;
    ch->s2m_side.state = SIDE_ABORTED;
}

/* What is raised now, and what has come to it. */
static void group_announce(struct channel *ch, unsigned n,
                           const uint32_t *words)
{
    uint32_t now = words[WORD(INT_CAUSE_GRP)] & ~words[WORD(INT_MASK_GRP)];
    uint32_t risen = now & ~ch->intr.raised[n];

    ch->intr.raised[n] = now;
    if (risen) {
        vector_rise(ch, n, risen);
    }
    if (n < INTR_NR_MESSAGES) {
        msix_arm(ch, n,
                 words[WORD(INT_CONTROL_GRP)] & CONTROL(MASK_MSI_X) ? 0 : now);
    }
}

/* The groups that feed a bit: is any of them raised? */
static bool summary(const struct channel *ch, const struct link *link)
{
    uint32_t any = 0;

    for (unsigned i = 0; i < link->nr; i++) {
        any |= ch->intr.raised[link->first + i];
    }
    return any != 0;
}

/*
 * A group has changed: see to its own consequences, then go up as far as
 * something changes there. The tree is four groups high.
 */
static void settle(struct channel *ch, unsigned n)
{
    for (;;) {
        uint32_t *words = group_words(ch, n);
        struct link link = group_link(n);
        uint32_t bit = 1u << link.bit;
        bool level;

        if (!(words[WORD(INT_CONTROL_GRP)] & CONTROL(SET_ON_POSEDGE))) {
            words[WORD(INT_CAUSE_GRP)] |= words[WORD(INT_STATUS_GRP)];
        }
        group_abort(ch, n);
        group_announce(ch, n, words);
        if (link.parent == NO_PARENT) {
            return;
        }
        level = summary(ch, &link);
        words = group_words(ch, link.parent);
        if (level == !!(words[WORD(INT_STATUS_GRP)] & bit)) {
            return;
        }
        words[WORD(INT_STATUS_GRP)] ^= bit;
        if (level) {
            words[WORD(INT_CAUSE_GRP)] |= bit;
        }
        n = link.parent;
    }
}

/* For people: events whose log mask is open (hardware.md H57). */
static void group_log(struct channel *ch, unsigned n, uint32_t bits)
{
    bits &= ~group_words(ch, n)[WORD(INT_LOG_MSK_GRP)];
    if (bits) {
        channel_log(ch, "interrupt window 0x%x group %c: causes 0x%x",
                    (unsigned)offsets[n / INTR_LETTERS],
                    (char)('A' + n % INTR_LETTERS), (unsigned)bits);
    }
}

void intr_raise(struct channel *ch, enum intr_window window,
                enum intr_letter group, uint32_t bits)
{
    unsigned n = GROUP(window, group);

    group_words(ch, n)[WORD(INT_CAUSE_GRP)] |= bits;
    group_log(ch, n, bits);
    settle(ch, n);
}

void intr_acknowledge(struct channel *ch, enum intr_letter group, uint32_t bit)
{
    uint32_t *words = group_words(ch, group);
    uint32_t control = words[WORD(INT_CONTROL_GRP)];

    if (control & CONTROL(AUTO_MASK)) {
        words[WORD(INT_MASK_GRP)] |= bit;
    }
    if (control & CONTROL(AUTO_CLEAR)) {
        words[WORD(INT_CAUSE_GRP)] &= ~bit;
    }
    settle(ch, group);
}

void intr_abort_unmasked(struct channel *ch)
{
    for (unsigned n = 0; n < INTR_NR_GROUPS; n++) {
        group_abort(ch, n);
    }
}

/* ---- registers ---------------------------------------------------------- */

/* The rules of word w of a group; NULL where it has no register. */
static const struct trench_csr_reg *group_reg(
    const struct trench_csr_block *iofic, unsigned w)
{
    uint16_t inst = iofic->word_inst[w];

    return inst ? &iofic->regs[iofic->inst_reg[inst - 1]] : NULL;
}

void intr_class_resets(struct regfile_class *cls,
                       const struct trench_csr_block *iofic)
{
    for (size_t i = 0; i < INTR_NR_WINDOWS; i++) {
        uint16_t inst = cls->block->word_inst[offsets[i] / 4];

        for (unsigned w = 0; inst && w < WINDOW_WORDS; w++) {
            const struct trench_csr_reg *reg =
                group_reg(iofic, w % GROUP_WORDS);

            cls->reset[inst - 1 + w] = reg ? reg->reset : 0;
        }
    }
}

void intr_bind(struct channel *ch)
{
    for (size_t i = 0; i < INTR_NR_WINDOWS; i++) {
        ch->intr.window[i] =
            regfile_at(&ch->units[TRENCH_BLOCK_UDMA_GEN].rf, offsets[i]);
        assert(ch->intr.window[i]); /* every generation has them */
    }
}

void intr_reset(struct channel *ch)
{
    struct intr fresh = { 0 };

    for (size_t i = 0; i < INTR_NR_WINDOWS; i++) {
        fresh.window[i] = ch->intr.window[i];
    }
    ch->intr = fresh;
}

/* Put the group's rules over what the register file has just stored. */
static void group_write(struct channel *ch, enum intr_window window,
                        uint32_t idx, uint32_t written, uint32_t old)
{
    unsigned w = idx % GROUP_WORDS;
    const struct trench_csr_reg *reg = group_reg(ch->iofic, w);
    unsigned n = GROUP(window, idx / GROUP_WORDS);
    uint32_t *words;

    if (idx >= WINDOW_WORDS) {
        return; /* beyond the groups: storage */
    }
    words = group_words(ch, n);
    if (!reg) {
        words[w] = old;
        return;
    }
    words[w] = (old & ~(reg->write_mask | reg->w0c_mask)) |
               (written & reg->write_mask) | (old & written & reg->w0c_mask);
    if (w == WORD(INT_CAUSE_SET_GRP)) {
        words[WORD(INT_CAUSE_GRP)] |= written;
        group_log(ch, n, written);
    } else if (w == WORD(INT_MASK_CLEAR_GRP)) {
        words[WORD(INT_MASK_GRP)] &= written;
    } else if (w == WORD(INT_CONTROL_GRP)) {
        words[w] &= ~CONTROL(MOD_RST); /* a strobe */
    }
    settle(ch, n);
}

static uint32_t group_read(struct channel *ch, enum intr_window window,
                           uint32_t idx, uint32_t val)
{
    unsigned w = idx % GROUP_WORDS;
    const struct trench_csr_reg *reg = group_reg(ch->iofic, w);
    unsigned n = GROUP(window, idx / GROUP_WORDS);
    uint32_t *words;

    if (idx >= WINDOW_WORDS) {
        return val;
    }
    words = group_words(ch, n);
    if (w == WORD(INT_CAUSE_GRP) &&
        (words[WORD(INT_CONTROL_GRP)] & CONTROL(CLEAR_ON_READ))) {
        words[w] = 0;
        settle(ch, n);
    }
    return reg ? val & reg->read_mask : 0;
}

/* The hooks of one window, which only differ in where it is. */
#define WINDOW_HOOKS(name, offset)                                             \
    uint32_t intr_read_##name(void *owner, uint32_t idx, uint32_t val)         \
    {                                                                          \
        return group_read(owner, INTR_##name, idx, val);                       \
    }                                                                          \
    void intr_write_##name(void *owner, uint32_t idx, uint32_t written,        \
                           uint32_t old)                                       \
    {                                                                          \
        group_write(owner, INTR_##name, idx, written, old);                    \
    }

INTR_WINDOWS(WINDOW_HOOKS)
