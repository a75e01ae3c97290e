/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Schema loader: turns one JSON file of the published arch-regs shape (facts,
 * common-blocks 5) into an immutable struct trench_csr_block.
 *
 * csrgen links this file too, so the build and the user get the same reader.
 */
#include <trench/csr.h>

#include <stdlib.h>
#include <string.h>

#include "csr/loader.h"
#include "csr/params.h"

#define MAX_BLOCK_BYTES (16u << 20)
#define OPAQUE_TAG      "OPAQUE"

/* What trench_csr_load() really hands out; block is first for the cast back. */
struct owned {
    struct trench_csr_block block;
    struct reader_chunk *chunks;
};

/* Bundles. */

/* What a bundle inside of a bundle inherits. */
struct nest {
    const char *name; /* NULL at the top */
    uint32_t offset;
    uint32_t count;
    uint32_t stride;
    uint32_t room_bytes; /* of one instance */
    uint16_t index_pos;
    bool closed; /* two arrays deep already */
};

/* One list of bundles being walked. */
struct level {
    const json_t *list;
    size_t next;
    struct nest outer;
};

static bool has_tag(const char *tags, const char *word)
{
    size_t len = strlen(word);

    for (const char *at = strstr(tags, word); at; at = strstr(at + 1, word)) {
        if ((at == tags || at[-1] == ' ') &&
            (at[len] == '\0' || at[len] == ' ')) {
            return true;
        }
    }
    return false;
}

static int read_bundle(struct reader *rd, const json_t *obj,
                       struct trench_csr_bundle *bundle)
{
    int rc = reader_name(rd, obj, "Name", &bundle->name);

    if (rc) {
        return rc;
    }
    reader_set_name(rd, bundle->name);
    rc = reader_notes(rd, obj, &bundle->desc, &bundle->tags);
    if (rc) {
        return rc;
    }
    bundle->index_pos = (uint16_t)strlen(bundle->name);
    bundle->count = 1;
    bundle->opaque = has_tag(bundle->tags, OPAQUE_TAG);
    if (bundle->opaque) {
        return 0;
    }
    if ((rc = reader_number(rd, obj, "BundleSizeInBytes", &bundle->stride)) ||
        (rc = reader_number(rd, obj, "AddressOffset", &bundle->offset)) ||
        (rc = reader_number(rd, obj, "ArraySize", &bundle->count))) {
        return rc;
    }
    if (bundle->count == 0) {
        bundle->count = 1;
        return reader_refuse(rd, "ArraySize is 0");
    }
    if (bundle->offset % 4 != 0) {
        return reader_refuse(rd, "AddressOffset 0x%x is not a multiple of 4",
                             bundle->offset);
    }
    if (bundle->count > 1 && bundle->stride % 4 != 0) {
        return reader_refuse(rd, "BundleSizeInBytes %u is not a multiple of 4",
                             bundle->stride);
    }
    return 0;
}

/* "outer.name", with index idx of the outer array where both are arrays. */
static int join_names(struct reader *rd, const struct nest *outer,
                      const char *idx, struct trench_csr_bundle *bundle)
{
    size_t outer_len = strlen(outer->name) + strlen(idx);
    size_t len = outer_len + 1 + strlen(bundle->name);
    char *name;

    if (len > READER_MAX_TEXT_BYTES) {
        return reader_refuse(rd, "the name is longer than %d bytes",
                             READER_MAX_TEXT_BYTES);
    }
    name = reader_alloc(rd, len + 1, 1);
    if (!name) {
        return reader_no_memory(rd);
    }
    snprintf(name, len + 1, "%.*s%s%s.%s", (int)outer->index_pos, outer->name,
             idx, outer->name + outer->index_pos, bundle->name);
    bundle->name = name;
    /* The index stays where the array is. */
    bundle->index_pos = bundle->count == 1 && outer->count > 1
                            ? outer->index_pos
                            : (uint16_t)(outer_len + 1 + bundle->index_pos);
    return 0;
}

/* Make *bundle relative to the block. */
static int unnest(struct reader *rd, const struct nest *outer, uint32_t idx,
                  struct trench_csr_bundle *bundle)
{
    bool both = outer->count > 1 && bundle->count > 1;
    uint64_t offset = outer->offset;
    char text[16] = "";
    int rc;

    if (!outer->name) {
        return 0;
    }
    if (both) {
        snprintf(text, sizeof(text), "[%u]", idx);
        offset += (uint64_t)idx * outer->stride;
    }
    rc = join_names(rd, outer, text, bundle);
    if (rc) {
        return rc;
    }
    offset += bundle->offset;
    if (offset > MAX_BLOCK_BYTES) {
        return reader_refuse(rd, "AddressOffset 0x%x is outside the block",
                             bundle->offset);
    }
    bundle->offset = (uint32_t)offset;
    if (outer->count > 1 && !both) {
        bundle->count = outer->count;
        bundle->stride = outer->stride;
    }
    return 0;
}

static void set_source(struct loader *ld)
{
    struct loader_source *source =
        (struct loader_source *)ld->sources.items + ld->sources.nr;

    source->nr = ld->rd.depth - 1; /* without RegFile */
    for (int i = 0; i < source->nr; i++) {
        source->idx[i] = ld->rd.path[i + 1].idx;
    }
}

/* Add a bundle that is relative to the block, and its registers. */
static int add_bundle(struct loader *ld, const struct trench_csr_bundle *bundle,
                      const json_t *regs, uint32_t room_bytes)
{
    uint64_t nr_insts =
        ld->nr_insts + (uint64_t)bundle->count * json_array_size(regs);
    struct trench_csr_bundle *slot;
    int rc;

    if (nr_insts > LOADER_MAX_INSTS) {
        return reader_refuse(&ld->rd, "more than %u register instances",
                             LOADER_MAX_INSTS);
    }
    slot = loader_slot(ld, &ld->bundles, sizeof(*slot));
    if (!slot || !loader_slot(ld, &ld->sources, sizeof(struct loader_source))) {
        return ld->slot_rc;
    }
    *slot = *bundle;
    slot->first_inst = ld->nr_insts;
    slot->first_reg = (uint16_t)ld->regs.nr;
    set_source(ld);
    rc = defs_load_regs(ld, regs, room_bytes);
    if (rc) {
        return rc;
    }
    slot->nr_regs = (uint16_t)(ld->regs.nr - slot->first_reg);
    ld->nr_insts += slot->count * slot->nr_regs;
    ld->bundles.nr++;
    ld->sources.nr++;
    return 0;
}

static int load_opaque(struct loader *ld, const json_t *obj,
                       struct trench_csr_bundle *bundle)
{
    struct reader *rd = &ld->rd;

    if (json_array_size(json_object_get(obj, "Registers")) > 0 ||
        json_array_size(json_object_get(obj, "RegistersBundleArrays")) > 0) {
        rd->member = "Tag";
        return reader_refuse(rd, "an opaque bundle has no registers");
    }
    if (json_object_get(obj, "AddressOffset") ||
        json_object_get(obj, "BundleSizeInBytes")) {
        reader_warn(rd, "the address of an opaque bundle is not used");
    }
    return add_bundle(ld, bundle, NULL, 0);
}

/* The registers of a bundle, as often as an outer array asks for. */
static int load_copies(struct loader *ld, const json_t *regs,
                       const struct nest *outer,
                       const struct trench_csr_bundle *bundle)
{
    uint32_t nr = outer->count > 1 && bundle->count > 1 ? outer->count : 1;
    uint32_t room = bundle->count > 1 ? bundle->stride : outer->room_bytes;
    unsigned errors = ld->rd.nr_errors;

    for (uint32_t i = 0; i < nr; i++) {
        struct trench_csr_bundle copy = *bundle;
        int rc;

        rc = unnest(&ld->rd, outer, i, &copy);
        if (!rc) {
            rc = add_bundle(ld, &copy, regs, room);
        }
        if (rc || ld->rd.nr_errors > errors) {
            return rc; /* a copy would only repeat what is wrong */
        }
    }
    return 0;
}

/* Findings in the registers of a bundle that has no place itself. */
static int look_only(struct loader *ld, const json_t *regs,
                     const struct trench_csr_bundle *bundle)
{
    struct loader before = *ld;
    int rc = defs_load_regs(ld, regs,
                            bundle->count > 1 ? bundle->stride : UINT32_MAX);

    ld->regs.nr = before.regs.nr;
    ld->reg_idx.nr = before.reg_idx.nr;
    ld->fields.nr = before.fields.nr;
    return rc ? rc : TRENCH_ERR_BADMSG;
}

static int enter_nest(struct reader *rd, const struct nest *outer,
                      const struct trench_csr_bundle *bundle,
                      struct nest *inner)
{
    struct trench_csr_bundle flat = *bundle;
    int rc = unnest(rd, outer, 0, &flat);

    inner->name = flat.name;
    inner->offset = flat.offset;
    inner->count = flat.count;
    inner->stride = flat.stride;
    inner->room_bytes = flat.count > 1 ? flat.stride : UINT32_MAX;
    inner->index_pos = flat.index_pos;
    inner->closed = outer->count > 1 && bundle->count > 1;
    return rc;
}

/* *nested receives the bundles inside, or NULL. */
static int load_bundle(struct loader *ld, const json_t *obj,
                       const struct nest *outer, struct nest *inner,
                       const json_t **nested)
{
    struct trench_csr_bundle bundle = { 0 };
    const json_t *regs;
    int rc = read_bundle(&ld->rd, obj, &bundle);

    *nested = NULL;
    if (rc && (!bundle.name || !reader_goes_on(&ld->rd, rc))) {
        return rc;
    }
    regs = reader_list(&ld->rd, obj, "Registers");
    if (!regs) {
        return TRENCH_ERR_BADMSG;
    }
    if (bundle.opaque) {
        return rc ? rc : load_opaque(ld, obj, &bundle);
    }
    if (outer->closed) {
        return reader_refuse(&ld->rd, "a bundle inside of two arrays");
    }
    if (json_object_get(obj, "RegistersBundleArrays")) {
        *nested = reader_list(&ld->rd, obj, "RegistersBundleArrays");
        if (!*nested) {
            return TRENCH_ERR_BADMSG;
        }
    }
    if (json_array_size(regs) == 0 && json_array_size(*nested) == 0) {
        ld->rd.member = "Registers";
        return reader_refuse(&ld->rd, "Registers is empty");
    }
    if (rc) {
        return look_only(ld, regs, &bundle);
    }
    if (json_array_size(regs) > 0) {
        check_bundle(ld, &bundle, regs);
        rc = load_copies(ld, regs, outer, &bundle);
    }
    return rc ? rc : enter_nest(&ld->rd, outer, &bundle, inner);
}

/* Walks bundles inside of bundles without recursion. */
static int load_bundles(struct loader *ld, const json_t *list)
{
    struct level levels[READER_MAX_BUNDLES + 1];
    size_t nr = 1;

    levels[0] = (struct level){ .list = list };
    levels[0].outer.count = 1;
    levels[0].outer.room_bytes = UINT32_MAX;
    while (nr > 0) {
        struct level *level = &levels[nr - 1];
        const json_t *nested;
        int rc;

        reader_leave_to(&ld->rd, (int)nr);
        if (level->next == json_array_size(level->list)) {
            nr--;
            continue;
        }
        reader_enter(&ld->rd, "RegistersBundleArrays", level->next);
        rc = load_bundle(ld, json_array_get(level->list, level->next++),
                         &level->outer, &levels[nr].outer, &nested);
        if (!rc && nested && nr == READER_MAX_BUNDLES) {
            rc = reader_refuse(&ld->rd, "more than %d bundles in each other",
                               READER_MAX_BUNDLES);
        }
        if (rc && !reader_goes_on(&ld->rd, rc)) {
            return rc;
        }
        if (!rc && nested) {
            levels[nr].list = nested;
            levels[nr].next = 0;
            nr++;
        }
    }
    reader_leave_to(&ld->rd, 1);
    return 0;
}

/* The whole. */

static int check_size(struct loader *ld, uint32_t data_width)
{
    struct reader *rd = &ld->rd;

    if (ld->size_bytes == 0 || ld->size_bytes % 4 != 0) {
        rd->member = "SizeInBytes";
        return reader_refuse(rd, "SizeInBytes 0x%x is 0 or not a multiple of 4",
                             ld->size_bytes);
    }
    if (ld->size_bytes > MAX_BLOCK_BYTES) {
        rd->member = "SizeInBytes";
        return reader_refuse(rd, "SizeInBytes 0x%x is above 16 MiB",
                             ld->size_bytes);
    }
    if (data_width != 32) {
        return reader_refuse(rd, "DataWidth %u is not 32", data_width);
    }
    return 0;
}

static int read_head(struct loader *ld, const json_t *obj)
{
    struct reader *rd = &ld->rd;
    uint32_t addr_width, data_width;
    int rc;

    if ((rc = reader_name(rd, obj, "UnitName", &ld->name)) ||
        (rc = reader_notes(rd, obj, &ld->desc, &ld->tags)) ||
        (rc = reader_use_params(rd, obj)) ||
        (rc = reader_number(rd, obj, "SizeInBytes", &ld->size_bytes)) ||
        (rc = reader_number(rd, obj, "AddrWidth", &addr_width)) ||
        (rc = reader_number(rd, obj, "DataWidth", &data_width)) ||
        (rc = check_size(ld, data_width))) {
        return rc;
    }
    if (json_array_size(json_object_get(obj, "Includes")) > 0) {
        rd->member = "Includes";
        return reader_refuse(rd, "Includes are not supported");
    }
    ld->limit_bytes = ld->size_bytes;
    if (addr_width < 32 && ld->limit_bytes > 1u << addr_width) {
        ld->limit_bytes = 1u << addr_width;
    }
    rd->member = "AddrWidth";
    check_head(ld, addr_width);
    return 0;
}

static int load_tree(struct loader *ld, const json_t *root)
{
    const json_t *obj, *list;
    int rc, head;

    obj = reader_object(&ld->rd, root, "RegFile");
    if (!obj) {
        return TRENCH_ERR_BADMSG;
    }
    reader_enter(&ld->rd, "RegFile", 0);
    reader_set_name(&ld->rd, "RegFile");
    head = read_head(ld, obj);
    if (head && !reader_goes_on(&ld->rd, head)) {
        return head;
    }
    reader_leave_to(&ld->rd, 1);
    list = reader_list(&ld->rd, obj, "RegistersBundleArrays");
    if (!list) {
        return TRENCH_ERR_BADMSG;
    }
    if (json_array_size(list) == 0) {
        return reader_refuse(&ld->rd, "RegistersBundleArrays is empty");
    }
    rc = load_bundles(ld, list);
    if (rc || head) {
        return rc ? rc : head; /* without a window nothing has a place */
    }
    rc = place_all(ld);
    if (!rc && ld->rd.fn) {
        check_twins(ld);
        params_warn_unused(&ld->rd);
    }
    return rc || ld->rd.nr_errors == 0 ? rc : TRENCH_ERR_BADMSG;
}

/* The elements in the arena, or NULL. An empty list is one of no length. */
static void *keep(struct loader *ld, const struct loader_vec *vec,
                  size_t each_bytes)
{
    void *copy = reader_alloc(&ld->rd, vec->nr, each_bytes);

    if (copy && vec->nr > 0) {
        memcpy(copy, vec->items, vec->nr * each_bytes);
    }
    return copy;
}

static int finish(struct loader *ld, const char *path,
                  struct trench_csr_block **out)
{
    const char *slash = strrchr(path, '/');
    struct trench_csr_block *block;
    struct owned *owned;
    int rc;

    rc = reader_copy(&ld->rd, slash ? slash + 1 : path, &ld->file);
    if (rc) {
        return rc;
    }
    owned = reader_alloc(&ld->rd, 1, sizeof(*owned));
    if (!owned) {
        return reader_no_memory(&ld->rd);
    }
    block = &owned->block;
    block->bundles = keep(ld, &ld->bundles, sizeof(*block->bundles));
    block->regs = keep(ld, &ld->regs, sizeof(*block->regs));
    block->fields = keep(ld, &ld->fields, sizeof(*block->fields));
    if (!block->bundles || !block->regs || !block->fields) {
        return reader_no_memory(&ld->rd);
    }
    block->name = ld->name;
    block->file = ld->file;
    block->desc = ld->desc;
    block->tags = ld->tags;
    block->word_inst = ld->word_inst;
    block->inst_reg = ld->inst_reg;
    block->inst_index = ld->inst_index;
    block->size_bytes = ld->size_bytes;
    block->nr_bundles = (uint16_t)ld->bundles.nr;
    block->nr_regs = (uint16_t)ld->regs.nr;
    block->nr_fields = (uint16_t)ld->fields.nr;
    block->nr_insts = (uint16_t)ld->nr_insts;
    owned->chunks = ld->rd.chunks; /* one of them holds owned itself */
    *out = block;
    return 0;
}

static void free_vecs(struct loader *ld)
{
    free(ld->bundles.items);
    free(ld->regs.items);
    free(ld->fields.items);
    free(ld->sources.items);
    free(ld->reg_idx.items);
}

/* out is NULL when the block is not wanted. */
static int load(struct loader *ld, const char *path,
                struct trench_csr_block **out)
{
    json_t *root;
    int rc = reader_parse(&ld->rd, path, &root);

    if (rc) {
        return rc;
    }
    rc = load_tree(ld, root);
    json_decref(root);
    if (!rc && out) {
        rc = finish(ld, path, out);
    }
    free_vecs(ld);
    reader_drop_text(&ld->rd);
    if (rc || !out) {
        reader_free_chunks(ld->rd.chunks);
    }
    return rc;
}

int trench_csr_load(const char *path, struct trench_csr_block **out,
                    struct trench_csr_error *err)
{
    struct trench_csr_error ignored = { 0 };
    struct loader ld;

    memset(&ld, 0, sizeof(ld));
    ld.rd.err = err ? err : &ignored;
    ld.rd.file = path;
    return load(&ld, path, out);
}

int trench_csr_check(const char *path, trench_csr_finding_fn fn, void *opaque)
{
    struct trench_csr_error ignored = { 0 };
    struct loader ld;

    memset(&ld, 0, sizeof(ld));
    ld.rd.err = &ignored;
    ld.rd.file = path;
    ld.rd.fn = fn;
    ld.rd.opaque = opaque;
    return load(&ld, path, NULL);
}

void trench_csr_free(struct trench_csr_block *block)
{
    if (block) {
        reader_free_chunks(((struct owned *)(void *)block)->chunks);
    }
}
