/* SPDX-License-Identifier: BSD-3-Clause */
/* The mailbox in host memory (host-driver 2.4). */
#include <isa-l/crc.h>

#include <inttypes.h>
#include <stddef.h>
#include <string.h>

#include "base/bits.h"
#include "base/le.h"
#include "dev/firmware.h"

/* Request: sequence, command, size, CRC, data. All little-endian. */
enum {
    REQ_SEQUENCE = 0,
    REQ_COMMAND = 1,
    REQ_SIZE = 2,
    REQ_CRC = 4,
    REQ_DATA = 8,
};

/* Response: sequence, error, size, data. */
enum {
    RSP_SEQUENCE = 0,
    RSP_ERROR = 1,
    RSP_SIZE = 2,
    RSP_DATA = 4,
};

enum mbox_error {
    MBOX_DONE = 0,
    MBOX_FAILED = 1,
    MBOX_UNKNOWN = 2,
};

/* Serves a request of size bytes in fw->mbox; the answer's data goes over it,
 * from RSP_DATA on. Adds to *size, the answer's. */
typedef enum mbox_error (*mbox_fn)(struct firmware *fw, uint32_t size,
                                   uint32_t *answer);

static uint64_t budget_stops(const struct firmware *fw)
{
    struct trench_soc_stats stats;

    trench_soc_stats(fw->soc, &stats);
    return stats.budget_stops;
}

/*
 * A word for each 64-bit address: the answer never overtakes the question.
 * Each read may let engines run; one request is not to get the budget of many.
 */
static enum mbox_error read_registers(struct firmware *fw, uint32_t size,
                                      uint32_t *answer)
{
    uint32_t nr = (size - REQ_DATA) / 8;
    uint64_t stops = budget_stops(fw);

    if ((size - REQ_DATA) % 8 != 0) {
        return MBOX_FAILED;
    }
    for (uint32_t i = 0; i < nr; i++) {
        uint64_t addr = le_get(fw->mbox + REQ_DATA + (size_t)i * 8, 8);
        uint32_t val;

        if (addr % 4 != 0 || trench_bus_read32(fw->bus, addr, &val) ||
            budget_stops(fw) != stops) {
            return MBOX_FAILED;
        }
        le_put(fw->mbox + RSP_DATA + (size_t)i * 4, 4, val);
    }
    *answer += nr * 4;
    return MBOX_DONE;
}

static enum mbox_error post_metric(struct firmware *fw, uint32_t size,
                                   uint32_t *answer)
{
    (void)answer;
    log_line(&fw->log, TRENCH_LOG_INFO, "firmware: %u bytes of metrics",
             (unsigned)(size - REQ_DATA));
    fw->metrics++;
    return MBOX_DONE;
}

static const mbox_fn commands[] = {
    [1] = read_registers,
    [2] = post_metric,
};

/* The whole buffer is in the window on host memory. */
static bool in_host(const struct firmware *fw, uint64_t addr, uint64_t len)
{
    uint64_t off = addr - fw->host_base;

    return off < fw->host_bytes && len <= fw->host_bytes - off;
}

static uint64_t address(const struct firmware *fw, uint32_t hi, uint32_t lo)
{
    return (uint64_t)firmware_word(fw, hi) << 32 | firmware_word(fw, lo);
}

static bool crc_is_right(struct firmware *fw, uint32_t size)
{
    uint32_t crc = (uint32_t)le_get(fw->mbox + REQ_CRC, 4);

    memset(fw->mbox + REQ_CRC, 0, 4);
    return crc == ~crc32_iscsi(fw->mbox, (int)size, UINT32_MAX);
}

/* The request; 0 = it cannot be read, or is not one. */
static uint32_t fetch(struct firmware *fw, uint64_t from)
{
    uint32_t size;

    if (!in_host(fw, from, REQ_DATA) ||
        trench_bus_read(fw->bus, TRENCH_BUS_SOFTWARE, from, fw->mbox,
                        REQ_DATA)) {
        return 0;
    }
    size = (uint32_t)le_get(fw->mbox + REQ_SIZE, 2);
    if (size < REQ_DATA || !in_host(fw, from, size) ||
        trench_bus_read(fw->bus, TRENCH_BUS_SOFTWARE, from, fw->mbox, size)) {
        return 0;
    }
    return size;
}

/* The sequence number last: it tells the driver that the rest is there. */
static bool answer(struct firmware *fw, uint64_t to, uint32_t size)
{
    return in_host(fw, to, size) &&
           !trench_bus_write(fw->bus, TRENCH_BUS_SOFTWARE, to + RSP_ERROR,
                             fw->mbox + RSP_ERROR, size - RSP_ERROR) &&
           !trench_bus_write(fw->bus, TRENCH_BUS_SOFTWARE, to, fw->mbox, 1);
}

static enum mbox_error serve(struct firmware *fw, uint32_t size,
                             uint32_t *answer_bytes)
{
    uint8_t command = fw->mbox[REQ_COMMAND];

    if (!crc_is_right(fw, size)) {
        return MBOX_FAILED;
    }
    if (command >= ARRAY_LEN(commands) || !commands[command]) {
        return MBOX_UNKNOWN;
    }
    return commands[command](fw, size, answer_bytes);
}

void firmware_mailbox(struct firmware *fw)
{
    uint64_t from =
        address(fw, MISC_RAM_MAILBOX_REQUEST_HI, MISC_RAM_MAILBOX_REQUEST_LO);
    uint64_t to =
        address(fw, MISC_RAM_MAILBOX_RESPONSE_HI, MISC_RAM_MAILBOX_RESPONSE_LO);
    uint32_t answer_bytes = RSP_DATA;
    uint32_t size = fetch(fw, from);
    enum mbox_error err;

    if (size > 0) {
        err = serve(fw, size, &answer_bytes);
        fw->mbox[RSP_ERROR] = (uint8_t)err;
        le_put(fw->mbox + RSP_SIZE, 2, err ? RSP_DATA : answer_bytes);
        if (answer(fw, to, err ? RSP_DATA : answer_bytes)) {
            fw->mailbox++;
            return;
        }
    }
    log_line(&fw->log, TRENCH_LOG_GUEST,
             "firmware: no mailbox request at 0x%" PRIx64
             ", or no room for the answer at 0x%" PRIx64,
             from, to);
    fw->mailbox_bad++;
}
