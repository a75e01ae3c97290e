/* SPDX-License-Identifier: BSD-3-Clause */
/* Rings in device memory, and the dump to them: ncfw-steps 1.2 and 1.3. */
#include <trench/pring.h>

#include <assert.h>
#include <string.h>

#include "base/desc.h"
#include "base/le.h"
#include "ncfw/hbm.h"
#include "ncfw/vring.h"

static_assert(TRENCH_DESC_BYTES == DESC_BYTES, "descriptors");

#define NOOP_BYTES 4u

bool ncfw_is_hbm(const struct trench_gen *gen, uint64_t addr, uint64_t len)
{
    for (size_t i = 0; i < gen->nr_mems; i++) {
        const struct trench_gen_mem *mem = &gen->mems[i];

        if (mem->kind == TRENCH_MEM_HBM && addr >= mem->base &&
            addr - mem->base < mem->size_bytes &&
            len <= mem->size_bytes - (addr - mem->base)) {
            return true;
        }
    }
    return false;
}

int trench_pring_init(const struct trench_gen *gen,
                      const struct trench_hal_mem *mem, uint64_t offset_bytes,
                      uint32_t allocated, struct trench_pring *out)
{
    uint64_t size_bytes = (uint64_t)allocated * DESC_BYTES;

    if ((out->type != TRENCH_PRING_TX && out->type != TRENCH_PRING_RX) ||
        allocated == 0 || allocated > TRENCH_VRING_MAX ||
        (mem->dma + offset_bytes) % TRENCH_PRING_ALIGN != 0) {
        return TRENCH_ERR_INVAL;
    }
    if (offset_bytes > mem->size_bytes ||
        size_bytes > mem->size_bytes - offset_bytes) {
        return TRENCH_ERR_NOSPC;
    }
    if (!ncfw_is_hbm(gen, mem->dma + offset_bytes, size_bytes)) {
        return TRENCH_ERR_ACCES;
    }
    out->mem = *mem;
    out->offset_bytes = offset_bytes;
    out->used = 0;
    out->allocated = allocated;
    return 0;
}

static uint8_t *slot_of(const struct trench_pring *pring, uint32_t i)
{
    return (uint8_t *)pring->mem.cpu + pring->offset_bytes +
           (uint64_t)i * DESC_BYTES;
}

static void put(uint8_t *slot, const struct trench_desc *desc, uint64_t buf)
{
    uint32_t tag = LAP_START << DESC_RING_ID_SHIFT;

    le_put(slot, 4, (desc->len_ctrl & ~DESC_RING_ID_MASK) | tag);
    le_put(slot + 4, 4, desc->meta_ctrl);
    le_put(slot + 8, 8, buf);
}

/* The direction of a ring; false when it has no type. */
static bool dir_of(const struct trench_pring *pring, enum trench_ncfw_dir *out)
{
    *out = pring->type == TRENCH_PRING_TX ? TRENCH_NCFW_M2S : TRENCH_NCFW_S2M;
    return pring->type == TRENCH_PRING_TX || pring->type == TRENCH_PRING_RX;
}

/* Everything that can go wrong, before the first byte is written. */
static int check_dump(const struct trench_pring *pring,
                      const struct desc_list *list,
                      const struct trench_dump_conf *conf)
{
    uint64_t addr;
    int err;

    if ((conf->padded > 0 && list->nr > conf->padded) ||
        list->nr > pring->allocated || conf->padded > pring->allocated) {
        return TRENCH_ERR_NOSPC;
    }
    if (conf->padded > list->nr && conf->noop % NOOP_BYTES != 0) {
        return TRENCH_ERR_INVAL;
    }
    for (uint32_t i = 0; i < list->nr; i++) {
        addr = desc_list_at(list, i)->buf;
        if (!is_template(addr)) {
            continue; /* as most are */
        }
        err = trench_template_resolve(addr, conf->vars, conf->nr_vars, &addr);
        if (err) {
            return err;
        }
    }
    return 0;
}

static int dump(struct trench_pring *pring, const struct desc_list *list,
                const struct trench_dump_conf *conf)
{
    const struct trench_copy noop = { conf->noop, conf->noop, NOOP_BYTES,
                                      TRENCH_BARRIER_NONE };
    struct trench_desc pad[TRENCH_NCFW_NR_DIRS];
    enum trench_ncfw_dir dir;
    uint8_t pad_slot[DESC_BYTES];
    uint32_t nr = list->nr;
    uint8_t *slot;
    int err;

    if (!dir_of(pring, &dir)) {
        return TRENCH_ERR_INVAL;
    }
    err = check_dump(pring, list, conf);
    if (err) {
        return err;
    }
    slot = slot_of(pring, 0);
    for (uint32_t i = 0; i < nr; i++, slot += DESC_BYTES) {
        const struct trench_desc *desc = desc_list_at(list, i);
        uint64_t buf = desc->buf;

        if (is_template(buf)) {
            (void)trench_template_resolve(buf, conf->vars, conf->nr_vars, &buf);
        }
        put(slot, desc, buf);
    }
    trench_desc_copy(&noop, pad);
    put(pad_slot, &pad[dir], pad[dir].buf);
    for (; nr < conf->padded; nr++, slot += DESC_BYTES) {
        memcpy(slot, pad_slot, DESC_BYTES);
    }
    pring->used = nr;
    return (int)nr;
}

int trench_pring_dump(struct trench_pring *pring,
                      const struct trench_vring *vring,
                      const struct trench_dump_conf *conf)
{
    enum trench_ncfw_dir dir;
    struct desc_list list;

    if (!dir_of(pring, &dir)) {
        return TRENCH_ERR_INVAL;
    }
    list = vring_list(vring, dir);
    return dump(pring, &list, conf);
}

int trench_pring_dump_descs(struct trench_pring *pring,
                            const struct trench_desc *descs, uint32_t nr_descs,
                            const struct trench_dump_conf *conf)
{
    const struct desc_list list = { .flat = descs, .nr = nr_descs };

    return dump(pring, &list, conf);
}

int trench_pring_get(const struct trench_pring *pring, uint32_t index,
                     struct trench_desc *out)
{
    const uint8_t *slot;

    if (index >= pring->used) {
        return TRENCH_ERR_INVAL;
    }
    slot = slot_of(pring, index);
    out->len_ctrl = (uint32_t)le_get(slot, 4);
    out->meta_ctrl = (uint32_t)le_get(slot + 4, 4);
    out->buf = le_get(slot + 8, 8);
    return 0;
}
