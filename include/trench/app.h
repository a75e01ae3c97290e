/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The application engines of a channel: what a packet goes through between
 * its M2S and its S2M descriptors (common-blocks 3).
 *
 * DRE rearranges elements, CME copies and checks sums, CCE combines several
 * sources. A packet names its engine in the command words of its M2S
 * descriptors; what the engine makes of the sources is the stream that goes
 * into the S2M buffers.
 *
 * A packet that its engine does not take is answered with a stream error: it
 * uses no S2M descriptor, and is completed with ERROR. The reason is counted
 * as a trigger of the engine, but for CME, which has none.
 */
#ifndef TRENCH_APP_H
#define TRENCH_APP_H

#include <trench/soc.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Application engines. */
enum trench_app_engine {
    TRENCH_APP_NONE, /**< Also: a plain copy, which needs none. */
    TRENCH_APP_DRE,
    TRENCH_APP_CME,
    TRENCH_APP_CCE,
    TRENCH_NR_APP_ENGINES,
};

/**
 * Triggers of the application engines, in the order of the inputs of the
 * trigger block (address-map 6.3). None of them has an interrupt vector in
 * the model: they are counted and logged.
 */
enum trench_app_trigger {
    TRENCH_TRIGGER_DRE_ERG, /**< Memory errors: never. */
    TRENCH_TRIGGER_DRE_MEM_COLLISION,
    TRENCH_TRIGGER_DRE_COMMAND_PARSE,
    TRENCH_TRIGGER_CCE_ERG,
    TRENCH_TRIGGER_CCE_MEM_COLLISION,
    TRENCH_TRIGGER_CCE_COMMAND_PARSE,
    TRENCH_TRIGGER_CCE_META_UNDERFLOW,  /**< A source without its parameters. */
    TRENCH_TRIGGER_CCE_META_OVERFLOW,   /**< Parameters without a source. */
    TRENCH_TRIGGER_CCE_INPUT_CONVERTER, /**< Such packets are refused: never. */
    TRENCH_TRIGGER_CCE_OUTPUT_CONVERTER,
    TRENCH_TRIGGER_CCE_OUTPUT_INF,
    TRENCH_TRIGGER_CCE_OUTPUT_NAN,
    TRENCH_TRIGGER_CCE_OUTPUT_OVERFLOW,
    TRENCH_TRIGGER_CCE_OUTPUT_UNDERFLOW,
    TRENCH_TRIGGER_CCE_STOCHASTIC_NON_FP,
    TRENCH_TRIGGER_CCE_FMA,
    TRENCH_TRIGGER_CCE_DECOMPRESSION_UNDERFLOW, /**< No decompression: never. */
    TRENCH_TRIGGER_CCE_DECOMPRESSION_OVERFLOW,
    TRENCH_TRIGGER_CCE_A_AND_B_SELF_BUFFER,
    /** A command of no engine, or buffers with several commands. */
    TRENCH_TRIGGER_MISSING_ENGINE,
    TRENCH_NR_APP_TRIGGERS,
};

/**
 * The name of a trigger: "cce_command_parse", ...
 * @return a constant string; NULL when there is no such trigger.
 */
TRENCH_API const char *trench_app_trigger_name(unsigned trigger);

/** What the application engines of a channel have done. */
struct trench_app_stats {
    /** Packets that an engine took, by enum trench_app_engine; of CME, those
        that are more than a copy. */
    uint64_t packets[TRENCH_NR_APP_ENGINES];
    /** By enum trench_app_trigger; a packet counts once in each. */
    uint64_t triggers[TRENCH_NR_APP_TRIGGERS];
};

/**
 * Read the counters of an engine's application engines, since creation or
 * trench_soc_reset().
 * @param out  Receives them; untouched on failure.
 * @return 0, or TRENCH_ERR_NODEV when there is no such engine.
 */
TRENCH_API int trench_soc_app_stats(const struct trench_soc *soc,
                                    unsigned engine,
                                    struct trench_app_stats *out);

#ifdef __cplusplus
}
#endif

#endif /* TRENCH_APP_H */
