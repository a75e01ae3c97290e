/* SPDX-License-Identifier: BSD-3-Clause */
/* A decoded word as text. Little printf: logs are long. */
#include "dump.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

void dump_put(struct dump_text *text, const char *s, size_t len)
{
    size_t size = text->size ? text->size : 1024;
    char *grown;

    if (len == 0) {
        return;
    }
    if (len > text->size - text->len) {
        while (len > size - text->len) {
            size *= 2;
        }
        grown = realloc(text->s, size);
        if (!grown) {
            text->failed = true;
            return;
        }
        text->s = grown;
        text->size = size;
    }
    memcpy(text->s + text->len, s, len);
    text->len += len;
}

void dump_puts(struct dump_text *text, const char *s)
{
    dump_put(text, s, strlen(s));
}

void dump_put_hex(struct dump_text *text, uint64_t val, unsigned digits)
{
    static const char hex[] = "0123456789abcdef";
    char s[18];
    size_t at = sizeof(s);

    do {
        s[--at] = hex[val & 0xf];
        val >>= 4;
    } while (val != 0 || sizeof(s) - at < digits);
    s[--at] = 'x';
    s[--at] = '0';
    dump_put(text, s + at, sizeof(s) - at);
}

void dump_text_print(const struct dump_text *text)
{
    if (text->len > 0) {
        fwrite(text->s, 1, text->len, stdout);
    }
}

bool dump_is_named(const struct trench_csr_field *field)
{
    return strncasecmp(field->name, "reserved", 8) != 0 &&
           strncasecmp(field->name, "rsvd", 4) != 0;
}

uint32_t dump_nameless(const struct trench_csr_ref *ref)
{
    const struct trench_csr_field *f =
        &ref->block->fields[ref->reg->first_field];
    uint32_t named = 0;

    for (size_t i = 0; i < ref->reg->nr_fields; i++) {
        named |= dump_is_named(&f[i]) ? trench_csr_field_mask(&f[i]) : 0;
    }
    return ~named;
}

bool dump_is_wanted(const struct dump_word *word,
                    const struct trench_csr_field *field, bool reset_diff)
{
    return dump_is_named(field) &&
           (trench_csr_field_mask(field) & ~word->mask) == 0 &&
           (!reset_diff ||
            trench_csr_field_get(field, word->val) != field->reset);
}

/* Returns the number of them. */
static unsigned put_fields(struct dump_text *text, const struct dump_word *word,
                           bool reset_diff)
{
    const struct trench_csr_ref *ref = &word->entry->ref;
    const struct trench_csr_field *f =
        &ref->block->fields[ref->reg->first_field];
    unsigned nr = 0;

    for (size_t i = 0; i < ref->reg->nr_fields; i++, f++) {
        uint32_t val = trench_csr_field_get(f, word->val);

        if (!dump_is_wanted(word, f, reset_diff)) {
            continue;
        }
        nr++;
        dump_put(text, " ", 1);
        dump_puts(text, f->name);
        dump_put(text, "=", 1);
        dump_put_hex(text, val, 1);
        if (reset_diff) {
            dump_puts(text, " (reset ");
            dump_put_hex(text, f->reset, 1);
            dump_put(text, ")", 1);
        } else if (val != f->reset) {
            dump_put(text, "*", 1);
        }
    }
    return nr;
}

/* Bits that should not be set, or should. */
static uint32_t odd_bits(const struct dump_word *word)
{
    const struct trench_csr_ref *ref = &word->entry->ref;

    return (word->val ^ ref->reg->reset) & dump_nameless(ref) & word->mask;
}

static void put_meaning(struct dump_text *text, const struct dump_word *word,
                        bool reset_diff)
{
    uint32_t odd = odd_bits(word);

    if (put_fields(text, word, reset_diff) == 0 && odd == 0 && reset_diff) {
        dump_puts(text, " as after reset");
    }
    if (odd != 0) {
        dump_puts(text, " (reserved bits ");
        dump_put_hex(text, word->val & dump_nameless(&word->entry->ref), 1);
        dump_put(text, ")", 1);
    }
    if (word->mask != UINT32_MAX) {
        dump_puts(text, " (part of the register: bits ");
        dump_put_hex(text, word->mask, 8);
        dump_put(text, ")", 1);
    }
}

void dump_put_word(struct dump_text *text, const struct dump_word *word,
                   bool reset_diff)
{
    const struct dump_entry *entry = word->entry;
    char chip[32];

    if (!entry->known) {
        dump_puts(text, !entry->mapped   ? "nothing in this BAR"
                        : entry->name[0] ? "no register: in "
                                         : "no register");
    }
    dump_put(text, entry->name, entry->name_len);
    if (entry->chip >= 0) {
        snprintf(chip, sizeof(chip), " (of chip %d)", entry->chip);
        dump_puts(text, chip);
    }
    if (entry->ref.reg) {
        put_meaning(text, word, reset_diff);
    }
}
