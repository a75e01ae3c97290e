/* SPDX-License-Identifier: BSD-3-Clause */
/* trench reg decode and encode: values to fields and back. */
#include "reg.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Bits that no field of the register describes. */
static uint32_t nameless_bits(const struct trench_csr_ref *ref)
{
    uint32_t known = 0;

    for (size_t i = 0; i < ref->reg->nr_fields; i++) {
        known |= trench_csr_field_mask(
            &ref->block->fields[ref->reg->first_field + i]);
    }
    return ~known;
}

static void print_field(const struct trench_csr_field *field, uint32_t word)
{
    uint32_t val = trench_csr_field_get(field, word);
    char decimal[16] = "";

    if (val > 9) {
        snprintf(decimal, sizeof(decimal), "%" PRIu32, val);
    }
    printf("%6s  %-2s %10s %10s %c %-28s %s\n", reg_bits(field).s,
           trench_csr_access_name(field->access), reg_hex(val).s, decimal,
           val == field->reset ? ' ' : '*', field->name, field->desc);
}

static void print_word(const struct trench_csr_ref *ref, uint32_t word)
{
    uint32_t nameless = nameless_bits(ref) & word;

    printf("%s = 0x%08" PRIx32 ", reset 0x%08" PRIx32 "\n\n",
           reg_ref_name(ref).s, word, ref->reg->reset);
    printf("%6s  %-2s %10s %10s   %-28s %s\n", "bits", "ac", "value", "decimal",
           "field", "meaning");
    for (size_t i = 0; i < ref->reg->nr_fields; i++) {
        const struct trench_csr_field *field =
            &ref->block->fields[ref->reg->first_field + i];

        if (!ref->field || ref->field == field) {
            print_field(field, word);
        }
    }
    if (nameless != 0 && !ref->field) {
        printf("set, but in no field: 0x%08" PRIx32 "\n", nameless);
    }
}

static json_t *word_json(const struct trench_csr_ref *ref, uint32_t word)
{
    json_t *fields = json_array();

    for (size_t i = 0; i < ref->reg->nr_fields; i++) {
        const struct trench_csr_field *f =
            &ref->block->fields[ref->reg->first_field + i];
        uint32_t val = trench_csr_field_get(f, word);

        if (ref->field && ref->field != f) {
            continue;
        }
        json_array_append_new(
            fields, json_pack("{s:s, s:i, s:i, s:s, s:I, s:b, s:s}", "name",
                              f->name, "lsb", f->lsb, "width", f->width,
                              "access", trench_csr_access_name(f->access),
                              "value", (json_int_t)val, "is_reset",
                              val == f->reset, "description", f->desc));
    }
    return json_pack(
        "{s:s, s:o, s:o, s:o, s:o, s:o}", "name", reg_ref_name(ref).s, "offset",
        cli_json_hex(trench_csr_ref_offset(ref)), "value", cli_json_hex(word),
        "reset", cli_json_hex(ref->reg->reset), "nameless",
        cli_json_hex(nameless_bits(ref) & word), "fields", fields);
}

int reg_decode(struct reg_ctx *ctx)
{
    struct trench_csr_ref ref;
    uint32_t word;
    int rc = reg_number(ctx, ctx->args[1], &word);

    if (rc == CLI_OK) {
        rc = reg_resolve_reg(ctx, ctx->args[0], true, &ref);
    }
    if (rc != CLI_OK) {
        return rc;
    }
    if (ctx->json) {
        return cli_json_print(ctx->prog, stdout, word_json(&ref, word));
    }
    print_word(&ref, word);
    return CLI_OK;
}

/* One FIELD=VALUE; *done has the bits that earlier ones have set. */
static int assign(const struct reg_ctx *ctx, const struct trench_csr_ref *ref,
                  const char *text, uint32_t *word, uint32_t *done)
{
    const char *equals = strchr(text, '=');
    const struct trench_csr_field *field;
    struct trench_csr_error err;
    char name[REG_NAME_BYTES];
    uint32_t val;
    int rc;

    if (!equals || equals == text || (size_t)(equals - text) >= sizeof(name)) {
        cli_error(ctx->prog, "'%s' is not FIELD=VALUE", text);
        return CLI_USAGE;
    }
    snprintf(name, sizeof(name), "%.*s", (int)(equals - text), text);
    rc = reg_number(ctx, equals + 1, &val);
    if (rc != CLI_OK) {
        return rc;
    }
    field = trench_csr_reg_field(ref->block, ref->reg, name, &err);
    if (!field) {
        cli_error(ctx->prog, "%s", err.reason);
        return CLI_FAILED;
    }
    if (*done & trench_csr_field_mask(field)) {
        cli_error(ctx->prog, "%s is given twice", field->name);
        return CLI_USAGE;
    }
    if (trench_csr_field_put(field, val, word)) {
        cli_error(ctx->prog, "%s: %s does not fit into %u bit%s", field->name,
                  equals + 1, field->width, field->width == 1 ? "" : "s");
        return CLI_FAILED;
    }
    *done |= trench_csr_field_mask(field);
    return CLI_OK;
}

int reg_encode(struct reg_ctx *ctx)
{
    struct trench_csr_ref ref;
    uint32_t done = 0;
    uint32_t word = 0;
    int rc = CLI_OK;

    if (ctx->base) {
        rc = reg_number(ctx, ctx->base, &word);
    }
    if (rc == CLI_OK) {
        rc = reg_resolve_reg(ctx, ctx->args[0], false, &ref);
    }
    if (rc != CLI_OK) {
        return rc;
    }
    word = ctx->base ? word : ref.reg->reset;
    for (int i = 1; i < ctx->nr_args; i++) {
        rc = assign(ctx, &ref, ctx->args[i], &word, &done);
        if (rc != CLI_OK) {
            return rc;
        }
    }
    if (ctx->json) {
        return cli_json_print(ctx->prog, stdout, word_json(&ref, word));
    }
    printf("0x%08" PRIx32 "\n", word);
    return CLI_OK;
}
