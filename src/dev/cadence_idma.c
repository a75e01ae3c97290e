/* SPDX-License-Identifier: BSD-3-Clause */
#include "dev/cadence_idma.h"

#include <endian.h>
#include <string.h>

#include "base/bits.h"
#include "cadence_idma_gen.h"

#define REG(name) CADENCE_IDMA_IDMA_##name

/* CONTROL (4.2). */
enum command {
    COMMAND_DISABLE,
    COMMAND_ENABLE,
    COMMAND_PAUSE,
};

#define STEPS_PER_ACCESS (1u << 16)
#define MAX_TRIGGERS     15u /* H157 */
#define MAX_JUMPS        64u /* in a row; more is a loop (H156) */
#define CHUNK_BYTES      4096u

static void fail(struct cadence_idma *dev, uint32_t error)
{
    dev->state = CADENCE_IDMA_ERROR;
    dev->error = error;
    dev->loaded = false;
    if (dev->conf.irq) {
        dev->conf.irq(dev->conf.opaque, CADENCE_IDMA_IRQ_ERROR);
    }
}

/* ---- descriptors --------------------------------------------------------- */

/* What the bus refused: an address where nothing is, or data. */
static uint32_t bus_error(int err, uint32_t addr_error, uint32_t data_error)
{
    return err == TRENCH_ERR_FAULT ? addr_error : data_error;
}

/* Returns 0 or an error. The control word decides how much to read. */
static uint32_t fetch(struct cadence_idma *dev, uint32_t words[16])
{
    uint32_t size = 4;
    int err = 0;

    memset(words, 0, 16 * sizeof(*words));
    for (unsigned pass = 0; pass < 2 && !err; pass++) {
        err = trench_bus_read(dev->conf.bus, dev->conf.initiator, dev->next,
                              words, size);
        size = cadence_desc_size(le32toh(words[0]));
        size = size ? size : 16; /* as much as any has */
    }
    if (err) {
        return bus_error(err, CADENCE_IDMA_ERR_FETCH_ADDR,
                         CADENCE_IDMA_ERR_FETCH_DATA);
    }
    for (unsigned i = 0; i < 16; i++) {
        words[i] = le32toh(words[i]);
    }
    return 0;
}

/* Fetch, following jumps, up to a descriptor that moves something. */
static uint32_t load(struct cadence_idma *dev)
{
    uint32_t words[16];
    uint32_t error;

    for (unsigned jumps = 0; jumps <= MAX_JUMPS; jumps++) {
        dev->curr_desc = dev->next;
        error = fetch(dev, words);
        if (error) {
            return error;
        }
        dev->desc_type = words[0];
        if ((words[0] & CADENCE_IDMA_TYPE_MASK) != CADENCE_IDMA_JUMP) {
            dev->src = words[1];
            dev->dst = words[2];
            dev->row = 0;
            dev->tile = 0;
            error = cadence_desc_decode(words, &dev->move);
            dev->loaded = error == 0;
            return error;
        }
        dev->next = words[1];
    }
    return CADENCE_IDMA_ERR_DESC_BAD_PARAMS;
}

/* One row, through a buffer: either end may be registers. */
static uint32_t move_row(struct cadence_idma *dev)
{
    struct trench_bus *bus = dev->conf.bus;
    uint32_t initiator = dev->conf.initiator;
    uint8_t chunk[CHUNK_BYTES];
    int err;

    for (uint32_t at = 0; at < dev->move.row_bytes; at += CHUNK_BYTES) {
        uint32_t len = min_u32(CHUNK_BYTES, dev->move.row_bytes - at);

        err = trench_bus_read(bus, initiator, dev->src + at, chunk, len);
        if (err) {
            return bus_error(err, CADENCE_IDMA_ERR_READ_ADDR,
                             CADENCE_IDMA_ERR_READ_DATA);
        }
        err = trench_bus_write(bus, initiator, dev->dst + at, chunk, len);
        if (err) {
            return bus_error(err, CADENCE_IDMA_ERR_WRITE_ADDR,
                             CADENCE_IDMA_ERR_WRITE_DATA);
        }
    }
    return 0;
}

/* Where the row in progress begins; sums wrap as 64-bit addresses do. */
static void place_row(struct cadence_idma *dev)
{
    const struct cadence_idma_move *m = &dev->move;

    dev->src = m->src + (uint64_t)m->src_pitch * dev->row +
               (uint64_t)((int64_t)m->src_tile_pitch * (int64_t)dev->tile);
    dev->dst = m->dst + (uint64_t)m->dst_pitch * dev->row +
               (uint64_t)((int64_t)m->dst_tile_pitch * (int64_t)dev->tile);
}

static void finish(struct cadence_idma *dev)
{
    uint32_t control = dev->desc_type;

    dev->loaded = false;
    dev->next += dev->move.size_bytes;
    dev->num_desc--;
    if (dev->num_desc == 0) {
        dev->state = CADENCE_IDMA_DONE;
    }
    if ((control & CADENCE_IDMA_SEND_TRIGGER) && dev->conf.trigger) {
        dev->conf.trigger(dev->conf.opaque);
    }
    if ((control & CADENCE_IDMA_INTERRUPT) && dev->conf.irq) {
        dev->conf.irq(dev->conf.opaque, CADENCE_IDMA_IRQ_DONE);
    }
}

/* ---- running ------------------------------------------------------------- */

/* The first row of a descriptor may have to wait for a trigger. */
static bool held(struct cadence_idma *dev)
{
    if (dev->row > 0 || dev->tile > 0 ||
        !(dev->desc_type & CADENCE_IDMA_WAIT_TRIGGER)) {
        return false;
    }
    if (dev->triggers == 0) {
        return true;
    }
    dev->triggers--;
    dev->desc_type &= ~CADENCE_IDMA_WAIT_TRIGGER; /* has been waited for */
    return false;
}

/* One row; what it cost, 0 when there is nothing to do now. */
static uint64_t step(struct cadence_idma *dev)
{
    uint32_t error = 0;
    uint64_t cost;

    if (dev->control != COMMAND_ENABLE || dev->num_desc == 0 ||
        dev->state == CADENCE_IDMA_ERROR) {
        return 0;
    }
    dev->state = CADENCE_IDMA_BUSY;
    if (!dev->loaded) {
        error = load(dev);
    }
    if (!error && held(dev)) {
        return 0;
    }
    if (!error) {
        place_row(dev);
        error = move_row(dev);
        if (!dev->loaded) {
            return 1; /* the row was a write to these registers */
        }
    }
    if (error) {
        fail(dev, error);
        return 1;
    }
    cost = 1 + dev->move.row_bytes / CHUNK_BYTES;
    if (++dev->row == dev->move.rows) {
        dev->row = 0;
        dev->tile++;
    }
    if (dev->tile == dev->move.tiles) {
        finish(dev);
    }
    return cost;
}

uint64_t cadence_idma_run(struct cadence_idma *dev, uint64_t steps)
{
    uint64_t done = 0;
    uint64_t cost;

    if (dev->running) {
        return 0; /* a row that lands in these registers */
    }
    dev->running = true;
    do {
        cost = done < steps ? step(dev) : 0;
        done += cost;
    } while (cost > 0);
    dev->running = false;
    return done;
}

static void poke(struct cadence_idma *dev)
{
    if (!dev->conf.stepped) {
        cadence_idma_run(dev, STEPS_PER_ACCESS);
    }
}

void cadence_idma_trigger(struct cadence_idma *dev)
{
    if (dev->triggers == MAX_TRIGGERS) {
        fail(dev, CADENCE_IDMA_ERR_TRIG_OVFL);
        return;
    }
    dev->triggers++;
    poke(dev);
}

/* ---- registers ----------------------------------------------------------- */

static void disable(struct cadence_idma *dev)
{
    bool copying = dev->state == CADENCE_IDMA_BUSY;

    dev->state = copying ? CADENCE_IDMA_HALT : CADENCE_IDMA_IDLE;
    dev->error = 0;
    dev->num_desc = 0;
    dev->triggers = 0;
    dev->loaded = false;
}

static void enable(struct cadence_idma *dev)
{
    if (dev->state == CADENCE_IDMA_IDLE || dev->state == CADENCE_IDMA_HALT) {
        dev->state = CADENCE_IDMA_STANDBY;
        if (dev->settings & REG(SETTINGS_FETCH_START_MASK)) {
            dev->next = dev->desc_start;
        }
    }
}

static void write_control(struct cadence_idma *dev, uint32_t val)
{
    dev->control = val & REG(CONTROL_VAL_MASK);
    if (dev->control == COMMAND_DISABLE) {
        disable(dev);
    } else if (dev->control == COMMAND_ENABLE) {
        enable(dev);
    }
}

static void write_desc_inc(struct cadence_idma *dev, uint32_t val)
{
    if (val > UINT32_MAX - dev->num_desc) {
        fail(dev, CADENCE_IDMA_ERR_DESC_OVFL);
        return;
    }
    dev->num_desc += val;
}

static void write_settings(struct cadence_idma *dev, uint32_t val)
{
    dev->settings =
        val & (REG(SETTINGS_MAX_BLOCK_MASK) | REG(SETTINGS_HALT_ON_OCD_MASK) |
               REG(SETTINGS_FETCH_START_MASK) | REG(SETTINGS_OUTSTANDING_MASK) |
               REG(SETTINGS_BUNDLE_MASK));
}

static void write_timeout(struct cadence_idma *dev, uint32_t val)
{
    dev->timeout = val;
}

static void write_desc_start(struct cadence_idma *dev, uint32_t val)
{
    dev->desc_start = val;
}

static void write_userpriv(struct cadence_idma *dev, uint32_t val)
{
    dev->userpriv = val;
}

/* Status is put together from its parts; the others are words. */
static uint32_t read_status(const struct cadence_idma *dev)
{
    return (uint32_t)dev->state << REG(STATUS_STATE_SHIFT) |
           dev->error << REG(STATUS_ERROR_SHIFT);
}

static uint32_t read_src(const struct cadence_idma *dev)
{
    return (uint32_t)dev->src;
}

static uint32_t read_dst(const struct cadence_idma *dev)
{
    return (uint32_t)dev->dst;
}

#define READ_WORD(name)                                                        \
    static uint32_t read_##name(const struct cadence_idma *dev)                \
    {                                                                          \
        return dev->name;                                                      \
    }
READ_WORD(settings)
READ_WORD(timeout)
READ_WORD(desc_start)
READ_WORD(num_desc)
READ_WORD(control)
READ_WORD(userpriv)
READ_WORD(curr_desc)
READ_WORD(desc_type)
#undef READ_WORD

struct reg {
    uint32_t offset;
    uint32_t (*read)(const struct cadence_idma *dev);      /* NULL = 0 */
    void (*write)(struct cadence_idma *dev, uint32_t val); /* NULL = RO */
};

static const struct reg regs[] = {
    { REG(SETTINGS), read_settings, write_settings },
    { REG(TIMEOUT), read_timeout, write_timeout },
    { REG(DESC_START), read_desc_start, write_desc_start },
    { REG(NUM_DESC), read_num_desc, NULL },
    { REG(DESC_INC), NULL, write_desc_inc },
    { REG(CONTROL), read_control, write_control },
    { REG(USERPRIV), read_userpriv, write_userpriv },
    { REG(STATUS), read_status, NULL },
    { REG(CURR_DESC), read_curr_desc, NULL },
    { REG(DESC_TYPE), read_desc_type, NULL },
    { REG(SRC_ADDR), read_src, NULL },
    { REG(DST_ADDR), read_dst, NULL },
};

/* NULL where there is no register: reads 0, ignores writes. */
static const struct reg *reg_at(uint64_t offset)
{
    for (size_t i = 0; i < ARRAY_LEN(regs); i++) {
        if (regs[i].offset == offset) {
            return &regs[i];
        }
    }
    return NULL;
}

static int idma_read32(void *opaque, uint64_t offset, uint32_t *val)
{
    const struct reg *reg = reg_at(offset);
    struct cadence_idma *dev = opaque;

    poke(dev);
    *val = reg && reg->read ? reg->read(dev) : 0;
    return 0;
}

static int idma_write32(void *opaque, uint64_t offset, uint32_t val)
{
    const struct reg *reg = reg_at(offset);
    struct cadence_idma *dev = opaque;

    if (reg && reg->write) {
        reg->write(dev, val);
    }
    poke(dev);
    return 0;
}

const struct trench_bus_dev_ops cadence_idma_ops = {
    .read32 = idma_read32,
    .write32 = idma_write32,
};

void cadence_idma_init(struct cadence_idma *dev,
                       const struct cadence_idma_conf *conf)
{
    memset(dev, 0, sizeof(*dev));
    dev->conf = *conf;
}
