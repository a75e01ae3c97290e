/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * trench reg dump: values at addresses, decoded, a word a line. With --diff
 * two of them are compared.
 */
#include "dump.h"

#include <stdlib.h>

static void print_line(struct dump_run *run, const struct dump_source *source,
                       const struct dump_word *words, unsigned nr)
{
    struct dump_text *text = &run->text;

    for (unsigned i = 0; i < nr; i++) {
        dump_put_hex(text, words[i].entry->addr, 1);
        dump_puts(text, ": ");
        dump_put_hex(text, words[i].val, 8);
        dump_puts(text, "  # ");
        dump_put_word(text, &words[i], run->ctx->dump.reset_diff);
        dump_put(text, "\n", 1);
    }
    if (nr == 0) {
        dump_puts(text, source->text);
        dump_put(text, "\n", 1);
    }
}

/* ---- two dumps ----------------------------------------------------------- */

/* One address; an entry is NULL where the dump does not have it. */
struct pair {
    const struct dump_entry *before;
    const struct dump_entry *after;
};

/* The sides that there are: "0x1 -> 0x2", or one of them. */
static void put_values(struct dump_text *text, const uint32_t *before,
                       const uint32_t *after, unsigned digits)
{
    dump_puts(text, ": ");
    if (before) {
        dump_put_hex(text, *before, digits);
    }
    if (before && after) {
        dump_puts(text, " -> ");
    }
    if (after) {
        dump_put_hex(text, *after, digits);
    }
}

static void put_name(struct dump_text *text, const struct dump_entry *entry,
                     char mark)
{
    dump_put(text, &mark, 1);
    dump_put(text, " ", 1);
    dump_put_hex(text, entry->addr, 1);
    if (entry->known) {
        dump_put(text, " ", 1);
        dump_put(text, entry->name, entry->name_len);
    }
}

/* A field, or what is left when all named ones are taken out. */
static void put_change(struct dump_text *text, const struct pair *pair,
                       const char *field, uint32_t before, uint32_t after)
{
    put_name(text, pair->after, '~');
    if (field) {
        dump_put(text, ".", 1);
        dump_puts(text, field);
    }
    put_values(text, &before, &after, field ? 1 : 8);
    dump_put(text, "\n", 1);
}

static void put_changes(struct dump_text *text, const struct pair *pair)
{
    const struct trench_csr_ref *ref = &pair->after->ref;
    uint32_t before = pair->before->val;
    uint32_t after = pair->after->val;
    uint32_t changed = before ^ after;
    uint32_t rest = changed;

    for (size_t i = 0; ref->reg && i < ref->reg->nr_fields; i++) {
        const struct trench_csr_field *f =
            &ref->block->fields[ref->reg->first_field + i];

        if (dump_is_named(f) && (trench_csr_field_mask(f) & changed) != 0) {
            rest &= ~trench_csr_field_mask(f);
            put_change(text, pair, f->name, trench_csr_field_get(f, before),
                       trench_csr_field_get(f, after));
        }
    }
    if (rest != 0) {
        put_change(text, pair, NULL, before, after);
    }
}

static json_t *fields_json(const struct pair *pair)
{
    const struct trench_csr_ref *ref = &pair->after->ref;
    json_t *list = json_array();

    for (size_t i = 0; ref->reg && i < ref->reg->nr_fields; i++) {
        const struct trench_csr_field *f =
            &ref->block->fields[ref->reg->first_field + i];
        uint32_t before = trench_csr_field_get(f, pair->before->val);
        uint32_t after = trench_csr_field_get(f, pair->after->val);

        if (dump_is_named(f) && before != after) {
            json_array_append_new(list,
                                  json_pack("{s:s, s:I, s:I}", "name", f->name,
                                            "before", (json_int_t)before,
                                            "after", (json_int_t)after));
        }
    }
    return list;
}

static json_t *value_json(const struct dump_entry *entry)
{
    return entry ? cli_json_hex(entry->val) : json_null();
}

static bool print_pair_json(struct dump_run *run, const struct pair *pair)
{
    json_t *object = json_object();

    dump_json_entry(object, pair->after ? pair->after : pair->before);
    json_object_set_new(object, "before", value_json(pair->before));
    json_object_set_new(object, "after", value_json(pair->after));
    if (pair->before && pair->after) {
        json_object_set_new(object, "fields", fields_json(pair));
    }
    return dump_print_json(run, object);
}

static void print_pair(struct dump_run *run, const struct pair *pair)
{
    struct dump_text *text = &run->text;

    text->len = 0;
    if (pair->before && pair->after) {
        put_changes(text, pair);
    } else if (pair->before) {
        put_name(text, pair->before, '-');
        put_values(text, &pair->before->val, NULL, 8);
        dump_put(text, "\n", 1);
    } else {
        put_name(text, pair->after, '+');
        put_values(text, NULL, &pair->after->val, 8);
        dump_put(text, "\n", 1);
    }
    dump_text_print(text);
}

/* The next address of two sorted lists; both end with NULL. */
static struct pair next_pair(struct dump_entry *const **before,
                             struct dump_entry *const **after)
{
    struct pair pair = { **before, **after };

    if (pair.before && pair.after) {
        if (pair.before->addr < pair.after->addr) {
            pair.after = NULL;
        } else if (pair.after->addr < pair.before->addr) {
            pair.before = NULL;
        }
    }
    *before += pair.before != NULL;
    *after += pair.after != NULL;
    return pair;
}

static bool compare(struct dump_run *run, struct dump_entry *const *before,
                    struct dump_entry *const *after)
{
    while (*before || *after) {
        struct pair pair = next_pair(&before, &after);

        if (pair.before && pair.after && pair.before->val == pair.after->val) {
            continue;
        }
        if (!run->ctx->json) {
            print_pair(run, &pair);
        } else if (!print_pair_json(run, &pair)) {
            return false;
        }
        if (run->text.failed) {
            return false;
        }
    }
    return true;
}

static bool compare_runs(struct dump_run *runs)
{
    size_t nr;
    struct dump_entry **before = dump_table_sorted(&runs[0].table, &nr);
    struct dump_entry **after = dump_table_sorted(&runs[1].table, &nr);
    bool ok = before && after && compare(&runs[0], before, after);

    free(before);
    free(after);
    if (!ok) {
        cli_error(runs[0].ctx->prog, "out of memory");
    }
    return ok;
}

static int diff(struct reg_ctx *ctx)
{
    struct dump_run runs[2];
    bool ok = true;
    int rc = dump_run_start(&runs[0], ctx);

    if (rc != CLI_OK) {
        return rc;
    }
    runs[1] = runs[0];
    for (int i = 0; i < 2 && ok; i++) {
        ok = dump_run_file(&runs[i], ctx->args[i], NULL);
    }
    ok = ok && compare_runs(runs);
    rc = !ok || runs[0].failed || runs[1].failed ? CLI_FAILED : CLI_OK;
    dump_run_end(&runs[0]);
    dump_run_end(&runs[1]);
    return reg_exit(ctx, rc);
}

int reg_dump(struct reg_ctx *ctx)
{
    if (ctx->dump.diff) {
        return diff(ctx);
    }
    return dump_run_all(ctx, ctx->json ? dump_json_line : print_line);
}
