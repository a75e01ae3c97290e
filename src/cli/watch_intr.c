/* SPDX-License-Identifier: BSD-3-Clause */
/* The interrupt groups of a channel. */
#include "watch_snap.h"

#include <trench/bus.h>

/* The windows of udma_gen that hold groups. */
static const struct {
    const char *name;
    const char *bundle;
} windows[WATCH_WINDOWS] = {
    { "primary", "int_ctrl_base_addr" }, { "secondary", "int_ctrl_sec_addr" },
    { "m2s-desc-read", "int_ctrl0" },    { "m2s-data-read", "int_ctrl1" },
    { "m2s-cmpl-write", "int_ctrl2" },   { "s2m-desc-read", "int_ctrl3" },
    { "s2m-data-write", "int_ctrl4" },   { "s2m-cmpl-write", "int_ctrl5" },
    { "msix-write", "int_ctrl6" },
};

enum group_reg {
    CAUSE,
    MASK,
    CONTROL,
    ABORT_MASK,
    GROUP_REGS,
};

static const char *const regs[GROUP_REGS] = {
    "iofic.grp.int_cause_grp",
    "iofic.grp.int_mask_grp",
    "iofic.grp.int_control_grp",
    "iofic.grp.int_abort_msk_grp",
};

/* Bits of primary group D (udma-engine 3.1). */
static const char *const primary_d[] = {
    [0] = "mailbox 0",    [1] = "mailbox 1",    [2] = "mailbox 2",
    [3] = "mailbox 3",    [8] = "secondary A",  [9] = "secondary B",
    [10] = "secondary C", [11] = "secondary D", [12] = "timer",
};

static void primary_name(const struct watch_group *group, unsigned bit,
                         char *buf, size_t size)
{
    static const char *const kinds[] = { "", "rx queue", "tx queue" };

    if (group->number == 0 && bit < 3) {
        snprintf(buf, size, "group %c", 'B' + (int)bit);
    } else if (group->number >= 1 && group->number <= 2 &&
               bit < TRENCH_NR_QUEUES) {
        snprintf(buf, size, "%s %u", kinds[group->number], bit);
    } else if (group->number == 3 && bit < CLI_ARRAY_LEN(primary_d) &&
               primary_d[bit]) {
        snprintf(buf, size, "%s", primary_d[bit]);
    }
}

void watch_cause_name(const struct watch_group *group, unsigned bit, char *buf,
                      size_t size)
{
    snprintf(buf, size, "unknown");
    if (group->window == windows[0].name) {
        primary_name(group, bit, buf, size);
    } else if (group->window == windows[1].name) {
        const char *name =
            group->number < TRENCH_NR_CAUSE_GROUPS
                ? trench_cause_name((enum trench_cause_group)group->number, bit)
                : NULL;

        if (name) {
            snprintf(buf, size, "%s", name);
        }
    } else if (bit < TRENCH_NR_QUEUES) {
        snprintf(buf, size, "queue %u", bit);
    }
}

/* Offsets of a window in udma_gen, and of the group registers in a window. */
static bool find(const struct trench_csr_set *set, const char *window,
                 struct trench_csr_ref group[GROUP_REGS], uint32_t *offset)
{
    struct trench_csr_ref ref;
    char name[64];

    snprintf(name, sizeof(name), "udma_gen.%s", window);
    if (!set || trench_csr_find(set, name, &ref, NULL) < 0 || !ref.bundle) {
        return false;
    }
    *offset = ref.bundle->offset;
    for (unsigned i = 0; i < GROUP_REGS; i++) {
        if (trench_csr_find(set, regs[i], &group[i], NULL) < 0 ||
            group[i].bundle->count < WATCH_WINDOW_GROUPS) {
            return false;
        }
    }
    return true;
}

static uint32_t read_reg(const struct watch_eye *eye, uint64_t window,
                         const struct trench_csr_ref *reg, unsigned group)
{
    struct trench_csr_ref ref = *reg;
    uint32_t word = 0;

    ref.index = group;
    ref.has_index = 1;
    trench_bus_read32(trench_soc_bus(eye->soc),
                      window + trench_csr_ref_offset(&ref), &word);
    return word;
}

/* Whether a group holds causes, as far as it may be read. */
static bool read_group(const struct watch_eye *eye, uint64_t window,
                       const struct trench_csr_ref group_regs[GROUP_REGS],
                       struct watch_group *group)
{
    const struct trench_csr_ref *control = &group_regs[CONTROL];
    const struct trench_csr_field *clear = trench_csr_reg_field(
        control->block, control->reg, "CLEAR_ON_READ", NULL);
    unsigned n = group->number;

    group->unread =
        clear && !eye->clear &&
        trench_csr_field_get(clear, read_reg(eye, window, control, n)) != 0;
    group->mask = read_reg(eye, window, &group_regs[MASK], n);
    group->abort_mask = read_reg(eye, window, &group_regs[ABORT_MASK], n);
    if (!group->unread) {
        group->cause = read_reg(eye, window, &group_regs[CAUSE], n);
    }
    return group->unread || group->cause != 0;
}

unsigned watch_read_groups(const struct watch_eye *eye,
                           struct watch_group list[WATCH_GROUPS])
{
    const struct trench_gen *gen = trench_soc_gen(eye->soc);
    const struct trench_csr_set *set =
        trench_csr_lib_set(trench_csr_lib_builtin(), gen->name);
    struct trench_csr_ref group_regs[GROUP_REGS];
    unsigned nr = 0;
    uint32_t offset;
    uint64_t base;

    if (trench_gen_block_base(gen, eye->engine, TRENCH_BLOCK_UDMA_GEN, false,
                              &base) < 0) {
        return 0;
    }
    for (unsigned w = 0; w < WATCH_WINDOWS; w++) {
        if (!find(set, windows[w].bundle, group_regs, &offset)) {
            continue;
        }
        for (unsigned g = 0; g < WATCH_WINDOW_GROUPS; g++) {
            list[nr] =
                (struct watch_group){ .window = windows[w].name, .number = g };
            nr += read_group(eye, base + offset, group_regs, &list[nr]);
        }
    }
    return nr;
}

/* ---- vectors ------------------------------------------------------------- */

/* Runs of vectors, ascending. */
static const struct {
    unsigned first;
    const char *name;
} vectors[] = {
    { TRENCH_INTR_NOTIFIC, "notification " },
    { TRENCH_INTR_MAIN, "main group " },
    { TRENCH_INTR_RX, "rx queue " },
    { TRENCH_INTR_TX, "tx queue " },
    { TRENCH_INTR_MAILBOX, "mailbox " },
    { TRENCH_INTR_GROUP, "secondary group " },
    { TRENCH_INTR_TIMER, "timer " },
    { TRENCH_INTR_SECONDARY, "m2s " },
    { TRENCH_INTR_S2M_ERROR, "s2m " },
    { TRENCH_INTR_FIFO_PARITY, "fifo " },
    { TRENCH_INTR_AXI, "axi " },
};

/* Runs whose members have names of causes or groups, not numbers. */
static bool member_name(unsigned first, unsigned nth, char *buf, size_t size)
{
    const char *name = NULL;

    switch (first) {
    case TRENCH_INTR_MAIN:
        snprintf(buf, size, "%c", 'B' + (int)nth);
        return true;
    case TRENCH_INTR_GROUP:
        snprintf(buf, size, "%c", 'A' + (int)nth);
        return true;
    case TRENCH_INTR_SECONDARY:
        name = trench_cause_name(TRENCH_CAUSE_M2S, nth);
        break;
    case TRENCH_INTR_S2M_ERROR:
        name = trench_cause_name(TRENCH_CAUSE_S2M, nth);
        break;
    case TRENCH_INTR_FIFO_PARITY:
        name = trench_cause_name(TRENCH_CAUSE_FIFO, nth);
        break;
    case TRENCH_INTR_AXI:
        name = nth + 2 < WATCH_WINDOWS ? windows[nth + 2].name : NULL;
        break;
    default:
        break;
    }
    if (name) {
        snprintf(buf, size, "%s", name);
    }
    return name != NULL;
}

void watch_vector_name(unsigned vector, char *buf, size_t size)
{
    unsigned run = 0;
    size_t len;

    while (run + 1 < CLI_ARRAY_LEN(vectors) &&
           vectors[run + 1].first <= vector) {
        run++;
    }
    len = (size_t)snprintf(buf, size, "%s", vectors[run].name);
    if (len < size &&
        !member_name(vectors[run].first, vector - vectors[run].first, buf + len,
                     size - len)) {
        snprintf(buf + len, size - len, "%u", vector - vectors[run].first);
    }
}

bool watch_vector_in(const struct trench_soc_intr *set, unsigned vector)
{
    return set->bits[vector / 64] >> vector % 64 & 1;
}
