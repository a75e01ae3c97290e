/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the host does before a sequencer runs, and BEGIN with the cache's init
 * (iram-cache-idma 2.2, 1.12).
 */
#include "seq/icache_priv.h"

#include <stdlib.h>

#include "base/bits.h"
#include "seq/log_lines.h"
#include "tpb_xt_local_reg_gen.h"

#define GLR_KICK       TPB_XT_LOCAL_REG_GENERAL_LR(9)
#define GLR_BLOCK_SIZE TPB_XT_LOCAL_REG_GENERAL_LR(19)
#define CONTROL        TPB_XT_LOCAL_REG_HW_DECODE_CONTROL
#define CONTROL_MASK(block)                                                    \
    (((block)-1)                                                               \
     << TPB_XT_LOCAL_REG_HW_DECODE_CONTROL_IRAM_BLOCK_SIZE_MASK_SHIFT)
/* Kept when the mask is written: disable_hw_decode, instr_ordering_mode. */
#define CONTROL_KEEP                                                           \
    (TPB_XT_LOCAL_REG_HW_DECODE_CONTROL_DISABLE_HW_DECODE_MASK |               \
     TPB_XT_LOCAL_REG_HW_DECODE_CONTROL_INSTR_ORDERING_MODE_MASK)

#define ASSERT_DIVIDES  97u
#define ASSERT_EXPONENT 143u

#define DEFAULT_POLLS (1u << 20)
#define DEFAULT_SLOTS 8u
#define MIN_SLOTS     4u

int icache_assert(struct trench_icache *ic, const char *name, const char *file,
                  unsigned line)
{
    S_LOG(ic, S_ASSERT, name, file, line);
    ic->failed = (struct trench_icache_assert){ name, file, line };
    ic->cur_len = 0;
    return TRENCH_ERR_IO;
}

void trench_icache_assertion(const struct trench_icache *ic,
                             struct trench_icache_assert *out)
{
    *out = ic->failed;
}

int icache_read_local(struct trench_icache *ic, uint32_t offset, uint32_t *val)
{
    return trench_bus_read32(ic->conf.bus, ic->addr.local_reg + offset, val);
}

int icache_write_local(struct trench_icache *ic, uint32_t offset, uint32_t val)
{
    return trench_bus_write32(ic->conf.bus, ic->addr.local_reg + offset, val);
}

/* Whether a generation's local registers have one at an offset. */
static bool has_local(const struct trench_gen *gen, uint32_t offset)
{
    const struct trench_csr_block *block =
        trench_csr_builtin(gen->name, TRENCH_BLOCK_TPB_XT_LOCAL_REG);
    struct trench_csr_ref ref;

    return block && trench_csr_at(block, offset, &ref) == 0;
}

bool trench_icache_has_mailbox(const struct trench_gen *gen)
{
    return has_local(gen, GLR_KICK);
}

/* ---- checks -------------------------------------------------------------- */

static void fill_defaults(struct trench_icache_conf *conf)
{
    if (!conf->gen) {
        conf->gen = trench_gen_find(NULL);
    }
    if (!conf->region_bytes || !conf->free_geometry) {
        conf->region_bytes = TRENCH_ICACHE_REGION_BYTES;
    }
    conf->max_polls = conf->max_polls ? conf->max_polls : DEFAULT_POLLS;
    conf->ring_slots = conf->ring_slots ? conf->ring_slots : DEFAULT_SLOTS;
}

static bool conf_ok(const struct trench_icache_conf *conf)
{
    return conf->bus && (unsigned)conf->backend <= TRENCH_ICACHE_RING &&
           (unsigned)conf->words <= TRENCH_MAILBOX_SOURCE_FIRST &&
           (conf->prefetch & ~(unsigned)(TRENCH_ICACHE_PREFETCH_NEXT |
                                         TRENCH_ICACHE_PREFETCH_HINT)) == 0 &&
           is_power_of_two(conf->ring_slots) && conf->ring_slots >= MIN_SLOTS &&
           conf->ring_slots <= DRAM_RING_MAX_SLOTS &&
           conf->ring_queue < TRENCH_NR_QUEUES && conf->stream_base != 0 &&
           conf->stream_bytes != 0 &&
           conf->stream_bytes <= UINT64_MAX - conf->stream_base;
}

/* Of the largest power of two in a number that is not 0. */
static unsigned exponent_of(uint32_t n)
{
    unsigned exponent = 0;

    while (n >>= 1) {
        exponent++;
    }
    return exponent;
}

/* 1, 2, 4, 8 or 16 KiB (iram-cache-idma 1.12). */
static bool has_exponent(uint32_t block)
{
    return is_power_of_two(block) && block >= TRENCH_ICACHE_MIN_BLOCK &&
           block <= TRENCH_ICACHE_MAX_BLOCK;
}

static int check_geometry(struct trench_icache *ic)
{
    uint32_t region = ic->conf.region_bytes;

    if (ic->block == 0 || region % ic->block != 0) {
        (void)icache_assert(ic, "init", "cache.hpp", ASSERT_DIVIDES);
        return TRENCH_ERR_INVAL;
    }
    if (!ic->conf.free_geometry && !has_exponent(ic->block)) {
        (void)icache_assert(ic, "init", "cache.hpp", ASSERT_EXPONENT);
        return TRENCH_ERR_INVAL;
    }
    if (ic->conf.backend == TRENCH_ICACHE_RING &&
        ic->block > DRAM_RING_MAX_BYTES) {
        return TRENCH_ERR_INVAL;
    }
    if (ic->block % TRENCH_ICACHE_RECORD_BYTES != 0 ||
        region / ic->block > LINES_MAX ||
        ic->conf.stream_base % ic->block != 0) {
        return TRENCH_ERR_INVAL;
    }
    if ((ic->conf.prefetch & TRENCH_ICACHE_PREFETCH_HINT) &&
        region / ic->block > ICACHE_MAX_PUSHED) {
        return TRENCH_ERR_NOTSUP;
    }
    return 0;
}

/* ---- the host's part ----------------------------------------------------- */

/* The block size for BEGIN, and where the stream is for the agent (H141). */
static int host_prepare(struct trench_icache *ic)
{
    const struct trench_icache_conf *conf = &ic->conf;
    int err = 0;

    if (conf->block_bytes && has_local(ic->conf.gen, GLR_BLOCK_SIZE)) {
        err = icache_write_local(ic, GLR_BLOCK_SIZE, conf->block_bytes);
    }
    if (err || conf->backend != TRENCH_ICACHE_MAILBOX ||
        conf->words != TRENCH_MAILBOX_DESTINATION_FIRST) {
        return err;
    }
    err = icache_write_local(ic, TPB_XT_LOCAL_REG_NX_DMA_RX_BASE,
                             (uint32_t)conf->stream_base);
    return err ? err
               : icache_write_local(ic, TPB_XT_LOCAL_REG_NX_DMA_TX_BASE,
                                    (uint32_t)(conf->stream_base >> 32));
}

static int open_ring(struct trench_icache *ic)
{
    const struct trench_icache_conf *conf = &ic->conf;
    struct dram_ring_conf rc = {
        .bus = conf->bus,
        .queue = conf->ring_elsewhere ? conf->ring_queue : conf->seq,
        .slots = conf->ring_slots,
        .tx = ic->addr.dram + RING_TX,
        .rx = ic->addr.dram + RING_RX,
        .comp = ic->addr.dram + RING_COMP,
        .zero_asserts = conf->words == TRENCH_MAILBOX_DESTINATION_FIRST,
        .max_polls = conf->max_polls,
        .log = ic->log,
    };
    unsigned engine = conf->ring_elsewhere
                          ? conf->ring_engine
                          : conf->gen->refill_engines[conf->core];
    int err = trench_gen_engine_base(conf->gen, engine, false, &rc.engine);

    return err ? err : dram_ring_init(&ic->ring, &rc);
}

/* ---- BEGIN --------------------------------------------------------------- */

/* Read once: what the register holds later has no effect. */
static int read_block_size(struct trench_icache *ic)
{
    if (!has_local(ic->conf.gen, GLR_BLOCK_SIZE)) {
        ic->block = ic->conf.block_bytes;
        return 0;
    }
    return icache_read_local(ic, GLR_BLOCK_SIZE, &ic->block);
}

static int write_mask(struct trench_icache *ic)
{
    uint32_t word;
    int err;

    if (!has_local(ic->conf.gen, CONTROL)) {
        return 0;
    }
    err = icache_read_local(ic, CONTROL, &word);
    return err ? err
               : icache_write_local(ic, CONTROL,
                                    (word & CONTROL_KEEP) |
                                        CONTROL_MASK(ic->block));
}

static void write_control(struct trench_icache *ic)
{
    uint32_t per_line = ic->block / TRENCH_ICACHE_RECORD_BYTES;
    uint8_t *dram = ic->dram;

    put32(dram, BLOCK_SIZE, ic->block);
    dram[BACKEND] = ic->conf.backend == TRENCH_ICACHE_RING;
    dram[HW_DECODE_ACTIVE] = !ic->conf.sunda_mode;
    dram[STATE_MODE] = ic->conf.sunda_mode;
    dram[CTL_MODE] = ic->conf.sunda_mode;
    put32(dram, CTL_RECORDS, per_line);
    put32(dram, CTL_NR_RECORDS, per_line * ic->nr_lines);
    put32(dram, CTL_NR_LINES, ic->nr_lines);
    put32(dram, CTL_LINES, DRAM_ADDR + LINES);
    memset(dram + HINT_ARMED, 0, 2);
    memset(dram + HINTS, 0, HINT_HEADER + NR_HINTS * HINT_BYTES);
}

static int find_memory(struct trench_icache *ic)
{
    struct trench_bus *bus = ic->conf.bus;

    ic->dram = trench_bus_host(bus, ic->addr.dram, TRENCH_SEQ_DRAM_BYTES);
    ic->iram = trench_bus_host(bus, ic->addr.iram, ic->conf.region_bytes);
    return ic->dram && ic->iram ? 0 : TRENCH_ERR_FAULT;
}

/* Bounds are inclusive; the stream is made of whole records. */
static int set_bounds(struct trench_icache *ic)
{
    uint64_t last = ic->conf.stream_base + ic->conf.stream_bytes - 1;

    return trench_icache_bounds_enable(ic, ic->conf.stream_base,
                                       last | (TRENCH_ICACHE_RECORD_BYTES - 1));
}

static int begin(struct trench_icache *ic)
{
    int err = read_block_size(ic);

    if (err) {
        return err;
    }
    S_LOG(ic, S_BEGIN, ic->conf.gen->name);
    S_LOG(ic, ic->conf.sunda_mode ? S_SUNDA_MODE : S_HW_MODE);
    S_LOG(ic, S_INIT, ic->block);
    err = check_geometry(ic);
    if (!err) {
        err = find_memory(ic);
    }
    if (!err) {
        err = write_mask(ic);
    }
    if (err) {
        return err;
    }
    ic->nr_lines = ic->conf.region_bytes / ic->block;
    ic->guess_shift = exponent_of(ic->block);
    ic->mask = is_power_of_two(ic->block) ? ic->block - 1 : 0;
    write_control(ic);
    icache_clear(ic);
    return 0;
}

static int boot(struct trench_icache *ic)
{
    int err = trench_gen_seq_addr(ic->conf.gen, ic->conf.core, ic->conf.seq,
                                  &ic->addr);

    if (err) {
        return err;
    }
    if (ic->conf.backend == TRENCH_ICACHE_MAILBOX &&
        !trench_icache_has_mailbox(ic->conf.gen)) {
        return TRENCH_ERR_NOTSUP;
    }
    err = host_prepare(ic);
    if (!err) {
        err = begin(ic);
    }
    if (!err) {
        err = set_bounds(ic);
    }
    if (!err && ic->conf.backend == TRENCH_ICACHE_RING) {
        err = open_ring(ic);
    }
    return err;
}

int trench_icache_create(const struct trench_icache_conf *conf,
                         struct trench_icache_assert *failed,
                         struct trench_icache **out)
{
    struct trench_icache *ic = calloc(1, sizeof(*ic));
    int err;

    if (failed) {
        *failed = (struct trench_icache_assert){ 0 };
    }
    if (!ic) {
        return TRENCH_ERR_NOMEM;
    }
    ic->conf = *conf;
    fill_defaults(&ic->conf);
    if (ic->conf.gen->seq_firmware->logs) {
        ic->log = (struct logger){ conf->log, conf->log_opaque };
    }
    ic->backend =
        conf->backend == TRENCH_ICACHE_RING ? &ring_backend : &mailbox_backend;
    err = conf_ok(&ic->conf) ? boot(ic) : TRENCH_ERR_INVAL;
    if (err) {
        if (failed) {
            *failed = ic->failed;
        }
        free(ic);
        return err;
    }
    *out = ic;
    return 0;
}

void trench_icache_destroy(struct trench_icache *ic)
{
    if (ic && ic->conf.backend == TRENCH_ICACHE_RING) {
        (void)dram_ring_stop(&ic->ring);
    }
    free(ic);
}

int trench_icache_reset(struct trench_icache *ic)
{
    icache_clear(ic);
    return ic->conf.backend == TRENCH_ICACHE_RING ? dram_ring_reset(&ic->ring)
                                                  : 0;
}
