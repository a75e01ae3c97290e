/* SPDX-License-Identifier: BSD-3-Clause */
/* Look-ups of the address map, for its tests. */
#ifndef TRENCH_TESTS_MAP_RIG_H
#define TRENCH_TESTS_MAP_RIG_H

#include <trench/map.h>

#include "check.h"

#define DIE_1 (UINT64_C(1) << 47)
#define PEB   (UINT64_C(1) << 53)

static inline const struct trench_gen *cayman(void)
{
    return trench_gen_find("cayman");
}

static inline const struct trench_gen *sunda(void)
{
    return trench_gen_find("sunda");
}

static inline struct trench_map_info look(const struct trench_gen *gen,
                                          uint64_t addr)
{
    struct trench_map_info info;

    trench_map_at(gen, addr, &info);
    return info;
}

/* The first address of a name; 0 when it has none. */
static inline uint64_t address_of(const struct trench_gen *gen,
                                  const char *name)
{
    struct trench_map_place places[TRENCH_MAP_PLACES];
    struct trench_map_error err = { .reason = "" };
    int nr = trench_map_find(gen, name, false, places, &err);

    if (nr <= 0) {
        print_error("%s: %s\n", name, err.reason);
        return 0;
    }
    return places[0].addr;
}

static inline void check_name(const struct trench_gen *gen, uint64_t addr,
                              const char *want)
{
    struct trench_map_info info = look(gen, addr);
    char name[256];
    int len = trench_map_name(info.path, info.depth, name, sizeof(name));

    assert_string_equal(name, want);
    assert_int_equal(len, strlen(want));
}

struct place_row {
    const char *gen;
    const char *name;
    uint64_t addr;
};

static inline void check_places(const struct place_row *rows, size_t nr)
{
    for (size_t i = 0; i < nr; i++) {
        const struct trench_gen *gen = trench_gen_find(rows[i].gen);

        CHECK_EQ(address_of(gen, rows[i].name), rows[i].addr, "%s %s",
                 rows[i].gen, rows[i].name);
    }
}

#endif /* TRENCH_TESTS_MAP_RIG_H */
