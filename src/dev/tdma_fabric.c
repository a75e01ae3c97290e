/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Fabric triggers of tdma_model: records of AXI reads by their id, and of
 * register writes by their address (common-blocks 1.3.3).
 */
#include "dev/notific_post.h"
#include "tdma_model_gen.h"

#define TRIGGER_ON                                                             \
    TDMA_MODEL_NOTIFIC_CFG_FABRIC_TRIGGER_AXI_REQ_TRIGGER_VAL_MASK

/* Bodies (common-blocks 2.4.2): the low 24 address bits are in word 0. */
#define BODY_ADDR_BITS      24
#define BODY_AXI_ID_SHIFT   4
#define BODY_AXI_ID_MASK    0x1Fu
#define BODY_AXI_HIGH_SHIFT 9
#define BODY_APB_HIGH_SHIFT 4

static bool kind_on(const struct channel *ch, enum tdma_fabric kind)
{
    uint32_t any = 0;

    for (unsigned i = 0; i < TDMA_FABRIC_TRIGGERS; i++) {
        any |= *ch->tdma.fabric[kind][i].trigger;
    }
    return any & TRIGGER_ON;
}

void tdma_watch_fabric(struct channel *ch)
{
    bool apb = kind_on(ch, TDMA_APB_REQ);

    ch->notes &= ~TDMA_NOTE_AXI;
    if (kind_on(ch, TDMA_AXI_REQ) || kind_on(ch, TDMA_AXI_RSP)) {
        ch->notes |= TDMA_NOTE_AXI;
    }
    ch->chip->apb_watch += (unsigned)apb - (unsigned)ch->tdma.apb_on;
    ch->tdma.apb_on = apb;
}

/* What a trigger looks at, and the record of its first one. */
struct access {
    enum tdma_fabric kind;
    enum notific_class cls;
    uint32_t val;
    uint32_t w0;
    uint32_t w1;
};

static void match(struct channel *ch, const struct access *a)
{
    for (unsigned i = 0; i < TDMA_FABRIC_TRIGGERS; i++) {
        const struct tdma_match *m = &ch->tdma.fabric[a->kind][i];

        if ((*m->trigger & TRIGGER_ON) && (a->val & *m->mask) == *m->cmp) {
            notific_post(ch, a->cls + i, *m->sw_queue, a->w0, a->w1);
        }
    }
}

/* Data of queue q is read with id q, from rid_base on where that is used. */
static uint32_t axi_id(const struct channel *ch, unsigned q)
{
    uint32_t cfg = *ch->tdma.rob_cfg;

    return cfg & TDMA_MODEL_TDMA_TDMA_ROB_CFG_USE_RID_BASE_MASK
               ? FIELD_GET(TDMA_MODEL_TDMA_TDMA_ROB_CFG_RID_BASE, cfg) + q
               : q;
}

void tdma_axi_read(struct channel *ch, unsigned q, uint64_t addr)
{
    uint32_t id = axi_id(ch, q);
    uint32_t id_bits = (id & BODY_AXI_ID_MASK) << BODY_AXI_ID_SHIFT;
    uint32_t high = (uint32_t)(addr >> BODY_ADDR_BITS);

    match(ch,
          &(struct access){ TDMA_AXI_REQ, NOTIFIC_AXI_REQ_0, id, (uint32_t)addr,
                            id_bits | high << BODY_AXI_HIGH_SHIFT });
    match(ch,
          &(struct access){ TDMA_AXI_RSP, NOTIFIC_AXI_RSP_0, id, 0, id_bits });
}

void tdma_apb_write(const struct unit *unit, uint32_t offset)
{
    uint32_t addr = unit->apb_base + offset;

    if (!unit->chip->pod->notifying) {
        match(unit->ch, &(struct access){
                            TDMA_APB_REQ, NOTIFIC_APB_REQ_0, addr, addr,
                            addr >> BODY_ADDR_BITS << BODY_APB_HIGH_SHIFT });
    }
}
