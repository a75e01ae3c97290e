/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Generations: everything that differs between chips, as constant data.
 *
 * Code never asks which generation it runs on; it reads a field of the
 * description. Sources are named by row in src/gen/.
 */
#ifndef TRENCH_GEN_H
#define TRENCH_GEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <trench/csr.h>
#include <trench/error.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Queues of one direction of one engine (udma-engine B10). */
#define TRENCH_NR_QUEUES 16

/** What a memory window is made of. */
enum trench_mem_kind {
    TRENCH_MEM_HBM,
    TRENCH_MEM_SBUF, /**< 128 partitions with a gap behind each. */
    TRENCH_MEM_PSUM,
    TRENCH_MEM_HOST, /**< The host's memory, seen through PCIe. */
};

/** A kind's name: "hbm", "sbuf", "psum", "host". */
TRENCH_API const char *trench_mem_kind_name(enum trench_mem_kind kind);

/** A window of memory that a descriptor may address. */
struct trench_gen_mem {
    const char *name; /**< "HBM_0", ... */
    enum trench_mem_kind kind;
    uint64_t base;
    uint64_t size_bytes;   /**< Of the window; host memory: its most. */
    uint32_t stride_bytes; /**< Partition stride, 0 = one piece. */
    uint32_t valid_bytes;  /**< Populated part of each partition. */
    uint64_t alias;        /**< Second base of the same memory, or 0. */
};

/** What a window of the address space is. */
enum trench_window_kind {
    TRENCH_WINDOW_MEMORY,
    TRENCH_WINDOW_MIXED,     /**< Memory and registers. */
    TRENCH_WINDOW_APB,       /**< Registers behind the APB fabric. */
    TRENCH_WINDOW_DEVICE,    /**< Registers of one device. */
    TRENCH_WINDOW_HOST,      /**< Outbound PCIe, to the host. */
    TRENCH_WINDOW_NEIGHBOUR, /**< Outbound PCIe, to another chip. */
    TRENCH_WINDOW_RESERVED,
};

/** A kind's name: "memory", "mixed", "APB", ... */
TRENCH_API const char *trench_window_kind_name(enum trench_window_kind kind);

/** What the number of a window or register array counts. */
enum trench_index {
    TRENCH_INDEX_NONE,
    TRENCH_INDEX_ENGINE,
    TRENCH_INDEX_CORE, /**< NeuronCore. */
    TRENCH_INDEX_LANE, /**< Engine within its NeuronCore. */
    TRENCH_INDEX_QUEUE,
    TRENCH_INDEX_HBM,
    TRENCH_INDEX_PARTITION, /**< Of the state buffer. */
    TRENCH_INDEX_EVENT,
    TRENCH_INDEX_SEMAPHORE,
    TRENCH_INDEX_TOP_SP,
    TRENCH_INDEX_NEIGHBOUR, /**< Link to another chip. */
    TRENCH_NR_INDEXES,
};

/** Devices beside the channels that the model builds from a window. */
enum trench_node {
    TRENCH_NODE_NONE,
    TRENCH_NODE_GROUP_MASK, /**< papb_bcast of an engine. */
    TRENCH_NODE_SYNC,       /**< Events and semaphores. */
    TRENCH_NODE_LOCAL_REG,  /**< Local registers of a TOP_SP. */
    TRENCH_NODE_FIREWALL,   /**< An apbblk. */
    TRENCH_NODE_CME,        /**< Application engines of a channel. */
    TRENCH_NODE_DRE,
    TRENCH_NODE_CCE,
    TRENCH_NR_NODES,
};

/**
 * A window of the address space, or an equidistant run of them, whether the
 * model implements it or not. Windows nest.
 */
struct trench_gen_window {
    /** "APB_SE_", "INC": see number. A final '_' takes the number, "APB_SE_2";
     *  without it a run is an array, "INC[2]". */
    const char *name;
    uint64_t base;         /**< Address; inside another: the offset in it. */
    uint64_t size_bytes;   /**< Of one. */
    uint64_t stride_bytes; /**< One to the next, when count > 1. */
    uint16_t count;        /**< 0 = 1. */
    uint16_t number;       /**< Of the first one. */
    uint16_t per_outer;    /**< What to add for each number of the outer. */
    uint8_t kind;          /**< enum trench_window_kind */
    uint8_t index;         /**< enum trench_index: what the number counts. */
    bool modelled;         /**< The model answers in all of it. */
    uint8_t node;          /**< enum trench_node: what the model builds. */
    const char *block;     /**< Register map in it, by name, or NULL. */
    const struct trench_gen_window *inside; /**< By offset. */
    size_t nr_inside;
};

/** A window of a PCIe BAR. */
struct trench_gen_bar {
    const char *function; /**< "main", "amzn0", ... */
    uint8_t bar;
    uint64_t offset; /**< In the BAR. */
    uint64_t size_bytes;
    uint64_t addr;    /**< What is seen there. */
    const char *name; /**< Of the window. */
};

/** A product with a generation's chip, as PCI tells them apart. */
struct trench_gen_pci_id {
    uint16_t device;
    const char *name; /**< "trn1", ... */
};

/** Revisions of the PCI function by which a driver chooses its mode. */
enum trench_pci_revision {
    TRENCH_PCI_REVISION_EMULATOR = 240, /**< A hardware emulator. */
    TRENCH_PCI_REVISION_QEMU = 255,     /**< A model. */
    /* Any other is silicon; see trench_gen_pci.silicon_revision. */
};

/**
 * What the PCI function looks like (host-driver 1), and where the words are
 * that firmware and host share. What its BARs show is in trench_gen.bars, of
 * the function "main".
 */
struct trench_gen_pci {
    uint16_t vendor;
    const struct trench_gen_pci_id *ids; /**< The usual one first. */
    size_t nr_ids;
    uint32_t class_code;      /**< Three bytes: base class, sub-class, 0. */
    uint8_t silicon_revision; /**< Not known: any but the two above. */
    /** Registers, in BAR 0 of trench_gen.bars; a model shows them elsewhere. */
    uint8_t register_bar;
    uint8_t qemu_register_bar;
    uint64_t register_bar_bytes;
    uint8_t memory_bar; /**< Its size is the device's own choice. */
    uint64_t misc_ram;  /**< Address of the shared words. */
    /** Core map of a reset request: cores from bit 0, their TOP_SPs here. */
    uint8_t reset_top_sp_lsb;
    uint8_t top_sps_per_core; /**< 0 = the layout is another. */
};

/** A field of an address. */
struct trench_gen_bits {
    const char *name;
    uint8_t lsb;
    uint8_t width;
};

/** One reading of the upper address bits. */
struct trench_gen_view {
    const char *name;
    const struct trench_gen_bits *bits; /**< Lowest first. */
    size_t nr_bits;
};

/** A run of channels at a fixed stride, on one route. */
struct trench_gen_cluster {
    const char *name;      /**< "APB_SE_0", ... */
    uint64_t base;         /**< First channel. */
    uint32_t stride_bytes; /**< One channel to the next. */
    uint16_t nr_channels;
    uint16_t first_engine;    /**< Engine id of the first channel. */
    const char *const *names; /**< Of its channels; NULL = SDMA_<n>. */
    uint8_t die;
    bool privileged;      /**< The bit-53 route to the same engines. */
    uint16_t bcast_every; /**< A broadcast node every n channels, or 0. */
    uint8_t part;         /**< Which units its channels carry. */
    /** What else a channel holds, not modelled; offsets in the channel. */
    const struct trench_gen_window *inside;
    size_t nr_inside;
};

/**
 * Where a block sits in a channel. A generation may keep the parts of a
 * channel in windows of their own, each with its clusters: part 0 is the
 * UDMA, part 1 the application block.
 */
struct trench_gen_unit {
    const char *name; /**< Of the node: "UDMA_M2S", ... */
    enum trench_block_id block;
    uint32_t offset;
    uint32_t size_bytes;
    bool broadcast; /**< Also present in the broadcast mirror. */
    uint8_t part;
};

/**
 * A block list, and the register accesses that pass it: those whose address
 * lies in the first range, in the order of the generation's table, that holds
 * it.
 */
struct trench_gen_firewall {
    uint64_t base; /**< Of its registers. */
    uint64_t first;
    uint64_t size_bytes;
};

/** Doorbells of a TOP_SP (ncfw-steps 4.2). */
enum trench_bell {
    TRENCH_BELL_INIT,
    TRENCH_BELL_TSYNC,
    TRENCH_BELL_HOST_TRIGGER,
    TRENCH_BELL_STOP,
    TRENCH_BELL_BBSWITCH,
    TRENCH_NR_BELLS,
};

/** Whose events and semaphores. */
enum trench_sync_owner {
    TRENCH_SYNC_CORE,   /**< NeuronCore, by number. */
    TRENCH_SYNC_TOP_SP, /**< TOP_SP, as firmware numbers them. */
};

/** Parts of an event and semaphore block (ncfw-steps 4.3). */
enum trench_sync_part {
    TRENCH_SYNC_EVENT, /**< The event's word. */
    TRENCH_SYNC_READ,  /**< A semaphore's value. */
    TRENCH_SYNC_SET,   /**< A write replaces the value, */
    TRENCH_SYNC_INC,   /**< adds to it, */
    TRENCH_SYNC_DEC,   /**< or takes away from it. */
    TRENCH_NR_SYNC_PARTS,
};

/** Events, and semaphores, of one block. */
#define TRENCH_NR_SYNC 256

/**
 * How the words of the fill mailbox are read. The documents disagree on which
 * side the two address words name.
 */
enum trench_mailbox_words {
    /** seed 003 3a: destination low, high; offset in the stream. */
    TRENCH_MAILBOX_DESTINATION_FIRST,
    /** iram-cache-idma 3.2: source low, high; offset in the IRAM. */
    TRENCH_MAILBOX_SOURCE_FIRST,
};

/**
 * A sequencer of a NeuronCore: the kind of core that has an instruction
 * cache. Offsets are from the base of the NeuronCore's TPB window.
 */
struct trench_gen_seq {
    const char *name;   /**< "pe", "act", "pool", "dve", "sp" */
    uint64_t iram;      /**< Instruction RAM of the sequencer. */
    uint64_t dram;      /**< Data RAM of the core that runs the firmware. */
    uint64_t local_reg; /**< tpb_xt_local_reg */
};

/** Bytes of the sequencer's instruction RAM, and of the core's data RAM. */
#define TRENCH_SEQ_IRAM_BYTES 0x8000u
#define TRENCH_SEQ_DRAM_BYTES 0x10000u

/** What the firmware of a generation calls its parts (seed 003 7). */
struct trench_gen_seq_firmware {
    const char *dma_source; /**< "iram_dma.hpp" */
    const char *prepare;    /**< "wait_for_cache_line" */
    const char *rotate;     /**< "replace" */
    const char *wrap;       /**< "DramRingDMA::allocate" */
    bool logs;              /**< Its debug build prints 'S:' lines. */
};

/** Register words that the driver library programs at engine start. */
struct trench_gen_init {
    uint32_t m2s_data_cfg;
    uint32_t m2s_ostand_cfg;
    uint32_t s2m_ostand_cfg_rd;
    uint32_t s2m_ostand_cfg_wr;
    uint32_t s2m_ostand_wr_next; /**< The word after it; 0 = left alone. */
    uint32_t rob_txdf; /**< 0 = the generation has no such register. */
    /** Lanes that end a broadcast chain, a bit each; 0 = groups left alone. */
    uint32_t bcast_last_lanes;
    uint32_t axi_error_entry;  /**< 0 = the AXI error policy is left alone. */
    uint32_t axi_error_action; /**< Of each class of AXI error. */
    uint32_t axi_timeout;      /**< At the end, in clocks. */
};

/** Queue bundles of a collective step (ncfw-steps 0). */
#define TRENCH_NR_BUNDLES 8

/** Engine ids in a row of a mesh table. */
#define TRENCH_MESH_ROW 4

/** What the management firmware (NCFW) works with; see trench/ncfw.h. */
struct trench_gen_ncfw {
    /** Static allocation bitmap, a word a queue bundle. */
    uint64_t alloc[TRENCH_NR_BUNDLES];
    /** Engine ids of a mesh, -1 = none; NULL = not known. */
    const int32_t (*mesh)[TRENCH_MESH_ROW];
    size_t nr_mesh;
    uint8_t arch_id;
    uint16_t nr_mesh_events; /**< In its context. */
    uint32_t dram_bytes;     /**< Its data memory, as an image. */
    uint32_t dram_first;     /**< First word of the image ... */
    uint32_t dram_dispatch;  /**< ... and of the table at 0xB0; 0 = none. */
};

/** One generation. Its register maps: trench_csr_builtin(name, ...). */
struct trench_gen {
    const char *name;  /**< "cayman", ... */
    const char *title; /**< For people: product and core version. */
    uint16_t nr_engines;
    uint16_t nr_cores;         /**< NeuronCores. */
    uint16_t engines_per_core; /**< Engine e serves NeuronCore e / this. */
    uint32_t bcast_offset;     /**< Of the broadcast mirror in a channel. */
    uint16_t bcast_lanes;      /**< Engines behind one broadcast node. */
    const struct trench_gen_unit *units;
    size_t nr_units;
    const struct trench_gen_cluster *clusters;
    size_t nr_clusters;
    const struct trench_gen_mem *mems;
    size_t nr_mems;
    const struct trench_gen_window *windows; /**< By address, disjoint. */
    size_t nr_windows;
    const struct trench_gen_bar *bars;
    size_t nr_bars;
    const struct trench_gen_pci *pci; /**< NULL = not known. */
    const struct trench_gen_view *views;
    size_t nr_views;
    /** Bits of an address; 0 = the generation has no such thing. */
    uint8_t die_bit;
    uint8_t privileged_bit;
    uint8_t chip_lsb; /**< Identifier of a chip ... */
    uint8_t chip_width;
    uint8_t chip_valid_bit; /**< ... which counts when this is set. */
    /** Word through which a driver resets a simulated device, or 0. */
    uint64_t reset_word;
    const struct trench_gen_firewall *firewalls;
    size_t nr_firewalls;
    /** TOP_SPs that firmware uses: the first ones of each die. */
    uint16_t nr_top_sps;
    uint16_t top_sps_per_die;
    uint32_t bells[TRENCH_NR_BELLS];   /**< In the TOP_SP; 0 = not known. */
    const struct trench_gen_seq *seqs; /**< Of each NeuronCore. */
    size_t nr_seqs;
    const struct trench_gen_seq_firmware *seq_firmware;
    const uint16_t *refill_engines; /**< For instruction fetch, by core. */
    uint16_t cce_elements; /**< Of each source of a CCE packet, at most. */
    bool cce_replicates;   /**< Its result may be copied (common-blocks 3.4). */
    struct trench_gen_init init;
    const struct trench_gen_ncfw *ncfw;
};

/**
 * Look a generation up.
 * @param name  "cayman", in any case; NULL = the default generation.
 * @return the description, valid for ever, or NULL when unknown.
 */
TRENCH_API const struct trench_gen *trench_gen_find(const char *name);

/**
 * The n-th known generation, for listing.
 * @return NULL past the end.
 */
TRENCH_API const struct trench_gen *trench_gen_at(size_t n);

/**
 * Base address of an engine: of part 0, the UDMA.
 *
 * @param gen         The generation.
 * @param engine      0 .. nr_engines-1.
 * @param privileged  Choose the privileged route.
 * @param out         Receives the address of the channel.
 * @return 0, or TRENCH_ERR_NODEV when there is no such engine or route.
 */
TRENCH_API int trench_gen_engine_base(const struct trench_gen *gen,
                                      unsigned engine, bool privileged,
                                      uint64_t *out);

/**
 * Address of a block of an engine, wherever the generation keeps it.
 *
 * @return 0, or TRENCH_ERR_NODEV when there is no such engine, route or block.
 */
TRENCH_API int trench_gen_block_base(const struct trench_gen *gen,
                                     unsigned engine,
                                     enum trench_block_id block,
                                     bool privileged, uint64_t *out);

/**
 * The address by which the chips of a pod reach one of them (address-map 3.1).
 *
 * @param chip   Its number.
 * @param local  Address on that chip, on the plain route; attribute bits stay.
 * @param out    Receives the address; untouched on failure.
 * @return 0;
 *         TRENCH_ERR_NOTSUP  this generation's way to name a chip is not known;
 *         TRENCH_ERR_NODEV   no chip can have that number;
 *         TRENCH_ERR_INVAL   local names a chip already, is on the privileged
 *                            route, or has bits above those of an address.
 */
TRENCH_API int trench_gen_chip_addr(const struct trench_gen *gen, unsigned chip,
                                    uint64_t local, uint64_t *out);

/**
 * Name of an engine: its cluster and channel on the plain route, e.g.
 * "APB_SE_0_SDMA_5" or "APB_IO_0_USER_IO_D2H".
 * @return length of the full text (as snprintf), or TRENCH_ERR_NODEV.
 */
TRENCH_API int trench_gen_engine_name(const struct trench_gen *gen,
                                      unsigned engine, char *buf, size_t size);

/**
 * Address of an event, or of a window on a semaphore (ncfw-steps 4.3).
 *
 * @param owner  Whose.
 * @param n      0 .. nr_cores-1, or 0 .. nr_top_sps-1.
 * @param id     0 .. TRENCH_NR_SYNC-1.
 * @param out    Receives the address; untouched on failure.
 * @return 0;
 *         TRENCH_ERR_NODEV  there is no such core or TOP_SP;
 *         TRENCH_ERR_INVAL  id, part or owner is out of its range.
 */
TRENCH_API int trench_gen_sync_addr(const struct trench_gen *gen,
                                    enum trench_sync_owner owner, unsigned n,
                                    enum trench_sync_part part, unsigned id,
                                    uint64_t *out);

/**
 * Address of a doorbell of a TOP_SP (ncfw-steps 4.2).
 *
 * @param top_sp  0 .. nr_top_sps-1.
 * @param out     Receives the address; untouched on failure.
 * @return 0;
 *         TRENCH_ERR_NODEV   there is no such TOP_SP;
 *         TRENCH_ERR_NOTSUP  this generation's place of it is not known;
 *         TRENCH_ERR_INVAL   there is no such doorbell.
 */
TRENCH_API int trench_gen_bell_addr(const struct trench_gen *gen,
                                    unsigned top_sp, enum trench_bell bell,
                                    uint64_t *out);

/** A doorbell's name: "init", "tsync", ...; NULL when there is none. */
TRENCH_API const char *trench_bell_name(enum trench_bell bell);
/** Where the parts of a sequencer are on the bus. */
struct trench_gen_seq_addr {
    uint64_t iram;
    uint64_t dram;
    uint64_t local_reg;
};

/**
 * Look a sequencer up by name, in any case.
 * @return its index, or TRENCH_ERR_NODEV.
 */
TRENCH_API int trench_gen_seq_find(const struct trench_gen *gen,
                                   const char *name);

/**
 * Addresses of a sequencer.
 * @param core  0 .. nr_cores-1.
 * @param seq   0 .. nr_seqs-1.
 * @return 0, or TRENCH_ERR_NODEV when there is no such core or sequencer.
 */
TRENCH_API int trench_gen_seq_addr(const struct trench_gen *gen, unsigned core,
                                   unsigned seq,
                                   struct trench_gen_seq_addr *out);

#ifdef __cplusplus
}
#endif

#endif /* TRENCH_GEN_H */
