/* SPDX-License-Identifier: BSD-3-Clause */
/* A decoded word as an object, one a line. */
#include "dump.h"

void dump_json_entry(json_t *object, const struct dump_entry *entry)
{
    json_object_set_new(object, "address", cli_json_hex(entry->addr));
    if (entry->mapped && entry->target != entry->addr) {
        json_object_set_new(object, "target", cli_json_hex(entry->target));
    }
    if (entry->chip >= 0) {
        json_object_set_new(object, "chip", json_integer(entry->chip));
    }
    json_object_set_new(object, "name",
                        entry->known ? cli_json_text(entry->name)
                                     : json_null());
    if (!entry->known) {
        json_object_set_new(object, "in", cli_json_text(entry->name));
    }
}

json_t *dump_json_fields(const struct dump_word *word, bool reset_diff)
{
    const struct trench_csr_ref *ref = &word->entry->ref;
    json_t *object = json_object();

    for (size_t i = 0; ref->reg && i < ref->reg->nr_fields; i++) {
        const struct trench_csr_field *f =
            &ref->block->fields[ref->reg->first_field + i];

        if (dump_is_wanted(word, f, reset_diff)) {
            json_object_set_new(
                object, f->name,
                json_integer(trench_csr_field_get(f, word->val)));
        }
    }
    return object;
}

bool dump_print_json(struct dump_run *run, json_t *object)
{
    if (!object || json_dumpf(object, stdout, 0) != 0) {
        run->text.failed = !object;
    }
    putchar('\n');
    json_decref(object);
    return !run->text.failed;
}

static const char *const kinds[] = {
    [DUMP_VALUE] = "value",
    [DUMP_READ] = "read",
    [DUMP_WRITE] = "write",
};

void dump_json_line(struct dump_run *run, const struct dump_source *source,
                    const struct dump_word *words, unsigned nr)
{
    json_t *object;

    for (unsigned i = 0; i < nr; i++) {
        object = json_pack(
            "{s:o, s:I, s:s, s:i}", "file", cli_json_text(source->path), "line",
            (json_int_t)source->line, "access", kinds[source->parsed->kind],
            "size", (int)source->parsed->size);
        dump_json_entry(object, words[i].entry);
        json_object_set_new(object, "value", cli_json_hex(words[i].val));
        json_object_set_new(
            object, "fields",
            dump_json_fields(&words[i], run->ctx->dump.reset_diff));
        dump_print_json(run, object);
    }
    if (nr == 0 && source->text[0] != '\0') {
        dump_print_json(run, json_pack("{s:o, s:I, s:o}", "file",
                                       cli_json_text(source->path), "line",
                                       (json_int_t)source->line, "text",
                                       cli_json_text(source->text)));
    }
}
