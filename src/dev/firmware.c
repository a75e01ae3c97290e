/* SPDX-License-Identifier: BSD-3-Clause */
#include "dev/firmware.h"

#include <inttypes.h>
#include <string.h>

#include "base/bits.h"
#include "dev/soc_parts.h"
#include "gen/gen_priv.h"

/* host-driver 2.2: what the request word asks for. */
enum {
    REQUEST_DEVICE = 1,
    REQUEST_CORES = 2,
};

/* host-driver 2.3: "not ready, ask again". */
#define NOT_READY 0xDEADBEEFu

/* From this interface version on a driver reads the power words. */
#define FW_VERSION 3u

/* ---- resets -------------------------------------------------------------- */

static void enter(struct firmware *fw, enum firmware_state state)
{
    const struct trench_pci_latency *l = &fw->latency[state - 1];

    fw->state = state;
    fw->polls_left = l->polls;
    fw->ns_left = l->ns;
}

/* host-driver 2.5, core map bits. */
static void reset_cores(struct firmware *fw, uint32_t map)
{
    const struct trench_gen_pci *pci = fw->gen->pci;
    uint32_t top_sps = map >> pci->reset_top_sp_lsb;
    unsigned nr = pci->top_sps_per_core * fw->gen->nr_cores;

    for (unsigned c = 0; c < fw->gen->nr_cores; c++) {
        if (map >> c & 1) {
            soc_reset_core(fw->soc, c);
            fw->core_resets++;
        }
    }
    for (unsigned n = 0; n < nr; n++) {
        if (top_sps >> n & 1) {
            soc_reset_top_sp(fw->soc, n);
        }
    }
}

/* False: an engine is at work; later. */
static bool carry_out(struct firmware *fw)
{
    if (soc_running(fw->soc)) {
        return false;
    }
    if (fw->whole) {
        trench_soc_reset(fw->soc);
        fw->device_resets++;
        fw->identity_hidden = true;
    } else {
        reset_cores(fw, fw->cores);
    }
    fw->whole = false;
    fw->cores = 0;
    fw->ram[MISC_RAM_RESET_REQUEST / 4] = 0;
    return true;
}

/* As far as it goes now. */
static void go_on(struct firmware *fw)
{
    if (fw->state == FIRMWARE_REQUESTED && !fw->polls_left && !fw->ns_left &&
        carry_out(fw)) {
        enter(fw, FIRMWARE_BUSY);
    }
    if (fw->state == FIRMWARE_BUSY && !fw->polls_left && !fw->ns_left) {
        fw->state = FIRMWARE_IDLE;
        fw->scratch = 0;
        fw->identity_hidden = false;
    }
}

/* A read of a word that tells of a state; the read itself still sees it. */
static void poll(struct firmware *fw, enum firmware_state state)
{
    if (fw->state == state && fw->polls_left > 0) {
        fw->polls_left--;
    } else {
        go_on(fw);
    }
}

/*
 * The request of now adds to one that has not been taken, which does not wait
 * longer for it; while a reset is busy a new one begins.
 */
static void request(struct firmware *fw, uint32_t what)
{
    uint32_t cores = 0;

    if (what == REQUEST_CORES) {
        cores = firmware_word(fw, MISC_RAM_RESET_CORE_MAP);
    } else if (what != REQUEST_DEVICE) {
        log_line(&fw->log, TRENCH_LOG_GUEST,
                 "firmware: reset request %" PRIu32 " names nothing", what);
        fw->bad_resets++;
        fw->ram[MISC_RAM_RESET_REQUEST / 4] = 0;
        return;
    }
    fw->whole |= what == REQUEST_DEVICE;
    fw->cores |= cores;
    if (fw->state != FIRMWARE_REQUESTED) {
        enter(fw, FIRMWARE_REQUESTED);
    }
    go_on(fw);
}

static void trigger(struct firmware *fw)
{
    uint32_t what = firmware_word(fw, MISC_RAM_RESET_REQUEST);

    if (what != 0) {
        request(fw, what);
    } else if (!fw->in_mailbox) {
        fw->in_mailbox = true; /* an answer may land on the trigger */
        firmware_mailbox(fw);
        fw->in_mailbox = false;
    }
}

void firmware_step(struct firmware *fw)
{
    go_on(fw);
}

void firmware_advance(struct firmware *fw, uint64_t ns)
{
    while (fw->state != FIRMWARE_IDLE) {
        enum firmware_state before = fw->state;
        uint64_t step = min_u64(fw->ns_left, ns);

        fw->ns_left -= step;
        ns -= step;
        go_on(fw);
        if (fw->state == before) {
            break;
        }
    }
}

uint64_t firmware_due(const struct firmware *fw)
{
    if (fw->state == FIRMWARE_IDLE || fw->polls_left > 0) {
        return UINT64_MAX;
    }
    return fw->ns_left;
}

/* ---- misc RAM ------------------------------------------------------------ */

/* Words that firmware owns and a reset of the device takes away for a while. */
static bool is_identity(uint32_t off)
{
    return off < MISC_RAM_RUNTIME_0_WORD(0);
}

/* Each read of a power word is a new sample of a device that is idle. */
static uint32_t read_power(struct firmware *fw)
{
    return (uint32_t)++fw->sample << MISC_RAM_POWER_SAMPLE_SAMPLE_NUMBER_SHIFT;
}

/* What a word says beyond what is stored. */
static uint32_t read_word(struct firmware *fw, uint32_t off)
{
    if (off == MISC_RAM_RESET_REQUEST) {
        poll(fw, FIRMWARE_REQUESTED);
    } else if (off == MISC_RAM_FIRMWARE_STATUS) {
        poll(fw, FIRMWARE_BUSY);
        return fw->state != FIRMWARE_IDLE ? MISC_RAM_FIRMWARE_STATUS_BUSY_MASK
                                          : 0;
    } else if (is_identity(off) && fw->identity_hidden) {
        return NOT_READY;
    } else if (off == MISC_RAM_POWER_SAMPLE(0)) {
        return read_power(fw);
    }
    return firmware_word(fw, off);
}

static int ram_read32(void *opaque, uint64_t offset, uint32_t *val)
{
    *val = read_word(opaque, (uint32_t)offset);
    return 0;
}

/* Words without a register are memory. */
static uint32_t write_mask(const struct firmware *fw, uint32_t off)
{
    uint16_t inst =
        off < fw->block->size_bytes ? fw->block->word_inst[off / 4] : 0;

    return inst ? fw->block->regs[fw->block->inst_reg[inst - 1]].write_mask
                : UINT32_MAX;
}

static int ram_write32(void *opaque, uint64_t offset, uint32_t val)
{
    struct firmware *fw = opaque;
    uint32_t off = (uint32_t)offset;

    if (off == MISC_RAM_FIRMWARE_TRIGGER) {
        if (val & 1) {
            trigger(fw);
        }
        return 0;
    }
    fw->ram[off / 4] = pick_bits(val, fw->ram[off / 4], write_mask(fw, off));
    return 0;
}

/* ---- the scratch word ---------------------------------------------------- */

static int scratch_read32(void *opaque, uint64_t offset, uint32_t *val)
{
    struct firmware *fw = opaque;

    (void)offset;
    poll(fw, FIRMWARE_BUSY);
    *val = fw->scratch;
    return 0;
}

static int scratch_write32(void *opaque, uint64_t offset, uint32_t val)
{
    struct firmware *fw = opaque;

    (void)offset;
    fw->scratch = val;
    return 0;
}

/* ---- making it ----------------------------------------------------------- */

static void set_identity(struct firmware *fw)
{
    fw->ram[MISC_RAM_INFO_FW_VERSION / 4] = FW_VERSION;
    fw->ram[MISC_RAM_INFO_ROUTING_ID / 4] = fw->routing_id;
    fw->ram[MISC_RAM_INFO_SERIAL_LO / 4] = (uint32_t)fw->serial;
    fw->ram[MISC_RAM_INFO_SERIAL_HI / 4] = (uint32_t)(fw->serial >> 32);
}

void firmware_reset(struct firmware *fw)
{
    memset(fw->ram, 0, sizeof(fw->ram));
    fw->scratch = 0;
    fw->state = FIRMWARE_IDLE;
    fw->polls_left = 0;
    fw->ns_left = 0;
    fw->whole = false;
    fw->cores = 0;
    fw->identity_hidden = false;
    set_identity(fw);
}

int firmware_place(struct firmware *fw)
{
    static const struct trench_bus_dev_ops ram_ops = { ram_read32,
                                                       ram_write32 };
    static const struct trench_bus_dev_ops scratch_ops = { scratch_read32,
                                                           scratch_write32 };
    const struct trench_bus_window ram = {
        .name = "MISC_RAM",
        .base = fw->gen->pci->misc_ram,
        .size_bytes = MISC_RAM_SIZE_BYTES,
        .ops = &ram_ops,
        .opaque = fw,
    };
    const struct trench_bus_window scratch = {
        .name = "EMU_SCRATCH",
        .base = fw->gen->reset_word,
        .size_bytes = 4,
        .ops = &scratch_ops,
        .opaque = fw,
    };
    int err = trench_bus_add_window(fw->bus, &ram);

    if (err || !scratch.base) {
        return err;
    }
    /* A chip without firmware answers there in its stead. */
    trench_bus_remove(fw->bus, scratch.base);
    return trench_bus_add_window(fw->bus, &scratch);
}
