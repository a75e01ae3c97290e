/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * From a name to its addresses. The grammar is in map.h; a name is read from
 * the left, and at each level the longest name that fits is taken.
 */
#include "gen/map_priv.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/bits.h"
#include "gen/gen_priv.h"
#include "gen/map_reader.h"
#include "gen/map_suggest.h"

/* An engine or a broadcast node, and what of it. */
struct target {
    unsigned engine;
    bool routes[2]; /* by privileged */
    bool broadcast;
    const struct trench_gen_unit *unit;
    const struct trench_gen_window *rest; /* or that */
    uint64_t offset;                      /* in the unit or the rest */
    uint64_t size_bytes;
};

/* ---- registers ----------------------------------------------------------- */

static const struct trench_csr_set *maps(const struct map_name_reader *f)
{
    return trench_csr_lib_set(trench_csr_lib_builtin(), f->gen->name);
}

static uint64_t ref_bytes(const struct trench_csr_ref *ref)
{
    if (ref->reg) {
        return 4;
    }
    if (ref->bundle) {
        return ref->has_index
                   ? ref->bundle->stride
                   : (uint64_t)ref->bundle->stride * ref->bundle->count;
    }
    return ref->block->size_bytes;
}

/* The rest of the name is a register of a block. */
static int read_register(struct map_name_reader *f, const char *block,
                         struct trench_csr_ref *out)
{
    const struct trench_csr_set *set = maps(f);
    struct trench_csr_error why = { .reason = "" };
    char full[MAP_NAME_MAX_LEN + 48];
    size_t block_len = strlen(block);
    size_t len = f->end - f->pos;
    int err;

    if (!set || !trench_csr_set_block(set, block)) {
        return map_name_refuse(f, TRENCH_ERR_NOENT,
                               "the registers of %s of %s are not known", block,
                               f->gen->name);
    }
    assert(block_len + 1 + len < sizeof(full)); /* blocks are ours */
    memcpy(full, block, block_len);
    full[block_len] = '.';
    memcpy(full + block_len + 1, f->name + f->pos, len);
    full[block_len + 1 + len] = '\0';
    err = trench_csr_find(set, full, out, &why);
    if (err) {
        return map_name_refuse(f, err, "%s", why.reason);
    }
    f->pos = f->end;
    return 0;
}

/* ---- what of an engine --------------------------------------------------- */

/* Short names of blocks. */
static const struct {
    enum trench_block_id block;
    const char *name;
} short_names[] = {
    { TRENCH_BLOCK_UDMA_M2S, "m2s" },
    { TRENCH_BLOCK_UDMA_S2M, "s2m" },
    { TRENCH_BLOCK_UDMA_GEN, "gen" },
    { TRENCH_BLOCK_UDMA_GEN_EX, "gen_ex" },
    { TRENCH_BLOCK_TDMA_MODEL, "tdma" },
    { TRENCH_BLOCK_NOTIFIC_10_QUEUE, "notific" },
};

static bool token_is_unit(const struct map_name_reader *f,
                          const struct trench_gen_unit *unit)
{
    if (map_name_token_is(f, unit->name) ||
        map_name_token_is(f, trench_csr_block_name(unit->block))) {
        return true;
    }
    for (size_t i = 0; i < ARRAY_LEN(short_names); i++) {
        if (short_names[i].block == unit->block) {
            return map_name_token_is(f, short_names[i].name);
        }
    }
    return false;
}

static const struct trench_gen_unit *find_unit(const struct map_name_reader *f)
{
    for (size_t i = 0; i < f->gen->nr_units; i++) {
        if (token_is_unit(f, &f->gen->units[i])) {
            return &f->gen->units[i];
        }
    }
    return NULL;
}

/* The cluster of an engine on a route, for a part of its channel. */
static const struct trench_gen_cluster *cluster_of(const struct trench_gen *gen,
                                                   unsigned engine,
                                                   bool privileged,
                                                   uint8_t part)
{
    for (size_t i = 0; i < gen->nr_clusters; i++) {
        const struct trench_gen_cluster *c = &gen->clusters[i];

        if (c->privileged == privileged && c->part == part &&
            engine >= c->first_engine &&
            engine - c->first_engine < c->nr_channels) {
            return c;
        }
    }
    return NULL;
}

static bool has_rest(const struct trench_gen_cluster *c,
                     const struct trench_gen_window *row)
{
    return c->nr_inside > 0 && row >= c->inside &&
           row < c->inside + c->nr_inside;
}

/* Windows of a channel that are not units. */
static const struct trench_gen_window *find_rest(
    const struct map_name_reader *f)
{
    for (size_t i = 0; i < f->gen->nr_clusters; i++) {
        const struct trench_gen_cluster *c = &f->gen->clusters[i];

        for (size_t k = 0; k < c->nr_inside; k++) {
            const struct trench_gen_window *row = &c->inside[k];

            if (map_name_token_is(f, row->name) ||
                (row->block && map_name_token_is(f, row->block))) {
                return row;
            }
        }
    }
    return NULL;
}

static int refuse_unit(struct map_name_reader *f)
{
    struct suggestion best;

    suggest_start(&best, f->name + f->pos, map_name_token_len(f));
    for (size_t i = 0; i < f->gen->nr_units; i++) {
        suggest_name(&best, f->gen->units[i].name);
        suggest_name(&best, trench_csr_block_name(f->gen->units[i].block));
    }
    for (size_t i = 0; i < ARRAY_LEN(short_names); i++) {
        suggest_name(&best, short_names[i].name);
    }
    return map_name_refuse(f, TRENCH_ERR_NOENT,
                           "an engine has no block '%.*s'%s", best.len,
                           best.word, suggest_text(&best));
}

static uint64_t channel_bytes(const struct map_name_reader *f,
                              const struct target *t)
{
    const struct trench_gen_cluster *c =
        cluster_of(f->gen, t->engine, !t->routes[0], 0);

    if (t->broadcast) {
        return map_mirror_bytes(f->gen);
    }
    return c ? c->stride_bytes : 0;
}

/* "BCAST" after a channel. */
static int read_mirror(struct map_name_reader *f, struct target *t)
{
    size_t next = map_name_after_word(f, f->pos, "BCAST");
    const struct trench_gen_cluster *c =
        cluster_of(f->gen, t->engine, !t->routes[0], 0);

    if (next == 0 || !map_name_ends_at(f, next) || t->broadcast) {
        return 0;
    }
    if (!c || !map_has_mirror(c, t->engine - c->first_engine)) {
        return map_name_refuse(f, TRENCH_ERR_NOENT,
                               "engine %u has no broadcast node", t->engine);
    }
    t->broadcast = true;
    f->pos = next;
    if (map_name_skip_separator(f) && map_name_token_is(f, "UDMA")) {
        f->pos = f->end;
    }
    return 0;
}

/* From the separator after an engine on. */
static int read_parts(struct map_name_reader *f, struct target *t)
{
    struct trench_csr_ref ref;
    const char *block;
    int err = 0;

    if (map_name_skip_separator(f)) {
        err = f->pos < f->end ? read_mirror(f, t) : refuse_unit(f);
    }
    t->size_bytes = channel_bytes(f, t);
    if (err || f->pos == f->end) {
        return err;
    }
    t->unit = find_unit(f);
    t->rest = t->unit ? NULL : find_rest(f);
    if ((!t->unit && !t->rest) ||
        (t->broadcast && !(t->unit && t->unit->broadcast))) {
        return refuse_unit(f);
    }
    block = t->unit ? trench_csr_block_name(t->unit->block) : t->rest->block;
    t->size_bytes = t->unit ? t->unit->size_bytes : t->rest->size_bytes;
    f->pos += map_name_token_len(f);
    if (f->pos == f->end) {
        return 0;
    }
    f->pos++; /* the '.' */
    err = block
              ? read_register(f, block, &ref)
              : map_name_refuse(f, TRENCH_ERR_NOENT, "there are no registers");
    if (!err) {
        t->offset = trench_csr_ref_offset(&ref);
        t->size_bytes = ref_bytes(&ref);
    }
    return err;
}

/* ---- places -------------------------------------------------------------- */

/* Where the target is for an engine on a route. */
static int target_base(const struct trench_gen *gen, const struct target *t,
                       unsigned engine, bool privileged, uint64_t *out)
{
    if (t->unit) {
        return trench_gen_block_base(gen, engine, t->unit->block, privileged,
                                     out);
    }
    if (!t->rest) {
        return trench_gen_engine_base(gen, engine, privileged, out);
    }
    for (unsigned part = 0; part <= UINT8_MAX; part++) {
        const struct trench_gen_cluster *c =
            cluster_of(gen, engine, privileged, (uint8_t)part);

        if (c && has_rest(c, t->rest)) {
            *out = c->base +
                   (uint64_t)(engine - c->first_engine) * c->stride_bytes +
                   t->rest->base;
            return 0;
        }
    }
    return TRENCH_ERR_NODEV;
}

/* The engine whose channel has the broadcast node that serves this one. */
static int first_lane(const struct trench_gen *gen, unsigned engine,
                      unsigned *out)
{
    const struct trench_gen_cluster *c = cluster_of(gen, engine, false, 0);

    if (!c || c->bcast_every == 0) {
        return TRENCH_ERR_NODEV;
    }
    *out = engine - (engine - c->first_engine) % c->bcast_every;
    return 0;
}

static int place_target(const struct map_name_reader *f, const struct target *t,
                        struct trench_map_place *out)
{
    int n = 0;

    for (int privileged = 0; privileged < 2; privileged++) {
        uint64_t base;

        if (t->routes[privileged] &&
            target_base(f->gen, t, t->engine, privileged, &base) == 0) {
            out[n++] = (struct trench_map_place){
                .addr = base + (t->broadcast ? f->gen->bcast_offset : 0) +
                        t->offset + f->plus,
                .size_bytes = t->size_bytes - f->plus,
                .privileged = privileged,
                .broadcast = t->broadcast,
            };
        }
    }
    return n;
}

static int finish(struct map_name_reader *f, struct target *t, bool twins,
                  struct trench_map_place *out)
{
    int n;

    if (f->plus >= t->size_bytes) {
        return map_name_refuse(f, TRENCH_ERR_INVAL,
                               "the offset is past the end");
    }
    n = place_target(f, t, out);
    if (twins && !t->broadcast && t->unit && t->unit->broadcast &&
        first_lane(f->gen, t->engine, &t->engine) == 0) {
        t->broadcast = true;
        n += place_target(f, t, out + n);
    }
    return n > 0
               ? n
               : map_name_refuse(f, TRENCH_ERR_NOENT, "there is no such route");
}

/* ---- windows ------------------------------------------------------------- */

struct place_in {
    const struct trench_gen_window *row;
    uint64_t base;
    uint64_t size_bytes;
    size_t next; /* where the name goes on */
};

/* Where the name goes on after a row; 0 when it does not begin with it. */
static size_t after_row(const struct map_name_reader *f,
                        const struct trench_gen_window *row, unsigned *nth,
                        bool *all)
{
    unsigned count = row->count > 1 ? row->count : 1;
    size_t next = map_name_after_word(f, f->pos, row->name);
    bool suffix = row->name[strlen(row->name) - 1] == '_';
    unsigned number = row->number;

    *all = false;
    if (next > 0 && suffix) {
        next = map_name_after_number(f, next, &number);
    } else if (next > 0 && next < f->end && f->name[next] == '[') {
        next = map_name_after_number(f, next + 1, &number);
        next = next > 0 && next < f->end && f->name[next] == ']' ? next + 1 : 0;
    } else {
        *all = true; /* an array without its index */
    }
    if (next == 0 || !map_name_ends_at(f, next) || number < row->number ||
        number - row->number >= count) {
        return 0;
    }
    *nth = number - row->number;
    return next;
}

/* The row that the longest piece of the name fits. */
static bool match_rows(const struct map_name_reader *f,
                       const struct trench_gen_window *rows, size_t nr_rows,
                       struct place_in *out)
{
    out->next = 0;
    for (size_t i = 0; i < nr_rows; i++) {
        const struct trench_gen_window *row = &rows[i];
        unsigned nth = 0;
        bool all;
        size_t next = after_row(f, row, &nth, &all);

        if (next > out->next) {
            *out = (struct place_in){
                .row = row,
                .base = row->base + nth * row->stride_bytes,
                .size_bytes = all && row->count > 1
                                  ? (row->count - 1u) * row->stride_bytes +
                                        row->size_bytes
                                  : row->size_bytes,
                .next = next,
            };
        }
    }
    return out->next > 0;
}

/* Nothing begins like this. */
static int refuse_head(struct map_name_reader *f)
{
    struct suggestion best;
    char name[64];

    f->pos = 0;
    if (find_unit(f)) {
        return map_name_refuse(
            f, TRENCH_ERR_NOENT,
            "'%.*s' is in every engine: name one, as in engine0.%.*s",
            (int)map_name_token_len(f), f->name, (int)map_name_token_len(f),
            f->name);
    }
    suggest_start(&best, f->name, map_name_token_len(f));
    for (size_t i = 0; i < f->gen->nr_windows; i++) {
        suggest_row(&best, &f->gen->windows[i]);
    }
    for (size_t i = 0; i < f->gen->nr_clusters; i++) {
        for (unsigned k = 0; k < f->gen->clusters[i].nr_channels; k++) {
            gen_channel_name(&f->gen->clusters[i], k, name, sizeof(name));
            suggest_name(&best, name);
        }
    }
    return map_name_refuse(f, TRENCH_ERR_NOENT,
                           "%s has nothing called '%.*s'%s", f->gen->name,
                           best.len, best.word, suggest_text(&best));
}

static int refuse_row(struct map_name_reader *f,
                      const struct trench_gen_window *in)
{
    struct suggestion best;

    suggest_start(&best, f->name + f->pos, f->end - f->pos);
    for (size_t i = 0; i < in->nr_inside; i++) {
        suggest_row(&best, &in->inside[i]);
    }
    if (best.text[0] == '\0') {
        return refuse_head(f);
    }
    return map_name_refuse(f, TRENCH_ERR_NOENT,
                           "nothing in there is called '%.*s'%s", best.len,
                           best.word, suggest_text(&best));
}

/* From a window at the top on down. */
static int find_window(struct map_name_reader *f, struct place_in *at,
                       struct trench_map_place *out)
{
    struct trench_csr_ref ref;
    uint8_t bit = f->gen->privileged_bit;
    int err;

    f->pos = at->next;
    while (f->pos < f->end) {
        const struct trench_gen_window *in = at->row;
        uint64_t base = at->base;

        f->pos++; /* the separator */
        if (match_rows(f, in->inside, in->nr_inside, at)) {
            at->base += base;
            f->pos = at->next;
            continue;
        }
        err = in->block ? read_register(f, in->block, &ref) : refuse_row(f, in);
        if (err) {
            return err;
        }
        at->base = base + trench_csr_ref_offset(&ref);
        at->size_bytes = ref_bytes(&ref);
    }
    if (f->plus >= at->size_bytes) {
        return map_name_refuse(f, TRENCH_ERR_INVAL,
                               "the offset is past the end");
    }
    *out = (struct trench_map_place){
        .addr = at->base + f->plus,
        .size_bytes = at->size_bytes - f->plus,
        .privileged = bit && at->base >> bit & 1,
    };
    return 1;
}

/* ---- the beginning of a name --------------------------------------------- */

/* "engine5" or "bcast0". */
static int read_numbered(struct map_name_reader *f, struct target *t,
                         bool *found)
{
    struct trench_map_info info;
    size_t next = map_name_after_word(f, 0, "engine");
    unsigned number;

    *found = false;
    t->broadcast = next == 0;
    next = next ? next : map_name_after_word(f, 0, "bcast");
    next = next ? map_name_after_number(f, next, &number) : 0;
    if (next == 0 || !map_name_ends_at(f, next)) {
        return 0;
    }
    *found = true;
    f->pos = next;
    t->routes[0] = t->routes[1] = true;
    if (t->broadcast) {
        if (trench_map_bcast(f->gen, number, false, &info)) {
            return map_name_refuse(f, TRENCH_ERR_INVAL,
                                   "%s has no broadcast node %u", f->gen->name,
                                   number);
        }
        t->engine = (unsigned)info.index[TRENCH_INDEX_ENGINE];
        return 0;
    }
    t->engine = number;
    return number < f->gen->nr_engines
               ? 0
               : map_name_refuse(f, TRENCH_ERR_INVAL, "%s has engines 0-%u",
                                 f->gen->name, f->gen->nr_engines - 1u);
}

/* A channel of one cluster: "_D2H", "_SDMA_5". */
static size_t after_channel(const struct map_name_reader *f,
                            const struct trench_gen_cluster *c,
                            unsigned *channel)
{
    size_t pos = map_name_after_word(f, 0, c->name);
    size_t next;

    pos = pos > 0 ? map_name_after_word(f, pos, "_") : 0;
    if (pos == 0) {
        return 0;
    }
    if (!c->names) {
        next = map_name_after_word(f, pos, "SDMA_");
        next = next > 0 ? map_name_after_number(f, next, channel) : 0;
        return next > 0 && map_name_ends_at(f, next) &&
                       *channel < c->nr_channels
                   ? next
                   : 0;
    }
    for (*channel = 0; *channel < c->nr_channels; (*channel)++) {
        next = map_name_after_word(f, pos, c->names[*channel]);
        if (next > 0 && map_name_ends_at(f, next)) {
            return next;
        }
    }
    return 0;
}

static bool read_channel(struct map_name_reader *f, struct target *t)
{
    for (size_t i = 0; i < f->gen->nr_clusters; i++) {
        const struct trench_gen_cluster *c = &f->gen->clusters[i];
        unsigned channel;
        size_t next = after_channel(f, c, &channel);

        if (next > 0) {
            t->engine = c->first_engine + channel;
            t->broadcast = false;
            t->routes[0] = !c->privileged;
            t->routes[1] = c->privileged;
            f->pos = next;
            return true;
        }
    }
    return false;
}

int trench_map_find(const struct trench_gen *gen, const char *name, bool twins,
                    struct trench_map_place *out, struct trench_map_error *err)
{
    struct map_name_reader f = { .gen = gen, .name = name, .err = err };
    struct target t = { 0 };
    struct place_in in;
    bool found;
    int code;

    if (strnlen(name, MAP_NAME_MAX_LEN + 1) > MAP_NAME_MAX_LEN) {
        return map_name_refuse(&f, TRENCH_ERR_INVAL, "the name is too long");
    }
    code = map_name_start(&f);
    if (code) {
        return code;
    }
    code = read_numbered(&f, &t, &found);
    if (code) {
        return code;
    }
    if (found || read_channel(&f, &t)) {
        code = read_parts(&f, &t);
        return code ? code : finish(&f, &t, twins, out);
    }
    if (match_rows(&f, gen->windows, gen->nr_windows, &in)) {
        return find_window(&f, &in, out);
    }
    return refuse_head(&f);
}
