/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Any bytes as a .npy file, and as a header without a file. Byte 0 of the
 * input is the type that is wanted; what is accepted is consistent.
 */
#include <sys/mman.h>
#include <unistd.h>

#include "../src/cli/npy_header.h"
#include "fuzz.h"

#define MAX_BYTES 65536u

static void check_array(const struct npy_array *array,
                        const struct npy_want *want, size_t size)
{
    uint64_t bytes = array->count * trench_dtype_bytes(want->type);
    const uint8_t *data = array->data;
    uint64_t count = 1;
    unsigned sum = 0;

    FUZZ_CHECK(bytes <= MAX_BYTES && bytes < size);
    FUZZ_CHECK(array->nr_dims <= NPY_MAX_DIMS);
    for (unsigned i = 0; i < array->nr_dims; i++) {
        count *= array->dims[i];
    }
    FUZZ_CHECK(count == array->count);
    for (uint64_t i = 0; i < bytes; i++) {
        sum += data[i]; /* ours to read */
    }
    FUZZ_CHECK(sum <= 255 * bytes);
}

static void check_file(const struct npy_want *want, const uint8_t *data,
                       size_t size)
{
    int fd = memfd_create("npy", MFD_CLOEXEC);
    struct npy_array array;
    char why[NPY_WHY] = "";

    FUZZ_CHECK(fd >= 0 && write(fd, data, size) == (ssize_t)size);
    FUZZ_CHECK(lseek(fd, 0, SEEK_SET) == 0);
    if (npy_read(fd, want, &array, why) == 0) {
        check_array(&array, want, size);
        npy_free(&array);
    } else {
        FUZZ_CHECK(why[0] != '\0' && !array.data);
    }
    close(fd);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct npy_want want = { .max_bytes = MAX_BYTES };
    struct npy_header header;
    char why[NPY_WHY] = "";

    if (size == 0) {
        return 0;
    }
    want.type = (enum trench_dtype)(data[0] % TRENCH_NR_DTYPES);
    check_file(&want, data + 1, size - 1);
    if (npy_header_parse((const char *)data + 1, size - 1, &header, why) < 0) {
        FUZZ_CHECK(why[0] != '\0');
    } else {
        FUZZ_CHECK(memchr(header.descr, '\0', sizeof(header.descr)) != NULL);
    }
    return 0;
}
