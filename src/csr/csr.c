/* SPDX-License-Identifier: BSD-3-Clause */
/* Register maps that are compiled in, and names of registers by address. */
#include <trench/csr.h>

#include <string.h>

#include "base/bits.h"
#include "csr/builtin.h"

/* Manifest names. */
static const char *const block_names[TRENCH_NR_BLOCKS] = {
    [TRENCH_BLOCK_UDMA_M2S] = "udma_m2s",
    [TRENCH_BLOCK_UDMA_S2M] = "udma_s2m",
    [TRENCH_BLOCK_UDMA_GEN] = "udma_gen",
    [TRENCH_BLOCK_UDMA_GEN_EX] = "udma_gen_ex",
    [TRENCH_BLOCK_TDMA_MODEL] = "tdma_model",
    [TRENCH_BLOCK_IOFIC] = "iofic",
    [TRENCH_BLOCK_NOTIFIC_10_QUEUE] = "notific_10_queue",
    [TRENCH_BLOCK_NOTIFIC_1_QUEUE] = "notific_1_queue",
    [TRENCH_BLOCK_CCE] = "cce",
    [TRENCH_BLOCK_CME] = "cme",
    [TRENCH_BLOCK_DRE] = "dre",
    [TRENCH_BLOCK_PAPB_BCAST] = "papb_bcast",
    [TRENCH_BLOCK_FIS_CONTROL] = "fis_control",
    [TRENCH_BLOCK_INTC_4GRP_MSIX] = "intc_4grp_msix",
    [TRENCH_BLOCK_INTC_4GRP_NO_MSIX] = "intc_4grp_no_msix",
    [TRENCH_BLOCK_TPB_XT_LOCAL_REG] = "tpb_xt_local_reg",
    [TRENCH_BLOCK_TPB_EVENTS] = "tpb_events",
    [TRENCH_BLOCK_APBBLK] = "apbblk",
};

const char *trench_csr_block_name(enum trench_block_id id)
{
    /* A caller's enum may hold anything, and its sign is the compiler's. */
    return (unsigned)id < TRENCH_NR_BLOCKS ? block_names[id] : NULL;
}

const struct trench_csr_lib *trench_csr_lib_builtin(void)
{
    return &csr_builtin_lib;
}

const struct trench_csr_block *trench_csr_builtin(const char *gen_name,
                                                  enum trench_block_id id)
{
    const char *name = trench_csr_block_name(id);
    const struct trench_csr_set *set;

    if (!gen_name || !name) {
        return NULL;
    }
    set = trench_csr_lib_set(&csr_builtin_lib, gen_name);
    return set ? trench_csr_set_block(set, name) : NULL;
}

const char *trench_csr_access_name(unsigned access)
{
    static const char *const names[] = {
        [TRENCH_CSR_RO] = "RO",
        [TRENCH_CSR_RW] = "RW",
        [TRENCH_CSR_WO] = "WO",
    };

    return access < ARRAY_LEN(names) ? names[access] : "?";
}

const char *trench_csr_special_name(unsigned special)
{
    static const char *const names[] = {
        [TRENCH_CSR_SPECIAL_NONE] = "None",
        [TRENCH_CSR_SPECIAL_PULSE_ON_W] = "PulseOnW",
        [TRENCH_CSR_SPECIAL_W0C] = "WriteZeroToClear",
        [TRENCH_CSR_SPECIAL_W1S] = "WriteOneToSet",
    };

    return special < ARRAY_LEN(names) ? names[special] : "?";
}

int trench_csr_field_put(const struct trench_csr_field *field, uint32_t val,
                         uint32_t *word)
{
    uint32_t mask = trench_csr_field_mask(field);

    if (val > mask >> field->lsb) {
        return TRENCH_ERR_INVAL;
    }
    *word = (*word & ~mask) | val << field->lsb;
    return 0;
}

int trench_csr_at(const struct trench_csr_block *block, uint32_t offset,
                  struct trench_csr_ref *out)
{
    const struct trench_csr_reg *reg;
    uint16_t inst = 0;

    if (offset / 4 < block->size_bytes / 4) {
        inst = block->word_inst[offset / 4];
    }
    if (inst == 0) {
        return TRENCH_ERR_NOENT;
    }
    inst--;
    reg = &block->regs[block->inst_reg[inst]];
    memset(out, 0, sizeof(*out));
    out->block = block;
    out->bundle = &block->bundles[reg->bundle];
    out->reg = reg;
    out->index = block->inst_index[inst];
    out->has_index = out->bundle->count > 1;
    return 0;
}

uint32_t trench_csr_ref_offset(const struct trench_csr_ref *ref)
{
    if (!ref->bundle) {
        return 0;
    }
    return ref->bundle->offset + ref->index * ref->bundle->stride +
           (ref->reg ? ref->reg->offset : 0);
}

/* Text so far: as snprintf(), len may pass the end. */
struct text {
    char *buf;
    size_t size;
    size_t len;
};

/* Not printf: dumps name millions of registers. */
static void append(struct text *text, const char *s, size_t len)
{
    if (text->len + 1 < text->size) {
        size_t room = text->size - text->len - 1;
        size_t n = len < room ? len : room;

        memcpy(text->buf + text->len, s, n);
        text->buf[text->len + n] = '\0';
    }
    text->len += len;
}

static void append_string(struct text *text, const char *s)
{
    append(text, s, strlen(s));
}

/* "[5]" */
static void append_index(struct text *text, uint32_t index)
{
    char digits[16];
    size_t at = sizeof(digits);

    digits[--at] = ']';
    do {
        digits[--at] = (char)('0' + index % 10);
        index /= 10;
    } while (index > 0);
    digits[--at] = '[';
    append(text, digits + at, sizeof(digits) - at);
}

/* "BUNDLE[i].REG.field" */
static void append_local(struct text *text, const struct trench_csr_ref *ref)
{
    const char *name = ref->bundle->name;
    uint16_t pos = ref->bundle->index_pos;

    append(text, name, pos);
    if (ref->has_index) {
        append_index(text, ref->index);
    }
    append_string(text, name + pos);
    if (ref->reg) {
        append(text, ".", 1);
        append_string(text, ref->reg->name);
    }
    if (ref->field) {
        append(text, ".", 1);
        append_string(text, ref->field->name);
    }
}

int trench_csr_ref_name(const struct trench_csr_ref *ref, char *buf,
                        size_t size)
{
    struct text text = { buf, size, 0 };

    if (size > 0) {
        buf[0] = '\0';
    }
    append_string(&text, ref->block->name);
    if (ref->bundle) {
        append(&text, ".", 1);
        append_local(&text, ref);
    }
    return (int)text.len;
}

int trench_csr_name_at(const struct trench_csr_block *block, uint32_t offset,
                       char *buf, size_t size)
{
    struct text text = { buf, size, 0 };
    struct trench_csr_ref ref;

    if (size > 0) {
        buf[0] = '\0';
    }
    if (trench_csr_at(block, offset, &ref)) {
        return TRENCH_ERR_NOENT;
    }
    append_local(&text, &ref);
    return (int)text.len;
}
