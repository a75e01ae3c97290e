/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the parts of the map share.
 *
 *     map.c       from an address to what is there
 *     map_find.c  from a name to addresses
 *                 (map_reader.c reads it, map_suggest.c finds near ones)
 *     map_list.c  names, ranges, totals, broadcast nodes, PCIe BARs
 */
#ifndef TRENCH_MAP_PRIV_H
#define TRENCH_MAP_PRIV_H

#include <trench/map.h>

/* trench_map_at(), down to max_depth levels; 1 = the root alone. */
void map_look(const struct trench_gen *gen, uint64_t addr, unsigned max_depth,
              struct trench_map_info *out);

/* A channel with a broadcast node; channel < the cluster's nr_channels. */
bool map_has_mirror(const struct trench_gen_cluster *cluster, unsigned channel);

/* Size of a broadcast node. */
uint32_t map_mirror_bytes(const struct trench_gen *gen);

#endif /* TRENCH_MAP_PRIV_H */
