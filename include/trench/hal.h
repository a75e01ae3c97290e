/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The driver library: rings, descriptors, doorbells and completions of an
 * SDMA engine, over an operations table and nothing else. The same code
 * drives the model, a BAR mapped in a guest, or silicon.
 *
 * Order of calls
 *
 *     trench_hal_engine_open()            programs one engine
 *       trench_hal_queue_open()           rings of one queue pair
 *         trench_hal_copy() / _copy_sg()  writes descriptors, any number
 *         trench_hal_submit()             rings the bells, RX before TX
 *         trench_hal_poll() / _wait()     collects what has finished
 *       trench_hal_queue_close()
 *     trench_hal_engine_close()
 *
 * A copy is one or more packets: M2S descriptors that read and S2M
 * descriptors that write, at most 65,536 bytes each. Copies of one queue pair
 * finish in the order in which they were written. Every check is made before
 * the first descriptor or register is written, so a refused call changes
 * nothing.
 *
 * Nothing here waits without a deadline.
 *
 * An engine and its queues belong to one thread at a time; different engines
 * are independent as far as their operations are.
 */
#ifndef TRENCH_HAL_H
#define TRENCH_HAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <trench/bus.h>
#include <trench/error.h>
#include <trench/gen.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Most bytes of one descriptor (udma-engine 4.1: length 0 = 65,536). */
#define TRENCH_HAL_DESC_BYTES 65536u
/** Descriptors that stay free between tail and head (udma-engine B20). */
#define TRENCH_HAL_RING_GAP 16u
/** Ring length in descriptors: least, most, and the multiple it must be. */
#define TRENCH_HAL_RING_MIN  32u
#define TRENCH_HAL_RING_MAX  16777200u
#define TRENCH_HAL_RING_STEP 16u

/** Memory that both the processor and the engine can reach. */
struct trench_hal_mem {
    void *cpu;    /**< The processor's view. */
    uint64_t dma; /**< The engine's view: a bus address. */
    size_t size_bytes;
};

/** What the driver library needs from its surroundings. */
struct trench_hal_ops {
    /** Read a register. 0 or a negative enum trench_err. */
    int (*read32)(void *opaque, uint64_t addr, uint32_t *val);
    /** Write a register. 0 or a negative enum trench_err. */
    int (*write32)(void *opaque, uint64_t addr, uint32_t val);
    /**
     * Allocate zeroed memory; align is a power of two. Fills *out and returns
     * 0, or returns TRENCH_ERR_NOMEM.
     */
    int (*mem_alloc)(void *opaque, size_t size_bytes, size_t align,
                     struct trench_hal_mem *out);
    void (*mem_free)(void *opaque, const struct trench_hal_mem *mem);
    /** A clock that never goes back, in nanoseconds. */
    uint64_t (*now_ns)(void *opaque);
    /** Called between two polls while waiting; may be NULL. */
    void (*relax)(void *opaque);
};

struct trench_hal_engine; /* opaque */
struct trench_hal_queue;  /* opaque */

/** Which engine. Zero the struct first. */
struct trench_hal_engine_conf {
    const struct trench_hal_ops *ops; /**< Borrowed. */
    void *opaque;                     /**< Handed to the ops. */
    const struct trench_gen *gen;     /**< NULL = the default generation. */
    uint64_t base;                    /**< Address of the channel. */
    /**
     * Address of the application block, where the generation keeps it apart
     * (sunda): see trench_gen_block_base().
     */
    uint64_t app_base;
    /**
     * The engine serves a NeuronCore, as number lane (0 .. 15) of its engines.
     * Where the driver programs broadcast groups (sunda), open writes those
     * of the lane.
     */
    bool in_core;
    uint8_t lane;
    /**
     * Let a stale lap tag pass instead of stopping the engine, as the kernel
     * driver does on the engines of the NeuronCores (udma-engine 5.8.1).
     */
    bool ignore_ring_id;
};

/** Engine states (udma-engine B3). */
enum trench_hal_state {
    TRENCH_HAL_IDLE,   /**< Nothing to do, or stopped. */
    TRENCH_HAL_NORMAL, /**< Work in flight. */
    TRENCH_HAL_ABORT,  /**< Frozen by an error or a command. */
};

/** Commands of change_state (udma-engine B2). */
enum trench_hal_command {
    TRENCH_HAL_CMD_NORMAL,
    TRENCH_HAL_CMD_DISABLE,
    TRENCH_HAL_CMD_ABORT,
};

/** Error causes of an engine: secondary groups A and B (udma-engine 3.2). */
struct trench_hal_errors {
    uint32_t m2s;    /**< Cause bits of group A. */
    uint32_t s2m;    /**< Cause bits of group B. */
    uint32_t log[8]; /**< M2S log_0..3, S2M log_0..3. */
};

/**
 * Program an engine: the register sequence of the kernel driver
 * (udma-engine 5.8.1 steps 0 to 2, and 3 of sunda), then the command normal,
 * because close leaves an engine disabled. Queues are left without rings.
 *
 * @param conf  Copied; what it points to is borrowed until close.
 * @param out   Receives the engine; the caller owns it.
 *
 * @return 0 on success;
 *         TRENCH_ERR_INVAL   an operation is missing, lane is out of range, or
 *                            the generation needs app_base and it is 0 or not a
 *                            multiple of 4;
 *         TRENCH_ERR_NODEV   the version register does not read 4, or the
 *                            generation lacks a block that open programs;
 *         TRENCH_ERR_NOMEM   allocation failed;
 *         another code that read32 or write32 returned.
 */
TRENCH_API int trench_hal_engine_open(const struct trench_hal_engine_conf *conf,
                                      struct trench_hal_engine **out);

/**
 * Disable and release an engine; NULL is allowed. Its queues must be closed
 * first. Errors of the last register writes are not reported.
 */
TRENCH_API void trench_hal_engine_close(struct trench_hal_engine *engine);

/**
 * Read the engine's state, both sides folded as the kernel driver does.
 * @return 0 and *out set, or what read32 returned.
 */
TRENCH_API int trench_hal_engine_state(struct trench_hal_engine *engine,
                                       enum trench_hal_state *out);

/**
 * Give both sides a command, M2S first.
 * @return 0; TRENCH_ERR_INVAL for an unknown command; what write32 returned.
 */
TRENCH_API int trench_hal_engine_command(struct trench_hal_engine *engine,
                                         enum trench_hal_command command);

/**
 * Read the error causes and the error log, then clear both.
 * @return 0 and *out filled, or what an operation returned.
 */
TRENCH_API int trench_hal_engine_take_errors(struct trench_hal_engine *engine,
                                             struct trench_hal_errors *out);

/** Rings of a queue pair. Zero the struct first. */
struct trench_hal_queue_conf {
    unsigned index;      /**< 0 .. 15 */
    uint32_t tx_entries; /**< M2S ring; 0 = 1024. See TRENCH_HAL_RING_*. */
    uint32_t rx_entries; /**< S2M ring; 0 = as tx_entries. */
    /**
     * Do without completion rings and read the completion heads instead.
     * Errors are then known for the engine only, not for a packet.
     */
    bool no_comp_rings;
};

/**
 * Allocate and program the rings of a queue pair (udma-engine 5.8.2).
 *
 * @return 0 on success;
 *         TRENCH_ERR_INVAL  index past 15, a length outside its range or not
 *                           a multiple of 16;
 *         TRENCH_ERR_BUSY   the queue is open already;
 *         TRENCH_ERR_NOMEM  memory cannot be had, or is not 256-byte aligned;
 *         another code that an operation returned.
 */
TRENCH_API int trench_hal_queue_open(struct trench_hal_engine *engine,
                                     const struct trench_hal_queue_conf *conf,
                                     struct trench_hal_queue **out);

/** Stop, reset and release a queue pair; NULL is allowed. */
TRENCH_API void trench_hal_queue_close(struct trench_hal_queue *queue);

/**
 * Abandon everything in flight and start again at index 0, lap 1. Also the
 * way back after an error: once the queue is empty, and before it starts
 * again, the engine is set to normal. Reset the queue that met the error
 * first: the engine tries its packet again as soon as it runs.
 * @return 0, or what an operation returned.
 */
TRENCH_API int trench_hal_queue_reset(struct trench_hal_queue *queue);

/** One piece of memory, by bus address. */
struct trench_hal_seg {
    uint64_t addr;
    uint64_t len_bytes;
};

/** Options of a copy. */
enum trench_hal_copy_flags {
    /** Order the last packet's writes after all earlier ones. */
    TRENCH_HAL_WRITE_BARRIER = 1u << 0,
    /** Hold the first packet until all earlier ones have completed (DMB). */
    TRENCH_HAL_DMB = 1u << 1,
    /** Raise the completion interrupts of the last packet, both sides. */
    TRENCH_HAL_INTERRUPT = 1u << 2,
};

/**
 * Write the descriptors of a copy of any length and alignment. The engine
 * does not see them before trench_hal_submit().
 *
 * @param flags  enum trench_hal_copy_flags, or 0.
 *
 * @return number of packets (1 or more);
 *         TRENCH_ERR_INVAL  length 0, a range that wraps, or an unknown flag;
 *         TRENCH_ERR_NOSPC  the rings have no room; collect completions, or
 *                           open longer rings when nothing is in flight.
 */
TRENCH_API int trench_hal_copy(struct trench_hal_queue *queue, uint64_t dst,
                               uint64_t src, uint64_t len_bytes,
                               unsigned flags);

/**
 * The same from a list of pieces to a list of pieces (gather and scatter).
 * Both lists must hold the same number of bytes; empty pieces are skipped.
 *
 * @return as trench_hal_copy(); TRENCH_ERR_INVAL also when the sums differ.
 */
TRENCH_API int trench_hal_copy_sg(struct trench_hal_queue *queue,
                                  const struct trench_hal_seg *dst,
                                  size_t nr_dst,
                                  const struct trench_hal_seg *src,
                                  size_t nr_src, unsigned flags);

/**
 * Publish all descriptors written so far: RX doorbell, then TX doorbell.
 * @return packets published (0 when there was nothing), or what write32
 *         returned.
 */
TRENCH_API int trench_hal_submit(struct trench_hal_queue *queue);

/**
 * Collect finished packets and free their descriptors.
 * @return packets finished since the last call;
 *         TRENCH_ERR_IO  the oldest packet has finished with an error, the
 *                        engine has aborted (see
 *                        trench_hal_engine_take_errors()), or a completion
 *                        head is impossible. The queue needs
 *                        trench_hal_queue_reset();
 *         another code that read32 returned.
 */
TRENCH_API int trench_hal_poll(struct trench_hal_queue *queue);

/**
 * Poll until every submitted packet has finished.
 * @param timeout_ns  Deadline from now; 0 = look once.
 * @return 0; TRENCH_ERR_TIMEDOUT; otherwise as trench_hal_poll().
 */
TRENCH_API int trench_hal_wait(struct trench_hal_queue *queue,
                               uint64_t timeout_ns);

/** Packets submitted and not yet collected. */
TRENCH_API uint64_t
trench_hal_queue_in_flight(const struct trench_hal_queue *queue);

/** Descriptors that still fit, the smaller of both rings. */
TRENCH_API uint32_t
trench_hal_queue_space(const struct trench_hal_queue *queue);

/**
 * Operations over a bus: registers by trench_bus_read32() / _write32(),
 * memory out of one range of bus memory, the clock of the host.
 */
struct trench_hal_bus; /* opaque */

/**
 * @param bus         Borrowed.
 * @param mem_base    First byte that mem_alloc may hand out.
 * @param size_bytes  How much. The range must be bus memory.
 * @param out         Receives the binding; the caller owns it. Its address is
 *                    the opaque of trench_hal_bus_ops().
 * @return 0; TRENCH_ERR_FAULT when the range is not memory;
 *         TRENCH_ERR_NOMEM.
 */
TRENCH_API int trench_hal_bus_create(struct trench_bus *bus, uint64_t mem_base,
                                     uint64_t size_bytes,
                                     struct trench_hal_bus **out);

/** Release the binding; what it handed out must not be used any more. */
TRENCH_API void trench_hal_bus_destroy(struct trench_hal_bus *hb);

/** The operations table for a binding; valid for ever. */
TRENCH_API const struct trench_hal_ops *trench_hal_bus_ops(void);

#ifdef __cplusplus
}
#endif

#endif /* TRENCH_HAL_H */
