/* SPDX-License-Identifier: BSD-3-Clause */
#include "dev/xt_local.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "tpb_xt_local_reg_gen.h"

/* iram-cache-idma 1.3. */
#define GLR_KICK       9u
#define GLR_FIRST_WORD 10u
#define GLR_LAST_WORD  12u

/* What an offset that the agent refused reads as: no block starts there. */
#define WORD_REFUSED 0xFFFFFFFFu

#define GLR(i) TPB_XT_LOCAL_REG_GENERAL_LR(i)

/* ---- the agent ----------------------------------------------------------- */

struct fill {
    uint64_t src;
    uint64_t dst;
    uint32_t len_bytes;
};

/* A stored word, or 0 where the generation has no such register. */
static uint64_t word(const struct xt_local *xl, uint32_t offset)
{
    return regfile_get(&xl->rf, offset);
}

/*
 * No word carries a length: one block, as the mask in hw_decode.control has
 * it. In seed 003's reading the third word counts from the start of the
 * instruction stream, which the host leaves in dma_rx_base and dma_tx_base.
 */
static struct fill decode(const struct xt_local *xl)
{
    uint64_t addr = (uint64_t)xl->words[1] << 32 | xl->words[0];
    uint32_t offset = xl->words[2];
    uint32_t control = (uint32_t)word(xl, TPB_XT_LOCAL_REG_HW_DECODE_CONTROL);
    struct fill fill = {
        .src = addr,
        .dst = xl->iram + offset,
        .len_bytes =
            FIELD_GET(TPB_XT_LOCAL_REG_HW_DECODE_CONTROL_IRAM_BLOCK_SIZE_MASK,
                      control) +
            1,
    };

    if (xl->set->words == TRENCH_MAILBOX_DESTINATION_FIRST) {
        fill.src = (word(xl, TPB_XT_LOCAL_REG_NX_DMA_TX_BASE) << 32 |
                    word(xl, TPB_XT_LOCAL_REG_NX_DMA_RX_BASE)) +
                   offset;
        fill.dst = addr;
    }
    return fill;
}

/* The agent serves one instruction RAM and writes nowhere else. */
static bool reaches_iram(const struct xt_local *xl, const struct fill *fill)
{
    uint64_t offset = fill->dst - xl->iram;

    return offset < xl->set->iram_bytes &&
           fill->len_bytes <= xl->set->iram_bytes - offset;
}

static int move(const struct xt_local *xl, const struct fill *fill)
{
    struct trench_bus *bus = xl->set->bus;
    void *src = trench_bus_host(bus, fill->src, fill->len_bytes);
    void *dst = trench_bus_host(bus, fill->dst, fill->len_bytes);
    void *bounce;
    int err;

    if (src && dst) {
        memmove(dst, src, fill->len_bytes);
        return 0;
    }
    /* Not kept: reading registers can end another sequencer's fill. */
    bounce = malloc(fill->len_bytes);
    if (!bounce) {
        return TRENCH_ERR_NOMEM;
    }
    err =
        trench_bus_read(bus, xl->initiator, fill->src, bounce, fill->len_bytes);
    if (!err) {
        err = trench_bus_write(bus, xl->initiator, fill->dst, bounce,
                               fill->len_bytes);
    }
    free(bounce);
    return err;
}

/* Done or refused: glr[9] reads 0 either way, so that polling ends. */
static void finish(struct xt_local *xl)
{
    struct fill fill = decode(xl);
    struct chip *chip = xl->set->chip;
    bool moved;

    xl->busy = false;
    chip->pod->nested++;
    moved = reaches_iram(xl, &fill) && move(xl, &fill) == 0;
    chip->pod->nested--;
    if (!moved) {
        chip->guest_errors++;
        log_line(&chip->log, TRENCH_LOG_GUEST,
                 "sequencer fill refused: 0x%llx[%u] -> 0x%llx",
                 (unsigned long long)fill.src, fill.len_bytes,
                 (unsigned long long)fill.dst);
        *regfile_at(&xl->rf, GLR(GLR_LAST_WORD)) = WORD_REFUSED;
    }
    *regfile_at(&xl->rf, GLR(GLR_KICK)) = 0;
}

static void kick(struct xt_local *xl)
{
    xl->busy = true;
    xl->polls_left = xl->set->polls;
    for (uint32_t i = 0; i < XT_LOCAL_WORDS; i++) {
        xl->words[i] = (uint32_t)word(xl, GLR(GLR_FIRST_WORD + i));
    }
    if (xl->polls_left == 0) {
        finish(xl);
    }
}

static void glr_write(void *owner, uint32_t idx, uint32_t written, uint32_t old)
{
    struct xt_local *xl = owner;

    if (idx != GLR_KICK) {
        return;
    }
    if (written == 0) {
        xl->busy = false; /* taken back */
    } else if (xl->busy) {
        xl->set->chip->guest_errors++;
        log_line(&xl->set->chip->log, TRENCH_LOG_GUEST,
                 "sequencer fill kicked while one is under way (%u)", old);
    } else {
        kick(xl);
    }
}

static uint32_t glr_read(void *owner, uint32_t idx, uint32_t val)
{
    struct xt_local *xl = owner;

    if (idx != GLR_KICK || !xl->busy) {
        return val;
    }
    if (xl->polls_left == 0) {
        if (xl->set->chip->pod->nested >= POD_MAX_NESTING) {
            return val; /* fills that read each other's mailboxes, too deep */
        }
        finish(xl);
        return 0;
    }
    if (xl->polls_left != UINT32_MAX) {
        xl->polls_left--;
    }
    return val;
}

static const struct regfile_hook hooks[] = {
    { GLR(0), glr_read, glr_write },
};

/* ---- on the bus ---------------------------------------------------------- */

static int local_read32(void *opaque, uint64_t offset, uint32_t *val)
{
    struct xt_local *xl = opaque;

    *val = regfile_read(&xl->rf, (uint32_t)offset);
    return 0;
}

static int local_write32(void *opaque, uint64_t offset, uint32_t val)
{
    struct xt_local *xl = opaque;

    regfile_write(&xl->rf, (uint32_t)offset, val);
    return 0;
}

static const struct trench_bus_dev_ops local_ops = {
    .read32 = local_read32,
    .write32 = local_write32,
};

enum part {
    PART_IRAM,
    PART_DRAM,
    PART_LOCAL_REG,
    NR_PARTS,
};

size_t xt_local_parts(const struct trench_gen *gen)
{
    return (size_t)gen->nr_cores * gen->nr_seqs * NR_PARTS;
}

static struct trench_gen_seq_addr addr_of(const struct trench_gen *gen,
                                          size_t seq)
{
    struct trench_gen_seq_addr addr = { 0 };

    trench_gen_seq_addr(gen, (unsigned)(seq / gen->nr_seqs),
                        (unsigned)(seq % gen->nr_seqs), &addr);
    return addr;
}

uint64_t xt_local_part_base(const struct trench_gen *gen, unsigned part)
{
    struct trench_gen_seq_addr addr = addr_of(gen, part / NR_PARTS);
    const uint64_t bases[NR_PARTS] = { addr.iram, addr.dram, addr.local_reg };

    return bases[part % NR_PARTS];
}

/* "TPB_0_POOL_LOCAL_REG" */
static void part_name(const struct trench_gen *gen, unsigned part, char *buf,
                      size_t size)
{
    static const char *const names[NR_PARTS] = { "SEQ_IRAM", "NX_DRAM",
                                                 "LOCAL_REG" };
    size_t seq = part / NR_PARTS;
    char upper[8] = "";

    for (size_t i = 0; i + 1 < sizeof(upper); i++) {
        upper[i] = (char)toupper(gen->seqs[seq % gen->nr_seqs].name[i]);
        if (upper[i] == '\0') {
            break;
        }
    }
    snprintf(buf, size, "TPB_%zu_%s_%s", seq / gen->nr_seqs, upper,
             names[part % NR_PARTS]);
}

int xt_local_place(struct xt_local_set *set, unsigned part)
{
    const struct trench_gen *gen = set->chip->gen;
    uint64_t base = xt_local_part_base(gen, part);
    char name[48];

    part_name(gen, part, name, sizeof(name));
    if (part % NR_PARTS == PART_LOCAL_REG) {
        return trench_bus_add_window(
            set->bus, &(const struct trench_bus_window){
                          .name = name,
                          .base = base,
                          .size_bytes = set->cls.block->size_bytes,
                          .ops = &local_ops,
                          .opaque = &set->seqs[part / NR_PARTS],
                      });
    }
    return trench_bus_add_memory(set->bus,
                                 &(const struct trench_bus_mem){
                                     .name = name,
                                     .base = base,
                                     .size_bytes = part % NR_PARTS == PART_IRAM
                                                       ? set->iram_bytes
                                                       : TRENCH_SEQ_DRAM_BYTES,
                                 });
}

/* ---- life ---------------------------------------------------------------- */

bool xt_local_conf_ok(const struct trench_soc_conf *conf)
{
    return conf->seq_iram_bytes <= TRENCH_SOC_SEQ_IRAM_MAX &&
           conf->seq_iram_bytes % 4096 == 0 &&
           (unsigned)conf->mailbox_words <= TRENCH_MAILBOX_SOURCE_FIRST;
}

static void bind(struct xt_local_set *set)
{
    size_t nr_values = set->cls.block->nr_insts;

    for (size_t i = 0; i < set->nr_seqs; i++) {
        struct xt_local *xl = &set->seqs[i];

        xl->set = set;
        xl->iram = addr_of(set->chip->gen, i).iram;
        xl->initiator = TRENCH_BUS_SEQ_0 + (uint32_t)i;
        regfile_init(&xl->rf, &set->cls, set->values + i * nr_values, xl);
    }
}

int xt_local_build(struct xt_local_set *set, struct chip *chip,
                   struct trench_bus *bus, const struct trench_soc_conf *conf)
{
    const struct trench_csr_block *block =
        trench_csr_builtin(chip->gen->name, TRENCH_BLOCK_TPB_XT_LOCAL_REG);
    int err;

    set->chip = chip;
    set->bus = bus;
    set->words = conf->mailbox_words;
    set->polls = conf->mailbox_polls;
    set->iram_bytes =
        conf->seq_iram_bytes ? conf->seq_iram_bytes : TRENCH_SEQ_IRAM_BYTES;
    set->nr_seqs = (size_t)chip->gen->nr_cores * chip->gen->nr_seqs;
    if (!block) {
        return TRENCH_ERR_NODEV;
    }
    err = regfile_class_init(&set->cls, block);
    if (err) {
        return err;
    }
    regfile_class_hook(&set->cls, hooks, ARRAY_LEN(hooks));
    set->seqs = calloc(set->nr_seqs, sizeof(*set->seqs));
    set->values = calloc(set->nr_seqs * block->nr_insts, sizeof(*set->values));
    if (!set->seqs || !set->values) {
        return TRENCH_ERR_NOMEM;
    }
    bind(set);
    return 0;
}

void xt_local_fini(struct xt_local_set *set)
{
    regfile_class_fini(&set->cls);
    free(set->values);
    free(set->seqs);
}

static void reset_one(struct xt_local *xt)
{
    regfile_reset(&xt->rf);
    xt->busy = false;
}

void xt_local_reset(struct xt_local_set *set)
{
    for (size_t i = 0; i < set->nr_seqs; i++) {
        reset_one(&set->seqs[i]);
    }
}

void xt_local_reset_core(struct xt_local_set *set, unsigned core)
{
    size_t nr = set->chip->gen->nr_seqs;

    for (size_t i = core * nr; i < (core + 1) * nr && i < set->nr_seqs; i++) {
        reset_one(&set->seqs[i]);
    }
}
