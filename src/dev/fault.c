/* SPDX-License-Identifier: BSD-3-Clause */
/* Faults that a test injects (include/trench/access.h). */
#include "dev/fault.h"

#include "base/bits.h"
#include "dev/axi.h"

static bool fault_meets(const struct trench_fault *f, const struct channel *ch,
                        unsigned q, unsigned at)
{
    return f->at == at &&
           (f->engine == TRENCH_FAULT_ANY ||
            (unsigned)f->engine == ch->engine) &&
           (f->queue == TRENCH_FAULT_ANY || (unsigned)f->queue == q);
}

/* Count what a fault sees; true when it strikes this time. */
static bool fault_strikes(struct injected *in)
{
    uint64_t nth = in->stats.seen++;

    if (nth < in->fault.after ||
        (in->fault.times && in->stats.struck >= in->fault.times)) {
        return false;
    }
    return true;
}

unsigned fault_answer(struct channel *ch, unsigned q,
                      enum trench_axi_master master)
{
    struct chip *chip = ch->chip;
    unsigned answer = 0;

    for (unsigned i = 0; i < chip->nr_faults; i++) {
        struct injected *in = &chip->faults[i];

        if (fault_meets(&in->fault, ch, q, master) && fault_strikes(in) &&
            answer == 0) {
            answer = in->fault.code;
            in->stats.struck++;
        }
    }
    return answer;
}

static bool fault_causes(struct channel *ch, unsigned q, unsigned at,
                         enum sec_group group, const struct desc *header,
                         bool *struck)
{
    struct chip *chip = ch->chip;
    bool on = true;

    for (unsigned i = 0; i < chip->nr_faults && on; i++) {
        struct injected *in = &chip->faults[i];

        if (fault_meets(&in->fault, ch, q, at) && fault_strikes(in)) {
            in->stats.struck++;
            *struck = true;
            on = channel_error(ch, group, in->fault.code, header);
        }
    }
    return on;
}

bool fault_packet(struct channel *ch, unsigned q, const struct desc *header,
                  bool *struck)
{
    return fault_causes(ch, q, TRENCH_FAULT_M2S, SEC_GROUP_M2S, header,
                        struck) &&
           fault_causes(ch, q, TRENCH_FAULT_PARITY, SEC_GROUP_FIFO, header,
                        struck);
}

bool fault_buffer(struct channel *ch, unsigned q, const struct desc *header,
                  bool *struck)
{
    return fault_causes(ch, q, TRENCH_FAULT_S2M, SEC_GROUP_S2M, header, struck);
}

/* ---- the public side ----------------------------------------------------- */

static bool fault_valid(const struct chip *chip, const struct trench_fault *f)
{
    unsigned codes = f->at < TRENCH_NR_AXI_MASTERS ? TRENCH_AXI_ANSWERS : 32;
    unsigned first = f->at < TRENCH_NR_AXI_MASTERS ? 1 : 0;

    return f->at < TRENCH_NR_FAULT_PLACES && f->code >= first &&
           f->code < codes && f->engine >= TRENCH_FAULT_ANY &&
           f->engine < (int)chip->gen->nr_engines &&
           f->queue >= TRENCH_FAULT_ANY && f->queue < (int)TRENCH_NR_QUEUES;
}

int chip_inject(struct chip *chip, const struct trench_fault *fault)
{
    if (!fault_valid(chip, fault)) {
        return TRENCH_ERR_INVAL;
    }
    if (chip->nr_faults == TRENCH_MAX_FAULTS) {
        return TRENCH_ERR_NOSPC;
    }
    chip->faults[chip->nr_faults] = (struct injected){ .fault = *fault };
    chip->nr_faults++;
    axi_replan_all(chip);
    return (int)chip->nr_faults - 1;
}
