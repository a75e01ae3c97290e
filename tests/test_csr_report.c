/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the loader says about bad files, and what trench_csr_check() says
 * about all that is wrong with a file.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include <trench/csr.h>

#include "data/csr/demo.h"

/* Long or odd strings must neither overflow err nor reach a terminal raw. */
static void test_load_reports_odd_strings(void **state)
{
    struct trench_csr_block *block = NULL;
    struct trench_csr_error err;
    char name[5000];
    char *text, *longer;

    (void)state;
    text = mutate(demo, "'misc'", "'\\u001b[31m\xc3\xa9\\n'");
    assert_int_equal(load_bytes(text, strlen(text), &block, &err),
                     TRENCH_ERR_BADMSG);
    assert_non_null(strstr(err.reason, "\"?[31m"));
    for (const char *p = err.reason; *p; p++) {
        CHECK(*p >= ' ' && *p <= '~', "%s", err.reason);
    }
    free(text);

    memset(name, 'n', sizeof(name));
    name[0] = '\'';
    name[4096] = '\'';
    name[4097] = '\0';
    text = mutate(demo, "'tail'", name); /* 4095 characters: fine */
    assert_int_equal(load_bytes(text, strlen(text), &block, &err), 0);
    trench_csr_free(block);
    free(text);

    text = mutate(demo, "'tail'", name);
    longer = mutate(text, "\"Position\": \"31:0\"", "'x': ''");
    free(text);
    text = longer;
    block = NULL;
    assert_int_equal(load_bytes(text, strlen(text), &block, &err),
                     TRENCH_ERR_BADMSG);
    assert_int_equal(strlen(err.path), sizeof(err.path) - 1);
    assert_memory_equal(err.path, "Q.nnn", 5);
    free(text);

    name[4096] = 'n';
    name[4097] = '\'';
    name[4098] = '\0';
    text = mutate(demo, "'tail'", name);
    assert_int_equal(load_bytes(text, strlen(text), &block, &err),
                     TRENCH_ERR_BADMSG);
    assert_string_equal(err.path, "Q.Registers[1]");
    assert_non_null(strstr(err.reason, "longer than 4095 bytes"));
    free(text);
}

static void test_load_reports_files(void **state)
{
    struct trench_csr_block *block = NULL;
    struct trench_csr_error err;
    const size_t size = (16u << 20) + 1;
    char *text;

    (void)state;
    assert_int_equal(trench_csr_load("/nonexistent/x.json", &block, &err),
                     TRENCH_ERR_NOENT);
    assert_string_equal(err.path, "");
    assert_non_null(strstr(err.reason, "cannot be opened"));
    assert_int_equal(trench_csr_load("/nonexistent/x.json", &block, NULL),
                     TRENCH_ERR_NOENT);
    assert_int_equal(trench_csr_load("/tmp", &block, &err), TRENCH_ERR_NOENT);
    assert_non_null(strstr(err.reason, "cannot be read"));
    assert_int_equal(trench_csr_load("/dev/zero", &block, &err),
                     TRENCH_ERR_BADMSG);
    assert_non_null(strstr(err.reason, "16 MiB"));

    text = mutate(demo, "'demo',", "'demo'");
    assert_int_equal(load_bytes(text, strlen(text), &block, &err),
                     TRENCH_ERR_BADMSG);
    assert_int_equal(err.line, 1);
    free(text);
    text = mutate(demo, "'ArraySize': 'NUM_Q',", "'ArraySize': 'NUM_Q'");
    assert_int_equal(load_bytes(text, strlen(text), &block, &err),
                     TRENCH_ERR_BADMSG);
    assert_int_equal(err.line, 7);
    assert_non_null(strstr(err.reason, "not JSON"));
    free(text);
    text = mutate(demo, "'DataWidth'", "'UnitName'");
    assert_int_equal(load_bytes(text, strlen(text), &block, &err),
                     TRENCH_ERR_BADMSG);
    assert_non_null(strstr(err.reason, "duplicate"));
    free(text);

    /* Spaces after the schema are legal, up to the limit and not beyond. */
    text = malloc(size);
    assert_non_null(text);
    memset(text, ' ', size);
    for (size_t i = 0; i < sizeof(demo) - 1; i++) {
        text[i] = demo[i] == '\'' ? '"' : demo[i];
    }
    assert_int_equal(load_bytes(text, size, &block, &err), TRENCH_ERR_BADMSG);
    assert_non_null(strstr(err.reason, "larger than 16 MiB"));
    assert_null(block);
    assert_int_equal(load_bytes(text, size - 1, &block, &err), 0);
    trench_csr_free(block);
    trench_csr_free(NULL);

    /* Small in the file, more than 1 GiB once parsed. */
    memset(text, '[', size - 1);
    assert_int_equal(load_bytes(text, size - 1, &block, &err),
                     TRENCH_ERR_BADMSG);
    assert_non_null(strstr(err.reason, "64 levels of nesting"));
    for (size_t i = 0; i + 3 <= size; i += 3) {
        memcpy(text + i, i == 0 ? "[{}" : ",{}", 3);
    }
    assert_int_equal(load_bytes(text, size - 2, &block, &err),
                     TRENCH_ERR_BADMSG);
    assert_non_null(strstr(err.reason, "lists and objects"));
    free(text);
}

/* What editors and transfers do to files. */
static void test_load_reports_encodings(void **state)
{
    static const struct {
        const char *prefix;
        size_t len;
        const char *reason;
    } rows[] = {
        { "\xef\xbb\xbf", 3, "starts with a byte order mark" },
        { "\xff\xfe", 2, "UTF-16" },
        { "\xfe\xff", 2, "UTF-16" },
        { "\xc3\x28", 2, "not JSON" },
        { "\0", 1, "not JSON" },
    };
    struct trench_csr_block *block = NULL;
    struct trench_csr_error err;
    char *text = mutate(demo, "", "");
    size_t len = strlen(text);
    char *bad;

    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        bad = malloc(len + 3);
        assert_non_null(bad);
        memcpy(bad, rows[i].prefix, rows[i].len);
        memcpy(bad + rows[i].len, text, len);
        CHECK(load_bytes(bad, len + rows[i].len, &block, &err) ==
                  TRENCH_ERR_BADMSG,
              "row %zu", i);
        CHECK(strstr(err.reason, rows[i].reason), "row %zu: %s", i, err.reason);
        free(bad);
    }
    assert_int_equal(load_bytes("", 0, &block, &err), TRENCH_ERR_BADMSG);
    assert_string_equal(err.reason, "the file is empty");
    assert_int_equal(load_bytes(text, len / 2, &block, &err),
                     TRENCH_ERR_BADMSG);
    assert_non_null(strstr(err.reason, "the file ends too early"));
    free(text);
    /* Inside of a string, where the line is known. */
    text = mutate(demo, "All rules", "All \xff rules");
    assert_int_equal(load_bytes(text, strlen(text), &block, &err),
                     TRENCH_ERR_BADMSG);
    assert_int_equal(err.line, 19);
    free(text);
}

/* The member at fault, not only the thing that it is a member of. */
static void test_load_reports_lines(void **state)
{
    static const struct {
        const char *find, *with;
        int line;
    } rows[] = {
        { "'0x400'", "'0x402'", 2 },
        { "'Value': '15'", "'Value': '1+'", 4 },
        { "'AddressOffset': '256'", "'AddressOffset': '2'", 6 },
        { "'BundleSizeInBytes': '0x20'", "'BundleSizeInBytes': '-1'", 7 },
        { "'TOP:0'", "'TOP:99'", 10 },
        { "'0x1234'", "'0x12345'", 11 },
        { "'08'", "'0'", 12 },
        { "'tail'", "'head'", 12 },
        { "'All rules'", "1", 19 },
        { "'ResetValue': '10'", "'ResetValue': '16'", 23 },
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        char *text = mutate(demo, rows[i].find, rows[i].with);
        struct trench_csr_block *block = NULL;
        struct trench_csr_error err = { 0 };
        int rc = load_bytes(text, strlen(text), &block, &err);

        CHECK(rc == TRENCH_ERR_BADMSG, "row %zu", i);
        CHECK(err.line == rows[i].line, "row %zu: line %d: %s", i, err.line,
              err.reason);
        free(text);
    }
}

/* Findings. */

/* "error 12 Q.tail: reason" a line. */
struct findings {
    char text[16384];
    size_t len;
    int nr[2];
};

static void take_finding(void *opaque, const struct trench_csr_finding *f)
{
    struct findings *all = opaque;
    size_t left = sizeof(all->text) - all->len;
    int n;

    all->nr[f->severity]++;
    n = snprintf(all->text + all->len, left, "%s %d %s: %s\n",
                 f->severity == TRENCH_CSR_ERROR ? "error" : "warning",
                 f->err.line, f->err.path, f->err.reason);
    all->len += (size_t)n < left ? (size_t)n : left - 1;
}

static int check_text(const char *text, struct findings *all)
{
    char path[] = "/tmp/test_csr_XXXXXX";
    int fd = mkstemp(path);
    int rc;

    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, strlen(text)), (ssize_t)strlen(text));
    close(fd);
    memset(all, 0, sizeof(*all));
    rc = trench_csr_check(path, take_finding, all);
    unlink(path);
    return rc;
}

/* Each change is made after the ones before it. */
static char *mutate_all(const char *const (*changes)[2], size_t nr)
{
    char *text = mutate(demo, "", "");

    for (size_t i = 0; i < nr; i++) {
        char *find = mutate(changes[i][0], "", "");
        char *next = mutate(text, find, changes[i][1]);

        free(find);
        free(text);
        text = next;
    }
    return text;
}

static void test_check_reports_all_errors(void **state)
{
    static const char *const changes[][2] = {
        { "'TOP:0'", "'TOP:99'" },   { "'0x1234'", "'?'" },
        { "'tail'", "'head'" },      { "'010'", "'0x100000000'" },
        { "'0X1C'", "'0x1d'" },      { "'7:4'", "'7:3'" },
        { "'PulseOnW'", "'pulse'" },
    };
    static const char expected[] =
        "warning 1 RegFile: AddrWidth 12 is wider than 0x400 bytes need\n"
        "error 10 Q.head.idx: Position \"TOP:99\" is outside 32 bits\n"
        "error 11 Q.head.idx: ResetValue \"?\" is no number or expression\n"
        "error 15 Q.head.ptr: ResetValue \"0x100000000\" is above 32 bits\n"
        "warning 17 misc: BundleSizeInBytes 0x4 is less than the 0x21 bytes "
        "that the registers take\n"
        "error 18 misc.mix: AddressOffset 0x1d is not a multiple of 4\n"
        "error 22 misc.mix.rw: overlaps field ro\n"
        "error 26 misc.mix.wo: SpecialAccess \"pulse\" is unknown\n"
        "error 12 Q.head: two registers have this name\n";
    char *text = mutate_all(changes, ARRAY_LEN(changes));
    struct findings all;

    (void)state;
    assert_int_equal(check_text(text, &all), TRENCH_ERR_BADMSG);
    assert_string_equal(all.text, expected);
    free(text);
}

/* Only what is wrong by itself, not what follows from it. */
static void test_check_does_not_repeat(void **state)
{
    static const char *const rows[][3] = {
        { "'Value': '4'", "'Value': '4/0'",
          "error 3 Parameters[0]: Value \"4/0\" of NUM_Q divides by zero\n" },
        { "'0x400'", "'0x402'",
          "error 2 RegFile: SizeInBytes 0x402 is 0 or not a multiple of 4\n" },
        { "'256'", "'2'",
          "error 6 Q: AddressOffset 0x2 is not a multiple of 4\n" },
        { "'0X1C'", "'0x100'",
          "error 18 misc.mix: index 0 at 0x100 overlaps Q.head\n" },
        { "{'RegFile'", "{'x'", "error 1 : RegFile is missing\n" },
        { "'RegFile': {", "'RegFile': {,", NULL },
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        char *text = mutate(demo, rows[i][0], rows[i][1]);
        struct findings all;

        CHECK(check_text(text, &all) == TRENCH_ERR_BADMSG, "row %zu", i);
        CHECK(all.nr[TRENCH_CSR_ERROR] == 1, "row %zu: %s", i, all.text);
        CHECK(!rows[i][2] || strstr(all.text, rows[i][2]), "row %zu: %s", i,
              all.text);
        free(text);
    }
}

static void test_check_warns(void **state)
{
    static const struct {
        const char *find, *with;
        const char *expected; /* among the findings; NULL = none new */
    } rows[] = {
        { "", "",
          "warning 17 misc: BundleSizeInBytes 0x4 is less than the 0x20 bytes "
          "that the registers take\n" },
        { "", "",
          "warning 26 misc.mix.wo: reset 0xf of a WO field is never seen\n" },
        { "", "",
          "warning 1 RegFile: AddrWidth 12 is wider than 0x400 bytes need\n" },
        { "'AddrWidth': '12'", "'AddrWidth': '9'",
          "warning 1 RegFile: AddrWidth 9 reaches 0x200 of 0x400 bytes\n" },
        { "'Name': 'tail', 'AddressOffset': '08', 'AccessType': 'RW'",
          "'Name': 'tail', 'AddressOffset': '08', 'AccessType': 'RO'",
          "warning 12 Q.tail: the register is RO, but 1 of its fields are "
          "not\n" },
        { "'Name': 'tail', 'AddressOffset': '08', 'AccessType': 'RW'",
          "'Name': 'tail', 'AddressOffset': '08', 'AccessType': 'WO'",
          "warning 12 Q.tail: the register is WO, but 1 of its fields are "
          "not\n" },
        { "'AccessType': 'RO',\n     'B", "'AccessType': 'RW',\n     'B",
          "warning 8 Q.head: the register is RW, but all its fields are RO\n" },
        { "'Position': '31:0', 'AccessType': 'RW'",
          "'Position': '31:0', 'AccessType': 'WO'",
          "warning 12 Q.tail: the register is RW, but all its fields are "
          "WO\n" },
        { "'0x1234'", "'0xb1'",
          "warning 11 Q.head.idx: reset 0xb1 is a known placeholder\n" },
        { "'ResetValue': '0x5', 'SpecialAccess': 'None'",
          "'ResetValue': '0x5', 'SpecialAccess': 'PulseOnW'",
          "warning 21 misc.mix.ro: a RO field has a rule for writes\n" },
        { "'Name': 'rw'", "'Name': 'reserved_7_4'",
          "warning 22 misc.mix.reserved_7_4: a reserved field keeps what is "
          "written\n" },
        { "'Name': 'w1s'", "'Description': 'Plain', 'Name': 'w1s'",
          "warning 20 misc.mix: fields rw and w1s have one description\n" },
        { "'Name': 'tail'", "'Name': 'Head'",
          "warning 12 Q.Head: differs from head in case only\n" },
        { "'Name': 'misc'", "'Name': 'q'",
          "warning 16 q: differs from Q in case only\n" },
        { "'ArraySize': 'NUM_Q'", "'ArraySize': '4'",
          "warning 3 Parameters[0]: parameter NUM_Q is not used\n" },
        { "{'Name': 'misc'",
          "{'Name': 'x', 'Tag': ['OPAQUE'], 'AddressOffset': '0', "
          "'Registers': []}, {'Name': 'misc'",
          "warning 16 x: the address of an opaque bundle is not used\n" },
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        char *text = mutate(demo, rows[i].find, rows[i].with);
        struct trench_csr_block *block = NULL;
        struct trench_csr_error err = { 0 };
        struct findings all;
        int rc = load_bytes(text, strlen(text), &block, &err);

        CHECK(rc == 0 || i == 3, "row %zu: %s: %s", i, err.path, err.reason);
        CHECK(check_text(text, &all) == rc, "row %zu: %s", i, all.text);
        CHECK(all.nr[TRENCH_CSR_ERROR] == (rc != 0), "row %zu: %s", i,
              all.text);
        CHECK(strstr(all.text, rows[i].expected), "row %zu: %s", i, all.text);
        trench_csr_free(block);
        free(text);
    }
}

/* The checker and the loader never disagree about what loads. */
static void test_check_agrees_with_load(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(refusals); i++) {
        char *text = mutate(demo, refusals[i].find, refusals[i].with);
        struct findings all;
        char line[300];

        CHECK(check_text(text, &all) == TRENCH_ERR_BADMSG, "row %zu", i);
        CHECK(all.nr[TRENCH_CSR_ERROR] >= 1, "row %zu", i);
        snprintf(line, sizeof(line), " %s: ", refusals[i].path);
        CHECK(strstr(all.text, line) && strstr(all.text, refusals[i].reason),
              "row %zu: %s", i, all.text);
        free(text);
    }
}

/* Ten thousand faults: all reported, in reasonable time. */
static void test_check_survives_many_faults(void **state)
{
    static struct findings all;
    struct builder b;
    char path[] = "/tmp/test_csr_XXXXXX";
    int fd = mkstemp(path);
    FILE *file = fdopen(fd, "w");

    (void)state;
    assert_non_null(file);
    builder_open(&b);
    builder_bundle(&b, 0, 0, 1);
    for (unsigned r = 0; r < 10000; r++) {
        builder_reg(&b, r, 1);
    }
    fprintf(b.stream, "]}]}}");
    assert_int_equal(fclose(b.stream), 0);
    for (char *p = b.text; (p = strstr(p, "RW")) != NULL; p++) {
        *p = 'X';
    }
    fputs(b.text, file);
    assert_int_equal(fclose(file), 0);
    free(b.text);
    assert_int_equal(trench_csr_check(path, take_finding, &all),
                     TRENCH_ERR_BADMSG);
    assert_int_equal(all.nr[TRENCH_CSR_ERROR], 20000);
    unlink(path);
}

static void test_check_reports_files(void **state)
{
    struct findings all = { 0 };

    (void)state;
    assert_int_equal(trench_csr_check("/nonexistent", take_finding, &all),
                     TRENCH_ERR_NOENT);
    assert_string_equal(all.text,
                        "error 0 : cannot be opened: no such name or file\n");
    assert_int_equal(check_text("{ \"RegFile\": {\n\n", &all),
                     TRENCH_ERR_BADMSG);
    assert_non_null(strstr(all.text, "error 3 : not JSON: the file ends too"));
    assert_int_equal(check_text("", &all), TRENCH_ERR_BADMSG);
    assert_string_equal(all.text, "error 0 : the file is empty\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_load_reports_odd_strings),
        cmocka_unit_test(test_load_reports_files),
        cmocka_unit_test(test_load_reports_encodings),
        cmocka_unit_test(test_load_reports_lines),
        cmocka_unit_test(test_check_reports_all_errors),
        cmocka_unit_test(test_check_does_not_repeat),
        cmocka_unit_test(test_check_warns),
        cmocka_unit_test(test_check_agrees_with_load),
        cmocka_unit_test(test_check_survives_many_faults),
        cmocka_unit_test(test_check_reports_files),
    };

    return cmocka_run_group_tests_name("csr_report", tests, NULL, NULL);
}
