/* SPDX-License-Identifier: BSD-3-Clause */
/* Files of numpy, and names of files by rank. */
#include "check.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../src/cli/npy_header.h"
#include "../src/cli/output.h"

static const struct npy_want any_fp32 = { TRENCH_DTYPE_FP32, 1 << 20 };

/* ---- files of all kinds -------------------------------------------------- */

/* A file's bytes, made piece by piece. */
struct file {
    uint8_t bytes[2 * NPY_MAX_HEADER];
    size_t len;
};

static void put(struct file *f, const void *bytes, size_t len)
{
    assert_true(len <= sizeof(f->bytes) - f->len);
    memcpy(f->bytes + f->len, bytes, len);
    f->len += len;
}

/* Magic, version and length of a text, and the text. */
static void put_header(struct file *f, unsigned version, const char *text)
{
    size_t len = strlen(text);
    uint8_t prefix[12] = { 0x93, 'N', 'U', 'M', 'P', 'Y', (uint8_t)version };

    f->len = 0;
    for (unsigned i = 0; i < (version == 1 ? 2u : 4u); i++) {
        prefix[8 + i] = (uint8_t)(len >> 8 * i);
    }
    put(f, prefix, version == 1 ? 10 : 12);
    put(f, text, len);
}

static int read_file(const struct file *f, const struct npy_want *want,
                     struct npy_array *out, char why[NPY_WHY])
{
    int fd = memfd_create("npy", MFD_CLOEXEC);
    int ret;

    assert_true(fd >= 0);
    assert_true(write(fd, f->bytes, f->len) == (ssize_t)f->len);
    assert_true(lseek(fd, 0, SEEK_SET) == 0);
    strcpy(why, "nothing");
    ret = npy_read(fd, want, out, why);
    close(fd);
    return ret;
}

/* It is refused with just this reason, and nothing is left behind. */
static void check_refused(const struct file *f, const struct npy_want *want,
                          const char *reason)
{
    char why[NPY_WHY];
    struct npy_array array;

    CHECK_EQ(read_file(f, want, &array, why), -1, "%s", reason);
    assert_string_equal(why, reason);
    assert_null(array.data);
}

/* ---- what numpy writes --------------------------------------------------- */

/* np.save("a.npy", np.arange(6, dtype="<f4").reshape(2, 3)), byte by byte. */
static void test_file_of_numpy(void **state)
{
    static const char text[] =
        "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }"
        "                                                          \n";
    static const float data[6] = { 0, 1, 2, 3, 4, 5 };
    struct npy_array array;
    char why[NPY_WHY];
    struct file f;

    (void)state;
    CHECK_EQ(sizeof(text) - 1, 118, "numpy pads to a multiple of 64");
    put_header(&f, 1, text);
    put(&f, data, sizeof(data));
    CHECK_EQ(read_file(&f, &any_fp32, &array, why), 0, "%s", why);
    CHECK_EQ(array.count, 6, "count");
    CHECK_EQ(array.nr_dims, 2, "dims");
    CHECK_EQ(array.dims[0], 2, "dim 0");
    CHECK_EQ(array.dims[1], 3, "dim 1");
    CHECK_MEM(array.data, data, sizeof(data), "data");
    npy_free(&array);
    assert_null(array.data);
}

static void test_headers_that_are_accepted(void **state)
{
    static const struct {
        const char *text;
        uint64_t count;
        unsigned nr_dims;
    } rows[] = {
        { "{'descr': '<f4', 'fortran_order': False, 'shape': (3,), }", 3, 1 },
        { "{'descr':'<f4','fortran_order':False,'shape':(3,)}", 3, 1 },
        { "{\"descr\": \"<f4\", \"fortran_order\": False, \"shape\": (3,)}\n",
          3, 1 },
        { "{'shape': (3,), 'fortran_order': False, 'descr': '<f4'}", 3, 1 },
        { "{'fortran_order': False, 'shape': (3,), 'descr': '<f4',}", 3, 1 },
        { " \t\r\n{ 'descr' : '<f4' , 'fortran_order' : False ,\n 'shape' : "
          "( 3 , ) , } \n\n",
          3, 1 },
        { "{'descr': '<f4', 'fortran_order': False, 'shape': ()}", 1, 0 },
        { "{'descr': '<f4', 'fortran_order': False, 'shape': (0,)}", 0, 1 },
        { "{'descr': '<f4', 'fortran_order': False, 'shape': (1, 3)}", 3, 2 },
        { "{'descr': '<f4', 'fortran_order': False, 'shape': (1, 3,)}", 3, 2 },
        { "{'descr': '<f4', 'fortran_order': False, 'shape': (3,1,1,1)}", 3,
          4 },
        { "{'descr': '<f4', 'fortran_order': False, "
          "'shape': (18446744073709551615, 4, 0)}",
          0, 3 },
        { "{'descr': '<f4', 'fortran_order': True, 'shape': (3,)}", 3, 1 },
        { "{'descr': '<f4', 'fortran_order': True, 'shape': ()}", 1, 0 },
        { "{'descr': '=f4', 'fortran_order': False, 'shape': (3,)}", 3, 1 },
        { "{'descr': 'f4', 'fortran_order': False, 'shape': (3,)}", 3, 1 },
    };
    static const float data[3] = { 1, -2, 3 };

    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        for (unsigned version = 1; version <= 3; version++) {
            struct npy_array array;
            char why[NPY_WHY];
            struct file f;

            put_header(&f, version, rows[i].text);
            put(&f, data, rows[i].count * 4);
            CHECK_EQ(read_file(&f, &any_fp32, &array, why), 0,
                     "row %zu version %u: %s", i, version, why);
            CHECK_EQ(array.count, rows[i].count, "row %zu", i);
            CHECK_EQ(array.nr_dims, rows[i].nr_dims, "row %zu", i);
            CHECK_MEM(array.data, data, rows[i].count * 4, "row %zu", i);
            npy_free(&array);
        }
    }
}

/* ---- what is no header --------------------------------------------------- */

#define GOOD_DESCR "'descr': '<f4', "
#define GOOD_ORDER "'fortran_order': False, "
#define GOOD_SHAPE "'shape': (3,)"

static void test_headers_that_are_refused(void **state)
{
    static const struct {
        const char *text;
        const char *reason;
    } rows[] = {
        { " ", "header: expected '{', found its end" },
        { "[]", "header, byte 0: expected '{', found '['" },
        { "{}", "header, byte 1: expected a key, found '}'" },
        { "{,}", "header, byte 1: expected a key, found ','" },
        { "{", "header: expected a key, found its end" },
        { "{'descr", "header: expected the end of a string, found its end" },
        { "{'descr'", "header: expected ':', found its end" },
        { "{'descr':", "header: expected the name of a type as '<f4', found "
                       "its end" },
        { "{'descr': 4", "header, byte 10: expected the name of a type as "
                         "'<f4', found '4'" },
        { "{'descr': '<f4'", "header: expected ',' or '}', found its end" },
        { "{'descr': '<f4';", "header, byte 15: expected ',' or '}', found "
                              "';'" },
        { "{'descr': [('a', '<f4')], " GOOD_ORDER GOOD_SHAPE "}",
          "expected elements of one type, found a structured type" },
        { "{'descr': '<\\x66"
          "4'",
          "header, byte 12: expected a plain "
          "character in a string, found '\\'" },
        { "{'descr': '<f\xc3\xa4'", "header, byte 13: expected a plain "
                                    "character in a string, found 0xc3" },
        { "{'descr': '012345678901234567890123'",
          "header: expected the name of a type as '<f4', found "
          "'01234567890123456789...'" },
        { "{'0123456789012345678901234': 1",
          "header: expected a key, found '01234567890123456789...'" },
        { "{" GOOD_DESCR GOOD_ORDER "}", "header: the key 'shape' is missing" },
        { "{" GOOD_DESCR GOOD_SHAPE "}",
          "header: the key 'fortran_order' is missing" },
        { "{" GOOD_ORDER GOOD_SHAPE "}", "header: the key 'descr' is missing" },
        { "{" GOOD_DESCR GOOD_DESCR GOOD_ORDER GOOD_SHAPE "}",
          "header: the key 'descr' stands there twice" },
        { "{" GOOD_DESCR GOOD_ORDER GOOD_ORDER GOOD_SHAPE "}",
          "header: the key 'fortran_order' stands there twice" },
        { "{" GOOD_DESCR GOOD_ORDER GOOD_SHAPE ", " GOOD_SHAPE "}",
          "header: the key 'shape' stands there twice" },
        { "{" GOOD_DESCR GOOD_ORDER GOOD_SHAPE ", 'more': 1}",
          "header: expected the keys descr, fortran_order and shape, found "
          "'more'" },
        { "{'Descr': '<f4'}", "header: expected the keys descr, fortran_order "
                              "and shape, found 'Descr'" },
        { "{" GOOD_DESCR GOOD_ORDER GOOD_SHAPE ",,}",
          "header, byte 55: expected a key, found ','" },
        { "{" GOOD_DESCR GOOD_ORDER GOOD_SHAPE "}}",
          "header, byte 55: expected nothing after the dict, found '}'" },
        { "{" GOOD_DESCR GOOD_ORDER GOOD_SHAPE "} x",
          "header, byte 56: expected nothing after the dict, found 'x'" },
        { "{" GOOD_DESCR "'fortran_order': false, " GOOD_SHAPE "}",
          "header, byte 34: expected True or False, found 'f'" },
        { "{" GOOD_DESCR "'fortran_order': 0, " GOOD_SHAPE "}",
          "header, byte 34: expected True or False, found '0'" },
        { "{" GOOD_DESCR "'fortran_order': Falsehood, " GOOD_SHAPE "}",
          "header, byte 39: expected ',' or '}', found 'h'" },
        { "{" GOOD_DESCR "'fortran_order': Tru",
          "header, byte 34: expected True or False, found 'T'" },
        { "{" GOOD_DESCR GOOD_ORDER "'shape': 3}",
          "header, byte 50: expected a tuple of dimensions, found '3'" },
        { "{" GOOD_DESCR GOOD_ORDER "'shape': [3]}",
          "header, byte 50: expected a tuple of dimensions, found '['" },
        { "{" GOOD_DESCR GOOD_ORDER "'shape': (3)}",
          "header, byte 52: expected ',', found ')'" },
        { "{" GOOD_DESCR GOOD_ORDER "'shape': (3 4)}",
          "header, byte 53: expected ',', found '4'" },
        { "{" GOOD_DESCR GOOD_ORDER "'shape': (,)}",
          "header, byte 51: expected a dimension, or ')', found ','" },
        { "{" GOOD_DESCR GOOD_ORDER "'shape': (3,,)}",
          "header, byte 53: expected a dimension, or ')', found ','" },
        { "{" GOOD_DESCR GOOD_ORDER "'shape': (-3,)}",
          "header, byte 51: expected a dimension, or ')', found '-'" },
        { "{" GOOD_DESCR GOOD_ORDER "'shape': (03,)}",
          "header, byte 51: expected a dimension, or ')', found '0'" },
        { "{" GOOD_DESCR GOOD_ORDER "'shape': (3L,)}",
          "header, byte 52: expected ',', found 'L'" },
        { "{" GOOD_DESCR GOOD_ORDER "'shape': (3.0,)}",
          "header, byte 52: expected ',', found '.'" },
        { "{" GOOD_DESCR GOOD_ORDER "'shape': (",
          "header: expected a dimension, or ')', found its end" },
        { "{" GOOD_DESCR GOOD_ORDER "'shape': (3",
          "header: expected ',', found its end" },
        { "{" GOOD_DESCR GOOD_ORDER "'shape': (3,",
          "header: expected a dimension, or ')', found its end" },
        { "{" GOOD_DESCR GOOD_ORDER "'shape': (18446744073709551616,)}",
          "shape: expected dimensions below 2^64" },
        { "{" GOOD_DESCR GOOD_ORDER "'shape': (4294967296, 4294967296)}",
          "shape: expected less than 2^64 elements" },
        { "{" GOOD_DESCR GOOD_ORDER "'shape': (4611686018427387904,)}",
          "expected at most 1048576 bytes of elements, found "
          "4611686018427387904 elements of 4 bytes" },
        { "{" GOOD_DESCR GOOD_ORDER "'shape': (262145,)}",
          "expected at most 1048576 bytes of elements, found 262145 elements "
          "of 4 bytes" },
        { "{" GOOD_DESCR "'fortran_order': True, 'shape': (3, 1)}",
          "expected elements in C order, found Fortran order in 2 "
          "dimensions" },
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct file f;

        put_header(&f, 1 + i % 3, rows[i].text);
        put(&f, "123456789012", 12);
        check_refused(&f, &any_fp32, rows[i].reason);
    }
}

/* A header is not a text of C. */
static void test_header_with_nul(void **state)
{
    static const char text[] = "{" GOOD_DESCR GOOD_ORDER GOOD_SHAPE "}";
    struct file f;

    (void)state;
    put_header(&f, 1, text);
    f.bytes[10] = '\0';
    check_refused(&f, &any_fp32, "header, byte 0: expected '{', found 0x00");
    put_header(&f, 1, text);
    f.bytes[f.len - 1] = '\0';
    check_refused(&f, &any_fp32,
                  "header, byte 54: expected ',' or '}', found 0x00");
}

static void test_number_of_dimensions(void **state)
{
    for (unsigned nr = NPY_MAX_DIMS; nr <= NPY_MAX_DIMS + 1; nr++) {
        char text[512] = "{" GOOD_DESCR GOOD_ORDER "'shape': (";
        struct npy_array array;
        char why[NPY_WHY];
        struct file f;

        for (unsigned i = 0; i < nr; i++) {
            strcat(text, "1,");
        }
        strcat(text, ")}");
        put_header(&f, 1, text);
        put(&f, "1234", 4);
        if (nr > NPY_MAX_DIMS) {
            check_refused(&f, &any_fp32,
                          "shape: expected at most 64 dimensions");
            continue;
        }
        CHECK_EQ(read_file(&f, &any_fp32, &array, why), 0, "%s", why);
        CHECK_EQ(array.nr_dims, nr, "dimensions");
        npy_free(&array);
    }
    (void)state;
}

/* ---- magic, version, length ---------------------------------------------- */

static void test_prefix(void **state)
{
    static const char text[] = "{" GOOD_DESCR GOOD_ORDER GOOD_SHAPE "}";
    struct file f = { .len = 0 };

    (void)state;
    check_refused(&f, &any_fp32, "expected a .npy file, found an empty one");
    put(&f, "PK\3\4 a .npz file", 17);
    check_refused(&f, &any_fp32,
                  "expected a .npy file, but it does not start "
                  "with \\x93NUMPY");
    put_header(&f, 1, text);
    f.bytes[6] = 0;
    check_refused(&f, &any_fp32,
                  "expected format version 1.0, 2.0 or 3.0, found 0.0");
    f.bytes[6] = 4;
    check_refused(&f, &any_fp32,
                  "expected format version 1.0, 2.0 or 3.0, found 4.0");
    f.bytes[6] = 1;
    f.bytes[7] = 1;
    check_refused(&f, &any_fp32,
                  "expected format version 1.0, 2.0 or 3.0, found 1.1");
    put_header(&f, 1, "");
    check_refused(&f, &any_fp32,
                  "expected a header of 1 to 16384 bytes, found 0");
    put_header(&f, 2, text);
    memset(f.bytes + 8, 0xff, 4);
    check_refused(&f, &any_fp32,
                  "expected a header of 1 to 16384 bytes, found 4294967295");
}

/* Every way to cut a file, and every byte more. */
static void test_size_must_match(void **state)
{
    static const char text[] = "{" GOOD_DESCR GOOD_ORDER GOOD_SHAPE "}";

    (void)state;
    for (unsigned version = 1; version <= 3; version++) {
        size_t header;
        struct file f;

        put_header(&f, version, text);
        header = f.len;
        put(&f, "1234567890123", 13);
        check_refused(&f, &any_fp32,
                      "expected 12 bytes of elements after the "
                      "header, found 13: the file is too long");
        for (f.len = header + 11; f.len > 0; f.len--) {
            char reason[NPY_WHY] = "the file ends inside its header";

            if (f.len >= header) {
                snprintf(reason, sizeof(reason),
                         "expected 12 bytes of elements after the header, "
                         "found %zu: the file is truncated",
                         f.len - header);
            }
            check_refused(&f, &any_fp32, reason);
        }
    }
}

static void test_largest_header(void **state)
{
    static const char good[] = "{" GOOD_DESCR GOOD_ORDER GOOD_SHAPE "}";
    static char text[NPY_MAX_HEADER + 2];
    struct npy_array array;
    char why[NPY_WHY];
    struct file f;

    (void)state;
    memset(text, ' ', NPY_MAX_HEADER);
    memcpy(text, good, sizeof(good) - 1);
    for (unsigned version = 1; version <= 2; version++) {
        text[NPY_MAX_HEADER] = '\0';
        put_header(&f, version, text);
        put(&f, "123456789012", 12);
        CHECK_EQ(read_file(&f, &any_fp32, &array, why), 0, "%s", why);
        CHECK_MEM(array.data, "123456789012", 12, "data");
        npy_free(&array);
        text[NPY_MAX_HEADER] = ' ';
        put_header(&f, version, text);
        put(&f, "123456789012", 12);
        check_refused(&f, &any_fp32,
                      "expected a header of 1 to 16384 bytes, found 16385");
    }
}

/* ---- types --------------------------------------------------------------- */

/* What each type may be called, out of all that occur. */
static void test_types(void **state)
{
    static const char *const all[] = {
        "<u8", "|i1", "|u1", "<i2", "<u2", "<V2", "|V2", "<f2", "<i4", "<u4",
        "<f4", "<i8", "|V1", "<V1", "<f1", "<i1", "<u1", ">u1", ">f4", ">i2",
        ">V2", "<f8", "<c8", "|b1", "|O",  "<U4", "|S2", "|f4", "|u2", "<V4",
        "",    "<",   "f",   "f4x", "=f4", "!f4", "V2",  "u1",
    };
    static const struct {
        enum trench_dtype type;
        const char *names; /* each followed by a space */
    } rows[] = {
        { TRENCH_DTYPE_NONE, "" },
        { TRENCH_DTYPE_UINT64, "<u8 " },
        { TRENCH_DTYPE_INT8, "|i1 <i1 " },
        { TRENCH_DTYPE_UINT8, "|u1 <u1 >u1 u1 " },
        { TRENCH_DTYPE_INT16, "<i2 " },
        { TRENCH_DTYPE_UINT16, "<u2 " },
        { TRENCH_DTYPE_BF16, "<u2 <V2 |V2 V2 " },
        { TRENCH_DTYPE_FP16, "<f2 " },
        { TRENCH_DTYPE_INT32, "<i4 " },
        { TRENCH_DTYPE_UINT32, "<u4 " },
        { TRENCH_DTYPE_FP32, "<f4 =f4 " },
        { TRENCH_DTYPE_FP32R, "<f4 =f4 " },
        { TRENCH_DTYPE_INT64, "<i8 " },
        { TRENCH_DTYPE_FP8_E3, "|u1 |V1 <V1 <u1 >u1 u1 " },
        { TRENCH_DTYPE_FP8_E4, "|u1 |V1 <V1 <u1 >u1 u1 " },
        { TRENCH_DTYPE_FP8_E5, "|u1 |V1 <V1 <f1 <u1 >u1 u1 " },
    };

    (void)state;
    CHECK_EQ(ARRAY_LEN(rows), TRENCH_NR_DTYPES, "types");
    for (size_t t = 0; t < ARRAY_LEN(rows); t++) {
        size_t nr = 0;
        size_t want = 0;

        for (const char *p = rows[t].names; *p; p++) {
            want += *p == ' ';
        }
        for (size_t i = 0; i < ARRAY_LEN(all); i++) {
            char why[NPY_WHY] = "";
            char word[8];
            bool ok;

            snprintf(word, sizeof(word), "%s ", all[i]);
            ok = npy_descr_check(all[i], rows[t].type, why) == 0;
            nr += ok;
            CHECK_EQ(ok, all[i][0] && strstr(rows[t].names, word) != NULL,
                     "%s as %s: %s", all[i], trench_dtype_name(rows[t].type),
                     why);
            CHECK_EQ(!ok, why[0] != '\0', "%s", all[i]);
        }
        CHECK_EQ(nr, want, "%s", trench_dtype_name(rows[t].type));
    }
}

static void test_reasons_name_both_types(void **state)
{
    static const struct {
        const char *descr;
        enum trench_dtype type;
        const char *reason;
    } rows[] = {
        { "<f8", TRENCH_DTYPE_FP32,
          "expected elements of type fp32 ('<f4'; see --datatype), found '<f8'" },
        { "<f2", TRENCH_DTYPE_BF16,
          "expected elements of type bf16 ('<V2' or '<u2'; see --datatype), "
          "found '<f2'" },
        { "|i1", TRENCH_DTYPE_FP8_E5,
          "expected elements of type fp8_e5 ('|V1' or '|u1' or '|f1'; see "
          "--datatype), found '|i1'" },
        { ">f4", TRENCH_DTYPE_FP32,
          "expected little-endian elements, found '>f4'" },
        { ">V2", TRENCH_DTYPE_BF16,
          "expected little-endian elements, found '>V2'" },
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        char why[NPY_WHY];

        CHECK_EQ(npy_descr_check(rows[i].descr, rows[i].type, why), -1,
                 "row %zu", i);
        assert_string_equal(why, rows[i].reason);
    }
}

/* ---- memory -------------------------------------------------------------- */

static void test_limit_is_inclusive(void **state)
{
    struct npy_want want = { TRENCH_DTYPE_FP32, 12 };
    struct npy_array array;
    char why[NPY_WHY];
    struct file f;

    (void)state;
    put_header(&f, 1, "{" GOOD_DESCR GOOD_ORDER GOOD_SHAPE "}");
    put(&f, "123456789012", 12);
    CHECK_EQ(read_file(&f, &want, &array, why), 0, "%s", why);
    npy_free(&array);
    want.max_bytes = 11;
    check_refused(&f, &want,
                  "expected at most 11 bytes of elements, found 3 "
                  "elements of 4 bytes");
    want.max_bytes = UINT64_MAX;
    CHECK_EQ(read_file(&f, &want, &array, why), 0, "%s", why);
    npy_free(&array);
}

/* ---- files --------------------------------------------------------------- */

static char dir[] = "/tmp/test_npy.XXXXXX";

static char *path_of(const char *name)
{
    static char path[128];

    snprintf(path, sizeof(path), "%s/%s", dir, name);
    return path;
}

static int make_dir(void **state)
{
    (void)state;
    return mkdtemp(dir) ? 0 : -1;
}

static int remove_dir(void **state)
{
    (void)state;
    return rmdir(dir);
}

/* What is written is 64-byte aligned, is as numpy has it, and reads back. */
static void test_save_and_load(void **state)
{
    static const uint8_t data[64] = { 1, 2, 3, 0xff, 5 };

    (void)state;
    for (int t = 1; t < TRENCH_NR_DTYPES; t++) {
        for (uint64_t count = 0; count <= 8; count += 4) {
            enum trench_dtype type = (enum trench_dtype)t;
            uint64_t bytes = count * trench_dtype_bytes(type);
            struct npy_vector v = { type, count, count ? data : NULL };
            struct npy_want want = { type, bytes };
            const char *path = path_of("array.npy");
            struct npy_array array;
            struct stat st;

            CHECK_EQ(npy_save("test", path, &v), 0, "type %d", t);
            CHECK_EQ(stat(path, &st), 0, "type %d", t);
            CHECK_EQ((uint64_t)st.st_size - bytes, 128, "type %d", t);
            CHECK_EQ(npy_load("test", path, &want, &array), 0, "type %d", t);
            CHECK_EQ(array.count, count, "type %d", t);
            CHECK_EQ(array.nr_dims, 1, "type %d", t);
            CHECK_MEM(array.data, data, bytes, "type %d", t);
            npy_free(&array);
            unlink(path);
        }
    }
}

static void test_header_is_that_of_numpy(void **state)
{
    static const struct {
        enum trench_dtype type;
        uint64_t count;
        const char *text;
    } rows[] = {
        { TRENCH_DTYPE_FP32, 16,
          "{'descr': '<f4', 'fortran_order': False, 'shape': (16,), }" },
        { TRENCH_DTYPE_INT8, 0,
          "{'descr': '|i1', 'fortran_order': False, 'shape': (0,), }" },
        { TRENCH_DTYPE_BF16, 1,
          "{'descr': '<V2', 'fortran_order': False, 'shape': (1,), }" },
        { TRENCH_DTYPE_FP8_E5, UINT64_MAX,
          "{'descr': '|V1', 'fortran_order': False, "
          "'shape': (18446744073709551615,), }" },
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        uint8_t header[NPY_HEADER_MAKE];
        size_t len = strlen(rows[i].text);

        CHECK_EQ(npy_header_make(rows[i].type, rows[i].count, header), 128,
                 "row %zu", i);
        CHECK_MEM(header, "\x93NUMPY\x01\0v\0", 10, "row %zu", i);
        CHECK_MEM(header + 10, rows[i].text, len, "row %zu", i);
        for (size_t at = 10 + len; at < 127; at++) {
            CHECK_EQ(header[at], ' ', "row %zu byte %zu", i, at);
        }
        CHECK_EQ(header[127], '\n', "row %zu", i);
    }
}

static void test_load_refuses_what_is_no_file(void **state)
{
    struct npy_array array = { .data = dir };
    char *path = path_of("pipe");

    (void)state;
    CHECK_EQ(npy_load("test", path, &any_fp32, &array), -1, "absent");
    assert_null(array.data);
    CHECK_EQ(mkfifo(path, 0600), 0, "mkfifo");
    CHECK_EQ(npy_load("test", path, &any_fp32, &array), -1, "pipe");
    unlink(path);
    CHECK_EQ(npy_load("test", dir, &any_fp32, &array), -1, "directory");
}

static void test_save_leaves_nothing_behind(void **state)
{
    struct npy_vector v = { TRENCH_DTYPE_INT8, 1, NULL };

    (void)state;
    /* Address 0 cannot be written from: the write fails. */
    CHECK_EQ(npy_save("test", path_of("out.npy"), &v), -1, "write");
    CHECK_EQ(access(path_of("out.npy"), F_OK), -1, "it appeared");
    v.count = 0;
    CHECK_EQ(npy_save("test", path_of("no/out.npy"), &v), -1, "open");
    /* remove_dir() sees whether a temporary file is left. */
}

/* Files in the making: one appears, one is given up, and a signal comes. */
static void make_and_die(unsigned commit, unsigned give_up)
{
    static const char *const names[] = { "a.npy", "b.npy", "c.npy", "d.npy" };
    static const uint8_t data[4] = { 1, 2, 3, 4 };
    const struct npy_vector v = { TRENCH_DTYPE_INT8, 4, data };
    static struct cli_output outs[ARRAY_LEN(names)];

    for (size_t i = 0; i < ARRAY_LEN(names); i++) {
        char *path = strdup(path_of(names[i]));

        if (!path || npy_prepare("test", path, &v, &outs[i]) ||
            access(path, F_OK) == 0) {
            _exit(1); /* it is not there yet */
        }
    }
    cli_output_close(&outs[give_up]);
    if (cli_output_commit(&outs[commit])) {
        _exit(1);
    }
    raise(SIGTERM);
    _exit(1);
}

static void test_signal_removes_all_files(void **state)
{
    static const char *const names[] = { "a.npy", "b.npy", "c.npy", "d.npy" };

    (void)state;
    for (unsigned at = 0; at < 12; at++) {
        unsigned commit = at % 4;
        unsigned give_up = (commit + 1 + at / 4) % 4;
        int status = 0;
        pid_t pid = fork();

        assert_true(pid >= 0);
        if (pid == 0) {
            make_and_die(commit, give_up);
        }
        CHECK_EQ(waitpid(pid, &status, 0), pid, "wait");
        assert_true(WIFSIGNALED(status));
        CHECK_EQ(WTERMSIG(status), SIGTERM, "%u", at);
        for (unsigned i = 0; i < ARRAY_LEN(names); i++) {
            CHECK_EQ(unlink(path_of(names[i])), i == commit ? 0 : -1, "%u", at);
        }
        /* Nothing else is there: the folder can go. */
        CHECK_EQ(rmdir(dir), 0, "%u: a temporary file", at);
        CHECK_EQ(mkdir(dir, 0700), 0, "%u", at);
    }
}

/* Files that appear together, though a signal comes between them. */
static void commit_and_die(void)
{
    static const uint8_t data[4] = { 1, 2, 3, 4 };
    const struct npy_vector v = { TRENCH_DTYPE_INT8, 4, data };
    static struct cli_output outs[3];
    sigset_t old;

    for (size_t i = 0; i < ARRAY_LEN(outs); i++) {
        char *path = strdup(path_of((const char *[]){ "a", "b", "c" }[i]));

        if (!path || npy_prepare("test", path, &v, &outs[i])) {
            _exit(1);
        }
    }
    cli_output_hold(&old);
    for (size_t i = 0; i < ARRAY_LEN(outs); i++) {
        raise(SIGTERM);
        if (cli_output_commit(&outs[i])) {
            _exit(1);
        }
    }
    cli_output_release(&old);
    _exit(1);
}

static void test_signal_waits_for_all_files(void **state)
{
    int status = 0;
    pid_t pid = fork();

    (void)state;
    assert_true(pid >= 0);
    if (pid == 0) {
        commit_and_die();
    }
    CHECK_EQ(waitpid(pid, &status, 0), pid, "wait");
    assert_true(WIFSIGNALED(status));
    CHECK_EQ(WTERMSIG(status), SIGTERM, "at last");
    CHECK_EQ(unlink(path_of("a")), 0, "the first");
    CHECK_EQ(unlink(path_of("b")), 0, "the second");
    CHECK_EQ(unlink(path_of("c")), 0, "the last");
}

static void touch(const char *path)
{
    int fd = open(path, O_CREAT | O_WRONLY | O_CLOEXEC, 0600);

    assert_true(fd >= 0);
    close(fd);
}

/* One file by two names, also where it does not exist yet. */
static void test_same_file(void **state)
{
    char a[256];
    char odd[300];

    (void)state;
    snprintf(a, sizeof(a), "%s", path_of("a"));
    snprintf(odd, sizeof(odd), "%s/./a", dir);
    for (unsigned exists = 0; exists < 2; exists++) {
        assert_true(cli_output_same(a, a));
        assert_true(cli_output_same(a, odd));
        assert_false(cli_output_same(a, path_of("b")));
        assert_false(cli_output_same(path_of("b"), a));
        assert_false(cli_output_same("a", a)); /* elsewhere */
        assert_true(cli_output_same("no such file", "./no such file"));
        assert_false(cli_output_same("no such/a", "no such/a"));
        touch(a);
    }
    CHECK_EQ(symlink(a, path_of("link")), 0, "link");
    assert_true(cli_output_same(path_of("link"), a));
    unlink(path_of("link"));
    unlink(a);
}

/* ---- names --------------------------------------------------------------- */

static void test_patterns(void **state)
{
    static const struct {
        const char *pattern;
        unsigned rank;
        const char *name;
    } rows[] = {
        { "in%d.npy", 0, "in0.npy" },
        { "in%d.npy", 63, "in63.npy" },
        { "in%d.npy", UINT32_MAX, "in4294967295.npy" },
        { "%d", UINT32_MAX, "4294967295" },
        { "in%03d.npy", 7, "in007.npy" },
        { "in%03d.npy", 1234, "in1234.npy" },
        { "%09d", 5, "000000005" },
        { "100%%/%01d%%", 5, "100%/5%" },
        { "plain.npy", 5, "plain.npy" },
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        char *name = npy_pattern_name(rows[i].pattern, rows[i].rank);

        assert_null(npy_pattern_refusal(rows[i].pattern, 1));
        assert_string_equal(name, rows[i].name);
        free(name);
    }
}

static void test_patterns_that_are_refused(void **state)
{
    static const struct {
        const char *pattern;
        bool also_one; /* also for one rank */
    } rows[] = {
        { "", true },       { "-", true },          { "a.npy", false },
        { "%%", false },    { "%d%d", true },       { "%d/%02d", true },
        { "%", true },      { "a%", true },         { "%s", true },
        { "%n%d", true },   { "%3d", true },        { "%-3d", true },
        { "%0", true },     { "%00d", true },       { "%010d", true },
        { "%0100d", true }, { "%ld", true },        { "%u", true },
        { "%i", true },     { "%x", true },         { "%0d", true },
        { "%%%", true },    { "%d%", true },        { "%*d", true },
        { "%1$d", true },   { "%d % d.npy", true },
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        char *name = npy_pattern_name(rows[i].pattern, UINT32_MAX);

        CHECK_EQ(npy_pattern_refusal(rows[i].pattern, 2) != NULL, true, "'%s'",
                 rows[i].pattern);
        CHECK_EQ(npy_pattern_refusal(rows[i].pattern, 1) != NULL,
                 rows[i].also_one, "'%s'", rows[i].pattern);
        free(name); /* nothing useful, but no harm either */
    }
}

static void test_vacant(void **state)
{
    char pattern[64];
    int fd;

    (void)state;
    snprintf(pattern, sizeof(pattern), "%s/out%%02d.npy", dir);
    CHECK_EQ(npy_pattern_vacant("test", pattern, 8), 0, "nothing there");
    fd = creat(path_of("out07.npy"), 0600);
    assert_true(fd >= 0);
    close(fd);
    CHECK_EQ(npy_pattern_vacant("test", pattern, 7), 0, "of another rank");
    CHECK_EQ(npy_pattern_vacant("test", pattern, 8), -1, "exists");
    unlink(path_of("out07.npy"));
    /* A link to nothing would be followed. */
    CHECK_EQ(symlink("nowhere", path_of("out00.npy")), 0, "symlink");
    CHECK_EQ(npy_pattern_vacant("test", pattern, 8), -1, "a link");
    unlink(path_of("out00.npy"));
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_file_of_numpy),
        cmocka_unit_test(test_headers_that_are_accepted),
        cmocka_unit_test(test_headers_that_are_refused),
        cmocka_unit_test(test_header_with_nul),
        cmocka_unit_test(test_number_of_dimensions),
        cmocka_unit_test(test_prefix),
        cmocka_unit_test(test_size_must_match),
        cmocka_unit_test(test_largest_header),
        cmocka_unit_test(test_types),
        cmocka_unit_test(test_reasons_name_both_types),
        cmocka_unit_test(test_limit_is_inclusive),
        cmocka_unit_test(test_save_and_load),
        cmocka_unit_test(test_header_is_that_of_numpy),
        cmocka_unit_test(test_load_refuses_what_is_no_file),
        cmocka_unit_test(test_save_leaves_nothing_behind),
        cmocka_unit_test(test_signal_removes_all_files),
        cmocka_unit_test(test_signal_waits_for_all_files),
        cmocka_unit_test(test_same_file),
        cmocka_unit_test(test_patterns),
        cmocka_unit_test(test_patterns_that_are_refused),
        cmocka_unit_test(test_vacant),
    };

    return cmocka_run_group_tests(tests, make_dir, remove_dir);
}
