/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Any text as an address, range, name or BAR of trench map, and any number as
 * an address. What is found must be found again by its name.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <trench/map.h>

#include "cli/map_parse.h"
#include "fuzz.h"

#define MAX_TEXT 300

static void must(bool truth)
{
    if (!truth) {
        abort();
    }
}

/* The name of an address leads back to what holds it. */
static void check_address(const struct trench_gen *gen, uint64_t addr)
{
    struct trench_map_place places[TRENCH_MAP_PLACES];
    struct trench_map_bar bars[TRENCH_MAP_BARS];
    struct trench_map_info info;
    char name[256];
    char tiny[8];
    unsigned depth;
    int len;

    trench_map_at(gen, addr, &info);
    must(info.depth >= 2 && info.depth <= TRENCH_MAP_DEPTH);
    for (unsigned i = 1; i < info.depth; i++) {
        must(info.path[i].first <= info.local &&
             info.local <= info.path[i].last &&
             info.path[i].first >= info.path[i - 1].first &&
             info.path[i].last <= info.path[i - 1].last);
    }
    depth = info.depth;
    if (trench_map_leaf(&info)->kind == TRENCH_MAP_GAP) {
        depth--;
    }
    len = trench_map_name(info.path, depth, name, sizeof(name));
    must(len >= 0 && (size_t)len < sizeof(name) && strlen(name) == (size_t)len);
    must(trench_map_name(info.path, depth, tiny, sizeof(tiny)) == len);
    trench_map_also(gen, &info, places);
    trench_map_to_bar(gen, info.local, bars);
    if (depth > 1) {
        must(trench_map_find(gen, name, true, places, NULL) > 0);
        must(places[0].addr == info.path[depth - 1].first);
    }
}

static void check_name(const struct trench_gen *gen, const char *text,
                       bool twins)
{
    struct trench_map_place places[TRENCH_MAP_PLACES];
    struct trench_map_error err;
    int nr = trench_map_find(gen, text, twins, places, &err);

    if (nr < 0) {
        must(strlen(err.reason) < sizeof(err.reason));
        must(strchr(err.reason, '\n') == NULL || strchr(text, '\n') != NULL);
    }
    for (int i = 0; i < nr; i++) {
        check_address(gen, places[i].addr);
    }
}

static int count(void *opaque, const struct trench_map_info *item)
{
    unsigned *left = opaque;

    (void)item;
    return --*left == 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fuzz_input in = { data, size };
    uint8_t pick = fuzz_u8(&in);
    const struct trench_gen *gen = trench_gen_at(pick % 4);
    struct trench_map_range range;
    char text[MAX_TEXT];
    unsigned left = 100;
    uint64_t addr;
    size_t len = in.left < MAX_TEXT ? in.left : MAX_TEXT - 1;

    if (len >= sizeof(addr)) {
        memcpy(&addr, in.p, sizeof(addr));
        check_address(gen, addr);
        check_address(gen, addr & 0xFFFFFFFFFFFFF);
    }
    fuzz_bytes(&in, text, len);
    text[len] = '\0';
    check_name(gen, text, pick & 4);
    if (!map_parse_hex(text, strlen(text), &addr)) {
        must(map_is_number(text));
        check_address(gen, addr);
    }
    if (!map_parse_range(text, &range)) {
        must(range.first <= range.last);
        trench_map_list(gen, &range, count, &left);
    }
    if (trench_map_from_bar(gen, text, 0x1000, &addr) == 0) {
        check_address(gen, addr);
    }
    return 0;
}
