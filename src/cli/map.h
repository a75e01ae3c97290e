/* SPDX-License-Identifier: BSD-3-Clause */
/* trench map: what its parts share. */
#ifndef TRENCH_CLI_MAP_H
#define TRENCH_CLI_MAP_H

#include <trench/map.h>

#include "cli.h"

/** Enough for any full name. */
#define MAP_NAME_BYTES 256

/** The name of an address' innermost node; "" at the top. */
struct map_name {
    char s[MAP_NAME_BYTES];
};

struct map_name map_full_name(const struct trench_map_info *info);

/** "nothing in APB_SE_0_SDMA_0 from ... to ...; before it ..., after it ...".
 */
struct map_hole {
    char s[4 * MAP_NAME_BYTES];
};

struct map_hole map_hole_text(const struct trench_gen *gen,
                              const struct trench_map_info *info);

/** "engine 5 of NeuronCore 0, M2S queue 5, TDRTP_inc, plain route". */
struct map_what {
    char s[2 * MAP_NAME_BYTES];
};

struct map_what map_what_text(const struct trench_map_info *info);

/** "plain route", "broadcast to engines 0-15, privileged route". */
struct map_route {
    char s[64];
};

struct map_route map_place_text(const struct trench_gen *gen,
                                const struct trench_map_place *place);

/** Everything of an address that is no hole, as text and as an object. */
void map_print(const struct trench_gen *gen,
               const struct trench_map_info *info);
json_t *map_json(const struct trench_gen *gen,
                 const struct trench_map_info *info);

/** The address has more than a place in it: routing, chip, attributes. */
bool map_has_bits(const struct trench_map_info *info);

/** Its fields, in each view of the generation. */
void map_print_bits(const struct trench_gen *gen, uint64_t addr);
json_t *map_bits_json(const struct trench_gen *gen, uint64_t addr);

/** Places that a name stands for. */
void map_print_places(const struct trench_gen *gen,
                      const struct trench_map_place *places, int nr);
json_t *map_places_json(const struct trench_map_place *places, int nr);

/** One table. */
struct map_table {
    const char *key; /**< In the JSON object. */
    void (*print)(const struct trench_gen *gen);
    json_t *(*json)(const struct trench_gen *gen);
};

extern const struct map_table map_clusters;
extern const struct map_table map_broadcast;
extern const struct map_table map_windows;
extern const struct map_table map_totals;

/** What a range holds. Returns what trench_map_list() does. */
int map_print_range(const struct trench_gen *gen,
                    const struct trench_map_range *range);
json_t *map_range_json(const struct trench_gen *gen,
                       const struct trench_map_range *range);

#endif /* TRENCH_CLI_MAP_H */
